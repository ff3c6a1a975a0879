//! What goes over a connection, named.

use std::fmt;

/// How a message travels. Prints as `http-1.1/soap-1.1-rpc-encoded/xml-utf8/none/gzip/873 bytes`,
/// as the lab's rows do but for the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// `http-1.1`, `http-1.1-tls`, `tcp`.
    pub transport: &'static str,
    /// `soap-1.1-rpc-encoded`.
    pub envelope: String,
    /// `xml-utf8`.
    pub encoding: &'static str,
    /// What both sides remember of earlier messages; `none` with XML.
    pub vocabulary: &'static str,
    /// `none`, `gzip`, `deflate`.
    pub compression: &'static str,
    /// Of the message before compression, without the transport's own.
    pub bytes: usize,
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transport, envelope, encoding, vocabulary, compression, bytes } = self;
        write!(out, "{transport}/{envelope}/{encoding}/{vocabulary}/{compression}/{bytes} bytes")
    }
}
