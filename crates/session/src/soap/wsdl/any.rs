//! Elements of any name (`xsd:any`, XML Schema part 1 section 3.10).

use trunkline_message::{Field, Need, ScopeId};
use trunkline_soap::{NamespaceConstraint, holds_wildcards, namespace_constraint};

use super::content::{Element, NamespaceIndex, Occurs, Particle, Place};
use super::facets;
use super::markup::Markup;
use super::walk::Walk;

impl Walk<'_> {
    /// The wildcard that a field is, if it is one.
    pub(super) fn wildcard(&self, field: &Field) -> Option<Element> {
        namespace_constraint(self.layout, field, self.types.target())?;
        let noted = self.layout.notes().of_member(field.member, "xml", "namespace");
        let occurs = match (field.holds.scope(), field.need) {
            (Some(_), _) => Occurs { least: 0, most: None },
            (None, Need::Required) => Occurs::ONCE,
            (None, _) => Occurs::MAYBE,
        };
        Some(anything(field, noted.unwrap_or("##any"), occurs))
    }

    /// Those in a list that has an element around them.
    pub(super) fn wildcards_inside(&self, list: &Field) -> Element {
        anything(list, "##any", facets::occurs(self.layout, list))
    }

    /// Is it a list of elements of any name that has an element around them?
    pub(super) fn is_around_wildcards(&self, list: &Field) -> bool {
        holds_wildcards(self.layout, list)
    }

    /// The particles of a sequence, each of which must tell its elements by itself from those of what may
    /// stand in its place (section 3.8.6, Unique Particle Attribution).
    pub(super) fn check_particles(
        &mut self,
        id: ScopeId,
        particles: &[Particle],
        home: NamespaceIndex,
    ) {
        for (first, one) in particles.iter().enumerate() {
            let Occurs { least, most } = one.occurs();
            if most == Some(least) {
                continue;
            }
            for other in &particles[first + 1..] {
                self.check_pair(id, (one.elements(), other.elements()), home);
                if other.occurs().least > 0 {
                    break;
                }
            }
        }
    }

    /// Elements of one name in one content are of one type (section 3.8.6, Element Declarations Consistent).
    pub(super) fn check_consistent(&mut self, id: ScopeId, particles: &[Particle]) {
        let all: Vec<&Element> = particles.iter().flat_map(Particle::elements).collect();
        let is_known = |it: &&&Element| it.place != Place::Anywhere;
        for (index, one) in all.iter().enumerate().filter(|it| is_known(&it.1)) {
            let same = |it: &&&Element| it.name == one.name && it.place == one.place;
            let mut others = all[index + 1..].iter().filter(is_known).filter(same);
            let differs = |it: &&Element| it.type_name != one.type_name || it.facets != one.facets;
            if others.any(differs) {
                let (message, around) = (self.layout.name(), &self.layout.scope(id).name);
                return self.types.reject(format!(
                    "the message {message}: two elements {} of {around} are of different types, which XML \
                     Schema forbids: give one another name",
                    one.name
                ));
            }
        }
    }

    /// The same of the arms of a choice.
    pub(super) fn check_arms(&mut self, id: ScopeId, arms: &[Element], home: NamespaceIndex) {
        for (index, one) in arms.iter().enumerate() {
            self.check_pair(id, (std::slice::from_ref(one), &arms[index + 1..]), home);
        }
    }

    fn check_pair(
        &mut self,
        id: ScopeId,
        (ones, others): (&[Element], &[Element]),
        home: NamespaceIndex,
    ) {
        for (one, other) in ones.iter().flat_map(|one| others.iter().map(move |it| (one, it))) {
            let meets = match (one.place == Place::Anywhere, other.place == Place::Anywhere) {
                (true, true) => self.takes(one, home).meets(&self.takes(other, home)),
                (true, false) => self.takes(one, home).admits(&self.namespace(other, home)),
                (false, true) => self.takes(other, home).admits(&self.namespace(one, home)),
                (false, false) => false,
            };
            if meets {
                let (message, around) = (self.layout.name(), &self.layout.scope(id).name);
                let (any, known) = match one.place == Place::Anywhere {
                    true => (one, other),
                    false => (other, one),
                };
                self.types.reject(format!(
                    "the message {message}: {} of {around} takes elements of any name, and {} beside it may \
                     stand in its place, which XML Schema forbids: note xml(namespace = \"##other\"), or \
                     let what is before it always be there and nothing follow",
                    any.name, known.name
                ));
            }
        }
    }

    fn takes(&self, any: &Element, home: NamespaceIndex) -> NamespaceConstraint {
        NamespaceConstraint::parse(&any.type_name, self.types.name_of(home))
            .unwrap_or(NamespaceConstraint::All)
    }

    fn namespace(&self, element: &Element, home: NamespaceIndex) -> String {
        match element.place {
            Place::Local { is_qualified: true } => self.types.name_of(home).to_owned(),
            Place::Global(namespace) => self.types.name_of(namespace).to_owned(),
            Place::Local { is_qualified: false } | Place::Anywhere => String::new(),
        }
    }
}

fn anything(field: &Field, namespaces: &str, occurs: Occurs) -> Element {
    let element = Element::new(field.name.to_string(), namespaces.to_owned(), occurs);
    Element { place: Place::Anywhere, ..element }
}

impl Particle {
    fn occurs(&self) -> Occurs {
        match self {
            Self::Element(element) => element.occurs,
            Self::Choice(_, occurs) => *occurs,
        }
    }

    fn elements(&self) -> &[Element] {
        match self {
            Self::Element(element) => std::slice::from_ref(element),
            Self::Choice(arms, _) => arms,
        }
    }
}

impl Element {
    pub(super) fn write_wildcard(&self, markup: &mut Markup) {
        let occurs = self.occurs.attributes();
        let mut attributes = vec![("namespace", &*self.type_name), ("processContents", "lax")];
        attributes.extend(occurs.iter().map(|(name, value)| (*name, &**value)));
        markup.empty("xsd:any", &attributes);
    }
}
