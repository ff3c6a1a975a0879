//! What the values of a simple type are, with all that is said of them on the way to their kind.

use std::cell::Cell;

use trunkline_message::{Kind, Pattern, Value};
use trunkline_soap::WhiteSpace;
use trunkline_wire::{BigDecimal, BigInteger, base64};

use super::Schemas;
use super::builtin::BuiltIn;
use super::component::{Derivation, Facets, Simple, Type, TypeBody, TypeId, TypeUse};
use super::lookup::Found;
use super::name::Name;
use super::union::union;
use crate::{Place, Problem};

/// The values of a simple type.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// What one value is.
    pub(crate) kind: Kind,
    /// Are there several, with blanks between?
    pub(crate) is_list: bool,
    /// Facets of each, in the words of messages, and `min_items` and so on of lists.
    pub(crate) facets: Vec<(&'static str, String)>,
    /// One of these, if it is an enumeration of texts.
    pub(crate) enumeration: Option<Enumeration>,
    /// What becomes of blanks in each.
    pub(crate) white_space: WhiteSpace,
    /// How texts stand for values.
    pub(crate) spelling: Spelling,
}

/// How the texts that a message holds stand for values of a type that is no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// Each for itself.
    #[default]
    Plain,
    /// Two hexadecimal digits, of either case, for an octet.
    Hex,
    /// A name whose prefix stands for a namespace, which the message does not say.
    Name,
}

/// Texts of which each value is one.
#[derive(Clone, Debug)]
pub(crate) struct Enumeration {
    /// The type that says so.
    pub(crate) of: Option<TypeId>,
    pub(crate) values: Vec<String>,
}

impl Values {
    pub(super) fn of(kind: Kind) -> Self {
        let white_space = WhiteSpace::Preserve;
        Self {
            kind,
            is_list: false,
            facets: Vec::new(),
            enumeration: None,
            white_space,
            spelling: Spelling::Plain,
        }
    }

    /// What becomes of blanks in a text that is one of them, or a list of them.
    pub(super) fn white_space_of_text(&self) -> WhiteSpace {
        if self.is_list { WhiteSpace::Collapse } else { self.white_space }
    }

    fn built_in(of: &BuiltIn) -> Self {
        let facets = of.facet.iter().map(|(word, value)| (*word, (*value).to_owned())).collect();
        // An attribute, or a text with attributes, has no content of any shape.
        let kind = if of.kind == Kind::Any { Kind::Text } else { of.kind };
        let white_space = of.white_space();
        let spelling = match of.name {
            "hexBinary" => Spelling::Hex,
            "QName" => Spelling::Name,
            _ => Spelling::Plain,
        };
        Self { kind, is_list: of.is_list, facets, enumeration: None, white_space, spelling }
    }

    pub(super) fn set(&mut self, word: &'static str, value: String) {
        self.facets.retain(|it| it.0 != word);
        self.facets.push((word, value));
    }

    /// Restricts the values to this one.
    pub(super) fn fix(&mut self, value: &str) {
        let value = &*self.white_space.apply(value);
        match self.kind {
            _ if self.is_list => {}
            Kind::Text if self.enumeration.is_none() => {
                self.set("pattern", self.spelling.pattern(value))
            }
            Kind::Text => {
                let of = None;
                self.enumeration = Some(Enumeration { of, values: vec![value.to_owned()] });
            }
            kind if is_ordered(kind) => {
                self.bound("min_inclusive", value);
                self.bound("max_inclusive", value);
            }
            _ => {}
        }
    }

    /// A bound that the kind can be compared with.
    fn bound(&mut self, word: &'static str, value: &str) {
        if let Some(value) = plain(self.kind, value).filter(|_| is_ordered(self.kind)) {
            self.set(word, value);
        }
    }

    /// Keeps what is said of the values of a restriction, as far as a message knows facets of their kind.
    fn restrict(&mut self, facets: &Facets, of: Option<TypeId>) {
        for (word, value) in &facets.words {
            let value = value.trim();
            match *word {
                "length" | "min_length" | "max_length" if self.is_list => {
                    let items = match *word {
                        "length" => "items",
                        "min_length" => "min_items",
                        _ => "max_items",
                    };
                    self.set(items, value.to_owned());
                }
                _ if self.is_list => {}
                "length" | "min_length" | "max_length" => {
                    // What is counted is octets.
                    let digits = if self.spelling == Spelling::Hex { 2 } else { 1 };
                    let count = value.parse::<usize>().map(|it| it.saturating_mul(digits));
                    if matches!(self.kind, Kind::Text | Kind::Bytes) {
                        self.set(word, count.map_or(value.to_owned(), |it| it.to_string()));
                    }
                }
                "total_digits" | "fraction_digits" => self.digits(word, value),
                _ => self.bound(word, value),
            }
        }
        if self.is_list {
            return;
        }
        self.white_space = self.white_space.max(facets.white_space.unwrap_or_default());
        if let (Kind::Text, [_, ..]) = (self.kind, &*facets.patterns) {
            // That of the base is not compared any more; that of each must be kept.
            let all: Vec<String> = facets.patterns.iter().map(|it| format!("({it})")).collect();
            let pattern = if let [one] = &*facets.patterns { one.clone() } else { all.join("|") };
            self.set("pattern", pattern);
        }
        if self.kind == Kind::Boolean {
            self.restrict_boolean(&facets.patterns);
        }
        let mut values: Vec<String> = Vec::with_capacity(facets.values.len());
        for value in facets.values.iter().map(|it| self.white_space.apply(it)) {
            if !values.iter().any(|it| **it == *value) {
                values.push(value.into_owned());
            }
        }
        self.enumerate(&values, of);
    }

    fn digits(&mut self, word: &'static str, value: &str) {
        let is_number = matches!(
            self.kind,
            Kind::Decimal | Kind::BigDecimal | Kind::BigInteger | Kind::Integer(_)
        );
        if !is_number {
            return;
        }
        if word == "total_digits"
            && value.parse::<u32>().is_ok_and(|it| it > 18)
            && self.kind == Kind::Decimal
        {
            self.kind = Kind::BigDecimal;
        }
        let is_whole = matches!(self.kind, Kind::BigInteger | Kind::Integer(_));
        if word == "total_digits" || !is_whole {
            self.set(word, value.to_owned());
        }
    }

    fn enumerate(&mut self, values: &[String], of: Option<TypeId>) {
        if values.is_empty() {
            return;
        }
        if self.kind != Kind::Text {
            return self.enumerate_values(values);
        }
        if self.spelling != Spelling::Plain {
            let all: Vec<String> = values.iter().map(|it| self.spelling.pattern(it)).collect();
            return self.set("pattern", all.join("|"));
        }
        let may_be_named =
            |it: &String| !it.is_empty() && it.trim() == *it && !it.contains(char::is_control);
        match values.iter().all(may_be_named) {
            true => {
                self.facets.clear();
                self.enumeration = Some(Enumeration { of, values: values.to_vec() });
            }
            false => {
                let all: Vec<String> = values.iter().map(|it| literal(it)).collect();
                self.set("pattern", all.join("|"));
            }
        }
    }
}

impl Values {
    /// Keeps the only values of another kind than text.
    fn enumerate_values(&mut self, values: &[String]) {
        let is_large = |it: &String| {
            plain(Kind::Decimal, it).is_none() && plain(Kind::BigDecimal, it).is_some()
        };
        if self.kind == Kind::Decimal && values.iter().any(is_large) {
            self.kind = Kind::BigDecimal;
        }
        let mut all: Vec<String> = Vec::with_capacity(values.len());
        // What is no value of the kind is none of a message either.
        for value in values.iter().filter_map(|it| plain(self.kind, it)) {
            if !all.contains(&value) {
                all.push(value);
            }
        }
        // Data without octets is no word.
        if all.iter().all(|it| !it.is_empty()) && !all.is_empty() {
            self.facets.retain(|it| !it.0.ends_with("clusive"));
            self.set("values", all.join(" "));
        }
    }

    /// A message has booleans, and not the texts that stand for them: it keeps to patterns which have those of one alone.
    fn restrict_boolean(&mut self, patterns: &[String]) {
        let patterns: Result<Vec<Pattern>, _> =
            patterns.iter().map(|it| Pattern::new(it)).collect();
        let Ok(patterns) = patterns else { return };
        let found = |texts: [&'static str; 2]| {
            texts.into_iter().find(|text| patterns.iter().any(|it| it.is_match(text)))
        };
        match (found(["true", "1"]), found(["false", "0"])) {
            (Some(text), None) | (None, Some(text)) => self.set("values", text.to_owned()),
            _ => {}
        }
    }
}

/// A value as messages write it, by whichever of its texts a schema says it (part 2, section 3.2): numbers have no `+`. None if it
/// is none of the kind.
pub(super) fn plain(kind: Kind, text: &str) -> Option<String> {
    let text = text.trim();
    let plain = match kind {
        Kind::Integer(_) | Kind::BigInteger => {
            BigInteger::parse_xml(text.as_bytes()).ok()?.to_string()
        }
        Kind::Decimal | Kind::BigDecimal => {
            BigDecimal::parse_xml(text.as_bytes()).ok()?.to_string()
        }
        Kind::Bytes => {
            let (mut bytes, mut words) = (Vec::new(), Vec::new());
            base64::decode_into(text.as_bytes(), text.len(), &mut bytes).ok()?;
            base64::encode_into(&bytes, &mut words);
            return String::from_utf8(words).ok();
        }
        Kind::Float32 | Kind::Float64 => {
            let unsigned = text.strip_prefix('+').filter(|it| !it.starts_with('-'));
            unsigned.unwrap_or(text).to_owned()
        }
        _ => text.to_owned(),
    };
    Value::parse(kind, &plain).map(|_| plain)
}

impl Spelling {
    /// The pattern of the texts that stand for the same as this one; of a name those with any prefix, which only the document
    /// tells from others.
    fn pattern(self, text: &str) -> String {
        match self {
            Self::Plain => literal(text),
            Self::Hex => {
                let either = |it: char| match it.is_ascii_alphabetic() {
                    true => format!("[{}{}]", it.to_ascii_lowercase(), it.to_ascii_uppercase()),
                    false => it.to_string(),
                };
                text.chars().map(either).collect()
            }
            Self::Name => {
                let local = text.split_once(':').map_or(text, |it| it.1);
                format!(r"([\i-[:]][\c-[:]]*:)?{}", literal(local))
            }
        }
    }
}

fn is_ordered(kind: Kind) -> bool {
    !matches!(kind, Kind::Boolean | Kind::Text | Kind::Code | Kind::Bytes | Kind::Any)
}

/// The pattern of this text alone.
pub(super) fn literal(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        if "\\|.?*+{}()[]^$-".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

impl Schemas {
    /// The values of a type; none of one that has elements or attributes.
    pub(crate) fn values(&self, of: &TypeUse) -> Result<Option<Values>, Problem> {
        match self.found(of)? {
            Found::BuiltIn(known) => Ok(known.is_simple().then(|| Values::built_in(known))),
            Found::Array => Ok(None),
            Found::Type(id, of) => self.values_of(id, of, (0, &Cell::new(0))),
        }
    }

    /// Does a type say of whole lists how they look, or which there are?
    pub(super) fn restricts_list(&self, of: &Type) -> bool {
        let (base, facets) = match &of.body {
            TypeBody::Simple(Simple::Restriction { base, facets }) => (base, facets),
            TypeBody::Complex(complex) => match &complex.derivation {
                Derivation::Text { base, facets, .. } => (base, facets),
                _ => return false,
            },
            TypeBody::Simple(_) => return false,
        };
        let is_said = !facets.patterns.is_empty() || !facets.values.is_empty();
        is_said && matches!(self.values(base), Ok(Some(values)) if values.is_list)
    }

    /// The name of a simple type, or of the one that it restricts if it has none; none of other types without a name.
    pub(crate) fn simple_name(&self, of: &TypeUse) -> Option<Name> {
        let mut of = of;
        // That restrictions end is seen where their values are.
        for _ in 0..=self.types.len() {
            if let TypeUse::Named(name, _) = of {
                return Some(name.clone());
            }
            match self.found(of).ok()? {
                Found::BuiltIn(known) => return Some(known.qualified()),
                Found::Type(_, Type { name: Some(name), .. }) => return Some(name.clone()),
                Found::Type(_, Type { body: TypeBody::Simple(simple), .. }) => match simple {
                    Simple::Restriction { base, .. } => of = base,
                    Simple::List { .. } | Simple::Union { .. } => return None,
                },
                Found::Type(..) | Found::Array => return None,
            }
        }
        None
    }

    fn values_of(
        &self,
        id: TypeId,
        of: &Type,
        (depth, count): (usize, &Cell<usize>),
    ) -> Result<Option<Values>, Problem> {
        /// Types that are made of one another, at most.
        const DEEPEST: usize = 64;
        /// Types that one is made of, counted wherever they are used.
        const MOST: usize = 10_000;
        count.set(count.get() + 1);
        if depth > DEEPEST || count.get() > MOST {
            let what = "types that are made of one another without end";
            return Err(Problem::new(&of.place, what, "let one be made of a type of XML Schema"));
        }
        let TypeBody::Simple(simple) = &of.body else { return Ok(None) };
        let values = |it: &TypeUse| match self.found(it)? {
            Found::BuiltIn(known) if known.is_simple() => Ok(Values::built_in(known)),
            Found::Type(id, inner) => match self.values_of(id, inner, (depth + 1, count))? {
                Some(values) => Ok(values),
                None => not_simple(&of.place),
            },
            // Nothing is known of it.
            _ if self.is_of_foreign(it) => Ok(Values::of(Kind::Text)),
            _ => not_simple(&of.place),
        };
        let found = match simple {
            Simple::Restriction { base, facets } => {
                let mut found = values(base)?;
                found.restrict(facets, Some(id));
                found
            }
            Simple::List { item } => {
                let item = values(item)?;
                if item.is_list {
                    let what = "a list of lists";
                    return Err(Problem::new(&of.place, what, "let each item be one value"));
                }
                Values { is_list: true, ..item }
            }
            Simple::Union { members } => {
                let members = members.iter().map(values).collect::<Result<Vec<_>, _>>()?;
                union(&members)
            }
        };
        Ok(Some(found))
    }

    /// The values of the text of a complex type, if it is one.
    pub(crate) fn text_values(&self, of: &Type) -> Result<Option<Values>, Problem> {
        self.check_end(of)?;
        let TypeBody::Complex(complex) = &of.body else { return Ok(None) };
        let Derivation::Text { base, facets, own, .. } = &complex.derivation else {
            // What extends a type with a text has it.
            return match &complex.derivation {
                Derivation::Extension { base, own: None }
                | Derivation::Restriction { base, own: None } => match self.found(base)? {
                    Found::Type(_, base) => self.text_values(base),
                    _ => Ok(None),
                },
                _ => Ok(None),
            };
        };
        let mut values = match (own, self.found(base)?) {
            (Some(own), _) => self.values(own)?,
            (None, Found::Type(_, inner)) if matches!(inner.body, TypeBody::Complex(_)) => {
                // Mixed content that is restricted to text has nothing else.
                self.text_values(inner)?.or(Some(Values::of(Kind::Text)))
            }
            (None, _) if self.is_of_foreign(base) => Some(Values::of(Kind::Text)),
            (None, _) => self.values(base)?,
        };
        if let Some(values) = &mut values {
            values.restrict(facets, None);
        }
        match values {
            Some(values) => Ok(Some(values)),
            None => not_simple(&of.place),
        }
    }
}

fn not_simple<T>(place: &Place) -> Result<T, Problem> {
    let what = "a simple type that is made of one with elements or attributes";
    Err(Problem::new(place, what, "make it of a simple type"))
}
