//! The tables of a middleware whose lines are cases and subjects, as data.

use super::super::Rows;
use super::super::sheet::{Cases, Cell, Line, NO_MORE, Name, SUBJECT, Spec};
use super::{subjects, who};
use trunkline_experiment::definition::guaranteed::{
    GUARANTEED_FLOOD, GUARANTEED_SATURATION, RECOVERY,
};
use trunkline_experiment::definition::{Append, Disk};
use trunkline_experiment::middleware::{DISK, Guarantee, named};
use trunkline_experiment::names::START_UP;
use trunkline_experiment::subjects::TRUNKLINE;

/// Ours that peers are compared with.
pub(super) const LEAD: Cell<'_> =
    Cell::Lead(&[TRUNKLINE, "trunkline-shm", "trunkline-store-and-forward"]);

/// How much longer it takes than the bare limit, where that was measured.
pub(super) const OVER_BARE: Cell<'_> = Cell::Any("over-bare", 1.0);

const TIMES: (&str, Cell<'_>) = ("times", LEAD);
const MEAN: (&str, Cell<'_>) = ("mean", Cell::Time("latency-mean"));
const MIDDLE: (&str, Cell<'_>) = ("50 %", Cell::Time("latency-p50"));
const TAIL: (&str, Cell<'_>) = ("99 %", Cell::Time("latency-p99"));
const LONG_TAIL: (&str, Cell<'_>) = ("99.9 %", Cell::Time("latency-p99.9"));

/// When a message is synced to disk, seen from its acknowledgement.
const SYNCED: Name = Name::Line("synced", |line| {
    let guarantee = named(line.subject).and_then(|it| it.guarantee);
    guarantee.map_or("-", Guarantee::synced).to_owned()
});

fn lines<'a>(rows: Rows<'a>, case: &'a str) -> Vec<Line<'a>> {
    subjects(rows, case).into_iter().map(|subject| Line::new(case, subject)).collect()
}

/// Latencies of each subject at each number.
const fn by_number(topic: &'static str, cases: &'static str, title: &'static str) -> Spec {
    Spec {
        about: [topic, title],
        cases: Cases::Numbered(cases),
        lines,
        names: &[Name::Number(""), SUBJECT],
        columns: &[
            MEAN,
            MIDDLE,
            TAIL,
            LONG_TAIL,
            ("99.99 %", Cell::Time("latency-p99.99")),
            ("lost", Cell::CountIfAny("lost")),
            ("/ bare", OVER_BARE),
            TIMES,
        ],
        notes: &[
            "from the time at which a message was due to its arrival; / bare: how many times the middle of \
                  the bare limit of the same transport; times: how many times the middle of trunkline",
        ],
        more: |rows, cases| {
            let is_lossy = Cell::CountIfAny("lost").is_shown(rows, cases);
            let nothing = (!is_lossy).then(|| "nothing was lost".to_owned());
            nothing.into_iter().chain(who(rows, cases)).collect()
        },
    }
}

/// A fast, a slow and an eliding consumer.
const fn flexibility(title: &'static str, cases: for<'a> fn(Rows<'a>) -> Vec<&'a str>) -> Spec {
    Spec {
        about: ["flexibility", title],
        cases: Cases::Found(cases),
        lines,
        names: &[Name::Case("consumer", |case| consumer(case).replace('-', " ")), SUBJECT],
        columns: &[
            MEAN,
            ("50 %", Cell::AnyTime("latency-p50")),
            ("99.9 %", Cell::AnyTime("latency-p99.9")),
            ("plateau", Cell::AnyTime("plateau")),
            ("came", Cell::Count("delivered")),
            // Elided or lost, or discarded and queued.
            ("not", Cell::Counts(&["elided", "lost"], &["discarded", "queued-at-the-end"])),
            ("/ alone", Cell::Any("over-alone", 1.0)),
        ],
        notes: &[
            "us; numbers behind the consumers are the eliding one's updates a second for each topic; plateau: \
             the slow one's middle latency in the last quarter",
            "not: messages elided, or lost, or of the slow one discarded + still queued at the end; / alone: \
             the fast one's middle over its middle alone, ? where they cannot be told apart",
            "no broker beside us elides or slows a client down: their slow consumer reads slowly, and they are \
             measured for a shorter time",
        ],
        more: NO_MORE,
    }
}

pub(super) const LATENCIES: [Spec; 8] = [
    by_number("rates", "rates-", "Feed handler to algo engine, us, by rate (figure 2)"),
    by_number("orders", "orders-", "Algo engine to order gateway, us, by rate (figure 2)"),
    Spec {
        about: ["saturation-of-a-hop", "Saturation: rates of one publisher, messages a second"],
        cases: Cases::One("saturation"),
        lines,
        names: &[SUBJECT],
        columns: &[
            ("msg/s", Cell::Of("messages-per-second", 1.0)),
            ("low", Cell::Low("messages-per-second")),
            ("high", Cell::High("messages-per-second")),
            ("/ bare", OVER_BARE),
            TIMES,
        ],
        notes: &[
            "the highest rate, in steps of a half, that was kept up, or what came through of the first that \
             was not, if nothing was lost",
            "theirs was 250,000, the most that one publisher could send",
        ],
        more: NO_MORE,
    },
    by_number("consumers", "consumers-", "Consumers with 500 topics each, us (figure 3)"),
    flexibility("A fast, a slow and an eliding consumer (figure 4)", |rows| {
        consumers(rows, "flexibility-")
    }),
    flexibility("The same, shorter and again and again", |rows| consumers(rows, "repeated-")),
    flexibility("The same, with the 500 topics of the scalability test", |rows| {
        consumers(rows, "of-500-topics-")
    }),
    by_number("topics", "topics-", "Topics, us"),
];

pub(super) const ROUTED: [Spec; 2] = [
    by_number("clients", "clients-", "Connected clients of which one gets messages, us"),
    by_number("fan-out", "fan-out-", "One topic to so many consumers, us"),
];

/// The cases of a flexibility test: the fast consumer alone, and all by who they are.
fn consumers<'a>(rows: Rows<'a>, test: &str) -> Vec<&'a str> {
    let known = ["alone", "fast", "slow", "eliding", "slow-reader", "slow-reader-without-credit"];
    let mut cases = rows.cases(|case| case.starts_with(test));
    cases.sort_by_key(|case| {
        let (name, cap) = consumer(case).rsplit_once('-').unwrap_or(("alone", "0"));
        (known.iter().position(|it| *it == name), cap.parse::<u32>().unwrap_or(0))
    });
    cases
}

/// Who is in the case of a flexibility test, whatever its name: the fast, slow or eliding one, or the fast one alone.
fn consumer(case: &str) -> &str {
    let names = ["-alone", "-fast-", "-slow-", "-eliding-"];
    let begin = names.iter().filter_map(|name| case.find(name)).min();
    begin.map_or(case, |begin| &case[begin + 1..])
}

/// Latencies of guaranteed orders; the last column is another for each of the two.
const fn guaranteed(
    cases: &'static str,
    title: &'static str,
    columns: &'static [(&'static str, Cell<'static>)],
    notes: &'static [&'static str],
    more: fn(Rows<'_>, &[&str]) -> Vec<String>,
) -> Spec {
    Spec {
        about: ["guaranteed", title],
        cases: Cases::Numbered(cases),
        lines,
        names: &[Name::Number(""), SUBJECT, SYNCED],
        columns,
        notes,
        more,
    }
}

const ORDERS: &str = "rates a second, a fifth as many orders; from when an order's rate had come; synced: to disk before \
     the acknowledgement, or after a time; times: how many times the middle of ours that is as durable; \
     absent: not here, or a lower rate was too high";

pub(super) const GUARANTEED: [Spec; 9] = [
    by_number("shared-memory", "shared-spinning-", "Shared memory, all spinning, us, by rate"),
    by_number("shared-memory", "shared-waking-", "Shared memory, all sleeping, us, by rate"),
    guaranteed(
        "guaranteed-orders-",
        "Guaranteed orders, algo engine to order gateway, us, by rate",
        &[
            ("mean", Cell::TimeOrAbsent("latency-mean")),
            ("50 %", Cell::TimeOrAbsent("latency-p50")),
            ("99 %", Cell::TimeOrAbsent("latency-p99")),
            ("99.9 %", Cell::TimeOrAbsent("latency-p99.9")),
            ("99.99 %", Cell::TimeOrAbsent("latency-p99.99")),
            TIMES,
        ],
        &[ORDERS],
        who,
    ),
    guaranteed(
        "guaranteed-acknowledgement-",
        "Guaranteed orders until they are acknowledged, us, by rate",
        &[
            ("mean", Cell::TimeOrAbsent("latency-mean")),
            ("50 %", Cell::TimeOrAbsent("latency-p50")),
            ("99 %", Cell::TimeOrAbsent("latency-p99")),
            ("99.9 %", Cell::TimeOrAbsent("latency-p99.9")),
            ("/ disk", OVER_BARE),
            TIMES,
        ],
        &[
            ORDERS,
            "/ disk: how many times the middle of one thread that writes as many messages and syncs what \
             has gathered",
        ],
        NO_MORE,
    ),
    Spec {
        about: ["guaranteed", "Saturation with guaranteed orders, orders a second"],
        cases: Cases::One(GUARANTEED_SATURATION),
        lines,
        names: &[SUBJECT, SYNCED],
        columns: &[
            ("orders/s", Cell::Of("messages-per-second", 1.0)),
            ("low", Cell::Low("messages-per-second")),
            ("high", Cell::High("messages-per-second")),
            TIMES,
        ],
        notes: &[
            "the most that were delivered and acknowledged as fast as they were sent, in steps of a half, or \
                  what came through of the first that were too many",
        ],
        more: NO_MORE,
    },
    Spec {
        about: ["guaranteed", "Guaranteed throughput, 128 bytes, one publisher and one subscriber"],
        cases: Cases::One(GUARANTEED_FLOOD),
        lines,
        names: &[SUBJECT, SYNCED],
        columns: &[
            ("messages/s", Cell::Of("messages-per-second", 1.0)),
            ("acknowledged/s", Cell::Any("acknowledged-per-second", 1.0)),
            ("delivered/s", Cell::Any("deliveries-per-second", 1.0)),
            ("again", Cell::Count("duplicates")),
            TIMES,
        ],
        notes: &[
            "messages/s: until the last was both acknowledged and delivered; nothing acknowledged was lost; \
                  again: duplicates; times: as ours that is as durable",
        ],
        more: who,
    },
    Spec {
        about: ["guaranteed", "Recovery after a kill, and catching up"],
        cases: Cases::Numbered("recovery-"),
        lines,
        names: &[Name::Number("messages"), SUBJECT],
        columns: &[
            ("MiB", Cell::Of("size", 1_048_576.0)),
            ("ready after ms", Cell::Of("recovery-time", 1e6)),
            TIMES,
            ("messages/s", Cell::Beside(RECOVERY, &Cell::Of("messages-per-second", 1.0))),
            ("times", Cell::Beside(RECOVERY, &LEAD)),
        ],
        notes: &[
            "messages of 128 bytes for a subscriber that is away; the router is killed (SIGKILL) and started \
                  again: from its start until it answers, and messages a second from when the subscriber asks until \
                  it has all; times: as ours",
        ],
        more: who,
    },
    Spec {
        about: ["guaranteed", "The disk: one append and sync after another, us"],
        cases: Cases::Found(|rows| {
            let ways = Append::ALL.map(Disk::case_of_way);
            ways.iter().flat_map(|way| rows.cases(|case| case == way)).collect()
        }),
        lines: |_, case| vec![Line::new(case, DISK)],
        names: &[Name::Case("append and sync", |case| {
            let way = Append::ALL.into_iter().find(|way| Disk::case_of_way(*way) == case);
            way.map_or(String::new(), |way| way.name().to_owned())
        })],
        columns: &[MEAN, MIDDLE, TAIL, LONG_TAIL],
        notes: &[
            "256 bytes: to a file that grows, one whose blocks are allocated, and one filled with zeros before; \
                  dsync: RWF_DSYNC, direct: 4 KiB with O_DIRECT and O_DSYNC",
        ],
        more: who,
    },
    Spec {
        about: ["guaranteed", "The disk: messages synced in groups"],
        cases: Cases::Numbered("disk-group-commit-"),
        lines: |_, case| vec![Line::new(case, DISK)],
        names: &[Name::Number("come/s")],
        columns: &[
            ("durable/s", Cell::Of("messages-per-second", 1.0)),
            ("a sync", Cell::Of("messages-per-sync", 1.0)),
            MIDDLE,
            TAIL,
            LONG_TAIL,
        ],
        notes: &[
            "messages of 256 bytes come at a rate, and one thread writes and syncs what has gathered: to a file \
                  filled with zeros before, RWF_DSYNC; us from when a message came until it was durable",
        ],
        more: NO_MORE,
    },
];

pub(super) const LAST: Spec = Spec {
    about: [START_UP, "Start-up time and memory of the routers"],
    cases: Cases::One(START_UP),
    lines,
    names: &[SUBJECT],
    columns: &[
        ("ms to start", Cell::Of("start-up-time", 1e6)),
        ("MB at once", Cell::Any("memory", 1e6)),
        ("MB, 500,000 topics", Cell::In("topics-500000", &Cell::Any("memory", 1e6))),
        ("MB, 5,000 clients", Cell::In("clients-5000", &Cell::Any("memory", 1e6))),
    ],
    notes: &["until it answers; memory is what is resident"],
    more: NO_MORE,
};
