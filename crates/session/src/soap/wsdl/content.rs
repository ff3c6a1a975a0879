//! The parts of types in XML Schema.

use super::facets::Facets;

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

    /// As attributes, those left out that say what holds without them.
    pub(super) fn attributes(self) -> Vec<(&'static str, String)> {
        let least = (self.least != 1).then(|| ("minOccurs", self.least.to_string()));
        let most = self.most.map_or("unbounded".into(), |it| it.to_string());
        let most = (self.most != Some(1)).then_some(("maxOccurs", most));
        least.into_iter().chain(most).collect()
    }
}

/// A namespace of a description, by its place among them; the first is the service's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NamespaceIndex(pub(super) usize);

/// The service's.
pub(super) const TARGET: NamespaceIndex = NamespaceIndex(0);

impl NamespaceIndex {
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
    Global(NamespaceIndex),
    /// Nowhere: it is any element of the namespaces that stand in place of its type.
    Anywhere,
}

/// An element inside a type, or a part of an rpc message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    /// With its prefix: `xsd:int`, `tns:customer`.
    pub(super) type_name: String,
    /// What its values keep to beyond the type.
    pub(super) facets: Facets,
    pub(super) occurs: Occurs,
    pub(super) place: Place,
    pub(super) nillable: bool,
    /// Its default value, where it is absent or empty.
    pub(super) default: Option<String>,
}

impl Element {
    /// One in no namespace that says nothing more.
    pub(super) fn new(name: String, type_name: String, occurs: Occurs) -> Self {
        let place = Place::Local { is_qualified: false };
        let (facets, nillable, default) = (Facets::new(), false, None);
        Self { name, type_name, facets, occurs, place, nillable, default }
    }
}

/// An attribute inside a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) type_name: String,
    pub(super) facets: Facets,
    pub(super) is_required: bool,
    pub(super) place: Place,
    pub(super) default: Option<String>,
}

/// What stands in a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Any of these elements with text between them, and attributes.
    Mixed(Vec<Element>, Vec<Attribute>),
    /// Nothing by itself: other types are derived from it.
    Abstract,
    /// An array of the SOAP encoding: the type of the items, and brackets.
    Array(String),
    /// One of these texts.
    Enumeration(Vec<String>),
    /// A value of this type that keeps to the facets.
    Restricted(String, Facets),
    /// Values of this type in one text, with blanks between them. How many there have to be is not said:
    /// that takes a restriction of the list, and zeep 4.3 takes the name of such a type for the type of
    /// the list's items.
    Values(String),
    /// Not known yet, as the type holds itself.
    Open,
}

impl Content {
    /// Is it a text without attributes?
    pub(super) fn is_simple(&self) -> bool {
        matches!(self, Self::Enumeration(_) | Self::Restricted(..) | Self::Values(_))
    }
}

impl Content {
    /// Does it look the same in every form of messages?
    pub(super) fn is_of_any_form(&self) -> bool {
        self.is_simple() || *self == Self::Abstract
    }
}

/// What a derived type has beyond its base of this name, if it begins with what that has; elements are
/// compared by `same`.
pub(super) fn beyond(
    base: &Content,
    derived: &Content,
    name: &str,
    same: &dyn Fn(&Element, &Element) -> bool,
) -> Option<Content> {
    let same_arms = |one: &[Element], other: &[Element]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
    };
    let same_particles = |one: &Particle, other: &Particle| match (one, other) {
        (Particle::Element(one), Particle::Element(other)) => same(one, other),
        (Particle::Choice(one, often), Particle::Choice(other, how_often)) => {
            often == how_often && same_arms(one, other)
        }
        _ => false,
    };
    let more = |base: &[Attribute], derived: &[Attribute]| {
        let rest = derived.iter().filter(|it| !base.contains(it)).cloned().collect::<Vec<_>>();
        (rest.len() + base.len() == derived.len()).then_some(rest)
    };
    Some(match (base, derived) {
        (Content::Abstract, Content::Sequence(particles, attributes)) => {
            Content::Sequence(particles.clone(), attributes.clone())
        }
        (Content::Sequence(all, of_base), Content::Sequence(particles, attributes)) => {
            let (first, rest) = particles.split_at_checked(all.len())?;
            let is_same = all.iter().zip(first).all(|(one, other)| same_particles(one, other));
            let attributes = more(of_base, attributes).filter(|_| is_same)?;
            Content::Sequence(rest.to_vec(), attributes)
        }
        (Content::Text(of, of_base), Content::Text(text, attributes)) if of == text => {
            Content::Text(name.to_owned(), more(of_base, attributes)?)
        }
        (Content::Mixed(arms, of_base), Content::Mixed(own, attributes))
            if same_arms(arms, own) =>
        {
            Content::Mixed(Vec::new(), more(of_base, attributes)?)
        }
        (Content::Abstract, Content::Mixed(arms, attributes)) => {
            Content::Mixed(arms.clone(), attributes.clone())
        }
        (Content::Sequence(all, of_base), Content::Mixed(arms, attributes)) if all.is_empty() => {
            Content::Mixed(arms.clone(), more(of_base, attributes)?)
        }
        (Content::Sequence(all, of_base), Content::Choice(arms, occurs))
            if all.is_empty() && of_base.is_empty() =>
        {
            Content::Choice(arms.clone(), *occurs)
        }
        (Content::Abstract, Content::Choice(arms, occurs)) => {
            Content::Choice(arms.clone(), *occurs)
        }
        (Content::Choice(arms, often), Content::Choice(own, how_often))
            if often == how_often && same_arms(arms, own) =>
        {
            Content::Sequence(Vec::new(), Vec::new())
        }
        _ => return None,
    })
}
