//! A message as a tree that a person reads: a line for each field, with its number in FIX and its value.

use std::fmt::Write as _;

use trunkline_catalogue::fix::field_name;
use trunkline_codec::infoset::{Event, Reader};
use trunkline_message::{
    Any, Error, Field, Fields as _, Holds, Layout, MemberId, Need, Record, RecordGroup, Scope,
    ScopeId, Shape, Value,
};
use trunkline_soap as soap;

use crate::fix;

/// Characters of the name's column, and what is indented before it.
const NAME: usize = 34;

/// The message as lines, the first of them indented by two blanks.
pub fn of_record(layout: &Layout, record: &Record) -> String {
    let has_tags = layout.notes().of_type(layout.schema().root(), "fix", "message_type").is_some();
    let mut tree = Tree { layout, has_tags, out: String::new() };
    if record.is_nil() {
        tree.line(1, layout.name(), None, NIL);
    }
    tree.fields(record, ScopeId(0), 1 + usize::from(record.is_nil()));
    tree.out
}

/// The fields of a message of FIX that cannot be read by a description, or has none; `field_name` says what a tag is called.
pub fn of_fix<'a>(bytes: &[u8], field_name: impl Fn(u32) -> Option<&'a str>) -> String {
    let mut out = String::new();
    for field in fix::fields(bytes).map_while(Result::ok) {
        let name = field_name(field.tag).unwrap_or("");
        line(&mut out, 1, name, Some(&field.tag.to_string()), &shown(field.value));
    }
    out
}

struct Tree<'a> {
    layout: &'a Layout,
    has_tags: bool,
    out: String,
}

impl<'a> Tree<'a> {
    fn fields(&mut self, record: &Record, scope: ScopeId, depth: usize) {
        let layout = self.layout;
        let described = layout.scope(scope);
        let mut open: Vec<u16> = Vec::new();
        for (index, field) in described.fields.iter().enumerate() {
            let value = record.value(index);
            if value.is_none() && !self.is_nil(described, record, index) {
                self.nil_components(described, record, index, depth);
                continue;
            }
            let around = around(described, field.component);
            let same = open.iter().zip(&around).take_while(|(one, other)| one == other).count();
            for (deeper, component) in around.iter().enumerate().skip(same) {
                let name = &described.components[usize::from(*component)].name;
                self.line(depth + deeper, name, None, "");
            }
            open = around;
            match value {
                Some(value) => self.field(field, value, depth + open.len()),
                None => self.line(depth + open.len(), &field.name, None, NIL),
            }
        }
        for (number, value) in record.unknown_fields().iter() {
            let name = field_name(number).unwrap_or("");
            let text = format!("{}  (not described)", shown(value));
            self.line(depth, name, Some(&number.to_string()), &text);
        }
        for (_, markup) in record.unknown_fields().markup() {
            self.line(depth, "", None, &format!("{}  (not described)", plain(markup)));
        }
    }

    /// Is a field absent that is written as an element which is nil, where what it lies in is there?
    fn is_nil(&self, scope: &Scope, record: &Record, index: usize) -> bool {
        let field = &scope.fields[index];
        soap::is_nillable(self.layout, field) && is_there(scope, record, field.component)
    }

    /// Shows the structs that begin with a field, and are such an element.
    fn nil_components(&mut self, scope: &Scope, record: &Record, index: usize, depth: usize) {
        for component in scope.components.iter().filter(|it| it.fields.start == index) {
            let noted = self.layout.notes().of_member(component.member, "xml", "nillable");
            let is_nil = noted == Some("true") && component.need != Need::Required;
            let is_absent = component.fields.clone().all(|it| record.value(it).is_none());
            if is_nil && is_absent && is_there(scope, record, component.parent) {
                let depth = depth + around(scope, component.parent).len();
                self.line(depth, &component.name, None, NIL);
            }
        }
    }

    fn field(&mut self, field: &Field, value: &Value, depth: usize) {
        let layout = self.layout;
        let tag = layout.notes().of_member(field.member, "fix", "tag");
        match (value, field.holds) {
            (Value::Group(group), Holds::Group(inside)) => {
                self.group(&field.name, tag, (group, inside), depth);
            }
            (Value::Struct(inner), Holds::Struct(inside)) => {
                self.line(depth, &field.name, tag, nil(inner));
                self.fields(inner, inside, depth + 1);
            }
            _ => {
                let text = self.text(field, value);
                self.line(depth, &field.name, tag, &text);
            }
        }
    }

    fn group(
        &mut self,
        name: &str,
        tag: Option<&str>,
        (group, inside): (&RecordGroup, ScopeId),
        depth: usize,
    ) {
        let scope = self.layout.scope(inside);
        let entries = group.entries();
        let item = scope.fields.first().filter(|_| scope.shape == Shape::Item);
        if let Some(item) = item
            && matches!(item.holds, Holds::Value(_) | Holds::Enumeration(_))
        {
            let shown = |it: &Record| match it.is_nil() {
                true => Some(NIL.to_owned()),
                false => it.value(0).map(|value| self.text(item, value)),
            };
            let all: Vec<String> = entries.iter().filter_map(shown).collect();
            return self.line(depth, name, tag, &all.join(", "));
        }
        let count = entries.len();
        let entry = if count == 1 { "entry" } else { "entries" };
        self.line(depth, name, tag, &format!("{count} {entry}"));
        for (index, entry) in entries.iter().enumerate() {
            let own = format!("[{index}]");
            match (item.map(|it| (it, it.holds)), entry.value(0)) {
                // A row of a list of lists.
                (Some((_, Holds::Group(inside))), Some(Value::Group(row))) => {
                    self.group(&own, None, (row, inside), depth + 1);
                }
                (Some((row, Holds::List(_))), Some(value)) => {
                    let text = self.text(row, value);
                    self.line(depth + 1, &own, None, &text);
                }
                _ => {
                    self.line(depth + 1, &own, None, nil(entry));
                    self.fields(entry, inside, depth + 2);
                }
            }
        }
    }

    /// A value in one line.
    fn text(&self, field: &Field, value: &Value) -> String {
        fn joined<T: ToString>(values: &[T]) -> String {
            values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
        }
        match value {
            Value::Boolean(it) => it.to_string(),
            Value::Integer(it) => it.to_string(),
            Value::Unsigned(it) => it.to_string(),
            Value::BigInteger(it) => it.to_string(),
            Value::Decimal(it) => it.to_string(),
            Value::BigDecimal(it) => it.to_string(),
            Value::Single(it) => it.to_string(),
            Value::Float(it) => it.to_string(),
            Value::Text(it) => plain(it),
            Value::Bytes(it) => shown(it),
            Value::Date(it) => it.to_string(),
            Value::Time(it) => it.to_string(),
            Value::Timestamp(it) => it.to_string(),
            Value::Duration(it) => it.to_string(),
            Value::Code(it) => plain(it.as_str()),
            Value::Any(Any::Element(it)) => plain(it),
            Value::Any(Any::Octets(it)) => shown(it),
            Value::Enumeration(it) => self.of_enumeration(field, *it),
            Value::Integers(it) => joined(it),
            Value::UnsignedIntegers(it) => joined(it),
            Value::Singles(it) => joined(it),
            Value::Floats(it) => joined(it),
            Value::Group(_) | Value::Struct(_) => String::new(),
        }
    }

    /// Its name, and its code in FIX if that is another.
    fn of_enumeration(&self, field: &Field, value: u32) -> String {
        let Holds::Enumeration(of) = field.holds else { return value.to_string() };
        let names = self.layout.schema().values(of);
        let name = names.get(value as usize).map_or("", |it| it);
        let member = MemberId { of, index: value };
        match self.layout.notes().of_member(member, "fix", "code") {
            Some(code) => format!("{name} ({})", plain(code)),
            None => name.to_owned(),
        }
    }

    fn line(&mut self, depth: usize, name: &str, tag: Option<&str>, value: &str) {
        let tag = self.has_tags.then(|| tag.unwrap_or(""));
        line(&mut self.out, depth, name, tag, value);
    }
}

/// How what is nil is shown.
const NIL: &str = "nil";

fn nil(record: &Record) -> &'static str {
    if record.is_nil() { NIL } else { "" }
}

/// Is a component in a message, and what it lies in? One arm alone is of a choice, and nothing in what is nil.
fn is_there(scope: &Scope, record: &Record, mut component: Option<u16>) -> bool {
    if record.is_nil() {
        return false;
    }
    while let Some(known) = component.map(|it| &scope.components[usize::from(it)]) {
        let has_value = || known.fields.clone().any(|it| record.value(it).is_some());
        if known.is_choice || known.need != Need::Required && !has_value() {
            return false;
        }
        component = known.parent;
    }
    true
}

/// The components around what lies in this one, outer before inner, with it.
fn around(scope: &Scope, mut component: Option<u16>) -> Vec<u16> {
    let mut around = Vec::new();
    while let Some(index) = component {
        around.push(index);
        component = scope.components[usize::from(index)].parent;
    }
    around.reverse();
    around
}

fn line(out: &mut String, depth: usize, name: &str, tag: Option<&str>, value: &str) {
    let text = format!("{:indent$}{name}", "", indent = 2 * depth);
    let text = match tag {
        Some(tag) => format!("{text:<NAME$} {tag:>5}  {value}"),
        None => format!("{text:<NAME$}  {value}"),
    };
    let _ = writeln!(out, "{}", text.trim_end());
}

/// Bytes in one line: text as it is, anything else in hexadecimal.
pub(crate) fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(|it| it.is_control() && !it.is_whitespace()) => plain(text),
        _ => bytes.iter().fold("hex:".to_owned(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        }),
    }
}

/// Text in one line, without what could steer a terminal.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// A document as a tree: elements with their text, attributes behind `@`, and namespaces where they change.
///
/// # Errors
/// The document is not well-formed; what came before is in `out`.
pub fn of_document(reader: &mut impl Reader, out: &mut String) -> Result<(), Error> {
    // Of each open element its name, its namespace and its text so far; whether its line is written.
    let mut open: Vec<Element> = Vec::new();
    loop {
        match reader.next()? {
            Event::Start(name) => {
                if let Some(outer) = open.last_mut() {
                    outer.write(out);
                }
                let namespace = reader.namespace_of(name).to_owned();
                let is_new = open.last().is_none_or(|it| it.namespace != namespace);
                let mut element = Element {
                    depth: open.len() + 1,
                    name: plain(reader.local(name)),
                    shown_namespace: if is_new && !namespace.is_empty() {
                        plain(&namespace)
                    } else {
                        String::new()
                    },
                    namespace,
                    text: String::new(),
                    is_written: false,
                };
                if reader.attributes() > 0 {
                    element.write(out);
                }
                for index in 0..reader.attributes() {
                    let (name, value) = reader.attribute(index);
                    let name = format!("@{}", reader.qualified(name));
                    line(out, open.len() + 2, &plain(&name), None, &plain(&reader.value(value)));
                }
                open.push(element);
            }
            Event::Text(text) => {
                if let Some(element) = open.last_mut() {
                    reader.append(text, &mut element.text);
                }
            }
            Event::End => {
                if let Some(mut element) = open.pop() {
                    element.write(out);
                }
            }
            Event::Eof => return Ok(()),
        }
    }
}

struct Element {
    depth: usize,
    name: String,
    namespace: String,
    /// The namespace, if it is another than around it.
    shown_namespace: String,
    text: String,
    is_written: bool,
}

impl Element {
    /// Writes its line, or its text if that came behind elements.
    fn write(&mut self, out: &mut String) {
        let text = plain(std::mem::take(&mut self.text).trim());
        if !self.is_written {
            let namespace = if self.shown_namespace.is_empty() {
                String::new()
            } else {
                format!("  {{{}}}", self.shown_namespace)
            };
            line(out, self.depth, &format!("{}{namespace}", self.name), None, &text);
            self.is_written = true;
        } else if !text.is_empty() {
            line(out, self.depth + 1, "", None, &text);
        }
    }
}

/// Bytes in hexadecimal, sixteen a line in groups of four, by which CDR aligns, and what of them is text.
pub fn of_bytes(bytes: &[u8], out: &mut String) {
    for (index, row) in bytes.chunks(16).enumerate() {
        let mut digits = String::new();
        for (at, byte) in row.iter().enumerate() {
            let blank = if at > 0 && at.is_multiple_of(4) { " " } else { "" };
            let _ = write!(digits, "{blank}{byte:02x} ");
        }
        let shown =
            |it: &u8| if it.is_ascii_graphic() || *it == b' ' { char::from(*it) } else { '.' };
        let text: String = row.iter().map(shown).collect();
        let _ = writeln!(out, "  {:06x}  {digits:<51} {text}", 16 * index);
    }
}
