//! Does what restricts a type restrict it (part 1, sections 3.4.6, 3.9.6, 3.10.6 and 4.2.2)?
//!
//! Compared is what is certain without an order: which elements and attributes there are, how often at least and at most,
//! and what wildcards take. Whatever cannot be told is taken.

use std::collections::BTreeMap;

use super::Schemas;
use super::component::{
    AttributeGroup, AttributeTerm, AttributeUse, Complex, Derivation, ElementId, Particle,
    Presence, Term, Type, TypeBody,
};
use super::content::DEEPEST;
use super::lookup::Found;
use super::name::Name;
use super::wildcard::Wildcard;
use crate::{Place, Problem};

/// Parts that are looked at in all; of a schema with more, the rest is taken.
const MOST: usize = 1_000_000;

const REMEDY: &str = "restrict it, or extend the base";

/// How often an element stands in a content.
#[derive(Clone, Copy, Debug)]
struct Times {
    least: u64,
    /// None for any number.
    most: Option<u64>,
    /// Is it in no substitution group?
    is_alone: bool,
}

/// What stands in a content, in whatever order.
#[derive(Debug, Default)]
struct Inside<'a> {
    elements: BTreeMap<&'a Name, Times>,
    wildcards: Vec<&'a Wildcard>,
}

/// The attributes of a type or a group.
#[derive(Debug, Default)]
struct Attributes<'a> {
    /// The innermost of a name counts.
    uses: BTreeMap<&'a Name, &'a AttributeUse>,
    wildcards: Vec<&'a Wildcard>,
    /// Is there more, of which nothing is known?
    is_cut: bool,
}

impl Schemas {
    /// # Errors
    /// A type that is derived by restriction allows what its base does not.
    pub(super) fn check_restrictions(&self) -> Result<(), Problem> {
        let mut budget = MOST;
        self.types.iter().try_for_each(|of| self.check_restriction(of, &mut budget))
    }

    fn check_restriction(&self, of: &Type, budget: &mut usize) -> Result<(), Problem> {
        let TypeBody::Complex(complex) = &of.body else { return Ok(()) };
        let base = match &complex.derivation {
            Derivation::Restriction { base, .. }
            | Derivation::Text { base, is_extension: false, .. } => base,
            _ => return Ok(()),
        };
        let Found::Type(_, base @ Type { body: TypeBody::Complex(_), .. }) = self.found(base)?
        else {
            return Ok(());
        };
        // What allows everything, and what an array holds, is restricted by whatever is said.
        if self.is_open_below(base)? {
            return Ok(());
        }
        let shown = |it: &Type| it.name.as_ref().map_or("a type".to_owned(), ToString::to_string);
        let reject = |place: &Place, what: String| {
            let what = format!("{} is a restriction of {}, {what}", shown(of), shown(base));
            Problem::new(place, what, REMEDY)
        };
        let (mut own, mut known) = (Attributes::default(), Attributes::default());
        self.add_attributes(&mut own, complex.own_attributes(), (&mut *budget, 0));
        self.add_inherited(&mut known, base, (&mut *budget, 0))?;
        self.check_attributes_of(&own, &known, budget)
            .map_err(|(use_of, what)| reject(use_of.map_or(&of.place, |it| &it.place), what))?;
        if !matches!(complex.derivation, Derivation::Restriction { .. }) {
            return Ok(());
        }
        match (self.inside(of, budget)?, self.inside(base, budget)?) {
            (Some(own), Some(base)) => {
                check_inside(&own, &base, budget).map_err(|what| reject(&of.place, what))
            }
            _ => Ok(()),
        }
    }

    /// A group of attributes that is redefined without itself restricts what it was (part 1, section 4.2.2).
    ///
    /// # Errors
    /// It has what it did not have.
    pub(super) fn check_redefined_group(
        &self,
        name: &Name,
        former_name: &Name,
        place: &Place,
    ) -> Result<(), Problem> {
        let groups = &self.attribute_groups;
        let (Some(group), Some(former)) = (groups.get(name), groups.get(former_name)) else {
            return Ok(());
        };
        if group.groups.iter().any(|it| it.0 == *former_name) {
            return Ok(());
        }
        let (mut own, mut known) = (Attributes::default(), Attributes::default());
        let mut budget = MOST;
        self.add_attributes(&mut own, group.own_attributes(), (&mut budget, 0));
        self.add_attributes(&mut known, former.own_attributes(), (&mut budget, 0));
        self.check_attributes_of(&own, &known, &mut budget).map_err(|(use_of, what)| {
            let what = format!("{name} is redefined without itself, so restricts itself, {what}");
            Problem::new(use_of.map_or(place, |it| &it.place), what, "take it out, or refer to it")
        })
    }

    /// Is a type derived from an array, or does it extend the type that allows everything?
    fn is_open_below(&self, of: &Type) -> Result<bool, Problem> {
        let mut at = of;
        // That derivations end was checked.
        loop {
            at = match self.base(at)? {
                Some(Found::Array) => return Ok(true),
                Some(Found::Type(_, base)) => base,
                _ => return self.extends_any(of),
            };
        }
    }

    /// What an element of a type has inside; none if that is not known.
    fn inside<'a>(
        &'a self,
        of: &'a Type,
        budget: &mut usize,
    ) -> Result<Option<Inside<'a>>, Problem> {
        let mut particles = Vec::new();
        self.particles_of(of, &mut particles, 0)?;
        let mut inside = Inside::default();
        for particle in particles {
            let Some(more) = self.inside_of(particle, budget, 0) else { return Ok(None) };
            inside.add(more);
        }
        Ok(Some(inside))
    }

    fn inside_of<'a>(
        &'a self,
        particle: &'a Particle,
        budget: &mut usize,
        depth: usize,
    ) -> Option<Inside<'a>> {
        *budget = budget.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let mut inside = Inside::default();
        if particle.most == Some(0) {
            return Some(inside);
        }
        match &particle.term {
            Term::Element(id) => inside.one(&self.at(*id).name, self.is_alone(*id)),
            Term::Reference(name) => {
                inside.one(name, self.is_alone(*self.global_elements.get(name)?));
            }
            // An empty list of namespaces takes nothing.
            Term::Any(wildcard) if wildcard.namespaces.is_empty() => {}
            Term::Any(wildcard) => inside.wildcards.push(wildcard),
            Term::Group(name) => {
                inside = self.inside_of(&self.groups.get(name)?.particle, budget, depth + 1)?;
            }
            Term::All(all) | Term::Sequence(all) => {
                for it in all {
                    inside.add(self.inside_of(it, budget, depth + 1)?);
                }
            }
            Term::Choice(arms) => inside = self.inside_of_choice(arms, budget, depth + 1)?,
        }
        // What is copied from group to group costs as well.
        *budget = budget.checked_sub(inside.elements.len())?;
        for times in inside.elements.values_mut() {
            times.least = times.least.saturating_mul(particle.least.into());
            let both = times.most.zip(particle.most);
            times.most = both.map(|(one, all)| one.saturating_mul(all.into()));
        }
        Some(inside)
    }

    fn inside_of_choice<'a>(
        &'a self,
        arms: &'a [Particle],
        budget: &mut usize,
        depth: usize,
    ) -> Option<Inside<'a>> {
        let (mut inside, mut count) = (Inside::default(), 0);
        let mut counts: BTreeMap<&Name, usize> = BTreeMap::new();
        for it in arms.iter().filter(|it| it.most != Some(0)) {
            let arm = self.inside_of(it, budget, depth)?;
            // One rule passes over an arm with nothing in it, another one does not.
            if arm.elements.is_empty() && arm.wildcards.is_empty() {
                return None;
            }
            count += 1;
            arm.elements.keys().for_each(|it| *counts.entry(it).or_default() += 1);
            inside.or(arm);
        }
        // What is not in every arm may be absent.
        for (name, times) in &mut inside.elements {
            if counts[name] < count {
                times.least = 0;
            }
        }
        (count > 0).then_some(inside)
    }

    /// Does nothing stand for an element, and it for no other?
    fn is_alone(&self, id: ElementId) -> bool {
        let element = self.at(id);
        // A local one may have the name of a member of a group.
        let global = self.global_elements.get(&element.name);
        element.substitutes.is_none()
            && !self.substitutes.contains_key(&element.name)
            && global.is_none_or(|it| self.at(*it).substitutes.is_none())
    }

    /// Attributes of a type and those that it takes over from its base.
    fn add_inherited<'a>(
        &'a self,
        into: &mut Attributes<'a>,
        of: &'a Type,
        (budget, depth): (&mut usize, usize),
    ) -> Result<(), Problem> {
        let TypeBody::Complex(complex) = &of.body else { return Ok(()) };
        self.add_attributes(into, complex.own_attributes(), (&mut *budget, depth));
        let (base, is_restriction) = match &complex.derivation {
            Derivation::Own(_) => return Ok(()),
            Derivation::Extension { base, .. } => (base, false),
            Derivation::Restriction { base, .. } => (base, true),
            Derivation::Text { base, is_extension, .. } => (base, !is_extension),
        };
        match self.found(base)? {
            // Of a namespace of which no schema is there, nothing is known.
            _ if self.is_of_foreign(base) => into.is_cut = true,
            Found::Type(_, base) if depth < DEEPEST => {
                let wildcards = into.wildcards.len();
                self.add_inherited(into, base, (&mut *budget, depth + 1))?;
                if is_restriction {
                    // It takes no wildcard over.
                    into.wildcards.truncate(wildcards);
                }
            }
            Found::BuiltIn(base) if is_restriction || base.is_simple() => {}
            _ => into.is_cut = true,
        }
        Ok(())
    }

    fn add_attributes<'a>(
        &'a self,
        into: &mut Attributes<'a>,
        (uses, groups, wildcard, is_group): OwnAttributes<'a>,
        (budget, depth): (&mut usize, usize),
    ) {
        let cost = 1 + uses.len() + groups.len();
        if depth > DEEPEST || *budget < cost {
            into.is_cut = true;
            return;
        }
        *budget -= cost;
        into.wildcards.extend(wildcard.filter(|it| !it.namespaces.is_empty()));
        for it in uses {
            // What a group prohibits is nothing, and what a type prohibits says nothing of its groups.
            if is_group && it.presence == Presence::Prohibited {
                continue;
            }
            let name = match &it.what {
                AttributeTerm::Own(own) => &own.name,
                AttributeTerm::Reference(name) => name,
            };
            let known = into.uses.entry(name).or_insert(it);
            if is_group && known.presence == Presence::Prohibited {
                *known = it;
            }
        }
        for (name, _) in groups {
            match self.attribute_groups.get(name) {
                Some(group) => {
                    let inner = (&mut *budget, depth + 1);
                    self.add_attributes(into, group.own_attributes(), inner);
                }
                None => into.is_cut = true,
            }
        }
    }

    /// What is wrong with attributes, and with which of them.
    fn check_attributes_of<'a>(
        &self,
        own: &Attributes<'a>,
        base: &Attributes<'_>,
        budget: &mut usize,
    ) -> Result<(), (Option<&'a AttributeUse>, String)> {
        if own.is_cut || base.is_cut || !can_pay(budget, own.uses.len(), &base.wildcards) {
            return Ok(());
        }
        let is_wild = |it: &Name| base.wildcards.iter().any(|any| any.allows(&it.namespace));
        for (name, it) in &own.uses {
            let what = match base.uses.get(name) {
                Some(known) if known.presence == Presence::Prohibited => continue,
                Some(known)
                    if known.presence == Presence::Required
                        && it.presence != Presence::Required =>
                {
                    format!("which requires the attribute {name}")
                }
                Some(_) if it.presence == Presence::Prohibited => continue,
                Some(known) if self.is_fixed(known) && !self.is_fixed(it) => {
                    format!("where the attribute {name} is fixed")
                }
                Some(_) => continue,
                None if it.presence == Presence::Prohibited || is_wild(name) => continue,
                None => format!("which has no attribute {name}"),
            };
            return Err((Some(*it), what));
        }
        // Of several, what all of them take counts.
        match own.wildcards.len() {
            1 => check_wildcards(&own.wildcards, &base.wildcards, ("attributes", budget))
                .map_err(|what| (None, what)),
            _ => Ok(()),
        }
    }

    fn is_fixed(&self, of: &AttributeUse) -> bool {
        of.fixed.is_some()
            || match &of.what {
                AttributeTerm::Own(own) => own.fixed.is_some(),
                // One of which nothing is known may be.
                AttributeTerm::Reference(name) => {
                    self.attributes.get(name).is_none_or(|it| it.fixed.is_some())
                }
            }
    }
}

/// The attributes, groups and wildcard that a type or group has by itself, and whether it is a group.
type OwnAttributes<'a> = (&'a [AttributeUse], &'a [(Name, Place)], Option<&'a Wildcard>, bool);

impl Complex {
    fn own_attributes(&self) -> OwnAttributes<'_> {
        (&self.attributes, &self.attribute_groups, self.any_attribute.as_ref(), false)
    }
}

impl AttributeGroup {
    fn own_attributes(&self) -> OwnAttributes<'_> {
        (&self.attributes, &self.groups, self.any_attribute.as_ref(), true)
    }
}

impl<'a> Inside<'a> {
    fn one(&mut self, name: &'a Name, is_alone: bool) {
        self.elements.insert(name, Times { least: 1, most: Some(1), is_alone });
    }

    /// What stands beside it.
    fn add(&mut self, more: Self) {
        for (name, more) in more.elements {
            let known = self.elements.entry(name);
            let known = known.or_insert(Times { least: 0, most: Some(0), is_alone: true });
            known.least = known.least.saturating_add(more.least);
            known.most = known.most.zip(more.most).map(|it| it.0.saturating_add(it.1));
            known.is_alone &= more.is_alone;
        }
        self.wildcards.extend(more.wildcards);
    }

    /// What stands in its place.
    fn or(&mut self, arm: Self) {
        for (name, arm) in arm.elements {
            let known = self.elements.entry(name).or_insert(arm);
            known.least = known.least.min(arm.least);
            known.most = known.most.zip(arm.most).map(|it| it.0.max(it.1));
            known.is_alone &= arm.is_alone;
        }
        self.wildcards.extend(arm.wildcards);
    }
}

/// What is wrong with a content.
fn check_inside(own: &Inside<'_>, base: &Inside<'_>, budget: &mut usize) -> Result<(), String> {
    if !can_pay(budget, own.elements.len(), &base.wildcards) {
        return Ok(());
    }
    let is_wild = |it: &Name| base.wildcards.iter().any(|any| any.allows(&it.namespace));
    for (name, times) in own.elements.iter().filter(|it| it.1.is_alone && !is_wild(it.0)) {
        let Some(known) = base.elements.get(name) else {
            return Err(format!("which has no element {name}"));
        };
        if let Some(most) = known.most.filter(|_| known.is_alone)
            && times.most.is_none_or(|own| own > most)
        {
            return Err(format!("which has {name} {most} times at most"));
        }
    }
    for (name, known) in base.elements.iter().filter(|it| it.1.is_alone) {
        if own.elements.get(name).map_or(0, |it| it.least) < known.least {
            return Err(format!("which has {name} {} times at least", known.least));
        }
    }
    check_wildcards(&own.wildcards, &base.wildcards, ("elements", budget))
}

/// Is so many times a look at wildcards within what is left?
fn can_pay(budget: &mut usize, times: usize, wildcards: &[&Wildcard]) -> bool {
    let one: usize = wildcards.iter().map(|it| it.namespaces.len()).sum();
    let left = one.checked_mul(times).and_then(|cost| budget.checked_sub(cost));
    *budget = left.unwrap_or(0);
    left.is_some()
}

/// Do these take what those of the base take, and ask for as much? Which of several takes what is not looked at.
fn check_wildcards(
    own: &[&Wildcard],
    base: &[&Wildcard],
    (what, budget): (&str, &mut usize),
) -> Result<(), String> {
    let length = own.iter().map(|it| it.namespaces.len()).sum();
    match base {
        _ if own.is_empty() || !can_pay(budget, length, base) => Ok(()),
        [] => Err(format!("which takes no {what} of any name")),
        [base] if !own.iter().all(|it| base.takes(it)) => {
            Err(format!("which takes {what} of other namespaces only"))
        }
        [base] if own.iter().any(|it| it.process < base.process) => {
            Err(format!("which checks {what} of any name more (processContents)"))
        }
        _ => Ok(()),
    }
}
