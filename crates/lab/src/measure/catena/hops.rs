//! The latency test: a feed handler, an algo engine that answers every fifth rate with an order, and an
//! order gateway; the report's Figure 2.

use super::stage::{Failure, OTHERS, PUBLISHER, Program, Stage, Starting, settle};
use super::{Found, Procedure, receive};
use crate::measure::Setting;
use trunkline_demo::component::task::{
    Answer, Orders, Published, Publishing, Range, Received, ReceivedKind, Receiving, Task,
};
use trunkline_experiment::definition::Hops;
use trunkline_experiment::definition::traffic::{HOPS, PAYLOAD_BYTES};
use trunkline_experiment::middleware::Middleware;

/// An order for each such-and-such rate.
pub(super) const EVERY: u64 = 5;

/// Between two rates on the way to the highest.
const STEP: f64 = 1.5;

/// How long what was acknowledged is waited for, in milliseconds: it may be late, and must not be lost.
pub(super) const PATIENCE: u64 = 40_000;

/// Where the way to the highest rate begins, and how long each rate is tried, in milliseconds.
const FIRST: f64 = 250_000.0;
const TRIED: u64 = 150;

/// The case of the highest rate.
pub(super) const SATURATION: &str = "saturation";

/// A rate is too high that is not reached to this share.
const REACHED: f64 = 0.95;

pub(super) struct Latency<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a Hops,
}

/// The three programs.
pub(super) struct Chain {
    feed: Program,
    algo: Program,
    gateway: Program,
    /// Topics of rates; that of orders comes after them.
    streams: usize,
    /// Orders are guaranteed.
    guaranteed: bool,
}

impl Procedure for Latency<'_> {
    fn starting(&self) -> Starting {
        Starting { processor: Some(OTHERS), spins: false }
    }

    fn cases(&self) -> Vec<String> {
        let rates = self.asked.rates(self.setting.request.is_quick);
        let all = |hop: &'static str| rates.iter().map(move |&rate| Hops::case(hop, rate));
        let mut cases: Vec<String> = HOPS.into_iter().flat_map(all).collect();
        cases.extend(self.is_saturated().then(|| SATURATION.to_owned()));
        cases
    }

    fn who(&self, subject: &Middleware) -> String {
        let router = subject.router_and(", ");
        format!(
            "feed handler spins on cpu {PUBLISHER}; {router}algo engine and order gateway block on \
             cpu {OTHERS}"
        )
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        let is_quick = self.setting.request.is_quick;
        let mut chain = Chain::new(stage, false)?;
        let milliseconds = self.asked.turns.milliseconds(is_quick);
        chain.run(stage, 10_000.0, milliseconds.min(100))?;
        for &rate in self.asked.rates(is_quick) {
            let (published, rates, orders) = chain.run(stage, rate.into(), milliseconds)?;
            let both =
                [(&rates, (Some(&published), published.messages)), (&orders, (None, rates.orders))];
            for (hop, (received, expected)) in HOPS.into_iter().zip(both) {
                let profile = stage.subject.profile(&self.who(stage.subject));
                let case = Hops::case(hop, rate);
                let series = found.of(&case, stage.subject, profile);
                receive(series, &[received], expected)?;
            }
        }
        if self.is_saturated() {
            let highest = chain.highest(stage)?;
            let profile = stage.subject.profile(&self.who(stage.subject));
            let series = found.of(SATURATION, stage.subject, profile);
            series.add("messages-per-second", "1/s", highest);
        }
        Ok(())
    }
}

impl Latency<'_> {
    /// A quick run does not look for the highest rate.
    fn is_saturated(&self) -> bool {
        self.asked.saturation && !self.setting.request.is_quick
    }
}

impl Chain {
    /// Starts them. A subscription to guaranteed orders is durable, and has taken effect when it is there.
    pub(super) fn new(stage: &Stage, guaranteed: bool) -> Result<Self, Failure> {
        let topics = stage.feed(vec!["orders/venue".to_owned()]);
        let streams = topics.streams;
        let rates = Range { first: 0, count: streams };
        let orders = Range { first: streams, count: 1 };
        let direct = (!guaranteed).then_some(orders);
        let mut gateway = stage.connected("order gateway", Some(OTHERS), &topics, direct)?;
        if guaranteed {
            let name = "gateway".to_owned();
            gateway.ask(&Task::SubscribeGuaranteed { name, topics: orders })?;
        }
        let mut algo = stage.connected("algo engine", Some(OTHERS), &topics, Some(rates))?;
        let mut feed = stage.connected("feed handler", Some(PUBLISHER), &topics, None)?;
        settle(&mut feed, &mut [(&mut algo, 0)])?;
        if !guaranteed {
            settle(&mut algo, &mut [(&mut gateway, streams)])?;
        }
        Ok(Self { feed, algo, gateway, streams, guaranteed })
    }

    /// Sends rates for so long, and tells what came of them and of the orders.
    pub(super) fn run(
        &mut self,
        stage: &mut Stage,
        rate: f64,
        milliseconds: u64,
    ) -> Result<(Published, Received, Received), Failure> {
        let run = stage.next_run();
        let messages = (rate * milliseconds as f64 / 1e3).max(50.0) as u64;
        let (guaranteed, skip) = (self.guaranteed, messages / 10 / EVERY);
        let rates = Receiving {
            run,
            kind: ReceivedKind::Rates,
            topics: Range { first: 0, count: self.streams },
            milliseconds: milliseconds * 2 + 4_000,
            silence: Some(1_000),
            spins: false,
            skip: messages / 10,
            orders: Some(Orders { topic: self.streams, every: EVERY, guaranteed, skip }),
            feedback: None,
            guaranteed: false,
            pace: None,
            file: None,
        };
        let orders = Receiving {
            kind: ReceivedKind::Orders,
            topics: Range { first: self.streams, count: 1 },
            // It waits for the end of the algo engine's run.
            milliseconds: if guaranteed { PATIENCE } else { milliseconds * 2 + 6_000 },
            silence: (!guaranteed).then_some(2_000),
            skip,
            orders: None,
            guaranteed,
            ..rates.clone()
        };
        let publish = Publishing { run, rate, messages, bytes: PAYLOAD_BYTES, end: vec![0] };
        self.gateway.begin(&Task::Receive(orders))?;
        self.algo.begin(&Task::Receive(rates))?;
        let published = self.feed.ask(&Task::Publish(publish))?;
        let (rates, orders) = (self.algo.finish()?, self.gateway.finish()?);
        Ok((sent(published)?, came(rates)?, came(orders)?))
    }

    /// The highest rate that is reached and of which nothing is lost or left behind.
    fn highest(&mut self, stage: &mut Stage) -> Result<f64, Failure> {
        let (mut rate, mut highest) = (FIRST, 0.0);
        for _ in 0..12 {
            let (published, rates, orders) = self.run(stage, rate, TRIED)?;
            let per_second =
                |messages: u64, nanoseconds: u64| messages as f64 * 1e9 / nanoseconds.max(1) as f64;
            let sent = per_second(published.messages, published.nanoseconds);
            let came = per_second(rates.messages, rates.nanoseconds);
            let is_lost = rates.messages < published.messages || orders.messages < rates.orders;
            if is_lost && highest == 0.0 {
                // Too high from the beginning.
                rate /= STEP;
                continue;
            }
            if is_lost || sent.min(came) < rate * REACHED {
                // What was reached on the way counts, if it all came.
                return Ok(if is_lost { highest } else { f64::max(highest, sent.min(came)) });
            }
            highest = sent.min(came);
            rate *= STEP;
        }
        Ok(highest)
    }
}

/// What a publisher answered.
pub(super) fn sent(answer: Answer) -> Result<Published, Failure> {
    answer.published.ok_or_else(|| Failure::Broken("a publisher does not say what it sent".into()))
}

/// What a receiver answered.
pub(super) fn came(answer: Answer) -> Result<Received, Failure> {
    answer.received.ok_or_else(|| Failure::Broken("a receiver does not say what it got".into()))
}
