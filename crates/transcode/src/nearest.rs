//! The name that was meant.

/// The name that was meant, if one is near enough.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wrong: Vec<char> = wrong.to_lowercase().chars().take(64).collect();
    let near = names.map(|name| (distance(&wrong, name), name)).min_by_key(|it| it.0);
    // One that has no letter of it is none.
    near.filter(|it| it.0 <= wrong.len().max(3) / 3 && it.0 < wrong.len()).map(|it| it.1)
}

/// How many letters differ (Levenshtein).
fn distance(wrong: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=wrong.len()).collect();
    for letter in name.to_lowercase().chars().take(64) {
        let mut diagonal = row[0];
        row[0] += 1;
        for (index, other) in wrong.iter().enumerate() {
            let replaced = diagonal + usize::from(*other != letter);
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(row[index] + 1).min(diagonal + 1);
        }
    }
    row[wrong.len()]
}
