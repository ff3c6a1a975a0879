//! The thread that converts messages.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tracing::error;
use trunkline_reactor::Waker;

use crate::config::TopicRule;
use crate::formats::{ConversionOrder, Converted, Converter};

/// One thread, started with the first order. It ends when this is dropped. Who gives orders bounds how many there are.
#[derive(Debug)]
pub(crate) struct Conversions {
    waker: Waker,
    thread: Option<(Sender<ConversionOrder>, Receiver<Converted>)>,
    /// Orders whose outcome was not taken.
    under_way: usize,
    /// Those for which there is no thread.
    failed: VecDeque<Converted>,
}

impl Conversions {
    pub(crate) fn new(waker: Waker) -> Self {
        Self { waker, thread: None, under_way: 0, failed: VecDeque::new() }
    }

    /// Gives the thread an order.
    pub(crate) fn begin(&mut self, order: ConversionOrder) {
        if self.thread.is_none() {
            self.thread = self.start();
        }
        self.under_way += usize::from(matches!(order, ConversionOrder::Convert(_)));
        let order = match &self.thread {
            Some((orders, _)) => orders.send(order).err().map(|it| it.0),
            None => Some(order),
        };
        if let Some(ConversionOrder::Convert(job)) = order {
            let made = Err("the router has no thread for conversions".to_owned());
            self.failed.push_back(Converted { id: job.id, made });
        }
    }

    fn start(&self) -> Option<(Sender<ConversionOrder>, Receiver<Converted>)> {
        let (orders, to_run) = channel::<ConversionOrder>();
        let (done, outcomes) = channel();
        let waker = self.waker.clone();
        let run = move || {
            let mut thread = Guarded::default();
            for order in to_run {
                let Some(outcome) = thread.run(order) else { continue };
                if done.send(outcome).is_err() {
                    return;
                }
                // Without it the outcome would be found in the next turn.
                let _ = waker.wake();
            }
        };
        match thread::Builder::new().name("conversions".to_owned()).spawn(run) {
            Ok(_) => Some((orders, outcomes)),
            Err(cause) => {
                error!(%cause, "no thread for conversions: nobody gets messages in another format");
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
        let made = self.thread.as_ref().and_then(|(_, outcomes)| outcomes.try_recv().ok());
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
        let id = match &order {
            ConversionOrder::Topics(topics) => {
                self.topics = Arc::clone(topics);
                None
            }
            ConversionOrder::Convert(job) => Some(job.id),
        };
        catch_unwind(AssertUnwindSafe(|| self.converter.run(order))).unwrap_or_else(|_| {
            // Whatever it was in the middle of is gone with it.
            self.converter = Converter::default();
            self.converter.set_topics(Arc::clone(&self.topics));
            let made = || Err("converting it has failed; the log says where".to_owned());
            id.map(|id| Converted { id, made: made() })
        })
    }
}
