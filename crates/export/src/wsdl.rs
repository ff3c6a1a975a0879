//! WSDL 1.1, document/literal wrapped, of the services of WSDL and of the interfaces of IDL.
//!
//! Each interface is a service with a port for each version of SOAP; several are a file each. Services, ports, bindings and
//! port types of WSDL keep their names. What it takes and answers is
//! described as [`xsd`] describes it, headers and faults as well. The element of a request is named after its
//! operation, that of an answer has `Response` behind it, and both are in the namespace of the service; what was
//! called otherwise is said. Operations of which a schema has no form are left out, and so are those of bindings
//! without SOAP. IDL has neither addresses nor SOAPAction; whoever calls an operation of IDL so finds `inout`
//! parameters in both messages.

use std::collections::HashSet;
use std::sync::Arc;

use trunkline_import::{Description, Problem};
use trunkline_message::Layout;
use trunkline_session::soap::wsdl::{self, Binding, OperationDescription};
use trunkline_soap::{Style, Version};

use crate::calls::{Call, Calls, Interface};
use crate::changes::Changes;
use crate::types::Graph;
use crate::{LeftOut, Written, xsd};

/// The services of a description: all operations, or that of this name. What is in no namespace yet is in this one; `stem`
/// is what files are called without `.wsdl`. Of what has no operations, nothing is written.
///
/// # Errors
/// There is no operation of the name.
pub fn of_description(
    description: &Description,
    only: Option<&str>,
    namespace: &str,
    stem: &str,
) -> Result<Written, Problem> {
    let mut left_out = Vec::new();
    let calls = match description {
        Description::Idl(specification) => {
            Calls::of_idl_with_included(specification, &mut left_out)
        }
        Description::Services(services) => Calls::of_services(services, &mut left_out),
        _ => {
            let why = "messages alone are no service: --xsd has the elements, for a WSDL to import";
            left_out.push(LeftOut { what: "a service".to_owned(), why: why.to_owned() });
            return Ok(Written { left_out, ..Written::default() });
        }
    };
    let mut writer =
        Writer { calls: &calls, only, changes: Changes::default(), left_out, used: Vec::new() };
    let mut done: HashSet<&str> = HashSet::new();
    let mut services = Vec::new();
    for (index, interface) in calls.interfaces.iter().enumerate() {
        if interface.is_included {
            continue;
        }
        let is_known = !interface.port_type.is_empty() && !done.insert(&interface.port_type);
        if is_known {
            continue;
        }
        let others = calls.interfaces[index + 1..].iter();
        let same =
            others.filter(|it| !it.port_type.is_empty() && it.port_type == interface.port_type);
        let bindings: Vec<&Interface> = [interface].into_iter().chain(same).collect();
        services.extend(writer.service(&bindings, namespace));
    }
    Ok(writer.finished(&services, stem))
}

/// The namespace of services that are in none.
pub(crate) const NAMESPACE: &str = "urn:service";

/// Where an interface is, or where the WSDL says that it is if that is not known.
pub(crate) fn address(interface: &Interface) -> String {
    match &*interface.address {
        "" => format!("http://localhost/{}", interface.name),
        address => address.to_owned(),
    }
}

/// A port of each version of SOAP is all that a client needs.
const ONE_PORT: &str = "a service has one port of each version of SOAP, the first";

/// The name, or with a number behind it the first that is not taken.
fn untaken(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|count| format!("{name}_{count}"));
    let mut names = [name.to_owned()].into_iter().chain(numbered);
    names.find(|it| taken.insert(it.clone())).unwrap_or_default()
}

/// Writes services.
struct Writer<'a> {
    calls: &'a Calls,
    only: Option<&'a str>,
    changes: Changes,
    left_out: Vec<LeftOut>,
    /// The layouts that are in a service.
    used: Vec<usize>,
}

impl Writer<'_> {
    /// The service of bindings that have the same operations; none if it would have none.
    fn service(&mut self, bindings: &[&Interface], namespace: &str) -> Option<wsdl::Description> {
        let first = bindings[0];
        let is_idl = first.port_type.is_empty();
        let own = if is_idl { namespace } else { &first.scope };
        let own = if own.is_empty() { NAMESPACE } else { own };
        let port_type = first.port_type.rsplit('}').next().filter(|it| !it.is_empty());
        let mut description = wsdl::Description {
            name: first.service.clone(),
            port_type: port_type.map(str::to_owned),
            namespace: own.to_owned(),
            bindings: Vec::new(),
            operations: Vec::new(),
            documentation: None,
        };
        let (mut names, mut known) = (HashSet::new(), HashSet::new());
        for interface in bindings {
            let version = if interface.is_soap12 { Version::Soap12 } else { Version::Soap11 };
            let port = format!("{}::{}", interface.service, interface.name);
            for left_out in &interface.more_ports {
                self.changes.add(|| left_out.clone(), ONE_PORT.to_owned());
            }
            if description.bindings.iter().any(|it| it.version == version) {
                self.changes.add(|| port, ONE_PORT.to_owned());
                continue;
            }
            if interface.service != description.name {
                let why = "the ports of one port type are those of one service";
                self.changes.add(|| port, why.to_owned());
            }
            let name = untaken(&interface.name, &mut names);
            let binding = interface.binding.as_ref().map(|it| untaken(it, &mut known));
            let location = address(interface);
            description.bindings.push(Binding {
                name,
                binding,
                version,
                style: Style::DocumentLiteral,
                wrapped: true,
                qualified: true,
                location,
            });
        }
        let only = self.only;
        let calls = self.calls.all_of(first);
        for call in calls.into_iter().filter(|it| only.is_none_or(|only| it.name == only)) {
            self.operation(&mut description, call, is_idl);
        }
        (!description.operations.is_empty()).then_some(description)
    }

    fn operation(&mut self, description: &mut wsdl::Description, call: &Call, is_idl: bool) {
        let what = format!("{}::{}", description.name, call.name);
        let layout = |of: usize| Arc::new(self.calls.layouts[of].clone());
        let nothing = |name: &str| {
            let built = Layout::builder(name).build();
            Arc::new(built.expect("a message with nothing in it has a layout"))
        };
        let input = call.request.map_or_else(|| nothing(&call.name), layout);
        let answer = || nothing(&format!("{}Response", call.name));
        let output = call.is_answered.then(|| call.reply.map_or_else(answer, layout));
        let faults = call.faults.iter().map(|(name, of)| {
            let name = name.rsplit("::").next().unwrap_or(name);
            (name.to_owned(), layout(*of))
        });
        let blocks = |at: usize| call.headers[at].iter().map(|it| layout(*it)).collect::<Vec<_>>();
        description.operations.push(OperationDescription {
            name: call.name.clone(),
            action: call.action.clone(),
            documentation: None,
            input,
            output,
            faults: faults.collect(),
            input_headers: blocks(0),
            output_headers: blocks(1),
        });
        if let Err(why) = description.check() {
            description.operations.pop();
            return self.left_out.push(LeftOut { what, why: why.to_string() });
        }
        let of_headers = call.headers.iter().flatten().copied();
        let of_faults = call.faults.iter().map(|it| it.1);
        let bodies = call.request.into_iter().chain(call.reply);
        self.used.extend(bodies.chain(of_headers).chain(of_faults));
        if !is_idl {
            let response = format!("{}Response", call.name);
            self.named(call.request, &description.namespace, &call.name, &what);
            self.named(call.reply, &description.namespace, &response, &what);
            let written = [format!("{}Input", call.name), format!("{}Output", call.name)];
            for (message, _) in
                call.messages.iter().flatten().zip(&written).filter(|it| it.0 != it.1)
            {
                let why = "messages are named after their operation, with Input or Output behind";
                self.changes.add(|| format!("{what}: the message {message}"), why.to_owned());
            }
        }
    }

    /// Says that an element was called otherwise, or might be nil.
    fn named(&mut self, layout: Option<usize>, namespace: &str, name: &str, what: &str) {
        let Some(Some(own)) = layout.map(|it| &self.calls.elements[it]) else { return };
        let path = || format!("{what}: {{{}}}{}", own.namespace, own.name);
        if (&*own.namespace, &*own.name) != (namespace, name) {
            let why =
                "elements of a Body are named after the operation, in the namespace of the service";
            self.changes.add(path, why.to_owned());
        }
        if own.is_nillable {
            let why = "the element around parameters is not nil: it may have none";
            self.changes.add(path, why.to_owned());
        }
    }

    fn finished(mut self, services: &[wsdl::Description], stem: &str) -> Written {
        // Several services have what they inherit from one interface.
        self.used.sort_unstable();
        self.used.dedup();
        let layouts: Vec<&Layout> = self.used.iter().map(|it| &self.calls.layouts[*it]).collect();
        let graph = Graph::of(&layouts);
        xsd::add_changes(&mut self.changes, &graph);
        for of in &graph.types {
            let is_nil = |at: &usize| of.note_of(*at, "xml", "nillable").is_some();
            for at in (0..of.members().len()).filter(is_nil) {
                let why = "what may be nil may be absent as well, as senders of SOAP have it";
                self.changes.add(|| of.path(at), why.to_owned());
            }
        }
        let mut texts = services.iter().map(wsdl::write);
        let text = texts.next().unwrap_or_default();
        let named = |(index, text)| (format!("{stem}-{}.wsdl", index + 2), text);
        Written {
            text,
            count: services.iter().map(|it| it.operations.len()).sum(),
            left_out: self.left_out,
            changed: self.changes.lines(),
            beside: texts.enumerate().map(named).collect(),
        }
    }
}
