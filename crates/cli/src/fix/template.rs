//! Messages as they are typed, with places that are filled when they are sent.

use trunkline_fix::{Draft, Message, Moment, Version};

use super::json::Object;
use super::names::Names;

/// A message as it is typed.
#[derive(Debug, PartialEq)]
pub(super) struct Template {
    message_type: String,
    fields: Vec<(u32, Vec<Piece>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// What this field of another message has.
    Copy(u32),
    /// The time, as the session writes it.
    Now,
    /// A number that counts up.
    Count,
}

/// What places are filled with.
pub(super) struct Filling<'a> {
    /// What is answered.
    pub(super) message: Option<Message<'a>>,
    pub(super) now: Moment,
    pub(super) version: Version,
    pub(super) count: u64,
}

impl Template {
    /// Reads a line: fields, or JSON.
    pub(super) fn read(names: &Names, line: &str) -> Result<Self, String> {
        let mut pairs = Vec::new();
        match line.starts_with('{') {
            true => Object::read(line, &mut pairs)?,
            false => split(line, &mut pairs)?,
        }
        let mut message_type = None;
        let mut fields = Vec::new();
        for (name, value) in &pairs {
            let tag = names.tag(name)?;
            if value.is_empty() {
                return Err(format!("{name} has no value"));
            }
            match tag {
                35 => message_type = Some(names.message_type(value)?),
                _ => fields.push((tag, pieces(names, tag, value)?)),
            }
        }
        let message_type =
            message_type.ok_or("it does not say what it is: 35=D, or its name as the first")?;
        Ok(Self { message_type, fields })
    }

    /// Does it copy something of a message that it answers?
    pub(super) fn copies(&self) -> bool {
        self.fields.iter().any(|it| it.1.iter().any(|it| matches!(it, Piece::Copy(_))))
    }

    /// The message. A field for which there is nothing to be copied is left out.
    pub(super) fn fill(&self, filling: &Filling<'_>) -> Draft {
        let mut draft = Draft::new(&self.message_type);
        for (tag, pieces) in &self.fields {
            let mut value = Vec::new();
            for piece in pieces {
                match piece {
                    Piece::Text(text) => value.extend_from_slice(text.as_bytes()),
                    Piece::Copy(tag) => {
                        let copied = filling.message.and_then(|it| it.get(*tag));
                        value.extend_from_slice(copied.unwrap_or_default());
                    }
                    Piece::Now => value.extend(filling.now.stamp(filling.version).into_bytes()),
                    Piece::Count => value.extend(filling.count.to_string().into_bytes()),
                }
            }
            if !value.is_empty() {
                draft.push(*tag, &value);
            }
        }
        draft
    }
}

/// The fields of a line as names and values.
fn split(line: &str, pairs: &mut Vec<(String, String)>) -> Result<(), String> {
    let line = line.replace("^A", "\u{1}");
    let is_raw = line.contains('\u{1}');
    // As they are printed: with the direction and the number before.
    let line = line.trim_start_matches(['<', '>', ' ']);
    let line = match line.split_once(' ') {
        Some((number, rest)) if number.bytes().all(|it| it.is_ascii_digit()) => rest,
        _ => line,
    };
    for (index, part) in line.split(if is_raw { '\u{1}' } else { '|' }).enumerate() {
        let part = if is_raw { part } else { part.trim() };
        match part.split_once('=') {
            Some((name, value)) => pairs.push((name.trim().to_owned(), value.to_owned())),
            None if part.is_empty() => {}
            None if index == 0 => pairs.push(("35".to_owned(), part.to_owned())),
            None => return Err(format!("`{part}` is no field: a name or number, `=` and a value")),
        }
    }
    Ok(())
}

/// The pieces of a value, in which `{11}`, `{ClOrdID}`, `{now}` and `{count}` are places.
fn pieces(names: &Names, tag: u32, value: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = names.code(tag, value);
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((word, after)) = behind.split_once('}') else { break };
        let is_word = !word.is_empty() && word.bytes().all(|it| it.is_ascii_alphanumeric());
        let piece = match word {
            "now" => Piece::Now,
            "count" => Piece::Count,
            _ if is_word => Piece::Copy(names.tag(word)?),
            _ => {
                pieces.push(Piece::Text(format!("{before}{{")));
                rest = behind;
                continue;
            }
        };
        pieces.extend((!before.is_empty()).then(|| Piece::Text(before.to_owned())));
        pieces.push(piece);
        rest = after;
    }
    pieces.extend((!rest.is_empty()).then(|| Piece::Text(rest.to_owned())));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILLING: Filling<'static> = Filling {
        message: None,
        now: Moment { monotonic: 0, utc: 1_795_651_200_123_000_000 },
        version: Version::Fix44,
        count: 7,
    };

    fn said(line: &str) -> Result<(String, String), String> {
        let draft = Template::read(&Names::new(None), line)?.fill(&FILLING);
        let body = String::from_utf8_lossy(draft.body()).replace('\u{1}', "|");
        Ok((draft.message_type().to_owned(), body))
    }

    #[test]
    fn lines_of_logs_and_of_hand_are_messages() {
        let expected =
            Ok(("D".to_owned(), "11=a b|58=x{y z}|60=20261126-00:00:00.123|".to_owned()));
        for line in [
            "8=FIX.4.4|9=50|35=D|34=9|11=a b|58=x{y z}|60={now}|10=012|",
            "35=D^A11=a b^A58=x{y z}^A60={now}^A",
            "35=D\u{1}11=a b\u{1}58=x{y z}\u{1}60={now}\u{1}",
            "D | 11=a b | 58=x{y z} | 60={now}",
            "> 12 D|11=a b|58=x{y z}|60={now}",
            r#"{"35": "D", "11": "a b", "58": "x{y z}", "60": "{now}"}"#,
        ] {
            assert_eq!(said(line), expected, "{line}");
        }
    }

    #[test]
    fn groups_of_json_are_counted_and_keep_their_order() {
        let line = r#"{"MsgType": "E", "66": "l-{count}", "73": [{"11": "a", "67": 1}, {"11": "b", "67": 2}], "43": true}"#;
        let expected = "66=l-7|73=2|11=a|67=1|11=b|67=2|";
        assert_eq!(said(line), Ok(("E".to_owned(), expected.to_owned())));
    }

    #[test]
    fn what_is_no_message_says_why() {
        for (line, why) in [
            ("11=a", "it does not say what it is"),
            ("35=D|11", "`11` is no field"),
            ("35=D|11=", "11 has no value"),
            ("35=D|ClOrdID=a", "ClOrdID: only --dictionary knows fields"),
            ("NewOrderSingle|11=a", "NewOrderSingle: only --dictionary knows messages"),
            ("35=D|0=a", "0 is no number of a field"),
            ("{\"35\": null}", "invalid type: null"),
        ] {
            let said = said(line).expect_err("it is none");
            assert!(said.starts_with(why), "{line}: {said}");
        }
    }
}
