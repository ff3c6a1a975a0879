//! Credit: how many conflated updates may be under way to a client that tells what it has taken.
//!
//! What is under way is in buffers that conflation cannot reach, here, in the kernels of both machines and in
//! the client: it gets older while it waits there. So no more is sent ahead than keeps the reader
//! busy: what it takes in the time of a round trip and [`AHEAD`]. How fast it takes is measured in
//! rounds: one update is timed from when it is sent until it is told to be taken, and what was taken
//! meanwhile is the reader's pace. A reader that takes all that there is at once, each time that it looks, shows
//! no pace so; it gets twice as much the next time, until it gets all that there is.

/// How long a reader may be kept busy by what is under way to it, besides a round trip; nanoseconds.
const AHEAD: u64 = 20_000_000;

/// A reader keeps up if what is timed waits no longer for it than this; nanoseconds.
const PROMPT: u64 = AHEAD / 4;

/// The most updates that may be under way.
const MOST: u64 = 1 << 20;

/// The least: what is taken together with another tells readers that take all at once from those that take
/// one after another.
const LEAST: u64 = 2;

/// What a client that tells it has taken, and what may be under way to it. Counts are of updates.
#[derive(Debug)]
pub(crate) struct Credit {
    sent: u64,
    taken: u64,
    /// The most that may be sent and not taken, at least [`LEAST`]: a client with nothing under way may
    /// always get an update.
    bound: u64,
    /// The shortest round trip that the client knows of, in nanoseconds.
    round_trip: u64,
    round: Option<Round>,
    /// An update has waited for credit in this round.
    waited_for_credit: bool,
}

/// The time from when an update is sent until it is taken.
#[derive(Debug)]
struct Round {
    /// How many had been sent with the one that is timed.
    number: u64,
    began: u64,
    /// What had been taken when it began.
    taken: u64,
}

/// A client says that it has taken less than before, or more than was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Impossible {
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

    /// The most of them that there may be.
    pub(crate) fn bound(&self) -> u64 {
        self.bound
    }

    /// Whether an update that waits may be sent; if not, it is noted that one has waited.
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

    /// The client has taken so many, from the first on.
    pub(crate) fn taken(
        &mut self,
        now: u64,
        taken: u64,
        round_trip: u64,
    ) -> Result<(), Impossible> {
        if taken < self.taken || taken > self.sent {
            return Err(Impossible { before: self.taken, sent: self.sent });
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
            // Who is not sent enough to be busy shows no pace; who lets it lie does.
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

#[cfg(test)]
mod tests;
