//! What survives, on a disk that is simulated: processes that die, power that fails, bits that flip, disks
//! that fill up and syncs that fail.

use std::collections::BTreeMap;

use proptest::prelude::*;
use trunkline_journal::simulated::{Fault, SimulatedDisk};
use trunkline_journal::{
    Address, Commit, Disk as _, Done, Found, Journal, Lookup, Options, Record, Rejection, Report,
    Room, Scan, Task, commit, open, read_all, segment_name, task,
};
use trunkline_random::Random;

const STATE: u8 = 1;
const MESSAGE: u8 = 2;
const NUMBER: u64 = 0x74_7275_6e6b;

fn options() -> Options {
    Options {
        segment_bytes: 16 << 10,
        memory_bytes: 8 << 10,
        pending_bytes: 32 << 10,
        bytes: 1 << 30,
        keep: u64::MAX,
    }
}

/// A journal on a disk, and what is known of it from outside.
struct World {
    disk: SimulatedDisk,
    journal: Journal,
    report: Report,
    writing: Option<Commit>,
    now: u64,
    /// Bodies of all records that were ever appended, but for those that were lost.
    written: BTreeMap<u64, Vec<u8>>,
    /// Highest position that was said to be on disk.
    told: u64,
    /// Highest position that was ever given.
    given: u64,
    random: Random,
}

fn opened(disk: &mut SimulatedDisk, options: Options) -> (Journal, Report, BTreeMap<u64, Vec<u8>>) {
    let mut seen = BTreeMap::new();
    let mut visit = |_: Address, record: &Record<'_>| {
        seen.insert(record.position, record.body.to_vec());
        true
    };
    let (journal, report) = open(disk, options, NUMBER, STATE, &mut visit).expect("a journal");
    (journal, report, seen)
}

impl World {
    fn new(seed: u64, options: Options) -> Self {
        let mut disk = SimulatedDisk::new(seed);
        let (journal, report, _) = opened(&mut disk, options);
        let mut world = Self {
            disk,
            journal,
            report,
            writing: None,
            now: 0,
            written: BTreeMap::new(),
            told: 0,
            given: 0,
            random: Random::new(seed),
        };
        world.tasks();
        world
    }

    fn tasks(&mut self) {
        while let Some(it) = self.journal.next_task(self.now) {
            let done = task(&mut self.disk, &it);
            self.journal.task_done(self.now, done);
        }
    }

    /// Appends a record, if it is taken.
    fn append(&mut self, length: usize) -> Result<u64, Rejection> {
        self.now += 1_000;
        self.tasks();
        if self.journal.make_room(length)? == Room::NewSegment {
            let body = format!("state at {}", self.given).into_bytes();
            self.journal.begin_segment(self.now, Some((STATE, &body)))?;
            self.note(self.journal.last(), body);
            self.tasks();
            self.journal.make_room(length)?;
        }
        let body = vec![length as u8; length];
        Ok(self.put(MESSAGE, body))
    }

    fn put(&mut self, kind: u8, body: Vec<u8>) -> u64 {
        let (first, second) = body.split_at(body.len() / 2);
        let position = self.journal.append(self.now, kind, &[first, second]).position;
        self.note(position, body);
        position
    }

    fn note(&mut self, position: u64, body: Vec<u8>) {
        assert!(position > self.given, "{position} was given before {}", self.given);
        self.given = position;
        self.written.insert(position, body);
    }

    fn begin_commit(&mut self) {
        if let Some(it) = self.journal.next_commit() {
            self.writing = Some(it);
        }
    }

    fn end_commit(&mut self) {
        if let Some(it) = self.writing.take() {
            let result = commit(&mut self.disk, &it);
            self.journal.committed(self.now, result);
            self.journal.forget();
            assert!(self.journal.durable() >= self.told);
            self.told = self.journal.durable();
        }
    }

    fn commit_all(&mut self) {
        self.begin_commit();
        while self.writing.is_some() {
            self.end_commit();
            self.begin_commit();
        }
    }

    /// The process or the machine dies, and the journal is opened again.
    fn die(&mut self, power: bool) {
        let writing = self.writing.take();
        let chunks = writing.iter().flat_map(|it| &it.chunks);
        let writes: Vec<_> = chunks
            .map(|it| (segment_name(it.at.segment), u64::from(it.at.offset), &it.bytes[..]))
            .collect();
        let mut draw = |below| self.random.below(below);
        if power {
            self.disk.cut_power(&writes, &mut draw);
        } else {
            self.disk.kill(&writes, &mut draw);
        }
        let (journal, report, seen) = opened(&mut self.disk, options());
        (self.journal, self.report) = (journal, report);
        assert_eq!(self.report.damages, [], "what dies damages nothing that was on disk");
        let before = std::mem::take(&mut self.written);
        let all = self.read_all_records();
        for (position, body) in &all {
            assert_eq!(before.get(position), Some(body), "{position} is as it was");
        }
        let lost = before.keys().filter(|position| !all.contains_key(position)).min();
        assert!(lost.is_none_or(|lost| *lost > self.told), "{lost:?} was on disk: {}", self.told);
        let last = all.keys().last();
        assert!(lost.is_none() || lost > last, "{lost:?} is missing before {last:?}");
        for (position, body) in seen {
            assert_eq!(all.get(&position), Some(&body));
        }
        self.told = self.journal.durable();
        self.written = all;
    }

    /// Every record, as it can be read by address.
    fn read_all_records(&mut self) -> BTreeMap<u64, Vec<u8>> {
        let mut all = BTreeMap::new();
        let mut at = self.journal.find(0);
        loop {
            match self.journal.at(at) {
                Lookup::Record { next, record, .. } => {
                    all.insert(record.position, record.body.to_vec());
                    at = next;
                }
                Lookup::Elsewhere { bytes } => {
                    self.journal.fetch(at, bytes);
                    self.tasks();
                    // A read that failed is tried again.
                    self.now += 1_000_000_000;
                }
                Lookup::Damaged { next } | Lookup::Gone { next } => at = next,
                Lookup::End => return all,
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Append(usize),
    Begin,
    End,
    Kill,
    CutPower,
    Wait,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => (0usize..3_000).prop_map(Step::Append),
        4 => Just(Step::Begin),
        4 => Just(Step::End),
        1 => Just(Step::Kill),
        1 => Just(Step::CutPower),
        1 => Just(Step::Wait),
    ];
    prop::collection::vec(step, 0..120)
}

proptest! {
    #[test]
    fn what_was_said_to_be_on_disk_is_there(seed in any::<u64>(), steps in steps()) {
        let mut world = World::new(seed, options());
        for step in steps {
            match step {
                Step::Append(length) => {
                    let taken = world.append(length);
                    prop_assert!(matches!(taken, Ok(_) | Err(Rejection::Busy)), "{:?}", taken);
                }
                Step::Begin => world.begin_commit(),
                Step::End => world.end_commit(),
                Step::Kill => world.die(false),
                Step::CutPower => world.die(true),
                Step::Wait => {
                    world.now += 2_000_000_000;
                    let now = world.now;
                    world.journal.advance(now);
                    world.note_marks();
                }
            }
        }
        world.die(true);
    }

    #[test]
    fn a_flipped_bit_costs_one_record_and_is_named(
        seed in any::<u64>(),
        lengths in prop::collection::vec(0usize..2_000, 8..60),
        place in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let mut world = World::new(seed, options());
        for length in lengths {
            world.append(length).expect("room");
            world.commit_all();
        }
        world.now += 2_000_000_000;
        let now = world.now;
        world.journal.advance(now);
        world.commit_all();
        world.tasks();
        let before = world.read_all_records();
        let names: Vec<_> = world.disk.names().expect("names").into_iter().collect();
        let sizes: Vec<_> = names.iter().map(|it| world.disk.length(it).expect("a length")).collect();
        let mut byte = place.index(sizes.iter().sum::<u64>() as usize) as u64;
        let file = sizes.iter().position(|size| {
            let is_here = byte < *size;
            byte -= if is_here { 0 } else { *size };
            is_here
        });
        world.disk.flip(&names[file.expect("a file")], byte as usize, bit);
        let (journal, report, _) = opened(&mut world.disk, options());
        world.journal = journal;
        let after = world.read_all_records();
        let lost: Vec<_> = before.keys().filter(|it| !after.contains_key(it)).collect();
        prop_assert!(after.iter().all(|(position, body)| before.get(position) == Some(body)));
        // The mark, behind which nothing was written, may be what is cut off.
        prop_assert!(lost.len() <= 1, "{:?}", lost);
        if let [lost] = lost[..] {
            let named = report.damages.iter().any(|it| it.after < *lost && *lost < it.before);
            let is_last = before.keys().last() == Some(lost) && report.torn.is_some();
            let sealed = found_by_scan(&mut world.disk).iter().any(|it| it.0 < *lost && *lost < it.1);
            prop_assert!(named || is_last || sealed, "{} in {:?}, {} {}", lost, report, names[file.expect("a file")], byte);
        }
    }

    #[test]
    fn whatever_is_in_the_files_opening_ends_and_invents_nothing(
        seed in any::<u64>(),
        faults in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0usize..600, any::<u8>()), 1..8),
    ) {
        let mut world = World::new(seed, options());
        for length in 0..40 {
            world.append(length * 37).expect("room");
            world.commit_all();
        }
        let before = world.read_all_records();
        let names = world.disk.names().expect("names");
        for (file, at, length, byte) in faults {
            let name = &names[file.index(names.len())];
            let size = world.disk.length(name).expect("a length") as usize;
            let at = at.index(size);
            let bytes = vec![byte; length.min(size - at)];
            world.disk.write(name, at as u64, &bytes).expect("written");
        }
        let opened = open(&mut world.disk, options(), NUMBER, STATE, &mut |_: Address, _: &Record<'_>| true);
        if let Ok((journal, _)) = opened {
            world.journal = journal;
            let after = world.read_all_records();
            prop_assert!(after.iter().all(|(position, body)| before.get(position) == Some(body)));
        }
    }
}

impl World {
    /// Waits until there is nothing to do.
    fn rest(&mut self) {
        self.now += 2_000_000_000;
        self.journal.advance(self.now);
        self.commit_all();
        let last = self.journal.last();
        self.given = last;
        self.written.entry(last).or_default();
    }

    /// Knows what the journal has appended by itself.
    fn note_marks(&mut self) {
        self.given = self.given.max(self.journal.last());
        for (position, body) in self.read_all_records() {
            self.written.entry(position).or_insert(body);
        }
    }
}

/// Damage in all segments, by reading all of them.
fn found_by_scan(disk: &mut SimulatedDisk) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for name in disk.names().expect("names") {
        let Some(number) = name.strip_suffix(".journal").and_then(|it| it.parse().ok()) else {
            continue;
        };
        let bytes = read_all(disk, &name).expect("bytes");
        let mut scan = Scan::new(&bytes, NUMBER, number, 0);
        let mut last = 0;
        for it in scan.by_ref() {
            match it {
                Found::Damage(damage) => found.push((damage.after, damage.before)),
                Found::Record(_, record) => last = record.position,
            }
        }
        if scan.end().is_some_and(|end| end.unreadable > 0) {
            found.push((last, u64::MAX));
        }
    }
    found
}

#[test]
fn a_full_disk_rejects_and_goes_on_when_there_is_room() {
    let mut world = World::new(1, options());
    world.disk.set_room(Some(3 * (16 << 10)));
    let mut taken = 0;
    let rejected = loop {
        match world.append(1_000) {
            Ok(_) => taken += 1,
            Err(Rejection::Busy) => world.commit_all(),
            Err(rejected) => break rejected,
        }
        world.commit_all();
    };
    let Rejection::Full(why) = &rejected else { panic!("{rejected:?}") };
    assert!(why.contains("no room"), "{why}");
    assert!((30..48).contains(&taken), "{taken}");
    assert_eq!(world.told, world.given, "what was taken is on disk");
    assert_eq!(world.append(1_000), Err(rejected), "nothing has changed");
    world.disk.set_room(None);
    world.now += 1_500_000_000;
    assert!(world.append(1_000).is_ok(), "there is room again");
    world.commit_all();
    world.die(true);
}

#[test]
fn after_a_failed_sync_nothing_is_said_to_be_on_disk() {
    let mut world = World::new(1, options());
    world.append(100).expect("room");
    world.commit_all();
    let told = world.told;
    world.append(100).expect("room");
    world.disk.set_fault(Fault::Writes);
    world.commit_all();
    world.disk.set_fault(Fault::None);
    assert!(world.journal.failure().is_some_and(|why| why.contains("simulated")));
    assert!(matches!(world.append(100), Err(Rejection::Failed(_))), "nothing more is taken");
    world.commit_all();
    assert_eq!(world.told, told);
    // The system shows what it could not write until the power fails.
    world.die(false);
    assert_eq!(
        world.journal.durable(),
        world.given,
        "it was there to be read, and was written again"
    );
    world.die(true);
}

/// What the tests here find if a journal says of records that they are on disk and they are not.
#[test]
#[should_panic = "was on disk"]
fn what_was_not_synced_is_found_to_be_lost() {
    let mut world = World::new(1, options());
    world.append(100).expect("room");
    world.commit_all();
    world.die(true);
    world.append(100).expect("room");
    world.disk.set_fault(Fault::Syncs);
    world.commit_all();
    world.die(false);
    world.die(true);
}

#[test]
fn segments_go_when_they_are_old_or_too_many_and_nobody_needs_them() {
    let small = Options { bytes: 5 * (16 << 10), keep: 1_000_000, ..options() };
    let mut world = World::new(1, small);
    let mut rejected = None;
    for _ in 0..200 {
        world.journal.retain(0, 0);
        match world.append(1_000) {
            Ok(_) => world.commit_all(),
            Err(Rejection::Busy) => {}
            Err(other) => rejected = rejected.or(Some(other)),
        }
    }
    let Some(Rejection::Full(why)) = rejected else { panic!("{rejected:?}") };
    assert!(why.contains("journal.bytes"), "{why}");
    let (first, last) = (world.journal.first(), world.journal.last());
    assert_eq!(first, 1);
    assert!(world.journal.retain(0, last) > first, "it is too full to keep what nobody needs");
    world.tasks();
    world.now += 1_500_000_000;
    world.append(1_000).expect("there is room again");
    world.commit_all();
    let first = world.journal.retain(0, last);
    world.tasks();
    assert_eq!(world.journal.retain(0, last), first, "what is young stays while there is room");
    assert!(world.journal.retain(u64::MAX, last) > first, "what is old goes");
    world.tasks();
    assert!(matches!(world.journal.at(Address { segment: 1, offset: 64 }), Lookup::Gone { .. }));
}

#[test]
fn a_closed_journal_goes_on_without_a_leap() {
    let mut world = World::new(1, options());
    world.append(10).expect("room");
    world.journal.close();
    world.note_marks();
    world.commit_all();
    let last = world.journal.last();
    world.die(true);
    assert!(world.report.was_closed);
    assert_eq!(world.append(10), Ok(last + 2), "only the state of the new segment is between");
    world.die(false);
    assert!(!world.report.was_closed);
    assert!(world.append(10).expect("room") > last + 1_000_000);
}

#[test]
fn positions_and_times_are_found() {
    let mut world = World::new(1, options());
    for _ in 0..300 {
        world.append(500).expect("room");
        world.commit_all();
    }
    let all = world.read_all_records();
    for wanted in [1, 17, 150, 290, 300] {
        let mut at = world.journal.find(wanted);
        loop {
            match world.journal.at(at) {
                Lookup::Record { record, next, .. } if record.position < wanted => at = next,
                Lookup::Record { record, .. } => {
                    assert_eq!((record.position, record.body), (wanted, &all[&wanted][..]));
                    break;
                }
                Lookup::Elsewhere { bytes } => {
                    world.journal.fetch(at, bytes);
                    world.tasks();
                }
                other => panic!("{other:?}"),
            }
        }
    }
    let end = world.journal.end();
    assert_eq!((world.journal.find(10_000), world.journal.find_time(u64::MAX)), (end, end));
    let mut back = end;
    let mut steps = 0;
    while let Some(before) = world.journal.back(back) {
        assert!(before < back);
        (back, steps) = (before, steps + 1);
    }
    assert_eq!((back, world.journal.find_time(0)), (world.journal.find(0), world.journal.find(0)));
    assert!(steps >= 10, "{steps}");
}

#[test]
fn a_journal_in_memory_keeps_what_it_may() {
    let small = Options { segment_bytes: 64 << 10, bytes: 4 * (64 << 10), ..options() };
    let mut journal = Journal::in_memory(small);
    for number in 0_u64..2_000 {
        journal.retain(0, u64::MAX);
        if journal.make_room(100).expect("room") == Room::NewSegment {
            journal.begin_segment(number, Some((STATE, &[]))).expect("room");
        }
        journal.append(number, MESSAGE, &[&[number as u8; 100]]);
        assert!(journal.next_commit().is_none() && journal.next_task(0).is_none());
    }
    let first = journal.first();
    assert!(first > 1 && first < 1_500, "{first}");
    assert!(matches!(journal.at(journal.find(first)), Lookup::Record { .. }));
}

#[test]
fn reads_that_give_little_at_a_time_are_whole() {
    let mut world = World::new(1, options());
    for length in 0..60 {
        world.append(length * 29).expect("room");
        world.commit_all();
    }
    world.disk.set_fault(Fault::ShortReads);
    let all = world.read_all_records();
    assert_eq!(all, world.written);
    let opened = opened(&mut world.disk, options());
    assert_eq!(opened.1.damages, []);
    world.journal = opened.0;
    assert_eq!(world.read_all_records(), all);
}

#[test]
fn a_read_that_fails_for_a_while_damages_nothing() {
    let mut world = World::new(1, options());
    for _ in 0..60 {
        world.append(1_000).expect("room");
        world.commit_all();
    }
    world.rest();
    world.disk.set_fault(Fault::Reads);
    let at = world.journal.find(0);
    assert!(matches!(world.journal.at(at), Lookup::Elsewhere { .. }));
    let begun = world.now;
    for pause in [100_000_000, 1_000_000_000, 1_000_000_000] {
        let Lookup::Elsewhere { bytes } = world.journal.at(at) else { panic!("it is damaged") };
        world.journal.fetch(at, bytes);
        world.tasks();
        assert_eq!(world.journal.next_deadline(), Some(world.now + pause));
        world.now += pause;
    }
    assert!(world.now > begun + 2_000_000_000);
    world.disk.set_fault(Fault::None);
    let all = world.read_all_records();
    assert_eq!(all, world.written);
}

#[test]
fn a_page_that_cannot_be_read_costs_what_is_in_it() {
    let mut world = World::new(1, options());
    for _ in 0..60 {
        world.append(1_000).expect("room");
        world.commit_all();
    }
    world.disk.set_bad(&segment_name(2), 9_000..9_001);
    let all = world.read_all_records();
    let lost = world.written.keys().filter(|position| !all.contains_key(position)).count();
    assert!((4..=6).contains(&lost), "{lost} records of 1,040 bytes are in a page");
    assert_eq!(world.read_all_records(), all, "it is as it was");
}

#[test]
fn a_file_that_is_cut_costs_what_is_cut_off() {
    let mut world = World::new(1, options());
    for _ in 0..60 {
        world.append(1_000).expect("room");
        world.commit_all();
    }
    world.disk.truncate(&segment_name(1), 9_000).expect("cut");
    let all = world.read_all_records();
    let lost = world.written.keys().filter(|position| !all.contains_key(position)).count();
    assert!((6..=8).contains(&lost), "{lost}");
}

#[test]
fn a_commit_waits_for_a_handle() {
    let mut world = World::new(1, options());
    world.append(100).expect("room");
    world.disk.set_without_handle(2);
    world.commit_all();
    assert_eq!((world.journal.failure(), world.told), (None, world.given));
}

#[test]
fn reads_do_not_keep_the_next_segment_waiting() {
    let mut world = World::new(1, options());
    for _ in 0..40 {
        world.append(1_000).expect("room");
        world.commit_all();
    }
    let segment = world.journal.end().segment;
    while world.journal.end().segment == segment || world.journal.end().offset < 8 << 10 {
        world.append(1_000).expect("room");
        world.commit_all();
    }
    world.rest();
    let at = world.journal.find(0);
    world.journal.fetch(at, 1);
    assert!(matches!(world.journal.next_task(0), Some(Task::Prepare { .. })));
    let read = world.journal.next_task(0);
    assert!(matches!(read, Some(Task::Read { .. })), "it does not wait for the segment");
    assert!(world.journal.next_task(0).is_none());
    assert_eq!(world.journal.next_deadline(), None, "what comes of the tasks comes first");
    world.journal.task_done(0, Done::NoRoom("none".into()));
    let again = world.journal.next_deadline();
    assert!(again.is_some() && world.journal.next_task(0).is_none());
    world.journal.task_done(0, Done::Unread("for now".into()));
    let soon = world.journal.next_deadline();
    assert!(soon.is_some() && soon < again, "the read is tried again first");
}
