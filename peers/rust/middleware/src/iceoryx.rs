//! iceoryx2: a publish-and-subscribe service for each topic, with an event service beside it that wakes
//! subscribers which sleep.
//!
//! There is no broker. The address is a folder of the run, under which and by whose name iceoryx2 keeps
//! what programs share. Nothing is lost: a publisher waits for a subscriber whose buffer is full.

use std::io;
use std::path;
use std::time::{Duration, Instant};

use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;

use trunkline_bench_bus::bus::{Bus, BusOptions, Connect, Wait};

/// More topics would take more files and memory than a machine gives to one run.
const TOPICS: usize = 1024;
/// All that may wait in the buffers of one subscriber, in messages over all its topics.
const WAITING: usize = 1 << 14;
/// The longest message that needs no new memory.
const USUAL_BYTES: usize = 256;
/// Those who sleep are woken after so many messages even without a flush: their buffers are bounded.
const UNTOLD: usize = 32;
/// Samples that programs may have in their hands, besides those in buffers.
const SPARE: usize = 8 * PROGRAMS;
/// Programs in a run, at most.
const PROGRAMS: usize = 40;
const PUBLISHERS: usize = 16;

/// Shares memory with the other programs that were given the same folder.
#[derive(Clone, Copy, Debug)]
pub struct Iceoryx2;

impl Connect for Iceoryx2 {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        crate::reject_rates("iceoryx2", options)?;
        if topics.len() > TOPICS {
            let text = format!("iceoryx2: {} topics are more than {TOPICS} services", topics.len());
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        set_log_level(LogLevel::Fatal);
        let config = config(address, topics.len())?;
        let node = NodeBuilder::new().config(&config).create::<ipc::Service>().map_err(failed)?;
        let publishers = topics.iter().map(|_| None).collect();
        Ok(Box::new(Iceoryx2Bus {
            node,
            topics: topics.to_vec(),
            publishers,
            untold: Vec::new(),
            messages_untold: 0,
            subscribers: Vec::new(),
            waiting: None,
            spins: options.spins,
            buffer: buffer(topics.len()),
        }))
    }
}

fn config(address: &str, topics: usize) -> io::Result<Config> {
    let folder = path::Path::new(address);
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut config = Config::default();
    config.global.set_root_path(&Path::new(address.as_bytes()).map_err(failed)?);
    config.global.prefix = FileName::new(format!("{name}_").as_bytes()).map_err(failed)?;
    let messages = &mut config.defaults.publish_subscribe;
    messages.enable_safe_overflow = false;
    messages.backpressure_strategy = BackpressureStrategy::RetryUntilDelivered;
    messages.subscriber_max_buffer_size = buffer(topics);
    messages.max_subscribers = PROGRAMS;
    messages.max_publishers = PUBLISHERS;
    messages.max_nodes = PROGRAMS;
    messages.publisher_history_size = 0;
    let events = &mut config.defaults.event;
    events.max_listeners = PROGRAMS;
    events.max_notifiers = PUBLISHERS;
    events.max_nodes = PROGRAMS;
    Ok(config)
}

/// How many messages of one topic may wait for a subscriber, if there are so many topics.
fn buffer(topics: usize) -> usize {
    (WAITING / topics.max(1)).clamp(2 * UNTOLD, 4096)
}

fn failed(cause: impl std::fmt::Debug) -> io::Error {
    io::Error::other(format!("iceoryx2: {cause:?}"))
}

struct Publishing {
    publisher: Publisher<ipc::Service, [u8], ()>,
    notifier: Notifier<ipc::Service>,
    is_untold: bool,
}

struct Subscribed {
    topic: usize,
    subscriber: Subscriber<ipc::Service, [u8], ()>,
    /// `None` if the program spins.
    listener: Option<&'static Listener<ipc::Service>>,
}

struct Iceoryx2Bus {
    topics: Vec<String>,
    publishers: Vec<Option<Publishing>>,
    /// Topics that have messages of which those who sleep have not been told.
    untold: Vec<usize>,
    messages_untold: usize,
    subscribers: Vec<Subscribed>,
    /// Where a program sleeps that has subscribed to more than one topic.
    waiting: Option<&'static WaitSet<ipc::Service>>,
    spins: bool,
    /// Messages that a subscriber's buffer holds.
    buffer: usize,
    // After the ports, which must be gone before it.
    node: Node<ipc::Service>,
}

impl Iceoryx2Bus {
    fn start_publishing(&mut self, topic: usize) -> io::Result<()> {
        let name = &ServiceName::new(&self.topics[topic]).map_err(failed)?;
        let messages = self.node.service_builder(name).publish_subscribe::<[u8]>();
        let messages = messages.open_or_create().map_err(failed)?;
        let enough = self.buffer + SPARE;
        let publisher = messages
            .publisher_builder()
            .initial_max_slice_len(USUAL_BYTES)
            // For each subscriber there would be a buffer of its own, though all get the same messages:
            // what one of them has not read is the end of what another has not.
            .override_sample_preallocation(move |most| most.min(enough))
            .allocation_strategy(AllocationStrategy::PowerOfTwo)
            .create()
            .map_err(failed)?;
        let events = self.node.service_builder(name).event().open_or_create().map_err(failed)?;
        let notifier = events.notifier_builder().create().map_err(failed)?;
        self.publishers[topic] = Some(Publishing { publisher, notifier, is_untold: false });
        Ok(())
    }

    fn start_subscribing(&mut self, topic: usize) -> io::Result<()> {
        let name = &ServiceName::new(&self.topics[topic]).map_err(failed)?;
        let listener = if self.spins {
            None
        } else {
            let events =
                self.node.service_builder(name).event().open_or_create().map_err(failed)?;
            // Kept for ever, as what waits on it borrows it: a program subscribes once.
            let listener = Box::leak(Box::new(events.listener_builder().create().map_err(failed)?));
            Some(self.wait_on(listener)?)
        };
        let messages = self.node.service_builder(name).publish_subscribe::<[u8]>();
        let messages = messages.open_or_create().map_err(failed)?;
        let subscriber = messages.subscriber_builder().create().map_err(failed)?;
        self.subscribers.push(Subscribed { topic, subscriber, listener });
        Ok(())
    }

    fn wait_on(
        &mut self,
        listener: &'static Listener<ipc::Service>,
    ) -> io::Result<&'static Listener<ipc::Service>> {
        let waiting = match self.waiting {
            Some(waiting) => waiting,
            None => {
                let builder = WaitSetBuilder::new()
                    .signal_handling_mode(SignalHandlingMode::Disabled)
                    .create()
                    .map_err(failed)?;
                self.waiting.insert(Box::leak(Box::new(builder)))
            }
        };
        std::mem::forget(waiting.attach_notification(listener).map_err(failed)?);
        Ok(listener)
    }

    fn take(&mut self, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let mut messages = 0;
        for subscribed in &self.subscribers {
            while let Some(sample) = subscribed.subscriber.receive().map_err(failed)? {
                sink(subscribed.topic, sample.payload());
                messages += 1;
            }
        }
        Ok(messages)
    }

    /// Sleeps until somebody tells of messages, but no longer than this.
    fn sleep(&mut self, longest: Duration) -> io::Result<()> {
        if let [Subscribed { listener: Some(listener), .. }] = &self.subscribers[..] {
            listener.timed_wait(|_| {}, longest).map_err(failed)?;
            return Ok(());
        }
        let Some(waiting) = self.waiting else {
            std::thread::sleep(longest.min(Duration::from_millis(1)));
            return Ok(());
        };
        let woken = |_| CallbackProgression::Continue;
        waiting.wait_and_process_once_with_timeout(woken, longest).map_err(failed)?;
        for subscribed in &self.subscribers {
            if let Some(listener) = subscribed.listener {
                listener.try_wait(|_| {}).map_err(failed)?;
            }
        }
        Ok(())
    }
}

impl Bus for Iceoryx2Bus {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        if self.publishers[topic].is_none() {
            self.start_publishing(topic)?;
        }
        if self.messages_untold == UNTOLD {
            self.flush()?;
        }
        let Some(publishing) = &mut self.publishers[topic] else { return Ok(()) };
        let sample = publishing.publisher.loan_slice_uninit(payload.len()).map_err(failed)?;
        sample.write_from_slice(payload).send().map_err(failed)?;
        if !std::mem::replace(&mut publishing.is_untold, true) {
            self.untold.push(topic);
        }
        self.messages_untold += 1;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        for topic in self.untold.drain(..) {
            if let Some(publishing) = &mut self.publishers[topic] {
                publishing.is_untold = false;
                publishing.notifier.notify().map_err(failed)?;
            }
        }
        self.messages_untold = 0;
        Ok(())
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        topics.iter().try_for_each(|&topic| self.start_subscribing(topic))
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let messages = self.take(sink)?;
        let Wait::Block(longest) = wait else { return Ok(messages) };
        let mut messages = messages;
        let begun = Instant::now();
        while messages == 0 {
            let left = longest.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            self.sleep(left)?;
            messages = self.take(sink)?;
        }
        Ok(messages)
    }
}

/// The version of iceoryx2 that this program was built with.
pub fn version() -> String {
    env!("MIDDLEWARE_ICEORYX2").to_owned()
}
