//! Documents at random.

use trunkline_random::Random;

use super::{Fact, FullName};

/// Prefixes and what they are declared for, wherever that is.
const DECLARED: [(&str, &str); 4] =
    [("", ""), ("p", "urn:p"), ("q", "urn:q&"), ("xy", "urn:other")];

fn text(random: &mut Random) -> String {
    const TEXTS: &[&str] = &[
        "1",
        "2",
        "CBG",
        "6.35",
        "2004-08-01",
        "10:18:58",
        "12 34 56 78",
        "Größe",
        "日本",
        "😀",
        " \n\t",
        "a&<>\r",
        "a text that is longer than what becomes an entry of the vocabulary",
    ];
    match random.index(12) {
        0 => "x".repeat(random.index(700)),
        1 => random.index(100_000).to_string(),
        _ => TEXTS[random.index(TEXTS.len())].to_owned(),
    }
}

fn name(random: &mut Random) -> FullName {
    let parts = match random.index(3) {
        0 => ["", "", "a"],
        1 => ["p", "urn:p", "b"],
        _ => ["q", "urn:q&", "ü"],
    };
    let [prefix, namespace, local] = parts.map(str::to_owned);
    FullName(prefix, namespace, format!("{local}{}", random.index(40)))
}

fn element(random: &mut Random, depth: usize, facts: &mut Vec<Fact>) {
    let declarations = DECLARED
        .into_iter()
        .filter(|_| random.index(4) == 0)
        .map(|(prefix, name)| (prefix.to_owned(), name.to_owned()))
        .collect();
    let mut attributes: Vec<(FullName, String)> = Vec::new();
    for _ in 0..random.index(4) {
        let name = name(random);
        if attributes.iter().all(|(other, _)| *other != name) {
            attributes.push((name, text(random)));
        }
    }
    facts.push(Fact::Start { name: name(random), declarations, attributes });
    for _ in 0..random.index(5) {
        match random.index(3) {
            0 if depth > 0 => element(random, depth - 1, facts),
            1 => element(random, 0, facts),
            _ if matches!(facts.last(), Some(Fact::Text(_))) => {}
            _ => facts.push(Fact::Text(text(random))),
        }
    }
    facts.push(Fact::End);
}

/// A document, all of whose prefixes are declared.
pub fn facts(random: &mut Random) -> Vec<Fact> {
    let mut facts = Vec::new();
    element(random, 4, &mut facts);
    facts.retain(|fact| *fact != Fact::Text(String::new()));
    if let Some(Fact::Start { declarations, .. }) = facts.first_mut() {
        declarations.retain(|(prefix, _)| prefix.is_empty());
        let all = DECLARED[1..].iter();
        declarations.extend(all.map(|(prefix, name)| ((*prefix).into(), (*name).into())));
    }
    facts
}
