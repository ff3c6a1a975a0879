//! Two sessions over loopback, beside QuickFIX C++ and QuickFIX/J in the same roles and with the same messages: from start to Logon, round
//! trips of an order and its report, and how many orders a second pass; with messages in memory, and on a disk.
//!
//! `cargo bench -p trunkline-fix --bench session [-- ROUNDS [ROUND_TRIPS [ORDERS]]]`. The engines take turns. The others have
//! both sides in one process as we have; they take part where `make peers` has built them. Their file stores leave what they
//! write to the system, so that it survives the process and not the machine; ours is on the disk before it is sent. Java
//! does all twice, and what it does first, for its compiler, is not measured.

#![forbid(unsafe_code)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use trunkline_fix::tcp::{Acceptor, Handle, Initiator, TcpConfig};
use trunkline_fix::{
    Application, Dictionaries, Identity, JournalStore, MemoryStore, Message, Outbox, Refusal, Role,
    Session, Settings, Store, Version,
};
use trunkline_import::{Limits, fix::Dictionary};

const PATIENCE: Duration = Duration::from_secs(120);

/// While so many bytes wait no order is sent.
const WAITING: usize = 1 << 20;

/// What one round found.
#[derive(Debug)]
struct Figures {
    logon: u64,
    median: u64,
    ninety_ninth: u64,
    orders_a_second: u64,
}

/// Answers the first orders, and counts the others.
struct Exchange {
    answered: usize,
    expected: usize,
    done: Sender<()>,
}

impl Application for Exchange {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        if self.answered > 0 {
            self.answered -= 1;
            let mut body = b"6=0\x0111=".to_vec();
            body.extend_from_slice(message.get(11).unwrap_or_default());
            body.extend_from_slice(
                b"\x0114=0\x0117=exec\x0137=id\x0139=0\x0154=1\x0155=INTC\x01150=0\x01151=100\x01",
            );
            outbox.send("8", &body).expect("it is logged on");
            return Ok(());
        }
        self.expected -= 1;
        if self.expected == 0 {
            self.done.send(()).expect("somebody waits");
        }
        Ok(())
    }
}

fn order(number: usize, outbox: &Outbox) -> Vec<u8> {
    let now = outbox.now().stamp(Version::Fix43);
    format!(
        "11=order-{number}\u{1}21=1\u{1}38=100\u{1}40=2\u{1}44=101.25\u{1}54=1\u{1}55=INTC\u{1}60={now}\u{1}"
    )
    .into_bytes()
}

/// Sends the next order when the last is answered.
struct Fund {
    trips: usize,
    sent_at: Instant,
    times: Vec<u64>,
    logged_on: Sender<()>,
    done: Sender<Vec<u64>>,
}

impl Application for Fund {
    fn message(&mut self, _message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        self.times.push(self.sent_at.elapsed().as_nanos() as u64);
        match self.times.len() == self.trips {
            true => self.done.send(std::mem::take(&mut self.times)).expect("somebody waits"),
            false => self.next(outbox),
        }
        Ok(())
    }

    fn logged_on(&mut self, outbox: &mut Outbox) {
        self.logged_on.send(()).expect("somebody waits");
        self.next(outbox);
    }
}

impl Fund {
    fn next(&mut self, outbox: &mut Outbox) {
        self.sent_at = Instant::now();
        let body = order(self.times.len(), outbox);
        outbox.send("D", &body).expect("it is logged on");
    }
}

struct Bench {
    dictionaries: Arc<Dictionaries>,
    dictionary: PathBuf,
    trips: usize,
    orders: usize,
}

impl Bench {
    fn session(&self, role: Role, kept_in: Option<&Path>) -> Session {
        let (own, other) = match role {
            Role::Acceptor => ("BANK", "FUND"),
            Role::Initiator => ("FUND", "BANK"),
        };
        let store: Box<dyn Store> = match kept_in {
            Some(folder) => Box::new(
                JournalStore::open(&folder.join(own), 64 << 20).expect("a store in the folder"),
            ),
            None => Box::new(MemoryStore::default()),
        };
        let settings = Settings::new(role, Identity::new(Version::Fix43, own, other));
        Session::new(settings, Some(self.dictionaries.clone()), store)
    }

    fn ours(&self, kept_in: Option<&Path>) -> Figures {
        let (done, all) = channel();
        let exchange = Exchange { answered: self.trips, expected: self.orders, done };
        let exchange = Handle::new(self.session(Role::Acceptor, kept_in), exchange);
        let refused = Arc::new(|_, why: &str| panic!("{why}"));
        let acceptor = Acceptor::start("127.0.0.1:0", [exchange], TcpConfig::default(), refused)
            .expect("a port");
        let (logged_on, is_logged_on) = channel();
        let (done, times) = channel();
        let start = Instant::now();
        let fund = Fund { trips: self.trips, sent_at: start, times: Vec::new(), logged_on, done };
        let fund = Handle::new(self.session(Role::Initiator, kept_in), fund);
        let start = Instant::now();
        let address = acceptor.address().to_string();
        let initiator =
            Initiator::start(&address, fund.clone(), TcpConfig::default()).expect("a thread");
        is_logged_on.recv_timeout(PATIENCE).expect("a Logon");
        let logon = start.elapsed().as_nanos() as u64;
        let mut times = times.recv_timeout(PATIENCE).expect("all are answered");
        times.sort_unstable();
        let start = Instant::now();
        for number in 0..self.orders {
            let sent = fund.with(|outbox| {
                let body = order(number, outbox);
                outbox.send("D", &body)
            });
            sent.expect("it is sent");
            while fund.waiting() > WAITING {
                thread::sleep(Duration::from_micros(100));
            }
        }
        all.recv_timeout(PATIENCE).expect("all come");
        let seconds = start.elapsed().as_secs_f64();
        drop(initiator);
        Figures {
            logon,
            median: times[self.trips / 2],
            ninety_ninth: times[self.trips * 99 / 100],
            orders_a_second: (self.orders as f64 / seconds) as u64,
        }
    }

    /// The same with another engine; none if it is not there.
    fn other(&self, program: &Path, kept_in: Option<&Path>, folder: &Path) -> Option<Figures> {
        let mut command = Command::new(program);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        // QuickFIX asks for a number, and takes no 0.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).ok()?.port();
        let kept = if kept_in.is_some() { "file" } else { "memory" };
        let (folder, dictionary) = (folder.display(), self.dictionary.display());
        let (trips, orders) = (self.trips, self.orders);
        writeln!(
            child.stdin.as_mut()?,
            "measure {kept} {trips} {orders} {port} {folder} {dictionary}"
        )
        .ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut()?).read_line(&mut line).ok()?;
        child.kill().ok()?;
        child.wait().ok()?;
        let figures = line.strip_prefix("measured ").unwrap_or_else(|| panic!("{line}"));
        let figures: Vec<u64> =
            figures.split_whitespace().map(|it| it.parse().expect("a number")).collect();
        let [logon, median, ninety_ninth, orders_a_second] = *figures else { panic!("{line}") };
        Some(Figures { logon, median, ninety_ninth, orders_a_second })
    }
}

fn main() {
    let mut arguments = env::args().skip(1).filter(|it| it != "--bench");
    let mut number =
        |usual: usize| arguments.next().map_or(usual, |it| it.parse().expect("a number"));
    let (rounds, trips, orders) = (number(3), number(20_000), number(200_000));
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/build");
    let dictionary = build.join("source/quickfix/FIX43.xml");
    let Ok(bytes) = fs::read(&dictionary) else {
        println!("the dictionary is QuickFIX's, which is not there: make peers");
        return;
    };
    let read = Dictionary::read("FIX43.xml", &bytes, &Limits::default()).expect("a dictionary");
    let bench =
        Bench { dictionaries: Arc::new(Dictionaries::of(&read)), dictionary, trips, orders };
    let folder = env::temp_dir().join(format!("trunkline-fix-{}", std::process::id()));
    println!(
        "{:10} {:8} {:>10} {:>10} {:>10} {:>12}",
        "engine", "kept", "logon us", "p50 us", "p99 us", "orders/s"
    );
    for round in 0..rounds {
        for (kept, is_kept) in [("memory", false), ("disk", true)] {
            let own = folder.join(format!("{round}-{kept}"));
            fs::create_dir_all(&own).expect("a folder");
            let kept_in = is_kept.then_some(&*own);
            for engine in ["trunkline", "quickfix", "quickfixj"] {
                let figures = match engine {
                    "trunkline" => Some(bench.ours(kept_in)),
                    other => {
                        let program = build.join(format!("bin/{other}-speed"));
                        bench.other(&program, kept_in, &own.join(other))
                    }
                };
                let Some(Figures { logon, median, ninety_ninth, orders_a_second }) = figures else {
                    continue;
                };
                let micro = |it: u64| it as f64 / 1e3;
                println!(
                    "{engine:10} {kept:8} {:10.1} {:10.1} {:10.1} {orders_a_second:12}",
                    micro(logon),
                    micro(median),
                    micro(ninety_ninth)
                );
            }
        }
    }
    fs::remove_dir_all(&folder).expect("it is removed");
}
