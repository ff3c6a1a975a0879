//! Results as rows: the one shape behind every table, plot, `--json` file and record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::statistics::{Bounds, ComparisonRule};

/// One result, ours, a peer's or a paper's conclusion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The experiment, such as `kohlhoff-2004`.
    pub experiment: String,
    /// What was measured in it, such as `decode`; never `machine`, which marks a [`MachineRow`].
    pub case: String,
    /// Who was measured: `trunkline`, `gsoap-best`, ...
    pub subject: String,
    /// How the bytes are made: transport, envelope, encoding, vocabulary, compression, bytes.
    pub profile: String,
    /// Entries in the message, where the case has them.
    pub entries: Option<u32>,
    /// What the value counts, such as `cpu-time` or `size`.
    pub metric: String,
    /// Unit of value, low, high and paper, such as `ns` or `bytes`.
    pub unit: String,
    /// The median; null where there is no answer.
    pub value: Option<f64>,
    /// Lower bound over the interleaved repetitions.
    pub low: Option<f64>,
    /// Upper bound over the interleaved repetitions.
    pub high: Option<f64>,
    /// Interleaved repetitions behind the value.
    pub runs: u32,
    /// The published figure, where the paper has one.
    pub paper: Option<f64>,
    /// What to make of it.
    pub verdict: Verdict,
    /// The repetitions themselves, in their order, so that they can be paired with those beside them; empty
    /// of what has none, and in older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repetitions: Vec<f64>,
}

impl Row {
    /// A row without a value; its verdict is `ok`.
    pub fn new(
        experiment: &str,
        case: &str,
        subject: &str,
        profile: &str,
        metric: &str,
        unit: &str,
    ) -> Self {
        Self {
            experiment: experiment.to_owned(),
            case: case.to_owned(),
            subject: subject.to_owned(),
            profile: profile.to_owned(),
            entries: None,
            metric: metric.to_owned(),
            unit: unit.to_owned(),
            value: None,
            low: None,
            high: None,
            runs: 0,
            paper: None,
            verdict: Verdict::Ok,
            repetitions: Vec::new(),
        }
    }

    /// The row with the median of repetitions and its bounds; inconclusive if they are too few or too
    /// far apart.
    #[must_use]
    pub fn bounded(self, repetitions: &[f64]) -> Self {
        match ComparisonRule::default().bounds(repetitions) {
            Some(bounds) => Self { repetitions: repetitions.to_vec(), ..self.within(&bounds) },
            None => Self { verdict: Verdict::Inconclusive, ..self },
        }
    }

    /// The row with a median and its bounds; inconclusive if they are of too few repetitions or too
    /// far apart.
    #[must_use]
    pub fn within(self, bounds: &Bounds) -> Self {
        let is_conclusive = ComparisonRule::default().is_conclusive(bounds);
        Self {
            value: Some(bounds.median),
            low: Some(bounds.low),
            high: Some(bounds.high),
            runs: bounds.runs,
            verdict: if is_conclusive { Verdict::Ok } else { Verdict::Inconclusive },
            ..self
        }
    }

    /// The row with what `fewer` saves of `more`, two subjects' repetitions that ran side by side, in
    /// percent.
    #[must_use]
    pub fn reduced(self, fewer: &[f64], more: &[f64]) -> Self {
        let ratio = self.compared(fewer, more, None);
        let percent = |ratio: Option<f64>| ratio.map(|ratio| (1.0 - ratio) * 100.0);
        // That there is no difference is an answer here; only the spread is in doubt.
        let is_wide =
            matches!((ratio.low, ratio.high), (Some(low), Some(high)) if high - low > 0.25);
        let verdict = match ratio.verdict {
            Verdict::Inconclusive if ratio.value.is_some() && !is_wide => Verdict::Ok,
            verdict => verdict,
        };
        Self {
            value: percent(ratio.value),
            low: percent(ratio.high),
            high: percent(ratio.low),
            verdict,
            repetitions: ratio.repetitions.iter().map(|it| (1.0 - it) * 100.0).collect(),
            ..ratio
        }
    }

    /// The row with how many times `over` is `under`, two subjects' repetitions that ran side by side;
    /// absent where one has none, inconclusive where the difference is within the noise.
    #[must_use]
    pub fn compared(self, over: &[f64], under: &[f64], noise_floor: Option<f64>) -> Self {
        if over.is_empty() || under.is_empty() {
            return Self { verdict: Verdict::Absent, ..self };
        }
        let Some(comparison) = ComparisonRule::default().compare(over, under) else {
            return Self { verdict: Verdict::Inconclusive, ..self };
        };
        let is_noise = (comparison.ratio - 1.0).abs() < noise_floor.unwrap_or(0.0);
        let is_inconclusive = comparison.finding.is_inconclusive() || is_noise;
        Self {
            value: Some(comparison.ratio),
            low: Some(comparison.low),
            high: Some(comparison.high),
            runs: comparison.pairs,
            verdict: if is_inconclusive { Verdict::Inconclusive } else { Verdict::Ok },
            repetitions: over.iter().zip(under).map(|(over, under)| over / under).collect(),
            ..self
        }
    }
}

/// What to make of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The value stands.
    Ok,
    /// The repetitions do not carry a conclusion.
    Inconclusive,
    /// The subject's answer was wrong, so it was not timed.
    WrongAnswer,
    /// The subject will not show what it does, so it was not timed.
    Unverified,
    /// The subject does not do what it is timed for, or told times that cannot be.
    Untrue,
    /// The subject lost messages, so it was not timed.
    Lost,
    /// The subject is not on this machine or gave no answer.
    Absent,
    /// A conclusion of the paper, or an aim of ours, holds.
    Holds,
    /// A conclusion of the paper no longer holds, or an aim of ours is not met.
    NoLonger,
}

impl Verdict {
    /// Whether there is a value, which may be in doubt.
    pub fn has_value(self) -> bool {
        !matches!(
            self,
            Self::WrongAnswer | Self::Unverified | Self::Untrue | Self::Lost | Self::Absent
        )
    }

    /// The word in rows and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Inconclusive => "inconclusive",
            Self::WrongAnswer => "wrong-answer",
            Self::Unverified => "unverified",
            Self::Untrue => "untrue",
            Self::Lost => "lost",
            Self::Absent => "absent",
            Self::Holds => "holds",
            Self::NoLonger => "no-longer",
        }
    }
}

/// The first row of every file: where and with what the rest was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineRow {
    /// The experiment, as in the rows that follow.
    pub experiment: String,
    /// Always `machine`.
    pub case: String,
    /// Name of the processor.
    pub processor: String,
    /// Processors that this run could use.
    pub cores: u32,
    /// Operating system and kernel.
    pub kernel: String,
    /// Compiler of this binary, its target and settings.
    pub compiler: String,
    /// Version of every peer that took part, by name.
    pub peers: BTreeMap<String, String>,
    /// Day of the run, in UTC: `2026-11-20`.
    pub date: String,
    /// Differences below this share are noise (see [`crate::statistics::noise_floor`]); null if it
    /// was not measured.
    pub noise_floor: Option<f64>,
}

/// The case of a [`MachineRow`].
pub const MACHINE: &str = "machine";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_agreed_keys_in_order() {
        let row = Row {
            experiment: "kohlhoff-2004".into(),
            case: "encode".into(),
            subject: "trunkline".into(),
            profile: "tcp / soap rpc / xml".into(),
            entries: Some(10),
            metric: "cpu-time".into(),
            unit: "ns".into(),
            value: Some(900.5),
            low: Some(890.0),
            high: Some(910.0),
            runs: 15,
            paper: None,
            verdict: Verdict::WrongAnswer,
            repetitions: Vec::new(),
        };
        assert_eq!(
            serde_json::to_string(&row).expect("plain data"),
            r#"{"experiment":"kohlhoff-2004","case":"encode","subject":"trunkline","profile":"tcp / soap rpc / xml","entries":10,"metric":"cpu-time","unit":"ns","value":900.5,"low":890.0,"high":910.0,"runs":15,"paper":null,"verdict":"wrong-answer"}"#
        );
    }

    #[test]
    fn verdicts_are_named_alike_in_rows_and_tables() {
        for verdict in [
            Verdict::Ok,
            Verdict::Inconclusive,
            Verdict::WrongAnswer,
            Verdict::Unverified,
            Verdict::Untrue,
            Verdict::Lost,
            Verdict::Absent,
            Verdict::Holds,
            Verdict::NoLonger,
        ] {
            let json = serde_json::to_string(&verdict).expect("plain data");
            assert_eq!(json, format!("\"{}\"", verdict.name()));
        }
    }
}
