//! Where the conformance material beside the repository is.

use std::env;
use std::path::PathBuf;

use crate::skip;

/// The directory `shared/conformance/<name>` beside the repository, or under the directory that
/// the variable `TRUNKLINE_SHARED` names. `None`, and a note that the test skips, if it is absent.
pub fn directory(name: &str) -> Option<PathBuf> {
    let shared = env::var_os("TRUNKLINE_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let directory = shared.join("conformance").join(name);
    if directory.is_dir() {
        return Some(directory);
    }
    skip::note(&format!("shared/conformance/{name} is not there"));
    None
}
