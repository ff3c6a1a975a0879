//! Opening the store that a configuration asks for.

use std::io;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tracing::{error, info, warn};
use trunkline_journal::{Folder, Report, Workers};
use trunkline_store::{Opened, Store};

use super::Handle;
use crate::config::Config;
use crate::engine::Engine;

/// The engine with its store, who works for it, and when its time began.
pub(super) fn open(
    config: &Config,
    handle: &Handle,
) -> io::Result<(Engine, Option<Workers>, Instant)> {
    let settings = config.journal.settings();
    let Some(directory) = &config.journal.directory else {
        let epoch = Instant::now();
        let engine = Engine::with_store(config, Store::in_memory(settings), since_1970());
        return Ok((engine, None, epoch));
    };
    let within = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("the journal in {}: {error}", directory.display()))
    };
    let mut folder = Folder::open(directory).map_err(|error| within(&error))?;
    let began = Instant::now();
    let (store, opened) =
        Store::open(&mut folder, settings, random_number()).map_err(|error| within(&error))?;
    tell(config, &opened, began);
    let waker = handle.waker();
    let wake = move || {
        // Without it the outcome would be found in the next turn.
        let _ = waker.wake();
    };
    let workers = Workers::start(&folder, wake)?;
    let epoch = Instant::now();
    let engine = Engine::with_store(config, store, since_1970());
    Ok((engine, Some(workers), epoch))
}

/// Says what was found.
fn tell(config: &Config, opened: &Opened, began: Instant) {
    let directory = config.journal.directory.as_deref().unwrap_or("".as_ref()).display();
    let Report { segments, records, was_closed, torn, ref damages, .. } = opened.journal;
    info!(
        %directory,
        segments,
        records,
        producers = opened.producers,
        subscriptions = opened.durables,
        was_closed,
        took = ?began.elapsed(),
        "the journal is open"
    );
    if let Some(torn) = torn {
        let (segment, offset, bytes) = (torn.at.segment, torn.at.offset, torn.bytes);
        info!(
            segment,
            offset, bytes, "a write that was not complete when the router ended is truncated"
        );
    }
    for damage in damages {
        error!(
            segment = damage.at.segment,
            offset = damage.at.offset,
            bytes = damage.bytes,
            after = damage.after,
            before = damage.before,
            "the journal is damaged: the records between these positions are lost, and no others"
        );
    }
    if opened.strange > 0 {
        warn!(
            records = opened.strange,
            "records that this version does not understand were skipped"
        );
    }
}

/// Nanoseconds since 1970, as the machine's clock has it now.
pub(crate) fn since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// A number for a new journal.
fn random_number() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one((std::process::id(), since_1970()))
}
