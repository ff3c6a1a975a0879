//! The wire formats of the evaluations: how each is named, and its codec.

use std::sync::Arc;

use serde::Deserialize;
use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::{cdr, fix, soap};
use trunkline_message::{Layout, Message, Result, Structure as _, UnknownContent};

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

/// The namespace of the service that echoes customer and product records.
pub const SERVICE_NAMESPACE: &str = "urn:trunkline:ng-2004";

/// The operation of that service which sends its message back.
pub const SERVICE_OPERATION: &str = "echo";

/// One way of writing a message of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Format {
    /// SOAP 1.1, rpc/encoded: the paper's Figure 6.
    #[serde(rename = "soap-rpc")]
    SoapRpc,
    /// SOAP 1.1, document/literal: what toolkits of today speak.
    #[serde(rename = "soap-doc")]
    SoapDocument,
    /// As `SoapRpc` with names of two to four characters (the paper's section 5.4).
    #[serde(rename = "soap-compact")]
    SoapCompact,
    /// As `SoapRpc` with an attribute for each single value.
    #[serde(rename = "soap-attributes")]
    SoapAttributes,
    /// As `SoapRpc` without elements for components, such as Instrument.
    #[serde(rename = "soap-flat")]
    SoapFlat,
    /// As `SoapFlat` with an attribute for each single value.
    #[serde(rename = "soap-flat-attributes")]
    SoapFlatAttributes,
    /// FIX 4.3 tag=value: Figure 5.
    #[serde(rename = "fix")]
    Fix,
    /// CORBA CDR, little-endian, an optional field as a union: Figure 7.
    #[serde(rename = "cdr-le")]
    CdrUnion,
    /// CORBA CDR, little-endian, one bit for each optional field.
    #[serde(rename = "cdr-le-bitmap")]
    CdrBitmap,
    /// Customer records in SOAP 1.1, document/literal, the message itself in the Body.
    #[serde(rename = "ng-doc-literal")]
    NgDocumentLiteral,
    /// The same in an element named after the operation.
    #[serde(rename = "ng-doc-literal-wrapped")]
    NgDocumentLiteralWrapped,
    /// Customer records in SOAP 1.1, document/encoded.
    #[serde(rename = "ng-doc-encoded")]
    NgDocumentEncoded,
    /// Customer records in SOAP 1.1, rpc/literal.
    #[serde(rename = "ng-rpc-literal")]
    NgRpcLiteral,
    /// Customer records in SOAP 1.1, rpc/encoded, every value with its type.
    #[serde(rename = "ng-rpc-encoded")]
    NgRpcEncoded,
    /// Customer records in CORBA CDR, little-endian: what stands where the paper had a binary
    /// formatter.
    #[serde(rename = "ng-cdr")]
    NgCdr,
}

impl Format {
    /// All formats, in the order of tables.
    pub const ALL: [Self; 15] = [
        Self::SoapRpc,
        Self::SoapDocument,
        Self::SoapCompact,
        Self::SoapAttributes,
        Self::SoapFlat,
        Self::SoapFlatAttributes,
        Self::Fix,
        Self::CdrUnion,
        Self::CdrBitmap,
        Self::NgDocumentLiteral,
        Self::NgDocumentLiteralWrapped,
        Self::NgDocumentEncoded,
        Self::NgRpcLiteral,
        Self::NgRpcEncoded,
        Self::NgCdr,
    ];

    /// Those of market data.
    pub const MARKET_DATA: [Self; 9] = [
        Self::SoapRpc,
        Self::SoapDocument,
        Self::SoapCompact,
        Self::SoapAttributes,
        Self::SoapFlat,
        Self::SoapFlatAttributes,
        Self::Fix,
        Self::CdrUnion,
        Self::CdrBitmap,
    ];

    /// Those of customer and product records.
    pub const CUSTOMER_SERVICES: [Self; 6] = [
        Self::NgDocumentLiteral,
        Self::NgDocumentLiteralWrapped,
        Self::NgDocumentEncoded,
        Self::NgRpcLiteral,
        Self::NgRpcEncoded,
        Self::NgCdr,
    ];

    /// What its messages carry.
    pub fn family(self) -> Family {
        match Self::CUSTOMER_SERVICES.contains(&self) {
            true => Family::CustomerServices,
            false => Family::MarketData,
        }
    }

    /// The word for corpora in the protocol of the peers.
    pub fn name(self) -> &'static str {
        match self {
            Self::SoapRpc => "soap-rpc",
            Self::SoapDocument => "soap-doc",
            Self::SoapCompact => "soap-compact",
            Self::SoapAttributes => "soap-attributes",
            Self::SoapFlat => "soap-flat",
            Self::SoapFlatAttributes => "soap-flat-attributes",
            Self::Fix => "fix",
            Self::CdrUnion => "cdr-le",
            Self::CdrBitmap => "cdr-le-bitmap",
            Self::NgDocumentLiteral => "ng-doc-literal",
            Self::NgDocumentLiteralWrapped => "ng-doc-literal-wrapped",
            Self::NgDocumentEncoded => "ng-doc-encoded",
            Self::NgRpcLiteral => "ng-rpc-literal",
            Self::NgRpcEncoded => "ng-rpc-encoded",
            Self::NgCdr => "ng-cdr",
        }
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The words in tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::SoapRpc => "SOAP rpc/encoded",
            Self::SoapDocument => "SOAP document/literal",
            Self::SoapCompact => "SOAP compact tags",
            Self::SoapAttributes => "SOAP attributes",
            Self::SoapFlat => "SOAP flat",
            Self::SoapFlatAttributes => "SOAP flat attributes",
            Self::Fix => "FIX",
            Self::CdrUnion => "CDR",
            Self::CdrBitmap => "CDR presence bitmap",
            Self::NgDocumentLiteral => "document/literal",
            Self::NgDocumentLiteralWrapped => "document/literal wrapped",
            Self::NgDocumentEncoded => "document/encoded",
            Self::NgRpcLiteral => "rpc/literal",
            Self::NgRpcEncoded => "rpc/encoded",
            Self::NgCdr => "binary CDR",
        }
    }

    /// The format that this one is a variant of, if it is one.
    pub fn plain(self) -> Option<Self> {
        match self {
            Self::SoapCompact | Self::SoapAttributes => Some(Self::SoapRpc),
            Self::SoapFlat | Self::SoapFlatAttributes => Some(Self::SoapRpc),
            Self::CdrBitmap => Some(Self::CdrUnion),
            _ => None,
        }
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
        let [envelope, encoding, vocabulary] = match self {
            Self::SoapRpc => ["soap-1.1-rpc-encoded", "xml-utf8", "none"],
            Self::SoapDocument => ["soap-1.1-document-literal", "xml-utf8", "none"],
            Self::SoapCompact => ["soap-1.1-rpc-encoded", "xml-utf8", "compact-tags"],
            Self::SoapAttributes => ["soap-1.1-rpc-encoded", "xml-utf8", "attributes"],
            Self::SoapFlat => ["soap-1.1-rpc-encoded", "xml-utf8", "flat"],
            Self::SoapFlatAttributes => ["soap-1.1-rpc-encoded", "xml-utf8", "flat-attributes"],
            Self::Fix => ["fix-4.3", "tag-value", "none"],
            Self::CdrUnion => ["none", "cdr-le-union", "none"],
            Self::CdrBitmap => ["none", "cdr-le-bitmap", "none"],
            Self::NgDocumentLiteral => ["soap-1.1-document-literal", "xml-utf8", SERVICES],
            Self::NgDocumentLiteralWrapped => {
                ["soap-1.1-document-literal-wrapped", "xml-utf8", SERVICES]
            }
            Self::NgDocumentEncoded => ["soap-1.1-document-encoded", "xml-utf8", SERVICES],
            Self::NgRpcLiteral => ["soap-1.1-rpc-literal", "xml-utf8", SERVICES],
            Self::NgRpcEncoded => ["soap-1.1-rpc-encoded", "xml-utf8", SERVICES],
            Self::NgCdr => ["none", "cdr-le-union", SERVICES],
        };
        format!("{transport}/{envelope}/{encoding}/{vocabulary}/none")
    }

    /// The messages in this format.
    ///
    /// # Errors
    /// One of them cannot be written in it.
    pub fn corpus<M: Message>(self, messages: &[M]) -> Result<Vec<Vec<u8>>> {
        let mut codec = self.codec();
        messages.iter().map(|message| Ok(codec.encode(message)?.to_vec())).collect()
    }

    /// How the service for customer records writes SOAP.
    fn service_options(self) -> soap::Options {
        use soap::{Layout, Style};
        let (style, layout) = match self {
            Self::NgDocumentLiteralWrapped => (Style::DocumentLiteral, Layout::Operation),
            Self::NgDocumentEncoded => (Style::DocumentEncoded, Layout::Message),
            Self::NgRpcLiteral => (Style::RpcLiteral, Layout::Operation),
            Self::NgRpcEncoded => (Style::RpcEncoded, Layout::Operation),
            _ => (Style::DocumentLiteral, Layout::Message),
        };
        soap::Options {
            style,
            layout,
            operation: SERVICE_OPERATION.into(),
            namespace: SERVICE_NAMESPACE.into(),
            types: style.is_encoded(),
            zone: true,
            // The answer's wrapper is `echoResponse`, by convention only (SOAP 1.1, 7.1).
            any_wrapper: layout == Layout::Operation,
            ..soap::Options::default()
        }
    }

    /// As [`codec`](Self::codec), of what the service answers: its element has another name, which
    /// document/literal goes by.
    pub(crate) fn codec_of_answers(self) -> Codec {
        if self != Self::NgDocumentLiteralWrapped {
            return self.codec();
        }
        let operation = format!("{SERVICE_OPERATION}Response");
        let options = soap::Options { operation, ..self.service_options() };
        let plan = soap::Plan::new(CustomerServices::layout(), &options).expect("a plan");
        Codec::Soap(soap::Encoder::new(&plan), Box::new(soap::Decoder::new(&plan)))
    }

    /// A new encoder and decoder for messages of its family.
    pub(crate) fn codec(self) -> Codec {
        let layout: &Arc<Layout> = match self.family() {
            Family::CustomerServices => CustomerServices::layout(),
            // Rates have no format.
            Family::MarketData | Family::Rates => MarketDataIncrementalRefresh::layout(),
        };
        let soap = |options: soap::Options| {
            let plan = soap::Plan::new(layout, &options).expect("a plan");
            Codec::Soap(soap::Encoder::new(&plan), Box::new(soap::Decoder::new(&plan)))
        };
        let cdr = |optional| {
            let options = cdr::Options { optional, ..Default::default() };
            let plan = cdr::Plan::new(layout, options).expect("it has no unions");
            Codec::Cdr(cdr::Encoder::new(&plan), cdr::Decoder::new(&plan))
        };
        match self {
            Self::SoapRpc => soap(soap::Options::default()),
            Self::SoapDocument => soap(soap::Options {
                style: soap::Style::DocumentLiteral,
                ..soap::Options::default()
            }),
            Self::SoapCompact => {
                soap(soap::Options { compact_tags: true, ..soap::Options::default() })
            }
            Self::SoapAttributes => {
                soap(soap::Options { attributes: true, ..soap::Options::default() })
            }
            Self::SoapFlat => soap(soap::Options { flat: true, ..soap::Options::default() }),
            Self::SoapFlatAttributes => {
                soap(soap::Options { flat: true, attributes: true, ..soap::Options::default() })
            }
            Self::Fix => Codec::fix(&fix::Options::default()),
            Self::CdrUnion | Self::NgCdr => cdr(cdr::Optional::Union),
            Self::CdrBitmap => cdr(cdr::Optional::Bitmap),
            Self::NgDocumentLiteral
            | Self::NgDocumentLiteralWrapped
            | Self::NgDocumentEncoded
            | Self::NgRpcLiteral
            | Self::NgRpcEncoded => soap(self.service_options()),
        }
    }
}

/// The vocabulary of customer and product records in profiles.
const SERVICES: &str = "customer-services";

/// Encoder and decoder of one format.
pub(crate) enum Codec {
    Soap(soap::Encoder, Box<soap::Decoder>),
    Fix(fix::Encoder, fix::Decoder),
    Cdr(cdr::Encoder, cdr::Decoder),
}

impl Codec {
    /// FIX of market data with these options.
    pub(crate) fn fix(options: &fix::Options) -> Self {
        let plan = fix::Plan::new(MarketDataIncrementalRefresh::layout(), options);
        let plan = plan.expect("every field of market data has its FIX tag");
        Self::Fix(fix::Encoder::new(&plan), fix::Decoder::new(&plan))
    }

    /// The same, that refuses what the messages' schema does not know.
    pub(crate) fn strict(self) -> Self {
        let content = UnknownContent::Refuse;
        match self {
            Self::Soap(encoder, decoder) => {
                Self::Soap(encoder, Box::new(decoder.on_unknown(content)))
            }
            Self::Fix(encoder, decoder) => Self::Fix(encoder, decoder.on_unknown(content)),
            // It has nothing that is unknown.
            Self::Cdr(encoder, decoder) => Self::Cdr(encoder, decoder),
        }
    }

    pub(crate) fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
        match self {
            Self::Soap(encoder, _) => encoder.encode(message),
            Self::Fix(encoder, _) => encoder.encode(message),
            Self::Cdr(encoder, _) => encoder.encode(message),
        }
    }

    pub(crate) fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
        match self {
            Self::Soap(_, decoder) => decoder.decode(bytes, message),
            Self::Fix(_, decoder) => decoder.decode(bytes, message),
            Self::Cdr(_, decoder) => decoder.decode(bytes, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_and_a_profile_of_its_own() {
        for (index, format) in Format::ALL.iter().enumerate() {
            assert_eq!(format.profile().split('/').count(), 5);
            for other in &Format::ALL[..index] {
                assert_ne!(format.name(), other.name());
                assert_ne!(format.profile(), other.profile());
            }
        }
    }
}
