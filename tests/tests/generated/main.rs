//! What `trunkline schema --rust` prints: it compiles, for every description of the corpus; its types are those of
//! the description, byte for byte; its clients call its services. And what `--fix`, `--xsd`, `--idl` and `--wsdl`
//! print: it is read as what it was written from, by us and by others.
//!
//! The modules beside this file are printed from the descriptions beside them. With `UPDATE_GENERATED` in the
//! environment they are made anew.

mod corpus;
#[rustfmt::skip]
#[allow(missing_docs, dead_code, unreachable_pub)]
mod desk;
mod dictionaries;
mod idl;
#[rustfmt::skip]
#[allow(missing_docs, dead_code, unreachable_pub)]
mod orders;
mod same;
mod schemas;
mod services;
mod services_written;
#[rustfmt::skip]
#[allow(missing_docs, dead_code, unreachable_pub)]
mod quotes;
#[rustfmt::skip]
#[allow(missing_docs, dead_code, unreachable_pub)]
mod trading;

use std::path::{Path, PathBuf};
use std::{env, fs};

use trunkline_import::{Description, Limits, Options};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated")
}

fn description(file: &str) -> Description {
    let mut files = |path: &str| match fs::read(folder().join(path)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => Err(error.to_string()),
    };
    let read = Description::read(file, &Options::default(), &mut files, &Limits::default());
    read.expect("a description")
}

#[test]
fn the_modules_are_those_of_the_descriptions() {
    for (file, module) in [
        ("orders.xml", "orders.rs"),
        ("trading.idl", "trading.rs"),
        ("quotes.wsdl", "quotes.rs"),
        ("desk.wsdl", "desk.rs"),
    ] {
        let written = trunkline_export::rust::module(file, &description(file), None);
        let written = written.expect("a module");
        let path = folder().join(module);
        if env::var_os("UPDATE_GENERATED").is_some() {
            fs::write(&path, &written.text).expect("the module is written");
        }
        let known = fs::read_to_string(&path).expect("the module");
        assert!(written.text == known, "{module} is another; UPDATE_GENERATED=1 makes it anew");
    }
}

#[test]
fn operations_that_no_service_knows_from_others_are_left_out() {
    let wsdl = fs::read_to_string(folder().join("desk.wsdl")).expect("the WSDL");
    let left_out = |from: [&str; 2], to: [&str; 2]| {
        let text = wsdl.replace(from[0], to[0]).replace(from[1], to[1]);
        let mut files = |_: &str| Ok::<_, String>(Some(text.clone().into_bytes()));
        let (options, limits) = (Options::default(), Limits::default());
        let read = Description::read("desk.wsdl", &options, &mut files, &limits);
        let read = read.expect("a description");
        let written = trunkline_export::rust::module("desk.wsdl", &read, None);
        let left_out = written.expect("a module").left_out;
        left_out.iter().map(|it| format!("{}: {}", it.what, it.why)).collect::<Vec<_>>()
    };
    // Another operation begins with the same element, and has the same action.
    let found = left_out(
        ["<part name=\"body\" element=\"t:ask\"/>", "urn:desk/ask"],
        ["<part name=\"body\" element=\"t:order\"/>", "urn:desk/order"],
    );
    let why = "its requests begin as those of Order do, and have the same action";
    assert!(found.contains(&format!("the operation Ask of DeskSoap: {why}")), "{found:?}");
    // One of the elements that stand for another is its first one.
    let ask = "<part name=\"body\" element=\"t:ask\"/>";
    let stop = "<part name=\"body\" element=\"t:stop\"/>";
    let found = left_out([ask, "urn:desk/ask"], [stop, "urn:desk/change"]);
    let why = "its requests begin as those of Ask do, and have the same action";
    assert!(found.contains(&format!("the operation Change of DeskSoap: {why}")), "{found:?}");
}

#[test]
fn what_is_left_out_is_said() {
    let left_out = |file: &str| {
        let written = trunkline_export::rust::module(file, &description(file), None);
        let left_out = written.expect("a module").left_out;
        left_out.iter().map(|it| format!("{}: {}", it.what, it.why)).collect::<Vec<_>>()
    };
    assert_eq!(
        left_out("desk.wsdl"),
        [
            "the operation Guess of DeskSoap: nothing in the Body of a request says that it is called, and no action of its own"
        ]
    );
    assert_eq!(
        left_out("trading.idl"),
        ["Checksum: `u8[16]`: a list of `u8` is data in Rust, not a list of numbers",]
    );
}
