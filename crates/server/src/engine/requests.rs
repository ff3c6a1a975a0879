//! The requests of one client that wait for their reply.

use std::collections::BTreeMap;

/// Correlations, each with its ticket and the time until which it waits, bounded by its user.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    waiting: BTreeMap<u64, (u64, u64)>,
    /// The correlations of tickets: numbers that those who were asked answer with.
    tickets: BTreeMap<u64, u64>,
    /// When the engine looks at them next; none where none waits.
    alarm: Option<u64>,
}

impl Requests {
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds one; false where one with this correlation waits already.
    pub(crate) fn add(&mut self, correlation: u64, ticket: u64, deadline: u64) -> bool {
        match self.waiting.entry(correlation) {
            std::collections::btree_map::Entry::Occupied(_) => false,
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert((ticket, deadline));
                self.tickets.insert(ticket, correlation);
                true
            }
        }
    }

    /// Takes one away that is answered, and gives its correlation; none where none waits with this ticket.
    pub(crate) fn take(&mut self, ticket: u64) -> Option<u64> {
        let correlation = self.tickets.remove(&ticket)?;
        self.waiting.remove(&correlation);
        Some(correlation)
    }

    /// Removes those that have expired.
    pub(crate) fn expire(&mut self, now: u64, expired: &mut Vec<u64>) {
        let late = self.waiting.iter().filter(|(_, (_, at))| *at <= now);
        expired.extend(late.map(|(correlation, _)| *correlation));
        for correlation in expired.iter() {
            if let Some((ticket, _)) = self.waiting.remove(correlation) {
                self.tickets.remove(&ticket);
            }
        }
    }

    /// The alarm that is set.
    pub(crate) fn alarm(&self) -> Option<u64> {
        self.alarm
    }

    /// The alarm that has to be set, if the one that is set comes too late or there is none.
    ///
    /// There is at most one, however many requests come and go: the one before is to be taken back.
    pub(crate) fn arm(&mut self, deadline: u64) -> Option<u64> {
        if self.alarm.is_some_and(|at| at <= deadline) {
            return None;
        }
        self.alarm = Some(deadline);
        Some(deadline)
    }

    /// The alarm at `at` has come: the next one, if requests wait still.
    pub(crate) fn rearm(&mut self, at: u64) -> Option<u64> {
        if self.alarm != Some(at) {
            return None;
        }
        self.alarm = self.waiting.values().map(|(_, at)| *at).min();
        self.alarm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_once_or_expires() {
        let mut requests = Requests::default();
        assert!(requests.add(1, 71, 100) && requests.add(2, 72, 50) && !requests.add(1, 73, 70));
        assert_eq!([1, 73, 71, 71].map(|it| requests.take(it)), [None, None, Some(1), None]);
        let mut expired = Vec::new();
        requests.expire(49, &mut expired);
        assert!(expired.is_empty());
        requests.expire(50, &mut expired);
        assert_eq!(expired, [2]);
        assert_eq!((requests.len(), requests.take(72)), (0, None));
    }

    #[test]
    fn one_alarm_serves_all() {
        let mut requests = Requests::default();
        requests.add(1, 71, 100);
        assert_eq!(requests.arm(100), Some(100));
        requests.add(2, 72, 200);
        assert_eq!(requests.arm(200), None);
        requests.add(3, 73, 50);
        assert_eq!(requests.arm(50), Some(50));
        requests.take(73);
        assert_eq!(requests.rearm(50), Some(100));
        assert_eq!(requests.rearm(50), None, "an alarm comes once");
        requests.take(71);
        requests.take(72);
        assert_eq!(requests.rearm(100), None);
        assert_eq!(requests.arm(300), Some(300));
    }
}
