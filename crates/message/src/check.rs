//! Whether the values of a message keep to what is said of them beyond their kind: how long a text may
//! be, between which bounds a number lies. A message is checked where somebody wants it; of the formats CDR alone
//! asks, and for its bounds only.

use std::fmt;
use std::sync::Arc;

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Time, Timestamp,
};

#[cfg(feature = "patterns")]
mod blocks;
#[cfg(feature = "patterns")]
mod example;
mod facets;
mod pattern;

use facets::Facets;
pub use pattern::Pattern;

use crate::record::{of_float, of_integer};
use crate::{
    Any, Encoder, Error, ErrorKind, Field, Fields, Holds, Kind, Layout, MemberId, Message,
    SchemaError, Scope, ScopeId, Value, short_path,
};

/// The facets of a layout's members (XML Schema part 2, section 4.3), read from its notes and ready to
/// be compared with values.
///
/// A member has them by notes of the format `facet`: `length`, `min_length` and `max_length`, in
/// characters or, of data, in bytes; `min_items` and `max_items` of a list, and `max_items_inside` of the lists in it, a number
/// or `-` for each, the outermost first, with a blank between; `min_inclusive`,
/// `max_inclusive`, `min_exclusive`, `max_exclusive`; `total_digits`, `fraction_digits`; `values`, with a blank between those that there are, of data in Base64; `pattern`, the
/// regular expression of XML Schema, if this crate is built with its feature `patterns`. Of a list of
/// values, all but its items' count are about each of the items.
#[derive(Debug)]
pub struct Checks {
    layout: Arc<Layout>,
    /// For each scope, those of each field.
    scopes: Vec<Vec<Option<Box<Facets>>>>,
}

/// A value that a facet forbids: `Order/Legs[3]/Price: 7.5 is more than 7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    path: String,
    why: String,
}

impl Unfit {
    /// The path of the member, outermost first, entries counted from 0.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with its value.
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", short_path(&self.path), self.why)
    }
}

impl std::error::Error for Unfit {}

impl Checks {
    /// Reads the facets of a layout.
    ///
    /// # Errors
    /// Names a member with a facet that is none, that its kind does not have, or that no value can keep.
    pub fn new(layout: &Arc<Layout>) -> Result<Self, SchemaError> {
        let mut scopes: Vec<Vec<Option<Box<Facets>>>> = Vec::new();
        for scope in layout.scopes() {
            Facets::reject_of_structs(layout, scope)?;
            let of_fields = scope.fields.iter().map(|field| Facets::of(layout, scope, field));
            scopes.push(of_fields.collect::<Result<_, _>>()?);
        }
        Ok(Self { layout: layout.clone(), scopes })
    }

    /// What the facets of a field say against one value of it, or against one item of its list of numbers.
    pub fn of_value(&self, scope: ScopeId, field: usize, value: &Value) -> Option<String> {
        self.scopes[usize::from(scope.0)].get(field)?.as_deref()?.of_value(value)
    }

    /// The member that says what the values of a field keep to: its own, or for the items of a list the list's, of lists of
    /// lists the outermost.
    pub fn member(layout: &Layout, scope: &Scope, field: &Field) -> MemberId {
        facets::member_of(layout, scope, field).0
    }

    /// How many items a list has at most, or how long a text or data is, by the facets of its member (`max_items`,
    /// `max_items_inside`, `max_length`); none if nothing is said. It is for a format whose types have such bounds.
    pub fn most(layout: &Layout, scope: &Scope, field: &Field) -> Option<u32> {
        let (member, depth) = facets::member_of(layout, scope, field);
        match field.holds {
            Holds::Value(Kind::Text | Kind::Bytes) => {
                layout.notes().of_member(member, "facet", "max_length")?.parse().ok()
            }
            Holds::List(_) | Holds::Group(_) => facets::most_items(layout, member, depth),
            _ => None,
        }
    }

    /// The facets of a field, as they are noted: words and values.
    pub(crate) fn words(layout: &Layout, scope: &Scope, field: &Field) -> Vec<[String; 2]> {
        let (member, _) = facets::member_of(layout, scope, field);
        let notes = layout.notes().all_of_member(member).filter(|it| it.0 == "facet");
        notes.map(|it| [it.1, it.2].map(str::to_owned)).collect()
    }

    /// A value that the facets of a field allow, made up; the one that is given, if they allow that. None if none is found.
    pub(crate) fn made_up(
        layout: &Layout,
        scope: &Scope,
        field: &Field,
        plain: Value,
    ) -> Option<Value> {
        match Facets::of(layout, scope, field).ok()? {
            Some(facets) => facets.made_up(field.holds.kind()?, plain),
            None => Some(plain),
        }
    }

    /// Compares every value with its facets.
    ///
    /// # Errors
    /// Says of the first value that does not keep to one where it is, and why; or that the message is of
    /// another schema.
    pub fn check<M: Message>(&self, message: &M) -> Result<(), Unfit> {
        if !message.message_layout().is_same(&self.layout) {
            let why = "the message is of another schema".to_owned();
            return Err(Unfit { path: self.layout.name().to_owned(), why });
        }
        let mut checker = Checker { checks: self, scope: ScopeId(0), unfit: None };
        message.encode_fields(0, &mut checker);
        match checker.unfit {
            None => Ok(()),
            Some(error) => {
                let error = error.within(self.layout.name());
                Err(Unfit { path: error.path(), why: error.kind().to_string() })
            }
        }
    }
}

/// An encoder that writes nothing: it is shown the values of a message.
struct Checker<'a> {
    checks: &'a Checks,
    scope: ScopeId,
    unfit: Option<Error>,
}

impl<'a> Checker<'a> {
    /// Asks the facets of a field what is wrong with its value.
    fn ask(&mut self, field: usize, wrong: impl FnOnce(&Facets) -> Option<String>) {
        let scope = usize::from(self.scope.0);
        let Some(facets) = self.checks.scopes[scope].get(field).and_then(Option::as_deref) else {
            return;
        };
        if self.unfit.is_some() {
            return;
        }
        if let Some(why) = wrong(facets) {
            let error = Error::new(ErrorKind::Unfit(why.into()), 0);
            self.unfit = Some(self.layout_scope().locate(error, field));
        }
    }

    /// The same of each of many values.
    fn ask_each<T: Copy>(&mut self, field: usize, values: &[T], value: fn(T) -> Value) {
        self.ask(field, |facets| {
            let of_values = || values.iter().find_map(|it| facets.of_value(&value(*it)));
            facets.of_items(values.len()).or_else(of_values)
        });
    }

    fn layout_scope(&self) -> &'a Scope {
        self.checks.layout.scope(self.scope)
    }

    /// Looks into a list or struct.
    fn enter<F: Fields>(&mut self, field: usize, entry: Option<usize>, inside: &F) {
        if self.unfit.is_some() {
            return;
        }
        let around = self.layout_scope();
        let Some(inner) = around.fields[field].holds.scope() else { return };
        let outer = std::mem::replace(&mut self.scope, inner);
        inside.encode_fields(0, self);
        self.scope = outer;
        self.unfit = self.unfit.take().map(|error| {
            let error = match entry {
                Some(entry) => error.in_entry(entry),
                None => error,
            };
            around.locate(error, field)
        });
    }
}

macro_rules! values {
    ($($method:ident: $type:ty;)*) => {$(
        fn $method(&mut self, field: usize, value: $type) {
            self.ask(field, |facets| facets.of_value(&Value::from(value)));
        }
    )*};
}

impl Encoder for Checker<'_> {
    values! {
        boolean: bool;
        decimal: Decimal;
        string: &str;
        code: Code;
        date: Date;
        time: Time;
        timestamp: Timestamp;
        duration: Duration;
    }
    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.ask(field, |facets| facets.of_value(&of_integer(value)));
    }
    fn big_integer(&mut self, field: usize, value: &BigInteger) {
        self.ask(field, |facets| facets.of_value(&value.clone().into()));
    }
    fn big_decimal(&mut self, field: usize, value: &BigDecimal) {
        self.ask(field, |facets| facets.of_value(&value.clone().into()));
    }
    fn float<F: Float>(&mut self, field: usize, value: F) {
        self.ask(field, |facets| facets.of_value(&of_float(value)));
    }
    fn bytes(&mut self, field: usize, value: &[u8]) {
        self.ask(field, |facets| facets.of_value(&value.to_vec().into()));
    }
    fn any(&mut self, _: usize, _: &Any) {}
    fn enumeration(&mut self, _: usize, _: usize) {}
    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        self.ask_each(field, values, of_integer);
    }
    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        self.ask_each(field, values, of_float);
    }
    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        self.ask(field, |facets| facets.of_items(entries.len()));
        for (index, entry) in entries.iter().enumerate() {
            self.enter(field, Some(index), entry);
        }
    }
    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        self.enter(field, None, value);
    }
}
