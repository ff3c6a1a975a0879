//! Interfaces: operations, attributes, and what they raise.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::declare::Declarer;
use super::names::{Taken, reference, resolved, written};
use crate::calls::{Call, Interface, parts};

/// Declares interfaces, one after the other.
pub(super) struct Interfaces<'d, 'a> {
    pub(super) declarer: &'d mut Declarer<'a>,
    /// The messages of all layouts of calls.
    pub(super) roots: &'d [usize],
    /// The interfaces that are declared, with their modules.
    pub(super) known: HashSet<String>,
}

impl Interfaces<'_, '_> {
    /// Declares an interface in a module, and says which operations it has not.
    pub(super) fn declare(&mut self, interface: &Interface, module: &str) -> Vec<(String, String)> {
        let outer = std::mem::replace(&mut self.declarer.module, module.to_owned());
        let (mut left_out, mut lines) = (Vec::new(), Vec::new());
        let mut names = Taken::default();
        for call in &interface.calls {
            if call.name.starts_with("_set_") {
                continue;
            }
            let savepoint = self.declarer.savepoint();
            match self.call(interface, call, &mut names) {
                Ok(line) => lines.push(line),
                Err(why) => {
                    self.declarer.take_back(savepoint);
                    left_out.push((call.name.clone(), why));
                }
            }
        }
        let name = self.declarer.taken.take(module, &interface.name);
        let mut bases = Vec::new();
        for base in &interface.bases {
            match self.known.contains(base) {
                true => bases.push(base),
                false => left_out.push((
                    format!("the base {base} of {}", interface.name),
                    "it is of another file".to_owned(),
                )),
            }
        }
        let bases: Vec<String> =
            bases.iter().map(|it| resolved(&reference_of(it), module, &HashSet::new())).collect();
        let bases =
            if bases.is_empty() { String::new() } else { format!(" : {}", bases.join(", ")) };
        let mut text = format!("interface {}{bases} {{\n", written(&name));
        // What an operation or parameter is called hides types of the name.
        let own = lines.iter().flat_map(|it| &it.1).map(|it| it.to_ascii_lowercase());
        let hidden: HashSet<String> = own.chain([name.to_ascii_lowercase()]).collect();
        for (line, _) in &lines {
            let _ = writeln!(text, "  {};", resolved(line, module, &hidden));
        }
        text.push_str("};\n");
        self.declarer.text.push((module.to_owned(), text));
        self.declarer.module = outer;
        let own = if module.is_empty() { name } else { format!("{module}::{name}") };
        self.known.insert(own);
        left_out
    }

    /// The text of an operation or attribute, and the names in it.
    fn call(
        &mut self,
        interface: &Interface,
        call: &Call,
        names: &mut Taken,
    ) -> Result<(String, Vec<String>), String> {
        if let Some(attribute) = call.name.strip_prefix("_get_") {
            let set = format!("_set_{attribute}");
            let is_readonly = interface.calls.iter().all(|it| it.name != set);
            let of = self.member(call.reply, "result")?.unwrap_or_else(|| "void".to_owned());
            let name = names.take("", attribute);
            let readonly = if is_readonly { "readonly " } else { "" };
            return Ok((format!("{readonly}attribute {of} {}", written(&name)), vec![name]));
        }
        let mut parameters = Vec::new();
        let mut own = Taken::default();
        let mut hidden = Vec::new();
        let all = match &call.parameters {
            Some(all) => all.clone(),
            None => {
                self.held(call.request).map(|_| ("in", "request".to_owned())).into_iter().collect()
            }
        };
        for (direction, parameter) in all {
            let layout = if direction == "out" { call.reply } else { call.request };
            let of = match call.parameters {
                Some(_) => self.member(layout, &parameter)?.ok_or("a parameter has no type")?,
                None => self.whole(call.request)?,
            };
            let name = own.take("", &parameter);
            parameters.push(format!("{direction} {of} {}", written(&name)));
            hidden.push(name);
        }
        let result = match (&call.parameters, call.reply) {
            (Some(_), reply) => self.member(reply, "result")?,
            (None, reply) => match self.held(reply) {
                Some(_) => Some(self.whole(reply)?),
                None => None,
            },
        };
        let mut raised = Vec::new();
        for (name, layout) in &call.faults {
            raised.push(match call.parameters {
                Some(_) => self.declarer.message(self.roots[*layout])?,
                None => self.exception(name, *layout)?,
            });
        }
        let raises = match &*raised {
            [] => String::new(),
            all => format!(" raises ({})", all.join(", ")),
        };
        let is_oneway = !call.is_answered && raised.is_empty() && result.is_none();
        let oneway = if is_oneway { "oneway " } else { "" };
        let result = result.unwrap_or_else(|| "void".to_owned());
        let name = names.take("", &call.name);
        hidden.push(name.clone());
        let parameters = parameters.join(", ");
        Ok((format!("{oneway}{result} {}({parameters}){raises}", written(&name)), hidden))
    }

    /// The type of a member of what is taken or answered; none if there is no such member.
    fn member(&mut self, layout: Option<usize>, name: &str) -> Result<Option<String>, String> {
        let Some(root) = layout.map(|it| self.roots[it]) else { return Ok(None) };
        let members = self.declarer.graph.types[root].members();
        match members.iter().position(|it| &*it.name == name) {
            Some(member) => self.declarer.parameter(root, member).map(Some),
            None => Ok(None),
        }
    }

    /// What is taken or answered, if there is anything in it.
    fn held(&self, layout: Option<usize>) -> Option<usize> {
        layout.filter(|it| !self.declarer.is_empty(self.roots[*it], &mut Vec::new()))
    }

    /// The type of all that is taken or answered.
    fn whole(&mut self, layout: Option<usize>) -> Result<String, String> {
        let root = self.roots[layout.ok_or("nothing is said")?];
        self.declarer.message(root)
    }

    /// The exception around the detail of a fault.
    fn exception(&mut self, name: &str, layout: usize) -> Result<String, String> {
        let detail = self.whole(Some(layout))?;
        let module = self.declarer.module.clone();
        let key = format!("exception {name} {detail}");
        if let Some(known) = self.declarer.named(&key) {
            return Ok(known);
        }
        let name = self.declarer.taken.take(&module, &format!("{name}_raised"));
        let hidden = HashSet::from(["detail".to_owned()]);
        let detail = resolved(&detail, &module, &hidden);
        let text = format!("exception {} {{\n  {detail} detail;\n}};\n", written(&name));
        self.declarer.text.push((module.clone(), text));
        let own = reference(&module, &name);
        self.declarer.name(key, own.clone());
        Ok(own)
    }
}

/// The reference of an interface by its name from the outermost scope on.
fn reference_of(name: &str) -> String {
    let (module, name) = parts(name);
    reference(&module, &name)
}
