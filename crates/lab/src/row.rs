//! Results as rows: the one shape behind every table, plot, `--json` file and record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
    /// The subject is not on this machine or gave no answer.
    Absent,
    /// A conclusion of the paper holds.
    Holds,
    /// A conclusion of the paper no longer holds.
    NoLonger,
}

impl Verdict {
    /// The word in rows and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Inconclusive => "inconclusive",
            Self::WrongAnswer => "wrong-answer",
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
            Verdict::Absent,
            Verdict::Holds,
            Verdict::NoLonger,
        ] {
            let json = serde_json::to_string(&verdict).expect("plain data");
            assert_eq!(json, format!("\"{}\"", verdict.name()));
        }
    }
}
