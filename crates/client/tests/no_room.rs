//! A client over a Unix socket whose other end does not read, so that the client has no room to write.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{env, fs, process};

use trunkline_client::{Client, Error, Event, Options, code, format, kind};
use trunkline_native::{
    ClientFrame, Clock, Closing, Features, Message, Rejected, RouterFrame, RouterReply, Topic,
    VERSION, Welcome, decode_client,
};

/// How long anything may take before the test has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client gives up later than a test does, and its system takes little that is not read.
fn patient() -> Options {
    Options { timeout: 10 * PATIENCE, send_buffer: Some(4 << 10), ..Options::default() }
}

/// The other end of a connection.
struct End {
    stream: UnixStream,
    input: Vec<u8>,
}

impl End {
    fn accept(listener: &UnixListener) -> Self {
        let (stream, _) = listener.accept().expect("a client comes");
        Self { stream, input: Vec::new() }
    }

    /// Hands on the next frame of the client; false at the end.
    fn hear(&mut self, hear: impl FnOnce(&mut UnixStream, &ClientFrame<'_>)) -> bool {
        loop {
            if let Some((frame, length)) = decode_client(&self.input, 1 << 20).expect("a client") {
                hear(&mut self.stream, &frame);
                self.input.drain(..length);
                return true;
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) | Err(_) => return false,
                Ok(count) => self.input.extend_from_slice(&bytes[..count]),
            }
        }
    }

    /// Takes the client, and says more with that.
    fn greet(&mut self, times: bool, more: &[RouterFrame<'_>]) {
        let welcome = RouterFrame::Welcome(Welcome {
            features: Features { times, ..Features::NONE },
            version: VERSION,
            frame_bytes: 1 << 20,
            client: 1,
            topics: 1000,
            subscriptions: 100,
        });
        assert!(self.hear(|stream, _| {
            let frames: Vec<_> = [&[welcome], more].concat();
            say(stream, &frames);
        }));
    }

    /// Answers what has an answer, until the client goes.
    fn serve(&mut self) {
        while self.hear(|stream, frame| match frame {
            ClientFrame::Ping(token) => say(stream, &[RouterFrame::Pong(*token)]),
            ClientFrame::Clock(token) => {
                say(stream, &[RouterFrame::Clock(Clock { token: *token, time: 1 })]);
            }
            _ => {}
        }) {}
    }
}

fn say(stream: &mut UnixStream, frames: &[RouterFrame<'_>]) {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    // The client may be gone on purpose.
    let _ = stream.write_all(&bytes);
}

/// Runs the other end at an address of its own.
fn listen(name: &str, end: impl FnOnce(UnixListener) + Send + 'static) -> (String, JoinHandle<()>) {
    let path: PathBuf = env::temp_dir().join(format!("trunkline-no-room-{name}-{}", process::id()));
    let _ = fs::remove_file(&path);
    let listener = UnixListener::bind(&path).expect("an address");
    let address = format!("unix://{}", path.display());
    let thread = thread::spawn(move || {
        end(listener);
        let _ = fs::remove_file(&path);
    });
    (address, thread)
}

/// A client that has something gathered for which there is no room, and a connection that hears nothing of it before it
/// is told to.
fn stuck(
    name: &str,
    says: impl FnOnce(&mut UnixStream) + Send + 'static,
) -> (Client, Sender<()>, JoinHandle<()>) {
    let (go_on, told): (Sender<()>, Receiver<()>) = channel();
    let (address, router) = listen(name, move |listener| {
        let mut end = End::accept(&listener);
        end.greet(false, &[]);
        assert!(end.hear(|_, frame| assert!(matches!(frame, ClientFrame::Topic(_)))));
        assert!(end.hear(|stream, frame| {
            let ClientFrame::Ping(token) = frame else { panic!("{frame:?}") };
            say(stream, &[RouterFrame::Pong(*token)]);
        }));
        // The client has begun to write.
        assert!(end.hear(|_, frame| assert!(matches!(frame, ClientFrame::Publish(_)))));
        says(&mut end.stream);
        told.recv_timeout(PATIENCE).expect("what is said is handed over before this reads");
        end.serve();
    });
    let mut client = Client::connect(&address, &patient()).expect("it is taken");
    let topic = client.topic("t").expect("a topic");
    for _ in 0..60 {
        client.enqueue(topic, &[b'x'; 1_000]).expect("it gathers");
    }
    (client, go_on, router)
}

#[test]
fn what_comes_while_there_is_no_room_is_handed_over_at_once() {
    let (mut client, go_on, router) = stuck("message", |stream| {
        let message = Message {
            subscription: 0,
            topic: 3,
            sequence: 1,
            conflation: None,
            request: None,
            published: None,
            last_value: None,
            format: format::OPAQUE,
            payload: b"now",
        };
        let name = RouterFrame::Topic(Topic { alias: 3, name: "fx" });
        say(stream, &[name, RouterFrame::Message(message)]);
    });
    let received = client.receive(Some(PATIENCE), &mut |event| {
        assert!(matches!(event, Event::Message(it) if it.payload == b"now"), "it was said");
        go_on.send(()).expect("the other end waits for it");
    });
    assert_eq!(received.expect("the connection is there"), 1);
    client.synchronise().expect("the rest is sent");
    drop(client);
    router.join().unwrap();
}

#[test]
fn the_last_words_are_handed_over_though_there_is_no_room() {
    let (mut client, go_on, router) = stuck("closing", |stream| {
        let text = "enough";
        say(stream, &[RouterFrame::Closing(Closing { code: code::SLOW, text })]);
        stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    });
    let received = client.receive(Some(PATIENCE), &mut |event| {
        assert!(matches!(event, Event::Closing(_)), "{event:?}");
        go_on.send(()).expect("the other end waits for it");
    });
    assert_eq!(received.expect("the last words are an event"), 1);
    let error = client.receive(Some(PATIENCE), &mut |event| panic!("{event:?}")).unwrap_err();
    assert_eq!(error.to_string(), "the router ended the connection: enough (too slow)");
    drop(client);
    router.join().unwrap();
}

/// What the router rejects of it may come before all is sent that is restored, and before the router has told its time.
#[test]
fn who_comes_back_sees_every_rejection_of_what_is_restored() {
    for times in [false, true] {
        let (address, router) = listen(&format!("back-{times}"), move |listener| {
            let mut first = End::accept(&listener);
            first.greet(times, &[]);
            let mut is_asked = false;
            while !is_asked
                && first.hear(|stream, frame| match frame {
                    ClientFrame::Clock(token) => {
                        say(stream, &[RouterFrame::Clock(Clock { token: *token, time: 1 })]);
                    }
                    ClientFrame::Ping(token) => {
                        is_asked = true;
                        say(stream, &[RouterFrame::Pong(*token)]);
                    }
                    _ => {}
                })
            {}
            let mut second = End::accept(&listener);
            let (of, code, text) = (kind::TOPIC, code::LIMIT, "no more");
            second.greet(
                times,
                &[RouterFrame::Rejected(Rejected { of, code, offset: None, id: 7, text })],
            );
            // The client finds no room before this reads.
            thread::sleep(Duration::from_millis(100));
            second.serve();
        });
        let mut client = Client::connect(&address, &patient()).expect("it is taken");
        let names: Vec<String> = (0..500).map(|number| format!("{number:0100}")).collect();
        client.topics(&names).expect("all are taken");
        let error = client.reconnect().expect_err("one is rejected");
        assert!(matches!(&error, Error::Rejected(it) if it.text == "no more"), "{error}");
        drop(client);
        router.join().unwrap();
    }
}

/// A client that only publishes looks now and then what the router has said. It may be what a request waits for.
#[test]
fn no_answer_to_a_request_is_put_aside() {
    let (address, router) = listen("requests", |listener| {
        let mut end = End::accept(&listener);
        end.greet(false, &[]);
        let mut answered = 0;
        while end.hear(|stream, frame| match frame {
            ClientFrame::Ping(token) => say(stream, &[RouterFrame::Pong(*token)]),
            // As if those that follow were answered while the program did not run.
            ClientFrame::Request(it) if it.correlation > answered => {
                let (format, payload) = (format::OPAQUE, &b"!"[..]);
                let reply = |correlation| RouterReply { correlation, format, payload };
                let fresh = answered + 1..=answered + 100;
                answered += 100;
                let replies: Vec<_> = fresh.map(|it| RouterFrame::Reply(reply(it))).collect();
                say(stream, &replies);
            }
            _ => {}
        }) {}
    });
    let mut client = Client::connect(&address, &Options::default()).expect("it is taken");
    let topic = client.topic("ask").expect("a topic");
    for number in 1..=1_000 {
        let reply = client.request(topic, b"?", Duration::from_secs(5));
        let reply = reply.unwrap_or_else(|error| panic!("request {number}: {error}"));
        assert_eq!(reply.payload, b"!");
    }
    drop(client);
    router.join().unwrap();
}
