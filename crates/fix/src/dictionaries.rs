//! The dictionaries of a session: that of the session layer, and those of the versions of its applications.

use std::sync::Arc;

use trunkline_import::fix::Dictionary;

use crate::rules::Rules;

/// Rules for the messages of the session, and of the application.
#[derive(Clone, Debug)]
pub struct Dictionaries {
    transport: Arc<Rules>,
    /// By ApplVerID (1128, 1137), such as `9` for FIX 5.0 SP2.
    applications: Vec<(String, Arc<Rules>)>,
}

impl Dictionaries {
    /// Those of FIX 4, in which one dictionary has both.
    pub fn of(dictionary: &Dictionary) -> Self {
        Self { transport: Arc::new(Rules::of(dictionary)), applications: Vec::new() }
    }

    /// Those of FIXT 1.1 and of the versions that run over it, each with its ApplVerID.
    pub fn of_transport<'a>(
        transport: &Dictionary,
        applications: impl IntoIterator<Item = (&'a str, &'a Dictionary)>,
    ) -> Self {
        let rules = |it: &Dictionary| Arc::new(Rules::of(it));
        let applications =
            applications.into_iter().map(|(version, it)| (version.to_owned(), rules(it)));
        Self { transport: rules(transport), applications: applications.collect() }
    }

    pub(crate) fn transport(&self) -> &Rules {
        &self.transport
    }

    /// May messages of the application have versions of their own?
    pub(crate) fn has_versions(&self) -> bool {
        !self.applications.is_empty()
    }

    /// The rules of the application's messages in a version; none if it is not known.
    pub(crate) fn application(&self, version: Option<&[u8]>) -> Option<Arc<Rules>> {
        let Some(version) = version else { return Some(self.transport.clone()) };
        self.applications.iter().find(|it| it.0.as_bytes() == version).map(|it| it.1.clone())
    }
}
