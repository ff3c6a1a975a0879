//! Operations of which the messages are known at run time only: those of a description that was read.

use std::fmt;
use std::sync::Arc;

use trunkline_message::{Layout, Limits, Record, Result, ScopeId, Structure, UnknownContent};
use trunkline_soap::{self as soap, Fault, Nothing, Options, QName, Version};

use super::operation::{Answered, Call, OneWayCall, Operation, Plans};
use super::{Binding, Context, Function};

/// An operation: what it is called, and how its messages look.
///
/// ```
/// use std::sync::Arc;
/// use trunkline_message::{Layout, Record};
/// use trunkline_session::soap::{Binding, Client, Server, Service, Signature};
///
/// let layout = |listing| Layout::from_listing(listing).map(Arc::new);
/// let numbers = layout("message Numbers N\n field a 1 i64 required\n field b 2 i64 required\n end")?;
/// let answer = layout("message Answer A\n field sum 1 i64 required\n end")?;
/// let binding = Binding::document_literal();
/// let options = |element| binding.options("urn:example:sums", element);
/// let add = Signature::new("add", "urn:example:sums#add", (&numbers, &options("add")))?
///     .answered((&answer, &options("addResponse")))?;
///
/// let service = Service::new("Sums", "urn:example:sums").record_operation(
///     &add,
///     |numbers: &mut Record, answer: &mut Record, _| {
///         let number = |name| match numbers.get(name) {
///             Some(trunkline_message::Value::Integer(number)) => *number,
///             _ => 0,
///         };
///         answer.set("sum", number("a") + number("b")).expect("a whole number");
///         Ok(())
///     },
/// );
/// let server = Server::new().service(service).start("127.0.0.1:0")?;
///
/// let mut client = Client::new(&format!("http://{}/", server.address()), "urn:example:sums")?;
/// let (mut request, mut reply) = (Record::new(&numbers), Record::new(&answer));
/// request.set("a", 40)?;
/// request.set("b", 2)?;
/// client.call_record(&add, &request, &mut reply)?;
/// assert_eq!(reply.get("sum"), Some(&42_i64.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Signature {
    name: String,
    action: String,
    /// One of these is the first in the Body.
    elements: Vec<QName>,
    version: Version,
    request: Arc<Layout>,
    /// None for an operation without an answer.
    reply: Option<Arc<Layout>>,
    pub(super) plans: Plans,
}

impl fmt::Debug for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Signature")
            .field("name", &self.name)
            .field("elements", &self.elements)
            .finish_non_exhaustive()
    }
}

impl Signature {
    /// An operation that is not answered. One whose requests have an empty Body takes
    /// [`Nothing`](trunkline_soap::Nothing): its action tells that it is called.
    ///
    /// # Errors
    /// Its request has no plan.
    pub fn new(name: &str, action: &str, request: (&Arc<Layout>, &Options)) -> Result<Self> {
        let (layout, options) = request;
        let plans = Plans::of_messages(request, request)?;
        let elements = plans.request().elements();
        let elements = elements.into_iter().map(|(namespace, local)| QName::new(namespace, local));
        let elements = elements.collect();
        Ok(Self {
            name: name.to_owned(),
            action: action.to_owned(),
            elements,
            version: options.version,
            request: layout.clone(),
            reply: None,
            plans,
        })
    }

    /// The same with an answer.
    ///
    /// # Errors
    /// The answer has no plan.
    pub fn answered(mut self, reply: (&Arc<Layout>, &Options)) -> Result<Self> {
        self.plans.set_response(reply)?;
        self.reply = Some(reply.0.clone());
        Ok(self)
    }

    /// An operation of structs that were made from a description, which is not answered: `element` is the namespace and
    /// the name of its request's. Whether members are in a namespace is in their notes, and not said by the binding. An
    /// element that may be nil (`nillable`) is an `Option` of a struct.
    ///
    /// # Errors
    /// Its request has no plan.
    pub fn of<Q: Structure>(
        name: &str,
        action: &str,
        binding: Binding,
        element: (&str, &str),
    ) -> Result<Self> {
        Self::new(name, action, (Q::layout(), &options::<Q>(binding, element)))
    }

    /// The same with an answer, and the element of it.
    ///
    /// # Errors
    /// The answer has no plan.
    pub fn answered_by<R: Structure>(
        self,
        binding: Binding,
        element: (&str, &str),
    ) -> Result<Self> {
        let any_wrapper = binding.style.is_rpc();
        let options = Options { any_wrapper, ..options::<R>(binding, element) };
        self.answered((R::layout(), &options))
    }

    /// An operation whose requests are the Body itself: the fields of the struct are the elements in it, and of one without
    /// fields, such as [`Nothing`], it is empty. Where it begins with a choice, any of its elements tells a service what is
    /// called. It is not answered.
    ///
    /// # Errors
    /// Its request has no plan.
    pub fn of_body<Q: Structure>(name: &str, action: &str, binding: Binding) -> Result<Self> {
        Self::new(name, action, (Q::layout(), &body_options::<Q>(binding)))
    }

    /// The same with an answer that is the Body itself.
    ///
    /// # Errors
    /// The answer has no plan.
    pub fn answered_by_body<R: Structure>(self, binding: Binding) -> Result<Self> {
        self.answered((R::layout(), &body_options::<R>(binding)))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SOAPAction, without quotes.
    pub fn action(&self) -> &str {
        &self.action
    }

    /// The first element in the Body of a request: one, or one of several where the Body begins with a choice, such as the
    /// elements of a substitution group. Its name is empty where the Body is.
    pub fn elements(&self) -> &[QName] {
        &self.elements
    }

    /// The SOAP of requests.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The layout of requests.
    pub fn request(&self) -> &Arc<Layout> {
        &self.request
    }

    /// The layout of answers; none for an operation without.
    pub fn reply(&self) -> Option<&Arc<Layout>> {
        self.reply.as_ref()
    }
}

/// Of a message that is this element, by the notes of its members.
fn options<M: Structure>(binding: Binding, (namespace, local): (&str, &str)) -> Options {
    let binding = Binding { wrapped: true, qualified: false, ..binding };
    Options { nillable: M::MAY_BE_NIL, ..binding.options(namespace, local) }
}

/// Of a message that is all of the Body.
fn body_options<M: Structure>(binding: Binding) -> Options {
    let layout = M::layout();
    match layout.scope(ScopeId(0)).fields.is_empty() {
        true => Nothing::options(binding.version),
        false => {
            let options = options::<M>(binding, ("", layout.name()));
            Options { layout: soap::Layout::Body, ..options }
        }
    }
}

/// An operation of structs whose messages look as a signature says.
pub(super) struct Signed<O> {
    pub(super) signature: Signature,
    pub(super) operation: O,
}

impl<O: Operation> Operation for Signed<O> {
    fn input(&self) -> &Arc<Layout> {
        self.operation.input()
    }

    fn output(&self) -> Option<&Arc<Layout>> {
        self.operation.output()
    }

    fn signature(&self) -> Option<&Signature> {
        Some(&self.signature)
    }

    fn is_later(&self) -> bool {
        self.operation.is_later()
    }

    fn begin(&self, plans: &Plans, limits: &Limits, unknown: UnknownContent) -> Box<dyn Call> {
        self.operation.begin(plans, limits, unknown)
    }
}

/// A function of records.
pub(super) struct OfRecords<F>(pub(super) F);

/// Its shape.
pub(super) struct ByRecord;

impl<F> Function<ByRecord, Record, Record> for OfRecords<F>
where
    F: Fn(&mut Record, &mut Record, &mut Context) -> Result<(), Fault> + Send + Sync + 'static,
{
    fn call(
        &self,
        request: &mut Record,
        response: &mut Record,
        context: &mut Context,
    ) -> Result<(), Fault> {
        use trunkline_message::Fields as _;
        response.clear();
        (self.0)(request, response, context)
    }
}

/// An operation of records that is answered.
pub(super) struct AnsweredRecords<F> {
    pub(super) signature: Signature,
    pub(super) reply: Arc<Layout>,
    pub(super) answered: Answered<OfRecords<F>, ByRecord, Record, Record>,
}

impl<F> Operation for AnsweredRecords<F>
where
    F: Fn(&mut Record, &mut Record, &mut Context) -> Result<(), Fault> + Send + Sync + 'static,
{
    fn input(&self) -> &Arc<Layout> {
        &self.signature.request
    }

    fn output(&self) -> Option<&Arc<Layout>> {
        Some(&self.reply)
    }

    fn signature(&self) -> Option<&Signature> {
        Some(&self.signature)
    }

    fn begin(&self, plans: &Plans, limits: &Limits, unknown: UnknownContent) -> Box<dyn Call> {
        let messages = (Record::new(&self.signature.request), Record::new(&self.reply));
        self.answered.begin_with(messages, plans, limits, unknown)
    }
}

/// One that is not answered.
pub(super) struct TakenRecords<F> {
    pub(super) signature: Signature,
    pub(super) function: Arc<F>,
}

impl<F> Operation for TakenRecords<F>
where
    F: Fn(Record) -> Result<(), Fault> + Send + Sync + 'static,
{
    fn input(&self) -> &Arc<Layout> {
        &self.signature.request
    }

    fn output(&self) -> Option<&Arc<Layout>> {
        None
    }

    fn signature(&self) -> Option<&Signature> {
        Some(&self.signature)
    }

    fn begin(&self, plans: &Plans, limits: &Limits, unknown: UnknownContent) -> Box<dyn Call> {
        let layout = self.signature.request.clone();
        let empty = move || Record::new(&layout);
        Box::new(OneWayCall::new(self.function.clone(), empty, plans, limits, unknown))
    }
}
