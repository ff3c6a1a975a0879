//! Documents in a form in which those that say the same are equal: names in their namespaces, attributes in order, no
//! comments, no white space between elements, no `xsi:type`.

use std::fmt::Write as _;

use trunkline_codec::infoset::{Event, Reader as _, Tag as _};
use trunkline_codec::xml::{Options, Parser, Reader};
use trunkline_message::Limits;

const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// An element of a document.
#[derive(Debug, Default)]
pub(super) struct Element {
    name: String,
    /// What `xsi:type` names: a namespace, and a name in it.
    pub(super) of_type: Option<(String, String)>,
    attributes: Vec<(String, String)>,
    children: Vec<Node>,
}

#[derive(Debug)]
enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    /// The root of a document.
    ///
    /// # Errors
    /// It is not well-formed.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser::new(Options::default(), &Limits::default());
        parser.begin(text).map_err(|it| it.to_string())?;
        let mut reader = Reader::new(&mut parser, text);
        let mut open = vec![Self::default()];
        loop {
            match reader.next().map_err(|it| it.to_string())? {
                Event::Start(name) => {
                    let shown =
                        |name| format!("{{{}}}{}", reader.namespace_of(name), reader.local(name));
                    let attribute = |index| {
                        let (name, value) = reader.attribute(index);
                        (shown(name), reader.value(value).into_owned())
                    };
                    let mut attributes: Vec<_> = (0..reader.attributes()).map(attribute).collect();
                    let is_kept =
                        |it: &str| match it.strip_prefix('{').and_then(|it| it.split_once('}')) {
                            Some((XSI, local)) => local == "nil",
                            Some((ENCODING, _)) => false,
                            _ => true,
                        };
                    attributes.retain(|it| is_kept(&it.0));
                    attributes.sort();
                    let of_type = reader.find_attribute(XSI, "type").map(|it| {
                        let written = reader.value(it);
                        let (prefix, local) =
                            written.trim().split_once(':').unwrap_or(("", written.trim()));
                        let namespace = reader.resolve(prefix).map(|it| reader.namespace_name(it));
                        (namespace.unwrap_or_default().to_owned(), local.to_owned())
                    });
                    let name = shown(name);
                    open.push(Self { name, of_type, attributes, children: Vec::new() });
                }
                Event::End => {
                    let done = open.pop().unwrap_or_default();
                    open.last_mut().ok_or("too many ends")?.children.push(Node::Element(done));
                }
                Event::Text(text) => {
                    let text = reader.value(text).into_owned();
                    let around = open.last_mut().ok_or("no element")?;
                    match around.children.last_mut() {
                        Some(Node::Text(known)) => known.push_str(&text),
                        _ => around.children.push(Node::Text(text)),
                    }
                }
                Event::Eof => break,
            }
        }
        let root = open.pop().and_then(|it| it.elements().map(|it| it.0).next_back());
        root.ok_or_else(|| "no root".to_owned())
    }

    fn elements(self) -> impl DoubleEndedIterator<Item = (Self,)> {
        self.children.into_iter().filter_map(|it| match it {
            Node::Element(element) => Some((element,)),
            Node::Text(_) => None,
        })
    }

    /// Its namespace and local name.
    pub(super) fn name(&self) -> (&str, &str) {
        self.name.strip_prefix('{').and_then(|it| it.rsplit_once('}')).unwrap_or(("", &self.name))
    }

    /// The element inside of this local name.
    pub(super) fn child(self, local: &str) -> Option<Self> {
        self.elements().map(|it| it.0).find(|it| it.name.ends_with(&format!("}}{local}")))
    }

    /// The first element inside.
    pub(super) fn first(self) -> Option<Self> {
        self.elements().map(|it| it.0).next()
    }

    /// Leaves out what was not there before and is said by a default: attributes, and the text of an element that was
    /// empty. `defaults` has names and values.
    pub(super) fn without_defaults(&mut self, before: &Self, defaults: &[(String, String)]) {
        let said = |name: &str, value: &str| {
            let local = name.rsplit('}').next().unwrap_or_default();
            defaults.iter().any(|it| it.0 == local && plain(&it.1) == plain(value))
        };
        self.attributes.retain(|(name, value)| {
            before.attributes.iter().any(|it| it.0 == *name) || !said(name, value)
        });
        if let [Node::Text(text)] = &*self.children
            && before.children.is_empty()
            && said(&self.name, text)
        {
            self.children.clear();
        }
        let own = self.children.iter_mut().filter_map(|it| match it {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        });
        let theirs = before.children.iter().filter_map(|it| match it {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        });
        own.zip(theirs).for_each(|(own, theirs)| own.without_defaults(theirs, defaults));
    }

    /// Its name and text, with what is inside.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "<{}", self.name);
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}={:?}", plain(value));
        }
        out.push('>');
        let has_elements = self.children.iter().any(|it| matches!(it, Node::Element(_)));
        for child in &self.children {
            match child {
                Node::Element(element) => element.write(out),
                Node::Text(text) if has_elements && text.trim().is_empty() => {}
                Node::Text(text) => out.push_str(&plain(text)),
            }
        }
        out.push_str("</>");
    }
}

/// A text, or a number, truth value or time as it is written shortest.
fn plain(text: &str) -> String {
    let trimmed = text.trim();
    let is_number = trimmed.bytes().all(|it| it.is_ascii_digit() || b"+-.eE".contains(&it));
    match trimmed {
        "true" => return "1".into(),
        "false" => return "0".into(),
        _ => {}
    }
    let is_exact = trimmed.len() < 16 || trimmed.contains(['e', 'E']);
    if is_number && !trimmed.is_empty() && is_exact {
        match trimmed.parse::<f64>() {
            Ok(0.0) => return "0".into(),
            Ok(number) if number.is_infinite() => {
                return if number > 0.0 { "INF" } else { "-INF" }.into();
            }
            Ok(number) => return number.to_string(),
            Err(_) => {}
        }
    }
    if let Ok(time) = trimmed.parse::<trunkline_wire::Timestamp>() {
        return time.to_string();
    }
    if let Ok(time) = trimmed.parse::<trunkline_wire::Time>() {
        return time.to_string();
    }
    trimmed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The names and values of the defaults that a layout has.
pub(super) fn defaults(layout: &trunkline_message::Layout) -> Vec<(String, String)> {
    let fields = layout.scopes().iter().flat_map(|it| &it.fields);
    let said = fields.filter_map(|field| {
        let of = |format, word| layout.notes().of_member(field.member, format, word);
        let name = of("xml", "name").unwrap_or(&field.name);
        Some((name.to_owned(), of("field", "default")?.to_owned()))
    });
    said.collect()
}
