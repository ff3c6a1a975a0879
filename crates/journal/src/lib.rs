//! A log that survives: segments, checksums, group commit, recovery; no clock of its own
//!
//! [`Journal`] is a state machine. It has no threads, no clock and no files: it gives out writes and is
//! told the results. So it runs the same on a real disk ([`Folder`]) and on a simulated one with all the
//! failures of disks.
#![forbid(unsafe_code)]

mod disk;
mod ending;
mod index;
mod journal;
mod open;
mod record;
mod scan;
mod segment;
pub mod simulated;
mod survey;
mod tail;
mod worker;

pub use disk::{Disk, Folder, read_all};
pub use ending::Torn;
pub use journal::{Appended, Commit, Done, Journal, Lookup, Options, Rejection, Room, Task};
pub use open::{OpenError, Recovery, Report, open};
pub use record::{Address, HEAD, MARK, Record};
pub use scan::{Damage, DamageKind, End, Found, Scan};
pub use segment::{HeadError, SEGMENT_HEAD, SegmentHead, VERSION, index_name, segment_name};
pub use survey::{DamagedRecord, IndexState, SegmentSurvey, Survey, survey};
pub use tail::Chunk;
pub use worker::{Outcome, Workers, commit, task};
