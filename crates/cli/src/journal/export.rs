//! `trunkline journal export DIR`

use std::collections::VecDeque;

use serde_json::json;
use trunkline_client::Start;
use trunkline_journal::Record;
use trunkline_store::{State, StoredMessage};
use trunkline_wire::base64;

use super::pattern::matches;
use super::read;
use crate::Ending;
use crate::arguments::ExportArguments;
use crate::fault::Fault;
use crate::output::print_while_read;
use crate::quantity::moment;

/// Bytes of lines that are printed at once.
const GATHERED: usize = 64 << 10;

pub(super) fn run(arguments: &ExportArguments) -> Result<Ending, Fault> {
    let mut export = Export {
        from: arguments.from,
        pattern: &arguments.topic,
        known: State::default(),
        lines: String::new(),
        last: VecDeque::new(),
        is_read: Ok(true),
    };
    if export.from == Start::New {
        return Err(Fault::new(
            "what is new is not in the journal yet; begin with all, last:N, \
                               position:N or time:...",
        ));
    }
    let survey = read(&arguments.folder.folder, &mut |_, record| export.take(record))?;
    let last = std::mem::take(&mut export.last);
    export.lines.extend(last);
    export.print();
    export.is_read?;
    Ok(if survey.is_sound() { Ending::Right } else { Ending::Wrong })
}

struct Export<'a> {
    from: Start,
    pattern: &'a str,
    known: State,
    /// What is not printed yet.
    lines: String,
    /// The last lines, where so many are wanted.
    last: VecDeque<String>,
    /// Whether somebody reads what is printed.
    is_read: Result<bool, Fault>,
}

impl Export<'_> {
    fn take(&mut self, record: &Record<'_>) {
        self.known.apply(record);
        let is_wanted = match self.from {
            Start::Position(position) => record.position >= position,
            Start::Time(time) => record.time >= time,
            Start::All | Start::New | Start::Last(_) => true,
        };
        if !is_wanted || !matches!(self.is_read, Ok(true)) {
            return;
        }
        let Some(message) = StoredMessage::of(record) else { return };
        if !matches(self.pattern, message.topic) {
            return;
        }
        let line = self.line(record, &message);
        if let Start::Last(most) = self.from {
            self.last.push_back(line);
            if self.last.len() as u64 > most {
                self.last.pop_front();
            }
            return;
        }
        self.lines += &line;
        if self.lines.len() > GATHERED {
            self.print();
        }
    }

    fn line(&self, record: &Record<'_>, message: &StoredMessage<'_>) -> String {
        let mut value = json!({
            "position": record.position,
            "time": moment(record.time),
            "time_ns": record.time,
            "topic": message.topic,
            "producer": message.producer,
            "sequence": message.sequence,
            "format": message.format,
        });
        if let Some(producer) = self.known.producers.get(&message.producer) {
            value["producer"] = producer.name.as_str().into();
        }
        if message.expires > 0 {
            value["expires"] = moment(message.expires).into();
        }
        match str::from_utf8(message.payload) {
            Ok(text) => value["payload"] = text.into(),
            Err(_) => {
                let mut text = Vec::new();
                base64::encode_into(message.payload, &mut text);
                value["payload_base64"] = String::from_utf8_lossy(&text).into();
            }
        }
        format!("{value}\n")
    }

    fn print(&mut self) {
        if matches!(self.is_read, Ok(true)) {
            self.is_read = print_while_read(&self.lines);
        }
        self.lines.clear();
    }
}
