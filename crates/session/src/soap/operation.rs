//! A function as an operation of a service.

use std::marker::PhantomData;
use std::sync::Arc;

use trunkline_codec::fast_infoset::{Reader, Writer};
use trunkline_http::Wait;
use trunkline_message::{FieldValue, Layout, Limits, Message, Structure, UnknownContent};
use trunkline_soap::{
    Decoder, Encoder, Fault, FaultCode, Options, Packed, Plan, QName, Style, Unpacked, Version,
};

use super::{Binding, Context, Signature, streams};

/// A function that answers requests.
///
/// There are four shapes, each with a fault or anything that turns into one:
///
/// ```text
/// Fn(Request) -> Result<Response, Fault>
/// Fn(Request, &mut Context) -> Result<Response, Fault>
/// Fn(&mut Request, &mut Response) -> Result<(), Fault>
/// Fn(&mut Request, &mut Response, &mut Context) -> Result<(), Fault>
/// ```
/// The last two work in the memory of earlier messages, so that nothing is allocated in the long
/// run. The response that they get holds no field.
#[diagnostic::on_unimplemented(
    message = "this is no function of a service",
    note = "a service takes `Fn(Request) -> Result<Response, Fault>`, with `&mut Context` behind the request if it likes",
    note = "request and response are structs with `derive(Message)`, the error turns into a `Fault`"
)]
pub trait Function<Shape, Request, Response>: Send + Sync + 'static {
    /// Answers a request.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn call(
        &self,
        request: &mut Request,
        response: &mut Response,
        context: &mut Context,
    ) -> Result<(), Fault>;
}

/// The shapes of functions, which tell the implementations of [`Function`] apart.
#[doc(hidden)]
#[derive(Debug)]
pub struct ByValue;
#[doc(hidden)]
#[derive(Debug)]
pub struct ByValueInContext;
#[doc(hidden)]
#[derive(Debug)]
pub struct InPlace;
#[doc(hidden)]
#[derive(Debug)]
pub struct InPlaceInContext;

impl<F, Q, R, E> Function<(ByValue, E), Q, R> for F
where
    F: Fn(Q) -> Result<R, E> + Send + Sync + 'static,
    Q: FieldValue,
    E: Into<Fault>,
{
    fn call(&self, request: &mut Q, response: &mut R, _: &mut Context) -> Result<(), Fault> {
        *response = self(std::mem::replace(request, Q::empty())).map_err(Into::into)?;
        Ok(())
    }
}

impl<F, Q, R, E> Function<(ByValueInContext, E), Q, R> for F
where
    F: Fn(Q, &mut Context) -> Result<R, E> + Send + Sync + 'static,
    Q: FieldValue,
    E: Into<Fault>,
{
    fn call(&self, request: &mut Q, response: &mut R, context: &mut Context) -> Result<(), Fault> {
        *response = self(std::mem::replace(request, Q::empty()), context).map_err(Into::into)?;
        Ok(())
    }
}

impl<F, Q, R, E> Function<(InPlace, E), Q, R> for F
where
    F: Fn(&mut Q, &mut R) -> Result<(), E> + Send + Sync + 'static,
    R: Structure,
    E: Into<Fault>,
{
    fn call(&self, request: &mut Q, response: &mut R, _: &mut Context) -> Result<(), Fault> {
        response.clear();
        self(request, response).map_err(Into::into)
    }
}

impl<F, Q, R, E> Function<(InPlaceInContext, E), Q, R> for F
where
    F: Fn(&mut Q, &mut R, &mut Context) -> Result<(), E> + Send + Sync + 'static,
    R: Structure,
    E: Into<Fault>,
{
    fn call(&self, request: &mut Q, response: &mut R, context: &mut Context) -> Result<(), Fault> {
        response.clear();
        self(request, response, context).map_err(Into::into)
    }
}

/// A function without its types.
pub(super) trait Operation: Send + Sync {
    fn input(&self) -> &Arc<Layout>;
    /// None for an operation without an answer.
    fn output(&self) -> Option<&Arc<Layout>>;
    /// How its messages look whatever the binding says, if they are known at run time only.
    fn signature(&self) -> Option<&Signature> {
        None
    }
    /// Do its answers come later?
    fn is_later(&self) -> bool {
        false
    }
    /// What one conversation needs to call it; its messages look as `plans` say.
    fn begin(&self, plans: &Plans, limits: &Limits, unknown: UnknownContent) -> Box<dyn Call>;
}

/// How the messages of one operation look in one binding.
#[derive(Clone, Debug)]
pub(super) struct Plans {
    request: Arc<Plan>,
    /// In SOAP 1.1 and in 1.2.
    response: [Arc<Plan>; 2],
    is_rpc: bool,
}

impl Plans {
    pub(super) fn request(&self) -> &Arc<Plan> {
        &self.request
    }

    pub(super) fn new(
        operation: &dyn Operation,
        name: &str,
        namespace: &str,
        binding: &Binding,
    ) -> trunkline_message::Result<Self> {
        if let Some(signature) = operation.signature() {
            return Ok(signature.plans.clone());
        }
        let request = Plan::new(operation.input(), &binding.options(namespace, name))?;
        let reply = format!("{name}Response");
        let response = |version| {
            let options = Binding { version, ..*binding }.options(namespace, &reply);
            let is_wanted = binding.result && binding.style == Style::RpcEncoded;
            let result = is_wanted && has_return_value(operation);
            let options = Options { result, ..options };
            Plan::new(operation.output().unwrap_or(operation.input()), &options)
        };
        let response = [response(Version::Soap11)?, response(Version::Soap12)?];
        Ok(Self { request, response, is_rpc: binding.style.is_rpc() })
    }

    /// Of a request and an answer that look so.
    pub(super) fn of_messages(
        (layout, options): (&Arc<Layout>, &Options),
        answer: (&Arc<Layout>, &Options),
    ) -> trunkline_message::Result<Self> {
        // A service looks at the header before, and a client after.
        let request = Plan::new(layout, &Options { any_header: true, ..options.clone() })?;
        let is_rpc = options.style.is_rpc();
        Ok(Self { request, response: responses(answer)?, is_rpc })
    }

    pub(super) fn set_response(
        &mut self,
        answer: (&Arc<Layout>, &Options),
    ) -> trunkline_message::Result<()> {
        self.response = responses(answer)?;
        Ok(())
    }

    /// The answer's plan for who reads it, in either version.
    pub(super) fn response(&self) -> &Arc<Plan> {
        &self.response[0]
    }
}

fn responses(
    (layout, options): (&Arc<Layout>, &Options),
) -> trunkline_message::Result<[Arc<Plan>; 2]> {
    let plan =
        |version| Plan::new(layout, &Options { version, any_header: true, ..options.clone() });
    Ok([plan(Version::Soap11)?, plan(Version::Soap12)?])
}

/// Is the answer a return value? Of several parts each goes out as a parameter, and so does one that
/// came in.
fn has_return_value(operation: &dyn Operation) -> bool {
    let parts = |layout: &Layout| -> Vec<Box<str>> {
        let scope = &layout.scopes()[0];
        let fields = scope.fields.iter().filter(|it| it.component.is_none());
        let components = scope.components.iter().filter(|it| it.parent.is_none());
        fields.map(|it| it.name.clone()).chain(components.map(|it| it.name.clone())).collect()
    };
    let output = operation.output().map(|layout| parts(layout)).unwrap_or_default();
    matches!(&output[..], [only] if !parts(operation.input()).contains(only))
}

/// A request that is to be read.
pub(super) enum Request<'r, 'd> {
    Xml(&'r [u8]),
    /// With what is attached to it.
    Package(&'r Unpacked),
    /// From its beginning.
    FastInfoset(&'r mut Reader<'d>),
}

/// What was written of an answer.
pub(super) enum Reply<'c> {
    /// There is none.
    Nothing,
    Xml(&'c [u8]),
    /// With what is attached to it.
    Package(&'c Packed),
    /// A document of the writer that was there for it.
    FastInfoset,
    /// It is not there yet, and this is to be waited for.
    Later(Wait),
}

/// An operation in one conversation.
pub(super) trait Call: Send {
    /// Reads a request, has it answered and writes the answer: as Fast Infoset if there is a writer.
    fn call(
        &mut self,
        request: Request<'_, '_>,
        writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault>;

    /// Writes the answer that the call waited for.
    fn resume(
        &mut self,
        _writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        Err(Fault::receiver(format!("{} does not wait", context.operation())))
    }
}

impl Request<'_, '_> {
    fn decode(
        self,
        decoder: &mut Decoder,
        into: &mut impl Message,
    ) -> trunkline_message::Result<()> {
        match self {
            Self::Xml(bytes) => decoder.decode(bytes, into),
            Self::Package(package) => decoder.decode_package(package, into),
            Self::FastInfoset(reader) => decoder.decode_from(reader, into),
        }
    }
}

/// An answer that cannot be written.
#[cold]
pub(super) fn unwritable(error: &trunkline_message::Error, context: &Context) -> Fault {
    Fault::receiver(format!("the answer to {} cannot be written: {error}", context.operation()))
}

/// An operation that is answered.
pub(super) struct Answered<F, Shape, Q, R> {
    function: Arc<F>,
    types: PhantomData<fn(Shape, Q) -> R>,
}

impl<F, Shape, Q, R> Answered<F, Shape, Q, R> {
    pub(super) fn new(function: F) -> Self {
        Self { function: Arc::new(function), types: PhantomData }
    }

    /// With messages of which the memory is used again and again.
    pub(super) fn begin_with(
        &self,
        (request, response): (Q, R),
        plans: &Plans,
        limits: &Limits,
        unknown: UnknownContent,
    ) -> Box<dyn Call>
    where
        F: Function<Shape, Q, R>,
        Shape: 'static,
        Q: Message + Send + 'static,
        R: Message + Send + 'static,
    {
        Box::new(AnsweredCall {
            function: self.function.clone(),
            exchange: Exchange::new((request, response), plans, limits, unknown),
            shape: PhantomData::<fn(Shape)>,
        })
    }
}

impl<F, Shape, Q, R> Operation for Answered<F, Shape, Q, R>
where
    F: Function<Shape, Q, R>,
    Shape: 'static,
    Q: Structure + Message + Send + 'static,
    R: Structure + Message + Send + 'static,
{
    fn input(&self) -> &Arc<Layout> {
        Q::layout()
    }

    fn output(&self) -> Option<&Arc<Layout>> {
        Some(R::layout())
    }

    fn begin(&self, plans: &Plans, limits: &Limits, unknown: UnknownContent) -> Box<dyn Call> {
        self.begin_with((Q::empty(), R::empty()), plans, limits, unknown)
    }
}

/// A request and its answer, and what reads and writes them.
pub(super) struct Exchange<Q, R> {
    decoder: Decoder,
    encoders: [Encoder; 2],
    packed: Packed,
    pub(super) request: Q,
    pub(super) response: R,
    is_rpc: bool,
}

impl<Q: Message, R: Message> Exchange<Q, R> {
    pub(super) fn new(
        (request, response): (Q, R),
        plans: &Plans,
        limits: &Limits,
        unknown: UnknownContent,
    ) -> Self {
        Self {
            decoder: Decoder::with_limits(&plans.request, limits.clone()).on_unknown(unknown),
            encoders: [0, 1].map(|version| Encoder::new(&plans.response[version])),
            packed: Packed::default(),
            request,
            response,
            is_rpc: plans.is_rpc,
        }
    }

    #[inline]
    pub(super) fn decode(
        &mut self,
        request: Request<'_, '_>,
        context: &mut Context,
    ) -> Result<(), Fault> {
        let decoded = request.decode(&mut self.decoder, &mut self.request);
        context.set_unknown_elements(self.decoder.unknown());
        decoded.map_err(|error| unreadable(&error, self.is_rpc, context))?;
        context.stamp_decoded();
        context.inspect()
    }

    #[inline]
    pub(super) fn encode(
        &mut self,
        writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        context.stamp_answered();
        let encoder = &mut self.encoders[usize::from(context.version() == Version::Soap12)];
        let header = context.encoded_reply_header();
        let outgoing = context.take_outgoing();
        if !outgoing.is_empty() {
            let Some(packing) = context.packing_of_streams().filter(|_| writer.is_none()) else {
                return Err(streams::not_accepted(context));
            };
            let (packed, heads) = (&mut self.packed, &outgoing.heads);
            let following = encoder
                .pack_before(&header, &self.response, &packing, heads, packed)
                .map_err(|error| unwritable(&error, context))?;
            context.set_rest(streams::Rest::new(following, outgoing.sources));
            return Ok(Reply::Package(packed));
        }
        let encoded = match writer {
            None => match context.packing() {
                None => encoder.encode_with(&header, &self.response).map(Reply::Xml),
                Some(packing) => {
                    let packed = &mut self.packed;
                    let written = encoder.pack(&header, &self.response, &packing, packed);
                    written.map(|()| Reply::Package(packed))
                }
            },
            Some(writer) => {
                writer.begin();
                let written = encoder.encode_to(&header, &self.response, writer);
                written.and_then(|()| writer.finish()).map(|_| Reply::FastInfoset)
            }
        };
        encoded.map_err(|error| unwritable(&error, context))
    }
}

struct AnsweredCall<F, Shape, Q, R> {
    function: Arc<F>,
    exchange: Exchange<Q, R>,
    shape: PhantomData<fn(Shape)>,
}

impl<F, Shape, Q, R> Call for AnsweredCall<F, Shape, Q, R>
where
    F: Function<Shape, Q, R>,
    Q: Message + Send,
    R: Message + Send,
{
    fn call(
        &mut self,
        request: Request<'_, '_>,
        writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        let Self { function, exchange, .. } = self;
        exchange.decode(request, context)?;
        function.call(&mut exchange.request, &mut exchange.response, context)?;
        context.check_attachments()?;
        exchange.encode(writer, context)
    }
}

/// An operation that is not answered.
pub(super) struct OneWay<F, Q, E> {
    function: Arc<F>,
    types: PhantomData<fn(Q) -> E>,
}

impl<F, Q, E> OneWay<F, Q, E> {
    pub(super) fn new(function: F) -> Self {
        Self { function: Arc::new(function), types: PhantomData }
    }
}

impl<F, Q, E> Operation for OneWay<F, Q, E>
where
    F: Fn(Q) -> Result<(), E> + Send + Sync + 'static,
    Q: Structure + Message + Send + 'static,
    E: Into<Fault> + 'static,
{
    fn input(&self) -> &Arc<Layout> {
        Q::layout()
    }

    fn output(&self) -> Option<&Arc<Layout>> {
        None
    }

    fn begin(&self, plans: &Plans, limits: &Limits, unknown: UnknownContent) -> Box<dyn Call> {
        Box::new(OneWayCall::new(self.function.clone(), Q::empty, plans, limits, unknown))
    }
}

pub(super) struct OneWayCall<F, N, Q, E> {
    function: Arc<F>,
    /// Makes the message that the next one is read into.
    empty: N,
    decoder: Decoder,
    is_rpc: bool,
    types: PhantomData<fn(Q) -> E>,
}

impl<F, N, Q, E> OneWayCall<F, N, Q, E>
where
    F: Fn(Q) -> Result<(), E>,
    N: Fn() -> Q,
{
    pub(super) fn new(
        function: Arc<F>,
        empty: N,
        plans: &Plans,
        limits: &Limits,
        unknown: UnknownContent,
    ) -> Self {
        let decoder = Decoder::with_limits(&plans.request, limits.clone()).on_unknown(unknown);
        Self { function, empty, decoder, is_rpc: plans.is_rpc, types: PhantomData }
    }
}

impl<F, N, Q, E> Call for OneWayCall<F, N, Q, E>
where
    F: Fn(Q) -> Result<(), E> + Send + Sync + 'static,
    N: Fn() -> Q + Send,
    Q: Message + Send,
    E: Into<Fault>,
{
    fn call(
        &mut self,
        request: Request<'_, '_>,
        _: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        let mut received = (self.empty)();
        let decoded = request.decode(&mut self.decoder, &mut received);
        context.set_unknown_elements(self.decoder.unknown());
        decoded.map_err(|error| unreadable(&error, self.is_rpc, context))?;
        context.stamp_decoded();
        context.inspect()?;
        (self.function)(received).map_err(Into::into)?;
        context.stamp_answered();
        Ok(Reply::Nothing)
    }
}

/// The sender's fault: says where in the message, and why.
#[cold]
pub(super) fn unreadable(
    error: &trunkline_message::Error,
    is_rpc: bool,
    context: &Context,
) -> Fault {
    of_rpc(Fault::of_error(error), "BadArguments", is_rpc, context)
}

/// Adds what SOAP 1.2 says more closely where a call fails (part 2 section 4.4). SOAP 1.1 has no
/// such codes.
pub(super) fn of_rpc(fault: Fault, subcode: &str, is_rpc: bool, context: &Context) -> Fault {
    match is_rpc && context.version() == Version::Soap12 && fault.code == FaultCode::Sender {
        true => fault.with_subcode(QName::new("http://www.w3.org/2003/05/soap-rpc", subcode)),
        false => fault,
    }
}
