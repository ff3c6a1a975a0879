//! CORBA CDR: aligned binary in either byte order.
//!
//! ```text
//! octet, boolean, char  1      string    ulong length with the NUL | bytes | 00
//! short                 2      sequence  ulong count | elements
//! long, float, enum     4      struct    its members, alignment of each from the stream's start
//! long long, double     8      optional  00, or 01 | padding | value   (union switch(boolean))
//! ```
//! A schema maps to IDL so: text, dates and times are strings (in the forms of FIX), decimals and
//! doubles are `double`, codes `char`, data `sequence<octet>`, groups and lists sequences; an
//! optional value is the union of the paper's Figure 7, an absent group an empty sequence. What is required
//! within an optional component is such a union too, a group included, since the component may be absent. With
//! [`Optional::Bitmap`] every struct of a scope begins with one bit for each optional field
//! instead, the first field in the lowest bit of the first octet, and absent fields take no room
//! further; bits of no field are 0, and a message with others is refused. Source: CORBA 3, part 2, chapter 9.3.

mod binding;
mod decoder;
mod encoder;
mod plan;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use plan::{ByteOrder, Optional, Options, Plan};
