//! The types of XML Schema, of its drafts, and of the SOAP encoding, as kinds.

use std::sync::LazyLock;

use trunkline_message::{IntegerKind, Kind};
use trunkline_soap::WhiteSpace;

use super::name::{ENCODING, Name, SCHEMA};

/// A type that no document has to define.
#[derive(Clone, Debug)]
pub(crate) struct BuiltIn {
    /// The name in XML Schema.
    pub(crate) name: &'static str,
    /// The namespace and the name of one of the SOAP encoding, which is derived from that of XML Schema (SOAP 1.1 section 5.2.3).
    of_encoding: Option<(&'static str, &'static str)>,
    /// What one value is.
    pub(crate) kind: Kind,
    /// Are there several, with blanks between?
    pub(crate) is_list: bool,
    /// A facet that its values keep beyond their kind, in the words of messages.
    pub(crate) facet: Option<(&'static str, &'static str)>,
}

const fn plain(name: &'static str, kind: Kind) -> BuiltIn {
    BuiltIn { name, of_encoding: None, kind, is_list: false, facet: None }
}

const fn with(name: &'static str, kind: Kind, facet: (&'static str, &'static str)) -> BuiltIn {
    BuiltIn { name, of_encoding: None, kind, is_list: false, facet: Some(facet) }
}

const fn text(name: &'static str, pattern: &'static str) -> BuiltIn {
    with(name, Kind::Text, ("pattern", pattern))
}

const fn several(name: &'static str) -> BuiltIn {
    BuiltIn { name, of_encoding: None, kind: Kind::Text, is_list: true, facet: None }
}

const fn integer(name: &'static str, kind: IntegerKind) -> BuiltIn {
    plain(name, Kind::Integer(kind))
}

const NCNAME: &str = r"\s*[\i-[:]][\c-[:]]*\s*";

const BUILT_IN: &[BuiltIn] = &[
    plain("string", Kind::Text),
    plain("boolean", Kind::Boolean),
    plain("decimal", Kind::Decimal),
    integer("int", IntegerKind::I32),
    integer("long", IntegerKind::I64),
    integer("short", IntegerKind::I16),
    integer("byte", IntegerKind::I8),
    integer("unsignedLong", IntegerKind::U64),
    integer("unsignedInt", IntegerKind::U32),
    integer("unsignedShort", IntegerKind::U16),
    integer("unsignedByte", IntegerKind::U8),
    plain("float", Kind::Float32),
    plain("double", Kind::Float64),
    plain("dateTime", Kind::Timestamp),
    plain("date", Kind::Date),
    plain("time", Kind::Time),
    plain("duration", Kind::Duration),
    plain("base64Binary", Kind::Bytes),
    text("hexBinary", "([0-9a-fA-F]{2})*"),
    plain("integer", Kind::BigInteger),
    with("nonNegativeInteger", Kind::BigInteger, ("min_inclusive", "0")),
    with("positiveInteger", Kind::BigInteger, ("min_inclusive", "1")),
    with("nonPositiveInteger", Kind::BigInteger, ("max_inclusive", "0")),
    with("negativeInteger", Kind::BigInteger, ("max_inclusive", "-1")),
    plain("anyURI", Kind::Text),
    plain("normalizedString", Kind::Text),
    plain("token", Kind::Text),
    text("language", r"\s*[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*\s*"),
    text("Name", r"\s*\i\c*\s*"),
    text("NCName", NCNAME),
    text("ID", NCNAME),
    text("IDREF", NCNAME),
    text("ENTITY", NCNAME),
    text("NMTOKEN", r"\s*\c+\s*"),
    text("QName", r"\s*([\i-[:]][\c-[:]]*:)?[\i-[:]][\c-[:]]*\s*"),
    plain("NOTATION", Kind::Text),
    several("NMTOKENS"),
    several("IDREFS"),
    several("ENTITIES"),
    text("gYear", r"\s*-?\d{4,}(Z|[+\-]\d\d:\d\d)?\s*"),
    text("gYearMonth", r"\s*-?\d{4,}-\d\d(Z|[+\-]\d\d:\d\d)?\s*"),
    text("gMonth", r"\s*--\d\d(--)?(Z|[+\-]\d\d:\d\d)?\s*"),
    text("gMonthDay", r"\s*--\d\d-\d\d(Z|[+\-]\d\d:\d\d)?\s*"),
    text("gDay", r"\s*---\d\d(Z|[+\-]\d\d:\d\d)?\s*"),
    plain("anyType", Kind::Any),
    plain("anySimpleType", Kind::Any),
];

/// Types that are derived from others than `anySimpleType`.
const BASES: [(&str, &str); 23] = [
    ("anySimpleType", "anyType"),
    ("normalizedString", "string"),
    ("token", "normalizedString"),
    ("language", "token"),
    ("Name", "token"),
    ("NMTOKEN", "token"),
    ("NCName", "Name"),
    ("ID", "NCName"),
    ("IDREF", "NCName"),
    ("ENTITY", "NCName"),
    ("integer", "decimal"),
    ("nonPositiveInteger", "integer"),
    ("negativeInteger", "nonPositiveInteger"),
    ("long", "integer"),
    ("int", "long"),
    ("short", "int"),
    ("byte", "short"),
    ("nonNegativeInteger", "integer"),
    ("unsignedLong", "nonNegativeInteger"),
    ("unsignedInt", "unsignedLong"),
    ("unsignedShort", "unsignedInt"),
    ("unsignedByte", "unsignedShort"),
    ("positiveInteger", "nonNegativeInteger"),
];

/// Those of drafts, and of the encoding, under other names.
const FORMER: [(&str, &str); 16] = [
    ("timeInstant", "dateTime"),
    ("timeDuration", "duration"),
    ("recurringDuration", "anySimpleType"),
    ("timePeriod", "anySimpleType"),
    ("binary", "base64Binary"),
    ("base64", "base64Binary"),
    ("uriReference", "anyURI"),
    ("uri", "anyURI"),
    ("ur-type", "anyType"),
    ("anyComplexType", "anyType"),
    ("CDATA", "normalizedString"),
    ("year", "gYear"),
    ("month", "gYearMonth"),
    ("recurringDate", "gMonthDay"),
    ("recurringDay", "gDay"),
    ("Struct", "anyType"),
];

/// Those of the encodings of both versions of SOAP.
static OF_ENCODING: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    let base64 = |it: &&BuiltIn| it.name == "base64Binary";
    let known = BUILT_IN.iter().map(|it| (it.name, it));
    let known: Vec<_> =
        known.chain(BUILT_IN.iter().find(base64).map(|it| ("base64", it))).collect();
    let in_namespace = |namespace: &'static str| {
        let of = move |local| Some((namespace, local));
        let made =
            move |(local, it): &(_, &BuiltIn)| BuiltIn { of_encoding: of(*local), ..(*it).clone() };
        known.iter().map(made).collect::<Vec<_>>()
    };
    [in_namespace(ENCODING[0]), in_namespace(ENCODING[1])].concat()
});

impl BuiltIn {
    /// The type of this name of XML Schema, or of the SOAP encoding; its `Array` is none.
    pub(crate) fn named(name: &Name) -> Option<&'static Self> {
        if !name.is_of_schema() && !name.is_of_encoding() {
            return None;
        }
        let local = &*name.local;
        let is_current = *name.namespace == *SCHEMA[0];
        if name.is_of_encoding() {
            // One namespace is written with and without its end.
            let namespace = if *name.namespace == *ENCODING[1] { ENCODING[1] } else { ENCODING[0] };
            let is_it = |it: &&Self| it.of_encoding == Some((namespace, local));
            let found = OF_ENCODING.iter().find(is_it).filter(|it| !it.is_any());
            if found.is_some() {
                return found;
            }
        }
        let former = FORMER.iter().find(|it| it.0 == local && !is_current).map(|it| it.1);
        Self::of(former.unwrap_or(local))
    }

    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        BUILT_IN.iter()
    }

    /// The type that it is derived from (part 2, section 3); none of `anyType`.
    pub(crate) fn base(&self) -> Option<&'static Self> {
        let base = BASES.iter().find(|it| it.0 == self.name).map_or("anySimpleType", |it| it.1);
        Self::of(base).filter(|_| self.name != "anyType")
    }

    /// The type of XML Schema of this name.
    pub(crate) fn of(local: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|it| it.name == local)
    }

    /// What becomes of blanks in its texts (part 2, section 4.3.6).
    pub(crate) fn white_space(&self) -> WhiteSpace {
        match self.name {
            "string" | "anyType" | "anySimpleType" => WhiteSpace::Preserve,
            "normalizedString" => WhiteSpace::Replace,
            _ => WhiteSpace::Collapse,
        }
    }

    /// The name by which values say that they are of the type.
    pub(crate) fn qualified(&self) -> Name {
        let (namespace, local) = self.of_encoding.unwrap_or((SCHEMA[0], self.name));
        Name::new(namespace, local)
    }

    /// Has its values any shape?
    pub(crate) fn is_any(&self) -> bool {
        self.kind == Kind::Any
    }

    /// Is it one that has nothing but text?
    pub(crate) fn is_simple(&self) -> bool {
        self.name != "anyType"
    }
}
