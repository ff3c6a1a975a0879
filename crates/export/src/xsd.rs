//! XML Schema 1.0 of the documents that messages are in XML.
//!
//! Elements and types, choices, what may be absent, lists, bounds of values, defaults, and all that is noted of how
//! messages look in XML. These have no form, and the messages that hold them are left out: a document whose `xsi:type`
//! tells its type, and what [`session::soap::wsdl`](trunkline_session::soap::wsdl) says that there is no schema of.
//!
//! Said otherwise are codes, which are texts, and decimals of any size, which are decimals; components that are there
//! if anything in them is, which may be there with nothing in them; how many values a list in one text has; and tags,
//! codes and labels that other formats note.

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_import::{Description, Problem};
use trunkline_message::{Body, Kind, Layout, Need};
use trunkline_session::soap::wsdl::{self, Document, SchemaFile};
use trunkline_soap as soap;

use crate::changes::Changes;
use crate::types::Graph;
use crate::{LeftOut, Messages, Written};

/// What a schema has no word for is a change of this.
const TARGET: &str = "XML Schema";

/// The schema of a description: every message of it, or the one of this name. Elements of messages of which the
/// description says no namespace are in this one, which may be empty for none; `stem` is what files are called
/// without `.xsd`.
///
/// # Errors
/// There is no message of the name, or it has no layout.
pub fn of_description(
    description: &Description,
    only: Option<&str>,
    namespace: &str,
    stem: &str,
) -> Result<Written, Problem> {
    let Messages { messages, left_out } = Messages::of(description, only)?;
    let documents = messages.into_iter().map(|it| {
        let (qualified, nillable) = (it.element.is_none(), it.is_nillable);
        let (own, name) = it.element.unwrap_or((namespace.to_owned(), it.layout.name().to_owned()));
        Document { name, namespace: own, qualified, nillable, layout: Arc::new(it.layout) }
    });
    let mut unwritable = Vec::new();
    let documents: Vec<_> = documents.filter(|it| has_form(it, &mut unwritable)).collect();
    let mut written = of_documents(&documents, stem);
    written.left_out.extend(unwritable.into_iter().chain(left_out));
    written.left_out = by_reason(written.left_out);
    Ok(written)
}

/// Each reason once, with all that is left out because of it: an element may be that of several messages, and what has no form may
/// stand in many.
fn by_reason(all: Vec<LeftOut>) -> Vec<LeftOut> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for LeftOut { what, why } in all {
        let at = *known.entry(why.clone()).or_insert(reasons.len());
        if at == reasons.len() {
            reasons.push((why, Vec::new()));
        }
        let names = &mut reasons[at].1;
        if !names.contains(&what) {
            names.push(what);
        }
    }
    reasons.into_iter().map(|(why, names)| LeftOut { what: names.join(", "), why }).collect()
}

/// Is a message that no schema describes written as XML? Else says why not.
fn has_form(document: &Document, left_out: &mut Vec<LeftOut>) -> bool {
    let options = soap::Options {
        style: soap::Style::DocumentLiteral,
        layout: soap::Layout::Fragment,
        operation: document.name.clone(),
        namespace: document.namespace.clone(),
        zone: true,
        ..soap::Options::default()
    };
    let plan = document.qualified.then(|| soap::Plan::new(&document.layout, &options));
    match plan {
        Some(Err(error)) => {
            let (what, why) =
                (document.name.clone(), format!("{}: {}", error.path(), error.kind()));
            left_out.push(LeftOut { what, why });
            false
        }
        Some(Ok(_)) | None => true,
    }
}

/// The schema of the message of one layout, which is of no description.
pub fn of_layout(layout: &Layout, namespace: &str) -> Written {
    let (name, namespace) = (layout.name().to_owned(), namespace.to_owned());
    let layout = Arc::new(layout.clone());
    let document = Document { name, namespace, qualified: true, nillable: false, layout };
    of_documents(&[document], "schema")
}

fn of_documents(documents: &[Document], stem: &str) -> Written {
    let wsdl::Schemas { files, rejected } = wsdl::schemas(documents, stem);
    let is_written = |index: &usize| rejected.iter().all(|it| it.0 != *index);
    let layouts: Vec<&Layout> =
        (0..documents.len()).filter(is_written).map(|it| &*documents[it].layout).collect();
    let left_out = rejected.into_iter().map(|(index, why)| {
        let Document { name, namespace, .. } = &documents[index];
        let what =
            if namespace.is_empty() { name.clone() } else { format!("{{{namespace}}}{name}") };
        // What is left out is named already.
        let own = format!("the message {name}: ");
        let why = why.strip_prefix(&own).map(str::to_owned).unwrap_or(why);
        LeftOut { what, why }
    });
    let mut changes = Changes::default();
    add_changes(&mut changes, &Graph::of(&layouts));
    let mut files = files.into_iter().map(|SchemaFile { name, text }| (name, text));
    Written {
        text: files.next().map_or_else(String::new, |it| it.1),
        count: layouts.len(),
        left_out: left_out.collect(),
        changed: changes.lines(),
        beside: files.collect(),
    }
}

/// What messages say, and a schema does not.
pub(crate) fn add_changes(changes: &mut Changes, graph: &Graph<'_>) {
    let all = vec![true; graph.types.len()];
    let is_said = |format: &str, word: &str| match format {
        "xml" | "field" => true,
        "facet" => word != "max_items_inside",
        _ => false,
    };
    changes.add_notes(graph, &all, is_said, TARGET);
    changes.add_kinds(graph, &all, TARGET, |kind| match kind {
        Kind::Code => ("string", Kind::Text),
        Kind::BigDecimal => ("decimal", Kind::Decimal),
        kind => ("", kind),
    });
    for of in &graph.types {
        for (index, member) in of.members().iter().enumerate() {
            let inner = &graph.types[of.inside[index]];
            let is_struct = matches!(inner.body(), Body::Struct(_));
            if is_struct && member.need == Need::Implied && !of.is_choice() {
                let why = "an element is not said to be there only if anything is in it".to_owned();
                changes.add(|| of.path(index), why);
            }
            if is_struct && member.need == Need::Required && !has_required(graph, of.inside[index])
            {
                let why = "what holds nothing that has to be there may be absent (minOccurs=\"0\"), as it may where it is read";
                changes.add(|| of.path(index), why.to_owned());
            }
            let is_spaced = of.note_of(index, "xml", "list") == Some("spaced");
            let words = ["items", "min_items", "max_items"];
            let is_bounded = matches!(inner.body(), Body::List { fixed: Some(_), .. })
                || words.iter().any(|it| of.note_of(index, "facet", it).is_some());
            if is_spaced && is_bounded {
                changes
                    .add(|| of.path(index), "how many values are in one text is not said".into());
            }
        }
    }
}

/// Is there something inside a struct that is in every message?
fn has_required(graph: &Graph<'_>, of: usize) -> bool {
    let of = &graph.types[of];
    let alone = of.alone();
    of.members().iter().enumerate().any(|(index, member)| {
        let inside = of.inside[index];
        let is_component = matches!(graph.types[inside].body(), Body::Struct(_)) && !alone[index];
        member.need == Need::Required && (!is_component || has_required(graph, inside))
    })
}
