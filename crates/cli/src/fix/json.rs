//! A message as an object of JSON: fields in order, with lists for groups.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

/// The members of an object, in the order in which they stand: that of the fields in a group matters.
#[derive(Debug)]
pub(super) struct Object(Vec<(String, Held)>);

#[derive(Debug)]
enum Held {
    Value(String),
    Entries(Vec<Object>),
}

impl Object {
    /// Reads a line; `pairs` gets names and values, each group behind its count.
    pub(super) fn read(line: &str, pairs: &mut Vec<(String, String)>) -> Result<(), String> {
        let object: Self = serde_json::from_str(line).map_err(|error| error.to_string())?;
        object.flatten(pairs);
        Ok(())
    }

    fn flatten(self, pairs: &mut Vec<(String, String)>) {
        for (name, held) in self.0 {
            match held {
                Held::Value(value) => pairs.push((name, value)),
                Held::Entries(entries) => {
                    pairs.push((name, entries.len().to_string()));
                    entries.into_iter().for_each(|it| it.flatten(pairs));
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object of fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl<'de> Deserialize<'de> for Held {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Held;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a text, a whole number, true or false, or the entries of a group")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Held, E> {
                Ok(Held::Value(text.to_owned()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Held, E> {
                Ok(Held::Value(number.to_string()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Held, E> {
                Ok(Held::Value(number.to_string()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Held, E> {
                Ok(Held::Value(number.to_string()))
            }

            fn visit_bool<E: de::Error>(self, is: bool) -> Result<Held, E> {
                Ok(Held::Value(if is { "Y" } else { "N" }.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Held, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = seq.next_element()? {
                    entries.push(entry);
                }
                Ok(Held::Entries(entries))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
