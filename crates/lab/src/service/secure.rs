//! TLS for the driver, by rustls.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};

/// Whom the driver trusts, by what name, and how it shows who it is.
#[derive(Clone)]
pub struct Secure {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl fmt::Debug for Secure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Secure").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Secure {
    /// From PEM: the authorities that are trusted, the server's name in its certificate, and for mutual
    /// TLS a certificate of one's own and its key. Sessions are resumed, as clients do by default.
    ///
    /// # Errors
    /// What is wrong with them, in one line.
    pub fn from_pem(roots: &[u8], name: &str, own: Option<(&[u8], &[u8])>) -> Result<Self, String> {
        let name = ServerName::try_from(name.to_owned()).map_err(|error| error.to_string())?;
        let mut trusted = RootCertStore::empty();
        for root in certificates(roots)? {
            trusted.add(root).map_err(|error| error.to_string())?;
        }
        let builder = ClientConfig::builder().with_root_certificates(trusted);
        let config = match own {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| error.to_string())?;
                let config = builder.with_client_auth_cert(certificates(chain)?, key);
                config.map_err(|error| error.to_string())?
            }
        };
        Ok(Self { config: Arc::new(config), name })
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if found.is_empty() => Err("there is no certificate in PEM".into()),
        found => found.map_err(|error| error.to_string()),
    }
}

/// What bytes go over.
pub(super) enum ClientStream {
    Plain(TcpStream),
    Secure(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl ClientStream {
    /// With a handshake where there is TLS.
    pub(super) fn new(stream: TcpStream, secure: Option<&Secure>) -> io::Result<Self> {
        let Some(Secure { config, name }) = secure else { return Ok(Self::Plain(stream)) };
        let connection = ClientConnection::new(Arc::clone(config), name.clone());
        let mut stream = StreamOwned::new(connection.map_err(io::Error::other)?, stream);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(Self::Secure(Box::new(stream)))
    }

    #[inline]
    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.write_all(bytes),
            Self::Secure(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }

    /// 0 at the end of the stream.
    #[inline]
    pub(super) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(room),
            Self::Secure(stream) => match stream.read(room) {
                // Many close without a word; where an answer ends is told by its frame.
                Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
                read => read,
            },
        }
    }
}
