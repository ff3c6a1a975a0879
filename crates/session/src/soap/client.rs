//! Calling a service.

use std::fmt;
use std::sync::Arc;

use trunkline_http::{self as http, Bytes};
use trunkline_message::{Layout, Limits, Message, Structure, UnknownContent};
use trunkline_soap::{
    self as soap, Decoder, Encoder, Fault, HeaderBlock, Options, Plan, QName, Roles, graph,
};

use super::Binding;
use super::exchange::{Exchange, Head, Reply};
use super::header::{self, Received};
use super::prologue::Prologues;
use super::url::Url;
use crate::Profile;

/// A client of one service, over one connection that is kept: of HTTP, or of
/// [SOAP/TCP](crate::soap_tcp) where the URL begins with `vnd.sun.ws.tcp://`.
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
    namespace: String,
    binding: Binding,
    limits: Limits,
    on_unknown: UnknownContent,
    /// Of operations that have one of their own.
    actions: Vec<(String, String)>,
    header: Vec<HeaderBlock>,
    encoded_header: String,
    reply_header: Received,
    operations: Vec<CalledOperation>,
    /// How replies begin that are no faults and have no header blocks.
    plain: Prologues<()>,
    /// Bytes of the last envelope that was sent.
    sent: Option<usize>,
    /// Elements of the last reply that its schema does not know.
    unknown: usize,
    last: Bytes,
}

/// Why a call has no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The service rejected: its fault.
    Fault(Box<Fault>),
    /// The URL is not valid, or of neither HTTP nor SOAP/TCP.
    Url(String),
    /// The SOAPAction cannot stand in a header: it has quotes, backslashes or control characters.
    Action(String),
    /// There is no connection, or it broke, or took too long.
    Transport(http::Error),
    /// The server reports an error on a channel of SOAP/TCP, or does not keep to the protocol.
    Channel(Box<crate::soap_tcp::Error>),
    /// The answer of the server is not SOAP.
    Status {
        /// The status code.
        status: u16,
        /// The beginning of what it said.
        text: String,
    },
    /// The request cannot be written.
    Request(trunkline_message::Error),
    /// The reply cannot be read.
    Reply(trunkline_message::Error),
    /// A header block of the reply has to be understood and is not.
    NotUnderstood(Vec<soap::QName>),
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(out, "{fault}"),
            Self::Url(problem) => out.write_str(problem),
            Self::Action(action) => write!(out, "{action:?} cannot be an action"),
            Self::Transport(error) => write!(out, "{error}"),
            Self::Channel(error) => write!(out, "{error}"),
            Self::Status { status, text } => write!(out, "HTTP status {status}: {text}"),
            Self::Request(error) => write!(out, "the request cannot be written: {error}"),
            Self::Reply(error) => write!(out, "the reply cannot be read: {error}"),
            Self::NotUnderstood(names) => {
                let names: Vec<String> = names.iter().map(ToString::to_string).collect();
                write!(out, "the reply's header {} must be understood", names.join(", "))
            }
        }
    }
}

impl std::error::Error for CallError {}

impl From<http::Error> for CallError {
    fn from(error: http::Error) -> Self {
        Self::Transport(error)
    }
}

/// The name on the wire of a method, which may be a raw identifier.
#[doc(hidden)]
pub fn name_of(method: &'static str) -> &'static str {
    method.strip_prefix("r#").unwrap_or(method)
}

/// An operation that has been called, with what its messages need.
struct CalledOperation {
    name: String,
    request: &'static Arc<Layout>,
    reply: &'static Arc<Layout>,
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
    /// binding and options of HTTP. It connects with the first call.
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
        if url.is_tls != config.tls.is_some() {
            let why = match url.is_tls {
                true => "https needs the certificates to trust, in the options' `tls`",
                false => "the options ask for TLS, which is https",
            };
            return Err(CallError::Url(format!("{}: {why}", url.authority)));
        }
        Ok(Self {
            exchange: Exchange::new(&url, config)?,
            url,
            namespace: namespace.to_owned(),
            binding,
            limits: Limits::default(),
            on_unknown: UnknownContent::default(),
            actions: Vec::new(),
            header: Vec::new(),
            encoded_header: String::new(),
            reply_header: Received::default(),
            operations: Vec::new(),
            plain: Prologues::new(),
            sent: None,
            unknown: 0,
            last: Bytes::new(),
        })
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
        self.limits = limits;
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

    /// The header block that `T` describes, of the last reply, if it had it.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn reply_header<T: Structure + Message>(&self) -> Result<Option<T>, CallError> {
        let Binding { style, version, .. } = self.binding;
        let encoding = style.is_encoded().then_some(version);
        let found = self.reply_header.find(encoding, &self.namespace, self.on_unknown);
        found.map_err(CallError::Reply)
    }

    /// How the last call travelled.
    pub fn profile(&mut self) -> Option<Profile> {
        let bytes = self.sent?;
        let (transport, compression) = self.exchange.profile(self.url.is_tls);
        Some(Profile {
            transport,
            envelope: self.binding.envelope(),
            encoding: "xml-utf8",
            vocabulary: "none",
            compression,
            bytes,
            unknown: self.unknown + self.reply_header.unknown(),
        })
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
        let index = self.operation::<Q>(operation, R::layout())?;
        let response = self.exchange(index, request)?;
        if response.body.is_empty() {
            let (status, text) = (response.status, "an empty answer".to_owned());
            return Err(CallError::Status { status, text });
        }
        let decoder = &mut self.operations[index].decoder;
        let decoded = decoder.decode(&response.body, reply);
        self.unknown = decoder.unknown();
        match self.plain.find(&response.body) {
            Some(()) if decoded.is_ok() && response.is_success() => Ok(()),
            _ => self.look_closer(&response, decoded),
        }
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
        let index = self.operation::<Q>(operation, Q::layout())?;
        let response = self.exchange(index, request)?;
        match response.body.is_empty() && response.is_success() {
            true => Ok(()),
            // Some services answer with an empty envelope all the same.
            false => self.look_closer(&response, Ok(())),
        }
    }

    /// Reads an answer that is more or less than a reply: a fault, one with header blocks, or not
    /// SOAP.
    #[cold]
    fn look_closer(
        &mut self,
        response: &Reply,
        decoded: trunkline_message::Result<()>,
    ) -> Result<(), CallError> {
        let is_reply = response.is_success() && response.is_xml;
        let mut opened = match soap::open(&response.body, &self.limits) {
            Ok(opened) => opened,
            Err(_) if !is_reply => return Err(status(response)),
            Err(error) => return Err(CallError::Reply(error)),
        };
        let roles = Roles::ultimate(&[]);
        // What its caller asks for with `reply_header` is understood, and that is not known yet.
        let own = |name: &QName| name.namespace == self.namespace;
        let missing = soap::not_understood(&opened.header, &own, &roles);
        opened.header.retain(|block| roles.play(block));
        self.reply_header = Received::new(std::mem::take(&mut opened.header));
        if !missing.is_empty() {
            return Err(CallError::NotUnderstood(missing));
        }
        if opened.is_fault {
            let fault = Fault::decode(&response.body, &self.limits).map_err(CallError::Reply)?;
            return Err(CallError::Fault(Box::new(fault)));
        }
        if !is_reply {
            return Err(status(response));
        }
        decoded.map_err(CallError::Reply)?;
        if self.reply_header.blocks().is_empty() {
            self.plain.remember(&response.body, &opened, ());
        }
        Ok(())
    }

    /// Sends the request and waits for the answer.
    fn exchange<Q: Message>(&mut self, index: usize, request: &Q) -> Result<Reply, CallError> {
        let known = &mut self.operations[index];
        let envelope = known.encoder.encode_with(&self.encoded_header, request);
        let envelope = envelope.map_err(CallError::Request)?;
        (self.sent, self.unknown) = (Some(envelope.len()), 0);
        self.reply_header.clear();
        self.exchange.call(&self.url.path, &known.head, envelope)
    }

    fn post(&mut self, head: &Head, envelope: &[u8]) -> Result<Reply, CallError> {
        (self.sent, self.unknown) = (Some(envelope.len()), 0);
        self.reply_header.clear();
        self.exchange.call(&self.url.path, head, envelope)
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
        let envelope = encoder.encode_with(&self.header, message).map_err(CallError::Request)?;
        let head = Head::new(self.binding.version, action)?;
        let response = self.post(&head, &envelope)?;
        self.last = response.body.clone();
        if response.body.is_empty() && response.is_success() {
            return Ok(None);
        }
        self.look_closer(&response, Ok(()))?;
        graph::decode(&response.body, &self.limits).map(Some).map_err(CallError::Reply)
    }

    /// The answer to the last dynamic call, as it came.
    pub fn last_answer(&self) -> String {
        String::from_utf8_lossy(&self.last).into_owned()
    }

    /// The document at the client's URL, such as a WSDL. It comes over HTTP, also where calls go over
    /// SOAP/TCP.
    ///
    /// # Errors
    /// Why there is none.
    pub fn get(&mut self) -> Result<Vec<u8>, CallError> {
        let response = self.exchange.get(&self.url)?;
        match response.is_success() {
            true => Ok(response.body.to_vec()),
            false => Err(status(&response)),
        }
    }

    /// What the operation needs, from when it was called before or made now.
    fn operation<Q: Structure>(
        &mut self,
        name: &str,
        reply: &'static Arc<Layout>,
    ) -> Result<usize, CallError> {
        let is_it = |it: &CalledOperation| {
            it.name == name && Arc::ptr_eq(it.request, Q::layout()) && Arc::ptr_eq(it.reply, reply)
        };
        if let Some(index) = self.operations.iter().position(is_it) {
            return Ok(index);
        }
        let known = CalledOperation::new(name, Q::layout(), reply, self)?;
        self.operations.push(known);
        Ok(self.operations.len() - 1)
    }
}

impl CalledOperation {
    fn new(
        name: &str,
        request: &'static Arc<Layout>,
        reply: &'static Arc<Layout>,
        client: &Client,
    ) -> Result<Self, CallError> {
        let Client { namespace, binding, limits, on_unknown, actions, .. } = client;
        let action = actions.iter().find(|(operation, _)| operation == name);
        let action = action.map_or_else(|| format!("{namespace}#{name}"), |it| it.1.clone());
        let outward = Plan::new(request, &binding.options(namespace, name));
        let outward = outward.map_err(CallError::Request)?;
        let options =
            Options { any_wrapper: true, ..binding.options(namespace, &format!("{name}Response")) };
        let inward = Plan::new(reply, &options).map_err(CallError::Reply)?;
        Ok(Self {
            name: name.to_owned(),
            request,
            reply,
            encoder: Encoder::new(&outward),
            decoder: Decoder::with_limits(&inward, limits.clone()).on_unknown(*on_unknown),
            head: Head::new(binding.version, &action)?,
        })
    }
}

fn status(response: &Reply) -> CallError {
    let text = String::from_utf8_lossy(&response.body);
    let text = text.trim().chars().take(200).collect();
    CallError::Status { status: response.status, text }
}
