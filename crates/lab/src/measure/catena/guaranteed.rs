//! Guaranteed delivery: the latency test with orders that must not be lost, and how many such messages a
//! second there can be.
//!
//! In the same turns the orders go by direct delivery once, and the disk takes as many messages by itself: what
//! a guarantee costs, and what it must cost.

use super::hops::{Chain, EVERY};
use super::program::{TOPIC, carry, damage, flooding, last_of, per_second, receiving_guaranteed};
use super::stage::{Failure, OTHERS, PUBLISHER, Stage, Starting};
use super::{Asked, Found, Procedure, Series, receive};
use crate::disk;
use trunkline_bench::histogram::Times;
use trunkline_demo::component::task::{Acknowledged, Flooding, Published, Received, Task};
use trunkline_experiment::definition::guaranteed::{
    GUARANTEED, GUARANTEED_FLOOD, GUARANTEED_SATURATION,
};
use trunkline_experiment::definition::{GuaranteedFlood, Hops};
use trunkline_experiment::middleware::{DISK, Middleware};

/// Orders that come at less than this share of their rate are not kept up with.
const KEPT: f64 = 0.9;

/// Between two rates on the way to the highest, and how long each is tried, in milliseconds.
const STEP: f64 = 1.5;
const TRIED: u64 = 150;

/// The most rates a second that are tried.
const MOST: f64 = 2_000_000.0;

/// Messages before a flood that do not count.
const FEW: u64 = 512;

/// The latency test with guaranteed orders.
pub(super) struct GuaranteedOrders<'a>(pub(super) &'a Hops);

impl Procedure for Asked<'_, GuaranteedOrders<'_>> {
    fn starting(&self) -> Starting {
        Starting::PINNED
    }

    fn cases(&self) -> Vec<String> {
        let rates = self.measure.0.rates(self.is_quick());
        let all = |hop: &'static str| rates.iter().map(move |rate| format!("{hop}-{rate}"));
        let mut cases: Vec<String> = GUARANTEED.into_iter().flat_map(all).collect();
        cases.extend(self.is_saturated().then(|| GUARANTEED_SATURATION.to_owned()));
        cases
    }

    fn who(&self, subject: &Middleware) -> String {
        let promise = subject.promise(&disk::file_system());
        if subject.name == DISK {
            return format!("one thread writes and syncs what has gathered, on any cpu; {promise}");
        }
        format!(
            "feed handler spins on cpu {PUBLISHER}; router, algo engine and order gateway block on cpu \
             {OTHERS}; {promise}"
        )
    }

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        if stage.subject.name == DISK {
            return self.limit(stage, found);
        }
        let mut chain = Chain::new(stage, stage.subject.guarantee.is_some())?;
        chain.warm_up(stage, self.milliseconds())?;
        let mut is_kept = true;
        for &rate in self.measure.0.rates(self.is_quick()) {
            if !is_kept {
                // The rate before was too high already.
                for hop in GUARANTEED {
                    self.leave_out(&format!("{hop}-{rate}"), stage.subject, found);
                }
                continue;
            }
            let (published, rates, orders) = chain.run(stage, rate.into(), self.milliseconds())?;
            let per_second = kept(&published, &rates, &orders);
            is_kept = per_second >= f64::from(rate) / EVERY as f64 * KEPT;
            self.note(rate, stage.subject, found, (&published, &rates, &orders))?;
        }
        if self.is_saturated() && stage.subject.guarantee.is_some() {
            let highest = self.highest(&mut chain, stage)?;
            let series = self.series(GUARANTEED_SATURATION, stage.subject, found);
            series.add("messages-per-second", "1/s", highest);
        }
        Ok(())
    }
}

impl Asked<'_, GuaranteedOrders<'_>> {
    /// A quick run does not look for the highest rate.
    fn is_saturated(&self) -> bool {
        self.measure.0.saturation && !self.is_quick()
    }

    /// The disk by itself, with as many messages as there are orders.
    fn limit(&self, stage: &Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        for &rate in self.measure.0.rates(self.is_quick()) {
            let orders = f64::from(rate) / EVERY as f64;
            let committed = disk::group_commit(stage.folder(), orders, self.milliseconds())?;
            let case = format!("{}-{rate}", GUARANTEED[1]);
            self.series(&case, stage.subject, found).add_times(&committed.times);
        }
        Ok(())
    }

    fn note(
        &self,
        rate: u32,
        subject: &'static Middleware,
        found: &mut Found,
        (published, rates, orders): (&Published, &Received, &Received),
    ) -> Result<(), Failure> {
        let [way, back] = GUARANTEED.map(|hop| format!("{hop}-{rate}"));
        let series = self.series(&way, subject, found);
        receive(series, &[orders], (None, rates.orders))?;
        let per_second = per_second(rates.orders, published.nanoseconds);
        series.add("published-per-second", "1/s", per_second);
        if let Some(acknowledged) = &rates.acknowledged {
            check(series, orders, rates.orders);
            let series = self.series(&back, subject, found);
            series.add_times(&Times::decoded(&acknowledged.times)?);
        }
        Ok(())
    }

    /// The most orders a second that are acknowledged and delivered as fast as they are sent, or what came
    /// through of the first that were too many.
    fn highest(&self, chain: &mut Chain, stage: &mut Stage<'_>) -> Result<f64, Failure> {
        let rates = self.measure.0.rates(self.is_quick()).iter().copied();
        // The first rate may be far below what all can do.
        let mut rate = rates.filter(|it| *it <= 50_000).max().map_or(1e4, f64::from);
        let mut highest = 0.0;
        while rate < MOST {
            let (published, rates, orders) = chain.run(stage, rate, TRIED)?;
            if rates.messages < published.messages || orders.unbroken < rates.orders {
                return Ok(highest);
            }
            let per_second = kept(&published, &rates, &orders);
            highest = f64::max(highest, per_second);
            if per_second < rate / EVERY as f64 * KEPT {
                break;
            }
            rate *= STEP;
        }
        Ok(highest)
    }
}

/// Orders a second, from the first rate until the last order was delivered and acknowledged.
fn kept(published: &Published, rates: &Received, orders: &Received) -> f64 {
    let last = last_of_both(orders, rates.acknowledged.as_ref());
    per_second(orders.messages, last.saturating_sub(published.began))
}

/// When the last message was both delivered and acknowledged.
fn last_of_both(received: &Received, acknowledged: Option<&Acknowledged>) -> u64 {
    last_of(received).max(acknowledged.map_or(0, |it| it.last))
}

/// Nothing that was acknowledged may be missing: all was, or the publisher would not have ended.
fn check(series: &mut Series, received: &Received, sent: u64) {
    series.count("duplicates", received.duplicates);
    let unbroken = received.unbroken;
    series.note_wrong(
        (unbroken < sent).then(|| {
            format!("{sent} messages were acknowledged and only the first {unbroken} came")
        }),
    );
}

impl Procedure for Asked<'_, GuaranteedFlood> {
    fn cases(&self) -> Vec<String> {
        vec![GUARANTEED_FLOOD.to_owned()]
    }

    fn who(&self, subject: &Middleware) -> String {
        format!(
            "publisher with {} messages unacknowledged, router and subscriber block; any cpu; {}",
            self.measure.window,
            subject.promise(&disk::file_system())
        )
    }

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        let names = stage.prices(1, Vec::new());
        let mut subscriber = stage.connected("subscriber", None, &names, None)?;
        subscriber.subscribe_guaranteed("flood", TOPIC)?;
        let mut publisher = stage.connected("publisher", None, &names, None)?;
        for most in [Some(FEW), None] {
            let run = stage.next_run();
            let flood = flooding(run, self.milliseconds(), self.measure.window);
            let flood = Task::Flood(Flooding { most, guaranteed: true, ..flood });
            let receivers = [(&mut subscriber, receiving_guaranteed(run))];
            let (published, received) = carry(&mut publisher, &flood, receivers)?;
            for received in received.iter().filter(|_| most.is_none()) {
                self.note(stage, found, (&published, received));
            }
        }
        Ok(())
    }
}

impl Asked<'_, GuaranteedFlood> {
    fn note(
        &self,
        stage: &Stage<'_>,
        found: &mut Found,
        (published, received): (&Published, &Received),
    ) {
        let series = self.series(GUARANTEED_FLOOD, stage.subject, found);
        let (sent, from) = (published.messages, published.began);
        let acknowledged = published.acknowledged.as_ref();
        for (metric, until) in [
            ("messages-per-second", last_of_both(received, acknowledged)),
            ("acknowledged-per-second", acknowledged.map_or(0, |it| it.last)),
            ("deliveries-per-second", last_of(received)),
        ] {
            series.add(metric, "1/s", per_second(sent, until.saturating_sub(from)));
        }
        series.add("memory", "bytes", stage.memory());
        series.count("lost", sent.saturating_sub(received.messages));
        check(series, received, sent);
        series.note_wrong(damage(received));
    }
}
