//! QuickFIX C++ and QuickFIX/J at the other end, in both roles, with connections that break in the middle.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
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

/// What one side got, in order: ClOrdIDs of orders, and of executions behind `=`, with a star if PossDupFlag was set.
pub(crate) type Taken = Arc<Mutex<Vec<String>>>;

/// Takes orders, answers them, and takes what is answered.
struct Desk {
    taken: Taken,
    executions: u64,
}

impl Application for Desk {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        let id = String::from_utf8_lossy(message.get(11).unwrap_or_default()).into_owned();
        let star = if message.is_possible_duplicate() { "*" } else { "" };
        let is_order = message.message_type() == b"D";
        let mark = if is_order { "" } else { "=" };
        self.taken.lock().expect("no panic before").push(format!("{mark}{id}{star}"));
        if is_order {
            self.executions += 1;
            let report = execution(&id, self.executions, outbox.settings().identity.version);
            outbox.send("8", &report).expect("it is kept, if it is not sent");
        }
        Ok(())
    }
}

/// Another engine, and what is spoken with it.
#[derive(Clone, Copy)]
pub(crate) struct Other {
    pub(crate) program: &'static str,
    version: Version,
    /// The folder of its dictionaries, below those of the peers.
    folder: &'static str,
    /// Of FIXT 1.1 there are two, the transport's first.
    dictionaries: &'static [&'static str],
}

const QUICKFIX: Other = Other {
    program: "quickfix-session",
    version: Version::Fix43,
    folder: "source/quickfix",
    dictionaries: &["FIX43.xml"],
};

const fn quickfixj(version: Version, dictionaries: &'static [&'static str]) -> Other {
    Other { program: "quickfixj-session", version, folder: "quickfixj/dictionaries", dictionaries }
}

pub(crate) const QUICKFIXJ: [Other; 3] = [
    quickfixj(Version::Fix42, &["FIX42.xml"]),
    quickfixj(Version::Fix44, &["FIX44.xml"]),
    quickfixj(Version::Fixt11, &["FIXT11.xml", "FIX50SP2.xml"]),
];

impl Other {
    fn paths(&self) -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let folder = root.join("peers/build").join(self.folder);
        self.dictionaries.iter().map(|it| folder.join(it)).collect()
    }

    fn identity(&self) -> Identity {
        Identity::new(self.version, "TRUNKLINE", "QUICKFIX")
    }

    /// Our side of a session with it.
    pub(crate) fn session(&self, role: Role, store: Box<dyn Store>, taken: Taken) -> Handle {
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).expect("a dictionary of the peers");
            let name = path.display().to_string();
            Dictionary::read(&name, &bytes, &Limits::default()).expect("a dictionary")
        };
        let read: Vec<Dictionary> = self.paths().into_iter().map(read).collect();
        let mut settings = Settings::new(role, self.identity());
        let dictionaries = match &*read {
            [transport, own] => {
                settings.default_appl_ver_id = Some("9".to_owned());
                Dictionaries::of_transport(transport, [("9", own)])
            }
            own => Dictionaries::of(&own[0]),
        };
        let session = Session::new(settings, Some(Arc::new(dictionaries)), store);
        Handle::new(session, Desk { taken, executions: 0 })
    }

    fn start(&self, peer: &mut Toolkit, role: &str, port: u16, folder: &PrivateFolder) {
        self.start_with(peer, role, port, folder, "");
    }

    /// With settings of its own, such as `SocketUseSSL=Y`.
    pub(crate) fn start_with(
        &self,
        peer: &mut Toolkit,
        role: &str,
        port: u16,
        folder: &PrivateFolder,
        settings: &str,
    ) {
        let begin = self.version.begin_string();
        let paths: Vec<String> = self.paths().iter().map(|it| it.display().to_string()).collect();
        let (folder, paths) = (folder.path().display(), paths.join(","));
        let names = "QUICKFIX TRUNKLINE";
        let words = format!("start {role} {port} {begin} {names} {folder} {paths} {settings}");
        peer.expect(words.trim_end(), "ok");
    }
}

pub(crate) fn in_memory() -> Box<dyn Store> {
    Box::new(MemoryStore::default())
}

pub(crate) fn config() -> TcpConfig {
    TcpConfig { reconnect: Duration::from_millis(100), ..TcpConfig::default() }
}

fn order(id: &str) -> Vec<u8> {
    let time = super::engine::stamp(1_795_608_000);
    format!("11={id}|21=1|38=100|40=1|54=1|55=INTC|60={time}|").replace('|', "\u{1}").into_bytes()
}

fn execution(id: &str, number: u64, version: Version) -> Vec<u8> {
    let kind = if version == Version::Fix42 { "20=0|" } else { "" };
    format!("6=0|11={id}|14=0|17=e{number}|{kind}37=o{number}|39=0|54=1|55=INTC|150=0|151=100|")
        .replace('|', "\u{1}")
        .into_bytes()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Those that are of orders, and those of executions; without stars.
fn sorted(taken: &[String]) -> (Vec<String>, Vec<String>) {
    let plain = taken.iter().map(|it| it.trim_end_matches('*').to_owned());
    let (executions, orders): (Vec<_>, Vec<_>) = plain.partition(|it| it.starts_with('='));
    (orders, executions.iter().map(|it| it[1..].to_owned()).collect())
}

fn taken_by(peer: &mut Toolkit) -> Vec<String> {
    peer.expect("taken", "taken").split_whitespace().map(str::to_owned).collect()
}

fn ids(name: &str, numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|number| format!("{name}{number}")).collect()
}

/// A forwarder between the two sides, whose connections can be cut.
pub(crate) struct Cable {
    pub(crate) port: u16,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Cable {
    pub(crate) fn to(port: u16) -> Self {
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
pub(crate) fn exchange(peer: &mut Toolkit, session: &Handle, taken: &Taken, cable: &Cable) {
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
    let both = (theirs, ours);
    let here = || sorted(&taken.lock().expect("no panic before"));
    until("all of theirs are here", || here().0.len() >= 300 && here().1.len() >= 300);
    assert_eq!(here(), both);
    let mut there = Vec::new();
    until("all of ours are there", || {
        there = taken_by(peer);
        there.len() >= 600
    });
    let (orders, executions) = sorted(&there);
    assert_eq!((executions, orders), both);
    peer.expect("log-out", "ok");
    until("it is over", || !session.is_logged_on());
}

/// It connects.
fn connects(other: Other) {
    let Some(mut peer) = Toolkit::start(other.program) else { return };
    let folder = PrivateFolder::new().expect("a folder");
    let taken = Taken::default();
    let session = other.session(Role::Acceptor, in_memory(), taken.clone());
    let acceptor = Acceptor::start("127.0.0.1:0", [session.clone()], config(), Arc::new(|_, _| {}));
    let acceptor = acceptor.expect("a port");
    let cable = Cable::to(acceptor.address().port());
    other.start(&mut peer, "initiator", cable.port, &folder);
    exchange(&mut peer, &session, &taken, &cable);
}

/// It is connected to.
fn accepts(other: Other) {
    let Some(mut peer) = Toolkit::start(other.program) else { return };
    let folder = PrivateFolder::new().expect("a folder");
    // QuickFIX asks for a number, and takes no 0.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
    other.start(&mut peer, "acceptor", port, &folder);
    let cable = Cable::to(port);
    let taken = Taken::default();
    let session = other.session(Role::Initiator, in_memory(), taken.clone());
    let address = format!("127.0.0.1:{}", cable.port);
    let _initiator = Initiator::start(&address, session.clone(), config()).expect("a thread");
    exchange(&mut peer, &session, &taken, &cable);
}

/// Both processes end without a goodbye, the other engine by `kill -9`, and begin again with what they have on disk.
fn is_killed(other: Other) {
    const ROUNDS: u32 = 6;
    let folders = [(); 2].map(|()| PrivateFolder::new().expect("a folder"));
    let (ours_at, theirs_at) = (&folders[0], &folders[1]);
    let taken = Taken::default();
    let (mut sent, mut sent_by_peer, mut seen_by_peer) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let Some(mut peer) = Toolkit::start(other.program) else { return };
        let store = JournalStore::open(ours_at.path(), 1 << 20).expect("a store");
        let session = other.session(Role::Acceptor, Box::new(store), taken.clone());
        let acceptor =
            Acceptor::start("127.0.0.1:0", [session.clone()], config(), Arc::new(|_, _| {}));
        let acceptor = acceptor.expect("a port");
        other.start(&mut peer, "initiator", acceptor.address().port(), theirs_at);
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
        if round == ROUNDS - 1 {
            let last = sent.last().cloned().expect("some are sent");
            until("all is here", || {
                let (orders, executions) = sorted(&taken.lock().expect("no panic before"));
                orders.len() >= sent_by_peer.len() && executions.contains(&last)
            });
            until("all is there", || {
                let (orders, executions) = sorted(&taken_by(&mut peer));
                orders.contains(&last) && executions.contains(sent_by_peer.last().expect("some"))
            });
        }
        seen_by_peer.extend(sorted(&taken_by(&mut peer)).0);
        match round % 2 {
            0 => peer.kill(),
            _ => drop(acceptor),
        }
    }
    let (orders, executions) = sorted(&taken.lock().expect("no panic before"));
    assert_eq!(orders, sent_by_peer, "each once, in order");
    // An order that it had answered, and not yet counted, when it was killed comes to it again, and is answered again.
    let missing: Vec<_> = sent.iter().filter(|it| !executions.contains(it)).collect();
    assert!(missing.is_empty(), "not answered: {missing:?}");
    assert!(executions.len() <= sent.len() + ROUNDS as usize / 2, "{executions:?}");
    // What it had taken when it was killed, it tells nobody; what it tells is ours, in order.
    seen_by_peer.dedup();
    let mut at = 0;
    for id in &seen_by_peer {
        let behind = sent[at..].iter().position(|it| it == id);
        at += behind.unwrap_or_else(|| panic!("{id} came out of order, or twice")) + 1;
    }
}

#[test]
fn quickfix_connects_and_nothing_is_lost_when_connections_break() {
    connects(QUICKFIX);
}

#[test]
fn quickfix_is_connected_to_and_nothing_is_lost_when_connections_break() {
    accepts(QUICKFIX);
}

#[test]
fn quickfix_and_we_are_killed_in_turn_and_no_order_is_lost_or_taken_twice() {
    is_killed(QUICKFIX);
}

/// Sessions of QuickFIX/J, which wait most of the time, beside each other.
fn each_version(test: fn(Other)) {
    std::thread::scope(|scope| {
        for other in QUICKFIXJ {
            scope.spawn(move || test(other));
        }
    });
}

#[test]
fn quickfixj_connects_and_nothing_is_lost_when_connections_break() {
    each_version(connects);
}

#[test]
fn quickfixj_is_connected_to_and_nothing_is_lost_when_connections_break() {
    each_version(accepts);
}

#[test]
fn quickfixj_and_we_are_killed_in_turn_and_no_order_is_lost_or_taken_twice() {
    each_version(is_killed);
}
