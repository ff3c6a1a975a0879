//! Attributes of types, with those that they have from others.

use trunkline_message::Need;

use super::{Builder, Members};
use crate::Place;
use crate::Problem;
use crate::xsd::Schemas;
use crate::xsd::component::{
    Attribute, AttributeTerm, AttributeUse, Complex, Derivation, Presence, Type, TypeBody, TypeUse,
};
use crate::xsd::content::DEEPEST;
use crate::xsd::lookup::Found;
use crate::xsd::name::Name;

/// An attribute that an element may have.
#[derive(Debug)]
pub(super) struct Known<'a> {
    pub(super) name: Name,
    of: Option<&'a TypeUse>,
    is_required: bool,
    default: Option<&'a str>,
    fixed: Option<&'a str>,
}

impl<'a> Builder<'a> {
    /// The attributes of a type, those of its base first.
    pub(super) fn attributes(&self, of: &'a Type) -> Result<Vec<Known<'a>>, Problem> {
        self.schemas.check_end(of)?;
        let mut all = Vec::new();
        of_type(self.schemas, of, &mut all, 0)?;
        // Those of the encoding are every element's.
        all.retain(|it| !it.name.is_of_encoding());
        Ok(all)
    }

    pub(super) fn attribute(
        &mut self,
        members: &mut Members,
        attribute: Known<'a>,
    ) -> Result<(), Problem> {
        let Known { name, of, is_required, default, fixed } = attribute;
        let text =
            TypeUse::BuiltIn(crate::xsd::builtin::BuiltIn::of("string").expect("it is known"));
        let of = of.filter(|it| !self.schemas.is_of_foreign(it));
        let found = self.schemas.values(of.unwrap_or(&text))?;
        let Some(mut values) = found else {
            let place = members_place(of, self.schemas);
            let what = format!("the attribute {name} is of a type with elements or attributes");
            return Err(Problem::new(&place, what, "give it a simple type"));
        };
        if let Some(fixed) = fixed {
            values.fix(fixed);
        }
        let held = self.value(values, &name.local);
        let default = default.or(fixed).filter(|_| !is_required);
        let default = default.and_then(|it| self.default(&held, it));
        let need = match (&default, is_required) {
            (Some(_), _) => Need::Implied,
            (None, true) => Need::Required,
            (None, false) => Need::Optional,
        };
        let member = members.add(&name.local, held.of, need);
        self.note(member, "kind", "attribute");
        if members.name_of(member) != &*name.local {
            self.note(member, "name", &name.local);
        }
        if !name.namespace.is_empty() {
            self.note(member, "namespace", &name.namespace);
        }
        self.note_values(member, &held);
        if let Some(default) = default {
            self.types.notes().note_member(member, "field", "default", &default);
        }
        Ok(())
    }
}

fn members_place(of: Option<&TypeUse>, schemas: &Schemas) -> Place {
    match of.map(|it| schemas.found(it)) {
        Some(Ok(Found::Type(_, of))) => of.place.clone(),
        _ => Place { file: "".into(), line: 1, column: 1 },
    }
}

fn of_type<'a>(
    schemas: &'a Schemas,
    of: &'a Type,
    all: &mut Vec<Known<'a>>,
    depth: usize,
) -> Result<(), Problem> {
    let TypeBody::Complex(complex) = &of.body else { return Ok(()) };
    let Complex { derivation, attributes, attribute_groups, .. } = &**complex;
    let base = match derivation {
        Derivation::Own(_) => None,
        Derivation::Extension { base, .. }
        | Derivation::Restriction { base, .. }
        | Derivation::Text { base, .. } => Some(base),
    };
    // That derivations end was checked.
    if let Some(base) = base
        && let Found::Type(_, base) = schemas.found(base)?
        && depth < schemas.types.len()
    {
        of_type(schemas, base, all, depth + 1)?;
    }
    add(schemas, attributes, attribute_groups, all, &mut Vec::new())
}

fn add<'a>(
    schemas: &'a Schemas,
    attributes: &'a [AttributeUse],
    groups: &'a [(Name, Place)],
    all: &mut Vec<Known<'a>>,
    seen: &mut Vec<&'a Name>,
) -> Result<(), Problem> {
    for attribute in attributes {
        let (name, declared): (&Name, Option<&Attribute>) = match &attribute.what {
            AttributeTerm::Own(own) => (&own.name, Some(own)),
            AttributeTerm::Reference(name) => (name, schemas.attribute(name, &attribute.place)?),
        };
        all.retain(|it| it.name != *name);
        if attribute.presence == Presence::Prohibited {
            continue;
        }
        let said = |own: &'a Option<String>, of: fn(&'a Attribute) -> Option<&'a str>| {
            own.as_deref().or(declared.and_then(of))
        };
        all.push(Known {
            name: name.clone(),
            of: declared.and_then(|it| it.of.as_ref()),
            is_required: attribute.presence == Presence::Required,
            default: said(&attribute.default, |it| it.default.as_deref()),
            fixed: said(&attribute.fixed, |it| it.fixed.as_deref()),
        });
    }
    for (name, place) in groups.iter().filter(|it| !schemas.has_no_groups(&it.0)) {
        // Once is enough, also of one that holds itself.
        if seen.contains(&name) {
            continue;
        }
        if seen.len() > DEEPEST {
            let what = format!("more than {DEEPEST} groups of attributes of one type");
            return Err(Problem::new(place, what, "put them together"));
        }
        seen.push(name);
        let group = schemas.attribute_group(name, place)?;
        add(schemas, &group.attributes, &group.groups, all, seen)?;
    }
    Ok(())
}
