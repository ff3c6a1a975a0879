//! OMG IDL of others.

use std::sync::Arc;

use trunkline_import::Limits;
use trunkline_import::idl::{Options, Specification};
use trunkline_message::Record;
use trunkline_tests::conformance;
use trunkline_tests::import_corpus::idl;
use trunkline_tests::random::{self, Safe};

/// What is rejected although the compiler of another takes it, and why that is right.
const REJECTED: &[(&str, &str)] = &[
    // CORBA 3.4 part 1, 7.20.2: a name that is used in a scope is not declared there again. omniidl says the same.
    ("jacorb-demo-notification-whiteboard-whiteboard", "line of elsewhere was used here"),
    // It includes the file for older compilers only, and does not import the name.
    ("jacorb-omg-PortableGroup", "CosNaming is not declared"),
];

#[test]
fn what_others_declare_is_declared() {
    let Some(suite) = conformance::directory("idl") else { return };
    let rows = idl::rows(&suite);
    assert!(rows.len() > 250, "{}", rows.len());
    let mut wrong = Vec::new();
    for (row, expected) in &rows {
        let reason = REJECTED.iter().find(|it| it.0 == row.case).map(|it| it.1);
        let rejected = row.rejected.as_deref();
        let is_right = match &**expected {
            _ if reason.is_some() => {
                rejected.is_some_and(|it| it.contains(reason.unwrap_or_default()))
            }
            "refuse" => rejected.is_some(),
            // Either is right: what is named and never declared is a warning, as it is for omniidl.
            it if it.starts_with("refuse") || it.contains("clear-error") => true,
            _ => rejected.is_none(),
        };
        // A reason has a place and a remedy.
        let is_clear = rejected.is_none_or(|it| it.matches(':').count() >= 3 && it.contains("; "));
        if !is_right || !is_clear || !row.differences.is_empty() {
            wrong.push(format!("{row:?}: {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let messages: usize = rows.iter().map(|it| it.0.messages).sum();
    assert!(messages > 500, "{messages}");
}

/// Messages by chance of what holds itself have an end, whichever formats they are for.
#[test]
fn what_holds_itself_is_filled() {
    let text = "struct Node { sequence<Node> children; string name; };";
    let mut files = |path: &str| Ok((path == "own.idl").then(|| text.as_bytes().to_vec()));
    let (options, limits) = (Options::default(), Limits::default());
    let read = Specification::read("own.idl", &options, &mut files, &limits).expect("it is IDL");
    let node = read.layout(read.find("Node").expect("it is declared")).expect("it has a layout");
    let layout = Arc::new(node);
    for (seed, safe) in (0..100).flat_map(|seed| [(seed, Safe::ALL), (seed, Safe::NONE)]) {
        let mut record = Record::new(&layout);
        random::fill(&mut record, seed, safe, 2);
        assert!(record.get("name").is_some());
    }
}
