//! What becomes of a message that came in a session: the rules of the configuration, without I/O.

use trunkline_fix::Refusal;
use trunkline_import::fix::Dictionary;
use trunkline_router::{check_pattern, check_topic};
use trunkline_server::config::{Fix, FixDelivery};

use crate::names::{Names, cut};
use crate::requests::{MarketData, MarketDataRejection, MarketRule, Requests};
use crate::template::Template;

/// BusinessRejectReason (380): no rule takes the message.
const UNSUPPORTED: u32 = 3;
/// BusinessRejectReason (380): a field is missing that the topic is made of.
pub(crate) const FIELD_MISSING: u32 = 5;
/// BusinessRejectReason (380): what is named is not known.
pub(crate) const UNKNOWN_ID: u32 = 1;
/// BusinessRejectReason (380): something else.
const OTHER: u32 = 0;

/// What is done with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is stored on a topic: guaranteed delivery.
    Store {
        /// The topic.
        topic: String,
    },
    /// It is published to a topic: direct delivery.
    Publish {
        /// The topic.
        topic: String,
    },
}

/// The rules of sessions.
#[derive(Debug)]
pub struct Rules {
    takes: Vec<Take>,
    sends: Vec<Template>,
    market: Vec<MarketRule>,
    names: Names,
}

/// A rule about messages that come.
#[derive(Debug)]
struct Take {
    /// MsgTypes; none are all.
    message_types: Vec<String>,
    topic: Template,
    delivery: FixDelivery,
}

impl Rules {
    /// The rules of a configuration, checked.
    ///
    /// # Errors
    /// The first rule that is wrong, and why.
    pub fn new(config: &Fix, dictionary: Option<&Dictionary>) -> Result<Self, String> {
        let names = Names::new(dictionary);
        let read = |text: &str| Template::read(text, &names).map_err(|why| why.to_string());
        let mut takes = Vec::new();
        for rule in &config.rules {
            let topic = read(&rule.topic)?;
            let sample = topic.fill(|_| Some(b"x")).unwrap_or_default();
            check_topic(&sample).map_err(|why| format!("{:?} is no topic: {why}", rule.topic))?;
            let mut message_types = Vec::new();
            for name in rule.messages.iter().filter(|it| *it != "*") {
                let unknown =
                    || format!("{name} is no message of the dictionary or of the standard");
                message_types.push(names.message_type(name).ok_or_else(unknown)?);
            }
            if rule.messages.iter().any(|it| it == "*") {
                message_types.clear();
            }
            takes.push(Take { message_types, topic, delivery: rule.delivery });
        }
        let mut sends = Vec::new();
        for send in &config.sends {
            let pattern = read(&send.topics)?;
            if let Some(tag) = pattern.fields().find(|it| !matches!(it, 49 | 56)) {
                let (text, field) = (pattern.text(), names.field(tag));
                return Err(format!(
                    "{text:?}: {field} is of no session; there are SenderCompID, which is this side, and TargetCompID"
                ));
            }
            let sample = pattern.fill(|_| Some(b"x")).unwrap_or_default();
            check_pattern(&sample)
                .map_err(|why| format!("{:?} is no pattern: {why}", send.topics))?;
            sends.push(pattern);
        }
        let market = config.market_data.iter().map(|it| MarketRule::new(it, &names));
        let market = market.collect::<Result<_, _>>()?;
        Ok(Self { takes, sends, market, names })
    }

    /// What is done with a message: its MsgType (35), and what stands in its fields.
    ///
    /// # Errors
    /// How it is refused: no rule takes it, or it lacks a field.
    pub fn decide<'a>(
        &self,
        message_type: &[u8],
        value: impl Fn(u32) -> Option<&'a [u8]>,
    ) -> Result<Action, Refusal> {
        let business = |reason, text| Refusal::Business { reason, text };
        let takes = |it: &&Take| {
            it.message_types.is_empty()
                || it.message_types.iter().any(|it| it.as_bytes() == message_type)
        };
        let Some(rule) = self.takes.iter().find(takes) else {
            let message_type = String::from_utf8_lossy(message_type);
            let text = format!("no rule takes messages of the MsgType {}", cut(&message_type));
            return Err(business(UNSUPPORTED, text));
        };
        let topic = rule.topic.fill(value).map_err(|tag| {
            let (field, topic) = (self.names.field(tag), rule.topic.text());
            business(
                FIELD_MISSING,
                format!("{field} is missing, of which the topic {topic} is made"),
            )
        })?;
        check_topic(&topic)
            .map_err(|why| business(OTHER, format!("the topic {:?}: {why}", cut(&topic))))?;
        Ok(match rule.delivery {
            FixDelivery::Guaranteed => Action::Store { topic },
            FixDelivery::Direct => Action::Publish { topic },
        })
    }

    /// Is there a rule about market data?
    pub fn has_market_data(&self) -> bool {
        !self.market.is_empty()
    }

    /// What a MarketDataRequest (V) asks for, given as its fields in order.
    ///
    /// # Errors
    /// Why it is not granted: then nothing has changed.
    pub fn market_data(
        &self,
        requests: &mut Requests,
        fields: &[(u32, &[u8])],
    ) -> Result<MarketData, MarketDataRejection> {
        requests.decide(&self.market, &self.names, fields)
    }

    /// The patterns of topics whose messages are sent in a session of these two sides.
    pub fn sends(&self, sender: &str, target: &str) -> Vec<String> {
        let value = |tag| Some(if tag == 49 { sender.as_bytes() } else { target.as_bytes() });
        self.sends.iter().filter_map(|it| it.fill(value).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use trunkline_server::config::{FixRule, FixSend};

    use super::*;

    fn config() -> Fix {
        let rule = |messages: &[&str], topic: &str, delivery| FixRule {
            messages: messages.iter().map(|it| (*it).to_owned()).collect(),
            topic: topic.to_owned(),
            delivery,
        };
        Fix {
            listen: Some("127.0.0.1:0".to_owned()),
            connect: None,
            ca: None,
            certificates: std::collections::BTreeMap::new(),
            logon: None,
            heartbeat: None,
            hours: None,
            tls: false,
            sender: "BANK".to_owned(),
            targets: vec!["FUND".to_owned()],
            version: None,
            dictionary: None,
            transport: None,
            store: "store".into(),
            rules: vec![
                rule(
                    &["NewOrderSingle", "F"],
                    "orders/{SenderCompID}/{55}",
                    FixDelivery::Guaranteed,
                ),
                rule(&["R"], "quotes/{QuoteReqID}", FixDelivery::Direct),
            ],
            sends: vec![FixSend { topics: "reports/{TargetCompID}/>".to_owned() }],
            market_data: Vec::new(),
        }
    }

    fn decided(rules: &Rules, fields: &[(u32, &'static str)]) -> Result<Action, (u32, String)> {
        let value = |tag| fields.iter().find(|it| it.0 == tag).map(|it| it.1.as_bytes());
        rules.decide(value(35).unwrap_or_default(), value).map_err(|refusal| match refusal {
            Refusal::Business { reason, text } => (reason, text),
            Refusal::Session(refused) => panic!("{refused:?}"),
        })
    }

    #[test]
    fn the_first_rule_of_a_message_type_says_where_it_goes() {
        let rules = Rules::new(&config(), None).expect("rules");
        let topic = "orders/FUND/INTC".to_owned();
        assert_eq!(
            decided(&rules, &[(35, "D"), (49, "FUND"), (55, "INTC")]),
            Ok(Action::Store { topic })
        );
        let topic = "quotes/q%2F1".to_owned();
        assert_eq!(decided(&rules, &[(35, "R"), (131, "q/1")]), Ok(Action::Publish { topic }));
        assert_eq!(rules.sends("BANK", "FUND"), ["reports/FUND/>"]);
    }

    #[test]
    fn what_no_rule_takes_and_what_lacks_a_field_is_refused() {
        let rules = Rules::new(&config(), None).expect("rules");
        assert_eq!(
            decided(&rules, &[(35, "G")]),
            Err((3, "no rule takes messages of the MsgType G".to_owned()))
        );
        let missing =
            "Symbol (55) is missing, of which the topic orders/{SenderCompID}/{55} is made";
        assert_eq!(decided(&rules, &[(35, "D"), (49, "FUND")]), Err((5, missing.to_owned())));
        let long: &'static str = "long".repeat(100).leak();
        let refused = decided(&rules, &[(35, "D"), (49, "FUND"), (55, long)]);
        assert!(refused.is_err_and(|it| it.0 == 0
            && it.1.contains("the topic \"orders/FUND/long")
            && it.1.len() < 400));
    }

    #[test]
    fn rules_that_are_wrong_say_why() {
        let why = |change: &dyn Fn(&mut Fix)| {
            let mut config = config();
            change(&mut config);
            Rules::new(&config, None).expect_err("wrong")
        };
        assert_eq!(
            why(&|it| it.rules[0].messages = vec!["NewOrder".to_owned()]),
            "NewOrder is no message of the dictionary or of the standard"
        );
        assert!(why(&|it| it.rules[0].topic = "a//b".to_owned()).contains("\"a//b\" is no topic"));
        assert!(why(&|it| it.rules[0].topic = "a/>".to_owned()).contains("is no topic"));
        assert!(why(&|it| it.sends[0].topics = "a/>/b".to_owned()).contains("is no pattern"));
        assert!(
            why(&|it| it.sends[0].topics = "a/{55}".to_owned())
                .contains("Symbol (55) is of no session")
        );
    }
}
