//! Where snapshots of a router come from.

use std::time::Duration;

use trunkline_http::{Client, ClientConfig, HeaderMap, Method, StatusCode};
use trunkline_server::snapshot::Snapshot;

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

/// Speaks with a router at a URL: what asks it, and its host and port.
pub(crate) fn connect(url: &str) -> Result<(Client, String), Fault> {
    let authority = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
    if authority.is_empty() || authority.contains('/') {
        return Err(Fault::new(format!(
            "{url:?} is not like http://127.0.0.1:7401, the router's HTTP address"
        )));
    }
    let config = ClientConfig {
        connect_timeout: PATIENCE,
        response_timeout: PATIENCE,
        accept_compression: true,
        ..ClientConfig::default()
    };
    Ok((Client::new(authority, config)?, authority.to_owned()))
}

impl Source {
    pub(crate) fn new(url: &str, topics: usize) -> Result<Self, Fault> {
        let (client, authority) = connect(url)?;
        let path = format!("/status?clients={CLIENTS}&topics={topics}");
        Ok(Self { url: format!("http://{authority}"), client, path })
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
