//! A WSDL with the documents that it imports and includes.

use std::collections::{HashSet, VecDeque};

use trunkline_message::Limits;

use super::tree::Element;
use super::{ENCODINGS, OutlineError, WSDL, XSD};

/// A WSDL is in no more documents.
const MOST: usize = 100;

/// A place to look for documents. Gives the bytes at a location.
pub type Fetch<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// All documents of a description.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) definitions: Vec<Element>,
    pub(super) schemas: Vec<Schema>,
    /// Documents that are not there, and why.
    pub(super) missing: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Schema {
    /// Its target namespace.
    pub(super) namespace: String,
    pub(super) root: Element,
}

/// A document that is to be read.
struct Wanted {
    location: String,
    from: String,
    /// Of the schema that includes it.
    namespace: Option<String>,
}

/// Reads documents, each once.
struct Reader<'a, 'f> {
    fetch: &'a mut Fetch<'f>,
    other_hosts: bool,
    limits: &'a Limits,
    documents: Documents,
    seen: HashSet<(String, Option<String>)>,
    waiting: VecDeque<Wanted>,
}

impl Documents {
    pub(super) fn read(
        location: &str,
        fetch: &mut Fetch<'_>,
        other_hosts: bool,
        limits: &Limits,
    ) -> Result<Self, OutlineError> {
        let mut reader = Reader {
            fetch,
            other_hosts,
            limits,
            documents: Self::default(),
            seen: HashSet::from([(location.to_owned(), None)]),
            waiting: VecDeque::new(),
        };
        let root = reader.parse(location).map_err(OutlineError)?;
        if !root.is(&[WSDL], "definitions") {
            let name = &root.name;
            return Err(OutlineError(format!(
                "{location}: at byte 0: expected the definitions of a WSDL 1.1, not {name}"
            )));
        }
        reader.definitions(root, location);
        while let Some(wanted) = reader.waiting.pop_front() {
            reader.next(&wanted);
        }
        Ok(reader.documents)
    }
}

impl Reader<'_, '_> {
    fn parse(&mut self, location: &str) -> Result<Element, String> {
        let bytes = (self.fetch)(location)?;
        Element::parse(&bytes, self.limits).map_err(|error| format!("{location}: {error}"))
    }

    fn next(&mut self, wanted: &Wanted) {
        let Wanted { location, from, namespace } = wanted;
        let found = match resolve(from, location, self.other_hosts) {
            Ok(location) if !self.seen.insert((location.clone(), namespace.clone())) => return,
            Ok(_) if self.seen.len() > MOST => {
                Err(format!("{location} is not read: there are more than {MOST} documents"))
            }
            Ok(location) => self.parse(&location).map(|root| (root, location)),
            Err(why) => Err(why),
        };
        match found {
            Ok((root, location)) if root.is(&[WSDL], "definitions") => {
                self.definitions(root, &location);
            }
            Ok((root, location)) if root.is(&XSD, "schema") => {
                self.schema(root, &location, namespace.as_deref());
            }
            Ok((root, location)) => {
                let why = format!("{location} is neither a WSDL nor a schema, but {}", root.name);
                self.documents.missing.push(why);
            }
            Err(why) => self.documents.missing.push(why),
        }
    }

    fn want(&mut self, location: Option<&str>, from: &str, namespace: Option<&str>) {
        if let Some(location) = location.filter(|it| !it.is_empty()) {
            self.waiting.push_back(Wanted {
                location: location.to_owned(),
                from: from.to_owned(),
                namespace: namespace.map(str::to_owned),
            });
        }
    }

    fn definitions(&mut self, mut root: Element, location: &str) {
        for word in ["import", "include"] {
            for import in root.all(&[WSDL], word) {
                self.want(import.attribute("location"), location, None);
            }
        }
        for types in root.children.iter_mut().filter(|it| it.is(&[WSDL], "types")) {
            for schema in std::mem::take(&mut types.children) {
                if schema.is(&XSD, "schema") {
                    self.schema(schema, location, None);
                }
            }
        }
        self.documents.definitions.push(root);
    }

    fn schema(&mut self, mut root: Element, location: &str, includer: Option<&str>) {
        let own = root.attribute("targetNamespace").unwrap_or_default().to_owned();
        let namespace = match includer.filter(|_| own.is_empty()) {
            Some(includer) => {
                root.adopt(includer);
                includer.to_owned()
            }
            None => own,
        };
        for import in root.all(&XSD, "import") {
            let is_known = import.attribute("namespace").is_some_and(|it| ENCODINGS.contains(&it));
            if !is_known {
                self.want(import.attribute("schemaLocation"), location, None);
            }
        }
        for include in root.all(&XSD, "include") {
            self.want(include.attribute("schemaLocation"), location, Some(&namespace));
        }
        for redefine in root.all(&XSD, "redefine") {
            let of = redefine.attribute("schemaLocation").unwrap_or_default();
            let why = format!("{of} is not read: {location} redefines it, which is not understood");
            self.documents.missing.push(why);
        }
        self.documents.schemas.push(Schema { namespace, root });
    }
}

/// Where a document is that another one names. Whoever wrote a WSDL shall not make others read files, or
/// ask hosts, that they did not name.
fn resolve(from: &str, location: &str, other_hosts: bool) -> Result<String, String> {
    let site = |url: &str| {
        let (scheme, rest) = url.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        Some(format!("{scheme}://{}", &rest[..end]).to_ascii_lowercase())
    };
    let location = location.split('#').next().unwrap_or_default();
    let here = site(from);
    if let Some(there) = site(location) {
        let is_web = there.starts_with("http://") || there.starts_with("https://");
        return match Some(&there) == here.as_ref() || is_web && other_hosts {
            true => Ok(location.to_owned()),
            false if !is_web => Err(format!("{location} is not read: it is at no http address")),
            false => Err(format!("{location} is not read: it is on another host (--other-hosts)")),
        };
    }
    let Some(here) = here else {
        let folder = from.rfind('/').map_or("", |it| &from[..=it]);
        return match location.starts_with('/') {
            true => Err(format!("{location} is not read: {from} may name files beside it only")),
            false => Ok(joined(folder, location)),
        };
    };
    let path = from[here.len()..].split(['?', '#']).next().unwrap_or_default();
    let folder = path.rfind('/').map_or("/", |it| &path[..=it]);
    match location.chars().next() {
        Some('/') => Ok(format!("{}{location}", &from[..here.len()])),
        Some('?') => Ok(format!("{}{path}{location}", &from[..here.len()])),
        _ => Ok(format!("{}{}", &from[..here.len()], joined(folder, location))),
    }
}

/// RFC 3986 section 5.2.4, but that what goes above the top stays so.
fn joined(folder: &str, relative: &str) -> String {
    let (relative, query) = match relative.find('?') {
        Some(at) => relative.split_at(at),
        None => (relative, ""),
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in folder.split('/').filter(|it| !it.is_empty()).chain(relative.split('/')) {
        match (step, steps.last()) {
            ("." | "", _) => {}
            ("..", Some(last)) if *last != ".." => _ = steps.pop(),
            _ => steps.push(step),
        }
    }
    let root = if folder.starts_with('/') { "/" } else { "" };
    format!("{root}{}{query}", steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn locations_are_relative_to_the_document_that_names_them() {
        let ok = |from: &str, location: &str| resolve(from, location, false).unwrap();
        assert_eq!(ok("http://h:1/a/b?wsdl", "c.xsd"), "http://h:1/a/c.xsd");
        assert_eq!(ok("http://h:1/a/b?wsdl", "../c.xsd"), "http://h:1/c.xsd");
        assert_eq!(ok("http://h:1/a/b?wsdl", "?xsd=1"), "http://h:1/a/b?xsd=1");
        assert_eq!(ok("http://h:1", "/c?xsd=../1"), "http://h:1/c?xsd=../1");
        assert_eq!(ok("http://h:1/a", "http://H:1/c"), "http://H:1/c");
        assert_eq!(ok("x/y/a.wsdl", "../z/c.xsd"), "x/z/c.xsd");
        assert_eq!(ok("/x/a.wsdl", "./c.xsd"), "/x/c.xsd");
        assert_eq!(ok("a.wsdl", "../c.xsd"), "../c.xsd");
    }

    #[test]
    fn nobody_is_sent_elsewhere_without_saying_so() {
        for (from, location) in [
            ("http://h/a", "http://other/c"),
            ("http://h/a", "https://h/c"),
            ("http://h/a", "http://h:81/c"),
            ("a.wsdl", "http://h/c"),
        ] {
            let error = resolve(from, location, false).unwrap_err();
            assert!(error.contains("on another host (--other-hosts)"), "{error}");
            assert_eq!(resolve(from, location, true).as_deref(), Ok(location));
        }
        for (from, location) in [
            ("http://h/a", "file:///etc/passwd"),
            ("a.wsdl", "file:///c"),
            ("a.wsdl", "/etc/passwd"),
        ] {
            assert!(
                resolve(from, location, true).unwrap_err().contains("is not read"),
                "{location}"
            );
        }
    }
}
