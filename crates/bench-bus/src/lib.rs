//! What every middleware looks like to the experiments: a [`bus`], the programs around it, and what the
//! adaptors of middlewares over sockets have in common.
//!
//! An adaptor links this crate and the programs of the platform, and nothing of the lab.

#![forbid(unsafe_code)]

pub mod broker;
pub mod bus;
pub mod certificate;
pub mod direct;
pub mod forwarder;
pub mod router_bus;
pub mod socket_bus;
pub mod topic_index;
