//! Reading: the field index to the typed structure, by a match on the tags of each record.
#![allow(non_snake_case)]

use ironfix_tagvalue::IndexedMessage;
use peer::Failure;
use peer::market_data::*;

/// One field of the index.
struct Field<'a> {
    tag: u32,
    value: &'a [u8],
}

/// The fields of a message that are not yet read.
struct Fields<'a, 'i> {
    message: &'i IndexedMessage<'a, 'i>,
    position: usize,
}

impl<'a> Fields<'a, '_> {
    fn peek(&self) -> Option<Field<'a>> {
        let field = self.message.field(self.position)?;
        Some(Field { tag: field.tag, value: field.value })
    }

    fn left(&self) -> usize {
        self.message.field_count() - self.position
    }
}

/// Reads the whole message after the standard header's first three fields.
pub(crate) fn message(
    message: &IndexedMessage<'_, '_>,
    read: &mut FIXMLMessage,
) -> Result<(), Failure> {
    if message.msg_type().as_str() != "X" {
        return Err(format!("message type is {}, not X", message.msg_type().as_str()).into());
    }
    let mut fields = Fields { message, position: 3 };
    read.read_entry(&mut fields)?;
    match fields.peek() {
        Some(field) => Err(format!("field {} has no place here", field.tag).into()),
        None => Ok(()),
    }
}

/// A value that one field fills, together with those that follow it if it is a group.
trait Read {
    fn read(&mut self, value: &[u8], fields: &mut Fields<'_, '_>) -> Result<(), Failure>;
}

impl Read for Text {
    fn read(&mut self, value: &[u8], _: &mut Fields<'_, '_>) -> Result<(), Failure> {
        *self = Text::from_utf8(value)?;
        Ok(())
    }
}

impl Read for bool {
    fn read(&mut self, value: &[u8], _: &mut Fields<'_, '_>) -> Result<(), Failure> {
        *self = match value {
            b"Y" => true,
            b"N" => false,
            _ => return Err(format!("{value:?} is not Y or N").into()),
        };
        Ok(())
    }
}

impl Read for u32 {
    fn read(&mut self, value: &[u8], _: &mut Fields<'_, '_>) -> Result<(), Failure> {
        *self = std::str::from_utf8(value)?.parse()?;
        Ok(())
    }
}

impl Read for i32 {
    fn read(&mut self, value: &[u8], _: &mut Fields<'_, '_>) -> Result<(), Failure> {
        *self = std::str::from_utf8(value)?.parse()?;
        Ok(())
    }
}

impl Read for f64 {
    fn read(&mut self, value: &[u8], _: &mut Fields<'_, '_>) -> Result<(), Failure> {
        *self = std::str::from_utf8(value)?.parse()?;
        Ok(())
    }
}

impl Read for Code {
    fn read(&mut self, value: &[u8], _: &mut Fields<'_, '_>) -> Result<(), Failure> {
        let [code] = value else {
            return Err(format!("{value:?} is not one character").into());
        };
        *self = Code(*code);
        Ok(())
    }
}

impl Read for Bytes {
    fn read(&mut self, value: &[u8], _: &mut Fields<'_, '_>) -> Result<(), Failure> {
        self.0 = value.to_vec();
        Ok(())
    }
}

impl<T: Read + Default> Read for Option<T> {
    fn read(&mut self, value: &[u8], fields: &mut Fields<'_, '_>) -> Result<(), Failure> {
        self.insert(T::default()).read(value, fields)
    }
}

impl<T: Entry> Read for Vec<T> {
    fn read(&mut self, value: &[u8], fields: &mut Fields<'_, '_>) -> Result<(), Failure> {
        let count: usize = std::str::from_utf8(value)?.parse()?;
        if count > fields.left() {
            return Err(format!("{count} entries are announced in too few fields").into());
        }
        self.reserve_exact(count);
        for _ in 0..count {
            self.push_mut(T::default()).read_entry(fields)?;
        }
        Ok(())
    }
}

/// A record with fields of its own: the message or a group's entry.
trait Entry: Default {
    /// Takes fields as long as they belong to the record; an entry's first ends the one before.
    fn read_entry(&mut self, fields: &mut Fields<'_, '_>) -> Result<(), Failure>;
}

/// A component on the way to a field: it is there as soon as one of its fields is.
trait Part {
    type Record;
    fn part(&mut self) -> &mut Self::Record;
}

impl<T: Default> Part for Option<T> {
    type Record = T;

    fn part(&mut self) -> &mut T {
        self.get_or_insert_with(T::default)
    }
}

macro_rules! place {
    ($record:expr, $Item:ident) => { &mut $record.$Item };
    ($record:expr, $Component:ident $($rest:ident)+) => {
        place!($record.$Component.part(), $($rest)+)
    };
}

macro_rules! record {
    (
        $Record:ident $element:literal $delimiter:literal {
            $($Item:ident: $Type:ty = ($name:literal, $own_tag:literal, $length_tag:literal);)*
        }
        $($tag:literal $($path:ident).+;)*
        ignoring $($length:literal)*;
    ) => {
        impl Part for $Record {
            type Record = $Record;

            fn part(&mut self) -> &mut $Record {
                self
            }
        }

        impl Entry for $Record {
            fn read_entry(&mut self, fields: &mut Fields<'_, '_>) -> Result<(), Failure> {
                let start = fields.position;
                while let Some(Field { tag, value }) = fields.peek() {
                    if tag == $delimiter && fields.position > start && $element != "FIXMLMessage" {
                        break;
                    }
                    match tag {
                        $($tag => {
                            fields.position += 1;
                            place!(self, $($path)+)
                                .read(value, fields)
                                .map_err(|failure| format!("field {tag}: {failure}"))?;
                        })*
                        $($length => fields.position += 1,)*
                        _ => break,
                    }
                }
                match self.missing() {
                    Some(name) => Err(format!("{name} is missing in {}", $element).into()),
                    None => Ok(()),
                }
            }
        }
    };
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/generated/market_data.rs"));
