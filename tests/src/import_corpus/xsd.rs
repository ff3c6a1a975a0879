//! XML Schema: what xmlschema counts, and instances that are valid and that are not.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use trunkline_import::xsd::{ElementId, Name, Schemas, TypeId};
use trunkline_import::{Limits, Problem};
use trunkline_message::{Checks, Layout, Record, UnknownContent};
use trunkline_soap::{Decoder, Encoder, Layout as Form, Options, Plan, Style};

use super::canonical::{Element, defaults};

/// What became of one schema.
#[derive(Debug, Default)]
pub struct Row {
    /// The case of the suite.
    pub case: String,
    /// `accept`, `refuse` and so on.
    pub expected: String,
    /// Why it is not imported, if it is not.
    pub rejected: Option<String>,
    /// In what it differs from the facts.
    pub differences: Vec<String>,
    /// Elements that have no layout or no plan, with the reason.
    pub without_plan: Vec<String>,
    /// Elements that have one.
    pub plans: usize,
    /// Valid instances: how many came back, and what is wrong with the others.
    pub valid: (usize, Vec<String>),
    /// The same of those that are not valid, and rejected; the others are taken.
    pub invalid: (usize, Vec<String>),
    /// Messages that are made up: how many have values as their types say, and what is wrong with the others.
    pub made_up: (usize, Vec<String>),
    /// Instances of which `Schemas::validate` says what the suite says, and what it says of the others.
    pub validated: (usize, Vec<String>),
}

impl Row {
    /// Why not all of it is read, written, laid out and rejected.
    pub fn reasons(&self) -> Vec<String> {
        let mut all = super::reasons("no plan", &self.without_plan);
        all.extend(super::reasons("not back", &self.valid.1));
        all.extend(super::reasons("taken", &self.invalid.1));
        all.extend(super::reasons("not validated", &self.validated.1));
        all
    }
}

/// Reads files of a case, and those of the catalogue by their URLs.
pub fn resolver<'a>(
    folder: &'a Path,
    suite: &Path,
) -> impl FnMut(&str) -> Result<Option<Vec<u8>>, String> + use<'a> {
    let catalogue = suite.join("catalog");
    let list = fs::read(catalogue.join("catalog.json")).expect("the catalogue");
    let list: HashMap<String, String> = serde_json::from_slice(&list).expect("JSON");
    move |path| {
        let file = match list.get(path) {
            Some(known) => catalogue.join(known),
            None if path.contains(':') => return Ok(None),
            None => folder.join(path),
        };
        match fs::read(file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Every case of the suite in this folder.
///
/// # Panics
/// The suite is not whole.
pub fn rows(suite: &Path) -> Vec<Row> {
    let facts = fs::read_to_string(suite.join("schemas.facts.jsonl")).expect("the facts");
    facts.lines().map(|line| row(suite, &serde_json::from_str(line).expect("JSON"))).collect()
}

fn row(suite: &Path, facts: &Value) -> Row {
    let text = |key: &str| facts[key].as_str().expect("a text").to_owned();
    let mut row = Row { case: text("case"), expected: text("expect"), ..Row::default() };
    let folder = suite.join("schemas").join(&row.case);
    let schemas = {
        let mut resolver = resolver(&folder, suite);
        Schemas::read(&text("main"), &mut resolver, &Limits::default())
    };
    let schemas = match schemas {
        Ok(schemas) => schemas,
        Err(problem) => {
            row.rejected = Some(problem.to_string());
            return row;
        }
    };
    counts(&schemas, &facts["xmlschema"], &mut row.differences);
    let mut plans: HashMap<Root, Planned> = HashMap::new();
    let mut elements: Vec<(&Name, ElementId)> = schemas.elements().collect();
    elements.sort();
    for (name, element) in elements {
        let types = schemas.types_of(element);
        // One of an abstract type is in no document without another.
        let own = (!schemas.is_open(element) || types.is_empty()).then_some(None);
        for of in own.into_iter().chain(types.into_iter().map(Some)) {
            let plan = plan(&schemas, name, element, of);
            match &plan {
                Ok((plan, layout)) => {
                    row.plans += 1;
                    match made_up(&schemas, plan, layout) {
                        Ok(()) => row.made_up.0 += 1,
                        Err(why) => row.made_up.1.push(format!("{name}: {why}")),
                    }
                }
                Err(why) => row.without_plan.push(format!("{name}: {why}")),
            }
            let of_type = of.and_then(|it| schemas.type_name(it)).cloned();
            plans.insert((name.clone(), of_type), plan);
        }
    }
    for instance in facts["instances"].as_array().into_iter().flatten() {
        let Some(is_valid) = instance["valid"].as_bool() else { continue };
        let file = instance["file"].as_str().expect("a name");
        let read = come_back(&folder.join(file), is_valid, &plans);
        match (is_valid, read) {
            (true, Ok(())) => row.valid.0 += 1,
            (true, Err(why)) => row.valid.1.push(format!("{file}: {why}")),
            (false, Err(_)) => row.invalid.0 += 1,
            (false, Ok(())) => row.invalid.1.push(format!("{file} {}", instance["mutation"])),
        }
        match validated(&schemas, &folder.join(file), is_valid) {
            Ok(()) => row.validated.0 += 1,
            Err(why) => row.validated.1.push(format!("{file}: {why}")),
        }
    }
    row
}

fn counts(schemas: &Schemas, expected: &Value, differences: &mut Vec<String>) {
    let Some(namespaces) = expected["namespaces"].as_array() else { return };
    let is_own = |name: &Name| namespaces.iter().any(|it| it == &*name.namespace);
    let elements = schemas.elements().filter(|it| is_own(it.0)).count();
    let types = schemas.types().filter(|it| is_own(it.0)).count();
    let number = |key: &str| expected[key].as_u64().unwrap_or_default() as usize;
    let mut compare = |found: usize, expected: usize, what: &str| {
        if found != expected {
            differences.push(format!("{what}: {found}, not {expected}"));
        }
    };
    compare(elements, number("elements"), "elements");
    compare(types, number("simple_types") + number("complex_types"), "types");
}

/// An element, and the type that `xsi:type` names.
type Root = (Name, Option<Name>);

/// The plan of an element, or why it has none.
type Planned = Result<(Arc<Plan>, Arc<Layout>), String>;

fn plan(schemas: &Schemas, name: &Name, element: ElementId, of: Option<TypeId>) -> Planned {
    let layout = match of {
        Some(of) => schemas.layout_as(element, of),
        None => schemas.layout(element),
    };
    let layout = Arc::new(layout.map_err(|it: Problem| it.to_string())?);
    let options = Options {
        style: Style::DocumentLiteral,
        layout: Form::Fragment,
        operation: name.local.to_string(),
        namespace: name.namespace.to_string(),
        qualified: false,
        zone: true,
        ..Options::default()
    };
    let plan = Plan::new(&layout, &options).map_err(|it| format!("no plan: {it}"))?;
    Ok((plan, layout))
}

/// Is an instance found to be what it is?
fn validated(schemas: &Schemas, file: &Path, is_valid: bool) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|it| it.to_string())?;
    let validation = schemas.validate(&bytes, &Limits::default());
    match (is_valid, validation.violations.first()) {
        (true, Some(first)) => Err(format!("it is valid, and not as {first}")),
        (false, None) => Err("it is not valid, and nothing is told".to_owned()),
        _ => Ok(()),
    }
}

/// Are the values of a message that is made up such as their types have them? Names that stand once in a document, keys and the
/// order of elements are not looked at.
fn made_up(schemas: &Schemas, plan: &Arc<Plan>, layout: &Arc<Layout>) -> Result<(), String> {
    const OF_VALUES: [&str; 12] = [
        "cvc-datatype-valid",
        "cvc-enumeration-valid",
        "cvc-fractionDigits-valid",
        "cvc-length-valid",
        "cvc-maxExclusive-valid",
        "cvc-maxInclusive-valid",
        "cvc-maxLength-valid",
        "cvc-minExclusive-valid",
        "cvc-minInclusive-valid",
        "cvc-minLength-valid",
        "cvc-pattern-valid",
        "cvc-totalDigits-valid",
    ];
    let sample = Record::sample(layout);
    // What has no end cannot be written.
    let Ok(document) = Encoder::new(plan).encode(&sample).map(<[u8]>::to_vec) else {
        return Ok(());
    };
    let validation = schemas.validate(&document, &Limits::default());
    let wrong = validation.violations.iter().find(|it| OF_VALUES.contains(&it.rule));
    wrong.map_or(Ok(()), |it| Err(it.to_string()))
}

/// Reads an instance, checks it, and writes it again.
fn come_back(file: &Path, is_valid: bool, plans: &HashMap<Root, Planned>) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|it| it.to_string())?;
    let text = String::from_utf8(bytes.clone()).map_err(|it| it.to_string())?;
    let root = Element::parse(&text)?;
    let (namespace, local) = root.name();
    let name = Name::new(namespace, local);
    let of_type = root.of_type.clone().map(|(namespace, local)| Name::new(namespace, local));
    let (typed, plain) = ((name.clone(), of_type), (name.clone(), None));
    let known = plans.get(&typed).or_else(|| plans.get(&plain));
    let known = known.ok_or_else(|| format!("no element {name}"))?;
    let (plan, layout) = known.as_ref().map_err(Clone::clone)?;
    let mut record = Record::new(layout);
    let mut decoder = Decoder::new(plan).in_order().on_unknown(UnknownContent::Reject);
    if let Err(error) = decoder.decode(&bytes, &mut record) {
        // Attributes of any name are unknown content, and kept.
        let is_attribute = error.to_string().contains('@') && is_valid;
        if !is_attribute {
            return Err(error.to_string());
        }
        let mut decoder = Decoder::new(plan).in_order().on_unknown(UnknownContent::Keep);
        decoder.decode(&bytes, &mut record).map_err(|it| it.to_string())?;
    }
    let checks = Checks::new(layout).map_err(|it| it.to_string())?;
    checks.check(&record).map_err(|it| it.to_string())?;
    let again =
        Encoder::new(plan).encode(&record).map_err(|it| format!("encoding: {it}"))?.to_vec();
    let again = String::from_utf8(again).map_err(|it| it.to_string())?;
    let mut after = Element::parse(&again)?;
    after.without_defaults(&root, &defaults(layout));
    let (before, after) = (root.text(), after.text());
    match before == after {
        true => Ok(()),
        false => Err(format!("it came back as {after} and was {before}")),
    }
}
