//! The codecs of the formats of the evaluations.

use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::{cdr, fix};
use trunkline_message::{Layout, Message, Result, Structure as _, UnknownContent};
use trunkline_net::{Fix, Framer, LengthPrefixed, Xml};
use trunkline_soap as soap;

use trunkline_experiment::format::{Encoding, Family, Format, Optional, Style, Vocabulary};

/// The namespace of the service that echoes customer and product records.
pub const SERVICE_NAMESPACE: &str = "urn:trunkline:ng-2004";

/// The operation of that service which sends its message back.
pub const SERVICE_OPERATION: &str = "echo";

/// The messages in this format.
/// # Errors
/// One of them cannot be written in it.
pub fn corpus<M: Message>(format: Format, messages: &[M]) -> Result<Vec<Vec<u8>>> {
    let mut codec = Codec::of(format);
    messages.iter().map(|message| Ok(codec.encode(message)?.to_vec())).collect()
}

/// How SOAP of a family is written: the service for customer records has a namespace and an operation.
fn soap_options(family: Family, style: Style, vocabulary: Vocabulary) -> soap::Options {
    let (style, is_named) = match style {
        Style::DocumentLiteral => (soap::Style::DocumentLiteral, false),
        Style::DocumentLiteralWrapped => (soap::Style::DocumentLiteral, true),
        Style::DocumentEncoded => (soap::Style::DocumentEncoded, false),
        Style::RpcLiteral => (soap::Style::RpcLiteral, true),
        Style::RpcEncoded => (soap::Style::RpcEncoded, true),
    };
    let options = soap::Options {
        style,
        compact_tags: vocabulary == Vocabulary::CompactTags,
        flat: matches!(vocabulary, Vocabulary::Flat | Vocabulary::FlatAttributes),
        attributes: matches!(vocabulary, Vocabulary::Attributes | Vocabulary::FlatAttributes),
        ..soap::Options::default()
    };
    if family != Family::CustomerServices {
        return options;
    }
    soap::Options {
        layout: if is_named { soap::Layout::Operation } else { soap::Layout::Message },
        operation: SERVICE_OPERATION.into(),
        namespace: SERVICE_NAMESPACE.into(),
        types: style.is_encoded(),
        zone: true,
        // The answer's wrapper is `echoResponse`, by convention only (SOAP 1.1, 7.1).
        any_wrapper: is_named,
        ..options
    }
}

/// Encoder and decoder of one format.
pub(crate) enum Codec {
    Soap(soap::Encoder, Box<soap::Decoder>),
    Fix(fix::Encoder, fix::Decoder),
    Cdr(cdr::Encoder, cdr::Decoder),
}

impl Codec {
    /// A new encoder and decoder for messages of the format's family.
    pub(crate) fn of(format: Format) -> Self {
        let layout: &Arc<Layout> = match format.family() {
            Family::CustomerServices => CustomerServices::layout(),
            // Rates have no format.
            Family::MarketData | Family::Rates | Family::Operations | Family::Sessions => {
                MarketDataIncrementalRefresh::layout()
            }
        };
        match format.encoding() {
            Encoding::Soap(style, vocabulary) => {
                Self::soap(layout, &soap_options(format.family(), style, vocabulary))
            }
            Encoding::Fix => Self::fix(&fix::Options::default()),
            Encoding::Cdr(optional) => {
                let optional = match optional {
                    Optional::Union => cdr::Optional::Union,
                    Optional::Bitmap => cdr::Optional::Bitmap,
                };
                let options = cdr::Options { optional, ..Default::default() };
                let plan = cdr::Plan::new(layout, &options).expect("it has no unions");
                Self::Cdr(cdr::Encoder::new(&plan), cdr::Decoder::new(&plan))
            }
        }
    }

    /// As [`of`](Self::of), of what the service answers: its element has another name, which
    /// document/literal goes by.
    pub(crate) fn of_answers(format: Format) -> Self {
        match format.encoding() {
            Encoding::Soap(style @ Style::DocumentLiteralWrapped, vocabulary) => {
                let operation = format!("{SERVICE_OPERATION}Response");
                let options = soap_options(format.family(), style, vocabulary);
                let options = soap::Options { operation, ..options };
                Self::soap(CustomerServices::layout(), &options)
            }
            _ => Self::of(format),
        }
    }

    fn soap(layout: &Arc<Layout>, options: &soap::Options) -> Self {
        let plan = soap::Plan::new(layout, options).expect("a plan");
        Self::Soap(soap::Encoder::new(&plan), Box::new(soap::Decoder::new(&plan)))
    }

    /// FIX of market data with these options.
    pub(crate) fn fix(options: &fix::Options) -> Self {
        let plan = fix::Plan::new(MarketDataIncrementalRefresh::layout(), options);
        let plan = plan.expect("every field of market data has its FIX tag");
        Self::Fix(fix::Encoder::new(&plan), fix::Decoder::new(&plan))
    }

    /// The same, that rejects what the messages' schema does not know.
    pub(crate) fn strict(self) -> Self {
        let content = UnknownContent::Reject;
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

/// An encoder of some format.
pub(crate) trait Encode: Send {
    fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]>;
}

/// A decoder of some format, and how its messages are told apart in a stream.
pub(crate) trait Decode: Send {
    type Framer: Framer + Default + Send;

    fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()>;
}

macro_rules! codec {
    ($format:ident, $framer:ty) => {
        impl Encode for $format::Encoder {
            #[inline]
            fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
                self.encode(message)
            }
        }

        impl Decode for $format::Decoder {
            type Framer = $framer;

            #[inline]
            fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
                self.decode(bytes, message)
            }
        }
    };
}

codec!(soap, Xml);
codec!(fix, Fix);
codec!(cdr, LengthPrefixed);
