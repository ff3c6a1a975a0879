//! Room: segments that are created, begun and released.

use super::{FOR_MARKS, Journal, Next, RETRY, Rejection, Room, Segment, Task};
use crate::index::Index;
use crate::record::{ALIGNMENT, Address, HEAD, size};
use crate::segment::{SEGMENT_HEAD, SegmentHead};

impl Journal {
    /// Bytes of all segments' files; in memory, the most that they may reach.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether another segment would be too many bytes.
    fn is_over(&self) -> bool {
        self.bytes() + u64::from(self.options.segment_bytes) > self.options.bytes
    }

    /// Bytes beyond the limit (`Options::bytes`), if the checkpoints need more; otherwise the journal could
    /// never continue.
    pub fn excess(&self) -> u64 {
        if self.is_on_disk { self.bytes().saturating_sub(self.options.bytes) } else { 0 }
    }

    /// Why there is no other segment.
    fn over(&self) -> String {
        let bytes = self.options.bytes;
        format!(
            "the journal has reached its limit of {bytes} bytes (journal.bytes), and \
             its messages are not acknowledged yet"
        )
    }

    /// A record without which earlier segments cannot be released finds no room: the next segment may exceed the
    /// limit, by two at most. After a start one is always granted: nothing is added to the segments of an earlier
    /// process, which may have used up both.
    pub fn exceed(&mut self) {
        let most = self.options.bytes.saturating_add(2 * u64::from(self.options.segment_bytes));
        let is_within = self.bytes + u64::from(self.options.segment_bytes) <= most;
        self.may_exceed = is_within || !self.has_current();
        if let (true, Next::Full(_, retry_at)) = (self.may_exceed && self.is_over(), &mut self.next)
        {
            *retry_at = 0;
        }
    }

    /// Segments that are never released: the current one, and on a disk the one before it, since the
    /// checkpoint can be read from that one too.
    fn stays(&self) -> usize {
        1 + usize::from(self.is_on_disk)
    }

    /// Whether there are segments that could be released.
    pub fn has_old(&self) -> bool {
        self.segments.len() > self.stays()
    }

    /// Why nothing is accepted for now.
    pub fn shortage(&self) -> Option<&str> {
        match &self.next {
            Next::Full(why, _) => Some(why),
            _ => None,
        }
    }

    /// Whether the file of the next segment is being created.
    pub fn is_trying(&self) -> bool {
        matches!(self.next, Next::Requested | Next::Held(_))
    }

    /// The longest body of a record: half a segment.
    pub fn record_bytes(&self) -> usize {
        (self.options.segment_bytes as usize - SEGMENT_HEAD - FOR_MARKS) / 2
    }

    /// The longest body of a record that begins a segment: all of it, except the room for marks.
    pub fn first_bytes(&self) -> usize {
        let room = self.options.segment_bytes as usize - SEGMENT_HEAD - FOR_MARKS;
        room / ALIGNMENT * ALIGNMENT - HEAD
    }

    /// Makes room for a record with a body of so many bytes. If the room is in a new segment, begin that
    /// first: see [`Self::begin_segment`].
    ///
    /// # Errors
    ///
    /// There is no room, or the record is too long.
    pub fn make_room(&mut self, bytes: usize) -> Result<Room, Rejection> {
        if let Some(why) = &self.failed {
            return Err(Rejection::Failed(why.clone()));
        }
        let limit = self.record_bytes();
        if bytes > limit {
            return Err(Rejection::TooLong { bytes, limit });
        }
        // One record is accepted whatever the limit is.
        if self.is_on_disk && self.tail.pending() >= self.options.pending_bytes.max(1) {
            return Err(Rejection::Busy);
        }
        let end = self.tail.end().offset as usize + size(bytes);
        if self.has_current() && end + FOR_MARKS <= self.options.segment_bytes as usize {
            return Ok(Room::Here);
        }
        self.has_next().map(|()| Room::NewSegment)
    }

    /// Whether the last segment belongs to this process.
    pub(super) fn has_current(&self) -> bool {
        self.segments.back().is_some_and(|last| last.number == self.tail.end().segment)
    }

    /// Whether the next segment can be begun.
    fn has_next(&mut self) -> Result<(), Rejection> {
        if !self.is_on_disk {
            let is_full = self.is_over() && !self.may_exceed;
            self.next = if is_full { Next::Full(self.over(), 0) } else { Next::Ready };
        }
        match &self.next {
            Next::Ready => Ok(()),
            Next::None | Next::Requested => Err(Rejection::Busy),
            // The current one is full, so no record can be added to it.
            Next::Held(_) => {
                (self.next, self.is_wanted) = (Next::Held(0), true);
                Err(Rejection::Busy)
            }
            Next::Full(why, _) => Err(Rejection::Full(why.clone())),
        }
    }

    /// Makes room for a new segment although the current one is not full: begin it with [`Self::begin_segment`].
    ///
    /// # Errors
    ///
    /// There is no room for it; [`Rejection::Busy`]: its file is being created.
    pub fn make_room_for_segment(&mut self) -> Result<(), Rejection> {
        if let Some(why) = &self.failed {
            return Err(Rejection::Failed(why.clone()));
        }
        let room = match &self.next {
            Next::Ready => Ok(()),
            Next::None | Next::Requested => Err(Rejection::Busy),
            // A record would be worth a segment beyond the limit.
            Next::Held(_) => Err(Rejection::Full(self.over())),
            Next::Full(why, _) => Err(Rejection::Full(why.clone())),
        };
        self.is_rotating = matches!(room, Err(Rejection::Busy));
        room
    }

    /// Begins the segment for which [`Self::make_room`] has found room, with a record of this kind and
    /// body, which must contain everything that earlier segments say besides their messages.
    ///
    /// # Errors
    ///
    /// The record does not fit into a segment ([`Self::first_bytes`]), or there is no room for a segment;
    /// then nothing has changed.
    pub fn begin_segment(
        &mut self,
        time: u64,
        first: Option<(u8, &[u8])>,
    ) -> Result<(), Rejection> {
        self.begin_segment_since(time, first, self.next_segment())
    }

    /// Number of the segment that [`Self::begin_segment`] begins.
    pub fn next_segment(&self) -> u32 {
        self.tail.end().segment + u32::from(self.has_current())
    }

    /// Recovery needs all records from this segment on.
    pub fn since(&self) -> u32 {
        self.since
    }

    /// The records from a segment on, up to the last one, contain a complete checkpoint.
    pub fn set_since(&mut self, segment: u32) {
        self.since = segment;
        self.known.push_back((segment, self.last()));
        let on_disk = self.known.iter().filter(|(_, position)| *position <= self.durable);
        let older = on_disk.count().saturating_sub(2);
        self.known.drain(..older);
    }

    /// Begins a segment as [`Self::begin_segment`] does, with a first record that may not be a complete
    /// checkpoint: the records from the segment `since` on are. If that record completes the checkpoint, `since`
    /// differs from [`Self::since`].
    ///
    /// # Errors
    ///
    /// Those of [`Self::begin_segment`].
    pub fn begin_segment_since(
        &mut self,
        time: u64,
        first: Option<(u8, &[u8])>,
        since: u32,
    ) -> Result<(), Rejection> {
        if let Some(why) = &self.failed {
            return Err(Rejection::Failed(why.clone()));
        }
        let (bytes, limit) = (first.map_or(0, |(_, body)| body.len()), self.first_bytes());
        if bytes > limit {
            return Err(Rejection::TooLong { bytes, limit });
        }
        self.has_next()?;
        if self.has_current() {
            let number = self.tail.end().segment + 1;
            self.tail.move_to(Address { segment: number, offset: SEGMENT_HEAD as u32 });
        }
        let number = self.tail.end().segment;
        let index = Index { end: SEGMENT_HEAD as u32, ..Index::default() };
        let bytes = self.options.segment_bytes.into();
        self.add_segment(Segment { number, index, bytes, is_sealed: false });
        (self.next, self.is_wanted, self.is_retained) = (Next::None, false, false);
        self.may_exceed = false;
        self.is_rotating = false;
        if let Some((kind, body)) = first {
            self.append(time, kind, &[body]);
            if since == number || since != self.since {
                self.set_since(since);
            }
        }
        Ok(())
    }

    /// Whether the next segment has to be created, sooner or later.
    fn is_next_wanted(&self) -> bool {
        match &self.next {
            Next::None => {
                let half = self.options.segment_bytes / 2;
                !self.has_current() || self.tail.end().offset >= half || self.is_rotating
            }
            Next::Full(..) | Next::Held(_) => true,
            Next::Requested | Next::Ready => false,
        }
    }

    /// Whether it is time for the next segment.
    fn is_next_due(&self, now: u64) -> bool {
        let is_time = match &self.next {
            Next::Full(_, retry_at) | Next::Held(retry_at) => now >= *retry_at,
            _ => true,
        };
        is_time && self.is_next_wanted() && self.failed.is_none() && !self.is_closed
    }

    /// Whether it is time for the next segment, and the limit leaves no room for it: call [`Self::retain`]
    /// to release unneeded segments before [`Self::next_task`].
    pub fn wants_room(&self, now: u64) -> bool {
        let is_tried = if self.is_on_disk { self.task.is_some() } else { self.is_retained };
        !is_tried && (self.has_no_room || self.is_next_due(now) && self.is_over())
    }

    /// The file of the next segment, if it is time for it.
    pub(super) fn prepare(&mut self, now: u64) -> Option<Task> {
        if !self.is_next_due(now) {
            return None;
        }
        if self.is_over() && !self.is_held_by_known && !self.may_exceed {
            self.next = Next::Full(self.over(), now.saturating_add(RETRY));
            return None;
        }
        // The checkpoint may still be completed in the current one, and the first segment go. If the
        // current one has no room left for it, one segment more than the limit is created, or the journal
        // could never continue: a record without room does not wait until the next check.
        if self.is_over() && !self.is_wanted && !self.may_exceed {
            self.next = Next::Held(now.saturating_add(RETRY));
            return None;
        }
        self.next = Next::Requested;
        let segment = self.tail.end().segment + u32::from(self.has_current());
        let (journal, bytes) = (self.number, self.options.segment_bytes);
        let head = SegmentHead { number: segment, journal, time: self.time, bytes }.write();
        Some(Task::Prepare { segment, head, bytes })
    }

    /// Releases segments without positions needed from `needed` on, if they are old, there are too many, or
    /// the disk had no room for another. Returns the first remaining position.
    pub fn retain(&mut self, time: u64, needed: u64) -> u64 {
        let mut makes_room = std::mem::take(&mut self.has_no_room);
        while self.has_old() {
            let is_old = self.segments[0].index.last_time.saturating_add(self.options.keep) <= time;
            let is_short = makes_room || self.is_over() && self.is_next_wanted();
            // Two checkpoints are kept, unless there is no room for them.
            let times = if is_short { 1 } else { 2 };
            let may_go = is_old || makes_room || self.is_over();
            if !may_go || self.is_first_needed(needed, times) {
                break;
            }
            makes_room = false;
            self.remove_first();
        }
        self.is_retained = true;
        let first = self.segments.front().filter(|_| self.is_on_disk && self.has_old());
        self.is_held_by_known = first.is_some_and(|it| it.index.last < needed);
        self.first()
    }

    /// Whether the first segment has something that is needed. On a disk that includes the checkpoint,
    /// until later segments contain it so many times.
    fn is_first_needed(&self, needed: u64, times: usize) -> bool {
        let first = &self.segments[0];
        if !self.is_on_disk || first.index.last >= needed {
            return first.index.last >= needed;
        }
        let mut on_disk = self.known.iter().rev().filter(|(_, position)| *position <= self.durable);
        // If that is on disk, so are all earlier segments.
        on_disk.nth(times - 1).is_none_or(|(segment, _)| first.number >= *segment)
    }

    pub(super) fn add_segment(&mut self, segment: Segment) {
        self.bytes += segment.bytes;
        self.segments.push_back(segment);
    }

    fn remove_first(&mut self) {
        let Some(first) = self.segments.pop_front() else { return };
        self.bytes -= first.bytes;
        self.tail.forget_segment(first.number);
        self.reads.forget_segment(first.number);
        if !self.is_on_disk {
            self.next = Next::None;
            return;
        }
        self.tasks.push_back(Task::Remove { segment: first.number });
        if let Next::Full(_, retry_at) | Next::Held(retry_at) = &mut self.next {
            *retry_at = 0;
        }
    }

    /// Position of the first record, or of the next one.
    pub fn first(&self) -> u64 {
        let first = self.segments.iter().find(|it| it.index.records > 0);
        first.map_or(self.position, |first| first.index.first)
    }

    /// The start of the first segment such that it and all later ones have at most so many bytes; at least
    /// the last one.
    pub fn within(&self, bytes: u64) -> Address {
        let mut rest = bytes;
        let mut segment = self.tail.end().segment;
        for (number, it) in self.segments.iter().rev().enumerate() {
            if number > 0 && it.bytes > rest {
                break;
            }
            rest = rest.saturating_sub(it.bytes);
            segment = it.number;
        }
        Address { segment, offset: SEGMENT_HEAD as u32 }
    }
}
