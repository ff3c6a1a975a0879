//! What the messages carry: ticks of a market, or the prices that a bank makes of them.

use std::io;

use serde::{Deserialize, Serialize};

use super::stamp::{STAMP, sum};
use crate::fx::{BODY, Group, PricingEngine, SEED, Stream, TickLimits, Ticks};

/// Ticks that are generated where no file is named, and ticks of a feed that are sent before they begin
/// again.
const TICKS: usize = 16_384;

/// Prices that are made before they begin again, about: several of each topic if there are few topics.
const PRICES: usize = 32_768;

/// The most prices of each topic.
const MOMENTS: usize = 64;

/// Ticks that are looked at for the next price of every topic, at most.
const LOOKED_AT: usize = 4_096;

/// Which topics there are: so many streams of prices, and others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topics {
    /// What the messages of the streams carry.
    pub content: Content,
    /// Streams of prices.
    pub streams: usize,
    /// The streams are so many parts of the same length, each for another consumer: one message goes to
    /// the first, the next to the second.
    #[serde(default = "one")]
    pub parts: usize,
    /// What the market quotes.
    pub market: Vec<Pair>,
    /// Files of ticks; generated ones if there are none.
    #[serde(default)]
    pub ticks: Vec<String>,
    /// Topics after the streams: of orders and of feedback.
    #[serde(default)]
    pub others: Vec<String>,
}

fn one() -> usize {
    1
}

/// What streams carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Ticks as a feed handler gets them, a topic for each pair and source.
    Ticks,
    /// Prices with a margin for each group of customers, of crosses and forwards too: a topic for each.
    Prices,
}

/// A pair of currencies that the market quotes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Such as `EURUSD`.
    pub name: String,
    /// Whether its ticks were those of a market once.
    pub is_real: bool,
}

/// The ticks of these files, or generated ones.
///
/// # Errors
/// A file holds no ticks.
pub fn ticks(files: &[String]) -> io::Result<Ticks> {
    match files.is_empty() {
        true => Ok(Ticks::generated(SEED, TICKS)),
        false => Ticks::from_files(files, &TickLimits::default()).map_err(io::Error::other),
    }
}

/// What the market of these ticks quotes.
pub fn market(ticks: &Ticks) -> Vec<Pair> {
    let pair = |it: &Stream| Pair { name: it.pair.clone(), is_real: it.is_real };
    ticks.streams.iter().map(pair).collect()
}

impl Topics {
    /// The names of all topics: of the streams, and then the others.
    pub fn names(&self) -> Vec<String> {
        let mut names = match self.content {
            Content::Ticks => {
                let ticks = Ticks { streams: self.sources(), ticks: Vec::new() };
                ticks.topics()
            }
            Content::Prices => {
                let (engine, order) = self.engine();
                let topics = engine.topics();
                (0..self.streams).map(|stream| topics[order.topic(stream)].clone()).collect()
            }
        };
        names.truncate(self.streams);
        names.extend(self.others.iter().cloned());
        names
    }

    fn sources(&self) -> Vec<Stream> {
        let source = |pair: &Pair| Stream {
            pair: pair.name.clone(),
            source: String::new(),
            is_real: pair.is_real,
        };
        self.market.iter().map(source).collect()
    }

    /// An engine with as many groups of customers as it takes to have enough topics.
    fn engine(&self) -> (PricingEngine, Order) {
        let streams = self.sources();
        let of_one = PricingEngine::new(&streams, &groups(1)).topics().len().max(1);
        let groups = groups(self.streams.div_ceil(of_one).max(1));
        let order = Order { of_group: of_one, groups: groups.len() };
        (PricingEngine::new(&streams, &groups), order)
    }
}

/// Groups of customers: the later, the wider are their prices.
fn groups(count: usize) -> Vec<Group> {
    let group = |number: usize| Group {
        name: format!("customer{number}"),
        margin: number as i64 % 20,
        amount: 5_000 / (number as u32 % 10 + 1),
    };
    (0..count).map(group).collect()
}

/// Streams follow one another by customers, so that neighbours belong to one; the engine's topics follow
/// one another by what is priced.
#[derive(Clone, Copy, Debug)]
struct Order {
    of_group: usize,
    groups: usize,
}

impl Order {
    fn topic(self, stream: usize) -> usize {
        stream % self.of_group * self.groups + stream / self.of_group
    }

    fn stream(self, topic: usize) -> usize {
        topic % self.groups * self.of_group + topic / self.groups
    }
}

/// Payloads that want nothing but their stamps, in the order in which they are sent.
#[derive(Debug)]
pub(super) struct Source {
    /// The payloads one after another.
    bytes: Vec<u8>,
    /// Bytes of each.
    length: usize,
    /// The stream of each, with the sum of its body.
    about: Vec<(u32, u32)>,
    streams: usize,
}

impl Source {
    /// The payloads of these topics, of so many bytes each.
    ///
    /// # Errors
    /// A file holds no ticks.
    pub(super) fn new(topics: &Topics, length: usize) -> io::Result<Self> {
        let ticks = ticks(&topics.ticks)?;
        if ticks.streams.len() != topics.market.len() {
            let (ticks, market) = (ticks.streams.len(), topics.market.len());
            let what = format!("ticks of {ticks} streams for a market of {market}");
            return Err(io::Error::other(what));
        }
        let length = length.max(STAMP + BODY);
        let streams = topics.streams;
        let mut source = Self { bytes: Vec::new(), length, about: Vec::new(), streams };
        match topics.content {
            Content::Ticks => source.add_ticks(&ticks),
            Content::Prices => source.add_prices(&ticks, topics),
        }
        match source.about.is_empty() {
            true => Err(io::Error::other("there are no prices")),
            false => Ok(source),
        }
    }

    /// How many streams there are.
    pub(super) fn streams(&self) -> usize {
        self.streams
    }

    fn add_ticks(&mut self, ticks: &Ticks) {
        let mut body = [0; BODY];
        for (number, tick) in ticks.ticks.iter().take(TICKS).enumerate() {
            if usize::from(tick.stream) < self.streams {
                ticks.quote(tick, number as u64).write(&mut body);
                self.add(tick.stream.into(), &body);
            }
        }
    }

    /// Moments of the market: at each, every topic has its price.
    fn add_prices(&mut self, ticks: &Ticks, topics: &Topics) {
        let (mut engine, order) = topics.engine();
        let mut prices = vec![[0; BODY]; topics.streams];
        let mut all = ticks.ticks.iter().enumerate().cycle();
        for _ in 0..(PRICES / topics.streams.max(1)).clamp(1, MOMENTS) {
            let mut is_heard = vec![false; ticks.streams.len()];
            for (number, tick) in all.by_ref().take(LOOKED_AT) {
                // A source that is quoted often waits for the others: every price is made once.
                if std::mem::replace(&mut is_heard[usize::from(tick.stream)], true) {
                    continue;
                }
                engine.price(tick, number as u64, &mut |topic, body| {
                    if let Some(price) = prices.get_mut(order.stream(topic)) {
                        *price = *body;
                    }
                });
                if is_heard.iter().all(|it| *it) {
                    break;
                }
            }
            // Dealt to the parts in turn, so that all of them have something at any time.
            let parts = topics.parts.clamp(1, prices.len().max(1));
            for number in 0..prices.len() / parts * parts {
                let stream = number % parts * (prices.len() / parts) + number / parts;
                self.add(stream, &prices[stream]);
            }
        }
    }

    fn add(&mut self, stream: usize, body: &[u8; BODY]) {
        let start = self.bytes.len();
        self.bytes.resize(start + self.length, 0);
        let payload = &mut self.bytes[start..];
        payload[STAMP..STAMP + BODY].copy_from_slice(body);
        self.about.push((stream as u32, sum(&payload[STAMP..])));
    }

    /// The payload of the message with this number: its stream, its bytes, and the sum of its body.
    #[inline]
    pub(super) fn payload(&mut self, number: u64) -> (usize, &mut [u8], u32) {
        let index = (number % self.about.len() as u64) as usize;
        let (stream, check) = self.about[index];
        let start = index * self.length;
        (stream as usize, &mut self.bytes[start..start + self.length], check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::Quote;
    use std::collections::BTreeSet;

    fn topics(content: Content, streams: usize) -> Topics {
        let market = market(&ticks(&[]).expect("generated"));
        let others = vec!["orders/venue".to_owned()];
        Topics { content, streams, parts: 1, market, ticks: Vec::new(), others }
    }

    #[test]
    fn messages_are_dealt_to_the_parts_in_turn() {
        let topics = Topics { parts: 3, ..topics(Content::Prices, 12) };
        let mut source = Source::new(&topics, 128).expect("prices");
        let streams: Vec<usize> = (0..12).map(|number| source.payload(number).0).collect();
        assert_eq!(streams, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    }

    #[test]
    fn streams_have_names_of_their_own_and_neighbours_one_customer() {
        let names = topics(Content::Prices, 5_000).names();
        assert_eq!(names.len(), 5_001);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 5_001);
        assert!(names[0].starts_with("fx/") && names[0].ends_with("/customer0"), "{}", names[0]);
        assert!(names[1].ends_with("/customer0"), "{}", names[1]);
        assert!(!names[4_999].ends_with("/customer0"), "{}", names[4_999]);
        assert_eq!(names[5_000], "orders/venue");
    }

    #[test]
    fn every_stream_carries_prices_of_what_its_name_says() {
        let topics = topics(Content::Prices, 1_000);
        let names = topics.names();
        let mut source = Source::new(&topics, 128).expect("prices");
        let mut priced = 0;
        for number in 0..1_000 {
            let (stream, payload, check) = source.payload(number);
            assert_eq!(stream as u64, number, "in turn");
            assert_eq!(check, sum(&payload[STAMP..]));
            let body: &[u8; BODY] = payload[STAMP..].first_chunk().expect("a body");
            let Some(quote) = Quote::read(body).filter(|quote| quote.pair != [0; 8]) else {
                continue;
            };
            let text =
                |bytes: &[u8; 8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
            let name = format!("fx/{}/{}/", text(&quote.pair), text(&quote.tenor));
            assert!(names[stream].starts_with(&name), "{name} in {}", names[stream]);
            priced += 1;
        }
        assert!(priced > 900, "{priced}");
    }

    #[test]
    fn a_feed_sends_ticks_in_their_order() {
        let topics = topics(Content::Ticks, 32);
        let mut source = Source::new(&topics, 128).expect("ticks");
        let ticks = ticks(&[]).expect("generated");
        for (number, tick) in ticks.ticks.iter().enumerate().take(100) {
            let (stream, payload, _) = source.payload(number as u64);
            assert_eq!(stream, usize::from(tick.stream));
            let body = payload[STAMP..].first_chunk().expect("a body");
            let quote = Quote::read(body).expect("a quote");
            assert_eq!((quote.bid, quote.ask), (tick.bid, tick.ask));
        }
    }
}
