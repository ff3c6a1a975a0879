//! Which operation of a WSDL is meant, and at which of its ports.

use std::collections::HashSet;

use trunkline_http::Uri;
use trunkline_import::wsdl::Protocol;
use trunkline_session::soap::outline::{Outline, OutlinedOperation, Port};
use trunkline_session::soap::{Binding, SoapVersion};

use super::listed;
use super::typed::nearest;
use crate::arguments::SoapCallArguments;
use crate::fault::Fault;

/// As many ports are shown where none is chosen.
const SHOWN: usize = 8;

/// And as many operations.
const SHOWN_OPERATIONS: usize = 24;

/// What is called.
pub(super) struct Choice<'a> {
    /// In the binding that is wanted most.
    pub(super) operation: &'a OutlinedOperation,
    /// The port that was said: it is called at its address, and without one the URL is.
    pub(super) port: Option<&'a Port>,
}

/// The operation, and the port if one was said.
pub(super) fn of<'a>(
    arguments: &SoapCallArguments,
    url: &str,
    from: &str,
    outline: &'a Outline,
) -> Result<Choice<'a>, Fault> {
    let mut found = named(arguments, from, outline)?;
    if let Some(port) = &arguments.port {
        return at_port(port, url, from, outline, &found);
    }
    // The WSDL may be behind a gateway, at which paths are the same.
    for is_here in [is_same as fn(&str, &str) -> bool, is_same_path] {
        narrow(&mut found, |it| it.ports.iter().any(|port| is_here(&port.location, url)));
    }
    // A service answers in the version of the request, whatever its WSDL says.
    narrow(&mut found, |it| (it.binding.version == SoapVersion::Soap12) == arguments.soap12);
    narrow(&mut found, |it| it.ports.iter().any(|it| is_web(&it.location)));
    let operation = found[0];
    match found.iter().all(|it| it.port_type == operation.port_type) {
        true => Ok(Choice { operation, port: None }),
        false => Err(several(&arguments.operation, from, found.iter().flat_map(|it| &it.ports))),
    }
}

/// The operation at the port that was said, whose address is called: the URL may not be another port's.
fn at_port<'a>(
    wanted: &str,
    url: &str,
    from: &str,
    outline: &'a Outline,
    found: &[&'a OutlinedOperation],
) -> Result<Choice<'a>, Fault> {
    let all = found.iter().flat_map(|operation| operation.ports.iter().map(|it| (*operation, it)));
    let is_meant = |it: &Port| it.name == wanted || shown(it) == wanted;
    let meant: Vec<(&OutlinedOperation, &Port)> = all.filter(|it| is_meant(it.1)).collect();
    let Some((operation, port)) = meant.first().copied() else {
        let all = ports(found.iter().flat_map(|it| &it.ports));
        return Err(Fault::new(format!("{from} has no port {wanted}; there is {all}")));
    };
    if meant.iter().any(|it| it.1 != port) {
        return Err(several(&operation.name, from, meant.iter().map(|it| it.1)));
    }
    let (name, location) = (shown(port), &port.location);
    if !is_web(location) {
        return Err(Fault::new(format!(
            "the port {name} is at {location:?}, which is no address of HTTP"
        )));
    }
    let mut all = outline.operations().iter().flat_map(|it| &it.ports);
    match all.find(|it| is_same(&it.location, url)) {
        Some(other) if !is_same(location, url) => Err(Fault::new(format!(
            "{url} is the port {}, and --port says {name} at {location}: say one of the two",
            shown(other)
        ))),
        _ => Ok(Choice { operation, port: Some(port) }),
    }
}

/// The operations of the name, in the style that is wanted.
fn named<'a>(
    arguments: &SoapCallArguments,
    from: &str,
    outline: &'a Outline,
) -> Result<Vec<&'a OutlinedOperation>, Fault> {
    let name = &arguments.operation;
    let all = outline.operations();
    let mut found: Vec<&OutlinedOperation> = all.iter().filter(|it| it.name == *name).collect();
    let Some(first) = found.first() else {
        return Err(Fault::new(format!("{from} has no operation {name}{}", others(name, outline))));
    };
    let binding = first.binding.name();
    let is_wanted = |it: &OutlinedOperation| {
        arguments.binding.is_none_or(|wanted| {
            Binding { version: it.binding.version, ..wanted.binding() } == it.binding
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
fn others(name: &str, outline: &Outline) -> String {
    // Bindings have the same ones.
    let mut seen = HashSet::new();
    let names = outline.operations().iter().map(|it| &*it.name);
    let names: Vec<&str> = names.filter(|it| seen.insert(*it)).collect();
    let there_is = match &*names {
        [] => "it has none of SOAP".to_owned(),
        names => {
            let names = names.iter().map(|it| it.to_string());
            format!("there is {}", listed(names, SHOWN_OPERATIONS))
        }
    };
    let meant = nearest(name, names.into_iter()).map(|it| format!("; did you mean {it}?"));
    let missing = match outline.missing() {
        missing if missing.is_empty() => missing,
        missing => format!("; {missing}"),
    };
    format!("; {there_is}{}{missing}", meant.unwrap_or_default())
}

/// Keeps those that are wanted; all and false, if none is.
fn narrow(
    found: &mut Vec<&OutlinedOperation>,
    is_wanted: impl Fn(&OutlinedOperation) -> bool,
) -> bool {
    let is_any = found.iter().any(|it| is_wanted(it));
    found.retain(|it| !is_any || is_wanted(it));
    is_any
}

/// The ports by name, with their addresses.
pub(super) fn ports<'a>(ports: impl Iterator<Item = &'a Port>) -> String {
    let mut seen = HashSet::new();
    let places = ports.map(|port| format!("{} at {}", shown(port), port.location));
    let all = listed(places.filter(|it| seen.insert(it.clone())), SHOWN);
    if all.is_empty() { "none".to_owned() } else { all }
}

fn several<'a>(name: &str, from: &str, found: impl Iterator<Item = &'a Port>) -> Fault {
    Fault::new(format!("{from} has {name} at several ports, say --port: {}", ports(found)))
}

/// As `--port` takes it where services have ports of the same name.
pub(super) fn shown(port: &Port) -> String {
    format!("{}/{}", port.service, port.name)
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
