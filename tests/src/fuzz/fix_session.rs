//! Any bytes, and messages that are wrong in any way, as the other side of a FIX session.

use std::sync::{Arc, LazyLock};

use trunkline_fix::{
    Application, Dictionaries, Identity, MemoryStore, Message, Moment, Notice, Outbox, Refusal,
    Role, Session, Settings, Version,
};
use trunkline_import::{Limits, fix::Dictionary};
use trunkline_wire::fix_checksum;

use super::changes::{Choices, change_fields};

/// Short, so that the limit is met.
const MESSAGE_BYTES: usize = 2_048;

const NOW: i64 = 1_795_651_200_000_000_000;

const DICTIONARY: &str = r#"<fix type="FIX" major="4" minor="4">
  <header><field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/><field name="MsgType" required="Y"/>
    <field name="SenderCompID" required="Y"/><field name="TargetCompID" required="Y"/><field name="MsgSeqNum" required="Y"/>
    <field name="PossDupFlag" required="N"/><field name="SendingTime" required="Y"/><field name="OrigSendingTime" required="N"/></header>
  <trailer><field name="CheckSum" required="Y"/></trailer>
  <messages>
    <message name="Logon" msgtype="A" msgcat="admin"><field name="EncryptMethod" required="Y"/><field name="HeartBtInt" required="Y"/>
      <field name="ResetSeqNumFlag" required="N"/></message>
    <message name="Heartbeat" msgtype="0" msgcat="admin"><field name="TestReqID" required="N"/></message>
    <message name="TestRequest" msgtype="1" msgcat="admin"><field name="TestReqID" required="Y"/></message>
    <message name="ResendRequest" msgtype="2" msgcat="admin"><field name="BeginSeqNo" required="Y"/><field name="EndSeqNo" required="Y"/></message>
    <message name="SequenceReset" msgtype="4" msgcat="admin"><field name="GapFillFlag" required="N"/><field name="NewSeqNo" required="Y"/></message>
    <message name="Logout" msgtype="5" msgcat="admin"/>
    <message name="Order" msgtype="D" msgcat="app"><field name="ClOrdID" required="Y"/><field name="OrderQty" required="N"/>
      <group name="NoPartyIDs" required="N"><field name="PartyID" required="Y"/><field name="PartyRole" required="N"/></group></message>
  </messages><components/>
  <fields>
    <field number="7" name="BeginSeqNo" type="SEQNUM"/><field number="8" name="BeginString" type="STRING"/>
    <field number="9" name="BodyLength" type="LENGTH"/><field number="10" name="CheckSum" type="STRING"/>
    <field number="11" name="ClOrdID" type="STRING"/><field number="16" name="EndSeqNo" type="SEQNUM"/>
    <field number="34" name="MsgSeqNum" type="SEQNUM"/><field number="35" name="MsgType" type="STRING"/>
    <field number="36" name="NewSeqNo" type="SEQNUM"/><field number="38" name="OrderQty" type="QTY"/>
    <field number="43" name="PossDupFlag" type="BOOLEAN"/><field number="49" name="SenderCompID" type="STRING"/>
    <field number="52" name="SendingTime" type="UTCTIMESTAMP"/><field number="56" name="TargetCompID" type="STRING"/>
    <field number="98" name="EncryptMethod" type="INT"/><field number="108" name="HeartBtInt" type="INT"/>
    <field number="112" name="TestReqID" type="STRING"/><field number="122" name="OrigSendingTime" type="UTCTIMESTAMP"/>
    <field number="123" name="GapFillFlag" type="BOOLEAN"/><field number="141" name="ResetSeqNumFlag" type="BOOLEAN"/>
    <field number="448" name="PartyID" type="STRING"/><field number="452" name="PartyRole" type="INT"/>
    <field number="453" name="NoPartyIDs" type="NUMINGROUP"/>
  </fields></fix>"#;

static DICTIONARIES: LazyLock<Arc<Dictionaries>> = LazyLock::new(|| {
    let read = Dictionary::read("fuzz.xml", DICTIONARY.as_bytes(), &Limits::default());
    Arc::new(Dictionaries::of(&read.expect("a dictionary")))
});

/// What the messages of the other side begin with, mostly in their turn.
const BODIES: &[(&str, &str)] = &[
    ("D", "11=a|38=100|"),
    ("D", "11=b|453=2|448=x|452=1|448=y|"),
    ("0", ""),
    ("1", "112=x|"),
    ("2", "7=1|16=0|"),
    ("4", "123=Y|36=9|"),
    ("4", "36=20|"),
    ("A", "98=0|108=30|"),
    ("A", "98=0|108=30|141=Y|"),
    ("5", ""),
];

/// Lets a session receive the bytes as they are, and as messages that they choose and change, in any pieces.
///
/// What it says must be the same however the bytes are cut, and be messages with numbers in turn; its application gets
/// each number once and in order; no more than a message waits to be whole; and a session that gets nothing more ends.
///
/// # Panics
///
/// If that is not so.
pub fn fix_session(data: &[u8]) {
    let mut choices = Choices::new(data);
    let (way, piece) = (choices.byte(), usize::from(choices.byte()) % 90 + 1);
    let chosen = messages(&mut choices, way);
    let logon = message("A", 1, "98=0|108=30|", &mut Choices::new(&[]));
    for bytes in [data, &chosen, &[&*logon, data].concat()] {
        let whole = Side::new(way).receive(bytes, bytes.len().max(1));
        let pieces = Side::new(way).receive(bytes, piece);
        assert_eq!(whole, pieces);
    }
}

/// A Logon and what follows it; each message takes its changes from a few bytes.
fn messages(choices: &mut Choices<'_>, way: u8) -> Vec<u8> {
    let mut bytes = message("A", 1, "98=0|108=30|", &mut Choices::new(&[]));
    let mut number = 1_u64;
    while !choices.is_empty() {
        let (message_type, body) = BODIES[choices.below(BODIES.len())];
        let step = choices.byte() % 8;
        number = match step {
            0 => number + 3,
            1 => number.saturating_sub(2),
            _ => number + 1,
        };
        let stated = if step == 2 && way >= 128 { u64::MAX } else { number };
        let count = choices.byte() % 12;
        let mut changes = Choices::new(choices.take(usize::from(count.saturating_sub(6))));
        bytes.extend(message(message_type, stated, body, &mut changes));
    }
    bytes
}

fn message(message_type: &str, number: u64, body: &str, changes: &mut Choices<'_>) -> Vec<u8> {
    let content = format!("34={number}|49=FUND|52=20261126-00:00:00.000|56=BANK|{body}");
    let content = content.replace('|', "\u{1}").into_bytes();
    let content =
        [format!("35={message_type}\u{1}").as_bytes(), &change_fields(&content, changes)].concat();
    let mut bytes = format!("8=FIX.4.4\u{1}9={}\u{1}", content.len()).into_bytes();
    bytes.extend(content);
    let sum = fix_checksum(&bytes);
    bytes.extend(format!("10={sum:03}\u{1}").into_bytes());
    bytes
}

/// What a session and its application made of what they got.
#[derive(Debug, Default, PartialEq)]
struct Made {
    said: String,
    taken: Vec<u64>,
    endings: Vec<String>,
    /// The number that was taken last, since numbers began.
    last: u64,
}

impl Application for Made {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        let number = message.sequence_number().expect("it was its turn");
        assert!(number > self.last, "{number} after {}", self.last);
        (self.last, _) = (number, self.taken.push(number));
        match message.get(11) {
            Some(b"b") => Err(Refusal::Business { reason: 3, text: "no\u{1}b".to_owned() }),
            _ => {
                // What is answered is kept, and sent again when it is asked for; at its end a session may take no more.
                _ = outbox.send("8", b"37=x\x01");
                Ok(())
            }
        }
    }

    fn administrative(&mut self, message: Message<'_>) {
        if message.message_type() == b"A" {
            // It may begin anew.
            self.last = 0;
        }
    }

    fn logged_out(&mut self, reason: &str) {
        self.endings.push(reason.to_owned());
    }

    fn noticed(&mut self, notice: Notice<'_>) {
        if let Notice::Resend { from, to } = notice {
            assert!(0 < from && from <= to);
        }
    }
}

struct Side {
    session: Session,
    made: Made,
}

impl Side {
    fn new(way: u8) -> Self {
        let identity = Identity::new(Version::Fix44, "BANK", "FUND");
        let mut settings = Settings::new(Role::Acceptor, identity);
        settings.message_bytes = MESSAGE_BYTES;
        settings.reset_on_logon = way & 1 > 0;
        settings.resend_chunk = (way & 2 > 0).then_some(2);
        settings.next_expected = way & 4 > 0;
        let dictionaries = (way & 8 > 0).then(|| DICTIONARIES.clone());
        let mut session = Session::new(settings, dictionaries, Box::new(MemoryStore::default()));
        session.connected(moment(0));
        Self { session, made: Made::default() }
    }

    fn receive(mut self, bytes: &[u8], piece: usize) -> Made {
        let Self { session, made } = &mut self;
        let mut waiting = Vec::new();
        for part in bytes.chunks(piece) {
            waiting.extend_from_slice(part);
            let taken = session.received(moment(0), &waiting, made);
            waiting.drain(..taken);
            assert!(waiting.len() < MESSAGE_BYTES + 64, "{}", waiting.len());
        }
        self.say();
        // Nothing more comes.
        let mut steps = 0;
        while let Some(deadline) = self.session.deadline() {
            self.session.advance(moment(deadline), &mut self.made);
            self.say();
            steps += 1;
            assert!(steps < 100, "it goes on for ever");
        }
        assert!(self.session.is_over() || self.made.said.contains("108=0"));
        self.made
    }

    fn say(&mut self) {
        while !self.session.output().is_empty() {
            let output = self.session.output().to_vec();
            check(&output);
            self.made.said += &String::from_utf8_lossy(&output);
            self.session.sent(output.len(), &mut self.made);
        }
    }
}

/// Is what it says messages, each whole?
fn check(mut output: &[u8]) {
    while !output.is_empty() {
        let end = output.windows(4).position(|it| it == b"\x0110=").expect("a trailer") + 1;
        let (content, rest) = output.split_at(end);
        assert!(content.starts_with(b"8=FIX.4.4\x019="), "{}", String::from_utf8_lossy(output));
        let trailer = format!("10={:03}\u{1}", fix_checksum(content));
        assert!(rest.starts_with(trailer.as_bytes()), "{}", String::from_utf8_lossy(output));
        output = &rest[trailer.len()..];
    }
}

fn moment(monotonic: u64) -> Moment {
    Moment { monotonic, utc: NOW.saturating_add(i64::try_from(monotonic).unwrap_or(0)) }
}
