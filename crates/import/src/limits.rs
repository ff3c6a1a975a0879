//! How much of a description is read.

/// Upper bounds of what is read, each with a default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one document; 64 MiB by default.
    pub document_bytes: usize,
    /// Documents of one description; 1000 by default.
    pub documents: usize,
    /// Elements, types or includes inside one another; 128 by default.
    pub depth: usize,
    /// Tokens of IDL, with what macros stand for; 8 million by default.
    pub tokens: usize,
    /// Warnings that are kept; 1000 by default. What more there are is one warning, the last.
    pub warnings: usize,
    /// What is told of a document that is not as its schema says; 100 by default.
    pub violations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 64 << 20,
            documents: 1000,
            depth: 128,
            tokens: 8_000_000,
            warnings: 1000,
            violations: 100,
        }
    }
}
