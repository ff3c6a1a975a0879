//! The lab: reruns published evaluations and says what can be said about the results.
//!
//! A [`trading_day`] becomes corpora of messages; an [`experiment`] lets codecs of ours and
//! [`peer`]s work on them side by side; [`statistics`] tell what follows, and [`row`]s carry it to
//! tables and [`record`]s, beside what the [`paper`] published.

#![forbid(unsafe_code)]

pub mod clock;
pub mod csv;
pub mod evaluation;
pub mod experiment;
pub mod html;
pub mod kohlhoff;
mod machine;
pub mod paper;
pub mod peer;
pub mod random;
pub mod record;
pub mod row;
pub mod statistics;
pub mod table;
pub mod trading_day;
