//! What HTTP asks of a server, seen through raw sockets.

mod common;

use std::io::{Read as _, Write as _};
use std::thread;
use std::time::Duration;

use common::{answer, connect, echo, exchange, exchange_open, header, quick, rest, status};
use trunkline_http::{Compression, Config};

#[test]
fn a_connection_is_kept_or_closed_as_both_sides_wish() {
    let server = echo(quick());
    let mut stream = connect(server.address());
    for number in 1..=3 {
        stream.write_all(b"GET /count HTTP/1.1\r\nHost: a\r\n\r\n").expect("it reads");
        let (head, body) = answer(&mut stream);
        assert_eq!((status(&head), body), (200, number.to_string().into_bytes()));
        assert_eq!(header(&head, "connection"), None);
        assert!(header(&head, "date").is_some());
    }
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").expect("it reads");
    let last = rest(&mut stream);
    assert_eq!((status(&last), header(&last, "connection")), (200, Some("close")));

    let old = exchange_open(server.address(), b"GET / HTTP/1.0\r\n\r\n");
    assert!(old.starts_with("HTTP/1.0 200 OK\r\n"), "{old}");
    let mut stream = connect(server.address());
    stream.write_all(b"GET /count HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").expect("it reads");
    let (head, _) = answer(&mut stream);
    assert_eq!(header(&head, "connection"), Some("keep-alive"));
    stream.write_all(b"GET /count HTTP/1.0\r\n\r\n").expect("it reads");
    assert!(rest(&mut stream).ends_with("\r\n\r\n2"));

    let server = echo(Config { keep_alive: false, ..quick() });
    let only = exchange_open(server.address(), b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((status(&only), header(&only, "connection")), (200, Some("close")));
    let server = echo(Config { requests_per_connection: 2, ..quick() });
    let two = exchange_open(server.address(), &b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2));
    assert_eq!(two.matches("200 OK").count(), 2);
    assert_eq!(two.matches("connection: close").count(), 1);
}

#[test]
fn requests_in_one_piece_or_byte_by_byte_are_answered_in_order() {
    let server = echo(Config { header_timeout: Duration::from_secs(9), ..quick() });
    let all = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none\
        POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nt\r\n2;x=y\r\nwo\r\n0\r\n\r\n\
        GET /missing HTTP/1.1\r\nHost: a\r\n\r\n\
        POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nthree";
    let expect = |read: &mut std::net::TcpStream| {
        for (code, text) in [(200, "one"), (200, "two"), (404, ""), (200, "three")] {
            let (head, body) = answer(read);
            assert_eq!((status(&head), body), (code, text.as_bytes().to_vec()));
        }
    };
    let mut stream = connect(server.address());
    stream.write_all(all).expect("it reads");
    expect(&mut stream);
    stream.set_nodelay(true).expect("the socket is there");
    for byte in all.chunks(1) {
        stream.write_all(byte).expect("it reads");
    }
    expect(&mut stream);
    assert_eq!(server.counters().bytes_in, 2 * all.len() as u64);
}

#[test]
fn a_client_that_has_finished_sending_is_still_answered() {
    let server = echo(quick());
    let request = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
    assert!(exchange(server.address(), request).ends_with("\r\n\r\nhi"));
}

#[test]
fn a_body_is_asked_for_where_the_client_expects_it() {
    let server = echo(Config { body_bytes: 10, ..quick() });
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ";
    let mut stream = connect(server.address());
    stream.write_all(format!("{head}2\r\n\r\n").as_bytes()).expect("it reads");
    let (asked, _) = answer(&mut stream);
    assert_eq!(asked, "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"ok").expect("it reads");
    assert_eq!(answer(&mut stream).1, b"ok");

    let rejected = exchange_open(server.address(), format!("{head}11\r\n\r\n").as_bytes());
    assert_eq!(status(&rejected), 413, "and not 100: {rejected}");
    let unknown = head.replace("100-continue", "200-maybe") + "2\r\n\r\nok";
    assert_eq!(status(&exchange_open(server.address(), unknown.as_bytes())), 417);
}

#[test]
fn answers_go_out_in_chunks_or_whole() {
    let server = echo(Config { chunked: true, chunk_bytes: 3, ..quick() });
    let request = |version| {
        format!(
            "POST / HTTP/1.{version}\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nabcde"
        )
    };
    let new = exchange(server.address(), request(1).as_bytes());
    assert_eq!(header(&new, "transfer-encoding"), Some("chunked"));
    assert!(new.ends_with("\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), "{new}");
    let old = exchange(server.address(), request(0).as_bytes());
    assert_eq!(header(&old, "content-length"), Some("5"));
    assert!(old.ends_with("\r\n\r\nabcde"));
}

#[test]
fn what_is_no_request_is_rejected_in_words() {
    let server = echo(quick());
    let cases: [(&[u8], u16); 16] = [
        (b"this is no request\r\n\r\n", 400),
        (b"GET / HTTP/3.0\r\nHost: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400),
        (b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: a\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\na", 415),
        (b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    ];
    for (request, expected) in cases {
        let request_text = String::from_utf8_lossy(request);
        let rejected = exchange_open(server.address(), request);
        assert_eq!(status(&rejected), expected, "{request_text}\n{rejected}");
        assert_eq!(header(&rejected, "connection"), Some("close"), "{request_text}");
        let (_, text) = rejected.split_once("\r\n\r\n").expect("a head ends");
        assert!(text.len() > 10 && text.ends_with('\n'), "{request_text}: {text:?}");
    }
    assert_eq!(server.stop().rejected, 16);
}

#[test]
fn truncated_requests_are_rejected_or_dropped() {
    let server = echo(quick());
    let whole = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
    for length in 0..whole.len() {
        let cut = exchange(server.address(), &whole[..length]);
        assert!(cut.is_empty() || status(&cut) == 400, "{length}: {cut}");
    }
    assert!(exchange(server.address(), whole).ends_with("body"));
}

#[test]
fn flipped_bits_never_stop_the_server() {
    let server = echo(quick());
    let whole =
        b"POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody";
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut answered = 0;
    for _ in 0..400 {
        let mut bytes = whole.to_vec();
        for _ in 0..3 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let bit = seed as usize % (bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let mut stream = connect(server.address());
        stream.write_all(&bytes).expect("it reads");
        stream.shutdown(std::net::Shutdown::Write).expect("the socket is there");
        let mut answer = Vec::new();
        // The system may take back what was said to one who sends too much.
        let _ = stream.read_to_end(&mut answer);
        if !answer.is_empty() {
            let code = status(&String::from_utf8_lossy(&answer));
            assert!([200, 400, 408, 411, 413, 415, 417, 501].contains(&code), "{code}");
            answered += 1;
        }
    }
    assert!(answered > 300, "only {answered}");
    assert!(exchange(server.address(), whole).ends_with("body"));
    assert_eq!(server.stop().panics, 0);
}

#[test]
fn bodies_are_decompressed_within_limits_and_answers_compressed_on_request() {
    let config = Config { body_bytes: 100_000, compression_from: 100, ..quick() };
    let server = echo(Config { inflate_ratio: 500, ..config });
    let send = |name: &str, accept: &str, body: &[u8]| {
        let mut stream = connect(server.address());
        let head = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: {name}\r\nAccept-Encoding: {accept}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        stream.write_all(body).expect("it reads");
        answer(&mut stream)
    };
    let text = b"a text that repeats itself, ".repeat(100);
    for compression in Compression::ALL {
        let name = compression.name();
        let (head, body) = send(name, "", &compression.compress(&text));
        assert!(status(&head) == 200 && body == text);
        assert_eq!(header(&head, "content-encoding"), None);
        assert_eq!(header(&head, "vary"), Some("accept-encoding"));
        let (head, body) = send(name, "deflate;q=0.1, gzip", &compression.compress(&text));
        assert_eq!(header(&head, "content-encoding"), Some("gzip"));
        assert!(body == Compression::Gzip.compress(&text));
        let (head, text) = send(name, "", &compression.compress(&vec![b'z'; 100_001]));
        assert_eq!((status(&head), text.starts_with(b"body_bytes")), (413, true));
        let (head, _) = send(name, "", b"\x1f\x8b is not compressed");
        assert_eq!(status(&head), 400);
    }
    let short = Compression::Gzip.compress(b"short");
    let (head, body) = send("x-gzip", "gzip", &short);
    assert!(header(&head, "content-encoding").is_none() && body == b"short");
    let (head, _) = send("identity", "*;q=0.5", &text);
    assert_eq!(header(&head, "content-encoding"), Some("gzip"));

    let server = echo(Config { inflate_ratio: 20, body_bytes: 64 << 20, ..quick() });
    let bomb = Compression::Gzip.compress(&vec![0; 32 << 20]);
    let mut stream = connect(server.address());
    let head = format!(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        bomb.len()
    );
    stream.write_all(&[head.as_bytes(), &bomb].concat()).expect("it reads");
    let (head, text) = answer(&mut stream);
    assert_eq!((status(&head), text.starts_with(b"inflate_ratio")), (413, true));
}

#[test]
fn a_handler_that_panics_costs_its_connection_only() {
    let server = echo(quick());
    let mut other = connect(server.address());
    other.write_all(b"GET /count HTTP/1.1\r\nHost: a\r\n\r\n").expect("it reads");
    assert_eq!(answer(&mut other).1, b"1");
    let failed = exchange_open(server.address(), b"GET /panic HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((status(&failed), header(&failed, "connection")), (500, Some("close")));
    other.write_all(b"GET /count HTTP/1.1\r\nHost: a\r\n\r\n").expect("it reads");
    assert_eq!(answer(&mut other).1, b"2");
    assert_eq!(server.stop().panics, 1);
}

#[test]
fn a_server_that_stops_closes_what_is_idle() {
    let server = echo(Config { idle_timeout: Duration::from_secs(900), ..quick() });
    let address = server.address();
    let mut idle = connect(address);
    let mut used = connect(address);
    used.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("it reads");
    assert_eq!(status(&answer(&mut used).0), 200);
    let stopping = thread::spawn(|| server.stop());
    assert_eq!((rest(&mut idle), rest(&mut used)), (String::new(), String::new()));
    let counters = stopping.join().expect("it stops");
    assert_eq!((counters.connections, counters.open), (2, 0));
    assert!(std::net::TcpStream::connect(address).is_err(), "nobody listens any more");
}
