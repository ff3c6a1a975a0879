//! The client against the server.

mod http_common;

use http_common::{echo, quick};
use trunkline_net::http::{
    Client, ClientConfig, Compression, Config, HeaderMap, Method, StatusCode, Version,
};

fn client(address: std::net::SocketAddr, config: ClientConfig) -> Client {
    Client::new(&address.to_string(), config).expect("an address")
}

#[test]
fn bodies_of_all_lengths_go_there_and_back_in_all_ways() {
    let usual = ClientConfig::default;
    let ways = [
        usual(),
        ClientConfig { keep_alive: false, ..usual() },
        ClientConfig { version: Version::HTTP_10, ..usual() },
        ClientConfig { version: Version::HTTP_10, keep_alive: false, ..usual() },
        ClientConfig { chunked: true, chunk_bytes: 1000, ..usual() },
        ClientConfig { compression: Some(Compression::Gzip), accept_compression: true, ..usual() },
        ClientConfig { compression: Some(Compression::Deflate), chunked: true, ..usual() },
        ClientConfig { expect_continue: true, ..usual() },
        ClientConfig { expect_continue: true, chunked: true, nodelay: false, ..usual() },
    ];
    for chunked in [false, true] {
        let server = echo(Config { chunked, threads: 2, ..Config::default() });
        for way in &ways {
            let mut client = client(server.address(), way.clone());
            for length in [0, 1, 100, 8192, 100_000, 3_000_000] {
                let body: Vec<u8> =
                    (0..length as u64).map(|at| b'a' + (at * at % 23) as u8).collect();
                let answer = client.request(&Method::POST, "/", &HeaderMap::new(), &body);
                let answer = answer.unwrap_or_else(|error| panic!("{length}, {way:?}: {error}"));
                assert_eq!(answer.status, StatusCode::OK);
                assert!(answer.body == body, "{length}, {way:?}");
                assert_eq!(answer.version, way.version);
            }
            assert_eq!(client.connections(), if way.keep_alive { 1 } else { 6 }, "{way:?}");
        }
        let counters = server.stop();
        assert_eq!(counters.requests, 6 * ways.len() as u64);
        assert_eq!((counters.open, counters.refused, counters.panics), (0, 0, 0));
    }
}

#[test]
fn requests_sent_at_once_are_answered_in_order() {
    let server = echo(quick());
    let mut client = client(server.address(), ClientConfig::default());
    let bodies: Vec<Vec<u8>> =
        [5, 0, 70_000, 1, 1_000_000, 3].iter().map(|&length| vec![b'y'; length]).collect();
    let bodies: Vec<&[u8]> = bodies.iter().map(|body| &body[..]).collect();
    for _ in 0..2 {
        let answers = client.pipeline(&Method::POST, "/", &HeaderMap::new(), &bodies);
        let answers = answers.expect("all are answered");
        let echoed: Vec<&[u8]> = answers.iter().map(|answer| &answer.body[..]).collect();
        assert!(echoed == bodies);
    }
    let last = client.request(&Method::POST, "/count", &HeaderMap::new(), b"").expect("an answer");
    assert_eq!(&last.body[..], b"13", "all went over one connection");
}
