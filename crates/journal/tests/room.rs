//! Room: when a segment is begun, how much there may be, and when some of it is let go of.

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{
    Address, Commit, Disk as _, Done, Journal, Lookup, Options, Record, Recovery, Rejection, Room,
    SEGMENT_HEAD, Task, commit, open, segment_name, task,
};

const STATE: u8 = 1;
const MESSAGE: u8 = 2;
const SEGMENT: u32 = 64 << 10;

fn options() -> Options {
    Options {
        segment_bytes: SEGMENT,
        memory_bytes: 1 << 20,
        pending_bytes: 1 << 20,
        bytes: 1 << 30,
        keep: u64::MAX,
    }
}

fn begun(disk: &mut SimulatedDisk, options: Options) -> Journal {
    open(disk, options, 77, STATE, &mut |_: Address, _: &Record<'_>| true).expect("a journal").0
}

fn tasks(disk: &mut SimulatedDisk, journal: &mut Journal) {
    tasks_at(disk, journal, 0);
}

fn tasks_at(disk: &mut SimulatedDisk, journal: &mut Journal, now: u64) {
    while let Some(it) = journal.next_task(now) {
        let done = task(disk, &it);
        journal.task_done(now, done);
    }
}

fn commits(disk: &mut SimulatedDisk, journal: &mut Journal) {
    while let Some(it) = journal.next_commit() {
        let result = commit(disk, &it);
        journal.committed(0, result);
    }
}

/// Appends a message, in a new segment if that is where there is room.
fn append(journal: &mut Journal, body: &[u8]) -> Result<Address, Rejection> {
    if journal.make_room(body.len())? == Room::NewSegment {
        journal.begin_segment(0, Some((STATE, b"state")))?;
        journal.make_room(body.len())?;
    }
    Ok(journal.append(0, MESSAGE, &[body]).at)
}

#[test]
fn a_segment_is_begun_with_its_first_record_or_not_at_all() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    assert_eq!(journal.make_room(10), Err(Rejection::Busy), "there is no file yet");
    assert_eq!(journal.begin_segment(0, None), Err(Rejection::Busy));
    tasks(&mut disk, &mut journal);
    assert_eq!(journal.make_room(10), Ok(Room::NewSegment));
    assert_eq!(journal.make_room(10), Ok(Room::NewSegment), "it was not begun");
    let limit = journal.first_bytes();
    let state = vec![7; limit + 1];
    let rejected = Rejection::TooLong { bytes: limit + 1, limit };
    assert_eq!(journal.begin_segment(0, Some((STATE, &state))), Err(rejected));
    assert_eq!((journal.last(), journal.make_room(10)), (0, Ok(Room::NewSegment)));
    journal.begin_segment(0, Some((STATE, &state[..limit]))).expect("it fits just so");
    assert_eq!((journal.last(), journal.make_room(0)), (1, Err(Rejection::Busy)));
    let end = journal.end();
    commits(&mut disk, &mut journal);
    journal.advance(u64::MAX);
    assert_eq!(journal.last(), 2, "and there is room for a mark");
    assert!(end.offset < journal.end().offset && journal.end().offset <= SEGMENT);
}

#[test]
fn what_was_just_written_is_in_memory_until_it_is_forgotten() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, Options { memory_bytes: 0, ..options() });
    tasks(&mut disk, &mut journal);
    let at = append(&mut journal, b"one").expect("room");
    assert!(!journal.is_writing());
    let it = journal.next_commit().expect("something to write");
    assert!(journal.is_writing());
    let result = commit(&mut disk, &it);
    journal.committed(0, result);
    assert!(!journal.is_writing());
    drop(it);
    assert!(matches!(journal.at(at), Lookup::Record { .. }));
    journal.forget();
    assert!(matches!(journal.at(at), Lookup::Elsewhere { .. }));
}

#[test]
fn what_waits_to_be_written_pushes_nothing_out() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, Options { memory_bytes: 2_000, ..options() });
    tasks(&mut disk, &mut journal);
    let at = append(&mut journal, &[1; 1_000]).expect("room");
    commits(&mut disk, &mut journal);
    for _ in 0..10 {
        append(&mut journal, &[2; 1_000]).expect("room");
    }
    journal.forget();
    assert!(matches!(journal.at(at), Lookup::Record { .. }));
    commits(&mut disk, &mut journal);
    journal.forget();
    assert!(matches!(journal.at(at), Lookup::Elsewhere { .. }));
}

#[test]
fn bytes_are_those_of_the_files() {
    let mut disk = SimulatedDisk::new(1);
    for _ in 0..3 {
        let mut journal = begun(&mut disk, options());
        tasks(&mut disk, &mut journal);
        append(&mut journal, &[1; 1_000]).expect("room");
        commits(&mut disk, &mut journal);
        tasks(&mut disk, &mut journal);
    }
    let half = Options { segment_bytes: SEGMENT / 2, ..options() };
    let mut journal = begun(&mut disk, half);
    tasks(&mut disk, &mut journal);
    append(&mut journal, &[1; 1_000]).expect("room");
    let cut = SEGMENT_HEAD as u64 + 48 + 1_040;
    let current = u64::from(SEGMENT / 2);
    assert_eq!(journal.bytes(), 3 * cut + current);
    let begins = |segment| Address { segment, offset: SEGMENT_HEAD as u32 };
    assert_eq!(journal.within(u64::MAX), begins(1));
    assert_eq!(journal.within(3 * cut + current), begins(1));
    assert_eq!(journal.within(3 * cut + current - 1), begins(2));
    assert_eq!(journal.within(cut + current), begins(3));
    assert_eq!(journal.within(0), begins(4));
}

#[test]
fn too_many_segments_are_said_to_be_before_it_is_tried() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, Options { bytes: 3 * u64::from(SEGMENT), ..options() });
    assert!(!journal.wants_room(0));
    let mut rejected = 0;
    while !journal.wants_room(0) {
        rejected += u32::from(append(&mut journal, &[1; 1_000]).is_err());
        commits(&mut disk, &mut journal);
        if !journal.wants_room(0) {
            tasks(&mut disk, &mut journal);
        }
    }
    assert_eq!((rejected, journal.bytes()), (1, 3 * u64::from(SEGMENT)));
    assert_eq!(journal.shortage(), None);
    let last = journal.last();
    assert!(journal.retain(0, last) > 1);
    assert!(!journal.wants_room(0));
    tasks(&mut disk, &mut journal);
    for _ in 0..65 {
        append(&mut journal, &[1; 1_000]).expect("room");
        commits(&mut disk, &mut journal);
    }
    assert!(journal.wants_room(0));
    assert_eq!(journal.retain(0, 0), journal.first(), "all of it is needed");
    assert!(journal.wants_room(0));
    tasks(&mut disk, &mut journal);
    assert!(journal.shortage().is_some_and(|why| why.contains("journal.bytes")));
    assert!(!journal.wants_room(0), "it was tried a moment ago");
    assert!(journal.wants_room(2_000_000_000));
}

#[test]
fn the_last_state_on_the_disk_stays_until_the_next_is_there() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, Options { bytes: 0, ..options() });
    journal.set_options(options());
    // Three segments, and none of it is written.
    let mut written: Option<Commit> = None;
    while journal.end().segment < 4 {
        tasks(&mut disk, &mut journal);
        append(&mut journal, &[1; 1_000]).expect("room");
        if journal.end().segment == 1 {
            commits(&mut disk, &mut journal);
        } else {
            written = written.or_else(|| journal.next_commit());
        }
    }
    // All of the first is on the disk, and nothing of the others.
    journal.set_options(Options { bytes: 0, keep: 0, ..options() });
    assert_eq!(journal.retain(u64::MAX, u64::MAX), 1);
    let result = commit(&mut disk, &written.expect("a commit"));
    journal.committed(0, result);
    assert_eq!(journal.retain(u64::MAX, u64::MAX), 1, "only that of the second is there besides");
    commits(&mut disk, &mut journal);
    assert!(journal.retain(u64::MAX, u64::MAX) > 1, "two later ones are there now");
}

#[test]
fn one_record_is_taken_whatever_may_wait() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, Options { pending_bytes: 0, ..options() });
    tasks(&mut disk, &mut journal);
    journal.begin_segment(0, Some((STATE, b"state"))).expect("room");
    assert_eq!(journal.make_room(10), Err(Rejection::Busy));
    commits(&mut disk, &mut journal);
    append(&mut journal, b"one").expect("room");
    assert_eq!(journal.make_room(10), Err(Rejection::Busy));
}

#[test]
fn a_journal_in_memory_is_bounded() {
    let mut journal = Journal::in_memory(Options { bytes: 4 * u64::from(SEGMENT), ..options() });
    let (mut taken, mut wanted) = (0, false);
    let why = loop {
        wanted |= journal.wants_room(0);
        match append(&mut journal, &[1; 1_000]) {
            Ok(_) => taken += 1,
            Err(Rejection::Full(why)) => break why,
            Err(other) => panic!("{other:?}"),
        }
    };
    assert!(why.contains("journal.bytes"), "{why}");
    assert!(wanted && (240..=252).contains(&taken), "{taken}");
    assert!(journal.bytes() <= 4 * u64::from(SEGMENT));
    assert_eq!((journal.shortage(), journal.next_deadline()), (Some(&*why), None));
    assert_eq!(journal.retain(0, 0), 1, "all of it is needed");
    assert!(!journal.wants_room(0), "it is over, and that was tried");
    assert_eq!(append(&mut journal, &[1; 1_000]), Err(Rejection::Full(why)));
    let last = journal.last();
    assert!(journal.retain(0, last) > 1);
    append(&mut journal, &[1; 1_000]).expect("it goes on");
    assert_eq!(journal.shortage(), None);
}

#[test]
fn a_start_beyond_the_limit_has_room_for_what_releases_segments() {
    let mut disk = SimulatedDisk::new(1);
    let two = Options { bytes: 2 * u64::from(SEGMENT), ..options() };
    let mut journal = begun(&mut disk, two.clone());
    for _ in 0..400 {
        if append(&mut journal, &[1; 1_000]).is_err() {
            journal.exceed();
        }
        commits(&mut disk, &mut journal);
        tasks(&mut disk, &mut journal);
    }
    assert_eq!(journal.bytes(), 4 * u64::from(SEGMENT), "both are used up");
    let mut journal = begun(&mut disk, two);
    tasks(&mut disk, &mut journal);
    let rejected = append(&mut journal, b"letter");
    assert!(matches!(rejected, Err(Rejection::Full(_))), "{rejected:?}");
    journal.exceed();
    tasks(&mut disk, &mut journal);
    append(&mut journal, b"letter").expect("there would never be room");
}

#[test]
fn what_nobody_needs_makes_room_on_a_full_disk() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    tasks(&mut disk, &mut journal);
    while journal.bytes() < 4 * u64::from(SEGMENT) {
        append(&mut journal, &[7; 1_000]).expect("room");
        commits(&mut disk, &mut journal);
        tasks(&mut disk, &mut journal);
    }
    disk.set_room(Some(0));
    let mut rejected = false;
    while !rejected {
        rejected = append(&mut journal, &[7; 1_000]).is_err();
        commits(&mut disk, &mut journal);
        tasks(&mut disk, &mut journal);
    }
    assert!(journal.wants_room(0), "though journal.bytes allow more");
    let needed = journal.first();
    journal.retain(0, needed);
    assert_eq!(journal.first(), needed, "what is needed stays");
    tasks_at(&mut disk, &mut journal, 2_000_000_000);
    assert!(journal.wants_room(2_000_000_000), "it was tried again");
    let before = journal.bytes();
    journal.retain(0, u64::MAX);
    assert_eq!(before - journal.bytes(), u64::from(SEGMENT), "no more than is asked for");
    disk.set_room(None);
    tasks_at(&mut disk, &mut journal, 2_000_000_000);
    append(&mut journal, &[7; 1_000]).expect("room");
}

#[test]
fn a_segment_that_could_not_be_made_is_tried_again() {
    for done in [Done::Failed("no handle".into()), Done::NoRoom("no handle".into())] {
        let mut disk = SimulatedDisk::new(1);
        let mut journal = begun(&mut disk, options());
        assert!(!journal.is_at_work() && !journal.is_trying());
        let it = journal.next_task(0);
        assert!(matches!(it, Some(Task::Prepare { .. })), "{it:?}");
        assert!(journal.is_at_work() && journal.is_trying());
        journal.task_done(0, done);
        assert!(!journal.is_at_work() && !journal.is_trying());
        assert_eq!(journal.shortage(), Some("no handle"));
        assert_eq!(journal.make_room(10), Err(Rejection::Full("no handle".into())));
        assert!(journal.next_task(0).is_none(), "not at once");
        let due = journal.next_deadline().expect("it is tried again");
        tasks_at(&mut disk, &mut journal, due);
        assert_eq!(journal.shortage(), None);
        assert_eq!(journal.make_room(10), Ok(Room::NewSegment));
    }
}

#[test]
fn what_there_is_and_is_to_be_written_is_said() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    tasks(&mut disk, &mut journal);
    append(&mut journal, &[1; 1_000]).expect("room");
    assert!(journal.is_on_disk() && journal.pending() > 1_000);
    let it = journal.next_commit().expect("something to write");
    assert_eq!((journal.writing(), journal.durable()), (journal.last(), 0));
    let result = commit(&mut disk, &it);
    journal.committed(0, result);
    assert_eq!((journal.pending(), journal.durable()), (0, journal.last()));
    assert_eq!(journal.excess(), 0);
    let less = journal.bytes() - 1_000;
    journal.set_options(Options { bytes: less, ..options() });
    assert_eq!(journal.excess(), 1_000, "it may have less now");
    let in_memory = Journal::in_memory(Options { bytes: 0, ..options() });
    assert_eq!((in_memory.is_on_disk(), in_memory.excess()), (false, 0));
}

#[test]
fn the_current_segment_stays_and_on_a_disk_the_one_before_it() {
    let least = || Options { bytes: 0, keep: 0, ..options() };
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    while journal.end().segment < 4 || journal.end().offset < SEGMENT * 3 / 4 {
        // So that the next is wanted, and what is known need not be there twice.
        if journal.end().segment < 4 {
            tasks(&mut disk, &mut journal);
        }
        append(&mut journal, &[1; 1_000]).expect("room");
        commits(&mut disk, &mut journal);
    }
    journal.set_options(least());
    let first = journal.retain(u64::MAX, u64::MAX);
    let at = journal.find(first);
    assert_eq!((at.segment, at.offset), (3, SEGMENT_HEAD as u32), "what is known is there twice");
    tasks(&mut disk, &mut journal);
    let names = disk.names().expect("names");
    let mut left: Vec<&String> = names.iter().filter(|it| it.ends_with(".journal")).collect();
    left.sort();
    assert_eq!(*left[0], segment_name(3), "the files of the others are gone");

    let mut journal = Journal::in_memory(options());
    while journal.end().segment < 2 {
        append(&mut journal, &[1; 1_000]).expect("room");
    }
    journal.set_options(least());
    let first = journal.retain(u64::MAX, u64::MAX);
    assert_eq!(journal.find(first).segment, 2);
    assert!(matches!(journal.at(journal.find(first)), Lookup::Record { .. }));
}

#[test]
fn a_record_is_half_a_segment_and_no_more() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    tasks(&mut disk, &mut journal);
    let (limit, half) = (journal.record_bytes(), SEGMENT as usize / 2);
    assert!((half - 1_000..half).contains(&limit), "{limit}");
    let body = vec![7; limit + 1];
    let rejected = Rejection::TooLong { bytes: limit + 1, limit };
    assert_eq!(append(&mut journal, &body), Err(rejected));
    let at = append(&mut journal, &body[..limit]).expect("it fits just so");
    commits(&mut disk, &mut journal);
    let mut longest = 0;
    let mut apply = |_: Address, record: &Record<'_>| {
        longest = longest.max(record.body.len());
        true
    };
    open(&mut disk, options(), 77, STATE, &mut apply).expect("a journal");
    assert_eq!((longest, at.segment), (limit, 1));
}

/// Learns from the segment that the first record of each names.
struct Named;

impl Recovery for Named {
    fn since(&self, _: u32, first: &Record<'_>) -> Option<u32> {
        std::str::from_utf8(first.body).ok()?.parse().ok()
    }

    fn apply(&mut self, _: Address, _: &Record<'_>) -> bool {
        true
    }
}

#[test]
fn what_was_known_twice_is_so_when_the_journal_is_opened_again() {
    // Where all is known from each segment on, where the last two say the same, and where two say so of those
    // before them.
    for (since, first) in [([1, 2, 3, 4], 3), ([1, 2, 3, 3], 2), ([1, 1, 2, 3], 2)] {
        let mut disk = SimulatedDisk::new(1);
        let mut journal = begun(&mut disk, options());
        for since in since {
            tasks(&mut disk, &mut journal);
            let body = since.to_string();
            let state = Some((STATE, body.as_bytes()));
            journal.begin_segment_since(0, state, since).expect("room");
            while journal.make_room(1_000) == Ok(Room::Here) {
                journal.append(0, MESSAGE, &[&[1; 1_000]]);
                commits(&mut disk, &mut journal);
            }
        }
        let old = Options { keep: 0, ..options() };
        let (opened, report) =
            open(&mut disk, old.clone(), 77, STATE, &mut Named).expect("a journal");
        assert_eq!((report.damages, opened.since()), (vec![], since[3]));
        journal.set_options(old);
        for mut journal in [journal, opened] {
            let left = journal.retain(u64::MAX, u64::MAX);
            assert_eq!(journal.find(left).segment, first, "{since:?}");
        }
    }
}

#[test]
fn segments_keep_their_length_whatever_the_options_are() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    let limit = journal.record_bytes();
    journal.set_options(Options { segment_bytes: SEGMENT * 2, ..options() });
    assert_eq!(journal.record_bytes(), limit);
    tasks(&mut disk, &mut journal);
    assert_eq!(journal.bytes(), 0, "it is not begun");
    journal.begin_segment(0, None).expect("room");
    assert_eq!((journal.bytes(), journal.first(), journal.last()), (SEGMENT.into(), 1, 0));
}

#[test]
fn the_last_segment_is_within_any_number_of_bytes() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    tasks(&mut disk, &mut journal);
    append(&mut journal, b"one").expect("room");
    commits(&mut disk, &mut journal);
    let journal = begun(&mut disk, options());
    assert_eq!(journal.within(0), Address { segment: 1, offset: SEGMENT_HEAD as u32 });
}

#[test]
fn a_journal_that_failed_removes_nothing_when_it_is_closed() {
    let mut disk = SimulatedDisk::new(1);
    let mut journal = begun(&mut disk, options());
    tasks(&mut disk, &mut journal);
    for _ in 0..40 {
        append(&mut journal, &[1; 1_000]).expect("room");
    }
    commits(&mut disk, &mut journal);
    // The next one is there too.
    tasks(&mut disk, &mut journal);
    let before = disk.names().expect("names");
    assert!(before.contains(&segment_name(2)), "{before:?}");
    append(&mut journal, b"lost").expect("room");
    journal.next_commit().expect("something to write");
    journal.committed(0, Err("the disk failed".to_owned()));
    journal.close();
    tasks(&mut disk, &mut journal);
    assert_eq!(disk.names().expect("names"), before);
}

#[test]
fn segments_that_were_made_for_nothing_do_not_pile_up() {
    let mut disk = SimulatedDisk::new(1);
    for _ in 0..5 {
        let mut journal = begun(&mut disk, options());
        tasks(&mut disk, &mut journal);
    }
    let names = disk.names().expect("names");
    assert!(names.len() <= 2, "{names:?}");
}

#[test]
fn what_waits_in_memory_is_no_more_than_there_is() {
    let mut journal = Journal::in_memory(Options { bytes: 2 * u64::from(SEGMENT), ..options() });
    for _ in 0..1_000 {
        journal.retain(0, u64::MAX);
        append(&mut journal, &[1; 1_000]).expect("room");
    }
    assert!(journal.pending() as u64 <= journal.bytes(), "{}", journal.pending());
}
