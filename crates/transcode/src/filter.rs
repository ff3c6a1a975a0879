//! Filters: which messages of a description somebody wants, by what they say.
//!
//! ```text
//! filter     = and { "or" and }
//! and        = not { "and" not }
//! not        = "not" not | "(" filter ")" | test
//! test       = "exists" path
//!            | path ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value
//!            | path "in" "(" value { "," value } ")"
//! path       = name { "." name }         a name with other letters stands between double quotes
//! value      = number | 'text' | true | false
//! ```
//!
//! A path names a field by itself, or with as many structs before it as tell it from others of its name. A name alone is
//! also that of a field inside a list or struct, the outermost one, if the message has none outside. In a list, one
//! item that fits is enough. A comparison with a field that is absent is false, `!=` too. Numbers are compared exactly,
//! with floats as the nearest float of the field's width.
//!
//! [`Filter::parse`] checks the form, [`Messages::check`](crate::Messages::check) holds it against a description, and
//! [`Messages::passes`](crate::Messages::passes) looks at a message.

mod bound;
mod check;
mod lexer;
mod parser;

use std::fmt;

use trunkline_wire::{BigDecimal, Decimal};

pub(crate) use bound::{Bound, find};
pub(crate) use check::{Checked, Names, Scan};
pub(crate) use parser::parse_paths;

/// Which messages somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    root: Node,
}

/// What must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Any(Vec<Node>),
    All(Vec<Node>),
    Not(Box<Node>),
    Test(Test),
}

/// What must hold of a field.
#[derive(Clone, Debug, Eq)]
pub(crate) struct Test {
    /// The names from the outermost on.
    pub(crate) path: Vec<Box<str>>,
    /// The byte at which it begins.
    pub(crate) offset: usize,
    pub(crate) condition: Condition,
}

/// Where a test stands does not matter.
impl PartialEq for Test {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.condition) == (&other.path, &other.condition)
    }
}

/// The condition of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Exists,
    Is(Comparison, Literal),
    In(Vec<Literal>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::LessOrEqual, "<="),
        (Self::GreaterOrEqual, ">="),
        (Self::NotEqual, "!="),
        (Self::Equal, "="),
        (Self::Less, "<"),
        (Self::Greater, ">"),
    ];

    /// Whether it asks for more than whether values are equal.
    pub(crate) fn is_of_order(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|it| it.0 == *self).map_or("", |it| it.1))
    }
}

/// A value that fields are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Number(Number),
    Text(Box<str>),
    Boolean(bool),
}

/// A number, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) exact: BigDecimal,
    /// The same, if it fits.
    pub(crate) decimal: Option<Decimal>,
}

/// A field that a text names: the names from the outermost on, and the byte at which they begin.
pub(crate) type Path = (Vec<Box<str>>, usize);

/// Why a text is no filter or selection, or not one of the messages of a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The byte of the text.
    pub offset: usize,
    /// What is wrong there, and what would be right.
    pub why: String,
}

impl FilterError {
    pub(crate) fn new(offset: usize, why: impl Into<String>) -> Self {
        Self { offset, why: why.into() }
    }

    /// The same with the column in the text, from 1, counted in characters.
    pub fn within(&self, text: &str) -> String {
        let before = text.get(..self.offset).unwrap_or(text);
        format!("column {}: {}", before.chars().count() + 1, self.why)
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.why)
    }
}

impl std::error::Error for FilterError {}

/// Passes every message.
impl Default for Filter {
    fn default() -> Self {
        Self { root: Node::All(Vec::new()) }
    }
}

impl Filter {
    /// Tests and values of the longest filter.
    pub const MOST_TERMS: usize = 256;
    /// How deep `not` and parentheses stand in one another at most.
    pub const DEPTH: usize = 32;

    /// Reads a filter.
    ///
    /// # Errors
    /// The text is none, or has more terms or parentheses than may be: where, and what would be right.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parser::parse(text).map(|root| Self { root })
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }
}

impl Node {
    /// Every test, in their order.
    pub(crate) fn tests<'a>(&'a self, each: &mut impl FnMut(&'a Test)) {
        match self {
            Self::Any(all) | Self::All(all) => all.iter().for_each(|it| it.tests(each)),
            Self::Not(it) => it.tests(each),
            Self::Test(it) => each(it),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, is_inside: bool) -> fmt::Result {
        let (all, word) = match self {
            Self::Any(all) => (all, " or "),
            Self::All(all) => (all, " and "),
            Self::Not(it) => {
                f.write_str("not ")?;
                return it.write(f, true);
            }
            Self::Test(it) => return write!(f, "{it}"),
        };
        f.write_str(if is_inside { "(" } else { "" })?;
        for (index, it) in all.iter().enumerate() {
            f.write_str(if index > 0 { word } else { "" })?;
            it.write(f, true)?;
        }
        f.write_str(if is_inside { ")" } else { "" })
    }
}

/// The same for all texts that say the same but for blanks, case of words and superfluous parentheses.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.write(f, false)
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = shown_path(&self.path);
        match &self.condition {
            Condition::Exists => write!(f, "exists {path}"),
            Condition::Is(comparison, value) => write!(f, "{path} {comparison} {value}"),
            Condition::In(values) => {
                let values: Vec<String> = values.iter().map(Literal::to_string).collect();
                write!(f, "{path} in ({})", values.join(", "))
            }
        }
    }
}

/// A path as it is written.
pub(crate) fn shown_path(path: &[Box<str>]) -> String {
    let step = |it: &str| match lexer::is_plain(it) {
        true => it.to_string(),
        false => format!("\"{}\"", it.replace('"', "\"\"")),
    };
    path.iter().map(|it| step(it)).collect::<Vec<_>>().join(".")
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(it) => f.write_str(it.exact.as_str()),
            Self::Text(it) => write!(f, "'{}'", it.replace('\'', "''")),
            Self::Boolean(it) => write!(f, "{it}"),
        }
    }
}
