//! ZeroMQ: PUB and SUB sockets that connect to a proxy, which is the broker.
//!
//! A message is one frame, the topic's name, a zero and the payload: ZeroMQ subscribes to beginnings of
//! messages, and a name with the zero is the beginning of no other. The proxy takes everything from the
//! publishers and filters for the subscribers.

use std::io::{self, Write as _};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use trunkline_bench_bus::bus::{Bus, BusOptions, Connect, Wait};
use trunkline_bench_bus::topic_index::TopicIndex;

/// Messages that may wait in a socket before it drops what comes. The default, 1,000, loses most of
/// what is published as fast as possible.
const HIGH_WATER_MARK: i32 = 100_000;
/// Begins the names of topics by which a connection finds out that messages pass.
const PROBE: &str = "$probe";

/// Connects to the two sockets of [`proxy`]: `tcp://one,tcp://other`.
#[derive(Clone, Copy, Debug)]
pub struct ZeroMq;

impl Connect for ZeroMq {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        crate::reject_rates("ZeroMQ", options)?;
        let Some((publishers, subscribers)) = address.split_once(',') else {
            let text = format!("{address}: not the two addresses of a proxy");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        };
        let context = zmq::Context::new();
        let publisher = context.socket(zmq::PUB)?;
        publisher.set_sndhwm(HIGH_WATER_MARK)?;
        publisher.set_linger(1000)?;
        publisher.connect(publishers)?;
        let subscriber = context.socket(zmq::SUB)?;
        let queue = options.queue_messages.and_then(|messages| i32::try_from(messages).ok());
        subscriber.set_rcvhwm(queue.unwrap_or(HIGH_WATER_MARK))?;
        if let Some(bytes) = options.receive_buffer {
            subscriber.set_rcvbuf(i32::try_from(bytes).unwrap_or(i32::MAX))?;
        }
        subscriber.connect(subscribers)?;
        let names: Vec<Vec<u8>> =
            topics.iter().map(|name| [name.as_bytes(), b"\0"].concat()).collect();
        let mut bus = ZeroMqBus {
            index: TopicIndex::new(topics)?,
            names,
            publisher,
            subscriber,
            output: Vec::new(),
            message: zmq::Message::new(),
            kept: Vec::new(),
            timeout: options.timeout,
        };
        bus.probe()?;
        Ok(Box::new(bus))
    }
}

struct ZeroMqBus {
    publisher: zmq::Socket,
    subscriber: zmq::Socket,
    /// Each topic with a zero behind it.
    names: Vec<Vec<u8>>,
    index: TopicIndex,
    output: Vec<u8>,
    message: zmq::Message,
    /// Messages that came while a probe was waited for.
    kept: Vec<(usize, Vec<u8>)>,
    timeout: Duration,
}

impl ZeroMqBus {
    /// Sends messages to itself until one comes back. ZeroMQ tells nobody when a connection or a
    /// subscription has taken effect; what was asked for before the probe has when this returns.
    fn probe(&mut self) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PROBE}/{}/{number}\0", process::id());
        self.subscriber.set_subscribe(name.as_bytes())?;
        let deadline = Instant::now() + self.timeout;
        loop {
            self.publisher.send(name.as_bytes(), 0)?;
            self.subscriber.poll(zmq::POLLIN, 1)?;
            while self.receive()? {
                let found = &self.message[..];
                if found == name.as_bytes() {
                    self.subscriber.set_unsubscribe(name.as_bytes())?;
                    return Ok(());
                }
                if let Some((topic, payload)) = split(&self.index, found)? {
                    self.kept.push((topic, payload.to_vec()));
                }
            }
            if Instant::now() >= deadline {
                let text = "nothing that is published comes back";
                return Err(io::Error::new(io::ErrorKind::TimedOut, text));
            }
        }
    }

    /// False if nothing is there.
    fn receive(&mut self) -> io::Result<bool> {
        match self.subscriber.recv(&mut self.message, zmq::DONTWAIT) {
            Ok(()) => Ok(true),
            Err(zmq::Error::EAGAIN | zmq::Error::EINTR) => Ok(false),
            Err(cause) => Err(cause.into()),
        }
    }

    fn take(&mut self, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let mut messages = 0;
        // A publisher that is faster than this does not keep the caller from its other work.
        while messages < 4096 && self.receive()? {
            if let Some((topic, payload)) = split(&self.index, &self.message)? {
                sink(topic, payload);
                messages += 1;
            }
        }
        Ok(messages)
    }
}

/// A message's topic and payload; `None` for a probe that came late.
fn split<'a>(index: &TopicIndex, message: &'a [u8]) -> io::Result<Option<(usize, &'a [u8])>> {
    let zero = memchr::memchr(0, message).unwrap_or(message.len());
    let (name, payload) = message.split_at(zero);
    match index.find(name) {
        Some(topic) => Ok(Some((topic, payload.get(1..).unwrap_or_default()))),
        None if name.starts_with(PROBE.as_bytes()) => Ok(None),
        None => Err(trunkline_bench_bus::socket_bus::invalid("ZeroMQ sent for", name)),
    }
}

impl Bus for ZeroMqBus {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.output.clear();
        self.output.extend_from_slice(&self.names[topic]);
        self.output.extend_from_slice(payload);
        Ok(self.publisher.send(&self.output[..], 0)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        // A thread of ZeroMQ's own sends what it is given, at once.
        Ok(())
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        for &topic in topics {
            self.subscriber.set_subscribe(&self.names[topic])?;
        }
        self.probe()
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let mut messages = self.kept.len();
        for (topic, payload) in self.kept.drain(..) {
            sink(topic, &payload);
        }
        messages += self.take(sink)?;
        if let Wait::Block(longest) = wait
            && messages == 0
        {
            // In whole milliseconds, as ZeroMQ counts.
            let longest = longest.as_micros().div_ceil(1000).min(i64::MAX as u128) as i64;
            match self.subscriber.poll(zmq::POLLIN, longest) {
                Ok(_) | Err(zmq::Error::EINTR) => {}
                Err(cause) => return Err(cause.into()),
            }
            messages = self.take(sink)?;
        }
        Ok(messages)
    }
}

/// The broker: says `listening tcp://one,tcp://other` and `ready`, and forwards until its standard
/// input ends.
///
/// # Errors
/// ZeroMQ's.
pub fn proxy() -> io::Result<()> {
    let context = zmq::Context::new();
    let publishers = context.socket(zmq::SUB)?;
    publishers.set_rcvhwm(HIGH_WATER_MARK)?;
    publishers.set_subscribe(b"")?;
    publishers.bind("tcp://127.0.0.1:*")?;
    let subscribers = context.socket(zmq::PUB)?;
    subscribers.set_sndhwm(HIGH_WATER_MARK)?;
    subscribers.bind("tcp://127.0.0.1:*")?;
    let place = |socket: &zmq::Socket| {
        let endpoint = socket.get_last_endpoint()?;
        Ok::<String, io::Error>(endpoint.unwrap_or_default())
    };
    println!("listening {},{}\nready", place(&publishers)?, place(&subscribers)?);
    io::stdout().flush()?;
    std::thread::spawn(|| {
        // Whatever is said, only the end counts.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::exit(0);
    });
    Ok(zmq::proxy(&publishers, &subscribers)?)
}

/// The version of libzmq.
pub fn version() -> String {
    let (major, minor, patch) = zmq::version();
    format!("{major}.{minor}.{patch}")
}
