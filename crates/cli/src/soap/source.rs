//! A description from a URL or a file, with what it imports as far as that may be read.

use std::time::{Duration, Instant};

use trunkline_http::ClientConfig;
use trunkline_import::wsdl::Description;
use trunkline_import::{Limits, Problem, Resolver};
use trunkline_session::soap::CallError;

use super::passport::{Passport, is_same_host};
use super::{description_of, get};
use crate::arguments::SoapDescribeArguments;
use crate::description::file_at;
use crate::fault::Fault;
use crate::output::remark;

/// What was read.
pub(super) struct Source {
    pub(super) description: Description,
    /// Where it was read.
    pub(super) location: String,
    /// Where the service is, if a URL was said.
    pub(super) url: Option<String>,
}

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
    let limits = match source.contains("://") || arguments.fetch {
        true => Limits { documents: 100, document_bytes: 16 << 20, ..Limits::default() },
        false => Limits::default(),
    };
    let mut documents = Documents {
        arguments,
        passport: Passport::of(&arguments.caller, source)?,
        first: Vec::new(),
        location: location.clone(),
        most: limits.document_bytes,
        ends: Instant::now() + arguments.timeout,
        missed: None,
    };
    // An error of it has no place in a document.
    documents.first = match location.contains("://") {
        true => documents.fetch(&location).map_err(|error| error.to_string()),
        false => file_at(&location, limits.document_bytes)
            .and_then(|it| it.ok_or("there is no such file".into())),
    }
    .map_err(|why| Fault::new(format!("{location}: {why}")))?;
    let read = Description::read(&location, &mut documents, &limits);
    let description = read.map_err(|problem| documents.explained(&problem))?;
    description.warnings().iter().for_each(|it| remark(&it.to_string()));
    Ok(Source { description, location, url })
}

/// The documents that may be read: the first, then files that a file names, and with `--fetch` what is at URLs.
struct Documents<'a> {
    arguments: &'a SoapDescribeArguments,
    passport: Passport,
    /// It is read once, as it may be a pipe.
    first: Vec<u8>,
    location: String,
    /// The most bytes of a document.
    most: usize,
    ends: Instant,
    /// The last document that was not read, and why.
    missed: Option<(String, String)>,
}

impl Resolver for Documents<'_> {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let is_from_url = self.location.contains("://");
        match path.contains("://") {
            _ if path == self.location => Ok(Some(self.first.clone())),
            false if is_from_url => {
                Ok(self.miss(path, "a description that is fetched names no files"))
            }
            false => file_at(path, self.most),
            true => match self.forbidden(path) {
                Some(why) => Ok(self.miss(path, why)),
                None => match self.fetch(path) {
                    Ok(bytes) => Ok(Some(bytes)),
                    // It may be a namespace, which is asked for too.
                    Err(error @ CallError::Status { status: 404, .. }) => {
                        Ok(self.miss(path, &error.to_string()))
                    }
                    Err(error) => Err(error.to_string()),
                },
            },
        }
    }
}

impl Documents<'_> {
    /// Why what is at a URL is not fetched: the author of a description must not make users call hosts that they did
    /// not name.
    fn forbidden(&self, url: &str) -> Option<&'static str> {
        let SoapDescribeArguments { fetch, other_hosts, source, .. } = self.arguments;
        match (*fetch, is_same_host(source, url)) {
            (true, is_there) if is_there || *other_hosts => None,
            (false, true) => Some("--fetch fetches it"),
            (_, _) => Some("it is on another host: --fetch --other-hosts fetches it"),
        }
    }

    fn fetch(&self, url: &str) -> Result<Vec<u8>, CallError> {
        let left = self.ends.saturating_duration_since(Instant::now());
        let config = ClientConfig {
            body_bytes: self.most,
            // Of no time at all nobody would be told.
            response_timeout: left.max(Duration::from_millis(1)),
            connect_timeout: left.max(Duration::from_millis(1)),
            tls: self.arguments.tls.load().map_err(|it| CallError::Url(it.to_string()))?,
            ..ClientConfig::default()
        };
        get(url, config, &self.passport)
    }

    fn miss(&mut self, path: &str, why: &str) -> Option<Vec<u8>> {
        self.missed = Some((path.to_owned(), why.to_owned()));
        None
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
