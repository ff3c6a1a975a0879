//! Messages in other bytes with the same values, so that a program that copies its input is told from one
//! that decodes and encodes.

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Message, Structure};

use crate::answer::compare;
use crate::format::Codec;
use trunkline_experiment::format::{Encoding, Family, Format};
use trunkline_random::Random;

/// The message as another sender might have written it, in a way that no encoder here writes: with a
/// comment in XML, another order of the header and zeros behind prices in FIX, padding octets that are not 0 in CDR. None where there
/// is no such way, or if it is no message of the format.
pub(super) fn disguised(format: Format, message: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let other = match format.encoding() {
        Encoding::Soap(..) => xml(message, random),
        Encoding::Fix => fix(message, random),
        Encoding::Cdr(_) => Some(cdr(format, message, random)),
    }?;
    (other != message && same(format, message, &other).is_ok()).then_some(other)
}

/// Whether two messages have the same values; the error is the first that differs.
pub(super) fn same(format: Format, sent: &[u8], came: &[u8]) -> Result<(), String> {
    match format.family() {
        Family::CustomerServices => same_of::<CustomerServices>(format, sent, came),
        _ => same_of::<MarketDataIncrementalRefresh>(format, sent, came),
    }
}

fn same_of<M: Message + Structure + PartialEq>(
    format: Format,
    sent: &[u8],
    came: &[u8],
) -> Result<(), String> {
    let decoded = |bytes: &[u8]| {
        let mut message = M::empty();
        let decoded = Codec::of(format).decode(bytes, &mut message);
        decoded.map(|()| message).map_err(|error| error.to_string())
    };
    compare(&decoded(sent)?, &decoded(came)?)
}

/// A comment before the envelope.
fn xml(message: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let declaration = message.windows(2).position(|end| end == b"?>").map_or(0, |at| at + 2);
    if !message.starts_with(b"<") {
        return None;
    }
    let (head, rest) = message.split_at(declaration);
    let comment = format!("<!--{:016x}-->", random.bits());
    Some([head, comment.as_bytes(), rest].concat())
}

/// The header's fields in another order, which nobody keeps, and prices with zeros at their end; length and
/// check sum are made again.
fn fix(message: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    /// `MDEntryPx`.
    const PRICE: &[u8] = b"270=";
    /// Sender, target, number and time.
    const HEADER: [&[u8]; 4] = [b"49=", b"56=", b"34=", b"52="];
    let mut fields = message.strip_suffix(b"\x01")?.split(|byte| *byte == 1);
    let (begin, _length, kind) = (fields.next()?, fields.next()?, fields.next()?);
    let is_of_header = |field: &&[u8]| HEADER.iter().any(|tag| field.starts_with(tag));
    let (mut header, rest): (Vec<&[u8]>, Vec<&[u8]>) =
        fields.filter(|field| !field.starts_with(b"10=")).partition(is_of_header);
    header.reverse();
    let mut body = [kind, b"\x01"].concat();
    for field in header.into_iter().chain(rest) {
        body.extend_from_slice(field);
        if field.starts_with(PRICE) {
            body.extend_from_slice(if field.contains(&b'.') { b"" } else { b"." });
            body.resize(body.len() + random.between(1, 3) as usize, b'0');
        }
        body.push(1);
    }
    let head = format!("9={}\x01", body.len());
    let mut other = [begin, b"\x01", head.as_bytes(), &body].concat();
    let sum = other.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    other.extend_from_slice(format!("10={sum:03}\x01").as_bytes());
    Some(other)
}

/// Octets that may hold anything hold something.
fn cdr(format: Format, message: &[u8], random: &mut Random) -> Vec<u8> {
    let mut other = message.to_vec();
    for at in (0..other.len()).filter(|at| message[*at] == 0) {
        other[at] = random.between(1, 255) as u8;
        if same(format, message, &other).is_err() {
            other[at] = 0;
        }
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;
    use crate::market_data::messages;
    use crate::trading_day::TradingDay;

    #[test]
    fn a_disguised_message_has_other_bytes_and_the_same_values() {
        let day = TradingDay::generated(2004);
        let structs = messages::sample(&day, 3, 4);
        let mut random = Random::new(7);
        for format in [Format::SoapRpc, Format::SoapDocument, Format::Fix, Format::CdrUnion] {
            let corpus = format::corpus(format, &structs).expect("every format carries it");
            let [first, second] = [(); 2].map(|()| disguised(format, &corpus[0], &mut random));
            let first = first.unwrap_or_else(|| panic!("{}", format.name()));
            assert_eq!(same(format, &corpus[0], &first), Ok(()), "{}", format.name());
            assert_ne!(first, corpus[0]);
            assert!(same(format, &corpus[0], &corpus[1]).is_err());
            let mut message = MarketDataIncrementalRefresh::default();
            let mut codec = Codec::of(format);
            codec.decode(&first, &mut message).expect("it has the same values");
            assert_ne!(codec.encode(&message).expect("it can"), first, "ours is no copier");
            // What was seen once is no help the next time.
            assert_ne!(second, Some(first), "{}", format.name());
            assert_eq!(disguised(format, b"one", &mut random), None);
        }
    }
}
