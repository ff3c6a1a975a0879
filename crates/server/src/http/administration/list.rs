//! What GET asks for.

use std::borrow::Cow;

use trunkline_router::check_pattern;

use super::{Answered, Wanted, bad, no_such_place, only};
use crate::administration::{Filter, LISTED, ListRequest, Listed, MOST_LISTED};

/// Keys of a query, by list.
const CLIENTS: &[&str] = &["client", "name", "address"];
const SUBSCRIPTIONS: &[&str] = &["client", "name", "address", "pattern"];
const TOPICS: &[&str] = &["name", "pattern"];
const PRODUCERS: &[&str] = &["client", "name"];

/// Keys of every list.
const OF_ALL: &[&str] = &["from", "limit"];

/// The request of a place with a query.
pub(super) fn wanted(place: &str, query: &str) -> Result<Wanted, Answered> {
    let (listed, keys) = match place {
        "clients" => (Listed::Clients, CLIENTS),
        "subscriptions" => (Listed::Subscriptions, SUBSCRIPTIONS),
        "topics" => (Listed::Topics, TOPICS),
        "durables" => (Listed::Durables, TOPICS),
        "producers" => (Listed::Producers, PRODUCERS),
        "drain" => return Ok(Wanted::DrainStatus),
        "undrain" | "rotate" => return Err(only("POST", "POST")),
        place if place.ends_with("/disconnect") => return Err(only("POST", "POST")),
        _ => return Err(no_such_place(place)),
    };
    list(listed, keys, query).map(Wanted::List).map_err(|problem| bad(&problem))
}

fn list(listed: Listed, keys: &[&str], query: &str) -> Result<ListRequest, String> {
    let mut filter = Filter::default();
    let (mut from, mut limit) = (0, LISTED);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !keys.contains(&key) && !OF_ALL.contains(&key) {
            let known: Vec<&str> = keys.iter().chain(OF_ALL).copied().collect();
            return Err(format!("{key:?} is not known here; there are {}", known.join(", ")));
        }
        let value = decoded(value).ok_or_else(|| format!("{key} is no text: {value:?}"))?;
        let number = || {
            let number: Option<u64> = value.parse().ok();
            number.ok_or_else(|| format!("{key} is a whole number, not {value:?}"))
        };
        match key {
            "client" => filter.client = Some(number()?),
            "name" => filter.name = Some(value.into_owned()),
            "address" => filter.address = Some(value.into_owned()),
            "pattern" => {
                if let Err(error) = check_pattern(&value) {
                    return Err(format!("{value:?} is no pattern: {error}"));
                }
                filter.pattern = Some(value.into_owned());
            }
            "from" => from = number()?,
            _ => {
                let wanted = usize::try_from(number()?).ok();
                let fits = wanted.filter(|it| (1..=MOST_LISTED).contains(it));
                limit = fits.ok_or_else(|| format!("limit is 1 to {MOST_LISTED}, not {value}"))?;
            }
        }
    }
    Ok(ListRequest { listed, filter, from, limit })
}

/// A value of a query without its percent signs; `+` is itself, since topics may have it.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains('%') {
        return Some(Cow::Borrowed(value));
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        let is_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
        bytes.push(is_hex.then(|| u8::from_str_radix(digits, 16).ok())??);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_query_are_decoded() {
        for (value, expected) in [
            ("fx/%3E", Some("fx/>")),
            ("fx/*", Some("fx/*")),
            ("a+b%2Bc", Some("a+b+c")),
            ("%E2%82%AC", Some("\u{20ac}")),
            ("%", None),
            ("%4", None),
            ("%+4", None),
            ("%zz", None),
            ("%FF", None),
        ] {
            assert_eq!(decoded(value).as_deref(), expected, "{value}");
        }
    }
}
