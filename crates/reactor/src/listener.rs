//! Listeners accept connections.

use std::fs;
use std::io;
use std::net::{self, ToSocketAddrs as _};
use std::os::fd::OwnedFd;
use std::os::unix;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mio::event::Source;
use mio::net::{TcpListener, UnixListener, UnixStream};
use rustix::fs::{Mode, fchmod};
use rustix::io::Errno;
use socket2::{Domain, SockAddr, SockRef, Socket, Type};

use crate::shared::Shared;
#[cfg(feature = "tls")]
use crate::tls::{TlsAcceptor, TlsListener};
use crate::{Address, Stream};

/// Connections that the system keeps until they are accepted.
const BACKLOG: i32 = 4096;

/// Accepts connections. A Unix socket's file belongs to the owner alone, and is removed when this is
/// dropped.
#[derive(Debug)]
pub struct Listener {
    socket: Listening,
    address: Address,
    /// Set when accepting failed for lack of resources; the reactor clears it after a while.
    pub(crate) pause: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Listening {
    Tcp(TcpListener),
    #[cfg(feature = "tls")]
    Tls(TlsListener),
    /// Without the file of a socket that somebody else has made.
    Unix {
        socket: UnixListener,
        is_shared: bool,
        _file: Option<SocketFile>,
    },
}

impl Listener {
    /// Listens at an address. Replaces the file of a Unix socket where nobody listens any more.
    ///
    /// # Errors
    ///
    /// The address is in use, or not of this machine, or its file is not a socket; the error names the
    /// address.
    pub fn bind(address: &Address) -> io::Result<Self> {
        let bound = match address {
            Address::Tcp(host) => {
                bind_tcp(host).map(|(socket, place)| (Listening::Tcp(socket), Address::Tcp(place)))
            }
            Address::Tls(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "a listener of TLS needs a certificate and its key",
            )),
            Address::Unix(path) => bind_unix(path, false).map(|socket| (socket, address.clone())),
            Address::SharedMemory(path) => {
                bind_unix(path, true).map(|socket| (socket, address.clone()))
            }
        };
        let (socket, address) = bound.map_err(|error| address.explain(&error))?;
        Ok(Self { socket, address, pause: Arc::default() })
    }

    /// Listens with TLS at `HOST:PORT`, on a thread of its own; [`Listener::accept`] gives streams whose handshake
    /// is done.
    ///
    /// # Errors
    ///
    /// As for [`Listener::bind`]; or there are no more threads.
    #[cfg(feature = "tls")]
    pub fn bind_tls(host: &str, acceptor: TlsAcceptor) -> io::Result<Self> {
        let explain = |error| Address::Tls(host.to_owned()).explain(&error);
        let (socket, place) = bind_tcp(host).map_err(explain)?;
        let (socket, address) = (Listening::Tcp(socket), Address::Tcp(place));
        Self { socket, address, pause: Arc::default() }.with_tls(acceptor).map_err(explain)
    }

    /// Has TLS spoken at a listener of TCP, as [`Listener::bind_tls`] does.
    ///
    /// # Errors
    ///
    /// It is not one of TCP, or there are no more threads.
    #[cfg(feature = "tls")]
    pub fn with_tls(self, acceptor: TlsAcceptor) -> io::Result<Self> {
        let (Listening::Tcp(socket), Address::Tcp(place)) = (self.socket, self.address) else {
            return Err(io::Error::other("TLS is spoken over TCP alone"));
        };
        let socket = Listening::Tls(TlsListener::start(socket, acceptor)?);
        Ok(Self { socket, address: Address::Tls(place), pause: self.pause })
    }

    /// A socket of TCP that listens already.
    ///
    /// # Errors
    ///
    /// It does not listen.
    pub fn from_tcp(socket: net::TcpListener) -> io::Result<Self> {
        check_listens(SockRef::from(&socket))?;
        let address = Address::Tcp(socket.local_addr()?.to_string());
        socket.set_nonblocking(true)?;
        let socket = Listening::Tcp(TcpListener::from_std(socket));
        Ok(Self { socket, address, pause: Arc::default() })
    }

    /// A Unix socket that listens already, for streams or to hand out shared memory. Its file stays where it is.
    ///
    /// # Errors
    ///
    /// It does not listen, or has no path.
    pub fn from_unix(socket: unix::net::UnixListener, is_shared: bool) -> io::Result<Self> {
        check_listens(SockRef::from(&socket))?;
        let address = socket.local_addr()?;
        let path = address.as_pathname().ok_or_else(|| io::Error::other("it has no path"))?;
        let address = match is_shared {
            true => Address::SharedMemory(path.to_owned()),
            false => Address::Unix(path.to_owned()),
        };
        socket.set_nonblocking(true)?;
        let socket = UnixListener::from_std(socket);
        let socket = Listening::Unix { socket, is_shared, _file: None };
        Ok(Self { socket, address, pause: Arc::default() })
    }

    /// Its address, with the port that the system chose for port 0.
    #[must_use]
    pub fn address(&self) -> Address {
        self.address.clone()
    }

    /// The next connection, or `None` if nobody is waiting.
    ///
    /// # Errors
    ///
    /// Descriptors or memory are exhausted. After that it returns `None`, and the reactor reports this
    /// listener again a while later: clients keep their place in the backlog, and nothing spins.
    pub fn accept(&mut self) -> io::Result<Option<Stream>> {
        loop {
            if self.pause.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let accepted = match &mut self.socket {
                #[cfg(feature = "tls")]
                Listening::Tls(socket) => return Ok(socket.accept()),
                Listening::Tcp(socket) => socket.accept().and_then(|(stream, _)| {
                    stream.set_nodelay(true)?;
                    Ok(Stream::of_tcp(stream))
                }),
                Listening::Unix { socket, is_shared: false, .. } => {
                    socket.accept().map(|(stream, _)| Stream::of_unix(stream))
                }
                Listening::Unix { socket, is_shared: true, .. } => socket
                    .accept()
                    .and_then(|(stream, _)| Shared::offer(stream).map(Stream::of_shared)),
            };
            match accepted {
                Ok(stream) => return Ok(Some(stream)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if is_want(&error) => {
                    self.pause.store(true, Ordering::Relaxed);
                    return Err(self.address.explain(&error));
                }
                // This one connection went away before it was accepted.
                Err(_) => {}
            }
        }
    }

    pub(crate) fn source(&mut self) -> &mut dyn Source {
        match &mut self.socket {
            Listening::Tcp(socket) => socket,
            #[cfg(feature = "tls")]
            Listening::Tls(socket) => socket.source(),
            Listening::Unix { socket, .. } => socket,
        }
    }
}

/// Whether the next attempt would fail too.
pub(crate) fn is_want(error: &io::Error) -> bool {
    let wants = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    let connection = [
        Errno::CONNABORTED,
        Errno::INTR,
        Errno::PERM,
        Errno::PROTO,
        Errno::HOSTUNREACH,
        Errno::NETUNREACH,
        Errno::NETDOWN,
        Errno::INVAL,
        Errno::CONNRESET,
        Errno::NOTCONN,
        Errno::PIPE,
    ];
    match Errno::from_io_error(error) {
        Some(errno) => wants.contains(&errno) || !connection.contains(&errno),
        None => true,
    }
}

/// A socket that listens, and where.
fn bind_tcp(host: &str) -> io::Result<(TcpListener, String)> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in host.to_socket_addrs()? {
        let bound = Socket::new(Domain::for_address(address), Type::STREAM, None)
            .and_then(|socket| {
                socket.set_reuse_address(true)?;
                socket.bind(&address.into())?;
                listen(socket)
            })
            .map(|socket| TcpListener::from_std(socket.into()));
        match bound {
            Ok(socket) => {
                let place = socket.local_addr()?.to_string();
                return Ok((socket, place));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn check_listens(socket: SockRef<'_>) -> io::Result<()> {
    if socket.is_listener()? { Ok(()) } else { Err(io::Error::other("it does not listen")) }
}

fn listen(socket: Socket) -> io::Result<OwnedFd> {
    socket.set_nonblocking(true)?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

fn bind_unix(path: &Path, is_shared: bool) -> io::Result<Listening> {
    clear(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // On Linux the file is created with the socket's mode, so it never has another one.
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    socket.bind(&SockAddr::unix(path)?)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    let file = SocketFile::new(path)?;
    let socket = UnixListener::from_std(listen(socket)?.into());
    Ok(Listening::Unix { socket, is_shared, _file: Some(file) })
}

/// Removes a socket's file that an ended listener left behind.
fn clear(path: &Path) -> io::Result<()> {
    let in_use = |text: &str| Err(io::Error::new(io::ErrorKind::AddrInUse, text));
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(file) if !file.file_type().is_socket() => {
            return in_use("there is a file, and it is no socket");
        }
        Ok(_) => {}
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        _ => in_use("another process listens there"),
    }
}

/// The file of a socket, removed on drop if it is still the same.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    fn new(path: &Path) -> io::Result<Self> {
        let file = fs::symlink_metadata(path)?;
        Ok(Self { path: path.to_owned(), identity: (file.dev(), file.ino()) })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let file = fs::symlink_metadata(&self.path);
        if file.is_ok_and(|file| (file.dev(), file.ino()) == self.identity) {
            // The next listener finds a file that cannot be removed.
            let _ = fs::remove_file(&self.path);
        }
    }
}
