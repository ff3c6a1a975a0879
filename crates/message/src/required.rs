//! Which fields of a scope must be there, and when.

use std::ops::Range;

use crate::{Component, Field, Need, Scope};

/// The fields that a message or entry must have: some always, others only where an optional
/// component is there, which it is if anything of it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Required {
    /// A bit for each field, the first lowest.
    always: Box<[u64]>,
    within: Box<[Within]>,
}

/// What an optional component must have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Within {
    component: u16,
    fields: Range<usize>,
    required: Box<[usize]>,
}

impl Required {
    pub(crate) fn of(scope: &Scope) -> Self {
        let mut always = vec![0; scope.fields.len().div_ceil(64)];
        let mut within: Vec<Within> = Vec::new();
        let needed = |(_, field): &(usize, &Field)| field.need == Need::Required;
        for (index, field) in scope.fields.iter().enumerate().filter(needed) {
            let Some(component) = optional_around(&scope.components, field) else {
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
        Self { always: always.into(), within: within.into() }
    }

    /// How many words of 64 bits hold one for each field.
    #[inline]
    pub fn words(&self) -> usize {
        self.always.len()
    }

    /// May every field be absent?
    pub fn is_nothing(&self) -> bool {
        self.always.iter().all(|bits| *bits == 0)
    }

    /// Must the field be there in any case?
    #[inline]
    pub fn is_always(&self, field: usize) -> bool {
        is_set(&self.always, field)
    }

    /// Does an optional component have fields that must be there if it is?
    #[inline]
    pub fn is_conditional(&self) -> bool {
        !self.within.is_empty()
    }

    /// The first field that is missing where these are set, a bit for each, the first lowest.
    #[inline]
    pub fn first_missing(&self, set: &[u64]) -> Option<usize> {
        self.first_missing_where(set, |field| is_set(set, field))
    }

    /// The same, where of the fields that are set only some count as there.
    #[inline]
    pub(crate) fn first_missing_where(
        &self,
        set: &[u64],
        is_there: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut words = self.always.iter().zip(set);
        if let Some(word) = words.position(|(required, set)| required & !set != 0) {
            return Some(64 * word + (self.always[word] & !set[word]).trailing_zeros() as usize);
        }
        if self.within.is_empty() { None } else { self.missing_within(is_there) }
    }

    #[inline(never)]
    fn missing_within(&self, is_there: impl Fn(usize) -> bool) -> Option<usize> {
        let there = |it: &&Within| it.fields.clone().any(&is_there);
        let missing = |it: &Within| it.required.iter().copied().find(|field| !is_there(*field));
        self.within.iter().filter(there).find_map(missing)
    }

    /// The first field that an optional component must have, if nothing of it is set: for formats
    /// in which it can be there even so.
    pub fn missing_in_empty(&self, component: u16, set: &[u64]) -> Option<usize> {
        let within = self.within.iter().find(|it| it.component == component)?;
        let mut fields = within.fields.clone();
        if fields.any(|field| is_set(set, field)) { None } else { within.required.first().copied() }
    }
}

#[inline]
fn is_set(bits: &[u64], field: usize) -> bool {
    bits.get(field / 64).is_some_and(|word| word >> (field % 64) & 1 != 0)
}

/// The innermost component around the field that may be absent.
fn optional_around(components: &[Component], field: &Field) -> Option<u16> {
    let mut around = field.component;
    while let Some(index) = around {
        let component = &components[usize::from(index)];
        if component.need == Need::Implied {
            return Some(index);
        }
        around = component.parent;
    }
    None
}
