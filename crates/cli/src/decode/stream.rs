//! One direction of a TCP connection from its segments, in whatever order and how often they were captured.

use std::collections::BTreeMap;

/// Bytes that wait for others before them.
const MOST_WAITING: usize = 16 << 20;

/// So often the other side has said that it has what is missing here: then it comes no more. Captures have their packets in another
/// order than they were sent, by a few.
const MOST_ACKNOWLEDGED: u32 = 16;

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
    /// Its first segment was captured.
    pub(super) has_begun: bool,
    /// How often the other side has acknowledged what is missing.
    acknowledged: u32,
    /// Bytes that stand before the first that was captured, and were captured behind it.
    early: u64,
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
        self.has_begun |= is_syn;
        if is_syn && self.given == 0 && self.waiting.is_empty() {
            self.start = Some(sequence);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let start = *self.start.get_or_insert(sequence);
        let Some(mut place) = self.place(start, sequence) else {
            // Before a SYN stands nothing that was said.
            self.early += if self.has_begun { 0 } else { bytes.len() as u64 };
            return Ok(());
        };
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

    /// The place of a number. Numbers of 32 bits go round; the one that is meant is near what was given.
    fn place(&self, start: u32, sequence: u32) -> Option<u64> {
        let near = start.wrapping_add(self.given as u32);
        let distance = i64::from(sequence.wrapping_sub(near) as i32);
        self.given.checked_add_signed(distance)
    }

    /// How many bytes were captured too late to be read, as they stand before the first.
    pub(super) fn early(&self) -> u64 {
        self.early
    }

    /// The other side has all that stands before this number.
    pub(super) fn acknowledge(&mut self, number: u32) {
        let (Some(gap), Some(start)) = (self.gap(), self.start) else { return };
        let is_beyond = self.place(start, number).is_some_and(|it| it >= gap.at + gap.bytes);
        self.acknowledged += u32::from(is_beyond);
    }

    /// Has the other side what is missing here, so that it was sent and not captured?
    pub(super) fn is_lost(&self) -> bool {
        self.acknowledged > MOST_ACKNOWLEDGED
    }

    /// Goes on behind the gap, if there is one.
    pub(super) fn skip(&mut self, give: impl FnMut(&[u8])) {
        if let Some(gap) = self.gap() {
            self.given += gap.bytes;
            self.give_waiting(give);
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
            self.acknowledged = 0;
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
    fn what_stands_before_the_first_is_counted() {
        let mut stream = Stream::default();
        assert_eq!(given(&mut stream, &[(100, "ab"), (95, "vwxyz"), (102, "cd")]), "abcd");
        assert_eq!((stream.early(), stream.gap()), (5, None));
        // One byte before the first of a whole connection asks whether the other side is there.
        let mut stream = Stream::default();
        stream.receive(99, true, b"", |_| {}).expect("a SYN");
        assert_eq!(given(&mut stream, &[(99, "z"), (100, "ab")]), "ab");
        assert_eq!(stream.early(), 0);
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

    #[test]
    fn what_the_other_side_has_comes_no_more() {
        let mut stream = Stream::default();
        assert_eq!(given(&mut stream, &[(100, "ab"), (105, "fg")]), "ab");
        for _ in 0..100 {
            stream.acknowledge(104);
        }
        assert!(!stream.is_lost(), "a byte of it is not acknowledged");
        for _ in 0..=MOST_ACKNOWLEDGED {
            assert!(!stream.is_lost());
            stream.acknowledge(105);
        }
        assert!(stream.is_lost());
        let mut rest = Vec::new();
        stream.skip(|bytes| rest.extend_from_slice(bytes));
        assert_eq!((&rest[..], stream.gap(), stream.is_lost()), (&b"fg"[..], None, false));
        assert_eq!(given(&mut stream, &[(107, "hi")]), "hi");
    }
}
