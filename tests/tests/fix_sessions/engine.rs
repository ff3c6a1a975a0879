//! Sessions behind a virtual network, with a virtual clock.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use trunkline_fix::{
    Dictionaries, First, Identity, MemoryStore, Moment, Role, Session, Settings, SubIds, Version,
};
use trunkline_import::Limits;
use trunkline_import::fix::Dictionary;

use super::echo::Echo;

/// Noon of a day, in seconds since 1970.
const NOON: i64 = 1_795_608_000;

const SECOND: u64 = 1_000_000_000;

/// How long a script waits, in seconds.
const PATIENCE: u64 = 60;

/// How the engine is set up for a folder of scripts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variant {
    keeps_numbers: bool,
    next_expected: bool,
    chunk: Option<u64>,
    without_check_sum: bool,
    resends_to_last: bool,
    last_processed: bool,
    has_sub_ids: bool,
    has_no_dictionary: bool,
}

impl Variant {
    pub(crate) fn of(script: &str) -> Self {
        let is_in = |folder: &str| script.contains(folder);
        Self {
            keeps_numbers: is_in("nextExpectedMsgSeqNum/") || is_in("fix44noreset/"),
            next_expected: is_in("nextExpectedMsgSeqNum/"),
            chunk: match () {
                () if is_in("resendRequestChunkSize/") => Some(5),
                () if is_in("MaxMessagesInResend") => Some(2_500),
                () => None,
            },
            without_check_sum: is_in("validateChecksum/"),
            resends_to_last: is_in("enhancedresend/") || is_in("quickfixn/misc/"),
            last_processed: is_in("enhancedresend/") || is_in("quickfixn/misc/"),
            has_sub_ids: is_in("quickfixn/misc/"),
            has_no_dictionary: is_in("enhancedresend/")
                || is_in("quickfixn/misc/")
                || is_in("InternationalCharacters"),
        }
    }
}

struct Connection {
    session: Option<Identity>,
    incoming: Vec<u8>,
    outgoing: VecDeque<String>,
    is_closed: bool,
}

pub(crate) struct Engine {
    variant: Variant,
    sessions: HashMap<Identity, (Session, Echo)>,
    connections: HashMap<u32, Connection>,
    numbers: (u64, u64),
    now: u64,
    folders: [std::path::PathBuf; 2],
}

/// UTCTimestamp of seconds since 1970.
pub(crate) fn stamp(seconds: i64) -> String {
    let stamp =
        trunkline_wire::Timestamp::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000)
            .expect("a time");
    let (date, time) = (stamp.date(), stamp.time());
    format!(
        "{:04}{:02}{:02}-{:02}:{:02}:{:02}",
        date.year(),
        date.month(),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

/// Reading a dictionary takes a while, and there are hundreds of scripts.
pub(crate) fn dictionary(path: &Path) -> Arc<Dictionary> {
    static READ: LazyLock<Mutex<HashMap<std::path::PathBuf, Arc<Dictionary>>>> =
        LazyLock::new(Mutex::default);
    let mut all = READ.lock().expect("no panic before");
    let read = all.entry(path.to_owned()).or_insert_with(|| {
        let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let read = Dictionary::read(&path.display().to_string(), &bytes, &Limits::default());
        Arc::new(read.expect("a dictionary"))
    });
    read.clone()
}

fn dictionaries(version: Version, [suite, others]: &[std::path::PathBuf; 2]) -> Arc<Dictionaries> {
    static READ: LazyLock<Mutex<HashMap<Version, Arc<Dictionaries>>>> =
        LazyLock::new(Mutex::default);
    let mut all = READ.lock().expect("no panic before");
    let make = || {
        let own = |name: &str| dictionary(&suite.join("dictionaries").join(format!("{name}.xml")));
        let other = |name: &str| {
            dictionary(&others.join(format!("quickfix-{name}")).join(format!("{name}.xml")))
        };
        Arc::new(match version {
            Version::Fix40 => Dictionaries::of(&other("FIX40")),
            Version::Fix41 => Dictionaries::of(&other("FIX41")),
            Version::Fix42 => Dictionaries::of(&own("FIX42")),
            Version::Fix43 => Dictionaries::of(&own("FIX43")),
            Version::Fix44 => Dictionaries::of(&own("FIX44")),
            Version::Fixt11 => {
                let (first, last) = (other("FIX50"), other("FIX50SP2"));
                // The dictionary of the first service pack is none of those that are there; the second has what it has.
                let applications = [("7", &*first), ("8", &*last), ("9", &*last), ("10", &*last)];
                Dictionaries::of_transport(&own("FIXT11"), applications)
            }
        })
    };
    all.entry(version).or_insert_with(make).clone()
}

impl Engine {
    pub(crate) fn new(suite: &Path, others: &Path, variant: Variant) -> Self {
        Self {
            variant,
            sessions: HashMap::new(),
            connections: HashMap::new(),
            numbers: (1, 1),
            now: 0,
            folders: [suite.to_owned(), others.to_owned()],
        }
    }

    fn moment(&self) -> Moment {
        Moment { monotonic: self.now, utc: NOON * 1_000_000_000 + self.now as i64 }
    }

    pub(crate) fn utc_seconds(&self) -> i64 {
        NOON + (self.now / SECOND) as i64
    }

    pub(crate) fn set_session(&mut self, words: &str) {
        let (name, number) =
            words.rsplit_once(' ').and_then(|it| it.1.split_once('=')).expect("a number");
        let number = number.trim().parse().expect("a number");
        match name {
            "NEXTSENDERSEQNUM" => self.numbers.0 = number,
            "NEXTTARGETSEQNUM" => self.numbers.1 = number,
            _ => panic!("{words}"),
        }
    }

    pub(crate) fn connect(&mut self, number: u32) {
        let connection = Connection {
            session: None,
            incoming: Vec::new(),
            outgoing: VecDeque::new(),
            is_closed: false,
        };
        self.disconnect(number);
        self.connections.insert(number, connection);
    }

    pub(crate) fn disconnect(&mut self, number: u32) {
        let now = self.moment();
        if let Some(identity) = self.connections.remove(&number).and_then(|it| it.session) {
            let (session, application) = self.sessions.get_mut(&identity).expect("it is known");
            session.disconnected(now, application);
        }
    }

    fn settings(&self, identity: Identity) -> Option<Settings> {
        let is_known = identity.sender == "ISLD"
            && (identity.target.starts_with("TW")
                || identity.target == "NO_CHECK_FIELDS_HAVE_VALUES");
        let variant = self.variant;
        let mut settings = Settings::new(Role::Acceptor, identity);
        settings.reset_on_logon = !variant.keeps_numbers;
        settings.next_expected = variant.next_expected;
        settings.resend_chunk = variant.chunk;
        settings.check_sum = !variant.without_check_sum;
        settings.resend_to_last = variant.resends_to_last;
        settings.last_processed = variant.last_processed;
        settings.validation.fields_have_values =
            settings.identity.target != "NO_CHECK_FIELDS_HAVE_VALUES";
        if variant.has_sub_ids {
            let name = |it: &str| Some(it.to_owned());
            settings.sub_ids = SubIds {
                sender: name("SENDERSUB"),
                target: name("TARGETSUB"),
                sender_location: name("SENDERLOC"),
                target_location: name("TARGETLOC"),
            };
        }
        is_known.then_some(settings)
    }

    pub(crate) fn send(&mut self, number: u32, bytes: &[u8]) {
        let Some(connection) = self.connections.get_mut(&number) else { return };
        connection.incoming.extend_from_slice(bytes);
        if connection.session.is_none() && !connection.is_closed {
            match First::of(&connection.incoming) {
                First::Incomplete => return,
                First::Foreign(_) => connection.is_closed = true,
                First::Logon(identity) => self.begin(number, identity),
            }
        }
        self.drive(number);
    }

    fn begin(&mut self, number: u32, identity: Identity) {
        let now = self.moment();
        let is_busy = self.sessions.get(&identity).is_some_and(|it| it.0.is_connected());
        let settings = self.settings(identity.clone()).filter(|_| !is_busy);
        let connection = self.connections.get_mut(&number).expect("it is there");
        let Some(settings) = settings else {
            connection.is_closed = true;
            return;
        };
        connection.session = Some(identity.clone());
        let (numbers, folders, variant) = (self.numbers, &self.folders, self.variant);
        let make = || {
            let dictionaries = dictionaries(settings.identity.version, folders);
            let dictionaries = Some(dictionaries).filter(|_| !variant.has_no_dictionary);
            let store = Box::new(MemoryStore::at(numbers.0, numbers.1));
            (Session::new(settings, dictionaries, store), Echo::new(folders))
        };
        self.sessions.entry(identity).or_insert_with(make).0.connected(now);
    }

    /// Hands over what came, and takes what is to be sent.
    fn drive(&mut self, number: u32) {
        let now = self.moment();
        let connection = self.connections.get_mut(&number).expect("it is there");
        let Some(identity) = connection.session.clone() else { return };
        let (session, application) = self.sessions.get_mut(&identity).expect("it is known");
        let taken = session.received(now, &connection.incoming, application);
        connection.incoming.drain(..taken);
        session.advance(now, application);
        while !session.output().is_empty() {
            let output: String = session.output().iter().map(|it| char::from(*it)).collect();
            session.sent(output.len(), application);
            let mut rest = &*output;
            while let Some(end) = rest.find("\u{1}10=").map(|at| at + 8) {
                connection.outgoing.push_back(rest[..end].to_owned());
                rest = &rest[end..];
            }
        }
        if session.is_over() {
            connection.is_closed = true;
            connection.session = None;
            session.disconnected(now, application);
        }
    }

    /// Goes on to the next time at which something is due, if that is soon.
    fn wait(&mut self, number: u32, until: u64) -> bool {
        let connection = &self.connections[&number];
        let session = connection.session.as_ref().map(|it| &self.sessions[it].0);
        match session.and_then(Session::deadline).filter(|it| *it <= until) {
            Some(deadline) => {
                self.now = self.now.max(deadline);
                self.drive(number);
                true
            }
            None => false,
        }
    }

    pub(crate) fn next(&mut self, number: u32) -> Result<String, String> {
        let until = self.now + PATIENCE * SECOND;
        loop {
            let connection = self.connections.get_mut(&number).ok_or("there is no connection")?;
            if let Some(message) = connection.outgoing.pop_front() {
                return Ok(message);
            }
            if connection.is_closed {
                return Err("it is closed, and a message was expected".into());
            }
            if !self.wait(number, until) {
                return Err("nothing comes, and a message was expected".into());
            }
        }
    }

    pub(crate) fn is_closed(&mut self, number: u32) -> Result<(), String> {
        let until = self.now + PATIENCE * SECOND;
        loop {
            let connection = self.connections.get_mut(&number).ok_or("there is no connection")?;
            if let Some(message) = connection.outgoing.pop_front() {
                return Err(format!("the end was expected, and {message} came"));
            }
            if connection.is_closed {
                return Ok(());
            }
            if !self.wait(number, until) {
                return Err("the end was expected, and it stays open".into());
            }
        }
    }
}
