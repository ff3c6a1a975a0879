//! A first description of messages of which there are samples and nothing else: documents of XML, or objects of JSON.
//!
//! What stands in every sample is required, and what stands in some may be absent; what repeats in one of them is a
//! list. A value has the narrowest kind that all of its samples have: `boolean`, whole numbers, decimals, `f64`, dates,
//! times, durations, data in base64, and text otherwise. Samples do not say what else there may be: what in them has
//! more than one reading is [noted](Sample::notes), for whoever edits the description.
//!
//! | sample | layout |
//! |---|---|
//! | an element with elements or attributes, an object | a struct; its text is a member `value` |
//! | an element with one kind of element in it, of which there are several | a list |
//! | an element that stands several times | a list, unwrapped |
//! | an array | a list |
//! | text between elements; what is a value here and an object there | content of any shape |
//! | `xsi:nil`, `null` | a member that may be absent |
//!
//! Of an envelope of SOAP the message is what stands in the Body; header blocks are described beside it.

mod envelope;
mod guess;
mod json;
mod layout;
mod node;
mod xml;

use crate::{Described, Limits, Place, Problem};

use node::Node;

/// What was found in samples.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The message, and how it looks in XML.
    pub described: Described,
    /// The header blocks of the envelopes in which it stood.
    pub headers: Vec<Described>,
    /// What is not certain: where, and why.
    pub notes: Vec<Note>,
}

/// Something that samples leave open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The path of the member from the message on; the message's own name if it is of all.
    pub path: String,
    /// What may be otherwise.
    pub what: String,
}

/// Does a file look like a sample, not like a description? It is JSON, or XML whose root is none of those of WSDL, XML
/// Schema and FIX dictionaries.
pub fn is_sample(bytes: &[u8]) -> bool {
    match bytes.iter().find(|it| !it.is_ascii_whitespace()) {
        Some(b'{' | b'[') => true,
        Some(b'<' | 0xef | 0xfe | 0xff) => match crate::markup::Document::root_name(bytes) {
            Some((_, name)) if matches!(&*name, "fix" | "repository") => false,
            Some(_) => crate::Source::of(bytes) == crate::Source::Other,
            None => false,
        },
        _ => false,
    }
}

impl Sample {
    /// Reads files of samples, each a document of XML or objects of JSON, of one message; `name` is what the message is
    /// called if the samples do not say, as those of JSON.
    ///
    /// # Errors
    /// One of them is neither XML nor JSON, or their elements have different names, or there is none.
    pub fn read(files: &[(&str, &[u8])], name: &str, limits: &Limits) -> Result<Self, Problem> {
        let mut root: Option<(node::Name, Node)> = None;
        let mut beside = Beside::default();
        let mut is_json = false;
        for (file, bytes) in files {
            let is_xml = bytes.iter().find(|it| !it.is_ascii_whitespace()) != Some(&b'{')
                && bytes.iter().find(|it| !it.is_ascii_whitespace()) != Some(&b'[');
            let found = match is_xml {
                true => {
                    let (name, node) = xml::read(file, bytes, limits)?;
                    let opened = envelope::open(name, node).map_err(|what| {
                        Problem::new(&place(file, 1, 1), what, "give a sample with a message")
                    })?;
                    vec![beside.message_of(opened)]
                }
                false => json::read(file, bytes, name, limits)?,
            };
            is_json |= !is_xml;
            for (own, node) in found {
                match &mut root {
                    None => root = Some((own, node)),
                    Some((known, all)) if *known == own => all.merge(node),
                    Some((known, _)) => {
                        let what = format!("the sample is {own}, and those before are {known}");
                        let remedy = "give samples of one kind of message at a time";
                        return Err(Problem::new(&place(file, 1, 1), what, remedy));
                    }
                }
            }
        }
        let Some((name, node)) = root else {
            let file = files.first().map_or("", |it| it.0);
            let what = "there is no sample in it";
            return Err(Problem::new(&place(file, 1, 1), what, "give one at least"));
        };
        let mut sample = layout::described(&name, &node, is_json, &place(files[0].0, 1, 1))?;
        beside.describe(&mut sample, &place(files[0].0, 1, 1));
        Ok(sample)
    }
}

/// What stands beside messages in their envelopes.
#[derive(Default)]
struct Beside {
    /// How many envelopes there are.
    envelopes: usize,
    headers: Vec<(node::Name, Node)>,
    others: Vec<node::Name>,
}

impl Beside {
    /// Keeps what is beside the message.
    fn message_of(&mut self, opened: envelope::Opened) -> (node::Name, Node) {
        self.envelopes += usize::from(opened.is_in_envelope);
        for (name, node) in opened.headers {
            match self.headers.iter_mut().find(|it| it.0 == name) {
                Some((_, all)) => all.merge(node),
                None => self.headers.push((name, node)),
            }
        }
        self.others.extend(opened.others);
        (opened.name, opened.node)
    }

    /// Describes the header blocks, and says what the message was taken out of.
    fn describe(&self, sample: &mut Sample, place: &Place) {
        if self.envelopes == 0 {
            return;
        }
        let message = sample.described.layout.name().to_owned();
        let what = "it stands in the Body of envelopes, which are not described".to_owned();
        sample.notes.insert(0, Note { path: message.clone(), what });
        if let Some(other) = self.others.first() {
            let what = format!("the Body has more elements, which are not described: {other}");
            sample.notes.push(Note { path: message, what });
        }
        for (name, node) in &self.headers {
            let (count, all) = (node.count, self.envelopes);
            let found = layout::described(name, node, false, place);
            let how = match &found {
                Ok(_) => "described by itself".to_owned(),
                Err(problem) => format!("left out: {}", problem.what),
            };
            let what = format!("a header block, in {count} of {all} envelopes, {how}");
            sample.notes.push(Note { path: name.local.clone(), what });
            if let Ok(found) = found {
                sample.notes.extend(found.notes);
                sample.headers.push(found.described);
            }
        }
    }
}

fn place(file: &str, line: u32, column: u32) -> Place {
    Place { file: file.into(), line, column }
}

/// The line and the character of it, from 1, at which a byte stands.
fn line_and_column(bytes: &[u8], offset: usize) -> (u32, u32) {
    let before = &bytes[..offset.min(bytes.len())];
    let line = before.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    let lines = before.iter().filter(|it| **it == b'\n').count();
    let characters = String::from_utf8_lossy(&before[line..]).chars().count();
    (lines as u32 + 1, characters as u32 + 1)
}
