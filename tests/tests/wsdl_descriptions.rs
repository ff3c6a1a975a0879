//! The descriptions of services that others wrote, as `trunkline soap call` reads them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use trunkline_message::Limits;
use trunkline_session::soap::outline::{Folder, Outline, Reading};
use trunkline_tests::conformance;

/// The operations that zeep found, by name.
fn operations_of(services: &Value) -> BTreeSet<&str> {
    let services = services.as_object().into_iter().flatten();
    let ports = services.flat_map(|it| it.1.as_object().into_iter().flatten());
    let operations = ports.flat_map(|it| it.1["operations"].as_array().into_iter().flatten());
    operations.filter_map(|it| it["name"].as_str()).collect()
}

fn read(main: &Path) -> Result<Outline, String> {
    let folder = Folder::of(main, false).map_err(|cause| cause.to_string())?;
    let mut fetch = |location: &str, most: usize| folder.read(Path::new(location), most);
    let main = main.display().to_string();
    Outline::read(&main, &mut fetch, &Reading::default(), &Limits::default())
        .map_err(|error| error.to_string())
}

/// What zeep has is there, and what is there is either understood or rejected with the reason.
#[test]
fn every_operation_is_there_and_understood_or_rejected() {
    let Some(folder) = conformance::directory("wsdl") else { return };
    let facts = fs::read_to_string(folder.join("facts.jsonl")).expect("the facts");
    let (mut understood, mut rejected) = (0, 0);
    for line in facts.lines() {
        let fact: Value = serde_json::from_str(line).expect("a fact");
        let text = |key: &str| fact[key].as_str().expect("a text");
        let case = text("case");
        let main: PathBuf = folder.join("services").join(case).join(text("main"));
        let wanted = operations_of(&fact["zeep"]["services"]);
        let outline = match read(&main) {
            Ok(outline) => outline,
            Err(why) => {
                assert!(wanted.is_empty() && why.contains(text("main")), "{case}: {why}");
                continue;
            }
        };
        let found: BTreeSet<&str> = outline.operations().iter().map(|it| &*it.name).collect();
        let lost: Vec<_> = wanted.difference(&found).collect();
        assert!(lost.is_empty(), "{case}: {lost:?} are not among {found:?}");
        for operation in outline.operations() {
            match outline.types(operation) {
                Ok(_) => understood += 1,
                Err(why) => {
                    let why = why.to_string();
                    assert!(why.len() > operation.name.len() + 2, "{case}: {why}");
                    rejected += 1;
                }
            }
        }
    }
    println!("{understood} understood, {rejected} rejected");
    assert!(understood > 10 * rejected, "{understood} understood, {rejected} rejected");
}
