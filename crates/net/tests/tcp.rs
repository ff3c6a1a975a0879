//! Messages over real sockets of this machine.

use std::net::TcpListener;
use std::thread;

use trunkline_message::Limits;
use trunkline_net::tcp::{Connection, Listener, Receiver, Stream, Wait};
use trunkline_net::{Framer, LengthPrefixed, Xml};

fn listener() -> (Listener, String) {
    let listener = Listener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("127.0.0.1:{}", listener.port().expect("it listens"));
    (listener, address)
}

/// Sends every message there and back, and expects it as it was sent.
fn there_and_back<F: Framer + Default + Send>(wait: Wait, messages: &[Vec<u8>]) {
    let (listener, address) = listener();
    let connection = |stream| {
        Connection::new(stream, F::default(), Limits::default()).expect("the socket is there")
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut connection = connection(listener.accept(wait).expect("somebody connects"));
            while let Some(message) = connection.receive().expect("good frames") {
                let message = message.to_vec();
                connection.send(&message).expect("the other side receives");
            }
        });
        let mut connection = connection(Stream::connect(&address, wait).expect("it listens"));
        for message in messages {
            connection.send(message).expect("the other side receives");
            let answer = connection.receive().expect("good frames");
            assert_eq!(answer, Some(&message[..]));
        }
    });
}

#[test]
fn messages_of_all_lengths_go_there_and_back() {
    let lengths = [0, 1, 100, 65_535, 65_536, 3_000_000];
    let binary: Vec<Vec<u8>> = lengths.iter().map(|&length| vec![1; length]).collect();
    let document = |length: &usize| format!("<a>{}</a>", "x".repeat(*length)).into_bytes();
    let documents: Vec<Vec<u8>> = lengths.iter().map(document).collect();
    for wait in [Wait::Blocking, Wait::Spinning] {
        there_and_back::<LengthPrefixed>(wait, &binary);
        there_and_back::<Xml>(wait, &documents);
    }
}

#[test]
fn many_messages_at_once_come_apart() {
    let (listener, address) = listener();
    thread::scope(|scope| {
        scope.spawn(|| {
            let stream = Stream::connect(&address, Wait::Blocking).expect("it listens");
            let all: Vec<u8> = (0..20_000_u32)
                .flat_map(|index| [4, index].map(u32::to_le_bytes))
                .flatten()
                .collect();
            stream.write(&all).expect("the other side receives");
            stream.finish().expect("it is connected");
        });
        let stream = listener.accept(Wait::Blocking).expect("somebody connects");
        let mut receiver = Receiver::new(stream, LengthPrefixed, Limits::default());
        for index in 0..20_000_u32 {
            let message = receiver.receive().expect("good frames");
            assert_eq!(message, Some(&index.to_le_bytes()[..]));
        }
        assert_eq!(receiver.receive().expect("a good end"), None);
    });
}

#[test]
fn an_end_within_a_message_is_an_error() {
    let (listener, address) = listener();
    let stream = Stream::connect(&address, Wait::Blocking).expect("it listens");
    stream.write_both(&8_u32.to_le_bytes(), b"12345").expect("it is connected");
    stream.finish().expect("it is connected");
    let stream = listener.accept(Wait::Spinning).expect("somebody connects");
    let mut receiver = Receiver::new(stream, LengthPrefixed, Limits::default());
    assert_eq!(
        receiver.receive().expect_err("3 bytes are missing").to_string(),
        "the stream ends within message 0 of the connection: 9 bytes came, \
         at least 3 more were to come"
    );
}

#[test]
fn addresses_without_anybody_are_named() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let free = free.expect("a port is free").to_string();
    let error = Stream::connect(&free, Wait::Blocking).expect_err("nobody listens").to_string();
    assert_eq!(error, format!("{free}: connection refused"));
    let (_listener, address) = listener();
    let error = Listener::bind(&address).expect_err("it is taken").to_string();
    assert_eq!(error, format!("cannot listen on {address}: address in use"));
}
