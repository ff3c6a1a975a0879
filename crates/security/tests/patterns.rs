//! Containment and overlap of patterns beside the router's own matcher, over generated patterns and topics.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use trunkline_router::{Matcher, check_pattern, patterns_overlap as overlaps};
use trunkline_security::contains;

/// Few words, so that patterns meet; none is near the limits of a topic's length, where `a*` can have no more room
/// for another byte.
const WORDS: [&str; 6] = ["a", "ab", "abc", "b", "$", "$a"];

fn level() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        2 => prop::sample::select(&WORDS[..]).prop_map(|word| format!("{word}*")),
        2 => Just("*".to_owned()),
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    (prop::collection::vec(level(), 0..4), any::<bool>()).prop_map(|(mut levels, is_open)| {
        if is_open || levels.is_empty() {
            levels.push(">".to_owned());
        }
        levels.join("/")
    })
}

/// Every topic of up to five levels that can show a difference between two patterns of these words: literal levels,
/// levels that are longer than each prefix, and ones that no pattern names.
fn topics() -> Vec<String> {
    let levels = ["a", "ab", "abc", "abcd", "ax", "b", "bx", "x", "$", "$a", "$ax", "$x"];
    let mut all: Vec<String> = levels.iter().map(|level| (*level).to_owned()).collect();
    let mut last = all.clone();
    for depth in 1..5 {
        // Below, a few are as good as all: patterns treat each level alike.
        let next = if depth < 3 { &levels[..] } else { &levels[..2] };
        last = last
            .iter()
            .flat_map(|topic| next.iter().map(move |level| format!("{topic}/{level}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Which topics a pattern matches, as the router has it.
fn matched(pattern: &str, topics: &[String]) -> Vec<bool> {
    check_pattern(pattern).expect("a pattern");
    let mut matcher = Matcher::new();
    matcher.insert(pattern, 1);
    let mut found = Vec::new();
    let of = |topic: &String| {
        found.clear();
        matcher.matches(topic, &mut found);
        !found.is_empty()
    };
    topics.iter().map(of).collect()
}

#[test]
fn containment_and_overlap_are_those_of_the_matcher() {
    let topics = topics();
    let config = Config { cases: 3_000, rng_seed: RngSeed::Fixed(7), ..Config::default() };
    let seen = std::cell::Cell::new((0_u32, 0_u32));
    proptest!(config, |(one in pattern(), other in pattern())| {
        let (a, b) = (matched(&one, &topics), matched(&other, &topics));
        let all = b.iter().zip(&a).all(|(other, one)| *one || !*other);
        prop_assert_eq!(contains(&one, &other), all, "{} contains {}", one, other);
        let any = b.iter().zip(&a).any(|(other, one)| *one && *other);
        prop_assert_eq!(overlaps(&one, &other), any, "{} overlaps {}", one, other);
        prop_assert_eq!(overlaps(&other, &one), any, "the other way round");
        let (contained, overlapping) = seen.get();
        seen.set((contained + u32::from(all), overlapping + u32::from(any)));
    });
    let (contained, overlapping) = seen.get();
    assert!(contained > 100 && overlapping > 300, "{contained} {overlapping}: the cases are rare");
}

#[test]
fn cases_that_matter() {
    let inside = [
        (">", "fx/>"),
        (">", "*"),
        (">", "*/>"),
        ("fx/>", "fx/*"),
        ("fx/>", "fx/EUR*/spot"),
        ("fx/*", "fx/EUR*"),
        ("fx/EUR*", "fx/EURUSD"),
        ("fx/EUR*", "fx/EUR"),
        ("fx/EUR*", "fx/EURU*"),
        ("a/*", "a/$b"),
        ("$*", "$SYS"),
        ("$*/>", "$SYS/>"),
        ("fx/EURUSD", "fx/EURUSD"),
    ];
    for (outer, inner) in inside {
        assert!(contains(outer, inner), "{inner} lies in {outer}");
        assert!(overlaps(outer, inner) && overlaps(inner, outer), "{inner} and {outer}");
    }
    let outside = [
        ("fx/>", ">"),
        ("fx/>", "*/EURUSD"),
        ("fx/>", "fx"),
        ("fx/>", "f*/>"),
        ("fx/*", "fx/>"),
        ("*/>", ">"),
        ("fx/EURUSD", "fx/EUR*"),
        ("fx/EURU*", "fx/EUR*"),
        ("fx/EUR*", "fx/*"),
        (">", "$SYS/>"),
        ("*", "$SYS"),
        ("*/x", "$S*/x"),
        (">", "$*"),
    ];
    for (outer, inner) in outside {
        assert!(!contains(outer, inner), "{inner} does not lie in {outer}");
    }
    for (one, other) in [(">", "$SYS/>"), ("a*", "b*"), ("a/*", "a"), ("a/b", "*/c"), ("a*", "A")] {
        assert!(!overlaps(one, other) && !overlaps(other, one), "{one} and {other}");
    }
}
