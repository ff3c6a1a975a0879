//! What FIX sessions cost, as tables.

use super::sheet::{Cases, Cell, LEAD, Line, NO_MORE, Name, SUBJECT, Spec};
use super::{Rows, Section, each_once};
use trunkline_experiment::definition::sessions::{
    CPU, DECODED, FLOW, FURTHER_FILTER, LOGON, MADE, Narrowing, OVER_CODEC, RATE, ROUND_TRIPS,
    Rendition, Subscriber, Wanted,
};
use trunkline_experiment::definition::{Bridge, Engines, Filters, Renditions};
use trunkline_experiment::engines::{Kept, named};

/// All tables for which there are rows.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    [&ENGINES, &BRIDGE, &BETWEEN, &RENDITIONS, &COSTS, &FILTERS, &FILTER_COSTS, &BESIDE]
        .into_iter()
        .filter_map(|it| it.section(rows))
        .collect()
}

/// Who has rows in a case, in their order.
fn lines<'a>(rows: Rows<'a>, case: &'a str) -> Vec<Line<'a>> {
    let of_case = rows.all.iter().filter(|row| row.case == case);
    let subjects = each_once(of_case.map(|row| &*row.subject), usize::MAX);
    subjects.into_iter().map(|subject| Line::new(case, subject)).collect()
}

const ENGINES: Spec = Spec {
    about: ["sessions", "Engines of FIX: a session over loopback"],
    cases: Cases::Found(|rows| {
        rows.cases(|case| Kept::ALL.iter().any(|kept| case == Engines::case(*kept)))
    }),
    lines,
    names: &[Name::Case("kept in", |case| case.replacen("session-", "", 1)), SUBJECT],
    columns: &[
        ("logon us", Cell::Of(LOGON, 1e3)),
        ("50 % us", Cell::Of(ROUND_TRIPS[0], 1e3)),
        ("99 % us", Cell::Of(ROUND_TRIPS[1], 1e3)),
        ("orders/s", Cell::Of(RATE, 1.0)),
        ("low", Cell::Low(RATE)),
        ("high", Cell::High(RATE)),
        ("times", LEAD),
    ],
    notes: &[
        "logon: from the start of the side that connects; 50 %, 99 %: an order and its report, the next when the last is \
         answered; orders/s: as fast as they are taken, until the last has come; times: how many times as many ours passes",
    ],
    more: |rows, cases| {
        let is_kept = cases.iter().any(|case| *case == Engines::case(Kept::Files));
        let in_files = rows.all.iter().filter(|row| row.case == Engines::case(Kept::Files));
        let subjects = each_once(in_files.map(|row| &*row.subject), usize::MAX);
        let promise = |subject: &str| Some(format!("{subject}: {}", named(subject)?.promise));
        let promises: Vec<String> = subjects.into_iter().filter_map(promise).collect();
        let told = || format!("a message in files is, of {}", promises.join("; of "));
        is_kept.then(told).into_iter().chain(NO_MORE(rows, cases)).collect()
    },
};

/// How latencies are shown.
const MIDDLE: (&str, Cell<'_>) = ("50 %", Cell::AnyTime("latency-p50"));
const MANY: (&str, Cell<'_>) = ("90 %", Cell::AnyTime("latency-p90"));
const TAIL: (&str, Cell<'_>) = ("99 %", Cell::AnyTime("latency-p99"));
const LONG_TAIL: (&str, Cell<'_>) = ("99.9 %", Cell::AnyTime("latency-p99.9"));

/// The words of a case that say how many sessions there are, and messages a second.
const SESSIONS: Name = Name::Case("sessions", |case| point(case)[0].clone());
const PER_SECOND: Name = Name::Case("a second", |case| point(case)[1].clone());

fn point(case: &str) -> [String; 2] {
    let mut numbers = case.rsplit('-').map(str::to_owned);
    let rate = numbers.next().unwrap_or_default();
    [numbers.next().unwrap_or_default(), rate]
}

const BRIDGE: Spec = Spec {
    about: ["sessions", "Prices of FIX sessions, through the router, us"],
    cases: Cases::Found(|rows| {
        let of = |to: Subscriber| {
            let begin = format!("to-{}-", to.name());
            rows.cases(move |case| case.starts_with(&begin))
        };
        Subscriber::ALL.into_iter().flat_map(of).collect()
    }),
    lines,
    names: &[
        Name::Case("to", |case| case.split('-').nth(1).unwrap_or_default().to_owned()),
        SESSIONS,
        PER_SECOND,
    ],
    columns: &[
        MIDDLE,
        MANY,
        TAIL,
        LONG_TAIL,
        ("came/s", Cell::Of(FLOW[1], 1.0)),
        ("lost", Cell::CountIfAny("lost")),
        ("elided", Cell::CountIfAny("elided")),
    ],
    notes: &[
        "from when a message was due to be sent in its session until it had come; native: as it was published; json: \
         converted; fix: a session that asked for market data, which gets the newest of each symbol",
    ],
    more: NO_MORE,
};

const BETWEEN: Spec = Spec {
    about: ["sessions", "The router between sessions and subscribers"],
    cases: Cases::Found(|rows| {
        let is_it = |case: &str| {
            let [sessions, rate] = point(case).map(|it| it.parse());
            let (Ok(sessions), Ok(rate)) = (sessions, rate) else { return false };
            case == Bridge::case_of_router(sessions, rate)
        };
        rows.cases(is_it)
    }),
    lines,
    names: &[SESSIONS, PER_SECOND],
    columns: &[
        ("cpu us", Cell::Of(CPU, 1e3)),
        ("bounds", Cell::Bounds(CPU, 1e3)),
        ("sent/s", Cell::Of(FLOW[0], 1.0)),
        ("refused", Cell::CountIfAny("refused")),
    ],
    notes: &[
        "cpu: what the router takes of the processors for a message, all its threads together, to three subscribers",
    ],
    more: NO_MORE,
};

const RENDITIONS: Spec = Spec {
    about: ["sessions", "One session, and clients of three formats"],
    cases: Cases::Numbered("renditions-"),
    lines,
    names: &[Name::Number("clients each")],
    columns: &[
        ("made", Cell::Of(MADE, 1.0)),
        ("cpu us", Cell::Of(CPU, 1e3)),
        ("sent/s", Cell::Of(FLOW[0], 1.0)),
        ("came/s", Cell::Of(FLOW[1], 1.0)),
        ("lost", Cell::Count("lost")),
    ],
    notes: &[
        "made: messages that were converted, over messages times formats; cpu: of the router, for a message to all of them",
    ],
    more: NO_MORE,
};

const COSTS: Spec = Spec {
    about: ["sessions", "What a rendition of a message costs, ns"],
    cases: Cases::Found(|rows| {
        rows.cases(|case| Rendition::ALL.iter().any(|it| case == Renditions::case_of_cost(*it)))
    }),
    lines,
    names: &[Name::Case("to", |case| case.replacen("rendition-", "", 1))],
    columns: &[
        ("cpu time", Cell::Of("cpu-time", 1.0)),
        ("bounds", Cell::Bounds("cpu-time", 1.0)),
        ("/ codec", Cell::Of(OVER_CODEC, 1.0)),
        ("bounds", Cell::Bounds(OVER_CODEC, 1.0)),
    ],
    notes: &["/ codec: over decoding and encoding the same message by the formats alone"],
    more: NO_MORE,
};

/// How many clients a case is of, and what they want.
fn wanted(case: &str) -> Option<(u32, Wanted)> {
    let clients = case.rsplit('-').next()?.parse().ok()?;
    let wanted = Wanted::ALL.into_iter().find(|it| case == Filters::case(*it, clients))?;
    Some((clients, wanted))
}

const FILTERS: Spec = Spec {
    about: ["sessions", "Clients that want fields, or what passes filters, us"],
    cases: Cases::Found(|rows| rows.cases(|case| wanted(case).is_some())),
    lines,
    names: &[Name::Case("clients want", |case| {
        wanted(case).map_or(String::new(), |(clients, it)| format!("{clients} {}", it.name()))
    })],
    columns: &[
        ("decoded", Cell::Of(DECODED, 1.0)),
        ("cpu us", Cell::Of(CPU, 1e3)),
        ("bounds", Cell::Bounds(CPU, 1e3)),
        ("came/s", Cell::Of(FLOW[1], 1.0)),
        MIDDLE,
        TAIL,
        ("filtered", Cell::Count("filtered")),
        ("lost", Cell::CountIfAny("lost")),
    ],
    notes: &[
        "everything: as it came; fields: all but one; filter: the same for all clients, which passes all messages, half or none; \
         filters: one for each client, of which each passes another half",
        "decoded: how often a message was, for fields and filters; cpu: of the router, for a message to all clients; 50 %, 99 %: \
         from when a message was due to be sent in its session until it had come",
    ],
    more: NO_MORE,
};

const FILTER_COSTS: Spec = Spec {
    about: ["sessions", "What filters and fields cost of a message, ns"],
    cases: Cases::Found(|rows| {
        rows.cases(|case| Narrowing::ALL.iter().any(|it| case == Filters::case_of_cost(*it)))
    }),
    lines,
    names: &[Name::Case("of", |case| case.replacen("cost-of-", "", 1))],
    columns: &[
        ("cpu time", Cell::Of("cpu-time", 1.0)),
        ("bounds", Cell::Bounds("cpu-time", 1.0)),
        ("/ codec", Cell::Of(OVER_CODEC, 1.0)),
        ("bounds", Cell::Bounds(OVER_CODEC, 1.0)),
        ("a further", Cell::Any(FURTHER_FILTER, 1.0)),
        ("bounds", Cell::Bounds(FURTHER_FILTER, 1.0)),
    ],
    notes: &[
        "filter, filters: decoded and held against one, and against one for each client, of which each further one takes what \
         the table says; fields: decoded, and all but one encoded as before; fields-json: two of them in JSON",
        "/ codec: over decoding the same message by the format alone, and for fields encoding all of it",
    ],
    more: NO_MORE,
};

const BESIDE: Spec = Spec {
    about: ["sessions", "A native publisher to its subscriber beside FIX sessions, us"],
    cases: Cases::Numbered("beside-"),
    lines,
    names: &[Name::Number("sessions")],
    columns: &[MIDDLE, MANY, TAIL, LONG_TAIL, ("lost", Cell::CountIfAny("lost"))],
    notes: &["from when a message was due to be published until it had come"],
    more: NO_MORE,
};
