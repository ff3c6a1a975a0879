//! MIME's packages: `multipart/related` and its relatives (RFC 2046 section 5.1, RFC 2387).

use std::ops::Range;

use memchr::memchr;
use memchr::memmem::Finder;
use trunkline_message::Result;

use super::steps::Steps;
use super::transfer::Transfer;
use super::{Event, Head, Kind, Limits, Parts, exceeded, syntax, truncated, unwritable};

/// Blanks that may stand behind a boundary.
const PADDING: usize = 128;
/// Characters of a boundary at most (RFC 2046 section 5.1.1); there are senders of longer ones.
const BOUNDARY: usize = 200;

/// Reads a package of which the boundary is known, from the parameter of its media type.
///
/// Lines may end as the first boundary's does: in CR and LF, as they should, or in LF. Bytes of parts are never touched. The
/// transfer encodings base64 and quoted-printable are undone.
#[derive(Debug)]
pub struct Parser {
    limits: Limits,
    /// The boundary behind two dashes.
    delimiter: Vec<u8>,
    /// Finds that behind the end of a line.
    finder: Finder<'static>,
    state: State,
    /// How many bytes are done with.
    position: usize,
    /// Does a line begin here?
    begins_line: bool,
    parts: Parts,
    head: Head,
    /// How many bytes of a head that is not whole yet are whole lines.
    head_lines: usize,
    transfer: Transfer,
    /// Bytes of the part so far.
    length: u64,
    /// Where the last event's data stands in the input, if it was not decoded.
    data: Range<usize>,
    decoded: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Preamble,
    Head,
    /// In a part, in which nothing came yet or something.
    Data {
        is_first: bool,
    },
    Closed,
}

/// What stands behind the characters of a delimiter.
enum Tail {
    /// Not enough to tell.
    Open,
    /// Other characters: it is none.
    Other,
    /// The end of the line, so many bytes, the last two of which are CR and LF or not.
    Next(usize, bool),
    /// The dashes that end the package.
    Close,
}

impl Parser {
    /// With this boundary.
    ///
    /// # Errors
    /// It is empty or too long, or ends in a blank.
    pub fn new(boundary: &str, limits: &Limits) -> Result<Self> {
        let delimiter = delimiter(boundary)?;
        let finder = Finder::new(&delimiter).into_owned();
        Ok(Self {
            limits: limits.clone(),
            delimiter,
            finder,
            state: State::Preamble,
            position: 0,
            begins_line: true,
            parts: Parts::default(),
            head: Head::default(),
            head_lines: 0,
            transfer: Transfer::default(),
            length: 0,
            data: 0..0,
            decoded: Vec::new(),
        })
    }

    /// What stands behind a delimiter.
    fn tail(&self, behind: &[u8], is_last: bool) -> Tail {
        if behind.starts_with(b"--") {
            return Tail::Close;
        }
        let blanks = behind.iter().take_while(|it| matches!(it, b' ' | b'\t')).count();
        match &behind[blanks..] {
            _ if blanks > PADDING => Tail::Other,
            [b'\n', ..] => Tail::Next(blanks + 1, false),
            [b'\r', b'\n', ..] => Tail::Next(blanks + 2, true),
            [] | [b'\r'] | [b'-'] if !is_last => Tail::Open,
            _ => Tail::Other,
        }
    }

    /// Passes over what stands before the first part.
    fn preamble(&mut self, input: &[u8], is_last: bool) -> Result<(usize, Option<Event>)> {
        let mut from = 0;
        while let Some(found) = self.finder.find(&input[from..]) {
            let start = from + found;
            from = start + 1;
            let begins_line = match start {
                0 => self.begins_line,
                _ => input[start - 1] == b'\n',
            };
            if !begins_line {
                continue;
            }
            let end = start + self.delimiter.len();
            match self.tail(&input[end..], is_last) {
                Tail::Other => {}
                Tail::Open => {
                    self.begins_line = true;
                    return Ok((start, Some(Event::More)));
                }
                Tail::Close => {
                    return Err(syntax("a package without parts", self.position + start));
                }
                Tail::Next(length, has_return) => {
                    let line_end: &[u8] = if has_return { b"\r\n" } else { b"\n" };
                    self.finder =
                        Finder::new(&[line_end, self.delimiter.as_slice()].concat()).into_owned();
                    self.state = State::Head;
                    return Ok((end + length, None));
                }
            }
        }
        if is_last {
            return Err(truncated("a part", self.position + input.len()));
        }
        let done = input.len().saturating_sub(self.delimiter.len() - 1);
        if self.position + done > self.limits.preamble_bytes {
            let limit = self.limits.preamble_bytes;
            return Err(exceeded("attachment preamble_bytes", limit, self.position));
        }
        if done > 0 {
            self.begins_line = input[done - 1] == b'\n';
        }
        Ok((done, Some(Event::More)))
    }

    fn read_head(&mut self, input: &[u8], is_last: bool) -> Result<(usize, Option<Event>)> {
        let here = input.len().min(self.limits.head_bytes.saturating_add(4));
        let Some(length) = head_length(&input[..here], &mut self.head_lines) else {
            return match input.len() > self.limits.head_bytes {
                true => {
                    let limit = self.limits.head_bytes;
                    Err(exceeded("attachment head_bytes", limit, self.position))
                }
                false if is_last => {
                    Err(truncated("the header fields of a part", self.position + input.len()))
                }
                false => Ok((0, Some(Event::More))),
            };
        };
        self.head_lines = 0;
        let (head, transfer) = fields(&input[..length], self.position)?;
        self.parts.add(&head, &self.limits, self.position)?;
        (self.head, self.transfer) = (head, transfer);
        self.length = 0;
        self.state = State::Data { is_first: true };
        Ok((length, Some(Event::Part)))
    }

    fn read_data(
        &mut self,
        input: &[u8],
        is_first: bool,
        is_last: bool,
    ) -> Result<(usize, Option<Event>)> {
        // The empty line behind the header may be the end of line that belongs to the delimiter.
        if is_first && input.starts_with(&self.delimiter) {
            match self.tail(&input[self.delimiter.len()..], is_last) {
                Tail::Other => {}
                Tail::Open => return Ok((0, Some(Event::More))),
                tail => return self.end_part(self.delimiter.len(), &tail),
            }
        }
        if is_first && !is_last && self.delimiter.starts_with(input) {
            return Ok((0, Some(Event::More)));
        }
        let whole = self.finder.needle().len();
        let mut from = 0;
        while let Some(found) = self.finder.find(&input[from..]) {
            let start = from + found;
            match self.tail(&input[start + whole..], is_last) {
                Tail::Other => from = start + 1,
                Tail::Open if start == 0 => return Ok((0, Some(Event::More))),
                Tail::Open => return self.emit(&input[..start]),
                _ if start > 0 => return self.emit(&input[..start]),
                tail => return self.end_part(whole, &tail),
            }
        }
        if is_last {
            return Err(truncated("the boundary behind a part", self.position + input.len()));
        }
        // The last bytes may begin a delimiter.
        match input.len().saturating_sub(whole - 1) {
            0 => Ok((0, Some(Event::More))),
            done => self.emit(&input[..done]),
        }
    }

    /// Bytes of a part, which are not empty.
    fn emit(&mut self, bytes: &[u8]) -> Result<(usize, Option<Event>)> {
        self.state = State::Data { is_first: false };
        self.length += bytes.len() as u64;
        if self.length > self.limits.part_bytes {
            let limit = usize::try_from(self.limits.part_bytes).unwrap_or(usize::MAX);
            return Err(exceeded("attachment part_bytes", limit, self.position));
        }
        self.decoded.clear();
        if !self.transfer.is_identity() {
            self.transfer.decode(bytes, &mut self.decoded, self.position)?;
            if self.decoded.is_empty() {
                return Ok((bytes.len(), None));
            }
        }
        Ok((bytes.len(), Some(Event::Data)))
    }

    fn end_part(&mut self, delimiter: usize, tail: &Tail) -> Result<(usize, Option<Event>)> {
        self.transfer.end(self.position)?;
        let length = match tail {
            Tail::Next(length, _) => {
                self.state = State::Head;
                *length
            }
            _ => {
                self.state = State::Closed;
                2
            }
        };
        Ok((delimiter + length, Some(Event::PartEnd)))
    }
}

impl Steps for Parser {
    fn step(&mut self, input: &[u8], is_last: bool) -> Result<(usize, Option<Event>)> {
        match self.state {
            State::Preamble => self.preamble(input, is_last),
            State::Head => self.read_head(input, is_last),
            State::Data { is_first } => self.read_data(input, is_first, is_last),
            State::Closed => Ok((0, Some(Event::End))),
        }
    }

    fn advance(&mut self, done: Range<usize>) {
        self.position += done.len();
        self.data = done;
    }
}

impl super::Parser for Parser {
    fn head(&self) -> &Head {
        &self.head
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn data<'a>(&'a self, input: &'a [u8]) -> &'a [u8] {
        if self.transfer.is_identity() { &input[self.data.clone()] } else { &self.decoded }
    }
}

/// The bytes of header fields and of the empty line behind them, of which whole lines are known already.
fn head_length(input: &[u8], lines: &mut usize) -> Option<usize> {
    loop {
        match input[*lines..] {
            [b'\n', ..] => return Some(*lines + 1),
            [b'\r', b'\n', ..] => return Some(*lines + 2),
            _ => *lines += memchr(b'\n', &input[*lines..])? + 1,
        }
    }
}

/// What header fields say, which stand at this place.
fn fields(lines: &[u8], at: usize) -> Result<(Head, Transfer)> {
    let text = std::str::from_utf8(lines)
        .map_err(|error| syntax("a header field is not in UTF-8", at + error.valid_up_to()))?;
    let mut head = Head::default();
    let mut transfer = Transfer::default();
    let mut position = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let start = at + position;
        position += line.len();
        let mut field = line.trim_end().to_owned();
        while let Some(more) = lines.next_if(|it| it.starts_with([' ', '\t'])) {
            position += more.len();
            field.push(' ');
            field.push_str(more.trim());
        }
        if field.is_empty() {
            continue;
        }
        let Some((name, value)) = field.split_once(':') else {
            return Err(syntax("a header field of a part has no colon", start));
        };
        let value = value.trim();
        if has_line_end(value) {
            return Err(syntax("a header field of a part has a control character", start));
        }
        let is_name = |it: u8| it.is_ascii_graphic() && it != b':';
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err(syntax(format!("{name:?} is no name of a header field"), start));
        }
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("Content-ID") && head.id.is_empty() {
            let id = value.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
            head.id = id.unwrap_or(value).to_owned();
        } else if is("Content-Type") && head.kind == Kind::Unstated {
            head.kind = Kind::Media(value.to_owned());
        } else if is("Content-Transfer-Encoding") {
            transfer = Transfer::named(value, start)?;
        } else {
            head.fields.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok((head, transfer))
}

/// Is there a character that some readers take for the end of a line, or of a text?
fn has_line_end(text: &str) -> bool {
    text.contains(['\r', '\n', '\0'])
}

fn delimiter(boundary: &str) -> Result<Vec<u8>> {
    let is_legal = |it: u8| it.is_ascii_graphic() || it == b' ';
    let is_one = (1..=BOUNDARY).contains(&boundary.len())
        && boundary.bytes().all(is_legal)
        && !boundary.ends_with(' ');
    match is_one {
        true => Ok([b"--", boundary.as_bytes()].concat()),
        false => Err(syntax(format!("{boundary:?} cannot be a boundary"), 0)),
    }
}

/// Makes what stands around the bytes of parts.
///
/// The boundary must not stand in any of them: one of 128 random bits does not.
#[derive(Debug)]
pub struct Writer {
    delimiter: Vec<u8>,
    has_parts: bool,
}

impl Writer {
    /// With this boundary.
    ///
    /// # Errors
    /// It is empty or too long, has characters that no boundary has, or ends in a blank.
    pub fn new(boundary: &str) -> Result<Self> {
        Ok(Self { delimiter: delimiter(boundary)?, has_parts: false })
    }

    /// Appends what stands before a part's bytes, which follow as they are.
    ///
    /// # Errors
    /// A field has a character that ends lines, or the part is said to be what only DIME can say.
    pub fn begin_part(&mut self, head: &Head, out: &mut Vec<u8>) -> Result<()> {
        if !head.options.is_empty() || matches!(head.kind, Kind::Uri(_)) {
            return Err(unwritable("options and URIs as types are of DIME, and not of MIME"));
        }
        let all = head.fields.iter().flat_map(|(name, value)| [name, value]);
        let kind = if let Kind::Media(it) = &head.kind { it } else { "" };
        if all.map(String::as_str).chain([kind, &head.id]).any(has_line_end) {
            return Err(unwritable("a header field of a part has the end of a line in it"));
        }
        if std::mem::replace(&mut self.has_parts, true) {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(&self.delimiter);
        out.extend_from_slice(b"\r\n");
        let mut field = |name: &str, value: &str| {
            [name, ": ", value, "\r\n"].iter().for_each(|it| out.extend_from_slice(it.as_bytes()));
        };
        if let Kind::Media(media) = &head.kind {
            field("Content-Type", media);
        }
        field("Content-Transfer-Encoding", "binary");
        if !head.id.is_empty() {
            field("Content-ID", &format!("<{}>", head.id));
        }
        head.fields.iter().for_each(|(name, value)| field(name, value));
        out.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Appends what stands behind the last part.
    pub fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.delimiter);
        out.extend_from_slice(b"--\r\n");
    }
}
