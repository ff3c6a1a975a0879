//! A disk that fills up under a router with the client library as its clients: producers are told, nothing that was
//! acknowledged is lost, and all goes on when there is room, without a restart.
//!
//! The disk is the room that the configuration gives the journal; where the environment names a folder on a
//! small file system, it is that file system, as `tests/soak-guaranteed` has it.

mod threads;

use std::env;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use trunkline_client::{Client, Consume, Error, Event, Options, Start, code, format};
use trunkline_server::{Config, Running, Server};

/// A folder on a file system of 8 to 64 MiB that may be filled.
const SMALL_DISK: &str = "TRUNKLINE_SMALL_DISK";

const PAYLOAD: usize = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(20);

fn router(directory: &Path, bytes: u64) -> Running {
    let mut config = Config::default();
    config.router.threads = threads::threads();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    (config.listen.http, config.listen.websocket) = (None, None);
    config.journal.directory = Some(directory.to_owned());
    config.journal.segment_bytes = 1 << 20;
    config.journal.bytes = bytes;
    config.journal.keep = Duration::ZERO;
    Server::start(config).expect("a router")
}

fn client(router: &Running, name: &str) -> Client {
    let address = router.addresses()[0].address.to_string();
    Client::connect(&address, &Options::named(name)).expect("connected")
}

/// Stores messages, each with its sequence as payload, until the router says that there is no room; gives
/// the last sequence that is acknowledged.
fn store_until_full(desk: &mut Client) -> u64 {
    let topic = desk.topic("orders/new").expect("a topic");
    loop {
        let next = desk.unacknowledged().end;
        let mut payload = [0; PAYLOAD];
        payload[..8].copy_from_slice(&next.to_le_bytes());
        let sequence = desk.store(topic, format::OPAQUE, &payload).expect("taken");
        assert_eq!(sequence, next);
        if !is_stored(desk, sequence) {
            return desk.acknowledged().expect("some were").sequence;
        }
    }
}

/// Waits until a message is acknowledged, or rejected because there is no room.
fn is_stored(desk: &mut Client, sequence: u64) -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        match desk.wait_stored(sequence, Duration::from_millis(50)) {
            Ok(stored) => {
                assert_eq!((stored.sequence, stored.durability.disk), (sequence, 1));
                return true;
            }
            Err(Error::TimedOut { .. }) => {}
            Err(other) => panic!("{other}"),
        }
        let mut rejected = None;
        desk.receive(Some(Duration::ZERO), &mut |event| {
            if let Event::Rejected(it) = event {
                rejected = Some((it.code, it.text.to_owned()));
            }
        })
        .expect("received");
        if let Some((code, why)) = rejected {
            assert_eq!(code, code::NOT_DURABLE);
            assert!(why.starts_with("the journal is full: "), "{why:?}");
            return false;
        }
    }
    panic!("{sequence} is neither stored nor rejected");
}

/// Receives and acknowledges the messages up to one, which must come in order and once.
fn take(gateway: &mut Client, next: &mut u64, last: u64) {
    let until = Instant::now() + PATIENCE;
    while *next <= last {
        assert!(Instant::now() < until, "{next} of {last} does not come");
        let mut done = None;
        gateway
            .receive(Some(PATIENCE), &mut |event| {
                if let Event::Delivery(it) = event {
                    let number = u64::from_le_bytes(it.payload[..8].try_into().expect("a number"));
                    assert_eq!((number, it.payload.len()), (*next, PAYLOAD));
                    *next += 1;
                    done = Some((it.subscription, it.position));
                }
            })
            .expect("received");
        if let Some((subscription, position)) = done {
            gateway.acknowledge_through(subscription, position).expect("acknowledged");
        }
    }
    gateway.flush().expect("sent");
}

/// Whether the message that found no room is stored by itself now that there is some.
fn goes_on(desk: &mut Client) {
    let last = desk.unacknowledged().end - 1;
    desk.wait_stored(last, PATIENCE).expect("stored when there is room");
}

#[test]
fn a_full_disk_rejects_and_goes_on() {
    let small = env::var_os(SMALL_DISK).map(PathBuf::from);
    let folder = small.clone().unwrap_or_else(env::temp_dir);
    let folder = folder.join(format!("trunkline-full-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let bytes = if small.is_some() { 1 << 30 } else { 6 << 20 };
    let first = router(&folder, bytes);
    let mut gateway = client(&first, "gateway");
    let how = Consume { start: Start::All, ..Consume::durable("gateway", ">") };
    gateway.consume(&how).expect("it stands");
    let mut desk = client(&first, "desk");
    assert_eq!(desk.producer("desk").expect("a producer"), 0);
    let mut next = 1;
    for round in 0..3 {
        let acknowledged = store_until_full(&mut desk);
        assert!(acknowledged >= next + 50, "round {round}: {acknowledged}");
        take(&mut gateway, &mut next, acknowledged);
        goes_on(&mut desk);
    }
    // Full, and ended: what was acknowledged is there, and the subscription goes on where it was.
    let acknowledged = store_until_full(&mut desk);
    drop((desk, gateway));
    first.stop();
    let second = router(&folder, bytes);
    let mut gateway = client(&second, "gateway");
    gateway.consume(&Consume::durable("gateway", ">")).expect("it stands");
    let mut desk = client(&second, "desk");
    assert_eq!(desk.producer("desk").expect("a producer"), acknowledged);
    take(&mut gateway, &mut next, acknowledged);
    let topic = desk.topic("orders/new").expect("a topic");
    let mut payload = [0; PAYLOAD];
    payload[..8].copy_from_slice(&next.to_le_bytes());
    let sequence = desk.store(topic, format::OPAQUE, &payload).expect("taken");
    desk.wait_stored(sequence, PATIENCE).expect("there is room again");
    take(&mut gateway, &mut next, sequence);
    drop((desk, gateway));
    second.stop();
    std::fs::remove_dir_all(&folder).expect("removed");
}
