//! Functions whose answers come later: futures.
//!
//! A server polls them on the thread that reads and writes, which goes on with its other connections in the meantime.
//! Who has no such thread waits for them in place.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll, Wake};
use std::thread::{self, Thread};

use trunkline_codec::fast_infoset::Writer;
use trunkline_message::{Layout, Limits, Message, Structure, UnknownContent};
use trunkline_soap::Fault;

use super::Context;
use super::operation::{Call, Exchange, Operation, Plans, Reply, Request};

/// A response or fault that comes later.
type Answering<R> = Pin<Box<dyn Future<Output = Result<R, Fault>> + Send>>;

/// A function that answers requests later.
///
/// There are two shapes, each with a fault or anything that turns into one:
///
/// ```text
/// async Fn(Request) -> Result<Response, Fault>
/// async Fn(Request, Context) -> Result<Response, Fault>
/// ```
/// The context is one of its own: what is added to it goes into the answer all the same.
#[diagnostic::on_unimplemented(
    message = "this is no async function of a service",
    note = "a service takes `Fn(Request) -> impl Future<Output = Result<Response, Fault>> + Send`, with `Context` behind the request if it likes",
    note = "request and response are structs with `derive(Message)`, the error turns into a `Fault`"
)]
pub trait AsyncFunction<Shape, Request, Response>: Send + Sync + 'static {
    /// Begins to answer a request. Nothing of it need happen before the future is polled.
    fn begin(&self, request: Request, context: Detached<'_>) -> Answering<Response>;
}

/// Makes the context of one call, if it is asked for.
#[derive(Debug)]
pub struct Detached<'c>(pub(super) &'c mut Context);

/// The shapes of functions, which tell the implementations of [`AsyncFunction`] apart.
#[doc(hidden)]
#[derive(Debug)]
pub struct Later;
#[doc(hidden)]
#[derive(Debug)]
pub struct LaterInContext;

impl<F, A, Q, R, E> AsyncFunction<(Later, A, E), Q, R> for F
where
    F: Fn(Q) -> A + Send + Sync + 'static,
    A: Future<Output = Result<R, E>> + Send + 'static,
    E: Into<Fault>,
{
    fn begin(&self, request: Q, _: Detached<'_>) -> Answering<R> {
        let answering = self(request);
        Box::pin(async move { answering.await.map_err(Into::into) })
    }
}

impl<F, A, Q, R, E> AsyncFunction<(LaterInContext, A, E), Q, R> for F
where
    F: Fn(Q, Context) -> A + Send + Sync + 'static,
    A: Future<Output = Result<R, E>> + Send + 'static,
    E: Into<Fault>,
{
    fn begin(&self, request: Q, context: Detached<'_>) -> Answering<R> {
        let answering = self(request, context.0.detached());
        Box::pin(async move { answering.await.map_err(Into::into) })
    }
}

/// How many calls may wait at once, and how many do.
#[derive(Debug)]
pub(super) struct Gate {
    most: usize,
    waiting: AtomicUsize,
}

/// One of them, until this goes.
struct Permit(Arc<Gate>);

impl Gate {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, waiting: AtomicUsize::new(0) })
    }

    fn permit(self: &Arc<Self>) -> Result<Permit, Fault> {
        let permit = Permit(Arc::clone(self));
        match self.waiting.fetch_add(1, Ordering::AcqRel) < self.most {
            true => Ok(permit),
            false => {
                let most = self.most;
                Err(Fault::receiver(format!(
                    "waiting_calls: {most} calls wait for their answers at most"
                )))
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// An operation that is answered later.
pub(super) struct AnsweredLater<F, Shape, Q, R> {
    function: Arc<F>,
    types: PhantomData<fn(Shape, Q) -> R>,
}

impl<F, Shape, Q, R> AnsweredLater<F, Shape, Q, R> {
    pub(super) fn new(function: F) -> Self {
        Self { function: Arc::new(function), types: PhantomData }
    }
}

impl<F, Shape, Q, R> Operation for AnsweredLater<F, Shape, Q, R>
where
    F: AsyncFunction<Shape, Q, R>,
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

    fn is_later(&self) -> bool {
        true
    }

    fn begin(&self, plans: &Plans, limits: &Limits, unknown: UnknownContent) -> Box<dyn Call> {
        Box::new(LaterCall {
            function: self.function.clone(),
            exchange: Exchange::new((Q::empty(), R::empty()), plans, limits, unknown),
            answered: Arc::default(),
            shape: PhantomData::<fn(Shape)>,
        })
    }
}

struct LaterCall<F, Shape, Q, R> {
    function: Arc<F>,
    exchange: Exchange<Q, R>,
    /// What the call that waits was answered.
    answered: Arc<Mutex<Option<Result<R, Fault>>>>,
    shape: PhantomData<fn(Shape)>,
}

impl<F, Shape, Q, R> Call for LaterCall<F, Shape, Q, R>
where
    F: AsyncFunction<Shape, Q, R>,
    Q: Structure + Message + Send,
    R: Structure + Message + Send + 'static,
{
    fn call(
        &mut self,
        request: Request<'_, '_>,
        writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        self.exchange.decode(request, context)?;
        let permit = match context.gate().map(Gate::permit) {
            None => None,
            Some(Ok(permit)) => Some(permit),
            Some(Err(fault)) => {
                context.set_busy();
                return Err(fault);
            }
        };
        let received = std::mem::replace(&mut self.exchange.request, Q::empty());
        let answering = self.function.begin(received, Detached(context));
        let Some(permit) = permit else {
            return self.encode(block_on(answering), writer, context);
        };
        let (answered, operation) = (Arc::default(), context.operation().to_owned());
        self.answered = Arc::clone(&answered);
        Ok(Reply::Later(Box::pin(async move {
            let result = unless_panics(answering, &operation).await;
            *answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            drop(permit);
        })))
    }

    fn resume(
        &mut self,
        writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).take();
        let given_up = || Err(Fault::receiver(format!("{} was given up", context.operation())));
        self.encode(answered.unwrap_or_else(given_up), writer, context)
    }
}

impl<F, Shape, Q, R> LaterCall<F, Shape, Q, R>
where
    Q: Message + Send,
    R: Message + Send,
{
    fn encode(
        &mut self,
        answered: Result<R, Fault>,
        writer: Option<&mut Writer>,
        context: &mut Context,
    ) -> Result<Reply<'_>, Fault> {
        context.take_added();
        self.exchange.response = answered?;
        self.exchange.encode(writer, context)
    }
}

/// What a future answers; that of one that panics is a fault, as that of a function is.
async fn unless_panics<R>(mut answering: Answering<R>, operation: &str) -> Result<R, Fault> {
    poll_fn(|context| {
        let poll = AssertUnwindSafe(|| answering.as_mut().poll(context));
        catch_unwind(poll).unwrap_or_else(|_| Poll::Ready(Err(silent(operation))))
    })
    .await
}

/// The fault of what panicked.
pub(super) fn silent(operation: &str) -> Fault {
    Fault::receiver(format!("{operation} failed, and does not say why"))
}

/// Waits on this thread.
fn block_on<T>(mut future: Pin<Box<dyn Future<Output = T> + Send>>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut context = task::Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
