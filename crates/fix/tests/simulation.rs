//! Two sessions over a network that breaks anywhere, and bytes that nobody expects.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex};

use trunkline_fix::{
    Application, Identity, JournalStore, MemoryStore, Message, Moment, Notice, Outbox, Refusal,
    Role, Session, Settings, Store, Version,
};
use trunkline_journal::Disk;
use trunkline_journal::simulated::SimulatedDisk;
use trunkline_random::Random;

const SECOND: u64 = 1_000_000_000;

/// 2026-11-26.
const UTC: i64 = 1_795_651_200_000_000_000;

#[derive(Default)]
struct Orders {
    taken: Vec<(u64, String, bool)>,
    endings: Vec<String>,
}

impl Application for Orders {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        let id = String::from_utf8_lossy(message.get(11).unwrap_or_default()).into_owned();
        let number = message.sequence_number().expect("a number");
        self.taken.push((number, id, message.is_possible_duplicate()));
        Ok(())
    }

    fn logged_out(&mut self, reason: &str) {
        self.endings.push(reason.to_owned());
    }

    fn noticed(&mut self, notice: Notice<'_>) {
        assert!(!matches!(notice, Notice::Garbled(_) | Notice::Refused { .. }), "{notice:?}");
    }
}

/// A disk that outlives the process.
#[derive(Clone)]
struct SharedDisk(Arc<Mutex<SimulatedDisk>>);

impl SharedDisk {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(SimulatedDisk::new(1))))
    }

    fn store(&self) -> Box<dyn Store> {
        Box::new(JournalStore::on(Box::new(self.clone()), 256 << 10).expect("it opens"))
    }

    fn store_behind(&self, seed: u64) -> Box<dyn Store> {
        let store = JournalStore::on(Box::new(self.clone()), 256 << 10).expect("it opens");
        Box::new(Behind { store, asked: 0, stored: 0, random: Random::new(seed) })
    }
}

/// A store whose disk is behind: what was asked for is there some time later, or lost with the process.
struct Behind {
    store: JournalStore,
    asked: u64,
    stored: u64,
    random: Random,
}

impl Store for Behind {
    fn next_sender(&self) -> u64 {
        self.store.next_sender()
    }

    fn next_target(&self) -> u64 {
        self.store.next_target()
    }

    fn set_next_target(&mut self, number: u64) -> io::Result<()> {
        self.store.set_next_target(number)
    }

    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
        self.store.save(message)
    }

    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
        self.store.load(from, message)
    }

    fn reset(&mut self, utc: i64) -> io::Result<()> {
        self.store.reset(utc)
    }

    fn began(&self) -> Option<i64> {
        self.store.began()
    }

    fn sync(&mut self) -> io::Result<u64> {
        self.asked += 1;
        Ok(self.asked)
    }

    fn stored(&mut self) -> io::Result<u64> {
        if self.random.below(5) == 0 {
            self.store.wait()?;
            self.stored = self.asked;
        }
        Ok(self.stored)
    }
}

impl Disk for SharedDisk {
    fn names(&mut self) -> io::Result<Vec<String>> {
        self.0.lock().expect("no panic before").names()
    }

    fn length(&mut self, name: &str) -> io::Result<u64> {
        self.0.lock().expect("no panic before").length(name)
    }

    fn create(&mut self, name: &str, head: &[u8], bytes: u64) -> io::Result<()> {
        self.0.lock().expect("no panic before").create(name, head, bytes)
    }

    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().expect("no panic before").write(name, offset, bytes)
    }

    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().expect("no panic before").replace(name, bytes)
    }

    fn truncate(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        self.0.lock().expect("no panic before").truncate(name, bytes)
    }

    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic before").read(name, offset, buffer)
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        self.0.lock().expect("no panic before").remove(name)
    }
}

struct Side {
    disk: SharedDisk,
    session: Session,
    application: Orders,
    /// What is on its way to it.
    incoming: Vec<u8>,
    sent: Vec<(u64, String)>,
}

impl Side {
    fn new(role: Role, settings: impl FnOnce(&mut Settings)) -> Self {
        let (own, other) = match role {
            Role::Acceptor => ("BANK", "FUND"),
            Role::Initiator => ("FUND", "BANK"),
        };
        let mut of_role = Settings::new(role, Identity::new(Version::Fix44, own, other));
        settings(&mut of_role);
        let disk = SharedDisk::new();
        Self {
            session: Session::new(of_role, None, disk.store()),
            disk,
            application: Orders::default(),
            incoming: Vec::new(),
            sent: Vec::new(),
        }
    }
}

struct Network {
    sides: [Side; 2],
    now: u64,
    is_up: bool,
}

impl Network {
    fn moment(&self) -> Moment {
        Moment { monotonic: self.now, utc: UTC + self.now as i64 }
    }

    fn connect(&mut self) {
        let now = self.moment();
        self.is_up = true;
        // The acceptor is there when the first bytes come.
        for side in &mut self.sides {
            side.incoming.clear();
            side.session.connected(now);
        }
    }

    fn cut(&mut self) {
        let now = self.moment();
        self.is_up = false;
        for Side { session, application, incoming, .. } in &mut self.sides {
            session.disconnected(now, application);
            incoming.clear();
        }
    }

    /// The process of one side is killed, and started again.
    fn kill(&mut self, side: usize) {
        self.cut();
        let Side { disk, session, .. } = &mut self.sides[side];
        let settings = session.settings().clone();
        // Nobody says goodbye: what is in memory alone is gone. The lock of a folder goes with the process.
        *session = Session::new(settings, None, disk.store());
    }

    /// The same with disks that are behind. What was never sent is lost, and an application that goes on where its
    /// session does gets again what that has not counted.
    fn kill_behind(&mut self, side: usize, seed: u64) {
        self.cut();
        let Side { disk, session, application, sent, .. } = &mut self.sides[side];
        let settings = session.settings().clone();
        *session = Session::new(settings, None, disk.store_behind(seed));
        let (next, expected) = session.numbers();
        sent.retain(|it| it.0 < next);
        application.taken.retain(|it| it.0 < expected);
    }

    /// Moves some bytes from one side to the other, which takes what it can.
    fn carry(&mut self, from: usize, most: usize) {
        let now = self.moment();
        let [first, second] = &mut self.sides;
        let (from, to) = if from == 0 { (first, second) } else { (second, first) };
        let bytes = from.session.output().len().min(most);
        to.incoming.extend_from_slice(&from.session.output()[..bytes]);
        from.session.sent(bytes, &mut from.application);
        let taken = to.session.received(now, &to.incoming, &mut to.application);
        to.incoming.drain(..taken);
        to.session.advance(now, &mut to.application);
    }

    fn settle(&mut self) {
        while self.sides.iter().any(|it| it.session.waiting() > 0) {
            self.carry(0, usize::MAX);
            self.carry(1, usize::MAX);
        }
    }
}

/// Both send while the connection is cut at any byte and made again; at the end each has got all of the other, in order
/// and once.
fn run(seed: u64, settings: fn(&mut Settings), is_behind: bool) {
    let mut random = Random::new(seed);
    let sides = [Side::new(Role::Initiator, settings), Side::new(Role::Acceptor, settings)];
    let mut network = Network { sides, now: 0, is_up: false };
    if is_behind {
        (0..2).for_each(|side| network.kill_behind(side, seed + side as u64));
    }
    for step in 0..600 {
        network.now += random.below(SECOND / 4);
        match random.below(40) {
            0 if network.is_up => network.cut(),
            0 | 1 if !network.is_up => network.connect(),
            1 if is_behind => network.kill_behind(random.index(2), random.below(u64::MAX)),
            1 => network.kill(random.index(2)),
            2..=9 => {
                let now = network.moment();
                let side = &mut network.sides[random.below(2) as usize];
                let id = format!("{step}");
                let body = format!("11={id}\u{1}38=100\u{1}");
                let number = side.session.send(now, |outbox| outbox.send("D", body.as_bytes()));
                side.sent.push((number.expect("it is sent or kept"), id));
            }
            _ if network.is_up => {
                let (from, most) = (random.below(2) as usize, 1 + random.below(200) as usize);
                network.carry(from, most);
                let now = network.moment();
                for Side { session, application, .. } in &mut network.sides {
                    session.advance(now, application);
                }
            }
            _ => {}
        }
        if network.is_up && network.sides.iter().any(|it| it.session.is_over()) {
            network.cut();
        }
    }
    // A quiet end, in which what was missed is asked for.
    network.cut();
    network.connect();
    network.settle();
    for (own, other) in [(0, 1), (1, 0)] {
        let (sent, side) = (&network.sides[own].sent, &network.sides[other]);
        let taken: Vec<&String> = side.application.taken.iter().map(|it| &it.1).collect();
        let numbers = [0, 1].map(|it: usize| network.sides[it].session.numbers());
        assert_eq!(
            taken,
            sent.iter().map(|it| &it.1).collect::<Vec<_>>(),
            "seed {seed} {numbers:?}: {:?}",
            side.application.endings
        );
        let numbers: HashSet<u64> = side.application.taken.iter().map(|it| it.0).collect();
        assert_eq!(numbers.len(), taken.len(), "seed {seed}: a number came twice");
        assert!(side.session.is_logged_on(), "seed {seed}: {:?}", side.application.endings);
    }
    assert_eq!(
        network.sides[0].session.numbers().0,
        network.sides[1].session.numbers().1,
        "seed {seed}"
    );
    assert_eq!(
        network.sides[1].session.numbers().0,
        network.sides[0].session.numbers().1,
        "seed {seed}"
    );
}

#[test]
fn nothing_is_lost_or_doubled_whatever_breaks() {
    let ways: [fn(&mut Settings); 4] = [
        |_| {},
        |it| it.resend_chunk = Some(3),
        |it| it.next_expected = true,
        // Hardly anything that came early is kept: it is asked for again.
        |it| (it.kept_bytes, it.last_processed) = (300, true),
    ];
    for (way, settings) in ways.into_iter().enumerate() {
        (0..100).for_each(|seed| run(seed * 4 + way as u64, settings, seed % 2 == 1));
    }
}

/// What must be heard when nothing comes: a heartbeat, a question, the end.
#[test]
fn a_silent_side_is_asked_and_then_left() {
    let mut network = Network {
        sides: [Side::new(Role::Initiator, |_| {}), Side::new(Role::Acceptor, |_| {})],
        now: 0,
        is_up: false,
    };
    network.connect();
    network.settle();
    let Side { session, application, .. } = &mut network.sides[0];
    let mut heard = Vec::new();
    while let Some(deadline) = session.deadline() {
        let now = Moment { monotonic: deadline, utc: UTC + deadline as i64 };
        session.advance(now, application);
        let text = String::from_utf8_lossy(session.output()).into_owned();
        let message_type =
            text.split('\u{1}').find_map(|it| it.strip_prefix("35=")).map(str::to_owned);
        heard.push((deadline / SECOND, message_type));
        session.sent(text.len(), application);
    }
    let words = |it: &str| Some(it.to_owned());
    assert_eq!(heard, [(30, words("0")), (36, words("1")), (72, None)]);
    assert!(session.is_over());
}

struct Deaf;

impl Application for Deaf {
    fn message(&mut self, _message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Anything may come, in any pieces: nothing panics, and what is not taken is no more than the beginning of a message.
#[test]
fn no_bytes_break_a_session() {
    const PIECES: &[&str] = &[
        "8=FIX.4.4\u{1}",
        "8=FIX.4.2\u{1}",
        "9=5\u{1}",
        "9=70\u{1}",
        "9=99999999999\u{1}",
        "35=A\u{1}",
        "35=D\u{1}",
        "35=2\u{1}",
        "35=4\u{1}",
        "35=5\u{1}",
        "34=1\u{1}",
        "34=18446744073709551615\u{1}",
        "34=0\u{1}",
        "49=FUND\u{1}",
        "56=BANK\u{1}",
        "52=20261126-00:00:00\u{1}",
        "43=Y\u{1}",
        "122=x\u{1}",
        "7=0\u{1}",
        "16=18446744073709551615\u{1}",
        "36=18446744073709551615\u{1}",
        "123=Y\u{1}",
        "141=Y\u{1}",
        "108=18446744073709551615\u{1}",
        "95=99\u{1}96=",
        "98=0\u{1}",
        "108=30\u{1}",
        "10=000\u{1}",
        "=",
        "\u{1}",
        "8=FIX",
    ];
    let mut random = Random::new(7);
    for _ in 0..4_000 {
        let mut side = Side::new(Role::Acceptor, |it| {
            it.check_sum = false;
            it.message_bytes = 4_096;
        });
        let now = Moment { monotonic: 0, utc: UTC };
        side.session.connected(now);
        let mut pending = Vec::new();
        for _ in 0..1 + random.below(4) {
            let mut body = String::new();
            for _ in 0..random.below(12) {
                body.push_str(PIECES[random.below(PIECES.len() as u64) as usize]);
            }
            let is_framed = random.below(3) > 0;
            let message = match is_framed {
                true => {
                    let content = "35=A\u{1}34=1\u{1}49=FUND\u{1}56=BANK\u{1}52=20261126-00:00:00\u{1}98=0\u{1}108=30\u{1}".to_owned();
                    let content = if random.below(2) == 0 { content } else { body };
                    format!("8=FIX.4.4\u{1}9={}\u{1}{content}10=000\u{1}", content.len())
                }
                false => body,
            };
            pending.extend_from_slice(message.as_bytes());
            let taken = side.session.received(now, &pending, &mut Deaf);
            pending.drain(..taken);
            assert!(pending.len() <= 4_096 + 64, "{}", pending.len());
            side.session.advance(now, &mut Deaf);
        }
    }
}

/// Who takes nothing is left, with a bound on what waits; after the next Logon all is sent.
#[test]
fn a_side_that_takes_nothing_is_left_and_gets_all_later() {
    let mut network = Network {
        sides: [
            Side::new(Role::Initiator, |it| it.output_bytes = 10_000),
            Side::new(Role::Acceptor, |_| {}),
        ],
        now: 0,
        is_up: false,
    };
    network.connect();
    network.settle();
    for number in 0..1_000 {
        let now = network.moment();
        let body = format!("11={number}\u{1}");
        let sender = &mut network.sides[0];
        sender.session.send(now, |it| it.send("D", body.as_bytes())).expect("it is kept");
        assert!(sender.session.output().len() < 11_000);
    }
    let now = network.moment();
    let Side { session, application, .. } = &mut network.sides[0];
    session.advance(now, application);
    assert!(session.is_over());
    assert_eq!(application.endings, ["the other side takes too little of what is sent"]);
    network.cut();
    network.connect();
    network.settle();
    assert_eq!(network.sides[1].application.taken.len(), 1_000);
}

/// Messages beyond what a store may keep are gaps, and the newest are there, whenever the store is opened.
#[test]
fn a_store_on_a_disk_keeps_the_newest_messages_and_the_numbers() {
    let disk = SharedDisk::new();
    let message = |number: u64| format!("{number} {}", "x".repeat(900)).into_bytes();
    let mut next = 1;
    for round in 1..=20 {
        let mut store = disk.store();
        assert_eq!((store.next_sender(), store.next_target()), (next, round));
        for _ in 0..50 {
            store.save((next % 3 > 0).then(|| message(next)).as_deref()).expect("a disk");
            next += 1;
        }
        store.set_next_target(round + 1).expect("a disk");
        store.sync().expect("a disk");
        // What was not synced is as if it had never been.
        store.save(Some(b"lost")).expect("a disk");
    }
    let mut store = disk.store();
    let mut bytes = Vec::new();
    let oldest = store.load(1, &mut bytes).expect("memory").expect("some are kept");
    assert!((next - 400..next - 150).contains(&oldest), "{oldest} of {next}");
    for number in oldest..next {
        let found = store.load(number, &mut bytes).expect("memory");
        if number % 3 > 0 {
            assert_eq!((found, &bytes), (Some(number), &message(number)));
        }
    }
    store.reset(7).expect("a disk");
    store.save(Some(b"first")).expect("a disk");
    store.sync().expect("a disk");
    drop(store);
    let mut store = disk.store();
    assert_eq!((store.next_sender(), store.next_target(), store.began()), (2, 1, Some(7)));
    assert_eq!(store.load(1, &mut bytes).expect("memory"), Some(1));
    assert_eq!(bytes, b"first");
    drop(store);
    // It is opened again and again, and nothing is sent: what is kept stays.
    for _ in 0..30 {
        let mut store = disk.store();
        assert_eq!((store.next_sender(), store.load(1, &mut bytes).expect("memory")), (2, Some(1)));
        store.set_next_target(7).expect("a disk");
        store.sync().expect("a disk");
    }
    let names = disk.clone().names().expect("a disk");
    assert!(names.len() < 20, "old segments go: {names:?}");
}

/// What is no message gets no number, and never stands between others that have to be sent again.
#[test]
fn what_is_no_body_is_not_sent() {
    let mut side = Side::new(Role::Initiator, |_| {});
    let now = Moment { monotonic: 0, utc: UTC };
    for (message_type, body) in [
        ("D", "11=a"),
        ("D", "order\u{1}"),
        ("D", "11=a\u{1}\u{1}"),
        ("D", "x=a\u{1}"),
        ("", "11=a\u{1}"),
        ("A", "98=0\u{1}"),
    ] {
        let sent = side.session.send(now, |outbox| outbox.send(message_type, body.as_bytes()));
        assert!(sent.is_err(), "{message_type} {body}");
    }
    let header: &[(u32, &[u8])] = &[(115, b"a\x01b")];
    assert!(side.session.send(now, |outbox| outbox.send_with("D", header, b"11=a\x01")).is_err());
    assert_eq!(side.session.numbers(), (1, 1));
    assert_eq!(
        side.session.send(now, |outbox| outbox.send("D", b"11=a\x01")).expect("it is kept"),
        1
    );
}

/// A store whose disk breaks after a while.
struct Breaking {
    store: MemoryStore,
    marks: u64,
    breaks_at: u64,
}

impl Store for Breaking {
    fn next_sender(&self) -> u64 {
        self.store.next_sender()
    }

    fn next_target(&self) -> u64 {
        self.store.next_target()
    }

    fn set_next_target(&mut self, number: u64) -> io::Result<()> {
        self.store.set_next_target(number)
    }

    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
        self.store.save(message)
    }

    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
        self.store.load(from, message)
    }

    fn reset(&mut self, utc: i64) -> io::Result<()> {
        self.store.reset(utc)
    }

    fn began(&self) -> Option<i64> {
        self.store.began()
    }

    fn sync(&mut self) -> io::Result<u64> {
        self.marks += 1;
        Ok(self.marks)
    }

    fn stored(&mut self) -> io::Result<u64> {
        match self.marks < self.breaks_at {
            true => Ok(self.marks),
            false => Err(io::Error::other("the disk is gone")),
        }
    }
}

#[test]
fn what_a_broken_disk_does_not_have_is_not_sent_and_the_session_ends() {
    let mut network = Network {
        sides: [Side::new(Role::Initiator, |_| {}), Side::new(Role::Acceptor, |_| {})],
        now: 0,
        is_up: false,
    };
    let settings = network.sides[0].session.settings().clone();
    let store = Breaking { store: MemoryStore::default(), marks: 0, breaks_at: 6 };
    network.sides[0].session = Session::new(settings, None, Box::new(store));
    network.connect();
    network.settle();
    let mut count = 0;
    while !network.sides[0].session.is_over() {
        count += 1;
        let now = network.moment();
        let sender = &mut network.sides[0];
        sender.session.send(now, |it| it.send("D", b"11=a\x01")).expect("it is in memory");
        sender.session.advance(now, &mut sender.application);
        network.carry(0, usize::MAX);
    }
    assert_eq!(network.sides[1].application.taken.len(), count - 1);
    assert_eq!(network.sides[0].application.endings, ["the store failed: the disk is gone"]);
    assert_eq!((count, network.sides[0].session.waiting()), (4, 0));
}
