//! What a description must be.

use std::collections::HashSet;
use std::fmt;

use trunkline_codec::soap::note_beyond_elements;
use trunkline_message::is_name;

use super::types::Types;
use super::{Description, OperationDescription, messages};

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
    /// which element or encoded type would have two contents, which choice or unwrapped list is no part of
    /// rpc, which one-way operation has an answer, or that there is no namespace, binding or operation.
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
        check_names("binding", self.bindings.iter().map(|it| &it.name))?;
        check_names("operation", self.operations.iter().map(|it| &it.name))?;
        self.operations.iter().try_for_each(check_operation)?;
        self.operations.iter().try_for_each(check_notes)?;
        let mut types = Types::default();
        messages::collect(self, &self.shapes(), &mut types);
        if let Some(name) = types.clash() {
            return error(format!("the element {name} would have two different contents"));
        }
        if let Some((message, what)) = types.no_part() {
            return error(format!(
                "the message {message} has {what} in it, which may stand otherwise than once, as parts of rpc \
                 do: put it into a struct, or use document/literal"
            ));
        }
        match types.type_clash() {
            Some(name) => error(format!(
                "two different structs are named {name}, which encoded messages name their types by; \
                 give one another name: #[message(name = \"...\")]"
            )),
            None => Ok(()),
        }
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
    check_names("fault", operation.faults.iter().map(|(name, _)| name))
        .map_err(|error| DescriptionError(format!("the operation {name}: {error}")))
}

/// Descriptions say all that is in the namespace of the service, or in none, by its form, as elements.
fn check_notes(operation: &OperationDescription) -> Result<(), DescriptionError> {
    let OperationDescription { name, input, output, faults, .. } = operation;
    let headers = operation.input_headers.iter().chain(&operation.output_headers);
    let faults = faults.iter().map(|(_, layout)| layout);
    for layout in [input].into_iter().chain(output).chain(faults).chain(headers) {
        if let Some((note, what)) = note_beyond_elements(layout) {
            let message = layout.name();
            return error(format!(
                "the operation {name}: no description is written of {message} yet, as xml({note}) is \
                 noted of {what} in it"
            ));
        }
    }
    Ok(())
}

fn check_names<'a>(
    what: &str,
    names: impl Iterator<Item = &'a String>,
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
