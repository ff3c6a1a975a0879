//! The context of a call: facts besides the request, and additions to the answer.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trunkline_http::HeaderMap;
use trunkline_message::{Message, Structure, UnknownContent};
use trunkline_soap::{Attachments, Fault, HeaderBlock, Packing, Version};

use super::asynchronous::Gate;
use super::element::Encoding;
use super::header::{self, Received};
use super::inspection::Inspected;
use super::media::Accepted;
use super::streams::{Outgoing, Streams};

/// The context of one call: the caller, its header blocks, and the header blocks of the answer.
#[derive(Debug)]
pub struct Context {
    namespace: String,
    /// Are its messages, and so header blocks, written by the encoding rules?
    is_encoded: bool,
    operation: String,
    action: String,
    version: Version,
    caller: Option<SocketAddr>,
    identity: Option<String>,
    /// Who is shown by the Security header of this message.
    secured: Option<String>,
    /// Of HTTP, if they are kept.
    http_headers: Option<HeaderMap>,
    header: Received,
    /// How to handle header blocks with unknown elements.
    on_unknown: UnknownContent,
    reply_header: Vec<HeaderBlock>,
    /// Elements of the request that its schema does not know.
    unknown: usize,
    stages: Option<Stamps>,
    /// How members of the answer are attached that have at least so many octets, if they are.
    attachments: Option<(Attachments, usize)>,
    /// Which calls may wait for their answers without a thread; without it they wait in place.
    gate: Option<Arc<Gate>>,
    /// Did too many wait?
    is_busy: bool,
    /// What was added to the context of a call that waits.
    added: Option<Arc<Mutex<Added>>>,
    /// What looks at the request once it was read.
    inspected: Option<Inspected>,
    /// As what streams are attached, if they can be.
    streamed_as: Option<Attachments>,
    /// Never locked: it lets others look at the rest of the context.
    streams: Mutex<Streams>,
}

/// What a function adds to an answer that comes later.
#[derive(Debug, Default)]
pub(super) struct Added {
    header: Vec<HeaderBlock>,
    pub(super) outgoing: Outgoing,
}

/// When the parts of a call ended.
#[derive(Clone, Copy, Debug)]
struct Stamps {
    begun: Instant,
    decoded: Instant,
    answered: Instant,
}

/// How long the parts of a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Reading the request.
    pub decode: Duration,
    /// The function.
    pub application: Duration,
    /// Writing the answer.
    pub encode: Duration,
}

impl Context {
    pub(super) fn new(
        namespace: &str,
        is_encoded: bool,
        on_unknown: UnknownContent,
        caller: Option<SocketAddr>,
        identity: Option<String>,
    ) -> Self {
        Self {
            namespace: namespace.to_owned(),
            is_encoded,
            operation: String::new(),
            action: String::new(),
            version: Version::Soap11,
            caller,
            identity,
            secured: None,
            http_headers: None,
            header: Received::default(),
            on_unknown,
            reply_header: Vec::new(),
            unknown: 0,
            stages: None,
            attachments: None,
            gate: None,
            is_busy: false,
            added: None,
            inspected: None,
            streamed_as: None,
            streams: Mutex::default(),
        }
    }

    pub(super) fn streams(&mut self) -> &mut Streams {
        self.streams.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn added(&self) -> Option<Arc<Mutex<Added>>> {
        self.added.clone()
    }

    /// The context for a function whose answer comes later; what it adds is added here too.
    pub(super) fn detached(&mut self) -> Self {
        let added = Arc::default();
        self.added = Some(Arc::clone(&added));
        Self {
            namespace: self.namespace.clone(),
            operation: self.operation.clone(),
            action: self.action.clone(),
            identity: self.identity.clone(),
            secured: self.secured.clone(),
            http_headers: self.http_headers.clone(),
            header: Received::new(self.header.blocks().to_vec()),
            reply_header: Vec::new(),
            stages: None,
            gate: None,
            added: Some(added),
            inspected: None,
            streams: Mutex::default(),
            ..*self
        }
    }

    /// Takes over what was added there.
    pub(super) fn take_added(&mut self) {
        if let Some(added) = self.added.take() {
            let mut added = added.lock().unwrap_or_else(PoisonError::into_inner);
            self.reply_header.append(&mut added.header);
            self.append_outgoing(&mut added.outgoing);
        }
    }

    fn add(&mut self, block: HeaderBlock) {
        match &self.added {
            None => self.reply_header.push(block),
            Some(added) => {
                added.lock().unwrap_or_else(PoisonError::into_inner).header.push(block);
            }
        }
    }

    pub(super) fn gate(&self) -> Option<&Arc<Gate>> {
        self.gate.as_ref()
    }

    pub(super) fn set_gate(&mut self, gate: Option<Arc<Gate>>) {
        self.gate = gate;
    }

    pub(super) fn set_attachments(&mut self, accepted: Accepted, from: usize) {
        self.attachments = accepted.members.map(|it| (it, from));
        self.streamed_as = accepted.streams;
    }

    /// How the answer is packed, if it is.
    pub(super) fn packing(&self) -> Option<Packing<'static>> {
        let (attachments, from) = self.attachments?;
        Some(Packing { attachments, from, action: "" })
    }

    /// The same of an answer with streams.
    pub(super) fn packing_of_streams(&self) -> Option<Packing<'static>> {
        let streamed = |attachments| Packing { attachments, from: usize::MAX, action: "" };
        self.packing().or(self.streamed_as.map(streamed))
    }

    pub(super) fn set_inspected(&mut self, inspected: Option<Inspected>) {
        self.inspected = inspected;
    }

    /// The request was read: is it to be answered?
    pub(super) fn inspect(&mut self) -> Result<(), Fault> {
        match self.inspected.take() {
            Some(inspected) => inspected.inspect(self),
            None => Ok(()),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    pub(super) fn set_busy(&mut self) {
        self.is_busy = true;
    }

    /// Forgets the last call.
    pub(super) fn begin(&mut self, operation: &str, action: &str, version: Version) {
        for (field, value) in [(&mut self.operation, operation), (&mut self.action, action)] {
            if field != value {
                value.clone_into(field);
            }
        }
        (self.version, self.unknown) = (version, 0);
        (self.is_busy, self.added, self.secured) = (false, None, None);
        self.header.clear();
        self.reply_header.clear();
        self.streams().clear();
    }

    /// It is known now what is called, and in which SOAP.
    pub(super) fn called(&mut self, operation: &str, version: Version) {
        if self.operation != operation {
            operation.clone_into(&mut self.operation);
        }
        self.version = version;
    }

    pub(super) fn set_version(&mut self, version: Version) {
        self.version = version;
    }

    /// The operation's name; empty before it is known.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// SOAPAction, or the action of SOAP 1.2's media type, without quotes.
    pub fn action(&self) -> &str {
        &self.action
    }

    /// The SOAP of the request, and so of the answer.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The caller; none without a socket.
    pub fn caller(&self) -> Option<SocketAddr> {
        self.caller
    }

    /// Who calls: whom the request's Security header [shows](super::Service::ws_security), or else whom the server's [`before`](super::Server::before) or [`basic`](super::Server::basic) has found,
    /// or else the subject of the caller's certificate, with mutual TLS.
    pub fn identity(&self) -> Option<&str> {
        self.secured.as_deref().or(self.identity.as_deref())
    }

    /// The headers of HTTP, if the server [keeps](super::Server::keep_http_headers) them; SOAP/TCP has none.
    pub fn http_headers(&self) -> Option<&HeaderMap> {
        self.http_headers.as_ref()
    }

    /// A header of HTTP, as [`http_headers`](Self::http_headers), if it is text; the first one if there are several.
    pub fn http_header(&self, name: &str) -> Option<&str> {
        self.http_headers.as_ref()?.get(name)?.to_str().ok()
    }

    pub(super) fn set_secured(&mut self, identity: Option<String>) {
        self.secured = identity;
    }

    pub(super) fn introduce(&mut self, identity: Option<String>, headers: Option<HeaderMap>) {
        (self.identity, self.http_headers) = (identity, headers);
    }

    /// How many elements of the request, and of the header blocks that were read, their schemas do
    /// not know: they are passed over, see
    /// [`Decoder::unknown`](trunkline_soap::Decoder::unknown).
    pub fn unknown_elements(&self) -> usize {
        self.unknown + self.header.unknown()
    }

    pub(super) fn set_unknown_elements(&mut self, count: usize) {
        self.unknown = count;
    }

    /// The request's header blocks that are for this service. Others it must not process (SOAP 1.2
    /// part 1 section 2.6), and does not see.
    pub fn header_blocks(&self) -> &[HeaderBlock] {
        self.header.blocks()
    }

    /// The header block that `T` describes, named as it is in the service's namespace, if the
    /// request has it and it is for this service.
    ///
    /// # Errors
    /// A sender's fault: the block is there and cannot be read.
    pub fn header<T: Structure + Message>(&self) -> Result<Option<T>, Fault> {
        self.header
            .find(self.encoding(), &self.namespace, self.on_unknown)
            .map_err(|error| Fault::sender(error.to_string()))
    }

    /// Adds a header block to the answer, also if that becomes a fault: what is wrong with a block
    /// of the request is told so (SOAP 1.1 section 4.4).
    ///
    /// # Errors
    /// A receiver's fault: it holds text that XML cannot carry.
    pub fn add_header<T: Structure + Message>(&mut self, content: &T) -> Result<(), Fault> {
        let block = header::block_as(self.encoding(), content, &self.namespace)
            .map_err(|error| Fault::receiver(error.to_string()))?;
        self.add(block);
        Ok(())
    }

    /// Adds a header block to the answer, as it stands.
    pub fn add_header_block(&mut self, block: HeaderBlock) {
        self.add(block);
    }

    fn encoding(&self) -> Encoding {
        self.is_encoded.then_some(self.version)
    }

    pub(super) fn set_header(&mut self, header: Vec<HeaderBlock>) {
        self.header = Received::new(header);
    }

    pub(super) fn reply_header(&self) -> &[HeaderBlock] {
        &self.reply_header
    }

    /// The answer's header blocks, as they go between the tags of Header.
    pub(super) fn encoded_reply_header(&self) -> String {
        header::encoded(&self.reply_header, self.version)
    }

    /// From here on, the parts of each call are timed.
    pub(super) fn time_stages(&mut self) {
        let now = Instant::now();
        self.stages = Some(Stamps { begun: now, decoded: now, answered: now });
    }

    pub(super) fn stamp_begun(&mut self) {
        if let Some(stages) = &mut self.stages {
            let now = Instant::now();
            *stages = Stamps { begun: now, decoded: now, answered: now };
        }
    }

    pub(super) fn stamp_decoded(&mut self) {
        if let Some(stages) = &mut self.stages {
            stages.decoded = Instant::now();
            stages.answered = stages.decoded;
        }
    }

    pub(super) fn stamp_answered(&mut self) {
        if let Some(stages) = &mut self.stages {
            stages.answered = Instant::now();
        }
    }

    /// The times of the stages of the last call; none if they are not measured.
    pub(super) fn stages(&self) -> Option<Stages> {
        self.stages.map(|it| Stages {
            decode: it.decoded - it.begun,
            application: it.answered - it.decoded,
            encode: it.answered.elapsed(),
        })
    }
}
