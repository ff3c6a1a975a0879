//! A description from a URL or a file, with what it imports as far as that may be read.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_http::ClientConfig;
use trunkline_import::wsdl::Description;
use trunkline_import::{Limits, Problem, Resolver};
use trunkline_session::soap::CallError;

use super::folder::Folder;
use super::passport::{Passport, is_same_host};
use super::{config, description_of, get};
use crate::arguments::{
    CallerArguments, FetchArguments, SoapCallArguments, SoapDescribeArguments, TlsArguments,
};
use crate::description::file_at;
use crate::fault::Fault;
use crate::output::remark;

/// What was read.
pub(super) struct Source {
    pub(super) description: Arc<Description>,
    /// Where it was read.
    pub(super) location: String,
    /// Where the service is, if a URL was said.
    pub(super) url: Option<String>,
}

/// Documents of a description, and the bytes of all together, where others choose them.
const FOREIGN: (usize, usize) = (100, 16 << 20);

/// Reads what is at the URL or in the file that was said.
pub(super) fn read(arguments: &SoapDescribeArguments) -> Result<Source, Fault> {
    let source = &arguments.source;
    let (url, location) = match source.contains("://") {
        // A description by itself is there as it is.
        true if source.ends_with(".wsdl") => (None, source.clone()),
        true => {
            let (url, location) = description_of(source);
            (Some(url.to_owned()), location)
        }
        false => (None, source.clone()),
    };
    let how = How {
        is_fetched: arguments.fetch,
        other_hosts: arguments.other_hosts,
        passport: Passport::of(&arguments.caller, source)?,
        timeout: arguments.timeout,
        tls: arguments.tls.clone(),
    };
    let is_page = |documents: &mut dyn Resolver| {
        let first = documents.read(&location);
        url.is_none()
            && source.contains("://")
            && matches!(first, Ok(Some(bytes)) if is_page(&bytes))
    };
    let described = loaded(&location, &how, |documents, limits| match is_page(documents) {
        true => Ok(None),
        false => Description::read(&location, documents, limits).map(Some),
    })?;
    let (description, url, location) = match described {
        Some(description) => (description, url, location),
        // A service may have an address of any name, and a page there for people.
        None => {
            let (url, location) = description_of(source);
            let description = loaded(&location, &how, |documents, limits| {
                Description::read(&location, documents, limits)
            })?;
            (description, Some(url.to_owned()), location)
        }
    };
    description.warnings().iter().for_each(|it| remark(&it.to_string()));
    Ok(Source { description: Arc::new(description), location, url })
}

/// Is it a page for people?
fn is_page(document: &[u8]) -> bool {
    let begins = |word: &str| {
        let start = document.trim_ascii_start().get(..word.len());
        start.is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()))
    };
    begins("<!DOCTYPE html") || begins("<html")
}

/// Reads a description of any kind in a file, or at a URL if it may be fetched, and what it imports likewise.
pub(crate) fn read_any<T>(
    location: &str,
    arguments: &FetchArguments,
    read: impl FnOnce(&mut dyn Resolver, &Limits) -> Result<T, Problem>,
) -> Result<T, Fault> {
    if location.contains("://") && !arguments.fetch {
        return Err(Fault::new(format!(
            "{location}: what is at a URL is fetched with --fetch only"
        )));
    }
    let how = How {
        is_fetched: arguments.fetch,
        other_hosts: arguments.other_hosts,
        passport: Passport::of(&CallerArguments::default(), location)?,
        timeout: PATIENCE,
        tls: TlsArguments::default(),
    };
    loaded(location, &how, read)
}

/// Who fetches, and what.
struct How {
    is_fetched: bool,
    other_hosts: bool,
    passport: Passport,
    /// For all documents together.
    timeout: Duration,
    tls: TlsArguments,
}

/// For all documents together, where nobody says it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads by the documents that are there, and may be fetched.
fn loaded<T>(
    location: &str,
    how: &How,
    read: impl FnOnce(&mut dyn Resolver, &Limits) -> Result<T, Problem>,
) -> Result<T, Fault> {
    let limits = match location.contains("://") || how.is_fetched {
        true => foreign(),
        false => Limits::default(),
    };
    let ends = Instant::now() + how.timeout;
    let fetch = |url: &str| {
        let left = ends.saturating_duration_since(Instant::now());
        let config = ClientConfig {
            body_bytes: limits.document_bytes,
            // Of no time at all nobody would be told.
            response_timeout: left.max(Duration::from_millis(1)),
            connect_timeout: left.max(Duration::from_millis(1)),
            tls: how.tls.load().map_err(|it| CallError::Url(it.to_string()))?,
            ..ClientConfig::default()
        };
        get(url, config, &how.passport)
    };
    let mut documents = Documents {
        fetch: &fetch,
        is_fetched: how.is_fetched,
        other_hosts: how.other_hosts,
        folder: None,
        first: Vec::new(),
        location: location.to_owned(),
        most: limits.document_bytes,
        in_part: false,
        missed: None,
    };
    // An error of it has no place in a document.
    documents.first = match location.contains("://") {
        true => fetch(location).map_err(|error| error.to_string()),
        false => file_at(location, limits.document_bytes)
            .and_then(|it| it.ok_or("there is no such file".into())),
    }
    .map_err(|why| Fault::new(format!("{location}: {why}")))?;
    read(&mut documents, &limits).map_err(|problem| documents.explained(&problem))
}

/// Reads what there is of the description of what is called.
pub(super) fn read_in_part(
    arguments: &SoapCallArguments,
    passport: &Passport,
    location: &str,
) -> Result<Description, Fault> {
    let limits = foreign();
    let config = config(arguments)?;
    let fetch = |url: &str| {
        get(url, ClientConfig { body_bytes: limits.document_bytes, ..config.clone() }, passport)
    };
    // Only who says --wsdl may mean a file.
    let is_file = arguments.wsdl.as_ref().is_some_and(|it| !it.contains("://"));
    let wrong = |why: String| Fault::new(format!("{location}: {why}"));
    let folder = is_file.then(|| Folder::of(Path::new(location), arguments.other_folders));
    let folder = folder.transpose().map_err(|cause| wrong(cause.to_string()))?;
    let first = match &folder {
        Some(folder) => folder.read(Path::new(location), limits.document_bytes),
        None => fetch(location).map_err(|error| match (&error, &arguments.wsdl) {
            // Nobody said that it is there.
            (CallError::Status { .. }, None) => format!(
                "{error}; say --wsdl where it is, or --namespace and --binding if there is none"
            ),
            _ => error.to_string(),
        }),
    };
    let mut documents = Documents {
        fetch: &fetch,
        is_fetched: true,
        other_hosts: arguments.other_hosts,
        folder,
        first: first.map_err(wrong)?,
        location: location.to_owned(),
        most: limits.document_bytes,
        in_part: true,
        missed: None,
    };
    let mut description = Description::read_in_part(location, &mut documents, &limits)?;
    if arguments.body.is_some() {
        description.let_parts_be_nil();
    }
    Ok(description)
}

fn foreign() -> Limits {
    let (documents, document_bytes) = FOREIGN;
    Limits { documents, document_bytes, ..Limits::default() }
}

/// The documents that may be read: the first, then files that a file names, and what is at URLs if it may be fetched.
struct Documents<'a> {
    fetch: &'a dyn Fn(&str) -> Result<Vec<u8>, CallError>,
    is_fetched: bool,
    other_hosts: bool,
    /// Which files may be read; none for all.
    folder: Option<Folder>,
    /// It is read once, as it may be a pipe.
    first: Vec<u8>,
    location: String,
    /// The most bytes of a document.
    most: usize,
    /// May others be missing? Then who needs them is told why.
    in_part: bool,
    /// The last document that was not read, and why.
    missed: Option<(String, String)>,
}

impl Resolver for Documents<'_> {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let is_from_url = self.location.contains("://");
        match path.contains("://") {
            _ if path == self.location => Ok(Some(self.first.clone())),
            false if is_from_url => {
                self.miss(path, "a description that is fetched names no files".to_owned())
            }
            false => match &self.folder {
                Some(folder) => folder.read(Path::new(&unescaped(path)), self.most).map(Some),
                None => file_at(path, self.most),
            },
            true => match self.forbidden(&escaped(path)) {
                Some(why) => self.miss(path, why.to_owned()),
                None => match (self.fetch)(&escaped(path)) {
                    Ok(bytes) => Ok(Some(bytes)),
                    // It may be a namespace, which is asked for too.
                    Err(error @ CallError::Status { status: 404, .. }) => {
                        self.miss(path, error.to_string())
                    }
                    Err(error) => Err(error.to_string()),
                },
            },
        }
    }

    fn read_namespace(&mut self, namespace: &str) -> Result<Option<Vec<u8>>, String> {
        match self.in_part {
            // Who calls has no time for what is hardly ever there.
            true => Ok(None),
            false => self.read(namespace),
        }
    }
}

impl Documents<'_> {
    /// Why what is at a URL is not fetched: the author of a description must not make users call hosts that they did
    /// not name.
    fn forbidden(&self, url: &str) -> Option<&'static str> {
        match (self.is_fetched, is_same_host(&self.location, url)) {
            (true, is_there) if is_there || self.other_hosts => None,
            (false, true) => Some("--fetch fetches it"),
            _ if self.in_part => Some("it is on another host (--other-hosts)"),
            _ => Some("it is on another host: --fetch --other-hosts fetches it"),
        }
    }

    fn miss(&mut self, path: &str, why: String) -> Result<Option<Vec<u8>>, String> {
        if self.in_part {
            return Err(why);
        }
        self.missed = Some((path.to_owned(), why));
        Ok(None)
    }

    /// The problem; of a document that was not read, with what we know of it.
    fn explained(&self, problem: &Problem) -> Fault {
        let missed = self.missed.as_ref().filter(|it| problem.what.ends_with(&it.0));
        Fault::new(match missed {
            Some((_, why)) => format!("{}: {}; {why}", problem.place, problem.what),
            None => problem.to_string(),
        })
    }
}

/// As HTTP wants it: an `xsd:anyURI` may have characters that a URI has not (XML Schema part 2 section 3.2.17).
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
        let code = code.and_then(|it| u8::from_str_radix(str::from_utf8(it).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    // Bytes that are not UTF-8 were not meant as UTF-8.
    String::from_utf8(bytes).unwrap_or_else(|_| location.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_any_letters() {
        assert_eq!(escaped("http://h/größe 1.xsd"), "http://h/gr%C3%B6%C3%9Fe%201.xsd");
        assert_eq!(escaped("http://h/gr%C3%B6.xsd"), "http://h/gr%C3%B6.xsd");
        assert_eq!(unescaped("x/größe 1.xsd"), "x/größe 1.xsd");
        assert_eq!(unescaped("x/gr%C3%B6%c3%9fe%201.xsd"), "x/größe 1.xsd");
        assert_eq!(unescaped("x/100%.xsd"), "x/100%.xsd");
        assert_eq!(unescaped("x/%FF.xsd"), "x/%FF.xsd");
    }
}
