//! A browser's connection: texts of JSON become calls, deliveries become texts.

use std::num::NonZeroU32;

use trunkline_native::code;
use trunkline_router::SubscriptionOptions;
use tungstenite::Bytes;

use super::login::Login;
use super::renderer::rejected;
use super::rights::RememberedRights;
use super::{
    Clock, Command, Incoming, Origins, Outgoing, Reader, Requested, Settings, Subject,
    WebSocketRenderer, Welcome, guaranteed,
};
use crate::router::{
    Accepted, ClientContext, ClientRenderer, ConnectionProducer, Greeting, Narrowing, Rejected,
};

/// Version of the protocol in JSON.
const VERSION: u16 = 1;
/// The number of bytes that a rejection quotes of a text that is not a command.
const QUOTED: usize = 80;

/// Reads what one browser sends.
#[derive(Debug)]
pub struct WebSocketSession {
    reader: Reader,
    /// The command that waits for its payload, the next frame.
    pending: Option<Command<'static>>,
    /// The command for which there was no room, with its payload; it is the next one.
    held: Option<(Command<'static>, Bytes)>,
    producer: ConnectionProducer,
    /// Answers of the protocol itself, such as PONG.
    answers: Vec<u8>,
    /// The client, until it is taken in.
    opening: Option<Box<Opening>>,
    rights: RememberedRights,
}

/// A client that has sent the request that opens, and is not taken in yet.
#[derive(Debug)]
struct Opening {
    requested: Requested,
    login: Option<Login>,
    /// The answer to the request, unless it has been sent.
    answer: String,
    /// Its first text is to show who it is.
    awaits_login: bool,
}

impl WebSocketSession {
    /// Bytes of a message that has come in part, or has no room yet.
    pub(crate) fn kept(&self) -> usize {
        self.reader.kept() + self.held.as_ref().map_or(0, |(_, payload)| payload.len())
    }

    /// Reads a connection that has just been accepted.
    pub fn new(accepted: &Accepted<'_>) -> Self {
        let settings = Settings {
            origins: Origins::new(accepted.origins),
            message_bytes: usize::try_from(accepted.frame_bytes).unwrap_or(usize::MAX),
            over_loopback: accepted.is_over_loopback,
        };
        Self {
            reader: Reader::new(settings),
            pending: None,
            held: None,
            producer: ConnectionProducer::default(),
            answers: Vec::new(),
            opening: None,
            rights: RememberedRights::default(),
        }
    }

    /// Handles what is whole in `bytes`, and says how many bytes are done with.
    pub fn received(&mut self, context: &mut impl ClientContext, bytes: &[u8]) -> usize {
        let mut input = bytes;
        while context.is_open() && context.may_go_on() {
            if let Some(opening) = self.opening.take_if(|it| !it.awaits_login)
                && !self.admit(context, &opening)
            {
                self.opening = Some(opening);
                break;
            }
            let goes_on = match self.held.take() {
                Some((command, payload)) => self.execute(context, command, payload),
                None => self.read(context, &mut input),
            };
            if !goes_on {
                break;
            }
        }
        // Frames of a client that was told to go are ignored.
        if context.is_open() { bytes.len() - input.len() } else { bytes.len() }
    }

    /// Handles what comes next; false if nothing more can be handled now.
    fn read(&mut self, context: &mut impl ClientContext, input: &mut &[u8]) -> bool {
        let next = self.reader.next(input, &mut self.answers);
        let is_over = next.is_err();
        if !self.answers.is_empty() {
            let answers = &self.answers;
            write(context, |renderer, out| renderer.answer(out, answers, is_over));
            self.answers.clear();
        }
        match next {
            Ok(None) => return false,
            Ok(Some(incoming)) => return self.incoming(context, incoming),
            Err(ended) => context.close(code::BAD_FRAME, &ended.reason),
        }
        true
    }

    fn incoming(&mut self, context: &mut impl ClientContext, incoming: Incoming) -> bool {
        match incoming {
            Incoming::Opened { requested, login, mut answer } => {
                let awaits_login = requested.has_login;
                if awaits_login {
                    write(context, |renderer, out| renderer.upgrade(out, &answer));
                    answer.clear();
                }
                let opening = Opening { requested, login, answer, awaits_login };
                self.opening = Some(Box::new(opening));
            }
            Incoming::Text(_) if self.pending.is_some() => {
                context.close(code::BAD_FRAME, "a text where a binary frame was announced");
            }
            Incoming::Text(text) => return self.text(context, &text),
            Incoming::Binary(payload) => match self.pending.take() {
                Some(command) => return self.execute(context, command, payload),
                None => context.close(
                    code::BAD_FRAME,
                    "a binary frame without a text before it that says \"binary\": true",
                ),
            },
            Incoming::Heartbeat => {}
        }
        true
    }

    fn text(&mut self, context: &mut impl ClientContext, text: &str) -> bool {
        if let Some(opening) = &mut self.opening {
            match Login::parse(text) {
                Ok(login) => (opening.login, opening.awaits_login) = (Some(login), false),
                Err(error) => context.close(code::UNAUTHENTICATED, &error),
            }
            return true;
        }
        match Command::parse(text) {
            Ok(command) if command.awaits_payload() => self.pending = Some(command.into_owned()),
            Ok(command) => return self.execute(context, command, Bytes::new()),
            Err(error) => {
                let beginning = &text[..text.floor_char_boundary(QUOTED)];
                let rejected = Rejected::new(code::BAD_FRAME, error.to_string());
                reject(context, Subject::Text(beginning), &rejected);
            }
        }
        true
    }

    /// Executes a command with the payload that is not in its text. False if there is no room for it: then it is
    /// held, and comes first when the client may go on.
    fn execute(
        &mut self,
        context: &mut impl ClientContext,
        command: Command<'_>,
        payload: Bytes,
    ) -> bool {
        let is_done = match &command {
            Command::Guaranteed(it) => {
                guaranteed::execute(context, (&mut self.producer, &mut self.rights), it, &payload)
            }
            direct => self.execute_direct(context, direct, &payload),
        };
        if !is_done {
            self.held = Some((command.into_owned(), payload));
        }
        is_done
    }

    /// Takes the client in; false if it is not taken in yet, or not at all.
    fn admit(&mut self, context: &mut impl ClientContext, opening: &Opening) -> bool {
        let Requested { name, limits, uses_credit, times, notices, has_login } = &opening.requested;
        let credentials = opening.login.as_ref().map(Login::credentials);
        let greeting = Greeting { name, limits: *limits, uses_credit: *uses_credit, credentials };
        if !context.greet(&greeting) {
            return false;
        }
        if *has_login {
            self.reader.admit();
        }
        let welcome = Welcome {
            version: VERSION,
            name,
            frame_bytes: context.frame_bytes(),
            subscriptions: context.subscriptions(),
            credit: *uses_credit,
            times: *times,
            notices: *notices,
        };
        write(context, |renderer, out| renderer.open(out, &opening.answer, &welcome));
        true
    }

    /// Executes a command of direct delivery; `frame` is the payload if it is not in the text. False if the command is to
    /// come again.
    fn execute_direct(
        &mut self,
        context: &mut impl ClientContext,
        command: &Command<'_>,
        frame: &[u8],
    ) -> bool {
        let (subject, done) = match command {
            Command::Subscribe { subscription, .. } => {
                let done = match subscribe(context, command) {
                    Ok(None) => return false,
                    done => done.map(|_| Some(Outgoing::Subscribed(*subscription))),
                };
                (Subject::Subscribe(*subscription), done)
            }
            Command::Unsubscribe { subscription } => {
                let is_consumer = context.detach(*subscription);
                let done = if is_consumer { Ok(()) } else { context.unsubscribe(*subscription) };
                let answer = Outgoing::Unsubscribed(*subscription);
                (Subject::Unsubscribe(*subscription), done.map(|()| Some(answer)))
            }
            Command::Publish { topic, clears_last_value, format, payload } => {
                let done = self.rights.with_topic(context, topic, |context, topic| {
                    context.publish(topic, *format, payload.bytes(frame))?;
                    if *clears_last_value {
                        context.clear_last_value(topic.id);
                    }
                    Ok(())
                });
                (Subject::Publish(topic), done.map(|()| None))
            }
            Command::Request { topic, correlation, timeout_ms, format, payload } => {
                let timeout = u64::from(*timeout_ms) * 1_000_000;
                let done = self.rights.with_topic(context, topic, |context, topic| {
                    context.request(topic, *correlation, timeout, *format, payload.bytes(frame))
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
                let clock = Clock { token: *token, time_ns: context.now() };
                (Subject::Text("clock"), Ok(Some(Outgoing::Clock(clock))))
            }
            // The caller has those.
            Command::Guaranteed(_) => return true,
            Command::Ping { token } => (Subject::Text("ping"), Ok(Some(Outgoing::Pong(*token)))),
        };
        match done {
            Ok(None) => {}
            Ok(Some(answer)) => write(context, |renderer, out| renderer.write(out, &answer)),
            Err(rejected) => reject(context, subject, &rejected),
        }
        true
    }
}

/// Subscribes; None if the command is to come again.
fn subscribe(
    context: &mut impl ClientContext,
    command: &Command<'_>,
) -> Result<Option<()>, Rejected> {
    let Command::Subscribe {
        subscription,
        pattern,
        updates_per_second,
        conflate,
        last_values,
        wants_format,
        filter,
        fields,
    } = command
    else {
        return Ok(Some(()));
    };
    let options = SubscriptionOptions {
        updates_per_second: updates_per_second.and_then(NonZeroU32::new),
        conflate: *conflate,
        last_values: *last_values,
        ..SubscriptionOptions::default()
    };
    let wanted = Narrowing { pattern, format: *wants_format, filter, fields };
    context.subscribe_narrowed(*subscription, &wanted, options)
}

pub(super) fn write(
    context: &mut impl ClientContext,
    write: impl FnOnce(&mut WebSocketRenderer, &mut Vec<u8>),
) {
    context.control(|renderer, out| {
        if let ClientRenderer::WebSocket(renderer) = renderer {
            write(renderer, out);
        }
    });
}

pub(super) fn reject(context: &mut impl ClientContext, subject: Subject<'_>, why: &Rejected) {
    let answer = rejected(subject, why.code, why.offset, &why.text);
    context.reject_by(format_args!("{subject:?}"), why, |renderer, out| {
        if let ClientRenderer::WebSocket(renderer) = renderer {
            renderer.write(out, &answer);
        }
    });
}
