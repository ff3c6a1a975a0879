//! The router against a slow twin of it, made of plain lists: random histories by seed, in which every
//! client is sent the same bytes after every step, and every ledger says the same.

#[path = "../world/mod.rs"]
mod world;

mod model;

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};

use model::{MatchLedger, Model, Policy};
use trunkline_random::Random;
use trunkline_router::{
    ClientId, ClientOptions, Dirty, Envelope, Ledger, Limits, Mode, Overflow, Requester,
    SubscriptionOptions,
};
use world::{SECOND, World};

const TOPICS: [&str; 5] = ["a", "a/b", "a/c", "b/c", "bb"];
/// How many clients are connected at most.
const CLIENTS: usize = 6;
const PATTERNS: [&str; 9] = ["a", "a/b", ">", "a/*", "*/c", "b*", "a/>", "bb", "*"];

/// The router and its twin, and what happens to both.
struct Pair {
    world: World,
    model: Model,
    random: Random,
    clients: Vec<ClientId>,
    /// Subscriptions that were ended because too many match one topic.
    rejected: usize,
    log: Vec<String>,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let output_bytes = random.pick(&[1, 200, 2_000, 40_000]);
        let overlaps_per_client = random.pick(&[2, 256]);
        let limits = Limits { output_bytes, overlaps_per_client, ..Limits::default() };
        let mut world = World::with(limits);
        for name in TOPICS {
            world.topic(name);
        }
        let model = Model::new(output_bytes, overlaps_per_client, &TOPICS);
        Self { world, model, random, clients: Vec::new(), rejected: 0, log: Vec::new() }
    }

    fn client(&mut self) -> Option<ClientId> {
        let count = self.clients.len() as u64;
        (count > 0).then(|| self.clients[self.random.below(count) as usize])
    }

    fn step(&mut self) {
        self.pass_time();
        match self.random.below(100) {
            0..4 => self.connect(),
            4..5 => self.disconnect(),
            5..12 => self.subscribe(),
            12..15 => self.unsubscribe(),
            15..17 => self.set_options(),
            17..20 => self.control(),
            20..35 => self.sent(),
            // What is rejected ends with the turn: what is published before it finds it half there.
            _ => (0..=self.random.below(2)).for_each(|_| self.publish()),
        }
        self.check();
    }

    /// Both do what is due, deadline by deadline; timers may come late.
    fn pass_time(&mut self) {
        let latest = self.random.pick(&[0, 0, 1_000_000, SECOND / 20]);
        let most = self.random.pick(&[1, 1_000_000, SECOND / 10, SECOND]);
        let until = self.world.now + self.random.below(most + 1);
        loop {
            let real = self.world.router.next_deadline().unwrap_or(u64::MAX);
            let next =
                real.min(self.model.next_deadline(self.world.now).unwrap_or(u64::MAX)).min(until);
            let next = next.max(self.world.now);
            // Not as late as the deadline after it: what both do at once has an order of its own.
            let after = self.model.next_deadline(next).unwrap_or(u64::MAX) - 1;
            let late = next + self.random.below(latest + 1);
            self.world.now = late.min(after).min(until).max(next);
            self.world.router.advance(self.world.now);
            self.model.advance(self.world.now);
            self.log.push(format!("at {}", self.world.now));
            self.check();
            if self.world.now == until {
                return;
            }
        }
    }

    fn options(&mut self) -> (ClientOptions, Policy) {
        let queue_messages = self.random.pick(&[0, 1, 3, 10, 1_000]);
        let queue_bytes = self.random.pick(&[100, 600, 3_000, 1 << 20]);
        let (overflow, policy) = self.random.pick(&[
            (Overflow::DropOldest, Policy::Oldest),
            (Overflow::DropOldest, Policy::Oldest),
            (Overflow::DropNewest, Policy::Newest),
            (Overflow::DropNewest, Policy::Newest),
            (Overflow::Disconnect, Policy::Close),
        ]);
        let messages_per_second = NonZeroU32::new(self.random.pick(&[0, 0, 0, 3, 17, 1_009]));
        let bytes_per_second = NonZeroU64::new(self.random.pick(&[0, 0, 0, 0, 997, 20_011]));
        let options = ClientOptions {
            queue_messages,
            queue_bytes,
            overflow,
            messages_per_second,
            bytes_per_second,
            ..ClientOptions::default()
        };
        (options, policy)
    }

    fn connect(&mut self) {
        if self.clients.len() == CLIENTS {
            return;
        }
        let (options, policy) = self.options();
        self.log.push(format!("connect {options:?}"));
        // Some frame renditions, and are sent the same.
        let format = self.random.pick(&[None, Some(1), Some(1), Some(2)]);
        let id = self.world.connect_wanting(format, options.clone());
        self.model.connect(id, &options, policy);
        self.clients.push(id);
    }

    fn set_options(&mut self) {
        let Some(client) = self.client() else { return };
        let (options, policy) = self.options();
        self.log.push(format!("{client:?} {options:?}"));
        self.world.router.set_options(self.world.now, client, options.clone());
        self.model.set_options(self.world.now, client, &options, policy);
    }

    fn disconnect(&mut self) {
        let Some(client) = self.client() else { return };
        self.log.push(format!("disconnect {client:?}"));
        self.world.router.disconnect(self.world.now, client);
        self.model.disconnect(client);
        self.clients.retain(|id| *id != client);
    }

    fn subscribe(&mut self) {
        let Some(client) = self.client() else { return };
        let number = self.random.below(8) as u32;
        let pattern = self.random.pick(&PATTERNS);
        let updates_per_second = NonZeroU32::new(self.random.pick(&[0, 0, 0, 3, 7, 11]));
        let conflate = self.random.below(3) == 0;
        let options = SubscriptionOptions { updates_per_second, conflate, ..Default::default() };
        self.log.push(format!("{client:?} subscribes {number} {pattern} {options:?}"));
        let router = &mut self.world.router;
        let real = router.subscribe(self.world.now, client, number, pattern, &options);
        assert_eq!(real.is_ok(), self.model.subscribe(client, number, pattern, &options));
    }

    fn unsubscribe(&mut self) {
        let Some(client) = self.client() else { return };
        let number = self.random.below(8) as u32;
        self.log.push(format!("{client:?} unsubscribes {number}"));
        let real = self.world.router.unsubscribe(self.world.now, client, number);
        assert_eq!(real.is_ok(), self.model.unsubscribe(self.world.now, client, number));
    }

    fn control(&mut self) {
        let Some(client) = self.client() else { return };
        let text = "control ".repeat(self.random.below(40) as usize) + "\n";
        self.log.push(format!("{client:?} control {}", text.len()));
        let write = |_: &mut _, out: &mut Vec<u8>| out.extend_from_slice(text.as_bytes());
        let real = self.world.router.control(client, write);
        assert_eq!(real, self.model.control(client, &text));
    }

    fn sent(&mut self) {
        let Some(client) = self.client() else { return };
        let all = self.world.router.output(client).len();
        let bytes = self.random.below(all as u64 + 1) as usize;
        let bytes = self.random.pick(&[all, all, bytes]);
        self.log.push(format!("{client:?} sent {bytes} of {all}"));
        self.world.router.sent(self.world.now, client, bytes);
        self.model.sent(self.world.now, client, bytes);
    }

    fn publish(&mut self) {
        let topic = self.random.below(TOPICS.len() as u64) as usize;
        let length = self.random.pick(&[0, 1, 10, 100, 1_000, 5_000]);
        let length = self.random.below(length + 1) as usize;
        // No two are the same.
        let payload = format!("{}/", self.log.len()).repeat(length)[..length].to_owned();
        let requester = self.client().filter(|_| self.random.below(10) == 0);
        let request = requester.map(|client| Requester { client, correlation: 5 });
        let format = self.random.below(2) as u16;
        self.log.push(format!("publish {} {}", TOPICS[topic], payload.len()));
        let envelope =
            Envelope { mode: Mode::Direct, format, request, payload: payload.as_bytes() };
        let id = self.world.topic(TOPICS[topic]);
        let real = self.world.router.publish(self.world.now, id, &envelope);
        assert_eq!(real, Ok(self.model.publish(self.world.now, topic, &envelope)));
    }

    fn check(&mut self) {
        let told = std::iter::from_fn(|| self.world.router.next_late_rejection());
        let told: Vec<(ClientId, u32)> = told.map(|it| (it.client, it.subscription)).collect();
        assert_eq!(told, self.model.told());
        self.rejected += told.len();
        let grown: BTreeSet<ClientId> = self.model.grown();
        let mut dirty = BTreeSet::new();
        for one in self.world.dirty() {
            let id = match one {
                Dirty::Output(id) => id,
                Dirty::Close(id, reason) => {
                    assert_eq!(self.model.closing(id), Some(&*reason));
                    id
                }
            };
            assert!(dirty.insert(id), "{id:?} is told twice");
        }
        assert_eq!(dirty, grown);
        for client in &self.clients {
            let real = String::from_utf8_lossy(self.world.router.output(*client));
            assert_eq!(real, self.model.output(*client), "what is sent to {client:?}");
        }
        self.world.check_ledgers();
        let view = self.world.router.view();
        for client in &self.clients {
            let real: Vec<MatchLedger> = view
                .matches(*client)
                .filter(|matched| matched.ledger.published > 0)
                .map(|matched| (matched.subscription, matched.name.to_owned(), matched.ledger))
                .collect();
            assert_eq!(real, self.model.matches(*client));
            let seen = view.client(*client).expect("it is connected");
            assert_eq!(seen.queued_bytes, self.model.queued_bytes(*client));
            assert!(
                seen.queued_bytes <= seen.options.queue_bytes.max(self.model.most_bytes(*client))
            );
        }
    }
}

/// Runs histories and gives the ledger of all, how many subscriptions were rejected late, and how many
/// deliveries shared a rendition.
fn histories(seeds: std::ops::Range<u64>, steps: usize) -> (Ledger, usize, u64) {
    let (mut ledger, mut rejected, mut shared) = (Ledger::default(), 0, 0);
    for seed in seeds {
        let mut pair = Pair::new(seed);
        let run = std::panic::AssertUnwindSafe(|| {
            for _ in 0..steps {
                pair.step();
            }
        });
        if let Err(panic) = std::panic::catch_unwind(run) {
            let first = pair.log.len().saturating_sub(40);
            eprintln!("seed {seed}, step {}: {}", pair.log.len(), pair.log[first..].join("\n"));
            std::panic::resume_unwind(panic);
        }
        ledger += pair.world.router.view().totals().ledger;
        rejected += pair.rejected;
        shared += pair.world.router.view().renditions().map(|it| it.shared).sum::<u64>();
    }
    (ledger, rejected, shared)
}

#[test]
fn the_twins_do_the_same() {
    let (ledger, rejected, shared) = histories(0..200, 300);
    let counts = [ledger.delivered, ledger.elided, ledger.discarded];
    assert!(counts.iter().all(|count| *count > 5_000), "little has happened: {ledger:?}");
    assert!(rejected > 50, "few were rejected: {rejected}");
    assert!(shared > 2_000, "few were shared: {shared}");
}

#[test]
fn the_twins_do_the_same_for_long() {
    histories(1_000..1_006, 4_000);
}
