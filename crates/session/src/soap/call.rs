//! The report of each call to a server.

use std::fmt;
use std::net::SocketAddr;

use super::Outcome;
use super::context::Stages;
use crate::Profile;

/// A call that has been answered; prints as one line for a log.
#[derive(Clone, Debug)]
pub struct CallReport<'a> {
    /// The caller.
    pub caller: Option<SocketAddr>,
    /// As [`Context::identity`](super::Context::identity).
    pub identity: Option<&'a str>,
    /// Where.
    pub path: &'a str,
    /// The operation; empty if it is unknown.
    pub operation: &'a str,
    /// How the request travelled.
    pub profile: Profile,
    /// Bytes of the answer's envelope.
    pub answer_bytes: usize,
    /// The outcome.
    pub outcome: Outcome,
    /// The fault's reason.
    pub reason: Option<&'a str>,
    /// It came with a header `Authorization`, and the server looks at none: there is neither
    /// [`before`](super::Server::before) nor [`basic`](super::Server::basic).
    pub ignores_login: bool,
    /// How long it took, where that is measured.
    pub stages: Option<Stages>,
}

impl fmt::Display for CallReport<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.caller {
            Some(caller) => write!(out, "{caller}")?,
            None => write!(out, "-")?,
        }
        if let Some(identity) = self.identity {
            write!(out, " ({identity})")?;
        }
        let operation = if self.operation.is_empty() { "-" } else { self.operation };
        write!(out, " {} {operation} | {} | ", self.path, self.profile)?;
        match (self.outcome, self.reason) {
            (Outcome::Reply, _) => write!(out, "answered, {} bytes", self.answer_bytes)?,
            (Outcome::Taken, _) => write!(out, "taken")?,
            (Outcome::Fault(code), reason) => {
                let reason = reason.unwrap_or_default().replace(char::is_control, " ");
                write!(out, "{code:?} fault: {reason}")?;
            }
        }
        if self.ignores_login {
            write!(out, " | its login was not looked at")?;
        }
        if let Some(stages) = &self.stages {
            let Stages { decode, application, encode } = stages;
            write!(out, " | decode {decode:?}, application {application:?}, encode {encode:?}")?;
        }
        Ok(())
    }
}

/// Gets a report of every call, on the thread that answered it.
pub type Log = dyn Fn(&CallReport<'_>) + Send + Sync;
