//! Instructions that encoding and decoding a message take, counted by Valgrind: without noise, so that two builds
//! differ by what was changed in them and by nothing else.
//!
//! Whoever is counted works in a process that answers the questions of peers. It does so twice, with more passes the
//! second time: the difference, over the messages of those passes, is what one message takes once all is warm.
//! Valgrind knows no instructions beyond AVX2, so that on newer processors it counts other paths than run there.

use std::path::Path;
use std::thread;

use super::codec::COMPILED_AS_THEY_RUN;
use super::{Findings, Setting};
use crate::builds::{END, RECORD_END};
use crate::experiment::{Operation, Subject as _};
use crate::peer::{ANSWER_TIMEOUT, Peer};
use crate::scenario::{Content, OPERATIONS, Scenario, Stage};
use crate::subjects::{State, admit};
use crate::{answer, counter, format};
use trunkline_bench::folder::PrivateFolder;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::Measure;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::INSTRUCTIONS;
use trunkline_experiment::subjects::{
    BUILDS, RECORD_FORMATS, REUSING_PEERS, TRUNKLINE, TRUNKLINE_RECORD, TRUNKLINE_REUSED,
};

/// Messages that are loaded.
const MESSAGES: usize = 40;

/// Passes over them: the first are enough for all that is learnt or allocated once.
const PASSES: [u32; 2] = [4, 12];

/// Who is counted.
struct Counted<'a> {
    name: &'static str,
    program: &'a Path,
    arguments: &'static [&'static str],
    formats: Vec<Format>,
}

/// What one of them is counted at.
struct Task<'a, S: Scenario> {
    counted: &'a Counted<'a>,
    format: Format,
    operation: Operation,
    messages: &'a [S::Message],
    corpus: &'a [Vec<u8>],
}

/// Counts for all that `measures` ask for, with the longest messages.
pub(super) fn measure<S: Scenario>(
    setting: &Setting<'_>,
    scenario: &S,
    (measures, formats): (&[&Measure], &[Format]),
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    if let Err(why) = counter::try_it() {
        findings.notes.push(format!("instructions are not counted: {why}"));
        return;
    }
    let everybody = everybody(setting, formats);
    let contents = scenario.sized(measures);
    let steps = contents.len() * everybody.len();
    for (index, content) in contents.iter().enumerate() {
        for (number, counted) in everybody.iter().enumerate() {
            let share = (index * everybody.len() + number) as f64 / steps as f64;
            progress(&format!("{} {}", counted.name, content.name), share);
            let rows = of_content(setting, scenario, content, counted, findings);
            findings.rows.extend(rows);
        }
    }
}

/// Ours, the other build, and the peers that are programs of machine code.
fn everybody<'a>(setting: &'a Setting<'_>, formats: &[Format]) -> Vec<Counted<'a>> {
    let request = setting.request;
    let among = |of: &[Format]| of.iter().copied().filter(|it| formats.contains(it)).collect();
    let ours =
        |name, arguments, formats| Counted { name, program: &request.program, arguments, formats };
    let mut everybody = vec![
        ours(TRUNKLINE, &END[..], formats.to_vec()),
        ours(TRUNKLINE_REUSED, &END, formats.to_vec()),
        ours(TRUNKLINE_RECORD, &RECORD_END, among(&RECORD_FORMATS)),
    ];
    if let Some(program) = &request.against {
        let name = BUILDS[0][1];
        everybody.push(Counted { name, program, arguments: &END, formats: formats.to_vec() });
    }
    let is_compiled = |name| !COMPILED_AS_THEY_RUN.contains(&name);
    for (known, program) in request.peers.found().filter(|(known, _)| is_compiled(known.subject()))
    {
        let reusing = REUSING_PEERS.iter().find(|(peer, _)| *peer == known.name);
        for name in [known.subject()].into_iter().chain(reusing.map(|(_, name)| *name)) {
            everybody.push(Counted {
                name,
                program,
                arguments: &[],
                formats: among(known.formats),
            });
        }
    }
    everybody
}

/// A row for each format and operation.
fn of_content<S: Scenario>(
    setting: &Setting<'_>,
    scenario: &S,
    content: &Content,
    counted: &Counted<'_>,
    findings: &mut Findings,
) -> Vec<Row> {
    let entries = content.longest();
    let mut rows = Vec::new();
    for &format in &counted.formats {
        for operation in OPERATIONS {
            let mut messages = scenario.batch(Stage { content, entries, operation }, 0);
            messages.truncate(MESSAGES);
            let corpus = format::corpus(format, &messages).expect("every format carries it");
            let task: Task<'_, S> =
                Task { counted, format, operation, messages: &messages, corpus: &corpus };
            let case = content.case(&format!("{INSTRUCTIONS}-{}", operation.name()));
            let blank =
                setting.row(&case, counted.name, &format.profile(), INSTRUCTIONS, INSTRUCTIONS);
            match task.count() {
                Ok(None) => {}
                Ok(value) => rows.push(Row { entries, value, runs: 1, ..blank }),
                Err(why) => {
                    findings.faults.push(format!("{} ({}): {why}", counted.name, format.name()));
                    rows.push(Row { entries, verdict: Verdict::Absent, ..blank });
                }
            }
        }
    }
    rows
}

impl<S: Scenario> Task<'_, S> {
    /// What one message takes; None if this is not what the subject does.
    fn count(&self) -> Result<Option<f64>, String> {
        let [few, many] = thread::scope(|scope| {
            // Others on the machine do not change what is counted.
            let few = scope.spawn(|| self.total(PASSES[0]));
            let many = self.total(PASSES[1]);
            [few.join().unwrap_or_else(|_| Err("counting ended".to_owned())), many]
        });
        let messages = f64::from(PASSES[1] - PASSES[0]) * self.messages.len() as f64;
        Ok(many?.zip(few?).map(|(many, few)| many.saturating_sub(few) as f64 / messages))
    }

    /// All instructions of a process that loads, shows that it is right, and works so many times on all messages.
    fn total(&self, passes: u32) -> Result<Option<u64>, String> {
        let Self { counted, format, operation, messages, corpus } = *self;
        let folder = PrivateFolder::new().map_err(|cause| cause.to_string())?;
        let file = folder.path().join("counts");
        let program = counted.program.to_string_lossy();
        let options = counter::options(&file);
        let mut arguments: Vec<&str> = options.iter().map(String::as_str).collect();
        arguments.push(&program);
        arguments.extend(counted.arguments);
        let counter = Path::new(counter::PROGRAM);
        let peer = Peer::start_with(counted.name, counter, &arguments, ANSWER_TIMEOUT);
        let mut subject =
            match admit(peer.map_err(|error| error.to_string())?, format, counted.name) {
                State::Ready { subject, .. } => subject,
                State::Absent => return Ok(None),
                State::Broken(why) => return Err(why),
            };
        if !subject.can(operation) {
            return Ok(None);
        }
        let work = subject.load(corpus).and_then(|()| subject.echo());
        let echo = work.map_err(|error| error.to_string())?;
        answer::check(format, messages)(&echo)?;
        subject.run(operation, passes).map_err(|error| error.to_string())?;
        subject.stop();
        counter::sum(&file).map(Some)
    }
}
