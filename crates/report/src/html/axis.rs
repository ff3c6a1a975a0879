//! Axes of plots: which values they span, where their ticks stand and what these say.

use trunkline_bench::table::with_commas;

/// One axis of a plot.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) title: String,
    /// The values at its ends.
    pub(super) low: f64,
    pub(super) high: f64,
    /// Value and label.
    pub(super) ticks: Vec<(f64, String)>,
    is_logarithmic: bool,
}

/// What is counted along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// Values are nanoseconds; labels say ns, µs, ms or s.
    Time,
    /// Values are in this unit.
    In(&'static str),
}

impl Quantity {
    /// A value in words.
    pub(super) fn words(self, value: f64) -> String {
        match self {
            Self::Time => time(value),
            Self::In(unit) => format!("{} {unit}", short(value)).trim_end().to_owned(),
        }
    }
}

/// An axis that need not begin at zero is logarithmic beyond this factor between its values.
const WIDE: f64 = 60.0;

impl Axis {
    /// An axis from 0 over all values, or a logarithmic one where they are far apart. The unit
    /// follows the title.
    pub(super) fn over(title: &str, quantity: Quantity, values: &[f64]) -> Self {
        Self::beyond(WIDE, title, quantity, values)
    }

    /// As [`over`](Self::over), logarithmic beyond this factor.
    pub(super) fn beyond(wide: f64, title: &str, quantity: Quantity, values: &[f64]) -> Self {
        let positive = || values.iter().copied().filter(|value| value.is_finite() && *value > 0.0);
        let high = positive().fold(0.0, f64::max);
        let low = positive().fold(f64::INFINITY, f64::min);
        let is_whole = values.iter().all(|value| *value > 0.0);
        if is_whole && high > low * wide {
            Self::logarithmic(title, quantity, low, high)
        } else {
            Self::from_zero(title, quantity, high)
        }
    }

    /// A linear axis from 0 to at least `high`.
    pub(super) fn from_zero(title: &str, quantity: Quantity, high: f64) -> Self {
        let high = if high > 0.0 { high } else { 1.0 };
        let (divisor, name) = match quantity {
            Quantity::Time => time_unit(high / 2.0),
            Quantity::In(unit) => (1.0, unit),
        };
        let step = round_step(high / divisor / 5.0);
        let steps = (high / divisor / step - 1e-6).ceil().max(1.0);
        let ticks = (0..=steps as u32).map(|index| f64::from(index) * step);
        let decimals = (-step.log10()).ceil().clamp(0.0, 9.0) as usize;
        Self {
            title: titled(title, name),
            low: 0.0,
            high: (step * steps * divisor).min(f64::MAX),
            ticks: ticks.map(|at| (at * divisor, decimal(at, decimals))).collect(),
            is_logarithmic: false,
        }
    }

    /// A logarithmic axis over `low` to `high`, both above 0.
    pub(super) fn logarithmic(title: &str, quantity: Quantity, low: f64, high: f64) -> Self {
        let (low, high) = (low / 1.25, (high * 1.25).min(f64::MAX));
        let decades = high.log10() - low.log10();
        let steps: &[f64] = if decades < 2.2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        // A record of somebody else may span more decades than anyone can label.
        let skip = (decades / 8.0).ceil().max(1.0) as usize;
        let powers = (low.log10().floor() as i32..=high.log10().ceil() as i32).step_by(skip);
        let (unit, label): (_, fn(f64) -> String) = match quantity {
            Quantity::Time => ("", time),
            Quantity::In(unit) => (unit, short),
        };
        let ticks = powers
            .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
            .filter(|value| (low..=high).contains(value))
            .map(|value| (value, label(value)))
            .collect();
        let title = titled(&titled(title, unit), "logarithmic");
        Self { title, low, high, ticks, is_logarithmic: true }
    }

    /// Entries of a message.
    pub(super) fn entries(values: &[f64]) -> Self {
        let high = values.iter().copied().fold(2.0, f64::max).min(f64::from(u32::MAX)) as u32;
        let step = high.div_ceil(12);
        let ticks = (0..=high).step_by(step as usize).map(f64::from);
        let ticks = ticks.map(|at| (at, with_commas(at))).collect();
        Self { ticks, ..Self::plain("entries in the message", 0.0, f64::from(high) + 0.4) }
    }

    /// The axis of percentiles: logarithmic in the messages that remain, as HdrHistogram draws it,
    /// with the slowest message at the end.
    pub(super) fn percentiles() -> Self {
        let ticks = PERCENTILES.map(|(_, label, one_in)| (one_in, label.to_owned())).to_vec();
        let plain = Self::plain("messages that took no longer, %", 1.5, 12_000.0);
        Self { ticks, is_logarithmic: true, ..plain }
    }

    /// Names instead of numbers, one a unit of length.
    pub(super) fn names(title: &str, names: &[String]) -> Self {
        let ticks = names.iter().enumerate().map(|(at, name)| (at as f64 + 0.5, name.clone()));
        Self { ticks: ticks.collect(), ..Self::plain(title, 0.0, names.len() as f64) }
    }

    /// So many rows from the top, without ticks: their names stand beside them.
    pub(super) fn rows(count: usize) -> Self {
        Self::plain("", count as f64, 0.0)
    }

    fn plain(title: &str, low: f64, high: f64) -> Self {
        Self { title: title.to_owned(), low, high, ticks: Vec::new(), is_logarithmic: false }
    }

    /// The same axis, but it ends at this value rather than at a tick.
    pub(super) fn up_to(mut self, high: f64) -> Self {
        if high > self.low {
            self.ticks.retain(|tick| tick.0 <= high);
            self.high = high;
        }
        self
    }

    /// Whether there is a place for a value.
    pub(super) fn has(&self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || !self.is_logarithmic)
    }

    /// The value, or the end of the axis beyond which it lies.
    pub(super) fn clipped(&self, value: f64) -> f64 {
        value.clamp(self.low.min(self.high), self.low.max(self.high))
    }

    /// Where a bar to a value begins.
    pub(super) fn ground(&self) -> f64 {
        if self.is_logarithmic { self.low } else { 0.0 }
    }

    /// Where a value stands between the places of the ends of the axis, or a little beyond them.
    pub(super) fn place(&self, value: f64, [start, end]: [f64; 2]) -> f64 {
        let scale = |value: f64| if self.is_logarithmic { value.log10() } else { value };
        let (low, high) = (scale(self.low), scale(self.high));
        start + ((scale(value) - low) / (high - low)).clamp(-1.0, 2.0) * (end - start)
    }
}

fn titled(title: &str, unit: &str) -> String {
    if unit.is_empty() { title.to_owned() } else { format!("{title}, {unit}") }
}

/// Metric, label, and one message in how many is slower; the slowest stands one step further.
pub(super) const PERCENTILES: [(&str, &str, f64); 5] = [
    ("p50", "50", 2.0),
    ("p90", "90", 10.0),
    ("p99", "99", 100.0),
    ("p99.9", "99.9", 1_000.0),
    ("max", "slowest", 10_000.0),
];

/// The unit in which a time of so many nanoseconds is read best, as nanoseconds and name.
fn time_unit(nanoseconds: f64) -> (f64, &'static str) {
    match nanoseconds {
        size if size >= 1e9 => (1e9, "s"),
        size if size >= 1e6 => (1e6, "ms"),
        size if size >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    }
}

/// A time with its unit, such as `12.5 µs`.
pub(super) fn time(nanoseconds: f64) -> String {
    let (divisor, name) = time_unit(nanoseconds * 1.000_001);
    format!("{} {name}", short(nanoseconds / divisor))
}

/// A value with as many digits as a label has room for.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if size >= 1e12 || (size < 1e-4 && size > 0.0) => return format!("{value:.0e}"),
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.995 => 2,
        _ => 4,
    };
    let text = decimal(value, decimals);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// With commas between thousands and so many decimals.
fn decimal(value: f64, decimals: usize) -> String {
    if decimals == 0 {
        return if value.abs() < 1e12 { with_commas(value) } else { format!("{value:.0e}") };
    }
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or(whole.to_owned(), with_commas);
    format!("{whole}.{rest}")
}

/// 1, 2 or 5 times a power of ten, at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= least * 0.999_999);
    digit.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn values_close_together_start_at_zero_and_times_have_a_unit() {
        let axis = Axis::over("CPU time", Quantity::Time, &[1_200.0, 9_700.0]);
        assert_eq!(axis.title, "CPU time, µs");
        assert_eq!(labels(&axis), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(axis.place(5_000.0, [100.0, 200.0]), 150.0);
        let axis = Axis::over("size", Quantity::In("bytes"), &[1_083.0, 4_823.0]);
        assert_eq!(labels(&axis), ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]);
        let axis = Axis::over("share", Quantity::In(""), &[0.3]);
        assert_eq!(labels(&axis), ["0.0", "0.1", "0.2", "0.3"]);
    }

    #[test]
    fn values_far_apart_stand_by_their_logarithm() {
        let axis = Axis::over("time", Quantity::Time, &[200.0, 1_230_000.0]);
        assert_eq!(labels(&axis), ["1 µs", "10 µs", "100 µs", "1 ms"]);
        assert_eq!((axis.low, axis.high), (160.0, 1_537_500.0));
        assert!(axis.has(1e-9) && !axis.has(0.0));
        let axis = Axis::over("time", Quantity::Time, &[1_000.0, 90_000.0]);
        let ticks = ["1 µs", "2 µs", "5 µs", "10 µs", "20 µs", "50 µs", "100 µs"];
        assert_eq!(labels(&axis), ticks);
    }

    #[test]
    fn values_of_any_record_have_an_axis() {
        for values in [&[][..], &[0.0], &[-1.0, 5.0], &[1e-300, 1e300], &[f64::MAX], &[f64::NAN]] {
            let axis = Axis::over("x", Quantity::Time, values);
            assert!(axis.low.is_finite() && axis.high.is_finite() && axis.low < axis.high);
            assert!((1..20).contains(&axis.ticks.len()), "{values:?}: {axis:?}");
        }
    }

    #[test]
    fn labels_are_short() {
        for (value, text) in
            [(12_500.0, "12,500"), (12.5, "12.5"), (3.0, "3"), (0.05, "0.05"), (1_234.6, "1,235")]
        {
            assert_eq!(short(value), text);
        }
        assert_eq!(time(12_480.0), "12.5 µs");
        assert_eq!(time(999.0), "999 ns");
        assert_eq!(time(1e6), "1 ms");
    }
}
