//! A client's connection: over HTTP, or over SOAP/TCP.

use trunkline_http::{self as http, Bytes};

use super::CallError;
use super::channel::Channel;
use super::channels::TRANSPORT;
use super::http::transport_name;
use super::media::request_headers;
use super::url::Url;
use crate::soap_tcp::Content;

/// What carries requests and answers.
#[derive(Debug)]
pub(super) enum Exchange {
    Http(Box<http::Client>),
    Channel(Box<Channel>),
}

/// What goes with a request: its media type and action.
#[derive(Clone, Debug)]
pub(super) struct Head {
    content: Content,
    action: String,
    headers: http::HeaderMap,
}

/// An answer, whatever carried it.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    /// Of HTTP; 200 where there is none.
    pub(super) status: u16,
    /// Is it of a media type of XML, or of none?
    pub(super) is_xml: bool,
    pub(super) body: Bytes,
}

impl Head {
    pub(super) fn new(version: trunkline_soap::Version, action: &str) -> Result<Self, CallError> {
        let headers = request_headers(version, action)?;
        Ok(Self { content: Content::xml(version), action: action.to_owned(), headers })
    }
}

impl Reply {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    fn of(received: http::Received) -> Self {
        let kind = received.headers.get(http::header::CONTENT_TYPE);
        let kind = kind.and_then(|it| it.to_str().ok());
        Self {
            status: received.status.as_u16(),
            is_xml: kind.is_none_or(|it| it.contains("xml")),
            body: received.body,
        }
    }
}

impl Exchange {
    pub(super) fn new(url: &Url, config: http::ClientConfig) -> Result<Self, CallError> {
        Ok(match url.is_channel {
            true => Self::Channel(Box::new(Channel::new(url, config))),
            false => Self::Http(Box::new(http::Client::new(&url.authority, config)?)),
        })
    }

    /// Sends an envelope, and waits for the answer.
    pub(super) fn call(
        &mut self,
        path: &str,
        head: &Head,
        envelope: &[u8],
    ) -> Result<Reply, CallError> {
        match self {
            Self::Http(client) => {
                let method = http::Method::POST;
                Ok(Reply::of(client.request(&method, path, &head.headers, envelope)?))
            }
            Self::Channel(channel) => {
                let body = channel.call(head.content, &head.action, envelope)?;
                Ok(Reply { status: 200, is_xml: true, body: body.unwrap_or_default() })
            }
        }
    }

    /// The document at a path. It comes over HTTP in any case.
    pub(super) fn get(&mut self, url: &Url) -> Result<Reply, CallError> {
        let none = http::HeaderMap::new();
        let mut own;
        let client = match self {
            Self::Http(client) => client,
            Self::Channel(channel) => {
                own = http::Client::new(&url.authority, channel.config().clone())?;
                &mut own
            }
        };
        Ok(Reply::of(client.request(&http::Method::GET, &url.path, &none, &[])?))
    }

    /// Transport and compression, in profiles.
    pub(super) fn profile(&mut self, is_tls: bool) -> (&'static str, &'static str) {
        match self {
            Self::Http(client) => {
                let config = client.config_mut();
                let compression = config.compression.map_or("none", |it| it.name());
                (transport_name(config.version, is_tls), compression)
            }
            Self::Channel(_) => (TRANSPORT, "none"),
        }
    }
}
