//! Any changes to the files of a journal: segments, indexes, what is known of subscriptions.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{Disk as _, Options, commit, task};
use trunkline_store::{
    ClockReading, Consume, Consuming, Delivery, Durability, EventSink, Loss, NewMessage, Rejected,
    Settings, Start, Store, Stored,
};

/// What is delivered.
#[derive(Default)]
struct Seen(BTreeSet<(String, Vec<u8>)>);

impl EventSink for Seen {
    fn has_room(&mut self, _: u64, _: u32) -> bool {
        true
    }
    fn deliver(&mut self, _: u64, it: &Delivery<'_>) -> bool {
        self.0.insert((it.topic.to_owned(), it.payload.to_vec()));
        true
    }
    fn withdrawn(&mut self, _: u64, _: u32, _: u64) {}
    fn lost(&mut self, _: u64, _: u32, _: &Loss) {}
    fn stored(&mut self, _: u64, _: &Stored) {}
    fn failed(&mut self, _: u64, _: u64, _: &Rejected) {}
    fn rejected(&mut self, _: u64, _: u32, _: &Rejected) {}
    fn consuming(&mut self, _: u64, _: &Consuming) {}
    fn confirmed(&mut self, _: u64, _: u32, _: Durability, _: u64) {}
    fn acknowledged(&mut self, _: u64, _: u32, _: Durability, _: u64, _: u64) {}
    fn ended(&mut self, _: u64, _: u32) {}
    fn publish(&mut self, _: &str, _: u16, _: &[u8]) {}
}

fn settings() -> Settings {
    let journal = Options {
        segment_bytes: 4 << 10,
        memory_bytes: 2 << 10,
        pending_bytes: 64 << 10,
        ..Options::default()
    };
    Settings { journal, ..Settings::default() }
}

fn at(now: u64) -> ClockReading {
    ClockReading { now, time: 1_700_000_000_000_000_000 + now }
}

/// Does all that a store wants done.
fn work(disk: &mut SimulatedDisk, store: &mut Store, now: u64, seen: &mut Seen) {
    for _ in 0..10_000 {
        let mut was_idle = true;
        if let Some(it) = store.next_commit(at(now)) {
            let result = commit(disk, &it);
            store.committed(at(now), result, seen);
            was_idle = false;
        }
        if let Some(it) = store.next_task(at(now)) {
            let done = task(disk, &it);
            store.task_done(at(now), done, seen);
            was_idle = false;
        }
        store.advance(at(now), seen);
        if was_idle {
            return;
        }
    }
    panic!("there is no end of work");
}

/// A disk, and topics and payloads of what was stored on it.
type Sound = (SimulatedDisk, BTreeSet<(String, Vec<u8>)>);

/// A disk with a journal of several segments.
fn sound() -> &'static Sound {
    static SOUND: OnceLock<Sound> = OnceLock::new();
    SOUND.get_or_init(|| {
        let mut disk = SimulatedDisk::new(1);
        let (mut store, _) = Store::open(&mut disk, settings(), 7).expect("an empty disk");
        let (mut seen, mut stored) = (Seen::default(), BTreeSet::new());
        work(&mut disk, &mut store, 0, &mut seen);
        let asked =
            Consume { subscription: 1, name: "desk", pattern: "orders/*", ..Consume::default() };
        store.consume(at(1), 2, &asked, &mut seen).expect("room");
        let producer = store.produce(at(1), 1, "feed").expect("room").producer;
        for sequence in 1..=120 {
            let now = sequence * 10_000_000;
            let topic = ["orders/1", "orders/2", "rates/1"][sequence as usize % 3];
            let payload = vec![sequence as u8; sequence as usize % 90];
            let message = NewMessage {
                sequence,
                time_to_live: 0,
                is_repeated: false,
                format: 0,
                topic,
                payload: &payload,
            };
            store.store(at(now), producer, &message, &mut seen).expect("room");
            work(&mut disk, &mut store, now, &mut seen);
            if sequence % 7 == 0 {
                let last = (store.journal().last(), true);
                store.acknowledge(at(now), 2, 1, last, &mut seen).expect("it is there");
            }
            stored.insert((topic.to_owned(), payload));
        }
        work(&mut disk, &mut store, 2_000_000_000, &mut seen);
        (disk, stored)
    })
}

/// Changes files as the bytes say, opens what is left, and has all of it delivered.
///
/// # Panics
///
/// If it panics, does not end, or delivers what was never stored.
pub fn journal(data: &[u8]) {
    let (disk, stored) = sound();
    let mut disk = disk.clone();
    let names = disk.names().expect("names");
    for change in data.chunks_exact(5) {
        let name = &names[usize::from(change[0]) % names.len()];
        // It may be removed already.
        let Ok(length) = disk.length(name) else { continue };
        let length = length as usize;
        let offset = usize::from(u16::from_le_bytes([change[1], change[2]])) % length.max(1);
        match change[3] {
            0 => disk.truncate(name, offset as u64).expect("cut"),
            1 => drop(disk.remove(name)),
            2..=9 => {
                let bytes = vec![change[4]; usize::from(change[3]) * 40];
                disk.write(name, offset as u64, &bytes).expect("written");
            }
            bits => disk.flip(name, offset, bits),
        }
    }
    let Ok((mut store, _)) = Store::open(&mut disk, settings(), 8) else { return };
    let mut seen = Seen::default();
    for (client, name) in [(2, "desk"), (3, "")] {
        let pattern = if name.is_empty() { ">" } else { "orders/*" };
        let start = Start::All;
        let asked = Consume { subscription: 1, name, pattern, start, ..Consume::default() };
        work(&mut disk, &mut store, 1, &mut seen);
        // A name that was damaged may be there with another pattern.
        let _ = store.consume(at(2), client, &asked, &mut seen);
    }
    work(&mut disk, &mut store, 3_000_000_000, &mut seen);
    for it in &seen.0 {
        assert!(stored.contains(it), "{it:?} was never stored");
    }
}
