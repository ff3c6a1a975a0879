//! How much the machine differs from itself: a hop through the bare forwarder, and the same hop again.

use super::Found;
use super::hops::Chain;
use super::program::middle;
use super::stage::{Failure, Stage, Starting};
use crate::measure::Setting;
use trunkline_bench::histogram::Times;
use trunkline_bench::statistics::{ComparisonRule, noise_floor};
use trunkline_experiment::middleware::named;

/// Pairs of runs: so many that the worst of them is left out.
const PAIRS: u32 = 9;

/// Messages a second, and how long each run lasts, in milliseconds: as long as those whose noise it is, or in a quick
/// run less.
const RATE: f64 = 10_000.0;
const MILLISECONDS: [u64; 2] = [300, 60];

/// The noise floor of the middle latency of a hop; none where there is no bare forwarder.
pub(super) fn floor(
    setting: &Setting<'_>,
    found: &Found,
    progress: &mut dyn FnMut(f64),
) -> Result<Option<f64>, Failure> {
    let Some(subject) = named("bare-forwarder") else { return Ok(None) };
    let mut stage = Stage::open(setting, subject, Starting::PINNED, &found.market)?;
    let mut chain = Chain::new(&stage, false)?;
    let milliseconds = MILLISECONDS[usize::from(setting.request.is_quick)];
    chain.run(&mut stage, RATE, milliseconds)?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        progress(f64::from(pair) / f64::from(PAIRS));
        for side in [&mut first, &mut second] {
            let (_, rates, _) = chain.run(&mut stage, RATE, milliseconds)?;
            side.extend(middle(&Times::decoded(&rates.latencies)?));
        }
    }
    Ok(noise_floor(&ComparisonRule::default(), &first, &second))
}
