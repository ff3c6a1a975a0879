//! The keys of a command's text: one names the action, others say more about it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use super::guaranteed::{Digits, StartAt};

/// Borrows what needs no unescaping.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// A format by its name, or by its number where it has none.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Format<'a> {
    Number(u16),
    #[serde(borrow)]
    Name(Cow<'a, str>),
}

/// What a key is called: as its field, or otherwise.
macro_rules! key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}

macro_rules! keys {
    (
        struct $Keys:ident<$lifetime:lifetime>;
        actions { $($action:ident: $action_type:ty,)* }
        details { $($detail:ident $(as $name:literal)?: $detail_type:ty,)* }
    ) => {
        /// Every key that a text may have.
        #[derive(Default)]
        pub(super) struct $Keys<$lifetime> {
            $(pub(super) $action: Option<$action_type>,)*
            $(pub(super) $detail: Option<$detail_type>,)*
        }

        impl $Keys<'_> {
            pub(super) const ACTIONS: &'static [&'static str] = &[$(stringify!($action)),*];

            /// The actions that are named.
            pub(super) fn named(&self) -> impl Iterator<Item = &'static str> + use<> {
                let named = [$((stringify!($action), self.$action.is_some())),*];
                named.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key)
            }

            /// A key beside the action that nobody has taken.
            pub(super) fn left(&self) -> Option<&'static str> {
                $(if self.$detail.is_some() {
                    return Some(key!($detail $($name)?));
                })*
                None
            }
        }

        impl<'de> Visitor<'de> for Reading {
            type Value = $Keys<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object with one action")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<$Keys<'de>, M::Error> {
                let mut keys = $Keys::default();
                while let Some(Text(key)) = map.next_key()? {
                    match &*key {
                        $(stringify!($action) => {
                            read(stringify!($action), &mut keys.$action, &mut map)?;
                        })*
                        $(key!($detail $($name)?) => {
                            read(key!($detail $($name)?), &mut keys.$detail, &mut map)?;
                        })*
                        _ => {
                            let known =
                                &[$(stringify!($action),)* $(key!($detail $($name)?)),*];
                            return Err(M::Error::unknown_field(&key, known));
                        }
                    }
                }
                Ok(keys)
            }
        }
    };
}

keys! {
    struct Keys<'a>;
    actions {
        subscribe: u32,
        unsubscribe: u32,
        publish: Text<'a>,
        request: Text<'a>,
        reply: Text<'a>,
        producer: Text<'a>,
        store: Text<'a>,
        consume: u32,
        acknowledge: u32,
        release: u32,
        delete: Text<'a>,
        taken: u64,
        clock: u64,
        ping: u64,
    }
    details {
        pattern: Text<'a>,
        updates_per_second: u32,
        conflate: bool,
        last_values: bool,
        clear_last_value: bool,
        correlation: u64,
        timeout_ms: u32,
        round_trip_ns: u64,
        sequence: u64,
        time_to_live_ms: u32,
        repeated: bool,
        name: Text<'a>,
        window: u32,
        start: StartAt,
        pace: u32,
        wants_confirmed: bool,
        wants_acknowledged: bool,
        acknowledge_within_ms: u32,
        deliveries: u16,
        position: Digits,
        through: Digits,
        delay_ms: u32,
        format: Format<'a>,
        filter as "where": Text<'a>,
        fields: Text<'a>,
        binary: bool,
        payload: Text<'a>,
    }
}

struct Reading;

impl<'de> Deserialize<'de> for Keys<'de> {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        text.deserialize_map(Reading)
    }
}

/// Reads the value of a key; an error names the key.
fn read<'de, T: Deserialize<'de>, M: MapAccess<'de>>(
    key: &'static str,
    value: &mut Option<T>,
    map: &mut M,
) -> Result<(), M::Error> {
    if value.is_some() {
        return Err(M::Error::duplicate_field(key));
    }
    *value = map.next_value().map_err(|error| M::Error::custom(format_args!("{key}: {error}")))?;
    Ok(())
}
