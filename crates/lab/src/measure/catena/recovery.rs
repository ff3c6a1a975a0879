//! Recovery: guaranteed messages wait for a subscriber that is away, the router is killed and started again,
//! and the subscriber comes back for all of them.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::program::{
    Program, TOPIC, came, damage, flooding, last_of, per_second, receiving_guaranteed,
};
use super::stage::{Failure, Stage};
use super::{Asked, Found, Procedure};
use crate::disk;
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_demo::component::task::{Flooding, Published, Received, Task, Topics};
use trunkline_experiment::definition::Recovery;
use trunkline_experiment::middleware::Middleware;

/// How long a router may take for all messages, in milliseconds.
const LONGEST: u64 = 60_000;

/// A router with so many messages.
pub(super) struct Recovering<'a> {
    pub(super) asked: &'a Recovery,
    pub(super) messages: u32,
}

impl Procedure for Asked<'_, Recovering<'_>> {
    fn cases(&self) -> Vec<String> {
        Recovery::cases_of(self.measure.messages).to_vec()
    }

    fn who(&self, subject: &Middleware) -> String {
        format!(
            "router killed and started again, its files in the system's cache; router and subscriber \
             block; any cpu; {}",
            subject.promise(&disk::file_system())
        )
    }

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        let names = stage.prices(1, Vec::new());
        // It tells what it wants to have, and is gone before there is anything.
        drop(subscribed(stage, &names)?);
        let published = self.fill(stage, &names)?;
        let bytes = stage.data().map_or(0, bytes_below);
        stage.restart(self.starting())?;
        let recovered = stage.start_up();
        let from = monotonic_nanoseconds();
        let mut subscriber = subscribed(stage, &names)?;
        let received = came(subscriber.ask(&Task::Receive(receiving_guaranteed(1)))?)?;
        let [recovery, replay] = Recovery::cases_of(self.measure.messages);
        let series = self.series(&recovery, stage.subject, found);
        series.add("recovery-time", "ns", recovered.map(|time| time.as_nanos() as f64));
        series.add("size", "bytes", bytes as f64);
        let series = self.series(&replay, stage.subject, found);
        let nanoseconds = last_of(&received).saturating_sub(from);
        series.add("messages-per-second", "1/s", per_second(received.messages, nanoseconds));
        series.count("duplicates", received.duplicates);
        series.note_wrong(fault(&published, &received));
        Ok(())
    }
}

impl Asked<'_, Recovering<'_>> {
    /// Publishes all messages, and waits until they are acknowledged.
    fn fill(&self, stage: &Stage<'_>, names: &Topics) -> Result<Published, Failure> {
        let Recovering { asked, messages } = self.measure;
        let mut publisher = stage.connected("publisher", None, names, None)?;
        publisher.publish(&Task::Flood(Flooding {
            most: Some((*messages).into()),
            guaranteed: true,
            ..flooding(1, LONGEST, asked.window)
        }))
    }
}

/// The subscriber, who has the same name each time.
fn subscribed(stage: &Stage<'_>, names: &Topics) -> Result<Program, Failure> {
    let mut subscriber = stage.connected("subscriber", None, names, None)?;
    subscriber.subscribe_guaranteed("late", TOPIC)?;
    Ok(subscriber)
}

/// What is wrong if not all came, each as it was sent.
fn fault(published: &Published, received: &Received) -> Option<String> {
    let (sent, unbroken) = (published.messages, received.unbroken);
    if unbroken < sent {
        return Some(format!(
            "{sent} messages were acknowledged before the router was killed and only the first {unbroken} came \
             after it"
        ));
    }
    damage(received)
}

/// What the files in a folder and below it occupy.
fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(it) if it.is_dir() => bytes_below(&entry.path()),
        // The unit of blocks, whatever the file system's own are.
        Ok(it) => it.blocks() * 512,
        Err(_) => 0,
    });
    bytes.sum()
}
