//! JSON (RFC 8259): a message is an object on one line, its fields are members by their names.
//!
//! ```text
//! {"ClOrdID":"A1","Side":"BUY","Price":6.350,"Parties":[{"PartyID":"FUND 7"}],"TransactTime":"2026-01-05T09:30:00Z"}
//! ```
//!
//! | kind | JSON |
//! |---|---|
//! | `boolean` | `true`, `false` |
//! | whole numbers, decimals, floats | a number with all of its digits; `"INF"`, `"-INF"` and `"NaN"` |
//! | `text`, `code` | a string |
//! | `bytes` | a string in base64 |
//! | `date`, `time`, `timestamp`, `duration` | a string, as XML Schema writes it; UTC is told by `Z` |
//! | `any` | `{"element": "<a/>"}`, or `{"base64": "..."}` of octets |
//! | an enumeration | the value's name |
//! | a list | an array |
//! | a struct, a component | an object |
//! | a choice | an object of one member, its arm |
//!
//! What is not set has no member, and `null` of a member of the schema is read as such. Members are read in any order; one that stands twice is an
//! error. Fields of FIX that the schema does not know stand behind the others by their number, `"9001":"x"`, which no name
//! can be. Numbers are read from strings, too, and [`Options::quoted`] writes them so: many readers of JSON hold
//! numbers as doubles, which lose digits beyond the fifteenth.

mod decoder;
mod encoder;
mod plan;
mod text;
mod value;

pub use decoder::{Decoder, name};
pub use encoder::Encoder;
pub use plan::{Options, Plan};
pub use value::{Value, Values};

/// The members of an object in place of content that has no form of its own.
const ELEMENT: &str = "element";
const BASE64: &str = "base64";
