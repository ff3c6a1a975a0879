//! What XML Schema forbids of keys, and of types that are final.

use std::collections::HashMap;

use super::Schemas;
use super::component::{Derivation, Key, Simple, Type, TypeBody, TypeUse};
use super::lookup::Found;
use super::name::Name;
use crate::Problem;

impl Schemas {
    /// Has every key a name of its own, and does every reference refer to one with as many fields (part 1, section 3.11)?
    pub(super) fn check_keys(&self) -> Result<(), Problem> {
        let mut known: HashMap<&Name, &Key> = HashMap::new();
        for key in &self.keys {
            if known.insert(&key.name, key).is_some() {
                let what = format!("the key {} is defined twice", key.name);
                return Err(Problem::new(&key.place, what, "give it another name"));
            }
        }
        for Key { name, refers_to, fields, place, .. } in &self.keys {
            let Some(refers_to) = refers_to else { continue };
            let what = match known.get(refers_to).filter(|it| it.refers_to.is_none()) {
                Some(key) if key.fields.len() == fields.len() => continue,
                Some(key) => format!(
                    "{name} has {} field{}, and the key {refers_to} that it refers to has {}",
                    fields.len(),
                    if fields.len() == 1 { "" } else { "s" },
                    key.fields.len()
                ),
                None => format!("the key {refers_to} that {name} refers to is not defined"),
            };
            return Err(Problem::new(
                place,
                what,
                "let it refer to a key or unique of as many fields",
            ));
        }
        Ok(())
    }

    /// May a type be derived from those that it is (part 1, section 3.4.6; part 2, section 4.1.5)?
    pub(super) fn check_final(&self, of: &Type) -> Result<(), Problem> {
        let restricted = |base| vec![(base, "a restriction", "restriction")];
        let bases: Vec<(&TypeUse, &str, &str)> = match &of.body {
            TypeBody::Simple(Simple::Restriction { base, .. }) => restricted(base),
            TypeBody::Simple(Simple::List { item }) => vec![(item, "a list", "list")],
            TypeBody::Simple(Simple::Union { members }) => {
                members.iter().map(|it| (it, "a union", "union")).collect()
            }
            TypeBody::Complex(complex) => match &complex.derivation {
                Derivation::Own(_) => Vec::new(),
                Derivation::Extension { base, .. }
                | Derivation::Text { base, is_extension: true, .. } => {
                    vec![(base, "an extension", "extension")]
                }
                Derivation::Restriction { base, .. } | Derivation::Text { base, .. } => {
                    restricted(base)
                }
            },
        };
        for (base, how, word) in bases {
            if let Found::Type(_, base) = self.found(base)?
                && base.finals.forbids(word)
            {
                let shown =
                    |it: &Type| it.name.as_ref().map_or("a type".to_owned(), ToString::to_string);
                let what = format!(
                    "{} is {how} of {}, which is final: {}:{} says that there is none",
                    shown(of),
                    shown(base),
                    base.place.file,
                    base.place.line
                );
                return Err(Problem::new(
                    &of.place,
                    what,
                    "derive it otherwise, or from another type",
                ));
            }
        }
        Ok(())
    }
}
