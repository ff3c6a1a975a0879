//! Blocks of memory for what waits, counted, and kept for a while when they are empty.

/// Bytes of a usual block: the allocator takes one from the system and gives it back.
pub(crate) const BLOCK: usize = 64 << 10;

/// Blocks of memory. Those of the usual size are kept for the next user, but not all.
#[derive(Default)]
pub(crate) struct Blocks {
    free: Vec<Vec<u8>>,
    /// Of all blocks, in use or kept.
    bytes: usize,
}

impl Blocks {
    /// How many are kept: 4 MiB.
    pub(crate) const MOST: usize = 64;

    /// An empty block of so many bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Vec<u8> {
        if bytes == BLOCK
            && let Some(block) = self.free.pop()
        {
            return block;
        }
        let block = Vec::with_capacity(bytes);
        self.bytes += block.capacity();
        block
    }

    /// Takes a block back.
    pub(crate) fn give(&mut self, mut block: Vec<u8>) {
        if block.capacity() == BLOCK && self.free.len() < Self::MOST {
            block.clear();
            self.free.push(block);
        } else {
            self.bytes -= block.capacity();
        }
    }

    /// Bytes of all blocks, in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Blocks that are kept.
    #[cfg(test)]
    pub(crate) fn free(&self) -> &[Vec<u8>] {
        &self.free
    }
}
