//! The types of several layouts, each once: those that are the same in every name, member and note are one type.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::Hash;

use trunkline_message::{Body, Holds, Layout, Member, MemberId, TypeId};

/// Types that refer to one another, the first one met first.
#[derive(Debug)]
pub(crate) struct Graph<'a> {
    pub(crate) types: Vec<Type<'a>>,
    /// The message of each layout, a place in `types`.
    pub(crate) roots: Vec<usize>,
}

/// A type, as one of the layouts has it.
#[derive(Debug)]
pub(crate) struct Type<'a> {
    layout: &'a Layout,
    of: TypeId,
    /// What the description calls it, with its modules, if it declares it.
    pub(crate) declared: Option<&'a str>,
    /// What each member is, or the item of a list.
    pub(crate) inside: Vec<usize>,
}

impl<'a> Type<'a> {
    pub(crate) fn name(&self) -> &'a str {
        &self.layout.schema().type_of(self.of).name
    }

    pub(crate) fn body(&self) -> &'a Body {
        &self.layout.schema().type_of(self.of).body
    }

    /// The members of a struct, or the arms of a choice.
    pub(crate) fn members(&self) -> &'a [Member] {
        self.layout.schema().members(self.of)
    }

    /// How many members, values or items there may be notes of.
    pub(crate) fn parts(&self) -> usize {
        match self.body() {
            Body::Scalar(_) => 0,
            Body::Enumeration(values) => values.len(),
            Body::Struct(members) | Body::Choice(members) => members.len(),
            Body::List { .. } => 1,
        }
    }

    /// The name of a member or value behind that of its type.
    pub(crate) fn path(&self, part: usize) -> String {
        let part = match self.body() {
            Body::Enumeration(values) => values.get(part).map(|it| &**it),
            _ => self.members().get(part).map(|it| &*it.name),
        };
        part.map_or_else(|| self.name().to_owned(), |it| format!("{}/{it}", self.name()))
    }

    /// Which members are structs or choices that lie by themselves, not in the positions of what is around them.
    pub(crate) fn alone(&self) -> Vec<bool> {
        let mut alone = vec![false; self.members().len()];
        let fields = self.layout.scopes().iter().flat_map(|it| &it.fields);
        for field in fields.filter(|it| it.member.of == self.of) {
            alone[field.member.index as usize] |= matches!(field.holds, Holds::Struct(_));
        }
        alone
    }

    /// Is it a struct or choice?
    pub(crate) fn has_members(&self) -> bool {
        matches!(self.body(), Body::Struct(_) | Body::Choice(_))
    }

    pub(crate) fn is_choice(&self) -> bool {
        matches!(self.body(), Body::Choice(_))
    }

    /// What formats note of it: format, word and value.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> + use<'a> {
        self.layout.notes().all_of_type(self.of)
    }

    /// The same of a member, a value of an enumeration, or the item of a list.
    pub(crate) fn notes_of(
        &self,
        member: usize,
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> + use<'a> {
        self.layout.notes().all_of_member(MemberId { of: self.of, index: member as u32 })
    }

    /// What a format's word about a member is.
    pub(crate) fn note_of(&self, member: usize, format: &str, word: &str) -> Option<&'a str> {
        let id = MemberId { of: self.of, index: member as u32 };
        self.layout.notes().of_member(id, format, word)
    }
}

impl<'a> Graph<'a> {
    pub(crate) fn of(layouts: &[&'a Layout]) -> Self {
        Self::of_declared(layouts, &[])
    }

    /// The same where types are told apart by what the description calls them: for each layout, the names of those that it
    /// declares.
    pub(crate) fn of_declared(
        layouts: &[&'a Layout],
        names: &'a [HashMap<TypeId, String>],
    ) -> Self {
        let mut places = Places::default();
        let roots: Vec<usize> = layouts
            .iter()
            .enumerate()
            .map(|(index, it)| places.add(it, it.schema().root(), names.get(index)))
            .collect();
        let mut classes = classes(places.found.iter().map(said));
        loop {
            let known = classes.iter().max().copied();
            let finer = self::classes(places.found.iter().enumerate().map(|(index, it)| {
                let inside: Vec<usize> = it.inside.iter().map(|it| classes[*it]).collect();
                (classes[index], inside)
            }));
            classes = finer;
            if classes.iter().max().copied() == known {
                break;
            }
        }
        let mut types: Vec<Type<'a>> = Vec::new();
        for (place, class) in places.found.into_iter().zip(&classes) {
            if *class == types.len() {
                types.push(place);
            }
        }
        for it in &mut types {
            it.inside.iter_mut().for_each(|it| *it = classes[*it]);
        }
        Self { types, roots: roots.into_iter().map(|it| classes[it]).collect() }
    }

    /// Which types are met from some of the messages.
    pub(crate) fn met(&self, roots: &[usize]) -> Vec<bool> {
        let (mut met, mut ahead) = (vec![false; self.types.len()], roots.to_vec());
        while let Some(at) = ahead.pop() {
            if !std::mem::replace(&mut met[at], true) {
                ahead.extend(&self.types[at].inside);
            }
        }
        met
    }

    /// The types to which `next` leads from one, over several steps too.
    pub(crate) fn reached(&self, from: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
        let (mut reached, mut ahead) = (vec![false; self.types.len()], next(from));
        while let Some(at) = ahead.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                ahead.extend(next(at));
            }
        }
        reached
    }
}

/// Every type of every layout, in the order in which they are met.
#[derive(Default)]
struct Places<'a> {
    found: Vec<Type<'a>>,
    /// By the layout's address and the type.
    known: HashMap<(*const Layout, TypeId), usize>,
}

impl<'a> Places<'a> {
    fn add(
        &mut self,
        layout: &'a Layout,
        root: TypeId,
        names: Option<&'a HashMap<TypeId, String>>,
    ) -> usize {
        let first = self.place(layout, root, names);
        let mut at = first;
        while at < self.found.len() {
            let of = self.found[at].of;
            let inside = match layout.schema().type_of(of).body {
                Body::List { of, .. } => vec![of],
                _ => layout.schema().members(of).iter().map(|it| it.of).collect(),
            };
            self.found[at].inside =
                inside.into_iter().map(|it| self.place(layout, it, names)).collect();
            at += 1;
        }
        first
    }

    fn place(
        &mut self,
        layout: &'a Layout,
        of: TypeId,
        names: Option<&'a HashMap<TypeId, String>>,
    ) -> usize {
        *self.known.entry((layout, of)).or_insert_with(|| {
            let declared = names.and_then(|it| it.get(&of)).map(|it| &**it);
            self.found.push(Type { layout, of, declared, inside: Vec::new() });
            self.found.len() - 1
        })
    }
}

/// The class of each: those that are equal are in one. Classes are counted as they are met.
fn classes<T: Hash + Eq>(all: impl Iterator<Item = T>) -> Vec<usize> {
    let mut known: HashMap<T, usize> = HashMap::new();
    all.map(|it| {
        let next = known.len();
        *known.entry(it).or_insert(next)
    })
    .collect()
}

/// All that is said of a type apart from what the types inside are.
fn said(of: &Type<'_>) -> String {
    let mut out = format!("{:?} {:?}\n", of.name(), of.declared);
    match of.body() {
        Body::Scalar(kind) => _ = writeln!(out, "{kind:?}"),
        Body::Enumeration(values) => _ = writeln!(out, "enumeration {values:?}"),
        Body::Struct(members) | Body::Choice(members) => {
            let _ = writeln!(out, "{}", if of.is_choice() { "choice" } else { "struct" });
            for Member { name, need, .. } in members {
                // An arm is there if it is chosen, whatever its need.
                let need = (!of.is_choice()).then_some(need);
                let _ = writeln!(out, "{name:?} {need:?}");
            }
        }
        Body::List { fixed, .. } => _ = writeln!(out, "list {fixed:?}"),
    }
    let _ = writeln!(out, "{:?}", of.notes().collect::<Vec<_>>());
    for member in 0..of.parts() {
        let _ = writeln!(out, "{:?}", of.notes_of(member).collect::<Vec<_>>());
    }
    out
}
