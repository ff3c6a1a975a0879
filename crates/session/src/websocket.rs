//! WebSocket for browsers: JSON control frames, any payload. docs/websocket.md is the protocol.
//!
//! Bytes come in and go out through buffers; nothing here has a socket or a clock. Frames are read
//! by tungstenite (`reader`); what they mean stands in `command`, what is sent back in `writer`.
//! `session` makes calls of commands, `renderer` texts of deliveries. `guaranteed` has all of this for
//! guaranteed delivery.

mod command;
mod guaranteed;
mod handshake;
mod keys;
mod login;
mod origin;
mod reader;
mod renderer;
mod rendition;
mod rights;
mod session;
mod writer;

#[cfg(test)]
mod tests;

pub use command::{Command, CommandError, Payload, ReplyTo};
pub use guaranteed::{Consumption, Digits, GuaranteedCommand, GuaranteedEvent, Storing};
pub use handshake::{Requested, unavailable};
pub use login::Login;
pub use origin::Origins;
pub use reader::{Ended, Incoming, Reader, Settings};
pub use renderer::WebSocketRenderer;
pub(crate) use rendition::render;
pub use session::WebSocketSession;
pub use writer::{
    Carried, Clock, Closing, Gap, LastValues, Message, Notice, Outgoing, Rejected, Reply, Subject,
    Welcome, Writer, ping,
};
