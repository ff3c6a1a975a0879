//! Values that are of one of several types.

use trunkline_message::Kind;
use trunkline_soap::WhiteSpace;

use super::simple::{Enumeration, Values, literal};

/// Values of any of these types: texts, which are as one of the types has them.
pub(super) fn union(members: &[Values]) -> Values {
    // Of which type a text is, nobody knows before it is compared with all: blanks stay if one of them keeps them.
    let white_space = members.iter().map(|it| it.white_space_of_text()).min().unwrap_or_default();
    let enumerations: Option<Vec<&Enumeration>> =
        members.iter().map(|it| it.enumeration.as_ref().filter(|_| !it.is_list)).collect();
    if let Some(all) = enumerations {
        let mut values: Vec<String> = Vec::new();
        for value in all.iter().flat_map(|it| &it.values) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        let enumeration = Some(Enumeration { of: None, values });
        return Values { enumeration, white_space, ..Values::of(Kind::Text) };
    }
    let mut values = Values { white_space, ..Values::of(Kind::Text) };
    let patterns: Option<Vec<String>> = members.iter().map(pattern).collect();
    if let Some(patterns) = patterns {
        values.set("pattern", patterns.join("|"));
    }
    values
}

/// A pattern that every value of a type has, with blanks at its ends where they do not count; none if that is any text.
/// Bounds are not in it.
fn pattern(of: &Values) -> Option<String> {
    let said = of.facets.iter().find(|it| it.0 == "pattern" && of.kind == Kind::Text);
    let item = match (&of.enumeration, said) {
        (Some(all), _) => all.values.iter().map(|it| literal(it)).collect::<Vec<_>>().join("|"),
        (None, Some((_, pattern))) => pattern.clone(),
        (None, None) => of_kind(of.kind)?.to_owned(),
    };
    Some(match of.is_list {
        true => format!(r"\s*(({item})(\s+({item}))*)?\s*"),
        false if of.white_space_of_text() != WhiteSpace::Collapse => format!("({item})"),
        false => format!(r"\s*({item})\s*"),
    })
}

/// The texts of a kind of value (XML Schema part 2, section 3.2).
fn of_kind(kind: Kind) -> Option<&'static str> {
    const NUMBER: &str = r"[+\-]?(\d+(\.\d*)?|\.\d+)";
    const FLOAT: &str = r"[+\-]?(\d+(\.\d*)?|\.\d+)([eE][+\-]?\d+)?|-?INF|NaN";
    Some(match kind {
        Kind::Boolean => "true|false|1|0",
        Kind::Integer(_) | Kind::BigInteger => r"[+\-]?\d+",
        Kind::Decimal | Kind::BigDecimal => NUMBER,
        Kind::Float32 | Kind::Float64 => FLOAT,
        Kind::Date => r"-?\d{4,}-\d\d-\d\d(Z|[+\-]\d\d:\d\d)?",
        Kind::Time => r"\d\d:\d\d:\d\d(\.\d+)?(Z|[+\-]\d\d:\d\d)?",
        Kind::Timestamp => r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+\-]\d\d:\d\d)?",
        Kind::Duration => r"-?P[\dYMDTHS.]+",
        Kind::Text | Kind::Code | Kind::Bytes | Kind::Any => return None,
    })
}
