//! WebSocket for browsers: JSON control frames, any payload. docs/websocket.md is the protocol.
//!
//! Bytes come in and go out through buffers; nothing here has a socket or a clock. Frames are read
//! by tungstenite; what they mean stands in `command`, what is sent back in `writer`.

mod command;
mod handshake;
mod origin;
mod reader;
mod writer;

#[cfg(test)]
mod tests;

pub use command::{Command, CommandError, Payload, ReplyTo};
pub use handshake::{Requested, unavailable};
pub use origin::Origins;
pub use reader::{Ended, Incoming, Reader, Settings};
pub use writer::{
    Carried, Clock, Closing, Gap, Message, Refused, Reply, Subject, Told, Welcome, Writer, ping,
};
