//! The rows of a record as plots see them.

use std::collections::{BTreeMap, BTreeSet};

use super::palette::{Look, look};
use trunkline_bench::row::Row;
use trunkline_bench::table::with_commas;
use trunkline_experiment::subjects::{TRUNKLINE, TRUNKLINE_RECORD, is_reused};

/// A row that has a value, and what it is about.
pub(super) struct Seen<'a> {
    pub(super) row: &'a Row,
    /// Where it stands in the record.
    pub(super) index: usize,
    pub(super) value: f64,
    /// The case in two: `KIND@LINK`.
    pub(super) kind: &'a str,
    pub(super) link: &'a str,
    /// The first part of the profile.
    pub(super) transport: &'a str,
    pub(super) look: Look,
}

/// What rows are of: case, subject, profile.
type Of<'a> = (&'a str, &'a str, &'a str);

/// The rows of a record.
pub(super) struct Cases<'a> {
    pub(super) rows: Vec<Seen<'a>>,
    names: BTreeSet<&'a str>,
    longest: BTreeMap<&'a str, u32>,
    transports: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// The costs without entries and of each entry, by metrics.
    fits: BTreeMap<(Of<'a>, &'a str), [Option<f64>; 2]>,
}

/// Links from the fastest to the slowest; others follow.
const LINKS: [&str; 6] =
    ["direct", "100mbit", "10mbit", "10mbit-1ms", "10mbit-20ms", "10mbit-100ms"];

/// Subjects that carry no format.
const NO_CODECS: [&str; 3] = ["bare", "hiccup-meter", "link"];

impl<'a> Cases<'a> {
    pub(super) fn of(rows: &'a [Row]) -> Self {
        let names = rows.iter().map(|row| &*row.case).collect();
        let rows: Vec<Seen<'a>> =
            rows.iter().enumerate().filter_map(|(index, row)| Seen::of(index, row)).collect();
        let mut cases = Self {
            names,
            longest: BTreeMap::new(),
            transports: BTreeMap::new(),
            fits: BTreeMap::new(),
            rows: Vec::new(),
        };
        for Seen { row, value, transport, .. } in &rows {
            cases.transports.entry(&row.case).or_default().insert(transport);
            if let Some(entries) = row.entries {
                let longest = cases.longest.entry(&row.case).or_default();
                *longest = entries.max(*longest);
                continue;
            }
            let of = (&*row.case, &*row.subject, &*row.profile);
            for (part, end) in ["-fixed", "-per-entry"].into_iter().enumerate() {
                if let Some(metric) = row.metric.strip_suffix(end) {
                    cases.fits.entry((of, metric)).or_default()[part] = Some(*value);
                }
            }
        }
        Self { rows, ..cases }
    }

    /// Whether a case begins so.
    pub(super) fn has(&self, beginning: &str) -> bool {
        let first = self.names.range(beginning..).next();
        first.is_some_and(|case| case.starts_with(beginning))
    }

    /// Whether the messages of a row are the longest of its case, or have no length.
    pub(super) fn is_longest(&self, row: &Row) -> bool {
        row.entries.is_none() || self.longest.get(&*row.case) == row.entries.as_ref()
    }

    /// Whether the same was measured of ours in other markup as well.
    pub(super) fn has_variants(&self, seen: &Seen<'_>) -> bool {
        let is_other =
            |it: &Seen<'_>| it.row.case == seen.row.case && it.row.profile != seen.row.profile;
        let is_alike =
            |it: &Seen<'_>| it.transport == seen.transport && it.look.family == seen.look.family;
        self.rows.iter().any(|it| is_other(it) && it.is_ours() && is_alike(it))
    }

    /// The line through the values of a row's kind.
    pub(super) fn fit(&self, row: &Row) -> Option<(f64, f64)> {
        let fit = self.fits.get(&((&row.case, &row.subject, &row.profile), &*row.metric))?;
        fit[0].zip(fit[1])
    }

    /// The link of a row, and how the ends wait if they do so in more than one way: in the order of links, in
    /// words.
    pub(super) fn place(&self, seen: &Seen<'_>) -> (usize, String) {
        let order = LINKS.iter().position(|known| *known == seen.link).unwrap_or(LINKS.len());
        let words = link_in_words(seen.link);
        let ways = self.transports.get(&*seen.row.case).map_or(0, BTreeSet::len);
        let wait = seen.transport.strip_prefix("tcp-").unwrap_or(seen.transport);
        (order, if ways > 1 { format!("{words}, {wait}") } else { words })
    }
}

impl<'a> Seen<'a> {
    fn of(index: usize, row: &'a Row) -> Option<Self> {
        let value = row.value.filter(|value| row.verdict.has_value() && value.is_finite())?;
        let (kind, link) = row.case.split_once('@').unwrap_or((&row.case, ""));
        let transport = row.profile.split('/').next().unwrap_or("");
        Some(Self { row, index, value, kind, link, transport, look: look(&row.profile) })
    }

    pub(super) fn is_ours(&self) -> bool {
        self.row.subject == TRUNKLINE
    }

    /// Whether it stands in the figures of the network: in a format of the paper.
    pub(super) fn is_shown(&self) -> bool {
        self.is_codec() && self.look.is_published
    }

    /// Whether it is a codec's, ours or a peer's, on new structures; records and reused ones are left to the tables.
    pub(super) fn is_codec(&self) -> bool {
        let subject = &*self.row.subject;
        !NO_CODECS.contains(&subject) && subject != TRUNKLINE_RECORD && !is_reused(subject)
    }

    /// The bounds of a row.
    pub(super) fn bounds(&self) -> Option<(f64, f64)> {
        let bounds = self.row.low.zip(self.row.high);
        bounds.filter(|(low, high)| low.is_finite() && high.is_finite())
    }
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

/// A whole number for titles.
pub(super) fn counted(number: u32) -> String {
    with_commas(f64::from(number))
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
