//! Our own end as a service: customer and product records over HTTP or raw TCP.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use trunkline_http::{Config, Order, ServerTls, Workers};
use trunkline_session::soap::{CallReport, Running, Server, TcpConfig, TcpServer};

use super::binary_echo;
use super::fault::Fault;
use crate::customer_services::web_service;
use crate::echo::EchoServer;
use crate::http_echo::HttpEcho;
use crate::peer::Stages;
use trunkline_experiment::format::{Encoding, Format};

/// Requests that may wait for a pool: none is rejected by an experiment's load.
const QUEUE: usize = 4096;

/// What a service is asked to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Serving<'a> {
    /// Of the transport; behind a pool there are others.
    pub(super) threads: usize,
    /// A connection is for one call.
    pub(super) closes: bool,
    /// Answers are sent in chunks.
    pub(super) is_chunked: bool,
    /// Small segments are held back.
    pub(super) has_nagle: bool,
    /// Certificate and key.
    pub(super) tls: Option<(&'a Path, &'a Path)>,
    /// The authorities whose clients are served.
    pub(super) mutual: Option<&'a Path>,
    /// Threads that handle requests, and which of those that wait is next.
    pub(super) pool: Option<(usize, Order)>,
    /// Raw TCP, with messages of this format.
    pub(super) tcp: Option<Format>,
    /// The parts of calls are timed.
    pub(super) has_stages: bool,
}

/// A service that runs until it is dropped.
pub(super) enum Service {
    Bare(HttpEcho),
    Http { running: Running, calls: Arc<Calls> },
    Tcp(TcpServer),
    Binary(EchoServer),
}

/// What calls took together.
#[derive(Default)]
pub(super) struct Calls {
    has_stages: bool,
    decode: AtomicU64,
    application: AtomicU64,
    encode: AtomicU64,
    count: AtomicU64,
}

impl Service {
    pub(super) fn bare(serving: &Serving<'_>) -> Result<Self, Fault> {
        let Serving { threads, closes, .. } = *serving;
        if (Serving { threads, closes, ..Serving::default() }) != *serving {
            return Err(Fault::new("a bare end serves plain HTTP only"));
        }
        Ok(Self::Bare(HttpEcho::start(threads, closes)?))
    }

    pub(super) fn ours(serving: &Serving<'_>) -> Result<Self, Fault> {
        match serving.tcp {
            None => Self::over_http(serving),
            Some(format) if matches!(format.encoding(), Encoding::Cdr(_)) => {
                let echo = EchoServer::start(0, !serving.has_nagle, binary_echo::serve)?;
                Ok(Self::Binary(echo))
            }
            Some(format) => {
                let path = web_service::path_of(format);
                let endpoints = web_service::echo_service().build()?;
                let endpoint = endpoints.into_iter().find(|it| Some(it.path()) == path);
                let Some(endpoint) = endpoint else {
                    let name = format.name();
                    return Err(Fault::new(format!(
                        "{name} does not carry the service's messages"
                    )));
                };
                Ok(Self::Tcp(TcpServer::start("127.0.0.1:0", endpoint, TcpConfig::default())?))
            }
        }
    }

    fn over_http(serving: &Serving<'_>) -> Result<Self, Fault> {
        let workers = match serving.pool {
            None => Workers::InPlace,
            Some((threads, order)) => Workers::Pool { threads, queue: QUEUE, order },
        };
        let tls = match serving.tls {
            None => None,
            Some((chain, key)) => Some(ServerTls::from_files(chain, key, serving.mutual)?),
        };
        let config = Config {
            threads: serving.threads,
            workers,
            keep_alive: !serving.closes,
            chunked: serving.is_chunked,
            nodelay: !serving.has_nagle,
            tls,
            ..Config::default()
        };
        let calls = Arc::new(Calls { has_stages: serving.has_stages, ..Calls::default() });
        let mut server = Server::new().service(web_service::service()).config(config);
        if serving.has_stages {
            let calls = Arc::clone(&calls);
            server = server.time_stages().on_call(move |report| calls.add(report));
        }
        Ok(Self::Http { running: server.start("127.0.0.1:0")?, calls })
    }

    pub(super) fn port(&self) -> u16 {
        match self {
            Self::Bare(echo) => echo.port(),
            Self::Http { running, .. } => running.address().port(),
            Self::Tcp(server) => SocketAddr::port(&server.address()),
            Self::Binary(echo) => echo.address().port(),
        }
    }

    /// Calls so far; of raw TCP nobody counts them.
    pub(super) fn calls(&self) -> u64 {
        match self {
            Self::Bare(echo) => echo.calls(),
            Self::Http { running, .. } => running.counters().requests,
            Self::Tcp(_) => 0,
            Self::Binary(echo) => echo.calls(),
        }
    }

    /// What the calls took since this was asked last.
    pub(super) fn stages(&self) -> Result<Stages, Fault> {
        match self {
            Self::Http { calls, .. } if calls.has_stages => Ok(calls.take()),
            _ => Err(Fault::new("it does not time the parts of calls")),
        }
    }
}

impl Calls {
    fn add(&self, report: &CallReport<'_>) {
        let Some(stages) = report.stages else { return };
        let parts = [
            (&self.decode, stages.decode),
            (&self.application, stages.application),
            (&self.encode, stages.encode),
        ];
        for (sum, part) in parts {
            let nanoseconds = u64::try_from(part.as_nanos()).unwrap_or(u64::MAX);
            sum.fetch_add(nanoseconds, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> Stages {
        let take = |sum: &AtomicU64| sum.swap(0, Ordering::Relaxed);
        Stages {
            decode: take(&self.decode),
            application: take(&self.application),
            encode: take(&self.encode),
            calls: take(&self.count),
        }
    }
}
