//! Messages from frames.

use super::error::{Error, ErrorCode};
use super::frame::{Header, Kind, read_error};

/// What one connection may bring, each with its name and default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a message, all its chunks together. Default: 16 MiB.
    pub message_bytes: usize,
    /// Parameters of a message. Default: 16.
    pub params: usize,
    /// Bytes of a parameter. Default: 1,024, as Metro has it.
    pub param_bytes: usize,
    /// Channels that are open at once. Default: 64.
    pub channels: usize,
    /// Bytes of all vocabularies that its channels retain, in both directions. Default: 128 MiB, which is as much as 64
    /// channels of our clients take; Metro's tables of values take 8 MiB a channel and direction.
    pub vocabulary_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 16 << 20,
            params: 16,
            param_bytes: 1024,
            channels: 64,
            vocabulary_bytes: 128 << 20,
        }
    }
}

/// Takes the bytes of one direction, and gives its messages.
#[derive(Debug)]
pub struct Receiver {
    limits: Limits,
    /// Bytes that came, and how many of them have been read.
    came: Vec<u8>,
    read: usize,
    /// The message that is being read, or was given last.
    state: State,
    channel: u32,
    content: u32,
    /// Positions of parameters, and where their values end in `values`.
    params: Vec<(u32, usize)>,
    values: String,
    body: Vec<u8>,
}

/// Where in a message the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before its first frame.
    Between,
    /// In the payload of a frame, of which so much is to come.
    Payload(Kind, usize),
    /// Before its next chunk.
    Chunks,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Received<'a> {
    /// A message.
    Message(Message<'a>),
    /// The other side reports an error, of a channel.
    Error(u32, Error),
    /// There is no answer, on a channel.
    Nothing(u32),
}

/// A message, whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Which channel.
    pub channel: u32,
    /// Position in the channel's list of media types.
    pub content: u32,
    params: &'a [(u32, usize)],
    values: &'a str,
    /// The envelope.
    pub body: &'a [u8],
}

impl<'a> Message<'a> {
    /// Its parameters, in their order.
    pub fn params(&self) -> impl Iterator<Item = (u32, &'a str)> + use<'a> {
        let values = self.values;
        let mut start = 0;
        self.params.iter().map(move |&(id, end)| {
            let value = &values[start..end];
            start = end;
            (id, value)
        })
    }
}

impl Receiver {
    /// Memory that is kept for the next message.
    const KEPT: usize = 1 << 20;

    /// A receiver that has nothing yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            came: Vec::new(),
            read: 0,
            state: State::Between,
            channel: 0,
            content: 0,
            params: Vec::new(),
            values: String::new(),
            body: Vec::new(),
        }
    }

    /// Takes bytes in. Ask for all messages before the next bytes come, so that these do not pile up.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.came.drain(..self.read);
        self.read = 0;
        self.came.extend_from_slice(bytes);
    }

    /// Has a message begun, of which more is to come?
    pub fn is_within(&self) -> bool {
        self.state != State::Between || self.read < self.came.len()
    }

    /// The next message, if it is whole.
    ///
    /// # Errors
    /// A critical one: where the next message begins is not known any more. The channel of the frame.
    pub fn next_message(&mut self) -> Result<Option<Received<'_>>, (u32, Error)> {
        loop {
            match self.state {
                State::Between | State::Chunks => {
                    if !self.header()? {
                        return Ok(None);
                    }
                }
                State::Payload(kind, left) => {
                    let rest = &self.came[self.read..];
                    let taken = left.min(rest.len());
                    self.body.extend_from_slice(&rest[..taken]);
                    self.read += taken;
                    if taken < left {
                        self.state = State::Payload(kind, left - taken);
                        return Ok(None);
                    }
                    self.state = match kind {
                        Kind::StartChunk | Kind::Chunk => State::Chunks,
                        _ => State::Between,
                    };
                    if self.state == State::Between {
                        return self.whole(kind).map(Some);
                    }
                }
            }
        }
    }

    fn whole(&self, kind: Kind) -> Result<Received<'_>, (u32, Error)> {
        let channel = self.channel;
        Ok(match kind {
            Kind::Error => {
                let error = read_error(&self.body).map_err(|error| (channel, error))?;
                Received::Error(channel, error)
            }
            Kind::Nothing => Received::Nothing(channel),
            _ => Received::Message(self.last()),
        })
    }

    /// The message that came last, until the next one is asked for.
    pub fn last(&self) -> Message<'_> {
        Message {
            channel: self.channel,
            content: self.content,
            params: &self.params,
            values: &self.values,
            body: &self.body,
        }
    }

    /// Reads a header, if it is there.
    fn header(&mut self) -> Result<bool, (u32, Error)> {
        let header = Header::read(&self.came[self.read..], &self.limits);
        // Without a header nobody knows which channel it is.
        let Some(header) = header.map_err(|error| (0, error))? else {
            return Ok(false);
        };
        let channel = header.channel;
        let error = |code, text: String| Err((channel, Error::new(code, text)));
        let continues = matches!(header.kind, Kind::Chunk | Kind::EndChunk);
        match self.state == State::Chunks {
            true if channel != self.channel => {
                let text =
                    format!("a frame of channel {channel} within a message of {}", self.channel);
                return error(ErrorCode::Interleaved, text);
            }
            // A sender that cannot finish its message says so.
            true if !continues && header.kind != Kind::Error => {
                return error(
                    ErrorCode::FrameOrder,
                    "a message begins within a message".to_owned(),
                );
            }
            false if continues => {
                return error(ErrorCode::FrameOrder, "a chunk without a first chunk".to_owned());
            }
            _ => {}
        }
        if !continues {
            self.body.clear();
            self.body.shrink_to(Self::KEPT);
            self.params.clear();
            self.values.clear();
            (self.channel, self.content) = (channel, header.content);
            for (id, value) in &header.params {
                self.values.push_str(value);
                self.params.push((*id, self.values.len()));
            }
        }
        let most = self.limits.message_bytes;
        if header.payload > most - self.body.len() {
            let text = format!("message_bytes: a message is longer than {most} bytes");
            return error(ErrorCode::MalformedFrame, text);
        }
        self.read += header.length;
        self.state = State::Payload(header.kind, header.payload);
        Ok(true)
    }
}
