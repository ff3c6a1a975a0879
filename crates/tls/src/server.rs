//! What a server shows, and whom it trusts.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, SupportedProtocolVersion};

use crate::error::{CredentialsError, Result};
use crate::pem::{certificates, private_key, provider, read, read_secret, roots};

/// The versions of TLS that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// 1.2 and 1.3, and sessions are resumed.
    All,
    /// 1.3 alone, and every connection shows its certificate anew.
    Newest,
}

/// The files of a server, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFiles {
    /// Its chain of certificates, its own first.
    pub certificate: PathBuf,
    /// Its key, which nobody but the owner and his group may read.
    pub key: PathBuf,
    /// The authorities of clients. With them only clients with a certificate are served (mutual TLS).
    pub client_ca: Option<PathBuf>,
}

/// The certificate of a server, and the authorities that it trusts. Clones share it: what one replaces, all
/// use in their next handshake.
#[derive(Clone)]
pub struct ServerTls(Arc<Mutex<Arc<ServerConfig>>>);

impl fmt::Debug for ServerTls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ServerTls")
    }
}

impl ServerTls {
    /// From PEM: the server's chain of certificates, its own first, and its key. With `client_roots`
    /// only clients are served that have a certificate from one of these authorities (mutual TLS).
    ///
    /// # Errors
    /// [`CredentialsError`]: says which of them is wrong, and why.
    pub fn from_pem(chain: &[u8], key: &[u8], client_roots: Option<&[u8]>) -> Result<Self> {
        Self::with_versions(Versions::All, chain, key, client_roots)
    }

    /// As [`from_pem`](Self::from_pem), from files.
    ///
    /// # Errors
    /// The same, with the file's name where it cannot be read.
    pub fn from_files(chain: &Path, key: &Path, client_roots: Option<&Path>) -> Result<Self> {
        let client_roots = client_roots.map(read).transpose()?;
        Self::from_pem(&read(chain)?, &read(key)?, client_roots.as_deref())
    }

    /// For TLS 1.3 alone, from files.
    ///
    /// # Errors
    /// [`CredentialsError`]: names the file, and says why it cannot be used; a key that everybody on the
    /// machine may read is not used.
    pub fn load(files: &ServerFiles) -> Result<Self> {
        let ServerFiles { certificate, key, client_ca } = files;
        let (chain, secret) = (read(certificate)?, read_secret(key)?);
        let client_roots = client_ca.as_deref().map(read).transpose()?;
        let loaded =
            Self::with_versions(Versions::Newest, &chain, &secret, client_roots.as_deref());
        loaded.map_err(|cause| {
            let mut names = format!("{} and {}", certificate.display(), key.display());
            if let Some(client_ca) = client_ca {
                names = format!("{names}, {}", client_ca.display());
            }
            CredentialsError::new(names, cause)
        })
    }

    /// As [`from_pem`](Self::from_pem), with these versions.
    ///
    /// # Errors
    /// The same.
    pub fn with_versions(
        versions: Versions,
        chain: &[u8],
        key: &[u8],
        client_roots: Option<&[u8]>,
    ) -> Result<Self> {
        let provider = provider();
        let spoken: &[&SupportedProtocolVersion] = match versions {
            Versions::All => &[&TLS13, &TLS12],
            Versions::Newest => &[&TLS13],
        };
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(spoken)
            .map_err(|cause| CredentialsError::new("TLS", cause))?;
        let builder = match client_roots {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let roots = Arc::new(roots(pem, "the authorities of clients")?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
                let wrong = |cause| CredentialsError::new("the authorities of clients", cause);
                builder.with_client_cert_verifier(verifier.map_err(wrong)?)
            }
        };
        let chain = certificates(chain, "the server's certificate")?;
        let key = private_key(key, "the server's key")?;
        let config = builder.with_single_cert(chain, key);
        let mut config = config
            .map_err(|cause| CredentialsError::new("the server's certificate and key", cause))?;
        if versions == Versions::Newest {
            // A resumed session would outlive the certificate that it began with.
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        Ok(Self(Arc::new(Mutex::new(Arc::new(config)))))
    }

    /// Has the next handshakes, of all clones, use what `other` has.
    pub fn replace(&self, other: &Self) {
        let other = other.current();
        *self.lock() = other;
    }

    /// What the next handshake needs.
    pub fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.lock())
    }

    /// What the next handshake needs, for one protocol (ALPN). Clients that name none are served too.
    pub fn current_for(&self, protocol: &str) -> Arc<ServerConfig> {
        let mut config = (*self.current()).clone();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        Arc::new(config)
    }

    fn lock(&self) -> MutexGuard<'_, Arc<ServerConfig>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
