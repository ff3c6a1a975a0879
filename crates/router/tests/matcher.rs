//! The matcher beside a naive twin, and the cases in which implementations differ.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use trunkline_router::{Matcher, Topics, check_pattern, check_topic};

/// Whether a pattern matches a topic, as the grammar says it, level by level.
fn naive(pattern: &str, topic: &str) -> bool {
    let patterns: Vec<&str> = pattern.split('/').collect();
    let topics: Vec<&str> = topic.split('/').collect();
    let first_is_wild = patterns[0] == "*" || patterns[0] == ">";
    if topic.starts_with('$') && first_is_wild {
        return false;
    }
    if patterns.len() > topics.len() {
        return false;
    }
    let is_open = patterns.last() == Some(&">");
    (is_open || patterns.len() == topics.len())
        && patterns.iter().zip(&topics).all(|(pattern, level)| match *pattern {
            "*" | ">" => true,
            _ => match pattern.strip_suffix('*') {
                Some(prefix) => level.starts_with(prefix),
                None => pattern == level,
            },
        })
}

fn matches(matcher: &Matcher, topic: &str) -> Vec<u32> {
    let mut found = Vec::new();
    matcher.matches(topic, &mut found);
    found.sort_unstable();
    found
}

fn is_match(pattern: &str, topic: &str) -> bool {
    check_pattern(pattern).expect("a pattern");
    let mut matcher = Matcher::new();
    matcher.insert(pattern, 7);
    let found = matches(&matcher, topic);
    assert!(found.is_empty() || found == [7]);
    assert_eq!(!found.is_empty(), naive(pattern, topic), "the twin on {pattern} and {topic}");
    !found.is_empty()
}

#[test]
fn cases_in_which_implementations_differ() {
    let matching = [
        ("a/>", "a/b"),
        ("a/>", "a/b/c"),
        (">", "a"),
        (">", "a/b/c"),
        ("*", "a"),
        ("a/*", "a/b"),
        ("a*/b", "a/b"),
        ("a*/b", "abc/b"),
        ("*/b", "a/b"),
        ("fx/EUR*/spot", "fx/EURUSD/spot"),
        ("fx/EUR*", "fx/EUR"),
        ("*/*/>", "a/b/c"),
        ("a*/>", "a/b"),
        ("$SYS/>", "$SYS/clients"),
        ("$S*/x", "$SYS/x"),
        ("a/*", "a/$b"),
        ("a*/*", "ab/$c"),
        ("a*/>", "ab/$c"),
        ("\u{20ac}*", "\u{20ac}\u{20ac}"),
    ];
    for (pattern, topic) in matching {
        assert!(is_match(pattern, topic), "{pattern} matches {topic}");
    }
    let others = [
        ("a/>", "a"),
        ("a/*", "a/b/c"),
        ("a/*", "a"),
        ("*", "a/b"),
        ("a*/b", "a/x/b"),
        ("a/b", "a/b/c"),
        ("a/b/c", "a/b"),
        ("fx/EUR*", "fx/EU"),
        ("fx/EUR*", "fx/EURUSD/spot"),
        ("EUR*", "eurusd"),
        (">", "$SYS/clients"),
        ("*/x", "$SYS/x"),
        ("*", "$SYS"),
        // The first byte of the euro sign begins the sign for the naira too.
        ("\u{20ac}*", "\u{20a6}"),
    ];
    for (pattern, topic) in others {
        assert!(!is_match(pattern, topic), "{pattern} does not match {topic}");
    }
}

#[test]
fn a_pair_is_there_once_and_goes_once() {
    let mut matcher = Matcher::new();
    assert!(matcher.insert("a/*", 1));
    assert!(!matcher.insert("a/*", 1));
    assert!(matcher.insert("a/*", 2));
    assert!(matcher.insert("a/b", 1));
    assert_eq!((matches(&matcher, "a/b"), matcher.len()), (vec![1, 1, 2], 3));
    assert!(!matcher.is_empty());
    assert!(matcher.remove("a/*", 1));
    assert!(!matcher.remove("a/*", 1));
    assert!(!matcher.remove("a/>", 2));
    assert!(!matcher.remove("a", 2));
    assert_eq!(matches(&matcher, "a/b"), [1, 2]);
    assert!(matcher.remove("a/*", 2) && matcher.remove("a/b", 1));
    assert!(matcher.is_empty() && matches(&matcher, "a/b").is_empty());
}

#[test]
fn a_deep_topic_is_no_trouble() {
    let topic = vec!["x"; 125].join("/");
    check_topic(&topic).expect("a topic");
    let stars = vec!["*"; 125].join("/");
    assert!(is_match(&topic, &topic) && is_match(&stars, &topic) && is_match("x/>", &topic));
    let deeper = vec!["x"; 200].join("/");
    assert!(is_match(">", &deeper), "a name that is no topic is followed as far as levels go");
}

fn level() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "ab", "abc", "aba", "\u{20ac}", "\u{20ac}b"])
}

fn topic() -> impl Strategy<Value = String> {
    let first = prop_oneof![9 => level(), 1 => Just("$a")];
    (first, prop::collection::vec(level(), 0..4))
        .prop_map(|(first, rest)| [vec![first], rest].concat().join("/"))
}

fn pattern() -> impl Strategy<Value = String> {
    let level = prop_oneof![
        4 => level().prop_map(str::to_owned),
        2 => level().prop_map(|prefix| format!("{prefix}*")),
        2 => Just("*".to_owned()),
        1 => Just("$a".to_owned()),
    ];
    (prop::collection::vec(level, 0..4), any::<bool>()).prop_map(|(mut levels, rest)| {
        if rest || levels.is_empty() {
            levels.push(">".to_owned());
        }
        levels.join("/")
    })
}

#[derive(Clone, Debug)]
enum Step {
    Insert(String, u32),
    /// One of those that are there.
    Remove(usize),
    RemoveOther(String, u32),
    Match(String),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (pattern(), 0..4_u32).prop_map(|(pattern, value)| Step::Insert(pattern, value)),
        2 => any::<usize>().prop_map(Step::Remove),
        1 => (pattern(), 0..4_u32).prop_map(|(pattern, value)| Step::RemoveOther(pattern, value)),
        4 => topic().prop_map(Step::Match),
    ]
}

fn config() -> Config {
    let rng_seed = RngSeed::Fixed(2012);
    Config { rng_seed, cases: 1000, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn the_matcher_finds_what_its_twin_finds(steps in prop::collection::vec(step(), 1..150)) {
        let mut matcher = Matcher::new();
        let mut twin: Vec<(String, u32)> = Vec::new();
        for step in steps {
            match step {
                Step::Insert(pattern, value) => {
                    prop_assert!(check_pattern(&pattern).is_ok());
                    let pair = (pattern, value);
                    let is_new = !twin.contains(&pair);
                    prop_assert_eq!(matcher.insert(&pair.0, value), is_new);
                    if is_new {
                        twin.push(pair);
                    }
                }
                Step::Remove(index) if !twin.is_empty() => {
                    let (pattern, value) = twin.swap_remove(index % twin.len());
                    prop_assert!(matcher.remove(&pattern, value));
                }
                Step::Remove(_) => {}
                Step::RemoveOther(pattern, value) => {
                    let pair = (pattern, value);
                    let place = twin.iter().position(|other| *other == pair);
                    prop_assert_eq!(matcher.remove(&pair.0, value), place.is_some());
                    place.map(|place| twin.swap_remove(place));
                }
                Step::Match(topic) => {
                    let fitting = twin.iter().filter(|(pattern, _)| naive(pattern, &topic));
                    let mut expected: Vec<u32> = fitting.map(|(_, value)| *value).collect();
                    expected.sort_unstable();
                    prop_assert_eq!(matches(&matcher, &topic), expected, "{}", topic);
                }
            }
            prop_assert_eq!(matcher.len(), twin.len());
        }
    }
}

/// The name of one of many topics: four levels.
fn many(index: u32) -> String {
    format!("fx/{}/{:05x}/{}", index % 50, index, index % 7)
}

#[test]
fn half_a_million_topics_and_half_a_million_subscriptions() {
    const COUNT: u32 = 500_000;
    let mut topics = Topics::new(COUNT as usize);
    let mut matcher = Matcher::new();
    for index in 0..COUNT {
        let name = many(index);
        let number = topics.intern(&name).expect("within the limit");
        let pattern = match index % 4 {
            0 => name,
            1 => format!("fx/{}/{index:05x}*/>", index % 50),
            2 => format!("fx/*/{index:05x}/*"),
            _ => format!("fx/{}/{index:05x}/>", index % 50),
        };
        assert!(matcher.insert(&pattern, number.0));
    }
    assert!(topics.intern("one/more").is_err());
    assert_eq!((topics.len(), matcher.len()), (500_000, 500_000));
    for index in (0..COUNT).step_by(97) {
        let name = many(index);
        let number = topics.find(&name).expect("it is there");
        assert_eq!(topics.name(number), name);
        assert_eq!(matches(&matcher, &name), [number.0]);
    }
}

#[test]
fn a_pattern_with_a_hundred_thousand_values_lets_each_go_quickly() {
    let mut matcher = Matcher::new();
    for value in 0..100_000 {
        assert!(matcher.insert("fx/>", value));
    }
    assert_eq!(matches(&matcher, "fx/EURUSD").len(), 100_000);
    for value in 0..100_000 {
        assert!(matcher.remove("fx/>", value));
    }
    assert!(matcher.is_empty());
}
