//! What is measured of messages of market data: one length after another, as in Figure 3 and otherwise.

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::fix;

use super::{messages, randomised};
use crate::experiment::Operation;
use crate::format::Codec;
use crate::scenario::{Content, Scenario, Stage};
use crate::trading_day::{SEED, TradingDay};
use trunkline_experiment::definition::Measure;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{SIZE, SIZE_OF_FIGURE_5, SIZE_OF_FIGURE_6};

/// The case of encoding what is not in the caches.
pub(crate) const ENCODE_COLD: &str = "encode-cold";

/// So many messages that none is left in the caches when its turn comes again.
const COLD: &str = "cold";
/// No two entries set the same fields.
const RANDOMISED: &str = "randomised";

/// Messages of one length of which peers tell the sizes.
const OF_PEERS: usize = 500;

/// The messages of a trading day.
#[derive(Clone, Copy)]
pub(crate) struct MarketData<'a> {
    pub(crate) day: &'a TradingDay,
    /// Entries of a message.
    pub(crate) lengths: &'a [u32],
}

impl Scenario for MarketData<'_> {
    type Message = MarketDataIncrementalRefresh;

    fn timed(&self, measures: &[&Measure]) -> Vec<Content> {
        let plain = self.plain();
        let longest = plain.longest();
        let is_randomised =
            measures.iter().any(|measure| matches!(measure, Measure::Codec(it) if it.randomised));
        let randomised = Content {
            is_plain: false,
            is_fitted: false,
            ..Content::new(RANDOMISED, &[longest], messages::BATCHES)
        };
        // The shortest and the longest are enough for a line; all of them are there at once.
        let shortest = plain.lengths.iter().copied().min().filter(|it| *it < longest);
        let ends: Vec<_> = shortest.into_iter().chain([longest]).collect();
        let operations = &[Operation::Encode];
        let cold = Content { is_plain: false, operations, ..Content::new(COLD, &ends, 1) };
        [plain].into_iter().chain(is_randomised.then_some(randomised)).chain([cold]).collect()
    }

    fn sized(&self, measures: &[&Measure]) -> Vec<Content> {
        let is_printed =
            measures.iter().any(|measure| matches!(measure, Measure::Size(it) if it.as_printed));
        let printed = [(SIZE_OF_FIGURE_6, Format::SoapRpc), (SIZE_OF_FIGURE_5, Format::Fix)];
        let printed = printed.into_iter().filter(|_| is_printed).map(|(case, format)| Content {
            name: case[SIZE.len() + 1..].to_owned(),
            only: Some(format),
            ..self.plain()
        });
        [self.plain()].into_iter().chain(printed).collect()
    }

    /// Every batch takes other messages of the day, as long as the day has more.
    fn batch(&self, stage: Stage<'_>, index: usize) -> Vec<MarketDataIncrementalRefresh> {
        let entries = stage.entries.unwrap_or(1) as usize;
        if stage.content.name == COLD {
            return messages::cold(self.day, entries);
        }
        let most = messages::timed(stage.operation, entries);
        let all = messages::sample(self.day, entries, most * messages::BATCHES);
        let mut messages: Vec<_> =
            all.iter().skip(index % all.len()).step_by(messages::BATCHES).cloned().collect();
        if stage.content.name == RANDOMISED {
            randomised::randomise(&mut messages, SEED + index as u64);
        }
        messages
    }

    /// The whole day.
    fn all(
        &self,
        content: &Content,
        entries: Option<u32>,
    ) -> impl Iterator<Item = MarketDataIncrementalRefresh> {
        let entries = entries.unwrap_or(1) as usize;
        let is_figure_6 = content.case(SIZE) == SIZE_OF_FIGURE_6;
        (0..messages::count(self.day, entries)).map(move |index| {
            let mut message = messages::message(self.day, entries, index);
            if is_figure_6 {
                as_figure_6(&mut message);
            }
            message
        })
    }

    /// Some of the day: their toolkits take longer. None of what only the paper printed.
    fn written_by_peers(
        &self,
        content: &Content,
        entries: Option<u32>,
    ) -> Vec<MarketDataIncrementalRefresh> {
        let most = if content.only.is_none() { OF_PEERS } else { 0 };
        messages::sample(self.day, entries.unwrap_or(1) as usize, most)
    }

    fn codec(&self, format: Format, content: &Content) -> Codec {
        match &*content.case(SIZE) {
            SIZE_OF_FIGURE_5 => {
                Codec::fix(&fix::Options { body_length_digits: 8, ..fix::Options::default() })
            }
            _ => Codec::of(format),
        }
    }
}

impl MarketData<'_> {
    /// Every entry sets the fields of Figure 3.
    fn plain(&self) -> Content {
        let lengths: Vec<Option<u32>> = self.lengths.iter().copied().map(Some).collect();
        Content::new("", &lengths, messages::BATCHES)
    }
}

fn as_figure_6(message: &mut MarketDataIncrementalRefresh) {
    message.header.msg_seq_num = None;
    for entry in message.body.entries.iter_mut() {
        entry.clear_md_entry_type();
    }
}
