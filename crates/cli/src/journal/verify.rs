//! `trunkline journal verify DIR`

use std::path::Path;

use trunkline_journal::{DamageKind, IndexState, Wound, segment_name};
use trunkline_store::{StoredMessage, kind};

use super::{ending, read};
use crate::Ending;
use crate::client::counted;
use crate::fault::Fault;
use crate::output::{plain, print};

pub(super) fn run(path: &Path) -> Result<Ending, Fault> {
    let mut records = 0;
    let survey = read(path, &mut |_, _| records += 1)?;
    let mut lines = String::new();
    let mut damages = survey.wounds.len() as u64;
    for segment in &survey.segments {
        let name = segment_name(segment.number);
        if let Err(error) = segment.head
            && !segment.is_being_made
        {
            damages += 1;
            lines += &format!("{name} byte 0: {error}\n");
        }
        if segment.index == IndexState::Wrong {
            lines += &format!("{name}: its index is wrong, and is made again by the next start\n");
        }
    }
    for wound in &survey.wounds {
        lines += &format!("{}\n", plain(&described(wound)));
    }
    let segments = counted(survey.segments.len() as u64, "segment");
    lines += &format!("{segments}, {}; {}\n", counted(records, "record"), ending(&survey));
    lines += &match damages {
        0 => "right: nothing is damaged\n".to_owned(),
        damages => format!("wrong: {}\n", counted(damages, "damage")),
    };
    print(&lines)?;
    Ok(if damages == 0 { Ending::Right } else { Ending::Wrong })
}

/// Where a damage is, and whose.
fn described(wound: &Wound) -> String {
    let damage = wound.damage;
    let (name, bytes) = (segment_name(damage.at.segment), counted(damage.bytes.into(), "byte"));
    let place = format!("{name} byte {}, {bytes}", damage.at.offset);
    let (first, last) = (damage.after + 1, damage.before.saturating_sub(1));
    match (damage.kind, wound.kind) {
        (DamageKind::Body, Some(kind)) => {
            let what = kind::name(kind);
            let topic = match StoredMessage::read(&wound.body) {
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
