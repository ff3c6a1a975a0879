//! Faults to XML.

use super::{Fault, Version};
use crate::soap::envelope::{SOAP11, SOAP12};
use crate::soap::header::{HeaderBlock, namespace};
use crate::soap::qname::{QName, escape};

/// The whole message.
pub(super) fn message(fault: &Fault, blocks: &[HeaderBlock], version: Version) -> String {
    let soap = namespace(version);
    let mut out = String::with_capacity(512);
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    out.push_str(&format!("<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{soap}\">"));
    let mut header = header(fault, version);
    header.extend(blocks.iter().map(|block| block.encode(version)));
    if !header.is_empty() {
        tagged("SOAP-ENV:Header", &mut out, |out| out.push_str(&header));
    }
    tagged("SOAP-ENV:Body", &mut out, |out| {
        tagged("SOAP-ENV:Fault", out, |out| match version {
            Version::Soap11 => fault_11(fault, out),
            Version::Soap12 => fault_12(fault, out),
        });
    });
    out.push_str("</SOAP-ENV:Envelope>");
    out
}

/// The blocks that SOAP 1.2 defines for faults (part 1 sections 5.4.7 and 5.4.8). That of another
/// version may stand in a message of SOAP 1.1 too (appendix A).
fn header(fault: &Fault, version: Version) -> String {
    let mut out = String::new();
    if !fault.upgrade.is_empty() {
        let (prefix, declaration) = match version {
            Version::Soap11 => ("V", format!(" xmlns:V=\"{SOAP12}\"")),
            Version::Soap12 => ("SOAP-ENV", String::new()),
        };
        out.push_str(&format!("<{prefix}:Upgrade{declaration}>"));
        for supported in &fault.upgrade {
            out.push_str(&format!(
                "<{prefix}:SupportedEnvelope qname=\"ns:Envelope\" xmlns:ns=\"{}\"/>",
                namespace(*supported)
            ));
        }
        out.push_str(&format!("</{prefix}:Upgrade>"));
    }
    if version == Version::Soap12 {
        for name in &fault.not_understood {
            let (declaration, value) = in_value(name, SOAP12);
            out.push_str(&format!("<SOAP-ENV:NotUnderstood qname=\"{value}\"{declaration}/>"));
        }
    }
    out
}

/// SOAP 1.1 section 4.4. The children are in no namespace and have no attributes (WS-I Basic
/// Profile 1.1 R1000, R1001), but for `xml:lang` (R1016) where it tells something.
fn fault_11(fault: &Fault, out: &mut String) {
    let own = fault.subcodes.last().filter(|it| !it.namespace.is_empty());
    let standard = QName::new(SOAP11, fault.code.name(Version::Soap11));
    let (declaration, code) = in_value(own.unwrap_or(&standard), SOAP11);
    out.push_str(&format!("<faultcode{declaration}>{code}</faultcode><faultstring"));
    if fault.language != "en" {
        out.push_str(" xml:lang=\"");
        escape(&fault.language, out);
        out.push('"');
    }
    out.push('>');
    escape(&fault.reason, out);
    out.push_str("</faultstring>");
    optional("faultactor", fault.role.as_deref(), out);
    detail("detail", fault, out);
}

/// SOAP 1.2 part 1 section 5.4.
fn fault_12(fault: &Fault, out: &mut String) {
    tagged("SOAP-ENV:Code", out, |out| {
        out.push_str("<SOAP-ENV:Value>SOAP-ENV:");
        out.push_str(fault.code.name(Version::Soap12));
        out.push_str("</SOAP-ENV:Value>");
        for subcode in &fault.subcodes {
            let (declaration, value) = in_value(subcode, SOAP12);
            out.push_str(&format!(
                "<SOAP-ENV:Subcode><SOAP-ENV:Value{declaration}>{value}</SOAP-ENV:Value>"
            ));
        }
        out.push_str(&"</SOAP-ENV:Subcode>".repeat(fault.subcodes.len()));
    });
    tagged("SOAP-ENV:Reason", out, |out| {
        out.push_str("<SOAP-ENV:Text xml:lang=\"");
        escape(&fault.language, out);
        out.push_str("\">");
        escape(&fault.reason, out);
        out.push_str("</SOAP-ENV:Text>");
    });
    optional("SOAP-ENV:Node", fault.node.as_deref(), out);
    optional("SOAP-ENV:Role", fault.role.as_deref(), out);
    detail("SOAP-ENV:Detail", fault, out);
}

/// A declaration for the element around, and the value.
fn in_value(name: &QName, soap: &str) -> (String, String) {
    let (mut declaration, mut value) = Default::default();
    name.to_value(("SOAP-ENV", soap), &mut declaration, &mut value);
    (declaration, value)
}

fn tagged(name: &str, out: &mut String, content: impl FnOnce(&mut String)) {
    out.extend(["<", name, ">"]);
    content(out);
    out.extend(["</", name, ">"]);
}

fn optional(name: &str, value: Option<&str>, out: &mut String) {
    if let Some(value) = value {
        tagged(name, out, |out| escape(value, out));
    }
}

/// An empty detail would say in SOAP 1.1 that the Body was at fault, and nothing in SOAP 1.2.
fn detail(name: &str, fault: &Fault, out: &mut String) {
    if !fault.detail.is_empty() {
        tagged(name, out, |out| out.extend(fault.detail.iter().map(|entry| entry.as_str())));
    }
}
