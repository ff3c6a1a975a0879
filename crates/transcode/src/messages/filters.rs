//! Filters of the messages of a description.

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_message::Layout;

use super::{Known, Messages};
use crate::codec::Format;
use crate::error::Error;
use crate::filter::{Bound, Checked, Filter, FilterError, Scan};

/// What somebody asks for, such as filters, as it is bound to a message, by its place in memory.
#[derive(Debug)]
pub(super) struct BoundTo<Asked, Bound> {
    all: HashMap<usize, (Arc<Asked>, Bound)>,
    /// With more than this, those go that nobody else has.
    most: usize,
}

/// What is kept at least, though nobody else has it.
const KEPT: usize = 64;

impl<Asked, Bound> Default for BoundTo<Asked, Bound> {
    fn default() -> Self {
        Self { all: HashMap::new(), most: 0 }
    }
}

impl<Asked, Bound> BoundTo<Asked, Bound> {
    pub(super) fn bound(
        &mut self,
        asked: &Arc<Asked>,
        bind: impl FnOnce(&Asked) -> Bound,
    ) -> &Bound {
        // It stays there for as long as it is kept here.
        let place = Arc::as_ptr(asked).addr();
        if self.all.len() > self.most && !self.all.contains_key(&place) {
            self.all.retain(|_, it| Arc::strong_count(&it.0) > 1);
            self.most = KEPT.max(2 * self.all.len());
        }
        &self.all.entry(place).or_insert_with(|| (Arc::clone(asked), bind(asked))).1
    }
}

impl Messages {
    /// Holds a filter against the messages of the description, or against the one of this name.
    ///
    /// # Errors
    /// A field is none of these messages, or never holds what it is compared with.
    pub fn check(&self, filter: &Filter, name: Option<&str>) -> Result<(), FilterError> {
        let mut scan = Scan::new(filter);
        let is_whole = self.each_layout(name, |layout| scan.message(layout));
        scan.end(is_whole)
    }

    /// Looks at the layouts of all messages, or of the one of this name, until that is enough. Returns whether there are
    /// no more.
    pub(super) fn each_layout(
        &self,
        name: Option<&str>,
        mut look: impl FnMut(&Layout) -> Checked,
    ) -> bool {
        let all = match name {
            Some(name) => vec![name.to_owned()],
            None => self.description.messages(),
        };
        for name in &all {
            // What has no layout is never read either. The answers of operations are messages too.
            for name in [name.clone(), format!("{name}/response")] {
                if let Ok(Some(described)) = self.description.message(&name)
                    && look(&described.layout) == Checked::Done
                {
                    return false;
                }
            }
        }
        true
    }

    /// Reads a message once, and says which filters it passes, in their order; `name` as [`decode`](Self::decode) takes it.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn passes(
        &mut self,
        (from, bytes): (Format, &[u8]),
        name: Option<&str>,
        filters: &[Arc<Filter>],
    ) -> Result<Vec<bool>, Error> {
        self.decode(from, name, bytes)?;
        let index = self.last()?;
        let Known { layout, record, filters: bound, .. } = &mut self.known[index];
        let passes = |it| bound.bound(it, |filter| Bound::new(filter, layout)).passes(record);
        Ok(filters.iter().map(passes).collect())
    }
}
