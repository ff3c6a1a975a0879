//! Answers of the server itself: a status, and one line with the reason.

use std::fmt::Write as _;
use std::time::Duration;

use http::{HeaderValue, StatusCode, header};

use super::{Config, Response, compression};

/// Why a request gets no handler.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    pub(super) status: StatusCode,
    text: String,
    /// For 503.
    retry_after: Option<Duration>,
    /// The connection cannot be used any more: where the next request begins is not known, or is far
    /// away.
    pub(super) close: bool,
}

impl Rejection {
    fn new(status: StatusCode, text: String) -> Self {
        Self { status, text, retry_after: None, close: true }
    }

    /// The reason, as text.
    pub(super) fn bad(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text.into())
    }

    pub(super) fn with_status(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, text.into())
    }

    /// The reason.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn keep_open(mut self) -> Self {
        self.close = false;
        self
    }

    pub(super) fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// A head that took too long.
    pub(super) fn header_timeout(config: &Config) -> Self {
        let text = format!("header_timeout: no whole head within {:?}", config.header_timeout);
        Self::new(StatusCode::REQUEST_TIMEOUT, text)
    }

    /// A body that took too long.
    pub(super) fn body_timeout(config: &Config) -> Self {
        let text = format!("body_timeout: no whole body within {:?}", config.body_timeout);
        Self::new(StatusCode::REQUEST_TIMEOUT, text)
    }

    /// A head that is too long.
    pub(super) fn header_bytes(config: &Config) -> Self {
        let text = format!("header_bytes: the head has more than {} bytes", config.header_bytes);
        Self::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, text)
    }

    pub(super) fn target_bytes(config: &Config) -> Self {
        let text = format!("target_bytes: the target has more than {} bytes", config.target_bytes);
        Self::new(StatusCode::URI_TOO_LONG, text)
    }

    pub(super) fn body_bytes(config: &Config) -> Self {
        let text = format!("body_bytes: the body has more than {} bytes", config.body_bytes);
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    /// A body that is handed over as it comes, and is too long.
    pub(super) fn streamed_bytes(config: &Config) -> Self {
        let most = config.streamed_bytes;
        let text = format!("streamed_bytes: the body has more than {most} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    /// Bodies are handed over as they come, as many as may.
    pub(super) fn streams(config: &Config) -> Self {
        let text = format!("streams: {} bodies are read as they come", config.streams);
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text).retry_after(config.retry_after)
    }

    /// Answers are sent as they come, as many as may, and none has ended. The function has been called, so nobody is told to ask again.
    pub(super) fn answers(config: &Config) -> Self {
        let Config { streams, write_timeout, .. } = config;
        let text = format!(
            "streams: {streams} answers are sent as they come, and none ended within the write_timeout of {write_timeout:?}"
        );
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }

    /// Nobody handles the request any more.
    pub(super) fn stops() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "the server stops".to_owned())
    }

    pub(super) fn connections(config: &Config) -> Self {
        let text = format!("connections: all {} are in use", config.connections);
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text).retry_after(config.retry_after)
    }

    /// In place of the empty answers that hyper makes where it cannot read a head.
    pub(super) fn for_unreadable_head(answer: &[u8], config: &Config) -> Self {
        let status = answer.get(9..12).and_then(|digits| StatusCode::from_bytes(digits).ok());
        match status {
            Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE) => {
                let text = format!(
                    "headers: more than {}, or header_bytes: more than {} bytes",
                    config.headers, config.header_bytes
                );
                Self::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, text)
            }
            Some(StatusCode::URI_TOO_LONG) => Self::target_bytes(config),
            _ => Self::bad("the head is not one of HTTP/1.0 or HTTP/1.1"),
        }
    }

    /// The answer, for hyper to write.
    pub(super) fn response(&self) -> Response {
        let mut response = Response::text(self.status, &format!("{}\n", self.text));
        if self.close {
            response.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(wait) = self.retry_after {
            let seconds = HeaderValue::from(wait.as_secs().max(1));
            response.headers.insert(header::RETRY_AFTER, seconds);
        }
        if self.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            let known = HeaderValue::from_static(compression::KNOWN);
            response.headers.insert(header::ACCEPT_ENCODING, known);
        }
        response
    }

    /// The answer as bytes, where hyper is not there any more.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let reason = self.status.canonical_reason().unwrap_or_default();
        let mut text = format!("HTTP/1.1 {} {reason}\r\n", self.status.as_u16());
        let response = self.response();
        for (name, value) in &response.headers {
            let _ = write!(text, "{name}: {}\r\n", value.to_str().unwrap_or_default());
        }
        let _ = write!(text, "content-length: {}\r\n\r\n", response.body.len());
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&response.body);
        bytes
    }
}
