//! What is wrong with a Security header, as faults that the specification names.

use trunkline_soap::{Fault, QName};

use crate::WSSE;

/// The codes of WSS section 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    UnsupportedSecurityToken,
    UnsupportedAlgorithm,
    InvalidSecurity,
    InvalidSecurityToken,
    FailedAuthentication,
    FailedCheck,
    SecurityTokenUnavailable,
    MessageExpired,
}

/// The beginning of what a sender wrote, for a reason: it may be long.
pub(crate) fn cut(text: &str) -> &str {
    text.char_indices().nth(64).map_or(text, |(end, _)| &text[..end])
}

/// A fault of the sender with this code and reason.
#[cold]
pub(crate) fn fault(code: Code, reason: impl Into<String>) -> Fault {
    Fault::sender(reason).with_subcode(QName::new(WSSE, format!("{code:?}")))
}

/// As [`fault`], for a header whose form is wrong.
#[cold]
pub(crate) fn invalid(reason: impl Into<String>) -> Fault {
    fault(Code::InvalidSecurity, reason)
}
