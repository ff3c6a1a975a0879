//! How much is retained of Fast Infoset.

use trunkline_codec::fast_infoset::{VocabularyLimits, WriterOptions};

use crate::soap_tcp::Limits;

/// What the vocabularies of Fast Infoset may hold that a channel of SOAP/TCP retains.
///
/// The defaults suit nearly everybody: many distinct values do not fill them, since the sender does not add what does
/// not come again, and goes on with a new channel when names have filled one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabularies {
    /// How messages are written: which values become entries, and how much room there is for them.
    pub sent: WriterOptions,
    /// What is read, in one channel. A client goes on with a new one when half of it is taken; of a server's clients,
    /// one that needs more is told so by an error, and its connection ends.
    pub received: VocabularyLimits,
    /// On a server: bytes of all channels of a connection, in both directions. One that needs more is ended.
    pub connection_bytes: usize,
}

impl Default for Vocabularies {
    fn default() -> Self {
        Self {
            sent: WriterOptions::default(),
            received: VocabularyLimits::default(),
            connection_bytes: Limits::default().vocabulary_bytes,
        }
    }
}
