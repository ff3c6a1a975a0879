//! How a client reports what was taken, and how it measures the age of messages.

use std::time::{Duration, Instant};

use trunkline_native::RouterFrame;

use super::Client;
use crate::conversation::FrameClass;
use crate::error::Result;
use crate::event::Event;
use crate::freshness::{Freshness, REPORT_EVERY};

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Freshness {
    /// Sets the age of a message; returns whether it is a conflated one.
    #[inline]
    pub(super) fn look_at(&self, epoch: Instant, event: &mut Event<'_>) -> bool {
        let Event::Message(message) = event else { return false };
        // Only conflated messages and last values have it.
        if let Some(published) = message.published {
            message.age = self.age(nanoseconds(epoch.elapsed()), published);
        }
        message.conflation.is_some()
    }
}

impl Client {
    fn now(&self) -> u64 {
        nanoseconds(self.epoch.elapsed())
    }

    /// Something was read; it may include an answer of the router's clock.
    #[inline]
    pub(super) fn note_read(&mut self) {
        if self.freshness.is_requested {
            self.read_at = self.now();
        }
    }

    /// Measures the offset of the router's clock, if the router tells times.
    pub(super) fn ask_clock(&mut self) -> Result<()> {
        if !self.welcome().is_some_and(|welcome| welcome.features.times) {
            return Ok(());
        }
        let now = self.now();
        if self.freshness.asks(now) {
            self.conversation.ask_clock(now);
        }
        self.wait_for("time of the router", self.options.timeout, |frame| match frame {
            RouterFrame::Clock(_) => FrameClass::Answer(()),
            _ => FrameClass::Other,
        })?;
        self.learn_clock();
        Ok(())
    }

    fn learn_clock(&mut self) {
        if let Some((requested, time)) = self.conversation.clock() {
            self.freshness.answered(requested, self.read_at, time);
        }
    }

    /// Between two messages, of which the first is taken: reports to the router if the last report was long
    /// ago, so that it learns the pace of a slow program.
    pub(super) fn report_taken_early(&mut self) {
        if self.conversation.unreported() > 0 && self.report_taken().is_none() {
            // What is not sent now is sent later, and a broken connection is noticed then.
            if let Ok(bytes) = self.stream.write(self.conversation.output()) {
                self.conversation.sent(bytes);
            }
        }
    }

    /// Reports to the router what was taken, or returns when to do it.
    pub(super) fn report_taken(&mut self) -> Option<Instant> {
        self.learn_clock();
        let now = self.now();
        // Clocks drift apart whether or not there is something to report.
        if self.freshness.asks(now) {
            self.conversation.ask_clock(now);
        }
        if self.conversation.unreported() == 0 {
            return None;
        }
        let next = self.freshness.reported_at + REPORT_EVERY;
        if now < next {
            return self.epoch.checked_add(Duration::from_nanos(next));
        }
        self.freshness.reported_at = now;
        self.conversation.report_taken(self.freshness.round_trip());
        None
    }
}
