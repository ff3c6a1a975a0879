//! One direction of a TCP connection from its segments, in whatever order and how often they were captured.

use std::collections::BTreeMap;

/// Bytes that wait for others before them.
const MOST_WAITING: usize = 16 << 20;

/// Puts segments in their order.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The sequence number of the first byte, once it is known.
    start: Option<u32>,
    /// Bytes that came in order so far, without a gap.
    given: u64,
    /// By their places, behind a gap.
    waiting: BTreeMap<u64, Vec<u8>>,
    waiting_bytes: usize,
}

/// A gap that is not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// Its first byte,
    pub(super) at: u64,
    /// and how many are missing.
    pub(super) bytes: u64,
}

impl Stream {
    /// A segment. Its SYN counts as the byte before the first.
    ///
    /// # Errors
    /// So much waits behind a gap that it will not be filled.
    pub(super) fn receive(
        &mut self,
        sequence: u32,
        is_syn: bool,
        bytes: &[u8],
        mut give: impl FnMut(&[u8]),
    ) -> Result<(), Gap> {
        let sequence = sequence.wrapping_add(u32::from(is_syn));
        if is_syn && self.given == 0 && self.waiting.is_empty() {
            self.start = Some(sequence);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let start = *self.start.get_or_insert(sequence);
        // Numbers of 32 bits go round; the place that is meant is the one near what was given.
        let near = start.wrapping_add(self.given as u32);
        let distance = i64::from(sequence.wrapping_sub(near) as i32);
        let Some(mut place) = self.given.checked_add_signed(distance) else { return Ok(()) };
        let mut bytes = bytes;
        if place < self.given {
            // It was sent again, perhaps with more behind.
            let known = usize::try_from(self.given - place).unwrap_or(usize::MAX);
            bytes = bytes.get(known..).unwrap_or_default();
            place = self.given;
        }
        if place == self.given {
            self.given += bytes.len() as u64;
            give(bytes);
            self.give_waiting(give);
        } else if self.waiting.get(&place).is_none_or(|known| known.len() < bytes.len()) {
            let before = self.waiting.insert(place, bytes.to_vec());
            self.waiting_bytes += bytes.len();
            self.waiting_bytes -= before.map_or(0, |it| it.len());
        }
        match self.gap() {
            Some(gap) if self.waiting_bytes > MOST_WAITING => Err(gap),
            _ => Ok(()),
        }
    }

    fn give_waiting(&mut self, mut give: impl FnMut(&[u8])) {
        while let Some(first) = self.waiting.first_entry()
            && *first.key() <= self.given
        {
            let (place, bytes) = first.remove_entry();
            self.waiting_bytes -= bytes.len();
            let known = usize::try_from(self.given - place).unwrap_or(usize::MAX);
            let new = bytes.get(known..).unwrap_or_default();
            self.given += new.len() as u64;
            give(new);
        }
    }

    /// The gap before what waits, if something does.
    pub(super) fn gap(&self) -> Option<Gap> {
        let (place, _) = self.waiting.first_key_value()?;
        Some(Gap { at: self.given, bytes: place - self.given })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that is given of these segments: number of the first byte, and text.
    fn given(stream: &mut Stream, segments: &[(u32, &str)]) -> String {
        let mut given = Vec::new();
        for (sequence, text) in segments {
            let received = stream.receive(*sequence, false, text.as_bytes(), |it| {
                given.extend_from_slice(it);
            });
            received.expect("little waits");
        }
        String::from_utf8(given).expect("letters")
    }

    #[test]
    fn segments_come_in_any_order_and_more_than_once() {
        for start in [7, u32::MAX - 3] {
            let mut stream = Stream::default();
            stream.receive(start.wrapping_sub(1), true, b"", |_| {}).expect("a SYN");
            let at = |place: u32, text: &'static str| (start.wrapping_add(place), text);
            let segments = [
                at(2, "cd"),
                at(0, "ab"),
                at(0, "ab"),
                at(6, "gh"),
                at(5, "fgh"),
                at(1, "bcde"),
                at(3, "defghi"),
            ];
            assert_eq!(given(&mut stream, &segments), "abcdefghi");
            assert_eq!(stream.gap(), None);
        }
    }

    #[test]
    fn a_gap_is_told() {
        let mut stream = Stream::default();
        assert_eq!(given(&mut stream, &[(100, "ab"), (105, "fg")]), "ab");
        assert_eq!(stream.gap(), Some(Gap { at: 2, bytes: 3 }));
        let much = vec![b'x'; MOST_WAITING];
        let gap = stream.receive(107, false, &much, |_| panic!("nothing is in order"));
        assert_eq!(gap, Err(Gap { at: 2, bytes: 3 }));
    }
}
