//! Attributes and groups of them.

use super::{Reader, part, parts};
use crate::Problem;
use crate::markup;
use crate::xsd::component::{Attribute, AttributeTerm, AttributeUse, GroupUses, Presence, TypeUse};
use crate::xsd::name::Name;
use crate::xsd::wildcard::Wildcard;

impl Reader<'_, '_> {
    /// Those in a type or group.
    pub(super) fn attributes(
        &mut self,
        around: &markup::Element,
    ) -> Result<(Vec<AttributeUse>, GroupUses), Problem> {
        let (mut attributes, mut groups) = (Vec::new(), Vec::new());
        for element in parts(around) {
            match &*element.name {
                "attribute" => attributes.push(self.attribute_use(element)?),
                "attributeGroup" => {
                    let name = self.name(element, self.needed(element, "ref")?)?;
                    groups.push((name, self.place(element)));
                }
                _ => {}
            }
        }
        Ok((attributes, groups))
    }

    /// The wildcard of a type or group.
    pub(super) fn any_attribute(
        &self,
        around: &markup::Element,
    ) -> Result<Option<Wildcard>, Problem> {
        part(around, &["anyAttribute"]).map(|it| self.wildcard(it)).transpose()
    }

    fn attribute_use(&mut self, element: &markup::Element) -> Result<AttributeUse, Problem> {
        let (default, fixed) = self.fixed_or_default(element)?;
        let presence = match element.attribute("use") {
            Some("required") => Presence::Required,
            Some("prohibited") => Presence::Prohibited,
            // A draft had it so.
            None if element.attribute("minOccurs") == Some("1") => Presence::Required,
            _ => Presence::Optional,
        };
        if default.is_some() && presence != Presence::Optional {
            let what = "a default of an attribute that is not optional";
            return self.reject(element, what, "take one of them out");
        }
        let place = self.place(element);
        let what = match (element.attribute("ref"), element.attribute("name")) {
            (Some(written), None) => AttributeTerm::Reference(self.name(element, written)?),
            (None, Some(local)) => {
                let is_qualified = match element.attribute("form") {
                    Some(form) => form == "qualified",
                    None => self.attributes_are_qualified,
                };
                let namespace = if is_qualified { self.target.clone() } else { "".into() };
                let declared = self.attribute_declaration(element, Name::new(namespace, local))?;
                AttributeTerm::Own(Box::new(declared))
            }
            _ => {
                let what = "an attribute with a name and a ref, or with neither";
                return self.reject(element, what, "give it one of them");
            }
        };
        Ok(AttributeUse { what, presence, default, fixed, prefixes: element.prefixes(), place })
    }

    pub(super) fn attribute_declaration(
        &mut self,
        element: &markup::Element,
        name: Name,
    ) -> Result<Attribute, Problem> {
        let of = match (element.attribute("type"), part(element, &["simpleType"])) {
            (Some(_), Some(_)) => {
                let what = format!("the attribute {} has two types", name.local);
                return self.reject(element, what, "take one of them out");
            }
            (Some(written), None) => Some(self.type_named(element, written)?),
            (None, Some(inside)) => Some(TypeUse::Own(self.type_definition(inside, None)?)),
            (None, None) => None,
        };
        let (default, fixed) = self.fixed_or_default(element)?;
        Ok(Attribute { name, of, default, fixed, prefixes: element.prefixes() })
    }
}
