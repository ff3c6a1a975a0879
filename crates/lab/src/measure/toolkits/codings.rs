//! Content codings: what they make of the bytes of messages, what they take of the processor beside XML, and what calls take with
//! them over links.
//!
//! Messages are compressed in memory in turns with the calls that have no link before them. All who compress take part: client and server of each coding
//! are processes of their own, as in all calls of toolkits.

mod even;
mod rows;

use super::pair::Pair;
use super::tally::Series as OfCalls;
use super::{Contest, Entry, QUICK_MILLISECONDS, dismiss};
use crate::evaluation::Step;
use crate::measure::{Findings, Setting, series};
use crate::operations::codings::{Stages, measure as in_memory};
use crate::turns::take_turns;
use trunkline_bench::row::Verdict;
use trunkline_experiment::definition::codings::STAGES;
use trunkline_experiment::definition::toolkit_calls::DIRECT;
use trunkline_experiment::definition::{Coding, Codings, Measure};
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::{Call, Mode, Service, TOOLKITS, Toolkit};

/// Connections at a time: of the client, of whoever checks its answers, and one that is ending.
const CONNECTIONS: u32 = 3;

/// Turns of a message in memory.
type InMemory = series::Series<Coding>;

/// What a call came to with one coding.
struct Memory {
    series: InMemory,
    /// Bytes of request and answer.
    bytes: [usize; 2],
}

/// The calls of one toolkit with one coding over one link.
struct Calls {
    toolkit: &'static Toolkit,
    coding: Coding,
    call: Call,
    link: String,
    series: OfCalls,
    /// What a call takes on the wire, there and back.
    bytes: Option<[u32; 2]>,
}

/// All that was measured.
#[derive(Default)]
struct Measured {
    memory: Vec<(Call, Vec<Memory>)>,
    calls: Vec<Calls>,
}

/// Does all that the measures ask for.
pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let is_quick = setting.request.is_quick;
    let asked: Vec<&Codings> = measures
        .iter()
        .filter_map(|measure| match measure {
            Measure::Codings(it) if it.quick || !is_quick => Some(it),
            _ => None,
        })
        .collect();
    if asked.is_empty() {
        return;
    }
    let mut contest = admitted(setting, &asked, found, progress);
    contest.noise(found, |it| it.toolkit.name == TRUNKLINE && it.mode == Mode::Http);
    let ways = asked.iter().flat_map(|it| it.links.iter().map(move |link| (*it, &**link)));
    let ways: Vec<(&Codings, &str)> = ways.collect();
    let mut measured = Measured::default();
    for (index, &(codings, link)) in ways.iter().enumerate() {
        for &call in codings.operations(is_quick) {
            let text = format!("{call} ({link})");
            let share = index as f64 / ways.len() as f64;
            progress(Step { part: "codings", text: &text, share });
            turns(&mut contest, (codings, call, link), &mut measured, found);
        }
    }
    rows::all(setting, measured, found);
}

/// All who compress, in all codings that they have; their answers are right.
fn admitted<'a>(
    setting: &'a Setting<'a>,
    asked: &[&Codings],
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) -> Contest<'a> {
    let mut calls: Vec<Call> =
        asked.iter().flat_map(|it| it.operations(setting.request.is_quick)).copied().collect();
    calls.sort_unstable();
    calls.dedup();
    let mut contest = Contest::of(setting, Service::Arrays);
    let toolkits = TOOLKITS.iter().filter(|it| it.compresses() && it.carries(Service::Arrays));
    for toolkit in toolkits {
        for mode in Coding::ALL.into_iter().filter_map(Coding::mode) {
            if toolkit.modes.contains(&mode) {
                let text = format!("{}, {}: checking answers", toolkit.name, mode.title());
                progress(Step { part: "codings", text: &text, share: 0.0 });
                contest.admit(found, (toolkit, mode), &calls, CONNECTIONS);
            }
        }
    }
    contest
}

/// The coding of a mode.
fn of_mode(mode: Mode) -> Coding {
    let is_it = |it: &Coding| it.mode() == Some(mode);
    Coding::ALL.into_iter().find(is_it).unwrap_or(Coding::None)
}

/// Lets all take turns with one call over a link; without one, messages are compressed in memory beside it.
fn turns(
    contest: &mut Contest<'_>,
    (codings, call, link): (&Codings, Call, &str),
    measured: &mut Measured,
    found: &mut Findings,
) {
    let setting = contest.setting;
    let most = if setting.request.is_quick { QUICK_MILLISECONDS } else { u32::MAX };
    let milliseconds = codings.milliseconds.min(most);
    let mut entries = entries(contest, call, link);
    for entry in &mut entries {
        contest.warm_up(found, entry, (1, link));
    }
    let mut memory: Vec<InMemory> = match link == DIRECT {
        true => Coding::ALL.into_iter().map(|it| blank(it, call)).collect(),
        false => Vec::new(),
    };
    let mut lengths = [[0; 2]; Coding::ALL.len()];
    contest.pairs.iter().for_each(Pair::settle);
    for repetition in 0..setting.repetitions() {
        take_turns(&mut memory, repetition, |series| {
            if series.out.is_none() {
                match in_memory(series.of, call, milliseconds) {
                    Ok(stages) => lengths[series.of as usize] = add(series, &stages),
                    Err(what) => {
                        found.faults.push(format!("{}: {what}", series.case));
                        series.dismiss(Verdict::WrongAnswer);
                    }
                }
            }
        });
        take_turns(&mut entries, repetition, |Entry { index, carried, series }| {
            if series.out.is_none() {
                match contest.pairs[*index].watched(*carried, milliseconds) {
                    Ok(turn) => series.add_turn(&turn),
                    Err(error) => dismiss(found, series, &error),
                }
            }
        });
    }
    measured.calls.extend(entries.into_iter().map(|Entry { index, series, .. }| {
        let Pair { toolkit, mode, .. } = contest.pairs[index];
        let bytes = contest.bytes_of(toolkit, mode, call);
        Calls { toolkit, coding: of_mode(mode), call, link: link.to_owned(), series, bytes }
    }));
    if !memory.is_empty() {
        let with_bytes = |series: InMemory| Memory { bytes: lengths[series.of as usize], series };
        measured.memory.push((call, memory.into_iter().map(with_bytes).collect()));
    }
    // One that has failed is not asked again.
    let out: Vec<(&str, Mode)> = measured
        .calls
        .iter()
        .filter(|it| it.series.out.is_some())
        .map(|it| (it.toolkit.name, it.series.of))
        .collect();
    contest.pairs.retain(|pair| !out.contains(&(pair.toolkit.name, pair.mode)));
}

/// All who take turns with a call.
fn entries(contest: &Contest<'_>, call: Call, link: &str) -> Vec<Entry> {
    let pairs = contest.pairs.iter().enumerate().filter(|(_, pair)| pair.has(call));
    pairs
        .map(|(index, pair)| {
            let case = Codings::case_over(of_mode(pair.mode), call, link);
            let bytes = contest.bytes_of(pair.toolkit, pair.mode, call);
            let sent = bytes.map_or(String::new(), |[sent, _]| format!("/{sent}"));
            let profile = format!("{}{sent}", pair.mode.profile());
            let series = OfCalls::new(pair.mode, &case, pair.toolkit.name, profile);
            Entry { index, carried: contest.carried(pair, call), series }
        })
        .collect()
}

/// Without turns.
fn blank(coding: Coding, call: Call) -> InMemory {
    InMemory::new(coding, &Codings::case(coding, call), TRUNKLINE, coding.profile())
}

/// Adds a turn, and returns the bytes of request and answer.
fn add(series: &mut InMemory, stages: &Stages) -> [usize; 2] {
    for (metric, nanoseconds) in STAGES.iter().zip(stages.nanoseconds) {
        series.add(metric, "ns", nanoseconds);
    }
    stages.bytes
}
