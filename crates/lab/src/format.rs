//! The codecs of the formats of the evaluations.

use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::{cdr, fix, soap};
use trunkline_message::{Layout, Message, Result, Structure as _, UnknownContent};

use trunkline_experiment::format::{Family, Format};

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

/// How the service for customer records writes SOAP.
fn service_options(format: Format) -> soap::Options {
    use soap::{Layout, Style};
    let (style, layout) = match format {
        Format::NgDocumentLiteralWrapped => (Style::DocumentLiteral, Layout::Operation),
        Format::NgDocumentEncoded => (Style::DocumentEncoded, Layout::Message),
        Format::NgRpcLiteral => (Style::RpcLiteral, Layout::Operation),
        Format::NgRpcEncoded => (Style::RpcEncoded, Layout::Operation),
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
            Family::MarketData | Family::Rates => MarketDataIncrementalRefresh::layout(),
        };
        let soap = |options: soap::Options| Self::soap(layout, &options);
        let of_market_data = soap::Options::default;
        let cdr = |optional| {
            let options = cdr::Options { optional, ..Default::default() };
            let plan = cdr::Plan::new(layout, options).expect("it has no unions");
            Self::Cdr(cdr::Encoder::new(&plan), cdr::Decoder::new(&plan))
        };
        match format {
            Format::SoapRpc => soap(of_market_data()),
            Format::SoapDocument => {
                soap(soap::Options { style: soap::Style::DocumentLiteral, ..of_market_data() })
            }
            Format::SoapCompact => soap(soap::Options { compact_tags: true, ..of_market_data() }),
            Format::SoapAttributes => soap(soap::Options { attributes: true, ..of_market_data() }),
            Format::SoapFlat => soap(soap::Options { flat: true, ..of_market_data() }),
            Format::SoapFlatAttributes => {
                soap(soap::Options { flat: true, attributes: true, ..of_market_data() })
            }
            Format::Fix => Self::fix(&fix::Options::default()),
            Format::CdrUnion | Format::NgCdr => cdr(cdr::Optional::Union),
            Format::CdrBitmap => cdr(cdr::Optional::Bitmap),
            Format::NgDocumentLiteral
            | Format::NgDocumentLiteralWrapped
            | Format::NgDocumentEncoded
            | Format::NgRpcLiteral
            | Format::NgRpcEncoded => soap(service_options(format)),
        }
    }

    /// As [`of`](Self::of), of what the service answers: its element has another name, which
    /// document/literal goes by.
    pub(crate) fn of_answers(format: Format) -> Self {
        if format != Format::NgDocumentLiteralWrapped {
            return Self::of(format);
        }
        let operation = format!("{SERVICE_OPERATION}Response");
        let options = soap::Options { operation, ..service_options(format) };
        Self::soap(CustomerServices::layout(), &options)
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
