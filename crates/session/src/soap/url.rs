//! Where a service is.

use trunkline_http::Uri;

use super::CallError;

/// A URL of HTTP or of SOAP/TCP in the parts that a client needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    /// `host:port`.
    pub(super) authority: String,
    /// Path and query.
    pub(super) path: String,
    pub(super) is_tls: bool,
    /// Is it of SOAP/TCP?
    pub(super) is_channel: bool,
}

/// The schemes of SOAP/TCP, without and with TLS; the latter is ours.
const CHANNEL: &str = "vnd.sun.ws.tcp";
const CHANNEL_TLS: &str = "vnd.sun.ws.tcps";

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, CallError> {
        let error = |why: &str| CallError::Url(format!("{text:?} is no URL of a service: {why}"));
        let uri: Uri = text
            .parse()
            .map_err(|_| error("a URL is http://, https:// or vnd.sun.ws.tcp:// and a host"))?;
        let (is_tls, is_channel) = match uri.scheme_str() {
            Some("http") => (false, false),
            Some("https") => (true, false),
            Some(CHANNEL) => (false, true),
            Some(CHANNEL_TLS) => (true, true),
            Some(_) => return Err(error("its scheme is neither http nor https")),
            None => return Err(error("a URL begins with http:// or https://")),
        };
        let host = uri.host().ok_or_else(|| error("it has no host"))?;
        let authority = uri.authority().map_or("", |it| it.as_str());
        let port = match (authority.strip_prefix(host), uri.port_u16()) {
            (None, _) => return Err(error("it names a user, who is not told to anybody")),
            (Some("" | ":"), _) if is_channel => {
                return Err(error("it has no port, and SOAP/TCP has none of its own"));
            }
            (Some("" | ":"), _) => {
                if is_tls {
                    443
                } else {
                    80
                }
            }
            (Some(_), Some(port)) => port,
            (Some(_), None) => return Err(error("its port is no port")),
        };
        let path = uri.path_and_query().map_or("/", |it| it.as_str());
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { authority: format!("{host}:{port}"), path, is_tls, is_channel })
    }

    /// All of it again.
    pub(super) fn whole(&self) -> String {
        self.with_path(&self.path)
    }

    /// With another path, which begins with a slash.
    pub(super) fn with_path(&self, path: &str) -> String {
        let scheme = match (self.is_channel, self.is_tls) {
            (true, false) => CHANNEL,
            (true, true) => CHANNEL_TLS,
            (false, true) => "https",
            (false, false) => "http",
        };
        let slash = if path.starts_with('/') { "" } else { "/" };
        format!("{scheme}://{}{slash}{path}", self.authority)
    }
}
