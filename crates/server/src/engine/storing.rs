//! Guaranteed delivery as the loop sees it: work for the disk, and what comes of it.

use trunkline_journal::{Commit, Done, Task};
use trunkline_store::{ProducerId, Store};

use super::{ConnectionId, Engine, Timer};

impl Engine {
    /// The store, to look at.
    pub fn store(&self) -> &Store {
        &self.storage.store
    }

    /// The next records to write, if there are any to write now. Their outcome is for
    /// [`Engine::committed`].
    #[inline]
    pub fn next_commit(&mut self, now: u64) -> Option<Commit> {
        let at = self.storage.clock_reading(now);
        self.storage.store.next_commit(at)
    }

    /// Whether [`Engine::next_commit`] has records to write now.
    #[inline]
    pub fn wants_commit(&self, now: u64) -> bool {
        self.storage.store.wants_commit(self.storage.clock_reading(now))
    }

    /// Bytes that wait for the disk.
    #[inline]
    pub fn pending_bytes(&self) -> usize {
        self.storage.store.journal().pending()
    }

    /// What came of the commit.
    pub fn committed(&mut self, now: u64, result: Result<(), String>) {
        let before = self.storage.store.journal().failure().is_some();
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        store.committed(at, result, &mut sink);
        if !before && let Some(why) = self.storage.store.journal().failure() {
            tracing::error!(why, "the journal has failed: nothing more is stored or acknowledged");
        }
        self.state.held.release_for_storage();
        self.set_room_timers();
    }

    /// The next background task for the disk: one read and one other are under way at most. Their outcomes are
    /// for [`Engine::task_done`].
    #[inline]
    pub fn next_task(&mut self, now: u64) -> Option<Task> {
        let at = self.storage.clock_reading(now);
        let task = self.storage.store.next_task(at);
        self.look_for_room(now);
        task
    }

    /// What came of the background task.
    pub fn task_done(&mut self, now: u64, done: Done) {
        if let (Done::Failed(why) | Done::Unread(why), None) = (&done, &self.storage.shortage) {
            tracing::warn!(why, "the journal's disk");
        }
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        store.task_done(at, done, &mut sink);
        self.look_for_room(now);
        self.state.held.release_for_storage();
        self.set_room_timers();
    }

    /// Whether records are still to be written, or are being.
    pub fn has_work(&self) -> bool {
        let journal = self.storage.store.journal();
        journal.pending() > 0 && journal.failure().is_none() || journal.is_at_work()
    }

    /// Ends the store well: what [`Engine::next_commit`] gives from now on is the last.
    pub fn close_store(&mut self, now: u64) {
        let at = self.storage.clock_reading(now);
        self.storage.store.close(at);
    }

    /// Producers are told what is acknowledged.
    pub(super) fn settle(&mut self, now: u64) {
        let (store, _, mut sink) = self.storage.parts(now, &mut self.router);
        store.settle(&mut sink);
        self.look_for_room(now);
        self.set_room_timers();
    }

    /// A client can take more: first what has waited for whoever reads payloads. Returns how many of these it gets.
    pub(super) fn make_deliveries(&mut self, now: u64, id: ConnectionId) -> usize {
        let (client, mut sent, mut behind) = (id.as_u64(), 0, None);
        while let Some(subscription) = self.storage.deferred.line_from(client, behind) {
            sent += self.send_deferred(now, (client, subscription));
            behind = Some(subscription);
        }
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        store.client_has_room(at, client, &mut sink);
        self.have_turns(now, client);
        self.set_room_timers();
        sent
    }

    /// Sends what has waited for whoever reads payloads, to those consumers for which there is some now. Returns how many
    /// deliveries that made.
    pub(super) fn send_due(&mut self, now: u64) -> usize {
        // What becomes due meanwhile has its turn later.
        let due = self.storage.deferred.take_due();
        let sent = due.iter().map(|number| self.send_deferred(now, *number)).sum();
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        store.consumers_have_room(at, due, &mut sink);
        for client in self.storage.deferred.take_freed() {
            self.have_turns(now, client);
        }
        self.set_room_timers();
        sent
    }

    /// Sends what has waited for a consumer and can go. Returns how many deliveries that made.
    fn send_deferred(&mut self, now: u64, number: (u64, u32)) -> usize {
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        sink.send_deferred(store, at, number)
    }

    /// Consumers of a client that found no room, since others of it had that, take what there is now, one after the other.
    fn have_turns(&mut self, now: u64, client: u64) {
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        while let Some(subscription) = sink.next_turn(client) {
            store.consumers_have_room(at, [(client, subscription)], &mut sink);
        }
    }

    pub(super) fn advance_store(&mut self, now: u64) {
        if self.storage.next_deadline().is_none_or(|due| now < due) {
            return;
        }
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        store.advance(at, &mut sink);
        self.look_for_room(now);
        self.set_room_timers();
    }

    /// A client is gone, or about to be: it publishes and consumes no more.
    pub(super) fn leave_store(&mut self, now: u64, id: ConnectionId, producer: Option<ProducerId>) {
        if let Some(producer) = producer {
            self.storage.store.leave(producer);
        }
        if self.storage.consumers.of(id) > 0 {
            self.storage.consumers.end_all(id);
            self.storage.deferred.end_all(id.as_u64());
            let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
            store.disconnect(at, id.as_u64(), &mut sink);
            self.set_room_timers();
        }
    }

    pub(super) fn set_room_timers(&mut self) {
        while let Some((at, id)) = self.storage.next_alarm() {
            self.state.set_timer(at, id, Timer::Room);
        }
    }
}
