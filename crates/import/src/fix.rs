//! FIX dictionaries: which fields a version of FIX or a venue has, and what its messages are made of.
//!
//! Two kinds of file are read: the dictionaries of QuickFIX (root element `fix`), which QuickFIX/J, QuickFIX/Go,
//! QuickFIX/n and many venues use, and repositories of FIX Orchestra (root element `repository`).
//!
//! Each message becomes a layout. Its header and trailer are the structs `StandardHeader` and
//! `StandardTrailer`, without the fields that frame a message (8, 9, 35, 10); a component is a struct, which
//! is implied unless the message requires it; a field of data has its length beside it. Fields with values
//! are enumerations: a value that is not in the dictionary is rejected, unless the field allows others.
//!
//! | type in the dictionary | kind |
//! |---|---|
//! | `INT`; `LENGTH`, `NUMINGROUP`, `TAGNUM`; `SEQNUM`; `DAYOFMONTH` | `i64`; `u32`; `u64`; `u8` |
//! | `FLOAT`, `PRICE`, `PRICEOFFSET`, `AMT`, `QTY`, `PERCENTAGE` | `decimal` |
//! | `BOOLEAN`; `CHAR` | `boolean`; `code` |
//! | `MULTIPLEVALUESTRING`, `MULTIPLESTRINGVALUE`, `MULTIPLECHARVALUE` | a list of enumerations or texts |
//! | `UTCTIMESTAMP`, and `TIME` of FIX 4.0 and 4.1; `UTCTIMEONLY` | `timestamp`; `time` |
//! | `UTCDATEONLY`, `UTCDATE`, `LOCALMKTDATE`, `DATE` | `date` |
//! | `DATA`, `XMLDATA` | `bytes` |
//! | everything else: it has a zone, no time, or is text | `text` |

mod check;
mod datatype;
mod dictionary;
mod layout;
mod orchestra;
mod quickfix;
mod reading;

pub use datatype::Datatype;
pub use dictionary::{Component, Dictionary, Field, FieldValue, Group, Message, Of, Part};
