//! How long the longest turn of a store takes while consumers leave much unacknowledged.
//!
//! `cargo run --release -p trunkline-store --example turns [SUBSCRIPTIONS]`: each subscription holds 100,000
//! messages that are delivered and not acknowledged, and segments of 64 MiB are begun meanwhile. Then some 80 MB are
//! known of producers, and a message waits until a checkpoint of it is complete. The disk is simulated, so that what
//! is measured is the router's own work.

use std::time::{Duration, Instant};

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{Options, commit, task};
use trunkline_store::{
    ClockReading, Consume, Consuming, Delivery, Durability, EventSink, Loss, NewMessage, Rejected,
    Settings, Store, Stored,
};

/// Unacknowledged messages of each subscription.
const WINDOW: u32 = 100_000;

/// Counts deliveries.
#[derive(Default)]
struct Told(u64, Vec<u64>);

impl EventSink for Told {
    fn has_room(&mut self, _: u64, _: u32) -> bool {
        true
    }
    fn deliver(&mut self, client: u64, it: &Delivery<'_>) -> bool {
        self.0 += 1;
        if client == 2 {
            self.1.push(it.position);
        }
        true
    }
    fn withdrawn(&mut self, _: u64, _: u32, _: u64) {}
    fn lost(&mut self, _: u64, _: u32, _: &Loss) {}
    fn stored(&mut self, _: u64, _: &Stored) {}
    fn failed(&mut self, _: u64, _: u64, _: &Rejected) {}
    fn rejected(&mut self, client: u64, _: u32, rejected: &Rejected) {
        println!("client {client} is rejected: {rejected}");
    }
    fn consuming(&mut self, _: u64, _: &Consuming) {}
    fn confirmed(&mut self, _: u64, _: u32, _: Durability, _: u64) {}
    fn acknowledged(&mut self, _: u64, _: u32, _: Durability, _: u64, _: u64) {}
    fn ended(&mut self, _: u64, _: u32) {}
    fn publish(&mut self, _: &str, _: u16, _: &[u8]) {}
}

struct Bench {
    disk: SimulatedDisk,
    store: Store,
    told: Told,
    now: u64,
    longest: [(Duration, &'static str); 5],
}

impl Bench {
    /// Does something that the loop does in one turn, and times it.
    fn turn<T>(
        &mut self,
        what: &'static str,
        work: impl FnOnce(&mut Store, ClockReading, &mut Told) -> T,
    ) -> T {
        self.now += 1_000;
        let at = ClockReading { now: self.now, time: 1_700_000_000_000_000_000 + self.now };
        let begin = Instant::now();
        let result = work(&mut self.store, at, &mut self.told);
        let took = begin.elapsed();
        if took > self.longest[4].0 {
            self.longest[4] = (took, what);
            self.longest.sort_by(|one, other| other.cmp(one));
        }
        result
    }

    /// The disk does what it is to do, and the store what is due.
    fn disk(&mut self) {
        self.turn("advance", |store, at, told| store.advance(at, told));
        // A commit takes a while, and the loop has its turns meanwhile.
        for _ in 0..64 {
            if self.store.next_deadline().is_some_and(|due| due <= self.now) {
                self.turn("advance", |store, at, told| store.advance(at, told));
            }
        }
        if let Some(it) = self.turn("next commit", |store, at, _| store.next_commit(at)) {
            let result = commit(&mut self.disk, &it);
            self.turn("committed", |store, at, told| store.committed(at, result, told));
        }
        while let Some(it) = self.turn("next task", |store, at, _| store.next_task(at)) {
            let done = task(&mut self.disk, &it);
            self.turn("task done", |store, at, told| store.task_done(at, done, told));
        }
    }

    fn say(&mut self, what: &str) {
        let longest = self
            .longest
            .iter()
            .map(|(it, what)| format!("{:.3} ms ({what})", it.as_secs_f64() * 1e3));
        println!("{what}: longest turns {}", longest.collect::<Vec<_>>().join(", "));
        self.longest = Default::default();
    }
}

fn main() {
    let subscriptions: u32 = std::env::args().nth(1).map_or(16, |it| it.parse().expect("a number"));
    let mut disk = SimulatedDisk::new(1);
    let settings = Settings {
        journal: Options { bytes: 64 << 30, ..Options::default() },
        ..Settings::default()
    };
    let (store, _) = Store::open(&mut disk, settings, 7).expect("a store");
    let mut bench =
        Bench { disk, store, told: Told::default(), now: 0, longest: Default::default() };
    bench.disk();
    let producing =
        bench.turn("produce", |store, at, _| store.produce(at, 1, "feed")).expect("room");
    for number in 0..subscriptions {
        let name = format!("durable-{number}");
        let asked = Consume {
            subscription: number,
            name: &name,
            pattern: ">",
            window: WINDOW,
            ..Consume::default()
        };
        let client = 2 + u64::from(number);
        bench
            .turn("consume", |store, at, told| store.consume(at, client, &asked, told))
            .expect("room");
        bench.disk();
    }
    let mut sequence = 0;
    let mut publish = |bench: &mut Bench, count: u64, payload: &[u8]| {
        let mut rejected = None;
        for _ in 0..count {
            sequence += 1;
            let (time_to_live, is_repeated, format, topic) = (0, false, 0, "orders/1");
            let message =
                NewMessage { sequence, time_to_live, is_repeated, format, topic, payload };
            let stored = bench.turn("store", |store, at, told| {
                store.store(at, producing.producer, &message, told)
            });
            if let Err(why) = stored {
                rejected = Some(why);
                sequence -= 1;
            }
            if sequence % 64 == 0 || stored_is_busy(&rejected) {
                bench.disk();
            }
        }
        rejected
    };
    let rejected = publish(&mut bench, u64::from(WINDOW) + 1_000, &[7; 100]);
    bench.disk();
    println!("{subscriptions} subscriptions, {} delivered, rejected: {rejected:?}", bench.told.0);
    bench.say("filling the windows");
    let rejected = publish(&mut bench, 60_000, &[7; 4_000]);
    println!("rejected: {rejected:?}");
    bench.say("240 MB more");
    acknowledge_and_leave(&mut bench, subscriptions);
    wait_for_a_checkpoint();
}

/// A message waits for a checkpoint of what is known of 300,000 producers with long names.
fn wait_for_a_checkpoint() {
    let settings = Settings { producers: 300_001, ..Settings::default() };
    let mut disk = SimulatedDisk::new(1);
    let (store, _) = Store::open(&mut disk, settings, 7).expect("a store");
    let mut bench =
        Bench { disk, store, told: Told::default(), now: 0, longest: Default::default() };
    bench.disk();
    for number in 0..300_000_u64 {
        let name = format!("{number:0>240}");
        while bench.turn("produce", |store, at, _| store.produce(at, 1, &name)).is_err() {
            bench.disk();
        }
        if number % 1_000 == 0 {
            bench.disk();
        }
    }
    bench.disk();
    bench.say("300,000 producers");
    let feed = bench.turn("produce", |store, at, _| store.produce(at, 2, "feed"));
    let feed = feed.expect("room").producer;
    let (mut sequence, mut longest) = (1, (0, 0));
    for _ in 0..60_000 {
        let message = NewMessage {
            sequence,
            time_to_live: 0,
            is_repeated: false,
            format: 0,
            topic: "orders/1",
            payload: &[7; 4_000],
        };
        let (mut commits, begin) = (0, bench.now);
        while bench.turn("store", |store, at, told| store.store(at, feed, &message, told)).is_err()
        {
            bench.disk();
            commits += 1;
        }
        longest = longest.max((commits, bench.now - begin));
        sequence += 1;
        if sequence % 1_024 == 0 {
            bench.disk();
        }
    }
    println!("a message waited for {} commits at most, since a checkpoint was late", longest.0);
    bench.say("240 MB beside 80 MB that are known");
}

/// Consumers acknowledge some, or all at once, or leave.
fn acknowledge_and_leave(bench: &mut Bench, subscriptions: u32) {
    let positions = std::mem::take(&mut bench.told.1);
    for position in positions.iter().step_by(2).take(4_000) {
        bench
            .turn("acknowledge", |store, at, told| {
                store.acknowledge(at, 2, 0, (*position, false), told)
            })
            .expect("it has it");
    }
    bench.now += 1_000_000_000;
    bench.disk();
    bench.say("every second of 8,000 is acknowledged");
    if subscriptions > 1 {
        let last = positions[positions.len() - 1];
        bench
            .turn("acknowledge all", |store, at, told| {
                store.acknowledge(at, 3, 1, (last, true), told)
            })
            .expect("all");
        for _ in 0..3_000 {
            bench.now += 100_000_000;
            bench.disk();
        }
        bench.say("100,000 are acknowledged at once");
    }
    bench.turn("disconnect", |store, at, told| store.disconnect(at, 2, told));
    for _ in 0..3_000 {
        bench.now += 100_000_000;
        bench.disk();
    }
    bench.say("a consumer leaves that has 100,000");
}

fn stored_is_busy(rejected: &Option<Rejected>) -> bool {
    *rejected == Some(Rejected::Busy)
}
