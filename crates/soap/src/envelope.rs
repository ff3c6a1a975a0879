//! The envelope around a message.

use crate::naming::Naming;
use crate::options::{Layout, Style, Version};

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

/// The text around the fields of a message.
pub(super) struct Wrapper {
    /// Up to the Envelope's start tag; nothing for a fragment.
    envelope: Option<String>,
    /// From the Body's start tag to the message's.
    body: String,
    /// Of the element that is the message.
    pub(super) root_end: String,
    /// All after the last field.
    pub(super) after: String,
}

impl Wrapper {
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
pub(super) fn wrapper(naming: &Naming<'_>, root: &str) -> Wrapper {
    let options = naming.options;
    if options.layout == Layout::Fragment {
        let (body, root_end) = body(naming, root, &of_fragment(naming, root));
        let after = if naming.in_tags { String::new() } else { root_end.clone() };
        return Wrapper { envelope: None, body, root_end, after };
    }
    let (envelope, encoding) = namespaces(options.version);
    let encoded = options.style.is_encoded();
    let mut before = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?><SOAP-ENV:Envelope");
    before.push_str(&format!(" xmlns:SOAP-ENV=\"{envelope}\""));
    if encoded {
        before.push_str(&format!(" xmlns:SOAP-ENC=\"{encoding}\""));
    }
    if encoded || naming.has_xsi() {
        before.push_str(&format!(" xmlns:xsi=\"{XSI}\""));
    }
    if naming.has_xsd() {
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
    if options.layout == Layout::Body {
        let close = if naming.in_tags { "" } else { ">" };
        let start = declared(naming, naming.root_attribute());
        let root_end = "</SOAP-ENV:Body>".to_owned();
        let end = if naming.in_tags { "" } else { &root_end };
        return Wrapper {
            envelope: Some(before),
            body: format!("<SOAP-ENV:Body{start}{close}"),
            after: format!("{end}</SOAP-ENV:Envelope>"),
            root_end,
        };
    }
    let (start, root_end) = body(naming, root, on_child);
    let mut after = if naming.in_tags { String::new() } else { root_end.clone() };
    if options.is_plain_rpc() {
        after.push_str(&tags(&options.operation, naming, "").1);
    }
    after.push_str("</SOAP-ENV:Body></SOAP-ENV:Envelope>");
    let body = format!("<SOAP-ENV:Body{on_body}>{start}");
    Wrapper { envelope: Some(before), body, root_end, after }
}

/// The attributes of a fragment: what an Envelope would declare, and its type where it is encoded.
fn of_fragment(naming: &Naming<'_>, root: &str) -> String {
    let options = naming.options;
    if !options.style.is_encoded() {
        let xsi = if naming.has_xsi() { format!(" xmlns:xsi=\"{XSI}\"") } else { String::new() };
        return match naming.has_xsd() {
            true => format!("{xsi} xmlns:xsd=\"{XSD}\""),
            false => xsi,
        };
    }
    let (_, encoding) = namespaces(options.version);
    let mut out = format!(" xmlns:SOAP-ENC=\"{encoding}\" xmlns:xsi=\"{XSI}\"");
    if naming.has_xsd() {
        out.push_str(&format!(" xmlns:xsd=\"{XSD}\""));
    }
    if options.types {
        let prefix = if options.namespace.is_empty() { "" } else { "ns:" };
        out.push_str(&format!(" xsi:type=\"{prefix}{root}\""));
    }
    out
}

/// The tags between Body and the message's fields, and the message's end tag; `attributes` are those
/// of the Body's child.
fn body(naming: &Naming<'_>, root: &str, attributes: &str) -> (String, String) {
    let options = naming.options;
    if options.layout == Layout::Nothing {
        return (String::new(), String::new());
    }
    let close = if naming.in_tags { "" } else { ">" };
    if options.is_plain_rpc() {
        let (operation, _) = tags(&options.operation, naming, attributes);
        return (format!("{operation}><{root}{close}"), format!("</{root}>"));
    }
    let attributes = format!("{attributes}{}", naming.root_attribute());
    let (start, end) = tags(root, naming, &attributes);
    (format!("{start}{close}"), end)
}

/// The start tag of the Body's child, but for its last bracket, and its end tag. Only with
/// document/literal are the elements inside in its namespace, if they are qualified.
fn tags(name: &str, naming: &Naming<'_>, attributes: &str) -> (String, String) {
    let (options, namespaces) = (naming.options, &naming.namespaces);
    let namespace = escaped(&options.namespace);
    let others = declared(naming, String::new());
    let is_default = options.style == Style::DocumentLiteral && options.qualified;
    if namespace.is_empty() {
        return (format!("<{name}{others}{attributes}"), format!("</{name}>"));
    }
    if is_default && !namespaces.is_prefixed() {
        let start = format!("<{name} xmlns=\"{namespace}\"{others}{attributes}");
        return (start, format!("</{name}>"));
    }
    let start = format!("<ns:{name} xmlns:ns=\"{namespace}\"{others}{attributes}");
    (start, format!("</ns:{name}>"))
}

/// The declarations of namespaces inside but that of the message's element, and these attributes.
fn declared(naming: &Naming<'_>, attributes: String) -> String {
    let mut out = String::new();
    let of_elements = naming.namespaces.declared().filter(|(prefix, _)| *prefix != "ns");
    for (prefix, name) in of_elements.chain(naming.types.declared()) {
        out.push_str(&format!(" xmlns:{prefix}=\"{}\"", escaped(name)));
    }
    out + &attributes
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
