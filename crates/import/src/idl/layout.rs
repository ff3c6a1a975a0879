//! From a type of IDL to its layout.

use std::collections::{HashMap, HashSet};

use trunkline_message::{IntegerKind, Kind, Layout, MemberId, Need, TypeId, Types};

use super::Specification;
use super::declaration::{
    Body, Case, Constant, Declaration, DeclarationId, Member, Type, Typed, Union,
};
use crate::names;
use crate::problem::{Place, Problem};

/// A layout, and which declaration each of its types is that has a name in IDL.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The layout.
    pub layout: Layout,
    /// The structs, unions, exceptions and enumerations in it.
    pub types: HashMap<TypeId, DeclarationId>,
}

pub(super) fn layout(
    specification: &Specification,
    of: DeclarationId,
) -> Result<Declared, Problem> {
    let mut builder = Builder { specification, types: Types::default(), known: HashMap::new() };
    let declaration = specification.declaration(of);
    let place = &declaration.place;
    let (of, declaration) = builder.resolved(of);
    let is_message =
        matches!(declaration.body, Body::Struct(_) | Body::Exception(_) | Body::Union(_));
    if !is_message {
        let what = format!("{} is no struct, union or exception", declaration.name);
        return Err(Problem::new(place, what, "name one that is a message"));
    }
    let root = builder.named(of, place)?;
    builder.declared(root, &declaration.name, place)
}

/// The layout of members that belong to no declaration of types; none if there are none.
pub(super) fn of_members(
    specification: &Specification,
    name: &str,
    members: &[Member],
    place: &Place,
) -> Result<Option<Declared>, Problem> {
    if members.is_empty() {
        return Ok(None);
    }
    let mut builder = Builder { specification, types: Types::default(), known: HashMap::new() };
    let root = builder.types.declare(name);
    let described = builder.members(root, members)?;
    builder.types.set_body(root, trunkline_message::Body::Struct(described));
    builder.declared(root, name, place).map(Some)
}

struct Builder<'a> {
    specification: &'a Specification,
    types: Types,
    known: HashMap<DeclarationId, TypeId>,
}

/// What is added to a struct or choice, one member after the other.
struct Members {
    of: TypeId,
    members: Vec<trunkline_message::Member>,
    taken: HashSet<String>,
}

impl Members {
    /// Adds a member of this name, or of the first like it that is not taken.
    fn add(&mut self, name: &str, of: TypeId, need: Need) -> MemberId {
        let name = names::untaken(name, &mut self.taken);
        self.members.push(trunkline_message::Member { name: name.into(), of, need });
        MemberId { of: self.of, index: self.members.len() as u32 - 1 }
    }
}

/// What CDR cannot be restricted to, and messages are.
#[derive(Default)]
struct Bounds {
    /// Of the lists in one another, the outermost first.
    items: Vec<Option<u32>>,
    length: Option<u32>,
}

impl<'a> Builder<'a> {
    /// The layout of what was described.
    fn declared(self, root: TypeId, name: &str, place: &Place) -> Result<Declared, Problem> {
        let Self { types, known, .. } = self;
        let layout = types
            .layout(root)
            .map_err(|error| Problem::new(place, format!("{name}: {error}"), "change it there"))?;
        Ok(Declared { layout, types: known.into_iter().map(|(of, id)| (id, of)).collect() })
    }

    fn resolved(&self, of: DeclarationId) -> (DeclarationId, &'a Declaration) {
        let of = self.specification.resolved(of);
        (of, self.specification.declaration(of))
    }

    /// The type of what has a name.
    fn named(&mut self, of: DeclarationId, used: &Place) -> Result<TypeId, Problem> {
        let (of, declaration) = self.resolved(of);
        if let Some(known) = self.known.get(&of) {
            return Ok(*known);
        }
        let name = declaration.name.rsplit("::").next().unwrap_or_default();
        let reject = |what: &str| {
            let what = format!("{} is {what}, for which there is no form", declaration.name);
            Err(Problem::new(used, what, "leave the member out, or describe it by structs"))
        };
        match &declaration.body {
            Body::Struct(members) | Body::Exception(members) => {
                // It has its place before its members have, which may hold it.
                let id = self.types.declare(name);
                self.known.insert(of, id);
                let described = self.members(id, members)?;
                self.types.set_body(id, trunkline_message::Body::Struct(described));
                Ok(id)
            }
            Body::Union(union) => {
                let id = self.types.declare(name);
                self.known.insert(of, id);
                let arms = self.arms(id, name, union)?;
                self.types.set_body(id, trunkline_message::Body::Choice(arms));
                Ok(id)
            }
            Body::Enum(values) => {
                let values: Vec<&str> = values.iter().map(|it| &**it).collect();
                let id = self.types.enumeration(name, &values);
                self.known.insert(of, id);
                Ok(id)
            }
            Body::Typedef(typed) => self.typed(typed, used),
            Body::Interface(_) | Body::Forward(_) => reject("an interface"),
            Body::Value(_) | Body::ValueBox(_) => reject("a value type"),
            Body::Native => reject("native"),
            Body::Module | Body::Const(..) => reject("no type"),
        }
    }

    fn members(
        &mut self,
        of: TypeId,
        members: &[Member],
    ) -> Result<Vec<trunkline_message::Member>, Problem> {
        let mut described = Members { of, members: Vec::new(), taken: HashSet::new() };
        for member in members {
            let (typed, need) = match self.optional(&member.typed) {
                Some(inner) => (&inner.typed, Need::Optional),
                None => (&member.typed, Need::Required),
            };
            let held = self.typed(typed, &member.place)?;
            let id = described.add(&member.name, held, need);
            self.note_bounds(id, typed);
        }
        Ok(described.members)
    }

    /// What a union holds that has it if its discriminator is `TRUE`, and nothing if not: in IDL this is how a member
    /// may be absent.
    fn optional(&self, typed: &Typed) -> Option<&'a Member> {
        let Type::Named(id) = self.bare(&typed.of) else { return None };
        let Body::Union(union) = &self.specification.declaration(id).body else { return None };
        let [Case { labels, member }] = &*union.cases else { return None };
        let is_it = typed.dimensions.is_empty()
            && self.bare(&union.discriminator) == Type::Boolean
            && **labels == [Some(Constant::Boolean(true))];
        is_it.then_some(member)
    }

    /// A type, and arrays of it.
    fn typed(&mut self, typed: &Typed, place: &Place) -> Result<TypeId, Problem> {
        let mut of = self.type_of(&typed.of, place)?;
        for dimension in typed.dimensions.iter().rev() {
            of = self.types.list(of, Some(*dimension));
        }
        Ok(of)
    }

    fn type_of(&mut self, of: &Type, place: &Place) -> Result<TypeId, Problem> {
        let integer = Kind::Integer;
        let kind = match of {
            Type::Boolean => Kind::Boolean,
            Type::Char => Kind::Code,
            Type::Octet => integer(IntegerKind::U8),
            Type::Short => integer(IntegerKind::I16),
            Type::UnsignedShort => integer(IntegerKind::U16),
            Type::Long => integer(IntegerKind::I32),
            Type::UnsignedLong => integer(IntegerKind::U32),
            Type::LongLong => integer(IntegerKind::I64),
            Type::UnsignedLongLong => integer(IntegerKind::U64),
            Type::Float => Kind::Float32,
            Type::Double => Kind::Float64,
            Type::Text(_) => Kind::Text,
            Type::Sequence(of, _) if self.is_octet(of) => Kind::Bytes,
            Type::Sequence(of, _) => {
                let of = self.type_of(of, place)?;
                return Ok(self.types.list(of, None));
            }
            Type::Named(id) => return self.named(*id, place),
            Type::WideChar
            | Type::LongDouble
            | Type::Any
            | Type::Object
            | Type::ValueBase
            | Type::TypeCode
            | Type::WideText(_)
            | Type::Fixed(_) => {
                let shown = self.specification.shown(of);
                let what = format!("there is no form for the type {shown}");
                let remedy = "leave the member out, or give it a type that has one";
                return Err(Problem::new(place, what, remedy));
            }
        };
        Ok(self.types.scalar(kind))
    }

    fn is_octet(&self, of: &Type) -> bool {
        match of {
            Type::Octet => true,
            Type::Named(id) => match &self.resolved(*id).1.body {
                Body::Typedef(typed) => typed.dimensions.is_empty() && self.is_octet(&typed.of),
                _ => false,
            },
            _ => false,
        }
    }

    fn note_bounds(&mut self, member: MemberId, typed: &Typed) {
        let mut bounds = Bounds::default();
        self.bounds(typed, &mut bounds);
        let Bounds { items, length } = bounds;
        let shown = |it: &Option<u32>| it.map(|it| it.to_string());
        let inside = items.iter().rposition(Option::is_some).and_then(|last| items.get(1..=last));
        let inside = inside.filter(|it| !it.is_empty()).map(|inside| {
            let all = inside.iter().map(|it| shown(it).unwrap_or_else(|| "-".to_owned()));
            all.collect::<Vec<_>>().join(" ")
        });
        for (word, bound) in [
            ("max_items", items.first().and_then(shown)),
            ("max_items_inside", inside),
            ("max_length", shown(&length)),
        ] {
            if let Some(bound) = bound {
                self.types.notes().note_member(member, "facet", word, &bound);
            }
        }
    }

    fn bounds(&self, typed: &Typed, found: &mut Bounds) {
        // Of an array there are as many as there are.
        found.items.extend(typed.dimensions.iter().map(|_| None));
        self.bounds_of(&typed.of, found);
    }

    fn bounds_of(&self, of: &Type, found: &mut Bounds) {
        match of {
            Type::Text(bound) => found.length = *bound,
            Type::Sequence(of, bound) if self.is_octet(of) => found.length = *bound,
            Type::Sequence(of, bound) => {
                found.items.push(*bound);
                self.bounds_of(of, found);
            }
            Type::Named(id) => {
                if let Body::Typedef(typed) = &self.resolved(*id).1.body {
                    self.bounds(typed, found);
                }
            }
            _ => {}
        }
    }

    /// An arm for each label; that of `default`, and of labels without a member, holds the discriminator.
    fn arms(
        &mut self,
        of: TypeId,
        name: &str,
        union: &Union,
    ) -> Result<Vec<trunkline_message::Member>, Problem> {
        let Union { discriminator, cases } = union;
        let discriminator = self.bare(discriminator);
        self.types.notes().note_type(of, "cdr", "switch", switch(&discriminator));
        let mut described = Members { of, members: Vec::new(), taken: HashSet::new() };
        for Case { labels, member } in cases {
            let held = self.typed(&member.typed, &member.place)?;
            for label in labels {
                let id = match label {
                    Some(label) => {
                        let id = described.add(&member.name, held, Need::Required);
                        self.types.notes().note_member(id, "cdr", "label", &shown(label));
                        self.note_bounds(id, &member.typed);
                        id
                    }
                    None => {
                        let inner = format!("{name}_{}", member.name);
                        let inner = self.labelled(&inner, &discriminator, Some((member, held)))?;
                        described.add(&member.name, inner, Need::Required)
                    }
                };
                if label.is_none() {
                    self.types.notes().note_member(id, "cdr", "label", "default");
                }
            }
        }
        if !self.is_whole(&discriminator, cases) {
            let inner = self.labelled(&format!("{name}_other"), &discriminator, None)?;
            let id = described.add("other", inner, Need::Required);
            self.types.notes().note_member(id, "cdr", "label", "default");
        }
        Ok(described.members)
    }

    /// The type itself, where a typedef of no array names it.
    fn bare(&self, of: &Type) -> Type {
        let Type::Named(id) = of else { return of.clone() };
        let (id, declaration) = self.resolved(*id);
        match &declaration.body {
            Body::Typedef(typed) if typed.dimensions.is_empty() => self.bare(&typed.of),
            _ => Type::Named(id),
        }
    }

    /// A struct of the discriminator and what is there with it.
    fn labelled(
        &mut self,
        name: &str,
        discriminator: &Type,
        held: Option<(&Member, TypeId)>,
    ) -> Result<TypeId, Problem> {
        let nowhere = Place { file: "".into(), line: 0, column: 0 };
        let place = held.map_or(&nowhere, |it| &it.0.place);
        let label = self.type_of(discriminator, place)?;
        let of = self.types.declare(name);
        let mut described = Members { of, members: Vec::new(), taken: HashSet::new() };
        described.add("label", label, Need::Required);
        if let Some((member, held)) = held {
            let id = described.add(&member.name, held, Need::Required);
            self.note_bounds(id, &member.typed);
        }
        self.types.set_body(of, trunkline_message::Body::Struct(described.members));
        Ok(of)
    }

    /// Has every value of the discriminator an arm?
    fn is_whole(&self, discriminator: &Type, cases: &[Case]) -> bool {
        let labels = || cases.iter().flat_map(|it| &it.labels);
        let count = match discriminator {
            Type::Boolean => 2,
            Type::Named(id) => match &self.specification.declaration(*id).body {
                Body::Enum(values) => values.len(),
                _ => usize::MAX,
            },
            _ => usize::MAX,
        };
        labels().any(Option::is_none) || labels().count() == count
    }
}

/// The word of the plan for a discriminator.
fn switch(of: &Type) -> &'static str {
    match of {
        Type::Boolean => "boolean",
        Type::Char => "char",
        Type::Short => "i16",
        Type::UnsignedShort => "u16",
        Type::Long => "i32",
        Type::LongLong => "i64",
        Type::UnsignedLongLong => "u64",
        Type::Named(_) => "enum",
        _ => "u32",
    }
}

/// A label as the plan has it.
fn shown(label: &Constant) -> String {
    match label {
        Constant::Boolean(value) => value.to_string(),
        Constant::Character(character) => character.to_string(),
        Constant::Enumerator(_, place) => place.to_string(),
        other => other.to_string(),
    }
}
