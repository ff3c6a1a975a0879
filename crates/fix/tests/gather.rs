//! A store that is cut off at any point. Where it gathers what it keeps, numbers and messages are as before; where it notes what it
//! does not keep, no number is used twice.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use trunkline_fix::{JournalStore, Store};
use trunkline_journal::Disk;
use trunkline_journal::simulated::SimulatedDisk;
use trunkline_random::Random;

/// The smallest store: four segments, of which it gathers when three have hardly anything.
const BYTES: u64 = 256 << 10;

/// How a process ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Kill,
    PowerCut,
}

struct Machine {
    disk: SimulatedDisk,
    /// So many changes of the disk are made, and at the next the process ends.
    left: Option<u64>,
    end: End,
    random: Random,
}

/// The disk of a process, of which nothing reaches the machine once it has ended.
#[derive(Clone)]
struct Shared(Arc<Mutex<Machine>>);

impl Shared {
    fn on(disk: SimulatedDisk, left: Option<u64>, end: End, seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Machine { disk, left, end, random: Random::new(seed) })))
    }

    fn open(&self) -> Result<JournalStore, String> {
        JournalStore::on(Box::new(self.clone()), BYTES).map_err(|error| error.to_string())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Machine) -> T) -> T {
        work(&mut self.0.lock().expect("no panic before"))
    }

    fn change<T>(
        &self,
        writing: &[(String, u64, &[u8])],
        work: impl FnOnce(&mut SimulatedDisk) -> io::Result<T>,
    ) -> io::Result<T> {
        self.with(|machine| {
            let Machine { disk, left, end, random } = machine;
            match left {
                None => return work(disk),
                Some(0) => return Err(io::Error::other("the process has ended")),
                Some(left) => *left -= 1,
            }
            if *left == Some(0) {
                let chance = &mut |most| random.below(most);
                match end {
                    End::Kill => disk.kill(writing, chance),
                    End::PowerCut => disk.cut_power(writing, chance),
                }
                return Err(io::Error::other("the process ends"));
            }
            work(disk)
        })
    }
}

impl Disk for Shared {
    fn names(&mut self) -> io::Result<Vec<String>> {
        self.with(|it| it.disk.names())
    }

    fn length(&mut self, name: &str) -> io::Result<u64> {
        self.with(|it| it.disk.length(name))
    }

    fn create(&mut self, name: &str, head: &[u8], bytes: u64) -> io::Result<()> {
        self.change(&[], |disk| disk.create(name, head, bytes))
    }

    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let writing = [(name.to_owned(), offset, bytes)];
        self.change(&writing, |disk| disk.write(name, offset, bytes))
    }

    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.change(&[], |disk| disk.replace(name, bytes))
    }

    fn truncate(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        self.change(&[], |disk| disk.truncate(name, bytes))
    }

    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(|it| it.disk.read(name, offset, buffer))
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        self.change(&[], |disk| disk.remove(name))
    }
}

/// Numbers, when they began, and the messages with theirs.
type Content = ((u64, u64), Option<i64>, Vec<(u64, Vec<u8>)>);

fn content(store: &mut JournalStore) -> Content {
    let (mut messages, mut message, mut from) = (Vec::new(), Vec::new(), 1);
    while let Some(number) = store.load(from, &mut message).expect("it is in memory") {
        messages.push((number, message.clone()));
        from = number + 1;
    }
    ((store.next_sender(), store.next_target()), store.began(), messages)
}

/// A disk whose store gathers when it is opened the next time, and what is in it.
fn full_of_openings(message_bytes: usize) -> (SimulatedDisk, Content) {
    let shared = Shared::on(SimulatedDisk::new(1), None, End::Kill, 0);
    let mut expected = None;
    for opening in 0..3 {
        let mut store = shared.open().expect("it opens");
        if opening == 0 {
            store.save(Some(b"of the numbers before")).expect("a disk");
            store.reset(1_000_000_007).expect("a disk");
        }
        for number in 0..20_u8 {
            // Every third is of the session itself.
            let message = vec![b'a' + number; message_bytes];
            store.save((!number.is_multiple_of(3)).then_some(&*message)).expect("a disk");
            store.set_next_target(store.next_target() + 2).expect("a disk");
        }
        store.wait().expect("a disk");
        expected = Some(content(&mut store));
    }
    let disk = shared.with(|it| it.disk.clone());
    (disk, expected.expect("it was opened"))
}

#[test]
fn what_is_kept_is_as_before_wherever_gathering_is_cut_off() {
    for (message_bytes, end) in
        [(90, End::Kill), (90, End::PowerCut), (1_500, End::Kill), (1_500, End::PowerCut)]
    {
        let (disk, expected) = full_of_openings(message_bytes);
        let mut cuts = 0;
        for left in 1.. {
            let mut was_cut = true;
            for seed in 0..20 {
                let place =
                    format!("{end:?} at change {left}, seed {seed}, of {message_bytes} bytes");
                let shared = Shared::on(disk.clone(), Some(left), end, seed);
                let opened = shared.open();
                was_cut = opened.is_err() || shared.with(|it| it.left == Some(0));
                drop(opened);
                // The next processes are not cut off, and one of them gathers, too.
                let disk = shared.with(|it| it.disk.clone());
                let shared = Shared::on(disk, None, end, seed);
                for opening in 0..3 {
                    let mut store = shared.open().unwrap_or_else(|why| panic!("{place}: {why}"));
                    assert_eq!(content(&mut store), expected, "{place}, opening {opening}");
                }
            }
            if !was_cut {
                break;
            }
            cuts += 1;
        }
        assert!(cuts > 2, "{cuts}");
    }
}

#[test]
fn what_is_noted_does_not_wait_for_the_disk() {
    let shared = Shared::on(SimulatedDisk::new(1), Some(1 << 20), End::Kill, 0);
    let mut store = shared.open().expect("it opens");
    let changes = || shared.with(|it| (1 << 20) - it.left.expect("they are counted"));
    let before = changes();
    for _ in 0..5_000 {
        store.note().expect("a disk");
        store.note_next_target(store.next_target() + 1).expect("a disk");
        let mark = store.sync().expect("a disk");
        assert!(store.stored().expect("a disk") >= mark);
    }
    // Numbers are reserved two thousand at a time; those that are expected are written by the thousand, or as time passes.
    assert!(changes() - before < 500, "{}", changes() - before);
}

#[test]
fn no_number_is_sent_twice_wherever_the_process_ends() {
    let (mut gaps, mut was_cut) = (0, 0);
    for seed in 0..300 {
        let end = if seed % 2 == 0 { End::Kill } else { End::PowerCut };
        let mut random = Random::new(seed);
        let mut disk = SimulatedDisk::new(1);
        let (mut last, mut kept, mut expected) = (0, BTreeMap::new(), 1..=1);
        for process in 0..5 {
            let place = format!("{end:?}, seed {seed}, process {process}");
            let shared = Shared::on(disk, Some(1 + random.below(40)), end, seed);
            if let Ok(mut store) = shared.open() {
                assert!(store.next_sender() > last, "{place}: {} was sent", last);
                gaps += u64::from(store.next_sender() > last + 1);
                let (_, _, messages) = content(&mut store);
                let messages: BTreeMap<u64, Vec<u8>> = messages.into_iter().collect();
                for (number, message) in &kept {
                    assert_eq!(messages.get(number), Some(message), "{place}: {number}");
                }
                // What was noted goes to the disk with what had to be there, at the latest.
                let next = store.next_target();
                assert!(expected.contains(&next), "{place}: {next} is not in {expected:?}");
                expected = next..=next;
                let has_ended = || shared.with(|it| it.left == Some(0));
                for _ in 0..random.below(6_000) {
                    let number = store.next_sender();
                    let message = (random.below(40) == 0).then(|| number.to_le_bytes().to_vec());
                    if random.below(4) == 0 {
                        expected = *expected.start()..=store.next_target() + 1;
                        if store.note_next_target(*expected.end()).is_err() {
                            break;
                        }
                    }
                    let saved = match &message {
                        None if random.below(40) > 0 => store.note(),
                        message => store.save(message.as_deref()),
                    };
                    let stored =
                        saved.and_then(|()| store.sync()).and_then(|it| Ok(store.stored()? >= it));
                    if has_ended() || !matches!(stored, Ok(true)) {
                        break;
                    }
                    last = number;
                    if message.is_some() {
                        expected = store.next_target()..=store.next_target();
                    }
                    kept.extend(message.map(|it| (number, it)));
                }
            }
            disk = shared.with(|it| {
                match it.left == Some(0) {
                    true => was_cut += 1,
                    // It ends while nothing is being written.
                    false => it.disk.kill(&[], &mut |most| random.below(most)),
                }
                it.disk.clone()
            });
        }
    }
    assert!(gaps > 300 && was_cut > 300, "{gaps}, {was_cut}");
}
