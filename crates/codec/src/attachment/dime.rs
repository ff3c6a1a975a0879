//! DIME (draft-nielsen-dime-02): records of binary lengths. A part is a record, or several that are its chunks.

use std::ops::Range;

use trunkline_message::Result;

use super::steps::Steps;
use super::{Event, Head, Kind, Limits, Parts, exceeded, syntax, truncated, unwritable};

/// What stands before the fields of a record.
const HEADER: usize = 12;
const VERSION: u8 = 1;

/// The bits of a record's first octet.
mod flag {
    pub(super) const BEGIN: u8 = 4;
    pub(super) const END: u8 = 2;
    pub(super) const CHUNK: u8 = 1;
}

/// What the type of a record is.
mod format {
    pub(super) const UNCHANGED: u8 = 0;
    pub(super) const MEDIA: u8 = 1;
    pub(super) const URI: u8 = 2;
    pub(super) const UNKNOWN: u8 = 3;
    pub(super) const NONE: u8 = 4;
}

/// Bytes of a part that one record takes: as many as its length says, without padding.
const RECORD: usize = u32::MAX as usize & !3;

/// Reads a message of DIME, which says itself where it ends.
#[derive(Debug)]
pub struct Parser {
    limits: Limits,
    state: State,
    position: usize,
    parts: Parts,
    head: Head,
    /// Bytes of the part so far.
    length: u64,
    /// The record: bytes that it still has, what stands behind them, whether it is the message's last and goes on in another.
    left: u32,
    padding: usize,
    is_last: bool,
    has_more: bool,
    /// Where the last event's data stands in the input.
    data: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a record.
    BeforeRecord,
    Data,
    Closed,
}

/// The header of a record.
struct RecordHeader {
    flags: u8,
    format: u8,
    /// The lengths of options, id and type.
    lengths: [usize; 3],
    data: u32,
}

impl RecordHeader {
    fn read(octets: &[u8; HEADER]) -> Self {
        let [first, second, a, b, c, d, e, f, length @ ..] = *octets;
        let lengths = [[a, b], [c, d], [e, f]].map(|it| usize::from(u16::from_be_bytes(it)));
        let data = u32::from_be_bytes(length);
        Self { flags: first, format: second >> 4, lengths, data }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// How many zeros follow so many octets.
fn zeros(length: usize) -> usize {
    length.wrapping_neg() % 4
}

/// What follows the bytes of a record.
pub fn padding(length: u32) -> &'static [u8] {
    &[0; 3][..zeros(length as usize)]
}

impl Parser {
    /// Of one message.
    pub fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            state: State::BeforeRecord,
            position: 0,
            parts: Parts::default(),
            head: Head::default(),
            length: 0,
            left: 0,
            padding: 0,
            is_last: false,
            has_more: false,
            data: 0..0,
        }
    }

    /// Do the flags and the type of a record fit those before it?
    fn check(&self, header: &RecordHeader) -> Result<()> {
        let wrong = |what: &'static str| Err(syntax(format!("DIME: {what}"), self.position));
        if header.flags >> 3 != VERSION {
            return wrong("a record is not of version 1");
        }
        if header.has(flag::BEGIN) != (self.parts.count == 0) {
            return wrong("the first record, and only that, begins a message");
        }
        if header.has(flag::END) && header.has(flag::CHUNK) {
            return wrong("the last record goes on in another chunk");
        }
        let [_, id, kind] = header.lengths;
        if self.has_more {
            return match header.format == format::UNCHANGED && id == 0 && kind == 0 {
                true => Ok(()),
                false => wrong("a chunk that is not the first has a type or an id"),
            };
        }
        match header.format {
            format::MEDIA | format::URI => Ok(()),
            format::UNKNOWN if kind == 0 => Ok(()),
            format::NONE if kind == 0 && header.data == 0 => Ok(()),
            format::UNKNOWN | format::NONE => wrong("a record without a type has one, or bytes"),
            format::UNCHANGED => wrong("a record has the type of the one before, and is no chunk"),
            _ => wrong("a record has a type of a format that is not known"),
        }
    }

    fn read_header(&mut self, input: &[u8], ends: bool) -> Result<(usize, Option<Event>)> {
        let more = |expected| match ends {
            true => Err(truncated(expected, self.position + input.len())),
            false => Ok((0, Some(Event::More))),
        };
        let Some(octets) = input.first_chunk() else { return more("a record of DIME") };
        let header = RecordHeader::read(octets);
        self.check(&header)?;
        let whole = header.lengths.iter().map(|it| it + zeros(*it)).sum::<usize>();
        if whole > self.limits.head_bytes {
            let limit = self.limits.head_bytes;
            return Err(exceeded("attachment head_bytes", limit, self.position));
        }
        let Some(fields) = input[HEADER..].get(..whole) else { return more("a record's fields") };
        let is_new = !std::mem::replace(&mut self.has_more, header.has(flag::CHUNK));
        if is_new {
            let head = self.read_fields(&header, fields)?;
            self.parts.add(&head, &self.limits, self.position)?;
            self.head = head;
            self.length = 0;
        }
        self.length += u64::from(header.data);
        if self.length > self.limits.part_bytes {
            let limit = usize::try_from(self.limits.part_bytes).unwrap_or(usize::MAX);
            return Err(exceeded("attachment part_bytes", limit, self.position));
        }
        self.left = header.data;
        self.padding = zeros(header.data as usize);
        self.is_last = header.has(flag::END);
        self.state = State::Data;
        Ok((HEADER + whole, is_new.then_some(Event::Part)))
    }

    /// Options, id and type.
    fn read_fields(&self, header: &RecordHeader, fields: &[u8]) -> Result<Head> {
        let mut rest = fields;
        let [options, id, kind] = header.lengths.map(|length| {
            let (field, behind) = rest.split_at(length + zeros(length));
            rest = behind;
            &field[..length]
        });
        let text = |octets: &[u8]| match std::str::from_utf8(octets) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(syntax("DIME: an id or a type is not in UTF-8", self.position + HEADER)),
        };
        let kind = match header.format {
            format::MEDIA => Kind::Media(text(kind)?),
            format::URI => Kind::Uri(text(kind)?),
            _ => Kind::Unstated,
        };
        let mut head = Head { id: text(id)?, kind, ..Head::default() };
        let mut options = options;
        while let [a, b, c, d, behind @ ..] = options {
            let length = usize::from(u16::from_be_bytes([*c, *d]));
            let Some((value, behind)) = behind.split_at_checked(length) else { break };
            head.options.push((u16::from_be_bytes([*a, *b]), value.to_vec()));
            options = behind;
        }
        match options.iter().all(|it| *it == 0) {
            true => Ok(head),
            false => Err(syntax("DIME: an option is longer than all", self.position + HEADER)),
        }
    }

    fn read_data(&mut self, input: &[u8], ends: bool) -> Result<(usize, Option<Event>)> {
        let here = input.len().min(self.left as usize);
        if here > 0 {
            self.left -= here as u32;
            return Ok((here, Some(Event::Data)));
        }
        // A record that has no more is whole with its padding.
        if self.left > 0 || input.len() < self.padding {
            return match ends {
                true => Err(truncated("the bytes of a record", self.position + input.len())),
                false => Ok((0, Some(Event::More))),
            };
        }
        self.state = if self.is_last { State::Closed } else { State::BeforeRecord };
        Ok((self.padding, (!self.has_more).then_some(Event::PartEnd)))
    }
}

impl Steps for Parser {
    fn step(&mut self, input: &[u8], is_last: bool) -> Result<(usize, Option<Event>)> {
        match self.state {
            State::BeforeRecord => self.read_header(input, is_last),
            State::Data => self.read_data(input, is_last),
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
        true
    }

    fn data<'a>(&'a self, input: &'a [u8]) -> &'a [u8] {
        &input[self.data.clone()]
    }
}

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its part goes on in another record, a chunk.
    pub has_more: bool,
    /// No other follows.
    pub is_last: bool,
}

/// Makes what stands before the bytes of records.
#[derive(Debug, Default)]
pub struct Writer {
    has_records: bool,
    in_part: bool,
    is_closed: bool,
}

impl Writer {
    /// Appends what stands before the `length` bytes of a record, which follow as they are, and behind them their
    /// [`padding`]. In a chunk that is not the first of its part, the head is not written.
    ///
    /// # Errors
    /// The last record was written, or would go on in another; the head has fields, which only MIME has, or is too long.
    pub fn begin_record(
        &mut self,
        head: &Head,
        length: u32,
        place: Place,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if self.is_closed || place.has_more && place.is_last {
            return Err(unwritable("a record behind the last one"));
        }
        if !head.fields.is_empty() {
            return Err(unwritable("header fields are of MIME, and not of DIME"));
        }
        let (format, kind) = match &head.kind {
            _ if self.in_part => (format::UNCHANGED, ""),
            Kind::Media(media) => (format::MEDIA, media.as_str()),
            Kind::Uri(uri) => (format::URI, uri.as_str()),
            Kind::Unstated => (format::UNKNOWN, ""),
        };
        let id = if self.in_part { "" } else { head.id.as_str() };
        let mut options = Vec::new();
        for (number, value) in head.options.iter().filter(|_| !self.in_part) {
            options.extend_from_slice(&number.to_be_bytes());
            options.extend_from_slice(&short(value.len())?);
            options.extend_from_slice(value);
        }
        let bit = |flag: u8, is_set: bool| if is_set { flag } else { 0 };
        let flags = bit(flag::BEGIN, !self.has_records)
            | bit(flag::END, place.is_last)
            | bit(flag::CHUNK, place.has_more);
        let fields = [options.as_slice(), id.as_bytes(), kind.as_bytes()];
        let lengths = [short(fields[0].len())?, short(fields[1].len())?, short(fields[2].len())?];
        out.extend_from_slice(&[VERSION << 3 | flags, format << 4]);
        lengths.iter().for_each(|it| out.extend_from_slice(it));
        out.extend_from_slice(&length.to_be_bytes());
        for field in fields {
            out.extend_from_slice(field);
            out.extend_from_slice(padding(field.len() as u32));
        }
        (self.has_records, self.in_part, self.is_closed) = (true, place.has_more, place.is_last);
        Ok(())
    }

    /// Appends a whole part: one record, or several if it is longer than one can be.
    ///
    /// # Errors
    /// As [`begin_record`](Self::begin_record).
    pub fn write_part(
        &mut self,
        head: &Head,
        data: &[u8],
        is_last: bool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.write_records(head, data, RECORD, is_last, out)
    }

    fn write_records(
        &mut self,
        head: &Head,
        data: &[u8],
        most: usize,
        is_last: bool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut rest = data;
        loop {
            let (record, behind) = rest.split_at(rest.len().min(most));
            let has_more = !behind.is_empty();
            let place = Place { has_more, is_last: is_last && !has_more };
            let length = record.len() as u32;
            self.begin_record(head, length, place, out)?;
            out.extend_from_slice(record);
            out.extend_from_slice(padding(length));
            if !has_more {
                return Ok(());
            }
            rest = behind;
        }
    }
}

/// A length of 16 bits.
fn short(length: usize) -> Result<[u8; 2]> {
    let length = u16::try_from(length);
    length
        .map(u16::to_be_bytes)
        .map_err(|_| unwritable("an id, a type or options are too long for DIME"))
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Package};
    use super::*;

    #[test]
    fn a_part_that_is_longer_than_a_record_goes_on_in_others() {
        for (length, records) in [(0, 1), (7, 1), (8, 1), (9, 2), (24, 3), (25, 4)] {
            let data: Vec<u8> = (0..length).collect();
            let head = Head { id: "a".into(), ..Head::default() };
            let (mut writer, mut out) = (Writer::default(), Vec::new());
            writer.write_records(&head, &data, 8, false, &mut out).expect("a part");
            let long = out.len();
            writer.write_records(&Head::default(), b"last", 8, true, &mut out).expect("a part");
            let package = Package::read(&mut Parser::new(&Limits::default()), &out, 100);
            let package = package.expect("a package");
            assert_eq!(package.parts[0].data, data);
            assert_eq!((package.parts[1].data.as_slice(), package.parts.len()), (&b"last"[..], 2));
            let padded = data.len() + zeros(data.len());
            assert_eq!(long, padded + 4 + records * HEADER, "the id stands once");
        }
    }
}
