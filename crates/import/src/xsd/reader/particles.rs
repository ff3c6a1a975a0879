//! What may stand in an element, and how often.

use super::{Reader, parts};
use crate::Problem;
use crate::markup;
use crate::xsd::component::{Particle, Term};
use crate::xsd::name::Name;
use crate::xsd::wildcard::{Process, Wildcard};

/// The names of particles.
pub(super) const PARTICLES: [&str; 6] = ["element", "group", "all", "choice", "sequence", "any"];

impl Reader<'_, '_> {
    pub(super) fn particle(&mut self, element: &markup::Element) -> Result<Particle, Problem> {
        let (least, most) = self.occurs(element)?;
        let place = self.place(element);
        let term = match &*element.name {
            "element" => self.element_term(element)?,
            "group" => match element.attribute("ref") {
                Some(written) => Term::Group(self.name(element, written)?),
                None => return self.reject(element, "a group without ref", "name the group"),
            },
            "all" => Term::All(self.particles(element)?),
            "choice" => Term::Choice(self.particles(element)?),
            "sequence" => Term::Sequence(self.particles(element)?),
            "any" => Term::Any(self.wildcard(element)?),
            other => {
                let what = format!("{other} is not understood among elements");
                return self.reject(element, what, "take it out");
            }
        };
        if matches!(term, Term::All(_)) && (least > 1 || most != Some(1)) {
            return self.reject(element, "an all that repeats", "let it stand once at most");
        }
        Ok(Particle { least, most, term, place })
    }

    /// Those inside of a group, or of a type that has them without one, as a draft had it.
    pub(super) fn particles(&mut self, around: &markup::Element) -> Result<Vec<Particle>, Problem> {
        let all: Vec<_> = parts(around).filter(|it| PARTICLES.contains(&&*it.name)).collect();
        all.into_iter().map(|it| self.particle(it)).collect()
    }

    fn element_term(&mut self, element: &markup::Element) -> Result<Term, Problem> {
        match (element.attribute("ref"), element.attribute("name")) {
            (Some(written), None) => {
                let name = self.name(element, written)?;
                // A schema within a message, as data sets of .NET have it.
                Ok(if name.is_of_schema() {
                    Term::Any(Wildcard::foreign(name.namespace))
                } else {
                    Term::Reference(name)
                })
            }
            (None, Some(local)) => {
                let is_qualified = match element.attribute("form") {
                    Some(form) => form == "qualified",
                    None => self.elements_are_qualified,
                };
                let namespace = if is_qualified { self.target.clone() } else { "".into() };
                let name = Name::new(namespace, local);
                Ok(Term::Element(self.element_declaration(element, name, false)?))
            }
            _ => {
                let what = "an element with a name and a ref, or with neither";
                self.reject(element, what, "give it one of them")
            }
        }
    }

    fn occurs(&self, element: &markup::Element) -> Result<(u32, Option<u32>), Problem> {
        let count = |name: &str| -> Result<Option<Option<u32>>, Problem> {
            match element.attribute(name) {
                None => Ok(None),
                Some("unbounded" | "*") if name == "maxOccurs" => Ok(Some(None)),
                // More than fit are any number.
                Some(text) if !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit()) => {
                    Ok(Some(text.parse().ok()))
                }
                Some(text) => {
                    let what = format!("{name} is {text:?}, which is no number");
                    self.reject(element, what, "give a number")
                }
            }
        };
        let least = count("minOccurs")?.unwrap_or(Some(1)).unwrap_or(u32::MAX);
        let most = count("maxOccurs")?.unwrap_or(Some(1));
        if most.is_some_and(|most| most < least) {
            let is_said = element.attribute("maxOccurs").is_some();
            // A draft let the one that is not said follow the other.
            if is_said || &*element.namespace == crate::xsd::name::SCHEMA[0] {
                let what = "minOccurs is more than maxOccurs";
                return self.reject(element, what, "let maxOccurs be as much at least");
            }
            return Ok((least, Some(least)));
        }
        Ok((least, most))
    }

    /// The namespaces of what a wildcard takes.
    pub(super) fn wildcard(&self, element: &markup::Element) -> Result<Wildcard, Problem> {
        let words = element.attribute("namespace").unwrap_or("##any");
        let mut known = words.split_ascii_whitespace();
        let is_known = match words {
            "##any" | "##other" => true,
            _ => known
                .all(|it| !it.starts_with("##") || matches!(it, "##local" | "##targetNamespace")),
        };
        if !is_known {
            let what = format!("any of the namespaces {words:?}, which names none");
            return self.reject(element, what, "say ##any, ##other, ##local, or name them");
        }
        let process = match element.attribute("processContents") {
            Some("skip") => Process::Skip,
            Some("lax") => Process::Lax,
            _ => Process::Strict,
        };
        let namespaces = words.split_ascii_whitespace().collect::<Vec<_>>().join(" ").into();
        Ok(Wildcard { namespaces, target: self.target.clone(), process })
    }
}
