//! Clients that share a connection.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use trunkline_http::{Error as HttpError, Order, Workers};
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Config, Fault, MessageEncoding, Running, Server,
    Service, SharedConnection,
};

use super::sockets::{Word, says, url, word};

/// Opens for all who wait there.
#[derive(Default)]
struct Gate {
    state: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().expect("no test panicked");
        state.0 += 1;
        self.changed.notify_all();
        while !state.1 {
            state = self.changed.wait(state).expect("no test panicked");
        }
    }

    /// Waits until so many wait.
    fn wait_for(&self, count: usize) {
        let mut state = self.state.lock().expect("no test panicked");
        while state.0 < count {
            state = self.changed.wait(state).expect("no test panicked");
        }
    }

    fn open(&self) {
        self.state.lock().expect("no test panicked").1 = true;
        self.changed.notify_all();
    }
}

/// A service with an operation that does not end before the gate opens.
fn start(workers: Workers) -> (Running, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let held = gate.clone();
    let wait = move |word: Word| {
        held.pass();
        Ok::<_, Fault>(word)
    };
    let repeat = |word: Word| match word {
        word if word == super::sockets::word("fail") => Err(Fault::sender("a bad word")),
        word => Ok(word),
    };
    let service = Service::new("Words", "urn:words")
        .operation("repeat", repeat)
        .operation("wait", wait)
        .one_way("keep", |_: Word| Ok::<(), Fault>(()))
        .at("/words", Binding::document_literal());
    let config = Config { workers, ..Config::default() };
    let server = Server::new().service(service).config(config).start("127.0.0.1:0");
    (server.expect("a port is free"), gate)
}

fn pool(threads: usize, queue: usize) -> Workers {
    Workers::Pool { threads, queue, order: Order::FirstIn }
}

fn connection(server: &Running, response_timeout: Duration) -> SharedConnection {
    let config = ClientConfig {
        connect_timeout: Duration::from_secs(20),
        response_timeout,
        ..ClientConfig::default()
    };
    SharedConnection::new(&url(server, "/"), config).expect("a URL")
}

const LONG: Duration = Duration::from_secs(60);

fn client(connection: &SharedConnection, encoding: MessageEncoding) -> Client {
    let client = connection.client("/words", "urn:words", Binding::default());
    let mut client = client.expect("a path");
    client.set_encoding(encoding);
    client
}

fn wait(client: &mut Client) -> Result<Word, CallError> {
    client.call("wait", &word("at last"))
}

#[test]
fn a_slow_call_holds_no_others_up() {
    for encoding in MessageEncoding::ALL {
        let (server, gate) = start(pool(3, 8));
        let connection = connection(&server, LONG);
        let slow: Vec<_> = (0..2)
            .map(|_| {
                let mut client = client(&connection, encoding);
                std::thread::spawn(move || wait(&mut client).expect("an answer"))
            })
            .collect();
        gate.wait_for(2);
        let mut quick = client(&connection, encoding);
        for _ in 0..20 {
            says(&mut quick, "quick");
        }
        assert_eq!(quick.overlaps(), Some(true));
        gate.open();
        for slow in slow {
            assert_eq!(slow.join().expect("no panic"), word("at last"));
        }
        assert_eq!(server.counters().connections, 1);
    }
}

#[test]
fn answers_faults_and_one_way_calls_are_those_of_their_callers() {
    for workers in [pool(4, 64), Workers::InPlace] {
        let (server, _gate) = start(workers);
        let connection = connection(&server, LONG);
        std::thread::scope(|scope| {
            for thread in 0..12 {
                let connection = &connection;
                scope.spawn(move || {
                    let encoding = MessageEncoding::ALL[thread % 3];
                    let mut client = client(connection, encoding);
                    for round in 0..30 {
                        says(&mut client, &format!("thread {thread}, round {round}"));
                        says(&mut client, &"w".repeat(thread * 7_000));
                        client.send("keep", &word("kept")).expect("it is taken");
                        let fault = client.call::<_, Word>("repeat", &word("fail"));
                        let Err(CallError::Fault(fault)) = fault else { panic!("{fault:?}") };
                        assert_eq!(fault.reason, "a bad word");
                    }
                    let profile = client.profile().expect("a call");
                    assert_eq!(profile.encoding, encoding.name());
                });
            }
        });
        assert_eq!(server.counters().connections, 1);
        assert_eq!(server.counters().requests, 12 * 30 * 4);
    }
}

#[test]
fn the_channel_of_a_client_that_is_gone_is_the_next_ones() {
    let (server, _gate) = start(pool(2, 8));
    let connection = connection(&server, LONG);
    // More than channels may be open at once.
    for _ in 0..200 {
        let mut client = client(&connection, MessageEncoding::StatefulFastInfoset);
        says(&mut client, "one after another");
    }
    let mut last = client(&connection, MessageEncoding::StatefulFastInfoset);
    says(&mut last, "one after another");
    let retained = last.profile().and_then(|it| it.retained).expect("it is retained");
    assert!(retained.hit_rate() > 90, "{retained}");
    assert_eq!(server.counters().connections, 1);
}

#[test]
fn a_request_for_which_there_is_no_room_is_rejected_and_the_others_stay() {
    let (server, gate) = start(pool(1, 0));
    let connection = connection(&server, LONG);
    let mut first = client(&connection, MessageEncoding::Xml);
    let slow = std::thread::spawn(move || wait(&mut first));
    gate.wait_for(1);
    let mut second = client(&connection, MessageEncoding::FastInfoset);
    let error = second.call::<_, Word>("repeat", &word("too many")).expect_err("no room");
    assert!(error.to_string().starts_with("SOAP/TCP error 1.0: queue"), "{error}");
    gate.open();
    assert_eq!(slow.join().expect("no panic").expect("an answer"), word("at last"));
    assert_eq!(server.counters().rejected, 1);
}

#[test]
fn who_gives_up_waiting_takes_nothing_from_the_others() {
    let (server, gate) = start(pool(3, 8));
    let connection = connection(&server, Duration::from_secs(4));
    let mut slow = client(&connection, MessageEncoding::StatefulFastInfoset);
    let mut quick = client(&connection, MessageEncoding::StatefulFastInfoset);
    says(&mut quick, "before");
    let error = wait(&mut slow).expect_err("nobody opens the gate");
    assert!(matches!(error, CallError::Transport(HttpError::TimedOut { .. })), "{error}");
    says(&mut quick, "meanwhile");
    gate.open();
    for _ in 0..5 {
        says(&mut quick, "after");
        says(&mut slow, "again");
    }
    assert_eq!(server.counters().connections, 1);
}

#[test]
fn a_connection_that_the_server_closed_is_made_again() {
    let service = Service::new("Words", "urn:words")
        .operation("repeat", |word: Word| Ok::<_, Fault>(word))
        .at("/words", Binding::document_literal());
    let config = Config { idle_timeout: Duration::from_millis(100), ..Config::default() };
    let server = Server::new().service(service).config(config).start("127.0.0.1:0");
    let server = server.expect("a port is free");
    let connection = connection(&server, LONG);
    let mut clients = [0, 1].map(|_| client(&connection, MessageEncoding::StatefulFastInfoset));
    clients.iter_mut().for_each(|it| says(it, "before"));
    // Longer than the server waits, and than a connection is used unseen.
    while server.counters().open > 0 {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(1100));
    clients.iter_mut().for_each(|it| says(it, "after"));
    assert_eq!(server.counters().connections, 2);
}
