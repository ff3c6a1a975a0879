//! What rows call things: cases and metrics that several measures, tables and plots share.

use crate::format::Format;

/// The case of the row that tells what the messages carry.
pub const TRADES: &str = "trades";

/// The case of what the machine itself did meanwhile.
pub const HICCUP: &str = "hiccup";

/// The case of the sizes of messages, or how it begins.
pub const SIZE: &str = "size";

/// The case of SOAP messages with just the fields that Kohlhoff and Steele's Figure 6 shows: MsgSeqNum and
/// MDEntryType are in Figure 3 but not there.
pub const SIZE_OF_FIGURE_6: &str = "size-figure-6";

/// The case of FIX messages whose BodyLength is filled to eight digits, as in Figure 5.
pub const SIZE_OF_FIGURE_5: &str = "size-figure-5";

/// How the cases begin of counted instructions, their metric and their unit.
pub const INSTRUCTIONS: &str = "instructions";

/// The case of rows about peers that took no part where codecs are timed.
pub const CODEC: &str = "codec";

/// The case of rows about peers that took no part where messages are sent.
pub const NETWORK: &str = "network";

/// The subject of rows about the links themselves.
pub const LINK: &str = "link";

/// The subject that sends the same bytes without a codec.
pub const BARE: &str = "bare";

/// The case of start-up time and memory.
pub const START_UP: &str = "start-up";

/// The case of the streams that prices come from.
pub const TICKS: &str = "ticks";

/// How the metrics begin of what was measured second by second.
pub const SECOND: &str = "second-";

/// The metric of a time of this build over that of the other.
pub const OVER_OTHER: &str = "over-other-build";

/// Where the time of a round trip goes, in its order, as metrics; the first is the whole.
pub const COSTS: [&str; 6] =
    ["round-trip", "client-encode", "network", "server-decode", "server-encode", "client-decode"];

/// The metrics of what is sent one way, as fast as it goes.
pub const THROUGHPUT: [&str; 4] =
    ["messages-per-second", "sender-busy", "receiver-busy", "link-busy"];

/// How the cases begin of where the time of calls goes.
pub const STAGES: &str = "stages";

/// How the cases begin of who speaks which style.
pub const STYLES: &str = "styles";

/// The metric of a lead: `ahead-of-gsoap-best`.
pub fn lead_metric(peer: &str) -> String {
    format!("ahead-of-{peer}")
}

/// The ends of a call.
pub const ENDS: [&str; 2] = ["client", "server"];

/// A metric of one end of calls: `client-cpu`.
pub fn end_metric(end: &str, metric: &str) -> String {
    format!("{end}-{metric}")
}

/// Pairs of formats in the order of tables: what is divided by what.
pub const RATIOS: [(Format, Format); 3] = [
    (Format::SoapRpc, Format::Fix),
    (Format::SoapRpc, Format::CdrUnion),
    (Format::Fix, Format::CdrUnion),
];

/// The metric of a ratio: `SOAP/FIX`.
pub fn ratio_metric(over: Format, under: Format) -> String {
    format!("{}/{}", over.kind(), under.kind())
}
