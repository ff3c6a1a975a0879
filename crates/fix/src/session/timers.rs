//! What a session does when nothing comes: heartbeats, test requests, and its patience.

use crate::application::Application;
use crate::outbox::push_bytes;
use crate::session::{Phase, Session};
use crate::tags;
use crate::time::Moment;

/// After so many tenths of the interval without a message the other side is asked whether it is there (as QuickFIX does it).
const TEST_AFTER: u64 = 12;

/// After so many tenths without a message the connection is closed.
const SILENT_AFTER: u64 = 24;

impl Session {
    /// When [`advance`](Self::advance) has something to do, by the monotonic clock.
    pub fn deadline(&self) -> Option<u64> {
        let behind = |since: u64, nanoseconds: u64| since.saturating_add(nanoseconds);
        let due = match self.phase {
            Phase::Idle | Phase::Over => None,
            Phase::AwaitingLogon => {
                Some(behind(self.since, nanoseconds(self.settings().logon_timeout)))
            }
            Phase::LogoutSent => {
                Some(behind(self.since, nanoseconds(self.settings().logout_timeout)))
            }
            Phase::LoggedOn if self.heartbeat == 0 => None,
            Phase::LoggedOn if self.is_test_sent => {
                Some(behind(self.received_at, self.tenths(SILENT_AFTER)))
            }
            Phase::LoggedOn => {
                let test = behind(self.received_at, self.tenths(TEST_AFTER));
                Some(test.min(behind(self.outbox.sent_at(), self.heartbeat)))
            }
        };
        match (self.phase, self.hours_end()) {
            (Phase::LoggedOn, Some(end)) => Some(due.map_or(end, |it| it.min(end))),
            _ => due,
        }
    }

    /// Does what is due, and lets go what the store has by now.
    pub fn advance(&mut self, now: Moment, application: &mut dyn Application) {
        self.outbox.set_now(now);
        self.tell_undelivered(application);
        self.outbox.release();
        self.check(application);
        if self.is_out_of_hours() {
            self.end_hours(application);
            self.outbox.sync();
        }
        if self.deadline().is_none_or(|deadline| now.monotonic < deadline) {
            return;
        }
        match self.phase {
            Phase::Idle | Phase::Over => {}
            Phase::AwaitingLogon => self.end("no Logon came in time", application),
            Phase::LogoutSent => self.end("the Logout was not answered in time", application),
            Phase::LoggedOn => self.look_for_life(now, application),
        }
        self.outbox.sync();
        self.check(application);
    }

    /// So many tenths of the interval, which the other side may have chosen as long as it likes.
    fn tenths(&self, tenths: u64) -> u64 {
        (self.heartbeat / 10).saturating_mul(tenths)
    }

    fn look_for_life(&mut self, now: Moment, application: &mut dyn Application) {
        let silent = now.monotonic.saturating_sub(self.received_at);
        if silent >= self.tenths(SILENT_AFTER) {
            self.end("nothing came for more than two heartbeats", application);
        } else if silent >= self.tenths(TEST_AFTER) && !self.is_test_sent {
            self.is_test_sent = true;
            let mut body = Vec::new();
            push_bytes(&mut body, tags::TEST_REQ_ID, b"TEST");
            self.outbox.administrative(b"1", &[], &body);
        } else if now.monotonic.saturating_sub(self.outbox.sent_at()) >= self.heartbeat {
            self.outbox.administrative(b"0", &[], &[]);
        }
    }
}

pub(super) fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
