//! Sockets that this process was given and that listen already.

use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use trunkline_reactor::{Address, Listener};

use super::Listening;
use crate::Protocol;

/// A socket that listens already, and what is spoken there.
#[derive(Debug)]
pub struct Inherited(Socket);

#[derive(Debug)]
enum Socket {
    Clients(Protocol, Listener),
    Http(TcpListener),
}

impl Inherited {
    /// For the native protocol over TCP.
    ///
    /// # Errors
    /// It does not listen.
    pub fn native_tcp(socket: TcpListener) -> io::Result<Self> {
        Listener::from_tcp(socket).map(|it| Self(Socket::Clients(Protocol::Native, it)))
    }

    /// For the native protocol over a Unix socket.
    ///
    /// # Errors
    /// It does not listen, or has no path.
    pub fn native_unix(socket: UnixListener) -> io::Result<Self> {
        Listener::from_unix(socket, false).map(|it| Self(Socket::Clients(Protocol::Native, it)))
    }

    /// For the native protocol over shared memory, which this Unix socket hands out.
    ///
    /// # Errors
    /// It does not listen, or has no path.
    pub fn shared_memory(socket: UnixListener) -> io::Result<Self> {
        Listener::from_unix(socket, true).map(|it| Self(Socket::Clients(Protocol::Native, it)))
    }

    /// For WebSocket.
    ///
    /// # Errors
    /// It does not listen.
    pub fn websocket(socket: TcpListener) -> io::Result<Self> {
        Listener::from_tcp(socket).map(|it| Self(Socket::Clients(Protocol::WebSocket, it)))
    }

    /// For HTTP.
    ///
    /// # Errors
    /// It has no address.
    pub fn http(socket: TcpListener) -> io::Result<Self> {
        socket.local_addr().map(|_| Self(Socket::Http(socket)))
    }

    /// Where it listens.
    ///
    /// # Errors
    /// It has no address.
    pub fn listening(&self) -> io::Result<Listening> {
        Ok(match &self.0 {
            Socket::Clients(protocol, listener) => {
                Listening { protocol: protocol.name(), address: listener.address() }
            }
            Socket::Http(socket) => Listening {
                protocol: "http",
                address: Address::Tcp(socket.local_addr()?.to_string()),
            },
        })
    }

    /// Takes the one for clients at an address; TLS comes on top of a listener of TCP.
    pub(super) fn take_listener(
        all: &mut Vec<Self>,
        address: &Address,
        protocol: Protocol,
    ) -> Option<Listener> {
        let address = match address {
            Address::Tls(place) => &Address::Tcp(place.clone()),
            address => address,
        };
        let is_it = |it: &Self| match &it.0 {
            Socket::Clients(of, listener) => *of == protocol && listener.address() == *address,
            Socket::Http(_) => false,
        };
        match all.swap_remove(all.iter().position(is_it)?).0 {
            Socket::Clients(_, listener) => Some(listener),
            Socket::Http(_) => None,
        }
    }

    /// Takes the one for HTTP.
    pub(super) fn take_http(all: &mut Vec<Self>) -> Option<TcpListener> {
        let at = all.iter().position(|it| matches!(it.0, Socket::Http(_)))?;
        match all.swap_remove(at).0 {
            Socket::Http(socket) => Some(socket),
            Socket::Clients(..) => None,
        }
    }
}
