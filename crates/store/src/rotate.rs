//! Rotation: what was stored so far is in complete segments from now on.

use crate::event_sink::{ClockReading, Rejected};
use crate::store::Store;

impl Store {
    /// Begins another segment of the journal, unless nothing was stored or acknowledged since the last time. Returns
    /// the number of the segment before it, which is complete as soon as it has an index.
    ///
    /// # Errors
    ///
    /// The journal is in memory, or there is no room; [`Rejected::Busy`]: the segment's file is being created, try
    /// again.
    pub fn rotate(&mut self, at: ClockReading) -> Result<u32, Rejected> {
        if !self.journal.is_on_disk() {
            let text =
                "the journal is in memory (journal.directory), and has no segments on a disk";
            return Err(Rejected::NotDurable(text.into()));
        }
        let done = self.counts.stored + self.counts.acknowledged;
        if let Some((before, complete)) = self.rotated
            && before == done
        {
            return Ok(complete);
        }
        self.journal.make_room_for_segment()?;
        let complete = self.journal.end().segment;
        self.begin_segment(at)?;
        // The index of the one before can be written once all of it is on disk.
        self.is_urgent = true;
        self.rotated = Some((done, complete));
        Ok(complete)
    }
}
