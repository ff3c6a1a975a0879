//! Who clients are and what they may do: the rules as they are now, and what is kept for each client.

use std::sync::Arc;

use tracing::error;
use trunkline_native::code;
use trunkline_security::{
    Credentials, Identity, Operation, Permissions, Rules, Tickets, random_bytes,
};
use trunkline_session::router::{AccessEpoch, HeldTopic, Rejected, Rights};

use super::Peer;
use super::audit::Audit;
use super::context::EngineContext;
use super::logins::Logins;
use super::recheck::Recheck;
use crate::config::{Anonymous, Config};

/// The access rules and what follows from them.
#[derive(Debug)]
pub(crate) struct Access {
    rules: Rules,
    pub(super) credentials: Credentials,
    anonymous: Anonymous,
    /// Changes with the rules.
    pub(crate) epoch: AccessEpoch,
    pub(super) logins: Logins,
    /// Connected clients that are yet to be compared with rules that have changed.
    pub(super) recheck: Option<Recheck>,
    pub(crate) audit: Audit,
    /// Numbers of requests that nobody guesses.
    pub(crate) tickets: Tickets,
}

/// What is kept for a client.
#[derive(Debug)]
pub(crate) struct ClientAccess {
    permissions: Permissions,
    epoch: AccessEpoch,
    /// The hash that showed who it is; none if something else did.
    proof: Option<Arc<str>>,
    /// What came of its login, until it is used: the hash of its password, if it is right.
    pub(super) verdict: Option<Option<Arc<str>>>,
    /// What was rejected last, so that one who repeats it costs little.
    rejected: Option<Box<LastRejection>>,
}

/// The last rejection of a client.
#[derive(Debug)]
struct LastRejection {
    operation: Operation,
    pattern: String,
    epoch: AccessEpoch,
    rejected: Rejected,
}

impl Access {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            rules: compile(config),
            credentials: config.access.known.clone(),
            anonymous: config.access.anonymous,
            epoch: AccessEpoch::FIRST,
            logins: Logins::new(&random_bytes()),
            recheck: None,
            audit: Audit::default(),
            tickets: Tickets::new(&random_bytes()),
        }
    }

    /// Takes over another configuration; connected clients are compared with it from now on.
    pub(crate) fn reconfigure(&mut self, config: &Config) {
        let rules = compile(config);
        let (known, anonymous) = (&config.access.known, config.access.anonymous);
        if rules == self.rules && *known == self.credentials && anonymous == self.anonymous {
            return;
        }
        self.rules = rules;
        self.credentials = known.clone();
        self.anonymous = anonymous;
        self.epoch = self.epoch.next();
        self.recheck = Some(Recheck::default());
    }

    /// Who a client is that does not say it.
    ///
    /// # Errors
    ///
    /// It has to.
    pub(super) fn of_peer(&self, peer: &Peer) -> Result<Identity, &'static str> {
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

    /// A client that is known from now on.
    pub(super) fn client(&self, identity: &Identity, proof: Option<Arc<str>>) -> ClientAccess {
        ClientAccess {
            permissions: self.rules.permissions(identity),
            epoch: self.epoch,
            proof,
            verdict: None,
            rejected: None,
        }
    }

    /// Brings what is kept for a client up to date.
    ///
    /// # Errors
    ///
    /// It may not be connected any more.
    pub(super) fn refresh(&self, it: &mut ClientAccess, peer: &Peer) -> Result<(), &'static str> {
        if it.epoch == self.epoch {
            return Ok(());
        }
        match (it.identity(), &it.proof) {
            (Identity::User(user), Some(proof)) if !self.credentials.still_has(user, proof) => {
                return Err("the password or token that it came with does not hold any more");
            }
            (Identity::Anonymous, _) => {
                self.of_peer(peer)?;
            }
            _ => {}
        }
        it.permissions = self.rules.permissions(it.permissions.identity());
        it.epoch = self.epoch;
        Ok(())
    }
}

/// The rules of a configuration. One that nobody has checked allows nothing if it is wrong.
fn compile(config: &Config) -> Rules {
    config.access.compile().unwrap_or_else(|cause| {
        error!(%cause, "the access rules are wrong: nothing is allowed");
        Rules::closed()
    })
}

impl ClientAccess {
    /// Of a client that is not known yet, which may do nothing.
    pub(crate) fn unknown() -> Self {
        Self {
            permissions: Rules::closed().permissions(&Identity::Anonymous),
            epoch: AccessEpoch::FIRST,
            proof: None,
            verdict: None,
            rejected: None,
        }
    }

    pub(crate) fn identity(&self) -> &Identity {
        self.permissions.identity()
    }

    /// The last rejection, if it was of the same.
    fn same(&self, operation: Operation, pattern: &str) -> Option<&Rejected> {
        let last = self.rejected.as_deref()?;
        let is_same =
            last.operation == operation && last.pattern == pattern && last.epoch == self.epoch;
        is_same.then_some(&last.rejected)
    }
}

impl EngineContext<'_> {
    /// Whether the client may do something with all topics of a pattern.
    ///
    /// # Errors
    ///
    /// It may not, by which rule.
    pub(super) fn check_access(
        &mut self,
        operation: Operation,
        pattern: &str,
    ) -> Result<(), Rejected> {
        self.refresh_access();
        let access = &mut self.client_session.access;
        if let Some(rejected) = access.same(operation, pattern) {
            return Err(rejected.clone());
        }
        let Err(forbidden) = access.permissions.decide(operation, pattern) else { return Ok(()) };
        let rejected = Rejected::new(code::FORBIDDEN, forbidden.to_string());
        let (pattern, epoch) = (pattern.to_owned(), access.epoch);
        let last = LastRejection { operation, pattern, epoch, rejected: rejected.clone() };
        access.rejected = Some(Box::new(last));
        self.audit_rejection(&forbidden);
        Err(rejected)
    }

    /// Whether the client may store anything at all: names of producers are none of those who may not.
    ///
    /// # Errors
    ///
    /// It may not.
    pub(super) fn check_producing(&mut self) -> Result<(), Rejected> {
        self.refresh_access();
        let done = self.client_session.access.permissions.somewhere(Operation::Store);
        done.map_err(|forbidden| {
            self.audit_rejection(&forbidden);
            Rejected::new(code::FORBIDDEN, forbidden.to_string())
        })
    }

    /// Looks up the rights of a topic, which are not known or do not allow this.
    #[cold]
    pub(super) fn look_up_rights(
        &mut self,
        topic: &mut HeldTopic,
        operation: Operation,
    ) -> Result<(), Rejected> {
        self.refresh_access();
        let epoch = self.state.access.epoch;
        if !topic.rights().are_of(epoch) {
            let permissions = &self.client_session.access.permissions;
            topic.set_rights(Rights::of(permissions.of(self.router.topic_name(topic.id)), epoch));
            if topic.allows(operation, epoch) {
                return Ok(());
            }
        }
        let name = self.router.topic_name(topic.id).to_owned();
        self.check_access(operation, &name)
    }

    /// The permissions by the rules of now. One that may not be connected any more is noticed by the recheck.
    fn refresh_access(&mut self) {
        let (access, client) = (&self.state.access, &mut *self.client_session);
        if access.refresh(&mut client.access, &client.peer).is_err() {
            client.access = ClientAccess { epoch: access.epoch, ..ClientAccess::unknown() };
        }
    }
}
