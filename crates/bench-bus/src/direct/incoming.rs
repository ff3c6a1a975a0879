//! The side that subscribes: it listens, and reads from every publisher that connects.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fs, io};

use trunkline_reactor::{Address, Idle, Listener, Reactor, Stream, Waker};

use super::Transport;
use crate::bus::Wait;
use crate::forwarder::{HEADER, Header, MESSAGE, SUBSCRIBE, group_of};
use crate::topic_index::TopicIndex;

/// What one read brings at most.
const INPUT_BYTES: usize = 256 << 10;
/// Publishers that may wait to be taken up.
const WAITING: usize = 1024;

pub(super) struct Incoming {
    publishers: Vec<Publisher>,
    accepted: Receiver<Stream>,
    /// Groups that are wanted: also for publishers who come later.
    wanted: Arc<Mutex<Vec<u8>>>,
    reactor: Reactor,
    /// How many publishers the accepting thread has passed on, and how many were taken up.
    arrivals: Arc<AtomicUsize>,
    taken_up: usize,
    address: Address,
    /// Says where we listen, once somebody shall connect.
    file: PathBuf,
    stop: Arc<AtomicBool>,
    waker: Waker,
    accepting: Option<JoinHandle<()>>,
}

struct Publisher {
    stream: Stream,
    input: Vec<u8>,
    /// `input[start..end]` has been read and not yet taken.
    start: usize,
    end: usize,
    is_gone: bool,
}

impl Incoming {
    /// Listens, and says in the folder where. Publishers are accepted by a thread, so that they can
    /// connect while this program does other things.
    pub(super) fn listen(
        folder: &Path,
        transport: Transport,
        receive_buffer: Option<usize>,
    ) -> io::Result<Self> {
        let listener = Listener::bind(&transport.own(folder))?;
        let address = listener.address();
        let reactor = Reactor::new(Idle::Block)?;
        let (sender, accepted) = mpsc::sync_channel(WAITING);
        let wanted = Arc::new(Mutex::new(Vec::new()));
        let (stop, arrivals) = (Arc::new(AtomicBool::new(false)), Arc::<AtomicUsize>::default());
        let accepting = Reactor::new(Idle::Block)?;
        let waker = accepting.waker();
        let accept = Accept {
            listener,
            reactor: accepting,
            sender,
            wanted: Arc::clone(&wanted),
            stop: Arc::clone(&stop),
            arrivals: Arc::clone(&arrivals),
            waker: reactor.waker(),
            receive_buffer,
        };
        let thread = thread::spawn(move || accept.run());
        Ok(Self {
            publishers: Vec::new(),
            accepted,
            wanted,
            reactor,
            arrivals,
            taken_up: 0,
            file: file_of(folder, transport, &address),
            address,
            stop,
            waker,
            accepting: Some(thread),
        })
    }

    /// Wants these topics from now on, and lets publishers find us.
    pub(super) fn want(&mut self, tags: impl Iterator<Item = u64>) -> io::Result<()> {
        let groups: Vec<u8> = tags.flat_map(|tag| group_of(tag).to_le_bytes()).collect();
        let wanted = Arc::clone(&self.wanted);
        let mut wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        wanted.extend_from_slice(&groups);
        // Who connects from now on is told all of it, and who has connected is here.
        self.take_up()?;
        for publisher in &mut self.publishers {
            request_groups(&mut publisher.stream, &groups)?;
        }
        drop(wanted);
        if !self.file.exists() {
            // Whoever sees the file sees all of it.
            fs::write(self.file.with_extension("new"), self.address.to_string())?;
            fs::rename(self.file.with_extension("new"), &self.file)?;
        }
        Ok(())
    }

    pub(super) fn poll(
        &mut self,
        wait: Wait,
        index: &TopicIndex,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<usize> {
        let mut deadline = None;
        let mut events = Vec::new();
        loop {
            self.take_up()?;
            let mut messages = 0;
            for publisher in &mut self.publishers {
                messages += publisher.read(index, sink)?;
            }
            self.publishers.retain(|publisher| !publisher.is_gone);
            let Wait::Block(longest) = wait else { return Ok(messages) };
            if messages > 0 {
                return Ok(messages);
            }
            let now = Instant::now();
            let until = *deadline.get_or_insert(now + longest);
            if now >= until {
                return Ok(0);
            }
            self.reactor.wait(&mut events, Some(until - now))?;
        }
    }

    /// Takes up publishers who have connected.
    fn take_up(&mut self) -> io::Result<()> {
        while self.arrivals.load(Ordering::Relaxed) != self.taken_up {
            let Ok(mut stream) = self.accepted.recv() else { return Ok(()) };
            self.taken_up += 1;
            self.reactor.add(&mut stream, self.publishers.len())?;
            let input = vec![0; INPUT_BYTES];
            self.publishers.push(Publisher { stream, input, start: 0, end: 0, is_gone: false });
        }
        Ok(())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // Files in a folder of a run: what cannot be removed goes with it.
        let _ = fs::remove_file(&self.file);
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.waker.wake();
        if let Some(thread) = self.accepting.take() {
            let _ = thread.join();
        }
    }
}

/// The file that tells publishers of this address.
fn file_of(folder: &Path, transport: Transport, address: &Address) -> PathBuf {
    let text = address.to_string();
    let name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    folder.join(format!("{name}.{}", transport.extension()))
}

/// Tells a publisher what is wanted. A connection that fails is found when it is read.
fn request_groups(stream: &mut Stream, groups: &[u8]) -> io::Result<()> {
    let mut frame = Vec::new();
    Header::write(&mut frame, 0, SUBSCRIBE, 0, groups);
    let mut sent = 0;
    while sent < frame.len() {
        match stream.write(&frame[sent..]) {
            Ok(bytes) => sent += bytes,
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                stream.wait(false, true, Some(Duration::from_secs(10)))?;
            }
            Err(_) => break,
        }
    }
    Ok(())
}

impl Publisher {
    /// Reads once and hands over what is whole.
    fn read(
        &mut self,
        index: &TopicIndex,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<usize> {
        if self.input.len() - self.end < INPUT_BYTES / 2 {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if self.end > INPUT_BYTES / 2 {
                // A long message; the header's limit is that of the buffer too.
                self.input.resize(self.end + INPUT_BYTES, 0);
            }
        }
        match self.stream.read(&mut self.input[self.end..]) {
            Ok(0) => self.is_gone = true,
            Ok(bytes) => self.end += bytes,
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => return Ok(0),
            Err(_) => self.is_gone = true,
        }
        let mut messages = 0;
        while let Some(header) = Header::read(&self.input[self.start..self.end])? {
            let frame = &self.input[self.start..self.start + header.length];
            if header.kind == MESSAGE
                && let Some(topic) = index.find_tag(header.tag)
            {
                sink(topic, &frame[HEADER..]);
                messages += 1;
            }
            self.start += header.length;
        }
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        Ok(messages)
    }
}

/// What the accepting thread has.
struct Accept {
    listener: Listener,
    reactor: Reactor,
    sender: SyncSender<Stream>,
    wanted: Arc<Mutex<Vec<u8>>>,
    stop: Arc<AtomicBool>,
    arrivals: Arc<AtomicUsize>,
    /// Wakes the program itself.
    waker: Waker,
    receive_buffer: Option<usize>,
}

impl Accept {
    fn run(mut self) {
        if self.reactor.add_listener(&mut self.listener, 0).is_err() {
            return;
        }
        let mut events = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            while let Ok(Some(stream)) = self.listener.accept() {
                if !self.pass_on(stream) {
                    return;
                }
            }
            if self.reactor.wait(&mut events, None).is_err() {
                return;
            }
        }
    }

    /// Tells the publisher what is wanted; false if the program has ended.
    fn pass_on(&mut self, mut stream: Stream) -> bool {
        if let Some(bytes) = self.receive_buffer {
            // It is a request: without it the system's own size is used.
            let _ = stream.set_receive_buffer(bytes);
        }
        // Requests that come while this one is told are told by the program, which has the lock then.
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let told = request_groups(&mut stream, &wanted);
        if told.is_ok() {
            // Counted first: the program then waits for it, if it looks in between.
            self.arrivals.fetch_add(1, Ordering::Relaxed);
            if self.sender.send(stream).is_err() {
                return false;
            }
        }
        drop(wanted);
        self.waker.wake().is_ok()
    }
}
