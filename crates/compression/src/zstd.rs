//! Frames of Zstandard (RFC 8878), within limits.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::CompressionLevel;

use crate::Error;

/// The largest window in HTTP (RFC 9659, section 3), in bytes.
const WINDOW: usize = 8 << 20;

/// Bytes that are decoded before it is looked whether they are too many.
const STEP: usize = 128 << 10;

/// Bytes of a block (RFC 8878, section 3.1.1.2.4), at most.
const BLOCK: usize = 128 << 10;

/// Frames of one block each, with a checksum, behind what is in `room`. The encoder looks for repetitions in one block
/// only, so a frame of several would hardly be shorter. And it would not always be right: the table of a block that was
/// stored as it is, since it would not become shorter, is taken as known by the next one, and no decoder has it.
pub(crate) fn compress(body: &[u8], mut room: Vec<u8>) -> Vec<u8> {
    let mut rest = body;
    loop {
        let (block, more) = rest.split_at(rest.len().min(BLOCK));
        ruzstd::encoding::compress(block, &mut room, CompressionLevel::Fastest);
        rest = more;
        if rest.is_empty() {
            return room;
        }
    }
}

/// All frames of a body, one after another.
pub(crate) fn decompress(
    mut body: &[u8],
    most: usize,
    mut room: Vec<u8>,
) -> Result<Vec<u8>, Error> {
    let mut decoder = FrameDecoder::new();
    // One that says how long it is has that for a window.
    decoder.set_max_window_size(most.max(WINDOW) as u64);
    loop {
        let skipped = match decoder.reset(&mut body) {
            Ok(()) => None,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => Some(length as usize),
            Err(cause) => return Err(broken(&cause)),
        };
        match skipped {
            None => one_frame(&mut decoder, &mut body, most, &mut room)?,
            Some(length) => {
                let rest = body.get(length..);
                body = rest.ok_or_else(|| Error::Broken("a frame ends too early".to_owned()))?;
            }
        }
        if body.is_empty() {
            return Ok(room);
        }
    }
}

/// The frame whose head was read.
fn one_frame(
    decoder: &mut FrameDecoder,
    body: &mut &[u8],
    most: usize,
    room: &mut Vec<u8>,
) -> Result<(), Error> {
    if decoder.content_size() > (most - room.len()) as u64 {
        return Err(Error::TooLong);
    }
    loop {
        let decoded = decoder.decode_blocks(&mut *body, BlockDecodingStrategy::UptoBytes(STEP));
        let is_last = decoded.map_err(|cause| broken(&cause))?;
        if decoder.can_collect() > most - room.len() {
            return Err(Error::TooLong);
        }
        decoder.collect_to_writer(&mut *room).map_err(|cause| Error::Broken(cause.to_string()))?;
        if is_last {
            break;
        }
    }
    match (decoder.get_checksum_from_data(), decoder.get_calculated_checksum()) {
        (Some(said), Some(is)) if said != is => {
            Err(Error::Broken(format!("its checksum is {is:08x}, and it says {said:08x}")))
        }
        _ => Ok(()),
    }
}

fn broken(cause: &FrameDecoderError) -> Error {
    Error::Broken(cause.to_string())
}
