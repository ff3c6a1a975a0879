//! Keys: which values are unique, and which refer to others (part 1, section 3.11).

use std::collections::{HashMap, HashSet};

use super::Fault;
use super::walk::{Found, Frame, Walk};
use crate::xsd::name::Name;

/// A key of an element that is open.
pub(super) struct Scope {
    /// How many elements are open with its own.
    depth: usize,
    /// Its place among all.
    key: usize,
    /// The values that are there, with the element that has them.
    rows: HashMap<String, usize>,
}

/// An element that a key selects, while it is open.
pub(super) struct Row {
    scope: usize,
    depth: usize,
    values: Vec<Option<String>>,
    at: usize,
}

/// Steps that the keys of one document may cost: fields that are compared with elements.
const MOST_WORK: u64 = 1 << 28;
/// No document has this character.
const BETWEEN: char = '\u{2}';

impl Walk<'_> {
    /// Begins the keys of the element that was opened last, and notes of which it is a part.
    pub(super) fn start_of_keys(&mut self, attributes: &[(Name, String)]) {
        let depth = self.frames.len();
        let Some(frame) = self.frames.last() else { return };
        let (at, is_nil) = (frame.at, frame.is_nil);
        if let Some(element) = frame.element {
            let keys = self.schemas.at(element).keys.iter();
            self.scopes.extend(keys.map(|it| Scope { depth, key: *it, rows: HashMap::new() }));
        }
        if self.scopes.is_empty() {
            return;
        }
        self.work += (self.scopes.len() + self.rows.len()) as u64;
        if self.work > MOST_WORK {
            self.scopes.clear();
            self.rows.clear();
            self.work = 0;
            self.tell_at(
                at,
                Fault::new("limit", "keys are not checked any further: they cost too much"),
            );
            return;
        }
        for (index, scope) in self.scopes.iter().enumerate() {
            let key = &self.schemas.keys[scope.key];
            let below = || self.frames[scope.depth..].iter().map(|it| &it.name);
            if key.selector.iter().any(|it| it.leads_to(below())) {
                let values = vec![None; key.fields.len()];
                self.rows.push(Row { scope: index, depth, values, at });
            }
        }
        self.fields(attributes, is_nil);
    }

    /// Finds the fields of rows that are attributes of this element, or the element itself.
    fn fields(&mut self, attributes: &[(Name, String)], is_nil: bool) {
        let mut of_element = Vec::new();
        let mut twice = Vec::new();
        for (index, row) in self.rows.iter_mut().enumerate() {
            let key = &self.schemas.keys[self.scopes[row.scope].key];
            let below = || self.frames[row.depth..].iter().map(|it| &it.name);
            for (field, paths) in key.fields.iter().enumerate() {
                for path in paths.iter().filter(|it| it.leads_to(below())) {
                    let Some(test) = &path.attribute else {
                        of_element.push((index, field));
                        break;
                    };
                    for (_, value) in attributes.iter().filter(|it| test.takes(&it.0)) {
                        if row.values[field].replace(value.clone()).is_some() {
                            twice.push((row.at, key.name.clone()));
                        }
                    }
                }
            }
        }
        for (at, name) in twice {
            self.tell_field(at, &name, "has several values");
        }
        if let Some(frame) = self.frames.last_mut()
            && !is_nil
        {
            frame.fields = of_element;
        }
    }

    fn tell_field(&mut self, at: usize, key: &Name, how: &str) {
        let what = format!("a field of {key} {how}");
        self.tell_at(at, Fault::new("cvc-identity-constraint", what));
    }

    /// Ends an element whose text has this key, and the rows and keys that end with it.
    pub(super) fn end_of_keys(&mut self, frame: Frame, value: Option<String>) {
        if self.scopes.is_empty() {
            return;
        }
        let depth = self.frames.len() + 1;
        for (row, field) in &frame.fields {
            let Some(row) = self.rows.get_mut(*row) else { continue };
            let (at, key) = (row.at, self.scopes[row.scope].key);
            let how = match &value {
                None if frame.is_text() => continue,
                None => "is no text",
                Some(value) => match row.values[*field].replace(value.clone()) {
                    None => continue,
                    Some(_) => "has several values",
                },
            };
            let name = self.schemas.keys[key].name.clone();
            self.tell_field(at, &name, how);
        }
        while let Some(row) = self.rows.pop_if(|it| it.depth == depth) {
            self.end_of_row(row);
        }
        self.end_of_scopes(frame, depth);
    }

    fn end_of_row(&mut self, row: Row) {
        let scope = &mut self.scopes[row.scope];
        let key = &self.schemas.keys[scope.key];
        let mut whole = String::new();
        for value in &row.values {
            let Some(value) = value else {
                if key.is_needed {
                    let name = key.name.clone();
                    self.tell_field(row.at, &name, "is not there");
                }
                return;
            };
            whole.push_str(value);
            whole.push(BETWEEN);
        }
        let is_first = scope.rows.insert(whole, row.at).is_none();
        if !is_first && key.refers_to.is_none() {
            let what = format!("the values of {} stand twice", key.name);
            self.tell_at(row.at, Fault::new("cvc-identity-constraint", what));
        }
    }

    /// Ends the keys of an element: what refers to others is compared with what the keys of it, and of those in it, have.
    fn end_of_scopes(&mut self, frame: Frame, depth: usize) {
        let mut tables = frame.tables;
        let mut references = Vec::new();
        while let Some(scope) = self.scopes.pop_if(|it| it.depth == depth) {
            if self.schemas.keys[scope.key].refers_to.is_some() {
                references.push(scope);
            } else if self.rules.referred.contains(&scope.key) {
                tables.entry(scope.key).or_default().extend(scope.rows.into_keys());
            }
        }
        for Scope { key, rows, .. } in references {
            let key = &self.schemas.keys[key];
            let referred = key.refers_to.as_ref().and_then(|it| self.rules.keys.get(it));
            let table = referred.and_then(|it| tables.get(it));
            let is_there = |it: &String| table.is_some_and(|table| table.contains(it));
            let mut wrong: Vec<usize> =
                rows.into_iter().filter(|it| !is_there(&it.0)).map(|it| it.1).collect();
            wrong.sort_unstable();
            for at in wrong {
                let what = format!("the values of {} are those of no key", key.name);
                let fault = Fault::new("cvc-identity-constraint", what);
                self.out.push(Found { at, attribute: None, fault });
            }
        }
        // Others around it may refer to them.
        let Some(around) = self.frames.last_mut().filter(|_| !self.scopes.is_empty()) else {
            return;
        };
        for (key, table) in tables {
            merge(around.tables.entry(key).or_default(), table);
        }
    }
}

fn merge(into: &mut HashSet<String>, mut from: HashSet<String>) {
    if into.len() < from.len() {
        std::mem::swap(into, &mut from);
    }
    into.extend(from);
}
