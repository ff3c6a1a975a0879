//! The threads that convert messages and check filters.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tracing::error;
use trunkline_reactor::Waker;

use crate::config::TopicRule;
use crate::formats::{ConversionOrder, Converted, Converter};

/// Two threads, each started with its first order. They end when this is dropped. Who gives orders bounds how many there are.
///
/// Filters are checked by one of their own: going through a large schema takes as long as converting thousands of messages.
#[derive(Debug)]
pub(crate) struct Conversions {
    waker: Waker,
    converting: Option<Thread>,
    checking: Option<Thread>,
    topics: Arc<[TopicRule]>,
    /// Orders whose outcome was not taken.
    under_way: usize,
    /// Bytes of outcomes that were not taken.
    bytes: Arc<AtomicUsize>,
    /// Those for which there is no thread.
    failed: VecDeque<Converted>,
}

/// Where orders go to a thread, and what came of them comes from it.
type Thread = (Sender<ConversionOrder>, Receiver<Converted>);

impl Conversions {
    pub(crate) fn new(waker: Waker) -> Self {
        let (topics, bytes, failed) = (Arc::default(), Arc::default(), VecDeque::new());
        Self { waker, converting: None, checking: None, topics, under_way: 0, bytes, failed }
    }

    /// Gives a thread an order.
    pub(crate) fn begin(&mut self, order: ConversionOrder) {
        if let ConversionOrder::Topics(topics) = &order {
            self.topics = Arc::clone(topics);
            for (orders, _) in [&self.converting, &self.checking].into_iter().flatten() {
                // One that has ended is found with the next order.
                let _ = orders.send(ConversionOrder::Topics(Arc::clone(topics)));
            }
            // It reads the schemas before there is anything to convert.
            if self.converting.is_none() {
                self.converting = self.start(false);
            }
            return;
        }
        self.under_way += 1;
        let is_check = matches!(order, ConversionOrder::Check(..));
        if self.thread(is_check).is_none() {
            *self.thread(is_check) = self.start(is_check);
        }
        let left = match self.thread(is_check) {
            Some((orders, _)) => orders.send(order).err().map(|it| it.0),
            None => Some(order),
        };
        let failed = left.and_then(|it| it.failed("the router has no thread for conversions"));
        self.failed.extend(failed);
    }

    /// Bytes of outcomes that were not taken.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn thread(&mut self, is_check: bool) -> &mut Option<Thread> {
        if is_check { &mut self.checking } else { &mut self.converting }
    }

    /// Starts a thread, which learns first what is published.
    fn start(&self, is_check: bool) -> Option<Thread> {
        let (orders, to_run) = channel::<ConversionOrder>();
        let (done, outcomes) = channel();
        let (waker, bytes) = (self.waker.clone(), Arc::clone(&self.bytes));
        let _ = orders.send(ConversionOrder::Topics(Arc::clone(&self.topics)));
        let run = move || {
            let mut thread = Guarded::default();
            for order in to_run {
                let Some(outcome) = thread.run(order) else { continue };
                bytes.fetch_add(outcome.bytes(), Ordering::Relaxed);
                if done.send(outcome).is_err() {
                    return;
                }
                // Without it the outcome would be found in the next turn.
                let _ = waker.wake();
            }
        };
        let name = if is_check { "filters" } else { "conversions" };
        match thread::Builder::new().name(name.to_owned()).spawn(run) {
            Ok(_) => Some((orders, outcomes)),
            Err(cause) => {
                error!(%cause, "no thread for {name}: nobody gets messages in another format, or filtered");
                None
            }
        }
    }

    /// The next outcome that is there.
    #[inline]
    pub(crate) fn outcome(&mut self) -> Option<Converted> {
        if self.under_way == 0 {
            return None;
        }
        let next = |thread: &Option<Thread>| thread.as_ref()?.1.try_recv().ok();
        let made = next(&self.converting).or_else(|| next(&self.checking));
        if let Some(made) = &made {
            self.bytes.fetch_sub(made.bytes(), Ordering::Relaxed);
        }
        let outcome = made.or_else(|| self.failed.pop_front())?;
        self.under_way -= 1;
        Some(outcome)
    }
}

/// A converter that a message which it cannot cope with does not end.
#[derive(Default)]
struct Guarded {
    converter: Converter,
    topics: Arc<[TopicRule]>,
}

impl Guarded {
    fn run(&mut self, order: ConversionOrder) -> Option<Converted> {
        if let ConversionOrder::Topics(topics) = &order {
            self.topics = Arc::clone(topics);
        }
        let failed = order.failed("reading it has failed; the log says where");
        catch_unwind(AssertUnwindSafe(|| self.converter.run(order))).unwrap_or_else(|_| {
            // Whatever it was in the middle of is gone with it.
            self.converter = Converter::default();
            self.converter.set_topics(Arc::clone(&self.topics));
            failed
        })
    }
}
