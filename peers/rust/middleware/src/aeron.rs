//! Aeron over shared memory (`aeron:ipc`), by its client in C: a stream for each topic.
//!
//! `aeron-driver` is the media driver, in C as well. It makes the logs that programs share and is not in a
//! message's way, so that it sleeps when it has nothing to do. Nothing is lost: a publisher waits for a
//! subscriber whose window is full. Who publishes to nobody publishes to nobody.

use std::ffi::{CStr, CString};
use std::io::{self, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use rusteron_media_driver::bindings::aeron_threading_mode_enum;
use rusteron_media_driver::{
    Aeron, AeronCError, AeronContext, AeronDriver, AeronDriverContext, AeronExclusivePublication,
    AeronIdleStrategyKind, AeronOfferError, AeronSubscription, Handlers,
};
use trunkline_bench_bus::bus::{Bus, BusOptions, Connect, Wait};

/// More topics would take more memory than a machine gives to one run: each publication has three terms.
const TOPICS: usize = 64;
/// What one look at a stream brings at most.
const FRAGMENTS: usize = 256;
/// A longer message would be cut into several.
const WHOLE_BYTES: usize = 1376;

/// Shares memory with the other programs that were given the same folder.
#[derive(Clone, Copy, Debug)]
pub struct AeronIpc;

impl Connect for AeronIpc {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        crate::reject_rates("Aeron", options)?;
        if topics.len() > TOPICS {
            let text = format!("Aeron: {} topics are more than {TOPICS} streams", topics.len());
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        let context = AeronContext::new().map_err(failed)?;
        context.set_dir(&folder(address)?).map_err(failed)?;
        let aeron = Aeron::new(&context).map_err(failed)?;
        aeron.start().map_err(failed)?;
        Ok(Box::new(AeronBus {
            publications: topics.iter().map(|_| None).collect(),
            subscriptions: Vec::new(),
            timeout: options.timeout,
            aeron,
        }))
    }
}

/// The channel of all streams.
const CHANNEL: &CStr = c"aeron:ipc";

fn folder(address: &str) -> io::Result<CString> {
    CString::new(address).map_err(io::Error::other)
}

fn failed(cause: AeronCError) -> io::Error {
    io::Error::other(format!("Aeron: {cause}"))
}

fn stream(topic: usize) -> io::Result<i32> {
    i32::try_from(topic + 1).map_err(io::Error::other)
}

struct AeronBus {
    publications: Vec<Option<AeronExclusivePublication>>,
    subscriptions: Vec<(usize, AeronSubscription)>,
    timeout: Duration,
    // After what belongs to it.
    aeron: Aeron,
}

impl AeronBus {
    fn take(&mut self, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let mut messages = 0;
        for (topic, subscription) in &self.subscriptions {
            subscription
                .poll_fn(
                    |payload, _| {
                        sink(*topic, payload);
                        messages += 1;
                    },
                    FRAGMENTS,
                )
                .map_err(failed)?;
        }
        Ok(messages)
    }
}

impl Bus for AeronBus {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        if payload.len() > WHOLE_BYTES {
            let text = format!("Aeron: {} bytes are more than one fragment", payload.len());
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        let publication = match &mut self.publications[topic] {
            Some(publication) => publication,
            publication @ None => {
                let added = self.aeron.async_add_exclusive_publication(CHANNEL, stream(topic)?);
                let added = added.and_then(|it| it.poll_blocking(self.timeout)).map_err(failed)?;
                publication.insert(added)
            }
        };
        let mut full = None;
        loop {
            match publication.offer(payload) {
                Ok(_) | Err(AeronOfferError::NotConnected) => return Ok(()),
                Err(cause) if cause.is_retryable() => {
                    let since = *full.get_or_insert_with(Instant::now);
                    if since.elapsed() > self.timeout {
                        let text = "Aeron: the connection stayed full";
                        return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                    }
                    std::hint::spin_loop();
                }
                Err(cause) => return Err(io::Error::other(format!("Aeron: {cause:?}"))),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        for &topic in topics {
            let added = self.aeron.async_add_subscription(
                CHANNEL,
                stream(topic)?,
                Handlers::NONE,
                Handlers::NONE,
            );
            let added = added.and_then(|it| it.poll_blocking(self.timeout)).map_err(failed)?;
            self.subscriptions.push((topic, added));
        }
        Ok(())
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let messages = self.take(sink)?;
        let Wait::Block(longest) = wait else { return Ok(messages) };
        let mut messages = messages;
        let begun = Instant::now();
        let mut idle = Backoff::default();
        while messages == 0 && begun.elapsed() < longest {
            idle.wait();
            messages = self.take(sink)?;
        }
        Ok(messages)
    }
}

/// How Aeron's agents wait by default, since nothing wakes a subscriber: they look 10 times, yield 20 times, then
/// sleep for a microsecond, and twice as long each time, up to a millisecond.
#[derive(Default)]
struct Backoff {
    times: u32,
}

impl Backoff {
    fn wait(&mut self) {
        match self.times {
            0..10 => std::hint::spin_loop(),
            10..30 => thread::yield_now(),
            times => {
                let longest = Duration::from_millis(1);
                thread::sleep(longest.min(Duration::from_micros(1 << (times - 30).min(10))));
            }
        }
        self.times = self.times.saturating_add(1);
    }
}

/// The media driver in a folder; runs until standard input ends.
pub fn drive(address: &str) -> io::Result<()> {
    let context = AeronDriverContext::new().map_err(failed)?;
    context.set_dir(&folder(address)?).map_err(failed)?;
    context.set_dir_delete_on_start(true).map_err(failed)?;
    context.set_dir_delete_on_shutdown(true).map_err(failed)?;
    context
        .set_threading_mode(aeron_threading_mode_enum::AERON_THREADING_MODE_SHARED)
        .map_err(failed)?;
    context.set_shared_idle_strategy_kind(AeronIdleStrategyKind::Backoff).map_err(failed)?;
    let driver = AeronDriver::new(&context).map_err(failed)?;
    driver.start(false).map_err(failed)?;
    println!("listening {address}\nready");
    io::stdout().flush()?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

/// The version of Aeron that this program was built with.
pub fn version() -> String {
    Aeron::version_text().to_owned()
}
