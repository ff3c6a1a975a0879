//! A browser's connection: texts of JSON become calls, deliveries become texts.

use std::net::SocketAddr;
use std::num::NonZeroU32;

use trunkline_native::{Refused, code, kind};
use trunkline_router::{Delivery, Gap, Overflow, Requester, SubscriptionOptions, TopicId};

use super::context::{Asked, ClientContext, Denied};
use crate::config::Config;
use crate::engine::Peer;
use crate::websocket::{
    self as frames, Carried, Command, Incoming, Message, Origins, Reader, ReplyTo, Requested,
    Settings, Subject, Told, Welcome, Writer, unavailable,
};

/// Version of the protocol in JSON.
const VERSION: u16 = 1;
/// Characters of a text that is no command, as it is told back.
const TOLD_BACK: usize = 80;

/// Reads what one browser sends.
#[derive(Debug)]
pub struct WebSocketSession {
    reader: Reader,
    /// What waits for its payload, which is the next frame.
    pending: Option<Command<'static>>,
    /// What the protocol answers by itself.
    answers: Vec<u8>,
}

impl WebSocketSession {
    pub(crate) fn new(config: &Config, peer: &Peer) -> Self {
        let address: Option<SocketAddr> = peer.address.parse().ok();
        let settings = Settings {
            origins: Origins::new(&config.websocket.origins),
            message_bytes: usize::try_from(config.limits.frame_bytes).unwrap_or(usize::MAX),
            over_loopback: address.is_some_and(|it| it.ip().to_canonical().is_loopback()),
        };
        Self { reader: Reader::new(settings), pending: None, answers: Vec::new() }
    }

    /// Handles what is whole in `bytes`, and says how many bytes are done with.
    pub(crate) fn received(&mut self, context: &mut ClientContext<'_>, bytes: &[u8]) -> usize {
        let mut input = bytes;
        while context.is_open() && context.has_room_for_answer() {
            let next = self.reader.next(&mut input, &mut self.answers);
            let is_over = next.is_err();
            if !self.answers.is_empty() {
                let answers = &self.answers;
                write(context, |renderer, out| renderer.answer(out, answers, is_over));
                self.answers.clear();
            }
            match next {
                Ok(None) => break,
                Ok(Some(incoming)) => self.came(context, incoming),
                Err(ended) => context.close(code::BAD_FRAME, &ended.reason),
            }
        }
        // What a client says that is told to go is not read.
        if context.is_open() { bytes.len() - input.len() } else { bytes.len() }
    }

    fn came(&mut self, context: &mut ClientContext<'_>, incoming: Incoming) {
        match incoming {
            Incoming::Opened { requested, answer } => open(context, &requested, &answer),
            Incoming::Text(_) if self.pending.is_some() => {
                context.close(code::BAD_FRAME, "a text where a binary frame was announced");
            }
            Incoming::Text(text) => self.text(context, &text),
            Incoming::Binary(payload) => match self.pending.take() {
                Some(command) => carry_out(context, &command, &payload),
                None => context.close(
                    code::BAD_FRAME,
                    "a binary frame without a text before it that says \"binary\": true",
                ),
            },
            Incoming::Sign => {}
        }
    }

    fn text(&mut self, context: &mut ClientContext<'_>, text: &str) {
        match Command::parse(text) {
            Ok(command) if command.awaits_payload() => self.pending = Some(command.into_owned()),
            Ok(command) => carry_out(context, &command, b""),
            Err(error) => {
                let beginning = &text[..text.floor_char_boundary(TOLD_BACK)];
                let denied =
                    Denied { code: code::BAD_FRAME, offset: None, text: error.to_string() };
                refuse(context, Subject::Text(beginning), &denied);
            }
        }
    }
}

fn open(context: &mut ClientContext<'_>, requested: &Requested, answer: &str) {
    let overflow = match requested.overflow.as_deref() {
        None => None,
        Some("drop-oldest") => Some(Overflow::DropOldest),
        Some("drop-newest") => Some(Overflow::DropNewest),
        // The handshake takes no other.
        Some(_) => Some(Overflow::Disconnect),
    };
    let name = requested.name.as_deref().unwrap_or_default();
    context.greet(&Asked {
        name,
        queue_messages: requested.queue_messages.unwrap_or(0) as usize,
        queue_bytes: usize::try_from(requested.queue_bytes.unwrap_or(0)).unwrap_or(usize::MAX),
        overflow,
        messages_per_second: requested.messages_per_second.unwrap_or(0),
        bytes_per_second: requested.bytes_per_second.unwrap_or(0),
        credit: requested.credit.unwrap_or(false),
    });
    let welcome = Welcome {
        version: VERSION,
        name,
        frame_bytes: context.frame_bytes(),
        subscriptions: context.subscriptions(),
        credit: requested.credit.unwrap_or(false),
        times: requested.times.unwrap_or(false),
    };
    write(context, |renderer, out| renderer.open(out, answer, &welcome));
}

/// Does what a command says; `frame` is the payload where it is not in the text.
fn carry_out(context: &mut ClientContext<'_>, command: &Command<'_>, frame: &[u8]) {
    let (subject, done) = match command {
        Command::Subscribe { subscription, pattern, updates_per_second, conflate } => {
            let options = SubscriptionOptions {
                updates_per_second: updates_per_second.and_then(NonZeroU32::new),
                conflate: *conflate,
            };
            let done = context.subscribe(*subscription, pattern, options);
            (
                Subject::Subscribe(*subscription),
                done.map(|()| Some(Told::Subscribed(*subscription))),
            )
        }
        Command::Unsubscribe { subscription } => {
            let done = context.unsubscribe(*subscription);
            let told = Told::Unsubscribed(*subscription);
            (Subject::Unsubscribe(*subscription), done.map(|()| Some(told)))
        }
        Command::Publish { topic, format, payload } => {
            let done = with_topic(context, topic, |context, id| {
                context.publish(id, *format, payload.bytes(frame)).map(|_| ())
            });
            (Subject::Publish(topic), done.map(|()| None))
        }
        Command::Request { topic, correlation, timeout_ms, format, payload } => {
            let timeout = u64::from(*timeout_ms) * 1_000_000;
            let done = with_topic(context, topic, |context, id| {
                context.request(id, *correlation, timeout, *format, payload.bytes(frame))
            });
            (Subject::Request(*correlation), done.map(|()| None))
        }
        Command::Reply { to, format, payload } => {
            let done = context.reply(to.client, to.correlation, *format, payload.bytes(frame));
            (Subject::Reply(*to), done.map(|()| None))
        }
        Command::Taken { messages, round_trip_ns } => {
            (Subject::Text("taken"), context.taken(*messages, *round_trip_ns).map(|()| None))
        }
        Command::Clock { token } => {
            let clock = frames::Clock { token: *token, time_ns: context.now() };
            (Subject::Text("clock"), Ok(Some(Told::Clock(clock))))
        }
        Command::Ping { token } => (Subject::Text("ping"), Ok(Some(Told::Pong(*token)))),
    };
    match done {
        Ok(None) => {}
        Ok(Some(told)) => write(context, |renderer, out| renderer.tell(out, &told)),
        Err(denied) => refuse(context, subject, &denied),
    }
}

fn write(
    context: &mut ClientContext<'_>,
    write: impl FnOnce(&mut WebSocketRenderer, &mut Vec<u8>),
) {
    context.control(|renderer, out| {
        if let Some(renderer) = renderer.websocket() {
            write(renderer, out);
        }
    });
}

/// Pages name topics, and hold none.
fn with_topic(
    context: &mut ClientContext<'_>,
    name: &str,
    act: impl FnOnce(&mut ClientContext<'_>, TopicId) -> Result<(), Denied>,
) -> Result<(), Denied> {
    let topic = context.intern(name)?;
    let done = act(context, topic);
    context.release(topic);
    done
}

fn refuse(context: &mut ClientContext<'_>, subject: Subject<'_>, denied: &Denied) {
    let told = Told::Refused(refused(subject, denied.code, denied.offset, &denied.text));
    context.refuse_by(format_args!("{subject:?}"), denied, |renderer, out| {
        if let Some(renderer) = renderer.websocket() {
            renderer.tell(out, &told);
        }
    });
}

fn refused<'a>(
    subject: Subject<'a>,
    code: u16,
    offset: Option<u32>,
    reason: &'a str,
) -> frames::Refused<'a> {
    let code = code::name(code).unwrap_or("refused");
    frames::Refused { subject, code, offset, reason }
}

/// How far a connection has come, which says what may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// HTTP is spoken.
    Opening,
    /// Frames are.
    Open,
    /// The last word has been said.
    Over,
}

/// Writes what a browser reads.
#[derive(Debug)]
pub struct WebSocketRenderer {
    stage: Stage,
    writer: Writer,
    /// Conflated messages say when they were published.
    times: bool,
}

impl WebSocketRenderer {
    pub(crate) fn new() -> Self {
        Self { stage: Stage::Opening, writer: Writer::default(), times: false }
    }

    /// What the protocol answers by itself; the last of it where the connection is over.
    fn answer(&mut self, out: &mut Vec<u8>, bytes: &[u8], is_over: bool) {
        out.extend_from_slice(bytes);
        if is_over {
            self.stage = Stage::Over;
        }
    }

    fn open(&mut self, out: &mut Vec<u8>, answer: &str, welcome: &Welcome<'_>) {
        out.extend_from_slice(answer.as_bytes());
        self.stage = Stage::Open;
        self.times = welcome.times;
        self.tell(out, &Told::Welcome(*welcome));
    }

    fn tell(&mut self, out: &mut Vec<u8>, told: &Told<'_>) {
        if self.stage == Stage::Open {
            self.writer.tell(out, told);
        }
    }

    /// What is refused otherwise than in answer to a frame: requests whose time is over, and subscriptions that turn
    /// out to be too many.
    pub(crate) fn refused(&mut self, out: &mut Vec<u8>, it: &Refused<'_>) {
        let number = u32::try_from(it.id).unwrap_or(u32::MAX);
        let subject = match it.of {
            kind::SUBSCRIBE => Subject::Subscribe(number),
            kind::UNSUBSCRIBE => Subject::Unsubscribe(number),
            kind::REQUEST => Subject::Request(it.id),
            of => Subject::Text(kind::name(of)),
        };
        self.tell(out, &Told::Refused(refused(subject, it.code, it.offset, it.text)));
    }

    pub(crate) fn reply(&mut self, out: &mut Vec<u8>, correlation: u64, format: u16, it: &[u8]) {
        if self.stage == Stage::Open {
            self.writer.reply(out, correlation, format, it);
        }
    }

    pub(crate) fn ping(&mut self, out: &mut Vec<u8>) {
        if self.stage == Stage::Open {
            frames::ping(out);
        }
    }

    pub(crate) fn close(&mut self, out: &mut Vec<u8>, code: u16, reason: &str) {
        match self.stage {
            Stage::Opening => {
                out.extend_from_slice(unavailable(code == code::SILENT, reason).as_bytes())
            }
            Stage::Open => self.writer.close(out, closes_with(code), reason),
            Stage::Over => {}
        }
        self.stage = Stage::Over;
    }

    #[inline(never)]
    pub(crate) fn message(&mut self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        let reply_to = it.request.map(|request: &Requester| ReplyTo {
            client: request.client.as_u64(),
            correlation: request.correlation,
        });
        let message = Message {
            subscription: it.subscription,
            topic: it.name(),
            sequence: it.sequence,
            replaced: it.conflation.map(|conflation| conflation.replaced),
            age_ns: it.conflation.map(|conflation| conflation.age),
            published_ns: it.conflation.filter(|_| self.times).map(|it| it.published),
            format: it.format,
            reply_to,
            payload: Carried::Binary(0),
        };
        self.writer.message(out, message, it.payload);
    }

    pub(crate) fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        let told = frames::Gap {
            subscription: gap.subscription,
            topic: gap.name(),
            count: gap.count,
            first: gap.first,
            last: gap.last,
            age_ns: gap.age,
        };
        self.tell(out, &Told::Gap(told));
    }
}

/// The code of a frame that closes (RFC 6455, section 7.4.1; 1013 is of its registry).
fn closes_with(code: u16) -> u16 {
    match code {
        code::STOPPING => 1001,
        code::FULL => 1013,
        _ => 1008,
    }
}
