//! Packages by hand: in chunks, broken, too long, too slow.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use trunkline_session::soap::{Client, Config, Running};

use super::{Made, Recording, Stored, client, served, server};

pub(super) fn head(content_type: &str) -> String {
    format!(
        "POST /archive HTTP/1.1\r\nHost: x\r\nSOAPAction: \"\"\r\nContent-Type: {content_type}\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    )
}

pub(super) const MTOM: &str =
    "multipart/related; boundary=b; type=\"application/xop+xml\"; start-info=\"text/xml\"";

/// A package up to the octets of the sound, by hand.
pub(super) fn beginning(operation: &str) -> String {
    format!(
        "--b\r\nContent-Type: application/xop+xml; type=\"text/xml\"\r\nContent-ID: <root>\r\n\r\n\
         <s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
         <{operation} xmlns='urn:archive'><name>a</name><sound><i:Include \
         xmlns:i='http://www.w3.org/2004/08/xop/include' href='cid:sound%20one'/></sound></{operation}>\
         </s:Body></s:Envelope>\r\n--b\r\nContent-ID: <sound one>\r\n\r\n"
    )
}

pub(super) fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

pub(super) fn connect(server: &Running) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
    stream
}

/// What a server answers to these bytes, up to the end of the connection.
fn asked(server: &Running, bytes: &[u8]) -> String {
    let mut stream = connect(server);
    // It may have been rejected before it is sent.
    _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The same of a package in chunks of this length.
pub(super) fn asked_in_chunks(
    server: &Running,
    content_type: &str,
    package: &[u8],
    length: usize,
) -> String {
    let head = head(content_type).replacen("Host: x", "Host: x\r\nConnection: close", 1);
    let mut bytes = head.into_bytes();
    package.chunks(length).for_each(|it| bytes.extend(chunk(it)));
    bytes.extend_from_slice(b"0\r\n\r\n");
    asked(server, &bytes)
}

#[test]
fn a_package_by_hand_is_read_whatever_its_chunks() {
    let server = server();
    let package = [beginning("store").as_bytes(), b"12345\r\n--b--\r\nan epilogue"].concat();
    for length in [1, 7, 100_000] {
        let answer = asked_in_chunks(&server, MTOM, &package, length);
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("<bytes>5<"), "{answer}");
    }
}

#[test]
fn hostile_packages_are_refused_with_the_reason() {
    let server = server();
    let whole = |rest: &[u8]| [beginning("store").as_bytes(), rest].concat();
    let end = b"12345\r\n--b--\r\n";
    let many = |from: &str| -> Vec<u8> {
        let parts: String =
            (0..10_000).map(|it| format!("{from}Content-ID: <{it}>\r\n\r\n")).collect();
        whole(format!("1{parts}\r\n--b--\r\n").as_bytes())
    };
    let long = vec![b'x'; 100_000];
    let swa = "multipart/related; boundary=b; type=\"text/xml\"";
    let other_root = "multipart/related; boundary=b; start=\"<nobody>\"";
    let cases: [(&str, Vec<u8>, &str); 12] = [
        ("multipart/related", whole(end), "a package of MIME has no boundary"),
        ("multipart/related; boundary=c", whole(end), "a part"),
        (other_root, whole(end), "no part is the start of the package"),
        (MTOM, b"--b--\r\n".to_vec(), "a package without parts"),
        (MTOM, Vec::new(), "a part"),
        (MTOM, whole(b"12345"), "the boundary behind a part"),
        (
            MTOM,
            whole(b"12345\r\n--b\r\nContent-ID: <sound one>\r\n\r\n\r\n--b--"),
            "two parts have the id",
        ),
        (MTOM, many("\r\n--b\r\n"), "attachment parts"),
        (MTOM, [&b"--b\r\nX: "[..], &long].concat(), "attachment head_bytes"),
        (MTOM, whole(&[&b"1\r\n--b\r\nX: "[..], &long].concat()), "attachment head_bytes"),
        (swa, b"--b\r\n\r\n<a>&b;</a>\r\n--b--\r\n".to_vec(), "no envelope"),
        (
            MTOM,
            beginning("store").replace("sound one", "another").into_bytes(),
            "the boundary behind",
        ),
    ];
    for (content_type, package, why) in cases {
        let answer = asked_in_chunks(&server, content_type, &package, 10_000);
        let is_refused = answer.starts_with("HTTP/1.1 400 ") && answer.contains(why)
            || why == "no envelope" && answer.starts_with("HTTP/1.1 ") && !answer.contains(" 200 ");
        assert!(is_refused, "{content_type} {why}: {answer}");
    }
    // What the function makes of that does not count.
    let cut = [beginning("swallow").as_bytes(), b"12345"].concat();
    let answer = asked_in_chunks(&server, MTOM, &cut, 1000);
    assert!(answer.contains("the boundary behind a part"), "{answer}");
    // A part that is missing, and one that is not: nothing is lost without a word.
    let missing = beginning("store").replace("<sound one>", "<another>") + "1\r\n--b--\r\n";
    let answer = asked_in_chunks(&server, MTOM, missing.as_bytes(), 1000);
    assert!(answer.contains("no part of the package is \"cid:sound%20one\""), "{answer}");
    let more = whole(b"12345\r\n--b\r\nContent-Type: text/plain\r\n\r\nmore\r\n--b--\r\n");
    let answer = asked_in_chunks(&server, MTOM, &more, 1000);
    assert!(answer.contains("<item>text/plain<"), "the function sees it: {answer}");
}

#[test]
fn streams_have_limits_of_their_own() {
    let config = Config { streamed_bytes: 3_000_000, body_bytes: 100_000, ..Config::default() };
    let server = served(config);
    let mut client = client(&server);
    let store = |client: &mut Client, length| {
        let sound = client.attach("audio/wav", Made::new(length)).expect("there is HTTP");
        client.call::<_, Stored>("store", &Recording { sound, ..Recording::default() })
    };
    assert_eq!(store(&mut client, 2_900_000).expect("an answer").bytes, 2_900_000);
    let package = [beginning("store").into_bytes(), vec![b'1'; 4_000_000]].concat();
    let answer = asked_in_chunks(&server, MTOM, &package, 100_000);
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("streamed_bytes"), "{answer}");
    // An envelope is not one, and neither is what goes to another operation.
    let long = beginning("store").replace("<name>a", &format!("<name>{}", "a".repeat(200_000)));
    let answer = asked_in_chunks(&server, MTOM, long.as_bytes(), 100_000);
    assert!(answer.contains("bytes of an envelope"), "{answer}");
    let package = [beginning("echo").into_bytes(), vec![b'1'; 200_000]].concat();
    let answer = asked_in_chunks(&server, MTOM, &package, 100_000);
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("body_bytes: "), "{answer}");
    // A declared length beyond the limit is not even begun.
    let head = head(MTOM).replace("Transfer-Encoding: chunked", "Content-Length: 5000000");
    let answer = asked(&server, head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("streamed_bytes"), "{answer}");
}

/// Records of DIME: the first of a message, and chunks of it with options and without octets.
fn empty_chunks(count: usize) -> Vec<u8> {
    const OPTIONS: usize = 16_000;
    let mut package = vec![0x0d, 0x10, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0];
    package.extend_from_slice(b"text/xml");
    for _ in 0..count {
        let [high, low] = (OPTIONS as u16).to_be_bytes();
        package.extend_from_slice(&[0x09, 0, high, low, 0, 0, 0, 0, 0, 0, 0, 0]);
        package.resize(package.len() + OPTIONS, 0);
    }
    package
}

#[test]
fn an_envelope_without_octets_is_not_read_for_ever() {
    let server = served(Config { body_bytes: 100_000, ..Config::default() });
    let encoded = |encoding: &str, nothing: &str, count| {
        let head = "--b\r\nContent-Type: application/xop+xml; type=\"text/xml\"\r\n";
        let root = format!("{head}Content-Transfer-Encoding: {encoding}\r\n\r\n");
        (root + &nothing.repeat(count)).into_bytes()
    };
    let cases = [
        (MTOM, encoded("base64", "\r\n", 450_000)),
        (MTOM, encoded("quoted-printable", "=\r\n", 300_000)),
        ("application/dime", empty_chunks(56)),
    ];
    for (content_type, package) in cases {
        let answer = asked_in_chunks(&server, content_type, &package, 10_000);
        let is_refused = answer.starts_with("HTTP/1.1 400 ");
        assert!(is_refused && answer.contains("bytes of an envelope"), "{content_type} {answer}");
    }
}

#[test]
fn a_slow_sender_is_cut_off_and_others_are_served() {
    let config = Config { body_timeout: Duration::from_secs(2), streams: 1, ..Config::default() };
    let server = served(config);
    let mut slow = connect(&server);
    let begun = [head(MTOM).into_bytes(), chunk(beginning("store").as_bytes())].concat();
    slow.write_all(&begun).expect("it is taken");
    // The one place for streams is taken; others go on.
    let echo = beginning("echo").replace("<sound>", "<sound>AQ==</sound><cover>");
    let plain = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
                 <echo xmlns='urn:archive'><name>a</name><sound>AQ==</sound></echo></s:Body></s:Envelope>";
    let answer = asked_in_chunks(&server, "text/xml", plain.as_bytes(), 1000);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let refused = asked_in_chunks(&server, MTOM, echo.as_bytes(), 1000);
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("streams: 1"), "{refused}");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).expect("it is answered");
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("body_timeout"), "{answer}");
    // Its place is free again.
    let package = [beginning("store").as_bytes(), b"12345\r\n--b--\r\n"].concat();
    let again = || asked_in_chunks(&server, MTOM, &package, 1000).starts_with("HTTP/1.1 200 ");
    assert!((0..100).any(|_| again() || {
        thread::sleep(Duration::from_millis(20));
        false
    }));
}

#[test]
fn who_accepts_no_package_gets_no_streams() {
    let server = server();
    let body = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
                <fetch xmlns='urn:archive'><bytes>5</bytes></fetch></s:Body></s:Envelope>";
    for (accept, is_sent) in [
        ("", true),
        ("Accept: */*\r\n", true),
        ("Accept: text/xml, multipart/related\r\n", true),
        ("Accept: text/xml\r\n", false),
        ("Accept: application/fastinfoset, */*\r\n", false),
    ] {
        let bytes = format!(
            "POST /archive HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/xml\r\n{accept}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = asked(&server, bytes.as_bytes());
        assert_eq!(answer.starts_with("HTTP/1.1 200 "), is_sent, "{accept} {answer}");
        assert_eq!(answer.contains("Content-Type: audio/wav"), is_sent, "{accept} {answer}");
    }
}
