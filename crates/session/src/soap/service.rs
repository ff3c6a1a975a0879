//! A service: functions, and the ways in which they can be called.

use std::fmt;
use std::sync::Arc;

use trunkline_codec::xml::is_ncname;
use trunkline_message::{Layout, Limits, Message, Record, Structure, UnknownContent};
use trunkline_soap::{Fault, QName, graph};

use super::asynchronous::{AnsweredLater, AsyncFunction};
use super::conversation::Conversation;
use super::described::Described;
use super::fallback::Fallback;
use super::inspection::{self, Inspection};
use super::operation::{Answered, Call, OneWay, Operation, Plans};
use super::signature::{AnsweredRecords, OfRecords, Signature, Signed, TakenRecords};
use super::ws_security::{Guard, Seal, WSSE};
use super::wsdl::{self, Description, Offer, OperationDescription};
use super::{Binding, Context, Function, ports};

/// Functions from request to response or fault, under names in a namespace.
///
/// ```
/// use trunkline_message::Message;
/// use trunkline_session::soap::{Binding, Fault, Service};
/// # use trunkline_message::Structure as _;
///
/// #[derive(Message, Default)]
/// struct Add { a: i32, b: i32 }
///
/// #[derive(Message, Default)]
/// struct Sum { sum: i32 }
///
/// let service = Service::new("Calculator", "urn:example:calculator")
///     .operation("add", |request: Add| {
///         let sum = request.a.checked_add(request.b);
///         sum.map(|sum| Sum { sum }).ok_or_else(|| Fault::sender("the sum is too large"))
///     })
///     .at("/calculator", Binding::document_literal())
///     .at("/calculator/rpc", Binding::rpc_encoded());
/// ```
pub struct Service {
    pub(super) name: String,
    pub(super) namespace: String,
    documentation: Option<String>,
    described_by: Option<Described>,
    is_described_together: bool,
    pub(super) operations: Vec<Named>,
    bindings: Vec<(String, Binding)>,
    headers: Vec<Arc<Layout>>,
    reply_headers: Vec<Arc<Layout>>,
    understood: Vec<QName>,
    roles: Vec<String>,
    pub(super) fallback: Option<Fallback>,
    pub(super) limits: Limits,
    pub(super) unknown: UnknownContent,
    pub(super) attached_from: usize,
    /// What is wrong with an operation that was added.
    problem: Option<String>,
    /// Are Sender faults of SOAP 1.2 answered by 400?
    pub(super) is_sender_bad_request: bool,
    /// What is demanded of Security headers, and what answers have of them.
    pub(super) guard: Option<Arc<Guard>>,
    pub(super) seal: Option<Seal>,
    /// What looks at requests as they came.
    pub(super) inspection: Option<Inspection>,
}

/// From how many octets on a member of an answer is attached.
const ATTACHED: usize = 1024;

/// An operation and what it is called.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) action: String,
    pub(super) documentation: Option<String>,
    /// Where its requests stand among those that wait.
    pub(super) rank: u32,
    /// Header blocks of its requests and of its answers, beside those of all operations.
    headers: [Vec<Arc<Layout>>; 2],
    faults: Vec<Arc<Layout>>,
    /// Does it get its attachments as they come?
    pub(super) is_streamed: bool,
    pub(super) operation: Box<dyn Operation>,
}

/// Why a service cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceError(pub(super) String);

impl fmt::Display for ServiceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ServiceError {}

impl fmt::Debug for Service {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operations: Vec<&str> = self.operations.iter().map(|it| &*it.name).collect();
        out.debug_struct("Service")
            .field("name", &self.name)
            .field("namespace", &self.namespace)
            .field("operations", &operations)
            .field("bindings", &self.bindings)
            .finish_non_exhaustive()
    }
}

impl Service {
    /// A service without operations. The namespace is a URI; its operations' actions are
    /// `namespace#operation`.
    pub fn new(name: &str, namespace: &str) -> Self {
        Self {
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            documentation: None,
            described_by: None,
            is_described_together: false,
            operations: Vec::new(),
            bindings: Vec::new(),
            headers: Vec::new(),
            reply_headers: Vec::new(),
            understood: Vec::new(),
            roles: Vec::new(),
            fallback: None,
            limits: Limits::default(),
            unknown: UnknownContent::default(),
            attached_from: ATTACHED,
            problem: None,
            is_sender_bad_request: false,
            guard: None,
            seal: None,
            inspection: None,
        }
    }

    /// The documentation of the service in the WSDL.
    #[must_use]
    pub fn documentation(mut self, text: &str) -> Self {
        self.documentation = Some(text.to_owned());
        self
    }

    /// The service's WSDL, in place of one that is made of its messages: where the description came
    /// first, or says what we write no descriptions of yet. Clients get it as it stands here, at every
    /// path; nobody checks that it is true.
    #[must_use]
    pub fn described_by(mut self, wsdl: &str) -> Self {
        self.described_by = Some(Described { wsdl: wsdl.to_owned(), ..Described::default() });
        self
    }

    /// As [`described_by`](Self::described_by), but clients get the address at which they reach the service where this
    /// one stands as a location.
    #[must_use]
    pub fn described_at(self, wsdl: &str, address: &str) -> Self {
        let mut service = self.described_by(wsdl);
        if let Some(described) = &mut service.described_by {
            described.addresses.push((address.to_owned(), None));
        }
        service
    }

    /// In the WSDL that [describes](Self::described_by) the service, clients get the address of another path of the
    /// same server where this address stands as a location.
    #[must_use]
    pub fn located(mut self, address: &str, path: &str) -> Self {
        if let Some(described) = &mut self.described_by {
            described.addresses.push((address.to_owned(), Some(path.to_owned())));
        }
        self
    }

    /// Adds a document that the WSDL imports, by which the service is [described](Self::described_by). It is at
    /// this query behind each path, such as `xsd=1`; where it is `?xsd=1` as a location, clients get the whole address.
    #[must_use]
    pub fn document(mut self, query: &str, text: &str) -> Self {
        if let Some(described) = &mut self.described_by {
            described.documents.push((query.to_owned(), text.to_owned()));
        }
        self
    }

    /// One WSDL for all paths, which has a port for each of them, in place of one for each path. With
    /// [`Server::offer_soap_tcp`](super::Server::offer_soap_tcp) there is a second one for each, whose address is that
    /// of SOAP/TCP and whose name ends in `Tcp`. Not every toolkit reads bindings of the SOAP encoding beside others,
    /// nor knows the scheme of SOAP/TCP.
    #[must_use]
    pub fn described_together(mut self) -> Self {
        self.is_described_together = true;
        self
    }

    /// Adds an operation that is answered.
    #[must_use]
    pub fn operation<F, Shape, Q, R>(self, name: &str, function: F) -> Self
    where
        F: Function<Shape, Q, R>,
        Shape: 'static,
        Q: Structure + Message + Send + 'static,
        R: Structure + Message + Send + 'static,
    {
        self.add(name, Box::new(Answered::new(function)))
    }

    /// Adds an operation whose answers come later: an `async` function. While a call waits, no thread does, and other
    /// connections go on; the next request of its own connection waits for it. How many calls may wait is
    /// [`Server::waiting_calls`](super::Server::waiting_calls). It is polled on the thread that reads and writes, a runtime
    /// of tokio of one thread with its timers and sockets, and must not block it. It is dropped if the client is gone.
    ///
    /// ```
    /// use trunkline_message::Message;
    /// use trunkline_session::soap::{Binding, Fault, Service};
    ///
    /// #[derive(Message, Default)]
    /// struct Question { text: String }
    ///
    /// #[derive(Message, Default)]
    /// struct Answer { text: String }
    ///
    /// async fn ask(question: Question) -> Result<Answer, Fault> {
    ///     let text = std::future::ready(question.text).await;
    ///     Ok(Answer { text })
    /// }
    ///
    /// let service = Service::new("Oracle", "urn:example:oracle").operation_async("ask", ask);
    /// ```
    #[must_use]
    pub fn operation_async<F, Shape, Q, R>(self, name: &str, function: F) -> Self
    where
        F: AsyncFunction<Shape, Q, R>,
        Shape: 'static,
        Q: Structure + Message + Send + 'static,
        R: Structure + Message + Send + 'static,
    {
        self.add(name, Box::new(AnsweredLater::new(function)))
    }

    /// Adds an operation that is not answered. A caller learns of a fault all the same, if the
    /// transport has a way to tell (HTTP).
    #[must_use]
    pub fn one_way<F, Q, E>(self, name: &str, function: F) -> Self
    where
        F: Fn(Q) -> Result<(), E> + Send + Sync + 'static,
        Q: Structure + Message + Send + 'static,
        E: Into<Fault> + 'static,
    {
        self.add(name, Box::new(OneWay::new(function)))
    }

    /// Adds an operation whose messages look as the signature says, in every binding: that of a description from which
    /// its structs were made, which is to be given as well ([`described_at`](Self::described_at)).
    #[must_use]
    pub fn operation_as<F, Shape, Q, R>(self, signature: &Signature, function: F) -> Self
    where
        F: Function<Shape, Q, R>,
        Shape: 'static,
        Q: Structure + Message + Send + 'static,
        R: Structure + Message + Send + 'static,
    {
        self.add_signed(signature, Answered::new(function))
    }

    /// The same for an operation that is not answered.
    #[must_use]
    pub fn one_way_as<F, Q, E>(self, signature: &Signature, function: F) -> Self
    where
        F: Fn(Q) -> Result<(), E> + Send + Sync + 'static,
        Q: Structure + Message + Send + 'static,
        E: Into<Fault> + 'static,
    {
        self.add_signed(signature, OneWay::new(function))
    }

    fn add_signed<O: Operation + 'static>(self, signature: &Signature, operation: O) -> Self {
        let signed = Signed { signature: signature.clone(), operation };
        self.add(signature.name(), Box::new(signed)).action(signature.action())
    }

    /// Adds an operation of which the messages are known at run time only; they look as the signature says, in every
    /// binding. The function works in the memory of earlier messages, and the answer that it gets has no field set. A
    /// [description](Self::described_by) has to come from elsewhere.
    #[must_use]
    pub fn record_operation<F>(mut self, signature: &Signature, function: F) -> Self
    where
        F: Fn(&mut Record, &mut Record, &mut Context) -> Result<(), Fault> + Send + Sync + 'static,
    {
        let Some(reply) = signature.reply().cloned() else {
            let name = signature.name();
            self.problem = Some(format!("{name} has no answer: it is a `record_one_way`"));
            return self;
        };
        let answered = Answered::new(OfRecords(function));
        let operation = AnsweredRecords { signature: signature.clone(), reply, answered };
        self.add(signature.name(), Box::new(operation)).action(signature.action())
    }

    /// The same for an operation that is not answered.
    #[must_use]
    pub fn record_one_way<F>(self, signature: &Signature, function: F) -> Self
    where
        F: Fn(Record) -> Result<(), Fault> + Send + Sync + 'static,
    {
        let operation = TakenRecords { signature: signature.clone(), function: Arc::new(function) };
        self.add(signature.name(), Box::new(operation)).action(signature.action())
    }

    /// Gets every message that no operation claims, also one whose Body is empty, without a schema:
    /// for gateways, echo services and the like. What it returns goes back in the SOAP of the
    /// request, encoded if the request was; `None` is no answer. A service that has this may do
    /// without operations. An encoding style that is none of SOAP's is rejected in SOAP 1.2.
    ///
    /// In the message are all header blocks; [`Context::header_blocks`](super::Context::header_blocks)
    /// has those that are for this service. Blocks that must be understood are rejected unless
    /// [`understands`](Self::understands) names them.
    ///
    /// ```
    /// use trunkline_session::soap::{Binding, Service, SoapVersion};
    ///
    /// let echo = Service::new("Echo", "urn:example:echo")
    ///     .fallback(|mut message, _| {
    ///         message.header.clear();
    ///         Ok(Some(message))
    ///     })
    ///     .at("/echo", Binding::rpc_encoded());
    ///
    /// let mut conversation = echo.build()?[0].conversation();
    /// let envelope = |body| format!("<E:Envelope \
    ///     xmlns:E='http://schemas.xmlsoap.org/soap/envelope/'><E:Body>{body}</E:Body></E:Envelope>");
    /// let request = envelope("<question><of>life</of></question>");
    /// let answer = conversation.answer(request.as_bytes(), "", SoapVersion::Soap11);
    /// assert!(String::from_utf8_lossy(answer.bytes).contains("<question><of>life</of></question>"));
    /// # Ok::<(), trunkline_session::soap::ServiceError>(())
    /// ```
    #[must_use]
    pub fn fallback<F>(mut self, function: F) -> Self
    where
        F: Fn(graph::Message, &mut Context) -> Result<Option<graph::Message>, Fault>,
        F: Send + Sync + 'static,
    {
        self.fallback = Some(Fallback::new(function));
        self
    }

    fn add(mut self, name: &str, operation: Box<dyn Operation>) -> Self {
        let action = format!("{}#{name}", self.namespace);
        self.operations.push(Named {
            name: name.to_owned(),
            action,
            documentation: None,
            rank: 0,
            headers: [Vec::new(), Vec::new()],
            faults: Vec::new(),
            is_streamed: false,
            operation,
        });
        self
    }

    /// The SOAPAction of the operation added last, in place of `namespace#operation`.
    #[must_use]
    pub fn action(mut self, action: &str) -> Self {
        if let Some(last) = self.operations.last_mut() {
            action.clone_into(&mut last.action);
        }
        self
    }

    /// Where requests of the operation added last stand among those that wait for a thread of a pool, if its order is
    /// [`Order::LowestRank`](trunkline_http::Order::LowestRank): the lowest rank is served first. Without it, 0. The operation is that of
    /// the element in the Body, which is looked for in the first 64 KiB of the envelope, or else that of the action; where neither tells, the request stands last.
    #[must_use]
    pub fn rank(mut self, rank: u32) -> Self {
        if let Some(last) = self.operations.last_mut() {
            last.rank = rank;
        }
        self
    }

    /// What the operation added last does, for people: in the WSDL and on the page of the service.
    #[must_use]
    pub fn operation_documentation(mut self, text: &str) -> Self {
        if let Some(last) = self.operations.last_mut() {
            last.documentation = Some(text.to_owned());
        }
        self
    }

    /// The operation added last gets what is attached to its requests as they come, by
    /// [`Context::attachments`](super::Context::attachments), of any length up to
    /// [`Config::streamed_bytes`](super::Config::streamed_bytes). In the place of the octets of such an attachment its member has the URI
    /// that refers to it; octets that the sender left in the envelope are there as ever. Its function has a thread of its own where the
    /// request comes in a package over HTTP (of a pool, if there is one, where that is compressed), and has to read all attachments, or to
    /// answer by a fault. Not for `async` functions, and those without an answer.
    #[must_use]
    pub fn streamed(mut self) -> Self {
        if let Some(last) = self.operations.last_mut() {
            last.is_streamed = true;
            if last.operation.is_later() || last.operation.output().is_none() {
                let why = "its function is not there to read attachments as they come";
                self.problem = Some(format!("{}: {why}", last.name));
            }
        }
        self
    }

    /// As [`header`](Self::header), of requests of the operation added last only: the WSDL tells clients so. A block
    /// that comes with another operation is understood, too.
    #[must_use]
    pub fn operation_header<T: Structure + Message>(mut self) -> Self {
        let local = T::layout().name().to_owned();
        if let Some(last) = self.operations.last_mut() {
            last.headers[0].push(T::layout().clone());
            self.understood.push(QName { namespace: self.namespace.clone(), local });
        }
        self
    }

    /// As [`reply_header`](Self::reply_header), of answers of the operation added last only.
    #[must_use]
    pub fn operation_reply_header<T: Structure + Message>(mut self) -> Self {
        if let Some(last) = self.operations.last_mut() {
            last.headers[1].push(T::layout().clone());
        }
        self
    }

    /// The operation added last may fail with such a detail; for the WSDL.
    #[must_use]
    pub fn fault<T: Structure + Message>(mut self) -> Self {
        if let Some(last) = self.operations.last_mut() {
            last.faults.push(T::layout().clone());
        }
        self
    }

    /// Requests may have the header block that `T` describes, and it is understood. Functions get
    /// it by [`Context::header`](super::Context::header).
    #[must_use]
    pub fn header<T: Structure + Message>(mut self) -> Self {
        let local = T::layout().name().to_owned();
        self.understood.push(QName { namespace: self.namespace.clone(), local });
        self.headers.push(T::layout().clone());
        self
    }

    /// Answers may have the header block that `T` describes; for the WSDL. Functions add it by
    /// [`Context::add_header`](super::Context::add_header).
    #[must_use]
    pub fn reply_header<T: Structure + Message>(mut self) -> Self {
        self.reply_headers.push(T::layout().clone());
        self
    }

    /// Header blocks of this name are understood, whatever is in them.
    #[must_use]
    pub fn understands(mut self, namespace: &str, local: &str) -> Self {
        let name = QName { namespace: namespace.to_owned(), local: local.to_owned() };
        self.understood.push(name);
        self
    }

    /// The service acts in this role (an actor in SOAP 1.1), besides `next` and the last receiver.
    #[must_use]
    pub fn role(mut self, uri: &str) -> Self {
        self.roles.push(uri.to_owned());
        self
    }

    /// Limits of requests, in place of the defaults.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// From how many octets on a member of an answer travels beside the envelope, where the request came in a package or
    /// accepts one: in one of the same kind. By default it is 1024.
    #[must_use]
    pub fn attachments_from(mut self, octets: usize) -> Self {
        self.attached_from = octets;
        self
    }

    /// How to handle elements or attributes of requests, and of header blocks that are read, that their
    /// struct does not know: by default they are counted, and the log of calls has the number. Rejected
    /// ones are a Sender fault, which names the first.
    #[must_use]
    pub fn on_unknown(mut self, content: UnknownContent) -> Self {
        self.unknown = content;
        self
    }

    /// Has each request looked at as it came, in XML whatever it came in, once it could be read and before its function is called:
    /// for what a struct does not hold, such as whether a schema allows the document. An error is what the caller gets. That
    /// costs a copy for each call. The fallback is called without. Not with operations that are [streamed](Self::streamed).
    #[must_use]
    pub fn inspect<F>(mut self, function: F) -> Self
    where
        F: Fn(&[u8], &Context) -> Result<(), Fault> + Send + Sync + 'static,
    {
        self.inspection = Some(Inspection::new(function));
        self
    }

    /// Demands this of the Security header of each request, at all paths, before a function is called; who is shown by it is the
    /// [identity](super::Context::identity) of the call. Services that know the same users share one guard, so that what was sent to one
    /// is not replayed to another. The WSDL does not tell clients so.
    #[must_use]
    pub fn ws_security(mut self, guard: impl Into<Arc<Guard>>) -> Self {
        self.guard = Some(guard.into());
        self
    }

    /// Puts a Security header into each answer, also if that is a fault. Answers are in XML then, without attachments; who
    /// asks for another encoding is told so by a fault.
    #[must_use]
    pub fn ws_security_of_answers(mut self, seal: Seal) -> Self {
        self.seal = Some(seal);
        self
    }

    /// Answers Sender faults of SOAP 1.2 by the HTTP status 400, as SOAP 1.2 part 2 table 20 has it. By
    /// default the status is 500, as for every other fault, since CXF's client reads no fault from a 400.
    #[must_use]
    pub fn bad_request_for_sender_faults(mut self) -> Self {
        self.is_sender_bad_request = true;
        self
    }

    /// Messages at this path look so. A service without any binding is at `/`, in
    /// document/literal.
    #[must_use]
    pub fn at(mut self, path: &str, binding: Binding) -> Self {
        self.bindings.push((path.to_owned(), binding));
        self
    }

    /// Checks the service and compiles its messages.
    ///
    /// # Errors
    /// Names the operation or path that stands twice or is none, or of which two cannot be told
    /// apart on the wire.
    pub fn build(mut self) -> Result<Vec<Endpoint>, ServiceError> {
        if self.bindings.is_empty() {
            self.bindings.push(("/".to_owned(), Binding::default()));
        }
        self.check()?;
        let service = Arc::new(self);
        let endpoint = |(path, binding): &(String, Binding)| {
            let error = |why: String| ServiceError(format!("service {}: {why}", service.name));
            let endpoint = Endpoint::new(&service, path.clone(), *binding);
            let endpoint = endpoint.map_err(|it| error(it.to_string()))?;
            endpoint.check().map_err(error)?;
            Ok(endpoint)
        };
        service.bindings.iter().map(endpoint).collect()
    }

    fn check(&self) -> Result<(), ServiceError> {
        let error = |text| Err(ServiceError(format!("service {}: {text}", self.name)));
        if let Some(problem) = self.problem.clone().or_else(|| inspection::unseen(self)) {
            return error(problem);
        }
        if self.operations.is_empty() && self.fallback.is_none() {
            return error("it has no operations".to_owned());
        }
        if self.namespace.is_empty() {
            return error("its namespace is empty".to_owned());
        }
        for (index, named) in self.operations.iter().enumerate() {
            let name = &named.name;
            if !is_ncname(name) {
                return error(format!("{name:?} is no name of an operation"));
            }
            if self.operations[..index].iter().any(|it| it.name == *name) {
                return error(format!("the operation {name} stands twice"));
            }
        }
        for (index, (path, _)) in self.bindings.iter().enumerate() {
            if !path.starts_with('/') || path.contains(['?', '#', ' ']) {
                return error(format!(
                    "{path:?} is no path: it begins with / and has no ?, # or blank"
                ));
            }
            if self.bindings[..index].iter().any(|(it, _)| it == path) {
                return error(format!("the path {path} stands twice"));
            }
        }
        Ok(())
    }

    pub(super) fn documentation_text(&self) -> Option<&str> {
        self.documentation.as_deref()
    }

    pub(super) fn understood(&self, name: &QName) -> bool {
        let is_security = self.guard.is_some() && name.is(WSSE, "Security");
        is_security || self.understood.contains(name)
    }

    pub(super) fn roles(&self) -> &[String] {
        &self.roles
    }

    fn describe(&self, named: &Named) -> OperationDescription {
        let faults = named.faults.iter().map(|it| (it.name().to_owned(), it.clone()));
        let all = |of_all: &[Arc<Layout>], own: &[Arc<Layout>]| {
            let own = own.iter().filter(|it| !of_all.iter().any(|other| Arc::ptr_eq(it, other)));
            of_all.iter().chain(own).cloned().collect()
        };
        OperationDescription {
            name: named.name.clone(),
            action: named.action.clone(),
            documentation: named.documentation.clone(),
            input: named.operation.input().clone(),
            output: named.operation.output().cloned(),
            faults: faults.collect(),
            input_headers: all(&self.headers, &named.headers[0]),
            output_headers: match named.operation.output() {
                Some(_) => all(&self.reply_headers, &named.headers[1]),
                None => Vec::new(),
            },
        }
    }
}

/// A service at one path, in one binding; shared by all who call it.
#[derive(Clone)]
pub struct Endpoint(pub(super) Arc<EndpointParts>);

pub(super) struct EndpointParts {
    pub(super) service: Arc<Service>,
    pub(super) path: String,
    pub(super) binding: Binding,
    /// One for each operation of the service, in their order.
    pub(super) plans: Vec<Plans>,
    /// With one of which the Body of a request begins.
    pub(super) elements: Vec<Vec<QName>>,
}

impl EndpointParts {
    /// What one conversation needs to call an operation, or its fallback.
    #[cold]
    pub(super) fn begin(&self, operation: usize) -> Box<dyn Call> {
        let Service { operations, fallback, limits, unknown, .. } = &*self.service;
        match (operations.get(operation), fallback) {
            (Some(named), _) => named.operation.begin(&self.plans[operation], limits, *unknown),
            (None, Some(fallback)) => fallback.begin(self.binding.style.is_rpc(), limits),
            (None, None) => unreachable!("nothing else is called"),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EndpointParts { service, path, binding, .. } = &*self.0;
        write!(out, "{} at {path} in {}", service.name, binding.name())
    }
}

impl Endpoint {
    fn new(
        service: &Arc<Service>,
        path: String,
        binding: Binding,
    ) -> trunkline_message::Result<Self> {
        let plans: trunkline_message::Result<_> = service
            .operations
            .iter()
            .map(|it| Plans::new(&*it.operation, &it.name, &service.namespace, &binding))
            .collect();
        let elements = service.operations.iter().map(|it| match it.operation.signature() {
            Some(signature) => signature.elements().to_vec(),
            None => vec![QName {
                namespace: service.namespace.clone(),
                local: binding.element(&it.name, it.operation.input().name()).to_owned(),
            }],
        });
        Ok(Self(Arc::new(EndpointParts {
            plans: plans?,
            elements: elements.collect(),
            service: service.clone(),
            path,
            binding,
        })))
    }

    /// Can operations be told apart, and is there a WSDL?
    fn check(&self) -> Result<(), String> {
        let EndpointParts { service, elements, path, .. } = &*self.0;
        let operations = &service.operations;
        for (index, operation) in operations.iter().enumerate() {
            let of_both = |it: usize| {
                let same = elements[index].iter().find(|element| elements[it].contains(element));
                same.filter(|_| operations[it].action == operation.action).map(|same| (it, same))
            };
            if let Some((other, same)) = (0..index).find_map(of_both) {
                let (one, other) = (&operations[other].name, &operation.name);
                let same = match same {
                    it if it.local.is_empty() => "an empty Body and the same".to_owned(),
                    element => format!("the same element {element} and"),
                };
                return Err(format!("at {path}, {one} and {other} have {same} action"));
            }
        }
        match operations.is_empty() || service.described_by.is_some() {
            true => Ok(()),
            false => {
                let checked = self.description("http://localhost/").check();
                checked.map_err(|error| error.to_string())
            }
        }
    }

    /// Do answers of an operation come later?
    pub(super) fn may_wait(&self) -> bool {
        self.0.service.operations.iter().any(|it| it.operation.is_later())
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// How its messages look.
    pub fn binding(&self) -> Binding {
        self.0.binding
    }

    /// What is accepted at most.
    pub fn limits(&self) -> &Limits {
        &self.0.service.limits
    }

    /// A conversation with one caller. It learns how the caller writes messages, so keep it as long as
    /// the connection lasts.
    pub fn conversation(&self) -> Conversation {
        Conversation::new(self.clone(), None, None)
    }

    /// The WSDL, for a service that clients reach at `location`, which ends in the path where it has other
    /// [paths too](Service::described_together).
    pub fn wsdl(&self, location: &str) -> String {
        self.wsdl_with(location, Offer::default())
    }

    /// As [`wsdl`](Self::wsdl), with what the server offers beside HTTP.
    pub(super) fn wsdl_with(&self, location: &str, offer: Offer) -> String {
        let ports = offer.channels && self.0.service.is_described_together;
        let offer = Offer { ports, ..offer };
        let described = self.0.service.described_by.as_ref();
        described
            .and_then(|it| it.text(None, location, self.path()))
            .unwrap_or_else(|| wsdl::write_with(&self.description(location), offer))
    }

    /// What the WSDL imports from this query; of one that is made of messages, its schemas by number: `xsd` is the
    /// first, as `xsd=1` is, and `xsd=xsd0` in .NET.
    pub(super) fn imported(&self, query: &str, location: &str) -> Option<String> {
        if let Some(described) = &self.0.service.described_by {
            return described.text(Some(query), location, self.path());
        }
        let query = query.to_ascii_lowercase();
        let index = match query.strip_prefix("xsd")? {
            "" => 0,
            number => match number.strip_prefix('=')?.strip_prefix("xsd") {
                Some(from_zero) => from_zero.parse().ok()?,
                None => number[1..].parse::<usize>().ok()?.checked_sub(1)?,
            },
        };
        wsdl::schema_documents(&self.description(location), location).into_iter().nth(index)
    }

    fn description(&self, location: &str) -> Description {
        let EndpointParts { service, path, binding, .. } = &*self.0;
        let own = [(path.clone(), *binding)];
        let together = service.is_described_together;
        let paths = if together { &*service.bindings } else { &own };
        let server = location.strip_suffix(&**path).unwrap_or(location);
        let mut bindings = ports::of(&service.name, server, paths);
        if !together {
            location.clone_into(&mut bindings[0].location);
        }
        Description {
            name: service.name.clone(),
            port_type: None,
            namespace: service.namespace.clone(),
            documentation: service.documentation.clone(),
            bindings,
            operations: service.operations.iter().map(|it| service.describe(it)).collect(),
        }
    }
}
