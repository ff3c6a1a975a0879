//! What becomes of messages of durable subscriptions that are not acknowledged.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use trunkline_router::check_topic;
use trunkline_store::{DeadLetters, DeliveryPolicy, DeliveryRule};

use super::quantity;

/// A `[[journal.durable]]`: the policy of durable subscriptions by name. The first rule that fits decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DurableRule {
    /// Names of durable subscriptions; `*` stands for any characters, or none.
    pub name: String,
    /// The time to acknowledge a message, after which it is redelivered; none is no bound.
    #[serde(default, deserialize_with = "time")]
    pub acknowledge_within: Option<Duration>,
    /// The most deliveries of a message, which then becomes a dead letter; none is no bound.
    #[serde(default)]
    pub deliveries: Option<u32>,
    /// The topic of dead letters.
    #[serde(default, deserialize_with = "topic")]
    pub dead_letters: Option<String>,
}

/// The least time to acknowledge.
const LEAST: Duration = Duration::from_millis(10);

impl DurableRule {
    /// What is wrong with it.
    pub(super) fn problem(&self) -> Option<String> {
        let what = match self {
            Self { acknowledge_within: None, deliveries: None, dead_letters: None, .. } => {
                "has neither acknowledge_within nor deliveries"
            }
            Self { acknowledge_within: Some(time), .. } if *time < LEAST => {
                "has an acknowledge_within of less than \"10ms\""
            }
            Self { deliveries: Some(0), .. } => "has deliveries of less than 1",
            Self { deliveries: Some(_), dead_letters: None, .. } => {
                "has deliveries and no dead_letters: the topic to which messages go after so many"
            }
            Self { deliveries: None, dead_letters: Some(_), .. } => {
                "has dead_letters and no deliveries: after how many a message goes there"
            }
            _ => return None,
        };
        Some(format!("the journal.durable of {:?} {what}", self.name))
    }

    /// As the store takes it.
    pub(super) fn settings(&self) -> DeliveryRule {
        let within = self.acknowledge_within.unwrap_or_default().as_nanos();
        let letters = self.deliveries.zip(self.dead_letters.as_deref());
        let policy = DeliveryPolicy {
            acknowledge_within: u64::try_from(within).unwrap_or(u64::MAX),
            dead_letters: letters
                .map(|(deliveries, topic)| DeadLetters { deliveries, topic: topic.into() }),
        };
        DeliveryRule { name: self.name.clone(), policy }
    }
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    quantity::time(from).map(Some)
}

fn topic<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    match check_topic(&text) {
        Ok(()) => Ok(Some(text)),
        Err(error) => Err(de::Error::custom(format!("{text:?} is no topic: {error}"))),
    }
}
