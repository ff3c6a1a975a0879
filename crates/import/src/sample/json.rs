//! Samples of JSON.

use trunkline_codec::json::{Value, Values};

use super::node::{Name, Node, Slot};
use super::{line_and_column, place};
use crate::{Limits, Problem};

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
    let of_reader = trunkline_message::Limits {
        message_bytes: limits.document_bytes,
        depth: limits.depth,
        ..trunkline_message::Limits::default()
    };
    let wrong = |error: trunkline_message::Error| {
        let (line, column) = line_and_column(bytes, error.offset());
        let what = format!("JSON: {}", error.kind());
        Problem::new(&place(file, line, column), what, "mend the sample")
    };
    let mut found = Vec::new();
    for value in Values::new(bytes, &of_reader).map_err(wrong)? {
        let value = value.map_err(wrong)?;
        match value {
            Value::Array(all) => found.extend(all),
            one => found.push(one),
        }
    }
    let message = |value: Value<'_>| match value {
        Value::Object(mut members) if members.len() == 1 && is_object(&members[0].1) => {
            let (name, value) = members.remove(0);
            Ok((named(&name), node_of(value)))
        }
        value @ Value::Object(_) => Ok((named(name), node_of(value))),
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

fn is_object(value: &Value<'_>) -> bool {
    matches!(value, Value::Object(_))
}

/// What stands at a place.
fn node_of(value: Value<'_>) -> Node {
    let mut node = Node { count: 1, ..Node::default() };
    match value {
        Value::Null => node.count = 0,
        Value::Boolean(value) => node.values.add(if value { "true" } else { "false" }),
        Value::Number(digits) => node.values.add(digits),
        Value::Text(text) => node.values.add_quoted(&text),
        Value::Array(items) => {
            let mut all = Node::default();
            items.into_iter().for_each(|it| all.merge(node_of(it)));
            node.items = Some(Box::new(all));
        }
        Value::Object(members) => {
            node.structs = 1;
            for (name, value) in members {
                let nils = usize::from(matches!(value, Value::Null));
                let (name, inner) = (named(&name), node_of(value));
                // Of two members of one name the last counts, as readers have it.
                node.slots.retain(|it: &Slot| it.name != name);
                node.slots.push(Slot { name, node: inner, around: 1, most: 1, nils });
            }
        }
    }
    node
}
