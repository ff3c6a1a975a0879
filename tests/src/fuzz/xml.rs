//! Any bytes as an XML document, and as one of some schema with a few edits.

use trunkline_codec::xml::{
    Error, Event, Options, Parser, Source, is_name_char, is_name_start, normalise_attribute,
    normalise_newlines, unescape,
};
use trunkline_message::Limits;

use super::documents::{Edited, Reach};

/// What an event means, whatever the document's spelling of it.
#[derive(Clone, Debug, PartialEq)]
enum Fact {
    Start { namespace: String, name: String, attributes: Vec<[String; 3]>, bindings: Bindings },
    End { namespace: String, name: String },
    Text(String),
    Comment(String),
    ProcessingInstruction { target: String, data: String },
}

/// Prefixes that the tag needs, and their namespaces.
type Bindings = Vec<[String; 2]>;

/// Parses the bytes, and the document of a message that they choose and edit, both as `markup` does.
/// All ways to read the message must agree; says how far they came.
///
/// # Panics
///
/// If any of this is not so.
pub fn xml(data: &[u8]) -> Reach {
    markup(data);
    let edited = Edited::new(data);
    markup(&edited.bytes);
    edited.read()
}

/// Parses the bytes. Each event must hold what a plain scan of the same text says, and the document
/// written anew from its events must mean the same.
///
/// # Panics
///
/// If any of this is not so.
pub fn markup(data: &[u8]) {
    let limits = Limits { depth: 64, attributes: 64, value_bytes: 1 << 16, ..Limits::default() };
    for namespaces in [true, false] {
        let options = Options { namespaces, ..Options::default() };
        let mut source = Source::default();
        let Ok(text) = source.prepare(data, &limits) else { return };
        let Ok(facts) = read(text, options, &limits) else { continue };
        let again = write(&facts);
        // Escaping lengthens values, so the copy is not held to the limit on them.
        let facts_again = read(&again, options, &Limits { attributes: 256, ..Limits::default() })
            .unwrap_or_else(|error| panic!("{error} in {again:?}, written from {text:?}"));
        assert_eq!(facts, facts_again, "{again:?}, written from {text:?}");
    }
}

fn read(text: &str, options: Options, limits: &Limits) -> Result<Vec<Fact>, Error> {
    let mut parser = Parser::new(options, limits);
    parser.begin(text)?;
    let mut facts = Vec::new();
    loop {
        let start = parser.position();
        let event = parser.next(text)?;
        twin(text, start, parser.position(), &event);
        match event {
            Event::Eof => return Ok(facts),
            Event::Text { raw, .. } => push_text(&mut facts, raw, unescape),
            Event::CData { raw, .. } => push_text(&mut facts, raw, normalise_newlines),
            Event::Comment(raw) => facts.push(Fact::Comment(value(raw, normalise_newlines))),
            Event::ProcessingInstruction { target, data } => {
                let data = value(data, normalise_newlines);
                facts.push(Fact::ProcessingInstruction { target: target.to_string(), data });
            }
            Event::Start { name, .. } => {
                let namespace = parser.namespace_name(text, name.namespace).to_string();
                let mut bindings = vec![[name.prefix().to_string(), namespace.clone()]];
                let attributes = parser
                    .attributes(text)
                    .map(|attribute| {
                        let uri = parser.namespace_name(text, attribute.name.namespace);
                        if !attribute.name.prefix().is_empty() {
                            bindings.push([attribute.name.prefix().to_string(), uri.to_string()]);
                        }
                        let name = attribute.name.qualified().to_string();
                        [uri.to_string(), name, value(attribute.raw, normalise_attribute)]
                    })
                    .collect();
                bindings.sort();
                bindings.dedup();
                bindings.retain(|[prefix, _]| options.namespaces && prefix != "xml");
                let name = name.qualified().to_string();
                facts.push(Fact::Start { namespace, name, attributes, bindings });
            }
            Event::End { name } => facts.push(Fact::End {
                namespace: parser.namespace_name(text, name.namespace).to_string(),
                name: name.qualified().to_string(),
            }),
        }
    }
}

fn value(raw: &str, convert: fn(&str, &mut String)) -> String {
    let mut value = String::new();
    convert(raw, &mut value);
    value
}

/// Text and CDATA that touch are one text.
fn push_text(facts: &mut Vec<Fact>, raw: &str, convert: fn(&str, &mut String)) {
    match facts.last_mut() {
        Some(Fact::Text(text)) => convert(raw, text),
        _ if raw.is_empty() => {}
        _ => facts.push(Fact::Text(value(raw, convert))),
    }
}

/// Compares an event with what its bytes say when they are read one character at a time.
fn twin(text: &str, start: usize, end: usize, event: &Event<'_>) {
    let allowed = |character: char| {
        character >= ' ' && !matches!(character, '\u{FFFE}' | '\u{FFFF}')
            || matches!(character, '\t' | '\n' | '\r')
    };
    let name = |name: &str| {
        assert!(name.chars().next().is_some_and(is_name_start), "{name:?}");
        assert!(name.chars().all(is_name_char), "{name:?}");
    };
    let source = &text[start..end];
    assert!(source.chars().all(allowed), "{source:?}");
    match *event {
        Event::Text { raw, plain, white } => {
            assert_eq!(raw, source);
            assert!(!raw.is_empty() && !raw.contains('<') && !raw.contains("]]>"), "{raw:?}");
            assert!(matches!(text[end..].chars().next(), Some('<') | None), "{raw:?}");
            assert_eq!(plain, !raw.contains(['&', '\r']), "{raw:?}");
            assert_eq!(white, raw.chars().all(|it| " \t\r\n".contains(it)), "{raw:?}");
            assert_eq!(plain, value(raw, unescape) == raw, "{raw:?}");
        }
        Event::CData { raw, plain } => {
            assert_eq!(source, format!("<![CDATA[{raw}]]>"));
            assert!(!raw.contains("]]>"), "{raw:?}");
            assert_eq!(plain, !raw.contains('\r'), "{raw:?}");
        }
        Event::Comment(raw) => assert!(source.ends_with(&format!("<!--{raw}-->"))),
        Event::ProcessingInstruction { target, .. } => name(target),
        Event::Start { name: it, empty } => {
            name(it.qualified());
            assert_eq!(source.ends_with("/>"), empty, "{source:?}");
        }
        Event::End { name: it } => name(it.qualified()),
        Event::Eof => assert_eq!(end, text.len()),
    }
}

fn write(facts: &[Fact]) -> String {
    let mut out = String::new();
    for fact in facts {
        match fact {
            Fact::Start { name, attributes, bindings, .. } => {
                out.extend(["<", name]);
                for [prefix, uri] in bindings {
                    let colon = if prefix.is_empty() { "" } else { ":" };
                    out.extend([" xmlns", colon, prefix, "=\"", &escape(uri), "\""]);
                }
                for [_, name, value] in attributes {
                    out.extend([" ", name, "=\"", &escape(value), "\""]);
                }
                out.push('>');
            }
            Fact::End { name, .. } => out.extend(["</", name, ">"]),
            Fact::Text(text) => out.push_str(&escape(text)),
            Fact::Comment(text) => out.extend(["<!--", text, "-->"]),
            Fact::ProcessingInstruction { target, data } => {
                out.extend(["<?", target, " ", data, "?>"]);
            }
        }
    }
    out
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '<' | '>' | '&' | '"' | '\t' | '\n' | '\r' => {
                out.push_str(&format!("&#{};", u32::from(character)));
            }
            other => out.push(other),
        }
    }
    out
}
