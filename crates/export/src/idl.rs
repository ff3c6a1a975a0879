//! OMG IDL of messages, whose CDR an ORB reads and writes as Trunkline does; of IDL and of WSDL, interfaces as well.
//!
//! Structs, unions, enumerations, sequences and arrays, in modules. What may be absent is a union over `boolean` that has
//! `TRUE` alone; of a component that is there if anything in it is, every member is, in a struct of its own, `Any_` before
//! its name. These have no form, and the messages that hold them are left out: what holds itself otherwise than in a
//! list of its own, and what has nothing in it.
//!
//! Said otherwise are decimals, which are `double`; numbers of any size, dates and times, which are `string`; content
//! of any shape and lists of octets, which are `sequence<octet>`; `i8`, which is `octet`; names that are none in IDL, or
//! stand twice there; tags, what XML notes, and bounds but for `max_length` and `max_items`.

mod declare;
mod interface;
mod names;

use std::collections::HashSet;
use std::fmt::Write as _;

use trunkline_import::{Description, Problem, idl};
use trunkline_message::Layout;

use crate::calls::{Calls, parts};
use crate::types::Graph;
use crate::{LeftOut, Messages, Written};
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
    let graph = Graph::of(&layouts);
    let mut declarer = Declarer::new(&graph, &module);
    if let Description::Idl(specification) = description {
        for (message, root) in messages.iter().zip(&graph.roots) {
            let module = module_of(specification, &message.name);
            if module != parts(&message.name).0 {
                let why =
                    "types of interfaces and structs are in the module around them".to_owned();
                declarer.changes.add(|| message.name.clone(), why);
            }
            declarer.places.insert(*root, (module, word_of(specification, &message.name)));
        }
    }
    let mut written = Vec::new();
    for root in &graph.roots[..known] {
        message(&mut declarer, *root, &mut written, &mut left_out);
    }
    let roots = &graph.roots[known..];
    if let Description::Idl(specification) = description {
        for (name, layout) in
            calls.interfaces.iter().flat_map(|it| &it.calls).flat_map(|it| &it.faults)
        {
            let module = module_of(specification, name);
            declarer.places.entry(roots[*layout]).or_insert((module, "exception"));
        }
    }
    let known = HashSet::new();
    let mut interfaces = Interfaces { declarer: &mut declarer, roots, known };
    for interface in &calls.interfaces {
        let module = if is_idl { &interface.scope } else { &module };
        let what = |it: String| format!("{}::{it}", interface.name);
        let left = interfaces.declare(interface, module).into_iter();
        left_out.extend(left.map(|(name, why)| LeftOut { what: what(name), why }));
    }
    written.extend(roots);
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
        "facet" => matches!(word, "max_length" | "max_items"),
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

/// The modules around a declaration, without what else is around it.
fn module_of(specification: &idl::Specification, name: &str) -> String {
    let mut module = parts(name).0;
    let is_module = |name: &str| {
        let mut all = specification.declarations().iter().filter(|it| it.name == name);
        all.any(|it| matches!(it.body, idl::Body::Module))
    };
    while !module.is_empty() && !is_module(&module) {
        module = parts(&module).0;
    }
    module
}

/// The word that declares a message of IDL.
fn word_of(specification: &idl::Specification, name: &str) -> &'static str {
    let found = specification.find(name).map(|it| &specification.declaration(it).body);
    if matches!(found, Some(idl::Body::Exception(_))) { "exception" } else { "struct" }
}
