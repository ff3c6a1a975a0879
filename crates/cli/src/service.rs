//! The service manager: what systemd is told (`sd_notify`), and the sockets that it passes on.

use std::env;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use listenfd::ListenFd;
use rustix::time::{ClockId, clock_gettime};
use tracing::warn;
use trunkline_server::{Handle, Inherited, Pulse};

use crate::fault::Fault;

/// The most between two looks at whether the router runs.
const LOOK: Duration = Duration::from_secs(5);

/// Tells the service manager how the router is. Without one it tells nobody.
#[derive(Clone, Debug)]
pub(crate) struct ServiceManager(Option<Arc<Told>>);

#[derive(Debug)]
struct Told {
    socket: UnixDatagram,
    address: SocketAddr,
    /// How often it wants to know that the router runs.
    watchdog: Option<Duration>,
}

impl ServiceManager {
    /// The one that has started this process, if one has.
    pub(crate) fn from_environment() -> Result<Self, Fault> {
        let Some(name) = env::var_os("NOTIFY_SOCKET").filter(|it| !it.is_empty()) else {
            return Ok(Self(None));
        };
        let shown = name.display().to_string();
        let wrong = |cause: io::Error| Fault::new(format!("NOTIFY_SOCKET={shown}: {cause}"));
        let name = name.into_vec();
        let address = match name.strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name),
            None => SocketAddr::from_pathname(std::ffi::OsStr::from_bytes(&name)),
        };
        let address = address.map_err(wrong)?;
        let socket = UnixDatagram::unbound().map_err(wrong)?;
        Ok(Self(Some(Arc::new(Told { socket, address, watchdog: watchdog() }))))
    }

    /// The router listens.
    pub(crate) fn ready(&self) {
        self.tell("READY=1");
    }

    /// The configuration is being read again, until [`Self::ready`].
    pub(crate) fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={microseconds}"));
    }

    fn tell(&self, text: &str) {
        let Some(it) = &self.0 else { return };
        if let Err(cause) = it.socket.send_to_addr(text.as_bytes(), &it.address) {
            warn!(%cause, text, "the service manager cannot be told");
        }
    }

    /// Watches a router on a thread of its own: the router's thread has to answer, or the service manager is
    /// told nothing, and restarts the router if it has a watchdog.
    pub(crate) fn watch(&self, handle: Handle) -> io::Result<()> {
        let Some(it) = self.0.clone() else { return Ok(()) };
        let manager = self.clone();
        let interval = it.watchdog.map_or(LOOK, |it| (it / 3).min(LOOK));
        thread::Builder::new()
            .name("watchdog".to_owned())
            .spawn(move || manager.look(&handle, interval, it.watchdog.is_some()))?;
        Ok(())
    }

    fn look(&self, handle: &Handle, interval: Duration, has_watchdog: bool) {
        let (mut before, mut is_stopping) = (None, false);
        loop {
            let pulse = handle.pulse(interval);
            if let Some(pulse) = pulse
                && before != Some(pulse)
            {
                self.tell(&format!("STATUS={}", status(pulse)));
                before = Some(pulse);
            }
            if pulse.is_some_and(|it| it.is_stopping) && !is_stopping {
                is_stopping = true;
                self.tell("STOPPING=1");
            }
            // A router that stops waits for its disk, and then is no more; that has a time-out of its own.
            if has_watchdog && (pulse.is_some() || is_stopping) {
                self.tell("WATCHDOG=1");
            }
            thread::sleep(interval);
        }
    }
}

/// How often the service manager wants to know that this process runs.
fn watchdog() -> Option<Duration> {
    let number = |name| env::var(name).ok()?.parse::<u64>().ok();
    let is_ours = number("WATCHDOG_PID").is_none_or(|it| it == u64::from(process::id()));
    let microseconds = number("WATCHDOG_USEC").filter(|it| *it > 0 && is_ours)?;
    Some(Duration::from_micros(microseconds))
}

fn status(pulse: Pulse) -> String {
    let what = match pulse {
        Pulse { is_stopping: true, .. } => "stopping, ",
        Pulse { is_draining: true, .. } => "draining for maintenance, ",
        _ => "",
    };
    let clients = if pulse.clients == 1 { "client" } else { "clients" };
    format!("{what}{} {clients}", pulse.clients)
}

/// The sockets that the service manager passes to this process (`LISTEN_FDS`), which replace the configuration's
/// listeners of their kinds. To be called before there are other threads.
pub(crate) fn inherited() -> Result<Vec<Inherited>, Fault> {
    let process: Option<u32> = env::var("LISTEN_PID").ok().and_then(|it| it.parse().ok());
    if process != Some(process::id()) {
        return Ok(Vec::new());
    }
    let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
    let mut sockets = ListenFd::from_env();
    let names = names.split(':').chain(std::iter::repeat(""));
    let all = (0..sockets.len()).zip(names).map(|(at, name)| take(&mut sockets, at, name));
    all.collect()
}

fn take(sockets: &mut ListenFd, at: usize, name: &str) -> Result<Inherited, Fault> {
    let count = sockets.len();
    let wrong = |why: &str| {
        let number = at + 1;
        Fault::new(format!(
            "socket {number} of {count}, {name:?}, which the service manager passes: {why}"
        ))
    };
    let gone = "it is not there";
    let inherited = match name {
        "native" => match sockets.take_unix_listener(at) {
            Ok(socket) => Inherited::native_unix(socket.ok_or_else(|| wrong(gone))?),
            Err(_) => tcp(sockets, at).and_then(Inherited::native_tcp),
        },
        "shm" => sockets
            .take_unix_listener(at)
            .and_then(|socket| Inherited::shared_memory(socket.ok_or(io::ErrorKind::NotFound)?)),
        "websocket" => tcp(sockets, at).and_then(Inherited::websocket),
        "http" => tcp(sockets, at).and_then(Inherited::http),
        _ => {
            return Err(wrong(
                "FileDescriptorName= of its unit says what it is for: native, shm, websocket or http",
            ));
        }
    };
    inherited.map_err(|cause| wrong(&cause.to_string()))
}

fn tcp(sockets: &mut ListenFd, at: usize) -> io::Result<std::net::TcpListener> {
    sockets.take_tcp_listener(at)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}
