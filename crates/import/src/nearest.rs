//! Which name was meant where there is none as it was written.

/// The name that was meant, if one is near enough.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wrong: Vec<char> = wrong.to_lowercase().chars().take(64).collect();
    let near = names.map(|name| (distance(&wrong, name), name)).min_by_key(|it| it.0);
    // One that has no letter of it is none.
    near.filter(|it| it.0 <= wrong.len().max(3) / 3 && it.0 < wrong.len()).map(|it| it.1)
}

/// How many letters differ, two that have changed places as one of them (Levenshtein and Damerau).
fn distance(wrong: &[char], name: &str) -> usize {
    let name: Vec<char> = name.to_lowercase().chars().take(64).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=wrong.len()).collect();
    for (line, letter) in name.iter().enumerate() {
        let mut next = vec![line + 1];
        for (index, other) in wrong.iter().enumerate() {
            let replaced = row[index] + usize::from(other != letter);
            let mut least = replaced.min(row[index + 1] + 1).min(next[index] + 1);
            if line > 0 && index > 0 && *other == name[line - 1] && wrong[index - 1] == *letter {
                least = least.min(before[index - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[wrong.len()]
}

/// Names that are shown where there may be thousands.
const SHOWN: usize = 12;

/// That something has no message of a name, which it has, and which one was meant.
pub(crate) fn no_message(what: &str, name: &str, known: &[String]) -> String {
    let shown: Vec<&str> = known.iter().map(|it| &**it).take(SHOWN).collect();
    let more = match known.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    // Elements are called without their namespaces, too.
    let locals = known.iter().map(|it| it.rsplit_once('}').map_or(&**it, |it| it.1));
    let meant = nearest(name, known.iter().map(|it| &**it)).or_else(|| nearest(name, locals));
    let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
    format!("{what} has no message {name:?}; it has {}{more}{meant}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_and_what_was_meant_is_said() {
        let known = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            no_message("a.xml", "NewOrderSingel", &known(&["Logon", "NewOrderSingle"])),
            "a.xml has no message \"NewOrderSingel\"; it has Logon, NewOrderSingle; did you mean NewOrderSingle?"
        );
        let many: Vec<String> = (0..15).map(|it| format!("{{urn:a}}Element{it:02}")).collect();
        let said = no_message("a.xsd", "Elment07", &many);
        assert!(said.ends_with("Element11 and 3 more; did you mean Element07?"), "{said}");
        assert!(!no_message("a.xsd", "xyz", &many).contains("mean"));
        let meant = |wrong| nearest(wrong, ["item", "side", "size"].into_iter());
        assert_eq!(meant("itme"), Some("item"));
        assert_eq!(meant("SZIE"), Some("size"));
        assert_eq!((meant("time"), meant("mi")), (None, None));
    }
}
