//! Modules of all that others describe, in one crate.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use trunkline_export::rust;
use trunkline_import::{Description, Limits, fix, wsdl, xsd};
use trunkline_tests::{conformance, import_corpus};

/// Types of a file that are compiled: of larger ones it is enough to compile some.
const TYPES: usize = 40;

/// Those that are compiled whatever their size: the standard's own, among them the largest there is.
const WHOLE: &[&str] = &["quickfixgo-FIX44", "quickfix-FIX50SP2"];

/// Every description of the corpus that is read.
pub(super) fn descriptions() -> Vec<(String, Description)> {
    let mut all = Vec::new();
    if let Some(suite) = conformance::directory("fix-dictionaries") {
        for facts in import_corpus::facts(&suite, "facts.jsonl") {
            let (case, main) = names(&facts);
            let bytes = fs::read(suite.join(&case).join(&main)).expect("the dictionary");
            let read = fix::Dictionary::read(&main, &bytes, &Limits::default());
            all.extend(read.ok().map(|it| (case, Description::Fix(it))));
        }
    }
    if let Some(suite) = conformance::directory("idl") {
        for facts in import_corpus::facts(&suite, "facts.jsonl") {
            let read = import_corpus::idl::read(&suite, &facts);
            all.extend(read.ok().map(|it| (names(&facts).0, Description::Idl(it))));
        }
    }
    if let Some(suite) = conformance::directory("wsdl") {
        for facts in import_corpus::facts(&suite, "facts.jsonl") {
            let (case, main) = names(&facts);
            let folder = suite.join("services").join(&case);
            let mut resolver = import_corpus::xsd::resolver(&folder, &suite);
            let read = wsdl::Description::read(&main, &mut resolver, &Limits::default());
            all.extend(read.ok().map(|it| (case, Description::Services(Box::new(it)))));
        }
        for facts in import_corpus::facts(&suite, "schemas.facts.jsonl") {
            let (case, main) = names(&facts);
            let folder = suite.join("schemas").join(&case);
            let mut resolver = import_corpus::xsd::resolver(&folder, &suite);
            let read = xsd::Schemas::read(&main, &mut resolver, &Limits::default());
            all.extend(read.ok().map(|it| (case, Description::Elements(Box::new(it)))));
        }
    }
    all
}

fn names(facts: &serde_json::Value) -> (String, String) {
    let text = |key: &str| facts[key].as_str().expect("a text").to_owned();
    (text("case"), text("main"))
}

#[test]
fn every_description_of_others_becomes_a_module_that_compiles() {
    let descriptions = descriptions();
    if descriptions.is_empty() {
        return;
    }
    assert!(descriptions.len() > 700, "{}", descriptions.len());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    let sources = folder.join("src");
    let _ = fs::remove_dir_all(&sources);
    fs::create_dir_all(&sources).expect("a folder");
    let (mut root, mut types, mut compiled, mut without) = (String::new(), 0, 0, 0);
    for (index, (case, description)) in descriptions.iter().enumerate() {
        let written = rust::module(case, description, None).expect("a module");
        types += written.count;
        without += usize::from(written.count == 0 && !written.left_out.is_empty());
        if written.count > TYPES && !WHOLE.contains(&&**case) {
            continue;
        }
        compiled += written.count;
        root += &format!("#[allow(dead_code)]\nmod m{index};\n");
        fs::write(sources.join(format!("m{index}.rs")), written.text).expect("a file");
    }
    // Those of IDL that have nothing but interfaces, mostly.
    assert!(types > 20_000 && compiled > 5_000, "{compiled} of {types} types");
    assert!(without < 150, "{without} have nothing that can be said");
    fs::write(sources.join("lib.rs"), root).expect("a file");
    check(&folder);
}

/// Lets Cargo check a crate of the sources in a folder, with what was built for the tests already.
fn check(folder: &Path) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = tests.parent().expect("the workspace");
    let dependency = |name: &str| {
        let path = workspace.join("crates").join(name);
        format!("trunkline-{name} = {{ path = {:?} }}\n", path.display().to_string())
    };
    let dependencies: String = ["message", "session", "wire"].map(dependency).concat();
    let manifest = fs::read_to_string(workspace.join("Cargo.toml")).expect("the manifest");
    let (_, profile) = manifest.split_once("\n[profile.dev]").expect("the profile");
    let manifest = format!(
        "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\n{dependencies}[profile.dev]{profile}"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
    fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a file");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["check", "--quiet", "--offline"]).current_dir(folder);
    // What Cargo says to the tests of this workspace is not for another.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_") && name != "CARGO_HOME" && name != "CARGO_BUILD_JOBS" {
            command.env_remove(&name);
        }
    }
    command.env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0");
    let output = command.output().expect("Cargo");
    let said = String::from_utf8_lossy(&output.stderr);
    let shown: String = said.lines().take(60).map(|it| format!("{it}\n")).collect();
    assert!(output.status.success(), "{}: {shown}", folder.display());
}
