//! The platform of the event loop in the simulation.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use trunkline_journal::{Commit, Outcome, Task};
use trunkline_reactor::{Address, Event, Idle};
use trunkline_security::PasswordCheck;
use trunkline_server::formats::{ConversionOrder, Converted};
use trunkline_server::platform::{Deadline, Listener, Platform, Received, Sent, Stream};
use trunkline_server::server::Command;
use trunkline_server::{Peer, Protocol};

use crate::kernel::{Kernel, LinkId, Listening};
use crate::link::Transport;

/// The kernel as its users share it: the event loop, the clients and the checkers.
pub(crate) type SharedKernel = Rc<RefCell<Kernel>>;

/// A world where everything follows from a number.
pub(crate) struct Simulated(pub(crate) SharedKernel);

/// The router's end of a stream.
pub(crate) struct SimulatedStream {
    pub(crate) link: LinkId,
    kernel: SharedKernel,
}

/// A listener.
pub(crate) struct SimulatedListener {
    address: Address,
    kernel: SharedKernel,
}

impl Stream for SimulatedStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<Received> {
        self.kernel.borrow_mut().read(self.link, bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<Sent> {
        self.kernel.borrow_mut().write(self.link, bytes)
    }

    fn flush(&mut self) -> io::Result<bool> {
        self.kernel.borrow_mut().flush(self.link)
    }

    fn finish(&mut self) -> io::Result<()> {
        if let Some(link) = self.kernel.borrow_mut().links.get_mut(&self.link) {
            link.session.ends = true;
            link.flush();
        }
        Ok(())
    }

    fn bound_buffers(&mut self) -> io::Result<()> {
        if let Some(link) = self.kernel.borrow_mut().links.get_mut(&self.link) {
            link.to_client.capacity = link.to_client.capacity.min(4 << 10);
        }
        Ok(())
    }

    fn under_way(&self) -> Option<usize> {
        self.kernel.borrow().under_way(self.link)
    }

    fn peer(&self) -> Peer {
        let kernel = self.kernel.borrow();
        let link = &kernel.links[&self.link];
        Peer { transport: link.transport.name(), address: link.address.clone(), certificate: None }
    }

    fn is_socket(&self) -> bool {
        let kernel = self.kernel.borrow();
        kernel.links.get(&self.link).is_none_or(|it| it.transport != Transport::SharedMemory)
    }

    fn used(&mut self, bytes: usize) {
        self.kernel.borrow_mut().used(self.link, bytes);
    }
}

impl Drop for SimulatedStream {
    fn drop(&mut self) {
        let mut kernel = self.kernel.borrow_mut();
        kernel.has_moved = true;
        kernel.readers.is_gone(self.link);
        if let Some(link) = kernel.links.get_mut(&self.link) {
            link.drop_by_router();
        }
    }
}

impl Listener for SimulatedListener {
    type Stream = SimulatedStream;

    fn accept(&mut self) -> io::Result<Option<SimulatedStream>> {
        let mut kernel = self.kernel.borrow_mut();
        let listening = kernel.listeners.iter_mut().find(|it| it.address == self.address);
        let Some(link) = listening.and_then(|it| it.waiting.pop_front()) else { return Ok(None) };
        kernel.has_moved = true;
        if let Some(link) = kernel.links.get_mut(&link) {
            link.is_accepted = true;
        }
        Ok(Some(SimulatedStream { link, kernel: Rc::clone(&self.kernel) }))
    }

    fn address(&self) -> Address {
        self.address.clone()
    }
}

/// What one more thread has of the world.
#[cfg(test)]
pub(crate) struct SimulatedPoller {
    pub(crate) kernel: SharedKernel,
    pub(crate) thread: usize,
}

#[cfg(test)]
impl trunkline_server::threads::Poller for SimulatedPoller {
    type Stream = SimulatedStream;

    fn wait(&mut self, events: &mut Vec<Event>, _: bool) -> io::Result<()> {
        self.kernel.borrow_mut().events(self.thread, events);
        Ok(())
    }

    fn set_idle(&mut self, _: Idle) {}

    fn add(&mut self, stream: &mut SimulatedStream, token: usize) -> io::Result<()> {
        if let Some(link) = self.kernel.borrow_mut().links.get_mut(&stream.link) {
            (link.token, link.thread, link.was_watched) = (Some(token), self.thread, true);
        }
        Ok(())
    }

    fn remove(&mut self, stream: &mut SimulatedStream) {
        if let Some(link) = self.kernel.borrow_mut().links.get_mut(&stream.link) {
            link.token = None;
        }
    }
}

impl Platform for Simulated {
    type Stream = SimulatedStream;
    type Listener = SimulatedListener;

    fn now(&self) -> u64 {
        self.0.borrow().now
    }

    fn since_1970(&self) -> u64 {
        let kernel = self.0.borrow();
        kernel.epoch + kernel.now
    }

    fn wait_until(&mut self, events: &mut Vec<Event>, _: Deadline) -> io::Result<()> {
        // Who simulates has set the clock, and waits for nothing.
        self.0.borrow_mut().events(0, events);
        Ok(())
    }

    fn set_idle(&mut self, _: Idle) {}

    fn add(&mut self, stream: &mut SimulatedStream, token: usize) -> io::Result<()> {
        let mut kernel = self.0.borrow_mut();
        kernel.readers.is_ready(stream.link);
        if let Some(link) = kernel.links.get_mut(&stream.link) {
            link.token = Some(token);
            link.was_watched = true;
        }
        Ok(())
    }

    fn remove(&mut self, stream: &mut SimulatedStream) {
        if let Some(link) = self.0.borrow_mut().links.get_mut(&stream.link) {
            link.token = None;
        }
    }

    fn bind(&mut self, address: &Address, _: Protocol) -> io::Result<SimulatedListener> {
        let mut kernel = self.0.borrow_mut();
        if kernel.listeners.iter().any(|it| it.address == *address) {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        let address = address.clone();
        let (token, waiting, is_new) = (None, Default::default(), false);
        kernel.listeners.push(Listening { address: address.clone(), token, waiting, is_new });
        Ok(SimulatedListener { address, kernel: Rc::clone(&self.0) })
    }

    fn add_listener(&mut self, listener: &mut SimulatedListener, token: usize) -> io::Result<()> {
        let mut kernel = self.0.borrow_mut();
        for listening in &mut kernel.listeners {
            if listening.address == listener.address {
                listening.token = Some(token);
            }
        }
        Ok(())
    }

    fn remove_listener(&mut self, listener: &mut SimulatedListener) {
        self.0.borrow_mut().listeners.retain(|it| it.address != listener.address);
    }

    fn rejection(&self, _: &SimulatedStream) -> Option<String> {
        None
    }

    fn places_for_rejected(&self) -> usize {
        usize::MAX
    }

    fn has_disk(&self) -> bool {
        self.0.borrow().disk.is_some()
    }

    fn begin_commit(&mut self, commit: Commit) {
        self.0.borrow_mut().begin_commit(commit);
    }

    fn begin_task(&mut self, task: Task) {
        self.0.borrow_mut().begin_task(task);
    }

    fn begin_password(&mut self, check: PasswordCheck) {
        self.0.borrow_mut().begin_password(check);
    }

    fn password(&mut self) -> Option<Option<Arc<str>>> {
        self.0.borrow_mut().password()
    }

    fn begin_conversion(&mut self, order: ConversionOrder) {
        self.0.borrow_mut().begin_conversion(order);
    }

    fn conversion(&mut self) -> Option<Converted> {
        self.0.borrow_mut().conversion()
    }

    fn conversion_bytes(&self) -> usize {
        // It converts when the outcome is taken.
        0
    }

    fn outcome(&mut self) -> Option<Outcome> {
        self.0.borrow_mut().outcome()
    }

    fn wait_for_outcome(&mut self) -> Option<Outcome> {
        self.0.borrow_mut().wait_for_outcome()
    }

    fn give_way(&self) {}

    fn has_commands(&self) -> bool {
        !self.0.borrow().commands.is_empty()
    }

    fn take_commands(&mut self) -> Vec<Command> {
        let mut kernel = self.0.borrow_mut();
        kernel.has_moved = true;
        std::mem::take(&mut kernel.commands)
    }
}
