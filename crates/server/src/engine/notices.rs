//! What clients are told of the router itself: that it is drained for maintenance, and that it is in service again.

use trunkline_native::{Notice, code};
use trunkline_session::router::SessionRenderer as _;

use super::Engine;

/// Clients that are told in a turn.
const CLIENTS: usize = 256;

/// What is to be told.
#[derive(Debug, Default)]
pub(super) struct Notices {
    /// Why the router is drained, while it is.
    drain: Option<String>,
    /// The place of the client that is looked at next, while some are to be told.
    place: Option<usize>,
}

impl Notices {
    /// A client is there from now on, and may have to be told.
    pub(super) fn greeted(&mut self, place: usize) {
        if self.drain.is_some() {
            self.place = Some(self.place.map_or(place, |it| it.min(place)));
        }
    }

    /// Whether there are clients to be told.
    pub(super) fn has_more(&self) -> bool {
        self.place.is_some()
    }
}

impl Engine {
    /// The router is drained for maintenance from now on, or not any more: clients are told.
    pub(crate) fn tell_of_drain(&mut self, reason: Option<&str>) {
        self.state.notices = Notices { drain: reason.map(str::to_owned), place: Some(0) };
    }

    /// Tells some more.
    pub(super) fn continue_notices(&mut self) {
        let Some(place) = self.state.notices.place else { return };
        let reason = self.state.notices.drain.as_deref();
        let notice = Notice {
            code: if reason.is_some() { code::DRAINING } else { code::IN_SERVICE },
            text: reason.unwrap_or_default(),
        };
        let end = self.connections.len().min(place.saturating_add(CLIENTS));
        for connection in self.connections.get_mut(place..end).into_iter().flatten().flatten() {
            let it = &mut connection.client_session;
            // Of the end those are told that were told of the drain.
            if it.is_greeted && !it.is_closing && it.knows_of_drain != reason.is_some() {
                it.knows_of_drain = reason.is_some();
                self.router.control(it.id, |output, out| output.renderer.notice(out, &notice));
            }
        }
        self.state.notices.place = (end < self.connections.len()).then_some(end);
    }
}
