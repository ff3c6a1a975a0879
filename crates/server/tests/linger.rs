//! Who is told to go can read why, and then the end of the connection.

mod raw;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use raw::{PATIENCE, Raw, Seen, eventually, router};
use trunkline_native::{self as native, RouterFrame, code};
use trunkline_server::Config;

/// Longer than anybody but who was silent may take to read why.
const STOPPED: Duration = Duration::from_millis(1_500);

fn impatient(config: &mut Config) {
    config.router.keepalive = Duration::from_millis(20);
    config.router.keepalive_missed = 2;
}

/// Waits until something has come that is in what was not read yet.
fn comes(stream: &TcpStream, mut is_it: impl FnMut(&[u8]) -> bool) {
    let mut bytes = vec![0; 1 << 16];
    eventually("the last word", || {
        let count = stream.peek(&mut bytes).expect("the connection is there");
        is_it(&bytes[..count])
    });
}

fn has_closing(mut bytes: &[u8]) -> bool {
    while let Ok(Some((frame, length))) = native::decode_router(bytes, 1 << 24) {
        if matches!(frame, RouterFrame::Closing(_)) {
            return true;
        }
        bytes = &bytes[length..];
    }
    false
}

#[test]
fn a_program_that_was_stopped_reads_why_it_was_closed() {
    let router = router(impatient);
    let mut client = Raw::named(&router, "stopped");
    comes(&client.stream, has_closing);
    std::thread::sleep(STOPPED);
    // It goes on where it was: it reads a question, and answers it, before it reads on.
    let mut why = None;
    let until = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < until, "no end");
        match client.next() {
            Seen::Closing(code, text) => why = Some((code, text)),
            Seen::End => break,
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let (code, text) = why.expect("it is told");
    assert_eq!(code, code::SILENT);
    assert!(text.contains("keepalive"), "{text}");
    // What it says still is no error before it has had the time to see the end.
    for _ in 0..3 {
        client.send(|out| native::encode_ping(out, 1));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_page_that_was_stopped_reads_why_it_was_closed() {
    let router = router(|config| {
        impatient(config);
        config.listen.websocket = Some("127.0.0.1:0".into());
    });
    let listener =
        router.addresses().iter().find(|it| it.protocol == "websocket").expect("a listener");
    let place = listener.url().replace("ws://", "");
    let mut stream = TcpStream::connect(place.trim_end_matches('/')).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("it is sent");
    let contains = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).any(|it| it == what);
    comes(&stream, |bytes| contains(bytes, b"(keepalive)"));
    std::thread::sleep(STOPPED);
    // It answers two questions, each with an empty pong, and then reads.
    for _ in 0..2 {
        stream.write_all(&[0x8a, 0x80, 0, 0, 0, 0]).expect("the router reads");
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("the end, and no reset");
    // A frame that closes: its first byte, its length, and 1008.
    let frame = all.iter().rposition(|byte| *byte == 0x88).expect("a frame that closes");
    assert_eq!(all[frame + 2..frame + 4], 1008_u16.to_be_bytes());
    assert_eq!(usize::from(all[frame + 1]), all.len() - frame - 2, "it is the last");
    assert!(contains(&all[frame..], b"(keepalive)"));
}
