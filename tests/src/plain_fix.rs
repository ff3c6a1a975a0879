//! FIX read and written the plain way, to compare the codec with: split at the delimiter, look up
//! each tag in the schema, believe nothing.

use std::collections::{HashMap, HashSet};

use trunkline_message::{Field, Holds, Kind, Layout, Need, Record, ScopeId, Value};

/// A field as it stands in the message: its tag and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Tag number; of the count field for a group, of the data for data with a length.
    pub number: u32,
    /// What it holds.
    pub content: Content,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// The raw value.
    Value(Vec<u8>),
    /// The raw value, behind a length field of this number.
    Data(u32, Vec<u8>),
    /// The entries of a group.
    Entries(Vec<Vec<Node>>),
}

/// Frames a body, `|` or SOH behind every field: BeginString, BodyLength, CheckSum.
pub fn message(body: &str) -> Vec<u8> {
    framed(body.replace('|', "\x01").as_bytes())
}

/// Frames a body that begins with MsgType.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let mut message = format!("8=FIX.4.3\x019={}\x01", body.len()).into_bytes();
    message.extend(body);
    let sum = message.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    message.extend(format!("10={sum:03}\x01").bytes());
    message
}

/// The body of a framed message, if the frame is right.
pub fn body(message: &[u8]) -> Option<&[u8]> {
    let rest = message.strip_prefix(b"8=FIX.4.3\x019=")?;
    let end = rest.iter().position(|byte| *byte == 1)?;
    let length: usize = number(&rest[..end]).filter(|_| end <= 14)?.try_into().ok()?;
    let body = rest.get(end + 1..)?.get(..length)?;
    let digits = rest[end + 1 + length..].strip_prefix(b"10=")?.strip_suffix(b"\x01")?;
    let sum = message[..message.len() - 7].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    (body.ends_with(b"\x01") && digits == format!("{sum:03}").as_bytes()).then_some(body)
}

fn number(digits: &[u8]) -> Option<u64> {
    let all = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if all { str::from_utf8(digits).ok()?.parse().ok() } else { None }
}

/// The fields of a whole message behind MsgType, if it is one of the schema.
pub fn read(layout: &Layout, message: &[u8]) -> Option<Vec<Node>> {
    let body = body(message)?;
    let message_type = layout.notes().of_type(layout.schema().root(), "fix", "message_type")?;
    let prefix = format!("35={message_type}\x01");
    let tokens = tokens(layout, body.strip_prefix(prefix.as_bytes())?)?;
    let mut reader = Reader { layout, tokens: &tokens, at: 0 };
    let fields = reader.fields(&[ScopeId(0)])?;
    (reader.at == tokens.len()).then_some(fields)
}

/// The tag that is noted for a field by this word; 0 for none.
pub fn tag_of(layout: &Layout, field: &Field, word: &str) -> u32 {
    let noted = layout.notes().of_member(field.member, "fix", word);
    noted.map_or(0, |it| it.parse().expect("a number"))
}

/// One field of the flat message; data and its length are one.
type Token = (u32, Content);

fn tokens(layout: &Layout, mut rest: &[u8]) -> Option<Vec<Token>> {
    let fields = layout.scopes().iter().flat_map(|scope| &scope.fields);
    let lengths: HashMap<u32, u32> = fields
        .map(|field| (tag_of(layout, field, "length"), tag_of(layout, field, "tag")))
        .filter(|(length, _)| *length != 0)
        .collect();
    let mut tokens = Vec::new();
    let mut pending: Option<(u32, usize)> = None;
    while !rest.is_empty() {
        let equals = rest.iter().position(|byte| *byte == b'=')?;
        let tag = &rest[..equals];
        if tag.is_empty() || tag[0] == b'0' {
            return None;
        }
        let tag: u32 = number(tag)?.try_into().ok().filter(|tag| *tag < 1 << 31)?;
        rest = &rest[equals + 1..];
        let length = match pending {
            Some((length_number, length)) if lengths[&length_number] == tag => length,
            Some(_) => return None,
            None => rest.iter().position(|byte| *byte == 1)?,
        };
        let value = rest.get(..length).filter(|value| !value.is_empty())?;
        rest = rest[length..].strip_prefix(b"\x01")?;
        if let Some((length_number, _)) = pending.take() {
            tokens.push((tag, Content::Data(length_number, value.into())));
        } else if lengths.contains_key(&tag) {
            pending = Some((tag, number(value)?.try_into().ok()?));
        } else {
            tokens.push((tag, Content::Value(value.into())));
        }
    }
    pending.is_none().then_some(tokens)
}

struct Reader<'a> {
    layout: &'a Layout,
    tokens: &'a [Token],
    at: usize,
}

impl<'a> Reader<'a> {
    fn field(&self, scope: ScopeId, number: u32) -> Option<&'a Field> {
        self.layout.scope(scope).fields.iter().find(|it| tag_of(self.layout, it, "tag") == number)
    }

    /// The fields of the innermost of the open scopes.
    fn fields(&mut self, open: &[ScopeId]) -> Option<Vec<Node>> {
        let (scope, outer) = open.split_last()?;
        let first = tag_of(self.layout, &self.layout.scope(*scope).fields[0], "tag");
        let mut nodes: Vec<Node> = Vec::new();
        let mut seen = HashSet::new();
        while let Some((number, content)) = self.tokens.get(self.at) {
            let number = *number;
            let Some(field) = self.field(*scope, number) else {
                if outer.iter().any(|scope| self.field(*scope, number).is_some()) {
                    break;
                }
                let mut scopes = (0..self.layout.scopes().len()).map(|id| ScopeId(id as u16));
                let framing = matches!(number, 8 | 9 | 10 | 35);
                let known = scopes.any(|scope| self.field(scope, number).is_some());
                if framing || known || !seen.insert(number) {
                    return None;
                }
                nodes.push(Node { number, content: content.clone() });
                self.at += 1;
                continue;
            };
            if number == first && !nodes.is_empty() && !outer.is_empty() {
                break;
            }
            if !seen.insert(number) {
                return None;
            }
            self.at += 1;
            let content = match (field.holds, content) {
                (Holds::Group(inner), Content::Value(count)) => {
                    let count = self::number(count)?;
                    let entries = self.entries(&[open, &[inner]].concat())?;
                    if entries.len() as u64 != count {
                        return None;
                    }
                    Content::Entries(entries)
                }
                (Holds::Value(Kind::Any), Content::Data(_, data)) => {
                    std::str::from_utf8(data).ok()?;
                    content.clone()
                }
                (Holds::Value(Kind::Bytes), Content::Data(..)) => content.clone(),
                (Holds::Value(Kind::Bytes | Kind::Any), _) | (_, Content::Data(..)) => return None,
                (holds, Content::Value(value)) => {
                    plain(holds, value)?;
                    content.clone()
                }
                (_, Content::Entries(_)) => unreachable!("tokens are flat"),
            };
            nodes.push(Node { number, content });
        }
        let mut required =
            self.layout.scope(*scope).fields.iter().filter(|it| it.need == Need::Required);
        required.all(|it| seen.contains(&tag_of(self.layout, it, "tag"))).then_some(nodes)
    }

    fn entries(&mut self, open: &[ScopeId]) -> Option<Vec<Vec<Node>>> {
        let first = tag_of(self.layout, &self.layout.scope(*open.last()?).fields[0], "tag");
        let mut entries = Vec::new();
        while self.tokens.get(self.at).is_some_and(|(number, _)| *number == first) {
            entries.push(self.fields(open)?);
        }
        Some(entries)
    }
}

/// The value in one spelling, whatever the message's; `None` if it is not of the kind.
pub fn plain(holds: Holds, value: &[u8]) -> Option<String> {
    let text = str::from_utf8(value).ok()?;
    let Holds::Value(kind) = holds else {
        unreachable!("the plain reader knows the kinds of market data")
    };
    match kind {
        Kind::Boolean => matches!(text, "Y" | "N").then(|| text.into()),
        Kind::Integer(kind) => {
            let signed = kind.name().starts_with('i');
            let digits = if signed { text.strip_prefix('-').unwrap_or(text) } else { text };
            let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let digits = digits.trim_start_matches('0');
            if !all || digits.len() > 20 {
                return None;
            }
            let magnitude: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
            let value = if text.starts_with('-') { -magnitude } else { magnitude };
            let bits = 8 * kind.bytes() as u32 - u32::from(signed);
            let least = if signed { -(1_i128 << bits) } else { 0 };
            (least..1_i128 << bits).contains(&value).then(|| value.to_string())
        }
        Kind::Decimal => decimal(text),
        Kind::Text => Some(text.into()),
        Kind::Code => (text.len() <= 15 && text.is_ascii()).then(|| text.into()),
        Kind::Date => date(text),
        Kind::Time => time(text),
        Kind::Timestamp => {
            let (day, clock) = text.split_at_checked(8)?;
            Some(format!("{} {}", date(day)?, time(clock.strip_prefix('-')?)?))
        }
        _ => unreachable!("the plain reader knows the kinds of market data"),
    }
}

/// `mantissa e exponent` without zeros at either end, if 64 bits and ±18 hold it.
fn decimal(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut exponent = -(fraction.len() as i64);
    let mut mantissa = all.trim_start_matches('0').to_string();
    if mantissa.is_empty() {
        return Some("0e0".into());
    }
    while mantissa.ends_with('0') {
        mantissa.pop();
        exponent += 1;
    }
    let zeros = (exponent - 18).max(0);
    let fits: Option<i64> = (zeros < 19)
        .then(|| format!("{sign}{mantissa}{}", "0".repeat(zeros as usize)))?
        .parse()
        .ok();
    (fits.is_some() && exponent >= -18).then(|| format!("{sign}{mantissa}e{exponent}"))
}

fn date(text: &str) -> Option<String> {
    let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let part = |range| digits.then(|| text.get(range))?.and_then(|it: &str| it.parse::<u32>().ok());
    let (year, month, day) = (part(0..4)?, part(4..6)?, part(6..8)?);
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day).then(|| text.into())
}

fn time(text: &str) -> Option<String> {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    let parts: Vec<u32> = clock
        .split(':')
        .filter(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|part| part.parse().ok())
        .collect();
    let fraction = fraction.unwrap_or("0");
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    match parts[..] {
        [hour @ ..24, minute @ ..60, second]
            if clock.len() == 8
                && digits
                && fraction.bytes().skip(9).all(|digit| digit == b'0')
                && (second < 60 || (hour, minute, second) == (23, 59, 60)) =>
        {
            Some(format!("{clock}.{:0<9.9}", fraction))
        }
        _ => None,
    }
}

/// What the record says of the same message, each scope's fields by number, unknown ones as found
/// by the plain reader left out.
pub fn facts(layout: &Layout, record: &Record) -> Vec<(u32, Fact)> {
    let scope = record.scope();
    let set = scope.fields.iter().enumerate().filter_map(|(i, field)| {
        let fact = match record.value(i)? {
            Value::Group(group) => {
                Fact::Entries(group.entries().iter().map(|it| facts(layout, it)).collect())
            }
            Value::Bytes(bytes) => Fact::Data(bytes.clone()),
            Value::Any(any) => Fact::Data(any.element()?.into()),
            value => Fact::Value(spell(value)),
        };
        Some((tag_of(layout, field, "tag"), fact))
    });
    let mut facts: Vec<_> = set.collect();
    facts.sort_by_key(|(number, _)| *number);
    facts
}

/// A field's content in one spelling.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A plain value.
    Value(String),
    /// Data.
    Data(Vec<u8>),
    /// Entries of a group.
    Entries(Vec<Vec<(u32, Fact)>>),
}

/// What the plain reader found, by number, in the form of [`facts`].
pub fn facts_of(layout: &Layout, scope: ScopeId, nodes: &[Node]) -> Vec<(u32, Fact)> {
    let mut facts = Vec::new();
    for node in nodes {
        let mut fields = layout.scope(scope).fields.iter();
        let Some(field) = fields.find(|it| tag_of(layout, it, "tag") == node.number) else {
            continue;
        };
        let fact = match (&node.content, field.holds) {
            (Content::Value(value), holds) => Fact::Value(plain(holds, value).expect("checked")),
            (Content::Data(_, value), _) => Fact::Data(value.clone()),
            (Content::Entries(entries), Holds::Group(inner)) => {
                let absent = entries.is_empty() && field.need == Need::Optional;
                if absent {
                    continue;
                }
                Fact::Entries(entries.iter().map(|it| facts_of(layout, inner, it)).collect())
            }
            (Content::Entries(_), _) => unreachable!("entries are of groups"),
        };
        facts.push((node.number, fact));
    }
    facts.sort_by_key(|(number, _)| *number);
    facts
}

fn spell(value: &Value) -> String {
    match value {
        Value::Boolean(true) => "Y".into(),
        Value::Boolean(false) => "N".into(),
        Value::Integer(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Decimal(value) => {
            let (mut mantissa, mut exponent) = (value.mantissa(), value.exponent());
            while mantissa != 0 && mantissa % 10 == 0 {
                (mantissa, exponent) = (mantissa / 10, exponent + 1);
            }
            if mantissa == 0 { "0e0".into() } else { format!("{mantissa}e{exponent}") }
        }
        Value::Text(value) => value.to_string(),
        Value::Code(value) => value.to_string(),
        Value::Date(value) => spell_date(*value),
        Value::Time(value) => spell_time(*value),
        Value::Timestamp(value) => {
            format!("{} {}", spell_date(value.date()), spell_time(value.time()))
        }
        other => unreachable!("the plain reader knows the kinds of market data, not {other:?}"),
    }
}

fn spell_date(date: trunkline_wire::Date) -> String {
    format!("{:04}{:02}{:02}", date.year(), date.month(), date.day())
}

fn spell_time(time: trunkline_wire::Time) -> String {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    format!("{hour:02}:{minute:02}:{second:02}.{:09}", time.nanosecond())
}

/// Writes fields as they stand.
pub fn write(nodes: &[Node], out: &mut Vec<u8>) {
    for node in nodes {
        match &node.content {
            Content::Value(value) => write_field(node.number, value, out),
            Content::Data(length, value) => {
                write_field(*length, value.len().to_string().as_bytes(), out);
                write_field(node.number, value, out);
            }
            Content::Entries(entries) => {
                write_field(node.number, entries.len().to_string().as_bytes(), out);
                entries.iter().for_each(|entry| write(entry, out));
            }
        }
    }
}

fn write_field(number: u32, value: &[u8], out: &mut Vec<u8>) {
    out.extend(format!("{number}=").bytes());
    out.extend(value);
    out.push(1);
}
