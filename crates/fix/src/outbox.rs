//! What a session sends: numbered, stamped with the time, kept for resends.

use std::fmt;
use std::io;

use trunkline_codec::fix::SOH;
use trunkline_wire::fix_checksum;

use crate::message::{Fields, Message, is_administrative};
use crate::output::Output;
use crate::schedule::Hours;
use crate::settings::Settings;
use crate::store::{Store, Wake};
use crate::tags::{self, Tag};
use crate::time::{Moment, Utc};

/// Fields of the header with their values, in order of their numbers.
type Extra<'a> = &'a [(Tag, &'a [u8])];

/// Where an application, and the session itself, put what is to be sent.
pub struct Outbox {
    settings: Settings,
    store: Box<dyn Store>,
    now: Moment,
    output: Output,
    /// When something was sent last, by the monotonic clock.
    sent_at: u64,
    is_logged_on: bool,
    /// The number of the last message that was processed, for 369.
    last_processed: u64,
    /// Messages of numbers that are no more, of which it is not known that they have arrived.
    undelivered: Vec<Vec<u8>>,
    failure: Option<String>,
    message: Vec<u8>,
    content: Vec<u8>,
    /// SendingTime as it was written last, and the millisecond or second that it is.
    stamp: (Vec<u8>, i64),
    /// What the header of most messages has before SendingTime, and behind it.
    usual: [Vec<u8>; 2],
    fields: Fields,
    /// Is told of each message that goes to the connection.
    on_sent: Option<OnSent>,
}

/// Who is told of what is sent.
pub(crate) type OnSent = Box<dyn FnMut(Message<'_>) + Send>;

/// Why nothing was sent.
#[derive(Debug)]
pub enum SendError {
    /// Nobody is logged on, and the next Logon begins with number 1 again, so that nothing can wait for it.
    NotLoggedOn,
    /// The message is none of an application, or a body does not end with the delimiter.
    Malformed(&'static str),
    /// The message could not be kept, and so was not sent.
    Store(io::Error),
}

impl fmt::Display for SendError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoggedOn => {
                out.write_str("nobody is logged on, and numbers begin anew at Logon")
            }
            Self::Malformed(what) => out.write_str(what),
            Self::Store(error) => write!(out, "it cannot be kept: {error}"),
        }
    }
}

impl std::error::Error for SendError {}

/// The header of a message, as far as it differs.
struct Head<'a> {
    message_type: &'a [u8],
    number: u64,
    /// Of a message that is sent again, or of a gap that is filled: SendingTime of the first time.
    original: Option<&'a [u8]>,
    extra: Extra<'a>,
}

impl fmt::Debug for Outbox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Outbox")
            .field("settings", &self.settings)
            .field("waiting", &self.waiting())
            .finish()
    }
}

impl Outbox {
    pub(crate) fn new(settings: Settings, store: Box<dyn Store>) -> Self {
        let usual = usual(&settings);
        Self {
            settings,
            usual,
            store,
            now: Moment::default(),
            output: Output::default(),
            sent_at: 0,
            is_logged_on: false,
            last_processed: 0,
            undelivered: Vec::new(),
            failure: None,
            message: Vec::new(),
            content: Vec::new(),
            stamp: (Vec::new(), i64::MIN),
            fields: Fields::default(),
            on_sent: None,
        }
    }

    /// Sends a message of the application: MsgType (35), and the fields of its body, each with its delimiter. Returns its
    /// MsgSeqNum. While nobody is logged on it is kept, and is sent when the other side asks for what it has missed.
    ///
    /// # Errors
    /// [`SendError`]; nothing was sent, and no number is used.
    pub fn send(&mut self, message_type: &str, body: &[u8]) -> Result<u64, SendError> {
        self.send_with(message_type, &[], body)
    }

    /// The same with fields of the header, such as OnBehalfOfCompID (115), in order of their numbers.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_with(
        &mut self,
        message_type: &str,
        header: &[(u32, &[u8])],
        body: &[u8],
    ) -> Result<u64, SendError> {
        let message_type = message_type.as_bytes();
        if message_type.is_empty() || message_type.contains(&SOH) || is_administrative(message_type)
        {
            return Err(SendError::Malformed("the MsgType is none of an application"));
        }
        if !body.is_empty() && !body.ends_with(&[SOH]) {
            return Err(SendError::Malformed("the body does not end with the delimiter"));
        }
        if !header.is_sorted_by_key(|it| it.0) || header.iter().any(|it| is_own(it.0)) {
            return Err(SendError::Malformed(
                "the fields of the header are not in order, or the session's own",
            ));
        }
        if !self.is_logged_on && (self.settings.reset_on_logon || self.is_of_past_hours()) {
            return Err(SendError::NotLoggedOn);
        }
        let number = self.store.next_sender();
        let head = Head { message_type, number, original: None, extra: header };
        let message = self.composed(&head, body);
        // What cannot be read here could not be sent again, either. The session's own fields can.
        let is_read = match header {
            [] => self.fields.scan(body).is_ok(),
            _ => self.fields.read(&message).is_ok(),
        };
        if !is_read {
            self.message = message;
            return Err(SendError::Malformed(
                "header or body are not fields, each a number, `=` and a value",
            ));
        }
        self.store.save(Some(&message)).map_err(SendError::Store)?;
        if self.is_logged_on {
            self.put(&message);
        }
        self.message = message;
        Ok(number)
    }

    /// Rejects a message that the application has taken before, by a Reject (3): FIX 4.0 and 4.1 have no
    /// BusinessMessageReject. It is of the session, so that nothing keeps it for a side that is not there.
    ///
    /// # Errors
    /// Nobody is logged on.
    pub fn reject(&mut self, number: u64, text: &str) -> Result<(), SendError> {
        if !self.is_logged_on {
            return Err(SendError::NotLoggedOn);
        }
        let mut body = Vec::new();
        push(&mut body, tags::REF_SEQ_NUM, number);
        push_text(&mut body, tags::TEXT, text);
        self.administrative(b"3", &[], &body);
        Ok(())
    }

    /// What of the session's hours is now; none if it never stops.
    pub(crate) fn hours(&self) -> Option<Hours> {
        self.settings.schedule.as_ref().map(|it| it.at(self.now.utc))
    }

    /// Do numbers begin anew with the next Logon, since they are of hours that are over?
    pub(crate) fn is_of_past_hours(&self) -> bool {
        match self.hours() {
            None => false,
            Some(Hours::Closed { .. }) => true,
            Some(Hours::Open { since, until }) => {
                !self.store.began().is_some_and(|it| (since..until).contains(&it))
            }
        }
    }

    /// Is somebody logged on?
    pub fn is_logged_on(&self) -> bool {
        self.is_logged_on
    }

    /// Who the two sides are, and how the session behaves.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is the time, as far as the session was told.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// The time as SendingTime (52) of a message that is sent now has it, for TransactTime (60) and its kin.
    pub fn sending_time(&mut self) -> &[u8] {
        self.look_at_the_time();
        &self.stamp.0
    }

    /// Sends a message of the session itself.
    pub(crate) fn administrative(&mut self, message_type: &[u8], extra: Extra<'_>, body: &[u8]) {
        let number = self.store.next_sender();
        let head = Head { message_type, number, original: None, extra };
        let message = self.composed(&head, body);
        match self.store.save(None) {
            Ok(()) => self.put(&message),
            Err(error) => self.fail(&error),
        }
        self.message = message;
    }

    /// Fills a gap from a number on up to another one, which comes next.
    pub(crate) fn fill_gap(&mut self, from: u64, next: u64) {
        let mut original = Vec::new();
        Utc(self.now.utc).write(self.has_milliseconds(), &mut original);
        let mut body = Vec::new();
        push(&mut body, tags::NEW_SEQ_NO, next);
        push_bytes(&mut body, tags::GAP_FILL_FLAG, b"Y");
        let head = Head { message_type: b"4", number: from, original: Some(&original), extra: &[] };
        let message = self.composed(&head, &body);
        self.put(&message);
        self.message = message;
    }

    /// Sends a message again that was sent before.
    pub(crate) fn send_again(&mut self, number: u64, message: Message<'_>) {
        let extra =
            message.fields().iter().filter(|it| tags::is_of_header(it.tag) && !is_own(it.tag));
        let mut extra: Vec<(Tag, &[u8])> = extra.map(|it| (it.tag, message.value(it))).collect();
        extra.sort_by_key(|it| it.0);
        let head = Head {
            message_type: message.message_type(),
            number,
            original: Some(message.get(tags::SENDING_TIME).unwrap_or_default()),
            extra: &extra,
        };
        let composed = self.composed(&head, message.body_bytes());
        self.put(&composed);
        self.message = composed;
    }

    /// The first message that is kept with a number from here on, with its fields.
    pub(crate) fn kept<'a>(
        &mut self,
        from: u64,
        bytes: &'a mut Vec<u8>,
        fields: &'a mut Fields,
    ) -> Option<(u64, Message<'a>)> {
        match self.store.load(from, bytes) {
            // What was kept can be read: it was sent from here.
            Ok(Some(number)) => fields.read(bytes).ok().map(|message| (number, message)),
            Ok(None) => None,
            Err(error) => {
                self.fail(&error);
                None
            }
        }
    }

    fn has_milliseconds(&self) -> bool {
        self.settings.identity.version.has_milliseconds()
    }

    /// Writes SendingTime, unless it is as it was for the message before.
    fn look_at_the_time(&mut self) {
        let has_milliseconds = self.has_milliseconds();
        let unit =
            self.now.utc.div_euclid(if has_milliseconds { 1_000_000 } else { 1_000_000_000 });
        if self.stamp.1 != unit {
            self.stamp.0.clear();
            Utc(self.now.utc).write(has_milliseconds, &mut self.stamp.0);
            self.stamp.1 = unit;
        }
    }

    /// A whole message, in the memory of the one before.
    fn composed(&mut self, head: &Head<'_>, body: &[u8]) -> Vec<u8> {
        self.look_at_the_time();
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        if head.original.is_none() && head.extra.is_empty() && !self.settings.last_processed {
            self.usual_header(head, &mut content);
        } else {
            self.header(head, &mut content);
        }
        content.extend_from_slice(body);
        let mut message = std::mem::take(&mut self.message);
        message.clear();
        push_bytes(
            &mut message,
            tags::BEGIN_STRING,
            self.settings.identity.version.begin_string().as_bytes(),
        );
        push(&mut message, tags::BODY_LENGTH, content.len() as u64);
        message.extend_from_slice(&content);
        let sum = fix_checksum(&message);
        message.extend_from_slice(b"10=");
        message.extend_from_slice(&[b'0' + sum / 100, b'0' + sum / 10 % 10, b'0' + sum % 10, SOH]);
        self.content = content;
        message
    }

    /// The header of a message that is sent for the first time, without fields but the session's.
    fn usual_header(&self, head: &Head<'_>, out: &mut Vec<u8>) {
        let [before, behind] = &self.usual;
        push_bytes(out, tags::MSG_TYPE, head.message_type);
        push(out, tags::MSG_SEQ_NUM, head.number);
        out.extend_from_slice(before);
        push_bytes(out, tags::SENDING_TIME, &self.stamp.0);
        out.extend_from_slice(behind);
    }

    /// The header of any message.
    fn header(&self, head: &Head<'_>, out: &mut Vec<u8>) {
        let Settings { identity, sub_ids, last_processed, .. } = &self.settings;
        push_bytes(out, tags::MSG_TYPE, head.message_type);
        let mut extra = head.extra.iter().peekable();
        let mut before = |tag: Tag, out: &mut Vec<u8>| {
            while let Some((tag, value)) = extra.next_if(|it| it.0 < tag) {
                push_bytes(out, *tag, value);
            }
        };
        before(tags::MSG_SEQ_NUM, out);
        push(out, tags::MSG_SEQ_NUM, head.number);
        let mut text = |tag: Tag, value: Option<&[u8]>, out: &mut Vec<u8>| {
            if let Some(value) = value {
                before(tag, out);
                push_bytes(out, tag, value);
            }
        };
        text(tags::POSS_DUP_FLAG, head.original.map(|_| &b"Y"[..]), out);
        text(tags::SENDER_COMP_ID, Some(identity.sender.as_bytes()), out);
        text(tags::SENDER_SUB_ID, sub_ids.sender.as_ref().map(String::as_bytes), out);
        text(tags::SENDING_TIME, Some(&self.stamp.0), out);
        text(tags::TARGET_COMP_ID, Some(identity.target.as_bytes()), out);
        text(tags::TARGET_SUB_ID, sub_ids.target.as_ref().map(String::as_bytes), out);
        text(tags::ORIG_SENDING_TIME, head.original, out);
        text(tags::SENDER_LOCATION_ID, sub_ids.sender_location.as_ref().map(String::as_bytes), out);
        text(tags::TARGET_LOCATION_ID, sub_ids.target_location.as_ref().map(String::as_bytes), out);
        let processed = last_processed.then(|| self.last_processed.to_string());
        text(tags::LAST_MSG_SEQ_NUM_PROCESSED, processed.as_ref().map(String::as_bytes), out);
        before(Tag::MAX, out);
    }

    /// Lets a message wait for the connection, unless that is to be closed: the store has it for the next one.
    fn put(&mut self, message: &[u8]) {
        if self.waiting() > self.settings.output_bytes {
            self.failure.get_or_insert_with(|| {
                "the other side takes too little of what is sent".to_owned()
            });
        }
        if self.failure.is_some() {
            return;
        }
        self.output.push(message);
        self.sent_at = self.now.monotonic;
        if let Some(on_sent) = &mut self.on_sent
            && let Ok(message) = self.fields.read(message)
        {
            on_sent(message);
        }
    }

    pub(crate) fn fail(&mut self, error: &io::Error) {
        self.failure.get_or_insert_with(|| format!("the store failed: {error}"));
    }
}

/// What the session has to do with the outbox.
impl Outbox {
    /// Asks for what is to be sent to survive; what cannot be kept is not sent.
    pub(crate) fn sync(&mut self) {
        match self.store.sync() {
            Ok(mark) => self.output.mark(mark),
            Err(error) => self.lose(&error),
        }
        self.release();
    }

    /// Lets go what the store has by now.
    pub(crate) fn release(&mut self) {
        if self.output.waits_for_store() {
            match self.store.stored() {
                Ok(mark) => self.output.release(mark),
                Err(error) => self.lose(&error),
            }
        }
    }

    /// Lets all that was sent so far be stored; the answer is its mark.
    pub(crate) fn ask(&mut self) -> io::Result<u64> {
        self.store.sync()
    }

    /// Up to which mark all survives.
    pub(crate) fn stored(&mut self) -> io::Result<u64> {
        let stored = self.store.stored();
        self.release();
        stored
    }

    fn lose(&mut self, error: &io::Error) {
        self.discard();
        self.fail(error);
    }

    pub(crate) fn on_stored(&mut self, wake: Wake) {
        self.store.on_stored(wake);
    }

    pub(crate) fn set_on_sent(&mut self, on_sent: OnSent) {
        self.on_sent = Some(on_sent);
    }

    pub(crate) fn set_now(&mut self, now: Moment) {
        self.now = now;
    }

    pub(crate) fn set_logged_on(&mut self, is_logged_on: bool) {
        self.is_logged_on = is_logged_on;
    }

    pub(crate) fn set_last_processed(&mut self, number: u64) {
        self.last_processed = number;
    }

    pub(crate) fn next_sender(&self) -> u64 {
        self.store.next_sender()
    }

    pub(crate) fn next_target(&self) -> u64 {
        self.store.next_target()
    }

    pub(crate) fn set_next_target(&mut self, number: u64) {
        if let Err(error) = self.store.set_next_target(number) {
            self.fail(&error);
        }
    }

    pub(crate) fn reset(&mut self) {
        self.last_processed = 0;
        let (mut from, mut message) = (self.store.arrived(), Vec::new());
        while let Some(at) = from {
            let next = self.store.load(at, &mut message).ok().flatten();
            from = next.map(|it| it + 1);
            self.undelivered.extend(next.map(|_| message.clone()));
        }
        if let Err(error) = self.store.reset(self.now.utc) {
            self.fail(&error);
        }
    }

    pub(crate) fn output(&self) -> &[u8] {
        self.output.ready()
    }

    /// Bytes that are to be sent, and those that wait for the store. More than [`Settings::output_bytes`] end the connection.
    pub fn waiting(&self) -> usize {
        self.output.waiting()
    }

    pub(crate) fn take(&mut self, bytes: usize) {
        self.output.take(bytes);
    }

    /// What may not have arrived when numbers began anew.
    pub(crate) fn take_undelivered(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.undelivered)
    }

    /// The other side has all messages before this number.
    pub(crate) fn has_arrived_before(&mut self, number: u64) {
        // It may have begun anew since.
        let number = number.min(self.store.next_sender());
        if self.store.arrived().is_some_and(|it| it < number)
            && let Err(error) = self.store.set_arrived(number)
        {
            self.fail(&error);
        }
    }

    /// Forgets what the connection did not take.
    pub(crate) fn discard(&mut self) {
        self.output.clear();
    }

    pub(crate) fn sent_at(&self) -> u64 {
        self.sent_at
    }

    pub(crate) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }
}

/// What stands between MsgSeqNum and SendingTime, and what behind it.
fn usual(settings: &Settings) -> [Vec<u8>; 2] {
    let Settings { identity, sub_ids, .. } = settings;
    let fields = |all: &[(Tag, Option<&String>)]| {
        let mut out = Vec::new();
        for (tag, value) in all {
            value.iter().for_each(|it| push_bytes(&mut out, *tag, it.as_bytes()));
        }
        out
    };
    [
        fields(&[
            (tags::SENDER_COMP_ID, Some(&identity.sender)),
            (tags::SENDER_SUB_ID, sub_ids.sender.as_ref()),
        ]),
        fields(&[
            (tags::TARGET_COMP_ID, Some(&identity.target)),
            (tags::TARGET_SUB_ID, sub_ids.target.as_ref()),
            (tags::SENDER_LOCATION_ID, sub_ids.sender_location.as_ref()),
            (tags::TARGET_LOCATION_ID, sub_ids.target_location.as_ref()),
        ]),
    ]
}

/// Does the session write this field of the header itself?
pub(crate) fn is_own(tag: Tag) -> bool {
    use tags::{
        BEGIN_STRING, BODY_LENGTH, CHECK_SUM, LAST_MSG_SEQ_NUM_PROCESSED, MSG_SEQ_NUM, MSG_TYPE,
        ORIG_SENDING_TIME, POSS_DUP_FLAG, SENDER_COMP_ID, SENDER_LOCATION_ID, SENDER_SUB_ID,
        SENDING_TIME, TARGET_COMP_ID, TARGET_LOCATION_ID, TARGET_SUB_ID,
    };
    matches!(
        tag,
        BEGIN_STRING
            | BODY_LENGTH
            | CHECK_SUM
            | MSG_SEQ_NUM
            | MSG_TYPE
            | POSS_DUP_FLAG
            | SENDER_COMP_ID
            | SENDER_SUB_ID
            | SENDING_TIME
            | TARGET_COMP_ID
            | TARGET_SUB_ID
            | ORIG_SENDING_TIME
            | SENDER_LOCATION_ID
            | TARGET_LOCATION_ID
            | LAST_MSG_SEQ_NUM_PROCESSED
    )
}

/// Appends a field with a number.
pub(crate) fn push(out: &mut Vec<u8>, tag: Tag, value: u64) {
    digits(out, tag.into());
    out.push(b'=');
    digits(out, value);
    out.push(SOH);
}

/// Appends a text, in which a delimiter would end the field.
pub(crate) fn push_text(out: &mut Vec<u8>, tag: Tag, text: &str) {
    push_bytes(out, tag, text.replace('\u{1}', " ").as_bytes());
}

/// Appends a field.
pub(crate) fn push_bytes(out: &mut Vec<u8>, tag: Tag, value: &[u8]) {
    digits(out, tag.into());
    out.push(b'=');
    out.extend_from_slice(value);
    out.push(SOH);
}

fn digits(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Identity, Role, SubIds};
    use crate::store::MemoryStore;
    use crate::version::Version;

    #[test]
    fn a_usual_header_is_what_any_is() {
        for names in 0..16_u32 {
            let name = |bit: u32| (names >> bit & 1 == 1).then(|| format!("name-{bit}"));
            let mut settings =
                Settings::new(Role::Initiator, Identity::new(Version::Fix44, "FUND", "BANK"));
            settings.sub_ids = SubIds {
                sender: name(0),
                target: name(1),
                sender_location: name(2),
                target_location: name(3),
            };
            let mut outbox = Outbox::new(settings, Box::new(MemoryStore::default()));
            outbox.set_now(Moment { monotonic: 1, utc: 1_764_000_000_123_000_000 });
            outbox.look_at_the_time();
            for (number, message_type) in [(1, &b"D"[..]), (4_711, b"AE")] {
                let head = Head { message_type, number, original: None, extra: &[] };
                let [mut usual, mut any] = [Vec::new(), Vec::new()];
                outbox.usual_header(&head, &mut usual);
                outbox.header(&head, &mut any);
                assert_eq!(String::from_utf8_lossy(&usual), String::from_utf8_lossy(&any));
            }
        }
    }
}
