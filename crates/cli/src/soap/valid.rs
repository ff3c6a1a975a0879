//! Messages that are held against the schemas of a description before they go anywhere: facets, values that are fixed, where nil
//! may stand, and whatever else no layout holds.

use trunkline_import::Limits;
use trunkline_import::wsdl::Description;
use trunkline_import::xsd::Violation;
use trunkline_message::{Checks, Message as _, Record, short_path};
use trunkline_soap::{Layout as Around, Options, Style};

use super::Called;
use super::content::{Said, Unread};
use crate::fault::Fault;
use crate::output::remark;

/// As many are told of what is wrong.
const TOLD: usize = 3;

/// Rejects a request that was made from keys and values.
pub(super) fn check(called: &Called, envelope: &str) -> Result<(), Fault> {
    let Some(description) = &called.description else { return Ok(()) };
    let violations = violations(description, called.binding.style, envelope);
    match told(&violations, |it| by_key(it, &called.name, "--header ")) {
        Some(wrong) => rejected(description, wrong),
        None => Ok(()),
    }
}

/// What the schemas say against an answer in document/literal.
pub(super) fn of_answer(description: &Description, name: &str, envelope: &str) -> Option<String> {
    let violations = violations(description, Style::DocumentLiteral, envelope);
    told(&violations, |it| by_key(it, name, "header block "))
}

/// With the place as keys have it: without the envelope, and without the element in the Body unless that is meant. What is in
/// none of them is of the whole, which has this name.
fn by_key(violation: &Violation, name: &str, header: &str) -> String {
    let steps: Vec<&str> = violation.path.split('/').skip(2).collect();
    let key = match &*steps {
        ["Header", inside @ ..] => format!("{header}{}", inside.join("/")),
        [_, body] => (*body).to_owned(),
        [_, _, inside @ ..] => inside.join("."),
        _ => name.to_owned(),
    };
    // No key declares a prefix.
    let is_prefixed = violation.what.ends_with(" is no QName") && violation.what.contains(':');
    let hint = if is_prefixed { "; --body takes XML that declares its prefix" } else { "" };
    format!("{key}: {}{hint}", violation.what)
}

/// Rejects a request that was said as a whole, under this name.
pub(super) fn check_body(
    called: &Called,
    envelope: &str,
    (name, said): (&str, &Said<'_>),
    record: &Record,
) -> Result<(), Fault> {
    let Some(description) = &called.description else { return Ok(()) };
    let style = called.binding.style;
    let violations = violations(description, style, envelope);
    let wrong = told(&violations, |it| {
        let steps: Vec<&str> = it.path.split('/').skip(2).collect();
        match &*steps {
            ["Header", inside @ ..] => format!("--header {}: {}", inside.join("/"), it.what),
            steps => in_body(it, steps, Some(said)).of(name),
        }
    });
    match wrong.or_else(|| unfit(style, record, Some(said)).map(|it| it.of(name))) {
        Some(wrong) => rejected(description, wrong),
        None => Ok(()),
    }
}

/// What the description says against a message that is encoded so, if it says anything; with the place of the first of it in what
/// was said, if it was.
pub(super) fn of_message(
    description: &Description,
    options: &Options,
    (envelope, record): (&str, &Record),
    said: Option<&Said<'_>>,
) -> Option<Unread> {
    if let Some(unfit) = unfit(options.style, record, said) {
        return Some(unfit);
    }
    let violations = violations(description, options.style, envelope);
    let one = |it: &Violation| {
        let steps: Vec<&str> = it.path.split('/').skip(2).collect();
        in_body(it, &steps, said)
    };
    let place = violations.first().and_then(|it| one(it).place);
    told(&violations, |it| one(it).what).map(|what| Unread { place, ..Unread::new(what) })
}

/// What is wrong in a message that was made up.
pub(super) struct Wrong {
    /// The first of it, from what is in the element of the Body on, or in the Body if that is the message.
    pub(super) path: String,
    pub(super) what: String,
}

/// What the description says against a message that is encoded so, if it says anything.
pub(super) fn wrong_in(
    description: &Description,
    options: &Options,
    envelope: &str,
    record: &Record,
) -> Option<Wrong> {
    let what = of_message(description, options, (envelope, record), None)?.what;
    let (path, steps) = match options.style {
        Style::DocumentLiteral => {
            let first = violations(description, options.style, envelope).into_iter().next();
            let steps = if options.layout == Around::Body { 3 } else { 4 };
            (first.map(|it| it.path).unwrap_or_default(), steps)
        }
        _ => {
            let unfit = Checks::new(record.message_layout()).ok().map(|it| it.check(record));
            (unfit.and_then(Result::err).map(|it| it.path().to_owned()).unwrap_or_default(), 1)
        }
    };
    let path = path.split('/').skip(steps).collect::<Vec<_>>().join("/");
    Some(Wrong { path, what })
}

/// What the schemas say against a request as it came. Of a call they say what its header blocks are, unless they are encoded.
pub(super) fn of_request(
    description: &Description,
    style: Style,
    envelope: &str,
) -> Option<String> {
    if style.is_encoded() {
        return None;
    }
    let mut violations = violations(description, Style::DocumentLiteral, envelope);
    if style != Style::DocumentLiteral {
        violations.retain(|it| it.path.split('/').nth(2) == Some("Header"));
    }
    told(&violations, |it| {
        let steps: Vec<&str> = it.path.split('/').skip(2).collect();
        in_body(it, &steps, None).what
    })
}

/// With the path in the Body, whose steps these are behind that of the Body itself.
fn in_body(violation: &Violation, steps: &[&str], said: Option<&Said<'_>>) -> Unread {
    let path = steps.get(1..).unwrap_or_default().join("/");
    let inside = path.split_once('/').map_or("", |it| it.1);
    let place = said.and_then(|it| it.place_of(violation, inside));
    Unread { place, ..Unread::new(format!("{}: {}", short_path(&path), violation.what)) }
}

/// What the schemas say against an envelope. They say nothing of calls, and of content that is encoded.
pub(super) fn violations(
    description: &Description,
    style: Style,
    envelope: &str,
) -> Vec<Violation> {
    if style != Style::DocumentLiteral {
        return Vec::new();
    }
    let validation = description.schemas().validate(envelope.as_bytes(), &Limits::default());
    // What could not be checked is no fault of the message.
    let is_of_message = |it: &Violation| !matches!(it.rule, "limit" | "schema");
    validation.violations.into_iter().filter(is_of_message).collect()
}

/// What the facets say against a message that no schema declares as it is.
pub(super) fn unfit(style: Style, record: &Record, said: Option<&Said<'_>>) -> Option<Unread> {
    if style == Style::DocumentLiteral {
        return None;
    }
    let checks = Checks::new(record.message_layout()).ok()?;
    let unfit = checks.check(record).err()?;
    let place = said.and_then(|it| it.place_of_field(unfit.path()));
    Some(Unread { place, ..Unread::new(&unfit) })
}

fn told(violations: &[Violation], one: impl Fn(&Violation) -> String) -> Option<String> {
    let all: Vec<String> = violations.iter().take(TOLD).map(one).collect();
    let more = violations.len().saturating_sub(TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!all.is_empty()).then(|| format!("{}{more}", all.join("; ")))
}

/// Where documents are missing, what seems wrong may be right by them.
fn rejected(description: &Description, wrong: String) -> Result<(), Fault> {
    match description.missing().is_empty() {
        true => Err(Fault::new(format!("{wrong} (--unchecked sends it)"))),
        false => {
            remark(&format!("not valid by the documents that were read: {wrong}"));
            Ok(())
        }
    }
}
