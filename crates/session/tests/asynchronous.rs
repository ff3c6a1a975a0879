//! Functions whose answers come later: they hold up nobody else, end with their client, and fail as others do.

use std::future::poll_fn;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;

use trunkline_http::Order;
use trunkline_message::Message;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Config, Context, Fault, MessageEncoding, Running,
    Server, Service, SharedConnection, SoapVersion, Workers,
};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Number {
    value: i64,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Session {
    token: String,
}

/// Futures wait before it until it is opened.
#[derive(Default)]
struct Door {
    state: Mutex<(bool, Vec<Waker>)>,
}

impl Door {
    fn open(&self) {
        let mut state = self.state.lock().expect("no panic");
        state.0 = true;
        state.1.drain(..).for_each(Waker::wake);
    }

    async fn pass(&self) {
        poll_fn(|context| {
            let mut state = self.state.lock().expect("no panic");
            if state.0 {
                return Poll::Ready(());
            }
            state.1.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// Tells when it goes.
struct Told(Sender<&'static str>, &'static str);

impl Drop for Told {
    fn drop(&mut self) {
        // The test may be over.
        let _ = self.0.send(self.1);
    }
}

struct Desk {
    server: Running,
    door: Arc<Door>,
    told: Receiver<&'static str>,
}

impl Desk {
    fn start(server: Server) -> Self {
        let door = Arc::new(Door::default());
        let (teller, told) = mpsc::channel();
        let before = door.clone();
        let hold = move |number: Number| {
            let (door, teller) = (before.clone(), teller.clone());
            async move {
                teller.send("began").map_err(|it| Fault::receiver(it.to_string()))?;
                let _gone = Told(teller, "ended");
                door.pass().await;
                match number.value {
                    13 => panic!("an unlucky number"),
                    0 => Err(Fault::sender("nothing")),
                    value => Ok(Number { value: 2 * value }),
                }
            }
        };
        let greet = |number: Number, mut context: Context| async move {
            let session: Option<Session> = context.header()?;
            let token = session.unwrap_or_default().token;
            context.add_header(&Session { token: format!("{token}, {}", context.operation()) })?;
            if number.value < 0 { Err(Fault::sender("negative")) } else { Ok(number) }
        };
        let service = Service::new("Desk", "urn:desk")
            .operation_async("hold", hold)
            .operation_async("greet", greet)
            .header::<Session>()
            .reply_header::<Session>()
            .operation("quick", Ok::<Number, Fault>)
            .at("/desk", Binding::document_literal());
        let server = server.service(service).start("127.0.0.1:0").expect("a server");
        Self { server, door, told }
    }

    /// With one thread that reads and writes.
    fn of_one_thread(server: Server) -> Self {
        Self::start(server.config(Config { threads: 1, ..Config::default() }))
    }

    fn client(&self, scheme: &str) -> Client {
        let url = format!("{scheme}://{}/desk", self.server.address());
        Client::new(&url, "urn:desk").expect("a client")
    }

    fn is_told(&self, expected: &str) {
        assert_eq!(self.told.recv(), Ok(expected));
    }
}

fn call(client: &mut Client, operation: &str, value: i64) -> Result<i64, CallError> {
    client.call::<_, Number>(operation, &Number { value }).map(|it| it.value)
}

const SCHEMES: [&str; 2] = ["http", "vnd.sun.ws.tcp"];

#[test]
fn calls_that_wait_hold_up_no_others() {
    for scheme in SCHEMES {
        let desk = Desk::of_one_thread(Server::new());
        thread::scope(|scope| {
            let slow: Vec<_> = (101..=300)
                .map(|value| {
                    let mut client = desk.client(scheme);
                    scope.spawn(move || call(&mut client, "hold", value))
                })
                .collect();
            slow.iter().for_each(|_| desk.is_told("began"));
            for scheme in SCHEMES {
                let mut client = desk.client(scheme);
                for value in 0..50 {
                    assert_eq!(call(&mut client, "quick", value).expect("an answer"), value);
                    assert_eq!(call(&mut client, "greet", value).expect("an answer"), value);
                }
            }
            assert!(slow.iter().all(|it| !it.is_finished()));
            desk.door.open();
            for (value, slow) in (101..=300).zip(slow) {
                let answer = slow.join().expect("no panic").expect("an answer");
                assert_eq!(answer, 2 * value, "{scheme}");
            }
        });
    }
}

/// Header blocks are seen and added, also to faults; panics are faults; in every encoding, and again and again.
#[test]
fn answers_that_come_later_are_as_others_are() {
    let pool = Workers::Pool { threads: 2, queue: 8, order: Order::FirstIn };
    for workers in [Workers::InPlace, pool] {
        let config = Config { workers, ..Config::default() };
        let desk = Desk::start(Server::new().config(config).time_stages().on_call(|_| {}));
        desk.door.open();
        for scheme in SCHEMES {
            for encoding in [
                MessageEncoding::Xml,
                MessageEncoding::FastInfoset,
                MessageEncoding::StatefulFastInfoset,
            ] {
                let mut client = desk.client(scheme);
                client.set_encoding(encoding);
                client.set_optimistic(true);
                let block = trunkline_session::soap::header::block(
                    &Session { token: "t".into() },
                    "urn:desk",
                );
                client.set_header(vec![block.expect("a block")]);
                for value in [1, 2, -1, 3] {
                    match call(&mut client, "greet", value) {
                        Ok(answer) => assert_eq!(answer, value),
                        Err(CallError::Fault(fault)) => assert_eq!(fault.reason, "negative"),
                        Err(error) => panic!("{scheme} {encoding:?}: {error}"),
                    }
                    let session = client.reply_header::<Session>().expect("a block");
                    let token = session.map(|it| it.token);
                    assert_eq!(token.as_deref(), Some("t, greet"), "{scheme} {encoding:?} {value}");
                }
                for (value, reason) in [(13, "hold failed, and does not say why"), (0, "nothing")] {
                    match call(&mut client, "hold", value) {
                        Err(CallError::Fault(fault)) => assert_eq!(fault.reason, reason),
                        other => panic!("{scheme} {encoding:?} {value}: {other:?}"),
                    }
                    assert_eq!(call(&mut client, "hold", 5).expect("an answer"), 10);
                    assert_eq!(call(&mut client, "quick", 5).expect("an answer"), 5);
                }
            }
        }
    }
}

const ENVELOPE: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <hold xmlns='urn:desk'><value>1</value></hold></e:Body></e:Envelope>";

fn posted(desk: &Desk) -> TcpStream {
    let mut stream = TcpStream::connect(desk.server.address()).expect("a connection");
    let head = format!(
        "POST /desk HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n",
        ENVELOPE.len()
    );
    stream.write_all(format!("{head}{ENVELOPE}").as_bytes()).expect("it is sent");
    stream
}

/// What nobody waits for any more is dropped, and makes room for others.
#[test]
fn a_call_ends_with_its_client() {
    let desk = Desk::of_one_thread(Server::new().waiting_calls(1));
    for _ in 0..3 {
        let stream = posted(&desk);
        desk.is_told("began");
        drop(stream);
        desk.is_told("ended");
    }
    // Over SOAP/TCP a client that gives up closes its connection too.
    let config = ClientConfig {
        response_timeout: std::time::Duration::from_millis(50),
        ..ClientConfig::default()
    };
    let url = format!("vnd.sun.ws.tcp://{}/desk", desk.server.address());
    let mut client = Client::with(&url, "urn:desk", Binding::default(), config).expect("a client");
    call(&mut client, "hold", 1).expect_err("nobody answers");
    desk.is_told("began");
    drop(client);
    desk.is_told("ended");
    // The server goes on.
    desk.door.open();
    assert_eq!(call(&mut desk.client("http"), "hold", 4).expect("an answer"), 8);
}

#[test]
fn so_many_wait_and_no_more() {
    let desk = Desk::of_one_thread(Server::new().waiting_calls(2));
    let waiting = [posted(&desk), posted(&desk)];
    waiting.iter().for_each(|_| desk.is_told("began"));
    let mut third = posted(&desk);
    let mut answer = [0; 2048];
    let length = third.read(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..length]).to_lowercase();
    assert!(
        answer.starts_with("http/1.1 503") && answer.contains("retry-after: 1\r\n"),
        "{answer}"
    );
    let why = "waiting_calls: 2 calls wait for their answers at most";
    for scheme in SCHEMES {
        match call(&mut desk.client(scheme), "hold", 1) {
            Err(CallError::Fault(fault)) => assert_eq!(fault.reason, why),
            other => panic!("{scheme}: {other:?}"),
        }
        assert_eq!(call(&mut desk.client(scheme), "quick", 1).expect("an answer"), 1);
    }
    assert!(desk.told.try_recv().is_err(), "the function was called");
    desk.door.open();
    waiting.iter().for_each(|_| desk.is_told("ended"));
    assert_eq!(call(&mut desk.client("http"), "hold", 4).expect("an answer"), 8);
}

/// Those of one connection, each on a channel of its own.
#[test]
fn calls_of_one_connection_wait_side_by_side() {
    let workers = Workers::Pool { threads: 4, queue: 8, order: Order::FirstIn };
    let desk = Desk::start(Server::new().config(Config { workers, ..Config::default() }));
    let url = format!("vnd.sun.ws.tcp://{}", desk.server.address());
    let connection = SharedConnection::new(&url, ClientConfig::default()).expect("a connection");
    let client = || connection.client("/desk", "urn:desk", Binding::default()).expect("a client");
    thread::scope(|scope| {
        let slow: Vec<_> = (1..=3)
            .map(|value| {
                let mut client = client();
                scope.spawn(move || call(&mut client, "hold", value).expect("an answer"))
            })
            .collect();
        slow.iter().for_each(|_| desk.is_told("began"));
        assert_eq!(call(&mut client(), "quick", 7).expect("an answer"), 7);
        desk.door.open();
        for (value, slow) in (1..=3).zip(slow) {
            assert_eq!(slow.join().expect("no panic"), 2 * value);
        }
    });
}

/// Without a server, who asks waits for the answer.
#[test]
fn a_conversation_waits_in_place() {
    let door = Arc::new(Door::default());
    let before = door.clone();
    let hold = move |number: Number| {
        let door = before.clone();
        async move {
            door.pass().await;
            Ok::<_, Fault>(number)
        }
    };
    let service = Service::new("Desk", "urn:desk").operation_async("hold", hold);
    let mut conversation = service.build().expect("a service")[0].conversation();
    let opener = thread::spawn(move || door.open());
    let answer = conversation.answer(ENVELOPE.as_bytes(), "", SoapVersion::Soap11);
    assert!(String::from_utf8_lossy(answer.bytes).contains("<value>1</value>"));
    opener.join().expect("no panic");
}
