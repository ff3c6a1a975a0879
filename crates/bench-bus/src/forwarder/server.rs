//! The loop of the bare forwarder.

use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};

use super::{HEADER, Header, MESSAGE, PENDING_BYTES, SUBSCRIBE, SUBSCRIBED};
use crate::socket_bus::{Socket, SocketListener, timespec};

/// What one read brings at most.
const READ_BYTES: usize = 256 << 10;
/// How often a loop that sleeps looks whether it shall end.
const LOOK: Duration = Duration::from_millis(50);
const LISTENER: u64 = u64::MAX;

/// A bare forwarder that listens.
#[derive(Debug)]
pub struct Forwarder {
    listener: SocketListener,
    epoll: OwnedFd,
    connections: Vec<Option<Connection>>,
    /// For each group the connections that asked for it.
    groups: Vec<Vec<u32>>,
    spins: bool,
    /// What waits at most for one connection, in bytes.
    pending_bytes: usize,
    dropped: u64,
}

#[derive(Debug)]
struct Connection {
    socket: Socket,
    /// The beginning of a frame whose end has not come.
    partial: Vec<u8>,
    /// What could not be written yet: from `sent` on.
    pending: Vec<u8>,
    sent: usize,
    waits_for_room: bool,
    touched: bool,
}

/// What goes to the same connections.
#[derive(Clone, Copy, Debug)]
struct Run {
    group: u16,
    start: usize,
    end: usize,
    messages: u64,
}

impl Forwarder {
    /// Listens on `tcp://host:port` or `unix:///path`. One that spins never sleeps.
    ///
    /// # Errors
    /// The operating system's.
    pub fn bind(address: &str, spins: bool) -> io::Result<Self> {
        let listener = SocketListener::bind(address)?;
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        let groups = vec![Vec::new(); 1 << 16];
        let (connections, pending_bytes) = (Vec::new(), PENDING_BYTES);
        Ok(Self { listener, epoll, connections, groups, spins, pending_bytes, dropped: 0 })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The operating system's.
    pub fn address(&self) -> io::Result<String> {
        self.listener.address()
    }

    /// Forwards until `stop` is true, which it notices within 50 ms. Returns how many messages it
    /// dropped.
    ///
    /// # Errors
    /// The operating system's, of waiting and accepting; a connection that fails is closed.
    pub fn run(&mut self, stop: &AtomicBool) -> io::Result<u64> {
        let mut events: Vec<Event> = Vec::with_capacity(1024);
        let mut bytes = vec![0; READ_BYTES];
        let timeout = timespec(if self.spins { Duration::ZERO } else { LOOK });
        while !stop.load(Ordering::Relaxed) {
            events.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(cause) => return Err(cause.into()),
            }
            for event in &events {
                self.serve(event.data.u64(), event.flags, &mut bytes)?;
            }
        }
        Ok(self.dropped)
    }

    fn serve(&mut self, token: u64, flags: EventFlags, bytes: &mut Vec<u8>) -> io::Result<()> {
        if token == LISTENER {
            return self.accept();
        }
        let index = token as usize;
        let written =
            if flags.contains(EventFlags::OUT) { self.write_pending(index) } else { Ok(()) };
        let goes_on = written.and_then(|()| {
            let readable = EventFlags::IN | EventFlags::HUP | EventFlags::ERR;
            if flags.intersects(readable) { self.read(index, bytes) } else { Ok(true) }
        });
        if !matches!(goes_on, Ok(true)) {
            self.close(index);
        }
        Ok(())
    }

    fn accept(&mut self) -> io::Result<()> {
        while let Some(socket) = self.listener.accept()? {
            let free = self.connections.iter().position(Option::is_none);
            let index = free.unwrap_or(self.connections.len());
            let token = EventData::new_u64(index as u64);
            epoll::add(&self.epoll, &socket, token, EventFlags::IN)?;
            let connection = Connection {
                socket,
                partial: Vec::new(),
                pending: Vec::new(),
                sent: 0,
                waits_for_room: false,
                touched: false,
            };
            match free {
                Some(index) => self.connections[index] = Some(connection),
                None => self.connections.push(Some(connection)),
            }
        }
        Ok(())
    }

    fn close(&mut self, index: usize) {
        if let Some(connection) = self.connections[index].take() {
            // It is gone from the list when its descriptor is closed, which happens here.
            drop(connection);
            for members in &mut self.groups {
                members.retain(|&member| member as usize != index);
            }
        }
    }

    /// Reads once and forwards what is whole; false at the end of the stream.
    fn read(&mut self, index: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let Some(connection) = &mut self.connections[index] else { return Ok(true) };
        let kept = connection.partial.len();
        if bytes.len() < kept + READ_BYTES {
            bytes.resize(kept + READ_BYTES, 0);
        }
        bytes[..kept].copy_from_slice(&connection.partial);
        let read = match connection.socket.read(&mut bytes[kept..kept + READ_BYTES]) {
            Ok(0) => return Ok(false),
            Ok(read) => read,
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => return Ok(true),
            Err(cause) => return Err(cause),
        };
        let all = &bytes[..kept + read];
        let taken = self.forward_all(index, all)?;
        if let Some(connection) = &mut self.connections[index] {
            connection.partial.clear();
            connection.partial.extend_from_slice(&all[taken..]);
        }
        Ok(true)
    }

    /// Forwards the whole frames in `bytes`; returns their length.
    fn forward_all(&mut self, from: usize, bytes: &[u8]) -> io::Result<usize> {
        let mut run: Option<Run> = None;
        let mut at = 0;
        while let Some(header) = Header::read(&bytes[at..])? {
            let end = at + header.length;
            match &mut run {
                Some(run) if header.kind == MESSAGE && run.group == header.group => {
                    run.end = end;
                    run.messages += 1;
                }
                _ => {
                    if let Some(run) = run.take() {
                        self.forward(run, bytes, false);
                    }
                    if header.kind == MESSAGE {
                        run = Some(Run { group: header.group, start: at, end, messages: 1 });
                    } else if header.kind == SUBSCRIBE {
                        self.subscribe(from, &bytes[at + HEADER..end]);
                    }
                }
            }
            at = end;
        }
        if let Some(run) = run {
            self.forward(run, bytes, true);
        }
        self.write_touched();
        Ok(at)
    }

    /// The last run of a turn is written from where it was read, if nothing waits before it.
    fn forward(&mut self, run: Run, bytes: &[u8], is_last: bool) {
        let group = usize::from(run.group);
        for &member in &self.groups[group] {
            let Some(connection) = &mut self.connections[member as usize] else { continue };
            let bytes = &bytes[run.start..run.end];
            let waiting = connection.pending.len() - connection.sent;
            if waiting + bytes.len() > self.pending_bytes {
                self.dropped += run.messages;
                continue;
            }
            let written = if is_last && waiting == 0 {
                // A connection that fails is closed when its end is read.
                connection.socket.write(bytes).unwrap_or(0)
            } else {
                0
            };
            connection.pending.extend_from_slice(&bytes[written..]);
            connection.touched = true;
        }
    }

    fn subscribe(&mut self, from: usize, groups: &[u8]) {
        for group in groups.as_chunks::<2>().0 {
            let members = &mut self.groups[usize::from(u16::from_le_bytes(*group))];
            if !members.contains(&(from as u32)) {
                members.push(from as u32);
            }
        }
        if let Some(connection) = &mut self.connections[from] {
            Header::write(&mut connection.pending, 0, SUBSCRIBED, 0, &[]);
            connection.touched = true;
        }
    }

    fn write_touched(&mut self) {
        for index in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[index] else { continue };
            if std::mem::take(&mut connection.touched) && !connection.waits_for_room {
                // A connection that fails is closed when its end is read.
                let _ = self.write_pending(index);
            }
        }
    }

    /// Writes once, and asks to be told of room if something is left.
    fn write_pending(&mut self, index: usize) -> io::Result<()> {
        let Some(connection) = &mut self.connections[index] else { return Ok(()) };
        connection.write()?;
        let waits = !connection.pending.is_empty();
        if waits != connection.waits_for_room {
            connection.waits_for_room = waits;
            let flags = if waits { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
            let token = EventData::new_u64(index as u64);
            epoll::modify(&self.epoll, &connection.socket, token, flags)?;
        }
        Ok(())
    }
}

impl Connection {
    fn write(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        match self.socket.write(&self.pending[self.sent..]) {
            Ok(bytes) => self.sent += bytes,
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {}
            Err(cause) => return Err(cause),
        }
        if self.sent == self.pending.len() {
            self.pending.clear();
            self.sent = 0;
        } else if self.sent >= PENDING_BYTES / 16 {
            // What is sent makes room, now and then.
            self.pending.drain(..self.sent);
            self.sent = 0;
        }
        Ok(())
    }
}

/// The program: listens on the address that is its first argument, spins if the second is `spin`, says
/// `listening ADDRESS` and `ready`, and ends when its standard input does.
pub fn main(arguments: &[String]) -> ExitCode {
    let ended = match arguments {
        [address] => serve(address, false),
        [address, how] if how == "spin" => serve(address, true),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "usage: forwarder ADDRESS [spin]")),
    };
    match ended {
        Ok(dropped) => {
            println!("dropped {dropped}");
            ExitCode::SUCCESS
        }
        Err(cause) => {
            eprintln!("forwarder: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn serve(address: &str, spins: bool) -> io::Result<u64> {
    static STOP: AtomicBool = AtomicBool::new(false);
    let mut forwarder = Forwarder::bind(address, spins)?;
    println!("listening {}\nready", forwarder.address()?);
    io::stdout().flush()?;
    std::thread::spawn(|| {
        // Whatever is said, only the end counts.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        STOP.store(true, Ordering::Relaxed);
    });
    forwarder.run(&STOP)
}

#[cfg(test)]
mod tests {
    use std::thread::JoinHandle;

    use super::*;
    use crate::bus::{Bus, BusOptions, Connect as _, Wait};
    use crate::forwarder::ForwarderConnect;
    use trunkline_bench::folder::PrivateFolder;

    /// A forwarder in a thread of its own, which ends when this is dropped.
    struct Running {
        address: String,
        stop: &'static AtomicBool,
        thread: Option<JoinHandle<u64>>,
    }

    impl Running {
        fn start(address: &str, pending_bytes: usize) -> Self {
            let mut forwarder = Forwarder::bind(address, false).expect("a free address");
            forwarder.pending_bytes = pending_bytes;
            let address = forwarder.address().expect("an address");
            let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
            let thread = std::thread::spawn(move || forwarder.run(stop).expect("a forwarder"));
            Self { address, stop, thread: Some(thread) }
        }

        fn connect(&self, topics: &[&str]) -> Box<dyn Bus> {
            let topics: Vec<String> = topics.iter().map(|&name| name.to_owned()).collect();
            ForwarderConnect
                .connect(&self.address, &topics, &BusOptions::default())
                .expect("a connection")
        }

        fn stop(mut self) -> u64 {
            self.stop.store(true, Ordering::Relaxed);
            self.thread.take().expect("it runs").join().expect("it does not panic")
        }
    }

    /// The next `count` messages.
    fn receive(bus: &mut dyn Bus, count: usize) -> Vec<(usize, Vec<u8>)> {
        let mut messages = Vec::new();
        while messages.len() < count {
            let found = bus
                .poll(Wait::Block(Duration::from_secs(10)), &mut |topic, payload| {
                    messages.push((topic, payload.to_vec()));
                })
                .expect("a connection");
            assert!(found > 0, "only {} of {count} messages came", messages.len());
        }
        messages
    }

    fn forwards_what_was_asked_for(address: &str) {
        let forwarder = Running::start(address, PENDING_BYTES);
        let mut one = forwarder.connect(&["fx/EURUSD", "fx/USDJPY"]);
        let mut both = forwarder.connect(&["fx/USDJPY", "fx/EURUSD"]);
        let mut publisher = forwarder.connect(&["fx/EURUSD", "fx/GBPUSD", "fx/USDJPY"]);
        one.subscribe(&[1]).expect("a subscription");
        both.subscribe(&[0, 1]).expect("two subscriptions");
        for number in 0..3000_u32 {
            let topic = number as usize % 3;
            publisher.publish(topic, &number.to_le_bytes().repeat(40)).expect("a connection");
        }
        publisher.flush().expect("a connection");
        for (at, (topic, payload)) in receive(&mut *one, 1000).into_iter().enumerate() {
            let number = at as u32 * 3 + 2;
            assert_eq!((topic, payload), (1, number.to_le_bytes().repeat(40)));
        }
        for (at, (topic, payload)) in receive(&mut *both, 2000).into_iter().enumerate() {
            let number = (at / 2 * 3 + at % 2 * 2) as u32;
            let expected = if at % 2 == 0 { 1 } else { 0 };
            assert_eq!((topic, payload), (expected, number.to_le_bytes().repeat(40)));
        }
        assert_eq!(forwarder.stop(), 0);
    }

    #[test]
    fn messages_reach_those_who_asked_in_order_over_tcp() {
        forwards_what_was_asked_for("tcp://127.0.0.1:0");
    }

    #[test]
    fn messages_reach_those_who_asked_in_order_over_a_unix_socket() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let path = folder.path().join("forwarder");
        forwards_what_was_asked_for(&format!("unix://{}", path.display()));
    }

    #[test]
    fn a_subscriber_that_does_not_read_loses_whole_messages_and_nobody_else_does() {
        let forwarder = Running::start("tcp://127.0.0.1:0", 1 << 20);
        let mut slow = forwarder.connect(&["a"]);
        let mut fast = forwarder.connect(&["a"]);
        let mut publisher = forwarder.connect(&["a"]);
        slow.subscribe(&[0]).expect("a subscription");
        fast.subscribe(&[0]).expect("a subscription");
        let count = 2000;
        for number in 0..count as u32 {
            publisher.publish(0, &number.to_le_bytes().repeat(4096)).expect("a connection");
            publisher.flush().expect("a connection");
            assert_eq!(receive(&mut *fast, 1)[0].1[..4], number.to_le_bytes());
        }
        let mut numbers = Vec::new();
        while slow
            .poll(Wait::Block(Duration::from_millis(200)), &mut |_, payload| {
                assert!(payload.chunks(4).all(|four| four == &payload[..4]));
                numbers.push(u32::from_le_bytes([payload[0], payload[1], payload[2], payload[3]]));
            })
            .expect("a connection")
            > 0
        {}
        assert!(numbers.is_sorted() && numbers.len() < count, "{}", numbers.len());
        assert_eq!(forwarder.stop(), (count - numbers.len()) as u64);
    }

    #[test]
    fn garbage_ends_its_connection_only() {
        let forwarder = Running::start("tcp://127.0.0.1:0", PENDING_BYTES);
        let mut garbage =
            Socket::connect(&forwarder.address, Duration::from_secs(5)).expect("a connection");
        assert_eq!(garbage.write(&[0xff; 64]).expect("room"), 64);
        assert!(garbage.wait(false, Duration::from_secs(10)).expect("a socket").readable);
        assert!(!matches!(garbage.read(&mut [0; 1]), Ok(1..)));
        let mut bus = forwarder.connect(&["a"]);
        bus.subscribe(&[0]).expect("a subscription");
        bus.publish(0, b"echo").expect("a connection");
        bus.flush().expect("a connection");
        assert_eq!(receive(&mut *bus, 1), [(0, b"echo".to_vec())]);
        forwarder.stop();
    }
}
