//! Logon and Logout.

use std::time::Duration;

use trunkline_wire::Integer as _;

use crate::application::Application;
use crate::message::Message;
use crate::outbox::{push, push_bytes, push_text};
use crate::session::timers::nanoseconds;
use crate::session::{Phase, Session};
use crate::settings::Role;
use crate::tags;
use crate::version::Version;

/// HeartBtInt at most, in seconds: a year. What is more is a mistake, and more than others can count.
const LONGEST_HEARTBEAT: u64 = 366 * 24 * 3_600;

impl Session {
    /// The Logon of an initiator.
    pub(super) fn send_first_logon(&mut self) {
        self.is_reset_sent = self.settings().reset_on_logon;
        if self.is_reset_sent {
            self.outbox.reset();
        }
        self.heartbeat = nanoseconds(self.settings().heartbeat);
        let expected = self.outbox.next_target();
        let version = self.settings().default_appl_ver_id.clone();
        self.send_logon(self.is_reset_sent, expected, version.as_deref().map(str::as_bytes));
        self.after_logon = self.outbox.next_sender();
    }

    fn send_logon(&mut self, is_reset: bool, expected: u64, default_appl_ver_id: Option<&[u8]>) {
        let mut body = Vec::new();
        push(&mut body, tags::ENCRYPT_METHOD, 0);
        push(&mut body, tags::HEART_BT_INT, self.heartbeat / 1_000_000_000);
        if is_reset {
            push_bytes(&mut body, tags::RESET_SEQ_NUM_FLAG, b"Y");
        }
        if self.settings().next_expected {
            push(&mut body, tags::NEXT_EXPECTED_MSG_SEQ_NUM, expected);
        }
        if let Some(version) = default_appl_ver_id {
            push_bytes(&mut body, tags::DEFAULT_APPL_VER_ID, version);
        }
        if self.settings().role == Role::Initiator {
            for (tag, value) in &self.settings().logon_fields {
                push_text(&mut body, *tag, value);
            }
        }
        self.outbox.administrative(b"A", &[], &body);
    }

    /// A message before the session is up.
    pub(super) fn first(&mut self, message: Message<'_>, application: &mut dyn Application) {
        let identity = &self.settings().identity;
        let is_ours = message.begin_string() == identity.version.begin_string().as_bytes()
            && message.get(tags::SENDER_COMP_ID) == Some(identity.target.as_bytes())
            && message.get(tags::TARGET_COMP_ID) == Some(identity.sender.as_bytes());
        let text = message.get(tags::TEXT).map(String::from_utf8_lossy).unwrap_or_default();
        match message.message_type() {
            _ if !is_ours => self.end("the Logon is of another session", application),
            b"A" => self.logon(message, application),
            b"5" => self.end(&format!("the other side refuses the Logon: {text}"), application),
            _ => self.end("the first message is no Logon", application),
        }
    }

    /// A Logon, the first one or a later one.
    pub(super) fn logon(&mut self, message: Message<'_>, application: &mut dyn Application) {
        if self.is_out_of_hours() {
            let why = match self.opens_in(self.outbox.now()) {
                Some(left) => format!(
                    "it is outside of the session's hours, which begin in {} s",
                    left.div_ceil(1_000_000_000)
                ),
                None => "it is outside of the session's hours".to_owned(),
            };
            return self.refuse_logon(&why, application);
        }
        if self.is_time_off(message) {
            return self.end("SendingTime of the Logon is too far from the time here", application);
        }
        let version = message.get(tags::DEFAULT_APPL_VER_ID);
        if self.settings().identity.version == Version::Fixt11 {
            let Some(version) = version else {
                return self.end("the Logon has no DefaultApplVerID (1137)", application);
            };
            let rules = self.dictionaries.as_ref().map(|it| it.application(Some(version)));
            match rules {
                Some(None) => {
                    let version = String::from_utf8_lossy(version);
                    let why = format!("Invalid DefaultApplVerID={version}");
                    return self.refuse_logon(&why, application);
                }
                Some(rules) => self.rules = rules,
                None => {}
            }
        }
        let heartbeat = message.get(tags::HEART_BT_INT).unwrap_or_default();
        if heartbeat.starts_with(b"-") {
            return self.refuse_logon("HeartBtInt must not be negative", application);
        }
        let is_number = !heartbeat.is_empty() && heartbeat.iter().all(u8::is_ascii_digit);
        if is_number && u64::parse(heartbeat).ok().is_none_or(|it| it > LONGEST_HEARTBEAT) {
            let why = format!("HeartBtInt must be at most {LONGEST_HEARTBEAT} seconds");
            return self.refuse_logon(&why, application);
        }
        if let Err(refused) = self.conforms(message) {
            let tag = refused.tag_words().map(|it| format!(" ({it})")).unwrap_or_default();
            return self.refuse_logon(&format!("{}{tag}", refused.words()), application);
        }
        let asks_reset = message.is_set(tags::RESET_SEQ_NUM_FLAG);
        let is_first = self.phase == Phase::AwaitingLogon;
        let is_acceptor = self.settings().role == Role::Acceptor;
        let resets = asks_reset || (is_first && is_acceptor && self.settings().reset_on_logon);
        if resets && !self.is_reset_sent {
            self.outbox.reset();
            self.gap.clear();
            self.resending = None;
        }
        let Some(number) = message.sequence_number() else {
            return self.end("the Logon has no MsgSeqNum (34)", application);
        };
        self.outbox.set_last_processed(number);
        self.answer_logon(message, number, asks_reset, application);
    }

    /// The numbers of a Logon, and its answer.
    fn answer_logon(
        &mut self,
        message: Message<'_>,
        number: u64,
        asks_reset: bool,
        application: &mut dyn Application,
    ) {
        let expected = self.outbox.next_target();
        if number < expected && !message.is_possible_duplicate() {
            let why = too_low(expected, number);
            return self.refuse_logon(&why, application);
        }
        let next_expected = self.settings().next_expected;
        let theirs = message.number(tags::NEXT_EXPECTED_MSG_SEQ_NUM).filter(|_| next_expected);
        let own = self.outbox.next_sender();
        if let Some(theirs) = theirs.filter(|it| *it > own) {
            let why = format!(
                "Tag 789 (NextExpectedMsgSeqNum) is higher than expected. Expected {own}, Received {theirs}"
            );
            return self.refuse_logon(&why, application);
        }
        if number == expected {
            self.expect(number.saturating_add(1));
        }
        let is_first = self.phase == Phase::AwaitingLogon;
        let is_acceptor = self.settings().role == Role::Acceptor;
        if is_acceptor || !is_first || (asks_reset && !self.is_reset_sent) {
            let seconds = message.number(tags::HEART_BT_INT);
            let heartbeat = seconds.map_or(self.settings().heartbeat, Duration::from_secs);
            self.heartbeat = nanoseconds(heartbeat);
            let version = message.get(tags::DEFAULT_APPL_VER_ID);
            self.send_logon(asks_reset, self.outbox.next_target(), version);
        }
        if is_first {
            self.next_at_sign = self.outbox.next_sender();
            self.enter(Phase::LoggedOn);
            // Who says what it expects (789) gets all of that below.
            if theirs.is_none() {
                self.send_since_logon(application);
            }
            application.logged_on(&mut self.outbox);
        }
        self.is_reset_sent = false;
        if number > expected {
            if theirs.is_some() {
                self.will_come_up_to(number);
            }
            self.early(number, None, application);
        }
        if let Some(theirs) = theirs.filter(|it| *it < own) {
            self.send_again(theirs, own, application);
        }
    }

    /// A Logout that answers a Logon, or a message that ends the session.
    pub(super) fn refuse_logon(&mut self, why: &str, application: &mut dyn Application) {
        self.send_logout(Some(why));
        self.end(why, application);
    }

    /// Sends a Logout, and waits for one.
    pub(super) fn send_logout(&mut self, why: Option<&str>) {
        let mut body = Vec::new();
        if let Some(why) = why {
            push_text(&mut body, tags::TEXT, why);
        }
        self.outbox.administrative(b"5", &[], &body);
        self.why = why.map(str::to_owned);
        self.enter(Phase::LogoutSent);
    }

    /// A Logout came.
    pub(super) fn logout(&mut self, message: Message<'_>, application: &mut dyn Application) {
        // It has seen the number of the Logout that it answers, or sends one when it lacks nothing.
        self.next_at_sign = self.outbox.next_sender();
        self.lacks_nothing();
        if self.phase == Phase::LoggedOn {
            self.outbox.administrative(b"5", &[], &[]);
        }
        if message.sequence_number() == Some(self.outbox.next_target()) {
            self.expect(self.outbox.next_target().saturating_add(1));
        }
        let text = message.get(tags::TEXT).map(String::from_utf8_lossy);
        let why = self.why.take().filter(|_| self.phase == Phase::LogoutSent);
        let why = why.unwrap_or_else(|| match text {
            Some(text) => format!("the other side has logged out: {text}"),
            None => "the other side has logged out".to_owned(),
        });
        self.end(&why, application);
        if self.settings().reset_on_logout {
            self.outbox.reset();
        }
    }
}

pub(super) fn too_low(expected: u64, number: u64) -> String {
    format!("MsgSeqNum too low, expecting {expected} but received {number}")
}
