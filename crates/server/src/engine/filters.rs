//! Filters of subscriptions: each is held against the schemas of its topics before the client is answered, by whoever
//! reads payloads; the client is held meanwhile, and its frame comes again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use trunkline_native::code;
use trunkline_router::{ClientId, FilterId, Rejection, check_pattern};
use trunkline_security::Operation;
use trunkline_session::router::Rejected;
use trunkline_transcode::{Filter, FilterError};

use super::context::EngineContext;
use super::{ConnectionId, Engine, WaitsFor};
use crate::formats::ConversionOrder;

/// The filters that subscriptions have, and those that are to be checked.
#[derive(Debug, Default)]
pub(super) struct FilterTable {
    numbers: HashMap<Arc<str>, u32>,
    /// By their numbers.
    all: Vec<Option<Known>>,
    free: Vec<u32>,
    of_client: HashMap<ClientId, usize>,
    checks: HashMap<ConnectionId, Check>,
    wanted: VecDeque<ConnectionId>,
    /// One is being checked: they take long, and are one after the other.
    is_checking: bool,
}

/// A filter that subscriptions have.
#[derive(Debug)]
struct Known {
    text: Arc<str>,
    filter: Arc<Filter>,
    uses: usize,
}

/// The filter that a client has asked for, until it is answered.
#[derive(Debug)]
struct Check {
    pattern: String,
    text: String,
    /// Until somebody looks at it.
    wanted: Option<Arc<Filter>>,
    fits: Option<Result<(), FilterError>>,
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

    fn number_of(&mut self, filter: Filter) -> FilterId {
        let text: Arc<str> = filter.to_string().into();
        if let Some(number) = self.numbers.get(&text) {
            return FilterId(*number);
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(None);
            u32::try_from(self.all.len() - 1).expect("fewer than subscriptions")
        });
        self.numbers.insert(Arc::clone(&text), number);
        self.all[number as usize] = Some(Known { text, filter: Arc::new(filter), uses: 0 });
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
    fn end(&mut self, client: ClientId, filter: FilterId) {
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

    /// If no subscription has the filter, it is forgotten.
    pub(super) fn settle(&mut self, FilterId(number): FilterId) {
        if let Some(known) = self.all[number as usize].take_if(|it| it.uses == 0) {
            self.numbers.remove(&known.text);
            self.free.push(number);
        }
    }

    /// A client is gone.
    pub(super) fn forget(&mut self, id: ConnectionId) {
        self.checks.remove(&id);
    }

    /// The next filter to check.
    pub(super) fn next_check(&mut self) -> Option<ConversionOrder> {
        while !self.is_checking {
            let id = self.wanted.pop_front()?;
            let Some(check) = self.checks.get_mut(&id) else { continue };
            if let Some(filter) = check.wanted.take() {
                self.is_checking = true;
                return Some(ConversionOrder::Check(id, check.pattern.clone(), filter));
            }
        }
        None
    }
}

impl EngineContext<'_> {
    /// The number of a filter for messages of a pattern. None if it is not known yet whether there can be such: then the
    /// client is held.
    pub(super) fn filter_of(
        &mut self,
        text: &str,
        pattern: &str,
    ) -> Result<Option<FilterId>, Rejected> {
        check_pattern(pattern).map_err(Rejection::Pattern)?;
        // What topics have in their schemas is told to those alone who may subscribe.
        self.check_access(Operation::Subscribe, pattern)?;
        let id = self.client_session.id;
        let is_it = |it: &Check| it.pattern == pattern && it.text == text;
        match self.state.filters.checks.remove(&id).filter(is_it) {
            Some(Check { fits: Some(fits), .. }) => {
                fits.map_err(|error| bad_filter(text, &error))?;
                let filter = Filter::parse(text).map_err(|error| bad_filter(text, &error))?;
                return Ok(Some(self.state.filters.number_of(filter)));
            }
            Some(check) => _ = self.state.filters.checks.insert(id, check),
            None => {
                let filter = self.new_filter(text, pattern)?;
                let (pattern, text) = (pattern.to_owned(), text.to_owned());
                let check = Check { pattern, text, wanted: Some(Arc::new(filter)), fits: None };
                self.state.filters.checks.insert(id, check);
                self.state.filters.wanted.push_back(id);
            }
        }
        self.state.held.hold(id, WaitsFor::Filter);
        Ok(None)
    }

    /// A filter that is within the limits.
    fn new_filter(&self, text: &str, pattern: &str) -> Result<Filter, Rejected> {
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
        if !self.state.conversions.is_about(pattern) {
            let text = format!(
                "no [[topic]] of the router's configuration says what is published to topics of \
                 {pattern:?}, so that nothing of it can be filtered"
            );
            return Err(Rejected::new(code::BAD_FILTER, text));
        }
        Ok(filter)
    }
}

fn bad_filter(text: &str, error: &FilterError) -> Rejected {
    let offset = u32::try_from(error.offset).ok();
    Rejected { code: code::BAD_FILTER, offset, text: format!("filter: {}", error.within(text)) }
}

impl Engine {
    /// Filters of subscriptions that have ended are forgotten.
    pub(super) fn forget_filters(&mut self) {
        while let Some((client, filter)) = self.router.next_ended_filter() {
            self.state.filters.end(client, filter);
        }
    }

    /// Whether there can be messages that the filter of a client is about: it goes on.
    pub(super) fn filter_checked(&mut self, id: ConnectionId, fits: &Result<(), FilterError>) {
        self.state.filters.is_checking = false;
        if let Some(check) = self.state.filters.checks.get_mut(&id) {
            check.fits = Some(fits.clone());
            if self.state.held.reason(id) == Some(WaitsFor::Filter) {
                self.state.held.release(id);
            }
        }
    }
}
