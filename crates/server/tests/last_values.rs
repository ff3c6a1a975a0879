//! Last values of a running router, for programs and for pages.

mod threads;

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use trunkline_client::{Client, Event, Options, Subscribe};
use trunkline_server::config::LastValueRule;
use trunkline_server::snapshot::SnapshotRequest;
use trunkline_server::{Config, Running, Server};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

fn config(kept: &[&str]) -> Config {
    let mut config = Config::default();
    config.router.threads = threads::threads();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = Some("127.0.0.1:0".into());
    let rule = |topics: &&str| LastValueRule { topics: (*topics).to_owned() };
    config.last_values = kept.iter().map(rule).collect();
    config
}

fn start(kept: &[&str]) -> Running {
    Server::start(config(kept)).expect("a router")
}

fn address(router: &Running, protocol: &str) -> String {
    let mut all = router.addresses().iter();
    all.find(|it| it.protocol == protocol).expect("a listener").url()
}

fn client(router: &Running) -> Client {
    Client::connect(&address(router, "native"), &Options::named("test")).expect("a client")
}

/// Publishes, and waits until the router has taken it.
fn publish(client: &mut Client, messages: &[(&str, &str)]) {
    for (name, payload) in messages {
        let topic = client.topic(name).expect("a topic");
        client.publish(topic, payload.as_bytes()).expect("it is sent");
        client.forget(topic);
    }
    client.synchronise().expect("the router answers");
}

/// Reads so many messages and ends of last values, as words.
fn read(client: &mut Client, most: usize) -> Vec<String> {
    let mut read = Vec::new();
    while read.len() < most {
        let count = client.receive(Some(PATIENCE), &mut |event| match event {
            Event::Message(it) => {
                let payload = String::from_utf8_lossy(it.payload).into_owned();
                let first = if it.last_value.is_some() { " last" } else { "" };
                let aged = it.last_value.is_none() || it.age.is_some_and(|age| age > 0);
                assert!(aged, "the age is known: {it:?}");
                read.push(format!("{}#{}{first} {payload}", it.topic, it.sequence));
            }
            Event::LastValues(it) => read.push(format!("all {}", it.count)),
            _ => {}
        });
        assert!(count.expect("the router speaks") > 0, "nothing more than {read:?}");
    }
    read
}

struct Page(WebSocket<TcpStream>);

impl Page {
    fn open(router: &Running) -> Self {
        let url = address(router, "websocket");
        let place = url.trim_start_matches("ws://").trim_end_matches('/').to_owned();
        let stream = TcpStream::connect(place).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        let request = url.into_client_request().expect("a request");
        let (socket, _) = tungstenite::client(request, stream).expect("a handshake");
        let mut page = Self(socket);
        assert_eq!(page.told()["welcome"]["version"], 1);
        page
    }

    fn say(&mut self, command: &Value) {
        self.0.send(Message::text(command.to_string())).expect("it is sent");
    }

    fn told(&mut self) -> Value {
        match self.0.read().expect("a frame") {
            Message::Text(text) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("not a text: {other:?}"),
        }
    }
}

#[test]
fn programs_get_last_values_first_and_then_what_follows() {
    let router = start(&["fx/>", "eq/*"]);
    let mut feed = client(&router);
    publish(&mut feed, &[("fx/EUR", "1"), ("fx/EUR", "2"), ("fx/USD/1M", "3"), ("news/a", "4")]);
    drop(feed);
    for how in [Subscribe::every(), Subscribe::newest(), Subscribe::at_most(1_000)] {
        let mut screen = client(&router);
        screen.subscribe("*/>", &how.last_values()).expect("it stands");
        let lines = read(&mut screen, 3);
        assert_eq!(lines, ["fx/EUR#2 last 2", "fx/USD/1M#1 last 3", "all 2"]);
    }
    let mut screen = client(&router);
    screen.subscribe("fx/EUR", &Subscribe::every().last_values()).expect("it stands");
    assert_eq!(read(&mut screen, 2), ["fx/EUR#2 last 2", "all 1"]);
    publish(&mut client(&router), &[("fx/EUR", "5")]);
    assert_eq!(read(&mut screen, 1), ["fx/EUR#3 5"]);
    let request = SnapshotRequest { clients: 0, topics: 0 };
    let totals = router.handle().snapshot(request).expect("the router answers").totals;
    assert_eq!((totals.last_values.values_now, totals.last_values.offered), (2, 7));
    router.stop();
}

#[test]
fn pages_get_last_values_and_clear_them() {
    let router = start(&["fx/>"]);
    publish(&mut client(&router), &[("fx/EUR", "1.0842"), ("fx/USD", "1")]);
    let mut page = Page::open(&router);
    page.say(&json!({"subscribe": 1, "pattern": "fx/EUR", "last_values": true}));
    assert_eq!(page.told(), json!({"subscribed": 1}));
    let mut told = page.told();
    let message = &mut told["message"];
    assert!(message["age_ns"].as_u64().expect("an age") > 0);
    message["age_ns"] = json!(0);
    assert_eq!(
        *message,
        json!({"subscription": 1, "topic": "fx/EUR", "sequence": 1, "last_value": true, "age_ns": 0,
            "payload": "1.0842"})
    );
    assert_eq!(page.told(), json!({"last_values": {"subscription": 1, "count": 1}}));
    page.say(&json!({"publish": "fx/EUR", "payload": "gone", "clear_last_value": true}));
    assert_eq!(page.told()["message"]["sequence"], 2);
    page.say(&json!({"subscribe": 2, "pattern": "fx/*", "conflate": true, "last_values": true}));
    assert_eq!(page.told(), json!({"subscribed": 2}));
    let told = page.told();
    assert_eq!(
        (&told["message"]["topic"], &told["message"]["replaced"]),
        (&json!("fx/USD"), &json!(0))
    );
    assert_eq!(page.told(), json!({"last_values": {"subscription": 2, "count": 1}}));
    // Programs clear them too.
    let mut feed = client(&router);
    let topic = feed.topic("fx/USD").expect("a topic");
    feed.publish_and_clear(topic, 0, b"gone").expect("it is sent");
    feed.subscribe("fx/>", &Subscribe::every().last_values()).expect("it stands");
    assert_eq!(read(&mut feed, 1), ["all 0"]);
    router.stop();
}

#[test]
fn a_reload_says_what_is_kept() {
    let router = start(&[]);
    let mut feed = client(&router);
    publish(&mut feed, &[("a", "1")]);
    let mut screen = client(&router);
    screen.subscribe("*", &Subscribe::every().last_values()).expect("it stands");
    assert_eq!(read(&mut screen, 1), ["all 0"]);
    router.handle().reconfigure(config(&["*"])).expect("it is taken");
    publish(&mut feed, &[("a", "2"), ("b", "1")]);
    assert_eq!(read(&mut screen, 2), ["a#2 2", "b#1 1"]);
    let mut other = client(&router);
    other.subscribe("*", &Subscribe::every().last_values()).expect("it stands");
    assert_eq!(read(&mut other, 3), ["a#2 last 2", "b#1 last 1", "all 2"]);
    let mut fewer = config(&["*"]);
    fewer.limits.last_values = 1;
    router.handle().reconfigure(fewer).expect("it is taken");
    publish(&mut feed, &[("c", "1")]);
    let mut third = client(&router);
    third.subscribe(">", &Subscribe::every().last_values()).expect("it stands");
    assert_eq!(read(&mut third, 2), ["c#1 last 1", "all 1"]);
    router.stop();
}
