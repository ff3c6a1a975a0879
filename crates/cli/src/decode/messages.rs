//! Messages in logs, streams and dumps: each with what it is and what it says.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read;

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use trunkline_catalogue::fix as standard;
use trunkline_codec::fast_infoset;
use trunkline_codec::xml::{self, Source};
use trunkline_import::Description;
use trunkline_message::Error;
use trunkline_soap::HeaderBlock;
use trunkline_transcode::giop::{Calls, Exchanges, Head, Origin, STATUS, Unfinished, Unread};
use trunkline_transcode::kind::{Envelope, Giop, charset};
use trunkline_transcode::{
    Bad, Content, Format, Found, Invalid, Kind, Messages, Place, Scanner, Written, fix, tree,
};

use crate::client::counted;
use crate::fault::Fault;
use crate::input::{limits, unreadable};
use crate::output::{Form, plain, print_while_read, remark};
use crate::payload::text_or_hex;

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// Where a message is that is all there is.
const ALONE: Place = Place { line: 1, offset: 0 };

/// Shows messages by what describes them.
pub(crate) struct Show<'a> {
    /// What describes them, if that is known.
    pub(super) messages: Option<Messages>,
    /// The name of the message, if the user says it.
    pub(super) name: Option<&'a str>,
    /// The format, likewise.
    pub(super) format: Option<Format>,
    /// Is it also said what is not valid?
    pub(super) is_checked: bool,
    form: Form,
    /// What the dictionary calls the fields of FIX, if there is one.
    tags: HashMap<u32, String>,
    /// What IDL says of GIOP, and what came before on a connection.
    calls: Option<Calls>,
    exchanges: Exchanges,
    /// Where the present message of GIOP is.
    origin: Origin,
    /// Does the client say what is shown, if that is known?
    is_client: Option<bool>,
    shown: u64,
    wrong: u64,
    /// Shown, and of no format that is known.
    unknown: u64,
    /// Was there a file in which nothing was recognised?
    is_foreign: bool,
    out: String,
    is_read: bool,
}

/// What is said of a message.
#[derive(Default)]
struct Shown {
    /// What it is, in words for people.
    words: Vec<String>,
    /// The same for programs.
    facts: Map<String, Value>,
    /// What is not valid in it.
    invalid: Vec<Invalid>,
    /// Where that is in the file: the line, and the character if that is known.
    places: Vec<(u64, Option<u32>)>,
    /// What it says, as lines.
    text: String,
    /// The same as JSON, and its key.
    json: Option<(&'static str, String)>,
}

impl Shown {
    fn fact(&mut self, key: &str, value: &str) {
        self.words.push(plain(value));
        self.facts.insert(key.to_owned(), value.into());
    }
}

impl<'a> Show<'a> {
    pub(crate) fn new(
        messages: Option<Messages>,
        name: Option<&'a str>,
        format: Option<Format>,
        form: Form,
    ) -> Self {
        let calls = match messages.as_ref().map(Messages::description) {
            Some(Description::Idl(specification)) => Some(Calls::new(specification, limits())),
            _ => None,
        };
        let tags = match messages.as_ref().map(Messages::description) {
            Some(Description::Fix(dictionary)) => {
                dictionary.fields().iter().map(|it| (it.tag, it.name.clone())).collect()
            }
            _ => HashMap::new(),
        };
        Self {
            messages,
            name,
            format,
            is_checked: false,
            form,
            tags,
            calls,
            exchanges: Exchanges::default(),
            origin: Origin::default(),
            is_client: None,
            shown: 0,
            wrong: 0,
            unknown: 0,
            is_foreign: false,
            out: String::new(),
            is_read: true,
        }
    }

    /// How many messages were shown so far.
    pub(super) fn shown(&self) -> u64 {
        self.shown
    }

    /// Nothing was recognised in a file.
    pub(super) fn is_foreign(&mut self) {
        self.is_foreign = true;
    }

    /// Has something been wrong?
    pub(super) fn is_wrong(&self) -> bool {
        self.wrong > 0 || self.is_foreign
    }

    /// Shows every message of an input as it comes.
    pub(super) fn stream(
        &mut self,
        file: &str,
        mut input: impl Read,
        content: Content,
    ) -> Result<(), Fault> {
        let mut scanner = Scanner::new(limits(), content);
        let mut piece = vec![0; PIECE];
        let before = (self.shown, self.wrong, self.unknown);
        loop {
            let count = input.read(&mut piece).map_err(unreadable(file))?;
            match count {
                0 => scanner.end(),
                count => scanner.feed(&piece[..count]),
            }
            while let Some(found) = scanner.next_message() {
                match found {
                    Ok(found) => self.found(file, &found),
                    Err(bad) => self.bad(file, &bad),
                }
            }
            self.flush()?;
            if count == 0 || !self.is_read {
                break;
            }
        }
        let (shown, wrong) = (self.shown - before.0, self.wrong - before.1);
        let lines = scanner.passed_over();
        if wrong > 0 || shown == 0 || lines > 0 {
            let (messages, others) = (counted(shown, "message"), counted(lines, "line"));
            let wrong = if wrong > 0 { format!(", {wrong} of them wrong") } else { String::new() };
            let others = if lines > 0 { format!("; {others} without one") } else { String::new() };
            remark(&format!("{file}: {messages}{wrong}{others}"));
        }
        tell_unread(file, &scanner);
        // A log has other lines, too, and a file may be empty; what has nothing else is no file of messages.
        let unknown = self.unknown - before.2;
        self.is_foreign |= shown == unknown && unknown + lines > 0;
        Ok(())
    }

    /// Shows one message that is all of an input.
    pub(super) fn whole(&mut self, file: &str, bytes: Vec<u8>) -> Result<(), Fault> {
        let before = self.unknown;
        self.found(file, &Found::alone(ALONE, bytes));
        self.is_foreign |= self.unknown > before;
        self.flush()
    }

    /// Shows the messages of GIOP in a stream.
    pub(super) fn giop(&mut self, file: &str, bytes: &[u8]) -> Result<(), Fault> {
        let mut at = 0;
        self.exchanges.look_ahead(bytes);
        while at < bytes.len() {
            let rest = &bytes[at..];
            let end = Giop::read(rest).map(|it| Giop::HEADER + it.length);
            let end = end.filter(|end| *end <= rest.len());
            let place = Place { line: 1, offset: at as u64 };
            let Some(end) = end else {
                let expected = "a whole message of GIOP";
                let kind = trunkline_message::ErrorKind::Truncated { expected };
                let error = Error::new(kind, rest.len());
                self.bad(file, &Bad { place, kind: Some(Kind::Giop), error });
                break;
            };
            let bytes = rest[..end].to_vec();
            self.found(file, &Found::alone(place, bytes));
            at += end;
        }
        // What comes next is none of this file.
        self.exchanges.look_ahead(&[]);
        self.flush()
    }

    /// Shows what one side of a connection said, whose exchanges of GIOP these are.
    pub(super) fn said(
        &mut self,
        of: &str,
        is_client: bool,
        exchanges: &mut Exchanges,
        all: impl Iterator<Item = Result<Found, Bad>>,
    ) -> Result<(), Fault> {
        std::mem::swap(&mut self.exchanges, exchanges);
        self.is_client = Some(is_client);
        for found in all {
            match found {
                Ok(found) => self.found(of, &found),
                Err(bad) => self.bad(of, &bad),
            }
        }
        self.is_client = None;
        std::mem::swap(&mut self.exchanges, exchanges);
        self.flush()
    }

    /// Nothing more comes.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        let unfinished = self.exchanges.end();
        self.unfinished(unfinished)
    }

    /// Says which messages of GIOP go on in fragments that did not come.
    pub(super) fn unfinished(&mut self, all: Vec<Unfinished>) -> Result<(), Fault> {
        for Unfinished { origin, head, bytes } in all {
            self.wrong += 1;
            let mut shown = Shown::default();
            if let Some(header) = Giop::read(&bytes) {
                of_giop(&header, &mut shown);
            }
            of_head(&head, &mut shown);
            let which = match head.request {
                Some(request) => format!("request {request}"),
                None => "the message".to_owned(),
            };
            let why = format!("{which} waits for its fragments, of which the last does not come");
            self.put(&origin.file, origin.place, shown, Some(&why));
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Fault> {
        if !self.out.is_empty() && self.is_read {
            self.is_read = print_while_read(&self.out)?;
        }
        self.out.clear();
        Ok(())
    }

    fn bad(&mut self, file: &str, bad: &Bad) {
        self.shown += 1;
        self.wrong += 1;
        let mut shown = Shown::default();
        if let Some(kind) = bad.kind {
            shown.fact("format", kind.name());
        }
        self.put(file, bad.place, shown, Some(&bad.error.to_string()));
    }

    fn found(&mut self, file: &str, found: &Found) {
        if found.kind == Some(Kind::Giop) {
            self.origin = Origin { file: file.into(), place: found.place };
        }
        let (shown, wrong) = self.look_at(found);
        self.put(file, found.place, shown, wrong.as_deref());
    }

    /// Shows a message that came by itself, in this format if its bytes do not say it: what it is, and in the lines below what it
    /// says, for people.
    pub(crate) fn alone(&mut self, bytes: &[u8], format: Option<Format>) -> String {
        self.format = format;
        let mut found = Found::alone(ALONE, bytes.to_vec());
        if matches!(format, Some(Format::CdrLittle | Format::CdrBig)) {
            // It may begin as anything.
            found.kind = None;
        }
        let (shown, wrong) = self.look_at(&found);
        self.lines(shown, wrong.as_deref());
        std::mem::take(&mut self.out)
    }

    /// What a message is, what it says, and what is wrong with it.
    fn look_at(&mut self, found: &Found) -> (Shown, Option<String>) {
        self.shown += 1;
        let mut shown = Shown::default();
        let shown_as = self.show(found, &mut shown);
        let wrong = shown_as.err().or_else(|| not_valid(shown.invalid.len()));
        let of_file = |it: &Invalid| match it.place {
            Some((line, column)) => found.line_and_column(line, column),
            None => (found.place.line, None),
        };
        shown.places = shown.invalid.iter().map(of_file).collect();
        self.wrong += u64::from(wrong.is_some());
        let length = found.bytes.len();
        shown.words.push(counted(length as u64, "byte"));
        shown.facts.insert("bytes".into(), length.into());
        let written = match &found.written {
            Written::Plain => None,
            Written::Delimiter(delimiter) => Some(format!("{delimiter:?} for SOH")),
            Written::Hexadecimal => Some("in hexadecimal".into()),
            Written::Base64 => Some("in base64".into()),
        };
        if let Some(written) = written {
            shown.fact("written", &written);
        }
        if !found.before.is_empty() {
            shown.words.push(format!("behind {:?}", found.before));
            shown.facts.insert("before".into(), found.before.as_str().into());
        }
        (shown, wrong)
    }

    /// Puts what is said into the output: lines for people, or a line for programs.
    fn put(&mut self, file: &str, place: Place, shown: Shown, wrong: Option<&str>) {
        let Place { line, offset } = place;
        if self.form == Form::Text {
            _ = write!(self.out, "{file}:{line} (byte {offset}): ");
            return self.lines(shown, wrong);
        }
        let Shown { mut facts, invalid, places, json, .. } = shown;
        let invalid = invalid.iter().zip(places);
        if self.is_checked {
            let all = invalid.map(|(it, (line, column))| {
                json!({"line": line, "column": column, "path": it.path, "rule": it.rule, "what": it.what})
            });
            facts.insert("violations".into(), all.collect());
        }
        let mut all = Map::new();
        let known = json!({"fact": "message", "file": file, "line": line, "offset": offset, "wrong": wrong});
        if let Value::Object(known) = known {
            all.extend(known);
        }
        for key in KEYS {
            all.insert(key.into(), facts.remove(key).unwrap_or(Value::Null));
        }
        // What it says is written as it is: its numbers have more digits than others hold.
        let mut line = Value::Object(all).to_string();
        line.pop();
        for key in CONTENT {
            let content = json.as_ref().filter(|it| it.0 == key).map_or("null", |it| &it.1);
            _ = write!(line, ",\"{key}\":{content}");
        }
        self.out += &line;
        self.out += "}\n";
    }

    /// What is said to people: what it is, behind what stands in the line already, and below it what it says.
    fn lines(&mut self, shown: Shown, wrong: Option<&str>) {
        let Shown { words, invalid, places, text, .. } = shown;
        _ = writeln!(self.out, "{}", words.join(", "));
        self.out += &text;
        for (it, (line, column)) in invalid.iter().zip(places) {
            let column = column.map_or(String::new(), |it| format!(":{it}"));
            _ = writeln!(self.out, "  not valid: {line}{column}: {}", plain(&it.to_string()));
        }
        if let Some(why) = wrong {
            _ = writeln!(self.out, "  wrong: {}", plain(why));
        }
    }

    /// What a message is and what it says; as far as it goes, if it is wrong.
    fn show(&mut self, found: &Found, shown: &mut Shown) -> Result<(), String> {
        let bytes = &found.bytes;
        match (found.kind, self.format) {
            (Some(Kind::Fix), _) => self.fix(bytes, shown),
            (Some(Kind::Xml), _) => self.document(bytes, shown),
            (Some(Kind::FastInfoset), _) => self.fast_infoset(bytes, shown),
            (Some(Kind::Giop), _) => self.giop_message(bytes, shown),
            (Some(Kind::Json), _) => self.json(bytes, shown),
            (_, Some(format)) if self.messages.is_some() => {
                shown.fact("format", format.name());
                self.by_schema(format, bytes, shown).inspect_err(|_| of_bytes(bytes, shown))
            }
            (None, Some(format @ (Format::CdrLittle | Format::CdrBig))) => {
                shown.fact("format", format.name());
                shown.words.push("whose fields are shown with --schema and --type".into());
                of_bytes(bytes, shown);
                Ok(())
            }
            (kind, _) => {
                self.unknown += u64::from(kind.is_none());
                shown.fact("format", kind.map_or("of no format that is known", Kind::name));
                of_bytes(bytes, shown);
                Ok(())
            }
        }
    }

    /// The fields of a message by its description.
    fn by_schema(&mut self, format: Format, bytes: &[u8], shown: &mut Shown) -> Result<(), String> {
        let result = self.fields(format, bytes, shown);
        let Some(messages) = self.messages.as_mut().filter(|_| self.is_checked) else {
            return result;
        };
        match messages.validate(format, bytes) {
            Ok(invalid) => shown.invalid = invalid,
            // Why it is not read is said.
            Err(_) if result.is_err() => {}
            Err(error) => return Err(error.to_string()),
        }
        result
    }

    fn fields(&mut self, format: Format, bytes: &[u8], shown: &mut Shown) -> Result<(), String> {
        let Some(messages) = &mut self.messages else { return Err("there is no schema".into()) };
        let decoded = messages.decode(format, self.name, bytes).map_err(|it| it.to_string())?;
        shown.fact("name", decoded.layout.name());
        let left_out = decoded.left_out;
        let of_message = match self.form {
            Form::Text => tree::of_record(decoded.layout, decoded.record),
            Form::Json => String::new(),
        };
        let blocks = messages.header_blocks(format, bytes).map_err(|it| it.to_string())?;
        of_header(&blocks, shown);
        match self.form {
            Form::Text => shown.text += &of_message,
            Form::Json => {
                let mut json = Vec::new();
                messages.write(Format::Json, &mut json).map_err(|it| it.to_string())?;
                shown.json = Some(("message", String::from_utf8_lossy(&json).into_owned()));
            }
        }
        if left_out > 0 {
            let count = counted(left_out as u64, "element or attribute");
            _ = writeln!(shown.text, "  {count} not described and not shown");
            shown.facts.insert("not_described".into(), left_out.into());
        }
        Ok(())
    }

    /// A message of GIOP, and by IDL what its operation takes or answers.
    fn giop_message(&mut self, bytes: &[u8], shown: &mut Shown) -> Result<(), String> {
        let Some(header) = Giop::read(bytes) else { return Ok(()) };
        of_giop(&header, shown);
        let taken = self.exchanges.take(self.is_client, bytes, &self.origin, &limits());
        let (head, whole) = match taken {
            Ok(taken) => taken,
            Err(error) => {
                of_bytes(bytes, shown);
                return Err(error.to_string());
            }
        };
        of_head(&head, shown);
        let status = head.status.filter(|_| header.type_name() == "Reply");
        let status = status.and_then(|it| STATUS.get(it as usize));
        status.into_iter().for_each(|it| shown.words.push((*it).into()));
        let idl = match self.messages.as_ref().map(Messages::description) {
            Some(Description::Idl(specification)) => Some(specification),
            _ => None,
        };
        let described = match (&mut self.calls, idl, &whole) {
            (Some(calls), Some(idl), Some(whole)) if head.has_body() => {
                calls.read(idl, &head, whole)
            }
            _ => {
                // CDR counts its alignment from the header's first byte.
                of_bytes(bytes, shown);
                return Ok(());
            }
        };
        match described {
            Ok(described) => {
                shown.words.push(format!("{} by IDL", plain(described.name)));
                match self.form {
                    Form::Text => {
                        let content = described.content;
                        shown.text =
                            content.map_or_else(String::new, |it| tree::of_record(it.0, it.1));
                    }
                    Form::Json => {
                        let json = described.json(&limits()).map_err(|it| it.to_string())?;
                        shown.json = Some(("message", String::from_utf8_lossy(&json).into_owned()));
                    }
                }
                Ok(())
            }
            Err(Unread::NotDescribed(why)) => {
                shown.words.push(plain(&why));
                of_bytes(bytes, shown);
                Ok(())
            }
            Err(Unread::Wrong(why)) => {
                of_bytes(bytes, shown);
                Err(why)
            }
        }
    }

    fn fix(&mut self, bytes: &[u8], shown: &mut Shown) -> Result<(), String> {
        let (begin_string, message_type) = fix::head(bytes).unwrap_or(("FIX", ""));
        shown.fact("format", begin_string);
        let result = match self.messages {
            Some(_) => self.by_schema(Format::Fix, bytes, shown),
            None => fix::check(bytes, &limits()).map_err(|it| it.to_string()),
        };
        if self.messages.is_none() || result.is_err() {
            if let Some(name) = self.message_name(message_type) {
                shown.fact("name", name);
            }
            let field_name = |tag| self.field_name(tag);
            shown.text = tree::of_fix(bytes, field_name);
            shown.json = Some(("fields", fix_fields(bytes, field_name)));
        }
        shown.words.push(format!("MsgType {}", plain(message_type)));
        shown.facts.insert("message_type".into(), message_type.into());
        result
    }

    /// What a field of FIX is called: by the dictionary, or else by the standard.
    fn field_name(&self, tag: u32) -> Option<&str> {
        self.tags.get(&tag).map(|it| &**it).or_else(|| standard::field_name(tag))
    }

    /// What a message is called, likewise.
    fn message_name(&self, message_type: &str) -> Option<&str> {
        let described = match self.messages.as_ref().map(Messages::description) {
            Some(Description::Fix(dictionary)) => {
                dictionary.messages().iter().find(|it| it.message_type == message_type)
            }
            _ => None,
        };
        described.map(|it| &*it.name).or_else(|| standard::message_name(message_type))
    }

    fn json(&mut self, bytes: &[u8], shown: &mut Shown) -> Result<(), String> {
        shown.fact("format", Kind::Json.name());
        let result = match self.messages {
            Some(_) => self.by_schema(Format::Json, bytes, shown),
            None => match serde_json::from_slice::<IgnoredAny>(bytes) {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
        };
        let text = String::from_utf8_lossy(bytes);
        if self.messages.is_none() || result.is_err() {
            shown.text = format!("  {}\n", plain(&text));
        }
        if self.messages.is_none() && result.is_ok() {
            shown.json = Some(("message", text.into_owned()));
        }
        result
    }

    fn document(&mut self, bytes: &[u8], shown: &mut Shown) -> Result<(), String> {
        let limits = limits();
        let mut source = Source::default();
        let wrong = |error: xml::Error| Error::from(error).to_string();
        shown.facts.insert("format".into(), "XML".into());
        let input = source.prepare(bytes, &limits).map_err(wrong)?;
        shown.json = Some(("xml", Value::from(input).to_string()));
        let envelope = {
            // What is no envelope may have processing instructions.
            let options = xml::Options::default();
            let mut reader = xml::Reader::begin(options, input, &limits).map_err(wrong)?;
            Envelope::read(&mut reader).map_err(|it| it.to_string())?
        };
        let options = match envelope.version {
            Some(_) => xml::Options::soap(),
            None => xml::Options::default(),
        };
        match envelope.version {
            Some(version) => shown.fact("envelope", version),
            None => shown.words.push("XML".into()),
        }
        shown.fact("charset", &charset(bytes));
        let format = match envelope.version {
            Some("SOAP 1.2") => Format::Soap12,
            Some(_) => Format::Soap11,
            None => Format::Xml,
        };
        let is_described = self.messages.is_some() && !envelope.is_empty_or_fault();
        let result = if is_described {
            self.by_schema(format, bytes, shown)
        } else {
            envelope.content.iter().for_each(|it| shown.fact("name", &it.0));
            if let Some(messages) = self.messages.as_ref().filter(|_| self.is_checked) {
                shown.invalid = messages.validate_envelope(bytes);
            }
            Ok(())
        };
        if !is_described || result.is_err() {
            let mut reader = xml::Reader::begin(options, input, &limits).map_err(wrong)?;
            let whole = tree::of_document(&mut reader, &mut shown.text);
            whole.map_err(|it| it.to_string())?;
        }
        result
    }

    fn fast_infoset(&mut self, bytes: &[u8], shown: &mut Shown) -> Result<(), String> {
        shown.fact("format", "Fast Infoset");
        let wrong = |error: Error| error.to_string();
        let options = fast_infoset::Options::default();
        let mut parser = fast_infoset::Parser::stateless(options, &limits());
        let mut reader = fast_infoset::Reader::begin(&mut parser, bytes).map_err(wrong)?;
        let envelope = Envelope::read(&mut reader).map_err(wrong)?;
        envelope.version.iter().for_each(|it| shown.fact("envelope", it));
        if self.messages.is_some() && !envelope.is_empty_or_fault() {
            let result = self.by_schema(Format::FastInfoset, bytes, shown);
            if result.is_ok() {
                return result;
            }
            let mut reader = fast_infoset::Reader::begin(&mut parser, bytes).map_err(wrong)?;
            tree::of_document(&mut reader, &mut shown.text).map_err(wrong)?;
            return result;
        }
        let mut reader = fast_infoset::Reader::begin(&mut parser, bytes).map_err(wrong)?;
        tree::of_document(&mut reader, &mut shown.text).map_err(wrong)
    }
}

/// Says what of a file is not read, beside its lines.
pub(crate) fn tell_unread(file: &str, scanner: &Scanner) {
    if scanner.zeros() > 0 {
        let zeros = counted(scanner.zeros(), "byte");
        remark(&format!("{file}: {zeros} of zeros before lines, passed over"));
    }
    if let Some(Place { line, offset }) = scanner.unread() {
        remark(&format!(
            "{file}: from line {line} (byte {offset}) on nothing is read, since the end of that document is not known"
        ));
    }
}

/// Says that a message is not valid, if something is not.
fn not_valid(count: usize) -> Option<String> {
    let count = count as u64;
    (count > 0).then(|| format!("not valid by its schema, in {}", counted(count, "place")))
}

/// What programs are told of every message, and what it says: one of these, the others are `null`.
const KEYS: [&str; 13] = [
    "format",
    "envelope",
    "charset",
    "name",
    "message_type",
    "request",
    "operation",
    "operations",
    "bytes",
    "written",
    "before",
    "header",
    "violations",
];
const CONTENT: [&str; 4] = ["message", "fields", "xml", "hex"];

/// The header blocks of an envelope, each with what it asks of whom, before the message.
fn of_header(blocks: &[HeaderBlock], shown: &mut Shown) {
    let one = |block: &HeaderBlock| {
        let HeaderBlock { name, must_understand, role, relay, content } = block;
        json!({"name": name.local, "namespace": name.namespace, "must_understand": must_understand,
            "role": role, "relay": relay, "xml": content.as_str()})
    };
    if !blocks.is_empty() {
        shown.facts.insert("header".into(), blocks.iter().map(one).collect());
    }
    for block in blocks {
        let must = if block.must_understand { ", must be understood" } else { "" };
        let role = block.role.as_ref().map_or(String::new(), |it| format!(", for {}", plain(it)));
        let relay = if block.relay { ", to be relayed" } else { "" };
        _ = writeln!(shown.text, "  header block{must}{role}{relay}:");
        // A block is well-formed, or it would not have been read.
        if let Ok(mut reader) = xml::Reader::soap(block.content.as_str(), &limits()) {
            _ = tree::of_document(&mut reader, &mut shown.text);
        }
    }
}

fn of_bytes(bytes: &[u8], shown: &mut Shown) {
    tree::of_bytes(bytes, &mut shown.text);
    let hex = bytes.iter().fold(String::new(), |mut out, byte| {
        _ = write!(out, "{byte:02x}");
        out
    });
    shown.json = Some(("hex", format!("\"{hex}\"")));
}

/// The fields of a message as an array.
fn fix_fields<'a>(bytes: &[u8], field_name: impl Fn(u32) -> Option<&'a str>) -> String {
    let field = |it: fix::Field<'_>| {
        let (text, hex) = text_or_hex(it.value);
        json!({"tag": it.tag, "name": field_name(it.tag), "value": text, "value_hex": hex})
    };
    Value::from(fix::fields(bytes).map_while(Result::ok).map(field).collect::<Vec<_>>()).to_string()
}

/// What the head of a message of GIOP says of requests.
fn of_head(head: &Head, shown: &mut Shown) {
    if let Some(request) = head.request {
        shown.words.push(format!("request {request}"));
        shown.facts.insert("request".into(), request.into());
    }
    if let Some(operation) = &head.operation {
        shown.words.push(format!("operation {}", plain(operation)));
        shown.facts.insert("operation".into(), operation.as_str().into());
    }
    if !head.candidates.is_empty() {
        shown.words.push(format!("operation one of {}", plain(&head.candidates.join(", "))));
        shown.facts.insert("operations".into(), head.candidates.clone().into());
    }
}

fn of_giop(header: &Giop, shown: &mut Shown) {
    let (major, minor) = header.version;
    shown.fact("format", &format!("GIOP {major}.{minor}"));
    shown.fact("name", header.type_name());
    shown.words.push(if header.is_little { "little-endian" } else { "big-endian" }.into());
    if header.has_more {
        shown.words.push("goes on in a fragment".into());
    }
}
