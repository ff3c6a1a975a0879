//! The lab: reruns published evaluations.
//!
//! A [definition](trunkline_experiment::definition) says what to measure. A [`trading_day`] becomes [`market_data`]
//! messages; an [`experiment`] lets codecs of ours and [`peer`]s work on them side by side; statistics tell what
//! follows, and [rows](trunkline_bench::row) carry it to [records](trunkline_bench::record) and reports.

#![forbid(unsafe_code)]

mod answer;
pub mod builds;
pub mod capacity;
pub mod counter;
pub mod csv;
pub mod customer_services;
mod disk;
mod echo;
pub mod end;
pub mod evaluation;
pub mod experiment;
pub mod format;
mod http_echo;
pub mod link;
pub mod market_data;
mod measure;
pub mod operations;
pub mod peer;
mod processors;
mod scenario;
pub mod service;
pub mod sessions;
pub mod subjects;
pub mod trading_day;
mod turns;
