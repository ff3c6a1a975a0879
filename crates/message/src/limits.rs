//! What a decoder accepts at most. Every limit has a name, a default and an error that names it.

/// Upper bounds that a decoder enforces before it takes memory or recurses.
///
/// The defaults suit messages of trading and enterprise systems; raise one by name where a
/// message is known to be larger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one encoded message.
    pub message_bytes: usize,
    /// Nesting of elements, groups and components.
    pub depth: usize,
    /// Entries of all repeating groups of one message. An entry takes as much memory as its struct,
    /// however few bytes it came from.
    pub entries: usize,
    /// Numbers of one list.
    pub elements: usize,
    /// Fields of one message, entries of groups included.
    pub fields: usize,
    /// Bytes of one text or data value.
    pub value_bytes: usize,
    /// Attributes and namespace declarations of one XML element.
    pub attributes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 16 << 20,
            depth: 128,
            entries: 1 << 16,
            elements: 16 << 20,
            fields: 1 << 18,
            value_bytes: 16 << 20,
            attributes: 256,
        }
    }
}
