//! Why a message is refused, and how that is told: Reject and BusinessMessageReject.

use std::borrow::Cow;

/// SessionRejectReason (373), and its words in Text (58).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No field has this number.
    InvalidTagNumber = 0,
    /// A field that has to be there is not.
    RequiredTagMissing = 1,
    /// The field is none of this message.
    TagNotDefinedForMessage = 2,
    /// Nothing stands behind `=`.
    TagWithoutValue = 4,
    /// The value is none of those that the field may have.
    ValueIsIncorrect = 5,
    /// The value is none of the field's type.
    IncorrectDataFormat = 6,
    /// SenderCompID or TargetCompID are not those of the session.
    CompIdProblem = 9,
    /// SendingTime is too far from the time here, or before OrigSendingTime.
    SendingTimeAccuracy = 10,
    /// No message has this MsgType.
    InvalidMsgType = 11,
    /// The field is there twice.
    TagAppearsMoreThanOnce = 13,
    /// A field of the header or trailer stands in the body, or the other way round.
    OutOfRequiredOrder = 14,
    /// Fields of an entry are not in order, or it does not begin with its first.
    GroupOutOfOrder = 15,
    /// There are more or fewer entries than the counter says.
    IncorrectNumInGroup = 16,
}

impl Reason {
    /// SessionRejectReason (373).
    pub fn number(self) -> u8 {
        self as u8
    }

    /// What Text (58) says.
    pub fn words(self) -> &'static str {
        match self {
            Self::InvalidTagNumber => "Invalid tag number",
            Self::RequiredTagMissing => "Required tag missing",
            Self::TagNotDefinedForMessage => "Tag not defined for this message type",
            Self::TagWithoutValue => "Tag specified without a value",
            Self::ValueIsIncorrect => "Value is incorrect (out of range) for this tag",
            Self::IncorrectDataFormat => "Incorrect data format for value",
            Self::CompIdProblem => "CompID problem",
            Self::SendingTimeAccuracy => "SendingTime accuracy problem",
            Self::InvalidMsgType => "Invalid MsgType",
            Self::TagAppearsMoreThanOnce => "Tag appears more than once",
            Self::OutOfRequiredOrder => "Tag specified out of required order",
            Self::GroupOutOfOrder => "Out of order repeating group members",
            Self::IncorrectNumInGroup => "Incorrect NumInGroup count for repeating group",
        }
    }

    /// Is it among the reasons that FIX 4.2 lists? That version names no others.
    pub(crate) fn is_of_fix42(self) -> bool {
        self.number() <= Self::InvalidMsgType.number()
    }
}

/// A message that is not what its dictionary or the session asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong.
    pub reason: Reason,
    /// The field that it is about.
    pub tag: Option<u32>,
    /// How that field was written, where it is no number of a field.
    pub(crate) tag_text: Option<String>,
    /// More than the reason says.
    pub(crate) text: Option<Cow<'static, str>>,
}

impl Refused {
    /// About the whole message.
    pub fn of(reason: Reason) -> Self {
        Self { reason, tag: None, tag_text: None, text: None }
    }

    /// About a field.
    pub fn at(reason: Reason, tag: u32) -> Self {
        Self { tag: Some(tag), ..Self::of(reason) }
    }

    /// What Text (58) says.
    pub fn words(&self) -> &str {
        self.text.as_deref().unwrap_or(self.reason.words())
    }

    /// RefTagID (371).
    pub(crate) fn tag_words(&self) -> Option<String> {
        self.tag_text.clone().or_else(|| self.tag.map(|it| it.to_string()))
    }
}

/// How an application refuses a message that the session has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// By a Reject (3): the message is not well formed.
    Session(Refused),
    /// By a BusinessMessageReject (j): it is well formed and cannot be done. FIX 4.0 and 4.1, which have none, get a
    /// Reject.
    Business {
        /// BusinessRejectReason (380), such as 3 for a type of message that is not supported.
        reason: u32,
        /// Text (58).
        text: String,
    },
}
