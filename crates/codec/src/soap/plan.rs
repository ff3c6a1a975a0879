//! A schema compiled for SOAP: the tags to write and the names to look up.

use std::sync::Arc;

use trunkline_message::{Error, Kind, Need, Schema, Scope, ScopeId};
use trunkline_wire::Literal;

use super::envelope;
use super::names::{Name, Names};

/// Which SOAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Version {
    /// SOAP 1.1, W3C note of 2000.
    #[default]
    Soap11,
    /// SOAP 1.2, W3C recommendation of 2007.
    Soap12,
}

/// What stands in the Body and how values are written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// An element named after the operation, its content by the encoding rules of section 5.
    #[default]
    RpcEncoded,
    /// An element named after the operation, its content by schema.
    RpcLiteral,
    /// The message itself, by schema.
    DocumentLiteral,
}

/// How messages are written, and what is expected of those that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which SOAP is written; both are read.
    pub version: Version,
    /// What stands in the Body.
    pub style: Style,
    /// The operation's name, for the rpc styles.
    pub operation: String,
    /// Namespace of the operation (rpc) or of every element of the message (document); empty for
    /// none.
    pub namespace: String,
    /// Does every value tell its type (`xsi:type`)?
    pub types: bool,
    /// Names of two to four characters in place of the schema's (the paper's section 5.4).
    pub compact_tags: bool,
}

impl Default for Options {
    /// As the paper's Figure 6: SOAP 1.1, rpc/encoded, no namespace, no types.
    fn default() -> Self {
        Self {
            version: Version::default(),
            style: Style::default(),
            operation: "sendMessage".into(),
            namespace: String::new(),
            types: false,
            compact_tags: false,
        }
    }
}

/// A schema compiled for SOAP; shared by any number of encoders and decoders.
#[derive(Debug)]
pub struct Plan {
    pub(super) schema: Arc<Schema>,
    pub(super) options: Options,
    /// Everything before the first field, and after the last.
    pub(super) prologue: Literal,
    pub(super) epilogue: Literal,
    /// Name of the element that is the message.
    pub(super) root: Box<str>,
    pub(super) scopes: Vec<ScopePlan>,
    /// How deep elements nest inside the message's own.
    pub(super) depth: usize,
}

impl Plan {
    /// Compiles a schema.
    pub fn new(schema: &Arc<Schema>, options: &Options) -> Arc<Self> {
        let naming = Naming { schema, options };
        let root = naming.entry(ScopeId(0));
        let (prologue, epilogue) = envelope::around(options, &root);
        let scopes = (0..schema.scopes().len() as u16)
            .map(|scope| ScopePlan::new(&naming, ScopeId(scope)))
            .collect();
        Arc::new(Self {
            schema: schema.clone(),
            options: options.clone(),
            prologue: Literal::new(prologue.as_bytes()),
            epilogue: Literal::new(epilogue.as_bytes()),
            root: root.into(),
            scopes,
            depth: depth(schema),
        })
    }

    /// The schema that was compiled.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Adds a field to the path of an error.
    #[cold]
    pub(super) fn locate(&self, error: Error, scope: usize, field: usize) -> Error {
        self.schema.scopes()[scope].locate(error, field)
    }

    /// Namespace of the message's elements.
    pub(super) fn element_namespace(&self) -> &str {
        match self.options.style {
            Style::DocumentLiteral => &self.options.namespace,
            Style::RpcEncoded | Style::RpcLiteral => "",
        }
    }
}

/// How deep elements nest inside the one that is the message.
fn depth(schema: &Schema) -> usize {
    let mut depths = vec![0; schema.scopes().len()];
    // The scopes of groups stand behind the one that they are in.
    for (index, scope) in schema.scopes().iter().enumerate().rev() {
        let outer = |mut component: Option<u16>| {
            let mut count = 0;
            while let Some(around) = component {
                component = scope.components[usize::from(around)].parent;
                count += 1;
            }
            count
        };
        let fields = scope.fields.iter().map(|field| match field.kind {
            Kind::Group(entry) => outer(field.component) + 2 + depths[usize::from(entry.0)],
            Kind::Integers(_) | Kind::Floats => outer(field.component) + 2,
            _ => outer(field.component) + 1,
        });
        let components = (0..scope.components.len()).map(|it| outer(Some(it as u16)));
        depths[index] = fields.chain(components).max().unwrap_or(0);
    }
    depths[0]
}

/// Which names the elements have.
struct Naming<'a> {
    schema: &'a Schema,
    options: &'a Options,
}

impl Naming<'_> {
    fn field(&self, scope: ScopeId, index: usize) -> String {
        let field = &self.schema.scope(scope).fields[index];
        match field.kind {
            _ if !self.options.compact_tags => field.name.to_string(),
            Kind::Group(_) if field.number != 0 => format!("g{}", field.number),
            _ if field.number != 0 => format!("f{}", field.number),
            _ => format!("n{index}"),
        }
    }

    fn component(&self, scope: ScopeId, index: usize) -> String {
        match self.options.compact_tags {
            false => self.schema.scope(scope).components[index].name.to_string(),
            true => format!("c{index}"),
        }
    }

    /// Of the message, or of a group's entry.
    fn entry(&self, scope: ScopeId) -> String {
        match self.options.compact_tags {
            false => self.schema.scope(scope).name.to_string(),
            true => format!("e{}", scope.0),
        }
    }

    fn xsd_type(&self, kind: Kind) -> &'static str {
        match kind {
            _ if !self.options.types => "",
            Kind::Boolean => " xsi:type=\"xsd:boolean\"",
            Kind::Integer(kind) => integer_type(kind),
            Kind::Decimal => " xsi:type=\"xsd:decimal\"",
            Kind::Float => " xsi:type=\"xsd:double\"",
            Kind::Text | Kind::Code => " xsi:type=\"xsd:string\"",
            Kind::Bytes => " xsi:type=\"xsd:base64Binary\"",
            Kind::Date => " xsi:type=\"xsd:date\"",
            Kind::Time => " xsi:type=\"xsd:time\"",
            Kind::Timestamp => " xsi:type=\"xsd:dateTime\"",
            Kind::Group(_) | Kind::Integers(_) | Kind::Floats => "",
        }
    }
}

fn integer_type(kind: trunkline_message::IntegerKind) -> &'static str {
    use trunkline_message::IntegerKind as Kind;
    match kind {
        Kind::I8 => " xsi:type=\"xsd:byte\"",
        Kind::I16 => " xsi:type=\"xsd:short\"",
        Kind::I32 => " xsi:type=\"xsd:int\"",
        Kind::I64 => " xsi:type=\"xsd:long\"",
        Kind::U8 => " xsi:type=\"xsd:unsignedByte\"",
        Kind::U16 => " xsi:type=\"xsd:unsignedShort\"",
        Kind::U32 => " xsi:type=\"xsd:unsignedInt\"",
        Kind::U64 => " xsi:type=\"xsd:unsignedLong\"",
    }
}

/// What a field is to the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Its content is one value.
    Value,
    /// Its content is `item` elements.
    List,
    /// Its content is entries.
    Group,
}

#[derive(Debug)]
pub(super) struct Slot {
    /// `<MDEntryPx>`, and `</MDEntryPx>`.
    pub(super) start: Literal,
    pub(super) end: Literal,
    pub(super) shape: Shape,
    /// Innermost component around the field; [`NONE`] for the scope's own element.
    pub(super) component: u16,
    /// Of the entries, for groups.
    pub(super) scope: usize,
}

/// The scope's own element, in place of a component.
pub(super) const NONE: u16 = u16::MAX;

#[derive(Debug)]
pub(super) struct Element {
    pub(super) start: Literal,
    pub(super) end: Literal,
    pub(super) parent: u16,
    /// The first field inside; one beyond the last.
    pub(super) fields: (usize, usize),
    pub(super) required: bool,
}

#[derive(Debug)]
pub(super) struct ScopePlan {
    pub(super) slots: Box<[Slot]>,
    pub(super) components: Box<[Element]>,
    /// Name of the element that is the message or entry, and its tags.
    pub(super) name: Box<str>,
    pub(super) start: Literal,
    pub(super) end: Literal,
    pub(super) names: Names,
    pub(super) required: Box<[u64]>,
    /// Is there a component that must be there though no field inside has to?
    pub(super) hollow: bool,
}

impl ScopePlan {
    fn new(naming: &Naming<'_>, id: ScopeId) -> Self {
        let scope = naming.schema.scope(id);
        let mut names = Names::new(scope.components.len());
        let mut slots = Vec::new();
        for (index, field) in scope.fields.iter().enumerate() {
            let name = naming.field(id, index);
            let component = field.component.unwrap_or(NONE);
            names.add(component, &name, Name::Field(index as u16));
            let shape = match field.kind {
                Kind::Group(_) => Shape::Group,
                Kind::Integers(_) | Kind::Floats => Shape::List,
                _ => Shape::Value,
            };
            let xsd_type = naming.xsd_type(field.kind);
            slots.push(Slot {
                start: Literal::new(format!("<{name}{xsd_type}>").as_bytes()),
                end: Literal::new(format!("</{name}>").as_bytes()),
                shape,
                component,
                scope: if let Kind::Group(scope) = field.kind { scope.0.into() } else { 0 },
            });
        }
        let mut components: Vec<Element> = Vec::new();
        for (index, component) in scope.components.iter().enumerate() {
            let name = naming.component(id, index);
            let parent = component.parent.unwrap_or(NONE);
            names.add(parent, &name, Name::Component(index as u16));
            components.push(Element {
                start: Literal::new(format!("<{name}>").as_bytes()),
                end: Literal::new(format!("</{name}>").as_bytes()),
                parent,
                fields: (component.fields.start, component.fields.end),
                required: component.need == Need::Required,
            });
        }
        let entry = naming.entry(id);
        Self {
            name: entry.as_str().into(),
            hollow: hollow(scope),
            slots: slots.into(),
            components: components.into(),
            start: Literal::new(format!("<{entry}>").as_bytes()),
            end: Literal::new(format!("</{entry}>").as_bytes()),
            names: names.finish(),
            required: scope.required.clone(),
        }
    }
}

impl ScopePlan {
    /// Is `inner` the component `outer`, or inside it?
    pub(super) fn is_inside(&self, mut inner: u16, outer: u16) -> bool {
        while inner != NONE && inner != outer {
            inner = self.components[usize::from(inner)].parent;
        }
        inner == outer
    }
}

fn hollow(scope: &Scope) -> bool {
    scope.components.iter().any(|component| {
        let inside = &scope.fields[component.fields.clone()];
        component.need == Need::Required && inside.iter().all(|it| it.need == Need::Optional)
    })
}
