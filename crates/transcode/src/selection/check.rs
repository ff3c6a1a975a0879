//! Selections held against a description: every field must be one of some message, and one message such that the format
//! can leave out the others.

use std::ops::Range;

use trunkline_import::nearest;
use trunkline_message::{Holds, Layout, Scope, ScopeId, Shape, Unmet};

use super::Selection;
use super::kept::{Inside, Kept};
use crate::codec::Format;
use crate::filter::{Checked, FilterError, Names, Path, find, shown_path};

/// Names that are told of what there is, or of what must not be left out.
const SHOWN: usize = 12;

/// The fields of a selection, and what came of them in the messages so far.
pub(crate) struct Scan<'a> {
    selection: &'a Selection,
    to: Option<Format>,
    open: Vec<&'a Path>,
    names: Names,
    /// Whether there is a message that can be written without the other fields.
    is_writable: bool,
    /// Why there is none.
    lacks: Option<String>,
    /// The message that has most of the fields, or what one may have been meant for: how many, whether, and what it has.
    closest: Option<((usize, bool), String)>,
}

impl<'a> Scan<'a> {
    /// `to` is the format that messages are written in, where it is known.
    pub(crate) fn new(selection: &'a Selection, to: Option<Format>) -> Self {
        let open = selection.paths().iter().collect();
        let (names, is_writable) = (Names::default(), false);
        Self { selection, to, open, names, is_writable, lacks: None, closest: None }
    }

    /// Looks at a message.
    pub(crate) fn message(&mut self, layout: &Layout) -> Checked {
        let is_there = |path: &&Path| find(layout, &path.0).is_some();
        self.open.retain(|it| !is_there(it));
        let found = self.selection.paths().iter().filter(is_there).count();
        if let Some((path, _)) = self.open.first() {
            let names = || layout.scope(ScopeId(0)).fields.iter().map(|it| &*it.name);
            let ends = [path.first(), path.last()];
            let is_near = ends.into_iter().flatten().any(|it| nearest(it, names()).is_some());
            if self.closest.as_ref().is_none_or(|it| it.0 < (found, is_near)) {
                self.closest = Some(((found, is_near), names_of(layout)));
            }
        }
        if found > 0 && !self.is_writable {
            match missing(layout, &Kept::new(self.selection, layout), self.to) {
                None => self.is_writable = true,
                Some(missing) => _ = self.lacks.get_or_insert(missing),
            }
        }
        if self.open.is_empty() && self.is_writable {
            return Checked::Done;
        }
        self.names.message(layout)
    }

    /// What came of it, if there is nothing more to look at.
    ///
    /// # Errors
    /// The first field that is none of any message, or what cannot be left out.
    pub(crate) fn end(self, is_whole: bool) -> Result<(), FilterError> {
        if let Some((path, offset)) = self.open.iter().min_by_key(|it| it.1) {
            let unknown = self.names.unknown(path, is_whole);
            let there = self.closest.map(|it| it.1).unwrap_or_default();
            return Err(FilterError::new(*offset, format!("{unknown}{there}")));
        }
        match self.lacks {
            Some(lacks) if !self.is_writable => Err(FilterError::new(0, lacks)),
            _ => Ok(()),
        }
    }
}

/// What fields there are in a message.
fn names_of(layout: &Layout) -> String {
    let mut names: Vec<String> = Vec::new();
    for field in &layout.scope(ScopeId(0)).fields {
        let name = shown_path(std::slice::from_ref(&field.name));
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() > SHOWN {
            break;
        }
    }
    let more = if names.len() > SHOWN { " ..." } else { "" };
    names.truncate(SHOWN);
    if names.is_empty() {
        return String::new();
    }
    format!("; {} has {}{more}", layout.name(), names.join(", "))
}

/// What a format cannot leave out of a message, if anything.
fn missing(layout: &Layout, kept: &Kept, to: Option<Format>) -> Option<String> {
    let to = to.filter(|it| *it != Format::Json)?;
    let mut all = Vec::new();
    missing_of(layout, (ScopeId(0), "", false), kept, to, &mut all);
    let more = if all.len() > SHOWN { " ..." } else { "" };
    all.truncate(SHOWN);
    if all.is_empty() {
        return None;
    }
    let (name, all) = (layout.name(), all.join(", "));
    Some(format!(
        "{to} cannot leave out {all}{more} of {name}, which its schema requires: select them too, or json, which leaves \
         out anything"
    ))
}

fn missing_of(
    layout: &Layout,
    (id, path, is_listed): (ScopeId, &str, bool),
    kept: &Kept,
    to: Format,
    all: &mut Vec<String>,
) {
    let scope = layout.scope(id);
    let mut add = |name: String| {
        if all.len() <= SHOWN {
            all.push(format!("{path}{}", name.replace('/', ".")));
        }
    };
    // The first field parts the entries of a group of FIX.
    let parts = to == Format::Fix && is_listed && scope.shape == Shape::Struct;
    let is_parted = !parts || scope.fields.is_empty() || kept.get(0).is_some();
    let mut there = vec![0_u64; scope.required.words()];
    let mut set = |position: usize| there[position / 64] |= 1 << (position % 64);
    if !is_parted {
        add(scope.path(0));
        set(0);
    }
    kept.iter().for_each(|it| set(it.0));
    // Each turn sets a field, or leaves one arm of a choice.
    for _ in 0..=2 * scope.fields.len() {
        match scope.required.unmet(&there) {
            None | Some(Unmet::Nil) => break,
            Some(Unmet::Missing(position)) => {
                add(scope.path(position));
                there[position / 64] |= 1 << (position % 64);
            }
            Some(Unmet::NoArm(component)) => {
                let (first, named) = (arms(scope, component).start, arm_names(scope, component));
                add(named);
                there[first / 64] |= 1 << (first % 64);
            }
            // Of those that are selected, a message has one.
            Some(Unmet::SeveralArms(component)) => {
                let is_set = |it: &usize| there[it / 64] >> (it % 64) & 1 == 1;
                let others: Vec<usize> = arms(scope, component).filter(is_set).skip(1).collect();
                others.iter().for_each(|it| there[it / 64] &= !(1 << (it % 64)));
            }
        }
    }
    for (position, inside) in kept.iter() {
        let holds = scope.fields[position].holds;
        if let (Inside::Some(inside), Some(further)) = (inside, holds.scope()) {
            let path = format!("{path}{}.", scope.path(position).replace('/', "."));
            let is_listed = matches!(holds, Holds::Group(_));
            missing_of(layout, (further, &path, is_listed), inside, to, all);
        }
    }
}

/// The fields that are the arms of a choice.
fn arms(scope: &Scope, component: Option<u16>) -> Range<usize> {
    match component {
        Some(component) => scope.components[usize::from(component)].fields.clone(),
        None => 0..scope.fields.len(),
    }
}

/// A choice, as whoever selects has to name it.
fn arm_names(scope: &Scope, component: Option<u16>) -> String {
    let arms = &scope.fields[arms(scope, component)];
    let names: Vec<&str> = arms.iter().take(SHOWN).map(|it| &*it.name).collect();
    format!("all of {}", names.join(" or "))
}
