//! The side that publishes: a connection to each subscriber, found by the files in the folder.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::{Duration, Instant};
use std::{fs, io};

use trunkline_reactor::{Address, Stream};

use super::Transport;
use crate::forwarder::{HEADER, Header, MESSAGE, SUBSCRIBE, group_of};

/// What is written by itself before a flush.
const OUTPUT_BYTES: usize = 64 << 10;
/// So many flushes look for new subscribers, who come before there is anything to measure; to look takes longer
/// than a message.
const EARLY_FLUSHES: u64 = 200;

pub(super) struct Outgoing {
    folder: PathBuf,
    transport: Transport,
    timeout: Duration,
    /// Files that were looked at.
    known: BTreeSet<PathBuf>,
    subscribers: Vec<Subscriber>,
    flushes: u64,
}

struct Subscriber {
    stream: Stream,
    /// One bit for each group that it wants.
    wants: Box<[u64; 1024]>,
    input: Vec<u8>,
    output: Vec<u8>,
    is_gone: bool,
}

impl Outgoing {
    pub(super) fn new(folder: PathBuf, transport: Transport, timeout: Duration) -> Self {
        let (known, subscribers) = (BTreeSet::new(), Vec::new());
        Self { folder, transport, timeout, known, subscribers, flushes: 0 }
    }

    pub(super) fn publish(&mut self, tag: u64, payload: &[u8]) -> io::Result<()> {
        if self.flushes == 0 {
            // Subscribers who were there before the first message get it.
            self.flush()?;
        }
        let group = group_of(tag);
        for subscriber in &mut self.subscribers {
            if !subscriber.wants(group) {
                continue;
            }
            Header::write(&mut subscriber.output, group, MESSAGE, tag, payload);
            if subscriber.output.len() >= OUTPUT_BYTES {
                subscriber.send(self.timeout)?;
            }
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.flushes < EARLY_FLUSHES {
            self.find_subscribers()?;
            self.flushes += 1;
        }
        for subscriber in &mut self.subscribers {
            if !subscriber.output.is_empty() {
                subscriber.send(self.timeout)?;
            }
        }
        self.subscribers.retain(|subscriber| !subscriber.is_gone);
        Ok(())
    }

    /// Connects to those who have come, and hears of further requests of the others.
    fn find_subscribers(&mut self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let is_one = path.extension().is_some_and(|it| it == self.transport.extension());
            if is_one && !self.known.contains(&path) {
                let address = fs::read_to_string(&path)?;
                let address = Address::from_str(address.trim()).map_err(io::Error::other)?;
                // One that is gone already is passed over.
                if let Ok(stream) = Stream::connect(&address, self.timeout) {
                    let mut subscriber = Subscriber::new(stream);
                    subscriber.hear_first(self.timeout)?;
                    self.subscribers.push(subscriber);
                }
                self.known.insert(path);
            }
        }
        self.subscribers.iter_mut().for_each(|subscriber| subscriber.hear());
        Ok(())
    }
}

impl Subscriber {
    fn new(stream: Stream) -> Self {
        let wants = Box::new([0; 1024]);
        Self { stream, wants, input: Vec::new(), output: Vec::new(), is_gone: false }
    }

    #[inline]
    fn wants(&self, group: u16) -> bool {
        self.wants[usize::from(group / 64)] >> (group % 64) & 1 != 0
    }

    /// Waits for the first request, without which nothing could be sent.
    fn hear_first(&mut self, timeout: Duration) -> io::Result<()> {
        let deadline = Instant::now() + timeout;
        while !self.is_gone && self.wants.iter().all(|bits| *bits == 0) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let text = "a subscriber does not say what it wants";
                return Err(io::Error::new(io::ErrorKind::TimedOut, text));
            }
            self.stream.wait(true, false, Some(left))?;
            self.hear();
        }
        Ok(())
    }

    /// Reads what has come.
    fn hear(&mut self) {
        let mut bytes = [0; 4096];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => self.is_gone = true,
                Ok(length) => {
                    self.input.extend_from_slice(&bytes[..length]);
                    continue;
                }
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => self.is_gone = true,
            }
            break;
        }
        let mut at = 0;
        while let Ok(Some(header)) = Header::read(&self.input[at..]) {
            let groups = &self.input[at + HEADER..at + header.length];
            for group in groups.as_chunks::<2>().0 {
                let group = u16::from_le_bytes(*group);
                if header.kind == SUBSCRIBE {
                    self.wants[usize::from(group / 64)] |= 1 << (group % 64);
                }
            }
            at += header.length;
        }
        self.input.drain(..at);
    }

    /// Writes all that waits; one that is gone takes everything.
    fn send(&mut self, timeout: Duration) -> io::Result<()> {
        let (mut sent, mut deadline) = (0, None);
        while sent < self.output.len() && !self.is_gone {
            match self.stream.write(&self.output[sent..]) {
                Ok(bytes) => {
                    sent += bytes;
                    deadline = None;
                }
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                    let now = Instant::now();
                    let until = *deadline.get_or_insert(now + timeout);
                    if now >= until {
                        let text = "a subscriber does not read";
                        return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                    }
                    self.stream.wait(false, true, Some(until - now))?;
                }
                Err(_) => self.is_gone = true,
            }
        }
        self.output.clear();
        Ok(())
    }
}
