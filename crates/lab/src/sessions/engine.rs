//! Our engine as both sides of a session over loopback, for `trunkline lab engine`: the section Sessions of
//! peers/PROTOCOL.md says what it is asked.

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_codec::fix::SOH;
use trunkline_experiment::engines::{self, Engine, Waits};
use trunkline_fix::tcp::{Acceptor, Handle, Initiator, Spin, TcpConfig};
use trunkline_fix::{
    Application, Dictionaries, Identity, JournalStore, MemoryStore, Message, Outbox, Refusal, Role,
    Session, Settings, Store, Version,
};
use trunkline_import::{Limits, fix::Dictionary};

const PATIENCE: Duration = Duration::from_secs(120);

/// How long a thread asks its socket before it sleeps, where it does.
const SPIN: Duration = Duration::from_millis(1);

/// While so many bytes wait no order is sent.
const WAITING: usize = 1 << 20;

/// Bytes of the store of one side.
const STORE: u64 = 64 << 20;

/// Round trips and orders at most.
const MOST: usize = 10_000_000;

/// Answers the questions on standard input until `stop`, or its end, as the engine of ours with this name.
///
/// # Errors
/// No engine of ours has the name; standard input or output is broken.
pub fn serve(name: &str) -> io::Result<()> {
    let engine = engines::named(name).filter(|it| !it.is_peer()).ok_or_else(|| {
        let ours = engines::ENGINES.iter().filter(|it| !it.is_peer()).map(|it| it.name);
        let ours = ours.collect::<Vec<_>>().join(", ");
        io::Error::other(format!("{name:?} is no engine of ours: {ours}"))
    })?;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match line.split_once(' ') {
            None if line == "stop" => break,
            None if line == "hello" => {
                Ok(format!("hello {} {} fix", engine.name, env!("CARGO_PKG_VERSION")))
            }
            Some(("measure", rest)) => measure(rest, engine),
            _ => Err(format!("{line:?} is not known")),
        };
        let answer = answer.unwrap_or_else(|why| format!("error {why}"));
        output.write_all(format!("{}\n", answer.replace(char::is_control, " ")).as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// What is asked of both sides.
struct Asked<'a> {
    /// Where they keep messages, if not in memory.
    folder: Option<&'a Path>,
    trips: usize,
    orders: usize,
    dictionaries: Arc<Dictionaries>,
    config: TcpConfig,
}

/// `memory|file ROUND_TRIPS ORDERS PORT FOLDER DICTIONARY`
fn measure(words: &str, engine: &Engine) -> Result<String, String> {
    let words: Vec<&str> = words.split(' ').collect();
    let [kept, trips, orders, _, folder, dictionary] = *words else {
        return Err("measure takes memory|file ROUND_TRIPS ORDERS PORT FOLDER DICTIONARY".into());
    };
    let number = |word: &str| {
        let number = word.parse().ok().filter(|it| (1..=MOST).contains(it));
        number.ok_or_else(|| format!("{word:?} is not a number from 1 to {MOST}"))
    };
    let bytes = std::fs::read(dictionary).map_err(|error| format!("{dictionary}: {error}"))?;
    let read = Dictionary::read(dictionary, &bytes, &Limits::default());
    let read = read.map_err(|error| error.to_string())?;
    let asked = Asked {
        folder: (kept == "file").then_some(Path::new(folder)),
        trips: number(trips)?,
        orders: number(orders)?,
        dictionaries: Arc::new(Dictionaries::of(&read)),
        config: TcpConfig {
            spin: match engine.waits {
                Waits::WhileBusy => Spin::default(),
                Waits::Spinning => Spin::Always(SPIN),
                Waits::Sleeping => Spin::Never,
            },
            ..TcpConfig::default()
        },
    };
    asked.measure().map_err(|error| error.to_string())
}

/// Answers the first orders, and counts the others.
struct Exchange {
    unanswered: usize,
    expected: usize,
    done: Sender<()>,
}

impl Application for Exchange {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        if self.unanswered > 0 {
            self.unanswered -= 1;
            let mut body = b"6=0\x0111=".to_vec();
            body.extend_from_slice(message.get(11).unwrap_or_default());
            body.extend_from_slice(
                b"\x0114=0\x0117=exec\x0137=id\x0139=0\x0154=1\x0155=INTC\x01150=0\x01151=100\x01",
            );
            // What cannot be sent is missed by whoever measures.
            _ = outbox.send("8", &body);
            return Ok(());
        }
        self.expected = self.expected.saturating_sub(1);
        if self.expected == 0 {
            _ = self.done.send(());
        }
        Ok(())
    }
}

/// Sends the next order when the last is answered.
struct Fund {
    trips: usize,
    sent_at: Instant,
    times: Vec<u64>,
    body: Vec<u8>,
    logged_on: Sender<()>,
    done: Sender<Vec<u64>>,
}

impl Application for Fund {
    fn message(&mut self, _message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        self.times.push(u64::try_from(self.sent_at.elapsed().as_nanos()).unwrap_or(u64::MAX));
        match self.times.len() == self.trips {
            true => _ = self.done.send(std::mem::take(&mut self.times)),
            false => self.next(outbox),
        }
        Ok(())
    }

    fn logged_on(&mut self, outbox: &mut Outbox) {
        _ = self.logged_on.send(());
        self.next(outbox);
    }
}

impl Fund {
    fn next(&mut self, outbox: &mut Outbox) {
        self.sent_at = Instant::now();
        order(self.times.len(), outbox, &mut self.body);
        _ = outbox.send("D", &self.body);
    }
}

/// The body of an order, in the memory of the one before.
fn order(number: usize, outbox: &mut Outbox, body: &mut Vec<u8>) {
    body.clear();
    // Memory takes all.
    _ = write!(
        body,
        "11=order-{number}\u{1}21=1\u{1}38=100\u{1}40=2\u{1}44=101.25\u{1}54=1\u{1}55=INTC\u{1}60="
    );
    body.extend_from_slice(outbox.sending_time());
    body.push(SOH);
}

impl Asked<'_> {
    fn session(&self, role: Role) -> io::Result<Session> {
        let (own, other) = match role {
            Role::Acceptor => ("BANK", "FUND"),
            Role::Initiator => ("FUND", "BANK"),
        };
        let store: Box<dyn Store> = match self.folder {
            Some(folder) => {
                let folder = folder.join(own);
                std::fs::create_dir_all(&folder)?;
                let store = JournalStore::open(&folder, STORE);
                Box::new(store.map_err(|error| io::Error::other(error.to_string()))?)
            }
            None => Box::new(MemoryStore::default()),
        };
        let settings = Settings::new(role, Identity::new(Version::Fix43, own, other));
        Ok(Session::new(settings, Some(self.dictionaries.clone()), store))
    }

    /// The answer: nanoseconds until Logon, of the round trips, and orders a second.
    fn measure(&self) -> io::Result<String> {
        let (done, all) = channel();
        let exchange = Exchange { unanswered: self.trips, expected: self.orders, done };
        let exchange = Handle::new(self.session(Role::Acceptor)?, exchange);
        let refused = Arc::new(|_, why: &str| eprintln!("{why}"));
        let acceptor = Acceptor::start("127.0.0.1:0", [exchange], self.config.clone(), refused)?;
        let (logged_on, is_logged_on) = channel();
        let (done, times) = channel();
        let (sent_at, times_so_far, body) = (Instant::now(), Vec::new(), Vec::new());
        let fund = Fund { trips: self.trips, sent_at, times: times_so_far, body, logged_on, done };
        let fund = Handle::new(self.session(Role::Initiator)?, fund);
        let address = acceptor.address().to_string();
        let start = Instant::now();
        let _initiator = Initiator::start(&address, fund.clone(), self.config.clone())?;
        wait(&is_logged_on, "a Logon")?;
        let logon = start.elapsed().as_nanos();
        let mut times = wait(&times, "the answers")?;
        times.sort_unstable();
        let start = Instant::now();
        let mut body = Vec::new();
        for number in 0..self.orders {
            let waiting = fund.with(|outbox| {
                order(number, outbox, &mut body);
                outbox.send("D", &body).map(|_| outbox.waiting())
            });
            if waiting.map_err(io::Error::other)? > WAITING {
                while fund.waiting() > WAITING {
                    thread::sleep(Duration::from_micros(100));
                }
            }
        }
        wait(&all, "the orders")?;
        let rate = self.orders as f64 / start.elapsed().as_secs_f64();
        let [middle, tail] = [50, 99].map(|percent| times[times.len() * percent / 100]);
        Ok(format!("measured {logon} {middle} {tail} {}", rate as u64))
    }
}

fn wait<T>(channel: &Receiver<T>, what: &str) -> io::Result<T> {
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, format!("{what} did not come in time"));
    channel.recv_timeout(PATIENCE).map_err(late)
}
