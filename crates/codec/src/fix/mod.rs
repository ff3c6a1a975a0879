//! FIX tag=value, version 4.x framing: BeginString, BodyLength, MsgType first, CheckSum last.
//!
//! ```text
//! 8=FIX.4.3|9=163|35=X|49=ABC|56=XYZ|34=1234|...|10=009|        | is SOH, 0x01
//!           \____/\_______________________________/\____/
//!         BodyLength counts this                  CheckSum: sum of all before it, mod 256
//! ```
//! Components do not show; a repeating group is its count field followed by the entries, each of
//! which begins with the entry's first field. Source: FIX 4.3 specification, volume 1, "FIX
//! message format and delivery".

mod binding;
mod codes;
mod decoder;
mod encoder;
mod frame;
mod plan;
mod stray;
mod window;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use frame::{Frame, frame};
pub use plan::{Options, Plan};

/// The delimiter behind every field.
pub const SOH: u8 = 1;
