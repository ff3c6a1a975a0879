//! The figures of the page, each a specification: which rows stand in which plot.

use super::axis::{PERCENTILES, Quantity};
use super::figure::{Along, Figure, Place, Spec};
use super::palette::{
    BLUE, Colour, Family, GREEN, GREY, INDIGO, INK, Marker, ORANGE, PURPLE, SAND, SILVER, SKY,
    TEAL, VERMILLION, WINE, colour_of, marked,
};
use super::plot::{Ink, Shape};
use super::select::{Cases, Seen, counted, link_in_words};
use trunkline_experiment::definition::toolkit_calls::OF_SOAP_TCP;
use trunkline_experiment::definition::{SlowConsumers, ToolkitCalls};
use trunkline_experiment::names::SECOND;
use trunkline_experiment::subjects::{TRUNKLINE, is_reused};
use trunkline_experiment::toolkits::Mode;

/// Every figure for which there are rows, in the order of the page.
pub(super) fn figures(cases: &Cases<'_>) -> Vec<Figure> {
    let all = FIGURES.iter().chain(&BY_NUMBER).chain(&LAST);
    all.filter_map(|spec| spec.figure(cases)).collect()
}

/// By entries of the messages, by percentiles, by names; these stand upright or in rows.
const ENTRIES: (Shape, Along) = (Shape::Curves, Along::Entries);
const PERCENT: (Shape, Along) = (Shape::Curves, Along::Percentiles);
const STACKS: (Shape, Along) = (Shape::Stacks, Along::Names(""));
const INTERVALS: (Shape, Along) = (Shape::Intervals, Along::Names(""));

const LATENCY: (&str, Quantity) = ("latency", Quantity::Time);
const ROUND_TRIP: (&str, Quantity) = ("round trip", Quantity::Time);
const CPU_TIME: (&str, Quantity) = ("CPU time of a message", Quantity::Time);
const MESSAGES: (&str, Quantity) = ("messages a second", Quantity::In(""));

const CPU_TIME_CAPTION: &str = "Points are medians with their bounds, pale where these leave them \
     inconclusive; lines are fitted. Dashed is what the paper measured on a processor of 500 MHz (figures 10 and 11).";

const FIGURES: [Spec; 18] = [
    Spec {
        about: ["conclusion", "The factors behind the verdicts"],
        caption: "The factor that decides, and the range of all that are compared.",
        cases: "conclusion",
        form: INTERVALS,
        value: ("factor", Quantity::In("")),
        places: conclusions,
    },
    Spec {
        about: ["size", "Size of a message"],
        caption: "Points are means over the day, bars reach from the smallest to the largest message, lines \
                  are fitted; dashed is what the paper published.",
        cases: "size",
        form: ENTRIES,
        value: ("size of a message", Quantity::In("bytes")),
        places: size,
    },
    Spec {
        about: ["size", "What other schemas save"],
        caption: "How much shorter messages are than in SOAP rpc/encoded; the paper has 30 to 40 % for compact tags.",
        cases: "size",
        form: ENTRIES,
        value: ("reduction of size", Quantity::In("%")),
        places: |cases, seen, rest, places| {
            rest.is_empty().then_some(())?;
            let panel = (0, "Compared with rpc/encoded (figure 14)");
            seen.places_by_entries("reduction", cases, panel, false, places)
        },
    },
    Spec {
        about: ["encode", "CPU time of encoding a message"],
        caption: CPU_TIME_CAPTION,
        cases: "encode",
        form: ENTRIES,
        value: CPU_TIME,
        places: times,
    },
    Spec {
        about: ["decode", "CPU time of decoding a message"],
        caption: CPU_TIME_CAPTION,
        cases: "decode",
        form: ENTRIES,
        value: CPU_TIME,
        places: times,
    },
    Spec {
        about: ["lead", "Ahead of each peer"],
        caption: "How many times faster trunkline is with the longest messages, and the bounds of that; at the \
                  dark line both are alike.",
        cases: "",
        form: INTERVALS,
        value: ("times faster than the peer", Quantity::In("")),
        places: leads,
    },
    Spec {
        about: ["round-trip", "Where the time of a round trip goes"],
        caption: "The longest messages (the paper's figure 9). Network is all that is neither encoding nor decoding.",
        cases: "round-trip@",
        form: STACKS,
        value: ROUND_TRIP,
        places: |cases, seen, _, places| {
            let panel = seen.is_shown().then(|| cases.place(seen))?;
            part(&PARTS_OF_A_ROUND_TRIP, cases, seen, panel, places)
        },
    },
    Spec {
        about: ["round-trips", "Round trips by length of the message"],
        caption: "From structure to structure and back. Points are medians with their bounds, lines are fitted; \
                  dashed is what the paper published for 10 Mbit/s (figure 8).",
        cases: "round-trip@",
        form: ENTRIES,
        value: ROUND_TRIP,
        places: |cases, seen, _, places| {
            let (order, title) = seen.is_shown().then(|| cases.place(seen))?;
            seen.places_by_entries("round-trip", cases, (order, &title), true, places)
        },
    },
    Spec {
        about: ["round-trips", "Percentiles of round trips"],
        caption: "The longest messages, one under way at a time.",
        cases: "round-trip@",
        form: PERCENT,
        value: LATENCY,
        places: |cases, seen, _, places| {
            let at = percentile(seen.row.metric.strip_prefix("round-trip-")?)?;
            let is_it = seen.is_shown() && cases.is_longest(seen.row);
            places.extend(is_it.then(|| Place::new(seen, cases.place(seen), at)));
            Some(())
        },
    },
    Spec {
        about: ["open-loop", "Percentiles of latency at a given rate"],
        caption: "Messages are sent by the clock, whether the ones before were answered or not. Solid counts from \
                  when a message was meant to be sent, dashed from when it was sent: where they part, the sender was \
                  held up, and dashed hides it.",
        cases: "",
        form: PERCENT,
        value: LATENCY,
        places: open_loop,
    },
    Spec {
        about: ["hiccup", "Percentiles of stalls"],
        caption: "What a thread meets that does nothing else.",
        cases: "hiccup",
        form: PERCENT,
        value: LATENCY,
        places: |cases, seen, _, places| {
            places.push(stall(seen).filter(|_| !cases.has("open-loop-"))?);
            Some(())
        },
    },
    Spec {
        about: ["variant", "Round trips in other SOAP schemas"],
        caption: "The same data in other markup; the paper's figure 15 has compact tags at 10 Mbit/s.",
        cases: "round-trip@",
        form: ENTRIES,
        value: ROUND_TRIP,
        places: |cases, seen, _, places| {
            let is_it =
                seen.is_codec() && seen.look.family == Family::Soap && cases.has_variants(seen);
            let (order, title) = is_it.then(|| cases.place(seen))?;
            let panel = (order, &*format!("SOAP schemas, {title}"));
            seen.places_by_entries("round-trip", cases, panel, false, places)
        },
    },
    Spec {
        about: ["throughput", "Throughput by length of the message"],
        caption: "Messages a second in one direction (the paper's figures 12 and 13). Filled bars are from \
                  structure to structure; hollow ones are bytes encoded beforehand and not decoded, which is what \
                  the network and the system alone would carry.",
        cases: "throughput",
        form: (Shape::Bars, Along::Names("entries in the message")),
        value: MESSAGES,
        places: throughput,
    },
    Spec {
        about: ["throughput", "What was busy"],
        caption: "Share of the time, the longest messages: the fullest bar holds up the others.",
        cases: "throughput@",
        form: (Shape::Bars, Along::Names("format")),
        value: ("busy", Quantity::In("% of the time")),
        places: |cases, seen, _, places| {
            let parts = [("sender", TEAL), ("link", SILVER), ("receiver", WINE)];
            let name = seen.row.metric.strip_suffix("-busy")?;
            let part = parts.iter().position(|(known, _)| *known == name)?;
            let place = of_a_link(cases, seen)?.valued(seen.value * 100.0);
            places.push(place.among(part, name, Ink::plain(parts[part].1)));
            Some(())
        },
    },
    Spec {
        about: ["throughput", "Throughput with unequal ends"],
        caption: "One end works 1.8 times as slowly, as the paper's server did (section 4.3), messages of 10 entries.",
        cases: "throughput",
        form: (Shape::Bars, Along::Names("format")),
        value: MESSAGES,
        places: unequal_ends,
    },
    Spec {
        about: ["latency", "What one call takes"],
        caption: "The middle call; the paper's figure 5, which is over 100 Mbit/s.",
        cases: "latency-",
        form: (Shape::Bars, Along::Names("style")),
        value: LATENCY,
        places: |_, seen, message, places| {
            let is_near = ["direct", "100mbit"].contains(&seen.link);
            let panel =
                (is_near && seen.row.metric == "latency").then(|| at_link(seen, message))?;
            let place = seen.of_subject(panel, seen.look.order as f64)?;
            places.push(place.named(short_style(&seen.look.name)));
            Some(())
        },
    },
    Spec {
        about: ["saturation", "More and more callers"],
        caption: "Calls a second by the number of threads that call; the paper's figures 6 to 8.",
        cases: "saturation-",
        form: (Shape::Curves, Along::Number("threads")),
        value: ("calls a second", Quantity::In("")),
        places: |_, seen, rest, places| {
            let (count, message) = rest.split_once('-')?;
            let count: u32 =
                count.parse().ok().filter(|_| seen.row.metric == "calls-per-second")?;
            let (link, message) = at_link(seen, message);
            let is_complex = message.starts_with("complex");
            let order = seen.look.order + 100 * usize::from(is_complex) + 200 * link;
            let panel = (order, format!("{message}, {}", seen.look.name));
            places.push(seen.of_subject(panel, f64::from(count))?);
            Some(())
        },
    },
    Spec {
        about: ["stages", "Where the time of a call goes"],
        caption: "The paper's figure 9. Network is all that is not in the server's program.",
        cases: "stages-",
        form: STACKS,
        value: ("call", Quantity::Time),
        places: |cases, seen, message, places| {
            part(&PARTS_OF_A_CALL, cases, seen, at_link(seen, message), places)
        },
    },
];

/// Where the panel of a message over a link is, and what stands over it: `simple over 100 Mbit/s`.
fn at_link(seen: &Seen<'_>, rest: &str) -> (usize, String) {
    let message = rest.split_once('@').map_or(rest, |(message, _)| message);
    match seen.link {
        "" | "direct" => (0, message.to_owned()),
        link => (1, format!("{message} over {}", link_in_words(link))),
    }
}

/// Latencies of a middleware by the number in the name of the case: the report's figures 2 and 3, and what is like
/// them.
const BY_NUMBER: [Spec; 10] = [
    by_number(["rates", "Feed handler to algo engine (figure 2)"], "rates-", "messages a second"),
    by_number(["orders", "Algo engine to order gateway (figure 2)"], "orders-", "rates a second"),
    by_number(
        ["consumers", "Consumers with topics of their own (figure 3)"],
        "consumers-",
        "consumers",
    ),
    by_number(["topics", "More and more topics"], "topics-", "topics"),
    by_number(["fan-out", "One topic to many"], "fan-out-", "consumers"),
    by_number(["clients", "Connected clients of which one gets messages"], "clients-", "clients"),
    by_number(
        ["shared-memory", "Shared memory, all spinning"],
        "shared-spinning-",
        "messages a second",
    ),
    by_number(
        ["shared-memory", "Shared memory, all sleeping"],
        "shared-waking-",
        "messages a second",
    ),
    by_number(
        ["guaranteed", "Guaranteed orders to the order gateway"],
        "guaranteed-orders-",
        "rates a second",
    ),
    by_number(
        ["guaranteed", "Guaranteed orders until they are acknowledged"],
        "guaranteed-acknowledgement-",
        "rates a second",
    ),
];

const LAST: [Spec; 4] = [
    Spec {
        about: ["flexibility", "A fast, a slow and an eliding consumer over time (figure 4)"],
        caption: "The middle latency of every second, with the least and the most of it. Every single latency is \
                  in the pictures and tables that `lab run --report` writes beside this page.",
        cases: "flexibility-",
        form: (Shape::Curves, Along::Time),
        value: LATENCY,
        places: |_, seen, rest, places| {
            let second: u32 = seen.row.metric.strip_prefix(SECOND)?.parse().ok()?;
            let (consumer, cap) = rest.rsplit_once('-')?;
            let order =
                CONSUMERS.iter().position(|it| it.0 == consumer).filter(|_| seen.is_ours())?;
            let panel =
                (cap.parse().unwrap_or(usize::MAX), format!("eliding at {cap} updates a second"));
            let place = Place::new(seen, panel, f64::from(second) + 0.5);
            places.push(place.among(order, consumer, Ink::plain(CONSUMERS[order].1)));
            Some(())
        },
    },
    Spec {
        about: ["toolkits", "Calls a second by 16 threads, in % of SOAP/TCP"],
        caption: "The article's three pictures, of trunkline and of Metro, each in per cent of its own SOAP/TCP.",
        cases: "",
        form: (Shape::Bars, Along::Names("")),
        value: ("% of SOAP/TCP", Quantity::In("%")),
        places: shares,
    },
    Spec {
        about: ["vocabulary", "Memory with many distinct short texts"],
        caption: "By how long one client called, with texts that no message had before. Of Metro the heap in use \
                  after it was collected, of trunkline what the system has given the process.",
        cases: "vocabulary-",
        form: (Shape::Curves, Along::Time),
        value: ("memory", Quantity::In("bytes")),
        places: |_, seen, mode, places| {
            let ends = ["client-memory", "server-memory"];
            let end = ends.iter().position(|it| *it == seen.row.metric)?;
            let seconds = seen.row.entries.filter(|seconds| *seconds > 0)?;
            let kinds = [
                (TRUNKLINE, "soap-tcp", "trunkline, bounded", INDIGO),
                (TRUNKLINE, "soap-tcp-unbounded", "trunkline, unbounded", GREEN),
                (TRUNKLINE, "soap-tcp-stateless", "trunkline, stateless", SKY),
                ("metro", "soap-tcp", "metro, unbounded", VERMILLION),
                ("metro", "soap-tcp-stateless", "metro, stateless", ORANGE),
            ];
            let order = kinds.iter().position(|it| (it.0, it.1) == (&*seen.row.subject, mode))?;
            let panel = (end, ["client", "server"][end].to_owned());
            let place = Place::new(seen, panel, f64::from(seconds));
            places.push(place.among(order, kinds[order].2, Ink::plain(kinds[order].3)));
            Some(())
        },
    },
    Spec {
        about: ["flood", "Throughput"],
        caption: "Deliveries a second of 128 bytes, nothing lost.",
        cases: "flood-",
        form: (Shape::Bars, Along::Names("subscribers")),
        value: ("deliveries a second", Quantity::In("")),
        places: |_, seen, count, places| {
            let number: u32 =
                count.parse().ok().filter(|_| seen.row.metric == "deliveries-per-second")?;
            let place = seen.of_subject((0, "One publisher".to_owned()), f64::from(number))?;
            places.push(place.named(format!("1 to {number}")));
            Some(())
        },
    },
];

const fn by_number(about: [&'static str; 2], cases: &'static str, along: &'static str) -> Spec {
    Spec {
        about,
        caption: "From the time at which a message was due. Points have their bounds; pale ones are inconclusive.",
        cases,
        form: (Shape::Curves, Along::Logarithm(along)),
        value: LATENCY,
        places: |_, seen, number, places| {
            let metrics = [
                ("latency-mean", "mean"),
                ("latency-p50", "50 %"),
                ("latency-p99", "99 %"),
                ("latency-p99.9", "99.9 %"),
            ];
            let number: u32 = number.parse().ok()?;
            let panel = metrics.iter().position(|(metric, _)| *metric == seen.row.metric)?;
            let title = metrics[panel].1.to_owned();
            places.push(seen.of_subject((panel, title), f64::from(number.max(1)))?);
            Some(())
        },
    }
}

/// Characters of a conclusion's name in one line beside a plot.
const LINE: usize = 17;

/// What the paper concludes: our factor and the peers'.
fn conclusions(_: &Cases<'_>, seen: &Seen<'_>, rest: &str, places: &mut Vec<Place>) -> Option<()> {
    let metric = Some(&*seen.row.metric).filter(|_| rest.is_empty() && seen.row.unit == "x")?;
    // Two lines at most, broken where the first is full.
    let end = metric.char_indices().nth(LINE).map(|(end, _)| end);
    let name = match end.and_then(|end| metric[..end].rfind(' ')) {
        Some(at) => format!("{}\n{}", &metric[..at], &metric[at + 1..]),
        None => metric.to_owned(),
    };
    let place = Place::new(seen, (0, "Then and now".to_owned()), seen.index as f64).named(name);
    places.push(match seen.is_ours() {
        true => place.among(0, TRUNKLINE, Ink::mark(INK, Marker::Circle)),
        false => place.among(1, "today's peers", Ink::mark(SKY, Marker::Triangle)),
    });
    Some(())
}

/// How many times faster than each peer.
fn leads(_: &Cases<'_>, seen: &Seen<'_>, case: &str, places: &mut Vec<Place>) -> Option<()> {
    let peer = seen.row.metric.strip_prefix("ahead-of-")?;
    let (verb, message) = case.split_once('-').unwrap_or((case, ""));
    let verbs = [("encode", "Encoding"), ("decode", "Decoding")];
    let order = verbs.iter().position(|(known, _)| *known == verb)?;
    let panel = (order, format!("{} {message}", verbs[order].1).trim_end().to_owned());
    let place = Place::new(seen, panel, seen.index as f64);
    let ink = Ink::mark(seen.look.colour, marked(peer).1);
    let name = format!("{peer}\n{}", seen.look.name);
    places.push(place.among(seen.index, TRUNKLINE, ink).named(name).without_legend());
    Some(())
}

fn size(cases: &Cases<'_>, seen: &Seen<'_>, rest: &str, places: &mut Vec<Place>) -> Option<()> {
    (rest.is_empty() && seen.is_ours()).then_some(())?;
    if seen.look.is_published {
        let panel = (0, "The paper's three formats (figure 4)");
        seen.places_by_entries("size", cases, panel, true, places)?;
    }
    seen.places_by_entries("size", cases, (1, "Every format"), false, places)
}

/// Ours in every format, then everyone by family.
fn times(cases: &Cases<'_>, seen: &Seen<'_>, rest: &str, places: &mut Vec<Place>) -> Option<()> {
    // Beside their kind reused messages would be the same points again; tables have them.
    (rest.is_empty() && !is_reused(&seen.row.subject)).then_some(())?;
    if seen.is_ours() {
        let panel = (0, "trunkline in every format");
        seen.places_by_entries("cpu-time", cases, panel, false, places)?;
    }
    let family = seen.look.family;
    let panel = (1 + family as usize, &*format!("{}: everyone, and the paper", family.title()));
    // One scale for all families, so that they can be compared.
    let first = places.len();
    seen.places_by_entries("cpu-time", cases, panel, true, places)?;
    places[first..].iter_mut().for_each(|place| place.set_scale("families"));
    Some(())
}

/// Parts of a round trip in order, with the colours of figure 9.
const PARTS_OF_A_ROUND_TRIP: [(&str, &str, Colour); 5] = [
    ("client-encode", "client encodes", TEAL),
    ("network", "network", SILVER),
    ("server-decode", "server decodes", WINE),
    ("server-encode", "server encodes", SAND),
    ("client-decode", "client decodes", INDIGO),
];

const PARTS_OF_A_CALL: [(&str, &str, Colour); 4] = [
    ("deserialise", "server decodes", WINE),
    ("application", "function", GREY),
    ("serialise", "server encodes", SAND),
    ("network", "network", SILVER),
];

/// A part of the lying bar of a subject and format.
fn part(
    parts: &[(&str, &str, Colour)],
    cases: &Cases<'_>,
    seen: &Seen<'_>,
    panel: (usize, String),
    places: &mut Vec<Place>,
) -> Option<()> {
    let index = parts.iter().position(|(metric, ..)| *metric == seen.row.metric)?;
    let (_, words, colour) = parts[index];
    let (order, _) = marked(&seen.row.subject);
    let place = Place::new(seen, panel, (seen.look.order * 100 + order) as f64);
    let place = place.named(format!("{}\n{}", seen.look.name, seen.row.subject));
    let is_longest = cases.is_longest(seen.row);
    places.extend(is_longest.then(|| place.among(index, words, Ink::plain(colour))));
    Some(())
}

/// Where a percentile stands along its axis.
/// The pictures of the article: which calls stand in which.
const PICTURES: [(&str, &[&str]); 3] = [
    ("small", &["echoVoid", "echoInt", "echoString"]),
    (
        "medium",
        &["echoStruct", "echoArray40", "echoSynthetic4K", "echoSynthetic8K", "echoSynthetic12K"],
    ),
    ("big", &["echoArray1000", "getOrder100", "getOrder1000"]),
];

/// The colours that the article has; what it did not have is next to them.
const MODES: [(Mode, Colour); 4] = [
    (Mode::SoapTcp, VERMILLION),
    (Mode::Multiplexed, ORANGE),
    (Mode::HttpFastInfoset, BLUE),
    (Mode::Http, GREEN),
];

fn shares(_: &Cases<'_>, seen: &Seen<'_>, case: &str, places: &mut Vec<Place>) -> Option<()> {
    let (mode, threads, call, _) = ToolkitCalls::parts(case)?;
    let whose = [TRUNKLINE, "metro"].iter().position(|it| *it == seen.row.subject)?;
    (threads == 16 && seen.row.metric == OF_SOAP_TCP).then_some(())?;
    let call = call.to_string();
    let picture = PICTURES.iter().position(|(_, calls)| calls.contains(&&*call))?;
    let at = PICTURES[picture].1.iter().position(|it| *it == call)?;
    let order = MODES.iter().position(|(it, _)| *it == mode)?;
    let panel = (3 * whose + picture, format!("{}, {}", seen.row.subject, PICTURES[picture].0));
    let place = Place::new(seen, panel, at as f64).named(call);
    places.push(place.among(order, mode.title(), Ink::plain(MODES[order].1)));
    Some(())
}

fn percentile(name: &str) -> Option<f64> {
    PERCENTILES.iter().find(|(known, ..)| *known == name).map(|(_, _, one_in)| *one_in)
}

/// What a thread meets that does nothing else.
fn stall(seen: &Seen<'_>) -> Option<Place> {
    let at = percentile(&seen.row.metric).filter(|_| seen.row.case == "hiccup")?;
    let name = "hiccup meter: a thread that only looks at the clock";
    let place = Place::new(seen, (0, "Stalls".to_owned()), at);
    Some(place.among(usize::MAX, name, Ink::plain(GREY)))
}

fn open_loop(cases: &Cases<'_>, seen: &Seen<'_>, _: &str, places: &mut Vec<Place>) -> Option<()> {
    places.extend(stall(seen).map(Place::in_every_panel));
    let rate = seen.kind.strip_prefix("open-loop-").filter(|_| cases.is_longest(seen.row))?;
    let metric = seen.row.metric.strip_prefix("latency-")?;
    let number: Option<u32> = rate.parse().ok();
    let rate = number.map_or(String::new(), |rate| format!("{} messages/s, ", counted(rate)));
    let panel = (number.map_or(usize::MAX, |it| it as usize), rate + &cases.place(seen).1);
    let sent = metric.strip_suffix("-uncorrected");
    let place = Place::new(seen, panel, percentile(sent.unwrap_or(metric))?);
    places.push(match sent {
        Some(_) => place.dashed(0, "from the actual send"),
        None => place,
    });
    Some(())
}

const MESSAGES_PER_SECOND: &str = "messages-per-second";

/// Ours and the peers' in the paper's formats, hollow where bytes were encoded beforehand.
fn throughput(
    cases: &Cases<'_>,
    seen: &Seen<'_>,
    rest: &str,
    places: &mut Vec<Place>,
) -> Option<()> {
    let is_hollow = rest.starts_with("-encoded@");
    let is_it = is_hollow || rest.starts_with('@');
    let is_wanted = is_it && seen.row.metric == MESSAGES_PER_SECOND;
    let is_in = cases.has(&format!("throughput@{}", seen.link));
    let entries = seen.row.entries.filter(|_| is_wanted && is_in)?;
    let place = Place::new(seen, panel_of_link(cases, seen)?, f64::from(entries));
    let place = place.named(entries.to_string());
    let order = 2 * seen.look.order;
    let mut place = match is_hollow {
        true => place.hollow(order + 1, "encoded beforehand"),
        false => place.among(order, &seen.look.name, Ink::plain(seen.look.colour)),
    };
    place.set_scale(&cases.place(seen).1);
    places.push(place);
    Some(())
}

/// The panel of a link and of ours or the peers, in a format of the paper.
fn panel_of_link(cases: &Cases<'_>, seen: &Seen<'_>) -> Option<(usize, String)> {
    // Where there are several peers of a format, one says enough.
    let is_it = seen.is_shown() && seen.row.subject != "gsoap-debian";
    let (order, link) = is_it.then(|| cases.place(seen))?;
    let (who, after) = if seen.is_ours() { (TRUNKLINE, 0) } else { ("peers", 1) };
    Some((2 * order + after, format!("{link}, {who}")))
}

fn unequal_ends(
    cases: &Cases<'_>,
    seen: &Seen<'_>,
    _: &str,
    places: &mut Vec<Place>,
) -> Option<()> {
    let shown = [
        ("throughput", "both ends as fast", SILVER),
        ("throughput-slow-receiver", "slow receiver", INDIGO),
        ("throughput-slow-sender", "slow sender", SAND),
    ];
    let kind =
        shown.iter().position(|it| seen.kind == it.0 && seen.row.metric == MESSAGES_PER_SECOND)?;
    let has = |kind: &str| cases.has(&format!("{kind}@{}", seen.link));
    let place = of_a_link(cases, seen).filter(|_| has(shown[0].0) && has(shown[1].0))?;
    places.push(place.among(kind, shown[kind].1, Ink::plain(shown[kind].2)));
    Some(())
}

/// The longest messages in a format of the paper, by link.
fn of_a_link(cases: &Cases<'_>, seen: &Seen<'_>) -> Option<Place> {
    let panel = panel_of_link(cases, seen).filter(|_| cases.is_longest(seen.row))?;
    let place = Place::new(seen, panel, seen.look.order as f64);
    let mut place = place.named(seen.look.name.clone());
    place.set_scale(&cases.place(seen).1);
    Some(place)
}

impl Seen<'_> {
    /// In the colour of its subject, if that has one.
    fn of_subject(&self, panel: (usize, String), at: f64) -> Option<Place> {
        let (order, colour) = colour_of(&self.row.subject)?;
        let ink = Ink::plain(colour).marked(Marker::Circle);
        Some(Place::new(self, panel, at).among(order, &self.row.subject, ink))
    }

    /// A point of a curve over entries, with the line through them and, if asked for, the published figure.
    fn places_by_entries(
        &self,
        metric: &str,
        cases: &Cases<'_>,
        (order, title): (usize, &str),
        has_paper: bool,
        places: &mut Vec<Place>,
    ) -> Option<()> {
        let entries = self.row.entries.filter(|_| self.row.metric == metric)?;
        let place = Place::new(self, (order, title.to_owned()), f64::from(entries));
        if let Some(paper) = self.row.paper.filter(|_| has_paper && self.is_ours()) {
            places.push(place.clone().valued(paper).dashed(0, "the paper (2004)"));
        }
        places.push(place.fitted(cases.fit(self.row)));
        Some(())
    }
}

/// A style as a label below bars has room for it: `doc/lit`.
fn short_style(style: &str) -> String {
    let short = [("document", "doc"), ("literal", "lit"), ("encoded", "enc"), ("binary ", "")];
    short.iter().fold(style.to_owned(), |style, (word, short)| style.replace(word, short))
}

/// The consumers of the flexibility test, in the report's colours: red, green and blue; those that elide and are
/// slow at reading.
pub(super) const CONSUMERS: [(&str, Colour); 5] = [
    ("fast", VERMILLION),
    ("slow", GREEN),
    ("eliding", BLUE),
    (SlowConsumers::READERS[0], PURPLE),
    (SlowConsumers::READERS[1], ORANGE),
];
