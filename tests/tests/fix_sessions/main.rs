//! FIX sessions, held to the acceptance scripts of QuickFIX, QuickFIX/J and QuickFIX/n under a virtual clock, and with live
//! engines of QuickFIX.

mod echo;
mod engine;
mod live;
mod script;
mod secure;

use std::fs;
use std::path::{Path, PathBuf};

use engine::{Engine, Variant};
use script::Comparison;
use trunkline_tests::conformance;

/// Scripts that cannot pass, and the rule that forbids it.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "server/future/14j_OutOfRepeatingGroupMembers.def",
        "an entry that does not begin with its first field is told so in the words of QuickFIX/J's scripts; QuickFIX itself runs no \
         script of this folder",
    ),
    (
        "extra-quickfixn/misc/FIX42MaxMessagesInResend.def",
        "the next part of a gap is asked for when the other side has filled the last part as far as the message before its end, \
         as QuickFIX/J's scripts have it",
    ),
    (
        "extra-quickfixn/fix44noreset/SessionResetAfterDisconnect.def",
        "a Logon that was asked for a reset says so (141=Y), as QuickFIX's scripts have it",
    ),
    (
        "extra-quickfixn/misc/FIX42TestRequest.def",
        "a side that is silent gets no Logout before the connection is closed, as QuickFIX's scripts have it",
    ),
];

fn scripts(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => scripts(&path, into),
            false if path.extension().is_some_and(|it| it == "def") => into.push(path),
            false => {}
        }
    }
}

#[test]
fn the_scripts_of_other_engines_pass() {
    let Some(suite) = conformance::directory("quickfix-at") else { return };
    let Some(dictionaries) = conformance::directory("fix-dictionaries") else { return };
    let mut all = Vec::new();
    scripts(&suite, &mut all);
    let (mut wrong, mut passed, mut excepted) = (Vec::new(), 0, 0);
    for path in &all {
        let name = path.strip_prefix(&suite).expect("below").display().to_string();
        let comparison = match name.starts_with("server/") {
            true => Comparison::InOrder,
            false => Comparison::AsSets,
        };
        let mut engine = Engine::new(&suite, &dictionaries, Variant::of(&name));
        let script: String =
            fs::read(path).expect("a script").into_iter().map(char::from).collect();
        let outcome = script::run(&script, &mut engine, comparison);
        let is_exception = EXCEPTIONS.iter().any(|it| it.0 == name);
        match outcome {
            Ok(()) if is_exception => {
                wrong.push(format!("{name}: passes, and is among the exceptions"))
            }
            Ok(()) => passed += 1,
            Err(_) if is_exception => excepted += 1,
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} fail:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    assert_eq!((passed, excepted), (all.len() - EXCEPTIONS.len(), EXCEPTIONS.len()));
    assert!(passed > 300, "{passed}");
}
