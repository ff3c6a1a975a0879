//! What client and server need of memory for a call, each in a process that is new.

use std::path::Path;

use super::pair::{Carried, Pair};
use super::{WARM_UP, program, verify};
use crate::evaluation::Step;
use crate::measure::service::processors::Processors;
use crate::measure::{Findings, Setting};
use crate::peer::{Peer, PeerError};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::MemoryOfCalls;
use trunkline_experiment::toolkits::{Call, Mode, Operation, TOOLKITS, Toolkit};

/// How long calls go on at most in a quick run, in milliseconds.
const QUICK_MILLISECONDS: u32 = 100;

/// One after the other: who is measured is alone.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &MemoryOfCalls,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let is_quick = setting.request.is_quick;
    let processors = Processors::divide();
    let toolkits = TOOLKITS.iter().filter(|it| it.carries(asked.service()));
    let modes = toolkits.flat_map(|it| it.modes.iter().map(move |mode| (it, *mode)));
    let modes: Vec<_> = modes.filter(|(_, mode)| asked.modes.contains(mode)).collect();
    let calls = asked.calls(is_quick);
    let count = (modes.len() * calls.len()) as f64;
    let mut done = 0.0;
    for (toolkit, mode) in modes {
        let program = program(setting, toolkit, asked.service());
        for &(threads, call) in &calls {
            let text = format!("{}, {}: {call} by {threads}", toolkit.name, mode.title());
            progress(Step { part: "memory", text: &text, share: done / count });
            done += 1.0;
            let measured = match toolkit.is_peer() && program.is_none() {
                true => Err(None),
                false => {
                    let key = (toolkit, mode, threads, call);
                    of_one(setting, asked, key, program.as_deref(), &processors).map_err(Some)
                }
            };
            let case = MemoryOfCalls::case(mode, threads, call);
            let blank = |metric| setting.row(&case, toolkit.name, mode.profile(), metric, "bytes");
            match measured {
                Ok(ends) => {
                    let metrics = MemoryOfCalls::METRICS.iter().zip(ends);
                    let values = metrics.flat_map(|(metrics, end)| metrics.iter().zip(end));
                    found.rows.extend(values.map(|(metric, bytes)| Row {
                        value: Some(bytes as f64),
                        runs: 1,
                        ..blank(metric)
                    }));
                }
                Err(why) => {
                    let verdict =
                        if why.is_some() { Verdict::WrongAnswer } else { Verdict::Absent };
                    found.faults.extend(why.map(|why| format!("{text}: {why}")));
                    let row = blank(MemoryOfCalls::METRICS[0][0]);
                    found.rows.push(Row { verdict, ..row });
                }
            }
        }
    }
}

/// Of the client and of the server: before the calls, after them, and the most in between.
fn of_one(
    setting: &Setting<'_>,
    asked: &MemoryOfCalls,
    (toolkit, mode, threads, call): (&'static Toolkit, Mode, u32, Call),
    program: Option<&Path>,
    processors: &Processors,
) -> Result<[[u64; 3]; 2], String> {
    let told = |error: PeerError| error.to_string();
    let what = (toolkit, mode, asked.service());
    let mut pair = Pair::start(setting, what, program, processors, threads + 2).map_err(told)?;
    let carried = |call| Carried { call, bytes: [8, 1] };
    pair.connect(threads).map_err(told)?;
    pair.call(carried(Call { operation: Operation::EchoVoid, size: 0 }), WARM_UP).map_err(told)?;
    pair.settle();
    let resident = |peer: &Peer| peer.resident().ok_or("the system does not tell its memory");
    let server = |pair: &Pair| pair.server.as_ref().map(resident).ok_or("there is no server");
    let before = [resident(&pair.client)?, server(&pair)??];
    [Some(&pair.client), pair.server.as_ref()].into_iter().flatten().for_each(Peer::forget_most);
    let most = if setting.request.is_quick { QUICK_MILLISECONDS } else { u32::MAX };
    pair.call(carried(call), asked.milliseconds.min(most)).map_err(told)?;
    let after = [resident(&pair.client)?, server(&pair)??];
    // Now that memory was looked at: whose answers are wrong needs what it likes.
    if let Some((_, wrong)) = verify::verify(setting, &mut pair, &[call])?.first() {
        return Err(format!("its server answers wrongly: {wrong}"));
    }
    Ok([0, 1].map(|end| [before[end][0], after[end][0], after[end][1]]))
}
