//! A WSDL with the documents that it imports and includes.

use std::collections::{BTreeSet, HashSet, VecDeque};

use trunkline_message::Limits;
use trunkline_soap::QName;

use super::tree::Element;
use super::{ENCODINGS, OutlineError, WSDL, XSD};

/// Gives the bytes of the document at a location, or says why not. It takes no more of them than the number
/// says. A location is a URL, or else a path, which may lead anywhere: [`Folder`](super::Folder) keeps paths
/// together.
pub type Fetch<'a> = dyn FnMut(&str, usize) -> Result<Vec<u8>, DocumentError> + 'a;

/// Why a document is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentError {
    /// It has more bytes than may be read.
    TooLong,
    /// Anything else.
    Other(String),
}

impl From<String> for DocumentError {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

/// Which documents of a description are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Those at other hosts, too, than that of the one that names them. Off by default.
    pub other_hosts: bool,
    /// How many at most; 100 by default.
    pub documents: usize,
    /// How many bytes at most of all together; 16 MiB by default.
    pub bytes: usize,
}

impl Default for Reading {
    fn default() -> Self {
        Self { other_hosts: false, documents: 100, bytes: 16 << 20 }
    }
}

/// The maximum number of reasons in an error.
const SHOWN: usize = 8;

/// All documents of a description.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) definitions: Vec<Element>,
    pub(super) schemas: Vec<Schema>,
    missing: Vec<Missing>,
    /// How many more are missing: of no more reasons than documents is kept which they are.
    more_missing: usize,
}

#[derive(Debug)]
pub(super) struct Schema {
    /// Its target namespace.
    pub(super) namespace: String,
    pub(super) root: Element,
}

/// A document that was named and not read.
#[derive(Debug, PartialEq, Eq)]
struct Missing {
    /// What was expected in it; none of a WSDL, which may have several.
    namespace: Option<String>,
    /// Which one, and why.
    why: String,
}

/// A document that is to be read.
struct Wanted {
    location: String,
    /// What is expected in it, if it is a schema.
    namespace: Option<String>,
    /// Does the schema that names it include it?
    is_included: bool,
}

impl Wanted {
    /// What an element names by this attribute; the location as it stands there.
    fn named(
        by: &Element,
        attribute: &str,
        namespace: Option<&str>,
        is_included: bool,
    ) -> Option<Self> {
        let location = by.attribute(attribute).filter(|it| !it.is_empty())?.to_owned();
        Some(Self { location, namespace: namespace.map(str::to_owned), is_included })
    }

    /// The namespace that a schema without one takes, if it is included.
    fn includer(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|_| self.is_included)
    }
}

/// Reads documents, each once.
struct Reader<'a, 'f> {
    fetch: &'a mut Fetch<'f>,
    reading: &'a Reading,
    limits: &'a Limits,
    documents: Documents,
    /// The first document's: it is read once, since it may be a pipe.
    first: &'a str,
    /// How many bytes may be read yet.
    bytes: usize,
    seen: HashSet<(String, Option<String>)>,
    waiting: VecDeque<Wanted>,
}

impl Documents {
    pub(super) fn read(
        location: &str,
        fetch: &mut Fetch<'_>,
        reading: &Reading,
        limits: &Limits,
    ) -> Result<Self, OutlineError> {
        let mut reader = Reader {
            fetch,
            reading,
            limits,
            documents: Self::default(),
            first: location,
            bytes: reading.bytes,
            seen: HashSet::from([(location.to_owned(), None)]),
            waiting: VecDeque::new(),
        };
        let root =
            reader.parse(location).map_err(|why| OutlineError(format!("{location}: {why}")))?;
        if !root.is(&[WSDL], "definitions") {
            let name = &root.name;
            return Err(OutlineError(format!(
                "{location}: at byte 0: expected the definitions of a WSDL 1.1, not {name}"
            )));
        }
        reader.definitions(root, location);
        while let Some(wanted) = reader.waiting.pop_front() {
            reader.next(wanted);
        }
        Ok(reader.documents)
    }

    /// Says that something is not there, and which document may have it and was not read.
    pub(super) fn absent(&self, what: &str, name: &QName) -> String {
        let mut why = self.unread(|it| it == Some(&name.namespace));
        if why.is_empty() {
            why = self.unread(|it| it.is_none());
        }
        // A schema that is not there may have imported the one with the name.
        if why.is_empty() {
            why = self.unread(|_| true);
        }
        let colon = if why.is_empty() { "" } else { ": " };
        format!("the {what} {name} is not there{colon}{why}")
    }

    /// Which documents in which such a namespace was expected are not read, and why: some, and how many more.
    pub(super) fn unread(&self, is_it: impl Fn(Option<&str>) -> bool) -> String {
        let of_it = self.missing.iter().filter(|it| is_it(it.namespace.as_deref()));
        let why: BTreeSet<&str> = of_it.map(|it| &*it.why).collect();
        let shown: Vec<&str> = why.iter().take(SHOWN).copied().collect();
        match why.len() - shown.len() + self.more_missing {
            _ if shown.is_empty() => String::new(),
            0 => shown.join("; "),
            more => format!("{}; and {more} more are not read", shown.join("; ")),
        }
    }
}

impl Reader<'_, '_> {
    fn parse(&mut self, location: &str) -> Result<Element, String> {
        let bytes = match (self.fetch)(location, self.bytes) {
            Ok(bytes) if bytes.len() <= self.bytes => bytes,
            Err(DocumentError::Other(why)) => return Err(why),
            Ok(_) | Err(DocumentError::TooLong) => {
                let (most, left) = (self.reading.bytes, self.bytes);
                let all = "all documents together have";
                return Err(format!(
                    "{all} {most} bytes at most (the limit `bytes`), and it more than the {left} left"
                ));
            }
        };
        self.bytes -= bytes.len();
        Element::parse(&bytes, self.limits).map_err(|error| error.to_string())
    }

    fn next(&mut self, wanted: Wanted) {
        let location = &wanted.location;
        let why = match self.parse(location) {
            Ok(root) if root.is(&[WSDL], "definitions") => {
                return self.definitions(root, location);
            }
            Ok(root) if root.is(&XSD, "schema") => {
                return self.schema(root, location, wanted.includer());
            }
            Ok(root) => format!("it is neither a WSDL nor a schema, but {}", root.name),
            Err(why) => why,
        };
        self.miss(wanted.namespace.as_deref(), location, &why);
    }

    /// Notes a document that another one names: `wanted` has its location as it stands there.
    fn want(&mut self, from: &str, wanted: Wanted) {
        let location = match resolve(from, &wanted.location, self.reading.other_hosts) {
            Ok(location) => location,
            Err(why) => return self.miss(wanted.namespace.as_deref(), &wanted.location, &why),
        };
        let key = (location, wanted.includer().map(str::to_owned));
        if key.0 == self.first || self.seen.contains(&key) {
            return;
        }
        let most = self.reading.documents;
        if self.seen.len() >= most {
            let why = format!("there are more than {most} (the limit `documents`)");
            return self.miss(wanted.namespace.as_deref(), &key.0, &why);
        }
        self.waiting.push_back(Wanted { location: key.0.clone(), ..wanted });
        self.seen.insert(key);
    }

    fn miss(&mut self, namespace: Option<&str>, location: &str, why: &str) {
        let Documents { missing, more_missing, .. } = &mut self.documents;
        let namespace = namespace.map(str::to_owned);
        let miss = Missing { namespace, why: format!("{location} is not read: {why}") };
        // Schemas name the same one again and again.
        match missing.contains(&miss) {
            true => {}
            false if missing.len() < self.reading.documents => missing.push(miss),
            false => *more_missing += 1,
        }
    }

    fn definitions(&mut self, mut root: Element, location: &str) {
        for word in ["import", "include"] {
            for import in root.all(&[WSDL], word) {
                let wanted = Wanted::named(import, "location", None, false);
                wanted.into_iter().for_each(|it| self.want(location, it));
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
            let of = import.attribute("namespace").unwrap_or_default();
            if !ENCODINGS.contains(&of) {
                let wanted = Wanted::named(import, "schemaLocation", Some(of), false);
                wanted.into_iter().for_each(|it| self.want(location, it));
            }
        }
        for include in root.all(&XSD, "include") {
            let wanted = Wanted::named(include, "schemaLocation", Some(&namespace), true);
            wanted.into_iter().for_each(|it| self.want(location, it));
        }
        for redefine in root.all(&XSD, "redefine") {
            let of = redefine.attribute("schemaLocation").unwrap_or_default();
            let why = format!("{location} redefines it (xsd:redefine), which is not understood");
            self.miss(Some(&namespace), of, &why);
        }
        self.documents.schemas.push(Schema { namespace, root });
    }
}

/// The location of a document that another one names. The author of a WSDL must not make users call hosts
/// that they did not name.
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
            true => Ok(escaped(location)),
            false if !is_web => Err("it is at no http address".into()),
            false => Err("it is on another host (--other-hosts)".into()),
        };
    }
    let Some(here) = here else {
        let location = unescaped(location);
        return Ok(match location.strip_prefix('/') {
            Some(rest) => joined("/", rest),
            None => joined(from.rfind('/').map_or("", |it| &from[..=it]), &location),
        });
    };
    let location = escaped(location);
    let path = from[here.len()..].split(['?', '#']).next().unwrap_or_default();
    let folder = path.rfind('/').map_or("/", |it| &path[..=it]);
    match location.chars().next() {
        Some('/') => Ok(format!("{}{location}", &from[..here.len()])),
        Some('?') => Ok(format!("{}{path}{location}", &from[..here.len()])),
        _ => Ok(format!("{}{}", &from[..here.len()], joined(folder, &location))),
    }
}

/// As HTTP wants it: an `xsd:anyURI` may have characters that a URI has not (XML Schema part 2 section
/// 3.2.17).
fn escaped(location: &str) -> String {
    let mut out = String::new();
    for byte in location.bytes() {
        match byte {
            b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7F.. => {
                out.push_str(&format!("%{byte:02X}"));
            }
            _ => out.push(char::from(byte)),
        }
    }
    out
}

/// As files are called.
fn unescaped(location: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = location.as_bytes();
    while let [first, after @ ..] = rest {
        let code =
            after.get(..2).filter(|it| *first == b'%' && it.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    // Bytes that are not UTF-8 were not meant as UTF-8.
    String::from_utf8(bytes).unwrap_or_else(|_| location.to_owned())
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
        assert_eq!(ok("x/a.wsdl", "/y/c.xsd"), "/y/c.xsd");
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
        for from in ["http://h/a", "a.wsdl"] {
            let error = resolve(from, "file:///etc/passwd", true).unwrap_err();
            assert_eq!(error, "it is at no http address", "{from}");
        }
    }

    #[test]
    fn names_of_any_letters_are_found() {
        let ok = |from: &str, location: &str| resolve(from, location, false).unwrap();
        assert_eq!(ok("http://h/a", "größe 1.xsd"), "http://h/gr%C3%B6%C3%9Fe%201.xsd");
        assert_eq!(ok("http://h/a", "gr%C3%B6.xsd"), "http://h/gr%C3%B6.xsd");
        assert_eq!(ok("x/a.wsdl", "größe 1.xsd"), "x/größe 1.xsd");
        assert_eq!(ok("x/a.wsdl", "gr%C3%B6%c3%9fe%201.xsd"), "x/größe 1.xsd");
        assert_eq!(ok("x/a.wsdl", "100%.xsd"), "x/100%.xsd");
        assert_eq!(ok("x/a.wsdl", "%FF.xsd"), "x/%FF.xsd");
    }
}
