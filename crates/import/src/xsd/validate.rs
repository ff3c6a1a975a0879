//! Documents held against the schemas that describe them: what in them is not as it is described, with its place.
//!
//! Layouts read what can be understood; this says what is valid (XML Schema part 1, sections 3.3 to 3.11). Nothing of it is
//! made anew for an element: what a type asks for is worked out when the first element of it is met, and kept.

mod derivation;
mod identity;
mod model;
mod moment;
mod places;
pub(super) mod simple;
mod start;
mod types;
mod value;
mod walk;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use trunkline_message::short_path;

use self::simple::SimpleRules;
use self::types::{AttributeRules, TypeRules};
use super::Schemas;
use super::builtin::BuiltIn;
use super::component::TypeId;
use super::name::Name;
use crate::{Limits, Problem};

/// What a document says that its schema forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The line of the element, from 1.
    pub line: u32,
    /// The character of the line, from 1.
    pub column: u32,
    /// The element, or its attribute, as XPath has it without namespaces: `/order/line[2]/@quantity`.
    pub path: String,
    /// The rule that is broken, by its name in XML Schema (`cvc-pattern-valid`); `well-formed` if the document is no XML, and
    /// `limit` or `schema` if that could not be checked because of a limit or of what the schema says.
    pub rule: &'static str,
    /// What is wrong.
    pub what: String,
    /// Is it an element, or a text, that may not stand where it does?
    pub is_misplaced: bool,
    /// Is it an element that is nil, and may not be?
    pub is_nil: bool,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, path, rule, what, .. } = self;
        write!(out, "{line}:{column}: {}: {what} ({rule})", short_path(path))
    }
}

/// What became of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// What is wrong, in the order of the document; nothing, if it is valid.
    pub violations: Vec<Violation>,
    /// Is there more that is wrong, and not told because of [`Limits::violations`]?
    pub is_cut: bool,
    /// Of an envelope of SOAP, what stands in its Body and is no element of the schemas, as the wrappers of style rpc are.
    /// It is not looked into.
    pub undeclared: Vec<Name>,
}

impl Validation {
    /// Is the document as the schemas say, as far as they say anything?
    pub fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }
}

/// A rule that is broken, and how.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    rule: &'static str,
    what: String,
    /// Is it what stands where it may not?
    is_misplaced: bool,
    /// Is it what is nil, and may not be?
    is_nil: bool,
}

impl Fault {
    fn new(rule: &'static str, what: impl Into<String>) -> Self {
        Self { rule, what: what.into(), is_misplaced: false, is_nil: false }
    }

    /// An element or a text that may not stand there.
    fn misplaced(what: impl Into<String>) -> Self {
        Self { is_misplaced: true, ..Self::new("cvc-complex-type", what) }
    }

    /// What could not be checked because of the schema.
    fn of_schema(problem: &Problem) -> Self {
        Self::new("schema", problem.to_string())
    }
}

/// What types ask for, worked out as they are met.
#[derive(Debug)]
pub(crate) struct Rules {
    simple: Vec<OnceLock<Arc<SimpleRules>>>,
    complex: Vec<OnceLock<Result<Arc<TypeRules>, Problem>>>,
    built_in: HashMap<&'static str, Arc<SimpleRules>>,
    /// Of attributes for all elements.
    attributes: HashMap<Name, OnceLock<Arc<AttributeRules>>>,
    any: Arc<TypeRules>,
    /// Keys by their names.
    keys: HashMap<Name, usize>,
    /// Those to which others refer.
    referred: HashSet<usize>,
}

impl Rules {
    fn new(schemas: &Schemas) -> Self {
        let count = schemas.types.len();
        let built_in = |it: &'static BuiltIn| (it.name, Arc::new(SimpleRules::built_in(it)));
        let keys: HashMap<Name, usize> =
            schemas.keys.iter().enumerate().map(|it| (it.1.name.clone(), it.0)).collect();
        let referred = schemas.keys.iter().filter_map(|it| it.refers_to.as_ref());
        Self {
            simple: (0..count).map(|_| OnceLock::new()).collect(),
            complex: (0..count).map(|_| OnceLock::new()).collect(),
            built_in: BuiltIn::all().map(built_in).collect(),
            attributes: schemas.attributes.keys().map(|it| (it.clone(), OnceLock::new())).collect(),
            any: Arc::new(TypeRules::of_any()),
            referred: referred.filter_map(|it| keys.get(it).copied()).collect(),
            keys,
        }
    }

    fn built_in(&self, of: &BuiltIn) -> Arc<SimpleRules> {
        self.built_in.get(of.name).cloned().unwrap_or_else(|| Arc::new(SimpleRules::of_any()))
    }

    fn simple(&self, id: TypeId) -> Option<Arc<SimpleRules>> {
        self.simple[id.0].get().cloned()
    }

    fn keep_simple(&self, id: TypeId, made: SimpleRules) -> Arc<SimpleRules> {
        self.simple[id.0].get_or_init(|| Arc::new(made)).clone()
    }

    fn complex(&self, id: TypeId) -> Option<Result<Arc<TypeRules>, Problem>> {
        self.complex[id.0].get().cloned()
    }

    fn keep_complex(
        &self,
        id: TypeId,
        made: Result<Arc<TypeRules>, Problem>,
    ) -> Result<Arc<TypeRules>, Problem> {
        self.complex[id.0].get_or_init(|| made).clone()
    }
}

impl Schemas {
    /// Holds a document against the schemas. An envelope of SOAP is looked into: each element in its Body and its Header that the
    /// schemas declare is held against them.
    pub fn validate(&self, document: &[u8], limits: &Limits) -> Validation {
        walk::document(self, self.rules(), document, limits)
    }

    pub(super) fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| Rules::new(self))
    }

    fn attribute_of_all(&self, rules: &Rules, name: &Name) -> Option<Arc<AttributeRules>> {
        let known = rules.attributes.get(name)?;
        if let Some(known) = known.get() {
            return Some(known.clone());
        }
        let made = Arc::new(self.global_attribute(rules, name)?);
        Some(known.get_or_init(|| made).clone())
    }
}
