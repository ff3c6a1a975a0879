//! What a running router tells over HTTP.

mod administration;
mod identity;
mod open_metrics;
mod rendering;
#[path = "../threads/mod.rs"]
mod threads;
mod visitors;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Options, Subscribe};
use trunkline_http::{self as http, ClientConfig, HeaderMap, Method, Received, StatusCode};
use trunkline_server::snapshot::Snapshot;
use trunkline_server::{Config, Running, Server};

const PATIENCE: Duration = Duration::from_secs(30);

struct Site {
    router: Running,
    http: http::Client,
}

impl Site {
    fn start(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        config.router.threads = threads::threads();
        config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
        config.listen.http = Some("127.0.0.1:0".into());
        config.listen.websocket = None;
        change(&mut config);
        let router = Server::start(config).expect("a router");
        let address = place(&router, "http");
        let address = authority(&address);
        let http = http::Client::new(address, ClientConfig::default()).expect("a client");
        Self { router, http }
    }

    fn client(&self, name: &str) -> Client {
        Client::connect(&place(&self.router, "native"), &Options::named(name)).expect("a client")
    }

    fn ask(&mut self, method: &Method, path: &str) -> Received {
        self.http.request(method, path, &HeaderMap::new(), b"").expect("an answer")
    }

    fn get(&mut self, path: &str) -> Received {
        self.ask(&Method::GET, path)
    }

    fn metrics(&mut self) -> HashMap<String, f64> {
        let page = self.get("/metrics");
        assert_eq!(page.status, StatusCode::OK);
        let text = text(&page);
        open_metrics::read(&text).unwrap_or_else(|problem| panic!("{problem} in\n{text}"))
    }

    fn status(&mut self, query: &str) -> Snapshot {
        let page = self.get(&format!("/status{query}"));
        assert_eq!(page.status, StatusCode::OK, "{}", text(&page));
        assert_eq!(page.headers["content-type"], "application/json");
        serde_json::from_slice(&page.body).expect("a snapshot")
    }
}

fn place(router: &Running, protocol: &str) -> String {
    let found = router.addresses().iter().find(|it| it.protocol == protocol);
    found.expect("a listener").url()
}

/// Host and port of a URL.
fn authority(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches('/')
}

fn text(page: &Received) -> String {
    String::from_utf8(page.body.to_vec()).expect("text")
}

/// Takes messages until it has so many.
fn take(client: &mut Client, most: usize) {
    let mut taken = 0;
    while taken < most {
        client
            .receive(Some(PATIENCE), &mut |event| {
                taken += usize::from(matches!(event, Event::Message(_)));
            })
            .expect("messages");
    }
}

/// Tries until it holds.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "{what} has not come true");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn metrics_say_what_became_of_every_message() {
    let mut site = Site::start(|_| {});
    let (mut reader, mut writer) = (site.client("reader"), site.client("a \"writer\""));
    reader.subscribe("fx/*", &Subscribe::every()).expect("a subscription");
    reader.subscribe("fx/EURUSD", &Subscribe::at_most(1)).expect("a subscription");
    let topic = writer.topic("fx/EURUSD").expect("a topic");
    for update in 0..10_u8 {
        writer.publish(topic, &[update]).expect("it is sent");
    }
    writer.synchronise().expect("an answer");
    // Ten for each subscription, and the first of the capped one.
    take(&mut reader, 11);
    let samples = site.metrics();
    let of = |name: &str| samples.get(name).copied().unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(of("trunkline_clients"), 2.0);
    assert_eq!(of("trunkline_topics"), 1.0);
    assert_eq!(of("trunkline_subscriptions"), 2.0);
    assert_eq!(of("trunkline_matches"), 2.0);
    assert_eq!(of("trunkline_messages_total"), 10.0);
    assert_eq!(of("trunkline_published_total"), 20.0);
    // How many of the capped ones have gone by now is a matter of time.
    assert!(of("trunkline_delivered_total") >= 11.0);
    assert!(of("trunkline_elided_total") > 0.0);
    let parts = ["delivered_total", "elided_total", "queued_messages"];
    assert_eq!(parts.map(|name| of(&format!("trunkline_{name}"))).iter().sum::<f64>(), 20.0);
    assert_eq!(of("trunkline_discarded_total{reason=\"queue_full\"}"), 0.0);
    assert!(of("trunkline_loop_turns_total") > 0.0);
    for of_what in ["hop", "loop_turn"] {
        let [count, sum] =
            ["count", "sum"].map(|it| of(&format!("trunkline_{of_what}_seconds_{it}")));
        assert!(count > 0.0 && sum > 0.0, "{of_what}: {count} took {sum} s");
    }
    assert!(of("trunkline_uptime_seconds") > 0.0);
    let series = |name: &str| {
        let found = samples.iter().find(|(key, _)| {
            key.starts_with("trunkline_client_messages_total{")
                && key.contains(&format!("name=\"{name}\",profile=\"tcp/native/opaque\""))
        });
        *found.unwrap_or_else(|| panic!("no series of {name}")).1
    };
    assert_eq!((series("reader"), series("a \\\"writer\\\"")), (0.0, 10.0));
    // What waited for a client that leaves is lost with it.
    drop(reader);
    let client_gone = "trunkline_discarded_total{reason=\"client_gone\"}";
    let until = Instant::now() + PATIENCE;
    while site.metrics()["trunkline_clients"] > 1.0 {
        assert!(Instant::now() < until, "the reader has not left");
    }
    let samples = site.metrics();
    let parts = ["trunkline_delivered_total", "trunkline_elided_total", client_gone];
    assert_eq!(parts.map(|name| samples[name]).iter().sum::<f64>(), 20.0, "{samples:?}");
}

#[test]
fn series_of_clients_are_bounded() {
    let mut site = Site::start(|config| config.metrics.clients = 2);
    let clients: Vec<Client> = (0..5).map(|number| site.client(&format!("c{number}"))).collect();
    let samples = site.metrics();
    assert_eq!(samples["trunkline_clients"], clients.len() as f64);
    let subscriptions = samples.keys().filter(|key| key.starts_with("trunkline_client_subscr"));
    assert_eq!(subscriptions.count(), 2);
}

#[test]
fn status_lists_what_is_asked_for() {
    let mut site = Site::start(|_| {});
    let mut clients: Vec<Client> =
        (0..3).map(|number| site.client(&format!("c{number}"))).collect();
    for (at, name) in ["rare", "busy", "silent"].into_iter().enumerate() {
        let topic = clients[0].topic(name).expect("a topic");
        for _ in 0..[1, 5, 0][at] {
            clients[0].publish(topic, b"x").expect("it is sent");
        }
    }
    clients[0].synchronise().expect("an answer");
    let all = site.status("");
    assert_eq!((all.totals.clients_now, all.clients.len()), (3, 3));
    let topics: Vec<_> = all.topics.iter().map(|it| (&*it.name, it.messages)).collect();
    assert_eq!(topics, [("busy", 5), ("rare", 1)]);
    let few = site.status("?clients=1&topics=1");
    assert_eq!((few.totals.clients_now, few.clients.len(), few.topics.len()), (3, 1, 1));
    assert_eq!(few.topics[0].name, "busy");
}

#[test]
fn questions_that_are_none_are_answered_with_what_there_is() {
    let mut site = Site::start(|_| {});
    for (path, status, part) in [
        ("/health", StatusCode::OK, "alive"),
        ("/health/ready", StatusCode::OK, "ready"),
        ("/", StatusCode::OK, "/metrics"),
        ("/metrix", StatusCode::NOT_FOUND, "/metrics"),
        ("/status?client=1", StatusCode::BAD_REQUEST, "\"client\" is not known"),
        ("/status?clients=-1", StatusCode::BAD_REQUEST, "whole number"),
        ("/status?clients=1000000", StatusCode::BAD_REQUEST, "at most 100000"),
    ] {
        let page = site.get(path);
        assert_eq!(page.status, status, "{path}");
        assert!(text(&page).contains(part), "{path}: {}", text(&page));
        assert_eq!(page.headers["cache-control"], "no-store", "{path}");
    }
    let page = site.ask(&Method::POST, "/status");
    assert_eq!(page.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(page.headers["allow"], "GET, HEAD");
    let page = site.ask(&Method::HEAD, "/metrics");
    assert_eq!((page.status, page.body.len()), (StatusCode::OK, 0));
}

#[test]
fn an_address_that_is_taken_is_named() {
    let site = Site::start(|_| {});
    let taken = authority(&place(&site.router, "http")).to_owned();
    let mut config = Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = Some(taken.clone());
    config.listen.websocket = None;
    let error = Server::start(config).expect_err("the port is taken").to_string();
    assert!(error.contains(&taken), "{error}");
}
