//! Reasons for rejections, as the protocols report them.

use trunkline_native::code;
use trunkline_router::{Rejection, TopicErrorKind};

/// The reason for a rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// For programs; see [`trunkline_native::code`].
    pub code: u16,
    /// The byte of the name or pattern that is wrong, if one is.
    pub offset: Option<u32>,
    /// For people.
    pub text: String,
}

impl Rejected {
    /// Without a byte that is wrong.
    #[cold]
    pub fn new(code: u16, text: impl Into<String>) -> Self {
        Self { code, offset: None, text: text.into() }
    }
}

impl From<Rejection> for Rejected {
    #[cold]
    fn from(rejection: Rejection) -> Self {
        let (code, offset) = match &rejection {
            Rejection::Topic(error) if error.kind == TopicErrorKind::Reserved => {
                (code::RESERVED, Some(0))
            }
            Rejection::Topic(error) | Rejection::Pattern(error) => {
                (code::BAD_NAME, u32::try_from(error.offset).ok())
            }
            Rejection::SubscriptionExists(_) => (code::IN_USE, None),
            Rejection::NoSubscription(_) | Rejection::NoTopic => (code::UNKNOWN, None),
            Rejection::MessageTooLong { .. } => (code::TOO_LONG, None),
            _ => (code::LIMIT, None),
        };
        Self { code, offset, text: rejection.to_string() }
    }
}

impl From<&trunkline_store::Rejected> for Rejected {
    #[cold]
    fn from(rejected: &trunkline_store::Rejected) -> Self {
        use trunkline_store::Rejected;
        let code = match rejected {
            Rejected::Busy | Rejected::Limit(_) => code::LIMIT,
            Rejected::OutOfSequence(_) => code::OUT_OF_SEQUENCE,
            Rejected::NotDurable(_) => code::NOT_DURABLE,
            Rejected::TakenOver => code::TAKEN_OVER,
            Rejected::TooLong(..) => code::TOO_LONG,
            Rejected::Exists(_) | Rejected::InUse(_) => code::IN_USE,
            Rejected::Moved(_) => code::MOVED,
            Rejected::Different(_) => code::DIFFERENT,
            Rejected::Pattern => code::BAD_NAME,
            Rejected::Unknown => code::UNKNOWN,
        };
        Self::new(code, rejected.to_string())
    }
}

/// Why guaranteed delivery does not do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// There is no room. Nothing more is read from this connection until there is; then the same
    /// frame is handled again.
    WouldBlock,
    /// It is not done.
    Rejected(Rejected),
    /// It is not done, and what follows will not be until this sequence comes.
    OutOfSequence(u64, Rejected),
}

impl From<Rejected> for StoreError {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected)
    }
}
