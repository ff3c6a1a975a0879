//! Which kind values have that are texts in samples.

use std::collections::BTreeSet;

use trunkline_message::{IntegerKind, Kind, Value};

/// The kinds that a value may have, the narrowest first. Text is what remains.
const KINDS: [Kind; 11] = [
    Kind::Boolean,
    Kind::Integer(IntegerKind::I64),
    Kind::Integer(IntegerKind::U64),
    Kind::BigInteger,
    Kind::Decimal,
    Kind::BigDecimal,
    Kind::Float64,
    Kind::Date,
    Kind::Time,
    Kind::Timestamp,
    Kind::Duration,
];

/// Different values that are remembered.
const REMEMBERED: usize = 12;

/// The values of a place.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    /// How many there are, and how many of them are empty.
    pub(super) count: usize,
    pub(super) empty: usize,
    kinds: Vec<Kind>,
    may_be_data: bool,
    is_certain_data: bool,
    /// Digits with zeros before them are names, not numbers.
    pub(super) has_leading_zeros: bool,
    /// Is one of them a number that a double changes?
    is_beyond_doubles: bool,
    /// Were they said to be texts, as in JSON?
    pub(super) quoted: usize,
    pub(super) different: BTreeSet<String>,
}

impl Default for Guess {
    fn default() -> Self {
        Self {
            count: 0,
            empty: 0,
            kinds: KINDS.to_vec(),
            may_be_data: true,
            is_certain_data: false,
            has_leading_zeros: false,
            is_beyond_doubles: false,
            quoted: 0,
            different: BTreeSet::new(),
        }
    }
}

impl Guess {
    pub(super) fn add(&mut self, text: &str) {
        self.count += 1;
        let text = text.trim();
        if text.is_empty() {
            self.empty += 1;
            return;
        }
        self.kinds.retain(|it| is_of(*it, text));
        self.has_leading_zeros |= has_leading_zeros(text);
        self.is_beyond_doubles |= is_beyond_doubles(text);
        self.may_be_data &= is_base64(text);
        self.is_certain_data |= text.contains(['=', '+', '/']);
        if self.different.len() <= REMEMBERED {
            self.different.insert(text.to_owned());
        }
    }

    /// The same of one that is said to be a text, which is no number.
    pub(super) fn add_quoted(&mut self, text: &str) {
        self.add(text);
        self.quoted += 1;
        let is_number = |it: &Kind| {
            matches!(
                it,
                Kind::Boolean
                    | Kind::Integer(_)
                    | Kind::BigInteger
                    | Kind::Decimal
                    | Kind::BigDecimal
                    | Kind::Float64
            )
        };
        self.kinds.retain(|it| !is_number(it));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.empty += other.empty;
        self.kinds.retain(|it| other.kinds.contains(it));
        self.may_be_data &= other.may_be_data;
        self.is_certain_data |= other.is_certain_data;
        self.has_leading_zeros |= other.has_leading_zeros;
        self.is_beyond_doubles |= other.is_beyond_doubles;
        self.quoted += other.quoted;
        let room = (REMEMBERED + 1).saturating_sub(self.different.len());
        self.different.extend(other.different.iter().take(room).cloned());
    }

    /// Are there none that say something?
    pub(super) fn is_empty(&self) -> bool {
        self.count == self.empty
    }

    /// The narrowest kind that all have. An empty one is a text, so that all are.
    pub(super) fn kind(&self) -> Kind {
        match self.kinds.first() {
            _ if self.empty > 0 || self.is_empty() => Kind::Text,
            Some(kind) => *kind,
            None if self.may_be_data && self.is_certain_data => Kind::Bytes,
            None => Kind::Text,
        }
    }

    /// What may be otherwise.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let kind = self.kind();
        let shown = |it: &BTreeSet<String>| {
            it.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(", ")
        };
        let is_flag = self.different.iter().all(|it| matches!(&**it, "0" | "1"));
        if self.is_empty() && self.count > 0 {
            doubts.push("always empty: text, or an element with nothing in it".to_owned());
        } else if self.empty > 0 && !self.kinds.is_empty() {
            let would_be = self.kinds[0].name();
            doubts.push(format!("text, because it may be empty; otherwise {would_be}"));
        }
        if self.quoted > 0 && self.quoted < self.count {
            doubts.push("a text in one sample and a number or boolean in another: text".to_owned());
        }
        if kind == Kind::Text && self.has_leading_zeros {
            doubts.push("digits with zeros before them: text, not a number".to_owned());
        }
        if matches!(kind, Kind::Integer(_)) && is_flag {
            doubts.push("0 or 1 in all samples: a whole number, or a boolean".to_owned());
        }
        if matches!(kind, Kind::Integer(_)) && !is_flag {
            doubts.push(
                "whole in all samples: a decimal, if it may have digits behind the point"
                    .to_owned(),
            );
        }
        if kind == Kind::Float64 && self.is_beyond_doubles {
            doubts.push("numbers with exponents, and one that f64 changes: f64".to_owned());
        }
        if kind == Kind::Bytes {
            doubts.push("it looks like base64: data, or text".to_owned());
        }
        let values = self.count - self.empty;
        let (few, many) = (2..=REMEMBERED, 2 * self.different.len());
        if kind == Kind::Text && few.contains(&self.different.len()) && values >= many.max(4) {
            doubts.push(format!("text, or an enumeration of {}", shown(&self.different)));
        }
        doubts
    }
}

/// Is a text one of a kind, as XML Schema writes it?
fn is_of(kind: Kind, text: &str) -> bool {
    let has = |it: char| text.contains(it);
    let is_written_so = match kind {
        Kind::Boolean => matches!(text, "true" | "false"),
        Kind::Integer(_) | Kind::BigInteger | Kind::Decimal | Kind::BigDecimal => {
            !has_leading_zeros(text) && !text.starts_with('+') && !has('e') && !has('E')
        }
        Kind::Float64 => {
            !has_leading_zeros(text)
                && !text.starts_with('+')
                && text.bytes().any(|it| it.is_ascii_digit())
        }
        Kind::Date => text.len() >= 10 && has('-') && !has(':') && !has('T'),
        Kind::Time => has(':') && !has('T') && !text.starts_with('P'),
        Kind::Timestamp => has('T') && has(':'),
        Kind::Duration => text.trim_start_matches('-').starts_with('P'),
        _ => true,
    };
    is_written_so && Value::parse(kind, text).is_some()
}

fn has_leading_zeros(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1
        && digits.starts_with('0')
        && digits.as_bytes()[1].is_ascii_digit()
        && digits.bytes().all(|it| it.is_ascii_digit() || it == b'.')
}

/// Are there more digits of a number than a double surely keeps, or is it larger than all doubles?
fn is_beyond_doubles(number: &str) -> bool {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_matches('0').len();
    significant > f64::DIGITS as usize || number.parse().is_ok_and(f64::is_infinite)
}

/// Is it long enough, and of nothing but base64?
fn is_base64(text: &str) -> bool {
    let data = text.trim_end_matches('=');
    let is_part = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/');
    text.len() >= 8
        && text.len().is_multiple_of(4)
        && text.len() - data.len() <= 2
        && data.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(values: &[&str]) -> &'static str {
        let mut guess = Guess::default();
        values.iter().for_each(|it| guess.add(it));
        guess.kind().name()
    }

    #[test]
    fn a_value_has_the_narrowest_kind_that_all_have() {
        assert_eq!(kind(&["true", "false"]), "boolean");
        assert_eq!(kind(&["1", "0"]), "i64");
        assert_eq!(kind(&["-7", "18446744073709551615"]), "integer");
        assert_eq!(kind(&["7", "18446744073709551615"]), "u64");
        assert_eq!(kind(&["7", "6.350"]), "decimal");
        assert_eq!(kind(&["7", "1e300"]), "f64");
        assert_eq!(kind(&["2026-01-05"]), "date");
        assert_eq!(kind(&["09:30:00"]), "time");
        assert_eq!(kind(&["2026-01-05T09:30:00Z", "2026-01-05T09:30:00.123Z"]), "timestamp");
        assert_eq!(kind(&["P1DT2H"]), "duration");
        assert_eq!(kind(&["AAECAwQ="]), "bytes");
        for text in ["007", "+7", "NaN", "INF", "", "IBM", "20260105-09:30:00", "1 2", "Tomorrow:T"]
        {
            assert_eq!(kind(&[text]), "text", "{text}");
        }
        assert_eq!(kind(&["7", ""]), "text");
    }
}
