//! What of the messages of a pattern a subscription wants, and as what.

use trunkline_router::{FilterId, RenditionFormat};

/// What of the messages of a pattern a client wants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Narrowing<'a> {
    /// The pattern.
    pub pattern: &'a str,
    /// The payload format, if it is not the one in which they are published.
    pub format: Option<u16>,
    /// Which messages, by what they say; all if it is empty.
    pub filter: &'a str,
    /// Which of their fields; all if it is empty.
    pub fields: &'a str,
}

/// The same as the router knows it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Narrowed {
    /// What messages are converted into.
    pub rendition: Option<RenditionFormat>,
    /// Which messages.
    pub filter: Option<FilterId>,
}
