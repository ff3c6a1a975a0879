//! The schema: business facts about a message. Numbers are FIX's, because the business has no others.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use crate::{Error, Required, Structure};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Yes or no.
    Boolean,
    /// A whole number of a stated width.
    Integer(IntegerKind),
    /// Mantissa and exponent of ten: prices, quantities.
    Decimal,
    /// An IEEE double.
    Float,
    /// Unicode text.
    Text,
    /// Any bytes.
    Bytes,
    /// A day of the calendar.
    Date,
    /// A time of day.
    Time,
    /// A date and time, UTC.
    Timestamp,
    /// One of an enumeration, by its short code.
    Code,
    /// A list of whole numbers.
    Integers(IntegerKind),
    /// A list of IEEE doubles.
    Floats,
    /// A repeating group; its entries are described by another scope of the schema.
    Group(ScopeId),
}

/// Width and sign of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntegerKind {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl IntegerKind {
    /// Every width, with the name that listings use.
    pub const ALL: [(IntegerKind, &'static str); 8] = [
        (Self::I8, "i8"),
        (Self::I16, "i16"),
        (Self::I32, "i32"),
        (Self::I64, "i64"),
        (Self::U8, "u8"),
        (Self::U16, "u16"),
        (Self::U32, "u32"),
        (Self::U64, "u64"),
    ];

    /// The name that listings use: `u32`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Bytes that a value takes.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }
}

/// The scope's position in [`Schema::scopes`]; 0 is the message itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u16);

/// Must it be there?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Every message has it.
    Required,
    /// It may be absent.
    Optional,
}

/// One field of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name inside its component: `MDEntryPx`.
    pub name: Box<str>,
    /// FIX tag number, of the count field for groups; 0 where there is none.
    pub number: u32,
    /// Number of the field that holds a data field's length; 0 where there is none.
    pub length_number: u32,
    /// What it holds.
    pub kind: Kind,
    /// Must it be there?
    pub need: Need,
    /// Innermost component around it, an index into [`Scope::components`].
    pub component: Option<u16>,
}

/// A named range of fields. Formats that nest (XML) show it, flat ones (FIX) do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The component's name.
    pub name: Box<str>,
    /// Name of its type: of the struct, or the component's own where there is none.
    pub type_name: Box<str>,
    /// The fields inside, nested components included.
    pub fields: Range<usize>,
    /// The component around it.
    pub parent: Option<u16>,
    /// Must it be there, even when no field inside is set?
    pub need: Need,
}

/// The fields of a message or of a group's entry, components flattened into ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Name of the message, or of one entry of the group.
    pub name: Box<str>,
    /// Name of its type: of the struct, or the same where there is none.
    pub type_name: Box<str>,
    /// All leaf fields and groups, in order.
    pub fields: Vec<Field>,
    /// Components in the order in which they open, outer before inner.
    pub components: Vec<Component>,
    /// Which fields must be there, and when.
    pub required: Required,
}

impl Scope {
    fn named(name: &str) -> Self {
        let (fields, components, required) = Default::default();
        Self { name: name.into(), type_name: name.into(), fields, components, required }
    }

    /// Position of the first field of this name. As many components may stand before it as tell it
    /// from others of its name: `CompID`, `Target/CompID`, `Header/Target/CompID`.
    pub fn position(&self, path: &str) -> Option<usize> {
        self.fields.iter().position(|field| self.is_at(field, path))
    }

    /// Adds the names of a field, if there is such a one, and of the components around it to the
    /// path of an error.
    #[cold]
    pub fn locate(&self, error: Error, field: usize) -> Error {
        let Some(field) = self.fields.get(field) else { return error };
        let mut error = error.within(&field.name);
        let mut component = field.component;
        while let Some(around) = component.map(|it| &self.components[usize::from(it)]) {
            error = error.within(&around.name);
            component = around.parent;
        }
        error
    }

    fn is_at(&self, field: &Field, path: &str) -> bool {
        let mut steps = path.rsplit('/');
        let mut component = field.component;
        steps.next() == Some(&*field.name)
            && steps.all(|step| {
                let Some(around) = component.map(|it| &self.components[usize::from(it)]) else {
                    return false;
                };
                component = around.parent;
                *around.name == *step
            })
    }
}

/// The description of one message that every format compiles into its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    message_type: Box<str>,
    scopes: Vec<Scope>,
}

impl Schema {
    /// Starts a description of the message `name`; `message_type` is FIX's MsgType, or empty.
    pub fn builder(name: &str, message_type: &str) -> SchemaBuilder {
        SchemaBuilder::new(name, message_type)
    }

    /// The message's name.
    pub fn name(&self) -> &str {
        &self.scopes[0].name
    }

    /// FIX's MsgType, or empty.
    pub fn message_type(&self) -> &str {
        &self.message_type
    }

    /// Every scope: the message first, then the groups in the order in which they open.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// One scope.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[usize::from(id.0)]
    }
}

/// Why a description is no schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(pub(crate) String);

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SchemaError {}

/// Components and groups inside one another, at most; as [`Limits`](crate::Limits) has it for depth.
const DEEPEST: usize = 128;

/// Builds a [`Schema`] from fields in their order.
#[derive(Debug)]
pub struct SchemaBuilder {
    message_type: Box<str>,
    scopes: Vec<Scope>,
    open: Vec<Open>,
    problem: Option<String>,
}

#[derive(Debug)]
enum Open {
    Component { scope: usize, index: usize },
    Group { scope: usize },
}

impl SchemaBuilder {
    fn new(name: &str, message_type: &str) -> Self {
        let message = Scope::named(name);
        Self {
            message_type: message_type.into(),
            scopes: vec![message],
            open: Vec::new(),
            problem: None,
        }
    }

    fn scope_index(&self) -> usize {
        match self.open.last() {
            None => 0,
            Some(Open::Component { scope, .. } | Open::Group { scope }) => *scope,
        }
    }

    fn component(&self) -> Option<u16> {
        match self.open.last() {
            Some(Open::Component { index, .. }) => Some(*index as u16),
            _ => None,
        }
    }

    fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn enter(&mut self, name: &str, open: Open) {
        if self.open.len() == DEEPEST {
            self.fail(format!("{name}: more than {DEEPEST} components and groups are nested"));
        }
        self.open.push(open);
    }

    fn add(&mut self, name: &str, number: u32, length_number: u32, kind: Kind, need: Need) {
        let component = self.component();
        let scope = self.scope_index();
        self.scopes[scope].fields.push(Field {
            name: name.into(),
            number,
            length_number,
            kind,
            need,
            component,
        });
    }

    /// Adds a field that holds a value.
    pub fn field(&mut self, name: &str, number: u32, kind: Kind, need: Need) -> &mut Self {
        self.data_field(name, number, 0, kind, need)
    }

    /// Adds a data field whose length stands in the field `length_number` before it.
    pub fn data_field(
        &mut self,
        name: &str,
        number: u32,
        length_number: u32,
        kind: Kind,
        need: Need,
    ) -> &mut Self {
        if matches!(kind, Kind::Group(_)) {
            self.fail(format!("{name}: groups are opened by begin_group"));
        }
        self.add(name, number, length_number, kind, need);
        self
    }

    /// Opens a component; the fields that follow are its own until [`end`](Self::end).
    pub fn begin_component(&mut self, name: &str, need: Need) -> &mut Self {
        let scope = self.scope_index();
        let parent = self.component();
        let start = self.scopes[scope].fields.len();
        let index = self.scopes[scope].components.len();
        self.scopes[scope].components.push(Component {
            name: name.into(),
            type_name: name.into(),
            fields: start..start,
            parent,
            need,
        });
        self.enter(name, Open::Component { scope, index });
        self
    }

    /// Opens a repeating group: `name` around the entries, `entry` around each, `number` the tag of
    /// its count field. The fields that follow are the entry's until [`end`](Self::end).
    pub fn begin_group(&mut self, name: &str, number: u32, entry: &str, need: Need) -> &mut Self {
        let scope = self.scopes.len();
        self.add(name, number, 0, Kind::Group(ScopeId(scope as u16)), need);
        self.scopes.push(Scope::named(entry));
        self.enter(name, Open::Group { scope });
        self
    }

    /// Adds the fields of a struct to the component or group opened last.
    ///
    /// Nothing is added once something is wrong: a struct that holds itself, which a compiler does
    /// not see in an implementation by hand, ends at the first level too many.
    pub fn describe<S: Structure>(&mut self) -> &mut Self {
        if self.problem.is_none() {
            S::describe(self);
        }
        self
    }

    /// Names the type of the component or group entry opened last, for formats that name types; it has
    /// the component's or entry's own name otherwise. What a message is called is its type's name, too.
    pub fn of_type(&mut self, name: &str) -> &mut Self {
        match self.open.last() {
            Some(Open::Component { scope, index }) => {
                self.scopes[*scope].components[*index].type_name = name.into();
            }
            Some(Open::Group { scope }) => self.scopes[*scope].type_name = name.into(),
            None => {}
        }
        self
    }

    /// Is every component and group closed?
    pub(crate) fn is_at_top(&self) -> bool {
        self.open.is_empty()
    }

    /// Closes the component or group opened last.
    pub fn end(&mut self) -> &mut Self {
        match self.open.pop() {
            Some(Open::Component { scope, index }) => {
                let scope = &mut self.scopes[scope];
                scope.components[index].fields.end = scope.fields.len();
            }
            Some(Open::Group { scope }) => {
                if self.scopes[scope].fields.is_empty() {
                    let name = self.scopes[scope].name.clone();
                    self.fail(format!("the group entry {name} has no fields"));
                }
            }
            None => self.fail("an end too many".into()),
        }
        self
    }

    /// The schema so far.
    ///
    /// # Errors
    /// Says how many components or groups are left open, which name or number stands twice, which
    /// name is none, or which part is too large.
    pub fn build(&self) -> Result<Schema, SchemaError> {
        if let Some(problem) = &self.problem {
            return Err(SchemaError(problem.clone()));
        }
        if !self.open.is_empty() {
            let open = self.open.len();
            return Err(SchemaError(format!("components or groups left open: {open}")));
        }
        if self.scopes.len() > usize::from(u16::MAX) {
            return Err(SchemaError("more than 65,534 groups".into()));
        }
        let mut numbers = HashSet::new();
        for scope in &self.scopes {
            check_scope(scope, &mut numbers)?;
        }
        let mut scopes = self.scopes.clone();
        for scope in &mut scopes {
            scope.required = Required::of(scope);
        }
        Ok(Schema { message_type: self.message_type.clone(), scopes })
    }
}

/// A name begins with a letter or underscore; digits, hyphens and points may follow. Letters
/// are those that every format which prints names allows.
fn check_name(name: &str) -> Result<(), SchemaError> {
    let letter = |c: char| {
        matches!(c, 'A'..='Z' | 'a'..='z' | '_'
            | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
            | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{2C00}'..='\u{2FEF}'
            | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{10000}'..='\u{EFFFF}')
    };
    let follows = |c: char| letter(c) || matches!(c, '0'..='9' | '-' | '.');
    if !name.starts_with(letter) || !name.chars().all(follows) {
        return Err(SchemaError(format!("{name:?} is not a name")));
    }
    Ok(())
}

/// FIX fields share one flat space, so a number may stand once in the whole message; names need
/// be unique inside their component only.
fn check_scope(scope: &Scope, numbers: &mut HashSet<u32>) -> Result<(), SchemaError> {
    if scope.fields.len() >= usize::from(u16::MAX) {
        return Err(SchemaError(format!("{} has more than 65,534 fields", scope.name)));
    }
    if scope.components.len() >= usize::from(u16::MAX) {
        return Err(SchemaError(format!("{} has more than 65,534 components", scope.name)));
    }
    check_name(&scope.name)?;
    let types = scope.components.iter().map(|it| &it.type_name);
    types.chain([&scope.type_name]).try_for_each(|name| check_name(name))?;
    let mut names = HashSet::new();
    let components = scope.components.iter().map(|it| (&it.name, it.parent));
    let fields = scope.fields.iter().map(|it| (&it.name, it.component));
    for (name, parent) in fields.chain(components) {
        check_name(name).map_err(|error| SchemaError(format!("{}: {error}", scope.name)))?;
        if !names.insert((parent, name)) {
            return Err(SchemaError(format!("{}: the name {name} stands twice", scope.name)));
        }
    }
    for field in &scope.fields {
        for number in [field.number, field.length_number] {
            if number != 0 && !numbers.insert(number) {
                return Err(SchemaError(format!(
                    "{}: the number {number} stands twice",
                    field.name
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(describe: impl FnOnce(&mut SchemaBuilder)) -> String {
        let mut builder = Schema::builder("Order", "D");
        describe(&mut builder);
        builder.build().unwrap_err().to_string()
    }

    #[test]
    fn a_builder_gives_the_same_schema_twice() {
        let mut builder = Schema::builder("Order", "D");
        builder.field("Price", 44, Kind::Decimal, Need::Optional);
        let schema = builder.build().unwrap();
        assert_eq!((schema.name(), schema.message_type()), ("Order", "D"));
        assert_eq!(builder.build().unwrap(), schema);
    }

    #[test]
    fn a_path_tells_fields_of_one_name_apart() {
        let mut builder = Schema::builder("Order", "D");
        builder.begin_component("Header", Need::Required);
        for (number, name) in [(49, "Sender"), (56, "Target")] {
            builder.begin_component(name, Need::Required);
            builder.field("CompID", number, Kind::Text, Need::Required).end();
        }
        builder.end();
        let schema = builder.build().unwrap();
        let position = |path| schema.scopes()[0].position(path);
        assert_eq!(position("CompID"), Some(0));
        assert_eq!(position("Target/CompID"), Some(1));
        assert_eq!(position("Header/Target/CompID"), Some(1));
        for wrong in ["Header/CompID", "Order/Header/Target/CompID", "Target", "/CompID", ""] {
            assert_eq!(position(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn errors_name_the_field() {
        let field = |builder: &mut SchemaBuilder, name: &str, number| {
            builder.field(name, number, Kind::Text, Need::Required);
        };
        assert_eq!(error(|it| field(it, "a b", 1)), "Order: \"a b\" is not a name");
        let twice = |it: &mut SchemaBuilder| {
            field(it, "a", 1);
            field(it, "a", 2);
        };
        assert_eq!(error(twice), "Order: the name a stands twice");
        let open = |it: &mut SchemaBuilder| {
            it.begin_component("a", Need::Required);
        };
        assert_eq!(error(open), "components or groups left open: 1");
        let deep = |it: &mut SchemaBuilder| {
            for level in 0..=DEEPEST {
                it.begin_group(&format!("g{level}"), 0, "e", Need::Optional);
            }
        };
        assert_eq!(error(deep), "g128: more than 128 components and groups are nested");
        let empty = |it: &mut SchemaBuilder| {
            it.begin_group("Legs", 555, "Leg", Need::Optional).end();
        };
        assert_eq!(error(empty), "the group entry Leg has no fields");
    }
}
