//! Messages in the formats that their subscribers want, those of their fields that they want, and held against their
//! filters: what is published to which topic, how it becomes another format, and what it says. The router hands out messages
//! to convert, one for each message, format and selection of fields, and to look at, one for all filters; somebody else than
//! its thread does that.

use std::fmt;
use std::sync::Arc;

use foldhash::HashMap;
use trunkline_native::format;
use trunkline_router::{ClientId, ConversionId, DecisionId};
use trunkline_transcode::{
    Filter, FilterError, Format, HeaderBlocks, Messages, Options, Selection,
};

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

/// For whom something is done: for the router, or for consumers of guaranteed messages, each with numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker<T> {
    /// The router.
    Router(T),
    /// Consumers.
    Store(u32),
}

/// What whoever converts messages is asked for.
#[derive(Debug)]
pub enum ConversionOrder {
    /// What is published from now on to which topics.
    Topics(Arc<[TopicRule]>),
    /// A message is wanted in another format, of this number.
    Convert(Asker<ConversionId>, u16, PublishedMessage),
    /// What is selected of a message is wanted, in another format, of this number, or in its own.
    Select(Asker<ConversionId>, Option<u16>, Arc<Selection>, PublishedMessage),
    /// Which of these filters does a message pass?
    Decide(Asker<DecisionId>, Vec<Arc<Filter>>, PublishedMessage),
    /// Can there be such messages as a client wants?
    Check(ClientId, Interest),
}

/// What a client wants of the messages of a pattern.
#[derive(Clone, Debug)]
pub struct Interest {
    /// The pattern.
    pub pattern: String,
    /// Those messages that pass it.
    pub filter: Option<Arc<Filter>>,
    /// These fields of them.
    pub fields: Option<Arc<Selection>>,
    /// The number of the format, if it is another one than they are published in.
    pub format: Option<u16>,
}

/// Why there are no such messages.
#[derive(Clone, Debug)]
pub enum Unfit {
    /// The filter is not about them.
    Filter(FilterError),
    /// They have not these fields, or the format cannot leave out the others.
    Fields(FilterError),
}

/// A message with what is known of it.
pub struct PublishedMessage {
    /// The topic that it was published to.
    pub topic: String,
    /// The format that it has, as its publisher says or else its topic.
    pub format: u16,
    /// The message itself.
    pub payload: Vec<u8>,
}

impl fmt::Debug for PublishedMessage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a message of {} in format {}", self.topic, self.format)
    }
}

/// What came of it.
#[derive(Debug)]
pub enum Converted {
    /// The message in the wanted format, or why there is none.
    Message(Asker<ConversionId>, Result<Vec<u8>, String>),
    /// Whether the message passes each of the filters, or why that is not known.
    Decided(Asker<DecisionId>, Result<Vec<bool>, String>),
    /// Why there are no messages such as this client wants, if it is so.
    Checked(ClientId, Result<(), Unfit>),
}

impl Converted {
    /// Bytes of what was made.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Message(_, Ok(made)) => made.capacity(),
            Self::Decided(_, Ok(passes)) => passes.capacity(),
            Self::Message(_, Err(why)) | Self::Decided(_, Err(why)) => why.capacity(),
            Self::Checked(..) => 0,
        }
    }
}

impl ConversionOrder {
    /// What comes of it when whoever converts messages cannot do it; nothing where nothing is to come.
    pub fn failed(&self, why: &str) -> Option<Converted> {
        let why = why.to_owned();
        match self {
            Self::Topics(_) => None,
            Self::Convert(id, ..) | Self::Select(id, ..) => Some(Converted::Message(*id, Err(why))),
            Self::Decide(id, ..) => Some(Converted::Decided(*id, Err(why))),
            Self::Check(client, interest) => {
                let error = FilterError { offset: 0, why };
                let unfit = match interest.filter {
                    Some(_) => Unfit::Filter(error),
                    None => Unfit::Fields(error),
                };
                Some(Converted::Checked(*client, Err(unfit)))
            }
        }
    }
}

/// Converts messages by the schemas of their topics.
#[derive(Debug, Default)]
pub struct Converter {
    rules: Arc<[TopicRule]>,
    /// By rule; rules with the same files have the same one.
    schemas: Vec<usize>,
    /// The messages of a schema, or why there are none.
    messages: Vec<Result<Messages, String>>,
    /// The rules of topics that messages came on.
    known: HashMap<String, usize>,
}

/// Topics whose rules are known at most; with one more they are looked for again.
const MOST_KNOWN: usize = 4_096;

/// Header blocks are for nodes of SOAP: subscribers of other formats do without those that may be ignored.
fn options() -> Options {
    Options { header_blocks: HeaderBlocks::LeaveOutOptional, ..Options::default() }
}

impl Converter {
    /// From now on this is published.
    pub fn set_topics(&mut self, rules: Arc<[TopicRule]>) {
        (self.schemas, self.messages) = (Vec::new(), Vec::new());
        self.known.clear();
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
                .map(|it| Messages::new(it, options(), Default::default()))
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
            ConversionOrder::Convert(id, to, message) => {
                let mut out = Vec::new();
                let made = self.convert(&message, to, &mut out).map(|()| out);
                Some(Converted::Message(id, made))
            }
            ConversionOrder::Select(id, to, fields, message) => {
                let mut out = Vec::new();
                let made = self.select(&message, &fields, to, &mut out).map(|()| out);
                Some(Converted::Message(id, made))
            }
            ConversionOrder::Decide(id, filters, message) => {
                Some(Converted::Decided(id, self.decide(&message, &filters)))
            }
            ConversionOrder::Check(client, interest) => {
                Some(Converted::Checked(client, self.check(&interest)))
            }
        }
    }

    /// What is known of a message: the messages of its schema, and its name, if the rule says that.
    fn described(&mut self, topic: &str) -> Result<(&mut Messages, Option<&str>), String> {
        let rule = self.rule_of(topic);
        let rule = rule.ok_or("no [[topic]] of the configuration is about its topic")?;
        let messages = self.messages[self.schemas[rule]].as_mut();
        let messages = messages.map_err(|problem| problem.clone())?;
        Ok((messages, self.rules[rule].message.as_deref()))
    }

    /// The first rule that is about a topic.
    fn rule_of(&mut self, topic: &str) -> Option<usize> {
        if let Some(rule) = self.known.get(topic) {
            return Some(*rule);
        }
        let rule = self.rules.iter().position(|it| it.is_about(topic))?;
        if self.known.len() == MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(topic.to_owned(), rule);
        Some(rule)
    }

    /// Which of these filters a message passes.
    ///
    /// # Errors
    /// It cannot be read by the schema of its topic; why.
    pub fn decide(
        &mut self,
        message: &PublishedMessage,
        filters: &[Arc<Filter>],
    ) -> Result<Vec<bool>, String> {
        let (messages, name) = self.described(&message.topic)?;
        let read = message.read()?;
        messages.passes(read, name, filters).map_err(|error| error.to_string())
    }

    /// Whether there are such messages in some topic of the pattern: the filter is about some, and so are the fields.
    fn check(&self, interest: &Interest) -> Result<(), Unfit> {
        let Interest { pattern, filter, fields, format } = interest;
        if let Some(filter) = filter {
            self.check_topics(pattern, |messages, rule| {
                messages.check(filter, rule.message.as_deref())
            })
            .map_err(Unfit::Filter)?;
        }
        if let Some(fields) = fields {
            self.check_topics(pattern, |messages, rule| {
                let to = format.or(rule.format).and_then(written_as);
                messages.check_selection(fields, to, rule.message.as_deref())
            })
            .map_err(Unfit::Fields)?;
        }
        Ok(())
    }

    /// Whether something is so of the messages of some topic of a pattern; or why it is not of those of the first.
    fn check_topics(
        &self,
        pattern: &str,
        check: impl Fn(&Messages, &TopicRule) -> Result<(), FilterError>,
    ) -> Result<(), FilterError> {
        let mut first = None;
        for (rule, schema) in self.rules.iter().zip(&self.schemas) {
            if !rule.is_about(pattern) {
                continue;
            }
            let checked = match &self.messages[*schema] {
                Ok(messages) => check(messages, rule),
                Err(problem) => Err(FilterError { offset: 0, why: problem.clone() }),
            };
            match checked {
                Ok(()) => return Ok(()),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        let why =
            || "no [[topic]] of the configuration is about any topic of the pattern".to_owned();
        Err(first.unwrap_or_else(|| FilterError { offset: 0, why: why() }))
    }

    /// Appends a message in the format that it is wanted in.
    ///
    /// # Errors
    /// It cannot be read by the schema of its topic, or has no form in the other format; why.
    pub fn convert(
        &mut self,
        message: &PublishedMessage,
        to: u16,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let (messages, name) = self.described(&message.topic)?;
        let read = message.read()?;
        let (to, before) = target(to)?;
        messages.convert_behind(before, read, name, to, out).map_err(|error| error.to_string())
    }

    /// Appends what is selected of a message, in the format that it is wanted in or else in its own.
    ///
    /// # Errors
    /// As [`convert`](Self::convert), or the format cannot leave out the other fields.
    pub fn select(
        &mut self,
        message: &PublishedMessage,
        fields: &Arc<Selection>,
        to: Option<u16>,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let (messages, name) = self.described(&message.topic)?;
        let (from, bytes) = message.read()?;
        let (to, before) = match to {
            Some(to) => target(to)?,
            None => {
                // The byte order, as it is.
                let is_cdr = matches!(from, Format::CdrLittle | Format::CdrBig);
                (from, &message.payload[..usize::from(is_cdr)])
            }
        };
        messages
            .select_behind(before, (from, bytes), name, fields, to, out)
            .map_err(|error| error.to_string())
    }
}

/// The format of this number, as it is written.
fn written_as(number: u16) -> Option<Format> {
    Some(match number {
        format::JSON => Format::Json,
        format::SOAP_11 => Format::Soap11,
        format::SOAP_12 => Format::Soap12,
        format::FIX => Format::Fix,
        format::FAST_INFOSET => Format::FastInfoset,
        format::XML => Format::Xml,
        format::CDR => Format::CdrLittle,
        _ => return None,
    })
}

/// The same for what is about to be written, and what stands before a message in it.
fn target(number: u16) -> Result<(Format, &'static [u8]), String> {
    let to = written_as(number)
        .ok_or_else(|| format!("nothing is converted into it; there are {}", names()))?;
    let before: &'static [u8] = if to == Format::CdrLittle { &[LITTLE_ENDIAN] } else { &[] };
    Ok((to, before))
}

impl PublishedMessage {
    /// The message in it, and its format.
    fn read(&self) -> Result<(Format, &[u8]), String> {
        read_as(self.format, &self.payload).ok_or_else(|| {
            let published =
                format::name(self.format).map_or_else(|| self.format.to_string(), str::to_owned);
            format!("it was published as {published}, which nobody reads by a schema")
        })
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
