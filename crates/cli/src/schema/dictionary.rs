//! FIX dictionaries: which messages are in one.

use serde_json::json;
use trunkline_bench::table::{Align, Table};
use trunkline_import::Problem;
use trunkline_import::fix::{Dictionary, Message};

use crate::client::counted;
use crate::fault::Fault;
use crate::output::{Form, plain, print, print_table, remark};

/// Prints what is in a dictionary.
pub(super) fn list(dictionary: &Dictionary, form: Form) -> Result<(), Fault> {
    match form {
        Form::Text => text(dictionary)?,
        Form::Json => facts(dictionary)?,
    }
    Ok(())
}

fn text(dictionary: &Dictionary) -> Result<(), Fault> {
    let begin_string = match dictionary.begin_string() {
        Some(known) => format!(", BeginString {known}"),
        None => String::new(),
    };
    print(&format!(
        "{}{begin_string}: {}, {}, {}, {}\n\n",
        plain(dictionary.version()),
        counted(dictionary.messages().len() as u64, "message"),
        counted(dictionary.components().len() as u64, "component"),
        counted(dictionary.groups().len() as u64, "group"),
        counted(dictionary.fields().len() as u64, "field")
    ))?;
    let mut table = Table::new(["MsgType", "message", "called"].map(|it| (it, Align::Left)));
    for message in dictionary.messages() {
        let Message { name, title, message_type, .. } = message;
        table.row([&**message_type, name, if title == name { "" } else { title }]);
    }
    print_table(table)?;
    dictionary.warnings().iter().for_each(|it| remark(&it.to_string()));
    Ok(())
}

fn facts(dictionary: &Dictionary) -> Result<(), Fault> {
    Form::Json.fact(&json!({
        "fact": "dictionary", "version": dictionary.version(), "begin_string": dictionary.begin_string(),
        "messages": dictionary.messages().len(), "components": dictionary.components().len(),
        "groups": dictionary.groups().len(), "fields": dictionary.fields().len(),
    }))?;
    for Message { name, title, message_type, place, .. } in dictionary.messages() {
        Form::Json.fact(&json!({
            "fact": "message_of_dictionary", "name": name, "title": title, "message_type": message_type,
            "line": place.line,
        }))?;
    }
    for Problem { place, what, remedy, .. } in dictionary.warnings() {
        Form::Json.fact(&json!({
            "fact": "warning", "file": &*place.file, "line": place.line, "column": place.column,
            "what": what, "remedy": remedy,
        }))?;
    }
    Ok(())
}
