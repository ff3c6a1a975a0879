//! CORBA CDR: aligned binary in either byte order.
//!
//! ```text
//! octet, boolean, char  1      string    ulong length with the NUL | bytes | 00
//! short                 2      sequence  ulong count | elements
//! long, float, enum     4      array     elements
//! long long, double     8      struct    its members, alignment of each from the stream's start
//!                              union     discriminator | the member that it says
//!                              optional  00, or 01 | padding | value   (union switch(boolean))
//! ```
//! A schema maps to IDL so: text, dates and times are strings (in the forms of FIX), and durations
//! (`P1DT2H`) and numbers of any size, too; decimals and doubles are `double`, codes `char`, data
//! `sequence<octet>`. Lists are sequences, or arrays if their count is fixed; an enumeration is the place of
//! its value, a choice a union of which notes say the labels (`binding.rs`). What is optional is the union of the
//! paper's Figure 7, be it a value, a list, a struct or a choice; a list that is absent without items is an
//! empty sequence. What is required within an implied component is such a union too, a list included, since the
//! component may be absent.
//!
//! With [`Optional::Bitmap`] every struct of a scope begins with one bit for each of these instead, and for
//! each list that may be absent, the first in the lowest bit of the first octet, and what is absent takes no
//! room further; bits of no field are 0, and a message with others is rejected. What the default arm of a union
//! holds has no bits, since it begins with the discriminator. Source: CORBA 3, part 2, chapter 9.3.

mod binding;
mod decoder;
mod encoder;
mod plan;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use plan::{ByteOrder, Optional, Options, Plan};
