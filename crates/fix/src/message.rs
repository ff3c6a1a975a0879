//! A message as its fields.

use std::ops::Range;

use trunkline_codec::fix::SOH;
use trunkline_wire::{Integer, scan};

use crate::tags::{self, Tag};
use crate::time::Utc;

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its number; what is no number of a field, such as 0 and -1, is 0.
    pub tag: u32,
    /// Where its number begins, among the bytes of the message.
    begin: u32,
    /// Where its value begins.
    value: u32,
    /// Where its value ends.
    end: u32,
}

/// The fields of one message after another; their memory is kept.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<Field>);

/// The bytes are no fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbled;

/// A message, in the order in which its fields came.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    bytes: &'a [u8],
    fields: &'a [Field],
}

impl Fields {
    /// Finds the fields of a whole message.
    pub(crate) fn read<'a>(&'a mut self, bytes: &'a [u8]) -> Result<Message<'a>, Garbled> {
        self.scan(bytes)?;
        match &*self.0 {
            [first, second, third, .., last]
                if first.tag == tags::BEGIN_STRING
                    && second.tag == tags::BODY_LENGTH
                    && third.tag == tags::MSG_TYPE
                    && last.tag == tags::CHECK_SUM =>
            {
                Ok(Message { bytes, fields: &self.0 })
            }
            _ => Err(Garbled),
        }
    }

    /// Finds the fields of a part of a message.
    pub(crate) fn scan(&mut self, bytes: &[u8]) -> Result<(), Garbled> {
        self.0.clear();
        if u32::try_from(bytes.len()).is_err() {
            return Err(Garbled);
        }
        let mut at = 0;
        while at < bytes.len() {
            let (tag, value) = tag(bytes, at)?;
            let end = match self.data(bytes, tag, value) {
                Some(end) => end,
                None => scan::find_soh(bytes, value).ok_or(Garbled)?,
            };
            self.0.push(Field { tag, begin: at as u32, value: value as u32, end: end as u32 });
            at = end + 1;
        }
        Ok(())
    }

    /// Where data end that may hold the delimiter: their length stands before them.
    fn data(&self, bytes: &[u8], tag: Tag, value: usize) -> Option<usize> {
        let length = self.0.last().filter(|it| Some(it.tag) == tags::length_of_data(tag))?;
        let length = u32::parse(&bytes[length.value as usize..length.end as usize]).ok()?;
        let end = value.checked_add(length as usize)?;
        (bytes.get(end) == Some(&SOH)).then_some(end)
    }
}

/// Digits of the number of a field at most.
const MOST_DIGITS: usize = 9;

/// The number of the field that begins at a place, and where its value begins.
#[inline]
fn tag(bytes: &[u8], from: usize) -> Result<(Tag, usize), Garbled> {
    short_tag(bytes, from).map_or_else(|| any_tag(bytes, from), Ok)
}

/// The same of up to three digits, as most have.
#[inline]
fn short_tag(bytes: &[u8], from: usize) -> Option<(Tag, usize)> {
    let chunk: &[u8; 4] = bytes.get(from..)?.first_chunk()?;
    let digits = chunk.map(|it| u32::from(it.wrapping_sub(b'0')));
    let (tag, length) = match (*chunk, digits) {
        ([_, b'=', ..], [ones @ 0..10, ..]) => (ones, 1),
        ([_, _, b'=', _], [tens @ 0..10, ones @ 0..10, ..]) => (tens * 10 + ones, 2),
        ([.., b'='], [hundreds @ 0..10, tens @ 0..10, ones @ 0..10, _]) => {
            (hundreds * 100 + tens * 10 + ones, 3)
        }
        _ => return None,
    };
    Some((tag, from + length + 1))
}

fn any_tag(bytes: &[u8], from: usize) -> Result<(Tag, usize), Garbled> {
    let is_negative = bytes.get(from) == Some(&b'-');
    let first = from + usize::from(is_negative);
    let (mut number, mut at) = (0, first);
    loop {
        match bytes.get(at) {
            Some(digit) if digit.is_ascii_digit() && at - first < MOST_DIGITS => {
                number = number * 10 + u32::from(digit - b'0');
            }
            Some(b'=') if at > first => break,
            _ => return Err(Garbled),
        }
        at += 1;
    }
    Ok((if is_negative { 0 } else { number }, at + 1))
}

impl<'a> Message<'a> {
    /// All of its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// All of its fields, in order.
    pub fn fields(&self) -> &'a [Field] {
        self.fields
    }

    /// What stands in a field.
    pub fn value(&self, field: &Field) -> &'a [u8] {
        &self.bytes[field.value as usize..field.end as usize]
    }

    /// The number of a field as it was written.
    pub(crate) fn tag_text(&self, field: &Field) -> &'a [u8] {
        &self.bytes[field.begin as usize..field.value as usize - 1]
    }

    /// What stands in the first field of this number.
    pub fn get(&self, tag: u32) -> Option<&'a [u8]> {
        self.fields.iter().find(|it| it.tag == tag).map(|it| self.value(it))
    }

    /// The whole number in the first field of this number, if it is one.
    pub fn number(&self, tag: u32) -> Option<u64> {
        u64::parse(self.get(tag)?).ok()
    }

    /// Is there a field of this number that says yes?
    pub fn is_set(&self, tag: u32) -> bool {
        matches!(self.get(tag), Some([b'Y']))
    }

    pub(crate) fn time(&self, tag: Tag) -> Option<Utc> {
        Utc::parse(self.get(tag)?)
    }

    /// MsgType (35).
    pub fn message_type(&self) -> &'a [u8] {
        self.value(&self.fields[2])
    }

    /// BeginString (8).
    pub fn begin_string(&self) -> &'a [u8] {
        self.value(&self.fields[0])
    }

    /// MsgSeqNum (34).
    pub fn sequence_number(&self) -> Option<u64> {
        self.number(tags::MSG_SEQ_NUM)
    }

    /// Was it perhaps sent before, under the same number? PossDupFlag (43).
    pub fn is_possible_duplicate(&self) -> bool {
        self.is_set(tags::POSS_DUP_FLAG)
    }

    /// Does the session itself have to do with it, and not the application?
    pub fn is_administrative(&self) -> bool {
        is_administrative(self.message_type())
    }

    /// Where the fields of the body are among all.
    pub(crate) fn body_range(&self) -> Range<usize> {
        let is_body = |it: &Field| !tags::is_of_header(it.tag) && !tags::is_of_trailer(it.tag);
        let first = self.fields.iter().position(is_body);
        let last = self.fields.iter().rposition(is_body);
        match (first, last) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// The fields behind the header and before the trailer.
    pub fn body(&self) -> &'a [Field] {
        &self.fields[self.body_range()]
    }

    /// The bytes of the body, each field with its delimiter.
    pub fn body_bytes(&self) -> &'a [u8] {
        match self.body() {
            [] => &[],
            [first, .., last] => &self.bytes[first.begin as usize..=last.end as usize],
            [only] => &self.bytes[only.begin as usize..=only.end as usize],
        }
    }
}

/// Is it a message of the session layer?
pub(crate) fn is_administrative(message_type: &[u8]) -> bool {
    // By its bytes: each text of them would be a call that compares.
    matches!(message_type, [b'0'..=b'5' | b'A' | b'n'])
}

#[cfg(test)]
mod tests {
    use trunkline_random::Random;

    use super::*;

    #[test]
    fn a_short_number_is_read_as_any_is() {
        let (mut random, mut short) = (Random::new(11), 0);
        for _ in 0..50_000 {
            let length = random.index(9);
            let bytes: Vec<u8> = (0..length).map(|_| random.pick(b"0123456789==-x\x01")).collect();
            let from = random.index(length + 1);
            if let Some(found) = short_tag(&bytes, from) {
                short += 1;
                assert_eq!(Ok(found), any_tag(&bytes, from), "{}", bytes.escape_ascii());
            }
        }
        assert!(short > 2_000, "{short}");
    }
}
