//! The facets of one member.

mod made_up;

use std::cmp::Ordering;

use trunkline_wire::{BigDecimal, Time, Timestamp, base64};

use super::pattern::Pattern;
use crate::{Field, Holds, Kind, Layout, MemberId, SchemaError, Scope, Shape, Value};

/// What is said of the values of a member, or of the items of a list.
#[derive(Debug, Default)]
pub(super) struct Facets {
    /// Characters of a text, bytes of data.
    length: Span,
    items: Span,
    total_digits: Span,
    fraction_digits: Span,
    bounds: Vec<Bound>,
    values: Option<OneOf>,
    pattern: Option<Pattern>,
}

/// From so many to so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    least: Option<usize>,
    most: Option<usize>,
}

/// On one side of this value, which may be among them.
#[derive(Debug)]
struct Bound {
    relation: &'static Relation,
    text: String,
    value: Value,
}

/// The only values that may be.
#[derive(Debug)]
struct OneOf {
    text: String,
    values: Vec<Value>,
}

/// A word for bounds.
#[derive(Debug)]
struct Relation {
    word: &'static str,
    /// What a value is that breaks it.
    broken: &'static str,
    keeps: fn(Ordering) -> bool,
}

const RELATIONS: [Relation; 4] = [
    Relation { word: "min_inclusive", broken: "less than", keeps: Ordering::is_ge },
    Relation { word: "max_inclusive", broken: "more than", keeps: Ordering::is_le },
    Relation { word: "min_exclusive", broken: "not more than", keeps: Ordering::is_gt },
    Relation { word: "max_exclusive", broken: "not less than", keeps: Ordering::is_lt },
];

impl Span {
    fn is_said(self) -> bool {
        self != Self::default()
    }

    fn rejects(self, count: usize, one: &str, many: &str) -> Option<String> {
        let what = if count == 1 { one } else { many };
        match (self.least, self.most) {
            (Some(least), _) if count < least => {
                Some(format!("it has {count} {what}, fewer than {least}"))
            }
            (_, Some(most)) if count > most => {
                Some(format!("it has {count} {what}, more than {most}"))
            }
            _ => None,
        }
    }
}

/// The words about one member. An item of a list has those of the list, of lists of lists of the outermost.
struct Words<'a> {
    layout: &'a Layout,
    member: MemberId,
    holds: Holds,
    /// So many lists are around it.
    depth: usize,
}

/// Every word, as [`Checks`](super::Checks) has them.
const KNOWN: [&str; 15] = [
    "length",
    "min_length",
    "max_length",
    "items",
    "min_items",
    "max_items",
    INSIDE,
    "min_inclusive",
    "max_inclusive",
    "min_exclusive",
    "max_exclusive",
    "total_digits",
    "fraction_digits",
    VALUES,
    "pattern",
];
/// How many items lists in the list have at most, the outermost of them first; `-` where nothing is said.
const INSIDE: &str = "max_items_inside";
/// The values that there are, with a blank between; data in Base64.
const VALUES: &str = "values";
const LENGTHS: [&str; 3] = ["min_length", "max_length", "length"];
const ITEMS: [&str; 3] = ["min_items", "max_items", "items"];
const TOTAL: [&str; 3] = ["", "total_digits", ""];
const FRACTION: [&str; 3] = ["", "fraction_digits", ""];

impl<'a> Words<'a> {
    fn get(&self, word: &str) -> Option<&'a str> {
        self.layout.notes().of_member(self.member, "facet", word)
    }

    fn fail<T>(&self, why: String) -> Result<T, SchemaError> {
        let schema = self.layout.schema();
        let name = &schema.members(self.member.of)[self.member.index as usize].name;
        Err(SchemaError(format!("{}.{name}: {why}", schema.type_of(self.member.of).name)))
    }

    fn count(&self, word: &str) -> Result<Option<usize>, SchemaError> {
        let Some(text) = self.get(word) else { return Ok(None) };
        match text.parse() {
            Ok(count) => Ok(Some(count)),
            Err(_) => self.fail(format!("{word} is {text:?}, which is no count")),
        }
    }

    /// From the first word to the second, or exactly as the third says, if such values have it.
    fn span(&self, words: [&str; 3], has: bool) -> Result<Span, SchemaError> {
        let [least, most, exact] = words;
        if let Some(word) = words.iter().find(|word| !has && self.get(word).is_some()) {
            return self.fail(format!("{word} is said, and {} has none", self.what()));
        }
        let exactly = self.count(exact)?;
        let (least, most) = (self.count(least)?.or(exactly), self.count(most)?.or(exactly));
        match (least, most) {
            (Some(least), Some(most)) if least > most => {
                self.fail(format!("from {least} to {most} is nothing"))
            }
            _ => Ok(Span { least, most }),
        }
    }

    /// How many items a list in a list has at most, if that is said. Of the outermost it is looked at whether the word is one.
    fn items_inside(&self) -> Result<Span, SchemaError> {
        let Some(text) = self.get(INSIDE) else { return Ok(Span::default()) };
        let Some(inside) = self.depth.checked_sub(1) else {
            let (said, lists) = (text.split(' ').count(), lists_inside(self.layout, self.holds));
            let is_count = |it: &str| it == "-" || it.parse::<usize>().is_ok();
            return match text.split(' ').find(|it| !is_count(it)) {
                Some(word) => self.fail(format!("{INSIDE} is {text:?}, and {word:?} is no count")),
                None if said > lists => self.fail(format!(
                    "{INSIDE} is {text:?}, of more lists than {} has inside, which are {lists}",
                    self.what()
                )),
                None => Ok(Span::default()),
            };
        };
        Ok(Span { least: None, most: inside_of(text, inside).map(|it| it as usize) })
    }

    fn what(&self) -> &'static str {
        match self.holds {
            Holds::Value(kind) => kind.name(),
            Holds::Enumeration(_) => "an enumeration",
            Holds::List(_) | Holds::Group(_) => "a list",
            Holds::Struct(_) => "a struct",
        }
    }

    fn bounds(&self) -> Result<Vec<Bound>, SchemaError> {
        let kind = self.holds.kind().filter(|kind| has_order(*kind));
        let mut bounds = Vec::new();
        for relation in &RELATIONS {
            let word = relation.word;
            let Some(text) = self.get(word) else { continue };
            let Some(kind) = kind else {
                return self.fail(format!("{word} is said, and {} has no order", self.what()));
            };
            let Some(value) = Value::parse(kind, text) else {
                return self.fail(format!("{word} is {text:?}, which is no {}", kind.name()));
            };
            bounds.push(Bound { relation, text: text.into(), value });
        }
        Ok(bounds)
    }

    fn values(&self) -> Result<Option<OneOf>, SchemaError> {
        let Some(text) = self.get(VALUES) else { return Ok(None) };
        let has_values = |kind: &Kind| has_order(*kind) || is_told_apart(*kind);
        let Some(kind) = self.holds.kind().filter(has_values) else {
            return self.fail(format!("{VALUES} is said, and {} has no order", self.what()));
        };
        let mut values = Vec::new();
        for word in text.split(' ') {
            match listed(kind, word) {
                Some(value) => values.push(value),
                None => {
                    return self
                        .fail(format!("{VALUES} is {text:?}, and {word:?} is no {}", kind.name()));
                }
            }
        }
        Ok(Some(OneOf { text: text.replace(' ', ", "), values }))
    }

    fn pattern(&self) -> Result<Option<Pattern>, SchemaError> {
        let Some(text) = self.get("pattern") else { return Ok(None) };
        if !matches!(self.holds, Holds::Value(Kind::Text | Kind::Code)) {
            return self.fail(format!("a pattern is said, and {} is no text", self.what()));
        }
        Pattern::new(text).map(Some).or_else(|why| self.fail(format!("the pattern {text}: {why}")))
    }
}

fn has_order(kind: Kind) -> bool {
    !matches!(kind, Kind::Boolean | Kind::Text | Kind::Bytes | Kind::Code | Kind::Any)
}

/// Has it no order, and values all the same?
fn is_told_apart(kind: Kind) -> bool {
    matches!(kind, Kind::Boolean | Kind::Bytes)
}

/// The value that a word of [`VALUES`] is.
fn listed(kind: Kind, word: &str) -> Option<Value> {
    if kind != Kind::Bytes {
        return Value::parse(kind, word);
    }
    let mut bytes = Vec::new();
    base64::decode_into(word.as_bytes(), word.len(), &mut bytes).ok()?;
    Some(Value::Bytes(bytes))
}

impl Facets {
    /// Those of a field, if it has any.
    pub(super) fn of(
        layout: &Layout,
        scope: &Scope,
        field: &Field,
    ) -> Result<Option<Box<Self>>, SchemaError> {
        let (member, depth) = member_of(layout, scope, field);
        let holds = field.holds;
        let words = Words { layout, member, holds, depth };
        let mut said = layout.notes().all_of_member(member);
        let is_unknown = |(format, word, _): &_| *format == "facet" && !KNOWN.contains(word);
        if let Some((_, word, _)) = said.find(is_unknown) {
            return words.fail(format!("{word} is no facet, which are {}", KNOWN.join(", ")));
        }
        // Words about the items of a list of values are looked at where those are described.
        let is_list =
            matches!(holds, Holds::Group(inner) if layout.scope(inner).shape == Shape::Item);
        let kind = holds.kind();
        let has_length = matches!(kind, Some(Kind::Text | Kind::Code | Kind::Bytes));
        let has_digits = matches!(
            kind,
            Some(Kind::Integer(_) | Kind::BigInteger | Kind::Decimal | Kind::BigDecimal)
        );
        let mut facets = Self::default();
        let has_items = matches!(holds, Holds::List(_) | Holds::Group(_));
        if depth == 0 {
            words.items_inside()?;
            facets.items = words.span(ITEMS, has_items)?;
        } else if has_items {
            facets.items = words.items_inside()?;
        }
        if !is_list {
            facets.length = words.span(LENGTHS, has_length)?;
            facets.total_digits = words.span(TOTAL, has_digits)?;
            facets.fraction_digits = words.span(FRACTION, has_digits)?;
            facets.bounds = words.bounds()?;
            facets.values = words.values()?;
            facets.pattern = words.pattern()?;
        }
        Ok(facets.is_said().then(|| Box::new(facets)))
    }

    /// A struct or choice that lies in the positions of the one around it has none.
    pub(super) fn reject_of_structs(layout: &Layout, scope: &Scope) -> Result<(), SchemaError> {
        for component in &scope.components {
            let mut notes = layout.notes().all_of_member(component.member);
            if let Some((_, word, _)) = notes.find(|(format, ..)| *format == "facet") {
                let name = &component.name;
                return Err(SchemaError(format!("{name}: {word} is said, and a struct has none")));
            }
        }
        Ok(())
    }

    fn is_said(&self) -> bool {
        let spans = [self.length, self.items, self.total_digits, self.fraction_digits];
        spans.iter().any(|it| it.is_said())
            || !self.bounds.is_empty()
            || self.values.is_some()
            || self.pattern.is_some()
    }

    /// What is wrong with a list of so many items.
    pub(super) fn of_items(&self, count: usize) -> Option<String> {
        self.items.rejects(count, "item", "items")
    }

    /// What is wrong with a value.
    pub(super) fn of_value(&self, value: &Value) -> Option<String> {
        match value {
            Value::Text(text) => self.of_text(text),
            Value::Code(code) => self.of_text(code.as_str()),
            Value::Bytes(bytes) => {
                let of_length = self.length.rejects(bytes.len(), "byte", "bytes");
                of_length.or_else(|| self.of_values(value))
            }
            value => {
                let of_order = || self.of_order(value).or_else(|| self.of_values(value));
                self.of_digits(value).or_else(of_order)
            }
        }
    }

    fn of_text(&self, text: &str) -> Option<String> {
        let length = self.length.is_said().then(|| text.chars().count());
        let why = length.and_then(|length| self.length.rejects(length, "character", "characters"));
        let rejected = || self.pattern.as_ref()?.rejects(text);
        why.or_else(rejected)
    }

    fn of_digits(&self, value: &Value) -> Option<String> {
        if !self.total_digits.is_said() && !self.fraction_digits.is_said() {
            return None;
        }
        let number = number(value)?;
        let text = number.as_str().trim_start_matches('-');
        let (units, fraction) = text.split_once('.').unwrap_or((text, ""));
        let units = units.trim_start_matches('0');
        let total = self.total_digits.rejects(units.len() + fraction.len(), "digit", "digits");
        let behind = || self.fraction_digits.rejects(fraction.len(), "decimal", "decimals");
        total.or_else(behind)
    }

    fn of_order(&self, value: &Value) -> Option<String> {
        let keeps = |bound: &&Bound| order(value, &bound.value).is_some_and(bound.relation.keeps);
        let broken = self.bounds.iter().find(|bound| !keeps(bound))?;
        Some(format!("it is {} {}", broken.relation.broken, broken.text))
    }

    fn of_values(&self, value: &Value) -> Option<String> {
        let OneOf { text, values } = self.values.as_ref()?;
        let is_there = values.iter().any(|it| is_same(value, it));
        (!is_there).then(|| format!("it is none of {text}"))
    }
}

/// A whole number or decimal as one of any size.
fn number(value: &Value) -> Option<BigDecimal> {
    Some(match value {
        Value::Integer(number) => (*number).into(),
        Value::Unsigned(number) => (*number).into(),
        Value::BigInteger(number) => number.clone().into(),
        Value::Decimal(number) => (*number).into(),
        Value::BigDecimal(number) => number.clone(),
        _ => return None,
    })
}

/// The order of two values of one kind; none if they have none, as a NaN. Zones do not count where times
/// are compared with a bound.
fn order(value: &Value, bound: &Value) -> Option<Ordering> {
    match (value, bound) {
        (Value::Single(value), Value::Single(bound)) => value.partial_cmp(bound),
        (Value::Float(value), Value::Float(bound)) => value.partial_cmp(bound),
        (Value::Date(value), Value::Date(bound)) => {
            Some(value.with_zone(None).cmp(&bound.with_zone(None)))
        }
        (Value::Time(value), Value::Time(bound)) => {
            Some(Time::without_zone(*value).cmp(&bound.without_zone()))
        }
        (Value::Timestamp(value), Value::Timestamp(bound)) => {
            Some(Timestamp::without_zone(*value).cmp(&bound.without_zone()))
        }
        (Value::Duration(value), Value::Duration(bound)) => value.partial_cmp(bound),
        (value, bound) => Some(number(value)?.cmp(&number(bound)?)),
    }
}

/// Are two values of one kind the same? A NaN is the same as itself, though it has no order (XML Schema part 2, section 3.2.4).
fn is_same(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Single(value), Value::Single(other)) if value.is_nan() => other.is_nan(),
        (Value::Float(value), Value::Float(other)) if value.is_nan() => other.is_nan(),
        (Value::Boolean(value), Value::Boolean(other)) => value == other,
        (Value::Bytes(value), Value::Bytes(other)) => value == other,
        (value, other) => order(value, other) == Some(Ordering::Equal),
    }
}

/// The bound of a list of what a field holds: of the outermost `max_items`, of one in it what is said of that.
pub(super) fn most_items(layout: &Layout, member: MemberId, depth: usize) -> Option<u32> {
    let said = |word| layout.notes().of_member(member, "facet", word);
    match depth.checked_sub(1) {
        None => said("max_items")?.parse().ok(),
        Some(inside) => inside_of(said(INSIDE)?, inside),
    }
}

/// What [`INSIDE`] says of the list that has so many around it, the outermost apart.
fn inside_of(text: &str, inside: usize) -> Option<u32> {
    text.split(' ').nth(inside)?.parse().ok()
}

/// How many lists are in one another in what a field holds, the outermost apart.
fn lists_inside(layout: &Layout, holds: Holds) -> usize {
    match holds {
        Holds::Group(inner) if layout.scope(inner).shape == Shape::Item => {
            match layout.scope(inner).fields[0].holds {
                Holds::List(_) => 1,
                item @ Holds::Group(_) => 1 + lists_inside(layout, item),
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// The member whose facets a field has, and how many lists it is an item of: of lists of lists the member is the outermost.
pub(super) fn member_of(layout: &Layout, scope: &Scope, field: &Field) -> (MemberId, usize) {
    let Some((around, position)) = scope.place.filter(|_| scope.shape == Shape::Item) else {
        return (field.member, 0);
    };
    let around = layout.scope(around);
    let (member, depth) = member_of(layout, around, &around.fields[position]);
    (member, depth + 1)
}
