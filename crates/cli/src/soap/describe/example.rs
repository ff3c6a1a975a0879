//! A command line that calls an operation.

use std::sync::Arc;

use trunkline_import::wsdl::{Described, Description, Port};
use trunkline_message::{Holds, Kind, Limits, Record};
use trunkline_soap::{Encoder, Plan, graph};

use super::Place;
use crate::output::plain;
use crate::soap::choice::{is_same, is_same_path, is_soap, is_web};
use crate::soap::source::Source;
use crate::soap::{reply, valid};

/// A command line with more arguments than these has only those that must be there.
const MOST: usize = 12;

/// A line that calls an operation.
pub(super) struct Example {
    pub(super) line: String,
    /// What the description forbids of the values that are made up, if no others were found.
    pub(super) invalid: Option<String>,
}

/// What to type; none if nothing can be made up that the operation takes.
pub(super) fn of(source: &Source, at: &Place<'_>) -> Option<Example> {
    let (values, invalid) = match source.description.request(at.binding, at.operation).ok()? {
        Some(request) => values(&source.description, request)?,
        None => (Vec::new(), None),
    };
    let mut words: Vec<String> = ["trunkline", "soap", "call"].map(str::to_owned).to_vec();
    let (url, wsdl) = address(source, at.port)?;
    words.extend([url, at.operation.name.clone()]);
    words.extend(wsdl.into_iter().flat_map(|it| ["--wsdl".to_owned(), it]));
    if at.is_soap12() {
        words.push("--soap12".to_owned());
    }
    words.extend(values);
    let quoted: Vec<String> = words.iter().map(|it| quoted(&plain(it))).collect();
    Some(Example { line: quoted.join(" "), invalid })
}

/// The URL to call, and where the WSDL is if that is not to be found there.
fn address(source: &Source, port: &Port) -> Option<(String, Option<String>)> {
    let address = port.address.as_deref().filter(|it| is_web(it));
    let ports = source.description.services().iter().flat_map(|it| &it.ports);
    let is_alone =
        ports.filter(|it| is_soap(&source.description.binding(it).protocol)).count() == 1;
    let reached = |url: &&String| {
        is_alone || address.is_some_and(|it| is_same(it, url) || is_same_path(it, url))
    };
    match source.url.as_ref().filter(reached) {
        Some(url) => Some((url.clone(), None)),
        None => Some((address?.to_owned(), Some(source.location.clone()))),
    }
}

/// A made up request as `soap call` takes it: with everything, or with what must be there; and what is not valid in it.
fn values(description: &Description, request: Described) -> Option<(Vec<String>, Option<String>)> {
    let layout = Arc::new(request.layout);
    let plan = Plan::new(&layout, &request.options).ok()?;
    let of = |record: &Record| {
        let mut encoder = Encoder::new(&plan);
        let envelope = encoder.encode(record).ok()?;
        let message = graph::decode(envelope, &Limits::default()).ok()?;
        let text = String::from_utf8_lossy(envelope);
        let invalid = valid::of_message(description, &request.options, (&text, record));
        let (name, root) = message.root()?;
        let values = reply::values(&message, name.local(), root);
        // An element without anything inside needs no argument.
        let is_said = |it: &(String, String)| layout.name() != it.0 || !it.1.is_empty();
        let shown = values.into_iter().filter(is_said);
        // An array in an array has no name of its own, and takes any.
        let shown = shown.map(|(path, value)| format!("{}={value}", path.replace("][", "].item[")));
        Some((shown.collect::<Vec<String>>(), invalid))
    };
    let has_any = layout
        .scopes()
        .iter()
        .flat_map(|it| &it.fields)
        .any(|it| it.holds == Holds::Value(Kind::Any));
    let whole = if has_any { None } else { of(&Record::sample(&layout)) };
    whole.filter(|it| it.0.len() <= MOST).or_else(|| of(&Record::least(&layout)))
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:=@,+%".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
