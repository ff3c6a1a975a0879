//! Payload formats: the `format` field of every frame with a payload.
//!
//! The router passes the number on and never reads the payload. Numbers from [`FIRST_PRIVATE`] on are free
//! for users.

/// Bytes of unknown format.
pub const OPAQUE: u16 = 0;
/// UTF-8 text.
pub const TEXT: u16 = 1;
/// JSON, in UTF-8.
pub const JSON: u16 = 2;
/// An envelope of SOAP 1.1, as text.
pub const SOAP_11: u16 = 3;
/// An envelope of SOAP 1.2, as text.
pub const SOAP_12: u16 = 4;
/// FIX, tag=value.
pub const FIX: u16 = 5;
/// CDR; the first byte is the byte order, 0 big-endian and 1 little-endian.
pub const CDR: u16 = 6;
/// A Fast Infoset document.
pub const FAST_INFOSET: u16 = 7;
/// .NET Remoting's binary format.
pub const NET_REMOTING: u16 = 8;
/// XML that is not a SOAP envelope.
pub const XML: u16 = 9;
/// Google's Protocol Buffers.
pub const PROTOBUF: u16 = 10;
/// MessagePack.
pub const MESSAGE_PACK: u16 = 11;
/// CBOR.
pub const CBOR: u16 = 12;
/// A dead letter: lines about a message that was delivered as often as may be, an empty line, its payload.
pub const DEAD_LETTER: u16 = 13;
/// From here on, numbers are free for users.
pub const FIRST_PRIVATE: u16 = 0x8000;

/// Number and name of every named format.
pub const NAMES: [(u16, &str); 14] = [
    (OPAQUE, "opaque"),
    (TEXT, "text"),
    (JSON, "json"),
    (SOAP_11, "soap-1.1"),
    (SOAP_12, "soap-1.2"),
    (FIX, "fix"),
    (CDR, "cdr"),
    (FAST_INFOSET, "fast-infoset"),
    (NET_REMOTING, "net-remoting"),
    (XML, "xml"),
    (PROTOBUF, "protobuf"),
    (MESSAGE_PACK, "message-pack"),
    (CBOR, "cbor"),
    (DEAD_LETTER, "dead-letter"),
];

/// The name of a format, if it has one.
///
/// ```
/// assert_eq!(trunkline_native::format::name(5), Some("fix"));
/// assert_eq!(trunkline_native::format::name(0x8001), None);
/// ```
#[must_use]
pub fn name(format: u16) -> Option<&'static str> {
    NAMES.iter().find(|(number, _)| *number == format).map(|(_, name)| *name)
}

/// The format of this name, or of this number in decimal; `soap` is SOAP 1.1.
///
/// ```
/// assert_eq!(trunkline_native::format::from_name("json"), Some(2));
/// assert_eq!(trunkline_native::format::from_name("32769"), Some(0x8001));
/// ```
#[must_use]
pub fn from_name(text: &str) -> Option<u16> {
    let text = if text == "soap" { "soap-1.1" } else { text };
    let known = NAMES.iter().find(|(_, name)| *name == text).map(|(number, _)| *number);
    known.or_else(|| text.parse().ok())
}
