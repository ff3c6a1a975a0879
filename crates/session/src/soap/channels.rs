//! Services over SOAP/TCP, on the port of HTTP.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use trunkline_http::{Beside, Job, Method, Peer, Talk, Wait, Waiting};
use trunkline_soap::Version;

use super::http::{Caller, Site, Travelled, unless_panics};
use super::{Conversation, MessageEncoding, charset};
use crate::soap_tcp::{
    Content, Limits, MAGIC, Request, ServerSession, TakenRequest, Targets, Waits,
};

/// The transport in profiles.
pub(super) fn transport_name(is_tls: bool) -> &'static str {
    if is_tls { "soap-tcp-1.0-tls" } else { "soap-tcp-1.0" }
}

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
            vocabulary_bytes: self.limits.vocabulary_bytes,
            lent: 0,
            session: ServerSession::new(self.limits),
            peer: peer.clone(),
            callers: Vec::new(),
            waits: Waits::ForHandshake,
            wait: None,
            done: Arc::default(),
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
    /// The limit of what these retain, and what those retained that other threads have.
    vocabulary_bytes: usize,
    lent: usize,
    waits: Waits,
    /// What the answer to its request waits for.
    wait: Option<Wait>,
    /// What other threads have done with requests that were taken.
    done: Arc<Mutex<Vec<Done>>>,
}

/// A request that was taken, and what came of it.
struct Done {
    request: TakenRequest,
    caller: Caller,
    verdict: Verdict,
    answer: Option<(Version, Vec<u8>)>,
    lent: usize,
}

/// A request that is answered on another thread, while others of its connection are.
struct Overlapping {
    site: Arc<Site>,
    /// None once it was answered.
    parts: Option<(TakenRequest, Caller)>,
    lent: usize,
    done: Arc<Mutex<Vec<Done>>>,
}

impl Overlapping {
    fn run(mut self) {
        if let Some((request, mut caller)) = self.parts.take() {
            let mut answer = None;
            caller.blocks = true;
            let verdict = answered(&self.site, &mut caller, &request.request(), |version, it| {
                answer = Some((version, it.to_vec()));
            });
            self.end(Done { request, caller, verdict, answer, lent: self.lent });
        }
    }

    fn end(&self, done: Done) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push(done);
    }
}

impl Drop for Overlapping {
    fn drop(&mut self) {
        if let Some((request, caller)) = self.parts.take() {
            let verdict = refused(request.content);
            self.end(Done { request, caller, verdict, answer: None, lent: self.lent });
        }
    }
}

impl Connection {
    /// Ends the connection if its vocabularies have grown too large, for a channel forgets nothing.
    fn bound(&mut self) {
        let retained: usize = self.callers.iter().map(|it| it.1.retained_bytes()).sum();
        if self.lent + retained > self.vocabulary_bytes {
            let limit = self.vocabulary_bytes;
            let text =
                format!("vocabulary_bytes: the channels of a connection retain {limit} at most");
            self.session.end_broken(&text);
        }
    }

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

    fn rank(&self) -> u64 {
        let request = self.session.request();
        request.map_or(0, |it| self.site.endpoints[it.target].rank(it.action, it.body))
    }

    fn handle(&mut self) {
        let Self { site, session, peer, callers, .. } = self;
        let Some(channel) = session.request().map(|it| it.channel) else { return };
        let mut caller = take_caller(callers, session, channel, peer);
        let Some((request, mut answering)) = session.exchange() else { return };
        // From where it was made it goes straight to what is sent.
        let verdict = answered(site, &mut caller, &request, |version, envelope| {
            answering.answer(version, envelope);
        });
        match verdict {
            Verdict::Waits => {
                self.wait = caller.wait.take();
                return self.callers.push((channel, caller));
            }
            Verdict::Nothing => session.answer_nothing(),
            Verdict::Reject(text) => session.reject(&text),
            Verdict::Abort(text) => session.abort(&text),
            Verdict::Answered { broken } => {
                session.answered();
                broken.iter().for_each(|why| session.end_broken(why));
            }
        }
        self.callers.push((channel, caller));
        self.bound();
        self.advance();
    }

    fn wait(&mut self) -> Option<Wait> {
        self.wait.take()
    }

    fn reject(&mut self) {
        match self.session.request().map(|it| refused(it.content)) {
            Some(Verdict::Abort(text)) => self.session.abort(&text),
            Some(Verdict::Reject(text)) => self.session.reject(&text),
            _ => {}
        }
        self.advance();
    }

    fn take(&mut self) -> Option<Job> {
        let request = self.session.take_request()?;
        let Self { callers, session, peer, .. } = self;
        let caller = take_caller(callers, session, request.channel, peer);
        let (site, done) = (Arc::clone(&self.site), Arc::clone(&self.done));
        let lent = caller.retained_bytes();
        self.lent += lent;
        let overlapping = Overlapping { site, parts: Some((request, caller)), lent, done };
        self.advance();
        Some(Box::new(move || overlapping.run()))
    }

    fn collect(&mut self) {
        let all = std::mem::take(&mut *self.done.lock().unwrap_or_else(PoisonError::into_inner));
        for Done { request, caller, verdict, answer, lent } in all {
            self.lent -= lent;
            let session = &mut self.session;
            match verdict {
                Verdict::Nothing | Verdict::Waits => session.finish_nothing(&request),
                Verdict::Reject(text) => session.finish_rejected(&request, &text),
                Verdict::Abort(text) => session.finish_aborted(&request, &text),
                Verdict::Answered { broken } => {
                    answer.iter().for_each(|(version, it)| session.finish(&request, *version, it));
                    broken.iter().for_each(|why| session.end_broken(why));
                }
            }
            if session.has_channel(request.channel) {
                self.callers.push((request.channel, caller));
                self.bound();
            }
            self.advance();
        }
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.session.output()
    }
}

/// Do its messages depend on the earlier ones?
fn is_retained(content: Content) -> bool {
    content.encoding == MessageEncoding::StatefulFastInfoset
}

/// The caller on a channel, to be given back.
fn take_caller(
    callers: &mut Vec<(u32, Caller)>,
    session: &ServerSession,
    number: u32,
    peer: &Peer,
) -> Caller {
    if let Some(place) = callers.iter().position(|it| it.0 == number) {
        return callers.swap_remove(place).1;
    }
    callers.retain(|it| session.has_channel(it.0));
    Caller::new(peer)
}

/// What a session does with a request.
enum Verdict {
    /// Its answer is waited for; not of one that was taken.
    Waits,
    /// There is no answer.
    Nothing,
    Reject(String),
    Abort(String),
    /// It has been answered.
    Answered {
        /// Why the connection ends behind it.
        broken: Option<String>,
    },
}

/// So many requests wait that this one does not.
fn refused(content: Content) -> Verdict {
    unread(content, "queue: as many requests wait as may".to_owned())
}

/// A message that is not read takes the vocabulary of the later ones with it.
fn unread(content: Content, why: String) -> Verdict {
    match is_retained(content) {
        true => Verdict::Abort(why),
        false => Verdict::Reject(why),
    }
}

/// Answers a request. `answer` is called with the envelope where the verdict is [`Verdict::Answered`].
fn answered(
    site: &Site,
    caller: &mut Caller,
    request: &Request<'_>,
    answer: impl FnOnce(Version, &[u8]),
) -> Verdict {
    let Request { target, content, action, .. } = *request;
    let path = site.endpoints[target].path();
    if !std::mem::take(&mut caller.is_waiting) {
        match site.admit(caller, &Method::POST, path, None) {
            Ok(known) => site.introduce(caller, target, known, None),
            Err(refusal) => return unread(content, refusal.reason().to_owned()),
        }
    }
    let encoding = content.encoding;
    let is_retained = is_retained(content);
    let Some(body) = body(request) else {
        let charset = request.charset.unwrap_or_default();
        return Verdict::Reject(format!("the character set {charset:?} is not known here"));
    };
    let mut travelled = Travelled {
        transport: transport_name(site.is_tls),
        encoding,
        compression: "none",
        bytes: body.len(),
        retained: None,
        answer: None,
        answer_bytes: 0,
        ignores_login: false,
    };
    let conversation: &mut Conversation = site.conversation(caller, target);
    // Nobody asks for it otherwise.
    let is_reported = is_retained && site.is_reported();
    let before = is_reported.then(|| conversation.retained()).flatten();
    let answered =
        unless_panics(|| conversation.answer_in([encoding; 2], &body, action, content.version));
    let Some(made) = answered else {
        return panicked(site, caller, target, encoding, travelled, answer);
    };
    if made.waits {
        site.begin_to_wait(caller, target);
        return Verdict::Waits;
    }
    // Who makes a one-way call reads no fault either: the log has it. But one that is written into a
    // vocabulary has to go.
    let has_answer = !made.bytes.is_empty() && (!made.is_one_way || is_retained);
    if has_answer {
        travelled.answer_bytes = made.bytes.len();
        answer(made.version, made.bytes);
    }
    let outcome = made.outcome;
    travelled.retained = is_reported.then(|| conversation.retained()).flatten().map(|it| it[0]);
    let reason = conversation.reason().unwrap_or("a message cannot be read");
    let broken = conversation.is_broken().then(|| reason.to_owned());
    site.tell(caller, target, &travelled, outcome, before);
    match (has_answer, broken) {
        (true, broken) => Verdict::Answered { broken },
        (false, None) => Verdict::Nothing,
        (false, Some(why)) => Verdict::Abort(why),
    }
}

/// Answers for a function that panicked.
#[cold]
fn panicked(
    site: &Site,
    caller: &mut Caller,
    target: usize,
    encoding: MessageEncoding,
    mut travelled: Travelled,
    answer: impl FnOnce(Version, &[u8]),
) -> Verdict {
    let (fault, version) = site.silent(caller, target);
    let verdict = match encoding {
        // What the two sides know of each other's vocabulary is lost.
        MessageEncoding::StatefulFastInfoset => Verdict::Abort(fault.reason.clone()),
        MessageEncoding::FastInfoset => Verdict::Reject(fault.reason.clone()),
        MessageEncoding::Xml => {
            let envelope = fault.encode(version);
            travelled.answer_bytes = envelope.len();
            answer(version, &envelope);
            Verdict::Answered { broken: None }
        }
    };
    site.forget(caller, target, &travelled, &fault);
    verdict
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
