//! A bus over one socket: what adaptors share whose middleware speaks a protocol of bytes.
//!
//! An adaptor says how its messages are written and read ([`Protocol`]); buffers, waiting and
//! time-outs are here. Everything is done with few large reads and writes and without allocating for
//! a message: no client library of these middlewares is faster, which favours them.

mod socket;

use std::io;
use std::time::{Duration, Instant};

pub(crate) use socket::timespec;
pub use socket::{Readiness, Socket, SocketListener};

use crate::bus::{Bus, BusOptions, Wait, no_guarantee};

/// What is written by itself before a flush.
const OUTPUT_BYTES: usize = 64 << 10;
/// What one read brings at most.
const INPUT_BYTES: usize = 256 << 10;
/// What may wait to be read by the program: more is left to the kernel, and so to the middleware.
const INPUT_LIMIT: usize = 64 << 20;
/// Subscriptions that are asked for before their confirmations are waited for.
const SUBSCRIPTIONS_AT_ONCE: usize = 512;
/// After so many flushes a program that never polls looks whether it was asked something.
const FLUSHES_BEFORE_A_LOOK: u32 = 1024;

/// How a middleware's messages are written and read.
pub trait Protocol {
    /// Appends a message to the topic at this index.
    fn publish(&mut self, out: &mut Vec<u8>, topic: usize, payload: &[u8]);

    /// Appends the request for messages of these topics.
    fn subscribe(&mut self, out: &mut Vec<u8>, topics: &[usize]);

    /// How many answers are still to come before all is as it was asked for.
    fn awaited(&self) -> usize;

    /// Takes what is whole at the front of `bytes`: messages go to `sink`, what has to be answered is
    /// appended to `out`.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the bytes do not follow the protocol,
    /// [`io::ErrorKind::Other`] if the middleware tells of an error.
    fn take(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<Taken>;

    /// What the middleware said that it has dropped, in messages.
    fn told_lost(&self) -> u64 {
        0
    }

    /// Appends a guaranteed message to the topic at this index.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the middleware has none.
    fn publish_guaranteed(
        &mut self,
        _out: &mut Vec<u8>,
        _topic: usize,
        _payload: &[u8],
    ) -> io::Result<()> {
        Err(no_guarantee())
    }

    /// How many guaranteed messages have been acknowledged.
    fn acknowledged(&self) -> u64 {
        0
    }

    /// Appends the request for a durable subscription; [`Protocol::take`] acknowledges its messages.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the middleware has none.
    fn subscribe_guaranteed(
        &mut self,
        _out: &mut Vec<u8>,
        _name: &str,
        _topics: &[usize],
    ) -> io::Result<()> {
        Err(no_guarantee())
    }
}

/// What [`Protocol::take`] took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// Bytes, which are not needed any more.
    pub bytes: usize,
    /// Messages that went to the sink.
    pub messages: usize,
}

/// An error of the bytes that came.
pub fn invalid(what: &str, bytes: &[u8]) -> io::Error {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
    io::Error::new(io::ErrorKind::InvalidData, format!("{what}: {shown:?}"))
}

/// A [`Bus`] of one connection.
#[derive(Debug)]
pub struct SocketBus<P> {
    socket: Socket,
    protocol: P,
    output: Vec<u8>,
    /// What the protocol answered by itself: sent without waiting for a flush.
    answers: Vec<u8>,
    /// `input[start..end]` has been read and not yet taken.
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// Messages that came while something else was waited for.
    kept: Vec<(usize, Vec<u8>)>,
    flushes: u32,
    timeout: Duration,
}

impl<P: Protocol> SocketBus<P> {
    /// Connects and sends `greeting`; returns when the protocol awaits nothing any more.
    ///
    /// # Errors
    /// The operating system's, the protocol's, and [`io::ErrorKind::TimedOut`].
    pub fn connect(
        address: &str,
        protocol: P,
        greeting: &[u8],
        options: &BusOptions,
    ) -> io::Result<Self> {
        let socket = Socket::connect(address, options.timeout)?;
        if let Some(bytes) = options.receive_buffer {
            socket.set_receive_buffer(bytes)?;
        }
        let mut bus = Self {
            socket,
            protocol,
            output: Vec::with_capacity(2 * OUTPUT_BYTES),
            answers: Vec::new(),
            input: vec![0; INPUT_BYTES],
            start: 0,
            end: 0,
            kept: Vec::new(),
            flushes: 0,
            timeout: options.timeout,
        };
        bus.output.extend_from_slice(greeting);
        bus.settle()?;
        Ok(bus)
    }

    /// Sends what waits, and reads until nothing is awaited; messages that come are kept.
    fn settle(&mut self) -> io::Result<()> {
        self.send()?;
        let deadline = Instant::now() + self.timeout;
        loop {
            self.take_and_keep()?;
            if !self.answers.is_empty() {
                self.send()?;
            }
            if self.protocol.awaited() == 0 {
                return Ok(());
            }
            if self.read()? == 0 {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(timed_out("an answer did not come"));
                }
                self.socket.wait(false, left)?;
            }
        }
    }

    fn take_and_keep(&mut self) -> io::Result<()> {
        let kept = &mut self.kept;
        let mut keep = |topic: usize, payload: &[u8]| kept.push((topic, payload.to_vec()));
        let bytes = &self.input[self.start..self.end];
        let taken = self.protocol.take(bytes, &mut self.answers, &mut keep)?;
        self.forget(taken.bytes);
        Ok(())
    }

    fn take(&mut self, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        if self.start == self.end {
            return Ok(0);
        }
        let bytes = &self.input[self.start..self.end];
        let taken = self.protocol.take(bytes, &mut self.answers, sink)?;
        self.forget(taken.bytes);
        Ok(taken.messages)
    }

    fn forget(&mut self, bytes: usize) {
        self.start += bytes;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Reads once; returns how many bytes came, 0 if there were none.
    fn read(&mut self) -> io::Result<usize> {
        if self.start > 0 && self.input.len() - self.end < INPUT_BYTES / 2 {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.input.len() {
            if self.end >= INPUT_LIMIT {
                return Err(invalid("a message is too long", &self.input[self.start..]));
            }
            self.input.resize(2 * self.end, 0);
        }
        match self.socket.read(&mut self.input[self.end..]) {
            Ok(0) => {
                let text = "the middleware closed the connection";
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, text))
            }
            Ok(bytes) => {
                self.end += bytes;
                Ok(bytes)
            }
            Err(cause) if would_block(&cause) => Ok(0),
            Err(cause) => Err(cause),
        }
    }

    /// Writes all that waits. While there is no room, what comes is read, so that two sides which
    /// write to each other do not wait for each other.
    fn send(&mut self) -> io::Result<()> {
        self.output.append(&mut self.answers);
        let mut sent = 0;
        let mut deadline = None;
        loop {
            let written = match &self.output[sent..] {
                [] if self.socket.flush()? => break,
                [] => Err(io::ErrorKind::WouldBlock.into()),
                rest => self.socket.write(rest),
            };
            match written {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(bytes) => {
                    sent += bytes;
                    deadline = None;
                }
                Err(cause) if would_block(&cause) => {
                    let now = Instant::now();
                    let until = *deadline.get_or_insert(now + self.timeout);
                    if now >= until {
                        return Err(timed_out("the connection stayed full"));
                    }
                    if self.socket.wait(true, until - now)?.readable
                        && self.end - self.start < INPUT_LIMIT / 2
                    {
                        self.read()?;
                    }
                }
                Err(cause) => return Err(cause),
            }
        }
        self.output.clear();
        Ok(())
    }

    fn wait_and_take(
        &mut self,
        wait: Wait,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<usize> {
        let mut deadline = None;
        let acknowledged = self.protocol.acknowledged();
        loop {
            if self.read()? > 0 {
                let messages = self.take(sink)?;
                if messages > 0 || self.protocol.acknowledged() > acknowledged {
                    return Ok(messages);
                }
                // What was answered must not wait for the next message.
                if !self.answers.is_empty() {
                    self.send()?;
                }
            }
            let Wait::Block(longest) = wait else { return Ok(0) };
            let now = Instant::now();
            let until = *deadline.get_or_insert(now + longest);
            if now >= until {
                return Ok(0);
            }
            self.socket.wait(false, until - now)?;
        }
    }
}

impl<P: Protocol> Bus for SocketBus<P> {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.protocol.publish(&mut self.output, topic, payload);
        if self.output.len() >= OUTPUT_BYTES { self.send() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()?;
        self.flushes += 1;
        if self.flushes == FLUSHES_BEFORE_A_LOOK {
            self.flushes = 0;
            self.read()?;
            self.take_and_keep()?;
            self.send()?;
        }
        Ok(())
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        for some in topics.chunks(SUBSCRIPTIONS_AT_ONCE) {
            self.protocol.subscribe(&mut self.output, some);
            self.settle()?;
        }
        Ok(())
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let mut messages = self.kept.len();
        for (topic, payload) in self.kept.drain(..) {
            sink(topic, &payload);
        }
        let acknowledged = self.protocol.acknowledged();
        messages += self.take(sink)?;
        if messages == 0 && self.protocol.acknowledged() == acknowledged {
            messages = self.wait_and_take(wait, sink)?;
        }
        if !self.answers.is_empty() {
            self.send()?;
        }
        Ok(messages)
    }

    fn told_lost(&self) -> u64 {
        self.protocol.told_lost()
    }

    fn publish_guaranteed(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.protocol.publish_guaranteed(&mut self.output, topic, payload)?;
        if self.output.len() >= OUTPUT_BYTES { self.send() } else { Ok(()) }
    }

    fn acknowledged(&self) -> u64 {
        self.protocol.acknowledged()
    }

    fn subscribe_guaranteed(&mut self, name: &str, topics: &[usize]) -> io::Result<()> {
        self.protocol.subscribe_guaranteed(&mut self.output, name, topics)?;
        self.settle()
    }
}

fn would_block(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn timed_out(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}
