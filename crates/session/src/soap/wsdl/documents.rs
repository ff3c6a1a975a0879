//! Schemas of documents by themselves, without a service.

use std::sync::Arc;

use trunkline_message::Layout;

use super::check;
use super::content::{NamespaceIndex, TARGET};
use super::shape::Form;
use super::types::Types;

/// A kind of document.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name of its element.
    pub name: String,
    /// The namespace of its element; empty for none.
    pub namespace: String,
    /// Are the elements inside of which nothing is noted in that namespace too?
    pub qualified: bool,
    /// May its element be nil?
    pub nillable: bool,
    /// What is in it.
    pub layout: Arc<Layout>,
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFile {
    /// What others call it by where they import it.
    pub name: String,
    /// Its text, in UTF-8.
    pub text: String,
}

/// The schemas of documents.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    /// One for each namespace; that of the first document comes first.
    pub files: Vec<SchemaFile>,
    /// The documents that are in none, by their places, and why.
    pub rejected: Vec<(usize, String)>,
}

/// Writes the schemas of documents: `stem.xsd`, and `stem-2.xsd` and so on if there are more namespaces. The same
/// documents give the same bytes.
///
/// What is in no namespace is in the first schema, if an element is. A document whose `xsi:type` tells its type has none.
pub fn schemas(documents: &[Document], stem: &str) -> Schemas {
    let is_nameless = documents.iter().any(|it| it.namespace.is_empty());
    let target = match documents.first() {
        Some(first) if !is_nameless => &*first.namespace,
        _ => "",
    };
    let mut types = Types::of(target, documents.iter().map(|it| &it.layout));
    types.nil_is_there = true;
    let mut rejected = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        if let Err(why) = add(&mut types, document) {
            rejected.push((index, why));
        }
    }
    if rejected.len() == documents.len() {
        return Schemas { files: Vec::new(), rejected };
    }
    let is_empty = types.types_in(TARGET).next().is_none()
        && types.elements_in(TARGET).next().is_none()
        && types.attributes_in(TARGET).next().is_none();
    let namespaces = types.namespaces().filter(|it| *it != TARGET || !is_empty);
    let files: Vec<(NamespaceIndex, String)> =
        namespaces.enumerate().map(|(index, it)| (it, file_name(stem, index))).collect();
    let texts = types.documents(true, &files);
    let files = files.into_iter().zip(texts).map(|((_, name), text)| SchemaFile { name, text });
    Schemas { files: files.collect(), rejected }
}

fn add(types: &mut Types, document: &Document) -> Result<(), String> {
    let Document { name, namespace, qualified, nillable, layout } = document;
    let root = layout.schema().root();
    if let Some(of) = layout.notes().of_type(root, "xml", "type") {
        return Err(format!(
            "xsi:type names its type {of}, which is derived from that of the element {name}, of which nothing is known"
        ));
    }
    if let Some(why) = check::problem_of(layout) {
        return Err(why);
    }
    let form = if *qualified { Form::Qualified } else { Form::Unqualified };
    types.document((namespace, name), layout, (form, *nillable))
}

fn file_name(stem: &str, index: usize) -> String {
    match index {
        0 => format!("{stem}.xsd"),
        index => format!("{stem}-{}.xsd", index + 1),
    }
}
