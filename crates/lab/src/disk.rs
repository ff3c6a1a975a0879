//! The disk by itself, the limit of whoever must have a message on it before saying so: how long one
//! append takes to be durable in several ways, and what one thread reaches that writes and syncs
//! whatever has gathered meanwhile.

mod place;
mod way;

use std::path::Path;
use std::time::Duration;
use std::{io, thread};

pub(crate) use place::Place;
use trunkline_bench::clock::{monotonic_nanoseconds, wake_on_time};
use trunkline_bench::histogram::Times;
use trunkline_experiment::definition::Append;
use way::Log;

/// What is mounted where data is kept that must reach a disk, for profiles.
pub(crate) fn file_system() -> String {
    Place::find().map_or("no disk".to_owned(), |place| place.file_system)
}

/// Bytes of a message as a log keeps it: a payload, and room for what a log writes beside it.
pub(crate) const MESSAGE: usize = 256;

/// Bytes of a log that is written from the beginning again when it is full.
const LOG: usize = 32 << 20;

/// Messages that are written at once, at most: a megabyte.
const MOST: u64 = 4_096;

/// The last of a time that is waited for, in nanoseconds.
const SPUN: u64 = 100_000;

/// Times of appends, one after another, for so long.
pub(crate) fn appends(folder: &Path, way: Append, milliseconds: u64) -> io::Result<Times> {
    let mut log = Log::new(folder, way, LOG)?;
    let message = [0x5a; MESSAGE];
    // The first is not like the others: it may find the file system asleep.
    log.append(&message)?;
    let mut times = Times::default();
    let mut now = monotonic_nanoseconds();
    let until = now + milliseconds * 1_000_000;
    while now < until {
        log.append(&message)?;
        let then = std::mem::replace(&mut now, monotonic_nanoseconds());
        times.record(now - then);
    }
    Ok(times)
}

/// What came of messages at a rate.
pub(crate) struct Committed {
    /// How many.
    pub(crate) messages: u64,
    /// Syncs that it took.
    pub(crate) syncs: u64,
    /// From when the first was due until the last was durable.
    pub(crate) nanoseconds: u64,
    /// Times from when each was due until it was durable, without the first tenth.
    pub(crate) times: Times,
}

/// Messages come at a rate, and one thread writes and syncs whatever has gathered.
pub(crate) fn group_commit(folder: &Path, rate: f64, milliseconds: u64) -> io::Result<Committed> {
    let mut log = Log::new(folder, Append::ZeroedDsync, LOG)?;
    let bytes = vec![0x5a; MOST as usize * MESSAGE];
    log.append(&bytes[..MESSAGE])?;
    wake_on_time();
    let messages = (rate * milliseconds as f64 / 1e3).max(50.0) as u64;
    let (mut done, mut syncs, mut times) = (0, 0, Times::default());
    let start = monotonic_nanoseconds();
    // Rounded up, so that a message has come when it is due.
    let due = |number: u64| start + (number as f64 * 1e9 / rate).ceil() as u64;
    let mut now = start;
    while done < messages {
        let elapsed = now.saturating_sub(start) as f64 / 1e9;
        let came = ((elapsed * rate) as u64 + 1).min(messages);
        let batch = came.saturating_sub(done).min(MOST);
        if batch == 0 {
            now = wait_until(due(done));
            continue;
        }
        log.append(&bytes[..batch as usize * MESSAGE])?;
        now = monotonic_nanoseconds();
        for number in (done..done + batch).filter(|number| *number >= messages / 10) {
            times.record(now.saturating_sub(due(number)));
        }
        done += batch;
        syncs += 1;
    }
    Ok(Committed { messages, syncs, nanoseconds: (now - start).max(1), times })
}

/// Sleeps, and spins for the last of the time: one that always spins is soon made to wait for others.
fn wait_until(due: u64) -> u64 {
    let left = due.saturating_sub(monotonic_nanoseconds());
    if left > 2 * SPUN {
        thread::sleep(Duration::from_nanos(left - SPUN));
    }
    loop {
        match monotonic_nanoseconds() {
            now if now >= due => return now,
            _ => std::hint::spin_loop(),
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use trunkline_bench::folder::PrivateFolder;

    #[test]
    fn every_way_appends_and_groups_hold_all_messages() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        for way in Append::ALL {
            match appends(folder.path(), way, 5) {
                Ok(times) => assert!(times.count() > 0, "{}", way.name()),
                // Files in memory may know no direct way.
                Err(error) => assert_eq!(way, Append::ZeroedDirect, "{error}"),
            }
        }
        let found = group_commit(folder.path(), 20_000.0, 20).expect("a place for files");
        assert_eq!((found.messages, found.times.count()), (400, 360));
        assert!((1..=400).contains(&found.syncs) && found.nanoseconds >= 19_000_000);
    }
}
