//! The descriptions of services that others wrote, as `trunkline soap call` reads them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use trunkline_import::Limits;
use trunkline_import::wsdl::{Description, Protocol};
use trunkline_tests::conformance;

/// The operations that zeep found, by name.
fn operations_of(services: &Value) -> BTreeSet<&str> {
    let services = services.as_object().into_iter().flatten();
    let ports = services.flat_map(|it| it.1.as_object().into_iter().flatten());
    let operations = ports.flat_map(|it| it.1["operations"].as_array().into_iter().flatten());
    operations.filter_map(|it| it["name"].as_str()).collect()
}

fn read(main: &Path) -> Result<Description, String> {
    let mut resolver = |path: &str| Ok(fs::read(path).ok());
    let main = main.display().to_string();
    Description::read_in_part(&main, &mut resolver, &Limits::default())
        .map_err(|problem| problem.to_string())
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
        let description = match read(&main) {
            Ok(description) => description,
            Err(why) => {
                assert!(wanted.is_empty() && why.contains(text("main")), "{case}: {why}");
                continue;
            }
        };
        let is_soap = |of: &Protocol| matches!(of, Protocol::Soap11 | Protocol::Soap12);
        let bindings = description.bindings().iter().filter(|it| is_soap(&it.protocol));
        let all = bindings.flat_map(|it| it.operations.iter().map(move |of| (it, of)));
        let all: Vec<_> = all.collect();
        let found: BTreeSet<&str> = all.iter().map(|it| &*it.1.name).collect();
        let lost: Vec<_> = wanted.difference(&found).collect();
        assert!(lost.is_empty(), "{case}: {lost:?} are not among {found:?}");
        for (binding, operation) in all {
            match description.request(binding, operation) {
                Ok(_) => understood += 1,
                Err(why) => {
                    println!("{case}: {why}");
                    rejected += 1;
                }
            }
        }
    }
    println!("{understood} understood, {rejected} rejected");
    assert!(understood > 30 * rejected, "{understood} understood, {rejected} rejected");
}
