//! A description of messages, whichever kind of file it came from.

mod called;
mod in_body;

use trunkline_message::Layout;
use trunkline_soap as soap;

use crate::nearest::no_message;
use crate::wsdl::{Binding, Operation, Protocol};
use crate::xsd::{ElementId, Name, Schemas};
use crate::{Limits, Place, Problem, Resolver, Source, fix, idl, wsdl};

/// What a file describes, by its kind.
#[derive(Debug)]
#[non_exhaustive]
pub enum Description {
    /// A FIX dictionary.
    Fix(fix::Dictionary),
    /// OMG IDL.
    Idl(idl::Specification),
    /// WSDL: services, and the elements of their messages.
    Services(Box<wsdl::Description>),
    /// XML Schema.
    Elements(Box<Schemas>),
    /// A listing, which is one message.
    Listing(Box<Described>),
    /// Samples of one message, of which there is no other description: [`sample`](crate::sample).
    Sample(Box<Described>),
}

/// A message, and how SOAP says it if that is described too.
#[derive(Clone, Debug)]
pub struct Described {
    /// What is said.
    pub layout: Layout,
    /// How it is said; its version is that of the binding, or 1.1 if there is none.
    pub soap: Option<soap::Options>,
}

/// The notes of XML by which a listing says which element its message is: the name, if it is another than that of the
/// message, and the namespace.
const ELEMENT: &str = "element";
const ELEMENT_NAMESPACE: &str = "element_namespace";
/// And the one by which it says that the element may be nil: `"true"`.
const ELEMENT_NILLABLE: &str = "element_nillable";

impl Described {
    /// What is of a layout whose notes say which element it is, and nothing more of how SOAP says it.
    fn of_listing(mut layout: Layout) -> Self {
        let name = layout.take_note("xml", ELEMENT);
        let namespace = layout.take_note("xml", ELEMENT_NAMESPACE);
        let nillable = layout.take_note("xml", ELEMENT_NILLABLE);
        if name.is_none() && namespace.is_none() && nillable.is_none() {
            return Self { layout, soap: None };
        }
        let soap = soap::Options {
            style: soap::Style::DocumentLiteral,
            layout: soap::Layout::Operation,
            operation: name.as_deref().unwrap_or(layout.name()).to_owned(),
            namespace: namespace.as_deref().unwrap_or_default().to_owned(),
            nillable: nillable.as_deref() == Some("true"),
            zone: true,
            ..soap::Options::default()
        };
        Self { layout, soap: Some(soap) }
    }

    /// A listing of it, which says in notes which element it is, if it is one of a document or a Body.
    pub fn listing(&self) -> String {
        let is_element = |it: &&soap::Options| {
            it.style == soap::Style::DocumentLiteral && it.layout == soap::Layout::Operation
        };
        let Some(soap) = self.soap.as_ref().filter(is_element) else {
            return self.layout.listing();
        };
        let mut layout = self.layout.clone();
        if soap.operation != layout.name() {
            layout.note("xml", ELEMENT, &soap.operation);
        }
        if !soap.namespace.is_empty() {
            layout.note("xml", ELEMENT_NAMESPACE, &soap.namespace);
        }
        if soap.nillable {
            layout.note("xml", ELEMENT_NILLABLE, "true");
        }
        layout.listing()
    }

    /// Is it said to be this element?
    fn is_element(&self, local: &str, namespace: &str) -> bool {
        let is_it = |it: &soap::Options| (&*it.operation, &*it.namespace) == (local, namespace);
        self.soap.as_ref().is_some_and(is_it)
    }
}

/// Behind the name of an operation, what it answers.
const RESPONSE: &str = "/response";

/// How a file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The FIX dictionary whose header and trailer are taken, as those of FIX 5.0 are in another file.
    pub transport: Option<String>,
    /// Of IDL.
    pub idl: idl::Options,
}

impl Description {
    /// Reads the file at a path: OMG IDL if its name ends in `.idl` or `.pidl`; if it is XML, what its root says, or else a
    /// FIX dictionary; a listing otherwise.
    ///
    /// # Errors
    /// A file is not there, or is none of these; or it is beyond the limits.
    pub fn read(
        path: &str,
        options: &Options,
        resolver: &mut dyn Resolver,
        limits: &Limits,
    ) -> Result<Self, Problem> {
        if is_idl(path) {
            let read = idl::Specification::read(path, &options.idl, resolver, limits)?;
            return Ok(Self::Idl(read));
        }
        let bytes = bytes_of(path, resolver, limits)?;
        if !is_markup(&bytes) {
            return listing(path, &bytes);
        }
        match Source::of(&bytes) {
            Source::Wsdl => {
                let read = wsdl::Description::read(path, resolver, limits)?;
                return Ok(Self::Services(Box::new(read)));
            }
            Source::Schema => {
                return Ok(Self::Elements(Box::new(Schemas::read(path, resolver, limits)?)));
            }
            Source::Other => {}
        }
        let dictionary = fix::Dictionary::read(path, &bytes, limits)?;
        let Some(transport) = &options.transport else { return Ok(Self::Fix(dictionary)) };
        let bytes = bytes_of(transport, resolver, limits)?;
        let transport = fix::Dictionary::read(transport, &bytes, limits)?;
        Ok(Self::Fix(dictionary.with_transport(transport)))
    }

    /// The names of the messages in it; of IDL, of its structs, unions and exceptions; of WSDL, of its operations; of XML
    /// Schema, of its elements but those that are abstract, one of an abstract type with each type that its `xsi:type` may
    /// name.
    pub fn messages(&self) -> Vec<String> {
        match self {
            Self::Fix(dictionary) => {
                dictionary.messages().iter().map(|it| it.name.clone()).collect()
            }
            Self::Idl(specification) => {
                let is_message = |it: &&idl::Declaration| {
                    matches!(
                        it.body,
                        idl::Body::Struct(_) | idl::Body::Union(_) | idl::Body::Exception(_)
                    )
                };
                let declared = specification.declarations().iter().filter(|it| it.is_main);
                declared.filter(is_message).map(|it| it.name.clone()).collect()
            }
            Self::Services(services) => {
                let mut names: Vec<_> = operations(services).map(|it| it.1.name.clone()).collect();
                names.sort();
                names.dedup();
                names
            }
            Self::Elements(schemas) => {
                let named = |(name, id): (&Name, ElementId)| {
                    let types = schemas.types_of(id).into_iter().filter(|_| schemas.is_open(id));
                    let types = types.filter_map(|it| schemas.type_name(it));
                    let names: Vec<String> = types.map(|it| named_as(name, it)).collect();
                    if names.is_empty() { vec![name.to_string()] } else { names }
                };
                let whole = schemas.elements().filter(|it| !schemas.is_abstract(it.1));
                let mut names: Vec<_> = whole.flat_map(named).collect();
                names.sort();
                names
            }
            Self::Listing(described) | Self::Sample(described) => {
                vec![described.layout.name().to_owned()]
            }
        }
    }

    /// Says that the description, which is called `what`, has no message of this name, which it has, and which one may have
    /// been meant.
    pub fn no_message(&self, what: &str, name: &str) -> String {
        no_message(what, name, &self.messages())
    }

    /// The layout of the message of this name, or of this MsgType; none if there is no such message.
    ///
    /// # Errors
    /// As [`message`](Self::message).
    pub fn layout(&self, name: &str) -> Result<Option<Layout>, Problem> {
        Ok(self.message(name)?.map(|it| it.layout))
    }

    /// The message of this name, or of this MsgType; none if there is no such message. That of an operation of WSDL is
    /// what it takes, or what it answers if `/response` is behind the name; elements are named with their namespace,
    /// `{urn:quotes}quote`, or without, and those whose `xsi:type` names a derived type with that, `quote/FirmQuote`.
    ///
    /// # Errors
    /// The message holds what has no form, or elements of several namespaces have the name.
    pub fn message(&self, name: &str) -> Result<Option<Described>, Problem> {
        let plain = |layout| Described { layout, soap: None };
        Ok(match self {
            Self::Fix(dictionary) => {
                let found = dictionary.message(name).map(|it| dictionary.layout(it)).transpose()?;
                found.map(plain)
            }
            Self::Idl(specification) => {
                let found = specification.find(name).map(|it| specification.layout(it));
                found.transpose()?.map(plain)
            }
            Self::Services(services) => match of_operation(services, name)? {
                Some(found) => Some(found),
                None => of_element(services.schemas(), name)?,
            },
            Self::Elements(schemas) => of_element(schemas, name)?,
            Self::Listing(described) | Self::Sample(described) => {
                let layout = &described.layout;
                let root = layout.schema().root();
                let message_type = layout.notes().of_type(root, "fix", "message_type");
                let is_it = layout.name() == name || message_type == Some(name);
                is_it.then(|| (**described).clone())
            }
        })
    }

    /// What is wrong with it and can be lived with.
    pub fn warnings(&self) -> &[Problem] {
        match self {
            Self::Fix(dictionary) => dictionary.warnings(),
            Self::Idl(specification) => specification.warnings(),
            Self::Services(services) => services.warnings(),
            Self::Elements(schemas) => schemas.warnings(),
            Self::Listing(_) | Self::Sample(_) => &[],
        }
    }
}

/// The operations that SOAP carries.
fn operations(services: &wsdl::Description) -> impl Iterator<Item = (&Binding, &Operation)> {
    let is_soap = |it: &&Binding| matches!(it.protocol, Protocol::Soap11 | Protocol::Soap12);
    let bindings = services.bindings().iter().filter(is_soap);
    bindings.flat_map(|binding| binding.operations.iter().map(move |it| (binding, it)))
}

/// What an operation takes or answers, if there is one of this name and something stands in its Body.
fn of_operation(services: &wsdl::Description, name: &str) -> Result<Option<Described>, Problem> {
    let (name, is_response) = match name.strip_suffix(RESPONSE) {
        Some(name) => (name, true),
        None => (name, false),
    };
    let Some((binding, operation)) = operations(services).find(|it| it.1.name == name) else {
        return Ok(None);
    };
    let described = match is_response {
        true => services.response(binding, operation)?,
        false => services.request(binding, operation)?,
    };
    Ok(described.map(|it| Described { layout: it.layout, soap: Some(it.options) }))
}

/// The name of a message that is an element of a type.
fn named_as(element: &Name, of: &Name) -> String {
    match element.namespace == of.namespace {
        true => format!("{element}/{}", of.local),
        false => format!("{element}/{of}"),
    }
}

/// A name without what is behind its `/`, which may be in the name of its namespace too.
fn parts_of(name: &str) -> (&str, Option<&str>) {
    let behind = if name.starts_with('{') { name.find('}').unwrap_or(0) } else { 0 };
    match name[behind..].find('/') {
        Some(at) => (&name[..behind + at], Some(&name[behind + at + 1..])),
        None => (name, None),
    }
}

fn of_element(schemas: &Schemas, name: &str) -> Result<Option<Described>, Problem> {
    let (name, of_type) = parts_of(name);
    let is_it = |it: &Name| *it.local == *name || it.to_string() == name;
    let mut all: Vec<(&Name, ElementId)> = schemas.elements().filter(|it| is_it(it.0)).collect();
    all.sort();
    // The whole name is that of one.
    let whole = all.iter().find(|it| it.0.to_string() == name);
    let (name, element) = match (whole, &*all) {
        (_, []) => return Ok(None),
        (Some(found), _) | (None, [found]) => *found,
        (None, [first, ..]) => {
            let names: Vec<String> = all.iter().map(|it| it.0.to_string()).collect();
            let what = format!("{name} is one of {}", names.join(", "));
            return Err(Problem::new(schemas.place_of(first.1), what, "say which"));
        }
    };
    let options = soap::Options {
        style: soap::Style::DocumentLiteral,
        layout: soap::Layout::Operation,
        operation: name.local.to_string(),
        namespace: name.namespace.to_string(),
        qualified: false,
        zone: true,
        nillable: schemas.at(element).is_nillable,
        ..soap::Options::default()
    };
    let layout = match of_type {
        None => schemas.layout(element)?,
        Some(written) => {
            let is_it = |it: &crate::xsd::TypeId| {
                let known = schemas.type_name(*it);
                known.is_some_and(|it| *it.local == *written || it.to_string() == written)
            };
            let Some(of) = schemas.types_of(element).into_iter().find(is_it) else {
                return Ok(None);
            };
            schemas.layout_as(element, of)?
        }
    };
    Ok(Some(Described { layout, soap: Some(options) }))
}

/// Is it a file of IDL, by its name?
fn is_idl(path: &str) -> bool {
    [".idl", ".pidl"].iter().any(|it| path.to_ascii_lowercase().ends_with(it))
}

/// Is it XML? No listing begins so, in whichever encoding XML is.
fn is_markup(bytes: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe"];
    let behind = marks.iter().find_map(|it| bytes.strip_prefix(*it)).unwrap_or(bytes);
    let first = behind.iter().find(|it| !it.is_ascii_whitespace() && **it != 0);
    first == Some(&b'<')
}

fn place(path: &str, line: u32) -> Place {
    Place { file: path.into(), line, column: 1 }
}

fn bytes_of(path: &str, resolver: &mut dyn Resolver, limits: &Limits) -> Result<Vec<u8>, Problem> {
    let fail = |what: String, remedy: &str| Err(Problem::new(&place(path, 1), what, remedy));
    match resolver.read(path) {
        Ok(Some(bytes)) if bytes.len() > limits.document_bytes => {
            let what = format!("there are more than {} bytes", limits.document_bytes);
            fail(what, "raise the limit `document_bytes`")
        }
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => fail("there is no such file".into(), "name one that is there"),
        Err(why) => fail(format!("it cannot be read: {why}"), "name a file that can be read"),
    }
}

fn listing(path: &str, bytes: &[u8]) -> Result<Description, Problem> {
    const REMEDY: &str =
        "a listing has a line for each field, as `trunkline schema --listing` prints it";
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Problem::new(&place(path, 1), format!("it is no text: {error}"), REMEDY)
    })?;
    let layout = Layout::from_listing(text).map_err(|error| {
        let error = error.to_string();
        // What is about a line says which.
        let (line, what) = match error.strip_prefix("line ").and_then(|it| it.split_once(": ")) {
            Some((line, what)) => (line.parse().unwrap_or(1), what.to_owned()),
            None => (1, error),
        };
        Problem::new(&place(path, line), what, REMEDY)
    })?;
    Ok(Description::Listing(Box::new(Described::of_listing(layout))))
}

#[cfg(test)]
mod tests {
    use super::parts_of;

    #[test]
    fn a_name_may_have_slashes_in_its_namespaces() {
        assert_eq!(parts_of("{http://a/}r"), ("{http://a/}r", None));
        assert_eq!(parts_of("{http://a/}r/{urn:b/c}T"), ("{http://a/}r", Some("{urn:b/c}T")));
        assert_eq!(parts_of("FpML/DataDocument"), ("FpML", Some("DataDocument")));
    }
}
