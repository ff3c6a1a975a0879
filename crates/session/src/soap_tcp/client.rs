//! A client's side of a connection.

use trunkline_message::Limits as XmlLimits;
use trunkline_soap::Fault;

use super::content::{CHARSET, OVERLAPPING, SOAP_ACTION};
use super::error::{Error, ErrorCode};
use super::frame::write_message;
use super::receiver::{Limits, Received, Receiver};
use super::service_channel::{Answered, Command};
use super::{Content, MAGIC, VERSIONS};
use crate::soap::MessageEncoding;

/// A client's side of one connection: one request at a time, as the protocol has it; where channels have agreed on
/// that they overlap, one on each.
///
/// What it asks for goes to [`output`](Self::output), bytes that came go into
/// [`receive`](Self::receive), and [`next_event`](Self::next_event) says what they mean.
#[derive(Debug)]
pub struct ClientSession {
    receiver: Receiver,
    /// The server's versions, until they are known.
    versions: Option<Vec<u8>>,
    output: Vec<u8>,
    /// Room for an action in quotes.
    quoted: String,
}

/// A channel that the server has opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    channel: u32,
    contents: Vec<Option<Content>>,
    params: Vec<String>,
}

/// What the server did.
#[derive(Debug, PartialEq, Eq)]
pub enum ClientEvent<'a> {
    /// It speaks the same versions, and waits for requests.
    Ready,
    /// It has a session.
    Session,
    /// It has opened a channel.
    Opened(Opened),
    /// It has closed one.
    Closed,
    /// It does not do what was asked of it on the service channel.
    Refused(Fault),
    /// Its answer, in this media type; None if that is none of those that were agreed on.
    Answer(u32, &'a [u8]),
    /// It has taken a one-way call.
    Nothing,
    /// It reports an error. After a critical one the connection ends.
    Error(Error),
}

impl Opened {
    /// Its number.
    pub fn channel(&self) -> u32 {
        self.channel
    }

    /// May its calls overlap with those of other channels? It has one at a time.
    pub fn overlaps(&self) -> bool {
        self.params.iter().any(|it| it == OVERLAPPING)
    }

    /// The position of a media type, if both sides have it.
    pub fn content(&self, wanted: Content) -> Option<u32> {
        self.contents.iter().position(|it| *it == Some(wanted)).map(|place| place as u32)
    }

    /// The media type at a position.
    pub fn content_at(&self, position: u32) -> Option<Content> {
        *self.contents.get(position as usize)?
    }
}

impl ClientSession {
    /// A session of a connection that has been made; its output begins it.
    pub fn new(limits: Limits) -> Self {
        let output = [MAGIC, &VERSIONS].concat();
        let quoted = String::new();
        Self { receiver: Receiver::new(limits), versions: Some(Vec::new()), output, quoted }
    }

    /// What is to be sent; take what has been sent out of it.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Asks for a session, as the first thing after the handshake.
    pub fn initiate(&mut self) {
        self.ask(&Command::InitiateSession);
    }

    /// Asks for a channel to the service at a URL, for messages of one SOAP in these media types, the best first.
    pub fn open(&mut self, url: &str, contents: &[Content]) {
        self.ask_to_open(url, contents, &[]);
    }

    /// As [`open`](Self::open), for calls that may overlap with those of other channels, if the server agrees:
    /// see [`Opened::overlaps`].
    pub fn open_overlapping(&mut self, url: &str, contents: &[Content]) {
        self.ask_to_open(url, contents, &[OVERLAPPING]);
    }

    fn ask_to_open(&mut self, url: &str, contents: &[Content], more: &[&str]) {
        let action = contents.first().map_or(SOAP_ACTION, |it| it.action());
        let params = [CHARSET, action].into_iter().chain(more.iter().copied());
        self.ask(&Command::OpenChannel {
            target: url.to_owned(),
            contents: contents.iter().map(|it| it.name().to_owned()).collect(),
            params: params.map(str::to_owned).collect(),
        });
    }

    /// Asks to close a channel.
    pub fn close(&mut self, opened: &Opened) {
        self.ask(&Command::CloseChannel { channel: opened.channel });
    }

    fn ask(&mut self, command: &Command) {
        let params = [(0, "utf-8"), (1, "\"\"")];
        write_message(0, 0, &params, &command.write(), &mut self.output);
    }

    /// Sends an envelope. False if the channel has not this media type, and nothing is sent.
    pub fn call(&mut self, opened: &Opened, content: Content, action: &str, body: &[u8]) -> bool {
        let Some(place) = opened.content(content) else { return false };
        let Self { output, quoted, .. } = self;
        quoted.clear();
        quoted.extend(["\"", action, "\""]);
        let known = [(CHARSET, "utf-8"), (content.action(), &**quoted)];
        // Only XML has a character set.
        let skipped = usize::from(content.encoding != MessageEncoding::Xml);
        let mut params = [(0, ""); 2];
        let mut count = 0;
        for (name, value) in known.into_iter().skip(skipped) {
            if let Some(id) = opened.params.iter().position(|it| it == name) {
                params[count] = (id as u32, value);
                count += 1;
            }
        }
        write_message(opened.channel, place, &params[..count], body, output);
        true
    }

    /// The channel of the last event.
    pub fn last_channel(&self) -> u32 {
        self.receiver.last().channel
    }

    /// Takes bytes in.
    pub fn receive(&mut self, bytes: &[u8]) {
        match &mut self.versions {
            Some(said) => said.extend_from_slice(bytes),
            None => self.receiver.receive(bytes),
        }
    }

    /// What came, if all of it has.
    ///
    /// # Errors
    /// The server speaks another version, or what it says is not of this protocol. The connection has to
    /// be closed.
    pub fn next_event(&mut self) -> Result<Option<ClientEvent<'_>>, Error> {
        if let Some(said) = &mut self.versions {
            let known = said.len().min(VERSIONS.len());
            if said[..known] != VERSIONS[..known] {
                let text = "the server speaks no SOAP/TCP 1.0";
                return Err(Error::new(ErrorCode::MalformedFrame, text));
            }
            if known < VERSIONS.len() {
                return Ok(None);
            }
            let rest = said.split_off(known);
            self.receiver.receive(&rest);
            self.versions = None;
            return Ok(Some(ClientEvent::Ready));
        }
        let Some(received) = self.receiver.next_message().map_err(|(_, error)| error)? else {
            return Ok(None);
        };
        Ok(Some(match received {
            Received::Error(_, error) => ClientEvent::Error(error),
            Received::Nothing(_) => ClientEvent::Nothing,
            Received::Message(message) if message.channel != 0 => {
                ClientEvent::Answer(message.content, message.body)
            }
            Received::Message(message) => {
                match Answered::read(message.body, &XmlLimits::default()) {
                    Err(fault) => ClientEvent::Refused(fault),
                    Ok(Answered::InitiateSession) => ClientEvent::Session,
                    Ok(Answered::CloseChannel) => ClientEvent::Closed,
                    Ok(Answered::OpenChannel { channel, contents, params }) => {
                        let contents = contents.iter().map(|it| Content::of(it)).collect();
                        ClientEvent::Opened(Opened { channel, contents, params })
                    }
                }
            }
        }))
    }
}
