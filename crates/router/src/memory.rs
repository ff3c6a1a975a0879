//! Memory that clients do not need any more goes back.

use crate::router::Router;

/// A client that was delivered nothing for so long gives back what its buffers hold, in nanoseconds.
const IDLE: u64 = 1_000_000_000;
/// Between two looks at some of the clients.
const STEP: u64 = 10_000_000;
/// Looks in which all clients are seen.
const STEPS: usize = 100;
/// Bytes of an output that are kept.
const KEPT: usize = 1 << 10;

impl<R> Router<R> {
    /// Looks at some of the clients, so that all are seen once in a while.
    pub(crate) fn look_at_memory(&mut self, now: u64) {
        let (mut place, next) = self.look;
        if now < next || self.egress.clients.is_empty() {
            return;
        }
        let places = self.egress.clients.len();
        for _ in 0..places.div_ceil(STEPS) {
            place = (place + 1) % places as u32;
            self.look_at_client(now, place);
        }
        self.look = (place, now.saturating_add(STEP));
    }

    fn look_at_client(&mut self, now: u64, place: u32) {
        let Some(client) = &mut self.egress.clients[place as usize] else { return };
        let (since, delivered) = client.looked_at;
        if client.port.delivered != delivered || client.port.output.len() > 0 {
            client.looked_at = (now, client.port.delivered);
        } else if now.saturating_sub(since) >= IDLE {
            if client.port.output.bytes.capacity() > KEPT {
                client.port.output.bytes = Vec::new();
            }
            client.queue.shrink();
        }
    }
}
