//! The bandwidth at which a call with a coding and one without take as long: what is saved on the link over what is added to the
//! processors'; and where it was so when it was measured.

use super::rows::{LATENCY, less, sum};
use super::{Calls, Measured};
use crate::measure::Setting;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::codings::{EVEN, OVER_NONE, STAGES};
use trunkline_experiment::definition::toolkit_calls::DIRECT;
use trunkline_experiment::definition::{Coding, Codings};
use trunkline_experiment::link::Link;
use trunkline_experiment::subjects::TRUNKLINE;

/// Of everybody and everything that was called without a link.
pub(super) fn even(setting: &Setting<'_>, measured: &Measured) -> Vec<Row> {
    let direct = |it: &&Calls| it.link == DIRECT && it.series.out.is_none();
    let mut rows = Vec::new();
    for calls in measured.calls.iter().filter(direct) {
        let Some(plain) = measured.beside(calls, Coding::None, DIRECT) else { continue };
        if calls.coding == Coding::None {
            continue;
        }
        let (Some(bytes), Some(plain_bytes)) = (calls.bytes, plain.bytes) else { continue };
        let blank = |metric: &str, unit: &str| Row {
            case: Codings::case(calls.coding, calls.call),
            ..calls.series.blank(setting, metric, unit)
        };
        let saved = on_link(plain_bytes) - on_link(bytes);
        rows.extend(computed(blank, saved, &measured.added(calls)));
        if let Some(crossing) = Crossing::of(&differences(setting, measured, calls)) {
            let Crossing { rate, around: [low, high], is_certain } = crossing;
            let runs = calls.series.turns() as u32;
            let verdict = if is_certain { Verdict::Ok } else { Verdict::Inconclusive };
            let row = blank(EVEN[3], "bit/s");
            rows.push(Row { value: Some(rate), low, high, runs, verdict, ..row });
        }
        // The same gzip at the level that nobody calls with is as much shorter on the link as it is in memory.
        if calls.coding == Coding::Gzip && calls.toolkit.name == TRUNKLINE {
            rows.extend(other_level(setting, measured, calls, saved));
        }
    }
    rows
}

/// Bytes' time on a link, of both ways.
fn on_link(bytes: [u32; 2]) -> f64 {
    bytes.iter().map(|count| Link::wire_bytes((*count).into()) as f64).sum()
}

fn other_level(setting: &Setting<'_>, measured: &Measured, gzip: &Calls, saved: f64) -> Vec<Row> {
    let of = |coding| measured.in_memory(gzip.call, coding);
    let (Some(plain), Some(fast), Some(it)) =
        (of(Coding::None), of(Coding::Gzip), of(Coding::GzipDefault))
    else {
        return Vec::new();
    };
    let length = |bytes: [usize; 2]| on_link(bytes.map(|it| u32::try_from(it).unwrap_or(u32::MAX)));
    let added = less(&sum(&it.series, &STAGES), &sum(&plain.series, &STAGES));
    let blank = |metric: &str, unit: &str| it.series.blank(setting, metric, unit);
    computed(blank, saved + length(fast.bytes) - length(it.bytes), &added)
}

/// What follows from what is saved, in bytes, and added, in nanoseconds. Where nothing is saved no bandwidth is low enough, and
/// where nothing is added none is too high: there is no row of it.
fn computed(blank: impl Fn(&str, &str) -> Row, saved: f64, added: &[f64]) -> Vec<Row> {
    if added.is_empty() {
        return Vec::new();
    }
    let bytes = Row { value: Some(saved), runs: 1, ..blank(EVEN[0], "bytes") };
    let time = blank(EVEN[1], "ns").bounded(added);
    let even = |nanoseconds: f64| saved * 8e9 / nanoseconds;
    let known = (time.value, time.low, time.high);
    let mut rows = vec![bytes, time.clone()];
    if let (Some(value), Some(low), Some(high)) = known
        && saved > 0.0
        && value > 0.0
    {
        let is_certain = low > 0.0 && time.verdict == Verdict::Ok;
        rows.push(Row {
            value: Some(even(value)),
            low: Some(even(high)),
            high: (low > 0.0).then(|| even(low)),
            runs: time.runs,
            verdict: if is_certain { Verdict::Ok } else { Verdict::Inconclusive },
            ..blank(EVEN[2], "bit/s")
        });
    }
    rows
}

/// How much longer a call takes than one without a coding over a link.
#[derive(Clone, Copy, Debug)]
struct Difference {
    /// The time of a bit on the link, in seconds.
    bit: f64,
    /// Nanoseconds; negative where it is shorter.
    longer: f64,
    /// Noise does not explain it.
    is_certain: bool,
}

/// Those over each link that has a rate and no delay, and without one, from the fastest on.
fn differences(setting: &Setting<'_>, measured: &Measured, calls: &Calls) -> Vec<Difference> {
    let blank = || Row::new("", "", "", "", "", "");
    let median = |it: &Calls| blank().bounded(it.series.values(LATENCY.0)).value;
    let mut all: Vec<Difference> = measured
        .calls
        .iter()
        .filter_map(|it| {
            let link: Link = it.link.parse().ok()?;
            let coded = measured.beside(calls, calls.coding, &it.link)?;
            let is_it = std::ptr::eq(coded, it) && link.delay.is_zero();
            let plain = measured.beside(calls, Coding::None, &it.link).filter(|_| is_it)?;
            let bit = link.rate.map_or(0.0, |rate| 1.0 / rate.get() as f64);
            let over = coded.series.over(
                &plain.series,
                LATENCY,
                coded.series.blank(setting, OVER_NONE, "x"),
                None,
            );
            let longer = median(coded)? - median(plain)?;
            Some(Difference { bit, longer, is_certain: over.verdict == Verdict::Ok })
        })
        .collect();
    all.sort_by(|one, other| one.bit.total_cmp(&other.bit));
    all
}

/// The bandwidth at which a coding begins to save time, in bits a second.
struct Crossing {
    rate: f64,
    /// Those of the links around it, the faster one if there was one.
    around: [Option<f64>; 2],
    /// Calls are longer over the one, and shorter over the other, by more than noise.
    is_certain: bool,
}

impl Crossing {
    /// What a coding saves grows with the time of a bit, in a line.
    fn of(differences: &[Difference]) -> Option<Self> {
        let is_between = |it: &&[Difference]| it[0].longer >= 0.0 && it[1].longer < 0.0;
        let around = differences.windows(2).find(is_between)?;
        let [fast, slow] = [around[0], around[1]];
        let bit = fast.bit + (slow.bit - fast.bit) * fast.longer / (fast.longer - slow.longer);
        let rate = |bit: f64| (bit > 0.0).then(|| 1.0 / bit);
        Some(Self {
            rate: rate(bit)?,
            around: [rate(slow.bit), rate(fast.bit)],
            is_certain: fast.is_certain && slow.is_certain,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(metric: &str, unit: &str) -> Row {
        Row::new("test", "case", "subject", "", metric, unit)
    }

    #[test]
    fn a_thousand_bytes_for_a_tenth_of_a_millisecond_are_even_at_80_megabits() {
        let rows = computed(row, 1000.0, &[1e5, 1e5, 1e5, 1e5, 1e5, 1.1e5, 0.9e5]);
        let even = rows.iter().find(|row| row.metric == "break-even").expect("a row");
        assert_eq!((even.value, even.verdict), (Some(8e7), Verdict::Ok));
        assert!(even.low < even.value && even.value < even.high, "{even:?}");
        // Always, never, and nobody knows.
        for (saved, added) in [(1000.0, -5.0), (-10.0, 5.0)] {
            let rows = computed(row, saved, &[added; 7]);
            assert!(rows.iter().all(|row| row.metric != "break-even"), "{rows:?}");
        }
        let rows = computed(row, 1000.0, &[-1.0, -1.0, 1.0, 1.0, 2.0, 2.0, 3.0]);
        let even = rows.iter().find(|row| row.metric == "break-even").expect("a row");
        assert_eq!((even.verdict, even.high), (Verdict::Inconclusive, None));
    }

    #[test]
    fn a_crossing_lies_between_two_links() {
        // 200 ns longer, less 20 ns for each nanosecond of a bit: even at 10 ns, 100 Mbit/s.
        let difference = |bit, longer| Difference { bit, longer, is_certain: true };
        let at = |bit: f64| difference(bit, 200.0 - 2e10 * bit);
        let found = Crossing::of(&[at(0.0), at(1e-9), at(1e-7)]).expect("it crosses");
        assert!((found.rate / 1e8 - 1.0).abs() < 1e-9, "{}", found.rate);
        assert_eq!(found.around.map(|rate| rate.map(f64::round)), [Some(1e7), Some(1e9)]);
        assert!(found.is_certain);
        let unsure = Difference { is_certain: false, ..at(1e-7) };
        let found = Crossing::of(&[at(0.0), unsure]).expect("it crosses");
        assert_eq!(found.around[1], None, "it was faster over every link that had a rate");
        assert!(!found.is_certain, "one side may be noise");
        let [always, never] =
            [-1.0, 1.0].map(|it| [difference(0.0, it), difference(1e-8, 5.0 * it)]);
        assert!(Crossing::of(&always).is_none() && Crossing::of(&never).is_none());
    }
}
