//! Why the router rejects an operation.

use std::fmt;
use std::sync::Arc;

use crate::topic::TopicError;
use crate::topics::InternError;

/// Why the router rejects an operation. No operation is done in part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// No client may publish to a topic of this name.
    Topic(TopicError),
    /// The pattern of a subscription is not valid.
    Pattern(TopicError),
    /// The limit of topics is reached, and all are in use.
    TooManyTopics(usize),
    /// The limit of clients is reached.
    TooManyClients(usize),
    /// The router has too little memory left for another client.
    OutOfMemory,
    /// The limit of subscriptions of all clients is reached.
    TooManySubscriptions(usize),
    /// The limit of the client's subscriptions is reached.
    TooManySubscriptionsOfClient(usize),
    /// The limit of the client's subscriptions that match one topic is reached, all of the same pattern.
    TooManyOverlaps(usize),
    /// Too many of the client's subscriptions match a topic; this one is the newest.
    TooManyOverlapsOnTopic {
        /// The limit.
        limit: usize,
        /// The name of the topic.
        topic: Arc<str>,
    },
    /// The message would exceed the router's limit of pairs of subscription and topic.
    TooManyMatches(usize),
    /// The client has a subscription of this number already.
    SubscriptionExists(u32),
    /// The client has no subscription of this number.
    NoSubscription(u32),
    /// No topic has this number.
    NoTopic,
    /// The client is gone, or is about to be disconnected.
    NoClient,
    /// The client reports what it has taken, but has not offered credit.
    NoCredit,
    /// The client reports an impossible number of taken messages.
    CannotHaveTaken {
        /// The reported number.
        messages: u64,
        /// The number reported before.
        before: u64,
        /// The number sent.
        sent: u64,
    },
    /// The payload is longer than the router takes.
    MessageTooLong {
        /// Length of the payload.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}

impl Rejection {
    /// The number of the kind of rejection on the wire. Numbers do not change.
    pub fn code(&self) -> u16 {
        match self {
            Self::Topic(_) => 1,
            Self::Pattern(_) => 2,
            Self::TooManyTopics(_) => 3,
            Self::TooManyClients(_) => 4,
            Self::TooManySubscriptions(_) => 5,
            Self::TooManySubscriptionsOfClient(_) => 6,
            Self::TooManyMatches(_) => 7,
            Self::SubscriptionExists(_) => 8,
            Self::NoSubscription(_) => 9,
            Self::NoTopic => 10,
            Self::NoClient => 11,
            Self::MessageTooLong { .. } => 12,
            Self::TooManyOverlaps(_) => 13,
            Self::NoCredit => 14,
            Self::CannotHaveTaken { .. } => 15,
            Self::TooManyOverlapsOnTopic { .. } => 16,
            Self::OutOfMemory => 17,
        }
    }
}

impl From<InternError> for Rejection {
    fn from(error: InternError) -> Self {
        match error {
            InternError::Topic(error) => Self::Topic(error),
            InternError::Full { limit } => Self::TooManyTopics(limit),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Topic(error) => write!(f, "no topic: {error}"),
            Self::Pattern(error) => write!(f, "no pattern: {error}"),
            Self::TooManyTopics(limit) => {
                write!(
                    f,
                    "the router has its limit of {limit} topics, and all are in use (limits.topics)"
                )
            }
            Self::TooManyClients(limit) => {
                write!(f, "the router has its limit of {limit} clients (limits.connections)")
            }
            Self::OutOfMemory => f.write_str("the router is short of memory (limits.memory_bytes)"),
            Self::TooManySubscriptions(limit) => {
                write!(
                    f,
                    "the router has its limit of {limit} subscriptions (limits.subscriptions)"
                )
            }
            Self::TooManySubscriptionsOfClient(limit) => {
                write!(
                    f,
                    "the client has its limit of {limit} subscriptions (limits.subscriptions_per_client)"
                )
            }
            Self::TooManyOverlaps(limit) => write!(
                f,
                "the client has its limit of {limit} subscriptions that match one topic \
                 (limits.overlaps_per_client)"
            ),
            Self::TooManyOverlapsOnTopic { limit, topic } => write!(
                f,
                "the client has its limit of {limit} subscriptions that match the topic {topic:?} \
                 (limits.overlaps_per_client)"
            ),
            Self::TooManyMatches(limit) => write!(
                f,
                "the router has its limit of {limit} matches, which are pairs of subscription and topic \
                 (limits.matches)"
            ),
            Self::SubscriptionExists(number) => {
                write!(f, "the client has a subscription {number} already")
            }
            Self::NoSubscription(number) => {
                write!(f, "the client has no subscription {number}")
            }
            Self::NoTopic => f.write_str("no topic has this number"),
            Self::NoClient => f.write_str("the client is gone"),
            Self::NoCredit => f.write_str("the client has not said that it tells what it takes"),
            Self::CannotHaveTaken { messages, before, sent } => write!(
                f,
                "{messages} conflated messages cannot have been taken: {before} were before, and {sent} were sent"
            ),
            Self::MessageTooLong { bytes, limit } => {
                write!(f, "the payload has {bytes} bytes, {limit} are allowed")
            }
        }
    }
}

impl std::error::Error for Rejection {}
