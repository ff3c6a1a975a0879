//! The text of `/metrics`, from a snapshot made by hand.

use trunkline_server::administration::DrainStatus;
use trunkline_server::http::render;
use trunkline_server::snapshot::{
    ClientStatus, ConversionStatus, Counts, DurableStatus, Durations, FilterStatus, JournalStatus,
    Latencies, MemoryStatus, RenditionStatus, Snapshot, Took, Totals,
};

use crate::open_metrics::read;

fn client(id: u64, name: &str) -> ClientStatus {
    let ledger = Counts {
        published: 12,
        delivered: 3,
        elided: 2,
        discarded: 5,
        unrendered: 0,
        filtered: 0,
        queued: 2,
    };
    ClientStatus {
        id,
        name: name.into(),
        profile: "tcp/native/opaque".into(),
        oldest_ns: 1_500_000_000,
        ledger,
        ..ClientStatus::default()
    }
}

const LEDGER: Counts = Counts {
    published: 10,
    delivered: 4,
    elided: 1,
    discarded: 3,
    unrendered: 0,
    filtered: 0,
    queued: 2,
};

#[test]
fn a_strict_reader_takes_the_text_and_finds_the_figures() {
    let took = [(320, 3), (5_000, 2), (90_000_000_000, 1)];
    let took = took.map(|(at_most_ns, count)| Took { at_most_ns, count }).to_vec();
    let hop = Durations { count: 6, sum_ns: 90_000_011_000, longest_ns: 90_000_000_000, took };
    let snapshot = Snapshot {
        latencies: Latencies { hop, ..Latencies::default() },
        version: "0.1.0".into(),
        now_ns: 61_000_000_007,
        totals: Totals {
            clients_now: 2,
            sent_bytes: u64::MAX,
            ledger: LEDGER,
            discarded_with_client: 1,
            discarded_for_memory: 1,
            memory: MemoryStatus { waiting_now: 5_000, limit: 9_000, ..MemoryStatus::default() },
            ..Totals::default()
        },
        clients: vec![client(1, "plain"), client(2, "a \"name\"\\ of\ntwo lines, {é}")],
        topics: Vec::new(),
        journal: JournalStatus { position: 17, has_failed: true, ..JournalStatus::default() },
        durables: vec![DurableStatus {
            name: "gateway".into(),
            waiting_now: 3,
            has_stopped: true,
            acknowledged: 5,
            ..DurableStatus::default()
        }],
        drain: DrainStatus { is_draining: true, ..DrainStatus::default() },
    };
    let text = render(&snapshot);
    let samples = read(&text).expect(&text);
    for (key, value) in [
        ("trunkline_build_info{version=\"0.1.0\"}", 1.0),
        ("trunkline_uptime_seconds", 61.000_000_007),
        ("trunkline_draining", 1.0),
        ("trunkline_clients", 2.0),
        ("trunkline_published_total", 10.0),
        ("trunkline_discarded_total{reason=\"queue_full\"}", 1.0),
        ("trunkline_discarded_total{reason=\"memory\"}", 1.0),
        ("trunkline_memory_bytes{what=\"waiting\"}", 5_000.0),
        ("trunkline_discarded_total{reason=\"client_gone\"}", 1.0),
        ("trunkline_queued_messages", 2.0),
        ("trunkline_hop_seconds_bucket{le=\"0.000000256\"}", 0.0),
        ("trunkline_hop_seconds_bucket{le=\"0.000000320\"}", 3.0),
        ("trunkline_hop_seconds_bucket{le=\"0.000005120\"}", 5.0),
        ("trunkline_hop_seconds_bucket{le=\"68.719476736\"}", 5.0),
        ("trunkline_hop_seconds_bucket{le=\"+Inf\"}", 6.0),
        ("trunkline_hop_seconds_count", 6.0),
        ("trunkline_hop_seconds_sum", 90.000_011),
        ("trunkline_journal_commit_seconds_count", 0.0),
        ("trunkline_journal_position", 17.0),
        ("trunkline_journal_failed", 1.0),
        ("trunkline_durable_waiting{durable=\"gateway\"}", 3.0),
        ("trunkline_durable_stopped{durable=\"gateway\"}", 1.0),
        ("trunkline_durable_acknowledged_total{durable=\"gateway\"}", 5.0),
        (
            "trunkline_client_oldest_seconds{client=\"1\",name=\"plain\",profile=\"tcp/native/opaque\"}",
            1.5,
        ),
        (
            "trunkline_client_discarded_total{client=\"2\",name=\"a \\\"name\\\"\\\\ of\\ntwo lines, \
             {é}\",profile=\"tcp/native/opaque\"}",
            5.0,
        ),
    ] {
        assert_eq!(samples.get(key), Some(&value), "{key} in\n{text}");
    }
    assert!(text.contains("trunkline_sent_bytes_total 18446744073709551615\n"));
}

#[test]
fn renditions_are_counted_by_format() {
    let renditions = vec![RenditionStatus { format: "json".into(), made: 7, shared: 93 }];
    let totals = Totals { renditions, ..Totals::default() };
    let text = render(&Snapshot { totals, ..Snapshot::default() });
    let samples = read(&text).expect(&text);
    for (what, value) in [("made", 7.0), ("shared", 93.0)] {
        let key = format!("trunkline_renditions_total{{format=\"json\",what=\"{what}\"}}");
        assert_eq!(samples.get(&*key), Some(&value), "{key} in\n{text}");
    }
}

#[test]
fn conversions_are_counted_by_format() {
    let (made, shared, failed, pending_now) = (7, 93, 2, 1);
    let status = |format: &str| {
        let format = format.to_owned();
        ConversionStatus { format, made, shared, failed, pending_now }
    };
    let conversions = vec![status("json"), status("fix")];
    let ledger = Counts { published: 7, unrendered: 2, filtered: 5, ..Counts::default() };
    let filters = FilterStatus { decided: 9, failed: 2, pending_now: 3 };
    let totals = Totals { conversions, filters, ledger, ..Totals::default() };
    let text = render(&Snapshot { totals, ..Snapshot::default() });
    let samples = read(&text).expect(&text);
    for (what, value) in [("made", 7.0), ("shared", 93.0), ("failed", 2.0)] {
        let key = format!("trunkline_conversions_total{{format=\"fix\",what=\"{what}\"}}");
        assert_eq!(samples.get(&*key), Some(&value), "{key} in\n{text}");
    }
    assert_eq!(samples.get("trunkline_conversions_pending{format=\"json\"}"), Some(&1.0));
    for (key, value) in [
        ("trunkline_unrendered_total", 2.0),
        ("trunkline_filtered_total", 5.0),
        ("trunkline_filter_decisions_total{what=\"made\"}", 7.0),
        ("trunkline_filter_decisions_total{what=\"failed\"}", 2.0),
        ("trunkline_filter_decisions_pending", 3.0),
    ] {
        assert_eq!(samples.get(key), Some(&value), "{key}");
    }
}

#[test]
fn a_router_without_clients_has_no_family_without_samples() {
    let text = render(&Snapshot::default());
    let samples = read(&text).expect(&text);
    assert!(samples.contains_key("trunkline_clients"));
    assert!(!text.contains("trunkline_client_"), "{text}");
}
