//! Are the answers right? What a subject encoded is decoded here and compared with what was sent.

use trunkline_message::{Message, Record, Structure, Value};

use crate::experiment::Check;
use crate::format::Codec;
use trunkline_experiment::format::Format;

/// The check that an echo in `format` holds `messages` again, by their values: the number 6.350
/// is 6.35, the bytes may differ. What nobody sent is not to be in it either.
pub(crate) fn check<M: Message + Structure + PartialEq>(
    format: Format,
    messages: &[M],
) -> Check<'_> {
    Box::new(move |echo| {
        let mut codec = Codec::of(format).strict();
        let mut found = M::empty();
        for (index, (bytes, sent)) in echo.iter().zip(messages).enumerate() {
            codec.decode(bytes, &mut found).map_err(|error| format!("message {index}: {error}"))?;
            compare(sent, &found).map_err(|what| format!("message {index}: {what}"))?;
        }
        Ok(())
    })
}

/// Is `found` what was sent? The error is the first field that is not.
pub(crate) fn compare<M: Structure + PartialEq>(sent: &M, found: &M) -> Result<(), String> {
    if found == sent {
        return Ok(());
    }
    let [sent, found] = [sent, found].map(Record::from_message);
    Err(first_difference(&sent, &found))
}

/// As [`compare`], of records.
pub(crate) fn compare_records(sent: &Record, found: &Record) -> Result<(), String> {
    if found == sent {
        return Ok(());
    }
    Err(first_difference(sent, found))
}

fn first_difference(sent: &Record, found: &Record) -> String {
    difference(sent, found).unwrap_or_else(|| "unknown fields were added".into())
}

/// The first field that is not as it was sent, in words.
fn difference(sent: &Record, found: &Record) -> Option<String> {
    sent.scope().fields.iter().enumerate().find_map(|(index, field)| {
        let name = &field.name;
        match (sent.value(index), found.value(index)) {
            (Some(Value::Group(sent)), Some(Value::Group(found))) => {
                let (sent, found) = (sent.entries(), found.entries());
                if sent.len() != found.len() {
                    return Some(format!("{name} has {} entries, not {}", found.len(), sent.len()));
                }
                sent.iter().zip(found).enumerate().find_map(|(entry, (sent, found))| {
                    difference(sent, found).map(|what| format!("{name}[{entry}]/{what}"))
                })
            }
            (sent, found) if sent == found => None,
            (Some(sent), None) => Some(format!("{name} is missing, {} was sent", told(sent))),
            (None, Some(found)) => Some(format!("{name} is {}, none was sent", told(found))),
            (Some(Value::Floats(sent)), Some(Value::Floats(found))) => {
                Some(format!("{name} {}", difference_of_numbers(sent, found)))
            }
            (Some(sent), Some(found)) => {
                Some(format!("{name} is {}, {} was sent", told(found), told(sent)))
            }
            (None, None) => None,
        }
    })
}

/// Where numbers are not those that were sent.
fn difference_of_numbers(sent: &[f64], found: &[f64]) -> String {
    let differs = |(sent, found): (&f64, &f64)| sent.to_bits() != found.to_bits();
    match sent.iter().zip(found).position(differs) {
        Some(at) => format!("{at} is {}, {} was sent", found[at], sent[at]),
        None => format!("has {} numbers, {} were sent", found.len(), sent.len()),
    }
}

/// A value as a reader of messages knows it.
fn told(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Decimal(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Date(value) => value.to_string(),
        Value::Time(value) => value.to_string(),
        Value::Timestamp(value) => value.to_string(),
        Value::Code(value) => value.to_string(),
        Value::Text(value) => format!("{:?}", value.as_str()),
        Value::Bytes(value) => format!("{} bytes", value.len()),
        Value::Any(value) => format!("{value:?}"),
        Value::Single(value) => value.to_string(),
        Value::BigInteger(value) => value.to_string(),
        Value::BigDecimal(value) => value.to_string(),
        Value::Duration(value) => value.to_string(),
        Value::Enumeration(place) => format!("value {place} of the enumeration"),
        Value::Singles(value) => format!("{} numbers", value.len()),
        Value::Integers(value) => format!("{} numbers", value.len()),
        Value::UnsignedIntegers(value) => format!("{} numbers", value.len()),
        Value::Floats(value) => format!("{} numbers", value.len()),
        Value::Group(value) => format!("a list of {}", value.entries().len()),
        Value::Struct(value) => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market_data::messages;
    use crate::trading_day::TradingDay;
    use trunkline_experiment::format::Family;

    #[test]
    fn a_wrong_answer_is_told_by_message_entry_and_field() {
        let day = TradingDay::generated(2004);
        let messages = messages::sample(&day, 3, 64);
        for format in Format::of_family(Family::MarketData) {
            let mut codec = Codec::of(format);
            let mut echo: Vec<Vec<u8>> =
                messages.iter().map(|it| codec.encode(it).expect("it can").to_vec()).collect();
            let check = check(format, &messages);
            assert_eq!(check(&echo), Ok(()));
            let mut wrong = messages[5].clone();
            wrong.body.entries[2].set_md_entry_size(7);
            echo[5] = codec.encode(&wrong).expect("it can").to_vec();
            let fault = check(&echo).expect_err("a size is wrong");
            let start = "message 5: MDInclList[2]/MDEntrySize is 7, ";
            assert!(fault.starts_with(start) && !fault.contains("Decimal"), "{fault}");
            wrong.body.entries[2].clear_md_entry_size();
            echo[5] = codec.encode(&wrong).expect("it can").to_vec();
            let fault = check(&echo).expect_err("a size is missing");
            assert!(fault.contains("MDInclList[2]/MDEntrySize is missing"), "{fault}");
            if let Ok(text) = std::str::from_utf8(&echo[5])
                && let Some(at) = text.find("</")
            {
                let end = at + text[at..].find('>').map_or(0, |it| it + 1);
                echo[5] = format!("{}<more/>{}", &text[..end], &text[end..]).into_bytes();
                let fault = check(&echo).expect_err("an element was added");
                assert!(fault.contains("more"), "{fault}");
            }
            echo[5].truncate(40);
            let fault = check(&echo).expect_err("half a message");
            assert!(fault.starts_with("message 5: "), "{fault}");
        }
    }
}
