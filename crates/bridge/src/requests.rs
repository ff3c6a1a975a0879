//! Requests for market data of one session: what is asked for, without I/O.

use std::collections::HashMap;

use trunkline_fix::{Refusal, is_of_header};
use trunkline_router::{check_topic, name_fits};
use trunkline_server::config::FixMarketData;

use crate::names::{Names, cut};
use crate::rules::{FIELD_MISSING, UNKNOWN_ID};
use crate::template::Template;

/// Open requests of a session, and entries of one.
const MOST: usize = 1_000;

const SYMBOL: u32 = 55;
const NO_RELATED_SYM: u32 = 146;
const MD_REQ_ID: u32 = 262;
const SUBSCRIPTION_REQUEST_TYPE: u32 = 263;

/// What a MarketDataRequest (V) asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarketData {
    /// Updates of topics.
    Subscribe {
        /// MDReqID (262), which every update has.
        id: String,
        /// The topics.
        topics: Vec<MarketTopic>,
    },
    /// No more of a request.
    Unsubscribe {
        /// MDReqID (262) of that request.
        id: String,
    },
}

/// A topic whose updates are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketTopic {
    /// The topic.
    pub topic: String,
    /// The most updates a second; 0: as many as the session takes.
    pub updates_per_second: u32,
}

/// Why a request is not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarketDataRejection {
    /// A MarketDataRequestReject (Y).
    Request {
        /// MDReqID (262).
        id: String,
        /// MDReqRejReason (281).
        reason: char,
        /// Text (58).
        text: String,
    },
    /// The message is refused.
    Message(Refusal),
}

/// MDReqRejReason (281).
pub(crate) mod reason {
    pub(crate) const UNKNOWN_SYMBOL: char = '0';
    pub(crate) const DUPLICATE: char = '1';
    pub(crate) const BANDWIDTH: char = '2';
    pub(crate) const PERMISSIONS: char = '3';
    pub(crate) const SUBSCRIPTION_TYPE: char = '4';
}

/// A rule about market data.
#[derive(Debug)]
pub(crate) struct MarketRule {
    pub(crate) topic: Template,
    /// Patterns; none fit every symbol.
    symbols: Vec<String>,
    updates_per_second: u32,
}

impl MarketRule {
    pub(crate) fn new(config: &FixMarketData, names: &Names) -> Result<Self, String> {
        let topic = Template::read(&config.topic, names).map_err(|why| why.to_string())?;
        let sample = topic.fill(|_| Some(b"x")).unwrap_or_default();
        check_topic(&sample).map_err(|why| format!("{:?} is no topic: {why}", config.topic))?;
        let (symbols, updates_per_second) = (config.symbols.clone(), config.updates_per_second);
        Ok(Self { topic, symbols, updates_per_second })
    }

    fn fits(&self, symbol: &str) -> bool {
        self.symbols.is_empty() || self.symbols.iter().any(|it| name_fits(it, symbol))
    }
}

/// The requests of a session that are open.
#[derive(Debug, Default)]
pub struct Requests {
    open: HashMap<String, usize>,
}

impl Requests {
    /// Forgets a request: it is known that it has ended.
    pub fn remove(&mut self, id: &str) {
        self.open.remove(id);
    }

    /// Forgets all: a session begins without any.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    /// What is to be done for a request, given as its fields in order. One that is to end is open until it is removed.
    pub(crate) fn decide(
        &mut self,
        rules: &[MarketRule],
        names: &Names,
        fields: &[(u32, &[u8])],
    ) -> Result<MarketData, MarketDataRejection> {
        let header = fields.iter().take_while(|it| is_of_header(it.0)).count();
        let get = |tag| {
            let place = if is_of_header(tag) { &fields[..header] } else { fields };
            place.iter().find(|it| it.0 == tag).map(|it| it.1)
        };
        let needed = |tag| {
            let text = format!("{} is missing", names.field(tag));
            let refusal = Refusal::Business { reason: FIELD_MISSING, text };
            get(tag).ok_or(MarketDataRejection::Message(refusal))
        };
        let id = String::from_utf8_lossy(needed(MD_REQ_ID)?).into_owned();
        let reject = |reason, text: String| {
            Err(MarketDataRejection::Request { id: id.clone(), reason, text })
        };
        match needed(SUBSCRIPTION_REQUEST_TYPE)? {
            b"1" => {}
            b"2" if self.open.contains_key(&id) => return Ok(MarketData::Unsubscribe { id }),
            b"2" => {
                let text = format!("no request is open with the MDReqID {}", cut(&id));
                let refusal = Refusal::Business { reason: UNKNOWN_ID, text };
                return Err(MarketDataRejection::Message(refusal));
            }
            other => {
                let text = format!(
                    "SubscriptionRequestType {} is not supported: 1 subscribes, 2 unsubscribes",
                    cut(&String::from_utf8_lossy(other))
                );
                return reject(reason::SUBSCRIPTION_TYPE, text);
            }
        }
        if self.open.contains_key(&id) {
            let text = format!("a request with the MDReqID {} is open", cut(&id));
            return reject(reason::DUPLICATE, text);
        }
        if self.open.len() >= MOST {
            return reject(reason::BANDWIDTH, format!("{MOST} requests are open"));
        }
        let entries = entries(fields);
        if entries.is_empty() || entries.len() > MOST {
            let text = format!("a request names 1 to {MOST} symbols, and not {}", entries.len());
            return reject(reason::UNKNOWN_SYMBOL, text);
        }
        let mut topics = Vec::with_capacity(entries.len());
        for entry in entries {
            match topic(rules, names, entry, get) {
                Ok(topic) => topics.push(topic),
                Err(text) => return reject(reason::UNKNOWN_SYMBOL, text),
            }
        }
        self.open.insert(id.clone(), topics.len());
        Ok(MarketData::Subscribe { id, topics })
    }
}

/// The entries of NoRelatedSym, each from its first field on.
fn entries<'a, 'b>(fields: &'a [(u32, &'b [u8])]) -> Vec<&'a [(u32, &'b [u8])]> {
    let Some(at) = fields.iter().position(|it| it.0 == NO_RELATED_SYM) else { return Vec::new() };
    let group = &fields[at + 1..];
    let Some(first) = group.first().map(|it| it.0) else { return Vec::new() };
    let begins = (0..group.len()).filter(|at| group[*at].0 == first);
    let begins: Vec<usize> = begins.chain([group.len()]).collect();
    begins.windows(2).map(|it| &group[it[0]..it[1]]).collect()
}

/// The topic of an entry; a field that is none of it may be of the message. Fields of the header are of the message alone: it was
/// looked at whose they are.
fn topic<'a>(
    rules: &[MarketRule],
    names: &Names,
    entry: &[(u32, &'a [u8])],
    get: impl Fn(u32) -> Option<&'a [u8]>,
) -> Result<MarketTopic, String> {
    let of_entry = |tag| entry.iter().find(|it| it.0 == tag && !is_of_header(tag)).map(|it| it.1);
    let symbol = of_entry(SYMBOL).ok_or("an entry has no Symbol (55)")?;
    let symbol = String::from_utf8_lossy(symbol);
    let rule = rules.iter().find(|it| it.fits(&symbol));
    let shown = cut(&symbol);
    let rule = rule.ok_or_else(|| format!("the symbol {shown} is not known"))?;
    let topic = rule
        .topic
        .fill(|tag| of_entry(tag).or_else(|| get(tag)))
        .map_err(|tag| format!("{} of the symbol {shown} is missing", names.field(tag)))?;
    check_topic(&topic).map_err(|why| format!("the topic {:?}: {why}", cut(&topic)))?;
    Ok(MarketTopic { topic, updates_per_second: rule.updates_per_second })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Vec<MarketRule> {
        let rule = |topic: &str, symbols: &[&str], updates_per_second| {
            let symbols = symbols.iter().map(|it| (*it).to_owned()).collect();
            let config = FixMarketData { topic: topic.to_owned(), symbols, updates_per_second };
            MarketRule::new(&config, &Names::default()).expect("a rule")
        };
        vec![rule("fx/{Symbol}", &["EUR/*", "USD/JPY"], 10), rule("eq/{207}/{Symbol}", &["I*"], 0)]
    }

    fn decide(requests: &mut Requests, text: &str) -> Result<MarketData, (char, String)> {
        let fields: Vec<(u32, &[u8])> = text
            .split('|')
            .filter_map(|it| it.split_once('='))
            .map(|(tag, value)| (tag.parse().expect("a number"), value.as_bytes()))
            .collect();
        requests.decide(&rules(), &Names::default(), &fields).map_err(|it| match it {
            MarketDataRejection::Request { reason, text, .. } => (reason, text),
            MarketDataRejection::Message(Refusal::Business { reason, text }) => {
                (char::from_digit(reason, 10).expect("a digit"), format!("refused: {text}"))
            }
            MarketDataRejection::Message(it) => panic!("{it:?}"),
        })
    }

    #[test]
    fn each_symbol_is_a_topic_until_it_is_unsubscribed() {
        let mut requests = Requests::default();
        let request = "35=V|262=r|263=1|264=1|267=1|269=0|146=2|55=EUR/USD|55=INTC|207=XNAS";
        let topic = |topic: &str, updates_per_second| MarketTopic {
            topic: topic.to_owned(),
            updates_per_second,
        };
        let topics = vec![topic("fx/EUR%2FUSD", 10), topic("eq/XNAS/INTC", 0)];
        let id = || "r".to_owned();
        assert_eq!(decide(&mut requests, request), Ok(MarketData::Subscribe { id: id(), topics }));
        let duplicate = (reason::DUPLICATE, "a request with the MDReqID r is open".to_owned());
        assert_eq!(decide(&mut requests, request), Err(duplicate));
        let end = "35=V|262=r|263=2|146=1|55=EUR/USD";
        // It is open until somebody has ended it.
        for _ in 0..2 {
            assert_eq!(decide(&mut requests, end), Ok(MarketData::Unsubscribe { id: id() }));
        }
        requests.remove("r");
        let unknown = "refused: no request is open with the MDReqID r".to_owned();
        assert_eq!(decide(&mut requests, end), Err(('1', unknown)));
        assert!(decide(&mut requests, request).is_ok());
    }

    #[test]
    fn an_entry_does_not_say_who_asks() {
        let config = FixMarketData {
            topic: "fx/{SenderCompID}/{OnBehalfOfCompID}/{Symbol}".to_owned(),
            symbols: Vec::new(),
            updates_per_second: 0,
        };
        let rules = [MarketRule::new(&config, &Names::default()).expect("a rule")];
        let topic = |header: &[(u32, &'static [u8])]| {
            let body: [(u32, &[u8]); 6] = [
                (262, b"r"),
                (263, b"1"),
                (146, b"1"),
                (55, b"A"),
                (49, b"OTHER"),
                (115, b"OTHER"),
            ];
            let fields = [header, &body].concat();
            match Requests::default().decide(&rules, &Names::default(), &fields) {
                Ok(MarketData::Subscribe { topics, .. }) => Ok(topics[0].topic.clone()),
                other => Err(format!("{other:?}")),
            }
        };
        let own: &[(u32, &[u8])] = &[(35, b"V"), (49, b"FUND"), (115, b"DESK")];
        assert_eq!(topic(own).as_deref(), Ok("fx/FUND/DESK/A"));
        assert!(topic(&own[..2]).is_err_and(|it| it.contains("OnBehalfOfCompID (115)")));
    }

    #[test]
    fn what_cannot_be_had_is_rejected_and_leaves_nothing_open() {
        let mut requests = Requests::default();
        for (request, reason, why) in [
            ("262=r|263=1|146=1|55=GBP/USD", '0', "the symbol GBP/USD is not known"),
            (
                "262=r|263=1|146=2|55=EUR/USD|55=INTC",
                '0',
                "SecurityExchange (207) of the symbol INTC is missing",
            ),
            ("262=r|263=1|146=1|65=x", '0', "an entry has no Symbol (55)"),
            ("262=r|263=1|146=0", '0', "a request names 1 to 1000 symbols, and not 0"),
            ("262=r|263=1", '0', "a request names 1 to 1000 symbols, and not 0"),
            (
                "262=r|263=0|146=1|55=EUR/USD",
                '4',
                "SubscriptionRequestType 0 is not supported: 1 subscribes, 2 unsubscribes",
            ),
            ("263=1|146=1|55=EUR/USD", '5', "refused: MDReqID (262) is missing"),
            ("262=r|146=1|55=EUR/USD", '5', "refused: SubscriptionRequestType (263) is missing"),
        ] {
            assert_eq!(decide(&mut requests, request), Err((reason, why.to_owned())), "{request}");
        }
        assert!(requests.open.is_empty());
        for number in 0..MOST {
            let request = format!("262={number}|263=1|146=1|55=EUR/USD");
            assert!(decide(&mut requests, &request).is_ok());
        }
        let full = decide(&mut requests, "262=r|263=1|146=1|55=EUR/USD");
        assert_eq!(full, Err((reason::BANDWIDTH, "1000 requests are open".to_owned())));
    }
}
