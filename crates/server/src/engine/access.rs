//! Who clients are and what they may do: the rules as they are now, and what is kept for each client.

use std::sync::Arc;

use trunkline_native::code;
use trunkline_security::{
    Forbidden, Identity, Operation, Permissions, Rules, Tickets, random_bytes,
};
use trunkline_session::router::{AccessEpoch, HeldTopic, Rejected, Rights};

use super::Peer;
use super::audit::Audit;
use super::context::EngineContext;
use super::gate::Gate;
use super::logins::Logins;
use super::recheck::Recheck;
use crate::config::Config;

/// The access rules and what follows from them.
#[derive(Debug)]
pub(crate) struct Access {
    pub(super) gate: Gate,
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
    name: Option<String>,
    epoch: AccessEpoch,
    rejected: Rejected,
}

impl Access {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            gate: Gate::new(config),
            epoch: AccessEpoch::FIRST,
            logins: Logins::new(&random_bytes()),
            recheck: None,
            audit: Audit::default(),
            tickets: Tickets::new(&random_bytes()),
        }
    }

    /// Takes over another configuration; connected clients are compared with it from now on.
    pub(crate) fn reconfigure(&mut self, config: &Config) {
        let gate = Gate::new(config);
        if gate == self.gate {
            return;
        }
        self.gate = gate;
        self.epoch = self.epoch.next();
        self.recheck = Some(Recheck::default());
    }

    /// A client that is known from now on.
    pub(super) fn client(&self, identity: &Identity, proof: Option<Arc<str>>) -> ClientAccess {
        ClientAccess {
            permissions: self.gate.rules.permissions(identity),
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
            (Identity::User(user), Some(proof))
                if !self.gate.credentials.still_has(user, proof) =>
            {
                return Err("the password or token that it came with does not hold any more");
            }
            (Identity::Anonymous, _) => {
                self.gate.of_peer(peer)?;
            }
            _ => {}
        }
        it.permissions = self.gate.rules.permissions(it.permissions.identity());
        it.epoch = self.epoch;
        Ok(())
    }
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

    /// Whether it may store anything under the name of a producer.
    pub(super) fn may_produce(&self, name: &str) -> Result<(), Box<Forbidden>> {
        self.permissions.claim(Operation::Store, name)
    }

    /// The last rejection, if it was of the same.
    fn same(&self, operation: Operation, pattern: &str, name: Option<&str>) -> Option<&Rejected> {
        let last = self.rejected.as_deref()?;
        let is_same = last.operation == operation
            && last.pattern == pattern
            && last.name.as_deref() == name
            && last.epoch == self.epoch;
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
        self.check_access_as(operation, pattern, None)
    }

    /// The same, of a durable subscription; the name of a replay is empty.
    ///
    /// # Errors
    ///
    /// It may not, by which rule.
    pub(super) fn check_access_as(
        &mut self,
        operation: Operation,
        pattern: &str,
        name: Option<&str>,
    ) -> Result<(), Rejected> {
        self.refresh_access();
        let access = &mut self.client_session.access;
        if let Some(rejected) = access.same(operation, pattern, name) {
            return Err(rejected.clone());
        }
        let permissions = &access.permissions;
        let decided = match name {
            Some(name) => permissions.decide_as(operation, pattern, name),
            None => permissions.decide(operation, pattern),
        };
        let Err(forbidden) = decided else { return Ok(()) };
        let rejected = Rejected::new(code::FORBIDDEN, forbidden.to_string());
        let (pattern, name, epoch) = (pattern.to_owned(), name.map(str::to_owned), access.epoch);
        let last = LastRejection { operation, pattern, name, epoch, rejected: rejected.clone() };
        access.rejected = Some(Box::new(last));
        self.audit_rejection(&forbidden);
        Err(rejected)
    }

    /// Whether the client may store anything under the name of a producer.
    ///
    /// # Errors
    ///
    /// It may not, by which rule.
    pub(super) fn check_producing(&mut self, name: &str) -> Result<(), Rejected> {
        self.refresh_access();
        let done = self.client_session.access.may_produce(name);
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
