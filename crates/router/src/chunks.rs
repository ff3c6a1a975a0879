//! A queue in chunks.

use std::collections::VecDeque;

/// Items of a chunk.
const CHUNK: usize = 1 << 10;

/// First in, first out. Growth never moves items, and the queue gives its memory back as it empties.
pub(crate) struct Chunks<T> {
    /// No chunk is empty, except an only one.
    chunks: VecDeque<VecDeque<T>>,
    len: usize,
}

impl<T> Chunks<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: VecDeque::new(), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn front(&self) -> Option<&T> {
        self.chunks.front()?.front()
    }

    pub(crate) fn push_back(&mut self, item: T) {
        match self.chunks.back_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push_back(item),
            _ => self.chunks.push_back(VecDeque::from([item])),
        }
        self.len += 1;
    }

    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let chunk = self.chunks.front_mut()?;
        let item = chunk.pop_front()?;
        if chunk.is_empty() && self.chunks.len() > 1 {
            self.chunks.pop_front();
        }
        self.len -= 1;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_queue() {
        let (mut chunks, mut plain) = (Chunks::new(), VecDeque::new());
        for round in 0..6_000_u32 {
            for item in 0..round % 7 {
                chunks.push_back((round, item));
                plain.push_back((round, item));
            }
            for _ in 0..round % if round < 3_000 { 3 } else { 13 } {
                assert_eq!(chunks.front(), plain.front());
                assert_eq!(chunks.pop_front(), plain.pop_front());
            }
            assert_eq!(chunks.len(), plain.len());
            assert!(chunks.chunks.len() <= plain.len() / CHUNK + 2);
        }
        while let Some(item) = plain.pop_front() {
            assert_eq!(chunks.pop_front(), Some(item));
        }
        assert_eq!((chunks.pop_front(), chunks.front(), chunks.chunks.len()), (None, None, 1));
    }
}
