//! Recovery: guaranteed messages wait for a subscriber that is away, the router is killed and started again,
//! and the subscriber comes back for all of them.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::guaranteed::per_second;
use super::hops::{PATIENCE, came, sent};
use super::spread::receiving;
use super::stage::{Failure, Program, Stage, Starting};
use super::{Found, Procedure};
use crate::disk;
use crate::measure::Setting;
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_demo::component::task::{
    Flooding, Published, Range, Received, Receiving, Task, Topics,
};
use trunkline_experiment::definition::Recovery;
use trunkline_experiment::definition::traffic::PAYLOAD_BYTES;
use trunkline_experiment::middleware::Middleware;

/// How long a router may take for all messages, in milliseconds.
const LONGEST: u64 = 60_000;

/// The only topic.
const TOPIC: Range = Range { first: 0, count: 1 };

/// A router with so many messages.
pub(super) struct Recovering<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a Recovery,
    pub(super) messages: u32,
}

impl Procedure for Recovering<'_> {
    fn starting(&self) -> Starting {
        Starting::default()
    }

    fn cases(&self) -> Vec<String> {
        Recovery::cases_of(self.messages).to_vec()
    }

    fn who(&self, subject: &Middleware) -> String {
        format!(
            "router killed and started again, its files in the system's cache; router and subscriber \
             block; any cpu; {}",
            subject.promise(&disk::file_system())
        )
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        let names = stage.prices(1, Vec::new());
        // It tells what it wants to have, and is gone before there is anything.
        drop(subscribed(stage, &names)?);
        let published = self.fill(stage, &names)?;
        let bytes = stage.data().map_or(0, bytes_below);
        stage.restart(self.setting, self.starting())?;
        let recovered = stage.start_up();
        let from = monotonic_nanoseconds();
        let mut subscriber = subscribed(stage, &names)?;
        let receive = receiving(1, TOPIC, PATIENCE, 0);
        let receive = Receiving { guaranteed: true, silence: None, ..receive };
        let received = came(subscriber.ask(&Task::Receive(receive))?)?;
        let [recovery, replay] = Recovery::cases_of(self.messages);
        let profile = || stage.subject.profile(&self.who(stage.subject));
        let series = found.of(&recovery, stage.subject, profile());
        if let Some(time) = recovered {
            series.add("recovery-time", "ns", time.as_nanos() as f64);
        }
        series.add("size", "bytes", bytes as f64);
        let series = found.of(&replay, stage.subject, profile());
        let last = received.began + received.nanoseconds;
        series.add("messages-per-second", "1/s", per_second(received.messages, from, last));
        series.count("duplicates", received.duplicates);
        series.wrong = series.wrong.take().or_else(|| fault(&published, &received));
        Ok(())
    }
}

impl Recovering<'_> {
    /// Publishes all messages, and waits until they are acknowledged.
    fn fill(&self, stage: &Stage, names: &Topics) -> Result<Published, Failure> {
        let mut publisher = stage.connected("publisher", None, names, None)?;
        sent(publisher.ask(&Task::Flood(Flooding {
            run: 1,
            milliseconds: LONGEST,
            bytes: PAYLOAD_BYTES,
            most: Some(self.messages.into()),
            window: self.asked.window,
            feedback: Range { first: 0, count: 0 },
            guaranteed: true,
            end: vec![0],
        }))?)
    }
}

/// The subscriber, who has the same name each time.
fn subscribed(stage: &Stage, names: &Topics) -> Result<Program, Failure> {
    let mut subscriber = stage.connected("subscriber", None, names, None)?;
    subscriber.ask(&Task::SubscribeGuaranteed { name: "late".to_owned(), topics: TOPIC })?;
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
    let is_damaged = received.damaged > 0 || received.disordered > 0;
    let damage = || received.damage.as_deref().unwrap_or("the order");
    is_damaged.then(|| format!("messages were damaged: {}", damage()))
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
