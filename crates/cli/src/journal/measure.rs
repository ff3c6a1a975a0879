//! `trunkline journal measure DIR`: how long a disk takes to keep a small record, by each way.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, OFlags, fallocate};
use rustix::io::{ReadWriteFlags, pwritev2};
use trunkline_bench::table::{Align, Table};

use crate::Ending;
use crate::fault::Fault;
use crate::output::Form;

/// Bytes of a record.
const RECORD: usize = 256;
/// Bytes that direct writes are in, and begin at multiples of.
const PAGE: usize = 4096;
/// The most writes of each way, and how long they may take.
const WRITES: usize = 2_000;
const TIME: Duration = Duration::from_secs(1);
/// Bytes of the file.
const BYTES: usize = WRITES * PAGE;
/// Name of the file; it is removed.
const NAME: &str = "trunkline-measure.tmp";

/// A way to have bytes on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Grown,
    Kept,
    Zeros,
    WriteThrough,
    Direct,
}

const WAYS: [(Way, &str); 5] = [
    (Way::Grown, "the file grows, fdatasync"),
    (Way::Kept, "room kept by fallocate, fdatasync"),
    (Way::Zeros, "zeros written before, fdatasync"),
    (Way::WriteThrough, "zeros written before, pwritev2 RWF_DSYNC (the journal)"),
    (Way::Direct, "zeros written before, O_DIRECT|O_DSYNC, 4 KiB"),
];

pub(super) fn run(folder: &Path, form: Form) -> Result<Ending, Fault> {
    let path = folder.join(NAME);
    let titles = [
        ("way", Align::Left),
        ("writes", Align::Right),
        ("p50 us", Align::Right),
        ("p99 us", Align::Right),
        ("note", Align::Left),
    ];
    let mut table = Table::new(titles);
    let mut fastest: Option<(Duration, &str)> = None;
    for (way, name) in WAYS {
        let measured = measure(way, &path);
        // A file system may not know a way.
        let times = match measured {
            Ok(times) if !times.is_empty() => times,
            Ok(_) => continue,
            Err(cause) if way == Way::Direct => {
                let none = String::new;
                table.row([name.to_owned(), none(), none(), none(), format!("not here: {cause}")]);
                continue;
            }
            Err(cause) => {
                // What there is of it is of no use.
                let _ = fs::remove_file(&path);
                return Err(Fault::new(format!("{}: {cause}", path.display())));
            }
        };
        let (half, most) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        let micros = |time: Duration| format!("{:.1}", time.as_nanos() as f64 / 1e3);
        table.row([name.to_owned(), times.len().to_string(), micros(half), micros(most)]);
        if fastest.is_none_or(|(time, _)| half < time) {
            fastest = Some((half, name));
        }
    }
    // It is left behind only if the folder has become read-only meanwhile.
    let _ = fs::remove_file(&path);
    form.say(&format!(
        "{RECORD} bytes each, until the disk has them, in {}\n\n",
        folder.display()
    ))?;
    form.table("way", table)?;
    if let Some((_, name)) = fastest {
        form.say(&format!("\nfastest here: {name}\n"))?;
    }
    Ok(Ending::Right)
}

/// How long writes took, in rising order.
fn measure(way: Way, path: &Path) -> io::Result<Vec<Duration>> {
    let mut file = File::create(path)?;
    match way {
        Way::Grown => {}
        Way::Kept => fallocate(&file, FallocateFlags::empty(), 0, BYTES as u64)?,
        Way::Zeros | Way::WriteThrough | Way::Direct => file.write_all(&vec![0; BYTES])?,
    }
    file.sync_all()?;
    if way == Way::Direct {
        let flags = (OFlags::DIRECT | OFlags::DSYNC).bits().cast_signed();
        file = OpenOptions::new().write(true).custom_flags(flags).open(path)?;
    }
    // A page within, wherever the memory begins.
    let memory = vec![7; 2 * PAGE];
    let page = &memory[memory.as_ptr().align_offset(PAGE)..][..PAGE];
    let (record, start) = (&page[..RECORD], Instant::now());
    let mut times = Vec::with_capacity(WRITES);
    while times.len() < WRITES && start.elapsed() < TIME {
        let (number, begin) = (times.len() as u64, Instant::now());
        let offset = number * RECORD as u64;
        match way {
            Way::Grown | Way::Kept | Way::Zeros => {
                file.write_all_at(record, offset)?;
                file.sync_data()?;
            }
            Way::WriteThrough => {
                pwritev2(&file, &[IoSlice::new(record)], offset, ReadWriteFlags::DSYNC)?;
            }
            Way::Direct => file.write_all_at(page, number * PAGE as u64)?,
        }
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    Ok(times)
}
