//! Values of the types of XML Schema (part 2, section 3), with their order and what makes two of them the same.

use std::borrow::Cow;
use std::cmp::Ordering;

use trunkline_codec::xml::{is_name_char, is_name_start, is_ncname};

use super::moment::{Form, Moment, Span};
use crate::xsd::name::Name;

/// What a value is at the bottom, with what is said of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    /// A text; also what may be of any simple type.
    Text(Words),
    Boolean,
    Decimal,
    /// A decimal without a point.
    Integer,
    Float,
    Double,
    Duration,
    Moment(Form),
    Hex,
    Base64,
    Uri,
    QName,
}

/// What a text consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Any,
    Language,
    Name,
    NcName,
    NmToken,
    /// Names that stand once in a document, and those that refer to them.
    Id,
    IdRef,
}

/// One value.
#[derive(Clone, Debug)]
pub(super) enum Value<'t> {
    Text(Cow<'t, str>),
    Boolean(bool),
    Number(Number<'t>),
    Float(f32),
    Double(f64),
    Duration(Span),
    Moment(Form, Moment),
    /// The digits, and how many bytes they are.
    Hex(String, usize),
    /// The same of Base64.
    Base64(String, usize),
    Uri(Cow<'t, str>),
    QName(Name),
    List(Vec<Value<'t>>),
}

/// A number of any size, without the zeros that do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number<'t> {
    is_negative: bool,
    units: &'t str,
    fraction: &'t str,
}

impl<'t> Number<'t> {
    fn parse(text: &'t str, may_have_point: bool) -> Option<Self> {
        let (is_negative, digits) = match text.strip_prefix(['+', '-']) {
            Some(digits) => (text.starts_with('-'), digits),
            None => (false, text),
        };
        let (units, fraction) = match digits.split_once('.').filter(|_| may_have_point) {
            Some(parts) => parts,
            None => (digits, ""),
        };
        let are_digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
        let is_right =
            are_digits(units) && are_digits(fraction) && !(units.is_empty() && fraction.is_empty());
        let (units, fraction) = (units.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let is_zero = units.is_empty() && fraction.is_empty();
        is_right.then_some(Self { is_negative: is_negative && !is_zero, units, fraction })
    }

    fn order(&self, other: &Self) -> Ordering {
        let size = |one: &Self, other: &Self| {
            let units =
                one.units.len().cmp(&other.units.len()).then_with(|| one.units.cmp(other.units));
            units.then_with(|| one.fraction.cmp(other.fraction))
        };
        match (self.is_negative, other.is_negative) {
            (false, false) => size(self, other),
            (true, true) => size(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }

    /// All digits, and those behind the point.
    pub(super) fn digits(&self) -> (usize, usize) {
        (self.units.len() + self.fraction.len(), self.fraction.len())
    }
}

/// Says what a prefix stands for; without one, what names without a prefix are in.
pub(super) trait Prefixes {
    fn namespace_of(&self, prefix: &str) -> Option<&str>;
}

impl Prefixes for crate::markup::Prefixes {
    fn namespace_of(&self, prefix: &str) -> Option<&str> {
        let found = self.iter().find(|it| it.0 == prefix).map(|it| &*it.1);
        found.or(prefix.is_empty().then_some(""))
    }
}

/// The name that a text is there.
pub(super) fn name_of(text: &str, prefixes: &dyn Prefixes) -> Option<Name> {
    let (prefix, local) = text.split_once(':').unwrap_or(("", text));
    let is_right = is_ncname(local) && (is_ncname(prefix) || !text.contains(':'));
    let namespace =
        if prefix == "xml" { crate::xsd::name::XML } else { prefixes.namespace_of(prefix)? };
    is_right.then(|| Name::new(namespace, local))
}

impl Atom {
    /// The value that a text is, whose blanks are as they have to be.
    pub(super) fn value<'t>(
        self,
        text: Cow<'t, str>,
        prefixes: &dyn Prefixes,
    ) -> Option<Value<'t>> {
        let text = match self {
            Self::Text(words) => return words.has(&text).then_some(Value::Text(text)),
            Self::Uri => return Some(Value::Uri(text)),
            _ => text,
        };
        // A text that had to be changed is owned; numbers are not worth it.
        Some(match (self, text) {
            (Self::Decimal | Self::Integer, Cow::Borrowed(text)) => {
                Value::Number(Number::parse(text, self == Self::Decimal)?)
            }
            (Self::Boolean, text) => match &*text {
                "true" | "1" => Value::Boolean(true),
                "false" | "0" => Value::Boolean(false),
                _ => return None,
            },
            (Self::Float, text) => Value::Float(float(&text)?),
            (Self::Double, text) => Value::Double(float(&text)?),
            (Self::Duration, text) => Value::Duration(Span::parse(&text)?),
            (Self::Moment(form), text) => Value::Moment(form, Moment::parse(form, &text)?),
            (Self::Hex, text) => {
                let is_right =
                    text.len().is_multiple_of(2) && text.bytes().all(|it| it.is_ascii_hexdigit());
                is_right.then(|| Value::Hex(text.to_ascii_uppercase(), text.len() / 2))?
            }
            (Self::Base64, text) => base64(&text)?,
            (Self::QName, text) => Value::QName(name_of(&text, prefixes)?),
            _ => return None,
        })
    }

    /// What a text of it is called when it is none.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text(Words::Any) => "text",
            Self::Text(Words::Language) => "language",
            Self::Text(Words::Name) => "Name",
            Self::Text(Words::NmToken) => "NMTOKEN",
            Self::Text(Words::NcName | Words::Id | Words::IdRef) => "NCName",
            Self::Boolean => "boolean",
            Self::Decimal => "decimal",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Double => "double",
            Self::Duration => "duration",
            Self::Moment("Y-M-DtT") => "dateTime",
            Self::Moment("Y-M-D") => "date",
            Self::Moment("T") => "time",
            Self::Moment("Y") => "gYear",
            Self::Moment("Y-M") => "gYearMonth",
            Self::Moment("--M-D") => "gMonthDay",
            Self::Moment("---D") => "gDay",
            Self::Moment(_) => "gMonth",
            Self::Hex => "hexBinary",
            Self::Base64 => "base64Binary",
            Self::Uri => "anyURI",
            Self::QName => "QName",
        }
    }
}

impl Words {
    fn has(self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Language => text.split('-').enumerate().all(|(index, it)| {
                let is_right =
                    |it: u8| it.is_ascii_alphabetic() || (index > 0 && it.is_ascii_digit());
                (1..=8).contains(&it.len()) && it.bytes().all(is_right)
            }),
            Self::Name => {
                text.starts_with(|it| is_name_start(it) || it == ':')
                    && text.chars().all(|it| is_name_char(it) || it == ':')
            }
            Self::NcName | Self::Id | Self::IdRef => is_ncname(text),
            Self::NmToken => {
                !text.is_empty() && text.chars().all(|it| is_name_char(it) || it == ':')
            }
        }
    }
}

fn float<F: std::str::FromStr>(text: &str) -> Option<F> {
    let is_right = match text {
        "INF" | "-INF" | "NaN" => true,
        text => {
            let mut bytes = text.bytes();
            text.bytes().any(|it| it.is_ascii_digit())
                && bytes.all(|it| it.is_ascii_digit() || b"+-.eE".contains(&it))
        }
    };
    text.parse().ok().filter(|_| is_right)
}

/// Base64 as it is without blanks, which may stand anywhere.
fn base64(text: &str) -> Option<Value<'static>> {
    let digits: String = text.chars().filter(|it| *it != ' ').collect();
    let known = digits.trim_end_matches('=');
    let is_digit = |it: u8| it.is_ascii_alphanumeric() || it == b'+' || it == b'/';
    // Of the last digit before signs of filling, some bits are none.
    let filled = digits.len() - known.len();
    let last = known.bytes().last().unwrap_or(b'A');
    let is_whole = match filled {
        0 => true,
        1 => b"AEIMQUYcgkosw048".contains(&last),
        2 => b"AQgw".contains(&last),
        _ => return None,
    };
    let is_right = digits.len().is_multiple_of(4) && is_whole && known.bytes().all(is_digit);
    let count = (digits.len() / 4 * 3).saturating_sub(filled);
    is_right.then_some(Value::Base64(digits, count))
}

impl Value<'_> {
    /// So many characters, bytes or items; none of what has no length.
    pub(super) fn length(&self) -> Option<(usize, &'static str)> {
        let (count, [one, many]) = match self {
            Self::Text(text) | Self::Uri(text) => {
                (text.chars().count(), ["character", "characters"])
            }
            Self::Hex(_, count) | Self::Base64(_, count) => (*count, ["byte", "bytes"]),
            Self::List(items) => (items.len(), ["item", "items"]),
            _ => return None,
        };
        Some((count, if count == 1 { one } else { many }))
    }

    /// The order of two values of one type; none if they have none.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => Some(one.order(other)),
            (Self::Float(one), Self::Float(other)) => one.partial_cmp(other),
            (Self::Double(one), Self::Double(other)) => one.partial_cmp(other),
            (Self::Duration(one), Self::Duration(other)) => one.order(other),
            (Self::Moment(_, one), Self::Moment(_, other)) => one.order(other),
            _ => None,
        }
    }

    /// Appends a text that is the same for values that are equal, and another one for all others.
    pub(super) fn write_key(&self, out: &mut String) {
        match self {
            Self::Text(text) => out.extend(["t", text]),
            Self::Uri(text) => out.extend(["u", text]),
            Self::Boolean(is_true) => out.push_str(if *is_true { "b1" } else { "b0" }),
            Self::Number(number) => {
                let sign = if number.is_negative { "n-" } else { "n" };
                out.extend([sign, number.units, ".", number.fraction]);
            }
            Self::Float(number) => {
                // There are two zeros, which are equal.
                out.push_str(&format!("f{:x}", (number + 0.0).to_bits()));
            }
            Self::Double(number) => out.push_str(&format!("d{:x}", (number + 0.0).to_bits())),
            Self::Duration(span) => out.extend(["s", &span.key()]),
            Self::Moment(form, moment) => out.extend(["m", form, " ", &moment.key()]),
            Self::Hex(digits, _) => out.extend(["h", digits]),
            Self::Base64(digits, _) => out.extend(["6", digits]),
            Self::QName(name) => out.extend(["q", &name.local, " ", &name.namespace]),
            Self::List(items) => {
                out.push('l');
                for item in items {
                    item.write_key(out);
                    // No document has this character.
                    out.push('\u{1}');
                }
            }
        }
    }

    pub(super) fn key(&self) -> String {
        let mut key = String::new();
        self.write_key(&mut key);
        key
    }
}

/// White space of XML.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

#[cfg(test)]
mod tests {
    use super::*;

    fn key(atom: Atom, text: &str) -> Option<String> {
        let prefixes: crate::markup::Prefixes = [("p".to_owned(), "urn:p".to_owned())].into();
        atom.value(Cow::Borrowed(text), &prefixes).map(|it| it.key())
    }

    #[test]
    fn texts_are_values_of_their_types() {
        assert_eq!(key(Atom::Decimal, "+01.50"), key(Atom::Decimal, "1.5"));
        assert_eq!(key(Atom::Decimal, "-0"), key(Atom::Decimal, ".0"));
        assert_eq!(key(Atom::Double, "-0"), key(Atom::Double, "0e3"));
        assert_eq!(key(Atom::Base64, "YQ =="), key(Atom::Base64, "YQ=="));
        assert_eq!(key(Atom::Hex, "0a"), key(Atom::Hex, "0A"));
        assert_eq!(key(Atom::QName, "p:a").as_deref(), Some("qa urn:p"));
        for (atom, wrong) in [
            (Atom::Decimal, "1e3"),
            (Atom::Decimal, "."),
            (Atom::Integer, "1.0"),
            (Atom::Double, "infinity"),
            (Atom::Double, "1e"),
            (Atom::Hex, "0"),
            (Atom::Base64, "YR=="),
            (Atom::Base64, "YQ="),
            (Atom::Boolean, "TRUE"),
            (Atom::QName, "q:a"),
            (Atom::QName, ":a"),
            (Atom::Text(Words::Language), "en_GB"),
            (Atom::Text(Words::NcName), "a:b"),
        ] {
            assert_eq!(key(atom, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_of_any_size_are_ordered() {
        let number = |text| Number::parse(text, true).expect("a number");
        let all = ["-10", "-9.5", "-9", "-0.01", "0", "0.001", "0.01", "9", "10", "10.1"];
        for pair in all.windows(2) {
            assert_eq!(number(pair[0]).order(&number(pair[1])), Ordering::Less, "{pair:?}");
        }
        assert_eq!((number("0012.340").digits(), number("0.01").digits()), ((4, 2), (2, 2)));
    }
}
