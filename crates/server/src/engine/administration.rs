//! Lists of clients, subscriptions, topics, durable subscriptions and producers, some items a turn, and the end
//! of connections by an administrator.

use std::ops::ControlFlow;

use trunkline_native::code;
use trunkline_router::{ClientId, name_fits, patterns_overlap};

use super::survey::{durable_status, topic_status};
use super::{Connection, ConnectionId, Engine};
use crate::administration::{
    ClientName, Filter, Items, ListRequest, Listed, ProducerStatus, SubscriptionKind,
    SubscriptionStatus,
};

/// Clients looked at in a turn.
const CLIENTS: u64 = 256;

/// Smaller items looked at in a turn.
const ITEMS: usize = 1_024;

/// Places of subscriptions from this one on are consumers.
const CONSUMERS: u64 = 1 << 63;

impl Filter {
    fn is_name(&self, name: &str) -> bool {
        self.name.as_deref().is_none_or(|pattern| name_fits(pattern, name))
    }

    fn is_pattern(&self, pattern: &str) -> bool {
        self.pattern.as_deref().is_none_or(|it| patterns_overlap(it, pattern))
    }

    fn is_client(&self, connection: &Connection) -> bool {
        let it = &connection.client_session;
        self.client.is_none_or(|client| client == it.id.as_u64())
            && self.is_name(&it.name)
            && self.address.as_deref().is_none_or(|address| name_fits(address, &it.peer.address))
    }
}

/// A list in the making: its items so far, and the place that is looked at next.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    pub(crate) request: &'a ListRequest,
    pub(crate) items: &'a mut Items,
    pub(crate) place: &'a mut u64,
}

/// Adds an item; breaks when there are as many as were asked for.
fn add<T>(items: &mut Vec<T>, item: T, limit: usize) -> ControlFlow<()> {
    items.push(item);
    if items.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

impl Engine {
    /// Goes on with a list for about 100 us. Whether there may be more: it is whole when it has as many items as
    /// were asked for, or when there are no more.
    pub(crate) fn continue_list(&mut self, now: u64, listing: &mut Listing<'_>) -> bool {
        match listing.request.listed {
            Listed::Clients => self.list_clients(now, listing),
            Listed::Subscriptions if *listing.place < CONSUMERS => self.list_subscriptions(listing),
            Listed::Subscriptions => self.list_consumers(listing),
            Listed::Topics => self.list_topics(listing),
            Listed::Durables => self.list_durables(listing),
            Listed::Producers => self.list_producers(listing),
        }
    }

    fn list_clients(&mut self, now: u64, listing: &mut Listing<'_>) -> bool {
        let (filter, limit) = (&listing.request.filter, listing.request.limit);
        let Items::Clients(items) = &mut *listing.items else { return false };
        let end = self.connections.len() as u64;
        let places = *listing.place..end.min(listing.place.saturating_add(CLIENTS));
        for at in places {
            *listing.place = at + 1;
            let found = self.connections[at as usize].as_ref().filter(|it| filter.is_client(it));
            let Some(id) = found.map(|it| it.client_session.id) else { continue };
            if let Some(status) = self.client_status(now, id)
                && add(items, status, limit).is_break()
            {
                break;
            }
        }
        *listing.place < end
    }

    /// A place is the index of a client and its number of the subscription.
    fn list_subscriptions(&self, listing: &mut Listing<'_>) -> bool {
        let (filter, limit) = (&listing.request.filter, listing.request.limit);
        let Items::Subscriptions(items) = &mut *listing.items else { return false };
        let mut budget = ITEMS;
        loop {
            let (index, first) = ((*listing.place >> 32) as usize, *listing.place as u32);
            let Some(slot) = self.connections.get(index) else {
                *listing.place = CONSUMERS;
                return true;
            };
            if let Some(it) = slot.as_ref().filter(|it| filter.is_client(it)) {
                let it = &it.client_session;
                for found in self.router.view().subscriptions(it.id, first) {
                    if budget == 0 {
                        *listing.place = (index as u64) << 32 | u64::from(found.number);
                        return true;
                    }
                    budget -= 1;
                    if !filter.is_pattern(found.pattern) {
                        continue;
                    }
                    let status = SubscriptionStatus {
                        client: it.id.as_u64(),
                        name: it.name.clone(),
                        subscription: found.number,
                        pattern: found.pattern.to_owned(),
                        kind: SubscriptionKind::Direct,
                        durable: String::new(),
                        is_conflated: found.is_conflated,
                    };
                    if add(items, status, limit).is_break() {
                        // The number above it, or the first of the next client.
                        *listing.place = ((index as u64) << 32 | u64::from(found.number)) + 1;
                        return true;
                    }
                }
            }
            *listing.place = (index as u64 + 1) << 32;
            budget = budget.saturating_sub(1);
            if budget == 0 {
                return true;
            }
        }
    }

    fn list_consumers(&self, listing: &mut Listing<'_>) -> bool {
        let (filter, limit) = (&listing.request.filter, listing.request.limit);
        let Items::Subscriptions(items) = &mut *listing.items else { return false };
        let first = (*listing.place - CONSUMERS) as u32;
        let mut looked_at = 0;
        for (number, it) in self.storage.store.consumers_from(first).take(ITEMS) {
            *listing.place = CONSUMERS + u64::from(number) + 1;
            looked_at += 1;
            let id = ClientId::from_u64(it.client);
            let connection = self.connections.get(id.index as usize).and_then(Option::as_ref);
            let Some(connection) = connection.filter(|connection| {
                connection.client_session.id == id && filter.is_client(connection)
            }) else {
                continue;
            };
            if !filter.is_pattern(it.pattern) {
                continue;
            }
            let status = SubscriptionStatus {
                client: it.client,
                name: connection.client_session.name.clone(),
                subscription: it.subscription,
                pattern: it.pattern.to_owned(),
                kind: match it.is_replay {
                    true => SubscriptionKind::Replay,
                    false => SubscriptionKind::Durable,
                },
                durable: it.durable.to_owned(),
                is_conflated: it.is_conflated,
            };
            if add(items, status, limit).is_break() {
                return true;
            }
        }
        looked_at == ITEMS
    }

    fn list_topics(&self, listing: &mut Listing<'_>) -> bool {
        let (filter, limit) = (&listing.request.filter, listing.request.limit);
        let Items::Topics(items) = &mut *listing.items else { return false };
        let view = self.router.view();
        let end = view.topic_places() as u64;
        let places = *listing.place..end.min(listing.place.saturating_add(ITEMS as u64));
        let whole = places.end;
        for at in places {
            *listing.place = at + 1;
            let topics = view.topics(at as usize..at as usize + 1);
            for topic in topics.filter(|it| filter.is_name(it.name) && filter.is_pattern(it.name)) {
                if add(items, topic_status(&topic), limit).is_break() {
                    return *listing.place < end;
                }
            }
        }
        whole < end
    }

    fn list_durables(&self, listing: &mut Listing<'_>) -> bool {
        let (filter, limit) = (&listing.request.filter, listing.request.limit);
        let Items::Durables(items) = &mut *listing.items else { return false };
        let mut looked_at = 0;
        let first = u32::try_from(*listing.place).unwrap_or(u32::MAX);
        for (number, it) in self.storage.store.durables_from(first).take(ITEMS) {
            *listing.place = u64::from(number) + 1;
            looked_at += 1;
            if filter.is_name(it.name)
                && filter.is_pattern(it.pattern)
                && add(items, durable_status(&it), limit).is_break()
            {
                return true;
            }
        }
        looked_at == ITEMS
    }

    fn list_producers(&self, listing: &mut Listing<'_>) -> bool {
        let (filter, limit) = (&listing.request.filter, listing.request.limit);
        let Items::Producers(items) = &mut *listing.items else { return false };
        let mut looked_at = 0;
        let first = u32::try_from(*listing.place).unwrap_or(u32::MAX);
        for (number, it) in self.storage.store.producers_from(first).take(ITEMS) {
            *listing.place = u64::from(number) + 1;
            looked_at += 1;
            let is_of_client = filter.client.is_none() || it.client == filter.client;
            if !is_of_client || !filter.is_name(it.name) {
                continue;
            }
            let status = ProducerStatus {
                name: it.name.to_owned(),
                last_sequence: it.last,
                position: it.position,
                used_ns: it.used,
                unacknowledged: it.unacknowledged as u64,
                client: it.client,
            };
            if add(items, status, limit).is_break() {
                return true;
            }
        }
        looked_at == ITEMS
    }

    /// Adds the clients of some places that a filter fits; gives the place after them, if there are more.
    pub(crate) fn find_clients(
        &self,
        filter: &Filter,
        place: usize,
        found: &mut Vec<ConnectionId>,
    ) -> Option<usize> {
        let end = self.connections.len().min(place.saturating_add(CLIENTS as usize));
        let some = self.connections.get(place..end).unwrap_or_default().iter().flatten();
        let some = some.filter(|it| !it.client_session.is_closing && filter.is_client(it));
        found.extend(some.map(|it| it.client_session.id));
        (end < self.connections.len()).then_some(end)
    }

    /// Begins another segment of the journal; gives the number of the one before it.
    ///
    /// # Errors
    /// It cannot be; `Busy`: not yet.
    pub(crate) fn rotate(&mut self, now: u64) -> Result<u32, trunkline_store::Rejected> {
        let at = self.storage.clock_reading(now);
        self.storage.store.rotate(at)
    }

    /// A client by its names, while it is connected.
    pub(crate) fn client_name(&self, id: ConnectionId) -> Option<ClientName> {
        let connection = self.connections.get(id.index as usize)?.as_ref()?;
        let it = Some(&connection.client_session).filter(|it| it.id == id)?;
        let (name, address) = (it.name.clone(), it.peer.address.clone());
        Some(ClientName { id: id.as_u64(), name, address })
    }

    /// Ends the connection of a client that an administrator does not want.
    pub(crate) fn disconnect(&mut self, now: u64, id: ConnectionId, reason: &str) {
        let reason = match reason {
            "" => "an administrator disconnected the client".to_owned(),
            reason => format!("an administrator disconnected the client: {reason}"),
        };
        self.close(now, id, code::DISCONNECTED, &reason);
    }

    /// Looks at some more clients: whether messages or output wait for one of them; after the last one, whether
    /// records wait for the disk.
    pub(crate) fn look_for_waiting(&self, place: usize) -> Waiting {
        let end = self.connections.len().min(place.saturating_add(CLIENTS as usize));
        let view = self.router.view();
        let waits = |it: &Connection| {
            let client = view.client(it.client_session.id);
            client.is_some_and(|it| it.ledger.queued > 0 || it.output_bytes > 0)
        };
        if self.connections.get(place..end).unwrap_or_default().iter().flatten().any(waits) {
            return Waiting::Found;
        }
        if end < self.connections.len() {
            return Waiting::GoOn(end);
        }
        let journal = self.storage.store.journal();
        let may_write = journal.is_on_disk() && journal.failure().is_none();
        if may_write && journal.pending() > 0 { Waiting::Found } else { Waiting::Nothing }
    }
}

/// What [`Engine::look_for_waiting`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Something waits.
    Found,
    /// Nothing so far; the next place to look at.
    GoOn(usize),
    /// Nothing waits.
    Nothing,
}
