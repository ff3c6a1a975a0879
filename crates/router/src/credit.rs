//! Credit: the bound of conflated updates in flight to a client that reports what it has taken.
//!
//! Updates in flight are in buffers that conflation cannot reach: here, in the kernels of both machines and
//! in the client. They age while they wait there. So the router sends only as many ahead as keep the reader
//! busy: what it takes in a round trip plus [`AHEAD`]. Rounds measure how fast it takes: a round times one
//! update from sending until the report that it is taken, and counts what was taken meanwhile; that is the
//! reader's pace. A reader that takes everything at once each time shows no pace this way; it gets twice as
//! many the next time, until it gets everything.

use crate::egress::{Egress, Turn, client_of};
use crate::message::Renderer;
use crate::rejection::Rejection;

/// How long updates in flight may keep a reader busy, besides a round trip; nanoseconds.
const AHEAD: u64 = 20_000_000;

/// A reader keeps up if the timed update waits for it no longer than this; nanoseconds.
const PROMPT: u64 = AHEAD / 4;

/// The most updates in flight.
const MOST: u64 = 1 << 20;

/// The least: taking two updates together distinguishes readers that take everything at once from readers
/// that take one after another.
const LEAST: u64 = 2;

/// What a client has reported as taken, and the bound in flight. Counts are of updates.
#[derive(Debug)]
pub(crate) struct Credit {
    sent: u64,
    taken: u64,
    /// The most updates sent and not taken, at least [`LEAST`]: a client with nothing in flight may always
    /// get an update.
    bound: u64,
    /// The shortest round trip that the client has measured, in nanoseconds.
    round_trip: u64,
    round: Option<Round>,
    /// An update has waited for credit in this round.
    waited_for_credit: bool,
}

/// The time from sending an update until it is taken.
#[derive(Debug)]
struct Round {
    /// The number of updates sent, up to and including the timed one.
    number: u64,
    began: u64,
    /// The number of updates taken when it began.
    taken: u64,
}

/// A client reports less than before, or more than was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidReport {
    pub(crate) before: u64,
    pub(crate) sent: u64,
}

impl Default for Credit {
    fn default() -> Self {
        Self {
            sent: 0,
            taken: 0,
            bound: LEAST,
            round_trip: 0,
            round: None,
            waited_for_credit: false,
        }
    }
}

impl Credit {
    /// Updates that were sent and not taken.
    pub(crate) fn under_way(&self) -> u64 {
        self.sent - self.taken
    }

    /// The bound of updates in flight.
    pub(crate) fn bound(&self) -> u64 {
        self.bound
    }

    /// Whether a waiting update may be sent; if not, it notes that one has waited.
    #[inline]
    pub(crate) fn admits(&mut self) -> bool {
        let admits = self.under_way() < self.bound;
        self.waited_for_credit |= !admits;
        admits
    }

    /// An update is sent.
    #[inline]
    pub(crate) fn sent(&mut self, now: u64) {
        self.sent += 1;
        if self.round.is_none() {
            self.round = Some(Round { number: self.sent, began: now, taken: self.taken });
            self.waited_for_credit = false;
        }
    }

    /// An update that counts as sent will not be.
    pub(crate) fn not_sent(&mut self) {
        self.sent = self.sent.saturating_sub(1).max(self.taken);
        self.round.take_if(|round| round.number > self.sent);
    }

    /// The client has taken so many updates, from the first on.
    pub(crate) fn taken(
        &mut self,
        now: u64,
        taken: u64,
        round_trip: u64,
    ) -> Result<(), InvalidReport> {
        if taken < self.taken || taken > self.sent {
            return Err(InvalidReport { before: self.taken, sent: self.sent });
        }
        let took_all_at_once = taken == self.sent && taken - self.taken >= LEAST;
        self.taken = taken;
        self.round_trip = round_trip;
        if took_all_at_once {
            self.round = None;
            if self.waited_for_credit {
                self.bound = (2 * self.bound).min(MOST);
            }
        } else if let Some(round) = self.round.take_if(|round| round.number <= taken) {
            self.end(now, &round);
        }
        Ok(())
    }

    /// A round has ended: the bound follows the reader.
    fn end(&mut self, now: u64, round: &Round) {
        let time = now.saturating_sub(round.began).max(1);
        let busy = self.round_trip.saturating_add(AHEAD);
        let taken = u128::from(self.taken - round.taken);
        let pace = (taken * u128::from(busy)).div_ceil(u128::from(time));
        let pace = u64::try_from(pace).unwrap_or(MOST).clamp(LEAST, MOST);
        let doubled = (2 * self.bound).min(MOST);
        let waited = time.saturating_sub(self.round_trip);
        if !self.waited_for_credit {
            // A reader that does not get enough to be busy shows no pace; one that leaves updates waiting
            // does.
            if waited > AHEAD {
                self.bound = self.bound.min(pace);
            }
        } else if waited <= PROMPT {
            self.bound = doubled;
        } else {
            self.bound = pace.min(doubled);
        }
    }
}

impl<R: Renderer> Egress<R> {
    /// A client has taken updates: there may be credit for others.
    pub(crate) fn taken(
        &mut self,
        turn: &Turn<'_>,
        index: u32,
        (messages, round_trip): (u64, u64),
    ) -> Result<(), Rejection> {
        let client = client_of(&mut self.clients, index);
        let credit = client.credit.as_mut().ok_or(Rejection::NoCredit)?;
        credit.taken(turn.now, messages, round_trip).map_err(
            |InvalidReport { before, sent }| Rejection::CannotHaveTaken { messages, before, sent },
        )?;
        self.pump(turn, index);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
