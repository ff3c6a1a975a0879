//! Which names the elements and attributes of a message have.

use std::collections::{HashMap, HashSet};

use trunkline_message::Shape as ScopeShape;
use trunkline_message::{Error, ErrorKind, Field, Holds, IntegerKind, Kind, Result, ScopeId};
use trunkline_wire::Literal;

use super::binding::{entry_name, is_unwrapped, item_name};
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
    pub(super) fn shape(&self, id: ScopeId, index: usize) -> Shape {
        let field = &self.layout.scope(id).fields[index];
        match field.holds {
            Holds::Group(_) | Holds::List(_) if self.is_run(field) => Shape::Run,
            Holds::Group(_) => Shape::Group,
            Holds::Struct(_) => Shape::Struct,
            Holds::List(_) => Shape::List,
            _ if self.options.attributes && !self.is_chosen(id, index) => Shape::Attribute,
            Holds::Value(_) | Holds::Enumeration(_) => Shape::Value,
        }
    }

    /// Have the entries of a list no element around all of them? Arrays of the encoding have.
    fn is_run(&self, field: &Field) -> bool {
        is_unwrapped(self.layout, field) && !self.options.has_arrays()
    }

    /// Is it an arm or an item? Those are elements whatever other values are: an element is what says
    /// that it was chosen, or that it is another item.
    fn is_chosen(&self, id: ScopeId, index: usize) -> bool {
        let scope = self.layout.scope(id);
        let component = scope.fields[index].component.map(|it| &scope.components[usize::from(it)]);
        scope.shape != ScopeShape::Struct || component.is_some_and(|it| it.is_choice)
    }

    /// The element that a field stands in: a component, or [`NONE`] for the scope's own. A choice has
    /// none, so its arms stand in that around it.
    pub(super) fn around(&self, scope: ScopeId, index: usize) -> u16 {
        let scope = self.layout.scope(scope);
        let mut component = scope.fields[index].component.filter(|_| !self.options.flat);
        while let Some(choice) = component.map(|it| &scope.components[usize::from(it)])
            && choice.is_choice
        {
            component = choice.parent;
        }
        component.unwrap_or(NONE)
    }

    /// What a field's element is called by itself.
    fn own_name(&self, id: ScopeId, field: &Field) -> String {
        if self.layout.scope(id).shape == ScopeShape::Item {
            return self.item(id);
        }
        match self.is_run(field) {
            true => item_name(self.layout, field).unwrap_or(&field.name).to_owned(),
            false => field.name.to_string(),
        }
    }

    /// The name of the elements of a list whose items this scope describes, which have one field.
    fn item(&self, id: ScopeId) -> String {
        let Some((around, index)) = self.layout.scope(id).place else { return "item".into() };
        let list = &self.layout.scope(around).fields[index];
        match (self.is_run(list), self.options.compact_tags) {
            (true, true) => self.compact(around, index),
            (true, false) => self.fields(around).swap_remove(index),
            (false, true) => "item".into(),
            (false, false) => item_name(self.layout, list).unwrap_or("item").to_owned(),
        }
    }

    /// # Errors
    /// A note is no name, or stands where it means nothing; two elements beside each other would have
    /// the same name: an arm's, which stands where its choice does, or that of an unwrapped list.
    pub(super) fn check(&self) -> Result<()> {
        for (index, scope) in self.layout.scopes().iter().enumerate() {
            let id = ScopeId(index as u16);
            for (at, field) in scope.fields.iter().enumerate() {
                let checked = self.check_notes(id, field);
                checked.map_err(|what| scope.locate(unsupported(what), at))?;
            }
            if self.options.flat || self.options.compact_tags {
                continue;
            }
            let components = scope.components.iter().filter(|it| !it.is_choice);
            let components = components.map(|it| (it.parent.unwrap_or(NONE), it.name.to_string()));
            let mut known: HashSet<(u16, String)> = components.collect();
            for (at, field) in scope.fields.iter().enumerate() {
                let name = self.own_name(id, field);
                if !known.insert((self.around(id, at), name.clone())) {
                    let what = format!("two elements {name} beside each other in XML");
                    return Err(scope.locate(unsupported(what), at));
                }
            }
        }
        Ok(())
    }

    fn check_notes(&self, id: ScopeId, field: &Field) -> Result<(), String> {
        let note = |word| self.layout.notes().of_member(field.member, "xml", word);
        if let Some(name) = note("entry").filter(|it| !trunkline_message::is_name(it)) {
            return Err(format!("the note xml(entry = {name:?}), which is no name of an element"));
        }
        match note("list") {
            None => {}
            Some("unwrapped") if is_unwrapped(self.layout, field) => {}
            Some("unwrapped") => {
                return Err("xml(list = \"unwrapped\") of what is no list in a struct".into());
            }
            Some(other) => return Err(format!("the note xml(list = {other:?})")),
        }
        // Lists that hold themselves may share the scope of their items.
        let Holds::Group(inner) = field.holds else { return Ok(()) };
        let first = self.layout.field_of(inner).filter(|first| first.member != field.member);
        match first {
            Some(first) if self.layout.scope(inner).shape == ScopeShape::Item => {
                let names = |it: &Field| (self.is_run(it), self.own_name(id, it));
                let same = !self.is_run(first)
                    && !self.is_run(field)
                    && item_name(self.layout, first) == item_name(self.layout, field);
                match same || names(first) == names(field) {
                    true => Ok(()),
                    false => Err("other names of entries than in another list of the type".into()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Of every field of a scope; each is unique in the element that the field stands in.
    pub(super) fn fields(&self, id: ScopeId) -> Vec<String> {
        let scope = self.layout.scope(id);
        if self.options.compact_tags {
            return (0..scope.fields.len()).map(|index| self.compact(id, index)).collect();
        }
        let mut names: Vec<String> = match self.options.flat {
            true => self.prefixed(id),
            false => scope.fields.iter().map(|field| self.own_name(id, field)).collect(),
        };
        let places = (0..names.len()).map(|index| self.around(id, index));
        let places: Vec<u16> = places.collect();
        let mut all: HashSet<(u16, String)> = places.iter().copied().zip(names.clone()).collect();
        let mut passed = HashSet::new();
        for (index, name) in names.iter_mut().enumerate() {
            let place = places[index];
            let is_attribute = self.shape(id, index) == Shape::Attribute;
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
        let mut names: Vec<String> = scope.fields.iter().map(|it| self.own_name(id, it)).collect();
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
        if self.layout.scope(scope).shape == ScopeShape::Item {
            return self.item(scope);
        }
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

    /// Of the entry of a list of structs or choices.
    pub(super) fn entry_of(&self, field: &Field, inner: ScopeId) -> String {
        match item_name(self.layout, field).filter(|_| !self.options.compact_tags) {
            Some(name) => name.to_owned(),
            None if self.options.compact_tags => format!("e{}", inner.0),
            None => self.layout.scope(inner).name.to_string(),
        }
    }

    /// The start tag of a field's element; that of an array up to the count.
    pub(super) fn field_start(&self, name: &str, holds: Holds) -> String {
        let items = match holds {
            Holds::Value(_) | Holds::Enumeration(_) => {
                return format!("<{name}{}>", self.type_of(holds));
            }
            _ if !self.is_array(holds) => return format!("<{name}>"),
            Holds::List(_) | Holds::Group(_) | Holds::Struct(_) => self.type_of_items(holds),
        };
        let attributes = match self.options.version {
            Version::Soap11 => format!("SOAP-ENC:arrayType=\"{items}["),
            Version::Soap12 => format!("SOAP-ENC:itemType=\"{items}\" SOAP-ENC:arraySize=\""),
        };
        format!("<{name} xsi:type=\"SOAP-ENC:Array\" {attributes}")
    }

    /// Is a list an array of the encoding? One of choices is not: its elements tell by their names
    /// which arm each is, and those of an array's items mean nothing (SOAP 1.1 section 5.1).
    pub(super) fn is_array(&self, holds: Holds) -> bool {
        self.options.has_arrays()
            && match holds {
                Holds::List(_) => true,
                Holds::Group(inner) => self.layout.scope(inner).shape != ScopeShape::Choice,
                Holds::Value(_) | Holds::Enumeration(_) | Holds::Struct(_) => false,
            }
    }

    /// The type of the items of an array. SOAP 1.2 has no name for arrays of something.
    fn type_of_items(&self, holds: Holds) -> String {
        let inner = match holds {
            Holds::Group(inner) => self.layout.scope(inner),
            holds => return self.value_type(holds),
        };
        let item = (inner.shape == ScopeShape::Item).then(|| inner.fields[0].holds);
        match (item, self.options.version) {
            (None, _) => self.own_type(&inner.name),
            (Some(Holds::Value(_) | Holds::Enumeration(_)), _) => {
                self.value_type(inner.fields[0].holds)
            }
            (Some(list), _) if !self.is_array(list) => "xsd:anyType".into(),
            (Some(list), Version::Soap11) => format!("{}[]", self.type_of_items(list)),
            (Some(_), Version::Soap12) => "SOAP-ENC:Array".into(),
        }
    }

    /// The type of a value, or of each of a list of numbers.
    fn value_type(&self, holds: Holds) -> String {
        match holds {
            Holds::Enumeration(of) => self.own_type(&self.layout.schema().type_of(of).name),
            holds => holds.kind().map_or("", xsd_name).to_owned(),
        }
    }

    /// A type of the message's own, as a qualified name.
    fn own_type(&self, name: &str) -> String {
        match &*self.options.namespace {
            "" => name.to_owned(),
            _ => format!("ns:{name}"),
        }
    }

    /// The attribute that tells the type of a value, if that is wanted. The message's own types have
    /// names where structs tell theirs, too.
    pub(super) fn type_of(&self, holds: Holds) -> String {
        let is_own = matches!(holds, Holds::Enumeration(_));
        match self.options.types && (!is_own || self.options.has_arrays()) {
            true => format!(" xsi:type=\"{}\"", self.value_type(holds)),
            false => String::new(),
        }
    }
}

fn unsupported(what: String) -> Error {
    Error::new(ErrorKind::Unsupported(what.into()), 0)
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
