//! WSDL: what zeep finds, and the requests that it wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use trunkline_import::wsdl::{Described, Description, Protocol};
use trunkline_import::{Limits, Problem};
use trunkline_message::{Record, UnknownContent};
use trunkline_soap::{Decoder, Encoder, Plan};

use super::canonical::{Element, defaults};
use super::xsd::resolver;

/// What became of one description.
#[derive(Debug, Default)]
pub struct Row {
    /// The case of the suite.
    pub case: String,
    /// `import`, `error` and so on.
    pub expected: String,
    /// Why it is not imported, if it is not.
    pub rejected: Option<String>,
    /// In what it differs from the facts.
    pub differences: Vec<String>,
    /// Bodies, header blocks and details that have no layout or no plan, with the reason.
    pub without_plan: Vec<String>,
    /// Those that have one.
    pub plans: usize,
    /// Samples: how many came back, and what is wrong with the others.
    pub samples: (usize, Vec<String>),
}

impl Row {
    /// Makes plans of all that the description says in SOAP.
    pub(super) fn plan(&mut self, description: &Description) {
        for binding in description.bindings() {
            if !matches!(binding.protocol, Protocol::Soap11 | Protocol::Soap12) {
                continue;
            }
            for operation in &binding.operations {
                let mut note = |what: &str, made: Result<(), String>| match made {
                    Ok(()) => self.plans += 1,
                    Err(why) => {
                        self.without_plan.push(format!(
                            "{} {} {what}: {why}",
                            binding.name.local, operation.name
                        ));
                    }
                };
                let made = |it: Result<Option<Described>, Problem>| match it {
                    Ok(Some(described)) => planned(described).map(|_| ()),
                    Ok(None) => Ok(()),
                    Err(problem) => Err(problem.to_string()),
                };
                note("request", made(description.request(binding, operation)));
                note("response", made(description.response(binding, operation)));
                for fault in &operation.faults {
                    note("fault", made(description.fault(binding, fault)));
                }
                let messages = operation.request.iter().chain(&operation.response);
                for header in messages.flat_map(|it| &it.headers) {
                    note("header", made(description.header(binding, header).map(Some)));
                }
            }
        }
    }

    /// Why not all of it is read, written and laid out.
    pub fn reasons(&self) -> Vec<String> {
        let mut all = super::reasons("no plan", &self.without_plan);
        all.extend(super::reasons("not back", &self.samples.1));
        all
    }
}

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
    let mut row = Row { case: text("case"), expected: text("expect"), ..Row::default() };
    let folder = suite.join("services").join(&row.case);
    let description = {
        let mut resolver = resolver(&folder, suite);
        Description::read(&text("main"), &mut resolver, &Limits::default())
    };
    let description = match description {
        Ok(description) => description,
        Err(problem) => {
            row.rejected = Some(problem.to_string());
            return row;
        }
    };
    services(&description, facts, &mut row.differences);
    row.plan(&description);
    for sample in facts["zeep"]["samples"].as_array().into_iter().flatten() {
        let Some(envelope) = sample["envelope"].as_str() else { continue };
        match sampled(&description, sample, envelope) {
            Ok(()) => row.samples.0 += 1,
            Err(why) => {
                let valid = &sample["xmlschema_valid"];
                row.samples.1.push(format!("{} (valid: {valid}): {why}", sample["operation"]));
            }
        }
    }
    row
}

/// Services with their ports, and the operations of each as zeep has them.
fn services(description: &Description, facts: &Value, differences: &mut Vec<String>) {
    let all = description.services().iter();
    let found: BTreeMap<String, Vec<String>> = all
        .map(|it| (it.name.local.to_string(), it.ports.iter().map(|it| it.name.clone()).collect()))
        .collect();
    if let Ok(expected) =
        serde_json::from_value::<BTreeMap<String, Vec<String>>>(facts["facts"]["services"].clone())
        && expected != found
    {
        differences.push(format!("services: {found:?}, not {expected:?}"));
    }
    for (service, ports) in facts["zeep"]["services"].as_object().into_iter().flatten() {
        let own = description.services().iter().find(|it| &*it.name.local == service.as_str());
        for (port, expected) in ports.as_object().into_iter().flatten() {
            let Some(own) = own.and_then(|it| it.ports.iter().find(|it| &it.name == port)) else {
                differences.push(format!("no port {port}"));
                continue;
            };
            let binding = description.binding(own);
            let mut found: Vec<String> =
                binding.operations.iter().map(|it| format!("{} {}", it.name, it.style)).collect();
            let operations = expected["operations"].as_array().into_iter().flatten();
            let named = |it: &Value, key: &str| it[key].as_str().unwrap_or("document").to_owned();
            let mut expected: Vec<String> = operations
                .map(|it| format!("{} {}", named(it, "name"), named(it, "style")))
                .collect();
            found.sort();
            found.dedup();
            expected.sort();
            let is_soap = matches!(binding.protocol, Protocol::Soap11 | Protocol::Soap12);
            if is_soap && !expected.is_empty() && found != expected {
                differences.push(format!("operations of {port}: {found:?}, not {expected:?}"));
            }
        }
    }
}

/// A plan for each body, header block and detail.
fn planned(described: Described) -> Result<Arc<Plan>, String> {
    let layout = Arc::new(described.layout);
    Plan::new(&layout, &described.options).map_err(|it| format!("no plan: {it}"))
}

/// Reads what zeep sends, and writes it again.
fn sampled(description: &Description, sample: &Value, envelope: &str) -> Result<(), String> {
    let is = |key: &str, name: &str| sample[key] == name;
    let service = description.services().iter().find(|it| is("service", &it.name.local));
    let port = service.and_then(|it| it.ports.iter().find(|it| is("port", &it.name)));
    let binding = description.binding(port.ok_or("no such port")?);
    // Several may have the name.
    let named = binding.operations.iter().filter(|it| is("operation", &it.name));
    let read = named.map(|it| comes_back(description.request(binding, it), envelope));
    read.reduce(Result::or).unwrap_or_else(|| Err("no such operation".into()))
}

/// Reads the Body of an envelope as it is described, and writes it again.
pub(super) fn comes_back(
    described: Result<Option<Described>, Problem>,
    envelope: &str,
) -> Result<(), String> {
    let body = described.map_err(|it| it.to_string())?;
    let before = Element::parse(envelope)?.child("Body").ok_or("no Body")?;
    let Some(described) = body else {
        return match before.first() {
            None => Ok(()),
            Some(_) => Err("there is something in the Body".into()),
        };
    };
    let plan = planned(described)?;
    let mut record = Record::new(plan.layout());
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    decoder.decode(envelope.as_bytes(), &mut record).map_err(|it| it.to_string())?;
    let again =
        Encoder::new(&plan).encode(&record).map_err(|it| format!("encoding: {it}"))?.to_vec();
    let again = String::from_utf8(again).map_err(|it| it.to_string())?;
    let mut after = Element::parse(&again)?.child("Body").ok_or("no Body")?;
    after.without_defaults(&before, &defaults(plan.layout()));
    let text = |it: Element| it.first().map_or(String::new(), |it| it.text());
    let (before, after) = (text(before), text(after));
    match before == after {
        true => Ok(()),
        false => Err(format!("it came back as {after} and was {before}")),
    }
}
