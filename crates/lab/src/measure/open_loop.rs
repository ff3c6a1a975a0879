//! Latency at a steady rate, counted from the time at which a message should have been sent.
//!
//! A sender that waits for answers sends nothing while the other side stalls, and so measures the
//! stall once. Here every message has its time, whether or not the answers before it have come; the
//! time from the actual sending is told beside it, for comparison with figures that others took so.

use super::participants::{Kind, Participants};
use super::{Findings, Setting};
use trunkline_experiment::definition::{Measure, OpenLoop};
use trunkline_experiment::link::Link;

/// Repetitions of each rate, and those of a quick run: their times are added up, not compared.
const REPETITIONS: [u32; 2] = [4, 2];

/// Lets all formats take turns at each rate.
pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    participants: &mut Participants,
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    for measure in measures {
        let Measure::OpenLoop(measure) = measure else { continue };
        for link in &measure.links {
            for &rate in &measure.rates {
                let asked = (measure, link.as_str(), rate);
                at_rate(setting, asked, participants, findings, progress);
            }
        }
    }
}

fn at_rate(
    setting: &Setting<'_>,
    (measure, link_name, rate): (&OpenLoop, &str, u32),
    participants: &mut Participants,
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    let Ok(link) = link_name.parse::<Link>() else { return };
    let case = OpenLoop::case(rate, link_name);
    let count = (f64::from(rate) * measure.seconds).ceil().max(1.0) as u32;
    // Connections, caches and the processors' clocks are warm after a tenth of it.
    let warm_up = count.div_ceil(10);
    let longest = setting.longest();
    let (mut corrected, mut uncorrected) = (Vec::new(), Vec::new());
    let mut turns = participants.take_part(setting, &measure.formats, &[Kind::Ours], longest);
    let repetitions = REPETITIONS[usize::from(setting.request.is_quick)];
    for repetition in 0..repetitions {
        progress(&case, f64::from(repetition) / f64::from(repetitions));
        turns.each(repetition, |pair| {
            let paced = pair.pace(link, rate, warm_up, count)?;
            let about = (&*case, "tcp-blocking", longest);
            pair.series(&mut corrected, about)
                .times
                .extend(paced.iter().map(|it| it.from_intended));
            pair.series(&mut uncorrected, about).times.extend(paced.iter().map(|it| it.from_sent));
            Ok(())
        });
    }
    for (all, suffix) in [(corrected, ""), (uncorrected, "-uncorrected")] {
        let metric = format!("latency{suffix}");
        for series in all.iter().filter(|it| participants.is_in(&it.subject, it.of)) {
            let blank = series.blank(setting, &metric, "ns");
            findings.rows.extend(series.times.rows(&blank, "latency-", suffix));
            findings.distributions.extend(series.distribution(setting, &metric));
        }
    }
}
