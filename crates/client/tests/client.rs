//! A client over a real socket, whose other end does what no right router does, or what one does
//! at a bad moment.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trunkline_client::{
    Client, Consume, Conversation, Error, Event, Options, Start, Subscribe, code, kind,
};
use trunkline_native::{
    ClientFrame, Closing, Consuming, Delivery, Durability, Features, Message, Producing, Rejected,
    RouterFrame, Stored, Topic, VERSION, Welcome, decode_client,
};

const NO_FEATURES: Features = Features::NONE;

const WELCOME: RouterFrame<'_> = RouterFrame::Welcome(Welcome {
    features: NO_FEATURES,
    version: VERSION,
    frame_bytes: 1 << 20,
    client: 1,
    topics: 1000,
    subscriptions: 100,
});

/// The other end of one connection.
struct End {
    stream: TcpStream,
    input: Vec<u8>,
}

impl End {
    /// The next frame of the client, as text; what it says is answered here. None at the end.
    fn hear(&mut self, hear: impl FnOnce(&ClientFrame<'_>) -> Vec<u8>) -> bool {
        loop {
            if let Some((frame, length)) = decode_client(&self.input, 1 << 20).expect("a client") {
                let answer = hear(&frame);
                self.input.drain(..length);
                // The client may be gone on purpose.
                let _ = self.stream.write_all(&answer);
                return true;
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) | Err(_) => return false,
                Ok(count) => self.input.extend_from_slice(&bytes[..count]),
            }
        }
    }

    fn say(&mut self, frames: &[RouterFrame<'_>]) {
        self.stream.write_all(&bytes(frames)).expect("the client is there");
    }

    /// Takes the client.
    fn greet(&mut self) {
        assert!(self.hear(|frame| {
            assert!(matches!(frame, ClientFrame::Hello(_)), "{frame:?}");
            bytes(&[WELCOME])
        }));
    }

    /// Answers as a router does until the client goes; names with `!` are rejected.
    fn serve(&mut self) {
        while self.hear(|frame| match frame {
            ClientFrame::Ping(token) => bytes(&[RouterFrame::Pong(*token)]),
            ClientFrame::Topic(Topic { alias, name }) if name.contains('!') => {
                bytes(&[rejected(kind::TOPIC, *alias)])
            }
            ClientFrame::Subscribe(it) if it.pattern.contains('!') => {
                bytes(&[rejected(kind::SUBSCRIBE, it.subscription)])
            }
            ClientFrame::Subscribe(it) => bytes(&[RouterFrame::Subscribed(it.subscription)]),
            ClientFrame::Unsubscribe(number) => bytes(&[RouterFrame::Unsubscribed(*number)]),
            _ => Vec::new(),
        }) {}
    }
}

fn rejected(of: u8, id: u32) -> RouterFrame<'static> {
    let (offset, id) = (Some(1), id.into());
    RouterFrame::Rejected(Rejected { of, code: code::BAD_NAME, offset, id, text: "no !" })
}

fn bytes(frames: &[RouterFrame<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    bytes
}

/// Runs the other end of the next connections, one after the other.
fn listen<const N: usize>(ends: [fn(End); N]) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("tcp://{}", listener.local_addr().expect("it is bound"));
    let thread = thread::spawn(move || {
        for end in ends {
            let (stream, _) = listener.accept().expect("a client comes");
            stream.set_nodelay(true).expect("a socket");
            end(End { stream, input: Vec::new() });
        }
    });
    (address, thread)
}

fn hasty() -> Options {
    Options { timeout: Duration::from_millis(50), ..Options::default() }
}

fn message(sequence: u64, payload: &[u8]) -> RouterFrame<'_> {
    RouterFrame::Message(Message {
        subscription: 0,
        topic: 3,
        sequence,
        conflation: None,
        request: None,
        published: None,
        last_value: None,
        format: 0,
        payload,
    })
}

const NAME: RouterFrame<'_> = RouterFrame::Topic(Topic { alias: 3, name: "fx" });

/// Sequences of the messages of one call.
fn receive(client: &mut Client) -> Vec<u64> {
    let mut found = Vec::new();
    client
        .receive(Some(Duration::from_secs(30)), &mut |event| match event {
            Event::Message(message) => found.push(message.sequence),
            Event::Closing(_) => found.push(0),
            other => panic!("{other:?}"),
        })
        .expect("the connection is there");
    found
}

#[test]
fn who_does_not_answer_is_given_up() {
    let (address, silent) = listen([|mut end| while end.hear(|_| Vec::new()) {}]);
    let error = Client::connect(&address, &hasty()).unwrap_err();
    assert_eq!(error.to_string(), "no answer to HELLO in time");
    silent.join().unwrap();

    let (address, gone) = listen([|_| {}]);
    let error = Client::connect(&address, &Options::default()).unwrap_err();
    assert!(matches!(error, Error::Ended | Error::Lost(_)), "{error}");
    gone.join().unwrap();

    let error = Client::connect(&address, &Options::default()).unwrap_err().to_string();
    assert!(error.starts_with(&address) && error.contains("Connection refused"), "{error}");
    let error = Client::connect("localhost", &Options::default()).unwrap_err().to_string();
    assert!(error.contains("tcp://"), "{error}");
}

#[test]
fn a_router_that_is_full_says_so() {
    let (address, full) = listen([|mut end| {
        end.hear(|_| bytes(&[RouterFrame::Closing(Closing { code: code::FULL, text: "64 here" })]));
    }]);
    let error = Client::connect(&address, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "the router ended the connection: 64 here (router full)");
    assert!(error.is_final());
    full.join().unwrap();
}

#[test]
fn messages_that_come_before_an_answer_come_after_it() {
    let (address, router) = listen([|mut end| {
        end.greet();
        end.hear(|_| bytes(&[RouterFrame::Subscribed(0), NAME, message(1, b"a")]));
        end.hear(|_| bytes(&[message(2, b"b"), RouterFrame::Pong(1), message(3, b"c")]));
        end.hear(|_| bytes(&[message(4, b"d"), rejected(kind::TOPIC, 0), message(5, b"e")]));
        end.hear(|_| bytes(&[RouterFrame::Pong(2), message(6, b"f")]));
        end.serve();
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    client.subscribe("fx", &Subscribe::every()).unwrap();
    let error = client.topic("!").unwrap_err();
    assert_eq!(error.to_string(), "the router rejected TOPIC: no ! (bad name)");
    assert!(!error.is_final());
    let mut found = Vec::new();
    while found.len() < 6 {
        found.extend(receive(&mut client));
    }
    assert_eq!(found, [1, 2, 3, 4, 5, 6]);
    assert_eq!(client.receive(Some(Duration::ZERO), &mut |_| {}).unwrap(), 0);
    drop(client);
    router.join().unwrap();
}

#[test]
fn more_than_can_be_put_aside_is_received_first() {
    let (address, router) = listen([|mut end| {
        end.greet();
        let payload = [0; 1000];
        let flood: Vec<_> = (1..=10).map(|sequence| message(sequence, &payload)).collect();
        end.say(&[NAME]);
        end.say(&flood);
        end.serve();
    }]);
    let options = Options { aside_bytes: 3000, ..Options::default() };
    let mut client = Client::connect(&address, &options).unwrap();
    let error = client.synchronise().unwrap_err();
    assert!(matches!(error, Error::Aside { limit: 3000 }), "{error}");
    let mut found = Vec::new();
    while found.len() < 10 {
        found.extend(receive(&mut client));
    }
    assert_eq!(found, (1..=10).collect::<Vec<_>>());
    client.synchronise().unwrap();
    drop(client);
    router.join().unwrap();
}

/// A program that publishes and does not receive does not gather memory without end.
#[test]
fn what_does_not_fit_aside_stays_outside() {
    let (address, router) = listen([|mut end| {
        end.greet();
        end.say(&[NAME]);
        let mut listening = end.stream.try_clone().expect("a socket");
        let flood = thread::spawn(move || {
            let payload = [0; 1000];
            let sent = (1..=100_000).take_while(|sequence| {
                listening.write_all(&bytes(&[message(*sequence, &payload)])).is_ok()
            });
            sent.count()
        });
        end.serve();
        // The client is gone before it has taken the hundred megabytes.
        assert!(flood.join().expect("the flood ends") < 100_000);
    }]);
    let options =
        Options { aside_bytes: 3000, receive_buffer: Some(100_000), ..Options::default() };
    let mut client = Client::connect(&address, &options).unwrap();
    let mut conversation = Conversation::new(&Options::default());
    let topic = conversation.topic("t").unwrap();
    for _ in 0..100_000 {
        client.publish(topic, b"").unwrap();
    }
    let mut next = 1;
    client
        .receive(None, &mut |event| {
            let Event::Message(message) = event else { panic!("{event:?}") };
            assert_eq!(message.sequence, next);
            next += 1;
        })
        .unwrap();
    drop(client);
    router.join().unwrap();
}

#[test]
fn several_are_taken_together_or_not_at_all() {
    let (address, router) = listen([|mut end| {
        end.greet();
        end.serve();
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    let topics = client.topics(&["a", "b", "c"]).unwrap();
    assert_eq!(topics.iter().map(|it| it.number()).collect::<Vec<_>>(), [0, 1, 2]);
    let error = client.topics(&["d", "!", "e", "!!"]).unwrap_err();
    assert!(matches!(error, Error::Rejected(_)), "{error}");
    let mut again: Vec<_> = client.topics(&["f", "g", "h", "i"]).unwrap();
    again.sort_by_key(|it| it.number());
    assert_eq!(again.iter().map(|it| it.number()).collect::<Vec<_>>(), [3, 4, 5, 6]);
    let made = client.subscribe_each(&["a", "b"], &Subscribe::every()).unwrap();
    assert_eq!(made.iter().map(|it| it.number()).collect::<Vec<_>>(), [0, 1]);
    let error = client.subscribe_each(&["c", "!"], &Subscribe::every()).unwrap_err();
    assert!(matches!(error, Error::Rejected(it) if it.offset == Some(1)));
    client.unsubscribe(made[1]).unwrap();
    assert_eq!(client.receive(Some(Duration::ZERO), &mut |it| panic!("{it:?}")).unwrap(), 0);
    drop(client);
    router.join().unwrap();
}

#[test]
fn a_publisher_learns_why_it_cannot_go_on() {
    let (address, router) = listen([|mut end| {
        end.greet();
        end.hear(|_| Vec::new());
        let text = "it is late";
        end.say(&[RouterFrame::Closing(Closing { code: code::STOPPING, text })]);
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    assert!(matches!(client.synchronise().unwrap_err(), Error::Closed { .. }));
    router.join().unwrap();
    let error = client.synchronise().unwrap_err();
    assert_eq!(error.to_string(), "the router ended the connection: it is late (router stops)");
}

#[test]
fn the_last_words_come_before_the_end() {
    let (address, router) = listen([|mut end| {
        end.greet();
        let text = "enough";
        let last = RouterFrame::Closing(Closing { code: code::SLOW, text });
        end.say(&[NAME, message(1, b"a"), last]);
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    router.join().unwrap();
    assert_eq!(receive(&mut client), [1, 0]);
    let error = client.receive(None, &mut |event| panic!("{event:?}")).unwrap_err();
    assert_eq!(error.to_string(), "the router ended the connection: enough (too slow)");
}

#[test]
fn a_publisher_that_never_receives_gives_signs_of_life() {
    let (address, router) = listen([|mut end| {
        assert!(end.hear(|_| bytes(&[WELCOME, RouterFrame::Ping(5)])));
        let mut answered = false;
        while end.hear(|frame| {
            answered |= *frame == ClientFrame::Pong(5);
            match frame {
                ClientFrame::Ping(token) => bytes(&[RouterFrame::Pong(*token)]),
                _ => bytes(&[]),
            }
        }) {}
        assert!(answered);
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    let mut conversation = Conversation::new(&Options::default());
    let topic = conversation.topic("t").unwrap();
    for _ in 0..1000 {
        client.publish(topic, b"").unwrap();
    }
    drop(client);
    router.join().unwrap();
}

#[test]
fn a_request_is_given_up() {
    let (address, router) = listen([|mut end| {
        end.greet();
        end.serve();
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    let topic = client.topic("ask").unwrap();
    let error = client.request(topic, b"?", Duration::from_millis(20)).unwrap_err();
    assert_eq!(error.to_string(), "no reply in time");
    client.synchronise().unwrap();
    drop(client);
    router.join().unwrap();
}

#[test]
fn a_client_comes_back() {
    let (address, router) = listen([
        |mut end: End| {
            end.greet();
            for _ in 0..4 {
                end.hear(|frame| match frame {
                    ClientFrame::Ping(token) => bytes(&[RouterFrame::Pong(*token)]),
                    ClientFrame::Subscribe(_) => bytes(&[RouterFrame::Subscribed(0)]),
                    _ => Vec::new(),
                });
            }
        },
        |mut end: End| {
            end.greet();
            let mut heard = Vec::new();
            for _ in 0..3 {
                end.hear(|frame| {
                    heard.push(format!("{frame:?}"));
                    match frame {
                        ClientFrame::Ping(token) => bytes(&[RouterFrame::Pong(*token)]),
                        ClientFrame::Subscribe(_) => {
                            bytes(&[RouterFrame::Subscribed(0), NAME, message(9, b"again")])
                        }
                        _ => Vec::new(),
                    }
                });
            }
            assert!(heard[0].contains("name: \"prices\""), "{heard:?}");
            assert!(heard[1].contains("pattern: \"fx\""), "{heard:?}");
            end.serve();
        },
    ]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    let topic = client.topic("prices").unwrap();
    client.subscribe("fx", &Subscribe::every()).unwrap();
    let error = client.receive(None, &mut |_| {}).unwrap_err();
    assert!(error.is_final(), "{error}");
    client.reconnect().unwrap();
    assert_eq!(receive(&mut client), [9]);
    client.publish(topic, b"still valid").unwrap();
    drop(client);
    router.join().unwrap();
}

/// Answers one frame as a router does that has a journal, whose next sequence is `next`.
fn keep(frame: &ClientFrame<'_>, next: &mut u64) -> Vec<u8> {
    let durability = Durability { memory: 1, disk: 1 };
    bytes(&[match frame {
        ClientFrame::Ping(token) => RouterFrame::Pong(*token),
        ClientFrame::Producer(_) => {
            RouterFrame::Producing(Producing { window: 4, window_bytes: 1000, last: *next - 1 })
        }
        // Each second one, so that the window fills.
        ClientFrame::Store(store) if store.sequence.is_multiple_of(2) => {
            assert!(store.sequence <= *next, "{store:?}");
            *next = (*next).max(store.sequence + 1);
            let (sequence, position) = (store.sequence, store.sequence * 10);
            RouterFrame::Stored(Stored { durability, sequence, position })
        }
        ClientFrame::Store(store) => {
            *next = (*next).max(store.sequence + 1);
            return Vec::new();
        }
        ClientFrame::Consume(it) if it.pattern.contains('!') => {
            rejected(kind::CONSUME, it.subscription)
        }
        ClientFrame::Consume(it) => {
            let (subscription, window) = (it.subscription, 10);
            let (waiting, next, is_new) = (1, 1, true);
            let stands = Consuming { subscription, window, waiting, next, is_new };
            return bytes(&[RouterFrame::Consuming(stands), NAME, delivery(subscription, 1)]);
        }
        ClientFrame::Delete(it) if it.name != "risk" => rejected(kind::DELETE, 0),
        ClientFrame::Delete(_) => RouterFrame::Unsubscribed(0),
        _ => return Vec::new(),
    }])
}

fn delivery(subscription: u32, position: u64) -> RouterFrame<'static> {
    RouterFrame::Delivery(Delivery {
        subscription,
        topic: 3,
        position,
        time: 0,
        deliveries: 0,
        conflation: None,
        is_repeated: false,
        is_unconfirmed: false,
        is_kept: false,
        is_unrendered: false,
        format: 0,
        payload: b"",
    })
}

#[test]
fn what_is_stored_survives_the_connection() {
    let (address, router) = listen([
        |mut end: End| {
            end.greet();
            let mut next = 42;
            // PRODUCER, TOPIC, PING, and the first seven messages.
            for _ in 0..10 {
                end.hear(|frame| keep(frame, &mut next));
            }
        },
        |mut end: End| {
            end.greet();
            let (mut next, mut heard) = (49, Vec::new());
            while end.hear(|frame| {
                if let ClientFrame::Store(store) = frame {
                    heard.push((store.sequence, store.is_repeated));
                }
                keep(frame, &mut next)
            }) {}
            assert_eq!(heard, [(49, false), (50, false)]);
        },
    ]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    assert_eq!(client.producer("desk-7").unwrap(), 41);
    let topic = client.topic("orders").unwrap();
    for sequence in 42..=48 {
        assert_eq!(client.enqueue_store(topic, 0, b"order", None).unwrap(), sequence);
    }
    let stored = client.wait_stored(48, Duration::from_secs(30)).unwrap();
    assert_eq!((stored.sequence, stored.position, stored.durability.disk), (48, 480, 1));
    let lost = client.receive(None, &mut |_| {}).and_then(|_| client.receive(None, &mut |_| {}));
    assert!(lost.unwrap_err().is_final());
    client.reconnect().unwrap();
    let last = (49..=50).map(|_| client.store(topic, 0, b"order").unwrap()).last();
    assert_eq!(last, Some(50));
    client.wait_stored(50, Duration::from_secs(30)).unwrap();
    assert!(client.unacknowledged().is_empty());
    let late = client.wait_stored(51, Duration::from_millis(20)).unwrap_err();
    assert_eq!(late.to_string(), "no acknowledgement of what is stored in time");
    drop(client);
    router.join().unwrap();
}

#[test]
fn a_message_that_is_not_acknowledged_is_sent_again() {
    let (address, router) = listen([
        |mut end: End| {
            end.greet();
            let mut next = 1;
            for _ in 0..4 {
                end.hear(|frame| keep(frame, &mut next));
            }
        },
        |mut end: End| {
            end.greet();
            let (mut next, mut heard) = (2, Vec::new());
            while end.hear(|frame| {
                if let ClientFrame::Store(store) = frame {
                    heard.push((store.sequence, store.is_repeated));
                }
                keep(frame, &mut next)
            }) {}
            assert_eq!(heard, [(1, true), (2, false)]);
        },
    ]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    client.producer("desk-7").unwrap();
    let topic = client.topic("orders").unwrap();
    client.store(topic, 0, b"order").unwrap();
    assert!(client.receive(None, &mut |_| {}).unwrap_err().is_final());
    assert_eq!(client.unacknowledged(), 1..2);
    client.reconnect().unwrap();
    client.store_for(topic, 0, b"order", Duration::from_secs(1)).unwrap();
    client.wait_stored(2, Duration::from_secs(30)).unwrap();
    drop(client);
    router.join().unwrap();
}

#[test]
fn a_router_that_cannot_store_for_now_is_asked_again() {
    let (address, router) = listen([|mut end| {
        end.greet();
        let (mut next, mut tries) = (2, 0);
        while end.hear(|frame| match frame {
            ClientFrame::Store(store) if tries < 2 => {
                tries += 1;
                bytes(&[RouterFrame::Rejected(Rejected {
                    of: kind::STORE,
                    code: code::NOT_DURABLE,
                    offset: None,
                    id: store.sequence,
                    text: "the disk is full",
                })])
            }
            frame => keep(frame, &mut next),
        }) {}
        assert_eq!(tries, 2);
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    client.producer("desk-7").unwrap();
    let topic = client.topic("orders").unwrap();
    let sequence = client.store(topic, 0, b"order").unwrap();
    client.wait_stored(sequence, Duration::from_secs(30)).unwrap();
    let mut told = Vec::new();
    client.receive(Some(Duration::ZERO), &mut |event| told.push(format!("{event:?}"))).unwrap();
    assert!(told[0].starts_with("Stored") && told[1].contains("the disk is full"), "{told:?}");
    let sequence = client.store(topic, 0, b"order").unwrap();
    client.store(topic, 0, b"order").unwrap();
    client.wait_stored(sequence + 1, Duration::from_secs(30)).unwrap();
    drop(client);
    router.join().unwrap();
}

/// Answers as [`keep`] does, with a window of this many messages of any size.
fn keep_all(frame: &ClientFrame<'_>, window: u32, last: &mut u64) -> Vec<u8> {
    bytes(&[match frame {
        ClientFrame::Producer(_) => {
            RouterFrame::Producing(Producing { window, window_bytes: u64::MAX, last: *last })
        }
        ClientFrame::Store(store) => {
            assert_eq!(store.sequence, *last + 1, "each once, in order");
            *last = store.sequence;
            let (sequence, position) = (store.sequence, store.sequence * 10);
            let durability = Durability { memory: 1, disk: 1 };
            RouterFrame::Stored(Stored { durability, sequence, position })
        }
        ClientFrame::Ping(token) => RouterFrame::Pong(*token),
        _ => return Vec::new(),
    }])
}

fn full(sequence: u64) -> Vec<u8> {
    let (of, code, text) = (kind::STORE, code::NOT_DURABLE, "the disk is full");
    bytes(&[RouterFrame::Rejected(Rejected { of, code, offset: None, id: sequence, text })])
}

#[test]
fn what_is_taken_is_not_to_be_stored_again_though_the_connection_is_full() {
    const COUNT: u64 = 16;
    let (address, router) = listen([|mut end: End| {
        end.greet();
        let mut last = 0;
        // PRODUCER, TOPIC, PING.
        for _ in 0..3 {
            end.hear(|frame| keep_all(frame, 1000, &mut last));
        }
        thread::sleep(Duration::from_secs(1));
        while end.hear(|frame| keep_all(frame, 1000, &mut last)) {}
        assert_eq!(last, COUNT);
    }]);
    let mut client = Client::connect(&address, &hasty()).unwrap();
    client.producer("desk-7").unwrap();
    let topic = client.topic("orders").unwrap();
    // More than the system's buffers take.
    let payload = vec![b'x'; 1_000_000];
    for sequence in 1..=COUNT {
        assert_eq!(client.store(topic, 0, &payload).unwrap(), sequence);
    }
    // The router reads again.
    thread::sleep(Duration::from_secs(1));
    client.wait_stored(COUNT, Duration::from_secs(30)).unwrap();
    drop(client);
    router.join().unwrap();
}

#[test]
fn a_program_that_only_stores_tries_again_too() {
    let (address, router) = listen([|mut end: End| {
        end.greet();
        let (mut last, mut tries) = (0, 0);
        while end.hear(|frame| match frame {
            ClientFrame::Store(store) if store.sequence == 1 && tries < 2 => {
                tries += 1;
                full(1)
            }
            // Out of sequence, as its producer knows.
            ClientFrame::Store(store) if store.sequence > last + 1 => Vec::new(),
            frame => keep_all(frame, 100_000, &mut last),
        }) {}
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    client.producer("desk-7").unwrap();
    let topic = client.topic("orders").unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while client.acknowledged().is_none() {
        assert!(Instant::now() < until, "it is not tried again");
        client.store(topic, 0, b"order").unwrap();
        thread::sleep(Duration::from_millis(10));
    }
    let last = client.unacknowledged().end - 1;
    client.wait_stored(last, Duration::from_secs(30)).unwrap();
    assert_eq!(client.held_back(), None);
    drop(client);
    router.join().unwrap();
}

#[test]
fn who_waits_in_vain_learns_what_was_rejected() {
    let (address, router) = listen([|mut end: End| {
        end.greet();
        while end.hear(|frame| match frame {
            ClientFrame::Store(store) => full(store.sequence),
            frame => keep_all(frame, 2, &mut 0),
        }) {}
    }]);
    let options = Options { timeout: Duration::from_millis(500), ..Options::default() };
    let mut client = Client::connect(&address, &options).unwrap();
    client.producer("desk-7").unwrap();
    let topic = client.topic("orders").unwrap();
    client.store(topic, 0, b"order").unwrap();
    let late = client.wait_stored(1, options.timeout).unwrap_err();
    let why = "the router rejected STORE: the disk is full (not durable)";
    assert_eq!(late.to_string(), format!("no acknowledgement of what is stored in time: {why}"));
    assert!(!late.is_final());
    client.store(topic, 0, b"order").unwrap();
    let late = client.store(topic, 0, b"order").unwrap_err();
    assert_eq!(late.to_string(), format!("no room for the producer in time: {why}"));
    assert_eq!((client.unacknowledged(), client.held_back().map(|it| it.code)), (1..3, Some(11)));
    drop(client);
    router.join().unwrap();
}

#[test]
fn a_consumer_is_asked_for_and_ended() {
    let (address, router) = listen([|mut end| {
        end.greet();
        let mut acknowledged = 0;
        while end.hear(|frame| {
            acknowledged += u32::from(matches!(frame, ClientFrame::Acknowledge(_)));
            keep(frame, &mut 1)
        }) {}
        assert_eq!(acknowledged, 1);
    }]);
    let mut client = Client::connect(&address, &Options::default()).unwrap();
    let error = client.consume(&Consume::replay("!", Start::All)).unwrap_err();
    assert_eq!(error.to_string(), "the router rejected CONSUME: no ! (bad name)");
    let subscription = client.consume(&Consume::durable("risk", "fx")).unwrap();
    assert_eq!(client.consuming(subscription).map(|it| it.window), Some(10));
    let error = client.delete("none").unwrap_err();
    assert!(!error.is_final(), "{error}");
    client.delete("risk").unwrap();
    let mut told = Vec::new();
    client.receive(None, &mut |event| told.push(format!("{event:?}"))).unwrap();
    assert!(told[0].contains("topic: \"fx\", position: 1"), "{told:?}");
    assert_eq!(told[1], "Ended(Subscription(0))");
    client.acknowledge(subscription, 1).unwrap();
    client.flush().unwrap();
    drop(client);
    router.join().unwrap();
}
