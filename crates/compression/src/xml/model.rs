//! What both sides know of a document at any place of it: the templates, the elements that are open, and the containers.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::{HOLE, MOST_CONTAINERS};

/// Templates at most, the bytes and the holes of one, and elements that are open at once: beyond, a document is left as it is.
const MOST_TEMPLATES: usize = 1 << 14;
const MOST_BYTES: usize = 64 << 10;
const MOST_HOLES: usize = 256;
const MOST_OPEN: usize = 1 << 12;
/// Paths at most; those beyond share the last one.
const MOST_PATHS: usize = 1 << 16;

/// A place in the tree: the names of the elements that are open. 0 is outside of all.
type Path = u32;

/// A start tag with a hole for each value.
pub(super) struct Template {
    pub(super) text: Rc<[u8]>,
    name: u32,
    /// The container of each hole, or 0.
    holes: Box<[u32]>,
    /// It is an empty element.
    is_empty: bool,
}

/// An open element.
struct Open {
    path: Path,
    template: u32,
}

/// See above. All of it is bounded, whatever the document.
#[derive(Default)]
pub(super) struct Model {
    pub(super) templates: Vec<Template>,
    names: HashMap<Box<[u8]>, u32>,
    paths: HashMap<(Path, u32), Path>,
    /// The container of each path's text, or 0.
    texts: Vec<u32>,
    open: Vec<Open>,
    containers: u32,
}

/// Where the name of a start tag ends that begins with `<`: at what stands behind it. Looks no further than the next `<`, so
/// that a document of many is read in one go.
pub(super) fn name_end(tag: &[u8]) -> Option<usize> {
    let is_end = |it: u8| matches!(it, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>');
    let is_foreign = |it: u8| matches!(it, b'<' | b'=' | b'"' | b'\'' | b'!' | b'?' | HOLE);
    let length = tag.get(1..)?.iter().position(|it| is_end(*it) || is_foreign(*it))?;
    let end = 1 + length;
    (length > 0 && is_end(tag[end])).then_some(end)
}

impl Model {
    pub(super) fn new() -> Self {
        // The first is for what is neither tag nor text.
        Self { texts: vec![0], containers: 1, ..Self::default() }
    }

    /// Adds a template. None if it is no start tag, too long or of too many holes, or there are too many of them.
    pub(super) fn add(&mut self, text: &[u8]) -> Option<u32> {
        let number = self.templates.len();
        let end = name_end(text).filter(|_| text[0] == b'<' && text.ends_with(b">"))?;
        let holes = text.iter().filter(|it| **it == HOLE).count();
        if number == MOST_TEMPLATES || text.len() > MOST_BYTES || holes > MOST_HOLES {
            return None;
        }
        let next = self.names.len() as u32;
        let name = *self.names.entry(text[1..end].into()).or_insert(next);
        let is_empty = text.ends_with(b"/>");
        let (text, holes) = (text.into(), vec![0; holes].into());
        self.templates.push(Template { text, name, holes, is_empty });
        Some(number as u32)
    }

    /// The container of a hole.
    pub(super) fn hole(&mut self, template: u32, hole: usize) -> usize {
        let place = &mut self.templates[template as usize].holes[hole];
        container(place, &mut self.containers)
    }

    /// The container of the text here.
    pub(super) fn text(&mut self) -> usize {
        let path = self.path();
        container(&mut self.texts[path as usize], &mut self.containers)
    }

    fn path(&self) -> Path {
        self.open.last().map_or(0, |it| it.path)
    }

    /// A start tag was here. None where too many elements are open.
    pub(super) fn start(&mut self, template: u32) -> Option<()> {
        let Template { name, is_empty, .. } = self.templates[template as usize];
        if is_empty {
            return Some(());
        }
        if self.open.len() == MOST_OPEN {
            return None;
        }
        let path = self.path_of(name);
        self.open.push(Open { path, template });
        Some(())
    }

    /// The path of an element of this name here.
    fn path_of(&mut self, name: u32) -> Path {
        let (place, next) = ((self.path(), name), self.texts.len());
        match self.paths.get(&place) {
            Some(&path) => path,
            None if next > MOST_PATHS => MOST_PATHS as Path,
            None => {
                self.paths.insert(place, next as Path);
                self.texts.push(0);
                next as Path
            }
        }
    }

    /// The name of the element that is to end next.
    pub(super) fn name(&self) -> Option<&[u8]> {
        let template = &self.templates[self.open.last()?.template as usize];
        let end: Range<usize> = 1..name_end(&template.text)?;
        template.text.get(end)
    }

    /// An end tag was here.
    pub(super) fn end(&mut self) {
        self.open.pop();
    }
}

/// The container of a place, which gets the next one if it has none.
fn container(place: &mut u32, containers: &mut u32) -> usize {
    if *place == 0 {
        *place = (*containers).min(MOST_CONTAINERS - 1);
        *containers = MOST_CONTAINERS.min(*containers + 1);
    }
    *place as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_bounded() {
        let mut model = Model::new();
        let names = 0..MOST_TEMPLATES;
        let add = |it| model.add(format!("<n{it}>").as_bytes()).expect("there is room");
        let templates: Vec<_> = names.map(add).collect();
        for &outer in &templates[..6] {
            model.start(outer).expect("few are open");
            for &inner in &templates {
                model.start(inner).expect("few are open");
                assert!((model.path() as usize) < model.texts.len());
                model.end();
            }
            model.end();
        }
        assert_eq!((model.paths.len(), model.texts.len()), (MOST_PATHS, MOST_PATHS + 1));
    }
}
