//! Messages that are given in files, as JSON or XML.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use trunkline_codec::json;
use trunkline_message::{Layout, Record, UnknownContent};
use trunkline_soap::{Decoder, Options, Plan, Version};

use crate::fault::Fault;

/// The layout of a message, and how it looks.
pub(super) type Form = (Arc<Layout>, Options);

/// A message in a file: in JSON, or as XML, which is the element in the Body or the whole envelope.
pub(super) fn from_file(path: &Path, form: &Form) -> Result<Record, Fault> {
    let bytes = fs::read(path).map_err(|cause| of_file(path, &cause))?;
    let read = match bytes.trim_ascii_start().first() {
        Some(b'<') => str::from_utf8(bytes.trim_ascii())
            .map_err(|it| it.to_string())
            .and_then(|it| from_xml(&enveloped(it, form.1.version, ""), form)),
        _ => from_json(bytes.trim_ascii(), &form.0),
    };
    read.map_err(|why| Fault::new(format!("{}: {why}", path.display())))
}

/// A message in JSON, of which every member is known.
pub(super) fn from_json(bytes: &[u8], layout: &Arc<Layout>) -> Result<Record, String> {
    let plan = json::Plan::new(layout, &json::Options::default()).map_err(|it| it.to_string())?;
    let mut record = Record::new(layout);
    let mut decoder = json::Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    decoder.decode(bytes, &mut record).map_err(|it| it.to_string())?;
    Ok(record)
}

/// A message in an envelope, of which every element is known.
pub(super) fn from_xml(envelope: &str, (layout, options): &Form) -> Result<Record, String> {
    let options = Options { any_header: true, ..options.clone() };
    let plan = Plan::new(layout, &options).map_err(|it| it.to_string())?;
    let mut record = Record::new(layout);
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    decoder.decode(envelope.as_bytes(), &mut record).map_err(|it| it.to_string())?;
    Ok(record)
}

/// Is it a whole envelope?
pub(super) fn is_envelope(text: &str) -> bool {
    let tag = element(text).trim_start_matches('<');
    let end = tag.find(|it: char| it.is_whitespace() || "/>".contains(it)).unwrap_or(tag.len());
    tag[..end].rsplit(':').next() == Some("Envelope")
}

/// An envelope with these header blocks around an element, unless it is one.
pub(super) fn enveloped(text: &str, version: Version, header: &str) -> String {
    if is_envelope(text) {
        return text.to_owned();
    }
    let namespace = match version {
        Version::Soap11 => "http://schemas.xmlsoap.org/soap/envelope/",
        Version::Soap12 => "http://www.w3.org/2003/05/soap-envelope",
    };
    let header = match header {
        "" => String::new(),
        blocks => format!("<SOAP-ENV:Header>{blocks}</SOAP-ENV:Header>"),
    };
    let element = element(text);
    format!(
        "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\">{header}<SOAP-ENV:Body>{element}</SOAP-ENV:Body>\
         </SOAP-ENV:Envelope>"
    )
}

/// What is behind the declaration and comments of a document.
fn element(text: &str) -> &str {
    let text = text.trim_ascii();
    let behind = [("<?", "?>"), ("<!--", "-->")]
        .iter()
        .find_map(|(start, end)| text.strip_prefix(start)?.split_once(end).map(|it| it.1));
    behind.map_or(text, element)
}

pub(super) fn of_file(path: &Path, cause: &io::Error) -> Fault {
    Fault::new(format!("{}: {cause}", path.display()))
}
