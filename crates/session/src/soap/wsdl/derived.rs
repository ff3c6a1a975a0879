//! Choices by type: which types tell their arms, and which of those are derived from which (XML Schema
//! part 1, section 3.4).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use trunkline_message::{Field, Holds, Layout, ScopeId, Shape};
use trunkline_soap::{QName, is_by_type, is_declared_type, is_text, is_typed, type_of_arm};

/// XML Schema's own namespace.
pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// A choice by type. Two of one name with the same arms are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByType {
    /// The choice's own name, in the namespace that is noted of it.
    name: QName,
    arms: Vec<Arm>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Arm {
    name: QName,
    kind: ArmKind,
    is_base: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArmKind {
    /// A value or an enumeration.
    Value,
    /// A struct that is a text with attributes.
    Text,
    /// What has elements inside.
    Struct,
}

/// The type that an element is declared to have which is a choice by type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// `xsd:anyType`: no other type has all arms below it.
    Any,
    /// That of an arm; the others are derived from it.
    Base(QName),
    /// One of this name of which there is nothing itself.
    Abstract(QName),
}

/// Is a scope by itself a choice by type?
pub(super) fn is_typed_scope(layout: &Layout, id: ScopeId) -> bool {
    let scope = layout.scope(id);
    let place = || layout.field_of(id);
    scope.shape == Shape::Choice
        && place().is_some_and(|it| is_by_type(layout, it.member, scope.of))
}

impl ByType {
    /// The choice of this type whose arms these fields of a scope are, in a message of the namespace.
    pub(super) fn new(layout: &Layout, id: ScopeId, arms: Range<usize>, own: &str) -> Self {
        let fields = &layout.scope(id).fields[arms];
        let choice = fields.first().map_or(layout.scope(id).of, |it| it.member.of);
        let noted = layout.notes().of_type(choice, "xml", "namespace");
        let name = QName::new(noted.unwrap_or(own), &*layout.schema().type_of(choice).name);
        let arm = |field: &Field| Arm {
            // What has no name is rejected with the plan.
            name: type_of_arm(layout, field, own).unwrap_or_default(),
            kind: kind(layout, field),
            is_base: is_declared_type(layout, field),
        };
        Self { name, arms: fields.iter().map(arm).collect() }
    }

    /// All in a message.
    fn all(layout: &Layout, own: &str) -> Vec<Self> {
        let mut all = Vec::new();
        for (index, scope) in layout.scopes().iter().enumerate() {
            let id = ScopeId(index as u16);
            if is_typed_scope(layout, id) {
                all.push(Self::new(layout, id, 0..scope.fields.len(), own));
            }
            let typed = scope.components.iter().filter(|it| is_typed(layout, it));
            all.extend(typed.map(|it| Self::new(layout, id, it.fields.clone(), own)));
        }
        all
    }

    fn base(&self) -> Option<&Arm> {
        self.arms.iter().find(|it| it.is_base)
    }

    fn others(&self) -> impl Iterator<Item = &Arm> {
        self.arms.iter().filter(|it| !it.is_base)
    }
}

fn kind(layout: &Layout, arm: &Field) -> ArmKind {
    match arm.holds {
        Holds::Struct(inner) => {
            let mut fields = layout.scope(inner).fields.iter();
            match fields.any(|it| it.component.is_none() && is_text(layout, it)) {
                true => ArmKind::Text,
                false => ArmKind::Struct,
            }
        }
        _ => ArmKind::Value,
    }
}

/// The types that XML Schema derives from another, next above them (part 2, section 3).
const DERIVED: [(&str, &str); 19] = [
    ("integer", "decimal"),
    ("long", "integer"),
    ("int", "long"),
    ("short", "int"),
    ("byte", "short"),
    ("nonNegativeInteger", "integer"),
    ("positiveInteger", "nonNegativeInteger"),
    ("unsignedLong", "nonNegativeInteger"),
    ("unsignedInt", "unsignedLong"),
    ("unsignedShort", "unsignedInt"),
    ("unsignedByte", "unsignedShort"),
    ("nonPositiveInteger", "integer"),
    ("negativeInteger", "nonPositiveInteger"),
    ("normalizedString", "string"),
    ("token", "normalizedString"),
    ("language", "token"),
    ("NMTOKEN", "token"),
    ("Name", "token"),
    ("NCName", "Name"),
];

/// Is a type of XML Schema another, or derived from it?
fn is_below(local: &str, base: &str) -> bool {
    let above = || DERIVED.iter().find(|it| it.0 == local);
    local == base || above().is_some_and(|it| is_below(it.1, base))
}

/// What all choices by type of a description say together.
#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    choices: Vec<ByType>,
    /// Of a type, those that it has to be derived from.
    above: HashMap<QName, Vec<Declared>>,
}

impl Hierarchy {
    /// That of all messages of a namespace, the names of whose types are the same in all its forms.
    pub(super) fn of<'a>(namespace: &str, layouts: impl Iterator<Item = &'a Arc<Layout>>) -> Self {
        let mut hierarchy = Self::default();
        for layout in layouts {
            for choice in ByType::all(layout, namespace) {
                if !hierarchy.choices.contains(&choice) {
                    hierarchy.choices.push(choice);
                }
            }
        }
        for choice in &hierarchy.choices {
            let declared = hierarchy.declared(choice);
            for arm in choice.others().filter(|_| declared != Declared::Any) {
                let above = hierarchy.above.entry(arm.name.clone()).or_default();
                if !above.contains(&declared) {
                    above.push(declared.clone());
                }
            }
        }
        hierarchy
    }

    /// The type of an element that is the choice.
    pub(super) fn declared(&self, choice: &ByType) -> Declared {
        let are_structs = choice.arms.iter().all(|it| it.kind != ArmKind::Value);
        let xsd = |arm: &Arm| (arm.name.namespace == XSD).then(|| arm.name.local.clone());
        match choice.base() {
            Some(base) if are_structs || choice.arms.len() == 1 => {
                Declared::Base(base.name.clone())
            }
            Some(base) => {
                let is_above = |arm: &Arm| {
                    xsd(arm).zip(xsd(base)).is_some_and(|(arm, base)| is_below(&arm, &base))
                };
                match choice.others().all(is_above) {
                    true => Declared::Base(base.name.clone()),
                    false => Declared::Any,
                }
            }
            None if choice.arms.iter().all(|it| self.is_free(choice, it)) => {
                Declared::Abstract(choice.name.clone())
            }
            None => Declared::Any,
        }
    }

    /// May an arm be derived from a type that is but this choice's? A type is derived from one other.
    fn is_free(&self, choice: &ByType, arm: &Arm) -> bool {
        let mut others = self.choices.iter().filter(|it| *it != choice).flat_map(|it| &it.arms);
        let mut names = self.choices.iter().flat_map(|it| &it.arms);
        arm.kind == ArmKind::Struct
            && others.all(|it| it.name != arm.name)
            && names.all(|it| it.name != choice.name)
    }

    /// The type next above that of an arm: of those that it has to be derived from, the one that is itself
    /// derived from the others.
    ///
    /// # Errors
    /// They are not above one another.
    pub(super) fn above(&self, name: &QName) -> Result<Option<&Declared>, String> {
        let Some(all) = self.above.get(name) else { return Ok(None) };
        let is_nearest = |it: &&Declared| {
            let others = all.iter().filter(|other| other != it);
            others.into_iter().all(|other| self.is_derived(it, other, self.above.len()))
        };
        let itself = Declared::Base(name.clone());
        match all.iter().find(is_nearest) {
            Some(nearest) if !self.is_derived(nearest, &itself, self.above.len()) => {
                Ok(Some(nearest))
            }
            _ => Err(format!(
                "the type {name} would be derived from two types of which none is derived from the \
                 other: let one of the choices by type have no base"
            )),
        }
    }

    /// `depth` bounds the way where types are derived from one another in a circle.
    fn is_derived(&self, from: &Declared, base: &Declared, depth: usize) -> bool {
        let Declared::Base(name) = from else { return false };
        let above = self.above.get(name).map(|it| &**it).unwrap_or_default();
        let further = |it: &Declared| depth > 0 && self.is_derived(it, base, depth - 1);
        above.iter().any(|it| it == base || further(it))
    }
}
