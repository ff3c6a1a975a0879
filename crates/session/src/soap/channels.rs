//! Services over SOAP/TCP, on the port of HTTP.

use std::borrow::Cow;
use std::sync::Arc;

use trunkline_http::{Beside, Peer, Talk, Waiting};

use super::http::{Caller, Site, Travelled, unless_panics};
use super::{Conversation, MessageEncoding, charset};
use crate::soap_tcp::{Content, Limits, MAGIC, Request, ServerSession, Targets, Waits};

/// The transport in profiles.
pub(super) const TRANSPORT: &str = "soap-tcp-1.0";

/// The services of a site, for clients of SOAP/TCP.
pub(super) struct Channels {
    pub(super) site: Arc<Site>,
    pub(super) limits: Limits,
}

impl Beside for Channels {
    fn first_byte(&self) -> u8 {
        MAGIC[0]
    }

    fn connect(&self, peer: &Peer) -> Box<dyn Talk> {
        Box::new(Connection {
            site: Arc::clone(&self.site),
            session: ServerSession::new(self.limits),
            peer: peer.clone(),
            callers: Vec::new(),
            waits: Waits::ForHandshake,
        })
    }
}

impl Targets for Site {
    /// By the path alone, since a host has many names.
    fn find(&self, url: &str) -> Option<usize> {
        let rest = url.split_once("://").map_or(url, |it| it.1);
        let path = rest.find('/').map_or("/", |at| &rest[at..]);
        let path = path.split(['?', '#']).next().unwrap_or(path);
        self.endpoints.iter().position(|it| it.path() == path)
    }
}

/// One connection.
struct Connection {
    site: Arc<Site>,
    session: ServerSession,
    peer: Peer,
    /// By channel, each with its conversation, which retains the channel's vocabulary.
    callers: Vec<(u32, Caller)>,
    waits: Waits,
}

impl Connection {
    fn advance(&mut self) {
        self.waits = self.session.advance(&*self.site);
    }
}

impl Talk for Connection {
    fn receive(&mut self, bytes: &[u8]) {
        self.session.receive(bytes);
        self.advance();
    }

    fn waits(&self) -> Waiting {
        match self.waits {
            Waits::ForHandshake => Waiting::Handshake,
            Waits::ForRequest => Waiting::Request,
            Waits::ForRest => Waiting::Rest,
            Waits::ForAnswer => {
                let length = self.session.request().map_or(0, |it| it.body.len());
                Waiting::Handling(length as u64)
            }
            Waits::End => Waiting::End,
        }
    }

    fn handle(&mut self) {
        let Self { site, session, peer, callers, .. } = self;
        if let Some(number) = session.request().map(|it| it.channel) {
            answer(site, session, caller(callers, number, session, peer));
        }
        self.advance();
    }

    fn reject(&mut self) {
        let text = "queue: as many requests wait as may";
        match self.session.request().is_some_and(|it| is_retained(it.content)) {
            // A message that is not read takes the vocabulary of the later ones with it.
            true => self.session.abort(text),
            false => self.session.reject(text),
        }
        self.advance();
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.session.output()
    }
}

/// Do its messages depend on the earlier ones?
fn is_retained(content: Content) -> bool {
    content.encoding == MessageEncoding::StatefulFastInfoset
}

/// The caller on a channel.
fn caller<'a>(
    callers: &'a mut Vec<(u32, Caller)>,
    number: u32,
    session: &ServerSession,
    peer: &Peer,
) -> &'a mut Caller {
    let place = callers.iter().position(|it| it.0 == number).unwrap_or_else(|| {
        callers.retain(|it| session.has_channel(it.0));
        callers.push((number, Caller::new(peer)));
        callers.len() - 1
    });
    &mut callers[place].1
}

/// Answers the request that waits.
fn answer(site: &Site, session: &mut ServerSession, caller: &mut Caller) {
    let Some(request) = session.request() else { return };
    let Request { target, content, action, .. } = request;
    let encoding = content.encoding;
    let is_retained = is_retained(content);
    let Some(body) = body(&request) else {
        let charset = request.charset.unwrap_or_default();
        let text = format!("the character set {charset:?} is not known here");
        return session.reject(&text);
    };
    let mut travelled = Travelled {
        transport: TRANSPORT,
        encoding,
        compression: "none",
        bytes: body.len(),
        retained: None,
        answer: None,
        answer_bytes: 0,
    };
    let conversation: &mut Conversation = site.conversation(caller, target);
    let answered =
        unless_panics(|| conversation.answer_in([encoding; 2], &body, action, content.version));
    drop(body);
    let Some(answer) = answered else {
        let (fault, version) = site.silent(caller, target);
        if is_retained {
            // What the two sides know of each other's vocabulary is lost.
            session.abort(&fault.reason);
        } else if encoding == MessageEncoding::Xml {
            let envelope = fault.encode(version);
            travelled.answer_bytes = envelope.len();
            session.answer(version, &envelope);
        } else {
            session.reject(&fault.reason);
        }
        return site.forget(caller, target, &travelled, &fault);
    };
    // Who makes a one-way call reads no fault either: the log has it. But one that is written into a
    // vocabulary has to go.
    if answer.bytes.is_empty() || (answer.is_one_way && !is_retained) {
        session.answer_nothing();
    } else {
        travelled.answer_bytes = answer.bytes.len();
        session.answer(answer.version, answer.bytes);
    }
    let outcome = answer.outcome;
    travelled.retained = conversation.retained().filter(|_| is_retained).map(|it| it[0]);
    if conversation.is_broken() {
        let reason = conversation.reason().unwrap_or("a message cannot be read");
        session.end_broken(reason);
    }
    if let Some(log) = &site.log {
        log(&site.report(caller, target, &travelled, outcome));
    }
}

/// The envelope, so that its document need not be told the character set; None if that is not known.
fn body<'a>(request: &Request<'a>) -> Option<Cow<'a, [u8]>> {
    match request.charset {
        Some(charset)
            if request.content.encoding == MessageEncoding::Xml
                && !charset.eq_ignore_ascii_case("utf-8") =>
        {
            charset::read(&format!("text/xml; charset={charset}"), request.body)
        }
        _ => Some(Cow::Borrowed(request.body)),
    }
}
