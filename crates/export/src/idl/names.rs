//! Names as IDL has them: ASCII, and told apart without regard to case (CORBA 3.4 part 1, 7.2.3).

use std::collections::{HashMap, HashSet};

const KEYWORDS: &str = "abstract any attribute boolean case char component const consumes context custom default double \
     eventtype emits enum exception factory false finder fixed float getraises home import in inout interface local long \
     manages mirrorport module multiple native object octet oneway out port porttype primarykey private provides public \
     publishes raises readonly setraises sequence short string struct supports switch true truncatable typedef typeid \
     typename typeprefix unsigned union uses valuebase valuetype void wchar wstring";

/// The names that are taken in each scope, in lower case.
#[derive(Debug, Default)]
pub(super) struct Taken(HashMap<String, HashSet<String>>);

impl Taken {
    /// The name like this one that nothing else of a scope has; takes it.
    pub(super) fn take(&mut self, scope: &str, name: &str) -> String {
        let taken = self.0.entry(scope.to_owned()).or_default();
        let name = identifier(name);
        let (mut found, mut count) = (name.clone(), 1);
        while !taken.insert(found.to_ascii_lowercase()) {
            count += 1;
            found = format!("{name}_{count}");
        }
        found
    }

    /// Is none of these taken in the scope?
    pub(super) fn are_free(&self, scope: &str, names: &[String]) -> bool {
        let taken = self.0.get(scope);
        let mut own = HashSet::new();
        names.iter().all(|it| {
            let it = it.to_ascii_lowercase();
            taken.is_none_or(|taken| !taken.contains(&it)) && own.insert(it)
        })
    }
}

/// The name that is one of IDL's and like this one.
pub(super) fn identifier(name: &str) -> String {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let name: String = name.chars().map(|it| if is_part(it) { it } else { '_' }).collect();
    match name.starts_with(|it: char| it.is_ascii_alphabetic()) {
        true => name,
        false => format!("m{name}"),
    }
}

/// As it is written: with an underscore before what would be a keyword.
pub(super) fn written(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    match KEYWORDS.split_ascii_whitespace().any(|it| it == lower) {
        true => format!("_{name}"),
        false => name.to_owned(),
    }
}

/// Where a type is named in text that is not resolved yet, its module and name stand between these.
const MARK: char = '\u{1}';

/// A type by its module and name, until it is known what hides it.
pub(super) fn reference(module: &str, name: &str) -> String {
    format!("{MARK}{module}::{name}{MARK}")
}

/// Text whose types are named as the module sees them in a scope of these names, in lower case.
pub(super) fn resolved(text: &str, module: &str, hidden: &HashSet<String>) -> String {
    let mut out = String::new();
    for (index, part) in text.split(MARK).enumerate() {
        if index.is_multiple_of(2) {
            out.push_str(part);
            continue;
        }
        let (of, name) = part.rsplit_once("::").unwrap_or(("", part));
        let is_hidden = of != module || hidden.contains(&name.to_ascii_lowercase());
        let steps = of.split("::").filter(|it| !it.is_empty()).chain([name]).map(written);
        match is_hidden {
            true => steps.for_each(|it| {
                out.push_str("::");
                out.push_str(&it);
            }),
            false => out.push_str(&written(name)),
        }
    }
    out
}

/// Text for a name, of text that names types.
pub(super) fn joined(text: &str) -> String {
    let is_part = |it: char| it.is_ascii_alphanumeric();
    let mut out = String::new();
    let plain: String =
        text.split(MARK).map(|it| it.rsplit_once("::").map_or(it, |it| it.1).to_owned()).collect();
    for word in plain.split(|it: char| !is_part(it)).filter(|it| !it.is_empty()) {
        let (first, rest) = word.split_at(1);
        out.push_str(&first.to_ascii_uppercase());
        out.push_str(rest);
    }
    out
}
