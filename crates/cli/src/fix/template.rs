//! Messages as they are typed, with places that are filled when they are sent.

use memchr::{memchr, memmem};
use trunkline_fix::{Draft, Message, Moment, Version, length_of_data};

use super::json;
use super::names::Names;

/// A message as it is typed.
#[derive(Debug, PartialEq)]
pub(super) struct Template {
    message_type: String,
    fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
struct Field {
    tag: u32,
    /// As it was typed.
    name: String,
    value: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Vec<u8>),
    /// What this field of another message has.
    Copy(u32),
    /// The time, as the session writes it.
    Now,
    /// A number that counts up.
    Count,
}

/// A field as it was typed: its number, its name and what it says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) tag: u32,
    pub(super) name: String,
    pub(super) value: Vec<u8>,
}

/// What places are filled with.
pub(super) struct Filling<'a> {
    /// What is answered.
    pub(super) message: Option<Message<'a>>,
    pub(super) now: Moment,
    pub(super) version: Version,
    pub(super) count: u64,
}

impl Field {
    fn copies(&self) -> bool {
        self.value.iter().any(|it| matches!(it, Piece::Copy(_)))
    }
}

impl Template {
    /// Reads a line: fields, or JSON.
    pub(super) fn read(names: &Names, line: &[u8]) -> Result<Self, String> {
        let pairs = match line.starts_with(b"{") {
            true => json::flat(names, json::members(line)?)?,
            false => split(names, line)?,
        };
        Self::of(names, pairs)
    }

    /// Of fields in their order.
    pub(super) fn of(names: &Names, pairs: Vec<Pair>) -> Result<Self, String> {
        let mut message_type = None;
        let mut fields = Vec::new();
        for Pair { tag, name, value } in pairs {
            if value.is_empty() {
                return Err(format!("{name} has no value"));
            }
            match tag {
                35 => message_type = Some(names.message_type(&String::from_utf8_lossy(&value))?),
                _ => fields.push(Field { tag, name, value: pieces(names, tag, &value)? }),
            }
        }
        let message_type =
            message_type.ok_or("it does not say what it is: 35=D, or its name as the first")?;
        Ok(Self { message_type, fields })
    }

    pub(super) fn message_type(&self) -> &str {
        &self.message_type
    }

    /// The numbers of its fields, in their order.
    pub(super) fn tags(&self) -> impl Iterator<Item = u32> {
        self.fields.iter().map(|it| it.tag)
    }

    /// Does it copy something of a message that it answers?
    pub(super) fn copies(&self) -> bool {
        self.fields.iter().any(Field::copies)
    }

    /// What is known of it before there is anything to copy: all, or each field that copies nothing by itself.
    pub(super) fn known(&self, version: Version) -> Result<Vec<Draft>, String> {
        let now = Moment { monotonic: 0, utc: 0 };
        let filling = Filling { message: None, now, version, count: 1 };
        if !self.copies() {
            return Ok(vec![self.fill(&filling)?]);
        }
        let alone = |it: &Field| {
            Self { message_type: self.message_type.clone(), fields: vec![it.clone()] }
                .fill(&filling)
        };
        // Data with SOH inside are known behind their length alone.
        Ok(self.fields.iter().filter(|it| !it.copies()).filter_map(|it| alone(it).ok()).collect())
    }

    /// The message. A field for which there is nothing to be copied is left out. What would end a field, and so begin
    /// others, is an error that names the field.
    pub(super) fn fill(&self, filling: &Filling<'_>) -> Result<Draft, String> {
        let mut draft = Draft::new(&self.message_type);
        for field in &self.fields {
            let mut value = Vec::new();
            for piece in &field.value {
                match piece {
                    Piece::Text(text) => value.extend_from_slice(text),
                    Piece::Copy(tag) => {
                        let copied = filling.message.and_then(|it| it.get(*tag));
                        value.extend_from_slice(copied.unwrap_or_default());
                    }
                    Piece::Now => value.extend(filling.now.stamp(filling.version).into_bytes()),
                    Piece::Count => value.extend(filling.count.to_string().into_bytes()),
                }
            }
            if !value.is_empty() {
                let pushed = draft.push(field.tag, &value);
                pushed.map_err(|why| format!("{}: {why}", field.name))?;
            }
        }
        Ok(draft)
    }
}

/// The fields of a line. Blanks around what stands between `|` are none of it.
fn split(names: &Names, line: &[u8]) -> Result<Vec<Pair>, String> {
    let line = behind_number(line);
    let delimiter = delimiter(line);
    let mut pairs: Vec<Pair> = Vec::new();
    let (mut at, mut is_first) = (0, true);
    while at < line.len() {
        let rest = &line[at..];
        let end = memmem::find(rest, delimiter).unwrap_or(rest.len());
        let trim = |it: &mut &[u8]| {
            if delimiter == b"|" {
                *it = it.trim_ascii();
            }
        };
        let mut part = &rest[..end];
        trim(&mut part);
        let mut length = end;
        match memchr(b'=', part) {
            Some(equals) => {
                let name = String::from_utf8_lossy(&part[..equals]).trim().to_owned();
                let tag = names.tag(&name)?;
                let mut value = &part[equals + 1..];
                trim(&mut value);
                // The first `=` of what is not trimmed is the same.
                let from = memchr(b'=', rest).map_or(rest.len(), |it| it + 1);
                if let Some(data) = data(&rest[from..], tag, pairs.last(), delimiter) {
                    (length, value) = (from + data.len(), data);
                }
                pairs.push(Pair { tag, name, value: value.to_vec() });
            }
            None if part.is_empty() => {}
            None if is_first => {
                let name = String::from_utf8_lossy(part).into_owned();
                pairs.push(Pair { tag: 35, value: part.to_vec(), name });
            }
            None => {
                let part = String::from_utf8_lossy(part);
                return Err(format!("`{part}` is no field: a name or number, `=` and a value"));
            }
        }
        at += length + delimiter.len();
        is_first = false;
    }
    Ok(pairs)
}

/// Data that begin here, if the field before says how many bytes they have, and they end there: they may have the delimiter inside.
fn data<'a>(rest: &'a [u8], tag: u32, before: Option<&Pair>, delimiter: &[u8]) -> Option<&'a [u8]> {
    let before = before.filter(|it| length_of_data(tag) == Some(it.tag))?;
    let length = std::str::from_utf8(&before.value).ok()?.parse().ok()?;
    let (data, behind) = rest.split_at_checked(length)?;
    (behind.is_empty() || behind.starts_with(delimiter)).then_some(data)
}

/// A line as it is printed has the direction and the number before.
fn behind_number(line: &[u8]) -> &[u8] {
    let begin = line.iter().position(|it| !b"<> ".contains(it)).unwrap_or(line.len());
    let line = &line[begin..];
    match memchr(b' ', line) {
        Some(blank) if line[..blank].iter().all(u8::is_ascii_digit) => &line[blank + 1..],
        _ => line,
    }
}

/// What stands between the fields of a line: SOH if it is anywhere, else what comes first.
fn delimiter(line: &[u8]) -> &'static [u8] {
    let place = |it: &[u8]| memmem::find(line, it).unwrap_or(line.len());
    match place(b"\x01") < line.len() {
        true => b"\x01",
        false if place(b"^A") < place(b"|") => b"^A",
        false => b"|",
    }
}

/// The pieces of a value, in which `{11}`, `{ClOrdID}`, `{now}` and `{count}` are places, and `{{now}}` is the text `{now}`.
fn pieces(names: &Names, tag: u32, value: &[u8]) -> Result<Vec<Piece>, String> {
    let code = std::str::from_utf8(value).map(|it| names.code(tag, it).as_bytes());
    let mut rest = code.unwrap_or(value);
    let (mut pieces, mut text) = (Vec::new(), Vec::new());
    while let Some(at) = memchr(b'{', rest) {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        if let Some((word, after)) = word(rest, b"{{", b"}}") {
            text.extend(format!("{{{word}}}").into_bytes());
            rest = after;
            continue;
        }
        let Some((word, after)) = word(rest, b"{", b"}") else {
            text.push(b'{');
            rest = &rest[1..];
            continue;
        };
        let piece = match word {
            "now" => Piece::Now,
            "count" => Piece::Count,
            _ => Piece::Copy(
                names
                    .tag(word)
                    .map_err(|why| format!("{why}; {{{{{word}}}}} is the text {{{word}}}"))?,
            ),
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(piece);
        rest = after;
    }
    text.extend_from_slice(rest);
    pieces.extend((!text.is_empty()).then_some(Piece::Text(text)));
    Ok(pieces)
}

/// The word that stands between braces at the beginning, and what is behind them.
fn word<'a>(bytes: &'a [u8], open: &[u8], close: &[u8]) -> Option<(&'a str, &'a [u8])> {
    let inside = bytes.strip_prefix(open)?;
    let (word, rest) =
        inside.split_at(inside.iter().take_while(|it| it.is_ascii_alphanumeric()).count());
    let after = rest.strip_prefix(close).filter(|_| !word.is_empty())?;
    Some((std::str::from_utf8(word).ok()?, after))
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
        let draft = Template::read(&Names::new(None), line.as_bytes())?.fill(&FILLING)?;
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
    fn values_are_sent_as_they_stand() {
        for (line, expected) in [
            ("35=D|58={{now}} {{x}} {y z} {", "58={now} {x} {y z} {|"),
            ("35=D | 11 = a | 58=b c |", "11=a|58=b c|"),
            ("35=D^A11= a ^A58=b|c^A", "11= a |58=b|c|"),
            ("35=D|11=s^A|58=x", "11=s^A|58=x|"),
            ("35=D|354=3|355=a|b|58=x", "354=3|355=a|b|58=x|"),
            ("35=D|354=3|355=a|bc|58=x", ""),
            (
                r#"{"35": "D", "44": 1234567890.123456789, "38": 182.350, "99": -0.0}"#,
                "44=1234567890.123456789|38=182.350|99=-0.0|",
            ),
            (
                r#"{"35": "D", "38": 18446744073709551617, "44": 1E-7, "99": null}"#,
                "38=18446744073709551617|44=0.0000001|",
            ),
            (r#"{"35": "D", "354": 5, "355": "a\u0001b=c"}"#, "354=5|355=a|b=c|"),
        ] {
            match said(line) {
                Ok((_, body)) => assert_eq!(body, expected, "{line}"),
                Err(why) => assert_eq!(expected, "", "{line}: {why}"),
            }
        }
        let line = b"35=D|58=caf\xe9|";
        let template = Template::read(&Names::new(None), line).expect("a message");
        assert_eq!(template.fill(&FILLING).expect("values").body(), b"58=caf\xe9\x01");
    }

    #[test]
    fn what_is_no_message_says_why() {
        for (line, why) in [
            ("11=a", "it does not say what it is"),
            ("35=D|11", "`11` is no field"),
            ("35=D|11=", "11 has no value"),
            ("35=D|ClOrdID=a", "ClOrdID: only --dictionary knows fields"),
            ("NewOrderSingle|11=a", "NewOrderSingle: only --dictionary knows messages"),
            (
                "35=D|0=a",
                "\"0\" is no tag, which is a whole number from 1 to 2147483647 without zeros before it",
            ),
            ("35=D|058=a", "\"058\" is no tag, which is a whole number from 1 to 2147483647"),
            ("35=D|2147483648=a", "\"2147483648\" is no tag, which is a whole number"),
            ("{\"35\": null}", "it does not say what it is"),
            ("{\"35\": \"D\", \"11\": \"a\", \"11\": \"b\"}", "11 stands twice"),
            ("{\"35\": \"D\", \"11\": \"a\\u000154=2\"}", "11: the value has the delimiter SOH"),
            ("{\"35\": \"D\", \"11\": {\"55\": 1}}", "11: an object stands in a group alone"),
            ("{\"35\": \"D\"} {", "behind the object stands more"),
            (
                "{\"NewOrderSingle\": {\"11\": \"a\"}}",
                "NewOrderSingle: only --dictionary knows messages",
            ),
            ("35=D|58={x}", "x: only --dictionary knows fields"),
        ] {
            let said = said(line).expect_err("it is none");
            assert!(said.starts_with(why), "{line}: {said}");
        }
    }
}
