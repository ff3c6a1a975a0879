//! `trunkline top` against a router, as a user types it.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use trunkline_client::{Client, Consume, Event, Options, Start, Subscribe, format};
use trunkline_server::snapshot::Snapshot;
use trunkline_server::{Config, Running, Server};

fn router() -> Running {
    let mut config = Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = Some("127.0.0.1:0".into());
    config.listen.websocket = None;
    Server::start(config).expect("a router")
}

fn place(router: &Running, protocol: &str) -> String {
    let found = router.addresses().iter().find(|it| it.protocol == protocol);
    found.expect("a listener").url()
}

fn top(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.arg("top").args(arguments).output().expect("the program runs")
}

/// Status, standard output and standard error.
fn said(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A router with a reader that has got three messages, and a writer; they stay connected.
fn busy() -> (Running, [Client; 2]) {
    let router = router();
    let connect = |name: &str| {
        Client::connect(&place(&router, "native"), &Options::named(name)).expect("a client")
    };
    let (mut reader, mut writer) = (connect("reader"), connect("writer"));
    reader.subscribe("fx/>", &Subscribe::every()).expect("a subscription");
    let topic = writer.topic("fx/EURUSD").expect("a topic");
    for _ in 0..3 {
        writer.publish(topic, b"1.0842").expect("it is sent");
    }
    let mut taken = 0;
    while taken < 3 {
        let patience = Some(Duration::from_secs(30));
        reader
            .receive(patience, &mut |event| {
                taken += usize::from(matches!(event, Event::Message(_)));
            })
            .expect("messages");
    }
    (router, [reader, writer])
}

#[test]
fn once_prints_clients_and_topics() {
    let (router, _clients) = busy();
    let url = place(&router, "http");
    for sort in ["queue", "rate", "elided"] {
        let arguments = ["--to", &url, "--once", "--interval", "10ms", "--sort", sort];
        let (status, out, err) = said(top(&arguments));
        assert_eq!((status, &*err), (Some(0), ""), "{out}");
        assert!(out.contains(&format!(" at {url}, up ")), "{out}");
        assert!(out.contains("2 clients  1 topic  1 subscription\n"), "{out}");
        assert!(out.contains("3 matched = 3 delivered + 0 elided + 0 lost + 0 queued"), "{out}");
        for row in ["reader  127.0.0.1:", "writer  127.0.0.1:", "fx/EURUSD  "] {
            assert!(out.lines().any(|line| line.starts_with(row)), "{row} in {out}");
        }
        assert!(!out.contains('\x1b'), "{out}");
    }
}

#[test]
fn durable_subscriptions_are_below_the_clients() {
    let (router, [mut reader, mut writer]) = busy();
    let url = place(&router, "http");
    let shown = || {
        let (status, out, err) = said(top(&["--to", &url, "--once", "--interval", "10ms"]));
        assert_eq!((status, &*err), (Some(0), ""), "{out}");
        out
    };
    assert!(!shown().contains("durable"));
    writer.producer("desk").expect("a producer");
    let topic = writer.topic("orders/new").expect("a topic");
    for _ in 0..5 {
        writer.store(topic, format::TEXT, b"buy").expect("taken");
    }
    writer.wait_stored(5, Duration::from_secs(30)).expect("stored");
    let all = |name| Consume { start: Start::All, ..Consume::durable(name, "orders/>") };
    let left = reader.consume(&all("audit")).expect("it stands");
    reader.unsubscribe(left).expect("it is left");
    let risk = reader.consume(&Consume { window: 3, ..all("risk") }).expect("it stands");
    let mut first = None;
    while first.is_none() {
        let patience = Some(Duration::from_secs(30));
        let events = reader.receive(patience, &mut |event| {
            if let Event::Delivery(it) = event
                && it.subscription == risk
            {
                first.get_or_insert(it.position);
            }
        });
        assert_ne!(events.expect("messages"), 0);
    }
    reader.acknowledge(risk, first.expect("one")).expect("it is sent");
    reader.synchronise().expect("the router has it");
    let out = shown();
    let lines: Vec<Vec<&str>> = out.lines().map(|it| it.split_whitespace().collect()).collect();
    let at = |first: &str| lines.iter().position(|line| line.first() == Some(&first));
    let title = at("durable").unwrap_or_else(|| panic!("{out}"));
    assert!(at("writer") < Some(title) && Some(title) < at("topic"), "{out}");
    // Consumers, waiting, in flight, acknowledged, dead letters, lost.
    for row in ["audit orders/> 0 5 0 0 0 0", "risk orders/> 1 1 3 1 0 0"] {
        assert!(lines.contains(&row.split(' ').collect()), "{row} in {out}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .args(["durable", "list", "--to", &url])
        .output()
        .expect("the program runs");
    let (status, out, err) = said(output);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let lines: Vec<Vec<&str>> = out.lines().map(|it| it.split_whitespace().collect()).collect();
    assert!(lines.contains(&"audit orders/> 0 5 0 0 0 0".split(' ').collect()), "{out}");
}

#[test]
fn json_is_what_the_router_says() {
    let (router, _clients) = busy();
    let url = place(&router, "http");
    let (status, out, err) = said(top(&["--to", &url, "--once", "--json"]));
    assert_eq!(status, Some(0), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 1);
    let snapshot: Snapshot = serde_json::from_str(lines[0]).expect("a snapshot");
    assert_eq!(snapshot.totals.ledger.delivered, 3);
    assert_eq!(snapshot.topics[0].name, "fx/EURUSD");
}

#[test]
fn it_ends_when_nobody_reads() {
    let (router, _clients) = busy();
    let url = place(&router, "http");
    for more in [&["--json"][..], &[]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
        command.args(["top", "--to", &url, "--interval", "10ms"]).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program runs");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        lines.next().expect("a line").expect("text");
        drop(lines);
        assert!(child.wait().expect("a child of ours").success(), "{more:?}");
    }
}

#[test]
fn what_cannot_be_shown_is_said() {
    let (status, _, err) = said(top(&["--to", "http://127.0.0.1:1", "--once"]));
    assert_eq!(status, Some(2));
    assert!(
        err.contains("127.0.0.1:1: ") && err.contains("`trunkline serve` starts a router"),
        "{err}"
    );
    let (status, _, err) = said(top(&["--to", "http://a/b"]));
    assert_eq!(status, Some(2));
    assert!(err.contains("is not like http://127.0.0.1:7401"), "{err}");
    let (status, _, err) = said(top(&["--interval", "0s"]));
    assert_eq!(status, Some(2));
    assert!(err.contains("an interval is at least 10ms"), "{err}");
}
