//! A snapshot in the making: a part of it in each turn, so that no turn is long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use trunkline_native::format;
use trunkline_router::{
    ClientId, ClientView, FilterCounts, LastValueTotals, Ledger, RenditionCounts, TopicView,
};
use trunkline_session::router::{converts_to, rendition_name};
use trunkline_store::{DurableView, Store};

use super::{Connection, Engine, Storage};
use crate::snapshot::{
    ClientStatus, ConversionStatus, Counts, DurableStatus, FilterStatus, JournalStatus,
    LastValueCounts, MemoryStatus, RenditionStatus, Snapshot, SnapshotRequest, TopicStatus,
};

/// Clients looked at in a turn.
const CLIENTS: usize = 256;

/// Topics looked at in a turn.
const TOPICS: usize = 1024;

/// How far a snapshot has come.
#[derive(Debug)]
pub(super) struct Survey {
    request: SnapshotRequest,
    snapshot: Snapshot,
    stage: Stage,
    /// The next place that is looked at.
    place: usize,
    ledger: Ledger,
    /// For the clients seen so far: their losses, their queued messages, and their numbers.
    clients: BinaryHeap<Reverse<(u64, u64, u64)>>,
    /// Messages and places of topics.
    topics: BinaryHeap<Reverse<(u64, usize)>>,
    /// Clients to list, the last first.
    listed: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Counting,
    Listing,
    Topics,
}

impl Engine {
    /// Begins a snapshot; one that is under way is given up.
    pub fn begin_snapshot(&mut self, request: SnapshotRequest) {
        let mut snapshot =
            Snapshot { version: env!("CARGO_PKG_VERSION").to_owned(), ..Snapshot::default() };
        let gone = &self.state.gone;
        snapshot.totals.messages = gone.published;
        snapshot.totals.gaps = gone.gaps;
        snapshot.totals.discarded_with_client = gone.left;
        self.survey = Some(Box::new(Survey {
            request,
            snapshot,
            stage: Stage::Counting,
            place: 0,
            ledger: self.router.view().gone(),
            clients: BinaryHeap::new(),
            topics: BinaryHeap::new(),
            listed: Vec::new(),
        }));
    }

    /// True while a snapshot is in the making.
    pub fn is_in_survey(&self) -> bool {
        self.survey.is_some()
    }

    /// Goes on with the snapshot for about 100 us; gives it when it is whole. `under_way` says how many bytes are
    /// between the router and a client at least, of some clients each time.
    pub fn continue_snapshot(
        &mut self,
        now: u64,
        under_way: impl FnMut(ClientId) -> u64,
    ) -> Option<Snapshot> {
        let mut survey = self.survey.take()?;
        let is_whole = match survey.stage {
            Stage::Counting => self.count(&mut survey),
            Stage::Listing => self.list(now, &mut survey, under_way),
            Stage::Topics => self.choose_topics(&mut survey),
        };
        if !is_whole {
            self.survey = Some(survey);
            return None;
        }
        self.finish(now, &mut survey);
        Some(survey.snapshot)
    }

    /// A whole snapshot at once, however long it takes, and without what only the streams know.
    pub fn snapshot(&mut self, now: u64, request: SnapshotRequest) -> Snapshot {
        self.begin_snapshot(request);
        loop {
            if let Some(snapshot) = self.continue_snapshot(now, |_| 0) {
                return snapshot;
            }
        }
    }

    /// A client leaves that the snapshot under way has not counted yet.
    pub(super) fn count_leaving(&mut self, connection: &Connection, gaps: u64, ledger: Ledger) {
        if let Some(survey) = &mut self.survey
            && survey.stage == Stage::Counting
            && connection.client_session.id.index as usize >= survey.place
        {
            survey.ledger += ledger;
            survey.snapshot.totals.messages += connection.client_session.published;
            survey.snapshot.totals.gaps += gaps;
        }
    }

    fn count(&mut self, survey: &mut Survey) -> bool {
        let places = survey.place..(survey.place + CLIENTS).min(self.connections.len());
        survey.place = places.end;
        for at in places {
            let Some(connection) = &self.connections[at] else { continue };
            let client_session = &connection.client_session;
            let Some(client) = self.router.view().client(client_session.id) else { continue };
            let totals = &mut survey.snapshot.totals;
            totals.clients_now += 1;
            totals.messages += client_session.published;
            totals.queued_bytes_now += client.queued_bytes as u64;
            survey.ledger += client.ledger;
            let key =
                (client.ledger.discarded, client.queued_bytes as u64, client_session.id.as_u64());
            keep(&mut survey.clients, key, survey.request.clients);
            totals.gaps +=
                self.router.renderer(client_session.id).map_or(0, |output| output.losses.gaps);
        }
        if survey.place >= self.connections.len() {
            survey.stage = Stage::Listing;
            let clients = std::mem::take(&mut survey.clients).into_sorted_vec();
            survey.listed = clients.into_iter().rev().map(|Reverse((.., id))| id).collect();
        }
        false
    }

    fn list(
        &mut self,
        now: u64,
        survey: &mut Survey,
        mut under_way: impl FnMut(ClientId) -> u64,
    ) -> bool {
        for _ in 0..CLIENTS {
            let Some(id) = survey.listed.pop() else {
                survey.stage = Stage::Topics;
                survey.place = 0;
                return false;
            };
            let id = ClientId::from_u64(id);
            if let Some(mut client) = self.client_status(now, id) {
                client.under_way_bytes_at_least = under_way(id);
                survey.snapshot.clients.push(client);
            }
        }
        false
    }

    pub(super) fn client_status(&mut self, now: u64, id: ClientId) -> Option<ClientStatus> {
        let gaps = self.router.renderer(id)?.losses.gaps;
        let client: ClientView<'_> = self.router.view().client(id)?;
        let connection = self.connections.get(id.index as usize)?.as_ref()?;
        let client_session =
            Some(&connection.client_session).filter(|client_session| client_session.id == id)?;
        Some(ClientStatus {
            id: id.as_u64(),
            name: client_session.name.clone(),
            address: client_session.peer.address.clone(),
            profile: client_session.profile(),
            connected_ns: now.saturating_sub(client_session.since),
            subscriptions: client.subscriptions as u64,
            messages: client_session.published,
            received_bytes: client_session.bytes_in,
            sent_bytes: client_session.bytes_out,
            ledger: counts(client.ledger),
            queued_bytes: client.queued_bytes as u64,
            oldest_ns: client.oldest_waiting.map_or(0, |at| now.saturating_sub(at)),
            gaps,
            has_credit: client.under_way.is_some(),
            under_way: client.under_way.map_or(0, |(messages, _)| messages),
            under_way_bytes_at_least: 0,
        })
    }

    fn choose_topics(&mut self, survey: &mut Survey) -> bool {
        let view = self.router.view();
        let places = survey.place..(survey.place + TOPICS).min(view.topic_places());
        survey.place = places.end;
        if survey.request.topics > 0 {
            for topic in view.topics(places).filter(|topic| topic.published > 0) {
                let key = (topic.published, topic.topic.0 as usize);
                keep(&mut survey.topics, key, survey.request.topics);
            }
        }
        survey.request.topics == 0 || survey.place >= view.topic_places()
    }

    fn finish(&mut self, now: u64, survey: &mut Survey) {
        let view = self.router.view();
        let topics = std::mem::take(&mut survey.topics).into_sorted_vec();
        let snapshot = &mut survey.snapshot;
        for Reverse((_, place)) in topics {
            snapshot.topics.extend(view.topics(place..place + 1).map(|it| topic_status(&it)));
        }
        let state = &self.state.totals;
        let totals = &mut snapshot.totals;
        totals.topics_now = view.topics_now() as u64;
        totals.subscriptions_now = view.subscriptions_now() as u64;
        totals.matches_now = view.matches_now() as u64;
        totals.last_values = last_values(self.router.last_value_totals());
        let memory = view.memory();
        totals.memory = MemoryStatus {
            waiting_now: memory.waiting as u64,
            outputs_now: memory.outputs as u64,
            tables_now: memory.tables as u64,
            last_values_now: memory.last_values as u64,
            others_now: memory.others as u64,
            limit: if memory.limit == usize::MAX { 0 } else { memory.limit as u64 },
        };
        totals.discarded_for_memory = memory.lost;
        totals.renditions = view.renditions().filter_map(rendition_status).collect();
        let preparing = self.storage.deferred.preparing();
        totals.conversions = conversions(view.renditions().chain(preparing.conversions()));
        totals.filters = filters(view.filters(), preparing.filters());
        totals.connections = state.connected;
        totals.received_bytes = state.bytes_in;
        totals.sent_bytes = state.bytes_out;
        totals.requests = state.requests;
        totals.replies = state.replies;
        totals.rejections = state.rejections;
        totals.ledger = counts(survey.ledger);
        snapshot.now_ns = now;
        snapshot.journal = journal(&self.storage);
        snapshot.durables = durables(&self.storage.store, survey.request.clients);
    }
}

fn journal(storage: &Storage) -> JournalStatus {
    let (journal, counts) = (storage.store.journal(), storage.store.counts());
    let shortage = storage.shortage.as_ref().map(|it| &*it.why);
    let trouble = journal.failure().or(shortage).unwrap_or_default();
    JournalStatus {
        is_on_disk: journal.is_on_disk(),
        position: journal.last(),
        durable: journal.durable(),
        bytes_now: journal.bytes(),
        pending_bytes_now: if journal.is_on_disk() { journal.pending() as u64 } else { 0 },
        stored: counts.stored,
        repeated: counts.repeated,
        rejected: counts.rejected,
        acknowledged: counts.acknowledged,
        commits: counts.commits,
        trouble: trouble.to_owned(),
        has_failed: journal.failure().is_some(),
    }
}

/// The durable subscriptions with most waiting; of the others nothing is copied.
fn durables(store: &Store, most: usize) -> Vec<DurableStatus> {
    // A readiness check does not need them.
    if most == 0 {
        return Vec::new();
    }
    let rank = |it: &DurableView<'_>| {
        let account = &it.account;
        Reverse((it.has_stopped, account.is_behind, account.waiting + account.in_flight))
    };
    let order = |one: &DurableView<'_>, other: &DurableView<'_>| {
        rank(one).cmp(&rank(other)).then_with(|| one.name.cmp(other.name))
    };
    let mut all: Vec<DurableView<'_>> = store.durables().collect();
    if most < all.len() {
        all.select_nth_unstable_by(most, order);
        all.truncate(most);
    }
    all.sort_unstable_by(order);
    all.iter().map(durable_status).collect()
}

pub(super) fn topic_status(it: &TopicView<'_>) -> TopicStatus {
    TopicStatus {
        name: it.name.to_owned(),
        messages: it.published,
        subscriptions: it.matches as u64,
    }
}

pub(super) fn durable_status(it: &DurableView<'_>) -> DurableStatus {
    let letters = it.policy.dead_letters.as_ref();
    DurableStatus {
        name: it.name.to_owned(),
        pattern: it.pattern.to_owned(),
        consumers_now: it.consumers as u64,
        in_flight_now: it.account.in_flight,
        waiting_now: it.account.waiting,
        is_behind: it.account.is_behind,
        deliveries: it.account.deliveries,
        acknowledged: it.account.acknowledged,
        elided: it.account.elided,
        expired: it.account.expired,
        lost: it.account.lost,
        floor: it.floor,
        ranges_now: it.ranges,
        has_stopped: it.has_stopped,
        is_paused: it.is_paused,
        redelivered: it.account.redelivered,
        timed_out: it.account.timed_out,
        dead_lettered: it.account.dead_lettered,
        purged: it.account.purged,
        filtered: it.account.filtered,
        acknowledge_within_ns: it.policy.acknowledge_within,
        deliveries_limit: letters.map_or(0, |it| it.deliveries.into()),
        dead_letters: letters.map_or(String::new(), |it| it.topic.to_string()),
    }
}

/// Keeps the `most` highest.
fn keep<T: Ord>(heap: &mut BinaryHeap<Reverse<T>>, item: T, most: usize) {
    if heap.len() < most {
        heap.push(Reverse(item));
    } else if let Some(mut lowest) = heap.peek_mut()
        && lowest.0 < item
    {
        *lowest = Reverse(item);
    }
}

fn rendition_status(it: RenditionCounts) -> Option<RenditionStatus> {
    if converts_to(it.format).is_some() {
        return None;
    }
    let format = rendition_name(it.format).to_owned();
    Some(RenditionStatus { format, made: it.made, shared: it.shared })
}

/// What was converted by format, whole messages and selected fields.
fn conversions(all: impl Iterator<Item = RenditionCounts>) -> Vec<ConversionStatus> {
    let mut sums: Vec<ConversionStatus> = Vec::new();
    for it in all {
        let Some(to) = converts_to(it.format) else { continue };
        let name = to.format().map(|it| format::name(it).unwrap_or("unknown"));
        let name = name.unwrap_or("as published");
        let at = sums.iter().position(|it| it.format == name).unwrap_or_else(|| {
            sums.push(ConversionStatus { format: name.to_owned(), ..Default::default() });
            sums.len() - 1
        });
        let sum = &mut sums[at];
        sum.made += it.made;
        sum.shared += it.shared;
        sum.failed += it.failed;
        sum.pending_now += it.pending;
    }
    sums
}

/// What was decided for subscriptions and for consumers.
fn filters(one: FilterCounts, other: FilterCounts) -> FilterStatus {
    FilterStatus {
        decided: one.decided + other.decided,
        failed: one.failed + other.failed,
        pending_now: (one.pending + other.pending) as u64,
    }
}

fn last_values(it: LastValueTotals) -> LastValueCounts {
    LastValueCounts {
        values_now: it.values as u64,
        bytes_now: it.bytes as u64,
        offered: it.offered,
        dropped: it.dropped,
    }
}

fn counts(ledger: Ledger) -> Counts {
    Counts {
        published: ledger.published,
        delivered: ledger.delivered,
        elided: ledger.elided,
        discarded: ledger.discarded,
        unrendered: ledger.unrendered,
        filtered: ledger.filtered,
        queued: ledger.queued,
    }
}

/// The totals of clients that have left, besides those that the router keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DepartedTotals {
    /// Messages that they published.
    pub(crate) published: u64,
    /// Gaps that they were told of.
    pub(crate) gaps: u64,
    /// Messages that waited for them then.
    pub(crate) left: u64,
}

impl DepartedTotals {
    /// A client leaves.
    pub(super) fn add(&mut self, connection: &Connection, gaps: u64, ledger: Ledger) {
        self.published += connection.client_session.published;
        self.gaps += gaps;
        self.left += ledger.queued;
    }
}
