//! Documents as what they say, piece by piece, be they XML or Fast Infoset.

pub mod random;

use trunkline_codec::fast_infoset::{self, Parser, Reader, Writer, WriterOptions};
use trunkline_codec::infoset::{self, Name};
use trunkline_codec::xml::{self, Options, Source};
use trunkline_message::{Limits, Result};

/// One piece of a document. Texts that touch are one. Two are equal whatever the order of declarations and
/// attributes.
#[derive(Clone, Debug)]
pub enum Fact {
    /// An element begins.
    Start {
        /// Its name.
        name: FullName,
        /// Prefixes and namespaces.
        declarations: Vec<(String, String)>,
        /// Names and values.
        attributes: Vec<(FullName, String)>,
    },
    /// The innermost element ends.
    End,
    /// Text.
    Text(String),
    /// A comment.
    Comment(String),
    /// Target and data of a processing instruction.
    Instruction(String, String),
}

/// Prefix, namespace, and name there.
#[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord)]
pub struct FullName(pub String, pub String, pub String);

impl PartialEq for Fact {
    fn eq(&self, other: &Self) -> bool {
        let sorted = |fact: &Self| match fact {
            Self::Start { name, declarations, attributes } => {
                let (mut declarations, mut attributes) = (declarations.clone(), attributes.clone());
                declarations.sort();
                attributes.sort();
                Some((name.clone(), declarations, attributes))
            }
            _ => None,
        };
        match (self, other) {
            (Self::Start { .. }, Self::Start { .. }) => sorted(self) == sorted(other),
            (Self::End, Self::End) => true,
            (Self::Text(one), Self::Text(other)) | (Self::Comment(one), Self::Comment(other)) => {
                one == other
            }
            (Self::Instruction(target, data), Self::Instruction(other, other_data)) => {
                (target, data) == (other, other_data)
            }
            _ => false,
        }
    }
}

impl FullName {
    fn view(&self) -> Name<'_> {
        Name { prefix: &self.0, namespace: &self.1, local: &self.2 }
    }
}

/// What an XML document says.
///
/// # Errors
/// It is none.
pub fn of_xml(document: &[u8]) -> Result<Vec<Fact>> {
    let limits = unlimited();
    let mut source = Source::default();
    let input = source.prepare(document, &limits)?;
    let mut strict = xml::Parser::new(Options::default(), &limits);
    strict.begin(input)?;
    while strict.next(input)? != xml::Event::Eof {}
    let mut parser = xml::Parser::new(Options { namespaces: false, ..Options::default() }, &limits);
    parser.begin(input)?;
    let mut facts = Vec::new();
    let mut scope: Vec<Vec<(String, String)>> = Vec::new();
    let converted = |raw: &str, convert: fn(&str, &mut String)| {
        let mut text = String::new();
        convert(raw, &mut text);
        text
    };
    loop {
        match parser.next(input)? {
            xml::Event::Start { name, .. } => {
                let attributes = parser
                    .attributes(input)
                    .map(|it| (it.name.qualified().to_owned(), it.value().into_owned()));
                facts.push(start(name.qualified(), attributes.collect(), &mut scope));
            }
            xml::Event::End { .. } => {
                scope.pop();
                facts.push(Fact::End);
            }
            xml::Event::Text { raw, .. } => push_text(&mut facts, &converted(raw, xml::unescape)),
            xml::Event::CData { raw, .. } => {
                push_text(&mut facts, &converted(raw, xml::normalise_newlines));
            }
            xml::Event::Comment(raw) => {
                facts.push(Fact::Comment(converted(raw, xml::normalise_newlines)));
            }
            xml::Event::ProcessingInstruction { target, data } => {
                let data = converted(data, xml::normalise_newlines);
                facts.push(Fact::Instruction(target.to_owned(), data));
            }
            xml::Event::Eof => return Ok(facts),
        }
    }
}

fn start(
    name: &str,
    attributes: Vec<(String, String)>,
    scope: &mut Vec<Vec<(String, String)>>,
) -> Fact {
    let (declared, others): (Vec<_>, Vec<_>) =
        attributes.into_iter().partition(|(name, _)| name == "xmlns" || name.starts_with("xmlns:"));
    let prefix = |name: &str| name.strip_prefix("xmlns:").unwrap_or_default().to_owned();
    let declarations: Vec<_> =
        declared.into_iter().map(|(name, value)| (prefix(&name), value)).collect();
    scope.push(declarations.clone());
    let full = |name: &str, is_attribute: bool| {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let found = scope.iter().rev().flatten().find(|it| it.0 == prefix);
        let namespace = match (found, prefix) {
            (_, "") if is_attribute => "",
            (None, "xml") => "http://www.w3.org/XML/1998/namespace",
            (found, _) => found.map_or("", |it| &it.1),
        };
        FullName(prefix.to_owned(), namespace.to_owned(), local.to_owned())
    };
    let attributes: Vec<_> =
        others.into_iter().map(|(name, value)| (full(&name, true), value)).collect();
    Fact::Start { name: full(name, false), declarations, attributes }
}

fn push_text(facts: &mut Vec<Fact>, text: &str) {
    match facts.last_mut() {
        Some(Fact::Text(before)) => before.push_str(text),
        _ if text.is_empty() => {}
        _ => facts.push(Fact::Text(text.to_owned())),
    }
}

/// What a Fast Infoset document says.
///
/// # Errors
/// The parser's.
pub fn read(parser: &mut Parser, document: &[u8]) -> Result<Vec<Fact>> {
    use fast_infoset::Event;
    parser.begin(document)?;
    let mut facts = Vec::new();
    loop {
        let before = parser.position();
        let event = parser.next(document)?;
        assert!(parser.began() == before && parser.position() <= document.len());
        let text = |text| parser.text(document, text).into_owned();
        match event {
            Event::Start(name) => {
                let full = |name| {
                    let namespace = parser.namespace_name(parser.namespace(name));
                    let parts = [parser.prefix(name), namespace, parser.local(name)];
                    let [prefix, namespace, local] = parts.map(str::to_owned);
                    FullName(prefix, namespace, local)
                };
                let owned = |(prefix, name): (&str, &str)| (prefix.to_owned(), name.to_owned());
                let declarations = parser.declared().map(owned).collect();
                let attributes = parser.attributes().iter();
                let attributes = attributes.map(|it| (full(it.name), text(it.value))).collect();
                facts.push(Fact::Start { name: full(name), declarations, attributes });
            }
            Event::End => facts.push(Fact::End),
            Event::Text(it) => push_text(&mut facts, &text(it)),
            Event::Comment(it) => facts.push(Fact::Comment(text(it))),
            Event::Instruction { target, data } => {
                facts.push(Fact::Instruction(text(target), text(data)));
            }
            Event::DocumentType { .. } | Event::EntityReference { .. } => {}
            Event::Eof => return Ok(facts),
        }
    }
}

/// Writes what a document says, but for comments and processing instructions, which the infoset of SOAP does not
/// have; answers its bytes.
///
/// # Panics
/// If it cannot be written.
pub fn write(writer: &mut Writer, facts: &[Fact]) -> Vec<u8> {
    writer.begin();
    facts.iter().for_each(|fact| put(writer, fact));
    writer.finish().expect("a document").to_vec()
}

/// Without comments and processing instructions.
pub fn plain(facts: &[Fact]) -> Vec<Fact> {
    let mut kept: Vec<Fact> = Vec::new();
    for fact in facts {
        match fact {
            Fact::Comment(_) | Fact::Instruction(..) => {}
            Fact::Text(text) => push_text(&mut kept, text),
            other => kept.push(other.clone()),
        }
    }
    kept
}

/// The Fast Infoset document that says what an XML document says.
///
/// # Panics
/// If it is none.
pub fn from_xml(document: &[u8]) -> Vec<u8> {
    let facts = of_xml(document).expect("XML");
    write(&mut Writer::stateless(WriterOptions::default()), &facts)
}

/// Has a Fast Infoset document read.
///
/// # Panics
/// If it does not begin as one.
pub fn with_reader<T>(
    document: &[u8],
    limits: &Limits,
    read: impl FnOnce(&mut Reader<'_>) -> T,
) -> T {
    let mut parser = Parser::stateless(fast_infoset::Options::soap(), limits);
    let mut reader = Reader::begin(&mut parser, document).expect("a document");
    read(&mut reader)
}

/// What is written, as what it says.
///
/// # Panics
/// If it cannot be read.
pub fn written(write: impl FnOnce(&mut Writer)) -> (Vec<u8>, Vec<Fact>) {
    let mut writer = Writer::stateless(WriterOptions::default());
    writer.begin();
    write(&mut writer);
    let document = writer.finish().expect("a document").to_vec();
    let mut parser = Parser::stateless(fast_infoset::Options::soap(), &unlimited());
    let facts = read(&mut parser, &document).expect("what was written");
    (document, facts)
}

fn unlimited() -> Limits {
    Limits { depth: 1 << 20, ..Limits::default() }
}

/// Numbers of floating point have several texts.
fn same_text(one: &str, other: &str) -> bool {
    let number = |text: &str| text.replace("INF", "Infinity").parse::<f64>().ok();
    let same = |(one, other): (&str, &str)| {
        one == other
            || matches!((number(one), number(other)), (Some(a), Some(b))
                if a == b || a.is_nan() && b.is_nan() || (a as f32) == (b as f32) && a.abs() < 1e-40)
    };
    one.split(' ').count() == other.split(' ').count()
        && one.split(' ').zip(other.split(' ')).all(same)
}

/// Do they say the same, whatever the texts of numbers of floating point are?
pub fn same_facts(one: &[Fact], other: &[Fact]) -> bool {
    let same = |(one, other): (&Fact, &Fact)| match (one, other) {
        (Fact::Text(one), Fact::Text(other)) => same_text(one, other),
        (
            Fact::Start { name, declarations, attributes },
            Fact::Start { name: other_name, declarations: others, attributes: other_attributes },
        ) => {
            let sorted = |attributes: &[(FullName, String)]| {
                let mut sorted = attributes.to_vec();
                sorted.sort();
                sorted
            };
            let with = |declarations: &[(String, String)]| Fact::Start {
                name: name.clone(),
                declarations: declarations.to_vec(),
                attributes: Vec::new(),
            };
            let (mine, theirs) = (sorted(attributes), sorted(other_attributes));
            let mut pairs = mine.iter().zip(&theirs);
            (name, mine.len()) == (other_name, theirs.len())
                && with(declarations) == with(others)
                && pairs.all(|(one, other)| one.0 == other.0 && same_text(&one.1, &other.1))
        }
        _ => one == other,
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// What a document says, as XML.
pub fn to_xml(facts: &[Fact]) -> String {
    let mut writer = xml::Writer::document();
    for fact in facts {
        put(&mut writer, fact);
    }
    writer.finish()
}

/// Writes one piece; comments and processing instructions are left out.
pub fn put(writer: &mut impl infoset::Writer, fact: &Fact) {
    match fact {
        Fact::Start { name, declarations, attributes } => {
            writer.start(name.view());
            for (name, value) in attributes {
                writer.attribute(name.view(), value);
            }
            for (prefix, namespace) in declarations {
                writer.declare(prefix, namespace);
            }
        }
        Fact::End => writer.end(),
        Fact::Text(text) => _ = writer.text(text),
        Fact::Comment(_) | Fact::Instruction(..) => {}
    }
}
