//! What a bystander waits for beside a client with very many subscriptions on patterns that overlap.
//!
//! `cargo bench -p trunkline-server --bench beside [-- ROUNDS]`: microseconds there and back over a Unix socket, alone
//! and beside the other one. Three threads want as many processors; with fewer, the figures are for comparison
//! with others of the same run.

#![forbid(unsafe_code)]

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Options, Subscribe, Topic};
use trunkline_server::snapshot::SnapshotRequest;
use trunkline_server::{Config, Server};

const ROUNDS: usize = 4_000;
const TURNS: usize = 6;
const PATIENCE: Duration = Duration::from_secs(60);

/// Groups of patterns that all match one topic: as many as may of one client.
const GROUPS: usize = 781;
const EACH: usize = 256;

/// Messages that the other client publishes to itself in a second: none, some, and as many as go.
const RATES: [u64; 3] = [0, 500, u64::MAX];

/// The topic of a group, or a pattern that matches it, by the levels that are wildcards.
fn name(group: usize, wild: usize) -> String {
    let level = |at: usize| if wild >> at & 1 == 1 { "/*" } else { "/a" };
    format!("{group}{}", (0..8).map(level).collect::<String>())
}

/// Messages to oneself, in nanoseconds.
fn round_trips(client: &mut Client, topic: Topic, times: &mut Vec<u64>) {
    for _ in 0..ROUNDS.min(rounds()) {
        let start = Instant::now();
        client.publish(topic, &[b'x'; 128]).expect("it is sent");
        let mut has_come = false;
        while !has_come {
            let wait = client.receive(Some(PATIENCE), &mut |event| {
                has_come |= matches!(event, Event::Message(_));
            });
            wait.expect("a connection");
        }
        times.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
}

fn rounds() -> usize {
    env::args().skip(1).find_map(|it| it.parse().ok()).unwrap_or(ROUNDS)
}

/// The client with very many subscriptions, which publishes as often as it is told.
fn greedy(address: &str, rate: &AtomicU64) {
    let mut client = Client::connect(address, &Options::named("greedy")).expect("a client");
    for number in 0..GROUPS * EACH {
        let pattern = name(number / EACH, number % EACH);
        client.subscribe(&pattern, &Subscribe::every()).expect("a subscription");
    }
    let topics: Vec<Topic> =
        (0..GROUPS).map(|group| client.topic(&name(group, 0)).expect("a topic")).collect();
    let mut at = 0;
    loop {
        let now = rate.load(Ordering::Relaxed);
        if now > 0 {
            at = (at + 1) % GROUPS;
            if client.publish(topics[at], &[b'x'; 128]).is_err() {
                return;
            }
        }
        let wait = match now {
            0 => Duration::from_millis(1),
            u64::MAX => Duration::ZERO,
            _ => Duration::from_nanos(1_000_000_000 / now),
        };
        if client.receive(Some(wait), &mut |_| {}).is_err() {
            return;
        }
    }
}

fn main() {
    let folder = env::temp_dir().join(format!("trunkline-beside-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut config = Config::default();
    let address = format!("unix://{}", folder.join("socket").display());
    config.listen.native = vec![address.parse().expect("an address")];
    (config.listen.http, config.listen.websocket) = (None, None);
    config.limits.subscriptions_per_client = GROUPS * EACH;
    let router = Server::start(config).expect("a router");
    let mut client = Client::connect(&address, &Options::named("aside")).expect("a client");
    client.subscribe("aside", &Subscribe::every()).expect("a subscription");
    let topic = client.topic("aside").expect("a topic");
    let mut alone = Vec::new();
    (0..TURNS).for_each(|_| round_trips(&mut client, topic, &mut alone));
    print("alone", &mut alone);
    let rate = Arc::new(AtomicU64::new(0));
    let (of_other, at) = (Arc::clone(&rate), address.clone());
    thread::spawn(move || greedy(&at, &of_other));
    let all = router.handle();
    let request = SnapshotRequest { clients: 0, topics: 0 };
    let most = (GROUPS * EACH) as u64;
    while all.snapshot(request).is_some_and(|it| it.totals.subscriptions_now <= most) {
        thread::sleep(Duration::from_millis(50));
    }
    // The one that leaves most behind comes last.
    for now in RATES {
        rate.store(now, Ordering::Relaxed);
        let mut times = Vec::new();
        (0..TURNS).for_each(|_| round_trips(&mut client, topic, &mut times));
        let what = if now == u64::MAX { "as many as go".to_owned() } else { format!("{now}/s") };
        print(&format!("beside one that publishes {what}"), &mut times);
    }
    router.stop();
    let _ = std::fs::remove_dir_all(&folder);
}

fn print(what: &str, times: &mut [u64]) {
    times.sort_unstable();
    let at = |per_mille: usize| times[times.len() * per_mille / 1_000] as f64 / 1e3;
    println!("{what:42} median {:8.1}  99 % {:8.1}  99.9 % {:8.1}", at(500), at(990), at(999));
}
