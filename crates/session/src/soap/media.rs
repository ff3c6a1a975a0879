//! Media types and actions: SOAP 1.1 section 6.1.1, RFC 3902.

use trunkline_http::{self as http, HeaderMap, HeaderValue, Request, header};
use trunkline_soap::{Attachments, Version};

use super::{CallError, MessageEncoding};

pub(super) const TEXT_XML: &str = "text/xml; charset=utf-8";
pub(super) const SOAP_XML: &str = "application/soap+xml; charset=utf-8";
const MULTIPART: &str = "multipart/related";
const XOP_XML: &str = "application/xop+xml";

/// The SOAP that a request claims to be, how it is encoded, and its action; None where it is of no media type of
/// SOAP. Over HTTP no vocabulary is retained: requests of one sender may come over several connections.
pub(super) fn media<'a>(request: &Request<'a>) -> Option<(Version, MessageEncoding, &'a str)> {
    media_of(request.header("content-type").unwrap_or_default(), request)
}

/// The same of one whose envelope has this media type, be it in a package.
pub(super) fn media_of<'a>(
    content_type: &'a str,
    request: &Request<'a>,
) -> Option<(Version, MessageEncoding, &'a str)> {
    let (encoding, version) = MessageEncoding::of_media_type(content_type)?;
    let action = match version {
        Version::Soap11 => unquoted(request.header("soapaction").unwrap_or_default().trim()),
        Version::Soap12 => parameter(content_type, "action").unwrap_or_default(),
    };
    (encoding != MessageEncoding::StatefulFastInfoset).then_some((version, encoding, action))
}

/// How the answer to a request is encoded: as the request is, or in Fast Infoset if that is accepted, by which a
/// client learns that it may send that (RFC 9110 section 12.5.1).
pub(super) fn answer_encoding(request: &Request<'_>, received: MessageEncoding) -> MessageEncoding {
    let is_fast = |it: &str| {
        let encoding = MessageEncoding::of_media_type(it);
        encoding.is_some_and(|it| it.0 == MessageEncoding::FastInfoset)
    };
    match received == MessageEncoding::FastInfoset || accepted(request).any(is_fast) {
        true => MessageEncoding::FastInfoset,
        false => MessageEncoding::Xml,
    }
}

/// The media types that a request accepts, without those of which it says that it does not.
fn accepted<'a>(request: &Request<'a>) -> impl Iterator<Item = &'a str> {
    request.header("accept").unwrap_or_default().split(',').filter(|it| {
        let weight = parameter(it, "q").and_then(|it| it.parse::<f32>().ok());
        weight.is_none_or(|it| it > 0.0)
    })
}

/// How what is attached to an answer may travel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Accepted {
    /// Members of octets.
    pub(super) members: Option<Attachments>,
    /// Streams, which can be nowhere else.
    pub(super) streams: Option<Attachments>,
}

/// How what is attached to the answer may travel. A request that came in a package has an answer in one of its kind; of another, what
/// it accepts counts, and streams go to who accepts any package, or anything.
pub(super) fn accepted_by(request: &Request<'_>, packaged: Option<Attachments>) -> Accepted {
    let members = packaged.or_else(|| accepted_attachments(request));
    let essence = |it: &str| it.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_any = |it: &str| ["multipart/related", "multipart/*", "*/*"].contains(&&*essence(it));
    let takes_any = request.header("accept").is_none() || accepted(request).any(is_any);
    Accepted { members, streams: members.or(takes_any.then_some(Attachments::Mtom)) }
}

/// How what is attached to the answer may travel, if a request says so by what it accepts. A bare `multipart/related` says
/// nothing: clients of JAX-WS send it with every request.
fn accepted_attachments(request: &Request<'_>) -> Option<Attachments> {
    accepted(request).find_map(|it| {
        let essence = it.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/dime") {
            return Some(Attachments::Dime);
        }
        let root = parameter(it, "type").filter(|_| essence.eq_ignore_ascii_case(MULTIPART))?;
        match root.eq_ignore_ascii_case(XOP_XML) {
            true => Some(Attachments::Mtom),
            false => MessageEncoding::of_media_type(root).map(|_| Attachments::Swa),
        }
    })
}

/// What a client accepts that attaches so, beside an envelope.
pub(super) fn accept(attachments: Attachments, version: Version) -> HeaderValue {
    HeaderValue::from_static(match (attachments, version) {
        (Attachments::Mtom, Version::Soap11) => {
            "multipart/related; type=\"application/xop+xml\", text/xml"
        }
        (Attachments::Mtom, Version::Soap12) => {
            "multipart/related; type=\"application/xop+xml\", application/soap+xml"
        }
        (Attachments::Swa | Attachments::SwaRef, Version::Soap11) => {
            "multipart/related; type=\"text/xml\", text/xml"
        }
        (Attachments::Swa | Attachments::SwaRef, Version::Soap12) => {
            "multipart/related; type=\"application/soap+xml\", application/soap+xml"
        }
        (Attachments::Dime, Version::Soap11) => "application/dime, text/xml",
        (Attachments::Dime, Version::Soap12) => "application/dime, application/soap+xml",
    })
}

/// A parameter of a media type (RFC 9110 section 5.6.6), without its quotes.
pub(super) fn parameter<'a>(media_type: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = media_type.split_once(';')?.1;
    loop {
        let (key, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let end = match value.strip_prefix('"') {
            Some(quoted) => quoted.find('"')? + 2,
            None => value.find(';').unwrap_or(value.len()),
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(unquoted(value[..end].trim()));
        }
        rest = value[end..].trim_start().strip_prefix(';')?;
    }
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(value)
}

/// Content type and action of a request, for clients, and whether its answer may be in Fast Infoset.
pub(super) fn request_headers(
    encoding: MessageEncoding,
    version: Version,
    action: &str,
    accepts_fast_infoset: bool,
) -> Result<HeaderMap, CallError> {
    if action.contains(['"', '\\']) || action.contains(char::is_control) {
        return Err(CallError::Action(action.to_owned()));
    }
    let media_type = encoding.media_type(version);
    let mut lines = match version {
        Version::Soap11 => vec![
            (header::CONTENT_TYPE, media_type.to_owned()),
            (http::HeaderName::from_static("soapaction"), format!("\"{action}\"")),
        ],
        Version::Soap12 => {
            vec![(header::CONTENT_TYPE, format!("{media_type}; action=\"{action}\""))]
        }
    };
    if accepts_fast_infoset {
        let xml = MessageEncoding::Xml.content_type(version);
        let binary = MessageEncoding::FastInfoset.content_type(version);
        lines.push((header::ACCEPT, format!("{binary}, {xml}")));
    }
    let value =
        |text| HeaderValue::try_from(text).map_err(|_| CallError::Action(action.to_owned()));
    lines.into_iter().map(|(name, text)| Ok((name, value(text)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::parameter;

    #[test]
    fn the_action_is_found_among_the_parameters_of_a_media_type() {
        let action = |text| parameter(text, "action");
        assert_eq!(
            action("application/soap+xml; charset=utf-8; action=\"urn:a;b#c\""),
            Some("urn:a;b#c")
        );
        assert_eq!(action("application/soap+xml;action=urn:a;charset=utf-8"), Some("urn:a"));
        assert_eq!(action("application/soap+xml; x=\"action=1\"; ACTION = \"\""), Some(""));
        assert_eq!(action("application/soap+xml; charset=utf-8"), None);
        assert_eq!(action("application/soap+xml; action=\"open"), None);
    }
}
