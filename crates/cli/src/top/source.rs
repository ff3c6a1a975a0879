//! Where snapshots of a router come from.

use std::time::Duration;

use trunkline_http::{Client, ClientConfig, HeaderMap, Method, StatusCode};
use trunkline_server::snapshot::Snapshot;

use crate::arguments::TlsArguments;
use crate::fault::Fault;
use crate::output::plain;

/// For an answer of a router that is at hand.
const PATIENCE: Duration = Duration::from_secs(5);
/// Clients among which the first ones are looked for.
const CLIENTS: usize = 10_000;
/// Topics, those with most messages, among which a filter looks.
pub(super) const TOPICS_FILTERED: usize = 1_000;

/// A router's HTTP address.
pub(crate) struct Source {
    url: String,
    client: Client,
    path: String,
}

/// Speaks with a router at a URL: what asks it, and the URL without a path.
pub(crate) fn connect(url: &str, tls: &TlsArguments) -> Result<(Client, String), Fault> {
    let (scheme, authority) = url.split_once("://").unwrap_or(("http", url));
    let authority = authority.trim_end_matches('/');
    let is_http = matches!(scheme, "http" | "https");
    if !is_http || authority.is_empty() || authority.contains('/') {
        return Err(Fault::new(format!(
            "{url:?} is not like http://127.0.0.1:7401, the router's HTTP address"
        )));
    }
    let config = ClientConfig {
        connect_timeout: PATIENCE,
        response_timeout: PATIENCE,
        accept_compression: true,
        tls: tls.load_for(url)?.filter(|_| scheme == "https"),
        ..ClientConfig::default()
    };
    Ok((Client::new(authority, config)?, format!("{scheme}://{authority}")))
}

impl Source {
    pub(crate) fn new(url: &str, tls: &TlsArguments, topics: usize) -> Result<Self, Fault> {
        let (client, url) = connect(url, tls)?;
        let path = format!("/status?clients={CLIENTS}&topics={topics}");
        Ok(Self { url, client, path })
    }

    pub(crate) fn snapshot(&mut self) -> Result<Snapshot, Fault> {
        let url = &self.url;
        let answer = self.client.request(&Method::GET, &self.path, &HeaderMap::new(), b"");
        let answer = answer.map_err(|error| {
            Fault::new(format!(
                "{error}; `trunkline serve` starts a router, --to says where one is"
            ))
        })?;
        if answer.status != StatusCode::OK {
            let text = plain(&String::from_utf8_lossy(&answer.body));
            return Err(Fault::new(format!("{url}: {}: {}", answer.status, text.trim())));
        }
        serde_json::from_slice(&answer.body)
            .map_err(|error| Fault::new(format!("{url} is no router: {error}")))
    }
}
