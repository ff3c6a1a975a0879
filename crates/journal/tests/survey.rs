//! Looking at journals: what is said of segments, damage and torn ends, and that nothing is changed.

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{
    Address, DamageKind, Disk as _, IndexState, Journal, Options, Record, Room, Survey, commit,
    open, segment_name, survey, task,
};

const STATE: u8 = 1;
const MESSAGE: u8 = 2;

fn options() -> Options {
    Options {
        segment_bytes: 64 << 10,
        memory_bytes: 1 << 20,
        pending_bytes: 1 << 20,
        ..Options::default()
    }
}

fn work(disk: &mut SimulatedDisk, journal: &mut Journal) {
    while let Some(it) = journal.next_task(0) {
        let done = task(disk, &it);
        journal.task_done(0, done);
    }
    while let Some(it) = journal.next_commit() {
        let result = commit(disk, &it);
        journal.committed(0, result);
    }
}

/// A journal with so many messages of 1,000 bytes, and where they are.
fn filled(messages: u64) -> (SimulatedDisk, Journal, Vec<Address>) {
    let mut disk = SimulatedDisk::new(1);
    let (mut journal, _) =
        open(&mut disk, options(), 77, STATE, &mut |_: Address, _: &Record<'_>| true)
            .expect("empty");
    let mut places = Vec::new();
    for time in 1..=messages {
        work(&mut disk, &mut journal);
        if journal.make_room(1_000).expect("room") == Room::NewSegment {
            journal.begin_segment(time, Some((STATE, b"state"))).expect("room");
            journal.make_room(1_000).expect("room");
        }
        places.push(journal.append(time, MESSAGE, &[&time.to_le_bytes(), &[7; 992]]).at);
    }
    work(&mut disk, &mut journal);
    (disk, journal, places)
}

fn look(disk: &mut SimulatedDisk) -> (Survey, u64) {
    let mut messages = 0;
    let found = survey(disk, &mut |_, record| messages += u64::from(record.kind == MESSAGE));
    (found.expect("it can be read").expect("there is one"), messages)
}

#[test]
fn a_whole_journal() {
    let mut empty = SimulatedDisk::new(1);
    assert_eq!(survey(&mut empty, &mut |_, _| {}).expect("it can be read"), None);
    let (mut disk, mut journal, _) = filled(200);
    let (found, messages) = look(&mut disk);
    assert_eq!((found.journal, messages, found.is_sound()), (77, 200, true));
    assert_eq!((found.torn, found.was_closed), (None, false));
    let records: u64 = found.segments.iter().map(|it| it.records).sum();
    assert_eq!(records, 200 + 4);
    let first = &found.segments[0];
    assert_eq!((first.number, first.bytes, first.positions), (1, 64 << 10, Some((1, 63))));
    assert_eq!((first.times, first.index), (Some((1, 62)), IndexState::Right));
    let last = found.segments.iter().rfind(|it| it.records > 0).expect("records");
    assert_eq!(last.index, IndexState::Missing);
    journal.close();
    work(&mut disk, &mut journal);
    let (found, _) = look(&mut disk);
    assert!(found.was_closed && found.is_sound());
}

#[test]
fn damage_is_named_and_costs_what_it_touches() {
    let (mut disk, _, places) = filled(200);
    let (body, head) = (places[10], places[70]);
    assert_eq!((body.segment, head.segment), (1, 2));
    disk.flip(&segment_name(1), body.offset as usize + 500, 3);
    disk.flip(&segment_name(2), head.offset as usize, 3);
    disk.flip(&segment_name(3), 20, 0);
    let (found, messages) = look(&mut disk);
    assert_eq!((messages, found.damaged_records.len(), found.is_sound()), (198, 2, false));
    let [first, second] = &found.damaged_records[..] else { panic!("{:?}", found.damaged_records) };
    assert_eq!((first.damage.at, first.damage.kind), (body, DamageKind::Body));
    assert_eq!((first.kind, &first.body[..8]), (Some(MESSAGE), &11_u64.to_le_bytes()[..]));
    assert_eq!((second.damage.at, second.damage.kind), (head, DamageKind::Head));
    assert_eq!((second.kind, second.damage.bytes), (None, 1_040));
    assert!(found.segments[2].head.is_err());
    assert_eq!(found.segments[0].index, IndexState::Wrong, "it says more than there is");
}

#[test]
fn what_was_being_written_is_no_damage() {
    let (mut disk, _, places) = filled(30);
    let last = places[29];
    disk.flip(&segment_name(1), last.offset as usize + 500, 3);
    let before: Vec<_> = disk.names().expect("names");
    let (found, messages) = look(&mut disk);
    assert_eq!((messages, found.is_sound()), (29, true));
    let torn = found.torn.expect("the end is torn");
    assert_eq!((torn.at, torn.bytes), (last, 1_040));
    assert_eq!(disk.names().expect("names"), before);
    let (again, _) = look(&mut disk);
    assert_eq!(again, found, "looking changes nothing");
}

#[test]
fn of_a_damaged_record_the_beginning_is_told() {
    let (mut disk, mut journal, _) = filled(1);
    let mut places = Vec::new();
    for time in 2..4 {
        journal.make_room(5_000).expect("room");
        places.push(journal.append(time, MESSAGE, &[&[7; 5_000]]).at);
        work(&mut disk, &mut journal);
    }
    disk.flip(&segment_name(1), places[0].offset as usize + 4_000, 3);
    let (found, _) = look(&mut disk);
    assert_eq!((found.damaged_records.len(), found.is_sound()), (1, false));
    assert_eq!(
        (found.damaged_records[0].kind, &found.damaged_records[0].body[..]),
        (Some(MESSAGE), &[7; 1_024][..])
    );
}

#[test]
fn a_damaged_head_alone_is_damage() {
    let (mut disk, _, _) = filled(200);
    disk.flip(&segment_name(2), 20, 0);
    let (found, messages) = look(&mut disk);
    assert_eq!((messages, found.damaged_records.len(), found.is_sound()), (200, 0, false));
    let right: Vec<bool> = found.segments.iter().map(|it| it.has_right_head()).collect();
    assert_eq!(right.iter().filter(|it| !**it).count(), 1, "{right:?}");
    assert!(!right[1] && found.segments.iter().all(|it| !it.is_being_made));
}
