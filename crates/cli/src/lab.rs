//! The lab's verbs, one a file.

pub(crate) mod compare;
pub(crate) mod component;
pub(crate) mod echo_slope;
pub(crate) mod end;
pub(crate) mod engine;
pub(crate) mod forwarder;
pub(crate) mod list;
pub(crate) mod message;
pub(crate) mod operations;
pub(crate) mod peers;
mod progress;
pub(crate) mod run;
pub(crate) mod show;
