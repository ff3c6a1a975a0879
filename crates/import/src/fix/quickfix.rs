//! Dictionaries of QuickFIX and its kin: one file with header, trailer, messages, components and fields.

use std::collections::HashSet;

use trunkline_message::Kind;

use super::datatype::Datatype;
use super::dictionary::{Component, Dictionary, Field, Group, Of, Part};
use super::reading::{Index, Reading};
use crate::markup::{Document, Element};
use crate::problem::{Problem, Warnings};

pub(super) fn read(document: &Document, warnings: &mut Warnings) -> Result<Dictionary, Problem> {
    let root = &document.root;
    let mut reader = Reader {
        reading: Reading::new(document, warnings),
        fields: Index::default(),
        components: Index::default(),
    };
    reader.version(root);
    for field in root.all("fields").flat_map(|it| &it.children) {
        reader.field(field)?;
    }
    reader.components(root)?;
    for element in root.all("messages").flat_map(|it| it.all("message")) {
        let message_type = reader.reading.needed(element, "msgtype")?;
        let what = format!("the message {}", reader.reading.needed(element, "name")?);
        let parts = reader.parts(element, &what)?;
        reader.reading.add_message(element, message_type, parts)?;
    }
    for part in root.all("header") {
        reader.reading.dictionary.header = reader.parts(part, "the header")?;
    }
    for part in root.all("trailer") {
        reader.reading.dictionary.trailer = reader.parts(part, "the trailer")?;
    }
    Ok(reader.reading.dictionary)
}

struct Reader<'a, 'w> {
    reading: Reading<'a, 'w>,
    fields: Index<&'a str>,
    components: Index<&'a str>,
}

impl<'a> Reader<'a, '_> {
    fn version(&mut self, root: &Element) {
        let word = |name: &str, default: &'static str| match root.attribute(name) {
            Some(found) if !found.is_empty() => found.to_owned(),
            _ => default.to_owned(),
        };
        let (kind, service_pack) = (word("type", "FIX"), word("servicepack", "0"));
        let (major, minor) = (word("major", "0"), word("minor", "0"));
        // Venues have the version of their own specification there.
        self.reading.dictionary.begin_string = match (&*kind, &*major, &*minor) {
            ("FIX", "4", "0") => Some("FIX.4.0"),
            ("FIX", "4", "1") => Some("FIX.4.1"),
            ("FIX", "4", "2") => Some("FIX.4.2"),
            ("FIX", "4", "3") => Some("FIX.4.3"),
            ("FIX", "4", "4") => Some("FIX.4.4"),
            ("FIX", "5", "0") | ("FIXT", "1", "1") => Some("FIXT.1.1"),
            _ => None,
        };
        self.reading.dictionary.version = format!("{kind}.{major}.{minor} SP{service_pack}");
    }

    fn field(&mut self, element: &'a Element) -> Result<(), Problem> {
        let reading = &mut self.reading;
        if element.name != "field" {
            let what = format!("{} is not understood among the fields", element.name);
            reading.warn(element, what, "it is left out");
            return Ok(());
        }
        let (name, tag) = (reading.needed(element, "name")?, reading.tag(element, "number")?);
        let word = element.attribute("type").unwrap_or_default();
        let datatype = Datatype::named(word, reading.dictionary.begin_string);
        if datatype.is_none() {
            let what = format!("the type {word:?} of the field {name} is not known");
            reading.warn(element, what, "it is read as text");
        }
        let is_open = matches!(element.attribute("allowOtherValues"), Some("Y" | "y" | "true"));
        let values = reading.values(element, name, ("value", "enum", "description"));
        let field = Field {
            name: name.to_owned(),
            tag,
            datatype: datatype.unwrap_or(Datatype::Value(Kind::Text)),
            type_name: word.to_owned(),
            values,
            is_open,
            length: None,
            place: reading.place(element),
        };
        let index = reading.add_field(element, field);
        if self.fields.first(name, index) != index {
            let what = format!("the field {name} is defined twice");
            reading.warn(element, what, "messages have the first");
        }
        Ok(())
    }

    fn components(&mut self, root: &'a Element) -> Result<(), Problem> {
        let all: Vec<_> = root.all("components").flat_map(|it| it.all("component")).collect();
        // They may hold those that are defined behind them.
        for (index, element) in all.iter().enumerate() {
            let name = self.reading.needed(element, "name")?;
            if self.components.first(name, index) != index {
                let what = format!("the component {name} is defined twice");
                self.reading.warn(element, what, "messages have the first");
            }
        }
        for element in all {
            let name = self.reading.needed(element, "name")?.to_owned();
            let parts = self.parts(element, &format!("the component {name}"))?;
            let place = self.reading.place(element);
            self.reading.dictionary.components.push(Component { name, parts, place });
        }
        Ok(())
    }

    fn parts(&mut self, around: &'a Element, of_what: &str) -> Result<Vec<Part>, Problem> {
        let (mut parts, mut taken) = (Vec::new(), HashSet::new());
        for element in &around.children {
            let kind = &*element.name;
            if !matches!(kind, "field" | "group" | "component") {
                let what = format!("{kind} is not understood in {of_what}");
                self.reading.warn(element, what, "it is left out");
                continue;
            }
            let name = self.reading.needed(element, "name")?;
            let of = match kind {
                "field" => self.fields.get(name).map(Of::Field),
                "group" => Some(self.group(element, name)?),
                _ => self.components.get(name).map(Of::Component),
            };
            if !taken.insert(name) {
                let what = format!("{name} stands twice in {of_what}");
                self.reading.warn(element, what, "the first is taken");
                continue;
            }
            if of.is_none() {
                let what = format!("the {kind} {name} of {of_what} is not defined");
                self.reading.warn(element, what, "it is unknown content until it is: define it");
            }
            let is_required = matches!(element.attribute("required"), Some("Y" | "y"));
            let (name, place) = (name.to_owned(), self.reading.place(element));
            parts.push(Part { name, is_required, of, place });
        }
        Ok(parts)
    }

    fn group(&mut self, element: &'a Element, name: &str) -> Result<Of, Problem> {
        let counter = self.fields.get(name);
        if counter.is_none() {
            let what =
                format!("the field {name}, which counts the entries of the group, is not defined");
            self.reading.warn(element, what, "the group is unknown content until it is: define it");
        }
        let mut parts = self.parts(element, &format!("the group {name}"))?;
        if let Some(own) =
            parts.iter().position(|it| it.name == name && it.of == counter.map(Of::Field))
        {
            let what = format!(
                "the field {name}, which counts the entries of the group, stands in them too"
            );
            self.reading.warn(element, what, "it is taken for that before them alone");
            parts.remove(own);
        }
        let (name, place) = (name.to_owned(), self.reading.place(element));
        let groups = &mut self.reading.dictionary.groups;
        groups.push(Group { name, counter, parts, place });
        Ok(Of::Group(groups.len() - 1))
    }
}
