//! A layout compiled for CDR.

use std::collections::HashSet;
use std::sync::Arc;

use trunkline_message::{
    Checks, Component, Error, Field, Holds, Kind, Layout, Need, Required, Result, Scope,
};

use super::binding::{Binding, Union};
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
    ///
    /// # Errors
    /// Names the choice or arm whose `switch` or `label` is none.
    pub fn new(layout: &Arc<Layout>, options: &Options) -> Result<Arc<Self>> {
        let binding = Binding::new(layout);
        let unions = layout.scopes().iter().map(|it| binding.unions(it));
        let unions = unions.collect::<Result<Vec<_>>>()?;
        let with_label = scopes_with_label(layout, &unions);
        let (mut first, mut scopes) = (0, Vec::new());
        for (index, (scope, unions)) in layout.scopes().iter().zip(unions).enumerate() {
            let optional = match with_label.contains(&index) {
                true => Optional::Union,
                false => options.optional,
            };
            scopes.push(ScopePlan::new(layout, scope, unions, (optional, first)));
            first += scope.fields.len();
        }
        Ok(Arc::new(Self { layout: layout.clone(), options: *options, scopes }))
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

/// The scopes that begin with the discriminator of the union around them. No bits stand before it, so
/// their fields have flags.
fn scopes_with_label(layout: &Layout, unions: &[Vec<Union>]) -> HashSet<usize> {
    let of_scope = |(scope, unions): (&Scope, &Vec<Union>)| {
        let arms = unions.iter().filter_map(Union::default);
        let inner = arms.filter_map(|arm| scope.fields[arm].holds.scope());
        inner.map(|it| usize::from(it.0)).collect::<Vec<_>>()
    };
    layout.scopes().iter().zip(unions).flat_map(of_scope).collect()
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
    Bit(u32),
    /// Another arm of this union of the scope.
    Arm(u32),
}

/// What CDR counts to; of a string, which is counted with its end.
pub(super) const MOST: u32 = u32::MAX - 1;

/// What the codec does with a field. Half a cache line, so that it is found by a shift.
#[derive(Debug)]
#[repr(align(32))]
pub(super) struct Slot {
    pub(super) absent: Absent,
    /// How many fields from this one on are absent by an octet 0 each.
    pub(super) flags: u32,
    /// How many from this one on are absent by a bit each.
    pub(super) bits: u32,
    /// The scope of the entries or the struct; of an enumeration, how many values it has.
    pub(super) inside: u32,
    /// Octets of a whole number.
    pub(super) width: u32,
    /// How many items a list has, if that is fixed; else 0.
    pub(super) fixed: u32,
    /// The most items of a list, characters of a text, or octets of data: a bound of IDL, or what CDR counts to.
    pub(super) most: u32,
}

#[derive(Debug)]
pub(super) struct ScopePlan {
    pub(super) slots: Box<[Slot]>,
    /// Its choices, and what stands for each if no arm is set.
    pub(super) unions: Box<[(Union, Absent)]>,
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
    /// Is there a component that may be absent, so that this depends on what else is there?
    pub(super) is_conditional: bool,
}

impl ScopePlan {
    fn new(
        layout: &Layout,
        scope: &Scope,
        unions: Vec<Union>,
        (optional, first): (Optional, usize),
    ) -> Self {
        let mut bits = 0_u32;
        let mut absent = |need: Presence| match (need, optional) {
            (Presence::Always, _) => Absent::Never,
            (Presence::ByCount, Optional::Union) => Absent::Sequence,
            (_, Optional::Union) => Absent::Flag,
            (_, Optional::Bitmap) => {
                bits += 1;
                Absent::Bit(bits - 1)
            }
        };
        let (mut slots, mut of_unions): (Vec<Slot>, _) = (Vec::new(), Vec::new());
        for (index, field) in scope.fields.iter().enumerate() {
            let union = unions.iter().position(|it| it.arms.contains(&index));
            if let Some(union) = union.filter(|it| *it == of_unions.len()) {
                of_unions.push(absent(Presence::of_choice(scope, unions[union].component)));
            }
            let absent = match union {
                Some(union) => Absent::Arm(union as u32),
                None => absent(Presence::of_field(scope, index)),
            };
            slots.push(Slot::new(layout, scope, field, absent));
        }
        for index in (0..slots.len()).rev() {
            let (flags, bits) = slots.get(index + 1).map_or((0, 0), |next| (next.flags, next.bits));
            match slots[index].absent {
                Absent::Flag => slots[index].flags = 1 + flags,
                Absent::Bit(_) => slots[index].bits = 1 + bits,
                Absent::Never | Absent::Sequence | Absent::Arm(_) => {}
            }
        }
        let bitmap = bits.div_ceil(8) as usize;
        let unions: Box<[_]> = unions.into_iter().zip(of_unions).collect();
        let of_slots: usize = slots.iter().map(Slot::least).sum();
        let of_unions: usize = unions.iter().map(|(union, absent)| least(union, *absent)).sum();
        let may_be_absent = |it: &Component| it.need == Need::Implied && !it.is_choice;
        Self {
            slots: slots.into(),
            unions,
            first,
            bitmap,
            no_fields: if bits.is_multiple_of(8) { 0 } else { u8::MAX << (bits % 8) },
            least: bitmap + of_slots + of_unions,
            required: scope.required.clone(),
            is_conditional: scope.required.is_conditional()
                && scope.components.iter().any(may_be_absent),
        }
    }
}

/// The least octets of a union, arms of empty structs taken for all.
fn least(union: &Union, absent: Absent) -> usize {
    match absent {
        Absent::Never => union.width,
        Absent::Flag => 1,
        Absent::Bit(_) | Absent::Sequence | Absent::Arm(_) => 0,
    }
}

/// May it be absent?
enum Presence {
    Always,
    /// A list is absent if it is empty.
    ByCount,
    Maybe,
}

impl Presence {
    fn of_field(scope: &Scope, index: usize) -> Self {
        let field = &scope.fields[index];
        match field.holds {
            _ if scope.required.is_always(index) || field.default.is_some() => Self::Always,
            // Of a list that an optional component must have, no items are not the same as none of the
            // component, so it has a flag.
            Holds::List(_) | Holds::Group(_)
                if field.need == Need::Implied && field.fixed.is_none() =>
            {
                Self::ByCount
            }
            _ => Self::Maybe,
        }
    }

    fn of_choice(scope: &Scope, mut component: Option<u16>) -> Self {
        while let Some(around) = component.map(|it| &scope.components[usize::from(it)]) {
            if around.need != Need::Required {
                return Self::Maybe;
            }
            component = around.parent;
        }
        Self::Always
    }
}

impl Slot {
    fn new(layout: &Layout, scope: &Scope, field: &Field, absent: Absent) -> Self {
        let inside = match field.holds {
            Holds::Group(scope) | Holds::Struct(scope) => scope.0.into(),
            Holds::Enumeration(of) => layout.schema().values(of).len() as u32,
            Holds::Value(_) | Holds::List(_) => 0,
        };
        let width = match field.holds.kind() {
            Some(Kind::Integer(kind)) => kind.bytes() as u32,
            _ => 0,
        };
        let fixed = field.fixed.unwrap_or(0);
        let most = Checks::most(layout, scope, field).unwrap_or(u32::MAX).min(MOST);
        Self { absent, flags: 0, bits: 0, inside, width, fixed, most }
    }

    /// The least octets that it takes: one of most values and of flags, none of what may be without any.
    fn least(&self) -> usize {
        match self.absent {
            // Entries of a fixed number may be empty structs.
            Absent::Never if self.fixed > 0 => 0,
            Absent::Never | Absent::Flag | Absent::Sequence => 1,
            Absent::Bit(_) | Absent::Arm(_) => 0,
        }
    }
}

impl Plan {
    /// Octets of a whole number, by the schema: a record holds all of them as 64 bits.
    #[inline]
    pub(super) fn width(&self, scope: usize, field: usize) -> usize {
        self.scopes[scope].slots[field].width as usize
    }
}
