//! What a request has in its body.

use std::borrow::Cow;

use trunkline_http::{Request, StatusCode};
use trunkline_message::Limits;
use trunkline_soap::{self as soap, Unpacked, Version};

use super::media::{Accepted, accepted_by, media_of};
use super::{MessageEncoding, charset};

/// An envelope, and the package that it came in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope<'a> {
    /// Of one in a package, the outline.
    pub(super) bytes: &'a [u8],
    pub(super) package: Option<&'a Unpacked>,
}

impl<'a> Envelope<'a> {
    /// One that came by itself.
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, package: None }
    }
}

/// A request as it came.
#[derive(Debug)]
pub(super) struct Arrived<'a> {
    pub(super) version: Version,
    pub(super) received: MessageEncoding,
    pub(super) action: Cow<'a, str>,
    /// How what is attached to the answer may travel.
    pub(super) accepted: Accepted,
    content: Content<'a>,
}

#[derive(Debug)]
enum Content<'a> {
    Envelope(Cow<'a, [u8]>),
    Package(Box<Unpacked>),
}

impl<'a> Arrived<'a> {
    /// Takes an envelope out of its package, if it is in one; or says what is wrong with the request.
    pub(super) fn of(
        request: &'a Request<'_>,
        limits: &Limits,
    ) -> Result<Self, (StatusCode, String)> {
        let media_type = request.header("content-type").unwrap_or_default();
        if soap::is_package(media_type) {
            let unpacked = soap::unpack(media_type, request.body, limits).map_err(|error| {
                (StatusCode::BAD_REQUEST, format!("the package cannot be taken apart: {error}"))
            })?;
            return Self::of_package(request, unpacked);
        }
        let (version, received, action) = media_of(media_type, request).ok_or_else(unsupported)?;
        let body = match received {
            MessageEncoding::Xml => charset::read(media_type, request.body).ok_or_else(|| {
                let text = format!("the character set of {media_type} is not known here");
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, text)
            })?,
            _ => Cow::Borrowed(request.body),
        };
        let (action, content) = (action.into(), Content::Envelope(body));
        let accepted = accepted_by(request, None);
        Ok(Self { version, received, action, accepted, content })
    }

    /// The request whose envelope was taken out of its package.
    pub(super) fn of_package(
        request: &Request<'_>,
        unpacked: Unpacked,
    ) -> Result<Self, (StatusCode, String)> {
        let (version, received, action) =
            media_of(unpacked.media_type(), request).ok_or_else(unsupported)?;
        let action = Cow::Owned(action.to_owned());
        let accepted = accepted_by(request, Some(unpacked.attachments()));
        let content = Content::Package(Box::new(unpacked));
        Ok(Self { version, received, action, accepted, content })
    }

    pub(super) fn envelope(&self) -> Envelope<'_> {
        match &self.content {
            Content::Envelope(bytes) => Envelope::of(bytes),
            Content::Package(it) => Envelope { bytes: it.outline(), package: Some(it) },
        }
    }
}

fn unsupported() -> (StatusCode, String) {
    let accepted = "an envelope is text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2), or Fast \
                    Infoset: application/fastinfoset or application/soap+fastinfoset; or in a package: \
                    multipart/related or application/dime";
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, accepted.to_owned())
}
