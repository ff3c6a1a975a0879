//! The wire formats of the evaluations: what each is called, and how its bytes are made.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use Encoding::{Cdr, Soap};
use Format as F;
use Style::{DocumentEncoded, DocumentLiteral, DocumentLiteralWrapped, RpcEncoded, RpcLiteral};
use Vocabulary::{Attributes, CompactTags, Flat, FlatAttributes, Plain};

/// What the messages of an experiment carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Trades of a day (Kohlhoff & Steele 2004, Figure 3).
    #[default]
    MarketData,
    /// Records of customers and products (Ng, Chen & Greenfield 2004, Figure 3).
    CustomerServices,
    /// Rates and orders that a middleware carries without looking at them (Catena 2012).
    Rates,
}

impl Family {
    /// The word in experiments.
    pub fn name(self) -> &'static str {
        match self {
            Self::MarketData => "market-data",
            Self::CustomerServices => "customer-services",
            Self::Rates => "rates",
        }
    }
}

/// One way of writing a message of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// SOAP 1.1, rpc/encoded: the paper's Figure 6.
    SoapRpc,
    /// SOAP 1.1, document/literal: what toolkits of today speak.
    SoapDocument,
    /// As `SoapRpc` with names of two to four characters (the paper's section 5.4).
    SoapCompact,
    /// As `SoapRpc` with an attribute for each single value.
    SoapAttributes,
    /// As `SoapRpc` without elements for components, such as Instrument.
    SoapFlat,
    /// As `SoapFlat` with an attribute for each single value.
    SoapFlatAttributes,
    /// FIX 4.3 tag=value: Figure 5.
    Fix,
    /// CORBA CDR, little-endian, an optional field as a union: Figure 7.
    CdrUnion,
    /// CORBA CDR, little-endian, one bit for each optional field.
    CdrBitmap,
    /// Customer records in SOAP 1.1, document/literal, the message itself in the Body.
    NgDocumentLiteral,
    /// The same in an element named after the operation.
    NgDocumentLiteralWrapped,
    /// Customer records in SOAP 1.1, document/encoded.
    NgDocumentEncoded,
    /// Customer records in SOAP 1.1, rpc/literal.
    NgRpcLiteral,
    /// Customer records in SOAP 1.1, rpc/encoded, every value with its type.
    NgRpcEncoded,
    /// Customer records in CORBA CDR, little-endian: what stands where the paper had a binary
    /// formatter.
    NgCdr,
}

/// How the bytes of a format are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// SOAP 1.1 in UTF-8.
    Soap(Style, Vocabulary),
    /// FIX 4.3 tag=value.
    Fix,
    /// CORBA CDR, little-endian; an optional field is a union, or one bit tells of it.
    Cdr(Optional),
}

/// The styles of SOAP: how the Body is named, and how values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A document as its schema says.
    DocumentLiteral,
    /// The same, in an element named after the operation.
    DocumentLiteralWrapped,
    /// A document in the SOAP encoding.
    DocumentEncoded,
    /// A call, as the schema of its parts says.
    RpcLiteral,
    /// A call in the SOAP encoding.
    RpcEncoded,
}

/// What elements are called, and where values stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// As in the schema.
    Plain,
    /// Names of two to four characters.
    CompactTags,
    /// An attribute for each single value.
    Attributes,
    /// No elements for components, such as Instrument.
    Flat,
    /// Both of these.
    FlatAttributes,
}

/// How an optional field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optional {
    /// As a union.
    Union,
    /// One bit tells whether it is there.
    Bitmap,
}

impl Encoding {
    /// Envelope, encoding and vocabulary in profiles.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::Soap(style, vocabulary) => {
                let envelope = match style {
                    Style::DocumentLiteral => "soap-1.1-document-literal",
                    Style::DocumentLiteralWrapped => "soap-1.1-document-literal-wrapped",
                    Style::DocumentEncoded => "soap-1.1-document-encoded",
                    Style::RpcLiteral => "soap-1.1-rpc-literal",
                    Style::RpcEncoded => "soap-1.1-rpc-encoded",
                };
                let vocabulary = match vocabulary {
                    Vocabulary::Plain => "none",
                    Vocabulary::CompactTags => "compact-tags",
                    Vocabulary::Attributes => "attributes",
                    Vocabulary::Flat => "flat",
                    Vocabulary::FlatAttributes => "flat-attributes",
                };
                [envelope, "xml-utf8", vocabulary]
            }
            Self::Fix => ["fix-4.3", "tag-value", "none"],
            Self::Cdr(Optional::Union) => ["none", "cdr-le-union", "none"],
            Self::Cdr(Optional::Bitmap) => ["none", "cdr-le-bitmap", "none"],
        }
    }
}

/// What there is to say about a format: its name, the words in tables, and how its bytes are made.
type Description = (Format, &'static str, &'static str, Encoding);

const FLAT_ATTRIBUTES: Encoding = Soap(RpcEncoded, FlatAttributes);
const WRAPPED: Encoding = Soap(DocumentLiteralWrapped, Plain);

/// The formats of market data, in the order of [`Format`], which is that of tables.
const TRADES: [Description; 9] = [
    (F::SoapRpc, "soap-rpc", "SOAP rpc/encoded", Soap(RpcEncoded, Plain)),
    (F::SoapDocument, "soap-doc", "SOAP document/literal", Soap(DocumentLiteral, Plain)),
    (F::SoapCompact, "soap-compact", "SOAP compact tags", Soap(RpcEncoded, CompactTags)),
    (F::SoapAttributes, "soap-attributes", "SOAP attributes", Soap(RpcEncoded, Attributes)),
    (F::SoapFlat, "soap-flat", "SOAP flat", Soap(RpcEncoded, Flat)),
    (F::SoapFlatAttributes, "soap-flat-attributes", "SOAP flat attributes", FLAT_ATTRIBUTES),
    (F::Fix, "fix", "FIX", Encoding::Fix),
    (F::CdrUnion, "cdr-le", "CDR", Cdr(Optional::Union)),
    (F::CdrBitmap, "cdr-le-bitmap", "CDR presence bitmap", Cdr(Optional::Bitmap)),
];

/// Those of customer and product records, which come next.
const RECORDS: [Description; 6] = [
    (F::NgDocumentLiteral, "ng-doc-literal", "document/literal", Soap(DocumentLiteral, Plain)),
    (F::NgDocumentLiteralWrapped, "ng-doc-literal-wrapped", "document/literal wrapped", WRAPPED),
    (F::NgDocumentEncoded, "ng-doc-encoded", "document/encoded", Soap(DocumentEncoded, Plain)),
    (F::NgRpcLiteral, "ng-rpc-literal", "rpc/literal", Soap(RpcLiteral, Plain)),
    (F::NgRpcEncoded, "ng-rpc-encoded", "rpc/encoded", Soap(RpcEncoded, Plain)),
    (F::NgCdr, "ng-cdr", "binary CDR", Cdr(Optional::Union)),
];

impl Format {
    /// All formats, in the order of tables.
    pub const ALL: [Self; TRADES.len() + RECORDS.len()] = {
        let mut all = [Self::Fix; TRADES.len() + RECORDS.len()];
        let mut index = 0;
        while index < all.len() {
            let is_first = index < TRADES.len();
            all[index] = if is_first { TRADES[index].0 } else { RECORDS[index - TRADES.len()].0 };
            index += 1;
        }
        all
    };

    /// Those that carry messages of a family, in the order of tables.
    pub fn of_family(family: Family) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |format| format.family() == family)
    }

    /// What its messages carry.
    pub fn family(self) -> Family {
        if (self as usize) < TRADES.len() { Family::MarketData } else { Family::CustomerServices }
    }

    /// How its bytes are made.
    pub fn encoding(self) -> Encoding {
        self.description().3
    }

    /// The word for corpora in the protocol of the peers.
    pub fn name(self) -> &'static str {
        self.description().1
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The words in tables.
    pub fn title(self) -> &'static str {
        self.description().2
    }

    /// The format that this one is a variant of, if it is one.
    pub fn plain(self) -> Option<Self> {
        let encoding = match self.encoding() {
            Encoding::Soap(style, _) => Encoding::Soap(style, Vocabulary::Plain),
            Encoding::Fix => Encoding::Fix,
            Encoding::Cdr(_) => Encoding::Cdr(Optional::Union),
        };
        let mut family = Self::of_family(self.family()).filter(|format| *format != self);
        family.find(|format| format.encoding() == encoding)
    }

    /// The word where the formats that the papers compared stand for their kind: `SOAP`, `FIX`,
    /// `CDR`; else the title.
    pub fn kind(self) -> &'static str {
        match self {
            Self::SoapRpc => "SOAP",
            _ => self.title(),
        }
    }

    /// How the bytes are made, in the words of rows:
    /// transport/envelope/encoding/vocabulary/compression. Nothing is sent here.
    pub fn profile(self) -> String {
        self.profile_over("none")
    }

    /// As [`profile`](Self::profile), sent over `transport`, such as `tcp-blocking`.
    pub fn profile_over(self, transport: &str) -> String {
        let [envelope, encoding, vocabulary] = self.encoding().words();
        let vocabulary = match self.family() {
            Family::CustomerServices => "customer-services",
            Family::MarketData | Family::Rates => vocabulary,
        };
        format!("{transport}/{envelope}/{encoding}/{vocabulary}/none")
    }

    /// The format of the bytes that a profile tells of, whatever carries them.
    pub fn of_profile(profile: &str) -> Option<Self> {
        let (transport, _) = profile.split_once('/')?;
        Self::ALL.into_iter().find(|format| {
            let rest = profile.strip_prefix(&format.profile_over(transport));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn description(self) -> &'static Description {
        let index = self as usize;
        TRADES.get(index).unwrap_or_else(|| &RECORDS[index - TRADES.len()])
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Named)
    }
}

/// Reads the name of a format; as a visitor, so that an error is told where the name stands.
struct Named;

impl Visitor<'_> for Named {
    type Value = Format;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a format")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Format, E> {
        Format::named(name).ok_or_else(|| {
            let known = Format::ALL.map(|format| format!("`{}`", format.name())).join(", ");
            E::custom(format_args!("unknown format `{name}`, expected one of {known}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_and_a_profile_of_its_own() {
        for (index, format) in Format::ALL.iter().enumerate() {
            assert_eq!(*format as usize, index);
            assert_eq!(format.profile().split('/').count(), 5);
            for other in &Format::ALL[..index] {
                assert_ne!(format.name(), other.name());
                assert_ne!(format.profile(), other.profile());
            }
        }
    }
}
