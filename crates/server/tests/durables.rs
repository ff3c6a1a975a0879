//! Delivery policies and administration from outside: a real router with a real folder, and the client library.

use std::path::{Path, PathBuf};
use std::time::Duration;

use trunkline_client::{Client, Consume, Event, LostReason, Options, code, format};
use trunkline_server::administration::{Answer, Changed, Rejection, Request, StoreRequest};
use trunkline_server::config::DurableRule;
use trunkline_server::snapshot::{DurableStatus, SnapshotRequest};
use trunkline_server::{Config, Running, Server};
use trunkline_store::Start;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        // What an earlier run has left.
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn config(directory: &Path) -> Config {
    let mut config = Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    (config.listen.http, config.listen.websocket) = (None, None);
    config.journal.directory = Some(directory.to_owned());
    config.journal.segment_bytes = 4 << 20;
    config.journal.durables = vec![DurableRule {
        name: "gate*".to_owned(),
        acknowledge_within: None,
        deliveries: Some(3),
        dead_letters: Some("dead/gateway".to_owned()),
    }];
    config
}

fn client(router: &Running, name: &str) -> Client {
    let address = router.addresses()[0].address.to_string();
    Client::connect(&address, &Options::named(name)).expect("connected")
}

const PATIENCE: Duration = Duration::from_secs(20);

fn consume(client: &mut Client, name: &str, pattern: &str) -> trunkline_client::Subscription {
    client.consume(&Consume::durable(name, pattern)).expect("it is active")
}

/// Waits for something that an event says.
fn wait<T>(client: &mut Client, mut found: impl FnMut(&Event<'_>) -> Option<T>) -> T {
    let mut what = None;
    while what.is_none() {
        let events = client.receive(Some(PATIENCE), &mut |event| {
            if what.is_none() {
                what = found(&event);
            }
        });
        assert_ne!(events.expect("received"), 0, "it does not come");
    }
    what.expect("it came")
}

/// The next delivery: its position, how often it was delivered before, and its payload.
fn delivery(client: &mut Client) -> (u64, u32, String) {
    wait(client, |event| match event {
        Event::Delivery(it) => {
            let payload = String::from_utf8_lossy(it.payload).into_owned();
            Some((it.position, it.deliveries, payload))
        }
        _ => None,
    })
}

fn store(client: &mut Client, payload: &str) {
    let topic = client.topic("orders/new").expect("a topic");
    let sequence = client.store(topic, format::TEXT, payload.as_bytes()).expect("taken");
    client.wait_stored(sequence, PATIENCE).expect("stored");
}

fn status(router: &Running, name: &str) -> DurableStatus {
    let snapshot = router.handle().snapshot(SnapshotRequest { clients: 10, topics: 0 });
    let all = snapshot.expect("it answers").durables;
    all.into_iter().find(|it| it.name == name).expect("it is there")
}

fn try_ask(router: &Running, request: StoreRequest) -> Result<Changed, Rejection> {
    match router.handle().administer(Request::Store(request)).expect("it answers")? {
        Answer::Changed(changed) => Ok(changed),
        other => panic!("{other:?}"),
    }
}

fn ask(router: &Running, request: StoreRequest) -> Changed {
    try_ask(router, request).expect("it is done")
}

#[test]
fn a_consumer_that_gives_up_again_and_again_ends_in_a_dead_letter() {
    let folder = Folder::new("durables-letters");
    let router = Server::start(config(&folder.0)).expect("a router");
    let mut feed = client(&router, "feed");
    feed.producer("feed").expect("a producer");
    let mut desk = client(&router, "desk");
    let subscription = consume(&mut desk, "gateway", "orders/>");
    let mut morgue = client(&router, "morgue");
    let letters = consume(&mut morgue, "morgue", "dead/>");
    store(&mut feed, "poison");
    let (position, deliveries, payload) = delivery(&mut desk);
    assert_eq!((deliveries, &*payload), (0, "poison"));
    desk.release(subscription, position, Duration::ZERO).expect("sent");
    desk.flush().expect("sent");
    assert_eq!(delivery(&mut desk).1, 1);
    // The consumer dies with it, and the router is restarted.
    drop(desk);
    while status(&router, "gateway").in_flight_now > 0 {
        std::thread::yield_now();
    }
    router.stop();
    let router = Server::start(config(&folder.0)).expect("a router");
    let mut desk = client(&router, "desk");
    let subscription = consume(&mut desk, "gateway", "orders/>");
    let mut morgue_again = client(&router, "morgue");
    assert_eq!(delivery(&mut desk).1, 2, "all were counted");
    desk.release(subscription, position, Duration::ZERO).expect("sent");
    desk.flush().expect("sent");
    let again = consume(&mut morgue_again, "morgue", "dead/>");
    let (at, _, letter) = delivery(&mut morgue_again);
    let (head, payload) = letter.split_once("\n\n").expect("an empty line");
    assert_eq!(payload, "poison");
    for line in ["durable: gateway", "topic: orders/new", "deliveries: 3", "reason: released"] {
        assert!(head.lines().any(|it| it == line), "{line} of {head}");
    }
    assert_eq!(letters, again, "the same number");
    morgue_again.acknowledge(again, at).expect("sent");
    morgue_again.flush().expect("sent");
    let status = status(&router, "gateway");
    assert_eq!((status.dead_lettered, status.deliveries_limit), (1, 3));
    assert_eq!((status.waiting_now, status.in_flight_now), (0, 0));
    drop(morgue);
}

#[test]
fn an_administrator_pauses_purges_and_moves() {
    let folder = Folder::new("durables-administration");
    let router = Server::start(config(&folder.0)).expect("a router");
    let mut feed = client(&router, "feed");
    feed.producer("feed").expect("a producer");
    let mut desk = client(&router, "desk");
    let subscription = consume(&mut desk, "desk", "orders/>");
    let name = || "desk".to_owned();
    let window = |desk: &mut Client| {
        wait(desk, |event| match event {
            Event::Consuming(it) => Some(it.window),
            _ => None,
        })
    };
    ask(&router, StoreRequest::Pause(name()));
    assert_eq!(window(&mut desk), 0, "it is told");
    store(&mut feed, "first");
    store(&mut feed, "second");
    assert!(status(&router, "desk").is_paused);
    ask(&router, StoreRequest::Resume(name()));
    assert!(window(&mut desk) > 0);
    let (first, ..) = delivery(&mut desk);
    desk.acknowledge(subscription, first).expect("sent");
    desk.flush().expect("sent");
    assert_eq!(delivery(&mut desk).2, "second");
    let purged = ask(&router, StoreRequest::Purge(name()));
    let lost = wait(&mut desk, |event| match event {
        Event::Lost(it) => Some((it.reason, it.count)),
        _ => None,
    });
    assert_eq!(lost, (LostReason::Purged, purged.purged));
    ask(&router, StoreRequest::Seek(name(), Start::All));
    let rejected = wait(&mut desk, |event| match event {
        Event::Rejected(it) => Some((it.code, it.text.to_owned())),
        _ => None,
    });
    assert_eq!(rejected.0, code::MOVED, "{}", rejected.1);
    consume(&mut desk, "desk", "orders/>");
    assert_eq!(delivery(&mut desk).2, "first");
    assert_eq!(delivery(&mut desk).2, "second");
    ask(&router, StoreRequest::Delete(name()));
    wait(&mut desk, |event| matches!(event, Event::Ended(_)).then_some(()));
    let unknown = try_ask(&router, StoreRequest::Pause(name()));
    assert!(matches!(&unknown, Err(Rejection::NotFound(why)) if why.contains("no such durable")));
    let delete = || try_ask(&router, StoreRequest::DeleteProducer("feed".into()));
    let used = delete();
    assert!(matches!(&used, Err(Rejection::Conflict(why)) if why.contains("uses it")), "{used:?}");
    drop(feed);
    while delete().is_err() {
        std::thread::yield_now();
    }
    assert!(matches!(delete(), Err(Rejection::NotFound(why)) if why.contains("no such producer")));
}
