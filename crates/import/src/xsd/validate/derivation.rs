//! Which types may stand for others (part 1, section 3.4.6; part 1, section 3.14.6).

use std::collections::HashSet;

use crate::Problem;
use crate::xsd::Schemas;
use crate::xsd::builtin::BuiltIn;
use crate::xsd::component::{
    Blocked, Derivation, ElementId, Simple, Type, TypeBody, TypeId, TypeUse,
};
use crate::xsd::lookup::Found;
use crate::xsd::name::Name;

/// Types that are derived from one another, and unions in one another.
const DEEPEST: usize = 256;

fn same(one: Found<'_>, other: Found<'_>) -> bool {
    match (one, other) {
        (Found::BuiltIn(one), Found::BuiltIn(other)) => one.name == other.name,
        (Found::Type(one, _), Found::Type(other, _)) => one == other,
        (Found::Array, Found::Array) => true,
        _ => false,
    }
}

impl Schemas {
    /// The type of this name, as a document has it.
    pub(super) fn type_of_name(&self, name: &Name) -> Option<TypeUse> {
        if name.is_of_encoding() && *name.local == *"Array" {
            return Some(TypeUse::Array);
        }
        let built_in = BuiltIn::named(name).map(TypeUse::BuiltIn);
        built_in.or_else(|| self.type_named(name).map(TypeUse::Own))
    }

    /// May a type stand for another one, where these derivations are blocked?
    pub(super) fn is_derived(
        &self,
        of: &TypeUse,
        from: &TypeUse,
        blocked: Blocked,
    ) -> Result<bool, Problem> {
        let (of, from) = (self.found(of)?, self.found(from)?);
        let of_type = match from {
            Found::Type(id, _) => self.blocked_of(id),
            _ => Blocked::default(),
        };
        self.comes_from(of, from, blocked.or(of_type), (&mut HashSet::new(), 0))
    }

    /// The same of types that are looked up. Unions are looked into once each, however many hold them.
    fn comes_from(
        &self,
        of: Found<'_>,
        from: Found<'_>,
        blocked: Blocked,
        (unions, depth): (&mut HashSet<TypeId>, usize),
    ) -> Result<bool, Problem> {
        let mut at = of;
        for _ in 0..DEEPEST {
            if same(at, from) {
                return Ok(true);
            }
            let next = match at {
                Found::Type(_, of) if blocked.blocks(of) => break,
                Found::Type(_, of) => self.next_base(of)?,
                Found::BuiltIn(_) if blocked.restriction => break,
                Found::BuiltIn(known) => known.base().map(Found::BuiltIn),
                Found::Array if blocked.restriction => break,
                Found::Array => BuiltIn::of("anyType").map(Found::BuiltIn),
            };
            let Some(next) = next else { break };
            at = next;
        }
        // What is of one of the types of a union is of the union.
        let Found::Type(id, Type { body: TypeBody::Simple(Simple::Union { members }), .. }) = from
        else {
            return Ok(false);
        };
        if depth > DEEPEST || !unions.insert(id) {
            return Ok(false);
        }
        for member in members.iter().filter(|_| !blocked.restriction) {
            if self.comes_from(of, self.found(member)?, blocked, (unions, depth + 1))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What a type is derived from, also where that is not said.
    fn next_base(&self, of: &Type) -> Result<Option<Found<'_>>, Problem> {
        Ok(match &of.body {
            TypeBody::Simple(Simple::Restriction { base, .. }) => Some(self.found(base)?),
            TypeBody::Simple(_) => BuiltIn::of("anySimpleType").map(Found::BuiltIn),
            TypeBody::Complex(complex) => match &complex.derivation {
                Derivation::Own(_) => BuiltIn::of("anyType").map(Found::BuiltIn),
                Derivation::Extension { base, .. }
                | Derivation::Restriction { base, .. }
                | Derivation::Text { base, .. } => Some(self.found(base)?),
            },
        })
    }

    /// The elements for which one of this name may stand: the heads of its groups, as far as they allow it.
    pub(super) fn heads_of(&self, name: &Name) -> Vec<ElementId> {
        let mut heads = Vec::new();
        let Some(own) = self.global_elements.get(name) else { return heads };
        let member = &self.elements[own.0];
        let mut at = member;
        while let Some(head) = at.substitutes.as_ref().and_then(|it| self.global_elements.get(it)) {
            if heads.contains(head) || heads.len() > DEEPEST {
                break;
            }
            at = &self.elements[head.0];
            heads.push(*head);
        }
        heads.retain(|it| {
            let head = &self.elements[it.0];
            !head.blocked.substitution && self.may_stand_for(member, head)
        });
        heads
    }
}
