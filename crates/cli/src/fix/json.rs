//! A message as an object of JSON: fields in order, with lists for groups.

use std::borrow::Cow;
use std::collections::HashSet;

use trunkline_codec::json::{Value, Values};
use trunkline_wire::{Date, Decimal, Time, Timestamp};

use super::names::Names;
use super::template::Pair;
use crate::input::limits;

/// A member of an object. The order in which they stand, that of the fields in a group, matters.
pub(super) type Member<'a> = (Cow<'a, str>, Value<'a>);

/// Reads the one object of a line.
pub(super) fn members(line: &[u8]) -> Result<Vec<Member<'_>>, String> {
    let mut values = Values::new(line, &limits()).map_err(|error| error.to_string())?;
    let value = values.next().ok_or("it is empty")?.map_err(|error| error.to_string())?;
    match (value, values.next()) {
        (Value::Object(members), None) => Ok(members),
        (Value::Object(_), Some(_)) => Err("behind the object stands more".to_owned()),
        _ => Err("it is no object of fields".to_owned()),
    }
}

/// The members of a message that stands in an object by its name, `{"NewOrderSingle": {...}}`.
pub(super) fn of_named<'a, 'b>(members: &'a [Member<'b>]) -> Option<&'a [Member<'b>]> {
    match members {
        [(_, Value::Object(inside))] => Some(inside),
        _ => None,
    }
}

/// The fields of an object, each group behind its count: it has them beside MsgType, or in an object by the name of the
/// message, as `convert` writes it.
pub(super) fn flat(names: &Names, mut members: Vec<Member<'_>>) -> Result<Vec<Pair>, String> {
    let mut pairs = Vec::new();
    let is_named = of_named(&members).is_some();
    if let Some((name, Value::Object(inside))) = members.pop_if(|_| is_named) {
        let value = names.message_type(&name)?.into_bytes();
        pairs.push(Pair { tag: 35, name: name.into_owned(), value });
        members = inside;
    }
    flatten(names, members, &mut pairs)?;
    Ok(pairs)
}

fn flatten(names: &Names, members: Vec<Member<'_>>, pairs: &mut Vec<Pair>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for (name, value) in members {
        let value = match value {
            Value::Object(inside) if names.is_component(&name) => {
                flatten(names, inside, pairs)?;
                continue;
            }
            value => value,
        };
        let tag = names.tag(&name)?;
        if !seen.insert(tag) {
            return Err(format!("{name} stands twice"));
        }
        let (value, entries) = match value {
            // As if it were not there.
            Value::Null => continue,
            Value::Boolean(is) => (if is { "Y" } else { "N" }.to_owned(), Vec::new()),
            Value::Number(number) => (digits(&name, number)?, Vec::new()),
            Value::Text(text) => (as_fix(names, tag, text.into_owned()), Vec::new()),
            // Of several values in one field.
            Value::Array(items) if matches!(items.first(), Some(Value::Text(_))) => {
                (several(names, tag, &items, &name)?, Vec::new())
            }
            Value::Array(entries) => (entries.len().to_string(), entries),
            Value::Object(_) => {
                return Err(format!(
                    "{name}: an object stands in a group alone, {{\"NoPartyIDs\": [{{\"PartyID\": \"x\"}}]}}"
                ));
            }
        };
        pairs.push(Pair { tag, value: value.into_bytes(), name: name.to_string() });
        for entry in entries {
            let Value::Object(members) = entry else {
                return Err(format!("{name}: an entry of a group is an object of fields"));
            };
            flatten(names, members, pairs)?;
        }
    }
    Ok(())
}

/// Values of one field, with blanks between.
fn several(names: &Names, tag: u32, items: &[Value<'_>], name: &str) -> Result<String, String> {
    let code = |item: &Value<'_>| match item {
        Value::Text(text) => Ok(names.code(tag, text).to_owned()),
        _ => Err(format!("{name}: beside a text stands something else")),
    };
    Ok(items.iter().map(code).collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// A time as `convert` writes it, in the form of FIX; other text as it stands.
fn as_fix(names: &Names, tag: u32, text: String) -> String {
    let (mut window, bytes) = ([0; 40], text.as_bytes());
    let type_name = names.type_name(tag).unwrap_or_default().to_ascii_uppercase();
    let length = match &*type_name {
        "UTCTIMESTAMP" | "TIME" => {
            let moment = Timestamp::parse_xml(bytes).ok().filter(|it| it.is_utc());
            moment.map(|it| it.write_fix(&mut window))
        }
        "UTCTIMEONLY" => {
            let time = Time::parse_xml(bytes).ok().filter(|it| it.is_utc());
            time.map(|it| it.write_fix(&mut window))
        }
        "UTCDATEONLY" | "UTCDATE" | "LOCALMKTDATE" | "DATE" => {
            Date::parse_xml(bytes).ok().map(|it| it.write_fix(&mut window))
        }
        _ => None,
    };
    let written = length.map(|length| String::from_utf8_lossy(&window[..length]).into_owned());
    written.unwrap_or(text)
}

/// A number with all of its digits. FIX has no exponents.
fn digits(name: &str, number: &str) -> Result<String, String> {
    if !number.contains(['e', 'E']) {
        return Ok(number.to_owned());
    }
    let plain = Decimal::parse_scientific(number.as_bytes());
    plain.map(|it| it.to_string()).map_err(|why| format!("{name}: {number} {why}"))
}
