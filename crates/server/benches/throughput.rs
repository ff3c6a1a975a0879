//! What the router's threads cost at saturation: one publisher, one subscriber or eight, each on a
//! thread of its own, 128 bytes a message, over every transport.
//!
//! `cargo bench -p trunkline-server --bench throughput [-- MESSAGES [TRANSPORT [SUBSCRIBERS [THREADS]]]]`.
//! Processor time is the router's alone and means something on a busy machine too; the time by the
//! clock wants a core for each thread. With several threads (`router.threads`), the time of the busiest
//! of them bounds what the router can deliver.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Options, Subscribe};
use trunkline_reactor::Address;
use trunkline_server::{Config, Server};

const PAYLOAD: usize = 128;
const ROUNDS: usize = 3;

/// What a run gave.
#[derive(Clone, Copy)]
struct Run {
    elapsed: Duration,
    processor: Duration,
    /// Of the busiest thread.
    busiest: Duration,
    received: u64,
    lost: u64,
}

/// Time on a processor of each thread of the router.
fn router_times() -> BTreeMap<String, Duration> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times = tasks.filter_map(|task| {
        let read = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let name = read("comm").trim().to_owned();
        let is_router = ["trunkline-route", "trunkline-io-"].iter().any(|it| name.starts_with(it));
        let nanoseconds = read("schedstat").split(' ').next().and_then(|it| it.parse().ok());
        is_router.then(|| (name, Duration::from_nanos(nanoseconds.unwrap_or(0))))
    });
    times.collect()
}

/// Takes messages until there were as many, with those lost; returns both.
fn take(address: &str, number: usize, count: u64, ready: &std::sync::Barrier) -> (u64, u64) {
    let name = format!("subscriber {number}");
    let mut client = Client::connect(address, &Options::named(&name)).expect("a subscriber");
    client.subscribe("load", &Subscribe::every()).expect("a subscription");
    ready.wait();
    let (mut received, mut lost) = (0, 0);
    while received + lost < count {
        client
            .receive(None, &mut |event| match event {
                Event::Message(_) => received += 1,
                Event::Gap(gap) => lost += gap.count,
                _ => {}
            })
            .expect("messages");
    }
    (received, lost)
}

fn run(address: &Address, subscribers: usize, count: u64, threads: usize) -> Run {
    let mut config = Config::default();
    config.listen.native = vec![address.clone()];
    config.listen.http = None;
    config.listen.websocket = None;
    config.router.threads = threads;
    let router = Server::start(config).expect("a router");
    let place = router.addresses()[0].address.to_string();
    let ready = std::sync::Barrier::new(subscribers + 1);
    let run = thread::scope(|scope| {
        let takers: Vec<_> = (0..subscribers)
            .map(|number| {
                let (place, ready) = (&place, &ready);
                scope.spawn(move || take(place, number, count, ready))
            })
            .collect();
        let mut client = Client::connect(&place, &Options::named("publisher")).expect("a client");
        let topic = client.topic("load").expect("a topic");
        ready.wait();
        let (begin, before) = (Instant::now(), router_times());
        let payload = [7; PAYLOAD];
        for _ in 0..count {
            client.enqueue(topic, &payload).expect("room");
        }
        client.flush().expect("room");
        let counts: Vec<(u64, u64)> =
            takers.into_iter().map(|taker| taker.join().expect("a subscriber")).collect();
        let elapsed = begin.elapsed();
        let times = router_times().into_iter().map(|(name, time)| time - before[&name]);
        let times: Vec<Duration> = times.collect();
        Run {
            elapsed,
            processor: times.iter().sum(),
            busiest: times.into_iter().max().unwrap_or_default(),
            received: counts.iter().map(|it| it.0).sum(),
            lost: counts.iter().map(|it| it.1).sum(),
        }
    });
    router.stop();
    run
}

fn main() {
    let mut arguments = env::args().skip(1).filter(|it| it != "--bench");
    let count: u64 = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(2_000_000);
    let transport = arguments.next();
    let subscribers: Option<usize> = arguments.next().and_then(|it| it.parse().ok());
    let threads = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(1);
    let path = |kind: &str| env::temp_dir().join(format!("router-{kind}-{}.sock", process::id()));
    let addresses = [
        ("tcp", Address::Tcp("127.0.0.1:0".to_owned())),
        ("unix", Address::Unix(path("unix"))),
        ("shm", Address::SharedMemory(path("shm"))),
    ];
    println!(
        "{:<5} {:>3} {:>12} {:>14} {:>14} {:>14} {:>8}",
        "", "to", "M deliver/s", "router ns/msg", "ns/delivery", "busiest thread", "lost"
    );
    for (name, address) in addresses {
        if transport.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        for to in subscribers.map_or(vec![1, 8], |only| vec![only]) {
            let runs = (0..ROUNDS).map(|_| run(&address, to, count, threads));
            let mut runs: Vec<Run> = runs.collect();
            runs.sort_by_key(|run| run.processor);
            let run = runs[ROUNDS / 2];
            let processor = run.processor.as_nanos() as f64;
            println!(
                "{name:<5} {to:>3} {:>12.2} {:>14.1} {:>14.1} {:>14.1} {:>7.1}%",
                run.received as f64 / run.elapsed.as_secs_f64() / 1e6,
                processor / count as f64,
                processor / run.received as f64,
                run.busiest.as_nanos() as f64 / run.received as f64,
                run.lost as f64 * 100.0 / (run.lost + run.received) as f64
            );
        }
    }
}
