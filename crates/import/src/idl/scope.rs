//! Which name means what (CORBA 3.4 part 1, 7.19 and 7.20).

use std::collections::HashMap;

use super::declaration::{DeclarationId, Type};

/// What a name means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    Module(ScopeId),
    /// A type without names inside that one may reach.
    Type(DeclarationId),
    /// An interface, a value type, a struct, a union: their names may be reached.
    Scoped(DeclarationId, ScopeId),
    /// An interface or another of these words that is only named as yet.
    Forward(DeclarationId, &'static str),
    Exception(DeclarationId, ScopeId),
    Constant(DeclarationId),
    /// The value of an enumeration at this place.
    Enumerator(DeclarationId, u32),
    /// What is known without being declared.
    BuiltIn(Type),
    /// A member, a parameter, an operation: nothing that one may refer to.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(usize);

impl ScopeId {
    /// The outermost.
    pub(super) const ROOT: Self = Self(0);
}

#[derive(Debug)]
struct Scope {
    parent: Option<ScopeId>,
    /// Its own name.
    name: String,
    /// That with those around it: `A::B`.
    path: String,
    /// By the name in lower case: names that differ in case alone are the same, and may not be written so.
    names: HashMap<String, (String, Meaning)>,
    /// Names of elsewhere that were used here.
    uses: HashMap<String, String>,
    /// Those from which it inherits names.
    bases: Vec<ScopeId>,
}

/// Every scope.
#[derive(Debug)]
pub(super) struct Scopes(Vec<Scope>);

impl Scopes {
    pub(super) fn new() -> Self {
        let mut scopes = Self(Vec::new());
        scopes.add(None, "");
        // The types that CORBA's own module has without declaring them.
        let corba = scopes.add(Some(ScopeId::ROOT), "CORBA");
        scopes.put(ScopeId::ROOT, "CORBA", Meaning::Module(corba));
        for (name, of) in
            [("TypeCode", Type::TypeCode), ("Object", Type::Object), ("ValueBase", Type::ValueBase)]
        {
            scopes.put(corba, name, Meaning::BuiltIn(of));
        }
        scopes
    }

    pub(super) fn add(&mut self, parent: Option<ScopeId>, name: &str) -> ScopeId {
        let path = parent.map_or_else(String::new, |it| self.path_of(it, name));
        let name = name.to_owned();
        let (names, uses, bases) = Default::default();
        self.0.push(Scope { parent, name, path, names, uses, bases });
        ScopeId(self.0.len() - 1)
    }

    /// The whole name of what is called so in a scope.
    pub(super) fn path_of(&self, scope: ScopeId, name: &str) -> String {
        match &*self.0[scope.0].path {
            "" => name.to_owned(),
            path => format!("{path}::{name}"),
        }
    }

    /// The whole name of a scope.
    pub(super) fn path(&self, scope: ScopeId) -> &str {
        &self.0[scope.0].path
    }

    pub(super) fn inherit(&mut self, scope: ScopeId, base: ScopeId) {
        self.0[scope.0].bases.push(base);
    }

    fn put(&mut self, scope: ScopeId, name: &str, meaning: Meaning) {
        self.0[scope.0].names.insert(name.to_lowercase(), (name.to_owned(), meaning));
    }

    /// What a scope itself has of this name.
    pub(super) fn own(&self, scope: ScopeId, name: &str) -> Option<&Meaning> {
        let (spelling, meaning) = self.0[scope.0].names.get(&name.to_lowercase())?;
        (spelling == name).then_some(meaning)
    }

    /// Gives a name its meaning.
    ///
    /// # Errors
    /// Says what else has the name there.
    pub(super) fn declare(
        &mut self,
        scope: ScopeId,
        name: &str,
        meaning: Meaning,
    ) -> Result<(), String> {
        let key = name.to_lowercase();
        let at = &self.0[scope.0];
        if let Some((spelling, known)) = at.names.get(&key) {
            let is_same = spelling == name
                && match known {
                    Meaning::Forward(..) => is_fulfilled(known, &meaning),
                    Meaning::BuiltIn(_) => true,
                    _ => false,
                };
            if !is_same {
                return Err(format!("{name} is declared, but {spelling} is there already"));
            }
        } else if let Some(spelling) = at.uses.get(&key) {
            return Err(format!("{name} is declared, but {spelling} of elsewhere was used here"));
        } else if !at.name.is_empty() && at.name.eq_ignore_ascii_case(name) {
            return Err(format!("{name} is declared, but what it is in is called so"));
        }
        self.put(scope, name, meaning);
        Ok(())
    }

    /// What a name with `::` between its steps means in a scope.
    ///
    /// # Errors
    /// Says which step is not there, or is written otherwise.
    pub(super) fn find(
        &mut self,
        scope: ScopeId,
        is_absolute: bool,
        steps: &[String],
    ) -> Result<Meaning, String> {
        let first = &steps[0];
        let mut found = match is_absolute {
            true => self.inside(ScopeId::ROOT, first)?,
            false => {
                let mut around = Some(scope);
                loop {
                    let Some(at) = around else { break None };
                    if let Some(found) = self.inside(at, first)? {
                        break Some(found);
                    }
                    around = self.0[at.0].parent;
                }
            }
        };
        let is_own = self.0[scope.0].names.contains_key(&first.to_lowercase());
        if found.is_some() && !is_absolute && !is_own {
            self.0[scope.0].uses.insert(first.to_lowercase(), first.clone());
        }
        for step in &steps[1..] {
            let inner = match found {
                Some(
                    Meaning::Module(inner)
                    | Meaning::Scoped(_, inner)
                    | Meaning::Exception(_, inner),
                ) => inner,
                Some(_) => return Err(format!("nothing can be called {step} there")),
                None => break,
            };
            found = self.inside(inner, step)?;
            if found.is_none() {
                return Err(format!("{step} of {} is not declared", steps.join("::")));
            }
        }
        found.ok_or_else(|| match IDL_4.contains(&&**first) {
            true => format!("{first} is a type of IDL 4, and not supported"),
            false => format!("{first} is not declared"),
        })
    }

    /// What a scope has of this name, or those have from which it inherits.
    fn inside(&self, scope: ScopeId, name: &str) -> Result<Option<Meaning>, String> {
        let at = &self.0[scope.0];
        if let Some((spelling, meaning)) = at.names.get(&name.to_lowercase()) {
            if spelling != name {
                return Err(format!("{name} is declared as {spelling}"));
            }
            return Ok(Some(meaning.clone()));
        }
        for base in &at.bases {
            if let Some(found) = self.inside(*base, name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Types of IDL 4 that CORBA 3 does not have.
const IDL_4: [&str; 11] = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "map", "bitset",
    "bitmask",
];

/// Is this what was named before it was declared?
fn is_fulfilled(known: &Meaning, meaning: &Meaning) -> bool {
    match (known, meaning) {
        (Meaning::Forward(_, known), Meaning::Forward(_, kind)) => known == kind,
        (Meaning::Forward(..), Meaning::Scoped(..)) => true,
        _ => false,
    }
}
