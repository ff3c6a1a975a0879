//! Messages with random values: the field asks its decoder for a value, and chance answers.

use std::ops::Range;
use std::sync::Arc;

use trunkline_message::{
    Any, Checks, Decoder, Entries, Field, Fields, Holds, Kind, Layout, Message, Need, Result,
    ScopeId, Shape,
};
use trunkline_random::Random;
use trunkline_soap::{is_spaced, is_unwrapped};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
};

/// The formats whose limits the values keep to.
#[derive(Clone, Copy, Debug)]
pub struct Safe {
    /// Schemas of FIX too: no empty value, no SOH in text, doubles in 18 plain digits, entries with a first
    /// field.
    pub fix: bool,
    /// No NUL in text, codes of one character, decimals that a double holds, nothing beyond its bound.
    pub cdr: bool,
    /// Characters of XML only.
    pub soap: bool,
}

impl Safe {
    /// Any value.
    pub const NONE: Self = Self { fix: false, cdr: false, soap: false };
    /// For every format.
    pub const ALL: Self = Self { fix: true, cdr: true, soap: true };
    /// For FIX.
    pub const FIX: Self = Self { fix: true, ..Self::NONE };
    /// For CDR.
    pub const CDR: Self = Self { cdr: true, ..Self::NONE };
    /// For SOAP.
    pub const SOAP: Self = Self { soap: true, ..Self::NONE };
}

/// Fills the message with values by the seed: the required fields and any of the others.
pub fn fill<M: Message>(message: &mut M, seed: u64, safe: Safe, entries: u64) {
    let layout = message.message_layout().clone();
    // What holds itself has no form in FIX: its lists may be empty, or it would have no end.
    let safe = Safe { fix: safe.fix && !holds_itself(&layout), ..safe };
    let mut random = Random::new(seed);
    // From nearly empty messages to full ones.
    let density = [3, 15, 50, 85, 100][random.below(5) as usize];
    let (scope, field, depth, values) = (ScopeId(0), 0, 0, 0);
    let behind_text = false;
    let mut values =
        Values { random, layout, safe, density, entries, scope, field, depth, values, behind_text };
    message.clear();
    values.fields(message);
}

/// Has it a scope that stands at several places?
fn holds_itself(layout: &Layout) -> bool {
    let scopes = layout.scopes().iter().enumerate();
    let mut inside = scopes.flat_map(|(index, scope)| {
        let scopes =
            scope.fields.iter().enumerate().filter_map(|it| Some((it.0, it.1.holds.scope()?)));
        scopes.map(move |(at, inner)| (inner, (ScopeId(index as u16), at)))
    });
    inside.any(|(inner, place)| layout.scope(inner).place != Some(place))
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
    depth: usize,
    /// So many fields were set that are no structs.
    values: u64,
    /// Was the entry before this one the text of mixed content?
    behind_text: bool,
}

/// Structs and lists inside one another are left out from here on, where they may be.
const DEEP: usize = 5;

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
        if scope.shape == Shape::Choice {
            let mut arm = self.arm(0..scope.fields.len());
            // Texts beside each other are one.
            if self.behind_text && self.is_text(id, arm) {
                arm = (arm + 1) % scope.fields.len();
            }
            self.decode(arm, into);
            self.behind_text = self.is_text(id, arm);
            return;
        }
        // What parts the entries of a group in FIX.
        let is_entry = layout.field_of(id).is_some_and(|it| matches!(it.holds, Holds::Group(_)));
        let parts_entries = self.safe.fix && is_entry;
        let mut absent = vec![false; scope.fields.len()];
        let mut chosen = absent.clone();
        for component in &scope.components {
            let fields = component.fields.clone();
            let must = component.need == Need::Required || parts_entries && fields.contains(&0);
            let is_there = must || self.random.chance(self.density);
            if component.is_choice && is_there && !fields.clone().any(|it| absent[it]) {
                chosen[self.arm(fields.clone())] = true;
            }
            if component.is_choice || !is_there {
                absent[fields].fill(true);
            }
        }
        for (index, field) in scope.fields.iter().enumerate() {
            let first = parts_entries && index == 0;
            let must = first || field.need == Need::Required;
            let set = must || !self.is_deep(field.holds) && self.random.chance(self.density);
            if chosen[index] || set && !absent[index] {
                self.decode(index, into);
            }
        }
    }

    /// Is it the text of mixed content?
    fn is_text(&self, scope: ScopeId, field: usize) -> bool {
        let member = self.layout.scope(scope).fields[field].member;
        self.layout.notes().of_member(member, "xml", "kind") == Some("text")
    }

    fn decode<F: Fields>(&mut self, index: usize, into: &mut F) {
        self.field = index;
        self.values += u64::from(!matches!(self.holds(), Holds::Struct(_)));
        into.decode_field(index, self).expect("chance makes no errors");
    }

    /// One of the arms of a choice; where it is deep, one that holds the least, if there is one.
    fn arm(&mut self, arms: Range<usize>) -> usize {
        let holds = |it: &usize| self.layout.scope(self.scope).fields[*it].holds;
        let plain = arms.clone().find(|it| self.is_deep(holds(it)) && holds(it).scope().is_none());
        let deep = arms.clone().any(|it| self.is_deep(holds(&it)));
        match plain {
            Some(plain) if deep => plain,
            _ => arms.start + self.random.below(arms.len() as u64) as usize,
        }
    }

    /// Would it go on too far inside?
    fn is_deep(&self, holds: Holds) -> bool {
        self.depth >= DEEP && holds.scope().is_some()
    }

    fn in_scope(&mut self, scope: ScopeId, fill: impl FnOnce(&mut Self)) {
        let outer = (self.scope, self.field);
        self.scope = scope;
        self.depth += 1;
        fill(self);
        self.depth -= 1;
        (self.scope, self.field) = outer;
    }

    fn described(&self) -> &Field {
        &self.layout.scope(self.scope).fields[self.field]
    }

    /// Is it an item of a list of values? In FIX such a one is not empty and has no blank inside, nor in
    /// XML where the list is one text.
    fn is_flat_item(&self) -> bool {
        let list = || self.layout.field_of(self.scope);
        let is_spaced = || list().is_some_and(|list| is_spaced(&self.layout, list));
        self.layout.scope(self.scope).shape == Shape::Item && (self.safe.fix || is_spaced())
    }

    /// Is an empty value one like any other? Not where FIX or XML cannot tell it from none.
    fn may_be_empty(&self) -> bool {
        let field = self.described();
        let kind = self.layout.notes().of_member(field.member, "xml", "kind");
        let is_told = kind != Some("text") || field.need == Need::Required;
        !self.safe.fix && !self.is_flat_item() && is_told
    }

    fn holds(&self) -> Holds {
        self.described().holds
    }

    /// One of those whose elements the present field takes, which is of any shape.
    fn namespace(&self) -> String {
        let (mut scope, mut field) = (self.scope, self.described());
        while let Some((around, list)) =
            self.layout.scope(scope).place.filter(|_| self.layout.scope(scope).shape == Shape::Item)
        {
            (scope, field) = (around, &self.layout.scope(around).fields[list]);
        }
        let noted = self.layout.notes().of_member(field.member, "xml", "namespace");
        let first = noted.and_then(|it| it.split_ascii_whitespace().next());
        first.unwrap_or("urn:free").to_owned()
    }

    fn characters(&mut self, count: u64) -> String {
        let plain = self.random.chance(60) || self.is_flat_item();
        let text = (0..count).map(|_| if plain { "x" } else { self.character() });
        let mut text: String = text.collect();
        let most = self.most();
        while text.len() as u64 > most {
            text.pop();
        }
        text
    }

    /// The bound of a text, which has no more characters than octets, of data, or of a list.
    fn most(&self) -> u64 {
        let bound = || Checks::most(&self.layout, self.layout.scope(self.scope), self.described());
        bound().filter(|_| self.safe.cdr).map_or(u64::MAX, Into::into)
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
            0 if self.may_be_empty() => 0,
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

    fn number_of_digits(&mut self) -> String {
        let count = self.length().max(1);
        let sign = if self.random.chance(30) { "-" } else { "" };
        let digits = (0..count).map(|_| char::from(b'0' + self.random.below(10) as u8));
        sign.chars().chain(digits).collect()
    }

    /// A single that is exact with few digits, as FIX needs it, or any.
    fn single(&mut self) -> f32 {
        match self.random.below(4) {
            0 if !self.safe.fix => f32::from_bits(self.random.bits() as u32 >> 2),
            1 if !self.safe.fix => f32::NEG_INFINITY,
            _ => self.whole(16) as i16 as f32 / 4.0,
        }
    }

    fn of_float<F: Float>(&mut self) -> F {
        F::of_bits(if F::BYTES == 4 { self.single().bits() } else { self.double().bits() })
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

    /// How many items a list has; of a list that is implied by them, one at least.
    fn count(&mut self, most: u64) -> u64 {
        let field = self.described();
        // Without an element around it, an empty list is none.
        let is_told = field.need == Need::Required || !is_unwrapped(&self.layout, field);
        let least = u64::from(self.safe.fix || field.need == Need::Implied || !is_told);
        match field.fixed {
            Some(count) => count.into(),
            None if self.is_deep(field.holds) => least,
            None => self.random.between(least, most.max(least)).min(self.most()),
        }
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

    fn big_integer(&mut self) -> Result<BigInteger> {
        Ok(self.number_of_digits().parse().expect("digits"))
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        let digits = self.number_of_digits();
        let fraction = self.random.bits();
        Ok(format!("{digits}.{fraction}").parse().expect("digits"))
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        Ok(self.of_float())
    }

    fn duration(&mut self) -> Result<Duration> {
        let months = self.random.below(30) as i32;
        let nanoseconds = i128::from(self.whole(50) as i64 / 4);
        let months = if nanoseconds < 0 { -months } else { months };
        Ok(Duration::new(months, nanoseconds).expect("of one sign"))
    }

    fn enumeration(&mut self) -> Result<usize> {
        let Holds::Enumeration(of) = self.holds() else { unreachable!("an enumeration's field") };
        let count = self.layout.schema().values(of).len();
        Ok(self.random.below(count as u64) as usize)
    }

    fn text(&mut self, into: &mut Text) -> Result<()> {
        // An empty text between elements is none.
        let least = u64::from(self.is_text(self.scope, self.field));
        let length = self.length().max(least);
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
        into.truncate(usize::try_from(self.most()).unwrap_or(usize::MAX));
        Ok(())
    }

    fn any(&mut self, into: &mut Any) -> Result<()> {
        if !self.safe.soap && !self.safe.fix && self.random.chance(30) {
            let mut octets = Vec::new();
            self.bytes(&mut octets)?;
            *into = Any::Octets(octets);
            return Ok(());
        }
        let namespace = self.namespace();
        let text = into.element_mut();
        text.push_str(&format!("<any xmlns=\"{namespace}\""));
        for _ in 0..self.random.below(3) {
            let number = text.len();
            text.push_str(&format!(
                "\n xmlns:p{number}='urn:{number}' p{number}:a=\"&lt;&#10;'{number}\""
            ));
        }
        text.push('>');
        for _ in 0..self.random.below(5) {
            let pieces =
                ["x", "&amp;\r\n", "<b/>", "<b xmlns=\"\"><any>y</any></b>", "<!-- </any> -->"];
            let more = [
                "<![CDATA[</any>]]>",
                "<f:x xmlns:f='urn:f' f:a='' >é</f:x >",
                " ",
                "&#x10000;",
                "]]",
            ];
            let all = [pieces, more].concat();
            text.push_str(all[self.random.below(10) as usize]);
        }
        text.push_str("</any>");
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
        for _ in 0..self.count(12) {
            into.push(self.number());
        }
        Ok(())
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        into.clear();
        for _ in 0..self.count(12) {
            into.push(self.of_float());
        }
        Ok(())
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        into.clear();
        let Holds::Group(inner) = self.holds() else { unreachable!("a group's field") };
        let behind_text = std::mem::take(&mut self.behind_text);
        for _ in 0..self.count(self.entries) {
            self.in_scope(inner, |values| values.fields(into.next_entry()));
        }
        self.behind_text = behind_text;
        Ok(())
    }

    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        let Holds::Struct(inner) = self.holds() else { unreachable!("a struct's field") };
        let before = self.values;
        self.in_scope(inner, |values| values.fields(into));
        // FIX cannot tell that there is a struct with nothing inside.
        if self.safe.fix && self.values == before {
            into.clear();
            let density = std::mem::replace(&mut self.density, 100);
            self.in_scope(inner, |values| values.fields(into));
            self.density = density;
        }
        Ok(())
    }
}
