//! The slow twin of the router. Everything is a list that is searched; the rules are those of the
//! documentation, one after the other.

mod subscriptions;

use std::collections::{BTreeMap, BTreeSet};

use trunkline_router::{ClientId, ClientOptions, Envelope, Ledger};

/// What becomes of a message that finds the queue full.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Policy {
    Oldest,
    Newest,
    Close,
}

/// A subscription's number, a topic's name, and what became of what was published.
pub(crate) type MatchLedger = (u32, String, Ledger);

/// What became of a message of a match that the client has not seen yet.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Waits,
    LostAt(u64),
    /// Lost, and told with the record behind it, which was queued after the loss.
    LostBefore(u64),
}

#[derive(Default)]
struct Match {
    /// Messages that were not delivered nor elided, in the order of their sequences.
    pending: Vec<(u64, Fate)>,
    ledger: Ledger,
    is_announced: bool,
    replaced: u64,
    /// Until when it cools, and its place among those that cool until then.
    cools: Option<(u64, u64)>,
}

impl Match {
    fn waits(&self) -> bool {
        self.pending.iter().any(|(_, fate)| *fate == Fate::Waits)
    }

    fn has_gap(&self) -> bool {
        matches!(self.pending.first(), Some((_, Fate::LostAt(_))))
    }

    /// Whether something was lost after what waits.
    fn has_gap_behind(&self) -> bool {
        self.waits() && matches!(self.pending.last(), Some((_, Fate::LostAt(_))))
    }
}

/// A subscription and a topic.
type Key = (usize, usize);

struct Stored {
    matched: Option<Key>,
    sequence: u64,
    published: u64,
    size: usize,
    request: Option<(u32, u64)>,
    format: u16,
    payload: String,
}

struct Rate {
    per_second: u128,
    burst: u128,
    /// Nanoseconds times the rate.
    filled: u128,
}

impl Rate {
    fn new(per_second: u64, evenly: bool) -> Self {
        let cost = if evenly { 1_000_000_000_u64.div_ceil(per_second) } else { 0 };
        let burst = u128::from(10_000_000_u64.saturating_sub(cost));
        Self { per_second: per_second.into(), burst, filled: 0 }
    }

    fn ready_at(&self) -> u64 {
        u64::try_from((self.filled / self.per_second).saturating_sub(self.burst)).expect("soon")
    }

    fn spend(&mut self, now: u64, units: usize) {
        let now = u128::from(now);
        if self.filled / self.per_second < now {
            self.filled = now * self.per_second;
        }
        self.filled += units as u128 * 1_000_000_000;
    }
}

struct Client {
    id: ClientId,
    options: ClientOptions,
    policy: Policy,
    rates: [Option<Rate>; 2],
    output: String,
    control: usize,
    has_grown: bool,
    closing: Option<String>,
    queue: Vec<Stored>,
    /// One for each match that conflates and has one.
    updates: Vec<Stored>,
    ready: Vec<Key>,
    gaps: Vec<Key>,
    is_turn_of_ready: bool,
    most_bytes: usize,
}

struct Subscription {
    client: ClientId,
    number: u32,
    pattern: String,
    conflates: bool,
    interval: Option<u64>,
    /// Rises from one to the next that is made.
    serial: u64,
    /// It counts no more, gets no topics that it does not have, and ends with the next turn.
    is_rejected: bool,
    /// Topics whose messages go to it.
    topics: BTreeSet<usize>,
    /// Topics in the order in which they were first published.
    order: Vec<usize>,
    matches: BTreeMap<usize, Match>,
}

struct Topic {
    name: String,
    sequence: u64,
    /// The model's when it was last settled who gets its messages.
    epoch: u64,
}

pub(crate) struct Model {
    output_bytes: usize,
    /// How many subscriptions of a client may match one topic.
    overlaps: usize,
    topics: Vec<Topic>,
    /// Rises with each subscription by a pattern.
    epoch: u64,
    last_serial: u64,
    /// Serial numbers of subscriptions that are rejected.
    rejected: Vec<u64>,
    /// Subscriptions that were ended because they were rejected.
    told: Vec<(ClientId, u32)>,
    clients: Vec<Client>,
    /// By the router's number; numbers are used again, the last that came free first.
    subscriptions: Vec<Option<Subscription>>,
    free: Vec<usize>,
    cooled: u64,
    /// Clients that are to be disconnected and have subscriptions still.
    closed: Vec<ClientId>,
}

fn rates(options: &ClientOptions) -> [Option<Rate>; 2] {
    let messages = options.messages_per_second.map(|rate| Rate::new(rate.get().into(), true));
    [messages, options.bytes_per_second.map(|rate| Rate::new(rate.get(), false))]
}

impl Model {
    pub(crate) fn new(output_bytes: usize, overlaps: usize, topics: &[&str]) -> Self {
        let topic = |name: &&str| Topic { name: (*name).to_owned(), sequence: 0, epoch: 0 };
        Self {
            output_bytes,
            overlaps,
            topics: topics.iter().map(topic).collect(),
            epoch: 1,
            last_serial: 0,
            rejected: Vec::new(),
            told: Vec::new(),
            clients: Vec::new(),
            subscriptions: Vec::new(),
            free: Vec::new(),
            cooled: 0,
            closed: Vec::new(),
        }
    }

    fn place(&self, id: ClientId) -> usize {
        self.clients.iter().position(|client| client.id == id).expect("it is connected")
    }

    fn matched(&mut self, key: Key) -> &mut Match {
        let subscription = self.subscriptions[key.0].as_mut().expect("it is there");
        if !subscription.order.contains(&key.1) {
            subscription.order.push(key.1);
        }
        subscription.matches.entry(key.1).or_default()
    }

    pub(crate) fn connect(&mut self, id: ClientId, options: &ClientOptions, policy: Policy) {
        self.clients.push(Client {
            id,
            options: options.clone(),
            policy,
            rates: rates(options),
            output: String::new(),
            control: 0,
            has_grown: false,
            closing: None,
            queue: Vec::new(),
            updates: Vec::new(),
            ready: Vec::new(),
            gaps: Vec::new(),
            is_turn_of_ready: false,
            most_bytes: 0,
        });
    }

    pub(crate) fn set_options(
        &mut self,
        now: u64,
        id: ClientId,
        options: &ClientOptions,
        policy: Policy,
    ) {
        let place = self.place(id);
        let client = &mut self.clients[place];
        let caps =
            |options: &ClientOptions| (options.messages_per_second, options.bytes_per_second);
        if caps(&client.options) != caps(options) {
            client.rates = rates(options);
        }
        (client.options, client.policy) = (options.clone(), policy);
        if policy == Policy::Oldest {
            self.make_room(now, place, 0, 0, None);
        }
        let client = &mut self.clients[place];
        client.most_bytes = queued_bytes(client);
        self.refill(now, place);
    }

    pub(crate) fn disconnect(&mut self, id: ClientId) {
        let place = self.place(id);
        self.end_all(id);
        self.clients.remove(place);
    }

    /// In the order of the client's numbers.
    fn end_all(&mut self, id: ClientId) {
        let mut numbers: Vec<(u32, usize)> = Vec::new();
        for (slot, subscription) in self.subscriptions.iter().enumerate() {
            if let Some(subscription) = subscription.as_ref().filter(|it| it.client == id) {
                numbers.push((subscription.number, slot));
            }
        }
        numbers.sort_unstable();
        for (_, slot) in numbers {
            self.end(slot);
        }
    }

    fn end(&mut self, slot: usize) {
        let subscription = self.subscriptions[slot].take().expect("it is there");
        self.free.push(slot);
        let place = self.place(subscription.client);
        let client = &mut self.clients[place];
        for stored in &mut client.queue {
            stored.matched = stored.matched.filter(|key| key.0 != slot);
        }
        if client.queue.iter().all(|stored| stored.matched.is_none()) {
            client.queue.clear();
        }
        client.updates.retain(|stored| stored.matched.is_some_and(|key| key.0 != slot));
        client.ready.retain(|key| key.0 != slot);
        client.gaps.retain(|key| key.0 != slot);
    }

    pub(crate) fn control(&mut self, id: ClientId, text: &str) -> bool {
        let most = self.output_bytes * 4;
        let place = self.place(id);
        let client = &mut self.clients[place];
        if client.closing.is_some() {
            return false;
        }
        if client.control > most {
            self.close(place, "the client asks, and does not read the answers");
            self.closed.clear();
            self.end_all(id);
            return false;
        }
        client.output += text;
        client.control += text.len();
        client.has_grown = true;
        true
    }

    pub(crate) fn sent(&mut self, now: u64, id: ClientId, bytes: usize) {
        let place = self.place(id);
        let client = &mut self.clients[place];
        client.output.drain(..bytes);
        client.control = client.control.saturating_sub(bytes);
        if client.output.is_empty() {
            client.control = 0;
        }
        self.refill(now, place);
    }

    pub(crate) fn publish(&mut self, now: u64, topic: usize, envelope: &Envelope<'_>) -> usize {
        self.settle(topic);
        self.topics[topic].sequence += 1;
        let sequence = self.topics[topic].sequence;
        let mut taken = 0;
        let mut slots: Vec<usize> = (0..self.subscriptions.len()).collect();
        // By client, and then by the client's own numbers.
        slots.sort_by_key(|slot| {
            self.subscriptions[*slot].as_ref().map(|it| (it.client.index, it.number))
        });
        for slot in slots {
            let Some(subscription) = &self.subscriptions[slot] else { continue };
            if subscription.topics.contains(&topic) {
                let place = self.place(subscription.client);
                taken += usize::from(self.offer(now, (slot, topic), sequence, envelope));
                self.refill(now, place);
            }
        }
        while let Some(id) = self.closed.pop() {
            self.end_all(id);
        }
        taken
    }

    fn offer(&mut self, now: u64, key: Key, sequence: u64, envelope: &Envelope<'_>) -> bool {
        let subscription = self.subscriptions[key.0].as_ref().expect("it is there");
        let (conflates, id) = (subscription.conflates, subscription.client);
        let place = self.place(id);
        self.matched(key).ledger.published += 1;
        if self.clients[place].closing.is_some() {
            self.matched(key).ledger.discarded += 1;
            return false;
        }
        let request = envelope.request.map(|it| (it.client.index, it.correlation));
        let mut stored = Stored {
            matched: Some(key),
            sequence,
            published: now,
            size: envelope.payload.len() + if conflates { 40 } else { 32 },
            request,
            format: envelope.format,
            payload: String::from_utf8_lossy(envelope.payload).into_owned(),
        };
        if conflates {
            return self.offer_update(now, place, key, stored);
        }
        let client = &self.clients[place];
        let nothing_waits =
            client.queue.is_empty() && client.ready.is_empty() && client.gaps.is_empty();
        if nothing_waits && self.has_room(now, place, self.output_bytes) {
            self.deliver(now, place, &stored);
            return true;
        }
        stored.size += if request.is_some() { 16 } else { 0 };
        let with_gap = stored.size + if self.matched(key).has_gap_behind() { 40 } else { 0 };
        if !self.find_room(now, place, with_gap, 1, key, sequence, None) {
            return false;
        }
        stored.size += if self.matched(key).has_gap_behind() { 40 } else { 0 };
        self.clients[place].queue.push(stored);
        self.wait(key, sequence);
        true
    }

    fn wait(&mut self, key: Key, sequence: u64) {
        let matched = self.matched(key);
        if matched.waits() {
            for (_, fate) in matched.pending.iter_mut().rev() {
                match *fate {
                    Fate::LostAt(time) => *fate = Fate::LostBefore(time),
                    _ => break,
                }
            }
        }
        matched.pending.push((sequence, Fate::Waits));
        matched.ledger.queued += 1;
    }

    fn offer_update(&mut self, now: u64, place: usize, key: Key, stored: Stored) -> bool {
        let client = &self.clients[place];
        let sequence = stored.sequence;
        if let Some(old) = client.updates.iter().position(|update| update.matched == Some(key)) {
            let more = stored.size.saturating_sub(client.updates[old].size);
            if !self.find_room(now, place, more, 0, key, sequence, Some(key)) {
                return false;
            }
            let updates = &mut self.clients[place].updates;
            let old = updates.iter().position(|update| update.matched == Some(key));
            updates[old.expect("it was kept")] = stored;
            let matched = self.matched(key);
            matched.pending.retain(|(_, fate)| *fate != Fate::Waits);
            matched.pending.push((sequence, Fate::Waits));
            matched.ledger.elided += 1;
            matched.replaced += 1;
            self.list_gap(place, key);
            return true;
        }
        let nothing_waits =
            client.queue.is_empty() && client.ready.is_empty() && client.gaps.is_empty();
        let cools = self.matched(key).cools.is_some();
        if !cools && nothing_waits && self.has_room(now, place, self.update_mark()) {
            self.deliver(now, place, &stored);
            return true;
        }
        if !self.find_room(now, place, stored.size, 0, key, sequence, None) {
            return false;
        }
        self.clients[place].updates.push(stored);
        self.wait(key, sequence);
        if !cools {
            self.clients[place].ready.push(key);
        }
        true
    }

    fn update_mark(&self) -> usize {
        self.output_bytes.min(16 << 10)
    }

    fn has_room(&self, now: u64, place: usize, most: usize) -> bool {
        let client = &self.clients[place];
        client.output.len() < most && client.rates.iter().flatten().all(|it| it.ready_at() <= now)
    }

    /// Makes room, or loses the message.
    #[expect(clippy::too_many_arguments, reason = "all of it is the message")]
    fn find_room(
        &mut self,
        now: u64,
        place: usize,
        bytes: usize,
        messages: usize,
        key: Key,
        sequence: u64,
        keep: Option<Key>,
    ) -> bool {
        let room = self.make_room(now, place, bytes, messages, keep);
        if room != Some(true) {
            let matched = self.matched(key);
            matched.ledger.discarded += 1;
            matched.pending.push((sequence, Fate::LostAt(now)));
            self.list_gap(place, key);
        }
        if room.is_none() {
            self.close(place, "the queue is full: the client reads too slowly");
        }
        room == Some(true)
    }

    /// Whether there is room; nothing, if the client is to be disconnected.
    fn make_room(
        &mut self,
        now: u64,
        place: usize,
        bytes: usize,
        messages: usize,
        keep: Option<Key>,
    ) -> Option<bool> {
        loop {
            let client = &mut self.clients[place];
            let (most_bytes, most) = (client.options.queue_bytes, client.options.queue_messages);
            let queued = client.queue.iter().filter(|stored| stored.matched.is_some()).count();
            if queued_bytes(client) + bytes <= most_bytes && queued + messages <= most {
                return Some(true);
            }
            if queued < client.queue.len() {
                // Matches that are gone take no room from others.
                client.queue.retain(|stored| stored.matched.is_some());
                continue;
            }
            if client.policy == Policy::Close {
                return None;
            }
            if client.policy == Policy::Newest || bytes > most_bytes || messages > most {
                return Some(false);
            }
            let lost = if client.queue.is_empty() {
                let key = client.ready.iter().find(|key| Some(**key) != keep).copied();
                let Some(key) = key else { return Some(false) };
                client.ready.retain(|it| *it != key);
                let at = client.updates.iter().position(|update| update.matched == Some(key));
                client.updates.remove(at.expect("it waits"))
            } else {
                client.queue.remove(0)
            };
            let Some(key) = lost.matched else { continue };
            let matched = self.matched(key);
            matched.ledger.queued -= 1;
            matched.ledger.discarded += 1;
            for (sequence, fate) in &mut matched.pending {
                match *fate {
                    Fate::LostBefore(time) if *sequence < lost.sequence => {
                        *fate = Fate::LostAt(time);
                    }
                    Fate::Waits if *sequence == lost.sequence => *fate = Fate::LostAt(now),
                    _ => {}
                }
            }
            self.list_gap(place, key);
        }
    }

    /// Keeps the list of matches that have a gap to tell.
    fn list_gap(&mut self, place: usize, key: Key) {
        let has_gap = self.matched(key).has_gap();
        let gaps = &mut self.clients[place].gaps;
        if !has_gap {
            gaps.retain(|it| *it != key);
        } else if !gaps.contains(&key) {
            gaps.push(key);
        }
    }

    fn close(&mut self, place: usize, reason: &str) {
        let client = &mut self.clients[place];
        if client.closing.is_none() {
            client.closing = Some(reason.to_owned());
            self.closed.push(client.id);
            client.output += &format!("closing: {reason}\n");
            client.has_grown = true;
        }
    }

    fn announce(&mut self, place: usize, key: Key) {
        if !std::mem::replace(&mut self.matched(key).is_announced, true) {
            let name = &self.topics[key.1].name;
            self.clients[place].output += &format!("topic {} {name}\n", key.1);
        }
    }

    fn tell_gap(&mut self, now: u64, place: usize, key: Key, comes_with_record: bool) {
        let matched = self.matched(key);
        let lost: Vec<(u64, u64)> = matched
            .pending
            .iter()
            .map_while(|(sequence, fate)| match fate {
                Fate::LostAt(time) => Some((*sequence, *time)),
                Fate::LostBefore(time) if comes_with_record => Some((*sequence, *time)),
                _ => None,
            })
            .collect();
        let (Some(first), Some(last)) = (lost.first(), lost.last()) else { return };
        matched.pending.drain(..lost.len());
        let since = lost.iter().map(|(_, time)| *time).min().expect("one is lost");
        let (count, age) = (lost.len(), now - since);
        let (first, last) = (first.0, last.0);
        self.announce(place, key);
        let (name, number) = (self.topics[key.1].name.clone(), self.number(key));
        let client = &mut self.clients[place];
        client.output += &format!("{number} {name} lost {count}: {first}-{last} age {age}\n");
        client.has_grown = true;
        self.list_gap(place, key);
    }

    fn number(&self, key: Key) -> u32 {
        self.subscriptions[key.0].as_ref().expect("it is there").number
    }

    fn deliver(&mut self, now: u64, place: usize, stored: &Stored) {
        let key = stored.matched.expect("it is there");
        self.tell_gap(now, place, key, true);
        let before = self.clients[place].output.len();
        self.announce(place, key);
        let (name, number) = (self.topics[key.1].name.clone(), self.number(key));
        let subscription = self.subscriptions[key.0].as_ref().expect("it is there");
        let (conflates, interval) = (subscription.conflates, subscription.interval);
        let mut line = format!("{number} {name}#{}", stored.sequence);
        self.cooled += 1;
        let cooled = self.cooled;
        let matched = self.matched(key);
        matched.ledger.delivered += 1;
        matched.pending.retain(|(sequence, _)| *sequence != stored.sequence);
        if conflates {
            let (replaced, age) = (std::mem::take(&mut matched.replaced), now - stored.published);
            line += &format!(" replaced {replaced} age {age}");
            matched.cools = interval.map(|interval| (now + interval, cooled));
        }
        if let Some((client, correlation)) = stored.request {
            line += &format!(" for {client} {correlation}");
        }
        if stored.format != 0 {
            line += &format!(" format {}", stored.format);
        }
        let client = &mut self.clients[place];
        client.output += &format!("{line} {}\n", stored.payload);
        client.has_grown = true;
        let bytes = client.output.len() - before;
        for (rate, units) in client.rates.iter_mut().zip([1, bytes]) {
            if let Some(rate) = rate {
                rate.spend(now, units);
            }
        }
        self.list_gap(place, key);
    }

    fn deliver_update(&mut self, now: u64, place: usize, key: Key) {
        let client = &mut self.clients[place];
        client.ready.retain(|it| *it != key);
        let at = client.updates.iter().position(|update| update.matched == Some(key));
        let update = client.updates.remove(at.expect("it waits"));
        self.matched(key).ledger.queued -= 1;
        self.deliver(now, place, &update);
    }

    fn refill(&mut self, now: u64, place: usize) {
        loop {
            let client = &mut self.clients[place];
            let (has_ready, has_records) = (!client.ready.is_empty(), !client.queue.is_empty());
            let waits = has_ready || has_records || !client.gaps.is_empty();
            let most = if has_ready { self.update_mark() } else { self.output_bytes };
            if !waits || self.clients[place].closing.is_some() || !self.has_room(now, place, most) {
                return;
            }
            let client = &mut self.clients[place];
            let both = has_ready && has_records;
            let takes_ready = has_ready && (!both || client.is_turn_of_ready);
            client.is_turn_of_ready = both && !takes_ready;
            if let Some(key) = client.gaps.first().copied() {
                self.tell_gap(now, place, key, false);
            }
            if takes_ready {
                let key = self.clients[place].ready[0];
                self.deliver_update(now, place, key);
                continue;
            }
            while let Some(stored) = take_first(&mut self.clients[place].queue) {
                if let Some(key) = stored.matched {
                    self.matched(key).ledger.queued -= 1;
                    self.deliver(now, place, &stored);
                    break;
                }
            }
        }
    }

    /// When something is due that is not due yet.
    pub(crate) fn next_deadline(&self, now: u64) -> Option<u64> {
        let matches = self.subscriptions.iter().flatten().flat_map(|it| it.matches.values());
        let cooling = matches.filter_map(|matched| matched.cools).map(|(due, _)| due);
        let waits =
            |it: &&Client| !it.queue.is_empty() || !it.ready.is_empty() || !it.gaps.is_empty();
        let paced = self
            .clients
            .iter()
            .filter(waits)
            .filter_map(|client| client.rates.iter().flatten().map(Rate::ready_at).max());
        cooling.chain(paced).filter(|time| *time > now).min()
    }

    pub(crate) fn advance(&mut self, now: u64) {
        let mut due: Vec<((u64, u64), Key)> = Vec::new();
        for (slot, subscription) in self.subscriptions.iter().enumerate() {
            for (topic, matched) in subscription.iter().flat_map(|it| &it.matches) {
                due.extend(
                    matched.cools.filter(|(due, _)| *due <= now).map(|it| (it, (slot, *topic))),
                );
            }
        }
        due.sort_unstable();
        for ((due, _), key) in due {
            let matched = self.matched(key);
            matched.cools = None;
            if !matched.waits() {
                continue;
            }
            let id = self.subscriptions[key.0].as_ref().expect("it is there").client;
            let place = self.place(id);
            let client = &self.clients[place];
            let nothing_waits =
                client.queue.is_empty() && client.ready.is_empty() && client.gaps.is_empty();
            if nothing_waits && self.has_room(now, place, self.update_mark()) {
                self.deliver_update(now, place, key);
                // What is a quarter of its interval late at most counts as in time.
                if let Some((ends, _)) = &mut self.matched(key).cools
                    && now - due <= (*ends - now) / 4
                {
                    *ends -= now - due;
                }
            } else {
                self.clients[place].ready.push(key);
            }
            self.refill(now, place);
        }
        for place in 0..self.clients.len() {
            if self.clients[place].rates.iter().any(Option::is_some) {
                self.refill(now, place);
            }
        }
        self.end_rejected(now);
    }

    /// Clients that have gained output since this was asked last.
    pub(crate) fn grown(&mut self) -> BTreeSet<ClientId> {
        let grown = self
            .clients
            .iter_mut()
            .filter_map(|client| std::mem::take(&mut client.has_grown).then_some(client.id));
        grown.collect()
    }

    pub(crate) fn output(&self, id: ClientId) -> &str {
        &self.clients[self.place(id)].output
    }

    pub(crate) fn closing(&self, id: ClientId) -> Option<&str> {
        self.clients[self.place(id)].closing.as_deref()
    }

    pub(crate) fn queued_bytes(&self, id: ClientId) -> usize {
        queued_bytes(&self.clients[self.place(id)])
    }

    /// What waited when the options changed, which may be more than the new options allow.
    pub(crate) fn most_bytes(&self, id: ClientId) -> usize {
        self.clients[self.place(id)].most_bytes
    }

    /// By the client's numbers of subscriptions, and then by when a topic was first matched.
    pub(crate) fn matches(&self, id: ClientId) -> Vec<MatchLedger> {
        let subscriptions = self.subscriptions.iter().flatten();
        let mut own: Vec<&Subscription> = subscriptions.filter(|it| it.client == id).collect();
        own.sort_unstable_by_key(|it| it.number);
        let matches = own.into_iter().flat_map(|it| {
            it.order.iter().map(|topic| {
                (it.number, self.topics[*topic].name.clone(), it.matches[topic].ledger)
            })
        });
        matches.collect()
    }
}

fn queued_bytes(client: &Client) -> usize {
    client.queue.iter().chain(&client.updates).map(|stored| stored.size).sum()
}

fn take_first<T>(items: &mut Vec<T>) -> Option<T> {
    if items.is_empty() { None } else { Some(items.remove(0)) }
}
