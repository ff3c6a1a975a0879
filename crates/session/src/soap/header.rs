//! Header blocks as structs.

use trunkline_codec::soap::{HeaderBlock, QName, Version};
use trunkline_message::{Message, Result, Structure};

use super::element::{self, Encoding};

/// A struct as a header block for whoever answers, who need not understand it.
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

/// The block that `T` describes, if it is there. One that is literal is read also as an encoded one.
pub(super) fn find<T: Structure + Message>(
    encoding: Encoding,
    blocks: &[HeaderBlock],
    namespace: &str,
) -> Result<Option<T>> {
    let wanted = QName { namespace: namespace.to_owned(), local: T::schema().name().to_owned() };
    let found = blocks.iter().find(|block| block.name == wanted);
    found.map(|block| element::read_as(encoding, &block.content)).transpose()
}

/// Header blocks as they go between the tags of Header.
pub(super) fn encoded(blocks: &[HeaderBlock], version: Version) -> String {
    blocks.iter().map(|block| block.encode(version)).collect()
}
