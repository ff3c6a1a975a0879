//! Calls as spans of OpenTelemetry, if this crate is built with its feature `opentelemetry`: else this is nothing.
//!
//! Names and attributes are those of the semantic conventions for RPC (1.45), with `soap` as the system. The trace
//! goes along in the headers of HTTP that the process's propagator writes and reads, such as `traceparent`.

#[cfg(not(feature = "opentelemetry"))]
mod nothing;
#[cfg(feature = "opentelemetry")]
mod spans;

#[cfg(not(feature = "opentelemetry"))]
pub(super) use nothing::Telemetry;
#[cfg(feature = "opentelemetry")]
pub(super) use spans::Telemetry;

/// What is called, and on which side this is.
#[cfg_attr(not(feature = "opentelemetry"), expect(dead_code))]
pub(super) struct Called<'a> {
    pub(super) is_server: bool,
    pub(super) namespace: &'a str,
    /// Empty if it is not known.
    pub(super) operation: &'a str,
    /// The host and port of the server, as far as they are known.
    pub(super) authority: &'a str,
}
