//! Answers by what a request says: rules in a file of TOML, of which the first that fits is taken.

mod condition;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use trunkline_codec::json;
use trunkline_experiment::link::parse_delay;
use trunkline_import::wsdl::{Binding, Description, Operation};
use trunkline_message::{Layout, Record};
use trunkline_session::soap::Fault as SoapFault;
use trunkline_soap::{Encoder, FaultCode, Fragment, Plan};

use super::answer::invalid;
use crate::fault::Fault;
use crate::output::remark;
use crate::soap::content::{Form, from_file, from_json, of_file};
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
    /// `sender` or `receiver`.
    #[serde(default)]
    code: Code,
    reason: String,
    /// Which fault of the WSDL the detail is of, if that is a table and there are several.
    name: Option<String>,
    /// An element of XML, or what is in that of the WSDL.
    detail: Option<toml::Value>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Code {
    Sender,
    #[default]
    Receiver,
}

/// The rules of a file.
#[derive(Debug, Default)]
pub(super) struct Script {
    path: PathBuf,
    rules: Vec<Rule>,
}

impl Script {
    pub(super) fn read(path: &Path) -> Result<Self, Fault> {
        let text = fs::read_to_string(path).map_err(|cause| of_file(path, &cause))?;
        let written: Written = toml::from_str(&text).map_err(|error| {
            let line = error.span().map(|it| 1 + text[..it.start].matches('\n').count());
            let line = line.map(|it| format!(":{it}")).unwrap_or_default();
            Fault::new(format!("{}{line}: {}", path.display(), error.message()))
        })?;
        Ok(Self { path: path.to_owned(), rules: written.answer })
    }

    /// The folder of what the rules name.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The operations that rules are for.
    pub(super) fn operations(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|it| &*it.operation)
    }

    /// The rules of an operation, ready to be asked.
    pub(super) fn of(
        &self,
        description: &Description,
        (bound, operation): (&Binding, &Operation),
        request: &Arc<Layout>,
        response: Option<&Form>,
    ) -> Result<Rules, Fault> {
        let mut rules = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            if rule.operation != operation.name {
                continue;
            }
            let wrong = |why: String| {
                let (path, number) = (self.path.display(), index + 1);
                Fault::new(format!("{path}: answer {number}, to {}: {why}", rule.operation))
            };
            let conditions = rule.when.iter().map(|(path, value)| {
                Condition::new(request, path, value).map_err(|why| wrong(format!("when: {why}")))
            });
            let delay = rule.delay.as_deref().map(parse_delay).transpose();
            rules.push(Ready {
                conditions: conditions.collect::<Result<_, _>>()?,
                left: rule.times.map(AtomicU64::new),
                delay: delay.map_err(|why| wrong(format!("delay: {why}")))?.unwrap_or_default(),
                outcome: self
                    .outcome(description, (bound, operation), rule, response)
                    .map_err(wrong)?,
            });
        }
        let reads = rules.iter().any(|it| !it.conditions.is_empty());
        let plan = reads.then(|| json::Plan::new(request, &json::Options::default())).transpose();
        Ok(Rules { rules, plan: plan.map_err(|error| Fault::new(error.to_string()))? })
    }

    fn outcome(
        &self,
        description: &Description,
        (bound, operation): (&Binding, &Operation),
        rule: &Rule,
        response: Option<&Form>,
    ) -> Result<Option<Outcome>, String> {
        let Rule { response: inline, file, fault, .. } = rule;
        if [inline.is_some(), file.is_some(), fault.is_some()].iter().filter(|it| **it).count() > 1
        {
            return Err("it has more than one of response, file and fault".to_owned());
        }
        if let Some(fault) = fault {
            return made(description, bound, operation, fault).map(|it| Some(Outcome::Fault(it)));
        }
        let answer = match (inline, file, response) {
            (None, None, _) => return Ok(None),
            (_, _, None) => return Err("the operation is not answered".to_owned()),
            (Some(inline), _, Some((layout, _))) => {
                from_json(&json_of(inline).to_string(), layout, response).map_err(|it| it.what)?
            }
            (None, Some(file), Some(message)) => {
                let path = self.folder().join(file);
                from_file(&path, message).map_err(|it| it.to_string())?
            }
        };
        if let Some(Some(why)) = response.map(|it| invalid(description, it, &answer).ok().flatten())
        {
            remark(&format!("an answer to {} is served, and not valid: {why}", rule.operation));
        }
        Ok(Some(Outcome::Response(Box::new(answer))))
    }
}

/// The fault, with a detail of XML or of the description's.
fn made(
    description: &Description,
    bound: &Binding,
    operation: &Operation,
    written: &WrittenFault,
) -> Result<SoapFault, String> {
    let code = match written.code {
        Code::Sender => FaultCode::Sender,
        Code::Receiver => FaultCode::Receiver,
    };
    let mut fault = SoapFault::new(code, written.reason.clone());
    let Some(detail) = &written.detail else { return Ok(fault) };
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
            let known = known.ok_or_else(|| format!("fault: say which by `name`: {}", names()))?;
            let described = description.fault(bound, known).map_err(|it| it.to_string())?;
            let described = described.ok_or("fault: the WSDL has no detail of it")?;
            let layout = Arc::new(described.layout);
            let record = from_json(&json_of(detail).to_string(), &layout, None);
            let record = record.map_err(|it| it.what)?;
            let plan = Plan::new(&layout, &described.options).map_err(|it| it.to_string())?;
            let mut encoder = Encoder::new(&plan);
            let bytes = encoder.encode(&record).map_err(|it| it.to_string())?;
            String::from_utf8_lossy(bytes).into_owned()
        }
    };
    let detail = Fragment::parse(&text).map_err(|error| format!("fault: detail: {error}"))?;
    fault.detail.push(detail);
    Ok(fault)
}

/// What TOML says, in JSON.
fn json_of(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(value) => (*value).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.iter().map(json_of).collect(),
        toml::Value::Table(members) => {
            members.iter().map(|(name, value)| (name.clone(), json_of(value))).collect()
        }
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
                let mut encoder = json::Encoder::new(plan);
                let text =
                    encoder.encode(request).map_err(|it| SoapFault::receiver(it.to_string()))?;
                serde_json::from_slice(text).unwrap_or_default()
            }
            None => serde_json::Value::Null,
        };
        let taken = |it: &AtomicU64| {
            it.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
        };
        let fits = |it: &&Ready| {
            it.conditions.iter().all(|it| it.holds(&said)) && it.left.as_ref().is_none_or(taken)
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
