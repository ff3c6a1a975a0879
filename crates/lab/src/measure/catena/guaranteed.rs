//! Guaranteed delivery: the latency test with orders that must not be lost, and how many such messages a
//! second there can be.
//!
//! In the same turns the orders go by direct delivery once, and the disk takes as many messages by itself: what
//! a guarantee costs, and what it must cost.

use super::hops::{Chain, EVERY, PATIENCE, came, sent};
use super::spread::receiving;
use super::stage::{Failure, OTHERS, PUBLISHER, Stage, Starting};
use super::{Found, Procedure, Series, receive};
use crate::disk;
use crate::measure::Setting;
use trunkline_bench::histogram::Times;
use trunkline_bench::row::Verdict;
use trunkline_demo::component::task::{
    Acknowledged, Flooding, Published, Range, Received, Receiving, Task,
};
use trunkline_experiment::definition::guaranteed::{
    GUARANTEED, GUARANTEED_FLOOD, GUARANTEED_SATURATION,
};
use trunkline_experiment::definition::traffic::PAYLOAD_BYTES;
use trunkline_experiment::definition::{GuaranteedFlood, GuaranteedHops};
use trunkline_experiment::middleware::{DISK, Middleware};

/// Orders that come at less than this share of their rate are not kept up with.
const KEPT: f64 = 0.9;

/// Between two rates on the way to the highest, and how long each is tried, in milliseconds.
const STEP: f64 = 1.5;
const TRIED: u64 = 150;

/// The most rates a second that are tried.
const MOST: f64 = 2_000_000.0;

/// Untimed, in milliseconds.
const WARM_UP: u64 = 100;

/// Messages before a flood that do not count.
const FEW: u64 = 512;

pub(super) struct GuaranteedLatency<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a GuaranteedHops,
}

impl Procedure for GuaranteedLatency<'_> {
    fn starting(&self) -> Starting {
        Starting { processor: Some(OTHERS), spins: false }
    }

    fn cases(&self) -> Vec<String> {
        let rates = self.asked.rates(self.setting.request.is_quick);
        let all = |hop: &'static str| rates.iter().map(move |rate| format!("{hop}-{rate}"));
        let mut cases: Vec<String> = GUARANTEED.into_iter().flat_map(all).collect();
        cases.extend(self.is_saturated().then(|| GUARANTEED_SATURATION.to_owned()));
        cases
    }

    fn who(&self, subject: &Middleware) -> String {
        if subject.name == DISK {
            let promise = subject.promise(&disk::file_system());
            return format!("one thread writes and syncs what has gathered, on any cpu; {promise}");
        }
        format!(
            "feed handler spins on cpu {PUBLISHER}; router, algo engine and order gateway block on cpu \
             {OTHERS}; {}",
            subject.promise(&disk::file_system())
        )
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        if stage.subject.name == DISK {
            return self.limit(stage, found);
        }
        let is_quick = self.setting.request.is_quick;
        let milliseconds = self.asked.turns.milliseconds(is_quick);
        let mut chain = Chain::new(stage, stage.subject.guarantee.is_some())?;
        chain.run(stage, 10_000.0, milliseconds.min(WARM_UP))?;
        let mut is_kept = true;
        for &rate in self.asked.rates(is_quick) {
            if !is_kept {
                self.leave_out(rate, stage.subject, found);
                continue;
            }
            let (published, rates, orders) = chain.run(stage, rate.into(), milliseconds)?;
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

impl GuaranteedLatency<'_> {
    /// A quick run does not look for the highest rate.
    fn is_saturated(&self) -> bool {
        self.asked.saturation && !self.setting.request.is_quick
    }

    fn series<'a>(
        &self,
        case: &str,
        subject: &'static Middleware,
        found: &'a mut Found,
    ) -> &'a mut Series {
        let series = found.of(case, subject, subject.profile(&self.who(subject)));
        // In an earlier turn it may not have come so far.
        series.out = None;
        series
    }

    /// The disk by itself, with as many messages as there are orders.
    fn limit(&self, stage: &Stage, found: &mut Found) -> Result<(), Failure> {
        let is_quick = self.setting.request.is_quick;
        let milliseconds = self.asked.turns.milliseconds(is_quick);
        for &rate in self.asked.rates(is_quick) {
            let orders = f64::from(rate) / EVERY as f64;
            let committed = disk::group_commit(stage.folder(), orders, milliseconds)?;
            let case = format!("{}-{rate}", GUARANTEED[1]);
            self.series(&case, stage.subject, found).add_times(&committed.times);
        }
        Ok(())
    }

    /// The rate before was too high already.
    fn leave_out(&self, rate: u32, subject: &'static Middleware, found: &mut Found) {
        for hop in GUARANTEED {
            let profile = subject.profile(&self.who(subject));
            let series = found.of(&format!("{hop}-{rate}"), subject, profile);
            if series.is_empty() {
                series.out = Some(Verdict::Absent);
            }
        }
    }

    fn note(
        &self,
        rate: u32,
        subject: &'static Middleware,
        found: &mut Found,
        (published, rates, orders): (&Published, &Received, &Received),
    ) -> Result<(), Failure> {
        let series = self.series(&format!("{}-{rate}", GUARANTEED[0]), subject, found);
        receive(series, &[orders], (None, rates.orders))?;
        let seconds = published.nanoseconds.max(1) as f64 / 1e9;
        series.add("published-per-second", "1/s", rates.orders as f64 / seconds);
        if let Some(acknowledged) = &rates.acknowledged {
            check(series, orders, rates.orders);
            let series = self.series(&format!("{}-{rate}", GUARANTEED[1]), subject, found);
            series.add_times(&Times::decoded(&acknowledged.times)?);
        }
        Ok(())
    }

    /// The most orders a second that are acknowledged and delivered as fast as they are sent, or what came
    /// through of the first that were too many.
    fn highest(&self, chain: &mut Chain, stage: &mut Stage) -> Result<f64, Failure> {
        let rates = self.asked.rates(self.setting.request.is_quick);
        // The first rate may be far below what all can do.
        let mut rate =
            rates.iter().copied().filter(|it| *it <= 50_000).max().map_or(1e4, f64::from);
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
    let last = last_of(orders, rates.acknowledged.as_ref());
    per_second(orders.messages, published.began, last)
}

/// When the last message was both delivered and acknowledged.
fn last_of(received: &Received, acknowledged: Option<&Acknowledged>) -> u64 {
    let delivered = received.began + received.nanoseconds;
    delivered.max(acknowledged.map_or(0, |it| it.last))
}

pub(super) fn per_second(messages: u64, from: u64, until: u64) -> f64 {
    messages as f64 * 1e9 / until.saturating_sub(from).max(1) as f64
}

/// Nothing that was acknowledged may be missing: all was, or the publisher would not have ended.
fn check(series: &mut Series, received: &Received, sent: u64) {
    series.count("duplicates", received.duplicates);
    if received.unbroken < sent {
        let unbroken = received.unbroken;
        let what = format!("{sent} messages were acknowledged and only the first {unbroken} came");
        series.wrong.get_or_insert(what);
    }
}

pub(super) struct GuaranteedPouring<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a GuaranteedFlood,
}

impl Procedure for GuaranteedPouring<'_> {
    fn starting(&self) -> Starting {
        Starting::default()
    }

    fn cases(&self) -> Vec<String> {
        vec![GUARANTEED_FLOOD.to_owned()]
    }

    fn who(&self, subject: &Middleware) -> String {
        format!(
            "publisher with {} messages unacknowledged, router and subscriber block; any cpu; {}",
            self.asked.window,
            subject.promise(&disk::file_system())
        )
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        let milliseconds = self.asked.turns.milliseconds(self.setting.request.is_quick);
        let names = stage.prices(1, Vec::new());
        let topics = Range { first: 0, count: 1 };
        let mut subscriber = stage.connected("subscriber", None, &names, None)?;
        subscriber.ask(&Task::SubscribeGuaranteed { name: "flood".to_owned(), topics })?;
        let mut publisher = stage.connected("publisher", None, &names, None)?;
        for most in [Some(FEW), None] {
            let run = stage.next_run();
            let (receive, silence) = (receiving(run, topics, PATIENCE, 0), None);
            let receive = Receiving { guaranteed: true, silence, ..receive };
            subscriber.begin(&Task::Receive(receive))?;
            let published = sent(publisher.ask(&Task::Flood(Flooding {
                run,
                milliseconds,
                bytes: PAYLOAD_BYTES,
                most,
                window: self.asked.window,
                feedback: Range { first: 0, count: 0 },
                guaranteed: true,
                end: vec![0],
            }))?)?;
            let received = came(subscriber.finish()?)?;
            if most.is_none() {
                self.note(stage, found, (&published, &received));
            }
        }
        Ok(())
    }
}

impl GuaranteedPouring<'_> {
    fn note(
        &self,
        stage: &Stage,
        found: &mut Found,
        (published, received): (&Published, &Received),
    ) {
        let profile = stage.subject.profile(&self.who(stage.subject));
        let series = found.of(GUARANTEED_FLOOD, stage.subject, profile);
        let (sent, from) = (published.messages, published.began);
        let acknowledged = published.acknowledged.as_ref();
        for (metric, until) in [
            ("messages-per-second", last_of(received, acknowledged)),
            ("acknowledged-per-second", acknowledged.map_or(0, |it| it.last)),
            ("deliveries-per-second", received.began + received.nanoseconds),
        ] {
            series.add(metric, "1/s", per_second(sent, from, until));
        }
        if let Some(bytes) = stage.memory() {
            series.add("memory", "bytes", bytes as f64);
        }
        series.count("lost", sent.saturating_sub(received.messages));
        check(series, received, sent);
        if received.damaged > 0 || received.disordered > 0 {
            let damage = received.damage.as_deref().unwrap_or("the order");
            series.wrong.get_or_insert(format!("messages were damaged: {damage}"));
        }
    }
}
