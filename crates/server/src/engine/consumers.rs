//! How many durable subscriptions and replays clients consume, and what they want of these.

use trunkline_native::code;
use trunkline_router::{ConvertsTo, FilterId};
use trunkline_session::router::{
    Narrowed, Narrowing, Rejected, StoreError, converts_to, selection_of,
};
use trunkline_store::Consume;

use super::ConnectionId;
use super::context::EngineContext;
use super::deferred::Want;

/// Counts of consumers. They are always right: a client that deletes a durable subscription ends
/// the consumers of others too.
#[derive(Debug, Default)]
pub(crate) struct Consumers {
    /// By the index of the client.
    of_client: Vec<u32>,
    all: usize,
}

impl Consumers {
    #[inline]
    pub(crate) fn of(&self, client: ConnectionId) -> u32 {
        self.of_client.get(client.index as usize).copied().unwrap_or(0)
    }

    /// Of all clients.
    #[inline]
    pub(crate) fn all(&self) -> usize {
        self.all
    }

    pub(crate) fn begin(&mut self, client: ConnectionId) {
        let place = client.index as usize;
        if place >= self.of_client.len() {
            self.of_client.resize(place + 1, 0);
        }
        self.of_client[place] += 1;
        self.all += 1;
    }

    pub(crate) fn end(&mut self, client: ConnectionId) {
        if let Some(count) = self.of_client.get_mut(client.index as usize)
            && *count > 0
        {
            *count -= 1;
            self.all -= 1;
        }
    }

    /// The client is gone, and all of its consumers.
    pub(crate) fn end_all(&mut self, client: ConnectionId) {
        if let Some(count) = self.of_client.get_mut(client.index as usize) {
            self.all -= std::mem::take(count) as usize;
        }
    }
}

impl EngineContext<'_> {
    /// A consumer that is about to be one wants messages in some way. Returns the number of its filter, if it has one; None if it is
    /// not known yet whether there can be such messages, and the client is held.
    pub(super) fn begin_want(
        &mut self,
        request: &Consume<'_>,
        wanted: &Narrowing<'_>,
    ) -> Result<Option<Option<FilterId>>, StoreError> {
        if request.conflation.is_some() && !wanted.filter.is_empty() {
            let text = "a conflated durable subscription or replay takes no filter: its newest message of a topic may be none that \
                        passes, and the one before it is done";
            return Err(Rejected::new(code::BAD_FILTER, text.to_owned()).into());
        }
        let Some(Narrowed { rendition, filter }) = self.narrowed(wanted, Some(request.name))?
        else {
            return Ok(None);
        };
        if rendition.is_none() && filter.is_none() {
            return Ok(Some(None));
        }
        let (client, state) = (self.client_session.id, &mut *self.state);
        let want = Want {
            to: rendition.and_then(converts_to).and_then(ConvertsTo::format),
            fields: rendition
                .filter(|it| selection_of(*it).is_some())
                .map(|it| state.selections.get(it)),
            filter: filter.map(|it| state.filters.get(it)),
            rendition,
            filter_id: filter,
        };
        if let Some(filter) = filter {
            state.filters.begin(client, filter);
        }
        if let Some(selection) = rendition.and_then(selection_of) {
            state.selections.begin(client, selection);
        }
        self.storage.deferred.begin(client.as_u64(), request.subscription, want);
        Ok(Some(filter))
    }
}
