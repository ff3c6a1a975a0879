//! The documents of a description as they are served: what they import is there too, under a query of each path.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use trunkline_codec::infoset::{Event, Reader as _, Tag};
use trunkline_codec::xml;
use trunkline_import::wsdl::{Description, Port};
use trunkline_import::xsd::Name;
use trunkline_import::{Description as Any, Options, Place, Source, located};
use trunkline_message::Limits;
use trunkline_session::soap::Service;

use crate::arguments::FetchArguments;
use crate::fault::Fault;
use crate::output::remark;
use crate::soap::read_any;

/// Everything that was read of a description.
pub(super) struct Documents {
    all: Vec<Document>,
    /// The addresses of ports that have that of another one in the description, by where they are described.
    addresses: Vec<(Place, String)>,
}

/// One that is served.
struct Document {
    path: String,
    /// Under which query; none of the first, which imports the others.
    query: Option<String>,
    text: String,
}

impl Documents {
    /// Reads the description in a file, or at a URL if it may be fetched, and what it imports.
    pub(super) fn read(
        file: &str,
        fetch: &FetchArguments,
    ) -> Result<(Box<Description>, Self), Fault> {
        let mut all: Vec<(String, Vec<u8>)> = Vec::new();
        let read = read_any(file, fetch, |documents, limits| {
            let mut resolver = |path: &str| {
                let found = documents.read(path)?;
                if let Some(bytes) = &found
                    && all.iter().all(|it| it.0 != path)
                {
                    all.push((path.to_owned(), bytes.clone()));
                }
                Ok(found)
            };
            Any::read(file, &Options::default(), &mut resolver, limits)
        })?;
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
        let addresses = tell_apart(&description, &mut all);
        let mut documents = Vec::new();
        for (path, bytes) in all {
            let query = queries.get(&path).cloned();
            let Ok(text) = String::from_utf8(bytes) else {
                if query.is_none() {
                    return Err(Fault::new(format!("{path}: it is not in UTF-8")));
                }
                remark(&format!("{path} is not served, since it is not in UTF-8"));
                continue;
            };
            let text = rewritten(text.trim_start_matches('\u{FEFF}'), &path, &queries);
            documents.push(Document { path, query, text });
        }
        Ok((description, Self { all: documents, addresses }))
    }

    /// The address that a port has in them.
    pub(super) fn address_of<'a>(&'a self, port: &'a Port) -> &'a str {
        let own = self.addresses.iter().find(|it| it.0 == port.place).map(|it| &*it.1);
        own.or(port.address.as_deref()).unwrap_or_default()
    }

    /// Takes operations out, by the names of their bindings and their places in those: nobody is to call what is not served.
    ///
    /// # Errors
    /// A document is read by the importer and not here, and would show them.
    pub(super) fn leave_out(&mut self, operations: &[(&Name, usize)]) -> Result<(), Fault> {
        if operations.is_empty() {
            return Ok(());
        }
        let is_wsdl = |it: &&mut Document| Source::of(it.text.as_bytes()) == Source::Wsdl;
        for Document { path, text, .. } in self.all.iter_mut().filter(is_wsdl) {
            let mut found = bound(text, operations).map_err(|error| {
                let what = "operations that are not served cannot be taken out of it";
                Fault::new(format!("{path}: {what}: {error}"))
            })?;
            found.sort_by_key(|it| it.start);
            found.into_iter().rev().for_each(|it| text.replace_range(it, ""));
        }
        Ok(())
    }

    /// Has the service show them.
    pub(super) fn describe(&self, service: Service) -> Service {
        self.all.iter().fold(service, |it, document| match &document.query {
            Some(query) => it.document(query, &document.text),
            None => it.described_by(&document.text),
        })
    }
}

/// Gives each port that has the address of another one an address of its own in the documents, since it is served at a path of its own.
fn tell_apart(description: &Description, all: &mut [(String, Vec<u8>)]) -> Vec<(Place, String)> {
    let ports = description.services().iter().flat_map(|it| &it.ports);
    let (mut taken, mut changed) = (HashSet::new(), Vec::new());
    for port in ports {
        let Some(address) = &port.address else { continue };
        let mut own = address.clone();
        while !taken.insert(own.clone()) {
            own = format!("{own}/{}", port.name);
        }
        if own == *address {
            continue;
        }
        changed.push((port, own));
    }
    // From the last, so that the places of others stay.
    changed.sort_by(|one, other| other.0.place.cmp(&one.0.place));
    let put = |(port, own): (&Port, String)| {
        let bytes = &mut all.iter_mut().find(|it| *it.0 == *port.place.file)?.1;
        let range = address_at(bytes, port)?;
        bytes.splice(range, own.replace('&', "&amp;").into_bytes());
        Some((port.place.clone(), own))
    };
    changed.into_iter().filter_map(put).collect()
}

/// Where operations stand in the bindings of a document.
fn bound(
    text: &str,
    operations: &[(&Name, usize)],
) -> trunkline_message::Result<Vec<Range<usize>>> {
    const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
    // As the importer reads it, processing instructions too.
    let limits = Limits { message_bytes: text.len(), ..Limits::default() };
    let mut reader = xml::Reader::begin(xml::Options::default(), text, &limits)?;
    let (mut namespace, mut binding, mut found) = (String::new(), None, Vec::new());
    loop {
        let name = match reader.next()? {
            Event::Start(name) => name,
            Event::Eof => return Ok(found),
            _ => continue,
        };
        match reader.local(name) {
            _ if reader.namespace_of(name) != WSDL => {}
            "definitions" => namespace = attribute(&reader, "targetNamespace"),
            "binding" => binding = Some((attribute(&reader, "name"), 0)),
            "portType" => binding = None,
            "operation" => {
                let Some((local, count)) = &mut binding else { continue };
                let is_it = |it: &&(&Name, usize)| {
                    *it.0.local == **local && *it.0.namespace == *namespace && it.1 == *count
                };
                if operations.iter().any(|it| is_it(&it)) {
                    let start = reader.began();
                    reader.skip()?;
                    found.push(start..reader.position());
                }
                *count += 1;
            }
            _ => {}
        }
    }
}

/// An attribute of the element just begun; empty if it has none.
fn attribute(reader: &impl Tag, name: &str) -> String {
    let value = reader.find_attribute("", name);
    value.map(|it| reader.value(it).into_owned()).unwrap_or_default()
}

/// Where the address of a port stands in its document.
fn address_at(bytes: &[u8], port: &Port) -> Option<Range<usize>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let Place { line, column, .. } = port.place;
    let before: usize =
        text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let own_line = &text[before..];
    let in_line = own_line.char_indices().nth(column.saturating_sub(1) as usize)?.0;
    let mut from = before + in_line;
    while let Some(at) = text[from..].find("location") {
        from += at + "location".len();
        if let Some((_, found, end)) = value(&text[from..])
            && found.replace("&amp;", "&") == port.address.as_deref()?
        {
            let end = text.len() - end.len() - 1;
            return Some(end - found.len()..end);
        }
    }
    None
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
