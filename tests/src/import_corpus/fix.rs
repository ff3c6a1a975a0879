//! FIX dictionaries: the numbers that the suite counted, and messages by chance in both directions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use trunkline_codec::fix::{Decoder, Encoder, Options, Plan};
use trunkline_import::fix::{Dictionary, Of, Part};
use trunkline_import::{Limits, Problem};
use trunkline_message::Record;

use super::Row;
use crate::random::{self, Safe};

/// Every case of the suite in this folder.
///
/// # Panics
/// The suite is not whole.
pub fn rows(suite: &Path) -> Vec<Row> {
    let facts = fs::read_to_string(suite.join("facts.jsonl")).expect("the facts");
    facts.lines().map(|line| row(suite, &serde_json::from_str(line).expect("JSON"))).collect()
}

fn row(suite: &Path, facts: &Value) -> Row {
    let text = |key: &str| facts[key].as_str().expect("a text").to_owned();
    let (case, main) = (text("case"), text("main"));
    let bytes = fs::read(suite.join(&case).join(&main)).expect("the dictionary");
    let mut row =
        Row { case, rejected: None, differences: Vec::new(), messages: 0, without_plan: 0 };
    let dictionary = match Dictionary::read(&main, &bytes, &Limits::default()) {
        Ok(dictionary) => dictionary,
        Err(problem) => {
            row.rejected = Some(problem.to_string());
            return row;
        }
    };
    let expected = &facts["counts"];
    match facts["kind"].as_str() {
        Some("quickfix") => quickfix(&dictionary, expected, &mut row.differences),
        _ => orchestra(&dictionary, expected, &mut row.differences),
    }
    for message in dictionary.messages() {
        match come_back(&dictionary, message.name.as_str()) {
            Ok(count) => row.messages += count,
            Err(why) => row.differences.push(format!("{}: {why}", message.title)),
        }
    }
    row
}

/// Notes where a number is not that of the facts.
fn compare(found: usize, expected: &Value, what: &str, differences: &mut Vec<String>) {
    if expected.as_u64() != Some(found as u64) {
        differences.push(format!("{what}: {found}, not {expected}"));
    }
}

fn quickfix(dictionary: &Dictionary, expected: &Value, differences: &mut Vec<String>) {
    let fields = dictionary.fields();
    let values: usize = fields.iter().map(|it| it.values.len()).sum();
    let twice = expected["duplicate_enum_values"].as_array().map_or(0, Vec::len);
    let with_values = fields.iter().filter(|it| !it.values.is_empty()).count();
    let mut count = |found, what: &str| compare(found, &expected[what], what, differences);
    count(fields.len(), "fields");
    count(dictionary.messages().len(), "messages");
    count(dictionary.components().len(), "components");
    count(dictionary.groups().len(), "group_elements");
    count(values + twice, "enum_values");
    count(with_values, "fields_with_enums");
    let mut all = (0, 0);
    let mut by_type: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for message in dictionary.messages() {
        let found = groups(dictionary, &message.parts);
        all = (all.0 + found.0, all.1.max(found.1));
        by_type.entry(&message.message_type).or_default().push(found);
    }
    // Of messages that share a MsgType, others see one.
    if expected["duplicate_msgtypes"].as_array().is_none_or(Vec::is_empty) {
        count(all.0, "group_uses_expanded");
        count(all.1, "max_group_nesting");
    }
    if expected["version"] != dictionary.version() {
        differences.push(format!("the version {}", dictionary.version()));
    }
    for (message_type, facts) in expected["per_message"].as_object().into_iter().flatten() {
        let number = |key: &str| facts[key].as_u64().expect("a number") as usize;
        let expected = (number("group_uses"), number("group_depth"));
        let found = by_type.get(&**message_type);
        if !found.is_some_and(|it| it.contains(&expected)) {
            differences.push(format!("groups of {message_type}: {found:?}, not {expected:?}"));
        }
    }
    let names = expected["undefined_references"].as_array().into_iter().flatten();
    let undefined: BTreeSet<&str> = names.filter_map(Value::as_str).collect();
    let found = undefined_names(dictionary);
    // The facts name 30 at most.
    let is_cut = undefined.len() == 30 && found.is_superset(&undefined);
    if found != undefined && !is_cut {
        differences.push(format!("undefined: {found:?}, not {undefined:?}"));
    }
}

fn orchestra(dictionary: &Dictionary, expected: &Value, differences: &mut Vec<String>) {
    let mut count = |found, what: &str| {
        let expected = expected["elements"].get(what).cloned().unwrap_or(Value::from(0));
        compare(found, &expected, what, differences);
    };
    count(dictionary.fields().len(), "field");
    count(dictionary.groups().len(), "group");
    count(dictionary.components().len(), "component");
    count(dictionary.messages().len(), "message");
    if expected["version"] != dictionary.version() {
        differences.push(format!("the version {}", dictionary.version()));
    }
}

/// How many groups there are with components expanded, and how deep.
fn groups(dictionary: &Dictionary, parts: &[Part]) -> (usize, usize) {
    let found = parts.iter().map(|part| match part.of {
        Some(Of::Group(index)) => {
            let (uses, depth) = groups(dictionary, &dictionary.groups()[index].parts);
            (uses + 1, depth + 1)
        }
        Some(Of::Component(index)) => groups(dictionary, &dictionary.components()[index].parts),
        Some(Of::Field(_)) | None => (0, 0),
    });
    found.fold((0, 0), |all, it| (all.0 + it.0, all.1.max(it.1)))
}

fn undefined_names(dictionary: &Dictionary) -> BTreeSet<&str> {
    let components = dictionary.components().iter().map(|it| &it.parts[..]);
    let groups = dictionary.groups().iter().map(|it| &it.parts[..]);
    let messages = dictionary.messages().iter().map(|it| &it.parts[..]);
    let frame = [dictionary.header(), dictionary.trailer()];
    let parts = components.chain(groups).chain(messages).chain(frame).flatten();
    let mut names: BTreeSet<&str> =
        parts.filter(|it| it.of.is_none()).map(|it| &*it.name).collect();
    let uncounted = dictionary.groups().iter().filter(|it| it.counter.is_none());
    names.extend(uncounted.map(|it| &*it.name));
    names
}

/// Writes messages by chance, reads them and writes them again.
fn come_back(dictionary: &Dictionary, message: &str) -> Result<usize, String> {
    let message = dictionary.message(message).expect("it is there");
    let layout = dictionary.layout(message).map_err(|it: Problem| it.to_string())?;
    let layout = Arc::new(layout);
    let plan = Plan::new(&layout, &Options::default()).map_err(|it| it.to_string())?;
    let (mut encoder, mut decoder) = (Encoder::new(&plan), Decoder::new(&plan));
    let mut count = 0;
    for seed in 0..3 {
        let mut record = Record::new(&layout);
        random::fill(&mut record, seed, Safe::FIX, 2);
        let bytes = encoder.encode(&record).map_err(|it| it.to_string())?.to_vec();
        let mut back = Record::new(&layout);
        decoder.decode(&bytes, &mut back).map_err(|it| it.to_string())?;
        let again = encoder.encode(&back).map_err(|it| it.to_string())?;
        if decoder.unknown() != 0 || again != bytes {
            return Err("it did not come back".into());
        }
        count += 1;
    }
    Ok(count)
}
