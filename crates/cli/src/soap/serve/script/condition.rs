//! What a request must say, such as `legs[0].symbol = "IBM"`.

use trunkline_import::nearest;
use trunkline_message::{Field, Holds, Kind, Layout, ScopeId, Shape, Value};

use crate::soap::content::Form;
use crate::soap::members::Request;
use crate::soap::place::Placed;

/// A path of a request as JSON, and the value that it must have there.
pub(super) struct Condition {
    steps: Vec<Step>,
    /// The value, as a request would say it.
    wanted: String,
    is_number: bool,
    /// What the request is, and which of its fields the path leads to.
    form: Form,
    field: (ScopeId, usize),
}

struct Step {
    name: String,
    /// Which item of a list; any of them if it is not said.
    index: Option<usize>,
}

impl Condition {
    /// Says what is wrong with a path that no request has, or a value that it never has there.
    pub(super) fn new(
        form: &Form,
        path: &str,
        (value, wanted): (&toml::Value, String),
    ) -> Result<Self, String> {
        let layout = &*form.0;
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
        let field = check(layout, path, &steps)?;
        let is_number = matches!(value, toml::Value::Float(_) | toml::Value::Integer(_));
        // A whole number may be the value of what has no others.
        let is_whole = |it: &str| it.bytes().all(|it| it == b'0');
        let wanted = match wanted.split_once('.') {
            Some((whole, fraction)) if is_number && is_whole(fraction) => whole.to_owned(),
            _ => wanted,
        };
        let kind = layout.scope(field.0).fields[field.1].holds.kind();
        if kind != Some(Kind::Any) {
            let checked = Request::new(form).check(field, &wanted);
            checked
                .map_err(|takes| format!("{path}: no request has {wanted:?}: it takes {takes}"))?;
        }
        Ok(Self { steps, wanted, is_number, form: form.clone(), field })
    }

    /// Holds it for a request in JSON?
    pub(super) fn holds(&self, text: &str, request: &Placed) -> bool {
        self.holds_at(text, request, &self.steps)
    }

    fn holds_at(&self, text: &str, at: &Placed, steps: &[Step]) -> bool {
        // Of lists, one is enough.
        if let Some(items) = at.list() {
            return items.iter().any(|it| self.holds_at(text, it, steps));
        }
        let [Step { name, index }, rest @ ..] = steps else {
            return self.is_same(&text[at.bytes.clone()]);
        };
        let Some(inner) = at.member(name) else { return false };
        match (inner.list(), index) {
            (Some(items), Some(index)) => {
                items.get(*index).is_some_and(|it| self.holds_at(text, it, rest))
            }
            _ => self.holds_at(text, inner, rest),
        }
    }

    /// Is this text of JSON the value that is wanted, however both are written?
    fn is_same(&self, json: &str) -> bool {
        let value = match json.starts_with('"') {
            true => serde_json::from_str::<String>(json).unwrap_or_default(),
            false if json == "null" || json.starts_with('{') => return false,
            false => json.to_owned(),
        };
        let request = Request::new(&self.form);
        match [&value, &self.wanted].map(|it| request.value(self.field, it)) {
            _ if value == self.wanted => true,
            // In a text, numbers are the same however they are written.
            [Some(Value::Text(_)), _] if self.is_number => {
                let number = |text: &str| text.parse::<f64>().ok();
                number(&value).is_some() && number(&value) == number(&self.wanted)
            }
            [Some(value), Some(wanted)] => value == wanted,
            _ => false,
        }
    }
}

/// Leads the path to one value? Gives the field that has it.
fn check(layout: &Layout, path: &str, steps: &[Step]) -> Result<(ScopeId, usize), String> {
    let (mut scope, mut component) = (Some(ScopeId(0)), None);
    let mut found_field = None;
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
        let is_it = |it: &Field| it.component == component && *it.name == **name;
        let Some(index) = inside.fields.iter().position(is_it) else {
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
        (scope, component) = (inner(layout, &inside.fields[index]), None);
        found_field = Some((id, index));
    }
    match (scope, found_field) {
        (None, Some(field)) => Ok(value_at(layout, field)),
        _ => Err(format!("{path}: it is no value, but has more inside")),
    }
}

/// The field that has a value: that, or where it is a list, the one of its items.
fn value_at(layout: &Layout, (id, index): (ScopeId, usize)) -> (ScopeId, usize) {
    match layout.scope(id).fields[index].holds {
        Holds::Group(inner) => value_at(layout, (inner, 0)),
        _ => (id, index),
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
