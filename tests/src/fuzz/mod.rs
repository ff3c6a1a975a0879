//! One function a format that takes any bytes and panics if a promise is broken.

mod edits;
mod soap;
mod xml;

pub use soap::soap;
pub use xml::xml;
