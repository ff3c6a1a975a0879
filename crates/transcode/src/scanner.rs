//! Finds the messages in a text or a stream: logs with prefixes before them, documents one after the other, dumps in
//! hexadecimal or base64.
//!
//! It reads nothing itself: bytes are fed to it, and messages are taken out. It holds no more than one message at a time. What
//! waits for more is not looked at again, so that the time grows with the bytes, however they come and however long a line is.

mod documents;
mod lines;
mod tag_value;

use std::collections::VecDeque;

use memchr::{memchr, memchr_iter};
use trunkline_codec::fix::{self, SOH};
use trunkline_message::{Error, ErrorKind, Limits};
use trunkline_net::{Frame, Framer as _, Xml};

use self::documents::{
    Documents, Fate, LONGEST_NAME, behind_prolog, document_begins, holds_others,
};
use self::lines::{Lines, may_be_document};
use self::tag_value::{
    LONGEST_HEAD, LOOK_BACK, Settled, delimiter, fix_begins, is_right, next_fix, replaced, settle,
    text_end,
};
use crate::dump::{self, Line, Written};
use crate::fix::check_sum;
use crate::kind::Kind;

/// Where a message stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its first byte in the input, from 0.
    pub offset: u64,
}

/// A message that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it begins.
    pub place: Place,
    /// What it is; none of a dump of something else.
    pub kind: Option<Kind>,
    /// How it was written.
    pub written: Written,
    /// What stands before it on its line.
    pub before: String,
    /// The character of its line at which it begins, from 1; none behind another message, and of a dump, whose lines are not
    /// those of the message.
    pub column: Option<u32>,
    /// The message, as it is on the wire.
    pub bytes: Vec<u8>,
}

impl Found {
    /// A message that begins a line and is as it is on the wire.
    pub fn alone(place: Place, bytes: Vec<u8>) -> Self {
        let (written, before) = (Written::Plain, String::new());
        Self { place, kind: Kind::of(&bytes), written, before, column: Some(1), bytes }
    }

    /// The line and the character of the input at which a line and a character of the message are, as far as that is known.
    pub fn line_and_column(&self, line: u32, column: u32) -> (u64, Option<u32>) {
        match (&self.written, line) {
            (Written::Hexadecimal | Written::Base64, _) => (self.place.line, None),
            (_, 0 | 1) => {
                let further = column.saturating_sub(1);
                (self.place.line, self.column.map(|it| it.saturating_add(further)))
            }
            _ => (self.place.line + u64::from(line - 1), Some(column)),
        }
    }
}

/// What begins as a message and is none, or is too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Where it begins.
    pub place: Place,
    /// What it begins as.
    pub kind: Option<Kind>,
    /// What is wrong, at which of its bytes.
    pub error: Error,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A log: messages somewhere on lines.
    Log,
    /// Documents of XML, which may begin with any element.
    Documents,
    /// A log whose dumps may be of anything.
    Dumps,
}

/// The mark of UTF-8 with which some files begin.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes of a line that are searched at once for where something begins.
const PART: usize = 4096;

/// So many times the bytes of the input are looked at for messages of FIX that are none,
const MOST_IN_VAIN: u64 = 32;

/// beside so many, since a few that are cut at the beginning of a log should not keep those behind them from being settled.
const FREE_IN_VAIN: u64 = 64 << 20;

/// Characters of what stands before a message that are kept.
const LONGEST_BEFORE: usize = 200;

/// Finds messages in bytes that are fed to it.
#[derive(Debug)]
pub struct Scanner {
    limits: Limits,
    content: Content,
    buffer: Vec<u8>,
    /// The first byte that is not used.
    start: usize,
    place: Place,
    seen: Seen,
    is_end: bool,
    /// Something was found on this line.
    is_used: bool,
    pending: Option<Pending>,
    /// Of a dump that held several messages, those that were not yet taken.
    of_dump: VecDeque<Result<Found, Bad>>,
    xml: Xml,
    /// Finds where a document ends, however deep it is, which is for its reader to limit.
    framing: Limits,
    /// Documents that begin before this place of the input are not framed: one around them was, in vain.
    framed: u64,
    /// What becomes of them.
    documents: Documents,
    /// Which lines may be documents.
    lines: Lines,
    /// Bytes that were looked at for messages of FIX that were none.
    in_vain: u64,
    /// Behind that nothing is read.
    unread: Option<Place>,
    /// Lines without a message.
    passed_over: u64,
    /// Zeros before lines.
    zeros: u64,
}

/// A dump that may go on.
#[derive(Debug)]
struct Pending {
    place: Place,
    line: Line,
}

/// What is known of the bytes that are not used, so that it is found out once. Places are counted from the first of them.
#[derive(Debug, Default)]
struct Seen {
    /// The end of the line.
    newline: Option<usize>,
    /// It does not end before that.
    no_newline: usize,
    /// Blanks with which the line begins.
    blanks: usize,
    /// What begins on the line,
    begin: Option<Begin>,
    /// and before that nothing does.
    nothing: usize,
    /// Counted from that beginning: before that FIX neither ends, nor does another message begin.
    open: usize,
}

impl Seen {
    /// So many bytes are used.
    fn advance(&mut self, bytes: usize) {
        let (newline, no_newline) = match self.newline {
            Some(newline) if newline < bytes => (None, 0),
            Some(newline) => (Some(newline - bytes), 0),
            None => (None, self.no_newline.saturating_sub(bytes)),
        };
        *self = Self { newline, no_newline, ..Self::default() };
    }
}

/// The beginning of a message, by its place on a line.
#[derive(Clone, Copy, Debug)]
enum Begin {
    Fix(usize),
    Xml(usize),
    Json(usize),
    /// A document of XML, which is the line up to there.
    Line(usize),
}

/// What became of a beginning.
enum Taken {
    /// It waits for more bytes.
    Waits,
    /// So many bytes are a message.
    Message(Found, usize),
    /// So many bytes are none.
    Bad(Bad, usize),
    /// So many bytes belong to the document before, and say nothing.
    Nothing(usize),
}

impl Scanner {
    /// One that has seen nothing.
    pub fn new(limits: Limits, content: Content) -> Self {
        let framing = Limits { depth: usize::MAX, ..limits.clone() };
        Self {
            limits,
            framing,
            framed: 0,
            documents: Documents::default(),
            lines: Lines::default(),
            in_vain: 0,
            unread: None,
            content,
            buffer: Vec::new(),
            start: 0,
            place: Place { line: 1, offset: 0 },
            seen: Seen::default(),
            is_end: false,
            is_used: false,
            pending: None,
            of_dump: VecDeque::new(),
            xml: Xml::default(),
            passed_over: 0,
            zeros: 0,
        }
    }

    /// The same for what stands behind so many bytes.
    pub fn behind(offset: u64, limits: Limits, content: Content) -> Self {
        Self { place: Place { line: 1, offset }, ..Self::new(limits, content) }
    }

    /// The next bytes of the input. Take all messages out before more are fed.
    pub fn feed(&mut self, bytes: &[u8]) {
        // Little of much is not worth moving the rest.
        if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// No more bytes come.
    pub fn end(&mut self) {
        self.is_end = true;
    }

    /// How many lines had no message.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// How many zeros stood before lines: a log has them where it was truncated while its writer went on.
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// From where on nothing is read, since a document there is wrong so that nobody knows where it ends.
    pub fn unread(&self) -> Option<Place> {
        self.unread
    }

    /// The next message; none if more bytes are needed, or at the end.
    pub fn next_message(&mut self) -> Option<Result<Found, Bad>> {
        loop {
            if let Some(next) = self.of_dump.pop_front() {
                return Some(next);
            }
            let waiting = self.buffer.len() - self.start;
            if self.unread.is_some() {
                self.advance(waiting);
                return None;
            }
            if waiting == 0 {
                return if self.is_end { self.flush() } else { None };
            }
            if self.pass_zeros() {
                continue;
            }
            let newline = self.newline();
            let length = newline.unwrap_or(waiting);
            let is_whole = newline.is_some() || self.is_end;
            match self.begin(length, is_whole) {
                Some(begin) => {
                    if let Some(found) = self.flush() {
                        return Some(found);
                    }
                    match self.take(begin) {
                        Taken::Waits => return self.too_long(),
                        Taken::Nothing(used) => self.advance(used),
                        Taken::Message(found, used) => {
                            self.lines.found();
                            self.advance(used);
                            self.is_used = true;
                            return Some(Ok(found));
                        }
                        Taken::Bad(bad, used) => {
                            if bad.kind == Some(Kind::Xml) {
                                let at = (bad.place.offset - self.place.offset) as usize;
                                let rest = &self.buffer[self.start..self.start + used];
                                self.lines.cut(&rest[at..]);
                            }
                            self.advance(used);
                            self.is_used = true;
                            return Some(Err(bad));
                        }
                    }
                }
                None if is_whole => {
                    let found = self.other_line(length);
                    self.advance(length + usize::from(newline.is_some()));
                    if found.is_some() {
                        return found;
                    }
                }
                None => return self.too_long(),
            }
        }
    }

    /// Are there zeros before a line? Then they are passed over.
    fn pass_zeros(&mut self) -> bool {
        if self.is_used || self.content == Content::Documents {
            return false;
        }
        let rest = &self.buffer[self.start..];
        let zeros = rest.iter().take_while(|it| **it == 0).count();
        if zeros == 0 {
            // What has been seen of the line stays so.
            return false;
        }
        self.zeros += zeros as u64;
        self.advance(zeros);
        true
    }

    /// What waits is longer than a message may be, so that it is passed over.
    fn too_long(&mut self) -> Option<Result<Found, Bad>> {
        let waiting = self.buffer.len() - self.start;
        let limit = self.limits.message_bytes;
        if waiting <= limit {
            return None;
        }
        let error = Error::new(ErrorKind::Limit { name: "message_bytes", limit }, limit);
        let bad = Bad { place: self.place, kind: Kind::of(&self.buffer[self.start..]), error };
        self.xml = Xml::default();
        self.advance(waiting);
        self.is_used = true;
        Some(Err(bad))
    }

    fn advance(&mut self, bytes: usize) {
        let used = &self.buffer[self.start..self.start + bytes];
        let lines = memchr_iter(b'\n', used).count() as u64;
        self.place.line += lines;
        self.place.offset += bytes as u64;
        self.start += bytes;
        self.seen.advance(bytes);
        if lines > 0 {
            self.is_used = false;
        }
    }

    /// Is the line one of a dump with places? Its characters may show the beginning of a message, which is none.
    fn is_of_dump(&self, line: &[u8]) -> bool {
        let next = self.pending.as_ref().map_or(0, |it| it.line.bytes.len());
        !self.is_used && dump::place(line).is_some_and(|place| place == 0 || place == next)
    }

    /// Where the line ends, if that has come.
    fn newline(&mut self) -> Option<usize> {
        if self.seen.newline.is_none() {
            let rest = &self.buffer[self.start..];
            let from = self.seen.no_newline;
            self.seen.newline = memchr(b'\n', &rest[from..]).map(|it| from + it);
            self.seen.no_newline = rest.len();
        }
        self.seen.newline
    }

    /// What begins on the line, of which so much is there.
    fn begin(&mut self, length: usize, is_whole: bool) -> Option<Begin> {
        if self.seen.begin.is_none() {
            let line = &self.buffer[self.start..self.start + length];
            let is_open = self.content == Content::Log && !self.is_used;
            let may_be_document =
                is_open && length <= self.limits.message_bytes && may_be_document(line);
            if may_be_document && !is_whole {
                return None;
            }
            if may_be_document && let Some(end) = self.lines.document(line, &self.limits) {
                self.seen.begin = Some(Begin::Line(end));
                return self.seen.begin;
            }
            let blanks = line[self.seen.blanks..].iter().take_while(|it| it.is_ascii_whitespace());
            let blanks = self.seen.blanks + blanks.count();
            let begin = match self.is_of_dump(&line[blanks..]) {
                true => None,
                false => self.begin_behind(line, blanks, is_whole),
            };
            self.seen.nothing = length.saturating_sub(LONGEST_NAME + 1);
            self.seen.blanks = blanks;
            self.seen.begin = begin;
        }
        self.seen.begin
    }

    fn begin_behind(&self, line: &[u8], blanks: usize, is_whole: bool) -> Option<Begin> {
        let rest = &line[blanks..];
        let mark = if self.place.offset == 0 && rest.starts_with(MARK) { MARK.len() } else { 0 };
        if rest[mark..].starts_with(b"{") && !self.is_used {
            return Some(Begin::Json(blanks + mark));
        }
        let head = &rest[..rest.len().min(LONGEST_HEAD)];
        if self.content == Content::Documents && Kind::of(head) == Some(Kind::Xml) {
            return Some(Begin::Xml(blanks));
        }
        // What begins first is what there is. Part by part, since other messages may begin on the same line behind it.
        let mut from = self.seen.nothing;
        while from < line.len() {
            let to = line.len().min(from + PART);
            let fix = fix_begins(&line[..line.len().min(to + b"8=FI".len())], from);
            let xml = document_begins(line, from..fix.unwrap_or(to), is_whole);
            if let Some(begin) = xml.map(Begin::Xml).or(fix.map(Begin::Fix)) {
                return Some(begin);
            }
            from = to;
        }
        None
    }

    fn take(&mut self, begin: Begin) -> Taken {
        match begin {
            Begin::Fix(at) => self.take_fix(at),
            Begin::Xml(at) => self.take_document(at),
            Begin::Line(end) => Taken::Message(self.found(0, end, Kind::Xml), end),
            Begin::Json(at) => {
                let end = self.seen.newline.map(|it| it - at);
                if end.is_none() && !self.is_end {
                    return Taken::Waits;
                }
                let rest = &self.buffer[self.start + at..];
                let end = end.unwrap_or(rest.len());
                let length = rest[..end].trim_ascii_end().len();
                let found = self.found(at, at + length, Kind::Json);
                Taken::Message(found, at + end)
            }
        }
    }

    /// Place of what begins so many bytes behind the present one.
    fn place_at(&self, at: usize) -> Place {
        Place { line: self.place.line, offset: self.place.offset + at as u64 }
    }

    fn found(&self, begin: usize, end: usize, kind: Kind) -> Found {
        let rest = &self.buffer[self.start..];
        Found {
            place: self.place_at(begin),
            kind: Some(kind),
            written: Written::Plain,
            before: before(&rest[..begin]),
            column: (!self.is_used).then(|| {
                let before = String::from_utf8_lossy(&rest[..begin]).chars().count();
                u32::try_from(before + 1).unwrap_or(u32::MAX)
            }),
            bytes: rest[begin..end].to_vec(),
        }
    }

    fn bad(&self, at: usize, kind: Kind, error: Error, used: usize) -> Taken {
        Taken::Bad(Bad { place: self.place_at(at), kind: Some(kind), error }, used)
    }

    fn take_fix(&mut self, at: usize) -> Taken {
        let rest = &self.buffer[self.start + at..];
        let newline = self.seen.newline.map(|it| it - at);
        let line_end = newline.unwrap_or(rest.len());
        let Some(delimiter) = delimiter(&rest[..line_end]) else {
            let near = 2 * LONGEST_HEAD;
            if newline.is_none() && rest.len() < near && !self.is_end {
                return Taken::Waits;
            }
            let expected = "BeginString (8=), a delimiter and BodyLength (9=)";
            let error = Error::new(ErrorKind::Expected(expected.into()), 0);
            // It may be cut there, and the next one begin.
            let next = next_fix(&rest[..line_end.min(near)], 0).filter(|it| *it < LONGEST_HEAD);
            return self.bad(at, Kind::Fix, error, at + next.unwrap_or(b"8=FIX".len()));
        };
        if delimiter == [SOH] {
            return self.take_framed_fix(at);
        }
        self.take_delimited_fix(at, newline.map(|_| line_end))
    }

    /// With another delimiter, a message ends on its line, with a CheckSum. Where there is none, or it is not right, values may
    /// hold what looks like something else.
    fn take_delimited_fix(&mut self, at: usize, newline: Option<usize>) -> Taken {
        let rest = &self.buffer[self.start + at..];
        let line = &rest[..newline.unwrap_or(rest.len())];
        let Some(delimiter) = delimiter(line) else { return Taken::Waits };
        let is_open = newline.is_none() && !self.is_end;
        // The next message on the line is not part of this one.
        let next = next_fix(line, self.seen.open);
        let most = next.unwrap_or(line.len());
        let has_more = next.is_none() && is_open;
        let from = if has_more { self.seen.open } else { 0 };
        let end = text_end(&line[..most], delimiter, from, has_more);
        if end.is_none() && has_more {
            self.seen.open = most.saturating_sub(LOOK_BACK);
            return Taken::Waits;
        }
        let message = end.map(|end| (replaced(&line[..end], delimiter), end));
        let is_good = message.as_ref().is_some_and(|it| is_right(&it.0, &self.limits));
        let settled = match end {
            Some(_) if is_good => Settled::Nothing,
            _ if !self.may_look_at(at) => Settled::Nothing,
            Some(_) => settle(line, delimiter, &self.limits, is_open, &mut self.in_vain),
            None => settle(rest, delimiter, &self.limits, !self.is_end, &mut self.in_vain),
        };
        let message = match settled {
            Settled::More => return Taken::Waits,
            Settled::Message(bytes, end) => Some((bytes, end)),
            // Its length or its sum is wrong, which is for its reader to say.
            Settled::Nothing => message,
        };
        let Some((bytes, end)) = message else {
            let expected = "CheckSum (10=)";
            let error = Error::new(ErrorKind::Truncated { expected }, most);
            return self.bad(at, Kind::Fix, error, at + most);
        };
        let written = Written::Delimiter(String::from_utf8_lossy(delimiter).into_owned());
        Taken::Message(Found { bytes, written, ..self.found(at, at, Kind::Fix) }, at + end)
    }

    /// May more be looked at up to there that may be none? Not where many that are cut say that they end far behind, which would
    /// take time by the square of their number.
    fn may_look_at(&self, end: usize) -> bool {
        let most = MOST_IN_VAIN.saturating_mul(self.place.offset + end as u64);
        self.in_vain <= most.saturating_add(FREE_IN_VAIN)
    }

    /// With the delimiter of the standard, a message ends where its BodyLength says, or else where its CheckSum does.
    fn take_framed_fix(&mut self, at: usize) -> Taken {
        let rest = &self.buffer[self.start + at..];
        let framed = fix::frame(rest, &self.limits);
        if let fix::Frame::Message(length) = framed {
            let message = &rest[..length];
            let trailer = &message[length - 7..];
            let is_whole = trailer.starts_with(b"10=") && trailer.ends_with(&[SOH]);
            // The end of another one may stand where one that is cut says that it ends.
            let holds_other = is_whole && next_fix(message, 0).is_some();
            let is_one = || self.may_look_at(at + length) && check_sum(message).is_ok();
            if is_whole && (!holds_other || is_one()) {
                return Taken::Message(self.found(at, at + length, Kind::Fix), at + length);
            }
            if holds_other {
                self.in_vain += length as u64;
            }
        }
        if matches!(framed, fix::Frame::Incomplete(_)) && !self.is_end {
            return Taken::Waits;
        }
        let next = next_fix(rest, self.seen.open);
        let most = next.unwrap_or(rest.len());
        let has_more = next.is_none() && !self.is_end;
        let from = if has_more { self.seen.open } else { 0 };
        if let Some(end) = text_end(&rest[..most], &[SOH], from, has_more) {
            // Its length or its end is wrong, which is for its reader to say.
            return Taken::Message(self.found(at, at + end, Kind::Fix), at + end);
        }
        if has_more {
            self.seen.open = most.saturating_sub(LOOK_BACK);
            return Taken::Waits;
        }
        let line_end = memchr(b'\n', &rest[..most]).unwrap_or(most);
        let error = Error::new(ErrorKind::Truncated { expected: "CheckSum (10=)" }, line_end);
        self.bad(at, Kind::Fix, error, at + line_end)
    }

    fn take_document(&mut self, at: usize) -> Taken {
        let rest = &self.buffer[self.start + at..];
        let begin = self.place.offset + at as u64;
        let is_log = self.content != Content::Documents;
        if begin >= self.framed {
            let most = if is_log { self.most(at) } else { usize::MAX };
            let text = &rest[..rest.len().min(most)];
            let length = match self.xml.frame(text, &self.framing) {
                Ok(Frame::Message(range)) if !is_log || !holds_others(&rest[..range.end]) => {
                    let end = at + range.end;
                    return Taken::Message(self.found(at, end, Kind::Xml), end);
                }
                Ok(Frame::Message(range)) => range.end,
                Ok(_) if !self.is_end && text.len() == rest.len() => return Taken::Waits,
                Ok(_) => text.len(),
                Err(error) => {
                    self.xml = Xml::default();
                    let length = error.offset().clamp(1, rest.len());
                    if is_log {
                        self.framed = begin + length as u64;
                        return self.cut(at, length, Some(error));
                    }
                    // Here it is more of a document that was rejected.
                    let used = at + rest.len();
                    self.unread = Some(self.place_at(at));
                    return self.bad(at, Kind::Xml, error, used);
                }
            };
            self.xml = Xml::default();
            self.framed = begin + length as u64;
            // Behind a document that is cut may be anything.
            if !is_log {
                self.content = Content::Log;
            }
        }
        self.take_known_document(at)
    }

    /// One in a part of the input that was framed in vain: more seems to stand in it than its own.
    fn take_known_document(&mut self, at: usize) -> Taken {
        let rest = &self.buffer[self.start + at..];
        let begin = self.place.offset + at as u64;
        let limit = self.limits.message_bytes;
        let most = rest.len().min(self.most(at));
        match self.documents.fate(begin, &rest[..most]) {
            Fate::Whole(length) => {
                Taken::Message(self.found(at, at + length, Kind::Xml), at + length)
            }
            Fate::Open if !self.is_end && most == rest.len() => Taken::Waits,
            Fate::Open if most < rest.len() => {
                let kind = ErrorKind::Limit { name: "message_bytes", limit };
                self.cut(at, most, Some(Error::new(kind, limit)))
            }
            // Its line has to be there.
            Fate::Cut if !self.is_end && self.seen.newline.is_none() && most == rest.len() => {
                Taken::Waits
            }
            _ => self.cut(at, most, None),
        }
    }

    /// Bytes that may wait for the end of a message which begins so many bytes behind the present place.
    fn most(&self, at: usize) -> usize {
        self.limits.message_bytes.saturating_sub(at)
    }

    /// One that is cut within so many bytes does not hide what follows: the next document on its line, and the lines behind.
    fn cut(&self, at: usize, most: usize, error: Option<Error>) -> Taken {
        let rest = &self.buffer[self.start + at..];
        let line_end = self.seen.newline.map_or(most, |it| most.min(it - at));
        let line = &rest[..line_end];
        let element = line_end - behind_prolog(line).len();
        let next = document_begins(line, element + 1..line_end, true);
        let used = next.unwrap_or(line_end).max(1);
        if let Some(error) = error {
            return self.bad(at, Kind::Xml, error, at + used);
        }
        if self.is_end && behind_prolog(rest).is_empty() {
            return Taken::Nothing(at + rest.len());
        }
        match Xml::default().frame(&rest[..used], &self.framing) {
            // It is wrong, but not cut.
            Ok(Frame::Message(range)) => {
                let end = at + range.end;
                Taken::Message(self.found(at, end, Kind::Xml), end)
            }
            Ok(_) => {
                let framed = self.framed - self.place.offset - at as u64;
                let behind = &rest[used..most.min(framed as usize).max(used)];
                let document = document_begins(behind, 0..behind.len(), true);
                let ends = document.unwrap_or(behind.len());
                let ends = used + fix_begins(&behind[..ends], 0).unwrap_or(ends);
                let expected = "the end of the document";
                let error = Error::new(ErrorKind::Truncated { expected }, ends);
                self.bad(at, Kind::Xml, error, at + used)
            }
            Err(error) => {
                let used = error.offset().clamp(1, used);
                self.bad(at, Kind::Xml, error, at + used)
            }
        }
    }

    /// A line in which nothing begins: perhaps of a dump. Answers the dump before it, if it does not go on.
    fn other_line(&mut self, length: usize) -> Option<Result<Found, Bad>> {
        let bytes = &self.buffer[self.start..self.start + length];
        if !self.is_used {
            self.lines.pass(bytes);
        }
        let is_dump = self.content == Content::Dumps;
        let line = if self.is_used { None } else { dump::line(bytes, is_dump) };
        let end = || self.pending.as_ref().and_then(|it| it.line.end(bytes));
        let line = line.or_else(|| if self.is_used { None } else { end() });
        let place = self.place;
        match (&mut self.pending, line) {
            (Some(pending), Some(line)) if pending.line.goes_on_with(&line) => {
                pending.line.append(line);
                if pending.line.bytes.len() > self.limits.message_bytes {
                    self.flush()
                } else {
                    None
                }
            }
            (_, line) => {
                let line = line.filter(Line::is_first);
                if line.is_none() && !self.is_used && !bytes.trim_ascii().is_empty() {
                    self.passed_over += 1;
                }
                let before = self.flush();
                self.pending = line.map(|line| Pending { place, line });
                before
            }
        }
    }

    /// The dump that was read, if it is of something; the first of its messages, if it is of several.
    fn flush(&mut self) -> Option<Result<Found, Bad>> {
        let Pending { place, line } = self.pending.take()?;
        let kind = Kind::of(&line.bytes);
        if kind.is_none() && !line.is_surely_a_dump() && self.content != Content::Dumps {
            self.passed_over += 1;
            return None;
        }
        if line.is_cut {
            let expected = "the last byte of the dump";
            let error = Error::new(ErrorKind::Truncated { expected }, line.bytes.len());
            return Some(Err(Bad { place, kind, error }));
        }
        if kind == Some(Kind::Fix) {
            self.of_dump = self.several(place, &line);
            if let Some(first) = self.of_dump.pop_front() {
                return Some(first);
            }
        }
        let before = String::new();
        let Line { written, bytes, .. } = line;
        Some(Ok(Found { place, kind, written, before, column: None, bytes }))
    }

    /// The messages of FIX in a dump, if they are several.
    fn several(&self, place: Place, line: &Line) -> VecDeque<Result<Found, Bad>> {
        if next_fix(&line.bytes, 0).is_none() {
            return VecDeque::new();
        }
        let mut scanner = Self::new(self.limits.clone(), Content::Log);
        scanner.feed(&line.bytes);
        scanner.end();
        let mut all = VecDeque::new();
        while let Some(next) = scanner.next_message() {
            all.push_back(match next {
                Ok(found) => {
                    let written = line.written.clone();
                    Ok(Found { place, written, before: String::new(), column: None, ..found })
                }
                Err(bad) => Err(Bad { place, ..bad }),
            });
        }
        if all.len() < 2 { VecDeque::new() } else { all }
    }
}

fn before(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown = text.chars().map(|it| if it.is_control() { ' ' } else { it });
    let text: String = shown.collect();
    let text = text.trim().trim_end_matches(['(', ':', ' ']);
    text.chars().take(LONGEST_BEFORE).collect()
}

#[cfg(test)]
mod tests;
