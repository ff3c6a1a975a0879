//! Which names the elements and attributes of a message have.

use std::collections::{HashMap, HashSet};

use trunkline_message::{Holds, IntegerKind, Kind, ScopeId};
use trunkline_wire::Literal;

use super::binding::entry_name;
use super::plan::{Layout, NONE, Options, Shape, Version};

/// Attributes with a meaning of their own: a declaration (Namespaces in XML section 3), and a
/// reference to a value elsewhere (SOAP 1.1 section 5.4.1).
const TAKEN: [&str; 2] = ["xmlns", "href"];

pub(super) struct Naming<'a> {
    pub(super) layout: &'a trunkline_message::Layout,
    pub(super) options: &'a Options,
}

impl Naming<'_> {
    /// How the field is written.
    pub(super) fn shape(&self, holds: Holds) -> Shape {
        match holds {
            Holds::Group(_) | Holds::Struct(_) => Shape::Group,
            Holds::List(_) => Shape::List,
            _ if self.options.attributes => Shape::Attribute,
            Holds::Value(_) | Holds::Enumeration(_) => Shape::Value,
        }
    }

    /// The element that a field stands in: a component, or [`NONE`] for the scope's own.
    pub(super) fn around(&self, scope: ScopeId, index: usize) -> u16 {
        let scope = self.layout.scope(scope);
        let component = scope.fields[index].component;
        let own = component.map(|it| &scope.components[usize::from(it)]);
        // A choice has no element of its own.
        let component = own.filter(|it| it.is_choice).map_or(component, |it| it.parent);
        component.filter(|_| !self.options.flat).unwrap_or(NONE)
    }

    /// Of every field of a scope; each is unique in the element that the field stands in.
    pub(super) fn fields(&self, id: ScopeId) -> Vec<String> {
        let scope = self.layout.scope(id);
        if self.options.compact_tags {
            return (0..scope.fields.len()).map(|index| self.compact(id, index)).collect();
        }
        let mut names: Vec<String> = match self.options.flat {
            true => self.prefixed(id),
            false => scope.fields.iter().map(|field| field.name.to_string()).collect(),
        };
        let places = (0..names.len()).map(|index| self.around(id, index));
        let places: Vec<u16> = places.collect();
        let mut all: HashSet<(u16, String)> = places.iter().copied().zip(names.clone()).collect();
        let mut passed = HashSet::new();
        for (index, name) in names.iter_mut().enumerate() {
            let place = places[index];
            let is_attribute = self.shape(scope.fields[index].holds) == Shape::Attribute;
            let is_taken = is_attribute && TAKEN.contains(&&**name);
            if passed.insert((place, name.clone())) && !is_taken {
                continue;
            }
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let mut free = numbered.filter(|name| all.insert((place, name.clone())));
            *name = free.next().expect("one of all numbers");
        }
        names
    }

    /// Names with those of components in front, from the innermost outwards, as many as tell a
    /// name from others of the scope.
    fn prefixed(&self, id: ScopeId) -> Vec<String> {
        let scope = self.layout.scope(id);
        let mut names: Vec<String> = scope.fields.iter().map(|it| it.name.to_string()).collect();
        let mut outside: Vec<Option<u16>> = scope.fields.iter().map(|it| it.component).collect();
        loop {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for name in &names {
                *counts.entry(name.clone()).or_default() += 1;
            }
            let mut done = true;
            for (name, outside) in names.iter_mut().zip(&mut outside) {
                let repeated = counts[&**name] > 1;
                if let Some(component) = outside.filter(|_| repeated) {
                    let component = &scope.components[usize::from(component)];
                    name.insert_str(0, &component.name);
                    *outside = component.parent;
                    done = false;
                }
            }
            if done {
                return names;
            }
        }
    }

    /// A short name is the field's number, which is FIX's, as the business has no others.
    fn compact(&self, scope: ScopeId, index: usize) -> String {
        let field = &self.layout.scope(scope).fields[index];
        match (field.holds, self.layout.notes().of_member(field.member, "fix", "tag")) {
            (Holds::Group(_), Some(tag)) => format!("g{tag}"),
            (_, Some(tag)) => format!("f{tag}"),
            (_, None) => format!("n{index}"),
        }
    }

    pub(super) fn component(&self, scope: ScopeId, index: usize) -> String {
        match self.options.compact_tags {
            false => self.layout.scope(scope).components[index].name.to_string(),
            true => format!("c{index}"),
        }
    }

    /// Of the message, or of a group's entry.
    pub(super) fn entry(&self, scope: ScopeId) -> String {
        match self.options.compact_tags {
            false => entry_name(self.layout, scope).to_owned(),
            true => format!("e{}", scope.0),
        }
    }

    /// Local name of the element that is the message.
    pub(super) fn root(&self) -> String {
        match self.options.layout {
            Layout::Message => self.entry(ScopeId(0)),
            Layout::Operation | Layout::Fragment => self.options.operation.clone(),
        }
    }

    /// The start tag of an element that is not a field, up to where attributes may stand; `type_name`
    /// is its type's, in the namespace.
    pub(super) fn start(&self, name: &str, type_name: &str) -> Literal {
        let end = if self.options.attributes { "" } else { ">" };
        let of_type = match self.options.has_arrays() {
            true => format!(" xsi:type=\"{}\"", self.own_type(type_name)),
            false => String::new(),
        };
        Literal::new(format!("<{name}{of_type}{end}").as_bytes())
    }

    /// The start tag of a field's element; that of an array up to the count.
    pub(super) fn field_start(&self, name: &str, holds: Holds) -> String {
        let item = match holds {
            Holds::Value(kind) => return format!("<{name}{}>", self.xsd_type(kind)),
            _ if !self.options.has_arrays() => return format!("<{name}>"),
            Holds::Enumeration(_) => return format!("<{name}>"),
            Holds::Group(scope) | Holds::Struct(scope) => {
                self.own_type(&self.layout.scope(scope).name)
            }
            Holds::List(kind) => xsd_name(kind).to_owned(),
        };
        let attributes = match self.options.version {
            Version::Soap11 => format!("SOAP-ENC:arrayType=\"{item}["),
            Version::Soap12 => format!("SOAP-ENC:itemType=\"{item}\" SOAP-ENC:arraySize=\""),
        };
        format!("<{name} xsi:type=\"SOAP-ENC:Array\" {attributes}")
    }

    /// A type of the message's own, as a qualified name.
    fn own_type(&self, name: &str) -> String {
        match &*self.options.namespace {
            "" => name.to_owned(),
            _ => format!("ns:{name}"),
        }
    }

    /// The attribute that tells an element's type, if that is wanted.
    fn xsd_type(&self, kind: Kind) -> String {
        match xsd_name(kind) {
            name if self.options.types => format!(" xsi:type=\"{name}\""),
            _ => String::new(),
        }
    }
}

/// The type of XML Schema for values of a kind.
pub(super) fn xsd_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "xsd:boolean",
        Kind::Integer(IntegerKind::I8) => "xsd:byte",
        Kind::Integer(IntegerKind::I16) => "xsd:short",
        Kind::Integer(IntegerKind::I32) => "xsd:int",
        Kind::Integer(IntegerKind::I64) => "xsd:long",
        Kind::Integer(IntegerKind::U8) => "xsd:unsignedByte",
        Kind::Integer(IntegerKind::U16) => "xsd:unsignedShort",
        Kind::Integer(IntegerKind::U32) => "xsd:unsignedInt",
        Kind::Integer(IntegerKind::U64) => "xsd:unsignedLong",
        Kind::Decimal => "xsd:decimal",
        Kind::BigInteger => "xsd:integer",
        Kind::BigDecimal => "xsd:decimal",
        Kind::Float32 => "xsd:float",
        Kind::Float64 => "xsd:double",
        Kind::Duration => "xsd:duration",
        Kind::Text | Kind::Code => "xsd:string",
        Kind::Bytes => "xsd:base64Binary",
        Kind::Date => "xsd:date",
        Kind::Time => "xsd:time",
        Kind::Timestamp => "xsd:dateTime",
    }
}

#[cfg(test)]
mod tests {
    use trunkline_message::Need;

    use super::*;

    /// Names of the fields with these paths, such as `Header/Sender/CompID`.
    fn names(paths: &[&str], options: Options) -> Vec<String> {
        let mut builder = trunkline_message::Layout::builder("M");
        for path in paths {
            let mut steps: Vec<&str> = path.split('/').collect();
            let name = steps.pop().unwrap();
            for step in &steps {
                builder.begin_component(step, Need::Implied);
            }
            builder.field(name, Kind::Text, Need::Optional);
            for _ in &steps {
                builder.end();
            }
        }
        let layout = builder.build().unwrap();
        Naming { layout: &layout, options: &options }.fields(ScopeId(0))
    }

    #[test]
    fn names_take_as_many_components_in_front_as_tell_them_apart() {
        let flat = |paths: &[&str]| names(paths, Options { flat: true, ..Options::default() });
        assert_eq!(flat(&["A/x", "B/y", "z"]), ["x", "y", "z"]);
        assert_eq!(
            flat(&["H/Sender/ID", "G/Target/ID", "ID", "H2/Time"]),
            ["SenderID", "TargetID", "ID", "Time"]
        );
        assert_eq!(flat(&["Buy/Party/ID", "Sell/Party/ID"]), ["BuyPartyID", "SellPartyID"]);
        // A prefixed name meets another one.
        assert_eq!(flat(&["A/x", "B/x", "Bx", "C/Bx"]), ["Ax", "Bx", "Bx-2", "CBx"]);
        assert_eq!(flat(&["Ab/c", "A/bc", "X/c", "Y/bc"]), ["Abc", "Abc-2", "Xc", "Ybc"]);
        assert_eq!(flat(&["A/x", "B/x", "Ax", "Ax-2"]), ["Ax", "Bx", "Ax-3", "Ax-2"]);
    }
    #[test]
    fn attributes_leave_names_with_a_meaning_of_their_own_alone() {
        let paths = ["xmlns", "href", "xmlns-2", "id", "A/href", "B/href"];
        assert_eq!(names(&paths, Options::default())[..2], ["xmlns", "href"]);
        let attributes = Options { attributes: true, ..Options::default() };
        let expected = ["xmlns-3", "href-2", "xmlns-2", "id", "href-2", "href-2"];
        assert_eq!(names(&paths, attributes.clone()), expected);
        let expected = ["xmlns-3", "href-2", "xmlns-2", "id", "Ahref", "Bhref"];
        assert_eq!(names(&paths, Options { flat: true, ..attributes }), expected);
    }
}
