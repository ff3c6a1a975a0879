//! What a client tells of what was taken, and how old it says that was.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use trunkline_client::{Client, Conversation, Event, Options, Subscribe};
use trunkline_native::{
    ClientFrame, Clock, Conflation, Features, Message, RouterFrame, Taken, Topic, VERSION, Welcome,
    decode_client,
};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);
const SECOND: u64 = 1_000_000_000;
const BOTH: Features = Features { credit: true, times: true, ..Features::NONE };

fn welcome(features: Features) -> RouterFrame<'static> {
    RouterFrame::Welcome(Welcome {
        version: VERSION,
        features,
        frame_bytes: 1 << 20,
        client: 1,
        topics: 100,
        subscriptions: 100,
    })
}

const NAME: RouterFrame<'_> = RouterFrame::Topic(Topic { alias: 3, name: "fx" });

fn message(sequence: u64, is_conflated: bool, published: Option<u64>) -> RouterFrame<'static> {
    RouterFrame::Message(Message {
        subscription: 0,
        topic: 3,
        sequence,
        conflation: is_conflated.then_some(Conflation { replaced: 0, age: 5 }),
        request: None,
        published,
        last_value: None,
        format: 0,
        payload: b"1.0842",
    })
}

fn bytes(frames: &[RouterFrame<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    bytes
}

/// What a conversation wants to send, as text.
fn said(conversation: &mut Conversation) -> Vec<String> {
    let output = conversation.output().to_vec();
    conversation.sent(output.len());
    let (mut rest, mut said) = (&output[..], Vec::new());
    while let Some((frame, length)) = decode_client(rest, 1 << 20).expect("a frame") {
        said.push(format!("{frame:?}"));
        rest = &rest[length..];
    }
    said
}

fn taken(messages: u64, round_trip: u64) -> String {
    format!("{:?}", ClientFrame::Taken(Taken { messages, round_trip }))
}

#[test]
fn conflated_messages_that_were_handed_over_are_told() {
    let mut conversation = Conversation::new(&Options::default());
    conversation.received(&bytes(&[
        welcome(BOTH),
        NAME,
        message(1, true, Some(9)),
        message(2, false, None),
        message(3, true, Some(9)),
        message(4, true, Some(9)),
    ]));
    said(&mut conversation);
    // The welcome, and three messages of which two are conflated.
    for _ in 0..4 {
        assert!(conversation.next_event().expect("frames of a router").is_some());
    }
    assert_eq!(conversation.unreported(), 2);
    conversation.report_taken(250);
    conversation.report_taken(250);
    assert_eq!(said(&mut conversation), [taken(2, 250)], "once");
    while conversation.next_event().expect("frames of a router").is_some() {}
    conversation.report_taken(0);
    assert_eq!(said(&mut conversation), [taken(3, 0)]);
    // Another connection begins anew.
    conversation.restart();
    said(&mut conversation);
    conversation.received(&bytes(&[welcome(BOTH), NAME, message(9, true, Some(9))]));
    while conversation.next_event().expect("frames of a router").is_some() {}
    conversation.report_taken(0);
    assert_eq!(said(&mut conversation), [taken(1, 0)]);
}

#[test]
fn a_router_that_knows_nothing_of_it_is_told_nothing() {
    let mut conversation = Conversation::new(&Options::default());
    conversation.received(&bytes(&[welcome(Features::default()), NAME, message(1, true, None)]));
    said(&mut conversation);
    while conversation.next_event().expect("frames of a router").is_some() {}
    conversation.report_taken(0);
    conversation.ask_clock(7);
    assert_eq!((conversation.unreported(), said(&mut conversation)), (0, Vec::new()));
}

/// The other end: says what it is given, answers what a client needs, and hands on how many were taken.
fn router(mut stream: TcpStream, say: &Receiver<Vec<u8>>, taken: &Sender<u64>) {
    let mut input = Vec::new();
    let mut hear = move |stream: &mut TcpStream| -> Option<()> {
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).ok().filter(|count| *count > 0)?;
        input.extend_from_slice(&bytes[..count]);
        while let Some((frame, length)) = decode_client(&input, 1 << 20).expect("a client") {
            let answer = match frame {
                ClientFrame::Hello(hello) => Some(welcome(hello.features)),
                ClientFrame::Clock(token) => {
                    Some(RouterFrame::Clock(Clock { token, time: 100 * SECOND }))
                }
                ClientFrame::Subscribe(it) => Some(RouterFrame::Subscribed(it.subscription)),
                ClientFrame::Ping(token) => Some(RouterFrame::Pong(token)),
                ClientFrame::Taken(it) => {
                    let _ = taken.send(it.messages);
                    None
                }
                other => panic!("{other:?}"),
            };
            let answer = answer.map(|frame| self::bytes(&[frame])).unwrap_or_default();
            stream.write_all(&answer).ok()?;
            input.drain(..length);
        }
        Some(())
    };
    let mut speaking = stream.try_clone().expect("a socket");
    thread::scope(|scope| {
        scope.spawn(move || while hear(&mut stream).is_some() {});
        while let Ok(bytes) = say.recv() {
            speaking.write_all(&bytes).expect("the client is there");
        }
    });
}

/// By itself the client tells what the handler has done with: while it is at it, and before it waits.
#[test]
fn a_client_tells_by_itself_what_was_taken_and_how_old_it_is() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("tcp://{}", listener.local_addr().expect("it is bound"));
    let (say, said) = channel();
    let (taken, told) = channel();
    let thread = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client comes");
        router(stream, &said, &taken);
    });
    let mut client = Client::connect(&address, &Options::default()).expect("it is taken");
    client.subscribe("fx", &Subscribe::newest()).expect("it is taken");
    // Published 40 s before the clock was asked.
    let all: Vec<RouterFrame<'_>> =
        (1..=20).map(|number| message(number, true, Some(60 * SECOND))).collect();
    say.send([bytes(&[NAME]), bytes(&all)].concat()).expect("the router is there");
    let (mut count, mut heard) = (0, Vec::new());
    while count < 20 {
        let take = &mut |event: Event<'_>| {
            let Event::Message(it) = event else { panic!("{event:?}") };
            let age = it.age.expect("it is known");
            assert!((40 * SECOND..400 * SECOND).contains(&age), "{age}");
            count += 1;
            // Of a slow program each is told, not all of them at the end.
            if count > 10 {
                heard.extend(told.recv_timeout(PATIENCE));
            }
            thread::sleep(Duration::from_millis(3));
        };
        assert!(client.receive(Some(PATIENCE), take).expect("connected") > 0);
    }
    assert!(heard.len() == 10 && heard.is_sorted(), "{heard:?}");
    // The last are told before it waits for more.
    client.receive(Some(Duration::from_millis(20)), &mut |_| {}).expect("connected");
    let last = loop {
        let taken = told.recv_timeout(PATIENCE).expect("it is told");
        if taken >= 20 {
            break taken;
        }
    };
    assert_eq!(last, 20);
    drop(client);
    drop(say);
    thread.join().expect("the router ends");
}
