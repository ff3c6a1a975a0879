//! From a document to a parcel.

use std::collections::HashMap;

use memchr::{memchr, memchr2, memchr3, memmem};

use super::model::{Model, name_end};
use super::{END, END_TAG, HOLE, OTHER, OTHER_END_TAG, TEMPLATES, TEXT, push_number};

struct Writer {
    model: Model,
    numbers: HashMap<Box<[u8]>, u32>,
    templates: Vec<u8>,
    structure: Vec<u8>,
    containers: Vec<Vec<u8>>,
    /// The start tag that is read, as a template, and where its values are.
    tag: Vec<u8>,
    values: Vec<(usize, usize)>,
}

/// The parcel of a document; None for one that is better left as it is.
pub(super) fn parcel(document: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(document.len()).ok()?;
    if memchr2(END, HOLE, document).is_some() {
        return None;
    }
    let mut writer = Writer {
        model: Model::new(),
        numbers: HashMap::new(),
        templates: Vec::new(),
        structure: Vec::new(),
        containers: vec![Vec::new()],
        tag: Vec::new(),
        values: Vec::new(),
    };
    let mut rest = document;
    while let Some(&first) = rest.first() {
        let taken = match first {
            b'<' => writer.markup(rest)?,
            _ => writer.text(rest),
        };
        rest = &rest[taken..];
    }
    writer.parcel(length)
}

/// The length of what begins a document and goes on to `end` and with it, or to the end of all.
fn through(document: &[u8], end: &[u8]) -> usize {
    memmem::find(document, end).map_or(document.len(), |at| at + end.len())
}

/// The length of an end tag that begins a document, without what comes with the next tag.
fn through_tag(document: &[u8]) -> usize {
    let end = memchr2(b'>', b'<', &document[1..]).map(|at| at + 1);
    end.map_or(document.len(), |at| at + usize::from(document[at] == b'>'))
}

/// The length up to the next thing that may be a tag.
fn to_next(document: &[u8]) -> usize {
    memchr(b'<', &document[1..]).map_or(document.len(), |at| at + 1)
}

impl Writer {
    fn put(&mut self, container: usize, value: &[u8]) {
        if self.containers.len() <= container {
            self.containers.resize_with(container + 1, Vec::new);
        }
        self.containers[container].extend_from_slice(value);
        self.containers[container].push(END);
    }

    /// Text up to the next tag; returns its length.
    fn text(&mut self, rest: &[u8]) -> usize {
        let length = to_next(rest);
        push_number(&mut self.structure, TEXT);
        let container = self.model.text();
        self.put(container, &rest[..length]);
        length
    }

    /// What begins with `<`; returns its length. None where there is too much.
    fn markup(&mut self, rest: &[u8]) -> Option<usize> {
        let length = match rest.get(1) {
            Some(b'/') => return Some(self.end_tag(rest)),
            Some(b'?') => through(rest, b"?>"),
            Some(b'!') if rest.starts_with(b"<!--") => through(rest, b"-->"),
            Some(b'!') if rest.starts_with(b"<![CDATA[") => through(rest, b"]]>"),
            Some(b'!') => through(rest, b">"),
            _ => match self.read_tag(rest) {
                Some(length) => return self.start_tag(rest).map(|()| length),
                None => to_next(rest),
            },
        };
        push_number(&mut self.structure, OTHER);
        self.put(0, &rest[..length]);
        Some(length)
    }

    fn end_tag(&mut self, rest: &[u8]) -> usize {
        let name = self.model.name();
        let behind = name.and_then(|name| rest[2..].strip_prefix(name)).map(<[u8]>::first);
        let length = match (behind, name) {
            (Some(Some(b'>')), Some(name)) => {
                push_number(&mut self.structure, END_TAG);
                name.len() + 3
            }
            _ => {
                let length = through_tag(rest);
                push_number(&mut self.structure, OTHER_END_TAG);
                self.put(0, &rest[..length]);
                length
            }
        };
        self.model.end();
        length
    }

    /// Reads a start tag as a template and its values; returns its length. None if it is none. XML has no `<` in a tag, so
    /// nothing is looked for behind the next one: each byte is looked at a few times, however many tags are none.
    fn read_tag(&mut self, rest: &[u8]) -> Option<usize> {
        let is_space = |it: &u8| matches!(it, b' ' | b'\t' | b'\r' | b'\n');
        let spaces = |at: usize| rest[at..].iter().take_while(|it| is_space(it)).count();
        self.tag.clear();
        self.values.clear();
        let (mut at, mut written) = (name_end(rest)?, 0);
        loop {
            at += spaces(at);
            match rest.get(at)? {
                b'>' => at += 1,
                b'/' if rest.get(at + 1) == Some(&b'>') => at += 2,
                b'/' => return None,
                _ => {
                    at += memchr3(b'=', b'>', b'<', &rest[at..])
                        .filter(|it| rest[at + it] == b'=')?
                        + 1;
                    at += spaces(at);
                    let quote = *rest.get(at).filter(|it| matches!(it, b'"' | b'\''))?;
                    at += 1;
                    self.tag.extend_from_slice(&rest[written..at]);
                    self.tag.push(HOLE);
                    written = at + memchr2(quote, b'<', &rest[at..])?;
                    if rest[written] != quote {
                        return None;
                    }
                    self.values.push((at, written));
                    at = written + 1;
                    continue;
                }
            }
            self.tag.extend_from_slice(&rest[written..at]);
            return Some(at);
        }
    }

    /// Takes in the start tag that was read.
    fn start_tag(&mut self, rest: &[u8]) -> Option<()> {
        let template = match self.numbers.get(&*self.tag) {
            Some(&number) => number,
            None => {
                let number = self.model.add(&self.tag)?;
                self.numbers.insert(self.tag.as_slice().into(), number);
                self.templates.extend_from_slice(&self.tag);
                self.templates.push(END);
                number
            }
        };
        push_number(&mut self.structure, TEMPLATES + template);
        for hole in 0..self.values.len() {
            let (from, to) = self.values[hole];
            let container = self.model.hole(template, hole);
            self.put(container, &rest[from..to]);
        }
        self.model.start(template)
    }

    fn parcel(&self, length: u32) -> Option<Vec<u8>> {
        let parts = || [&self.templates, &self.structure].into_iter().chain(&self.containers);
        let all: usize = parts().map(Vec::len).sum();
        let mut parcel = Vec::with_capacity(all + 5 * self.containers.len() + 20);
        push_number(&mut parcel, length);
        push_number(&mut parcel, self.containers.len() as u32);
        for part in parts() {
            push_number(&mut parcel, u32::try_from(part.len()).ok()?);
        }
        parts().for_each(|it| parcel.extend_from_slice(it));
        Some(parcel)
    }
}
