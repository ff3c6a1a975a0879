//! Messages of dictionaries and IDL that others wrote, through the formats and back.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use trunkline_import::{Description, Limits as ImportLimits, Options as ImportOptions};
use trunkline_message::{Limits, Record};
use trunkline_tests::conformance;
use trunkline_tests::random::{self, Safe};
use trunkline_transcode::{Codec, Error, Format, Messages, Options};

/// Of the messages of a file, every so many-th.
const STEP: usize = 5;
const MESSAGES: u64 = 3;

/// What was tried.
#[derive(Debug, Default)]
struct Tried {
    messages: usize,
    /// That a format has no form for.
    without_form: usize,
}

fn read(path: &Path) -> Option<Description> {
    let mut files = |path: &str| Ok(fs::read(path).ok());
    let (options, limits) = (ImportOptions::default(), ImportLimits::default());
    Description::read(path.to_str()?, &options, &mut files, &limits).ok()
}

/// Messages by chance of every so many-th type of a description, from one format through others.
fn go_through(path: &Path, from: Format, through: &[Format], safe: Safe, tried: &mut Tried) {
    let Some(description) = read(path) else { return };
    let names: Vec<String> = description.messages().into_iter().step_by(STEP).collect();
    let options =
        Options { begin_string: Some("FIX.4.4".into()), strict: true, ..Options::default() };
    let mut messages = Messages::new(description, options.clone(), Limits::default());
    for name in names {
        let place = || format!("{}: {name}", path.display());
        let Ok(Some(layout)) = messages.description().layout(&name) else { continue };
        let layout = Arc::new(layout);
        let Ok(mut codec) = Codec::new(&layout, from, &options, &Limits::default()) else {
            continue;
        };
        let mut record = Record::new(&layout);
        for seed in 0..MESSAGES {
            random::fill(&mut record, seed, safe, 3);
            let Ok(bytes) = codec.encode(&record).map(<[u8]>::to_vec) else { continue };
            for &to in through {
                let (mut there, mut back) = (Vec::new(), Vec::new());
                match messages.convert((from, &bytes), Some(&name), to, &mut there) {
                    Ok(()) => {}
                    Err(Error::NoForm(..)) => {
                        tried.without_form += 1;
                        continue;
                    }
                    Err(Error::Unwritable(_, error))
                        if to != Format::Json && error.to_string().contains("leap second") =>
                    {
                        let time = bytes.windows(8).any(|it| it == b"23:59:60");
                        assert!(time, "{}: {}", place(), bytes.escape_ascii());
                        continue;
                    }
                    Err(error) => panic!("{}: {error}: {}", place(), bytes.escape_ascii()),
                }
                let again = messages.convert((to, &there), Some(&name), from, &mut back);
                again.unwrap_or_else(|error| {
                    panic!("{}: {error}: {}", place(), there.escape_ascii())
                });
                let (shown, there) = (bytes.escape_ascii(), there.escape_ascii());
                assert_eq!(back, bytes, "{}: {shown}: {there}", place());
                tried.messages += 1;
            }
        }
    }
}

#[test]
fn messages_of_dictionaries_go_through_json_and_xml() {
    let Some(suite) = conformance::directory("fix-dictionaries") else { return };
    let facts = fs::read_to_string(suite.join("facts.jsonl")).expect("the facts");
    let mut tried = Tried::default();
    for line in facts.lines() {
        let facts: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| facts[key].as_str().expect("a text").to_owned();
        let path = suite.join(text("case")).join(text("main"));
        let through = [Format::Json, Format::Soap12, Format::FastInfoset];
        go_through(&path, Format::Fix, &through, Safe::ALL, &mut tried);
    }
    assert!(tried.messages > 2_000 && tried.without_form < tried.messages / 10, "{tried:?}");
}

#[test]
fn structs_of_idl_go_through_json() {
    let Some(suite) = conformance::directory("idl") else { return };
    let mut tried = Tried::default();
    let mut folders = vec![suite];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the suite") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "idl") {
                let through = [Format::Json, Format::CdrLittle];
                go_through(&path, Format::CdrBig, &through, Safe::CDR, &mut tried);
            }
        }
    }
    assert!(tried.messages > 500 && tried.without_form == 0, "{tried:?}");
}
