//! OMG IDL: what a file declares.

use serde_json::json;
use trunkline_import::Problem;
use trunkline_import::idl::{
    Body, Constant, Content, Declaration, DeclarationId, Operation, Specification,
};

use crate::fault::Fault;
use crate::output::{Form, print, remark};

/// Prints what the file itself declares.
pub(super) fn list(specification: &Specification, form: Form) -> Result<(), Fault> {
    let all = specification.declarations().iter().enumerate();
    for (index, declaration) in all.filter(|it| it.1.is_main) {
        let inherited = inherited(specification, DeclarationId(index));
        match form {
            Form::Text => print(&text(specification, declaration, &inherited))?,
            Form::Json => {
                let inherited = inherited.iter();
                form.fact(&json!({
                    "fact": "declaration", "kind": kind(declaration), "name": declaration.name,
                    "id": declaration.id, "line": declaration.place.line,
                    "type": type_of(specification, declaration),
                    "value": value_of(specification, declaration),
                    "values": values_of(declaration),
                    "bases": bases(specification, declaration),
                    "contents": contents(specification, declaration),
                    "inherited": inherited
                        .map(|it| json!({"from": it.from, "content": it.content}))
                        .collect::<Vec<_>>(),
                }))?;
            }
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

/// The names of the interfaces and value types that one names as its bases, or supports.
fn bases(specification: &Specification, declaration: &Declaration) -> Vec<String> {
    let name = |it: &DeclarationId| specification.declaration(*it).name.clone();
    match &declaration.body {
        Body::Interface(interface) => interface.bases.iter().map(name).collect(),
        Body::Value(value) => value.bases.iter().chain(&value.supports).map(name).collect(),
        _ => Vec::new(),
    }
}

/// An operation or attribute that is declared elsewhere.
struct Inherited<'a> {
    from: &'a str,
    content: String,
}

/// What an interface or value type has of its bases, and of theirs.
fn inherited(specification: &Specification, of: DeclarationId) -> Vec<Inherited<'_>> {
    let all = specification.inherited(of).into_iter().map(|it| specification.declaration(it));
    all.flat_map(|from| {
        contents(specification, from)
            .into_iter()
            .map(|content| Inherited { from: &from.name, content })
    })
    .collect()
}

/// The type of a typedef or constant, as IDL writes it.
fn type_of(specification: &Specification, declaration: &Declaration) -> Option<String> {
    match &declaration.body {
        Body::Typedef(typed) => {
            let dimensions = typed.dimensions.iter().map(|it| format!("[{it}]"));
            Some(specification.shown(&typed.of) + &dimensions.collect::<String>())
        }
        Body::Const(of, _) => Some(specification.shown(of)),
        _ => None,
    }
}

/// What a constant is; of one of an enumeration the name of its value.
fn value_of(specification: &Specification, declaration: &Declaration) -> Option<String> {
    match &declaration.body {
        Body::Const(_, Constant::Enumerator(of, place)) => {
            match &specification.declaration(*of).body {
                Body::Enum(values) => values.get(*place as usize).cloned(),
                _ => None,
            }
        }
        Body::Const(_, value) => Some(value.to_string()),
        _ => None,
    }
}

/// The values of an enumeration.
fn values_of(declaration: &Declaration) -> &[String] {
    match &declaration.body {
        Body::Enum(values) => values,
        _ => &[],
    }
}

/// A line for what is declared, and one for each operation and attribute, as deep as the name; those that are inherited name
/// from where.
fn text(
    specification: &Specification,
    declaration: &Declaration,
    inherited: &[Inherited<'_>],
) -> String {
    // What a name before its declaration says, that says as well.
    if let Body::Forward(_) = declaration.body {
        return String::new();
    }
    let depth = 2 * declaration.name.matches("::").count();
    let name = declaration.name.rsplit("::").next().unwrap_or_default();
    let of = type_of(specification, declaration);
    let value = value_of(specification, declaration);
    let more = match (of, value) {
        (Some(of), Some(value)) => format!("  {of} = {value}"),
        (Some(of), None) => format!("  {of}"),
        _ => match (&*bases(specification, declaration), values_of(declaration)) {
            ([], []) => String::new(),
            ([], values) => format!("  {}", values.join(", ")),
            (bases, _) => format!(" : {}", bases.join(", ")),
        },
    };
    let mut text = format!("{:depth$}{} {name}{more}\n", "", kind(declaration));
    for content in contents(specification, declaration) {
        text += &format!("{:depth$}  {content}\n", "");
    }
    for Inherited { from, content } in inherited {
        text += &format!("{:depth$}  {content}  of {from}\n", "");
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
