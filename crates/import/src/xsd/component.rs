//! What schemas define: elements, types, groups and attributes. Names are looked up when they are used.

use std::sync::Arc;

use trunkline_soap::WhiteSpace;

use super::builtin::BuiltIn;
use super::name::Name;
use super::wildcard::Wildcard;
use super::xpath::Path;
use crate::Place;
use crate::markup::Prefixes;

/// An element as it is declared, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(pub(crate) usize);

/// A type that a document defines, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) usize);

/// A type as it is used.
#[derive(Clone, Debug)]
pub(crate) enum TypeUse {
    BuiltIn(&'static BuiltIn),
    /// The array of the SOAP encoding.
    Array,
    Named(Name, Place),
    /// One that is defined where it is used.
    Own(TypeId),
    /// That of the head of a substitution group.
    OfHead(Name, Place),
}

impl TypeUse {
    /// Is it the same type, wherever it is named?
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::BuiltIn(one), Self::BuiltIn(other)) => std::ptr::eq(*one, *other),
            (Self::Array, Self::Array) => true,
            (Self::Named(one, _), Self::Named(other, _))
            | (Self::OfHead(one, _), Self::OfHead(other, _)) => one == other,
            (Self::Own(one), Self::Own(other)) => one == other,
            _ => false,
        }
    }
}

/// An element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) name: Name,
    pub(crate) of: TypeUse,
    pub(crate) is_global: bool,
    pub(crate) is_nillable: bool,
    pub(crate) is_abstract: bool,
    pub(crate) default: Option<String>,
    pub(crate) fixed: Option<String>,
    /// What prefixes stand for in these values.
    pub(crate) prefixes: Prefixes,
    /// The head of the substitution group that it belongs to.
    pub(crate) substitutes: Option<Name>,
    pub(crate) blocked: Blocked,
    /// Those of its keys, by their places among all.
    pub(crate) keys: Vec<usize>,
    pub(crate) place: Place,
}

/// What may not stand for an element or a type in documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Blocked {
    /// Types that extend its own.
    pub(crate) extension: bool,
    /// Types that restrict its own.
    pub(crate) restriction: bool,
    /// Other elements.
    pub(crate) substitution: bool,
}

impl Blocked {
    /// What either of two blocks.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            extension: self.extension || other.extension,
            restriction: self.restriction || other.restriction,
            substitution: self.substitution || other.substitution,
        }
    }

    /// Is a type blocked that is derived so?
    pub(crate) fn blocks(self, of: &Type) -> bool {
        match &of.body {
            TypeBody::Simple(_) => self.restriction,
            TypeBody::Complex(complex) => match &complex.derivation {
                Derivation::Own(_) | Derivation::Restriction { .. } => self.restriction,
                Derivation::Extension { .. } | Derivation::Text { is_extension: true, .. } => {
                    self.extension
                }
                Derivation::Text { .. } => self.restriction,
            },
        }
    }
}

/// How no others may be derived from a type.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Final {
    pub(crate) extension: bool,
    pub(crate) restriction: bool,
    pub(crate) list: bool,
    pub(crate) union: bool,
}

impl Final {
    /// Is it forbidden, by the word of XML Schema?
    pub(crate) fn forbids(self, word: &str) -> bool {
        match word {
            "extension" => self.extension,
            "restriction" => self.restriction,
            "list" => self.list,
            _ => self.union,
        }
    }
}

/// A `key`, `unique` or `keyref` of an element.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: Name,
    /// Of a `keyref`, what it refers to.
    pub(crate) refers_to: Option<Name>,
    /// Must every element that is selected have all fields?
    pub(crate) is_needed: bool,
    /// Which elements have it.
    pub(crate) selector: Vec<Path>,
    /// Where each of its values is.
    pub(crate) fields: Vec<Vec<Path>>,
    pub(crate) place: Place,
}

/// A type.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    /// None of a type that is defined where it is used.
    pub(crate) name: Option<Name>,
    /// The namespace of the document that defines it.
    pub(crate) namespace: Arc<str>,
    pub(crate) body: TypeBody,
    pub(crate) finals: Final,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeBody {
    Simple(Simple),
    Complex(Box<Complex>),
}

/// A type of texts.
#[derive(Clone, Debug)]
pub(crate) enum Simple {
    Restriction { base: TypeUse, facets: Facets },
    List { item: TypeUse },
    Union { members: Vec<TypeUse> },
}

/// What is said of texts beyond their type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facets {
    /// Words as messages have them, with values.
    pub(crate) words: Vec<(&'static str, String)>,
    /// One of these, if there are any, with their blanks.
    pub(crate) values: Vec<String>,
    /// What prefixes stand for in these values.
    pub(crate) prefixes: Prefixes,
    /// What becomes of blanks.
    pub(crate) white_space: Option<WhiteSpace>,
    /// As one of these has it, if there are any.
    pub(crate) patterns: Vec<String>,
}

/// A type of elements that have elements or attributes.
#[derive(Clone, Debug)]
pub(crate) struct Complex {
    pub(crate) derivation: Derivation,
    pub(crate) is_mixed: bool,
    pub(crate) is_abstract: bool,
    pub(crate) blocked: Blocked,
    pub(crate) attributes: Vec<AttributeUse>,
    pub(crate) attribute_groups: GroupUses,
    /// The attributes of other names that it may have.
    pub(crate) any_attribute: Option<Wildcard>,
    /// The items of an array of the encoding, and whether they are arrays themselves.
    pub(crate) items: Option<Items>,
}

/// What an array of the SOAP encoding holds.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    pub(crate) of: TypeUse,
    /// How many dimensions each of the arrays in each other has, the outermost last.
    pub(crate) dimensions: Vec<usize>,
    /// How many there are in the outermost.
    pub(crate) occurs: Occurs,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum Derivation {
    /// Of nothing.
    Own(Option<Particle>),
    /// The content of the base, and then its own.
    Extension { base: TypeUse, own: Option<Particle> },
    /// Its own content, which the base allows.
    Restriction { base: TypeUse, own: Option<Particle> },
    /// A text with attributes.
    Text { base: TypeUse, facets: Facets, own: Option<TypeUse>, is_extension: bool },
}

/// How often at least, and at most; none for any number.
pub(crate) type Occurs = (u32, Option<u32>);

/// What stands in an element, and how often.
#[derive(Clone, Debug)]
pub(crate) struct Particle {
    pub(crate) least: u32,
    /// None for any number.
    pub(crate) most: Option<u32>,
    pub(crate) term: Term,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum Term {
    Element(ElementId),
    Reference(Name),
    Group(Name),
    All(Vec<Particle>),
    Sequence(Vec<Particle>),
    Choice(Vec<Particle>),
    /// Elements of some namespaces.
    Any(Wildcard),
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Name,
    /// None is a text.
    pub(crate) of: Option<TypeUse>,
    pub(crate) default: Option<String>,
    pub(crate) fixed: Option<String>,
    /// What prefixes stand for in these values.
    pub(crate) prefixes: Prefixes,
}

/// An attribute where a type has it.
#[derive(Clone, Debug)]
pub(crate) struct AttributeUse {
    pub(crate) what: AttributeTerm,
    pub(crate) presence: Presence,
    pub(crate) default: Option<String>,
    pub(crate) fixed: Option<String>,
    /// What prefixes stand for in these values.
    pub(crate) prefixes: Prefixes,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum AttributeTerm {
    Own(Box<Attribute>),
    Reference(Name),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Optional,
    Required,
    Prohibited,
}

/// The groups of attributes that a type or group takes over, and where it does.
pub(crate) type GroupUses = Vec<(Name, Place)>;

/// A named group of particles.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) particle: Particle,
}

/// A named group of attributes.
#[derive(Clone, Debug)]
pub(crate) struct AttributeGroup {
    pub(crate) attributes: Vec<AttributeUse>,
    pub(crate) groups: GroupUses,
    pub(crate) any_attribute: Option<Wildcard>,
}
