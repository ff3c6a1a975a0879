//! Filters of the messages of a description.

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_message::Layout;

use super::{Known, Messages};
use crate::codec::Format;
use crate::error::Error;
use crate::filter::{Bound, Checked, Filter, FilterError, Scan};

/// Filters as they are bound to a message, by their place in memory.
#[derive(Debug, Default)]
pub(super) struct BoundFilters {
    all: HashMap<usize, (Arc<Filter>, Bound)>,
    /// With more than this, those go that nobody else has.
    most: usize,
}

/// Filters that are kept at least, though nobody else has them.
const KEPT: usize = 64;

impl BoundFilters {
    fn bound(&mut self, filter: &Arc<Filter>, layout: &Layout) -> &Bound {
        // It stays there for as long as it is kept here.
        let place = Arc::as_ptr(filter).addr();
        if self.all.len() > self.most && !self.all.contains_key(&place) {
            self.all.retain(|_, it| Arc::strong_count(&it.0) > 1);
            self.most = KEPT.max(2 * self.all.len());
        }
        &self.all.entry(place).or_insert_with(|| (Arc::clone(filter), Bound::new(filter, layout))).1
    }
}

impl Messages {
    /// Holds a filter against the messages of the description, or against the one of this name.
    ///
    /// # Errors
    /// A field is none of these messages, or never holds what it is compared with.
    pub fn check(&self, filter: &Filter, name: Option<&str>) -> Result<(), FilterError> {
        let mut scan = Scan::new(filter);
        let all = match name {
            Some(name) => vec![name.to_owned()],
            None => self.description.messages(),
        };
        for name in &all {
            // What has no layout is never read either. The answers of operations are messages too.
            for name in [name.clone(), format!("{name}/response")] {
                if let Ok(Some(described)) = self.description.message(&name)
                    && scan.message(&described.layout) == Checked::Done
                {
                    return scan.end(false);
                }
            }
        }
        scan.end(true)
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
        let (index, _) = self.last.as_ref().ok_or(Error::NothingRead)?;
        let Known { layout, record, filters: bound, .. } = &mut self.known[*index];
        Ok(filters.iter().map(|it| bound.bound(it, layout).passes(record)).collect())
    }
}
