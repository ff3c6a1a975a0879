//! From the text of an experiment to its types, and back to where something stands in the text.

use std::ops::Range;

use serde::Deserialize as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use super::{Definition, bounds};

/// What is wrong with a text, and which of its bytes say so.
pub(super) struct Mistake {
    what: String,
    bytes: Option<Range<usize>>,
}

/// Words of Rust in messages of serde and toml, and what they are called in TOML.
const WORDS: [(&str, &str); 8] = [
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("unknown variant", "unknown word"),
    ("expected u32", "expected a whole number"),
    ("expected u64", "expected a whole number"),
    ("expected usize", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("a sequence", "a list"),
];

impl From<toml::de::Error> for Mistake {
    fn from(error: toml::de::Error) -> Self {
        let line = error.message().replace('\n', " ");
        let what = WORDS.iter().fold(line, |line, (from, to)| line.replace(from, to));
        Self { what, bytes: error.span() }
    }
}

impl Mistake {
    pub(super) fn new(what: impl Into<String>, bytes: Range<usize>) -> Self {
        Self { what: what.into(), bytes: Some(bytes) }
    }

    /// Where it is in the text, and what it is.
    pub(super) fn told(&self, text: &str) -> String {
        let what = &self.what;
        let Some(before) = self.bytes.as_ref().and_then(|bytes| text.get(..bytes.start)) else {
            return format!("is no experiment: {what}");
        };
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|it| *it != '\n').count() + 1;
        format!("line {line}, column {column}: {what}")
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
    let mut keys = table.get_ref().iter();
    keys.try_for_each(|(key, value)| bounds::check(key.get_ref(), value))?;
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
    let missing = || Mistake::new("missing key `kind`", bytes.clone());
    let kind = keys.remove("kind").ok_or_else(missing)?;
    let place = kind.span();
    let DeValue::String(name) = kind.into_inner() else {
        return Err(Mistake::new("`kind` is no string", place));
    };
    let keys = Spanned::new(bytes, DeValue::Table(std::mem::take(keys)));
    *measure.get_mut() = DeValue::Table([(Spanned::new(place, name), keys)].into_iter().collect());
    Ok(())
}

/// The bytes of a place, or of as much of the way to it as there is.
fn find(table: &DeTable<'_>, place: &str) -> Option<Range<usize>> {
    let mut words = place.split('.');
    let mut found = table.get(words.next()?)?;
    for word in words {
        let next = match found.get_ref() {
            DeValue::Table(table) => table.get(word),
            DeValue::Array(entries) => word.parse().ok().and_then(|at: usize| entries.get(at)),
            _ => None,
        };
        let Some(next) = next else { break };
        found = next;
    }
    Some(found.span())
}
