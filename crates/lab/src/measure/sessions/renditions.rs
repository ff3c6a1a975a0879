//! One source, and clients that want its messages in three formats: how often each is converted, and what that costs.

use std::hint::black_box;

use trunkline_client::{Subscribe, format};
use trunkline_transcode::Format;

use super::alone::{Alone, cost, in_turns, told};
use super::router::Router;
use super::traffic::{Came, Numbers, Receiver, Sources};
use crate::evaluation::Step;
use crate::measure::series::Series;
use crate::measure::{Findings, Setting};
use trunkline_bench::row::Verdict;
use trunkline_experiment::definition::Renditions;
use trunkline_experiment::definition::sessions::{CPU, FLOW, MADE, OVER_CODEC, Rendition};
use trunkline_experiment::subjects::TRUNKLINE;

/// Its number in the native protocol, and the codec.
fn numbers_of(rendition: Rendition) -> (u16, Format) {
    match rendition {
        Rendition::Json => (format::JSON, Format::Json),
        Rendition::Soap => (format::SOAP_11, Format::Soap11),
        Rendition::Cdr => (format::CDR, Format::CdrLittle),
    }
}

/// Measures with clients, then the cost by itself.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &Renditions,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let profile =
        "tcp-blocking/fix-4.3/tag-value/none/none/to clients in json, soap-1.1 and cdr (any cpu)";
    let mut series =
        Series::new((), &Renditions::case(asked.clients), TRUNKLINE, profile.to_owned());
    if let Err(why) = with_clients(setting, asked, &mut series, progress) {
        found.faults.push(format!("{}: {why}", series.case));
        series.dismiss(Verdict::WrongAnswer);
    }
    found.rows.extend(super::rows(setting, &series));
    for rendition in Rendition::ALL {
        progress(Step { part: "renditions", text: rendition.name(), share: 0.9 });
        let case = Renditions::case_of_cost(rendition);
        let profile = format!("none/fix-4.3/tag-value/none/none/to {}", rendition.name());
        let mut series = Series::new((), &case, TRUNKLINE, profile);
        match costs(rendition, setting.repetitions()) {
            Ok([whole, codec]) => {
                let row = series.blank(setting, OVER_CODEC, "x");
                found.rows.push(row.compared(&whole, &codec, found.noise_floor));
                whole.iter().for_each(|it| series.add("cpu-time", "ns", *it));
            }
            Err(why) => {
                found.faults.push(format!("{case}: {why}"));
                series.dismiss(Verdict::WrongAnswer);
            }
        }
        found.rows.extend(super::rows(setting, &series));
    }
}

fn with_clients(
    setting: &Setting<'_>,
    asked: &Renditions,
    series: &mut Series<()>,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let mut router = Router::start(setting, 1).map_err(told)?;
    let mut receivers = Vec::new();
    for rendition in Rendition::ALL {
        let how = Subscribe::every().in_format(numbers_of(rendition).0);
        for _ in 0..asked.clients {
            receivers.push(Receiver::client(&router, "fx/*", &how)?);
        }
    }
    let sources = Sources::connect(&router, 1)?;
    let mut numbers = Numbers::new();
    let turns = asked.count.unwrap_or(setting.repetitions());
    let milliseconds = super::milliseconds(setting, asked.milliseconds);
    // The first turn does not count.
    for turn in 0..=turns {
        let share = 0.9 * f64::from(turn) / f64::from(turns + 1);
        progress(Step { part: "renditions", text: "with clients", share });
        let plan = numbers.plan(asked.rate, milliseconds, 1);
        let made_before = made(&mut router).map_err(told)?;
        let used_before = router.processor_time();
        receivers.iter().for_each(|it| it.begin(plan));
        let sent = sources.run(plan)?;
        let all: Vec<Came> = receivers.iter().map(Receiver::end).collect();
        let used = used_before.zip(router.processor_time()).map(|(from, to)| to - from);
        let made = made(&mut router).map_err(told)? - made_before;
        let came: u64 = all.iter().map(|it| it.messages).sum();
        let wrong: u64 = all.iter().map(|it| it.wrong).sum();
        // What nobody gets is not converted either, and would look as if it were done once for all.
        let without = all.iter().filter(|it| it.messages == 0).count();
        if without > 0 || wrong > 0 {
            return Err(format!("{came} came, {wrong} wrong; {without} clients had none"));
        }
        if turn == 0 {
            continue;
        }
        let messages = plan.count as f64;
        series.add(MADE, "x", made as f64 / (messages * Rendition::ALL.len() as f64));
        series.add(CPU, "ns", used.map(|it| it / messages));
        series.add(FLOW[0], "1/s", sent);
        series.add(FLOW[1], "1/s", all.iter().map(Came::rate).sum::<f64>());
        series.count("lost", (plan.count * receivers.len() as u64).saturating_sub(came));
    }
    Ok(())
}

/// Messages that the router has converted so far.
fn made(router: &mut Router) -> std::io::Result<u64> {
    Rendition::ALL.into_iter().map(|it| router.converted(it)).sum()
}

/// What the router's converter takes of a message, and what decoding and encoding by the formats alone takes, in nanoseconds, in
/// turns.
fn costs(rendition: Rendition, repetitions: u32) -> Result<[Vec<f64>; 2], String> {
    let (number, to) = numbers_of(rendition);
    let alone = Alone::new()?;
    let (mut from, mut to) = (alone.codec(Format::Fix)?, alone.codec(to)?);
    let mut record = alone.record();
    let Alone { mut converter, published, .. } = alone;
    let mut out = Vec::new();
    let mut whole = || {
        cost(|| {
            // The router keeps what was made: memory of its own for each.
            out = Vec::new();
            converter.convert(&published, number, &mut out)
        })
    };
    let mut codecs = || {
        cost(|| {
            from.decode(&published.payload, &mut record).map_err(told)?;
            black_box(to.encode(&record).map_err(told)?);
            Ok(())
        })
    };
    in_turns(repetitions, [&mut whole, &mut codecs])
}
