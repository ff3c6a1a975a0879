//! From a name to a connection, within one time for all of it.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::thread;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The addresses of `host:port`.
pub(super) async fn resolve(address: &str) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = address.parse() {
        return Ok(vec![address]);
    }
    let address = address.to_owned();
    apart(move || address.to_socket_addrs().map(Iterator::collect)).await
}

/// Does something that blocks on a thread of its own. The system's resolver cannot be interrupted,
/// and a runtime would wait for its own threads when it is dropped; this one is left to itself.
async fn apart<T: Send + 'static>(
    blocks: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = oneshot::channel();
    let thread = thread::Builder::new().name("http resolver".to_owned());
    thread.spawn(move || {
        // The receiver is gone if it took too long.
        let _ = sender.send(blocks());
    })?;
    receiver.await.map_err(io::Error::other)?
}

/// Connects to the first address that answers. Each has an equal share of the time that is left, so
/// that one that is silent leaves time for the next. For the last one the caller keeps the time.
pub(super) async fn reach(addresses: &[SocketAddr], limit: Duration) -> io::Result<TcpStream> {
    let start = Instant::now();
    for (left, &address) in (1..=addresses.len() as u32).rev().zip(addresses) {
        if left == 1 {
            return TcpStream::connect(address).await;
        }
        let share = limit.saturating_sub(start.elapsed()) / left;
        if let Ok(Ok(stream)) = timeout(share, TcpStream::connect(address)).await {
            return Ok(stream);
        }
    }
    Err(io::ErrorKind::AddrNotAvailable.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::sync::mpsc::channel;

    use socket2::{Domain, Socket, Type};
    use tokio::runtime::{Builder, Runtime};

    fn runtime() -> Runtime {
        Builder::new_current_thread().enable_all().build().expect("files are left")
    }

    /// An address that does not answer, because its backlog is full.
    fn silent() -> (SocketAddr, Socket, Vec<std::net::TcpStream>) {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("files are left");
        let any: SocketAddr = ([127, 0, 0, 1], 0).into();
        socket.bind(&any.into()).expect("a port is free");
        socket.listen(0).expect("it listens");
        let address = socket.local_addr().ok().and_then(|it| it.as_socket()).expect("a port");
        let connect = || std::net::TcpStream::connect_timeout(&address, Duration::from_millis(200));
        let waiting: Vec<_> = std::iter::from_fn(|| connect().ok()).collect();
        (address, socket, waiting)
    }

    #[test]
    fn a_silent_address_leaves_time_for_the_next() {
        let (silent, _socket, _waiting) = silent();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let live = listener.local_addr().expect("it listens");
        let limit = Duration::from_secs(1);
        let reached = runtime().block_on(async {
            let reached = timeout(2 * limit, reach(&[silent, silent, live], limit)).await;
            reached.expect("it keeps to the limit").expect("the last one answers")
        });
        assert_eq!(reached.peer_addr().expect("it is connected"), live);
    }

    #[test]
    fn a_resolver_that_hangs_holds_up_nobody() {
        let (release, held) = channel::<()>();
        let hangs = move || Ok(held.recv());
        let runtime = runtime();
        let late =
            runtime.block_on(async { timeout(Duration::from_millis(50), apart(hangs)).await });
        assert!(late.is_err(), "it is not waited for");
        drop(runtime);
        release.send(()).expect("it hangs still");
    }

    #[test]
    fn names_and_addresses_are_resolved() {
        let of = |address: &str| runtime().block_on(resolve(address));
        assert_eq!(of("[::1]:80").expect("an address"), [([0, 0, 0, 0, 0, 0, 0, 1], 80).into()]);
        let local = of("localhost:80").expect("every machine has this name");
        assert!(local.iter().all(|it| it.ip().is_loopback() && it.port() == 80), "{local:?}");
        assert_eq!(of("a:b").expect_err("no port").kind(), io::ErrorKind::InvalidInput);
    }
}
