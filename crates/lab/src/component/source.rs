//! What the messages carry: names of streams and bodies of prices.

use super::stamp::{STAMP, sum};
use super::task::Topics;
use crate::random::Random;

/// Bodies of a source at most; streams beyond share them.
const BODIES: usize = 1 << 14;

/// Currency pairs, tenors and groups of customers make the names of streams.
const PAIRS: [&str; 40] = [
    "EURUSD", "USDJPY", "GBPUSD", "AUDUSD", "USDCAD", "USDCHF", "NZDUSD", "EURJPY", "GBPJPY",
    "EURGBP", "AUDJPY", "EURAUD", "EURCHF", "AUDNZD", "NZDJPY", "GBPAUD", "GBPCAD", "EURNZD",
    "AUDCAD", "GBPCHF", "AUDCHF", "EURCAD", "CADJPY", "GBPNZD", "CADCHF", "CHFJPY", "NZDCAD",
    "NZDCHF", "USDSGD", "USDHKD", "USDCNH", "USDKRW", "USDTWD", "USDTHB", "USDINR", "USDIDR",
    "USDMYR", "USDPHP", "USDSEK", "USDNOK",
];
const TENORS: [&str; 25] = [
    "SPOT", "ON", "TN", "SN", "1W", "2W", "3W", "1M", "2M", "3M", "4M", "5M", "6M", "7M", "8M",
    "9M", "10M", "11M", "1Y", "15M", "18M", "21M", "2Y", "3Y", "5Y",
];

/// The names of all topics: of so many streams, and then the others.
pub(crate) fn names(topics: &Topics) -> Vec<String> {
    (0..topics.streams).map(stream).chain(topics.others.iter().cloned()).collect()
}

/// The name of a stream: pairs change fastest, groups of customers slowest.
fn stream(index: usize) -> String {
    let (pair, rest) = (index % PAIRS.len(), index / PAIRS.len());
    let (tenor, group) = (rest % TENORS.len(), rest / TENORS.len());
    format!("fx/{}/{}/group{group}", PAIRS[pair], TENORS[tenor])
}

/// Payloads that want nothing but their stamps.
#[derive(Debug)]
pub(super) struct Source {
    payloads: Vec<Vec<u8>>,
    checks: Vec<u32>,
}

impl Source {
    /// Payloads of so many bytes for so many streams.
    pub(super) fn new(streams: usize, bytes: usize) -> Self {
        let mut random = Random::new(2012);
        let payload = |_| {
            let mut payload = vec![0; bytes.max(STAMP)];
            for byte in &mut payload[STAMP..] {
                *byte = random.bits() as u8;
            }
            payload
        };
        let payloads: Vec<Vec<u8>> = (0..streams.clamp(1, BODIES)).map(payload).collect();
        let checks = payloads.iter().map(|payload| sum(&payload[STAMP..])).collect();
        Self { payloads, checks }
    }

    /// The next payload of a stream, and the sum of its body.
    #[inline]
    pub(super) fn payload(&mut self, stream: usize) -> (&mut [u8], u32) {
        let index = stream % self.payloads.len();
        (&mut self.payloads[index], self.checks[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn streams_have_names_of_their_own() {
        let topics = Topics { streams: 5_000, others: vec!["orders/venue".into()] };
        let names = names(&topics);
        assert_eq!(names[0], "fx/EURUSD/SPOT/group0");
        assert_eq!(names[40], "fx/EURUSD/ON/group0");
        assert_eq!(names[5_000], "orders/venue");
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 5_001);
    }
}
