//! Opening what is damaged, incomplete or not ours: what is said of it, and what is not destroyed.

use std::io;

use trunkline_journal::simulated::{Fault, SimulatedDisk};
use trunkline_journal::{
    Address, Damage, DamageKind, Disk, Done, HeadError, Journal, Lookup, OpenError, Options,
    Record, Recovery, Report, Room, SEGMENT_HEAD, commit, index_name, open, read_all, segment_name,
    survey, task,
};

const STATE: u8 = 1;
const MESSAGE: u8 = 2;
const SEGMENT: usize = 16 << 10;

fn options() -> Options {
    Options { segment_bytes: SEGMENT as u32, keep: u64::MAX, ..Options::default() }
}

fn opened(disk: &mut dyn Disk) -> Result<(Journal, Report, Vec<u64>), OpenError> {
    let mut seen = Vec::new();
    let (journal, report) =
        open(disk, options(), 77, STATE, &mut |_: Address, record: &Record<'_>| {
            seen.push(record.position);
            true
        })?;
    Ok((journal, report, seen))
}

fn tasks(disk: &mut SimulatedDisk, journal: &mut Journal) {
    while let Some(it) = journal.next_task(0) {
        let done = task(disk, &it);
        journal.task_done(0, done);
    }
}

fn commits(disk: &mut SimulatedDisk, journal: &mut Journal) {
    while let Some(it) = journal.next_commit() {
        let result = commit(disk, &it);
        journal.committed(0, result);
    }
}

fn append(disk: &mut SimulatedDisk, journal: &mut Journal, bytes: usize) -> u64 {
    tasks(disk, journal);
    if journal.make_room(bytes).expect("room") == Room::NewSegment {
        journal.begin_segment(0, Some((STATE, b"state"))).expect("room");
    }
    let position = journal.append(0, MESSAGE, &[&vec![7; bytes]]).position;
    commits(disk, journal);
    position
}

/// A journal with so many messages of 1,000 bytes, all of it on the disk.
fn filled(messages: u64) -> (SimulatedDisk, Journal) {
    let mut disk = SimulatedDisk::new(1);
    let (mut journal, _, _) = opened(&mut disk).expect("empty");
    for _ in 0..messages {
        append(&mut disk, &mut journal, 1_000);
    }
    tasks(&mut disk, &mut journal);
    (disk, journal)
}

/// All files with their bytes.
fn contents(disk: &mut SimulatedDisk) -> Vec<(String, Vec<u8>)> {
    let names = disk.names().expect("names");
    names.into_iter().map(|it| (it.clone(), read_all(disk, &it).expect("bytes"))).collect()
}

/// What opening and looking say alike; looking is first, since opening changes the end.
fn damages(disk: &mut SimulatedDisk) -> Vec<Damage> {
    let survey = survey(disk, &mut |_, _| {}).expect("it can be read").expect("a journal");
    let damaged: Vec<Damage> = survey.damaged_records.iter().map(|it| it.damage).collect();
    let (_, report, _) = opened(disk).expect("it opens");
    assert_eq!(report.damages, damaged);
    damaged
}

#[test]
fn an_end_that_is_cut_anywhere_is_opened() {
    let mut disk = SimulatedDisk::new(1);
    let (mut journal, _, _) = opened(&mut disk).expect("empty");
    for bytes in [10, 3, 21] {
        append(&mut disk, &mut journal, bytes);
    }
    let (end, name) = (journal.end().offset as usize, segment_name(1));
    for length in SEGMENT_HEAD..=end {
        let mut cut = disk.clone();
        cut.truncate(&name, length as u64).expect("cut");
        for again in 0..3 {
            let (journal, report, seen) = opened(&mut cut).expect("it opens");
            assert_eq!(journal.last() >= seen.len() as u64, !seen.is_empty() || length < 200);
            assert_eq!(seen, (1..=seen.len() as u64).collect::<Vec<_>>(), "{length} {again}");
            assert_eq!(report.records, seen.len() as u64);
            assert!(cut.length(&name).expect("there") <= length as u64);
        }
    }
}

#[test]
fn a_full_disk_is_no_reason_not_to_open() {
    let (mut disk, journal) = filled(25);
    let empty = segment_name(journal.end().segment + 1);
    assert_eq!(disk.length(&empty).expect("it is prepared"), SEGMENT as u64);
    disk.write(&empty, 500, b"something that was being written").expect("written");
    disk.replace("0000000009.journal.new", b"being made").expect("made");
    let all = disk.bytes();
    disk.set_room(Some(all));
    let (_, report, _) = opened(&mut disk).expect("it opens");
    assert_eq!(report.torn.map(|it| it.bytes), Some(468));
    assert_eq!(disk.length(&empty).expect("there"), SEGMENT_HEAD as u64);
    assert!(disk.length("0000000009.journal.new").is_err());
}

#[test]
fn a_segment_that_is_missing_is_named() {
    let (mut disk, _) = filled(60);
    disk.remove(&segment_name(2)).expect("removed");
    disk.remove(&index_name(2)).expect("removed");
    let found = damages(&mut disk);
    let [missing] = &found[..] else { panic!("{found:?}") };
    assert_eq!((missing.kind, missing.bytes), (DamageKind::Missing, 0));
    assert_eq!((missing.at.segment, missing.before - missing.after), (1, 17));
    assert_eq!(damages(&mut disk), found, "it is named each time");
}

#[test]
fn the_lost_end_of_a_complete_segment_is_named() {
    let (disk, _) = filled(60);
    let name = segment_name(2);
    // A state and seven messages, and a part of one.
    for (length, kind) in [(7_392, DamageKind::Missing), (8_000, DamageKind::Head)] {
        let mut with_index = disk.clone();
        with_index.truncate(&name, length).expect("cut");
        let mut without = with_index.clone();
        without.remove(&index_name(2)).expect("removed");
        for mut disk in [with_index, without] {
            let found = damages(&mut disk);
            let [lost] = &found[..] else { panic!("{found:?}") };
            assert_eq!((lost.at.segment, lost.at.offset, lost.kind), (2, 7_392, kind));
            assert_eq!((lost.after, lost.before), (24, 33));
        }
    }
}

#[test]
fn what_a_leap_leaves_out_is_not_missing() {
    let (mut disk, _) = filled(20);
    for bytes in [0, 1_000, 1_000] {
        let (mut journal, report, _) = opened(&mut disk).expect("it opens");
        assert_eq!(report.damages, []);
        tasks(&mut disk, &mut journal);
        if bytes > 0 {
            append(&mut disk, &mut journal, bytes);
        }
    }
    assert_eq!(damages(&mut disk), []);
}

#[test]
fn an_index_of_the_last_segment_that_says_more_is_believed() {
    let (mut disk, mut journal) = filled(20);
    while journal.end().segment == 2 {
        append(&mut disk, &mut journal, 1_000);
    }
    tasks(&mut disk, &mut journal);
    disk.remove(&segment_name(3)).expect("removed");
    disk.create(&segment_name(3), &[], SEGMENT as u64).expect("made");
    disk.write(&segment_name(2), 7_000, &[0; 9_384]).expect("written");
    let found = damages(&mut disk);
    assert!(found.iter().any(|it| it.kind == DamageKind::Missing), "{found:?}");
}

#[test]
fn damage_that_is_met_on_the_way_is_named() {
    let (mut disk, _) = filled(60);
    // Nothing is known from the later segments.
    for segment in [3, 4] {
        disk.flip(&segment_name(segment), SEGMENT_HEAD + 41, 1);
    }
    disk.flip(&segment_name(2), 5_000, 1);
    let (_, report, _) = opened(&mut disk).expect("it opens");
    assert!(report.damages.iter().any(|it| it.at.segment == 2), "{:?}", report.damages);
    assert!(report.damages.iter().any(|it| it.at.segment == 4), "{:?}", report.damages);
    assert_eq!(report.read, [] as [u32; 0], "their indexes are right");
}

#[test]
fn what_cannot_be_judged_is_not_removed() {
    let mut disk = SimulatedDisk::new(1);
    disk.create(&segment_name(1), &[], 1_000).expect("made");
    disk.create(&segment_name(2), &[], 1_000).expect("made");
    disk.write(&segment_name(2), 500, b"not ours").expect("written");
    let before = contents(&mut disk);
    let rejected = opened(&mut disk).expect_err("it is no journal");
    assert!(
        matches!(&rejected, OpenError::Segment(name, HeadError::Magic) if *name == segment_name(2))
    );
    assert_eq!(contents(&mut disk), before);
    disk.remove(&segment_name(2)).expect("removed");
    opened(&mut disk).expect("zeros are what is being made");
}

#[test]
fn a_segment_under_a_wrong_name_is_rejected() {
    let (mut disk, journal) = filled(20);
    let bytes = read_all(&mut disk, &segment_name(1)).expect("bytes");
    disk.replace(&segment_name(journal.end().segment + 1), &bytes).expect("copied");
    let before = contents(&mut disk);
    let rejected = opened(&mut disk).expect_err("it is another one");
    assert!(matches!(rejected, OpenError::Segment(_, HeadError::Number(1))), "{rejected}");
    assert_eq!(contents(&mut disk), before);
}

#[test]
fn two_segments_that_cannot_be_read_are_no_torn_end() {
    let (mut disk, journal) = filled(25);
    let last = journal.end().segment;
    disk.write(&segment_name(last + 1), 500, b"one").expect("written");
    disk.create(&segment_name(last + 2), &[], SEGMENT as u64).expect("made");
    disk.write(&segment_name(last + 2), 500, b"other").expect("written");
    let before = contents(&mut disk);
    let rejected = opened(&mut disk).expect_err("one of them was on disk");
    assert!(matches!(&rejected, OpenError::Unreadable(name) if *name == segment_name(last + 1)));
    assert_eq!(contents(&mut disk), before);
}

#[test]
fn a_state_that_is_not_understood_changes_nothing() {
    let (mut disk, journal) = filled(20);
    disk.write(&segment_name(journal.end().segment), 12_000, b"torn").expect("written");
    let before = contents(&mut disk);
    let rejected = open(&mut disk, options(), 77, STATE, &mut |_: Address, record: &Record<'_>| {
        record.kind != STATE
    });
    let rejected = rejected.expect_err("it is of another version");
    assert!(matches!(&rejected, OpenError::State(name) if *name == segment_name(2)), "{rejected}");
    assert_eq!(contents(&mut disk), before);
    let other = |_, record: &trunkline_journal::Record<'_>| record.kind == STATE;
    open(&mut disk, options(), 77, STATE, &mut { other }).expect("other records may be strange");
}

#[test]
fn a_closed_journal_is_known_as_one_with_an_empty_segment_behind() {
    let (mut disk, mut journal) = filled(10);
    let last = journal.last();
    assert!(disk.length(&segment_name(2)).is_ok(), "it is prepared");
    journal.close();
    commits(&mut disk, &mut journal);
    let found = survey(&mut disk, &mut |_, _| {}).expect("readable").expect("a journal");
    assert!(found.was_closed);
    // Nothing is appended, and it is closed again.
    for _ in 0..2 {
        let (mut journal, report, _) = opened(&mut disk).expect("it opens");
        assert!(report.was_closed);
        assert_eq!(journal.last(), last + 1);
        journal.close();
    }
    let (mut journal, report, _) = opened(&mut disk).expect("it opens");
    assert!(report.was_closed);
    assert_eq!(append(&mut disk, &mut journal, 10), last + 3, "there is no leap");
}

#[test]
fn who_was_opened_and_not_closed_leaps() {
    let (mut disk, mut journal) = filled(10);
    journal.close();
    commits(&mut disk, &mut journal);
    let (mut journal, _, _) = opened(&mut disk).expect("it opens");
    tasks(&mut disk, &mut journal);
    journal.make_room(10).expect("room");
    journal.begin_segment(0, None).expect("room");
    let given = journal.append(0, MESSAGE, &[b"given and lost"]).position;
    let (mut journal, report, _) = opened(&mut disk).expect("it opens");
    assert!(!report.was_closed);
    assert!(append(&mut disk, &mut journal, 10) > given + 1_000_000);
}

#[test]
fn a_journal_is_closed_while_a_segment_is_made() {
    let (mut disk, mut journal) = filled(5);
    while journal.end().offset < SEGMENT as u32 / 2 {
        append(&mut disk, &mut journal, 1_000);
    }
    let it = journal.next_task(0).expect("the next segment");
    journal.close();
    commits(&mut disk, &mut journal);
    let mut without = disk.clone();
    assert!(opened(&mut without).expect("it opens").1.was_closed);
    let done = task(&mut disk, &it);
    assert_eq!(done, Done::Well);
    journal.task_done(0, done);
    commits(&mut disk, &mut journal);
    assert!(opened(&mut disk).expect("it opens").1.was_closed);
}

/// A disk on which a file is gone after its name was read.
struct Vanishing {
    disk: SimulatedDisk,
    gone: Vec<String>,
}

impl Vanishing {
    fn check(&self, name: &str) -> io::Result<()> {
        if self.gone.iter().any(|it| it == name) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(())
    }
}

impl Disk for Vanishing {
    fn names(&mut self) -> io::Result<Vec<String>> {
        self.disk.names()
    }

    fn length(&mut self, name: &str) -> io::Result<u64> {
        self.check(name)?;
        self.disk.length(name)
    }

    fn create(&mut self, name: &str, head: &[u8], bytes: u64) -> io::Result<()> {
        self.disk.create(name, head, bytes)
    }

    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.write(name, offset, bytes)
    }

    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.disk.replace(name, bytes)
    }

    fn truncate(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        self.disk.truncate(name, bytes)
    }

    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.check(name)?;
        self.disk.read(name, offset, buffer)
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }
}

#[test]
fn looking_at_a_journal_that_is_used_finds_no_damage() {
    let (mut disk, journal) = filled(60);
    let next = segment_name(journal.end().segment + 2);
    disk.create(&next, &[], SEGMENT as u64).expect("made");
    // The first was read before both were let go of.
    let gone = vec![segment_name(2), index_name(2)];
    let mut disk = Vanishing { disk, gone };
    let found = survey(&mut disk, &mut |_, _| {}).expect("readable").expect("a journal");
    assert!(found.is_sound(), "{:?}", found.damaged_records);
    let last = found.segments.last().expect("segments");
    assert!(last.is_being_made && last.head.is_err() && last.positions.is_none());
    assert_eq!((found.segments[0].number, found.segments[1].number), (1, 3));
    // The segments that were let go of are those that were looked at last.
    disk.gone = (1..9).map(segment_name).collect();
    assert_eq!(survey(&mut disk, &mut |_, _| {}).expect("readable"), None);
}

#[test]
fn any_byte_of_the_only_head_may_be_damaged() {
    let (mut disk, journal) = filled(5);
    let (last, only) = (journal.last(), segment_name(1));
    for name in disk.names().expect("names").into_iter().filter(|it| *it != only) {
        disk.remove(&name).expect("it is there");
    }
    for byte in 0..SEGMENT_HEAD {
        let mut damaged = disk.clone();
        damaged.flip(&only, byte, 0);
        let (_, report, seen) = opened(&mut damaged).unwrap_or_else(|it| panic!("{byte}: {it}"));
        assert_eq!(seen, (1..=last).collect::<Vec<u64>>(), "{byte}: {report:?}");
    }
}

#[test]
fn a_journal_that_was_opened_and_closed_leaves_nothing_behind() {
    let mut disk = SimulatedDisk::new(1);
    let (mut journal, _, _) = opened(&mut disk).expect("empty");
    let before = contents(&mut disk);
    tasks(&mut disk, &mut journal);
    assert_ne!(contents(&mut disk), before, "a segment is made for what may come");
    journal.close();
    tasks(&mut disk, &mut journal);
    assert_eq!(contents(&mut disk), before);
}

#[test]
fn a_segment_that_begins_without_a_state_says_nothing_of_those_before() {
    let (mut disk, mut journal) = filled(1);
    while journal.make_room(1_000).expect("room") == Room::Here {
        append(&mut disk, &mut journal, 1_000);
        tasks(&mut disk, &mut journal);
    }
    journal.begin_segment(0, None).expect("room");
    let last = append(&mut disk, &mut journal, 10);
    assert_eq!(journal.end().segment, 2);
    let (_, report, seen) = opened(&mut disk).expect("it opens");
    assert_eq!((report.damages, report.torn, seen), (vec![], None, (1..=last).collect()));
    // What it begins with then is no state that has to be understood.
    let mut apply = |_: Address, record: &Record<'_>| record.kind == STATE;
    open(&mut disk, options(), 77, STATE, &mut apply).expect("it opens");
}

#[test]
fn a_complete_segment_of_which_nothing_is_left_is_named() {
    let (mut disk, _) = filled(60);
    disk.truncate(&segment_name(2), SEGMENT_HEAD as u64).expect("cut");
    let found = damages(&mut disk);
    let [lost] = &found[..] else { panic!("{found:?}") };
    assert_eq!((lost.kind, lost.at), (DamageKind::Missing, begin_of(2)));
    assert_eq!((lost.after, lost.before), (16, 33));
}

fn begin_of(segment: u32) -> Address {
    Address { segment, offset: SEGMENT_HEAD as u32 }
}

#[test]
fn a_segment_that_cannot_be_read_is_named_and_kept_as_it_is() {
    let (mut disk, _) = filled(60);
    let name = segment_name(2);
    let wreck = vec![0xff; SEGMENT - SEGMENT_HEAD];
    disk.write(&name, SEGMENT_HEAD as u64, &wreck).expect("written");
    disk.remove(&index_name(2)).expect("there is one");
    let before = read_all(&mut disk, &name).expect("bytes");
    let found = damages(&mut disk);
    let [lost] = &found[..] else { panic!("{found:?}") };
    assert_eq!((lost.at, lost.bytes as usize), (begin_of(2), wreck.len()));
    assert_eq!((lost.after, lost.before), (16, 33));
    assert_eq!(read_all(&mut disk, &name).expect("bytes"), before);
}

#[test]
fn damage_behind_the_only_record_of_a_segment_ends_where_the_next_begins() {
    let (mut disk, _) = filled(60);
    // The state is left.
    let from = SEGMENT_HEAD + 48;
    disk.write(&segment_name(2), from as u64, &vec![0xff; SEGMENT - from]).expect("written");
    disk.remove(&index_name(2)).expect("there is one");
    let found = damages(&mut disk);
    let [lost] = &found[..] else { panic!("{found:?}") };
    assert_eq!((lost.at.segment, lost.kind), (2, DamageKind::Head));
    assert_eq!((lost.after, lost.before), (17, 33));
}

#[test]
fn damage_before_what_was_being_written_stays_damage() {
    let (mut disk, mut journal) = filled(5);
    let damaged = journal.end();
    append(&mut disk, &mut journal, 100);
    let torn = journal.end();
    for _ in 0..2 {
        journal.append(0, MESSAGE, &[&[7; 100]]);
    }
    commits(&mut disk, &mut journal);
    disk.flip(&segment_name(1), damaged.offset as usize + 60, 0);
    disk.flip(&segment_name(1), torn.offset as usize, 0);
    let (_, report, _) = opened(&mut disk).expect("it opens");
    let places: Vec<_> = report.damages.iter().map(|it| (it.at, it.kind)).collect();
    assert_eq!(places, [(damaged, DamageKind::Body)], "it had been on disk");
    assert_eq!(report.torn.map(|it| it.at), Some(torn));
    assert_eq!(disk.length(&segment_name(1)).expect("there"), u64::from(torn.offset));
}

#[test]
fn bytes_behind_the_end_of_a_closed_journal_open_it_as_one_that_was_not() {
    let (mut disk, mut journal) = filled(5);
    journal.close();
    commits(&mut disk, &mut journal);
    assert!(opened(&mut disk.clone()).expect("it opens").1.was_closed);
    let end = journal.end();
    disk.write(&segment_name(1), end.offset.into(), b"somebody wrote on").expect("written");
    assert!(!opened(&mut disk).expect("it opens").1.was_closed);
}

#[test]
fn a_disk_that_fails_is_no_journal_that_is_empty() {
    use std::error::Error as _;
    let (disk, _) = filled(5);
    let mut failing = disk.clone();
    failing.set_fault(Fault::Reads);
    for rejected in [
        opened(&mut failing).map(drop).expect_err("it cannot be read"),
        survey(&mut failing, &mut |_, _| {}).map(drop).expect_err("it cannot be read"),
    ] {
        assert!(matches!(rejected, OpenError::Io(..)), "{rejected:?}");
        assert!(rejected.source().is_some_and(|it| it.to_string().contains("simulated")));
    }
}

#[test]
fn what_was_being_made_in_a_folder_without_a_journal_is_removed() {
    let mut disk = SimulatedDisk::new(1);
    disk.create(&segment_name(1), &[], 1_000).expect("made");
    disk.replace("0000000001.index.new", b"").expect("made");
    opened(&mut disk).expect("there is none");
    assert_eq!(disk.names().expect("names"), [""; 0]);
}

#[test]
fn an_end_shorter_than_a_head_is_opened_on_a_full_disk_and_not_on_a_failing_one() {
    let (mut disk, journal) = filled(25);
    let short = segment_name(journal.end().segment + 1);
    disk.truncate(&short, 10).expect("cut");
    let all = disk.bytes();
    let mut failing = disk.clone();
    disk.set_room(Some(all));
    opened(&mut disk).expect("it opens");
    failing.set_fault(Fault::Writes);
    assert!(matches!(opened(&mut failing), Err(OpenError::Io(..))));
}

#[test]
fn long_segments_are_read_piece_by_piece() {
    let options = || Options { segment_bytes: 2 << 20, memory_bytes: 0, ..options() };
    let mut disk = SimulatedDisk::new(1);
    let recovery = &mut |_: Address, _: &Record<'_>| true;
    let (mut journal, _) = open(&mut disk, options(), 77, STATE, recovery).expect("empty");
    let (mut places, mut bodies) = (Vec::new(), Vec::new());
    for number in 0..60_usize {
        tasks(&mut disk, &mut journal);
        let body = vec![number as u8 + 1; 1 + number * 12_345 % 70_000];
        if journal.make_room(body.len()).expect("room") == Room::NewSegment {
            journal.begin_segment(0, Some((STATE, b"state"))).expect("room");
        }
        places.push(journal.append(0, MESSAGE, &[&body]).at);
        bodies.push(body);
        commits(&mut disk, &mut journal);
    }
    let read_all = |disk: &mut SimulatedDisk| {
        let (mut journal, _) = open(disk, options(), 77, STATE, learner_of()).expect("a journal");
        let (mut found, mut damaged, mut at) = (Vec::new(), Vec::new(), journal.find(0));
        loop {
            match journal.at(at) {
                Lookup::Record { record, next, .. } => {
                    if record.kind == MESSAGE {
                        found.push(record.body.to_vec());
                    }
                    at = next;
                }
                Lookup::Elsewhere { bytes } => {
                    journal.fetch(at, bytes);
                    tasks(disk, &mut journal);
                }
                Lookup::Damaged { next } => {
                    damaged.push(at);
                    assert!(next > at);
                    at = next;
                }
                _ => return (found, damaged),
            }
        }
    };
    assert_eq!(read_all(&mut disk), (bodies.clone(), vec![]));
    // The body of one, and the head of another.
    disk.flip(&segment_name(1), places[10].offset as usize + 100, 0);
    disk.flip(&segment_name(1), places[25].offset as usize, 0);
    let (found, damaged) = read_all(&mut disk);
    bodies.remove(25);
    bodies.remove(10);
    assert_eq!(found, bodies);
    assert_eq!(damaged[0], places[10]);
    assert_eq!(damaged[1], places[25]);
}

#[test]
fn records_across_the_ends_of_what_is_read_are_whole() {
    let options = || Options { segment_bytes: 2 << 20, memory_bytes: 0, ..options() };
    let mut disk = SimulatedDisk::new(1);
    let (mut journal, _) = open(&mut disk, options(), 77, STATE, learner_of()).expect("empty");
    tasks(&mut disk, &mut journal);
    journal.begin_segment(0, Some((STATE, b"state"))).expect("room");
    // So many bytes a record that the head of one is cut by the end of each 256 KiB.
    for _ in 0..20_000 {
        assert_eq!(journal.make_room(16), Ok(Room::Here));
        journal.append(0, MESSAGE, &[&[7; 16]]);
    }
    commits(&mut disk, &mut journal);
    journal.forget();
    let (mut at, mut found) = (journal.find(0), 0);
    loop {
        match journal.at(at) {
            Lookup::Record { record, next, .. } => {
                found += u64::from(record.kind == MESSAGE);
                at = next;
            }
            Lookup::Elsewhere { bytes } => {
                journal.fetch(at, bytes);
                tasks(&mut disk, &mut journal);
            }
            Lookup::End => break,
            other => panic!("{other:?} at {at:?}"),
        }
    }
    assert_eq!(found, 20_000);
}

fn learner_of() -> &'static mut dyn Recovery {
    Box::leak(Box::new(|_: Address, _: &Record<'_>| true))
}

#[test]
fn what_was_read_before_it_was_written_is_not_taken_for_what_is_there() {
    let (mut disk, mut journal) = (SimulatedDisk::new(1), None);
    let options = Options { memory_bytes: 0, ..options() };
    let recovery = &mut |_: Address, _: &Record<'_>| true;
    let journal = journal.insert(open(&mut disk, options, 77, STATE, recovery).expect("empty").0);
    let first = append(&mut disk, journal, 1_000);
    journal.forget();
    let at = journal.find(first);
    let last = journal.append(0, MESSAGE, &[&[9; 1_000]]).at;
    // The second is in memory alone.
    let Lookup::Elsewhere { bytes } = journal.at(at) else { panic!("the first is on disk") };
    journal.fetch(at, bytes);
    tasks(&mut disk, journal);
    commits(&mut disk, journal);
    journal.forget();
    loop {
        match journal.at(last) {
            Lookup::Record { record, .. } => break assert_eq!(record.body, &[9; 1_000]),
            Lookup::Elsewhere { bytes } => journal.fetch(last, bytes),
            other => panic!("{other:?}"),
        }
        tasks(&mut disk, journal);
    }
}
