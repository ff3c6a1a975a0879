//! Blocks of memory for what waits, counted, and kept for a while when they are empty.

/// Bytes of a usual block: the allocator takes one from the system and gives it back.
pub(crate) const BLOCK: usize = 64 << 10;

/// Blocks of memory. Those of the usual size are kept for the next user, but not all.
pub(crate) struct Blocks {
    free: Vec<Vec<u8>>,
    /// How many are kept.
    most: usize,
    /// Of all blocks, in use or kept.
    bytes: usize,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { free: Vec::new(), most: Self::MOST, bytes: 0 }
    }
}

impl Blocks {
    /// How many are kept: 4 MiB.
    pub(crate) const MOST: usize = 64;
    /// How many are kept when memory is short.
    pub(crate) const LEAST: usize = 4;

    /// An empty block of so many bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Vec<u8> {
        if bytes == BLOCK
            && let Some(mut block) = self.free.pop()
        {
            block.clear();
            return block;
        }
        let block = Vec::with_capacity(bytes);
        self.bytes += block.capacity();
        block
    }

    /// A usual block with bytes of any value.
    pub(crate) fn take_filled(&mut self) -> Vec<u8> {
        let mut block = self.free.pop().unwrap_or_else(|| self.take(BLOCK));
        // One that was filled before still is.
        block.resize(BLOCK, 0);
        block
    }

    /// Takes a block back.
    pub(crate) fn give(&mut self, block: Vec<u8>) {
        if block.capacity() == BLOCK && self.free.len() < self.most {
            self.free.push(block);
        } else {
            self.bytes -= block.capacity();
        }
    }

    /// Keeps at most so many blocks from now on.
    pub(crate) fn keep(&mut self, most: usize) {
        self.most = most;
        while self.free.len() > most
            && let Some(block) = self.free.pop()
        {
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
