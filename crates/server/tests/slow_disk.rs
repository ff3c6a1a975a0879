//! The engine over a disk that is slow, full, or on a machine whose clock is set; in time that the test makes.

mod bench;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bench::{Bench, Frame, SECOND};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{commit, task};
use trunkline_native::{self as native, RouterFrame, code, format};
use trunkline_server::snapshot::{JournalStatus, SnapshotRequest};
use trunkline_server::{Config, ConnectionId, Engine};
use trunkline_store::Store;

/// An engine with its disk, which works when the test says so.
struct Machine {
    bench: Bench,
    disk: SimulatedDisk,
}

impl Machine {
    fn new(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        config.journal.directory = Some("simulated".into());
        config.journal.segment_bytes = 4 << 20;
        change(&mut config);
        let mut disk = SimulatedDisk::new(1);
        let (store, _) = Store::open(&mut disk, config.journal.settings(), 1).expect("it opens");
        let engine = Engine::with_store(&config, store, 0);
        let mut machine = Self { bench: Bench { engine, now: 0, ended: Vec::new() }, disk };
        machine.work();
        machine
    }

    /// Lets the disk do all that it has to. Who is held may go on then, and tries again by itself.
    fn work(&mut self) {
        let Self { bench: Bench { engine, now, .. }, disk } = self;
        loop {
            if let Some(it) = engine.next_commit(*now) {
                engine.committed(*now, commit(disk, &it));
            } else if let Some(it) = engine.next_task(*now) {
                engine.task_done(*now, task(disk, &it));
            } else if engine.next_released().is_none() {
                return;
            }
        }
    }

    /// Lets time pass, with a disk that works.
    fn pass(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.stall(1);
            self.work();
        }
    }

    /// Lets time pass, with a disk that does nothing.
    fn stall(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.bench.now += SECOND;
            self.bench.engine.advance(self.bench.now);
            self.bench.clean();
        }
    }

    fn producer(&mut self) -> ConnectionId {
        let id = self.bench.client("desk");
        self.bench.send(id, |out| native::encode_topic(out, 0, "orders"));
        self.bench.send(id, |out| native::encode_producer(out, "desk"));
        self.work();
        self.bench.read(id);
        id
    }

    /// Sends a message to be stored; whether it was taken, or is to come again.
    fn store(&mut self, id: ConnectionId, sequence: u64, payload: &[u8]) -> bool {
        let mut bytes = Vec::new();
        let (alias, time_to_live_ms, is_repeated) = (0, 0, false);
        let format = format::TEXT;
        let store =
            native::Store { alias, time_to_live_ms, sequence, is_repeated, format, payload };
        native::encode_store(&mut bytes, &store);
        let used = self.bench.engine.received(self.bench.now, id, &bytes);
        assert!(used == 0 || used == bytes.len());
        used > 0
    }

    fn journal(&mut self) -> JournalStatus {
        let nothing = SnapshotRequest { clients: 0, topics: 0 };
        self.bench.engine.snapshot(self.bench.now, nothing).journal
    }
}

#[test]
fn who_is_held_for_a_slow_disk_is_not_silent() {
    let mut machine = Machine::new(|config| config.journal.pending_bytes = 4 << 10);
    let (desk, dead) = (machine.producer(), machine.bench.client("dead"));
    assert!(machine.store(desk, 1, &[b'x'; 8 << 10]));
    assert!(!machine.store(desk, 2, b"sell"), "the disk has not written the first");
    assert!(machine.bench.engine.is_held(desk));
    // An hour in which the disk does nothing and nothing is read from the producer.
    machine.stall(3_600);
    let ended: Vec<_> = machine.bench.ended.iter().map(|(id, _)| *id).collect();
    assert_eq!(ended, [dead], "only who says nothing by itself is silent");
    machine.work();
    assert!(machine.store(desk, 2, b"sell"));
    machine.work();
    let stored = machine.bench.read(desk);
    let is_stored = |it: &Frame| matches!(it, Frame::Other(text) if text.contains("Stored"));
    assert!(stored.iter().any(is_stored), "{stored:?}");
    // From now on it has to give signs of life again.
    machine.stall(3_600);
    assert_eq!(machine.bench.ended.len(), 2);
}

/// The lines of the log that this thread writes.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<(Level, String)>>>, Arc<AtomicU64>);

impl Lines {
    /// Those about more bytes than may be.
    fn about_excess(&self) -> Vec<Level> {
        let lines = self.0.lock().expect("no panic");
        let about = lines.iter().filter(|(_, text)| text.contains(" journal.bytes"));
        about.map(|(level, _)| *level).collect()
    }

    /// Those about room.
    fn about_room(&self) -> Vec<(Level, String)> {
        let lines = self.0.lock().expect("no panic");
        lines.iter().filter(|(_, text)| text.contains("the journal has")).cloned().collect()
    }
}

struct Text<'a>(&'a mut String);

impl Visit for Text<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write as _;
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1 + self.1.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = String::new();
        event.record(&mut Text(&mut text));
        self.0.lock().expect("no panic").push((*event.metadata().level(), text));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_full_disk_is_told_when_it_begins_and_when_it_is_over() {
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), || {
        let mut machine = Machine::new(|_| {});
        let desk = machine.producer();
        let room = machine.disk.bytes();
        machine.disk.set_room(Some(room));
        let payload = vec![b'x'; 512 << 10];
        let mut sequence = 1;
        let rejected = loop {
            assert!(machine.store(desk, sequence, &payload));
            machine.work();
            let told = machine.bench.read(desk);
            if told.iter().any(|it| matches!(it, Frame::Rejected(code::NOT_DURABLE, _))) {
                break sequence;
            }
            sequence += 1;
            assert!(sequence < 100, "the disk has no end");
        };
        // A minute in which room is looked for again and again.
        for _ in 0..60 {
            machine.pass(1);
            let trouble = machine.journal().trouble;
            assert!(trouble.contains("making"), "{trouble:?}");
            machine.bench.send(desk, |out| native::encode_pong(out, 0));
        }
        // While room is looked for nothing is well yet.
        machine.bench.now += 2 * SECOND;
        let now = machine.bench.now;
        machine.bench.engine.advance(now);
        let another = machine.bench.engine.next_task(now).expect("another try");
        assert!(!machine.journal().trouble.is_empty());
        let told = lines.about_room();
        assert!(matches!(&*told, [(Level::ERROR, text)] if text.contains("no room")), "{told:?}");
        machine.disk.set_room(None);
        machine.bench.engine.task_done(now, task(&mut machine.disk, &another));
        assert_eq!(machine.journal().trouble, "");
        assert!(machine.store(desk, rejected, &payload));
        let told = lines.about_room();
        let [_, (Level::INFO, over)] = &*told else { panic!("{told:?}") };
        assert!(over.contains("room again") && over.contains("rejected=1 "), "{over}");
    });
}

/// When the messages of a replay from the beginning were stored.
fn times(machine: &mut Machine, subscription: u32) -> Vec<u64> {
    let reader = machine.bench.client("reader");
    let consume = native::Consume {
        subscription,
        window: 0,
        updates: native::Updates::All,
        start: native::Start::All,
        pace: 0,
        wants_confirmed: false,
        wants_acknowledged: false,
        policy: native::DeliveryPolicy::NONE,
        format: None,
        filter: "",
        fields: "",
        name: "",
        pattern: "orders",
    };
    machine.bench.send(reader, |out| native::encode_consume(out, &consume));
    machine.pass(1);
    let bytes = machine.bench.engine.output(reader).to_vec();
    let (mut rest, mut times) = (&bytes[..], Vec::new());
    while let Some((frame, length)) = native::decode_router(rest, 1 << 24).expect("a frame") {
        if let RouterFrame::Delivery(it) = frame {
            times.push(it.time);
        }
        rest = &rest[length..];
    }
    machine.bench.engine.closed(machine.bench.now, reader, "it left");
    times
}

#[test]
fn a_clock_that_is_set_is_followed_and_nothing_goes_back() {
    let mut machine = Machine::new(|_| {});
    let desk = machine.producer();
    let day = 86_400 * SECOND;
    let mut sequence = 0;
    // Set forward by a day, back by half a day, and it comes to where it was.
    for clock in [100 * day, 101 * day, 101 * day - day / 2, 102 * day] {
        machine.bench.engine.tell_time(machine.bench.now, clock);
        sequence += 1;
        assert!(machine.store(desk, sequence, b"buy"));
        machine.work();
    }
    assert_eq!(times(&mut machine, 1), [100 * day, 101 * day, 101 * day, 102 * day]);
    // It goes on by itself from there.
    let (before, clock) = (machine.bench.now, 102 * day);
    machine.bench.send(desk, |out| native::encode_pong(out, 0));
    machine.pass(7);
    assert!(machine.store(desk, sequence + 1, b"buy"));
    machine.work();
    let last = times(&mut machine, 2).pop();
    let started = machine.bench.now - before;
    assert!(last.is_some_and(|it| it >= clock + 7 * SECOND && it <= clock + started), "{last:?}");
}

#[test]
fn a_journal_that_takes_more_than_it_may_is_told_when_it_does_and_when_that_is_over() {
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), || {
        let mut machine = Machine::new(|config| {
            config.journal.segment_bytes = 64 << 10;
            config.journal.bytes = 4 * (64 << 10);
            config.journal.keep = std::time::Duration::ZERO;
        });
        // What is known takes one and a half segments.
        for number in 0..675 {
            let id = machine.bench.client(&format!("{number}"));
            let name = format!("{number:0>100}");
            let mut bytes = Vec::new();
            native::encode_producer(&mut bytes, &name);
            while machine.bench.engine.received(machine.bench.now, id, &bytes) == 0 {
                machine.work();
            }
            machine.work();
            machine.bench.read(id);
            machine.bench.engine.closed(machine.bench.now, id, "it left");
        }
        let desk = machine.producer();
        let (mut had_excess, mut changes) = (false, Vec::new());
        for sequence in 1..2_000 {
            while !machine.store(desk, sequence, &[b'y'; 500]) {
                machine.work();
                machine.bench.now += SECOND / 50;
                machine.bench.engine.advance(machine.bench.now);
            }
            machine.work();
            let told = machine.bench.read(desk);
            assert!(!told.iter().any(|it| matches!(it, Frame::Rejected(..))), "{told:?}");
            let has_excess = machine.bench.engine.store().journal().excess() > 0;
            if std::mem::replace(&mut had_excess, has_excess) != has_excess {
                changes.push(if has_excess { Level::WARN } else { Level::INFO });
            }
        }
        assert!(changes.len() > 1, "{changes:?}");
        assert_eq!(lines.about_excess(), changes);
    });
}
