//! The notes of CDR on a message: how choices become unions.
//!
//! | note | of | meaning |
//! |---|---|---|
//! | `switch` | a choice | the type of the discriminator: `boolean`, `char`, `i16`, `u16`, `i32`, `u32`, `i64`, `u64` or `enum`; `u32` if nothing is said |
//! | `label` | an arm | the discriminator that says so: a number, `true` or `false`, or a character; its place among the arms if nothing is said |
//!
//! An enumeration's label is the place of its value. An arm whose label is `default` has all that no
//! other arm has: it is a struct whose first member is the discriminator, so that nothing is lost.

use std::ops::Range;

use trunkline_message::{
    Error, ErrorKind, Field, Holds, IntegerKind, Kind, Layout, MemberId, Result, Scope, Shape,
    TypeId,
};

/// The notes of CDR about a layout, checked as they are read.
pub(super) struct Binding<'a> {
    layout: &'a Layout,
}

/// A choice as CDR has it.
#[derive(Debug)]
pub(super) struct Union {
    /// The positions of the arms.
    pub(super) arms: Range<usize>,
    /// The component that it is, or none if it is the scope.
    pub(super) component: Option<u16>,
    /// Octets of the discriminator.
    pub(super) width: usize,
    /// The discriminator of each arm, as many bits as it has octets; none of the arm `default`.
    pub(super) labels: Box<[Option<u64>]>,
    /// The labels in words.
    pub(super) shown: Box<str>,
}

impl Union {
    /// The position of the arm that a discriminator chooses.
    #[inline]
    pub(super) fn arm(&self, label: u64) -> Option<usize> {
        let labelled = match self.labels.get(label as usize) {
            // Usually a label is the place of its arm.
            Some(Some(it)) if *it == label => Some(label as usize),
            _ => self.labels.iter().position(|it| *it == Some(label)),
        };
        labelled.map(|arm| self.arms.start + arm).or_else(|| self.default())
    }

    /// The position of the arm for all other labels.
    pub(super) fn default(&self) -> Option<usize> {
        let arm = self.labels.iter().position(Option::is_none)?;
        Some(self.arms.start + arm)
    }
}

/// The type of a discriminator.
#[derive(Clone, Copy)]
enum Switch {
    Boolean,
    Char,
    Integer(IntegerKind),
    Enumeration,
}

impl Switch {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "boolean" => Self::Boolean,
            "char" => Self::Char,
            "enum" => Self::Enumeration,
            _ => match Kind::named(name) {
                Some(Kind::Integer(kind)) if kind.bytes() > 1 => Self::Integer(kind),
                _ => return None,
            },
        })
    }

    fn width(self) -> usize {
        match self {
            Self::Boolean | Self::Char => 1,
            Self::Integer(kind) => kind.bytes(),
            Self::Enumeration => 4,
        }
    }

    /// The bits of a label.
    fn label(self, text: &str) -> Option<u64> {
        let number = || text.parse::<i128>().ok();
        match self {
            Self::Boolean => text.parse().ok().map(|it: bool| it.into()),
            Self::Char => {
                let mut characters = text.chars();
                let one = characters.next().filter(|it| u32::from(*it) <= 0xff)?;
                characters.next().is_none().then_some(u64::from(one))
            }
            Self::Enumeration => u32::try_from(number()?).ok().map(u64::from),
            Self::Integer(kind) => {
                let number = number()?;
                Some(match kind {
                    IntegerKind::I8 => u64::from(i8::try_from(number).ok()? as u8),
                    IntegerKind::I16 => u64::from(i16::try_from(number).ok()? as u16),
                    IntegerKind::I32 => u64::from(i32::try_from(number).ok()? as u32),
                    IntegerKind::I64 => i64::try_from(number).ok()? as u64,
                    IntegerKind::U8 => u8::try_from(number).ok()?.into(),
                    IntegerKind::U16 => u16::try_from(number).ok()?.into(),
                    IntegerKind::U32 => u32::try_from(number).ok()?.into(),
                    IntegerKind::U64 => u64::try_from(number).ok()?,
                })
            }
        }
    }

    /// The label of an arm of which nothing is said.
    fn of_place(self, place: usize) -> Option<String> {
        match self {
            Self::Boolean => ["false", "true"].get(place).map(|it| it.to_string()),
            Self::Char => None,
            Self::Integer(_) | Self::Enumeration => Some(place.to_string()),
        }
    }

    /// Is it what a field holds?
    fn is(self, field: &Field) -> bool {
        match self {
            Self::Boolean => field.holds == Holds::Value(Kind::Boolean),
            Self::Char => field.holds == Holds::Value(Kind::Code),
            Self::Integer(kind) => field.holds == Holds::Value(Kind::Integer(kind)),
            Self::Enumeration => matches!(field.holds, Holds::Enumeration(_)),
        }
    }
}

impl<'a> Binding<'a> {
    pub(super) fn new(layout: &'a Layout) -> Self {
        Self { layout }
    }

    /// The unions of a scope, which is one itself or has them as components.
    ///
    /// # Errors
    /// Names what is no switch, or no label of it.
    pub(super) fn unions(&self, scope: &Scope) -> Result<Vec<Union>> {
        if scope.shape == Shape::Choice {
            return Ok(vec![self.union(scope, scope.of, 0..scope.fields.len(), None)?]);
        }
        let choices = scope.components.iter().enumerate().filter(|(_, it)| it.is_choice);
        let union = |(index, it): (usize, &trunkline_message::Component)| {
            let of = self.layout.schema().members(it.member.of)[it.member.index as usize].of;
            self.union(scope, of, it.fields.clone(), Some(index as u16))
        };
        choices.map(union).collect()
    }

    fn union(
        &self,
        scope: &Scope,
        of: TypeId,
        arms: Range<usize>,
        component: Option<u16>,
    ) -> Result<Union> {
        let noted = self.layout.notes().of_type(of, "cdr", "switch");
        let Some(switch) = Switch::named(noted.unwrap_or("u32")) else {
            let name = &self.layout.schema().type_of(of).name;
            let what = noted.unwrap_or_default();
            return Err(unsupported(format!("a union {name} over {what}, which is no switch")));
        };
        let mut labels = Vec::new();
        let mut shown: Vec<String> = Vec::new();
        for (place, field) in scope.fields[arms.clone()].iter().enumerate() {
            let (label, text) = self.label(switch, place, field)?;
            if labels.contains(&label) {
                let name = self.name(field.member);
                return Err(unsupported(format!("{name}: the label {text} is another arm's")));
            }
            labels.push(label);
            shown.push(text);
        }
        let (labels, shown) = (labels.into(), shown.join(", ").into());
        Ok(Union { arms, component, width: switch.width(), labels, shown })
    }

    /// The label of an arm, and how it is written.
    fn label(&self, switch: Switch, place: usize, arm: &Field) -> Result<(Option<u64>, String)> {
        let noted = self.layout.notes().of_member(arm.member, "cdr", "label").map(str::to_owned);
        if noted.as_deref() == Some("default") {
            return self.check_default(switch, arm).map(|()| (None, "default".into()));
        }
        let Some(text) = noted.or_else(|| switch.of_place(place)) else {
            let name = self.name(arm.member);
            return Err(unsupported(format!("{name}: the arm needs a label for its switch")));
        };
        match switch.label(&text) {
            Some(label) => Ok((Some(label), text)),
            None => {
                let name = self.name(arm.member);
                Err(unsupported(format!("{name}: {text:?} is no label of its switch")))
            }
        }
    }

    fn check_default(&self, switch: Switch, arm: &Field) -> Result<()> {
        let holds_label = |it: &Scope| {
            it.shape == Shape::Struct
                && it.required.is_always(0)
                && it.fields.first().is_some_and(|it| switch.is(it))
        };
        match arm.holds {
            Holds::Struct(inner) if holds_label(self.layout.scope(inner)) => Ok(()),
            _ => {
                let name = self.name(arm.member);
                let why = "the default arm is a struct whose first member is the discriminator";
                Err(unsupported(format!("{name}: {why}, which this is not")))
            }
        }
    }

    /// Type and member.
    fn name(&self, member: MemberId) -> String {
        let schema = self.layout.schema();
        let name = &schema.members(member.of)[member.index as usize].name;
        format!("{}.{name}", schema.type_of(member.of).name)
    }
}

fn unsupported(what: String) -> Error {
    Error::new(ErrorKind::Unsupported(what.into()), 0)
}
