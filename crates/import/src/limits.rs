//! How much of a description is read.

/// Upper bounds of what is read, each with a default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one document; 64 MiB by default.
    pub document_bytes: usize,
    /// Elements of a document inside one another; 128 by default.
    pub depth: usize,
    /// Warnings that are kept; 1000 by default. What more there are is one warning, the last.
    pub warnings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { document_bytes: 64 << 20, depth: 128, warnings: 1000 }
    }
}
