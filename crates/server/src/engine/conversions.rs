//! Messages on their way to whoever converts them, and what clients may ask for.

use std::sync::Arc;

use tracing::warn;
use trunkline_native::{code, format};
use trunkline_router::{ConvertsTo, Message, RenditionFormat, check_pattern};
use trunkline_session::router::{Rejected, conversion_into, converts_to};

use super::context::EngineContext;
use super::prepared::Given;
use super::{Engine, LOGGED_EVERY, message_bytes};
use crate::config::{Config, TopicRule};
use crate::formats::{self, Asker, CONVERTED, ConversionOrder, Converted, PublishedMessage};

/// Messages that are under way at a time, and their bytes: others wait in the router, in turn by format, as part of what
/// is rendered ahead for their clients; and what exceeds that waits in the queues of these clients.
const MOST: usize = 64;
const MOST_BYTES: usize = 1 << 20;

/// What is published to which topics, and how much of it is being converted.
#[derive(Debug)]
pub(super) struct ConversionState {
    topics: Arc<[TopicRule]>,
    /// Whoever converts does not know the topics yet.
    is_new: bool,
    under_way: usize,
    bytes: usize,
    /// Bytes of what was made and not taken from whoever made it.
    made_bytes: usize,
    /// Of messages to look at for filters, of messages to convert, and of guaranteed ones, in this order.
    turn: usize,
    /// When the log said last that a message could not be converted.
    logged_at: Option<u64>,
}

impl ConversionState {
    pub(super) fn new(config: &Config) -> Self {
        let topics: Arc<[TopicRule]> = config.topics.clone().into();
        let is_new = !topics.is_empty();
        let (under_way, bytes, made_bytes, turn, logged_at) = (0, 0, 0, 0, None);
        Self { topics, is_new, under_way, bytes, made_bytes, turn, logged_at }
    }

    pub(super) fn reconfigure(&mut self, config: &Config) {
        if *self.topics != *config.topics {
            (self.topics, self.is_new) = (config.topics.clone().into(), true);
        }
    }

    /// Whether it is known what is published to some topic of a pattern.
    pub(super) fn is_about(&self, pattern: &str) -> bool {
        self.topics.iter().any(|it| it.is_about(pattern))
    }

    /// Bytes of what is being converted, and of what came of it and was not taken.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.made_bytes
    }

    /// The format of a message, where its publisher says no more than that it is bytes or text.
    #[inline]
    pub(super) fn format_of<'a>(&self, number: u16, topic: impl FnOnce() -> &'a str) -> u16 {
        if self.topics.is_empty() || !matches!(number, format::OPAQUE | format::TEXT) {
            return number;
        }
        let topic = topic();
        let rule = self.topics.iter().find(|it| it.is_about(topic));
        rule.and_then(|it| it.format).unwrap_or(number)
    }
}

impl EngineContext<'_> {
    /// The rendition for messages of a pattern that are wanted in a format.
    pub(super) fn conversion_of(
        &self,
        number: u16,
        pattern: &str,
    ) -> Result<RenditionFormat, Rejected> {
        let rendition = conversion_into(number).filter(|_| CONVERTED.contains(&number));
        let Some(rendition) = rendition else {
            let name = format::name(number).map_or_else(|| number.to_string(), str::to_owned);
            let text = format!("nothing is converted into {name}; there are {}", formats::names());
            return Err(Rejected::new(code::NO_FORMAT, text));
        };
        // Of what is no pattern the router says so.
        if check_pattern(pattern).is_ok() && !self.state.conversions.is_about(pattern) {
            let text = format!(
                "no [[topic]] of the router's configuration says what is published to topics of \
                 {pattern:?}, so that nothing of it can be converted"
            );
            return Err(Rejected::new(code::NO_FORMAT, text));
        }
        Ok(rendition)
    }
}

impl Engine {
    /// What is to be given next to whoever converts messages; what comes of it is for [`Engine::converted`].
    pub fn next_conversion(&mut self) -> Option<ConversionOrder> {
        let state = &mut self.state.conversions;
        if std::mem::take(&mut state.is_new) {
            self.storage.deferred.begin_anew();
            return Some(ConversionOrder::Topics(Arc::clone(&state.topics)));
        }
        self.state.forget_ended(&mut self.router, &mut self.storage);
        self.state.selections.forget_many(&mut self.router);
        if let Some(check) = self.state.interests.next_check() {
            return Some(check);
        }
        let state = &self.state.conversions;
        if state.under_way >= MOST || state.bytes >= MOST_BYTES {
            return None;
        }
        let order = self.next_order()?;
        let state = &mut self.state.conversions;
        state.under_way += 1;
        state.bytes += bytes_of(&order);
        Some(order)
    }

    /// Messages to look at for filters, messages to convert, and guaranteed ones take turns.
    fn next_order(&mut self) -> Option<ConversionOrder> {
        const NEXT: [fn(&mut Engine) -> Option<ConversionOrder>; 3] =
            [Engine::next_decision, Engine::next_message, |engine| {
                engine.storage.deferred.next_order()
            }];
        let turn = self.state.conversions.turn;
        self.state.conversions.turn = (turn + 1) % NEXT.len();
        (turn..turn + NEXT.len()).find_map(|it| NEXT[it % NEXT.len()](self))
    }

    fn next_message(&mut self) -> Option<ConversionOrder> {
        let it = self.router.next_conversion()?;
        let message = published(&it.message);
        let to = converts_to(it.format).unwrap_or(ConvertsTo::Format(format::OPAQUE));
        Some(match to {
            ConvertsTo::Format(to) => ConversionOrder::Convert(Asker::Router(it.id), to, message),
            ConvertsTo::Part(to) => {
                let fields = self.state.selections.get(it.format);
                ConversionOrder::Select(Asker::Router(it.id), to, fields, message)
            }
        })
    }

    fn next_decision(&mut self) -> Option<ConversionOrder> {
        let it = self.router.next_decision()?;
        let all = it.filters.iter().map(|it| self.state.filters.get(*it)).collect();
        Some(ConversionOrder::Decide(Asker::Router(it.id), all, published(&it.message)))
    }

    /// Bytes of what was made and not taken from whoever made it.
    #[inline]
    pub(crate) fn count_converted(&mut self, bytes: usize) {
        self.state.conversions.made_bytes = bytes;
    }

    /// What was asked of whoever converts messages is done, or cannot be. Returns how many deliveries that made.
    pub fn converted(&mut self, now: u64, it: &Converted) -> usize {
        let (bytes, problem) = match it {
            Converted::Message(id, made) => {
                let (made, problem) =
                    (made.as_deref().map_err(String::as_str), made.as_ref().err());
                let bytes = match id {
                    Asker::Router(id) => self.router.converted(now, *id, made),
                    Asker::Store(id) => self.prepared(*id, Given::Message(made)),
                };
                (bytes, problem)
            }
            Converted::Decided(id, passes) => {
                let problem = passes.as_ref().err();
                let passes = passes.as_deref().map_err(String::as_str);
                let bytes = match id {
                    Asker::Router(id) => self.router.decided(now, *id, passes),
                    Asker::Store(id) => self.prepared(*id, Given::Passes(passes)),
                };
                (bytes, problem)
            }
            Converted::Checked(client, fits) => {
                self.interest_checked(*client, fits);
                return 0;
            }
        };
        let state = &mut self.state.conversions;
        state.under_way -= 1;
        state.bytes -= bytes;
        let is_due = state.logged_at.is_none_or(|at| now >= at.saturating_add(LOGGED_EVERY));
        if let Some(reason) = problem
            && is_due
        {
            state.logged_at = Some(now);
            warn!(%reason, "a message is not to be had as somebody wants it");
        }
        // It is work of the router's own, and no client's turn.
        self.send_due(now) + self.router.take_work()
    }

    /// What came of an order for consumers. Returns the bytes of the message.
    fn prepared(&mut self, id: u32, given: Given<'_>) -> usize {
        self.storage.deferred.given(id, given, message_bytes(&self.state.config))
    }
}

fn published(it: &Message<'_>) -> PublishedMessage {
    let (topic, payload) = (it.name().to_owned(), it.payload.to_vec());
    PublishedMessage { topic, format: it.format, payload }
}

fn bytes_of(order: &ConversionOrder) -> usize {
    match order {
        ConversionOrder::Convert(_, _, it)
        | ConversionOrder::Select(_, _, _, it)
        | ConversionOrder::Decide(_, _, it) => it.payload.len(),
        ConversionOrder::Topics(_) | ConversionOrder::Check(..) => 0,
    }
}
