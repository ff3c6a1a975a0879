//! FIX dictionaries in the form of QuickFIX, of messages that have tags.
//!
//! Names, tags, codes, groups and components are said, and what is required; of a dictionary also the types of
//! fields, such as `PRICE`, values beside which others are allowed, and fields that no message has; components that none
//! has are named. These have no form, and the messages that
//! hold them are left out: members without tags; choices; durations, whole numbers of any size and content of any shape;
//! lists of anything but texts and structs; defaults; what holds itself; and two fields or components of one name that
//! differ. A version that is none of FIX, as venues have them, is FIX 4.4, which is told.
//!
//! Said otherwise are whole numbers of other widths, which are `INT`; floats and decimals of any size, `FLOAT`;
//! components that may be there without anything in them, and a trailer that must be there; bounds and what other formats
//! note; and names of groups, as Orchestra has them, which are those of the fields that count their entries here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use trunkline_import::fix::{self as dictionary, Datatype};
use trunkline_import::{Description, Problem};
use trunkline_message::{Body, IntegerKind, Kind, Layout, Need};

use crate::changes::Changes;
use crate::types::{Graph, Type};
use crate::{LeftOut, Messages, Written};

/// The names of the structs that importers put around what stands before and behind every message.
const HEADER: &str = "StandardHeader";
const TRAILER: &str = "StandardTrailer";

/// What a dictionary has no word for is a change of this.
const TARGET: &str = "a dictionary";

/// The dictionary of a description: every message of it, or the one of this name.
///
/// # Errors
/// There is no message of the name, or it has no layout.
pub fn of_description(description: &Description, only: Option<&str>) -> Result<Written, Problem> {
    let Messages { messages, left_out } = Messages::of(description, only)?;
    let layouts: Vec<&Layout> = messages.iter().map(|it| &it.layout).collect();
    let (source, change) = match description {
        Description::Fix(dictionary) => {
            let (source, change) = Source::of(dictionary);
            (Source { is_whole: only.is_none(), ..source }, change)
        }
        _ => (
            Source::default(),
            Some("it says no version of FIX, and that is FIX 4.4 here".to_owned()),
        ),
    };
    let (mut written, components) = source.dictionary(&layouts);
    written.left_out.extend(left_out);
    if let (Description::Fix(dictionary), None) = (description, only) {
        written.left_out.extend(unused(dictionary, &components));
    }
    let change = change.map(|why| LeftOut { what: "the version".to_owned(), why });
    written.changed.splice(0..0, change);
    Ok(written)
}

/// The dictionary of messages of FIX 4.4.
pub fn of_layouts(layouts: &[&Layout]) -> Written {
    Source::default().dictionary(layouts).0
}

/// The components of a dictionary that no message has which was written.
fn unused(dictionary: &dictionary::Dictionary, written: &HashSet<String>) -> Option<LeftOut> {
    let names = dictionary.components().iter().map(|it| &*it.name);
    let names: Vec<&str> =
        names.filter(|it| ![HEADER, TRAILER].contains(it) && !written.contains(*it)).collect();
    let (what, why) = match &*names {
        [] => return None,
        [name] => (format!("the component {name}"), "no message that is written has it"),
        names => {
            (format!("the components {}", names.join(", ")), "no message that is written has them")
        }
    };
    Some(LeftOut { what, why: why.to_owned() })
}

/// The dictionary that messages are from, if they are.
struct Source<'a> {
    /// The attributes of the root that say the version.
    version: String,
    fields: HashMap<u32, &'a dictionary::Field>,
    /// Is all of it written, with the fields that no message has?
    is_whole: bool,
}

impl Default for Source<'_> {
    fn default() -> Self {
        Self { version: version("FIX", "4", "4", "0"), fields: HashMap::new(), is_whole: false }
    }
}

fn version(kind: &str, major: &str, minor: &str, service_pack: &str) -> String {
    let numbers = [("major", major), ("minor", minor), ("servicepack", service_pack)];
    let numbers: String =
        numbers.iter().map(|it| format!(" {}=\"{}\"", it.0, escaped(it.1))).collect();
    format!("type=\"{}\"{numbers}", escaped(kind))
}

impl<'a> Source<'a> {
    /// Also why its version is another one, if it is.
    fn of(dictionary: &'a dictionary::Dictionary) -> (Self, Option<String>) {
        let mut fields = HashMap::new();
        for field in dictionary.fields() {
            fields.entry(field.tag).or_insert(field);
        }
        let said = dictionary.version();
        let (version, change) = match own_version(dictionary) {
            Some(version) => (version, None),
            // Its extension packs are those of FIX 5.0 SP2.
            None if said.starts_with("FIX.Latest") => {
                let why = format!("{said} has no number, and is FIX 5.0 SP2 here");
                (version("FIX", "5", "0", "2"), Some(why))
            }
            None => {
                let why = format!("{said:?} is no version of FIX, and that is FIX 4.4 here");
                (Self::default().version, Some(why))
            }
        };
        (Self { version, fields, is_whole: false }, change)
    }

    /// Also the names of its components.
    fn dictionary(&self, layouts: &[&Layout]) -> (Written, HashSet<String>) {
        let graph = Graph::of(layouts);
        let mut writer = Writer { graph: &graph, source: self, found: Found::default() };
        let (mut messages, mut left_out, mut written) = (String::new(), Vec::new(), Vec::new());
        for root in &graph.roots {
            // What a message that is left out has added is taken back.
            let found = writer.found.clone();
            match writer.message(*root) {
                Ok(text) => {
                    messages.push_str(&text);
                    written.push(*root);
                }
                Err(why) => {
                    writer.found = found;
                    left_out.push(LeftOut { what: graph.types[*root].name().to_owned(), why });
                }
            }
        }
        let Found { mut changes, .. } = writer.found.clone();
        let is_said = |format: &str, _: &str| format == "fix";
        changes.add_notes(&graph, &graph.met(&written), is_said, TARGET);
        if self.is_whole {
            writer.add_unused();
        }
        let components = writer.found.components.keys().cloned().collect();
        let text = writer.text(&messages);
        let changed = changes.lines();
        let written =
            Written { text, count: written.len(), left_out, changed, ..Written::default() };
        (written, components)
    }
}

/// `FIX.5.0 SP2`, or what a repository of Orchestra calls so, as attributes.
fn own_version(dictionary: &dictionary::Dictionary) -> Option<String> {
    let said = dictionary.version();
    let (name, pack) = match said.split_once([' ', '_']) {
        Some((name, behind)) => (name, behind.trim_start_matches("SP")),
        None => (said.split("SP").next()?, said.split_once("SP").map_or("0", |it| it.1)),
    };
    let is_number = |it: &&str| it.bytes().all(|it| it.is_ascii_digit()) && !it.is_empty();
    let mut words = name.split('.');
    let (kind, major, minor) = (words.next()?, words.next()?, words.next()?);
    let pack = Some(pack).filter(is_number).unwrap_or("0");
    let is_known = matches!(kind, "FIX" | "FIXT") && is_number(&major) && is_number(&minor);
    is_known.then(|| version(kind, major, minor, pack))
}

/// A field of a dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    tag: u32,
    type_name: String,
    /// Codes and names.
    values: Vec<(String, String)>,
    is_open: bool,
}

/// What the messages so far have in common.
#[derive(Clone, Debug, Default)]
struct Found {
    fields: HashMap<String, Field>,
    /// The type that each is, and its parts.
    components: BTreeMap<String, (usize, String)>,
    frame: Option<Frame>,
    changes: Changes,
}

/// What stands before and behind every message.
#[derive(Clone, Debug, Default)]
struct Frame {
    types: [Option<usize>; 2],
    header: String,
    trailer: String,
}

/// The fields that frame every message: those before the others, and the last one.
const FRAME: [(u32, &str, &str); 4] = [
    (8, "BeginString", "STRING"),
    (9, "BodyLength", "LENGTH"),
    (35, "MsgType", "STRING"),
    (10, "CheckSum", "STRING"),
];

struct Writer<'a> {
    graph: &'a Graph<'a>,
    source: &'a Source<'a>,
    found: Found,
}

impl Writer<'_> {
    /// The document, with the text of its messages.
    fn text(self, messages: &str) -> String {
        let Found { fields, components, frame, .. } = self.found;
        let Frame { header, trailer, .. } = frame.unwrap_or_default();
        let framing =
            |it: &(u32, &str, &str)| format!("  <field name=\"{}\" required=\"Y\"/>\n", it.1);
        let (before, behind): (String, String) =
            (FRAME[..3].iter().map(framing).collect(), framing(&FRAME[3]));
        let mut text = format!(
            "<fix {}>\n <header>\n{before}{header} </header>\n <messages>\n{messages} </messages>\n \
             <trailer>\n{trailer}{behind} </trailer>\n <components>\n",
            self.source.version
        );
        for (name, (_, parts)) in &components {
            let _ = write!(text, "  <component name=\"{name}\">\n{parts}  </component>\n");
        }
        text.push_str(" </components>\n <fields>\n");
        let framing = FRAME.map(|(tag, name, type_name)| (name.to_owned(), plain(tag, type_name)));
        let mut fields: Vec<(String, Field)> = fields.into_iter().collect();
        fields.sort_by(|one, other| (one.1.tag, &one.0).cmp(&(other.1.tag, &other.0)));
        for (name, field) in framing.into_iter().chain(fields) {
            field.write(&name, &mut text);
        }
        text.push_str(" </fields>\n</fix>\n");
        text
    }

    /// Adds the fields of the source that no message has.
    fn add_unused(&mut self) {
        let mut known: HashSet<u32> = self.found.fields.values().map(|it| it.tag).collect();
        known.extend(FRAME.map(|it| it.0));
        let fields = self.source.fields.iter().filter(|it| !known.contains(it.0));
        let mut unused: Vec<_> = fields.collect();
        unused.sort_by_key(|it| it.0);
        for (tag, field) in unused {
            let named = self.found.fields.entry(field.name.clone());
            named.or_insert_with(|| of_source(*tag, field, "STRING"));
        }
    }

    fn message(&mut self, root: usize) -> Result<String, String> {
        let of = &self.graph.types[root];
        if of.is_choice() {
            return Err("it is a choice, and FIX has no form for one".to_owned());
        }
        let message_type = of.notes().find(|it| (it.0, it.1) == ("fix", "message_type"));
        let (.., message_type) = message_type.ok_or("it has no MsgType")?;
        let is_frame = |it: &usize, name: &str| {
            let is_struct = matches!(self.graph.types[of.inside[*it]].body(), Body::Struct(_));
            &*of.members()[*it].name == name && is_struct
        };
        let header = (0..of.members().len()).find(|it| is_frame(it, HEADER));
        let trailer = (0..of.members().len()).find(|it| is_frame(it, TRAILER));
        for (frame, need) in [(header, Need::Required), (trailer, Need::Implied)] {
            if let Some(frame) = frame.filter(|it| of.members()[*it].need != need) {
                let why = match need {
                    Need::Required => "it is in every message",
                    _ => "it is there if anything in it is",
                };
                self.found.changes.add(|| of.path(frame), why.to_owned());
            }
        }
        self.framed([header, trailer].map(|it| it.map(|it| of.inside[it])))?;
        let parts = self.parts(of, "   ", &[header, trailer], &mut vec![root])?;
        let is_of_session = ["0", "1", "2", "3", "4", "5", "A", "n"].contains(&message_type);
        let category = if is_of_session { "admin" } else { "app" };
        let (name, message_type) = (of.name(), escaped(message_type));
        Ok(format!(
            "  <message name=\"{name}\" msgtype=\"{message_type}\" msgcat=\"{category}\">\n{parts}  </message>\n"
        ))
    }

    /// Header and trailer, which are those of all messages.
    fn framed(&mut self, types: [Option<usize>; 2]) -> Result<(), String> {
        match &self.found.frame {
            Some(frame) if frame.types == types => Ok(()),
            Some(_) => Err("its header or trailer is not that of the messages before".to_owned()),
            None => {
                let mut parts = |of: Option<usize>| match of {
                    Some(of) => self.parts(&self.graph.types[of], "  ", &[], &mut vec![of]),
                    None => Ok(String::new()),
                };
                let (header, trailer) = (parts(types[0])?, parts(types[1])?);
                self.found.frame = Some(Frame { types, header, trailer });
                Ok(())
            }
        }
    }

    /// The members of a struct, but for some.
    fn parts(
        &mut self,
        of: &Type<'_>,
        indent: &str,
        without: &[Option<usize>],
        around: &mut Vec<usize>,
    ) -> Result<String, String> {
        let mut out = String::new();
        for index in (0..of.members().len()).filter(|it| !without.contains(&Some(*it))) {
            let part = self.part(of, index, indent, around);
            out.push_str(&part.map_err(|why| match why.starts_with('`') {
                true => why,
                false => format!("`{}`: {why}", of.path(index)),
            })?);
        }
        Ok(out)
    }

    fn part(
        &mut self,
        of: &Type<'_>,
        index: usize,
        indent: &str,
        around: &mut Vec<usize>,
    ) -> Result<String, String> {
        let (member, inside) = (&of.members()[index], of.inside[index]);
        let required = if member.need == Need::Required { "Y" } else { "N" };
        let (name, inner) = (&member.name, &self.graph.types[inside]);
        if of.note_of(index, "field", "default").is_some() {
            return Err(format!("{TARGET} has no defaults"));
        }
        if let Some(entry) = self.entry(inside) {
            let counter = tag(of, index, "tag")?;
            let name = self.group_name(of, index, counter);
            self.field(&name, plain(counter, "NUMINGROUP"))?;
            let deeper = format!("{indent} ");
            let parts = self.entered(entry, &deeper, around)?;
            return Ok(format!(
                "{indent}<group name=\"{name}\" required=\"{required}\">\n{parts}{indent}</group>\n"
            ));
        }
        match inner.body() {
            Body::Struct(_) => {
                if member.need == Need::Optional {
                    let why =
                        format!("{TARGET} has no components that are there with nothing in them");
                    self.found.changes.add(|| of.path(index), why);
                }
                self.component(name, inside, around)?;
                Ok(format!("{indent}<component name=\"{name}\" required=\"{required}\"/>\n"))
            }
            Body::Choice(_) => Err(format!("{TARGET} has no form for a choice")),
            _ => {
                let tag = tag(of, index, "tag")?;
                let mut out = String::new();
                let field = self.described(of, index, tag)?;
                if field.type_name.ends_with("DATA") {
                    let length = format!("{name}Len");
                    self.field(&length, plain(self::tag(of, index, "length")?, "LENGTH"))?;
                    let _ =
                        writeln!(out, "{indent}<field name=\"{length}\" required=\"{required}\"/>");
                }
                self.field(name, field)?;
                let _ = writeln!(out, "{indent}<field name=\"{name}\" required=\"{required}\"/>");
                Ok(out)
            }
        }
    }

    /// What a group is called, which is the name of the field that counts its entries.
    fn group_name(&mut self, of: &Type<'_>, index: usize, counter: u32) -> String {
        let own = &*of.members()[index].name;
        let name = self.source.fields.get(&counter).map_or(own, |it| &*it.name);
        if name != own {
            let why = "a group is named after the field that counts its entries".to_owned();
            self.found.changes.add(|| of.path(index), why);
        }
        name.to_owned()
    }

    /// The struct that each item of a list is.
    fn entry(&self, list: usize) -> Option<usize> {
        let of = &self.graph.types[list];
        let Body::List { fixed: None, .. } = of.body() else { return None };
        let item = of.inside[0];
        matches!(self.graph.types[item].body(), Body::Struct(_)).then_some(item)
    }

    fn entered(
        &mut self,
        of: usize,
        indent: &str,
        around: &mut Vec<usize>,
    ) -> Result<String, String> {
        if around.contains(&of) {
            return Err("it holds itself, and no message of FIX does".to_owned());
        }
        around.push(of);
        let parts = self.parts(&self.graph.types[of], indent, &[], around);
        around.pop();
        parts
    }

    /// A component is named after the member that it is.
    fn component(&mut self, name: &str, of: usize, around: &mut Vec<usize>) -> Result<(), String> {
        match self.found.components.get(name) {
            Some((known, _)) if *known == of => Ok(()),
            Some(_) => Err(format!("two components that differ are named {name}")),
            None => {
                let parts = self.entered(of, "   ", around)?;
                self.found.components.insert(name.to_owned(), (of, parts));
                Ok(())
            }
        }
    }

    fn field(&mut self, name: &str, field: Field) -> Result<(), String> {
        let known = self.found.fields.entry(name.to_owned()).or_insert_with(|| field.clone());
        match *known == field {
            true => Ok(()),
            false => Err(format!("two fields that differ are named {name}")),
        }
    }

    /// What a field is of which this is the number.
    fn described(&mut self, of: &Type<'_>, index: usize, tag: u32) -> Result<Field, String> {
        let inside = of.inside[index];
        let own = self.type_of(inside, tag, (of, index))?;
        let Some(known) = self.source.fields.get(&tag) else { return Ok(own) };
        let said = known.type_name.trim().to_ascii_uppercase();
        // That of a repository may be written in another case, and one that is not known is a text.
        let is_same = Datatype::named(&said, None) == Datatype::named(&own.type_name, None)
            || Datatype::named(&said, None).is_none() && own.type_name == "STRING";
        if !is_same && !is_of_values(&own) {
            return Ok(own);
        }
        let field = of_source(tag, known, &own.type_name);
        Ok(if own.values.is_empty() { field } else { Field { values: own.values, ..field } })
    }

    /// The type of a field, and the values that it may have.
    fn type_of(
        &mut self,
        of: usize,
        tag: u32,
        (around, member): (&Type<'_>, usize),
    ) -> Result<Field, String> {
        let graph = self.graph;
        let it = &graph.types[of];
        match it.body() {
            Body::Scalar(kind) => {
                let (name, again) = type_name(*kind)
                    .ok_or_else(|| format!("{TARGET} has no type for {}", kind.name()))?;
                if again != *kind {
                    let why = format!("{TARGET} has no type for {}, and says {name}", kind.name());
                    self.found.changes.add(|| around.path(member), why);
                }
                Ok(plain(tag, name))
            }
            Body::Enumeration(values) => {
                let code = |index: usize, name: &str| {
                    it.note_of(index, "fix", "code").unwrap_or(name).to_owned()
                };
                let values = values.iter().enumerate();
                let values: Vec<(String, String)> =
                    values.map(|(index, name)| (code(index, name), name.to_string())).collect();
                let is_short = values.iter().all(|it| it.0.chars().count() == 1);
                let type_name = if is_short { "CHAR" } else { "STRING" }.to_owned();
                Ok(Field { tag, type_name, values, is_open: false })
            }
            Body::List { fixed: None, .. } => {
                let field = self.type_of(it.inside[0], tag, (around, member))?;
                match &*field.type_name {
                    "STRING" | "CHAR" => {
                        Ok(Field { type_name: "MULTIPLEVALUESTRING".to_owned(), ..field })
                    }
                    _ => Err(format!("{TARGET} has no lists but of texts")),
                }
            }
            _ => Err(format!("{TARGET} has no lists of so many items")),
        }
    }
}

/// As the source has it; of this type if it does not say one.
fn of_source(tag: u32, field: &dictionary::Field, otherwise: &str) -> Field {
    let said = field.type_name.trim().to_ascii_uppercase();
    let type_name = if said.is_empty() { otherwise.to_owned() } else { said };
    let values = field.values.iter().map(|it| (it.code.clone(), it.name.clone())).collect();
    Field { tag, type_name, values, is_open: field.is_open }
}

/// Is it one of the types that say no more of values than that there are some?
fn is_of_values(field: &Field) -> bool {
    !field.values.is_empty() && matches!(&*field.type_name, "STRING" | "CHAR")
}

fn plain(tag: u32, type_name: &str) -> Field {
    Field { tag, type_name: type_name.to_owned(), values: Vec::new(), is_open: false }
}

impl Field {
    fn write(&self, name: &str, text: &mut String) {
        let Self { tag, type_name, values, is_open } = self;
        let (name, type_name) = (escaped(name), escaped(type_name));
        let _ = write!(text, "  <field number=\"{tag}\" name=\"{name}\" type=\"{type_name}\"");
        if *is_open && !values.is_empty() {
            text.push_str(" allowOtherValues=\"Y\"");
        }
        if values.is_empty() {
            return text.push_str("/>\n");
        }
        text.push_str(">\n");
        for (code, name) in values {
            let (code, name) = (escaped(code), escaped(name));
            let _ = writeln!(text, "   <value enum=\"{code}\" description=\"{name}\"/>");
        }
        text.push_str("  </field>\n");
    }
}

fn tag(of: &Type<'_>, index: usize, word: &str) -> Result<u32, String> {
    let found = of.note_of(index, "fix", word).and_then(|it| it.parse().ok());
    found.ok_or_else(|| match word {
        "length" => "nothing says which field has its length".to_owned(),
        _ => "it has no tag".to_owned(),
    })
}

/// The type of a kind, and the kind that is read again.
fn type_name(kind: Kind) -> Option<(&'static str, Kind)> {
    let name = match kind {
        Kind::Boolean => "BOOLEAN",
        Kind::Integer(IntegerKind::U64) => "SEQNUM",
        Kind::Integer(IntegerKind::U32) => "TAGNUM",
        Kind::Integer(IntegerKind::U8) => "DAYOFMONTH",
        Kind::Integer(_) => return Some(("INT", Kind::Integer(IntegerKind::I64))),
        Kind::Decimal | Kind::BigDecimal | Kind::Float32 | Kind::Float64 => {
            return Some(("FLOAT", Kind::Decimal));
        }
        Kind::Text => "STRING",
        Kind::Code => "CHAR",
        Kind::Bytes => "DATA",
        Kind::Date => "UTCDATEONLY",
        Kind::Time => "UTCTIMEONLY",
        Kind::Timestamp => "UTCTIMESTAMP",
        Kind::BigInteger | Kind::Duration | Kind::Any => return None,
    };
    Some((name, kind))
}

/// As an attribute has it.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;")
}
