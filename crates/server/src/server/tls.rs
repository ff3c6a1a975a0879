//! The router's certificate, and the listeners that use it.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::warn;
use trunkline_native::code;
use trunkline_reactor::{Address, HandshakeFailure, Listener, NATIVE, TlsAcceptor};
use trunkline_tls::{ServerFiles, ServerTls};

use super::Descriptors;
use crate::Protocol;
use crate::config::Config;
use crate::engine::Engine;

/// Failed handshakes that the log says of one listener in [`FAILURES_EVERY`]; the others it counts.
const FAILURES_LOGGED: u64 = 10;
const FAILURES_EVERY: Duration = Duration::from_secs(10);

/// What the next handshakes use, of all listeners.
#[derive(Debug, Default)]
pub(crate) struct Tls {
    credentials: Mutex<Option<ServerTls>>,
    /// Milliseconds that a handshake may take.
    timeout: Arc<AtomicU64>,
    /// Handshakes that have failed, of programs and pages.
    failed: Arc<AtomicU64>,
}

/// Reads the certificate and the key that a configuration names, if it names them.
///
/// # Errors
///
/// They are missing or cannot be used: which file, and why.
pub(crate) fn load(config: &Config) -> Result<Option<ServerTls>, String> {
    let tls = &config.tls;
    tls.check(&config.listen, &config.fix)?;
    let (Some(certificate), Some(key)) = (&tls.certificate, &tls.key) else { return Ok(None) };
    let (certificate, key) = (certificate.clone(), key.clone());
    let client_ca = tls.client_ca.clone();
    let files = ServerFiles { certificate, key, client_ca };
    ServerTls::load(&files).map(Some).map_err(|cause| cause.to_string())
}

impl Config {
    /// Reads the files that it names for TLS, and checks them.
    ///
    /// # Errors
    ///
    /// They are missing or cannot be used: which file, and why.
    pub fn check_files(&self) -> Result<(), String> {
        load(self).map(drop)
    }
}

impl Tls {
    /// The router's certificate, which is replaced with the configuration.
    pub(super) fn credentials(&self) -> Option<ServerTls> {
        self.lock().clone()
    }

    /// Handshakes that have failed since the start.
    pub(super) fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Has the next handshakes use these, where there are none so far.
    pub(super) fn offer(&self, fresh: Option<&ServerTls>) {
        let mut credentials = self.lock();
        if credentials.is_none() {
            *credentials = fresh.cloned();
        }
    }

    /// Has the next handshakes use these.
    pub(super) fn replace(&self, fresh: Option<ServerTls>, config: &Config) {
        let timeout = config.router.handshake_timeout.as_millis();
        self.timeout.store(u64::try_from(timeout).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.offer(fresh.as_ref());
        if let (Some(credentials), Some(fresh)) = (&*self.lock(), &fresh) {
            credentials.replace(fresh);
        }
    }

    /// Listens at an address, with TLS if it says so; perhaps by a socket that listens there already.
    pub(crate) fn bind(
        &self,
        address: &Address,
        protocol: Protocol,
        descriptors: Descriptors,
        inherited: Option<Listener>,
    ) -> io::Result<Listener> {
        let (Address::Tls(host), Some(credentials)) = (address, self.credentials()) else {
            return inherited.map_or_else(|| Listener::bind(address), Ok);
        };
        let failed = Arc::clone(&self.failed);
        let failures = Mutex::new(Failures { address: address.clone(), since: None, count: 0 });
        let acceptor = TlsAcceptor {
            credentials,
            protocol: match protocol {
                Protocol::Native => NATIVE,
                Protocol::WebSocket => "http/1.1",
            },
            plain_answer: Engine::rejection(
                protocol,
                code::BAD_FRAME,
                "this address is for TLS: connect with tls:// (programs) or wss:// (browsers)",
            ),
            timeout: Arc::clone(&self.timeout),
            descriptors: descriptors.end(),
            failed: Arc::new(move |failure| {
                failed.fetch_add(1, Ordering::Relaxed);
                failures.lock().unwrap_or_else(PoisonError::into_inner).log(failure);
            }),
        };
        match inherited {
            Some(listener) => listener.with_tls(acceptor),
            None => Listener::bind_tls(host, acceptor),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<ServerTls>> {
        self.credentials.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The failed handshakes of a listener, of which the log says a part.
struct Failures {
    address: Address,
    since: Option<Instant>,
    count: u64,
}

impl Failures {
    fn log(&mut self, failure: &HandshakeFailure) {
        if self.since.is_none_or(|since| since.elapsed() >= FAILURES_EVERY) {
            if self.count > FAILURES_LOGGED {
                let more = self.count - FAILURES_LOGGED;
                warn!(address = %self.address, more, "as many more connections have failed");
            }
            (self.since, self.count) = (Some(Instant::now()), 0);
        }
        self.count += 1;
        if self.count <= FAILURES_LOGGED {
            let HandshakeFailure { peer, reason } = failure;
            warn!(address = %self.address, peer, reason, "a connection has failed");
        }
    }
}
