//! Which types Rust has a form for, and where one needs a box.

use std::collections::HashSet;

use trunkline_message::{Body, IntegerKind, Kind, Need};

use super::attributes::{Place, attributes};
use crate::types::{Graph, Type};

/// Of each type, whether it can be said, and which types it holds in its own memory.
#[derive(Debug)]
pub(super) struct Forms {
    /// Why a type has no form, if it has none.
    pub(super) problems: Vec<Option<String>>,
    /// For each type, which it holds in its own memory, by way of others too.
    held: Vec<Vec<bool>>,
}

impl Forms {
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        let all = || 0..graph.types.len();
        let is_struct = |it: &usize| graph.types[*it].has_members();
        let in_place = |at: usize| in_place(graph, at);
        let held = all().map(|it| match is_struct(&it) {
            true => graph.reached(it, in_place),
            false => Vec::new(),
        });
        let held: Vec<Vec<bool>> = held.collect();
        let mut problems: Vec<Option<String>> =
            graph.types.iter().map(|it| own_problem(graph, it)).collect();
        for at in all().filter(is_struct) {
            let is_endless = graph.reached(at, |it| always(graph, it))[at];
            let is_array = held[at][at]
                && graph.types[at].inside.iter().any(|it| {
                    matches!(graph.types[*it].body(), Body::List { fixed: Some(_), .. })
                        && in_place(*it)
                            .iter()
                            .any(|it| *it == at || held[*it].get(at) == Some(&true))
                });
            if is_endless || is_array {
                let why = "a value of it would hold another without end, and arms and arrays hold no `Option`";
                problems[at].get_or_insert_with(|| why.to_owned());
            }
        }
        spread(graph, &mut problems);
        Self { problems, held }
    }

    /// Does a type that is held in the memory of another need a box there?
    pub(super) fn is_boxed(&self, of: usize, around: usize) -> bool {
        self.held[of].get(around) == Some(&true)
    }
}

/// What holds something that has no form has none.
fn spread(graph: &Graph<'_>, problems: &mut [Option<String>]) {
    let mut is_new = true;
    while is_new {
        is_new = false;
        for at in 0..problems.len() {
            if problems[at].is_some() {
                continue;
            }
            let inside = &graph.types[at].inside;
            if let Some(inner) = inside.iter().find(|it| problems[**it].is_some()) {
                let why = problems[*inner].clone().unwrap_or_default();
                let name = graph.types[*inner].name();
                let is_said = why.starts_with('`');
                problems[at] = Some(if is_said { why } else { format!("`{name}`: {why}") });
                is_new = true;
            }
        }
    }
}

/// The structs and choices in the memory of a struct, choice or array.
fn in_place(graph: &Graph<'_>, at: usize) -> Vec<usize> {
    let of = &graph.types[at];
    match of.body() {
        Body::Struct(_) | Body::Choice(_) => {
            let inside = of.inside.iter().flat_map(|it| match graph.types[*it].has_members() {
                true => vec![*it],
                false => in_place(graph, *it),
            });
            inside.collect()
        }
        Body::List { fixed: Some(_), .. } => {
            let item = of.inside[0];
            if graph.types[item].has_members() { vec![item] } else { in_place(graph, item) }
        }
        _ => Vec::new(),
    }
}

/// The structs and choices that are there in every value of one.
fn always(graph: &Graph<'_>, at: usize) -> Vec<usize> {
    let of = &graph.types[at];
    let members = of.members().iter().zip(&of.inside);
    let is_there = |(member, inside): &(&trunkline_message::Member, &usize)| {
        let inner = &graph.types[**inside];
        let may_be_absent = match member.need {
            Need::Required => false,
            Need::Optional => true,
            Need::Implied => inner.is_choice(),
        };
        inner.has_members() && (of.is_choice() || !may_be_absent)
    };
    members.filter(is_there).map(|it| *it.1).collect()
}

/// What has no form in the type itself.
fn own_problem(graph: &Graph<'_>, of: &Type<'_>) -> Option<String> {
    let place = match of.body() {
        Body::Scalar(_) => return None,
        Body::List { .. } => {
            let item = &graph.types[of.inside[0]];
            if matches!(item.body(), Body::Scalar(Kind::Integer(IntegerKind::U8))) {
                return Some("a list of `u8` is data in Rust, not a list of numbers".to_owned());
            }
            let note = of.notes_of(0).next();
            return note
                .map(|it| format!("no attribute says the note {}({}) of items", it.0, it.1));
        }
        Body::Enumeration(_) => (Place::Enumeration, Place::Value),
        Body::Struct(_) => (Place::Struct, Place::Member),
        Body::Choice(_) => (Place::Choice, Place::Arm),
    };
    if let Err(why) = attributes(place.0, of.notes()) {
        return Some(why);
    }
    let count = match of.body() {
        Body::Enumeration(values) => values.len(),
        _ => of.members().len(),
    };
    let mut notes = (0..count).map(|it| (it, attributes(place.1, of.notes_of(it))));
    if let Some((member, Err(why))) = notes.find(|it| it.1.is_err()) {
        let name = of.members().get(member).map_or("a value", |it| &it.name);
        return Some(format!("{name}: {why}"));
    }
    // One that stands twice is an error of the derive.
    let mut known = HashSet::new();
    let of_fix = (0..count).flat_map(|it| of.notes_of(it)).filter(|it| it.0 == "fix");
    for (_, word, value) in of_fix {
        let what = if word == "code" { "code" } else { "tag" };
        if !known.insert((what, value)) {
            return Some(format!("the FIX {what} {value} stands twice in it"));
        }
    }
    let is_implied_array = |member: &trunkline_message::Member, inside: usize| {
        let is_array = matches!(graph.types[inside].body(), Body::List { fixed: Some(_), .. });
        is_array && member.need == Need::Implied
    };
    let mut members = of.members().iter().zip(&of.inside);
    let found = members.find(|it| !of.is_choice() && is_implied_array(it.0, *it.1));
    found.map(|it| format!("{}: an array is required or optional, and never implied", it.0.name))
}
