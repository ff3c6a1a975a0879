//! The layout of what was found.

use std::sync::Arc;

use trunkline_message::{Kind, MemberId, Need, TypeId, is_name};
use trunkline_soap as soap;

use super::node::{Node, Slot};
use super::{Note, Sample, node};
use crate::xsd::{Builder, Members, Name, Schemas};
use crate::{Described, Place, Problem};

/// The message of this name that is such a node.
pub(super) fn described(
    name: &node::Name,
    node: &Node,
    is_json: bool,
    place: &Place,
) -> Result<Sample, Problem> {
    let schemas = Schemas::empty();
    let builder = Builder::new(&schemas, false);
    let mut writer = Writer { builder, notes: Vec::new(), path: vec![name.local.clone()], is_json };
    if node.count == 1 {
        let what =
            "of one sample: all that is in it is required, and a list only if it repeats there";
        writer.doubt(what.to_owned());
    }
    let root = writer.builder.declare(&name.local);
    match is_content(node) {
        true => {
            let what = format!(
                "{name} has text between its elements, or a value in one sample and more in another"
            );
            return Err(Problem::new(
                place,
                what,
                "give samples of one shape: there is no other for a whole message",
            ));
        }
        false => writer.fill(root, node, &name.namespace),
    }
    let Writer { builder, notes, .. } = writer;
    let layout = builder.finish(root, place)?;
    let options = soap::Options {
        style: soap::Style::DocumentLiteral,
        layout: soap::Layout::Operation,
        operation: name.local.clone(),
        namespace: name.namespace.to_string(),
        qualified: false,
        zone: true,
        ..soap::Options::default()
    };
    let soap = (!is_json).then_some(options);
    Ok(Sample { described: Described { layout, soap }, headers: Vec::new(), notes })
}

/// Is it content of any shape: text between elements, or now a value and now something with others inside?
fn is_content(node: &Node) -> bool {
    let has_elements = node.slots.iter().any(|it| !it.name.is_attribute);
    let is_list = node.items.is_some();
    node.is_mixed || !node.values.is_empty() && (has_elements || is_list) || has_elements && is_list
}

struct Writer<'a> {
    builder: Builder<'a>,
    notes: Vec<Note>,
    path: Vec<String>,
    is_json: bool,
}

/// What a member holds.
enum Held {
    Value(Kind),
    Struct(TypeId),
    /// Items, of elements with this name.
    List(Box<Held>, Option<String>),
    Any,
}

impl Writer<'_> {
    fn doubt(&mut self, what: String) {
        self.notes.push(Note { path: self.path.join("/"), what });
    }

    fn note(&mut self, member: MemberId, word: &str, value: &str) {
        self.builder.types.notes().note_member(member, "xml", word, value);
    }

    /// The members of a struct.
    fn fill(&mut self, of: TypeId, node: &Node, target: &Arc<str>) {
        let mut members = Members::new(of, target);
        let has_elements = node.slots.iter().any(|it| !it.name.is_attribute);
        if !has_elements && !node.values.is_empty() && node.items.is_none() {
            let kind = self.kind(node);
            let of = self.builder.types.scalar(kind);
            let member = members.add("value", of, Need::Required);
            self.note(member, "kind", "text");
        }
        for slot in &node.slots {
            self.path.push(slot.name.local.clone());
            match slot.name.is_attribute {
                true => self.attribute(&mut members, node, slot),
                false => self.element(&mut members, node, slot, target),
            }
            self.path.pop();
        }
        if node.is_in_any_order && !self.is_json {
            self.builder.types.notes().note_type(of, "xml", "order", "any");
            self.doubt("elements stand in different orders: any is taken".to_owned());
        }
        members.finish(&mut self.builder);
    }

    fn attribute(&mut self, members: &mut Members, around: &Node, slot: &Slot) {
        let kind = self.kind(&slot.node);
        let of = self.builder.types.scalar(kind);
        let need = if slot.around == around.count { Need::Required } else { Need::Optional };
        let member = members.add(&slot.name.local, of, need);
        self.note(member, "kind", "attribute");
        if members.name_of(member) != slot.name.local {
            self.note(member, "name", &slot.name.local);
        }
        if !slot.name.namespace.is_empty() {
            self.note(member, "namespace", &slot.name.namespace);
        }
    }

    fn element(&mut self, members: &mut Members, around: &Node, slot: &Slot, target: &Arc<str>) {
        let Slot { name, node, .. } = slot;
        if self.is_json && !is_name(&name.local) {
            return self.doubt("left out: no message may have a member of this name".to_owned());
        }
        let Some(held) = self.held(node, name, target) else { return };
        let is_there = slot.around == around.count && slot.nils == 0;
        let is_nil = slot.nils > 0 && !self.is_json;
        let (of, need, words) = match held {
            held if slot.most > 1 => {
                let (of, mut words) = self.item(held);
                words.push(("list", "unwrapped".to_owned()));
                let of = self.builder.types.list(of, None);
                (of, if is_there { Need::Required } else { Need::Implied }, words)
            }
            Held::List(inner, entry) => {
                let (of, mut words) = self.item(*inner);
                words.extend(entry.map(|it| ("entry", it)));
                let of = self.builder.types.list(of, None);
                (of, if is_there { Need::Required } else { Need::Optional }, words)
            }
            held => {
                let (of, words) = self.item(held);
                (of, if is_there { Need::Required } else { Need::Optional }, words)
            }
        };
        let member = members.add(&name.local, of, need);
        if !self.is_json {
            let name = Name::new(name.namespace.clone(), &*name.local);
            members.element_named(&mut self.builder, member, &name);
        }
        words.into_iter().for_each(|(word, value)| self.note(member, word, &value));
        if is_nil && slot.most == 1 {
            self.note(member, "nillable", "true");
        }
        if is_nil && (slot.most > 1 || slot.around < around.count) {
            self.doubt(
                "nil in one sample and absent in another, or one of several: it is read as absent"
                    .to_owned(),
            );
        }
    }

    /// The type of what is held, and what is noted of the member.
    fn item(&mut self, held: Held) -> (TypeId, Vec<(&'static str, String)>) {
        match held {
            Held::Value(kind) => (self.builder.types.scalar(kind), Vec::new()),
            Held::Struct(of) => (of, Vec::new()),
            Held::Any => {
                (self.builder.types.scalar(Kind::Any), vec![("kind", "element".to_owned())])
            }
            Held::List(inner, ..) => {
                let (of, words) = self.item(*inner);
                (self.builder.types.list(of, None), words)
            }
        }
    }

    /// What there is; none if it has no form, which is said.
    fn held(&mut self, node: &Node, name: &node::Name, target: &Arc<str>) -> Option<Held> {
        if is_content(node) {
            let what = "text between elements, or a value in one sample and more in another";
            if self.is_json {
                self.doubt(format!("left out: {what}"));
                return None;
            }
            self.doubt(format!("{what}: content of any shape"));
            return Some(Held::Any);
        }
        if let Some(items) = &node.items {
            if items.count == 0 {
                self.doubt("always empty: a list of texts, or of anything".to_owned());
                return Some(Held::List(Box::new(Held::Value(Kind::Text)), None));
            }
            let inner = self.held(items, name, target)?;
            return Some(Held::List(Box::new(inner), None));
        }
        if let Some(list) = self.wrapped(node, name, target) {
            return Some(list);
        }
        if node.slots.is_empty() && node.structs > 0 {
            self.doubt("left out: always an object with nothing in it".to_owned());
            return None;
        }
        if node.slots.is_empty() {
            return Some(Held::Value(self.kind(node)));
        }
        let of = self.builder.declare(&name.local);
        let own = if name.namespace.is_empty() { target } else { &name.namespace };
        self.fill(of, node, own);
        Some(Held::Struct(of))
    }

    /// An element around several of one name, and nothing else.
    fn wrapped(&mut self, node: &Node, name: &node::Name, target: &Arc<str>) -> Option<Held> {
        let [slot] = &*node.slots else { return None };
        let is_list = !self.is_json
            && slot.most > 1
            && slot.nils == 0
            && !slot.name.is_attribute
            && slot.name.namespace == name.namespace
            && !is_content(&slot.node);
        if !is_list {
            return None;
        }
        self.path.push(slot.name.local.clone());
        let inner = self.held(&slot.node, &slot.name, target);
        self.path.pop();
        Some(Held::List(Box::new(inner?), Some(slot.name.local.clone())))
    }

    /// The kind of values, of which is said what else they may be.
    fn kind(&mut self, node: &Node) -> Kind {
        node.values.doubts().into_iter().for_each(|it| self.doubt(it));
        node.values.kind()
    }
}
