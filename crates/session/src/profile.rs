//! The profile of a connection: transport, envelope, encoding, compression.

use std::fmt;

/// How a message travels. Prints as `http-1.1/soap-1.1-rpc-encoded/xml-utf8/none/gzip/873 bytes`,
/// as the lab's rows do but for the bytes; where elements were passed over, `, 2 unknown elements`
/// stands behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// `http-1.1`, `http-1.1-tls`, `tcp`.
    pub transport: &'static str,
    /// `soap-1.1-rpc-encoded`.
    pub envelope: String,
    /// `xml-utf8`.
    pub encoding: &'static str,
    /// The state that both sides keep from earlier messages; `none` with XML.
    pub vocabulary: &'static str,
    /// `none`, `gzip`, `deflate`.
    pub compression: &'static str,
    /// Of the message before compression, without the transport's own.
    pub bytes: usize,
    /// How many elements of the message its schema does not know, so that they were passed over: of
    /// the request in a server's profile, of the reply in a client's.
    pub unknown: usize,
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transport, envelope, encoding, vocabulary, compression, bytes, unknown } = self;
        write!(out, "{transport}/{envelope}/{encoding}/{vocabulary}/{compression}/{bytes} bytes")?;
        match unknown {
            0 => Ok(()),
            1 => write!(out, ", 1 unknown element"),
            _ => write!(out, ", {unknown} unknown elements"),
        }
    }
}
