//! Looks up what names mean, and what belongs to what.

use std::collections::HashSet;

use super::Schemas;
use super::builtin::BuiltIn;
use super::component::{
    Attribute, AttributeGroup, AttributeTerm, AttributeUse, Blocked, Complex, Derivation, Element,
    ElementId, Group, Particle, Simple, Term, Type, TypeBody, TypeId, TypeUse,
};
use super::content::DEEPEST;
use super::name::{Name, XML};
use super::reader::any_built_in as any_type;
use crate::{Place, Problem};

/// What a type is, once its name is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'a> {
    BuiltIn(&'static BuiltIn),
    Array,
    Type(TypeId, &'a Type),
}

impl Schemas {
    fn undefined<T>(&self, what: &str, name: &Name, place: &Place) -> Result<T, Problem> {
        let what = format!("the {what} {name} is not defined");
        let remedy = match self.missing.of(&name.namespace) {
            missing if missing.is_empty() => "define it, or import the schema that does".to_owned(),
            missing => missing,
        };
        Err(Problem::new(place, what, remedy))
    }

    /// Notes the members of substitution groups, and the derived types.
    pub(super) fn link(&mut self) {
        for (index, element) in self.elements.iter().enumerate() {
            if let Some(head) = &element.substitutes {
                self.substitutes.entry(head.clone()).or_default().push(ElementId(index));
            }
        }
        let mut derived: Vec<(TypeId, TypeId)> = Vec::new();
        for (index, of) in self.types.iter().enumerate().filter(|it| it.1.name.is_some()) {
            // What has no end, or no base, is told when it is used.
            if let Ok(Some(Found::Type(base, _))) = self.base(of)
                && self.check_end(of).is_ok()
            {
                derived.push((base, TypeId(index)));
            }
        }
        for (base, member) in derived {
            self.derived.entry(base).or_default().push(member);
        }
    }

    /// Looks up everything.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        for element in &self.elements {
            self.found(&element.of)?;
            if let Some(head) = element.substitutes.as_ref().filter(|it| !self.is_foreign(it)) {
                self.global(head, &element.place)?;
            }
        }
        for of in &self.types {
            self.check_type(of)?;
            self.check_facets(of)?;
            self.check_end(of)?;
            self.check_final(of)?;
        }
        if self.is_strict {
            self.check_restrictions()?;
        }
        self.check_keys()?;
        for group in self.groups.values() {
            self.check_particle(&group.particle)?;
        }
        for group in self.attribute_groups.values() {
            self.check_attributes(&group.attributes, &group.groups)?;
        }
        self.attributes.values().try_for_each(|it| self.found_of(it))
    }

    /// The type that is meant.
    pub(crate) fn found<'a>(&'a self, of: &TypeUse) -> Result<Found<'a>, Problem> {
        let mut of = of;
        // What is of the type of a head may go round.
        for _ in 0..=self.elements.len() {
            match of {
                TypeUse::BuiltIn(known) => return Ok(Found::BuiltIn(known)),
                TypeUse::Array => return Ok(Found::Array),
                TypeUse::Own(id) => return Ok(Found::Type(*id, &self.types[id.0])),
                TypeUse::Named(name, place) => {
                    return match self.named_types.get(name) {
                        Some(id) => Ok(Found::Type(*id, &self.types[id.0])),
                        // Nothing is known of it, so it is kept as it is.
                        None if self.is_foreign(name) => Ok(Found::BuiltIn(any_type())),
                        None => self.undefined("type", name, place),
                    };
                }
                TypeUse::OfHead(head, _) if self.is_foreign(head) => {
                    return Ok(Found::BuiltIn(any_type()));
                }
                TypeUse::OfHead(head, place) => of = &self.elements[self.global(head, place)?.0].of,
            }
        }
        let TypeUse::OfHead(name, place) = of else { return Ok(Found::Array) };
        let what = format!("the substitution group of {name} goes round");
        Err(Problem::new(place, what, "let one of the elements have a type"))
    }

    /// Is a name of a namespace that was imported, and of which no schema was found?
    pub(crate) fn is_foreign(&self, name: &Name) -> bool {
        self.foreign.contains(&name.namespace)
    }

    /// Is it a type of such a namespace, so that nothing is known of it?
    pub(crate) fn is_of_foreign(&self, of: &TypeUse) -> bool {
        let TypeUse::Named(name, _) = of else { return false };
        !self.named_types.contains_key(name) && self.is_foreign(name)
    }

    pub(crate) fn global(&self, name: &Name, place: &Place) -> Result<ElementId, Problem> {
        self.global_elements
            .get(name)
            .copied()
            .map_or_else(|| self.undefined("element", name, place), Ok)
    }

    pub(crate) fn group(&self, name: &Name, place: &Place) -> Result<&Group, Problem> {
        self.groups.get(name).map_or_else(|| self.undefined("group", name, place), Ok)
    }

    /// Are groups of attributes of this namespace left out? Those of the encoding are every element's.
    pub(crate) fn has_no_groups(&self, name: &Name) -> bool {
        !self.attribute_groups.contains_key(name)
            && (self.is_foreign(name) || name.is_of_encoding() || *name.namespace == *XML)
    }

    pub(crate) fn attribute_group(
        &self,
        name: &Name,
        place: &Place,
    ) -> Result<&AttributeGroup, Problem> {
        self.attribute_groups
            .get(name)
            .map_or_else(|| self.undefined("attribute group", name, place), Ok)
    }

    /// A global attribute; none of those of XML, which are known, and of the encoding.
    pub(crate) fn attribute(
        &self,
        name: &Name,
        place: &Place,
    ) -> Result<Option<&Attribute>, Problem> {
        match self.attributes.get(name) {
            Some(found) => Ok(Some(found)),
            None if *name.namespace == *XML || name.is_of_encoding() || self.is_foreign(name) => {
                Ok(None)
            }
            None => self.undefined("attribute", name, place),
        }
    }

    fn found_of(&self, attribute: &Attribute) -> Result<(), Problem> {
        attribute.of.as_ref().map_or(Ok(()), |of| self.found(of).map(|_| ()))
    }

    /// What a type is derived from, if that is said.
    pub(crate) fn base<'a>(&'a self, of: &Type) -> Result<Option<Found<'a>>, Problem> {
        let base = match &of.body {
            TypeBody::Simple(Simple::Restriction { base, .. }) => base,
            TypeBody::Simple(_) => return Ok(None),
            TypeBody::Complex(complex) => match &complex.derivation {
                Derivation::Own(_) => return Ok(None),
                Derivation::Extension { base, .. }
                | Derivation::Restriction { base, .. }
                | Derivation::Text { base, .. } => base,
            },
        };
        self.found(base).map(Some)
    }

    /// Does the derivation of a type come to an end?
    pub(super) fn check_end(&self, of: &Type) -> Result<(), Problem> {
        let (mut at, mut seen) = (of, HashSet::new());
        while let Some(Found::Type(base, next)) = self.base(at)? {
            if seen.len() > DEEPEST {
                let what = format!("more than {DEEPEST} types are derived from one another");
                return Err(Problem::new(&of.place, what, "derive fewer"));
            }
            if !seen.insert(base) {
                let shown = of.name.as_ref().map_or("a type".to_owned(), ToString::to_string);
                let what = format!("{shown} is derived from itself");
                return Err(Problem::new(&of.place, what, "derive it from another type"));
            }
            at = next;
        }
        Ok(())
    }

    fn check_type(&self, of: &Type) -> Result<(), Problem> {
        let complex = match &of.body {
            TypeBody::Simple(Simple::Restriction { base, .. }) => {
                return self.found(base).map(|_| ());
            }
            TypeBody::Simple(Simple::List { item }) => return self.found(item).map(|_| ()),
            TypeBody::Simple(Simple::Union { members }) => {
                return members.iter().try_for_each(|it| self.found(it).map(|_| ()));
            }
            TypeBody::Complex(complex) => complex,
        };
        let Complex { derivation, attributes, attribute_groups, items, .. } = &**complex;
        let own = match derivation {
            Derivation::Own(own)
            | Derivation::Extension { own, .. }
            | Derivation::Restriction { own, .. } => own.as_ref(),
            Derivation::Text { own, .. } => {
                own.as_ref().map_or(Ok(()), |it| self.found(it).map(|_| ()))?;
                None
            }
        };
        own.map_or(Ok(()), |it| self.check_particle(it))?;
        items.as_ref().map_or(Ok(()), |it| self.found(&it.of).map(|_| ()))?;
        self.check_attributes(attributes, attribute_groups)
    }

    fn check_particle(&self, particle: &Particle) -> Result<(), Problem> {
        let place = &particle.place;
        match &particle.term {
            Term::Element(_) | Term::Any(_) => Ok(()),
            Term::Reference(name) if self.is_foreign(name) => Ok(()),
            Term::Reference(name) => self.global(name, place).map(|_| ()),
            Term::Group(name) => self.group(name, place).map(|_| ()),
            Term::All(inside) | Term::Sequence(inside) | Term::Choice(inside) => {
                inside.iter().try_for_each(|it| self.check_particle(it))
            }
        }
    }

    fn check_attributes(
        &self,
        attributes: &[AttributeUse],
        groups: &[(Name, Place)],
    ) -> Result<(), Problem> {
        for (name, place) in groups.iter().filter(|it| !self.has_no_groups(&it.0)) {
            self.attribute_group(name, place)?;
        }
        attributes.iter().try_for_each(|it| match &it.what {
            AttributeTerm::Own(attribute) => self.found_of(attribute),
            AttributeTerm::Reference(name) => self.attribute(name, &it.place).map(|_| ()),
        })
    }

    /// The elements that may stand where this one is declared: itself unless it is abstract, and those of its
    /// substitution group.
    pub(crate) fn substitutes(&self, of: ElementId) -> Vec<ElementId> {
        let (mut all, mut seen, mut next) = (Vec::new(), HashSet::from([of]), vec![of]);
        let head = &self.elements[of.0];
        while let Some(id) = next.pop() {
            let element: &Element = &self.elements[id.0];
            if !element.is_abstract && self.may_stand_for(element, head) {
                all.push(id);
            }
            if !element.is_global || head.blocked.substitution {
                continue;
            }
            let members = self.substitutes.get(&element.name).into_iter().flatten();
            next.extend(members.filter(|it| seen.insert(**it)));
        }
        all.sort_unstable();
        // The head is first.
        all.sort_by_key(|it| *it != of);
        all
    }

    /// Is an element's type one that the head of its group does not block?
    pub(super) fn may_stand_for(&self, element: &Element, head: &Element) -> bool {
        let Ok(Found::Type(of_head, _)) = self.found(&head.of) else { return true };
        let Ok(mut found) = self.found(&element.of) else { return true };
        let blocked = self.blocked_of(of_head).or(head.blocked);
        // That derivations end is checked where they are used.
        for _ in 0..=self.types.len() {
            let Found::Type(id, of) = found else { return true };
            if id == of_head {
                return true;
            }
            if blocked.blocks(of) {
                return false;
            }
            match self.base(of) {
                Ok(Some(base)) => found = base,
                _ => return true,
            }
        }
        true
    }

    /// What a type blocks by itself.
    pub(super) fn blocked_of(&self, of: TypeId) -> Blocked {
        match &self.types[of.0].body {
            TypeBody::Complex(complex) => complex.blocked,
            TypeBody::Simple(_) => Blocked::default(),
        }
    }

    /// The types that `xsi:type` may name where this one is declared, by an element that blocks these: those derived from
    /// it, at any distance.
    pub(crate) fn derived(&self, of: TypeId, blocked: Blocked) -> Vec<TypeId> {
        let blocked = self.blocked_of(of).or(blocked);
        let (mut all, mut next) = (Vec::new(), vec![of]);
        while let Some(id) = next.pop() {
            let more = self.derived.get(&id).into_iter().flatten();
            let more = more.filter(|it| !blocked.blocks(&self.types[it.0]));
            next.extend(more.clone());
            all.extend(more);
        }
        all.sort_unstable();
        all
    }

    /// An element, wherever it is declared.
    pub(crate) fn at(&self, element: ElementId) -> &Element {
        &self.elements[element.0]
    }
}
