//! The router, as a process, among clients that are hostile, dead, asleep, or too many.
//!
//! `TRUNKLINE_SOAK_SECONDS` says for how long a subscriber is stopped; `tests/soak-router` sets it to
//! a minute.

mod wild;

use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Signal, getrlimit};
use trunkline_native::{self as native, Hello, Overflow, RouterFrame};
use trunkline_random::Random;
use trunkline_reactor::{Address, Idle, Reactor};
use wild::{PATIENCE, Peer, Process, Router, say, soak};

/// Not a test of its own: what the other processes do.
#[test]
fn second_process() {
    let Some((role, argument)) = wild::role() else { return };
    match role.as_str() {
        "router" => wild::play_router(&argument),
        "half a message" => play_half_a_message(&argument.parse().expect("an address")),
        "sleeper" => {
            let (topic, address) = argument.split_once(' ').expect("a topic and an address");
            play_sleeper(&address.parse().expect("an address"), topic);
        }
        other => panic!("no role {other}"),
    }
}

/// Publishes ten messages and the beginning of another, and waits to be killed.
fn play_half_a_message(address: &Address) {
    let mut peer = Peer::connect(address, "half a message");
    peer.topic(1, "whole");
    for n in 0..10u8 {
        peer.publish(1, &[n; 500]);
    }
    peer.settle();
    let mut bytes = Vec::new();
    native::encode_publish(&mut bytes, 1, native::format::OPAQUE, &[99; 500]);
    peer.write(&bytes[..300]).expect("the router reads");
    say("published half");
    while peer.read(PATIENCE) {}
}

#[test]
fn publishers_killed_in_the_middle_of_a_message_leave_no_trace() {
    let router = Router::start("");
    let mut subscriber = Peer::connect(&router.tcp, "subscriber");
    subscriber.subscribe(1, "whole");
    for _ in 0..3 {
        for address in router.natives() {
            let mut publisher = Process::start("half a message", &address.to_string());
            publisher.said("published half");
            publisher.kill();
            for n in 0..10u8 {
                assert_eq!(subscriber.message(), [n; 500]);
            }
        }
    }
    let mut publisher = Peer::connect(&router.shared, "another");
    publisher.topic(1, "whole");
    publisher.publish(1, b"next");
    assert_eq!(subscriber.message(), b"next");
}

/// What a client sends that was not written for this router.
fn garbage(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    match random.below(6) {
        0 => bytes = vec![0; random.index(3000)],
        1 => bytes.extend_from_slice(b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n"),
        2 => bytes.extend_from_slice(&[0xff; 64]),
        3 => {
            // The right beginning.
            let hello = Hello { version: native::VERSION, name: "garbage", ..Hello::default() };
            native::encode_hello(&mut bytes, &hello);
            bytes.extend(random.bytes(500));
        }
        4 => {
            // Frames with one thing wrong in each.
            let hello = Hello { version: native::VERSION, name: "mutant", ..Hello::default() };
            native::encode_hello(&mut bytes, &hello);
            for n in 0..20 {
                let begin = bytes.len();
                native::encode_topic(&mut bytes, n, "a/b/c");
                native::encode_subscribe(&mut bytes, n, native::Updates::All, "a/*/>");
                native::encode_publish(&mut bytes, n, 0, &random.bytes(40));
                let at = begin + random.index(bytes.len() - begin);
                bytes[at] ^= 1 << random.below(8);
            }
        }
        _ => {
            let length = random.index(5000);
            bytes = random.bytes(length);
        }
    }
    bytes
}

/// Sends garbage, and leaves or stays for the answer.
fn pester(mut stream: impl std::io::Read + std::io::Write, random: &mut Random) {
    // The router may have closed the connection in the middle.
    let _ = stream.write_all(&garbage(random));
    if random.once_in(2) {
        let _ = stream.read(&mut [0; 100]);
    }
}

#[test]
fn garbage_on_every_port_harms_nobody() {
    let router = Router::start("router.handshake_timeout = '300ms'\n");
    let mut honest = Peer::connect(&router.tcp, "honest");
    honest.subscribe(1, "check");
    let mut random = Random::new(5);
    let host = |address: &Address| match address {
        Address::Tcp(host) | Address::Tls(host) => host.clone(),
        Address::Unix(path) | Address::SharedMemory(path) => path.display().to_string(),
    };
    for _ in 0..60 {
        for port in router.hosts.iter().chain([&host(&router.tcp)]) {
            let stream = TcpStream::connect(port).expect("the router accepts");
            stream.set_read_timeout(Some(Duration::from_millis(50))).expect("a time-out");
            pester(stream, &mut random);
        }
        // Not memory, but bytes to the socket over which memory is handed out, too.
        for path in [host(&router.unix), host(&router.shared)] {
            let stream = UnixStream::connect(path).expect("the router accepts");
            stream.set_read_timeout(Some(Duration::from_millis(50))).expect("a time-out");
            pester(stream, &mut random);
        }
        let mut shared = Peer::silent(&router.shared);
        let _ = shared.write(&garbage(&mut random));
    }
    router.check("after garbage");
    // The nine of the check, and nothing else: what mutants publish has other names.
    for _ in 0..9 {
        assert_eq!(honest.message(), b"after garbage");
    }
    honest.settle();
}

#[test]
fn who_does_not_say_its_name_in_time_is_let_go() {
    let router = Router::start("router.handshake_timeout = '300ms'\n");
    let mut hello = Vec::new();
    native::encode_hello(
        &mut hello,
        &Hello { version: native::VERSION, name: "slow", ..Hello::default() },
    );
    for address in router.natives() {
        let mut silent = Peer::silent(address);
        let mut slow = Peer::silent(address);
        let until = Instant::now() + PATIENCE;
        // A byte at a time, slower than the router is patient.
        let mut bytes = hello.iter();
        while let Some(byte) = bytes.next()
            && slow.write(&[*byte]).is_ok()
            && slow.read(Duration::from_millis(20))
        {
            assert!(Instant::now() < until, "{address}");
        }
        assert!(bytes.len() > 0, "{address}: it was patient for {} bytes", hello.len());
        assert!(!silent.read(PATIENCE) || silent.end().is_some(), "{address}");
    }
    router.check("after the slow");
}

#[test]
fn a_message_in_tiny_pieces_arrives_whole() {
    let router = Router::start("");
    let payload: Vec<u8> = (0..50_000u32).map(|n| (n % 251) as u8).collect();
    let mut subscriber = Peer::connect(&router.tcp, "subscriber");
    subscriber.subscribe(1, "pieces");
    for address in router.natives() {
        let mut publisher = Peer::connect(address, "publisher");
        let mut bytes = Vec::new();
        native::encode_topic(&mut bytes, 1, "pieces");
        native::encode_publish(&mut bytes, 1, native::format::OPAQUE, &payload);
        for piece in bytes.chunks(7) {
            publisher.write(piece).expect("the router reads");
        }
        assert!(subscriber.message() == payload, "{address}");
    }
}

#[test]
fn a_storm_of_connections_passes() {
    const EACH: usize = 1500;
    let router = Router::start("");
    let mut honest = Peer::connect(&router.unix, "honest");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let storms: Vec<_> = router
            .natives()
            .into_iter()
            .map(|address| {
                scope.spawn(move || {
                    for n in 0..EACH {
                        let mut peer = Peer::silent(address);
                        if n % 3 == 0 {
                            // Some begin to speak.
                            let _ = peer.write(&[48, 0, 0]);
                        }
                    }
                })
            })
            .collect();
        let honest = scope.spawn(|| {
            let mut answers = 0;
            while !is_over.load(Ordering::Relaxed) {
                honest.settle();
                answers += 1;
            }
            answers
        });
        for storm in storms {
            storm.join().expect("all are accepted");
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(honest.join().expect("answers") > 0);
    });
    router.check("after the storm");
}

#[test]
fn thousands_of_clients_at_once() {
    const WANTED: usize = 10_000;
    // Half of them on each side of the same limit; some descriptors are for other things.
    let limit = getrlimit(Resource::Nofile);
    wild::raise_limit();
    let allowed = limit.maximum.map_or(usize::MAX, |most| most as usize).saturating_sub(200);
    let count = WANTED.min(allowed);
    if count < WANTED {
        println!("{count} clients and not {WANTED}: the system allows no more descriptors");
    }
    let router = Router::start("");
    let begin = Instant::now();
    let mut reactor = Reactor::new(Idle::Block).expect("a reactor");
    let mut peers: Vec<Peer> = (0..count)
        .map(|n| {
            let name = format!("client {n}");
            // Memory for a few, sockets for most.
            let address = match n % 20 {
                0 => &router.shared,
                n if n < 10 => &router.unix,
                _ => &router.tcp,
            };
            let mut peer = Peer::silent(address);
            peer.send(|out| {
                let hello = Hello { version: native::VERSION, name: &name, ..Hello::default() };
                native::encode_hello(out, &hello);
                native::encode_subscribe(out, 1, native::Updates::All, "all/of/you");
                native::encode_subscribe(out, 2, native::Updates::All, &format!("only/{n}"));
            });
            peer
        })
        .collect();
    for peer in &mut peers {
        peer.settle();
    }
    let connected = begin.elapsed();
    for (token, peer) in peers.iter_mut().enumerate() {
        reactor.add(&mut peer.stream, token).expect("a registration");
    }
    let mut publisher = Peer::connect(&router.tcp, "publisher");
    publisher.topic(0, "all/of/you");
    publisher.publish(0, b"all");
    for n in 0..count {
        let alias = 1 + n as u32 % 1000;
        publisher.topic(alias, &format!("only/{n}"));
        publisher.publish(alias, &(n as u64).to_le_bytes());
        publisher.send(|out| native::encode_forget(out, alias));
    }
    publisher.settle();
    for (n, peer) in peers.iter_mut().enumerate() {
        assert_eq!(peer.message(), b"all", "client {n}");
        assert_eq!(peer.message(), (n as u64).to_le_bytes(), "client {n}");
    }
    println!(
        "{count} clients connected in {:.1} s, served in {:.1} s",
        connected.as_secs_f64(),
        (begin.elapsed() - connected).as_secs_f64()
    );
    drop(peers);
    router.check("after thousands");
}

/// Bytes of a message to the sleeper: so many that the system's buffers do not hold a test's worth.
const LOAD: usize = 4096;

/// Messages a second while a subscriber is stopped.
const RATE: u64 = 2000;

/// A subscriber that counts what it gets, is told of losing, or gets out of order, until the end.
fn play_sleeper(address: &Address, topic: &str) {
    let hello = Hello {
        version: native::VERSION,
        name: "sleeper",
        queue_messages: 1000,
        overflow: Overflow::DropOldest,
        ..Hello::default()
    };
    let mut peer = Peer::hello(address, &hello);
    peer.subscribe(1, topic);
    say("subscribed");
    let (mut received, mut lost, mut next) = (0u64, 0, 1);
    peer.expect("the end", |frame| {
        match frame {
            RouterFrame::Gap(gap) => {
                assert_eq!(gap.first, next, "a gap begins behind what was delivered");
                assert_eq!(gap.last - gap.first + 1, gap.count, "nothing in it was delivered");
                lost += gap.count;
                next = gap.last + 1;
            }
            RouterFrame::Message(message) => {
                assert_eq!(message.sequence, next, "what is missing was not told");
                next += 1;
                received += 1;
                return message.payload.starts_with(b"end").then_some(());
            }
            _ => {}
        }
        None
    });
    say(&format!("counted {received} {lost}"));
}

/// Publishes at `RATE` until the time is over, then the end; returns how many those were.
fn publish_load(address: &Address, topic: &str, begin: Instant, time: Duration) -> u64 {
    let mut publisher = Peer::connect(address, "publisher");
    publisher.topic(1, topic);
    let mut payload = vec![0; LOAD];
    let mut sent = 0;
    while begin.elapsed() < time {
        let due = (begin.elapsed().as_nanos() as u64 * RATE) / 1_000_000_000;
        while sent < due {
            payload[..8].copy_from_slice(&(begin.elapsed().as_nanos() as u64).to_le_bytes());
            publisher.publish(1, &payload);
            sent += 1;
        }
        thread::sleep(Duration::from_micros(400));
    }
    payload[..3].copy_from_slice(b"end");
    publisher.publish(1, &payload);
    publisher.settle();
    sent + 1
}

/// Takes everything in order; the times from sending to receiving, in order of size.
fn take_load(mut peer: Peer, begin: Instant) -> Vec<u64> {
    let (mut next, mut times) = (1, Vec::new());
    peer.expect("the end", |frame| {
        match frame {
            RouterFrame::Gap(gap) => panic!("who keeps up lost {gap:?}"),
            RouterFrame::Message(message) => {
                assert_eq!(message.sequence, next, "everything, in order");
                next += 1;
                if message.payload.starts_with(b"end") {
                    return Some(());
                }
                let sent = u64::from_le_bytes(message.payload[..8].try_into().expect("8 bytes"));
                times.push((begin.elapsed().as_nanos() as u64).saturating_sub(sent));
            }
            _ => {}
        }
        None
    });
    times.sort_unstable();
    times
}

#[test]
fn a_stopped_subscriber_is_told_what_it_lost_and_nobody_else_notices() {
    let router = Router::start("");
    for address in router.natives() {
        // Sequences are those of a topic.
        let transport = address.to_string().split(':').next().expect("a transport").to_owned();
        let topic = format!("load/{transport}");
        let mut sleeper = Process::start("sleeper", &format!("{topic} {address}"));
        sleeper.said("subscribed");
        let begin = Instant::now();
        let mut fast = Peer::connect(&router.tcp, "fast");
        fast.subscribe(1, &topic);
        let fast = thread::spawn(move || take_load(fast, begin));
        sleeper.signal(Signal::STOP);
        let published = publish_load(&router.tcp, &topic, begin, soak());
        let times = fast.join().expect("everything in order");
        assert_eq!(times.len() as u64 + 1, published);
        sleeper.signal(Signal::CONT);
        let counted = sleeper.said("counted");
        let (received, lost) = counted.split_once(' ').expect("two numbers");
        let [received, lost] = [received, lost].map(|text| text.parse::<u64>().expect("a number"));
        assert_eq!(received + lost, published, "{address}");
        assert!(lost > 0, "{address}: nothing was lost, so nothing was tested");
        let of = |part: f64| times[(times.len() as f64 * part) as usize] as f64 / 1e3;
        println!(
            "{transport} stopped for {:?}: {published} published, it received {received} and was told of \
             {lost} lost; the other received all: p50 {:.0} us, p99 {:.0} us, most {:.0} us",
            soak(),
            of(0.5),
            of(0.99),
            times.last().map_or(0.0, |time| *time as f64 / 1e3),
        );
    }
}
