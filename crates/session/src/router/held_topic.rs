//! A topic as a client holds it, with what the client may do there.

use std::num::NonZeroU32;

use trunkline_router::TopicId;
use trunkline_security::{Operation, OperationSet};

/// A topic that a client holds, and its rights there as they were last looked up.
///
/// The rights hold for one epoch of the access rules: to compare both takes one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldTopic {
    /// The topic.
    pub id: TopicId,
    rights: Rights,
}

/// What a client may do with a topic, in one epoch of the access rules.
///
/// ```text
/// 31 ... 8  epoch; 0 is before the first
///        7  always set
///        6  the client knows that it may not publish there
///  5 ... 0  a bit for each operation that is done to topics
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights(NonZeroU32);

/// The state of the access rules, which changes with each of their changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessEpoch(u32);

const EPOCH: u32 = !0xff;
const SET: NonZeroU32 = NonZeroU32::new(0x80).unwrap();
const TOLD: u32 = 0x40;
const OPERATIONS: u32 = 0x3f;

impl AccessEpoch {
    /// The first one.
    pub const FIRST: Self = Self(0x100);

    /// The one after this. After 16,777,215 changes the first comes again.
    #[must_use]
    pub fn next(self) -> Self {
        let next = self.0.wrapping_add(Self::FIRST.0);
        if next == 0 { Self::FIRST } else { Self(next) }
    }
}

impl Rights {
    /// Not looked up yet.
    pub const UNKNOWN: Self = Self(SET);

    /// These operations, in this epoch.
    #[must_use]
    pub fn of(allowed: OperationSet, epoch: AccessEpoch) -> Self {
        Self(SET | epoch.0 | u32::from(allowed.bits()) & OPERATIONS)
    }

    /// Whether they were looked up in this epoch.
    #[must_use]
    pub fn are_of(self, epoch: AccessEpoch) -> bool {
        self.0.get() & EPOCH == epoch.0
    }
}

impl HeldTopic {
    /// A topic whose rights are not known.
    #[must_use]
    pub fn new(id: TopicId) -> Self {
        Self { id, rights: Rights::UNKNOWN }
    }

    /// Whether the rights that are known allow an operation, and are of this epoch.
    #[inline]
    #[must_use]
    pub fn allows(&self, operation: Operation, epoch: AccessEpoch) -> bool {
        let bit = u32::from(operation.bit());
        self.rights.0.get() & (EPOCH | bit) == epoch.0 | bit
    }

    /// Whether the client is to be told that it may not publish there: once in an epoch.
    #[cold]
    pub fn tell_once(&mut self) -> bool {
        let before = self.rights.0;
        self.rights = Rights(before | TOLD);
        before.get() & TOLD == 0
    }

    /// Its rights, to be kept with its name.
    #[must_use]
    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// Rights that were looked up now or earlier.
    pub fn set_rights(&mut self, rights: Rights) {
        self.rights = rights;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_hold_for_their_epoch_alone() {
        let (first, second) = (AccessEpoch::FIRST, AccessEpoch::FIRST.next());
        let mut topic = HeldTopic::new(TopicId(7));
        assert!(!topic.allows(Operation::Publish, first));
        topic.set_rights(Rights::of(OperationSet::of(&[Operation::Publish]), first));
        assert!(topic.allows(Operation::Publish, first) && topic.rights().are_of(first));
        assert!(!topic.allows(Operation::Store, first));
        assert!(!topic.allows(Operation::Publish, second) && !topic.rights().are_of(second));
        topic.set_rights(Rights::of(OperationSet::ALL, second));
        for operation in [Operation::Publish, Operation::Request, Operation::Store] {
            assert!(topic.allows(operation, second) && !topic.allows(operation, first));
        }
        assert!(topic.tell_once() && !topic.tell_once() && topic.allows(Operation::Store, second));
        topic.set_rights(Rights::of(OperationSet::ALL, first));
        assert!(topic.tell_once(), "once in each epoch");
        assert_eq!(AccessEpoch(EPOCH).next(), AccessEpoch::FIRST);
        assert_eq!(size_of::<Option<HeldTopic>>(), 8, "as small as a topic's number was");
    }
}
