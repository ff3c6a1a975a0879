//! Simple types, and which values they take.

use std::fmt;

/// A type without elements inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simple {
    /// What its values are.
    pub variety: Variety,
    /// If there are any, no others are allowed.
    pub values: Vec<String>,
}

/// What the values of a simple type are (XML Schema part 2 section 2.5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variety {
    /// Those of a type of XML Schema, such as `int`.
    BuiltIn(String),
    /// Values of a type, with blanks between them.
    List(Box<Simple>),
    /// Those of any of these types.
    Union(Vec<Simple>),
}

impl fmt::Display for Simple {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More are not shown.
        const SHOWN: usize = 12;
        let some = |shown: Vec<String>, all: usize| {
            let more = if all > SHOWN { "|..." } else { "" };
            format!("{}{more}", shown.join("|"))
        };
        let Self { variety, values } = self;
        if !values.is_empty() {
            return out
                .write_str(&some(values.iter().take(SHOWN).cloned().collect(), values.len()));
        }
        match variety {
            Variety::BuiltIn(name) => out.write_str(name),
            Variety::List(item) => write!(out, "list of {item}"),
            Variety::Union(members) => {
                let shown = members.iter().take(SHOWN).map(ToString::to_string).collect();
                out.write_str(&some(shown, members.len()))
            }
        }
    }
}

impl Simple {
    pub(super) fn of(builtin: &str) -> Self {
        Variety::BuiltIn(builtin.to_owned()).into()
    }

    /// The type of XML Schema that it is or is made from, if it is made from one.
    pub fn built_in(&self) -> Option<&str> {
        match &self.variety {
            Variety::BuiltIn(name) => Some(name),
            Variety::List(_) | Variety::Union(_) => None,
        }
    }

    /// Is the text one of its values? Of facets, enumerations are looked at, and no others; of texts,
    /// names and URIs, nothing else is.
    pub fn takes(&self, text: &str) -> bool {
        let Self { variety, values } = self;
        let words = || text.split([' ', '\t', '\r', '\n']).filter(|it| !it.is_empty());
        let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
        let is_value = match variety {
            Variety::List(_) => values.iter().any(|it| it.split_whitespace().eq(words())),
            _ => values.iter().any(|it| it == text || it == trimmed),
        };
        if !values.is_empty() && !is_value {
            return false;
        }
        match variety {
            Variety::BuiltIn(name) => takes(name, trimmed),
            Variety::List(item) => words().all(|it| item.takes(it)),
            Variety::Union(members) => members.iter().any(|it| it.takes(text)),
        }
    }
}

impl From<Variety> for Simple {
    fn from(variety: Variety) -> Self {
        Self { variety, values: Vec::new() }
    }
}

/// Is it a value of this type of XML Schema?
fn takes(builtin: &str, trimmed: &str) -> bool {
    let integer = |least: i128, most: i128| {
        is_integer(trimmed) && trimmed.parse().is_ok_and(|it: i128| (least..=most).contains(&it))
    };
    let large = |sign_ok: fn(&str) -> bool| is_integer(trimmed) && sign_ok(trimmed);
    let is_zero = |it: &str| it.trim_start_matches(['+', '-']).bytes().all(|it| it == b'0');
    match builtin {
        "boolean" => matches!(trimmed, "true" | "false" | "1" | "0"),
        "byte" => integer(i8::MIN.into(), i8::MAX.into()),
        "short" => integer(i16::MIN.into(), i16::MAX.into()),
        "int" => integer(i32::MIN.into(), i32::MAX.into()),
        "long" => integer(i64::MIN.into(), i64::MAX.into()),
        "unsignedByte" => integer(0, u8::MAX.into()),
        "unsignedShort" => integer(0, u16::MAX.into()),
        "unsignedInt" => integer(0, u32::MAX.into()),
        "unsignedLong" => integer(0, u64::MAX.into()),
        "integer" => large(|_| true),
        "nonNegativeInteger" => {
            large(|it| !it.starts_with('-')) || is_integer(trimmed) && is_zero(trimmed)
        }
        "positiveInteger" => large(|it| !it.starts_with('-')) && !is_zero(trimmed),
        "nonPositiveInteger" => {
            large(|it| it.starts_with('-')) || is_integer(trimmed) && is_zero(trimmed)
        }
        "negativeInteger" => large(|it| it.starts_with('-')) && !is_zero(trimmed),
        "decimal" => is_decimal(trimmed),
        "float" | "double" => is_float(trimmed),
        "date" => is_date(trimmed, false),
        "dateTime" => is_date(trimmed, true),
        "time" => is_time(trimmed),
        "base64Binary" | "base64" => is_base64(trimmed),
        "hexBinary" => {
            trimmed.len().is_multiple_of(2) && trimmed.bytes().all(|it| it.is_ascii_hexdigit())
        }
        _ => true,
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

fn is_integer(text: &str) -> bool {
    are_digits(unsigned(text))
}

fn is_decimal(text: &str) -> bool {
    let text = unsigned(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_part = |it: &str| it.is_empty() || are_digits(it);
    is_part(whole) && is_part(fraction) && !(whole.is_empty() && fraction.is_empty())
}

fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    matches!(text, "INF" | "-INF" | "NaN") || is_decimal(mantissa) && is_integer(exponent)
}

/// `2004-01-02`, with or without a time and a zone.
fn is_date(text: &str, has_time: bool) -> bool {
    let (date, rest) = match text.split_once('T') {
        Some((date, time)) if has_time => (date, Some(time)),
        None if !has_time => (without_zone(text), None),
        _ => return false,
    };
    let parts: Vec<&str> = date.strip_prefix('-').unwrap_or(date).split('-').collect();
    let [year, month, day] = &*parts else { return false };
    let between = |text: &str, least, most| {
        text.len() == 2
            && are_digits(text)
            && text.parse().is_ok_and(|it: u8| (least..=most).contains(&it))
    };
    year.len() >= 4
        && are_digits(year)
        && between(month, 1, 12)
        && between(day, 1, 31)
        && rest.is_none_or(is_time)
}

fn is_time(text: &str) -> bool {
    let text = without_zone(text);
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let below = |text: &str, most: u8| {
        text.len() == 2 && are_digits(text) && text.parse().is_ok_and(|it: u8| it < most)
    };
    let [hour, minute, second] = &*parts else { return false };
    are_digits(fraction)
        && (below(hour, 24) && below(minute, 60) && below(second, 61) || clock == "24:00:00")
}

fn without_zone(text: &str) -> &str {
    if let Some(rest) = text.strip_suffix('Z') {
        return rest;
    }
    let Some((rest, zone)) = text.len().checked_sub(6).and_then(|at| text.split_at_checked(at))
    else {
        return text;
    };
    let bytes = zone.as_bytes();
    let is_zone = matches!(bytes[0], b'+' | b'-')
        && bytes[3] == b':'
        && [1, 2, 4, 5].iter().all(|it| bytes[*it].is_ascii_digit());
    if is_zone { rest } else { text }
}

fn is_base64(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(|it| !it.is_ascii_whitespace()).collect();
    let padding = digits.iter().rev().take_while(|it| **it == b'=').count();
    let is_digit = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/');
    digits.len().is_multiple_of(4)
        && padding <= 2
        && digits[..digits.len() - padding].iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::{Simple, Variety};

    #[test]
    fn values_are_those_of_xml_schema() {
        for (builtin, good, bad) in [
            ("boolean", "true 1", "yes TRUE 2"),
            ("byte", "-128 +127", "128 1.0 x"),
            ("unsignedLong", "18446744073709551615", "-1 18446744073709551616"),
            ("integer", "-99999999999999999999999999999999999999999999 0", "1e3 - 1.0"),
            ("nonNegativeInteger", "0 -0 7", "-1"),
            ("positiveInteger", "1 +9", "0 -1 -0"),
            ("nonPositiveInteger", "0 +0 -3", "1"),
            ("negativeInteger", "-1", "0 -0 1"),
            ("decimal", "1 -1.5 .5 5. +0", ". 1e5 INF 1,5"),
            ("double", "1 1e5 -1.5E-3 INF -INF NaN", "inf e5 1e 0x1"),
            (
                "date",
                "2004-02-29 2004-01-02Z -0044-03-15 2004-01-02+14:00",
                "04-01-02 2004-13-01 2004-01-02T00:00:00",
            ),
            (
                "dateTime",
                "2004-01-02T03:04:05 2004-01-02T03:04:05.123Z 2004-01-02T24:00:00-05:00",
                "2004-01-02 2004-01-02T25:00:00 now",
            ),
            ("time", "03:04:05 23:59:59.9Z", "24:00:01 3:04:05"),
            ("base64Binary", "AAAA AA==", "AAA A=== *"),
            ("hexBinary", "00fF", "0 0g"),
            ("string", "anything", ""),
        ] {
            let simple = Simple::of(builtin);
            for text in good.split(' ') {
                assert!(simple.takes(text), "{builtin}: {text}");
            }
            for text in bad.split(' ').filter(|it| !it.is_empty()) {
                assert!(!simple.takes(text), "{builtin}: {text}");
            }
        }
        let side = Simple { values: vec!["buy".into(), "sell".into()], ..Simple::of("string") };
        assert!(side.takes("buy") && !side.takes("hold"));
        assert_eq!(side.to_string(), "buy|sell");
    }

    #[test]
    fn lists_and_unions_take_what_their_types_take() {
        let side = Simple { values: vec!["buy".into(), "sell".into()], ..Simple::of("string") };
        let either = Simple::from(Variety::Union(vec![Simple::of("int"), side]));
        assert!(either.takes("7") && either.takes("buy") && !either.takes("hold"));
        assert_eq!(either.to_string(), "int|buy|sell");
        let list = Simple::from(Variety::List(either.into()));
        assert!(list.takes(" 7  buy\n8 ") && list.takes("") && !list.takes("7 hold"));
        assert_eq!(list.to_string(), "list of int|buy|sell");
        let one = Simple {
            values: vec!["1 2".into()],
            ..Simple::from(Variety::List(Simple::of("int").into()))
        };
        assert!(one.takes("1  2") && !one.takes("2 1") && !one.takes("1"));
    }
}
