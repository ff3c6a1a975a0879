//! Header blocks as structs.

use std::sync::Arc;

use trunkline_codec::soap::{
    Decoder, Encoder, Fragment, HeaderBlock, Layout, Options, Plan, QName, Style, Version,
};
use trunkline_message::{Message, Result, Schema, Structure};

/// How an element with the schema's name in a namespace looks, with no envelope around it.
fn plan(schema: &Arc<Schema>, namespace: &str) -> Arc<Plan> {
    let options = Options {
        style: Style::DocumentLiteral,
        layout: Layout::Fragment,
        operation: schema.name().to_owned(),
        namespace: namespace.to_owned(),
        zone: true,
        ..Options::default()
    };
    Plan::new(schema, &options)
}

/// A struct as an element of its name in a namespace: a header block's content, or a fault's detail.
///
/// # Errors
/// Text that XML cannot carry.
pub fn element<T: Structure + Message>(content: &T, namespace: &str) -> Result<Fragment> {
    let mut encoder = Encoder::new(&plan(T::schema(), namespace));
    let bytes = encoder.encode(content)?;
    Fragment::parse(&String::from_utf8_lossy(bytes))
}

/// The struct that an element describes.
///
/// # Errors
/// What is wrong at which byte in which field.
pub fn read<T: Structure + Message>(element: &Fragment) -> Result<T> {
    let plan = plan(T::schema(), &element.name().namespace);
    let mut content = T::default();
    Decoder::new(&plan).decode(element.as_str().as_bytes(), &mut content)?;
    Ok(content)
}

/// A struct as a header block for whoever answers, who need not understand it.
///
/// # Errors
/// Text that XML cannot carry.
pub fn block<T: Structure + Message>(content: &T, namespace: &str) -> Result<HeaderBlock> {
    element(content, namespace).map(HeaderBlock::new)
}

/// The block that `T` describes, if it is there.
pub(super) fn find<T: Structure + Message>(
    blocks: &[HeaderBlock],
    namespace: &str,
) -> Result<Option<T>> {
    let wanted = QName { namespace: namespace.to_owned(), local: T::schema().name().to_owned() };
    let found = blocks.iter().find(|block| block.name == wanted);
    found.map(|block| read(&block.content)).transpose()
}

/// Header blocks as they go between the tags of Header.
pub(super) fn encoded(blocks: &[HeaderBlock], version: Version) -> String {
    blocks.iter().map(|block| block.encode(version)).collect()
}
