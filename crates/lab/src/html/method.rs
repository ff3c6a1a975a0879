//! What a reader must know to believe the figures, or not to.

use super::select::Cases;

/// A sentence and the beginning of the cases that it is about; nothing for all.
const METHOD: [(&str, &str); 8] = [
    (
        "",
        "All who take part in a format work on the same messages, made of one day of trades. What \
         each makes of them is checked before anything is timed: a wrong answer has no time.",
    ),
    (
        "encode",
        "CPU time is that of one thread. Repetitions of all subjects are interleaved, so that a \
         disturbance meets them alike; the median counts, and its bounds hold with 95 % confidence. \
         Two runs of the same codec in one experiment tell how much of a difference is noise.",
    ),
    (
        "round-trip",
        "A round trip is encoded, sent, decoded, encoded again from the structure, sent back and \
         decoded. Both ends are processes on this machine and speak over TCP of the loopback \
         without Nagle's delay.",
    ),
    (
        "link",
        "Slower links are ours as well: a proxy lets every segment pass when its last bit would \
         have arrived, headers of Ethernet, IP and TCP included, and what the proxy costs by itself \
         was measured.",
    ),
    (
        "throughput",
        "Throughput is that of a long run in one direction. An end is busy while its thread has the \
         processor, a link while bits are on it.",
    ),
    (
        "open-loop",
        "The open loop sends by the clock and counts from the time when a message was due, so that \
         a stall makes every message late that waited for it.",
    ),
    (
        "hiccup",
        "The hiccup meter is a thread that looks at the clock again and again: its percentiles are \
         what this machine adds to everyone's.",
    ),
    (
        "conclusion",
        "A conclusion holds if the middle of today's factors lies within the range of the paper's; \
         it is inconclusive where the bounds of the measurements would say otherwise.",
    ),
];

/// What a doubter should know, as in [`METHOD`].
const BIAS: [(&str, &str); 6] = [
    (
        "",
        "trunkline was written by those who measure it here. Peers are optimised for this machine, \
         and where a toolkit leaves a choice, the faster one was taken; its authors might do better.",
    ),
    (
        "",
        "The paper's figures come from two Pentium 3 of 900 and 500 MHz and compilers of 2002. \
         Compare its shapes and factors with ours, not its times.",
    ),
    (
        "encode",
        "Messages of a day of trades are alike, which suits branch prediction and codecs that \
         expect what came before; the randomised messages set and leave out other fields each time.",
    ),
    (
        "encode",
        "The messages of a repetition fit into the caches, as those do that an application has just \
         written or received; colder messages take longer.",
    ),
    (
        "round-trip",
        "Both ends share the processor, its caches and its power with each other and with the \
         proxy; on two machines they would not.",
    ),
    ("", "It is one run on one machine. The rows below are there to be compared with yours."),
];

/// The lists of both, as far as the record has such cases.
pub(super) fn html(cases: &Cases<'_>) -> String {
    let list = |sentences: &[(&str, &str)]| {
        let items: String = sentences
            .iter()
            .filter(|(name, _)| cases.beginning(name).next().is_some())
            .map(|(_, words)| format!("<li>{words}</li>\n"))
            .collect();
        format!("<ul>\n{items}</ul>\n")
    };
    match cases.beginning("").next() {
        Some(_) => format!("{}<h3>What speaks against it</h3>\n{}", list(&METHOD), list(&BIAS)),
        None => String::new(),
    }
}
