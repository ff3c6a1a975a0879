//! What is printed of a session: messages on standard output, what happens to it on standard error.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use trunkline_fix::{Field, Identity, Message, Notice};
use trunkline_transcode::fix;

use super::names::Names;
use crate::arguments::FixSessionArguments;
use crate::client::counted_as;
use crate::output::{Form, plain, print_while_read, remark};
use crate::payload::text_or_hex;

/// Fields of the header that each message of a session has, and the frame.
const EVERYWHERE: [u32; 8] = [8, 9, 10, 34, 35, 49, 52, 56];

/// Password, NewPassword, and both encrypted, which nobody wants to find in a file of what was printed.
const SECRETS: [u32; 4] = [554, 925, 1402, 1404];

/// RawData, in which older versions have the password of a Logon.
const RAW_DATA: u32 = 96;

/// Is it one of the session itself, in which the user has no part? A Reject tells of a message of the user's.
fn is_of_session(message: Message<'_>) -> bool {
    message.is_administrative() && message.message_type() != b"3"
}

/// May a field have a password?
fn is_secret(message: Message<'_>, tag: u32) -> bool {
    SECRETS.contains(&tag) || tag == RAW_DATA && message.message_type() == b"A"
}

/// The value of a field as it is shown.
fn shown<'a>(message: Message<'a>, field: &Field) -> &'a [u8] {
    if is_secret(message, field.tag) { b"***" } else { message.value(field) }
}

/// The bytes of a message as they are shown.
fn without_secrets(message: Message<'_>) -> Cow<'_, [u8]> {
    if !message.fields().iter().any(|it| is_secret(message, it.tag)) {
        return message.bytes().into();
    }
    let mut bytes = Vec::new();
    for field in message.fields() {
        bytes.extend(field.tag.to_string().into_bytes());
        bytes.push(b'=');
        bytes.extend_from_slice(shown(message, field));
        bytes.push(1);
    }
    bytes.into()
}

/// What is told of bytes that are no message. Nobody knows where fields begin in them, so that any of them may be of a password.
fn garbled(bytes: &[u8]) -> String {
    // If it begins like a message, this is the third field.
    let message_type = bytes.split(|it| *it == 1).nth(2).and_then(|it| it.strip_prefix(b"35="));
    let is_one = |it: &&[u8]| it.len() <= 3 && it.iter().all(u8::is_ascii_alphanumeric);
    let message_type = message_type.filter(|it| bytes.starts_with(b"8=FIX") && is_one(it));
    let message_type = message_type.map_or("unknown".into(), String::from_utf8_lossy);
    let bytes = counted_as(bytes.len() as u64, "byte that is", "bytes that are");
    format!("passes over {bytes} no message; MsgType: {message_type}")
}

/// Prints the messages of sessions.
#[derive(Clone, Debug)]
pub(super) struct Printer {
    names: Arc<Names>,
    form: Form,
    is_raw: bool,
    /// Messages of the session itself, too.
    is_all: bool,
    /// Of several sessions each line says which it is of.
    has_many: bool,
    is_read: Arc<AtomicBool>,
}

impl Printer {
    pub(super) fn new(names: Arc<Names>, arguments: &FixSessionArguments, has_many: bool) -> Self {
        Self {
            names,
            form: arguments.form.get(),
            is_raw: arguments.raw,
            is_all: arguments.all,
            has_many,
            is_read: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Does somebody still read what is printed?
    pub(super) fn is_read(&self) -> bool {
        self.is_read.load(Ordering::Relaxed)
    }

    fn print(&self, text: &str) {
        // What cannot be written is read by nobody, either.
        if !matches!(print_while_read(text), Ok(true)) {
            self.is_read.store(false, Ordering::Relaxed);
        }
    }

    /// A message came.
    pub(super) fn received(&self, identity: &Identity, message: Message<'_>) {
        if !is_of_session(message) || self.is_all {
            self.print(&self.line(identity, "received", message));
        }
    }

    /// A message was sent.
    pub(super) fn sent(&self, identity: &Identity, message: Message<'_>) {
        // What is sent again was printed.
        if !is_of_session(message) && !message.is_possible_duplicate() || self.is_all {
            self.print(&self.line(identity, "sent", message));
        }
    }

    /// Numbers began anew, and nothing tells that a message has arrived.
    pub(super) fn undelivered(&self, identity: &Identity, message: Message<'_>) {
        self.print(&self.line(identity, "undelivered", message));
    }

    /// Prints a line that was made before.
    pub(super) fn print_line(&self, line: &str) {
        self.print(line);
    }

    /// The line of a message that was sent.
    pub(super) fn line_of_sent(&self, identity: &Identity, message: Message<'_>) -> String {
        self.line(identity, "sent", message)
    }

    /// The line of a message, with its end.
    fn line(&self, identity: &Identity, direction: &str, message: Message<'_>) -> String {
        if self.is_raw {
            return format!("{}\n", fix::line(&without_secrets(message)));
        }
        let number = message.sequence_number();
        let message_type = String::from_utf8_lossy(message.message_type());
        let name = self.names.message(&message_type);
        let fields = message.fields().iter().filter(|it| !EVERYWHERE.contains(&it.tag));
        let fields = fields.map(|it| (it.tag, shown(message, it)));
        if self.form == Form::Json {
            let fields: Vec<_> = fields
                .map(|(tag, value)| {
                    let (text, hex) = text_or_hex(value);
                    let meaning = text.and_then(|it| self.names.meaning(tag, it));
                    json!({"tag": tag, "name": self.names.field(tag), "value": text, "value_hex": hex,
                        "meaning": meaning})
                })
                .collect();
            let fact = json!({"fact": "message", "session": identity.to_string(), "direction": direction,
                "number": number, "message_type": message_type, "name": name, "fields": fields});
            return format!("{fact}\n");
        }
        let mut line = self.prefix(identity);
        line += match direction {
            "sent" => "> ",
            "undelivered" => "! ",
            _ => "< ",
        };
        line += &format!("{} {}", number.unwrap_or_default(), name.unwrap_or(&message_type));
        for (tag, value) in fields {
            let name = self.names.field(tag).map_or_else(|| tag.to_string(), str::to_owned);
            let value = String::from_utf8_lossy(value);
            let value = self.names.meaning(tag, &value).unwrap_or(&value);
            line += &format!("|{name}={value}");
        }
        format!("{}\n", plain(&line))
    }

    fn prefix(&self, identity: &Identity) -> String {
        if self.has_many { format!("{} ", identity.target) } else { String::new() }
    }

    /// Something happened to a session.
    pub(super) fn event(&self, identity: &Identity, what: &str, why: Option<&str>) {
        let words = what.replace('_', " ");
        let because = why.map(|it| format!(": {it}")).unwrap_or_default();
        remark(&format!("{identity} {words}{because}"));
        if self.form == Form::Json {
            let fact = json!({"fact": what, "session": identity.to_string(), "why": why});
            self.print(&format!("{fact}\n"));
        }
    }

    /// A session noticed something about the other side.
    pub(super) fn notice(&self, identity: &Identity, notice: &Notice<'_>) {
        let text = match notice {
            Notice::Garbled(bytes) => garbled(bytes),
            Notice::Refused { number, refused } => {
                let field = refused.tag.map(|tag| match self.names.field(tag) {
                    Some(name) => format!(", {name} ({tag})"),
                    None => format!(", field {tag}"),
                });
                format!(
                    "refuses message {number}: {}{}",
                    refused.words(),
                    field.unwrap_or_default()
                )
            }
            Notice::Gap { from, to } => format!("misses {from} to {to}, and asks for them"),
            Notice::Resend { from, to } => format!("sends {from} to {to} again"),
            other => format!("{other:?}"),
        };
        remark(&format!("{identity} {text}"));
    }
}

#[cfg(test)]
mod tests {
    use super::garbled;

    #[test]
    fn what_is_garbled_is_told_by_its_length_and_type_and_not_by_what_it_says() {
        let logon = b"8=FIX.4.4\x019=5\x0135=A\x01554=secret\x0196=secret\x01";
        let told = "passes over 40 bytes that are no message; MsgType: ";
        assert_eq!(garbled(logon), format!("{told}A"));
        let cut = &logon[10..];
        assert_eq!(garbled(cut), "passes over 30 bytes that are no message; MsgType: unknown");
        assert!(garbled(b"8=FIX\x01\x0135=secret").ends_with("unknown"));
    }
}
