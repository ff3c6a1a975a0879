//! FIX dictionaries of others.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use trunkline_codec::fix::{Decoder, Encoder, Options, Plan, length_of_data};
use trunkline_import::Limits;
use trunkline_import::fix::{Datatype, Dictionary, Field};
use trunkline_message::Record;
use trunkline_tests::conformance;
use trunkline_tests::import_corpus::{self, fix};

#[test]
fn dictionaries_of_others_are_read_as_others_read_them() {
    let Some(suite) = conformance::directory("fix-dictionaries") else { return };
    let rows = fix::rows(&suite);
    assert!(rows.len() > 100, "{}", rows.len());
    let mut wrong = Vec::new();
    for row in &rows {
        // It describes a binary protocol.
        let is_rejected = row.case == "orchestra-NYSEPillarBinaryPhase2";
        let is_why =
            row.rejected.as_ref().is_some_and(|it| it.contains("which is none of tag=value"));
        if is_rejected != row.rejected.is_some()
            || is_rejected != is_why
            || !row.differences.is_empty()
        {
            wrong.push(format!("{row:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let messages: usize = rows.iter().map(|it| it.messages).sum();
    assert!(messages > 6000, "{messages}");
}

/// Which field holds the length of data, the dictionaries of the standard say by names.
#[test]
fn data_have_the_lengths_that_dictionaries_say() {
    let Some(suite) = conformance::directory("fix-dictionaries") else { return };
    let (mut known, mut wrong) = (BTreeSet::new(), Vec::new());
    for facts in import_corpus::facts(&suite, "facts.jsonl") {
        let text = |key: &str| facts[key].as_str().expect("a text").to_owned();
        let bytes = fs::read(suite.join(text("case")).join(text("main"))).expect("a dictionary");
        let read = Dictionary::read(&text("main"), &bytes, &Limits::default());
        let Ok(dictionary) = read else { continue };
        let fields = dictionary.fields();
        for data in fields.iter().filter(|it| it.datatype == Datatype::Data) {
            let behind = |it: &Field| it.name.strip_prefix(&*data.name).map(str::to_owned);
            let is_length = |it: &&Field| matches!(behind(it).as_deref(), Some("Len" | "Length"));
            let Some(length) = fields.iter().find(is_length) else { continue };
            known.insert(data.tag);
            if length_of_data(data.tag) != Some(length.tag) {
                wrong.push(format!("{}: {} {}", text("case"), data.tag, data.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known.len() > 70, "{}", known.len());
}

/// The messages of a script of the acceptance tests that an engine expects or sends: `I8=FIX.4.4\x01...`.
fn messages(script: &str) -> impl Iterator<Item = Vec<u8>> {
    script.lines().filter_map(|line| {
        let text = line.strip_prefix(['I', 'E'])?;
        // A script may say of which connection it is: `I2,8=...`.
        let text = text.split_once(",8=").map_or(text, |it| &text[it.0.len() + 1..]);
        let body: Vec<&str> = text.split('\u{1}').filter(|it| !it.is_empty()).collect();
        let is_whole = body.iter().all(|it| it.contains('=')) && body.first()?.starts_with("8=");
        is_whole.then(|| framed(&body))
    })
}

/// With BodyLength and CheckSum as they are, and times in place of the words of the scripts.
fn framed(fields: &[&str]) -> Vec<u8> {
    let is_frame = |it: &str| it.starts_with("8=") || it.starts_with("9=") || it.starts_with("10=");
    let mut body = String::new();
    for field in fields.iter().filter(|it| !is_frame(it)) {
        // Scripts have a word or zeros for a time that they do not know.
        let value = field.split_once('=').map_or("", |it| it.1);
        let is_time = value.starts_with("<TIME") || value.starts_with("00000000-");
        let time = || field.replace(value, "20261126-01:02:03");
        body.push_str(&if is_time { time() } else { (*field).to_owned() });
        body.push('\u{1}');
    }
    let begin = fields[0];
    let text = format!("{begin}\u{1}9={}\u{1}{body}", body.len());
    let sum = text.bytes().fold(0_u8, u8::wrapping_add);
    format!("{text}10={sum:03}\u{1}").into_bytes()
}

/// The fields of a message in any order: times without a fraction of zeros, numbers without zeros before them.
fn fields(message: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(message).into_owned();
    let is_frame = |it: &str| it.starts_with("9=") || it.starts_with("10=") || it.is_empty();
    let mut fields: Vec<String> =
        text.split('\u{1}').filter(|it| !is_frame(it)).map(String::from).collect();
    for field in &mut fields {
        let (tag, value) = field.split_once('=').unwrap_or_default();
        let is_number = value.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        let value = if is_number { value.trim_start_matches('0') } else { value };
        *field = format!("{tag}={}", value.trim_end_matches(".000"));
    }
    fields.sort();
    fields
}

/// What QuickFIX's engine exchanges in its acceptance scripts is read by its own dictionaries and written again with
/// the same fields; what is rejected is what the scripts mean to be wrong.
#[test]
fn messages_of_an_engine_come_back() {
    let Some(suite) = conformance::directory("quickfix-at") else { return };
    let (mut same, mut rejected) = (0, 0);
    for version in ["FIX42", "FIX43", "FIX44"] {
        let name = format!("{version}.xml");
        let bytes = fs::read(suite.join("dictionaries").join(&name)).expect("a dictionary");
        let dictionary = Dictionary::read(&name, &bytes, &Limits::default()).expect("it is read");
        let folder = suite.join("server").join(version.to_lowercase());
        for script in fs::read_dir(folder).expect("scripts") {
            let bytes = fs::read(script.expect("a script").path()).expect("it is read");
            for message in messages(&String::from_utf8_lossy(&bytes)) {
                match comes_back(&dictionary, &message) {
                    Ok(()) => same += 1,
                    Err(_) => rejected += 1,
                }
            }
        }
    }
    println!("{same} came back, {rejected} were rejected");
    assert!(same > 10 * rejected && same > 300, "{same} {rejected}");
}

fn comes_back(dictionary: &Dictionary, message: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(message);
    let message_type =
        text.split('\u{1}').find_map(|it| it.strip_prefix("35=")).unwrap_or_default();
    let message_type = dictionary.message(message_type).ok_or("the MsgType is unknown")?;
    let layout = Arc::new(dictionary.layout(message_type).map_err(|it| it.to_string())?);
    let begin_string = dictionary.begin_string().unwrap_or_default().to_owned();
    let options = Options { begin_string, ..Options::default() };
    let plan = Plan::new(&layout, &options).map_err(|it| it.to_string())?;
    let mut record = Record::new(&layout);
    Decoder::new(&plan).decode(message, &mut record).map_err(|it| it.to_string())?;
    let mut encoder = Encoder::new(&plan);
    let again = encoder.encode(&record).map_err(|it| it.to_string())?;
    assert_eq!(fields(again), fields(message), "{text}");
    Ok(())
}
