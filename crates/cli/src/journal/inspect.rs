//! `trunkline journal inspect DIR`

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use trunkline_bench::table::{Align, Table};
use trunkline_journal::{IndexState, SegmentSurvey, Survey};
use trunkline_store::{State, kind};

use super::{ending, read};
use crate::Ending;
use crate::fault::Fault;
use crate::output::{Form, print};
use crate::quantity::moment;

pub(super) fn run(path: &Path, form: Form) -> Result<Ending, Fault> {
    let (mut known, mut kinds) = (State::default(), BTreeMap::<u8, (u64, u64)>::new());
    let survey = read(path, &mut |_, record| {
        known.apply(record);
        let (records, bytes) = kinds.entry(record.kind).or_default();
        *records += 1;
        *bytes += record.body.len() as u64;
    })?;
    form.say(&format!("journal {:016x}; {}\n\n", survey.journal, ending(&survey)))?;
    if form == Form::Json {
        let torn = survey.torn.map(|torn| torn.bytes);
        let object = json!({
            "fact": "journal", "number": format!("{:016x}", survey.journal), "closed": survey.was_closed,
            "torn_bytes": torn, "is_sound": survey.is_sound(),
        });
        print(&format!("{object}\n"))?;
    }
    form.table("segment", segments(&survey))?;
    let titles = [("kind", Align::Left), ("records", Align::Right), ("bytes", Align::Right)];
    let mut table = Table::new(titles);
    for (kind, (records, bytes)) in kinds {
        table.row([kind::name(kind).to_owned(), records.to_string(), bytes.to_string()]);
    }
    form.say("\n")?;
    form.table("kind", table)?;
    print_known(&known, form)?;
    if !survey.is_sound() {
        form.say("\nsomething is damaged; `trunkline journal verify` says what\n")?;
    }
    Ok(Ending::Right)
}

fn segments(survey: &Survey) -> Table {
    let mut table = Table::new([
        ("segment", Align::Right),
        ("records", Align::Right),
        ("first", Align::Right),
        ("last", Align::Right),
        ("from", Align::Left),
        ("to", Align::Left),
        ("bytes used", Align::Right),
        ("of", Align::Right),
        ("index", Align::Left),
    ]);
    for segment in &survey.segments {
        let SegmentSurvey { number, bytes, used, records, positions, times, index, .. } = segment;
        let or_none = |value: Option<u64>| value.map_or("-".to_owned(), |it| it.to_string());
        let time = |value: Option<u64>| value.map_or("-".to_owned(), moment);
        let index = match index {
            IndexState::Missing => "none",
            IndexState::Right => "there",
            IndexState::Wrong => "wrong",
        };
        table.row([
            number.to_string(),
            records.to_string(),
            or_none(positions.map(|it| it.0)),
            or_none(positions.map(|it| it.1)),
            time(times.map(|it| it.0)),
            time(times.map(|it| it.1)),
            used.to_string(),
            bytes.to_string(),
            index.to_owned(),
        ]);
    }
    table
}

fn print_known(known: &State, form: Form) -> Result<(), Fault> {
    let mut table = Table::new([("producer", Align::Left), ("last sequence", Align::Right)]);
    for producer in known.producers.values() {
        table.row([producer.name.clone(), producer.last.to_string()]);
    }
    form.say("\n")?;
    form.table("producer", table)?;
    let mut table = Table::new([
        ("durable subscription", Align::Left),
        ("pattern", Align::Left),
        ("acknowledged", Align::Right),
    ]);
    for durable in known.durables.values() {
        let acknowledged = durable.account.acknowledged.to_string();
        table.row([durable.name.clone(), durable.pattern.clone(), acknowledged]);
    }
    form.say("\n")?;
    form.table("durable_subscription", table)
}
