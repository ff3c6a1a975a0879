//! Measuring: clocks, distributions, statistics, [`row`]s of results and [`record`]s of runs.
//!
//! Nothing here knows a format, a peer or a paper.

#![forbid(unsafe_code)]

pub mod child;
pub mod clock;
pub mod file;
pub mod folder;
pub mod hiccup;
pub mod histogram;
mod machine;
pub mod record;
pub mod row;
pub mod statistics;
pub mod table;
