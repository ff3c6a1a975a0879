//! What a stream costs: round trips and throughput of each transport, asleep and awake, between two
//! threads, beside a bare flag in memory that both sides spin on.
//!
//! `cargo bench -p trunkline-reactor`; the subjects take turns, each figure is the median of the
//! rounds. Spinning subjects want a core for each side; on a busy machine they show the scheduler.

#![forbid(unsafe_code)]

use std::env;
use std::hint::{black_box, spin_loop};
use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trunkline_reactor::{Address, Idle, Listener, Reactor, Stream, Waker};

const ROUNDS: usize = 5;
const ROUND_TRIPS: usize = 4_000;
const MESSAGE: usize = 128;
/// Bytes of a throughput run, and of each write in it.
const VOLUME: usize = 64 << 20;
const BATCH: usize = 32 << 10;
const SINGLY: usize = 8 << 20;

/// The other end of a stream, on a thread of its own with a reactor.
struct Server {
    waker: Waker,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    address: Address,
}

impl Server {
    /// Sends everything back, or counts and answers each `VOLUME` with one byte.
    fn start(address: &Address, idle: Idle, is_echo: bool, volume: usize) -> Self {
        let mut listener = Listener::bind(address).expect("a listener");
        let mut reactor = Reactor::new(idle).expect("a reactor");
        let (waker, address) = (reactor.waker(), listener.address());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            reactor.add_listener(&mut listener, 0).expect("a registration");
            let (mut stream, mut events) = (None, Vec::new());
            let (mut bytes, mut count) = (vec![0; 128 << 10], 0);
            while !stopped.load(Ordering::Relaxed) {
                reactor.wait(&mut events, None).expect("events");
                for event in &events {
                    if event.token == 0 {
                        let mut accepted = listener.accept().expect("a connection");
                        if let Some(stream) = &mut accepted {
                            reactor.add(stream, 1).expect("a registration");
                            stream.set_idle(idle);
                        }
                        stream = accepted.or(stream);
                    } else if let Some(stream) = &mut stream {
                        serve(stream, &mut bytes, is_echo, &mut count, volume);
                    }
                }
            }
        });
        Self { waker, stop, thread: Some(thread), address }
    }
}

fn serve(stream: &mut Stream, bytes: &mut [u8], is_echo: bool, count: &mut usize, volume: usize) {
    loop {
        match stream.read(bytes) {
            Ok(0) => return,
            Ok(read) if is_echo => {
                stream.write(&bytes[..read]).expect("room");
                if read < bytes.len() {
                    return;
                }
            }
            Ok(read) => {
                black_box(&bytes[..read]);
                *count += read;
                if *count == volume {
                    *count = 0;
                    stream.write(&[1]).expect("room");
                }
            }
            Err(error) => return assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake().expect("a wake-up");
        self.thread.take().map(JoinHandle::join).expect("a thread").expect("no panic");
    }
}

fn read(stream: &mut Stream, bytes: &mut [u8]) -> usize {
    loop {
        match stream.read(bytes) {
            Ok(0) => panic!("the stream ended"),
            Ok(count) => return count,
            Err(_) => stream.wait(true, false, None).expect("readiness"),
        };
    }
}

/// Nanoseconds of each round trip, in order of size.
fn round_trips(address: &Address, idle: Idle) -> Vec<u64> {
    let server = Server::start(address, idle, true, 0);
    let mut stream = Stream::connect(&server.address, Duration::from_secs(5)).expect("a stream");
    stream.set_idle(idle);
    let message = [7; MESSAGE];
    let mut bytes = [0; 1024];
    let mut times: Vec<u64> = (0..ROUND_TRIPS + 200)
        .map(|_| {
            let begin = Instant::now();
            stream.write(&message).expect("room");
            let mut back = 0;
            while back < MESSAGE {
                back += read(&mut stream, &mut bytes);
            }
            begin.elapsed().as_nanos() as u64
        })
        .skip(200)
        .collect();
    times.sort_unstable();
    times
}

/// Nanoseconds for a message of `MESSAGE` bytes, written in writes of so many bytes.
fn throughput(address: &Address, idle: Idle, write: usize, volume: usize) -> f64 {
    let server = Server::start(address, idle, false, volume);
    let mut stream = Stream::connect(&server.address, Duration::from_secs(5)).expect("a stream");
    stream.set_idle(idle);
    let bytes = vec![7; write];
    let begin = Instant::now();
    let mut sent = 0;
    while sent < volume {
        let mut rest = &bytes[..write.min(volume - sent)];
        sent += rest.len();
        while !rest.is_empty() {
            match stream.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(_) => drop(stream.wait(false, true, None).expect("readiness")),
            }
        }
    }
    read(&mut stream, &mut [0]);
    begin.elapsed().as_nanos() as f64 / (volume / MESSAGE) as f64
}

/// Two threads that spin on two words: what no transport can be below.
fn bare_flag() -> Vec<u64> {
    let words = Arc::new([const { (AtomicU64::new(0), [0u64; 15]) }; 2]);
    let other = Arc::clone(&words);
    let total = (ROUND_TRIPS + 200) as u64;
    let thread = thread::spawn(move || {
        for n in 1..=total {
            while other[0].0.load(Ordering::Acquire) != n {
                spin_loop();
            }
            other[1].0.store(n, Ordering::Release);
        }
    });
    let mut times: Vec<u64> = (1..=total)
        .map(|n| {
            let begin = Instant::now();
            words[0].0.store(n, Ordering::Release);
            while words[1].0.load(Ordering::Acquire) != n {
                spin_loop();
            }
            begin.elapsed().as_nanos() as u64
        })
        .skip(200)
        .collect();
    thread.join().expect("no panic");
    times.sort_unstable();
    times
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let path = |kind: &str| env::temp_dir().join(format!("bench-{kind}-{}.sock", process::id()));
    let transports = [
        ("tcp", Address::Tcp("127.0.0.1:0".to_owned())),
        ("unix", Address::Unix(path("unix"))),
        ("shm", Address::SharedMemory(path("shm"))),
    ];
    let mut rows: Vec<(String, [Vec<f64>; 4])> = Vec::new();
    for round in 0..ROUNDS {
        let mut row = 0;
        let mut put = |name: String, values: [f64; 4]| {
            if round == 0 {
                rows.push((name, Default::default()));
            }
            for (all, value) in rows[row].1.iter_mut().zip(values) {
                all.push(value);
            }
            row += 1;
        };
        let of = |times: &[u64], part: f64| times[(times.len() as f64 * part) as usize] as f64;
        let times = bare_flag();
        put("bare flag".to_owned(), [of(&times, 0.5), of(&times, 0.99), f64::NAN, f64::NAN]);
        for (name, address) in &transports {
            for (manner, idle) in [("block", Idle::Block), ("spin", Idle::Spin)] {
                let times = round_trips(address, idle);
                let batched = throughput(address, idle, BATCH, VOLUME);
                let singly = throughput(address, idle, MESSAGE, SINGLY);
                put(
                    format!("{name} {manner}"),
                    [of(&times, 0.5), of(&times, 0.99), batched, singly],
                );
            }
        }
    }
    println!("round trip of {MESSAGE} B, us; a message of {MESSAGE} B one way, ns");
    println!("{:<12} {:>8} {:>8} {:>10} {:>10}", "", "p50", "p99", "batched", "singly");
    for (name, [p50, p99, batched, singly]) in rows {
        println!(
            "{name:<12} {:>8.2} {:>8.2} {:>10.1} {:>10.1}",
            median(p50) / 1e3,
            median(p99) / 1e3,
            median(batched),
            median(singly)
        );
    }
}
