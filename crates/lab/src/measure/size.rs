//! Bytes of a message: table 1 and figures 4 and 14 of Kohlhoff and Steele, table 2 of Ng, Chen and Greenfield.

use trunkline_message::{Message, Structure};

use super::{Findings, Setting, published};
use crate::experiment::{Operation, Subject as _, SubjectStatus};
use crate::peer::PeerSubject;
use crate::scenario::{Content, Scenario};
use crate::subjects::{Contestant, State};
use crate::{answer, format};
use trunkline_bench::row::Row;
use trunkline_bench::statistics::Fit;
use trunkline_experiment::definition::Measure;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::SIZE;
use trunkline_experiment::subjects::TRUNKLINE;

/// Bytes of all messages of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sizes {
    count: usize,
    total: usize,
    smallest: usize,
    largest: usize,
}

impl Sizes {
    fn of(sizes: impl Iterator<Item = usize>) -> Self {
        let none = Self { smallest: usize::MAX, ..Self::default() };
        sizes.fold(none, |all, bytes| Self {
            count: all.count + 1,
            total: all.total + bytes,
            smallest: all.smallest.min(bytes),
            largest: all.largest.max(bytes),
        })
    }

    fn mean(self) -> f64 {
        self.total as f64 / self.count.max(1) as f64
    }

    /// The mean, and the smallest and largest.
    fn row(self, blank: Row) -> Row {
        let [low, high] = [self.smallest, self.largest].map(|bytes| Some(bytes as f64));
        Row { value: Some(self.mean()), low, high, runs: 1, ..blank }
    }
}

/// Sizes of all formats, ours and the peers'; what they come to a message and an entry, and what variants save.
pub(super) fn measure<S: Scenario>(
    setting: &Setting<'_>,
    scenario: &S,
    (measures, formats): (&[&Measure], &[Format]),
    contestants: &mut [Contestant],
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    let contents = scenario.sized(measures);
    let mut reductions = Vec::new();
    for (index, content) in contents.iter().enumerate() {
        let mut found: Vec<(&str, Format, Vec<Sizes>)> = Vec::new();
        let formats = || formats.iter().copied().filter(|&format| content.is_in(format));
        for (done, format) in formats().enumerate() {
            let share =
                (index as f64 + done as f64 / formats().count() as f64) / contents.len() as f64;
            let text = format!("{} messages in {}", content.name, format.name());
            progress(text.trim_start(), share);
            let about = Sized { setting, content, format };
            let sizes = sizes(scenario, content, format);
            findings.rows.extend(about.rows(TRUNKLINE, &sizes));
            found.push((TRUNKLINE, format, sizes));
            for peer in contestants.iter_mut().filter(|it| it.format == format) {
                let sizes = about.of_peer(scenario, peer, findings);
                findings.rows.extend(about.rows(peer.name, &sizes));
                found.push((peer.name, format, sizes));
            }
        }
        for (subject, format, sizes) in &found {
            let is_plain =
                |it: &&(&str, Format, Vec<Sizes>)| it.0 == *subject && Some(it.1) == format.plain();
            let about = Sized { setting, content, format: *format };
            let plain = found.iter().find(is_plain);
            reductions.extend(plain.map(|(.., plain)| about.reductions(subject, plain, sizes)));
        }
    }
    findings.rows.extend(reductions.into_iter().flatten());
    findings.rows.extend(published::rows(setting, (&contents, formats), (SIZE, SIZE, "bytes")));
}

/// Sizes at each length.
fn sizes<S: Scenario>(scenario: &S, content: &Content, format: Format) -> Vec<Sizes> {
    let mut codec = scenario.codec(format, content);
    let lengths = content.lengths.iter();
    let of_length = lengths.map(|&entries| {
        Sizes::of(scenario.all(content, entries).map(|message| {
            codec.encode(&message).expect("every format carries the messages of its family").len()
        }))
    });
    of_length.collect()
}

/// One content in one format.
#[derive(Clone, Copy)]
struct Sized<'a> {
    setting: &'a Setting<'a>,
    content: &'a Content,
    format: Format,
}

impl Sized<'_> {
    /// A row of a subject, without a size.
    fn blank(&self, subject: &str, metric: &str, unit: &str) -> Row {
        let (case, profile) = (self.content.case(SIZE), self.format.profile());
        self.setting.row(&case, subject, &profile, metric, unit)
    }

    /// The same at one length, with what was published of it.
    fn at(&self, entries: Option<u32>, subject: &str) -> Row {
        let definition = &self.setting.request.definition;
        let line = definition.published(&self.content.case(SIZE), SIZE, self.format);
        let mut figures = definition.figures(SIZE, SIZE, self.format, &self.content.name);
        let paper = match entries {
            Some(entries) => line.map(|line| line.at(entries)),
            None => figures.next().map(|figure| figure.value),
        };
        Row { entries, paper, ..self.blank(subject, SIZE, "bytes") }
    }

    /// A subject's at each length, and the line through them.
    fn rows(&self, subject: &str, sizes: &[Sizes]) -> Vec<Row> {
        let lengths = || self.content.lengths.iter().zip(sizes);
        let mut rows: Vec<Row> =
            lengths().map(|(entries, sizes)| sizes.row(self.at(*entries, subject))).collect();
        let points: Vec<(f64, f64)> = lengths()
            .filter_map(|(entries, sizes)| Some((f64::from((*entries)?), sizes.mean())))
            .collect();
        if let Some(fit) = Fit::of(&points) {
            let definition = &self.setting.request.definition;
            let line = definition.published(&self.content.case(SIZE), SIZE, self.format);
            let fitted = |metric, value, paper| Row {
                value: Some(value),
                runs: 1,
                paper,
                ..self.blank(subject, metric, "bytes")
            };
            rows.push(fitted("size-fixed", fit.fixed, line.map(|line| line.fixed)));
            rows.push(fitted("size-per-entry", fit.per_entry, line.map(|line| line.per_entry)));
        }
        rows
    }

    /// What a variant of a format saves of the plain one's bytes, in percent.
    fn reductions(&self, subject: &str, plain: &[Sizes], variant: &[Sizes]) -> Vec<Row> {
        let saved =
            |(plain, variant): (&Sizes, &Sizes)| (1.0 - variant.mean() / plain.mean()) * 100.0;
        let saved = plain.iter().zip(variant).map(saved);
        let lengths = self.content.lengths.iter().zip(saved);
        let row = |(entries, saved): (&Option<u32>, f64)| Row {
            entries: *entries,
            value: Some(saved),
            runs: 1,
            ..self.blank(subject, "reduction", "%")
        };
        lengths.map(row).collect()
    }

    /// As a peer that encodes echoes them, up to the length where it fails.
    fn of_peer<S: Scenario>(
        &self,
        scenario: &S,
        peer: &mut Contestant,
        findings: &mut Findings,
    ) -> Vec<Sizes> {
        let mut found = Vec::new();
        let State::Ready { subject, .. } = &mut peer.state else { return found };
        if !subject.can(Operation::Encode) {
            return found;
        }
        for &entries in &self.content.lengths {
            let messages = scenario.written_by_peers(self.content, entries);
            if messages.is_empty() {
                continue;
            }
            match echo(subject, self.format, &messages) {
                Ok(echo) => found.push(Sizes::of(echo.iter().map(Vec::len))),
                Err(status) => {
                    let (name, format) = (peer.name, self.format.name());
                    let (case, why) = (&self.content.name, status.fault().unwrap_or_default());
                    findings.faults.push(format!("{name} ({format}), {case} message: {why}"));
                    let verdict = status.verdict();
                    findings.rows.push(Row { verdict, ..self.at(entries, peer.name) });
                    break;
                }
            }
        }
        found
    }
}

/// What a peer makes of the messages, if it is right.
fn echo<M: Message + Structure + PartialEq>(
    subject: &mut PeerSubject,
    format: Format,
    messages: &[M],
) -> Result<Vec<Vec<u8>>, SubjectStatus> {
    let corpus = format::corpus(format, messages).expect("every format carries the messages");
    let echo = subject.prepare(&corpus).and_then(|()| subject.echo());
    let echo = echo.map_err(|error| SubjectStatus::after(&error))?;
    answer::check(format, messages)(&echo).map_err(SubjectStatus::WrongAnswer)?;
    Ok(echo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Request;
    use crate::market_data::MarketData;
    use crate::trading_day::TradingDay;
    use trunkline_bench::row::Verdict;
    use trunkline_experiment::definition::Definition;
    use trunkline_experiment::format::Family;
    use trunkline_experiment::names::{SIZE_OF_FIGURE_5, SIZE_OF_FIGURE_6};

    /// The rows of all formats of `day`, also as the paper's figures print them.
    fn rows(day: TradingDay, lengths: &[u32]) -> Vec<Row> {
        let request = Request::new(Definition::named("kohlhoff-2004").expect("embedded"), day);
        let setting = Setting { request: &request, lengths };
        let scenario = MarketData { day: &request.day, lengths };
        let measures: Vec<&Measure> =
            request.definition.parts.iter().flat_map(|part| &part.measures).collect();
        let formats: Vec<Format> = Format::of_family(Family::MarketData).collect();
        let asked = (&measures[..], &formats[..]);
        let mut findings = Findings::default();
        measure(&setting, &scenario, asked, &mut [], &mut findings, &mut |_, _| {});
        findings.rows
    }

    #[test]
    fn the_figures_of_the_paper_have_the_bytes_that_they_show() {
        // The paper's own message: figures 3, 5 and 6.
        let mut day = TradingDay::generated(2004);
        let trade = &mut day.trades[0];
        trade.millis_since_midnight = (10 * 3600 + 18 * 60 + 58) * 1000;
        trade.trade_id = "T078224".into();
        trade.symbol = "CBG".into();
        (trade.price_mantissa, trade.price_exponent, trade.size) = (635, -2, 451);
        (trade.buyer, trade.seller) = (2402, 3713);
        day.trades.truncate(1);
        let rows = rows(day, &[1]);
        let size = |case: &str, format: Format| {
            let profile = format.profile();
            let row = rows.iter().find(|row| row.case == case && row.profile == profile);
            row.and_then(|row| row.value).expect("a size")
        };
        // BodyLength 163 counts what stands between "9=00000163|" and "10=009|".
        let figure_5 = ("8=FIX.4.3|9=00000163|".len() + 163 + "10=009|".len()) as f64;
        assert_eq!(size(SIZE_OF_FIGURE_5, Format::Fix), figure_5);
        let left_out = "<MsgSeqNum>1000</MsgSeqNum><MDEntryType>2</MDEntryType>".len() as f64;
        let [figure_3, figure_6] = [SIZE, SIZE_OF_FIGURE_6].map(|case| size(case, Format::SoapRpc));
        assert_eq!(figure_3 - figure_6, left_out);
    }

    #[test]
    fn sizes_come_near_the_papers_table_1() {
        let mut day = TradingDay::generated(2004);
        day.trades.truncate(2_000);
        let rows = rows(day, &[1, 4, 10]);
        for row in rows.iter().filter(|row| row.metric == "size-per-entry") {
            let Some(paper) = row.paper else { continue };
            let ratio = row.value.expect("a size") / paper;
            assert!((0.9..1.1).contains(&ratio), "{row:?}");
        }
        let ten = rows.iter().find(|row| row.metric == SIZE && row.entries == Some(10));
        let ten = ten.expect("the first format");
        assert_eq!((ten.verdict, ten.paper.map(f64::round)), (Verdict::Ok, Some(4508.0)));
        assert!(ten.low <= ten.value && ten.value <= ten.high);
    }
}
