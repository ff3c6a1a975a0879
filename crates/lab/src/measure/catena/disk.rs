//! The disk by itself, where brokers keep their data: what one append takes, and what syncing in groups
//! reaches.

use super::stage::{Failure, Stage, Starting};
use super::{Found, Procedure};
use crate::disk;
use crate::measure::Setting;
use trunkline_experiment::definition::{Append, Disk};
use trunkline_experiment::middleware::Middleware;

pub(super) struct Syncing<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a Disk,
}

impl Procedure for Syncing<'_> {
    fn starting(&self) -> Starting {
        Starting::default()
    }

    fn cases(&self) -> Vec<String> {
        let rates = self.asked.rates(self.setting.request.is_quick).iter();
        let ways = Append::ALL.into_iter().map(Disk::case_of_way);
        ways.chain(rates.map(|&rate| Disk::case_of_rate(rate))).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        format!("one thread, any cpu; {}", subject.promise(&disk::file_system()))
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        let is_quick = self.setting.request.is_quick;
        let milliseconds = self.asked.turns.milliseconds(is_quick);
        let profile = || {
            let bytes = disk::MESSAGE;
            format!("none/none/opaque/none/none/{bytes} ({})", self.who(stage.subject))
        };
        for way in Append::ALL {
            let times = match disk::appends(stage.folder(), way, milliseconds) {
                // Not every file system has every way.
                Err(_) if way == Append::ZeroedDirect => continue,
                times => times?,
            };
            let series = found.of(&Disk::case_of_way(way), stage.subject, profile());
            series.add_times(&times);
        }
        for &rate in self.asked.rates(is_quick) {
            let done = disk::group_commit(stage.folder(), rate.into(), milliseconds)?;
            let series = found.of(&Disk::case_of_rate(rate), stage.subject, profile());
            let per_second = done.messages as f64 * 1e9 / done.nanoseconds as f64;
            series.add("messages-per-second", "1/s", per_second);
            series.add("messages-per-sync", "messages", done.messages as f64 / done.syncs as f64);
            series.add_times(&done.times);
        }
        Ok(())
    }
}
