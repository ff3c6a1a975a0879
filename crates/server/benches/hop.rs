//! How long a message takes from a client through a running router and back to it, over each transport,
//! sleeping and spinning.
//!
//! `cargo bench -p trunkline-server --bench hop [-- NAME [ROUNDS]]`, where a name is as in
//! `shm spinning` or the beginning of one. Two threads want two
//! processors; with fewer, the figures are for comparison with others of the same run.

#![forbid(unsafe_code)]

use std::env;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Idle, Options, Subscribe};
use trunkline_server::{Config, Server};

const ROUNDS: usize = 20_000;
const PATIENCE: Duration = Duration::from_secs(10);

fn config(address: &str, idle: Idle) -> Config {
    let mut config = Config::default();
    config.listen.native = vec![address.parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = None;
    config.router.idle = idle;
    config
}

/// Of a message to oneself, in ascending order, in nanoseconds.
fn round_trips(address: &str, idle: Idle, rounds: usize) -> Vec<u64> {
    let options = Options { idle, ..Options::named("both") };
    let mut client = Client::connect(address, &options).expect("a client");
    client.subscribe("echo", &Subscribe::every()).expect("a subscription");
    let topic = client.topic("echo").expect("a topic");
    let mut times: Vec<u64> = (0..rounds)
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
    times
}

fn main() {
    let mut arguments = env::args().skip(1).filter(|it| it != "--bench");
    let only = arguments.next().unwrap_or_default();
    let rounds = arguments.next().map_or(ROUNDS, |it| it.parse().expect("a number"));
    let folder = env::temp_dir().join(format!("trunkline-hop-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |scheme: &str| format!("{scheme}://{}", folder.join(scheme).display());
    for address in ["tcp://127.0.0.1:0".to_owned(), file("unix"), file("shm")] {
        for (waits, idle) in [("sleeping", Idle::Block), ("spinning", Idle::Spin)] {
            let name = format!("{} {waits}", address.split(':').next().unwrap_or_default());
            if !name.starts_with(&only) {
                continue;
            }
            let router = Server::start(config(&address, idle)).expect("a router");
            let times = round_trips(&router.addresses()[0].address.to_string(), idle, rounds);
            let at = |per_mille: usize| times[rounds * per_mille / 1_000] as f64 / 1e3;
            println!(
                "{name:13}  there and back, us: median {:7.2}  99 % {:8.2}  99.9 % {:8.2}",
                at(500),
                at(990),
                at(999)
            );
            router.stop();
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
