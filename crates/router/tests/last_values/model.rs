//! Random histories beside a plain model: lists of what was published, and what each client read.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use trunkline_random::Random;
use trunkline_router::{
    ClientId, ClientOptions, Limits, Overflow, SubscriptionOptions, patterns_overlap as is_match,
};

use super::world::{SECOND, World};

const TOPICS: [&str; 7] = ["a", "a/b", "a/c", "b/c", "bb", "c/d/e", "c"];
const PATTERNS: [&str; 8] = ["a", "a/b", ">", "a/*", "*/c", "b*", "c/>", "bb"];

/// The last value of a topic: a sequence.
type Values = BTreeMap<&'static str, u64>;

/// What a client knows of a topic of a subscription.
#[derive(Default)]
struct Match {
    /// The last message that it knows of: read, replaced or lost.
    known: u64,
    has_read: bool,
}

struct Subscription {
    pattern: &'static str,
    options: SubscriptionOptions,
    /// When it was made: messages of each topic, and the last values.
    before: Values,
    values: Values,
    matches: BTreeMap<&'static str, Match>,
    is_told: bool,
}

struct Client {
    id: ClientId,
    subscriptions: BTreeMap<u32, Subscription>,
}

struct History {
    world: World,
    random: Random,
    kept: &'static str,
    most: usize,
    /// Messages of each topic.
    lengths: Values,
    /// The value that was updated last is the last.
    values: VecDeque<(&'static str, u64)>,
    /// Values that went, by the topic: until which sequence a subscription may miss one.
    gone: Values,
    clients: Vec<Client>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    first: u64,
    lost: u64,
    replaced: u64,
    ends: u64,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let most = random.pick(&[2, 4, 100]);
        let output_bytes = random.pick(&[1, 100, 40_000]);
        let mut world =
            World::with(Limits { last_values: most, output_bytes, ..Limits::default() });
        let kept = random.pick(&[">", "a/*", "b*"]);
        world.router.keep_last_values([kept]);
        Self {
            world,
            random,
            kept,
            most,
            lengths: Values::new(),
            values: VecDeque::new(),
            gone: Values::new(),
            clients: Vec::new(),
            counts: Counts::default(),
        }
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0 => self.connect(),
            1 if self.random.below(4) == 0 => self.disconnect(),
            1..4 => self.subscribe(),
            4 if self.random.below(2) == 0 => self.unsubscribe(),
            5 if self.random.below(3) == 0 => self.clear(),
            6..10 => self.read(),
            10..13 => {
                let time = self.random.pick(&[1, 1, SECOND / 100, SECOND]);
                self.world.advance(self.world.now + time);
            }
            _ => self.publish(),
        }
        self.world.check_ledgers();
        let totals = self.world.router.last_value_totals();
        assert_eq!(totals.values, self.values.len(), "values are kept");
    }

    fn connect(&mut self) {
        if self.clients.len() == 4 {
            return;
        }
        let options = ClientOptions {
            queue_messages: self.random.pick(&[1, 3, 1_000]),
            overflow: self.random.pick(&[Overflow::DropOldest, Overflow::DropNewest]),
            messages_per_second: NonZeroU32::new(self.random.pick(&[0, 0, 0, 100])),
            ..ClientOptions::default()
        };
        let id = self.world.connect(options);
        self.clients.push(Client { id, subscriptions: BTreeMap::new() });
    }

    fn disconnect(&mut self) {
        if let Some(client) = self.clients.pop() {
            self.world.router.disconnect(self.world.now, client.id);
        }
    }

    fn place(&mut self) -> Option<usize> {
        let count = self.clients.len() as u64;
        (count > 0).then(|| self.random.below(count) as usize)
    }

    fn subscribe(&mut self) {
        let Some(place) = self.place() else { return };
        let (number, pattern) = (self.random.below(3) as u32, self.random.pick(&PATTERNS));
        let options = SubscriptionOptions {
            updates_per_second: NonZeroU32::new(self.random.pick(&[0, 0, 50])),
            conflate: self.random.below(3) == 0,
            last_values: self.random.below(4) > 0,
            rendition: None,
            filter: None,
        };
        let client = &mut self.clients[place];
        let router = &mut self.world.router;
        let made = router.subscribe(self.world.now, client.id, number, pattern, &options);
        assert_eq!(made.is_ok(), !client.subscriptions.contains_key(&number));
        if made.is_ok() {
            let values = self.values.iter().copied();
            let values = values.filter(|(name, _)| options.last_values && is_match(pattern, name));
            let subscription = Subscription {
                pattern,
                options,
                before: self.lengths.clone(),
                values: values.collect(),
                matches: BTreeMap::new(),
                is_told: false,
            };
            client.subscriptions.insert(number, subscription);
        }
    }

    fn unsubscribe(&mut self) {
        let Some(place) = self.place() else { return };
        let Some(number) = self.clients[place].subscriptions.keys().next().copied() else { return };
        // What it was sent before has been read.
        while !self.world.router.output(self.clients[place].id).is_empty() {
            self.read_of(place, usize::MAX);
        }
        let client = &mut self.clients[place];
        client.subscriptions.remove(&number);
        let done = self.world.router.unsubscribe(self.world.now, client.id, number);
        assert_eq!(done, Ok(()));
    }

    fn publish(&mut self) {
        let name = self.random.pick(&TOPICS);
        let payload = "p".repeat(self.random.below(60) as usize);
        self.world.publish(name, &payload);
        let length = self.lengths.entry(name).or_default();
        *length += 1;
        let length = *length;
        if is_match(self.kept, name) {
            self.values.retain(|(other, _)| *other != name);
            self.values.push_back((name, length));
        }
        while self.values.len() > self.most {
            let (name, sequence) = self.values.pop_front().expect("there are many");
            self.gone.insert(name, sequence);
        }
    }

    fn clear(&mut self) {
        let name = self.random.pick(&TOPICS);
        let topic = self.world.topic(name);
        self.world.router.clear_last_value(self.world.now, topic);
        self.world.router.release(self.world.now, topic);
        let value = self.values.iter().position(|(other, _)| *other == name);
        if let Some((name, sequence)) = value.and_then(|place| self.values.remove(place)) {
            self.gone.insert(name, sequence);
        }
    }

    fn read(&mut self) {
        let Some(place) = self.place() else { return };
        let most = self.random.pick(&[1, 3, usize::MAX]);
        self.read_of(place, most);
    }

    /// A client reads some lines, and compares each with what was published.
    fn read_of(&mut self, place: usize, most: usize) {
        while self.world.router.next_dirty().is_some() {}
        let id = self.clients[place].id;
        let lines = self.world.unsent(id);
        for line in lines.iter().take(most) {
            self.world.router.sent(self.world.now, id, line.len() + 1);
            if !line.starts_with("topic ") {
                self.check(place, line);
            }
        }
    }

    fn check(&mut self, place: usize, line: &str) {
        let (number, rest) = line.split_once(' ').expect("a number");
        let subscriptions = &mut self.clients[place].subscriptions;
        let at = subscriptions.get_mut(&number.parse().expect("a number"));
        let at = at.expect("of one that is there");
        if let Some(count) = rest.strip_prefix("had ") {
            let count: usize = count.split(' ').next().expect("a count").parse().expect("a number");
            assert!(at.options.last_values && !at.is_told && count <= at.values.len());
            let can_miss = at.values.iter().any(|(name, value)| self.gone.get(name) >= Some(value));
            assert!(can_miss || count == at.values.len(), "{line}: of {:?}", at.values);
            at.is_told = true;
            self.counts.ends += 1;
            return;
        }
        let end = rest.find(['#', ' ']).expect("the name of a topic");
        let name = TOPICS.into_iter().find(|name| *name == &rest[..end]).expect("a topic");
        assert!(is_match(at.pattern, name));
        let value = at.values.get(name).copied();
        let before = at.before.get(name).copied().unwrap_or_default();
        let known = value.map_or(before, |value| value - 1);
        let matched = at.matches.entry(name).or_insert(Match { known, has_read: false });
        let words: Vec<&str> = rest[end..].split(' ').collect();
        let number = |word: &str| -> u64 { word.parse().expect("a number") };
        let after = |word| {
            let place = words.iter().position(|it| *it == word)?;
            Some(number(words[place + 1]))
        };
        let is_last = words[1..].first() == Some(&"last");
        let (count, last) = if let Some(range) = rest[end..].strip_prefix(" lost ") {
            let (count, range) = range.split_once(": ").expect("a range");
            let (_, last) = range.split(' ').next().expect("a range").split_once('-').expect("two");
            self.counts.lost += number(count);
            (number(count), number(last))
        } else {
            let replaced = after("replaced").unwrap_or_default();
            self.counts.replaced += replaced;
            (replaced + 1, number(&words[0][1..]))
        };
        assert!(last > matched.known, "{line} after {}", matched.known);
        if is_last {
            assert!(!matched.has_read && Some(last) == value && !at.is_told, "{line}: {value:?}");
            self.counts.first += 1;
        }
        let conflates = at.options.conflate || at.options.updates_per_second.is_some();
        if !is_last && !matched.has_read && matched.known + count < last {
            // A value that was dropped before it could be offered.
            let is_gone = value.is_some_and(|value| self.gone.get(name) >= Some(&value));
            assert!(is_gone || conflates && rest.contains(" lost "), "{line}: {value:?}");
            matched.known = before;
        }
        // A gap between two conflated updates leaves out what was replaced among them.
        if !conflates {
            assert_eq!(matched.known + count, last, "{line} after {}", matched.known);
        }
        (matched.known, matched.has_read) = (last, true);
    }

    /// All is read, and everybody has been told of the end.
    fn settle(&mut self) {
        for _ in 0..400 {
            self.world.advance(self.world.now + SECOND / 50);
            (0..self.clients.len()).for_each(|place| self.read_of(place, usize::MAX));
        }
        for client in &self.clients {
            for (number, at) in &client.subscriptions {
                assert_eq!(at.is_told, at.options.last_values, "{number} of {:?}", client.id);
                for (name, length) in &self.lengths {
                    let is_live = *length > at.before.get(name).copied().unwrap_or_default();
                    let known = at.matches.get(name).map(|matched| matched.known);
                    assert!(!is_match(at.pattern, name) || !is_live || known == Some(*length));
                }
            }
        }
        assert_eq!(self.world.router.view().totals().ledger.queued, 0);
    }
}

#[test]
fn every_client_gets_the_values_of_its_topics_first_and_once() {
    let mut counts = Counts::default();
    for seed in 0..300 {
        let mut history = History::new(seed);
        let run = std::panic::AssertUnwindSafe(|| {
            (0..250).for_each(|_| history.step());
            history.settle();
        });
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(panic);
        }
        counts.first += history.counts.first;
        counts.lost += history.counts.lost;
        counts.replaced += history.counts.replaced;
        counts.ends += history.counts.ends;
    }
    let Counts { first, lost, replaced, ends } = counts;
    let all = [first, lost, replaced, ends];
    assert!(all.iter().all(|count| *count > 500), "little has happened: {all:?}");
}
