//! Messages of random schemas are valid by the schemas in their WSDL, which a validator that others
//! wrote says: the JDK's.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use trunkline_message::{Layout, Record};
use trunkline_session::soap::wsdl::{self, Binding, Description, OperationDescription};
use trunkline_soap::{Encoder, Layout as Place, Options, Plan, Style, Version};
use trunkline_tests::random::{self, Safe};
use trunkline_tests::schemas;
use trunkline_tests::skip::skip;

const NAMESPACE: &str = "urn:judged";

fn description(layout: &Arc<Layout>, qualified: bool) -> Description {
    Description {
        name: "Judged".into(),
        port_type: None,
        namespace: NAMESPACE.into(),
        bindings: vec![Binding {
            name: "Port".into(),
            binding: None,
            version: Version::Soap11,
            style: Style::DocumentLiteral,
            wrapped: true,
            qualified,
            location: "http://localhost/".into(),
        }],
        operations: vec![OperationDescription {
            name: "place".into(),
            action: "place".into(),
            documentation: None,
            input: layout.clone(),
            output: None,
            faults: Vec::new(),
            input_headers: Vec::new(),
            output_headers: Vec::new(),
        }],
        documentation: None,
    }
}

fn plan(layout: &Arc<Layout>, qualified: bool) -> Option<Arc<Plan>> {
    let options = Options {
        style: Style::DocumentLiteral,
        layout: Place::Operation,
        operation: "place".into(),
        namespace: NAMESPACE.into(),
        qualified,
        ..Options::default()
    };
    Plan::new(layout, &options).ok()
}

/// Writes a description, if there is one, and messages, which are to be valid by it.
struct Case {
    folder: PathBuf,
    rejected: Vec<String>,
    written: usize,
}

impl Case {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wsdl_schemas").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self { folder, rejected: Vec::new(), written: 0 }
    }

    fn add(&mut self, name: &str, layout: &Arc<Layout>, qualified: bool) {
        let Some(plan) = plan(layout, qualified) else { return };
        let description = description(layout, qualified);
        if let Err(why) = description.check() {
            self.rejected.push(format!("{name}: {why}"));
            return;
        }
        let folder = self.folder.join(name);
        fs::create_dir(&folder).expect("a folder");
        let text = wsdl::write(&description);
        fs::write(self.folder.join(format!("{name}.wsdl")), text).expect("a description");
        let (mut encoder, mut record) = (Encoder::new(&plan), Record::new(layout));
        for seed in 0..6 {
            random::fill(&mut record, seed, Safe::SOAP, 4);
            let text = String::from_utf8(encoder.encode(&record).expect("a message").to_vec());
            // XML Schema has no leap seconds.
            let text = text.expect("UTF-8").replace("23:59:60", "23:59:59");
            fs::write(folder.join(format!("{seed}.xml")), text).expect("a message");
            self.written += 1;
        }
    }

    /// What the validator has to say against them.
    fn judge(&self) -> Option<Vec<String>> {
        let judge = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wsdl_schemas/Judge.java");
        let Ok(output) = Command::new("java").arg(judge).arg(&self.folder).output() else {
            skip("java is missing");
            return None;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).expect("text");
        let mut said: Vec<String> = said.lines().map(str::to_owned).collect();
        let valid = said.pop().expect("how many are valid");
        println!("{} written, {valid}, {} rejected", self.written, self.rejected.len());
        Some(said)
    }
}

#[test]
fn messages_are_valid_by_what_their_wsdl_says() {
    let mut case = Case::new("random");
    for seed in 0..150 {
        case.add(&format!("any-{seed}"), &schemas::any(seed), seed % 2 > 0);
    }
    // A base by chance has other members than those that are derived from it.
    let has_base = |why: &String| why.contains("does not begin with the members");
    assert!(case.rejected.iter().all(has_base), "{:#?}", case.rejected);
    for seed in 0..150 {
        case.add(&format!("noted-{seed}"), &schemas::noted(seed, false), seed % 2 > 0);
    }
    let known = ["two different contents", "may be absent", "may be nil", "in no namespace"];
    let is_known = |why: &String| has_base(why) || known.iter().any(|it| why.contains(it));
    assert!(case.rejected.iter().all(is_known), "{:#?}", case.rejected);
    let Some(said) = case.judge() else { return };
    let folder = case.folder.display();
    assert!(said.is_empty(), "{} in {folder}", said[..said.len().min(8)].join("\n"));
    assert!(case.written > 1000, "{} written", case.written);
}
