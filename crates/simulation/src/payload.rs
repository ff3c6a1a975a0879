//! What simulated publishers send: who it is, a number that rises, and bytes that follow from both.

/// Bytes before the rest.
const HEAD: usize = 8;

/// The payload of a publisher's message, at least 8 bytes.
pub(crate) fn payload(publisher: u16, number: u32, length: usize) -> Vec<u8> {
    let mut payload = Vec::with_capacity(length.max(HEAD));
    payload.extend_from_slice(b"P:");
    payload.extend_from_slice(&publisher.to_le_bytes());
    payload.extend_from_slice(&number.to_le_bytes());
    let mut byte = number as u8;
    while payload.len() < length {
        byte = byte.wrapping_mul(5).wrapping_add(publisher as u8 | 1);
        payload.push(byte);
    }
    payload
}

/// Who published a message, and which of its messages it is.
pub(crate) fn origin(payload: &[u8]) -> Option<(u16, u32)> {
    let rest = payload.strip_prefix(b"P:")?;
    let (publisher, rest) = rest.split_first_chunk()?;
    let (number, _) = rest.split_first_chunk()?;
    Some((u16::from_le_bytes(*publisher), u32::from_le_bytes(*number)))
}
