//! Who takes part in what is sent: ours, a bare echo, and the peers, with a process at each end.

use super::Setting;
use super::pair::Pair;
use crate::experiment::SubjectStatus;
use crate::peer::PeerError;
use crate::turns::take_turns;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{BARE, NETWORK};
use trunkline_experiment::subjects::TRUNKLINE;

/// All pairs that have been started so far.
#[derive(Default)]
pub(super) struct Participants {
    all: Vec<Participant>,
    /// Peers that stand for a format but are not on this machine.
    pub(super) absent: Vec<(String, Format)>,
    /// What went wrong, a line each.
    pub(super) faults: Vec<String>,
}

/// What a participant is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Ours,
    /// An end that sends bytes and has no codec.
    Bare,
    /// The peer that stands for the format.
    Peer,
}

struct Participant {
    kind: Kind,
    format: Format,
    name: String,
    state: State,
}

enum State {
    /// Both ends run and hold messages of so many entries.
    In { pair: Box<Pair>, loaded: Option<u32> },
    /// Not on this machine.
    Absent,
    /// Out, for a fault that has been told.
    Out(Verdict),
}

impl Participants {
    /// Those who take part with messages of one length, loaded and checked.
    pub(super) fn take_part(
        &mut self,
        setting: &Setting<'_>,
        formats: &[Format],
        kinds: &[Kind],
        entries: u32,
    ) -> Turns<'_> {
        let mut chosen = Vec::new();
        for &kind in kinds {
            for &format in formats {
                let index = self.find_or_start(setting, kind, format);
                self.load(setting, index, entries);
                chosen.push(index);
            }
        }
        Turns { participants: self, chosen, entries }
    }

    fn find_or_start(&mut self, setting: &Setting<'_>, kind: Kind, format: Format) -> usize {
        let found = self.all.iter().position(|it| it.kind == kind && it.format == format);
        found.unwrap_or_else(|| {
            let started = match kind {
                Kind::Ours => Some(Pair::ours(setting, format, false)),
                Kind::Bare => Some(Pair::ours(setting, format, true)),
                Kind::Peer => Pair::of_peer(setting, format),
            };
            let successor = setting.request.definition.successor(format).unwrap_or_default();
            let participant = self.admit(kind, format, successor, started);
            self.all.push(participant);
            self.all.len() - 1
        })
    }

    fn admit(
        &mut self,
        kind: Kind,
        format: Format,
        successor: &str,
        started: Option<Result<Pair, PeerError>>,
    ) -> Participant {
        match started {
            Some(Ok(pair)) => {
                let name = pair.name.clone();
                let state = State::In { pair: Box::new(pair), loaded: None };
                Participant { kind, format, name, state }
            }
            Some(Err(error)) => {
                self.faults.push(error.to_string());
                let state = State::Out(Verdict::Absent);
                let name = match kind {
                    Kind::Ours => TRUNKLINE,
                    Kind::Bare => BARE,
                    Kind::Peer => successor,
                };
                Participant { kind, format, name: name.to_owned(), state }
            }
            None => {
                if !successor.is_empty() {
                    self.absent.push((successor.to_owned(), format));
                }
                Participant { kind, format, name: successor.to_owned(), state: State::Absent }
            }
        }
    }

    fn load(&mut self, setting: &Setting<'_>, index: usize, entries: u32) {
        let State::In { pair, loaded } = &mut self.all[index].state else { return };
        if *loaded == Some(entries) {
            return;
        }
        *loaded = Some(entries);
        if let Err(failure) = pair.load(setting, entries) {
            self.dismiss(index, entries, failure);
        }
    }

    fn dismiss(&mut self, index: usize, entries: u32, failure: SubjectStatus) {
        let participant = &mut self.all[index];
        let why = failure.fault().unwrap_or_default();
        participant.state = State::Out(failure.verdict());
        let (name, format) = (&participant.name, participant.format.name());
        self.faults.push(format!("{name} ({format}), messages of {entries} over TCP: {why}"));
    }

    /// False if the participant of this name has been dismissed, so that nothing it did counts.
    pub(super) fn is_in(&self, name: &str, format: Format) -> bool {
        let mut all = self.all.iter().filter(|it| it.format == format && it.name == name);
        all.any(|it| matches!(it.state, State::In { .. }))
    }

    /// Names and versions of the peers that took part.
    pub(super) fn versions(&self) -> impl Iterator<Item = (String, String)> {
        self.all.iter().filter_map(|participant| match &participant.state {
            State::In { pair, .. } if participant.kind == Kind::Peer => {
                Some((participant.name.clone(), pair.version().to_owned()))
            }
            _ => None,
        })
    }

    /// A row for each peer that is absent and for each participant that is out.
    pub(super) fn rows(&self, setting: &Setting<'_>) -> Vec<Row> {
        let row = |name: &str, format: Format, verdict| Row {
            verdict,
            ..setting.row(NETWORK, name, &format.profile_over("tcp-blocking"), "round-trip", "ns")
        };
        let absent = self.absent.iter().map(|(name, format)| row(name, *format, Verdict::Absent));
        let out = self.all.iter().filter_map(|participant| match participant.state {
            State::Out(verdict) => Some(row(&participant.name, participant.format, verdict)),
            _ => None,
        });
        absent.chain(out).collect()
    }
}

/// Those who take turns in one stretch of measuring.
pub(super) struct Turns<'a> {
    participants: &'a mut Participants,
    chosen: Vec<usize>,
    entries: u32,
}

impl Turns<'_> {
    /// Lets each of them do `work` in an order that rotates by one from repetition to repetition. Who
    /// fails is out.
    pub(super) fn each(
        &mut self,
        repetition: u32,
        mut work: impl FnMut(&mut Pair) -> Result<(), SubjectStatus>,
    ) {
        let Self { participants, chosen, entries } = self;
        take_turns(chosen, repetition, |&mut index| {
            let State::In { pair, .. } = &mut participants.all[index].state else { return };
            if let Err(failure) = work(pair) {
                participants.dismiss(index, *entries, failure);
            }
        });
    }
}
