//! The namespaces that encoded messages use, and those that older senders use for the same.

pub(super) use crate::envelope::{ENCODING11, ENCODING12, RPC, SOAP11, SOAP12, XSD, XSI};

use super::Name;
use crate::Version;
use crate::envelope::{XSD_OF_DRAFTS, XSI_OF_DRAFTS, namespaces};

pub(super) fn is_xsi(namespace: &str) -> bool {
    namespace == XSI || XSI_OF_DRAFTS.contains(&namespace)
}

pub(super) fn is_old_xsd(namespace: &str) -> bool {
    XSD_OF_DRAFTS.contains(&namespace)
}

pub(super) fn is_encoding(namespace: &str) -> bool {
    namespace == ENCODING11 || namespace == ENCODING12
}

pub(super) fn envelope(version: Version) -> &'static str {
    namespaces(version).0
}

pub(super) fn encoding(version: Version) -> &'static str {
    namespaces(version).1
}

/// Is it the attribute `encodingStyle` of either SOAP?
pub(super) fn is_encoding_style(name: &Name) -> bool {
    name.local() == "encodingStyle" && matches!(name.namespace(), SOAP11 | SOAP12)
}

/// Does a value of the attribute `encodingStyle` name the rules of either SOAP? It is a list; URIs
/// that go on behind theirs stand for more restricted rules (SOAP 1.1 section 4.1.1).
pub(crate) fn is_soap_encoding(style: &str) -> bool {
    style
        .split_ascii_whitespace()
        .any(|uri| uri.starts_with(ENCODING11) || uri.trim_end_matches('/') == ENCODING12)
}

/// Is the value of `encodingStyle` the rules of either SOAP, or does it say that there are none
/// (SOAP 1.2 part 1 section 5.1.1)?
pub fn is_known_encoding(style: &str) -> bool {
    let style = style.trim();
    style.is_empty() || style == NO_ENCODING || is_soap_encoding(style)
}

const NO_ENCODING: &str = "http://www.w3.org/2003/05/soap-envelope/encoding/none";

/// The simple types of XML Schema, for each of which the encodings declare an element (SOAP 1.1
/// section 5.2.3, SOAP 1.2 part 2 appendix C).
pub(crate) fn is_simple_type(local: &str) -> bool {
    const TYPES: &[&str] = &[
        "string",
        "normalizedString",
        "token",
        "byte",
        "unsignedByte",
        "base64Binary",
        "hexBinary",
        "integer",
        "positiveInteger",
        "negativeInteger",
        "nonNegativeInteger",
        "nonPositiveInteger",
        "int",
        "unsignedInt",
        "long",
        "unsignedLong",
        "short",
        "unsignedShort",
        "decimal",
        "float",
        "double",
        "boolean",
        "time",
        "dateTime",
        "duration",
        "date",
        "gMonth",
        "gYear",
        "gYearMonth",
        "gDay",
        "gMonthDay",
        "Name",
        "QName",
        "NCName",
        "anyURI",
        "ID",
        "IDREF",
        "IDREFS",
        "ENTITY",
        "ENTITIES",
        "NOTATION",
        "NMTOKEN",
        "NMTOKENS",
        "language",
    ];
    TYPES.contains(&local)
}
