//! Client library of the router
#![forbid(unsafe_code)]
