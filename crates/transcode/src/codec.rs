//! A message's layout in a format: what encodes and decodes it.

use std::fmt;
use std::sync::Arc;

use trunkline_codec::{CodeSet, cdr, fast_infoset, fix, json};
use trunkline_message::{Layout, Limits, Message, Record, Result, UnknownContent};
use trunkline_soap as soap;

use crate::kind::{self, Envelope, Kind};

/// A format in which messages of a description are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// FIX tag=value.
    Fix,
    /// CORBA CDR, the least significant byte first.
    CdrLittle,
    /// CORBA CDR, the most significant byte first.
    CdrBig,
    /// A document of XML whose element is the message.
    Xml,
    /// The same in the Body of an envelope of SOAP 1.1.
    Soap11,
    /// The same of SOAP 1.2.
    Soap12,
    /// An envelope of SOAP 1.1 in Fast Infoset.
    FastInfoset,
    /// JSON: an object whose one member is the message, by its name.
    Json,
}

impl Format {
    /// Every format, with its name.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Fix, "fix"),
        (Self::CdrLittle, "cdr-le"),
        (Self::CdrBig, "cdr-be"),
        (Self::Xml, "xml"),
        (Self::Soap11, "soap-1.1"),
        (Self::Soap12, "soap-1.2"),
        (Self::FastInfoset, "fast-infoset"),
        (Self::Json, "json"),
    ];

    /// Is it no text, so that its messages are lines only in hexadecimal?
    pub fn is_binary(self) -> bool {
        matches!(self, Self::CdrLittle | Self::CdrBig | Self::FastInfoset)
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|it| it.1 == name).map(|it| it.0)
    }

    /// The format of a message by how it begins, if that tells it: of XML, by its envelope.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Some(match Kind::of(bytes)? {
            Kind::Fix => Self::Fix,
            Kind::Json => Self::Json,
            Kind::FastInfoset => Self::FastInfoset,
            Kind::Giop | Kind::Gzip => return None,
            Kind::Xml => match Envelope::of(bytes, &kind::limits()).and_then(|it| it.version) {
                Some("SOAP 1.2") => Self::Soap12,
                Some(_) => Self::Soap11,
                None => Self::Xml,
            },
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|it| it.0 == self).map_or("", |it| it.1)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How messages are written, where a format leaves that open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// BeginString of FIX; that of the dictionary if it is not given.
    pub begin_string: Option<String>,
    /// How text is written in FIX and CDR.
    pub code_set: CodeSet,
    /// Are numbers strings in JSON?
    pub quoted: bool,
    /// Are members of JSON rejected that are not described, and not counted alone?
    pub strict: bool,
    /// The namespace of elements in XML and SOAP, where nothing describes how SOAP says a message.
    pub namespace: String,
    /// How SOAP says it, if that is described; the version is the format's.
    pub soap: Option<soap::Options>,
    /// What becomes of header blocks of SOAP in a format that has none.
    pub header_blocks: HeaderBlocks,
}

/// What becomes of header blocks in a format that has no place for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeaderBlocks {
    /// The message is rejected.
    #[default]
    Reject,
    /// It is if one of them must be understood; the others are left out.
    LeaveOutOptional,
    /// All are left out.
    LeaveOut,
}

/// Encoder and decoder of a layout in one format.
#[derive(Debug)]
pub enum Codec {
    /// FIX.
    Fix(fix::Encoder, fix::Decoder),
    /// CDR.
    Cdr(cdr::Encoder, cdr::Decoder),
    /// XML, in an envelope or without.
    Soap(Box<(soap::Encoder, soap::Decoder)>),
    /// Fast Infoset.
    FastInfoset(Box<Binary>),
    /// JSON, which is read with the message's name around it or without.
    Json(json::Encoder, Box<[json::Decoder; 2]>),
}

/// A message in Fast Infoset, one document at a time.
#[derive(Debug)]
pub struct Binary {
    encoder: soap::Encoder,
    decoder: soap::Decoder,
    writer: fast_infoset::Writer,
    parser: fast_infoset::Parser,
}

impl Codec {
    /// Compiles a layout for a format.
    ///
    /// # Errors
    /// The format has no form for it.
    pub fn new(
        layout: &Arc<Layout>,
        format: Format,
        options: &Options,
        limits: &Limits,
    ) -> Result<Self> {
        match format {
            Format::Fix => {
                let begin_string = options.begin_string.clone().unwrap_or_else(|| "FIX.4.4".into());
                let code_set = options.code_set;
                let options = fix::Options { begin_string, code_set, ..fix::Options::default() };
                let plan = fix::Plan::new(layout, &options)?;
                let decoder = fix::Decoder::with_limits(&plan, limits.clone());
                Ok(Self::Fix(fix::Encoder::new(&plan), decoder))
            }
            Format::CdrLittle | Format::CdrBig => {
                let byte_order = match format {
                    Format::CdrBig => cdr::ByteOrder::Big,
                    _ => cdr::ByteOrder::Little,
                };
                let code_set = options.code_set;
                let options = cdr::Options { byte_order, code_set, ..cdr::Options::default() };
                let plan = cdr::Plan::new(layout, &options)?;
                let decoder = cdr::Decoder::with_limits(&plan, limits.clone());
                Ok(Self::Cdr(cdr::Encoder::new(&plan), decoder))
            }
            Format::Xml | Format::Soap11 | Format::Soap12 => {
                Ok(Self::Soap(Box::new(soap_pair(layout, format, options, limits)?)))
            }
            Format::FastInfoset => {
                let (encoder, decoder) = soap_pair(layout, Format::Soap11, options, limits)?;
                let writer =
                    fast_infoset::Writer::stateless(fast_infoset::WriterOptions::default());
                let parser = fast_infoset::Parser::stateless(fast_infoset::Options::soap(), limits);
                Ok(Self::FastInfoset(Box::new(Binary { encoder, decoder, writer, parser })))
            }
            Format::Json => {
                let plan = |named| {
                    let (quoted, soap) = (options.quoted, options.soap.as_ref());
                    let nil_items = soap.is_some_and(|it| it.style.is_encoded());
                    let nillable = soap.is_some_and(|it| it.nillable);
                    json::Plan::new(layout, &json::Options { quoted, named, nil_items, nillable })
                };
                let (named, bare) = (plan(true)?, plan(false)?);
                let content = match options.strict {
                    true => UnknownContent::Reject,
                    false => UnknownContent::Count,
                };
                let decoder =
                    |plan| json::Decoder::with_limits(plan, limits.clone()).on_unknown(content);
                let decoders = Box::new([decoder(&named), decoder(&bare)]);
                Ok(Self::Json(json::Encoder::new(&named), decoders))
            }
        }
    }

    /// Reads a whole message into place, and says how much of it the layout does not know and the record does not keep.
    ///
    /// # Errors
    /// The decoder's: where, in which field, and why.
    pub fn decode(&mut self, bytes: &[u8], into: &mut Record) -> Result<usize> {
        match self {
            Self::Fix(_, decoder) => decoder.decode(bytes, into).map(|()| decoder.unknown()),
            Self::Cdr(_, decoder) => decoder.decode(bytes, into).map(|()| 0),
            Self::Soap(pair) => {
                let decoder = &mut pair.1;
                decoder.decode(bytes, into).map(|()| decoder.unknown())
            }
            Self::FastInfoset(binary) => {
                let Binary { decoder, parser, .. } = &mut **binary;
                let mut reader = fast_infoset::Reader::begin(parser, bytes)?;
                decoder.decode_from(&mut reader, into)?;
                reader.finish()?;
                Ok(decoder.unknown())
            }
            Self::Json(encoder, decoders) => {
                let is_named = encoder.plan().is_named(bytes);
                let decoder = &mut decoders[usize::from(!is_named)];
                decoder.decode(bytes, into).map(|()| decoder.unknown())
            }
        }
    }

    /// Writes a message; the bytes stay until the next call.
    ///
    /// # Errors
    /// The encoder's: which field has no form, and why.
    pub fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
        self.encode_with("", message)
    }

    /// The same with header blocks, as they stand in the Header; other formats than SOAP leave them out.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_with<M: Message>(&mut self, header: &str, message: &M) -> Result<&[u8]> {
        match self {
            Self::Fix(encoder, _) => encoder.encode(message),
            Self::Cdr(encoder, _) => encoder.encode(message),
            Self::Soap(pair) => pair.0.encode_with(header, message),
            Self::FastInfoset(binary) => {
                let Binary { encoder, writer, .. } = &mut **binary;
                writer.begin();
                encoder.encode_to(header, message, writer)?;
                writer.finish()
            }
            Self::Json(encoder, _) => encoder.encode(message),
        }
    }

    /// How much of what the message written last keeps that its layout does not know has no form here.
    pub fn not_written(&self) -> usize {
        match self {
            Self::Fix(encoder, _) => encoder.unknown(),
            Self::Cdr(encoder, _) => encoder.unknown(),
            Self::Soap(pair) => pair.0.unknown(),
            Self::FastInfoset(binary) => binary.encoder.unknown(),
            Self::Json(encoder, _) => encoder.unknown(),
        }
    }
}

fn soap_pair(
    layout: &Arc<Layout>,
    format: Format,
    options: &Options,
    limits: &Limits,
) -> Result<(soap::Encoder, soap::Decoder)> {
    let described = options.soap.clone().unwrap_or_else(|| soap::Options {
        style: soap::Style::DocumentLiteral,
        operation: layout.name().to_owned(),
        namespace: options.namespace.clone(),
        zone: true,
        ..soap::Options::default()
    });
    let options = soap::Options {
        version: match format {
            Format::Soap12 => soap::Version::Soap12,
            _ => soap::Version::Soap11,
        },
        layout: match format {
            Format::Xml => soap::Layout::Fragment,
            _ => described.layout,
        },
        any_header: true,
        nil_in_records: true,
        ..described
    };
    let plan = soap::Plan::new(layout, &options)?;
    let decoder = soap::Decoder::with_limits(&plan, limits.clone());
    Ok((soap::Encoder::new(&plan), decoder.on_unknown(UnknownContent::Keep)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_its_format() {
        let envelope = |namespace: &str| {
            format!(
                "<?xml version='1.0'?>\n<s:Envelope xmlns:s='{namespace}'><s:Body/></s:Envelope>"
            )
        };
        let soap11 = envelope("http://schemas.xmlsoap.org/soap/envelope/");
        let soap12 = envelope("http://www.w3.org/2003/05/soap-envelope");
        let other = envelope("urn:other");
        for (text, expected) in [
            ("8=FIX.4.4\u{1}9=5\u{1}", Some(Format::Fix)),
            ("{}", Some(Format::Json)),
            ("<a/>", Some(Format::Xml)),
            (&soap11, Some(Format::Soap11)),
            (&soap12, Some(Format::Soap12)),
            (&other, Some(Format::Xml)),
            ("<Envelope", Some(Format::Xml)),
            ("GIOP", None),
            ("hello", None),
        ] {
            assert_eq!(Format::of(text.as_bytes()), expected, "{text}");
        }
    }
}
