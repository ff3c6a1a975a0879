//! `trunkline schema NAME|FILE [MESSAGE]`

mod dictionary;
mod idl;
mod sample;
mod written;
mod xml;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_import::{Described, Description, Problem};
use trunkline_message::{
    Field, Holds, Layout, MemberId, Need, ScopeId, Shape, Structure as _, TypeId,
};

use crate::Ending;
use crate::arguments::SchemaArguments;
use crate::client::counted;
use crate::description;
use crate::fault::Fault;
use crate::output::{Form, print, remark};

use written::Target;

pub(crate) fn run(arguments: &SchemaArguments) -> Result<Ending, Fault> {
    let (name, message) = (arguments.name.as_str(), arguments.message.as_deref());
    let target = Target::of(arguments);
    if let Some(description) = sample::read(arguments)? {
        return sample::print(arguments, description, target);
    }
    if let Some(other) = arguments.samples.first() {
        return Err(Fault::new(format!(
            "{other}: {name} is no sample, of which there may be several"
        )));
    }
    let of_layout = |layout: &Arc<Layout>| Described { layout: (**layout).clone(), soap: None };
    let described = match (name, target) {
        ("market-data", _) if message.is_none() => {
            of_layout(MarketDataIncrementalRefresh::layout())
        }
        ("customer-services", _) if message.is_none() => of_layout(CustomerServices::layout()),
        (_, Some(target)) if is_there(name) => return target.of_file(arguments),
        _ if is_there(name) => match of_file(arguments)? {
            Some(described) => described,
            None => return Ok(Ending::Right),
        },
        _ if message.is_some() => {
            return Err(Fault::new(format!(
                "{name}: there is no such file, to have messages in it"
            )));
        }
        _ => {
            return Err(Fault::new(format!(
                "there is no message {name:?} and no such file; known: market-data, customer-services"
            )));
        }
    };
    if let Some(target) = target {
        return target.of_layout(arguments, &described.layout);
    }
    display(arguments, &described)
}

/// Is it a file, or a URL, of which it will be seen whether there is something?
fn is_there(name: &str) -> bool {
    name.contains("://") || Path::new(name).exists()
}

/// Prints a message as a listing or a tree.
fn display(arguments: &SchemaArguments, described: &Described) -> Result<Ending, Fault> {
    if arguments.listing {
        print(&described.listing())?;
        return Ok(Ending::Right);
    }
    let tree = Tree::of(&described.layout);
    match arguments.form.get() {
        Form::Text => print(&tree.text())?,
        Form::Json => tree.facts()?,
    }
    Ok(Ending::Right)
}

/// The message of a listing, or one of a dictionary, of IDL, of WSDL or of XML Schema. None if what is in the file was asked for, and is
/// printed.
fn of_file(arguments: &SchemaArguments) -> Result<Option<Described>, Fault> {
    let SchemaArguments { name: file, message, .. } = arguments;
    let description = description::read(file, &arguments.description)?;
    match (description, message) {
        (Description::Listing(_), Some(_)) => {
            Err(Fault::new(format!("{file}: a listing is one message; name none")))
        }
        (Description::Listing(described), None) => Ok(Some(*described)),
        (description, None) if arguments.listing => match &*listed(&description) {
            [message] => message_of(&description, file, message).map(Some),
            _ => {
                Err(Fault::new(format!("{file}: name the message whose listing is to be printed")))
            }
        },
        (description, Some(message)) => message_of(&description, file, message).map(Some),
        (Description::Fix(dictionary), None) => {
            dictionary::list(&dictionary, arguments.form.get()).map(|()| None)
        }
        (Description::Idl(specification), None) => {
            idl::list(&specification, arguments.form.get()).map(|()| None)
        }
        (Description::Services(services), None) => {
            xml::list_services(&services, arguments.form.get()).map(|()| None)
        }
        (Description::Elements(schemas), None) => {
            xml::list_elements(&schemas, arguments.form.get()).map(|()| None)
        }
        (_, None) => Err(Fault::new(format!("{file}: nothing of it is listed"))),
    }
}

/// The messages that there are; where there is one operation, what it takes and what it answers.
fn listed(description: &Description) -> Vec<String> {
    let mut names = description.messages();
    if let (Description::Services(_), [operation]) = (description, &*names) {
        let answer = format!("{operation}/response");
        let is_there = !matches!(description.layout(&answer), Ok(None));
        names.extend(is_there.then_some(answer));
    }
    names
}

/// The message of this name. What is wrong with the description is told on standard error.
fn message_of(description: &Description, file: &str, name: &str) -> Result<Described, Fault> {
    let Some(described) = description.message(name)? else {
        return Err(unknown_message(description, file, name));
    };
    warn(description, file, Some(described.layout.name()));
    Ok(described)
}

/// Warnings that are told without a look at what they are about.
const FEW: usize = 3;

/// Tells what is wrong with a description. Of many warnings those are told that are about the message, and how many others
/// there are.
fn warn(description: &Description, file: &str, message: Option<&str>) {
    let all = description.warnings();
    let about = message.filter(|_| all.len() > FEW).map(|it| format!("the message {it} "));
    let is_shown = |it: &&Problem| about.as_ref().is_none_or(|about| it.what.contains(about));
    let shown = all.iter().filter(is_shown).inspect(|it| remark(&it.to_string())).count();
    if shown < all.len() {
        let count = counted((all.len() - shown) as u64, "warning");
        remark(&format!(
            "{file}: {count} about the rest of it, which `trunkline schema {file}` tells"
        ));
    }
}

fn unknown_message(description: &Description, file: &str, name: &str) -> Fault {
    Fault::new(description.no_message(file, name))
}

/// The notes that say how what is of a type looks inside, as derive(Message) has them.
fn of_type(layout: &Layout, of: TypeId) -> String {
    let notes = layout.notes().all_of_type(of);
    shown(notes.filter(|it| (it.0, it.1) != ("fix", "message_type")))
}

/// Those about a member; FIX's numbers and codes stand in a column of their own, and entries are called
/// after their type if nothing else is said.
fn of_member(layout: &Layout, of: MemberId, entry: Option<&str>) -> String {
    let is_shown = |it: &(&str, &str, &str)| match *it {
        ("fix", word, _) => !matches!(word, "tag" | "length" | "code"),
        ("xml", "entry", name) => Some(name) != entry,
        _ => true,
    };
    shown(layout.notes().all_of_member(of).filter(is_shown))
}

fn shown<'a>(notes: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> String {
    let notes: Vec<String> =
        notes.map(|(format, word, value)| format!("{format}({word} = {value:?})")).collect();
    notes.join(" ")
}

/// The schema for a reader: what is inside something stands below it, and the values of enumerations at the end.
struct Tree<'a> {
    layout: &'a Layout,
    /// What holds itself has one scope wherever it stands, and is shown where it stands first.
    shown: HashSet<ScopeId>,
    /// In the order in which they are met.
    enumerations: Vec<TypeId>,
    lines: Vec<Line>,
}

/// A field, a component, or a value of an enumeration.
struct Line {
    depth: usize,
    name: String,
    /// The number of the field in FIX, or the code of the value.
    tag: String,
    holds: String,
    need: Need,
    /// About the member, and about what is inside.
    notes: [String; 2],
}

impl Line {
    fn text(&self) -> String {
        let Self { depth, name, tag, holds, need, notes: [own, inside] } = self;
        let need = if *need == Need::Required { "" } else { "optional" };
        let apart = |text: String, width: usize| match text.chars().count() < width {
            true => format!("{text:<width$}"),
            false => format!("{text}  "),
        };
        let text = format!("{:indent$}{name}", "", indent = 2 * depth);
        let inside = if inside.is_empty() { String::new() } else { format!("inside: {inside}") };
        let facts = format!("{tag:>5}  {holds}");
        let text = format!("{}{}{need:<10}{own} {inside}", apart(text, 42), apart(facts, 34));
        format!("{}\n", text.trim_end())
    }
}

impl<'a> Tree<'a> {
    fn of(layout: &'a Layout) -> Self {
        let mut tree =
            Self { layout, shown: HashSet::new(), enumerations: Vec::new(), lines: Vec::new() };
        tree.branch(ScopeId(0), 1);
        tree
    }

    fn message_type(&self) -> Option<&'a str> {
        self.layout.notes().of_type(self.layout.schema().root(), "fix", "message_type")
    }

    fn text(&self) -> String {
        let mut out = self.layout.name().to_owned();
        let message_type = self.message_type().map(|it| format!("35={it}"));
        let notes = of_type(self.layout, self.layout.schema().root());
        for about in message_type.into_iter().chain([notes]).filter(|it| !it.is_empty()) {
            let _ = write!(out, "  {about}");
        }
        out.push('\n');
        out.extend(self.lines.iter().map(Line::text));
        for of in &self.enumerations {
            let _ = write!(out, "\n{}\n", self.layout.schema().type_of(*of).name);
            out.extend(self.values(*of).map(|it| it.text()));
        }
        out
    }

    fn facts(&self) -> Result<(), Fault> {
        let notes = of_type(self.layout, self.layout.schema().root());
        Form::Json.fact(&json!({
            "fact": "message", "name": self.layout.name(), "message_type": self.message_type(), "notes": notes,
        }))?;
        let mut path: Vec<&str> = Vec::new();
        for Line { depth, name, tag, holds, need, notes } in &self.lines {
            path.truncate(depth - 1);
            path.push(name);
            Form::Json.fact(&json!({
                "fact": "field", "path": path.join("."), "tag": tag, "holds": holds,
                "is_required": *need == Need::Required, "notes": notes[0], "notes_inside": notes[1],
            }))?;
        }
        for of in &self.enumerations {
            let enumeration = &self.layout.schema().type_of(*of).name;
            for Line { name, tag, notes, .. } in self.values(*of) {
                Form::Json.fact(&json!({
                    "fact": "value", "enumeration": &**enumeration, "name": name, "code": tag, "notes": notes[0],
                }))?;
            }
        }
        Ok(())
    }

    fn branch(&mut self, id: ScopeId, depth: usize) {
        let layout = self.layout;
        let scope = layout.scope(id);
        let mut open: Vec<usize> = Vec::new();
        let mut components = scope.components.iter().peekable();
        for (index, field) in scope.fields.iter().enumerate() {
            open.retain(|&end| end > index);
            while let Some(component) = components.next_if(|it| it.fields.start <= index) {
                // A component without fields ends where it begins and holds nothing to show.
                if !component.fields.is_empty() {
                    let holds = if component.is_choice { "one of" } else { "" };
                    let member = component.member;
                    let members = layout.schema().members(member.of);
                    let own = of_type(layout, members[member.index as usize].of);
                    let notes = [of_member(layout, member, None), own];
                    let name = &component.name;
                    self.line(depth + open.len(), name, ("", holds), component.need, notes);
                    open.push(component.fields.end);
                }
            }
            self.field(field, depth + open.len());
        }
    }

    fn field(&mut self, field: &Field, depth: usize) {
        let layout = self.layout;
        let tag = layout.notes().of_member(field.member, "fix", "tag").unwrap_or("");
        let (inside, held) = (self.inside(field.holds), self.held(field));
        let is_known = inside.is_some_and(|it| !self.shown.insert(it));
        let above = if is_known { ", as above" } else { "" };
        let own = inside.filter(|_| !is_known).map(|it| of_type(layout, layout.scope(it).of));
        let entry = field.holds.scope().map(|it| &*layout.scope(it).name);
        let notes = [of_member(layout, field.member, entry), own.unwrap_or_default()];
        self.line(depth, &field.name, (tag, &format!("{held}{above}")), field.need, notes);
        if let Some(inside) = inside.filter(|_| !is_known) {
            self.branch(inside, depth + 1);
        }
    }

    /// The scope whose fields are shown below: of lists in lists, that of the innermost.
    fn inside(&mut self, holds: Holds) -> Option<ScopeId> {
        if let Holds::Enumeration(of) = holds
            && !self.enumerations.contains(&of)
        {
            self.enumerations.push(of);
        }
        let scope = self.layout.scope(holds.scope()?);
        match scope.shape {
            Shape::Item => self.inside(scope.fields[0].holds),
            Shape::Struct | Shape::Choice => holds.scope(),
        }
    }

    fn held(&self, field: &Field) -> String {
        let layout = self.layout;
        let item = match field.holds {
            Holds::List(kind) => kind.name().to_owned(),
            Holds::Group(scope) => match layout.scope(scope) {
                inner if inner.shape == Shape::Item => layout.type_name(&inner.fields[0]),
                inner => inner.name.to_string(),
            },
            _ => return layout.type_name(field),
        };
        match field.fixed {
            Some(count) => format!("{count} of {item}"),
            None => format!("list of {item}"),
        }
    }

    /// The values of an enumeration, with their codes in FIX.
    fn values(&self, of: TypeId) -> impl Iterator<Item = Line> {
        let layout = self.layout;
        layout.schema().values(of).iter().enumerate().map(move |(index, value)| {
            let member = MemberId { of, index: index as u32 };
            Line {
                depth: 1,
                name: value.to_string(),
                tag: layout.notes().of_member(member, "fix", "code").unwrap_or("").to_owned(),
                holds: String::new(),
                need: Need::Required,
                notes: [of_member(layout, member, None), String::new()],
            }
        })
    }

    /// A line of a field, by its number in FIX and what it holds, or of a component.
    fn line(
        &mut self,
        depth: usize,
        name: &str,
        (tag, holds): (&str, &str),
        need: Need,
        notes: [String; 2],
    ) {
        let (name, tag, holds) = (name.to_owned(), tag.to_owned(), holds.to_owned());
        self.lines.push(Line { depth, name, tag, holds, need, notes });
    }
}
