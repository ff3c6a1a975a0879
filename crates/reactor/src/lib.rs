//! Streams over TCP, Unix sockets and shared memory, and their readiness
//!
//! A [`Listener`] gives [`Stream`]s; a stream is non-blocking always. A server hands them to a
//! [`Reactor`], which says which of them can go on; a client waits for its one stream by
//! [`Stream::wait`]. How both wait, asleep or awake, is [`Idle`].

mod address;
mod idle;
mod listener;
mod queued;
mod reactor;
mod shared;
mod stream;

pub use address::{Address, AddressError};
pub use idle::{Deadline, Idle};
pub use listener::Listener;
pub use reactor::{Event, Reactor, Waker};
pub use stream::{Ready, Stream};
