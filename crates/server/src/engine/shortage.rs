//! A journal without room: logged when this begins and when it ends, and not in between.

use tracing::{error, info, warn};

use super::Engine;

/// Producers are rejected because the journal has no room.
#[derive(Debug)]
pub(crate) struct Shortage {
    /// As the disk or the journal says it, at last.
    pub(crate) why: String,
    since: u64,
    /// Messages that had been rejected before.
    rejected: u64,
}

impl Engine {
    /// Sees whether there is room, and whether the journal takes more than it may. That another try is under way
    /// changes nothing.
    #[inline]
    pub(super) fn look_for_room(&mut self, now: u64) {
        let journal = self.storage.store.journal();
        let has_excess = journal.excess() > 0;
        if self.storage.shortage.is_some() || journal.shortage().is_some() {
            self.compare_room(now);
        }
        if has_excess != self.storage.has_excess {
            self.tell_excess(has_excess);
        }
    }

    #[cold]
    fn compare_room(&mut self, now: u64) {
        let store = &self.storage.store;
        let rejected = store.counts().rejected;
        match (store.journal().shortage(), &mut self.storage.shortage) {
            (Some(why), None) => {
                error!(why, "the journal has no room: producers are rejected");
                self.storage.shortage =
                    Some(Shortage { why: why.to_owned(), since: now, rejected });
            }
            (Some(why), Some(it)) if it.why != why => why.clone_into(&mut it.why),
            (None, Some(it)) if !store.journal().is_trying() => {
                let lasted = std::time::Duration::from_nanos(now.saturating_sub(it.since));
                let rejected = rejected - it.rejected;
                info!(rejected, ?lasted, "the journal has room again");
                self.storage.shortage = None;
            }
            _ => {}
        }
    }

    /// Logs that the journal begins to exceed `journal.bytes`, or that this is over.
    #[cold]
    fn tell_excess(&mut self, has_excess: bool) {
        self.storage.has_excess = has_excess;
        let journal = self.storage.store.journal();
        let (bytes, excess) = (journal.bytes(), journal.excess());
        if has_excess {
            warn!(
                bytes,
                excess,
                "the journal takes more than journal.bytes: a checkpoint has to be \
                 complete, or dead letters stored, before segments can be removed"
            );
        } else {
            info!(bytes, "the journal is within journal.bytes again");
        }
    }
}
