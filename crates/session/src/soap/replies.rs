//! How a client reads what is more or less than a plain reply.

use trunkline_message::{Limits, Result as MessageResult};
use trunkline_soap::{self as soap, QName, Roles};

use super::CallError;
use super::exchange::Reply;
use super::header::Received;
use super::incoming::Incoming;
use super::ws_security::{self, Guard, WSSE};

/// What a client expects of replies, and the header of the last one.
#[derive(Debug)]
pub(super) struct Replies {
    /// Header blocks of this namespace are understood.
    pub(super) namespace: String,
    pub(super) limits: Limits,
    pub(super) header: Received,
    /// What is demanded of Security headers.
    pub(super) guard: Option<Guard>,
}

impl Replies {
    /// Reads an answer that is more or less than a reply: a fault, one with header blocks, or not SOAP.
    #[cold]
    pub(super) fn look_closer(
        &mut self,
        reply: &Reply,
        incoming: &mut Incoming<'_>,
        decoded: MessageResult<()>,
    ) -> Result<(), CallError> {
        let is_reply = reply.is_success() && reply.encoding.is_some();
        let mut opened = match incoming.open(&self.limits) {
            Ok(opened) => opened,
            Err(_) if !is_reply => return Err(status(reply)),
            Err(error) => return Err(CallError::Reply(error)),
        };
        let roles = Roles::ultimate(&[]);
        // What its caller asks for with `reply_header` is understood, and that is not known yet.
        let is_security = |name: &QName| self.guard.is_some() && name.is(WSSE, "Security");
        let own = |name: &QName| name.namespace == self.namespace || is_security(name);
        let missing = soap::not_understood(&opened.header, &own, &roles);
        let secured = self.check(reply, incoming, &opened);
        opened.header.retain(|block| roles.play(block));
        self.header = Received::new(std::mem::take(&mut opened.header));
        if !missing.is_empty() {
            return Err(CallError::NotUnderstood(missing));
        }
        secured?;
        if opened.is_fault {
            let fault = incoming.fault(&self.limits).map_err(CallError::Reply)?;
            return Err(CallError::Fault(Box::new(fault)));
        }
        if !is_reply {
            return Err(status(reply));
        }
        decoded.map_err(CallError::Reply)?;
        if self.header.blocks().is_empty() {
            incoming.remember_plain(&opened);
        }
        Ok(())
    }

    /// Looks at the Security header, if it is to be looked at.
    fn check(
        &self,
        reply: &Reply,
        incoming: &Incoming<'_>,
        opened: &soap::Opened,
    ) -> Result<(), CallError> {
        let Some(guard) = &self.guard else { return Ok(()) };
        let is_there = opened.header.iter().any(|it| it.name.is(WSSE, "Security"));
        if opened.is_fault && !is_there {
            return Ok(());
        }
        let document = incoming.is_xml().then_some(&*reply.body);
        let roles = Roles::ultimate(&[]);
        ws_security::check(guard, &opened.header, &roles, document, &self.limits)
            .map(drop)
            .map_err(|it| CallError::Security(Box::new(it)))
    }
}

/// An answer that is not SOAP.
pub(super) fn status(reply: &Reply) -> CallError {
    let text = String::from_utf8_lossy(&reply.body);
    let mut text: String = text.trim().chars().take(200).collect();
    if let Some(hint) = &reply.hint {
        text += if text.is_empty() { hint.trim_start() } else { hint };
    }
    CallError::Status { status: reply.status, text }
}
