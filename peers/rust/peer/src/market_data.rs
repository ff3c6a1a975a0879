//! The message as a typed structure, from the listing: every record with every field.
//!
//! Dates and times stay text. A peer's crate includes the same listing again, with a macro
//! `record!` of its own that writes the reading and writing of each record.
#![allow(non_snake_case, missing_docs)]

/// Owned text: up to 24 bytes lie in the structure, as they do in C++'s std::string up to 15.
pub type Text = compact_str::CompactString;

/// An enumerated code of one character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Code(pub u8);

/// A value of any bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bytes(pub Vec<u8>);

/// What can be made empty and keep its memory.
pub trait Clear {
    /// Makes it empty; of texts and lists, what they had allocated stays.
    fn clear(&mut self);
}

macro_rules! clear {
    ($($Type:ty => $empty:expr;)*) => {$(
        impl Clear for $Type {
            fn clear(&mut self) {
                *self = $empty;
            }
        }
    )*};
}

clear! {
    bool => false;
    u32 => 0;
    i32 => 0;
    f64 => 0.0;
    Code => Code::default();
}

impl Clear for Text {
    fn clear(&mut self) {
        self.clear();
    }
}

impl Clear for Bytes {
    fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T> Clear for Option<T> {
    fn clear(&mut self) {
        *self = None;
    }
}

impl<T> Clear for Vec<T> {
    fn clear(&mut self) {
        self.clear();
    }
}

/// Whether a required item was left out, as far as its value shows.
pub trait Required {
    /// True for what only an item that was left out can be.
    fn is_missing(&self) -> bool {
        false
    }
}

impl Required for bool {}
impl Required for u32 {}
impl Required for i32 {}
impl Required for f64 {}
impl Required for Bytes {}
impl<T> Required for Option<T> {}

impl Required for Text {
    fn is_missing(&self) -> bool {
        self.is_empty()
    }
}

impl Required for Code {
    fn is_missing(&self) -> bool {
        self.0 == 0
    }
}

impl<T> Required for Vec<T> {}

macro_rules! record {
    (
        $Record:ident $element:literal $delimiter:literal {
            $($Item:ident: $Type:ty = ($name:literal, $tag:literal, $length_tag:literal);)*
        }
        $($paths:tt)*
    ) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $Record {
            $(pub $Item: $Type,)*
        }

        impl $Record {
            /// The name of the first required item that was left out.
            pub fn missing(&self) -> Option<&'static str> {
                $(if self.$Item.is_missing() {
                    return Some($name);
                })*
                None
            }
        }

        impl Clear for $Record {
            fn clear(&mut self) {
                $(Clear::clear(&mut self.$Item);)*
            }
        }

        impl Required for $Record {
            fn is_missing(&self) -> bool {
                self.missing().is_some()
            }
        }
    };
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/generated/market_data.rs"));
