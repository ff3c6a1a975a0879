//! Messages that are kept under their numbers, for resends: appended in order, and the oldest go first.

use std::collections::{BTreeMap, VecDeque};

/// Messages by their numbers.
///
/// Those that come in the order of their numbers, as all do that a session sends, stand one behind another in blocks, so that
/// keeping one is a copy, and no block is ever moved. A store that is read again may bring some out of order; these are few,
/// stand apart, and take the place of what has the same number.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    blocks: VecDeque<Block>,
    apart: BTreeMap<u64, Vec<u8>>,
    /// Of all messages.
    bytes: usize,
}

/// Messages one behind another.
#[derive(Debug, Default)]
struct Block {
    bytes: Vec<u8>,
    /// The number of each message, and where it ends.
    ends: Vec<(u64, usize)>,
    /// So many of them are gone.
    gone: usize,
}

/// Bytes of a block, unless one message has more.
const BLOCK: usize = 64 << 10;

impl Block {
    fn message(&self, at: usize) -> (u64, &[u8]) {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
        let (number, end) = self.ends[at];
        (number, &self.bytes[from..end])
    }

    fn last(&self) -> Option<u64> {
        self.ends.last().map(|it| it.0)
    }
}

impl Kept {
    /// Bytes of all messages.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps a message, in place of one with the same number.
    pub(crate) fn insert(&mut self, number: u64, message: &[u8]) {
        self.bytes += message.len();
        let last = self.blocks.back().and_then(Block::last);
        if last.is_some_and(|it| it >= number) {
            let before = self.apart.insert(number, message.to_vec());
            self.bytes -= before.map_or(0, |it| it.len());
            return;
        }
        let has_room = |it: &Block| it.bytes.len() + message.len() <= BLOCK;
        if !self.blocks.back().is_some_and(has_room) {
            // A session that sends little has a small block.
            let (bytes, ends) = match self.blocks.back() {
                Some(before) if message.len() <= BLOCK / 2 => (BLOCK, before.ends.len()),
                _ => (message.len(), 1),
            };
            let (bytes, ends) = (Vec::with_capacity(bytes), Vec::with_capacity(ends));
            self.blocks.push_back(Block { bytes, ends, gone: 0 });
        }
        if let Some(block) = self.blocks.back_mut() {
            block.bytes.extend_from_slice(message);
            block.ends.push((number, block.bytes.len()));
        }
    }

    /// The first message with this number or a higher one.
    pub(crate) fn next(&self, from: u64) -> Option<(u64, &[u8])> {
        let apart = self.apart.range(from..).next().map(|(number, it)| (*number, &**it));
        let block = self.blocks.partition_point(|it| it.last().is_none_or(|last| last < from));
        let in_order = self.blocks.get(block).map(|block| {
            let at = block.ends.partition_point(|it| it.0 < from);
            block.message(at.max(block.gone))
        });
        match (apart, in_order) {
            (Some(apart), Some(in_order)) if in_order.0 < apart.0 => Some(in_order),
            (apart, in_order) => apart.or(in_order),
        }
    }

    /// Forgets the message with the lowest number; says whether there was one.
    pub(crate) fn forget_first(&mut self) -> bool {
        let Some((first, _)) = self.next(0) else { return false };
        self.bytes -= self.apart.remove(&first).map_or(0, |it| it.len());
        if let Some(block) = self.blocks.front_mut()
            && block.ends[block.gone].0 == first
        {
            self.bytes -= block.message(block.gone).1.len();
            block.gone += 1;
            if block.gone == block.ends.len() {
                self.blocks.pop_front();
            }
        }
        true
    }

    /// Forgets messages with lower numbers.
    pub(crate) fn forget_before(&mut self, number: u64) {
        while self.next(0).is_some_and(|it| it.0 < number) {
            self.forget_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use trunkline_random::Random;

    use super::*;

    /// What it holds, and what of it is there twice, compared with a map.
    #[test]
    fn it_holds_what_a_map_holds() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let (mut kept, mut map) = (Kept::default(), BTreeMap::new());
            let mut number = 1_u64;
            for step in 0..4_000_u32 {
                match random.below(20) {
                    0 => {
                        kept.forget_first();
                        map.pop_first();
                    }
                    1 => {
                        let before = number.saturating_sub(random.below(200));
                        kept.forget_before(before);
                        map.retain(|it, _| *it >= before);
                    }
                    what => {
                        // Seldom one out of order.
                        let at = if what == 2 { 1 + random.below(number) } else { number };
                        number = number.max(at + 1 + random.below(2));
                        let length = if what == 3 { 70_000 } else { random.below(400) };
                        let message = vec![step as u8; length as usize];
                        kept.insert(at, &message);
                        map.insert(at, message);
                    }
                }
                let from = random.below(number + 2);
                let expected = map.range(from..).next().map(|(number, it)| (*number, &**it));
                assert_eq!(kept.next(from), expected, "seed {seed}, step {step}, from {from}");
            }
            let (mut from, mut count) = (0, 0);
            while let Some((number, message)) = kept.next(from) {
                assert_eq!(map.get(&number).map(Vec::as_slice), Some(message));
                (from, count) = (number + 1, count + 1);
            }
            assert_eq!(count, map.len());
            while kept.forget_first() {}
            assert_eq!((kept.bytes(), kept.blocks.len(), kept.apart.len()), (0, 0, 0));
        }
    }
}
