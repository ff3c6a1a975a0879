//! The filters that subscriptions have, with their numbers.

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_native::code;
use trunkline_router::{ClientId, FilterId, Router};
use trunkline_session::router::Rejected;
use trunkline_transcode::{Filter, FilterError};

use super::ClientOutput;
use super::context::EngineContext;

/// The filters that subscriptions have.
#[derive(Debug, Default)]
pub(super) struct FilterTable {
    numbers: HashMap<Arc<str>, u32>,
    /// By their numbers.
    all: Vec<Option<Known>>,
    free: Vec<u32>,
    of_client: HashMap<ClientId, usize>,
}

/// A filter that subscriptions have.
#[derive(Debug)]
struct Known {
    text: Arc<str>,
    filter: Arc<Filter>,
    uses: usize,
}

impl FilterTable {
    /// A filter by its number; any for one that nobody has any more.
    pub(super) fn get(&self, FilterId(number): FilterId) -> Arc<Filter> {
        let known = self.all.get(number as usize).and_then(Option::as_ref);
        known.map_or_else(Arc::default, |it| Arc::clone(&it.filter))
    }

    /// Filters that differ.
    fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn number_of(&mut self, filter: &Arc<Filter>) -> FilterId {
        let text: Arc<str> = filter.to_string().into();
        if let Some(number) = self.numbers.get(&text) {
            return FilterId(*number);
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(None);
            u32::try_from(self.all.len() - 1).expect("fewer than subscriptions")
        });
        self.numbers.insert(Arc::clone(&text), number);
        self.all[number as usize] = Some(Known { text, filter: Arc::clone(filter), uses: 0 });
        FilterId(number)
    }

    /// A subscription of a client has the filter from now on.
    pub(super) fn begin(&mut self, client: ClientId, FilterId(number): FilterId) {
        if let Some(known) = &mut self.all[number as usize] {
            known.uses += 1;
        }
        *self.of_client.entry(client).or_default() += 1;
    }

    /// A subscription of a client has ended.
    pub(super) fn end(&mut self, client: ClientId, filter: FilterId) {
        if let Some(known) = &mut self.all[filter.0 as usize] {
            known.uses -= 1;
        }
        if let Some(count) = self.of_client.get_mut(&client) {
            *count -= 1;
            if *count == 0 {
                self.of_client.remove(&client);
            }
        }
        self.settle(filter);
    }

    /// Filters of subscriptions that have ended are forgotten.
    pub(super) fn forget_ended(&mut self, router: &mut Router<ClientOutput>) {
        while let Some((client, filter)) = router.next_ended_filter() {
            self.end(client, filter);
        }
    }

    /// If no subscription has the filter, it is forgotten.
    pub(super) fn settle(&mut self, FilterId(number): FilterId) {
        if let Some(known) = self.all[number as usize].take_if(|it| it.uses == 0) {
            self.numbers.remove(&known.text);
            self.free.push(number);
        }
    }
}

impl EngineContext<'_> {
    /// A filter that is within the limits.
    pub(super) fn new_filter(&self, text: &str) -> Result<Filter, Rejected> {
        let limits = &self.state.config.limits;
        let limit = |text| Err(Rejected::new(code::LIMIT, text));
        let most = limits.filter_bytes;
        if text.len() > most {
            return limit(format!(
                "the filter has {} bytes, and {most} are the most (limits.filter_bytes)",
                text.len()
            ));
        }
        let filter = Filter::parse(text).map_err(|error| bad_filter(text, &error))?;
        let table = &self.state.filters;
        let most = limits.filters_per_client;
        if table.of_client.get(&self.client_session.id).copied().unwrap_or(0) >= most {
            return limit(format!(
                "the client has its limit of {most} subscriptions with a filter (limits.filters_per_client)"
            ));
        }
        let most = limits.filters;
        if table.len() >= most && !table.numbers.contains_key(&*filter.to_string()) {
            return limit(format!("there are {most} filters that differ (limits.filters)"));
        }
        Ok(filter)
    }
}

pub(super) fn bad_filter(text: &str, error: &FilterError) -> Rejected {
    let offset = u32::try_from(error.offset).ok();
    Rejected { code: code::BAD_FILTER, offset, text: format!("filter: {}", error.within(text)) }
}
