//! Arrays of several dimensions, which are lists of lists in a message: their items stand row by row.

use std::rc::Rc;

use trunkline_message::{Entries, Error, ErrorKind, Fields, Holds, Result};

use super::Reader;
use crate::dimensions::{MOST_EMPTY, has_too_many_empty};
use crate::graph::model::{Array, Content, NodeId};

/// What a list is of such an array.
pub(super) struct Rows<'a> {
    /// The sizes of all dimensions, and which of them the list is.
    sizes: Rc<[usize]>,
    level: usize,
    /// Its items, in all rows that are inside.
    items: &'a [(u64, NodeId)],
}

impl<'a> Reader<'a> {
    /// The rows of the present list, if it has any. A last one, which has items, goes on as a list without an element around
    /// them.
    ///
    /// # Errors
    /// It is no such array, is not whole, or has more rows than the limits allow: nothing is made room for before that is
    /// known, for it is the sender who claims it.
    pub(super) fn rows(&mut self) -> Result<Option<Rows<'a>>> {
        if let Some(rows) = self.rows.take_if(|rows| !rows.is_last()) {
            return Ok(Some(rows));
        }
        self.run = self.run_or_row();
        if self.run.is_some() {
            return Ok(None);
        }
        let graph = self.graph;
        match (self.plan.dimensions_of(self.scope, self.field), &graph.node(self.node).content) {
            (1, _) => Ok(None),
            // As those send it who know no arrays of several dimensions.
            (dimensions, Content::Array(array)) if self.has_rows_apart(array, dimensions)? => {
                Ok(None)
            }
            (dimensions, Content::Array(array)) => self.whole(array, dimensions).map(Some),
            (_, Content::Text(text)) if self.is_blank(text)? => Ok(None),
            (dimensions, _) => {
                let what = format!("an array of {dimensions} dimensions");
                Err(self.error(ErrorKind::Expected(what.into())))
            }
        }
    }

    /// The nodes of a list that has no element around them.
    pub(super) fn run_or_row(&mut self) -> Option<Vec<NodeId>> {
        let row = self.rows.take().map(|it| it.items.iter().map(|item| item.1).collect());
        self.run.take().or(row)
    }

    /// Is it an array of arrays of one dimension each, as many in each other as it should have dimensions?
    ///
    /// # Errors
    /// Some are longer than others, or they are more than the limits allow.
    fn has_rows_apart(&self, array: &'a Array, dimensions: usize) -> Result<bool> {
        if array.dimensions.len() != 1 || array.items.is_empty() {
            return Ok(false);
        }
        let mut around = vec![array];
        for _ in 1..dimensions {
            let mut rows: Vec<&Array> = Vec::new();
            for (_, node) in around.iter().flat_map(|it| &it.items) {
                match self.graph.array(*node).filter(|it| it.dimensions.len() == 1) {
                    // What is shared may stand for more rows than there are nodes.
                    Some(_) if rows.len() >= self.limits.entries => {
                        let limit = self.limits.entries;
                        return Err(self.error(ErrorKind::Limit { name: "entries", limit }));
                    }
                    Some(row) => rows.push(row),
                    None => return Ok(false),
                }
            }
            let length = rows.first().map_or(0, |it| it.items.len());
            if let Some(at) = rows.iter().position(|it| it.items.len() != length) {
                let found = rows[at].items.len();
                let what = "rows with as many items as the first one";
                let what = format!("{what}, {length}, not {found} in row {at}");
                return Err(self.error(ErrorKind::Expected(what.into())));
            }
            around = rows;
        }
        Ok(true)
    }

    /// All rows of an array.
    fn whole(&self, array: &'a Array, dimensions: usize) -> Result<Rows<'a>> {
        let inside = match self.plan.innermost(self.scope, self.field) {
            Holds::Group(items) => self.inside(items.0.into()),
            _ => Vec::new(),
        };
        self.check_array(array, dimensions, &inside)?;
        let found = array.items.len();
        let known = |size: &Option<u64>| usize::try_from((*size)?).ok();
        // That of the first may be left out.
        let row = array.dimensions[1..].iter().map(known).collect::<Option<Vec<usize>>>();
        let row = row
            .filter(|row| row.iter().try_fold(1_usize, |all, it| all.checked_mul(*it)).is_some());
        let Some(mut sizes) = row else { return Err(self.no_whole_rows(array)) };
        let length: usize = sizes.iter().product();
        let stated = array.dimensions[0].map(|_| known(&array.dimensions[0]).unwrap_or(usize::MAX));
        let rows = stated.unwrap_or_else(|| found.checked_div(length).unwrap_or(0));
        sizes.insert(0, rows);
        if has_too_many_empty(&sizes) {
            let (name, limit) = ("rows without an item", MOST_EMPTY);
            return Err(self.error(ErrorKind::Limit { name, limit }));
        }
        match rows.checked_mul(length) == Some(found) {
            true => Ok(Rows { sizes: sizes.into(), level: 0, items: &array.items }),
            false => Err(self.no_whole_rows(array)),
        }
    }

    #[cold]
    fn no_whole_rows(&self, array: &Array) -> Error {
        let what =
            format!("whole rows of an array of {}, not {}", array.brackets(), array.items.len());
        self.error(ErrorKind::Expected(format!("{what} items").into()))
    }

    /// Reads the rows of the present list, which another scope describes.
    pub(super) fn read_rows<G: Entries>(
        &mut self,
        inner: usize,
        rows: &Rows<'a>,
        into: &mut G,
    ) -> Result<()> {
        let plan = self.plan;
        let (outer, field, array) = (self.scope, self.field, self.node);
        let count = rows.sizes[rows.level];
        self.check_count(count)?;
        let length = rows.items.len().checked_div(count).unwrap_or(0);
        for index in 0..count {
            self.node = array;
            self.count_entries(1)?;
            self.count(1)?;
            let items = &rows.items[index * length..][..length];
            (self.scope, self.field) = (inner, 0);
            self.rows = Some(Rows { sizes: rows.sizes.clone(), level: rows.level + 1, items });
            let read = into.next_entry().decode_field(0, self);
            (self.scope, self.field) = (outer, field);
            read.map_err(|error| plan.locate(error.in_entry(index), outer, field))?;
        }
        Ok(())
    }
}

impl Rows<'_> {
    fn is_last(&self) -> bool {
        self.level + 1 == self.sizes.len()
    }
}
