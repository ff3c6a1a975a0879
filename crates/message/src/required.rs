//! Which fields of a scope must be there, and when, and which exclude one another.

use std::ops::Range;

use crate::{Component, ErrorKind, Field, Need, Scope, Shape};

/// The fields that a message or entry must have: some always, others only where an implied component is
/// there, which it is if anything of it is; and of a choice one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Required {
    /// A bit for each field, the first lowest.
    always: Box<[u64]>,
    within: Box<[Within]>,
    choices: Box<[Choice]>,
}

/// A rule that the fields which are set do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// A required field is not set: its position.
    Missing(usize),
    /// Of a choice, no arm is set: the component that it is, or none if it is the scope.
    NoArm(Option<u16>),
    /// Of a choice, more than one arm is set.
    SeveralArms(Option<u16>),
    /// It [is nil](crate::Fields::is_nil): a format that has a word for that does not come to ask.
    Nil,
}

impl Unmet {
    /// Why a message cannot be written.
    pub fn why(self) -> &'static str {
        match self {
            Self::Missing(_) => "a required field is not set",
            Self::NoArm(_) => "no arm of the choice is set",
            Self::SeveralArms(_) => "more than one arm of the choice is set",
            Self::Nil => "it is nil, which cannot be said there",
        }
    }

    /// Why a message cannot be read.
    #[cold]
    pub(crate) fn kind(self, scope: &Scope) -> ErrorKind {
        let (component, found) = match self {
            Self::Missing(_) => return ErrorKind::Missing,
            Self::Nil => return ErrorKind::Expected("a value, not nil".into()),
            Self::NoArm(component) => (component, "none"),
            Self::SeveralArms(component) => (component, "more than one"),
        };
        let arms = match component {
            Some(component) => scope.components[usize::from(component)].fields.clone(),
            None => 0..scope.fields.len(),
        };
        let names: Vec<&str> = scope.fields[arms].iter().map(|it| &*it.name).take(8).collect();
        let more = if names.len() == 8 { ", ..." } else { "" };
        let what = format!("one of {}{more}, not {found}", names.join(", "));
        ErrorKind::Expected(what.into())
    }
}

/// What an optional component must have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Within {
    component: u16,
    fields: Range<usize>,
    required: Box<[usize]>,
}

/// A choice, and when one of its arms must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    component: Option<u16>,
    arms: Range<usize>,
    needed: Needed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Needed {
    Always,
    /// If one of these fields is set, which are those of a component.
    With(u16, Range<usize>),
    Never,
}

impl Choice {
    fn of(scope: &Scope) -> Vec<Self> {
        if scope.shape == Shape::Choice {
            let arms = 0..scope.fields.len();
            return vec![Self { component: None, arms, needed: Needed::Always }];
        }
        let choices = scope.components.iter().enumerate().filter(|(_, it)| it.is_choice);
        let choice = |(index, it): (usize, &Component)| Self {
            component: Some(index as u16),
            arms: it.fields.clone(),
            needed: match implied_around(&scope.components, it.parent) {
                _ if it.need != Need::Required => Needed::Never,
                None => Needed::Always,
                Some(around) => {
                    Needed::With(around, scope.components[usize::from(around)].fields.clone())
                }
            },
        };
        choices.map(choice).collect()
    }

    fn unmet(&self, is_there: impl Fn(usize) -> bool) -> Option<Unmet> {
        let needed = match &self.needed {
            Needed::Always => true,
            Needed::With(_, fields) => fields.clone().any(&is_there),
            Needed::Never => false,
        };
        match self.arms.clone().filter(|arm| is_there(*arm)).count() {
            0 if needed => Some(Unmet::NoArm(self.component)),
            0 | 1 => None,
            _ => Some(Unmet::SeveralArms(self.component)),
        }
    }
}

impl Required {
    pub(crate) fn of(scope: &Scope) -> Self {
        let mut always = vec![0; scope.fields.len().div_ceil(64)];
        let mut within: Vec<Within> = Vec::new();
        let is_arm = |it: &Field| {
            let inside = it.component.map(|it| &scope.components[usize::from(it)]);
            scope.shape == Shape::Choice || inside.is_some_and(|it| it.is_choice)
        };
        let needed = |(_, it): &(usize, &Field)| it.need == Need::Required && !is_arm(it);
        for (index, field) in scope.fields.iter().enumerate().filter(needed) {
            let Some(component) = implied_around(&scope.components, field.component) else {
                always[index / 64] |= 1 << (index % 64);
                continue;
            };
            match within.iter().position(|it| it.component == component) {
                Some(at) => {
                    within[at].required = [&within[at].required[..], &[index]].concat().into()
                }
                None => {
                    let fields = scope.components[usize::from(component)].fields.clone();
                    within.push(Within { component, fields, required: [index].into() });
                }
            }
        }
        Self { always: always.into(), within: within.into(), choices: Choice::of(scope).into() }
    }

    /// How many words of 64 bits hold one for each field.
    #[inline]
    pub fn words(&self) -> usize {
        self.always.len()
    }

    /// May every field be absent?
    pub fn is_nothing(&self) -> bool {
        self.always.iter().all(|bits| *bits == 0)
            && self.choices.iter().all(|it| it.needed != Needed::Always)
    }

    /// Must the field be there in any case?
    #[inline]
    pub fn is_always(&self, field: usize) -> bool {
        is_set(&self.always, field)
    }

    /// Does what must be there depend on what else is?
    #[inline]
    pub fn is_conditional(&self) -> bool {
        !self.within.is_empty() || !self.choices.is_empty()
    }

    /// The first rule that is not met where these fields are set, a bit for each, the first lowest.
    #[inline]
    pub fn unmet(&self, set: &[u64]) -> Option<Unmet> {
        self.unmet_where(set, |field| is_set(set, field))
    }

    /// The same, where of the fields that are set only some count as there.
    #[inline]
    pub(crate) fn unmet_where(
        &self,
        set: &[u64],
        is_there: impl Fn(usize) -> bool,
    ) -> Option<Unmet> {
        let mut words = self.always.iter().zip(set);
        if let Some(word) = words.position(|(required, set)| required & !set != 0) {
            let bit = (self.always[word] & !set[word]).trailing_zeros() as usize;
            return Some(Unmet::Missing(64 * word + bit));
        }
        if self.is_conditional() { self.unmet_conditions(is_there) } else { None }
    }

    #[inline(never)]
    fn unmet_conditions(&self, is_there: impl Fn(usize) -> bool) -> Option<Unmet> {
        let there = |it: &&Within| it.fields.clone().any(&is_there);
        let missing = |it: &Within| it.required.iter().copied().find(|field| !is_there(*field));
        let missing = self.within.iter().filter(there).find_map(missing).map(Unmet::Missing);
        missing.or_else(|| self.choices.iter().find_map(|it| it.unmet(&is_there)))
    }

    /// Does what must be there depend on whether this component is?
    pub fn is_condition(&self, component: u16) -> bool {
        let is_with = |it: &Choice| matches!(it.needed, Needed::With(of, _) if of == component);
        self.within.iter().any(|it| it.component == component) || self.choices.iter().any(is_with)
    }

    /// The first field that an optional component must have, if nothing of it is set: for formats
    /// in which it can be there even so.
    pub fn unmet_in_empty(&self, component: u16, set: &[u64]) -> Option<Unmet> {
        let is_empty = |fields: &Range<usize>| !fields.clone().any(|field| is_set(set, field));
        let within = self.within.iter().find(|it| it.component == component);
        if let Some(within) = within.filter(|it| is_empty(&it.fields)) {
            return within.required.first().copied().map(Unmet::Missing);
        }
        self.choices.iter().find_map(|choice| match &choice.needed {
            Needed::With(of, fields) if *of == component && is_empty(fields) => {
                Some(Unmet::NoArm(choice.component))
            }
            _ => None,
        })
    }
}

#[inline]
fn is_set(bits: &[u64], field: usize) -> bool {
    bits.get(field / 64).is_some_and(|word| word >> (field % 64) & 1 != 0)
}

/// This component, or the innermost around it, that may be absent.
fn implied_around(components: &[Component], mut around: Option<u16>) -> Option<u16> {
    while let Some(index) = around {
        let component = &components[usize::from(index)];
        if component.need == Need::Implied {
            return Some(index);
        }
        around = component.parent;
    }
    None
}
