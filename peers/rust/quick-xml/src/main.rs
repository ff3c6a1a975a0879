//! The peer quick-xml: SOAP by the pull reader and the writer, hand-written to typed structures.
//!
//! Each message is a new structure with owned text, as the crate's users have it, unless one is to
//! be used again; the output buffer is reused. Elements are matched by local name in any order; unknown ones are rejected.

mod read;
mod write;

use std::str;

use peer::market_data::FIXMLMessage;
use peer::{Codec, Failure};

struct QuickXml {
    rpc: bool,
    output: Vec<u8>,
}

impl Codec for QuickXml {
    type Message = FIXMLMessage;

    fn select(&mut self, format: &str) -> bool {
        self.rpc = format == "soap-rpc";
        self.rpc || format == "soap-doc"
    }

    fn decode_into(&mut self, bytes: &[u8], message: &mut FIXMLMessage) -> Result<(), Failure> {
        read::envelope(str::from_utf8(bytes)?, self.rpc, message)
    }

    fn encode(&mut self, message: &FIXMLMessage) -> Result<&[u8], Failure> {
        self.output.clear();
        write::envelope(&mut self.output, message, self.rpc)?;
        Ok(&self.output)
    }
}

fn main() -> std::io::Result<()> {
    let codec = QuickXml { rpc: false, output: Vec::new() };
    peer::serve(codec, "quick-xml 0.42.0 soap-rpc,soap-doc")
}
