//! What is said of values beyond their kind, in the words of XML Schema (part 2, section 4.3).

use trunkline_message::{Field, Kind, Layout, MemberId, Value};
use trunkline_wire::base64;

use super::content::Occurs;

/// A name and a value.
pub(super) type Facet = (&'static str, String);

/// Those of one type, in the order of the words below.
pub(super) type Facets = Vec<Facet>;

const WORDS: [(&str, &str); 10] = [
    ("length", "length"),
    ("min_length", "minLength"),
    ("max_length", "maxLength"),
    ("min_inclusive", "minInclusive"),
    ("max_inclusive", "maxInclusive"),
    ("min_exclusive", "minExclusive"),
    ("max_exclusive", "maxExclusive"),
    ("total_digits", "totalDigits"),
    ("fraction_digits", "fractionDigits"),
    ("pattern", "pattern"),
];

/// The values that there are, with blanks between: each is an element of a schema.
const VALUES: &str = "values";

fn said<'a>(layout: &'a Layout, member: MemberId, word: &str) -> Option<&'a str> {
    layout.notes().of_member(member, "facet", word)
}

/// Those of the values of a member, which are of this kind; items of a list have the list's.
///
/// # Errors
/// Two of them exclude one another in XML Schema, or it has not one of them.
pub(super) fn of_values(layout: &Layout, member: MemberId, kind: Kind) -> Result<Facets, String> {
    let is_said = |word: &str| said(layout, member, word).is_some();
    for side in ["min", "max"] {
        let [inclusive, exclusive] = ["inclusive", "exclusive"].map(|it| format!("{side}_{it}"));
        if is_said(&inclusive) && is_said(&exclusive) {
            return Err(format!("both {inclusive} and {exclusive}, of which XML Schema takes one"));
        }
    }
    if said(layout, member, "total_digits") == Some("0") {
        return Err("total_digits of 0, of which XML Schema has none".into());
    }
    let mut all = WORDS.iter().filter_map(|(word, _)| Some((word, said(layout, member, word)?)));
    if let Some((word, value)) = all.find(|(word, value)| !fits(word, value, kind)) {
        return Err(format!("{word} is {value:?}, which is none of {}", kind.name()));
    }
    let has_exact_length = is_said("length");
    let is_whole = matches!(kind, Kind::Integer(_) | Kind::BigInteger);
    let is_needed = |word: &str| match word {
        "min_length" | "max_length" => !has_exact_length,
        // Whole numbers have none behind the point.
        "fraction_digits" => !is_whole,
        _ => true,
    };
    let facets = WORDS.iter().filter(|(word, _)| is_needed(word));
    let facets = facets.filter_map(|(word, name)| Some((word, name, said(layout, member, word)?)));
    let facets = facets.map(|(word, name, value)| (*name, bound(word, value, kind)));
    let values = said(layout, member, VALUES).unwrap_or_default();
    let is_wrong = |it: &&str| !fits(VALUES, it, kind);
    if let Some(value) = values.split_whitespace().find(is_wrong) {
        return Err(format!("{VALUES} has {value:?}, which is none of {}", kind.name()));
    }
    // A boolean has no enumeration in XML Schema; a pattern says the same.
    let name = if kind == Kind::Boolean { "pattern" } else { "enumeration" };
    let values = values.split_whitespace().map(|it| match (kind, it) {
        (Kind::Boolean, "true" | "1") => (name, "true|1".to_owned()),
        (Kind::Boolean, _) => (name, "false|0".to_owned()),
        _ => (name, bound(VALUES, it, kind)),
    });
    Ok(facets.chain(values).collect())
}

/// Has a value of this kind such a facet?
fn fits(word: &str, value: &str, kind: Kind) -> bool {
    let is_count = || value.parse::<u32>().is_ok();
    match word {
        "pattern" => matches!(kind, Kind::Text | Kind::Code),
        "total_digits" | "fraction_digits" => {
            let has_digits = matches!(
                kind,
                Kind::BigInteger | Kind::Decimal | Kind::BigDecimal | Kind::Integer(_)
            );
            has_digits && is_count()
        }
        word if word.ends_with("length") => {
            matches!(kind, Kind::Text | Kind::Code | Kind::Bytes) && is_count()
        }
        VALUES if kind == Kind::Boolean => Value::parse(kind, value).is_some(),
        VALUES if kind == Kind::Bytes => {
            base64::decode_into(value.as_bytes(), value.len(), &mut Vec::new()).is_ok()
        }
        _ => {
            let has_order = !matches!(kind, Kind::Boolean | Kind::Text | Kind::Bytes | Kind::Code);
            has_order && Value::parse(kind, value).is_some()
        }
    }
}

/// Times are written in UTC, and XML Schema does not compare those with times that have no zone.
fn bound(word: &str, value: &str, kind: Kind) -> String {
    let is_value = word == VALUES || word.ends_with("clusive");
    let is_bound = is_value && matches!(kind, Kind::Time | Kind::Timestamp);
    let time = value.split_once('T').map_or(value, |it| it.1);
    match is_bound && !time.contains(['Z', '+', '-']) {
        true => format!("{value}Z"),
        false => value.to_owned(),
    }
}

/// How many items a list has.
pub(super) fn occurs(layout: &Layout, list: &Field) -> Occurs {
    let count = |word| said(layout, list.member, word).and_then(|it| it.parse().ok());
    let exactly = list.fixed.or_else(|| count("items"));
    Occurs {
        least: exactly.or_else(|| count("min_items")).unwrap_or(0),
        most: exactly.or_else(|| count("max_items")),
    }
}
