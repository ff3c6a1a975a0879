//! Answers by what a message says: rules in a file of TOML, of which the first that fits is taken.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use trunkline_fix::{Draft, Message, Outbox, Refusal};

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
    message_type: String,
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

impl Answers {
    pub(super) fn read(names: &Names, path: &Path) -> Result<Self, Fault> {
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
            let ready = ready(names, rule);
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
        message.message_type() == self.message_type.as_bytes()
            && self.conditions.iter().all(holds)
            && self.left.as_ref().is_none_or(|left| {
                let one_less = |it: u64| it.checked_sub(1);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
            })
    }
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
                Template::read(names, line.as_bytes()).map_err(|why| format!("send: {why}"))
            };
            Does::Send(lines.iter().map(read).collect::<Result<_, _>>()?)
        }
        (None, Some(text)) => Does::Reject { reason: rule.reason.unwrap_or(OTHER), text },
        _ => return Err("it has either `send` or `reject`".to_owned()),
    };
    Ok(Ready {
        message_type: names.message_type(&rule.to)?,
        conditions,
        left: rule.times.map(AtomicU64::new),
        does,
    })
}
