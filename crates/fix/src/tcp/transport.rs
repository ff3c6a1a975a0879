//! What carries the bytes of a session: a socket, or TLS over one.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::{ClientConnection, Connection, ServerConnection};
use trunkline_tls::{ClientTls, ServerTls, explain};

/// Bytes that are read of a socket at once. What they and the rest of a record before them decrypt to has room in
/// [`READ`].
const ENCRYPTED: usize = 12 << 10;

/// The room that a [read](Transport::read) needs: so none of what was decrypted stays behind.
pub(super) const READ: usize = 32 << 10;

/// A connection, plain or with TLS. One thread reads; others may write meanwhile.
pub(super) struct Transport {
    stream: Arc<TcpStream>,
    tls: Option<Mutex<Tls>>,
}

/// An established session of TLS.
struct Tls {
    session: Connection,
    encrypted: Vec<u8>,
    /// The next read needs no bytes of the socket: something came with the handshake, or the end came.
    has_more: bool,
}

impl Transport {
    /// An acceptor's side, once the handshake is done.
    ///
    /// # Errors
    /// The handshake fails, or takes too long.
    pub(super) fn accept(
        stream: Arc<TcpStream>,
        tls: Option<&ServerTls>,
        until: Instant,
    ) -> io::Result<Self> {
        let session = tls.map(|it| ServerConnection::new(it.current()));
        let session = session.transpose().map_err(io::Error::other)?;
        Self::with(stream, session.map(Connection::Server), until)
    }

    /// An initiator's side, likewise; the certificate has to be for this host.
    ///
    /// # Errors
    /// The same; and that the other side cannot be trusted.
    pub(super) fn connect(
        stream: Arc<TcpStream>,
        tls: Option<&ClientTls>,
        host: &str,
        until: Instant,
    ) -> io::Result<Self> {
        let session = tls.map(|it| {
            let name = it.server_name(host).map_err(io::Error::other)?;
            ClientConnection::new(it.config(), name).map_err(io::Error::other)
        });
        Self::with(stream, session.transpose()?.map(Connection::Client), until)
    }

    fn with(
        stream: Arc<TcpStream>,
        session: Option<Connection>,
        until: Instant,
    ) -> io::Result<Self> {
        let tls = session.map(|it| Tls::established(it, &stream, until)).transpose()?;
        Ok(Self { stream, tls: tls.map(Mutex::new) })
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// The subject of the certificate that the other side has shown (RFC 4514), if any.
    pub(super) fn subject(&self) -> Option<String> {
        let tls = lock(self.tls.as_ref()?);
        trunkline_tls::subject(tls.session.peer_certificates()?.first()?)
    }

    /// Reads once; 0 is the end. With TLS there may be nothing to read ([`io::ErrorKind::WouldBlock`]) though bytes came.
    pub(super) fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        match &self.tls {
            Some(tls) => lock(tls).read(&self.stream, into),
            None => (&*self.stream).read(into),
        }
    }

    /// Whether a read may give something though the socket has nothing.
    pub(super) fn has_more(&self) -> bool {
        self.tls.as_ref().is_some_and(|it| lock(it).has_more)
    }

    /// Takes what it has room for, and says how much.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match &self.tls {
            Some(tls) => lock(tls).write(&self.stream, bytes),
            None => (&*self.stream).write(bytes),
        }
    }

    /// Sends what was taken and encrypted before; says whether the socket took something.
    pub(super) fn flush(&self) -> io::Result<bool> {
        self.tls.as_ref().map_or(Ok(false), |it| lock(it).flush(&self.stream))
    }

    /// Whether encrypted bytes wait for room in the socket.
    pub(super) fn is_holding(&self) -> bool {
        self.tls.as_ref().is_some_and(|it| lock(it).session.wants_write())
    }

    /// Says that no more follows, and closes the connection.
    pub(super) fn close(&self) {
        if let Some(tls) = &self.tls {
            let mut tls = lock(tls);
            tls.session.send_close_notify();
            _ = tls.flush(&self.stream);
        }
        _ = self.stream.shutdown(Shutdown::Both);
    }

    /// As [`read`](Self::read) of a socket that blocks, until a time.
    pub(super) fn read_until(&self, until: Instant, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(left(until)?))?;
        self.read(into)
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        self.close();
    }
}

fn lock(tls: &Mutex<Tls>) -> MutexGuard<'_, Tls> {
    tls.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long it is until then; an error if it is over.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(io::ErrorKind::TimedOut.into()),
        // A socket counts in microseconds, and takes 0 for ever.
        false => Ok(left.max(Duration::from_millis(1))),
    }
}

/// A socket that blocks until a time at most.
struct Timed<'a>(&'a TcpStream, Instant);

impl io::Read for Timed<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.set_read_timeout(Some(left(self.1)?))?;
        self.0.read(into)
    }
}

impl io::Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set_write_timeout(Some(left(self.1)?))?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Tls {
    /// Does the handshake.
    fn established(
        mut session: Connection,
        stream: &TcpStream,
        until: Instant,
    ) -> io::Result<Self> {
        while session.is_handshaking() {
            if let Err(error) = session.complete_io(&mut Timed(stream, until)) {
                linger(stream, until);
                return Err(failed(error));
            }
        }
        Ok(Self { session, encrypted: vec![0; ENCRYPTED], has_more: true })
    }

    fn read(&mut self, mut stream: &TcpStream, into: &mut [u8]) -> io::Result<usize> {
        debug_assert!(into.len() >= READ);
        if std::mem::take(&mut self.has_more)
            && let Some(count) = self.decrypted(into)?
        {
            self.has_more = true;
            return Ok(count);
        }
        let came = stream.read(&mut self.encrypted)?;
        if came == 0 {
            return Ok(0);
        }
        let (mut at, mut count) = (0, 0);
        while at < came {
            match self.session.read_tls(&mut &self.encrypted[at..came])? {
                0 => break,
                taken => at += taken,
            }
            match self.session.process_new_packets() {
                Ok(state) => self.has_more |= state.peer_has_closed(),
                Err(error) => {
                    // The other side is told what is wrong.
                    _ = self.flush(stream);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, explain(&error)));
                }
            }
            count += self.decrypted(&mut into[count..])?.unwrap_or(0);
        }
        if self.session.wants_write() {
            // The answer to a change of keys.
            self.flush(stream)?;
        }
        if count == 0 && !self.has_more { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(count) }
    }

    /// Takes what is decrypted: none is nothing so far, 0 the end.
    fn decrypted(&mut self, into: &mut [u8]) -> io::Result<Option<usize>> {
        match self.session.reader().read(into) {
            Ok(count) => Ok(Some(count)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&mut self, stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
        self.flush(stream)?;
        if self.session.wants_write() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = self.session.writer().write(bytes)?;
        self.flush(stream)?;
        Ok(count)
    }

    fn flush(&mut self, mut stream: &TcpStream) -> io::Result<bool> {
        let mut has_sent = false;
        while self.session.wants_write() {
            match self.session.write_tls(&mut stream) {
                Ok(count) => has_sent |= count > 0,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(has_sent)
    }
}

/// How long the other side has to read why a handshake failed.
const LINGER: Duration = Duration::from_secs(1);

/// Reads until the other side closes: if bytes of it were left, it would lose the alert that says what is wrong.
fn linger(mut stream: &TcpStream, until: Instant) {
    let until = until.min(Instant::now() + LINGER);
    _ = stream.shutdown(Shutdown::Write);
    let mut bytes = [0; 4 << 10];
    while let Ok(left) = left(until)
        && stream.set_read_timeout(Some(left)).is_ok()
        && stream.read(&mut bytes).is_ok_and(|count| count > 0)
    {}
}

/// Why a handshake failed, in words.
fn failed(error: io::Error) -> io::Error {
    use io::ErrorKind::{TimedOut, UnexpectedEof, WouldBlock};
    let cause = error.get_ref().and_then(|it| it.downcast_ref::<rustls::Error>());
    let why = match (cause, error.kind()) {
        (Some(cause), _) => explain(cause),
        (None, TimedOut | WouldBlock) => "the handshake of TLS was not done in time".to_owned(),
        (None, UnexpectedEof) => "it was closed in the handshake of TLS".to_owned(),
        (None, _) => return error,
    };
    io::Error::new(error.kind(), why)
}
