//! What administrators ask of durable subscriptions and producers.

use trunkline_store::{Purged, Rejected, Start};

use super::Engine;
use crate::administration::{Changed, Rejection};

/// What is asked of durable subscriptions and producers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreRequest {
    /// Pauses a durable subscription.
    Pause(String),
    /// Resumes it.
    Resume(String),
    /// Ends what it has not acknowledged.
    Purge(String),
    /// Moves it.
    Seek(String, Start),
    /// Deletes it.
    Delete(String),
    /// Deletes a producer.
    DeleteProducer(String),
}

impl Engine {
    /// Changes durable subscriptions and producers as an administrator asks. It holds at once, and over a
    /// restart once `is_change_kept`.
    ///
    /// # Errors
    ///
    /// Says why nothing has changed.
    pub fn change_store(&mut self, now: u64, request: &StoreRequest) -> Result<Changed, Rejection> {
        let changed = self.try_change_store(now, request);
        self.state.held.release_for_storage();
        self.set_room_timers();
        changed.map_err(|rejected| match &rejected {
            Rejected::Unknown if matches!(request, StoreRequest::DeleteProducer(_)) => {
                Rejection::NotFound("there is no such producer".to_owned())
            }
            Rejected::Unknown => Rejection::NotFound(rejected.to_string()),
            Rejected::InUse(_) | Rejected::Different(_) => {
                Rejection::Conflict(rejected.to_string())
            }
            Rejected::Busy => Rejection::Busy(rejected.to_string()),
            _ => Rejection::Unavailable(rejected.to_string()),
        })
    }

    /// Whether what was changed so far holds over a restart. `position` is what has to be on disk for that, once it is
    /// known.
    ///
    /// # Errors
    ///
    /// It never will, since the journal has failed.
    pub(crate) fn is_change_kept(&self, position: &mut Option<u64>) -> Result<bool, Rejection> {
        let journal = self.storage.store.journal();
        if !journal.is_on_disk() {
            return Ok(true);
        }
        if let Some(why) = journal.failure() {
            return Err(Rejection::Unavailable(format!("the journal has failed: {why}")));
        }
        *position = position.or_else(|| self.storage.store.change_position());
        Ok(position.is_some_and(|it| it <= journal.durable()))
    }

    fn try_change_store(&mut self, now: u64, request: &StoreRequest) -> Result<Changed, Rejected> {
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        let mut changed = Changed::default();
        match request {
            StoreRequest::Pause(name) => store.pause(at, name, true, &mut sink)?,
            StoreRequest::Resume(name) => store.pause(at, name, false, &mut sink)?,
            StoreRequest::Purge(name) => {
                let Purged { messages, is_at_least } = store.purge(at, name, &mut sink)?;
                changed = Changed { purged: messages, is_at_least };
            }
            StoreRequest::Seek(name, start) => store.seek(at, name, *start, &mut sink)?,
            StoreRequest::Delete(name) => store.delete(at, name, &mut sink)?,
            StoreRequest::DeleteProducer(name) => store.delete_producer(at, name)?,
        }
        Ok(changed)
    }
}
