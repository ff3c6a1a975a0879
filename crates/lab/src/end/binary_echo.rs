//! The service's echo in binary over raw TCP: CDR after its length, without an envelope. It stands
//! where the paper had .NET Remoting, whose binary formatter also spoke straight over TCP.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_message::Limits;
use trunkline_net::{FrameBuffer, LengthPrefixed};

use crate::customer_services::RESPONSE;
use crate::format::Codec;
use trunkline_experiment::format::Format;

/// Decodes each message, changes its header, and sends it back, until the other side ends.
pub(super) fn serve(mut stream: TcpStream, calls: &AtomicU64) -> io::Result<()> {
    let Codec::Cdr(mut encoder, mut decoder) = Codec::of(Format::NgCdr) else { return Ok(()) };
    let mut buffer = FrameBuffer::new(Limits::default());
    let mut message = CustomerServices::default();
    let mut answer = Vec::new();
    loop {
        let length = stream.read(buffer.room())?;
        if length == 0 {
            return Ok(());
        }
        buffer.filled(length);
        while let Some(bytes) = buffer.take(&mut LengthPrefixed).map_err(io::Error::other)? {
            decoder.decode(bytes, &mut message).map_err(io::Error::other)?;
            message.header = RESPONSE.into();
            let bytes = encoder.encode(&message).map_err(io::Error::other)?;
            let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
            answer.clear();
            answer.extend_from_slice(&length.to_le_bytes());
            answer.extend_from_slice(bytes);
            calls.fetch_add(1, Ordering::Relaxed);
            stream.write_all(&answer)?;
        }
    }
}
