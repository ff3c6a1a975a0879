//! Repositories of FIX Orchestra 1.0, and of its last drafts.

use std::collections::{HashMap, HashSet};

use super::datatype::Datatype;
use super::dictionary::{Component, Dictionary, Field, FieldValue, Group, Of, Part};
use super::reading::{Index, Reading};
use crate::markup::{Document, Element};
use crate::problem::{Problem, Warnings};

/// Orchestra, and the draft that some repositories are still in.
const NAMESPACES: [&str; 2] =
    ["http://fixprotocol.io/2020/orchestra/repository", "http://fixprotocol.io/2016/fixrepository"];

pub(super) fn is_namespace(name: &str) -> bool {
    NAMESPACES.contains(&name)
}

pub(super) fn read(document: &Document, warnings: &mut Warnings) -> Result<Dictionary, Problem> {
    let root = &document.root;
    let mut reader = Reader {
        reading: Reading::new(document, warnings),
        datatypes: HashMap::new(),
        code_sets: HashMap::new(),
        fields: Index::default(),
        groups: Index::default(),
        components: Index::default(),
        group_names: Vec::new(),
        component_names: Vec::new(),
    };
    reader.version(root);
    for element in root.all("datatypes").flat_map(|it| it.all("datatype")) {
        let name = reader.reading.needed(element, "name")?;
        reader.datatypes.insert(name, element);
    }
    for element in root.all("codeSets").flat_map(|it| it.all("codeSet")) {
        reader.code_set(element)?;
    }
    for element in root.all("fields").flat_map(|it| it.all("field")) {
        reader.field(element)?;
    }
    reader.structures(root)?;
    for element in root.all("messages").flat_map(|it| it.all("message")) {
        let message_type = reader.reading.needed(element, "msgType")?;
        let what = format!("the message {}", reader.reading.needed(element, "name")?);
        let parts = match element.first("structure") {
            Some(structure) => reader.parts(structure, &what)?,
            None => Vec::new(),
        };
        reader.reading.add_message(element, message_type, parts)?;
    }
    Ok(reader.reading.dictionary)
}

/// What is defined is told apart by its number and the scenario for which it is.
type Key<'a> = (&'a str, &'a str);

fn scenario(element: &Element) -> &str {
    element.attribute("scenario").filter(|it| !it.is_empty()).unwrap_or("base")
}

struct Reader<'a, 'w> {
    reading: Reading<'a, 'w>,
    datatypes: HashMap<&'a str, &'a Element>,
    code_sets: HashMap<Key<'a>, (&'a str, Vec<FieldValue>)>,
    fields: Index<Key<'a>>,
    groups: Index<Key<'a>>,
    components: Index<Key<'a>>,
    /// Names of groups and components, those that are defined behind what is read included.
    group_names: Vec<&'a str>,
    component_names: Vec<&'a str>,
}

impl<'a> Reader<'a, '_> {
    fn version(&mut self, root: &Element) {
        let version = root.attribute("version").unwrap_or_default();
        self.reading.dictionary.version = version.to_owned();
        // Versions behind 4.4 go over FIXT, and may have the number of an extension pack.
        let known = ["FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4"];
        let exact = known.into_iter().find(|it| version.split('_').next() == Some(*it));
        let is_later = ["FIX.5.0", "FIX.Latest", "FIXT"].iter().any(|it| version.starts_with(it));
        self.reading.dictionary.begin_string = exact.or(is_later.then_some("FIXT.1.1"));
    }

    fn code_set(&mut self, element: &'a Element) -> Result<(), Problem> {
        let name = self.reading.needed(element, "name")?;
        let of = self.reading.needed(element, "type")?;
        let values = self.reading.values(element, name, ("code", "value", "name"));
        self.code_sets.insert((name, scenario(element)), (of, values));
        Ok(())
    }

    fn field(&mut self, element: &'a Element) -> Result<(), Problem> {
        let (name, tag) = (self.reading.needed(element, "name")?, self.reading.tag(element, "id")?);
        let word = self.reading.needed(element, "type")?;
        let code_set = self.code_sets.get(&(word, scenario(element)));
        let code_set = code_set.or_else(|| self.code_sets.get(&(word, "base")));
        let (word, values) = match code_set {
            Some((of, values)) => (*of, values.clone()),
            None => (word, Vec::new()),
        };
        let Some(datatype) = self.datatype(word) else {
            let what =
                format!("the field {name} is of the type {word}, which is none of tag=value");
            let remedy =
                "repositories of other encodings are not read: describe it in types of FIX";
            return self.reading.reject(element, what, remedy);
        };
        let length = element.attribute("lengthId").and_then(|it| it.parse().ok());
        let place = self.reading.place(element);
        // Beside those of its code set it may have others: `Reserved100Plus`, `Qty`.
        let is_open = element.attribute("unionDataType").is_some();
        let name = name.to_owned();
        let field = Field { name, tag, datatype, values, is_open, length, place };
        let index = self.reading.add_field(element, field);
        let id = self.reading.needed(element, "id")?;
        self.fields.first((id, scenario(element)), index);
        Ok(())
    }

    /// The data type of this name, or that on which it is based.
    fn datatype(&self, name: &str) -> Option<Datatype> {
        let (mut name, mut steps) = (name, 0);
        loop {
            if let Some(found) = Datatype::named(name, None) {
                return Some(found);
            }
            name = self.datatypes.get(name)?.attribute("baseType")?;
            steps += 1;
            if steps > self.datatypes.len() {
                return None;
            }
        }
    }

    /// Groups and components, which may hold those that are defined behind them.
    fn structures(&mut self, root: &'a Element) -> Result<(), Problem> {
        let groups: Vec<_> = root.all("groups").flat_map(|it| it.all("group")).collect();
        let components: Vec<_> =
            root.all("components").flat_map(|it| it.all("component")).collect();
        for (index, element) in groups.iter().enumerate() {
            let id = self.reading.needed(element, "id")?;
            self.groups.first((id, scenario(element)), index);
            self.group_names.push(self.reading.needed(element, "name")?);
        }
        for (index, element) in components.iter().enumerate() {
            let id = self.reading.needed(element, "id")?;
            self.components.first((id, scenario(element)), index);
            self.component_names.push(self.reading.needed(element, "name")?);
        }
        for element in groups {
            let name = self.reading.needed(element, "name")?.to_owned();
            let counted = element.first("numInGroup");
            let counter = match counted.and_then(|it| it.attribute("id")) {
                Some(id) => find(&self.fields, id, scenario(element)),
                None => None,
            };
            if counter.is_none() {
                let what =
                    format!("the field that counts the entries of the group {name} is not defined");
                let remedy = "the group is unknown content until it is: define it";
                self.reading.warn(counted.unwrap_or(element), what, remedy);
            }
            let parts = self.parts(element, &format!("the group {name}"))?;
            let place = self.reading.place(element);
            self.reading.dictionary.groups.push(Group { name, counter, parts, place });
        }
        for element in components {
            let name = self.reading.needed(element, "name")?.to_owned();
            let parts = self.parts(element, &format!("the component {name}"))?;
            let place = self.reading.place(element);
            self.reading.dictionary.components.push(Component { name, parts, place });
        }
        Ok(())
    }

    fn parts(&mut self, around: &'a Element, of_what: &str) -> Result<Vec<Part>, Problem> {
        let (mut parts, mut taken) = (Vec::new(), HashSet::new());
        for element in &around.children {
            let kind = match &*element.name {
                "fieldRef" => "field",
                "groupRef" => "group",
                "componentRef" => "component",
                // What is said for people and of rules; and the count, which the group has.
                "annotation" | "numInGroup" | "rule" | "assign" => continue,
                name => {
                    let what = format!("{name} is not understood in {of_what}");
                    self.reading.warn(element, what, "it is left out");
                    continue;
                }
            };
            let presence = element.attribute("presence").unwrap_or("optional");
            if presence == "forbidden" {
                continue;
            }
            let id = self.reading.needed(element, "id")?;
            let scenario = scenario(element);
            let of = match kind {
                "field" => find(&self.fields, id, scenario).map(Of::Field),
                "group" => find(&self.groups, id, scenario).map(Of::Group),
                _ => find(&self.components, id, scenario).map(Of::Component),
            };
            if of.is_none() {
                let what = format!("the {kind} {id} of {of_what} is not defined");
                self.reading.warn(element, what, "it is unknown content until it is: define it");
            }
            let name = of.map_or(id, |it| self.name(it)).to_owned();
            if !taken.insert(name.clone()) {
                let what = format!("{name} stands twice in {of_what}");
                self.reading.warn(element, what, "the first is taken");
                continue;
            }
            let (place, is_required) =
                (self.reading.place(element), matches!(presence, "required" | "constant"));
            parts.push(Part { name, is_required, of, place });
        }
        Ok(parts)
    }

    fn name(&self, of: Of) -> &str {
        match of {
            Of::Field(index) => &self.reading.dictionary.fields[index].name,
            Of::Group(index) => self.group_names[index],
            Of::Component(index) => self.component_names[index],
        }
    }
}

/// What is of this number for the scenario, or else for the scenario that is the base of all.
fn find<'a>(index: &Index<Key<'a>>, id: &'a str, scenario: &'a str) -> Option<usize> {
    index.get(&(id, scenario)).or_else(|| index.get(&(id, "base")))
}
