//! Sessions over real sockets: bursts of messages, and what is there when an acceptor is gone.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_fix::tcp::{Acceptor, Handle, Initiator, Spin, TcpConfig};
use trunkline_fix::{
    Application, Identity, MemoryStore, Message, Outbox, Refusal, Role, Session, Settings, Version,
};

struct Held {
    _held: Arc<()>,
}

impl Application for Held {
    fn message(&mut self, _message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        Ok(())
    }
}

fn handle(role: Role, of: &Arc<()>) -> Handle {
    let (own, other) = match role {
        Role::Acceptor => ("BANK", "FUND"),
        Role::Initiator => ("FUND", "BANK"),
    };
    let settings = Settings::new(role, Identity::new(Version::Fix44, own, other));
    Handle::new(
        Session::new(settings, None, Box::new(MemoryStore::default())),
        Held { _held: of.clone() },
    )
}

/// A store on a disk can be opened again at once: no thread still has the old one, whoever is connected.
#[test]
fn nobody_has_a_session_any_more_when_acceptor_and_initiator_are_dropped() {
    for round in 0..20 {
        let held = Arc::new(());
        let sessions = [handle(Role::Acceptor, &held)];
        let acceptor =
            Acceptor::start("127.0.0.1:0", sessions, TcpConfig::default(), Arc::new(|_, _| {}));
        let acceptor = acceptor.expect("a port");
        // One that says nothing, which must not be waited for.
        let mut silent = TcpStream::connect(acceptor.address()).expect("a connection");
        let address = acceptor.address().to_string();
        let fund = handle(Role::Initiator, &held);
        let initiator = Initiator::start(&address, fund, TcpConfig::default()).expect("a thread");
        let end = Instant::now() + Duration::from_secs(20);
        // Every other time it is dropped at whatever point it has reached.
        while round % 2 == 0 && !initiator.session().is_logged_on() {
            assert!(Instant::now() < end, "it logs on");
            thread::sleep(Duration::from_millis(1));
        }
        drop(initiator);
        drop(acceptor);
        assert_eq!(Arc::strong_count(&held), 1, "round {round}");
        assert_eq!(silent.read(&mut [0; 8]).unwrap_or(0), 0, "it is closed");
    }
}

/// Who is refused is not left to wait until somebody else comes.
#[test]
fn a_connection_that_is_refused_is_closed_at_once() {
    let sessions = [handle(Role::Acceptor, &Arc::new(()))];
    let acceptor =
        Acceptor::start("127.0.0.1:0", sessions, TcpConfig::default(), Arc::new(|_, _| {}));
    let acceptor = acceptor.expect("a port");
    let body =
        "35=A\u{1}34=1\u{1}49=NOBODY\u{1}56=BANK\u{1}52=20261126-00:00:00\u{1}98=0\u{1}108=30\u{1}";
    let logon = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
    let sum = logon.bytes().fold(0_u8, u8::wrapping_add);
    let mut stream = TcpStream::connect(acceptor.address()).expect("a connection");
    stream.write_all(format!("{logon}10={sum:03}\u{1}").as_bytes()).expect("it is sent");
    // Without the end of the connection this would never return.
    assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0);
}

/// However many say nothing, who says who he is gets through.
#[test]
fn connections_that_say_nothing_keep_nobody_away() {
    let held = Arc::new(());
    let sessions = [handle(Role::Acceptor, &held)];
    let first_timeout = Duration::from_secs(3_600);
    let config = TcpConfig { connections: 64, first_timeout, ..TcpConfig::default() };
    let acceptor = Acceptor::start("127.0.0.1:0", sessions, config, Arc::new(|_, _| {}));
    let acceptor = acceptor.expect("a port");
    let mut silent = VecDeque::new();
    for _ in 0..100 {
        silent.push_back(TcpStream::connect(acceptor.address()).expect("a connection"));
        // Without the end of the oldest this would never return.
        if silent.len() > 16 {
            let mut oldest = silent.pop_front().expect("one of many");
            assert_eq!(oldest.read(&mut [0; 8]).unwrap_or(0), 0);
        }
    }
    let address = acceptor.address().to_string();
    let fund = handle(Role::Initiator, &held);
    let initiator = Initiator::start(&address, fund, TcpConfig::default()).expect("a thread");
    let end = Instant::now() + Duration::from_secs(20);
    while !initiator.session().is_logged_on() {
        assert!(Instant::now() < end, "it logs on");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Looks at what comes: of each thread that sends, its messages in its order, under numbers without a gap. Sometimes it takes long
/// over one, so that the connection takes nothing more meanwhile.
struct Looking {
    next: Vec<usize>,
    left: usize,
    pauses: bool,
    answers: bool,
    all: Sender<()>,
}

impl Application for Looking {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        let text = message.get(11).and_then(|it| std::str::from_utf8(it).ok()).expect("a text");
        let (thread, number) = text.split_once('-').expect("a thread and a number");
        let thread: usize = thread.parse().expect("a number");
        assert_eq!(number, self.next[thread].to_string(), "the next one of thread {thread}");
        self.next[thread] += 1;
        self.left -= 1;
        if self.pauses && self.left.is_multiple_of(9_000) {
            thread::sleep(Duration::from_millis(100));
        }
        if self.answers {
            outbox.send("8", message.body_bytes()).expect("it is logged on");
        }
        if self.left == 0 {
            self.all.send(()).expect("somebody waits");
        }
        Ok(())
    }
}

/// Two threads pour messages into one session while answers go out of it the other way, one with pauses of all lengths.
#[test]
fn a_burst_arrives_whole_and_in_order() {
    const EACH: usize = 15_000;
    for spin in [Spin::Never, Spin::default(), Spin::Always(Duration::from_micros(200))] {
        let config = TcpConfig { spin, ..TcpConfig::default() };
        let (all, has_all) = channel();
        let looking = |pauses| Looking {
            next: vec![0; 2],
            left: 2 * EACH,
            pauses,
            answers: pauses,
            all: all.clone(),
        };
        let identity = |own, other| Identity::new(Version::Fix44, own, other);
        let session = |role, identity| {
            Session::new(Settings::new(role, identity), None, Box::new(MemoryStore::default()))
        };
        let bank = session(Role::Acceptor, identity("BANK", "FUND"));
        let sessions = [Handle::new(bank, looking(true))];
        let acceptor =
            Acceptor::start("127.0.0.1:0", sessions, config.clone(), Arc::new(|_, _| {}));
        let acceptor = acceptor.expect("a port");
        let fund = Handle::new(session(Role::Initiator, identity("FUND", "BANK")), looking(false));
        let address = acceptor.address().to_string();
        let initiator = Initiator::start(&address, fund.clone(), config).expect("a thread");
        let end = Instant::now() + Duration::from_secs(120);
        while !fund.is_logged_on() {
            assert!(Instant::now() < end, "it logs on");
            thread::sleep(Duration::from_millis(1));
        }
        thread::scope(|scope| {
            for sender in 0..2 {
                let fund = &fund;
                scope.spawn(move || {
                    for number in 0..EACH {
                        let text = "a text that makes it somewhat longer, as messages are";
                        let body = format!("11={sender}-{number}\u{1}58={text}\u{1}");
                        fund.send("D", body.as_bytes()).expect("it is sent");
                        if sender == 1 && number % 100 == 0 {
                            thread::sleep(Duration::from_micros(number as u64 / 100));
                        }
                        while fund.waiting() > 1 << 20 {
                            assert!(Instant::now() < end, "it is taken");
                            thread::sleep(Duration::from_micros(100));
                        }
                    }
                });
            }
        });
        for _ in 0..2 {
            let left = end.saturating_duration_since(Instant::now());
            has_all.recv_timeout(left).expect("all came, and all answers");
        }
        assert_eq!(fund.numbers(), (2 * EACH as u64 + 2, 2 * EACH as u64 + 2), "each once");
        drop(initiator);
    }
}
