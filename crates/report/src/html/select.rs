//! Finding in the rows of a record what a plot shows.

use std::collections::BTreeMap;

use super::palette::{Look, look, subject_order};
use super::plot::Point;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::subjects::{TRUNKLINE_RECORD, is_reused};

/// The rows of a record by case.
pub(super) struct Cases<'a>(BTreeMap<&'a str, Vec<&'a Row>>);

/// What one subject needed in one format, by entries.
pub(super) struct Series<'a> {
    pub(super) subject: &'a str,
    pub(super) look: Look,
    /// The first part of the profile.
    pub(super) transport: &'a str,
    pub(super) points: Vec<Point>,
    /// Entries and the published figure.
    pub(super) paper: Vec<(f64, f64)>,
    /// Cost without entries and of each entry.
    pub(super) fit: Option<(f64, f64)>,
}

/// Links and rates that are plotted; no experiment has more, but a record of somebody else may.
pub(super) const PLOTS: usize = 16;

/// Series that are looked at, for the same reason.
const SERIES: usize = 64;

/// Several values of one subject in one format.
pub(super) struct Parts<'a, const N: usize> {
    pub(super) subject: &'a str,
    pub(super) look: Look,
    /// The first part of the profile.
    pub(super) transport: &'a str,
    pub(super) values: [Option<f64>; N],
}

/// Links from the fastest to the slowest; others follow.
const LINKS: [&str; 6] =
    ["direct", "100mbit", "10mbit", "10mbit-1ms", "10mbit-20ms", "10mbit-100ms"];

impl<'a> Cases<'a> {
    pub(super) fn of(rows: &'a [Row]) -> Self {
        let mut cases: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            cases.entry(&row.case).or_default().push(row);
        }
        Self(cases)
    }

    /// The rows of a case that have a value.
    pub(super) fn rows(&self, case: &str) -> impl Iterator<Item = &'a Row> {
        let rows = self.0.get(case).map_or(&[][..], Vec::as_slice);
        rows.iter().copied().filter(|row| value(row).is_some())
    }

    /// The links for which there is a case `NAME@LINK`, the fastest first.
    pub(super) fn links(&self, name: &str) -> Vec<&'a str> {
        let names = self.0.keys().filter_map(|case| case.strip_prefix(name)?.strip_prefix('@'));
        let mut links: Vec<&str> = names.collect();
        links.sort_by_key(|link| {
            LINKS.iter().position(|known| known == link).unwrap_or(LINKS.len())
        });
        links.truncate(PLOTS);
        links
    }

    /// The names of cases that begin with `name`.
    pub(super) fn beginning(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied().filter(move |case| case.starts_with(name))
    }

    /// For the longest messages of a case: the values of several metrics, by subject and format in the
    /// order of legends.
    pub(super) fn parts<const N: usize>(
        &self,
        case: &str,
        metrics: [&str; N],
    ) -> Vec<Parts<'a, N>> {
        let longest = self.rows(case).filter_map(|row| row.entries).max();
        let mut found: BTreeMap<_, Parts<'a, N>> = BTreeMap::new();
        for row in self.rows(case) {
            let part = metrics.iter().position(|metric| *metric == row.metric);
            let (Some(part), true) = (part, row.entries.is_none() || row.entries == longest) else {
                continue;
            };
            let look = look(&row.profile);
            let key = (look.order, subject_order(&row.subject), &row.subject, &row.profile);
            let parts = found.entry(key).or_insert_with(|| Parts {
                subject: &row.subject,
                transport: transport(row),
                look,
                values: [None; N],
            });
            parts.values[part] = value(row);
        }
        found.into_values().take(SERIES).collect()
    }

    /// Every series of a metric by entries, in the order of legends.
    pub(super) fn series(&self, case: &str, metric: &str) -> Vec<Series<'a>> {
        let mut found: BTreeMap<_, Series<'a>> = BTreeMap::new();
        let (fixed, per_entry) = (format!("{metric}-fixed"), format!("{metric}-per-entry"));
        let mut fits: BTreeMap<(&str, &str), [Option<f64>; 2]> = BTreeMap::new();
        for row in self.rows(case) {
            let part = [fixed.as_str(), &per_entry].iter().position(|name| *name == row.metric);
            if let (Some(part), None) = (part, row.entries) {
                fits.entry((&row.subject, &row.profile)).or_default()[part] = row.value;
            }
            let (true, Some(entries)) = (row.metric == metric, row.entries) else { continue };
            let look = look(&row.profile);
            let order = subject_order(&row.subject);
            let series = found
                .entry((look.order, order, row.subject.as_str(), row.profile.as_str()))
                .or_insert_with(|| Series::new(row, look));
            let x = f64::from(entries);
            series.points.extend(point(x, row));
            series.paper.extend(row.paper.map(|paper| (x, paper)));
        }
        for ((_, _, subject, profile), series) in &mut found {
            let fit = fits.get(&(subject, profile));
            series.fit = fit.and_then(|[fixed, per_entry]| fixed.zip(*per_entry));
            series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
            series.paper.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
        found.into_values().take(SERIES).collect()
    }
}

impl<'a> Series<'a> {
    fn new(row: &'a Row, look: Look) -> Self {
        Self {
            subject: &row.subject,
            look,
            transport: transport(row),
            points: Vec::new(),
            paper: Vec::new(),
            fit: None,
        }
    }

    /// Every value, ours and the paper's.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> {
        let paper = self.paper.iter().map(|point| point.1);
        self.points.iter().map(|point| point.y).chain(paper)
    }

    /// The fitted line over the entries that were measured, or the way from point to point.
    pub(super) fn line(&self) -> Vec<(f64, f64)> {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return Vec::new();
        };
        let Some((fixed, per_entry)) = self.fit else {
            return self.points.iter().map(|point| (point.x, point.y)).collect();
        };
        // Enough steps for a straight line to be round on a logarithmic axis.
        let steps = 36;
        let step = (last.x - first.x) / f64::from(steps);
        (0..=steps)
            .map(|index| first.x + step * f64::from(index))
            .map(|x| (x, fixed + per_entry * x))
            .collect()
    }
}

/// Subjects that carry no format.
const NO_CODECS: [&str; 3] = ["bare", "hiccup-meter", "link"];

/// Whether a subject stands in the figures of the network; records are left to the tables.
pub(super) fn is_shown(subject: &str) -> bool {
    !NO_CODECS.contains(&subject) && subject != TRUNKLINE_RECORD && !is_reused(subject)
}

/// A link for a reader: `10mbit-20ms` is `10 Mbit/s, 20 ms away`.
pub(super) fn link_in_words(link: &str) -> String {
    let (rate, delay) = link.split_once('-').map_or((link, None), |(rate, it)| (rate, Some(it)));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rate = match rate.strip_suffix("mbit").filter(|number| is_number(number)) {
        Some(number) => format!("{number} Mbit/s"),
        None => rate.to_owned(),
    };
    let words = |delay: &str| match delay.strip_suffix("ms").filter(|number| is_number(number)) {
        Some(number) => format!(", {number} ms away"),
        None => format!("-{delay}"),
    };
    rate + &delay.map_or(String::new(), words)
}

fn transport(row: &Row) -> &str {
    row.profile.split('/').next().unwrap_or("")
}

/// The value of a row that stands, or may be shown with doubt.
pub(super) fn value(row: &Row) -> Option<f64> {
    row.value.filter(|value| row.verdict.has_value() && value.is_finite())
}

/// The value of a row above `x`.
pub(super) fn point(x: f64, row: &Row) -> Option<Point> {
    let is_doubtful = row.verdict == Verdict::Inconclusive;
    Some(Point { x, y: value(row)?, bounds: bounds(row), is_doubtful })
}

/// The bounds of a row.
pub(super) fn bounds(row: &Row) -> Option<(f64, f64)> {
    row.low.zip(row.high).filter(|(low, high)| low.is_finite() && high.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_said_in_words() {
        for (link, words) in [
            ("direct", "direct"),
            ("100mbit", "100 Mbit/s"),
            ("10mbit-20ms", "10 Mbit/s, 20 ms away"),
            ("<mbit-ms-x", "<mbit-ms-x"),
        ] {
            assert_eq!(link_in_words(link), words);
        }
    }
}
