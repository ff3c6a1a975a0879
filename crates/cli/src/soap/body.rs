//! A request that is given as a whole, and header blocks, in XML or JSON, held against the WSDL.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::sync::Arc;

use serde_json::Value;
use trunkline_import::wsdl::{Binding, Described, Description, Header, Operation, Protocol};
use trunkline_import::{Limits, Problem};
use trunkline_soap::{Encoder, Fragment, HeaderBlock, Options, Plan, QName, Version};

use super::content::{Form, enveloped, from_json, from_xml, is_envelope};
use super::typed::nearest;
use super::{Called, listed};
use crate::fault::Fault;

/// As many names are shown where one is wrong.
const SHOWN: usize = 24;

/// The documents of a description, by where they were read.
pub(super) type Documents = HashMap<String, Vec<u8>>;

/// What a description says of the operation that is called.
pub(super) struct Messages {
    request: Option<Form>,
    /// Blocks by the names of their parts and of their elements.
    headers: Vec<(String, QName, Form)>,
}

impl Messages {
    /// Finds an operation of this name in a description, if it can in the binding of this element and version.
    pub(super) fn read(
        from: &str,
        documents: &Documents,
        (name, element, version): (&str, &QName, Version),
    ) -> Result<Self, Fault> {
        let mut resolver = |path: &str| Ok(documents.get(path).cloned());
        let description = Description::read(from, &mut resolver, &Limits::default())?;
        let all = description.bindings().iter().filter_map(|it| Some((version_of(it)?, it)));
        let all = all.flat_map(|(version, binding)| {
            let named = binding.operations.iter().filter(|it| it.name == name);
            named.map(move |it| (version, binding, it))
        });
        let is_meant = |(_, binding, operation): &(Version, &Binding, &Operation)| {
            let request = description.request(binding, operation).ok().flatten();
            request.is_some_and(|it| {
                it.options.operation == element.local && it.options.namespace == element.namespace
            })
        };
        let all: Vec<(Version, &Binding, &Operation)> = all.collect();
        let meant = || all.iter().filter(|it| is_meant(it));
        let found = meant().find(|it| it.0 == version).or(meant().next()).or(all.first());
        let Some((_, binding, operation)) = found else {
            return Err(Fault::new(format!("{from} has no operation {name} in a binding of SOAP")));
        };
        let form = |it: Described| (Arc::new(it.layout), Options { version, ..it.options });
        let block = |header: &Header| -> Result<_, Problem> {
            let described = description.header(binding, header)?;
            let Options { namespace, operation, .. } = &described.options;
            let element = QName::new(namespace, operation);
            Ok((header.part.name.clone(), element, form(described)))
        };
        let headers = operation.request.iter().flat_map(|it| &it.headers).map(block);
        let headers = headers.collect::<Result<_, _>>()?;
        Ok(Self { request: description.request(binding, operation)?.map(form), headers })
    }
}

fn version_of(binding: &Binding) -> Option<Version> {
    match binding.protocol {
        Protocol::Soap11 => Some(Version::Soap11),
        Protocol::Soap12 => Some(Version::Soap12),
        Protocol::Http | Protocol::Other(_) => None,
    }
}

/// The header blocks that were said; those of the WSDL that they are, are taken from what is not sent.
pub(super) fn blocks(called: &mut Called, said: &[String]) -> Result<Vec<HeaderBlock>, Fault> {
    let mut blocks = Vec::new();
    for said in said {
        let text = text_of(said)?;
        let block = match text.trim_ascii() {
            text if text.starts_with('<') => Fragment::parse(text).map_err(|it| it.to_string()),
            text => of_json(called, text),
        };
        let block = block.map_err(|why| Fault::new(format!("--header {said}: {why}")))?;
        if let Some(messages) = &called.messages {
            let is_it = |it: &&(String, QName, Form)| it.1 == *block.name();
            let sent = messages.headers.iter().find(is_it);
            called.headers.retain(|it| sent.is_none_or(|sent| *it != sent.0));
        }
        blocks.push(HeaderBlock::new(block));
    }
    Ok(blocks)
}

/// A block of the WSDL, as `{"Session": {"token": "x"}}`.
fn of_json(called: &Called, text: &str) -> Result<Fragment, String> {
    let Some(messages) = &called.messages else { return Err(UNKNOWN.to_owned()) };
    let all: Value = serde_json::from_str(text).map_err(|it| it.to_string())?;
    let members = all.as_object().filter(|it| it.len() == 1);
    let Some((name, value)) = members.and_then(|it| it.iter().next()) else {
        return Err("a block is an object of one member, which has its name".to_owned());
    };
    let found = messages.headers.iter().find(|it| it.1.local == *name || it.0 == *name);
    let Some((_, _, (layout, options))) = found else {
        let names = messages.headers.iter().map(|it| &*it.1.local);
        let meant = nearest(name, names.clone()).map(|it| format!("; did you mean {it}?"));
        let names = listed(names.map(str::to_owned), SHOWN);
        let names = if names.is_empty() { "none".to_owned() } else { names };
        let meant = meant.unwrap_or_default();
        return Err(format!(
            "{} takes no header block {name}; there is {names}{meant}",
            called.name
        ));
    };
    let record = from_json(value.to_string().as_bytes(), layout)?;
    let plan = Plan::new(layout, options).map_err(|it| it.to_string())?;
    let mut encoder = Encoder::new(&plan);
    let bytes = encoder.encode(&record).map_err(|it| it.to_string())?;
    Fragment::parse(&String::from_utf8_lossy(bytes)).map_err(|it| it.to_string())
}

const UNKNOWN: &str = "in JSON it is by a WSDL, and there is none: say it in XML";

/// The envelope of a request that was said. In XML it goes as it is, once it is known to fit.
pub(super) fn envelope(
    called: &Called,
    said: &str,
    blocks: &[HeaderBlock],
) -> Result<String, Fault> {
    let version = called.binding.version;
    let text = text_of(said)?;
    let header: String = blocks.iter().map(|it| it.encode(version)).collect();
    let wrong = |why: String| Fault::new(format!("--body {said}: {why}"));
    let nothing = || wrong(format!("the Body of {} has nothing in it", called.name));
    let messages = called.messages.as_ref();
    let request = messages.map(|it| it.request.as_ref().ok_or_else(nothing)).transpose()?;
    match (text.trim_ascii(), request) {
        (text, _) if text.starts_with('<') && is_envelope(text) && !blocks.is_empty() => {
            Err(wrong("it is an envelope, which has its own header".to_owned()))
        }
        (text, request) if text.starts_with('<') => {
            let envelope = enveloped(text, version, &header);
            let read = request.map(|form| from_xml(&envelope, form)).transpose();
            read.map_err(wrong)?;
            Ok(envelope)
        }
        (text, Some((layout, options))) => {
            let record = from_json(text.as_bytes(), layout).map_err(wrong)?;
            let plan = Plan::new(layout, options)?;
            let mut encoder = Encoder::new(&plan);
            let bytes = encoder.encode_with(&header, &record)?;
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
        (_, None) => Err(wrong(UNKNOWN.to_owned())),
    }
}

/// The text that was said, or that of a file, or of standard input.
fn text_of(said: &str) -> Result<String, Fault> {
    let read = match said.trim_ascii_start().chars().next() {
        Some('<' | '{') => return Ok(said.to_owned()),
        _ if said == "-" => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        }
        _ => fs::read_to_string(said),
    };
    let text = read.map_err(|cause| Fault::new(format!("{said}: {cause}")))?;
    Ok(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text))
}
