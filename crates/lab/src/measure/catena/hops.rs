//! The latency test: a feed handler, an algo engine that answers every fifth rate with an order, and an
//! order gateway; the report's Figure 2.

use super::program::{PATIENCE, Program, carry, per_second, publishing, receiving, settle};
use super::stage::{Failure, OTHERS, PUBLISHER, Stage, Starting};
use super::{Asked, Found, Procedure, receive};
use trunkline_demo::component::task::{
    Orders, Published, Range, Received, ReceivedKind, Receiving, Task,
};
use trunkline_experiment::definition::Hops;
use trunkline_experiment::definition::traffic::HOPS;
use trunkline_experiment::middleware::Middleware;

/// An order for each such-and-such rate.
pub(super) const EVERY: u64 = 5;

/// Between two rates on the way to the highest.
const STEP: f64 = 1.5;

/// Where the way to the highest rate begins, and how long each rate is tried, in milliseconds.
const FIRST: f64 = 250_000.0;
const TRIED: u64 = 150;

/// The case of the highest rate.
pub(super) const SATURATION: &str = "saturation";

/// A rate is too high that is not reached to this share.
const REACHED: f64 = 0.95;

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

impl Procedure for Asked<'_, Hops> {
    fn starting(&self) -> Starting {
        Starting::PINNED
    }

    fn cases(&self) -> Vec<String> {
        let rates = self.measure.rates(self.is_quick());
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

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        let mut chain = Chain::new(stage, false)?;
        chain.warm_up(stage, self.milliseconds())?;
        for &rate in self.measure.rates(self.is_quick()) {
            let (published, rates, orders) = chain.run(stage, rate.into(), self.milliseconds())?;
            let both =
                [(&rates, (Some(&published), published.messages)), (&orders, (None, rates.orders))];
            for (hop, (received, expected)) in HOPS.into_iter().zip(both) {
                let series = self.series(&Hops::case(hop, rate), stage.subject, found);
                receive(series, &[received], expected)?;
            }
        }
        if self.is_saturated() {
            let highest = chain.highest(stage)?;
            let series = self.series(SATURATION, stage.subject, found);
            series.add("messages-per-second", "1/s", highest);
        }
        Ok(())
    }
}

impl Asked<'_, Hops> {
    /// A quick run does not look for the highest rate.
    fn is_saturated(&self) -> bool {
        self.measure.saturation && !self.is_quick()
    }
}

impl Chain {
    /// Starts them. A subscription to guaranteed orders is durable, and has taken effect when it is there.
    pub(super) fn new(stage: &Stage<'_>, guaranteed: bool) -> Result<Self, Failure> {
        let topics = stage.feed(vec!["orders/venue".to_owned()]);
        let streams = topics.streams;
        let rates = Range { first: 0, count: streams };
        let orders = Range { first: streams, count: 1 };
        let direct = (!guaranteed).then_some(orders);
        let mut gateway = stage.connected("order gateway", Some(OTHERS), &topics, direct)?;
        if guaranteed {
            gateway.subscribe_guaranteed("gateway", orders)?;
        }
        let mut algo = stage.connected("algo engine", Some(OTHERS), &topics, Some(rates))?;
        let mut feed = stage.connected("feed handler", Some(PUBLISHER), &topics, None)?;
        settle(&mut feed, &mut [(&mut algo, 0)])?;
        if !guaranteed {
            settle(&mut algo, &mut [(&mut gateway, streams)])?;
        }
        Ok(Self { feed, algo, gateway, streams, guaranteed })
    }

    /// Sends rates that do not count.
    pub(super) fn warm_up(
        &mut self,
        stage: &mut Stage<'_>,
        milliseconds: u64,
    ) -> Result<(), Failure> {
        self.run(stage, 10_000.0, milliseconds.min(100)).map(|_| ())
    }

    /// Sends rates for so long, and tells what came of them and of the orders.
    pub(super) fn run(
        &mut self,
        stage: &mut Stage<'_>,
        rate: f64,
        milliseconds: u64,
    ) -> Result<(Published, Received, Received), Failure> {
        let Self { feed, algo, gateway, streams, guaranteed } = self;
        let (streams, guaranteed, run) = (*streams, *guaranteed, stage.next_run());
        let publish = publishing(run, rate, milliseconds, vec![0]);
        let first = publish.messages / 10;
        let skip = first / EVERY;
        let rates = Receiving {
            milliseconds: milliseconds * 2 + 4_000,
            silence: Some(1_000),
            orders: Some(Orders { topic: streams, every: EVERY, guaranteed, skip }),
            ..receiving(run, Range { first: 0, count: streams }, milliseconds, first)
        };
        let orders = Receiving {
            kind: ReceivedKind::Orders,
            // It waits for the end of the algo engine's run.
            milliseconds: if guaranteed { PATIENCE } else { milliseconds * 2 + 6_000 },
            silence: (!guaranteed).then_some(2_000),
            guaranteed,
            ..receiving(run, Range { first: streams, count: 1 }, milliseconds, skip)
        };
        let receivers = [(algo, rates), (gateway, orders)];
        let (published, received) = carry(feed, &Task::Publish(publish), receivers)?;
        let [rates, orders] = <[Received; 2]>::try_from(received)
            .map_err(|_| Failure::Broken("not both have received".into()))?;
        Ok((published, rates, orders))
    }

    /// The highest rate that is reached and of which nothing is lost or left behind.
    fn highest(&mut self, stage: &mut Stage<'_>) -> Result<f64, Failure> {
        let (mut rate, mut highest) = (FIRST, 0.0);
        for _ in 0..12 {
            let (published, rates, orders) = self.run(stage, rate, TRIED)?;
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
