//! The thread that converts messages, with the time that it takes.

use std::collections::VecDeque;

use trunkline_random::Random;
use trunkline_server::formats::{ConversionOrder, Converted, Converter};

/// One order after the other; each takes a while.
pub(crate) struct Conversions {
    orders: VecDeque<(u64, ConversionOrder)>,
    converter: Converter,
    random: Random,
    /// The most nanoseconds that an order takes.
    pub(crate) most: u64,
    /// When the last one is done.
    free_at: u64,
}

impl Conversions {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            orders: VecDeque::new(),
            converter: Converter::default(),
            random: Random::stream(seed, 7),
            most: 2_000_000,
            free_at: 0,
        }
    }

    pub(crate) fn begin(&mut self, now: u64, order: ConversionOrder) {
        self.free_at = self.free_at.max(now) + self.random.between(1_000, self.most);
        self.orders.push_back((self.free_at, order));
    }

    /// When the next order is done.
    pub(crate) fn next_outcome(&self) -> Option<u64> {
        self.orders.front().map(|(due, _)| *due)
    }

    pub(crate) fn outcome(&mut self, now: u64) -> Option<Converted> {
        while self.next_outcome().is_some_and(|due| due <= now)
            && let Some((_, order)) = self.orders.pop_front()
        {
            let outcome = self.converter.run(order);
            if outcome.is_some() {
                return outcome;
            }
        }
        None
    }
}
