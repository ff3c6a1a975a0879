//! Scenarios: the messages of an experiment, as far as measures of codecs and sizes know them.
//!
//! A family of messages says which [contents](Content) there are and makes the messages; formats come from the
//! definition, and the expected answers are the messages themselves. Everything else is the same for all families:
//! [`measure::codec`](crate::measure) and [`measure::size`](crate::measure).

use std::fmt;

use trunkline_message::{Message, Structure};

use crate::experiment::Operation;
use crate::format::Codec;
use trunkline_experiment::definition::Measure;
use trunkline_experiment::format::Format;

/// In the order of all that is printed.
pub(crate) const OPERATIONS: [Operation; 2] = [Operation::Encode, Operation::Decode];

/// Messages with one name in the cases of rows, of one length or of several.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    /// How its cases end, such as `simple` in `decode-simple`; nothing if they do not.
    pub(crate) name: String,
    /// Entries of its messages, one number after another; one None where messages have no lengths.
    pub(crate) lengths: Vec<Option<u32>>,
    /// What is timed with them.
    pub(crate) operations: &'static [Operation],
    /// In how many batches the messages are taken, one after another.
    pub(crate) batches: usize,
    /// As the experiment has them: with these the noise is measured, and what variants of a format save.
    pub(crate) is_plain: bool,
    /// A line goes through the costs by length.
    pub(crate) is_fitted: bool,
    /// The only format that has them, if not all do.
    pub(crate) only: Option<Format>,
}

impl Content {
    /// Plain messages of these lengths, encoded and decoded in so many batches.
    pub(crate) fn new(name: &str, lengths: &[Option<u32>], batches: usize) -> Self {
        Self {
            name: name.to_owned(),
            lengths: lengths.to_vec(),
            operations: &OPERATIONS,
            batches,
            is_plain: true,
            is_fitted: lengths.iter().all(Option::is_some),
            only: None,
        }
    }

    /// The case of what is measured of them, such as `encode-cold`.
    pub(crate) fn case(&self, measured: &str) -> String {
        match &*self.name {
            "" => measured.to_owned(),
            name => format!("{measured}-{name}"),
        }
    }

    /// The length for which single figures are printed.
    pub(crate) fn longest(&self) -> Option<u32> {
        self.lengths.iter().copied().flatten().max()
    }

    /// Whether a format has them.
    pub(crate) fn is_in(&self, format: Format) -> bool {
        self.only.is_none_or(|only| only == format)
    }
}

/// One operation on messages of one length.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    pub(crate) content: &'a Content,
    pub(crate) entries: Option<u32>,
    pub(crate) operation: Operation,
}

impl fmt::Display for Stage<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operation, name) = (self.operation.name(), &self.content.name);
        match self.entries {
            None => write!(out, "{operation} the {name} message"),
            Some(entries) if name.is_empty() => write!(out, "{operation} messages of {entries}"),
            Some(entries) => write!(out, "{operation} {name} messages of {entries}"),
        }
    }
}

/// A family of messages.
pub(crate) trait Scenario {
    /// What an application has in hand.
    type Message: Message + Structure + PartialEq + Sync;

    /// What these measures ask to be encoded and decoded, in order.
    fn timed(&self, measures: &[&Measure]) -> Vec<Content>;

    /// What these measures ask the sizes of, in order.
    fn sized(&self, measures: &[&Measure]) -> Vec<Content>;

    /// The messages of one batch; each batch has others, as far as there are others.
    fn batch(&self, stage: Stage<'_>, index: usize) -> Vec<Self::Message>;

    /// All messages of a content and length whose sizes are asked for.
    fn all(&self, content: &Content, entries: Option<u32>) -> impl Iterator<Item = Self::Message>;

    /// Those of them that peers write too: what XML lets them, toolkits leave out and add.
    fn written_by_peers(&self, content: &Content, entries: Option<u32>) -> Vec<Self::Message>;

    /// Encoder and decoder of a content, in a format that has it.
    fn codec(&self, format: Format, _content: &Content) -> Codec {
        Codec::of(format)
    }
}
