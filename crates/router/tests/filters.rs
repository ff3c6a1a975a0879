//! Filters: each message is looked at once for all of them, before conflation; whoever wants only some gets these in
//! their order, and every other one is in the accounts.

mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU16, NonZeroU32};

use trunkline_random::Random;
use trunkline_router::{
    ClientId, ClientOptions, DecisionId, Envelope, FilterId, Limits, Mode, Overflow,
    RenditionFormat, SubscriptionOptions,
};
use world::{CONVERSIONS, MILLISECOND, World};

/// Options of a subscription with this filter.
fn filtered(filter: u32) -> SubscriptionOptions {
    SubscriptionOptions { filter: Some(FilterId(filter)), ..SubscriptionOptions::default() }
}

/// Whether a payload, which is a number, passes a filter; or why nobody can say.
fn passes(FilterId(filter): FilterId, payload: &str) -> Result<bool, String> {
    let number: u32 = payload.parse().map_err(|_| format!("{payload} is no number"))?;
    Ok(number.is_multiple_of(filter + 2))
}

/// A decision that was taken, and what is to come of it.
struct Taken {
    id: DecisionId,
    passes: Result<Vec<bool>, String>,
    of: (String, u64),
}

fn take(world: &mut World) -> Option<Taken> {
    let it = world.router.next_decision()?;
    let distinct: BTreeSet<u32> = it.filters.iter().map(|it| it.0).collect();
    assert_eq!(distinct.len(), it.filters.len(), "each once");
    let payload = String::from_utf8_lossy(it.message.payload).into_owned();
    let passes = it.filters.iter().map(|filter| passes(*filter, &payload)).collect();
    Some(Taken { id: it.id, passes, of: (it.message.name().to_owned(), it.message.sequence) })
}

fn finish(world: &mut World, it: &Taken) {
    let passes = it.passes.as_deref().map_err(String::as_str);
    world.router.decided(world.now, it.id, passes);
}

fn decide_all(world: &mut World) -> usize {
    let mut count = 0;
    while let Some(it) = take(world) {
        finish(world, &it);
        count += 1;
    }
    count
}

fn reader(world: &mut World, options: SubscriptionOptions) -> ClientId {
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, ">", options);
    client
}

#[test]
fn a_message_is_looked_at_once_for_all_and_nobody_else_waits_for_it() {
    let mut world = World::new();
    let even: Vec<ClientId> = (0..50).map(|_| reader(&mut world, filtered(0))).collect();
    let third: Vec<ClientId> = (0..50).map(|_| reader(&mut world, filtered(1))).collect();
    let all = reader(&mut world, SubscriptionOptions::default());
    for number in 0..20 {
        assert_eq!(world.publish("a", &number.to_string()), 101);
        assert_eq!(world.receive(all), [format!("1 a#{} {number}", number + 1)]);
    }
    assert!(even.iter().chain(&third).all(|it| world.receive(*it).is_empty()));
    assert_eq!(world.router.view().totals().ledger.queued, 2_000);
    world.check_ledgers();
    assert_eq!(decide_all(&mut world), 20);
    for (clients, step) in [(&even, 2), (&third, 3)] {
        let expected: Vec<String> =
            (0..20).step_by(step).map(|it| format!("1 a#{} {it}", it + 1)).collect();
        for client in clients {
            assert_eq!(world.receive(*client), expected);
        }
    }
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.filtered, ledger.queued), (50 * 10 + 50 * 13, 0));
    let counts = world.router.view().filters();
    assert_eq!((counts.decided, counts.failed, counts.pending), (20, 0, 0));
    world.check_ledgers();
}

#[test]
fn decisions_come_in_any_order_and_messages_in_theirs() {
    let mut world = World::new();
    let client = reader(&mut world, filtered(0));
    for number in 0..6 {
        world.publish("a", &number.to_string());
    }
    let mut taken: Vec<Taken> = std::iter::from_fn(|| take(&mut world)).collect();
    taken.reverse();
    let last = taken.pop().expect("the first message");
    taken.iter().for_each(|it| finish(&mut world, it));
    assert_eq!(world.receive(client).len(), 0);
    finish(&mut world, &last);
    assert_eq!(world.receive(client), ["1 a#1 0", "1 a#3 2", "1 a#5 4"]);
}

#[test]
fn topics_take_turns() {
    let mut world = World::new();
    reader(&mut world, filtered(0));
    for _ in 0..100 {
        world.publish("busy", "1");
    }
    world.publish("quiet", "1");
    let order: Vec<String> = (0..3).filter_map(|_| take(&mut world)).map(|it| it.of.0).collect();
    assert_eq!(order, ["busy", "quiet", "busy"]);
}

#[test]
fn the_newest_that_passes_is_what_conflation_leaves() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    let options = SubscriptionOptions { updates_per_second: NonZeroU32::new(10), ..filtered(8) };
    world.subscribe_with(client, 1, ">", options);
    for number in 0..=108 {
        world.publish("a", &number.to_string());
    }
    decide_all(&mut world);
    assert_eq!(world.receive(client), ["1 a#1 replaced 0 age 0 0"]);
    world.advance(200 * MILLISECOND);
    // Of 10, 20 ... 100: those that do not pass have replaced none of them.
    assert_eq!(world.receive(client), ["1 a#101 replaced 9 age 100000000 100"]);
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.delivered, ledger.elided, ledger.filtered), (2, 9, 98));
    world.check_ledgers();
}

#[test]
fn what_nobody_can_read_is_a_gap_with_the_reason_in_its_place() {
    let mut world = World::new();
    let client = reader(&mut world, filtered(0));
    for payload in ["0", "x", "1", "2", "y", "z", "4"] {
        world.publish("a", payload);
    }
    decide_all(&mut world);
    assert_eq!(
        world.receive(client),
        [
            "1 a#1 0",
            "1 a lost 1: 2-2 age 0 because x is no number",
            "1 a#4 2",
            "1 a lost 1: 5-5 age 0 because y is no number",
            "1 a lost 1: 6-6 age 0 because z is no number",
            "1 a#7 4",
        ]
    );
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.delivered, ledger.filtered, ledger.unrendered), (3, 1, 3));
    assert_eq!(world.router.view().filters().failed, 3);
    world.check_ledgers();
}

#[test]
fn gaps_of_who_does_not_read_are_one_and_stay_in_their_place() {
    let mut world = World::with(Limits { output_bytes: 1, ..Limits::default() });
    let client = reader(&mut world, filtered(0));
    for payload in ["0", "2", "x", "x", "1", "4", "x", "y", "6"] {
        world.publish("a", payload);
    }
    decide_all(&mut world);
    assert_eq!(
        world.receive(client),
        [
            "1 a#1 0",
            "1 a#2 2",
            "1 a lost 2: 3-4 age 0 because x is no number",
            "1 a#6 4",
            "1 a lost 2: 7-8 age 0 because x is no number (one of several reasons)",
            "1 a#9 6",
        ]
    );
    world.check_ledgers();
}

#[test]
fn what_is_undecided_is_within_the_bounds_of_the_queue() {
    let mut world = World::new();
    let options = ClientOptions { queue_messages: 3, ..ClientOptions::default() };
    let client = world.connect(options);
    world.subscribe_with(client, 1, ">", filtered(0));
    for number in 0..6 {
        world.publish("a", &number.to_string());
    }
    assert_eq!(world.receive(client).len(), 0);
    world.check_ledgers();
    assert_eq!(decide_all(&mut world), 3);
    world.publish("a", "6");
    decide_all(&mut world);
    assert_eq!(world.receive(client), ["1 a#1 0", "1 a#3 2", "1 a lost 3: 4-6 age 0", "1 a#7 6"]);
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.delivered, ledger.filtered, ledger.discarded), (3, 1, 3));
    world.check_ledgers();
}

#[test]
fn a_loss_behind_what_is_undecided_comes_when_that_is_decided() {
    let mut world = World::new();
    let client = world.connect(ClientOptions { queue_messages: 1, ..ClientOptions::default() });
    world.subscribe_with(client, 1, ">", filtered(0));
    for number in ["1", "2", "4"] {
        world.publish("a", number);
    }
    decide_all(&mut world);
    assert_eq!(world.receive(client), ["1 a lost 2: 2-3 age 0"]);
    world.check_ledgers();
}

#[test]
fn a_client_that_is_to_be_disconnected_when_its_queue_is_full_is() {
    let mut world = World::new();
    let overflow = Overflow::Disconnect;
    let options = ClientOptions { queue_messages: 2, overflow, ..ClientOptions::default() };
    let client = world.connect(options);
    world.subscribe_with(client, 1, ">", filtered(0));
    for number in 0..5 {
        world.publish("a", &number.to_string());
    }
    let lines = world.receive(client);
    assert!(lines.iter().any(|it| it.starts_with("closing: the queue is full")), "{lines:?}");
    assert_eq!(decide_all(&mut world), 0, "nobody waits for them");
    world.check_ledgers();
}

#[test]
fn a_filter_stands_before_a_conversion() {
    let mut world = World::new();
    let rendition = NonZeroU16::new(CONVERSIONS + 2).map(RenditionFormat);
    let client = reader(&mut world, SubscriptionOptions { rendition, ..filtered(0) });
    for number in 0..4 {
        world.publish("a", &number.to_string());
    }
    decide_all(&mut world);
    let mut converted = 0;
    while let Some(it) = world.router.next_conversion() {
        let (id, payload) = (it.id, it.message.payload.to_vec());
        world.router.converted(world.now, id, Ok(&payload));
        converted += 1;
    }
    assert_eq!(converted, 2, "what does not pass is not converted");
    assert_eq!(world.receive(client), ["1 a#1 format 2 0", "1 a#3 format 2 2"]);
    world.check_ledgers();
}

#[test]
fn a_gap_behind_what_is_converted_comes_before_the_next_update() {
    let mut world = World::new();
    let rendition = NonZeroU16::new(CONVERSIONS + 2).map(RenditionFormat);
    let options = SubscriptionOptions { rendition, conflate: true, ..filtered(0) };
    let client = reader(&mut world, options);
    for payload in ["0", "x", "2"] {
        world.publish("a", payload);
    }
    decide_all(&mut world);
    while let Some(it) = world.router.next_conversion() {
        let (id, payload) = (it.id, it.message.payload.to_vec());
        world.router.converted(world.now, id, Ok(&payload));
    }
    assert_eq!(
        world.receive(client),
        [
            "1 a#1 replaced 0 age 0 format 2 0",
            "1 a lost 1: 2-2 age 0 because x is no number",
            "1 a#3 replaced 0 age 0 format 2 2"
        ]
    );
    world.check_ledgers();
}

#[test]
fn last_values_pass_or_do_not_and_the_end_is_told_behind_them() {
    let mut world = World::new();
    world.router.keep_last_values([">"]);
    for number in 0..100 {
        world.publish(&format!("t{number}"), &number.to_string());
    }
    let client = world.connect(ClientOptions::default());
    let options = SubscriptionOptions { last_values: true, ..filtered(8) };
    world.subscribe_with(client, 1, ">", options);
    let mut lines = Vec::new();
    for _ in 0..100 {
        let until = world.now + MILLISECOND;
        world.advance(until);
        assert!(world.router.view().filters().pending <= 16, "few wait at a time");
        decide_all(&mut world);
        lines.extend(world.receive(client));
    }
    let (values, ends): (Vec<_>, Vec<_>) = lines.iter().partition(|it| it.contains(" last age "));
    assert_eq!(values.len(), 10);
    assert!(matches!(&ends[..], [end] if *end == "1 had 100 last values"), "{ends:?}");
    assert!(values.iter().all(|it| it.ends_with('0')), "{values:?}");
    world.publish("t5", "10");
    decide_all(&mut world);
    assert_eq!(world.receive(client), ["1 t5#2 10"], "it is no last value");
    world.check_ledgers();
}

#[test]
fn filters_of_ended_subscriptions_are_told() {
    let mut world = World::new();
    let first = reader(&mut world, filtered(3));
    world.subscribe_with(first, 2, "a", filtered(4));
    world.subscribe(first, 3, "a");
    world.router.unsubscribe(world.now, first, 2).expect("it is there");
    assert_eq!(world.router.next_ended_filter(), Some((first, FilterId(4))));
    world.publish("a", "0");
    world.router.disconnect(world.now, first);
    assert_eq!(world.router.next_ended_filter(), Some((first, FilterId(3))));
    assert_eq!(world.router.next_ended_filter(), None);
    assert_eq!(decide_all(&mut world), 0);
    assert_eq!(world.router.view().filters().pending, 0);
    world.check_ledgers();
}

/// A random history, and what each client got.
struct History {
    world: World,
    random: Random,
    clients: Vec<(ClientId, BTreeMap<u32, SubscriptionOptions>)>,
    got: BTreeMap<ClientId, Vec<String>>,
    taken: Vec<Taken>,
    payloads: BTreeMap<(String, u64), String>,
    looked_at: BTreeMap<(String, u64), u32>,
    has_values: bool,
    /// Of subscriptions that were made, and have ended.
    made: usize,
    ended: usize,
}

const TOPICS: [&str; 4] = ["a", "a/b", "b", "c/d"];

impl History {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let output_bytes = random.pick(&[1, 300, 5_000, 100_000]);
        let mut world = World::with(Limits { output_bytes, ..Limits::default() });
        let has_values = seed.is_multiple_of(2);
        if has_values {
            world.router.keep_last_values([">"]);
        }
        Self {
            world,
            random,
            clients: Vec::new(),
            got: BTreeMap::new(),
            taken: Vec::new(),
            payloads: BTreeMap::new(),
            looked_at: BTreeMap::new(),
            has_values,
            made: 0,
            ended: 0,
        }
    }

    fn options(&mut self) -> SubscriptionOptions {
        let filter = self.random.below(4) as u32;
        SubscriptionOptions {
            conflate: self.random.below(3) == 0,
            updates_per_second: NonZeroU32::new(self.random.pick(&[0, 0, 0, 100, 1_000])),
            last_values: self.has_values && self.random.below(2) == 0,
            rendition: None,
            filter: filter.checked_sub(1).map(FilterId),
        }
    }

    fn step(&mut self) {
        self.world.now += self.random.pick(&[0, 1_000, MILLISECOND, 20 * MILLISECOND]);
        let now = self.world.now;
        self.world.advance(now);
        match self.random.below(20) {
            0 if self.clients.len() < 6 => self.connect(),
            1 => self.change(),
            2..9 => self.publish(),
            9..12 if !self.clients.is_empty() => {
                let at = self.random.below(self.clients.len() as u64) as usize;
                self.read(self.clients[at].0);
            }
            12..15 => self.take(),
            _ if !self.taken.is_empty() => {
                // In any order.
                let at = self.random.below(self.taken.len() as u64) as usize;
                let it = self.taken.swap_remove(at);
                finish(&mut self.world, &it);
            }
            _ => {}
        }
        while self.world.router.next_ended_filter().is_some() {
            self.ended += 1;
        }
        self.world.check_ledgers();
    }

    fn take(&mut self) {
        if let Some(it) = take(&mut self.world) {
            *self.looked_at.entry(it.of.clone()).or_default() += 1;
            self.taken.push(it);
        }
    }

    fn connect(&mut self) {
        let queue_messages = self.random.pick(&[1, 3, 1_000]);
        let messages_per_second = NonZeroU32::new(self.random.pick(&[0, 0, 500]));
        let overflow = self.random.pick(&[Overflow::DropOldest, Overflow::DropNewest]);
        let options = ClientOptions {
            queue_messages,
            messages_per_second,
            overflow,
            ..ClientOptions::default()
        };
        let client = self.world.connect(options);
        if self.random.below(3) == 0 {
            self.world.router.use_credit(client);
        }
        self.clients.push((client, BTreeMap::new()));
    }

    fn change(&mut self) {
        if self.clients.is_empty() {
            return;
        }
        let at = self.random.below(self.clients.len() as u64) as usize;
        let client = self.clients[at].0;
        match self.random.below(8) {
            0 => {
                self.world.router.disconnect(self.world.now, client);
                self.clients.remove(at);
            }
            1 => {
                if let Some((number, _)) = self.clients[at].1.pop_first() {
                    let ended = self.world.router.unsubscribe(self.world.now, client, number);
                    assert_eq!(ended, Ok(()));
                }
            }
            _ => {
                // No number is used twice, so that what comes is known by it.
                let number = (self.payloads.len() * 10 + self.clients[at].1.len()) as u32;
                if self.clients[at].1.contains_key(&number) || self.clients[at].1.len() > 3 {
                    return;
                }
                let options = self.options();
                let pattern = self.random.pick(&["a", ">", "*", "a/*", "c/>"]);
                let router = &mut self.world.router;
                if router.subscribe(self.world.now, client, number, pattern, &options).is_ok() {
                    self.clients[at].1.insert(number, options);
                    self.made += usize::from(options.filter.is_some());
                }
            }
        }
    }

    fn publish(&mut self) {
        let name = self.random.pick(&TOPICS);
        let kind = if self.random.below(5) == 0 { "bad" } else { "" };
        let payload = format!("{kind}{}", self.payloads.len());
        let topic = self.world.topic(name);
        let bytes = payload.as_bytes();
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: bytes };
        self.world.router.publish(self.world.now, topic, &envelope).expect("it is taken");
        self.world.router.release(self.world.now, topic);
        let sequence = self.payloads.keys().filter(|(topic, _)| topic == name).count() as u64 + 1;
        self.payloads.insert((name.to_owned(), sequence), payload);
    }

    fn read(&mut self, client: ClientId) {
        let lines = self.world.receive(client);
        let replaced = lines.iter().filter(|it| it.contains(" replaced ")).count() as u64;
        let got = self.got.entry(client).or_default();
        got.extend(lines);
        let before = got.iter().filter(|it| it.contains(" replaced ")).count() as u64;
        if replaced > 0 {
            let _ = self.world.router.taken(self.world.now, client, before, 0);
        }
    }

    /// Everything is decided, due and read.
    fn end(&mut self) {
        for _ in 0..2_000 {
            while self.world.router.view().filters().pending > self.taken.len() {
                let before = self.taken.len();
                self.take();
                if self.taken.len() == before {
                    break;
                }
            }
            for it in std::mem::take(&mut self.taken) {
                finish(&mut self.world, &it);
            }
            let all: Vec<ClientId> = self.clients.iter().map(|it| it.0).collect();
            all.into_iter().for_each(|it| self.read(it));
            let until = self.world.now + 20 * MILLISECOND;
            self.world.advance(until);
        }
        for (client, _) in &self.clients {
            let view = self.world.router.view().client(*client).expect("it is there");
            assert_eq!(view.ledger.queued, 0, "{view:?}");
        }
        assert_eq!(self.world.router.view().filters().pending, 0);
        while self.world.router.next_ended_filter().is_some() {
            self.ended += 1;
        }
        let there = self.clients.iter().flat_map(|it| it.1.values());
        let there = there.filter(|it| it.filter.is_some()).count();
        assert_eq!(self.made, self.ended + there);
    }

    /// What a client got is in order, each passes, and gaps and messages explain its ledger.
    fn check(&self, client: ClientId, subscriptions: &BTreeMap<u32, SubscriptionOptions>) {
        let mut last: BTreeMap<(u32, String), u64> = BTreeMap::new();
        let mut sums: BTreeMap<(u32, String), [u64; 2]> = BTreeMap::new();
        let mut firsts = BTreeSet::new();
        for line in self.got.get(&client).into_iter().flatten() {
            if line.ends_with(" last values") {
                continue;
            }
            let (number, rest) = line.split_once(' ').expect("a number");
            let number: u32 = number.parse().expect("a number");
            let Some(options) = subscriptions.get(&number) else { continue };
            if let Some((name, lost)) = rest.split_once(" lost ") {
                let (count, rest) = lost.split_once(": ").expect("a count");
                let (range, rest) = rest.split_once(' ').expect("a range");
                let (from, to) = range.split_once('-').expect("a range");
                let [count, from, to] =
                    [count, from, to].map(|it| it.parse::<u64>().expect("a number"));
                let is_of_reason = rest.contains(" because ");
                assert!(options.filter.is_some() || !is_of_reason, "{line}");
                let key = (number, name.to_owned());
                let before = last.insert(key.clone(), to);
                // A loss that is told late has begun before what is replaced meanwhile.
                assert!(before.is_none_or(|before| before < to), "{line} after {before:?}");
                assert!(from <= to && count <= to - from + 1, "{line}");
                if is_of_reason && count == 1 {
                    let payload = &self.payloads[&(name.to_owned(), from)];
                    assert!(rest.ends_with(&format!("{payload} is no number")), "{line}");
                }
                sums.entry(key).or_default()[1] += count;
                continue;
            }
            let (name, rest) = rest.split_once('#').expect("a message");
            let (sequence, rest) = rest.split_once(' ').expect("its number");
            let sequence: u64 = sequence.parse().expect("a number");
            let key = (number, name.to_owned());
            let is_last_value = rest.contains("last age");
            assert!(firsts.insert(key.clone()) || !is_last_value, "{line} is no last value");
            let before = last.insert(key.clone(), sequence);
            assert!(before.is_none_or(|before| before < sequence), "{line} after {before:?}");
            let payload = &self.payloads[&(name.to_owned(), sequence)];
            assert!(rest.ends_with(payload), "{line}: {payload}");
            assert!(options.filter.is_none_or(|it| passes(it, payload) == Ok(true)), "{line}");
            sums.entry(key).or_default()[0] += 1;
        }
        for it in self.world.router.view().matches(client) {
            let key = (it.subscription, it.name.to_owned());
            let [delivered, lost] = sums.get(&key).copied().unwrap_or_default();
            let ledger = it.ledger;
            let told = ledger.discarded + ledger.unrendered;
            assert_eq!((ledger.delivered, told), (delivered, lost), "{it:?}");
        }
    }
}

#[test]
fn histories_give_what_passes_in_its_order_and_account_for_the_rest() {
    let mut sums = [0; 5];
    for seed in 0..400 {
        let mut history = History::new(seed);
        for _ in 0..400 {
            history.step();
        }
        history.end();
        for (client, subscriptions) in &history.clients {
            history.check(*client, subscriptions);
        }
        history.world.check_ledgers();
        // Last values are looked at for each who asks for them.
        let is_once = history.looked_at.values().all(|it| *it == 1);
        assert!(history.has_values || is_once, "seed {seed}: {:?}", history.looked_at);
        let ledger = history.world.router.view().totals().ledger;
        let all =
            [ledger.delivered, ledger.filtered, ledger.unrendered, ledger.elided, ledger.discarded];
        sums.iter_mut().zip(all).for_each(|(sum, it)| *sum += it);
    }
    assert!(sums.iter().all(|it| *it > 1_000), "little has happened: {sums:?}");
}
