//! Kohlhoff and Steele, Evaluating SOAP for High Performance Applications in Capital Markets, 2004.
//!
//! Their machines: a 900 MHz Pentium 3 under Windows 2000 as client, a 500 MHz Pentium 3 under Linux
//! 2.4 as server (section 4.3). SOAP was gSOAP, CDR was TAO, FIX was their own (section 4.2).

/// A line of tables 1 to 4: a cost that is partly fixed, partly by entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// `FIX`, `CDR` or `SOAP`.
    pub format: &'static str,
    /// Cost of a message without entries, in the table's unit.
    pub fixed: f64,
    /// Cost of each entry, in the table's unit.
    pub per_entry: f64,
}

impl Line {
    /// The cost that the line gives for a message of `entries` entries.
    pub fn at(&self, entries: u32) -> f64 {
        self.fixed + self.per_entry * f64::from(entries)
    }
}

/// One of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    /// What is measured.
    pub name: &'static str,
    /// `bytes` or `ms`.
    pub unit: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// One line a format.
    pub lines: [Line; 3],
}

impl Table {
    /// The line of `format`: `FIX`, `CDR` or `SOAP`.
    pub fn line(&self, format: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.format == format)
    }
}

const fn line(format: &'static str, fixed: f64, per_entry: f64) -> Line {
    Line { format, fixed, per_entry }
}

/// Bytes of a message.
pub const MESSAGE_SIZE: Table = Table {
    name: "message size",
    unit: "bytes",
    source: "Kohlhoff & Steele 2004, table 1",
    lines: [line("FIX", 81.93, 109.9), line("CDR", 84.90, 208.1), line("SOAP", 639.0, 386.9)],
};

/// Round trip of a message over Ethernet of 10 Mbit/s.
pub const ROUND_TRIP_10_MBPS: Table = Table {
    name: "round trip at 10 Mbit/s",
    unit: "ms",
    source: "Kohlhoff & Steele 2004, table 2",
    lines: [line("FIX", 1.032, 0.2516), line("CDR", 1.094, 0.4017), line("SOAP", 2.059, 1.176)],
};

/// CPU time of encoding a message on the server.
pub const ENCODING: Table = Table {
    name: "server-side encoding",
    unit: "ms",
    source: "Kohlhoff & Steele 2004, table 3",
    lines: [line("FIX", 0.0250, 0.0141), line("CDR", 0.0136, 0.0137), line("SOAP", 0.0791, 0.1148)],
};

/// CPU time of decoding a message on the server.
pub const DECODING: Table = Table {
    name: "server-side decoding",
    unit: "ms",
    source: "Kohlhoff & Steele 2004, table 4",
    lines: [line("FIX", 0.0375, 0.0273), line("CDR", 0.0339, 0.0493), line("SOAP", 0.1789, 0.1872)],
};

/// Tables 1 to 4 in order.
pub const TABLES: [Table; 4] = [MESSAGE_SIZE, ROUND_TRIP_10_MBPS, ENCODING, DECODING];

/// A factor between SOAP and another format as the paper's conclusions (section 7) state it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// What is compared.
    pub quantity: &'static str,
    /// The format that SOAP is compared with.
    pub than: &'static str,
    /// The smallest factor stated.
    pub low: f64,
    /// The largest factor stated.
    pub high: f64,
}

/// How much more SOAP costs, in the words of section 7: messages 2 to 3.5 times CDR's and 4 to 5.5
/// times FIX's; encoding and decoding 4 to 8 times CDR's and up to 8 times FIX's; latency more than
/// double CDR's (no upper figure) and 2 to 3 times FIX's.
pub const SOAP_FACTORS: [Factor; 6] = [
    Factor { quantity: "message size", than: "CDR", low: 2.0, high: 3.5 },
    Factor { quantity: "message size", than: "FIX", low: 4.0, high: 5.5 },
    Factor { quantity: "encoding and decoding", than: "CDR", low: 4.0, high: 8.0 },
    Factor { quantity: "encoding and decoding", than: "FIX", low: 1.0, high: 8.0 },
    Factor { quantity: "latency", than: "CDR", low: 2.0, high: f64::INFINITY },
    Factor { quantity: "latency", than: "FIX", low: 2.0, high: 3.0 },
];

/// The hypothetical exchange of section 6, which sends every trade to its clients in SOAP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requirement {
    /// Trade reports in the busiest second of the day.
    pub peak_per_second: u32,
    /// The longest that a report waits for company, in milliseconds.
    pub window_millis: u32,
    /// Entries that fill a message.
    pub entries: u32,
    /// Bytes of a full message.
    pub message_bytes: u32,
    /// Full messages in the busiest second.
    pub messages_per_second: u32,
    /// Bytes in the busiest second.
    pub bytes_per_second: u32,
    /// The network that carries them, in bits per second.
    pub network_bits_per_second: u32,
    /// CPU time of encoding a full message, in milliseconds.
    pub encoding_millis: f64,
    /// Share of the server's CPU for one client, at most.
    pub cpu_share: f64,
    /// Clients that one server could send to.
    pub clients: u32,
}

/// The figures of section 6.
pub const REQUIREMENT: Requirement = Requirement {
    peak_per_second: 70,
    window_millis: 1000,
    entries: 10,
    message_bytes: 4508,
    messages_per_second: 7,
    bytes_per_second: 31_556,
    network_bits_per_second: 256_000,
    encoding_millis: 1.23,
    cpu_share: 0.01,
    clients: 100,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_6_follows_from_the_tables() {
        let soap_size = MESSAGE_SIZE.line("SOAP").expect("SOAP is in table 1");
        assert_eq!(soap_size.at(REQUIREMENT.entries).round() as u32, REQUIREMENT.message_bytes);
        let soap_encoding = ENCODING.line("SOAP").expect("SOAP is in table 3").at(10);
        assert!((soap_encoding - REQUIREMENT.encoding_millis).abs() < 0.005);
        assert_eq!(
            REQUIREMENT.messages_per_second * REQUIREMENT.entries,
            REQUIREMENT.peak_per_second
        );
        let bytes = REQUIREMENT.messages_per_second * REQUIREMENT.message_bytes;
        assert_eq!(bytes, REQUIREMENT.bytes_per_second);
        assert!(bytes * 8 <= REQUIREMENT.network_bits_per_second);
    }

    #[test]
    fn every_table_has_the_three_formats() {
        for table in TABLES {
            assert!(["FIX", "CDR", "SOAP"].iter().all(|format| table.line(format).is_some()));
            assert_eq!(table.line("DCE"), None);
        }
    }
}
