//! Experiments as data: what is measured, of whom, what was published about it.
//!
//! Nothing here measures. A [`definition`] says what an experiment asks for; [`mod@format`], [`subjects`],
//! [`middleware`], [`toolkits`], [`engines`] and [`link`] say what there is to ask for, [`names`] what rows call it. So whoever measures
//! and whoever reports agree on names, and neither knows the other.

#![forbid(unsafe_code)]

#[macro_use]
mod words;

pub mod definition;
pub mod engines;
pub mod format;
pub mod link;
pub mod middleware;
pub mod names;
pub mod subjects;
pub mod toolkits;
