//! Visitors that ask for nothing, or in another's name.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use super::{PATIENCE, Site, authority, place, text};
use trunkline_client::{Consume, Error, Start, format};
use trunkline_http::StatusCode;

/// Begins a request and does not end it.
fn half(address: &str, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    // It may have been closed for others by now.
    let _ = stream.write_all(request.as_bytes());
    stream
}

/// The whole answer to a request.
fn answer(address: &str, request: &str) -> String {
    let mut stream = half(address, request);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn half_sent_requests_do_not_keep_others_from_being_answered() {
    let site = Site::start(|_| {});
    let address = place(&site.router, "http");
    let address = authority(&address);
    let requests = [
        "",
        "GET /hea",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nX-",
        "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf",
    ];
    let mut halves = Vec::new();
    for round in 0..100 {
        halves.extend(requests.iter().map(|request| half(address, request)));
        if round % 10 == 0 {
            let whole = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            let answer = answer(address, whole);
            assert!(answer.starts_with("HTTP/1.1 200 "), "after {}: {answer}", halves.len());
            let whole = "GET /health/ready HTTP/1.0\r\n\r\n";
            assert!(self::answer(address, whole).contains("ready"), "{answer}");
        }
    }
    // Those that began first have gone, without an answer.
    let mut first = Vec::new();
    let _ = halves[1].read_to_end(&mut first);
    assert_eq!(String::from_utf8_lossy(&first), "");
}

#[test]
fn a_name_that_was_made_to_point_here_is_not_answered() {
    let site = Site::start(|config| config.http.hosts = vec!["Router.example.org".to_owned()]);
    let address = place(&site.router, "http");
    let address = authority(&address);
    for (host, status) in [
        ("localhost", "200"),
        ("LOCALHOST:7401", "200"),
        ("127.0.0.1:7401", "200"),
        ("10.0.0.7", "200"),
        ("[::1]:7401", "200"),
        ("router.example.org:80", "200"),
        ("evil.example.org", "421"),
        ("localhost.evil.example.org:7401", "421"),
        ("127.0.0.1.evil.example.org", "421"),
        ("router.example.org.", "421"),
    ] {
        for path in ["/status", "/metrics", "/health"] {
            let request =
                format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let answer = answer(address, &request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {answer}");
            if status == "421" {
                assert!(answer.contains(host) && answer.contains("http.hosts"), "{answer}");
                assert!(!answer.contains("trunkline_"), "{answer}");
            }
        }
    }
    let any = Site::start(|config| config.http.hosts = vec!["*".to_owned()]);
    let address = place(&any.router, "http");
    let request = "GET / HTTP/1.1\r\nHost: any.example.org\r\nConnection: close\r\n\r\n";
    assert!(answer(authority(&address), request).starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_router_that_rejects_guaranteed_messages_is_not_ready() {
    let folder = std::env::temp_dir().join(format!("trunkline-ready-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mut site = Site::start(|config| {
        config.journal.directory = Some(folder.clone());
        config.journal.segment_bytes = 1 << 20;
        config.journal.bytes = 4 << 20;
        config.journal.keep = std::time::Duration::ZERO;
        config.limits.frame_bytes = 64 << 10;
    });
    assert_eq!(site.get("/health/ready").status, StatusCode::OK);
    let (mut gateway, mut desk) = (site.client("gateway"), site.client("desk"));
    let how = Consume { start: Start::All, ..Consume::durable("gateway", ">") };
    gateway.consume(&how).expect("it stands");
    desk.producer("desk").expect("a producer");
    let topic = desk.topic("orders").expect("a topic");
    let until = Instant::now() + PATIENCE;
    let rejected = loop {
        assert!(Instant::now() < until, "the journal has no end");
        let sequence = desk.store(topic, format::OPAQUE, &[7; 32 << 10]).expect("it is sent");
        match desk.wait_stored(sequence, std::time::Duration::from_secs(1)) {
            Ok(_) => {}
            Err(Error::TimedOut { because: Some(_), .. } | Error::Rejected(_)) => break sequence,
            Err(Error::TimedOut { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    };
    let page = site.get("/health/ready");
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text(&page).contains("guaranteed messages are rejected"), "{}", text(&page));
    assert!(text(&page).contains("journal.bytes"), "{}", text(&page));
    assert_eq!(site.get("/health/ready/direct").status, StatusCode::OK);
    // Nobody needs them any more.
    gateway.delete("gateway").expect("it is deleted");
    desk.wait_stored(rejected, PATIENCE).expect("there is room again");
    assert_eq!(site.get("/health/ready").status, StatusCode::OK);
    drop(site);
    std::fs::remove_dir_all(&folder).expect("it is removed");
}
