//! What IDL declares.

use std::fmt;

use crate::Place;

/// A declaration by its place in [`Specification::declarations`](super::Specification::declarations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationId(pub usize);

/// One declaration. Each declarator of a typedef is one.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name from the outermost scope on: `CosNaming::Name`.
    pub name: String,
    /// Its repository id: `IDL:omg.org/CosNaming/Name:1.0`.
    pub id: String,
    /// What it declares.
    pub body: Body,
    /// Where its name stands.
    pub place: Place,
    /// Is it in the file that was asked for, not in one that it includes?
    pub is_main: bool,
    /// Did a pragma or `typeid` say the id?
    pub(super) has_own_id: bool,
}

/// What is declared.
#[derive(Clone, Debug)]
pub enum Body {
    /// A module that is opened, maybe again.
    Module,
    /// A name that is declared before what it is: `interface`, `struct`, `union` or `valuetype`.
    Forward(&'static str),
    /// Operations and attributes.
    Interface(Interface),
    /// Members in their order.
    Struct(Vec<Member>),
    /// The members of an error.
    Exception(Vec<Member>),
    /// One of several members.
    Union(Union),
    /// The names of values, from 0 on.
    Enum(Vec<String>),
    /// Another name for a type.
    Typedef(Typed),
    /// A constant.
    Const(Type, Constant),
    /// A type that only languages know.
    Native,
    /// A value type around another type.
    ValueBox(Type),
    /// A value type.
    Value(Box<ValueType>),
}

/// A type, and the dimensions of an array of it; of no array, none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The type.
    pub of: Type,
    /// How many there are, the outermost first.
    pub dimensions: Vec<u32>,
}

/// A member of a struct, exception or union.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub typed: Typed,
    /// Where its name stands.
    pub place: Place,
}

/// An interface.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// The interfaces whose operations it has.
    pub bases: Vec<DeclarationId>,
    /// Does it never leave the process?
    pub is_local: bool,
    /// May a value be passed for it?
    pub is_abstract: bool,
    /// In their order.
    pub contents: Vec<Content>,
}

/// A part of an interface or value type.
#[derive(Clone, Debug)]
pub enum Content {
    /// An operation.
    Operation(Operation),
    /// Attributes that are declared together.
    Attribute {
        /// Their names.
        names: Vec<String>,
        /// Their type.
        of: Type,
        /// Can they not be set?
        is_readonly: bool,
    },
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Is there no answer?
    pub is_oneway: bool,
    /// What it returns; nothing if it is `void`.
    pub returns: Option<Type>,
    /// In their order.
    pub parameters: Vec<Parameter>,
    /// The exceptions that it may raise.
    pub raises: Vec<DeclarationId>,
    /// The properties of the caller that go along.
    pub context: Vec<String>,
}

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// `in`, `out` or `inout`.
    pub direction: &'static str,
    /// Its type.
    pub of: Type,
    /// Its name.
    pub name: String,
}

/// A union.
#[derive(Clone, Debug)]
pub struct Union {
    /// The type of the discriminator.
    pub discriminator: Type,
    /// In their order.
    pub cases: Vec<Case>,
}

/// A member of a union, and when it is there.
#[derive(Clone, Debug)]
pub struct Case {
    /// The values of the discriminator; none is `default`.
    pub labels: Vec<Option<Constant>>,
    /// What is there then.
    pub member: Member,
}

/// A value type.
#[derive(Clone, Debug, Default)]
pub struct ValueType {
    /// The value types that it extends.
    pub bases: Vec<DeclarationId>,
    /// The interfaces that it supports.
    pub supports: Vec<DeclarationId>,
    /// Has it no state?
    pub is_abstract: bool,
    /// Does it write itself?
    pub is_custom: bool,
    /// May it be read as its base?
    pub is_truncatable: bool,
    /// What it holds, and whether that is `public`.
    pub state: Vec<(bool, Member)>,
    /// In their order.
    pub contents: Vec<Content>,
    /// The names of those that make it.
    pub factories: Vec<String>,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Boolean,
    Char,
    WideChar,
    Octet,
    Short,
    UnsignedShort,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
    LongDouble,
    Any,
    Object,
    ValueBase,
    TypeCode,
    /// At most so many characters.
    Text(Option<u32>),
    /// Likewise.
    WideText(Option<u32>),
    /// Digits, and how many of them are behind the point; of a constant, those that it has.
    Fixed(Option<(u32, u32)>),
    /// Items, at most so many.
    Sequence(Box<Type>, Option<u32>),
    /// What has a name.
    Named(DeclarationId),
}

/// The words of types that are one word, `unsigned` and `long` before it joined.
pub(super) const BASIC: [(&str, Type); 17] = [
    ("boolean", Type::Boolean),
    ("char", Type::Char),
    ("wchar", Type::WideChar),
    ("octet", Type::Octet),
    ("short", Type::Short),
    ("ushort", Type::UnsignedShort),
    ("long", Type::Long),
    ("ulong", Type::UnsignedLong),
    ("longlong", Type::LongLong),
    ("ulonglong", Type::UnsignedLongLong),
    ("float", Type::Float),
    ("double", Type::Double),
    ("longdouble", Type::LongDouble),
    ("any", Type::Any),
    ("CORBA::Object", Type::Object),
    ("CORBA::ValueBase", Type::ValueBase),
    ("TypeCode", Type::TypeCode),
];

impl Type {
    /// How it is written, by the names of declarations.
    pub(super) fn shown(&self, names: &[Declaration]) -> String {
        let bounded = |name: &str, bound: Option<u32>| match bound {
            Some(bound) => format!("{name}<{bound}>"),
            None => name.to_owned(),
        };
        match self {
            Self::Text(bound) => bounded("string", *bound),
            Self::WideText(bound) => bounded("wstring", *bound),
            Self::Fixed(None) => "fixed".to_owned(),
            Self::Fixed(Some((digits, scale))) => format!("fixed<{digits},{scale}>"),
            Self::Sequence(of, None) => format!("sequence<{}>", of.shown(names)),
            Self::Sequence(of, Some(bound)) => format!("sequence<{},{bound}>", of.shown(names)),
            Self::Named(id) => names[id.0].name.clone(),
            basic => BASIC.iter().find(|it| it.1 == *basic).map_or("", |it| it.0).to_owned(),
        }
    }
}

/// The value of a constant or label.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `TRUE` or `FALSE`.
    Boolean(bool),
    /// Of any whole type.
    Integer(i128),
    /// Of `float` and `double`.
    Float(f64),
    /// Of `fixed`, as it stands there.
    Fixed(String),
    /// Of `char` and `wchar`.
    Character(char),
    /// Of `string` and `wstring`.
    Text(String),
    /// Of an enumeration: which one, and the place of the value.
    Enumerator(DeclarationId, u32),
}

impl fmt::Display for Constant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(true) => out.write_str("TRUE"),
            Self::Boolean(false) => out.write_str("FALSE"),
            Self::Integer(number) => write!(out, "{number}"),
            Self::Float(number) => write!(out, "{number:?}"),
            Self::Fixed(digits) => write!(out, "{digits}d"),
            Self::Character(character) => write!(out, "{character:?}"),
            Self::Text(text) => write!(out, "{text:?}"),
            Self::Enumerator(_, place) => write!(out, "value {place}"),
        }
    }
}
