//! What `top` shows of two looks at a router.

use std::time::Duration;

use trunkline_server::snapshot::{
    ClientStatus, DurableStatus, Durations, JournalStatus, Took, TopicStatus, Totals,
};

use super::*;
use crate::arguments::{LoginArguments, SiteArguments, Sort, TlsArguments};

fn arguments(sort: Sort) -> TopArguments {
    TopArguments {
        site: SiteArguments {
            to: "http://127.0.0.1:7401".into(),
            login: LoginArguments::default(),
            tls: TlsArguments::default(),
        },
        once: true,
        json: false,
        sort,
        filter: String::new(),
        clients: 50,
        topics: 10,
        interval: Duration::from_secs(1),
    }
}

/// A client that has been sent `delivered` messages.
fn client(name: &str, id: u64, delivered: u64, elided: u64, queued: u64) -> ClientStatus {
    let published = delivered + elided + queued;
    ClientStatus {
        id,
        name: name.into(),
        address: "127.0.0.1:40000".into(),
        profile: "tcp/native/opaque".into(),
        subscriptions: 1,
        ledger: Counts {
            published,
            delivered,
            elided,
            discarded: 0,
            unrendered: 0,
            filtered: 0,
            queued,
        },
        queued_bytes: queued * 100,
        oldest_ns: queued * 1_000_000,
        ..ClientStatus::default()
    }
}

fn look(seconds: u64, clients: Vec<ClientStatus>) -> Snapshot {
    let messages = 1_000 * seconds;
    Snapshot {
        version: "0.1.0".into(),
        now_ns: seconds * 1_000_000_000,
        totals: Totals {
            clients_now: clients.len() as u64,
            messages,
            received_bytes: 3 * 1024 * 1024 * seconds,
            ..Totals::default()
        },
        clients,
        topics: vec![TopicStatus { name: "fx/EURUSD".into(), messages, subscriptions: 2 }],
        ..Snapshot::default()
    }
}

/// Two looks, two seconds apart.
fn looks() -> (Snapshot, Snapshot) {
    let before = vec![client("fast", 1, 100, 0, 0), client("slow", 2, 100, 0, 4)];
    let after = vec![
        client("fast", 1, 2_100, 0, 0),
        client("slow", 2, 200, 0, 9),
        client("elides", 3, 10, 50, 1),
    ];
    (look(60, before), look(62, after))
}

fn order(sort: Sort, is_reversed: bool) -> Vec<String> {
    let (before, after) = looks();
    let arguments = arguments(sort);
    let controls = Controls { is_reversed, ..Controls::new(&arguments) };
    let view = View::new(&arguments, &controls, &before, &after);
    view.clients.iter().map(|row| row.client.name.clone()).collect()
}

#[test]
fn the_summary_says_that_the_router_drains() {
    let (before, mut after) = looks();
    let arguments = arguments(Sort::Queue);
    let summary = |after: &Snapshot| {
        View::new(&arguments, &Controls::new(&arguments), &before, after).summary()
    };
    assert!(!summary(&after).contains("draining"));
    after.drain.is_draining = true;
    assert!(summary(&after).ends_with("\ndraining for maintenance\n"), "{}", summary(&after));
    after.drain.reason = "back soon".into();
    assert!(summary(&after).ends_with("\ndraining for maintenance: back soon\n"));
}

#[test]
fn the_summary_says_how_long_hops_took_since_the_look_before() {
    let (mut before, mut after) = looks();
    let hops = |took: &[(u64, u64)]| Durations {
        count: took.iter().map(|(_, count)| count).sum(),
        longest_ns: 7_000_000,
        took: took.iter().map(|&(at_most_ns, count)| Took { at_most_ns, count }).collect(),
        ..Durations::default()
    };
    before.latencies.hop = hops(&[(5_120, 1_000)]);
    after.latencies.hop = hops(&[(5_120, 1_000), (10_240, 60), (81_920, 40)]);
    let arguments = arguments(Sort::Queue);
    let text = View::new(&arguments, &Controls::new(&arguments), &before, &after).text(None);
    assert!(text.contains("\nhop 10 us (99 %: 81 us)\n"), "{text}");
    let later = Snapshot { now_ns: after.now_ns + 1_000_000_000, ..after.clone() };
    let text = View::new(&arguments, &Controls::new(&arguments), &after, &later).text(None);
    assert!(!text.contains("hop"), "{text}");
}

#[test]
fn the_tables_say_what_happened() {
    let (before, after) = looks();
    let arguments = arguments(Sort::Queue);
    let text = View::new(&arguments, &Controls::new(&arguments), &before, &after).text(None);
    assert!(text.contains("trunkline 0.1.0 at http://127.0.0.1:7401, up 1 min 2 s\n"), "{text}");
    assert!(text.contains("in 1,000 messages/s 3.0 MiB/s"), "{text}");
    let row = |name: &str| {
        let row = text.lines().find(|line| line.starts_with(name)).expect(&text);
        row.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        row("slow"),
        [
            "slow",
            "127.0.0.1:40000",
            "tcp/native/opaque",
            "1",
            "0",
            "50",
            "0",
            "0",
            "9",
            "900",
            "B",
            "9",
            "ms"
        ]
    );
    assert_eq!(row("fast")[5], "1,000");
    assert_eq!(row("elides")[6], "25");
    assert_eq!(row("fx/EURUSD"), ["fx/EURUSD", "62,000", "1,000", "2"]);
}

#[test]
fn clients_come_in_the_order_that_was_asked_for() {
    assert_eq!(order(Sort::Queue, false), ["slow", "elides", "fast"]);
    assert_eq!(order(Sort::Rate, false), ["fast", "slow", "elides"]);
    assert_eq!(order(Sort::Elided, false), ["elides", "fast", "slow"]);
    assert_eq!(order(Sort::Elided, true), ["slow", "fast", "elides"]);
    assert_eq!(order(Sort::Client, false), ["elides", "fast", "slow"]);
    assert_eq!(order(Sort::Oldest, false), ["slow", "elides", "fast"]);
}

#[test]
fn a_small_terminal_shows_what_fits() {
    let (before, mut after) = looks();
    after.clients = (0..100).map(|id| client("many", id, 0, 0, id)).collect();
    after.totals.clients_now = 100;
    let arguments = arguments(Sort::Queue);
    let size = Size { rows: 20, columns: 80 };
    let text = View::new(&arguments, &Controls::new(&arguments), &before, &after).text(Some(size));
    assert!(text.lines().count() < 20, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("and 9"), "{text}");
    assert!(text.contains("fx/EURUSD"), "{text}");
    let durable = |number| DurableStatus {
        name: format!("risk-{number}"),
        waiting_now: 7,
        is_behind: true,
        has_stopped: true,
        ..DurableStatus::default()
    };
    after.durables = (0..60).map(durable).collect();
    for rows in [1, 12, 24, 40] {
        let size = Size { rows, columns: 80 };
        let text =
            View::new(&arguments, &Controls::new(&arguments), &before, &after).text(Some(size));
        assert!(text.lines().count() < rows.max(2), "{text}");
        let has_room = rows > 20;
        for shown in ["risk-0 (stopped)", "  7+  ", " more\n\n", "fx/EURUSD"] {
            assert_eq!(text.contains(shown), has_room, "{rows}: {shown} in {text}");
        }
    }
}

/// What a terminal of so many characters shows, and the controls.
fn shown(columns: usize, controls: &Controls) -> String {
    let (mut before, mut after) = looks();
    for look in [&mut before, &mut after] {
        look.clients.iter_mut().for_each(|it| it.name = format!("a name that is long {}", it.name));
        look.totals.messages *= 1_000_000;
        look.totals.received_bytes *= 1_000_000;
        look.totals.ledger.published = 1_234_567_890_123;
    }
    let arguments = arguments(Sort::Queue);
    let size = Size { rows: 24, columns };
    View::new(&arguments, controls, &before, &after).text(Some(size))
}

#[test]
fn a_narrow_terminal_leaves_columns_out_and_breaks_no_line() {
    let mut controls = Controls::new(&arguments(Sort::Queue));
    let title = |text: &str| {
        let title = text.lines().find(|it| it.starts_with("client")).expect("a title");
        title.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    for columns in [200, 120, 100, 80, 60, 40, 20, 5, 1] {
        let text = shown(columns, &controls);
        assert!(text.lines().all(|it| it.chars().count() <= columns), "{columns}: {text}");
    }
    let all = "client address profile subs in/s out/s elided/s lost queued↓ bytes oldest";
    assert_eq!(title(&shown(120, &controls)).join(" "), all);
    let text = shown(80, &controls);
    let without = all.replace(" address", "").replace(" profile", "");
    assert_eq!(title(&text).join(" "), without, "{text}");
    assert_eq!(title(&shown(40, &controls)).join(" "), "client in/s out/s lost queued↓");
    controls.sort = Sort::Subscriptions;
    controls.is_reversed = true;
    assert!(title(&shown(40, &controls)).contains(&"subs↑".to_owned()));
    // Nothing of the sums is lost.
    for word in ["1,234,567,890,123 matched", "elided 0/s", "lost 0/s", "0 queued"] {
        assert!(text.replace('\n', " ").contains(word), "{word} in {text}");
    }
}

#[test]
fn a_filter_is_for_clients_topics_and_durable_subscriptions() {
    let (before, mut after) = looks();
    after.durables = vec![DurableStatus { name: "SLOW risk".into(), ..DurableStatus::default() }];
    let arguments = arguments(Sort::Queue);
    let text = |filter: &str| {
        let controls = Controls { filter: filter.to_owned(), ..Controls::new(&arguments) };
        View::new(&arguments, &controls, &before, &after).text(None)
    };
    let has = |text: &str, row: &str| text.lines().any(|line| line.starts_with(row));
    let slow = text("slow");
    assert!(has(&slow, "slow ") && has(&slow, "SLOW risk") && !has(&slow, "fast "), "{slow}");
    assert!(!has(&slow, "fx/EURUSD") && !slow.contains("more"), "{slow}");
    let euro = text("eurusd");
    assert!(has(&euro, "fx/EURUSD") && !has(&euro, "slow "), "{euro}");
    assert!(has(&text("40000"), "fast "), "addresses are looked at");
}

#[test]
fn a_journal_in_trouble_is_told() {
    let (before, mut after) = looks();
    after.journal = JournalStatus { trouble: "no room".into(), ..JournalStatus::default() };
    let arguments = arguments(Sort::Queue);
    let text = View::new(&arguments, &Controls::new(&arguments), &before, &after).text(None);
    assert!(text.contains("\njournal: no room\n"), "{text}");
}

#[test]
fn quantities_are_short() {
    assert_eq!(
        [0.0, 1023.0, 1024.0, 10_240.0, 5e12].map(size_of),
        ["0 B", "1023 B", "1.0 KiB", "10 KiB", "4.5 TiB"]
    );
    assert_eq!(
        [0, 5_000, 7_000_000, 1_500_000_000, 61_000_000_000].map(age),
        ["", "5.0 us", "7 ms", "1.5 s", "1 min 1 s"]
    );
    assert_eq!(lasting(7_261_000_000_000), "2 h 1 min");
}
