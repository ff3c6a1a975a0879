//! Handshakes: a step of one, and a whole one of a client.

use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;

use mio::net::TcpStream;
use rustls::{ClientConnection, Connection};
use trunkline_tls::{ClientTls, explain};

use super::{Retrying, Secure};
use crate::Deadline;
use crate::stream::look;

/// How far a handshake has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Both sides are sure of each other.
    Done,
    /// It waits for the other side; for room in the socket if that is set.
    Waits { for_room: bool },
}

/// Goes on with a handshake as far as it can without waiting.
///
/// # Errors
///
/// Why it cannot succeed any more; the other side has been told, if it listens.
pub(crate) fn advance(socket: &mut TcpStream, session: &mut Connection) -> io::Result<Progress> {
    loop {
        while session.wants_write() {
            match session.write_tls(&mut Retrying(socket)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Progress::Waits { for_room: true });
                }
                Err(error) => return Err(error),
            }
        }
        if !session.is_handshaking() {
            return Ok(Progress::Done);
        }
        match session.read_tls(&mut Retrying(socket)) {
            Ok(0) => {
                let text = "it ended during the handshake of TLS";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Progress::Waits { for_room: false });
            }
            Err(error) => return Err(error),
        }
        if let Err(failure) = session.process_new_packets() {
            // The alert.
            let _ = session.write_tls(&mut Retrying(socket));
            return Err(io::Error::new(io::ErrorKind::InvalidData, explain(&failure)));
        }
    }
}

/// The handshake of a client, which waits for it.
///
/// # Errors
///
/// The server cannot be trusted, does not speak TLS, or takes too long.
pub(crate) fn connect(
    mut socket: TcpStream,
    host: &str,
    tls: &ClientTls,
    timeout: Duration,
) -> io::Result<Secure> {
    let deadline = Deadline::after(Some(timeout));
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let name = tls.server_name(host).map_err(io::Error::other)?;
    let tls = tls.clone().with_protocol(super::NATIVE);
    let session = ClientConnection::new(tls.config(), name).map_err(io::Error::other)?;
    let mut session = Connection::Client(session);
    loop {
        let Progress::Waits { for_room } = advance(&mut socket, &mut session)? else {
            return Ok(Secure::new(socket, session));
        };
        if deadline.is_over() {
            let text = "the handshake of TLS was not answered in time";
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
        match look(socket.as_fd(), !for_room, for_room, deadline.left()) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
    }
}
