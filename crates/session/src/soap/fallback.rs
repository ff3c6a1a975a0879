//! The fallback of a service, for messages that no operation handles.

use std::fmt;
use std::sync::Arc;

use trunkline_codec::fast_infoset::Writer;
use trunkline_message::Limits;
use trunkline_soap::{Fault, FaultCode, Version, graph};

use super::Context;
use super::operation::{Call, Reply, Request, unreadable, unwritable};

type Function =
    dyn Fn(graph::Message, &mut Context) -> Result<Option<graph::Message>, Fault> + Send + Sync;

/// A function for all messages that have no operation.
#[derive(Clone)]
pub(super) struct Fallback(Arc<Function>);

impl fmt::Debug for Fallback {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Fallback")
    }
}

impl Fallback {
    pub(super) fn new<F>(function: F) -> Self
    where
        F: Fn(graph::Message, &mut Context) -> Result<Option<graph::Message>, Fault>,
        F: Send + Sync + 'static,
    {
        Self(Arc::new(function))
    }

    /// What one conversation needs to call it.
    pub(super) fn begin(&self, is_rpc: bool, limits: &Limits) -> Box<dyn Call> {
        let (function, limits) = (self.0.clone(), limits.clone());
        Box::new(FallbackCall { function, is_rpc, limits, answer: Vec::new() })
    }
}

struct FallbackCall {
    function: Arc<Function>,
    is_rpc: bool,
    limits: Limits,
    answer: Vec<u8>,
}

impl Call for FallbackCall {
    fn call(
        &mut self,
        request: Request<'_, '_>,
        writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        let request = match request {
            Request::Xml(bytes) => graph::decode(bytes, &self.limits),
            Request::Package(package) => {
                graph::decode(&package.whole(), &package.whole_limits(&self.limits))
            }
            Request::FastInfoset(reader) => graph::decode_from(reader, &self.limits),
        };
        let request = request.map_err(|error| unreadable(&error, self.is_rpc, context))?;
        if let Some(style) = request.unknown_encoding_style()
            && context.version() == Version::Soap12
        {
            return Err(unknown_encoding(style));
        }
        context.stamp_decoded();
        let encoded = request.is_encoded();
        let answer = (self.function)(request, context)?;
        context.stamp_answered();
        let Some(mut answer) = answer else { return Ok(Reply::Nothing) };
        if encoded && answer.encoding_style.is_none() {
            answer.set_encoded();
        }
        let encoder = graph::Encoder {
            limits: self.limits.clone(),
            ..graph::Encoder::new(context.version())
        };
        let header = context.reply_header();
        let encoded = match writer {
            None => encoder.encode_with(header, &answer).map(|bytes| self.answer = bytes),
            Some(writer) => {
                writer.begin();
                let written = encoder.encode_to(header, &answer, writer);
                return match written.and_then(|()| writer.finish()) {
                    Ok(_) => Ok(Reply::FastInfoset),
                    Err(error) => Err(unwritable(&error, context)),
                };
            }
        };
        encoded.map_err(|error| unwritable(&error, context))?;
        Ok(Reply::Xml(&self.answer))
    }
}

/// SOAP 1.2 part 1 section 5.4.6.
pub(super) fn unknown_encoding(style: &str) -> Fault {
    let style = &style[..style.floor_char_boundary(200)];
    Fault::new(FaultCode::DataEncodingUnknown, format!("the encoding style {style} is not known"))
}
