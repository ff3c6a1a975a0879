//! `trunkline schema NAME|FILE`

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Field, Holds, Layout, Need, ScopeId, Structure as _};

use crate::Ending;
use crate::arguments::SchemaArguments;
use crate::fault::Fault;
use crate::output::print;

/// Bytes of a listing that are read at most.
const FILE_BYTES: u64 = 16 << 20;

pub(crate) fn run(arguments: &SchemaArguments) -> Result<Ending, Fault> {
    let layout = match arguments.name.as_str() {
        "market-data" => MarketDataIncrementalRefresh::layout().clone(),
        "customer-services" => CustomerServices::layout().clone(),
        name if Path::new(name).exists() => Arc::new(read(name)?),
        name => {
            return Err(Fault::new(format!(
                "there is no message {name:?} and no such file; known: market-data, customer-services"
            )));
        }
    };
    print(&if arguments.listing { layout.listing() } else { tree(&layout) })?;
    Ok(Ending::Right)
}

fn read(file: &str) -> Result<Layout, Fault> {
    let unreadable = |cause: io::Error| Fault::new(format!("{file}: cannot be read: {cause}"));
    let mut text = String::new();
    let input = File::open(file).map_err(unreadable)?;
    let length = input.take(FILE_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    if length as u64 > FILE_BYTES {
        return Err(Fault::new(format!("{file}: more than {FILE_BYTES} bytes")));
    }
    Layout::from_listing(&text).map_err(|error| {
        let error = error.to_string();
        let colon = if error.starts_with("line ") { "" } else { ":" };
        Fault::new(format!("{file}{colon} {error}"))
    })
}

/// The schema for a reader: components and groups with their fields indented below them.
fn tree(layout: &Layout) -> String {
    let mut out = layout.name().to_owned();
    if let Some(message_type) =
        layout.notes().of_type(layout.schema().root(), "fix", "message_type")
    {
        let _ = write!(out, "  35={message_type}");
    }
    out.push('\n');
    branch(layout, ScopeId(0), 1, &mut out);
    out
}

fn branch(layout: &Layout, id: ScopeId, depth: usize, out: &mut String) {
    let scope = layout.scope(id);
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
        line(out, depth, &field.name, &facts(layout, field), field.need);
        if let Some(inner) = field.holds.scope() {
            branch(layout, inner, depth + 1, out);
        }
    }
}

fn line(out: &mut String, depth: usize, name: &str, facts: &str, need: Need) {
    let need = if need == Need::Required { "" } else { "optional" };
    let text = format!("{:indent$}{name}", "", indent = 2 * depth);
    let text = format!("{text:<42}{facts:<34}{need}");
    out.push_str(text.trim_end());
    out.push('\n');
}

/// FIX's tag of a field, and what it holds.
fn facts(layout: &Layout, field: &Field) -> String {
    let tag = layout.notes().of_member(field.member, "fix", "tag").unwrap_or("");
    let holds = match field.holds {
        Holds::Group(scope) => format!("list of {}", layout.scope(scope).name),
        Holds::List(kind) => format!("list of {}", kind.name()),
        _ => layout.type_name(field),
    };
    format!("{tag:>5}  {holds}")
}
