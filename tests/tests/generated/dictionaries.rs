//! Dictionaries that are written are read as what they were.

use std::fs;

use trunkline_export::{Messages, Written, fix};
use trunkline_import::{Description, Limits, fix::Dictionary};
use trunkline_tests::{conformance, import_corpus};

use super::description;

fn read(bytes: &[u8]) -> Description {
    Description::Fix(Dictionary::read("own.xml", bytes, &Limits::default()).expect("a dictionary"))
}

/// Writes and reads it again: how many messages are the same, and which are not.
fn again(description: &Description) -> (usize, Vec<String>, Written) {
    let Messages { messages, .. } = Messages::of(description, None).expect("the messages");
    let written = fix::of_description(description, None).expect("it is written");
    let again = read(written.text.as_bytes());
    let (mut same, mut others) = (0, Vec::new());
    for message in &messages {
        let Ok(Some(layout)) = again.layout(&message.name) else { continue };
        match layout.listing() == message.layout.listing() {
            true => same += 1,
            false => others.push(message.name.clone()),
        }
    }
    (same, others, written)
}

#[test]
fn a_dictionary_is_what_it_was() {
    let (same, others, written) = again(&description("orders.xml"));
    assert_eq!((same, &*others, &*written.left_out), (2, &[][..], &[][..]));
    let Description::Fix(dictionary) = read(written.text.as_bytes()) else {
        panic!("a dictionary")
    };
    assert_eq!(dictionary.warnings().len(), 0, "{:?}", dictionary.warnings());
}

/// Orchestra names groups apart from the fields that count their entries, and QuickFIX does not.
#[test]
fn a_group_has_the_name_of_the_field_that_counts_it() {
    let orchestra = include_bytes!("../../../crates/import/tests/data/orchestra.xml");
    let written = fix::of_description(&read(orchestra), None).expect("it is written");
    assert_eq!(written.text.matches("number=\"78\"").count(), 1, "{}", written.text);
    assert!(written.text.contains("<field number=\"78\" name=\"NoAllocs\""), "{}", written.text);
    assert!(written.text.contains("<group name=\"NoAllocs\""), "{}", written.text);
    let said: Vec<&str> = written.changed.iter().map(|it| &*it.why).collect();
    assert!(said.contains(&"a group is named after the field that counts its entries"), "{said:?}");
    let Description::Fix(again) = read(written.text.as_bytes()) else { panic!("a dictionary") };
    assert_eq!(again.warnings().len(), 0, "{:?}", again.warnings());
}

#[test]
fn messages_that_have_no_form_are_named() {
    let (.., written) = again(&description("trading.idl"));
    assert_eq!(written.count, 0);
    let order = written.left_out.iter().find(|it| it.what == "Order").expect("it is left out");
    assert_eq!(order.why, "it has no MsgType");
}

#[test]
fn dictionaries_of_others_are_what_they_were() {
    let Some(suite) = conformance::directory("fix-dictionaries") else { return };
    let (mut same, mut wrong, mut left_out) = (0, Vec::new(), Vec::new());
    for facts in import_corpus::facts(&suite, "facts.jsonl") {
        let text = |key: &str| facts[key].as_str().expect("a text").to_owned();
        let bytes = fs::read(suite.join(text("case")).join(text("main"))).expect("a dictionary");
        let read = Dictionary::read(&text("main"), &bytes, &Limits::default());
        let Ok(dictionary) = read else { continue };
        // Orchestra names groups apart from the fields that count their entries.
        if text("kind") != "quickfix" {
            continue;
        }
        let found = again(&Description::Fix(dictionary));
        same += found.0;
        wrong.extend(found.1.iter().map(|it| format!("{}: {it}", text("case"))));
        let named = found.2.left_out;
        left_out
            .extend(named.iter().map(|it| format!("{}: {}: {}", text("case"), it.what, it.why)));
    }
    assert!(wrong.is_empty(), "{} of {same}: {}", wrong.len(), wrong.join("\n"));
    assert!(same > 1000 && left_out.len() < 50, "{same}, left out: {}", left_out.join("\n"));
}
