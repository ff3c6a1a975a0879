//! The sessions of a configuration, started and stopped.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tracing::{info, warn};
use trunkline_client::Address;
use trunkline_fix::tcp::{Acceptor, Handle, Initiator, ServerTls, TcpConfig};
use trunkline_fix::{
    Application, Dictionaries, Draft, Identity, JournalStore, Message, Notice, Outbox, Refusal,
    Role, Schedule, Session, Settings, Store as _, Version,
};
use trunkline_import::{Limits, fix::Dictionary};
use trunkline_server::config::{Fix, HEARTBEAT};
use trunkline_server::{Config, Listening};

use crate::connection::Connection;
use crate::credentials;
use crate::first_place;
use crate::inbox::{Inbox, Incoming};
use crate::link::{Link, Orders, Send, durable_name, link_name, prepare};
use crate::market::{Market, rejection};
use crate::names::cut;
use crate::numbers::Numbers;
use crate::outgoing::{Outgoing, POSS_RESEND};
use crate::progress::Progress;
use crate::requests::{MarketData, MarketDataRejection, Requests};
use crate::rules::{Action, Rules};
use crate::session_store::SessionStore;

/// Bytes of messages that a session keeps for a side that has missed them.
const KEPT: u64 = 64 << 20;

/// Bytes of a name of the router.
const NAME_BYTES: usize = 200;

/// Bytes of messages that are sent once more when numbers begin anew: far less than ends the connection.
const AGAIN: usize = 8 << 20;

/// How long the other sides may take for their Logouts.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(20);

/// BusinessRejectReason (380): the application is not available.
const NOT_AVAILABLE: u32 = 4;

/// Why sessions cannot be joined to topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeError(pub(crate) String);

impl fmt::Display for BridgeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for BridgeError {}

/// The FIX sessions of a configuration, which are joined to topics. When this is dropped, the sessions log out, and the
/// router has what came in them.
#[derive(Debug, Default)]
pub struct Bridge {
    acceptors: Vec<Acceptor>,
    initiators: Vec<Initiator>,
    links: Vec<Joined>,
    /// The router's certificate, if a `[[fix]]` shows it.
    tls: Option<ServerTls>,
}

/// A session, and the thread of its connection to the router.
#[derive(Debug)]
struct Joined {
    session: Handle,
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<()>>,
}

/// What the sessions of one `[[fix]]` have in common.
struct Common {
    version: Version,
    /// ApplVerID, of FIXT 1.1.
    application: Option<&'static str>,
    dictionaries: Option<Arc<Dictionaries>>,
    rules: Arc<Rules>,
    hours: Option<Schedule>,
    /// Fields of the Logon of who connects.
    logon: Vec<(u32, String)>,
}

/// Checks the FIX sessions of a configuration, with the files that it names.
///
/// # Errors
/// The first that cannot be, and why.
pub fn check(config: &Config) -> Result<(), BridgeError> {
    config.check_fix().map_err(BridgeError)?;
    config.fix.iter().try_for_each(|it| Common::read(it).map(|_| ()))
}

impl Bridge {
    /// Joins sessions to the router that listens at some of these addresses.
    ///
    /// # Errors
    /// A file is missing or wrong, a folder cannot be used, nobody can listen at an address, or the router rejects something.
    pub fn start(config: &Config, router: &[Listening]) -> Result<Self, BridgeError> {
        let mut bridge = Self::default();
        if config.fix.is_empty() {
            return Ok(bridge);
        }
        config.check_fix().map_err(BridgeError)?;
        bridge.tls = credentials::own(config)?;
        let is_near = |it: &&Listening| {
            it.protocol == "native" && matches!(it.address, Address::Unix(_) | Address::Tcp(_))
        };
        // Over a Unix socket the router knows whose process it is.
        let far = |it: &&Listening| matches!(it.address, Address::Tcp(_));
        let router = router.iter().filter(is_near).min_by_key(far).ok_or_else(|| {
            BridgeError("FIX sessions need a unix:// or tcp:// in listen.native".to_owned())
        })?;
        for fix in &config.fix {
            bridge
                .add(fix, config, &router.address)
                .map_err(|BridgeError(why)| BridgeError(format!("{fix}: {why}")))?;
        }
        Ok(bridge)
    }

    /// Has the next connections see the certificate that is in the files by now.
    ///
    /// # Errors
    /// They are missing or cannot be used; the one before is shown.
    pub fn renew(&self, config: &Config) -> Result<(), BridgeError> {
        if let (Some(tls), Some(fresh)) = (&self.tls, credentials::own(config)?) {
            tls.replace(&fresh);
        }
        Ok(())
    }

    /// Where it listens for the other sides.
    pub fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.acceptors.iter().map(Acceptor::address)
    }

    fn add(&mut self, fix: &Fix, config: &Config, router: &Address) -> Result<(), BridgeError> {
        let common = Common::read(fix)?;
        let mut sessions = Vec::new();
        for target in &fix.targets {
            let joined = common.join(fix, target, router)?;
            sessions.push(joined.session.clone());
            self.links.push(joined);
        }
        let failed = |why: std::io::Error| BridgeError(why.to_string());
        if let Some(place) = &fix.listen {
            let refused =
                Arc::new(|peer, why: &str| warn!(%peer, why, "a FIX connection is refused"));
            let server_tls = self.tls.clone().filter(|_| fix.tls);
            let admission = credentials::admission(fix);
            let tcp = TcpConfig { server_tls, admission, ..TcpConfig::default() };
            let acceptor = Acceptor::start(place, sessions, tcp, refused);
            self.acceptors.push(acceptor.map_err(failed)?);
        } else if let Some(place) = &fix.connect {
            let client_tls = credentials::of_client(fix, config)?;
            if fix.logon.is_some() && client_tls.is_none() {
                warn!(place, "the fields of the Logon, such as a password, go there without TLS");
            }
            let tcp = TcpConfig { client_tls, ..TcpConfig::default() };
            for session in sessions {
                let initiator = Initiator::start(place, session, tcp.clone());
                self.initiators.push(initiator.map_err(failed)?);
            }
        }
        Ok(())
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.links.iter().for_each(|it| it.session.log_out(Some("the router stops")));
        let end = Instant::now() + PATIENCE;
        while self.links.iter().any(|it| it.session.is_connected()) && Instant::now() < end {
            thread::sleep(LOOK);
        }
        self.acceptors.clear();
        self.initiators.iter().for_each(Initiator::stop);
        self.initiators.clear();
        self.links.iter().for_each(|it| it.inbox.stop());
        for link in &mut self.links {
            // What a panic says has been printed by the thread itself.
            link.thread.take().into_iter().for_each(|it| _ = it.join());
        }
    }
}

impl Common {
    fn read(fix: &Fix) -> Result<Self, BridgeError> {
        let own = fix.dictionary.as_deref().map(dictionary).transpose()?;
        let transport = fix.transport.as_deref().map(dictionary).transpose()?;
        let version = match (&fix.version, &transport, &own) {
            (Some(version), ..) => {
                let unknown = || BridgeError(format!("{version} is no version of FIX"));
                Version::of(version.as_bytes()).ok_or_else(unknown)?
            }
            (None, Some(_), _) => Version::Fixt11,
            (None, None, Some(own)) => own
                .begin_string()
                .and_then(|it| Version::of(it.as_bytes()))
                .unwrap_or(Version::Fix44),
            (None, None, None) => Version::Fix44,
        };
        if version < Version::Fix42 && !fix.market_data.is_empty() {
            let why = "has no MarketDataRequest, which fix.market_data answers: that is there from FIX.4.2 on";
            return Err(BridgeError(format!("{} {why}", version.begin_string())));
        }
        let is_fixt = version == Version::Fixt11;
        let application =
            is_fixt.then(|| own.as_ref().map_or("9", |it| Version::appl_ver_id(it.version())));
        let dictionaries = match (&own, &transport, application) {
            (Some(own), Some(transport), Some(id)) => {
                Some(Dictionaries::of_transport(transport, [(id, own)]))
            }
            (Some(_), None, Some(_)) => {
                return Err(BridgeError("FIXT.1.1 needs the dictionary `transport`".to_owned()));
            }
            (_, Some(_), None) => {
                return Err(BridgeError("`transport` is for the version FIXT.1.1".to_owned()));
            }
            (Some(own), None, None) => Some(Dictionaries::of(own)),
            (None, ..) => None,
        };
        let all = match (own, transport) {
            (Some(own), Some(transport)) => Some(own.with_transport(transport)),
            (own, _) => own,
        };
        let rules = Rules::new(fix, all.as_ref()).map_err(BridgeError)?;
        let hours = fix.hours.as_ref().map(|it| it.parse::<Schedule>());
        Ok(Self {
            version,
            application,
            dictionaries: dictionaries.map(Arc::new),
            rules: Arc::new(rules),
            hours: hours.transpose().map_err(|why| BridgeError(format!("hours: {why}")))?,
            logon: fix.logon.as_deref().map(credentials::logon).transpose()?.unwrap_or_default(),
        })
    }

    fn settings(&self, fix: &Fix, identity: Identity) -> Settings {
        let role = if fix.connect.is_some() { Role::Initiator } else { Role::Acceptor };
        let mut settings = Settings::new(role, identity);
        settings.default_appl_ver_id = self.application.map(str::to_owned);
        settings.schedule.clone_from(&self.hours);
        settings.logon_fields.clone_from(&self.logon);
        settings.heartbeat = fix.heartbeat.unwrap_or(HEARTBEAT);
        settings
    }

    /// Opens a session's store, connects to the router, and starts the thread of that connection.
    fn join(&self, fix: &Fix, target: &str, router: &Address) -> Result<Joined, BridgeError> {
        let identity = Identity::new(self.version, &fix.sender, target);
        let within = |why: &dyn fmt::Display| BridgeError(format!("{identity}: {why}"));
        let name = link_name(&fix.sender, target);
        let sends = self.rules.sends(&fix.sender, target);
        for longest in sends.iter().map(|it| durable_name(&name, it)).chain([name.clone()]) {
            if longest.len() > NAME_BYTES {
                return Err(within(&format!("the name {longest:?} is longer than {NAME_BYTES}")));
            }
        }
        let folder = fix.store.join(identity.folder_name());
        let of_folder = |why: &dyn fmt::Display| within(&format!("{}: {why}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(|why| of_folder(&why))?;
        let mut store = JournalStore::open(&folder, KEPT).map_err(|why| of_folder(&why))?;
        let numbers = Numbers::open(&folder.join("numbers")).map_err(|why| of_folder(&why))?;
        let (mut connection, last) = Connection::dial(router, &name).map_err(|why| within(&why))?;
        let known = numbers.number_of(last, store.began()).map_err(|why| of_folder(&why))?;
        let next = prepare(&mut connection, &name, &sends).map_err(|why| within(&why))?;
        let first = folder.join(first_place::NAME);
        let outgoing = Outgoing::open(&name, &mut store, &first, next);
        let outgoing = outgoing.map_err(|why| of_folder(&why))?;
        let progress = Arc::new(Progress::default());
        let store = SessionStore::new(Box::new(store), known.saturating_add(1), progress.clone());
        let inbox = Arc::new(Inbox::new().map_err(|why| within(&why))?);
        let requests = Arc::new(Mutex::default());
        let settings = self.settings(fix, identity.clone());
        let session = Session::new(settings, self.dictionaries.clone(), Box::new(store));
        let application = Joining {
            identity: identity.clone(),
            rules: self.rules.clone(),
            inbox: inbox.clone(),
            progress: progress.clone(),
            requests: requests.clone(),
            trouble: String::new(),
        };
        let session = Handle::new(session, application);
        let send = |pattern| Send { pattern, subscription: None };
        let link = Link {
            session: session.clone(),
            router: router.clone(),
            name,
            inbox: inbox.clone(),
            progress,
            numbers,
            outgoing,
            sends: sends.into_iter().map(send).collect(),
            orders: Orders::default(),
            requests,
            market: Market::default(),
            logon: None,
        };
        let run = move || link.run(connection, last);
        let thread = thread::Builder::new().name("fix-router".to_owned()).spawn(run);
        let thread = Some(thread.map_err(|why| within(&why))?);
        Ok(Joined { session, inbox, thread })
    }
}

/// The application behind a session: it passes on what comes.
struct Joining {
    identity: Identity,
    rules: Arc<Rules>,
    inbox: Arc<Inbox>,
    progress: Arc<Progress>,
    requests: Arc<Mutex<Requests>>,
    /// Why it could not connect the last time.
    trouble: String,
}

impl Joining {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A MarketDataRequest (V).
    fn ask(&self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        let fields: Vec<(u32, &[u8])> =
            message.fields().iter().map(|it| (it.tag, message.value(it))).collect();
        let decided = self.rules.market_data(&mut self.requests(), &fields);
        match decided {
            Ok(request) => {
                let (MarketData::Subscribe { id, .. } | MarketData::Unsubscribe { id }) = &request;
                let (id, is_end) = (id.clone(), matches!(request, MarketData::Unsubscribe { .. }));
                let is_asked = self.inbox.ask(request);
                // Neither an end that is passed on nor a beginning that is not leaves it open.
                if is_asked == is_end {
                    self.requests().remove(&id);
                }
                if is_asked {
                    return Ok(());
                }
                let text = "the router takes less than comes; ask again later".to_owned();
                Err(Refusal::Business { reason: NOT_AVAILABLE, text })
            }
            Err(MarketDataRejection::Message(refusal)) => Err(refusal),
            Err(MarketDataRejection::Request { id, reason, text }) => {
                // If it cannot be kept, the store has failed, which ends the session.
                _ = outbox.send("Y", &rejection(&id, reason, &text));
                Ok(())
            }
        }
    }

    fn pass(&self, action: Action, message: Message<'_>) -> Result<(), Refusal> {
        let payload = message.bytes().to_vec();
        match action {
            Action::Store { topic } => {
                let number = message.sequence_number().unwrap_or_default();
                let arrived = Some(self.progress.begin(number));
                self.push(Incoming { topic, payload, arrived })
            }
            Action::Publish { topic } => self.push(Incoming { topic, payload, arrived: None }),
        }
    }

    fn push(&self, incoming: Incoming) -> Result<(), Refusal> {
        let arrived = incoming.arrived;
        if self.inbox.push(incoming) {
            return Ok(());
        }
        arrived.into_iter().for_each(|it| self.progress.end(it));
        let text = "the router takes less than comes; send it again later".to_owned();
        Err(Refusal::Business { reason: NOT_AVAILABLE, text })
    }
}

impl Application for Joining {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        if message.message_type() == b"V" && self.rules.has_market_data() {
            return self.ask(message, outbox);
        }
        let action = self.rules.decide(message.message_type(), |tag| message.get(tag));
        let passed = action.and_then(|action| self.pass(action, message));
        if passed.is_err() {
            self.progress.refuse();
        }
        passed
    }

    fn logged_on(&mut self, _outbox: &mut Outbox) {
        info!(session = %self.identity, "logged on");
        self.trouble.clear();
        self.requests().clear();
        self.inbox.set_logged_on(true);
    }

    fn logged_out(&mut self, reason: &str) {
        info!(session = %self.identity, reason, "logged out");
        self.inbox.set_logged_on(false);
    }

    fn not_connected(&mut self, error: &std::io::Error) {
        // It is tried again and again.
        let why = error.to_string();
        if self.trouble != why {
            warn!(session = %self.identity, why, "it cannot connect, and tries again");
            self.trouble = why;
        }
    }

    fn undelivered(&mut self, message: Message<'_>, outbox: &mut Outbox) {
        let (session, number) = (&self.identity, message.sequence_number());
        // What tells of messages of the old numbers means nothing among the new ones.
        let is_of_old_numbers = matches!(message.message_type(), b"j" | b"Y");
        let again = (!is_of_old_numbers).then(|| again(message, outbox));
        match again {
            Some(Ok(())) => {
                info!(%session, number, "numbers begin anew: a message that may not have arrived is sent once more");
            }
            Some(Err(why)) => {
                warn!(%session, number, why, "numbers begin anew, and a message that may not have arrived is not sent once more");
            }
            None => {
                warn!(%session, number, "numbers begin anew, and a rejection may not have arrived")
            }
        }
    }

    fn rejected(&mut self, message: Message<'_>) {
        let text = message.get(58).map(String::from_utf8_lossy).unwrap_or_default();
        // As a text with quotes: it is the other side's.
        warn!(session = %self.identity, text = cut(&text), "the other side rejects a message");
    }

    fn noticed(&mut self, notice: Notice<'_>) {
        let session = &self.identity;
        match notice {
            Notice::Garbled(bytes) => {
                warn!(%session, bytes = bytes.len(), "what came is no message, and is passed over");
            }
            Notice::Refused { number, refused } => {
                // Its number counts once the session's disk has it, as that of what the application refuses.
                self.progress.refuse();
                warn!(%session, number, why = refused.words(), "a message is rejected");
            }
            Notice::Gap { from, to } => info!(%session, from, to, "messages are missing"),
            Notice::Resend { from, to } => info!(%session, from, to, "messages are sent again"),
            _ => {}
        }
    }
}

/// Sends a message of former numbers once more, and says that it may have been sent before.
fn again(message: Message<'_>, outbox: &mut Outbox) -> Result<(), String> {
    if outbox.waiting() > AGAIN {
        return Err(format!("{AGAIN} bytes wait already"));
    }
    let mut draft = Draft::read(message.bytes())?;
    if message.get(POSS_RESEND).is_none() {
        draft.push(POSS_RESEND, b"Y")?;
    }
    draft.send(outbox).map(|_| ()).map_err(|why| why.to_string())
}

fn dictionary(file: &str) -> Result<Dictionary, BridgeError> {
    let within = |why: &dyn fmt::Display| BridgeError(format!("{file}: {why}"));
    let bytes = std::fs::read(file).map_err(|why| within(&why))?;
    let dictionary = Dictionary::read(file, &bytes, &Limits::default());
    let dictionary = dictionary.map_err(|problem| BridgeError(problem.to_string()))?;
    dictionary.warnings().iter().for_each(|it| warn!("{it}"));
    Ok(dictionary)
}
