//! A strict reader of OpenMetrics.

use std::collections::{HashMap, HashSet};

/// A family of metrics as the text declares it.
struct Family {
    kind: String,
    unit: String,
}

/// Reads a text, and rejects what the specification (OpenMetrics 1.0) does not allow. Gives the
/// samples by name and labels, as they stand in the text.
pub(super) fn read(text: &str) -> Result<HashMap<String, f64>, String> {
    let body = text.strip_suffix("# EOF\n").ok_or("the text does not end in # EOF")?;
    let mut families: HashMap<String, Family> = HashMap::new();
    let mut samples = HashMap::new();
    let mut current = String::new();
    for line in body.split_terminator('\n') {
        if let Some(rest) = line.strip_prefix("# ") {
            let mut words = rest.splitn(3, ' ');
            let (Some(word), Some(name), Some(value)) = (words.next(), words.next(), words.next())
            else {
                return Err(format!("{line}: three words"));
            };
            metadata(&mut families, &mut current, word, name, value)
                .map_err(|problem| format!("{line}: {problem}"))?;
        } else {
            let (key, value) = sample(line).map_err(|problem| format!("{line}: {problem}"))?;
            let name = key.split('{').next().expect("a name");
            let family = families.get(&current).ok_or(format!("{line}: no family"))?;
            belongs(name, &current, family).map_err(|problem| format!("{line}: {problem}"))?;
            if family.kind == "counter" && (value.is_nan() || value < 0.0) {
                return Err(format!("{line}: a counter below zero"));
            }
            if samples.insert(key, value).is_some() {
                return Err(format!("{line}: a second time"));
            }
        }
    }
    for (name, _) in families.iter().filter(|(_, family)| family.kind == "histogram") {
        histogram(name, body, &samples).map_err(|problem| format!("{name}: {problem}"))?;
    }
    Ok(samples)
}

/// Buckets rise, in bound and count, to that of everything.
fn histogram(name: &str, text: &str, samples: &HashMap<String, f64>) -> Result<(), &'static str> {
    let bucket = format!("{name}_bucket{{le=\"");
    let buckets = text.lines().filter_map(|line| line.strip_prefix(&bucket)?.split_once("\"} "));
    let number = |text: &str| text.trim_start_matches('+').parse::<f64>().unwrap_or(f64::NAN);
    let buckets: Vec<(f64, f64)> =
        buckets.map(|(bound, count)| (number(bound), number(count))).collect();
    let count = samples.get(&format!("{name}_count")).ok_or("no count")?;
    if !samples.contains_key(&format!("{name}_sum")) {
        return Err("no sum");
    }
    if !buckets.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1) {
        return Err("buckets that do not rise");
    }
    match buckets.last() {
        Some((bound, all)) if *bound == f64::INFINITY && all == count => Ok(()),
        _ => Err("the last bucket is not that of everything"),
    }
}

fn metadata(
    families: &mut HashMap<String, Family>,
    current: &mut String,
    word: &str,
    name: &str,
    value: &str,
) -> Result<(), &'static str> {
    is_name(name)?;
    match word {
        "TYPE" => {
            if !["counter", "gauge", "histogram", "info"].contains(&value) {
                return Err("a type that is not known");
            }
            let family = Family { kind: value.to_owned(), unit: String::new() };
            if families.insert(name.to_owned(), family).is_some() {
                return Err("a family comes twice or in parts");
            }
            name.clone_into(current);
        }
        "UNIT" | "HELP" if name != current => return Err("not of the present family"),
        "UNIT" if !name.ends_with(&format!("_{value}")) => return Err("the name lacks the unit"),
        "UNIT" => value.clone_into(&mut families.get_mut(name).expect("it is there").unit),
        "HELP" if value.is_empty() => return Err("no help"),
        "HELP" => {}
        _ => return Err("metadata that is not known"),
    }
    Ok(())
}

fn belongs(name: &str, family: &str, of: &Family) -> Result<(), &'static str> {
    let suffixes: &[&str] = match &*of.kind {
        "counter" => &["_total"],
        "info" => &["_info"],
        "histogram" => &["_bucket", "_count", "_sum"],
        _ => &[""],
    };
    match suffixes.iter().any(|suffix| name == format!("{family}{suffix}")) {
        true => Ok(()),
        false => Err("the name is not one of the family"),
    }
}

fn is_name(name: &str) -> Result<(), &'static str> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '_';
    match !name.is_empty() && name.chars().all(is_part) {
        true => Ok(()),
        false => Err("not a name"),
    }
}

/// A sample's name with its labels, and its value.
fn sample(line: &str) -> Result<(String, f64), &'static str> {
    let name: String = line.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
    is_name(&name)?;
    let mut rest = &line[name.len()..];
    let mut seen = HashSet::new();
    if let Some(mut labels) = rest.strip_prefix('{') {
        loop {
            let (label, value) = labels.split_once("=\"").ok_or("a label without a value")?;
            is_name(label)?;
            if !seen.insert(label) {
                return Err("a label twice");
            }
            labels = &value[quoted(value)?..];
            match labels.strip_prefix(',') {
                Some(more) => labels = more,
                None => break,
            }
        }
        rest = labels.strip_prefix('}').ok_or("labels without an end")?;
    }
    let value = rest.strip_prefix(' ').ok_or("no space before the value")?;
    let number: f64 = value.parse().map_err(|_| "not a number")?;
    Ok((line[..line.len() - rest.len()].to_owned(), number))
}

/// The length of a label's value with its closing quote.
fn quoted(value: &str) -> Result<usize, &'static str> {
    let mut characters = value.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Ok(at + 1),
            '\\' => match characters.next() {
                Some((_, '\\' | '"' | 'n')) => {}
                _ => return Err("an escape that is not known"),
            },
            _ => {}
        }
    }
    Err("a label's value without an end")
}

#[test]
fn the_reader_is_strict() {
    for text in [
        "a 1\n# EOF\n",
        "# TYPE a gauge\na 1\n",
        "# TYPE a gauge\na 1\na 2\n# EOF\n",
        "# TYPE a counter\na 1\n# EOF\n",
        "# TYPE a gauge\n# TYPE b gauge\na 1\n# EOF\n",
        "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
        "# TYPE a gauge\na{b=\"\\x\"} 1\n# EOF\n",
        "# TYPE a gauge\na{b=\"x} 1\n# EOF\n",
        "# TYPE a gauge\na{b=\"x\",b=\"y\"} 1\n# EOF\n",
        "# TYPE a gauge\n\n# EOF\n",
        "# TYPE a gauge\na one\n# EOF\n",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}
