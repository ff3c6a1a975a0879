//! The router: topics, matching, fan-out, conflation, egress and the ledger
#![forbid(unsafe_code)]

mod matcher;
mod topic;
mod topics;

pub use matcher::Matcher;
pub use topic::{
    TOPIC_BYTES, TOPIC_LEVELS, TopicError, TopicErrorKind, check_pattern, check_topic,
};
pub use topics::{InternError, TopicId, Topics};
