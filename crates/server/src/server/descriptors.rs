//! How many connections the system lets a process have.

use rustix::process::{Resource, getrlimit, setrlimit};
use tracing::debug;

/// Raises the soft limit of open descriptors to the hard one.
pub(super) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    limit.current = limit.maximum;
    if let Err(cause) = setrlimit(Resource::Nofile, limit) {
        debug!(%cause, "the limit of open descriptors stays as it is");
    }
}
