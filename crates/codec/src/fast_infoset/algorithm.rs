//! Encoding algorithms: bytes, numbers and more that stand in binary for their text (X.891 clause 10).

use trunkline_message::{Error, ErrorKind, Result};
use trunkline_wire::{Float, Integer, base64, write_float};

use super::{characters, syntax};
use crate::infoset::Parsed;

/// The algorithms of the format, in the order of their table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Hexadecimal,
    Base64,
    Short,
    Int,
    Long,
    Boolean,
    Float,
    Double,
    Uuid,
    CData,
}

use Algorithm::{Base64, Boolean, CData, Double, Hexadecimal, Int, Long, Short, Uuid};

/// The place of the first algorithm that a vocabulary names. Those between are reserved.
const FIRST_NAMED: usize = 32;

impl Algorithm {
    /// All, by their places.
    pub(super) const ALL: [Self; 10] =
        [Hexadecimal, Base64, Short, Int, Long, Boolean, Self::Float, Double, Uuid, CData];

    /// By its place in the table, to which a vocabulary may have added `named`.
    pub(super) fn of(number: usize, named: &[Box<str>], at: usize) -> Result<Self> {
        if let Some(known) = Self::ALL.get(number) {
            return Ok(*known);
        }
        let name = number.checked_sub(FIRST_NAMED).and_then(|number| named.get(number));
        Err(match name {
            Some(name) => {
                let what = format!("the encoding algorithm {:?}", characters_of(name));
                Error::new(ErrorKind::Unsupported(what.into()), at)
            }
            None => syntax(format!("encoding algorithm {number} is not defined"), at),
        })
    }

    /// Its place in the table.
    pub(super) fn number(self) -> u8 {
        self as u8
    }

    /// How many octets an item takes, where all take the same.
    fn width(self) -> Option<usize> {
        match self {
            Short => Some(2),
            Int | Algorithm::Float => Some(4),
            Long | Double => Some(8),
            Uuid => Some(16),
            Hexadecimal | Base64 | Boolean | CData => None,
        }
    }

    /// Do these octets, which begin at `at`, stand for a text?
    pub(super) fn check(self, bytes: &[u8], at: usize) -> Result<()> {
        match self {
            CData => characters::check_utf8(bytes, at),
            Boolean => {
                let most = if bytes.len() == 1 { 3 } else { 7 };
                match unused(bytes) <= most {
                    true => Ok(()),
                    false => Err(syntax("more bits are unused than an octet of booleans has", at)),
                }
            }
            _ => match self.width().is_none_or(|width| bytes.len().is_multiple_of(width)) {
                true => Ok(()),
                false => {
                    let what = format!("{} octets are no whole number of items", bytes.len());
                    Err(syntax(what, at))
                }
            },
        }
    }

    /// Appends the text that they stand for.
    pub(super) fn append(self, bytes: &[u8], out: &mut String) {
        match self {
            // They were checked.
            CData => out.push_str(std::str::from_utf8(bytes).unwrap_or_default()),
            Hexadecimal => {
                bytes.iter().for_each(|octet| hexadecimal(*octet, b"0123456789ABCDEF", out))
            }
            Base64 => {
                let mut text = Vec::new();
                base64::encode_into(bytes, &mut text);
                out.push_str(&String::from_utf8_lossy(&text));
            }
            Boolean => spaced(booleans(bytes), out, |value, out| {
                out.push_str(if value { "true" } else { "false" });
            }),
            Short => spaced(items(bytes).map(i16::from_be_bytes), out, integer),
            Int => spaced(items(bytes).map(i32::from_be_bytes), out, integer),
            Long => spaced(items(bytes).map(i64::from_be_bytes), out, integer),
            Algorithm::Float => spaced(items(bytes).map(f32::from_be_bytes), out, float),
            Double => spaced(items(bytes).map(f64::from_be_bytes), out, float),
            Uuid => spaced(items(bytes), out, uuid),
        }
    }

    /// The truth value, if it is one alone.
    pub(super) fn boolean(self, bytes: &[u8]) -> Option<bool> {
        let mut values = (self == Boolean).then(|| booleans(bytes))?;
        values.next().filter(|_| values.next().is_none())
    }

    /// The whole number, if it is one alone.
    pub(super) fn integer<I: Integer>(self, bytes: &[u8]) -> Option<Parsed<I>> {
        let value = match (self, bytes) {
            (Short, [a, b]) => i16::from_be_bytes([*a, *b]).into(),
            (Int, [a, b, c, d]) => i32::from_be_bytes([*a, *b, *c, *d]).into(),
            (Long, _) => i64::from_be_bytes(bytes.try_into().ok()?),
            _ => return None,
        };
        Some(fit(value))
    }

    /// Appends the whole numbers, if they are such.
    pub(super) fn integers<I: Integer>(
        self,
        bytes: &[u8],
        into: &mut Vec<I>,
    ) -> Option<Parsed<()>> {
        match self {
            Short => Some(fitting(items(bytes).map(|it| i16::from_be_bytes(it).into()), into)),
            Int => Some(fitting(items(bytes).map(|it| i32::from_be_bytes(it).into()), into)),
            Long => Some(fitting(items(bytes).map(i64::from_be_bytes), into)),
            _ => None,
        }
    }

    /// Appends the numbers of floating point, if they are of this width. A text of the other width says
    /// something else: what a text means is its nearest number.
    pub(super) fn floats<F: Float>(self, bytes: &[u8], into: &mut Vec<F>) -> bool {
        match (self, F::BYTES) {
            (Algorithm::Float, 4) => {
                into.extend(items(bytes).map(|it| F::of_bits(u32::from_be_bytes(it).into())));
            }
            (Double, 8) => into.extend(items(bytes).map(|it| F::of_bits(u64::from_be_bytes(it)))),
            _ => return false,
        }
        true
    }

    /// The number of floating point, if it is one alone of this width.
    pub(super) fn float<F: Float>(self, bytes: &[u8]) -> Option<F> {
        match (self, F::BYTES, bytes) {
            (Algorithm::Float, 4, [a, b, c, d]) => {
                Some(F::of_bits(u32::from_be_bytes([*a, *b, *c, *d]).into()))
            }
            (Double, 8, _) => Some(F::of_bits(u64::from_be_bytes(bytes.try_into().ok()?))),
            _ => None,
        }
    }
}

/// As much of a name as an error shows.
pub(super) fn characters_of(name: &str) -> &str {
    &name[..name.floor_char_boundary(64)]
}

fn items<const N: usize>(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

fn fitting<I: Integer>(
    values: impl ExactSizeIterator<Item = i64>,
    into: &mut Vec<I>,
) -> Parsed<()> {
    into.reserve(values.len());
    values.into_iter().try_for_each(|value| {
        into.push(fit(value)?);
        Ok(())
    })
}

/// A number that does not fit is rejected for the reason that its text is.
#[inline]
fn fit<I: Integer>(value: i64) -> Parsed<I> {
    I::from_i64(value).map_or_else(|| I::parse(value.to_string().as_bytes()), Ok)
}

/// How many bits of the last octet say nothing.
fn unused(bytes: &[u8]) -> usize {
    bytes.first().map_or(0, |octet| usize::from(octet >> 4))
}

fn booleans(bytes: &[u8]) -> impl Iterator<Item = bool> {
    let end = (8 * bytes.len()).saturating_sub(unused(bytes));
    (4..end).map(|bit| bytes[bit / 8] & 0x80 >> (bit % 8) != 0)
}

fn spaced<T>(values: impl Iterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    for (index, value) in values.enumerate() {
        if index > 0 {
            out.push(' ');
        }
        write(value, out);
    }
}

fn integer<I: Integer>(value: I, out: &mut String) {
    let mut window = [0; 40];
    let length = value.write(&mut window);
    out.push_str(std::str::from_utf8(&window[..length]).unwrap_or_default());
}

fn float<F: Float>(value: F, out: &mut String) {
    let mut window = [0; 40];
    let length = write_float(value, &mut window);
    out.push_str(std::str::from_utf8(&window[..length]).unwrap_or_default());
}

fn hexadecimal(octet: u8, digits: &[u8; 16], out: &mut String) {
    out.push(char::from(digits[usize::from(octet >> 4)]));
    out.push(char::from(digits[usize::from(octet & 0x0f)]));
}

fn uuid(octets: [u8; 16], out: &mut String) {
    for (index, octet) in octets.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        hexadecimal(octet, b"0123456789abcdef", out);
    }
}
