//! Where the suites lie that others wrote, or that were made with the software of others.

use std::env;
use std::path::{Path, PathBuf};

use crate::skip;

/// Suites that are not part of this repository, and where they come from.
const ELSEWHERE: &[(&str, &str)] = &[
    ("attachments", "packages that gSOAP, Metro, SAAJ and Perl's DIME tools wrote"),
    (
        "fast-infoset",
        "documents that com.sun.xml.fastinfoset:FastInfoset 2.1.1 wrote from XML beside them, with an index as JSON lines",
    ),
    (
        "fix-dictionaries",
        "dictionaries of QuickFIX, QuickFIX/J, QuickFIX/Go, of venues and in Orchestra, with what is in them counted",
    ),
    ("quickfix-at", "the acceptance scripts of github.com/quickfix/quickfix and its dictionaries"),
    ("idl", "IDL of omniORB, JacORB and Tango, with what omniidl declares of it"),
    (
        "soap-php",
        "the SOAP tests of PHP 8.2 (Debian source package php8.2, ext/soap/tests) as JSON lines",
    ),
    (
        "soap12-whitemesa",
        "the folder interop-mock of github.com/apache/axis-axis1-java, and its WSDLs",
    ),
    (
        "wsdl",
        "service descriptions of other toolkits, with the facts that zeep and wsdl2h find in them",
    ),
];

/// The folder of a suite: `tests/data/NAME`, or `conformance/NAME` in the folder that the variable
/// `TRUNKLINE_SHARED` names, which is `shared` beside the repository if it is not set. `None`, and a note that
/// the test skips, where it is in neither.
///
/// # Panics
/// The repository is not whole: a suite that it should have is not there.
pub fn directory(name: &str) -> Option<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ours = tests.join("data").join(name);
    if ours.is_dir() {
        return Some(ours);
    }
    let Some((_, origin)) = ELSEWHERE.iter().find(|(suite, _)| *suite == name) else {
        panic!("{} is not there", ours.display());
    };
    let shared =
        env::var_os("TRUNKLINE_SHARED").map_or_else(|| tests.join("../../shared"), PathBuf::from);
    let directory = shared.join("conformance").join(name);
    if directory.is_dir() {
        return Some(directory);
    }
    skip::note(&format!(
        "the suite {name} is not there: {origin}; put it into DIR/conformance/{name} and set TRUNKLINE_SHARED=DIR"
    ));
    None
}
