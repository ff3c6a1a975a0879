//! Who comes in and what they may do, as a configuration says it: of the router's clients, and over HTTP.

use tracing::error;
use trunkline_security::{Credentials, Identity, Rules};

use super::Peer;
use crate::config::{Anonymous, Config};

/// The access rules, the users, and from where the anonymous come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gate {
    pub(crate) rules: Rules,
    pub(crate) credentials: Credentials,
    anonymous: Anonymous,
}

impl Gate {
    /// That of a configuration. Rules that nobody has checked allow nothing if one is wrong.
    pub(crate) fn new(config: &Config) -> Self {
        let rules = config.access.compile().unwrap_or_else(|cause| {
            error!(%cause, "the access rules are wrong: nothing is allowed");
            Rules::closed()
        });
        let (credentials, anonymous) = (config.access.known.clone(), config.access.anonymous);
        Self { rules, credentials, anonymous }
    }

    /// Who somebody is that does not say it.
    ///
    /// # Errors
    ///
    /// It has to be said.
    pub(crate) fn of_peer(&self, peer: &Peer) -> Result<Identity, &'static str> {
        let identity = peer.identity();
        let may = match self.anonymous {
            Anonymous::Everywhere => true,
            Anonymous::Local => peer.is_local(),
            Anonymous::Nowhere => false,
        };
        if identity.is_known() || may {
            return Ok(identity);
        }
        Err("clients have to show who they are, by a password, a token or a certificate \
             (access.anonymous)")
    }
}
