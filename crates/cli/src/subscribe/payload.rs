//! Payloads as the messages that they are, by a schema or as `decode` shows them.

use trunkline_server::formats::read_as;
use trunkline_transcode::{Format, Kind, Messages, Options};

use crate::arguments::SubArguments;
use crate::client::counted;
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
    /// Why payloads are not what the schema says, and of how many each is the reason.
    wrong: Vec<(String, u64)>,
    /// So many more are not, for other reasons.
    more_wrong: u64,
}

/// Reasons that are told one by one.
const REASONS: usize = 20;

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
            let options = Options { code_set: arguments.code_set, ..Options::default() };
            Ok::<_, Fault>(Messages::new(description, options, limits()))
        };
        let messages = arguments.schema.as_ref().map(described).transpose()?;
        let name = arguments.message.as_deref();
        let how = match (messages, arguments.decode) {
            (messages, true) => How::Decoded(Box::new(Show::new(messages, name, None, Form::Text))),
            (Some(messages), false) => How::Json(Box::new(messages)),
            (None, false) => How::Plain,
        };
        Ok(Self { how, name, json: Vec::new(), wrong: Vec::new(), more_wrong: 0 })
    }

    /// The message in JSON, if a schema describes it; or why it is not what that says.
    pub(super) fn json(&mut self, format: u16, payload: &[u8]) -> Option<Result<&str, String>> {
        let How::Json(messages) = &mut self.how else { return None };
        let (format, payload) = read_as(format, payload)?;
        self.json.clear();
        let decoded = messages.decode(format, self.name, payload).map(|_| ());
        match decoded.and_then(|()| messages.write(Format::Json, &mut self.json)) {
            Ok(_) => std::str::from_utf8(&self.json).ok().map(Ok),
            Err(error) => {
                let why = error.to_string();
                match self.wrong.iter().position(|it| it.0 == why) {
                    Some(known) => self.wrong[known].1 += 1,
                    None if self.wrong.len() < REASONS => self.wrong.push((why.clone(), 1)),
                    None => self.more_wrong += 1,
                }
                Some(Err(why))
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
                    Some(Ok(json)) => out.push_str(json),
                    Some(Err(_)) | None => write_payload(out, format, payload),
                }
                String::new()
            }
        }
    }

    pub(super) fn is_wrong(&self) -> bool {
        !self.wrong.is_empty()
    }

    /// What was not as the schema says since this was asked last: lines for people.
    pub(super) fn take_wrong(&mut self) -> Vec<String> {
        let not = |count: u64| format!("{} not as the schema says", counted(count, "message"));
        let told = self.wrong.drain(..).map(|(why, count)| format!("{}: {why}", not(count)));
        let mut told: Vec<String> = told.collect();
        match std::mem::take(&mut self.more_wrong) {
            0 => {}
            more => told.push(format!("{} for other reasons", not(more))),
        }
        told
    }
}

/// Is a payload something of which `decode` says more than that it is text?
fn is_message(format: u16, payload: &[u8]) -> bool {
    let is_text = || std::str::from_utf8(payload).is_ok() && !payload.contains(&0);
    Kind::of(payload).is_some() || read_as(format, payload).is_some() || !is_text()
}
