//! What it costs to find the subscriptions of a topic: by the number of subscriptions, by levels, and
//! with many prefixes at one level.
//!
//! `cargo bench -p trunkline-router --bench matcher`; the median of passes, over random topics.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use trunkline_router::{Matcher, Topics};

const PASSES: usize = 15;
const MATCHES: usize = 20_000;
const COUNTS: [usize; 4] = [1, 1_000, 100_000, 500_000];

/// Nanoseconds of one call; the median of the passes. The topics come in a scattered order.
fn measure(topics: &[String], mut call: impl FnMut(&str)) -> f64 {
    let mut passes: Vec<f64> = (0..PASSES)
        .map(|pass| {
            let mut at = pass * 7919;
            let start = Instant::now();
            for _ in 0..MATCHES {
                at = (at + 48_271) % topics.len();
                call(&topics[at]);
            }
            start.elapsed().as_nanos() as f64 / MATCHES as f64
        })
        .collect();
    passes.sort_by(f64::total_cmp);
    passes[PASSES / 2]
}

fn matching(matcher: &Matcher, topics: &[String]) -> f64 {
    let mut found = Vec::new();
    measure(topics, |topic| {
        found.clear();
        matcher.matches(topic, &mut found);
        assert!(!found.is_empty());
        black_box(&found);
    })
}

/// The name of the topic with a number: `levels` levels, of which the last differ.
fn name(index: usize, levels: usize) -> String {
    let mut name = format!("{:03}", index % 701);
    for _ in 2..levels {
        name.push_str("/spot");
    }
    name + &format!("/{index:06}")
}

fn row(what: &str, of: impl Fn(usize) -> f64) {
    print!("{what:32}");
    for count in COUNTS {
        print!("{:>12.0}", of(count));
    }
    println!();
}

fn filled(count: usize, pattern: impl Fn(usize) -> String) -> Matcher {
    let mut matcher = Matcher::new();
    for index in 0..count {
        matcher.insert(&pattern(index), index as u32);
    }
    matcher
}

fn main() {
    println!(
        "ns a match, by subscriptions     {:>11}{:>12}{:>12}{:>12}",
        1, 1000, 100_000, 500_000
    );
    for levels in [2, 4, 8, 16] {
        row(&format!("exact, {levels} levels"), |count| {
            let topics: Vec<String> = (0..count).map(|index| name(index, levels)).collect();
            matching(&filled(count, |index| topics[index].clone()), &topics)
        });
    }
    row("one level a star, 4 levels", |count| {
        let topics: Vec<String> = (0..count).map(|index| name(index, 4)).collect();
        matching(&filled(count, |index| topics[index].replacen("spot", "*", 1)), &topics)
    });
    row("the rest, 4 levels", |count| {
        let topics: Vec<String> = (0..count).map(|index| name(index, 4) + "/x").collect();
        matching(&filled(count, |index| name(index, 4) + "/>"), &topics)
    });
    row("prefixes, all at one level", |count| {
        let topics: Vec<String> = (0..count).map(|index| format!("fx/{index:06}EUR")).collect();
        matching(&filled(count, |index| format!("fx/{index:06}*")), &topics)
    });
    row("the number of a name, 4 levels", |count| {
        let names: Vec<String> = (0..count).map(|index| name(index, 4)).collect();
        let mut topics = Topics::new(count);
        for name in &names {
            topics.intern(name).expect("within the limit");
        }
        measure(&names, |name| {
            black_box(topics.find(name));
        })
    });
}
