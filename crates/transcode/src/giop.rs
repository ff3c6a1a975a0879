//! What messages of GIOP say: their heads, and by IDL what operations take and answer (CORBA 3, part 2, 9.4).
//!
//! A Reply does not say which operation it answers, and a Fragment not of which message it is the rest: that is known
//! from what came before, on a connection, or in a file that has both of its directions.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use trunkline_codec::cdr;
use trunkline_import::idl::{Call, Specification};
use trunkline_message::{Error, ErrorKind, Layout, Limits, Record, Result};

use crate::codec::{Codec, Options};
use crate::kind::Giop;
use crate::{Format, Place};

/// Requests whose replies are waited for, at most; and messages of which fragments are.
const MOST_WAITING: usize = 4096;

/// Layouts that are kept, at most.
const MOST_KNOWN: usize = 65_536;

/// What the head of a message says, behind the twelve octets that all have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The request's number; none of messages that have none.
    pub request: Option<u32>,
    /// The operation of a Request; of a Reply once it is known.
    pub operation: Option<String>,
    /// Those that a Reply may answer, if that is not certain: several requests have its number, and not all are answered.
    pub candidates: Vec<String>,
    /// Is a Request answered?
    pub is_answered: bool,
    /// The status of a Reply or a LocateReply.
    pub status: Option<u32>,
    has_body: bool,
    /// Where the body begins, counted from the first octet of the message.
    pub body: usize,
}

/// What the body of a Reply is, by its status.
pub const STATUS: [&str; 6] = [
    "result",
    "user exception",
    "system exception",
    "location forward",
    "location forward for ever",
    "needs another addressing mode",
];

/// The types of messages that have a body.
const REQUEST: u8 = 0;
const REPLY: u8 = 1;
const CANCEL_REQUEST: u8 = 2;
const FRAGMENT: u8 = 7;

/// A message by IDL.
#[derive(Debug)]
pub struct Described<'a> {
    /// Its name: the operation's or the exception's.
    pub name: &'a str,
    /// What it says; none if it has nothing to say.
    pub content: Option<(&'a Layout, &'a Record)>,
}

/// What a body is to be read as.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Request(usize),
    Reply(usize),
    /// By its repository id.
    Exception(String),
}

/// A layout, and what reads it in the two byte orders, once it was met.
struct Known {
    name: String,
    /// None where there is nothing to say.
    layout: Option<Arc<Layout>>,
    record: Option<Record>,
    decoders: [Option<cdr::Decoder>; 2],
}

/// The messages of a connection, one after the other.
#[derive(Debug, Default)]
pub struct Exchanges {
    /// Operations by request, the oldest first.
    asked: VecDeque<(u32, String)>,
    /// Messages of which the rest is waited for.
    begun: Vec<Begun>,
    /// What is still to come in a file, by number, where that is known.
    coming: HashMap<u32, Coming>,
}

/// Requests that want an answer, and replies, of one number.
#[derive(Debug, Default)]
struct Coming {
    requests: usize,
    replies: usize,
}

/// Where a message came from, to tell it if its rest never comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file, or the connection in it.
    pub file: Arc<str>,
    /// Where it begins there.
    pub place: Place,
}

/// A message that goes on in fragments of which the last did not come.
#[derive(Debug)]
pub struct Unfinished {
    /// Where it began.
    pub origin: Origin,
    /// What its head says.
    pub head: Head,
    /// What came of it, that of its fragments behind.
    pub bytes: Vec<u8>,
}

#[derive(Debug)]
struct Begun {
    origin: Origin,
    is_client: bool,
    /// Where fragments say it.
    request: Option<u32>,
    head: Head,
    bytes: Vec<u8>,
}

/// Why a message is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is not what IDL describes, or not known which it is.
    NotDescribed(String),
    /// It is not as IDL has it.
    Wrong(String),
}

impl Exchanges {
    /// A message as it came, from the client or not if that is known; then both directions come as they were sent. The head of the whole message, and all of it:
    /// none if more of it is to come.
    ///
    /// # Errors
    /// The head is not as GIOP has it; or it has too many fragments, or one of a message that has not begun; or too many
    /// messages wait for theirs.
    pub fn take(
        &mut self,
        is_client: Option<bool>,
        bytes: &[u8],
        origin: &Origin,
        limits: &Limits,
    ) -> Result<(Head, Option<Vec<u8>>)> {
        let header = Giop::read(bytes).ok_or_else(|| truncated(bytes.len()))?;
        let mut reader = Reader::new(bytes, header.is_little);
        if header.message_type == FRAGMENT {
            let request = match header.version >= (1, 2) {
                true => Some(reader.ulong()?),
                false => None,
            };
            let rest = &bytes[reader.at..];
            return self.go_on((is_client, request), header.has_more, rest, limits);
        }
        let mut head = Head::read(&header, bytes)?;
        match (header.message_type, head.request) {
            (REQUEST, Some(request)) => {
                if let (Some(operation), true) = (&head.operation, head.is_answered) {
                    if let Some(coming) = self.coming.get_mut(&request) {
                        coming.requests = coming.requests.saturating_sub(1);
                    }
                    // Where messages come as they were sent, a number is used again once it was answered, or will not be.
                    // Where one direction comes behind the other, its answers come later, in the same order.
                    if is_client.is_some() {
                        self.asked.retain(|it| it.0 != request);
                    }
                    if self.asked.len() >= MOST_WAITING {
                        self.asked.pop_front();
                    }
                    self.asked.push_back((request, operation.clone()));
                }
            }
            (REPLY, Some(request)) => {
                self.answer(request, &mut head);
            }
            // The rest of what is cancelled need not be sent.
            (CANCEL_REQUEST, Some(request)) => {
                self.begun.retain(|it| !it.is_client || it.head.request != Some(request));
            }
            _ => {}
        }
        if !header.has_more {
            return Ok((head, Some(bytes.to_vec())));
        }
        if self.begun.len() >= MOST_WAITING {
            let kind = ErrorKind::Limit { name: "messages_begun", limit: MOST_WAITING };
            return Err(Error::new(kind, 0));
        }
        let request = head.request.filter(|_| header.version >= (1, 2));
        let is_client = is_client.unwrap_or(header.message_type == REQUEST);
        let (origin, bytes) = (origin.clone(), bytes.to_vec());
        self.begun.push(Begun { origin, is_client, request, head: head.clone(), bytes });
        Ok((head, None))
    }

    /// Counts requests and replies in messages that will be taken one after the other.
    pub fn look_ahead(&mut self, mut bytes: &[u8]) {
        self.coming.clear();
        while let Some(header) = Giop::read(bytes) {
            let Some((message, rest)) = bytes.split_at_checked(Giop::HEADER + header.length) else {
                return;
            };
            if matches!(header.message_type, REQUEST | REPLY)
                && let Ok(head) = Head::read(&header, message)
                && let Some(request) = head.request
            {
                let coming = self.coming.entry(request).or_default();
                match header.message_type {
                    REPLY => coming.replies += 1,
                    _ => coming.requests += usize::from(head.is_answered),
                }
            }
            bytes = rest;
        }
    }

    /// Finds the operation that a Reply answers: that of the oldest request of its number. If there are more of these, with those that
    /// are to come, than replies are to come, one is never answered, and nobody knows which.
    fn answer(&mut self, request: u32, head: &mut Head) {
        let is_it = |it: &&(u32, String)| it.0 == request;
        let mut open: Vec<&str> = self.asked.iter().filter(is_it).map(|it| &*it.1).collect();
        let are_less = self.coming.get_mut(&request).is_some_and(|it| {
            let are_less = it.replies < open.len() + it.requests;
            it.replies = it.replies.saturating_sub(1);
            are_less
        });
        let mut seen = HashSet::new();
        open.retain(|it| seen.insert(*it));
        if are_less && open.len() > 1 {
            head.candidates = open.into_iter().map(str::to_owned).collect();
            return;
        }
        let place = self.asked.iter().position(|it| it.0 == request);
        head.operation = place.and_then(|it| self.asked.remove(it)).map(|it| it.1);
    }

    /// Nothing more comes: the messages whose rest was waited for, in the order in which they began.
    pub fn end(&mut self) -> Vec<Unfinished> {
        let unfinished = |Begun { origin, head, bytes, .. }| Unfinished { origin, head, bytes };
        self.begun.drain(..).map(unfinished).collect()
    }

    /// The rest of a message.
    fn go_on(
        &mut self,
        (is_client, request): (Option<bool>, Option<u32>),
        has_more: bool,
        rest: &[u8],
        limits: &Limits,
    ) -> Result<(Head, Option<Vec<u8>>)> {
        let is_it = |it: &Begun| {
            it.request == request && is_client.is_none_or(|is_client| it.is_client == is_client)
        };
        let Some(place) = self.begun.iter().rposition(is_it) else {
            let what = "a message of which it is a fragment";
            return Err(Error::new(ErrorKind::Expected(what.into()), 0));
        };
        let begun = &mut self.begun[place];
        if begun.bytes.len() + rest.len() > limits.message_bytes {
            let kind = ErrorKind::Limit { name: "message_bytes", limit: limits.message_bytes };
            return Err(Error::new(kind, 0));
        }
        begun.bytes.extend_from_slice(rest);
        if has_more {
            return Ok((begun.head.clone(), None));
        }
        let Begun { head, bytes, .. } = self.begun.remove(place);
        Ok((head, Some(bytes)))
    }
}

impl Head {
    /// Is it the head of a Request or a Reply, whose body IDL describes?
    pub fn has_body(&self) -> bool {
        self.has_body
    }

    /// Reads the head of a message.
    ///
    /// # Errors
    /// It ends too early, or an operation is no text.
    fn read(header: &Giop, bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, header.is_little);
        let is_new = header.version >= (1, 2);
        let mut head = Self::default();
        match header.message_type {
            REQUEST if is_new => {
                head.request = Some(reader.ulong()?);
                // How it is answered, and what is reserved.
                head.is_answered = reader.octets(4)?[0] & 1 != 0;
                reader.target()?;
                head.operation = Some(reader.string()?.to_owned());
                reader.contexts()?;
            }
            REQUEST => {
                reader.contexts()?;
                head.request = Some(reader.ulong()?);
                let reserved = if header.version == (1, 1) { 3 } else { 0 };
                head.is_answered = reader.octets(1 + reserved)?[0] != 0;
                reader.sequence()?;
                head.operation = Some(reader.string()?.to_owned());
                reader.sequence()?;
            }
            REPLY => {
                if !is_new {
                    reader.contexts()?;
                }
                head.request = Some(reader.ulong()?);
                head.status = Some(reader.ulong()?);
                if is_new {
                    reader.contexts()?;
                }
            }
            // CancelRequest, LocateRequest, LocateReply.
            2..=4 => {
                head.request = Some(reader.ulong()?);
                if header.message_type == 4 {
                    head.status = Some(reader.ulong()?);
                }
            }
            _ => {}
        }
        head.body = reader.at;
        head.has_body = header.message_type <= REPLY;
        // A body that is there begins at a multiple of eight.
        let aligned = reader.at.next_multiple_of(8);
        if is_new && header.message_type <= REPLY && aligned <= bytes.len() {
            head.body = aligned;
        }
        Ok(head)
    }
}

/// What IDL says of messages.
pub struct Calls {
    calls: Vec<Call>,
    known: HashMap<Kind, Known>,
    limits: Limits,
}

impl Calls {
    /// What this describes.
    pub fn new(specification: &Specification, limits: Limits) -> Self {
        Self { calls: specification.calls(), known: HashMap::new(), limits }
    }

    /// What a whole message says.
    ///
    /// # Errors
    /// It is not as IDL has it, or IDL does not have it: why, and where.
    pub fn read(
        &mut self,
        specification: &Specification,
        head: &Head,
        bytes: &[u8],
    ) -> Result<Described<'_>, Unread> {
        let not = |why: &str| Err(Unread::NotDescribed(why.to_owned()));
        let Some(header) = Giop::read(bytes) else { return not("it has no head") };
        let body = (bytes, head.body);
        let kind: fn(usize) -> Kind = match (header.message_type, head.status) {
            (REQUEST, _) => Kind::Request,
            (REPLY, Some(0)) => Kind::Reply,
            (REPLY, Some(1 | 2)) => {
                let mut reader = Reader { bytes, at: head.body, is_little: header.is_little };
                let id = reader.string().map_err(|it| Unread::Wrong(it.to_string()))?;
                let kind = Kind::Exception(id.to_owned());
                self.decode(specification, &kind, (bytes, reader.at), header.is_little)?;
                return Ok(self.described(&kind));
            }
            _ => return not("IDL says nothing of what it holds"),
        };
        let Some(name) = &head.operation else {
            return not(match &*head.candidates {
                [] => "the request that it answers was not seen",
                _ => "not every request of its number is answered",
            });
        };
        // Several interfaces may have one of this name, and which is called only the object knows.
        let all: Vec<usize> =
            (0..self.calls.len()).filter(|it| self.calls[*it].name == *name).collect();
        let mut why = Unread::NotDescribed(format!("IDL has no operation {name}"));
        for kind in all.into_iter().map(kind) {
            match self.decode(specification, &kind, body, header.is_little) {
                Ok(()) => return Ok(self.described(&kind)),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    fn described(&self, kind: &Kind) -> Described<'_> {
        let known = &self.known[kind];
        Described { name: &known.name, content: known.layout.as_deref().zip(known.record.as_ref()) }
    }

    fn decode(
        &mut self,
        specification: &Specification,
        kind: &Kind,
        (bytes, at): (&[u8], usize),
        is_little: bool,
    ) -> Result<(), Unread> {
        if !self.known.contains_key(kind) {
            let known = self.compile(specification, kind).map_err(Unread::NotDescribed)?;
            // Names of exceptions of the standard may be anything.
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            self.known.insert(kind.clone(), known);
        }
        let limits = &self.limits;
        let Some(known) = self.known.get_mut(kind) else { return Ok(()) };
        let Known { name, layout, record, decoders } = known;
        let (Some(layout), Some(record)) = (layout, record) else {
            return match bytes.len().saturating_sub(at) {
                0 => Ok(()),
                count => {
                    let bytes = if count == 1 { "byte" } else { "bytes" };
                    Err(Unread::Wrong(format!("{name}: {count} {bytes} more than it has, at {at}")))
                }
            };
        };
        let decoder = &mut decoders[usize::from(is_little)];
        let decoder = match decoder {
            Some(decoder) => decoder,
            None => {
                let byte_order =
                    if is_little { cdr::ByteOrder::Little } else { cdr::ByteOrder::Big };
                let options = cdr::Options { byte_order, ..cdr::Options::default() };
                let plan = cdr::Plan::new(layout, &options);
                let plan = plan.map_err(|it| Unread::NotDescribed(it.to_string()))?;
                decoder.insert(cdr::Decoder::with_limits(&plan, limits.clone()))
            }
        };
        decoder
            .decode_behind(bytes, at, record)
            .map_err(|it| Unread::Wrong(format!("{name}: {it}")))
    }

    fn compile(&self, specification: &Specification, kind: &Kind) -> Result<Known, String> {
        let (name, layout) = match kind {
            Kind::Request(at) => {
                let call = &self.calls[*at];
                (call.name.clone(), specification.request(call))
            }
            Kind::Reply(at) => {
                let call = &self.calls[*at];
                (call.name.clone(), specification.reply(call))
            }
            Kind::Exception(id) => match specification.exception(id) {
                Some(it) => {
                    let name = specification.declaration(it).name.clone();
                    (name, specification.exception_layout(it))
                }
                // Each of the standard's has the same members.
                None => match id.strip_prefix("IDL:omg.org/CORBA/") {
                    Some(rest) => {
                        let name = rest.split(':').next().unwrap_or(rest);
                        (format!("CORBA::{name}"), Ok(Some(system_exception(name)?)))
                    }
                    None => return Err(format!("IDL has no exception {id}")),
                },
            },
        };
        let layout = layout.map_err(|it| it.to_string())?.map(Arc::new);
        let record = layout.as_ref().map(Record::new);
        Ok(Known { name, layout, record, decoders: [None, None] })
    }
}

impl Described<'_> {
    /// It in JSON.
    ///
    /// # Errors
    /// It has no form there.
    pub fn json(&self, limits: &Limits) -> Result<Vec<u8>> {
        let Some((layout, record)) = self.content else {
            return Ok(format!("{{\"{}\":{{}}}}", self.name).into_bytes());
        };
        let layout = Arc::new(layout.clone());
        let mut codec = Codec::new(&layout, Format::Json, &Options::default(), limits)?;
        codec.encode(record).map(<[u8]>::to_vec)
    }
}

fn system_exception(name: &str) -> Result<Layout, String> {
    use trunkline_message::{Body, IntegerKind, Kind, Member, Need, Types};
    let mut types = Types::default();
    let root = types.declare(name);
    let completed = types
        .enumeration("CompletionStatus", &["COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"]);
    let minor = types.scalar(Kind::Integer(IntegerKind::U32));
    let member = |name: &str, of| Member { name: name.into(), of, need: Need::Required };
    types
        .set_body(root, Body::Struct(vec![member("minor", minor), member("completed", completed)]));
    types.layout(root).map_err(|it| it.to_string())
}

fn truncated(at: usize) -> Error {
    Error::new(ErrorKind::Truncated { expected: "the head of the message" }, at)
}

/// Reads a head, alignment counted from the first octet of the message.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    is_little: bool,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], is_little: bool) -> Self {
        Self { bytes, at: Giop::HEADER, is_little }
    }

    fn octets(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count);
        let octets = end.and_then(|end| self.bytes.get(self.at..end));
        let octets = octets.ok_or_else(|| truncated(self.bytes.len()))?;
        self.at += count;
        Ok(octets)
    }

    fn aligned<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.at = self.at.next_multiple_of(N);
        let octets = self.octets(N)?;
        octets.try_into().map_err(|_| truncated(self.at))
    }

    fn ulong(&mut self) -> Result<u32> {
        let octets = self.aligned()?;
        Ok(if self.is_little { u32::from_le_bytes(octets) } else { u32::from_be_bytes(octets) })
    }

    fn sequence(&mut self) -> Result<&'a [u8]> {
        let count = self.ulong()?;
        self.octets(count as usize)
    }

    fn string(&mut self) -> Result<&'a str> {
        let octets = self.sequence()?;
        let text = octets.strip_suffix(&[0]).and_then(|it| std::str::from_utf8(it).ok());
        let what = "a text that ends with a zero";
        text.ok_or_else(|| Error::new(ErrorKind::Expected(what.into()), self.at - octets.len()))
    }

    /// Service contexts, whatever is in them.
    fn contexts(&mut self) -> Result<()> {
        for _ in 0..self.ulong()? {
            self.ulong()?;
            self.sequence()?;
        }
        Ok(())
    }

    /// The object that is called: by its key, or by a profile or a whole reference.
    fn target(&mut self) -> Result<()> {
        let octets = self.aligned()?;
        let how =
            if self.is_little { u16::from_le_bytes(octets) } else { u16::from_be_bytes(octets) };
        match how {
            0 => _ = self.sequence()?,
            1 => {
                self.ulong()?;
                self.sequence()?;
            }
            2 => {
                self.ulong()?;
                self.string()?;
                for _ in 0..self.ulong()? {
                    self.ulong()?;
                    self.sequence()?;
                }
            }
            _ => {
                let what = "a key, a profile or a reference of the object";
                return Err(Error::new(ErrorKind::Expected(what.into()), self.at - 2));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request of GIOP 1.2 for `add`, the most significant byte first, with a service context.
    const REQUEST_BYTES: &[u8] = b"GIOP\x01\x02\x00\x00\x00\x00\x00\x34\
        \x00\x00\x00\x07\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03key\x00\
        \x00\x00\x00\x04add\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x03abc\x00\
        \x00\x00\x00\x28\x00\x00\x00\x02";

    #[test]
    fn a_head_says_what_is_called_and_where_its_body_begins() {
        let header = Giop::read(REQUEST_BYTES).expect("a header");
        let head = Head::read(&header, REQUEST_BYTES).expect("a head");
        assert_eq!((head.request, head.is_answered), (Some(7), true));
        assert_eq!(head.operation.as_deref(), Some("add"));
        assert_eq!(REQUEST_BYTES[head.body..], *b"\0\0\0\x28\0\0\0\x02");
    }

    #[test]
    fn what_is_cut_or_counts_too_much_is_an_error() {
        let limits = Limits::default();
        let body = REQUEST_BYTES.len() - 8;
        for length in 0..body - 1 {
            let mut exchanges = Exchanges::default();
            let cut = exchanges.take(None, &REQUEST_BYTES[..length], &Origin::default(), &limits);
            assert!(cut.is_err(), "{length}");
        }
        for at in Giop::HEADER..body {
            let mut bytes = REQUEST_BYTES.to_vec();
            bytes[at] = 0xff;
            // Whatever it comes to, it ends.
            _ = Exchanges::default().take(None, &bytes, &Origin::default(), &limits);
        }
    }

    #[test]
    fn fragments_are_put_together_by_their_request() {
        let limits = Limits { message_bytes: 200, ..Limits::default() };
        let origin = Origin::default();
        let (mut first, mut exchanges) = (REQUEST_BYTES[..56].to_vec(), Exchanges::default());
        first[6] |= 2;
        let (head, whole) = exchanges.take(None, &first, &origin, &limits).expect("a message");
        assert_eq!((head.request, whole), (Some(7), None));
        let fragment = |request: u8, rest: &[u8]| {
            let mut bytes = b"GIOP\x01\x02\x00\x07\x00\x00\x00\x00\x00\x00\x00".to_vec();
            bytes.push(request);
            bytes.extend_from_slice(rest);
            bytes
        };
        let other = exchanges.take(None, &fragment(8, b"x"), &origin, &limits);
        let error = other.expect_err("another request");
        assert!(error.to_string().contains("fragment"), "{error}");
        let long = exchanges.take(None, &fragment(7, &[0; 200]), &origin, &limits);
        long.expect_err("it is too long");
        let rest = &REQUEST_BYTES[56..];
        let last = exchanges.take(None, &fragment(7, rest), &origin, &limits);
        let (head, whole) = last.expect("the rest");
        assert_eq!(head.operation.as_deref(), Some("add"));
        let mut expected = first;
        expected.extend_from_slice(rest);
        assert_eq!(whole, Some(expected));
        assert!(exchanges.end().is_empty());
    }

    #[test]
    fn what_waits_for_its_rest_is_told_at_the_end_unless_it_is_cancelled() {
        let limits = Limits::default();
        let mut first = REQUEST_BYTES[..56].to_vec();
        first[6] |= 2;
        let file = |name: &str| Origin { file: name.into(), place: Place { line: 1, offset: 3 } };
        let mut exchanges = Exchanges::default();
        exchanges.take(None, &first, &file("a"), &limits).expect("a message");
        let all = exchanges.end();
        let told: Vec<_> = all.iter().map(|it| (&it.origin, it.head.request)).collect();
        assert_eq!(told, [(&file("a"), Some(7))]);
        assert!(exchanges.end().is_empty());
        exchanges.take(None, &first, &file("a"), &limits).expect("a message");
        let cancel = b"GIOP\x01\x02\x00\x02\x00\x00\x00\x04\x00\x00\x00\x07";
        exchanges.take(None, cancel, &file("a"), &limits).expect("a message");
        assert!(exchanges.end().is_empty());
    }

    #[test]
    fn so_many_messages_wait_and_no_more() {
        let (limits, origin) = (Limits::default(), Origin::default());
        let mut first = REQUEST_BYTES[..56].to_vec();
        first[6] |= 2;
        let mut exchanges = Exchanges::default();
        for request in 0..MOST_WAITING as u32 {
            first[12..16].copy_from_slice(&request.to_be_bytes());
            exchanges.take(None, &first, &origin, &limits).expect("a message");
        }
        let error = exchanges.take(None, &first, &origin, &limits).expect_err("too many");
        assert!(error.to_string().contains("messages_begun = 4096"), "{error}");
        assert_eq!(exchanges.end().len(), MOST_WAITING);
    }
}
