//! Structs, unions, enumerations and arrays, each declared before it is used.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use trunkline_message::{Body, IntegerKind, Kind, Need};

use super::TARGET;
use super::names::{Taken, identifier, joined, reference, resolved, written};
use crate::changes::Changes;
use crate::types::{Graph, Type};

/// What is declared of a type: it, or a struct of which every member may be absent, as one of a component that is there
/// if anything in it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    of: usize,
    is_implied: bool,
}

/// What may be said of values: how many items, or how long a text is.
#[derive(Clone, Default)]
struct Bounds<'a> {
    /// Of lists in one another, the outermost first.
    items: Vec<Option<&'a str>>,
    length: Option<&'a str>,
}

impl<'a> Bounds<'a> {
    /// Those of the items of a list.
    fn inside(&self) -> Self {
        let items = self.items.get(1..).unwrap_or_default().to_vec();
        Self { items, length: self.length }
    }

    /// Those that notes say of a member.
    fn of(of: &Type<'a>, member: usize) -> Self {
        let said = |word| of.note_of(member, "facet", word);
        let inside = said("max_items_inside").into_iter().flat_map(|it| it.split(' '));
        let inside = inside.map(|it| Some(it).filter(|it| *it != "-"));
        let items = [said("max_items")].into_iter().chain(inside).collect();
        Self { items, length: said("max_length") }
    }
}

/// Declares types, in modules.
pub(super) struct Declarer<'a> {
    pub(super) graph: &'a Graph<'a>,
    /// The modules of those that are known to be in one, and the words that declare them.
    pub(super) places: HashMap<usize, (String, &'static str)>,
    pub(super) taken: Taken,
    /// The module of what has no place.
    pub(super) module: String,
    /// Declarations in their order, each with its module.
    pub(super) text: Vec<(String, String)>,
    pub(super) changes: Changes,
    /// The references of those that are declared, or being declared.
    known: HashMap<Key, String>,
    open: Vec<Key>,
    forward: HashSet<Key>,
    /// Optionals and arrays, by what they are of.
    named: HashMap<String, String>,
}

/// As much as there was, to take back what a message that has no form has declared.
pub(super) struct Savepoint {
    text: usize,
    known: HashMap<Key, String>,
    named: HashMap<String, String>,
    changes: Changes,
}

impl<'a> Declarer<'a> {
    pub(super) fn new(graph: &'a Graph<'a>, module: &str) -> Self {
        Self {
            graph,
            places: HashMap::new(),
            taken: Taken::default(),
            module: module.to_owned(),
            text: Vec::new(),
            changes: Changes::default(),
            known: HashMap::new(),
            open: Vec::new(),
            forward: HashSet::new(),
            named: HashMap::new(),
        }
    }

    pub(super) fn savepoint(&self) -> Savepoint {
        let (known, named) = (self.known.clone(), self.named.clone());
        Savepoint { text: self.text.len(), known, named, changes: self.changes.clone() }
    }

    pub(super) fn take_back(&mut self, savepoint: Savepoint) {
        self.text.truncate(savepoint.text);
        (self.known, self.named, self.changes) =
            (savepoint.known, savepoint.named, savepoint.changes);
        self.open.clear();
    }

    /// What a name was given to, if it was.
    pub(super) fn named(&self, key: &str) -> Option<String> {
        self.named.get(key).cloned()
    }

    pub(super) fn name(&mut self, key: String, reference: String) {
        self.named.insert(key, reference);
    }

    /// Declares a message; what refers to it.
    pub(super) fn message(&mut self, of: usize) -> Result<String, String> {
        self.declared(Key { of, is_implied: false })
    }

    /// How a member that is one of something else, such as the parameter of an operation, names its type; it needs a name
    /// where it is no word.
    pub(super) fn parameter(&mut self, of: usize, member: usize) -> Result<String, String> {
        let graph = self.graph;
        let (text, dimensions) = self.member(&graph.types[of], member, false)?;
        let is_word =
            dimensions.is_empty() && !text.starts_with("sequence<") && !text.ends_with('>');
        match is_word {
            true => Ok(text),
            false => Ok(self.alias(&text, &dimensions)),
        }
    }

    /// A member's type and, if it is an array, how many of it there are.
    fn member(
        &mut self,
        of: &Type<'_>,
        member: usize,
        is_implied: bool,
    ) -> Result<(String, String), String> {
        let graph = self.graph;
        let (inside, need) = (of.inside[member], of.members()[member].need);
        let inner = &graph.types[inside];
        let is_struct = matches!(inner.body(), Body::Struct(_)) && !of.alone()[member];
        let is_list = matches!(inner.body(), Body::List { fixed: None, .. });
        let is_there = of.is_choice()
            || need == Need::Required && !is_implied
            || of.note_of(member, "field", "default").is_some();
        let bounds = Bounds::of(of, member);
        if is_struct && !is_there {
            return Ok((self.declared(Key { of: inside, is_implied: true })?, String::new()));
        }
        let (text, dimensions) = self.of(inside, &bounds)?;
        match is_there || is_list && need == Need::Implied {
            true => Ok((text, dimensions)),
            false => Ok((self.optional(&text, &dimensions), String::new())),
        }
    }

    /// A type, and dimensions.
    fn of(&mut self, of: usize, bounds: &Bounds<'_>) -> Result<(String, String), String> {
        let graph = self.graph;
        let (mut at, mut dimensions, mut bounds) = (of, String::new(), bounds.clone());
        while let Body::List { fixed: Some(count), .. } = graph.types[at].body() {
            let _ = write!(dimensions, "[{count}]");
            at = graph.types[at].inside[0];
            bounds = bounds.inside();
        }
        Ok((self.one(at, &bounds)?, dimensions))
    }

    /// A type that is no array.
    fn one(&mut self, of: usize, bounds: &Bounds<'_>) -> Result<String, String> {
        let graph = self.graph;
        let it = &graph.types[of];
        let bound = |bound: Option<&str>, open: &str| {
            bound.filter(|it| *it != "0").map_or(String::new(), |it| format!("{open}{it}"))
        };
        Ok(match it.body() {
            Body::Scalar(Kind::Text) => match bound(bounds.length, "<") {
                it if it.is_empty() => "string".to_owned(),
                it => format!("string{it}>"),
            },
            Body::Scalar(Kind::Bytes) => format!("sequence<octet{}>", bound(bounds.length, ", ")),
            Body::Scalar(kind) => type_name(*kind).0.to_owned(),
            Body::List { .. } => {
                let inside = it.inside[0];
                if matches!(
                    graph.types[inside].body(),
                    Body::Scalar(Kind::Integer(IntegerKind::U8))
                ) {
                    self.changes
                        .add(|| it.name().to_owned(), "a sequence of octets is data".into());
                }
                let (text, dimensions) = self.item(inside, &bounds.inside())?;
                let text = match dimensions.is_empty() {
                    true => text,
                    false => self.alias(&text, &dimensions),
                };
                // Two signs side by side would be another one.
                let blank = if text.ends_with('>') { " " } else { "" };
                format!(
                    "sequence<{text}{}{blank}>",
                    bound(bounds.items.first().copied().flatten(), ", ")
                )
            }
            Body::Enumeration(_) | Body::Struct(_) | Body::Choice(_) => {
                self.declared(Key { of, is_implied: false })?
            }
        })
    }

    /// The items of a sequence, which may be what is not yet declared as a whole.
    fn item(&mut self, of: usize, bounds: &Bounds<'_>) -> Result<(String, String), String> {
        let key = Key { of, is_implied: false };
        // By way of another type it is no sequence that IDL allows.
        match self.open.last() == Some(&key) {
            true => {
                self.forward.insert(key);
                Ok((self.known[&key].clone(), String::new()))
            }
            false => self.of(of, bounds),
        }
    }

    /// The reference of what is declared, which it is if it is not yet.
    fn declared(&mut self, key: Key) -> Result<String, String> {
        let graph = self.graph;
        let of = &graph.types[key.of];
        if self.open.contains(&key) {
            return Err(format!(
                "`{}` holds itself otherwise than in a list of its own, and IDL has no form for that",
                of.name()
            ));
        }
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let (module, _) = self.places.get(&key.of).cloned().unwrap_or((self.module.clone(), ""));
        let wanted = match key.is_implied {
            true => format!("Any_{}", of.name()),
            false => of.name().to_owned(),
        };
        let name = self.taken.take(&module, &wanted);
        if name != wanted {
            self.changes.add(
                || of.name().to_owned(),
                "IDL has another type of the name, or no such names".into(),
            );
        }
        let own = reference(&module, &name);
        self.known.insert(key, own.clone());
        self.open.push(key);
        let first = self.text.len();
        let outer = std::mem::replace(&mut self.module, module.clone());
        let text = match of.body() {
            Body::Enumeration(values) => self.enumeration(&module, &name, values),
            Body::Choice(_) => self.union(of, &module, &name),
            _ => self.structure(key, &module, &name),
        };
        self.module = outer;
        self.open.pop();
        if self.forward.remove(&key) {
            let word = if of.is_choice() { "union" } else { "struct" };
            self.text.insert(first, (module.clone(), format!("{word} {};\n", written(&name))));
        }
        self.text.push((module, text?));
        Ok(own)
    }

    fn enumeration(
        &mut self,
        module: &str,
        name: &str,
        values: &[Box<str>],
    ) -> Result<String, String> {
        if values.is_empty() {
            return Err(format!("`{name}` has no values, and IDL has no form for that"));
        }
        let plain: Vec<String> = values.iter().map(|it| identifier(it)).collect();
        let is_same = plain.iter().zip(values).all(|(it, was)| **it == **was);
        let own = match self.taken.are_free(module, &plain) {
            true => plain,
            false => values.iter().map(|it| identifier(&format!("{name}_{it}"))).collect(),
        };
        if !is_same || own.iter().zip(values).any(|(it, was)| **it != **was) {
            let why = "names of values are those of IDL, and of no other in the module".to_owned();
            self.changes.add(|| name.to_owned(), why);
        }
        let own: Vec<String> = own.iter().map(|it| written(&self.taken.take(module, it))).collect();
        Ok(format!("enum {} {{\n  {}\n}};\n", written(name), own.join(",\n  ")))
    }

    fn structure(&mut self, key: Key, module: &str, name: &str) -> Result<String, String> {
        let graph = self.graph;
        let of = &graph.types[key.of];
        let word = match self.places.get(&key.of) {
            Some((_, word)) if !key.is_implied => word,
            _ => "struct",
        };
        let mut lines = Vec::new();
        let mut names = Taken::default();
        names.take("", name);
        for (index, member) in of.members().iter().enumerate() {
            if self.is_empty(of.inside[index], &mut Vec::new()) {
                let why = "IDL has no struct with nothing in it".to_owned();
                self.changes.add(|| of.path(index), why);
                continue;
            }
            let (text, dimensions) = self.member(of, index, key.is_implied)?;
            let own = self.member_name(&mut names, of, index, &member.name);
            lines.push((text, own, dimensions));
        }
        if lines.is_empty() && word == "struct" {
            return Err(format!("`{}` has nothing in it, and IDL has no form for that", of.name()));
        }
        let hidden: HashSet<String> = lines
            .iter()
            .map(|it| it.1.to_ascii_lowercase())
            .chain([name.to_ascii_lowercase()])
            .collect();
        let mut out = String::new();
        let _ = writeln!(out, "{word} {} {{", written(name));
        for (text, own, dimensions) in lines {
            let text = self.seen(&text, module, name, &hidden);
            let _ = writeln!(out, "  {text} {}{dimensions};", written(&own));
        }
        out.push_str("};\n");
        Ok(out)
    }

    /// A member's name, which is not that of another, nor of the type around.
    fn member_name(
        &mut self,
        names: &mut Taken,
        of: &Type<'_>,
        index: usize,
        name: &str,
    ) -> String {
        let own = names.take("", name);
        if own != name {
            let why =
                "its name is none of IDL, or that of its struct or of another in it".to_owned();
            self.changes.add(|| of.path(index), why);
        }
        own
    }

    /// A text as the body of a type of this name sees it, which may name itself.
    fn seen(&self, text: &str, module: &str, own: &str, hidden: &HashSet<String>) -> String {
        // A type is seen by its name inside itself.
        let mut hidden = hidden.clone();
        if text.contains(&reference(module, own)) {
            hidden.remove(&own.to_ascii_lowercase());
        }
        resolved(text, module, &hidden)
    }

    /// Has it nothing inside, so that it takes no octets?
    pub(super) fn is_empty(&self, of: usize, around: &mut Vec<usize>) -> bool {
        let it = &self.graph.types[of];
        let Body::Struct(members) = it.body() else { return false };
        if around.contains(&of) {
            return false;
        }
        around.push(of);
        let all = (0..members.len()).all(|at| self.is_empty(it.inside[at], around));
        around.pop();
        all
    }

    fn union(&mut self, it: &Type<'_>, module: &str, name: &str) -> Result<String, String> {
        let noted =
            it.notes().find(|it| (it.0, it.1) == ("cdr", "switch")).map_or("u32", |it| it.2);
        let labels: Vec<String> = (0..it.members().len())
            .map(|at| {
                it.note_of(at, "cdr", "label").map_or_else(|| label_of(noted, at), str::to_owned)
            })
            .collect();
        let (over, values) = match noted {
            "enum" => self.switched(it, module, name, &labels)?,
            _ => (switch(noted).to_owned(), Vec::new()),
        };
        let mut names = Taken::default();
        names.take("", name);
        let mut cases = Vec::new();
        for (index, label) in labels.iter().enumerate() {
            let inside = it.inside[index];
            let held = match &**label {
                "default" => self.default_of(it, inside)?,
                _ if self.is_empty(inside, &mut Vec::new()) => {
                    let why = "an arm with nothing in it has no case in IDL".to_owned();
                    self.changes.add(|| it.path(index), why);
                    None
                }
                _ => Some(self.member(it, index, false)?),
            };
            let Some((text, dimensions)) = held else { continue };
            let own = self.member_name(&mut names, it, index, &it.members()[index].name);
            let case = match &**label {
                "default" => "default".to_owned(),
                label => format!("case {}", shown(noted, label, &values)),
            };
            cases.push((case, text, own, dimensions));
        }
        if cases.is_empty() {
            return Err(format!(
                "`{}` has arms with nothing in them, and IDL has no form for that",
                it.name()
            ));
        }
        let hidden: HashSet<String> = cases
            .iter()
            .map(|it| it.2.to_ascii_lowercase())
            .chain([name.to_ascii_lowercase()])
            .collect();
        let mut out = String::new();
        let over = resolved(&over, module, &hidden);
        let _ = writeln!(out, "union {} switch ({over}) {{", written(name));
        for (case, text, own, dimensions) in cases {
            let text = self.seen(&text, module, name, &hidden);
            let case = resolved(&case, module, &hidden);
            let _ = writeln!(out, "  {case}: {text} {}{dimensions};", written(&own));
        }
        out.push_str("};\n");
        Ok(out)
    }

    /// What a default arm holds behind the discriminator, with which the struct that it is begins.
    fn default_of(
        &mut self,
        of: &Type<'_>,
        inside: usize,
    ) -> Result<Option<(String, String)>, String> {
        let graph = self.graph;
        let inner = &graph.types[inside];
        match inner.members().len() {
            1 => Ok(None),
            2 => self.member(inner, 1, false).map(Some),
            _ => {
                Err(format!("`{}`: a default arm of several members has no form in IDL", of.name()))
            }
        }
    }

    /// The enumeration over which a union is, and its values: that with which the default arm begins, or a new one.
    fn switched(
        &mut self,
        of: &Type<'_>,
        module: &str,
        name: &str,
        labels: &[String],
    ) -> Result<(String, Vec<String>), String> {
        let graph = self.graph;
        let default = labels.iter().position(|it| it == "default");
        let known = default.map(|at| graph.types[of.inside[at]].inside[0]);
        if let Some(known) = known
            && let Body::Enumeration(_) = graph.types[known].body()
        {
            let own = self.declared(Key { of: known, is_implied: false })?;
            let values = self.values_of(&own);
            return Ok((own, values));
        }
        let count = labels.iter().filter_map(|it| it.parse::<usize>().ok()).max().unwrap_or(0) + 1;
        let over = self.taken.take(module, &format!("{name}Switch"));
        let values = (0..count).map(|at| format!("{over}_{at}"));
        let values: Vec<String> = values.map(|it| self.taken.take(module, &it)).collect();
        let text = format!("enum {over} {{ {} }};\n", values.join(", "));
        self.text.push((module.to_owned(), text));
        let why = "the enumeration over which it is has another name".to_owned();
        self.changes.add(|| of.name().to_owned(), why);
        let values = values.iter().map(|it| reference(module, it)).collect();
        Ok((reference(module, &over), values))
    }

    /// The values of an enumeration that is declared, as references.
    fn values_of(&self, own: &str) -> Vec<String> {
        let own = own.trim_matches('\u{1}');
        let (module, name) = own.rsplit_once("::").unwrap_or(("", own));
        let begin = format!("enum {} {{\n", written(name));
        let declared = self
            .text
            .iter()
            .find_map(|(of, text)| (of == module).then(|| text.strip_prefix(&*begin)).flatten());
        let inside = declared.and_then(|it| it.split_once("\n}")).map_or("", |it| it.0);
        let values = inside.split(",\n").map(|it| it.trim().trim_start_matches('_'));
        values.map(|it| reference(module, it)).collect()
    }

    /// The union of what may be absent.
    fn optional(&mut self, text: &str, dimensions: &str) -> String {
        let key = format!("optional {text} {dimensions}");
        if let Some(known) = self.named.get(&key) {
            return known.clone();
        }
        let module = self.module.clone();
        let name =
            self.taken.take(&module, &format!("Optional{}{}", joined(text), joined(dimensions)));
        let hidden = HashSet::from(["value".to_owned(), name.to_ascii_lowercase()]);
        let held = resolved(text, &module, &hidden);
        let declared = format!(
            "union {} switch (boolean) {{\n  case TRUE: {held} value{dimensions};\n}};\n",
            written(&name)
        );
        self.text.push((module.clone(), declared));
        let own = reference(&module, &name);
        self.named.insert(key, own.clone());
        own
    }

    /// A name for a type that has none.
    fn alias(&mut self, text: &str, dimensions: &str) -> String {
        let key = format!("typedef {text} {dimensions}");
        if let Some(known) = self.named.get(&key) {
            return known.clone();
        }
        let module = self.module.clone();
        let wanted = format!("{}{}", joined(text), joined(dimensions));
        let name = self.taken.take(&module, &wanted);
        let held = resolved(text, &module, &HashSet::new());
        let declared = format!("typedef {held} {}{dimensions};\n", written(&name));
        self.text.push((module.clone(), declared));
        let own = reference(&module, &name);
        self.named.insert(key, own.clone());
        own
    }
}

/// The type of a kind, and the kind that is read again.
pub(super) fn type_name(kind: Kind) -> (&'static str, Kind) {
    let name = match kind {
        Kind::Boolean => "boolean",
        Kind::Integer(IntegerKind::I8) => return ("octet", Kind::Integer(IntegerKind::U8)),
        Kind::Integer(IntegerKind::U8) => "octet",
        Kind::Integer(IntegerKind::I16) => "short",
        Kind::Integer(IntegerKind::U16) => "unsigned short",
        Kind::Integer(IntegerKind::I32) => "long",
        Kind::Integer(IntegerKind::U32) => "unsigned long",
        Kind::Integer(IntegerKind::I64) => "long long",
        Kind::Integer(IntegerKind::U64) => "unsigned long long",
        Kind::Decimal => return ("double", Kind::Float64),
        Kind::Float32 => "float",
        Kind::Float64 => "double",
        Kind::Code => "char",
        Kind::Bytes => "sequence<octet>",
        Kind::Any => return ("sequence<octet>", Kind::Bytes),
        Kind::Text => "string",
        Kind::BigInteger
        | Kind::BigDecimal
        | Kind::Date
        | Kind::Time
        | Kind::Timestamp
        | Kind::Duration => return ("string", Kind::Text),
    };
    (name, kind)
}

/// What is said of the kinds that are read as others.
pub(super) fn add_kinds(changes: &mut Changes, graph: &Graph<'_>, met: &[bool]) {
    changes.add_kinds(graph, met, TARGET, type_name);
}

fn switch(noted: &str) -> &'static str {
    match noted {
        "boolean" => "boolean",
        "char" => "char",
        "i16" => "short",
        "u16" => "unsigned short",
        "i32" => "long",
        "i64" => "long long",
        "u64" => "unsigned long long",
        _ => "unsigned long",
    }
}

/// The label of an arm of which nothing is noted, as the codec has it.
fn label_of(switch: &str, place: usize) -> String {
    match switch {
        "boolean" => (place > 0).to_string(),
        _ => place.to_string(),
    }
}

/// A label as IDL has it.
fn shown(switch: &str, label: &str, values: &[String]) -> String {
    match switch {
        "boolean" => label.to_ascii_uppercase(),
        "char" => format!("'{}'", label.chars().map(escaped).collect::<String>()),
        "enum" => label
            .parse::<usize>()
            .ok()
            .and_then(|it| values.get(it).cloned())
            .unwrap_or_else(|| label.to_owned()),
        _ => label.to_owned(),
    }
}

/// A character of a literal (CORBA 3.4 part 1, 7.2.6.2).
fn escaped(character: char) -> String {
    let named = match character {
        '\n' => 'n',
        '\t' => 't',
        '\u{b}' => 'v',
        '\u{8}' => 'b',
        '\r' => 'r',
        '\u{c}' => 'f',
        '\u{7}' => 'a',
        '\\' | '\'' | '"' => character,
        ' '..='~' => return character.to_string(),
        _ => return format!("\\x{:02X}", u32::from(character)),
    };
    format!("\\{named}")
}
