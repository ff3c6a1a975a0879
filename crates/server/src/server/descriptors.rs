//! How many descriptors the process may have open, and which of them connections do not get.

use rustix::process::{Resource, getrlimit, setrlimit};
use tracing::{debug, warn};
use trunkline_reactor::Stream;

/// Descriptors that clients do not get: for the journal's files, for those who ask after the router's health,
/// and for those who are told that there is no room. Where the process may have few, it is half of them.
const RESERVED: u64 = 256;

/// The descriptors of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptors {
    limit: u64,
    reserved: u64,
}

impl Descriptors {
    /// Raises the soft limit to the hard one, and says what there is then.
    pub(super) fn take() -> Self {
        let mut limit = getrlimit(Resource::Nofile);
        if limit.current != limit.maximum {
            let before = limit.current;
            limit.current = limit.maximum;
            if let Err(cause) = setrlimit(Resource::Nofile, limit) {
                debug!(%cause, "the limit of open descriptors stays as it is");
                limit.current = before;
            }
        }
        let limit = limit.current.unwrap_or(u64::MAX);
        Self { limit, reserved: RESERVED.min(limit / 2) }
    }

    /// Says so where they are fewer than the configuration allows connections.
    pub(super) fn compare(&self, connections: usize) {
        let (limit, reserved) = (self.limit, self.reserved);
        if limit - reserved < connections as u64 {
            warn!(
                limit,
                reserved,
                connections,
                "the limit of open descriptors is too low for limits.connections (ulimit -Hn)"
            );
        }
    }

    /// Of those that are reserved a quarter each: for readers of health and metrics, for those of them that
    /// are rejected, for clients that are told why they are rejected, and for the journal and the rest.
    pub(crate) fn share(&self) -> usize {
        usize::try_from(self.reserved / 4).unwrap_or(usize::MAX).max(1)
    }

    /// The number of a descriptor from which on a connection is not even told why it is rejected.
    pub(super) fn end(&self) -> u64 {
        self.limit - self.reserved + self.share() as u64
    }

    /// Why a stream that was just accepted cannot stay, if it cannot. The system gives the lowest number that
    /// is free, so that a number says how many are in use.
    #[inline]
    pub(crate) fn rejection(&self, stream: &Stream) -> Option<String> {
        let is_reserved = u64::from(stream.descriptor()) >= self.limit - self.reserved;
        is_reserved.then(|| {
            let Self { limit, reserved } = self;
            format!(
                "the router may have {limit} descriptors open (ulimit -Hn): \
                 {reserved} are reserved for its journal and its health checks, and \
                 all others are in use"
            )
        })
    }
}
