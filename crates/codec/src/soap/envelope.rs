//! What stands around a message.

use super::plan::{Options, Style, Version};

/// Namespace of a SOAP 1.1 envelope.
pub(super) const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// Namespace of a SOAP 1.2 envelope.
pub(super) const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";
/// The encoding rules of SOAP 1.1, section 5.
const ENCODING11: &str = "http://schemas.xmlsoap.org/soap/encoding/";
/// The encoding rules of SOAP 1.2, part 2.
pub(super) const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";
/// Namespace of `xsi:nil` and `xsi:type`.
pub(super) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// Namespace of the types of XML Schema.
pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// All before the message's first field and all after its last, for a message named `root`. Where
/// attributes may follow, the message's start tag is open and its end tag is left out.
pub(super) fn around(options: &Options, root: &str) -> (String, String) {
    let (envelope, encoding) = match options.version {
        Version::Soap11 => (SOAP11, ENCODING11),
        Version::Soap12 => (SOAP12, ENCODING12),
    };
    let encoded = options.style == Style::RpcEncoded;
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
    before.push_str("><SOAP-ENV:Body");
    let style = format!(" SOAP-ENV:encodingStyle=\"{encoding}\"");
    // SOAP 1.2 allows the attribute on children of Body, and not on Body (part 1, 5.1.1).
    let (on_body, on_operation) = match (encoded, options.version) {
        (false, _) => ("", ""),
        (true, Version::Soap11) => (style.as_str(), ""),
        (true, Version::Soap12) => ("", style.as_str()),
    };
    before.push_str(on_body);
    before.push('>');
    let (start, end) = body(options, root, on_operation);
    before.push_str(&start);
    (before, format!("{end}</SOAP-ENV:Body></SOAP-ENV:Envelope>"))
}

/// The tags between Body and the message's fields; `attributes` are the operation's.
fn body(options: &Options, root: &str, attributes: &str) -> (String, String) {
    let (operation, namespace) = (&options.operation, escaped(&options.namespace));
    let (close, end) = match options.attributes {
        false => (">", format!("</{root}>")),
        true => ("", String::new()),
    };
    match options.style {
        Style::DocumentLiteral if namespace.is_empty() => (format!("<{root}{close}"), end),
        Style::DocumentLiteral => (format!("<{root} xmlns=\"{namespace}\"{close}"), end),
        _ if namespace.is_empty() => {
            (format!("<{operation}{attributes}><{root}{close}"), format!("{end}</{operation}>"))
        }
        _ => (
            format!("<ns:{operation} xmlns:ns=\"{namespace}\"{attributes}><{root}{close}"),
            format!("{end}</ns:{operation}>"),
        ),
    }
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
