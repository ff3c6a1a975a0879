//! A session: bytes and time in, bytes out, and calls of the application.

mod arrival;
mod gap;
mod hours;
mod logon;
mod timers;

use std::io;
use std::sync::Arc;

use trunkline_message::Limits;

use crate::application::{Application, Notice};
use crate::dictionaries::Dictionaries;
use crate::message::{Fields, Message};
use crate::outbox::Outbox;
use crate::rules::Rules;
use crate::settings::{Role, Settings};
use crate::store::{Store, Wake};
use crate::stream::{Found, find};
use crate::time::Moment;
use gap::Gap;

/// One session between two sides. It does no I/O and reads no clock.
///
/// Whoever drives it says when a connection is there ([`connected`](Self::connected)) and when it is gone
/// ([`disconnected`](Self::disconnected)), hands over what came, sends what waits ([`output`](Self::output)), looks at
/// [`deadline`](Self::deadline), and closes the connection when the session [is over](Self::is_over) and all is sent.
#[derive(Debug)]
pub struct Session {
    outbox: Outbox,
    dictionaries: Option<Arc<Dictionaries>>,
    /// Those of the application messages, by what the Logon said.
    rules: Option<Arc<Rules>>,
    phase: Phase,
    /// When the hours end that the connection is of, in nanoseconds since 1970; none if the session never stops.
    until: Option<i64>,
    /// Why a Logout was sent from here.
    why: Option<String>,
    /// When the phase began, by the monotonic clock.
    since: u64,
    /// When something came last.
    received_at: u64,
    /// HeartBtInt in nanoseconds; 0: none.
    heartbeat: u64,
    is_test_sent: bool,
    is_reset_sent: bool,
    /// The number of the next message when the other side last gave a sign that it lacks none.
    next_at_sign: u64,
    /// The number behind that of an initiator's Logon.
    after_logon: u64,
    gap: Gap,
    /// What is being sent again: the next number, and the last.
    resending: Option<(u64, u64)>,
    fields: Fields,
    /// Memory for what is sent again.
    again: (Vec<u8>, Fields),
}

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// There is no connection.
    Idle,
    /// A Logon is to come.
    AwaitingLogon,
    LoggedOn,
    /// A Logout was sent, and one is to come.
    LogoutSent,
    /// The connection is to be closed.
    Over,
}

/// How much may wait for the connection before sending again pauses, in bytes.
const PAUSE: usize = 64 << 10;

impl Session {
    /// A session with its numbers and messages, and with dictionaries or without.
    pub fn new(
        settings: Settings,
        dictionaries: Option<Arc<Dictionaries>>,
        store: Box<dyn Store>,
    ) -> Self {
        let rules = dictionaries.as_ref().and_then(|it| it.application(None));
        Self {
            outbox: Outbox::new(settings, store),
            dictionaries,
            rules,
            phase: Phase::Idle,
            until: None,
            why: None,
            since: 0,
            received_at: 0,
            heartbeat: 0,
            is_test_sent: false,
            is_reset_sent: false,
            next_at_sign: 1,
            after_logon: 1,
            gap: Gap::default(),
            resending: None,
            fields: Fields::default(),
            again: Default::default(),
        }
    }

    /// Who the two sides are, and how the session behaves.
    pub fn settings(&self) -> &Settings {
        self.outbox.settings()
    }

    /// The numbers of the next message that is sent, and of the next that is expected.
    pub fn numbers(&self) -> (u64, u64) {
        (self.outbox.next_sender(), self.outbox.next_target())
    }

    /// Is it up?
    pub fn is_logged_on(&self) -> bool {
        self.phase == Phase::LoggedOn
    }

    /// Is there a connection?
    pub fn is_connected(&self) -> bool {
        self.phase != Phase::Idle
    }

    /// Is the connection to be closed, once all is sent?
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// A connection is there: an initiator sends its Logon.
    pub fn connected(&mut self, now: Moment) {
        self.outbox.set_now(now);
        self.outbox.discard();
        self.received_at = now.monotonic;
        (self.is_test_sent, self.is_reset_sent, self.resending) = (false, false, None);
        self.why = None;
        self.gap = Gap::default();
        self.enter(Phase::AwaitingLogon);
        self.begin_hours();
        if self.settings().role == Role::Initiator && !self.is_out_of_hours() {
            self.send_first_logon();
            self.outbox.sync();
        }
    }

    /// The connection is gone.
    pub fn disconnected(&mut self, now: Moment, application: &mut dyn Application) {
        self.outbox.set_now(now);
        self.end("the connection is gone", application);
        self.enter(Phase::Idle);
        self.outbox.discard();
        if self.settings().reset_on_disconnect {
            self.outbox.reset();
        }
        self.tell_undelivered(application);
        self.outbox.sync();
    }

    /// Takes what came, and returns how much of it: the rest is the beginning of a message, and comes again with what
    /// follows.
    pub fn received(
        &mut self,
        now: Moment,
        bytes: &[u8],
        application: &mut dyn Application,
    ) -> usize {
        self.outbox.set_now(now);
        self.tell_undelivered(application);
        let (has_check_sum, message_bytes) =
            (self.settings().check_sum, self.settings().message_bytes);
        let limits = Limits { message_bytes, ..Limits::default() };
        let mut at = 0;
        while !self.is_over() && at < bytes.len() {
            match find(&bytes[at..], has_check_sum, &limits) {
                Found::Message(length) => {
                    self.received_at = now.monotonic;
                    self.is_test_sent = false;
                    self.whole(&bytes[at..at + length], application);
                    at += length;
                }
                Found::Garbled(length) => {
                    self.garbled(&bytes[at..at + length], application);
                    at += length;
                }
                Found::Incomplete => break,
            }
            self.send_more_again(application);
            self.check(application);
        }
        if at > 0 {
            self.outbox.sync();
            self.check(application);
        }
        if self.is_over() { bytes.len() } else { at }
    }

    /// What is to be sent: the store has what it depends on.
    pub fn output(&self) -> &[u8] {
        self.outbox.output()
    }

    /// Bytes that are to be sent, and those that wait for the store: [`advance`](Self::advance) looks how far that is.
    pub fn waiting(&self) -> usize {
        self.outbox.waiting()
    }

    /// Says what is to be called, on any thread, when the store has got further.
    pub fn on_stored(&mut self, wake: Wake) {
        self.outbox.on_stored(wake);
    }

    /// Says who is told of each message that goes to the connection, those of the session itself and those that are sent
    /// again, too. It leaves the process once the store has it.
    pub fn on_sent(&mut self, on_sent: impl FnMut(Message<'_>) + Send + 'static) {
        self.outbox.set_on_sent(Box::new(on_sent));
    }

    /// Lets all that was sent so far be stored; the answer is its mark, for [`stored`](Self::stored).
    ///
    /// # Errors
    /// Those of the store.
    pub fn ask_store(&mut self) -> io::Result<u64> {
        self.outbox.ask()
    }

    /// Up to which mark all is in the store, as far as that survives a crash.
    ///
    /// # Errors
    /// Those of the store.
    pub fn stored(&mut self) -> io::Result<u64> {
        self.outbox.stored()
    }

    /// So many bytes of the output are sent; more of what is sent again may follow.
    pub fn sent(&mut self, bytes: usize, application: &mut dyn Application) {
        self.outbox.take(bytes);
        if self.resending.is_some() {
            self.send_more_again(application);
            self.outbox.sync();
        }
    }

    /// Lets the application send something.
    pub fn send<T>(&mut self, now: Moment, send: impl FnOnce(&mut Outbox) -> T) -> T {
        self.outbox.set_now(now);
        let sent = send(&mut self.outbox);
        self.outbox.sync();
        sent
    }

    /// Ends the session in order, with a Logout that says why.
    pub fn log_out(&mut self, now: Moment, why: Option<&str>, application: &mut dyn Application) {
        self.outbox.set_now(now);
        match self.phase {
            Phase::LoggedOn => self.send_logout(why),
            Phase::AwaitingLogon => self.end("it is ended from here", application),
            Phase::Idle | Phase::LogoutSent | Phase::Over => {}
        }
        self.outbox.sync();
    }

    /// A whole message, with a right CheckSum.
    fn whole(&mut self, bytes: &[u8], application: &mut dyn Application) {
        let mut fields = std::mem::take(&mut self.fields);
        match fields.read(bytes) {
            Ok(message) => {
                if message.is_administrative() {
                    application.administrative(message);
                }
                self.handle(message, application);
                self.handle_kept(application);
            }
            Err(_) => self.garbled(bytes, application),
        }
        self.fields = fields;
    }

    fn garbled(&mut self, bytes: &[u8], application: &mut dyn Application) {
        application.noticed(Notice::Garbled(bytes));
        // Who does not begin with a message speaks something else.
        if self.phase == Phase::AwaitingLogon {
            self.end("what came first is no message of FIX", application);
        }
    }

    /// Tells the application what may not have arrived, and cannot any more.
    fn tell_undelivered(&mut self, application: &mut dyn Application) {
        let undelivered = self.outbox.take_undelivered();
        for bytes in &undelivered {
            let mut fields = Fields::default();
            if let Ok(message) = fields.read(bytes) {
                application.undelivered(message, &mut self.outbox);
            }
        }
        if !undelivered.is_empty() {
            // What it sends of them does not wait for what comes or goes next.
            self.outbox.sync();
        }
    }

    /// Ends the session if the store has failed, or the connection takes too little.
    fn check(&mut self, application: &mut dyn Application) {
        if let Some(failure) = self.outbox.failure() {
            self.end(&failure, application);
        }
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.since = self.outbox.now().monotonic;
        self.outbox.set_logged_on(phase == Phase::LoggedOn);
    }

    /// The session is over: the connection is to be closed.
    fn end(&mut self, why: &str, application: &mut dyn Application) {
        if matches!(self.phase, Phase::Idle | Phase::Over) {
            return;
        }
        self.enter(Phase::Over);
        self.resending = None;
        application.logged_out(why);
    }
}
