//! What clients want of the messages of a pattern: it is held against the schemas of its topics before the client is
//! answered, by whoever reads payloads; the client is held meanwhile, and its frame comes again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use trunkline_native::code;
use trunkline_router::{Rejection, RenditionFormat, check_pattern};
use trunkline_security::Operation;
use trunkline_session::router::{Narrowed, Narrowing, Rejected, selection_into};

use super::context::EngineContext;
use super::filters::bad_filter;
use super::selections::bad_fields;
use super::{ConnectionId, Engine, WaitsFor};
use crate::formats::{ConversionOrder, Interest, Unfit};

/// What clients want and have no answer to yet.
#[derive(Debug, Default)]
pub(super) struct InterestTable {
    checks: HashMap<ConnectionId, Check>,
    wanted: VecDeque<ConnectionId>,
    /// One is being checked: they take long, and are one after the other.
    is_checking: bool,
}

/// What a client has asked for, until it is answered.
#[derive(Debug)]
struct Check {
    /// The filter and the fields, as they are written.
    texts: [String; 2],
    interest: Interest,
    /// Nobody has looked at it.
    is_wanted: bool,
    fits: Option<Result<(), Unfit>>,
}

impl Check {
    fn is_of(&self, wanted: &Narrowing<'_>) -> bool {
        let Interest { pattern, format, .. } = &self.interest;
        let [filter, fields] = &self.texts;
        (&**pattern, *format, &**filter, &**fields)
            == (wanted.pattern, wanted.format, wanted.filter, wanted.fields)
    }
}

impl InterestTable {
    /// A client is gone.
    pub(super) fn forget(&mut self, id: ConnectionId) {
        self.checks.remove(&id);
    }

    /// The next one to check.
    pub(super) fn next_check(&mut self) -> Option<ConversionOrder> {
        while !self.is_checking {
            let id = self.wanted.pop_front()?;
            let Some(check) = self.checks.get_mut(&id) else { continue };
            if std::mem::take(&mut check.is_wanted) {
                self.is_checking = true;
                return Some(ConversionOrder::Check(id, check.interest.clone()));
            }
        }
        None
    }
}

impl EngineContext<'_> {
    /// What a client wants, as the router knows it; of guaranteed messages, if a durable subscription is named, or an empty name for
    /// a replay. None if it is not known yet whether there can be such messages: then
    /// the client is held.
    pub(super) fn narrowed(
        &mut self,
        wanted: &Narrowing<'_>,
        durable: Option<&str>,
    ) -> Result<Option<Narrowed>, Rejected> {
        let Narrowing { pattern, format, filter, fields } = *wanted;
        let id = self.client_session.id;
        // What is known is about this question, or about none.
        let check = self.state.interests.checks.remove(&id);
        let is_plain = filter.is_empty() && fields.is_empty();
        if is_plain && format.is_none() {
            return Ok(Some(Narrowed::default()));
        }
        let is_pattern = check_pattern(pattern);
        // What topics have in their schemas, and whether there are any, is told to those alone who may subscribe.
        if is_pattern.is_ok() {
            match durable {
                None => self.check_access(Operation::Subscribe, pattern)?,
                Some(_) => self.check_access_as(Operation::Consume, pattern, durable)?,
            }
        }
        let rendition = format.map(|it| self.conversion_of(it, pattern)).transpose()?;
        if is_plain {
            return Ok(Some(Narrowed { rendition, filter: None }));
        }
        is_pattern.map_err(Rejection::Pattern)?;
        match check.filter(|it| it.is_of(wanted)) {
            Some(Check { fits: Some(fits), interest, .. }) => {
                fits.map_err(|unfit| rejected(wanted, &unfit))?;
                return self.numbers_of(&interest, rendition).map(Some);
            }
            Some(check) => _ = self.state.interests.checks.insert(id, check),
            None => {
                // Also what has ended in the same turn.
                self.state.forget_ended(self.router, self.storage);
                let check = self.new_check(wanted)?;
                self.state.interests.checks.insert(id, check);
                self.state.interests.wanted.push_back(id);
            }
        }
        self.state.held.hold(id, WaitsFor::Check);
        Ok(None)
    }

    fn new_check(&self, wanted: &Narrowing<'_>) -> Result<Check, Rejected> {
        let Narrowing { pattern, format, filter, fields } = *wanted;
        let is_there = |text: &&str| !text.is_empty();
        let texts = [filter, fields].map(str::to_owned);
        let filter = Some(filter).filter(is_there).map(|it| self.new_filter(it)).transpose()?;
        let fields = Some(fields).filter(is_there).map(|it| self.new_selection(it)).transpose()?;
        if !self.state.conversions.is_about(pattern) {
            let (code, what) = match filter {
                Some(_) => (code::BAD_FILTER, "be filtered"),
                None => (code::BAD_FIELDS, "be selected"),
            };
            let text = format!(
                "no [[topic]] of the router's configuration says what is published to topics of \
                 {pattern:?}, so that nothing of it can {what}"
            );
            return Err(Rejected::new(code, text));
        }
        let (filter, fields) = (filter.map(Arc::new), fields.map(Arc::new));
        let interest = Interest { pattern: pattern.to_owned(), filter, fields, format };
        Ok(Check { texts, interest, is_wanted: true, fits: None })
    }

    /// The numbers of what was checked. `whole` is the rendition of whole messages.
    fn numbers_of(
        &mut self,
        interest: &Interest,
        whole: Option<RenditionFormat>,
    ) -> Result<Narrowed, Rejected> {
        let rendition = match &interest.fields {
            None => whole,
            Some(fields) => {
                let most = self.state.config.limits.selections;
                let number = self.state.selections.number_of(fields, most, self.router)?;
                selection_into(number, interest.format)
            }
        };
        let filter = interest.filter.as_ref().map(|it| self.state.filters.number_of(it));
        Ok(Narrowed { rendition, filter })
    }
}

fn rejected(wanted: &Narrowing<'_>, unfit: &Unfit) -> Rejected {
    match unfit {
        Unfit::Filter(error) => bad_filter(wanted.filter, error),
        Unfit::Fields(error) => bad_fields(wanted.fields, error),
    }
}

impl Engine {
    /// Whether there can be messages such as a client wants: it goes on.
    pub(super) fn interest_checked(&mut self, id: ConnectionId, fits: &Result<(), Unfit>) {
        self.state.interests.is_checking = false;
        if let Some(check) = self.state.interests.checks.get_mut(&id) {
            check.fits = Some(fits.clone());
            if self.state.held.reason(id) == Some(WaitsFor::Check) {
                self.state.held.release(id);
            }
        }
    }
}
