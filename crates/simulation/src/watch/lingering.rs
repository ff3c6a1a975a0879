//! Who is told to go has time to read why, and no more than that.

use std::collections::BTreeMap;

use trunkline_server::event_loop::{IGNORED, LINGER, LINGERING};

use crate::kernel::LinkId;
use crate::link::{End, Link};
use crate::report::{Checked, ensure};

/// What is known of streams that end.
#[derive(Debug, Default)]
pub(super) struct Lingering {
    /// Those that were never taken in, and when they were told so.
    rejected: BTreeMap<LinkId, u64>,
}

impl Lingering {
    pub(super) fn check(&mut self, now: u64, links: &mut BTreeMap<LinkId, Link>) -> Checked {
        for (id, link) in links.iter_mut() {
            let was_reported = std::mem::replace(&mut link.is_reported, link.is_dropped);
            let is_there = matches!(link.client_end, None | Some(End::Vanished));
            let was_rejected = link.is_accepted && link.is_finished && !link.was_watched;
            if was_rejected {
                if !was_reported {
                    self.check_rejected(now, *id, link, is_there)?;
                }
                continue;
            }
            let leaves_by = link.leaves_by;
            let is_late = leaves_by.is_some_and(|by| now >= by) && !link.is_dropped;
            ensure(!is_late, "lingering", || {
                format!("stream {id} has been told to go, and is there beyond its time")
            })?;
            let may_go = leaves_by.is_some_and(|by| now >= by) || link.unused.len() > IGNORED;
            let is_early = link.is_dropped && !was_reported && is_there && !may_go;
            ensure(!is_early, "lingering", || {
                format!(
                    "stream {id} is dropped before its client could read why (it may until {leaves_by:?})"
                )
            })?;
        }
        self.rejected.retain(|id, _| links.get(id).is_some_and(|link| !link.is_dropped));
        let waiting = self.rejected.len();
        ensure(waiting <= LINGERING, "lingering", || {
            format!("{waiting} streams that were not taken in are kept")
        })
    }

    /// Nobody is there beyond its time, though no turn was made.
    pub(super) fn check_asleep(&self, now: u64, links: &BTreeMap<LinkId, Link>) -> Checked {
        for (id, link) in links.iter().filter(|(_, link)| !link.is_dropped) {
            let rejected_by = self.rejected.get(id).map(|since| since + LINGER);
            let by = link.leaves_by.or(rejected_by);
            ensure(by.is_none_or(|by| now < by), "lingering", || {
                format!("stream {id} had to be gone by {by:?}, and the loop sleeps")
            })?;
        }
        Ok(())
    }

    fn check_rejected(&mut self, now: u64, id: LinkId, link: &Link, is_there: bool) -> Checked {
        let others = self.rejected.len();
        let since = *self.rejected.entry(id).or_insert(now);
        let is_over = now >= since + LINGER;
        ensure(link.is_dropped || !is_over, "lingering", || {
            format!("stream {id} was not taken in, and is there beyond its time")
        })?;
        let may_go = is_over || others >= LINGERING;
        ensure(!link.is_dropped || may_go || !is_there, "lingering", || {
            format!("stream {id} was not taken in, and is dropped before its client could read why")
        })
    }
}
