//! Messages that are held against the schemas of a description before they go anywhere: facets, values that are fixed, where nil
//! may stand, and whatever else no layout holds.

use trunkline_import::Limits;
use trunkline_import::wsdl::Description;
use trunkline_import::xsd::Violation;
use trunkline_message::{Checks, Message as _, Record};
use trunkline_soap::{Options, Style};

use super::Called;
use super::content::{Enveloped, Unread};
use crate::fault::Fault;
use crate::output::remark;

/// As many are told of what is wrong.
const TOLD: usize = 3;

/// Rejects a request that was made from keys and values.
pub(super) fn check(called: &Called, envelope: &str) -> Result<(), Fault> {
    let Some(description) = &called.description else { return Ok(()) };
    let violations = violations(description, called.binding.style, envelope);
    let Some(wrong) = told(&violations, |it| {
        // As keys have it: without the envelope, and without the element in the Body unless that is meant.
        let steps: Vec<&str> = it.path.split('/').skip(2).collect();
        let key = match &*steps {
            ["Header", inside @ ..] => format!("--header {}", inside.join("/")),
            [_, body] => (*body).to_owned(),
            [_, _, inside @ ..] => inside.join("."),
            _ => called.name.clone(),
        };
        format!("{key}: {}", it.what)
    }) else {
        return Ok(());
    };
    rejected(description, wrong)
}

/// Rejects a request that was said as a whole; `said` is the text of it if that is XML.
pub(super) fn check_body(
    called: &Called,
    envelope: &str,
    (name, said): (&str, Option<&Enveloped<'_>>),
    record: &Record,
) -> Result<(), Fault> {
    let Some(description) = &called.description else { return Ok(()) };
    let style = called.binding.style;
    let violations = violations(description, style, envelope);
    let wrong = told(&violations, |it| {
        let place = said.and_then(|said| said.place_of_line((it.line, it.column)));
        let steps: Vec<&str> = it.path.split('/').skip(2).collect();
        match &*steps {
            ["Header", inside @ ..] => format!("--header {}: {}", inside.join("/"), it.what),
            steps => {
                let path = steps.get(1..).unwrap_or_default().join("/");
                Unread { place, what: format!("{path}: {}", it.what) }.of(name)
            }
        }
    });
    match wrong.or_else(|| unfit(style, record).map(|why| format!("{name}: {why}"))) {
        Some(wrong) => rejected(description, wrong),
        None => Ok(()),
    }
}

/// What the description says against a message that is encoded so: one line, if it says anything.
pub(super) fn of_message(
    description: &Description,
    options: &Options,
    (envelope, record): (&str, &Record),
) -> Option<String> {
    let of_style = unfit(options.style, record);
    of_style.or_else(|| told(&violations(description, options.style, envelope), in_body))
}

/// What the schemas say against a request that was read and written again. Its values are of their types, or it could not have
/// been read; how they were written, and what the prefixes in them stand for, is not known any more.
pub(super) fn of_request(description: &Description, envelope: &str) -> Option<String> {
    let mut violations = violations(description, Style::DocumentLiteral, envelope);
    violations.retain(|it| !matches!(it.rule, "cvc-datatype-valid" | "cvc-pattern-valid"));
    told(&violations, in_body)
}

/// With the path in the Body.
fn in_body(violation: &Violation) -> String {
    let path: Vec<&str> = violation.path.split('/').skip(3).collect();
    format!("{}: {}", path.join("/"), violation.what)
}

/// What the schemas say against an envelope. They say nothing of calls, and of content that is encoded.
fn violations(description: &Description, style: Style, envelope: &str) -> Vec<Violation> {
    if style != Style::DocumentLiteral {
        return Vec::new();
    }
    let validation = description.schemas().validate(envelope.as_bytes(), &Limits::default());
    // What could not be checked is no fault of the message.
    let is_of_message = |it: &Violation| !matches!(it.rule, "limit" | "schema");
    validation.violations.into_iter().filter(is_of_message).collect()
}

/// What the facets say against a message that no schema declares as it is.
fn unfit(style: Style, record: &Record) -> Option<String> {
    if style == Style::DocumentLiteral {
        return None;
    }
    let checks = Checks::new(record.message_layout()).ok()?;
    checks.check(record).err().map(|it| it.to_string())
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
