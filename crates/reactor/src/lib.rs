//! Streams over TCP, TLS, Unix sockets and shared memory, and their readiness
//!
//! A [`Listener`] accepts [`Stream`]s; a stream is always non-blocking. A server adds them to a
//! [`Reactor`], which reports the ready ones; a client waits for its one stream with [`Stream::wait`].
//! [`Idle`] sets how both wait: asleep or spinning.

mod address;
mod idle;
mod listener;
mod queued;
mod reactor;
mod shared;
mod stream;
#[cfg(feature = "tls")]
mod tls;

pub use address::{Address, AddressError};
pub use idle::{Deadline, Idle};
pub use listener::Listener;
pub use reactor::{Event, Reactor, Waker};
pub use stream::{PeerCertificate, Ready, Stream};
#[cfg(feature = "tls")]
pub use tls::{HandshakeFailure, NATIVE, TlsAcceptor};
#[cfg(feature = "tls")]
pub use trunkline_tls::{ClientTls, CredentialsError};
