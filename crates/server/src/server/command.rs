//! How other threads talk to the router's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use trunkline_reactor::Waker;

use super::tls::{self, Tls};
use crate::administration::{Answer, Rejection, Request};
use crate::config::Config;
use crate::engine::Gate;
use crate::event_loop::Caller;
use crate::server::memory;
use crate::snapshot::{Snapshot, SnapshotRequest};

/// How long an answer may take that needs a few turns of the loop.
const PATIENCE: Duration = Duration::from_secs(5);

/// What another thread asks of the router's.
#[derive(Debug)]
pub enum Command {
    /// Ends it.
    Stop,
    /// Changes the configuration; the answer is the reason if that fails.
    Reconfigure(Box<Config>, SyncSender<Result<(), String>>),
    /// Returns a snapshot.
    Snapshot(SnapshotRequest, SyncSender<Snapshot>),
    /// Does what an administrator asks.
    Administer(Request, Caller),
    /// Says how the router is, in the next turn.
    Pulse(SyncSender<Pulse>),
}

/// How a router is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// Clients that are connected.
    pub clients: u64,
    /// Whether it drains for maintenance.
    pub is_draining: bool,
    /// Whether it stops.
    pub is_stopping: bool,
}

/// The queue of commands. The router's thread checks one flag a turn, and takes the lock only when
/// it is set.
#[derive(Debug)]
pub(crate) struct Shared {
    has_commands: AtomicBool,
    /// None once the router has stopped.
    commands: Mutex<Option<Vec<Command>>>,
    tls: Tls,
    /// Who may come in, for those who ask over HTTP.
    gate: Mutex<Arc<Gate>>,
}

impl Shared {
    /// Who may come in, by the configuration that holds now.
    pub(crate) fn gate(&self) -> Arc<Gate> {
        Arc::clone(&self.gate.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The router's certificate.
    pub(crate) fn tls(&self) -> &Tls {
        &self.tls
    }

    #[inline]
    pub(crate) fn has_commands(&self) -> bool {
        self.has_commands.load(Ordering::Acquire)
    }

    pub(crate) fn take(&self) -> Vec<Command> {
        self.has_commands.store(false, Ordering::Release);
        self.lock().as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The router takes no commands any more; callers that wait for an answer get an error.
    pub(crate) fn close(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<Command>>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Talks to a router that runs, from any thread.
#[derive(Clone, Debug)]
pub struct Handle {
    shared: Arc<Shared>,
    waker: Waker,
}

impl Handle {
    pub(crate) fn new(waker: Waker, config: &Config) -> Self {
        let shared = Shared {
            has_commands: AtomicBool::new(false),
            commands: Mutex::new(Some(Vec::new())),
            tls: Tls::default(),
            gate: Mutex::new(Arc::new(Gate::new(config))),
        };
        Self { shared: Arc::new(shared), waker }
    }

    /// What wakes the router's thread.
    pub(crate) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Who may come in.
    pub(crate) fn gate(&self) -> Arc<Gate> {
        self.shared.gate()
    }

    /// Asks the router to stop; returns at once.
    pub fn stop(&self) {
        self.ask(Command::Stop);
    }

    /// Gives the router another configuration, and waits until it holds. Certificates and keys are read again.
    /// Clients stay connected.
    ///
    /// # Errors
    ///
    /// Says why nothing has changed.
    pub fn reconfigure(&self, mut config: Config) -> Result<(), String> {
        memory::resolve(&mut config);
        let credentials = tls::load(&config)?;
        self.shared.tls.offer(credentials.as_ref());
        let (answer, answers) = mpsc::sync_channel(1);
        self.ask(Command::Reconfigure(Box::new(config.clone()), answer));
        answers.recv().unwrap_or_else(|_| Err("the router has stopped".to_owned()))?;
        self.shared.tls.replace(credentials, &config);
        *self.shared.gate.lock().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(Gate::new(&config));
        Ok(())
    }

    /// What is going on in the router; it blocks this thread only. `None` if the router has stopped,
    /// does not answer within five seconds, or too many ask already.
    pub fn snapshot(&self, what: SnapshotRequest) -> Option<Snapshot> {
        let (answer, answers) = mpsc::sync_channel(1);
        self.ask(Command::Snapshot(what, answer));
        let mut snapshot = answers.recv_timeout(PATIENCE).ok()?;
        snapshot.totals.handshakes_failed = self.shared.tls.failed();
        Some(snapshot)
    }

    /// Does what an administrator asks; it blocks this thread only. `None` if the router has stopped, does not
    /// answer within five seconds, or too many ask already.
    pub fn administer(&self, request: Request) -> Option<Result<Answer, Rejection>> {
        let (answer, answers) = mpsc::sync_channel(1);
        self.ask(Command::Administer(request, answer));
        answers.recv_timeout(PATIENCE).ok()
    }

    /// How the router is, if its thread answers in this time.
    pub fn pulse(&self, within: Duration) -> Option<Pulse> {
        let (answer, answers) = mpsc::sync_channel(1);
        self.ask(Command::Pulse(answer));
        answers.recv_timeout(within).ok()
    }

    fn ask(&self, command: Command) {
        if let Some(commands) = self.shared.lock().as_mut() {
            commands.push(command);
            self.shared.has_commands.store(true, Ordering::Release);
        }
        // Without the waker the router would find it in its next turn.
        let _ = self.waker.wake();
    }
}
