//! One source, and clients that want its messages in three formats: how often each is converted, and what that costs.

use std::hint::black_box;
use std::sync::Arc;

use trunkline_client::format;
use trunkline_message::{Limits, Record};
use trunkline_server::config::TopicRule;
use trunkline_server::formats::{Converter, PublishedMessage};
use trunkline_transcode::{Codec, Format, Messages, Options};

use super::router::Router;
use super::traffic::{Came, Numbers, Receiver, Sources, price};
use crate::evaluation::Step;
use crate::measure::series::Series;
use crate::measure::{Findings, Setting};
use crate::sessions::DICTIONARY;
use trunkline_bench::clock::thread_cpu_nanoseconds;
use trunkline_bench::row::Verdict;
use trunkline_experiment::definition::Renditions;
use trunkline_experiment::definition::sessions::{CPU, FLOW, MADE, OVER_CODEC, Rendition};
use trunkline_experiment::subjects::TRUNKLINE;

/// What a repetition of a cost lasts at least, in nanoseconds of the processor.
const LONG_ENOUGH: u64 = 10_000_000;

/// Messages between two looks at the clock.
const BATCH: u64 = 256;

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
        for _ in 0..asked.clients {
            receivers.push(Receiver::client(&router, "fx/*", Some(numbers_of(rendition).0))?);
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
        series.add(MADE, "x", made / (messages * Rendition::ALL.len() as f64));
        series.add(CPU, "ns", used.map(|it| it / messages));
        series.add(FLOW[0], "1/s", sent);
        series.add(FLOW[1], "1/s", all.iter().map(Came::rate).sum::<f64>());
        series.count("lost", (plan.count * receivers.len() as u64).saturating_sub(came));
    }
    Ok(())
}

/// Messages that the router has converted so far.
fn made(router: &mut Router) -> std::io::Result<f64> {
    Rendition::ALL.into_iter().map(|it| router.converted(it)).sum()
}

/// What the router's converter takes of a message, and what decoding and encoding by the formats alone takes, in nanoseconds, in
/// turns.
fn costs(rendition: Rendition, repetitions: u32) -> Result<[Vec<f64>; 2], String> {
    let told = |error: trunkline_message::Error| error.to_string();
    let (number, to) = numbers_of(rendition);
    let message = message();
    let rule = TopicRule {
        pattern: "fx/>".into(),
        schema: "FIX43.xml".into(),
        transport: None,
        format: Some(format::FIX),
        message: None,
        documents: [("FIX43.xml".to_owned(), DICTIONARY.as_bytes().to_vec())].into_iter().collect(),
    };
    let description = rule.describe().map_err(|problem| problem.to_string())?;
    let mut messages = Messages::new(description, Options::default(), Limits::default());
    let decoded = messages.decode(Format::Fix, None, &message);
    let layout = decoded.map_err(|error| error.to_string())?.layout.clone();
    let mut converter = Converter::default();
    converter.set_topics(Arc::from([rule]));
    let published =
        PublishedMessage { topic: "fx/S0".into(), format: format::FIX, payload: message.clone() };
    let compiled = |format| Codec::new(&layout, format, &fix_options(), &Limits::default());
    let mut codecs = [compiled(Format::Fix).map_err(told)?, compiled(to).map_err(told)?];
    let mut record = Record::new(&layout);
    let mut sides = [Vec::new(), Vec::new()];
    let mut out = Vec::new();
    // The first of each does not count.
    for repetition in 0..=repetitions {
        let whole = cost(|| {
            // The router keeps what was made: memory of its own for each.
            out = Vec::new();
            converter.convert(&published, number, &mut out)
        })?;
        let alone = cost(|| {
            let [from, to] = &mut codecs;
            from.decode(&message, &mut record).map_err(told)?;
            black_box(to.encode(&record).map_err(told)?);
            Ok(())
        })?;
        if repetition > 0 {
            sides[0].push(whole);
            sides[1].push(alone);
        }
    }
    Ok(sides)
}

fn fix_options() -> Options {
    Options { begin_string: Some("FIX.4.3".into()), ..Options::default() }
}

/// A whole message, as it comes in a session.
fn message() -> Vec<u8> {
    let mut content =
        b"35=W\x0134=4711\x0149=SOURCE-0\x0152=20261128-09:30:00.123\x0156=ROUTER\x01".to_vec();
    content.extend(price(0, 4_711));
    let mut message = format!("8=FIX.4.3\u{1}9={}\u{1}", content.len()).into_bytes();
    message.extend(content);
    let sum = message.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    message.extend(format!("10={sum:03}\u{1}").into_bytes());
    message
}

/// Nanoseconds of the processor that something takes, done again and again.
fn cost(mut work: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let (start, mut done) = (thread_cpu_nanoseconds(), 0);
    loop {
        for _ in 0..BATCH {
            work()?;
        }
        done += BATCH;
        let taken = thread_cpu_nanoseconds() - start;
        if taken >= LONG_ENOUGH {
            return Ok(taken as f64 / done as f64);
        }
    }
}
