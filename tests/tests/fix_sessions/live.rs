//! QuickFIX C++ at the other end, in both roles, with connections that break in the middle.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use trunkline_bench::folder::PrivateFolder;
use trunkline_fix::tcp::{Acceptor, Handle, Initiator, TcpConfig};
use trunkline_fix::{
    Application, Dictionaries, Identity, JournalStore, MemoryStore, Message, Outbox, Refusal, Role,
    Session, Settings, Store, Version,
};
use trunkline_import::Limits;
use trunkline_import::fix::Dictionary;
use trunkline_tests::toolkit::Toolkit;

const PATIENCE: Duration = Duration::from_secs(30);

/// What one side got: ClOrdIDs in order, with a star if PossDupFlag was set.
type Taken = Arc<Mutex<Vec<String>>>;

struct Orders(Taken);

impl Application for Orders {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        let id = String::from_utf8_lossy(message.get(11).unwrap_or_default()).into_owned();
        let star = if message.is_possible_duplicate() { "*" } else { "" };
        self.0.lock().expect("no panic before").push(format!("{id}{star}"));
        Ok(())
    }
}

fn dictionary() -> PathBuf {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    root.join("peers/build/source/quickfix/FIX43.xml")
}

fn session(role: Role) -> (Handle, Taken) {
    let taken = Taken::default();
    (session_on(role, Box::new(MemoryStore::default()), taken.clone()), taken)
}

fn session_on(role: Role, store: Box<dyn Store>, taken: Taken) -> Handle {
    let path = dictionary();
    let bytes = std::fs::read(&path).expect("QuickFIX's dictionary");
    let read = Dictionary::read(&path.display().to_string(), &bytes, &Limits::default())
        .expect("a dictionary");
    let settings = Settings::new(role, identity());
    let dictionaries = Some(Arc::new(Dictionaries::of(&read)));
    let session = Session::new(settings, dictionaries, store);
    Handle::new(session, Orders(taken))
}

fn identity() -> Identity {
    Identity::new(Version::Fix43, "TRUNKLINE", "QUICKFIX")
}

fn config() -> TcpConfig {
    TcpConfig { reconnect: Duration::from_millis(100), ..TcpConfig::default() }
}

fn order(id: &str) -> Vec<u8> {
    let time = super::engine::stamp(1_795_608_000);
    format!("11={id}|21=1|38=100|40=1|54=1|55=INTC|60={time}|").replace('|', "\u{1}").into_bytes()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn start(peer: &mut Toolkit, role: &str, port: u16, folder: &PrivateFolder) {
    let (folder, dictionary) = (folder.path().display(), dictionary());
    let dictionary = dictionary.display();
    peer.expect(
        &format!("start {role} {port} FIX.4.3 QUICKFIX TRUNKLINE {folder} {dictionary}"),
        "ok",
    );
}

fn ids(name: &str, numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|number| format!("{name}{number}")).collect()
}

/// A forwarder between the two sides, whose connections can be cut.
struct Cable {
    port: u16,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Cable {
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let open = Arc::new(Mutex::new(Vec::new()));
        let all = open.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (mut from, mut to) =
                        (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
                    std::thread::spawn(move || {
                        _ = std::io::copy(&mut from, &mut to);
                        _ = to.shutdown(std::net::Shutdown::Both);
                    });
                }
                all.lock().expect("no panic before").extend([near, far]);
            }
        });
        Self { port: own, open }
    }

    fn cut(&self) {
        for stream in self.open.lock().expect("no panic before").drain(..) {
            _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// Each side sends, the cable is cut in the middle, and both have each order once, in order.
fn exchange(peer: &mut Toolkit, session: &Handle, taken: &Taken, cable: &Cable) {
    peer.expect("logged-on 20000", "ok");
    until("it is up here too", || session.is_logged_on());
    let (theirs, ours) = (ids("q", 0..300), ids("t", 0..300));
    for (number, (their, our)) in theirs.chunks(10).zip(ours.chunks(10)).enumerate() {
        peer.ask(&format!("send {}", their.join(" ")));
        for id in our {
            session.send("D", &order(id)).expect("it is sent, or kept");
        }
        if number % 10 == 5 {
            cable.cut();
        }
    }
    let plain =
        |it: &[String]| it.iter().map(|it| it.trim_end_matches('*').to_owned()).collect::<Vec<_>>();
    until("all of theirs are here", || {
        taken.lock().expect("no panic before").len() >= theirs.len()
    });
    assert_eq!(plain(&taken.lock().expect("no panic before")), theirs);
    let mut all = Vec::new();
    until("all of ours are there", || {
        let words = peer.expect("taken", "taken");
        all = words.split_whitespace().map(str::to_owned).collect();
        all.len() >= ours.len()
    });
    assert_eq!(plain(&all), ours);
    peer.expect("log-out", "ok");
    until("it is over", || !session.is_logged_on());
}

#[test]
fn quickfix_connects_and_nothing_is_lost_when_connections_break() {
    let Some(mut peer) = Toolkit::start("quickfix-session") else { return };
    let folder = PrivateFolder::new().expect("a folder");
    let (session, taken) = session(Role::Acceptor);
    let acceptor = Acceptor::start("127.0.0.1:0", [session.clone()], config(), Arc::new(|_, _| {}));
    let acceptor = acceptor.expect("a port");
    let cable = Cable::to(acceptor.address().port());
    start(&mut peer, "initiator", cable.port, &folder);
    exchange(&mut peer, &session, &taken, &cable);
}

#[test]
fn quickfix_is_connected_to_and_nothing_is_lost_when_connections_break() {
    let Some(mut peer) = Toolkit::start("quickfix-session") else { return };
    let folder = PrivateFolder::new().expect("a folder");
    // QuickFIX asks for a number, and takes no 0.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
    start(&mut peer, "acceptor", port, &folder);
    let cable = Cable::to(port);
    let (session, taken) = session(Role::Initiator);
    let address = format!("127.0.0.1:{}", cable.port);
    let _initiator = Initiator::start(&address, session.clone(), config()).expect("a thread");
    exchange(&mut peer, &session, &taken, &cable);
}

/// Both processes end without a goodbye, QuickFIX by `kill -9`, and begin again with what they have on disk.
#[test]
fn quickfix_and_we_are_killed_in_turn_and_no_order_is_lost_or_taken_twice() {
    let folders = [(); 2].map(|()| PrivateFolder::new().expect("a folder"));
    let (ours_at, theirs_at) = (&folders[0], &folders[1]);
    let taken = Taken::default();
    let (mut sent, mut sent_by_peer, mut seen_by_peer) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..6 {
        let Some(mut peer) = Toolkit::start("quickfix-session") else { return };
        let store = JournalStore::open(ours_at.path(), 1 << 20).expect("a store");
        let session = session_on(Role::Acceptor, Box::new(store), taken.clone());
        let acceptor =
            Acceptor::start("127.0.0.1:0", [session.clone()], config(), Arc::new(|_, _| {}));
        let acceptor = acceptor.expect("a port");
        start(&mut peer, "initiator", acceptor.address().port(), theirs_at);
        peer.expect("logged-on 20000", "ok");
        until("it is up here too", || session.is_logged_on());
        for number in 0..40 {
            let (our, their) = (format!("t{round}-{number}"), format!("q{round}-{number}"));
            session.send("D", &order(&our)).expect("it is sent");
            peer.expect(&format!("send {their}"), "ok");
            sent.push(our);
            sent_by_peer.push(their);
        }
        // In the last round nobody is killed before all is there.
        let all = if round == 5 { sent_by_peer.len() } else { 0 };
        until("all of theirs are here", || taken.lock().expect("no panic before").len() >= all);
        let words = peer.expect("taken", "taken");
        seen_by_peer.extend(words.split_whitespace().map(|it| it.trim_end_matches('*').to_owned()));
        match round {
            5 => until("all of ours are there", || {
                let words = peer.expect("taken", "taken");
                words.split_whitespace().any(|it| it.trim_end_matches('*') == "t5-39")
            }),
            _ if round % 2 == 0 => peer.kill(),
            _ => drop(acceptor),
        }
    }
    let plain = |it: &String| it.trim_end_matches('*').to_owned();
    let taken: Vec<String> = taken.lock().expect("no panic before").iter().map(plain).collect();
    assert_eq!(taken, sent_by_peer, "each once, in order");
    // What QuickFIX had taken when it was killed, it tells nobody; what it tells is ours, in order.
    seen_by_peer.dedup();
    let mut at = 0;
    for id in &seen_by_peer {
        let behind = sent[at..].iter().position(|it| it == id);
        at += behind.unwrap_or_else(|| panic!("{id} came out of order, or twice")) + 1;
    }
}
