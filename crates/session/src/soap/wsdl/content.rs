//! What types of XML Schema are made of.

use trunkline_message::Field;

/// How often something may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurs {
    pub(super) least: u32,
    /// None is without bounds.
    pub(super) most: Option<u32>,
}

impl Occurs {
    pub(super) const ONCE: Self = Self { least: 1, most: Some(1) };
    pub(super) const MAYBE: Self = Self { least: 0, most: Some(1) };

    /// The items of a list.
    pub(super) fn of_items(list: &Field) -> Self {
        Self { least: list.fixed.unwrap_or(0), most: list.fixed }
    }

    /// As attributes, those left out that say what holds without them.
    pub(super) fn attributes(self) -> Vec<(&'static str, String)> {
        let least = (self.least != 1).then(|| ("minOccurs", self.least.to_string()));
        let most = self.most.map_or("unbounded".into(), |it| it.to_string());
        let most = (self.most != Some(1)).then_some(("maxOccurs", most));
        least.into_iter().chain(most).collect()
    }
}

/// A namespace of a description, by its place among them; the first is the service's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Space(pub(super) usize);

/// The service's.
pub(super) const TARGET: Space = Space(0);

impl Space {
    pub(super) fn prefix(self) -> String {
        if self == TARGET { "tns".into() } else { format!("n{}", self.0) }
    }
}

/// Where an element or attribute is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where it stands: in the namespace of that schema, or in none.
    Local { is_qualified: bool },
    /// At the top of the schema of another namespace, to which what stands here refers.
    Global(Space),
    /// Nowhere: it is any element of the namespaces that stand in place of its type.
    Anywhere,
}

/// An element inside a type, or a part of an rpc message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    /// With its prefix: `xsd:int`, `tns:customer`.
    pub(super) type_name: String,
    pub(super) occurs: Occurs,
    pub(super) place: Place,
    pub(super) nillable: bool,
    /// What it is where it is absent or empty.
    pub(super) default: Option<String>,
}

/// An attribute inside a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) type_name: String,
    pub(super) is_required: bool,
    pub(super) place: Place,
    pub(super) default: Option<String>,
}

/// What stands in a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Particle {
    Element(Element),
    /// One of these.
    Choice(Vec<Element>, Occurs),
}

/// What a type is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// These in this order, and attributes.
    Sequence(Vec<Particle>, Vec<Attribute>),
    /// A text of this type, and attributes.
    Text(String, Vec<Attribute>),
    /// One of these elements, so often.
    Choice(Vec<Element>, Occurs),
    /// An array of the SOAP encoding: the type of the items, and brackets.
    Array(String),
    /// One of these texts.
    Enumeration(Vec<String>),
    /// Values of this type in one text, with blanks between them. How many there have to be is not said:
    /// that takes a restriction of the list, by which zeep 4.3 loses the type of its items.
    Values(String),
    /// Not known yet, as the type holds itself.
    Open,
}

impl Content {
    /// Is it a text without attributes?
    pub(super) fn is_simple(&self) -> bool {
        matches!(self, Self::Enumeration(_) | Self::Values(_))
    }
}
