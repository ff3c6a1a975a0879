//! Calls from structure to structure, by the client of each toolkit to its own server: what its users get.
//!
//! Client and server are processes of their own, on one half of the processors each. They take turns, and stay
//! connected between them. What goes over the wire is counted in between, before anything is timed. A link stands between
//! them where one is asked for. A service of somebody's own is called by our client.

mod codings;
mod counter;
mod memory;
mod pair;
mod tally;
mod verify;
mod vocabulary;

use std::path::PathBuf;

use super::published;
use super::service::processors::Processors;
use super::{Findings, Setting};
use crate::evaluation::Step;
use crate::peer::PeerError;
use crate::turns::take_turns;
use counter::Counter;
use pair::{Carried, Pair};
use tally::Series;
use trunkline_bench::row::Verdict;
use trunkline_bench::statistics::{ComparisonRule, noise_floor};
use trunkline_experiment::definition::toolkit_calls::DIRECT;
use trunkline_experiment::definition::{Measure, ToolkitCalls};
use trunkline_experiment::names::{BARE, NETWORK};
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::{Call, Mode, Operation, Service, TOOLKITS, Toolkit};

/// How long a toolkit that is compiled as it runs does so before its first turn, in milliseconds, and before each
/// further call: in a run, and in a quick one.
const COMPILING: [[u32; 2]; 2] = [[6_000, 400], [1_500, 150]];

/// How long others do.
const WARM_UP: u32 = 20;

/// How long a turn lasts at most in a quick run.
const QUICK_MILLISECONDS: u32 = 20;

/// Calls before bytes are counted, so that vocabularies hold what they will, if they are kept; and for how long calls are
/// counted.
const BEFORE_COUNTING: u32 = 6;
const COUNTING: u32 = 10;

/// Pairs of turns for the noise.
const NOISE_TURNS: u32 = 9;

/// Does all that the measures ask for.
pub(super) fn run(
    setting: &Setting<'_>,
    measures: &[&Measure],
    progress: &mut dyn FnMut(Step<'_>),
) -> Findings {
    let mut found = Findings::default();
    let is_quick = setting.request.is_quick;
    let asked: Vec<&ToolkitCalls> = measures
        .iter()
        .filter_map(|measure| match measure {
            Measure::Toolkits(it) if it.quick || !is_quick => Some(it),
            _ => None,
        })
        .collect();
    for measure in measures {
        match measure {
            Measure::Vocabularies(it) if it.quick || !is_quick => {
                vocabulary::measure(setting, it, &mut found, progress);
            }
            Measure::Memory(it) if it.quick || !is_quick => {
                memory::measure(setting, it, &mut found, progress);
            }
            _ => {}
        }
    }
    for of_service in asked.chunk_by(|one, other| one.service() == other.service()) {
        let mut contest = Contest::new(setting, of_service, &mut found, progress);
        for calls in of_service {
            let threads = calls.threads(is_quick);
            let ways =
                calls.links.iter().flat_map(|link| threads.iter().map(move |it| (link, *it)));
            for (link, threads) in ways {
                for &call in calls.operations(is_quick) {
                    let asked = Asked { threads, call, link, calls };
                    contest.measure(&mut found, asked, progress);
                }
            }
        }
    }
    published::beside(setting, &mut found.rows);
    codings::measure(setting, measures, &mut found, progress);
    found
}

/// What takes turns.
#[derive(Clone, Copy)]
struct Asked<'a> {
    threads: u32,
    call: Call,
    link: &'a str,
    calls: &'a ToolkitCalls,
}

/// The program of a toolkit of others for a service, if it is on this machine.
fn program(setting: &Setting<'_>, toolkit: &Toolkit, service: Service) -> Option<PathBuf> {
    setting.request.peers.program(toolkit.program(service)?)
}

/// A call of a toolkit in a mode.
type Key = (&'static str, Mode, Call);

/// All pairs that take part.
struct Contest<'a> {
    setting: &'a Setting<'a>,
    service: Service,
    pairs: Vec<Pair>,
    /// What each call takes on the wire, there and back, by toolkit and mode.
    bytes: Vec<(Key, [u32; 2])>,
    _processors: Processors,
}

impl<'a> Contest<'a> {
    /// Starts and tries all, and measures the noise.
    fn new(
        setting: &'a Setting<'a>,
        asked: &[&ToolkitCalls],
        found: &mut Findings,
        progress: &mut dyn FnMut(Step<'_>),
    ) -> Self {
        let is_quick = setting.request.is_quick;
        let threads = asked.iter().flat_map(|it| it.threads(is_quick)).copied();
        let connections = threads.max().unwrap_or(1) + 2;
        let service = asked.first().map_or(Service::Operations, |it| it.service());
        let mut contest = Self::of(setting, service);
        let wanted: Vec<Mode> = asked.iter().flat_map(|it| &it.modes).copied().collect();
        let toolkits = TOOLKITS.iter().chain(setting.request.endpoints.iter().copied());
        let modes = toolkits
            .filter(|it| it.carries(service))
            .flat_map(|it| it.modes.iter().map(move |mode| (it, *mode)))
            .filter(|(_, mode)| wanted.contains(mode));
        let modes: Vec<(&'static Toolkit, Mode)> = modes.collect();
        let count = modes.len() as f64;
        for (index, (toolkit, mode)) in modes.into_iter().enumerate() {
            let text = format!("{}, {}: checking answers", toolkit.name, mode.title());
            progress(Step { part: "toolkits", text: &text, share: index as f64 / count });
            let of_mode = asked.iter().filter(|it| it.modes.contains(&mode));
            let mut calls: Vec<Call> =
                of_mode.flat_map(|it| it.operations(is_quick)).copied().collect();
            calls.sort_unstable();
            calls.dedup();
            contest.admit(found, (toolkit, mode), &calls, connections);
        }
        contest.noise(found, |it| it.toolkit.name == BARE);
        contest
    }

    /// Without anybody.
    fn of(setting: &'a Setting<'a>, service: Service) -> Self {
        let (pairs, bytes) = (Vec::new(), Vec::new());
        Self { setting, service, pairs, bytes, _processors: Processors::divide() }
    }

    fn admit(
        &mut self,
        found: &mut Findings,
        (toolkit, mode): (&'static Toolkit, Mode),
        calls: &[Call],
        connections: u32,
    ) {
        let setting = self.setting;
        let row = |verdict| {
            let row = setting.row(NETWORK, toolkit.name, mode.profile(), "calls-per-second", "1/s");
            trunkline_bench::row::Row { verdict, ..row }
        };
        let program = program(setting, toolkit, self.service);
        if toolkit.is_peer() && toolkit.endpoint.is_none() && program.is_none() {
            found.rows.push(row(Verdict::Absent));
            return;
        }
        let processors = &self._processors;
        let what = (toolkit, mode, self.service);
        let started = Pair::start(setting, what, program.as_deref(), processors, connections);
        let mut pair = match started {
            Ok(pair) => pair,
            Err(error) => {
                found.faults.push(error.to_string());
                found.rows.push(row(Verdict::Absent));
                return;
            }
        };
        if toolkit.is_peer() && toolkit.endpoint.is_none() {
            found.versions.insert(toolkit.name.to_owned(), pair.version().to_owned());
        }
        let checked = verify::verify(setting, &mut pair, calls).and_then(|wrong| {
            let name = format!("{} ({})", toolkit.name, mode.title());
            let told = |(call, what): &(Call, String)| {
                format!("{name}: {call} is left out, since its server answers it wrongly: {what}")
            };
            found.notes.extend(wrong.iter().map(told));
            pair.leave_out(wrong.into_iter().map(|(call, _)| call).collect());
            // What lies on the way to somebody's own service is not stood in.
            if toolkit.name == BARE || toolkit.endpoint.is_some() {
                return Ok(());
            }
            let calls: Vec<Call> = calls.iter().copied().filter(|it| pair.has(*it)).collect();
            let counted = count(&mut pair, &calls)?;
            let key = |call| (toolkit.name, mode, call);
            self.bytes.extend(counted.into_iter().map(|(call, bytes)| (key(call), bytes)));
            Ok(())
        });
        match checked {
            Ok(()) => self.pairs.push(pair),
            Err(what) => {
                found.faults.push(format!("{} ({}): {what}", toolkit.name, mode.title()));
                found.rows.push(row(Verdict::WrongAnswer));
            }
        }
    }

    /// What a call takes on the wire.
    fn bytes_of(&self, toolkit: &Toolkit, mode: Mode, call: Call) -> Option<[u32; 2]> {
        // The bare echo's are those of ours.
        let key = match toolkit.name {
            BARE => (TRUNKLINE, mode.beside(), call),
            name => (name, mode, call),
        };
        self.bytes.iter().find(|(known, _)| *known == key).map(|(_, bytes)| *bytes)
    }

    fn carried(&self, pair: &Pair, call: Call) -> Carried {
        let bytes = self.bytes_of(pair.toolkit, pair.mode, call);
        Carried { call, bytes: bytes.unwrap_or([8, 1]) }
    }

    /// How much one differs from itself: the largest of all that take turns together is the machine's noise.
    fn noise(&mut self, found: &mut Findings, is_it: impl Fn(&Pair) -> bool) {
        let call = Call { operation: Operation::EchoVoid, size: 0 };
        let Some(index) = self.pairs.iter().position(is_it) else { return };
        let carried = self.carried(&self.pairs[index], call);
        let milliseconds = if self.setting.request.is_quick { QUICK_MILLISECONDS } else { 60 };
        let mut sides = [Vec::new(), Vec::new()];
        self.pairs.iter().for_each(Pair::settle);
        let pair = &mut self.pairs[index];
        let mut turns = || -> Result<(), PeerError> {
            pair.connect(1)?;
            pair.call(carried, WARM_UP)?;
            for _ in 0..NOISE_TURNS {
                for side in &mut sides {
                    side.push(pair.call(carried, milliseconds)?.rate());
                }
            }
            Ok(())
        };
        if let Err(error) = turns() {
            found.notes.push(format!("the noise floor was not measured: {error}"));
            return;
        }
        let [first, second] = sides;
        let floor = noise_floor(&ComparisonRule::default(), &first, &second);
        found.noise_floor = match (found.noise_floor, floor) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
    }

    /// Lets all take turns with one call by so many threads.
    fn measure(
        &mut self,
        found: &mut Findings,
        asked: Asked<'_>,
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let setting = self.setting;
        let Asked { threads, call, link, calls } = asked;
        let most = if setting.request.is_quick { QUICK_MILLISECONDS } else { u32::MAX };
        let milliseconds = calls.milliseconds.min(most);
        let what = format!("{call} by {threads} ({link})");
        let mut tell = |text: &str, share: f64| {
            progress(Step { part: "calls", text: &format!("{what}: {text}"), share });
        };
        let mut entries = self.entries(asked);
        for entry in &mut entries {
            let pair = &self.pairs[entry.index];
            tell(&format!("{}, {}", pair.toolkit.name, pair.mode.title()), 0.0);
            self.warm_up(found, entry, (asked.threads, asked.link));
        }
        let pairs = &mut self.pairs;
        pairs.iter().for_each(Pair::settle);
        let repetitions = setting.repetitions();
        for repetition in 0..repetitions {
            tell("taking turns", f64::from(repetition) / f64::from(repetitions));
            take_turns(&mut entries, repetition, |Entry { index, carried, series }| {
                if series.out.is_none() {
                    match pairs[*index].turn(*carried, milliseconds) {
                        Ok(turn) => series.add_turn(&turn),
                        Err(error) => dismiss(found, series, &error),
                    }
                }
            });
        }
        let all: Vec<(Series, Option<[u32; 2]>)> = entries
            .into_iter()
            .map(|Entry { index, series, .. }| {
                let pair = &self.pairs[index];
                let bytes = self.bytes_of(pair.toolkit, pair.mode, call);
                (series, bytes)
            })
            .collect();
        tally::rows(setting, &all, found);
        // One that has failed is not asked again.
        let out = |pair: &Pair| all.iter().any(|(it, _)| it.out.is_some() && it.is_of(pair));
        self.pairs.retain(|pair| !out(pair));
    }

    /// All who take turns; there is no link to somebody's own service.
    fn entries(&self, Asked { threads, call, link, calls }: Asked<'_>) -> Vec<Entry> {
        let is_there = |pair: &Pair| {
            let is_reached = pair.toolkit.endpoint.is_none() || link == DIRECT;
            is_reached && calls.modes.contains(&pair.mode) && pair.has(call)
        };
        let pairs = self.pairs.iter().enumerate().filter(|(_, pair)| is_there(pair));
        pairs
            .map(|(index, pair)| {
                let bytes = self.bytes_of(pair.toolkit, pair.mode, call);
                let about = (threads, call, link);
                let series = Series::of_pair(pair.toolkit, pair.mode, about, bytes);
                Entry { index, carried: self.carried(pair, call), series }
            })
            .collect()
    }

    /// Connects one that takes turns, over the link, and lets it compile what it runs.
    fn warm_up(&mut self, found: &mut Findings, entry: &mut Entry, (threads, link): (u32, &str)) {
        let Entry { index, carried, series } = entry;
        let pair = &mut self.pairs[*index];
        if let Err(what) = pair.stand_behind(link) {
            found.faults.push(format!("{}, {}: {what}", series.subject, series.case));
            return series.dismiss(Verdict::Absent);
        }
        let compiling = COMPILING[usize::from(self.setting.request.is_quick)];
        let warm_up = match (pair.toolkit.is_compiled, pair.is_warm) {
            (false, _) => WARM_UP,
            (true, is_warm) => compiling[usize::from(is_warm)],
        };
        pair.is_warm = true;
        let warmed_up = pair.connect(threads).and_then(|()| pair.call(*carried, warm_up));
        if let Err(error) = warmed_up {
            dismiss(found, series, &error);
        }
    }
}

/// One that takes turns: which pair, what it carries, and what came of it.
struct Entry {
    index: usize,
    carried: Carried,
    series: Series,
}

/// Who fails takes no more part.
fn dismiss(found: &mut Findings, series: &mut Series, error: &PeerError) {
    found.faults.push(format!("{}, {}: {error}", series.subject, series.case));
    series.dismiss(Verdict::WrongAnswer);
}

/// What each call takes on the wire, there and back, once vocabularies hold what they will. It has to travel as its mode
/// says.
fn count(pair: &mut Pair, calls: &[Call]) -> Result<Vec<(Call, [u32; 2])>, String> {
    let port = pair.target.parse().map_err(|_| format!("{} is no port", pair.target))?;
    let header = match pair.mode.is_compressed() {
        true => format!("content-encoding: {}", pair.mode.coding()),
        false => "transfer-encoding: chunked".to_owned(),
    };
    let counter = Counter::start(port, header)?;
    let told = |error: PeerError| error.to_string();
    pair.connect_to(&counter.port().to_string(), 1).map_err(told)?;
    let is_kept = pair.mode.profile().contains("/retained/");
    let before_counting = if is_kept { BEFORE_COUNTING } else { 1 };
    let mut counted = Vec::new();
    for &call in calls {
        let carried = Carried { call, bytes: [0; 2] };
        for _ in 0..before_counting {
            pair.call(carried, 1).map_err(told)?;
        }
        let before = counter.bytes();
        let count = pair.call(carried, COUNTING).map_err(told)?.times.len().max(1) as u64;
        let after = counter.bytes();
        let of_call = [0, 1].map(|way| ((after[way] - before[way] + count / 2) / count) as u32);
        counted.push((call, of_call));
    }
    pair.forget_connections();
    travelled(pair.mode, counter.has_header()).map(|()| counted)
}

/// Whether calls travelled as their mode says, by whether requests and answers had its header.
fn travelled(mode: Mode, [sent, received]: [bool; 2]) -> Result<(), String> {
    match (mode.is_compressed(), mode == Mode::HttpChunked) {
        (true, _) if !sent => Err(format!("its client does not compress by {}", mode.coding())),
        (true, _) if !received => Err(format!("its server does not compress by {}", mode.coding())),
        (false, true) if !sent => Err("its client does not send in chunks".into()),
        (false, false) if sent => Err("its client sends in chunks".into()),
        _ => Ok(()),
    }
}
