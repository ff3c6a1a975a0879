//! How long the loop takes.

use trunkline_router::Histogram;

use crate::snapshot::Latencies;

/// Histograms of what the loop does, see [`Latencies`].
#[derive(Debug, Default)]
pub(super) struct LatencyMeter {
    pub(super) hop: Histogram,
    pub(super) turn: Histogram,
    commit: Histogram,
    /// When the commit that the disk works at was begun.
    committing_since: Option<u64>,
}

impl LatencyMeter {
    /// The disk begins a commit. There is one at a time.
    pub(super) fn commit_begins(&mut self, now: u64) {
        self.committing_since = Some(now);
    }

    /// The disk has answered.
    pub(super) fn commit_ends(&mut self, now: u64) {
        if let Some(since) = self.committing_since.take() {
            self.commit.record(now.saturating_sub(since));
        }
    }

    /// With the time that messages waited, which the router knows.
    pub(super) fn told(&self, waits: &Histogram) -> Latencies {
        Latencies {
            hop: (&self.hop).into(),
            queue_wait: waits.into(),
            turn: (&self.turn).into(),
            commit: (&self.commit).into(),
        }
    }
}
