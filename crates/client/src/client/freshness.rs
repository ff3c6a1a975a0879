//! What a client tells of what was taken, and how it learns how old that was.

use std::time::{Duration, Instant};

use trunkline_native::RouterFrame;

use super::Client;
use crate::conversation::Look;
use crate::error::Result;
use crate::event::Event;
use crate::freshness::{Freshness, TELL_EVERY};

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Freshness {
    /// Says of a message how old it is; whether it is a conflated one.
    #[inline]
    pub(super) fn look_at(&self, epoch: Instant, event: &mut Event<'_>) -> bool {
        let Event::Message(message) = event else { return false };
        if message.conflation.is_none() {
            return false;
        }
        if let Some(published) = message.published {
            message.age = self.age(nanoseconds(epoch.elapsed()), published);
        }
        true
    }
}

impl Client {
    fn now(&self) -> u64 {
        nanoseconds(self.epoch.elapsed())
    }

    /// Something was read: an answer of the router's clock may be among it.
    #[inline]
    pub(super) fn note_read(&mut self) {
        if self.freshness.is_asked {
            self.read_at = self.now();
        }
    }

    /// Finds out how the clock of a router that tells times stands to ours.
    pub(super) fn ask_clock(&mut self) -> Result<()> {
        if !self.welcome().is_some_and(|welcome| welcome.features.times) {
            return Ok(());
        }
        let now = self.now();
        if self.freshness.asks(now) {
            self.conversation.ask_clock(now);
        }
        self.wait_for("time of the router", self.options.timeout, |frame| match frame {
            RouterFrame::Clock(_) => Look::Answer(()),
            _ => Look::Other,
        })?;
        self.learn_clock();
        Ok(())
    }

    fn learn_clock(&mut self) {
        if let Some((asked, time)) = self.conversation.clock() {
            self.freshness.answered(asked, self.read_at, time);
        }
    }

    /// Between two messages of which the first is taken: the router is told if that was long ago, so
    /// that it learns of a slow program's pace.
    pub(super) fn tell_taken_early(&mut self) {
        if self.conversation.untold() > 0 && self.tell_taken().is_none() {
            // What does not go now goes later, and a broken connection is met then.
            if let Ok(bytes) = self.stream.write(self.conversation.output()) {
                self.conversation.sent(bytes);
            }
        }
    }

    /// Tells the router what was taken, or says when to do it.
    pub(super) fn tell_taken(&mut self) -> Option<Instant> {
        self.learn_clock();
        let now = self.now();
        // Clocks drift apart whether or not there is something to tell.
        if self.freshness.asks(now) {
            self.conversation.ask_clock(now);
        }
        if self.conversation.untold() == 0 {
            return None;
        }
        let next = self.freshness.told_at + TELL_EVERY;
        if now < next {
            return self.epoch.checked_add(Duration::from_nanos(next));
        }
        self.freshness.told_at = now;
        self.conversation.tell_taken(self.freshness.round_trip());
        None
    }
}
