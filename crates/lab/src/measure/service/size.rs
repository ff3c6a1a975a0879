//! Bytes of a message as each toolkit writes it: the paper's table 2.

use trunkline_catalogue::commerce::CustomerServices;

use super::{Asked, BATCHES, Found, batch, published};
use crate::experiment::{Standing, Subject as _};
use crate::measure::Setting;
use crate::subjects::{Contestant, State};
use crate::{answer, format};
use trunkline_bench::row::Row;
use trunkline_experiment::definition::MessageCase;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::SIZE;
use trunkline_experiment::subjects::TRUNKLINE;

/// Ours as encoded here, the peers' as they echo the same messages.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &Asked<'_>,
    contestants: &mut [Contestant],
    found: &mut Found,
    progress: &mut dyn FnMut(&str, f64),
) {
    for (index, case) in asked.cases.iter().enumerate() {
        progress(&format!("{} messages", case.name), index as f64 / asked.cases.len() as f64);
        let messages: Vec<_> = (0..BATCHES).flat_map(|index| batch(case, index)).collect();
        for &format in &asked.formats {
            let corpus =
                format::corpus(format, &messages).expect("every format carries the records");
            let row = blank(setting, case, format, TRUNKLINE);
            found.rows.push(sized(row, &corpus));
            let of_format = contestants.iter_mut().filter(|it| it.format == format);
            for Contestant { name: peer, state, .. } in of_format {
                let State::Ready { subject, .. } = state else { continue };
                let row = blank(setting, case, format, peer);
                match echo(subject, format, &corpus, &messages) {
                    Ok(echo) => found.rows.push(sized(row, &echo)),
                    Err(standing) => {
                        let (name, case, why) = (peer, &case.name, standing.fault());
                        let (format, why) = (format.name(), why.unwrap_or_default());
                        found.faults.push(format!("{name} ({format}), {case} message: {why}"));
                        found.rows.push(Row { verdict: standing.verdict(), ..row });
                    }
                }
            }
        }
    }
    found.rows.extend(published::rows(setting, asked, SIZE, "size", "bytes"));
}

/// What a peer makes of the messages, if it is right.
fn echo(
    subject: &mut crate::peer::PeerSubject,
    format: Format,
    corpus: &[Vec<u8>],
    messages: &[CustomerServices],
) -> Result<Vec<Vec<u8>>, Standing> {
    let echo = subject.prepare(corpus).and_then(|()| subject.echo());
    let echo = echo.map_err(|error| Standing::after(&error))?;
    answer::check(format, messages)(&echo).map_err(Standing::WrongAnswer)?;
    Ok(echo)
}

fn blank(setting: &Setting<'_>, case: &MessageCase, format: Format, subject: &str) -> Row {
    let definition = &setting.request.definition;
    let mut figures = definition.figures(SIZE, "size", format, &case.name);
    let paper = figures.next().map(|figure| figure.value);
    let name = format!("{SIZE}-{}", case.name);
    Row { paper, ..setting.row(&name, subject, &format.profile(), "size", "bytes") }
}

/// The mean, and the smallest and largest.
fn sized(blank: Row, corpus: &[Vec<u8>]) -> Row {
    let sizes = || corpus.iter().map(|message| message.len() as f64);
    Row {
        value: Some(sizes().sum::<f64>() / corpus.len().max(1) as f64),
        low: sizes().reduce(f64::min),
        high: sizes().reduce(f64::max),
        runs: 1,
        ..blank
    }
}
