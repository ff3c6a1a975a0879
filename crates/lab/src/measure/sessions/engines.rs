//! Engines of FIX, each a process that is both sides of a session: what a session costs with each of them.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use crate::disk::Place;
use crate::evaluation::Step;
use crate::measure::{Findings, Setting, series};
use crate::peer::{Measured, Peer, PeerError};
use crate::sessions::DICTIONARY;
use crate::turns::take_turns;
use trunkline_bench::folder::PrivateFolder;
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::statistics::{ComparisonRule, noise_floor};
use trunkline_experiment::definition::Engines;
use trunkline_experiment::definition::sessions::{LOGON, RATE, ROUND_TRIPS};
use trunkline_experiment::engines::{ENGINES, Engine, Kept, SLEEPING};
use trunkline_experiment::names::lead_metric;
use trunkline_experiment::subjects::TRUNKLINE;

/// How long an engine may take for a turn.
const PATIENCE: Duration = Duration::from_secs(300);

/// Pairs of turns for the noise; round trips and orders of a turn, in a run and in a quick one.
const NOISE_TURNS: u32 = 9;
const NOISE: [[u32; 2]; 2] = [[1_000, 10_000], [200, 2_000]];

type Series = series::Series<Kept>;

/// An engine that takes part.
struct Participant {
    engine: &'static Engine,
    peer: Peer,
    series: [Series; Kept::ALL.len()],
}

/// How much our engine differs from itself, by the middle of its round trips. One whose threads stay awake while they are busy has
/// two such middles, one for each state, between which a turn as short as these may go over; so those that sleep are measured.
pub(super) fn measure_noise(
    setting: &Setting<'_>,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    progress(Step { part: "noise", text: "our engine against itself", share: 0.0 });
    match noise(setting) {
        Ok(floor) => found.noise_floor = floor,
        Err(why) => found.notes.push(format!("the noise floor was not measured: {why}")),
    }
}

fn noise(setting: &Setting<'_>) -> Result<Option<f64>, String> {
    let told = |error: PeerError| error.to_string();
    let ground = Ground::new().map_err(|error| error.to_string())?;
    let program = &setting.request.program;
    let mut peer = Peer::start_with(SLEEPING, program, &["lab", "engine", SLEEPING], PATIENCE)
        .map_err(told)?;
    let messages = NOISE[usize::from(setting.request.is_quick)];
    ground.measured(&mut peer, Kept::Memory, messages).map_err(told)?;
    let mut sides = [Vec::new(), Vec::new()];
    for _ in 0..NOISE_TURNS {
        for side in &mut sides {
            let measured = ground.measured(&mut peer, Kept::Memory, messages).map_err(told)?;
            side.push(measured.round_trips[0] as f64);
        }
    }
    let [first, second] = sides;
    Ok(noise_floor(&ComparisonRule::default(), &first, &second))
}

/// Lets all engines take turns.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &Engines,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let ground = match Ground::new() {
        Ok(ground) => ground,
        Err(error) => return found.faults.push(format!("the folder of engines: {error}")),
    };
    let mut participants = participants(setting, found);
    let contest = Contest { setting, asked, ground };
    let turns = asked.count.unwrap_or(setting.repetitions());
    for kept in Kept::ALL {
        let done = kept as usize as f64;
        for turn in 0..turns {
            let share = (done + f64::from(turn) / f64::from(turns)) / Kept::ALL.len() as f64;
            take_turns(&mut participants, turn, |participant| {
                progress(Step { part: "engines", text: participant.engine.name, share });
                contest.turn(participant, kept, found);
            });
        }
    }
    rows(setting, &participants, found);
}

/// Starts all that are here; those that are not are told.
fn participants(setting: &Setting<'_>, found: &mut Findings) -> Vec<Participant> {
    let mut participants = Vec::new();
    for engine in &ENGINES {
        let series =
            |kept| Series::new(kept, &Engines::case(kept), engine.name, engine.profile(kept));
        let series = Kept::ALL.map(series);
        let program = match engine.program {
            Some(name) => setting.request.peers.program(name),
            None => Some(setting.request.program.clone()),
        };
        let started = match (program, engine.is_peer()) {
            (None, _) => Err(None),
            (Some(program), true) => Peer::start(engine.name, &program, PATIENCE).map_err(Some),
            (Some(program), false) => {
                let arguments = ["lab", "engine", engine.name];
                Peer::start_with(engine.name, &program, &arguments, PATIENCE).map_err(Some)
            }
        };
        match started {
            Ok(peer) => {
                if engine.is_peer() {
                    let version = peer.greeting().version.clone();
                    found.versions.insert(engine.name.to_owned(), version);
                }
                participants.push(Participant { engine, peer, series });
            }
            Err(why) => {
                found.faults.extend(why.map(|why: PeerError| why.to_string()));
                found.rows.extend(series.iter().map(|it| without(setting, it, Verdict::Absent)));
            }
        }
    }
    participants
}

fn without(setting: &Setting<'_>, series: &Series, verdict: Verdict) -> Row {
    Row { verdict, ..series.blank(setting, RATE, "1/s") }
}

/// Where engines keep their messages: a new folder for each turn.
struct Ground {
    folder: PrivateFolder,
    dictionary: PathBuf,
}

impl Ground {
    /// On a disk, where there is one.
    fn new() -> io::Result<Self> {
        let folder = match Place::find() {
            Ok(place) => PrivateFolder::below(&place.folder)?,
            Err(_) => PrivateFolder::new()?,
        };
        let dictionary = folder.path().join("FIX43.xml");
        fs::write(&dictionary, DICTIONARY)?;
        Ok(Self { folder, dictionary })
    }

    fn measured(
        &self,
        peer: &mut Peer,
        kept: Kept,
        [trips, orders]: [u32; 2],
    ) -> Result<Measured, PeerError> {
        let word = match kept {
            Kept::Memory => "memory",
            Kept::Files => "file",
        };
        let folder = self.folder.path().join("turn");
        // QuickFIX asks for a port, and takes no 0. One that is taken meanwhile is its error.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let port = port.map_or(0, |it| it.port());
        let dictionary = self.dictionary.display();
        let question =
            format!("measure {word} {trips} {orders} {port} {} {dictionary}", folder.display());
        let measured = peer.measure_session(&question, orders);
        // The next one begins with number 1.
        _ = fs::remove_dir_all(&folder);
        measured
    }
}

struct Contest<'a> {
    setting: &'a Setting<'a>,
    asked: &'a Engines,
    ground: Ground,
}

impl Contest<'_> {
    /// One turn of an engine; who fails takes no more part.
    fn turn(&self, participant: &mut Participant, kept: Kept, found: &mut Findings) {
        let Participant { engine, peer, series } = participant;
        if series.iter().any(|it| it.out.is_some()) {
            return;
        }
        let messages = self.asked.messages(kept, self.setting.request.is_quick);
        let series = &mut series[kept as usize];
        match self.ground.measured(peer, kept, messages) {
            Ok(Measured { logon, round_trips, rate }) => {
                series.add(RATE, "1/s", rate as f64);
                series.add(LOGON, "ns", logon as f64);
                for (metric, time) in ROUND_TRIPS.iter().zip(round_trips) {
                    series.add(metric, "ns", time as f64);
                }
            }
            Err(error) => {
                found.faults.push(format!("{}, {}: {error}", engine.name, series.case));
                series.dismiss(Verdict::WrongAnswer);
            }
        }
    }
}

/// The medians of all turns, and how far ours is ahead of each.
fn rows(setting: &Setting<'_>, participants: &[Participant], found: &mut Findings) {
    let in_turns = || participants.iter().filter(|it| it.series.iter().all(|it| it.out.is_none()));
    let ours = in_turns().find(|it| it.engine.name == TRUNKLINE);
    for participant in participants {
        for series in &participant.series {
            if let Some(verdict) = series.out {
                found.rows.push(without(setting, series, verdict));
                continue;
            }
            found.rows.extend(series.medians(setting));
            let ours = ours.filter(|_| participant.engine.is_peer() && series.turns() > 0);
            if let Some(ours) = ours.map(|it| &it.series[series.of as usize]) {
                let lead = ours.blank(setting, &lead_metric(participant.engine.name), "x");
                found.rows.push(series.over(ours, (RATE, "1/s"), lead, found.noise_floor));
            }
        }
    }
}
