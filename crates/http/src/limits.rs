//! Open files: each connection is one.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many files this process may have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Files {
    /// How many now.
    pub now: u64,
    /// How many it could be given without asking the administrator.
    pub most: u64,
}

/// Asks for room for `wanted` open files, as far as the system allows it without more rights
/// (`RLIMIT_NOFILE`), and says what there is then. It never lowers the limit.
///
/// # Errors
/// The operating system's reason.
pub fn raise_open_files(wanted: u64) -> io::Result<Files> {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX);
    let now = limit.current.unwrap_or(u64::MAX);
    let raised = wanted.min(most);
    if raised <= now {
        return Ok(Files { now, most });
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum })?;
    Ok(Files { now: raised, most })
}
