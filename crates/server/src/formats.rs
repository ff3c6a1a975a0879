//! Messages in the formats that their subscribers want: what is published to which topic, and how it becomes another
//! format. The router hands out messages to convert, one for each message and format; somebody else than its thread
//! converts them.

use std::fmt;
use std::sync::Arc;

use trunkline_native::format;
use trunkline_router::ConversionId;
use trunkline_transcode::{Format, Messages, Options};

use crate::config::TopicRule;

/// The formats that messages are converted from and into.
pub const CONVERTED: [u16; 7] = [
    format::JSON,
    format::SOAP_11,
    format::SOAP_12,
    format::FIX,
    format::CDR,
    format::FAST_INFOSET,
    format::XML,
];

/// Their names.
pub fn names() -> String {
    CONVERTED.map(|it| format::name(it).unwrap_or_default()).join(", ")
}

/// The first byte of CDR whose least significant byte comes first, which is what messages are converted into.
const LITTLE_ENDIAN: u8 = 1;

/// What whoever converts messages is asked for.
#[derive(Debug)]
pub enum ConversionOrder {
    /// What is published from now on to which topics.
    Topics(Arc<[TopicRule]>),
    /// A message is wanted in another format.
    Convert(Job),
}

/// A message that is wanted in another format.
pub struct Job {
    /// Of the router.
    pub id: ConversionId,
    /// The topic that it was published to.
    pub topic: String,
    /// The format that it has, as its publisher says or else its topic.
    pub from: u16,
    /// The format that it is wanted in.
    pub to: u16,
    /// The message itself.
    pub payload: Vec<u8>,
}

impl fmt::Debug for Job {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} of {} from {} to {}", self.id, self.topic, self.from, self.to)
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Converted {
    /// Of the router.
    pub id: ConversionId,
    /// The message, or why there is none.
    pub made: Result<Vec<u8>, String>,
}

/// Converts messages by the schemas of their topics.
#[derive(Debug, Default)]
pub struct Converter {
    rules: Arc<[TopicRule]>,
    /// By rule; rules with the same files have the same one.
    schemas: Vec<usize>,
    /// The messages of a schema, or why there are none.
    messages: Vec<Result<Messages, String>>,
}

impl Converter {
    /// From now on this is published.
    pub fn set_topics(&mut self, rules: Arc<[TopicRule]>) {
        (self.schemas, self.messages) = (Vec::new(), Vec::new());
        for (at, rule) in rules.iter().enumerate() {
            let is_same = |it: &TopicRule| {
                it.schema == rule.schema
                    && it.transport == rule.transport
                    && it.documents == rule.documents
            };
            if let Some(earlier) = rules[..at].iter().position(is_same) {
                self.schemas.push(self.schemas[earlier]);
                continue;
            }
            let messages = rule
                .describe()
                .map(|it| Messages::new(it, Options::default(), Default::default()))
                .map_err(|problem| problem.to_string());
            self.schemas.push(self.messages.len());
            self.messages.push(messages);
        }
        self.rules = rules;
    }

    /// Does what is asked for. A change of topics has no outcome.
    pub fn run(&mut self, order: ConversionOrder) -> Option<Converted> {
        match order {
            ConversionOrder::Topics(rules) => {
                self.set_topics(rules);
                None
            }
            ConversionOrder::Convert(job) => {
                let mut out = Vec::new();
                let made = self.convert(&job, &mut out).map(|()| out);
                Some(Converted { id: job.id, made })
            }
        }
    }

    /// Appends a message in the format that it is wanted in.
    fn convert(&mut self, job: &Job, out: &mut Vec<u8>) -> Result<(), String> {
        let rule = self.rules.iter().position(|it| it.is_about(&job.topic));
        let rule = rule.ok_or("no [[topic]] of the configuration is about its topic")?;
        let name = self.rules[rule].message.as_deref();
        let messages =
            self.messages[self.schemas[rule]].as_mut().map_err(|problem| problem.clone())?;
        let (from, bytes) = read_as(job.from, &job.payload).ok_or_else(|| {
            let published =
                format::name(job.from).map_or_else(|| job.from.to_string(), str::to_owned);
            format!("it was published as {published}, from which nothing is converted")
        })?;
        let to = match job.to {
            format::JSON => Format::Json,
            format::SOAP_11 => Format::Soap11,
            format::SOAP_12 => Format::Soap12,
            format::FIX => Format::Fix,
            format::FAST_INFOSET => Format::FastInfoset,
            format::XML => Format::Xml,
            format::CDR => {
                out.push(LITTLE_ENDIAN);
                Format::CdrLittle
            }
            _ => return Err(format!("nothing is converted into it; there are {}", names())),
        };
        messages.convert((from, bytes), name, to, out).map_err(|error| error.to_string())
    }
}

/// The format of a payload by its number, or else by how it begins, and the message in it.
pub fn read_as(number: u16, payload: &[u8]) -> Option<(Format, &[u8])> {
    let known = match number {
        // A file of one message may end as files of lines do.
        format::FIX => return Some((Format::Fix, payload.trim_ascii_end())),
        format::JSON => Format::Json,
        format::SOAP_11 => Format::Soap11,
        format::SOAP_12 => Format::Soap12,
        format::FAST_INFOSET => Format::FastInfoset,
        format::XML => Format::Xml,
        // Its first byte is the byte order.
        format::CDR => {
            let (order, message) = payload.split_first()?;
            let is_little = *order == LITTLE_ENDIAN;
            return Some((if is_little { Format::CdrLittle } else { Format::CdrBig }, message));
        }
        // Whoever publishes need not say it.
        format::OPAQUE | format::TEXT => Format::of(payload)?,
        _ => return None,
    };
    Some((known, payload))
}
