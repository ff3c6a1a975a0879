//! The lab: reruns published evaluations and says what can be said about the results.
//!
//! An experiment is data: its [`definition`] says what to measure, and what was published about it.
//! A [`trading_day`] becomes [`market_data`] messages; an [`experiment`] lets codecs of ours and
//! [`peer`]s work on them side by side; statistics tell what follows, and [rows](trunkline_bench::row)
//! carry it to [records](trunkline_bench::record) and to the [`report`], beside what was published.

#![forbid(unsafe_code)]

mod answer;
pub mod builds;
pub mod capacity;
pub mod compare;
mod comparison;
pub mod conclusion;
pub mod csv;
pub mod customer_services;
pub mod definition;
mod disk;
pub mod end;
pub mod evaluation;
pub mod experiment;
pub mod format;
pub mod html;
pub mod link;
pub mod market_data;
mod measure;
pub mod peer;
pub mod report;
pub mod service;
pub mod subjects;
pub mod trading_day;
