//! A snapshot as OpenMetrics text, version 1.0.
//!
//! Names, types and units follow the specification: a counter's samples end in `_total`, a family's
//! name ends in its unit, and the text ends in `# EOF`.

use std::fmt::{Display, Write as _};

use trunkline_router::Histogram;

use crate::snapshot::{
    ClientStatus, ConversionStatus, DurableStatus, Durations, FilterStatus, JournalStatus,
    Latencies, Snapshot, Totals,
};

/// The content type.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The whole text.
pub fn render(snapshot: &Snapshot) -> String {
    let mut page = Page { text: String::with_capacity(4 << 10) };
    page.family("trunkline_build", "info", "", "The program that runs");
    page.sample("trunkline_build_info", &[("version", &snapshot.version)], 1);
    page.gauge("trunkline_uptime_seconds", "seconds", "Time since the router started");
    page.sample("trunkline_uptime_seconds", &[], seconds(snapshot.now_ns));
    page.gauge("trunkline_draining", "", "1 while no clients are accepted, for maintenance");
    page.sample("trunkline_draining", &[], u64::from(snapshot.drain.is_draining));
    totals(&mut page, &snapshot.totals);
    became(&mut page, &snapshot.totals);
    latencies(&mut page, &snapshot.latencies);
    journal(&mut page, &snapshot.journal);
    if !snapshot.durables.is_empty() {
        durables(&mut page, &snapshot.durables);
    }
    if !snapshot.clients.is_empty() {
        clients(&mut page, &snapshot.clients);
    }
    page.text.push_str("# EOF\n");
    page.text
}

fn totals(page: &mut Page, totals: &Totals) {
    for (name, value, help) in [
        ("trunkline_clients", totals.clients_now, "Clients that are connected"),
        ("trunkline_topics", totals.topics_now, "Topics that are known"),
        ("trunkline_subscriptions", totals.subscriptions_now, "Subscriptions that are made"),
        ("trunkline_matches", totals.matches_now, "Pairs of a subscription and a topic it matched"),
        ("trunkline_last_values", totals.last_values.values_now, "Last values that are kept"),
    ] {
        page.gauge(name, "", help);
        page.sample(name, &[], value);
    }
    for (name, unit, value, help) in [
        ("trunkline_connections", "", totals.connections, "Connections that were accepted"),
        (
            "trunkline_tls_handshakes_failed",
            "",
            totals.handshakes_failed,
            "TLS handshakes of programs and pages that have failed",
        ),
        ("trunkline_received_bytes", "bytes", totals.received_bytes, "Bytes that came"),
        ("trunkline_sent_bytes", "bytes", totals.sent_bytes, "Bytes that were sent"),
        (
            "trunkline_last_values_offered",
            "",
            totals.last_values.offered,
            "Last values offered to new subscriptions",
        ),
        (
            "trunkline_last_values_dropped",
            "",
            totals.last_values.dropped,
            "Last values that made room for others",
        ),
        ("trunkline_messages", "", totals.messages, "Messages that clients published"),
        ("trunkline_requests", "", totals.requests, "Requests among the messages"),
        ("trunkline_replies", "", totals.replies, "Replies to requests"),
        ("trunkline_rejections", "", totals.rejections, "Commands that were rejected"),
        ("trunkline_gaps", "", totals.gaps, "Gaps that clients were told of"),
        ("trunkline_loop_turns", "", totals.turns, "Turns of the loop"),
    ] {
        page.counter(name, unit, help, &[], value);
    }
}

/// The ledger: published = delivered + elided + discarded + unrendered + filtered + queued.
fn became(page: &mut Page, totals: &Totals) {
    let ledger = totals.ledger;
    for (name, value, help) in [
        ("trunkline_published", ledger.published, "Messages that subscriptions matched"),
        ("trunkline_delivered", ledger.delivered, "Messages handed to a connection"),
        ("trunkline_elided", ledger.elided, "Messages replaced by newer ones, by conflation"),
        (
            "trunkline_unrendered",
            ledger.unrendered,
            "Messages that could not be had as they were asked for",
        ),
        ("trunkline_filtered", ledger.filtered, "Messages that did not pass a filter"),
    ] {
        page.counter(name, "", help, &[], value);
    }
    let gone = totals.discarded_with_client.min(ledger.discarded);
    let memory = totals.discarded_for_memory.min(ledger.discarded - gone);
    let full = ledger.discarded - gone - memory;
    page.family("trunkline_discarded", "counter", "", "Messages lost, by reason");
    for (reason, value) in [("queue_full", full), ("client_gone", gone), ("memory", memory)] {
        page.sample("trunkline_discarded_total", &[("reason", reason)], value);
    }
    page.gauge("trunkline_queued_messages", "messages", "Messages that wait");
    page.sample("trunkline_queued_messages", &[], ledger.queued);
    page.gauge("trunkline_last_value_bytes", "bytes", "Bytes of the last values that are kept");
    page.sample("trunkline_last_value_bytes", &[], totals.last_values.bytes_now);
    page.gauge("trunkline_queued_bytes", "bytes", "Bytes that wait in queues");
    page.sample("trunkline_queued_bytes", &[], totals.queued_bytes_now);
    let memory = &totals.memory;
    page.gauge("trunkline_memory_bytes", "bytes", "Memory by what takes it");
    for (what, bytes) in [
        ("waiting", memory.waiting_now),
        ("outputs", memory.outputs_now),
        ("tables", memory.tables_now),
        ("last_values", memory.last_values_now),
        ("others", memory.others_now),
    ] {
        page.sample("trunkline_memory_bytes", &[("what", what)], bytes);
    }
    if !totals.renditions.is_empty() {
        let help = "Renditions of messages, made once for the clients of a format, and deliveries that found one";
        page.family("trunkline_renditions", "counter", "", help);
        for it in &totals.renditions {
            for (what, count) in [("made", it.made), ("shared", it.shared)] {
                let labels = [("format", &*it.format), ("what", what)];
                page.sample("trunkline_renditions_total", &labels, count);
            }
        }
    }
    conversions(page, &totals.conversions);
    filters(page, &totals.filters);
    page.gauge("trunkline_memory_limit_bytes", "bytes", "What all of it may take; 0 is no limit");
    page.sample("trunkline_memory_limit_bytes", &[], memory.limit);
}

/// Messages in the formats that subscribers want.
fn conversions(page: &mut Page, all: &[ConversionStatus]) {
    if all.is_empty() {
        return;
    }
    let help =
        "Messages converted into a format, once for all who want it, and deliveries that found one";
    page.family("trunkline_conversions", "counter", "", help);
    for it in all {
        for (what, count) in [("made", it.made), ("shared", it.shared), ("failed", it.failed)] {
            let labels = [("format", &*it.format), ("what", what)];
            page.sample("trunkline_conversions_total", &labels, count);
        }
    }
    page.gauge("trunkline_conversions_pending", "", "Conversions that clients wait for");
    for it in all {
        let labels = [("format", &*it.format)];
        page.sample("trunkline_conversions_pending", &labels, it.pending_now);
    }
}

/// Messages held against the filters of subscribers.
fn filters(page: &mut Page, it: &FilterStatus) {
    let help = "Messages held against filters, each once for all of them";
    page.family("trunkline_filter_decisions", "counter", "", help);
    for (what, count) in [("made", it.decided - it.failed), ("failed", it.failed)] {
        page.sample("trunkline_filter_decisions_total", &[("what", what)], count);
    }
    page.gauge("trunkline_filter_decisions_pending", "", "Messages that wait for that");
    page.sample("trunkline_filter_decisions_pending", &[], it.pending_now);
}

fn latencies(page: &mut Page, it: &Latencies) {
    for (name, durations, help) in [
        ("trunkline_hop_seconds", &it.hop, "From what came to the write of what it made"),
        (
            "trunkline_queue_wait_seconds",
            &it.queue_wait,
            "From the publish of a message that waited for its client to its rendering",
        ),
        ("trunkline_loop_turn_seconds", &it.turn, "Turns of the loop that did something"),
        ("trunkline_journal_commit_seconds", &it.commit, "Writes to the disk that were waited for"),
    ] {
        page.histogram(name, help, durations);
    }
}

/// Guaranteed delivery.
fn journal(page: &mut Page, it: &JournalStatus) {
    let healthy = u64::from(it.trouble.is_empty());
    for (name, unit, value, help) in [
        (
            "trunkline_journal_healthy",
            "",
            healthy,
            "0 while messages are rejected because of the disk",
        ),
        (
            "trunkline_journal_failed",
            "",
            it.has_failed.into(),
            "1 after a write failed, until a restart",
        ),
        ("trunkline_journal_on_disk", "", it.is_on_disk.into(), "1 if it is on a disk"),
        ("trunkline_journal_position", "", it.position, "Position of the last record"),
        (
            "trunkline_journal_durable_position",
            "",
            it.durable,
            "Position up to which everything is on disk",
        ),
        ("trunkline_journal_bytes", "bytes", it.bytes_now, "Bytes of all segments"),
        (
            "trunkline_journal_pending_bytes",
            "bytes",
            it.pending_bytes_now,
            "Bytes that wait for the disk",
        ),
    ] {
        page.gauge(name, unit, help);
        page.sample(name, &[], value);
    }
    for (name, value, help) in [
        ("trunkline_stored", it.stored, "Messages that were stored"),
        (
            "trunkline_stored_again",
            it.repeated,
            "Messages that came again and were not stored again",
        ),
        ("trunkline_store_rejected", it.rejected, "Messages that were not stored"),
        ("trunkline_acknowledged", it.acknowledged, "Messages that consumers acknowledged"),
        ("trunkline_journal_commits", it.commits, "Writes to the disk that were waited for"),
    ] {
        page.counter(name, "", help, &[], value);
    }
}

/// A count of one durable subscription.
type CountOfDurable = fn(&DurableStatus) -> u64;

fn durables(page: &mut Page, durables: &[DurableStatus]) {
    let gauges: [(&str, CountOfDurable, &str); 8] = [
        ("trunkline_durable_consumers", |it| it.consumers_now, "Consumers that are connected"),
        ("trunkline_durable_in_flight", |it| it.in_flight_now, "Delivered, not acknowledged"),
        ("trunkline_durable_waiting", |it| it.waiting_now, "Messages that wait, as far as counted"),
        ("trunkline_durable_behind", |it| it.is_behind.into(), "1 if more may wait"),
        ("trunkline_durable_floor", |it| it.floor, "Position before which everything is done"),
        ("trunkline_durable_ranges", |it| it.ranges_now, "Ranges acknowledged, between others"),
        (
            "trunkline_durable_stopped",
            |it| it.has_stopped.into(),
            "1 if these were too many, until a consumer comes or `trunkline durable delete`",
        ),
        ("trunkline_durable_paused", |it| it.is_paused.into(), "1 if an administrator paused it"),
    ];
    for (name, count, help) in gauges {
        page.gauge(name, "", help);
        for it in durables {
            page.sample(name, &[("durable", &it.name)], count(it));
        }
    }
    let counters: [(&str, CountOfDurable, &str); 10] = [
        ("trunkline_durable_deliveries", |it| it.deliveries, "Deliveries, with repeated ones"),
        ("trunkline_durable_acknowledged", |it| it.acknowledged, "Messages acknowledged"),
        ("trunkline_durable_elided", |it| it.elided, "Messages replaced by newer ones"),
        ("trunkline_durable_expired", |it| it.expired, "Messages whose time to live was over"),
        ("trunkline_durable_lost", |it| it.lost, "Damaged, over the quota, or not kept"),
        ("trunkline_durable_redelivered", |it| it.redelivered, "Repeated deliveries"),
        ("trunkline_durable_timed_out", |it| it.timed_out, "Deliveries not acknowledged in time"),
        ("trunkline_durable_dead_lettered", |it| it.dead_lettered, "Messages made dead letters"),
        ("trunkline_durable_purged", |it| it.purged, "Purged by an administrator"),
        (
            "trunkline_durable_filtered",
            |it| it.filtered,
            "Not what the filter of its consumers passes",
        ),
    ];
    for (name, count, help) in counters {
        page.family(name, "counter", "", help);
        for it in durables {
            page.sample(&format!("{name}_total"), &[("durable", &it.name)], count(it));
        }
    }
}

/// A count of one client.
type Count = fn(&ClientStatus) -> u64;

fn clients(page: &mut Page, clients: &[ClientStatus]) {
    let counters: [(&str, &str, Count, &str); 8] = [
        ("trunkline_client_messages", "", |it| it.messages, "Messages that the client published"),
        ("trunkline_client_received_bytes", "bytes", |it| it.received_bytes, "Bytes from it"),
        ("trunkline_client_sent_bytes", "bytes", |it| it.sent_bytes, "Bytes to it"),
        ("trunkline_client_delivered", "", |it| it.ledger.delivered, "Messages handed to it"),
        ("trunkline_client_elided", "", |it| it.ledger.elided, "Its messages replaced by newer"),
        ("trunkline_client_discarded", "", |it| it.ledger.discarded, "Messages that it lost"),
        (
            "trunkline_client_filtered",
            "",
            |it| it.ledger.filtered,
            "Messages not passed by filters",
        ),
        (
            "trunkline_client_unrendered",
            "",
            |it| it.ledger.unrendered,
            "Messages that it could not have in the format that it wants",
        ),
    ];
    for (name, unit, count, help) in counters {
        page.family(name, "counter", unit, help);
        let name = format!("{name}_total");
        for client in clients {
            page.of_client(&name, client, count(client));
        }
    }
    let gauges: [(&str, &str, Count, &str); 5] = [
        ("trunkline_client_subscriptions", "", |it| it.subscriptions, "Its subscriptions"),
        ("trunkline_client_queued_messages", "messages", |it| it.ledger.queued, "Waiting for it"),
        ("trunkline_client_queued_bytes", "bytes", |it| it.queued_bytes, "Bytes in its queue"),
        (
            "trunkline_client_under_way_messages",
            "messages",
            |it| it.under_way,
            "Conflated messages sent and not taken, of clients with credit",
        ),
        (
            "trunkline_client_under_way_at_least_bytes",
            "bytes",
            |it| it.under_way_bytes_at_least,
            "Bytes between router and client, at least: what its system has taken in is not seen",
        ),
    ];
    for (name, unit, count, help) in gauges {
        page.gauge(name, unit, help);
        for client in clients {
            page.of_client(name, client, count(client));
        }
    }
    let name = "trunkline_client_oldest_seconds";
    page.gauge(name, "seconds", "How long the oldest message in its queue has waited");
    for client in clients {
        page.of_client(name, client, seconds(client.oldest_ns));
    }
}

/// Whole nanoseconds as seconds, exactly.
fn seconds(nanoseconds: u64) -> String {
    format!("{}.{:09}", nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
}

struct Page {
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        // Writing to a String does not fail; so it is below.
        let _ = writeln!(self.text, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(self.text, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.text, "# HELP {name} {help}");
    }

    fn gauge(&mut self, name: &str, unit: &str, help: &str) {
        self.family(name, "gauge", unit, help);
    }

    fn counter(&mut self, name: &str, unit: &str, help: &str, labels: &[(&str, &str)], value: u64) {
        self.family(name, "counter", unit, help);
        self.sample(&format!("{name}_total"), labels, value);
    }

    fn histogram(&mut self, name: &str, help: &str, durations: &Durations) {
        self.family(name, "histogram", "seconds", help);
        let bucket = format!("{name}_bucket");
        let (mut counted, mut sizes) = (0, durations.took.iter().peekable());
        for bound in Histogram::bounds() {
            while let Some(size) = sizes.next_if(|it| it.at_most_ns <= bound) {
                counted += size.count;
            }
            self.sample(&bucket, &[("le", &seconds(bound))], counted);
        }
        self.sample(&bucket, &[("le", "+Inf")], durations.count);
        self.sample(&format!("{name}_count"), &[], durations.count);
        self.sample(&format!("{name}_sum"), &[], seconds(durations.sum_ns));
    }

    fn of_client(&mut self, name: &str, client: &ClientStatus, value: impl Display) {
        let id = client.id.to_string();
        let labels = [("client", &*id), ("name", &*client.name), ("profile", &*client.profile)];
        self.sample(name, &labels, value);
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (at, (label, value)) in labels.iter().enumerate() {
            let opens = if at == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{opens}{label}=\"");
            self.escaped(value);
            self.text.push('"');
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }

    fn escaped(&mut self, value: &str) {
        for c in value.chars() {
            match c {
                '\\' => self.text.push_str("\\\\"),
                '"' => self.text.push_str("\\\""),
                '\n' => self.text.push_str("\\n"),
                c => self.text.push(c),
            }
        }
    }
}
