//! The output buffer of the encoders, and constants that are copied into it as whole blocks.

use crate::Window;
use crate::scan::{BLOCK, Block, Mask};

/// Bytes that may be written behind the end: every over-copy fits in.
const SLACK: usize = 64;

/// A growing output buffer whose memory is always initialised to its end.
///
/// Short values are written as whole blocks of which only a part counts, so that no copy of a few
/// bytes costs a call. Clearing keeps the memory.
#[derive(Clone, Debug, Default)]
pub struct Output {
    bytes: Vec<u8>,
    len: usize,
}

impl Output {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the buffer; its memory stays.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Bytes written.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is nothing written?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What is written.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// What is written, and other bytes behind it, so that its last bytes may be read as a part of a block, too.
    #[inline]
    pub fn with_slack(&self) -> &[u8] {
        &self.bytes
    }

    /// The first 64 bytes of what is written, with others behind it if that is less; none if nothing ever was.
    #[inline]
    pub fn first_block(&self) -> Option<&[u8; 64]> {
        self.bytes.first_chunk()
    }

    /// What is written, to be patched.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }

    /// Cuts the buffer back to `len` bytes.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends bytes.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        let mut cursor = self.cursor(bytes.len());
        cursor.copy(bytes);
        cursor.finish();
    }

    /// Appends `count` zeros.
    #[inline]
    pub fn zeros(&mut self, count: usize) {
        let mut cursor = self.cursor(count);
        cursor.zeros(count);
        cursor.finish();
    }

    /// A cursor at the end with room for `room` bytes and the over-copy of the last.
    #[inline]
    pub fn cursor(&mut self, room: usize) -> Cursor<'_> {
        if self.bytes.len() - self.len < room + SLACK {
            self.grow(room);
        }
        Cursor { at: self.len, bytes: &mut self.bytes, len: &mut self.len }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, room: usize) {
        let needed = self.len + room + SLACK;
        self.bytes.resize(needed.max(2 * self.bytes.len()).max(1024), 0);
    }
}

/// The end of an [`Output`] while one field is written: the position stays in a register, and
/// counts when the cursor is [finished](Self::finish).
#[derive(Debug)]
pub struct Cursor<'a> {
    bytes: &'a mut [u8],
    at: usize,
    len: &'a mut usize,
}

impl Cursor<'_> {
    /// Position in the whole buffer.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Appends one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.bytes[self.at] = byte;
        self.at += 1;
    }

    /// Appends the first `len` bytes of a block; the others land behind and do not count.
    #[inline]
    pub fn block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        debug_assert!(len <= N && N <= SLACK);
        self.bytes[self.at..self.at + N].copy_from_slice(block);
        self.at += len;
    }

    /// Appends the first `len` bytes, 32 at most, of a block that holds text; says whether one of
    /// them passes the test.
    #[inline]
    pub fn text_block<const N: usize>(
        &mut self,
        block: &[u8; N],
        len: usize,
        test: impl Fn(Block) -> Mask,
    ) -> bool {
        self.block(block, len);
        let (Some(first), Some(last)) = (block.first_chunk(), block.last_chunk()) else {
            return block[..len.min(N)].iter().any(|byte| test(Block::load(&[*byte; BLOCK])).any());
        };
        let found = test(Block::load(first)).first_or(BLOCK);
        // Blocks overlap where N is no multiple of theirs; what is in both is found twice.
        found < len.min(BLOCK)
            || len > BLOCK && test(Block::load(last)).first_or(BLOCK) + N - BLOCK < len
    }

    /// Takes the last `len` bytes back.
    #[inline]
    pub fn retreat(&mut self, len: usize) {
        self.at -= len;
    }

    /// Appends an array.
    #[inline]
    pub fn array<const N: usize>(&mut self, array: [u8; N]) {
        self.block(&array, N);
    }

    /// Appends a constant.
    #[inline]
    pub fn literal(&mut self, literal: &Literal) {
        self.block(&literal.block, literal.len.min(Literal::<32>::HELD));
        if literal.len > Literal::<32>::HELD {
            self.copy(&literal.rest);
        }
    }

    /// Appends bytes of any length.
    #[inline]
    pub fn copy(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Appends zeros.
    #[inline]
    pub fn zeros(&mut self, count: usize) {
        if count <= 32 {
            self.block(&[0; 32], count);
        } else {
            self.bytes[self.at..self.at + count].fill(0);
            self.at += count;
        }
    }

    /// Room for a number or time to be written into; [`advance`](Self::advance) by its length.
    #[inline]
    pub fn window(&mut self) -> &mut Window {
        let end = self.at + size_of::<Window>();
        (&mut self.bytes[self.at..end]).try_into().expect("a window's length")
    }

    /// Moves on over bytes that were written into the window.
    #[inline]
    pub fn advance(&mut self, len: usize) {
        self.at += len;
    }

    /// Makes what was written count.
    #[inline]
    pub fn finish(self) {
        *self.len = self.at;
    }
}

/// A constant piece of a format, such as `<Symbol>` or `55=`: written and compared as a block. The
/// first `N` bytes, a multiple of 16, are held in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal<const N: usize = 32> {
    block: [u8; N],
    len: usize,
    rest: Box<[u8]>,
}

impl<const N: usize> Default for Literal<N> {
    fn default() -> Self {
        Self::new(b"")
    }
}

impl<const N: usize> Literal<N> {
    /// How many bytes are held in place.
    pub const HELD: usize = N;

    /// The literal for these bytes. Does not allocate when they can be held in place.
    pub fn new(bytes: &[u8]) -> Self {
        let (head, rest) = bytes.split_at(bytes.len().min(N));
        let mut block = [0; N];
        block[..head.len()].copy_from_slice(head);
        Self { block, len: bytes.len(), rest: rest.into() }
    }

    /// Length in bytes.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        [&self.block[..self.len.min(N)], &self.rest].concat()
    }

    /// Does the literal stand at `at` in `input`?
    #[inline]
    pub fn matches(&self, input: &[u8], at: usize) -> bool {
        let Some(block) = input.get(at..at + N) else {
            return self.matches_plainly(input, at);
        };
        crate::scan::agree(block, &self.block, self.len.min(N))
            && (self.len <= N || input[at + N..].starts_with(&self.rest))
    }

    /// The plain twin of [`matches`](Self::matches), and its way near the end of the input.
    #[inline(never)]
    pub fn matches_plainly(&self, input: &[u8], at: usize) -> bool {
        let head = &self.block[..self.len.min(N)];
        input
            .get(at..)
            .and_then(|input| input.strip_prefix(head))
            .is_some_and(|input| input.starts_with(&self.rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_copies_do_not_count() {
        let mut output = Output::new();
        for (i, long) in [3, 31, 32, 33, 80].into_iter().enumerate() {
            let bytes: Vec<u8> = (0..long).map(|it| it as u8 + i as u8).collect();
            let literal = <Literal>::new(&bytes);
            let start = output.len();
            let mut cursor = output.cursor(literal.len());
            cursor.literal(&literal);
            cursor.finish();
            assert_eq!(&output.as_slice()[start..], bytes);
            assert_eq!(literal.to_vec(), bytes);
        }
        output.zeros(70);
        assert_eq!(output.as_slice()[output.len() - 70..], [0; 70]);
    }

    #[test]
    fn text_is_tested_up_to_its_length() {
        for at in 0..30 {
            let mut block = [b'x'; 30];
            block[at] = b'&';
            for len in 0..=30 {
                let mut output = Output::new();
                let mut cursor = output.cursor(30);
                let found = cursor.text_block(&block, len, |block| block.eq(b'&'));
                cursor.finish();
                assert_eq!(found, at < len);
                assert_eq!(output.as_slice(), &block[..len]);
            }
        }
    }

    #[test]
    fn a_literal_matches_as_its_plain_twin_says() {
        let input: Vec<u8> = (0..120).collect();
        for len in [0, 1, 8, 31, 32, 33, 64, 100] {
            for at in 0..=125 {
                for (start, flip) in [(at, None), (at, Some(len / 2)), (at + 1, None)] {
                    let mut bytes: Vec<u8> = (start..start + len).map(|it| it as u8).collect();
                    if let Some(flip) = flip.filter(|_| len > 0) {
                        bytes[flip] ^= 1;
                    }
                    let literal = <Literal>::new(&bytes);
                    let longer = Literal::<96>::new(&bytes);
                    let expected = input.get(at..).is_some_and(|it| it.starts_with(&bytes));
                    assert_eq!(literal.matches(&input, at), expected, "{len} bytes at {at}");
                    assert_eq!(literal.matches_plainly(&input, at), expected);
                    assert_eq!(longer.matches(&input, at), expected, "{len} bytes at {at}");
                }
            }
        }
    }
}
