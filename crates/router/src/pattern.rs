//! What two patterns have in common.

/// Whether there may be a topic that both patterns match.
///
/// ```
/// use trunkline_router::patterns_overlap;
///
/// assert!(patterns_overlap("fx/*", "fx/EURUSD") && patterns_overlap("fx/>", "*/*/spot"));
/// assert!(!patterns_overlap("fx/*", "fx/EURUSD/spot") && !patterns_overlap(">", "$SYS/x"));
/// ```
pub fn patterns_overlap(one: &str, other: &str) -> bool {
    let (mut ones, mut others) = (one.split('/'), other.split('/'));
    let mut is_first = true;
    loop {
        let (one, other) = match (ones.next(), others.next()) {
            (Some(one), Some(other)) => (one, other),
            (None, None) => return true,
            // `>` stands for one level or more.
            _ => return false,
        };
        let reserved = [one, other].map(|level| is_first && level.starts_with('$'));
        let is_wildcard = |level| matches!(level, "*" | ">");
        // No wildcard matches the first level of the router's own topics.
        if reserved[0] && is_wildcard(other) || reserved[1] && is_wildcard(one) {
            return false;
        }
        if one == ">" || other == ">" {
            return true;
        }
        if !levels_overlap(one, other) {
            return false;
        }
        is_first = false;
    }
}

/// Whether there may be a level that is as both say.
fn levels_overlap(one: &str, other: &str) -> bool {
    match (one.strip_suffix('*'), other.strip_suffix('*')) {
        (None, None) => one == other,
        (Some(prefix), None) => other.starts_with(prefix),
        (None, Some(prefix)) => one.starts_with(prefix),
        (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Matcher, check_pattern};

    /// Patterns of up to three levels over few words, so that many have something in common.
    fn patterns() -> impl Strategy<Value = String> {
        let level = prop::sample::select(vec!["a", "ab", "b", "$a", "*", "a*", "ab*", "$*", ">"]);
        prop::collection::vec(level, 1..4)
            .prop_map(|levels| levels.join("/"))
            .prop_filter("a pattern", |it| check_pattern(it).is_ok())
    }

    /// All topics of up to three levels over words that tell the levels of the patterns apart.
    fn topics() -> Vec<String> {
        let words = ["a", "ab", "abc", "ac", "b", "$a", "$", "c"];
        let mut all: Vec<String> = words.iter().map(|&it| it.to_owned()).collect();
        let mut longest = all.clone();
        for _ in 1..3 {
            let longer = longest.iter().flat_map(|it| words.map(|word| format!("{it}/{word}")));
            longest = longer.collect();
            all.extend_from_slice(&longest);
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn patterns_overlap_where_the_matcher_finds_a_topic_of_both(
            pairs in prop::collection::vec((patterns(), patterns()), 64),
        ) {
            let topics = topics();
            for (one, other) in pairs {
                let mut matcher = Matcher::new();
                matcher.insert(&one, 1);
                matcher.insert(&other, 2);
                let has_both = topics.iter().any(|topic| {
                    let mut found = Vec::new();
                    matcher.matches(topic, &mut found);
                    found.len() == 2
                });
                prop_assert_eq!(patterns_overlap(&one, &other), has_both, "{} {}", one, other);
                prop_assert_eq!(patterns_overlap(&other, &one), has_both, "{} {}", other, one);
            }
        }
    }
}
