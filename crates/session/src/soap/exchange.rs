//! A client's connection: over HTTP, or over SOAP/TCP.

use std::borrow::Cow;

use trunkline_codec::fast_infoset::Reader;
use trunkline_http::{self as http, Bytes};
use trunkline_message::{Error, ErrorKind, Limits};
use trunkline_soap::{self as soap, Attachments, Unpacked, Version};

use super::channel::Channel;
use super::channels;
use super::encoding::{Form, Sent};
use super::http::transport_name;
use super::incoming::Incoming;
use super::media::request_headers;
use super::outgoing::Outgoing;
use super::posting::Posting;
use super::prologue::Prologues;
use super::shared::SharedConnection;
use super::url::Url;
use super::vocabularies::Vocabularies;
use super::{CallError, MessageEncoding, charset};
use crate::profile::Retained;

/// What carries requests and answers.
#[derive(Debug)]
pub(super) enum Exchange {
    Http(Box<Posting>),
    Channel(Box<Channel>),
}

/// What goes with a request: its SOAP and action.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) version: Version,
    pub(super) action: String,
    /// Of HTTP: as XML, as XML where Fast Infoset is accepted, and as Fast Infoset.
    headers: [http::HeaderMap; 3],
}

/// An answer, whatever carried it.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    /// Of HTTP; 200 where there is none.
    pub(super) status: u16,
    /// None if its media type is none of SOAP.
    pub(super) encoding: Option<MessageEncoding>,
    /// Of one in a package, the outline.
    pub(super) body: Bytes,
    pub(super) package: Option<Unpacked>,
    /// What of the head of an answer of HTTP tells more of the status, or why this is none of SOAP.
    pub(super) hint: Option<String>,
}

impl Head {
    /// `more` are headers of HTTP that go with it too.
    pub(super) fn new(
        version: Version,
        action: &str,
        more: &http::HeaderMap,
    ) -> Result<Self, CallError> {
        let [xml, binary] = [MessageEncoding::Xml, MessageEncoding::FastInfoset];
        let mut headers = [
            request_headers(xml, version, action, false)?,
            request_headers(xml, version, action, true)?,
            request_headers(binary, version, action, true)?,
        ];
        for own in &mut headers {
            own.extend(more.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        Ok(Self { version, action: action.to_owned(), headers })
    }

    /// Of HTTP, in every form.
    pub(super) fn headers_mut(&mut self) -> &mut [http::HeaderMap; 3] {
        &mut self.headers
    }

    /// Of HTTP.
    pub(super) fn headers(
        &self,
        encoding: MessageEncoding,
        accepts_fast_infoset: bool,
    ) -> &http::HeaderMap {
        match (encoding, accepts_fast_infoset) {
            (MessageEncoding::Xml, false) => &self.headers[0],
            (MessageEncoding::Xml, true) => &self.headers[1],
            _ => &self.headers[2],
        }
    }
}

impl Reply {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Of HTTP. What comes in a package is taken out of it.
    pub(super) fn of(received: http::Received, limits: &Limits) -> Result<Self, CallError> {
        let kind = received.headers.get(http::header::CONTENT_TYPE);
        let kind = kind.and_then(|it| it.to_str().ok());
        let status = received.status.as_u16();
        if let Some(media_type) = kind.filter(|it| soap::is_package(it)) {
            let unpacked = soap::unpack(media_type, &received.body, limits);
            return Ok(Self::unpacked(status, unpacked.map_err(CallError::Reply)?));
        }
        let encoding = Self::encoding(kind);
        let hint = hint(&received.headers, received.status, encoding.is_none());
        let body = match encoding {
            Some(MessageEncoding::Xml) => in_utf8(kind.unwrap_or_default(), received.body)?,
            _ => received.body,
        };
        Ok(Self { status, encoding, body, package: None, hint })
    }

    /// What was taken out of a package.
    pub(super) fn unpacked(status: u16, unpacked: Unpacked) -> Self {
        let encoding = Self::encoding(Some(unpacked.media_type()));
        let body = Bytes::copy_from_slice(unpacked.outline());
        Self { status, encoding, body, package: Some(unpacked), hint: None }
    }

    fn encoding(media_type: Option<&str>) -> Option<MessageEncoding> {
        match media_type.and_then(MessageEncoding::of_media_type) {
            Some((MessageEncoding::StatefulFastInfoset, _)) => None,
            Some((encoding, _)) => Some(encoding),
            // Servers have many names for XML.
            None => media_type.is_none_or(|it| it.contains("xml")).then_some(MessageEncoding::Xml),
        }
    }
}

/// Where a redirection leads, how a login is asked for, or the media type that is none of SOAP's, as the header says it.
fn hint(headers: &http::HeaderMap, status: http::StatusCode, is_foreign: bool) -> Option<String> {
    let (name, why) = match status.as_u16() {
        301..=308 => (http::header::LOCATION, ""),
        401 => (http::header::WWW_AUTHENTICATE, ""),
        200..=299 if is_foreign => (http::header::CONTENT_TYPE, ", which is none of SOAP"),
        _ => return None,
    };
    let shown = match name.as_str() {
        "location" => "Location",
        "www-authenticate" => "WWW-Authenticate",
        _ => "Content-Type",
    };
    let values = headers.get_all(&name).iter();
    let values: Vec<_> = values.map(|it| String::from_utf8_lossy(it.as_bytes())).collect();
    (!values.is_empty()).then(|| format!(" ({shown}: {}{why})", values.join(", ")))
}

/// An answer in XML whose document need not be told its character set.
fn in_utf8(media_type: &str, body: Bytes) -> Result<Bytes, CallError> {
    let text = match charset::read(media_type, &body) {
        Some(Cow::Owned(text)) => text,
        Some(Cow::Borrowed(_)) => return Ok(body),
        None => {
            let what = format!("a character set that is known here, and not that of {media_type}");
            return Err(CallError::Reply(Error::new(ErrorKind::Expected(what.into()), 0)));
        }
    };
    Ok(text.into())
}

impl Exchange {
    pub(super) fn new(url: &Url, config: http::ClientConfig) -> Result<Self, CallError> {
        Ok(match url.is_channel {
            true => Self::Channel(Box::new(Channel::new(url, config))),
            false => Self::Http(Box::new(Posting::new(&url.authority, config)?)),
        })
    }

    pub(super) fn over(shared: &SharedConnection, url: &Url) -> Self {
        Self::Channel(Box::new(Channel::over(shared, url)))
    }

    /// Do calls overlap with those of others on the same connection?
    pub(super) fn overlaps(&self) -> Option<bool> {
        match self {
            Self::Http(_) => None,
            Self::Channel(channel) => channel.overlaps(),
        }
    }

    pub(super) fn prefer(&mut self, encoding: MessageEncoding, is_optimistic: bool) {
        match self {
            Self::Http(posting) => posting.prefer(encoding, is_optimistic),
            Self::Channel(channel) => channel.prefer(encoding),
        }
    }

    /// How members of at least so many octets are attached; answers whether they can be.
    pub(super) fn set_attachments(&mut self, attachments: Option<(Attachments, usize)>) -> bool {
        match self {
            Self::Http(posting) => posting.set_attachments(attachments),
            Self::Channel(_) => return attachments.is_none(),
        }
        true
    }

    /// What carries attachments, if it does.
    pub(super) fn posting(&mut self) -> Option<&mut Posting> {
        match self {
            Self::Http(posting) => Some(posting),
            Self::Channel(_) => None,
        }
    }

    pub(super) fn set_limits(&mut self, limits: Limits) {
        match self {
            Self::Http(posting) => posting.set_limits(limits),
            Self::Channel(channel) => channel.set_limits(limits),
        }
    }

    pub(super) fn set_vocabularies(&mut self, vocabularies: Vocabularies) {
        match self {
            Self::Http(posting) => posting.set_vocabularies(vocabularies),
            Self::Channel(channel) => channel.set_vocabularies(vocabularies),
        }
    }

    /// Sends a message, and waits for the answer.
    pub(super) fn call(
        &mut self,
        path: &str,
        head: &Head,
        message: &mut dyn Outgoing,
    ) -> Result<Reply, CallError> {
        match self {
            Self::Http(posting) => posting.call(path, head, message),
            Self::Channel(channel) => channel.call(head, message),
        }
    }

    /// The answer, to be read. `plain` is of those in XML.
    pub(super) fn incoming<'a>(
        &'a mut self,
        reply: &'a Reply,
        plain: &'a mut Prologues<()>,
    ) -> trunkline_message::Result<Incoming<'a>> {
        let encoding = reply.encoding.unwrap_or_default();
        let form = match self {
            Self::Http(posting) => posting.form(encoding),
            Self::Channel(channel) => channel.form(encoding),
        };
        let Some(Form { binary, plain }) = form else {
            return Ok(Incoming::new(&reply.body, reply.package.as_ref(), None, plain));
        };
        let reader = Reader::begin(&mut binary.parser, &reply.body)?;
        Ok(Incoming::new(&reply.body, None, Some(reader), plain))
    }

    /// The document at a path. It comes over HTTP in any case.
    pub(super) fn get(&mut self, url: &Url, headers: &http::HeaderMap) -> Result<Reply, CallError> {
        let mut own;
        let client: &mut http::Client = match self {
            Self::Http(posting) => posting.client(),
            Self::Channel(channel) => {
                own = http::Client::new(&url.authority, channel.config().clone())?;
                &mut own
            }
        };
        Reply::of(client.request(&http::Method::GET, &url.path, headers, &[])?, &Limits::default())
    }

    /// How the last message was sent.
    pub(super) fn sent(&self) -> Option<Sent> {
        match self {
            Self::Http(posting) => posting.sent(),
            Self::Channel(channel) => channel.sent(),
        }
    }

    /// The vocabularies that a channel retains: of what was sent, and of what came.
    pub(super) fn retained(&self) -> Option<[Retained; 2]> {
        match self {
            Self::Http(_) => None,
            Self::Channel(channel) => channel.retained(),
        }
    }

    /// Transport and compression, in profiles.
    pub(super) fn profile(&mut self, is_tls: bool) -> (&'static str, &'static str) {
        match self {
            Self::Http(posting) => {
                let config = posting.client().config_mut();
                let compression = config.compression.map_or("none", |it| it.name());
                (transport_name(config.version, is_tls), compression)
            }
            Self::Channel(_) => (channels::transport_name(is_tls), "none"),
        }
    }
}
