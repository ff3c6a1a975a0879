//! The peer ironfix: ironfix-tagvalue's field index and encoder with typed structures.
//!
//! The field index and the encoder are reused, as the crate intends; each message is a new
//! structure with owned text, unless one is to be used again. Body length and checksum are verified by the decoder.

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

    fn decode_into(&mut self, bytes: &[u8], message: &mut FIXMLMessage) -> Result<(), Failure> {
        let indexed = Decoder::new(bytes).decode_into(&mut self.index)?;
        read::message(&indexed, message)
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
