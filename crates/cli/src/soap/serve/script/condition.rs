//! What a request must say, such as `legs[0].symbol = "IBM"`.

use serde_json::Value;
use trunkline_import::nearest;
use trunkline_message::{Field, Layout, ScopeId, Shape};

/// A path of a request as JSON, and the value that it must have there.
pub(super) struct Condition {
    steps: Vec<Step>,
    value: toml::Value,
}

struct Step {
    name: String,
    /// Which item of a list; any of them if it is not said.
    index: Option<usize>,
}

impl Condition {
    /// Says what is wrong with a path that no request has.
    pub(super) fn new(layout: &Layout, path: &str, value: &toml::Value) -> Result<Self, String> {
        if matches!(value, toml::Value::Array(_) | toml::Value::Table(_)) {
            return Err(format!("{path}: it is compared with one value, and not with {value}"));
        }
        let step = |text: &str| {
            let (name, index) = match text.strip_suffix(']').and_then(|it| it.split_once('[')) {
                Some((name, index)) => (name, Some(index.parse().ok()?)),
                None => (text, None),
            };
            Some(Step { name: name.to_owned(), index })
        };
        let steps: Option<Vec<Step>> = path.split('.').map(step).collect();
        let steps = steps.ok_or_else(|| format!("{path}: a step is a name, or name[0]"))?;
        check(layout, path, &steps)?;
        Ok(Self { steps, value: value.clone() })
    }

    pub(super) fn holds(&self, request: &Value) -> bool {
        self.holds_at(request, &self.steps)
    }

    fn holds_at(&self, at: &Value, steps: &[Step]) -> bool {
        match (at, steps) {
            // Of lists, one is enough.
            (Value::Array(items), _) => items.iter().any(|it| self.holds_at(it, steps)),
            (Value::Object(members), [Step { name, index }, rest @ ..]) => {
                match (members.get(name), index) {
                    (Some(Value::Array(items)), Some(index)) => {
                        items.get(*index).is_some_and(|it| self.holds_at(it, rest))
                    }
                    (Some(inner), _) => self.holds_at(inner, rest),
                    (None, _) => false,
                }
            }
            (value, []) => is_same(value, &self.value),
            (_, _) => false,
        }
    }
}

/// Numbers are the same however they are written.
fn is_same(value: &Value, wanted: &toml::Value) -> bool {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return false,
    };
    let (wanted, is_number) = match wanted {
        toml::Value::String(text) => (text.clone(), false),
        toml::Value::Float(_) | toml::Value::Integer(_) => (wanted.to_string(), true),
        other => (other.to_string(), false),
    };
    let number = |text: &str| text.parse::<f64>().ok();
    value == wanted || is_number && number(&value).is_some_and(|it| Some(it) == number(&wanted))
}

/// Leads the path to one value?
fn check(layout: &Layout, path: &str, steps: &[Step]) -> Result<(), String> {
    let (mut scope, mut component) = (Some(ScopeId(0)), None);
    for Step { name, .. } in steps {
        let Some(id) = scope else {
            return Err(format!("{path}: {name} is behind a value, which has nothing inside"));
        };
        let inside = layout.scope(id);
        let mut components = inside.components.iter().enumerate();
        let found = components.find(|(_, it)| it.parent == component && *it.name == **name);
        if let Some((index, _)) = found {
            component = Some(index as u16);
            continue;
        }
        let fields = || inside.fields.iter().filter(|it| it.component == component);
        let Some(field) = fields().find(|it| *it.name == **name) else {
            let components = inside.components.iter().filter(|it| it.parent == component);
            let names: Vec<&str> =
                components.map(|it| &*it.name).chain(fields().map(|it| &*it.name)).collect();
            let meant = nearest(name, names.iter().copied());
            let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
            return Err(format!(
                "{path}: there is no {name}; there is {}{meant}",
                names.join(", ")
            ));
        };
        (scope, component) = (inner(layout, field), None);
    }
    match scope {
        None => Ok(()),
        Some(_) => Err(format!("{path}: it is no value, but has more inside")),
    }
}

/// What describes the inside of a field, or of the items of a list.
fn inner(layout: &Layout, field: &Field) -> Option<ScopeId> {
    let scope = field.holds.scope()?;
    match layout.scope(scope).shape {
        Shape::Item => inner(layout, &layout.scope(scope).fields[0]),
        Shape::Struct | Shape::Choice => Some(scope),
    }
}
