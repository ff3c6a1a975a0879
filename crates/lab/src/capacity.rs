//! What a stream of reports needs: bytes on the line, CPU time, machines, and how long a report
//! waits for company. The arithmetic of Kohlhoff and Steele (2004), section 6, for any rate.
//!
//! A message leaves when its first report has waited for the window, or when it is full. Reports
//! come evenly spaced; what bunches of them can do to one second is told by [`Burst`].

pub mod costs;

use std::{error, fmt};

use trunkline_bench::statistics::Fit;

/// The highest rate that is planned for, in reports per second.
pub const RATE_LIMIT: f64 = 1e9;
/// The most entries in a message that is planned for. Costs are measured at 1 to 10 entries.
pub const ENTRIES_LIMIT: u32 = 10_000;
/// The longest window that is planned for, in seconds.
pub const WINDOW_LIMIT: f64 = 3600.0;

/// What is to be sent to a client, and how long it may be held back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    rate: f64,
    entries: u32,
    window: f64,
}

/// Why nothing can be planned; prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(pub(crate) String);

impl fmt::Display for PlanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl error::Error for PlanError {}

impl Demand {
    /// `rate` reports per second, at most `entries` of them in a message, none of them held back
    /// for longer than `window` seconds.
    ///
    /// # Errors
    /// One of them is out of its limits.
    pub fn new(rate: f64, entries: u32, window: f64) -> Result<Self, PlanError> {
        let is_within = |value: f64, limit| value > 0.0 && value <= limit;
        let fault = match () {
            () if !is_within(rate, RATE_LIMIT) => {
                format!("a rate is above 0 and at most {RATE_LIMIT} per second, not {rate}")
            }
            () if !(1..=ENTRIES_LIMIT).contains(&entries) => {
                format!("a message has 1 to {ENTRIES_LIMIT} entries, not {entries}")
            }
            () if !is_within(window, WINDOW_LIMIT) => {
                format!("a window is above 0 and at most {WINDOW_LIMIT} s, not {window} s")
            }
            () => return Ok(Self { rate, entries, window }),
        };
        Err(PlanError(fault))
    }

    /// Entries in each message while reports come evenly spaced: those that come within the window
    /// of the first, the end of the window excluded, unless the message is full before.
    fn entries_per_message(&self) -> u32 {
        let within_window = ceiling(self.rate * self.window).max(1.0);
        if within_window >= f64::from(self.entries) { self.entries } else { within_window as u32 }
    }

    /// The most messages that the reports of one second can need, however they are bunched.
    ///
    /// A message is full, or its window ran out. Windows do not overlap, so few begin in a second,
    /// and each needs but one report; the others fill messages.
    fn messages_at_worst(&self) -> f64 {
        let reports = ceiling(self.rate);
        let run_out = reports.min(ceiling(1.0 / self.window));
        run_out + ((reports - run_out) / f64::from(self.entries)).floor()
    }
}

/// The next whole number, where 70 x 0.1 is 7 and not a little more.
fn ceiling(value: f64) -> f64 {
    (value * (1.0 - 1e-12)).ceil()
}

/// What messages of a format cost by the number of their entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    bytes: Fit,
    encode: Fit,
    decode: Fit,
}

impl Costs {
    /// Lines through bytes of a message and nanoseconds of CPU time to encode and to decode it.
    ///
    /// None if a line makes a message of one entry cost nothing, or falls.
    pub fn new(bytes: Fit, encode: Fit, decode: Fit) -> Option<Self> {
        let is_cost = |fit: &Fit| fit.at(1.0) > 0.0 && fit.per_entry >= 0.0;
        [bytes, encode, decode].iter().all(is_cost).then_some(Self { bytes, encode, decode })
    }
}

/// Payload of a TCP segment on Ethernet, in bytes.
pub const SEGMENT: f64 = 1460.0;
/// What Ethernet (preamble, header, checksum and gap: 38), IP (20) and TCP (20) add to a segment.
pub const HEADERS: f64 = 78.0;

/// Bytes that a message takes on the wire when it is sent by itself.
fn on_the_wire(bytes: f64) -> f64 {
    bytes + (bytes / SEGMENT).ceil() * HEADERS
}

/// Usual lines, in bits per second.
const LINES: [f64; 15] =
    [64e3, 128e3, 256e3, 512e3, 1e6, 2e6, 10e6, 25e6, 50e6, 100e6, 1e9, 10e9, 40e9, 100e9, 400e9];

/// The smallest usual line that carries so many bits per second; None if none does.
pub fn usual_line(bits_per_second: f64) -> Option<u64> {
    LINES.into_iter().find(|line| *line >= bits_per_second).map(|line| line as u64)
}

/// What one client needs, and what a server can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Entries in each message.
    pub entries_per_message: u32,
    /// Messages to each client per second.
    pub messages_per_second: f64,
    /// Bytes of a message.
    pub bytes_per_message: f64,
    /// Bytes of messages to each client per second.
    pub bytes_per_second: f64,
    /// The same with the headers of Ethernet, IP and TCP.
    pub wire_bytes_per_second: f64,
    /// CPU time of encoding a message, in nanoseconds.
    pub encode_nanoseconds: f64,
    /// Share of one core that encodes the messages of one client, or of all if they are encoded
    /// once for all.
    pub encode_share: f64,
    /// Share of one of the client's cores that decodes its messages.
    pub decode_share: f64,
    /// How long a report waits for company on average, in seconds.
    pub mean_wait: f64,
    /// How long a report waits for company at most, in seconds.
    pub worst_wait: f64,
    /// What the reports of one second can come to.
    pub burst: Burst,
}

/// What the reports of one second cost at worst, however they are bunched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// Messages.
    pub messages: f64,
    /// Their bytes.
    pub bytes: f64,
    /// Their bytes with the headers of Ethernet, IP and TCP, all messages being equally long.
    pub wire_bytes: f64,
}

impl Capacity {
    /// What `demand` needs in a format of these costs.
    pub fn of(demand: &Demand, costs: &Costs) -> Self {
        let entries_per_message = demand.entries_per_message();
        let entries = f64::from(entries_per_message);
        let messages_per_second = demand.rate / entries;
        let bytes_per_message = costs.bytes.at(entries);
        let encode_nanoseconds = costs.encode.at(entries);
        // From the first report to the last.
        let gathering = (entries - 1.0) / demand.rate;
        let is_full = entries_per_message == demand.entries;
        let worst_wait = if is_full { gathering.min(demand.window) } else { demand.window };
        Self {
            entries_per_message,
            messages_per_second,
            bytes_per_message,
            bytes_per_second: bytes_per_message * messages_per_second,
            wire_bytes_per_second: on_the_wire(bytes_per_message) * messages_per_second,
            encode_nanoseconds,
            encode_share: encode_nanoseconds * messages_per_second / 1e9,
            decode_share: costs.decode.at(entries) * messages_per_second / 1e9,
            mean_wait: worst_wait - gathering / 2.0,
            worst_wait,
            burst: Burst::of(demand, costs),
        }
    }

    /// Bits of messages to each client per second.
    pub fn bits_per_second(&self) -> f64 {
        self.bytes_per_second * 8.0
    }

    /// Bits to each client per second with the headers of Ethernet, IP and TCP.
    pub fn wire_bits_per_second(&self) -> f64 {
        self.wire_bytes_per_second * 8.0
    }

    /// Clients that one core serves if it encodes every message anew for each, as the paper's does.
    /// Sending is not counted.
    pub fn clients(&self) -> u64 {
        (1.0 / self.encode_share).floor() as u64
    }

    /// Machines of `cores` cores that encode every message anew for each of `clients`.
    pub fn machines(&self, clients: u64, cores: u32) -> u64 {
        machines(self.encode_share * clients as f64, cores)
    }

    /// Machines of `cores` cores that encode every message once for all clients.
    pub fn machines_once(&self, cores: u32) -> u64 {
        machines(self.encode_share, cores)
    }
}

fn machines(share: f64, cores: u32) -> u64 {
    ((share / f64::from(cores.max(1))).ceil() as u64).max(1)
}

impl Burst {
    fn of(demand: &Demand, costs: &Costs) -> Self {
        let (reports, messages) = (ceiling(demand.rate), demand.messages_at_worst());
        let bytes_per_message = costs.bytes.at(reports / messages);
        let wire_bytes = on_the_wire(bytes_per_message) * messages;
        Self { messages, bytes: bytes_per_message * messages, wire_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_experiment::definition::{Definition, Line, Requirement};
    use trunkline_experiment::format::Format;

    fn fit(line: &Line) -> Fit {
        Fit { fixed: line.fixed, per_entry: line.per_entry, r_squared: 1.0 }
    }

    fn costs_of_the_paper() -> Costs {
        let definition = Definition::named("kohlhoff-2004").expect("embedded");
        let [size, encode, decode] =
            [("size", "size"), ("encode", "cpu-time"), ("decode", "cpu-time")].map(
                |(case, metric)| {
                    let line = definition.published(case, metric, Format::SoapRpc);
                    fit(&line.expect("tables 1, 3 and 4"))
                },
            );
        Costs::new(size, encode, decode).expect("costs")
    }

    fn requirement() -> Requirement {
        let definition = Definition::named("kohlhoff-2004").expect("embedded");
        definition.requirement.expect("section 6")
    }

    fn capacity(rate: f64, entries: u32, window: f64) -> Capacity {
        let demand = Demand::new(rate, entries, window).expect("a demand");
        Capacity::of(&demand, &costs_of_the_paper())
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, not {expected}");
    }

    #[test]
    fn the_papers_exchange_needs_what_the_paper_says() {
        let capacity = capacity(70.0, 10, 1.0);
        assert_eq!(capacity.entries_per_message, requirement().entries);
        assert_near(capacity.messages_per_second, 7.0);
        assert_near(capacity.bytes_per_message, 4508.0);
        assert_near(capacity.bytes_per_second, f64::from(requirement().bytes_per_second));
        assert_eq!(usual_line(capacity.bits_per_second()), Some(256_000));
        assert!((capacity.encode_nanoseconds / 1e6 - requirement().encoding_millis).abs() < 0.005);
        assert!((capacity.encode_share - 0.0086).abs() < 0.000_05, "{}", capacity.encode_share);
        assert_eq!(capacity.clients(), 116);
        assert_near(capacity.burst.messages, 7.0);
        assert_near(capacity.burst.bytes, capacity.bytes_per_second);
    }

    #[test]
    fn headers_outgrow_the_papers_line() {
        let capacity = capacity(70.0, 10, 1.0);
        // 4508 bytes are four segments.
        assert_near(capacity.wire_bytes_per_second, 7.0 * (4508.0 + 4.0 * 78.0));
        assert_eq!(usual_line(capacity.wire_bits_per_second()), Some(512_000));
    }

    #[test]
    fn a_message_leaves_when_it_is_full_or_its_window_ends() {
        for (rate, entries, window, per_message, messages) in [
            (70.0, 10, 1.0, 10, 7.0),
            (75.0, 10, 1.0, 10, 7.5),
            (5.0, 10, 1.0, 5, 1.0),
            (0.5, 10, 1.0, 1, 0.5),
            // The second report comes 0.67 s after the first.
            (1.5, 10, 1.0, 2, 0.75),
            // 70 x 0.1 is a little more than 7 in binary.
            (70.0, 10, 0.1, 7, 10.0),
            (70.0, 1, 1.0, 1, 70.0),
            (1e9, 10_000, 3600.0, 10_000, 1e5),
        ] {
            let capacity = capacity(rate, entries, window);
            assert_eq!(capacity.entries_per_message, per_message, "{rate} {entries} {window}");
            assert_near(capacity.messages_per_second, messages);
        }
    }

    #[test]
    fn reports_wait_for_company_or_for_the_window() {
        // Full after nine more reports: the first waits for all of them, the last for none.
        let full = capacity(70.0, 10, 1.0);
        assert_near(full.worst_wait, 9.0 / 70.0);
        assert_near(full.mean_wait, 4.5 / 70.0);
        // Five reports at 0, 0.2 ... 0.8 s leave at 1 s.
        let windowed = capacity(5.0, 10, 1.0);
        assert_near(windowed.worst_wait, 1.0);
        assert_near(windowed.mean_wait, 0.6);
        let alone = capacity(0.5, 10, 1.0);
        assert_eq!((alone.worst_wait, alone.mean_wait), (1.0, 1.0));
        let single = capacity(70.0, 1, 1.0);
        assert_eq!((single.worst_wait, single.mean_wait), (0.0, 0.0));
    }

    #[test]
    fn the_worst_second_is_made_of_whole_messages() {
        for (rate, entries, window, messages) in [
            (70.0, 10, 1.0, 7.0),
            (71.0, 10, 1.0, 8.0),
            (75.0, 10, 1.0, 8.0),
            (5.0, 10, 1.0, 1.0),
            (0.5, 10, 1.0, 1.0),
            (0.5, 10, 10.0, 1.0),
            // Ten windows run out with one report each, and 60 reports fill six messages.
            (70.0, 10, 0.1, 16.0),
            (5.0, 10, 0.001, 5.0),
        ] {
            let capacity = capacity(rate, entries, window);
            assert_eq!(capacity.burst.messages, messages, "{rate} {entries} {window}");
            let reports = rate.ceil();
            assert_near(capacity.burst.bytes, 639.0 * messages + 386.9 * reports);
        }
    }

    #[test]
    fn the_worst_second_is_never_better_than_the_usual_one() {
        for rate in (1..200).map(f64::from) {
            for window in [0.01, 0.3, 0.5, 1.0] {
                let capacity = capacity(rate, 10, window);
                // A longer time than a second has as many windows as it has seconds.
                let messages = capacity.messages_per_second - 1e-9;
                assert!(capacity.burst.messages >= messages.min(rate), "{rate} {window}");
            }
        }
    }

    #[test]
    fn machines_are_whole() {
        let capacity = capacity(70.0, 10, 1.0);
        assert_eq!((capacity.machines(116, 1), capacity.machines(117, 1)), (1, 2));
        assert_eq!((capacity.machines(232, 2), capacity.machines(0, 0)), (1, 1));
        assert_eq!((capacity.machines(1_000_000, 2), capacity.machines_once(1)), (4_295, 1));
    }

    #[test]
    fn what_cannot_be_planned_is_rejected() {
        let rejected = |rate, entries, window| {
            Demand::new(rate, entries, window).expect_err("rejected").to_string()
        };
        assert_eq!(
            rejected(0.0, 10, 1.0),
            "a rate is above 0 and at most 1000000000 per second, not 0"
        );
        assert!(rejected(f64::NAN, 10, 1.0).starts_with("a rate"));
        assert!(rejected(f64::INFINITY, 10, 1.0).starts_with("a rate"));
        assert_eq!(rejected(70.0, 0, 1.0), "a message has 1 to 10000 entries, not 0");
        assert!(rejected(70.0, 10_001, 1.0).starts_with("a message"));
        assert_eq!(rejected(70.0, 10, 0.0), "a window is above 0 and at most 3600 s, not 0 s");
        let flat = Fit { fixed: 100.0, per_entry: 0.0, r_squared: 1.0 };
        let falling = Fit { fixed: 100.0, per_entry: -1.0, r_squared: 1.0 };
        let nothing = Fit { fixed: -1.0, per_entry: 1.0, r_squared: 1.0 };
        assert!(Costs::new(flat, flat, flat).is_some());
        assert_eq!(Costs::new(flat, falling, flat), None);
        assert_eq!(Costs::new(nothing, flat, flat), None);
    }

    #[test]
    fn lines_are_the_usual_ones() {
        assert_eq!(usual_line(1.0), Some(64_000));
        assert_eq!(usual_line(256_000.0), Some(256_000));
        assert_eq!(usual_line(256_000.1), Some(512_000));
        assert_eq!(usual_line(1e12), None);
    }
}
