//! Data stand behind a field that says how many bytes they have, which may be any bytes (FIX 5.0 SP2, fields of type `data`).

use trunkline_wire::Integer as _;

use crate::message::{Field, Message};
use crate::reject::{Reason, Refused};
use crate::tags;

/// Checks that all data of a message stand behind their lengths, and have these. Fields without a value are left to others.
pub(super) fn check(message: Message<'_>) -> Result<(), Refused> {
    let mut before: Option<&Field> = None;
    let mut fields = message.fields().iter().peekable();
    while let Some(field) = fields.next() {
        if tags::is_of_data(field.tag) {
            pair(message, before, field, fields.peek().copied())?;
        }
        before = Some(field);
    }
    Ok(())
}

/// Checks data or a length by the fields before and behind it.
fn pair(
    message: Message<'_>,
    before: Option<&Field>,
    field: &Field,
    behind: Option<&Field>,
) -> Result<(), Refused> {
    let stated = |it: &Field| u64::parse(message.value(it)).ok();
    let Some(length) = tags::length_of_data(field.tag) else {
        let is_behind = behind.is_some_and(|it| tags::length_of_data(it.tag) == Some(field.tag));
        // No data may be left out; that a length is a number is for its format to say.
        return match tags::data_of_length(field.tag) {
            Some(data) if !is_behind && stated(field).is_some_and(|it| it > 0) => {
                Err(Refused::at(Reason::RequiredTagMissing, data))
            }
            _ => Ok(()),
        };
    };
    let Some(before) = before.filter(|it| it.tag == length) else {
        return Err(Refused::at(Reason::RequiredTagMissing, length));
    };
    let counted = message.value(field).len();
    if message.value(before).is_empty() || stated(before) == Some(counted as u64) {
        return Ok(());
    }
    let bytes = if counted == 1 { "byte" } else { "bytes" };
    let text =
        format!("{}: {} has {counted} {bytes}", Reason::IncorrectDataFormat.words(), field.tag);
    let refused = Refused::at(Reason::IncorrectDataFormat, length);
    Err(Refused { text: Some(text.into()), ..refused })
}
