//! A layout compiled for CDR.

use std::sync::Arc;

use trunkline_message::{Error, Holds, Kind, Layout, Need, Required, Scope};

use crate::CodeSet;

/// Which byte comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ByteOrder {
    /// Most significant byte first.
    Big,
    /// Least significant byte first.
    #[default]
    Little,
}

/// How an optional field says whether it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Optional {
    /// A boolean before each: the union of Kohlhoff & Steele's Figure 7.
    #[default]
    Union,
    /// A bit for each at the beginning of the message and of every entry.
    Bitmap,
}

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// Which byte comes first.
    pub byte_order: ByteOrder,
    /// How an optional field says whether it is there.
    pub optional: Optional,
    /// How strings are written: the code set for `char` that both sides agree on.
    pub code_set: CodeSet,
}

/// A layout compiled for CDR; shared by any number of encoders and decoders.
#[derive(Debug)]
pub struct Plan {
    pub(super) layout: Arc<Layout>,
    pub(super) options: Options,
    pub(super) scopes: Vec<ScopePlan>,
}

impl Plan {
    /// Compiles a layout.
    pub fn new(layout: &Arc<Layout>, options: Options) -> Arc<Self> {
        let mut first = 0;
        let plan = |scope: &Scope| {
            first += scope.fields.len();
            ScopePlan::new(scope, options, first - scope.fields.len())
        };
        let scopes = layout.scopes().iter().map(plan).collect();
        Arc::new(Self { layout: layout.clone(), options, scopes })
    }

    /// The layout that was compiled.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Adds a field to the path of an error.
    #[cold]
    pub(super) fn locate(&self, error: Error, scope: usize, field: usize) -> Error {
        self.layout.scopes()[scope].locate(error, field)
    }
}

/// What stands for a field that is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    /// It cannot be absent.
    Never,
    /// One octet 0.
    Flag,
    /// A sequence of length 0.
    Sequence,
    /// Its bit is 0.
    Bit(usize),
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) absent: Absent,
    /// How many fields from this one on are absent by an octet 0 each.
    pub(super) flags: usize,
    /// How many from this one on are absent by a bit each.
    pub(super) bits: usize,
    /// Of the entries, for groups.
    pub(super) scope: usize,
    /// Octets of a whole number.
    pub(super) width: usize,
}

#[derive(Debug)]
pub(super) struct ScopePlan {
    pub(super) slots: Box<[Slot]>,
    /// Position of its first field among those of all scopes.
    pub(super) first: usize,
    /// Octets of the bitmap at the beginning; 0 without.
    pub(super) bitmap: usize,
    /// The bits of its last octet that no field has.
    pub(super) no_fields: u8,
    /// The least octets that an entry takes: bounds the count of a sequence before it is read.
    pub(super) least: usize,
    /// Which fields must be there, and when.
    pub(super) required: Required,
}

impl ScopePlan {
    fn new(scope: &Scope, options: Options, first: usize) -> Self {
        let mut bits = 0;
        let mut slots: Vec<Slot> = Vec::new();
        for (index, field) in scope.fields.iter().enumerate() {
            // Of a group that an optional component must have, no entries are not the same as none
            // of the component, so it has a flag.
            let group = matches!(field.holds, Holds::Group(_)) && field.need == Need::Optional;
            let absent = match options.optional {
                _ if scope.required.is_always(index) => Absent::Never,
                Optional::Union if group => Absent::Sequence,
                Optional::Union => Absent::Flag,
                Optional::Bitmap => {
                    bits += 1;
                    Absent::Bit(bits - 1)
                }
            };
            let scope = match field.holds {
                Holds::Group(scope) => usize::from(scope.0),
                _ => 0,
            };
            let width = match field.holds.kind() {
                Some(Kind::Integer(kind)) => kind.bytes(),
                _ => 0,
            };
            slots.push(Slot { absent, flags: 0, bits: 0, scope, width });
        }
        for index in (0..slots.len()).rev() {
            let (flags, bits) = slots.get(index + 1).map_or((0, 0), |next| (next.flags, next.bits));
            match slots[index].absent {
                Absent::Flag => slots[index].flags = 1 + flags,
                Absent::Bit(_) => slots[index].bits = 1 + bits,
                Absent::Never | Absent::Sequence => {}
            }
        }
        let bitmap = usize::div_ceil(bits, 8);
        let least = bitmap + slots.iter().filter(|it| !matches!(it.absent, Absent::Bit(_))).count();
        Self {
            slots: slots.into(),
            first,
            bitmap,
            no_fields: if bits % 8 == 0 { 0 } else { u8::MAX << (bits % 8) },
            least: least.max(1),
            required: scope.required.clone(),
        }
    }
}

impl Plan {
    /// Octets of a whole number, by the schema: a record holds all of them as 64 bits.
    #[inline]
    pub(super) fn width(&self, scope: usize, field: usize) -> usize {
        self.scopes[scope].slots[field].width
    }
}
