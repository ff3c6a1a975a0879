//! TLS for the driver, by rustls.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustls::{ClientConnection, StreamOwned};
use trunkline_tls::ClientTls;

/// Whom the driver trusts, by what name, and how it shows who it is.
#[derive(Clone, Debug)]
pub struct Secure {
    tls: ClientTls,
    name: String,
}

impl Secure {
    /// From PEM: the authorities that are trusted, the server's name in its certificate, and for mutual
    /// TLS a certificate of one's own and its key. Sessions are resumed, as clients do by default.
    ///
    /// # Errors
    /// What is wrong with them, in one line.
    pub fn from_pem(roots: &[u8], name: &str, own: Option<(&[u8], &[u8])>) -> Result<Self, String> {
        let tls = ClientTls::from_pem(roots, own).map_err(|error| error.to_string())?;
        tls.server_name(name).map_err(|error| error.to_string())?;
        Ok(Self { tls, name: name.to_owned() })
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
        let Some(Secure { tls, name }) = secure else { return Ok(Self::Plain(stream)) };
        let name = tls.server_name(name).map_err(io::Error::other)?;
        let connection = ClientConnection::new(tls.config(), name);
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
