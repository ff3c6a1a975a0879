//! What rows say: verdicts on conclusions, tables, a page with plots, and what changed between records.
//!
//! All of it is made from [rows](trunkline_bench::row) and [definitions](trunkline_experiment::definition) alone,
//! so that a record of any day and machine gives it again. Nothing here measures, or knows a codec.

#![forbid(unsafe_code)]

pub mod changes;
pub mod conclusion;
pub mod html;
mod tables;

pub use tables::{Report, Section};
