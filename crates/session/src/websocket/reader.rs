//! The input of a client: the opening request, then messages.

use std::fmt;
use std::io::{self, Read, Write};

use tungstenite::error::{CapacityError, ProtocolError};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig, WebSocketContext};
use tungstenite::{Bytes, Error, Message, Utf8Bytes};

use super::handshake::{self, Requested};
use super::login::{LOGIN_BYTES, Login};
use super::{Origins, writer};

/// The settings of a reader.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The origins whose pages may connect.
    pub origins: Origins,
    /// Bytes of a message, whole, as JSON or binary; fragments count together.
    pub message_bytes: usize,
    /// The connection comes from this machine.
    pub over_loopback: bool,
}

/// The input, in order.
#[derive(Debug)]
pub enum Incoming {
    /// The request is in order; `answer` has to be sent before anything else.
    Opened {
        /// What it asks for.
        requested: Requested,
        /// What shows who it is, if the request does.
        login: Option<Login>,
        /// The whole answer of HTTP.
        answer: String,
    },
    /// A text: JSON, if the client is right.
    Text(Utf8Bytes),
    /// A payload that an earlier text announced.
    Binary(Bytes),
    /// An answer to a ping, or a ping, which has been answered.
    Heartbeat,
}

/// The connection has to be closed, once what was written to the output is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Which side ended it, and why.
    pub reason: String,
}

impl fmt::Display for Ended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reason)
    }
}

impl std::error::Error for Ended {}

/// Reads what one client sends.
#[derive(Debug)]
pub struct Reader {
    settings: Settings,
    state: State,
    /// Bytes that have come since the last whole message.
    under_way: usize,
}

enum State {
    Opening,
    Open(Box<WebSocketContext>),
    Ended,
}

impl fmt::Debug for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Opening => "opening",
            Self::Open(_) => "open",
            Self::Ended => "ended",
        })
    }
}

/// Bytes read from the input at a time; a longer message is put together in a buffer of its length.
const READ_BYTES: usize = 4 << 10;

impl Reader {
    /// Waits for the request that opens.
    pub fn new(settings: Settings) -> Self {
        Self { settings, state: State::Opening, under_way: 0 }
    }

    /// The next thing that came; None where more bytes are needed. What was used of `input` is gone
    /// from it: all of it, but for an incomplete request. What the protocol itself answers, a pong or
    /// the frame that closes, is added to `output`.
    ///
    /// # Errors
    /// The connection is over: the client closed it or broke the rules. The last frame, or the answer
    /// that rejects, has been added to `output`. What comes afterwards is passed over.
    pub fn next(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Option<Incoming>, Ended> {
        match &mut self.state {
            State::Opening => self.open(input, output),
            State::Open(context) => {
                let before = input.len();
                let result = read(context, input, output);
                self.under_way = match &result {
                    Ok(Some(Incoming::Text(_) | Incoming::Binary(_))) | Err(_) => 0,
                    // Heads of frames are no part of it.
                    _ => (self.under_way + before - input.len()).min(self.settings.message_bytes),
                };
                if result.is_err() {
                    self.state = State::Ended;
                    *input = &[];
                }
                result
            }
            State::Ended => {
                *input = &[];
                Ok(None)
            }
        }
    }

    /// Bytes of a message that has come in part, at most.
    pub(super) fn kept(&self) -> usize {
        self.under_way
    }

    /// Messages may be as long as the settings say: the client has shown who it is.
    pub(super) fn admit(&mut self) {
        let bytes = self.settings.message_bytes;
        if let State::Open(context) = &mut self.state {
            context.set_config(|config| {
                config.max_message_size = Some(bytes);
                config.max_frame_size = Some(bytes);
            });
        }
    }

    fn open(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<Option<Incoming>, Ended> {
        let Settings { origins, over_loopback, message_bytes } = &self.settings;
        match handshake::open(input, origins, *over_loopback) {
            Ok(None) => Ok(None),
            Ok(Some(opening)) => {
                *input = &input[opening.length..];
                // Nobody who has not shown who it is gets memory for a long message.
                let has_login = opening.requested.has_login;
                let most = if has_login { LOGIN_BYTES } else { *message_bytes };
                let config = WebSocketConfig::default()
                    .read_buffer_size(READ_BYTES)
                    .max_message_size(Some(most))
                    .max_frame_size(Some(most));
                let config = config.write_buffer_size(0);
                let context = WebSocketContext::new(Role::Server, Some(config));
                self.state = State::Open(Box::new(context));
                let handshake::Opening { requested, login, answer, .. } = opening;
                Ok(Some(Incoming::Opened { requested, login, answer }))
            }
            Err(rejection) => {
                output.extend_from_slice(rejection.answer().as_bytes());
                self.state = State::Ended;
                *input = &[];
                Err(Ended { reason: format!("rejected: {rejection}") })
            }
        }
    }
}

/// Takes the place of a stream: the bytes that have come, and the buffer for output.
struct Pipe<'a, 'b> {
    input: &'a mut &'b [u8],
    output: &'a mut Vec<u8>,
}

impl Read for Pipe<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.input.read(buffer)? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            bytes => Ok(bytes),
        }
    }
}

impl Write for Pipe<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn read(
    context: &mut WebSocketContext,
    input: &mut &[u8],
    output: &mut Vec<u8>,
) -> Result<Option<Incoming>, Ended> {
    let mut pipe = Pipe { input, output };
    match context.read(&mut pipe) {
        Ok(Message::Text(text)) => Ok(Some(Incoming::Text(text))),
        Ok(Message::Binary(bytes)) => Ok(Some(Incoming::Binary(bytes))),
        Ok(Message::Ping(_)) => {
            // Queued by the library; with a buffer there is nothing that it could wait for.
            let _ = context.flush(&mut pipe);
            Ok(Some(Incoming::Heartbeat))
        }
        Ok(Message::Pong(_) | Message::Frame(_)) => Ok(Some(Incoming::Heartbeat)),
        Ok(Message::Close(frame)) => {
            // Sends the answer, after which the library calls the connection closed.
            let _ = context.flush(&mut pipe);
            Err(Ended { reason: said(frame) })
        }
        Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => {
            let (code, reason) = broken(&error);
            writer::close(pipe.output, code, &reason);
            Err(Ended { reason })
        }
    }
}

fn said(frame: Option<CloseFrame>) -> String {
    match frame {
        None => "closed by the client".into(),
        Some(frame) if frame.reason.is_empty() => {
            format!("closed by the client with code {}", frame.code)
        }
        Some(frame) => {
            format!("closed by the client with code {}: {}", frame.code, frame.reason)
        }
    }
}

/// How the rules were broken, and the code that says so (RFC 6455, section 7.4.1).
fn broken(error: &Error) -> (CloseCode, String) {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            (CloseCode::Size, format!("a message of {size} bytes; at most {max_size} are allowed"))
        }
        Error::Utf8(_) => (CloseCode::Invalid, "a text that is not UTF-8".into()),
        Error::Protocol(ProtocolError::UnmaskedFrameFromClient) => {
            (CloseCode::Protocol, "a frame of a client has to be masked".into())
        }
        Error::Protocol(error) => (CloseCode::Protocol, error.to_string()),
        error => (CloseCode::Protocol, error.to_string()),
    }
}
