//! Clients that ask, and read the answers late or never.

mod bench;
mod raw;

use std::io::{ErrorKind, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bench::{Bench, Frame};
use raw::{PATIENCE, Raw, Seen};
use trunkline_client::{Client, Error, Event, Options, Topic};
use trunkline_native::{self as native, RouterFrame, Updates, code, kind};
use trunkline_server::{ConnectionId, Peer, Protocol};

/// More than the kernel has room for the answers of.
const SUBSCRIPTIONS: u32 = 200_000;

/// All but a few are rejected, and a rejection is several times as long as what is rejected.
const TAKEN: u32 = 10;

fn subscribe(out: &mut Vec<u8>, number: u32) {
    native::encode_subscribe(out, number, Updates::All, &format!("t/{number}"));
}

#[test]
fn who_writes_all_that_it_can_before_it_reads_gets_every_answer() {
    let router = raw::router(|config| {
        config.limits.subscriptions_per_client = TAKEN as usize;
        // What a client is asked, it would have to answer between two pieces of what it asks.
        config.router.keepalive = PATIENCE * 100;
    });
    let (mut other, mut client) = (Raw::named(&router, "other"), Raw::named(&router, "asks"));
    let mut asked = Vec::new();
    (0..SUBSCRIPTIONS).for_each(|number| subscribe(&mut asked, number));
    native::encode_ping(&mut asked, 7);
    let mut stream = client.stream.try_clone().expect("the same stream");
    stream.set_write_timeout(Some(PATIENCE)).expect("a time-out");
    let written = AtomicUsize::new(0);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for part in asked.chunks(16 << 10) {
                stream.write_all(part).expect("the router goes on with the connection");
                written.fetch_add(part.len(), Ordering::Relaxed);
            }
        });
        // Nothing is read before the router takes no more, or has all. Others are served meanwhile.
        let mut before = usize::MAX;
        while before != written.load(Ordering::Relaxed) {
            before = written.load(Ordering::Relaxed);
            (0..200).for_each(|_| other.settle());
        }
        for number in 0..TAKEN {
            assert_eq!(client.next(), Seen::Subscribed(number));
        }
        for number in TAKEN..SUBSCRIPTIONS {
            let answer = client.next();
            let Seen::Rejected(kind::SUBSCRIBE, code::LIMIT, None, of, _) = answer else {
                panic!("{answer:?} answers subscription {number}");
            };
            assert_eq!(of, u64::from(number), "answers come in the order of what was asked");
        }
        assert_eq!(client.next(), Seen::Pong(7));
        writer.join().expect("all is written");
    });
    client.settle();
    other.settle();
}

#[test]
fn who_asks_for_ever_and_never_reads_is_ended_and_nobody_else() {
    let router = raw::router(|config| {
        config.limits.subscriptions_per_client = TAKEN as usize;
        config.router.keepalive = Duration::from_millis(1_500);
        config.router.keepalive_missed = 1;
    });
    let mut client = Raw::named(&router, "asks");
    client.stream.set_write_timeout(Some(PATIENCE)).expect("a time-out");
    let mut asked = Vec::new();
    (0..SUBSCRIPTIONS).for_each(|number| subscribe(&mut asked, number));
    let mut sent = 0;
    let ended = loop {
        match client.stream.write(&asked) {
            Ok(bytes) => sent += bytes,
            Err(error) => break error,
        }
        assert!(sent < 1 << 30, "what is never read is asked for ever");
    };
    // A write that is not over in time would be an error too.
    assert!(
        matches!(ended.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
        "{ended} after {sent} bytes"
    );
    Raw::named(&router, "other").settle();
}

/// What the router rejects may come while the client still asks.
#[test]
fn so_many_topics_are_taken_together_or_not_at_all() {
    let router = raw::router(|config| {
        config.limits.topics = 1_000;
        config.limits.topics_per_client = 2 * SUBSCRIPTIONS as usize;
        config.limits.output_bytes = 4 << 10;
    });
    let url = router.addresses()[0].url();
    let options = Options { timeout: PATIENCE, ..Options::named("asks") };
    let options = Options { send_buffer: Some(4 << 10), ..options };
    let mut client = Client::connect(&url, &options).expect("it is taken");
    let many: Vec<String> = (0..SUBSCRIPTIONS).map(|number| format!("t/{number}")).collect();
    // The first is rejected long before the last is sent.
    let bad = (0..SUBSCRIPTIONS)
        .map(|number| if number == 0 { "*".into() } else { format!("t/{}", number % 900) });
    for names in [bad.collect(), many] {
        let error = client.topics(&names).map(|made| made.len()).expect_err("not all are taken");
        assert!(matches!(&error, Error::Rejected(it) if it.of == kind::TOPIC), "{error}");
        client.synchronise().expect("the connection goes on");
        let events = client.receive(Some(Duration::ZERO), &mut |event| panic!("{event:?}"));
        assert_eq!(events.expect("the connection goes on"), 0);
        let mut other = Client::connect(&url, &Options::named("other")).expect("it is taken");
        let all: Vec<String> = (0..1_000).map(|number| format!("other/{number}")).collect();
        other.topics(&all).expect("none of the others is taken");
    }
}

/// Does it again while the time of a program that does not wait long is over too soon.
fn again<T>(mut act: impl FnMut() -> trunkline_client::Result<T>) -> T {
    let start = Instant::now();
    loop {
        match act() {
            Ok(done) => return done,
            Err(error) if error.is_final() || start.elapsed() > PATIENCE => panic!("{error}"),
            Err(_) => {}
        }
    }
}

/// A program that publishes what is rejected, and reads when it has no more room to put rejections aside, or at the end.
fn publish_in_vain(messages: usize, options: &Options) {
    let router = raw::router(|config| config.limits.matches = 1);
    let url = router.addresses()[0].url();
    let mut other = Raw::named(&router, "other");
    other.subscribe(1, ">");
    let mut program = again(|| Client::connect(&url, options));
    let [taken, rejected] = ["a", "b"].map(|name| again(|| program.topic(name)));
    publish(&mut program, taken, b"x");
    let mut told = 0;
    let mut receive = |program: &mut Client| {
        let received = again(|| {
            program.receive(Some(PATIENCE), &mut |event| match event {
                Event::Rejected(rejection) => {
                    assert_eq!((rejection.of, rejection.code), (kind::PUBLISH, code::LIMIT));
                    told += 1;
                }
                other => panic!("{other:?}"),
            })
        });
        assert!(received > 0, "{told} rejections came");
        told
    };
    for _ in 0..messages {
        match program.enqueue(rejected, &[b'x'; 100]) {
            Ok(()) => {}
            Err(error) if error.is_final() => panic!("{error}"),
            // It has gathered.
            Err(_) => _ = receive(&mut program),
        }
    }
    while receive(&mut program) < messages {}
    publish(&mut program, taken, b"y");
    assert_eq!((other.message(), other.message()), (b"x".to_vec(), b"y".to_vec()));
}

fn publish(program: &mut Client, topic: Topic, payload: &[u8]) {
    match program.publish(topic, payload) {
        Err(error) if error.is_final() => panic!("{error}"),
        // It has gathered, if it is not sent.
        _ => again(|| program.flush()),
    }
}

#[test]
fn a_program_reads_while_there_is_no_room_to_write() {
    publish_in_vain(300_000, &Options { timeout: PATIENCE, ..Options::named("writes") });
}

#[test]
fn a_program_that_has_to_read_first_can_do_so() {
    let timeout = Duration::from_secs(2);
    publish_in_vain(300_000, &Options { aside_bytes: 8 << 20, timeout, ..Options::named("reads") });
}

/// What a client asks, of which as much is taken as there is room for answers.
struct Asking {
    bench: Bench,
    id: ConnectionId,
    asked: Vec<u8>,
    /// Bytes that the router has taken.
    taken: usize,
    answers: Vec<u8>,
}

const OUTPUT: usize = 4 << 10;

/// More than the bytes of the answer to one frame.
const ANSWER: usize = 256;

impl Asking {
    /// A client of either protocol that asks so much.
    fn new(protocol: Protocol, count: u32) -> Self {
        let mut bench = Bench::new(|config| {
            config.limits.output_bytes = OUTPUT as u64;
            config.limits.subscriptions_per_client = TAKEN as usize;
        });
        let mut asked = Vec::new();
        match protocol {
            Protocol::Native => (0..count).for_each(|number| subscribe(&mut asked, number)),
            Protocol::WebSocket => (0..count).for_each(|number| say(&mut asked, number)),
        }
        let id = match protocol {
            Protocol::Native => bench.client("asks"),
            Protocol::WebSocket => page(&mut bench),
        };
        Self { bench, id, asked, taken: 0, answers: Vec::new() }
    }

    /// Sends what has not been taken, in pieces.
    fn send(&mut self) {
        while self.taken < self.asked.len() && !self.bench.engine.is_held(self.id) {
            let piece = &self.asked[self.taken..];
            let piece = &piece[..piece.len().min(1_000)];
            self.taken += self.bench.engine.received(self.bench.now, self.id, piece);
        }
        self.bench.clean();
        let unread = self.bench.engine.output(self.id).len();
        assert!(unread < OUTPUT + ANSWER, "{unread} bytes of answers wait");
    }

    /// Reads so many bytes of the answers, as far as there are any.
    fn read(&mut self, most: usize) {
        let Bench { engine, now, .. } = &mut self.bench;
        let output = engine.output(self.id);
        let length = output.len().min(most);
        self.answers.extend_from_slice(&output[..length]);
        engine.sent(*now, self.id, length);
    }

    /// Reads in pieces of so many bytes, and sends whenever more is taken, to the end.
    fn go_on(&mut self, piece: usize) {
        self.send();
        while !self.bench.engine.output(self.id).is_empty() {
            let was_held = self.bench.engine.is_held(self.id);
            self.read(piece);
            let is_held = self.bench.engine.is_held(self.id);
            let is_full = self.bench.engine.output(self.id).len() >= OUTPUT;
            assert_eq!(is_held, was_held && is_full, "held as long as there is no room");
            if let Some(released) = self.bench.engine.next_released() {
                assert!(released == self.id && was_held);
                // What a session keeps of its own comes first.
                self.bench.engine.received(self.bench.now, self.id, b"");
            }
            self.send();
        }
        assert_eq!((self.taken, &self.bench.ended[..]), (self.asked.len(), &[][..]));
    }
}

/// A page that has been welcomed.
fn page(bench: &mut Bench) -> ConnectionId {
    let peer = Peer { transport: "tcp", address: "127.0.0.1:5".to_owned(), certificate: None };
    let connected = bench.engine.connected(bench.now, peer, Protocol::WebSocket);
    let id = connected.expect("there is room");
    let opening =
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    assert_eq!(bench.engine.received(bench.now, id, opening), opening.len());
    bench.clean();
    let welcome = bench.engine.output(id).len();
    assert!(welcome > 0);
    bench.engine.sent(bench.now, id, welcome);
    id
}

/// A text of a page; its mask is all zeros.
fn say(out: &mut Vec<u8>, number: u32) {
    let text = format!(r#"{{"subscribe": {number}, "pattern": "t/{number}"}}"#);
    let length = u8::try_from(text.len()).ok().filter(|length| *length < 126).expect("it is short");
    out.extend_from_slice(&[0x81, 0x80 | length, 0, 0, 0, 0]);
    out.extend_from_slice(text.as_bytes());
}

#[test]
fn no_more_is_taken_than_there_is_room_for_answers() {
    for piece in [1, 7, 300, 5_000, usize::MAX] {
        let mut asking = Asking::new(Protocol::Native, 500);
        asking.go_on(piece);
        let (mut rest, mut number) = (&asking.answers[..], 0);
        while let Some((frame, length)) = native::decode_router(rest, 1 << 24).expect("a frame") {
            let of = match frame {
                RouterFrame::Subscribed(of) if of < TAKEN => of.into(),
                RouterFrame::Rejected(it) if it.id >= u64::from(TAKEN) => it.id,
                other => panic!("{other:?} answers {number}"),
            };
            assert_eq!(of, number);
            (rest, number) = (&rest[length..], number + 1);
        }
        assert_eq!((rest, number), (&[][..], 500));
    }
}

#[test]
fn no_more_is_taken_of_a_page_either() {
    for piece in [1, 7, 300, 5_000, usize::MAX] {
        let mut asking = Asking::new(Protocol::WebSocket, 500);
        asking.go_on(piece);
        let answers = String::from_utf8_lossy(&asking.answers);
        let mut rest = &answers[..];
        for number in 0..500 {
            let answer = match number < TAKEN {
                true => format!(r#""subscribed":{number}}}"#),
                false => format!(r#""subscribe":{number},"#),
            };
            let at = rest.find(&answer).unwrap_or_else(|| panic!("{answer} in {rest:.300}"));
            rest = &rest[at + answer.len()..];
        }
        assert!(rest.len() < ANSWER, "{rest}");
    }
}

#[test]
fn who_asks_and_never_reads_is_ended_and_told_so() {
    for protocol in [Protocol::Native, Protocol::WebSocket] {
        let mut asking = Asking::new(protocol, 500);
        let other = asking.bench.client("other");
        asking.send();
        let Asking { bench, id, .. } = &mut asking;
        assert!(bench.engine.is_held(*id));
        let keepalive = bench.engine.config().router.keepalive.as_nanos() as u64;
        let missed = u64::from(bench.engine.config().router.keepalive_missed);
        for _ in 0..missed {
            // Nothing is taken from it, and nothing that it sends keeps it.
            bench.pass(bench.now + keepalive);
            assert_eq!(bench.engine.received(bench.now, *id, b"anything"), 0);
            bench.send(other, |out| native::encode_ping(out, 7));
            assert!(bench.read(other).contains(&Frame::Other("Pong(7)".to_owned())));
        }
        assert_eq!(bench.ended, []);
        bench.pass(bench.now + keepalive);
        let [(ended, why)] = &bench.ended[..] else { panic!("{:?}", bench.ended) };
        assert_eq!(ended, id);
        assert_eq!(
            why,
            "the client sends requests and reads too little of the answers (keepalive)"
        );
        let output = String::from_utf8_lossy(bench.engine.output(*id));
        assert!(output.contains(&**why), "it is the last that it can read");
    }
}

#[test]
fn who_reads_too_little_for_an_event_of_room_is_alive() {
    let mut asking = Asking::new(Protocol::Native, 500);
    asking.send();
    let Asking { bench, id, .. } = &mut asking;
    let sent = bench.engine.output(*id).len() / 2;
    bench.engine.sent(bench.now, *id, sent);
    asking.send();
    let Asking { bench, id, .. } = &mut asking;
    assert!(bench.engine.is_held(*id));
    let router = &bench.engine.config().router;
    let (keepalive, missed) = (router.keepalive.as_nanos() as u64, router.keepalive_missed);
    let mut pass = |under_way: usize| {
        bench.now += keepalive;
        bench.engine.advance_with(bench.now, |of| (of == *id).then_some(under_way));
        bench.clean();
        bench.ended.len()
    };
    for _ in 0..missed {
        assert_eq!(pass(sent), 0);
    }
    // One byte is read now and then, each time when it would be ended else. After the last it is.
    for read in 1..=100 {
        for _ in 0..=missed {
            assert_eq!(pass(sent - read), 0, "ended after {read} bytes");
        }
    }
    assert_eq!(pass(sent - 100), 1);
}

#[test]
fn who_asks_and_reads_a_little_is_alive() {
    let mut asking = Asking::new(Protocol::Native, 500);
    asking.send();
    let Asking { bench, id, .. } = &mut asking;
    let keepalive = bench.engine.config().router.keepalive.as_nanos() as u64;
    for _ in 0..100 {
        bench.pass(bench.now + 2 * keepalive);
        bench.engine.progressed(bench.now, *id);
        bench.engine.sent(bench.now, *id, 1);
    }
    assert!(bench.engine.is_held(*id) && bench.ended.is_empty(), "{:?}", bench.ended);
}
