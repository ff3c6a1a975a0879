//! Conformance, cross-checks with other implementations, fuzz bodies.

pub mod conformance;
pub mod events;
pub mod every_kind;
pub mod fast_infoset;
pub mod formats;
pub mod fuzz;
pub mod import_corpus;
pub mod infoset;
pub mod noted;
pub mod plain_fix;
pub mod random;
mod random_notes;
pub mod samples;
pub mod schemas;
pub mod seam;
pub mod shapes;
pub mod skip;
pub mod soap_cases;
pub mod soap_echo;
pub mod soap_paths;
pub mod toolkit;

/// The examples of the guides compile and tell the truth.
#[doc = include_str!("../../docs/messages.md")]
mod messages_guide {}

/// As above.
#[doc = include_str!("../../docs/fix.md")]
mod fix_guide {}

/// As above.
#[doc = include_str!("../../docs/router.md")]
mod router_guide {}

/// As above.
#[doc = include_str!("../../docs/soap.md")]
mod soap_guide {}
