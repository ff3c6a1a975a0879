//! Payloads as the messages that they are, by a schema.

use trunkline_server::formats::read_as;
use trunkline_transcode::{Format, Messages, Options};

use crate::arguments::SubArguments;
use crate::client::write_payload;
use crate::description;
use crate::fault::Fault;
use crate::input::limits;

/// Shows payloads.
pub(super) struct Payloads {
    messages: Option<Messages>,
    name: Option<String>,
    json: Vec<u8>,
    /// Payloads that are not what the schema says, and why the first of them is not.
    wrong: u64,
    why: Option<String>,
}

impl Payloads {
    pub(super) fn new(arguments: &SubArguments) -> Result<Self, Fault> {
        let described = |file: &String| {
            let description = description::read(file, &arguments.description)?;
            Ok::<_, Fault>(Messages::new(description, Options::default(), limits()))
        };
        let messages = arguments.schema.as_ref().map(described).transpose()?;
        let name = arguments.message.clone();
        Ok(Self { messages, name, json: Vec::new(), wrong: 0, why: None })
    }

    /// The message in JSON, if a schema describes it.
    pub(super) fn json(&mut self, format: u16, payload: &[u8]) -> Option<&str> {
        let messages = self.messages.as_mut()?;
        let (format, payload) = read_as(format, payload)?;
        self.json.clear();
        let decoded = messages.decode(format, self.name.as_deref(), payload).map(|_| ());
        match decoded.and_then(|()| messages.write(Format::Json, &mut self.json)) {
            Ok(_) => std::str::from_utf8(&self.json).ok(),
            Err(error) => {
                self.wrong += 1;
                self.why.get_or_insert_with(|| error.to_string());
                None
            }
        }
    }

    /// Appends a payload as a line shows it: in JSON by the schema, or else as it is.
    pub(super) fn write(&mut self, out: &mut String, format: u16, payload: &[u8]) {
        match self.json(format, payload) {
            Some(json) => out.push_str(json),
            None => write_payload(out, payload),
        }
    }

    pub(super) fn is_wrong(&self) -> bool {
        self.wrong > 0
    }

    /// What was not as the schema says since this was asked last.
    pub(super) fn take_wrong(&mut self) -> Option<(u64, String)> {
        let wrong = std::mem::take(&mut self.wrong);
        self.why.take().map(|why| (wrong, why))
    }
}
