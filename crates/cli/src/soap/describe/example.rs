//! A command line that calls an operation: tried here as `soap call` would take it, so that it works as it is printed.

use trunkline_import::wsdl::Port;
use trunkline_import::xsd::Violation;
use trunkline_message::{Holds, Kind, Layout, Limits, Record};
use trunkline_soap::{Encoder, Layout as Around, Plan, graph};

use super::Place;
use crate::output::plain;
use crate::soap::choice::{Bound, is_same, is_same_path, is_soap, is_web};
use crate::soap::content::{Form, to_json};
use crate::soap::source::Source;
use crate::soap::{Called, body, made_up, reply, request, valid};

/// A command line with more arguments than these has only those that must be there.
const MOST: usize = 12;

/// Nobody types a line with more than these, and it takes long to try.
const LONGEST: usize = 256;

/// The system takes no longer argument (`MAX_ARG_STRLEN` of Linux), in bytes.
const LONGEST_BODY: usize = 128 * 1024;

/// A line that calls an operation.
pub(super) struct Example {
    pub(super) line: String,
    /// What the description forbids of the values that are made up, if no others were found.
    pub(super) invalid: Option<String>,
}

/// What to type.
///
/// # Errors
/// Why nothing can be.
pub(super) fn of(source: &Source, at: &Place<'_>) -> Result<Example, String> {
    let (url, wsdl) = address(source, at.port)?;
    let bound = Bound::of(at.binding, at.operation);
    let called = Called::of(&source.description, &bound, bound.form.version);
    if called.is_begun_there {
        return Err("the service begins it".to_owned());
    }
    let (arguments, invalid) = Attempt { called: &called }.arguments()?;
    let mut words: Vec<String> = ["trunkline", "soap", "call"].map(str::to_owned).to_vec();
    words.extend([url, at.operation.name.clone()]);
    words.extend(wsdl.into_iter().flat_map(|it| ["--wsdl".to_owned(), it]));
    if at.is_soap12() {
        words.push("--soap12".to_owned());
    }
    words.extend(arguments);
    let quoted: Vec<String> = words.iter().map(|it| quoted(&plain(it))).collect();
    Ok(Example { line: quoted.join(" "), invalid })
}

/// The URL to call, and where the WSDL is if that is not to be found there.
fn address(source: &Source, port: &Port) -> Result<(String, Option<String>), String> {
    let address = port.address.as_deref().filter(|it| is_web(it));
    let ports = source.description.services().iter().flat_map(|it| &it.ports);
    let is_alone =
        ports.filter(|it| is_soap(&source.description.binding(it).protocol)).count() == 1;
    let reached = |url: &&String| {
        is_alone || address.is_some_and(|it| is_same(it, url) || is_same_path(it, url))
    };
    match (source.url.as_ref().filter(reached), address, &port.address) {
        (Some(url), ..) => Ok((url.clone(), None)),
        (None, Some(address), _) => Ok((address.to_owned(), Some(source.location.clone()))),
        (None, None, Some(other)) => {
            Err(format!("the port is at {other}, which is no address of HTTP"))
        }
        (None, None, None) => Err("the port has no address".to_owned()),
    }
}

/// What `soap call` would make of messages that are made up.
struct Attempt<'a> {
    called: &'a Called,
}

/// Keys of `soap call`, and their values.
type Keys = Vec<(String, String)>;

const TOO_LONG: &str = "it would be too long for a command line: write it into a file for --body";

/// Why keys and values make no request.
enum Refused {
    /// There are none for it, or not in a way that is known.
    Keys(String),
    /// Values, for which others can be put in.
    Values(Keys, String),
}

impl Attempt<'_> {
    /// The arguments that make a request, with everything in it, or with what must be there, or, where there are no keys for
    /// it, as a whole; and what is not valid in it.
    fn arguments(&self) -> Result<(Vec<String>, Option<String>), String> {
        let form = match self.called.messages.as_ref().and_then(|it| it.request.as_ref()) {
            None => return Ok((Vec::new(), None)),
            Some(Err(problem)) => return Err(format!("what it takes has no form: {problem}")),
            Some(Ok(form)) => form,
        };
        let layout = &form.0;
        let (mut wrong, mut why_none) = (None, None);
        let (short, long): (Vec<Record>, Vec<Record>) = made_up::whole(form)
            .into_iter()
            .partition(|it| keys(form, it).is_ok_and(|keys| keys.len() <= MOST));
        let short = if has_any(layout) { Vec::new() } else { short };
        let least = made_up::least(form).ok_or(made_up::TOO_LARGE)?;
        for record in short.iter().chain([&least]).chain(&long) {
            let tried = keys(form, record).and_then(|keys| match keys.len() {
                0..=LONGEST => self.tried(form, record, keys),
                _ => Err(Refused::Keys(TOO_LONG.to_owned())),
            });
            match tried {
                Ok(keys) => return Ok((said(&keys), None)),
                Err(Refused::Values(keys, why)) => _ = wrong.get_or_insert((keys, why)),
                Err(Refused::Keys(why)) => _ = why_none.get_or_insert(why),
            }
        }
        let mut invalid_body = None;
        for record in [&least].into_iter().chain(&short).chain(&long) {
            let Ok(json) = to_json(layout, record) else { continue };
            if json.len() >= LONGEST_BODY {
                continue;
            }
            let arguments = || vec!["--body".to_owned(), json.clone()];
            match body::envelope(self.called, &json, &[], true) {
                Ok(_) => return Ok((arguments(), None)),
                Err(_) if body::envelope(self.called, &json, &[], false).is_err() => {}
                Err(_) => {
                    let why = self.invalid(form, record).unwrap_or_default();
                    invalid_body.get_or_insert((arguments(), why));
                }
            }
        }
        match (wrong, invalid_body) {
            (Some((keys, why)), _) => Ok((said(&keys), Some(why))),
            (None, Some((arguments, why))) => Ok((arguments, Some(why))),
            (None, None) => Err(why_none.unwrap_or_else(|| "nothing can be made up".to_owned())),
        }
    }

    /// The keys that make a valid request: those that are given, or those that are left when what may not stand there is gone.
    fn tried(&self, form: &Form, record: &Record, given: Keys) -> Result<Keys, Refused> {
        /// What is mended, at most.
        const ROUNDS: usize = 32;
        let mut keys = given.clone();
        let wrong = |other: String| match self.invalid(form, record) {
            Some(why) => Refused::Values(given.clone(), why),
            None => Refused::Keys(other),
        };
        for _ in 0..ROUNDS {
            let envelope = request::envelope(self.called, &said(&keys), &[]);
            let envelope = envelope.map_err(|why| wrong(why.to_string()))?;
            let Some(description) = &self.called.description else { break };
            let violations = valid::violations(description, form.1.style, &envelope);
            let Some(violation) = violations.first() else { return Ok(keys) };
            let is_body = form.1.layout == Around::Body;
            if !mend(&mut keys, violation, if is_body { 3 } else { 4 }) {
                return Err(wrong(violation.what.clone()));
            }
        }
        Err(wrong("no valid values are found".to_owned()))
    }

    /// What the description forbids in a message.
    fn invalid(&self, form: &Form, record: &Record) -> Option<String> {
        let (layout, options) = form;
        let description = self.called.description.as_ref()?;
        let plan = Plan::new(layout, options).ok()?;
        let mut encoder = Encoder::new(&plan);
        let text = String::from_utf8_lossy(encoder.encode(record).ok()?).into_owned();
        Some(valid::of_message(description, options, (&text, record), None)?.what)
    }
}

/// Has it content of any shape? There may be no key for that.
fn has_any(layout: &Layout) -> bool {
    let mut fields = layout.scopes().iter().flat_map(|it| &it.fields);
    fields.any(|it| it.holds == Holds::Value(Kind::Any))
}

/// The keys and values that say a message.
fn keys((layout, options): &Form, record: &Record) -> Result<Keys, Refused> {
    let plain = |error: trunkline_message::Error| Refused::Keys(error.to_string());
    let plan = Plan::new(layout, options).map_err(plain)?;
    let mut encoder = Encoder::new(&plan);
    let envelope = encoder.encode(record).map_err(plain)?;
    let message = graph::decode(envelope, &Limits::default()).map_err(plain)?;
    if options.layout == Around::Body {
        return Ok(reply::values_of_body(&message));
    }
    let Some((name, root)) = message.root() else { return Ok(Vec::new()) };
    let values = reply::values(&message, name, root);
    // An element without anything inside needs no argument.
    let is_said = |it: &(String, String)| layout.name() != it.0 || !it.1.is_empty();
    Ok(values.into_iter().filter(is_said).collect())
}

/// As arguments.
fn said(keys: &Keys) -> Vec<String> {
    keys.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

/// Takes out what the schema does not want where it stands, as the second of two groups of which one is there, which no layout
/// knows; and gives a second ID another name. Says whether something has changed. The path of the violation has so many steps
/// before the keys begin.
fn mend(keys: &mut Keys, violation: &Violation, steps: usize) -> bool {
    let step = |it: &str| match it.strip_suffix(']').and_then(|it| it.split_once('[')) {
        // XPath counts from 1.
        Some((name, number)) if number != "1" => {
            let number = number.parse::<usize>().map_or(0, |it| it - 1);
            format!("{}[{number}]", request::step(name))
        }
        Some((name, _)) => request::step(name),
        None => request::step(it),
    };
    let path: Vec<String> = violation.path.split('/').skip(steps).map(step).collect();
    let path = path.join(".");
    let behind = |key: &str| {
        let key = key.replace("[0]", "");
        key.strip_prefix(&path).map(str::to_owned)
    };
    let count = keys.len();
    match violation.rule {
        _ if !path.is_empty() && violation.is_misplaced => {
            let is_in = |key: &str| {
                behind(key).is_some_and(|it| it.is_empty() || it.starts_with(['.', '@']))
            };
            keys.retain(|it| !is_in(&it.0));
            keys.len() < count
        }
        "cvc-id" => {
            let is_own =
                |key: &str| behind(key).is_some_and(|it| it.is_empty() || it.starts_with('@'));
            let own = keys.iter().position(|it| is_own(&it.0) && !it.1.is_empty());
            let Some(own) = own else { return false };
            keys[own].1 += &own.to_string();
            true
        }
        _ => false,
    }
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:=@,+%".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
