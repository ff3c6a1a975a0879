//! The namespaces of a message's elements and attributes, and the prefixes that stand for them.

use trunkline_message::{Error, ErrorKind, Result, ScopeId};

use crate::attributes::XML;
use crate::naming::Naming;
use crate::plan::{NONE, Shape};
use crate::types::TypeNamespaces;

/// In place of a namespace's number: attributes without a prefix, which are in no namespace (Namespaces
/// in XML section 6.2).
pub(super) const OF_NONE: u8 = u8::MAX;

/// The maximum number of namespaces of a plan.
const MOST: usize = 64;

/// Beyond all numbers of namespaces, where attributes stand.
const OF_ATTRIBUTES: u8 = 128;

#[derive(Debug)]
struct Namespace {
    name: Box<str>,
    /// Empty where names in it have none.
    prefix: Box<str>,
}

/// The namespaces of a plan, by their numbers. The first is that of elements without a note.
#[derive(Debug)]
pub(super) struct Namespaces(Vec<Namespace>);

/// Is it neither an element nor an attribute?
fn is_nameless(shape: Shape) -> bool {
    matches!(shape, Shape::Text | Shape::Bare | Shape::Mixed)
}

fn is_numbered(prefix: &str) -> bool {
    !matches!(prefix, "" | "ns" | "xml")
}

impl Namespaces {
    /// The namespace that elements are in unless a note names another.
    pub(super) fn of_elements(name: &str) -> Self {
        Self(vec![Namespace { name: name.into(), prefix: "".into() }])
    }

    /// All that a message needs whose names these are.
    ///
    /// # Errors
    /// They are too many.
    pub(super) fn new(naming: &Naming<'_>) -> Result<Self> {
        let own = naming.options.element_namespace();
        let mut namespaces = Self::of_elements(own);
        // With a default, names without a prefix are in it: then elements in no namespace could not be
        // written, nor attributes in the default.
        let mut is_prefixed = false;
        for index in 0..naming.layout.scopes().len() as u16 {
            let id = ScopeId(index);
            let scope = naming.layout.scope(id);
            for field in 0..scope.fields.len() {
                let name = naming.namespace(id, field);
                let shape = naming.shape(id, field);
                let is_attribute = shape == Shape::Attribute;
                let is_nameless = is_nameless(shape)
                    || naming.is_typed_scope(id)
                    || naming.is_wildcard(id, field);
                if is_nameless || is_attribute && name.is_empty() {
                    continue;
                }
                is_prefixed |= !own.is_empty() && (name.is_empty() || is_attribute && name == own);
                namespaces.add(name, &naming.options.namespace);
            }
            for component in &scope.components {
                let name = naming.namespace_of(component.member, false);
                is_prefixed |= !own.is_empty() && name.is_empty();
                namespaces.add(name, &naming.options.namespace);
            }
        }
        // Nor could types in no namespace be named.
        let types = TypeNamespaces::new(naming);
        if is_prefixed || !own.is_empty() && types.names_none() {
            namespaces.0[0].prefix = "ns".into();
        }
        match namespaces.0.len() > MOST {
            true => {
                let what = format!("a message of more than {MOST} namespaces");
                Err(Error::new(ErrorKind::Unsupported(what.into()), 0))
            }
            false => Ok(namespaces),
        }
    }

    fn add(&mut self, name: &str, of_message: &str) {
        if self.0.iter().any(|it| *it.name == *name) {
            return;
        }
        let prefix = match name {
            "" => String::new(),
            // No document declares it.
            XML => "xml".into(),
            name if name == of_message => "ns".into(),
            _ => format!("n{}", 1 + self.0.iter().filter(|it| is_numbered(&it.prefix)).count()),
        };
        self.0.push(Namespace { name: name.into(), prefix: prefix.into() });
    }

    /// Is there only one?
    #[inline]
    pub(super) fn is_one(&self) -> bool {
        self.0.len() == 1
    }

    /// Have elements of which nothing is noted a prefix? Then there is no default namespace.
    pub(super) fn is_prefixed(&self) -> bool {
        !self.0[0].prefix.is_empty()
    }

    /// The number of a namespace.
    pub(super) fn number(&self, name: &str) -> u8 {
        self.0.iter().position(|it| *it.name == *name).unwrap_or(0) as u8
    }

    pub(super) fn name(&self, number: u8) -> &str {
        self.0.get(usize::from(number)).map_or("", |it| &it.name)
    }

    /// The namespace of names without a prefix, if there are such names.
    pub(super) fn unprefixed(&self) -> Option<&str> {
        self.0.iter().find(|it| it.prefix.is_empty()).map(|it| &*it.name)
    }

    /// The prefix of each.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|it| &*it.prefix)
    }

    /// The namespaces that have a prefix, and the prefix.
    pub(super) fn declared(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.iter().map(|it| (&*it.prefix, &*it.name));
        all.filter(|(prefix, _)| !matches!(*prefix, "" | "xml"))
    }

    /// A name as it is written.
    pub(super) fn written(&self, number: u8, local: &str) -> String {
        match self.0.get(usize::from(number)).map_or("", |it| &*it.prefix) {
            "" => local.to_owned(),
            prefix => format!("{prefix}:{local}"),
        }
    }

    /// Is it one of these?
    pub(super) fn contain(&self, name: &str) -> bool {
        self.0.iter().any(|it| *it.name == *name)
    }
}

impl Naming<'_> {
    /// The number of the namespace of a field's element or attribute.
    pub(super) fn namespace_number(&self, id: ScopeId, index: usize) -> u8 {
        let name = self.namespace(id, index);
        match self.shape(id, index) {
            Shape::Attribute if name.is_empty() => OF_NONE,
            Shape::Text | Shape::Bare | Shape::Mixed => 0,
            _ if self.is_wildcard(id, index) => 0,
            _ => self.namespaces.number(name),
        }
    }

    /// That of a component's element.
    pub(super) fn namespace_number_of_component(&self, id: ScopeId, index: usize) -> u8 {
        let member = self.layout.scope(id).components[index].member;
        self.namespaces.number(self.namespace_of(member, false))
    }

    /// The namespace of a field's element or attribute. That of an item is its list's.
    pub(super) fn namespace(&self, id: ScopeId, index: usize) -> &str {
        let scope = self.layout.scope(id);
        if let Some(choice) = self.typed_around(id, &scope.fields[index]) {
            return self.namespace_of(scope.components[choice].member, false);
        }
        match (scope.shape, scope.place) {
            (trunkline_message::Shape::Item, Some((around, list))) => self.namespace(around, list),
            _ => {
                let is_attribute = self.shape(id, index) == Shape::Attribute;
                self.namespace_of(scope.fields[index].member, is_attribute)
            }
        }
    }
}

/// Elements that are beside each other, by where they stand and what they are called.
pub(super) type Place = (u16, u8, String);

impl Naming<'_> {
    /// Where a field stands, and as what; names are unique there.
    pub(super) fn place(&self, id: ScopeId, index: usize, name: String) -> Place {
        let number = self.namespaces.number(self.namespace(id, index));
        let namespace_number = match self.is_noted_attribute(id, index) {
            // Those of attributes are apart from those of elements.
            true if self.namespace_number(id, index) == OF_NONE => OF_NONE,
            true => OF_ATTRIBUTES + number,
            false => number,
        };
        (self.around(id, index), namespace_number, name)
    }

    /// Those of the arms of a list that stand beside other elements, where the list is.
    pub(super) fn places_of_arms(
        &self,
        (id, list): (ScopeId, usize),
        inner: ScopeId,
    ) -> Vec<Place> {
        let around = self.around(id, list);
        let names = self.fields(inner).into_iter().enumerate();
        names.map(|(arm, name)| (around, self.namespace_number(inner, arm), name)).collect()
    }

    /// The same of a component.
    pub(super) fn place_of_component(&self, id: ScopeId, index: usize, name: String) -> Place {
        let parent = self.layout.scope(id).components[index].parent;
        (parent.unwrap_or(NONE), self.namespace_number_of_component(id, index), name)
    }
}
