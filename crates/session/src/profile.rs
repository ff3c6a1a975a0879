//! What goes over a connection, named.

use std::fmt;

/// How a message travels: transport, envelope, encoding, vocabulary, compression, bytes.
///
/// Prints as `HTTP/1.1 | SOAP 1.1 | rpc/encoded | no vocabulary | gzip | 873 bytes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// `HTTP/1.1`, `HTTP/1.1 over TLS`, `TCP`.
    pub transport: &'static str,
    /// `SOAP 1.1`.
    pub envelope: &'static str,
    /// `document/literal`, `rpc/encoded`.
    pub encoding: &'static str,
    /// State that both sides keep between messages; XML has none.
    pub vocabulary: &'static str,
    /// `gzip`, `deflate`, or `plain`.
    pub compression: &'static str,
    /// Of the message before compression, without the transport's own.
    pub bytes: usize,
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transport, envelope, encoding, vocabulary, compression, bytes } = self;
        write!(
            out,
            "{transport} | {envelope} | {encoding} | {vocabulary} | {compression} | {bytes} bytes"
        )
    }
}
