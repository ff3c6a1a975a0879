//! The router: topics, matching, fan-out, conflation, egress and the ledger
#![forbid(unsafe_code)]

mod blocks;
mod ceiling;
mod chunks;
mod client;
mod conflation;
mod conversions;
mod credit;
mod deadlines;
mod delayed;
mod egress;
mod filters;
mod histogram;
mod last_values;
mod ledger;
mod limits;
mod losses;
mod matched;
mod matcher;
mod memory;
mod message;
mod name;
mod overlaps;
mod pattern;
mod pool;
mod queue;
mod rate;
mod reasons;
mod rejection;
mod renditions;
mod retire;
mod router;
mod slab;
mod subscriptions;
mod tables;
mod topic;
mod topics;
mod view;
mod walks;

pub use client::{ClientId, ClientOptions, Overflow};
pub use conversions::{Conversion, ConversionId};
pub use filters::{Decision, DecisionId, FilterCounts, FilterId};
pub use histogram::Histogram;
pub use last_values::LastValueTotals;
pub use ledger::Ledger;
pub use limits::Limits;
pub use matcher::Matcher;
pub use message::{
    Conflation, ConvertsTo, Delivery, Envelope, Gap, LastValue, Message, Mode, Renderer, Rendition,
    RenditionFormat, Requester,
};
pub use name::name_fits;
pub use overlaps::LateRejection;
pub use pattern::patterns_overlap;
pub use rejection::Rejection;
pub use renditions::RenditionCounts;
pub use router::{Dirty, Router};
pub use subscriptions::SubscriptionOptions;
pub use topic::{
    TOPIC_BYTES, TOPIC_LEVELS, TopicError, TopicErrorKind, check_pattern, check_topic,
};
pub use topics::{InternError, TopicId, Topics};
pub use view::{ClientView, MatchView, MemoryView, SubscriptionView, TopicView, Totals, View};
