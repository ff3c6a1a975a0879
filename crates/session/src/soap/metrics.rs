//! What a server has answered, by how it travelled, as Prometheus reads it.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use trunkline_soap::Version;

use super::http::Travelled;
use super::{MessageEncoding, Outcome};
use crate::profile::Retained;

const TRANSPORTS: [&str; 6] =
    ["http-1.1", "http-1.1-tls", "http-1.0", "http-1.0-tls", "soap-tcp-1.0", "soap-tcp-1.0-tls"];
const VERSIONS: [(Version, &str); 2] = [(Version::Soap11, "1.1"), (Version::Soap12, "1.2")];
const COMPRESSIONS: [&str; 5] = ["none", "gzip", "deflate", "zstd", "x-trunkline-xml"];
const PROFILES: usize =
    TRANSPORTS.len() * VERSIONS.len() * MessageEncoding::ALL.len() * COMPRESSIONS.len();
const OUTCOMES: [&str; 3] = ["reply", "taken", "fault"];
const DIRECTIONS: [&str; 2] = ["request", "answer"];

/// The counts of each profile, which calls of all threads add to.
#[derive(Debug)]
pub(super) struct Metrics {
    profiles: Box<[Counts]>,
}

/// Of one profile. By direction: of requests, and of answers.
#[derive(Debug, Default)]
struct Counts {
    calls: [AtomicU64; 3],
    bytes: [AtomicU64; 2],
    indexes: [AtomicU64; 2],
    literals: [AtomicU64; 2],
    entries: [AtomicU64; 2],
    entry_bytes: [AtomicU64; 2],
}

/// One of the counters that each direction has.
type Directed = fn(&Counts) -> &[AtomicU64; 2];

impl Default for Metrics {
    fn default() -> Self {
        Self { profiles: std::iter::repeat_with(Counts::default).take(PROFILES).collect() }
    }
}

/// The position of a profile, which has one in each list.
fn position(travelled: &Travelled, version: Version) -> usize {
    let place = |found: Option<usize>| found.unwrap_or_default();
    let transport = place(TRANSPORTS.iter().position(|it| *it == travelled.transport));
    let version = place(VERSIONS.iter().position(|it| it.0 == version));
    let encoding = place(MessageEncoding::ALL.iter().position(|it| *it == travelled.encoding));
    let compression = place(COMPRESSIONS.iter().position(|it| *it == travelled.compression));
    let position = transport * VERSIONS.len() + version;
    let position = position * MessageEncoding::ALL.len() + encoding;
    position * COMPRESSIONS.len() + compression
}

impl Metrics {
    /// Counts a call; `before` and `after` are what was retained, of requests and of answers.
    pub(super) fn count(
        &self,
        travelled: &Travelled,
        version: Version,
        outcome: Outcome,
        before: Option<[Retained; 2]>,
        after: Option<[Retained; 2]>,
    ) {
        let counts = &self.profiles[position(travelled, version)];
        let outcome = match outcome {
            Outcome::Reply => 0,
            Outcome::Taken => 1,
            Outcome::Fault(_) => 2,
        };
        counts.calls[outcome].fetch_add(1, Relaxed);
        counts.bytes[0].fetch_add(travelled.bytes as u64, Relaxed);
        counts.bytes[1].fetch_add(travelled.answer_bytes as u64, Relaxed);
        let Some(after) = after else { return };
        let before = before.unwrap_or_default();
        for direction in [0, 1] {
            let [before, after] = [before, after].map(|it| it[direction]);
            let add = |counter: &[AtomicU64; 2], before: u64, after: u64| {
                counter[direction].fetch_add(after.saturating_sub(before), Relaxed);
            };
            add(&counts.indexes, before.values.indexes, after.values.indexes);
            add(&counts.literals, before.values.literals, after.values.literals);
            add(&counts.entries, before.size.entries as u64, after.size.entries as u64);
            add(&counts.entry_bytes, before.size.bytes as u64, after.size.bytes as u64);
        }
    }

    /// All that was counted, in the text format of Prometheus.
    pub(super) fn render(&self) -> String {
        let mut page = String::new();
        self.family(&mut page, "calls", "Calls that were answered", |counts, out| {
            let outcomes = OUTCOMES.iter().zip(&counts.calls);
            outcomes.for_each(|(outcome, count)| out("outcome", outcome, count));
        });
        let directed: [(&str, &str, Directed); 5] = [
            ("bytes", "Bytes of envelopes", |it| &it.bytes),
            ("vocabulary_hits", "Values that were indexes into a retained vocabulary", |it| {
                &it.indexes
            }),
            ("vocabulary_entries", "Entries that were added to retained vocabularies", |it| {
                &it.entries
            }),
            ("vocabulary_bytes", "Bytes of these entries", |it| &it.entry_bytes),
            ("vocabulary_misses", "Values that were none, where a vocabulary is retained", |it| {
                &it.literals
            }),
        ];
        for (name, help, of) in directed {
            self.family(&mut page, name, help, |counts, out| {
                let directions = DIRECTIONS.iter().zip(of(counts));
                directions.for_each(|(direction, count)| out("direction", direction, count));
            });
        }
        page
    }

    /// One counter, of each profile that was met.
    fn family(
        &self,
        page: &mut String,
        name: &str,
        help: &str,
        each: impl Fn(&Counts, &mut dyn FnMut(&str, &str, &AtomicU64)),
    ) {
        _ = writeln!(page, "# HELP trunkline_soap_{name}_total {help}");
        _ = writeln!(page, "# TYPE trunkline_soap_{name}_total counter");
        for (index, counts) in self.profiles.iter().enumerate() {
            if counts.calls.iter().all(|it| it.load(Relaxed) == 0) {
                continue;
            }
            let labels = labels(index);
            each(counts, &mut |label, value, counter| {
                let count = counter.load(Relaxed);
                _ = writeln!(
                    page,
                    "trunkline_soap_{name}_total{{{labels},{label}=\"{value}\"}} {count}"
                );
            });
        }
    }
}

fn labels(position: usize) -> String {
    let (position, compression) = (position / COMPRESSIONS.len(), position % COMPRESSIONS.len());
    let encodings = MessageEncoding::ALL;
    let (position, encoding) = (position / encodings.len(), encodings[position % encodings.len()]);
    let (transport, version) = (position / VERSIONS.len(), position % VERSIONS.len());
    format!(
        "transport=\"{}\",soap=\"{}\",encoding=\"{}\",vocabulary=\"{}\",compression=\"{}\"",
        TRANSPORTS[transport],
        VERSIONS[version].1,
        encoding.name(),
        encoding.vocabulary(),
        COMPRESSIONS[compression]
    )
}
