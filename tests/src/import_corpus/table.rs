//! What became of each description of others, as a table: a line of tab-separated cells each, below it why not all is
//! well, and at the end the sums of each suite and of all.

use std::path::Path;

use super::{Row, fix, idl, recorded, wsdl, xsd};
use crate::conformance;

/// The names of the columns. Counts are of how many; `-` where a suite has none.
const COLUMNS: [&str; 9] = [
    "suite",
    "case",
    "expected",
    "outcome",
    "facts",
    "kinds without plan",
    "messages came back",
    "invalid rejected",
    "instances validated",
];

/// One description.
#[derive(Default)]
struct Line {
    suite: &'static str,
    case: String,
    expected: String,
    rejected: Option<String>,
    differences: Vec<String>,
    without_plan: usize,
    /// How many messages came back, were rightly rejected and rightly judged, each of how many.
    counts: [[usize; 2]; 3],
    /// Why not all is well, beside what is above.
    why: Vec<String>,
}

impl Line {
    fn new(suite: &'static str, row: Row, expected: &str) -> Self {
        let Row { case, rejected, differences, messages, without_plan } = row;
        let expected = expected.to_owned();
        let counts = [[messages, messages], [0, 0], [0, 0]];
        Self { suite, case, expected, rejected, differences, without_plan, counts, why: Vec::new() }
    }

    fn of_services(suite: &'static str, row: wsdl::Row) -> Self {
        let (back, lost) = (row.samples.0, row.samples.1.len());
        Self {
            suite,
            without_plan: row.without_plan.len(),
            counts: [[back, back + lost], [0, 0], [0, 0]],
            why: row.reasons(),
            case: row.case,
            expected: row.expected,
            rejected: row.rejected,
            differences: row.differences,
        }
    }

    fn of_schemas(row: xsd::Row) -> Self {
        let all = [&row.valid, &row.invalid, &row.validated];
        Self {
            suite: "schemas",
            without_plan: row.without_plan.len(),
            counts: all.map(|(well, wrong)| [*well, well + wrong.len()]),
            why: row.reasons(),
            case: row.case,
            expected: row.expected,
            rejected: row.rejected,
            differences: row.differences,
        }
    }

    fn text(&self) -> String {
        let outcome = if self.rejected.is_some() { "rejected" } else { "imported" };
        let facts = match (&self.rejected, &*self.differences) {
            (Some(_), _) => "-",
            (None, []) => "agree",
            (None, _) => "differ",
        };
        let without_plan = self.without_plan.to_string();
        let [back, invalid, validated] = self.counts.map(of);
        let cells: [&str; COLUMNS.len()] = [
            self.suite,
            &self.case,
            &self.expected,
            outcome,
            facts,
            &without_plan,
            &back,
            &invalid,
            &validated,
        ];
        let mut text = cells.join("\t") + "\n";
        let rejected = self.rejected.iter().map(|it| format!("    rejected: {it}"));
        let differences = self.differences.iter().map(|it| format!("    differs: {it}"));
        for why in rejected.chain(differences).chain(self.why.iter().cloned()) {
            text += &why.replace('\n', " ");
            text.push('\n');
        }
        text
    }
}

/// `2/3`: so many of so many.
fn of([some, all]: [usize; 2]) -> String {
    if all == 0 { "-".to_owned() } else { format!("{some}/{all}") }
}

/// The sums of some lines.
fn total(suite: &str, lines: &[Line]) -> String {
    let imported = lines.iter().filter(|it| it.rejected.is_none());
    let agree = imported.clone().filter(|it| it.differences.is_empty()).count();
    let imported = imported.count();
    let without_plan: usize = lines.iter().map(|it| it.without_plan).sum();
    let [back, invalid, validated] = [0, 1, 2].map(|at| {
        let sum = |which: usize| lines.iter().map(|it| it.counts[at][which]).sum();
        of([sum(0), sum(1)])
    });
    let cells: [String; COLUMNS.len()] = [
        suite.to_owned(),
        "total".to_owned(),
        format!("{} descriptions", lines.len()),
        format!("imported {}", of([imported, lines.len()])),
        format!("agree {}", of([agree, imported])),
        without_plan.to_string(),
        back,
        invalid,
        validated,
    ];
    cells.join("\t") + "\n"
}

/// The suites, each with the lines of its folder.
type Suite = (&'static str, fn(&Path) -> Vec<Line>);

const SUITES: [Suite; 5] = [
    ("fix-dictionaries", |suite| {
        let rows = fix::rows(suite).into_iter();
        rows.map(|row| Line::new("fix-dictionaries", row, "import")).collect()
    }),
    ("idl", |suite| {
        let rows = idl::rows(suite).into_iter();
        rows.map(|(row, expected)| Line::new("idl", row, &expected)).collect()
    }),
    ("wsdl", |suite| {
        let services = wsdl::rows(suite).into_iter().map(|row| Line::of_services("wsdl", row));
        services.chain(xsd::rows(suite).into_iter().map(Line::of_schemas)).collect()
    }),
    ("soap-php", |suite| {
        let rows = recorded::php(suite).into_iter();
        rows.map(|row| Line::of_services("soap-php", row)).collect()
    }),
    ("soap12-whitemesa", |suite| {
        let rows = recorded::white_mesa(suite).into_iter();
        rows.map(|row| Line::of_services("soap12-whitemesa", row)).collect()
    }),
];

/// The table of the suites that are here.
pub fn text() -> String {
    let mut lines = Vec::new();
    for (name, of_suite) in SUITES {
        lines.extend(conformance::directory(name).map(|it| of_suite(&it)).unwrap_or_default());
    }
    let mut text = COLUMNS.join("\t") + "\n";
    lines.iter().for_each(|it| text += &it.text());
    for of_suite in lines.chunk_by(|a, b| a.suite == b.suite) {
        text += &total(of_suite[0].suite, of_suite);
    }
    text + &total("all", &lines)
}
