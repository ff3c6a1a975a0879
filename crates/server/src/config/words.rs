//! Errors of the TOML reader, in the words of somebody who writes a configuration.

/// Types as serde names them, and what they are called in TOML.
const TYPES: &[(&str, &str)] = &[
    ("usize", "a whole number"),
    ("u64", "a whole number"),
    ("u32", "a whole number"),
    ("u16", "a whole number"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a sequence", "a list"),
    ("a map", "a table"),
    ("sequence", "a list"),
    ("map", "a table"),
];

/// `error`, a message of serde or toml, as one line without the words of Rust.
pub(super) fn plain(error: &str) -> String {
    let line = error.trim().replace('\n', ", ");
    if let Some((found, expected)) = mismatch(&line) {
        let most = most(expected).filter(|_| line.starts_with("invalid value: "));
        let expected = named(expected);
        let range = most.map_or(String::new(), |most| format!(" from 0 to {most}"));
        return format!("expected {expected}{range}, found {}", value(found));
    }
    line.replace("unknown field", "unknown key")
        .replace("missing field", "missing key")
        .replace("unknown variant", "unknown word")
}

/// What was found and what was expected, if a value has the wrong type.
fn mismatch(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("invalid type: ").or_else(|| line.strip_prefix("invalid value: "));
    rest?.rsplit_once(", expected ")
}

/// The highest value of a type of whole numbers.
fn most(expected: &str) -> Option<u64> {
    match expected {
        "u16" => Some(u16::MAX.into()),
        "u32" => Some(u32::MAX.into()),
        // As many types as TOML has.
        "u64" | "usize" => Some(i64::MAX as u64),
        _ => None,
    }
}

fn named(expected: &str) -> &str {
    if expected.starts_with("struct ") {
        return "a table";
    }
    TYPES.iter().find(|(name, _)| *name == expected).map_or(expected, |(_, words)| words)
}

/// `integer `5`` as 5, `string "many"` as "many".
fn value(found: &str) -> &str {
    let kinds = ["integer ", "floating point ", "boolean ", "string ", "character "];
    let value = kinds.iter().find_map(|kind| found.strip_prefix(kind));
    value.map_or_else(|| named(found), |value| value.trim_matches('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_as_toml_calls_them() {
        for (error, expected) in [
            (
                "invalid type: string \"many\", expected usize",
                "expected a whole number, found \"many\"",
            ),
            (
                "invalid value: integer `-1`, expected u16",
                "expected a whole number from 0 to 65535, found -1",
            ),
            ("invalid type: sequence, expected struct Router", "expected a table, found a list"),
            ("invalid type: map, expected a boolean", "expected true or false, found a table"),
            (
                "unknown field `a`, expected one of `b`, `c`",
                "unknown key `a`, expected one of `b`, `c`",
            ),
            ("no size: write, expected so", "no size: write, expected so"),
        ] {
            assert_eq!(plain(error), expected);
        }
    }
}
