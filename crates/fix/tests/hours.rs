//! The hours of sessions, under a virtual clock.

use std::sync::{Arc, Mutex};

use trunkline_fix::{
    Application, Identity, JournalStore, MemoryStore, Message, Moment, Outbox, Refusal, Role,
    Schedule, SendError, Session, Settings, Store, Version,
};
use trunkline_journal::Disk;
use trunkline_journal::simulated::SimulatedDisk;

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600 * SECOND;

/// Thursday, 2026-11-26, 00:00 UTC.
const THURSDAY: i64 = 1_795_651_200 * SECOND;

#[derive(Default)]
struct Told {
    endings: Vec<String>,
    taken: u64,
}

impl Application for Told {
    fn message(&mut self, _message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        self.taken += 1;
        Ok(())
    }

    fn logged_out(&mut self, reason: &str) {
        self.endings.push(reason.to_owned());
    }
}

/// Two sides at a time of the day.
struct Pair {
    sides: [(Session, Told); 2],
    utc: i64,
}

fn settings(role: Role, schedule: Option<Schedule>) -> Settings {
    let (own, other) = match role {
        Role::Initiator => ("FUND", "BANK"),
        Role::Acceptor => ("BANK", "FUND"),
    };
    let mut settings = Settings::new(role, Identity::new(Version::Fix44, own, other));
    settings.schedule = schedule;
    settings
}

impl Pair {
    fn new(schedules: [Option<Schedule>; 2], utc: i64) -> Self {
        let roles = [Role::Initiator, Role::Acceptor];
        let sides = roles.into_iter().zip(schedules).map(|(role, schedule)| {
            let store = Box::new(MemoryStore::default());
            (Session::new(settings(role, schedule), None, store), Told::default())
        });
        let sides: Vec<_> = sides.collect();
        Self { sides: sides.try_into().unwrap_or_else(|_| panic!("two sides")), utc }
    }

    fn now(&self) -> Moment {
        Moment { monotonic: (self.utc - THURSDAY) as u64, utc: self.utc }
    }

    fn connect(&mut self) {
        let now = self.now();
        self.sides.iter_mut().for_each(|it| it.0.connected(now));
        self.settle();
    }

    /// Carries what is sent until nothing is, and ends what is over.
    fn settle(&mut self) {
        let now = self.now();
        loop {
            let mut has_carried = false;
            for from in 0..2 {
                let (session, told) = &mut self.sides[from];
                session.advance(now, told);
                let bytes = session.output().to_vec();
                session.sent(bytes.len(), told);
                has_carried |= !bytes.is_empty();
                let (session, told) = &mut self.sides[1 - from];
                session.received(now, &bytes, told);
            }
            if !has_carried {
                break;
            }
        }
        if self.sides.iter().any(|it| it.0.is_over()) {
            self.sides.iter_mut().for_each(|(session, told)| session.disconnected(now, told));
        }
    }

    /// Goes on to a time, and stops wherever a side has something to do.
    fn go_on_to(&mut self, utc: i64) {
        while let Some(due) = self.sides.iter().filter_map(|it| it.0.deadline()).min() {
            if THURSDAY + due as i64 > utc {
                break;
            }
            self.utc = self.utc.max(THURSDAY + due as i64);
            self.settle();
        }
        self.utc = utc;
    }

    fn is_up(&self) -> bool {
        self.sides.iter().all(|it| it.0.is_logged_on())
    }

    fn send(&mut self, side: usize) -> Result<u64, SendError> {
        let now = self.now();
        let sent = self.sides[side].0.send(now, |outbox| outbox.send("D", b"11=a\x01"));
        self.settle();
        sent
    }
}

fn day() -> Schedule {
    Schedule::daily("mon-fri", "08:00", "17:00", "UTC").expect("a schedule")
}

#[test]
fn a_session_is_logged_out_at_the_end_and_begins_anew_the_next_day() {
    let mut pair = Pair::new([None, Some(day())], THURSDAY + 9 * HOUR);
    pair.connect();
    assert!(pair.is_up());
    assert_eq!(pair.send(0).expect("it is up"), 2);
    // A connection that breaks within the hours goes on with its numbers.
    let now = pair.now();
    pair.sides.iter_mut().for_each(|(session, told)| session.disconnected(now, told));
    pair.go_on_to(THURSDAY + 10 * HOUR);
    pair.connect();
    assert_eq!(pair.sides.each_ref().map(|it| it.0.numbers()), [(4, 3), (3, 4)]);
    pair.go_on_to(THURSDAY + 17 * HOUR - 1);
    assert!(pair.is_up(), "to the last moment");
    pair.go_on_to(THURSDAY + 17 * HOUR);
    assert!(!pair.is_up());
    let of = |pair: &Pair, side: usize| pair.sides[side].1.endings.last().cloned().expect("an end");
    assert_eq!(of(&pair, 0), "the other side has logged out: the hours of the session are over");
    assert_eq!(of(&pair, 1), "the hours of the session are over");
    // What is sent now could never arrive, and is not taken.
    assert!(matches!(pair.send(1), Err(SendError::NotLoggedOn)));
    pair.go_on_to(THURSDAY + 18 * HOUR);
    pair.connect();
    assert!(!pair.is_up());
    assert_eq!(
        of(&pair, 0),
        "the other side refuses the Logon: it is outside of the session's hours, which begin in 50400 s"
    );
    // The acceptor begins anew, and the initiator, who knows of no hours, has to be told to.
    pair.go_on_to(THURSDAY + 32 * HOUR);
    let fresh = Pair::new([None, None], pair.utc);
    let [initiator, _] = fresh.sides;
    pair.sides[0] = initiator;
    pair.connect();
    assert!(pair.is_up(), "{:?}", pair.sides[1].1.endings);
    assert_eq!(pair.sides[1].0.numbers(), (2, 2));
}

#[test]
fn both_sides_begin_anew_by_their_hours_over_a_weekend_and_a_change_of_clocks() {
    let new_york =
        || Schedule::daily("mon-fri", "08:00", "17:00", "America/New_York").expect("a schedule");
    // Thursday, 2026-03-05: from Sunday on New York is an hour earlier in UTC.
    let thursday = THURSDAY - 266 * 24 * HOUR;
    let mut pair = Pair::new([Some(new_york()), Some(new_york())], THURSDAY);
    pair.utc = thursday + 14 * HOUR;
    let at = |utc: i64| Moment { monotonic: 0, utc };
    let opens_in = |pair: &Pair| pair.sides[0].0.opens_in(at(pair.utc)).map(|it| it as i64);
    assert_eq!(opens_in(&pair), Some(0));
    pair.utc = thursday + 24 * HOUR + 22 * HOUR;
    // Friday at 17:00 to Monday at 8:00 has an hour less.
    assert_eq!(opens_in(&pair), Some(62 * HOUR));
    // An initiator that is connected all the same says nothing.
    let (session, told) = &mut pair.sides[0];
    session.connected(at(pair.utc));
    session.advance(at(pair.utc), told);
    assert!(session.output().is_empty() && session.is_over());
    assert_eq!(told.endings, ["it is outside of the session's hours"]);
}

#[test]
fn a_week_is_one_session_and_an_hour_that_ends_before_a_logon_ends_the_wait() {
    let week = || Schedule::weekly("mon 08:00", "fri 17:00", "UTC").expect("a schedule");
    let mut pair = Pair::new([Some(week()), Some(week())], THURSDAY + 20 * HOUR);
    pair.connect();
    assert!(pair.is_up());
    pair.send(0).expect("it is up");
    pair.go_on_to(THURSDAY + 40 * HOUR);
    assert!(pair.is_up(), "over the night");
    pair.go_on_to(THURSDAY + 41 * HOUR);
    assert!(!pair.is_up());
    pair.utc = THURSDAY + 4 * 24 * HOUR + 8 * HOUR;
    pair.connect();
    assert!(pair.is_up());
    assert_eq!(pair.sides.each_ref().map(|it| it.0.numbers()), [(2, 2), (2, 2)]);
    assert_eq!(pair.sides[1].1.taken, 1);
}

/// A disk that outlives the process.
#[derive(Clone)]
struct SharedDisk(Arc<Mutex<SimulatedDisk>>);

impl SharedDisk {
    fn with<T>(&self, work: impl FnOnce(&mut SimulatedDisk) -> T) -> T {
        work(&mut self.0.lock().expect("no panic before"))
    }
}

impl Disk for SharedDisk {
    fn names(&mut self) -> std::io::Result<Vec<String>> {
        self.with(|it| it.names())
    }

    fn length(&mut self, name: &str) -> std::io::Result<u64> {
        self.with(|it| it.length(name))
    }

    fn create(&mut self, name: &str, head: &[u8], bytes: u64) -> std::io::Result<()> {
        self.with(|it| it.create(name, head, bytes))
    }

    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
        self.with(|it| it.write(name, offset, bytes))
    }

    fn replace(&mut self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.with(|it| it.replace(name, bytes))
    }

    fn truncate(&mut self, name: &str, bytes: u64) -> std::io::Result<()> {
        self.with(|it| it.truncate(name, bytes))
    }

    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.with(|it| it.read(name, offset, buffer))
    }

    fn remove(&mut self, name: &str) -> std::io::Result<()> {
        self.with(|it| it.remove(name))
    }
}

#[test]
fn a_process_that_starts_again_knows_of_which_hours_its_numbers_are() {
    let disk = SharedDisk(Arc::new(Mutex::new(SimulatedDisk::new(3))));
    let numbers_at = |utc: i64| {
        let store = JournalStore::on(Box::new(disk.clone()), 256 << 10).expect("it opens");
        let store: Box<dyn Store> = Box::new(store);
        let mut session = Session::new(settings(Role::Initiator, Some(day())), None, store);
        let now = Moment { monotonic: 0, utc };
        let refused = session.send(now, |outbox| outbox.send("D", b"11=a\x01")).is_err();
        session.connected(now);
        let numbers = session.numbers();
        session.disconnected(now, &mut Told::default());
        (refused, numbers.0)
    };
    // Each has sent its Logon, and what came before, if that is of the same hours.
    assert_eq!(numbers_at(THURSDAY + 9 * HOUR), (true, 2));
    assert_eq!(numbers_at(THURSDAY + 10 * HOUR), (false, 4));
    assert_eq!(numbers_at(THURSDAY + 16 * HOUR), (false, 6));
    assert_eq!(numbers_at(THURSDAY + 33 * HOUR), (true, 2));
    assert_eq!(numbers_at(THURSDAY + 34 * HOUR), (false, 4));
}
