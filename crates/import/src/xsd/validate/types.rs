//! What a type allows in an element: attributes and content.

use std::collections::HashMap;
use std::sync::Arc;

use super::model::Model;
use super::simple::SimpleRules;
use super::{Fault, Rules};
use crate::Problem;
use crate::markup::Prefixes;
use crate::xsd::Schemas;
use crate::xsd::component::{
    AttributeTerm, AttributeUse, Derivation, GroupUses, Presence, Type, TypeBody, TypeUse,
};
use crate::xsd::lookup::Found;
use crate::xsd::name::{Name, XML};
use crate::xsd::wildcard::{Process, Wildcard};

/// What an element of a type may have.
#[derive(Debug)]
pub(crate) struct TypeRules {
    pub(super) attributes: HashMap<Name, AttributeRules>,
    pub(super) any_attribute: AnyAttribute,
    pub(super) content: Content,
    pub(super) is_abstract: bool,
}

/// What stands in an element.
#[derive(Debug)]
pub(super) enum Content {
    /// Anything; what is declared is as it is declared.
    Any,
    Text(Arc<SimpleRules>),
    Elements {
        model: Model,
        is_mixed: bool,
    },
}

/// One attribute of a type.
#[derive(Debug)]
pub(super) struct AttributeRules {
    /// None of those that are known to all.
    pub(super) of: Option<Arc<SimpleRules>>,
    pub(super) is_required: bool,
    /// The value that it has if it is not there.
    pub(super) default: Option<String>,
    /// The value that it has to have, as it is written and by its key.
    pub(super) fixed: Option<(String, String)>,
    /// What prefixes stand for where the schema says these values.
    pub(super) prefixes: Prefixes,
}

/// Attributes of other names.
#[derive(Clone, Debug)]
pub(super) struct AnyAttribute {
    /// Each of one of these groups of wildcards takes it.
    alternatives: Vec<Vec<Wildcard>>,
    process: Process,
    /// What groups may have that were not found.
    unknown: Vec<Wildcard>,
}

impl AnyAttribute {
    const NONE: Self =
        Self { alternatives: Vec::new(), process: Process::Strict, unknown: Vec::new() };

    fn lax() -> Self {
        Self {
            alternatives: vec![vec![any(Process::Lax)]],
            process: Process::Lax,
            unknown: Vec::new(),
        }
    }

    /// What has to be known of one of a namespace; none if it may not be there.
    pub(super) fn process(&self, namespace: &str) -> Option<Process> {
        if self.unknown.iter().any(|it| it.allows(namespace)) {
            return Some(Process::Skip);
        }
        let is_it = |it: &Vec<Wildcard>| it.iter().all(|it| it.allows(namespace));
        self.alternatives.iter().any(is_it).then_some(self.process)
    }
}

fn any(process: Process) -> Wildcard {
    Wildcard { namespaces: "##any".into(), target: "".into(), process }
}

/// Groups of attributes in one another, and attributes of one type.
const DEEPEST: usize = 64;
const MOST: usize = 10_000;

/// What a type has by itself.
#[derive(Default)]
struct Own<'a> {
    uses: Vec<&'a AttributeUse>,
    wildcards: Vec<Wildcard>,
    /// What groups may have that were not found.
    unknown: Vec<Wildcard>,
    /// Groups that were looked into.
    groups: usize,
}

impl TypeRules {
    /// Those of a text.
    pub(super) fn of_text(text: Arc<SimpleRules>) -> Self {
        Self {
            attributes: HashMap::new(),
            any_attribute: AnyAttribute::NONE,
            content: Content::Text(text),
            is_abstract: false,
        }
    }

    /// Those of anything.
    pub(super) fn of_any() -> Self {
        Self {
            attributes: HashMap::new(),
            any_attribute: AnyAttribute::lax(),
            content: Content::Any,
            is_abstract: false,
        }
    }
}

impl AttributeRules {
    /// One of a type, which has a value that is fixed, or a default.
    fn new(
        of: Option<Arc<SimpleRules>>,
        is_required: bool,
        (default, fixed): (Option<&String>, Option<&String>),
        prefixes: &Prefixes,
    ) -> Self {
        let default = default.or(fixed).cloned();
        let fixed = fixed.map(|it| {
            let value = of.as_ref().and_then(|of| Some(of.value(it, prefixes).ok()?.key()));
            (it.clone(), value.unwrap_or_else(|| super::simple::plain_key(it)))
        });
        Self { of, is_required, default, fixed, prefixes: prefixes.clone() }
    }
}

impl Schemas {
    /// What elements of a type may have.
    pub(super) fn type_rules(
        &self,
        rules: &Rules,
        of: &TypeUse,
    ) -> Result<Arc<TypeRules>, Problem> {
        match self.found(of)? {
            Found::Type(id, inner) => {
                if let Some(known) = rules.complex(id) {
                    return known;
                }
                let made = self.make_type_rules(rules, inner, of);
                rules.keep_complex(id, made.map(Arc::new))
            }
            Found::BuiltIn(known) if known.is_simple() => {
                Ok(Arc::new(TypeRules::of_text(rules.built_in(known))))
            }
            Found::BuiltIn(_) | Found::Array => Ok(rules.any.clone()),
        }
    }

    fn make_type_rules(
        &self,
        rules: &Rules,
        of: &Type,
        used: &TypeUse,
    ) -> Result<TypeRules, Problem> {
        self.check_end(of)?;
        let TypeBody::Complex(complex) = &of.body else {
            let text = self.simple_rules(rules, used)?;
            return Ok(text.map_or_else(TypeRules::of_any, TypeRules::of_text));
        };
        if self.is_made_of_array(of)? {
            return Ok(TypeRules { is_abstract: complex.is_abstract, ..TypeRules::of_any() });
        }
        let mut attributes = HashMap::new();
        let any_attribute = self.attribute_rules(rules, of, &mut attributes)?;
        let content = match self.text_rules(rules, of)? {
            Some(text) => Content::Text(text),
            None if self.extends_any(of)? => Content::Any,
            None => {
                let mut particles = Vec::new();
                self.particles_of(of, &mut particles, 0)?;
                let model = Model::new(self, &particles, &of.place)?;
                Content::Elements { model, is_mixed: self.is_mixed(of)? }
            }
        };
        Ok(TypeRules { attributes, any_attribute, content, is_abstract: complex.is_abstract })
    }

    /// Is it derived from the array of the SOAP encoding, whose content says by itself what it is?
    fn is_made_of_array(&self, of: &Type) -> Result<bool, Problem> {
        let mut at = of;
        loop {
            at = match self.base(at)? {
                Some(Found::Array) => return Ok(true),
                Some(Found::Type(_, base)) => base,
                _ => return Ok(false),
            };
        }
    }

    /// Collects the attributes of a type, those of its base first, and says which others it may have.
    fn attribute_rules(
        &self,
        rules: &Rules,
        of: &Type,
        all: &mut HashMap<Name, AttributeRules>,
    ) -> Result<AnyAttribute, Problem> {
        let TypeBody::Complex(complex) = &of.body else { return Ok(AnyAttribute::NONE) };
        let (base, is_extension) = match &complex.derivation {
            Derivation::Own(_) => (None, false),
            Derivation::Extension { base, .. } => (Some(base), true),
            Derivation::Restriction { base, .. } => (Some(base), false),
            Derivation::Text { base, is_extension, .. } => (Some(base), *is_extension),
        };
        let of_base = match base.map(|it| self.found(it)).transpose()? {
            Some(Found::Type(_, base)) => self.attribute_rules(rules, base, all)?,
            Some(Found::BuiltIn(base)) if base.is_any() && is_extension => AnyAttribute::lax(),
            Some(Found::BuiltIn(_)) if base.is_some_and(|it| self.is_of_foreign(it)) => {
                AnyAttribute { unknown: vec![any(Process::Skip)], ..AnyAttribute::NONE }
            }
            _ => AnyAttribute::NONE,
        };
        let mut own = Own::default();
        self.own_attributes(&complex.attributes, &complex.attribute_groups, &mut own, 0)?;
        own.wildcards.splice(0..0, complex.any_attribute.clone());
        for used in own.uses {
            let (name, made) = self.attribute_rule(rules, used)?;
            match used.presence {
                Presence::Prohibited => _ = all.remove(&name),
                _ => _ = all.insert(name, made),
            }
        }
        let mut made = match own.wildcards.first().map(|it| it.process) {
            Some(process) => {
                AnyAttribute { process, alternatives: vec![own.wildcards], ..AnyAttribute::NONE }
            }
            None if is_extension => AnyAttribute { process: of_base.process, ..AnyAttribute::NONE },
            None => AnyAttribute::NONE,
        };
        if is_extension {
            made.alternatives.extend(of_base.alternatives);
        }
        // Attributes of groups are handed on, in whichever way a type is derived.
        made.unknown = [own.unknown, of_base.unknown].concat();
        Ok(made)
    }

    fn own_attributes<'a>(
        &'a self,
        attributes: &'a [AttributeUse],
        groups: &'a GroupUses,
        own: &mut Own<'a>,
        depth: usize,
    ) -> Result<(), Problem> {
        own.uses.extend(attributes);
        for (name, place) in groups {
            own.groups += 1;
            if depth > DEEPEST || own.groups > MOST || own.uses.len() > MOST {
                let what = format!("the attribute group {name} holds itself, or too much");
                return Err(Problem::new(place, what, "let it hold fewer"));
            }
            if self.has_no_groups(name) {
                // Those of XML are all of its own namespace.
                own.unknown.push(match *name.namespace == *XML {
                    true => Wildcard::foreign(name.namespace.clone()),
                    false => any(Process::Skip),
                });
                continue;
            }
            let group = self.attribute_group(name, place)?;
            own.wildcards.extend(group.any_attribute.clone());
            self.own_attributes(&group.attributes, &group.groups, own, depth + 1)?;
        }
        Ok(())
    }

    fn attribute_rule(
        &self,
        rules: &Rules,
        used: &AttributeUse,
    ) -> Result<(Name, AttributeRules), Problem> {
        let (name, declared) = match &used.what {
            AttributeTerm::Own(own) => (own.name.clone(), Some(&**own)),
            AttributeTerm::Reference(name) => (name.clone(), self.attribute(name, &used.place)?),
        };
        let of = declared.and_then(|it| it.of.as_ref());
        let of = of.map(|it| self.simple_rules(rules, it)).transpose()?.flatten();
        let said = |own: &'_ Option<String>, declared: Option<&Option<String>>| {
            own.clone().or_else(|| declared.cloned().flatten())
        };
        // An attribute that says neither has what is said for all, with the prefixes there.
        let is_own = used.fixed.is_some() || used.default.is_some();
        let prefixes = declared.filter(|_| !is_own).map_or(&used.prefixes, |it| &it.prefixes);
        let fixed = said(&used.fixed, declared.map(|it| &it.fixed));
        let default = said(&used.default, declared.map(|it| &it.default));
        let is_required = used.presence == Presence::Required;
        Ok((
            name,
            AttributeRules::new(of, is_required, (default.as_ref(), fixed.as_ref()), prefixes),
        ))
    }

    /// The rules of an attribute that a schema declares for all elements.
    pub(super) fn global_attribute(&self, rules: &Rules, name: &Name) -> Option<AttributeRules> {
        let declared = self.attributes.get(name)?;
        let of = declared.of.as_ref();
        let of = of.and_then(|it| self.simple_rules(rules, it).ok().flatten());
        let values = (declared.default.as_ref(), declared.fixed.as_ref());
        Some(AttributeRules::new(of, false, values, &declared.prefixes))
    }
}

impl AttributeRules {
    /// The key of a text that the attribute has.
    pub(super) fn check(
        &self,
        text: &str,
        prefixes: &dyn super::value::Prefixes,
    ) -> Result<String, Fault> {
        let key = match &self.of {
            Some(of) => of.value(text, prefixes)?.key(),
            None => super::simple::plain_key(text),
        };
        match &self.fixed {
            Some((fixed, of_fixed)) if *of_fixed != key => {
                let what =
                    format!("{} is not {fixed:?}, which is fixed", super::simple::shown(text));
                Err(Fault::new("cvc-attribute", what))
            }
            _ => Ok(key),
        }
    }
}
