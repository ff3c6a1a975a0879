//! Where the conformance material beside the repository is.

use std::env;
use std::path::PathBuf;

/// The directory `shared/conformance/<name>` beside the repository, or under the directory that
/// the variable `TRUNKLINE_SHARED` names. `None`, with a line on standard output, if it is absent.
pub fn directory(name: &str) -> Option<PathBuf> {
    let shared = env::var_os("TRUNKLINE_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let directory = shared.join("conformance").join(name);
    if directory.is_dir() {
        return Some(directory);
    }
    println!("skipped: {} is not there", directory.display());
    None
}
