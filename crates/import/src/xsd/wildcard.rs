//! Elements and attributes of any name.

use std::sync::Arc;

/// What a wildcard takes (part 1, section 3.10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wildcard {
    /// Their namespaces, in the words of XML Schema.
    pub(crate) namespaces: Arc<str>,
    /// The namespace of the schema that says it.
    pub(crate) target: Arc<str>,
    pub(crate) process: Process,
}

/// What has to be known of what a wildcard takes, that which asks for least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Process {
    /// Nothing is looked at.
    Skip,
    /// What is declared is as it is declared.
    Lax,
    /// It is declared.
    Strict,
}

impl Wildcard {
    /// What is of a namespace of which nothing is known.
    pub(crate) fn foreign(namespace: Arc<str>) -> Self {
        Self { namespaces: namespace, target: "".into(), process: Process::Skip }
    }

    /// Is a namespace one of its own? Empty is that of names in none.
    pub(crate) fn allows(&self, namespace: &str) -> bool {
        match &*self.namespaces {
            "##any" => true,
            "##other" => !namespace.is_empty() && namespace != &*self.target,
            words => words.split(' ').any(|it| match it {
                "##local" => namespace.is_empty(),
                "##targetNamespace" => namespace == &*self.target,
                word => namespace == word,
            }),
        }
    }

    /// Does it take all that another one takes (section 3.10.6)?
    pub(crate) fn takes(&self, other: &Self) -> bool {
        match (&*self.namespaces, &*other.namespaces) {
            ("##any", _) => true,
            ("##other", "##other") => self.target.is_empty() || self.target == other.target,
            (_, "##any" | "##other") => false,
            (_, words) => words.split(' ').all(|it| match it {
                "##local" => self.allows(""),
                "##targetNamespace" => self.allows(&other.target),
                word => self.allows(word),
            }),
        }
    }
}
