//! Whether a pattern matches a topic, as in a router.

/// `*` is any level, `EUR*` a level that begins so, and `>` as the last level one or more.
pub(super) fn matches(pattern: &str, topic: &str) -> bool {
    let (mut wanted, mut levels) = (pattern.split('/'), topic.split('/'));
    loop {
        match (wanted.next(), levels.next()) {
            (Some(">"), Some(_)) | (None, None) => return true,
            (Some(want), Some(level)) if is_level(want, level) => {}
            _ => return false,
        }
    }
}

fn is_level(want: &str, level: &str) -> bool {
    match want.strip_suffix('*') {
        Some(beginning) => level.starts_with(beginning),
        None => want == level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_router() {
        for (pattern, topic, expected) in [
            (">", "a/b", true),
            ("a/>", "a/b/c", true),
            ("a/>", "a", false),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("fx/EUR*/spot", "fx/EURUSD/spot", true),
            ("fx/EUR*", "fx/USDEUR", false),
            ("a", "a/b", false),
            ("a/b", "a/b", true),
        ] {
            assert_eq!(matches(pattern, topic), expected, "{pattern} {topic}");
        }
    }
}
