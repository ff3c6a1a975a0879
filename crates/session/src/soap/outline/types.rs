//! What a request holds: XML Schema, as far as it says which elements stand where.

use std::collections::HashMap;
use std::fmt;

use trunkline_codec::soap::QName;

use super::documents::Schema;
use super::tree::Element;
use super::{ENCODINGS, Input, OutlinedOperation, Simple, XSD};

/// Types are made from others no deeper.
const DEEPEST: usize = 32;

/// And from no more elements: groups that use groups could ask for any number.
const MOST: usize = 100_000;

/// Which of [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(usize);

/// What a request holds.
#[derive(Debug)]
pub struct Types {
    types: Vec<Type>,
    parameters: Vec<Parameter>,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// None of those that stand where they are used.
    pub name: Option<QName>,
    /// What it holds.
    pub content: Content,
}

/// What a value holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Simple(Simple),
    /// Elements in this order.
    Struct(Vec<Parameter>),
    /// An array of the SOAP encoding, of items of this type.
    Array(TypeId),
    /// Anything.
    Any,
    /// What nobody here knows how to write, and why.
    NotUnderstood(String),
}

/// An element of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: QName,
    /// Its type.
    pub type_id: TypeId,
    /// How many there have to be,
    pub least: u64,
    /// and may be.
    pub most: u64,
    /// May it say that it has no value?
    pub nillable: bool,
}

impl Types {
    /// What stands in the element of the Body.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// One type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0]
    }

    /// The type for people, such as `int`, `Leg` or `int[]`.
    pub fn shown(&self, id: TypeId) -> impl fmt::Display + '_ {
        Shown(self, id, 0)
    }
}

struct Shown<'a>(&'a Types, TypeId, usize);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(types, id, depth) = *self;
        let Type { name, content } = types.get(id);
        match (content, name) {
            (Content::Simple(simple), _) => write!(out, "{simple}"),
            (Content::Array(item), _) if depth < 4 => {
                write!(out, "{}[]", Shown(types, *item, depth + 1))
            }
            (Content::Any, _) => out.write_str("anything"),
            (_, Some(name)) => out.write_str(&name.local),
            (_, None) => out.write_str("elements"),
        }
    }
}

/// The types that an operation's request needs.
pub(super) fn of(operation: &OutlinedOperation, schemas: &[Schema]) -> Result<Types, String> {
    let mut reader = Reader::new(schemas);
    let root = match &operation.input {
        Input::NotUnderstood(why) => return Err(why.clone()),
        Input::Type(name) => reader.named(name),
        Input::Element => {
            let name = &operation.element;
            let (schema, element) = reader
                .find("element", name)
                .ok_or_else(|| format!("its element {name} is not there"))?;
            reader.type_of(schema, element)
        }
        Input::Parts(parts) => {
            let parts = parts.iter().map(|(name, of_type)| Parameter {
                name: QName::new("", name),
                type_id: reader.named(of_type),
                least: 1,
                most: 1,
                nillable: false,
            });
            let parts = parts.collect();
            reader.add(None, Content::Struct(parts))
        }
    };
    while let Some((id, schema, element)) = reader.waiting.pop() {
        let content = reader.content(schema, element, 0);
        reader.types[id.0].content = content;
    }
    let parameters = match &reader.types[root.0].content {
        Content::Struct(parameters) => parameters.clone(),
        Content::NotUnderstood(why) => return Err(why.clone()),
        _ => return Err(format!("its element {} does not hold elements", operation.element)),
    };
    Ok(Types { types: reader.types, parameters })
}

struct Reader<'a> {
    schemas: &'a [Schema],
    global: HashMap<(&'static str, QName), (usize, &'a Element)>,
    types: Vec<Type>,
    by_name: HashMap<QName, TypeId>,
    /// Types that are known by name alone as yet: so they may hold themselves.
    waiting: Vec<(TypeId, usize, &'a Element)>,
    /// Particles that were looked at.
    steps: usize,
}

impl<'a> Reader<'a> {
    fn new(schemas: &'a [Schema]) -> Self {
        let mut global = HashMap::new();
        for (index, schema) in schemas.iter().enumerate() {
            for element in schema.root.children.iter().filter(|it| is_schema(it)) {
                let kind = match &*element.name.local {
                    "complexType" | "simpleType" => "type",
                    "element" => "element",
                    "group" => "group",
                    _ => continue,
                };
                let name = element.attribute("name").unwrap_or_default();
                let name = QName::new(&*schema.namespace, name);
                global.entry((kind, name)).or_insert((index, element));
            }
        }
        let (types, by_name, waiting) = (Vec::new(), HashMap::new(), Vec::new());
        Self { schemas, global, types, by_name, waiting, steps: 0 }
    }

    fn find(&self, kind: &'static str, name: &QName) -> Option<(usize, &'a Element)> {
        self.global.get(&(kind, name.clone())).copied()
    }

    fn add(&mut self, name: Option<QName>, content: Content) -> TypeId {
        self.types.push(Type { name, content });
        TypeId(self.types.len() - 1)
    }

    fn named(&mut self, name: &QName) -> TypeId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let found = self.find("type", name);
        let content = match built_in(name) {
            Some(content) => content,
            None if found.is_some() => Content::Any,
            None => Content::NotUnderstood(format!("the type {name} is not there")),
        };
        let is_waiting = built_in(name).is_none();
        let id = self.add(Some(name.clone()), content);
        self.by_name.insert(name.clone(), id);
        if let Some((schema, element)) = found.filter(|_| is_waiting) {
            self.waiting.push((id, schema, element));
        }
        id
    }

    /// The type of an element.
    fn type_of(&mut self, schema: usize, element: &'a Element) -> TypeId {
        if element.attribute("abstract") == Some("true") {
            let name = element.attribute("name").unwrap_or_default();
            let why = format!("the element {name} is abstract");
            return self.add(None, Content::NotUnderstood(why));
        }
        if let Some(name) = element.name_in("type") {
            return self.named(name);
        }
        let is_type = |it: &&Element| matches!(&*it.name.local, "complexType" | "simpleType");
        match element.children.iter().find(is_type) {
            Some(inner) => {
                let id = self.add(None, Content::Any);
                self.waiting.push((id, schema, inner));
                id
            }
            None => self.add(None, Content::Any),
        }
    }

    /// What a type holds that stands in a schema.
    fn content(&mut self, schema: usize, element: &'a Element, depth: usize) -> Content {
        if depth > DEEPEST {
            return Content::NotUnderstood(format!(
                "types made from others more than {DEEPEST} deep"
            ));
        }
        let content = match element.is(&XSD, "simpleType") {
            true => self.simple(element, depth),
            false => self.complex(schema, element, depth),
        };
        let name = element.attribute("name").unwrap_or("without a name");
        content.unwrap_or_else(|why| Content::NotUnderstood(format!("the type {name}: {why}")))
    }

    fn of_base(&mut self, name: &QName, depth: usize) -> Result<Content, String> {
        if let Some(content) = built_in(name) {
            return Ok(content);
        }
        let found = self.find("type", name);
        let (schema, element) = found.ok_or_else(|| format!("the type {name} is not there"))?;
        Ok(self.content(schema, element, depth + 1))
    }

    fn simple(&mut self, element: &'a Element, depth: usize) -> Result<Content, String> {
        // Lists and unions are texts as well as any.
        let Some(restriction) = element.first(&XSD, "restriction") else {
            return Ok(Content::Simple(Simple::of("string")));
        };
        let base = match (restriction.name_in("base"), restriction.first(&XSD, "simpleType")) {
            (Some(base), _) => self.of_base(base, depth)?,
            (None, Some(inner)) => self.simple(inner, depth + 1)?,
            (None, None) => return Err("a restriction of nothing".into()),
        };
        let Content::Simple(base) = base else {
            return Err("a simple type that is made from another".into());
        };
        let values = restriction.all(&XSD, "enumeration").filter_map(|it| it.attribute("value"));
        let values: Vec<String> = values.map(str::to_owned).collect();
        let values = if values.is_empty() { base.values } else { values };
        Ok(Content::Simple(Simple { values, ..base }))
    }

    fn complex(
        &mut self,
        schema: usize,
        element: &'a Element,
        depth: usize,
    ) -> Result<Content, String> {
        for (attribute, what) in
            [("abstract", "it is abstract"), ("mixed", "it mixes text and elements")]
        {
            if element.attribute(attribute) == Some("true") {
                return Err(what.into());
            }
        }
        refuse_required_attributes(element)?;
        let derived =
            ["complexContent", "simpleContent"].iter().find_map(|it| element.first(&XSD, it));
        let Some(content) = derived else {
            let mut members = Vec::new();
            self.particles(schema, element, Occurs::ONCE, depth, &mut members)?;
            return Ok(Content::Struct(members));
        };
        let found = content
            .children
            .iter()
            .find(|it| matches!(&*it.name.local, "extension" | "restriction"));
        let derivation = found.ok_or("its content is made from nothing")?;
        refuse_required_attributes(derivation)?;
        let base = derivation.name_in("base").ok_or("it is made from nothing")?;
        if ENCODINGS.contains(&&*base.namespace) && base.local == "Array" {
            return self.array(schema, derivation);
        }
        if content.is(&XSD, "simpleContent") {
            return self.of_base(base, depth);
        }
        let mut members = match (derivation.is(&XSD, "extension"), base) {
            (false, _) => Vec::new(),
            (true, base) => match self.of_base(base, depth)? {
                Content::Struct(members) => members,
                Content::Any => Vec::new(),
                Content::NotUnderstood(why) => return Err(why),
                Content::Simple(_) | Content::Array(_) => return Err(format!("it extends {base}")),
            },
        };
        self.particles(schema, derivation, Occurs::ONCE, depth, &mut members)?;
        Ok(Content::Struct(members))
    }

    /// SOAP 1.1 section 5.4.2, WSDL 1.1 section 2.2.
    fn array(&mut self, schema: usize, derivation: &'a Element) -> Result<Content, String> {
        let is_array_type = |it: &&Element| it.name_in("arrayType").is_some();
        let attribute = derivation.all(&XSD, "attribute").find(is_array_type);
        if let Some(stated) = attribute.and_then(|it| it.name_in("arrayType")) {
            let item = stated.local.strip_suffix("[]").filter(|it| !it.contains('['));
            let item = item
                .ok_or_else(|| format!("an array {}, of more dimensions than one", stated.local))?;
            return Ok(Content::Array(self.named(&QName::new(&*stated.namespace, item))));
        }
        let mut members = Vec::new();
        self.particles(schema, derivation, Occurs::ONCE, 0, &mut members)?;
        match &*members {
            [item] => Ok(Content::Array(item.type_id)),
            _ => Err("an array that does not say what its items are".into()),
        }
    }

    /// The elements of a sequence and the like.
    fn particles(
        &mut self,
        schema: usize,
        around: &'a Element,
        occurs: Occurs,
        depth: usize,
        members: &mut Vec<Parameter>,
    ) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(format!("groups more than {DEEPEST} deep"));
        }
        for particle in around.children.iter().filter(|it| is_schema(it)) {
            self.steps += 1;
            if self.steps > MOST {
                return Err(format!("types made from more than {MOST} elements"));
            }
            let own = Occurs::of(particle)?;
            let optional = Occurs { least: 0, ..occurs };
            match &*particle.name.local {
                "element" => {
                    let member = self.member(schema, particle, own.within(occurs))?;
                    members.push(member);
                }
                "sequence" | "all" if own.most <= 1 => {
                    let occurs = if own.least == 0 { optional } else { occurs };
                    self.particles(schema, particle, occurs, depth + 1, members)?;
                }
                "sequence" | "all" => return Err("a sequence of elements that is repeated".into()),
                // Of a choice, the service says whether there was one.
                "choice" => {
                    let occurs = Occurs { least: 0, most: own.within(occurs).most };
                    self.particles(schema, particle, occurs, depth + 1, members)?;
                }
                "group" => {
                    let name = particle.name_in("ref").ok_or("a group of no name")?;
                    let found = self.find("group", name);
                    let (schema, group) =
                        found.ok_or_else(|| format!("the group {name} is not there"))?;
                    let occurs = if own.least == 0 { optional } else { occurs };
                    self.particles(schema, group, occurs, depth + 1, members)?;
                }
                "any" if own.within(occurs).least > 0 => return Err("any element (xsd:any)".into()),
                _ => {}
            }
        }
        Ok(())
    }

    fn member(
        &mut self,
        schema: usize,
        element: &'a Element,
        occurs: Occurs,
    ) -> Result<Parameter, String> {
        let Occurs { least, most } = occurs;
        let (name, (schema, element)) = match element.name_in("ref") {
            Some(name) => {
                let found = self.find("element", name);
                (name.clone(), found.ok_or_else(|| format!("the element {name} is not there"))?)
            }
            None => {
                let root = &self.schemas[schema].root;
                let form =
                    element.attribute("form").or_else(|| root.attribute("elementFormDefault"));
                let qualified = form == Some("qualified");
                let namespace = if qualified { &*self.schemas[schema].namespace } else { "" };
                let local = element.attribute("name").ok_or("an element of no name")?;
                (QName::new(namespace, local), (schema, element))
            }
        };
        let nillable = matches!(element.attribute("nillable"), Some("true" | "1"));
        Ok(Parameter { name, type_id: self.type_of(schema, element), least, most, nillable })
    }
}

/// How often something stands.
#[derive(Clone, Copy)]
struct Occurs {
    least: u64,
    most: u64,
}

impl Occurs {
    const ONCE: Self = Self { least: 1, most: 1 };

    fn of(particle: &Element) -> Result<Self, String> {
        let number = |name: &str| match particle.attribute(name) {
            None => Ok(1),
            Some("unbounded" | "*") => Ok(u64::MAX),
            Some(text) => text.parse().map_err(|_| format!("{name} is {text:?}")),
        };
        Ok(Self { least: number("minOccurs")?, most: number("maxOccurs")? })
    }

    fn within(self, outer: Self) -> Self {
        let most = self.most.saturating_mul(outer.most);
        Self { least: self.least.min(if outer.least == 0 { 0 } else { u64::MAX }), most }
    }
}

fn is_schema(element: &Element) -> bool {
    XSD.contains(&&*element.name.namespace)
}

fn refuse_required_attributes(element: &Element) -> Result<(), String> {
    let mut all = element.all(&XSD, "attribute");
    match all.find(|it| it.attribute("use") == Some("required")) {
        Some(attribute) => {
            let name = attribute.attribute("name").or_else(|| attribute.attribute("ref"));
            Err(format!("it needs the attribute {}", name.unwrap_or_default()))
        }
        None => Ok(()),
    }
}

/// The types of XML Schema and of the SOAP encoding.
fn built_in(name: &QName) -> Option<Content> {
    let is_encoding = ENCODINGS.contains(&&*name.namespace);
    match &*name.local {
        _ if !is_encoding && !XSD.contains(&&*name.namespace) => None,
        "anyType" | "ur-type" => Some(Content::Any),
        "Array" if is_encoding => {
            Some(Content::NotUnderstood("an array that does not say what its items are".into()))
        }
        local => Some(Content::Simple(Simple::of(local))),
    }
}
