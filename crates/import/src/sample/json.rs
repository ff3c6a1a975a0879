//! Samples of JSON.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::node::{Name, Node, Slot};
use super::place;
use crate::{Limits, Problem};

/// A value, with members in their order.
enum Value {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// The objects in a file, one behind the other, or items of an array. An object of one member that is an object is
/// the message of that name, as `trunkline convert` writes it.
pub(super) fn read(
    file: &str,
    bytes: &[u8],
    name: &str,
    limits: &Limits,
) -> Result<Vec<(Name, Node)>, Problem> {
    if bytes.len() > limits.document_bytes {
        let what = format!("there are more than {} bytes", limits.document_bytes);
        return Err(Problem::new(&place(file, 1, 1), what, "raise the limit `document_bytes`"));
    }
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        let value = value.map_err(|error| {
            let place = place(file, error.line() as u32, error.column() as u32);
            Problem::new(&place, format!("JSON: {error}"), "mend the sample")
        })?;
        match value {
            Value::Array(all) => found.extend(all),
            one => found.push(one),
        }
    }
    let message = |value: Value| match value {
        Value::Object(mut members) if members.len() == 1 && members[0].1.is_object() => {
            let (name, value) = members.remove(0);
            Ok((named(&name), value.node()))
        }
        value @ Value::Object(_) => Ok((named(name), value.node())),
        _ => {
            let what = "a sample is no object";
            Err(Problem::new(&place(file, 1, 1), what, "give objects, or an array of them"))
        }
    };
    found.into_iter().map(message).collect()
}

fn named(name: &str) -> Name {
    Name { namespace: "".into(), local: name.to_owned(), is_attribute: false }
}

impl Value {
    fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    fn node(self) -> Node {
        let mut node = Node { count: 1, ..Node::default() };
        match self {
            Self::Null => node.count = 0,
            Self::Boolean(value) => node.values.add(if value { "true" } else { "false" }),
            Self::Number(text) => node.values.add(&text),
            Self::Text(text) => node.values.add_quoted(&text),
            Self::Array(items) => {
                let mut all = Node::default();
                items.into_iter().for_each(|it| all.merge(it.node()));
                node.items = Some(Box::new(all));
            }
            Self::Object(members) => {
                node.structs = 1;
                for (name, value) in members {
                    let nils = usize::from(matches!(value, Self::Null));
                    let (name, inner) = (named(&name), value.node());
                    // Of two members of one name the last counts, as readers have it.
                    node.slots.retain(|it: &Slot| it.name != name);
                    node.slots.push(Slot { name, node: inner, around: 1, most: 1, nils });
                }
            }
        }
        node
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string()))
    }

    // A number that a decimal does not hold has an exponent.
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        let digits = format!("{value:?}");
        Ok(Value::Number(digits))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(member) = members.next_entry()? {
            all.push(member);
        }
        Ok(Value::Object(all))
    }
}
