//! Messages of others, as whoever looks at them by hand or carries them over needs them: what bytes are, where in a log
//! or a stream messages stand, what they say by a description that is read at run time, and the same in another format.
//!
//! | module | what it does |
//! |---|---|
//! | [`kind`] | names the format, the envelope and the charset of bytes |
//! | [`scanner`] | finds messages in logs, streams and dumps |
//! | [`messages`] | reads and converts messages by a description |
//! | [`filter`] | says which messages somebody wants, by what they say |
//! | [`selection`] | says which of their fields |
//! | [`tree`] | shows a message to people |
//! | [`fix`] | FIX without a dictionary |
//! | [`giop`] | GIOP by IDL: heads, fragments, requests and what answers them |
//!
//! Nothing here does I/O.

#![forbid(unsafe_code)]

mod codec;
mod dump;
mod error;
mod explain;
pub mod filter;
pub mod fix;
pub mod giop;
pub mod kind;
pub mod messages;
pub mod scanner;
pub mod selection;
pub mod tree;

pub use codec::{Codec, Format, HeaderBlocks, Options};
pub use dump::Written;
pub use error::Error;
pub use explain::explain;
pub use filter::{Filter, FilterError};
pub use kind::Kind;
pub use messages::{Decoded, Invalid, Messages};
pub use scanner::{Bad, Content, Found, Place, Scanner};
pub use selection::Selection;
