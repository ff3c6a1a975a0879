//! The start of an element: its type, and its attributes.

use std::collections::HashMap;

use trunkline_codec::xml;

use super::Fault;
use super::model::State;
use super::simple::{Declared, plain_key, shown};
use super::types::{Content, TypeRules};
use super::value::name_of;
use super::walk::{Found, Frame, Walk, Wanted, is_of_envelope};
use crate::markup::Prefixes;
use crate::xsd::component::{Blocked, ElementId, TypeUse};
use crate::xsd::name::{Name, SCHEMA};
use crate::xsd::reader::any_type;
use crate::xsd::wildcard::Process;

/// What an element says about itself.
#[derive(Default)]
struct Said {
    /// What its `xsi:type` names, as it is written.
    of_type: Option<String>,
    nil: Option<bool>,
}

/// Is it an attribute that each element may have (part 1, sections 2.6 and 3.4.4)? Drafts have `null` in place of `nil`.
fn is_of_every_element(namespace: &str, local: &str) -> bool {
    let is_it = |it: &&&str| namespace.strip_prefix(**it) == Some("-instance");
    let Some(schema) = SCHEMA.iter().find(is_it) else { return false };
    match local {
        "type" | "schemaLocation" | "noNamespaceSchemaLocation" | "nil" => true,
        "null" => *schema != SCHEMA[0],
        _ => false,
    }
}

impl Walk<'_> {
    /// Opens an element that is looked into.
    pub(super) fn open(&mut self, name: Name, at: usize, wanted: Wanted) -> Result<(), xml::Error> {
        let said = self.said(at);
        let (element, of) = match wanted {
            Wanted::Declared(id) => (Some(id), self.type_of_declared(id, &said, at)),
            Wanted::Any(process) => (None, self.type_of_any(&name, process, &said, at)),
        };
        let rules = match &of {
            None => self.rules.any.clone(),
            Some(of) => match self.schemas.type_rules(self.rules, of) {
                Ok(rules) => rules,
                Err(problem) => {
                    self.tell_at(at, Fault::of_schema(&problem));
                    return self.parser.skip_element(self.input);
                }
            },
        };
        if rules.is_abstract {
            let what = "its type is abstract: xsi:type has to name one that is derived from it";
            self.tell_at(at, Fault::new("cvc-type", what));
        }
        let is_nil = self.is_nil(element, &said, at);
        let attributes = self.attributes(&rules, at);
        let prefixes: Prefixes = match &rules.content {
            Content::Text(of) if of.has_names => {
                let all = self.parser.bindings(self.input);
                all.map(|(prefix, name)| (prefix.to_owned(), name.to_owned())).collect()
            }
            _ => Prefixes::default(),
        };
        self.frames.push(Frame {
            name,
            at,
            element,
            rules,
            state: State::default(),
            text: String::new(),
            prefixes,
            has_children: false,
            is_nil,
            is_broken: false,
            fields: Vec::new(),
            tables: HashMap::new(),
        });
        self.start_of_keys(&attributes);
        Ok(())
    }

    fn said(&mut self, at: usize) -> Said {
        let mut said = Said::default();
        let mut wrong = None;
        for attribute in self.parser.attributes(self.input) {
            let namespace = self.parser.namespace_name(self.input, attribute.name.namespace);
            if !is_of_every_element(namespace, attribute.name.local()) {
                continue;
            }
            let value = attribute.value();
            match attribute.name.local() {
                "type" => said.of_type = Some(value.trim_ascii().to_owned()),
                "nil" | "null" => match value.trim_ascii() {
                    "true" | "1" => said.nil = Some(true),
                    "false" | "0" => said.nil = Some(false),
                    other => wrong = Some(format!("xsi:nil is {}", shown(other))),
                },
                _ => {}
            }
        }
        wrong.into_iter().for_each(|it| self.tell_at(at, Fault::new("cvc-elt", it)));
        said
    }

    fn is_nil(&mut self, element: Option<ElementId>, said: &Said, at: usize) -> bool {
        let declared = element.map(|it| self.schemas.at(it));
        let is_nillable = declared.is_none_or(|it| it.is_nillable);
        if said.nil.is_some() && !is_nillable {
            let is_nil = said.nil == Some(true);
            let fault = Fault::new("cvc-elt", "xsi:nil of an element that is not nillable");
            self.tell_at(at, Fault { is_nil, ..fault });
            return is_nil;
        }
        if said.nil == Some(true) && declared.is_some_and(|it| it.fixed.is_some()) {
            self.tell_at(at, Fault::new("cvc-elt", "an element with a fixed value is nil"));
        }
        said.nil == Some(true)
    }

    /// The type of an element that is declared, or the one that it names.
    fn type_of_declared(&mut self, id: ElementId, said: &Said, at: usize) -> Option<TypeUse> {
        let declared = self.schemas.at(id);
        if declared.is_abstract {
            let what = format!("{} is abstract: another has to stand for it", declared.name);
            self.tell_at(at, Fault::new("cvc-elt", what));
        }
        let own = declared.of.clone();
        Some(match self.named_type(said, &own, declared.blocked, at) {
            Some(named) => named,
            None => own,
        })
    }

    fn type_of_any(
        &mut self,
        name: &Name,
        process: Process,
        said: &Said,
        at: usize,
    ) -> Option<TypeUse> {
        let named = self.named_type(said, &any_type(), Blocked::default(), at);
        if named.is_none() && said.of_type.is_none() && process == Process::Strict {
            let (rule, what) = match self.frames.is_empty() {
                true => ("cvc-elt", format!("no element {name} is declared")),
                false => {
                    ("cvc-wildcard", format!("no element {name} is declared, and one has to be"))
                }
            };
            self.tell_at(at, Fault::new(rule, what));
        }
        named
    }

    /// The type that `xsi:type` names, if it may stand for that of the element.
    fn named_type(
        &mut self,
        said: &Said,
        own: &TypeUse,
        blocked: Blocked,
        at: usize,
    ) -> Option<TypeUse> {
        let written = said.of_type.as_ref()?;
        let prefixes = Declared { parser: &self.parser, input: self.input };
        let named = name_of(written, &prefixes).and_then(|it| self.schemas.type_of_name(&it));
        let what = match &named {
            None => format!("xsi:type is {}, which is no type that is known", shown(written)),
            Some(named) => match self.schemas.is_derived(named, own, blocked) {
                Ok(true) => return Some(named.clone()),
                Ok(false) => {
                    let how = "which is not derived from the type of the element, or is blocked";
                    format!("xsi:type is {}, {how}", shown(written))
                }
                Err(problem) => problem.to_string(),
            },
        };
        self.tell_at(at, Fault::new("cvc-elt", what));
        None
    }

    /// Holds the attributes of an element against its type, and says which it has, by default or not, with the keys of
    /// their values.
    fn attributes(&mut self, rules: &TypeRules, at: usize) -> Vec<(Name, String)> {
        let mut all: Vec<(Name, String)> = Vec::new();
        let (mut wrong, mut identities) = (Vec::new(), Vec::new());
        let input = self.input;
        let is_in_envelope = self.is_in_envelope(&["Header", "Body"]);
        let attributes: Vec<_> = self.parser.attributes(input).collect();
        for attribute in attributes {
            let namespace = self.parser.namespace_name(input, attribute.name.namespace).to_owned();
            // For whom an entry is, SOAP says (1.1, section 4.2; 1.2, part 1, section 5.2).
            if is_of_every_element(&namespace, attribute.name.local())
                || is_in_envelope && is_of_envelope(&namespace)
            {
                continue;
            }
            let name = self.names.name(&namespace, attribute.name.local());
            let value = attribute.value();
            let mut tell = |fault| {
                let attribute = Some(attribute.name.local().to_owned());
                wrong.push(Found { at, attribute, fault });
            };
            let of_any = rules.any_attribute.process(&namespace);
            let global = || self.schemas.attribute_of_all(self.rules, &name);
            let found = match (rules.attributes.get(&name), of_any) {
                (Some(own), _) => Some((None, Some(own))),
                (None, Some(Process::Skip)) => Some((None, None)),
                (None, Some(process)) => match global() {
                    Some(global) => Some((Some(global), None)),
                    None if process == Process::Lax => Some((None, None)),
                    None => None,
                },
                (None, None) => None,
            };
            let Some((global, own)) = found else {
                tell(Fault::new(
                    "cvc-complex-type",
                    format!("no attribute {name} is declared there"),
                ));
                continue;
            };
            let checked = own.or(global.as_deref());
            let prefixes = Declared { parser: &self.parser, input };
            let key =
                checked.map_or_else(|| Ok(plain_key(&value)), |it| it.check(&value, &prefixes));
            match key {
                Ok(key) => {
                    let words = checked.and_then(|it| it.of.as_ref()).and_then(|it| it.identity());
                    words.into_iter().for_each(|it| identities.push((it, value.to_string())));
                    all.push((name, key));
                }
                Err(fault) => {
                    tell(fault);
                    // It is there all the same.
                    all.push((name, plain_key(&value)));
                }
            }
        }
        self.out.append(&mut wrong);
        identities.iter().for_each(|(words, text)| self.note_identity(*words, text, at));
        self.absent(rules, at, &mut all);
        all
    }

    /// Of attributes that are not there, tells which have to be, and adds those that have a default.
    fn absent(&mut self, rules: &TypeRules, at: usize, all: &mut Vec<(Name, String)>) {
        let mut missing: Vec<&Name> = Vec::new();
        for (name, of) in &rules.attributes {
            let is_there = |it: &(Name, String)| it.0 == *name;
            if !of.is_required && of.default.is_none() || all.iter().any(is_there) {
                continue;
            }
            if of.is_required {
                missing.push(name);
            } else if let Some(default) =
                of.default.as_ref().filter(|_| !self.rows.is_empty() || !self.scopes.is_empty())
            {
                let key = of.of.as_ref();
                let key = key.and_then(|it| Some(it.value(default, &of.prefixes).ok()?.key()));
                all.push((name.clone(), key.unwrap_or_else(|| plain_key(default))));
            }
        }
        missing.sort_unstable();
        for name in missing {
            self.tell_at(
                at,
                Fault::new("cvc-complex-type", format!("the attribute {name} is missing")),
            );
        }
    }
}

impl Frame {
    /// Is it a text, which may be the field of a key?
    pub(super) fn is_text(&self) -> bool {
        matches!(self.rules.content, Content::Text(_))
    }
}
