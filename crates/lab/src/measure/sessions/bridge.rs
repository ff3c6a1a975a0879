//! Sessions bring prices, the router passes them on: to a client, to another in JSON, and to a session.

use std::time::Instant;

use super::router::Router;
use super::traffic::{Came, Numbers, PATIENCE, Receiver, Sources};
use crate::evaluation::Step;
use crate::measure::series::{Series, find_or_add};
use crate::measure::{Findings, Setting};
use trunkline_bench::row::Verdict;
use trunkline_client::{Subscribe, format};
use trunkline_experiment::definition::Bridge;
use trunkline_experiment::definition::sessions::{CPU, FLOW, Subscriber};
use trunkline_experiment::subjects::TRUNKLINE;

/// All symbols.
const PATTERN: &str = "fx/*";

/// How long runs are that do not count, in milliseconds.
const WARM_UP: u32 = 100;

/// Measures at each number of sessions and each rate.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &Bridge,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let is_quick = setting.request.is_quick;
    let numbers = asked.sessions(is_quick);
    for (done, &sessions) in numbers.iter().enumerate() {
        let mut measuring = Measuring { setting, asked, sessions, all: Vec::new() };
        let mut tell = |text: &str, share: f64| {
            let share = (done as f64 + share) / numbers.len() as f64;
            progress(Step { part: "bridge", text, share });
        };
        if let Err(why) = measuring.run(&mut tell) {
            found.faults.push(format!("{sessions} sessions: {why}"));
            for series in &mut measuring.all {
                series.dismiss(Verdict::WrongAnswer);
            }
        }
        let rows = measuring.all.iter().flat_map(|it| super::rows(setting, it));
        found.rows.extend(rows);
        let times = measuring.all.iter().filter_map(|it| it.distribution(setting, "latency"));
        found.distributions.extend(times);
    }
}

/// Sends until all get what is sent: what a session asks for takes effect some time after it has logged on.
fn warm_up(
    sources: &Sources,
    receivers: &[(Subscriber, Receiver)],
    numbers: &mut Numbers,
) -> Result<(), String> {
    let since = Instant::now();
    loop {
        let plan = numbers.plan(1_000, WARM_UP, sources.count());
        receivers.iter().for_each(|(_, it)| it.begin(plan));
        sources.run(plan)?;
        let mut is_there = true;
        for (to, receiver) in receivers {
            let Came { messages, wrong, .. } = receiver.end();
            is_there &= messages > 0;
            if wrong > 0 || (!is_there && since.elapsed() > PATIENCE) {
                return Err(format!("to {}: {messages} came, {wrong} wrong", to.name()));
            }
        }
        if is_there {
            return Ok(());
        }
    }
}

struct Measuring<'a> {
    setting: &'a Setting<'a>,
    asked: &'a Bridge,
    sessions: u32,
    all: Vec<Series<()>>,
}

impl Measuring<'_> {
    fn run(&mut self, tell: &mut dyn FnMut(&str, f64)) -> Result<(), String> {
        let is_quick = self.setting.request.is_quick;
        let router = Router::start(self.setting, self.sessions).map_err(|it| it.to_string())?;
        let in_json = Subscribe::every().in_format(format::JSON);
        let receivers = [
            (Subscriber::Native, Receiver::client(&router, PATTERN, &Subscribe::every())?),
            (Subscriber::Json, Receiver::client(&router, PATTERN, &in_json)?),
            (Subscriber::Fix, Receiver::session(&router, self.sessions)?),
        ];
        let sources = Sources::connect(&router, self.sessions)?;
        let mut numbers = Numbers::new();
        warm_up(&sources, &receivers, &mut numbers)?;
        let turns = self.asked.count.unwrap_or(self.setting.repetitions());
        let rates = self.asked.rates(is_quick);
        for turn in 0..turns {
            for (done, &rate) in rates.iter().enumerate() {
                let share = (f64::from(turn) + done as f64 / rates.len() as f64) / f64::from(turns);
                tell(&format!("{} sessions, {rate}/s", self.sessions), share);
                self.turn(rate, (&router, &sources, &receivers), &mut numbers)?;
            }
        }
        Ok(())
    }

    fn turn(
        &mut self,
        rate: u32,
        (router, sources, receivers): (&Router, &Sources, &[(Subscriber, Receiver)]),
        numbers: &mut Numbers,
    ) -> Result<(), String> {
        let milliseconds = super::milliseconds(self.setting, self.asked.milliseconds);
        let plan = numbers.plan(rate, milliseconds, sources.count());
        let before = router.processor_time();
        receivers.iter().for_each(|(_, it)| it.begin(plan));
        let sent = sources.run(plan)?;
        let came: Vec<Came> = receivers.iter().map(|(_, it)| it.end()).collect();
        let used = before.zip(router.processor_time()).map(|(from, to)| to - from);
        let case = Bridge::case_of_router(self.sessions, rate);
        let router = self.series(&case, "the router between");
        router.add(CPU, "ns", used.map(|it| it / plan.count as f64));
        router.add(FLOW[0], "1/s", sent);
        router.count("refused", sources.refused());
        for ((to, _), came) in receivers.iter().zip(came) {
            if came.wrong > 0 {
                return Err(format!("to {}: {} wrong at {rate} a second", to.name(), came.wrong));
            }
            let series = self.series(&Bridge::case(*to, self.sessions, rate), to.name());
            series.add_times(&came.times);
            series.add(FLOW[1], "1/s", came.rate());
            // Market data is the newest; all others get all, or are told of a gap.
            let missed = if *to == Subscriber::Fix { "elided" } else { "lost" };
            series.count(missed, plan.count.saturating_sub(came.messages));
        }
        Ok(())
    }

    fn series(&mut self, case: &str, to: &str) -> &mut Series<()> {
        let profile = format!(
            "tcp-blocking/fix-4.3/tag-value/none/none/to {to} (sessions paced by one thread, which spins; any cpu)"
        );
        find_or_add(
            &mut self.all,
            |it| it.case == case,
            || Series::new((), case, TRUNKLINE, profile),
        )
    }
}
