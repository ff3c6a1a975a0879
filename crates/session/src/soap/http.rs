//! SOAP over HTTP: SOAP 1.1 section 6, SOAP 1.2 part 2 section 7, RFC 3902.

mod pages;
mod streaming;

use std::fmt;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use trunkline_http::{
    self as http, Body, Config, Handler, HeaderMap, HeaderValue, Method, Peer, Request, Response,
    Rest, StatusCode, Streamed, Wait, header,
};
use trunkline_soap::{Fault, FaultCode, Version};

use super::admission::{Admission, Arrival, Refusal, RefusalLog, Remembered};
use super::arrived::Arrived;
use super::asynchronous::{Gate, silent};
use super::channels::Channels;
use super::media::{answer_encoding, media};
use super::metrics::Metrics;
use super::public::Public;
use super::service::{Endpoint, Service, ServiceError};
use super::vocabularies::Vocabularies;
use super::wsdl::Offer;
use super::{Binding, CallReport, Conversation, Log, MessageEncoding, Outcome};
use crate::soap_tcp::Limits;
use crate::{Profile, Retained};

/// Serves services over HTTP, and on the same port over [SOAP/TCP](crate::soap_tcp), both with TLS if the port has
/// it. A function that panics is answered for by a receiver's fault, and its connection goes on.
#[derive(Default)]
pub struct Server {
    services: Vec<Service>,
    config: Config,
    log: Option<Arc<Log>>,
    refusals: Option<Box<RefusalLog>>,
    is_timed: bool,
    admission: Option<Admission>,
    keeps_http_headers: bool,
    public_address: Option<String>,
    trusts_forwarded: bool,
    offer: Offer,
    metrics: Option<String>,
    vocabularies: Vocabularies,
    waiting_calls: Option<usize>,
    traces_calls: bool,
}

/// How many calls wait at most, unless it is said.
const WAITING_CALLS: usize = 4096;

/// A server that runs; it stops when dropped.
#[derive(Debug)]
pub struct Running {
    http: http::Running,
}

/// Why a server does not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// A service cannot be served.
    Service(ServiceError),
    /// [`Server::public_address`] is none.
    PublicAddress(String),
    /// Nobody can connect to the address, or the options do not fit together.
    Http(http::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(error) => write!(out, "{error}"),
            Self::PublicAddress(address) => {
                write!(
                    out,
                    "the public address {address:?} is not http://HOST or https://HOST, with or without a path"
                )
            }
            Self::Http(error) => write!(out, "{error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<ServiceError> for StartError {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}

impl From<http::Error> for StartError {
    fn from(error: http::Error) -> Self {
        Self::Http(error)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Server")
            .field("services", &self.services)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// A server without services.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a service, at the paths of its bindings.
    #[must_use]
    pub fn service(mut self, service: Service) -> Self {
        self.services.push(service);
        self
    }

    /// Options of HTTP: limits, time-outs, workers, TLS.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Gets a report of every call, on the thread that answers it.
    #[must_use]
    pub fn on_call(mut self, log: impl Fn(&CallReport<'_>) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(log));
        self
    }

    /// Looks at every request before its envelope is read, on the thread that answers it: calls, also over SOAP/TCP,
    /// and what is asked for by GET. It gives who calls, where that is told by something else than the caller's
    /// certificate: then that is the [identity](super::Context::identity) of the call, in the log too.
    #[must_use]
    pub fn before(
        mut self,
        rule: impl Fn(&Arrival<'_>) -> Result<Option<String>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.admission = Some(Admission::By(Box::new(rule)));
        self
    }

    /// Admits who shows a user name and a password (RFC 7617) that the function knows, in place of what
    /// [`before`](Self::before) does. It is asked once for a login on each connection, so that it may take its time
    /// to hash; what it takes away holds for new connections. Passwords travel as they are: use TLS. SOAP/TCP
    /// carries no login, so that its callers are rejected.
    #[must_use]
    pub fn basic(
        mut self,
        realm: &str,
        is_known: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.admission = Some(Admission::basic(realm, Box::new(is_known)));
        self
    }

    /// Learns of every request that [`before`](Self::before) or [`basic`](Self::basic) turns away, on the thread that
    /// answers it.
    #[must_use]
    pub fn on_refusal(
        mut self,
        log: impl Fn(&Arrival<'_>, &Refusal) + Send + Sync + 'static,
    ) -> Self {
        self.refusals = Some(Box::new(log));
        self
    }

    /// Functions see the headers of HTTP, by [`Context::http_headers`](super::Context::http_headers). That costs a copy for each call.
    #[must_use]
    pub fn keep_http_headers(mut self) -> Self {
        self.keeps_http_headers = true;
        self
    }

    /// Where clients reach this server, such as `https://shop.example.org` or
    /// `https://example.org/shop`; WSDLs have the paths of their services behind it. By default they
    /// have `https` where the server has TLS, else `http`, and the Host that was asked.
    #[must_use]
    pub fn public_address(mut self, url: &str) -> Self {
        self.public_address = Some(url.to_owned());
        self
    }

    /// WSDLs have the scheme and host of `X-Forwarded-Proto` and `X-Forwarded-Host`. Only for a server
    /// that nobody reaches but through a proxy that sets both: otherwise, whoever asks for a WSDL says
    /// what is in it, and a cache on the way gives that to others.
    #[must_use]
    pub fn trust_forwarded(mut self) -> Self {
        self.trusts_forwarded = true;
        self
    }

    /// WSDLs have the policy by which Metro's clients, if they select the optimal transport, change from
    /// HTTP to SOAP/TCP by themselves. Only for a server that they reach without a proxy of HTTP
    /// between. With TLS there is none, since they know no SOAP/TCP with it.
    #[must_use]
    pub fn offer_soap_tcp(mut self) -> Self {
        self.offer.channels = true;
        self
    }

    /// WSDLs have the policy by which Metro's clients, if they select the optimal encoding, change from XML to Fast
    /// Infoset by themselves. It is read and answered in any case.
    #[must_use]
    pub fn offer_fast_infoset(mut self) -> Self {
        self.offer.fast_infoset = true;
        self
    }

    /// WSDLs have the policy by which Metro's clients send octets as MTOM by themselves. It is read, and answered so, in
    /// any case.
    #[must_use]
    pub fn offer_mtom(mut self) -> Self {
        self.offer.mtom = true;
        self
    }

    /// Counts calls, bytes and vocabularies by how messages travelled, and shows them at this path, such as
    /// `/metrics`, in the text format of Prometheus.
    #[must_use]
    pub fn metrics_at(mut self, path: &str) -> Self {
        self.metrics = Some(path.to_owned());
        self
    }

    /// What the vocabularies of Fast Infoset may hold, in place of the defaults.
    #[must_use]
    pub fn vocabularies(mut self, vocabularies: Vocabularies) -> Self {
        self.vocabularies = vocabularies;
        self
    }

    /// How many calls of [`operation_async`](Service::operation_async) may wait for their answers at once, of all connections
    /// together; 4096 by default. One more is answered by a receiver's fault, over HTTP by the status 503 with
    /// `Retry-After`; its function is not called.
    #[must_use]
    pub fn waiting_calls(mut self, most: usize) -> Self {
        self.waiting_calls = Some(most);
        self
    }

    /// Tells each call as a span of OpenTelemetry, to the provider of tracers that the process has
    /// (`opentelemetry::global`). It belongs to the trace of the headers with which it came over HTTP; calls of clients that the function
    /// makes belong to it. The status is an error after a receiver's fault.
    #[cfg(feature = "opentelemetry")]
    #[must_use]
    pub fn trace_calls(mut self) -> Self {
        self.traces_calls = true;
        self
    }

    /// Reports say how long decoding, the function and encoding took.
    #[must_use]
    pub fn time_stages(mut self) -> Self {
        self.is_timed = true;
        self
    }

    /// Answers on an address such as `127.0.0.1:8080`; the system picks a port for 0.
    ///
    /// # Errors
    /// A service that cannot be served, a path that two of them have, a public address that is none, an
    /// address that nobody can connect to.
    pub fn start(self, address: &str) -> Result<Running, StartError> {
        let mut endpoints: Vec<Endpoint> = Vec::new();
        for service in self.services {
            for endpoint in service.build()? {
                if let Some(other) = endpoints.iter().find(|it| it.path() == endpoint.path()) {
                    let text = format!("{other:?} and {endpoint:?} have the same path");
                    return Err(ServiceError(text).into());
                }
                endpoints.push(endpoint);
            }
        }
        let is_tls = self.config.tls.is_some();
        let public = match self.public_address {
            None => Public::OfRequest { is_tls, trusts_forwarded: self.trusts_forwarded },
            Some(url) => Public::at(url).map_err(StartError::PublicAddress)?,
        };
        let vocabularies = self.vocabularies;
        let limits = Limits {
            message_bytes: self.config.body_bytes,
            vocabulary_bytes: vocabularies.connection_bytes,
            ..Limits::default()
        };
        let (log, is_timed) = (self.log, self.is_timed);
        let offer = Offer { channels: self.offer.channels && !is_tls, ..self.offer };
        let metrics = self.metrics.map(|path| (path, Metrics::default()));
        let gate = Gate::new(self.waiting_calls.unwrap_or(WAITING_CALLS));
        let may_wait = endpoints.iter().any(Endpoint::may_wait);
        let Self { admission, refusals, keeps_http_headers, .. } = self;
        let site = Site {
            endpoints,
            log,
            is_timed,
            is_tls,
            refusals,
            admission,
            keeps_http_headers,
            public,
            offer,
            metrics,
            vocabularies,
            gate,
            may_wait,
            traces_calls: self.traces_calls,
            retry_after: self.config.retry_after.as_secs(),
            body_bytes: self.config.body_bytes,
        };
        let site = Arc::new(site);
        let channels = Channels { site: Arc::clone(&site), limits };
        let http = http::Server::bind(address, self.config)?.beside(channels).serve(site)?;
        Ok(Running { http })
    }
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// The traffic of its connections so far.
    pub fn counters(&self) -> http::Counters {
        self.http.counters()
    }

    /// Waits for ever, for a program that does nothing else.
    pub fn wait(self) {
        self.http.wait();
    }

    /// Stops: accepts no connections, lets running calls finish, and waits for them.
    pub fn stop(self) {
        self.http.stop();
    }
}

/// All endpoints of a server.
pub(super) struct Site {
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) log: Option<Arc<Log>>,
    is_timed: bool,
    pub(super) is_tls: bool,
    refusals: Option<Box<RefusalLog>>,
    admission: Option<Admission>,
    keeps_http_headers: bool,
    public: Public,
    offer: Offer,
    /// With their path.
    metrics: Option<(String, Metrics)>,
    vocabularies: Vocabularies,
    gate: Arc<Gate>,
    may_wait: bool,
    traces_calls: bool,
    /// In seconds.
    retry_after: u64,
    /// Of a request that is not read as it comes.
    body_bytes: usize,
}

/// The state of a connection: a conversation with each endpoint that was called.
pub(super) struct Caller {
    address: SocketAddr,
    /// The subject of the certificate.
    identity: Option<String>,
    login: Remembered,
    conversations: Vec<(usize, Conversation)>,
    /// What its request waits for, until somebody does, and whether it does.
    pub(super) wait: Option<Wait>,
    pub(super) is_waiting: bool,
    /// Of the request that waits, and of its answer.
    encodings: [MessageEncoding; 2],
    /// Do calls wait in place, on a thread of their own?
    pub(super) blocks: bool,
    /// Who calls by a request that was begun as it came, and is wanted as a whole.
    begun: Option<Option<String>>,
}

impl Caller {
    pub(super) fn new(peer: &Peer) -> Self {
        let identity = peer.tls.as_ref().and_then(|tls| tls.subject.clone());
        Self {
            address: peer.address,
            identity,
            login: Remembered::default(),
            conversations: Vec::new(),
            wait: None,
            is_waiting: false,
            encodings: Default::default(),
            blocks: false,
            begun: None,
        }
    }

    /// Bytes of the vocabularies that its conversations retain, in both directions.
    pub(super) fn retained_bytes(&self) -> usize {
        let all = self.conversations.iter().filter_map(|it| it.1.retained()).flatten();
        all.map(|it| it.size.bytes).sum()
    }
}

/// How a request and its answer travelled.
pub(super) struct Travelled {
    pub(super) transport: &'static str,
    pub(super) encoding: MessageEncoding,
    pub(super) compression: &'static str,
    pub(super) bytes: usize,
    /// The vocabulary that the request added to, if it is retained.
    pub(super) retained: Option<Retained>,
    /// The encoding of the answer, if it is another one.
    pub(super) answer: Option<MessageEncoding>,
    pub(super) answer_bytes: usize,
    /// Did it come with a login, where nobody looks at logins?
    pub(super) ignores_login: bool,
}

impl Handler for Site {
    type Connection = Caller;

    fn connect(&self, peer: &Peer) -> Caller {
        Caller::new(peer)
    }

    fn handle(&self, caller: &mut Caller, request: &Request<'_>, response: &mut Response) {
        let (path, headers) = (request.path, Some(request.headers));
        let is_resumed = std::mem::take(&mut caller.is_waiting);
        let begun = caller.begun.take();
        let is_begun = begun.is_some();
        let known = match begun {
            Some(known) => Ok(known),
            None if is_resumed => Ok(None),
            None => self.admit(caller, request.method, path, headers),
        };
        let known = match known {
            Ok(known) => known,
            Err(refusal) => {
                *response = refusal.response();
                return;
            }
        };
        let Some(index) = self.endpoints.iter().position(|it| it.path() == request.path) else {
            *response = match &self.metrics {
                Some((path, metrics)) if path == request.path => {
                    let mut page = Response::text(StatusCode::OK, &metrics.render());
                    page.content_type("text/plain; version=0.0.4; charset=utf-8");
                    page
                }
                _ => self.nothing_here(request.path),
            };
            return;
        };
        let endpoint = &self.endpoints[index];
        match *request.method {
            Method::POST => {
                if !is_resumed {
                    self.introduce(caller, index, known, headers);
                    if self.traces_calls {
                        self.conversation(caller, index).telemetry().arrive(request.headers);
                    }
                }
                if is_resumed || is_begun || !self.stream_whole(caller, index, request, response) {
                    self.post(caller, index, is_resumed, request, response);
                }
            }
            Method::GET | Method::HEAD => *response = self.get(endpoint, request),
            _ => *response = rejection(StatusCode::METHOD_NOT_ALLOWED, "POST an envelope here"),
        }
    }

    fn rank(&self, request: &Request<'_>) -> u64 {
        let endpoint = self.endpoints.iter().find(|it| it.path() == request.path);
        // What is no call is answered at once.
        let Some(endpoint) = endpoint.filter(|_| *request.method == Method::POST) else { return 0 };
        let action = media(request).map_or("", |it| it.2);
        let envelope = if request.compression.is_none() { request.body } else { &[] };
        endpoint.rank(action, envelope)
    }

    fn streams(&self, method: &Method, path: &str, headers: &HeaderMap) -> bool {
        method == Method::POST && self.may_stream(path, headers)
    }

    fn handle_stream(
        &self,
        caller: &mut Caller,
        request: &Request<'_>,
        body: Body,
        response: &mut Response,
    ) -> Streamed {
        self.begin_stream(caller, request, body, response)
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }

    fn wait(&self, caller: &mut Caller) -> Option<Wait> {
        caller.wait.take()
    }
}

impl Site {
    /// Who calls, if that is told by something else than the certificate.
    pub(super) fn admit(
        &self,
        caller: &mut Caller,
        method: &Method,
        path: &str,
        headers: Option<&HeaderMap>,
    ) -> Result<Option<String>, Refusal> {
        let Some(admission) = &self.admission else { return Ok(None) };
        let Caller { address, identity, login, .. } = caller;
        let certificate = identity.as_deref();
        let arrival = Arrival { caller: *address, certificate, method, path, headers };
        let admitted = admission.admit(&arrival, login);
        if let (Err(refusal), Some(log)) = (&admitted, &self.refusals) {
            log(&arrival, refusal);
        }
        admitted
    }

    /// Tells the conversation who calls.
    pub(super) fn introduce(
        &self,
        caller: &mut Caller,
        index: usize,
        known: Option<String>,
        headers: Option<&HeaderMap>,
    ) {
        if self.admission.is_none() && !self.keeps_http_headers {
            return;
        }
        let identity = known.or_else(|| caller.identity.clone());
        let headers = headers.filter(|_| self.keeps_http_headers).cloned();
        self.conversation(caller, index).introduce(identity, headers);
    }

    fn post(
        &self,
        caller: &mut Caller,
        index: usize,
        is_resumed: bool,
        request: &Request<'_>,
        response: &mut Response,
    ) {
        // What waited was read before.
        let arrived = (!is_resumed).then(|| Arrived::of(request, self.endpoints[index].limits()));
        let arrived = match arrived.transpose() {
            Ok(arrived) => arrived,
            Err((status, text)) => {
                *response = rejection(status, &text);
                response.headers.remove(header::ALLOW);
                return;
            }
        };
        self.answer(caller, index, arrived, request, response);
    }

    /// Answers what has arrived, or what waited.
    fn answer(
        &self,
        caller: &mut Caller,
        index: usize,
        arrived: Option<Arrived<'_>>,
        request: &Request<'_>,
        response: &mut Response,
    ) {
        let received = arrived.as_ref().map(|it| it.received);
        let encodings = received.map_or(caller.encodings, |it| [it, answer_encoding(request, it)]);
        let conversation = self.conversation(caller, index);
        let answered = unless_panics(|| match &arrived {
            Some(it) => {
                let call = (&*it.action, it.version);
                conversation.answer_attached(encodings, it.envelope(), call, it.accepted)
            }
            None => conversation.resume(encodings),
        });
        let [received, sent] = encodings;
        let Some(answer) = answered else {
            self.panicked(caller, index, request, response);
            return;
        };
        if answer.waits {
            caller.encodings = encodings;
            self.begin_to_wait(caller, index);
            return;
        }
        let is_sender_bad_request = self.endpoints[index].0.service.is_sender_bad_request;
        response.status = match (answer.outcome, answer.version) {
            _ if answer.is_busy => {
                response.headers.insert(header::RETRY_AFTER, self.retry_after.into());
                StatusCode::SERVICE_UNAVAILABLE
            }
            (Outcome::Reply, _) => StatusCode::OK,
            (Outcome::Taken, _) => StatusCode::ACCEPTED,
            (Outcome::Fault(FaultCode::Sender), Version::Soap12) if is_sender_bad_request => {
                StatusCode::BAD_REQUEST
            }
            (Outcome::Fault(_), _) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        if !answer.bytes.is_empty() {
            match answer.media_type.map(HeaderValue::try_from) {
                Some(Ok(package)) => _ = response.headers.insert(header::CONTENT_TYPE, package),
                _ => response.content_type(sent.media_type(answer.version)),
            }
            response.body.extend_from_slice(answer.bytes);
        }
        let outcome = answer.outcome;
        let context = self.conversation(caller, index).context_mut();
        response.rest = context.take_rest().map(Rest::new);
        let streamed = context.streamed_bytes();
        if self.is_reported() {
            let mut travelled = self.travelled(request, response);
            travelled.bytes += streamed;
            let is_other = sent != received && travelled.answer_bytes > 0;
            travelled.answer = Some(sent).filter(|_| is_other);
            self.tell(caller, index, &travelled, outcome, None);
        }
    }

    /// The caller's request waits for what its conversation waits for, and is answered again then.
    pub(super) fn begin_to_wait(&self, caller: &mut Caller, index: usize) {
        caller.wait = self.conversation(caller, index).take_wait();
        caller.is_waiting = true;
    }

    /// Does anybody want to know of calls?
    pub(super) fn is_reported(&self) -> bool {
        self.log.is_some() || self.metrics.is_some()
    }

    /// Counts a call and reports it; `before` is what was retained before it.
    pub(super) fn tell(
        &self,
        caller: &mut Caller,
        index: usize,
        travelled: &Travelled,
        outcome: Outcome,
        before: Option<[Retained; 2]>,
    ) {
        if let Some((_, metrics)) = &self.metrics {
            let conversation = self.conversation(caller, index);
            let version = conversation.context().version();
            let after = travelled.retained.and(conversation.retained());
            metrics.count(travelled, version, outcome, before, after);
        }
        if let Some(log) = &self.log {
            log(&self.report(caller, index, travelled, outcome));
        }
    }

    fn travelled(&self, request: &Request<'_>, response: &Response) -> Travelled {
        Travelled {
            transport: transport_name(request.version, self.is_tls),
            encoding: media(request).map(|it| it.1).unwrap_or_default(),
            compression: request.compression.map_or("none", |it| it.name()),
            bytes: request.body.len(),
            retained: None,
            answer: None,
            answer_bytes: response.body.len(),
            ignores_login: self.admission.is_none()
                && request.headers.contains_key(header::AUTHORIZATION),
        }
    }

    /// Answers for a function that panicked.
    #[cold]
    fn panicked(
        &self,
        caller: &mut Caller,
        index: usize,
        request: &Request<'_>,
        response: &mut Response,
    ) {
        let (fault, version) = self.silent(caller, index);
        response.status = StatusCode::INTERNAL_SERVER_ERROR;
        response.content_type(MessageEncoding::Xml.media_type(version));
        response.body = fault.encode(version);
        let travelled = self.travelled(request, response);
        self.forget(caller, index, &travelled, &fault);
    }

    /// The fault of a function that panicked, and the SOAP that it is told in.
    pub(super) fn silent(&self, caller: &mut Caller, index: usize) -> (Fault, Version) {
        let context = self.conversation(caller, index).context();
        (silent(context.operation()), context.version())
    }

    /// Reports a function that panicked, and drops its conversation, whose state is unknown.
    pub(super) fn forget(
        &self,
        caller: &mut Caller,
        index: usize,
        travelled: &Travelled,
        fault: &Fault,
    ) {
        if self.traces_calls {
            let failure = (&*format!("{:?}", fault.code), &*fault.reason, true);
            self.conversation(caller, index).telemetry().end(Some(failure));
        }
        if let Some((_, metrics)) = &self.metrics {
            let version = self.conversation(caller, index).context().version();
            metrics.count(travelled, version, Outcome::Fault(fault.code), None, None);
        }
        if let Some(log) = &self.log {
            let report = self.report(caller, index, travelled, Outcome::Fault(fault.code));
            log(&CallReport { reason: Some(&fault.reason), ..report });
        }
        caller.conversations.retain(|(other, _)| *other != index);
    }

    pub(super) fn conversation<'a>(
        &self,
        caller: &'a mut Caller,
        index: usize,
    ) -> &'a mut Conversation {
        let Caller { address, identity, conversations, blocks, .. } = caller;
        let place = conversations.iter().position(|it| it.0 == index).unwrap_or_else(|| {
            let endpoint = self.endpoints[index].clone();
            let mut conversation = Conversation::new(endpoint, Some(*address), identity.clone());
            if self.is_timed {
                conversation.time_stages();
            }
            conversation.set_vocabularies(self.vocabularies.clone());
            conversation.set_gate(Some(self.gate.clone()).filter(|_| !*blocks));
            conversation.telemetry().set_on(self.traces_calls);
            conversations.push((index, conversation));
            conversations.len() - 1
        });
        &mut conversations[place].1
    }

    pub(super) fn report<'a>(
        &'a self,
        caller: &'a mut Caller,
        index: usize,
        travelled: &Travelled,
        outcome: Outcome,
    ) -> CallReport<'a> {
        let endpoint = &self.endpoints[index];
        let conversation = &*self.conversation(caller, index);
        let context = conversation.context();
        CallReport {
            caller: context.caller(),
            identity: context.identity(),
            path: endpoint.path(),
            operation: context.operation(),
            profile: Profile {
                transport: travelled.transport,
                envelope: Binding { version: context.version(), ..endpoint.binding() }.envelope(),
                encoding: travelled.encoding.name(),
                vocabulary: travelled.encoding.vocabulary(),
                compression: travelled.compression,
                bytes: travelled.bytes,
                retained: travelled.retained,
                answer: travelled.answer.map(MessageEncoding::name),
                unknown: context.unknown_elements(),
            },
            answer_bytes: travelled.answer_bytes,
            outcome,
            reason: conversation.reason(),
            ignores_login: travelled.ignores_login,
            stages: conversation.stages(),
        }
    }
}

fn rejection(status: StatusCode, text: &str) -> Response {
    let mut response = Response::text(status, &format!("{text}\n"));
    response.headers.insert(header::ALLOW, HeaderValue::from_static("POST, GET, HEAD"));
    response
}

pub(super) fn unless_panics<T>(function: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(function)).ok()
}

/// The transport in profiles.
pub(super) fn transport_name(version: http::Version, is_tls: bool) -> &'static str {
    match (version == http::Version::HTTP_10, is_tls) {
        (false, false) => "http-1.1",
        (false, true) => "http-1.1-tls",
        (true, false) => "http-1.0",
        (true, true) => "http-1.0-tls",
    }
}
