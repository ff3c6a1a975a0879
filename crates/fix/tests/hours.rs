//! The hours of sessions, under a virtual clock.

use std::sync::{Arc, Mutex};

use trunkline_fix::{
    Application, Identity, JournalStore, MemoryStore, Message, Moment, Outbox, Refusal, Role,
    Schedule, SendError, Session, Settings, Store, Version,
};
use trunkline_journal::Disk;
use trunkline_journal::simulated::SimulatedDisk;
use trunkline_random::Random;

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600 * SECOND;

/// Thursday, 2026-11-26, 00:00 UTC.
const THURSDAY: i64 = 1_795_651_200 * SECOND;

#[derive(Default)]
struct Told {
    endings: Vec<String>,
    taken: u64,
    bodies: Vec<String>,
    /// Bodies of what may not have arrived.
    lost: Vec<String>,
    /// Whether it sends these once more.
    sends_once_more: bool,
}

impl Application for Told {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        self.taken += 1;
        self.bodies.push(body_of(message));
        Ok(())
    }

    fn logged_out(&mut self, reason: &str) {
        self.endings.push(reason.to_owned());
    }

    fn undelivered(&mut self, message: Message<'_>, outbox: &mut Outbox) {
        self.lost.push(body_of(message));
        if self.sends_once_more {
            outbox.send("D", message.body_bytes()).expect("it waits for the Logon");
        }
    }
}

fn body_of(message: Message<'_>) -> String {
    String::from_utf8_lossy(message.body_bytes()).replace('\u{1}', "|")
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
        self.order(side, "a")
    }

    fn order(&mut self, side: usize, id: &str) -> Result<u64, SendError> {
        let now = self.now();
        let body = format!("11={id}\u{1}");
        let sent = self.sides[side].0.send(now, |outbox| outbox.send("D", body.as_bytes()));
        self.settle();
        sent
    }

    fn cut(&mut self) {
        let now = self.now();
        self.sides.iter_mut().for_each(|(session, told)| session.disconnected(now, told));
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
fn what_may_not_have_arrived_is_told_when_numbers_begin_anew() {
    let mut pair = Pair::new([Some(day()), Some(day())], THURSDAY + 9 * HOUR);
    pair.connect();
    pair.order(0, "delivered").expect("it is up");
    pair.cut();
    // The next connection brings it.
    pair.order(0, "late").expect("it waits");
    pair.connect();
    assert_eq!(pair.sides[1].1.taken, 2);
    // Heartbeats tell that it has arrived.
    pair.go_on_to(THURSDAY + 9 * HOUR + HOUR / 10);
    // This one does not get through before the connection breaks, and these wait for one that does not come.
    let now = pair.now();
    pair.sides[0].0.send(now, |outbox| outbox.send("D", b"11=cut\x01")).expect("it is up");
    let (session, told) = &mut pair.sides[0];
    session.sent(session.output().len() - 10, told);
    pair.cut();
    for id in ["first", "second"] {
        pair.order(0, id).expect("it waits");
    }
    pair.utc = THURSDAY + 33 * HOUR;
    assert!(pair.sides[0].1.lost.is_empty(), "they could still arrive");
    pair.connect();
    assert!(pair.is_up());
    assert_eq!(pair.sides[0].1.lost, ["11=cut|", "11=first|", "11=second|"]);
    assert!(pair.sides[1].1.lost.is_empty());
    assert_eq!(pair.sides[1].1.taken, 2);
    // It is told once, and can be sent once more.
    pair.cut();
    pair.order(0, "third").expect("it waits");
    pair.utc = THURSDAY + 4 * 24 * HOUR + 9 * HOUR;
    pair.sides[0].1.sends_once_more = true;
    pair.connect();
    assert_eq!(pair.sides[0].1.lost[3..], ["11=third|"]);
    pair.go_on_to(pair.utc + HOUR / 10);
    assert_eq!(pair.sides[1].1.taken, 3);
    pair.cut();
    pair.utc += 24 * HOUR;
    pair.connect();
    assert_eq!(pair.sides[0].1.lost.len(), 4, "it has arrived");
}

/// Whatever breaks, and whenever: what was accepted is taken by the other side, or told to the application.
#[test]
fn nothing_that_was_accepted_is_lost_untold() {
    let (mut all, mut told) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let disk = SharedDisk(Arc::new(Mutex::new(SimulatedDisk::new(seed))));
        let fund = |schedule| {
            let store = JournalStore::on(Box::new(disk.clone()), 256 << 10).expect("it opens");
            Session::new(settings(Role::Initiator, schedule), None, Box::new(store))
        };
        let mut pair = Pair::new([Some(day()), Some(day())], THURSDAY + 9 * HOUR);
        pair.sides[0].0 = fund(Some(day()));
        let mut accepted = Vec::new();
        for number in 0..60 {
            let id = format!("{seed}-{number}");
            match random.below(10) {
                0..4 => {
                    if pair.order(0, &id).is_ok() {
                        accepted.push(format!("11={id}|"));
                    }
                }
                // It is on its way, as far as it gets, when the connection breaks or the process ends.
                it @ 4..6 => {
                    let (now, [fund_side, bank]) = (pair.now(), &mut pair.sides);
                    let body = format!("11={id}\u{1}");
                    if fund_side.0.send(now, |it| it.send("D", body.as_bytes())).is_ok() {
                        accepted.push(format!("11={id}|"));
                    }
                    let bytes = fund_side.0.output().to_vec();
                    let length = random.below(bytes.len() as u64 + 1) as usize;
                    fund_side.0.sent(length, &mut fund_side.1);
                    if random.below(2) == 0 {
                        bank.0.received(now, &bytes[..length], &mut bank.1);
                    }
                    pair.cut();
                    if it == 5 {
                        pair.sides[0].0 = fund(Some(day()));
                    }
                }
                6 if !pair.sides[0].0.is_connected() => pair.connect(),
                6 => pair.cut(),
                7 => pair.go_on_to(pair.utc + HOUR / 60),
                _ => {
                    pair.go_on_to(pair.utc + 3 * HOUR);
                    if !pair.sides[0].0.is_connected() {
                        pair.connect();
                    }
                }
            }
        }
        // The next period begins anew.
        pair.cut();
        pair.utc += 7 * 24 * HOUR;
        while pair.sides[0].0.opens_in(pair.now()) != Some(0) {
            pair.utc += HOUR;
        }
        pair.connect();
        let [(_, fund_told), (_, bank)] = &pair.sides;
        for body in &accepted {
            let is_told = fund_told.lost.contains(body);
            assert!(is_told || bank.bodies.contains(body), "{body} is lost in silence");
            told += usize::from(is_told);
        }
        all += accepted.len();
    }
    assert!(told > 100 && told * 2 < all, "{told} of {all}");
}

#[test]
fn a_logon_that_begins_anew_tells_what_may_not_have_arrived_too() {
    let mut pair = Pair::new([None, None], THURSDAY);
    pair.connect();
    pair.cut();
    pair.order(1, "waits").expect("it waits");
    let mut fresh = settings(Role::Initiator, None);
    fresh.reset_on_logon = true;
    pair.sides[0].0 = Session::new(fresh, None, Box::new(MemoryStore::default()));
    pair.connect();
    assert!(pair.is_up());
    assert_eq!(pair.sides[1].1.lost, ["11=waits|"]);
    assert_eq!(pair.sides[0].1.taken, 0);
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
        let mut told = Told::default();
        session.disconnected(now, &mut told);
        (refused, numbers.0, told.lost.len())
    };
    // Each has sent its Logon, and what came before, if that is of the same hours; what nobody has is told.
    assert_eq!(numbers_at(THURSDAY + 9 * HOUR), (true, 2, 0));
    assert_eq!(numbers_at(THURSDAY + 10 * HOUR), (false, 4, 0));
    assert_eq!(numbers_at(THURSDAY + 16 * HOUR), (false, 6, 0));
    assert_eq!(numbers_at(THURSDAY + 33 * HOUR), (true, 2, 2));
    assert_eq!(numbers_at(THURSDAY + 34 * HOUR), (false, 4, 0));
    // One that is accepted, and then the process ends.
    let store = JournalStore::on(Box::new(disk.clone()), 256 << 10).expect("it opens");
    let mut session = Session::new(settings(Role::Initiator, Some(day())), None, Box::new(store));
    let now = Moment { monotonic: 0, utc: THURSDAY + 35 * HOUR };
    session.send(now, |outbox| outbox.send("D", b"11=b\x01")).expect("it waits");
    drop(session);
    assert_eq!(numbers_at(THURSDAY + (4 * 24 + 9) * HOUR), (true, 2, 2));
}
