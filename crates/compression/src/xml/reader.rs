//! From a parcel to the document, within limits.

use std::rc::Rc;

use memchr::memchr;

use super::model::Model;
use super::{
    END, END_TAG, HOLE, MOST_CONTAINERS, OTHER, OTHER_END_TAG, TEMPLATES, TEXT, take_number,
};
use crate::Error;

/// The parts of a parcel that are not read yet.
struct Reader<'a> {
    model: Model,
    templates: &'a [u8],
    structure: &'a [u8],
    containers: Vec<&'a [u8]>,
}

/// Room that is taken before anything was read, at most.
const AT_FIRST: usize = 1 << 20;

fn broken<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::Broken(what.into()))
}

/// The document of a parcel, behind what is in `room`, which is nothing.
pub(super) fn document(parcel: &[u8], most: usize, mut room: Vec<u8>) -> Result<Vec<u8>, Error> {
    let (mut reader, length) = Reader::open(parcel)?;
    if length > most {
        return Err(Error::TooLong);
    }
    room.reserve(length.min(AT_FIRST));
    while !reader.structure.is_empty() {
        reader.piece(&mut room)?;
        if room.len() > length {
            return broken(format!("the document is longer than {length} bytes, as it says"));
        }
    }
    if room.len() < length {
        return broken(format!("the document has {} bytes, and says {length}", room.len()));
    }
    match reader.templates.is_empty() && reader.containers.iter().all(|it| it.is_empty()) {
        true => Ok(room),
        false => broken("there are values that nothing uses"),
    }
}

impl<'a> Reader<'a> {
    /// A parcel and the length of its document.
    fn open(parcel: &'a [u8]) -> Result<(Self, usize), Error> {
        let mut rest = parcel;
        let mut number = || match take_number(&mut rest) {
            Some(number) => Ok(number as usize),
            None => broken("the lengths of the parts are cut"),
        };
        let (length, count) = (number()?, number()?);
        if !(1..=MOST_CONTAINERS as usize).contains(&count) {
            return broken(format!("{count} containers are not 1 to {MOST_CONTAINERS}"));
        }
        let lengths = (0..count + 2).map(|_| number()).collect::<Result<Vec<_>, _>>()?;
        let mut parts = Vec::with_capacity(lengths.len());
        for length in lengths {
            let Some((part, more)) = rest.split_at_checked(length) else {
                return broken("the parts are shorter than they say");
            };
            parts.push(part);
            rest = more;
        }
        if !rest.is_empty() {
            return broken("something stands behind the parts");
        }
        let containers = parts.split_off(2);
        let (templates, structure) = (parts[0], parts[1]);
        Ok((Self { model: Model::new(), templates, structure, containers }, length))
    }

    /// Writes the next piece.
    fn piece(&mut self, room: &mut Vec<u8>) -> Result<(), Error> {
        match take_number(&mut self.structure) {
            Some(END_TAG) => {
                let Some(name) = self.model.name() else {
                    return broken("an element ends that has not begun");
                };
                room.extend_from_slice(b"</");
                room.extend_from_slice(name);
                room.push(b'>');
                self.model.end();
            }
            Some(OTHER_END_TAG) => {
                room.extend_from_slice(self.value(0)?);
                self.model.end();
            }
            Some(TEXT) => {
                let container = self.model.text();
                room.extend_from_slice(self.value(container)?);
            }
            Some(OTHER) => room.extend_from_slice(self.value(0)?),
            Some(template) => return self.start(template - TEMPLATES, room),
            None => return broken("the structure is cut"),
        }
        Ok(())
    }

    /// Writes a start tag.
    fn start(&mut self, template: u32, room: &mut Vec<u8>) -> Result<(), Error> {
        let known = self.model.templates.len();
        if template as usize > known {
            return broken(format!("template {template} comes before template {known}"));
        }
        if template as usize == known {
            let text = next(&mut self.templates);
            if text.and_then(|text| self.model.add(text)).is_none() {
                return broken(format!(
                    "template {known} is no start tag, too long, or one too many"
                ));
            }
        }
        let text = Rc::clone(&self.model.templates[template as usize].text);
        for (hole, literal) in text.split(|it| *it == HOLE).enumerate() {
            if hole > 0 {
                let container = self.model.hole(template, hole - 1);
                room.extend_from_slice(self.value(container)?);
            }
            room.extend_from_slice(literal);
        }
        match self.model.start(template) {
            Some(()) => Ok(()),
            None => broken("too many elements are open at once"),
        }
    }

    /// The next value of a container.
    fn value(&mut self, container: usize) -> Result<&'a [u8], Error> {
        match self.containers.get_mut(container).and_then(next) {
            Some(value) => Ok(value),
            None => broken(format!("container {container} has no more values")),
        }
    }
}

/// Takes what stands before the next octet 0.
fn next<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = memchr(END, from)?;
    let value = &from[..end];
    *from = &from[end + 1..];
    Some(value)
}
