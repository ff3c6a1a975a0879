//! One function a format that takes any bytes and panics if a promise is broken.

mod xml;

pub use xml::xml;
