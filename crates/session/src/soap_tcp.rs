//! SOAP over TCP 1.0, the protocol of `vnd.sun.ws.tcp` URLs, as Metro speaks it: bytes in, bytes out.
//!
//! A connection carries channels. Channel 0 is the service channel, on which a client opens others, each
//! to one service; the two sides agree on media types and parameters then, and name them by their
//! positions from there on. A message is one frame, or several chunks:
//!
//! ```text
//! client   "vnd.sun.ws.tcp" 1.0 1.0                server   1.0 1.0
//! frame    channel type [content params] length payload
//! type     0 message, 1 first chunk, 2 chunk, 3 last chunk, 4 error, 5 nothing (answers a one-way call)
//! ```
//!
//! [`ServerSession`] and [`ClientSession`] are the two sides. Neither reads, sends or looks at a clock. Who only
//! listens has a [`Receiver`] for each direction, and [`Agreements`].

mod agreements;
mod client;
mod content;
mod error;
mod frame;
mod number;
mod receiver;
mod server;
mod service_channel;

pub use agreements::{Agreed, Agreements};
pub use client::{ClientEvent, ClientSession, Opened};
pub use content::Content;
pub use error::{Error, ErrorCode};
pub use frame::{FRAME_BYTES, Header, Kind, Param, write_error, write_message, write_nothing};
pub use receiver::{Limits, Message, Received, Receiver};
pub use server::{Answering, Request, ServerSession, TakenRequest, Targets, Waits};

/// The scheme of URLs, and the first bytes of a connection.
pub const MAGIC: &[u8] = b"vnd.sun.ws.tcp";

/// Versions of framing and of connection management, major and minor: 1.0 and 1.0, as numbers of a nibble.
const VERSIONS: [u8; 2] = [0x10, 0x10];
