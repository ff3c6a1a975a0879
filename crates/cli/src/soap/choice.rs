//! Which operation of a WSDL is meant, and at which of its ports.

use trunkline_session::soap::outline::{Outline, OutlinedOperation, Port};
use trunkline_session::soap::{Binding, SoapVersion};

use crate::arguments::SoapCallArguments;
use crate::fault::Fault;

/// As many ports are shown where none is chosen.
const SHOWN: usize = 8;

/// The operation in the binding that is wanted most, and where it is, if not at the URL that was given.
pub(super) fn of<'a>(
    arguments: &SoapCallArguments,
    from: &str,
    outline: &'a Outline,
) -> Result<(&'a OutlinedOperation, Option<&'a str>), Fault> {
    let mut found = named(arguments, from, outline)?;
    let is_meant = |it: &Port| {
        arguments.port.as_ref().is_none_or(|port| it.name == *port || shown(it) == *port)
    };
    narrow(&mut found, |it| arguments.port.is_none() || it.ports.iter().any(is_meant)).map_err(
        |all| {
            let port = arguments.port.as_deref().unwrap_or_default();
            Fault::new(format!("{from} has no port {port}; there is {all}"))
        },
    )?;
    // The WSDL may be behind a gateway, at which paths are the same.
    for is_here in [is_same as fn(&str, &str) -> bool, is_same_path] {
        let is_at_url = |it: &Port| is_here(&it.location, &arguments.url);
        let _ = narrow(&mut found, |it| it.ports.iter().any(is_at_url));
    }
    // A service answers in the version of the request, whatever its WSDL says.
    let is_version =
        |it: &OutlinedOperation| (it.binding.version == SoapVersion::Soap12) == arguments.soap12;
    let _ = narrow(&mut found, is_version);
    let _ = narrow(&mut found, |it| it.ports.iter().any(is_web));
    let operation = found[0];
    if found.iter().any(|it| it.port_type != operation.port_type) {
        return Err(several(arguments, from, &found));
    }
    // Where all are at one place, the URL goes before it.
    let all = outline.operations().iter().flat_map(|it| &it.ports).filter(|it| is_web(it));
    let mut places = all.map(|it| &it.location);
    let first = places.next();
    let is_only = places.all(|it| Some(it) == first);
    let ports: Vec<&Port> =
        operation.ports.iter().filter(|it| is_meant(it) && is_web(it)).collect();
    let is_at_url = |it: &&Port| is_same_path(&it.location, &arguments.url);
    match &*ports {
        _ if is_only || ports.iter().any(is_at_url) => Ok((operation, None)),
        [] => Ok((operation, None)),
        [port, others @ ..] if others.iter().all(|it| it.location == port.location) => {
            Ok((operation, Some(&port.location)))
        }
        _ => Err(several(arguments, from, &found)),
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
        let mut names: Vec<&str> = all.iter().map(|it| &*it.name).collect();
        names.dedup();
        let there_is = match &*names {
            [] => "it has none of SOAP".to_owned(),
            names => format!("there is {}", names.join(", ")),
        };
        let missing: String = outline.missing().map(|it| format!("; {it}")).collect();
        return Err(Fault::new(format!("{from} has no operation {name}; {there_is}{missing}")));
    };
    let binding = first.binding.name();
    let is_wanted = |it: &OutlinedOperation| {
        arguments.binding.is_none_or(|wanted| {
            Binding { version: it.binding.version, ..wanted.binding() } == it.binding
        })
    };
    narrow(&mut found, is_wanted)
        .map_err(|_| Fault::new(format!("{from} has {name} in another binding, {binding}")))?;
    Ok(found)
}

/// Keeps those that are wanted; all, if none is, and names their ports then.
fn narrow(
    found: &mut Vec<&OutlinedOperation>,
    is_wanted: impl Fn(&OutlinedOperation) -> bool,
) -> Result<(), String> {
    match found.iter().any(|it| is_wanted(it)) {
        true => {
            found.retain(|it| is_wanted(it));
            Ok(())
        }
        false => Err(ports(found)),
    }
}

fn ports(found: &[&OutlinedOperation]) -> String {
    let mut all: Vec<String> = Vec::new();
    for port in found.iter().flat_map(|it| &it.ports) {
        let place = format!("{} at {}", shown(port), port.location);
        if !all.contains(&place) {
            all.push(place);
        }
    }
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    match more {
        _ if all.is_empty() => "none".to_owned(),
        0 => all.join(", "),
        more => format!("{} and {more} more", all.join(", ")),
    }
}

fn several(arguments: &SoapCallArguments, from: &str, found: &[&OutlinedOperation]) -> Fault {
    let (name, all) = (&arguments.operation, ports(found));
    Fault::new(format!("{from} has {name} at several ports, say --port: {all}"))
}

/// As `--port` takes it where services have ports of the same name.
fn shown(port: &Port) -> String {
    format!("{}/{}", port.service, port.name)
}

/// Is it one that can be called? Others are of message queues and the like.
fn is_web(port: &Port) -> bool {
    ["http://", "https://"].iter().any(|it| port.location.starts_with(it))
}

fn is_same(location: &str, url: &str) -> bool {
    location == url
}

fn is_same_path(location: &str, url: &str) -> bool {
    let path = |url: &str| {
        let rest = url.split_once("://")?.1;
        Some(rest.find('/').map_or("/", |it| &rest[it..]).to_owned())
    };
    path(location).is_some_and(|it| Some(it) == path(url))
}
