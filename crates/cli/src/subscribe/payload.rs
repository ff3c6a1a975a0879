//! Payloads as the messages that they are, by a schema or as `decode` shows them.

use trunkline_server::formats::read_as;
use trunkline_transcode::{Format, Kind, Messages, Options};

use crate::arguments::SubArguments;
use crate::decode::Show;
use crate::description;
use crate::fault::Fault;
use crate::input::limits;
use crate::output::Form;
use crate::payload::write_payload;

/// Shows payloads.
pub(super) struct Payloads<'a> {
    how: How<'a>,
    name: Option<&'a str>,
    json: Vec<u8>,
    /// Payloads that are not what the schema says, and why the first of them is not.
    wrong: u64,
    why: Option<String>,
}

enum How<'a> {
    /// In a line, as they are.
    Plain,
    /// In a line of JSON, by what describes them.
    Json(Box<Messages>),
    /// In several lines, by what describes them if that is known.
    Decoded(Box<Show<'a>>),
}

impl<'a> Payloads<'a> {
    pub(super) fn new(arguments: &'a SubArguments) -> Result<Self, Fault> {
        let described = |file: &String| {
            let description = description::read(file, &arguments.description)?;
            Ok::<_, Fault>(Messages::new(description, Options::default(), limits()))
        };
        let messages = arguments.schema.as_ref().map(described).transpose()?;
        let name = arguments.message.as_deref();
        let how = match (messages, arguments.decode) {
            (messages, true) => How::Decoded(Box::new(Show::new(messages, name, None, Form::Text))),
            (Some(messages), false) => How::Json(Box::new(messages)),
            (None, false) => How::Plain,
        };
        Ok(Self { how, name, json: Vec::new(), wrong: 0, why: None })
    }

    /// The message in JSON, if a schema describes it.
    pub(super) fn json(&mut self, format: u16, payload: &[u8]) -> Option<&str> {
        let How::Json(messages) = &mut self.how else { return None };
        let (format, payload) = read_as(format, payload)?;
        self.json.clear();
        let decoded = messages.decode(format, self.name, payload).map(|_| ());
        match decoded.and_then(|()| messages.write(Format::Json, &mut self.json)) {
            Ok(_) => std::str::from_utf8(&self.json).ok(),
            Err(error) => {
                self.wrong += 1;
                self.why.get_or_insert_with(|| error.to_string());
                None
            }
        }
    }

    /// Appends a payload as a line shows it: in JSON by the schema, as what it is if it is decoded, or else as it is; and gives
    /// the lines below it, each behind a line end.
    pub(super) fn write(&mut self, out: &mut String, format: u16, payload: &[u8]) -> String {
        match &mut self.how {
            How::Decoded(show) if is_message(format, payload) => {
                let (format, bytes) = match read_as(format, payload) {
                    Some((format, bytes)) => (Some(format), bytes),
                    None => (None, payload),
                };
                let shown = show.alone(bytes, format);
                let (first, below) = shown.split_once('\n').unwrap_or((&shown, ""));
                out.push_str(first);
                below.lines().fold(String::new(), |lines, line| lines + "\n" + line)
            }
            _ => {
                match self.json(format, payload) {
                    Some(json) => out.push_str(json),
                    None => write_payload(out, format, payload),
                }
                String::new()
            }
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

/// Is a payload something of which `decode` says more than that it is text?
fn is_message(format: u16, payload: &[u8]) -> bool {
    let is_text = || std::str::from_utf8(payload).is_ok() && !payload.contains(&0);
    Kind::of(payload).is_some() || read_as(format, payload).is_some() || !is_text()
}
