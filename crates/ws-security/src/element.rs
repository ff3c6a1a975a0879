//! A header block as a small tree.

use trunkline_codec::infoset::{Event, Reader};
use trunkline_message::{Error, ErrorKind, Result};

use crate::canonical::EXCLUSIVE;
use crate::fault::cut;
use crate::{DS, WSSE, WSU};

/// A block has at most so many elements, inside each other at most so deep. What is read here has far fewer: a certificate is
/// one element.
const MOST: usize = 512;
const DEEPEST: usize = 16;

/// The namespaces that are read here. All others are one, so that a long name is not copied for everything that is in it.
fn known(namespace: &str) -> &'static str {
    let known = ["", WSSE, WSU, DS, EXCLUSIVE];
    known.into_iter().find(|it| *it == namespace).unwrap_or("other")
}

/// An element with what is in it; comments are left out, so that the text around one is whole.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) namespace: &'static str,
    pub(crate) local: String,
    /// Namespace, name, value.
    attributes: Vec<(&'static str, String, String)>,
    pub(crate) children: Vec<Element>,
    text: String,
    /// Where it begins in its document, in bytes.
    pub(crate) at: usize,
}

impl Element {
    fn begun<R: Reader>(reader: &R, name: R::Name) -> Self {
        let attributes = (0..reader.attributes()).map(|index| {
            let (name, value) = reader.attribute(index);
            let (namespace, local) = (known(reader.namespace_of(name)), reader.local(name));
            (namespace, local.to_owned(), reader.value(value).into_owned())
        });
        Self {
            namespace: known(reader.namespace_of(name)),
            local: reader.local(name).to_owned(),
            attributes: attributes.collect(),
            children: Vec::new(),
            text: String::new(),
            at: reader.began(),
        }
    }

    /// Has it a few attributes at most, and none in a namespace?
    pub(crate) fn has_plain_attributes(&self) -> bool {
        self.attributes.len() <= 8 && self.attributes.iter().all(|it| it.0.is_empty())
    }

    /// Reads an element that has just begun, to its end; `seen` hears of every start tag inside.
    pub(crate) fn read<R: Reader>(
        reader: &mut R,
        name: R::Name,
        mut seen: impl FnMut(&R),
    ) -> Result<Self> {
        let mut open = vec![Self::begun(reader, name)];
        let mut count = 1;
        loop {
            match reader.next()? {
                Event::Start(name) => {
                    count += 1;
                    for (name, limit, is) in
                        [("elements", MOST, count), ("depth", DEEPEST, open.len())]
                    {
                        if is > limit {
                            return Err(Error::new(
                                ErrorKind::Limit { name, limit },
                                reader.began(),
                            ));
                        }
                    }
                    seen(reader);
                    open.push(Self::begun(reader, name));
                }
                Event::Text(text) => {
                    if let Some(last) = open.last_mut() {
                        reader.append(text, &mut last.text);
                    }
                }
                Event::End | Event::Eof => {
                    let Some(ended) = open.pop() else { return Ok(Self::default()) };
                    match open.last_mut() {
                        Some(outer) => outer.children.push(ended),
                        None => return Ok(ended),
                    }
                }
            }
        }
    }

    pub(crate) fn is(&self, namespace: &str, local: &str) -> bool {
        self.local == local && self.namespace == namespace
    }

    /// Its name, for people.
    pub(crate) fn name(&self) -> &str {
        cut(&self.local)
    }

    pub(crate) fn attribute(&self, namespace: &str, local: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|it| it.1 == local && it.0 == namespace);
        found.map(|it| &*it.2)
    }

    /// Its text, without the white space around it; none if there are elements in it.
    pub(crate) fn text(&self) -> Option<&str> {
        self.children.is_empty().then(|| self.text.trim_matches([' ', '\t', '\r', '\n']))
    }

    /// Its text with all of its white space: that of a password counts.
    pub(crate) fn whole_text(&self) -> Option<&str> {
        self.children.is_empty().then_some(&*self.text)
    }

    /// The children of this name.
    pub(crate) fn all<'e>(
        &'e self,
        namespace: &'e str,
        local: &'e str,
    ) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |it| it.is(namespace, local))
    }

    /// The child of this name; none if there are several.
    pub(crate) fn only(&self, namespace: &str, local: &str) -> Option<&Element> {
        let mut all = self.children.iter().filter(|it| it.is(namespace, local));
        let first = all.next();
        first.filter(|_| all.next().is_none())
    }
}
