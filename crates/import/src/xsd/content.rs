//! What may stand in an element, as members of a struct.

use std::sync::Arc;

use super::Schemas;
use super::component::{Derivation, ElementId, Occurs, Particle, Term, Type, TypeBody};
use super::lookup::Found;
use super::name::Name;
use crate::Problem;

/// Something of which a particle has some.
#[derive(Clone, Debug)]
pub(crate) enum Arm {
    Element(ElementId),
    /// Elements of these namespaces.
    Any(Arc<str>),
}

/// What becomes a member: one of some arms, or several.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// What it may be called, if it has no name by itself.
    pub(crate) name: Arc<str>,
    pub(crate) arms: Vec<Arm>,
    pub(crate) least: u32,
    pub(crate) most: Option<u32>,
}

/// Parts of the content of one type, with those of groups wherever they stand.
const MOST: usize = 65_534;

/// Groups inside one another, and types derived from one another.
pub(super) const DEEPEST: usize = 256;

/// What is being looked into.
#[derive(Default)]
struct Open<'a> {
    groups: Vec<&'a Name>,
    /// The parts so far.
    count: usize,
}

impl Item {
    fn is_single(&self) -> bool {
        self.most == Some(1)
    }
}

impl Schemas {
    /// The content of a type, that of its base first; nothing of one with text alone.
    pub(crate) fn content(&self, of: &Type) -> Result<Vec<Item>, Problem> {
        self.check_end(of)?;
        let mut particles = Vec::new();
        self.particles_of(of, &mut particles, 0)?;
        let mut items = Vec::new();
        if self.extends_any(of)? {
            let (name, arms) = ("any".into(), vec![Arm::Any("##any".into())]);
            items.push(Item { name, arms, least: 0, most: None });
        }
        let mut open = Open::default();
        for particle in particles {
            self.flatten(particle, false, &mut items, &mut open)?;
        }
        self.told_apart(items)
    }

    /// Do its elements stand in any order, as in an `all`?
    pub(super) fn is_in_any_order(&self, of: &Type) -> Result<bool, Problem> {
        let mut particles = Vec::new();
        self.particles_of(of, &mut particles, 0)?;
        let is_all = |particle: &Particle| match &particle.term {
            Term::All(_) => Ok(true),
            Term::Group(name) => {
                let inside = &self.group(name, &particle.place)?.particle;
                Ok(matches!(inside.term, Term::All(_)))
            }
            _ => Ok(false),
        };
        particles.into_iter().try_fold(false, |found, it| Ok(found || is_all(it)?))
    }

    /// Does it extend the type that allows everything, be it by way of others?
    pub(super) fn extends_any(&self, of: &Type) -> Result<bool, Problem> {
        let mut of = of;
        for _ in 0..=self.types.len() {
            let TypeBody::Complex(complex) = &of.body else { return Ok(false) };
            let Derivation::Extension { base, .. } = &complex.derivation else { return Ok(false) };
            of = match self.found(base)? {
                Found::BuiltIn(base) => return Ok(base.is_any()),
                Found::Type(_, base) => base,
                Found::Array => return Ok(false),
            };
        }
        Ok(false)
    }

    /// Is text allowed between the elements of a type?
    pub(crate) fn is_mixed(&self, of: &Type) -> Result<bool, Problem> {
        self.check_end(of)?;
        let TypeBody::Complex(complex) = &of.body else { return Ok(false) };
        if complex.is_mixed || self.extends_any(of)? {
            return Ok(true);
        }
        // An extension that adds nothing is as its base.
        match &complex.derivation {
            Derivation::Extension { base, own: None } => match self.found(base)? {
                Found::Type(_, base) => self.is_mixed(base),
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    pub(super) fn particles_of<'a>(
        &'a self,
        of: &'a Type,
        all: &mut Vec<&'a Particle>,
        depth: usize,
    ) -> Result<(), Problem> {
        let TypeBody::Complex(complex) = &of.body else { return Ok(()) };
        match &complex.derivation {
            Derivation::Own(own) | Derivation::Restriction { own, .. } => all.extend(own),
            Derivation::Extension { base, own } => {
                // That derivations end was checked.
                if let Found::Type(_, base) = self.found(base)?
                    && depth < self.types.len()
                {
                    self.particles_of(base, all, depth + 1)?;
                }
                all.extend(own);
            }
            Derivation::Text { .. } => {}
        }
        Ok(())
    }

    fn flatten<'a>(
        &'a self,
        particle: &'a Particle,
        is_optional: bool,
        items: &mut Vec<Item>,
        open: &mut Open<'a>,
    ) -> Result<(), Problem> {
        let Particle { least, most, term, place } = particle;
        open.count += 1;
        if open.count > MOST || open.groups.len() > DEEPEST {
            let what =
                format!("content of more than {MOST} parts, or in more than {DEEPEST} groups");
            return Err(Problem::new(place, what, "describe fewer in one type"));
        }
        if *most == Some(0) {
            return Ok(());
        }
        let least = if is_optional { 0 } else { *least };
        match term {
            Term::Element(id) => items.extend(self.element_item(*id, (least, *most))),
            Term::Reference(name) if self.is_foreign(name) => items.push(Item {
                name: name.local.clone(),
                arms: vec![Arm::Any(name.namespace.clone())],
                least,
                most: *most,
            }),
            Term::Reference(name) => {
                let id = self.global(name, place)?;
                items.extend(self.element_item(id, (least, *most)));
            }
            Term::Any(wildcard) => items.push(Item {
                name: "any".into(),
                arms: vec![Arm::Any(wildcard.namespaces.clone())],
                least,
                most: *most,
            }),
            Term::Group(name) => {
                if open.groups.contains(&name) {
                    let what = format!("the group {name} holds itself");
                    return Err(Problem::new(place, what, "put an element between"));
                }
                open.groups.push(name);
                let inside = &self.group(name, place)?.particle;
                self.flatten_group(std::slice::from_ref(inside), (least, *most), items, open)?;
                open.groups.pop();
            }
            Term::All(inside) | Term::Sequence(inside) => {
                self.flatten_group(inside, (least, *most), items, open)?;
            }
            Term::Choice(inside) => {
                self.flatten_choice(inside, (least, *most), items, open)?;
            }
        }
        Ok(())
    }

    /// An element, or one of those that may stand in its place.
    pub(super) fn element_item(&self, id: ElementId, (least, most): Occurs) -> Option<Item> {
        let arms: Vec<Arm> = self.substitutes(id).into_iter().map(Arm::Element).collect();
        // One that is abstract, and for which no other stands, is in no document.
        let name = self.at(id).name.local.clone();
        (!arms.is_empty()).then_some(Item { name, arms, least, most })
    }

    fn flatten_group<'a>(
        &'a self,
        inside: &'a [Particle],
        (least, most): Occurs,
        items: &mut Vec<Item>,
        open: &mut Open<'a>,
    ) -> Result<(), Problem> {
        if most == Some(1) {
            return inside.iter().try_for_each(|it| self.flatten(it, least == 0, items, open));
        }
        let mut found = Vec::new();
        inside.iter().try_for_each(|it| self.flatten(it, false, &mut found, open))?;
        match &mut *found {
            [] => {}
            [one] => {
                one.least = one.least.saturating_mul(least);
                one.most = one.most.and_then(|it| it.checked_mul(most?));
                items.push(found.remove(0));
            }
            _ => {
                let is_needed = least > 0 && found.iter().any(|it| it.least > 0);
                items.extend(run(found, u32::from(is_needed)));
            }
        }
        Ok(())
    }

    fn flatten_choice<'a>(
        &'a self,
        inside: &'a [Particle],
        (least, most): Occurs,
        items: &mut Vec<Item>,
        open: &mut Open<'a>,
    ) -> Result<(), Problem> {
        let mut found: Vec<Vec<Item>> = Vec::new();
        for particle in inside {
            let mut arm = Vec::new();
            self.flatten(particle, false, &mut arm, open)?;
            found.push(arm);
        }
        let count = found.len();
        found.retain(|it| !it.is_empty());
        let is_needed = least > 0
            && found.len() == count
            && !found.is_empty()
            && found.iter().all(|arm| arm.iter().any(|it| it.least > 0));
        if let [_] = &*found
            && most == Some(1)
        {
            let one = found.remove(0);
            items.extend(
                one.into_iter()
                    .map(|it| Item { least: if least == 0 { 0 } else { it.least }, ..it }),
            );
            return Ok(());
        }
        let is_plain = found.iter().all(|arm| matches!(&**arm, [one] if one.is_single()));
        let all: Vec<Item> = found.into_iter().flatten().collect();
        match most {
            Some(1) if is_plain => {
                let arms = all.into_iter().flat_map(|it| it.arms).collect();
                let name = "choice".into();
                let least = u32::from(is_needed);
                items.push(Item { name, arms, least, most: Some(1) });
            }
            // Which of them are there together is not said then.
            Some(1) => items.extend(all.into_iter().map(|it| Item { least: 0, ..it })),
            _ => items.extend(run(all, u32::from(is_needed))),
        }
        Ok(())
    }

    /// The items, if no two of them have an element of one name; else one list of all, in which they are told
    /// apart by their order.
    fn told_apart(&self, items: Vec<Item>) -> Result<Vec<Item>, Problem> {
        let items = items.into_iter().map(|it| self.distinct(it)).collect::<Result<Vec<_>, _>>()?;
        let mut names: Vec<&Name> = Vec::new();
        let (mut wildcards, mut is_distinct) = (0, true);
        for arm in items.iter().flat_map(|it| &it.arms) {
            match arm {
                Arm::Any(_) => wildcards += 1,
                Arm::Element(id) => names.push(&self.at(*id).name),
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        is_distinct &= names.len() == count && wildcards <= 1;
        // What is between elements of any name would move.
        match is_distinct {
            true => Ok(items),
            false => {
                let least = u32::from(items.iter().any(|it| it.least > 0));
                let all: Vec<Item> = run(items, least).into_iter().collect();
                all.into_iter().map(|it| self.distinct(it)).collect()
            }
        }
    }

    /// Without arms that others are as well.
    fn distinct(&self, item: Item) -> Result<Item, Problem> {
        let mut arms: Vec<Arm> = Vec::new();
        for arm in item.arms {
            match &arm {
                Arm::Element(id) => {
                    let element = self.at(*id);
                    let known = arms.iter().find_map(|it| match it {
                        Arm::Element(other) if self.at(*other).name == element.name => Some(*other),
                        _ => None,
                    });
                    match known {
                        None => arms.push(arm),
                        Some(other) if self.are_of_one_type(other, *id)? => {}
                        Some(_) => {
                            let what = format!("two elements {} of different types", element.name);
                            let remedy = "let them be of one type, or give them different names";
                            return Err(Problem::new(&element.place, what, remedy));
                        }
                    }
                }
                Arm::Any(namespaces) => {
                    let known = arms.iter_mut().find_map(|it| match it {
                        Arm::Any(known) => Some(known),
                        Arm::Element(_) => None,
                    });
                    match known {
                        None => arms.push(arm),
                        Some(known) if known == namespaces => {}
                        Some(known) => *known = "##any".into(),
                    }
                }
            }
        }
        Ok(Item { arms, ..item })
    }

    fn are_of_one_type(&self, one: ElementId, other: ElementId) -> Result<bool, Problem> {
        let found = |it: ElementId| self.found(&self.at(it).of);
        Ok(one == other
            || match (found(one)?, found(other)?) {
                (Found::BuiltIn(one), Found::BuiltIn(other)) => one.name == other.name,
                (Found::Type(one, _), Found::Type(other, _)) => one == other,
                (Found::Array, Found::Array) => true,
                _ => false,
            })
    }
}

/// A list of all that is in these, in its order.
fn run(items: Vec<Item>, least: u32) -> Option<Item> {
    let arms: Vec<Arm> = items.into_iter().flat_map(|it| it.arms).collect();
    let item = Item { name: "content".into(), arms, least, most: None };
    Some(item).filter(|it| !it.arms.is_empty())
}
