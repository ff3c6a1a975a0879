//! Fields that the schema does not know: kept where the message has a place for them, or counted, or
//! rejected; and whether what was kept can be written, so that it is read as the same.

use std::collections::HashSet;
use std::ops::Range;

use trunkline_message::{Error, ErrorKind, Fields, Result, UnknownContent};
use trunkline_wire::{Integer, ValueError, scan};

use super::SOH;
use super::binding::LARGEST_TAG;
use super::data::{data_of_length, length_of_data};
use super::decoder::Body;
use super::encoder;
use super::plan::{Plan, Tag};

/// Fields of a message that the schema does not know.
#[derive(Debug, Default)]
pub(super) struct UnknownFields {
    /// Their tags, each with the place where its message or entry begins.
    tags: HashSet<(usize, u32)>,
    /// The number of unknown fields that are not kept,
    dropped: usize,
    /// and what becomes of the message then.
    content: UnknownContent,
}

impl UnknownFields {
    pub(super) fn set_content(&mut self, content: UnknownContent) {
        self.content = content;
    }

    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// Forgets all. Most messages have none.
    #[inline]
    pub(super) fn clear(&mut self) {
        if !self.tags.is_empty() {
            self.tags.clear();
            self.dropped = 0;
        }
    }
}

impl Body<'_> {
    /// Keeps a field that the schema does not know, or counts or rejects it; `scope` is where its
    /// message or entry begins.
    #[cold]
    pub(super) fn unknown<F: Fields>(
        &mut self,
        into: &mut F,
        (scope, number): (usize, u32),
        value: usize,
    ) -> Result<()> {
        if is_framing(number) || is_described(self.plan, number) {
            let what = format!("no tag {number} at this place: it frames or belongs to a group");
            return Err(Error::new(ErrorKind::Expected(what.into()), self.at));
        }
        if let Some((field, ..)) = self.length_of {
            let expected = "the data after its length";
            return Err(self.error(ErrorKind::Expected(expected.into()), field, self.at));
        }
        let end = scan::find_soh(self.bytes, value).unwrap_or(self.bytes.len());
        if end == value {
            let kind = ErrorKind::Value { expected: "a value", problem: ValueError::Empty };
            return Err(Error::new(kind, value).within(&number.to_string()));
        }
        if end - value > self.limits.value_bytes {
            let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
            return Err(Error::new(kind, value).within(&number.to_string()));
        }
        let data = self.unknown_data(number, value, end)?;
        for number in [number].into_iter().chain(data.as_ref().map(|(data, _)| *data)) {
            if !self.unknown.tags.insert((scope, number)) {
                let kind = ErrorKind::DuplicateUnknown;
                return Err(Error::new(kind, self.at).within(&number.to_string()));
            }
        }
        match into.unknown() {
            Some(unknown) => {
                unknown.push(number, &self.bytes[value..end]);
                if let Some((number, ref range)) = data {
                    unknown.push(number, &self.bytes[range.clone()]);
                }
            }
            None => {
                self.unknown.dropped += 1 + usize::from(data.is_some());
                if self.unknown.content == UnknownContent::Reject {
                    return Err(Error::new(ErrorKind::Unknown, self.at).within(&number.to_string()));
                }
            }
        }
        self.fields += 1;
        if self.fields > self.limits.fields {
            return Err(self.too_many_fields());
        }
        self.at = data.map_or(end, |(_, range)| range.end) + 1;
        Ok(())
    }

    /// If the unknown field is the length of data by the standard, which may hold anything, a
    /// delimiter too: the data field behind it, tag and place.
    fn unknown_data(
        &mut self,
        number: u32,
        value: usize,
        end: usize,
    ) -> Result<Option<(u32, Range<usize>)>> {
        let Some(data) = data_of_length(number) else { return Ok(None) };
        let Ok(length) = u32::parse(&self.bytes[value..end]) else { return Ok(None) };
        let prefix = format!("{data}=");
        if !self.bytes[end + 1..].starts_with(prefix.as_bytes()) {
            return Ok(None);
        }
        let start = end + 1 + prefix.len();
        let (stated, after) = (length as usize, start.saturating_add(length as usize));
        if self.bytes.get(after) != Some(&SOH) {
            let counted = scan::find_soh(self.bytes, start).unwrap_or(self.bytes.len()) - start;
            let kind = ErrorKind::Length { stated, counted };
            return Err(Error::new(kind, value).within(&number.to_string()));
        }
        Ok(Some((data, start..after)))
    }
}

/// Is the tag one of those that frame a message?
fn is_framing(number: u32) -> bool {
    matches!(number, 8 | 9 | 10 | 35)
}

/// Is the tag somewhere in the schema? Then it is read as that, or as misplaced.
fn is_described(plan: &Plan, number: u32) -> bool {
    plan.scopes.iter().any(|scope| scope.tag(number) != Tag::Unknown)
}

impl encoder::Body<'_> {
    /// Would a reader have a field that the schema does not know as it is kept, behind the one that was kept before it?
    ///
    /// # Errors
    /// Why not.
    #[cold]
    pub(super) fn unknown_fits(
        &self,
        number: u32,
        value: &[u8],
        before: Option<(u32, &[u8])>,
    ) -> std::result::Result<(), &'static str> {
        if number == 0 || number > LARGEST_TAG {
            return Err("the tags of FIX are 1 to 2147483647");
        }
        if is_framing(number) {
            return Err("the tag frames the message, and is written for it");
        }
        if is_described(self.plan, number) {
            return Err("the schema has a field of this tag: give that by its name");
        }
        if self.kept.contains(&(self.entry, number)) {
            return Err("the field stands twice");
        }
        let length = before.filter(|it| length_of_data(number) == Some(it.0));
        match length.and_then(|it| u32::parse(it.1).ok()) {
            Some(length) if length as usize == value.len() => Ok(()),
            Some(_) => Err("the field before it is its length, and says another one"),
            None if value.is_empty() => Err("FIX has no empty values"),
            None if value.contains(&SOH) => Err("the text has the delimiter SOH (0x01) inside"),
            None => Ok(()),
        }
    }
}
