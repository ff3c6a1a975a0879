//! Sessions over real sockets: what is there when an acceptor is gone.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_fix::tcp::{Acceptor, Handle, Initiator, TcpConfig};
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
            std::thread::sleep(Duration::from_millis(1));
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
        std::thread::sleep(Duration::from_millis(1));
    }
}
