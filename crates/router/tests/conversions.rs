//! Conversions: each message is converted once for all who want a format, after conflation, and whoever waits for one
//! waits alone and in order.

mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU16, NonZeroU32};

use trunkline_random::Random;
use trunkline_router::{
    ClientId, ClientOptions, ConversionId, Envelope, Limits, Mode, RenditionCounts,
    RenditionFormat, SubscriptionOptions,
};
use world::{CONVERSIONS, MILLISECOND, PARTS, World};

/// Options of a subscription that wants its messages in this payload format.
fn wanting(format: u16) -> SubscriptionOptions {
    let rendition = NonZeroU16::new(CONVERSIONS + format).map(RenditionFormat);
    SubscriptionOptions { rendition, ..SubscriptionOptions::default() }
}

/// Options of one that wants a part of its messages, in this payload format or, for 0, in their own.
fn wanting_part(format: u16) -> SubscriptionOptions {
    let rendition = NonZeroU16::new(PARTS + format).map(RenditionFormat);
    SubscriptionOptions { rendition, ..SubscriptionOptions::default() }
}

/// A conversion that was taken, and what is to come of it.
struct Taken {
    id: ConversionId,
    made: Result<String, String>,
}

/// What a converter makes of a message: its payload tells whether it can be.
fn convert(format: u16, payload: &str) -> Result<String, String> {
    match payload.contains("bad") {
        true => Err(format!("{payload} has no form in {format}")),
        false => Ok(format!("<{payload}>")),
    }
}

fn take(world: &mut World) -> Option<Taken> {
    let it = world.router.next_conversion()?;
    let payload = String::from_utf8_lossy(it.message.payload).into_owned();
    Some(Taken { id: it.id, made: convert(it.format.0.get() - CONVERSIONS, &payload) })
}

fn finish(world: &mut World, it: &Taken) {
    let made = it.made.as_ref().map(String::as_bytes).map_err(String::as_str);
    world.router.converted(world.now, it.id, made);
}

fn convert_all(world: &mut World) -> usize {
    let mut count = 0;
    while let Some(it) = take(world) {
        finish(world, &it);
        count += 1;
    }
    count
}

fn publish(world: &mut World, name: &str, format: u16, payload: &str) {
    let topic = world.topic(name);
    let payload = payload.as_bytes();
    let envelope = Envelope { mode: Mode::Direct, format, request: None, payload };
    world.router.publish(world.now, topic, &envelope).expect("it is taken");
    world.router.release(world.now, topic);
}

fn reader(world: &mut World, options: SubscriptionOptions) -> ClientId {
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, ">", options);
    client
}

fn counts(world: &World, format: u16) -> RenditionCounts {
    let mut all = world.router.view().renditions();
    all.find(|it| it.format.0.get() == CONVERSIONS + format).expect("one that was wanted")
}

#[test]
fn one_is_made_for_all_and_nobody_else_waits_for_it() {
    let mut world = World::new();
    let all: Vec<ClientId> = (0..50).map(|_| reader(&mut world, wanting(2))).collect();
    let others: Vec<ClientId> = (0..50).map(|_| reader(&mut world, wanting(3))).collect();
    let plain = reader(&mut world, SubscriptionOptions::default());
    for number in 0..20 {
        publish(&mut world, "a", 1, &number.to_string());
        assert_eq!(world.receive(plain), [format!("1 a#{} format 1 {number}", number + 1)]);
    }
    assert!(all.iter().chain(&others).all(|it| world.receive(*it).is_empty()));
    world.check_ledgers();
    assert_eq!(world.router.view().totals().ledger.queued, 2_000);
    assert_eq!(convert_all(&mut world), 40);
    for (clients, format) in [(&all, 2), (&others, 3)] {
        let expected: Vec<String> =
            (0..20).map(|it| format!("1 a#{} format {format} <{it}>", it + 1)).collect();
        for client in clients {
            assert_eq!(world.receive(*client), expected);
        }
        let it = counts(&world, format);
        assert_eq!((it.made, it.shared, it.failed, it.pending), (20, 20 * 49, 0, 0));
    }
    world.check_ledgers();
}

#[test]
fn what_has_the_format_already_is_not_touched() {
    let mut world = World::new();
    let client = reader(&mut world, wanting(2));
    publish(&mut world, "a", 2, "as it is");
    assert_eq!(world.receive(client), ["1 a#1 format 2 as it is"]);
    assert!(world.router.next_conversion().is_none());
    // Behind one that waits, it waits too.
    publish(&mut world, "a", 1, "first");
    publish(&mut world, "b", 2, "second");
    assert_eq!(world.receive(client).len(), 0);
    assert_eq!(convert_all(&mut world), 1);
    assert_eq!(world.receive(client), ["1 a#2 format 2 <first>", "1 b#1 format 2 second"]);
}

#[test]
fn a_part_is_made_of_what_has_the_format_too() {
    let mut world = World::new();
    let [own, second] = [0, 2].map(|it| reader(&mut world, wanting_part(it)));
    for format in [2, 3] {
        publish(&mut world, "a", format, "it");
    }
    assert_eq!(convert_all(&mut world), 4);
    assert_eq!(world.receive(own), ["1 a#1 format 2 <it>", "1 a#2 format 3 <it>"]);
    assert_eq!(world.receive(second), ["1 a#1 format 2 <it>", "1 a#2 format 2 <it>"]);
}

#[test]
fn a_number_is_free_when_its_renditions_are_forgotten_and_none_is_under_way() {
    let mut world = World::new();
    let is_gone = |it: RenditionFormat| it.0.get() == PARTS;
    let (first, other) = (reader(&mut world, wanting_part(0)), reader(&mut world, wanting_part(1)));
    publish(&mut world, "a", 1, "it");
    let taken = world.router.next_conversion().expect("one is wanted").id;
    world.router.unsubscribe(world.now, first, 1).expect("it is there");
    let (client, format) = world.router.next_ended_rendition().expect("it has ended");
    assert_eq!((client, format.0.get()), (first, PARTS));
    assert!(world.router.next_ended_rendition().is_none());
    assert_eq!(world.router.forget_renditions(is_gone), [format]);
    // The message waits for the other still, so that what is made is kept with it.
    let old = vec![b'o'; 300_000];
    world.router.converted(world.now, taken, Ok(&old));
    let kept = world.router.view().memory().waiting;
    assert!(world.router.forget_renditions(is_gone).is_empty());
    let left = world.router.view().memory().waiting;
    assert!(left < kept && kept - left >= 300_000, "{left} of {kept}");
    let again = reader(&mut world, wanting_part(0));
    publish(&mut world, "a", 1, "more");
    assert_eq!(convert_all(&mut world), 3);
    assert_eq!(world.receive(other), ["1 a#1 format 1 <it>", "1 a#2 format 1 <more>"]);
    assert_eq!(world.receive(again), ["1 a#2 format 1 <more>"]);
    world.check_ledgers();
}

#[test]
fn what_cannot_be_rendered_is_a_gap_with_the_reason_in_its_place() {
    let mut world = World::new();
    let client = reader(&mut world, wanting(2));
    for payload in ["one", "bad", "three"] {
        publish(&mut world, "a", 1, payload);
    }
    convert_all(&mut world);
    assert_eq!(
        world.receive(client),
        [
            "1 a#1 format 2 <one>",
            "1 a lost 1: 2-2 age 0 because bad has no form in 2",
            "1 a#3 format 2 <three>"
        ]
    );
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.delivered, ledger.unrendered, ledger.discarded), (2, 1, 0));
    assert_eq!(counts(&world, 2).failed, 1);
    world.check_ledgers();
}

#[test]
fn what_is_replaced_meanwhile_is_not_converted() {
    let mut world = World::new();
    let client = reader(&mut world, SubscriptionOptions { conflate: true, ..wanting(2) });
    for number in 0..1_000 {
        publish(&mut world, "a", 1, &number.to_string());
    }
    // The first went to be converted; of those behind it the newest is left.
    assert_eq!(convert_all(&mut world), 2);
    assert_eq!(
        world.receive(client),
        ["1 a#1 replaced 0 age 0 format 2 <0>", "1 a#1000 replaced 998 age 0 format 2 <999>"]
    );
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.delivered, ledger.elided), (2, 998));
    world.check_ledgers();
}

#[test]
fn updates_of_a_subscription_that_ends_meanwhile_take_no_credit_with_them() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.router.use_credit(client);
    for round in 0..20 {
        let conflated = SubscriptionOptions { conflate: true, ..wanting(2) };
        world.subscribe_with(client, 1, ">", conflated);
        for topic in ["a", "b", "c", "d"] {
            publish(&mut world, topic, 1, &round.to_string());
        }
        world.router.unsubscribe(world.now, client, 1).expect("it is there");
        convert_all(&mut world);
        assert_eq!(world.receive(client).len(), 0);
    }
    let options = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
    world.subscribe_with(client, 2, ">", options);
    publish(&mut world, "a", 1, "now");
    assert_eq!(world.receive(client), ["2 a#21 replaced 0 age 0 format 1 now"]);
    world.check_ledgers();
}

#[test]
fn the_reason_of_a_gap_is_no_longer_than_a_client_can_read() {
    let mut world = World::new();
    let client = reader(&mut world, wanting(2));
    publish(&mut world, "a", 1, &format!("bad{}", "\u{e9}".repeat(10_000)));
    convert_all(&mut world);
    let lines = world.receive(client);
    assert!(lines[0].contains("because bad") && lines[0].len() < 1_200, "{}", lines[0].len());
}

#[test]
fn a_conversion_of_a_slow_converter_holds_up_as_much_as_an_output_takes() {
    let limits = Limits { output_bytes: 1_000, ..Limits::default() };
    let mut world = World::with(limits);
    let options = ClientOptions { queue_messages: 5, ..ClientOptions::default() };
    let client = world.connect(options);
    world.subscribe_with(client, 1, ">", wanting(2));
    for number in 0..100 {
        publish(&mut world, "a", 1, &number.to_string());
    }
    let view = world.router.view().client(client).expect("it is there");
    assert!(view.queued_messages == 5 && view.ledger.discarded > 60, "{view:?}");
    world.check_ledgers();
    let made = convert_all(&mut world);
    let lines = world.receive(client);
    let (gaps, messages): (Vec<_>, Vec<_>) = lines.iter().partition(|it| it.contains("lost"));
    assert_eq!((gaps.len(), messages.len()), (1, made + 5 - 5));
    assert!(lines.last().is_some_and(|it| it == "1 a#100 format 2 <99>"), "{lines:?}");
    world.check_ledgers();
}

#[test]
fn what_nobody_waits_for_any_more_is_not_converted() {
    let mut world = World::new();
    let first = reader(&mut world, wanting(2));
    publish(&mut world, "a", 1, "one");
    let under_way = take(&mut world).expect("it is wanted");
    publish(&mut world, "a", 1, "two");
    world.router.disconnect(world.now, first);
    world.advance(world.now + MILLISECOND);
    assert!(world.router.next_conversion().is_none());
    finish(&mut world, &under_way);
    assert_eq!(counts(&world, 2).pending, 0);
    // Whoever comes into its place gets what is published from then on.
    let second = reader(&mut world, wanting(2));
    publish(&mut world, "a", 1, "three");
    convert_all(&mut world);
    assert_eq!(world.receive(second), ["1 a#3 format 2 <three>"]);
    world.check_ledgers();
}

/// A random history, and what each client got.
struct History {
    world: World,
    random: Random,
    clients: Vec<(ClientId, BTreeMap<u32, SubscriptionOptions>)>,
    got: BTreeMap<ClientId, Vec<String>>,
    taken: Vec<Taken>,
    payloads: BTreeMap<(String, u64), (u16, String)>,
    /// Converted messages and formats.
    tried: u64,
    /// Subscriptions may ask for last values.
    has_values: bool,
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
            tried: 0,
            has_values,
        }
    }

    fn options(&mut self) -> SubscriptionOptions {
        let format = self.random.below(4) as u16;
        let wanted = if format == 0 { SubscriptionOptions::default() } else { wanting(format) };
        SubscriptionOptions {
            conflate: self.random.below(3) == 0,
            updates_per_second: NonZeroU32::new(self.random.pick(&[0, 0, 0, 100, 1_000])),
            last_values: self.has_values && self.random.below(2) == 0,
            ..wanted
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
            9..12 => self.read(),
            12..15 => {
                let taken = take(&mut self.world);
                self.tried += u64::from(taken.is_some());
                self.taken.extend(taken);
            }
            _ if !self.taken.is_empty() => {
                // In any order.
                let at = self.random.below(self.taken.len() as u64) as usize;
                let it = self.taken.swap_remove(at);
                finish(&mut self.world, &it);
            }
            _ => {}
        }
        self.world.check_ledgers();
    }

    fn connect(&mut self) {
        let queue_messages = self.random.pick(&[1, 3, 1_000]);
        let messages_per_second = NonZeroU32::new(self.random.pick(&[0, 0, 500]));
        let options =
            ClientOptions { queue_messages, messages_per_second, ..ClientOptions::default() };
        let client = self.world.connect(options);
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
            2 => self.forget(),
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
                }
            }
        }
    }

    /// What is kept in formats that nobody wants goes; all else stays.
    fn forget(&mut self) {
        while self.world.router.next_ended_rendition().is_some() {}
        let all = self.clients.iter().flat_map(|it| it.1.values());
        let wanted: BTreeSet<_> = all.filter_map(|it| it.rendition).map(|it| it.0).collect();
        self.world.router.forget_renditions(|it| !wanted.contains(&it.0));
    }

    fn publish(&mut self) {
        let name = self.random.pick(&TOPICS);
        let number = self.payloads.len();
        let kind = if self.random.below(5) == 0 { "bad" } else { "good" };
        let payload = format!("{kind} {number}");
        let format = 1 + self.random.below(3) as u16;
        publish(&mut self.world, name, format, &payload);
        let sequence = self.payloads.keys().filter(|(topic, _)| topic == name).count() as u64 + 1;
        self.payloads.insert((name.to_owned(), sequence), (format, payload));
    }

    fn read(&mut self) {
        if self.clients.is_empty() {
            return;
        }
        let at = self.random.below(self.clients.len() as u64) as usize;
        self.read_of(self.clients[at].0);
    }

    fn read_of(&mut self, client: ClientId) {
        let lines = self.world.receive(client);
        self.got.entry(client).or_default().extend(lines);
    }

    /// Everything is converted, due and read.
    fn end(&mut self) {
        for _ in 0..2_000 {
            while let Some(it) = take(&mut self.world) {
                self.tried += 1;
                self.taken.push(it);
            }
            for it in std::mem::take(&mut self.taken) {
                finish(&mut self.world, &it);
            }
            let all: Vec<ClientId> = self.clients.iter().map(|it| it.0).collect();
            all.into_iter().for_each(|it| self.read_of(it));
            let until = self.world.now + 20 * MILLISECOND;
            self.world.advance(until);
        }
        for (client, _) in &self.clients {
            let view = self.world.router.view().client(*client).expect("it is there");
            assert_eq!(view.ledger.queued, 0, "{view:?}");
        }
    }

    /// What a client got is in order, each as a conversion gives it or a gap with the reason, and explains its ledger.
    fn check(&self, client: ClientId, subscriptions: &BTreeMap<u32, SubscriptionOptions>) {
        let mut last: BTreeMap<(u32, String), u64> = BTreeMap::new();
        let mut sums: BTreeMap<(u32, String), [u64; 3]> = BTreeMap::new();
        for line in self.got.get(&client).into_iter().flatten() {
            if line.ends_with(" last values") {
                continue;
            }
            let (number, rest) = line.split_once(' ').expect("a number");
            let number: u32 = number.parse().expect("a number");
            let Some(options) = subscriptions.get(&number) else { continue };
            let wanted = options.rendition.map(|it| it.0.get() - CONVERSIONS);
            if let Some((name, lost)) = rest.split_once(" lost ") {
                let count: u64 = lost.split(':').next().expect("a count").parse().expect("one");
                let first: u64 = lost[lost.find(' ').expect("a range") + 1..]
                    .split('-')
                    .next()
                    .expect("one")
                    .parse()
                    .expect("a number");
                let sum = sums.entry((number, name.to_owned())).or_default();
                if let Some((_, reason)) = lost.split_once(" because ") {
                    let (_, payload) = &self.payloads[&(name.to_owned(), first)];
                    let wanted = wanted.expect("it wants another format");
                    assert_eq!(Err(reason.to_owned()), convert(wanted, payload), "{line}");
                    assert_eq!(count, 1);
                    let before = last.insert((number, name.to_owned()), first);
                    assert!(before.is_none_or(|before| before < first), "{line} after {before:?}");
                    sum[2] += 1;
                } else {
                    sum[1] += count;
                }
                continue;
            }
            let (name, rest) = rest.split_once('#').expect("a message");
            let (sequence, rest) = rest.split_once(' ').expect("its number");
            let sequence: u64 = sequence.parse().expect("a number");
            let before = last.insert((number, name.to_owned()), sequence);
            assert!(before.is_none_or(|before| before < sequence), "{line} after {before:?}");
            let (published, payload) = &self.payloads[&(name.to_owned(), sequence)];
            let expected = match wanted {
                Some(wanted) if wanted != *published => {
                    format!("format {wanted} {}", convert(wanted, payload).expect("no gap"))
                }
                _ => format!("format {published} {payload}"),
            };
            assert!(rest.ends_with(&expected), "{line}: {expected}");
            sums.entry((number, name.to_owned())).or_default()[0] += 1;
        }
        for it in self.world.router.view().matches(client) {
            let key = (it.subscription, it.name.to_owned());
            let [delivered, lost, unrendered] = sums.get(&key).copied().unwrap_or_default();
            let ledger = it.ledger;
            assert_eq!(
                (ledger.delivered, ledger.discarded, ledger.unrendered),
                (delivered, lost, unrendered),
                "{it:?}"
            );
        }
    }
}

#[test]
fn histories_give_what_a_plain_conversion_gives_or_a_gap() {
    let (mut unrendered, mut shared, mut elided) = (0, 0, 0);
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
        let formats: BTreeSet<_> =
            history.world.router.view().renditions().map(|it| it.format.0).collect();
        let most = history.payloads.len() as u64 * formats.len() as u64;
        // Last values are converted for each who asks for them.
        assert!(
            history.has_values || history.tried <= most,
            "seed {seed}: {} of {most}",
            history.tried
        );
        for it in history.world.router.view().renditions() {
            assert_eq!(it.pending, 0, "seed {seed}: {it:?}");
            shared += it.shared;
        }
        let ledger = history.world.router.view().totals().ledger;
        unrendered += ledger.unrendered;
        elided += ledger.elided;
    }
    assert!(
        unrendered > 1_000 && shared > 1_000 && elided > 1_000,
        "{unrendered} {shared} {elided}"
    );
}
