//! Comparing connected clients with access rules that have changed, a few subscriptions at a time.

use trunkline_native::{code, kind};
use trunkline_security::Operation;
use trunkline_session::router::ClientContext as _;

use super::context::{self, EngineContext};
use super::{Engine, find};

/// Subscriptions that are compared at a time, and how many of them may be ended: ending one can take longer.
const COMPARED: usize = 256;
const ENDED: usize = 8;

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Recheck {
    /// The place of the client.
    client: usize,
    /// The number from which on its subscriptions are still to be compared, those of guaranteed messages at last.
    from: u32,
    is_at_consumers: bool,
}

impl Engine {
    /// Whether clients are still to be compared with changed rules.
    pub(super) fn has_recheck(&self) -> bool {
        self.state.access.recheck.is_some()
    }

    /// Compares some more.
    pub(super) fn continue_recheck(&mut self, now: u64) {
        let (mut compared, mut ended) = (0, 0);
        while compared < COMPARED && ended < ENDED {
            let Some(at) = self.state.access.recheck else { return };
            compared += 1;
            let Some(slot) = self.connections.get(at.client) else {
                self.state.access.recheck = None;
                tracing::info!("connected clients are as the access rules have it now");
                return;
            };
            let next_client = Recheck { client: at.client + 1, ..Recheck::default() };
            let session = slot.as_ref().map(|it| &it.client_session);
            let Some(id) = session.filter(|it| it.is_greeted && !it.is_closing).map(|it| it.id)
            else {
                self.state.access.recheck = Some(next_client);
                continue;
            };
            let is_first = at == Recheck { client: at.client, ..Recheck::default() };
            if is_first && !self.may_stay(now, id) {
                self.state.access.recheck = Some(next_client);
                ended += 1;
                continue;
            }
            let next = match at.is_at_consumers {
                false => {
                    let next = self.router.view().subscriptions(id, at.from).next();
                    next.map(|it| (it.number, it.pattern.to_owned(), None))
                }
                true => {
                    let next = self.storage.store.consumers_of(id.as_u64(), at.from).next();
                    next.map(|it| {
                        (it.subscription, it.pattern.to_owned(), Some(it.durable.to_owned()))
                    })
                }
            };
            self.state.access.recheck = Some(match &next {
                Some((number, ..)) if *number < u32::MAX => Recheck { from: number + 1, ..at },
                _ if at.is_at_consumers => next_client,
                _ => Recheck { from: 0, is_at_consumers: true, ..at },
            });
            if let Some((number, pattern, durable)) = next {
                let is_kept = self.compare(now, id, number, &pattern, durable.as_deref());
                ended += usize::from(!is_kept);
            }
        }
    }

    /// Ends the connection of a client that may not be there any more, or not store under the name of its producer.
    fn may_stay(&mut self, now: u64, id: super::ConnectionId) -> bool {
        let Some(connection) = find(&mut self.connections, id) else { return true };
        let (client_session, access) = (&mut connection.client_session, &mut self.state.access);
        if let Err(reason) = access.refresh(&mut client_session.access, &client_session.peer) {
            access.audit.login_rejected(now, client_session, "", reason);
            context::close(now, &mut self.router, client_session, code::UNAUTHENTICATED, reason);
            return false;
        }
        let producer = client_session.producer;
        let Some(name) = producer.and_then(|it| self.storage.store.name_of_producer(it)) else {
            return true;
        };
        let Err(forbidden) = client_session.access.may_produce(name) else { return true };
        access.audit.rejected(now, client_session, &forbidden);
        let reason = forbidden.to_string();
        context::close(now, &mut self.router, client_session, code::FORBIDDEN, &reason);
        false
    }

    /// Ends a subscription that is not allowed any more, and tells the client which rule says so; false if it is ended.
    /// One of guaranteed messages has a name, which is empty for a replay.
    fn compare(
        &mut self,
        now: u64,
        id: super::ConnectionId,
        number: u32,
        pattern: &str,
        durable: Option<&str>,
    ) -> bool {
        let is_consumer = durable.is_some();
        let Some(connection) = find(&mut self.connections, id) else { return true };
        let (router, storage, state) = (&mut self.router, &mut self.storage, &mut self.state);
        let client_session = &mut connection.client_session;
        let mut context = EngineContext { now, router, storage, state, client_session };
        let operation = if is_consumer { Operation::Consume } else { Operation::Subscribe };
        let Err(rejected) = context.check_access_as(operation, pattern, durable) else {
            return true;
        };
        let of = if is_consumer { kind::CONSUME } else { kind::SUBSCRIBE };
        let is_ended = match is_consumer {
            true => context.detach(number),
            false => context.unsubscribe(number).is_ok(),
        };
        if is_ended {
            context.client_session.late_rejections.push_back((of, number, rejected));
            self.tell_late_rejections(now, id);
        }
        false
    }
}
