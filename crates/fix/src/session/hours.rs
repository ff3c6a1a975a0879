//! The hours of a session: numbers begin anew with them, and at their end it is logged out.

use crate::application::Application;
use crate::schedule::Hours;
use crate::session::{Phase, Session};
use crate::settings::Role;
use crate::time::Moment;

/// When hours end that have not begun: long ago.
const CLOSED: i64 = i64::MIN;

impl Session {
    /// How long until a connection makes sense, in nanoseconds: 0 within the hours of the session; none if they never come.
    pub fn opens_in(&self, now: Moment) -> Option<u64> {
        match self.settings().schedule.as_ref().map(|it| it.at(now.utc)) {
            None | Some(Hours::Open { .. }) => Some(0),
            Some(Hours::Closed { until }) => until.map(|it| it.abs_diff(now.utc)),
        }
    }

    /// A connection is there.
    pub(super) fn begin_hours(&mut self) {
        self.until = self.outbox.hours().map(|it| match it {
            Hours::Open { until, .. } => until,
            Hours::Closed { .. } => CLOSED,
        });
        if self.until.is_some_and(|it| it != CLOSED) && self.outbox.is_of_past_hours() {
            self.outbox.reset();
        }
    }

    /// Is the connection outside of the session's hours?
    pub(super) fn is_out_of_hours(&self) -> bool {
        self.until.is_some_and(|it| self.outbox.now().utc >= it)
    }

    /// When the hours end, by the monotonic clock as far as it can be known.
    pub(super) fn hours_end(&self) -> Option<u64> {
        let now = self.outbox.now();
        let left = self.until?.checked_sub(now.utc).and_then(|it| u64::try_from(it).ok());
        Some(now.monotonic.saturating_add(left.unwrap_or(0)))
    }

    /// Ends a session whose hours are over.
    pub(super) fn end_hours(&mut self, application: &mut dyn Application) {
        const WHY: &str = "the hours of the session are over";
        match self.phase {
            Phase::LoggedOn => self.send_logout(Some(WHY)),
            // An acceptor says why to who logs on all the same.
            Phase::AwaitingLogon if self.until != Some(CLOSED) => self.end(WHY, application),
            Phase::AwaitingLogon if self.settings().role == Role::Initiator => {
                self.end("it is outside of the session's hours", application);
            }
            _ => {}
        }
    }
}
