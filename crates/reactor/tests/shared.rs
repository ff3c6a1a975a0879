//! Shared memory with a hostile process, a dying one, and one that sleeps whenever it can.

use std::collections::HashMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{self, Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use trunkline_random::Random;
use trunkline_reactor::{Address, Idle, Listener, Reactor, Stream, Waker};

const PATIENCE: Duration = Duration::from_secs(20);

fn path() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("shared-{}-{number}.sock", process::id()))
}

/// An echo for whoever comes, which closes connections that fail and goes on.
struct Echo {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    waker: Waker,
    thread: Option<JoinHandle<Vec<io::ErrorKind>>>,
}

impl Echo {
    fn start(idle: Idle) -> Self {
        let path = path();
        let mut listener = Listener::bind(&Address::SharedMemory(path.clone())).unwrap();
        let mut reactor = Reactor::new(idle).unwrap();
        let waker = reactor.waker();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            reactor.add_listener(&mut listener, 0).unwrap();
            let mut streams: HashMap<usize, Stream> = HashMap::new();
            let (mut events, mut next, mut failures) = (Vec::new(), 1, Vec::new());
            while !stopped.load(Ordering::Relaxed) {
                reactor.wait(&mut events, Some(PATIENCE)).unwrap();
                for event in &events {
                    while event.token == 0
                        && let Some(mut stream) = listener.accept().unwrap()
                    {
                        reactor.add(&mut stream, next).unwrap();
                        streams.insert(next, stream);
                        next += 1;
                    }
                    let Some(stream) = streams.get_mut(&event.token) else { continue };
                    match echo(stream) {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                        end => {
                            failures.extend(end.err().map(|error| error.kind()));
                            // Every second one leaves without a word to the reactor.
                            if let Some(mut stream) = streams.remove(&event.token)
                                && event.token % 2 == 0
                            {
                                reactor.remove(&mut stream).unwrap();
                            }
                        }
                    }
                }
            }
            failures
        });
        Self { path, stop, waker, thread: Some(thread) }
    }

    fn connect(&self) -> Stream {
        Stream::connect(&Address::SharedMemory(self.path.clone()), PATIENCE).unwrap()
    }

    /// Ends it; the errors that connections ended with.
    fn stop(mut self) -> Vec<io::ErrorKind> {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake().unwrap();
        self.thread.take().unwrap().join().unwrap()
    }
}

/// Sends back what is there, as far as there is room: the tests ask for no more than that. `Ok` at
/// the end of the stream.
fn echo(stream: &mut Stream) -> io::Result<()> {
    let mut bytes = [0; 4096];
    loop {
        let count = stream.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        stream.write(&bytes[..count])?;
    }
}

fn call(stream: &mut Stream, bytes: &[u8]) {
    assert_eq!(stream.write(bytes).unwrap(), bytes.len());
    let (mut back, mut buffer) = (Vec::new(), [0; 4096]);
    while back.len() < bytes.len() {
        assert!(stream.wait(true, false, Some(PATIENCE)).unwrap().readable, "no answer");
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the connection ended");
        back.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(back, bytes);
}

/// A client that does with the memory what it likes.
struct Hostile {
    socket: UnixStream,
    memory: File,
}

impl Hostile {
    fn connect(echo: &Echo) -> Self {
        let socket = UnixStream::connect(&echo.path).unwrap();
        let mut greeting = [0; 24];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(&mut greeting)];
        recvmsg(&socket, &mut parts, &mut control, RecvFlags::empty()).unwrap();
        let memory = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        assert_eq!(&greeting[..8], b"TRNKSHM\x01");
        Self { socket, memory: memory.expect("a file").into() }
    }

    fn put(&self, offset: u64, bytes: &[u8]) {
        self.memory.write_all_at(bytes, offset).unwrap();
    }

    fn wake(&mut self) {
        // The router may have closed the connection.
        let _ = self.socket.write(&[1]);
    }

    /// Waits until the router has closed the connection.
    fn expect_end(mut self) {
        self.socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut bytes = [0; 100];
        loop {
            match self.socket.read(&mut bytes) {
                Ok(0) => return,
                Ok(_) => {}
                // It was closed with bytes of ours unread.
                Err(error) => return assert_eq!(error.kind(), io::ErrorKind::ConnectionReset),
            }
        }
    }
}

#[test]
fn spoilt_cursors_end_one_connection_and_no_other() {
    let echo = Echo::start(Idle::Block);
    let mut honest = echo.connect();
    call(&mut honest, b"before");
    for head in [u64::MAX, 1 << 40, (1 << 20) + 1] {
        let mut hostile = Hostile::connect(&echo);
        hostile.put(0, &head.to_le_bytes());
        hostile.wake();
        hostile.expect_end();
        call(&mut honest, b"between");
    }
    let mut hostile = Hostile::connect(&echo);
    // The tail of the other ring, ahead of all that the router has written; it looks there when the
    // ring seems full.
    hostile.put(512 + 128, &(1u64 << 50).to_le_bytes());
    hostile.put(0, &(1u64 << 20).to_le_bytes());
    hostile.wake();
    hostile.put(0, &((1u64 << 20) + 4096).to_le_bytes());
    hostile.wake();
    hostile.expect_end();
    call(&mut honest, b"after");
    let failures = echo.stop();
    assert_eq!(failures, [io::ErrorKind::InvalidData; 4]);
}

#[test]
fn scribbling_at_random_harms_nobody_else() {
    let echo = Echo::start(Idle::SpinFor(Duration::from_micros(20)));
    let mut honest = echo.connect();
    let mut random = Random::new(1);
    for round in 0..60u64 {
        let mut hostile = Hostile::connect(&echo);
        for _ in 0..40 {
            let offset = if random.once_in(4) { random.below(8192) } else { random.below(8) * 128 };
            let value = match random.below(3) {
                0 => random.below(5000),
                1 => 1 << random.below(64),
                _ => random.bits(),
            };
            hostile.put(offset, &value.to_le_bytes());
            hostile.wake();
        }
        call(&mut honest, &round.to_le_bytes());
    }
    echo.stop();
}

#[test]
fn connections_that_end_leave_nothing_behind() {
    let echo = Echo::start(Idle::Block);
    let descriptors = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let before = descriptors();
    for _ in 0..600 {
        call(&mut echo.connect(), b"short");
    }
    // The one that lasts, so that the last of the others has been seen.
    call(&mut echo.connect(), b"last");
    // Other tests of this process have some open too.
    assert!(descriptors() < before + 200, "{before} descriptors became {}", descriptors());
    echo.stop();
}

#[test]
fn both_sides_sleep_and_neither_sleeps_on() {
    for idle in [Idle::Block, Idle::SpinFor(Duration::from_micros(3)), Idle::Spin] {
        let echo = Echo::start(idle);
        let mut stream = echo.connect();
        stream.set_idle(idle);
        for n in 0..5000u32 {
            call(&mut stream, &n.to_le_bytes());
        }
        // Many at once, with rests at uneven moments.
        for n in 0..3000usize {
            call(&mut stream, &vec![n as u8; 1 + n * 37 % 4000]);
        }
        drop(stream);
        echo.stop();
    }
}

#[test]
fn a_client_of_another_transport_is_told() {
    let path = path();
    let _listener = Listener::bind(&Address::Unix(path.clone())).unwrap();
    let short = Duration::from_millis(50);
    let error = Stream::connect(&Address::SharedMemory(path), short).unwrap_err();
    assert!(error.to_string().contains("another transport"), "{error}");
}

const ROLE: &str = "TRUNKLINE_TEST_SHARED_ROLE";

/// Not a test of its own: what a second process does when a test below starts it.
#[test]
fn second_process() {
    let Ok(role) = env::var(ROLE) else { return };
    let (role, path) = role.split_once(' ').expect("a role and a path");
    let address = Address::SharedMemory(path.into());
    match role {
        "client" => {
            let mut stream = Stream::connect(&address, PATIENCE).unwrap();
            stream.write(b"half a mess").unwrap();
            stream.wait(true, false, Some(PATIENCE)).unwrap();
        }
        _ => {
            let mut listener = Listener::bind(&address).unwrap();
            let mut reactor = Reactor::new(Idle::Block).unwrap();
            reactor.add_listener(&mut listener, 0).unwrap();
            println!("listening");
            reactor.wait(&mut Vec::new(), Some(PATIENCE)).unwrap();
            let mut stream = listener.accept().unwrap().expect("a client");
            stream.write(b"half an ans").unwrap();
            stream.wait(true, false, Some(PATIENCE)).unwrap();
        }
    }
}

fn second(role: &str, path: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "second_process", "--nocapture"])
        .env(ROLE, format!("{role} {path}"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads until the end of the stream.
fn rest(stream: &mut Stream) -> Vec<u8> {
    let (mut all, mut bytes) = (Vec::new(), [0; 100]);
    loop {
        assert!(
            stream.wait(true, false, Some(PATIENCE)).unwrap().readable,
            "the end does not come"
        );
        match stream.read(&mut bytes) {
            Ok(0) => return all,
            Ok(count) => all.extend_from_slice(&bytes[..count]),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
    }
}

#[test]
fn the_death_of_a_client_is_seen() {
    for idle in [Idle::Block, Idle::Spin] {
        let path = path();
        let mut listener = Listener::bind(&Address::SharedMemory(path.clone())).unwrap();
        let mut reactor = Reactor::new(idle).unwrap();
        reactor.add_listener(&mut listener, 0).unwrap();
        let mut client = second("client", path.to_str().unwrap());
        let mut events = Vec::new();
        reactor.wait(&mut events, Some(PATIENCE)).unwrap();
        let mut stream = listener.accept().unwrap().expect("a client");
        reactor.add(&mut stream, 1).unwrap();
        let mut bytes = [0; 100];
        reactor.wait(&mut events, Some(PATIENCE)).unwrap();
        assert_eq!(stream.read(&mut bytes).unwrap(), 11);
        // SIGKILL: nothing of it runs any more.
        client.kill().unwrap();
        client.wait().unwrap();
        while !events.iter().any(|event| event.closed) {
            reactor.wait(&mut events, Some(PATIENCE)).unwrap();
        }
        assert_eq!(stream.read(&mut bytes).unwrap(), 0);
        assert_eq!(stream.write(b"?").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn the_death_of_the_router_is_seen() {
    for idle in [Idle::Block, Idle::Spin] {
        let path = path();
        let mut router = second("router", path.to_str().unwrap());
        let mut output = router.stdout.take().unwrap();
        let (mut said, mut byte) = (Vec::new(), [0]);
        while !said.ends_with(b"listening") {
            assert_eq!(output.read(&mut byte).unwrap(), 1, "the router did not start");
            said.push(byte[0]);
        }
        let mut stream = Stream::connect(&Address::SharedMemory(path.clone()), PATIENCE).unwrap();
        stream.set_idle(idle);
        assert!(stream.wait(true, false, Some(PATIENCE)).unwrap().readable);
        router.kill().unwrap();
        router.wait().unwrap();
        assert_eq!(rest(&mut stream), b"half an ans");
        fs::remove_file(&path).unwrap();
    }
}
