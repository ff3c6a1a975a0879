//! Streams, listeners and the reactor over every transport of this machine.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_reactor::{Address, Event, Idle, Listener, Reactor, Stream};

const PATIENCE: Duration = Duration::from_secs(20);
const IDLES: [Idle; 3] = [Idle::Block, Idle::Spin, Idle::SpinFor(Duration::from_micros(50))];

/// A path for a socket that no other test has.
fn path() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("reactor-{}-{number}.sock", process::id()))
}

fn addresses() -> Vec<Address> {
    vec![
        Address::Tcp("127.0.0.1:0".to_owned()),
        Address::Unix(path()),
        Address::SharedMemory(path()),
    ]
}

/// Sends back what comes, for as many connections as there are, until `count` of them ended.
fn echo(mut listener: Listener, idle: Idle, count: usize) {
    const LISTENER: usize = 7_000;
    let mut reactor = Reactor::new(idle).unwrap();
    reactor.add_listener(&mut listener, LISTENER).unwrap();
    let mut connections: Vec<Option<(Stream, Vec<u8>)>> = Vec::new();
    let mut events = Vec::new();
    let mut ended = 0;
    while ended < count {
        reactor.wait(&mut events, Some(PATIENCE)).unwrap();
        assert!(!events.is_empty(), "nothing happens");
        for event in &events {
            if event.token == LISTENER {
                while let Some(mut stream) = listener.accept().unwrap() {
                    reactor.add(&mut stream, connections.len()).unwrap();
                    connections.push(Some((stream, Vec::new())));
                }
                continue;
            }
            let place = &mut connections[event.token];
            let Some((stream, pending)) = place else { continue };
            if !turn(stream, pending) {
                reactor.remove(stream).unwrap();
                *place = None;
                ended += 1;
            }
        }
    }
}

/// Reads and writes until both would block; whether the connection goes on.
fn turn(stream: &mut Stream, pending: &mut Vec<u8>) -> bool {
    let mut bytes = [0; 3000];
    loop {
        let mut is_done = true;
        match stream.read(&mut bytes) {
            Ok(0) => return false,
            Ok(count) => {
                pending.extend_from_slice(&bytes[..count]);
                is_done = false;
            }
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
        if !pending.is_empty()
            && let Ok(count) = stream.write(pending)
        {
            pending.drain(..count);
            is_done = false;
        }
        if is_done {
            return true;
        }
    }
}

/// Sends `bytes` through an echo and reads them back, waiting as a client does.
fn through(stream: &mut Stream, bytes: &[u8]) -> Vec<u8> {
    let (mut sent, mut back) = (0, Vec::new());
    let mut buffer = [0; 5000];
    while back.len() < bytes.len() {
        let ready = stream.wait(true, sent < bytes.len(), Some(PATIENCE)).unwrap();
        assert!(ready.readable || ready.writable, "nothing happens");
        if ready.writable {
            sent += stream.write(&bytes[sent..]).unwrap();
        }
        if ready.readable {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "the connection ended");
            back.extend_from_slice(&buffer[..count]);
        }
    }
    back
}

#[test]
fn bytes_come_back_as_they_were_sent() {
    let bytes: Vec<u8> =
        (0..3_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for idle in IDLES {
        for address in addresses() {
            let listener = Listener::bind(&address).unwrap();
            let address = listener.address();
            let server = thread::spawn(move || echo(listener, idle, 3));
            for _ in 0..3 {
                let mut stream = Stream::connect(&address, PATIENCE).unwrap();
                stream.set_idle(idle);
                assert!(through(&mut stream, &bytes) == bytes, "{address} {idle:?}");
            }
            server.join().unwrap();
        }
    }
}

#[test]
fn many_connections_at_once() {
    for address in addresses() {
        let listener = Listener::bind(&address).unwrap();
        let address = listener.address();
        let server = thread::spawn(move || echo(listener, Idle::Block, 200));
        let mut streams: Vec<Stream> =
            (0..200).map(|_| Stream::connect(&address, PATIENCE).unwrap()).collect();
        for (number, stream) in streams.iter_mut().enumerate() {
            let text = format!("this is {number}");
            assert_eq!(through(stream, text.as_bytes()), text.as_bytes());
        }
        drop(streams);
        server.join().unwrap();
    }
}

/// A listener with a reactor, and a pair of connected streams.
fn pair(address: &Address) -> (Reactor, Stream, Stream) {
    let mut listener = Listener::bind(address).unwrap();
    let mut reactor = Reactor::new(Idle::Block).unwrap();
    reactor.add_listener(&mut listener, 0).unwrap();
    let address = listener.address();
    // The other end of shared memory is made when the connection is accepted.
    let far = thread::spawn(move || Stream::connect(&address, PATIENCE).unwrap());
    let mut events = Vec::new();
    reactor.wait(&mut events, Some(PATIENCE)).unwrap();
    let mut near = listener.accept().unwrap().expect("a connection");
    assert!(listener.accept().unwrap().is_none());
    reactor.remove_listener(&mut listener).unwrap();
    reactor.add(&mut near, 1).unwrap();
    let far = far.join().unwrap();
    (reactor, near, far)
}

/// The first event that is as asked for.
fn expect(reactor: &mut Reactor, is_it: impl Fn(&Event) -> bool) {
    let end = Instant::now() + PATIENCE;
    let mut events = Vec::new();
    while !events.iter().any(&is_it) {
        assert!(Instant::now() < end, "the event does not come");
        reactor.wait(&mut events, Some(PATIENCE)).unwrap();
    }
}

#[test]
fn the_end_comes_after_the_last_bytes() {
    for address in addresses() {
        let (mut reactor, mut near, mut far) = pair(&address);
        assert_eq!(near.read(&mut [0; 9]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        far.write(b"last").unwrap();
        far.finish().unwrap();
        expect(&mut reactor, |event| event.token == 1 && event.readable && event.closed);
        let mut bytes = [0; 9];
        assert_eq!(near.read(&mut bytes).unwrap(), 4, "{address}");
        assert_eq!(near.read(&mut bytes).unwrap(), 0);
        // The other direction is open still.
        near.write(b"answer").unwrap();
        assert!(far.wait(true, false, Some(PATIENCE)).unwrap().readable);
        assert_eq!(far.read(&mut bytes).unwrap(), 6);
        drop(near);
        assert!(far.wait(true, false, Some(PATIENCE)).unwrap().readable);
        assert_eq!(far.read(&mut bytes).unwrap(), 0);
    }
}

#[test]
fn a_full_stream_tells_when_there_is_room_again() {
    for address in addresses() {
        let (mut reactor, mut near, mut far) = pair(&address);
        let block = [7; 10_000];
        let mut sent = 0;
        loop {
            match near.write(&block) {
                Ok(count) => sent += count,
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
                    break;
                }
            }
        }
        // What was there before the stream was full.
        let mut events = Vec::new();
        reactor.wait(&mut events, Some(Duration::ZERO)).unwrap();
        let mut bytes = vec![0; 100_000];
        let mut received = 0;
        while received < sent {
            assert!(far.wait(true, false, Some(PATIENCE)).unwrap().readable);
            received += far.read(&mut bytes).unwrap();
        }
        expect(&mut reactor, |event| event.token == 1 && event.writable);
        assert!(near.write(&block).unwrap() > 0, "{address}");
    }
}

#[test]
fn a_wait_ends_by_time_or_by_the_waker() {
    for idle in IDLES {
        let mut reactor = Reactor::new(idle).unwrap();
        let mut events = Vec::new();
        for time in [0, 1, 300, 1_000, 2_500].map(Duration::from_micros) {
            let begin = Instant::now();
            reactor.wait(&mut events, Some(time)).unwrap();
            assert!(events.is_empty() && begin.elapsed() >= time, "{idle:?} {time:?}");
        }
        let waker = reactor.waker();
        let other = thread::spawn(move || waker.wake().unwrap());
        reactor.wait(&mut events, None).unwrap();
        assert!(events.is_empty());
        other.join().unwrap();
    }
}

#[test]
fn a_client_waits_no_longer_than_asked() {
    for address in addresses() {
        let (_reactor, _near, mut far) = pair(&address);
        for idle in IDLES {
            far.set_idle(idle);
            let ready = far.wait(true, false, Some(Duration::from_micros(700))).unwrap();
            assert!(!ready.readable && !ready.writable, "{address}");
            assert!(far.wait(true, true, None).unwrap().writable);
        }
    }
}

#[test]
fn the_file_of_a_socket_is_private_and_goes_with_its_listener() {
    let path = path();
    let address = Address::Unix(path.clone());
    let listener = Listener::bind(&address).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let error = Listener::bind(&address).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    assert!(error.to_string().contains("another process listens"), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    drop(listener);
    assert!(!path.exists());
    // One that died leaves its file, which the next one replaces.
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    drop(Listener::bind(&address).unwrap());
    fs::write(&path, "a file").unwrap();
    let error = Listener::bind(&address).unwrap_err();
    assert!(error.to_string().contains("no socket"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "a file");
    fs::remove_file(&path).unwrap();
}

#[test]
fn where_nobody_listens_the_error_names_the_address() {
    let free = Listener::bind(&Address::Tcp("127.0.0.1:0".to_owned())).unwrap().address();
    for address in [free, Address::Unix(path())] {
        let error = Stream::connect(&address, PATIENCE).unwrap_err();
        assert!(error.to_string().starts_with(&address.to_string()), "{error}");
    }
    let taken = Listener::bind(&Address::Tcp("127.0.0.1:0".to_owned())).unwrap();
    let error = Listener::bind(&taken.address()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
}

#[test]
fn peers_have_names() {
    for (address, part) in addresses().into_iter().zip(["127.0.0.1:", "pid ", "pid "]) {
        let (_reactor, near, _far) = pair(&address);
        assert!(near.peer().starts_with(part), "{}", near.peer());
        assert!(address.to_string().starts_with(near.transport()));
    }
}

/// Writes 50 MB by what the reactor tells alone, to a reader that takes a little at a time.
#[test]
fn a_long_stream_flows_as_fast_as_it_is_read() {
    const BYTES: usize = 50_000_000;
    for address in addresses() {
        let (mut reactor, mut near, mut far) = pair(&address);
        let reader = thread::spawn(move || {
            let (mut received, mut bytes) = (0, [0; 10_000]);
            while received < BYTES {
                assert!(far.wait(true, false, Some(PATIENCE)).unwrap().readable, "nothing comes");
                if let Ok(count) = far.read(&mut bytes) {
                    assert!(bytes[..count].iter().zip(received..).all(|(b, n)| *b == n as u8));
                    received += count;
                }
            }
        });
        let block: Vec<u8> = (0..256 * 1500).map(|n| n as u8).collect();
        let (mut events, mut sent) = (Vec::new(), 0);
        while sent < BYTES {
            let from = sent % 256;
            let length = (block.len() - from).min(BYTES - sent);
            match near.write(&block[from..from + length]) {
                Ok(count) if count == length => sent += count,
                result => {
                    sent += result.unwrap_or(0);
                    events.clear();
                    while !events.iter().any(|event: &Event| event.writable) {
                        reactor.wait(&mut events, Some(PATIENCE)).unwrap();
                        assert!(!events.is_empty(), "{address}: no room after {sent}");
                    }
                }
            }
        }
        reader.join().unwrap();
    }
}

/// What was written cannot be replaced by something newer: where that matters, little is taken.
#[test]
fn little_is_under_way_where_it_is_asked_for() {
    for address in addresses() {
        let mut listener = Listener::bind(&address).unwrap();
        let to = listener.address();
        let reader = thread::spawn(move || Stream::connect(&to, PATIENCE).unwrap());
        let mut stream = loop {
            if let Some(stream) = listener.accept().unwrap() {
                break stream;
            }
        };
        let mut reader = reader.join().unwrap();
        let fill = |stream: &mut Stream| {
            let mut taken = 0;
            loop {
                match stream.write(&[7; 1000]) {
                    Ok(count) => taken += count,
                    Err(error) => {
                        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
                        return taken;
                    }
                }
            }
        };
        stream.bound_buffers().unwrap();
        let taken = fill(&mut stream);
        let under_way = stream.under_way().unwrap_or(0);
        match address {
            Address::SharedMemory(_) => assert_eq!((taken, under_way), (8 << 10, 8 << 10)),
            Address::Unix(_) => assert!((1..=32 << 10).contains(&taken), "{taken}"),
            // The window of the other side's system comes on top.
            Address::Tcp(_) | Address::Tls(_) => {
                assert!((1..=256 << 10).contains(&taken), "{taken}")
            }
        }
        // It goes on when the other side has read.
        let mut bytes = vec![0; taken];
        let mut read = 0;
        while read < taken {
            assert!(reader.wait(true, false, Some(PATIENCE)).unwrap().readable);
            read += reader.read(&mut bytes[read..]).unwrap();
        }
        assert!(stream.wait(false, true, Some(PATIENCE)).unwrap().writable);
        assert!(fill(&mut stream) > 0);
    }
}
