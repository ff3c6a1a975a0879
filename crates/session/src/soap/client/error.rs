//! Why calls have no reply.

use std::fmt;

use trunkline_http as http;
use trunkline_soap::{self as soap, Fault};

/// Why a call has no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The service rejected: its fault.
    Fault(Box<Fault>),
    /// The URL is not valid, or of neither HTTP nor SOAP/TCP.
    Url(String),
    /// The SOAPAction cannot stand in a header: it has quotes, backslashes or control characters.
    Action(String),
    /// A header of HTTP cannot be sent, or there is no HTTP.
    HttpHeader(String),
    /// There is no connection, or it broke, or took too long.
    Transport(http::Error),
    /// The server reports an error on a channel of SOAP/TCP, or does not keep to the protocol.
    Channel(Box<crate::soap_tcp::Error>),
    /// The answer of the server is not SOAP.
    Status {
        /// The status code.
        status: u16,
        /// The beginning of what it said.
        text: String,
    },
    /// The request cannot be written.
    Request(trunkline_message::Error),
    /// The reply cannot be read.
    Reply(trunkline_message::Error),
    /// A header block of the reply has to be understood and is not.
    NotUnderstood(Vec<soap::QName>),
    /// The reply has no Security header as it is [expected](super::Client::expect_ws_security).
    Security(Box<Fault>),
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(out, "{fault}"),
            Self::Url(problem) => out.write_str(problem),
            Self::Action(action) => write!(out, "{action:?} cannot be an action"),
            Self::HttpHeader(why) => write!(out, "a header of HTTP: {why}"),
            Self::Transport(error) => write!(out, "{error}"),
            Self::Channel(error) => write!(out, "{error}"),
            Self::Status { status, text } => write!(out, "HTTP status {status}: {text}"),
            Self::Request(error) => write!(out, "the request cannot be written: {error}"),
            Self::Reply(error) => write!(out, "the reply cannot be read: {error}"),
            Self::Security(fault) => write!(out, "the reply's Security header: {fault}"),
            Self::NotUnderstood(names) => {
                let names: Vec<String> = names.iter().map(ToString::to_string).collect();
                write!(out, "the reply's header {} must be understood", names.join(", "))
            }
        }
    }
}

impl std::error::Error for CallError {}

impl CallError {
    /// What kind of failure it is, for telemetry.
    pub(super) fn class(&self) -> String {
        match self {
            Self::Fault(fault) => format!("{:?}", fault.code),
            Self::Status { status, .. } => status.to_string(),
            Self::Transport(http::Error::TimedOut { .. }) => "timeout".to_owned(),
            Self::Transport(_) => "transport".to_owned(),
            _ => "_OTHER".to_owned(),
        }
    }
}

impl From<http::Error> for CallError {
    fn from(error: http::Error) -> Self {
        Self::Transport(error)
    }
}
