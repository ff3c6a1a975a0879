//! What comes between a client and a router: bytes one at a time, changed, cut, made up.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use trunkline_client::{Client, Subscribe};
use trunkline_random::Random;

use crate::authority::Authority;
use crate::{PATIENCE, connect, options, place, receive, start};

/// Passes bytes of one client on to a router. `pass` may change what goes to the router, and says whether the
/// connection goes on; it gets the number of bytes that went before.
fn between(
    place: String,
    mut pass: impl FnMut(usize, &mut Vec<u8>, &mut TcpStream) -> bool + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a client");
        let mut router = TcpStream::connect(place).expect("it listens");
        router.set_nodelay(true).expect("an option");
        let (mut back, mut to) = (router.try_clone(), client.try_clone());
        std::thread::spawn(move || {
            let (Ok(back), Ok(to)) = (&mut back, &mut to) else { return };
            // Either may be gone.
            let _ = std::io::copy(back, to);
            let _ = to.shutdown(std::net::Shutdown::Both);
        });
        let (mut passed, mut room) = (0, vec![0; 64 << 10]);
        while let Ok(count @ 1..) = client.read(&mut room) {
            let mut bytes = room[..count].to_vec();
            if !pass(passed, &mut bytes, &mut router) || router.write_all(&bytes).is_err() {
                break;
            }
            passed += count;
        }
        let _ = router.shutdown(std::net::Shutdown::Both);
    });
    format!("tls://{address}")
}

#[test]
fn records_may_come_a_byte_at_a_time() {
    let authority = Authority::new();
    let (_folder, router) = start("bytes", &authority, false);
    let mut reader = connect(&router, "reader", authority.client(None)).expect("a client");
    reader.subscribe("t", &Subscribe::every()).expect("it is taken");
    let address = between(place(&router, "native"), |_, bytes, to| {
        let all = std::mem::take(bytes);
        all.iter().all(|byte| to.write_all(&[*byte]).is_ok())
    });
    let options = options("writer", authority.client(None));
    let mut writer = Client::connect(&address, &options).expect("a handshake");
    let topic = writer.topic("t").expect("a topic");
    let payload = vec![7; 20_000];
    writer.publish(topic, &payload).expect("it is sent");
    assert!(receive(&mut reader, 1) == [payload]);
}

#[test]
fn what_is_changed_or_cut_on_the_way_ends_its_connection_alone() {
    let authority = Authority::new();
    let (_folder, router) = start("changed", &authority, false);
    let mut reader = connect(&router, "reader", authority.client(None)).expect("a client");
    reader.subscribe("t", &Subscribe::every()).expect("it is taken");
    let mut honest = connect(&router, "honest", authority.client(None)).expect("a client");
    let other = honest.topic("t").expect("a topic");
    for cuts in [false, true] {
        // Beyond the handshake.
        let at = 6_000;
        let address = between(place(&router, "native"), move |before, bytes, to| {
            let is_there = before <= at && at < before + bytes.len();
            if is_there && cuts {
                let _ = to.write_all(&bytes[..at - before]);
                return false;
            }
            if is_there {
                bytes[at - before] ^= 1;
            }
            true
        });
        let options = options("victim", authority.client(None));
        let mut victim = Client::connect(&address, &options).expect("a handshake");
        let topic = victim.topic("t").expect("a topic");
        let mut published = 0_u32;
        let error = loop {
            let sent = victim.publish(topic, &published.to_le_bytes());
            if let Err(error) = sent.and_then(|()| victim.synchronise()) {
                break error;
            }
            published += 1;
        };
        assert!(error.is_final(), "{error}");
        // The router has handled all that it will of it.
        while router.handle().pulse(PATIENCE).expect("it answers").clients > 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // All that was answered came, in order; of what follows, at most the one whose answer is missing.
        honest.publish(other, b"end").expect("it is sent");
        let mut all = receive(&mut reader, published as usize + 1);
        while all.last().is_none_or(|it| it != b"end") {
            all.extend(receive(&mut reader, 1));
        }
        all.pop();
        assert!(all.len() - published as usize <= 1, "{published} of {}", all.len());
        assert!((0..).zip(&all).all(|(number, it): (u32, _)| *it == number.to_le_bytes()));
    }
}

#[test]
fn garbage_before_and_inside_tls_harms_nobody() {
    let authority = Authority::new();
    let (_folder, router) = start("garbage", &authority, false);
    let mut reader = connect(&router, "reader", authority.client(None)).expect("a client");
    reader.subscribe("t", &Subscribe::every()).expect("it is taken");
    let mut honest = connect(&router, "honest", authority.client(None)).expect("a client");
    let topic = honest.topic("t").expect("a topic");
    let tls = authority.client(None);
    let mut random = Random::new(17);
    for round in 0..60_u32 {
        for protocol in ["native", "websocket", "http"] {
            let mut bytes: Vec<u8> = (0..random.index(3000)).map(|_| random.bits() as u8).collect();
            if random.once_in(2) {
                // As if it was a handshake.
                bytes.splice(..0, [22, 3, 1, 8, 0, 1, 0, 7, 252, 3, 3]);
            }
            let mut plain = TcpStream::connect(place(&router, protocol)).expect("it listens");
            plain.set_read_timeout(Some(Duration::from_millis(1))).expect("a time-out");
            // It may have been closed already, or say what is wrong.
            let _ = plain.write_all(&bytes);
            let _ = plain.read(&mut [0; 256]);
            if protocol == "native" {
                let inside = trunkline_reactor::Stream::connect_tls(
                    &place(&router, protocol),
                    &tls,
                    PATIENCE,
                );
                let mut inside = inside.expect("a handshake");
                let _ = inside.write(&bytes);
                let _ = inside.finish();
            }
        }
        honest.publish(topic, &round.to_le_bytes()).expect("it is sent");
        assert_eq!(receive(&mut reader, 1), [round.to_le_bytes()]);
    }
}
