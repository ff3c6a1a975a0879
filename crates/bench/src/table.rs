//! Tables for a terminal, a log or a file: plain text, at most as wide as told.

use std::fmt;

/// How the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of text cells under a line of titles.
#[derive(Clone, Debug)]
pub struct Table {
    titles: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    width_limit: usize,
    is_bold: bool,
}

/// Between two columns.
const GAP: usize = 2;
/// No column becomes narrower than this to fit the limit.
const NARROWEST: usize = 8;
/// Characters in a line unless told otherwise.
const WIDTH_LIMIT: usize = 120;

impl Table {
    /// An empty table with these columns, at most 120 characters wide.
    pub fn new<T: Into<String>>(columns: impl IntoIterator<Item = (T, Align)>) -> Self {
        let titles = columns.into_iter().map(|(title, align)| (title.into(), align)).collect();
        Self { titles, rows: Vec::new(), width_limit: WIDTH_LIMIT, is_bold: false }
    }

    /// Limits the line to `characters`. Texts are cut to fit, numbers never.
    #[must_use]
    pub fn within(mut self, characters: usize) -> Self {
        self.width_limit = characters;
        self
    }

    /// Prints the titles bold: for a terminal only (see [`std::io::IsTerminal`]).
    #[must_use]
    pub fn bold(mut self, is_terminal: bool) -> Self {
        self.is_bold = is_terminal;
        self
    }

    /// Adds a row. Missing cells are empty, surplus ones are dropped, control characters become
    /// spaces.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let clean = |cell: T| cell.into().replace(char::is_control, " ");
        let mut cells: Vec<String> = cells.into_iter().map(clean).collect();
        cells.resize(self.titles.len(), String::new());
        self.rows.push(cells);
    }

    /// The titles of the columns and how their cells stand.
    pub fn titles(&self) -> impl ExactSizeIterator<Item = (&str, Align)> {
        self.titles.iter().map(|(title, align)| (title.as_str(), *align))
    }

    /// The rows in order, each with as many cells as there are titles.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[String]> {
        self.rows.iter().map(Vec::as_slice)
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> =
            self.titles.iter().map(|(title, _)| title.chars().count()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        while widths.iter().map(|width| width + GAP).sum::<usize>() > self.width_limit + GAP {
            let texts = (0..widths.len()).filter(|&column| self.titles[column].1 == Align::Left);
            let Some(widest) = texts.max_by_key(|&column| widths[column]) else { break };
            if widths[widest] <= NARROWEST {
                break;
            }
            widths[widest] -= 1;
        }
        widths
    }

    fn line<'a>(&self, cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, &width), (_, align)) in cells.zip(widths).zip(&self.titles) {
            let cell = fitted(cell, width);
            match align {
                Align::Left => line.push_str(&format!("{cell:<width$}")),
                Align::Right => line.push_str(&format!("{cell:>width$}")),
            }
            line.push_str(&" ".repeat(GAP));
        }
        line.truncate(line.trim_end().len());
        line
    }
}

fn fitted(cell: &str, width: usize) -> String {
    if cell.chars().count() <= width {
        return cell.to_owned();
    }
    let mut cut: String = cell.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let titles = self.line(self.titles.iter().map(|(title, _)| title.as_str()), &widths);
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        match self.is_bold {
            true => writeln!(out, "\x1b[1m{titles}\x1b[0m")?,
            false => writeln!(out, "{titles}")?,
        }
        writeln!(out, "{}", self.line(rule.iter().map(String::as_str), &widths))?;
        for row in &self.rows {
            writeln!(out, "{}", self.line(row.iter().map(String::as_str), &widths))?;
        }
        Ok(())
    }
}

/// A measured number with the digits that it deserves: four from 1 up (81.93, 386.9, 1.032), three
/// below (0.0250), whole above a thousand with commas (31,556).
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "-".into();
    }
    let decimals = match size {
        _ if size >= 999.95 => return with_commas(value),
        _ if size >= 99.995 => 1,
        _ if size >= 9.9995 => 2,
        _ if size >= 0.9995 => 3,
        _ if size >= 0.000_05 || size == 0.0 => 4,
        _ => return format!("{value:.2e}"),
    };
    format!("{value:.decimals$}")
}

/// A number where room is scarce: with at most three digits that are not zeros at the end (2, 3.5,
/// 0.583, 41.7), whole above a hundred with commas.
pub fn short_number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size >= 99.95 || (size > 0.0 && size < 0.0005) {
        return if size >= 99.95 { with_commas(value) } else { number(value) };
    }
    let decimals = if size >= 9.995 {
        1
    } else if size >= 0.9995 {
        2
    } else {
        3
    };
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A count, rounded to a whole number, with commas between thousands: 55,000.
pub fn with_commas(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::from(if value < 0.0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_have_no_zeros_at_the_end() {
        for (value, text) in [
            (0.0, "0"),
            (2.0, "2"),
            (3.5, "3.5"),
            (0.583_4, "0.583"),
            (41.73, "41.7"),
            (-0.1, "-0.1"),
            (99.97, "100"),
            (269_748.2, "269,748"),
            (7e-6, "7.00e-6"),
        ] {
            assert_eq!(short_number(value), text);
        }
    }

    #[test]
    fn numbers_stand_right_and_words_left() {
        let mut table = Table::new([("format", Align::Left), ("bytes", Align::Right)]);
        table.row(["FIX", "81.93"]);
        table.row(["SOAP", "639.0"]);
        table.row(["CDR"]);
        assert_eq!(
            table.to_string(),
            "format  bytes\n------  -----\nFIX     81.93\nSOAP    639.0\nCDR\n"
        );
    }

    #[test]
    fn a_text_too_wide_is_cut_and_numbers_stay_whole() {
        let mut table =
            Table::new([("profile", Align::Left), ("ns", Align::Right), ("why", Align::Left)])
                .within(80);
        table.row(["p".repeat(60), "123,456,789".into(), "w".repeat(70)]);
        let text = table.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("123,456,789") && text.contains('…'));
    }

    #[test]
    fn other_renderings_see_whole_cells() {
        let long = "w".repeat(200);
        let mut table = Table::new([("format", Align::Left), ("bytes", Align::Right)]).within(80);
        table.row([long.as_str(), "639.0", "surplus"]);
        table.row(["CDR"]);
        let titles: Vec<(&str, Align)> = table.titles().collect();
        assert_eq!(titles, [("format", Align::Left), ("bytes", Align::Right)]);
        let rows: Vec<&[String]> = table.rows().collect();
        assert_eq!(rows, [[long.as_str(), "639.0"], ["CDR", ""]]);
    }

    #[test]
    fn titles_are_bold_only_when_asked() {
        let table = Table::new([("a", Align::Left)]);
        assert!(!table.to_string().contains('\x1b'));
        assert!(table.bold(true).to_string().starts_with("\x1b[1ma\x1b[0m\n"));
    }

    #[test]
    fn control_characters_of_a_peer_do_not_reach_the_terminal() {
        let mut table = Table::new([("a", Align::Left)]);
        table.row(["x\x1b[31m\n\u{9b}y"]);
        assert!(table.to_string().ends_with("x [31m  y\n"));
    }

    #[test]
    fn numbers_have_the_digits_they_deserve() {
        for (value, text) in [
            (81.93, "81.93"),
            (386.9, "386.9"),
            (0.025, "0.0250"),
            (1.032, "1.032"),
            (31_556.4, "31,556"),
            (-1_234_567.0, "-1,234,567"),
            (999.96, "1,000"),
            (0.0, "0.0000"),
            (0.000_001_23, "1.23e-6"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
