//! A layout compiled for FIX: prefixes to write, tags to look up.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use trunkline_message::{Error, Holds, Layout, Required, Result, Scope, Shape, TypeId, Unmet};

use super::SOH;
use super::binding::{Binding, Tags, is_data, unsupported};
use super::codes::Codes;
use super::frame::LONGEST_BEGIN;
use super::window::Window;
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
    /// Of the enumerations.
    pub(super) codes: Vec<Codes>,
}

impl Plan {
    /// Compiles a layout.
    ///
    /// # Errors
    /// No MsgType is noted, or no tag of a field, or none for the length of a data field; a tag is
    /// none, or stands for two fields of a message or entry, or of an entry and around it, unless the
    /// latter is written before the group and neither is data; so for the codes of an enumeration; or BeginString is none. Or there is what FIX has no form for: a duration, a
    /// list of data, of lists or of choices, what holds itself, a struct or an arm with nothing
    /// inside. The path names the field.
    pub fn new(layout: &Arc<Layout>, options: &Options) -> Result<Arc<Self>> {
        let binding = Binding::new(layout)?;
        let message_type = binding.message_type()?;
        let begin = options.begin_string.as_bytes();
        if begin.is_empty() || begin.len() > LONGEST_BEGIN || begin.contains(&SOH) {
            let what = format!("{:?} as BeginString", options.begin_string);
            return Err(unsupported(what));
        }
        let tags = binding.tags()?;
        let (mut codes, mut places) = (Vec::new(), HashMap::new());
        for (of, written) in binding.codes(options.code_set)? {
            places.insert(of, codes.len() as u32);
            codes.push(Codes::new(&layout.schema().type_of(of).name, &written));
        }
        let compiler =
            Compiler { layout, binding: &binding, tags, codes: places, plans: Vec::new() };
        Ok(Arc::new(Self {
            layout: layout.clone(),
            body_length_digits: options.body_length_digits.min(9),
            code_set: options.code_set,
            begin: format!("8={}\x019=", options.begin_string).into_bytes().into(),
            message_type: format!("35={message_type}\x01").into_bytes().into(),
            scopes: compiler.scopes()?,
            codes,
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

    /// The error about a rule of a scope that is not met; from a struct by itself, its path leads to
    /// the message or entry among whose fields it stands.
    #[cold]
    #[inline(never)]
    pub(super) fn reject(&self, unmet: Unmet, mut scope: usize, offset: usize) -> Error {
        let mut error = self.layout.scopes()[scope].reject(unmet, offset);
        while self.scopes[scope].around != scope
            && let Some((outer, field)) = self.layout.scopes()[scope].place
        {
            scope = usize::from(outer.0);
            error = self.locate(error, scope, field);
        }
        error
    }
}

/// `270=` as a block to be written whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prefix {
    pub(super) block: [u8; 16],
    pub(super) len: usize,
}

impl Prefix {
    /// Nothing, if there is no tag.
    fn new(number: u32) -> Self {
        if number == 0 {
            return Self::default();
        }
        let text = format!("{number}=");
        let mut block = [0; 16];
        block[..text.len()].copy_from_slice(text.as_bytes());
        Self { block, len: text.len() }
    }
}

/// What a field is, in 64 bytes: any other size costs an instruction for each field.
#[derive(Debug)]
pub(super) struct Slot {
    /// Nothing for structs, whose fields have tags, and for the items of lists.
    pub(super) prefix: Prefix,
    /// Of the length field, for data fields.
    pub(super) length_prefix: Prefix,
    /// Of what is inside, for groups, lists of values and structs.
    scope: u32,
    /// How many items a list has, if that is fixed.
    pub(super) fixed: Option<NonZeroU32>,
    /// Of an enumeration, its place among those of the plan.
    pub(super) codes: u32,
    pub(super) data: bool,
    /// A list of values, which are one field.
    pub(super) is_items: bool,
    is_struct: bool,
}

const _: () = assert!(size_of::<Slot>() == 64);

impl Slot {
    /// The scope of what is inside.
    #[inline]
    pub(super) fn inside(&self) -> usize {
        self.scope as usize
    }
}

/// The field that parts the entries of a group: the first that each of them has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delimiter {
    pub(super) tag: u32,
    /// Its bit among those of the entry.
    bit: usize,
}

#[derive(Debug)]
pub(super) struct ScopePlan {
    pub(super) slots: Box<[Slot]>,
    pub(super) required: Required,
    /// The message or group entry among whose fields these stand: another scope if this is a struct
    /// by itself.
    pub(super) around: usize,
    /// Words of 64 bits that hold one for each field that stands here, structs' behind one's own.
    pub(super) words: usize,
    /// Where its bits begin in the words of the message or entry.
    pub(super) first_word: usize,
    /// The structs that lie in this message or entry, and the bit of each there.
    pub(super) structs: Box<[(usize, usize)]>,
    /// What stands first when the first field is written.
    pub(super) first_prefix: Prefix,
    /// Of an entry, and of a struct with which it begins.
    pub(super) delimiter: Option<Delimiter>,
    tags: Window,
    /// What lies out of the window.
    other_tags: Box<[(u32, u16)]>,
}

/// What a tag means in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Field(usize),
    /// The length of the data field at this position.
    LengthOf(usize),
    /// A field of the struct at this position, or of one inside it.
    Inside(usize),
    Unknown,
}

/// Marks what is no field's own tag: the length of data, or a tag of what is inside a struct.
const OTHER: u16 = 1 << 15;
/// Digits of the [largest tag](binding::LARGEST_TAG).
pub(super) const LONGEST_TAG: usize = 10;

impl ScopePlan {
    #[inline]
    pub(super) fn tag(&self, number: u32) -> Tag {
        let entry = match self.tags.get(number) {
            Some(entry) => entry,
            None => self.search(number),
        };
        match entry {
            0 => Tag::Unknown,
            it if it & OTHER == 0 => Tag::Field(usize::from(it) - 1),
            it => self.other(usize::from(it & !OTHER) - 1),
        }
    }

    #[cold]
    fn search(&self, number: u32) -> u16 {
        let found = self.other_tags.binary_search_by_key(&number, |(number, _)| *number);
        found.map_or(0, |at| self.other_tags[at].1)
    }

    #[inline]
    fn other(&self, field: usize) -> Tag {
        if self.slots[field].is_struct { Tag::Inside(field) } else { Tag::LengthOf(field) }
    }

    /// Does an entry begin with this tag? With the data that its length should be before, too, so
    /// that the error is about that.
    #[inline]
    pub(super) fn begins_entry(&self, tag: u32) -> bool {
        self.delimiter.is_some_and(|it| it.tag == tag) || self.tag(tag) == Tag::Field(0)
    }

    /// Does this tag begin the next entry, where these are the bits of the present one?
    pub(super) fn parts_entries(&self, tag: u32, seen: &[u64]) -> bool {
        self.delimiter.is_some_and(|it| it.tag == tag && is_set(seen, it.bit))
    }
}

/// Is the bit set?
pub(super) fn is_set(seen: &[u64], bit: usize) -> bool {
    seen.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0)
}

/// Compiles the scopes of a layout.
struct Compiler<'a> {
    layout: &'a Layout,
    binding: &'a Binding<'a>,
    tags: Vec<Vec<Tags>>,
    codes: HashMap<TypeId, u32>,
    plans: Vec<ScopePlan>,
}

impl Compiler<'_> {
    fn scopes(mut self) -> Result<Vec<ScopePlan>> {
        for (index, scope) in self.layout.scopes().iter().enumerate() {
            let plan = self.scope(index, scope)?;
            self.plans.push(plan);
            let around = self.plans[index].around;
            if let Some((outer, field)) = scope.place.filter(|_| around != index) {
                let outer = &self.plans[usize::from(outer.0)];
                let bit = 64 * outer.first_word + field;
                let around = &mut self.plans[around];
                around.structs = [&around.structs[..], &[(index, bit)]].concat().into();
                let first_word = around.words;
                around.words += scope.required.words();
                self.plans[index].first_word = first_word;
            }
        }
        // What is inside stands behind what it is in.
        for index in (0..self.plans.len()).rev() {
            let first_prefix = self.first_prefix(index);
            let entries = self.entries(index);
            let plan = &mut self.plans[index];
            plan.first_prefix = first_prefix;
            plan.tags = Window::new(&entries);
            let others = entries.iter().filter(|(tag, _)| plan.tags.get(*tag).is_none());
            let mut others: Vec<_> = others.copied().collect();
            others.sort_unstable();
            plan.other_tags = others.into();
        }
        for index in 1..self.plans.len() {
            self.plans[index].delimiter = self.delimiter(index);
        }
        Ok(self.plans)
    }

    fn scope(&self, index: usize, scope: &Scope) -> Result<ScopePlan> {
        if scope.fields.len() >= usize::from(OTHER) {
            let what = format!("{} has more than 32,766 fields", scope.name);
            return Err(unsupported(what));
        }
        let slots = scope.fields.iter().zip(&self.tags[index]).map(|(field, tags)| Slot {
            prefix: Prefix::new(tags.tag),
            length_prefix: Prefix::new(tags.length),
            scope: field.holds.scope().map_or(0, |it| it.0.into()),
            fixed: field.fixed.and_then(NonZeroU32::new),
            codes: match field.holds {
                Holds::Enumeration(of) => self.codes[&of],
                _ => 0,
            },
            data: is_data(field.holds),
            is_items: match field.holds {
                Holds::Group(inner) => self.layout.scope(inner).shape == Shape::Item,
                _ => false,
            },
            is_struct: matches!(field.holds, Holds::Struct(_)),
        });
        Ok(ScopePlan {
            slots: slots.collect(),
            required: scope.required.clone(),
            around: self.binding.around(index),
            words: scope.required.words(),
            first_word: 0,
            structs: Box::default(),
            first_prefix: Prefix::default(),
            delimiter: None,
            tags: Window::default(),
            other_tags: Box::default(),
        })
    }

    /// What each tag means in a scope; those of the structs inside are known.
    fn entries(&self, index: usize) -> Vec<(u32, u16)> {
        let mut entries = Vec::new();
        for (field, slot) in self.plans[index].slots.iter().enumerate() {
            let entry = field as u16 + 1;
            if slot.is_struct {
                let inside = self.entries(slot.inside());
                entries.extend(inside.iter().map(|(tag, _)| (*tag, entry | OTHER)));
                continue;
            }
            let Tags { tag, length } = self.tags[index][field];
            let known = [(tag, entry), (length, entry | OTHER)];
            entries.extend(known.iter().filter(|(tag, _)| *tag != 0));
        }
        entries
    }

    fn first_prefix(&self, index: usize) -> Prefix {
        match self.plans[index].slots.first() {
            Some(slot) if slot.is_struct => self.plans[slot.inside()].first_prefix,
            Some(slot) if slot.data => slot.length_prefix,
            Some(slot) => slot.prefix,
            None => Prefix::default(),
        }
    }

    /// The delimiter of an entry, or of that which begins with this struct.
    fn delimiter(&self, index: usize) -> Option<Delimiter> {
        let is_struct = self.plans[index].around != index;
        if is_struct {
            let (outer, field) = self.layout.scopes()[index].place?;
            return self.plans[usize::from(outer.0)].delimiter.filter(|_| field == 0);
        }
        let mut first = index;
        loop {
            let plan = &self.plans[first];
            let slot = plan.slots.first()?;
            if !slot.is_struct {
                let Tags { tag, length } = self.tags[first][0];
                let tag = if slot.data { length } else { tag };
                return Some(Delimiter { tag, bit: 64 * plan.first_word });
            }
            first = slot.inside();
        }
    }
}
