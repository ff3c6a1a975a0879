//! The documents of a description as they are served: what they import is there too, under a query of each path.

use std::collections::HashMap;

use trunkline_import::wsdl::Description;
use trunkline_import::{Description as Any, Limits, Options, Source, located};
use trunkline_session::soap::Service;

use crate::description::file_at;
use crate::fault::Fault;
use crate::output::remark;

/// Everything that was read of a description.
pub(super) struct Documents {
    wsdl: String,
    /// What others import, by their queries.
    others: Vec<(String, String)>,
}

impl Documents {
    /// Reads the description in a file, and what it imports.
    pub(super) fn read(file: &str) -> Result<(Box<Description>, Self), Fault> {
        let limits = Limits::default();
        let mut all: Vec<(String, Vec<u8>)> = Vec::new();
        let mut resolver = |path: &str| {
            let found = file_at(path, limits.document_bytes)?;
            if let Some(bytes) = &found
                && all.iter().all(|it| it.0 != path)
            {
                all.push((path.to_owned(), bytes.clone()));
            }
            Ok(found)
        };
        let read = Any::read(file, &Options::default(), &mut resolver, &limits)?;
        let Any::Services(mut description) = read else {
            return Err(Fault::new(format!("{file}: it is no WSDL, and describes no service")));
        };
        description.let_parts_be_nil();
        let queries: HashMap<String, String> = all
            .iter()
            .filter(|it| it.0 != file)
            .enumerate()
            .map(|(index, (path, bytes))| {
                let kind = if Source::of(bytes) == Source::Wsdl { "wsdl" } else { "xsd" };
                (path.clone(), format!("{kind}={}", index + 1))
            })
            .collect();
        let (mut wsdl, mut others) = (String::new(), Vec::new());
        for (path, bytes) in all {
            let text = match (String::from_utf8(bytes), queries.get(&path)) {
                (Ok(text), _) => rewritten(&text, &path, &queries),
                (Err(_), None) => return Err(Fault::new(format!("{path}: it is not in UTF-8"))),
                (Err(_), Some(_)) => {
                    remark(&format!("{path} is not served, since it is not in UTF-8"));
                    continue;
                }
            };
            match queries.get(&path) {
                Some(query) => others.push((query.clone(), text)),
                None => wsdl = text,
            }
        }
        Ok((description, Self { wsdl, others }))
    }

    /// Has the service show them.
    pub(super) fn describe(&self, service: Service) -> Service {
        let described = service.described_by(&self.wsdl);
        self.others.iter().fold(described, |it, (query, text)| it.document(query, text))
    }
}

/// The document with queries in place of the locations that have one.
fn rewritten(text: &str, file: &str, queries: &HashMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("ocation") {
        let (before, behind) = rest.split_at(at + "ocation".len());
        out.push_str(before);
        rest = behind;
        let name = before.rsplit(|it: char| it.is_whitespace()).next();
        if !matches!(name, Some("location" | "schemaLocation")) {
            continue;
        }
        let Some((quote, value, end)) = value(rest) else { continue };
        if let Some(query) = queries.get(&located(file, &value.replace("&amp;", "&"))) {
            out.push_str(&format!("={quote}?{query}{quote}"));
            rest = end;
        }
    }
    out + rest
}

/// The quote and the value of an attribute, of what stands behind its name, and what stands behind both.
fn value(behind: &str) -> Option<(char, &str, &str)> {
    let quoted = behind.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
    let quote = quoted.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let (value, end) = quoted[1..].split_once(quote)?;
    Some((quote, value, end))
}
