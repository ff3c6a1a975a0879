//! OMG IDL (CORBA 3.4 part 1, 7): modules, types, constants, interfaces and value types, with includes,
//! conditionals, macros without parameters, and the pragmas about repository ids.
//!
//! The grammar is read by hand, one function a rule: of the libraries that read IDL none is kept, and a
//! generator of parsers would need the scopes of IDL, which decide what a name is, all the same.
//!
//! A struct, union or exception becomes a layout whose plans write CDR as CORBA does.
//!
//! | IDL | kind |
//! |---|---|
//! | `boolean`, `octet`, `short` to `unsigned long long`, `float`, `double` | of the same width |
//! | `char`; `string`, `string<10>` | `code`; `text`, and the facet `max_length` |
//! | `enum` | an enumeration |
//! | `sequence<T>`, `sequence<T, 10>`; `sequence<octet>` | a list, and the facets `max_items`, of lists in it `max_items_inside`; `bytes` |
//! | `T a[2][3]` | lists of so many |
//! | `struct`, `exception`; `union` | a struct; a choice, an arm for each label |
//! | annotations of IDL 4 | nothing; those that change bytes, such as `@optional`, are rejected |
//! | a member of a `union switch (boolean)` that has `TRUE` alone | a member that may be absent |
//!
//! What CDR of ours has no form for is rejected when the layout is asked for: `any`, `wchar`, `wstring`,
//! `long double`, `fixed`, references to objects, value types and natives.

mod annotation;
mod call;
mod constant;
mod declaration;
mod interface;
mod layout;
mod lexer;
mod parser;
mod preprocessor;
mod scope;
mod types;

use std::collections::HashSet;
use std::sync::Arc;

use trunkline_message::Layout;

pub use call::Call;
pub use declaration::{
    Body, Case, Constant, Content, Declaration, DeclarationId, Interface, Member, Operation,
    Parameter, Type, Typed, Union, ValueType,
};
pub use layout::Declared;

use crate::problem::Warnings;
use crate::{Limits, Place, Problem, Resolver};

/// How a file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The folders in which files are that others include.
    pub folders: Vec<String>,
    /// Macros that are defined before the file begins: names, and what they stand for.
    pub macros: Vec<(String, String)>,
}

/// What a file of IDL and those that it includes declare.
#[derive(Debug)]
pub struct Specification {
    declarations: Vec<Declaration>,
    warnings: Vec<Problem>,
}

impl Specification {
    /// Reads the file at a path. What it includes is looked for beside the file that includes it and in each of
    /// the folders, in this order, or where it is between `<>` beside at last.
    ///
    /// # Errors
    /// A file is not there, is no IDL, or means what IDL forbids; or it is beyond the limits.
    pub fn read(
        path: &str,
        options: &Options,
        resolver: &mut dyn Resolver,
        limits: &Limits,
    ) -> Result<Self, Problem> {
        let tokens = preprocessor::tokens(path, options, resolver, limits)?;
        let file: Arc<str> = path.into();
        let start = Place { file, line: 1, column: 1 };
        let mut warnings = Warnings::new(limits.warnings);
        let parser = parser::Parser::new(tokens, start, &mut warnings, limits);
        let declarations = parser.specification()?;
        Ok(Self { declarations, warnings: warnings.all() })
    }

    /// Everything that is declared, in its order.
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// One declaration.
    ///
    /// # Panics
    /// If it is of another specification.
    pub fn declaration(&self, id: DeclarationId) -> &Declaration {
        &self.declarations[id.0]
    }

    /// What a typedef of no array, or a name before its declaration, stands for; anything else itself.
    ///
    /// # Panics
    /// If it is of another specification.
    pub fn resolved(&self, of: DeclarationId) -> DeclarationId {
        let mut of = of;
        loop {
            let declaration = self.declaration(of);
            let next = match &declaration.body {
                Body::Typedef(Typed { of: Type::Named(inner), dimensions }) => {
                    dimensions.is_empty().then_some(*inner)
                }
                Body::Forward(_) => {
                    let is_it = |it: &Declaration| {
                        it.name == declaration.name && !matches!(it.body, Body::Forward(_))
                    };
                    self.declarations.iter().position(is_it).map(DeclarationId)
                }
                _ => None,
            };
            match next {
                Some(next) => of = next,
                None => return of,
            }
        }
    }

    /// The interfaces and value types whose operations an interface or value type has beside its own: those that it names,
    /// and behind each those that this has, each once.
    ///
    /// # Panics
    /// If it is of another specification.
    pub fn inherited(&self, of: DeclarationId) -> Vec<DeclarationId> {
        let (mut all, mut seen) = (Vec::new(), HashSet::from([of]));
        let mut ahead = self.last_bases_first(of);
        while let Some(base) = ahead.pop() {
            if seen.insert(base) {
                all.push(base);
                ahead.extend(self.last_bases_first(base));
            }
        }
        all
    }

    fn last_bases_first(&self, of: DeclarationId) -> Vec<DeclarationId> {
        let named: Vec<DeclarationId> = match &self.declaration(of).body {
            Body::Interface(interface) => interface.bases.clone(),
            Body::Value(value) => value.bases.iter().chain(&value.supports).copied().collect(),
            _ => Vec::new(),
        };
        named.into_iter().rev().map(|it| self.resolved(it)).collect()
    }

    /// What is odd about it, but can be lived with.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// How IDL writes a type: `sequence<CosNaming::NameComponent,10>`, with `ulong` for `unsigned long`.
    pub fn shown(&self, of: &Type) -> String {
        of.shown(&self.declarations)
    }

    /// The declaration of this name, from the outermost scope on or the last step of it alone; not one that names
    /// what another declares.
    pub fn find(&self, name: &str) -> Option<DeclarationId> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let is_it = |it: &&Declaration| !matches!(it.body, Body::Forward(_) | Body::Module);
        let place = |matches: &dyn Fn(&str) -> bool| {
            self.declarations.iter().position(|it| is_it(&it) && matches(&it.name))
        };
        let whole = place(&|it| it == name);
        whole.or_else(|| place(&|it| it.rsplit("::").next() == Some(name))).map(DeclarationId)
    }

    /// The layout of a struct, a union, an exception, or a typedef of one.
    ///
    /// # Errors
    /// It is none of these, or holds what has no form: the place of the member and what to do.
    pub fn layout(&self, of: DeclarationId) -> Result<Layout, Problem> {
        self.declared(of).map(|it| it.layout)
    }

    /// The same, and which declarations its types are.
    ///
    /// # Errors
    /// As [`layout`](Self::layout).
    pub fn declared(&self, of: DeclarationId) -> Result<Declared, Problem> {
        layout::layout(self, of)
    }
}
