//! The WSDLs of PHP's and White Mesa's tests, with the messages that were recorded of those of PHP: no facts are told of
//! them, but that each is a WSDL.

use std::fs;
use std::path::Path;

use trunkline_import::wsdl::{Description, Protocol};
use trunkline_import::{Limits, Problem};

use super::canonical::Element;
use super::facts;
use super::wsdl::{Row, comes_back};

/// The WSDLs in a suite of PHP or White Mesa, without those that others import.
///
/// # Panics
/// The suite is not whole.
pub fn files(suite: &Path) -> Vec<String> {
    let mut files = Vec::new();
    find(&suite.join("wsdl"), &mut files);
    files.retain(|it| !it.contains("/imported/"));
    files
}

/// What became of the WSDLs of PHP's tests.
///
/// # Panics
/// The suite is not whole.
pub fn php(suite: &Path) -> Vec<Row> {
    let recorded = ["round2-base", "round2-groupb", "round3-groupd", "round3-groupe"];
    let recorded = recorded.into_iter().chain(["round3-groupf", "round4-grouph", "round4-groupi"]);
    let recorded: Vec<_> = recorded.flat_map(|it| facts(suite, &format!("{it}.jsonl"))).collect();
    let rows = files(suite).into_iter().map(|file| {
        let name = file.rsplit('/').next();
        let own = recorded.iter().filter(|it| it["wsdl"].as_str() == name);
        let text = |it: &serde_json::Value, key: &str| it[key].as_str().unwrap_or("").to_owned();
        let own = own.map(|it| (text(it, "id"), [text(it, "request"), text(it, "response")]));
        row(&file, &own.collect::<Vec<_>>())
    });
    rows.collect()
}

/// What became of the WSDLs of White Mesa's tests.
///
/// # Panics
/// The suite is not whole.
pub fn white_mesa(suite: &Path) -> Vec<Row> {
    files(suite).iter().map(|file| row(file, &[])).collect()
}

/// The paths of the WSDLs in a folder and those below it.
fn find(folder: &Path, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).expect("a folder of WSDLs");
    let mut paths: Vec<_> = entries.map(|it| it.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|it| it == "wsdl") {
            found.push(path.to_str().expect("a path in UTF-8").to_owned());
        }
    }
}

/// The WSDL in a file.
///
/// # Errors
/// It is not imported, and why.
pub fn read(file: &str) -> Result<Description, Problem> {
    let mut resolver = |path: &str| match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    Description::read(file, &mut resolver, &Limits::default())
}

/// The name of a file, without where it lies and what it is.
pub fn case(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.trim_end_matches(".wsdl").to_owned()
}

fn row(file: &str, recorded: &[(String, [String; 2])]) -> Row {
    let mut row = Row { case: case(file), expected: "import".into(), ..Row::default() };
    let description = match read(file) {
        // As it is served: of rpc/encoded, what is nil is taken.
        Ok(mut description) => {
            description.let_parts_be_nil();
            description
        }
        Err(problem) => {
            row.rejected = Some(problem.to_string());
            return row;
        }
    };
    row.plan(&description);
    for (id, messages) in recorded {
        for (is_answer, envelope) in [false, true].into_iter().zip(messages) {
            let what = if is_answer { "response" } else { "request" };
            match sampled(&description, is_answer, envelope) {
                Ok(count) => row.samples.0 += count,
                Err(why) => row.samples.1.push(format!("{id} {what}: {why}")),
            }
        }
    }
    row
}

/// Reads what was recorded as the operation does whose message it is, and writes it again: how many were so.
fn sampled(description: &Description, is_answer: bool, envelope: &str) -> Result<usize, String> {
    let body = Element::parse(envelope)?.child("Body").ok_or("no Body")?;
    // A Body is empty where a document has no parts.
    let Some(first) = body.first() else { return Ok(0) };
    if first.name().1 == "Fault" {
        return Ok(0);
    }
    let mut why = format!("no operation has {}", first.name().1);
    for binding in description.bindings() {
        if !matches!(binding.protocol, Protocol::Soap11 | Protocol::Soap12) {
            continue;
        }
        for operation in &binding.operations {
            let described = match is_answer {
                false => description.request(binding, operation),
                true => description.response(binding, operation),
            };
            let Ok(Some(described)) = described else { continue };
            if described.options.operation != first.name().1 {
                continue;
            }
            match comes_back(Ok(Some(described)), envelope) {
                Ok(()) => return Ok(1),
                Err(other) => why = other,
            }
        }
    }
    Err(why)
}
