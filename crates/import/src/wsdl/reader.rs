//! From the elements of descriptions to what they define.

mod binding;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Description;
use super::definitions::{
    AbstractMessage, AbstractOperation, Exchanged, Part, PartOf, Port, PortType, Service,
};
use super::policy::Offers;
use crate::markup::{Document, Element};
use crate::problem::Warnings;
use crate::xsd::builtin::BuiltIn;
use crate::xsd::component::TypeUse;
use crate::xsd::name::{Name, SCHEMA, WSDL};
use crate::xsd::{Documents, Schemas, located};
use crate::{Place, Problem};

pub(super) const SOAP: [&str; 2] =
    ["http://schemas.xmlsoap.org/wsdl/soap/", "http://schemas.xmlsoap.org/wsdl/soap12/"];
pub(super) const HTTP: &str = "http://schemas.xmlsoap.org/wsdl/http/";
pub(super) const MIME: &str = "http://schemas.xmlsoap.org/wsdl/mime/";

/// Reads the description at a place, and what it imports.
pub(super) fn read(
    documents: &mut Documents<'_>,
    start: &Place,
    warnings: &mut Warnings,
) -> Result<Description, Problem> {
    let is_in_part = documents.are_in_part();
    let (schemas, all) = gathered(documents, start, warnings)?;
    // What is not needed may be wrong.
    if let Err(problem) = schemas.check() {
        warnings.add(&problem.place, problem.what, "messages that need it have no layout");
    }
    let description = Description {
        services: Vec::new(),
        bindings: Vec::new(),
        port_types: HashMap::new(),
        messages: HashMap::new(),
        schemas,
        warnings: Vec::new(),
        has_nil_parts: false,
    };
    let bindings = HashMap::new();
    let mut reader = Reader { description, warnings, bindings, documents: &all, is_in_part };
    for document in &all {
        Of { reader: &mut reader, document }.messages()?;
    }
    for document in &all {
        Of { reader: &mut reader, document }.port_types()?;
    }
    for document in &all {
        Of { reader: &mut reader, document }.bindings()?;
    }
    for document in &all {
        Of { reader: &mut reader, document }.services()?;
    }
    Ok(reader.description)
}

/// The descriptions and schemas from a place on, with what they import.
fn gathered(
    documents: &mut Documents<'_>,
    start: &Place,
    warnings: &mut Warnings,
) -> Result<(Schemas, Vec<Arc<Document>>), Problem> {
    let mut schemas = Schemas::empty();
    schemas.is_in_part = documents.are_in_part();
    let mut all: Vec<Arc<Document>> = Vec::new();
    let mut seen = HashSet::from([start.file.to_string()]);
    let mut next = vec![(start.file.to_string(), start.clone())];
    while let Some((path, named_at)) = next.pop() {
        let document = match documents.get(&path, &named_at) {
            Ok(document) => document,
            Err(problem) if all.is_empty() => return Err(problem),
            Err(problem) => {
                documents.miss(&path, None, problem)?;
                continue;
            }
        };
        let root = &document.root;
        if SCHEMA.contains(&&*root.namespace) && root.name == "schema" && !all.is_empty() {
            schemas.add(&document, root, None, warnings)?;
            continue;
        }
        if *root.namespace != *WSDL || root.name != "definitions" {
            let name = Name::new(root.namespace.clone(), &*root.name);
            let what = format!("{path} is no description of services: its root is {name}");
            let remedy = "name a document of WSDL 1.1";
            let problem = Problem::new(&document.place(root), what, remedy);
            if all.is_empty() {
                return Err(problem);
            }
            documents.miss(&path, None, problem)?;
            continue;
        }
        let imports: Vec<&Element> = wsdl(root, "import").collect();
        for import in imports.into_iter().rev() {
            let place = document.place(import);
            let Some(location) = import.attribute("location") else {
                let what = "an import without location";
                warnings.add(&place, what, "what it should bring is missing");
                continue;
            };
            let path = located(&document.file, location);
            if seen.insert(path.clone()) {
                next.push((path, place));
            }
        }
        for schema in wsdl(root, "types").flat_map(|it| &it.children) {
            if SCHEMA.contains(&&*schema.namespace) && schema.name == "schema" {
                schemas.add(&document, schema, None, warnings)?;
            }
        }
        all.push(document);
    }
    schemas.finish(documents, warnings)?;
    Ok((schemas, all))
}

/// The elements of WSDL of this name inside another one.
pub(super) fn wsdl<'e>(around: &'e Element, name: &'e str) -> impl Iterator<Item = &'e Element> {
    around.all(name).filter(|it| *it.namespace == *WSDL)
}

/// What an element says to people, in one line.
pub(super) fn documentation(element: &Element) -> String {
    let text = wsdl(element, "documentation").next().map_or("", |it| &it.text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first element of one of these namespaces.
pub(super) fn first<'e>(
    around: &'e Element,
    namespaces: &[&str],
    name: &str,
) -> Option<&'e Element> {
    around.children.iter().find(|it| it.name == name && namespaces.contains(&&*it.namespace))
}

struct Reader<'w> {
    description: Description,
    warnings: &'w mut Warnings,
    /// By name, their places.
    bindings: HashMap<Name, usize>,
    documents: &'w [Arc<Document>],
    /// May what is referred to be in a document that is not there?
    is_in_part: bool,
}

/// The definitions of a document.
struct Of<'a, 'w> {
    reader: &'a mut Reader<'w>,
    document: &'a Document,
}

impl Of<'_, '_> {
    fn place(&self, element: &Element) -> Place {
        self.document.place(element)
    }

    fn reject<T>(
        &self,
        element: &Element,
        what: impl Into<String>,
        remedy: &str,
    ) -> Result<T, Problem> {
        Err(Problem::new(&self.place(element), what, remedy))
    }

    fn needed<'e>(&self, element: &'e Element, attribute: &str) -> Result<&'e str, Problem> {
        match element.attribute(attribute) {
            Some(found) if !found.is_empty() => Ok(found),
            _ => {
                let what = format!("the {} has no {attribute}", element.name);
                self.reject(element, what, "give it one")
            }
        }
    }

    /// The problem that something is not defined.
    fn undefined(&self, element: &Element, what: &str, name: &Name) -> Problem {
        let what = format!("the {what} {name} is not defined");
        let remedy = match self.reader.description.schemas.missing_of(&name.namespace) {
            missing if missing.is_empty() => "define it, or import what does".to_owned(),
            missing => missing,
        };
        Problem::new(&self.place(element), what, remedy)
    }

    /// What was read; none, with a warning, where documents may be missing.
    fn in_part<T>(&mut self, read: Result<T, Problem>) -> Result<Option<T>, Problem> {
        match read {
            Err(Problem { place, what, .. }) if self.reader.is_in_part => {
                self.reader.warnings.add(&place, what, "it is left out");
                Ok(None)
            }
            read => read.map(Some),
        }
    }

    fn target(&self) -> &str {
        self.document.root.attribute("targetNamespace").unwrap_or_default()
    }

    /// The name of what is defined.
    fn own_name(&self, element: &Element) -> Result<Name, Problem> {
        Ok(Name::new(self.target(), self.needed(element, "name")?))
    }

    /// The name that an attribute's value is.
    fn name(&self, element: &Element, written: &str) -> Result<Name, Problem> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        match element.namespace_of(prefix) {
            Some(namespace) => Ok(Name::new(namespace, local)),
            None => {
                let what = format!("the prefix of {written} is not declared");
                self.reject(element, what, "declare it")
            }
        }
    }

    fn once(&self, element: &Element, is_first: bool) -> Result<(), Problem> {
        if is_first || self.reader.is_in_part {
            return Ok(());
        }
        let name = element.attribute("name").unwrap_or_default();
        let what = format!("the {} {name} is defined twice", element.name);
        self.reject(element, what, "take one of them out, or give it another name")
    }

    fn messages(&mut self) -> Result<(), Problem> {
        for element in wsdl(&self.document.root, "message") {
            let name = self.own_name(element)?;
            let parts = wsdl(element, "part");
            let parts = parts.map(|it| self.part(it)).collect::<Result<_, _>>()?;
            let known = self.reader.description.messages.insert(name, AbstractMessage { parts });
            self.once(element, known.is_none())?;
        }
        Ok(())
    }

    fn part(&mut self, element: &Element) -> Result<Part, Problem> {
        let name = self.needed(element, "name")?.to_owned();
        let place = self.place(element);
        let schemas = &self.reader.description.schemas;
        let mut known = Ok(());
        let of = match (element.attribute("element"), element.attribute("type")) {
            (Some(written), _) => {
                let found = self.name(element, written)?;
                known = schemas.global(&found, &place).map(|_| ());
                PartOf::Element(found)
            }
            (None, Some(written)) => {
                let found = self.name(element, written)?;
                let of = match BuiltIn::named(&found) {
                    _ if found.is_of_encoding() && *found.local == *"Array" => TypeUse::Array,
                    Some(known) => TypeUse::BuiltIn(known),
                    None => TypeUse::Named(found, place.clone()),
                };
                known = schemas.found(&of).map(|_| ());
                PartOf::Type(of)
            }
            (None, None) => PartOf::Nothing,
        };
        if let Err(problem) = known {
            self.reader.warnings.add(&place, problem.what, "messages that need it have no layout");
        }
        Ok(Part { name, of, place })
    }

    fn port_types(&mut self) -> Result<(), Problem> {
        for element in wsdl(&self.document.root, "portType") {
            let name = self.own_name(element)?;
            let operations = wsdl(element, "operation")
                .map(|it| self.abstract_operation(it))
                .collect::<Result<_, _>>()?;
            let mut offers = Offers::default();
            offers.attached(element, self.reader.documents);
            let port_type = PortType { operations, offers };
            let known = self.reader.description.port_types.insert(name, port_type);
            self.once(element, known.is_none())?;
        }
        Ok(())
    }

    fn abstract_operation(&self, element: &Element) -> Result<AbstractOperation, Problem> {
        let exchanged = |it: &Element| -> Result<Exchanged, Problem> {
            let written = self.needed(it, "message")?;
            let message = self.name(it, written)?;
            let is_known = self.reader.description.messages.contains_key(&message);
            // Who asks for its parts is told.
            if !is_known && !self.reader.is_in_part {
                return Err(self.undefined(it, "message", &message));
            }
            Ok(Exchanged { name: it.attribute("name").map(str::to_owned), message })
        };
        Ok(AbstractOperation {
            name: self.needed(element, "name")?.to_owned(),
            documentation: documentation(element),
            input: wsdl(element, "input").next().map(exchanged).transpose()?,
            output: wsdl(element, "output").next().map(exchanged).transpose()?,
            faults: wsdl(element, "fault")
                .map(exchanged)
                .filter(|it| it.is_ok() || !self.reader.is_in_part)
                .collect::<Result<_, _>>()?,
        })
    }

    fn services(&mut self) -> Result<(), Problem> {
        for element in wsdl(&self.document.root, "service") {
            let name = self.own_name(element)?;
            let mut ports = Vec::new();
            for port in wsdl(element, "port") {
                let read = self.port(port);
                ports.extend(self.in_part(read)?);
            }
            let known = self.reader.description.services.iter().any(|it| it.name == name);
            self.once(element, !known)?;
            let (documentation, place) = (documentation(element), self.place(element));
            let service = Service { name, documentation, ports, place };
            self.reader.description.services.push(service);
        }
        Ok(())
    }

    fn port(&self, element: &Element) -> Result<Port, Problem> {
        let written = self.needed(element, "binding")?;
        let binding = self.name(element, written)?;
        let Some(index) = self.reader.bindings.get(&binding) else {
            return Err(self.undefined(element, "binding", &binding));
        };
        let mut offers = self.reader.description.bindings[*index].offers;
        offers.attached(element, self.reader.documents);
        let address = element.first("address").and_then(|it| it.attribute("location"));
        Ok(Port {
            name: self.needed(element, "name")?.to_owned(),
            binding: *index,
            address: address.map(str::to_owned),
            offers,
            place: self.place(element),
        })
    }
}
