//! The end by a signal leaves nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use trunkline_bench::{child, file};

use crate::fault::Fault;

/// From now on, an interrupt or a request to end kills the peers and removes their folders first.
pub(crate) fn stop_peers_on_termination() -> Result<(), Fault> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])
        .map_err(|cause| Fault::new(format!("signals cannot be received: {cause}")))?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            child::stop_all();
            file::remove_partial();
            // Ends the process as the signal would have; if it cannot, we end it ourselves.
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// Whether the user wants a verb to end.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// True from the first interrupt on.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From now on, an interrupt or a request to end is for the verb to obey; a second one ends the
/// process.
pub(crate) fn ask_to_stop() -> Result<Stop, Fault> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag unset.
        flag::register_conditional_default(signal, Arc::clone(&asked))
            .and_then(|_| flag::register(signal, Arc::clone(&asked)))
            .map_err(|cause| Fault::new(format!("signals cannot be received: {cause}")))?;
    }
    Ok(Stop(asked))
}
