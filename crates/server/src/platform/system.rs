//! The world of the operating system.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_journal::{Commit, Outcome, Task, Workers};
use trunkline_reactor::{self as reactor, Address, Event, Idle, Reactor};
use trunkline_security::PasswordCheck;

use super::{Deadline, Listener, Platform, Received, Sent, Stream, tls_memory};
use crate::Protocol;
use crate::engine::Peer;
use crate::formats::{ConversionOrder, Converted};
use crate::server::{Command, Conversions, Descriptors, Passwords, Shared, since_1970};
use crate::threads::Poller;

/// Sockets and shared memory, clocks, threads for the disk, and what other threads ask for.
pub(crate) struct SystemPlatform {
    pub(crate) reactor: Reactor,
    /// Do what the journal wants done, if it is on a disk.
    pub(crate) workers: Option<Workers>,
    pub(crate) passwords: Passwords,
    pub(crate) conversions: Conversions,
    pub(crate) epoch: Instant,
    pub(crate) descriptors: Descriptors,
    pub(crate) shared: Arc<Shared>,
}

impl Stream for reactor::Stream {
    #[inline]
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<Received> {
        match self.read(bytes) {
            Ok(0) => Ok(Received { bytes: 0, more: false }),
            Ok(count) => {
                Ok(Received { bytes: count, more: count == bytes.len() || self.has_more() })
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && self.has_more() => {
                Ok(Received { bytes: 0, more: true })
            }
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<Sent> {
        let count = self.write(bytes)?;
        Ok(Sent { bytes: count, blocked: count < bytes.len() || self.is_holding() })
    }

    #[inline]
    fn flush(&mut self) -> io::Result<bool> {
        self.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.finish()
    }

    fn bound_buffers(&mut self) -> io::Result<()> {
        self.bound_buffers()
    }

    fn under_way(&self) -> Option<usize> {
        self.under_way()
    }

    fn peer(&self) -> Peer {
        Peer { transport: self.transport(), address: self.peer(), certificate: self.certificate() }
    }

    fn is_socket(&self) -> bool {
        self.transport() != "shm"
    }

    fn memory(&self) -> usize {
        tls_memory(self.transport())
    }
}

impl Listener for reactor::Listener {
    type Stream = reactor::Stream;

    fn accept(&mut self) -> io::Result<Option<Self::Stream>> {
        self.accept()
    }

    fn address(&self) -> Address {
        self.address()
    }
}

impl Poller for Reactor {
    type Stream = reactor::Stream;

    fn wait(&mut self, events: &mut Vec<Event>, sleeps: bool) -> io::Result<()> {
        self.wait_until(
            events,
            if sleeps { reactor::Deadline::Never } else { reactor::Deadline::Now },
        )
    }

    fn set_idle(&mut self, idle: Idle) {
        self.set_idle(idle);
    }

    fn add(&mut self, stream: &mut Self::Stream, token: usize) -> io::Result<()> {
        self.add(stream, token)
    }

    fn remove(&mut self, stream: &mut Self::Stream) {
        // A stream that is dropped is not watched any more, even where this fails.
        let _ = self.remove(stream);
    }
}

impl Platform for SystemPlatform {
    type Stream = reactor::Stream;
    type Listener = reactor::Listener;

    #[inline]
    fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn since_1970(&self) -> u64 {
        since_1970()
    }

    #[inline]
    fn wait_until(&mut self, events: &mut Vec<Event>, deadline: Deadline) -> io::Result<()> {
        let deadline = match deadline {
            Deadline::Now => reactor::Deadline::Now,
            Deadline::Never => reactor::Deadline::Never,
            Deadline::At(time) => self
                .epoch
                .checked_add(Duration::from_nanos(time))
                .map_or(reactor::Deadline::Never, reactor::Deadline::At),
        };
        self.reactor.wait_until(events, deadline)
    }

    fn set_idle(&mut self, idle: Idle) {
        self.reactor.set_idle(idle);
    }

    fn add(&mut self, stream: &mut Self::Stream, token: usize) -> io::Result<()> {
        self.reactor.add(stream, token)
    }

    fn remove(&mut self, stream: &mut Self::Stream) {
        // A stream that is dropped is not watched any more, even where this fails.
        let _ = self.reactor.remove(stream);
    }

    fn bind(&mut self, address: &Address, protocol: Protocol) -> io::Result<Self::Listener> {
        self.shared.tls().bind(address, protocol, self.descriptors, None)
    }

    fn add_listener(&mut self, listener: &mut Self::Listener, token: usize) -> io::Result<()> {
        self.reactor.add_listener(listener, token)
    }

    fn remove_listener(&mut self, listener: &mut Self::Listener) {
        // Dropping it ends it too.
        let _ = self.reactor.remove_listener(listener);
    }

    #[inline]
    fn rejection(&self, stream: &Self::Stream) -> Option<String> {
        self.descriptors.rejection(stream)
    }

    fn places_for_rejected(&self) -> usize {
        self.descriptors.share()
    }

    #[inline]
    fn has_disk(&self) -> bool {
        self.workers.is_some()
    }

    fn begin_commit(&mut self, commit: Commit) {
        if let Some(workers) = &self.workers {
            workers.commit(commit);
        }
    }

    fn begin_task(&mut self, task: Task) {
        if let Some(workers) = &self.workers {
            workers.task(task);
        }
    }

    fn begin_password(&mut self, check: PasswordCheck) {
        self.passwords.begin(check);
    }

    #[inline]
    fn password(&mut self) -> Option<Option<Arc<str>>> {
        self.passwords.outcome()
    }

    fn begin_conversion(&mut self, order: ConversionOrder) {
        self.conversions.begin(order);
    }

    #[inline]
    fn conversion(&mut self) -> Option<Converted> {
        self.conversions.outcome()
    }

    #[inline]
    fn conversion_bytes(&self) -> usize {
        self.conversions.bytes()
    }

    #[inline]
    fn outcome(&mut self) -> Option<Outcome> {
        self.workers.as_ref().and_then(Workers::outcome)
    }

    fn wait_for_outcome(&mut self) -> Option<Outcome> {
        self.workers.as_ref().and_then(Workers::wait)
    }

    fn give_way(&self) {
        std::thread::yield_now();
    }

    #[inline]
    fn has_commands(&self) -> bool {
        self.shared.has_commands()
    }

    fn take_commands(&mut self) -> Vec<Command> {
        self.shared.take()
    }
}

impl Drop for SystemPlatform {
    fn drop(&mut self) {
        self.shared.close();
    }
}
