//! Notes as attributes.

use trunkline_message::is_name;

/// Where an attribute stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Struct,
    Choice,
    Enumeration,
    Member,
    Arm,
    /// A value of an enumeration.
    Value,
}

/// The lines of attributes that say these notes: one a format. A default is said elsewhere.
///
/// # Errors
/// The note that no attribute says.
pub(super) fn attributes<'a>(
    place: Place,
    notes: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
) -> Result<Vec<String>, String> {
    let mut formats: Vec<(&str, Vec<String>)> = Vec::new();
    for (format, word, value) in notes.filter(|it| it.0 != "field") {
        let Some(shown) = shown(place, format, word, value) else {
            return Err(format!("no attribute says the note {format}({word} = {value:?}) there"));
        };
        match formats.iter_mut().find(|it| it.0 == format) {
            Some(known) => known.1.push(shown),
            None => formats.push((format, vec![shown])),
        }
    }
    let line = |(format, words): (&str, Vec<String>)| match is_own(format) {
        true => format!("#[{format}({})]", words.join(", ")),
        false => format!("#[note({format}({}))]", words.join(", ")),
    };
    Ok(formats.into_iter().map(line).collect())
}

/// Has the format an attribute of its name?
fn is_own(format: &str) -> bool {
    matches!(format, "fix" | "xml" | "cdr" | "facet")
}

fn shown(place: Place, format: &str, word: &str, value: &str) -> Option<String> {
    use Place::{Arm, Choice, Enumeration, Member, Struct, Value};
    let text = || Some(format!("{word} = {value:?}"));
    let filled = || text().filter(|_| !value.is_empty());
    let number = || value.parse::<u32>().ok().filter(|it| it.to_string() == value);
    let number = || number().map(|it| format!("{word} = {it}"));
    match (place, format, word) {
        (Struct, "fix", "message_type") | (Struct, "xml", "type") => filled(),
        (Struct, "xml", "order") => text().filter(|_| value == "any"),
        (Struct | Enumeration | Member | Arm, "xml", "type_namespace") => text(),
        (Struct | Choice | Member | Arm, "xml", "namespace") => text(),
        (Struct | Choice | Member | Arm, "xml", "form") => {
            text().filter(|_| matches!(value, "qualified" | "unqualified"))
        }
        (Choice | Member, "xml", "choice") => {
            text().filter(|_| matches!(value, "element" | "type"))
        }
        (Choice, "cdr", "switch") | (Arm, "cdr", "label") | (Value, "fix", "code") => filled(),
        // The others frame every message.
        (Member | Arm, "fix", "tag" | "length") => {
            let is_free = |it: i32| it > 0 && !matches!(it, 8 | 9 | 10 | 35);
            number().filter(|_| value.parse().is_ok_and(is_free))
        }
        (Member | Arm, "xml", "name" | "entry" | "type") => filled(),
        (Member, "xml", "list") => match value {
            "unwrapped" | "spaced" => Some(value.to_owned()),
            "repeated" | "arms" | "mixed" => text(),
            _ => None,
        },
        (Member | Arm, "xml", "dimensions") => filled(),
        (Member, "xml", "kind") if value == "attribute" => Some(value.to_owned()),
        (Member | Arm, "xml", "kind") if matches!(value, "text" | "element") => {
            Some(value.to_owned())
        }
        (Member, "xml", "nillable") | (Arm, "xml", "base") => {
            (value == "true").then(|| word.to_owned())
        }
        (Member | Arm, "xml", "white_space") => {
            text().filter(|_| matches!(value, "replace" | "collapse"))
        }
        (Member | Arm, "xml", "empty") => filled(),
        (Member | Arm, "facet", _) => match word {
            "min_inclusive" | "max_inclusive" | "min_exclusive" | "max_exclusive" | "values"
            | "pattern" | "max_items_inside" => filled(),
            "length" | "min_length" | "max_length" | "items" | "min_items" | "max_items"
            | "total_digits" | "fraction_digits" => number(),
            _ => None,
        },
        (Enumeration, ..) => None,
        _ if is_own(format) || format == "field" => None,
        _ => text().filter(|_| is_identifier(format) && is_identifier(word)),
    }
}

fn is_identifier(word: &str) -> bool {
    is_name(word) && word.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}
