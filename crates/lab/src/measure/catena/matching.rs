//! What it costs to find the subscriptions of a topic: it should grow with levels, not with counts.

use std::hint::black_box;

use trunkline_router::Matcher;

use crate::measure::Setting;
use trunkline_bench::clock::thread_cpu_nanoseconds;
use trunkline_bench::row::Row;
use trunkline_experiment::definition::Matching;
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_random::Random;

/// Topics that are looked up in a repetition.
const TOPICS: usize = 1_024;

/// What a repetition lasts at least, in nanoseconds.
const LONG_ENOUGH: u64 = 1_000_000;

/// Patterns other than topics: one in so many.
const WILD: usize = 100;

/// A row for each number of levels and of subscriptions.
pub(super) fn rows(
    setting: &Setting<'_>,
    asked: &Matching,
    progress: &mut dyn FnMut(f64),
) -> Vec<Row> {
    let mut rows = Vec::new();
    let most = if setting.request.is_quick { 100_000 } else { u32::MAX };
    for (index, &levels) in asked.levels.iter().enumerate() {
        progress(index as f64 / asked.levels.len() as f64);
        for &count in asked.subscriptions.iter().filter(|count| **count <= most) {
            let costs = costs(levels, count, setting.repetitions());
            let case = Matching::case(levels, count);
            let profile = "none/native/opaque/none/none (one thread)";
            let row = setting.row(&case, TRUNKLINE, profile, "cpu-time", "ns");
            rows.push(row.bounded(&costs));
        }
    }
    rows
}

/// The name of a topic: the last level tells them apart, those before it come in a few shapes.
fn topic(levels: u32, number: u32) -> String {
    let mut name = String::from("fx");
    for level in 1..levels {
        match level + 1 == levels {
            true => name.push_str(&format!("/{number}")),
            false => name.push_str(&format!("/level{}", number / 7 % 50)),
        }
    }
    if levels == 1 { format!("fx{number}") } else { name }
}

/// CPU time of a look-up, in nanoseconds, one value a repetition. One subscription in a hundred has a
/// wildcard.
fn costs(levels: u32, count: u32, repetitions: u32) -> Vec<f64> {
    let mut matcher = Matcher::new();
    for number in 0..count {
        let name = topic(levels, number);
        let pattern = match (number as usize).is_multiple_of(WILD) && levels > 1 {
            true => format!("{}*", &name[..name.len() - 1]),
            false => name,
        };
        matcher.insert(&pattern, number);
    }
    let mut random = Random::new(7);
    let topics: Vec<String> =
        (0..TOPICS).map(|_| topic(levels, random.below(count.into()) as u32)).collect();
    let mut found = Vec::new();
    let mut cost = || {
        let (start, mut done) = (thread_cpu_nanoseconds(), 0);
        loop {
            for topic in &topics {
                found.clear();
                matcher.matches(black_box(topic), &mut found);
                black_box(&found);
            }
            done += topics.len();
            let taken = thread_cpu_nanoseconds() - start;
            if taken >= LONG_ENOUGH {
                return taken as f64 / done as f64;
            }
        }
    };
    cost();
    (0..repetitions).map(|_| cost()).collect()
}
