//! TLS 1.2 and 1.3, by rustls.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, ProtocolVersion, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};

use super::subject::subject;
use super::transport::{Count, Counted, Transport};
use super::{Error, Result, TlsPeer};

/// The certificate of a server, and the authorities that it trusts.
#[derive(Clone)]
pub struct ServerTls(Arc<ServerConfig>);

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
    /// [`Error::Credentials`]: says which of them is wrong, and why.
    pub fn from_pem(chain: &[u8], key: &[u8], client_roots: Option<&[u8]>) -> Result<Self> {
        let provider = provider();
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|cause| wrong("TLS", cause))?;
        let builder = match client_roots {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let roots = Arc::new(roots(pem, "the authorities of clients")?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
                let wrong = |cause| wrong("the authorities of clients", cause);
                builder.with_client_cert_verifier(verifier.map_err(wrong)?)
            }
        };
        let chain = certificates(chain, "the server's certificate")?;
        let key = private_key(key, "the server's key")?;
        let config = builder.with_single_cert(chain, key);
        let config = config.map_err(|cause| wrong("the server's certificate and key", cause))?;
        Ok(Self(Arc::new(config)))
    }

    /// As [`from_pem`](Self::from_pem), from files.
    ///
    /// # Errors
    /// The same, and [`Error::Credentials`] with the file's name where it cannot be read.
    pub fn from_files(chain: &Path, key: &Path, client_roots: Option<&Path>) -> Result<Self> {
        let client_roots = client_roots.map(read).transpose()?;
        Self::from_pem(&read(chain)?, &read(key)?, client_roots.as_deref())
    }

    /// Does the handshake.
    pub(super) async fn accept<C: Count>(
        &self,
        stream: Counted<C>,
    ) -> io::Result<(Transport<C>, TlsPeer)> {
        let stream = TlsAcceptor::from(Arc::clone(&self.0)).accept(stream).await?;
        let stream = TlsStream::Server(stream);
        let peer = peer(&stream);
        Ok((Transport::Tls(Box::new(stream)), peer))
    }
}

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

impl ClientTls {
    /// From PEM: the authorities that are trusted, and for mutual TLS the client's chain of
    /// certificates, its own first, and its key. The server's name is the host of the address.
    ///
    /// # Errors
    /// [`Error::Credentials`]: says which of them is wrong, and why.
    pub fn from_pem(server_roots: &[u8], own: Option<(&[u8], &[u8])>) -> Result<Self> {
        let roots = Arc::new(roots(server_roots, "the authorities of servers")?);
        let provider = provider();
        let verifier =
            WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
        let verifier = verifier.map_err(|cause| wrong("the authorities of servers", cause))?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|cause| wrong("TLS", cause))?
            .with_webpki_verifier(verifier);
        let config = match own {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let chain = certificates(chain, "the client's certificate")?;
                let key = private_key(key, "the client's key")?;
                let config = builder.with_client_auth_cert(chain, key);
                config.map_err(|cause| wrong("the client's certificate and key", cause))?
            }
        };
        Ok(Self { config: Arc::new(config), name: None })
    }

    /// As [`from_pem`](Self::from_pem), from files.
    ///
    /// # Errors
    /// The same, and [`Error::Credentials`] with the file's name where it cannot be read.
    pub fn from_files(server_roots: &Path, own: Option<(&Path, &Path)>) -> Result<Self> {
        let own = own.map(|(chain, key)| Ok::<_, Error>((read(chain)?, read(key)?))).transpose()?;
        let own = own.as_ref().map(|(chain, key)| (&chain[..], &key[..]));
        Self::from_pem(&read(server_roots)?, own)
    }

    /// Expects this name in the server's certificate, whatever the address.
    ///
    /// # Errors
    /// [`Error::Credentials`]: it is not a host name.
    pub fn with_server_name(mut self, name: &str) -> Result<Self> {
        self.name = Some(server_name(name)?);
        Ok(self)
    }

    /// Does the handshake with the server at this host.
    pub(super) async fn connect<C: Count>(
        &self,
        host: &str,
        stream: Counted<C>,
    ) -> Result<io::Result<Transport<C>>> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => server_name(host)?,
        };
        let connected = TlsConnector::from(Arc::clone(&self.config)).connect(name, stream).await;
        Ok(connected.map(|stream| Transport::Tls(Box::new(TlsStream::Client(stream)))))
    }
}

/// The cryptographic provider. It is named here because rustls panics when it has to choose among
/// several linked providers, or when the chosen one lacks something.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn server_name(name: &str) -> Result<ServerName<'static>> {
    let name = ServerName::try_from(name.to_owned());
    name.map_err(|cause| Error::Credentials(format!("the server's name: {cause}")))
}

fn wrong(what: &str, cause: impl fmt::Display) -> Error {
    Error::Credentials(format!("{what}: {cause}"))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|cause| wrong(&path.display().to_string(), cause))
}

/// All certificates of a text in PEM; at least one.
fn certificates(pem: &[u8], what: &str) -> Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|cause| wrong(what, cause))?;
    if found.is_empty() {
        return Err(wrong(what, "there is no `BEGIN CERTIFICATE` in it"));
    }
    Ok(found)
}

fn private_key(pem: &[u8], what: &str) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|cause| match cause {
        rustls_pki_types::pem::Error::NoItemsFound => {
            wrong(what, "there is no `BEGIN PRIVATE KEY` in it")
        }
        cause => wrong(what, cause),
    })
}

fn roots(pem: &[u8], what: &str) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(pem, what)? {
        roots.add(certificate).map_err(|cause| wrong(what, cause))?;
    }
    Ok(roots)
}

/// The other side's identity after the handshake.
fn peer<S>(stream: &TlsStream<S>) -> TlsPeer {
    let (_, connection) = stream.get_ref();
    let protocol = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => "TLSv1.3",
        Some(ProtocolVersion::TLSv1_2) => "TLSv1.2",
        _ => "TLS",
    };
    let certificate = connection.peer_certificates().and_then(|chain| chain.first());
    TlsPeer {
        protocol,
        subject: certificate.and_then(|it| subject(it)),
        certificate: certificate.map(|it| it.to_vec()),
    }
}
