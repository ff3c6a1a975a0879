//! FIX tag=value, version 4.x framing: BeginString, BodyLength, MsgType first, CheckSum last.
//!
//! ```text
//! 8=FIX.4.3|9=163|35=X|49=ABC|56=XYZ|34=1234|...|10=009|        | is SOH, 0x01
//!           \____/\_______________________________/\____/
//!         BodyLength counts this                  CheckSum: sum of all before it, mod 256
//! ```
//! Structs and choices do not show, be they components or structs by themselves: their fields stand
//! in any order among those of the message or entry around them. A repeating group is its count field
//! followed by the entries, each of which begins with the entry's first field; a list of values is one
//! field, with blanks between them. Source: FIX 4.3 specification, volume 1, "FIX message format and
//! delivery".

mod binding;
mod codes;
mod data;
mod decoder;
mod encoder;
mod frame;
mod plan;
mod stray;
mod unknown;
mod window;

pub use binding::TAG_RULE;
pub use data::{data_of_length, is_of_data, length_of_data};
pub use decoder::Decoder;
pub use encoder::Encoder;
pub use frame::{Frame, frame};
pub use plan::{Options, Plan};

/// The delimiter behind every field.
pub const SOH: u8 = 1;
