//! What a program sees of a link between it and its server.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use trunkline_experiment::link::Link;
use trunkline_lab::link::Proxy;
use trunkline_random::Random;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn link(name: &str) -> Link {
    name.parse().expect("a link of this test")
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a port on loopback")
}

fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(address).expect("the proxy listens");
    socket.set_read_timeout(Some(PATIENCE)).expect("an option that exists");
    socket
}

/// A proxy, and what its server sees of the first connection through it.
fn pair(name: &str) -> (Proxy, TcpStream, TcpStream) {
    let listener = listener();
    let to = listener.local_addr().expect("it listens");
    let proxy = Proxy::start(link(name), to).expect("a port on loopback");
    let client = connect(proxy.address());
    let (server, _) = listener.accept().expect("the proxy connects");
    server.set_read_timeout(Some(PATIENCE)).expect("an option that exists");
    (proxy, client, server)
}

fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.bits() as u8).collect()
}

fn read_all(mut socket: &TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    socket.read_to_end(&mut all).expect("a proper end");
    all
}

#[test]
fn bytes_go_both_ways_at_once_on_several_connections() {
    for name in ["direct", "100mbit-1ms", "1gbit"] {
        let listener = listener();
        let to = listener.local_addr().expect("it listens");
        let proxy = Proxy::start(link(name), to).expect("a port on loopback");
        thread::scope(|scope| {
            for seed in 0..3 {
                let mut client = connect(proxy.address());
                let (server, _) = listener.accept().expect("the proxy connects");
                for (socket, seed) in [(client.try_clone(), seed), (server.try_clone(), seed + 10)]
                {
                    let mut socket = socket.expect("a second handle");
                    scope.spawn(move || {
                        socket.write_all(&bytes(seed, 200_000)).expect("it goes on");
                        socket.shutdown(Shutdown::Write).expect("it is open");
                    });
                }
                scope.spawn(move || assert!(read_all(&server) == bytes(seed, 200_000)));
                scope.spawn(move || {
                    let mut all = Vec::new();
                    client.read_to_end(&mut all).expect("a proper end");
                    assert!(all == bytes(seed + 10, 200_000));
                });
            }
        });
        let least = link(name).serialisation(600_000);
        let (to_server, to_client) = proxy.busy_nanoseconds();
        assert!(to_server >= least && to_client >= least, "{name}");
    }
}

#[test]
fn nothing_is_early() {
    let (_proxy, mut client, mut server) = pair("10mbit-20ms");
    let start = Instant::now();
    client.write_all(&[7; 1460]).expect("it goes on");
    server.read_exact(&mut [0; 1460]).expect("all of it");
    server.write_all(&[8; 1460]).expect("it goes on");
    client.read_exact(&mut [0; 1460]).expect("all of it");
    let least = 2 * (Duration::from_nanos(1_230_400) + Duration::from_millis(20));
    assert!(start.elapsed() >= least);
}

#[test]
fn the_end_of_one_direction_leaves_the_other_open() {
    let (_proxy, mut client, mut server) = pair("10mbit-1ms");
    client.write_all(b"question").expect("it goes on");
    client.shutdown(Shutdown::Write).expect("it is open");
    assert_eq!(read_all(&server), b"question");
    server.write_all(b"answer").expect("it goes on");
    drop(server);
    assert_eq!(read_all(&client), b"answer");
}

#[test]
fn a_server_that_does_not_read_holds_up_the_sender_and_loses_nothing() {
    let (_proxy, mut client, server) = pair("direct");
    client.set_nonblocking(true).expect("an option that exists");
    let chunk = bytes(5, 1 << 16);
    let mut sent = 0_usize;
    // The link has let through what it could when nothing more is taken for a while.
    let mut last = Instant::now();
    while last.elapsed() < Duration::from_millis(300) {
        match client.write(&chunk[sent % chunk.len()..]) {
            Ok(count) => {
                sent += count;
                last = Instant::now();
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(error) => panic!("{error}"),
        }
        assert!(sent < 256 << 20, "no end to what is taken");
    }
    client.shutdown(Shutdown::Write).expect("it is open");
    let received = read_all(&server);
    assert_eq!(received.len(), sent);
    assert!(received.iter().zip(chunk.iter().cycle()).all(|(one, other)| one == other));
}

#[test]
fn a_connection_that_breaks_on_one_side_is_broken_on_the_other() {
    let (proxy, client, mut server) = pair("10mbit");
    // Closing a socket with unread bytes resets the connection.
    server.write_all(b"unread").expect("it goes on");
    client.peek(&mut [0; 1]).expect("it has arrived");
    drop(client);
    let error = loop {
        match server.read(&mut [0; 64]) {
            Ok(count) => assert_ne!(count, 0, "this looks like a proper end"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    // And the proxy goes on.
    drop(connect(proxy.address()));
}

#[test]
fn a_server_that_is_not_there_is_told_and_the_client_is_cut_off() {
    let listener = listener();
    let nobody = listener.local_addr().expect("it listened");
    drop(listener);
    let (sender, told) = mpsc::channel();
    let any = "127.0.0.1:0".parse().expect("an address");
    let tell = move |error: trunkline_lab::link::ProxyError| {
        sender.send(error.to_string()).expect("the test waits");
    };
    let proxy = Proxy::listen(Link::DIRECT, any, nobody, tell).expect("a port on loopback");
    let error = connect(proxy.address()).read(&mut [0; 1]).expect_err("there is no server");
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let text = told.recv_timeout(PATIENCE).expect("it is told");
    let expected = format!("{nobody} cannot be reached: Connection refused");
    assert!(text.starts_with(&expected), "{text}");
}

#[test]
fn dropping_the_proxy_ends_its_connections_and_frees_its_port() {
    let (proxy, mut client, _server) = pair("10mbit-100ms");
    let address = proxy.address();
    client.write_all(&[0; 100_000]).expect("it goes on");
    drop(proxy);
    assert!(client.read(&mut [0; 1]).is_err());
    let rejected = TcpStream::connect(address).expect_err("nobody listens");
    assert_eq!(rejected.kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn an_address_that_cannot_be_listened_at_is_named() {
    let listener = listener();
    let taken = listener.local_addr().expect("it listens");
    let start = |address, to| Proxy::listen(Link::DIRECT, address, to, |_| {});
    let text = start(taken, taken).expect_err("it is taken").to_string();
    let expected = format!("{taken} cannot be listened at: Address already in use");
    assert!(text.starts_with(&expected), "{text}");

    drop(listener);
    let text = start(taken, taken).expect_err("a loop").to_string();
    let expected = format!("{taken} cannot be listened at: the proxy would connect to itself");
    assert_eq!(text, expected);
}
