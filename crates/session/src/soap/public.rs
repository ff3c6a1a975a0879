//! The address of a service in a WSDL.

use trunkline_http::Request;

/// Where clients reach a server.
#[derive(Debug)]
pub(super) enum Public {
    /// At this URL, which does not end in a slash.
    At(String),
    /// The address at which the WSDL was requested.
    OfRequest {
        /// Has the server TLS?
        is_tls: bool,
        /// Is the address taken from a proxy's headers?
        trusts_forwarded: bool,
    },
}

impl Public {
    /// At a URL of http or https; gives it back if it is none.
    pub(super) fn at(url: String) -> Result<Self, String> {
        let rest = ["http://", "https://"].iter().find_map(|it| url.strip_prefix(it));
        let is_url = rest.is_some_and(|rest| {
            let unfit = |c: char| c.is_whitespace() || c.is_control() || "?#\"<>\\".contains(c);
            !rest.is_empty() && !rest.starts_with(['/', ':']) && !rest.contains(unfit)
        });
        match is_url {
            true => Ok(Self::At(url.trim_end_matches('/').to_owned())),
            false => Err(url),
        }
    }

    /// The URL of a path.
    pub(super) fn location(&self, request: &Request<'_>, path: &str) -> String {
        let (is_tls, trusts_forwarded) = match self {
            Self::At(url) => return format!("{url}{path}"),
            Self::OfRequest { is_tls, trusts_forwarded } => (*is_tls, *trusts_forwarded),
        };
        // Each proxy appends its own value.
        let forwarded = |name| {
            let value = request.header(name).filter(|_| trusts_forwarded)?;
            let first = value.split(',').next().unwrap_or_default().trim();
            (!first.is_empty()).then_some(first)
        };
        let scheme = match forwarded("x-forwarded-proto") {
            Some(scheme) if scheme.eq_ignore_ascii_case("https") => "https",
            Some(scheme) if scheme.eq_ignore_ascii_case("http") => "http",
            _ if is_tls => "https",
            _ => "http",
        };
        let host = forwarded("x-forwarded-host").or_else(|| request.header("host"));
        format!("{scheme}://{}{path}", host.unwrap_or("localhost"))
    }
}
