//! A journal without room: told when it begins and when it is over, and not in between.

use tracing::{error, info, warn};

use super::Engine;

/// Producers are refused for want of room.
#[derive(Debug)]
pub(crate) struct Shortage {
    /// As the disk or the journal says it, at last.
    pub(crate) why: String,
    since: u64,
    /// Messages that had been refused before.
    refused: u64,
}

impl Engine {
    /// Sees whether there is room. That another try is under way changes nothing.
    #[inline]
    pub(super) fn look_for_room(&mut self, now: u64) {
        if self.keeper.shortage.is_some() || self.keeper.store.journal().shortage().is_some() {
            self.compare_room(now);
        }
    }

    #[cold]
    fn compare_room(&mut self, now: u64) {
        let store = &self.keeper.store;
        let refused = store.counts().refused;
        match (store.journal().shortage(), &mut self.keeper.shortage) {
            (Some(why), None) => {
                error!(why, "the journal has no room: producers are refused");
                self.keeper.shortage = Some(Shortage { why: why.to_owned(), since: now, refused });
            }
            (Some(why), Some(it)) if it.why != why => why.clone_into(&mut it.why),
            (None, Some(it)) if !store.journal().is_trying() => {
                let lasted = std::time::Duration::from_nanos(now.saturating_sub(it.since));
                let refused = refused - it.refused;
                info!(refused, ?lasted, "the journal has room again");
                self.keeper.shortage = None;
            }
            _ => {}
        }
    }

    /// Says when the journal begins to take more than it may have, and when that is over.
    pub(super) fn look_for_excess(&mut self) {
        let journal = self.keeper.store.journal();
        let (bytes, excess) = (journal.bytes(), journal.excess());
        match (excess > 0, self.keeper.has_excess) {
            (true, false) => warn!(
                bytes,
                excess,
                "the journal takes more than journal.bytes: what is known of producers and subscriptions has to be \
                 in it once more before segments can go"
            ),
            (false, true) => info!(bytes, "the journal takes no more than journal.bytes again"),
            _ => return,
        }
        self.keeper.has_excess = excess > 0;
    }
}
