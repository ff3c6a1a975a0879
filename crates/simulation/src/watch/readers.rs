//! Who waits to be read while who is read.

use std::collections::BTreeMap;

use trunkline_server::event_loop::SHARE;

use crate::kernel::LinkId;
use crate::report::{Checked, ensure};

/// Bytes that one stream may bring while another waits: reading ends with the read that reaches the share,
/// and one read brings a share at most.
const MOST: u64 = 2 * SHARE as u64;

/// All streams that the router reads from.
#[derive(Debug, Default)]
pub(crate) struct Readers(BTreeMap<LinkId, Reader>);

#[derive(Debug, Default)]
struct Reader {
    /// Bytes that it has brought in all.
    total: u64,
    /// What all had brought when it began to wait, if it waits, and the turns since.
    waits: Option<(BTreeMap<LinkId, u64>, u64)>,
    /// The router takes nothing from it for now.
    is_held: bool,
    /// It has been read while it was held.
    was_read: bool,
}

impl Readers {
    /// There is something to read.
    pub(crate) fn is_ready(&mut self, id: LinkId) {
        let totals = self.totals();
        let it = self.0.entry(id).or_default();
        it.waits.get_or_insert((totals, 0));
    }

    fn totals(&self) -> BTreeMap<LinkId, u64> {
        self.0.iter().map(|(id, it)| (*id, it.total)).collect()
    }

    /// It has brought so many bytes, and perhaps there are no more.
    pub(crate) fn read(&mut self, id: LinkId, bytes: usize, is_drained: bool) -> Checked {
        let it = self.0.entry(id).or_default();
        it.total += bytes as u64;
        it.was_read |= it.is_held;
        it.waits = None;
        let total = it.total;
        if !is_drained {
            self.is_ready(id);
        }
        for (other, it) in self.0.iter().filter(|(other, it)| **other != id && !it.is_held) {
            let Some((since, _)) = &it.waits else { continue };
            let brought = total - since.get(&id).copied().unwrap_or(0);
            ensure(brought <= MOST, "fairness", || {
                format!("stream {other} waits to be read while stream {id} brings {brought} bytes")
            })?;
        }
        Ok(())
    }

    /// So many bytes that were left over of it are handled. It is served with them, and read when there are
    /// none left.
    pub(crate) fn is_released(&mut self, id: LinkId, bytes: usize) {
        let it = self.0.entry(id).or_default();
        it.is_held = false;
        if let Some((_, turns)) = it.waits.as_mut().filter(|_| bytes > 0) {
            *turns = 0;
        }
    }

    /// The router has dropped it.
    pub(crate) fn is_gone(&mut self, id: LinkId) {
        self.0.remove(&id);
    }

    /// A turn has ended; says who is held.
    pub(crate) fn end_turn(&mut self, is_held: impl Fn(LinkId) -> bool) -> Checked {
        // Of so many streams a turn reads a few at least.
        let most = 2 + self.0.len() as u64 / 4;
        let totals = self.totals();
        for (id, it) in &mut self.0 {
            let (was_held, was_read) = (it.is_held, std::mem::take(&mut it.was_read));
            it.is_held = is_held(*id);
            ensure(!(was_read && it.is_held), "back-pressure", || {
                format!("stream {id} is read from, though nothing is to be taken from it now")
            })?;
            if it.is_held {
                it.waits = None;
            } else if was_held {
                it.waits.get_or_insert((totals.clone(), 0));
            }
            if let Some((_, turns)) = &mut it.waits {
                *turns += 1;
                ensure(*turns <= most, "fairness", || {
                    format!("stream {id} waits to be read for {turns} turns")
                })?;
            }
        }
        Ok(())
    }
}
