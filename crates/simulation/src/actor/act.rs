//! What a client chooses to do, and how its bytes go out.

use trunkline_client::{Reply, Subscribe};

use super::{Actor, Phase};
use crate::host::{Host, LinkId};
use crate::link::End;
use crate::payload::payload;
use crate::report::{Checked, violation};
use crate::scenario::{PATTERNS, PATTERNS_OF_SLOW, REQUEST_TOPICS, TOPICS};

/// Bytes that a client lets wait before it does nothing new.
const ENOUGH: usize = 64 << 10;

impl Actor {
    pub(crate) fn act(&mut self, now: u64, link: LinkId, phase: Phase, host: &mut Host) -> Checked {
        if host.is_over(link) {
            host.check_end(link)?;
            self.leave(now, link, End::Closed, host);
            return Ok(());
        }
        if self.plan.is_hostile && (phase == Phase::Settling || self.random.once_in(10)) {
            return self.send_garbage(now, link, phase, host);
        }
        if let Err(error) = self.choose(now, phase, host) {
            return violation("client library", error.to_string());
        }
        let dies = self.plan.dies.is_some_and(|it| self.random.once_in(it));
        if phase == Phase::Running && dies && !self.plan.hurries {
            return self.die(now, link, host);
        }
        let waiting = self.conversation.output().len();
        let most = match phase {
            Phase::Running if !self.plan.floods => self.random.part(waiting),
            _ => waiting,
        };
        self.send(link, most, host);
        Ok(())
    }

    /// Asks the client library for something or other.
    fn choose(
        &mut self,
        now: u64,
        phase: Phase,
        host: &mut Host,
    ) -> Result<(), trunkline_client::Error> {
        for (request, payload) in std::mem::take(&mut self.to_answer) {
            self.conversation.reply(request, &Reply { format: 1, payload })?;
        }
        // At last all of it: what is under way to a client that tells nothing stays so.
        if phase == Phase::Settling || self.random.once_in(2) {
            self.conversation.report_taken(self.grain);
        }
        let is_full = self.conversation.output().len() > ENOUGH;
        if phase == Phase::Settling || !self.is_welcome || is_full {
            return Ok(());
        }
        for _ in 0..self.random.between(0, self.plan.publishes) {
            self.publish()?;
        }
        if self.plan.floods {
            self.flood(host)?;
        }
        if self.plan.subscribes > 0 {
            self.change_subscriptions()?;
        }
        if self.plan.asks && self.random.once_in(4) {
            self.ask(host)?;
        }
        if self.random.once_in(50) {
            // Slow ones may ask for more than fits into what they do not read.
            for _ in 0..if self.plan.is_slow { self.random.pick(&[1, 60]) } else { 1 } {
                self.conversation.ping(now);
                self.conversation.ask_clock(now);
            }
        }
        let (times, most) = if self.plan.is_slow { (8, 300) } else { (60, 40) };
        if now >= self.stalled_until && self.random.once_in(times) {
            self.stalled_until = now + self.grain * self.random.below(most);
            host.counts.stalls += 1;
        }
        Ok(())
    }

    fn publish(&mut self) -> Result<(), trunkline_client::Error> {
        if self.topics.len() < 2 || self.random.once_in(20) {
            let name = self.random.pick(TOPICS);
            let topic = self.conversation.topic(name)?;
            self.topics.push((topic, name.to_owned()));
        }
        if self.random.once_in(60) {
            let place = self.random.below(self.topics.len() as u64) as usize;
            let (topic, _) = self.topics.swap_remove(place);
            self.conversation.forget(topic);
            return Ok(());
        }
        if self.random.once_in(100) {
            self.conversation.topic(self.random.pick(&["fx/*", "fx//spot", "$own", ">"]))?;
        }
        let place = self.random.below(self.topics.len() as u64) as usize;
        let topic = self.topics[place].0;
        let length = if self.random.once_in(30) { 3_000 } else { 150 };
        let length = self.random.below(length) as usize;
        let (message, format) = (self.payload(length), self.random.below(4) as u16);
        if self.plan.wants_last_values && self.number.is_multiple_of(16) {
            return self.conversation.publish_and_clear(topic, format, &message);
        }
        self.conversation.publish(topic, format, &message)
    }

    /// Sends as much as its stream holds.
    fn flood(&mut self, host: &mut Host) -> Result<(), trunkline_client::Error> {
        let topic = self.conversation.topic("flood")?;
        while self.conversation.output().len() < self.plan.capacity.0 {
            let length = self.random.between(10_000, 40_000) as usize;
            let message = self.payload(length);
            self.conversation.publish(topic, 1, &message)?;
        }
        host.counts.floods += 1;
        Ok(())
    }

    fn payload(&mut self, length: usize) -> Vec<u8> {
        (self.number, self.has_sent) = (self.number + 1, true);
        payload(self.index as u16, self.number, length)
    }

    fn change_subscriptions(&mut self) -> Result<(), trunkline_client::Error> {
        let count = self.subscriptions.len() as u64;
        if count > 0 && self.random.once_in(40) {
            let place = self.random.below(count) as usize;
            let subscription = self.subscriptions.swap_remove(place);
            self.conversation.unsubscribe(subscription);
        }
        if count + self.subscribing >= self.plan.subscribes || !self.random.once_in(3) {
            return Ok(());
        }
        let patterns = if self.plan.is_slow { &PATTERNS[..PATTERNS_OF_SLOW] } else { PATTERNS };
        let pattern = match self.random.below(30) {
            0 => "fx/*USD",
            _ if self.plan.answers && self.random.once_in(2) => REQUEST_TOPICS[0],
            _ => self.random.pick(patterns),
        };
        let how = match self.random.below(4) {
            0 => Subscribe::newest(),
            1 => Subscribe::at_most(self.random.pick(&[10, 300, 7_000])),
            _ => Subscribe::every(),
        };
        let how = Subscribe { last_values: self.plan.wants_last_values, ..how };
        self.conversation.subscribe(pattern, &how)?;
        self.subscribing += 1;
        self.has_sent = true;
        Ok(())
    }

    fn ask(&mut self, host: &mut Host) -> Result<(), trunkline_client::Error> {
        let topics = match self.requested {
            Some(topics) => topics,
            None => {
                let [one, other] = REQUEST_TOPICS;
                [self.conversation.topic(one)?, self.conversation.topic(other)?]
            }
        };
        self.requested = Some(topics);
        let topic = if self.random.once_in(5) { topics[1] } else { topics[0] };
        let message = self.payload(30);
        let timeout = self.random.between(1, 300) as u32;
        self.requests.push(self.conversation.request(topic, 1, &message, timeout)?);
        host.counts.requests += 1;
        Ok(())
    }

    /// Sends at most so many bytes of what is to be sent.
    fn send(&mut self, link: LinkId, most: usize, host: &mut Host) {
        let output = self.conversation.output();
        let sent = host.send(link, &output[..most]);
        let mut place = 0;
        while place < sent {
            if self.frame_left == 0 {
                let length = output[place..].first_chunk().copied().unwrap_or_default();
                self.frame_left = u32::from_le_bytes(length) as usize;
            }
            let step = self.frame_left.min(sent - place);
            self.frame_left -= step;
            place += step;
        }
        self.conversation.sent(sent);
    }

    fn die(&mut self, now: u64, link: LinkId, host: &mut Host) -> Checked {
        let most = self.random.part(self.conversation.output().len());
        self.send(link, most, host);
        let end = self.random.pick(&[End::Closed, End::Broken, End::Vanished]);
        host.counts.deaths += 1;
        host.counts.deaths_in_frame += u64::from(self.frame_left > 0);
        host.counts.vanished += u64::from(end == End::Vanished);
        self.leave(now, link, end, host);
        Ok(())
    }

    /// Whole frames, perhaps, and then what is none.
    fn send_garbage(&mut self, now: u64, link: LinkId, phase: Phase, host: &mut Host) -> Checked {
        if phase == Phase::Running && self.frame_left == 0 {
            let kind = self.random.pick(&[0, 99, 130, 255]);
            let length = self.random.pick(&[0_u32, 7, 12, u32::MAX]).to_le_bytes();
            let mut garbage = [&length[..], &[kind, 0, 0, 0]].concat();
            garbage.extend(std::iter::repeat_with(|| self.random.bits() as u8).take(50));
            host.send(link, &garbage);
            host.counts.garbage += 1;
        }
        // It waits for the router to end the connection, or goes.
        if phase == Phase::Settling || self.random.once_in(3) {
            self.leave(now, link, End::Closed, host);
        }
        Ok(())
    }
}
