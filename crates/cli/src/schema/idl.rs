//! OMG IDL: what a file declares.

use serde_json::json;
use trunkline_import::Problem;
use trunkline_import::idl::{Body, Content, Declaration, Operation, Specification};

use crate::fault::Fault;
use crate::output::{Form, print, remark};

/// Prints what the file itself declares.
pub(super) fn list(specification: &Specification, form: Form) -> Result<(), Fault> {
    for declaration in specification.declarations().iter().filter(|it| it.is_main) {
        match form {
            Form::Text => print(&text(specification, declaration))?,
            Form::Json => form.fact(&json!({
                "fact": "declaration", "kind": kind(declaration), "name": declaration.name,
                "id": declaration.id, "line": declaration.place.line,
                "contents": contents(specification, declaration),
            }))?,
        }
    }
    for warning in specification.warnings() {
        let Problem { place, what, remedy, .. } = warning;
        match form {
            Form::Text => remark(&warning.to_string()),
            Form::Json => form.fact(&json!({
                "fact": "warning", "file": &*place.file, "line": place.line, "column": place.column,
                "what": what, "remedy": remedy,
            }))?,
        }
    }
    Ok(())
}

fn kind(declaration: &Declaration) -> &'static str {
    match &declaration.body {
        Body::Module => "module",
        Body::Forward(kind) => kind,
        Body::Interface(_) => "interface",
        Body::Struct(_) => "struct",
        Body::Exception(_) => "exception",
        Body::Union(_) => "union",
        Body::Enum(_) => "enum",
        Body::Typedef(_) => "typedef",
        Body::Const(..) => "const",
        Body::Native => "native",
        Body::ValueBox(_) | Body::Value(_) => "valuetype",
    }
}

/// The operations and attributes of an interface or value type, as IDL writes them.
fn contents(specification: &Specification, declaration: &Declaration) -> Vec<String> {
    let contents: &[Content] = match &declaration.body {
        Body::Interface(interface) => &interface.contents,
        Body::Value(value) => &value.contents,
        _ => &[],
    };
    let shown = |it: &Content| match it {
        Content::Operation(operation) => signature(specification, operation),
        Content::Attribute { names, of, is_readonly } => {
            let readonly = if *is_readonly { "readonly " } else { "" };
            format!("{readonly}attribute {} {}", specification.shown(of), names.join(", "))
        }
    };
    contents.iter().map(shown).collect()
}

/// A line for what is declared, and one for each operation and attribute, as deep as the name.
fn text(specification: &Specification, declaration: &Declaration) -> String {
    // What a name before its declaration says, that says as well.
    if let Body::Forward(_) = declaration.body {
        return String::new();
    }
    let depth = 2 * declaration.name.matches("::").count();
    let name = declaration.name.rsplit("::").next().unwrap_or_default();
    let more = match &declaration.body {
        Body::Typedef(typed) => {
            let dimensions = typed.dimensions.iter().map(|it| format!("[{it}]"));
            format!("  {}{}", specification.shown(&typed.of), dimensions.collect::<String>())
        }
        Body::Const(of, value) => format!("  {} = {value}", specification.shown(of)),
        Body::Enum(values) => format!("  {}", values.join(", ")),
        _ => String::new(),
    };
    let mut text = format!("{:depth$}{} {name}{more}\n", "", kind(declaration));
    for content in contents(specification, declaration) {
        text += &format!("{:depth$}  {content}\n", "");
    }
    text
}

fn signature(specification: &Specification, operation: &Operation) -> String {
    let returns = operation.returns.as_ref().map_or("void".into(), |it| specification.shown(it));
    let parameters = operation.parameters.iter();
    let parameters = parameters
        .map(|it| format!("{} {} {}", it.direction, specification.shown(&it.of), it.name))
        .collect::<Vec<_>>()
        .join(", ");
    let oneway = if operation.is_oneway { "oneway " } else { "" };
    let raises = operation.raises.iter().map(|it| &*specification.declaration(*it).name);
    let raises = raises.collect::<Vec<_>>().join(", ");
    let raises = if raises.is_empty() { raises } else { format!(" raises ({raises})") };
    format!("{oneway}{returns} {}({parameters}){raises}", operation.name)
}
