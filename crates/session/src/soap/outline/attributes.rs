//! Attributes. Nobody here can give one, so that a type that needs one is not understood; those of the SOAP
//! encoding, such as `arrayType`, are written with what is encoded.

use super::tree::Element;
use super::types::{Reader, derivation, is_built_in};
use super::{ENCODINGS, XSD};

/// Its attribute groups need none.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

impl<'a> Reader<'a> {
    /// Refuses an attribute that there has to be: in a type, in groups that it uses, or in the types that it
    /// is made from (XML Schema part 1 section 3.4.2).
    pub(super) fn refuse_required_attributes(
        &mut self,
        of: &'a Element,
        depth: usize,
    ) -> Result<(), String> {
        self.step(depth)?;
        let is_required = |it: &&Element| {
            let is_encoding =
                it.name_in("ref").is_some_and(|it| ENCODINGS.contains(&&*it.namespace));
            it.attribute("use") == Some("required") && !is_encoding
        };
        if let Some(attribute) = of.all(&XSD, "attribute").find(is_required) {
            let name = attribute.attribute("name").or_else(|| attribute.attribute("ref"));
            return Err(format!("it needs the attribute {}", name.unwrap_or_default()));
        }
        for group in of.all(&XSD, "attributeGroup") {
            let name = group.name_in("ref").ok_or("an attribute group of no name")?;
            if name.namespace != XML && !is_built_in(name) {
                let (_, found) = self.find("attributeGroup", "attribute group", name)?;
                self.refuse_required_attributes(found, depth + 1)?;
            }
        }
        let Some((_, derivation)) = derivation(of) else { return Ok(()) };
        self.refuse_required_attributes(derivation, depth + 1)?;
        let base = derivation.name_in("base").filter(|it| !is_built_in(it));
        let Some(base) = base else { return Ok(()) };
        let (_, base) = self.find("type", "type", base)?;
        self.refuse_required_attributes(base, depth + 1)
    }
}
