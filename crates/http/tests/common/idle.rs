//! Ten thousand idle connections. A process of its own holds them, since each process has a limit of
//! open files.

use std::env;
use std::io::{Read as _, stdin};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use trunkline_http::raise_open_files;

use super::connect;

#[path = "../../../../tests/src/skip.rs"]
#[allow(unreachable_pub)]
mod skip;

/// How many connections there are.
pub(crate) const IDLE: u64 = 10_000;

/// Where the process that holds the connections finds the server; set for that process only.
const HOLD: &str = "TRUNKLINE_HOLD_IDLE";

/// What the test does that [`Held::start`] names: connects, and waits until its standard input ends.
/// In all other processes there is nothing to do.
pub(crate) fn hold_if_asked() {
    let Ok(address) = env::var(HOLD) else { return };
    raise_open_files(IDLE + 100).expect("the limit can be raised");
    let address = address.parse().expect("an address");
    let _held: Vec<_> = (0..IDLE).map(|_| connect(address)).collect();
    let _ = stdin().read(&mut [0]);
}

/// Makes room in this process for the server's side; says if there is none.
pub(crate) fn fits() -> bool {
    let files = raise_open_files(IDLE + 500).expect("the limit can be read");
    let fits = files.now >= IDLE + 500;
    if !fits {
        let needed = IDLE + 500;
        skip::skip(&format!(
            "{} open files are allowed, {needed} are needed: ulimit -n",
            files.now
        ));
    }
    fits
}

/// The process that holds the connections; it ends when this is dropped.
pub(crate) struct Held(Child);

impl Held {
    /// Starts this program once more with nothing but the test that calls [`hold_if_asked`], and
    /// waits until so many connections are `open`.
    pub(crate) fn start(test: &str, server: SocketAddr, open: impl Fn() -> u64) -> Self {
        let mut holder = Command::new(env::current_exe().expect("this program has a name"))
            .args(["--exact", test])
            .env(HOLD, server.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("this program can be started");
        while open() < IDLE {
            assert!(holder.try_wait().expect("it can be asked").is_none(), "it could not connect");
            sleep(Duration::from_millis(5));
        }
        Self(holder)
    }

    /// Closes them all.
    pub(crate) fn release(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("it ends").success());
    }
}
