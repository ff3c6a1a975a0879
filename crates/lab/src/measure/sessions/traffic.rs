//! Prices that sessions and clients publish at a rate, and whoever gets them. Each has a number, from which follows when it was due.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use trunkline_client::{Client, Event, Options, Subscribe, format};
use trunkline_fix::tcp::{Handle, Initiator, TcpConfig};
use trunkline_fix::{
    Application, Identity, MemoryStore, Message, Outbox, Refusal, Role, Session, Settings, Version,
};

use super::router::{READER, ROUTER, Router, source};
use crate::end::paced;
use trunkline_bench::clock::{RealClock, monotonic_nanoseconds};
use trunkline_bench::histogram::Times;

/// How long a Logon, a subscription, or room for what is sent may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Whoever gets no more for so long has all that comes, once all is sent: of what is conflated, and of what is told of where it is
/// lost.
const SILENCE: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(10)];

/// Between the order to begin and the first message.
const LEAD: u64 = 2_000_000;

/// Bytes that may wait for a session's connection: more only makes what follows late.
const WAITING: usize = 1 << 20;

/// How a price begins: what follows is its number.
const FIX: &[u8] = b"\x01270=";

/// How its size begins.
const SIZE: &[u8] = b"\x01271=";

/// The sizes of prices: each once in a hundred that follow one another.
pub(super) const SIZES: Range<u64> = 100..200;

/// What is looked for in messages.
struct Marks {
    /// How their number begins; none in binary formats, whose messages are counted alone.
    number: Option<Finder<'static>>,
    /// How what is not wanted begins.
    left_out: Option<Finder<'static>>,
}

impl Marks {
    /// Of those that are wanted so: without their size, if not all fields are.
    fn new(wanted: &Subscribe) -> Self {
        let number = match wanted.format {
            None => Some(FIX),
            Some(format::JSON) => Some(&b"\"MDEntryPx\":"[..]),
            Some(format::SOAP_11) => Some(&b"MDEntryPx>"[..]),
            Some(_) => None,
        };
        let left_out = wanted.fields.as_ref().map(|_| SIZE);
        let finder = |it: &[u8]| Finder::new(it).into_owned();
        Self { number: number.map(finder), left_out: left_out.map(finder) }
    }
}

/// A run: messages from one number on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    first: u64,
    pub(super) count: u64,
    rate: f64,
    /// When the first is due, on the monotonic clock.
    start: u64,
    /// Symbols take turns.
    symbols: u64,
}

impl Plan {
    fn due(&self, number: u64) -> u64 {
        self.start + ((number - self.first) as f64 * 1e9 / self.rate) as u64
    }

    /// How many messages have one of these sizes.
    fn count_of(&self, sizes: &Range<u64>) -> u64 {
        let (hundreds, rest) = (self.count / 100, self.count % 100);
        let rest = (self.first..self.first + rest).filter(|it| sizes.contains(&size(*it)));
        hundreds * (sizes.end - sizes.start) + rest.count() as u64
    }

    /// Numbers that count for latencies: the first tenth does not.
    fn counts(&self, number: u64) -> bool {
        number >= self.first + self.count / 10
    }
}

/// The body of a price of a symbol: an entry whose price is the number.
pub(super) fn price(symbol: u64, number: u64) -> Vec<u8> {
    let size = size(number);
    format!("55=S{symbol}\u{1}268=1\u{1}269=0\u{1}270={number}\u{1}271={size}\u{1}").into_bytes()
}

/// The size of the price of a number: those of a range of sizes lie among the others.
fn size(number: u64) -> u64 {
    SIZES.start + number % 100 * 37 % 100
}

/// What one receiver got in a run.
#[derive(Debug, Default)]
pub(super) struct Came {
    plan: Option<Plan>,
    pub(super) times: Times,
    pub(super) messages: u64,
    /// Those that are to come.
    pub(super) expected: u64,
    /// The sizes of those that are.
    sizes: Range<u64>,
    /// Those of which the router says that they are lost.
    gaps: u64,
    /// Messages of a symbol that came before one that was sent earlier, those without a number, and those that are not as
    /// they are wanted.
    pub(super) wrong: u64,
    /// By symbol, the number behind the last.
    next: Vec<u64>,
    last_at: Option<Instant>,
    /// From when the first was due until the last came, in nanoseconds.
    pub(super) nanoseconds: u64,
}

impl Came {
    fn note(&mut self, payload: &[u8], marks: &Marks) {
        let Some(plan) = self.plan else { return };
        let now = monotonic_nanoseconds();
        let Some(marker) = &marks.number else {
            self.came(plan, now);
            return;
        };
        let digits = marker.find(payload).map(|at| &payload[at + marker.needle().len()..]);
        let digits = digits.unwrap_or_default().iter().skip_while(|it| **it == b'"');
        let number = digits
            .take_while(|it| it.is_ascii_digit())
            .fold(0, |number: u64, digit| number.saturating_mul(10) + u64::from(digit - b'0'));
        // What is left of another run is nobody's.
        if !(plan.first..plan.first + plan.count).contains(&number) {
            self.wrong += u64::from(number == 0);
            return;
        }
        self.came(plan, now);
        let symbol = (number % plan.symbols) as usize;
        let is_unwanted = !self.sizes.contains(&size(number))
            || marks.left_out.as_ref().is_some_and(|it| it.find(payload).is_some());
        self.wrong += u64::from(number < self.next[symbol] || is_unwanted);
        self.next[symbol] = number + 1;
        if plan.counts(number) {
            self.times.record(now.saturating_sub(plan.due(number)));
        }
    }
}

impl Came {
    fn came(&mut self, plan: Plan, now: u64) {
        self.messages += 1;
        self.last_at = Some(Instant::now());
        self.nanoseconds = now.saturating_sub(plan.start);
    }

    /// Messages a second.
    pub(super) fn rate(&self) -> f64 {
        self.messages as f64 * 1e9 / self.nanoseconds.max(1) as f64
    }
}

type Shared = Arc<Mutex<Came>>;

fn locked(came: &Shared) -> MutexGuard<'_, Came> {
    came.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Somebody who gets prices, on a thread of its own.
pub(super) struct Receiver {
    came: Shared,
    silence: Duration,
    /// Sizes of the messages that are to come.
    sizes: Range<u64>,
    /// What keeps it going: it ends with one of these.
    _client: Option<ClientThread>,
    _session: Option<Initiator>,
}

struct ClientThread {
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ClientThread {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

impl Receiver {
    /// A client that gets every message of a pattern.
    pub(super) fn client(router: &Router, pattern: &str, how: &Subscribe) -> Result<Self, String> {
        let told = |error: trunkline_client::Error| error.to_string();
        let mut client =
            Client::connect(&router.native, &Options::named("subscriber")).map_err(told)?;
        client.subscribe(pattern, how).map_err(told)?;
        let (came, is_stopped) = (Shared::default(), Arc::<AtomicBool>::default());
        let (own, stop) = (came.clone(), is_stopped.clone());
        let marks = Marks::new(how);
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                // What breaks is missed by whoever measures.
                let received =
                    client.receive(Some(Duration::from_millis(50)), &mut |event| match event {
                        Event::Message(it) => locked(&own).note(it.payload, &marks),
                        Event::Gap(it) => locked(&own).gaps += it.count,
                        _ => {}
                    });
                if received.is_err() {
                    break;
                }
            }
        });
        let client = ClientThread { is_stopped, thread: Some(thread) };
        let (silence, sizes) = (SILENCE[1], SIZES);
        Ok(Self { came, silence, sizes, _client: Some(client), _session: None })
    }

    /// The same where only messages of these sizes are to come.
    pub(super) fn of_sizes(self, sizes: Range<u64>) -> Self {
        Self { sizes, ..self }
    }

    /// A session that asks for the prices of so many symbols.
    pub(super) fn session(router: &Router, symbols: u32) -> Result<Self, String> {
        let came = Shared::default();
        let marks = Marks::new(&Subscribe::newest());
        let reader = Reader { symbols, came: came.clone(), marks };
        let initiator = connected(router, READER, reader)?;
        let (silence, sizes) = (SILENCE[0], SIZES);
        Ok(Self { came, silence, sizes, _client: None, _session: Some(initiator) })
    }

    /// From now on it is about this run.
    pub(super) fn begin(&self, plan: Plan) {
        let next = vec![0; plan.symbols as usize];
        let (expected, sizes) = (plan.count_of(&self.sizes), self.sizes.clone());
        let (plan, begun) = (Some(plan), Came::default());
        *locked(&self.came) = Came { plan, expected, sizes, next, ..begun };
    }

    /// What came of the run, once all has, or nothing more does.
    pub(super) fn end(&self) -> Came {
        let sent = Instant::now();
        loop {
            let mut came = locked(&self.came);
            let quiet_since = came.last_at.map_or(sent, |it| it.max(sent));
            let is_known = came.messages + came.gaps >= came.expected;
            if is_known || quiet_since.elapsed() > self.silence {
                return std::mem::take(&mut came);
            }
            drop(came);
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Asks for market data, and looks at what comes.
struct Reader {
    symbols: u32,
    came: Shared,
    marks: Marks,
}

impl Application for Reader {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        if message.message_type() == b"W" {
            locked(&self.came).note(message.bytes(), &self.marks);
        }
        Ok(())
    }

    fn logged_on(&mut self, outbox: &mut Outbox) {
        let mut body = format!(
            "262=prices\u{1}263=1\u{1}264=1\u{1}267=1\u{1}269=0\u{1}146={}\u{1}",
            self.symbols
        );
        (0..self.symbols).for_each(|symbol| body.push_str(&format!("55=S{symbol}\u{1}")));
        // Who gets nothing is missed by whoever measures.
        _ = outbox.send("V", body.as_bytes());
    }
}

/// Sessions that publish.
pub(super) struct Sources {
    sessions: Vec<Initiator>,
    refused: Arc<AtomicU64>,
}

/// Counts what is refused.
struct Source(Arc<AtomicU64>);

impl Application for Source {
    fn message(&mut self, _message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn rejected(&mut self, _message: Message<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Sources {
    /// So many, all logged on.
    pub(super) fn connect(router: &Router, count: u32) -> Result<Self, String> {
        let refused = Arc::<AtomicU64>::default();
        let sessions: Result<_, String> = (0..count)
            .map(|number| connected(router, &source(number), Source(refused.clone())))
            .collect();
        Ok(Self { sessions: sessions?, refused })
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.sessions.len() as u64
    }

    /// Messages that were refused since the last look.
    pub(super) fn refused(&self) -> u64 {
        self.refused.swap(0, Ordering::Relaxed)
    }

    /// Sends one of a run in a session.
    fn send(&self, session: u64, symbol: u64, number: u64) -> Result<(), String> {
        let session = self.sessions[session as usize].session();
        session.send("W", &price(symbol, number)).map_err(|error| error.to_string())?;
        let since = Instant::now();
        while session.waiting() > WAITING {
            if since.elapsed() > PATIENCE {
                return Err("the router takes nothing of a session".into());
            }
            thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    /// Sends all of a run, in each session the prices of its own symbol; says how many went out in a second.
    pub(super) fn run(&self, plan: Plan) -> Result<f64, String> {
        sent_by(plan, |number| {
            let symbol = number % self.count();
            self.send(symbol, symbol, number)
        })
    }

    /// The same with the prices of one symbol, in the first session.
    pub(super) fn run_of(&self, symbol: u64, plan: Plan) -> Result<f64, String> {
        sent_by(plan, |number| self.send(0, symbol, number))
    }
}

/// Lets the messages of a run be sent, each when it is due; says how many were in a second.
pub(super) fn sent_by(
    plan: Plan,
    mut send: impl FnMut(u64) -> Result<(), String>,
) -> Result<f64, String> {
    let mut number = plan.first;
    let moments = (plan.first..plan.first + plan.count).map(|it| plan.due(it));
    paced(&RealClock, moments, || {
        number += 1;
        send(number - 1)
    })?;
    let took = monotonic_nanoseconds().saturating_sub(plan.start);
    Ok(plan.count as f64 * 1e9 / took.max(1) as f64)
}

/// Numbers for runs, so that no message is taken for one of another run.
#[derive(Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new() -> Self {
        // A message without a number has 0.
        Self(1_000)
    }

    /// A run at a rate that begins soon, over so many symbols.
    pub(super) fn plan(&mut self, rate: u32, milliseconds: u32, symbols: u64) -> Plan {
        let count = (f64::from(rate) * f64::from(milliseconds) / 1e3).max(50.0) as u64;
        let first = self.0;
        self.0 += count;
        let start = monotonic_nanoseconds() + LEAD;
        Plan { first, count, rate: rate.into(), start, symbols }
    }
}

/// A session that is logged on.
fn connected(
    router: &Router,
    name: &str,
    application: impl Application + Send + 'static,
) -> Result<Initiator, String> {
    let settings = Settings::new(Role::Initiator, Identity::new(Version::Fix43, name, ROUTER));
    let session = Session::new(settings, None, Box::new(MemoryStore::with_bytes(1 << 20)));
    let session = Handle::new(session, application);
    let initiator = Initiator::start(&router.fix, session, TcpConfig::default());
    let initiator = initiator.map_err(|error| error.to_string())?;
    let since = Instant::now();
    while !initiator.session().is_logged_on() {
        if since.elapsed() > PATIENCE {
            return Err(format!("{name} does not log on"));
        }
        thread::sleep(Duration::from_micros(200));
    }
    Ok(initiator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_hundred_messages_each_size_is_of_one() {
        let plan = |first, count| Plan { first, count, rate: 1.0, start: 0, symbols: 1 };
        for (first, count) in [(0, 100), (1_000, 250), (1_234, 99), (1_277, 1_001)] {
            for sizes in [SIZES, 120..170, 100..101, 199..200, 100..100] {
                let numbers = first..first + count;
                let all = numbers.filter(|it| sizes.contains(&size(*it))).count() as u64;
                assert_eq!(plan(first, count).count_of(&sizes), all, "{first} {count} {sizes:?}");
            }
        }
        let mut sizes = SIZES;
        assert!(sizes.all(|it| plan(1_234, 100).count_of(&(it..it + 1)) == 1));
        // No long run of one half comes before the other.
        for first in 0..100 {
            assert!((3..=7).contains(&plan(first, 10).count_of(&(100..150))), "{first}");
        }
    }

    #[test]
    fn what_is_not_as_it_is_wanted_is_wrong() {
        let plan = Numbers::new().plan(1, 1, 1);
        let wanted = Subscribe::every().fields("Symbol");
        let of = |sizes: Range<u64>, how: &Subscribe, payload: &[u8]| {
            let mut came = Came { plan: Some(plan), sizes, next: vec![0], ..Came::default() };
            came.note(payload, &Marks::new(how));
            (came.messages, came.wrong)
        };
        let number = plan.first;
        let whole = [b"35=W\x01".to_vec(), price(0, number)].concat();
        let part = &whole[..whole.len() - b"271=100\x01".len()];
        assert_eq!(of(SIZES, &Subscribe::every(), &whole), (1, 0));
        assert_eq!(of(SIZES, &wanted, part), (1, 0));
        assert_eq!(of(SIZES, &wanted, &whole), (1, 1));
        let size = size(number);
        assert_eq!(of(size..size + 1, &Subscribe::every(), &whole), (1, 0));
        assert_eq!(of(size + 1..200, &Subscribe::every(), &whole), (1, 1));
    }
}
