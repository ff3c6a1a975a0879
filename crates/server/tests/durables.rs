//! Delivery policies and administration from outside: a real router with a real folder, and the client library.

mod threads;

use std::collections::VecDeque;
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
    config.router.threads = threads::threads();
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

/// What came, of which no event is left out.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Consuming(u32),
    /// Its position, how often it was delivered before, and its payload.
    Delivery(u64, u32, String),
    Lost(LostReason, u64),
    Rejected(u16),
    Ended,
}

/// A client that consumes, with what it has not looked at yet.
struct Desk(Client, VecDeque<Seen>);

impl Desk {
    fn new(router: &Running, name: &str) -> Self {
        Self(client(router, name), VecDeque::new())
    }

    fn next(&mut self) -> Seen {
        while self.1.is_empty() {
            let Self(client, seen) = self;
            let events = client.receive(Some(PATIENCE), &mut |event| match event {
                Event::Consuming(it) => seen.push_back(Seen::Consuming(it.window)),
                Event::Delivery(it) => {
                    let payload = String::from_utf8_lossy(it.payload).into_owned();
                    seen.push_back(Seen::Delivery(it.position, it.deliveries, payload));
                }
                Event::Lost(it) => seen.push_back(Seen::Lost(it.reason, it.count)),
                Event::Rejected(it) => seen.push_back(Seen::Rejected(it.code)),
                Event::Ended(_) => seen.push_back(Seen::Ended),
                _ => {}
            });
            assert_ne!(events.expect("received"), 0, "nothing comes");
        }
        self.1.pop_front().expect("something came")
    }

    /// The next event, which is a delivery.
    fn delivery(&mut self) -> (u64, u32, String) {
        match self.next() {
            Seen::Delivery(position, deliveries, payload) => (position, deliveries, payload),
            other => panic!("{other:?}"),
        }
    }

    fn consume(&mut self, name: &str, pattern: &str) -> trunkline_client::Subscription {
        self.0.consume(&Consume::durable(name, pattern)).expect("it is active")
    }

    fn release(&mut self, subscription: trunkline_client::Subscription, position: u64) {
        self.0.release(subscription, position, Duration::ZERO).expect("sent");
        self.0.flush().expect("sent");
    }

    fn acknowledge(&mut self, subscription: trunkline_client::Subscription, position: u64) {
        self.0.acknowledge(subscription, position).expect("sent");
        self.0.flush().expect("sent");
    }
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
    let mut desk = Desk::new(&router, "desk");
    let subscription = desk.consume("gateway", "orders/>");
    Desk::new(&router, "morgue").consume("morgue", "dead/>");
    store(&mut feed, "poison");
    let (position, deliveries, payload) = desk.delivery();
    assert_eq!((deliveries, &*payload), (0, "poison"));
    desk.release(subscription, position);
    assert_eq!(desk.delivery().1, 1);
    // The consumer dies with it, and the router is restarted.
    drop(desk);
    while status(&router, "gateway").in_flight_now > 0 {
        std::thread::yield_now();
    }
    router.stop();
    let router = Server::start(config(&folder.0)).expect("a router");
    let mut desk = Desk::new(&router, "desk");
    let subscription = desk.consume("gateway", "orders/>");
    assert_eq!(desk.delivery().1, 2, "all were counted");
    desk.release(subscription, position);
    let mut morgue = Desk::new(&router, "morgue");
    let letters = morgue.consume("morgue", "dead/>");
    let (at, _, letter) = morgue.delivery();
    let (head, payload) = letter.split_once("\n\n").expect("an empty line");
    assert_eq!(payload, "poison");
    for line in ["durable: gateway", "topic: orders/new", "deliveries: 3", "reason: released"] {
        assert!(head.lines().any(|it| it == line), "{line} of {head}");
    }
    morgue.acknowledge(letters, at);
    let status = status(&router, "gateway");
    assert_eq!((status.dead_lettered, status.deliveries_limit), (1, 3));
    assert_eq!((status.waiting_now, status.in_flight_now), (0, 0));
}

#[test]
fn an_administrator_pauses_purges_and_moves() {
    let folder = Folder::new("durables-administration");
    let router = Server::start(config(&folder.0)).expect("a router");
    let mut feed = client(&router, "feed");
    feed.producer("feed").expect("a producer");
    let mut desk = Desk::new(&router, "desk");
    let subscription = desk.consume("desk", "orders/>");
    let name = || "desk".to_owned();
    ask(&router, StoreRequest::Pause(name()));
    assert_eq!(desk.next(), Seen::Consuming(0), "it is told");
    store(&mut feed, "first");
    store(&mut feed, "second");
    assert!(status(&router, "desk").is_paused);
    ask(&router, StoreRequest::Resume(name()));
    assert_eq!(desk.next(), Seen::Consuming(1_000));
    let (first, ..) = desk.delivery();
    assert_eq!(desk.delivery().2, "second");
    desk.acknowledge(subscription, first);
    while status(&router, "desk").acknowledged == 0 {
        std::thread::yield_now();
    }
    let purged = ask(&router, StoreRequest::Purge(name()));
    assert_eq!((purged.purged, purged.is_at_least), (1, false));
    assert_eq!(desk.next(), Seen::Lost(LostReason::Purged, 1));
    ask(&router, StoreRequest::Seek(name(), Start::All));
    assert_eq!(desk.next(), Seen::Rejected(code::MOVED));
    desk.consume("desk", "orders/>");
    assert_eq!((desk.delivery().2, desk.delivery().2), ("first".into(), "second".into()));
    ask(&router, StoreRequest::Delete(name()));
    assert_eq!(desk.next(), Seen::Ended);
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

#[test]
fn a_consumer_asks_for_fewer_deliveries_than_the_configuration_grants() {
    let folder = Folder::new("durables-asked");
    let router = Server::start(config(&folder.0)).expect("a router");
    let mut feed = client(&router, "feed");
    feed.producer("feed").expect("a producer");
    let mut desk = Desk::new(&router, "desk");
    let within = Duration::from_secs(3_600);
    let asked = |name: &str| Consume {
        acknowledge_within: within,
        deliveries: 2,
        ..Consume::durable(name, "orders/>")
    };
    match desk.0.consume(&asked("desk")) {
        Err(trunkline_client::Error::Rejected(it)) => {
            assert!(it.code == code::DIFFERENT && it.text.contains("dead_letters"), "{}", it.text);
        }
        other => panic!("{other:?}"),
    }
    let subscription = desk.0.consume(&asked("gateway")).expect("it is active");
    let policy = |router: &Running| {
        let it = status(router, "gateway");
        (it.acknowledge_within_ns, it.deliveries_limit)
    };
    assert_eq!(policy(&router), (within.as_nanos() as u64, 2));
    store(&mut feed, "poison");
    for before in 0..2 {
        let (position, deliveries, _) = desk.delivery();
        assert_eq!(deliveries, before);
        desk.release(subscription, position);
    }
    while status(&router, "gateway").dead_lettered == 0 {
        std::thread::yield_now();
    }
    drop(desk);
    while policy(&router) != (0, 3) {
        std::thread::yield_now();
    }
}
