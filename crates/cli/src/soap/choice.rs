//! Which operation of a WSDL is meant, and at which of its ports.

use std::collections::HashSet;

use trunkline_http::Uri;
use trunkline_import::nearest;
use trunkline_import::wsdl::{self, Description, Operation, Protocol, Style};
use trunkline_session::soap::{Binding, SoapVersion};

use super::listed;
use crate::arguments::SoapCallArguments;
use crate::fault::Fault;

/// As many ports are shown where none is chosen.
const SHOWN: usize = 8;

/// And as many operations.
const SHOWN_OPERATIONS: usize = 24;

/// What is called.
pub(super) struct Choice<'a> {
    /// In the binding that is wanted most; several where it is overloaded.
    pub(super) operations: Vec<Bound<'a>>,
    /// The port that was said: it is called at its address, and without one the URL is.
    pub(super) port: Option<Port<'a>>,
}

/// An operation in one of its bindings.
#[derive(Clone)]
pub(super) struct Bound<'a> {
    pub(super) operation: &'a Operation,
    pub(super) binding: &'a wsdl::Binding,
    /// How its messages look.
    pub(super) form: Binding,
    /// The ports of the binding.
    pub(super) ports: Vec<Port<'a>>,
}

impl<'a> Bound<'a> {
    /// An operation in a binding of SOAP, of whose ports nothing is asked.
    pub(super) fn of(binding: &'a wsdl::Binding, operation: &'a Operation) -> Self {
        let version = match binding.protocol {
            Protocol::Soap12 => SoapVersion::Soap12,
            _ => SoapVersion::Soap11,
        };
        let form = Binding { version, ..form_of(operation) };
        Self { operation, binding, form, ports: Vec::new() }
    }
}

/// A port, and the name of its service.
#[derive(Clone, Copy)]
pub(super) struct Port<'a> {
    service: &'a str,
    pub(super) port: &'a wsdl::Port,
}

impl<'a> Port<'a> {
    /// The URL; may be empty.
    pub(super) fn location(&self) -> &'a str {
        self.port.address.as_deref().unwrap_or_default()
    }

    /// As `--port` takes it where services have ports of the same name.
    pub(super) fn shown(&self) -> String {
        format!("{}/{}", self.service, self.port.name)
    }
}

/// The operation, and the port if one was said.
pub(super) fn of<'a>(
    arguments: &SoapCallArguments,
    url: &str,
    from: &str,
    description: &'a Description,
) -> Result<Choice<'a>, Fault> {
    let all = all(description);
    let mut found = named(arguments, from, description, &all)?;
    if let Some(port) = &arguments.port {
        return at_port(port, url, from, &all, &found);
    }
    // The WSDL may be behind a gateway, at which paths are the same.
    for is_here in [is_same as fn(&str, &str) -> bool, is_same_path] {
        narrow(&mut found, |it| it.ports.iter().any(|port| is_here(port.location(), url)));
    }
    // A service answers in the version of the request, whatever its WSDL says.
    narrow(&mut found, |it| (it.form.version == SoapVersion::Soap12) == arguments.soap12);
    narrow(&mut found, |it| it.ports.iter().any(|it| is_web(it.location())));
    let binding = found[0].binding;
    match found.iter().all(|it| it.binding.port_type == binding.port_type) {
        true => Ok(Choice { operations: of_binding(&found, binding), port: None }),
        false => Err(several(&arguments.operation, from, found.iter().flat_map(|it| &it.ports))),
    }
}

fn of_binding<'a>(all: &[Bound<'a>], binding: &wsdl::Binding) -> Vec<Bound<'a>> {
    all.iter().filter(|it| std::ptr::eq(it.binding, binding)).cloned().collect()
}

/// Every operation of every binding of SOAP.
fn all(description: &Description) -> Vec<Bound<'_>> {
    let mut all = Vec::new();
    for (index, binding) in description.bindings().iter().enumerate() {
        if !is_soap(&binding.protocol) {
            continue;
        }
        let ports = description.services().iter().flat_map(|service| {
            let service_name = &*service.name.local;
            service.ports.iter().map(move |port| Port { service: service_name, port })
        });
        let ports: Vec<Port<'_>> = ports.filter(|it| it.port.binding == index).collect();
        all.extend(binding.operations.iter().map(|operation| {
            let bound = Bound::of(binding, operation);
            Bound { ports: ports.clone(), ..bound }
        }));
    }
    all
}

/// How the messages of an operation look.
fn form_of(operation: &Operation) -> Binding {
    let request = operation.request.as_ref();
    let is_wrapped = || {
        let element = request.and_then(|it| it.parts.first()?.element());
        element.is_none_or(|it| *it.local == *operation.name)
    };
    match (operation.style, request.is_some_and(|it| it.is_encoded)) {
        (Style::Rpc, true) => Binding::rpc_encoded(),
        (Style::Rpc, false) => Binding::rpc_literal(),
        (Style::Document, true) => Binding::document_encoded(),
        (Style::Document, false) if is_wrapped() => Binding::document_literal(),
        (Style::Document, false) => Binding::document_literal_bare(),
    }
}

/// The operation at the port that was said, whose address is called: the URL may not be another port's.
fn at_port<'a>(
    wanted: &str,
    url: &str,
    from: &str,
    all: &[Bound<'a>],
    found: &[Bound<'a>],
) -> Result<Choice<'a>, Fault> {
    let ports_of =
        found.iter().flat_map(|operation| operation.ports.iter().map(move |it| (operation, *it)));
    let is_meant = |it: &Port<'_>| it.port.name == wanted || it.shown() == wanted;
    let meant: Vec<(&Bound<'a>, Port<'a>)> = ports_of.filter(|it| is_meant(&it.1)).collect();
    let Some((operation, port)) = meant.first().copied() else {
        let all = ports(found.iter().flat_map(|it| &it.ports));
        return Err(Fault::new(format!("{from} has no port {wanted}; there is {all}")));
    };
    if meant.iter().any(|it| !std::ptr::eq(it.1.port, port.port)) {
        return Err(several(&operation.operation.name, from, meant.iter().map(|it| &it.1)));
    }
    let (name, location) = (port.shown(), port.location());
    if !is_web(location) {
        return Err(Fault::new(format!(
            "the port {name} is at {location:?}, which is no address of HTTP"
        )));
    }
    let mut ports_of_all = all.iter().flat_map(|it| &it.ports);
    match ports_of_all.find(|it| is_same(it.location(), url)) {
        Some(other) if !is_same(location, url) => Err(Fault::new(format!(
            "{url} is the port {}, and --port says {name} at {location}: say one of the two",
            other.shown()
        ))),
        _ => Ok(Choice { operations: of_binding(found, operation.binding), port: Some(port) }),
    }
}

/// The operations of the name, in the style that is wanted.
fn named<'a>(
    arguments: &SoapCallArguments,
    from: &str,
    description: &Description,
    all: &[Bound<'a>],
) -> Result<Vec<Bound<'a>>, Fault> {
    let name = &arguments.operation;
    let mut found: Vec<Bound<'a>> =
        all.iter().filter(|it| it.operation.name == *name).cloned().collect();
    let Some(first) = found.first() else {
        let others = others(name, description, all);
        return Err(Fault::new(format!("{from} has no operation {name}{others}")));
    };
    let binding = first.form.name();
    let is_wanted = |it: &Bound<'_>| {
        arguments.binding.is_none_or(|wanted| {
            Binding { version: it.form.version, ..wanted.binding() } == it.form
        })
    };
    match narrow(&mut found, is_wanted) {
        true => Ok(found),
        false => Err(Fault::new(format!(
            "{from} has {name} in another binding, {binding}; it is taken without --binding"
        ))),
    }
}

/// What there is where an operation is not there.
fn others(name: &str, description: &Description, all: &[Bound<'_>]) -> String {
    // Bindings have the same ones.
    let mut seen = HashSet::new();
    let names = all.iter().map(|it| &*it.operation.name);
    let names: Vec<&str> = names.filter(|it| seen.insert(*it)).collect();
    let there_is = match &*names {
        [] => "it has none of SOAP".to_owned(),
        names => {
            let names = names.iter().map(|it| it.to_string());
            format!("there is {}", listed(names, SHOWN_OPERATIONS))
        }
    };
    let meant = nearest(name, names.into_iter()).map(|it| format!("; did you mean {it}?"));
    let missing = match description.missing() {
        missing if missing.is_empty() => missing,
        missing => format!("; {missing}"),
    };
    format!("; {there_is}{}{missing}", meant.unwrap_or_default())
}

/// Keeps those that are wanted; all and false, if none is.
fn narrow(found: &mut Vec<Bound<'_>>, is_wanted: impl Fn(&Bound<'_>) -> bool) -> bool {
    let is_any = found.iter().any(&is_wanted);
    found.retain(|it| !is_any || is_wanted(it));
    is_any
}

/// The ports by name, with their addresses.
pub(super) fn ports<'a>(ports: impl Iterator<Item = &'a Port<'a>>) -> String {
    let mut seen = HashSet::new();
    let places = ports.map(|port| format!("{} at {}", port.shown(), port.location()));
    let all = listed(places.filter(|it| seen.insert(it.clone())), SHOWN);
    if all.is_empty() { "none".to_owned() } else { all }
}

fn several<'a>(name: &str, from: &str, found: impl Iterator<Item = &'a Port<'a>>) -> Fault {
    Fault::new(format!("{from} has {name} at several ports, say --port: {}", ports(found)))
}

/// Is it an address that can be called? Others are of message queues and the like.
pub(super) fn is_web(location: &str) -> bool {
    let known = ["http", "https", "vnd.sun.ws.tcp", "vnd.sun.ws.tcps"];
    parts(location).is_some_and(|it| known.contains(&&*it.0))
}

pub(super) fn is_soap(protocol: &Protocol) -> bool {
    matches!(protocol, Protocol::Soap11 | Protocol::Soap12)
}

/// Are they one URL? Schemes and hosts are of any case, and ports need not be said.
pub(super) fn is_same(location: &str, url: &str) -> bool {
    parts(location).is_some_and(|it| Some(it) == parts(url))
}

pub(super) fn is_same_path(location: &str, url: &str) -> bool {
    parts(location).is_some_and(|it| Some(it.3) == parts(url).map(|it| it.3))
}

/// Scheme, host, port, and path with the query.
fn parts(url: &str) -> Option<(String, String, u16, String)> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    let path = uri.path_and_query().map_or("/", |it| it.as_str()).to_owned();
    Some((scheme, uri.host()?.to_ascii_lowercase(), port, path))
}
