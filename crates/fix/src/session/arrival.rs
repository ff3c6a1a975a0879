//! A message of a session that is up: is it of this session, in its turn, as the dictionary has it?

use crate::application::{Application, Notice};
use crate::message::Message;
use crate::outbox::{SendError, push, push_bytes, push_text};
use crate::reject::{Reason, Refusal, Refused};
use crate::session::logon::too_low;
use crate::session::{Phase, Session};
use crate::tags::{self, Tag};
use crate::version::Version;

/// Fields by which a message goes through others, and those by which the answer goes back.
const ROUTES: [(Tag, Tag); 6] = [
    (tags::DELIVER_TO_COMP_ID, tags::ON_BEHALF_OF_COMP_ID),
    (tags::DELIVER_TO_SUB_ID, tags::ON_BEHALF_OF_SUB_ID),
    (tags::DELIVER_TO_LOCATION_ID, tags::ON_BEHALF_OF_LOCATION_ID),
    (tags::ON_BEHALF_OF_COMP_ID, tags::DELIVER_TO_COMP_ID),
    (tags::ON_BEHALF_OF_SUB_ID, tags::DELIVER_TO_SUB_ID),
    (tags::ON_BEHALF_OF_LOCATION_ID, tags::DELIVER_TO_LOCATION_ID),
];

impl Session {
    /// Handles a message, whether it is its turn or not.
    pub(super) fn handle(&mut self, message: Message<'_>, application: &mut dyn Application) {
        match self.phase {
            Phase::Idle | Phase::Over => {}
            Phase::AwaitingLogon => self.first(message, application),
            Phase::LoggedOn | Phase::LogoutSent => self.later(message, application),
        }
    }

    fn later(&mut self, message: Message<'_>, application: &mut dyn Application) {
        let Some(number) = message.sequence_number() else {
            return self.refuse_logon("Received message without MsgSeqNum", application);
        };
        self.outbox.set_last_processed(number);
        let begin_string = self.settings().identity.version.begin_string();
        if message.begin_string() != begin_string.as_bytes() {
            if message.message_type() == b"5" {
                return self.logout(message, application);
            }
            self.count(number);
            return self.send_logout(Some("Incorrect BeginString"));
        }
        if matches!(message.message_type(), [b'A']) && message.is_set(tags::RESET_SEQ_NUM_FLAG) {
            return self.logon(message, application);
        }
        if let Err(refused) = self.conforms(message) {
            return self.reject(message, &refused, application);
        }
        if let Err(refused) = self.is_of_session(message) {
            self.reject(message, &refused, application);
            return self.send_logout(None);
        }
        match message.message_type() {
            [b'4'] => self.sequence_reset(message, number, application),
            [b'5'] => self.logout(message, application),
            [b'2'] => self.resend_request(message, number, application),
            _ if self.is_turn(message, number, application) => {
                self.process(message, number, application);
            }
            _ => {}
        }
    }

    /// Does it conform to the dictionary?
    pub(super) fn conforms(&self, message: Message<'_>) -> Result<(), Refused> {
        let Some(dictionaries) = &self.dictionaries else { return Ok(()) };
        let transport = dictionaries.transport();
        let of_session = message.is_administrative() && transport.knows(message.message_type());
        // FIX 4 has one version, and most messages of FIX 5 have that of the session.
        let version = if dictionaries.has_versions() { message.get(1128) } else { None };
        let version = version.and_then(|it| dictionaries.application(Some(it)));
        let rules = match (of_session, &version, &self.rules) {
            (true, ..) => transport,
            (false, Some(rules), _) | (false, None, Some(rules)) => rules,
            (false, None, None) => transport,
        };
        rules.check(transport, message, self.settings().validation)
    }

    /// Is it of this session, and of this time?
    fn is_of_session(&self, message: Message<'_>) -> Result<(), Refused> {
        let identity = &self.settings().identity;
        for (tag, expected) in
            [(tags::SENDER_COMP_ID, &identity.target), (tags::TARGET_COMP_ID, &identity.sender)]
        {
            match message.get(tag) {
                None => return Err(Refused::at(Reason::RequiredTagMissing, tag)),
                Some(it) if it != expected.as_bytes() => {
                    return Err(Refused::of(Reason::CompIdProblem));
                }
                Some(_) => {}
            }
        }
        if self.is_time_off(message) {
            return Err(Refused::of(Reason::SendingTimeAccuracy));
        }
        Ok(())
    }

    /// Is SendingTime too far from the time here, or none?
    pub(super) fn is_time_off(&self, message: Message<'_>) -> bool {
        let Some(latency) = self.settings().latency else { return false };
        let Some(time) = message.time(tags::SENDING_TIME) else { return true };
        u128::from(time.0.abs_diff(self.outbox.now().utc)) > latency.as_nanos()
    }

    /// Is it its turn? If it came early it is kept, and what is missing is asked for.
    fn is_turn(
        &mut self,
        message: Message<'_>,
        number: u64,
        application: &mut dyn Application,
    ) -> bool {
        let expected = self.outbox.next_target();
        if number > expected {
            self.early(number, Some(message), application);
        } else if number < expected {
            self.late(message, number, application);
        }
        number == expected
    }

    /// Its number was there before.
    fn late(&mut self, message: Message<'_>, number: u64, application: &mut dyn Application) {
        if !message.is_possible_duplicate() {
            let why = too_low(self.outbox.next_target(), number);
            return self.send_logout(Some(&why));
        }
        if message.message_type() == b"4" {
            return;
        }
        let (original, sent) = (tags::ORIG_SENDING_TIME, tags::SENDING_TIME);
        if message.get(original).is_none() {
            let refused = Refused::at(Reason::RequiredTagMissing, original);
            return self.reject(message, &refused, application);
        }
        if message.time(original) > message.time(sent) {
            self.reject(message, &Refused::of(Reason::SendingTimeAccuracy), application);
            self.send_logout(None);
        }
    }

    /// A message in its turn.
    fn process(&mut self, message: Message<'_>, number: u64, application: &mut dyn Application) {
        match message.message_type() {
            [b'0'] => self.lacks_nothing(),
            [b'1'] => {
                self.lacks_nothing();
                let mut body = Vec::new();
                if let Some(id) = message.get(tags::TEST_REQ_ID) {
                    push_bytes(&mut body, tags::TEST_REQ_ID, id);
                }
                self.outbox.administrative(b"0", &[], &body);
            }
            [b'3'] => application.rejected(message),
            [b'A'] => return self.logon(message, application),
            _ => {
                if let Err(refusal) = application.message(message, &mut self.outbox) {
                    return self.refuse(message, &refusal, application);
                }
            }
        }
        self.count(number);
    }

    /// SequenceReset, which fills a gap or begins with another number.
    fn sequence_reset(
        &mut self,
        message: Message<'_>,
        number: u64,
        application: &mut dyn Application,
    ) {
        let fills_gap = message.is_set(tags::GAP_FILL_FLAG);
        if fills_gap && !self.is_turn(message, number, application) {
            return;
        }
        let expected = self.outbox.next_target();
        match message.number(tags::NEW_SEQ_NO) {
            None => self.reject(
                message,
                &Refused::at(Reason::RequiredTagMissing, tags::NEW_SEQ_NO),
                application,
            ),
            Some(next) if next < expected => {
                self.reject(message, &Refused::of(Reason::ValueIsIncorrect), application);
            }
            Some(next) => self.expect_behind_filled(next),
        }
    }

    /// The other side has missed messages; it gets them whichever number it asks with, as QuickFIX does it.
    fn resend_request(
        &mut self,
        message: Message<'_>,
        number: u64,
        application: &mut dyn Application,
    ) {
        let expected = self.outbox.next_target();
        if number < expected && message.is_possible_duplicate() {
            return self.late(message, number, application);
        }
        let (from, to) = (message.number(tags::BEGIN_SEQ_NO), message.number(tags::END_SEQ_NO));
        match (from, to) {
            (Some(from), Some(to)) => self.send_again(from, to, application),
            (None, _) => {
                let refused = Refused::at(Reason::RequiredTagMissing, tags::BEGIN_SEQ_NO);
                return self.reject(message, &refused, application);
            }
            (_, None) => {
                let refused = Refused::at(Reason::RequiredTagMissing, tags::END_SEQ_NO);
                return self.reject(message, &refused, application);
            }
        }
        if number > expected {
            self.early(number, None, application);
        } else {
            self.count(number);
        }
    }

    /// Counts a number, if it is the one that is expected.
    fn count(&mut self, number: u64) {
        if number == self.outbox.next_target() {
            self.expect(number.saturating_add(1));
        }
    }

    /// What the application does not take.
    fn refuse(
        &mut self,
        message: Message<'_>,
        refusal: &Refusal,
        application: &mut dyn Application,
    ) {
        let (reason, text) = match refusal {
            Refusal::Session(refused) => return self.reject(message, refused, application),
            Refusal::Business { reason, text } => (*reason, text),
        };
        let number = message.sequence_number().unwrap_or_default();
        let mut body = Vec::new();
        push(&mut body, tags::REF_SEQ_NUM, number);
        push_text(&mut body, tags::TEXT, text);
        let route = route_back(message, self.settings().identity.version);
        if self.settings().identity.version < Version::Fix42 {
            self.outbox.administrative(b"3", &route, &body);
        } else {
            push_bytes(&mut body, tags::REF_MSG_TYPE, message.message_type());
            push(&mut body, tags::BUSINESS_REJECT_REASON, reason.into());
            // It is of the application, and so is kept and sent again as others are. Where it cannot be kept the session
            // ends, and the message comes again: it is not counted without an answer.
            if let Err(SendError::Store(error)) = self.outbox.send_with("j", &route, &body) {
                return self.outbox.fail(&error);
            }
        }
        self.count(number);
    }

    /// Tells the other side what is wrong with a message. A Reject is not rejected.
    fn reject(
        &mut self,
        message: Message<'_>,
        refused: &Refused,
        application: &mut dyn Application,
    ) {
        let number = message.sequence_number().unwrap_or_default();
        application.noticed(Notice::Refused { number, refused });
        if !matches!(message.message_type(), [b'A' | b'4']) {
            self.count(number);
        }
        if message.message_type() == b"3" {
            return;
        }
        let version = self.settings().identity.version;
        let (words, tag) = (refused.words(), refused.tag_words());
        let mut body = Vec::new();
        push(&mut body, tags::REF_SEQ_NUM, number);
        if version.has_reject_reasons() {
            push_bytes(&mut body, tags::TEXT, words.as_bytes());
            if let Some(tag) = tag {
                push_bytes(&mut body, tags::REF_TAG_ID, tag.as_bytes());
            }
            push_bytes(&mut body, tags::REF_MSG_TYPE, message.message_type());
            if version > Version::Fix42 || refused.reason.is_of_fix42() {
                push(&mut body, tags::SESSION_REJECT_REASON, refused.reason.number().into());
            }
        } else {
            let text = tag.map_or_else(|| words.to_owned(), |tag| format!("{words} ({tag})"));
            push_bytes(&mut body, tags::TEXT, text.as_bytes());
        }
        self.outbox.administrative(b"3", &route_back(message, version), &body);
    }
}

/// By which fields of the header the answer to a message goes back.
fn route_back(message: Message<'_>, version: Version) -> Vec<(Tag, &[u8])> {
    let back = ROUTES.iter().filter_map(|(from, to)| Some((*to, message.get(*from)?)));
    // FIX 4.0 knows no locations.
    let is_known = |tag: Tag| version > Version::Fix40 || tag < tags::ON_BEHALF_OF_LOCATION_ID;
    let mut back: Vec<_> = back.filter(|it| !it.1.is_empty() && is_known(it.0)).collect();
    back.sort_by_key(|it| it.0);
    back
}
