//! What `top` shows of two looks at a router.

use std::time::Duration;

use trunkline_server::snapshot::{DurableStatus, TopicStatus, Totals};

use super::*;

fn arguments(sort: Sort) -> TopArguments {
    TopArguments {
        to: "http://127.0.0.1:7401".into(),
        once: true,
        json: false,
        sort,
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
        ledger: Counts { published, delivered, elided, discarded: 0, queued },
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

fn order(sort: Sort) -> Vec<String> {
    let (before, after) = looks();
    let arguments = arguments(sort);
    let view = View::new(&arguments, &before, &after);
    view.sorted().into_iter().map(|(client, _)| client.name.clone()).collect()
}

#[test]
fn the_tables_say_what_happened() {
    let (before, after) = looks();
    let arguments = arguments(Sort::Queue);
    let text = View::new(&arguments, &before, &after).text(None);
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
    assert_eq!(order(Sort::Queue), ["slow", "elides", "fast"]);
    assert_eq!(order(Sort::Rate), ["fast", "slow", "elides"]);
    assert_eq!(order(Sort::Elided), ["elides", "fast", "slow"]);
}

#[test]
fn a_small_terminal_shows_what_fits() {
    let (before, mut after) = looks();
    after.clients = (0..100).map(|id| client("many", id, 0, 0, id)).collect();
    after.totals.clients_now = 100;
    let arguments = arguments(Sort::Queue);
    let size = Size { rows: 20, columns: 80 };
    let text = View::new(&arguments, &before, &after).text(Some(size));
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
        let text = View::new(&arguments, &before, &after).text(Some(size));
        assert!(text.lines().count() < rows.max(2), "{text}");
        let has_room = rows > 20;
        for shown in ["risk-0 (stopped)", "  7+  ", " more\n\n", "fx/EURUSD"] {
            assert_eq!(text.contains(shown), has_room, "{rows}: {shown} in {text}");
        }
    }
}

#[test]
fn quantities_are_short() {
    assert_eq!(
        [0.0, 1023.0, 1024.0, 10_240.0, 5e12].map(size_of),
        ["0 B", "1023 B", "1.0 KiB", "10 KiB", "4.5 TiB"]
    );
    assert_eq!(
        [0, 5_000, 7_000_000, 1_500_000_000, 61_000_000_000].map(age),
        ["", "5 us", "7 ms", "1.5 s", "1 min 1 s"]
    );
    assert_eq!(lasting(7_261_000_000_000), "2 h 1 min");
}
