//! What waits for the connection: first for the store, and then for the connection to take it.

use std::collections::VecDeque;

/// Bytes that are to be sent, of which the first may be.
#[derive(Debug, Default)]
pub(crate) struct Output {
    bytes: Vec<u8>,
    /// What the connection has taken.
    taken: usize,
    /// Up to here the store has what must survive.
    free: usize,
    /// Marks of the store, and up to where the bytes wait for them.
    marks: VecDeque<(u64, usize)>,
}

/// So many bytes that were taken are removed at once at least.
const LEAST_TAKEN: usize = 4 << 10;

impl Output {
    /// What may be sent.
    pub(crate) fn ready(&self) -> &[u8] {
        &self.bytes[self.taken..self.free]
    }

    /// Bytes that wait, for the store or for the connection.
    pub(crate) fn waiting(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Do some wait for the store?
    pub(crate) fn waits_for_store(&self) -> bool {
        !self.marks.is_empty()
    }

    pub(crate) fn push(&mut self, message: &[u8]) {
        // Some may always wait; what was taken must not stay for ever.
        if self.taken >= LEAST_TAKEN && self.taken >= self.bytes.len() / 2 {
            self.bytes.drain(..self.taken);
            self.free -= self.taken;
            self.marks.iter_mut().for_each(|it| it.1 -= self.taken);
            self.taken = 0;
        }
        self.bytes.extend_from_slice(message);
    }

    /// All that is here waits for this mark.
    pub(crate) fn mark(&mut self, mark: u64) {
        let before = self.marks.back().map_or(self.free, |it| it.1);
        if self.bytes.len() > before {
            self.marks.push_back((mark, self.bytes.len()));
        }
    }

    /// The store has got so far.
    pub(crate) fn release(&mut self, stored: u64) {
        while let Some((_, end)) = self.marks.front().filter(|it| it.0 <= stored) {
            self.free = *end;
            self.marks.pop_front();
        }
    }

    /// The connection has taken so many bytes.
    pub(crate) fn take(&mut self, bytes: usize) {
        self.taken = (self.taken + bytes).min(self.free);
        if self.taken == self.bytes.len() {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.marks.clear();
        (self.taken, self.free) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use trunkline_random::Random;

    use super::*;

    #[test]
    fn bytes_come_out_in_order_once_the_store_has_them() {
        let mut random = Random::new(5);
        let mut output = Output::default();
        let (mut pushed, mut marked, mut came) = (Vec::new(), VecDeque::new(), Vec::new());
        let (mut mark, mut stored, mut most) = (0, 0, 0);
        for step in 0..20_000_u32 {
            match random.below(4) {
                0 => {
                    let message: Vec<u8> =
                        (0..random.below(900)).map(|it| (it as u32 ^ step) as u8).collect();
                    output.push(&message);
                    pushed.extend(message);
                }
                1 => {
                    mark += 1;
                    output.mark(mark);
                    marked.push_back(pushed.len());
                }
                2 if stored < mark => {
                    stored += 1 + random.below(mark - stored);
                    output.release(stored);
                }
                _ => {
                    let count = output.ready().len().min(random.below(2_000) as usize);
                    came.extend_from_slice(&output.ready()[..count]);
                    output.take(count);
                }
            }
            let free = if stored == 0 { 0 } else { marked[stored as usize - 1] };
            assert_eq!(came.len() + output.ready().len(), free, "step {step}");
            assert_eq!(came.len() + output.waiting(), pushed.len());
            most = most.max(output.bytes.len());
        }
        assert_eq!(came, pushed[..came.len()]);
        assert!(came.len() > 100 * LEAST_TAKEN && output.bytes.len() < pushed.len() / 2, "{most}");
    }
}
