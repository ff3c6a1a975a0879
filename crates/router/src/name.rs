//! Names of clients, durable subscriptions and identities, as patterns of them have it.

/// Whether a name fits a pattern in which `*` stands for any characters, or none.
#[must_use]
pub fn name_fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("slow", "slow"),
            ("slow*", "slow"),
            ("slow*", "slow-7"),
            ("*", ""),
            ("*gui*", "fx gui 3"),
            ("a*b*c", "a-b-b-c"),
            ("", ""),
        ] {
            assert!(name_fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("slow", "slow-7"), ("slow*", "a slow"), ("ab*ba", "aba"), ("a*b*c", "acb"), ("", "x")]
        {
            assert!(!name_fits(pattern, name), "{pattern} {name}");
        }
    }
}
