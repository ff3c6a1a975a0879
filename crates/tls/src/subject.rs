//! The names in a certificate that has been checked: its subject, with as much DER (X.690) and X.509 (RFC 5280,
//! section 4.1) as that takes, and its alternative names.

use std::fmt::Write as _;

use rustls_pki_types::CertificateDer;
use webpki::EndEntityCert;

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const BMP_STRING: u8 = 0x1e;
/// `[0]`, explicit: the version.
const VERSION: u8 = 0xa0;
/// `[3]`, explicit: the extensions.
const EXTENSIONS: u8 = 0xa3;
/// The boolean that is true.
const TRUE: [u8; 3] = [0x01, 0x01, 0xff];

/// Something in DER: its tag, what is in it, and what follows.
struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    rest: &'a [u8],
}

fn element(bytes: &[u8]) -> Option<Element<'_>> {
    let (&tag, bytes) = bytes.split_first()?;
    let (&first, mut bytes) = bytes.split_first()?;
    let mut length = usize::from(first);
    if first >= 0x80 {
        let (digits, rest) = bytes.split_at_checked(usize::from(first & 0x7f))?;
        if digits.is_empty() || digits.len() > 4 {
            return None;
        }
        length = digits.iter().fold(0, |length, &digit| length << 8 | usize::from(digit));
        bytes = rest;
    }
    let (content, rest) = bytes.split_at_checked(length)?;
    Some(Element { tag, content, rest })
}

fn inside(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    element(bytes).filter(|it| it.tag == tag).map(|it| it.content)
}

/// The host names for which a certificate is, in DER, as its subject's alternative names.
pub fn dns_names(certificate: &[u8]) -> Vec<String> {
    let certificate = CertificateDer::from(certificate);
    let names = |it: EndEntityCert<'_>| it.valid_dns_names().map(str::to_owned).collect();
    EndEntityCert::try_from(&certificate).map(names).unwrap_or_default()
}

/// The URIs among a certificate's alternative names, such as `spiffe://example.org/pricing`.
pub fn uris(certificate: &[u8]) -> Vec<String> {
    let certificate = CertificateDer::from(certificate);
    let names = |it: EndEntityCert<'_>| it.valid_uri_names().map(str::to_owned).collect();
    EndEntityCert::try_from(&certificate).map(names).unwrap_or_default()
}

/// Does a certificate, in DER, say that it is one of an authority (`cA` of its basic constraints, RFC 5280 section 4.2.1.9)?
pub fn is_authority(certificate: &[u8]) -> bool {
    basic_constraints(certificate).is_some_and(|it| it.starts_with(&TRUE))
}

/// What is in the sequence of a certificate's basic constraints.
fn basic_constraints(certificate: &[u8]) -> Option<&[u8]> {
    /// The identifier of this extension.
    const IDENTIFIER: &[u8] = &[OBJECT_IDENTIFIER, 0x03, 0x55, 0x1d, 0x13];
    let mut rest = inside(inside(certificate, SEQUENCE)?, SEQUENCE)?;
    let extensions = loop {
        let part = element(rest)?;
        if part.tag == EXTENSIONS {
            break part.content;
        }
        rest = part.rest;
    };
    let mut rest = inside(extensions, SEQUENCE)?;
    loop {
        let extension = element(rest)?;
        if let Some(value) = extension.content.strip_prefix(IDENTIFIER) {
            // It may be critical; the sequence is in a string of octets.
            let value = value.strip_prefix(&TRUE).unwrap_or(value);
            return inside(element(value)?.content, SEQUENCE);
        }
        rest = extension.rest;
    }
}

/// The subject of a certificate as text, most specific name first (RFC 4514): `CN=a,O=b`.
pub fn subject(certificate: &[u8]) -> Option<String> {
    let to_be_signed = inside(inside(certificate, SEQUENCE)?, SEQUENCE)?;
    let mut rest = to_be_signed;
    if element(rest)?.tag == VERSION {
        rest = element(rest)?.rest;
    }
    // Serial number, signature algorithm, issuer, validity.
    for _ in 0..4 {
        rest = element(rest)?.rest;
    }
    let mut names = inside(rest, SEQUENCE)?;
    let mut texts = Vec::new();
    while !names.is_empty() {
        let set = element(names).filter(|it| it.tag == SET)?;
        names = set.rest;
        let mut attributes = set.content;
        let mut text = String::new();
        while !attributes.is_empty() {
            let attribute = element(attributes).filter(|it| it.tag == SEQUENCE)?;
            attributes = attribute.rest;
            if !text.is_empty() {
                text.push('+');
            }
            write_attribute(attribute.content, &mut text)?;
        }
        texts.push(text);
    }
    texts.reverse();
    Some(texts.join(","))
}

fn write_attribute(attribute: &[u8], text: &mut String) -> Option<()> {
    let kind = element(attribute).filter(|it| it.tag == OBJECT_IDENTIFIER)?;
    let value = element(kind.rest)?;
    match short_name(kind.content) {
        Some(name) => text.push_str(name),
        None => write_identifier(kind.content, text),
    }
    text.push('=');
    let value = match value.tag {
        UTF8_STRING => str::from_utf8(value.content).ok()?.to_owned(),
        BMP_STRING => {
            let pairs = value.content.chunks_exact(2);
            let units: Vec<u16> = pairs.map(|it| u16::from_be_bytes([it[0], it[1]])).collect();
            String::from_utf16(&units).ok()?
        }
        // The others are ASCII or close to it.
        _ => String::from_utf8_lossy(value.content).into_owned(),
    };
    for (position, character) in value.char_indices() {
        let special = matches!(character, ',' | '+' | '"' | '\\' | '<' | '>' | ';')
            || position == 0 && matches!(character, ' ' | '#')
            || position + 1 == value.len() && character == ' ';
        if special {
            text.push('\\');
        }
        // A name is printed on one line.
        text.push(if character.is_control() { '?' } else { character });
    }
    Some(())
}

/// The short names of RFC 4514, section 3, and the address of electronic mail.
fn short_name(identifier: &[u8]) -> Option<&'static str> {
    Some(match identifier {
        [0x55, 4, 3] => "CN",
        [0x55, 4, 5] => "serialNumber",
        [0x55, 4, 6] => "C",
        [0x55, 4, 7] => "L",
        [0x55, 4, 8] => "ST",
        [0x55, 4, 9] => "STREET",
        [0x55, 4, 10] => "O",
        [0x55, 4, 11] => "OU",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1] => "UID",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25] => "DC",
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1] => "emailAddress",
        _ => return None,
    })
}

/// An object identifier in numbers: `2.5.4.3`.
fn write_identifier(identifier: &[u8], text: &mut String) {
    let mut number: u64 = 0;
    let mut first = true;
    for &byte in identifier {
        number = number.wrapping_shl(7) | u64::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            continue;
        }
        if first {
            let root = (number / 40).min(2);
            let _ = write!(text, "{root}.{}", number - 40 * root);
        } else {
            let _ = write!(text, ".{number}");
        }
        (first, number) = (false, 0);
    }
}
