//! Calling a service.

mod error;
mod secured;
mod streams;

use std::fmt;
use std::sync::Arc;

use trunkline_http as http;
use trunkline_message::{Layout, Limits, Message, Record, Structure, UnknownContent};
use trunkline_soap::{
    self as soap, Attachments, Decoder, Encoder, HeaderBlock, Nothing, Options, Plan, Version,
    graph,
};

use super::admission::BasicLogin;
use super::exchange::{Exchange, Head, Reply};
use super::header::{self, Received};
use super::incoming::Incoming;
use super::outgoing::{Outgoing, Typed, Untyped, Whole};
use super::prologue::Prologues;
use super::replies::{Replies, status};
use super::shared::SharedConnection;
use super::signature::Signature;
use super::telemetry::{Called, Telemetry};
use super::url::Url;
use super::vocabularies::Vocabularies;
use super::ws_security::Seal;
use super::{Binding, MessageEncoding};
use crate::{Profile, Retained};

pub use error::CallError;

/// A client of one service, over one connection that is kept: of HTTP, or of
/// [SOAP/TCP](crate::soap_tcp) where the URL begins with `vnd.sun.ws.tcp://`, or with TLS `vnd.sun.ws.tcps://`.
///
/// [`client!`](crate::client) makes a struct with a method for each operation of it. By hand:
///
/// ```no_run
/// use trunkline_message::Message;
/// use trunkline_session::soap::{Binding, Client};
///
/// #[derive(Message, Default)]
/// struct Add { a: i32, b: i32 }
///
/// #[derive(Message, Default)]
/// struct Sum { sum: i32 }
///
/// let mut client = Client::new("http://localhost:8080/calculator", "urn:example:calculator")?;
/// let sum: Sum = client.call("add", &Add { a: 1, b: 2 })?;
/// # Ok::<(), trunkline_session::soap::CallError>(())
/// ```
#[derive(Debug)]
pub struct Client {
    exchange: Exchange,
    url: Url,
    binding: Binding,
    encoding: MessageEncoding,
    is_optimistic: bool,
    on_unknown: UnknownContent,
    /// Of operations that have one of their own.
    actions: Vec<(String, String)>,
    /// Of HTTP, beside its own.
    http_headers: http::HeaderMap,
    header: Vec<HeaderBlock>,
    encoded_header: String,
    operations: Vec<CalledOperation>,
    replies: Replies,
    /// How replies in XML begin that are no faults and have no header blocks.
    plain: Prologues<()>,
    /// The encoding of the last answer, if there was one.
    answered: Option<MessageEncoding>,
    answer_attachments: Option<Attachments>,
    /// Elements of the last reply that its schema does not know.
    unknown: usize,
    last: String,
    telemetry: Telemetry,
    seal: Option<Seal>,
}

/// Headers of HTTP that are of a call, or of how it travels.
const OWN_HEADERS: [&str; 10] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "soapaction",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The name on the wire of a method, which may be a raw identifier.
#[doc(hidden)]
pub fn name_of(method: &'static str) -> &'static str {
    method.strip_prefix("r#").unwrap_or(method)
}

/// An operation that has been called, with what its messages need.
struct CalledOperation {
    name: String,
    /// Of its requests.
    plan: Arc<Plan>,
    reply: Arc<Layout>,
    encoder: Encoder,
    decoder: Decoder,
    head: Head,
}

impl fmt::Debug for CalledOperation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)
    }
}

impl Client {
    /// A client of the service at `url`, whose operations are in `namespace`, with the default
    /// binding and options of HTTP. It connects with the first call. For `https` it trusts whom the system trusts.
    ///
    /// # Errors
    /// [`CallError::Url`].
    pub fn new(url: &str, namespace: &str) -> Result<Self, CallError> {
        Self::with(url, namespace, Binding::default(), http::ClientConfig::default())
    }

    /// A client with a binding and options of HTTP.
    ///
    /// # Errors
    /// [`CallError::Url`], or the options do not fit together.
    pub fn with(
        url: &str,
        namespace: &str,
        binding: Binding,
        config: http::ClientConfig,
    ) -> Result<Self, CallError> {
        let url = Url::parse(url)?;
        let mut config = config;
        if config.tls.is_some() && !url.is_tls {
            let why = "the options ask for TLS, which is https or vnd.sun.ws.tcps";
            return Err(CallError::Url(format!("{}: {why}", url.authority)));
        }
        if url.is_tls && config.tls.is_none() {
            let system = http::ClientTls::of_system(None);
            let system = system.map_err(|it| CallError::Url(format!("{}: {it}", url.authority)));
            config.tls = Some(system?);
        }
        let exchange = Exchange::new(&url, config)?;
        Ok(Self::made(exchange, url, namespace, binding))
    }

    pub(super) fn over(
        connection: &SharedConnection,
        url: Url,
        namespace: &str,
        binding: Binding,
    ) -> Self {
        Self::made(Exchange::over(connection, &url), url, namespace, binding)
    }

    fn made(exchange: Exchange, url: Url, namespace: &str, binding: Binding) -> Self {
        Self {
            exchange,
            url,
            binding,
            encoding: MessageEncoding::Xml,
            is_optimistic: false,
            on_unknown: UnknownContent::default(),
            actions: Vec::new(),
            http_headers: http::HeaderMap::new(),
            header: Vec::new(),
            encoded_header: String::new(),
            operations: Vec::new(),
            replies: Replies {
                namespace: namespace.to_owned(),
                limits: Limits::default(),
                header: Received::default(),
                guard: None,
            },
            plain: Prologues::new(),
            answered: None,
            answer_attachments: None,
            unknown: 0,
            last: String::new(),
            telemetry: Telemetry::default(),
            seal: None,
        }
    }

    /// The encoding that requests are in if the server reads it; by default XML. Where it does not, they are in
    /// XML, and the [profile](Self::profile) tells.
    ///
    /// Over SOAP/TCP the server chooses when the channel is opened. Over HTTP no vocabulary is retained, so that
    /// the stateful encoding is the stateless one; requests `Accept` it, and are in it once the server
    /// has answered in it, or from the first one, see [`set_optimistic`](Self::set_optimistic).
    pub fn set_encoding(&mut self, encoding: MessageEncoding) {
        self.encoding = encoding;
        self.exchange.prefer(encoding, self.is_optimistic);
    }

    /// Over HTTP: the first request is in the encoding already. A server that answers it by the status 415 gets
    /// it again in XML, and all that follow.
    pub fn set_optimistic(&mut self, is_optimistic: bool) {
        self.is_optimistic = is_optimistic;
        self.exchange.prefer(self.encoding, is_optimistic);
    }

    /// From here on, members of at least `from` octets travel beside the envelope, and so may those of answers. In answers that
    /// are not as they were asked for, and in packages of any kind, members are found in any case. By default requests have
    /// base64 in the envelope. A request with attachments asks for no Fast Infoset.
    ///
    /// # Errors
    /// [`CallError::HttpHeader`]: there is no HTTP. SOAP/TCP has Fast Infoset, in which octets are themselves.
    pub fn set_attachments(
        &mut self,
        attachments: impl Into<Option<Attachments>>,
        from: usize,
    ) -> Result<(), CallError> {
        match self.exchange.set_attachments(attachments.into().map(|it| (it, from))) {
            true => Ok(()),
            false => Err(CallError::HttpHeader("SOAP/TCP carries no attachments".to_owned())),
        }
    }

    /// The SOAPAction of an operation, in place of `namespace#operation`.
    pub fn set_action(&mut self, operation: &str, action: &str) {
        self.operations.retain(|known| known.name != operation);
        self.actions.retain(|(known, _)| known != operation);
        self.actions.push((operation.to_owned(), action.to_owned()));
    }

    /// Limits of replies, in place of the defaults.
    pub fn set_limits(&mut self, limits: Limits) {
        self.operations.clear();
        self.exchange.set_limits(limits.clone());
        self.replies.limits = limits;
    }

    /// What the vocabularies of Fast Infoset may hold, in place of the defaults. What was retained is given up.
    pub fn set_vocabularies(&mut self, vocabularies: Vocabularies) {
        self.exchange.set_vocabularies(vocabularies);
    }

    /// How to handle elements or attributes of replies, and of header blocks that are read, that
    /// their struct does not know: by default they are counted, and the [profile](Self::profile)
    /// has how many.
    pub fn set_on_unknown(&mut self, content: UnknownContent) {
        self.operations.clear();
        self.on_unknown = content;
    }

    /// Sends these header blocks with each call from here on.
    pub fn set_header(&mut self, blocks: Vec<HeaderBlock>) {
        self.encoded_header = header::encoded(&blocks, self.binding.version);
        self.header = blocks;
    }

    /// Sends a header of HTTP with each request from here on, also with those for documents; one of the same name is
    /// replaced.
    ///
    /// # Errors
    /// [`CallError::HttpHeader`]: it cannot be sent, the client writes it itself, or there is no HTTP.
    pub fn set_http_header(&mut self, name: &str, value: &str) -> Result<(), CallError> {
        let error = |why: &str| CallError::HttpHeader(format!("{name:?}: {why}"));
        let name = http::HeaderName::try_from(name).map_err(|_| error("no name of a header"))?;
        let value = http::HeaderValue::try_from(value)
            .map_err(|_| error("its value has characters that cannot be sent"))?;
        if OWN_HEADERS.contains(&name.as_str()) {
            return Err(error("the client writes it itself"));
        }
        self.add_http_header(name, value)
    }

    /// Tells each call from here on as a span of OpenTelemetry, to the provider of tracers that the process has
    /// (`opentelemetry::global`), inside the current one. Over HTTP the service learns of the trace by headers, such as `traceparent`.
    /// The status is an error where there is no reply. Messages without a schema have no spans.
    #[cfg(feature = "opentelemetry")]
    pub fn set_trace_calls(&mut self, trace: bool) {
        self.telemetry.set_on(trace);
    }

    /// Shows this user and password with each request from here on (HTTP's scheme Basic, RFC 7617). They travel as
    /// they are: use TLS.
    ///
    /// # Errors
    /// [`CallError::HttpHeader`]: they cannot be sent, or there is no HTTP.
    pub fn set_login(&mut self, user: &str, password: &str) -> Result<(), CallError> {
        let value = BasicLogin::header(user, password)
            .map_err(|why| CallError::HttpHeader(format!("{why} cannot be sent")))?;
        self.add_http_header(http::header::AUTHORIZATION, value)
    }

    fn add_http_header(
        &mut self,
        name: http::HeaderName,
        value: http::HeaderValue,
    ) -> Result<(), CallError> {
        if self.url.is_channel {
            let text = format!("SOAP/TCP carries no {name}, nor any other header of HTTP");
            return Err(CallError::HttpHeader(text));
        }
        self.operations.clear();
        self.http_headers.insert(name, value);
        Ok(())
    }

    /// The header block that `T` describes, of the last reply, if it had it.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn reply_header<T: Structure + Message>(&self) -> Result<Option<T>, CallError> {
        let Binding { style, version, .. } = self.binding;
        let encoding = style.is_encoded().then_some(version);
        let Replies { header, namespace, .. } = &self.replies;
        let found = header.find(encoding, namespace, self.on_unknown);
        found.map_err(CallError::Reply)
    }

    /// The header blocks of the last reply, or fault, that are for who calls: the ultimate receiver, or whoever comes next.
    pub fn reply_blocks(&self) -> &[HeaderBlock] {
        self.replies.header.blocks()
    }

    /// In what kind of package the answer to the last call with a schema came, if it came in one.
    pub fn answer_attachments(&self) -> Option<Attachments> {
        self.answer_attachments
    }

    /// How the last call travelled.
    pub fn profile(&mut self) -> Option<Profile> {
        let sent = self.exchange.sent()?;
        let (transport, compression) = self.exchange.profile(self.url.is_tls);
        let is_stateful = sent.encoding == MessageEncoding::StatefulFastInfoset;
        let retained = self.exchange.retained().filter(|_| is_stateful).map(|it| it[0]);
        let answer = self.answered.filter(|it| it.name() != sent.encoding.name());
        Some(Profile {
            transport,
            envelope: self.binding.envelope(),
            encoding: sent.encoding.name(),
            vocabulary: sent.encoding.vocabulary(),
            compression,
            bytes: sent.bytes,
            retained,
            answer: answer.map(MessageEncoding::name),
            unknown: self.unknown + self.replies.header.unknown(),
        })
    }

    /// Do calls overlap with those of the other clients of a [`SharedConnection`], or do they take turns? None before
    /// the first one.
    pub fn overlaps(&self) -> Option<bool> {
        self.exchange.overlaps()
    }

    /// What a channel's answers have built of a vocabulary, if it is retained.
    pub fn answered_vocabulary(&self) -> Option<Retained> {
        self.exchange.retained().map(|it| it[1])
    }

    /// Calls an operation and waits for its reply.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn call<Q, R>(&mut self, operation: &str, request: &Q) -> Result<R, CallError>
    where
        Q: Structure + Message,
        R: Structure + Message,
    {
        let mut reply = R::empty();
        self.call_into(operation, request, &mut reply)?;
        Ok(reply)
    }

    /// As [`call`](Self::call), with the reply read into place.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn call_into<Q, R>(
        &mut self,
        operation: &str,
        request: &Q,
        reply: &mut R,
    ) -> Result<(), CallError>
    where
        Q: Structure + Message,
        R: Structure + Message,
    {
        let index = self.operation(operation, Q::layout(), R::layout())?;
        self.answered(index, request, reply)
    }

    /// Calls an operation of which the messages are known at run time only, with the reply read into place.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn call_record(
        &mut self,
        operation: &Signature,
        request: &Record,
        reply: &mut Record,
    ) -> Result<(), CallError> {
        let index = self.operation_of(operation)?;
        self.answered(index, request, reply)
    }

    /// As [`send`](Self::send), with a message that is known at run time only.
    ///
    /// # Errors
    /// The service's fault, or the request could not be handed over.
    pub fn send_record(
        &mut self,
        operation: &Signature,
        request: &Record,
    ) -> Result<(), CallError> {
        let index = self.operation_of(operation)?;
        self.taken(index, request)
    }

    /// Calls an operation whose messages look as the signature says, whatever the binding.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn call_as<Q, R>(&mut self, operation: &Signature, request: &Q) -> Result<R, CallError>
    where
        Q: Structure + Message,
        R: Structure + Message,
    {
        let index = self.operation_of(operation)?;
        let mut reply = R::empty();
        self.answered(index, request, &mut reply)?;
        Ok(reply)
    }

    /// The same of one that is not answered, as [`send`](Self::send).
    ///
    /// # Errors
    /// The service's fault, or the request could not be handed over.
    pub fn send_as<Q: Structure + Message>(
        &mut self,
        operation: &Signature,
        request: &Q,
    ) -> Result<(), CallError> {
        let index = self.operation_of(operation)?;
        self.taken(index, request)
    }

    /// Sends a request, and reads its answer.
    fn answered<Q: Message, R: Message>(
        &mut self,
        index: usize,
        request: &Q,
        reply: &mut R,
    ) -> Result<(), CallError> {
        self.traced(index, |client| client.read_answer(index, request, reply))
    }

    /// A call as a span, if calls are told so.
    fn traced(
        &mut self,
        index: usize,
        call: impl FnOnce(&mut Self) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        if !self.telemetry.is_on() {
            return call(self);
        }
        let (namespace, operation) = (&*self.replies.namespace, &*self.operations[index].name);
        let authority = &*self.url.authority;
        self.telemetry.begin(&Called { is_server: false, namespace, operation, authority });
        let result = call(self);
        let failure = result.as_ref().err().map(|it| (it.class(), it.to_string()));
        self.telemetry.end(failure.as_ref().map(|(class, why)| (&**class, &**why, true)));
        result
    }

    fn read_answer<Q: Message, R: Message>(
        &mut self,
        index: usize,
        request: &Q,
        reply: &mut R,
    ) -> Result<(), CallError> {
        let answer = self.exchange(index, request)?;
        if answer.body.is_empty() {
            // Where a Security header is demanded, nothing is no answer: anybody can say it.
            let may_be_empty = self.replies.guard.is_none();
            if answer.is_success() && self.operations[index].answers_nothing() && may_be_empty {
                return Ok(());
            }
            let (status, hint) = (answer.status, answer.hint.as_deref());
            let text = format!("an empty answer{}", hint.unwrap_or_default());
            return Err(CallError::Status { status, text });
        }
        let Self { exchange, plain, replies, operations, unknown, .. } = self;
        let mut incoming = exchange.incoming(&answer, plain).map_err(CallError::Reply)?;
        let decoder = &mut operations[index].decoder;
        let decoded = incoming.decode(decoder, reply);
        *unknown = decoder.unknown();
        let is_plain = replies.guard.is_none() && incoming.is_plain();
        let read = match is_plain && decoded.is_ok() && answer.is_success() {
            true => Ok(()),
            false => replies.look_closer(&answer, &mut incoming, decoded),
        };
        incoming.finish();
        read
    }

    /// Calls an operation that is not answered; returns once the service has taken the request.
    ///
    /// # Errors
    /// The service's fault, or the request could not be handed over.
    pub fn send<Q: Structure + Message>(
        &mut self,
        operation: &str,
        request: &Q,
    ) -> Result<(), CallError> {
        let index = self.operation(operation, Q::layout(), Q::layout())?;
        self.taken(index, request)
    }

    /// Sends a request that has no answer.
    fn taken<Q: Message>(&mut self, index: usize, request: &Q) -> Result<(), CallError> {
        self.traced(index, |client| client.hand_over(index, request))
    }

    fn hand_over<Q: Message>(&mut self, index: usize, request: &Q) -> Result<(), CallError> {
        let answer = self.exchange(index, request)?;
        match answer.body.is_empty() && answer.is_success() {
            true => Ok(()),
            // Some services answer with an empty envelope all the same.
            false => self
                .read(&answer, |replies, incoming| replies.look_closer(&answer, incoming, Ok(()))),
        }
    }

    fn read<T>(
        &mut self,
        answer: &Reply,
        read: impl FnOnce(&mut Replies, &mut Incoming<'_>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let Self { exchange, plain, replies, .. } = self;
        let mut incoming = exchange.incoming(answer, plain).map_err(CallError::Reply)?;
        let read = read(replies, &mut incoming);
        incoming.finish();
        read
    }

    /// Sends the request and waits for the answer.
    fn exchange<Q: Message>(&mut self, index: usize, request: &Q) -> Result<Reply, CallError> {
        self.begin();
        let CalledOperation { encoder, head, .. } = &mut self.operations[index];
        let header = &*self.encoded_header;
        let mut message = Typed { encoder, header, message: request };
        let mut traced;
        let head = match self.telemetry.is_on() {
            false => &*head,
            true => {
                traced = head.clone();
                traced.headers_mut().iter_mut().for_each(|it| self.telemetry.depart(it));
                &traced
            }
        };
        let way = (&*self.url.path, head);
        let answer = secured::call(&mut self.exchange, self.seal.as_ref(), way, &mut message)?;
        self.answered = answer.encoding.filter(|_| !answer.body.is_empty());
        self.answer_attachments = answer.package.as_ref().map(soap::Unpacked::attachments);
        Ok(answer)
    }

    fn begin(&mut self) {
        (self.unknown, self.answered, self.answer_attachments) = (0, None, None);
        self.replies.header.clear();
    }

    /// Sends a message without a schema, and gives the answer, if there is one. Header blocks are
    /// the message's own, and those of [`set_header`](Self::set_header) after them.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn call_dynamically(
        &mut self,
        action: &str,
        message: &graph::Message,
    ) -> Result<Option<graph::Message>, CallError> {
        let encoder = graph::Encoder::new(self.binding.version);
        let header = std::mem::take(&mut self.header);
        let mut untyped = Untyped { encoder, header: &header, message, document: Vec::new() };
        let answered = self.dynamically(action, &mut untyped);
        self.header = header;
        answered
    }

    /// Sends an envelope as it is; as Fast Infoset, what it says. It has the header blocks that it has, and no others but that
    /// of [`set_ws_security`](Self::set_ws_security).
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn call_envelope(
        &mut self,
        action: &str,
        envelope: &str,
    ) -> Result<Option<graph::Message>, CallError> {
        self.dynamically(action, &mut Whole { envelope: envelope.as_bytes() })
    }

    fn dynamically(
        &mut self,
        action: &str,
        message: &mut dyn Outgoing,
    ) -> Result<Option<graph::Message>, CallError> {
        self.begin();
        let head = Head::new(self.binding.version, action, &self.http_headers)?;
        let way = (&*self.url.path, &head);
        let answer = secured::call(&mut self.exchange, self.seal.as_ref(), way, message)?;
        self.last.clear();
        if answer.body.is_empty() && answer.is_success() {
            return Ok(None);
        }
        self.answered = answer.encoding;
        let (shown, read) = self.read(&answer, |replies, incoming| {
            let shown = incoming.shown();
            let read = replies.look_closer(&answer, incoming, Ok(()));
            let graph = read
                .and_then(|()| incoming.graph(&replies.limits).map(Some).map_err(CallError::Reply));
            Ok((shown, graph))
        })?;
        self.last = shown;
        read
    }

    /// The answer to the last dynamic call: as it came, or if that is Fast Infoset, as XML.
    pub fn last_answer(&self) -> &str {
        &self.last
    }

    /// The document at the client's URL, such as a WSDL. It comes over HTTP, also where calls go over
    /// SOAP/TCP.
    ///
    /// # Errors
    /// Why there is none.
    pub fn get(&mut self) -> Result<Vec<u8>, CallError> {
        let response = self.exchange.get(&self.url, &self.http_headers)?;
        match response.is_success() {
            true => Ok(response.body.to_vec()),
            false => Err(status(&response)),
        }
    }

    /// What the operation needs, from when it was called before or made now.
    fn operation(
        &mut self,
        name: &str,
        request: &Arc<Layout>,
        reply: &Arc<Layout>,
    ) -> Result<usize, CallError> {
        if let Some(index) = self.operations.iter().position(|it| it.is(name, request, reply)) {
            return Ok(index);
        }
        let known = CalledOperation::new(name, request, reply, self)?;
        self.operations.push(known);
        Ok(self.operations.len() - 1)
    }

    /// The same of one that is known at run time only.
    fn operation_of(&mut self, signature: &Signature) -> Result<usize, CallError> {
        let plan = signature.plans.request();
        if let Some(index) = self.operations.iter().position(|it| Arc::ptr_eq(&it.plan, plan)) {
            return Ok(index);
        }
        let known = CalledOperation::of(signature, self)?;
        self.operations.push(known);
        Ok(self.operations.len() - 1)
    }
}

impl CalledOperation {
    fn new(
        name: &str,
        request: &Arc<Layout>,
        reply: &Arc<Layout>,
        client: &Client,
    ) -> Result<Self, CallError> {
        let Client { binding, actions, .. } = client;
        let Replies { namespace, .. } = &client.replies;
        let action = actions.iter().find(|(operation, _)| operation == name);
        let action = action.map_or_else(|| format!("{namespace}#{name}"), |it| it.1.clone());
        let outward = Plan::new(request, &binding.options(namespace, name));
        let outward = outward.map_err(CallError::Request)?;
        let options =
            Options { any_wrapper: true, ..binding.options(namespace, &format!("{name}Response")) };
        let inward = Plan::new(reply, &options).map_err(CallError::Reply)?;
        Self::by_plans(name, &outward, &inward, binding.version, &action, client)
    }

    fn of(signature: &Signature, client: &Client) -> Result<Self, CallError> {
        let (outward, inward) = (signature.plans.request(), signature.plans.response());
        let (name, version) = (signature.name(), signature.version());
        Self::by_plans(name, outward, inward, version, signature.action(), client)
    }

    fn by_plans(
        name: &str,
        outward: &Arc<Plan>,
        inward: &Arc<Plan>,
        version: Version,
        action: &str,
        client: &Client,
    ) -> Result<Self, CallError> {
        let Client { on_unknown, http_headers, .. } = client;
        let limits = client.replies.limits.clone();
        Ok(Self {
            name: name.to_owned(),
            plan: outward.clone(),
            reply: inward.layout().clone(),
            encoder: Encoder::new(outward),
            decoder: Decoder::with_limits(inward, limits).on_unknown(*on_unknown),
            head: Head::new(version, action, http_headers)?,
        })
    }

    /// May the answer be no envelope, as its Body has nothing in it?
    fn answers_nothing(&self) -> bool {
        self.reply.is_same(Nothing::layout())
    }

    fn is(&self, name: &str, request: &Arc<Layout>, reply: &Arc<Layout>) -> bool {
        self.name == name
            && Arc::ptr_eq(self.plan.layout(), request)
            && Arc::ptr_eq(&self.reply, reply)
    }
}
