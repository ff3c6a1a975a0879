//! Answers by what a message says: rules in a file of TOML, of which the first that fits is taken.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use trunkline_fix::{Draft, Message, Outbox, Reason, Refusal, Refused};
use trunkline_import::fix::{Dictionary, Of, Part};

use super::Common;
use super::names::Names;
use super::template::{Filling, Template};
use crate::fault::Fault;
use crate::output::remark;

/// What the file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    answer: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    to: String,
    #[serde(default)]
    when: BTreeMap<String, toml::Value>,
    times: Option<u64>,
    send: Option<OneOrMany>,
    reject: Option<String>,
    /// BusinessRejectReason (380) of that.
    reason: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// The rules of a file, ready to be asked.
#[derive(Debug, Default)]
pub(super) struct Answers {
    rules: Vec<Ready>,
    count: AtomicU64,
}

#[derive(Debug)]
struct Ready {
    /// None for every message.
    message_type: Option<String>,
    conditions: Vec<(u32, Wanted)>,
    /// How often it may still be given.
    left: Option<AtomicU64>,
    does: Does,
}

/// A value that a field must have.
#[derive(Debug)]
enum Wanted {
    Text(String),
    Number(f64),
}

#[derive(Debug)]
enum Does {
    Send(Vec<Template>),
    Reject { reason: u32, text: String },
}

/// "Other" of BusinessRejectReason (380).
const OTHER: u32 = 0;
const REASON: u32 = 380;
const BUSINESS_REJECT: &str = "j";

/// In place of a message, all that a session gives to the application.
const EVERY: &str = "*";

/// The smallest number of a field that partners agree upon.
const USER: u32 = 5_000;

impl Answers {
    /// Reads a file; what its answers say is held to the dictionary, unless that is not wanted.
    pub(super) fn read(common: &Common, path: &Path, is_unchecked: bool) -> Result<Self, Fault> {
        let file = path.display();
        let text =
            fs::read_to_string(path).map_err(|cause| Fault::new(format!("{file}: {cause}")))?;
        let written: Written = toml::from_str(&text).map_err(|error| {
            let line = error.span().map(|it| 1 + text[..it.start].matches('\n').count());
            let line = line.map(|it| format!(":{it}")).unwrap_or_default();
            Fault::new(format!("{file}{line}: {}", error.message()))
        })?;
        let mut rules = Vec::new();
        for (index, rule) in written.answer.into_iter().enumerate() {
            let (number, to) = (index + 1, rule.to.clone());
            let ready = ready(&common.names, rule).and_then(|it| match is_unchecked {
                true => Ok(it),
                false => checked(common, &it).map(|()| it),
            });
            rules.push(
                ready.map_err(|why| {
                    Fault::new(format!("{file}: answer {number}, to {to}: {why}"))
                })?,
            );
        }
        Ok(Self { rules, count: AtomicU64::new(0) })
    }

    /// Gives the first answer that fits.
    pub(super) fn give(&self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        let Some(rule) = self.rules.iter().find(|it| it.fits(message)) else { return Ok(()) };
        let templates = match &rule.does {
            Does::Send(templates) => templates,
            Does::Reject { reason, text } => {
                return Err(Refusal::Business { reason: *reason, text: text.clone() });
            }
        };
        let fill = |template: &Template| {
            template.fill(&Filling {
                message: Some(message),
                now: outbox.now(),
                version: outbox.settings().identity.version,
                count: self.count.fetch_add(1, Ordering::Relaxed) + 1,
            })
        };
        // Where one of them cannot be, none is sent.
        let drafts: Result<Vec<Draft>, String> = templates.iter().map(fill).collect();
        let send = |it: &Draft| it.send(outbox).map_err(|error| error.to_string());
        let sent = drafts.and_then(|it| it.iter().map(send).collect::<Result<Vec<_>, _>>());
        sent.map(|_| ()).map_err(|why| {
            let number = message.sequence_number().unwrap_or_default();
            let session = &outbox.settings().identity;
            remark(&format!("{session} message {number} is not answered: {why}"));
            Refusal::Business { reason: OTHER, text: why }
        })
    }
}

impl Ready {
    /// Is it for this message, and may still be given? It is given then.
    fn fits(&self, message: Message<'_>) -> bool {
        let holds = |(tag, wanted): &(u32, Wanted)| {
            let value = message.get(*tag).and_then(|it| std::str::from_utf8(it).ok());
            value.is_some_and(|value| match wanted {
                Wanted::Text(text) => value == text,
                Wanted::Number(number) => value.parse() == Ok(*number),
            })
        };
        let of = self.message_type.as_ref();
        of.is_none_or(|of| message.message_type() == of.as_bytes())
            && self.conditions.iter().all(holds)
            && self.left.as_ref().is_none_or(|left| {
                let one_less = |it: u64| it.checked_sub(1);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
            })
    }
}

/// Holds an answer to the dictionary: the values with which it compares, and what it sends, as far as it copies nothing.
fn checked(common: &Common, rule: &Ready) -> Result<(), String> {
    let Some(dictionaries) = &common.dictionaries else { return Ok(()) };
    let held = |draft: &Draft, is_whole: bool| {
        let found = draft.check(dictionaries, common.version, common.application.as_deref());
        match found {
            // A field by itself is of no group, and has no length before it.
            Err(refused) if is_whole || is_of_value(&refused) => {
                Err(common.names.refused(&refused, draft))
            }
            _ => Ok(()),
        }
    };
    let alone = |message_type: &str, tag: u32, value: &str| -> Result<(), String> {
        let mut draft = Draft::new(message_type);
        draft.push(tag, value.as_bytes())?;
        held(&draft, false)
    };
    for (tag, wanted) in &rule.conditions {
        let value = match wanted {
            Wanted::Text(text) => text.clone(),
            Wanted::Number(number) => number.to_string(),
        };
        let of = rule.message_type.as_deref().unwrap_or(BUSINESS_REJECT);
        alone(of, *tag, &value).map_err(|why| format!("when: {why}"))?;
    }
    if let Some(message_type) = &rule.message_type {
        members(common, message_type, std::iter::empty())?;
        let tags = rule.conditions.iter().map(|it| it.0);
        members(common, message_type, tags).map_err(|why| format!("when: {why}"))?;
    }
    match &rule.does {
        Does::Reject { reason, .. } => alone(BUSINESS_REJECT, REASON, &reason.to_string())
            .map_err(|why| format!("reason: {why}")),
        Does::Send(templates) => templates.iter().try_for_each(|template| {
            let drafts = template.known(common.version)?;
            let mut drafts = drafts.iter();
            let held = drafts.try_for_each(|it| held(it, !template.copies()));
            let members = || members(common, template.message_type(), template.tags());
            held.and_then(|()| members()).map_err(|why| format!("send: {why}"))
        }),
    }
}

/// Holds fields to those of a message. User-defined messages and fields, which partners agree upon, and fields that the
/// dictionary does not have at all, are passed over.
fn members(
    common: &Common,
    message_type: &str,
    mut tags: impl Iterator<Item = u32>,
) -> Result<(), String> {
    let Some(dictionary) = &common.dictionary else { return Ok(()) };
    let message = dictionary.messages().iter().find(|it| it.message_type == message_type);
    let Some(message) = message else {
        return match message_type.starts_with('U') {
            true => Ok(()),
            false => {
                Err(format!("the dictionary has no message {message_type}; --unchecked takes it"))
            }
        };
    };
    let parts = [&*message.parts, dictionary.header(), dictionary.trailer()];
    let known = tags_of(dictionary, parts.into_iter().flatten());
    let is_described = |tag: u32| dictionary.fields().iter().any(|it| it.tag == tag);
    match tags.find(|it| !known.contains(it) && *it < USER && is_described(*it)) {
        Some(tag) => {
            Err(format!("{}; --unchecked takes it", common.names.not_of(tag, message_type)))
        }
        None => Ok(()),
    }
}

/// The numbers of all fields in some parts, with those of components and groups.
fn tags_of<'a>(dictionary: &'a Dictionary, parts: impl Iterator<Item = &'a Part>) -> HashSet<u32> {
    let (mut tags, mut seen) = (HashSet::new(), HashSet::new());
    let mut open: Vec<&Part> = parts.collect();
    while let Some(part) = open.pop() {
        // Each once: a component may hold itself.
        let Some(of) = part.of.filter(|it| seen.insert(*it)) else { continue };
        let (field, parts): (Option<usize>, &[Part]) = match of {
            Of::Field(at) => (Some(at), &[]),
            Of::Group(at) => (dictionary.groups()[at].counter, &dictionary.groups()[at].parts),
            Of::Component(at) => (None, &dictionary.components()[at].parts),
        };
        tags.extend(field.map(|at| dictionary.fields()[at].tag));
        open.extend(parts);
    }
    tags
}

/// The MsgType of a message that an application gets or sends.
fn of_application(message_type: &str) -> Result<(), String> {
    match Draft::new(message_type).is_administrative() {
        true => Err(format!(
            "{message_type} is a message of the session, which alone gets and sends it"
        )),
        false => Ok(()),
    }
}

fn is_of_value(refused: &Refused) -> bool {
    matches!(refused.reason, Reason::ValueIsIncorrect | Reason::IncorrectDataFormat)
}

fn ready(names: &Names, rule: Rule) -> Result<Ready, String> {
    let mut conditions = Vec::new();
    for (name, value) in &rule.when {
        let tag = names.tag(name)?;
        let wanted = match value {
            toml::Value::String(text) => Wanted::Text(names.code(tag, text).to_owned()),
            toml::Value::Integer(number) => Wanted::Number(*number as f64),
            toml::Value::Float(number) => Wanted::Number(*number),
            toml::Value::Boolean(is) => Wanted::Text(if *is { "Y" } else { "N" }.to_owned()),
            other => {
                return Err(format!(
                    "when: {name} is compared with one value, and not with {other}"
                ));
            }
        };
        conditions.push((tag, wanted));
    }
    let does = match (rule.send, rule.reject) {
        (Some(send), None) => {
            let lines = match send {
                OneOrMany::One(line) => vec![line],
                OneOrMany::Many(lines) => lines,
            };
            let read = |line: &String| {
                let template = Template::read(names, line.as_bytes());
                let sent = template.and_then(|it| of_application(it.message_type()).map(|()| it));
                sent.map_err(|why| format!("send: {why}"))
            };
            Does::Send(lines.iter().map(read).collect::<Result<_, _>>()?)
        }
        (None, Some(text)) => Does::Reject { reason: rule.reason.unwrap_or(OTHER), text },
        _ => return Err("it has either `send` or `reject`".to_owned()),
    };
    let message_type = match &*rule.to {
        EVERY => None,
        name => Some(names.message_type(name)?),
    };
    message_type.as_deref().map_or(Ok(()), of_application)?;
    Ok(Ready { message_type, conditions, left: rule.times.map(AtomicU64::new), does })
}
