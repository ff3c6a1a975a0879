//! From the text of an experiment to its types, and back to where something stands in the text.

use std::ops::Range;

use serde::Deserialize as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use super::Definition;

/// What is wrong with a text, and which of its bytes say so.
pub(super) struct Mistake {
    pub(super) what: String,
    pub(super) bytes: Option<Range<usize>>,
}

impl From<toml::de::Error> for Mistake {
    fn from(error: toml::de::Error) -> Self {
        Self { what: error.message().replace('\n', " "), bytes: error.span() }
    }
}

/// What the types of a definition do not say: where, such as `part.0.measure.2`, and what is wrong there.
pub(super) struct Fault {
    place: String,
    what: String,
}

/// Makes a fault of what is wrong at this place.
pub(super) fn at(place: impl Into<String>) -> impl FnOnce(String) -> Fault {
    |what| Fault { place: place.into(), what }
}

/// The definition in a text.
pub(super) fn parse(text: &str) -> Result<Definition, Mistake> {
    let mut table = DeTable::parse(text)?;
    let source = table.clone();
    for part in entries(table.get_mut(), "part") {
        if let DeValue::Table(part) = part.get_mut() {
            entries(part, "measure").iter_mut().try_for_each(name_by_kind)?;
        }
    }
    let definition = Definition::deserialize(Deserializer::from(table))?;
    definition.check().map_err(|Fault { place, what }| {
        let bytes = find(source.get_ref(), &place);
        Mistake { what, bytes }
    })?;
    Ok(definition)
}

/// The tables under `[[name]]`.
fn entries<'a, 't>(table: &'a mut DeTable<'t>, name: &str) -> &'a mut [Spanned<DeValue<'t>>] {
    match table.get_mut(name).map(Spanned::get_mut) {
        Some(DeValue::Array(entries)) => entries,
        _ => &mut [],
    }
}

/// Puts what is said of a measure under the name of its kind: so each kind has its own keys, and what is wrong
/// with one of them is told where it stands.
fn name_by_kind(measure: &mut Spanned<DeValue<'_>>) -> Result<(), Mistake> {
    let bytes = measure.span();
    let DeValue::Table(keys) = measure.get_mut() else { return Ok(()) };
    let wrong = |what: &str, bytes| Mistake { what: what.to_owned(), bytes: Some(bytes) };
    let Some(kind) = keys.remove("kind") else {
        return Err(wrong("missing field `kind`", bytes));
    };
    let name_bytes = kind.span();
    let DeValue::String(name) = kind.into_inner() else {
        return Err(wrong("`kind` is no string", name_bytes));
    };
    let keys = DeValue::Table(std::mem::take(keys));
    let mut named = DeTable::new();
    named.insert(Spanned::new(name_bytes, name), Spanned::new(bytes, keys));
    *measure.get_mut() = DeValue::Table(named);
    Ok(())
}

/// The bytes of a place, or of as much of the way to it as there is.
fn find(table: &DeTable<'_>, place: &str) -> Option<Range<usize>> {
    let mut words = place.split('.');
    let mut found = table.get(words.next()?)?;
    for word in words {
        let next = match found.get_ref() {
            DeValue::Table(table) => table.get(word),
            DeValue::Array(entries) => {
                word.parse().ok().and_then(|index: usize| entries.get(index))
            }
            _ => None,
        };
        let Some(next) = next else { break };
        found = next;
    }
    Some(found.span())
}
