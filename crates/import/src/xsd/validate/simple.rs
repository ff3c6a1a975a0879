//! What a text has to be by its simple type, with all facets on the way to it (part 2, section 4.3).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use trunkline_message::Pattern;
use trunkline_soap::WhiteSpace;

use super::value::{Atom, Prefixes, Value, Words};
use super::{Fault, Rules};
use crate::xsd::Schemas;
use crate::xsd::builtin::BuiltIn;
use crate::xsd::component::{Derivation, Facets, Simple, Type, TypeBody, TypeId, TypeUse};
use crate::xsd::lookup::Found;
use crate::{Place, Problem};

/// A simple type, ready to be compared with texts.
#[derive(Clone, Debug)]
pub(crate) struct SimpleRules {
    variety: Variety,
    white: WhiteSpace,
    /// What each restriction says, the first of them first.
    steps: Vec<Arc<Step>>,
    /// How many types a text may be compared with.
    weight: usize,
    /// May its values be names, whose prefixes mean something?
    pub(super) has_names: bool,
}

#[derive(Clone, Debug)]
enum Variety {
    Atom(Atom),
    List(Arc<SimpleRules>),
    Union(Vec<Arc<SimpleRules>>),
}

/// What one restriction says.
#[derive(Debug, Default)]
struct Step {
    length: Option<usize>,
    least: Option<usize>,
    most: Option<usize>,
    total_digits: Option<usize>,
    fraction_digits: Option<usize>,
    /// The facet, and its value.
    bounds: Vec<(&'static str, String)>,
    patterns: Vec<Pattern>,
    /// The keys of its values, if there are any.
    values: Option<HashSet<String>>,
    /// The first of them as they are written.
    named: Vec<String>,
}

/// Types that are made of one another, at most.
const DEEPEST: usize = 64;
/// Values of an enumeration that are named where a text is none of them.
const NAMED: usize = 12;
/// Types with which one text is compared, at most.
const MOST: usize = 10_000;

/// Types that have facets of their own, and what they are made of: the atom, and a lower and an upper bound.
const BUILT_IN: &[(&str, Atom, &str, &str)] = &[
    ("string", Atom::Text(Words::Any), "", ""),
    ("normalizedString", Atom::Text(Words::Any), "", ""),
    ("token", Atom::Text(Words::Any), "", ""),
    ("language", Atom::Text(Words::Language), "", ""),
    ("Name", Atom::Text(Words::Name), "", ""),
    ("NCName", Atom::Text(Words::NcName), "", ""),
    ("ENTITY", Atom::Text(Words::NcName), "", ""),
    ("ID", Atom::Text(Words::Id), "", ""),
    ("IDREF", Atom::Text(Words::IdRef), "", ""),
    ("NMTOKEN", Atom::Text(Words::NmToken), "", ""),
    ("boolean", Atom::Boolean, "", ""),
    ("decimal", Atom::Decimal, "", ""),
    ("integer", Atom::Integer, "", ""),
    ("nonNegativeInteger", Atom::Integer, "0", ""),
    ("positiveInteger", Atom::Integer, "1", ""),
    ("nonPositiveInteger", Atom::Integer, "", "0"),
    ("negativeInteger", Atom::Integer, "", "-1"),
    ("long", Atom::Integer, "-9223372036854775808", "9223372036854775807"),
    ("int", Atom::Integer, "-2147483648", "2147483647"),
    ("short", Atom::Integer, "-32768", "32767"),
    ("byte", Atom::Integer, "-128", "127"),
    ("unsignedLong", Atom::Integer, "0", "18446744073709551615"),
    ("unsignedInt", Atom::Integer, "0", "4294967295"),
    ("unsignedShort", Atom::Integer, "0", "65535"),
    ("unsignedByte", Atom::Integer, "0", "255"),
    ("float", Atom::Float, "", ""),
    ("double", Atom::Double, "", ""),
    ("duration", Atom::Duration, "", ""),
    ("dateTime", Atom::Moment("Y-M-DtT"), "", ""),
    ("date", Atom::Moment("Y-M-D"), "", ""),
    ("time", Atom::Moment("T"), "", ""),
    ("gYear", Atom::Moment("Y"), "", ""),
    ("gYearMonth", Atom::Moment("Y-M"), "", ""),
    ("gMonth", Atom::Moment("--M"), "", ""),
    ("gMonthDay", Atom::Moment("--M-D"), "", ""),
    ("gDay", Atom::Moment("---D"), "", ""),
    ("hexBinary", Atom::Hex, "", ""),
    ("base64Binary", Atom::Base64, "", ""),
    ("anyURI", Atom::Uri, "", ""),
    ("QName", Atom::QName, "", ""),
    ("NOTATION", Atom::QName, "", ""),
];
/// Lists of those.
const LISTS: [(&str, Words); 3] =
    [("NMTOKENS", Words::NmToken), ("IDREFS", Words::IdRef), ("ENTITIES", Words::NcName)];

/// Nothing has a prefix where values are compared with bounds.
struct NoPrefixes;

impl Prefixes for NoPrefixes {
    fn namespace_of(&self, _: &str) -> Option<&str> {
        None
    }
}

impl SimpleRules {
    fn plain(variety: Variety, white: WhiteSpace) -> Self {
        let weight = match &variety {
            Variety::Atom(_) => 1,
            Variety::List(item) => 1 + item.weight,
            Variety::Union(members) => 1 + members.iter().map(|it| it.weight).sum::<usize>(),
        };
        let has_names = match &variety {
            Variety::Atom(atom) => *atom == Atom::QName,
            Variety::List(item) => item.has_names,
            Variety::Union(members) => members.iter().any(|it| it.has_names),
        };
        Self { variety, white, steps: Vec::new(), weight, has_names }
    }

    /// That of any text.
    pub(super) fn of_any() -> Self {
        Self::plain(Variety::Atom(Atom::Text(Words::Any)), WhiteSpace::Preserve)
    }

    pub(super) fn built_in(of: &BuiltIn) -> Self {
        if let Some((_, words)) = LISTS.iter().find(|it| it.0 == of.name) {
            let item = Self::plain(Variety::Atom(Atom::Text(*words)), WhiteSpace::Collapse);
            let list = Self::plain(Variety::List(Arc::new(item)), WhiteSpace::Collapse);
            let step = Step { least: Some(1), ..Step::default() };
            return Self { steps: vec![Arc::new(step)], ..list };
        }
        let known = BUILT_IN.iter().find(|it| it.0 == of.name);
        let Some((_, atom, least, most)) = known else { return Self::of_any() };
        let mut rules = Self::plain(Variety::Atom(*atom), of.white_space());
        let bounds = [("min_inclusive", least), ("max_inclusive", most)];
        let bounds = bounds.into_iter().filter(|it| !it.1.is_empty());
        let bounds: Vec<_> = bounds.map(|(word, value)| (word, (*value).to_owned())).collect();
        if !bounds.is_empty() {
            rules.steps.push(Arc::new(Step { bounds, ..Step::default() }));
        }
        rules
    }

    /// Does a text with these words refer to others in the document, or is referred to?
    pub(super) fn identity(&self) -> Option<Words> {
        match &self.variety {
            Variety::Atom(Atom::Text(words @ (Words::Id | Words::IdRef))) => Some(*words),
            Variety::List(item) => item.identity().filter(|it| *it == Words::IdRef),
            _ => None,
        }
    }

    /// The same with what a restriction says besides.
    fn restricted(&self, facets: &Facets, place: &Place) -> Result<Self, Problem> {
        let mut step = Step::default();
        for (word, value) in &facets.words {
            let value = value.trim();
            // More than fit are any number.
            let count = value.parse().unwrap_or(usize::MAX);
            match *word {
                "length" => step.length = Some(count),
                "min_length" => step.least = Some(count),
                "max_length" => step.most = Some(count),
                "total_digits" => step.total_digits = Some(count),
                "fraction_digits" => step.fraction_digits = Some(count),
                word => step.bounds.push((word, value.to_owned())),
            }
        }
        for pattern in &facets.patterns {
            let compiled = Pattern::new(pattern).map_err(|why| {
                let what = format!("the pattern {pattern} is not compared: {why}");
                Problem::new(place, what, "write it otherwise")
            })?;
            step.patterns.push(compiled);
        }
        let mut rules = self.clone();
        if let Some(white) = facets.white_space {
            rules.white = rules.white.max(white);
        }
        if !facets.values.is_empty() {
            // One that is no value of the base is none of this type either.
            let values = facets.values.iter();
            let keys = values.filter_map(|it| Some(rules.value(it, &facets.prefixes).ok()?.key()));
            step.values = Some(keys.collect());
            step.named = facets.values.iter().take(NAMED).cloned().collect();
        }
        rules.steps.push(Arc::new(step));
        Ok(rules)
    }

    /// The value that a text is.
    pub(super) fn value<'t>(
        &self,
        text: &'t str,
        prefixes: &dyn Prefixes,
    ) -> Result<Value<'t>, Fault> {
        Ok(self.checked(text, prefixes)?.0)
    }

    /// The same with the type that the text is of: of unions in one another, the innermost member.
    fn checked<'t>(
        &self,
        text: &'t str,
        prefixes: &dyn Prefixes,
    ) -> Result<(Value<'t>, &Self), Fault> {
        let (value, member) = self.found(text, prefixes)?;
        let text = member.white.apply(text);
        for step in &self.steps {
            step.check(&value, &text, member)?;
        }
        Ok((value, member))
    }

    /// Without what this type says itself; and the member of a union that it is of.
    fn found<'t>(
        &self,
        text: &'t str,
        prefixes: &dyn Prefixes,
    ) -> Result<(Value<'t>, &Self), Fault> {
        match &self.variety {
            Variety::Atom(atom) => match atom.value(self.white.apply(text), prefixes) {
                Some(value) => Ok((value, self)),
                None => {
                    let what = format!("{} is no {}", shown(text), atom.name());
                    Err(Fault::new("cvc-datatype-valid", what))
                }
            },
            Variety::List(item) => {
                let items = text.split([' ', '\t', '\n', '\r']).filter(|it| !it.is_empty());
                let items =
                    items.map(|it| item.value(it, prefixes)).collect::<Result<Vec<_>, _>>()?;
                Ok((Value::List(items), self))
            }
            Variety::Union(members) => {
                let found = members.iter().find_map(|it| it.checked(text, prefixes).ok());
                found.ok_or_else(|| {
                    let what = format!("{} is of none of the types of a union", shown(text));
                    Fault::new("cvc-datatype-valid", what)
                })
            }
        }
    }

    /// The atom with which bounds are compared.
    fn atom(&self) -> Option<Atom> {
        match &self.variety {
            Variety::Atom(atom) => Some(*atom),
            _ => None,
        }
    }
}

impl Step {
    fn check(&self, value: &Value<'_>, text: &str, of: &SimpleRules) -> Result<(), Fault> {
        if let Some((count, what)) = value.length() {
            let wrong = [
                (self.length.filter(|it| *it != count), "cvc-length-valid", "not"),
                (self.least.filter(|it| *it > count), "cvc-minLength-valid", "fewer than"),
                (self.most.filter(|it| *it < count), "cvc-maxLength-valid", "more than"),
            ];
            if let Some((Some(said), rule, how)) = wrong.iter().find(|it| it.0.is_some()) {
                let what = format!("{} has {count} {what}, {how} {said}", shown(text));
                return Err(Fault::new(rule, what));
            }
        }
        if let Value::Number(number) = value {
            let (all, behind) = number.digits();
            let wrong = [
                (self.total_digits.filter(|it| *it < all), "cvc-totalDigits-valid", "digit"),
                (
                    self.fraction_digits.filter(|it| *it < behind),
                    "cvc-fractionDigits-valid",
                    "decimal",
                ),
            ];
            if let Some((Some(said), rule, what)) = wrong.iter().find(|it| it.0.is_some()) {
                let s = if *said == 1 { "" } else { "s" };
                let what = format!("{} has more than {said} {what}{s}", shown(text));
                return Err(Fault::new(rule, what));
            }
        }
        self.bounds.iter().try_for_each(|it| within(it, value, text, of))?;
        if !self.patterns.is_empty() && !self.patterns.iter().any(|it| it.is_match(text)) {
            let all: Vec<&str> = self.patterns.iter().map(|it| it.text()).collect();
            let what =
                format!("{} is not as the pattern {} has it", shown(text), cut(&all.join("|")));
            return Err(Fault::new("cvc-pattern-valid", what));
        }
        match &self.values {
            Some(values) if !values.contains(&value.key()) => {
                let (named, more) = (self.named.join(", "), values.len() > self.named.len());
                let more = if more { " and others" } else { "" };
                let what = format!("{} is none of {}{more}", shown(text), cut(&named));
                Err(Fault::new("cvc-enumeration-valid", what))
            }
            _ => Ok(()),
        }
    }
}

fn within(
    (word, said): &(&'static str, String),
    value: &Value<'_>,
    text: &str,
    of: &SimpleRules,
) -> Result<(), Fault> {
    // What is no value of the type bounds nothing.
    let bound = of.atom().and_then(|it| it.value(Cow::Borrowed(said), &NoPrefixes));
    let Some(bound) = bound else { return Ok(()) };
    let order = value.order(&bound);
    let (keeps, rule, how) = match *word {
        "min_inclusive" => {
            (order.is_some_and(|it| it.is_ge()), "cvc-minInclusive-valid", "less than")
        }
        "max_inclusive" => {
            (order.is_some_and(|it| it.is_le()), "cvc-maxInclusive-valid", "more than")
        }
        "min_exclusive" => {
            (order.is_some_and(|it| it.is_gt()), "cvc-minExclusive-valid", "not more than")
        }
        _ => (order.is_some_and(|it| it.is_lt()), "cvc-maxExclusive-valid", "not less than"),
    };
    match keeps {
        true => Ok(()),
        false => Err(Fault::new(rule, format!("{} is {how} {said}", shown(text)))),
    }
}

/// What is said of a type, of which the first part is enough.
fn cut(text: &str) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// A text in quotes, of which the first part is enough.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", &text[..end]),
    }
}

impl Schemas {
    /// What a text of a type has to be; none of a type of elements or attributes.
    pub(crate) fn simple_rules(
        &self,
        rules: &Rules,
        of: &TypeUse,
    ) -> Result<Option<Arc<SimpleRules>>, Problem> {
        self.simple_of(rules, of, 0)
    }

    fn simple_of(
        &self,
        rules: &Rules,
        of: &TypeUse,
        depth: usize,
    ) -> Result<Option<Arc<SimpleRules>>, Problem> {
        Ok(match self.found(of)? {
            Found::BuiltIn(known) if known.is_simple() => Some(rules.built_in(known)),
            Found::BuiltIn(_) if self.is_of_foreign(of) => Some(Arc::new(SimpleRules::of_any())),
            Found::BuiltIn(_) | Found::Array => None,
            Found::Type(id, of) => self.simple_of_type(rules, id, of, depth)?,
        })
    }

    fn simple_of_type(
        &self,
        rules: &Rules,
        id: TypeId,
        of: &Type,
        depth: usize,
    ) -> Result<Option<Arc<SimpleRules>>, Problem> {
        let TypeBody::Simple(simple) = &of.body else { return Ok(None) };
        if let Some(known) = rules.simple(id) {
            return Ok(Some(known));
        }
        let fail = |what: &str| Problem::new(&of.place, what, "let it be of simple types that end");
        if depth > DEEPEST {
            return Err(fail("types that are made of one another without end"));
        }
        let part = |it: &TypeUse| match self.simple_of(rules, it, depth + 1)? {
            Some(found) => Ok(found),
            None => Err(fail("a simple type that is made of one with elements or attributes")),
        };
        let made = match simple {
            Simple::Restriction { base, facets } => part(base)?.restricted(facets, &of.place)?,
            Simple::List { item } => {
                SimpleRules::plain(Variety::List(part(item)?), WhiteSpace::Collapse)
            }
            Simple::Union { members } => {
                let members = members.iter().map(part).collect::<Result<Vec<_>, _>>()?;
                SimpleRules::plain(Variety::Union(members), WhiteSpace::Preserve)
            }
        };
        if made.weight > MOST {
            return Err(fail("a type of more types than a text is compared with"));
        }
        Ok(Some(rules.keep_simple(id, made)))
    }

    /// What the text of a complex type has to be, if it has nothing else.
    pub(super) fn text_rules(
        &self,
        rules: &Rules,
        of: &Type,
    ) -> Result<Option<Arc<SimpleRules>>, Problem> {
        self.check_end(of)?;
        let TypeBody::Complex(complex) = &of.body else { return Ok(None) };
        let inner = |base: &TypeUse| match self.found(base)? {
            Found::Type(_, inner) if matches!(inner.body, TypeBody::Complex(_)) => {
                self.text_rules(rules, inner)
            }
            _ => self.simple_of(rules, base, 0),
        };
        Ok(match &complex.derivation {
            Derivation::Own(_) => None,
            Derivation::Extension { base, own: None }
            | Derivation::Restriction { base, own: None } => match self.found(base)? {
                Found::Type(_, inner) => self.text_rules(rules, inner)?,
                _ => None,
            },
            Derivation::Extension { .. } | Derivation::Restriction { .. } => None,
            Derivation::Text { base, facets, own, is_extension } => {
                let found = match own {
                    Some(own) => self.simple_of(rules, own, 0)?,
                    None => inner(base)?,
                };
                // Mixed content that is restricted to text has nothing else.
                let found = found.unwrap_or_else(|| Arc::new(SimpleRules::of_any()));
                match is_extension {
                    true => Some(found),
                    false => Some(Arc::new(found.restricted(facets, &of.place)?)),
                }
            }
        })
    }
}

/// The key of a text that is as it is written.
pub(super) fn plain_key(text: &str) -> String {
    Value::Text(Cow::Borrowed(text)).key()
}

/// Prefixes that are declared where the parser is.
pub(super) struct Declared<'a> {
    pub(super) parser: &'a trunkline_codec::xml::Parser,
    pub(super) input: &'a str,
}

impl Prefixes for Declared<'_> {
    fn namespace_of(&self, prefix: &str) -> Option<&str> {
        if prefix.is_empty() {
            let namespace = self.parser.default_namespace();
            return Some(self.parser.namespace_name(self.input, namespace));
        }
        let found = self.parser.resolve_prefix(self.input, prefix)?;
        Some(self.parser.namespace_name(self.input, found))
    }
}
