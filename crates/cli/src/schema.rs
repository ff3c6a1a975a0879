//! `trunkline schema NAME|FILE`

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Field, Kind, Need, Schema, ScopeId, Structure as _};

use crate::Ending;
use crate::arguments::SchemaArguments;
use crate::fault::Fault;
use crate::output::print;

/// Bytes of a listing that are read at most.
const FILE_BYTES: u64 = 16 << 20;

pub(crate) fn run(arguments: &SchemaArguments) -> Result<Ending, Fault> {
    let schema = match arguments.name.as_str() {
        "market-data" => MarketDataIncrementalRefresh::schema().clone(),
        "customer-services" => CustomerServices::schema().clone(),
        name if Path::new(name).exists() => Arc::new(read(name)?),
        name => {
            return Err(Fault::new(format!(
                "there is no message {name:?} and no such file; known: market-data, customer-services"
            )));
        }
    };
    print(&if arguments.listing { schema.listing() } else { tree(&schema) })?;
    Ok(Ending::Right)
}

fn read(file: &str) -> Result<Schema, Fault> {
    let unreadable = |cause: io::Error| Fault::new(format!("{file}: cannot be read: {cause}"));
    let mut text = String::new();
    let input = File::open(file).map_err(unreadable)?;
    let length = input.take(FILE_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    if length as u64 > FILE_BYTES {
        return Err(Fault::new(format!("{file}: more than {FILE_BYTES} bytes")));
    }
    Schema::from_listing(&text).map_err(|error| {
        let error = error.to_string();
        let colon = if error.starts_with("line ") { "" } else { ":" };
        Fault::new(format!("{file}{colon} {error}"))
    })
}

/// The schema for a reader: components and groups with their fields indented below them.
fn tree(schema: &Schema) -> String {
    let mut out = schema.name().to_owned();
    if !schema.message_type().is_empty() {
        let _ = write!(out, "  35={}", schema.message_type());
    }
    out.push('\n');
    branch(schema, ScopeId(0), 1, &mut out);
    out
}

fn branch(schema: &Schema, id: ScopeId, depth: usize, out: &mut String) {
    let scope = schema.scope(id);
    let mut open: Vec<usize> = Vec::new();
    let mut components = scope.components.iter().peekable();
    for (index, field) in scope.fields.iter().enumerate() {
        open.retain(|&end| end > index);
        while let Some(component) = components.next_if(|it| it.fields.start <= index) {
            // A component without fields ends where it begins and holds nothing to show.
            if !component.fields.is_empty() {
                line(out, depth + open.len(), &component.name, "", component.need);
                open.push(component.fields.end);
            }
        }
        let depth = depth + open.len();
        line(out, depth, &field.name, &facts(schema, field), field.need);
        if let Kind::Group(inner) = field.kind {
            branch(schema, inner, depth + 1, out);
        }
    }
}

fn line(out: &mut String, depth: usize, name: &str, facts: &str, need: Need) {
    let need = if need == Need::Optional { "optional" } else { "" };
    let text = format!("{:indent$}{name}", "", indent = 2 * depth);
    let text = format!("{text:<42}{facts:<34}{need}");
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Number and kind of a field.
fn facts(schema: &Schema, field: &Field) -> String {
    let number = if field.number == 0 { String::new() } else { field.number.to_string() };
    let kind = match field.kind {
        Kind::Group(scope) => format!("list of {}", schema.scope(scope).name),
        Kind::Integers(kind) => format!("list of {}", kind.name()),
        Kind::Floats => "list of f64".to_owned(),
        Kind::Integer(kind) => kind.name().to_owned(),
        Kind::Float => "f64".to_owned(),
        kind => format!("{kind:?}").to_lowercase(),
    };
    format!("{number:>5}  {kind}")
}
