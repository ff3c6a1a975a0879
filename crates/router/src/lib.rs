//! The router: topics, matching, fan-out, conflation, egress and the ledger
#![forbid(unsafe_code)]
