//! What a reader must know to believe the figures, or not to.

use super::select::Cases;
use trunkline_experiment::names::START_UP;

/// A sentence and the beginning of the cases that it is about; nothing for all.
const METHOD: [(&str, &str); 10] = [
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
        "rates-",
        "Messages through a middleware carry when they were due, their number in the publisher and in the \
         topic, and a sum of their content: every hop checks order, loss and content. The publisher spins \
         and sends by the clock; latency counts from when a message was due.",
    ),
    (
        "start-up",
        "Routers take turns, and each is started anew for its turn: no two run at the same time. Values \
         are medians over the turns; percentiles of which a turn has too few messages are of all turns \
         together, with the interval of their rank.",
    ),
    (
        "hiccup",
        "The hiccup meter is a thread that looks at the clock again and again: its percentiles are \
         what this machine adds to everyone's.",
    ),
    (
        "conclusion",
        "A conclusion holds if each of today's factors lies within the range of the paper's, with its \
         bounds and with what the machine differs from itself; one that clearly does not decides. Where \
         the end of the range lies within the bounds or the noise, where there are too few runs, and where nobody measured how much \
         the machine differs from itself, it is inconclusive.",
    ),
];

/// What a doubter should know, as in [`METHOD`].
const BIAS: [(&str, &str); 8] = [
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
         written or received. Encoding from memory (encode-cold) is in the tables, and is what plans are \
         made from.",
    ),
    (
        "round-trip",
        "Both ends share the processor, its caches and its power with each other and with the \
         proxy; on two machines they would not.",
    ),
    (
        "start-up",
        "All programs share the machine's processors: a broker that hands a message on wakes the next \
         program on the same one. On machines of their own the order of subjects may be another.",
    ),
    (
        "start-up",
        "The adaptors of all middlewares are ours, written for speed; brokers run as they come. Where a \
         broker cannot do what is asked, its row is absent and no lead of ours.",
    ),
    ("", "It is one run on one machine. The rows below are there to be compared with yours."),
];

/// The lists of both, as far as the record has such cases.
pub(super) fn html(cases: &Cases<'_>) -> String {
    // What is said of everything is about messages of known formats, but for the last.
    let is_opaque = cases.has(START_UP);
    let list = |sentences: &[(&str, &str)]| {
        let last = sentences.len() - 1;
        let items: String = sentences
            .iter()
            .enumerate()
            .filter(|(index, (name, _))| !is_opaque || !name.is_empty() || *index == last)
            .map(|(_, sentence)| sentence)
            .filter(|(name, _)| cases.has(name))
            .map(|(_, words)| format!("<li>{words}</li>\n"))
            .collect();
        format!("<ul>\n{items}</ul>\n")
    };
    match cases.has("") {
        true => format!("{}<h3>What speaks against it</h3>\n{}", list(&METHOD), list(&BIAS)),
        false => String::new(),
    }
}
