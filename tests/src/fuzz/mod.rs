//! One function a format that takes any bytes and panics if a promise is broken.

mod cdr;
mod changes;
mod fix;
mod record;
mod xml;

pub use cdr::cdr;
pub use fix::fix;
pub use record::record;
pub use xml::xml;
