//! The disk by itself, where brokers keep their data: what one append takes, and what syncing in groups
//! reaches.

use super::program::per_second;
use super::stage::{Failure, Stage};
use super::{Asked, Found, Procedure};
use crate::disk;
use trunkline_experiment::definition::{Append, Disk};
use trunkline_experiment::middleware::Middleware;

impl Procedure for Asked<'_, Disk> {
    fn cases(&self) -> Vec<String> {
        let rates = self.measure.rates(self.is_quick()).iter();
        let ways = Append::ALL.into_iter().map(Disk::case_of_way);
        ways.chain(rates.map(|&rate| Disk::case_of_rate(rate))).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        format!("one thread, any cpu; {}", subject.promise(&disk::file_system()))
    }

    fn profile(&self, subject: &Middleware) -> String {
        format!("none/none/opaque/none/none/{} ({})", disk::MESSAGE, self.who(subject))
    }

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        for way in Append::ALL {
            let times = match disk::appends(stage.folder(), way, self.milliseconds()) {
                // Not every file system has every way.
                Err(_) if way == Append::ZeroedDirect => continue,
                times => times?,
            };
            self.series(&Disk::case_of_way(way), stage.subject, found).add_times(&times);
        }
        for &rate in self.measure.rates(self.is_quick()) {
            let done = disk::group_commit(stage.folder(), rate.into(), self.milliseconds())?;
            let series = self.series(&Disk::case_of_rate(rate), stage.subject, found);
            let rate = per_second(done.messages, done.nanoseconds);
            series.add("messages-per-second", "1/s", rate);
            series.add("messages-per-sync", "messages", done.messages as f64 / done.syncs as f64);
            series.add_times(&done.times);
        }
        Ok(())
    }
}
