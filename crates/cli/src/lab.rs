//! The lab's verbs, one a file.

pub(crate) mod echo_slope;
pub(crate) mod end;
pub(crate) mod list;
pub(crate) mod peers;
pub(crate) mod run;
