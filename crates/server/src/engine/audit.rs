//! The audit log: who connected, what was rejected, who did what to others. One line each, with the field `audit`.
//!
//! Lines of one source are bounded: those beyond are counted, and the next one says how many they were.

use std::collections::HashMap;

use tracing::{info, warn};
use trunkline_security::Forbidden;

use super::ClientSession;
use super::context::EngineContext;

/// The target of the lines, so that they are logged whatever `log.level` is, unless it is `off`.
pub(crate) const TARGET: &str = "audit";

/// Lines of one source at once, and nanoseconds until it may have one more.
const BURST: u64 = 200;
const INTERVAL: u64 = 50_000_000;

/// Sources that are told apart; others count as one.
const SOURCES: usize = 10_000;

/// Bounds the lines of each source.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    sources: HashMap<Box<str>, Source>,
}

/// Where lines come from: an identity, or a machine.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    /// The time up to which its lines are paid for.
    paid: u64,
    suppressed: u64,
}

impl Audit {
    /// How many lines of a source were left out before this one; none if this one is left out too.
    pub(crate) fn admit(&mut self, now: u64, source: &str) -> Option<u64> {
        if !self.sources.contains_key(source) && self.sources.len() >= SOURCES {
            // Those that could have all their lines are as good as new.
            self.sources.retain(|_, it| it.paid > now || it.suppressed > 0);
        }
        let source = if self.sources.len() >= SOURCES { "" } else { source };
        if !self.sources.contains_key(source) {
            self.sources.insert(source.into(), Source::default());
        }
        let it = self.sources.get_mut(source)?;
        let paid = it.paid.max(now).saturating_add(INTERVAL);
        if paid > now.saturating_add(BURST * INTERVAL) {
            it.suppressed += 1;
            return None;
        }
        it.paid = paid;
        Some(std::mem::take(&mut it.suppressed))
    }

    pub(super) fn connected(&mut self, now: u64, it: &ClientSession) {
        let Some(suppressed) = self.admit(now, &it.source()) else { return };
        info!(
            target: TARGET,
            audit = "connected",
            client = %it.label(),
            identity = %it.access.identity(),
            address = %it.peer.address,
            profile = %it.profile(),
            suppressed,
            "connected"
        );
    }

    pub(super) fn done(&mut self, now: u64, it: &ClientSession, operation: &str, what: &str) {
        let Some(suppressed) = self.admit(now, &it.source()) else { return };
        info!(
            target: TARGET,
            audit = "done",
            client = %it.label(),
            identity = %it.access.identity(),
            address = %it.peer.address,
            operation,
            what,
            suppressed,
            "done"
        );
    }

    pub(super) fn rejected(&mut self, now: u64, it: &ClientSession, forbidden: &Forbidden) {
        let Some(suppressed) = self.admit(now, &it.source()) else { return };
        warn!(
            target: TARGET,
            audit = "rejected",
            client = %it.label(),
            identity = %it.access.identity(),
            address = %it.peer.address,
            operation = %forbidden.operation,
            what = forbidden.pattern.as_deref().unwrap_or(""),
            rule = forbidden.rule.as_deref().unwrap_or(""),
            reason = %forbidden,
            suppressed,
            "rejected"
        );
    }

    /// A client may not connect, or not stay.
    pub(super) fn login_rejected(
        &mut self,
        now: u64,
        it: &ClientSession,
        user: &str,
        reason: &str,
    ) {
        let Some(suppressed) = self.admit(now, &it.source()) else { return };
        warn!(
            target: TARGET,
            audit = "rejected",
            client = %it.label(),
            identity = %it.access.identity(),
            address = %it.peer.address,
            operation = "connect",
            user,
            reason,
            suppressed,
            "rejected"
        );
    }
}

impl ClientSession {
    /// Where its lines are counted.
    fn source(&self) -> String {
        let identity = self.access.identity();
        if identity.is_known() { identity.to_string() } else { self.peer.host().to_owned() }
    }
}

impl EngineContext<'_> {
    pub(super) fn audit_rejection(&mut self, forbidden: &Forbidden) {
        self.state.access.audit.rejected(self.now, self.client_session, forbidden);
    }

    pub(super) fn audit_login(&mut self, user: &str, reason: &str) {
        self.state.access.audit.login_rejected(self.now, self.client_session, user, reason);
    }

    pub(super) fn audit_done(&mut self, operation: &str, what: &str) {
        self.state.access.audit.done(self.now, self.client_session, operation, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_source_are_bounded_and_those_left_out_are_counted() {
        let mut audit = Audit::default();
        let logged = (0..1_000).filter(|_| audit.admit(0, "user:a").is_some()).count();
        assert_eq!(logged as u64, BURST);
        assert_eq!(audit.admit(0, "user:b"), Some(0), "another source has its own");
        assert_eq!(audit.admit(INTERVAL, "user:a"), Some(1_000 - BURST));
        assert_eq!(audit.admit(INTERVAL, "user:a"), None);
        assert_eq!(audit.admit(3 * INTERVAL, "user:a"), Some(1));
    }

    #[test]
    fn many_sources_take_no_more_room_than_some() {
        let mut audit = Audit::default();
        for source in 0..3 * SOURCES {
            audit.admit(0, &source.to_string());
        }
        assert_eq!(audit.sources.len(), SOURCES + 1);
        assert_eq!(audit.admit(0, "another"), None, "the sources beyond share what one has");
        assert!(audit.admit(1_000 * INTERVAL, "another").is_some());
        assert!(audit.sources.len() < 10, "{}", audit.sources.len());
    }
}
