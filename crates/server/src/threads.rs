//! Connections on several threads: some read and write, one routes.
//!
//! ```text
//!   socket --- I/O thread --- ring of bytes ---> router's thread: loop, sessions, engine, store
//!          <--            <-- ring of bytes ---
//! ```
//!
//! The system calls, and TLS, are most of the work of a router with many clients, and they need nothing of its state.
//! So each connection over a socket is carried by one thread, which moves its bytes between the socket and two rings; a
//! share of them, and all shared memory, stays with the router's own thread. Sessions, order, conflation, the ledger and
//! the store stay where they are, on one thread: whatever holds with one thread holds with several.
//!
//! The rings are the only way of a message, and have no locks. Who has put something into a ring sets a bit for the
//! connection (`bell`), and wakes the other side only if it sleeps. A full ring is a stream without room: nobody waits
//! for anybody. With one thread none of this is compiled into the loop: [`Threads`] is another [`Platform`].

mod bell;
mod carried;
mod ends;
mod io_loop;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use trunkline_journal::{Commit, Outcome, Task};
use trunkline_reactor::{Address, Event, Idle};
use trunkline_security::PasswordCheck;

use crate::Protocol;
use crate::formats::{ConversionOrder, Converted};
use crate::platform::{Deadline, Platform};
use crate::server::Command;

pub use bell::Sleeper;
pub use carried::{CarriedListener, CarriedStream};
pub use io_loop::{IoLoop, Poller};

use bell::{Bell, SLOTS};
use ends::{Conduit, Near, conduit};
use io_loop::{Arrival, Order};

/// The most threads that a router may have.
pub const MOST_THREADS: usize = 64;

/// A platform whose connections are carried by several threads, the one of the loop among them.
pub struct Threads<P: Platform> {
    platform: P,
    sleeper: Arc<Sleeper>,
    carriers: Vec<Carrier<P::Stream>>,
    /// Connections over sockets that this thread carries itself.
    here: usize,
    running: Vec<JoinHandle<()>>,
}

/// An I/O thread, as the loop's knows it.
struct Carrier<S> {
    orders: Sender<Order<S>>,
    /// Tells it of its connections.
    bell: Arc<Bell>,
    /// It tells of them by this.
    told: Arc<Bell>,
    /// Its connections: the token of each at the loop.
    slots: Vec<Option<(usize, Arc<Conduit>)>>,
    free: Vec<usize>,
}

impl<S> Carrier<S> {
    fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn free_slot(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        })
    }
}

impl<P: Platform> Threads<P> {
    /// A platform that no other thread works for yet. `wake` ends its wait, from any thread.
    pub fn new(platform: P, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            platform,
            sleeper: Arc::new(Sleeper::new(wake)),
            carriers: Vec::new(),
            here: 0,
            running: Vec::new(),
        }
    }

    /// The loop of another thread, which carries its share of the connections from now on. `wake` ends the wait of its
    /// poller, from any thread.
    pub fn add_thread<Q: Poller<Stream = P::Stream>>(
        &mut self,
        poller: Q,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> IoLoop<Q> {
        let (orders, inbox) = channel();
        let bell = Arc::new(Bell::new(Arc::new(Sleeper::new(wake))));
        let told = Arc::new(Bell::new(Arc::clone(&self.sleeper)));
        let it = IoLoop::new(poller, inbox, Arc::clone(&bell), Arc::clone(&told));
        self.carriers.push(Carrier { orders, bell, told, slots: Vec::new(), free: Vec::new() });
        it
    }

    /// A thread that runs such a loop, to be waited for at the end.
    pub(crate) fn keep(&mut self, running: JoinHandle<()>) {
        self.running.push(running);
    }

    /// The thread that carries the next connection, if it is not this one: the one with the fewest.
    fn next_carrier(&self) -> Option<usize> {
        let counts = self.carriers.iter().map(Carrier::count).enumerate();
        let (place, count) = counts.min_by_key(|(_, count)| *count)?;
        (count < self.here && count < SLOTS).then_some(place)
    }

    /// Hands a stream to another thread. It stays here if that thread is no more.
    fn hand_over(
        &mut self,
        stream: &mut CarriedStream<P::Stream>,
        token: usize,
        to: usize,
    ) -> bool {
        let CarriedStream::Here(here) = &*stream else { return false };
        let carrier = &mut self.carriers[to];
        let slot = carrier.free_slot();
        let peer = crate::platform::Stream::peer(here);
        let (near, far) = conduit(&carrier.bell, &carrier.told, slot);
        let shared = Arc::clone(near.shared());
        let near = CarriedStream::There(Box::new(Near::new(near, (to, slot), peer)));
        let CarriedStream::Here(here) = std::mem::replace(stream, near) else { return false };
        match carrier.orders.send(Order::Carry(Arrival { slot, stream: here, far })) {
            Ok(()) => {
                carrier.slots[slot] = Some((token, shared));
                carrier.bell.call(slot);
                true
            }
            Err(returned) => {
                carrier.free.push(slot);
                if let Order::Carry(it) = returned.0 {
                    *stream = CarriedStream::Here(it.stream);
                }
                false
            }
        }
    }
}

impl<P: Platform> Platform for Threads<P> {
    type Stream = CarriedStream<P::Stream>;
    type Listener = CarriedListener<P::Listener>;

    #[inline]
    fn now(&self) -> u64 {
        self.platform.now()
    }

    fn since_1970(&self) -> u64 {
        self.platform.since_1970()
    }

    fn wait_until(&mut self, events: &mut Vec<Event>, deadline: Deadline) -> io::Result<()> {
        let carriers = &mut self.carriers;
        let sleeps = deadline != Deadline::Now
            && self.sleeper.may_sleep(|| carriers.iter().any(|it| it.told.is_set()));
        let waited =
            self.platform.wait_until(events, if sleeps { deadline } else { Deadline::Now });
        self.sleeper.is_awake();
        for it in carriers {
            let slots = &it.slots;
            it.told.take(|slot| {
                if let Some(Some((token, conduit))) = slots.get(slot) {
                    events.extend(conduit.take_event(*token));
                }
            });
        }
        waited
    }

    fn set_idle(&mut self, idle: Idle) {
        self.platform.set_idle(idle);
        for it in &self.carriers {
            // A thread that is no more waits for nothing.
            let _ = it.orders.send(Order::Idle(idle));
            it.bell.ring();
        }
    }

    fn add(&mut self, stream: &mut Self::Stream, token: usize) -> io::Result<()> {
        let to = if stream.is_socket() { self.next_carrier() } else { None };
        if let Some(to) = to
            && self.hand_over(stream, token, to)
        {
            return Ok(());
        }
        let is_socket = stream.is_socket();
        let CarriedStream::Here(here) = stream else { return Ok(()) };
        self.platform.add(here, token)?;
        self.here += usize::from(is_socket);
        Ok(())
    }

    fn remove(&mut self, stream: &mut Self::Stream) {
        let is_socket = stream.is_socket();
        match stream {
            CarriedStream::Here(here) => {
                self.platform.remove(here);
                self.here = self.here.saturating_sub(usize::from(is_socket));
            }
            CarriedStream::There(near) => {
                let (to, slot) = near.place();
                let carrier = &mut self.carriers[to];
                if carrier.slots[slot].take().is_some() {
                    carrier.free.push(slot);
                }
            }
        }
    }

    fn bind(&mut self, address: &Address, protocol: Protocol) -> io::Result<Self::Listener> {
        self.platform.bind(address, protocol).map(CarriedListener)
    }

    fn add_listener(&mut self, listener: &mut Self::Listener, token: usize) -> io::Result<()> {
        self.platform.add_listener(&mut listener.0, token)
    }

    fn remove_listener(&mut self, listener: &mut Self::Listener) {
        self.platform.remove_listener(&mut listener.0);
    }

    fn rejection(&self, stream: &Self::Stream) -> Option<String> {
        match stream {
            CarriedStream::Here(here) => self.platform.rejection(here),
            CarriedStream::There(_) => None,
        }
    }

    fn places_for_rejected(&self) -> usize {
        self.platform.places_for_rejected()
    }

    #[inline]
    fn has_disk(&self) -> bool {
        self.platform.has_disk()
    }

    fn begin_commit(&mut self, commit: Commit) {
        self.platform.begin_commit(commit);
    }

    fn begin_task(&mut self, task: Task) {
        self.platform.begin_task(task);
    }

    fn begin_password(&mut self, check: PasswordCheck) {
        self.platform.begin_password(check);
    }

    fn password(&mut self) -> Option<Option<Arc<str>>> {
        self.platform.password()
    }

    fn begin_conversion(&mut self, order: ConversionOrder) {
        self.platform.begin_conversion(order);
    }

    fn conversion(&mut self) -> Option<Converted> {
        self.platform.conversion()
    }

    fn conversion_bytes(&self) -> usize {
        self.platform.conversion_bytes()
    }

    fn outcome(&mut self) -> Option<Outcome> {
        self.platform.outcome()
    }

    fn wait_for_outcome(&mut self) -> Option<Outcome> {
        self.platform.wait_for_outcome()
    }

    fn give_way(&self) {
        self.platform.give_way();
    }

    #[inline]
    fn has_commands(&self) -> bool {
        self.platform.has_commands()
    }

    fn take_commands(&mut self) -> Vec<Command> {
        self.platform.take_commands()
    }
}

impl<P: Platform> Drop for Threads<P> {
    fn drop(&mut self) {
        for Carrier { orders, bell, .. } in self.carriers.drain(..) {
            drop(orders);
            bell.ring();
        }
        for thread in self.running.drain(..) {
            // What a panic says has been printed by the thread itself.
            let _ = thread.join();
        }
    }
}
