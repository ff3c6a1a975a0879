//! IDL that is written: its CDR is that of what it was written from, and omniidl takes it.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use trunkline_codec::cdr;
use trunkline_export::{Messages, idl};
use trunkline_import::{Description, Limits, Options};
use trunkline_message::{Layout, Record};
use trunkline_tests::random::{self, Safe};
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit;

use super::{corpus, description};

fn read(text: &str) -> Result<Description, String> {
    let mut files = |path: &str| Ok((path == "own.idl").then(|| text.as_bytes().to_vec()));
    let read = Description::read("own.idl", &Options::default(), &mut files, &Limits::default());
    read.map_err(|it| it.to_string())
}

#[derive(Default)]
struct Found {
    messages: usize,
    bytes: usize,
    left_out: Vec<String>,
    wrong: Vec<String>,
    files: Vec<(String, String)>,
}

impl Found {
    /// All of a description; of a large one it is enough to look at some messages, each by itself.
    fn add(&mut self, case: &str, description: &Description) {
        let names = description.messages();
        if names.len() <= 30 {
            return self.add_some(case, description, None);
        }
        for (index, name) in names.iter().enumerate().step_by(names.len() / 3) {
            self.add_some(&format!("{case}-{index}"), description, Some(name));
        }
    }

    fn add_some(&mut self, case: &str, description: &Description, only: Option<&str>) {
        let Ok(messages) = Messages::of(description, only) else { return };
        let written = idl::of_description(description, only, "Own").expect("IDL");
        let own = written.left_out.iter().filter(|it| !messages.left_out.contains(it));
        self.left_out.extend(own.map(|it| format!("{case}: {}: {}", it.what, it.why)));
        if written.count == 0 {
            return;
        }
        self.files.push((case.to_owned(), written.text.clone()));
        let again = match read(&written.text) {
            Ok(again) => again,
            Err(why) => return self.wrong.push(format!("{case}: {why}")),
        };
        let mut names: HashMap<&str, usize> = HashMap::new();
        for message in &messages.messages {
            *names.entry(message.layout.name()).or_default() += 1;
        }
        let is_idl = matches!(description, Description::Idl(_));
        for message in &messages.messages {
            let own = message.layout.name();
            // Operations of one name have messages of one name.
            let is_numbered = written.text.contains(&format!(" {own}_2 "));
            if names[own] > 1 || is_numbered || written.left_out.iter().any(|it| it.what == own) {
                continue;
            }
            let name = match is_idl {
                true if again.layout(&message.name).is_ok_and(|it| it.is_some()) => {
                    message.name.clone()
                }
                true => own.to_owned(),
                false => format!("Own::{own}"),
            };
            let found = again.layout(&name);
            // A name may be another in IDL.
            let Ok(Some(found)) = found else { continue };
            self.messages += 1;
            if let Err(why) = self.compare(&message.layout, found) {
                self.wrong.push(format!("{case}: {name}: {why}"));
            }
        }
    }

    fn compare(&mut self, layout: &Layout, found: Layout) -> Result<(), String> {
        let (layout, found) = (Arc::new(layout.clone()), Arc::new(found));
        let options = cdr::Options::default();
        let Ok(plan) = cdr::Plan::new(&layout, &options) else { return Ok(()) };
        let other = cdr::Plan::new(&found, &options).map_err(|it| it.to_string())?;
        for seed in 0..3 {
            let mut record = Record::new(&layout);
            random::fill(&mut record, seed, Safe::CDR, 2);
            let Ok(bytes) = cdr::Encoder::new(&plan).encode(&record).map(|it| it.to_vec()) else {
                continue;
            };
            let mut again = Record::new(&found);
            cdr::Decoder::new(&other).decode(&bytes, &mut again).map_err(|it| it.to_string())?;
            let same = cdr::Encoder::new(&other).encode(&again).map(|it| it.to_vec());
            if same.map_err(|it| it.to_string())? != bytes {
                return Err("the bytes are others".to_owned());
            }
            self.bytes += 1;
        }
        Ok(())
    }

    /// What omniidl says against it.
    fn judge(&self, folder: &str) -> Option<String> {
        if !toolkit::is_here("omniidl") {
            skip("omniidl is missing");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let mut said = String::new();
        for (case, text) in &self.files {
            let file = folder.join(format!("{case}.idl"));
            fs::write(&file, text).expect("a file");
        }
        let step = self.files.len().div_ceil(150);
        for (case, _) in self.files.iter().step_by(step) {
            let output = Command::new("omniidl").arg(folder.join(format!("{case}.idl"))).output();
            let output = output.expect("omniidl");
            let text = String::from_utf8_lossy(&output.stderr);
            // What it thinks of old style is none of ours.
            let wrong =
                text.lines().filter(|it| !it.contains("Warning") && !it.contains("omniidl: "));
            said.extend(wrong.map(|it| format!("{it}\n")));
        }
        Some(said)
    }
}

#[test]
fn idl_is_what_it_was() {
    let mut found = Found::default();
    for file in ["orders.xml", "trading.idl", "quotes.wsdl"] {
        found.add(file, &description(file));
    }
    assert_eq!(found.wrong, [""; 0]);
    assert_eq!(found.left_out, [""; 0]);
    assert!(found.messages > 8 && found.bytes > 20, "{} {}", found.messages, found.bytes);
    let said = found.judge("idl-own");
    assert_eq!(said.unwrap_or_default(), "");
}

#[test]
fn idl_of_all_kinds_is_what_they_were() {
    let descriptions = corpus::descriptions();
    if descriptions.is_empty() {
        return;
    }
    let mut found = Found::default();
    for (case, description) in &descriptions {
        found.add(case, description);
    }
    let said = found.judge("idl-corpus").unwrap_or_default();
    let Found { messages, bytes, left_out, wrong, .. } = found;
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
    assert!(messages > 2500 && bytes > 7500, "{messages} messages, {bytes} in CDR");
    // Most operations of CORBA have references to objects, of which no message is made.
    let is_ours =
        |it: &&String| !it.contains("no form for") && !it.contains("for which there is no form");
    let left_out: Vec<&String> = left_out.iter().filter(is_ours).collect();
    assert!(left_out.len() < 500, "{}", left_out.len());
    assert_eq!(said, "");
}
