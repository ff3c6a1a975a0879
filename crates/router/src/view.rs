//! A read-only view of the router, for metrics and tests.

use crate::client::{Client, ClientId, ClientOptions};
use crate::filters::FilterCounts;
use crate::histogram::Histogram;
use crate::ledger::Ledger;
use crate::pool::NONE;
use crate::renditions::RenditionCounts;
use crate::router::Router;
use crate::topics::TopicId;

/// A read-only view of the router. Totals cost a step for each client; everything else is by slices, so
/// that a caller can spread many clients or topics over time.
pub struct View<'a, R> {
    router: &'a Router<R>,
}

/// Totals of the router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Of all clients, also gone ones.
    pub ledger: Ledger,
    /// Clients that are connected.
    pub clients: usize,
    /// Topics that are known.
    pub topics: usize,
    /// Subscriptions of all clients.
    pub subscriptions: usize,
    /// Pairs of a subscription and a topic that it has matched.
    pub matches: usize,
    /// Bytes that wait for all clients: what waits for several counts for each.
    pub queued_bytes: usize,
    /// Memory.
    pub memory: MemoryView,
    /// Bytes of unsent output.
    pub output_bytes: usize,
}

/// Bytes of memory by what takes them, and the ceiling above all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryView {
    /// Everything that waits, each message once, and what is kept for more.
    pub waiting: usize,
    /// Outputs.
    pub outputs: usize,
    /// Topics, patterns, subscriptions, matches and clients, about.
    pub tables: usize,
    /// Last values, about.
    pub last_values: usize,
    /// Others, as the router was told.
    pub others: usize,
    /// What all of it may take.
    pub limit: usize,
    /// Messages that were lost for want of memory, counted for each match.
    pub lost: u64,
}

impl MemoryView {
    /// What all of it takes.
    pub fn all(&self) -> usize {
        self.waiting + self.outputs + self.tables + self.last_values + self.others
    }
}

/// A read-only view of a client.
#[derive(Clone, Copy, Debug)]
pub struct ClientView<'a> {
    /// Its number.
    pub id: ClientId,
    /// Its options and name.
    pub options: &'a ClientOptions,
    /// Of all its matches, also ended ones.
    pub ledger: Ledger,
    /// Of its ended matches.
    pub retired: Ledger,
    /// Subscriptions.
    pub subscriptions: usize,
    /// Messages in its queue. Waiting updates are in the ledger besides.
    pub queued_messages: usize,
    /// Bytes that wait.
    pub queued_bytes: usize,
    /// Bytes of unsent output.
    pub output_bytes: usize,
    /// When the next message of its queue, or of the updates that wait for the client, was published.
    pub oldest_waiting: Option<u64>,
    /// For a client with credit: conflated updates that were sent and not taken, and their bound.
    pub under_way: Option<(u64, u64)>,
    /// Whether it is closing.
    pub is_closing: bool,
}

/// A read-only view of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchView<'a> {
    /// The client's number of the subscription.
    pub subscription: u32,
    /// The pattern of the subscription.
    pub pattern: &'a str,
    /// The topic.
    pub topic: TopicId,
    /// Its name.
    pub name: &'a str,
    /// What became of published messages.
    pub ledger: Ledger,
}

/// A read-only view of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionView<'a> {
    /// The client's number for it.
    pub number: u32,
    /// Its pattern.
    pub pattern: &'a str,
    /// Whether newer updates replace waiting ones.
    pub is_conflated: bool,
}

/// A read-only view of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicView<'a> {
    /// The topic.
    pub topic: TopicId,
    /// Its name.
    pub name: &'a str,
    /// Messages published to it.
    pub published: u64,
    /// Subscriptions that have matched it.
    pub matches: usize,
}

impl<R> Router<R> {
    /// A read-only view of the router.
    pub fn view(&self) -> View<'_, R> {
        View { router: self }
    }
}

impl<'a, R> View<'a, R> {
    /// The totals of the router.
    pub fn totals(&self) -> Totals {
        let router = self.router;
        let mut totals = Totals {
            ledger: self.gone(),
            topics: router.names.len(),
            subscriptions: router.subscriptions.len(),
            matches: router.egress.matches.matches.len(),
            memory: self.memory(),
            ..Totals::default()
        };
        for client in router.egress.clients.iter().flatten().filter(|client| !client.is_gone) {
            totals.ledger += client.ledger();
            totals.clients += 1;
            totals.queued_bytes += client.held();
            totals.output_bytes += client.port.output.len();
        }
        totals
    }

    /// The memory that the router takes.
    pub fn memory(&self) -> MemoryView {
        let router = self.router;
        MemoryView {
            waiting: router.egress.slab.bytes(),
            outputs: router.egress.ceiling.outputs,
            tables: router.tables(),
            last_values: router.last_values.memory(),
            others: router.of_others,
            limit: router.egress.limits.memory_bytes,
            lost: router.egress.ceiling.lost,
        }
    }

    /// How often renditions were made and shared, by format.
    pub fn renditions(&self) -> impl Iterator<Item = RenditionCounts> + use<'a, R> {
        let router = self.router;
        router.egress.renditions.counts()
    }

    /// How often messages were looked at for filters.
    pub fn filters(&self) -> FilterCounts {
        self.router.egress.filters.counts()
    }

    /// Topics that are known.
    pub fn topics_now(&self) -> usize {
        self.router.names.len()
    }

    /// Subscriptions of all clients.
    pub fn subscriptions_now(&self) -> usize {
        self.router.subscriptions.len()
    }

    /// Pairs of a subscription and a topic that it has matched.
    pub fn matches_now(&self) -> usize {
        self.router.egress.matches.matches.len()
    }

    /// How long messages waited before they were rendered, those that did; of conflated ones the newest, since it was
    /// published.
    pub fn waits(&self) -> &'a Histogram {
        &self.router.egress.waits
    }

    /// Of gone clients.
    pub fn gone(&self) -> Ledger {
        let mut ledger = self.router.gone;
        for place in &self.router.leaving {
            let client = self.router.egress.clients[*place as usize].as_ref();
            if let Some(client) = client.filter(|client| client.is_gone) {
                ledger += client.ledger();
            }
        }
        // Their waiting messages are lost, though they still exist.
        ledger.discarded += std::mem::take(&mut ledger.queued);
        ledger
    }

    /// Slots for clients; some may be free.
    pub fn client_places(&self) -> usize {
        self.router.egress.clients.len()
    }

    /// The clients in some of the slots.
    pub fn clients(
        &self,
        places: std::ops::Range<usize>,
    ) -> impl Iterator<Item = ClientView<'a>> + use<'a, R> {
        let clients = &self.router.egress.clients;
        let places = places.start.min(clients.len())..places.end.min(clients.len());
        let router = self.router;
        let clients = clients[places].iter().flatten().filter(|client| !client.is_gone);
        clients.map(move |client| of_client(router, client))
    }

    /// A connected client.
    pub fn client(&self, client: ClientId) -> Option<ClientView<'a>> {
        self.router.egress.find(client).map(|client| of_client(self.router, client))
    }

    /// The matches of a client, by its subscriptions.
    pub fn matches(&self, client: ClientId) -> impl Iterator<Item = MatchView<'a>> + use<'a, R> {
        let router = self.router;
        let subscriptions = router.egress.find(client).map(|client| client.subscriptions.values());
        subscriptions.into_iter().flatten().flat_map(move |subscription| {
            let subscription = &router.subscriptions[*subscription];
            let matches = &router.egress.matches;
            let is_match = |matched: &u32| *matched != NONE;
            std::iter::successors(
                Some(subscription.matches.head()).filter(is_match),
                move |matched| Some(matches.matches[*matched].siblings.next).filter(is_match),
            )
            .map(move |matched| {
                let topic = TopicId(matches.matches[matched].topic);
                MatchView {
                    subscription: subscription.number,
                    pattern: &subscription.pattern,
                    topic,
                    name: router.names.name(topic),
                    ledger: matches.ledger(matched),
                }
            })
        })
    }

    /// The subscriptions of a client with this number of its own or a higher one, in the order of these numbers.
    pub fn subscriptions(
        &self,
        client: ClientId,
        number: u32,
    ) -> impl Iterator<Item = SubscriptionView<'a>> + use<'a, R> {
        let router = self.router;
        let all = router.egress.find(client).map(|it| it.subscriptions.range(number..));
        all.into_iter().flatten().map(move |(number, subscription)| {
            let it = &router.subscriptions[*subscription];
            SubscriptionView {
                number: *number,
                pattern: &it.pattern,
                is_conflated: it.is_conflated,
            }
        })
    }

    /// Slots for topics; some may be free.
    pub fn topic_places(&self) -> usize {
        self.router.topics.end()
    }

    /// The topics in some of the slots.
    pub fn topics(
        &self,
        places: std::ops::Range<usize>,
    ) -> impl Iterator<Item = TopicView<'a>> + use<'a, R> {
        let router = self.router;
        let most = router.topics.end();
        let places = places.start.min(most)..places.end.min(most);
        places.filter_map(move |place| {
            let topic = TopicId(place as u32);
            let at = router.topics.get(topic.0).filter(|at| at.is_known)?;
            let (published, matches) = (at.sequence, at.route.len());
            Some(TopicView { topic, name: router.names.name(topic), published, matches })
        })
    }
}

fn of_client<'a, R>(router: &'a Router<R>, client: &'a Client<R>) -> ClientView<'a> {
    let slab = &router.egress.slab;
    let of_queue = client.queue.front(slab).map(|front| front.kept.published);
    let ready = client.ready.head();
    let of_updates =
        (ready != NONE).then(|| slab.published(router.egress.matches.conflated[ready].waiting));
    ClientView {
        id: client.port.id,
        options: &client.options,
        ledger: client.ledger(),
        retired: client.retired,
        subscriptions: client.subscriptions.len(),
        queued_messages: client.in_queue(),
        queued_bytes: client.held(),
        output_bytes: client.port.output.len(),
        oldest_waiting: of_queue.into_iter().chain(of_updates).min(),
        under_way: client.credit.as_ref().map(|it| (it.under_way(), it.bound())),
        is_closing: client.closing.is_some(),
    }
}
