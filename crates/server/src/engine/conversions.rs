//! Messages on their way to whoever converts them, and what clients may ask for.

use std::sync::Arc;

use tracing::warn;
use trunkline_native::{code, format};
use trunkline_router::{RenditionFormat, check_pattern};
use trunkline_session::router::{Rejected, conversion_into, converts_to};

use super::context::EngineContext;
use super::{Engine, LOGGED_EVERY};
use crate::config::{Config, TopicRule};
use crate::formats::{self, CONVERTED, ConversionOrder, Converted, Job};

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
    /// When the log said last that a message could not be converted.
    logged_at: Option<u64>,
}

impl ConversionState {
    pub(super) fn new(config: &Config) -> Self {
        let topics: Arc<[TopicRule]> = config.topics.clone().into();
        Self { is_new: !topics.is_empty(), topics, under_way: 0, bytes: 0, logged_at: None }
    }

    pub(super) fn reconfigure(&mut self, config: &Config) {
        if *self.topics != *config.topics {
            (self.topics, self.is_new) = (config.topics.clone().into(), true);
        }
    }

    /// Bytes of what is being converted.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
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
        let topics = &self.state.conversions.topics;
        // Of what is no pattern the router says so.
        if check_pattern(pattern).is_ok() && !topics.iter().any(|it| it.is_about(pattern)) {
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
            return Some(ConversionOrder::Topics(Arc::clone(&state.topics)));
        }
        if state.under_way >= MOST || state.bytes >= MOST_BYTES {
            return None;
        }
        let it = self.router.next_conversion()?;
        let job = Job {
            id: it.id,
            topic: it.message.name().to_owned(),
            from: it.message.format,
            to: converts_to(it.format).unwrap_or(format::OPAQUE),
            payload: it.message.payload.to_vec(),
        };
        state.under_way += 1;
        state.bytes += job.payload.len();
        Some(ConversionOrder::Convert(job))
    }

    /// A message was converted, or cannot be.
    pub fn converted(&mut self, now: u64, it: &Converted) {
        let made = it.made.as_deref().map_err(String::as_str);
        let bytes = self.router.converted(now, it.id, made);
        let state = &mut self.state.conversions;
        state.under_way -= 1;
        state.bytes -= bytes;
        let is_due = state.logged_at.is_none_or(|at| now >= at.saturating_add(LOGGED_EVERY));
        if let Err(reason) = &it.made
            && is_due
        {
            state.logged_at = Some(now);
            warn!(%reason, "a message is not to be had in the format that somebody wants");
        }
        // It is work of the router's own, and nobody's turn.
        self.router.take_work();
    }
}
