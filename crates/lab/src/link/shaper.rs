//! When bytes that enter a link come out of it. No clock and no socket: times are given, in
//! nanoseconds since any start.

use std::collections::VecDeque;

use trunkline_experiment::link::{Link, SEGMENT_PAYLOAD};

/// Bytes that may wait before a link, beside those that are on their way.
const QUEUE: u64 = 256 << 10;
/// Bytes that one [`Shaper`] holds at most, whatever the link.
const MOST_QUEUE: u64 = 16 << 20;
/// Bits per second that a link without a rate is taken to have, for the length of its queue only.
const UNLIMITED: u64 = 10_000_000_000;

/// One direction of a link: one segment after the other, in the order in which they came.
///
/// All connections through the link share it.
#[derive(Debug)]
pub struct Line {
    link: Link,
    /// When the last segment that was taken on is sent.
    free_at: u64,
    /// Sum of the times of all segments.
    busy: u64,
}

impl Line {
    /// A line with nothing on it.
    pub fn new(link: Link) -> Self {
        Self { link, free_at: 0, busy: 0 }
    }

    /// Nanoseconds for which all segments so far keep this line busy.
    pub fn busy_nanoseconds(&self) -> u64 {
        self.busy
    }

    /// Sends a segment as soon as the line is free.
    fn send(&mut self, now: u64, length: usize, is_end: bool) -> Segment {
        let start = now.max(self.free_at);
        let mut segment = Segment { start, sent: start, length: 0, is_end };
        self.fill(&mut segment, length);
        segment
    }

    /// Puts more bytes into the last segment that was taken on.
    fn fill(&mut self, segment: &mut Segment, more: usize) {
        let before = segment.sent - segment.start;
        segment.length += more;
        let after = self.link.frame_nanoseconds(segment.length as u64);
        segment.sent = segment.start.saturating_add(after);
        self.free_at = segment.sent;
        self.busy = self.busy.saturating_add(after.saturating_sub(before));
    }

    /// True if the segment is the last that was taken on and has not begun.
    fn may_fill(&self, segment: &Segment, now: u64) -> bool {
        segment.start > now && segment.sent == self.free_at
    }
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// When its first bit is sent.
    start: u64,
    /// When its last bit, and the gap after it, are sent.
    sent: u64,
    length: usize,
    /// Carries the end of the stream.
    is_end: bool,
}

/// The bytes of one connection in one direction, from the moment they enter the link until they
/// are taken from its far end.
///
/// Bytes are cut into segments of [`SEGMENT_PAYLOAD`]. As of a sender with TCP_NODELAY, a segment
/// leaves at once if the line is free, full or not. While the line is busy, the last segment that
/// waits is filled up by the bytes that follow, as TCP fills what it has not sent yet. So a busy line
/// carries full segments, no matter how quickly the bytes were handed over.
///
/// A segment arrives as a whole, when its last bit and the gap that follows have been sent and
/// the delay is over.
#[derive(Debug)]
pub struct Shaper {
    delay: u64,
    capacity: usize,
    /// Bytes that have arrived and were not taken, then those of `segments`.
    bytes: VecDeque<u8>,
    arrived: usize,
    segments: VecDeque<Segment>,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Open,
    OnItsWay,
    Arrived,
}

impl Shaper {
    /// With room for what can be on its way, the link's rate times its delay, and 256 KiB before
    /// it; 16 MiB at most.
    pub fn new(link: Link) -> Self {
        let rate = link.rate.map_or(UNLIMITED, std::num::NonZero::get);
        let on_its_way = link.delay.as_nanos() * u128::from(rate) / 8 / 1_000_000_000;
        let on_its_way = u64::try_from(on_its_way).unwrap_or(u64::MAX);
        let capacity = on_its_way.saturating_add(QUEUE).min(MOST_QUEUE);
        Self::with_capacity(link, capacity as usize)
    }

    /// With room for `capacity` bytes.
    pub fn with_capacity(link: Link, capacity: usize) -> Self {
        Self {
            delay: link.delay_nanoseconds(),
            capacity,
            bytes: VecDeque::new(),
            arrived: 0,
            segments: VecDeque::new(),
            end: End::Open,
        }
    }

    /// How many bytes it would take now. Those that were not taken from the far end count, so that
    /// a receiver that does not read holds up the sender.
    pub fn room(&self) -> usize {
        if self.end == End::Open { self.capacity.saturating_sub(self.bytes.len()) } else { 0 }
    }

    /// Bytes enter the link; the answer is how many did, which is fewer where room is short.
    ///
    /// Times may not go back from call to call: a segment is never sent before one that was taken
    /// on earlier.
    pub fn push(&mut self, line: &mut Line, now: u64, bytes: &[u8]) -> usize {
        let bytes = &bytes[..bytes.len().min(self.room())];
        self.bytes.extend(bytes);
        let mut rest = bytes.len();
        if let Some(last) = self.segments.back_mut()
            && line.may_fill(last, now)
        {
            let more = rest.min(SEGMENT_PAYLOAD - last.length);
            line.fill(last, more);
            rest -= more;
        }
        while rest > 0 {
            let length = rest.min(SEGMENT_PAYLOAD);
            self.segments.push_back(line.send(now, length, false));
            rest -= length;
        }
        bytes.len()
    }

    /// The stream ends: on the segment that waits, if there is one, else on one of its own. What is
    /// pushed later is not taken.
    pub fn end(&mut self, line: &mut Line, now: u64) {
        if self.end != End::Open {
            return;
        }
        self.end = End::OnItsWay;
        match self.segments.back_mut() {
            Some(last) if line.may_fill(last, now) => last.is_end = true,
            _ => self.segments.push_back(line.send(now, 0, true)),
        }
    }

    /// When the next segment arrives; None if none is on its way.
    pub fn next_release(&self) -> Option<u64> {
        self.segments.front().map(|segment| self.arrival(segment))
    }

    fn arrival(&self, segment: &Segment) -> u64 {
        segment.sent.saturating_add(self.delay)
    }

    /// Lets in what has arrived by now; [`Self::arrived`] and [`Self::has_ended`] show it.
    pub fn release(&mut self, now: u64) {
        while let Some(segment) = self.segments.front().copied()
            && self.arrival(&segment) <= now
        {
            self.segments.pop_front();
            self.arrived += segment.length;
            if segment.is_end {
                self.end = End::Arrived;
            }
        }
    }

    /// The first of the bytes that have arrived and were not taken; empty only if there are none.
    pub fn arrived(&self) -> &[u8] {
        let first = self.bytes.as_slices().0;
        &first[..first.len().min(self.arrived)]
    }

    /// Takes the first `count` of [`Self::arrived`], or all if there are fewer.
    pub fn take(&mut self, count: usize) {
        let count = count.min(self.arrived);
        self.bytes.drain(..count);
        self.arrived -= count;
    }

    /// True if the end has arrived and every byte before it was taken.
    pub fn has_ended(&self) -> bool {
        self.end == End::Arrived && self.arrived == 0
    }
}

#[cfg(test)]
mod tests;
