//! Messages with random values: the field asks its decoder for a value, and chance answers.

use std::sync::Arc;

use trunkline_lab::random::Random;
use trunkline_message::{
    Decoder, Entries, Fields, Holds, Kind, Layout, Message, Need, Result, ScopeId,
};
use trunkline_wire::{Code, Date, Decimal, Integer, Text, Time, Timestamp};

/// The formats whose limits the values keep to.
#[derive(Clone, Copy, Debug)]
pub struct Safe {
    /// No empty value, no SOH in text, doubles in 18 plain digits, entries with a first field.
    pub fix: bool,
    /// No NUL in text, codes of one character, decimals that a double holds.
    pub cdr: bool,
    /// Characters of XML only.
    pub soap: bool,
}

impl Safe {
    /// For every format.
    pub const ALL: Self = Self { fix: true, cdr: true, soap: true };
    /// For FIX.
    pub const FIX: Self = Self { fix: true, cdr: false, soap: false };
    /// For CDR.
    pub const CDR: Self = Self { fix: false, cdr: true, soap: false };
    /// For SOAP.
    pub const SOAP: Self = Self { fix: false, cdr: false, soap: true };
}

/// Fills the message with values by the seed: the required fields and any of the others.
pub fn fill<M: Message>(message: &mut M, seed: u64, safe: Safe, entries: u64) {
    let layout = message.message_layout().clone();
    let mut random = Random::new(seed);
    // From nearly empty messages to full ones.
    let density = [3, 15, 50, 85, 100][random.below(5) as usize];
    let mut values = Values { random, layout, safe, density, entries, scope: ScopeId(0), field: 0 };
    message.clear();
    values.fields(message);
}

/// A decoder whose input is chance.
struct Values {
    random: Random,
    layout: Arc<Layout>,
    safe: Safe,
    /// Of a hundred optional fields, so many are set.
    density: u64,
    /// A group has at most so many entries.
    entries: u64,
    scope: ScopeId,
    field: usize,
}

const LETTERS: &[&str] = &[
    "A",
    "b",
    "Z",
    "0",
    "9",
    " ",
    ".",
    "-",
    "=",
    "|",
    "<",
    ">",
    "&",
    "\"",
    "'",
    "]]>",
    "ä",
    "ß",
    "é",
    "€",
    "中",
    "\u{10000}",
    "😀",
    "/",
    ":",
    "#",
    "\\",
    ";",
    "é\u{301}",
];
const CONTROLS: &[&str] = &["\t", "\n", "\r", "\r\n"];
const RARE: &[&str] = &["\u{2}", "\u{1f}", "\u{7f}", "\u{fffe}"];

impl Values {
    fn fields<F: Fields>(&mut self, into: &mut F) {
        let layout = self.layout.clone();
        let id = self.scope;
        let scope = layout.scope(id);
        // What parts the entries of a group in FIX.
        let parts_entries = self.safe.fix && id != ScopeId(0);
        let mut absent = vec![false; scope.fields.len()];
        for component in scope.components.iter().filter(|it| it.need == Need::Implied) {
            let may_be_absent = !(parts_entries && component.fields.contains(&0));
            if may_be_absent && !self.random.chance(self.density) {
                absent[component.fields.clone()].fill(true);
            }
        }
        for (index, field) in scope.fields.iter().enumerate() {
            let first = parts_entries && index == 0;
            let set = first || field.need == Need::Required || self.random.chance(self.density);
            if set && !absent[index] {
                self.field = index;
                into.decode_field(index, self).expect("chance makes no errors");
            }
        }
    }

    fn holds(&self) -> Holds {
        self.layout.scope(self.scope).fields[self.field].holds
    }

    fn characters(&mut self, count: u64) -> String {
        let plain = self.random.chance(60);
        (0..count).map(|_| if plain { "x" } else { self.character() }).collect()
    }

    fn character(&mut self) -> &'static str {
        let pick = |random: &mut Random, from: &[&'static str]| {
            from[random.below(from.len() as u64) as usize]
        };
        match self.random.below(40) {
            0 => pick(&mut self.random, CONTROLS),
            1 if !self.safe.soap => pick(&mut self.random, RARE),
            2 if !self.safe.cdr && !self.safe.soap => "\0",
            3 if !self.safe.fix && !self.safe.soap => "\u{1}",
            _ => pick(&mut self.random, LETTERS),
        }
    }

    fn length(&mut self) -> u64 {
        match self.random.below(8) {
            0 if !self.safe.fix => 0,
            // Around the border between inline text and the heap.
            1 => self.random.between(28, 34),
            2 => self.random.between(35, 400),
            _ => self.random.between(1, 16),
        }
    }

    fn whole(&mut self, bits: u32) -> u64 {
        // Every length of number is as likely.
        let shift = 64 - self.random.between(0, u64::from(bits));
        let value = if shift == 64 { 0 } else { self.random.bits() >> shift };
        if self.random.chance(30) { value.wrapping_neg() } else { value }
    }

    /// A number that fits the width of the schema's kind, whatever type holds it.
    fn number<I: Integer>(&mut self) -> I {
        let bits = match self.holds().kind() {
            Some(Kind::Integer(kind)) => 8 * kind.bytes() as u32,
            _ => I::BITS,
        };
        let value = self.whole(bits) << (64 - bits);
        let value = if I::SIGNED {
            i128::from(value as i64 >> (64 - bits))
        } else {
            i128::from(value >> (64 - bits))
        };
        I::from_i128(value).expect("it fits")
    }

    fn double(&mut self) -> f64 {
        let plain = Decimal::new(self.whole(40) as i64 / 4, -(self.random.below(6) as i8));
        match self.random.below(6) {
            0 if !self.safe.fix => f64::from_bits(self.random.bits() >> 2),
            1 if !self.safe.fix => f64::INFINITY,
            2 => 0.0,
            _ => plain.map_or(0.0, Decimal::to_f64),
        }
    }

    fn count(&mut self) -> u64 {
        let least = u64::from(self.safe.fix);
        self.random.between(least, 12)
    }
}

impl Decoder for Values {
    fn boolean(&mut self) -> Result<bool> {
        Ok(self.random.chance(50))
    }

    fn integer<I: Integer>(&mut self) -> Result<I> {
        Ok(self.number())
    }

    fn decimal(&mut self) -> Result<Decimal> {
        // 49 bits are less than 15 digits, which a double tells apart.
        let mantissa = self.whole(if self.safe.cdr { 49 } else { 63 });
        let exponent = match self.random.below(4) {
            0 => 0,
            1 => self.random.below(37) as i8 - 18,
            _ => -(self.random.below(7) as i8),
        };
        let magnitude = if self.safe.cdr { 1 << 49 } else { i64::MAX };
        Ok(Decimal::new(mantissa as i64 % magnitude, exponent).expect("a small exponent"))
    }

    fn float(&mut self) -> Result<f64> {
        Ok(self.double())
    }

    fn text(&mut self, into: &mut Text) -> Result<()> {
        let length = self.length();
        into.assign(&self.characters(length));
        Ok(())
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        let length = self.length();
        *into = self.characters(length);
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        let pieces: [&[u8]; 6] = [b"\x01", b"\0", b"\x0110=000\x01", b"\xff", b"=", b"text"];
        for _ in 0..self.length() {
            match self.random.below(4) {
                0 => into.extend(pieces[self.random.below(6) as usize]),
                _ => into.push(self.random.bits() as u8),
            }
        }
        Ok(())
    }

    fn code(&mut self) -> Result<Code> {
        let length = if self.safe.cdr { 1 } else { self.random.between(1, 15) };
        let code: String = (0..length)
            .map(|_| char::from(self.random.between(b'!'.into(), b'~'.into()) as u8))
            .collect();
        Ok(Code::new(&code))
    }

    fn date(&mut self) -> Result<Date> {
        let year = self.random.between(1, 9999) as u16;
        let (month, day) = (self.random.between(1, 12) as u8, self.random.between(1, 31) as u8);
        Ok(Date::new(year, month, day).unwrap_or(Date::EPOCH))
    }

    fn time(&mut self) -> Result<Time> {
        let [hour, minute, second] = [23, 59, 59].map(|it| self.random.between(0, it) as u8);
        let unit = [0, 1_000_000, 1_000, 1][self.random.below(4) as usize];
        let fraction = self.random.below(1_000_000_000 / unit.max(1)) * unit;
        let second = if (hour, minute) == (23, 59) { 60 } else { second };
        Ok(Time::new(hour, minute, second, fraction as u32).expect("a time"))
    }

    fn timestamp(&mut self) -> Result<Timestamp> {
        Ok(Timestamp::new(self.date()?, self.time()?))
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        into.clear();
        for _ in 0..self.count() {
            into.push(self.number());
        }
        Ok(())
    }

    fn floats(&mut self, into: &mut Vec<f64>) -> Result<()> {
        into.clear();
        for _ in 0..self.count() {
            into.push(self.double());
        }
        Ok(())
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        into.clear();
        let Holds::Group(inner) = self.holds() else { unreachable!("a group's field") };
        let outer = (self.scope, self.field);
        for _ in 0..self.random.between(1, self.entries) {
            self.scope = inner;
            self.fields(into.next_entry());
        }
        (self.scope, self.field) = outer;
        Ok(())
    }
}
