//! Which lists of lists are one array of several dimensions where content is by the encoding rules (SOAP 1.1 section
//! 5.4.2, SOAP 1.2 part 2 section 3.1.6): `xsd:int[2,3]`, whose items stand beside each other, row by row.

mod sizes;

use std::collections::{HashMap, HashSet};

use trunkline_message::{Error, ErrorKind, Field, Holds, Layout, Result, ScopeId, Shape};

use crate::binding::{is_by_type, of_member};
use crate::plan::Plan;

pub(super) use sizes::{MOST_EMPTY, Sizes, has_too_many_empty, of_rows};

/// Dimensions that an array may have, and arrays inside one another of which a note says how many they have.
pub(super) const MOST_DIMENSIONS: usize = 16;

/// How many dimensions the arrays of a layout have, as the notes `xml dimensions` of its members say: for each array the
/// number of its dimensions, that of the outermost last, as the brackets of `arrayType` stand: `2` of `xsd:int[,]`, `2 1` of
/// `xsd:int[,][]`.
#[derive(Clone, Debug, Default)]
pub struct Dimensions {
    /// By the scope of what a list holds.
    of_lists: HashMap<ScopeId, Role>,
}

/// What the lists are around and in a scope that describes an item which is a list itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Role {
    /// The dimensions of the array that the list around is.
    dimensions: usize,
    /// Is the list inside no array itself, but a row of one?
    is_row: bool,
}

const PLAIN: Role = Role { dimensions: 1, is_row: false };

impl Dimensions {
    /// Rows that an array without an item may have.
    pub const MOST_EMPTY_ROWS: usize = MOST_EMPTY;

    /// Those of a layout.
    ///
    /// # Errors
    /// A note says another number of lists than there are, or what is a row in one place is none in another.
    pub fn new(layout: &Layout) -> Result<Self> {
        let (mut found, mut named) = (Self::default(), HashSet::new());
        for (index, scope) in layout.scopes().iter().enumerate() {
            for (at, field) in scope.fields.iter().enumerate() {
                let Some(noted) = of_member(layout, field.member, "dimensions") else { continue };
                let read = found.tell(layout, (ScopeId(index as u16), at), noted, &mut named);
                read.map_err(|what| scope.locate(unsupported(what), at))?;
            }
        }
        for (index, scope) in layout.scopes().iter().enumerate() {
            for (at, field) in scope.fields.iter().enumerate() {
                let is_named = named.contains(&(ScopeId(index as u16), at));
                if let Holds::Group(inner) = field.holds
                    && !is_named
                    && found.role(inner) != PLAIN
                {
                    return Err(scope.locate(unsupported(SHARED.to_owned()), at));
                }
            }
        }
        Ok(found)
    }

    /// # Errors
    /// There is such an array. It is read of a [graph](crate::graph), which has no content of any shape.
    pub(super) fn check_beside_any(&self) -> Result<()> {
        match self.of_lists.values().any(|it| it.dimensions > 1) {
            false => Ok(()),
            true => Err(unsupported(
                "an array of several dimensions in a message with content of any shape".to_owned(),
            )),
        }
    }

    /// How many dimensions the array has that a field is: 1 of others.
    pub fn of(&self, holds: Holds) -> usize {
        match holds {
            Holds::Group(inner) => self.role(inner).dimensions,
            _ => 1,
        }
    }

    /// Does a scope describe the rows of an array of several dimensions? Then the list inside is no array itself.
    pub fn is_row(&self, scope: ScopeId) -> bool {
        self.role(scope).is_row
    }

    /// The field that holds the items of an array: that of its innermost rows, or itself, if it has one dimension.
    pub fn innermost<'l>(&self, layout: &'l Layout, field: &'l Field) -> &'l Field {
        self.rows(layout, field.holds).last().unwrap_or(field)
    }

    /// What that holds.
    pub(super) fn held(&self, layout: &Layout, holds: Holds) -> Holds {
        self.rows(layout, holds).last().map_or(holds, |it| it.holds)
    }

    /// The lists that are rows of an array, from the outermost.
    fn rows<'l>(&self, layout: &'l Layout, mut holds: Holds) -> impl Iterator<Item = &'l Field> {
        (1..self.of(holds)).map_while(move |_| {
            let row = &layout.scope(holds.scope()?).fields[0];
            holds = row.holds;
            Some(row)
        })
    }

    fn role(&self, scope: ScopeId) -> Role {
        self.of_lists.get(&scope).copied().unwrap_or(PLAIN)
    }

    /// Tells what a note says of a list and those inside.
    fn tell(
        &mut self,
        layout: &Layout,
        (mut scope, mut at): (ScopeId, usize),
        noted: &str,
        named: &mut HashSet<(ScopeId, usize)>,
    ) -> std::result::Result<(), String> {
        let wrong = |what: &str| format!("xml(dimensions = {noted:?}) {what}");
        let read = |it: &str| it.parse().ok().filter(|it| (1..=MOST_DIMENSIONS).contains(it));
        let numbers =
            noted.split_ascii_whitespace().rev().map(read).collect::<Option<Vec<usize>>>();
        let numbers = numbers.filter(|it| (1..=MOST_DIMENSIONS).contains(&it.len()));
        let numbers = numbers.ok_or_else(|| wrong("is no list of numbers from 1 to 16"))?;
        let lists: usize = numbers.iter().sum();
        let levels = numbers.iter().flat_map(|count| (0..*count).map(move |it| (*count, it)));
        for (index, (count, level)) in levels.enumerate() {
            let field = &layout.scope(scope).fields[at];
            named.insert((scope, at));
            if index + 1 == lists {
                return match is_list_of_items(layout, field) {
                    true => Ok(()),
                    false => Err(wrong("of fewer lists, or of choices by element")),
                };
            }
            let inner = match field.holds {
                Holds::Group(inner) if layout.scope(inner).shape == Shape::Item => inner,
                _ => return Err(wrong("of fewer lists in each other")),
            };
            let dimensions = if level == 0 { count } else { 1 };
            let role = Role { dimensions, is_row: level + 1 < count };
            if self.of_lists.insert(inner, role).is_some_and(|known| known != role) {
                return Err(SHARED.to_owned());
            }
            (scope, at) = (inner, 0);
        }
        Ok(())
    }
}

impl Plan {
    /// How many dimensions the array has that a field is.
    pub(super) fn dimensions_of(&self, scope: usize, field: usize) -> usize {
        self.dimensions.of(self.layout.scopes()[scope].fields[field].holds)
    }

    /// What its innermost rows are, if it has several; else what it holds.
    pub(super) fn innermost(&self, scope: usize, field: usize) -> Holds {
        let holds = self.layout.scopes()[scope].fields[field].holds;
        self.dimensions.held(&self.layout, holds)
    }
}

const SHARED: &str =
    "an array of several dimensions, of a type whose lists have others in another place";

/// Is it a list whose items an array may have?
fn is_list_of_items(layout: &Layout, field: &Field) -> bool {
    match field.holds {
        Holds::List(_) => true,
        Holds::Group(inner) => {
            let inner = layout.scope(inner);
            inner.shape != Shape::Choice || is_by_type(layout, field.member, inner.of)
        }
        _ => false,
    }
}

fn unsupported(what: String) -> Error {
    Error::new(ErrorKind::Unsupported(what.into()), 0)
}
