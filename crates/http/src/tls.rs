//! The handshakes of TLS, and the other side's identity after them.

use std::io;

use rustls::ProtocolVersion;
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};
use trunkline_tls::{ClientTls, CredentialsError, ServerTls, subject};

use super::transport::{Count, Counted, Transport};
use super::{Error, Result, TlsPeer};

/// The one protocol of this crate.
const PROTOCOL: &str = "http/1.1";

impl From<CredentialsError> for Error {
    fn from(cause: CredentialsError) -> Self {
        Self::Credentials(cause.to_string())
    }
}

/// Does the handshake of a server.
pub(super) async fn accept<C: Count>(
    tls: &ServerTls,
    stream: Counted<C>,
) -> io::Result<(Transport<C>, TlsPeer)> {
    let stream = TlsAcceptor::from(tls.current_for(PROTOCOL)).accept(stream).await?;
    let stream = TlsStream::Server(stream);
    let peer = peer(&stream);
    Ok((Transport::Tls(Box::new(stream)), peer))
}

/// Does the handshake with the server at this host.
pub(super) async fn connect<C: Count>(
    tls: &ClientTls,
    host: &str,
    stream: Counted<C>,
) -> Result<io::Result<Transport<C>>> {
    let name = tls.server_name(host)?;
    let connected = TlsConnector::from(tls.config()).connect(name, stream).await;
    Ok(connected.map(|stream| Transport::Tls(Box::new(TlsStream::Client(stream)))))
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
