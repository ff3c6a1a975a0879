//! A client whose messages have Security headers.

use super::{CallError, Client};
use crate::soap::exchange::{Exchange, Head, Reply};
use crate::soap::outgoing::Outgoing;
use crate::soap::ws_security::{Guard, Seal, Sealed};

impl Client {
    /// Puts a Security header into each request from here on, anew each time; `None` ends that. Octets of such requests are in
    /// the envelope, whatever [`set_attachments`](Self::set_attachments) says, and one that is signed is sent in XML.
    pub fn set_ws_security(&mut self, seal: impl Into<Option<Seal>>) {
        self.seal = seal.into();
    }

    /// Demands this of each reply from here on. Without it a reply whose Security header has to be understood is
    /// [`CallError::NotUnderstood`]. A fault may come without a Security header, as those of who rejects a request
    /// do: nobody knows whose it is. What is sent without an answer has none, and neither has an empty answer to
    /// [`call_dynamically`](Self::call_dynamically) or [`call_envelope`](Self::call_envelope).
    pub fn expect_ws_security(&mut self, guard: impl Into<Option<Guard>>) {
        self.replies.guard = guard.into();
    }
}

/// Sends a message and waits for the answer.
pub(super) fn call(
    exchange: &mut Exchange,
    seal: Option<&Seal>,
    (path, head): (&str, &Head),
    message: &mut dyn Outgoing,
) -> Result<Reply, CallError> {
    match seal {
        None => exchange.call(path, head, message),
        Some(seal) => {
            exchange.call(path, head, &mut Sealed { seal, message, document: Vec::new() })
        }
    }
}
