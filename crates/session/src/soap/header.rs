//! Header blocks as structs.

use trunkline_codec::soap::{HeaderBlock, QName, Version};
use trunkline_message::{Message, Result, Structure};

use super::element;

/// A struct as a header block for whoever answers, who need not understand it.
///
/// # Errors
/// Text that XML cannot carry.
pub fn block<T: Structure + Message>(content: &T, namespace: &str) -> Result<HeaderBlock> {
    element::write(content, namespace).map(HeaderBlock::new)
}

/// The block that `T` describes, if it is there.
pub(super) fn find<T: Structure + Message>(
    blocks: &[HeaderBlock],
    namespace: &str,
) -> Result<Option<T>> {
    let wanted = QName { namespace: namespace.to_owned(), local: T::schema().name().to_owned() };
    let found = blocks.iter().find(|block| block.name == wanted);
    found.map(|block| element::read(&block.content)).transpose()
}

/// Header blocks as they go between the tags of Header.
pub(super) fn encoded(blocks: &[HeaderBlock], version: Version) -> String {
    blocks.iter().map(|block| block.encode(version)).collect()
}
