//! What it costs to publish: to matches that take the message at once, by their number and by the number
//! of topics; to matches that conflate; and to clients that are blocked, or read later.
//!
//! `cargo bench -p trunkline-router --bench fan_out [-- ROWS]`; processor time of this thread, the best and the
//! median of passes. A message has 128 bytes, and 32 are published before the clients' output is sent.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::num::NonZeroU32;

use rustix::time::{ClockId, clock_gettime};
use trunkline_router::{
    ClientId, ClientOptions, Delivery, Envelope, Gap, Limits, Mode, Renderer, Router,
    SubscriptionOptions, TopicId,
};

const PASSES: usize = 15;
const MESSAGES: usize = 64 * 1024;
const BATCH: usize = 32;
const PAYLOAD: [u8; 128] = [b'x'; 128];

/// Writes what a binary protocol would: a head of 32 bytes and the payload.
struct Frames;

impl Renderer for Frames {
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str) {
        out.extend_from_slice(&topic.0.to_le_bytes());
        out.extend_from_slice(name.as_bytes());
    }

    #[inline]
    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>) {
        let mut head = [0; 32];
        head[..4].copy_from_slice(&(32 + delivery.payload.len() as u32).to_le_bytes());
        head[4..6].copy_from_slice(&delivery.format.to_le_bytes());
        head[8..12].copy_from_slice(&delivery.subscription.to_le_bytes());
        head[12..16].copy_from_slice(&delivery.topic.0.to_le_bytes());
        head[16..24].copy_from_slice(&delivery.sequence.to_le_bytes());
        if let Some(conflation) = delivery.conflation {
            head[24..].copy_from_slice(&conflation.replaced.to_le_bytes());
        }
        out.extend_from_slice(&head);
        out.extend_from_slice(delivery.payload);
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        out.extend_from_slice(&gap.count.to_le_bytes());
    }

    fn closing(&mut self, out: &mut Vec<u8>, reason: &str) {
        out.extend_from_slice(reason.as_bytes());
    }
}

/// A router, its clients and topics.
struct Bench {
    router: Router<Frames>,
    clients: Vec<ClientId>,
    topics: Vec<TopicId>,
    now: u64,
    at: usize,
}

impl Bench {
    fn new(clients: usize, topics: usize, options: &SubscriptionOptions) -> Self {
        let mut router = Router::new(Limits::default());
        let topics = (0..topics)
            .map(|number| router.intern(0, &format!("fx/{number:06}/spot")).expect("a topic"))
            .collect();
        let clients = (0..clients)
            .map(|_| {
                let client = router.connect(0, ClientOptions::default(), Frames);
                let client = client.expect("room for a client");
                router.subscribe(0, client, 1, "fx/>", options).expect("room for it");
                client
            })
            .collect();
        Self { router, clients, topics, now: 0, at: 0 }
    }

    fn publish(&mut self) {
        self.now += 100;
        self.at = (self.at + 48_271) % self.topics.len();
        let envelope = Envelope { mode: Mode::Direct, format: 1, request: None, payload: &PAYLOAD };
        let result = self.router.publish(self.now, self.topics[self.at], &envelope);
        black_box(result).expect("it is taken");
    }

    fn send(&mut self) {
        while self.router.next_dirty().is_some() {}
        for client in &self.clients {
            let bytes = black_box(self.router.output(*client)).len();
            self.router.sent(self.now, *client, bytes);
        }
    }

    /// Sends until nothing waits.
    fn read_all(&mut self) {
        while self.clients.iter().any(|client| !self.router.output(*client).is_empty()) {
            self.send();
        }
    }

    /// Every topic once, so that all routes are made.
    fn warm(&mut self) {
        for _ in 0..self.topics.len().div_ceil(BATCH) {
            (0..BATCH).for_each(|_| self.publish());
            self.send();
        }
    }
}

fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Prints nanoseconds for each message: the best and the median of passes.
fn row(what: &str, bench: &mut Bench, mut batch: impl FnMut(&mut Bench)) {
    if !is_wanted(what) {
        return;
    }
    let mut passes: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = processor_time();
            for _ in 0..MESSAGES / BATCH {
                batch(bench);
            }
            (processor_time() - start) / MESSAGES as f64
        })
        .collect();
    passes.sort_by(f64::total_cmp);
    println!("{what:56}{:>9.1}{:>9.1}", passes[0], passes[PASSES / 2]);
}

/// Whether a row is to be measured: all, or those whose name has the program's first argument.
fn is_wanted(what: &str) -> bool {
    std::env::args().nth(1).is_none_or(|wanted| wanted == "--bench" || what.contains(&wanted))
}

fn batch(bench: &mut Bench) {
    (0..BATCH).for_each(|_| bench.publish());
    bench.send();
}

fn single(bench: &mut Bench) {
    for _ in 0..BATCH {
        bench.publish();
        bench.send();
    }
}

/// What it costs when a subscription to many topics ends, for each of its topics.
fn end_subscription(topics: usize) {
    let what = format!("end of a subscription, a topic of {topics}");
    if !is_wanted(&what) {
        return;
    }
    let mut bench = Bench::new(2, topics, &SubscriptionOptions::default());
    bench.warm();
    let client = bench.clients[1];
    let start = processor_time();
    bench.router.unsubscribe(bench.now, client, 1).expect("it is there");
    let each = (processor_time() - start) / topics as f64;
    println!("{what:56}{each:>9.1}");
}

/// Clients that do not read, and clients that read all of what waited for a while.
fn slow_clients(clients: usize, direct: &SubscriptionOptions, newest: &SubscriptionOptions) {
    let publish = |bench: &mut Bench| (0..BATCH).for_each(|_| bench.publish());
    let mut bench = Bench::new(clients, 100, direct);
    bench.warm();
    row(&format!("direct to {clients} blocked, the oldest lost, 100 topics"), &mut bench, publish);
    let mut bench = Bench::new(clients, 100, newest);
    bench.warm();
    row(&format!("conflated to {clients} blocked, 100 topics"), &mut bench, publish);
    for waiting in [4 * 1024, 64 * 1024] {
        let mut bench = Bench::new(clients, 100, direct);
        bench.warm();
        let mut published = 0;
        row(
            &format!("direct to {clients}, read after {waiting} messages, 100 topics"),
            &mut bench,
            |bench| {
                publish(bench);
                published += BATCH;
                if published % waiting == 0 {
                    bench.read_all();
                }
            },
        );
    }
}

fn main() {
    println!("{:56}{:>9}{:>9}", "nanoseconds a message", "best", "median");
    let direct = SubscriptionOptions::default();
    for (matches, topics) in
        [(1, 1), (1, 100), (1, 10_000), (1, 100_000), (1, 500_000), (8, 1), (8, 10_000), (100, 1)]
    {
        let mut bench = Bench::new(matches, topics, &direct);
        bench.warm();
        row(&format!("direct, {matches} matches, {topics} topics"), &mut bench, batch);
    }
    let mut bench = Bench::new(1, 1, &direct);
    row("direct, 1 match, sent one by one", &mut bench, single);

    let newest = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
    let mut bench = Bench::new(1, 1_000, &newest);
    bench.warm();
    row("conflated without a cap, delivered, 1,000 topics", &mut bench, batch);

    let seldom = SubscriptionOptions { updates_per_second: NonZeroU32::new(1), ..newest };
    let mut bench = Bench::new(1, 1_000, &seldom);
    bench.warm();
    row("conflated, replaced, 1,000 topics", &mut bench, batch);

    // A message every 100 ns to 1,000 topics: each interval ends before the topic's next message.
    let often = SubscriptionOptions { updates_per_second: NonZeroU32::new(10_100), ..newest };
    let mut bench = Bench::new(1, 1_000, &often);
    bench.warm();
    row("conflated, interval over at each message, 1,000 topics", &mut bench, |bench| {
        (0..BATCH).for_each(|_| bench.publish());
        bench.router.advance(bench.now);
        bench.send();
    });

    for clients in [1, 8, 100] {
        slow_clients(clients, &direct, &newest);
    }
    end_subscription(1_000);
    end_subscription(500_000);
}
