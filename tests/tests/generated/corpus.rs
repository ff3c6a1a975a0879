//! Modules of all that others describe, in one crate.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use trunkline_export::rust;
use trunkline_import::{Description, Limits, fix, wsdl, xsd};
use trunkline_tests::{conformance, import_corpus};

/// Dictionaries that are not compiled, each with the one that is in its place: large ones, of the same messages in another
/// edition. All other descriptions are compiled, whatever their size.
const LEFT_OUT: &[(&str, &str)] = &[
    ("fixjs-FIX42", "quickfix-FIX42"),
    ("jspurefix-FIX43", "quickfix-FIX43"),
    ("jspurefix-FIX50SP2", "quickfix-FIX50SP2"),
    ("omi-Optiq.DropCopy.v5.39", "omi-Optiq.DropCopy.v5.58"),
    ("omi-Optiq.DropCopy.v5.53", "omi-Optiq.DropCopy.v5.58"),
    ("omi-Optiq.DropCopy.v5.57", "omi-Optiq.DropCopy.v5.58"),
    ("omi-Optiq.OrderEntry.v5.35", "omi-Optiq.OrderEntry.v6.66"),
    ("omi-Optiq.OrderEntry.v5.39", "omi-Optiq.OrderEntry.v6.66"),
    ("omi-Optiq.OrderEntry.v5.54", "omi-Optiq.OrderEntry.v6.66"),
    ("omi-Optiq.OrderEntry.v5.55", "omi-Optiq.OrderEntry.v6.66"),
    ("omi-Optiq.OrderEntry.v5.57", "omi-Optiq.OrderEntry.v6.66"),
    ("omi-Optiq.OrderEntry.v6.63", "omi-Optiq.OrderEntry.v6.66"),
    ("omi-Optiq.OrderEntry.v6.64", "omi-Optiq.OrderEntry.v6.66"),
    ("orchestra-OrchestraFIX44", "quickfixgo-FIX44"),
    ("quickfix-FIX50", "quickfix-FIX50SP2"),
    ("quickfixgo-FIX41", "quickfix-FIX41"),
    ("quickfixj-FIX41", "quickfix-FIX41"),
    ("quickfixj-FIX43", "quickfix-FIX43"),
];

/// Crates that the modules are shared out to, so that Cargo checks several at once.
const CRATES: usize = 4;

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
    for suite in ["soap-php", "soap12-whitemesa"] {
        let files = conformance::directory(suite).map(|it| import_corpus::recorded::files(&it));
        for file in files.into_iter().flatten() {
            let case = format!("{suite}-{}", import_corpus::recorded::case(&file));
            let read = import_corpus::recorded::read(&file);
            all.extend(read.ok().map(|it| (case, Description::Services(Box::new(it)))));
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
    assert!(descriptions.len() > 730, "{}", descriptions.len());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    let _ = fs::remove_dir_all(&folder);
    let (mut modules, mut types, mut without) = (Vec::new(), 0, 0);
    let mut left_out = BTreeSet::new();
    for (index, (case, description)) in descriptions.iter().enumerate() {
        let written = rust::module(case, description, None).expect("a module");
        types += written.count;
        without += usize::from(written.count == 0 && !written.left_out.is_empty());
        match LEFT_OUT.iter().any(|it| it.0 == case) {
            true => _ = left_out.insert(&**case),
            false => modules.push((format!("m{index}"), written.text)),
        }
    }
    // Those of IDL that have nothing but interfaces, mostly.
    assert!(types > 20_000, "{types} types");
    assert!(without < 150, "{without} have nothing that can be said");
    assert_eq!(left_out, LEFT_OUT.iter().map(|it| it.0).collect(), "what is left out");
    let is_compiled =
        |name: &str| descriptions.iter().any(|it| it.0 == name && !left_out.contains(name));
    assert!(LEFT_OUT.iter().all(|it| is_compiled(it.1)), "each has one in its place");
    // The largest first, each to the crate that has least.
    modules.sort_by_key(|it| std::cmp::Reverse(it.1.len()));
    let mut crates: Vec<(usize, String)> = vec![Default::default(); CRATES];
    for (name, text) in modules {
        let (number, (size, root)) =
            crates.iter_mut().enumerate().min_by_key(|it| it.1.0).expect("a crate");
        *size += text.len();
        *root += &format!("#[allow(dead_code)]\nmod {name};\n");
        let sources = folder.join(format!("part{number}/src"));
        fs::create_dir_all(&sources).expect("a folder");
        fs::write(sources.join(format!("{name}.rs")), text).expect("a file");
    }
    for (number, (_, root)) in crates.into_iter().enumerate() {
        fs::write(folder.join(format!("part{number}/src/lib.rs")), root).expect("a file");
    }
    check(&folder);
}

/// Lets Cargo check the crates in a folder, with what was built for the tests already.
fn check(folder: &Path) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = tests.parent().expect("the workspace");
    let dependency = |name: &str| {
        let path = workspace.join("crates").join(name);
        format!("trunkline-{name} = {{ path = {:?} }}\n", path.display().to_string())
    };
    let dependencies: String = ["message", "session", "wire"].map(dependency).concat();
    for number in 0..CRATES {
        let manifest = format!(
            "[package]\nname = \"generated{number}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [dependencies]\n{dependencies}"
        );
        let part = folder.join(format!("part{number}"));
        fs::write(part.join("Cargo.toml"), manifest).expect("a file");
    }
    let manifest = fs::read_to_string(workspace.join("Cargo.toml")).expect("the manifest");
    let (_, profile) = manifest.split_once("\n[profile.dev]").expect("the profile");
    let manifest =
        format!("[workspace]\nresolver = \"3\"\nmembers = [\"part*\"]\n[profile.dev]{profile}");
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
