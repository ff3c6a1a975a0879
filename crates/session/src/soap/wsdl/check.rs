//! The rules for a description.

use std::collections::HashSet;
use std::fmt;

use trunkline_message::{Layout, MemberId, TypeId, is_name};

use super::types::Types;
use super::{Binding, Description, OperationDescription, messages};

/// Why a description cannot be written as WSDL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptionError(String);

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DescriptionError {}

fn error<T>(why: String) -> Result<T, DescriptionError> {
    Err(DescriptionError(why))
}

impl Description {
    /// Can it be written?
    ///
    /// # Errors
    /// Says which name is none or stands twice, which action has a quotation mark or white space,
    /// which element or encoded type would have two contents, what is no part of rpc, what no type of XML
    /// Schema is, which note is of no word that is known, which one-way operation has an answer, or that there is no namespace, binding or operation.
    pub fn check(&self) -> Result<(), DescriptionError> {
        check_name("service", &self.name)?;
        if self.namespace.is_empty() {
            return error(format!("the service {} has no namespace", self.name));
        }
        for (what, empty) in
            [("bindings", self.bindings.is_empty()), ("operations", self.operations.is_empty())]
        {
            if empty {
                return error(format!("the service {} has no {what}", self.name));
            }
        }
        check_names("port", self.bindings.iter().map(|it| &*it.name))?;
        check_names("binding", self.bindings.iter().map(Binding::binding_name))?;
        self.port_type.iter().try_for_each(|it| check_name("port type", it))?;
        check_names("operation", self.operations.iter().map(|it| &*it.name))?;
        self.operations.iter().try_for_each(check_operation)?;
        self.operations.iter().try_for_each(check_notes)?;
        let mut types = Types::new(self);
        messages::collect(self, &self.shapes(), &mut types);
        types.problem().map_or(Ok(()), error)
    }
}

fn check_operation(operation: &OperationDescription) -> Result<(), DescriptionError> {
    let name = &operation.name;
    let unfit = |c: char| c == '"' || c == '\\' || c.is_whitespace() || c.is_control();
    if operation.action.contains(unfit) {
        return error(format!("the operation {name}: {:?} is no URI", operation.action));
    }
    let answers = !operation.faults.is_empty() || !operation.output_headers.is_empty();
    if operation.output.is_none() && answers {
        return error(format!("the operation {name} is one-way and has faults or answer headers"));
    }
    check_names("fault", operation.faults.iter().map(|it| &*it.0))
        .map_err(|error| DescriptionError(format!("the operation {name}: {error}")))
}

/// The notes that descriptions know; elements in any order are described in one, in which they are read too.
const KNOWN: [&str; 13] = [
    "base",
    "choice",
    "empty",
    "entry",
    "form",
    "kind",
    "list",
    "name",
    "namespace",
    "nillable",
    "order",
    "type",
    "white_space",
];
const LISTS: [&str; 5] = ["arms", "mixed", "repeated", "spaced", "unwrapped"];

/// Descriptions would say less than messages are if there were other notes.
fn check_notes(operation: &OperationDescription) -> Result<(), DescriptionError> {
    let name = &operation.name;
    for layout in messages::layouts_of(operation) {
        let message = layout.name();
        if let Some((note, what)) = unknown_note(layout) {
            return error(format!(
                "the operation {name}: no description is written of {message} yet, as xml({note}) is \
                 noted of {what} in it"
            ));
        }
    }
    Ok(())
}

/// Why no description is written of a message yet.
pub(super) fn problem_of(layout: &Layout) -> Option<String> {
    let (note, what) = unknown_note(layout)?;
    Some(format!("no description is written of it yet, as xml({note}) is noted of {what} in it"))
}

/// The first note that is not known: its word, and the type or member that it is of.
fn unknown_note(layout: &Layout) -> Option<(String, String)> {
    let (schema, notes) = (layout.schema(), layout.notes());
    let is_known = |word: &str, value: &str| {
        KNOWN.contains(&word) && (word != "list" || LISTS.contains(&value))
    };
    let is_unknown = |it: &(&str, &str, &str)| it.0 == "xml" && !is_known(it.1, it.2);
    (0..schema.types().len() as u32).map(TypeId).find_map(|of| {
        let type_name = &schema.type_of(of).name;
        // In encoded content types are described in it, in which values say them, too.
        let is_named = notes.of_type(of, "xml", "type").is_some();
        let is_meant = |it: &(&str, &str, &str)| is_named || it.1 != "type_namespace";
        if let Some((_, word, _)) = notes.all_of_type(of).filter(is_meant).find(is_unknown) {
            return Some((word.to_owned(), type_name.to_string()));
        }
        schema.members(of).iter().enumerate().find_map(|(index, member)| {
            let id = MemberId { of, index: index as u32 };
            let mut noted = notes.all_of_member(id).filter(|it| it.1 != "type_namespace");
            let (_, word, _) = noted.find(is_unknown)?;
            Some((word.to_owned(), format!("{type_name}/{}", member.name)))
        })
    })
}

fn check_names<'a>(
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), DescriptionError> {
    let mut known = HashSet::new();
    for name in names {
        check_name(what, name)?;
        if !known.insert(name) {
            return error(format!("the {what} {name} stands twice"));
        }
    }
    Ok(())
}

/// Names are those that a schema may have, so that XML may have them too.
fn check_name(what: &str, name: &str) -> Result<(), DescriptionError> {
    match is_name(name) {
        true => Ok(()),
        false => error(format!("the {what}'s name {name:?} is not a name")),
    }
}
