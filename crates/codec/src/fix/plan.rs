//! A layout compiled for FIX: prefixes to write, tags to look up.

use std::sync::Arc;

use trunkline_message::{Error, ErrorKind, Field, Holds, Kind, Layout, Required, Result, Scope};

use super::SOH;
use super::binding::{self, Binding};
use super::decoder::LONGEST_BEGIN;
use crate::CodeSet;

/// How a message is framed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// BeginString (8), 1 to 29 characters.
    pub begin_string: String,
    /// Digits to which BodyLength (9) is filled with zeros; 0 for none. The paper's Figure 5 has 8.
    pub body_length_digits: usize,
    /// How text is written. Data fields are bytes, whatever their MessageEncoding (347) says.
    pub code_set: CodeSet,
}

impl Default for Options {
    fn default() -> Self {
        Self { begin_string: "FIX.4.3".into(), body_length_digits: 0, code_set: CodeSet::Utf8 }
    }
}

/// A layout compiled for FIX; shared by any number of encoders and decoders.
#[derive(Debug)]
pub struct Plan {
    pub(super) layout: Arc<Layout>,
    pub(super) body_length_digits: usize,
    pub(super) code_set: CodeSet,
    /// `8=FIX.4.3|9=`
    pub(super) begin: Box<[u8]>,
    /// `35=X|`
    pub(super) message_type: Box<[u8]>,
    pub(super) scopes: Vec<ScopePlan>,
}

impl Plan {
    /// Compiles a layout.
    ///
    /// # Errors
    /// No MsgType is noted, or no tag of a field, or none for the length of a data field; a tag is
    /// none, or stands for two fields of a scope and those around it; or BeginString is none. The
    /// path names the field.
    pub fn new(layout: &Arc<Layout>, options: &Options) -> Result<Arc<Self>> {
        let binding = Binding::new(layout);
        let message_type = binding.message_type()?;
        let begin = options.begin_string.as_bytes();
        if begin.is_empty() || begin.len() > LONGEST_BEGIN || begin.contains(&SOH) {
            let what = format!("{:?} as BeginString", options.begin_string);
            return Err(Error::new(ErrorKind::Unsupported(what.into()), 0));
        }
        let tags = binding.tags()?;
        let scopes = layout.scopes().iter().zip(&tags);
        Ok(Arc::new(Self {
            layout: layout.clone(),
            body_length_digits: options.body_length_digits.min(9),
            code_set: options.code_set,
            begin: format!("8={}\x019=", options.begin_string).into_bytes().into(),
            message_type: format!("35={message_type}\x01").into_bytes().into(),
            scopes: scopes
                .map(|(scope, tags)| ScopePlan::new(scope, tags))
                .collect::<Result<_>>()?,
        }))
    }

    /// The layout that was compiled.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// MsgType.
    pub(super) fn message_type(&self) -> String {
        let value = self.message_type.get(3..self.message_type.len() - 1).unwrap_or_default();
        String::from_utf8_lossy(value).into_owned()
    }

    /// Adds a field to the path of an error.
    #[cold]
    pub(super) fn locate(&self, error: Error, scope: usize, field: usize) -> Error {
        self.layout.scopes()[scope].locate(error, field)
    }
}

/// `270=` as a block to be written whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prefix {
    pub(super) block: [u8; 16],
    pub(super) len: usize,
}

impl Prefix {
    fn new(number: u32) -> Self {
        let text = format!("{number}=");
        let mut block = [0; 16];
        block[..text.len()].copy_from_slice(text.as_bytes());
        Self { block, len: text.len() }
    }
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) prefix: Prefix,
    /// Of the length field, for data fields.
    pub(super) length_prefix: Prefix,
    /// Of the entries, for groups.
    pub(super) scope: usize,
    pub(super) data: bool,
}

impl Slot {
    /// Of what stands first when the field is written.
    pub(super) fn first_prefix(&self) -> Prefix {
        if self.data { self.length_prefix } else { self.prefix }
    }
}

#[derive(Debug)]
pub(super) struct ScopePlan {
    pub(super) slots: Box<[Slot]>,
    pub(super) required: Required,
    tags: Tags,
}

/// What a tag means in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Field(usize),
    /// The length of the data field at this position.
    LengthOf(usize),
    Unknown,
}

impl ScopePlan {
    fn new(scope: &Scope, tags: &[binding::Tags]) -> Result<Self> {
        if scope.fields.len() >= usize::from(LENGTH) {
            let what = format!("{} has more than 32,766 fields", scope.name);
            return Err(Error::new(ErrorKind::Unsupported(what.into()), 0));
        }
        let slot = |(field, tags): (&Field, &binding::Tags)| Slot {
            prefix: Prefix::new(tags.tag),
            length_prefix: Prefix::new(tags.length),
            scope: match field.holds {
                Holds::Group(scope) => usize::from(scope.0),
                _ => 0,
            },
            data: field.holds == Holds::Value(Kind::Bytes),
        };
        Ok(Self {
            slots: scope.fields.iter().zip(tags).map(slot).collect(),
            required: scope.required.clone(),
            tags: Tags::new(tags),
        })
    }

    #[inline]
    pub(super) fn tag(&self, number: u32) -> Tag {
        self.tags.get(number)
    }
}

/// Tag numbers below this are looked up by one load; user-defined ones above it by search.
const DIRECT: usize = 2048;
const LENGTH: u16 = 1 << 15;
/// Digits of the [largest tag](binding::LARGEST_TAG).
pub(super) const LONGEST_TAG: usize = 10;

#[derive(Debug)]
struct Tags {
    direct: Box<[u16]>,
    others: Box<[(u32, u16)]>,
}

impl Tags {
    fn new(tags: &[binding::Tags]) -> Self {
        let mut direct = vec![0; DIRECT];
        let mut others = Vec::new();
        for (index, of_field) in tags.iter().enumerate() {
            let entry = index as u16 + 1;
            for (number, entry) in [(of_field.tag, entry), (of_field.length, entry | LENGTH)] {
                match direct.get_mut(number as usize) {
                    _ if number == 0 => {}
                    Some(place) => *place = entry,
                    None => others.push((number, entry)),
                }
            }
        }
        others.sort_unstable();
        Self { direct: direct.into(), others: others.into() }
    }

    #[inline]
    fn get(&self, number: u32) -> Tag {
        let entry = match self.direct.get(number as usize) {
            Some(entry) => *entry,
            None => self.search(number),
        };
        match entry {
            0 => Tag::Unknown,
            it if it & LENGTH == 0 => Tag::Field(usize::from(it) - 1),
            it => Tag::LengthOf(usize::from(it & !LENGTH) - 1),
        }
    }

    #[cold]
    fn search(&self, number: u32) -> u16 {
        let found = self.others.binary_search_by_key(&number, |(number, _)| *number);
        found.map_or(0, |at| self.others[at].1)
    }
}
