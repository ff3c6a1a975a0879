//! Leap seconds, which XML Schema has no form for.

use memchr::memmem;
use trunkline_message::{ErrorKind, Holds, Layout, Record, ScopeId, Value};
use trunkline_wire::Time;

use crate::codec::Format;
use crate::error::Error;

/// Refuses what was written as XML, or in Fast Infoset, with a leap second of the record in it.
///
/// # Errors
/// There is one: in which field.
pub(super) fn reject_leap_second(
    to: Format,
    written: &[u8],
    layout: &Layout,
    record: &Record,
) -> Result<(), Error> {
    let is_by_schema =
        matches!(to, Format::Xml | Format::Soap11 | Format::Soap12 | Format::FastInfoset);
    // There are none in nearly all messages.
    if !is_by_schema || memmem::find(written, b"23:59:60").is_none() {
        return Ok(());
    }
    let Some(path) = leap_second(layout, record, ScopeId(0)) else { return Ok(()) };
    let why = ErrorKind::Unwritable("it is a leap second, which XML Schema has no form for");
    Err(Error::Unwritable(to, trunkline_message::Error::new(why, 0).within(&path)))
}

/// The path of the first field that holds one.
fn leap_second(layout: &Layout, record: &Record, scope: ScopeId) -> Option<String> {
    let is_leap = |time: Time| time.second() == 60;
    let scope = layout.scope(scope);
    scope.fields.iter().enumerate().find_map(|(index, field)| {
        let path = scope.path(index);
        match (record.value(index)?, field.holds) {
            (Value::Time(time), _) => is_leap(*time).then_some(path),
            (Value::Timestamp(it), _) => is_leap(it.time()).then_some(path),
            (Value::Struct(inner), Holds::Struct(inside)) => {
                Some(format!("{path}/{}", leap_second(layout, inner, inside)?))
            }
            (Value::Group(group), Holds::Group(inside)) => {
                let mut entries = group.entries().iter().enumerate();
                entries.find_map(|(at, entry)| {
                    Some(format!("{path}[{at}]/{}", leap_second(layout, entry, inside)?))
                })
            }
            _ => None,
        }
    })
}
