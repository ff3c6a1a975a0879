//! Opening a store: recovery from the journal's records.

use trunkline_journal::{Disk, OpenError, Report};

use crate::body::kind;
use crate::conflation::Conflated;
use crate::durable::{Durable, Search};
use crate::settings::Settings;
use crate::state::{Known, State};
use crate::store::Store;

/// The result of opening a store.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// The journal's report.
    pub journal: Report,
    /// Known producers.
    pub producers: usize,
    /// Durable subscriptions.
    pub durables: usize,
    /// Whole records that are not understood.
    pub strange: u64,
}

impl Store {
    /// Opens the journal in a folder, or creates one with this number.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    pub fn open(
        disk: &mut dyn Disk,
        settings: Settings,
        number: u64,
    ) -> Result<(Self, Opened), OpenError> {
        let mut state = State::default();
        let options = settings.journal.clone();
        let (journal, report) =
            trunkline_journal::open(disk, options, number, kind::STATE, &mut state)?;
        let mut store = Self::with(journal, settings);
        store.producers = state.producers();
        store.next_durable = state.next_durable;
        let opened = Opened {
            journal: report,
            producers: state.producers.len(),
            durables: state.durables.len(),
            strange: state.strange,
        };
        for (number, known) in state.durables {
            store.restore(number, known);
        }
        Ok((store, opened))
    }

    fn restore(&mut self, number: u32, known: Known) {
        // Done ranges behind it are skipped later.
        let mut position = known.done.end_at(0).unwrap_or(0);
        // In a conflated one, all messages since the last known count are counted.
        if known.conflation.is_some() {
            position = position.min(known.matched.1);
        }
        let search = Search {
            at: self.journal.find(position),
            position,
            from_position: position,
            from_time: known.from_time,
            skip: 0,
            damaged: None,
        };
        let mut delivered = known.delivered;
        delivered.counts.retain(|position, _| known.done.end_at(*position).is_none());
        let durable = Durable {
            name: known.name.as_str().into(),
            pattern: known.pattern.as_str().into(),
            search: Some(search),
            ahead: known.done,
            matched: known.matched,
            conflated: known.conflation.map(|interval| Box::new(Conflated::new(interval))),
            old: self.journal.last(),
            kept: self.journal.last(),
            account: known.account,
            from_time: known.from_time,
            is_paused: known.is_paused,
            delivered,
            policy: self.settings.delivery_of(&known.name),
            is_logged: true,
            is_active: true,
            ..Durable::default()
        };
        self.names.insert(durable.name.clone(), number);
        self.directory.insert(&known.pattern, number);
        self.durables.insert(number, durable);
        self.next_durable = self.next_durable.max(number + 1);
    }
}
