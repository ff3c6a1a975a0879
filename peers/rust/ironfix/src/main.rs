//! The peer ironfix: ironfix-tagvalue's field index and encoder with typed structures.
//!
//! The field index and the encoder are reused, as the crate intends; each message is a new
//! structure with owned text. Body length and checksum are verified by the decoder.

mod read;
mod write;

use ironfix_tagvalue::{Decoder, Encoder, FieldIndex};
use peer::market_data::FIXMLMessage;
use peer::{Codec, Failure};

/// The most fields that a message may have.
const FIELDS: usize = 4096;
const BODY_CAPACITY: usize = 8192;

struct IronFix {
    index: FieldIndex,
    encoder: Encoder,
}

impl Codec for IronFix {
    type Message = FIXMLMessage;

    fn select(&mut self, format: &str) -> bool {
        format == "fix"
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<FIXMLMessage, Failure> {
        let message = Decoder::new(bytes).decode_into(&mut self.index)?;
        read::message(&message)
    }

    fn encode(&mut self, message: &FIXMLMessage) -> Result<&[u8], Failure> {
        self.encoder.clear();
        write::message(&mut self.encoder, message);
        Ok(self.encoder.finish()?)
    }
}

fn main() -> std::io::Result<()> {
    let codec = IronFix {
        index: FieldIndex::with_capacity(FIELDS),
        encoder: Encoder::with_capacity("FIX.4.3", BODY_CAPACITY),
    };
    peer::serve(codec, "ironfix 0.5.1 fix")
}
