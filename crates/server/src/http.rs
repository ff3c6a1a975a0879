//! The pages over HTTP: `/metrics`, `/health`, `/health/ready`, `/status`, and those for administrators.
//!
//! It runs on threads of its own and asks the loop for a [`Snapshot`], which the loop makes between
//! two turns: no client waits for a reader of metrics.

mod administration;
mod metrics;
mod passwords;
mod permission;

use std::net::{IpAddr, TcpListener};
use std::time::Duration;

use trunkline_http::{
    Config, Handler, HeaderValue, Method, Order, Peer, Request, Response, Running, Server,
    ServerTls, StatusCode, Workers, header, host_of,
};

use crate::config::Admin;
use crate::server::Handle;
use crate::snapshot::{Snapshot, SnapshotRequest};

pub use metrics::{MEDIA_TYPE, render};
use permission::Permission;
pub use permission::TOKEN_BYTES;
pub(crate) use permission::read_token;

/// Which pages are served, how long they are, and for which hosts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Clients that have series of their own in `/metrics`.
    pub metrics_clients: usize,
    /// Names that requests may be for, beside `localhost` and addresses; `*` is any.
    pub hosts: Vec<String>,
    /// Who may administer.
    pub admin: Admin,
    /// The maximum number of open connections; waiting ones make room for new ones.
    pub connections: usize,
    /// With TLS, if it has a certificate.
    pub tls: Option<ServerTls>,
}

/// A request takes no longer to come than this.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);

/// Clients that `/status` lists if it is not asked for another number.
const STATUS_CLIENTS: usize = 100;
/// Topics that `/status` lists if it is not asked for another number.
const STATUS_TOPICS: usize = 20;
/// No question gets more clients or topics than this.
const MOST_LISTED: usize = 100_000;

const PAGES: &str = "/metrics       counters, as OpenMetrics\n\
                     /status        clients, topics and totals, as JSON; ?clients=N&topics=N\n\
                     /health        this process answers\n\
                     /health/ready  the router answers, and takes guaranteed messages\n\
                     /health/ready/direct  the router answers\n";

/// Listens at `address`, such as `127.0.0.1:7401`, or with a socket that listens already, and answers for a router.
///
/// # Errors
/// The address cannot be listened on, or there are no more threads or files.
pub fn serve(
    address: &str,
    inherited: Option<TcpListener>,
    settings: Settings,
    router: Handle,
) -> trunkline_http::Result<Running> {
    let config = Config {
        threads: 1,
        // One more than may wait for passwords. The loop makes one snapshot after the other.
        workers: Workers::Pool { threads: passwords::MOST + 1, queue: 16, order: Order::FirstIn },
        connections: settings.connections,
        evicts: true,
        header_timeout: HEADER_TIMEOUT,
        handshake_timeout: HEADER_TIMEOUT,
        header_bytes: 16 << 10,
        body_bytes: 4 << 10,
        tls: settings.tls.clone(),
        ..Config::default()
    };
    let permission = Permission::new(&settings.admin);
    let server = match inherited {
        Some(listener) => Server::from_listener(listener, config)?,
        None => Server::bind(address, config)?,
    };
    server.serve(Pages { settings, permission, router })
}

struct Pages {
    settings: Settings,
    permission: Permission,
    router: Handle,
}

impl Handler for Pages {
    type Connection = Peer;

    fn connect(&self, peer: &Peer) -> Peer {
        peer.clone()
    }

    fn handle(&self, peer: &mut Peer, request: &Request<'_>, response: &mut Response) {
        *response = if let Err(host) = self.check_host(request) {
            let reason = format!(
                "requests for the host {host:?} are not answered; the router's \
                 configuration lists the host names that are (http.hosts)\n"
            );
            text(StatusCode::MISDIRECTED_REQUEST, &reason)
        } else if administration::is_below(request.path) {
            administration::answer(&self.permission, &self.router, peer, request)
        } else if *request.method == Method::GET || *request.method == Method::HEAD {
            self.page(peer, request)
        } else {
            let mut rejection = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
            rejection.headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            rejection
        };
        response.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// Who asks whether the router is ready wants no clients and no topics.
const NOTHING: SnapshotRequest = SnapshotRequest { clients: 0, topics: 0 };

impl Pages {
    /// A browser says for which host a request is. A page from elsewhere whose name has been made to point
    /// here, so that the browser takes this router for its own server, is known by that name.
    fn check_host(&self, request: &Request<'_>) -> Result<(), String> {
        let Some(host) = request.headers.get(header::HOST) else { return Ok(()) };
        let whole = String::from_utf8_lossy(host.as_bytes());
        let host = host_of(&whole);
        let is_own = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok();
        let is_listed = |it: &String| it == "*" || it.eq_ignore_ascii_case(host);
        match is_own || self.settings.hosts.iter().any(is_listed) {
            true => Ok(()),
            false => Err(whole.into_owned()),
        }
    }

    fn page(&self, peer: &Peer, request: &Request<'_>) -> Response {
        if matches!(request.path, "/metrics" | "/status")
            && let Err(response) = self.permission.may_observe(&self.router.gate(), peer, request)
        {
            return *response;
        }
        match request.path {
            "/" => text(StatusCode::OK, &format!("{PAGES}{}", administration::PAGES)),
            "/metrics" => self.metrics(),
            "/status" => self.status(request.query),
            "/health" => text(StatusCode::OK, "alive\n"),
            "/health/ready" => self.with(NOTHING, ready),
            "/health/ready/direct" => self.with(NOTHING, ready_direct),
            _ => text(StatusCode::NOT_FOUND, &format!("there is no such page; there are\n{PAGES}")),
        }
    }

    fn metrics(&self) -> Response {
        let ask = SnapshotRequest { clients: self.settings.metrics_clients, topics: 0 };
        self.with(ask, |snapshot| {
            let mut response =
                Response { body: render(snapshot).into_bytes(), ..Response::default() };
            response.content_type(MEDIA_TYPE);
            response
        })
    }

    fn status(&self, query: Option<&str>) -> Response {
        let ask = match listed(query.unwrap_or_default()) {
            Ok(ask) => ask,
            Err(problem) => return text(StatusCode::BAD_REQUEST, &problem),
        };
        self.with(ask, |snapshot| match serde_json::to_vec(snapshot) {
            Ok(body) => {
                let mut response = Response { body, ..Response::default() };
                response.content_type("application/json");
                response
            }
            Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error}\n")),
        })
    }

    fn with(&self, ask: SnapshotRequest, answer: impl FnOnce(&Snapshot) -> Response) -> Response {
        match self.router.snapshot(ask) {
            Some(snapshot) => answer(&snapshot),
            None => text(StatusCode::SERVICE_UNAVAILABLE, "the router does not answer\n"),
        }
    }
}

/// Whether clients are accepted.
fn ready_direct(snapshot: &Snapshot) -> Response {
    let drain = &snapshot.drain;
    if !drain.is_draining {
        return text(StatusCode::OK, "ready\n");
    }
    let colon = if drain.reason.is_empty() { "" } else { ": " };
    let why = format!("draining for maintenance{colon}{}\n", drain.reason);
    text(StatusCode::SERVICE_UNAVAILABLE, &why)
}

/// Whether guaranteed messages are taken too.
fn ready(snapshot: &Snapshot) -> Response {
    let journal = &snapshot.journal;
    if snapshot.drain.is_draining || journal.trouble.is_empty() {
        return ready_direct(snapshot);
    }
    let what = match journal.has_failed {
        true => "the journal has failed",
        false => "guaranteed messages are rejected, the journal has no room",
    };
    text(StatusCode::SERVICE_UNAVAILABLE, &format!("{what}: {}\n", journal.trouble))
}

fn text(status: StatusCode, text: &str) -> Response {
    Response::text(status, text)
}

/// How much `/status` is asked for.
fn listed(query: &str) -> Result<SnapshotRequest, String> {
    let mut ask = SnapshotRequest { clients: STATUS_CLIENTS, topics: STATUS_TOPICS };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let place = match key {
            "clients" => &mut ask.clients,
            "topics" => &mut ask.topics,
            _ => return Err(format!("{key:?} is not known; there are clients and topics\n")),
        };
        let count: Option<usize> = value.parse().ok();
        *place = count.filter(|count| *count <= MOST_LISTED).ok_or_else(|| {
            format!("{key} is a whole number of at most {MOST_LISTED}, not {value:?}\n")
        })?;
    }
    Ok(ask)
}
