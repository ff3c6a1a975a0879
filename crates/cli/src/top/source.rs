//! Where snapshots of a router come from.

use trunkline_server::snapshot::Snapshot;

use crate::arguments::SiteArguments;
use crate::fault::Fault;
use crate::site::Site;

/// Clients among which the first ones are looked for.
const CLIENTS: usize = 10_000;
/// Topics, those with most messages, among which a filter looks.
pub(super) const TOPICS_FILTERED: usize = 1_000;

/// A router that is asked for snapshots.
pub(crate) struct Source {
    site: Site,
    path: String,
}

impl Source {
    pub(crate) fn new(site: &SiteArguments, topics: usize) -> Result<Self, Fault> {
        let path = format!("/status?clients={CLIENTS}&topics={topics}");
        Ok(Self { site: Site::new(site)?, path })
    }

    pub(crate) fn snapshot(&mut self) -> Result<Snapshot, Fault> {
        self.site.get(&self.path)
    }
}
