//! Memory of a router with slow clients, and after they have left, as its system sees it.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_native::{self as native, RouterFrame, Updates};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Clients that subscribe to much and read nothing more.
const READERS: u32 = 20;
/// Subscriptions of each.
const SUBSCRIPTIONS: u32 = 5_000;
/// Bytes that are published to each reader, and wait for it.
const PUBLISHED: usize = 8 << 20;

struct Router {
    child: Child,
    address: String,
    out: BufReader<ChildStdout>,
}

impl Router {
    fn start(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory");
        fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
        let file = folder.join(format!("{name}.toml"));
        let config = "[listen]\nnative = [\"tcp://127.0.0.1:0\"]\nhttp = \"off\"\nwebsocket = \"off\"\n\
                      [log]\nlevel = \"error\"\n[router]\nkeepalive = \"1h\"\n";
        fs::write(&file, config).expect("a file");
        let mut child = Command::new(env!("CARGO_BIN_EXE_trunkline"))
            .args(["serve", "--config"])
            .arg(&file)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut router = Self { child, address: String::new(), out };
        loop {
            let mut line = String::new();
            assert!(router.out.read_line(&mut line).expect("a line") > 0, "it ended");
            if let Some(at) = line.trim_end().strip_prefix("listening native tcp://") {
                at.clone_into(&mut router.address);
            } else if line == "ready\n" {
                return router;
            }
        }
    }

    /// Bytes of its memory that are in the machine's.
    fn resident(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(path).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
        let number = line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number");
        number << 10
    }

    fn connect(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        let mut bytes = Vec::new();
        let hello = native::Hello { version: native::VERSION, ..native::Hello::default() };
        native::encode_hello(&mut bytes, &hello);
        stream.write_all(&bytes).expect("it is sent");
        stream
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends the frames, and waits until the router has worked through them.
fn send(stream: &mut TcpStream, mut frames: Vec<u8>) {
    native::encode_ping(&mut frames, 7);
    let mut writer = stream.try_clone().expect("the same connection");
    let writing = thread::spawn(move || writer.write_all(&frames).expect("they are sent"));
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let read = stream.read(&mut piece).expect("an answer");
        assert!(read > 0, "the router hung up");
        bytes.extend_from_slice(&piece[..read]);
        let mut used = 0;
        while let Some((frame, length)) =
            native::decode_router(&bytes[used..], 1 << 24).expect("a frame")
        {
            if frame == RouterFrame::Pong(7) {
                return writing.join().expect("they are sent");
            }
            assert!(!matches!(frame, RouterFrame::Rejected(_)), "{frame:?}");
            used += length;
        }
        bytes.drain(..used);
    }
}

#[test]
fn what_clients_took_goes_back_to_the_system_when_they_have_left() {
    let router = Router::start("left");
    let before = router.resident();
    let readers: Vec<TcpStream> = (0..READERS)
        .map(|reader| {
            let mut stream = router.connect();
            let mut frames = Vec::new();
            native::encode_subscribe(&mut frames, 0, Updates::All, &format!("load/{reader}"));
            for number in 1..SUBSCRIPTIONS {
                let pattern = format!("desk/{reader}/{number}/*");
                native::encode_subscribe(&mut frames, number, Updates::All, &pattern);
            }
            send(&mut stream, frames);
            stream
        })
        .collect();
    let mut publisher = router.connect();
    let mut frames = Vec::new();
    (0..READERS).for_each(|it| native::encode_topic(&mut frames, it, &format!("load/{it}")));
    for _ in 0..PUBLISHED / 200 {
        (0..READERS).for_each(|it| native::encode_publish(&mut frames, it, 0, &[b'p'; 200]));
    }
    send(&mut publisher, frames);
    // Who comes now has its memory behind theirs, and stays.
    let mut stays = router.connect();
    let mut frames = Vec::new();
    for number in 0..1_000 {
        let pattern = format!("stays/{number}/*");
        native::encode_subscribe(&mut frames, number, Updates::All, &pattern);
    }
    send(&mut stays, frames);
    let most = router.resident();
    let taken = most - before;
    assert!(taken > 60 << 20, "there is not enough to give back: {taken}");
    drop((readers, publisher));
    // A third of what was taken may stay: pages with something of the router's own among it.

    let bound = before + taken / 3;
    let until = Instant::now() + PATIENCE;
    while router.resident() > bound {
        assert!(
            Instant::now() < until,
            "{before} bytes before, {most} at most, and {} at the end",
            router.resident()
        );
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn slow_clients_of_the_same_messages_take_memory_for_them_once() {
    let router = Router::start("slow");
    let slow: Vec<TcpStream> = (0..6)
        .map(|_| {
            let mut stream = router.connect();
            let mut frames = Vec::new();
            native::encode_subscribe(&mut frames, 0, Updates::All, "load/>");
            send(&mut stream, frames);
            stream
        })
        .collect();
    let mut publisher = router.connect();
    let mut frames = Vec::new();
    native::encode_topic(&mut frames, 0, "load/everybody");
    send(&mut publisher, frames);
    let before = router.resident();
    for _ in 0..50 {
        let mut frames = Vec::new();
        (0..1_000).for_each(|_| native::encode_publish(&mut frames, 0, 0, &[b'p'; 1_000]));
        send(&mut publisher, frames);
    }
    let taken = router.resident().saturating_sub(before);
    drop(slow);
    // Without what the sockets hold; six copies would be nearly 300 MB.
    assert!((30_000_000..110_000_000).contains(&taken), "{taken} bytes");
}
