//! The application behind the scripts: it echoes orders, and refuses what it does not know.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use trunkline_fix::{Application, Message, Outbox, Refusal, Version};
use trunkline_import::fix::{Dictionary, Of, Part};

pub(crate) struct Echo {
    seen: HashSet<Vec<u8>>,
    groups: HashMap<u32, HashSet<u32>>,
}

/// The fields of the entries behind each counter, of all messages together.
fn groups(dictionary: &Dictionary, into: &mut HashMap<u32, HashSet<u32>>) {
    fn tags(dictionary: &Dictionary, parts: &[Part], into: &mut HashSet<u32>) {
        for part in parts {
            match part.of {
                Some(Of::Field(field)) => {
                    into.insert(dictionary.fields()[field].tag);
                }
                Some(Of::Component(component)) => {
                    tags(dictionary, &dictionary.components()[component].parts, into);
                }
                Some(Of::Group(group)) => {
                    let group = &dictionary.groups()[group];
                    into.extend(group.counter.map(|it| dictionary.fields()[it].tag));
                    tags(dictionary, &group.parts, into);
                }
                None => {}
            }
        }
    }
    for group in dictionary.groups() {
        if let Some(counter) = group.counter {
            tags(
                dictionary,
                &group.parts,
                into.entry(dictionary.fields()[counter].tag).or_default(),
            );
        }
    }
}

impl Echo {
    pub(crate) fn new([suite, _]: &[PathBuf; 2]) -> Self {
        let mut of_all = HashMap::new();
        groups(&super::engine::dictionary(&suite.join("dictionaries/FIX44.xml")), &mut of_all);
        Self { seen: HashSet::new(), groups: of_all }
    }

    /// The body in the order of QuickFIX: fields by number, each group behind its counter as it came.
    fn body(&self, message: Message<'_>) -> Vec<u8> {
        let mut parts: Vec<(u32, Vec<u8>)> = Vec::new();
        let mut members: Option<&HashSet<u32>> = None;
        for field in message.body() {
            let mut text = format!("{}=", field.tag).into_bytes();
            text.extend_from_slice(message.value(field));
            text.push(1);
            match parts.last_mut().filter(|_| members.is_some_and(|it| it.contains(&field.tag))) {
                Some(group) => group.1.extend(text),
                None => {
                    members = self.groups.get(&field.tag);
                    parts.push((field.tag, text));
                }
            }
        }
        parts.sort_by_key(|it| it.0);
        parts.into_iter().flat_map(|it| it.1).collect()
    }
}

impl Echo {
    /// News whose headline asks for an echo.
    fn news(&self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        let body = self.body(message);
        let at = body.windows(9).position(|it| it == b"148=echo:");
        if let Some(at) = at {
            let echo = [&body[..at + 4], &body[at + 9..]].concat();
            let encoding = message.get(347).map(|it| (347, it));
            outbox.send_with("B", encoding.as_slice(), &echo).expect("it is sent");
        }
        Ok(())
    }
}

impl Application for Echo {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        let version = outbox.settings().identity.version;
        let is_echoed = match message.message_type() {
            b"B" => return self.news(message, outbox),
            b"D" | b"C" | b"R" => true,
            b"d" => version >= Version::Fix42,
            _ => false,
        };
        if !is_echoed {
            let words = if version >= Version::Fix42 { "Message Type" } else { "message type" };
            return Err(Refusal::Business { reason: 3, text: format!("Unsupported {words}") });
        }
        let is_resend = message.is_set(97);
        if message.message_type() == b"D" {
            let is_new = self.seen.insert(message.get(11).unwrap_or_default().to_vec());
            if is_resend && !is_new {
                return Ok(());
            }
        }
        let header: &[(u32, &[u8])] = if is_resend { &[(97, b"Y")] } else { &[] };
        let message_type = String::from_utf8_lossy(message.message_type()).into_owned();
        let sent = outbox.send_with(&message_type, header, &self.body(message));
        sent.map(|_| ()).map_err(|error| Refusal::Business { reason: 4, text: error.to_string() })
    }

    fn logged_out(&mut self, _reason: &str) {
        self.seen.clear();
    }
}
