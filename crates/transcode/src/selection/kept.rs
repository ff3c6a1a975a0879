//! Selections bound to the layout of a message: which positions they keep.

use trunkline_message::{Layout, Record, Value};

use super::Selection;
use crate::filter::find;

/// The positions of a scope that are kept, ascending.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    fields: Vec<(usize, Inside)>,
}

/// What is kept of a field.
#[derive(Debug)]
pub(crate) enum Inside {
    /// All of it.
    All,
    /// Of the struct that it holds, or of each that it lists, this.
    Some(Kept),
}

impl Kept {
    /// Binds a selection. What a message of this layout cannot have is passed over.
    pub(crate) fn new(selection: &Selection, layout: &Layout) -> Self {
        let mut kept = Self::default();
        for (path, _) in selection.paths() {
            if let Some((steps, range)) = find(layout, path) {
                kept.keep(&steps, range);
            }
        }
        kept
    }

    /// Keeps what lies at some steps: a field, or as many as the range has.
    fn keep(&mut self, steps: &[usize], range: usize) {
        let Some((first, rest)) = steps.split_first() else { return };
        if !rest.is_empty() {
            let empty = || Inside::Some(Self::default());
            if let Inside::Some(inside) = self.at(*first, empty) {
                inside.keep(rest, range);
            }
            return;
        }
        for position in *first..first + range.max(1) {
            *self.at(position, || Inside::All) = Inside::All;
        }
    }

    fn at(&mut self, position: usize, absent: impl FnOnce() -> Inside) -> &mut Inside {
        let place = match self.fields.binary_search_by_key(&position, |it| it.0) {
            Ok(place) => place,
            Err(place) => {
                self.fields.insert(place, (position, absent()));
                place
            }
        };
        &mut self.fields[place].1
    }

    /// What is kept of a field, if anything is.
    pub(crate) fn get(&self, position: usize) -> Option<&Inside> {
        let place = self.fields.binary_search_by_key(&position, |it| it.0).ok()?;
        Some(&self.fields[place].1)
    }

    /// What is kept, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Inside)> {
        self.fields.iter().map(|it| (it.0, &it.1))
    }
}

/// Whether everything that a record says is kept; all that is described is, if `kept` is nothing.
pub(crate) fn is_all(record: &Record, kept: Option<&Kept>) -> bool {
    record.unknown_fields().is_empty()
        && (0..record.scope().fields.len()).all(|position| {
            let Some(value) = record.value(position) else { return true };
            let inside = match kept.map(|it| it.get(position)) {
                None | Some(Some(Inside::All)) => None,
                Some(Some(Inside::Some(inside))) => Some(inside),
                Some(None) => return false,
            };
            match value {
                Value::Struct(it) => is_all(it, inside),
                Value::Group(group) => group.entries().iter().all(|it| is_all(it, inside)),
                _ => true,
            }
        })
}
