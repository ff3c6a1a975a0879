//! The one form of tables about rows: words, then figures that are found by case, subject and metric.

use super::{Rows, Section, WIDTH, bounds_in, scaled};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::{Align, Table, number, with_commas};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::lead_metric;
use trunkline_experiment::subjects::{TRUNKLINE, is_measured};

/// What a line of a table is about, and so are its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) case: &'a str,
    pub(super) subject: &'a str,
    /// How the bytes are made; of a middleware a case has one way.
    pub(super) profile: Option<String>,
    pub(super) entries: Option<u32>,
}

impl<'a> Line<'a> {
    pub(super) fn new(case: &'a str, subject: &'a str) -> Self {
        Self { case, subject, profile: None, entries: None }
    }

    /// What a row is about.
    pub(super) fn of(row: &'a Row) -> Self {
        let Row { case, subject, profile, entries, .. } = row;
        Self { case, subject, profile: Some(profile.clone()), entries: *entries }
    }

    /// In a format that is sent over `transport`.
    pub(super) fn over(self, transport: &str, format: Format) -> Self {
        Self { profile: Some(format.profile_over(transport)), ..self }
    }

    /// In a format, without being sent.
    pub(super) fn in_format(self, format: Format) -> Self {
        self.over("none", format)
    }

    /// Of what is not sent.
    pub(super) fn format(&self) -> Option<Format> {
        Format::of_profile(self.profile.as_deref()?)
    }

    pub(super) fn of_entries(self, entries: Option<u32>) -> Self {
        Self { entries, ..self }
    }

    pub(super) fn of_subject<'b>(&self, subject: &'b str) -> Line<'b>
    where
        'a: 'b,
    {
        Line { subject, ..self.clone() }
    }

    pub(super) fn is_of(&self, row: &Row) -> bool {
        (row.case.as_str(), row.subject.as_str(), row.entries)
            == (self.case, self.subject, self.entries)
            && self.profile.as_ref().is_none_or(|profile| *profile == row.profile)
    }
}

/// What a column of figures shows of a line.
#[derive(Clone, Copy)]
pub(super) enum Cell<'a> {
    /// A metric in a unit: what was measured, why it was not, or what was published of those who are never
    /// measured; a dash without a row.
    Of(&'a str, f64),
    /// The same, or nothing.
    Any(&'a str, f64),
    /// A time in us, or in ms from a tenth of a second on.
    Time(&'a str),
    /// The same, or nothing.
    AnyTime(&'a str),
    /// The same, or the word for it where nothing was measured of the subject in this case.
    TimeOrAbsent(&'a str),
    /// As `Of`, of messages of any length.
    OfAll(&'a str, f64),
    /// What it shows of the same subject in this case.
    In(&'a str, &'a Cell<'a>),
    /// The same in the case whose name begins with the second of these and not the first.
    Beside([&'a str; 2], &'a Cell<'a>),
    /// A count that is sure, or nothing.
    Count(&'a str),
    /// The same, if any row of the cases has some.
    CountIfAny(&'a str),
    /// The first counts one after the other, or the sum of the others where the first of them is known.
    Counts(&'a [&'a str], &'a [&'a str]),
    /// The bounds of a metric in a unit.
    Bounds(&'a str, f64),
    /// The lower bound of a count.
    Low(&'a str),
    /// The upper bound of a count.
    High(&'a str),
    /// What was published beside ours, in a unit, or nothing.
    Paper(&'a str, f64),
    /// How far the first of these that is compared with the subject is ahead of it.
    Lead(&'a [&'a str]),
}

/// Ours, which all are compared with.
pub(super) const LEAD: Cell<'_> = Cell::Lead(&[TRUNKLINE]);

impl Cell<'_> {
    pub(super) fn text(self, rows: Rows<'_>, line: &Line<'_>) -> String {
        let find = |metric: &str| rows.find(line, metric);
        let or_nothing = |row: Option<&Row>, text: fn(Option<&Row>, f64) -> String, unit| {
            if row.is_some() { text(row, unit) } else { String::new() }
        };
        match self {
            Self::Of(metric, unit) => known(find(metric), unit),
            Self::Any(metric, unit) => or_nothing(find(metric), known, unit),
            Self::Time(metric) => time(find(metric), 1e3),
            Self::AnyTime(metric) => or_nothing(find(metric), time, 1e3),
            Self::TimeOrAbsent(metric) => {
                let is_of = |row: &&Row| row.case == line.case && row.subject == line.subject;
                match rows.all.iter().any(|row| is_of(&row) && row.value.is_some()) {
                    true => time(find(metric), 1e3),
                    false => Verdict::Absent.name().to_owned(),
                }
            }
            Self::OfAll(metric, unit) => {
                known(rows.find(&line.clone().of_entries(None), metric), unit)
            }
            Self::In(case, cell) => cell.text(rows, &Line { case, ..line.clone() }),
            Self::Beside([from, to], cell) => {
                let rest = line.case.strip_prefix(from).unwrap_or(line.case);
                cell.text(rows, &Line { case: &format!("{to}{rest}"), ..line.clone() })
            }
            Self::Count(metric) | Self::CountIfAny(metric) => {
                let row = find(metric).filter(|row| row.verdict == Verdict::Ok);
                row.and_then(|row| row.value).map_or(String::new(), with_commas)
            }
            Self::Counts(counts, sum) => {
                let texts = |metrics: &[&str]| -> Vec<String> {
                    metrics.iter().map(|metric| Cell::Count(metric).text(rows, line)).collect()
                };
                match find(sum[0]) {
                    Some(_) => texts(sum).join(" + "),
                    None => texts(counts).concat(),
                }
            }
            Self::Bounds(metric, unit) => bounds_in(find(metric), unit),
            Self::Low(metric) => {
                find(metric).and_then(|row| row.low).map_or(String::new(), with_commas)
            }
            Self::High(metric) => {
                find(metric).and_then(|row| row.high).map_or(String::new(), with_commas)
            }
            Self::Paper(metric, unit) => {
                let paper = find(metric).and_then(|row| row.paper);
                paper.map_or(String::new(), |paper| number(paper / unit))
            }
            Self::Lead(ours) => {
                let metric = lead_metric(line.subject);
                let lead = ours.iter().find_map(|ours| rows.find(&line.of_subject(ours), &metric));
                lead.map_or(String::new(), |row| known(Some(row), 1.0))
            }
        }
    }

    pub(super) fn is_shown(self, rows: Rows<'_>, cases: &[&str]) -> bool {
        let Self::CountIfAny(metric) = self else { return true };
        let is_some = |row: &Row| row.metric == metric && row.value != Some(0.0);
        rows.all.iter().any(|row| is_some(row) && cases.contains(&&*row.case))
    }
}

/// The value in a unit, or the published one of those who are never measured.
fn known(row: Option<&Row>, unit: f64) -> String {
    match row.and_then(published) {
        Some(paper) => number(paper / unit),
        None => scaled(row, unit),
    }
}

fn published(row: &Row) -> Option<f64> {
    row.paper.filter(|_| row.value.is_none() && !is_measured(&row.subject))
}

/// A time in us, or in ms from a tenth of a second on.
fn time(row: Option<&Row>, unit: f64) -> String {
    let value = row.and_then(|row| row.value.or(published(row)));
    match value.filter(|value| *value >= 1e8) {
        Some(value) => {
            let is_open = row.is_some_and(|row| row.verdict == Verdict::Inconclusive);
            with_commas((value / 1e6).round()) + if is_open { " ms?" } else { " ms" }
        }
        None => known(row, unit),
    }
}

/// A table as data: the lines of some cases, under columns of words and figures.
pub(super) struct Spec {
    /// Its topic and title.
    pub(super) about: [&'static str; 2],
    pub(super) cases: Cases,
    /// The lines of a case.
    pub(super) lines: for<'a> fn(Rows<'a>, &'a str) -> Vec<Line<'a>>,
    pub(super) names: &'static [Name],
    pub(super) columns: &'static [(&'static str, Cell<'static>)],
    pub(super) notes: &'static [&'static str],
    /// What only the rows of its cases can tell.
    pub(super) more: fn(Rows<'_>, &[&str]) -> Vec<String>,
}

/// Which cases a table is about, in their order.
#[derive(Clone, Copy)]
pub(super) enum Cases {
    /// This one.
    One(&'static str),
    /// Those that begin so and end in a number, by the number.
    Numbered(&'static str),
    /// Those that begin so and are among these.
    Among(&'static str, fn(&str) -> bool),
    /// What is found so.
    Found(for<'a> fn(Rows<'a>) -> Vec<&'a str>),
}

/// A column of words.
#[derive(Clone, Copy)]
pub(super) enum Name {
    /// The number that a case ends in, at its first line.
    Number(&'static str),
    /// Words for a case, at its first line.
    Case(&'static str, fn(&str) -> String),
    /// Words for a line.
    Line(&'static str, fn(&Line<'_>) -> String),
}

/// Who it is.
pub(super) const SUBJECT: Name = Name::Line("subject", |line| line.subject.to_owned());

/// Nothing more to tell.
pub(super) const NO_MORE: fn(Rows<'_>, &[&str]) -> Vec<String> = |_, _| Vec::new();

impl Spec {
    /// The table, if it has lines.
    pub(super) fn section(&self, rows: Rows<'_>) -> Option<Section> {
        let cases = self.cases.of(rows);
        let names = self.names.iter().map(|name| match name {
            Name::Number(title) => count(title),
            Name::Case(title, _) | Name::Line(title, _) => words(title),
        });
        let is_shown = |cell: &Cell<'_>| cell.is_shown(rows, &cases);
        let columns = self.columns.iter().copied().filter(|(_, cell)| is_shown(cell));
        let [topic, title] = self.about;
        let mut sheet = Sheet::new(topic, title, names, columns);
        for case in &cases {
            for (index, line) in (self.lines)(rows, case).iter().enumerate() {
                let names = self.names.iter().map(|name| name.of(case, line, index == 0));
                sheet.line(rows, names, line);
            }
        }
        let notes = self.notes.iter().map(|note| (*note).to_owned());
        sheet.noted(notes.chain((self.more)(rows, &cases)))
    }
}

impl Cases {
    fn of<'a>(self, rows: Rows<'a>) -> Vec<&'a str> {
        match self {
            Self::One(name) => rows.cases(|case| case == name),
            Self::Numbered(beginning) => rows.numbered(beginning),
            Self::Among(beginning, is_among) => {
                rows.cases(|case| case.starts_with(beginning) && is_among(case))
            }
            Self::Found(find) => find(rows),
        }
    }
}

impl Name {
    fn of(self, case: &str, line: &Line<'_>, is_first: bool) -> String {
        match self {
            Self::Number(_) if is_first => number_of(case),
            Self::Case(_, words) if is_first => words(case),
            Self::Number(_) | Self::Case(..) => String::new(),
            Self::Line(_, words) => words(line),
        }
    }
}

/// The number that a case ends in.
fn number_of(case: &str) -> String {
    let digits = case.rsplit('-').next().unwrap_or_default();
    digits.parse().map_or(String::new(), with_commas)
}

/// A section while its lines are found.
pub(super) struct Sheet<'a> {
    section: Section,
    cells: Vec<Cell<'a>>,
}

impl<'a> Sheet<'a> {
    /// Columns of words, then those of figures.
    pub(super) fn new<'t>(
        topic: &'static str,
        title: impl Into<String>,
        words: impl IntoIterator<Item = (&'t str, Align)>,
        figures: impl IntoIterator<Item = (&'t str, Cell<'a>)>,
    ) -> Self {
        let figures: Vec<(&str, Cell<'a>)> = figures.into_iter().collect();
        let columns = figures.iter().map(|(title, _)| (*title, Align::Right));
        let section = Section::new(topic, title, words.into_iter().chain(columns));
        Self { section, cells: figures.into_iter().map(|(_, cell)| cell).collect() }
    }

    /// Adds what is found of a line behind these words.
    pub(super) fn line<T: Into<String>>(
        &mut self,
        rows: Rows<'_>,
        words: impl IntoIterator<Item = T>,
        line: &Line<'_>,
    ) {
        let figures = self.cells.iter().map(|cell| cell.text(rows, line));
        self.section.table.row(words.into_iter().map(Into::into).chain(figures));
    }

    /// Adds a line of other things.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.section.table.row(cells);
    }

    /// How to read it; nothing if it has no lines.
    pub(super) fn noted<T: Into<String>>(
        self,
        notes: impl IntoIterator<Item = T>,
    ) -> Option<Section> {
        self.section.noted(notes)
    }
}

impl Section {
    /// A table without lines.
    pub(super) fn new<T: Into<String>>(
        topic: &'static str,
        title: impl Into<String>,
        columns: impl IntoIterator<Item = (T, Align)>,
    ) -> Self {
        let table = Table::new(columns).within(WIDTH);
        Self { topic, title: title.into(), table, details: Vec::new(), notes: Vec::new() }
    }

    /// How to read it; nothing if it has no lines.
    pub(super) fn noted<T: Into<String>>(
        mut self,
        notes: impl IntoIterator<Item = T>,
    ) -> Option<Self> {
        self.notes.extend(notes.into_iter().map(Into::into));
        let has_lines = self.table.rows().len() > 0;
        has_lines.then_some(self)
    }
}

/// A column of words.
pub(super) fn words(title: &str) -> (&str, Align) {
    (title, Align::Left)
}

/// A column of numbers that stands among the words.
pub(super) fn count(title: &str) -> (&str, Align) {
    (title, Align::Right)
}
