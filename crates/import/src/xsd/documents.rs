//! Which documents are read: those that others include or import, each once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::missing::Missing;
use crate::markup::Document;
use crate::{Limits, Place, Problem, Resolver};

use super::name::PUBLISHED;

/// Gets documents, by the paths or URLs that name them.
pub(crate) struct Documents<'a> {
    resolver: &'a mut dyn Resolver,
    limits: &'a Limits,
    read: HashMap<String, Option<Arc<Document>>>,
    /// By their names and bytes: what is reached by another path is the same.
    known: HashMap<(String, Vec<u8>), Arc<Document>>,
    bytes: usize,
    /// Those that are not read, if what does not need them is read without.
    missing: Option<Missing>,
}

impl<'a> Documents<'a> {
    pub(crate) fn new(resolver: &'a mut dyn Resolver, limits: &'a Limits) -> Self {
        let (read, known) = (HashMap::new(), HashMap::new());
        Self { resolver, limits, read, known, bytes: 0, missing: None }
    }

    /// The same of documents that are not all there.
    pub(crate) fn in_part(resolver: &'a mut dyn Resolver, limits: &'a Limits) -> Self {
        let missing = Some(Missing::new(limits.documents));
        Self { missing, ..Self::new(resolver, limits) }
    }

    /// May documents be missing?
    pub(crate) fn are_in_part(&self) -> bool {
        self.missing.is_some()
    }

    /// Notes that a document is not read in which this namespace is expected; none of one that may have any.
    ///
    /// # Errors
    /// All documents must be there: the problem.
    pub(crate) fn miss(
        &mut self,
        path: &str,
        namespace: Option<&str>,
        why: Problem,
    ) -> Result<(), Problem> {
        match &mut self.missing {
            Some(missing) => {
                missing.add(path, namespace, &why);
                Ok(())
            }
            None => Err(why),
        }
    }

    /// What is missing so far.
    pub(crate) fn take_missing(&mut self) -> Missing {
        self.missing.take().unwrap_or_default()
    }

    /// The document at a path; none if there is none.
    pub(crate) fn find(
        &mut self,
        path: &str,
        named_at: &Place,
    ) -> Result<Option<Arc<Document>>, Problem> {
        self.find_by(path, named_at, |resolver| resolver.read(path))
    }

    /// The schema of a namespace, at the place where it is published if nobody knows another.
    pub(crate) fn of_namespace(
        &mut self,
        namespace: &str,
        named_at: &Place,
    ) -> Result<Option<Arc<Document>>, Problem> {
        for name in [Some(namespace), published(namespace)].into_iter().flatten() {
            let found = self.find_by(name, named_at, |resolver| resolver.read_namespace(name))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn find_by(
        &mut self,
        path: &str,
        named_at: &Place,
        read: impl FnOnce(&mut dyn Resolver) -> Result<Option<Vec<u8>>, String>,
    ) -> Result<Option<Arc<Document>>, Problem> {
        if let Some(known) = self.read.get(path) {
            return Ok(known.clone());
        }
        if self.read.len() >= self.limits.documents {
            let what = format!("more than {} documents", self.limits.documents);
            return Err(Problem::new(named_at, what, "raise the limit `documents`"));
        }
        let found = read(self.resolver).map_err(|why| {
            // It is asked for once.
            self.read.insert(path.to_owned(), None);
            let what = format!("{path} is not read: {why}");
            Problem::new(named_at, what, "put the document there")
        })?;
        let document = match found {
            Some(bytes) => {
                self.bytes += bytes.len();
                if self.bytes > self.limits.document_bytes {
                    let what =
                        format!("documents of more than {} bytes", self.limits.document_bytes);
                    return Err(Problem::new(named_at, what, "raise the limit `document_bytes`"));
                }
                // A path that leaves the folder of the first document may lead back into it.
                let name = path.rsplit('/').next().unwrap_or(path);
                let key = (name.to_owned(), bytes);
                Some(match self.known.get(&key) {
                    Some(known) => known.clone(),
                    None => {
                        let read = Arc::new(Document::parse_typed(path, &key.1, self.limits)?);
                        self.known.insert(key, read.clone());
                        read
                    }
                })
            }
            None => None,
        };
        self.read.insert(path.to_owned(), document.clone());
        Ok(document)
    }

    /// The same of one that must be there.
    pub(crate) fn get(&mut self, path: &str, named_at: &Place) -> Result<Arc<Document>, Problem> {
        self.find(path, named_at)?.ok_or_else(|| absent(path, named_at))
    }
}

/// Where the schema of a namespace is published.
pub(super) fn published(namespace: &str) -> Option<&'static str> {
    PUBLISHED.iter().find(|it| it.0 == namespace).map(|it| it.1)
}

/// The problem that a document is not there.
fn absent(path: &str, named_at: &Place) -> Problem {
    let remedy = match is_url(path) {
        true => "nothing is fetched: save what is there, and let the location name the file",
        false => "put the file there, or take the reference to it out",
    };
    Problem::new(named_at, format!("there is no document {path}"), remedy)
}

/// Is it more than a path?
pub(crate) fn is_url(location: &str) -> bool {
    let scheme = location.split_once(':').map_or("", |it| it.0);
    let is_scheme = |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.');
    // One letter is a drive.
    scheme.len() > 1
        && scheme.starts_with(|it: char| it.is_ascii_alphabetic())
        && scheme.chars().all(is_scheme)
}

/// Where a location is that a document names, be they paths or URLs.
pub fn located(from: &str, location: &str) -> String {
    let location = location.split('#').next().unwrap_or_default();
    if is_url(location) {
        return location.strip_prefix("file://").unwrap_or(location).to_owned();
    }
    // Behind `//` and the host, a URL is a path and a query, in which steps mean nothing.
    let Some((scheme, rest)) = from.split_once("://") else {
        return crate::resolver::beside(from, location);
    };
    let rest = rest.split('?').next().unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (location, query) = location.split_at(location.find('?').unwrap_or(location.len()));
    let path = match location {
        "" => format!("/{path}"),
        location => crate::resolver::beside(&format!("/{path}"), location),
    };
    format!("{scheme}://{host}{path}{query}")
}

/// Documents that schemas name, and that are still to be read.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) next: Vec<Wanted>,
    /// By path, and the namespace that its definitions are in.
    pub(crate) seen: HashSet<(String, Arc<str>)>,
    pub(crate) redefinitions: Vec<Redefinition>,
    /// Namespaces that are imported from nowhere.
    pub(crate) nowhere: Vec<(Arc<str>, Place)>,
}

/// A schema that another one names.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) path: String,
    /// The namespace of what includes it.
    pub(crate) included_in: Option<Arc<str>>,
    /// The namespace that an import names.
    pub(crate) imported_as: Option<Arc<str>>,
    pub(crate) place: Place,
}

/// Definitions that take the place of others.
#[derive(Debug)]
pub(crate) struct Redefinition {
    pub(crate) path: String,
    /// The namespace that they are in.
    pub(crate) target: Arc<str>,
    pub(crate) is_chameleon: bool,
    /// Where they stand in the schema.
    pub(crate) child: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_relative_to_what_names_them() {
        assert_eq!(located("a/b.wsdl", "../c.xsd"), "c.xsd");
        assert_eq!(located("http://h/a/b.wsdl", "../c.xsd#x"), "http://h/c.xsd");
        assert_eq!(located("http://h", "c.xsd"), "http://h/c.xsd");
        assert_eq!(located("http://h/a/b?wsdl", "c.xsd"), "http://h/a/c.xsd");
        assert_eq!(located("http://h/a/b?wsdl=x/y", "?xsd=../1"), "http://h/a/b?xsd=../1");
        assert_eq!(located("http://h/a/b", "../c?xsd=a/./1"), "http://h/c?xsd=a/./1");
        assert_eq!(located("http://h/a/b.wsdl", "/c.xsd"), "http://h/c.xsd");
        assert_eq!(located("a.xsd", "http://h/c.xsd"), "http://h/c.xsd");
        assert_eq!(located("a.xsd", "file:///c.xsd"), "/c.xsd");
        assert!(is_url("urn:x") && !is_url("C:\\x.xsd") && !is_url("a/b.xsd"));
    }
}
