//! What the schema does not know: kept, so that it can be passed on, or counted, or refused.

/// What a decoder does with content that the schema of its message does not know, and that nobody
/// keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownContent {
    /// It is passed over, and counted.
    #[default]
    Count,
    /// The message is [refused](crate::ErrorKind::Unknown).
    Refuse,
}

/// Numbered fields of a message or entry that its schema does not define, in their order.
///
/// One arena, so that keeping them costs no allocation in steady state.
#[derive(Clone, Debug, Default)]
pub struct Unknown {
    fields: Vec<(u32, usize)>,
    bytes: Vec<u8>,
}

impl Unknown {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.fields.clear();
        self.bytes.clear();
    }

    /// Keeps one field.
    pub fn push(&mut self, number: u32, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.fields.push((number, self.bytes.len()));
    }

    /// Is there none?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Number and raw value of each.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut start = 0;
        self.fields.iter().map(move |&(number, end)| {
            let value = &self.bytes[start..end];
            start = end;
            (number, value)
        })
    }
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields && self.bytes == other.bytes
    }
}
