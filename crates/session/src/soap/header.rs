//! Header blocks as structs.

use std::cell::Cell;

use trunkline_message::{Message, Result, Structure, UnknownContent};
use trunkline_soap::{HeaderBlock, QName, Version};

use super::element::{self, Encoding};

/// A struct as a header block that the receiver need not understand.
///
/// # Errors
/// Text that XML cannot carry.
pub fn block<T: Structure + Message>(content: &T, namespace: &str) -> Result<HeaderBlock> {
    block_as(None, content, namespace)
}

/// The same as the messages of a binding are written.
pub(super) fn block_as<T: Structure + Message>(
    encoding: Encoding,
    content: &T,
    namespace: &str,
) -> Result<HeaderBlock> {
    element::write_as(encoding, content, namespace).map(HeaderBlock::new)
}

/// The header blocks of a message, and the count of their unknown elements.
#[derive(Debug, Default)]
pub(super) struct Received {
    blocks: Vec<HeaderBlock>,
    /// Of each block, unknown elements; a block that is read twice has no more of them.
    unknown: Vec<Cell<usize>>,
}

impl Received {
    pub(super) fn new(blocks: Vec<HeaderBlock>) -> Self {
        Self { unknown: vec![Cell::new(0); blocks.len()], blocks }
    }

    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.unknown.clear();
    }

    pub(super) fn blocks(&self) -> &[HeaderBlock] {
        &self.blocks
    }

    /// How many elements are unknown in the blocks that were read.
    pub(super) fn unknown(&self) -> usize {
        self.unknown.iter().map(Cell::get).sum()
    }

    /// The block that `T` describes, if it is there. One that is literal is read also as an encoded
    /// one.
    pub(super) fn find<T: Structure + Message>(
        &self,
        encoding: Encoding,
        namespace: &str,
        unknown: UnknownContent,
    ) -> Result<Option<T>> {
        let is_it = |it: &QName| it.namespace == namespace && it.local == T::layout().name();
        let Some(at) = self.blocks.iter().position(|block| is_it(&block.name)) else {
            return Ok(None);
        };
        let (read, count) = element::read_as(encoding, &self.blocks[at].content, unknown);
        self.unknown[at].set(count);
        read.map(Some)
    }
}

/// Header blocks as they go between the tags of Header.
pub(super) fn encoded(blocks: &[HeaderBlock], version: Version) -> String {
    blocks.iter().map(|block| block.encode(version)).collect()
}
