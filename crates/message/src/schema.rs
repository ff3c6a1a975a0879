//! The schema: what is said, as a graph of named types. No format's business stands in it, see
//! [`Notes`](crate::Notes), and no positions, see [`Layout`](crate::Layout).

use std::collections::HashSet;
use std::fmt;

/// What one value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Yes or no.
    Boolean,
    /// A whole number of a stated width.
    Integer(IntegerKind),
    /// A whole number of any size.
    BigInteger,
    /// Mantissa and exponent of ten: prices, quantities.
    Decimal,
    /// A decimal of any size.
    BigDecimal,
    /// An IEEE single.
    Float32,
    /// An IEEE double.
    Float64,
    /// Unicode text.
    Text,
    /// Any bytes.
    Bytes,
    /// A day of the calendar.
    Date,
    /// A time of day.
    Time,
    /// A date and time, UTC.
    Timestamp,
    /// A span of time: months, and nanoseconds.
    Duration,
    /// One of an enumeration, by its short code.
    Code,
    /// Content of any name and shape.
    Any,
}

/// The kinds without a width, with the names that listings use.
const PLAIN: [(Kind, &str); 14] = [
    (Kind::Boolean, "boolean"),
    (Kind::BigInteger, "integer"),
    (Kind::Decimal, "decimal"),
    (Kind::BigDecimal, "bigdecimal"),
    (Kind::Float32, "f32"),
    (Kind::Float64, "f64"),
    (Kind::Text, "text"),
    (Kind::Bytes, "bytes"),
    (Kind::Date, "date"),
    (Kind::Time, "time"),
    (Kind::Timestamp, "timestamp"),
    (Kind::Duration, "duration"),
    (Kind::Code, "code"),
    (Kind::Any, "any"),
];

impl Kind {
    /// The name that listings use: `decimal`, `u32`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer(kind) => kind.name(),
            kind => PLAIN.iter().find(|(it, _)| *it == kind).map_or("", |(_, name)| name),
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        let integers = IntegerKind::ALL.iter().map(|(kind, name)| (Self::Integer(*kind), *name));
        integers.chain(PLAIN).find(|(_, it)| *it == name).map(|(kind, _)| kind)
    }
}

/// Width and sign of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntegerKind {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl IntegerKind {
    /// Every width, with the name that listings use.
    pub const ALL: [(IntegerKind, &'static str); 8] = [
        (Self::I8, "i8"),
        (Self::I16, "i16"),
        (Self::I32, "i32"),
        (Self::I64, "i64"),
        (Self::U8, "u8"),
        (Self::U16, "u16"),
        (Self::U32, "u32"),
        (Self::U64, "u64"),
    ];

    /// The name that listings use: `u32`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Bytes that a value takes.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }
}

/// Must it be there?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Every message has it.
    Required,
    /// It may be absent.
    Optional,
    /// Of a struct, a choice or a list: it is there if anything inside is. Of a value: it has a
    /// default, which it is where it is absent.
    Implied,
}

/// A type of a [`Schema`], by its place in [`Schema::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// A member of a struct of a schema, an arm of a choice, or a value of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberId {
    /// The struct, choice or enumeration.
    pub of: TypeId,
    /// Its place among the members.
    pub index: u32,
}

/// A type and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// A struct's own name; that of a scalar is its kind's, that of a list has `[]` behind that of
    /// its items. Two structs may share a name.
    pub name: Box<str>,
    /// What it is made of.
    pub body: Body,
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// One value.
    Scalar(Kind),
    /// One of the values of these names.
    Enumeration(Vec<Box<str>>),
    /// Members in their order.
    Struct(Vec<Member>),
    /// Exactly one of these members, its arms. An arm is required: once it is chosen it is there.
    Choice(Vec<Member>),
    /// Items: any number of them, or exactly so many.
    List {
        /// What each is.
        of: TypeId,
        /// How many, if that is fixed; not 0.
        fixed: Option<u32>,
    },
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Unique in the struct.
    pub name: Box<str>,
    /// Its type.
    pub of: TypeId,
    /// Must it be there?
    pub need: Need,
}

/// A graph of types that refer to one another, and the one that is the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    types: Vec<Type>,
    root: TypeId,
}

impl Schema {
    pub(crate) fn new(types: Vec<Type>, root: TypeId) -> Self {
        Self { types, root }
    }

    /// Every type.
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// The message's type.
    pub fn root(&self) -> TypeId {
        self.root
    }

    /// One type.
    ///
    /// # Panics
    /// If it is of another schema.
    pub fn type_of(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The members of a struct, or the arms of a choice; of another type, none.
    pub fn members(&self, id: TypeId) -> &[Member] {
        match &self.type_of(id).body {
            Body::Struct(members) | Body::Choice(members) => members,
            Body::Scalar(_) | Body::Enumeration(_) | Body::List { .. } => &[],
        }
    }

    /// The names of the values of an enumeration; of another type, none.
    pub fn values(&self, id: TypeId) -> &[Box<str>] {
        match &self.type_of(id).body {
            Body::Enumeration(values) => values,
            _ => &[],
        }
    }

    /// The types to which a type refers.
    fn inside(&self, id: TypeId) -> impl Iterator<Item = TypeId> {
        let item = match self.type_of(id).body {
            Body::List { of, .. } => Some(of),
            _ => None,
        };
        self.members(id).iter().map(|it| it.of).chain(item)
    }

    /// Which types hold themselves, be it by way of others.
    pub(crate) fn recursive(&self) -> HashSet<TypeId> {
        let all = (0..self.types.len() as u32).map(TypeId);
        all.filter(|id| self.reaches(*id)).collect()
    }

    fn reaches(&self, id: TypeId) -> bool {
        let (mut seen, mut next) = (HashSet::new(), vec![id]);
        while let Some(at) = next.pop() {
            for inside in self.inside(at) {
                if inside == id {
                    return true;
                }
                if seen.insert(inside) {
                    next.push(inside);
                }
            }
        }
        false
    }
}

/// Why a description is no schema, or why a schema has no layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(pub(crate) String);

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SchemaError {}

/// May a type or member be called so? A name begins with a letter or underscore; digits, hyphens and
/// points may follow. Letters are those that every format which prints names allows.
pub const fn is_name(name: &str) -> bool {
    is_named(name.as_bytes(), false)
}

/// Is it a name, or several with `/` between, the names of structs around the last?
pub const fn is_path(path: &str) -> bool {
    is_named(path.as_bytes(), true)
}

const fn is_named(name: &[u8], is_path: bool) -> bool {
    let (mut at, mut is_first) = (0, true);
    while at < name.len() {
        let (character, length) = character(name, at);
        let is_end = is_path && !is_first && character == '/' as u32;
        let follows = matches!(character, 0x30..=0x39 | 0x2d | 0x2e) && !is_first;
        if !is_end && !follows && !is_letter(character) {
            return false;
        }
        is_first = is_end;
        at += length;
    }
    !is_first
}

const fn is_letter(character: u32) -> bool {
    matches!(character, 0x41..=0x5a | 0x61..=0x7a | 0x5f
        | 0xC0..=0xD6 | 0xD8..=0xF6 | 0xF8..=0x2FF
        | 0x370..=0x37D | 0x37F..=0x1FFF | 0x2C00..=0x2FEF
        | 0x3001..=0xD7FF | 0xF900..=0xFDCF | 0x10000..=0xEFFFF)
}

/// The character that begins there in UTF-8, and its bytes: at compile time `chars` cannot be called.
const fn character(text: &[u8], at: usize) -> (u32, usize) {
    let (first, length) = match text[at] {
        byte @ ..0x80 => (byte, 1),
        byte @ ..0xe0 => (byte & 0x1f, 2),
        byte @ ..0xf0 => (byte & 0x0f, 3),
        byte => (byte & 0x07, 4),
    };
    let (mut character, mut next) = (first as u32, 1);
    while next < length {
        character = character << 6 | (text[at + next] & 0x3f) as u32;
        next += 1;
    }
    (character, length)
}

pub(crate) fn check_name(name: &str) -> Result<(), SchemaError> {
    if is_name(name) { Ok(()) } else { Err(SchemaError(format!("{name:?} is not a name"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_letters_of_every_script() {
        for name in ["a", "_", "Größe", "MDEntryPx", "a-1.2", "名前", "\u{10000}x", "é"] {
            assert!(is_name(name) && is_path(name) && is_path(&format!("{name}/{name}")), "{name}");
        }
        for name in ["", "1a", "-a", "a b", "a/b", ".", "×", "a\u{2028}", "<", "a\u{0}", "\u{fffe}"]
        {
            assert!(!is_name(name), "{name:?}");
        }
        for path in ["/", "a/", "/a", "a//b", "a/1"] {
            assert!(!is_path(path), "{path}");
        }
    }
}
