//! The layouts of what stands in an envelope.

use trunkline_message::{Layout, Need};
use trunkline_soap as soap;

use super::Description;
use super::definitions::{
    Binding, Fault, Header, Message, Operation, Part, PartOf, Protocol, Style,
};
use crate::problem::Problem;
use crate::xsd::name::Name;
use crate::xsd::{Builder, Members};

/// The layout of a body, a header block or a fault's detail, and the options of its plan.
#[derive(Clone, Debug)]
pub struct Described {
    /// What is said.
    pub layout: Layout,
    /// How it is said.
    pub options: soap::Options,
}

impl Description {
    /// What a request of an operation has in its Body; none if it has nothing there.
    ///
    /// # Errors
    /// What is in it has no form: where, and what to do.
    pub fn request(
        &self,
        binding: &Binding,
        operation: &Operation,
    ) -> Result<Option<Described>, Problem> {
        self.body(binding, operation, operation.request.as_ref(), false)
    }

    /// What the response to a request has in its Body, likewise.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn response(
        &self,
        binding: &Binding,
        operation: &Operation,
    ) -> Result<Option<Described>, Problem> {
        self.body(binding, operation, operation.response.as_ref(), true)
    }

    fn body(
        &self,
        binding: &Binding,
        operation: &Operation,
        message: Option<&Message>,
        is_answer: bool,
    ) -> Result<Option<Described>, Problem> {
        let version = version(binding)?;
        if let Some(problem) = &operation.problem {
            return Err(problem.clone());
        }
        let Some(message) = message else { return Ok(None) };
        let style = match (operation.style, message.is_encoded) {
            (Style::Rpc, true) => soap::Style::RpcEncoded,
            (Style::Rpc, false) => soap::Style::RpcLiteral,
            (Style::Document, true) => soap::Style::DocumentEncoded,
            (Style::Document, false) => soap::Style::DocumentLiteral,
        };
        let options = options(version, style);
        if operation.style == Style::Rpc {
            let layout = self.parts(message, &message.wrapper)?;
            let options = soap::Options { any_wrapper: is_answer, ..options };
            return Ok(Some(named(layout, options, &message.wrapper)));
        }
        match &*message.parts {
            [] => Ok(None),
            [part] if message.is_encoded || !self.is_told_inside(part) => {
                self.document(part, options, &message.wrapper.namespace).map(Some)
            }
            [_, second, ..] if message.is_encoded => {
                let what =
                    format!("the message {} has several encoded parts in its Body", message.name);
                Err(Problem::new(&second.place, what, "put them into one, or bind it as rpc"))
            }
            _ => {
                let body = Name::new("", &*message.wrapper.local);
                let layout = self.parts(message, &body)?;
                let options = soap::Options { layout: soap::Layout::Body, ..options };
                Ok(Some(named(layout, options, &body)))
            }
        }
    }

    /// Does a document say what it is: by `xsi:type`, or by an element that stands for an abstract one? Then its element is
    /// a member of the message, which is the Body.
    pub(crate) fn is_told_inside(&self, part: &Part) -> bool {
        let PartOf::Element(name) = &part.of else { return false };
        let Some(id) = self.schemas.element(name) else { return false };
        self.schemas.is_abstract(id)
            || self.schemas.is_open(id) && !self.schemas.types_of(id).is_empty()
    }

    /// Is what stands in a document's Body no single element that is the message, but a member of it, or several?
    pub(crate) fn is_body(&self, message: &Message) -> bool {
        let is_told = match &*message.parts {
            [] => false,
            [part] => self.is_told_inside(part),
            _ => true,
        };
        is_told && !message.is_encoded
    }

    /// The parts of a document's message of which no element in the Body is one: each of its parts stands there (WSDL 1.1,
    /// section 3.5; WS-I Basic Profile 1.1, R2212).
    pub fn absent<'m>(&self, message: &'m Message, body: &[Name]) -> Vec<&'m Part> {
        let mut free: Vec<&Name> = body.iter().collect();
        let mut is_there = |part: &Part| {
            let at = free.iter().position(|it| self.is_part(part, it));
            at.map(|at| free.swap_remove(at)).is_some()
        };
        message.parts.iter().filter(|it| !is_there(it)).collect()
    }

    /// Is this the element of a part, or one that stands for it?
    pub(crate) fn is_part(&self, part: &Part, element: &Name) -> bool {
        if part.is_written_as(element) {
            return true;
        }
        let known = part.element().and_then(|it| self.schemas.element(it));
        let Some((head, id)) = known.zip(self.schemas.element(element)) else { return false };
        self.schemas.substitutes(head).contains(&id)
    }

    /// A header block.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn header(&self, binding: &Binding, header: &Header) -> Result<Described, Problem> {
        let options = soap::Options {
            layout: soap::Layout::Fragment,
            ..options(version(binding)?, soap::Style::DocumentLiteral)
        };
        self.document(&header.part, options, &header.namespace)
    }

    /// The detail of a fault; none if the message has no part.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn fault(&self, binding: &Binding, fault: &Fault) -> Result<Option<Described>, Problem> {
        let options = soap::Options {
            layout: soap::Layout::Fragment,
            ..options(version(binding)?, soap::Style::DocumentLiteral)
        };
        fault.part.as_ref().map(|it| self.document(it, options, "")).transpose()
    }

    /// One part that is an element, or an element named after it.
    fn document(
        &self,
        part: &Part,
        options: soap::Options,
        namespace: &str,
    ) -> Result<Described, Problem> {
        match &part.of {
            PartOf::Element(name) => {
                let element = self.schemas.global(name, &part.place)?;
                let nillable = self.schemas.at(element).is_nillable;
                let layout = self.schemas.layout(element)?;
                Ok(named(layout, soap::Options { nillable, ..options }, name))
            }
            PartOf::Type(of) => {
                // Which element a document of a type is, nobody says. zeep, gSOAP and PHP name it so.
                let is_body = options.layout != soap::Layout::Fragment;
                let is_plain = is_body && !options.style.is_encoded();
                let name = Name::new(if is_plain { "" } else { namespace }, &*part.name);
                let items = match is_body {
                    true => None,
                    false => self.schemas.layout_of_items(of, &name, &part.place)?,
                };
                let is_encoded = options.style.is_encoded();
                let layout = match items {
                    Some(items) => items,
                    None => self.schemas.layout_of(of, &name, &part.place, is_encoded)?,
                };
                Ok(named(layout, options, &name))
            }
            PartOf::Nothing => Err(untyped(part)),
        }
    }

    /// The parts of a message in the element around them: that of a call, or the Body.
    fn parts(&self, message: &Message, around: &Name) -> Result<Layout, Problem> {
        let mut builder = Builder::new(&self.schemas, message.is_encoded);
        let may_be_nil = self.has_nil_parts && message.is_encoded;
        builder.has_nil_numbers = may_be_nil;
        let root = builder.declare(&around.local);
        let mut members = Members::new(root, &around.namespace);
        for part in &message.parts {
            match &part.of {
                PartOf::Element(name) => {
                    let element = self.schemas.global(name, &part.place)?;
                    builder.standing(&mut members, element)?;
                }
                PartOf::Type(of) => {
                    let need = if may_be_nil { Need::Optional } else { Need::Required };
                    builder.part(&mut members, &part.name, of, need)?;
                }
                PartOf::Nothing => return Err(untyped(part)),
            }
        }
        members.finish(&mut builder);
        builder.finish(root, &message.place)
    }
}

fn untyped(part: &Part) -> Problem {
    let what = format!("the part {} has neither element nor type", part.name);
    Problem::new(&part.place, what, "give it one")
}

fn version(binding: &Binding) -> Result<soap::Version, Problem> {
    match &binding.protocol {
        Protocol::Soap11 => Ok(soap::Version::Soap11),
        Protocol::Soap12 => Ok(soap::Version::Soap12),
        Protocol::Http | Protocol::Other(_) => {
            let what = format!("the binding {} is not of SOAP, and has no envelopes", binding.name);
            Err(Problem::new(&binding.place, what, "take a binding of SOAP"))
        }
    }
}

fn options(version: soap::Version, style: soap::Style) -> soap::Options {
    soap::Options {
        version,
        style,
        layout: soap::Layout::Operation,
        qualified: false,
        types: style.is_encoded(),
        zone: true,
        nil_in_records: true,
        ..soap::Options::default()
    }
}

fn named(layout: Layout, options: soap::Options, name: &Name) -> Described {
    let (operation, namespace) = (name.local.to_string(), name.namespace.to_string());
    let options = soap::Options { operation, namespace, ..options };
    Described { layout, options }
}
