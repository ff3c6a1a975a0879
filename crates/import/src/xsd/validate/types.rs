//! What a type allows in an element: attributes and content.

use std::collections::HashMap;
use std::sync::Arc;

use super::model::Model;
use super::simple::SimpleRules;
use super::{Fault, Rules};
use crate::Problem;
use crate::xsd::Schemas;
use crate::xsd::component::{
    AttributeTerm, AttributeUse, Derivation, GroupUses, Presence, Type, TypeBody, TypeUse,
};
use crate::xsd::lookup::Found;
use crate::xsd::name::Name;
use crate::xsd::wildcard::{Process, Wildcard};

/// What an element of a type may have.
#[derive(Debug)]
pub(crate) struct TypeRules {
    pub(super) attributes: HashMap<Name, AttributeRules>,
    pub(super) any_attribute: Option<AnyAttribute>,
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
}

/// Attributes of other names: each of one of these groups of wildcards takes it.
#[derive(Clone, Debug)]
pub(super) struct AnyAttribute {
    alternatives: Vec<Vec<Wildcard>>,
    pub(super) process: Process,
}

impl AnyAttribute {
    pub(super) fn allows(&self, namespace: &str) -> bool {
        self.alternatives.iter().any(|it| it.iter().all(|it| it.allows(namespace)))
    }
}

/// Groups of attributes in one another, and attributes of one type.
const DEEPEST: usize = 64;
const MOST: usize = 10_000;

/// What a type has by itself.
#[derive(Default)]
struct Own<'a> {
    uses: Vec<&'a AttributeUse>,
    wildcards: Vec<Wildcard>,
    /// Groups that were looked into.
    groups: usize,
}

impl TypeRules {
    /// Those of a text.
    pub(super) fn of_text(text: Arc<SimpleRules>) -> Self {
        Self {
            attributes: HashMap::new(),
            any_attribute: None,
            content: Content::Text(text),
            is_abstract: false,
        }
    }

    /// Those of anything.
    pub(super) fn of_any() -> Self {
        let namespaces = "##any".into();
        let any = Wildcard { namespaces, target: "".into(), process: Process::Lax };
        Self {
            attributes: HashMap::new(),
            any_attribute: Some(AnyAttribute {
                alternatives: vec![vec![any]],
                process: Process::Lax,
            }),
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
    ) -> Self {
        let default = default.or(fixed).cloned();
        let fixed = fixed.map(|it| {
            // Prefixes of the schema are not known any more.
            let value = of.as_ref().and_then(|of| {
                of.value(it, &crate::markup::Prefixes::default()).ok().map(|it| it.key())
            });
            (it.clone(), value.unwrap_or_else(|| super::simple::plain_key(it)))
        });
        Self { of, is_required, default, fixed }
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
    ) -> Result<Option<AnyAttribute>, Problem> {
        let TypeBody::Complex(complex) = &of.body else { return Ok(None) };
        let (base, is_extension) = match &complex.derivation {
            Derivation::Own(_) => (None, false),
            Derivation::Extension { base, .. } => (Some(base), true),
            Derivation::Restriction { base, .. } => (Some(base), false),
            Derivation::Text { base, is_extension, .. } => (Some(base), *is_extension),
        };
        let of_base = match base.map(|it| self.found(it)).transpose()? {
            Some(Found::Type(_, base)) => self.attribute_rules(rules, base, all)?,
            Some(Found::BuiltIn(base)) if base.is_any() && is_extension => {
                TypeRules::of_any().any_attribute
            }
            _ => None,
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
        let own = own
            .wildcards
            .first()
            .map(|it| it.process)
            .map(|process| AnyAttribute { alternatives: vec![own.wildcards], process });
        Ok(match (own, of_base) {
            (Some(mut own), Some(base)) if is_extension => {
                own.alternatives.extend(base.alternatives);
                Some(own)
            }
            (None, of_base) if is_extension => of_base,
            (own, _) => own,
        })
    }

    fn own_attributes<'a>(
        &'a self,
        attributes: &'a [AttributeUse],
        groups: &'a GroupUses,
        own: &mut Own<'a>,
        depth: usize,
    ) -> Result<(), Problem> {
        own.uses.extend(attributes);
        for (name, place) in groups.iter().filter(|it| !self.has_no_groups(&it.0)) {
            own.groups += 1;
            if depth > DEEPEST || own.groups > MOST || own.uses.len() > MOST {
                let what = format!("the attribute group {name} holds itself, or too much");
                return Err(Problem::new(place, what, "let it hold fewer"));
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
        let fixed = said(&used.fixed, declared.map(|it| &it.fixed));
        let default = said(&used.default, declared.map(|it| &it.default));
        let is_required = used.presence == Presence::Required;
        Ok((name, AttributeRules::new(of, is_required, (default.as_ref(), fixed.as_ref()))))
    }

    /// The rules of an attribute that a schema declares for all elements.
    pub(super) fn global_attribute(&self, rules: &Rules, name: &Name) -> Option<AttributeRules> {
        let declared = self.attributes.get(name)?;
        let of = declared.of.as_ref();
        let of = of.and_then(|it| self.simple_rules(rules, it).ok().flatten());
        Some(AttributeRules::new(of, false, (declared.default.as_ref(), declared.fixed.as_ref())))
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
