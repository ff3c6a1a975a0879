//! What a line of the input gives: messages of a log as they stand, JSON, or a message that is typed.

use std::sync::Arc;

use memchr::memmem;
use trunkline_fix::Draft;
use trunkline_import::Description;
use trunkline_import::fix::{Dictionary, Of, Part};
use trunkline_message::ErrorKind;
use trunkline_transcode::{Bad, Content, Format, Kind, Messages, Options, Scanner};

use super::json;
use super::names::Names;
use super::template::Template;
use crate::input::limits;

/// A message of a line.
#[derive(Debug)]
pub(super) enum Given {
    /// With places that are filled.
    Typed(Template),
    /// As it is.
    Whole(Draft),
}

/// Reads lines.
#[derive(Debug)]
pub(super) struct Reader {
    names: Arc<Names>,
    /// Those of the dictionary, if there is one, and the header that each of them must have in JSON.
    messages: Option<(Messages, String)>,
}

impl Reader {
    /// Reads lines by a dictionary, for sessions of this BeginString.
    pub(super) fn new(
        names: Arc<Names>,
        dictionary: Option<Dictionary>,
        begin_string: &str,
    ) -> Self {
        let messages = dictionary.map(|dictionary| {
            let header = header(&dictionary);
            let begin_string = Some(begin_string.to_owned());
            let options = Options { begin_string, strict: true, ..Options::default() };
            (Messages::new(Description::Fix(dictionary), options, limits()), header)
        });
        Self { names, messages }
    }

    /// The messages of a line: a line of a log may have several.
    pub(super) fn read(&mut self, line: &[u8]) -> Result<Vec<Given>, String> {
        if line.starts_with(b"{") {
            let members = json::members(line)?;
            let given = match json::of_named(&members) {
                Some(inside) => {
                    let has_header = inside.iter().any(|it| it.0 == "StandardHeader");
                    Given::Whole(self.named(line, has_header, inside.is_empty())?)
                }
                None => Given::Typed(Template::of(&self.names, json::flat(&self.names, members)?)?),
            };
            return Ok(vec![given]);
        }
        let logged = logged(line)?;
        if logged.is_empty() {
            return Ok(vec![Given::Typed(Template::read(&self.names, line)?)]);
        }
        Ok(logged.into_iter().map(Given::Whole).collect())
    }

    /// A message as `convert` writes it in JSON. What the session writes itself may be missing in it.
    fn named(&mut self, line: &[u8], has_header: bool, is_empty: bool) -> Result<Draft, String> {
        let Some((messages, header)) = &mut self.messages else {
            return Err("only --dictionary knows messages by their names; say its MsgType".into());
        };
        let mut line = line.trim_ascii_end().to_vec();
        // Behind all else, so that places in the line stay what they are.
        let end = line.iter().enumerate().rev().filter(|it| *it.1 == b'}').nth(1);
        if let Some((end, _)) = end.filter(|_| !has_header && !header.is_empty()) {
            let comma = if is_empty { "" } else { "," };
            line.splice(end..end, format!("{comma}{header}").into_bytes());
        }
        let mut fix = Vec::new();
        let converted = messages.convert((Format::Json, &line), None, Format::Fix, &mut fix);
        converted.map_err(|error| error.to_string())?;
        Draft::read(&fix).map_err(str::to_owned)
    }
}

/// The member of an object that has what a header must have and the session writes itself.
fn header(dictionary: &Dictionary) -> String {
    // In Orchestra it is a component of each message.
    let component = || dictionary.components().iter().find(|it| it.name == "StandardHeader");
    let parts: &[Part] = match dictionary.header() {
        [] => component().map(|it| &*it.parts).unwrap_or_default(),
        parts => parts,
    };
    let members = parts.iter().filter_map(|part| {
        let Some(Of::Field(at)) = part.of else { return None };
        let field = &dictionary.fields()[at];
        let value = match field.tag {
            34 => "1",
            49 | 56 => "\"-\"",
            52 => "\"2000-01-01T00:00:00Z\"",
            _ => return None,
        };
        Some(format!("\"{}\":{value}", field.name))
    });
    let members: Vec<String> = members.collect();
    match members.is_empty() {
        true => String::new(),
        false => format!("\"StandardHeader\":{{{}}}", members.join(",")),
    }
}

/// The messages of a line of a log, as `decode` finds them there; none if it is none, and so was typed.
fn logged(line: &[u8]) -> Result<Vec<Draft>, String> {
    let Some(at) = memmem::find(line, b"8=FIX") else { return Ok(Vec::new()) };
    // Behind other fields it is what one of them says.
    let before = &line[..at];
    let has = |it: &[u8]| memmem::find(before, it).is_some();
    if has(b"=") && [&b"|"[..], b"^A", b"\x01"].into_iter().any(has) {
        return Ok(Vec::new());
    }
    let mut scanner = Scanner::new(limits(), Content::Log);
    scanner.feed(line);
    scanner.end();
    let mut drafts = Vec::new();
    while let Some(found) = scanner.next_message() {
        match found {
            Ok(found) if found.kind == Some(Kind::Fix) => drafts.push(Draft::read(&found.bytes)?),
            // Else what begins it is missing: that may be typed so.
            Err(Bad { error, .. }) if matches!(error.kind(), ErrorKind::Truncated { .. }) => {
                return Err(format!(
                    "{error}, so that it may be cut; without BodyLength (9=), CheckSum is added"
                ));
            }
            Ok(_) | Err(_) => {}
        }
    }
    Ok(drafts)
}
