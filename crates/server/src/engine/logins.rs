//! Clients that show who they are, and passwords that wait to be compared with their hashes.

use std::collections::VecDeque;
use std::sync::Arc;

use trunkline_native::{Credentials, code};
use trunkline_security::{Identity, PasswordCheck, RememberedLogins};

use super::context::EngineContext;
use super::{ConnectionId, Engine, WaitsFor};

/// Passwords that may wait, and how many of them from one machine.
const WAITING: usize = 1_024;
const WAITING_OF_HOST: usize = 256;

/// Logins that are remembered.
const REMEMBERED: usize = 65_536;

/// Passwords that wait for the one thread that compares them.
#[derive(Debug)]
pub(super) struct Logins {
    remembered: RememberedLogins,
    waiting: VecDeque<Waiting>,
    /// The one that is being compared, or was compared last.
    current: Option<Waiting>,
    is_busy: bool,
}

/// A client that waits.
struct Waiting {
    id: ConnectionId,
    host: Box<str>,
    user: Box<str>,
    password: Box<str>,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {:?}", self.user, self.id)
    }
}

impl Logins {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let remembered = RememberedLogins::new(key, REMEMBERED);
        Self { remembered, waiting: VecDeque::new(), current: None, is_busy: false }
    }

    /// The next one becomes the current one. Machines have their turn, so that one with many does not hold up others.
    fn advance(&mut self) -> Option<&Waiting> {
        let last = self.current.as_ref().map(|it| &it.host);
        let other = self.waiting.iter().position(|it| Some(&it.host) != last);
        self.current = Some(self.waiting.remove(other.unwrap_or(0))?);
        self.current.as_ref()
    }
}

/// What is known about a login.
enum Login {
    Is(Identity, Option<Arc<str>>),
    Waits,
    Not(u16, &'static str),
}

const WRONG: Login = Login::Not(code::UNAUTHENTICATED, "the user or the password is wrong");

impl EngineContext<'_> {
    /// Finds out who the client is. False if that is not known yet, so that it is held; or if it may not connect.
    pub(super) fn identify(&mut self, credentials: Option<Credentials<'_>>) -> bool {
        let id = self.client_session.id;
        let user = credentials.map_or("", |it| it.user).to_owned();
        match self.login(credentials) {
            Login::Is(identity, proof) => {
                self.client_session.access = self.state.access.client(&identity, proof);
                true
            }
            Login::Waits => {
                self.state.held.hold(id, WaitsFor::Login);
                false
            }
            Login::Not(code, reason) => {
                self.audit_login(&user, reason);
                super::context::close(self.now, self.router, self.client_session, code, reason);
                false
            }
        }
    }

    fn login(&mut self, credentials: Option<Credentials<'_>>) -> Login {
        let access = &mut self.state.access;
        let Some(Credentials { user, secret }) = credentials else {
            return match access.gate.of_peer(&self.client_session.peer) {
                Ok(identity) => Login::Is(identity, None),
                Err(reason) => Login::Not(code::UNAUTHENTICATED, reason),
            };
        };
        if user.is_empty() {
            return match access.gate.credentials.user_of_token(secret) {
                Some((user, hash)) => Login::Is(Identity::User(user), Some(hash)),
                None => Login::Not(code::UNAUTHENTICATED, "nobody has this token"),
            };
        }
        let known = match self.client_session.access.verdict.take() {
            Some(None) => return WRONG,
            Some(Some(hash)) => Some(hash),
            None => access.logins.remembered.find(user, secret).cloned(),
        };
        match known {
            // Passwords may have changed since.
            Some(hash) if access.gate.credentials.still_has(user, &hash) => {
                return Login::Is(Identity::user(user), Some(hash));
            }
            _ => {}
        }
        let host: Box<str> = self.client_session.peer.host().into();
        let waiting = &mut access.logins.waiting;
        if waiting.len() >= WAITING
            || waiting.iter().filter(|it| it.host == host).count() >= WAITING_OF_HOST
        {
            return Login::Not(code::FULL, "too many passwords wait to be compared");
        }
        let (id, user, password) = (self.client_session.id, user.into(), secret.into());
        waiting.push_back(Waiting { id, host, user, password });
        Login::Waits
    }
}

impl Engine {
    /// The next password to compare, if none is being compared: it takes tens of milliseconds. What comes of it is
    /// for [`Engine::password_checked`].
    pub fn next_password(&mut self) -> Option<PasswordCheck> {
        while !self.state.access.logins.is_busy {
            let access = &mut self.state.access;
            let id = access.logins.advance()?.id;
            // It may have left meanwhile.
            if self.state.held.reason(id) != Some(WaitsFor::Login) {
                continue;
            }
            let Waiting { user, password, .. } = access.logins.current.as_ref()?;
            // Another connection may have brought the same.
            if let Some(hash) = access.logins.remembered.find(user, password).cloned() {
                self.end_login(id, Some(hash));
                continue;
            }
            let check = access.gate.credentials.password_check(user, password);
            access.logins.is_busy = true;
            return Some(check);
        }
        None
    }

    /// What came of a password: its hash, if it is right.
    pub fn password_checked(&mut self, hash: Option<Arc<str>>) {
        let logins = &mut self.state.access.logins;
        logins.is_busy = false;
        let Some(Waiting { id, user, password, .. }) = &logins.current else { return };
        if let Some(hash) = &hash {
            logins.remembered.add(user, password, Arc::clone(hash));
        }
        let id = *id;
        self.end_login(id, hash);
    }

    /// A client that waited goes on with its greeting.
    fn end_login(&mut self, id: ConnectionId, hash: Option<Arc<str>>) {
        let Some(connection) = super::find(&mut self.connections, id) else { return };
        if self.state.held.reason(id) == Some(WaitsFor::Login) {
            connection.client_session.access.verdict = Some(hash);
            self.state.held.release(id);
        }
    }
}
