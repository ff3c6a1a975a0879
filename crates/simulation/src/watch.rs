//! Watching the event loop itself: whom it reads from and writes to, and when.

mod lingering;
mod readers;

use std::collections::BTreeMap;

use trunkline_server::event_loop::SHARE;
use trunkline_server::platform::Deadline;
use trunkline_server::{ConnectionId, EventLoop};

use crate::host::failed;
use crate::kernel::{Kernel, LinkId};
use crate::report::{Checked, Violation, ensure, violation};
use crate::simulated::{SharedKernel, Simulated};

use lingering::Lingering;
pub(crate) use readers::Readers;

/// How many turns may be due at one time.
const MOST_TURNS: u32 = 2_000;

/// How many turns in a row may do nothing, while the loop says that there is something to do.
const MOST_IDLE: u32 = 3;

/// For how many turns there may be output and room.
const MOST_UNWRITTEN: u64 = 3;

/// The turns at one time.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    made: u32,
    idle: u32,
    is_busy: bool,
}

impl Turns {
    /// Whether the loop has something to do now. It comes to an end, and no turn is made for nothing.
    pub(crate) fn is_due(
        &mut self,
        event_loop: &EventLoop<Simulated>,
        kernel: &SharedKernel,
    ) -> Result<bool, Violation> {
        let kernel = kernel.borrow();
        let is_idle = self.is_busy && !kernel.has_moved;
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        ensure(self.idle <= MOST_IDLE, "back-pressure", || {
            format!("the loop does not sleep, and {} turns have done nothing", self.idle)
        })?;
        let deadline = event_loop.deadline();
        self.is_busy = deadline == Deadline::Now;
        self.made += 1;
        if self.made > MOST_TURNS {
            let what = format!("{MOST_TURNS} turns are not enough for one moment");
            return violation("back-pressure", what);
        }
        Ok(kernel.has_pending()
            || match deadline {
                Deadline::Now => true,
                Deadline::At(time) => time <= kernel.now,
                Deadline::Never => false,
            })
    }
}

/// What is known of a loop.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    lingering: Lingering,
}

impl Watch {
    /// Lets the loop make a turn, and says which streams it ends from now on.
    pub(crate) fn turn(
        &mut self,
        event_loop: &mut EventLoop<Simulated>,
        kernel: &SharedKernel,
    ) -> Result<Vec<LinkId>, Violation> {
        kernel.borrow_mut().has_moved = false;
        event_loop.turn().map_err(failed)?;
        let kernel = &mut *kernel.borrow_mut();
        kernel.check()?;
        let ids: BTreeMap<LinkId, ConnectionId> =
            event_loop.streams().map(|(id, stream)| (stream.link, id)).collect();
        let ended = note_ended(event_loop, kernel, &ids);
        check_served(event_loop, kernel, &ids)?;
        let engine = event_loop.engine();
        kernel.readers.end_turn(|link| ids.get(&link).is_some_and(|id| engine.is_held(*id)))?;
        self.lingering.check(kernel.now, &mut kernel.links)?;
        Ok(ended)
    }
}

impl Watch {
    /// Nobody is there beyond its time while the loop sleeps.
    pub(crate) fn check_asleep(&self, kernel: &Kernel) -> Checked {
        self.lingering.check_asleep(kernel.now, &kernel.links)
    }
}

/// Bytes by which a turn may exceed the ceiling: what it takes in.
const OF_A_TURN: usize = 1 << 20;

/// Learns whom the router ends, and by when they have to be gone.
fn note_ended(
    event_loop: &EventLoop<Simulated>,
    kernel: &mut Kernel,
    ids: &BTreeMap<LinkId, ConnectionId>,
) -> Vec<LinkId> {
    let (engine, mut ended) = (event_loop.engine(), Vec::new());
    let view = engine.router().view();
    for (link, id) in ids {
        if let Some(it) = kernel.links.get_mut(link)
            && it.leaves_by.is_none()
            && view.client(*id).is_some_and(|client| client.is_closing)
        {
            it.leaves_by = Some(kernel.now + engine.linger(*id));
            ended.push(*link);
        }
    }
    ended
}

/// Nobody waits while the loop sleeps, and little is kept of anybody.
fn check_served(
    event_loop: &EventLoop<Simulated>,
    kernel: &mut Kernel,
    ids: &BTreeMap<LinkId, ConnectionId>,
) -> Checked {
    let engine = event_loop.engine();
    let memory = engine.router().view().memory();
    ensure(memory.all() <= memory.limit.saturating_add(OF_A_TURN), "ceiling", || {
        format!("it does not hold: {memory:?}")
    })?;
    let sleeps = event_loop.deadline() != Deadline::Now && !kernel.has_pending();
    let most_kept = engine.config().limits.frame_bytes as usize + 2 * SHARE;
    for (link, id) in ids {
        let Some(it) = kernel.links.get_mut(link) else { continue };
        let is_unwritten = !engine.output(*id).is_empty() && !it.is_full && !it.is_finished;
        let was_written = !it.written.is_empty();
        it.unwritten = if is_unwritten && !was_written { it.unwritten + 1 } else { 0 };
        ensure(!(is_unwritten && sleeps), "fairness", || {
            format!("stream {link} has output and room for it, and the loop sleeps")
        })?;
        ensure(it.unwritten <= MOST_UNWRITTEN, "fairness", || {
            format!("stream {link} has output and room for it after {} turns", it.unwritten)
        })?;
        ensure(!(sleeps && it.session.held() > 0 && !it.is_full), "fairness", || {
            format!("stream {link} holds output and has room for it, and the loop sleeps")
        })?;
        let is_unread = it.readable() > 0 && !engine.is_held(*id);
        ensure(!(is_unread && sleeps), "fairness", || {
            format!("stream {link} has bytes to read, and the loop sleeps")
        })?;
        let is_bounded = it.leaves_by.is_some() || it.unused.len() <= most_kept;
        ensure(is_bounded, "back-pressure", || {
            format!("the loop keeps {} bytes of stream {link}", it.unused.len())
        })?;
    }
    Ok(())
}
