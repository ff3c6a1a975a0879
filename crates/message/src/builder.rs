//! Describes a message member by member, one inside the other.

use crate::{Body, Kind, Layout, Member, MemberId, Need, SchemaError, Structure, TypeId, Types};

/// Builds a [`Layout`] from members in their order. Each component and each group's entry is a type
/// of its own.
#[derive(Debug)]
pub struct LayoutBuilder {
    types: Types,
    /// The message, and the components and groups that are open.
    open: Vec<Open>,
    /// The member added last, which notes are about.
    last: Option<MemberId>,
    problem: Option<String>,
}

#[derive(Debug)]
struct Open {
    of: TypeId,
    members: Vec<Member>,
    is_choice: bool,
}

impl Open {
    fn body(self) -> (TypeId, Body) {
        let body = if self.is_choice { Body::Choice } else { Body::Struct };
        (self.of, body(self.members))
    }
}

/// Components and groups that may be open at a time.
const DEEPEST: usize = 128;

impl Layout {
    /// Starts a description of the message `name`.
    pub fn builder(name: &str) -> LayoutBuilder {
        let mut types = Types::default();
        let message = Open { of: types.declare(name), members: Vec::new(), is_choice: false };
        LayoutBuilder { types, open: vec![message], last: None, problem: None }
    }
}

impl LayoutBuilder {
    fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn inside(&mut self) -> &mut Open {
        self.open.last_mut().expect("the message is open to the end")
    }

    fn add(&mut self, name: &str, of: TypeId, need: Need) {
        let inside = self.inside();
        inside.members.push(Member { name: name.into(), of, need });
        let index = inside.members.len() as u32 - 1;
        self.last = Some(MemberId { of: inside.of, index });
    }

    fn enter(&mut self, name: &str, of: TypeId, is_choice: bool) {
        // The message itself is not counted.
        if self.open.len() > DEEPEST {
            self.fail(format!("{name}: more than {DEEPEST} components and groups are nested"));
        }
        self.open.push(Open { of, members: Vec::new(), is_choice });
    }

    /// The types so far, to add those that members refer to.
    pub fn types(&mut self) -> &mut Types {
        &mut self.types
    }

    /// Adds a field that holds a value.
    pub fn field(&mut self, name: &str, kind: Kind, need: Need) -> &mut Self {
        let of = self.types.scalar(kind);
        self.member(name, of, need)
    }

    /// Adds a field that holds any number of values.
    pub fn list(&mut self, name: &str, kind: Kind, need: Need) -> &mut Self {
        let item = self.types.scalar(kind);
        let of = self.types.list(item, None);
        self.member(name, of, need)
    }

    /// Adds a member of one of the [types](Self::types).
    pub fn member(&mut self, name: &str, of: TypeId, need: Need) -> &mut Self {
        self.add(name, of, need);
        self
    }

    /// Adds a member of a type that Rust describes.
    pub fn structure<S: Structure>(&mut self, name: &str, need: Need) -> &mut Self {
        let of = self.types.structure::<S>();
        self.add(name, of, need);
        self
    }

    /// Opens a component; the members that follow are its own until [`end`](Self::end).
    pub fn begin_component(&mut self, name: &str, need: Need) -> &mut Self {
        let of = self.types.declare(name);
        self.add(name, of, need);
        self.enter(name, of, false);
        self
    }

    /// Opens a choice; the members that follow are its arms until [`end`](Self::end), each of them
    /// required.
    pub fn begin_choice(&mut self, name: &str, need: Need) -> &mut Self {
        let of = self.types.declare(name);
        self.add(name, of, need);
        self.enter(name, of, true);
        self
    }

    /// Opens a repeating group: `name` around the entries, which are of a type called `entry`. The
    /// members that follow are the entry's until [`end`](Self::end).
    pub fn begin_group(&mut self, name: &str, entry: &str, need: Need) -> &mut Self {
        self.begin_list(name, entry, need, false)
    }

    /// Opens a list of choices of a type called `entry`; the members that follow are their arms until
    /// [`end`](Self::end).
    pub fn begin_choices(&mut self, name: &str, entry: &str, need: Need) -> &mut Self {
        self.begin_list(name, entry, need, true)
    }

    fn begin_list(&mut self, name: &str, entry: &str, need: Need, is_choice: bool) -> &mut Self {
        let of = self.types.declare(entry);
        let list = self.types.list(of, None);
        self.add(name, list, need);
        self.enter(name, of, is_choice);
        self
    }

    /// Opens a declared type; the members that follow are its own until [`end`](Self::end).
    pub(crate) fn begin_type(&mut self, of: TypeId, is_choice: bool) {
        self.open.push(Open { of, members: Vec::new(), is_choice });
    }

    /// Names the type of the component or group entry opened last, or of the message: it has the
    /// component's or entry's own name otherwise.
    pub fn of_type(&mut self, name: &str) -> &mut Self {
        let of = self.inside().of;
        self.types.rename(of, name);
        self
    }

    /// Notes a format's word about the member added last, or about the group opened last.
    pub fn note(&mut self, format: &str, word: &str, value: &str) -> &mut Self {
        match self.last {
            Some(member) => self.types.notes().note_member(member, format, word, value),
            None => self.fail(format!("the note {format}({word}) stands before any member")),
        }
        self
    }

    /// Notes a format's word about the type of the component or group entry opened last, or of the
    /// message.
    pub fn note_type(&mut self, format: &str, word: &str, value: &str) -> &mut Self {
        let of = self.inside().of;
        self.types.notes().note_type(of, format, word, value);
        self
    }

    /// The type that is open, for members inside that refer back to it.
    pub fn open_type(&mut self) -> TypeId {
        self.inside().of
    }

    /// Is every component and group closed?
    pub(crate) fn is_at_top(&self) -> bool {
        self.open.len() == 1
    }

    /// Closes the component or group opened last.
    pub fn end(&mut self) -> &mut Self {
        if self.is_at_top() {
            self.fail("an end too many".into());
            return self;
        }
        if let Some((of, body)) = self.open.pop().map(Open::body) {
            self.types.set_body(of, body);
        }
        self
    }

    /// The layout of what was described.
    ///
    /// # Errors
    /// Says how many components or groups are left open, or what [`Layout::new`] rejects.
    pub fn build(mut self) -> Result<Layout, SchemaError> {
        if let Some(problem) = self.problem {
            return Err(SchemaError(problem));
        }
        if !self.is_at_top() {
            let open = self.open.len() - 1;
            return Err(SchemaError(format!("components or groups left open: {open}")));
        }
        let (of, body) = self.open.remove(0).body();
        self.types.set_body(of, body);
        self.types.layout(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(describe: impl FnOnce(&mut LayoutBuilder)) -> String {
        let mut builder = Layout::builder("Order");
        describe(&mut builder);
        builder.build().unwrap_err().to_string()
    }

    fn text(builder: &mut LayoutBuilder, name: &str) {
        builder.field(name, Kind::Text, Need::Required);
    }

    #[test]
    fn a_path_tells_fields_of_one_name_apart() {
        let mut builder = Layout::builder("Order");
        builder.begin_component("Header", Need::Required);
        for name in ["Sender", "Target"] {
            builder.begin_component(name, Need::Required);
            builder.field("CompID", Kind::Text, Need::Required).end();
        }
        builder.end();
        let layout = builder.build().unwrap();
        let position = |path| layout.scopes()[0].position(path);
        assert_eq!(position("CompID"), Some(0));
        assert_eq!(position("Target/CompID"), Some(1));
        assert_eq!(position("Header/Target/CompID"), Some(1));
        for wrong in ["Header/CompID", "Order/Header/Target/CompID", "Target", "/CompID", ""] {
            assert_eq!(position(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn errors_name_the_field() {
        assert_eq!(error(|it| text(it, "a b")), "Order: \"a b\" is not a name");
        let twice = |it: &mut LayoutBuilder| {
            text(it, "a");
            text(it, "a");
        };
        assert_eq!(error(twice), "Order: the name a stands twice");
        let open = |it: &mut LayoutBuilder| {
            it.begin_component("a", Need::Required);
        };
        assert_eq!(error(open), "components or groups left open: 1");
        assert_eq!(error(|it| _ = it.end()), "an end too many");
        let deep = |it: &mut LayoutBuilder| {
            for level in 0..=DEEPEST {
                it.begin_group(&format!("g{level}"), "e", Need::Optional);
            }
        };
        assert_eq!(error(deep), "g128: more than 128 components and groups are nested");
        let empty = |it: &mut LayoutBuilder| {
            it.begin_group("Legs", "Leg", Need::Optional).end();
        };
        assert_eq!(error(empty), "Legs: the group entry Leg has no fields");
        let implied = |it: &mut LayoutBuilder| {
            it.field("a", Kind::Text, Need::Implied);
        };
        let why = "a: no single value is implied by what is inside, unless it has a default";
        assert_eq!(error(implied), why);
        let no_arms = |it: &mut LayoutBuilder| {
            it.begin_choice("a", Need::Required).end();
        };
        assert_eq!(error(no_arms), "the choice a has no arms");
        let optional_arm = |it: &mut LayoutBuilder| {
            it.begin_choice("a", Need::Required).field("b", Kind::Text, Need::Optional).end();
        };
        let why = "b: an arm of a choice is there if it is chosen, and not optional";
        assert_eq!(error(optional_arm), why);
        let endless = |it: &mut LayoutBuilder| {
            let of = it.begin_component("a", Need::Required).inside().of;
            it.member("b", of, Need::Required).end();
        };
        assert_eq!(error(endless), "a holds itself without end: it is never absent");
        let early = |it: &mut LayoutBuilder| {
            it.note("fix", "tag", "1");
        };
        assert_eq!(error(early), "the note fix(tag) stands before any member");
    }

    /// What makes two descriptions two: names, kinds, presence and positions, and nothing else.
    #[test]
    fn a_layout_is_known_by_what_is_in_it() {
        let id = |describe: &dyn Fn(&mut LayoutBuilder)| {
            let mut builder = Layout::builder("Order");
            describe(&mut builder);
            builder.build().unwrap().id()
        };
        let field = |name: &'static str, kind, need| {
            move |it: &mut LayoutBuilder| _ = it.field(name, kind, need)
        };
        let price = id(&field("Price", Kind::Decimal, Need::Optional));
        assert_eq!(
            price,
            id(&|it| _ = it.field("Price", Kind::Decimal, Need::Optional).note("fix", "tag", "44"))
        );
        let others = [
            id(&|_| ()),
            id(&field("Prize", Kind::Decimal, Need::Optional)),
            id(&field("Price", Kind::Float64, Need::Optional)),
            id(&field("Price", Kind::Decimal, Need::Required)),
            id(&|it| _ = it.list("Price", Kind::Float64, Need::Optional)),
            id(&|it| {
                it.begin_component("Price", Need::Required)
                    .field("Price", Kind::Decimal, Need::Optional)
                    .end();
            }),
            id(&|it| {
                it.begin_group("Price", "Order", Need::Optional)
                    .field("Price", Kind::Decimal, Need::Optional)
                    .end();
            }),
        ];
        let all: std::collections::HashSet<u128> = others.into_iter().chain([price]).collect();
        assert_eq!(all.len(), others.len() + 1);
    }
}
