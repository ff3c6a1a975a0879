//! Answers by what a request says: rules in a file of TOML, of which the first that fits is taken.

mod asked;
mod condition;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use trunkline_codec::json;
use trunkline_codec::xml::is_ncname;
use trunkline_experiment::link::parse_delay;
use trunkline_import::wsdl::{Binding, Description, Operation};
use trunkline_message::Record;
use trunkline_session::soap::Fault as SoapFault;
use trunkline_soap::{Encoder, FaultCode, Fragment, Plan, QName, Version};

use crate::fault::Fault;
use crate::output::remark;
use crate::soap::content::{Form, Given, Said, Unread, from_file, from_json, given, of_file};
use crate::soap::place::{self, Counted, Placed};
use condition::Condition;

/// What the file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    answer: Vec<Rule>,
}

/// An answer to an operation, and when it is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    operation: String,
    /// Paths of the request, and the values that they must have.
    #[serde(default)]
    when: BTreeMap<String, toml::Value>,
    /// How often it is given; without end if it is not said.
    times: Option<u64>,
    delay: Option<String>,
    response: Option<toml::Value>,
    /// A file of JSON or XML with the response.
    file: Option<PathBuf>,
    fault: Option<WrittenFault>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFault {
    /// `sender` or `receiver`, or as SOAP 1.1 has them, with more behind a dot: `Server.Busy`.
    #[serde(default)]
    code: Code,
    /// What the code says more closely, `{urn:orders}Closed`; in SOAP 1.1 it stands in place of the code.
    subcode: Option<String>,
    reason: String,
    /// Which fault of the WSDL the detail is of, if that is a table and there are several.
    name: Option<String>,
    /// An element of XML, or what is in that of the WSDL.
    detail: Option<toml::Value>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Code {
    code: FaultCode,
    /// With what is behind the dot.
    extended: Option<QName>,
}

impl Default for Code {
    fn default() -> Self {
        Self { code: FaultCode::Receiver, extended: None }
    }
}

impl TryFrom<String> for Code {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
        let (word, behind) = match text.split_once('.') {
            Some((word, behind)) => (word, Some(behind)),
            None => (&*text, None),
        };
        let code = match &*word.to_ascii_lowercase() {
            "sender" | "client" => FaultCode::Sender,
            "receiver" | "server" => FaultCode::Receiver,
            _ => return Err(format!("unknown code `{text}`, expected `sender` or `receiver`")),
        };
        let name = |it: &str| format!("{}.{it}", code.name(Version::Soap11));
        let is_name = |it: &str| it.split('.').all(is_ncname);
        match behind {
            Some(behind) if !is_name(behind) => Err(format!("`{text}`: {behind:?} is no name")),
            _ => Ok(Self { code, extended: behind.map(|it| QName::new(SOAP11, name(it))) }),
        }
    }
}

/// The rules of a file.
#[derive(Debug, Default)]
pub(super) struct Script {
    path: PathBuf,
    text: String,
    /// Where in the text everything stands.
    placed: Option<Placed>,
    rules: Vec<Rule>,
}

/// The operation that rules may be for, with its binding and with its names in files.
pub(super) type Called<'a> = (&'a Binding, &'a Operation, [&'a str; 2]);

impl Script {
    pub(super) fn read(path: &Path) -> Result<Self, Fault> {
        let text = fs::read_to_string(path).map_err(|cause| of_file(path, &cause))?;
        let placed = |error: toml::de::Error| {
            let place = error.span().map(|it| place::of_byte(&text, it.start));
            let hint = error.span().and_then(|it| beyond(&text, it)).unwrap_or_default();
            let what = Unread { place, ..Unread::new(format!("{}{hint}", error.message())) };
            Fault::new(what.of(&path.display().to_string()))
        };
        let written: Written = toml::from_str(&text).map_err(placed)?;
        let whole = {
            let table = DeTable::parse(&text).map_err(placed)?;
            Placed::of_toml(&Spanned::new(table.span(), DeValue::Table(table.into_inner())))
        };
        Ok(Self { path: path.to_owned(), placed: Some(whole), rules: written.answer, text })
    }

    /// The folder of what the rules name.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The operations that rules are for, behind their places.
    pub(super) fn operations(&self) -> impl Iterator<Item = (String, &str)> {
        self.rules.iter().enumerate().map(|(index, rule)| {
            let (line, column) = self.place(index, "operation").unwrap_or((1, 1));
            (format!("{}:{line}:{column}", self.path.display()), &*rule.operation)
        })
    }

    /// The value at a path of a rule.
    fn at(&self, rule: usize, path: &str) -> Option<&Placed> {
        let path = format!("answer[{rule}]/{path}");
        Some(self.placed.as_ref()?.at(&path, Counted::FromZero))
    }

    /// Where that stands: the line and the character.
    fn place(&self, rule: usize, path: &str) -> Option<(usize, usize)> {
        self.at(rule, path).map(|it| place::of_byte(&self.text, it.bytes.start))
    }

    /// The rules of an operation, ready to be asked.
    pub(super) fn of(
        &self,
        description: &Description,
        called: Called<'_>,
        request: &Form,
        response: Option<&Form>,
    ) -> Result<Rules, Fault> {
        let mut rules = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            if !called.2.contains(&&*rule.operation) {
                continue;
            }
            let wrong = |why: Unread| {
                let what = format!("answer {}, to {}: {}", index + 1, rule.operation, why.what);
                Fault::new(Unread { what, ..why }.of(&self.path.display().to_string()))
            };
            let at = |path: String, what: String| {
                wrong(Unread { place: self.place(index, &path), ..Unread::new(what) })
            };
            let when = self.at(index, "when");
            let conditions = rule.when.iter().map(|(path, value)| {
                let text = plain_of(value, when.and_then(|it| it.member(path)));
                let condition = Condition::new(request, path, (value, text));
                condition.map_err(|why| at(format!("when/{path}"), format!("when: {why}")))
            });
            let delay = rule.delay.as_deref().map(parse_delay).transpose();
            rules.push(Ready {
                conditions: conditions.collect::<Result<_, _>>()?,
                left: rule.times.map(AtomicU64::new),
                delay: delay
                    .map_err(|why| at("delay".to_owned(), format!("delay: {why}")))?
                    .unwrap_or_default(),
                outcome: self.outcome(description, called, index, response).map_err(wrong)?,
            });
        }
        let reads = rules.iter().any(|it| !it.conditions.is_empty());
        let plan = reads.then(|| asked::plan(request)).transpose();
        Ok(Rules { rules, plan: plan.map_err(|error| Fault::new(error.to_string()))? })
    }

    fn outcome(
        &self,
        description: &Description,
        called: Called<'_>,
        index: usize,
        response: Option<&Form>,
    ) -> Result<Option<Outcome>, Unread> {
        let rule = &self.rules[index];
        let Rule { response: inline, file, fault, .. } = rule;
        let wrong = |path: &str, what: String| Unread {
            place: self.place(index, path),
            ..Unread::new(what)
        };
        if [inline.is_some(), file.is_some(), fault.is_some()].iter().filter(|it| **it).count() > 1
        {
            let what = "it has more than one of response, file and fault";
            return Err(wrong("", what.to_owned()));
        }
        if let Some(fault) = fault {
            let detail = self.at(index, "fault/detail");
            let made = made(description, called, (fault, detail));
            let made = made.map_err(|why| wrong(&format!("fault/{}", why.path), why.what))?;
            return Ok(Some(Outcome::Fault(made)));
        }
        let given = match (inline, file, response) {
            (None, None, _) => return Ok(None),
            (_, _, None) => {
                let path = if file.is_some() { "file" } else { "response" };
                return Err(wrong(path, "the operation is not answered".to_owned()));
            }
            (Some(inline), _, Some(form)) => {
                let read =
                    from_json(&json_of(inline, self.at(index, "response")), &form.0, response);
                let path = |it: &Unread| format!("response/{}", it.path);
                let record = read.map_err(|it| wrong(&path(&it), it.what))?;
                match self.at(index, "response") {
                    Some(placed) => {
                        given(description, form, record, &Said::Toml(&self.text, placed))?
                    }
                    None => Given { record, invalid: None },
                }
            }
            (None, Some(file), Some(form)) => {
                let read = from_file(description, &self.folder().join(file), form);
                read.map_err(|it| wrong("file", it.to_string()))?
            }
        };
        if let Some(why) = given.invalid {
            let what =
                format!("an answer to {} is served, and not valid: {}", rule.operation, why.what);
            let place = if file.is_some() { self.place(index, "file") } else { why.place };
            remark(&Unread { what, place, ..why }.of(&self.path.display().to_string()));
        }
        Ok(Some(Outcome::Response(Box::new(given.record))))
    }
}

/// What to do where a whole number stands in TOML that is beyond what that has.
fn beyond(text: &str, place: Range<usize>) -> Option<String> {
    let (before, number) = (text.get(..place.start)?, text.get(place)?);
    let is_number = number.len() > 18 && number.bytes().all(|it| it.is_ascii_digit());
    let name = before.trim_end().strip_suffix('=')?.trim_end();
    let name = name.rsplit([' ', '{', ',', '\n']).next()?;
    is_number.then(|| format!("; {name}: write it as a text, \"{number}\""))
}

/// The fault, with a detail of XML or of the description's. The path of an error is that in the fault.
fn made(
    description: &Description,
    (bound, operation, _): Called<'_>,
    (written, placed): (&WrittenFault, Option<&Placed>),
) -> Result<SoapFault, Unread> {
    let mut fault = SoapFault::new(written.code.code, written.reason.clone());
    fault.subcodes.extend(written.code.extended.clone());
    if let Some(subcode) = &written.subcode {
        let name = subcode.strip_prefix('{').and_then(|it| it.split_once('}'));
        let name = name.filter(|it| !it.0.is_empty() && is_ncname(it.1)).ok_or_else(|| {
            let what = format!("fault: subcode: {subcode:?} is not {{NAMESPACE}}NAME");
            Unread { path: "subcode".to_owned(), ..Unread::new(what) }
        })?;
        fault.subcodes.push(QName::new(name.0, name.1));
    }
    let Some(detail) = &written.detail else { return Ok(fault) };
    let wrong = |path: &str, what: String| Unread { path: path.to_owned(), ..Unread::new(what) };
    let text = match detail {
        toml::Value::String(text) => text.clone(),
        detail => {
            let names =
                || operation.faults.iter().map(|it| &*it.name).collect::<Vec<_>>().join(", ");
            let known = match (&written.name, &*operation.faults) {
                (Some(name), all) => all.iter().find(|it| it.name == *name),
                (None, [only]) => Some(only),
                (None, _) => None,
            };
            let known = known
                .ok_or_else(|| wrong("name", format!("fault: say which by `name`: {}", names())))?;
            let described = description.fault(bound, known).map_err(Unread::new)?;
            let described = described
                .ok_or_else(|| wrong("detail", "fault: the WSDL has no detail of it".to_owned()))?;
            let layout = Arc::new(described.layout);
            let record = from_json(&json_of(detail, placed), &layout, None);
            let record = record.map_err(|it| wrong(&format!("detail/{}", it.path), it.what))?;
            let encoded = |error| wrong("detail", format!("{error}"));
            let plan = Plan::new(&layout, &described.options).map_err(encoded)?;
            let mut encoder = Encoder::new(&plan);
            String::from_utf8_lossy(encoder.encode(&record).map_err(encoded)?).into_owned()
        }
    };
    let detail = Fragment::parse(&text);
    let detail = detail.map_err(|error| wrong("detail", format!("fault: detail: {error}")))?;
    fault.detail.push(detail);
    Ok(fault)
}

/// What TOML says, in JSON, with the digits of its numbers as they were written there.
fn json_of(value: &toml::Value, placed: Option<&Placed>) -> String {
    let text = |it: &str| serde_json::Value::from(it).to_string();
    match value {
        toml::Value::Integer(_) | toml::Value::Boolean(_) => value.to_string(),
        toml::Value::Float(_) => match plain_of(value, placed) {
            digits if digits.ends_with(|it: char| it.is_ascii_digit()) => digits,
            // Not a number, or infinity.
            word => text(&word),
        },
        toml::Value::Array(items) => {
            let placed = placed.and_then(Placed::list).unwrap_or_default();
            let items = items.iter().enumerate();
            let items = items.map(|(index, it)| json_of(it, placed.get(index)));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        toml::Value::Table(members) => {
            let members = members.iter().map(|(name, it)| {
                let placed = placed.and_then(|placed| placed.member(name));
                format!("{}:{}", text(name), json_of(it, placed))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        toml::Value::String(_) | toml::Value::Datetime(_) => text(&plain_of(value, placed)),
    }
}

/// A value that has nothing inside, as a request would say it.
fn plain_of(value: &toml::Value, placed: Option<&Placed>) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Float(number) if number.is_nan() => "NaN".to_owned(),
        toml::Value::Float(number) if number.is_infinite() => {
            if *number > 0.0 { "INF" } else { "-INF" }.to_owned()
        }
        toml::Value::Float(number) => {
            let digits = placed.and_then(Placed::number).filter(|it| !it.contains(['e', 'E']));
            digits.map_or_else(|| number.to_string(), |it| it.trim_start_matches('+').to_owned())
        }
        other => other.to_string(),
    }
}

/// What a rule answers.
enum Outcome {
    Response(Box<Record>),
    Fault(SoapFault),
}

struct Ready {
    conditions: Vec<Condition>,
    left: Option<AtomicU64>,
    delay: Duration,
    /// None is what would be answered without it.
    outcome: Option<Outcome>,
}

/// The rules of an operation.
#[derive(Default)]
pub(super) struct Rules {
    rules: Vec<Ready>,
    /// Of requests as JSON, if a rule looks into them.
    plan: Option<Arc<json::Plan>>,
}

impl Rules {
    /// Does answering ever wait?
    pub(super) fn wait(&self) -> bool {
        self.rules.iter().any(|it| !it.delay.is_zero())
    }

    /// What the first rule that fits answers, after its delay; none if none does, or it leaves the answer as it is.
    pub(super) fn answer(&self, request: &Record) -> Result<Option<&Record>, SoapFault> {
        let said = match &self.plan {
            Some(plan) => {
                asked::said(plan, request).map_err(|it| SoapFault::receiver(it.to_string()))?
            }
            None => String::new(),
        };
        let placed = Placed::of_json(&said, 0);
        let taken = |it: &AtomicU64| {
            it.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
        };
        let fits = |it: &&Ready| {
            it.conditions.iter().all(|it| it.holds(&said, &placed))
                && it.left.as_ref().is_none_or(taken)
        };
        let Some(rule) = self.rules.iter().find(fits) else { return Ok(None) };
        thread::sleep(rule.delay);
        match &rule.outcome {
            None => Ok(None),
            Some(Outcome::Response(response)) => Ok(Some(&**response)),
            Some(Outcome::Fault(fault)) => Err(fault.clone()),
        }
    }
}
