//! The attributes of a type. Those of the SOAP encoding, such as `arrayType`, are written with what is
//! encoded, and nobody here gives others there.

use std::collections::HashSet;

use trunkline_soap::QName;

use super::tree::Element;
use super::types::{Content, Reader, derivation, is_built_in};
use super::{ENCODINGS, Simple, XSD};

/// Its attributes need no schema.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// An attribute of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name; most are in no namespace.
    pub name: QName,
    /// Its type.
    pub simple: Simple,
    /// Does it have to be there?
    pub is_required: bool,
    /// The only value that it may have, if the schema fixes one.
    pub fixed: Option<String>,
}

/// The attributes of a type as they are found.
#[derive(Default)]
struct Found {
    /// Those that are not allowed, too.
    names: HashSet<QName>,
    attributes: Vec<Attribute>,
}

impl<'a> Reader<'a> {
    /// Those of a type, of groups that it uses, and of the types that it is made from (XML Schema part 1
    /// section 3.4.2).
    pub(super) fn attributes(
        &mut self,
        schema: usize,
        of: &'a Element,
    ) -> Result<Vec<Attribute>, String> {
        let mut found = Found::default();
        self.attributes_in(schema, of, 0, &mut found)?;
        Ok(found.attributes)
    }

    fn attributes_in(
        &mut self,
        schema: usize,
        of: &'a Element,
        depth: usize,
        found: &mut Found,
    ) -> Result<(), String> {
        self.step(depth)?;
        for declared in of.all(&XSD, "attribute") {
            self.attribute(schema, declared, depth, found)?;
        }
        for group in of.all(&XSD, "attributeGroup") {
            let name = group.name_in("ref").ok_or("an attribute group of no name")?;
            if name.namespace != XML && !is_built_in(name) {
                let (schema, group) = self.find("attributeGroup", "attribute group", name)?;
                self.attributes_in(schema, group, depth + 1, found)?;
            }
        }
        let Some((_, derivation)) = derivation(of) else { return Ok(()) };
        self.attributes_in(schema, derivation, depth + 1, found)?;
        let base = derivation.name_in("base").filter(|it| !is_built_in(it));
        let Some(base) = base else { return Ok(()) };
        let (schema, base) = self.find("type", "type", base)?;
        self.attributes_in(schema, base, depth + 1, found)
    }

    fn attribute(
        &mut self,
        schema: usize,
        declared: &'a Element,
        depth: usize,
        found: &mut Found,
    ) -> Result<(), String> {
        self.step(depth)?;
        let reference = declared.name_in("ref");
        if reference.is_some_and(|it| ENCODINGS.contains(&&*it.namespace)) {
            return Ok(());
        }
        let name = match reference {
            Some(name) => name.clone(),
            None => self.local_name(schema, declared)?,
        };
        // The definition nearest to the type applies.
        if !found.names.insert(name.clone()) {
            return Ok(());
        }
        let usage = declared.attribute("use");
        let is_required = usage == Some("required");
        if is_required && self.is_encoded {
            return Err(format!("it needs the attribute {}", name.local));
        }
        if usage == Some("prohibited") || self.is_encoded {
            return Ok(());
        }
        let top = match reference {
            Some(name) if name.namespace != XML => {
                self.find("attribute", "attribute", name).map(|it| Some(it.1))
            }
            _ => Ok(None),
        };
        let simple = top.and_then(|top| {
            let simple = self.attribute_type(top.unwrap_or(declared), depth)?;
            let fixed = |it: &Element| it.attribute("fixed").map(str::to_owned);
            Ok((simple, fixed(declared).or_else(|| top.and_then(fixed))))
        });
        match simple {
            Ok((simple, fixed)) => {
                found.attributes.push(Attribute { name, simple, is_required, fixed });
                Ok(())
            }
            Err(why) if is_required => Err(format!("it needs the attribute {}: {why}", name.local)),
            // Nobody has to give it.
            Err(_) => Ok(()),
        }
    }

    fn local_name(&self, schema: usize, declared: &Element) -> Result<QName, String> {
        let schema = &self.documents.schemas[schema];
        let default = || schema.root.attribute("attributeFormDefault");
        let is_qualified = declared.attribute("form").or_else(default) == Some("qualified");
        let namespace = if is_qualified { &*schema.namespace } else { "" };
        let local = declared.attribute("name").ok_or("an attribute of no name")?;
        Ok(QName::new(namespace, local))
    }

    fn attribute_type(&mut self, declared: &'a Element, depth: usize) -> Result<Simple, String> {
        if let Some(name) = declared.name_in("type") {
            return match self.of_base(name, depth)? {
                Content::Simple(simple) => Ok(simple),
                _ => Err(format!("its type {name} is none of attributes")),
            };
        }
        match declared.first(&XSD, "simpleType") {
            Some(inner) => self.simple(inner, depth + 1),
            None => Ok(Simple::of("string")),
        }
    }
}
