//! Two records side by side: what became lower, what became higher, what cannot be told.
//!
//! Rows are paired by what they are of. The ratio of two rows has the bounds that their own leave it;
//! where at least six lengths of messages were measured in both records, the pairs over the lengths
//! are compared as well. Counts of bytes have no noise and are equal or not.

use std::collections::BTreeMap;
use std::fmt;

use crate::conclusion::is_judgement;
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MachineRow, Row, Verdict};
use trunkline_bench::statistics::{Bounds, Comparison, ComparisonRule, Finding};
use trunkline_experiment::names::INSTRUCTIONS;

/// Lengths of messages in both records from which on they are compared pair by pair.
const LENGTHS: usize = 6;

/// What a row is of, its length of message apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    /// As in [`Row`].
    pub experiment: &'a str,
    /// As in [`Row`].
    pub case: &'a str,
    /// As in [`Row`].
    pub subject: &'a str,
    /// As in [`Row`].
    pub profile: &'a str,
    /// As in [`Row`].
    pub metric: &'a str,
    /// As in [`Row`].
    pub unit: &'a str,
}

impl<'a> Key<'a> {
    fn of(row: &'a Row) -> Self {
        let Row { experiment, case, subject, profile, metric, unit, .. } = row;
        Self { experiment, case, subject, profile, metric, unit }
    }

    /// True for what is counted and not timed.
    fn is_exact(&self) -> bool {
        matches!(self.unit, "bytes" | INSTRUCTIONS | "bytes/s" | "bits/s" | "reports/s")
            || self.case.starts_with("size")
    }
}

/// How the second record stands to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Its value is lower.
    Lower,
    /// Its value is higher.
    Higher,
    /// Counts of which some are lower and some are higher, by the length of the message.
    Both,
    /// Nothing can be concluded: too few repetitions, or bounds too wide.
    Inconclusive,
    /// The bounds hold that there is no difference, or it is within the noise.
    NoDifference,
}

impl Change {
    /// The words in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
            Self::Both => "lower and higher",
            Self::Inconclusive => "inconclusive",
            Self::NoDifference => "no difference",
        }
    }

    /// True if the records differ.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Lower | Self::Higher | Self::Both)
    }
}

/// Lengths of messages behind a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// The rows have no length.
    None,
    /// This one.
    One(u32),
    /// All from the first to the second that both records have.
    Range(u32, u32),
}

impl fmt::Display for Lengths {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::One(entries) => write!(out, "{entries}"),
            Self::Range(least, most) => write!(out, "{least}-{most}"),
        }
    }
}

/// A pair of rows, or the pairs over several lengths of messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<'a> {
    /// What is compared.
    pub key: Key<'a>,
    /// At which lengths of messages.
    pub lengths: Lengths,
    /// The value in the first record, at the longest message.
    pub first: f64,
    /// The value in the second record, at the longest message.
    pub second: f64,
    /// Second to first, with its bounds; None where one is not positive or has no bounds.
    pub ratio: Option<Bounds>,
    /// What follows.
    pub change: Change,
}

/// A conclusion on a published figure that is not what it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn<'a> {
    /// The conclusion.
    pub key: Key<'a>,
    /// In the first record.
    pub first: Verdict,
    /// In the second record.
    pub second: Verdict,
}

/// Two records compared.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordChanges<'a> {
    /// One line for each (case, subject, profile, metric), changes first.
    pub lines: Vec<Line<'a>>,
    /// One line for each pair of rows, in the order of the first record.
    pub pairs: Vec<Line<'a>>,
    /// The conclusions that turned.
    pub turns: Vec<Turn<'a>>,
    /// How many conclusions both records have.
    pub conclusions: usize,
    /// Rows that the second record lacks.
    pub only_in_first: usize,
    /// Rows that the first record lacks.
    pub only_in_second: usize,
    /// Pairs of which at least one has no value: absent, or a wrong answer.
    pub without_value: usize,
    /// Lines of peers that changed although the machine and their version are the same: so much do
    /// the runs themselves differ.
    pub restless: usize,
    /// Differences below this share are noise: the larger of the two records' floors.
    pub noise_floor: Option<f64>,
}

/// The rows that say which trades the messages carried; the subject is their day.
const TRADES: &str = "trades";

/// Two rows of the same thing, with their values.
struct Pair<'a> {
    key: Key<'a>,
    entries: Option<u32>,
    first: (&'a Row, f64),
    second: (&'a Row, f64),
}

impl<'a> RecordChanges<'a> {
    /// Compares `second` with `first`, which came before.
    pub fn of(first: &'a RunRecord, second: &'a RunRecord, rule: &ComparisonRule) -> Self {
        let noise_floor =
            [first, second].into_iter().filter_map(|record| record.machine.noise_floor);
        let noise_floor = noise_floor.max_by(f64::total_cmp);
        let judge = Judge { rule, noise_floor: noise_floor.unwrap_or(0.0) };
        let mut compared = Self {
            lines: Vec::new(),
            pairs: Vec::new(),
            turns: Vec::new(),
            conclusions: 0,
            only_in_first: 0,
            only_in_second: 0,
            without_value: 0,
            restless: 0,
            noise_floor,
        };
        let pairs = compared.paired(first, second);
        compared.pairs = pairs.iter().map(|pair| judge.pair(pair)).collect();
        compared.lines = grouped(&pairs).iter().map(|group| judge.group(group)).collect();
        let (machine, other) = (&first.machine, &second.machine);
        let is_restless = |line: &&Line<'_>| {
            let version = machine.peers.get(line.key.subject);
            line.change.is_change()
                && version.is_some_and(|version| other.peers.get(line.key.subject) == Some(version))
        };
        if is_same_machine(machine, other) {
            compared.restless = compared.lines.iter().filter(is_restless).count();
        }
        compared.lines.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
        compared
    }

    /// Finds the rows of one record in the other. Equal rows are paired in their order.
    fn paired(&mut self, first: &'a RunRecord, second: &'a RunRecord) -> Vec<Pair<'a>> {
        let mut others: BTreeMap<_, Vec<&'a Row>> = BTreeMap::new();
        for row in second.rows.iter().rev().filter(|row| row.case != TRADES) {
            others.entry((Key::of(row), row.entries)).or_default().push(row);
        }
        let mut pairs = Vec::new();
        for row in first.rows.iter().filter(|row| row.case != TRADES) {
            let (key, entries) = (Key::of(row), row.entries);
            let Some(other) = others.get_mut(&(key, entries)).and_then(Vec::pop) else {
                self.only_in_first += 1;
                continue;
            };
            // The bounds of a conclusion are a range of factors, not one of doubt.
            if is_judgement(row) {
                self.conclusions += 1;
                if row.verdict != other.verdict {
                    self.turns.push(Turn { key, first: row.verdict, second: other.verdict });
                }
                continue;
            }
            match row.value.zip(other.value) {
                Some((value, other_value)) => {
                    let (first, second) = ((row, value), (other, other_value));
                    pairs.push(Pair { key, entries, first, second });
                }
                None => self.without_value += 1,
            }
        }
        self.only_in_second = others.values().map(Vec::len).sum();
        pairs
    }

    /// True if anything could be concluded about any pair; where there are times, about a time: sizes
    /// have no noise.
    pub fn is_conclusive(&self) -> bool {
        let lines = || self.lines.iter().chain(&self.pairs);
        let is_concluded = |line: &Line<'_>| line.change != Change::Inconclusive;
        let mut measured = lines().filter(|line| !line.key.is_exact()).peekable();
        match measured.peek() {
            Some(_) => measured.any(is_concluded),
            None => lines().any(is_concluded),
        }
    }

    /// How many lines have this change.
    pub fn count(&self, change: Change) -> usize {
        self.lines.iter().filter(|line| line.change == change).count()
    }
}

/// Changes from the largest to the smallest, then what is inconclusive, then what did not change.
fn rank(line: &Line<'_>) -> f64 {
    let distance = line.ratio.map_or(0.0, |ratio| ratio.median.ln().abs().min(1e6));
    match line.change {
        Change::Lower | Change::Higher | Change::Both => -distance,
        Change::Inconclusive => 1.0,
        Change::NoDifference => 2.0,
    }
}

/// Pairs of the same key, in order of their lengths; the keys in the order in which they came.
fn grouped<'a, 'p>(pairs: &'p [Pair<'a>]) -> Vec<Vec<&'p Pair<'a>>> {
    let mut groups: Vec<Vec<&Pair<'a>>> = Vec::new();
    let mut by_key: BTreeMap<Key<'a>, usize> = BTreeMap::new();
    for pair in pairs {
        let index = *by_key.entry(pair.key).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(pair),
            None => groups.push(vec![pair]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|pair| pair.entries);
    }
    groups
}

/// Says what follows from pairs.
struct Judge<'r> {
    rule: &'r ComparisonRule,
    noise_floor: f64,
}

impl Judge<'_> {
    fn pair<'a>(&self, pair: &Pair<'a>) -> Line<'a> {
        let (ratio, change) = if pair.key.is_exact() {
            exactly(&[pair])
        } else {
            let ratio = ratio(pair, self.rule);
            (ratio, ratio.map_or(Change::Inconclusive, |ratio| self.change(&ratio)))
        };
        let lengths = pair.entries.map_or(Lengths::None, Lengths::One);
        let (first, second) = (pair.first.1, pair.second.1);
        Line { key: pair.key, lengths, first, second, ratio, change }
    }

    /// `group` has at least one pair. With too few lengths the longest speaks for all.
    fn group<'a>(&self, group: &[&Pair<'a>]) -> Line<'a> {
        let longest = group[group.len() - 1];
        let line = self.pair(longest);
        let (Some(least), Some(most)) = (group[0].entries, longest.entries) else { return line };
        let lengths = if least == most { Lengths::One(most) } else { Lengths::Range(least, most) };
        if line.key.is_exact() {
            let (ratio, change) = exactly(group);
            return Line { lengths, ratio, change, ..line };
        }
        if group.len() < LENGTHS {
            return line;
        }
        let values = |side: fn(&Pair<'_>) -> f64| -> Vec<f64> {
            group.iter().map(|pair| side(pair)).collect()
        };
        let compared =
            self.rule.compare(&values(|pair| pair.second.1), &values(|pair| pair.first.1));
        let Some(Comparison { ratio: median, low, high, pairs: runs, .. }) = compared else {
            return Line { lengths, ratio: None, change: Change::Inconclusive, ..line };
        };
        let is_confident = self.rule.is_enough(runs);
        let ratio = Bounds { median, low, high, runs, is_confident };
        Line { lengths, ratio: Some(ratio), change: self.change(&ratio), ..line }
    }

    fn change(&self, ratio: &Bounds) -> Change {
        let is_noise = (ratio.median - 1.0).abs() < self.noise_floor;
        match self.rule.finding(ratio) {
            Finding::TooFewPairs | Finding::TooWide => Change::Inconclusive,
            Finding::NoDifference => Change::NoDifference,
            _ if is_noise => Change::NoDifference,
            Finding::Lower => Change::Lower,
            Finding::Higher => Change::Higher,
        }
    }
}

/// The ratio of two timed rows with the bounds that theirs leave it.
fn ratio(pair: &Pair<'_>, rule: &ComparisonRule) -> Option<Bounds> {
    let bounds = |(row, value): (&Row, f64)| {
        let (low, high) = (row.low?, row.high?);
        let is_sound = 0.0 < low && low <= value && value <= high && high.is_finite();
        is_sound.then_some((low, high))
    };
    let (first, second) = (bounds(pair.first)?, bounds(pair.second)?);
    let runs = pair.first.0.runs.min(pair.second.0.runs);
    Some(Bounds {
        median: pair.second.1 / pair.first.1,
        low: second.0 / first.1,
        high: second.1 / first.0,
        runs,
        is_confident: rule.is_enough(runs),
    })
}

/// Two counts that a fit through the same points gives may differ in the last digits.
const ROUNDING: f64 = 1e-9;

/// The ratio at the longest message, the lowest and the highest over the lengths, and whether any
/// count differs.
fn exactly(group: &[&Pair<'_>]) -> (Option<Bounds>, Change) {
    let is_near = |a: f64, b: f64| {
        (a - b).abs() <= ROUNDING * a.abs().max(b.abs()) || a.to_bits() == b.to_bits()
    };
    let differing = || group.iter().filter(|pair| !is_near(pair.first.1, pair.second.1));
    let change = match (
        differing().any(|pair| pair.second.1 < pair.first.1),
        differing().any(|pair| pair.second.1 > pair.first.1),
    ) {
        (true, true) => Change::Both,
        (true, false) => Change::Lower,
        (false, true) => Change::Higher,
        (false, false) => Change::NoDifference,
    };
    let ratios = group.iter().map(|pair| pair.second.1 / pair.first.1);
    let median = group.last().map(|pair| pair.second.1 / pair.first.1);
    let (low, high) = ratios.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), ratio| {
        (low.min(ratio), high.max(ratio))
    });
    let ratio = median.filter(|ratio| *ratio > 0.0 && low > 0.0 && high.is_finite());
    let runs = group.len() as u32;
    (ratio.map(|median| Bounds { median, low, high, runs, is_confident: true }), change)
}

/// What differs between the machines of two records and what ran on them, a line each: first, then
/// second.
pub fn differences(first: &RunRecord, second: &RunRecord) -> Vec<String> {
    let mut lines = Vec::new();
    let mut tell = |what: &str, one: &str, other: &str| {
        if one != other {
            lines.push(format!("{what}: {one} -> {other}"));
        }
    };
    let MachineRow { processor, cores, kernel, compiler, peers, .. } = &first.machine;
    let other = &second.machine;
    tell("processor", processor, &other.processor);
    tell("cores", &cores.to_string(), &other.cores.to_string());
    tell("kernel", kernel, &other.kernel);
    tell("compiler", compiler, &other.compiler);
    let mut names: Vec<&String> = peers.keys().chain(other.peers.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let version = |peers: &BTreeMap<String, String>| {
            peers.get(name).map_or("absent".to_owned(), Clone::clone)
        };
        tell(&format!("peer {name}"), &version(peers), &version(&other.peers));
    }
    let trades = |record: &RunRecord| {
        let row = record.rows.iter().find(|row| row.case == TRADES);
        row.map_or("none".to_owned(), |row| row.subject.clone())
    };
    tell("trades", &trades(first), &trades(second));
    lines
}

/// True if the records come from alike machines; else what differs may be the machines'.
pub fn is_same_machine(first: &MachineRow, second: &MachineRow) -> bool {
    (&first.processor, first.cores) == (&second.processor, second.cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(noise_floor: Option<f64>, rows: Vec<Row>) -> RunRecord {
        let machine = MachineRow::of_this_machine("kohlhoff-2004", BTreeMap::new(), noise_floor);
        RunRecord { machine, rows }
    }

    fn time(entries: u32, value: f64, spread: f64) -> Row {
        Row {
            experiment: "kohlhoff-2004".into(),
            case: "encode".into(),
            subject: "trunkline".into(),
            profile: "none/fix-4.3/tag-value/none/none".into(),
            entries: Some(entries),
            metric: "cpu-time".into(),
            unit: "ns".into(),
            value: Some(value),
            low: Some(value * (1.0 - spread)),
            high: Some(value * (1.0 + spread)),
            runs: 15,
            paper: None,
            verdict: Verdict::Ok,
            repetitions: Vec::new(),
        }
    }

    fn size(entries: u32, value: f64) -> Row {
        let (low, high) = (Some(value * 0.5), Some(value * 2.0));
        let (case, metric, unit) = ("size".into(), "size".into(), "bytes".into());
        Row { case, metric, unit, low, high, runs: 1, ..time(entries, value, 0.0) }
    }

    fn changes(first: &RunRecord, second: &RunRecord) -> Vec<Change> {
        let compared = RecordChanges::of(first, second, &ComparisonRule::default());
        compared.lines.iter().map(|line| line.change).collect()
    }

    fn one(first: Row, second: Row) -> Change {
        changes(&record(Some(0.02), vec![first]), &record(Some(0.05), vec![second]))[0]
    }

    #[test]
    fn rows_are_judged_by_their_bounds_and_the_larger_noise() {
        assert_eq!(one(time(10, 100.0, 0.01), time(10, 80.0, 0.01)), Change::Lower);
        assert_eq!(one(time(10, 80.0, 0.01), time(10, 100.0, 0.01)), Change::Higher);
        // Clear of the bounds and of the smaller floor, but not of the larger.
        assert_eq!(one(time(10, 100.0, 0.001), time(10, 96.0, 0.001)), Change::NoDifference);
        assert_eq!(one(time(10, 100.0, 0.05), time(10, 92.0, 0.05)), Change::NoDifference);
        assert_eq!(one(time(10, 100.0, 0.08), time(10, 50.0, 0.08)), Change::Inconclusive);
        let few = Row { runs: 5, ..time(10, 80.0, 0.01) };
        assert_eq!(one(time(10, 100.0, 0.01), few), Change::Inconclusive);
        let unbounded = Row { low: None, ..time(10, 80.0, 0.01) };
        assert_eq!(one(time(10, 100.0, 0.01), unbounded), Change::Inconclusive);
        let upside_down = Row { low: Some(90.0), high: Some(70.0), ..time(10, 80.0, 0.01) };
        assert_eq!(one(time(10, 100.0, 0.01), upside_down), Change::Inconclusive);
    }

    #[test]
    fn the_bounds_of_a_ratio_are_as_wide_as_both_rows_leave_it() {
        let (first, second) = (time(10, 100.0, 0.05), time(10, 80.0, 0.02));
        let (first, second) = (record(None, vec![first]), record(None, vec![second]));
        let compared = RecordChanges::of(&first, &second, &ComparisonRule::default());
        let ratio = compared.pairs[0].ratio.expect("both have bounds");
        assert!((ratio.median - 0.8).abs() < 1e-12);
        assert!((ratio.low - 78.4 / 105.0).abs() < 1e-12, "{ratio:?}");
        assert!((ratio.high - 81.6 / 95.0).abs() < 1e-12, "{ratio:?}");
    }

    #[test]
    fn six_lengths_are_compared_in_pairs_where_single_rows_are_too_wide() {
        let rows = |factor: f64, lengths: u32| -> Vec<Row> {
            let time = |n: u32| time(n, factor * (50.0 + 10.0 * f64::from(n)), 0.2);
            (1..=lengths).map(time).collect()
        };
        let (first, second) = (record(None, rows(1.0, 6)), record(None, rows(0.9, 6)));
        let compared = RecordChanges::of(&first, &second, &ComparisonRule::default());
        assert_eq!((compared.lines.len(), compared.pairs.len()), (1, 6));
        let line = compared.lines[0];
        assert_eq!((line.change, line.lengths), (Change::Lower, Lengths::Range(1, 6)));
        assert_eq!((line.first, line.lengths.to_string()), (110.0, "1-6".to_owned()));
        assert!(compared.pairs.iter().all(|pair| pair.change == Change::Inconclusive));
        assert!(compared.is_conclusive());
        let (first, second) = (record(None, rows(1.0, 5)), record(None, rows(0.9, 5)));
        let compared = RecordChanges::of(&first, &second, &ComparisonRule::default());
        let line = compared.lines[0];
        assert_eq!((line.change, line.lengths), (Change::Inconclusive, Lengths::One(5)));
        assert!(!compared.is_conclusive());
    }

    #[test]
    fn sizes_are_equal_or_not() {
        assert_eq!(one(size(10, 1177.0), size(10, 1177.0)), Change::NoDifference);
        assert_eq!(one(size(10, 1177.0), size(10, 1176.99)), Change::Lower);
        assert_eq!(one(size(10, 0.0), size(10, 0.0)), Change::NoDifference);
        let first = record(Some(0.5), vec![size(1, 185.0), size(2, 294.0)]);
        let second = record(Some(0.5), vec![size(2, 295.0), size(1, 184.0)]);
        assert_eq!(changes(&first, &second), [Change::Both]);
        let second = record(Some(0.5), vec![size(2, 295.0), size(1, 185.0)]);
        assert_eq!(changes(&first, &second), [Change::Higher]);
    }

    #[test]
    fn the_largest_change_comes_first_and_what_did_not_change_last() {
        let rows = |factors: [f64; 4]| {
            let cases = ["a", "b", "c", "d"].into_iter().zip(factors);
            let row = |(case, factor): (&str, f64)| {
                let spread = if case == "c" { 0.2 } else { 0.001 };
                Row { case: case.into(), ..time(10, 100.0 * factor, spread) }
            };
            record(None, cases.map(row).collect())
        };
        let (first, second) = (rows([1.0; 4]), rows([1.0, 1.2, 1.0, 0.5]));
        let compared = RecordChanges::of(&first, &second, &ComparisonRule::default());
        let cases: Vec<&str> = compared.lines.iter().map(|line| line.key.case).collect();
        assert_eq!(cases, ["d", "b", "c", "a"]);
        assert_eq!(compared.count(Change::Higher), 1);
    }

    #[test]
    fn rows_without_a_partner_or_a_value_are_counted() {
        let absent = Row { value: None, verdict: Verdict::Absent, ..time(3, 1.0, 0.0) };
        let day = Row { case: TRADES.into(), entries: None, ..time(1, 55_000.0, 0.0) };
        let first = vec![day, time(1, 1.0, 0.0), time(2, 1.0, 0.0), absent];
        let second = vec![time(2, 1.0, 0.0), time(2, 1.0, 0.0), time(3, 1.0, 0.0)];
        let (first, second) = (record(None, first), record(None, second));
        let compared = RecordChanges::of(&first, &second, &ComparisonRule::default());
        assert_eq!((compared.only_in_first, compared.only_in_second), (1, 1));
        assert_eq!((compared.without_value, compared.pairs.len()), (1, 1));
    }

    #[test]
    fn a_conclusion_that_turned_is_told() {
        let conclusion = |metric: &str, verdict| Row {
            case: crate::conclusion::CONCLUSION.into(),
            metric: metric.into(),
            verdict,
            ..time(1, 5.0, 0.3)
        };
        let first = [("a", Verdict::Holds), ("b", Verdict::Holds)];
        let second = [("a", Verdict::NoLonger), ("b", Verdict::Holds)];
        let [first, second] = [first, second].map(|rows| {
            record(None, rows.map(|(metric, verdict)| conclusion(metric, verdict)).into())
        });
        let compared = RecordChanges::of(&first, &second, &ComparisonRule::default());
        assert_eq!((compared.conclusions, compared.turns.len()), (2, 1));
        assert_eq!(compared.turns[0].key.metric, "a");
        assert!(compared.lines.is_empty() && !compared.is_conclusive());
    }

    #[test]
    fn a_change_of_a_peer_that_stayed_the_same_is_the_runs_own() {
        let rows = |factor: f64| {
            let ours = time(10, 100.0 * factor, 0.001);
            let theirs = Row { subject: "quickfix".into(), ..time(10, 500.0 * factor, 0.001) };
            vec![ours, theirs]
        };
        let mut records = [record(None, rows(1.0)), record(None, rows(1.2))];
        let restless = |records: &[RunRecord; 2]| {
            RecordChanges::of(&records[0], &records[1], &ComparisonRule::default()).restless
        };
        for (index, version) in ["1.15.1", "1.15.2"].into_iter().enumerate() {
            records[index].machine.peers.insert("quickfix".into(), version.into());
        }
        assert_eq!(restless(&records), 0);
        records[1].machine.peers = records[0].machine.peers.clone();
        assert_eq!(restless(&records), 1);
        records[1].machine.processor += " II";
        assert_eq!(restless(&records), 0);
    }

    #[test]
    fn what_differs_between_machines_is_told_once_each() {
        let first = record(None, Vec::new());
        let mut second = first.clone();
        assert_eq!(differences(&first, &second), Vec::<String>::new());
        assert!(is_same_machine(&first.machine, &second.machine));
        second.machine.cores = first.machine.cores + 2;
        second.machine.peers.insert("quickfix".into(), "1.15.1".into());
        let cores = first.machine.cores;
        assert_eq!(
            differences(&first, &second),
            [format!("cores: {cores} -> {}", cores + 2), "peer quickfix: absent -> 1.15.1".into()]
        );
        assert!(!is_same_machine(&first.machine, &second.machine));
    }
}
