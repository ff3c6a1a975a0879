//! What a client trusts, and how it shows who it is.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::ServerName;

use crate::error::{CredentialsError, Result};
use crate::pem::{certificates, private_key, provider, read, roots, system_roots};

/// The authorities that a client trusts, and its own certificate.
#[derive(Clone)]
pub struct ClientTls {
    config: Arc<ClientConfig>,
    name: Option<ServerName<'static>>,
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ClientTls").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A client's side of a stream with TLS.
pub type TlsStream<S> = StreamOwned<ClientConnection, S>;

/// Two are equal if one is a clone of the other.
impl PartialEq for ClientTls {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.config, &other.config) && self.name == other.name
    }
}

impl Eq for ClientTls {}

impl ClientTls {
    /// From PEM: the authorities that are trusted, and for mutual TLS the client's chain of
    /// certificates, its own first, and its key. The server's name is the host of the address.
    ///
    /// # Errors
    /// [`CredentialsError`]: says which of them is wrong, and why.
    pub fn from_pem(server_roots: &[u8], own: Option<(&[u8], &[u8])>) -> Result<Self> {
        Self::trusting(roots(server_roots, "the authorities of servers")?, own)
    }

    fn trusting(roots: RootCertStore, own: Option<(&[u8], &[u8])>) -> Result<Self> {
        let roots = Arc::new(roots);
        let provider = provider();
        let verifier =
            WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
        let verifier =
            verifier.map_err(|cause| CredentialsError::new("the authorities of servers", cause))?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|cause| CredentialsError::new("TLS", cause))?
            .with_webpki_verifier(verifier);
        let config = match own {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let chain = certificates(chain, "the client's certificate")?;
                let key = private_key(key, "the client's key")?;
                let config = builder.with_client_auth_cert(chain, key);
                config.map_err(|cause| {
                    CredentialsError::new("the client's certificate and key", cause)
                })?
            }
        };
        Ok(Self { config: Arc::new(config), name: None })
    }

    /// As [`from_pem`](Self::from_pem), with the authorities that the system trusts: the files that `SSL_CERT_FILE`
    /// and `SSL_CERT_DIR` name, or else those of the operating system.
    ///
    /// # Errors
    /// The same; and that the system trusts nobody.
    pub fn of_system(own: Option<(&[u8], &[u8])>) -> Result<Self> {
        Self::trusting(system_roots()?, own)
    }

    /// As [`from_pem`](Self::from_pem), from files; without one of authorities, as [`of_system`](Self::of_system).
    ///
    /// # Errors
    /// The same, with the file's name where it cannot be read.
    pub fn from_files(server_roots: Option<&Path>, own: Option<(&Path, &Path)>) -> Result<Self> {
        let own = own.map(|(chain, key)| Ok::<_, CredentialsError>((read(chain)?, read(key)?)));
        let own = own.transpose()?;
        let own = own.as_ref().map(|(chain, key)| (&chain[..], &key[..]));
        match server_roots {
            Some(path) => Self::from_pem(&read(path)?, own),
            None => Self::of_system(own),
        }
    }

    /// Expects this name in the server's certificate, whatever the address.
    ///
    /// # Errors
    /// [`CredentialsError`]: it is not a host name.
    pub fn with_server_name(mut self, name: &str) -> Result<Self> {
        self.name = Some(server_name(name)?);
        Ok(self)
    }

    /// Offers this protocol in handshakes (ALPN).
    #[must_use]
    pub fn with_protocol(mut self, protocol: &str) -> Self {
        let mut config = (*self.config).clone();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        self.config = Arc::new(config);
        self
    }

    /// What a handshake needs.
    pub fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.config)
    }

    /// Does the handshake with the server at `host`, over a stream that blocks.
    ///
    /// # Errors
    /// The stream's, and why the other side is not trusted.
    pub fn connect<S: Read + Write>(&self, host: &str, mut stream: S) -> io::Result<TlsStream<S>> {
        let name = self.server_name(host).map_err(io::Error::other)?;
        let mut connection =
            ClientConnection::new(self.config(), name).map_err(io::Error::other)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream)?;
        }
        Ok(StreamOwned::new(connection, stream))
    }

    /// The name that the certificate of the server at `host` has to have.
    ///
    /// # Errors
    /// [`CredentialsError`]: the host is neither a name nor an address.
    pub fn server_name(&self, host: &str) -> Result<ServerName<'static>> {
        self.name.clone().map_or_else(|| server_name(host), Ok)
    }
}

fn server_name(name: &str) -> Result<ServerName<'static>> {
    let name = ServerName::try_from(name.to_owned());
    name.map_err(|cause| CredentialsError::new("the server's name", cause))
}
