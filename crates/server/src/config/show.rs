//! The configuration as a commented TOML file that gives it again.

use std::fmt::Write as _;

use trunkline_reactor::Idle;

use super::journal::{forwarding_text, level_text};
use super::quantity::{size_text, time_text};
use super::{Config, LogFormat, LogLevel, Rule, overflow_text};

impl Config {
    /// The whole configuration, every key with a comment. Reading it gives this configuration.
    pub fn to_toml(&self) -> String {
        let mut page = Page(String::new());
        self.show_listen(&mut page);
        self.show_tls(&mut page);
        self.show_limits(&mut page);
        self.show_client(&mut page);
        for rule in &self.client.rules {
            show_rule(rule, &mut page);
        }
        for rule in &self.last_values {
            page.section("[[last_value]]");
            page.key("topics", &quoted(&rule.topics), "that keep their last value");
        }
        self.show_topics(&mut page);
        self.show_fix(&mut page);
        self.show_journal(&mut page);
        self.show_journal_rules(&mut page);
        self.show_access(&mut page);
        self.show_router(&mut page);
        self.show_edges(&mut page);
        self.show_log(&mut page);
        page.0
    }

    fn show_listen(&self, page: &mut Page) {
        let listen = &self.listen;
        let native: Vec<String> =
            listen.native.iter().map(|address| quoted(&address.to_string())).collect();
        let endpoint = |it: &Option<String>| quoted(it.as_deref().unwrap_or("off"));
        page.section("[listen]");
        page.key(
            "native",
            &format!("[{}]", native.join(", ")),
            "tcp://HOST:PORT, tls://HOST:PORT, unix://PATH, shm://PATH; port 0 is any that is free",
        );
        page.key("http", &endpoint(&listen.http), "metrics, health and status, or \"off\"");
        page.key("websocket", &endpoint(&listen.websocket), "for browsers, or \"off\"");
    }

    fn show_limits(&self, page: &mut Page) {
        let limits = &self.limits;
        page.section("[limits]");
        page.key("connections", &limits.connections, "at once, of all protocols");
        page.key("topics", &limits.topics, "known at once; topics that nobody holds make room");
        page.key("topics_per_client", &limits.topics_per_client, "aliases of one connection");
        page.key("subscriptions", &limits.subscriptions, "of all clients");
        page.key("subscriptions_per_client", &limits.subscriptions_per_client, "of one client");
        page.key("filters", &limits.filters, "that differ");
        page.key("filters_per_client", &limits.filters_per_client, "subscriptions that have one");
        page.key("filter_bytes", &limits.filter_bytes, "of one");
        page.key("selections", &limits.selections, "of fields, that differ; 3839 at most");
        page.key(
            "selections_per_client",
            &limits.selections_per_client,
            "subscriptions that have one",
        );
        page.key("selection_bytes", &limits.selection_bytes, "of one");
        page.key("overlaps_per_client", &limits.overlaps_per_client, "that match one topic");
        page.key("matches", &limits.matches, "pairs of a subscription and a topic it has matched");
        page.key(
            "matches_per_client",
            &limits.matches_per_client,
            "of one client; it ends with more",
        );
        page.key(
            "last_values",
            &limits.last_values,
            "kept; those updated least recently make room",
        );
        page.key(
            "last_value_bytes",
            &quoted(&size_text(limits.last_value_bytes)),
            "of these, with about 70 for each",
        );
        page.key("requests_per_client", &limits.requests_per_client, "that wait for their reply");
        page.key(
            "frame_bytes",
            &quoted(&size_text(limits.frame_bytes)),
            "of a message with its header",
        );
        page.key(
            "output_bytes",
            &quoted(&size_text(limits.output_bytes)),
            "rendered ahead for one client; what is beyond waits in its queue",
        );
        page.key(
            "memory_bytes",
            &quoted(&size_text(limits.memory_bytes)),
            "the ceiling of memory; 0 is half of the machine's",
        );
    }

    fn show_client(&self, page: &mut Page) {
        let client = &self.client;
        page.section("[client]");
        page.key("queue_messages", &client.queue_messages, "that wait for a slow client");
        page.key("queue_bytes", &quoted(&size_text(client.queue_bytes)), "that wait for it");
        page.key(
            "overflow",
            &quoted(overflow_text(client.overflow)),
            "at either bound: drop-oldest, drop-newest, disconnect",
        );
        page.key("messages_per_second", &client.messages_per_second, "to a client; 0 is no cap");
        page.key(
            "bytes_per_second",
            &quoted(&size_text(client.bytes_per_second)),
            "to a client; 0 is no cap",
        );
        page.key(
            "updates_per_second",
            &client.updates_per_second,
            "of each topic, the newest wins; 0 is no cap",
        );
    }

    fn show_journal(&self, page: &mut Page) {
        let journal = &self.journal;
        let directory = journal.directory.as_ref().map(|path| path.display().to_string());
        let size = |bytes| quoted(&size_text(bytes));
        page.section("[journal]");
        page.key(
            "directory",
            &quoted(directory.as_deref().unwrap_or("off")),
            "a folder; \"off\": guaranteed messages are in memory alone",
        );
        page.key(
            "durability",
            &quoted(level_text(journal.durability)),
            "disk or memory, before it is acknowledged; memory without a folder",
        );
        page.key(
            "delivery",
            &quoted(forwarding_text(journal.delivery)),
            "store-and-forward or cut-through",
        );
        page.key("bytes", &size(journal.bytes), "of all segments");
        page.key("segment_bytes", &size(journal.segment_bytes), "of a file; with the next start");
        page.key(
            "memory_bytes",
            &size(journal.memory_bytes),
            "of the newest, read without the disk",
        );
        page.key(
            "pending_bytes",
            &size(journal.pending_bytes),
            "for the disk; more producers wait",
        );
        page.key("keep", &quoted(&time_text(journal.keep)), "for replays, as far as bytes allow");
        page.key("quota_bytes", &size(journal.quota_bytes), "of one subscription; 0 is no quota");
        page.key("ranges", &journal.ranges, "acknowledged ranges; a subscription with more stops");
        page.key("subscriptions", &journal.subscriptions, "durable ones and replays");
        page.key("producers", &journal.producers, "that are known");
        page.key(
            "producers_per_client",
            &journal.producers_per_client,
            "new in an hour, without a message, from clients of one name",
        );
        page.key(
            "new_producers_per_client",
            &journal.new_producers_per_client,
            "new in an hour, with a message",
        );
        page.key("window", &journal.window, "unacknowledged messages of a consumer");
        page.key("window_limit", &journal.window_limit, "the most that a consumer may want");
        page.key("producer_window", &journal.producer_window, "unacknowledged, of a producer");
    }

    fn show_journal_rules(&self, page: &mut Page) {
        let journal = &self.journal;
        for rule in &journal.rules {
            page.section("[[journal.rule]]");
            page.key("topics", &quoted(&rule.topics), "the first rule that fits decides");
            if let Some(level) = rule.durability {
                page.key("durability", &quoted(level_text(level)), "");
            }
            if let Some(forwarding) = rule.delivery {
                page.key("delivery", &quoted(forwarding_text(forwarding)), "");
            }
        }
        for rule in &journal.durables {
            page.section("[[journal.durable]]");
            page.key(
                "name",
                &quoted(&rule.name),
                "of durable subscriptions; * stands for anything",
            );
            if let Some(time) = rule.acknowledge_within {
                page.key("acknowledge_within", &quoted(&time_text(time)), "or it is redelivered");
            }
            if let Some(deliveries) = rule.deliveries {
                page.key("deliveries", &deliveries, "at most; then it is a dead letter");
            }
            if let Some(topic) = &rule.dead_letters {
                page.key("dead_letters", &quoted(topic), "the topic of dead letters");
            }
        }
    }

    fn show_access(&self, page: &mut Page) {
        let access = &self.access;
        let file = access.credentials.as_ref().map(|path| path.display().to_string());
        page.section("[access]");
        page.key(
            "anonymous",
            &quoted(access.anonymous.name()),
            "local, everywhere or nowhere: who does not say who it is connects from there",
        );
        page.key(
            "credentials",
            &quoted(file.as_deref().unwrap_or("off")),
            "a file of users and hashes, by trunkline credentials",
        );
        if !access.roles.is_empty() {
            page.section("[access.roles]");
        }
        for (name, who) in &access.roles {
            page.key(&quoted(name), &list(who), "");
        }
        for rule in &access.rules {
            page.section("[[access.rule]]");
            page.key("name", &quoted(&rule.name), "rejections name it");
            page.key("who", &list(&rule.who), "user:, certificate:, uid:, role:, anonymous, *");
            for (key, operations) in [("allow", rule.allow), ("deny", rule.deny)] {
                let names: Vec<String> =
                    operations.iter().map(|operation| operation.name().to_owned()).collect();
                if !names.is_empty() {
                    page.key(key, &list(&names), "");
                }
            }
            if !rule.topics.is_empty() {
                page.key("topics", &list(&rule.topics), "patterns");
            }
            if !rule.names.is_empty() {
                page.key("names", &list(&rule.names), "of producers, durable subscriptions");
            }
        }
    }

    fn show_router(&self, page: &mut Page) {
        let router = &self.router;
        let idle = match router.idle {
            Idle::Block => "block".to_owned(),
            Idle::Spin => "spin".to_owned(),
            Idle::SpinFor(time) => time_text(time),
        };
        let time = |time| quoted(&time_text(time));
        page.section("[router]");
        page.key("threads", &router.threads, "that read and write; the first also routes");
        page.key("idle", &quoted(&idle), "block, spin, or spin for a time such as 20us first");
        page.key("keepalive", &time(router.keepalive), "silence after which a client is pinged");
        page.key(
            "keepalive_missed",
            &router.keepalive_missed,
            "unanswered pings, then it is closed",
        );
        page.key("handshake_timeout", &time(router.handshake_timeout), "to complete the handshake");
        page.key(
            "shutdown_timeout",
            &time(router.shutdown_timeout),
            "for clients to take their queued messages",
        );
    }

    fn show_edges(&self, page: &mut Page) {
        page.section("[websocket]");
        page.key(
            "origins",
            &list(&self.websocket.origins),
            "of pages that may connect from elsewhere, such as \"https://desk.example.org\"",
        );
        page.section("[http]");
        page.key(
            "hosts",
            &list(&self.http.hosts),
            "names that requests may be for, beside localhost, addresses, and that of listen.http",
        );
        page.section("[admin]");
        let file = self.admin.token_file.as_ref().map(|path| path.display().to_string());
        page.key(
            "token_file",
            &quoted(file.as_deref().unwrap_or("off")),
            "with the token of administrators; \"off\": only those whom access rules allow it",
        );
        page.key("origins", &list(&self.admin.origins), "of pages that may administer");
        page.section("[metrics]");
        page.key("clients", &self.metrics.clients, "with series of their own, at most");
    }

    fn show_log(&self, page: &mut Page) {
        let format = match self.log.format {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        };
        let level = match self.log.level {
            LogLevel::Off => "off",
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
        };
        page.section("[log]");
        page.key("format", &quoted(format), "text or json, on standard error");
        page.key("level", &quoted(level), "off, error, warn, info, debug");
    }
}

fn show_rule(rule: &Rule, page: &mut Page) {
    page.section("[[client.rule]]");
    page.key("name", &quoted(&rule.name), "of clients; * stands for anything");
    if let Some(who) = &rule.who {
        page.key("who", &quoted(&who.to_string()), "they are");
    }
    if let Some(messages) = rule.queue_messages {
        page.key("queue_messages", &messages, "");
    }
    if let Some(bytes) = rule.queue_bytes {
        page.key("queue_bytes", &quoted(&size_text(bytes)), "");
    }
    if let Some(overflow) = rule.overflow {
        page.key("overflow", &quoted(overflow_text(overflow)), "");
    }
    if let Some(messages) = rule.messages_per_second {
        page.key("messages_per_second", &messages, "");
    }
    if let Some(bytes) = rule.bytes_per_second {
        page.key("bytes_per_second", &quoted(&size_text(bytes)), "");
    }
    if let Some(updates) = rule.updates_per_second {
        page.key("updates_per_second", &updates, "");
    }
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

pub(super) struct Page(String);

impl Page {
    pub(super) fn section(&mut self, title: &str) {
        let gap = if self.0.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.0, "{gap}{title}");
    }

    pub(super) fn key(&mut self, name: &str, value: &dyn std::fmt::Display, comment: &str) {
        let line = format!("{name} = {value}");
        let _ = match comment {
            "" => writeln!(self.0, "{line}"),
            comment => writeln!(self.0, "{line:<40} # {comment}"),
        };
    }
}
