//! What stands behind a session.

use crate::message::Message;
use crate::outbox::Outbox;
use crate::reject::{Refusal, Refused};

/// An application behind a session. Every method is called on the thread that drives the session, and must not block.
pub trait Application {
    /// A message of the application came, in its turn. What is sent here goes out behind it.
    ///
    /// # Errors
    /// Why it is refused, which the other side is told. Its number counts all the same.
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal>;

    /// A message of the session itself came, such as a Heartbeat (0), which the session sees to.
    fn administrative(&mut self, _message: Message<'_>) {}

    /// The session is up.
    fn logged_on(&mut self, _outbox: &mut Outbox) {}

    /// The session, or the attempt at one, is over, and why.
    fn logged_out(&mut self, _reason: &str) {}

    /// An initiator could not connect, and why; it tries again.
    fn not_connected(&mut self, _error: &std::io::Error) {}

    /// The other side has rejected a message: a Reject (3) came.
    fn rejected(&mut self, _message: Message<'_>) {}

    /// Numbers begin anew, and nothing tells that the other side has this message: it was accepted while nobody was logged on,
    /// or was on its way when the connection broke, and no Logon followed by which it would have been sent again. It may be
    /// sent once more with a number of its own, best with PossResend (97).
    fn undelivered(&mut self, _message: Message<'_>, _outbox: &mut Outbox) {}

    /// May a message be sent again, which the other side asks for? A gap is filled in its place if not: an order may be
    /// too old by now.
    fn may_send_again(&mut self, _message: Message<'_>) -> bool {
        true
    }

    /// Something is wrong with what came; the other side has been told as the standard asks for.
    fn noticed(&mut self, _notice: Notice<'_>) {}
}

/// What a session notices about the other side.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// These bytes are no message, and were passed over; if they were one, it is asked for again.
    Garbled(&'a [u8]),
    /// A message was refused.
    Refused {
        /// MsgSeqNum (34).
        number: u64,
        /// What is wrong with it.
        refused: &'a Refused,
    },
    /// Messages are missing, and were asked for.
    Gap {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
    /// Messages are sent again, since the other side asked for them.
    Resend {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
}
