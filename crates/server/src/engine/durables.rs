//! What administrators ask of durable subscriptions and producers.

use tracing::info;
use trunkline_store::{Purged, Rejected, Start};

use super::Engine;

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

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreAnswer {
    /// It is done.
    Done,
    /// What was purged.
    Purged(Purged),
}

impl Engine {
    /// Changes durable subscriptions and producers as an administrator asks.
    ///
    /// # Errors
    ///
    /// It is not done; [`Rejected::Busy`] for now.
    pub fn change_store(
        &mut self,
        now: u64,
        request: &StoreRequest,
    ) -> Result<StoreAnswer, Rejected> {
        let answer = self.try_change_store(now, request);
        match &answer {
            Ok(done) => info!(?request, ?done, "an administrator has changed the journal"),
            Err(why) => info!(?request, %why, "an administrator is rejected"),
        }
        self.state.held.release_for_storage();
        self.set_room_timers();
        answer
    }

    fn try_change_store(
        &mut self,
        now: u64,
        request: &StoreRequest,
    ) -> Result<StoreAnswer, Rejected> {
        let (store, at, mut sink) = self.storage.parts(now, &mut self.router);
        match request {
            StoreRequest::Pause(name) => store.pause(at, name, true, &mut sink)?,
            StoreRequest::Resume(name) => store.pause(at, name, false, &mut sink)?,
            StoreRequest::Purge(name) => {
                return store.purge(at, name, &mut sink).map(StoreAnswer::Purged);
            }
            StoreRequest::Seek(name, start) => store.seek(at, name, *start, &mut sink)?,
            StoreRequest::Delete(name) => store.delete(at, name, &mut sink)?,
            StoreRequest::DeleteProducer(name) => {
                store.delete_producer(at, name).map_err(|rejected| match rejected {
                    Rejected::Unknown => Rejected::Different("there is no such producer".into()),
                    other => other,
                })?;
            }
        }
        Ok(StoreAnswer::Done)
    }
}
