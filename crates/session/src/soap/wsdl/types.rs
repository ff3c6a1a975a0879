//! XML Schema from schemas.

use std::collections::HashMap;

use trunkline_codec::soap::entry_name;
use trunkline_message::{Field, Holds, IntegerKind, Kind, Layout, Need, ScopeId};

use super::Description;
use super::markup::Markup;
use super::shape::{Form, Shape};

/// The namespace of SOAP 1.1's arrays. WSDL has no others, so that they stand for those of SOAP 1.2
/// too.
pub(super) const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

/// An element inside a type, or a part of an rpc message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    /// With its prefix: `xsd:int`, `tns:customer`.
    pub(super) type_name: String,
    optional: bool,
    repeated: bool,
}

/// What a complex type holds.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    /// Elements in this order.
    Sequence(Vec<Element>),
    /// An array of the SOAP encoding, of items of this type.
    Array(String),
}

#[derive(Debug)]
struct ComplexType {
    name: String,
    form: Form,
    content: Content,
}

/// What a global element holds.
#[derive(Debug, PartialEq, Eq)]
enum Global {
    /// A type that has this name.
    Type(String),
    /// A type of its own, as tools that take wrappers apart expect it.
    Wrapper(Vec<Element>),
}

/// The elements and types of a description.
#[derive(Debug, Default)]
pub(super) struct Types {
    complex: Vec<ComplexType>,
    /// Positions in `complex`.
    by_name: HashMap<String, usize>,
    elements: Vec<(String, Global)>,
    /// Positions in `elements`.
    element_by_name: HashMap<String, usize>,
    /// An element that would need two contents.
    clash: Option<String>,
    /// A type whose name stands in messages, and that would need two contents.
    type_clash: Option<String>,
}

impl Types {
    /// The name of the element that is a message, a header block or a fault's detail.
    pub(super) fn message_element(&mut self, layout: &Layout, form: Form) -> String {
        let type_name = self.message_type(layout, form);
        self.element(layout.name(), Global::Type(type_name))
    }

    /// The name of the element around the fields of a message.
    pub(super) fn wrapper(&mut self, name: &str, layout: &Layout) -> String {
        let elements = self.parts(layout, Form::Qualified);
        self.element(name, Global::Wrapper(elements))
    }

    /// The name of a message's own type.
    pub(super) fn message_type(&mut self, layout: &Layout, form: Form) -> String {
        Walk { types: self, layout, form }.scope(ScopeId(0))
    }

    /// What stands in a message directly.
    pub(super) fn parts(&mut self, layout: &Layout, form: Form) -> Vec<Element> {
        Walk { types: self, layout, form }.members(ScopeId(0), None)
    }

    pub(super) fn has_encoded_arrays(&self) -> bool {
        self.complex.iter().any(|it| matches!(it.content, Content::Array(_)))
    }

    /// The first element that would need two contents. It has one of them: elements cannot be
    /// numbered, since their names stand in messages.
    pub(super) fn clash(&self) -> Option<&str> {
        self.clash.as_deref()
    }

    /// The first encoded type that would need two contents, since two structs have its name.
    pub(super) fn type_clash(&self) -> Option<&str> {
        self.type_clash.as_deref()
    }

    fn element(&mut self, name: &str, global: Global) -> String {
        match self.element_by_name.get(name) {
            None => {
                self.element_by_name.insert(name.into(), self.elements.len());
                self.elements.push((name.into(), global));
            }
            Some(index) if self.elements[*index].1 != global => {
                self.clash.get_or_insert_with(|| name.into());
            }
            Some(_) => {}
        }
        format!("tns:{name}")
    }

    /// The type that a struct becomes.
    fn of_struct(&mut self, name: &str, form: Form, elements: Vec<Element>) -> String {
        let content = Content::Sequence(elements);
        // Literal types are numbered, as their names stand nowhere else.
        if let Some(known) = self.by_name.get(name).map(|index| &self.complex[*index])
            && form == Form::Encoded
            && known.form == form
            && known.content != content
        {
            self.type_clash.get_or_insert_with(|| name.to_owned());
        }
        self.complex(name, form, content)
    }

    /// The type of this content: the one that is there, or a new one; numbered where another has
    /// the name.
    fn complex(&mut self, stem: &str, form: Form, content: Content) -> String {
        let mut name = stem.to_owned();
        for number in 2.. {
            let Some(known) = self.by_name.get(&name).map(|index| &self.complex[*index]) else {
                break;
            };
            if known.form == form && known.content == content {
                return format!("tns:{name}");
            }
            name = format!("{stem}{number}");
        }
        self.by_name.insert(name.clone(), self.complex.len());
        let reference = format!("tns:{name}");
        self.complex.push(ComplexType { name, form, content });
        reference
    }
}

/// A way through one schema, the inner types first.
struct Walk<'a> {
    types: &'a mut Types,
    layout: &'a Layout,
    form: Form,
}

/// A field or a component of a scope, by position.
enum Member {
    Field(usize),
    Component(usize),
}

impl Walk<'_> {
    /// The name of the type of a message or of a group's entry.
    fn scope(&mut self, id: ScopeId) -> String {
        let elements = self.members(id, None);
        let layout = self.layout;
        self.types.of_struct(&layout.scope(id).name, self.form, elements)
    }

    /// The elements directly inside a component, or inside none.
    fn members(&mut self, id: ScopeId, component: Option<u16>) -> Vec<Element> {
        let members = members(self.layout, id, component);
        members.into_iter().map(|member| self.member(id, member)).collect()
    }

    fn member(&mut self, id: ScopeId, member: Member) -> Element {
        let layout = self.layout;
        let scope = layout.scope(id);
        let (name, type_name, need) = match member {
            Member::Field(index) => {
                let field = &scope.fields[index];
                (&field.name, self.field(field), field.need)
            }
            Member::Component(index) => {
                let component = &scope.components[index];
                let elements = self.members(id, Some(index as u16));
                let type_name = self.types.of_struct(&component.type_name, self.form, elements);
                (&component.name, type_name, component.need)
            }
        };
        let optional = need != Need::Required;
        Element { name: name.to_string(), type_name, optional, repeated: false }
    }

    fn field(&mut self, field: &Field) -> String {
        let layout = self.layout;
        let (item, name, stem) = match field.holds {
            Holds::Value(kind) => return simple_type(kind).into(),
            Holds::Enumeration(_) => return "xsd:string".into(),
            Holds::Struct(id) => return self.scope(id),
            Holds::List(kind) => {
                let item = simple_type(kind);
                (item.into(), "item", item.trim_start_matches("xsd:"))
            }
            Holds::Group(id) => (self.scope(id), entry_name(layout, id), &*layout.scope(id).name),
        };
        let stem = format!("ArrayOf{stem}");
        let content = match self.form {
            Form::Encoded => Content::Array(item),
            Form::Unqualified | Form::Qualified => Content::Sequence(vec![Element {
                name: name.into(),
                type_name: item,
                optional: true,
                repeated: true,
            }]),
        };
        self.types.complex(&stem, self.form, content)
    }
}

/// In the order in which they stand in messages.
fn members(layout: &Layout, id: ScopeId, parent: Option<u16>) -> Vec<Member> {
    let scope = layout.scope(id);
    let mut components = (0..scope.components.len())
        .filter(|index| scope.components[*index].parent == parent)
        .peekable();
    let mut members = Vec::new();
    for index in 0..=scope.fields.len() {
        let starts_here = |it: &usize| scope.components[*it].fields.start <= index;
        while let Some(component) = components.next_if(starts_here) {
            members.push(Member::Component(component));
        }
        if scope.fields.get(index).is_some_and(|field| field.component == parent) {
            members.push(Member::Field(index));
        }
    }
    members
}

/// The type of a value, as `xsi:type` names it.
fn simple_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "xsd:boolean",
        Kind::Integer(integer) => integer_type(integer),
        Kind::Decimal => "xsd:decimal",
        Kind::BigInteger => "xsd:integer",
        Kind::BigDecimal => "xsd:decimal",
        Kind::Float32 => "xsd:float",
        Kind::Float64 => "xsd:double",
        Kind::Duration => "xsd:duration",
        Kind::Bytes => "xsd:base64Binary",
        Kind::Date => "xsd:date",
        Kind::Time => "xsd:time",
        Kind::Timestamp => "xsd:dateTime",
        Kind::Text | Kind::Code => "xsd:string",
    }
}

fn integer_type(kind: IntegerKind) -> &'static str {
    match kind {
        IntegerKind::I8 => "xsd:byte",
        IntegerKind::I16 => "xsd:short",
        IntegerKind::I32 => "xsd:int",
        IntegerKind::I64 => "xsd:long",
        IntegerKind::U8 => "xsd:unsignedByte",
        IntegerKind::U16 => "xsd:unsignedShort",
        IntegerKind::U32 => "xsd:unsignedInt",
        IntegerKind::U64 => "xsd:unsignedLong",
    }
}

impl Types {
    /// The `types` of a description.
    pub(super) fn write(&self, description: &Description, shapes: &[Shape], markup: &mut Markup) {
        let qualified = shapes.iter().all(|it| it.form() == Form::Qualified);
        let default = if qualified { "qualified" } else { "unqualified" };
        markup.begin("wsdl:types", &[]);
        let namespace = ("targetNamespace", &*description.namespace);
        markup.begin("xsd:schema", &[namespace, ("elementFormDefault", default)]);
        if self.has_encoded_arrays() {
            markup.empty("xsd:import", &[("namespace", ENCODING)]);
        }
        for complex in &self.complex {
            let form = if qualified { Form::Unqualified } else { complex.form };
            markup.begin("xsd:complexType", &[("name", &*complex.name)]);
            match &complex.content {
                Content::Sequence(elements) => sequence(elements, form, markup),
                Content::Array(item) => array(item, markup),
            }
            markup.end("xsd:complexType");
        }
        let form = if qualified { Form::Unqualified } else { Form::Qualified };
        for (name, global) in &self.elements {
            match global {
                Global::Type(type_name) => {
                    markup.empty("xsd:element", &[("name", name), ("type", type_name)]);
                }
                Global::Wrapper(elements) => {
                    markup.begin("xsd:element", &[("name", name)]);
                    markup.begin("xsd:complexType", &[]);
                    sequence(elements, form, markup);
                    markup.end("xsd:complexType");
                    markup.end("xsd:element");
                }
            }
        }
        markup.end("xsd:schema");
        markup.end("wsdl:types");
    }
}

/// `form` is `Qualified` where the schema's default is not.
fn sequence(elements: &[Element], form: Form, markup: &mut Markup) {
    if elements.is_empty() {
        return markup.empty("xsd:sequence", &[]);
    }
    markup.begin("xsd:sequence", &[]);
    for element in elements {
        let mut attributes = vec![("name", &*element.name), ("type", &*element.type_name)];
        if form == Form::Qualified {
            attributes.push(("form", "qualified"));
        }
        if element.optional {
            attributes.push(("minOccurs", "0"));
        }
        if element.repeated {
            attributes.push(("maxOccurs", "unbounded"));
        }
        // Senders of encoded values say nil where they have none.
        if form == Form::Encoded && element.optional {
            attributes.push(("nillable", "true"));
        }
        markup.empty("xsd:element", &attributes);
    }
    markup.end("xsd:sequence");
}

fn array(item: &str, markup: &mut Markup) {
    markup.begin("xsd:complexContent", &[]);
    markup.begin("xsd:restriction", &[("base", "soapenc:Array")]);
    let array_type = format!("{item}[]");
    let attributes = [("ref", "soapenc:arrayType"), ("wsdl:arrayType", &*array_type)];
    markup.empty("xsd:attribute", &attributes);
    markup.end("xsd:restriction");
    markup.end("xsd:complexContent");
}
