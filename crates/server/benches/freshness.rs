//! How old prices are when a slow reader takes them: 20 topics, 20,000 messages a second in all, a reader
//! that takes 1,000 a second (or as many as it is told), over each transport.
//!
//! `cargo bench -p trunkline-server --bench freshness -- [seconds] [reader's rate] [messages a second]`; a reader
//! of rate 0 takes as fast as it can.

#![forbid(unsafe_code)]

use std::io::{self, Read};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Message, Options, Subscribe};
use trunkline_native::{self as native, RouterFrame, Updates};
use trunkline_server::{Config, Running, Server};

const TOPICS: usize = 20;
const PAYLOAD: usize = 150;

/// What a reader saw.
#[derive(Default)]
struct Seen {
    /// Nanoseconds from publishing to taking.
    ages: Vec<u64>,
    /// What the router told.
    told: Vec<u64>,
    /// How far the age that the client library tells is from the true one.
    errors: Vec<u64>,
    replaced: u64,
}

fn since(epoch: Instant) -> u64 {
    epoch.elapsed().as_nanos() as u64
}

fn publish(address: &str, per_second: f64, epoch: Instant, stop: &AtomicBool) {
    let mut client = Client::connect(address, &Options::named("writer")).expect("a router");
    let names: Vec<String> = (0..TOPICS).map(|at| format!("fx/{at}")).collect();
    let topics = client.topics(&names).expect("topics");
    let (begin, mut sent) = (Instant::now(), 0_u64);
    while !stop.load(Ordering::Relaxed) {
        let due = (begin.elapsed().as_secs_f64() * per_second) as u64;
        while sent < due {
            let mut payload = [0; PAYLOAD];
            payload[..8].copy_from_slice(&since(epoch).to_le_bytes());
            client.enqueue(topics[sent as usize % TOPICS], &payload).expect("sent");
            sent += 1;
        }
        client.flush().expect("sent");
        thread::sleep(Duration::from_micros(300));
    }
}

impl Seen {
    fn take(
        &mut self,
        now: u64,
        payload: &[u8],
        (conflation, age): (Option<native::Conflation>, Option<u64>),
    ) {
        let published = u64::from_le_bytes(*payload.first_chunk().expect("a stamp"));
        self.ages.push(now - published);
        self.errors.extend(age.map(|age| age.abs_diff(now - published)));
        if let Some(it) = conflation {
            self.told.push(it.age);
            self.replaced += it.replaced;
        }
    }
}

/// Reads a frame at a time from the socket, and never ahead.
fn read_raw(
    mut stream: impl Read + io::Write,
    pace: Duration,
    epoch: Instant,
    stop: &AtomicBool,
) -> Seen {
    let mut out = Vec::new();
    let hello = native::Hello { version: 1, name: "reader", ..native::Hello::default() };
    native::encode_hello(&mut out, &hello);
    native::encode_subscribe(&mut out, 1, Updates::Newest, "fx/*");
    stream.write_all(&out).expect("sent");
    let mut seen = Seen::default();
    let mut due = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let mut frame = vec![0; 8];
        stream.read_exact(&mut frame).expect("a frame");
        let length = u32::from_le_bytes(*frame.first_chunk().expect("a length"));
        frame.resize(length as usize, 0);
        stream.read_exact(&mut frame[8..]).expect("a frame");
        let (frame, _) = native::decode_router(&frame, 1 << 20).expect("right").expect("whole");
        if let RouterFrame::Message(it) = frame {
            seen.take(since(epoch), it.payload, (it.conflation, None));
            rest(&mut due, pace);
        }
    }
    seen
}

/// Is busy with a message until its time is over.
fn rest(due: &mut Instant, pace: Duration) {
    if pace == Duration::ZERO {
        return;
    }
    *due = (*due + pace).max(Instant::now());
    thread::sleep(due.saturating_duration_since(Instant::now()));
}

fn read(
    address: &str,
    options: &Options,
    pace: Duration,
    epoch: Instant,
    stop: &AtomicBool,
) -> Seen {
    let mut client = Client::connect(address, options).expect("a router");
    client.subscribe("fx/*", &Subscribe::newest()).expect("a subscription");
    let mut seen = Seen::default();
    let mut due = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let taken = &mut |event: Event<'_>| {
            if let Event::Message(Message { payload, conflation, age, .. }) = event
                && !stop.load(Ordering::Relaxed)
            {
                seen.take(since(epoch), payload, (conflation, age));
                rest(&mut due, pace);
            }
        };
        client.receive(Some(Duration::from_millis(100)), taken).expect("connected");
    }
    seen
}

fn percentile(times: &mut [u64], share: f64) -> f64 {
    times.sort_unstable();
    let at = ((times.len().max(1) - 1) as f64 * share) as usize;
    times.get(at).map_or(f64::NAN, |it| *it as f64 / 1e6)
}

fn measure(
    name: &str,
    address: &str,
    (seconds, per_second): (f64, f64),
    reader: impl FnOnce(Instant, Arc<AtomicBool>) -> Seen + Send + 'static,
) {
    let (epoch, stop) = (Instant::now(), Arc::new(AtomicBool::new(false)));
    let reading = thread::spawn({
        let stop = Arc::clone(&stop);
        move || reader(epoch, stop)
    });
    thread::sleep(Duration::from_millis(200));
    let writing = thread::spawn({
        let (address, stop) = (address.to_owned(), Arc::clone(&stop));
        move || publish(&address, per_second, epoch, &stop)
    });
    thread::sleep(Duration::from_secs_f64(seconds));
    stop.store(true, Ordering::Relaxed);
    let mut seen = reading.join().expect("a reader");
    writing.join().expect("a writer");
    // The second half: what it is like when it has gone on for a while.
    let half = seen.ages.len() / 2;
    let late = &mut seen.ages[half..];
    println!(
        "{name:<22} {:>8} taken, {:>8} replaced; true age ms p50 {:>8.2} p99 {:>8.2} max {:>8.2}; \
         router says p50 {:>7.2} p99 {:>7.2}; library off by p50 {:>6.3} p99 {:>6.3}",
        half * 2,
        seen.replaced,
        percentile(late, 0.5),
        percentile(late, 0.99),
        percentile(late, 1.0),
        percentile(&mut seen.told, 0.5),
        percentile(&mut seen.told, 0.99),
        percentile(&mut seen.errors, 0.5),
        percentile(&mut seen.errors, 0.99),
    );
}

fn router(folder: &std::path::Path) -> Running {
    let mut config = Config::default();
    let sockets = ["unix", "shm"].map(|it| format!("{it}://{}/{it}.sock", folder.display()));
    let texts = ["tcp://127.0.0.1:0", &sockets[0], &sockets[1]];
    config.listen.native = texts.iter().map(|text| text.parse().expect("an address")).collect();
    config.listen.http = None;
    config.listen.websocket = None;
    Server::start(config).expect("a router")
}

fn main() {
    let numbers: Vec<f64> = std::env::args().skip(1).filter_map(|it| it.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(5.0);
    let rate = numbers.get(1).copied().unwrap_or(1000.0);
    let per_second = numbers.get(2).copied().unwrap_or(20_000.0);
    let pace = if rate > 0.0 { Duration::from_secs_f64(1.0 / rate) } else { Duration::ZERO };
    let times = (seconds, per_second);
    let folder = std::env::temp_dir().join(format!("trunkline-fresh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let router = router(&folder);
    let addresses: Vec<String> = router.addresses().iter().map(|it| it.url()).collect();
    for address in &addresses {
        let transport = address.split(':').next().unwrap_or_default();
        let to = address.clone();
        match transport {
            "tcp" => measure("tcp, raw", address, times, move |epoch, stop| {
                let stream = TcpStream::connect(&to["tcp://".len()..]).expect("a router");
                read_raw(stream, pace, epoch, &stop)
            }),
            "unix" => measure("unix, raw", address, times, move |epoch, stop| {
                let stream = UnixStream::connect(&to["unix://".len()..]).expect("a router");
                read_raw(stream, pace, epoch, &stop)
            }),
            _ => {}
        }
        for credit in [false, true] {
            let to = address.clone();
            let with = if credit { "credit" } else { "no credit" };
            measure(&format!("{transport}, {with}"), address, times, move |epoch, stop| {
                let options = Options { credit, ..Options::named("reader") };
                read(&to, &options, pace, epoch, &stop)
            });
        }
    }
    router.stop();
    let _ = std::fs::remove_dir_all(&folder);
}
