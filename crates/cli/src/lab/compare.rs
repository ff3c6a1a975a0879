//! `trunkline lab compare A B`

use std::path::Path;

use serde_json::{Value, json};
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::MachineRow;
use trunkline_bench::statistics::ComparisonRule;
use trunkline_bench::table::{Align, Table, number};
use trunkline_experiment::format::Format;
use trunkline_report::changes::{
    Change, Key, Lengths, Line, RecordChanges, differences, is_same_machine,
};

use crate::Ending;
use crate::arguments::CompareArguments;
use crate::fault::Fault;
use crate::lab::show::read;
use crate::output::{Form, plain, print, print_table};

pub(crate) fn run(arguments: &CompareArguments) -> Result<Ending, Fault> {
    let (first, second) = (read(&arguments.first)?, read(&arguments.second)?);
    let compared = RecordChanges::of(&first, &second, &ComparisonRule::default());
    if arguments.form.get() == Form::Json {
        print_facts(arguments, &first, &second, &compared)?;
        return Ok(ending(&compared));
    }
    let mut head = vec![
        described("A", &arguments.first, &first.machine),
        described("B", &arguments.second, &second.machine),
    ];
    head.extend(machines(&first, &second));
    print(&paragraph(&head))?;
    let lines = if arguments.all { &compared.pairs } else { &compared.lines };
    if !lines.is_empty() {
        print("\n")?;
        print_table(table(lines))?;
    }
    print("\n")?;
    print(&paragraph(&foot(&compared, arguments.all)))?;
    Ok(ending(&compared))
}

fn ending(compared: &RecordChanges<'_>) -> Ending {
    if compared.is_conclusive() { Ending::Right } else { Ending::Inconclusive }
}

/// The records, a line for each line of the table, the conclusions that turned, and how much there is.
fn print_facts(
    arguments: &CompareArguments,
    first: &RunRecord,
    second: &RunRecord,
    compared: &RecordChanges<'_>,
) -> Result<(), Fault> {
    let form = Form::Json;
    for (name, file, record) in [("a", &arguments.first, first), ("b", &arguments.second, second)] {
        let MachineRow { experiment, date, processor, cores, .. } = &record.machine;
        form.fact(&json!({
            "fact": "record", "record": name, "file": file.to_string_lossy(), "experiment": experiment,
            "date": date, "processor": processor, "cores": cores,
        }))?;
    }
    let lines = if arguments.all { &compared.pairs } else { &compared.lines };
    lines.iter().try_for_each(|line| form.fact(&fact(line)))?;
    for turn in &compared.turns {
        form.fact(&json!({
            "fact": "turned_conclusion", "conclusion": turn.key.metric, "subject": turn.key.subject,
            "a": turn.first.name(), "b": turn.second.name(),
        }))?;
    }
    form.fact(&json!({
        "fact": "summary", "is_same_machine": is_same_machine(&first.machine, &second.machine),
        "differences": differences(first, second), "lines": compared.lines.len(), "rows": compared.pairs.len(),
        "conclusions": compared.conclusions, "turned_conclusions": compared.turns.len(),
        "changed_without_cause": compared.restless, "only_in_a": compared.only_in_first,
        "only_in_b": compared.only_in_second, "without_value": compared.without_value,
        "noise_floor": compared.noise_floor, "is_conclusive": compared.is_conclusive(),
    }))
}

fn fact(line: &Line<'_>) -> Value {
    let (shortest, longest) = match line.lengths {
        Lengths::None => (None, None),
        Lengths::One(entries) => (Some(entries), Some(entries)),
        Lengths::Range(shortest, longest) => (Some(shortest), Some(longest)),
    };
    let Key { experiment, case, subject, profile, metric, unit } = line.key;
    json!({
        "fact": "row", "experiment": experiment, "case": case, "subject": subject, "profile": profile,
        "metric": metric, "unit": unit, "shortest_entries": shortest, "longest_entries": longest,
        "a": line.first, "b": line.second, "ratio": line.ratio.map(|it| it.median),
        "low": line.ratio.map(|it| it.low), "high": line.ratio.map(|it| it.high),
        "change": line.change.name(),
    })
}

/// Lines of text whose parts come from files.
fn paragraph(lines: &[String]) -> String {
    lines.iter().map(|line| plain(line) + "\n").collect()
}

fn described(name: &str, file: &Path, machine: &MachineRow) -> String {
    let MachineRow { experiment, date, processor, cores, .. } = machine;
    format!("{name}: {}, {experiment} on {date}: {processor}, {cores} cores", file.display())
}

fn machines(first: &RunRecord, second: &RunRecord) -> Vec<String> {
    let mut lines = Vec::new();
    if !is_same_machine(&first.machine, &second.machine) {
        lines.push("DIFFERENT MACHINES: times differ for that alone, factors less so".to_owned());
    }
    let differences = differences(first, second);
    if differences.is_empty() {
        lines.push("same processor, cores, kernel, compiler, peers and trades".to_owned());
    }
    lines.extend(differences.into_iter().map(|line| format!("  {line}")));
    lines
}

fn table(lines: &[Line<'_>]) -> Table {
    let mut table = Table::new([
        ("case", Align::Left),
        ("subject", Align::Left),
        ("profile", Align::Left),
        ("metric", Align::Left),
        ("entries", Align::Right),
        ("A", Align::Right),
        ("B", Align::Right),
        ("B/A", Align::Right),
        ("bounds", Align::Right),
        ("B is", Align::Left),
    ])
    .within(WIDTH);
    for line in lines {
        let ratio = line.ratio;
        let bounds = ratio.map_or(String::new(), |it| format!("{:.3} - {:.3}", it.low, it.high));
        table.row([
            line.key.case.to_owned(),
            line.key.subject.to_owned(),
            short(line.key.profile),
            line.key.metric.to_owned(),
            line.lengths.to_string(),
            number(line.first),
            number(line.second),
            ratio.map_or("-".to_owned(), |ratio| format!("{:.3}", ratio.median)),
            bounds,
            line.change.name().to_owned(),
        ]);
    }
    table
}

/// The widest line.
const WIDTH: usize = 160;

/// A profile in few words: the name of its format where it has one, behind its transport.
fn short(profile: &str) -> String {
    let sides: Vec<String> = profile.split(" : ").map(short_side).collect();
    sides.join(" : ")
}

fn short_side(profile: &str) -> String {
    let (transport, rest) = profile.split_once('/').unwrap_or(("none", profile));
    let named = Format::of_profile(profile).filter(|it| it.profile_over(transport) == profile);
    let used = |part: &&str| !part.is_empty() && *part != "none";
    let rest = named.map_or_else(
        || rest.split('/').filter(used).collect::<Vec<_>>().join("/"),
        |format| format.name().to_owned(),
    );
    let parts = [transport, &rest];
    parts.into_iter().filter(used).collect::<Vec<_>>().join(" ")
}

fn foot(compared: &RecordChanges<'_>, all: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let count = |change| compared.count(change);
    if !compared.lines.is_empty() {
        let changes = [Change::Lower, Change::Higher, Change::Both, Change::NoDifference];
        let counts: Vec<String> = changes
            .into_iter()
            .chain([Change::Inconclusive])
            .filter(|&change| change != Change::Both || count(change) > 0)
            .map(|change| format!("{} {}", count(change), change.name()))
            .collect();
        let [all_lines, rows] = [compared.lines.len(), compared.pairs.len()];
        let (all_lines, rows) = (counted(all_lines, "line"), counted(rows, "row"));
        lines.push(format!("{all_lines}, {rows}: {}", counts.join(", ")));
    } else if compared.conclusions == 0 {
        lines.push("the records have no row in common".to_owned());
    }
    if compared.restless > 0 {
        lines.push(format!(
            "{} of the lines that changed are of peers that did not: the runs themselves differ so much",
            compared.restless
        ));
    }
    if compared.conclusions > 0 {
        let same = compared.conclusions - compared.turns.len();
        lines.push(format!("conclusions: {same} of {} are the same", compared.conclusions));
    }
    for turn in &compared.turns {
        let (first, second) = (turn.first.name(), turn.second.name());
        lines.push(format!(
            "  {}, {}: {first} in A, {second} in B",
            turn.key.metric, turn.key.subject
        ));
    }
    for (number, what) in [
        (compared.only_in_first, "in A only"),
        (compared.only_in_second, "in B only"),
        (compared.without_value, "without a value in one of them"),
    ] {
        if number > 0 {
            lines.push(format!("{} {what}", counted(number, "row")));
        }
    }
    if let Some(floor) = compared.noise_floor {
        lines.push(format!("differences below {:.1} % are noise", floor * 100.0));
    }
    if !all && compared.lines.iter().any(|line| matches!(line.lengths, Lengths::Range(..))) {
        lines.push(
            "several lengths: A and B are those of the longest, B/A is the median of all".into(),
        );
    }
    lines.push(
        "bounds of one pair are as wide as those of its rows leave it; over 25 % is inconclusive"
            .into(),
    );
    lines
}

/// `1 row`, `2 rows`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_told_in_few_words() {
        assert_eq!(short("none/soap-1.1-rpc-encoded/xml-utf8/none/none"), "soap-rpc");
        assert_eq!(short("tcp-blocking/fix-4.3/tag-value/none/none"), "tcp-blocking fix");
        assert_eq!(
            short("none/fix-4.3/tag-value/none/none : none/none/cdr-le-union/none/none"),
            "fix : cdr-le"
        );
        assert_eq!(short("none/soap-1.2/fast-infoset/none/gzip"), "soap-1.2/fast-infoset/gzip");
        assert_eq!(short(""), "");
    }
}
