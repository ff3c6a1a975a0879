//! A server's side of a connection.

use trunkline_message::Limits as XmlLimits;
use trunkline_soap::Version;

use super::content::{CHARSET, OVERLAPPING, PARAMS};
use super::error::{Error, ErrorCode};
use super::frame::{write_error, write_message, write_nothing};
use super::number::{Lack, Nibbles};
use super::receiver::{Limits, Message, Received, Receiver};
use super::service_channel::{Answered, Command, Refusal, refused};
use super::{Content, MAGIC, VERSIONS};
use crate::soap::MessageEncoding;

/// The services that channels can be opened to.
pub trait Targets {
    /// The number of the service that a URL names, if there is one.
    fn find(&self, url: &str) -> Option<usize>;
}

/// A server's side of one connection.
///
/// Bytes that came go into [`receive`](Self::receive), and bytes to be sent come from
/// [`output`](Self::output). [`advance`](Self::advance) does by itself all but the calls of services:
/// where it says [`Waits::ForAnswer`], [`request`](Self::request) has one, and one of the answers is
/// called. It is called again after each of them, and after [`receive`](Self::receive).
#[derive(Debug)]
pub struct ServerSession {
    receiver: Receiver,
    limits: Limits,
    stage: Stage,
    /// The bytes of the handshake, until it is done.
    handshake: Vec<u8>,
    /// By number, less one; numbers are not used again.
    channels: Vec<Option<Channel>>,
    output: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Handshake,
    Open,
    /// A request of this channel waits, in this media type.
    Requested(u32, u32),
    Closed,
}

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// For the rest of the handshake.
    ForHandshake,
    /// For a request.
    ForRequest,
    /// For the rest of one.
    ForRest,
    /// For the answer to a request.
    ForAnswer,
    /// For nothing: the connection ends once the output has been sent.
    End,
}

/// A channel that is open.
#[derive(Debug)]
struct Channel {
    target: usize,
    contents: Vec<Content>,
    /// What has been agreed on, in that order.
    params: Vec<&'static str>,
    /// Its request has been taken, and is not answered.
    is_busy: bool,
}

/// A request that others may overtake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenRequest {
    /// Its channel.
    pub channel: u32,
    /// Position of its media type in the channel's list.
    position: u32,
    /// The service's number, as [`Targets`] has it.
    pub target: usize,
    /// How it is written.
    pub content: Content,
    action: String,
    charset: Option<String>,
    body: Vec<u8>,
}

impl TakenRequest {
    /// As it was when it waited.
    pub fn request(&self) -> Request<'_> {
        Request {
            channel: self.channel,
            target: self.target,
            content: self.content,
            action: &self.action,
            charset: self.charset.as_deref(),
            body: &self.body,
        }
    }
}

/// A request to a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Its channel.
    pub channel: u32,
    /// The service's number, as [`Targets`] has it.
    pub target: usize,
    /// How it is written.
    pub content: Content,
    /// Its action, without quotes; empty where there is none.
    pub action: &'a str,
    /// The character set, where it is said.
    pub charset: Option<&'a str>,
    /// The envelope.
    pub body: &'a [u8],
}

/// What takes the answer to a request that waits.
#[derive(Debug)]
pub struct Answering<'a> {
    channel: &'a Channel,
    number: u32,
    /// Position of the request's media type.
    requested: u32,
    output: &'a mut Vec<u8>,
}

impl Answering<'_> {
    /// Answers with an envelope, which is encoded as the request was.
    pub fn answer(&mut self, version: Version, envelope: &[u8]) {
        let Self { channel, number, requested, ref mut output } = *self;
        let Some(&content) = channel.contents.get(requested as usize) else { return };
        // An answer in the other SOAP, to a request whose own is not known, needs its media type.
        let wanted = Content { version, ..content };
        let place = channel.contents.iter().position(|it| *it == wanted);
        let place = place.map_or(requested, |it| it as u32);
        let charset = channel.params.iter().position(|it| *it == CHARSET);
        let charset = charset.filter(|_| content.encoding == MessageEncoding::Xml);
        let params = charset.map(|id| (id as u32, "utf-8"));
        write_message(number, place, params.as_slice(), envelope, output);
    }
}

impl ServerSession {
    /// A session of a connection that has been accepted.
    pub fn new(limits: Limits) -> Self {
        Self {
            receiver: Receiver::new(limits),
            limits,
            stage: Stage::Handshake,
            handshake: Vec::new(),
            channels: Vec::new(),
            output: Vec::new(),
        }
    }

    /// Takes bytes in.
    pub fn receive(&mut self, bytes: &[u8]) {
        match self.stage {
            Stage::Handshake => self.handshake.extend_from_slice(bytes),
            Stage::Closed => {}
            Stage::Open | Stage::Requested(..) => self.receiver.receive(bytes),
        }
    }

    /// What is to be sent; take what has been sent out of it.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Goes on, until it has to wait.
    pub fn advance(&mut self, targets: &impl Targets) -> Waits {
        loop {
            match self.stage {
                Stage::Closed => return Waits::End,
                Stage::Requested(..) => return Waits::ForAnswer,
                Stage::Handshake => {
                    if !self.shake_hands() {
                        return Waits::ForHandshake;
                    }
                }
                Stage::Open => {
                    if !self.take(targets) {
                        return match self.receiver.is_within() {
                            true => Waits::ForRest,
                            false => Waits::ForRequest,
                        };
                    }
                }
            }
        }
    }

    /// Takes the next message; false if it is not whole.
    fn take(&mut self, targets: &impl Targets) -> bool {
        match self.receiver.next_message() {
            Err((channel, error)) => self.end(channel, &error),
            Ok(None) => return false,
            Ok(Some(Received::Message(message))) if message.channel == 0 => {
                let command = served(&message);
                self.serve(command, targets);
            }
            Ok(Some(Received::Message(Message { channel, content, .. }))) => {
                self.requested(channel, content);
            }
            Ok(Some(Received::Error(_, error))) if error.code.is_critical() => {
                self.stage = Stage::Closed;
            }
            // The client gave a message up, or answers what nobody asked for.
            Ok(Some(Received::Error(..) | Received::Nothing(_))) => {}
        }
        true
    }

    /// True once both sides have said their versions, or the connection has to end.
    fn shake_hands(&mut self) -> bool {
        let said = self.handshake.len().min(MAGIC.len());
        if self.handshake[..said] != MAGIC[..said] {
            // Not of this protocol, whose answer it would not understand.
            self.stage = Stage::Closed;
            return true;
        }
        let rest = &self.handshake[said..];
        let mut nibbles = Nibbles::new(rest);
        let mut next = || nibbles.int4();
        let versions = match (|| Ok([next()?, next()?, next()?, next()?]))() {
            Err(Lack::Bytes) => return false,
            Err(Lack::TooLarge) => [u32::MAX; 4],
            Ok(versions) => versions,
        };
        self.output.extend_from_slice(&VERSIONS);
        let end = nibbles.align();
        if versions == [1, 0, 1, 0] {
            self.stage = Stage::Open;
            self.receiver.receive(&rest[end..]);
        } else {
            // The client compares, and finds another one to talk to.
            self.stage = Stage::Closed;
        }
        self.handshake = Vec::new();
        true
    }

    fn end(&mut self, channel: u32, error: &Error) {
        write_error(channel, error, &mut self.output);
        self.stage = Stage::Closed;
    }

    /// Answers on the service channel.
    fn serve(&mut self, command: Result<Command, Vec<u8>>, targets: &impl Targets) {
        let answer = match command {
            Err(fault) => fault,
            Ok(Command::InitiateSession) => Answered::InitiateSession.write(),
            Ok(Command::OpenChannel { target, contents, params }) => {
                self.open(&target, &contents, &params, targets)
            }
            Ok(Command::CloseChannel { channel }) => match self.channel(channel).is_some() {
                true => {
                    self.channels[channel as usize - 1] = None;
                    Answered::CloseChannel.write()
                }
                false => {
                    refused(Refusal::UnknownChannel, &format!("channel {channel} is not open"))
                }
            },
        };
        write_message(0, 0, &[(0, "utf-8")], &answer, &mut self.output);
    }

    fn open(
        &mut self,
        url: &str,
        contents: &[String],
        params: &[String],
        targets: &impl Targets,
    ) -> Vec<u8> {
        let open = self.channels.iter().flatten().count();
        if open >= self.limits.channels || self.channels.len() >= MOST_CHANNELS {
            let text = format!("channels: {} may be open at once", self.limits.channels);
            return refused(Refusal::TooManyChannels, &text);
        }
        let Some(target) = targets.find(url) else {
            return refused(Refusal::UnknownEndpoint, &format!("no service is at {url}"));
        };
        let known = contents.iter().filter_map(|it| Some((Content::of(it)?, it.clone())));
        let (understood, names): (Vec<Content>, Vec<String>) = known.unzip();
        if understood.is_empty() {
            let text =
                format!("{url} understands XML and Fast Infoset, not {}", contents.join(", "));
            return refused(Refusal::NegotiationFailed, &text);
        }
        let param = |it: &String| PARAMS.into_iter().find(|known| known == it);
        let agreed: Vec<&'static str> = params.iter().filter_map(param).collect();
        let params = agreed.iter().map(|it| (*it).to_owned()).collect();
        let is_busy = false;
        self.channels.push(Some(Channel { target, contents: understood, params: agreed, is_busy }));
        let channel = self.channels.len() as u32;
        Answered::OpenChannel { channel, contents: names, params }.write()
    }

    fn channel(&self, number: u32) -> Option<&Channel> {
        self.channels.get((number as usize).checked_sub(1)?)?.as_ref()
    }

    /// A message for a service came.
    fn requested(&mut self, number: u32, content: u32) {
        let error = match self.channel(number) {
            None => Error::new(ErrorCode::UnknownChannel, format!("channel {number} is not open")),
            Some(channel) if channel.is_busy => {
                let text = format!("the request of channel {number} is not answered yet");
                return self.end(number, &Error::new(ErrorCode::RequestOrder, text));
            }
            Some(channel) if content as usize >= channel.contents.len() => {
                // General, as Metro has it.
                let text = format!("content id {content} is not agreed on for channel {number}");
                Error::new(ErrorCode::General, text)
            }
            Some(_) => {
                self.stage = Stage::Requested(number, content);
                return;
            }
        };
        write_error(number, &error, &mut self.output);
    }

    /// The request that waits for its answer.
    pub fn request(&self) -> Option<Request<'_>> {
        let Stage::Requested(number, position) = self.stage else { return None };
        requested(self.channel(number)?, (number, position), &self.receiver)
    }

    /// The request that waits, and what takes its answer; [`answered`](Self::answered) says that this has it.
    pub fn exchange(&mut self) -> Option<(Request<'_>, Answering<'_>)> {
        let Stage::Requested(number, position) = self.stage else { return None };
        let Self { channels, receiver, output, .. } = self;
        let channel = channels.get((number as usize).checked_sub(1)?)?.as_ref()?;
        let request = requested(channel, (number, position), receiver)?;
        Some((request, Answering { channel, number, requested: position, output }))
    }

    /// Takes the request that waits, so that others can be taken before it is answered; None if its channel has not
    /// agreed to that. It is answered by those methods whose names begin with `finish`.
    pub fn take_request(&mut self) -> Option<TakenRequest> {
        let Stage::Requested(number, position) = self.stage else { return None };
        if !self.channel(number)?.params.contains(&OVERLAPPING) {
            return None;
        }
        let Request { channel, target, content, action, charset, body } = self.request()?;
        let (action, charset) = (action.to_owned(), charset.map(str::to_owned));
        let body = body.to_vec();
        let taken = TakenRequest { channel, position, target, content, action, charset, body };
        self.channel_mut(number)?.is_busy = true;
        self.stage = Stage::Open;
        Some(taken)
    }

    /// Answers a request that was taken.
    pub fn finish(&mut self, taken: &TakenRequest, version: Version, envelope: &[u8]) {
        if self.is_finishing(taken) {
            let Self { channels, output, .. } = self;
            let TakenRequest { channel: number, position: requested, .. } = *taken;
            let Some(channel) = &channels[number as usize - 1] else { return };
            Answering { channel, number, requested, output }.answer(version, envelope);
        }
    }

    /// As [`answer_nothing`](Self::answer_nothing), of one that was taken.
    pub fn finish_nothing(&mut self, taken: &TakenRequest) {
        if self.is_finishing(taken) {
            write_nothing(taken.channel, &mut self.output);
        }
    }

    /// As [`reject`](Self::reject), of one that was taken.
    pub fn finish_rejected(&mut self, taken: &TakenRequest, text: &str) {
        if self.is_finishing(taken) {
            write_error(taken.channel, &Error::new(ErrorCode::General, text), &mut self.output);
        }
    }

    /// As [`abort`](Self::abort), of one that was taken.
    pub fn finish_aborted(&mut self, taken: &TakenRequest, text: &str) {
        if self.is_finishing(taken) {
            self.end(taken.channel, &Error::new(ErrorCode::MalformedFrame, text));
        }
    }

    /// Is its channel still there, on a connection that has not ended? Another request may come now.
    fn is_finishing(&mut self, taken: &TakenRequest) -> bool {
        let is_open = self.stage != Stage::Closed;
        let channel = self.channel_mut(taken.channel).filter(|_| is_open);
        channel.is_some_and(|it| std::mem::take(&mut it.is_busy))
    }

    fn channel_mut(&mut self, number: u32) -> Option<&mut Channel> {
        self.channels.get_mut((number as usize).checked_sub(1)?)?.as_mut()
    }

    /// Answers the request with an envelope, which is encoded as the request was.
    pub fn answer(&mut self, version: Version, envelope: &[u8]) {
        if let Some((_, mut answering)) = self.exchange() {
            answering.answer(version, envelope);
        }
        self.answered();
    }

    /// The request that waits has been answered by what [`exchange`](Self::exchange) gave.
    pub fn answered(&mut self) {
        if let Stage::Requested(..) = self.stage {
            self.stage = Stage::Open;
        }
    }

    /// Ends the connection instead of an answer, since no later message can be understood.
    pub fn abort(&mut self, text: &str) {
        let Stage::Requested(channel, _) = self.stage else { return };
        self.end(channel, &Error::new(ErrorCode::MalformedFrame, text));
    }

    /// Ends the connection behind an answer, since no later message of the channel can be understood.
    pub fn end_broken(&mut self, text: &str) {
        self.end(0, &Error::new(ErrorCode::MalformedFrame, text));
    }

    /// Is the channel open?
    pub fn has_channel(&self, number: u32) -> bool {
        self.channel(number).is_some()
    }

    /// Says that the request has no answer, which is how a one-way call ends.
    pub fn answer_nothing(&mut self) {
        let Stage::Requested(channel, _) = self.stage else { return };
        write_nothing(channel, &mut self.output);
        self.stage = Stage::Open;
    }

    /// Says that the request cannot be handled. The connection goes on.
    pub fn reject(&mut self, text: &str) {
        let Stage::Requested(channel, _) = self.stage else { return };
        write_error(channel, &Error::new(ErrorCode::General, text), &mut self.output);
        self.stage = Stage::Open;
    }
}

/// The request that came last, on a channel, in the media type of this position.
fn requested<'a>(
    channel: &'a Channel,
    (number, position): (u32, u32),
    receiver: &'a Receiver,
) -> Option<Request<'a>> {
    let content = *channel.contents.get(position as usize)?;
    let message = receiver.last();
    let param = |name: &str| {
        let id = channel.params.iter().position(|it| *it == name)?;
        message.params().find(|it| it.0 as usize == id).map(|it| it.1)
    };
    let action = param(content.action()).unwrap_or_default();
    let unquoted = action.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    Some(Request {
        channel: number,
        target: channel.target,
        content,
        action: unquoted.unwrap_or(action),
        charset: param(CHARSET),
        body: message.body,
    })
}

/// Channels that are opened in all on one connection, since their numbers are not used again.
const MOST_CHANNELS: usize = 1 << 16;

/// What a message of the service channel asks for, or the fault that answers it.
fn served(message: &Message<'_>) -> Result<Command, Vec<u8>> {
    let command = match message.content {
        0 => Command::read(message.body, &XmlLimits::default()),
        other => Err(trunkline_soap::Fault::sender(format!(
            "content id {other} is not understood on the service channel"
        ))),
    };
    command.map_err(|fault| fault.encode(Version::Soap11))
}
