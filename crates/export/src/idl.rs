//! OMG IDL of messages, whose CDR an ORB reads and writes as Trunkline does; of IDL and of WSDL, interfaces as well.
//!
//! Structs, unions, enumerations, sequences and arrays, in modules. What may be absent is a union over `boolean` that has
//! `TRUE` alone; of a component that is there if anything in it is, every member is, in a struct of its own, `Any_` before
//! its name. These have no form, and the messages that hold them are left out: what holds itself otherwise than in a
//! list of its own, and what has nothing in it.
//!
//! Said otherwise are decimals, which are `double`; numbers of any size, dates and times, which are `string`; content
//! of any shape and lists of octets, which are `sequence<octet>`; `i8`, which is `octet`; names that are none in IDL, or
//! stand twice there; tags, what XML notes, and bounds but for `max_length`, `max_items` and `max_items_inside`.

mod declare;
mod interface;
mod names;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use trunkline_import::{Description, Problem, idl};
use trunkline_message::{Layout, TypeId};

use crate::calls::{Calls, names_of, parts};
use crate::types::Graph;
use crate::{LeftOut, Message, Messages, Written};
use declare::Declarer;
use interface::Interfaces;
use names::{identifier, written};

/// What IDL has no word for is a change of this.
const TARGET: &str = "IDL";

/// The IDL of a description: every message of it, or the one of this name. What is in no module of the description's is
/// in this one, or in none if that is empty.
///
/// # Errors
/// There is no message of the name, or it has no layout.
pub fn of_description(
    description: &Description,
    only: Option<&str>,
    module: &str,
) -> Result<Written, Problem> {
    let Messages { messages, mut left_out } = Messages::of(description, only)?;
    let calls = match (description, only) {
        (Description::Idl(specification), None) => Calls::of_idl(specification, &mut left_out),
        (Description::Services(services), None) => Calls::of_services(services, &mut left_out),
        _ => Calls::default(),
    };
    let (module, is_idl) = match description {
        Description::Idl(_) => (String::new(), true),
        _ => (if module.is_empty() { String::new() } else { identifier(module) }, false),
    };
    // What operations of services take and answer are messages already.
    let of_messages = match (description, only) {
        (Description::Services(_), None) => Vec::new(),
        _ => messages.iter().map(|it| &it.layout).collect::<Vec<_>>(),
    };
    let known = of_messages.len();
    let layouts: Vec<&Layout> = of_messages.into_iter().chain(&calls.layouts).collect();
    let names: Vec<HashMap<TypeId, String>> = match description {
        Description::Idl(specification) => {
            let of_messages = messages.iter().map(|it| declared_as(specification, it));
            of_messages.chain(calls.declared.iter().cloned()).collect()
        }
        _ => Vec::new(),
    };
    let graph = Graph::of_declared(&layouts, &names);
    let mut declarer = Declarer::new(&graph, &module);
    if let Description::Idl(specification) = description {
        take_places(&mut declarer, specification);
    }
    let mut written = Vec::new();
    for root in &graph.roots[..known] {
        message(&mut declarer, *root, &mut written, &mut left_out);
    }
    let roots = &graph.roots[known..];
    let known = HashSet::new();
    let mut interfaces = Interfaces { declarer: &mut declarer, roots, known };
    for interface in &calls.interfaces {
        let module = if is_idl { &interface.scope } else { &module };
        let what = |it: String| format!("{}::{it}", interface.name);
        let left = interfaces.declare(interface, module).into_iter();
        left_out.extend(left.map(|(name, why)| LeftOut { what: what(name), why }));
    }
    written.extend(roots);
    if let Description::Idl(specification) = description {
        add_moved(&mut declarer, specification, &written);
        if only.is_none() {
            add_unwritten(&mut declarer, specification, &written);
        }
    }
    let count = written.len() + calls.interfaces.len();
    Ok(Written { count, ..finished(declarer, &written, left_out) })
}

/// The IDL of the message of one layout, which is of no description.
pub fn of_layout(layout: &Layout, module: &str) -> Written {
    let graph = Graph::of(&[layout]);
    let mut declarer = Declarer::new(&graph, module);
    let (mut written, mut left_out) = (Vec::new(), Vec::new());
    message(&mut declarer, graph.roots[0], &mut written, &mut left_out);
    finished(declarer, &written, left_out)
}

fn message(
    declarer: &mut Declarer<'_>,
    root: usize,
    written: &mut Vec<usize>,
    left_out: &mut Vec<LeftOut>,
) {
    let savepoint = declarer.savepoint();
    match declarer.message(root) {
        Ok(_) => written.push(root),
        Err(why) => {
            declarer.take_back(savepoint);
            left_out.push(LeftOut { what: declarer.graph.types[root].name().to_owned(), why });
        }
    }
}

/// Puts declarations into their modules.
fn finished(declarer: Declarer<'_>, roots: &[usize], left_out: Vec<LeftOut>) -> Written {
    let Declarer { graph, text: declarations, mut changes, .. } = declarer;
    let met = graph.met(roots);
    let is_said = |format: &str, word: &str| match format {
        "cdr" => true,
        "field" => word == "default",
        "facet" => matches!(word, "max_length" | "max_items" | "max_items_inside"),
        _ => false,
    };
    changes.add_notes(graph, &met, is_said, TARGET);
    declare::add_kinds(&mut changes, graph, &met);
    let mut text = String::new();
    let mut open: Vec<&str> = Vec::new();
    for (module, declaration) in &declarations {
        let path: Vec<&str> = module.split("::").filter(|it| !it.is_empty()).collect();
        let same = open.iter().zip(&path).take_while(|it| it.0 == it.1).count();
        close(&mut text, &mut open, same);
        for name in &path[same..] {
            let _ = writeln!(text, "{}module {} {{", "  ".repeat(open.len()), written(name));
            open.push(name);
        }
        let indent = "  ".repeat(open.len());
        declaration.lines().for_each(|line| _ = writeln!(text, "{indent}{line}"));
    }
    close(&mut text, &mut open, 0);
    Written { text, count: roots.len(), left_out, changed: changes.lines(), ..Written::default() }
}

fn close(text: &mut String, open: &mut Vec<&str>, to: usize) {
    while open.len() > to {
        open.pop();
        let _ = writeln!(text, "{}}};", "  ".repeat(open.len()));
    }
}

/// What IDL calls the types of a message's layout.
fn declared_as(specification: &idl::Specification, message: &Message) -> HashMap<TypeId, String> {
    let of = specification.find(&message.name);
    let declared = of.and_then(|it| specification.declared(it).ok());
    declared.map(|it| names_of(specification, &it)).unwrap_or_default()
}

/// Each type that IDL declares stays in its module, where no type is called as a module in it.
fn take_places(declarer: &mut Declarer<'_>, specification: &idl::Specification) {
    let all = specification.declarations().iter();
    let modules: BTreeSet<&str> =
        all.filter(|it| matches!(it.body, idl::Body::Module)).map(|it| &*it.name).collect();
    for module in &modules {
        let (around, name) = parts(module);
        declarer.taken.take(&around, &name);
    }
    let graph = declarer.graph;
    for (index, of) in graph.types.iter().enumerate() {
        let Some(name) = of.declared else { continue };
        let mut module = parts(name).0;
        while !module.is_empty() && !modules.contains(&*module) {
            module = parts(&module).0;
        }
        declarer.places.insert(index, (module, word_of(specification, name)));
    }
}

/// Says which types are no longer where they were declared.
fn add_moved(declarer: &mut Declarer<'_>, specification: &idl::Specification, written: &[usize]) {
    let graph = declarer.graph;
    let met = graph.met(written);
    for (index, of) in graph.types.iter().enumerate().filter(|it| met[it.0]) {
        let Some((name, (module, _))) = of.declared.zip(declarer.places.get(&index)) else {
            continue;
        };
        if *module != parts(name).0 {
            let why = "types of interfaces and structs are in the module around them".to_owned();
            declarer.changes.add(|| placed(specification, name), why);
        }
    }
}

/// Says what the file declares that no message has, and that is not written for this.
fn add_unwritten(
    declarer: &mut Declarer<'_>,
    specification: &idl::Specification,
    written: &[usize],
) {
    let graph = declarer.graph;
    let met = graph.met(written);
    let all = graph.types.iter().enumerate().filter(|it| met[it.0]);
    let known: HashSet<&str> = all.filter_map(|it| it.1.declared).collect();
    for declaration in specification.declarations().iter().filter(|it| it.is_main) {
        let why = match &declaration.body {
            idl::Body::Const(..) => "constants are in no message, and are left out",
            idl::Body::Typedef(_) => "typedefs are written as what they stand for",
            idl::Body::Enum(_) if !known.contains(&*declaration.name) => {
                "an enumeration that is in no message is left out"
            }
            idl::Body::Value(_) | idl::Body::ValueBox(_) => {
                "value types have no form as messages, and are left out"
            }
            idl::Body::Native => "native types have no form as messages, and are left out",
            _ => continue,
        };
        declarer.changes.add(|| placed(specification, &declaration.name), why.to_owned());
    }
}

/// A declaration, with the file and line in which it is.
fn placed(specification: &idl::Specification, name: &str) -> String {
    let all = specification.declarations().iter();
    let is_it = |it: &&idl::Declaration| {
        it.name == name && !matches!(it.body, idl::Body::Forward(_) | idl::Body::Module)
    };
    match all.into_iter().find(is_it) {
        Some(it) => format!("{name} ({}:{})", it.place.file, it.place.line),
        None => name.to_owned(),
    }
}

/// The word that declares a message of IDL.
fn word_of(specification: &idl::Specification, name: &str) -> &'static str {
    let found = specification.find(name).map(|it| &specification.declaration(it).body);
    if matches!(found, Some(idl::Body::Exception(_))) { "exception" } else { "struct" }
}
