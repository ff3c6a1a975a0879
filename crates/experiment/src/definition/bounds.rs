//! What the values of keys may be. What is wrong with one is told where it stands.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use super::source::Mistake;
use crate::link::Link;
use crate::middleware::SUBJECTS;

/// The least and the most that numbers may be, with the ends of the ways to their keys; the first that fits
/// decides.
const NUMBERS: [(f64, f64, &[&str]); 19] = [
    (0.0, 1e5, &["spread.clients"]),
    (0.01, 3600.0, &["seconds"]),
    (1.0, 64.0, &["levels"]),
    (1.0, 1e3, &["bridge.sessions", "quick-sessions", "renditions.clients", "beside.sessions"]),
    // As many as there are filters that differ.
    (1.0, 50.0, &["filters.clients"]),
    (1.0, 1e7, &["bridge.rates", "renditions.rate", "filters.rate", "beside.rate", "session-rate"]),
    (1.0, 1e7, &["engines.round-trips", "engines.orders", "kept-round-trips", "kept-orders"]),
    (
        1.0,
        100.0,
        &[
            "engines.count",
            "bridge.count",
            "renditions.count",
            "filters.count",
            "beside.count",
            "turns.count",
            "stretches",
        ],
    ),
    (1.0, 256.0, &["threads", "quick-threads", "sizes", "consumers"]),
    (1.0, 1e3, &["entries", "quick-entries", "slow-factor"]),
    // Receivers wait for twice as long, and tasks may take 150 s.
    (1.0, 7e4, &["turns.milliseconds", "quick-milliseconds"]),
    (1.0, 7e4, &["further-milliseconds", "peer-milliseconds"]),
    (1.0, 1e5, &["milliseconds", "stages.calls", "slow-consumers.topics", "items"]),
    (1.0, 1e6, &["round-trips", "open-loop.rates", "spread.topics", "caps"]),
    (1.0, 1e6, &["slow-consumers.rate", "slow-consumers.slow"]),
    (1.0, 1e7, &["rates", "quick-rates", "spread.rate", "subscriptions", "queue"]),
    (1.0, 1e7, &["recovery.messages", "quick-messages"]),
    (1.0, 1e9, &["capacity.rate", "window-milliseconds"]),
    (64.0, 1e7, &["window"]),
];

/// Lists that may not be empty.
const FILLED: [&str; 15] = [
    "caps",
    "clients",
    "consumers",
    "formats",
    "links",
    "modes",
    "operations",
    "orders",
    "sizes",
    "subjects",
    "terms",
    "threads",
    "topics",
    "transports",
    "ways",
];

/// Lists that have each number once.
const ONCE: [&str; 2] = ["entries", "quick-entries"];

/// Names that are letters, digits and hyphens, as in the cases of rows.
const WORDS: [&str; 4] = ["part.name", "cases.name", "spread.name", "slow-consumers.name"];

/// Holds a value, and those in it, against the bounds; `way` has the keys to it, with points between them.
pub(super) fn check(way: &str, value: &Spanned<DeValue<'_>>) -> Result<(), Mistake> {
    let is = |name: &&str| is_at(way, name);
    let checked = match value.get_ref() {
        DeValue::Table(table) => {
            let mut keys = table.iter();
            return keys
                .try_for_each(|(key, value)| check(&format!("{way}.{}", key.get_ref()), value));
        }
        DeValue::Array(values) => {
            values.iter().try_for_each(|value| check(way, value))?;
            check_list(way, values)
        }
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => check_number(way, number as f64),
            Err(_) => Ok(()),
        },
        DeValue::Float(number) => {
            number.as_str().parse().map_or(Ok(()), |it| check_number(way, it))
        }
        DeValue::String(text) if way == "name" || WORDS.iter().any(is) => check_word(text),
        DeValue::String(name) if is(&"links") => {
            name.parse::<Link>().map(drop).map_err(|error| error.to_string())
        }
        DeValue::String(name) if is(&"subjects") || is(&"quick-subjects") => {
            known("there is no subject", name, SUBJECTS.iter().map(|it| it.name))
        }
        _ => Ok(()),
    };
    let key = way.rsplit('.').next().unwrap_or_default();
    checked.map_err(|what| Mistake::new(format!("{key}: {what}"), value.span()))
}

/// Whether a way ends in the keys of `name`.
fn is_at(way: &str, name: &str) -> bool {
    way.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn check_list(way: &str, values: &[Spanned<DeValue<'_>>]) -> Result<(), String> {
    let is = |name: &&str| is_at(way, name);
    ensure(!values.is_empty() || !FILLED.iter().any(is), || "the list is empty".to_owned())?;
    let mut known = BTreeSet::new();
    let numbers = values.iter().filter_map(|value| value.get_ref().as_integer());
    let twice = numbers.map(DeInteger::as_str).find(|number| !known.insert(*number));
    let what = twice.map(|number| format!("{number} is there twice"));
    what.filter(|_| ONCE.iter().any(is)).map_or(Ok(()), Err)
}

fn check_number(way: &str, number: f64) -> Result<(), String> {
    let is = |name: &&str| is_at(way, name);
    let bounds = NUMBERS.iter().find(|(.., names)| names.iter().any(is));
    bounds.map_or(Ok(()), |(low, high, _)| between(number, *low, *high))
}

fn check_word(text: &str) -> Result<(), String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_word = !text.is_empty() && text.bytes().all(is_part);
    ensure(is_word, || format!("{text:?} is not of letters, digits and hyphens"))
}

/// Whether a number lies from `low` to `high`.
pub(super) fn between(number: f64, low: f64, high: f64) -> Result<(), String> {
    ensure((low..=high).contains(&number), || format!("{number} is not between {low} and {high}"))
}

/// Whether `name` is one of `all`; `what` begins what is said if not.
pub(super) fn known<'a>(
    what: &str,
    name: &str,
    all: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let all: Vec<&str> = all.collect();
    ensure(all.contains(&name), || format!("{what} {name:?}; known: {}", all.join(", ")))
}

/// Says what is wrong unless `is_right`.
pub(super) fn ensure(is_right: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if is_right { Ok(()) } else { Err(what()) }
}
