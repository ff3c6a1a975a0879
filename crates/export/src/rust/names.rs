//! Names as Rust has them.

use std::collections::HashSet;

/// What a type may not be called: types that the module names, and those that a derive tells by their names.
const TYPES: [&str; 24] = [
    "Any",
    "BigDecimal",
    "BigInteger",
    "Box",
    "Code",
    "Date",
    "Decimal",
    "Duration",
    "Err",
    "Group",
    "Message",
    "None",
    "Ok",
    "Option",
    "Result",
    "Self",
    "Send",
    "Some",
    "String",
    "Sync",
    "Text",
    "Time",
    "Timestamp",
    "Vec",
];

const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Keywords that are none even with `r#` before them.
const NEVER: [&str; 4] = ["self", "super", "crate", "_"];

/// Names that are taken in one place.
#[derive(Debug, Default)]
pub(super) struct Taken(HashSet<String>);

impl Taken {
    /// Those of types of a module.
    pub(super) fn of_types() -> Self {
        Self(TYPES.map(str::to_owned).into())
    }

    /// The name, or with a number behind it the first that is not taken.
    fn untaken(&mut self, name: &str, between: &str) -> String {
        let (mut found, mut count) = (name.to_owned(), 1);
        while !self.0.insert(found.clone()) {
            count += 1;
            found = format!("{name}{between}{count}");
        }
        found
    }

    /// A type, or a variant of an enum: `NewOrderSingle`.
    pub(super) fn camel(&mut self, name: &str, otherwise: &str) -> String {
        let mut made: String = words(name).iter().map(|it| capitalized(it)).collect();
        if !made.starts_with(char::is_alphabetic) {
            made.insert_str(0, otherwise);
        }
        if made == "Self" {
            made.push_str("Value");
        }
        self.untaken(&made, "")
    }

    /// A field or a function: `cl_ord_id`, `r#type`.
    pub(super) fn snake(&mut self, name: &str, otherwise: &str) -> String {
        let words: Vec<String> = words(name).iter().map(|it| it.to_lowercase()).collect();
        let mut made = words.join("_");
        if !made.starts_with(char::is_alphabetic) {
            made =
                if made.is_empty() { otherwise.to_owned() } else { format!("{otherwise}_{made}") };
        }
        if NEVER.contains(&&*made) {
            made.push('_');
        }
        let found = self.untaken(&made, "_");
        if KEYWORDS.contains(&&*found) { format!("r#{found}") } else { found }
    }
}

/// The words of a name: `MDEntryPx` has `MD`, `Entry` and `Px`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let characters: Vec<char> = name.chars().collect();
    for (at, character) in characters.iter().enumerate() {
        if !is_part(*character) {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).map(|it| characters[it]);
        let behind = characters.get(at + 1);
        let is_lower = |it: char| is_part(it) && !it.is_uppercase();
        let begins = character.is_uppercase()
            && before.is_some_and(|before| {
                is_lower(before)
                    || before.is_uppercase() && behind.is_some_and(|it| it.is_lowercase())
            });
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(*character);
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

/// May it stand in a name of Rust? Not all letters may that messages allow.
fn is_part(character: char) -> bool {
    let is_known = matches!(character,
        '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{481}'
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}');
    character.is_ascii_alphanumeric() || is_known && character.is_alphabetic()
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    let Some(first) = characters.next() else { return String::new() };
    let rest = characters.as_str();
    // `USD` is `Usd`, as Rust has it.
    first.to_uppercase().chain(rest.to_lowercase().chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_names_of_rust() {
        let camel = |name| Taken::of_types().camel(name, "Type");
        assert_eq!(camel("NewOrderSingle"), "NewOrderSingle");
        assert_eq!(camel("GOOD_TILL_CANCEL"), "GoodTillCancel");
        assert_eq!(camel("order-item.2"), "OrderItem2");
        assert_eq!(camel("24h"), "Type24h");
        assert_eq!(
            (&*camel("Date"), &*camel("self"), &*camel("Straße")),
            ("Date2", "SelfValue", "Straße")
        );
        let snake = |name| Taken::default().snake(name, "field");
        assert_eq!(snake("MDEntryPx"), "md_entry_px");
        assert_eq!(snake("ClOrdID"), "cl_ord_id");
        assert_eq!(
            (&*snake("type"), &*snake("Self"), &*snake("-"), &*snake("2nd")),
            ("r#type", "self_", "field", "field_2nd")
        );
        let mut taken = Taken::default();
        assert_eq!([taken.snake("a-b", "f"), taken.snake("aB", "f")], ["a_b", "a_b_2"]);
    }
}
