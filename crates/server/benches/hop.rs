//! A running router with its clients on threads of this process: what a second carries, and how long a
//! message takes there and back, over each transport.
//!
//! `cargo bench -p trunkline-server --bench hop`. Three threads want three processors; with fewer, the
//! figures are for comparison with others of the same run.

#![forbid(unsafe_code)]

use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Options, Subscribe};
use trunkline_server::{Config, Server};

const MESSAGES: u64 = 1_000_000;
const ROUNDS: usize = 20_000;
const PATIENCE: Duration = Duration::from_secs(10);

fn config(address: &str) -> Config {
    let mut config = Config::default();
    config.listen.native = vec![address.parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = None;
    // Nothing is to be lost, however slow the readers are.
    config.client.queue_messages = usize::MAX;
    config.client.queue_bytes = 1 << 40;
    config
}

/// Messages a second from one publisher, delivered to so many subscribers in all.
fn flow(address: &str, subscribers: usize) -> f64 {
    let readers: Vec<_> = (0..subscribers)
        .map(|_| {
            let mut reader = Client::connect(address, &Options::named("reader")).expect("a client");
            reader.subscribe("flow", &Subscribe::every()).expect("a subscription");
            thread::spawn(move || {
                let mut count = 0;
                while count < MESSAGES {
                    let came = reader.receive(Some(PATIENCE), &mut |event| match event {
                        Event::Message(_) => count += 1,
                        Event::Gap(gap) => panic!("{} lost", gap.count),
                        _ => {}
                    });
                    assert!(came.expect("a connection") > 0, "{count} came");
                }
            })
        })
        .collect();
    let mut writer = Client::connect(address, &Options::named("writer")).expect("a client");
    let topic = writer.topic("flow").expect("a topic");
    let start = Instant::now();
    for _ in 0..MESSAGES {
        writer.enqueue(topic, &[b'x'; 128]).expect("it is sent");
    }
    writer.flush().expect("it is sent");
    for reader in readers {
        reader.join().expect("a reader");
    }
    (MESSAGES * subscribers as u64) as f64 / start.elapsed().as_secs_f64() / 1e6
}

/// Median and 99th percentile of a message to oneself, in microseconds.
fn round_trip(address: &str) -> (f64, f64) {
    let mut client = Client::connect(address, &Options::named("both")).expect("a client");
    client.subscribe("echo", &Subscribe::every()).expect("a subscription");
    let topic = client.topic("echo").expect("a topic");
    let mut times: Vec<u64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            client.publish(topic, &[b'x'; 128]).expect("it is sent");
            let mut has_come = false;
            while !has_come {
                let wait = client.receive(Some(PATIENCE), &mut |event| {
                    has_come |= matches!(event, Event::Message(_));
                });
                wait.expect("a connection");
            }
            u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
        })
        .collect();
    times.sort_unstable();
    (times[ROUNDS / 2] as f64 / 1e3, times[ROUNDS * 99 / 100] as f64 / 1e3)
}

fn main() {
    let folder = std::env::temp_dir().join(format!("trunkline-hop-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |scheme: &str| format!("{scheme}://{}", folder.join(scheme).display());
    for address in ["tcp://127.0.0.1:0".to_owned(), file("unix"), file("shm")] {
        let router = Server::start(config(&address)).expect("a router");
        let at = router.addresses()[0].address.to_string();
        let transport = at.split(':').next().unwrap_or_default().to_owned();
        let (one, eight) = (flow(&at, 1), flow(&at, 8));
        let (median, tail) = round_trip(&at);
        println!(
            "{transport:5} 1 to 1 {one:5.2} M/s  1 to 8 {eight:5.2} M/s  there and back {median:6.1} us median {tail:7.1} us p99"
        );
        router.stop();
    }
    let _ = std::fs::remove_dir_all(&folder);
}
