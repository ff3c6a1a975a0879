//! `trunkline decode`: Fast Infoset documents as XML, alone and in a sequence.

use std::fs;
use std::path::Path;
use std::process::Command;

/// An element `a` with the text `hi` (X.891: header, literal name of one octet, literal chunk of two, two ends).
const FIRST: &[u8] = b"\xe0\x00\x00\x01\x00\x3c\x00a\x81hi\xff";
/// The element of the first entry of a vocabulary, with the text `ho`.
const SECOND: &[u8] = b"\xe0\x00\x00\x01\x00\x00\x81ho\xff";

fn decode(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("decode");
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    for (name, bytes) in [("first.finf", FIRST), ("second.finf", SECOND), ("cut.finf", &FIRST[..9])]
    {
        fs::write(folder.join(name), bytes).expect("a file");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    let output = command.arg("decode").args(arguments).current_dir(folder).output();
    let output = output.expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn documents_are_printed_as_xml() {
    assert_eq!(decode(&["first.finf"]), (Some(0), "<a>hi</a>\n".into(), String::new()));
}

#[test]
fn a_sequence_retains_its_vocabulary_if_it_is_asked_to() {
    let (status, out, err) = decode(&["--retain", "first.finf", "second.finf"]);
    assert_eq!((status, &*out), (Some(0), "<a>hi</a>\n<a>ho</a>\n"), "{err}");
    assert!(err.contains("second.finf: the vocabulary has "), "{err}");
    let (status, out, err) = decode(&["first.finf", "second.finf"]);
    assert_eq!((status, &*out), (Some(2), "<a>hi</a>\n"));
    assert!(err.starts_with("trunkline: second.finf: "), "{err}");
}

#[test]
fn a_document_that_is_cut_is_shown_up_to_there() {
    let (status, out, err) = decode(&["cut.finf"]);
    assert_eq!((status, &*out), (Some(2), "<a>"), "{err}");
    assert!(err.starts_with("trunkline: cut.finf: ") && err.lines().count() == 1, "{err}");
}
