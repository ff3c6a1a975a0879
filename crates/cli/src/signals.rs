//! The end by a signal leaves nothing behind.

use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use trunkline_lab::{file, peer};

use crate::fault::Fault;

/// From now on, an interrupt or a request to end kills the peers and removes their folders first.
pub(crate) fn stop_peers_on_termination() -> Result<(), Fault> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])
        .map_err(|cause| Fault::new(format!("signals cannot be received: {cause}")))?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            peer::stop_all();
            file::remove_partial();
            // Ends the process as the signal would have; if it cannot, we end it ourselves.
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}
