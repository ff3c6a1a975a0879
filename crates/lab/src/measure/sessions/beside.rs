//! A native publisher and its subscriber: alone, and beside sessions that publish as well.

use std::thread;

use super::router::Router;
use super::traffic::{Came, Numbers, Plan, Receiver, Sources, price, sent_by};
use crate::evaluation::Step;
use crate::measure::series::Series;
use crate::measure::{Findings, Setting};
use crate::turns::take_turns;
use trunkline_bench::row::Verdict;
use trunkline_client::{Client, Options, Subscribe, Topic};
use trunkline_experiment::definition::BesideSessions;
use trunkline_experiment::subjects::TRUNKLINE;

/// What the publisher publishes to: no session does.
const TOPIC: &str = "native/S0";

/// A router with so many sessions, and the publisher and its subscriber.
struct Ground {
    sessions: u32,
    client: Client,
    topic: Topic,
    receiver: Receiver,
    sources: Option<Sources>,
    // The last that ends.
    _router: Router,
}

impl Ground {
    fn new(setting: &Setting<'_>, sessions: u32) -> Result<Self, String> {
        let told = |error: trunkline_client::Error| error.to_string();
        let router = Router::start(setting, sessions.max(1)).map_err(|it| it.to_string())?;
        let receiver = Receiver::client(&router, TOPIC, &Subscribe::every())?;
        let mut client =
            Client::connect(&router.native, &Options::named("publisher")).map_err(told)?;
        let topic = client.topic(TOPIC).map_err(told)?;
        let sources = (sessions > 0).then(|| Sources::connect(&router, sessions)).transpose()?;
        Ok(Self { sessions, client, topic, receiver, sources, _router: router })
    }

    /// What came of the publisher's run while sessions publish at theirs.
    fn run(&mut self, plan: Plan, beside: Plan) -> Result<Came, String> {
        let Self { client, topic, receiver, sources, .. } = self;
        receiver.begin(plan);
        thread::scope(|scope| {
            let beside = sources.as_ref().map(|it| scope.spawn(|| it.run(beside)));
            let sent = sent_by(plan, |number| {
                let mut message = b"35=W\x01".to_vec();
                message.extend(price(0, number));
                client.publish(*topic, &message).map_err(|error| error.to_string())
            });
            let beside = beside.map_or(Ok(Ok(0.0)), |it| it.join());
            sent?;
            beside.map_err(|_| "a thread of the sessions broke".to_owned())??;
            Ok(receiver.end())
        })
    }
}

/// Lets the two take turns.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &BesideSessions,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let series = |sessions: u32| {
        let profile = format!(
            "unix-blocking/native/opaque/none/none/beside {sessions} FIX sessions (publishers spin; any cpu)"
        );
        Series::new((), &BesideSessions::case(sessions), TRUNKLINE, profile)
    };
    let mut all = [0, asked.sessions].map(series);
    if let Err(why) = run(setting, asked, &mut all, progress) {
        found.faults.push(format!("beside {} sessions: {why}", asked.sessions));
        all.iter_mut().for_each(|it| it.dismiss(Verdict::WrongAnswer));
    }
    found.rows.extend(all.iter().flat_map(|it| super::rows(setting, it)));
    found.distributions.extend(all.iter().filter_map(|it| it.distribution(setting, "latency")));
}

fn run(
    setting: &Setting<'_>,
    asked: &BesideSessions,
    all: &mut [Series<()>],
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<(), String> {
    let milliseconds = super::milliseconds(setting, asked.milliseconds);
    let mut grounds = Vec::new();
    for (sessions, series) in [0, asked.sessions].into_iter().zip(all) {
        grounds.push((Ground::new(setting, sessions)?, series));
    }
    let mut numbers = Numbers::new();
    let turns = asked.count.unwrap_or(setting.repetitions());
    let mut outcome = Ok(());
    // The first turn does not count.
    for turn in 0..=turns {
        let share = f64::from(turn) / f64::from(turns + 1);
        take_turns(&mut grounds, turn, |(ground, series)| {
            let text = format!("{} sessions", ground.sessions);
            progress(Step { part: "beside", text: &text, share });
            let beside = ground.sources.as_ref().map_or(1, Sources::count);
            let plan = numbers.plan(asked.rate, milliseconds, 1);
            let beside = numbers.plan(asked.session_rate, milliseconds, beside);
            match ground.run(plan, beside) {
                Ok(came) if came.wrong > 0 => {
                    outcome = Err(format!("{} of {} came wrong", came.wrong, plan.count));
                }
                Ok(came) if turn > 0 => {
                    series.add_times(&came.times);
                    series.count("lost", plan.count.saturating_sub(came.messages));
                }
                Ok(_) => {}
                Err(why) => outcome = Err(why),
            }
        });
        outcome.clone()?;
    }
    Ok(())
}
