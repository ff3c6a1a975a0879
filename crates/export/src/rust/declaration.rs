//! Structs and enums.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use trunkline_message::{Body, IntegerKind, Kind, Need};

use super::attributes::{Place, attributes};
use super::form::Forms;
use super::names::Taken;
use super::one_line;
use crate::LeftOut;
use crate::types::{Graph, Type};

/// The types of messages as Rust declares them.
#[derive(Debug)]
pub(super) struct Declarations<'a> {
    graph: &'a Graph<'a>,
    /// What each message is, for people.
    titles: Vec<String>,
    forms: Forms,
    /// The name of each struct, choice and enumeration.
    names: Vec<String>,
    pub(super) taken: Taken,
}

impl<'a> Declarations<'a> {
    pub(super) fn new(graph: &'a Graph<'a>, titles: &[&str]) -> Self {
        let mut taken = Taken::of_types();
        let mut names = vec![String::new(); graph.types.len()];
        // Messages have their own names.
        for at in graph.roots.iter().copied().chain(0..graph.types.len()) {
            let of = &graph.types[at];
            let is_named = of.has_members() || matches!(of.body(), Body::Enumeration(_));
            if is_named && names[at].is_empty() {
                names[at] = taken.camel(of.name(), "Type");
            }
        }
        let titles = titles.iter().map(|it| (*it).to_owned()).collect();
        Self { graph, titles, forms: Forms::of(graph), names, taken }
    }

    /// The type of a message, if it has a form.
    pub(super) fn message(&self, root: usize) -> Option<&str> {
        let at = self.graph.roots[root];
        self.forms.problems[at].is_none().then(|| &*self.names[at])
    }

    /// Why a message has no form.
    pub(super) fn problem(&self, root: usize) -> Option<&str> {
        self.forms.problems[self.graph.roots[root]].as_deref()
    }

    /// The messages that have no form.
    pub(super) fn left_out(&self) -> Vec<LeftOut> {
        let all = 0..self.graph.roots.len();
        let of = |it: usize| {
            let what = self.graph.types[self.graph.roots[it]].name().to_owned();
            self.problem(it).map(|why| LeftOut { what, why: why.to_owned() })
        };
        all.filter_map(of).collect()
    }

    /// All of them.
    pub(super) fn text(&self) -> Declared {
        let (text, used) = Default::default();
        let mut writer = Writer { all: self, out: Declared { text, used, count: 0 } };
        let mut is_written = vec![false; self.graph.types.len()];
        for at in &self.graph.roots {
            if self.forms.problems[*at].is_none() {
                writer.reachable(*at, &mut is_written);
            }
        }
        writer.out
    }
}

/// Declared types.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) text: String,
    /// The names of other crates that they use.
    pub(super) used: BTreeSet<&'static str>,
    /// How many they are.
    pub(super) count: usize,
}

struct Writer<'a> {
    all: &'a Declarations<'a>,
    out: Declared,
}

impl Writer<'_> {
    /// A type and those that it refers to, which stand before it: a compiler that meets what is inside first finds the
    /// widths of deep messages without going deep.
    fn reachable(&mut self, at: usize, is_written: &mut [bool]) {
        if std::mem::replace(&mut is_written[at], true) {
            return;
        }
        let graph = self.all.graph;
        let mut open = vec![(at, graph.types[at].inside.iter())];
        while let Some((around, inside)) = open.last_mut() {
            match inside.next() {
                Some(next) if std::mem::replace(&mut is_written[*next], true) => {}
                Some(next) => open.push((*next, graph.types[*next].inside.iter())),
                None => {
                    let around = *around;
                    open.pop();
                    self.declaration(around);
                }
            }
        }
    }

    fn declaration(&mut self, at: usize) {
        let of = &self.all.graph.types[at];
        let place = match of.body() {
            Body::Enumeration(_) => Place::Enumeration,
            Body::Struct(_) => Place::Struct,
            Body::Choice(_) => Place::Choice,
            Body::Scalar(_) | Body::List { .. } => return,
        };
        self.out.count += 1;
        let name = &self.all.names[at];
        let title = match self.all.graph.roots.iter().position(|it| *it == at) {
            Some(root) => one_line(&self.all.titles[root]),
            None => format!("`{}`.", of.name()),
        };
        let copy = if place == Place::Enumeration { "Copy, " } else { "" };
        let eq = if place == Place::Enumeration { ", Eq" } else { "" };
        let _ = write!(
            self.out.text,
            "\n/// {title}\n#[derive(Message, Clone, {copy}Debug, PartialEq{eq})]\n"
        );
        if of.name() != name {
            let _ = writeln!(self.out.text, "#[message(name = {:?})]", of.name());
        }
        self.attributes("", place, of.notes());
        match place {
            Place::Struct if of.members().is_empty() => {
                let _ = writeln!(self.out.text, "pub struct {name} {{}}");
            }
            Place::Struct => {
                let _ = writeln!(self.out.text, "pub struct {name} {{");
                self.members(at, of);
                self.out.text.push_str("}\n");
            }
            _ => {
                let _ = writeln!(self.out.text, "pub enum {name} {{");
                match of.body() {
                    Body::Enumeration(values) => self.values(of, values),
                    _ => self.arms(at, of),
                }
                self.out.text.push_str("}\n");
            }
        }
    }

    fn attributes<'n>(
        &mut self,
        indent: &str,
        place: Place,
        notes: impl Iterator<Item = (&'n str, &'n str, &'n str)>,
    ) {
        for line in attributes(place, notes).unwrap_or_default() {
            let _ = writeln!(self.out.text, "{indent}{line}");
        }
    }

    fn members(&mut self, at: usize, of: &Type<'_>) {
        let mut taken = Taken::default();
        for (index, (member, inside)) in of.members().iter().zip(&of.inside).enumerate() {
            let ident = taken.snake(&member.name, "field");
            let mut words = Vec::new();
            if ident.trim_start_matches("r#") != &*member.name {
                words.push(format!("name = {:?}", member.name));
            }
            let inner = &self.all.graph.types[*inside];
            let is_list = matches!(inner.body(), Body::List { fixed: None, .. });
            words.extend(match member.need {
                Need::Required if is_list => Some("required".to_owned()),
                Need::Implied if matches!(inner.body(), Body::Struct(_)) => {
                    Some("implied".to_owned())
                }
                Need::Implied => {
                    let default = of.note_of(index, "field", "default");
                    default.map(|it| format!("default = {it:?}"))
                }
                _ => None,
            });
            let is_option =
                member.need == Need::Optional || member.need == Need::Implied && inner.is_choice();
            let has_nil = of.note_of(index, "field", "nil_items").is_some();
            let held = self.held_with(*inside, at, has_nil);
            let held = if is_option { format!("Option<{held}>") } else { held };
            if !words.is_empty() {
                let _ = writeln!(self.out.text, "    #[field({})]", words.join(", "));
            }
            self.attributes("    ", Place::Member, of.notes_of(index));
            let _ = writeln!(self.out.text, "    pub {ident}: {held},");
        }
    }

    fn arms(&mut self, at: usize, of: &Type<'_>) {
        let mut taken = Taken::default();
        for (index, (member, inside)) in of.members().iter().zip(&of.inside).enumerate() {
            let ident = taken.camel(&member.name, "Arm");
            self.named("    ", &ident, &member.name);
            self.attributes("    ", Place::Arm, of.notes_of(index));
            let has_nil = of.note_of(index, "field", "nil_items").is_some();
            let held = self.held_with(*inside, at, has_nil);
            let _ = writeln!(self.out.text, "    {ident}({held}),");
        }
    }

    fn values(&mut self, of: &Type<'_>, values: &[Box<str>]) {
        let mut taken = Taken::default();
        for (index, value) in values.iter().enumerate() {
            let ident = taken.camel(value, "Value");
            self.named("    ", &ident, value);
            self.attributes("    ", Place::Value, of.notes_of(index));
            let _ = writeln!(self.out.text, "    {ident},");
        }
    }

    fn named(&mut self, indent: &str, ident: &str, name: &str) {
        if ident != name {
            let _ = writeln!(self.out.text, "{indent}#[field(name = {name:?})]");
        }
    }

    /// The type of what a member or item of `around` holds.
    fn held(&mut self, at: usize, around: usize) -> String {
        self.held_with(at, around, false)
    }

    /// The same of a list whose items may be nil, if it `has_nil`.
    fn held_with(&mut self, at: usize, around: usize, has_nil: bool) -> String {
        let of = &self.all.graph.types[at];
        match *of.body() {
            Body::Scalar(kind) => self.scalar(kind).to_owned(),
            Body::Enumeration(_) => self.all.names[at].clone(),
            Body::Struct(_) | Body::Choice(_) => {
                let name = &self.all.names[at];
                match self.all.forms.is_boxed(at, around) {
                    true => format!("Box<{name}>"),
                    false => name.clone(),
                }
            }
            Body::List { fixed, .. } => {
                let inside = of.inside[0];
                let item = match self.all.graph.types[inside].has_members() {
                    true => self.all.names[inside].clone(),
                    false => self.held(inside, around),
                };
                let item = if has_nil { format!("Option<{item}>") } else { item };
                match fixed {
                    Some(count) => format!("[{item}; {count}]"),
                    None => format!("Vec<{item}>"),
                }
            }
        }
    }

    fn scalar(&mut self, kind: Kind) -> &'static str {
        let name = match kind {
            Kind::Boolean => return "bool",
            Kind::Integer(kind) => return IntegerKind::name(kind),
            Kind::Float32 => return "f32",
            Kind::Float64 => return "f64",
            Kind::Bytes => return "Vec<u8>",
            Kind::BigInteger => "BigInteger",
            Kind::Decimal => "Decimal",
            Kind::BigDecimal => "BigDecimal",
            Kind::Text => "Text",
            Kind::Date => "Date",
            Kind::Time => "Time",
            Kind::Timestamp => "Timestamp",
            Kind::Duration => "Duration",
            Kind::Code => "Code",
            Kind::Any => "Any",
        };
        self.out.used.insert(name);
        name
    }
}
