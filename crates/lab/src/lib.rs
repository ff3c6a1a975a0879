//! The lab: reruns published evaluations and says what can be said about the results.
//!
//! An experiment is data: its [`definition`] says what to measure, and what was published about it.
//! A [`trading_day`] becomes [`market_data`] messages; an [`experiment`] lets codecs of ours and
//! [`peer`]s work on them side by side; [`statistics`] tell what follows, and [`row`]s carry it to
//! [`record`]s and to the [`report`], beside what was published.

#![forbid(unsafe_code)]

mod answer;
pub mod broker;
pub mod builds;
pub mod bus;
pub mod capacity;
pub mod clock;
pub mod compare;
mod comparison;
pub mod component;
pub mod conclusion;
pub mod csv;
pub mod customer_services;
pub mod definition;
pub mod direct;
mod disk;
pub mod end;
pub mod evaluation;
pub mod experiment;
pub mod file;
pub mod format;
pub mod forwarder;
pub mod fx;
pub mod hiccup;
pub mod histogram;
pub mod html;
pub mod link;
mod machine;
pub mod market_data;
mod measure;
pub mod peer;
pub mod random;
pub mod record;
pub mod report;
pub mod router_bus;
pub mod row;
pub mod service;
pub mod socket_bus;
pub mod statistics;
pub mod subjects;
pub mod table;
pub mod topic_index;
pub mod trading_day;
