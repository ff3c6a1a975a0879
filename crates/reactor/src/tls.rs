//! A stream of TLS 1.3 over TCP, whose session is established.
//!
//! It differs from a socket in two ways. Bytes may be there without an event: a record was decrypted, and the
//! caller had no room for all of it. And bytes may stay here that were accepted: they are encrypted, and the
//! socket has no room. Of the second there are two records at most.

mod handshake;
mod listener;

use std::io::{self, Read, Write};
use std::net::Shutdown;

use mio::net::TcpStream;
use rustls::Connection;
use trunkline_tls::explain;

use crate::PeerCertificate;

pub(crate) use handshake::{Progress, advance, connect};
pub(crate) use listener::TlsListener;
pub use listener::{HandshakeFailure, TlsAcceptor};

/// The name of the native protocol in handshakes (ALPN).
pub const NATIVE: &str = "trunkline";

/// The most plaintext that is encrypted before the socket has taken what was encrypted before: two records.
const AHEAD: usize = 32 << 10;

/// The same, with small buffers ([`crate::Stream::bound_buffers`]).
const AHEAD_BOUNDED: usize = 4 << 10;

/// More than the longest record, with its header.
const RECORD: usize = 20 << 10;

/// Bytes that the session takes at once, and the least that its buffer keeps.
const PIECE: usize = 4 << 10;

/// An established session and its socket.
pub(crate) struct Secure {
    socket: TcpStream,
    session: Connection,
    /// Decrypted bytes that nobody has taken.
    decrypted: usize,
    /// The last read of the socket took as much as it had asked for, or was left out.
    may_have_more: bool,
    /// The other side has said that it sends no more.
    is_closed: bool,
    /// This side has said that it sends no more; the socket is told when that has gone out.
    is_finished: bool,
    is_shut: bool,
    /// Why the session cannot go on, once what came before has been read.
    failure: Option<rustls::Error>,
}

impl Secure {
    /// After a handshake. What the other side sent behind it may be decrypted already.
    pub(crate) fn new(socket: TcpStream, session: Connection) -> Self {
        let mut it = Self {
            socket,
            session,
            decrypted: 0,
            may_have_more: true,
            is_closed: false,
            is_finished: false,
            is_shut: false,
            failure: None,
        };
        it.session.set_buffer_limit(Some(AHEAD));
        it.process();
        it
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// The names in the certificate that the other side has shown and that was checked.
    pub(crate) fn certificate(&self) -> Option<PeerCertificate> {
        let certificate = self.session.peer_certificates()?.first()?;
        Some(PeerCertificate {
            subject: trunkline_tls::subject(certificate).unwrap_or_default(),
            dns_names: trunkline_tls::dns_names(certificate),
            uris: trunkline_tls::uris(certificate),
        })
    }

    /// Whether a read may give bytes, or the end, without another event.
    #[inline]
    pub(crate) fn has_more(&self) -> bool {
        self.may_have_more || self.decrypted > 0
    }

    /// Whether encrypted bytes wait for room in the socket.
    #[inline]
    pub(crate) fn is_holding(&self) -> bool {
        self.session.wants_write()
    }

    /// As [`crate::Stream::read`]; reads the socket once at most.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_holding() {
            // A client that spins does not wait for room, and what it wrote has to go out. If the connection
            // is broken, what came before can still be read.
            let _ = self.flush();
        }
        if into.is_empty() {
            return Ok(0);
        }
        let mut count = self.take(into)?;
        if count > 0 {
            return Ok(count);
        }
        self.may_have_more = false;
        if self.failure.is_none() && !self.is_closed {
            count = match into.len() > 2 * RECORD {
                true => self.read_much(into)?,
                false => self.read_little(into)?,
            };
            if self.is_holding() {
                // The answer to a change of keys, or an alert. What finds no room goes with the next write.
                let _ = self.flush();
            }
        }
        match &self.failure {
            _ if count > 0 => {
                self.may_have_more |= self.failure.is_some() || self.is_closed;
                Ok(count)
            }
            Some(failure) => Err(io::Error::new(io::ErrorKind::InvalidData, explain(failure))),
            None if self.is_closed => Ok(0),
            None => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Reads encrypted bytes to behind the room for one record, and puts the decrypted ones at the beginning.
    /// They do not meet: those exceed what was taken by one record at most, of which the session had a part.
    fn read_much(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = Retrying(&mut self.socket).read(&mut into[RECORD..])?;
        if read == 0 {
            return self.read_end();
        }
        let (mut count, mut at, end) = (0, RECORD, RECORD + read);
        self.may_have_more = end == into.len();
        while at < end && !self.is_closed && self.failure.is_none() {
            let (plain, encrypted) = into.split_at_mut(at);
            let taken = self.session.read_tls(&mut &encrypted[..end - at])?;
            if taken == 0 {
                break;
            }
            at += taken;
            self.process();
            count += self.take(&mut plain[count..])?;
        }
        if read > PIECE {
            self.give_back();
        }
        Ok(count)
    }

    /// Reads a piece, of which the session keeps what finds no room.
    fn read_little(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.session.read_tls(&mut Retrying(&mut self.socket))? == 0 {
            return self.read_end();
        }
        self.may_have_more = true;
        self.process();
        self.take(into)
    }

    /// The socket has ended, and the session has not said so before.
    fn read_end(&mut self) -> io::Result<usize> {
        let text =
            "it ended without the end of TLS (close_notify); what was sent last may be missing";
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, text))
    }

    /// Takes decrypted bytes.
    fn take(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let wanted = self.decrypted.min(into.len());
        if wanted == 0 {
            return Ok(0);
        }
        match self.session.reader().read(&mut into[..wanted]) {
            Ok(count) if count == wanted => {
                self.decrypted -= count;
                Ok(count)
            }
            Ok(count) => {
                self.decrypted = 0;
                Ok(count)
            }
            Err(_) => {
                self.decrypted = 0;
                Ok(0)
            }
        }
    }

    /// Decrypts what the session has.
    fn process(&mut self) {
        match self.session.process_new_packets() {
            Ok(state) => {
                self.decrypted = state.plaintext_bytes_to_read();
                self.is_closed |= state.peer_has_closed();
            }
            Err(failure) => {
                // There may be bytes that were decrypted before; how many is not said.
                self.decrypted = usize::MAX;
                self.failure = Some(failure);
            }
        }
    }

    /// The session's buffer has grown to the size of a record; it shrinks when it is asked for room.
    fn give_back(&mut self) {
        let _ = self.session.read_tls(&mut Nothing);
    }

    /// As [`crate::Stream::write`]. What it has accepted may still be held.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut count = 0;
        while self.flush()? && count < bytes.len() {
            count += self.session.writer().write(&bytes[count..])?;
        }
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(count)
    }

    /// As [`crate::Stream::flush`].
    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut Retrying(&mut self.socket)) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        if self.is_finished && !self.is_shut {
            self.is_shut = true;
            self.socket.shutdown(Shutdown::Write)?;
        }
        Ok(true)
    }

    /// As [`crate::Stream::finish`]: what is held goes out before.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if !self.is_finished {
            self.session.send_close_notify();
            self.is_finished = true;
        }
        self.flush().map(drop)
    }

    /// As [`crate::Stream::bound_buffers`].
    pub(crate) fn bound_buffers(&mut self) {
        self.session.set_buffer_limit(Some(AHEAD_BOUNDED));
    }
}

impl Drop for Secure {
    fn drop(&mut self) {
        // A client that leaves has said all that it wanted. A server may drop a connection in the middle of
        // a message, which is no end in order.
        if let Connection::Client(_) = &self.session
            && !self.is_holding()
        {
            let _ = self.finish();
        }
    }
}

/// A socket whose calls are repeated after a signal.
pub(crate) struct Retrying<'a>(pub(crate) &'a mut TcpStream);

impl Read for Retrying<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        crate::stream::retry(|| self.0.read(into))
    }
}

impl Write for Retrying<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        crate::stream::retry(|| self.0.write(bytes))
    }

    fn write_vectored(&mut self, pieces: &[io::IoSlice<'_>]) -> io::Result<usize> {
        crate::stream::retry(|| self.0.write_vectored(pieces))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A source without bytes that has not ended.
struct Nothing;

impl Read for Nothing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }
}
