//! What an engine of FIX is asked that is both sides of a session.

use super::{Peer, PeerError, numbers};

/// What both sides of a session came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Nanoseconds from the start of the side that connects until it has logged on.
    pub(crate) logon: u64,
    /// Nanoseconds of a round trip: the middle, and what 99 of 100 do not exceed.
    pub(crate) round_trips: [u64; 2],
    /// Orders a second.
    pub(crate) rate: u64,
}

impl Peer {
    /// Lets both sides log on, exchange orders and answers, and pass orders; `question` says how many, and where they are kept.
    pub(crate) fn measure_session(
        &mut self,
        question: &str,
        orders: u32,
    ) -> Result<Measured, PeerError> {
        let expected = "measured LOGON P50 P99 ORDERS_A_SECOND";
        let [logon, middle, tail, rate] = self
            .parsed(question, expected, |answer| numbers(answer.strip_prefix("measured ")?, ' '))?;
        let measured = Measured { logon, round_trips: [middle, tail], rate };
        // It cannot have taken longer than we have waited.
        let told = logon as f64 + f64::from(orders) * 1e9 / (rate as f64 + 1.0);
        let took = self.process.took().as_nanos() as f64;
        let is_credible = rate > 0 && middle > 0 && middle <= tail && told <= took;
        if is_credible {
            return Ok(measured);
        }
        let expected = format!("times within the {:.0} ms that it took", took / 1e6);
        Err(self.process.incredible(question, &format!("{measured:?}"), &expected))
    }
}
