//! Clients that take their time.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use trunkline_session::soap::Config;

use crate::http_common::idle::{self, Held, IDLE};
use crate::http_common::{connect, status};
use crate::{Honest, beside, serve, short};

/// Bytes one by one until there is an answer, and the answer.
fn drip(streams: &mut [TcpStream]) -> Vec<String> {
    let mut answers = vec![String::new(); streams.len()];
    for stream in streams.iter() {
        stream.set_nonblocking(true).expect("the socket is there");
        stream.set_nodelay(true).expect("the socket is there");
    }
    // At the latest after 99 s this fails.
    for _ in 0..9900 {
        for (stream, answer) in streams.iter_mut().zip(&mut answers) {
            if answer.is_empty() {
                let mut room = [0; 1000];
                match stream.read(&mut room) {
                    Ok(length) => *answer = String::from_utf8_lossy(&room[..length]).into_owned(),
                    Err(_) => stream.write_all(b"x").unwrap_or_default(),
                }
            }
        }
        if answers.iter().all(|answer| !answer.is_empty()) {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    answers
}

#[test]
fn slow_heads_and_bodies_do_not_hinder_another() {
    let server = serve(short());
    let begun = |bytes: &str| {
        let mut stream = connect(server.address());
        stream.write_all(bytes.as_bytes()).expect("it reads");
        stream
    };
    let head = "POST /doc-literal HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\n";
    let answers = beside(&server, || {
        let heads = (0..50).map(|_| begun(&format!("{head}X: ")));
        let bodies = (0..50).map(|_| begun(&format!("{head}Content-Length: 99999\r\n\r\n<S:Env")));
        drip(&mut heads.chain(bodies).collect::<Vec<_>>())
    });
    for (index, answer) in answers.iter().enumerate() {
        let limit = if index < 50 { "header_timeout" } else { "body_timeout" };
        assert_eq!(status(answer), 408, "{answer}");
        assert!(answer.contains(limit), "{answer}");
    }
    assert_eq!(server.counters().rejected, 100);
}

/// Run in a process of its own by the next one.
#[test]
fn hold_idle_connections() {
    idle::hold_if_asked();
}

#[test]
fn ten_thousand_idle_connections_do_not_hinder_another() {
    if !idle::fits() {
        return;
    }
    let server = serve(Config { idle_timeout: Duration::from_secs(900), ..short() });
    let held = beside(&server, || {
        Held::start("slow::hold_idle_connections", server.address(), || server.counters().open)
    });
    assert!(server.counters().open >= IDLE);
    let mut honest = Honest::new(server.address());
    (0..100).for_each(|_| honest.call());
    beside(&server, || held.release());
    drop(honest);
    // At the latest after 99 s this fails.
    for _ in 0..9900 {
        if server.counters().open == 0 {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    assert_eq!(server.counters().open, 0);
}
