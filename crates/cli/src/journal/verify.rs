//! `trunkline journal verify DIR`

use std::path::Path;

use serde_json::json;
use trunkline_journal::{DamageKind, DamagedRecord, IndexState, Survey, segment_name};
use trunkline_store::{StoredMessage, kind};

use super::{ending, read};
use crate::Ending;
use crate::client::counted;
use crate::fault::Fault;
use crate::output::{Form, plain, print};

pub(super) fn run(path: &Path, form: Form) -> Result<Ending, Fault> {
    let mut records = 0;
    let survey = read(path, &mut |_, _| records += 1)?;
    let mut damages = Vec::new();
    let mut wrong_indexes = Vec::new();
    for segment in &survey.segments {
        let name = segment_name(segment.number);
        if let Err(error) = segment.head
            && !segment.is_being_made
        {
            damages.push(format!("{name} byte 0: {error}"));
        }
        if segment.index == IndexState::Wrong {
            wrong_indexes.push(name);
        }
    }
    damages.extend(
        survey.damaged_records.iter().map(|damaged_record| plain(&described(damaged_record))),
    );
    if form == Form::Json {
        print(&json(&survey, records, &damages, &wrong_indexes))?;
        return Ok(if damages.is_empty() { Ending::Right } else { Ending::Wrong });
    }
    let mut lines = String::new();
    for name in &wrong_indexes {
        lines += &format!("{name}: its index is wrong, and is made again by the next start\n");
    }
    lines.extend(damages.iter().map(|damage| format!("{damage}\n")));
    let segments = counted(survey.segments.len() as u64, "segment");
    lines += &format!("{segments}, {}; {}\n", counted(records, "record"), ending(&survey));
    lines += &match damages.len() as u64 {
        0 => "right: nothing is damaged\n".to_owned(),
        damages => format!("wrong: {}\n", counted(damages, "damage")),
    };
    print(&lines)?;
    Ok(if damages.is_empty() { Ending::Right } else { Ending::Wrong })
}

/// One object: how much there is, and what is damaged.
fn json(survey: &Survey, records: u64, damages: &[String], wrong_indexes: &[String]) -> String {
    let segments = survey.segments.len();
    let torn = survey.torn.map(|torn| torn.bytes);
    let closed = survey.was_closed;
    let object = json!({
        "fact": "journal", "segments": segments, "records": records, "closed": closed, "torn_bytes": torn,
        "damages": damages, "wrong_indexes": wrong_indexes,
    });
    format!("{object}\n")
}

/// Where a damaged record is, and what it was.
fn described(damaged_record: &DamagedRecord) -> String {
    let damage = damaged_record.damage;
    let (name, bytes) = (segment_name(damage.at.segment), counted(damage.bytes.into(), "byte"));
    let place = format!("{name} byte {}, {bytes}", damage.at.offset);
    let (first, last) = (damage.after + 1, damage.before.saturating_sub(1));
    match (damage.kind, damaged_record.kind) {
        (DamageKind::Body, Some(kind)) => {
            let what = kind::name(kind);
            let topic = match StoredMessage::read(&damaged_record.body) {
                Some(message) if kind == kind::MESSAGE => {
                    format!(", topic {:?} if that can be believed", message.topic)
                }
                _ => String::new(),
            };
            format!("{place}: the {what} at position {first} has changed{topic}")
        }
        (DamageKind::Missing, _) => {
            format!("{name} byte {}: positions {first} to {last} are missing", damage.at.offset)
        }
        _ if damage.before == u64::MAX => {
            format!("{place}: no record can be read; positions from {first} on may have been there")
        }
        _ if first > last => format!("{place}: no record can be read, and no position is missing"),
        _ => format!(
            "{place}: no record can be read; positions {first} to {last} may have been there"
        ),
    }
}
