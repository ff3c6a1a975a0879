//! The article's bad case: so many distinct short texts that a vocabulary which is never cleared holds ever more.

use std::path::Path;

use super::pair::Pair;
use super::program;
use crate::evaluation::Step;
use crate::measure::service::processors::Processors;
use crate::measure::{Findings, Setting};
use crate::peer::Peer;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::Vocabularies;
use trunkline_experiment::toolkits::{Mode, Service, TOOLKITS, Toolkit};

/// Stretches of a quick run.
const QUICK: u32 = 2;

/// Texts of an item.
const TEXTS: u64 = 2;

/// Lets a client of each kind call alone, one after the other, and looks at both ends in between.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &Vocabularies,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let processors = Processors::divide();
    let has_it = |it: &&Toolkit| it.modes.contains(&Mode::SoapTcp);
    let toolkits: Vec<&'static Toolkit> = TOOLKITS.iter().filter(has_it).collect();
    let count = (toolkits.len() * Vocabularies::MODES.len()) as f64;
    let mut done = 0.0;
    for toolkit in toolkits {
        let program = program(setting, toolkit, Service::Operations);
        // What others keep has no limits that they know of.
        let has_it = |mode: &Mode| *mode != Mode::SoapTcpUnbounded || !toolkit.is_peer();
        for mode in Vocabularies::MODES.into_iter().filter(has_it) {
            let text = format!("{}, {}", toolkit.name, mode.title());
            progress(Step { part: "vocabulary", text: &text, share: done / count });
            done += 1.0;
            let rows = match toolkit.is_peer() && program.is_none() {
                true => Err(None),
                false => of_one(setting, asked, (toolkit, mode), program.as_deref(), &processors)
                    .map_err(Some),
            };
            match rows {
                Ok(rows) => found.rows.extend(rows),
                Err(why) => {
                    found.faults.extend(why.map(|why| format!("{text}: {why}")));
                    let row = blank(setting, toolkit, mode, Vocabularies::METRICS[0], "1/s");
                    found.rows.push(Row { verdict: Verdict::Absent, ..row });
                }
            }
        }
    }
}

fn blank(setting: &Setting<'_>, toolkit: &Toolkit, mode: Mode, metric: &str, unit: &str) -> Row {
    setting.row(&Vocabularies::case(mode), toolkit.name, mode.profile(), metric, unit)
}

/// Its rows by seconds.
fn of_one(
    setting: &Setting<'_>,
    asked: &Vocabularies,
    (toolkit, mode): (&'static Toolkit, Mode),
    program: Option<&Path>,
    processors: &Processors,
) -> Result<Vec<Row>, String> {
    let told = |error: crate::peer::PeerError| error.to_string();
    let what = (toolkit, mode, Service::Operations);
    let mut pair = Pair::start(setting, what, program, processors, 2).map_err(told)?;
    pair.connect(1).map_err(told)?;
    let stretches = if setting.request.is_quick { QUICK } else { asked.stretches };
    let milliseconds = asked.milliseconds;
    let (mut rows, mut texts, mut nanoseconds) = (Vec::new(), 0, 0);
    for _ in 0..stretches {
        let size = asked.items.to_string();
        let called = pair.client.call_operation(("distinct", &size), 1, milliseconds.max(1));
        let called = called.map_err(told)?;
        texts += called.times.len() as u64 * u64::from(asked.items) * TEXTS;
        nanoseconds += called.nanoseconds;
        let memory = [pair.client.memory(), pair.server.as_mut().and_then(Peer::memory)];
        let [client, server] = memory.map(|it| it.map(|bytes| bytes as f64));
        let values = [Some(called.rate()), Some(texts as f64), client, server];
        let metrics = Vocabularies::METRICS.iter().zip(["1/s", "texts", "bytes", "bytes"]);
        rows.extend(metrics.zip(values).map(|((metric, unit), value)| Row {
            value,
            runs: 1,
            entries: u32::try_from((nanoseconds + 500_000_000) / 1_000_000_000).ok(),
            ..blank(setting, toolkit, mode, metric, unit)
        }));
    }
    Ok(rows)
}
