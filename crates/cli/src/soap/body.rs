//! A request that is given as a whole, and header blocks, in XML or JSON, held against the WSDL.

use std::fs;
use std::io::{self, Read as _};
use std::sync::Arc;

use serde::de::IgnoredAny;
use trunkline_import::Problem;
use trunkline_import::nearest;
use trunkline_import::wsdl::{self, Described, Description, Header};
use trunkline_message::Limits;
use trunkline_soap::{self as soap, Encoder, Fragment, HeaderBlock, Options, Plan, QName, Version};

use super::choice::Bound;
use super::content::{
    Enveloped, Form, Said, Unread, from_json, from_part, from_xml, is_envelope, reject_unsaid,
    text_of as text_of_bytes,
};
use super::place::{self, Placed};
use super::{Called, listed, valid};
use crate::fault::Fault;
use crate::output::remark;

/// As many names are shown where one is wrong.
const SHOWN: usize = 24;

/// What a description says of the operation that is called.
pub(super) struct Messages {
    /// None of one whose Body is empty; else a problem where it has no form.
    pub(super) request: Option<Result<Form, Problem>>,
    /// The message that is the answer, if there is one.
    pub(super) answer: Option<wsdl::Message>,
    /// What it is; none of one whose Body is empty.
    pub(super) response: Option<Result<Form, Problem>>,
    headers: Vec<Block>,
}

/// A header block, by the names of its part and of its element.
struct Block {
    part: String,
    element: QName,
    form: Result<Form, Problem>,
}

impl Messages {
    /// Of an operation, in this version.
    pub(super) fn of(description: &Description, bound: &Bound<'_>, version: Version) -> Self {
        let Bound { operation, binding, .. } = bound;
        let form = |it: Described| (Arc::new(it.layout), Options { version, ..it.options });
        let described = description.request(binding, operation).transpose();
        let block = |header: &Header| {
            let form = description.header(binding, header).map(form);
            let element = match (&form, header.part.element()) {
                (Ok((_, options)), _) => QName::new(&*options.namespace, &*options.operation),
                (Err(_), Some(name)) => QName::new(&*name.namespace, &*name.local),
                (Err(_), None) => QName::new(&*header.namespace, &*header.part.name),
            };
            Block { part: header.part.name.clone(), element, form }
        };
        let headers = operation.request.iter().flat_map(|it| &it.headers).map(block).collect();
        let response = description.response(binding, operation).transpose();
        Self {
            request: described.map(|it| it.map(form)),
            answer: operation.response.clone(),
            response: response.map(|it| it.map(form)),
            headers,
        }
    }

    /// The element in the Body; none where that is not known.
    pub(super) fn element(&self) -> Option<QName> {
        let (_, Options { namespace, operation, .. }) = self.request.as_ref()?.as_ref().ok()?;
        Some(QName::new(namespace, operation))
    }

    /// The names of the header blocks.
    pub(super) fn blocks(&self) -> Vec<String> {
        self.headers.iter().map(|it| it.part.clone()).collect()
    }
}

/// The header blocks that were said; those of the WSDL that they are, are taken from what is not sent.
pub(super) fn blocks(called: &mut Called, said: &[String]) -> Result<Vec<HeaderBlock>, Fault> {
    let mut blocks = Vec::new();
    for said in said {
        let text = text_of(said)?;
        let block = match text.trim_ascii() {
            xml if xml.starts_with('<') => Fragment::parse(xml).map_err(Unread::new),
            _ => of_json(called, &text),
        };
        let block = block.map_err(|why| Fault::new(why.of(&format!("--header {said}"))))?;
        if let Some(messages) = &called.messages {
            let sent = messages.headers.iter().find(|it| it.element == *block.name());
            called.headers.retain(|it| sent.is_none_or(|sent| *it != sent.part));
        }
        blocks.push(HeaderBlock::new(block));
    }
    Ok(blocks)
}

/// A block of the WSDL, as `{"Session": {"token": "x"}}`.
fn of_json(called: &Called, text: &str) -> Result<Fragment, Unread> {
    let Some(messages) = &called.messages else { return Err(Unread::new(UNKNOWN)) };
    serde_json::from_str::<IgnoredAny>(text).map_err(|it| {
        let why = it.to_string();
        let what = why.split(" at line ").next().unwrap_or_default().to_owned();
        Unread { place: Some((it.line(), it.column().max(1))), ..Unread::new(what) }
    })?;
    let start = text.len() - text.trim_ascii_start().len();
    let placed = Placed::of_json(text, start);
    let Some((name, part)) = placed.only_member() else {
        return Err(Unread::new("a block is an object of one member, which has its name"));
    };
    let found = messages.headers.iter().find(|it| it.element.local == name || it.part == name);
    let Some(block) = found else {
        let names = messages.headers.iter().map(|it| &*it.element.local);
        let meant = nearest(name, names.clone()).map(|it| format!("; did you mean {it}?"));
        let names = listed(names.map(str::to_owned), SHOWN);
        let names = if names.is_empty() { "none".to_owned() } else { names };
        let meant = meant.unwrap_or_default();
        let taker = &called.name;
        let what = format!("{taker} takes no header block {name}; there is {names}{meant}");
        return Err(Unread { place: Some(place::of_byte(text, start)), ..Unread::new(what) });
    };
    let (layout, options) = block.form.as_ref().map_err(Unread::new)?;
    reject_unsaid((text, part.bytes.clone()), (layout, options), true)?;
    let record = from_part(text, part.bytes.clone(), layout, block.form.as_ref().ok())?;
    let plan = Plan::new(layout, options).map_err(Unread::new)?;
    let mut encoder = Encoder::new(&plan);
    let bytes = encoder.encode(&record);
    let bytes = bytes.map_err(|error| Said::Json(text, part.bytes.start).unwritable(&error))?;
    Fragment::parse(&String::from_utf8_lossy(bytes)).map_err(Unread::new)
}

const UNKNOWN: &str = "in JSON it is by a WSDL, and there is none: say it in XML";

/// The envelope of a request that was said. In XML it goes as it is, once it is known to fit; where nothing is checked, at once.
pub(super) fn envelope(
    called: &Called,
    said: &str,
    blocks: &[HeaderBlock],
    is_checked: bool,
) -> Result<String, Fault> {
    let version = called.binding.version;
    let text = text_of(said)?;
    let name = if is_inline(said) { "--body" } else { said };
    let header: String = blocks.iter().map(|it| it.encode(version)).collect();
    let wrong = |why: String| Fault::new(format!("{name}: {why}"));
    let unread = |why: Unread| Fault::new(why.of(name));
    let nothing = || wrong(format!("the Body of {} has nothing in it", called.name));
    let request = match called.messages.as_ref().map(|it| &it.request) {
        None => None,
        Some(None) => return Err(nothing()),
        Some(Some(request)) => Some(request),
    };
    let is_xml = text.trim_ascii_start().starts_with('<');
    if is_xml && is_envelope(&text) && !blocks.is_empty() {
        return Err(wrong("it is an envelope, which has its own header".to_owned()));
    }
    if let Some(other) = other_version(&text, version).filter(|_| is_xml) {
        let [own, said] = [version, other].map(|it| match it {
            Version::Soap11 => "SOAP 1.1",
            Version::Soap12 => "SOAP 1.2",
        });
        return Err(wrong(format!("it is an envelope of {said}, and the call is of {own}")));
    }
    match (is_xml, request) {
        (true, request) => {
            let said = Enveloped::new(&text, version, &header);
            match request {
                Some(Ok(form)) if is_checked => {
                    let description = called.description.as_deref();
                    let record = from_xml(&said, form, description).map_err(unread)?;
                    let said_so = (name, &Said::Xml(&said));
                    valid::check_body(called, &said.envelope, said_so, &record)?;
                }
                Some(Err(why)) if is_checked => {
                    remark(&format!("it is not held against the WSDL: {why}"));
                }
                _ => {}
            }
            Ok(said.envelope)
        }
        (false, Some(Ok(form @ (layout, options)))) => {
            reject_unsaid((&text, 0..text.len()), (layout, options), true).map_err(unread)?;
            let record = from_json(&text, layout, Some(form)).map_err(unread)?;
            let plan = Plan::new(layout, options)?;
            let mut encoder = Encoder::new(&plan);
            let said = Said::Json(&text, 0);
            let bytes = encoder.encode_with(&header, &record);
            let bytes = bytes.map_err(|error| unread(said.unwritable(&error)))?;
            let envelope = String::from_utf8_lossy(bytes).into_owned();
            if is_checked {
                valid::check_body(called, &envelope, (name, &said), &record)?;
            }
            Ok(envelope)
        }
        (false, Some(Err(why))) => Err(wrong(format!("{why}; say it in XML"))),
        (false, None) => Err(wrong(UNKNOWN.to_owned())),
    }
}

/// The version of an envelope, if it is one, and of another version than this.
fn other_version(text: &str, version: Version) -> Option<Version> {
    let opened = soap::open(text.trim_ascii().as_bytes(), &Limits::default());
    opened.ok().map(|it| it.version).filter(|it| *it != version && is_envelope(text))
}

/// Is it the text itself, and no file?
fn is_inline(said: &str) -> bool {
    said.trim_ascii_start().starts_with(['<', '{'])
}

/// The text that was said, or that of a file, or of standard input.
fn text_of(said: &str) -> Result<String, Fault> {
    let read = match said {
        _ if is_inline(said) => return Ok(said.to_owned()),
        "-" => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        }
        _ => fs::read(said),
    };
    read.and_then(text_of_bytes).map_err(|cause| {
        let hint = match cause.kind() {
            io::ErrorKind::NotFound => "; JSON begins with { and XML with <, all else is a file",
            _ => "",
        };
        let name = if said.is_empty() { "\"\"" } else { said };
        Fault::new(format!("{name}: {cause}{hint}"))
    })
}
