//! The threads of a router that has several.

use std::io;
use std::thread::JoinHandle;

use tracing::error;
use trunkline_reactor::{Listener, Reactor, Waker};

use super::start_thread;
use crate::config::Config;
use crate::engine::Engine;
use crate::event_loop::{EventLoop, ProtocolListener};
use crate::platform::SystemPlatform;
use crate::threads::{CarriedListener, Threads};

/// What a loop is made of.
type Parts = (Engine, SystemPlatform, Vec<ProtocolListener<Listener>>);

/// Starts the router's thread, and those that carry connections beside it.
pub(super) fn start(
    config: &Config,
    (engine, platform, listeners): Parts,
    threads: usize,
) -> io::Result<JoinHandle<io::Result<()>>> {
    let wake = waking(platform.reactor.waker());
    let mut platform = Threads::new(platform, wake);
    for number in 1..threads {
        let reactor = Reactor::new(config.router.idle)?;
        let wake = waking(reactor.waker());
        let io_loop = platform.add_thread(reactor, wake);
        let running = start_thread(&format!("trunkline-io-{number}"), move || {
            if let Err(cause) = io_loop.run() {
                error!(%cause, "a thread has failed, and its connections with it");
            }
        })?;
        platform.keep(running);
    }
    let listeners = listeners.into_iter().map(|it| ProtocolListener {
        socket: CarriedListener(it.socket),
        protocol: it.protocol,
        configured: it.configured,
    });
    let event_loop = EventLoop::new(engine, platform, listeners.collect())?;
    start_thread("trunkline-router", || event_loop.run())
}

fn waking(waker: Waker) -> impl Fn() + Send + Sync {
    move || {
        // Without it the thread would see at its next turn what it was told.
        let _ = waker.wake();
    }
}
