//! A dictionary as it was read, whichever kind of file it came from.

use trunkline_message::Layout;

use super::datatype::Datatype;
use super::layout::Builder;
use super::{check, orchestra, quickfix};
use crate::markup::Document;
use crate::problem::Warnings;
use crate::{Limits, Place, Problem};

/// Components and groups inside one another that are looked into; as deep as a layout may be.
pub(super) const DEEPEST: usize = 128;

/// The fields, components and messages of a version of FIX, or of a venue.
#[derive(Debug, Default)]
pub struct Dictionary {
    pub(super) version: String,
    pub(super) begin_string: Option<&'static str>,
    pub(super) fields: Vec<Field>,
    pub(super) groups: Vec<Group>,
    pub(super) components: Vec<Component>,
    pub(super) messages: Vec<Message>,
    pub(super) header: Vec<Part>,
    pub(super) trailer: Vec<Part>,
    pub(super) warnings: Vec<Problem>,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name: `ClOrdID`.
    pub name: String,
    /// Its number.
    pub tag: u32,
    /// What it holds.
    pub datatype: Datatype,
    /// What the dictionary, or FIX, calls that: `PRICE`.
    pub type_name: String,
    /// The values that it may have, each code once; none if any may be.
    pub values: Vec<FieldValue>,
    /// May it have others than these?
    pub is_open: bool,
    /// Of data, the number of the field that has the length, where the dictionary says so itself.
    pub length: Option<u32>,
    /// Where it is defined.
    pub place: Place,
}

/// A value that a field may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue {
    /// How FIX writes it.
    pub code: String,
    /// What it is called; no other value of the field is.
    pub name: String,
}

/// Entries behind a field that counts them.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The field that counts, by its place in [`Dictionary::fields`]; none if it is not defined.
    pub counter: Option<usize>,
    /// What each entry is made of.
    pub parts: Vec<Part>,
    /// Where it is defined.
    pub place: Place,
}

/// Fields that several messages have together.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub parts: Vec<Part>,
    /// Where it is defined.
    pub place: Place,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its name, as every format allows it: `NewOrderSingle`.
    pub name: String,
    /// Its name as the dictionary has it: `New Order - Single`.
    pub title: String,
    /// MsgType (35).
    pub message_type: String,
    /// What it is made of, apart from header and trailer.
    pub parts: Vec<Part>,
    /// Where it is defined.
    pub place: Place,
}

/// A part of a message, component or entry.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is called where it is used.
    pub name: String,
    /// Must it be there?
    pub is_required: bool,
    /// What it is; none if that is not defined, of which a warning tells.
    pub of: Option<Of>,
    /// Where it is used.
    pub place: Place,
}

/// What a part is, by its place among all of the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    /// One of the [fields](Dictionary::fields).
    Field(usize),
    /// One of the [groups](Dictionary::groups).
    Group(usize),
    /// One of the [components](Dictionary::components).
    Component(usize),
}

impl Dictionary {
    /// Reads a dictionary; `file` is what problems call it.
    ///
    /// # Errors
    /// It is no XML within the limits, or is no dictionary of FIX that is understood: what is wrong and can be lived
    /// with is among the [warnings](Self::warnings).
    pub fn read(file: &str, bytes: &[u8], limits: &Limits) -> Result<Self, Problem> {
        let document = Document::parse(file, bytes, limits)?;
        let mut warnings = Warnings::new(limits.warnings);
        let root = &document.root;
        let mut dictionary = match &*root.name {
            "fix" if root.namespace.is_empty() => quickfix::read(&document, &mut warnings)?,
            "repository" if orchestra::is_namespace(&root.namespace) => {
                orchestra::read(&document, &mut warnings)?
            }
            name => {
                let what = format!("expected a FIX dictionary, not {name}");
                let remedy = "the root element of one is fix, or the repository of FIX Orchestra";
                return Err(Problem::new(&document.place(root), what, remedy));
            }
        };
        check::check(&mut dictionary, &mut warnings);
        dictionary.warnings = warnings.all();
        Ok(dictionary)
    }

    /// Takes the header and the trailer of another dictionary, as FIX 5.0 has those of FIXT 1.1.
    #[must_use]
    pub fn with_transport(mut self, mut transport: Self) -> Self {
        let shifts = (self.fields.len(), self.groups.len(), self.components.len());
        let shift = |part: &mut Part| match &mut part.of {
            Some(Of::Field(it)) => *it += shifts.0,
            Some(Of::Group(it)) => *it += shifts.1,
            Some(Of::Component(it)) => *it += shifts.2,
            None => {}
        };
        transport.groups.iter_mut().flat_map(|it| &mut it.parts).for_each(shift);
        transport.components.iter_mut().flat_map(|it| &mut it.parts).for_each(shift);
        transport.header.iter_mut().chain(&mut transport.trailer).for_each(shift);
        for group in &mut transport.groups {
            group.counter = group.counter.map(|it| it + shifts.0);
        }
        self.fields.append(&mut transport.fields);
        self.groups.append(&mut transport.groups);
        self.components.append(&mut transport.components);
        self.warnings.append(&mut transport.warnings);
        (self.header, self.trailer) = (transport.header, transport.trailer);
        self.begin_string = transport.begin_string.or(self.begin_string);
        self
    }

    /// What the file says of itself: `FIX.4.4 SP0`; that of a venue is the venue's own.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// BeginString (8), if the version tells it: files of venues have the venue's own.
    pub fn begin_string(&self) -> Option<&str> {
        self.begin_string
    }

    /// Every field.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Every group, wherever it is defined.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Every component.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Every message.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The header of all messages; none in Orchestra, where it is a component of each.
    pub fn header(&self) -> &[Part] {
        &self.header
    }

    /// The trailer of all messages, likewise.
    pub fn trailer(&self) -> &[Part] {
        &self.trailer
    }

    /// What is wrong with the dictionary: names that nothing defines, numbers that stand twice.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// The first message of this name or MsgType.
    pub fn message(&self, name: &str) -> Option<&Message> {
        let by_name = self.messages.iter().find(|it| it.name == name || it.title == name);
        by_name.or_else(|| self.messages.iter().find(|it| it.message_type == name))
    }

    /// The layout of a message.
    ///
    /// # Errors
    /// Names what cannot be read as the dictionary has it: a component that holds itself, data without a length.
    pub fn layout(&self, message: &Message) -> Result<Layout, Problem> {
        Builder::new(self).message(message)
    }
}
