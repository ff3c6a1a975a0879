//! What a client may be allowed to do.

use std::fmt;
use std::str::FromStr;

/// Something that a client asks of the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// To publish to a topic.
    Publish,
    /// To subscribe to a pattern.
    Subscribe,
    /// To send a request to a topic.
    Request,
    /// To store a guaranteed message of a topic.
    Store,
    /// To consume guaranteed messages of a pattern, by a durable subscription or as a replay.
    Consume,
    /// To end a durable subscription of a pattern.
    Delete,
    /// To see and change what belongs to others. It has no topic.
    Administer,
    /// To read what the router tells of itself and of others: metrics, status, lists. It has no topic, and who may
    /// administer may do this too.
    Observe,
}

impl Operation {
    /// All operations, in the order of their bits.
    pub const ALL: [Self; 8] = [
        Self::Publish,
        Self::Subscribe,
        Self::Request,
        Self::Store,
        Self::Consume,
        Self::Delete,
        Self::Administer,
        Self::Observe,
    ];

    /// Its name in rules and in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Subscribe => "subscribe",
            Self::Request => "request",
            Self::Store => "store",
            Self::Consume => "consume",
            Self::Delete => "delete",
            Self::Administer => "administer",
            Self::Observe => "observe",
        }
    }

    /// Whether it is done under a name: of a producer, or of a durable subscription.
    pub(crate) fn has_name(self) -> bool {
        matches!(self, Self::Store | Self::Consume | Self::Delete)
    }

    /// Whether it is done to topics.
    #[must_use]
    pub fn has_topic(self) -> bool {
        !matches!(self, Self::Administer | Self::Observe)
    }

    /// Its bit in an [`OperationSet`].
    #[must_use]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// As a sentence has it: `may not subscribe to "fx/>"`.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Publish => "publish to",
            Self::Subscribe => "subscribe to",
            Self::Request => "send requests to",
            Self::Store => "store messages of",
            Self::Consume => "consume",
            Self::Delete => "end a durable subscription of",
            Self::Administer => "administer the router",
            Self::Observe => "observe the router",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|it| it.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("{text:?} is no operation; there are {names}, and all")
        })
    }
}

/// Some operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationSet(u8);

impl OperationSet {
    /// None.
    pub const NONE: Self = Self(0);
    /// All.
    pub const ALL: Self = Self(u8::MAX >> (u8::BITS as usize - Operation::ALL.len()));

    /// These.
    #[must_use]
    pub fn of(operations: &[Operation]) -> Self {
        Self(operations.iter().fold(0, |bits, it| bits | it.bit()))
    }

    /// Adds one.
    pub fn add(&mut self, operation: Operation) {
        self.0 |= operation.bit();
    }

    /// Whether it is one of them.
    #[inline]
    #[must_use]
    pub fn has(self, operation: Operation) -> bool {
        self.0 & operation.bit() != 0
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One bit for each, by [`Operation::bit`].
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Those that are there, in the order of [`Operation::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Operation> {
        Operation::ALL.into_iter().filter(move |it| self.has(*it))
    }
}
