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
}
