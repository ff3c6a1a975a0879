//! What stands around a message.

use super::plan::{Layout, Options, Style, Version};

/// Namespace of a SOAP 1.1 envelope.
pub(super) const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// Namespace of a SOAP 1.2 envelope.
pub(super) const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";
/// The encoding rules of SOAP 1.1, section 5.
pub(super) const ENCODING11: &str = "http://schemas.xmlsoap.org/soap/encoding/";
/// The encoding rules of SOAP 1.2, part 2.
pub(super) const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";
/// Namespace of `xsi:nil` and `xsi:type`.
pub(super) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// Namespace of the types of XML Schema.
pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// Namespace of `rpc:result` (SOAP 1.2 part 2 section 4).
pub(super) const RPC: &str = "http://www.w3.org/2003/05/soap-rpc";

/// As [`XSI`], in the drafts of XML Schema, which old toolkits still use.
pub(super) const XSI_OF_DRAFTS: [&str; 2] =
    ["http://www.w3.org/1999/XMLSchema-instance", "http://www.w3.org/2000/10/XMLSchema-instance"];
/// As [`XSD`], in the drafts.
pub(super) const XSD_OF_DRAFTS: [&str; 2] =
    ["http://www.w3.org/1999/XMLSchema", "http://www.w3.org/2000/10/XMLSchema"];

/// Namespaces of a version's envelope and of its encoding rules.
pub(super) fn namespaces(version: Version) -> (&'static str, &'static str) {
    match version {
        Version::Soap11 => (SOAP11, ENCODING11),
        Version::Soap12 => (SOAP12, ENCODING12),
    }
}

/// What stands around a message's fields.
pub(super) struct Around {
    /// Up to the Envelope's start tag; nothing for a fragment.
    envelope: Option<String>,
    /// From the Body's start tag to the message's.
    body: String,
    /// Of the element that is the message.
    pub(super) root_end: String,
    /// All after the last field.
    pub(super) after: String,
}

impl Around {
    /// All before the first field.
    pub(super) fn prologue(&self) -> String {
        format!("{}{}", self.envelope.as_deref().unwrap_or_default(), self.body)
    }

    /// As the prologue, in two parts with header blocks between them.
    pub(super) fn header(&self) -> Option<[String; 2]> {
        let envelope = self.envelope.as_deref()?;
        let body = &self.body;
        Some([format!("{envelope}<SOAP-ENV:Header>"), format!("</SOAP-ENV:Header>{body}")])
    }
}

/// All before the message's first field and all after its last, for a message named `root`. Where
/// attributes may follow, the message's start tag is open and its end tag is left out.
pub(super) fn around(options: &Options, root: &str) -> Around {
    if options.layout == Layout::Fragment {
        let (body, root_end) = body(options, root, &of_fragment(options, root));
        let after = if options.attributes { String::new() } else { root_end.clone() };
        return Around { envelope: None, body, root_end, after };
    }
    let (envelope, encoding) = namespaces(options.version);
    let encoded = options.style.is_encoded();
    let mut before = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?><SOAP-ENV:Envelope");
    before.push_str(&format!(" xmlns:SOAP-ENV=\"{envelope}\""));
    if encoded {
        before.push_str(&format!(" xmlns:SOAP-ENC=\"{encoding}\""));
    }
    if encoded || options.types {
        before.push_str(&format!(" xmlns:xsi=\"{XSI}\""));
    }
    if options.types {
        before.push_str(&format!(" xmlns:xsd=\"{XSD}\""));
    }
    before.push('>');
    let style = format!(" SOAP-ENV:encodingStyle=\"{encoding}\"");
    // SOAP 1.2 allows the attribute on children of Body, and not on Body (part 1, 5.1.1).
    let (on_body, on_child) = match (encoded, options.version) {
        (false, _) => ("", ""),
        (true, Version::Soap11) => (style.as_str(), ""),
        (true, Version::Soap12) => ("", style.as_str()),
    };
    let (start, root_end) = body(options, root, on_child);
    let mut after = if options.attributes { String::new() } else { root_end.clone() };
    if options.is_plain_rpc() {
        after.push_str(&tags(&options.operation, options, "").1);
    }
    after.push_str("</SOAP-ENV:Body></SOAP-ENV:Envelope>");
    let body = format!("<SOAP-ENV:Body{on_body}>{start}");
    Around { envelope: Some(before), body, root_end, after }
}

/// The attributes of a fragment that is encoded: what an Envelope would declare, and its type.
fn of_fragment(options: &Options, root: &str) -> String {
    if !options.style.is_encoded() {
        return String::new();
    }
    let (_, encoding) = namespaces(options.version);
    let mut out = format!(" xmlns:SOAP-ENC=\"{encoding}\" xmlns:xsi=\"{XSI}\"");
    if options.types {
        let prefix = if options.namespace.is_empty() { "" } else { "ns:" };
        out.push_str(&format!(" xmlns:xsd=\"{XSD}\" xsi:type=\"{prefix}{root}\""));
    }
    out
}

/// The tags between Body and the message's fields, and the message's end tag; `attributes` are those
/// of the Body's child.
fn body(options: &Options, root: &str, attributes: &str) -> (String, String) {
    let close = if options.attributes { "" } else { ">" };
    if options.is_plain_rpc() {
        let (operation, _) = tags(&options.operation, options, attributes);
        return (format!("{operation}><{root}{close}"), format!("</{root}>"));
    }
    let (start, end) = tags(root, options, attributes);
    (format!("{start}{close}"), end)
}

/// The start tag of the Body's child, but for its last bracket, and its end tag. Only with
/// document/literal are the elements inside in its namespace.
fn tags(name: &str, options: &Options, attributes: &str) -> (String, String) {
    let namespace = escaped(&options.namespace);
    match options.style {
        _ if namespace.is_empty() => (format!("<{name}{attributes}"), format!("</{name}>")),
        Style::DocumentLiteral => {
            (format!("<{name} xmlns=\"{namespace}\"{attributes}"), format!("</{name}>"))
        }
        _ => (format!("<ns:{name} xmlns:ns=\"{namespace}\"{attributes}"), format!("</ns:{name}>")),
    }
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
