//! Rust: structs and enums with `derive(Message)`, whose layouts are those of the description; of WSDL, clients and
//! services as well, and of the interfaces of IDL, over SOAP.
//!
//! A type that several messages have is one type, whichever layouts it stands in. A name that is none in Rust, or
//! stands twice, is changed, and an attribute has the name that messages have. These have no form, and the messages that
//! hold them are left out:
//!
//! - numbers of 8 bits without sign in a list, since a `Vec<u8>` is data;
//! - a type that holds itself in every message, by way of the arms of a choice or an array;
//! - notes that no attribute says.
//!
//! A choice that may be absent is an `Option` of an enum, which is implied by its arms.

mod attributes;
mod declaration;
mod form;
mod names;
mod services;

use std::fmt::Write as _;

use trunkline_import::{Description, Problem, fix};
use trunkline_message::Layout;

use crate::types::Graph;
use crate::{LeftOut, Messages, Written};
use declaration::{Declarations, Declared};

/// The module of a description: every message of it, or the one of this name. `file` is what it says that it is
/// made of.
///
/// # Errors
/// There is no message of the name, or it has no layout.
pub fn module(
    file: &str,
    description: &Description,
    only: Option<&str>,
) -> Result<Written, Problem> {
    if let (Description::Services(services), None) = (description, only) {
        return Ok(services::module(file, services));
    }
    let all = Messages::of(description, only)?;
    if let (Description::Idl(specification), None) = (description, only) {
        return Ok(services::module_of_idl(file, specification, all));
    }
    let Messages { messages, mut left_out } = all;
    let layouts: Vec<&Layout> = messages.iter().map(|it| &it.layout).collect();
    let graph = Graph::of(&layouts);
    let titles: Vec<String> = messages.iter().map(|it| title(description, &it.name)).collect();
    let titles: Vec<&str> = titles.iter().map(|it| &**it).collect();
    let declarations = Declarations::new(&graph, &titles);
    left_out.extend(declarations.left_out());
    Ok(written(file, &declarations, String::new(), left_out))
}

/// The module of one layout, which is of no description.
pub fn of_layout(file: &str, layout: &Layout) -> Written {
    let graph = Graph::of(&[layout]);
    let title = format!("The message `{}`.", layout.name());
    let declarations = Declarations::new(&graph, &[&title]);
    let left_out = declarations.left_out();
    written(file, &declarations, String::new(), left_out)
}

/// What a struct says that it is.
fn title(description: &Description, name: &str) -> String {
    match description {
        Description::Fix(dictionary) => {
            let found = dictionary.message(name);
            found.map_or_else(String::new, |it: &fix::Message| {
                format!("The message `{}`, MsgType `{}`.", it.title, it.message_type)
            })
        }
        Description::Elements(_) => format!("The element `{name}`."),
        Description::Services(_) => format!("`{name}` of WSDL."),
        Description::Idl(_) => format!("`{name}` of IDL."),
        _ => format!("The message `{name}`."),
    }
}

/// The types of messages, and what is to stand behind them.
fn written(
    file: &str,
    declarations: &Declarations<'_>,
    behind: String,
    left_out: Vec<LeftOut>,
) -> Written {
    let mut text = format!(
        "//! The messages of {}, by `trunkline schema --rust`. Change the description and make them again, or change them\n\
         //! here. In a crate that asks for documentation: `#[allow(missing_docs)] mod ...;`\n",
        one_line(file)
    );
    for LeftOut { what, why } in &left_out {
        let _ = writeln!(text, "// Left out: {}: {}", one_line(what), one_line(why));
    }
    let declared = declarations.text();
    let Declared { text: body, used, count } = declared;
    text.push('\n');
    let of_message: Vec<&str> = used.iter().copied().filter(|it| *it == "Any").collect();
    let of_wire: Vec<&str> = used.iter().copied().filter(|it| *it != "Any").collect();
    if !body.is_empty() {
        let imported: Vec<&str> = of_message.into_iter().chain(["Message"]).collect();
        let _ = writeln!(text, "use trunkline_message::{};", imports(&imported));
    }
    if !behind.is_empty() {
        text.push_str("use trunkline_session::soap;\n");
    }
    if !of_wire.is_empty() {
        let _ = writeln!(text, "use trunkline_wire::{};", imports(&of_wire));
    }
    text.push_str(&body);
    text.push_str(&behind);
    Written { text, count, left_out, ..Written::default() }
}

fn imports(names: &[&str]) -> String {
    match names {
        [one] => (*one).to_owned(),
        names => format!("{{{}}}", names.join(", ")),
    }
}

/// Text as a comment has it.
fn one_line(text: &str) -> String {
    text.replace(|it: char| it.is_control(), " ")
}
