//! A router with TLS: its own clients, foreign ones, and what is refused.

mod authority;
mod foreign;
mod hostile;
#[path = "../threads/mod.rs"]
mod threads;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use authority::{Authority, Folder, Issued};
use trunkline_client::{Client, ClientTls, Error, Event, Options, Subscribe};
use trunkline_http::{ClientConfig, HeaderMap, Method};
use trunkline_server::config::Config;
use trunkline_server::snapshot::SnapshotRequest;
use trunkline_server::{Running, Server};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

fn options(name: &str, tls: ClientTls) -> Options {
    Options { tls: Some(tls), ..Options::named(name) }
}

fn url(router: &Running, protocol: &str) -> String {
    let mut all = router.addresses().iter();
    all.find(|it| it.protocol == protocol).expect("a listener").url()
}

/// `127.0.0.1:PORT` of a listener.
fn place(router: &Running, protocol: &str) -> String {
    let url = url(router, protocol);
    url.split_once("://").expect("a scheme").1.trim_end_matches('/').to_owned()
}

fn start(name: &str, authority: &Authority, is_mutual: bool) -> (Folder, Running) {
    let folder = Folder::new(name);
    folder.set(&authority.issue("router"));
    let mut config = folder.config();
    config.router.threads = threads::threads();
    config.tls.client_ca = is_mutual.then(|| folder.file("clients.pem", &authority.pem()));
    let router = Server::start(config).expect("a router");
    (folder, router)
}

fn connect(router: &Running, name: &str, tls: ClientTls) -> Result<Client, Error> {
    Client::connect(&url(router, "native"), &options(name, tls))
}

/// Receives until so many messages have come, and gives their payloads.
fn receive(client: &mut Client, count: usize) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while all.len() < count {
        let events = client.receive(Some(PATIENCE), &mut |event| match event {
            Event::Message(message) => all.push(message.payload.to_vec()),
            event => panic!("{event:?}"),
        });
        assert!(events.expect("it is connected") > 0, "nothing came after {}", all.len());
    }
    all
}

#[test]
fn messages_of_all_sizes_come_in_order() {
    let authority = Authority::new();
    let (_folder, router) = start("sizes", &authority, false);
    let mut reader = connect(&router, "reader", authority.client(None)).expect("a client");
    reader.subscribe("t/>", &Subscribe::every()).expect("it is taken");
    let mut writer = connect(&router, "writer", authority.client(None)).expect("a client");
    let topic = writer.topic("t/a").expect("a topic");
    let long: Vec<Vec<u8>> = (1..=8_u8).map(|it| vec![it; 120_000 * usize::from(it)]).collect();
    for payload in &long {
        writer.publish(topic, payload).expect("it is sent");
    }
    assert!(receive(&mut reader, long.len()) == long);
    for number in 0..20_000_u32 {
        writer.enqueue(topic, &number.to_le_bytes()).expect("it is sent");
    }
    writer.flush().expect("it is sent");
    let all = receive(&mut reader, 20_000);
    assert!((0..20_000_u32).all(|it| all[it as usize] == it.to_le_bytes()));
    let ask = SnapshotRequest { clients: 9, topics: 0 };
    let snapshot = router.handle().snapshot(ask).expect("it answers");
    let profiles: Vec<&str> = snapshot.clients.iter().map(|it| it.profile.as_str()).collect();
    assert!(profiles.iter().all(|it| it.starts_with("tls/native")), "{profiles:?}");
}

#[test]
fn who_does_not_read_is_held_to_his_queue_and_delays_nobody() {
    let authority = Authority::new();
    let (_folder, router) = start("slow", &authority, false);
    let mut slow = options("slow", authority.client(None));
    slow.queue_messages = 100;
    let mut slow = Client::connect(&url(&router, "native"), &slow).expect("a client");
    slow.subscribe("t/a", &Subscribe::every()).expect("it is taken");
    let mut reader = connect(&router, "reader", authority.client(None)).expect("a client");
    reader.subscribe("t/a", &Subscribe::every()).expect("it is taken");
    let mut writer = connect(&router, "writer", authority.client(None)).expect("a client");
    let topic = writer.topic("t/a").expect("a topic");
    for number in 0..3_000_u32 {
        let mut payload = vec![7; 10_000];
        payload[..4].copy_from_slice(&number.to_le_bytes());
        writer.publish(topic, &payload).expect("it is sent");
        if number % 100 == 99 {
            receive(&mut reader, 100);
        }
    }
    // The slow one reads what was sent to it, is told what it has lost, and is up to date then.
    let (mut next, mut lost) = (0, 0);
    while next < 3_000 {
        let events = slow.receive(Some(PATIENCE), &mut |event| match event {
            Event::Message(message) => {
                let number: [u8; 4] = message.payload[..4].try_into().expect("four bytes");
                assert_eq!(u32::from_le_bytes(number), next, "after {lost} lost ones");
                next += 1;
            }
            Event::Gap(gap) => {
                lost += gap.count;
                next += gap.count as u32;
            }
            event => panic!("{event:?}"),
        });
        assert!(events.expect("it is connected") > 0, "nothing came after {next}");
    }
    assert!(lost > 1_000, "{lost}");
}

#[test]
fn clients_need_a_certificate_where_authorities_of_clients_are_named() {
    let authority = Authority::new();
    let (_folder, router) = start("mutual", &authority, true);
    let known = authority.issue("pricing");
    let mut client =
        connect(&router, "known", authority.client(Some(&known))).expect("it is let in");
    client.synchronise().expect("it is served");
    let foreign = Authority::new().issue("pricing");
    let expired = authority.issue_expired("pricing");
    for (own, text) in [
        (None, "wants a certificate"),
        (Some(&foreign), "authority of this one's certificate"),
        (Some(&expired), "expired"),
    ] {
        let error = connect(&router, "other", authority.client(own)).expect_err("not let in");
        assert!(error.to_string().contains(text), "{error}");
    }
    client.synchronise().expect("it is served");
}

#[test]
fn rules_name_the_subject_of_a_certificate() {
    let authority = Authority::new();
    let folder = Folder::new("subject");
    folder.set(&authority.issue("router"));
    let rules = "[[access.rule]]\nwho = \"certificate:CN=pricing\"\nallow = \"subscribe\"";
    let rules = Config::from_text("rules", rules, std::iter::empty()).expect("a configuration");
    let mut config = folder.config();
    config.access.rules = rules.access.rules;
    config.tls.client_ca = Some(folder.file("clients.pem", &authority.pem()));
    let router = Server::start(config).expect("a router");
    let subscribe = |name| {
        let own = authority.issue(name);
        let mut client =
            connect(&router, "any", authority.client(Some(&own))).expect("it is let in");
        client.subscribe("fx/>", &Subscribe::every()).map(|_| ())
    };
    subscribe("pricing").expect("it is allowed");
    let error = subscribe("sales").expect_err("no rule allows it").to_string();
    assert!(error.contains("certificate:CN=sales"), "{error}");
}

#[test]
fn a_client_is_told_why_it_does_not_trust_a_router() {
    let authority = Authority::new();
    let other = Authority::new();
    let certificates = [
        (authority.issue_expired("router"), "expired"),
        (authority.issue_with("router", &["elsewhere.example"], |_| {}), "not valid for name"),
        (other.issue("router"), "UnknownIssuer"),
    ];
    for (issued, text) in certificates {
        let folder = Folder::new("untrusted");
        folder.set(&issued);
        let router = Server::start(folder.config()).expect("a router");
        let error = connect(&router, "client", authority.client(None)).expect_err("no trust");
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn certificates_are_reloaded_and_nobody_is_disconnected() {
    let (before, after) = (Authority::new(), Authority::new());
    let (folder, router) = start("reload", &before, false);
    let mut early = connect(&router, "early", before.client(None)).expect("a client");
    early.subscribe("t", &Subscribe::every()).expect("it is taken");
    folder.set(&after.issue("router"));
    router.handle().reconfigure(folder.config()).expect("it is taken over");
    let mut late = connect(&router, "late", after.client(None)).expect("it trusts the new one");
    let topic = late.topic("t").expect("a topic");
    late.publish(topic, b"still here").expect("it is sent");
    assert_eq!(receive(&mut early, 1), [b"still here"]);
    connect(&router, "early", before.client(None)).expect_err("the old one is not shown any more");
    let get = |authority: &Authority| {
        let tls = Some(authority.client(None));
        let config = ClientConfig { tls, ..ClientConfig::default() };
        let mut client =
            trunkline_http::Client::new(&place(&router, "http"), config).expect("an address");
        client.request(&Method::GET, "/health", &HeaderMap::new(), b"").map(|it| it.body.to_vec())
    };
    assert_eq!(get(&after).expect("an answer"), b"alive\n");
    get(&before).expect_err("the old one is not shown any more");

    // What cannot be used changes nothing, and is named.
    let broken = Issued { chain: after.issue("router").chain, key: before.issue("router").key };
    folder.set(&broken);
    let error = router.handle().reconfigure(folder.config()).expect_err("they do not fit");
    assert!(error.contains("router.pem") && error.contains("router.key"), "{error}");
    folder.set(&after.issue("router"));
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(folder.0.join("router.key"), open).expect("the owner may");
    let error = router.handle().reconfigure(folder.config()).expect_err("everybody may read it");
    assert!(error.contains("chmod"), "{error}");
    std::fs::remove_file(folder.0.join("router.pem")).expect("it is there");
    let error = router.handle().reconfigure(folder.config()).expect_err("it is missing");
    assert!(error.contains("router.pem: "), "{error}");
    connect(&router, "later", after.client(None)).expect("nothing has changed");
    early.synchronise().expect("it is served");
}

#[test]
fn listeners_with_tls_need_a_certificate() {
    let folder = Folder::new("missing");
    folder.set(&Authority::new().issue("router"));
    let start = |change: fn(&mut trunkline_server::Config)| {
        let mut config = folder.config();
        change(&mut config);
        Server::start(config).expect_err("something is missing").to_string()
    };
    for (error, text) in [
        (start(|it| it.tls.key = None), "tls.certificate needs its key, tls.key"),
        (start(|it| (it.tls.certificate, it.tls.key) = (None, None)), "tls://127.0.0.1:0 needs"),
        (start(|it| it.tls.certificate = Some("nowhere.pem".into())), "nowhere.pem: "),
    ] {
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn plain_clients_are_told_what_to_do() {
    let authority = Authority::new();
    let (_folder, router) = start("plain", &authority, false);
    let plain = format!("tcp://{}", place(&router, "native"));
    let error = Client::connect(&plain, &Options::named("plain")).expect_err("it is for TLS");
    assert!(error.to_string().contains("tls://"), "{error}");
    let mut page = TcpStream::connect(place(&router, "websocket")).expect("it listens");
    page.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    page.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("room");
    let mut answer = String::new();
    page.read_to_string(&mut answer).expect("an end");
    assert!(answer.starts_with("HTTP/1.1 ") && answer.contains("wss://"), "{answer}");
    // And one with TLS where there is none.
    let mut config = trunkline_server::Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    (config.listen.http, config.listen.websocket) = (None, None);
    let router = Server::start(config).expect("a router");
    let address = format!("tls://{}", place(&router, "native"));
    let error = Client::connect(&address, &options("client", authority.client(None)));
    let error = error.expect_err("it is not for TLS").to_string();
    assert!(error.contains("does not speak TLS"), "{error}");
    let error = Client::connect(&address, &Options::named("client")).expect_err("no authorities");
    assert!(error.to_string().contains("authorities"), "{error}");
}

#[test]
fn a_router_that_stops_says_so_and_ends_in_order() {
    let authority = Authority::new();
    let (_folder, router) = start("stop", &authority, false);
    let mut client = connect(&router, "client", authority.client(None)).expect("a client");
    client.subscribe("t", &Subscribe::every()).expect("it is taken");
    let stopping = std::thread::spawn(move || router.stop());
    let mut closed = Vec::new();
    let error = loop {
        match client.receive(Some(PATIENCE), &mut |event| closed.push(format!("{event:?}"))) {
            Ok(count) => assert!(count > 0, "nothing came"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Closed { .. } | Error::Ended), "{error} {closed:?}");
    drop(client);
    stopping.join().expect("it stops");
}

#[test]
fn a_certificate_observes_and_administers_as_the_rules_allow() {
    let authority = Authority::new();
    let folder = Folder::new("administrators");
    folder.set(&authority.issue("router"));
    let rules = "[[access.rule]]\nwho = \"certificate:CN=operator\"\nallow = \"administer\"\n\
                 [[access.rule]]\nwho = \"certificate:*\"\nallow = \"publish\"\n";
    let mut config = folder.config();
    config.access =
        Config::from_text("rules", rules, std::iter::empty()).expect("a configuration").access;
    config.tls.client_ca = Some(folder.file("clients.pem", &authority.pem()));
    let router = Server::start(config).expect("a router");
    for (name, status, part) in
        [("operator", 200, "clients"), ("desk", 403, "certificate:CN=desk may not observe")]
    {
        let tls = Some(authority.client(Some(&authority.issue(name))));
        let config = ClientConfig { tls, ..ClientConfig::default() };
        let mut client =
            trunkline_http::Client::new(&place(&router, "http"), config).expect("a client");
        for path in ["/admin/clients", "/status"] {
            let answer =
                client.request(&Method::GET, path, &HeaderMap::new(), b"").expect("an answer");
            let text = String::from_utf8_lossy(&answer.body);
            assert!(answer.status.as_u16() == status && text.contains(part), "{name}: {text}");
        }
    }
}
