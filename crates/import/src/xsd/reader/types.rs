//! Types, simple and complex.

use trunkline_soap::WhiteSpace;

use super::particles::PARTICLES;
use super::{Reader, any_type, part, parts};
use crate::Problem;
use crate::markup;
use crate::xsd::component::{
    Complex, Derivation, Facets, Items, Particle, Simple, Term, Type, TypeBody, TypeId, TypeUse,
};
use crate::xsd::name::{ENCODING, Name, WSDL};

/// Dimensions that an array may have, and arrays in each other.
const MOST_DIMENSIONS: usize = 16;

/// Facets, and what messages call them.
const FACETS: [(&str, &str); 9] = [
    ("length", "length"),
    ("minLength", "min_length"),
    ("maxLength", "max_length"),
    ("minInclusive", "min_inclusive"),
    ("maxInclusive", "max_inclusive"),
    ("minExclusive", "min_exclusive"),
    ("maxExclusive", "max_exclusive"),
    ("totalDigits", "total_digits"),
    ("fractionDigits", "fraction_digits"),
];

impl Reader<'_, '_> {
    pub(super) fn type_definition(
        &mut self,
        element: &markup::Element,
        name: Option<Name>,
    ) -> Result<TypeId, Problem> {
        let body = match &*element.name {
            "simpleType" => TypeBody::Simple(self.simple(element)?),
            _ => TypeBody::Complex(Box::new(self.complex(element)?)),
        };
        let (namespace, place) = (self.target.clone(), self.place(element));
        let finals = self.finals(element);
        Ok(self.add_type(Type { name, namespace, body, finals, place }))
    }

    fn simple(&mut self, element: &markup::Element) -> Result<Simple, Problem> {
        if let Some(restriction) = part(element, &["restriction"]) {
            let inside = part(restriction, &["simpleType"]);
            let base = self.type_or_inside(restriction, "base", inside)?;
            return Ok(Simple::Restriction { base, facets: self.facets(restriction)? });
        }
        if let Some(list) = part(element, &["list"]) {
            let inside = part(list, &["simpleType"]);
            return Ok(Simple::List { item: self.type_or_inside(list, "itemType", inside)? });
        }
        if let Some(union) = part(element, &["union"]) {
            let named = union.attribute("memberTypes").unwrap_or_default();
            let mut members = named
                .split_ascii_whitespace()
                .map(|it| self.type_named(union, it))
                .collect::<Result<Vec<_>, _>>()?;
            for inside in parts(union).filter(|it| it.name == "simpleType") {
                members.push(TypeUse::Own(self.type_definition(inside, None)?));
            }
            if members.is_empty() {
                return self.reject(union, "a union of nothing", "name the types of its values");
            }
            return Ok(Simple::Union { members });
        }
        // A draft had the base on the type.
        match element.attribute("base") {
            Some(written) => {
                let base = self.type_named(element, written)?;
                Ok(Simple::Restriction { base, facets: self.facets(element)? })
            }
            None => self.reject(
                element,
                "a simple type that is derived from nothing",
                "put a restriction, a list or a union in",
            ),
        }
    }

    /// The type that an attribute names, or that stands inside in its place.
    fn type_or_inside(
        &mut self,
        element: &markup::Element,
        attribute: &str,
        inside: Option<&markup::Element>,
    ) -> Result<TypeUse, Problem> {
        match (element.attribute(attribute), inside) {
            (Some(written), None) => self.type_named(element, written),
            (None, Some(inside)) => Ok(TypeUse::Own(self.type_definition(inside, None)?)),
            (Some(_), Some(_)) => {
                let what = format!("a {} with {attribute} and a type inside", element.name);
                self.reject(element, what, "take one of them out")
            }
            (None, None) => {
                let what =
                    format!("a {} without {attribute}, and without a type inside", element.name);
                self.reject(element, what, "give it one of them")
            }
        }
    }

    fn facets(&mut self, around: &markup::Element) -> Result<Facets, Problem> {
        let mut facets = Facets::default();
        for element in parts(around) {
            let value = element.attribute("value");
            if let Some((_, word)) = FACETS.iter().find(|it| it.0 == element.name) {
                let Some(value) = value.filter(|it| !it.is_empty()) else {
                    let what = format!("{} has no value", element.name);
                    self.warnings.add(&self.document.place(element), what, "it is left out");
                    continue;
                };
                if facets.words.iter().any(|it| it.0 == *word) {
                    let what = format!("{} is said twice", element.name);
                    return self.reject(element, what, "say it once");
                }
                facets.words.push((word, value.to_owned()));
            } else if element.name == "pattern" {
                // Blanks at its ends count.
                let value = element.attributes.iter().find(|it| it.name == "value");
                let Some(value) = value else {
                    return self.reject(element, "a pattern without value", "give it one");
                };
                facets.patterns.push(value.value.clone());
            } else if element.name == "enumeration" {
                let value = element.attributes.iter().find(|it| it.name == "value");
                let Some(value) = value else {
                    return self.reject(element, "an enumeration without value", "give it one");
                };
                facets.values.push(value.value.clone());
                facets.prefixes = element.prefixes();
            } else if element.name == "whiteSpace" {
                facets.white_space = match value {
                    Some("preserve") => Some(WhiteSpace::Preserve),
                    Some("replace") => Some(WhiteSpace::Replace),
                    Some("collapse") => Some(WhiteSpace::Collapse),
                    _ => {
                        let what = format!("whiteSpace is {:?}", value.unwrap_or_default());
                        return self.reject(element, what, "say preserve, replace or collapse");
                    }
                };
            }
        }
        Ok(facets)
    }

    fn complex(&mut self, element: &markup::Element) -> Result<Complex, Problem> {
        let is_true =
            |of: &markup::Element, it: &str| matches!(of.attribute(it), Some("true" | "1"));
        let content = part(element, &["simpleContent", "complexContent"]);
        // A draft had mixed content, and bases, on the type.
        let is_mixed = is_true(element, "mixed")
            || element.attribute("content") == Some("mixed")
            || content.is_some_and(|it| is_true(it, "mixed"));
        let Some(content) = content else {
            let own = self.own_particle(element)?;
            return self.complex_of(element, Derivation::Own(own), is_mixed, element);
        };
        let Some(derived) = part(content, &["extension", "restriction"]) else {
            let what = format!("a {} with neither extension nor restriction", content.name);
            return self.reject(content, what, "put one of them in");
        };
        let written = self.needed(derived, "base")?;
        let base = self.type_named(derived, written)?;
        let is_restriction = derived.name == "restriction";
        let derivation = if content.name == "simpleContent" {
            let inside = part(derived, &["simpleType"]);
            let own = inside.map(|it| self.type_definition(it, None)).transpose()?;
            let (own, facets) = (own.map(TypeUse::Own), self.facets(derived)?);
            Derivation::Text { base, facets, own, is_extension: !is_restriction }
        } else {
            let own = self.own_particle(derived)?;
            match is_restriction {
                true => Derivation::Restriction { base, own },
                false => Derivation::Extension { base, own },
            }
        };
        let mut complex = self.complex_of(element, derivation, is_mixed, derived)?;
        if let Derivation::Restriction { base: TypeUse::Array, own } = &complex.derivation {
            let items = self.items(derived, own.as_ref())?;
            complex.items = Some(items);
        }
        Ok(complex)
    }

    fn complex_of(
        &mut self,
        element: &markup::Element,
        derivation: Derivation,
        is_mixed: bool,
        attributes_in: &markup::Element,
    ) -> Result<Complex, Problem> {
        let (attributes, attribute_groups) = self.attributes(attributes_in)?;
        let is_abstract = matches!(element.attribute("abstract"), Some("true" | "1"));
        let any_attribute = self.any_attribute(attributes_in)?;
        Ok(Complex {
            derivation,
            is_mixed,
            is_abstract,
            blocked: self.blocked(element),
            attributes,
            attribute_groups,
            any_attribute,
            items: None,
        })
    }

    /// What stands in a type.
    fn own_particle(&mut self, around: &markup::Element) -> Result<Option<Particle>, Problem> {
        let mut all = parts(around).filter(|it| PARTICLES.contains(&&*it.name));
        match (all.next(), all.next()) {
            (None, _) => Ok(None),
            (Some(one), None) if !matches!(&*one.name, "element" | "any") => {
                self.particle(one).map(Some)
            }
            // A draft had no sequence around.
            _ => {
                let term = Term::Sequence(self.particles(around)?);
                Ok(Some(Particle { least: 1, most: Some(1), term, place: self.place(around) }))
            }
        }
    }

    /// What an array of the encoding holds: its attribute `wsdl:arrayType` says so, or the element inside.
    fn items(&self, derived: &markup::Element, own: Option<&Particle>) -> Result<Items, Problem> {
        let mut attributes = parts(derived).filter(|it| it.name == "attribute");
        let said = attributes.find_map(|it| {
            let all = [WSDL, ENCODING[0]];
            let found = all.iter().find_map(|namespace| it.attribute_in(namespace, "arrayType"));
            found.map(|found| (it, found))
        });
        let place = self.place(derived);
        let Some((element, written)) = said else {
            let inside = own.and_then(|it| match &it.term {
                Term::Sequence(inside) | Term::All(inside) | Term::Choice(inside) => inside.first(),
                _ => None,
            });
            let (of, occurs) = match inside.map(|it| (&it.term, (it.least, it.most))) {
                Some((Term::Element(id), occurs)) => {
                    (self.schemas.elements[id.0].of.clone(), occurs)
                }
                _ => (any_type(), (0, None)),
            };
            return Ok(Items { of, dimensions: vec![1], occurs, place });
        };
        let (name, sizes) = written.split_at(written.find('[').unwrap_or(written.len()));
        let dimensions: Vec<usize> = sizes
            .split(']')
            .filter_map(|it| it.trim().strip_prefix('['))
            .map(|it| 1 + it.matches(',').count())
            .collect();
        if dimensions.len() > MOST_DIMENSIONS || dimensions.iter().any(|it| *it > MOST_DIMENSIONS) {
            let what = "an arrayType with more than 16 dimensions, or arrays in each other";
            return self.reject(element, what, "describe it with fewer");
        }
        if dimensions.is_empty() {
            let what = format!("arrayType is {written:?}, which has no []");
            return self.reject(element, what, "put [] behind the type of the items");
        }
        let of = self.type_named(element, name.trim())?;
        Ok(Items { of, dimensions, occurs: (0, None), place: self.place(element) })
    }
}
