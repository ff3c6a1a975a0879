//! What a request holds: XML Schema, as far as it says which elements stand where.

use std::collections::HashMap;
use std::fmt;

use trunkline_soap::QName;

use super::documents::Documents;
use super::tree::Element;
use super::{Attribute, ENCODINGS, Input, OutlinedOperation, Simple, Variety, XSD};

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
    attributes: Vec<Attribute>,
    body: Body,
}

/// Where in the Body of a request the parameters stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Inside the Body's element.
    Element,
    /// The only one is the Body's element, which is a value.
    Value,
    /// Nowhere: the Body is empty, as that of a document of no parts is (WS-I Basic Profile 1.1, R2716).
    Empty,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// None of those that stand where they are used.
    pub name: Option<QName>,
    /// What it holds.
    pub content: Content,
    /// What the start tags of its elements have.
    pub attributes: Vec<Attribute>,
}

/// What a value holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Simple(Simple),
    /// Elements in this order.
    Struct(Vec<Parameter>),
    /// An array of the SOAP encoding.
    Array(Items),
    /// Anything.
    Any,
    /// A type that cannot be written, and the reason.
    NotUnderstood(String),
}

/// The items of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// Their type.
    pub type_id: TypeId,
    /// How many there have to be,
    pub least: u64,
    /// and may be.
    pub most: u64,
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
    /// May it say that it has no value? In the encoded styles all may (SOAP 1.1 section 5.1, SOAP 1.2 part 2
    /// section 3.1.1).
    pub nillable: bool,
    /// The only value that it may have, if the schema fixes one.
    pub fixed: Option<String>,
}

impl Types {
    /// What a request takes.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The attributes of the Body's element, where the parameters stand inside it.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Where the parameters stand.
    pub fn body(&self) -> Body {
        self.body
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
        let Type { name, content, .. } = types.get(id);
        match (content, name) {
            (Content::Simple(simple), _) => write!(out, "{simple}"),
            (Content::Array(items), _) if depth < 4 => {
                write!(out, "{}[]", Shown(types, items.type_id, depth + 1))
            }
            (Content::Any, _) => out.write_str("anything"),
            (_, Some(name)) => out.write_str(&name.local),
            (_, None) => out.write_str("elements"),
        }
    }
}

/// The types that an operation's request needs.
pub(super) fn of(operation: &OutlinedOperation, documents: &Documents) -> Result<Types, String> {
    let mut reader = Reader::new(documents, operation.binding.style.is_encoded());
    let (mut nillable, mut fixed) = (reader.is_encoded, None);
    let root = match &operation.input {
        Input::NotUnderstood(why) => return Err(why.clone()),
        Input::Nothing => reader.add(None, Content::Struct(Vec::new())),
        Input::Type(name) => reader.named(name),
        Input::Element => {
            let (schema, element) = reader.find("element", "element", &operation.element)?;
            nillable = element.is_true("nillable");
            fixed = element.attribute("fixed").map(str::to_owned);
            reader.type_of(schema, element)
        }
        Input::Parts(parts) => {
            let parts = parts.iter().map(|(name, of_type)| Parameter {
                name: QName::new("", name),
                type_id: reader.named(of_type),
                least: 1,
                most: 1,
                nillable: reader.is_encoded,
                fixed: None,
            });
            let parts = parts.collect();
            reader.add(None, Content::Struct(parts))
        }
    };
    while let Some((id, schema, element)) = reader.waiting.pop() {
        let (content, attributes) = reader.of_type(schema, element);
        let known = &mut reader.types[id.0];
        (known.content, known.attributes) = (content, attributes);
    }
    let name = operation.element.clone();
    let value = Parameter { name, type_id: root, least: 1, most: 1, nillable, fixed };
    let (body, parameters) = match &reader.types[root.0].content {
        _ if operation.input == Input::Nothing => (Body::Empty, Vec::new()),
        Content::Struct(parameters) => (Body::Element, parameters.clone()),
        Content::NotUnderstood(why) => return Err(why.clone()),
        // It may be empty, and so it is sent.
        Content::Any => (Body::Element, Vec::new()),
        Content::Simple(_) | Content::Array(_) => (Body::Value, vec![value]),
    };
    let attributes = match body {
        Body::Element => reader.types[root.0].attributes.clone(),
        Body::Value | Body::Empty => Vec::new(),
    };
    Ok(Types { types: reader.types, parameters, attributes, body })
}

pub(super) struct Reader<'a> {
    pub(super) documents: &'a Documents,
    pub(super) is_encoded: bool,
    global: HashMap<(&'static str, QName), (usize, &'a Element)>,
    types: Vec<Type>,
    by_name: HashMap<QName, TypeId>,
    /// Types that are known by name alone as yet: so they may hold themselves.
    waiting: Vec<(TypeId, usize, &'a Element)>,
    /// Parts of types that were looked at.
    steps: usize,
}

impl<'a> Reader<'a> {
    fn new(documents: &'a Documents, is_encoded: bool) -> Self {
        let mut global = HashMap::new();
        for (index, schema) in documents.schemas.iter().enumerate() {
            for element in schema.root.children.iter().filter(|it| is_schema(it)) {
                let kind = match &*element.name.local {
                    "complexType" | "simpleType" => "type",
                    "element" => "element",
                    "group" => "group",
                    "attribute" => "attribute",
                    "attributeGroup" => "attributeGroup",
                    _ => continue,
                };
                let name = element.attribute("name").unwrap_or_default();
                let name = QName::new(&*schema.namespace, name);
                global.entry((kind, name)).or_insert((index, element));
            }
        }
        let (types, by_name, waiting) = (Vec::new(), HashMap::new(), Vec::new());
        Self { documents, is_encoded, global, types, by_name, waiting, steps: 0 }
    }

    pub(super) fn find(
        &self,
        kind: &'static str,
        what: &str,
        name: &QName,
    ) -> Result<(usize, &'a Element), String> {
        let found = self.global.get(&(kind, name.clone())).copied();
        found.ok_or_else(|| self.documents.absent(what, name))
    }

    /// One more part is looked at, so deep in others.
    pub(super) fn step(&mut self, depth: usize) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MOST {
            return Err(format!("types made from more than {MOST} elements"));
        }
        match depth > DEEPEST {
            true => Err(format!("types made from others more than {DEEPEST} deep")),
            false => Ok(()),
        }
    }

    fn add(&mut self, name: Option<QName>, content: Content) -> TypeId {
        self.types.push(Type { name, content, attributes: Vec::new() });
        TypeId(self.types.len() - 1)
    }

    fn named(&mut self, name: &QName) -> TypeId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let (content, found) = match (built_in(name), self.find("type", "type", name)) {
            (Some(content), _) => (content, None),
            (None, Ok(found)) => (Content::Any, Some(found)),
            (None, Err(why)) => (Content::NotUnderstood(why), None),
        };
        let id = self.add(Some(name.clone()), content);
        self.by_name.insert(name.clone(), id);
        if let Some((schema, element)) = found {
            self.waiting.push((id, schema, element));
        }
        id
    }

    /// The type of an element.
    fn type_of(&mut self, schema: usize, element: &'a Element) -> TypeId {
        if element.is_true("abstract") {
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

    /// What a type holds that stands in a schema, and its attributes.
    fn of_type(&mut self, schema: usize, element: &'a Element) -> (Content, Vec<Attribute>) {
        let content = self.content(schema, element, 0);
        if element.is(&XSD, "simpleType") || matches!(content, Content::NotUnderstood(_)) {
            return (content, Vec::new());
        }
        match self.attributes(schema, element) {
            Ok(attributes) => (content, attributes),
            Err(why) => {
                let name = element.attribute("name").unwrap_or("without a name");
                (Content::NotUnderstood(format!("the type {name}: {why}")), Vec::new())
            }
        }
    }

    /// What a type holds that stands in a schema.
    fn content(&mut self, schema: usize, element: &'a Element, depth: usize) -> Content {
        let content = match element.is(&XSD, "simpleType") {
            true => self.simple(element, depth).map(Content::Simple),
            false => self.complex(schema, element, depth),
        };
        let name = element.attribute("name").unwrap_or("without a name");
        content.unwrap_or_else(|why| {
            Content::NotUnderstood(match depth {
                0 => format!("the type {name}: {why}"),
                _ => why,
            })
        })
    }

    pub(super) fn of_base(&mut self, name: &QName, depth: usize) -> Result<Content, String> {
        if let Some(content) = built_in(name) {
            return Ok(content);
        }
        let (schema, element) = self.find("type", "type", name)?;
        match self.content(schema, element, depth + 1) {
            Content::NotUnderstood(why) => Err(why),
            content => Ok(content),
        }
    }

    pub(super) fn simple(&mut self, element: &'a Element, depth: usize) -> Result<Simple, String> {
        self.step(depth)?;
        if let Some(restriction) = element.first(&XSD, "restriction") {
            let mut base = self.simple_types(restriction, "base", depth)?;
            let base = base.pop().ok_or("a restriction of nothing")?;
            return Ok(restricted(base, restriction));
        }
        if let Some(list) = element.first(&XSD, "list") {
            let item = self.simple_types(list, "itemType", depth)?.pop();
            return Ok(Variety::List(item.ok_or("a list of nothing")?.into()).into());
        }
        let union =
            element.first(&XSD, "union").ok_or("a simple type that is made from nothing")?;
        match self.simple_types(union, "memberTypes", depth)? {
            members if members.is_empty() => Err("a union of nothing".into()),
            members => Ok(Variety::Union(members).into()),
        }
    }

    /// The types that one is made from: those that an attribute names, and those that stand inside.
    fn simple_types(
        &mut self,
        made: &'a Element,
        attribute: &str,
        depth: usize,
    ) -> Result<Vec<Simple>, String> {
        let mut found = Vec::new();
        for name in made.names_in(attribute) {
            match self.of_base(name, depth)? {
                Content::Simple(simple) => found.push(simple),
                _ => return Err(format!("a simple type that is made from {name}")),
            }
        }
        for inner in made.all(&XSD, "simpleType") {
            found.push(self.simple(inner, depth + 1)?);
        }
        Ok(found)
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
            if element.is_true(attribute) {
                return Err(what.into());
            }
        }
        let Some((content, derivation)) = derivation(element) else {
            let mut members = Vec::new();
            self.particles(schema, element, Occurs::ONCE, depth, &mut members)?;
            return Ok(Content::Struct(members));
        };
        let base = derivation.name_in("base").ok_or("it is made from nothing")?;
        if ENCODINGS.contains(&&*base.namespace) && base.local == "Array" {
            return self.array(schema, derivation);
        }
        if content.is(&XSD, "simpleContent") {
            return Ok(match self.of_base(base, depth)? {
                Content::Simple(simple) => Content::Simple(restricted(simple, derivation)),
                content => content,
            });
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
            let item = item.ok_or_else(|| {
                let shown = &stated.local;
                format!("an array {shown}, of more dimensions than one or of a size of its own")
            })?;
            let type_id = self.named(&QName::new(&*stated.namespace, item));
            return Ok(Content::Array(Items { type_id, least: 0, most: u64::MAX }));
        }
        let mut members = Vec::new();
        self.particles(schema, derivation, Occurs::ONCE, 0, &mut members)?;
        match &*members {
            [Parameter { type_id, least, most, .. }] => {
                Ok(Content::Array(Items { type_id: *type_id, least: *least, most: *most }))
            }
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
        for particle in around.children.iter().filter(|it| is_schema(it)) {
            self.step(depth)?;
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
                    let (schema, group) = self.find("group", "group", name)?;
                    let occurs = if own.least == 0 { optional } else { occurs };
                    self.particles(schema, group, occurs, depth + 1, members)?;
                }
                "complexContent" | "simpleContent" => {
                    return Err("its content is made from nothing".into());
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
            Some(name) => (name.clone(), self.find("element", "element", name)?),
            None => {
                let schemas = &self.documents.schemas;
                let root = &schemas[schema].root;
                let form =
                    element.attribute("form").or_else(|| root.attribute("elementFormDefault"));
                let qualified = form == Some("qualified");
                let namespace = if qualified { &*schemas[schema].namespace } else { "" };
                let local = element.attribute("name").ok_or("an element of no name")?;
                (QName::new(namespace, local), (schema, element))
            }
        };
        let nillable = self.is_encoded || element.is_true("nillable");
        let fixed = element.attribute("fixed").map(str::to_owned);
        let type_id = self.type_of(schema, element);
        Ok(Parameter { name, type_id, least, most, nillable, fixed })
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

/// Of a type that is made from another: its content, and how it is made.
pub(super) fn derivation(of: &Element) -> Option<(&Element, &Element)> {
    let content = ["complexContent", "simpleContent"].iter().find_map(|it| of.first(&XSD, it))?;
    let is_it = |it: &&Element| it.is(&XSD, "extension") || it.is(&XSD, "restriction");
    Some((content, content.children.iter().find(is_it)?))
}

/// With the values that a restriction leaves it.
fn restricted(base: Simple, restriction: &Element) -> Simple {
    let values = restriction.all(&XSD, "enumeration").filter_map(|it| it.attribute("value"));
    let values: Vec<String> = values.map(str::to_owned).collect();
    Simple { values: if values.is_empty() { base.values } else { values }, ..base }
}

/// Is it of XML Schema or of the SOAP encoding?
pub(super) fn is_built_in(name: &QName) -> bool {
    [&XSD[..], &ENCODINGS].concat().contains(&&*name.namespace)
}

/// The types of XML Schema and of the SOAP encoding.
fn built_in(name: &QName) -> Option<Content> {
    let is_encoding = ENCODINGS.contains(&&*name.namespace);
    match &*name.local {
        _ if !is_built_in(name) => None,
        "anyType" | "ur-type" => Some(Content::Any),
        "Array" if is_encoding => {
            Some(Content::NotUnderstood("an array that does not say what its items are".into()))
        }
        local => Some(Content::Simple(Simple::of(local))),
    }
}
