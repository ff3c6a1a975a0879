//! The store of a session that is joined to topics.
//!
//! It differs from the one it is made of in two things. The number that is expected next is kept as far as the router has
//! acknowledged what came before it: what it had not is asked for again after a crash. Where all of that was published
//! direct, it need not be on the disk at once, since to have it again is no harm. And each message that comes from the
//! router's journal is kept together with its place there, so that one that the router delivers again is not sent again.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use trunkline_fix::{Store, Wake};

use crate::progress::{Keeping, Progress};

/// Ends what is kept with a place; a message ends with SOH.
const PLACE: u8 = 2;
/// Bytes of a place with its end.
const PLACE_BYTES: usize = 9;

/// Places that are remembered: many more than a consumer has unacknowledged.
const PLACES: usize = 1 << 16;

pub(crate) struct SessionStore {
    inner: Box<dyn Store>,
    /// The number that the session expects next.
    expected: u64,
    progress: Arc<Progress>,
    buffer: Vec<u8>,
}

impl SessionStore {
    /// Begins with the number that is kept, or a higher one that is known to be dealt with.
    pub(crate) fn new(inner: Box<dyn Store>, least: u64, progress: Arc<Progress>) -> Self {
        progress.set_began(inner.began());
        let expected = inner.next_target().max(least);
        Self { inner, expected, progress, buffer: Vec::new() }
    }

    /// The store that it is made of.
    #[cfg(test)]
    pub(crate) fn inner(&mut self) -> &mut dyn Store {
        &mut *self.inner
    }

    /// Keeps the number that is expected as far as the router has what came before it.
    fn carry_on(&mut self) -> io::Result<()> {
        let floor = self.progress.first().map_or(self.expected, |it| it.min(self.expected));
        match floor > self.inner.next_target() {
            true if self.progress.take_begun() => self.inner.set_next_target(floor),
            true => self.inner.note_next_target(floor),
            false => Ok(()),
        }
    }
}

/// The places of the messages that a store has from a number on.
///
/// # Errors
/// Those of the store.
pub(crate) fn places(store: &mut dyn Store, from: u64) -> io::Result<BTreeSet<u64>> {
    let (mut places, mut message, mut next) = (BTreeSet::new(), Vec::new(), from);
    while let Some(number) = store.load(next, &mut message)? {
        if let Some(place) = place(&message) {
            remember(&mut places, place);
        }
        next = number + 1;
    }
    Ok(places)
}

/// Adds a place, and forgets the first if there are too many.
pub(crate) fn remember(places: &mut BTreeSet<u64>, place: u64) {
    places.insert(place);
    if places.len() > PLACES {
        places.pop_first();
    }
}

fn place(kept: &[u8]) -> Option<u64> {
    let (_, [place @ .., PLACE]) = kept.split_last_chunk::<PLACE_BYTES>()? else { return None };
    Some(u64::from_le_bytes(*place))
}

impl Store for SessionStore {
    fn next_sender(&self) -> u64 {
        self.inner.next_sender()
    }

    fn next_target(&self) -> u64 {
        self.expected
    }

    fn set_next_target(&mut self, number: u64) -> io::Result<()> {
        self.expected = number;
        self.carry_on()
    }

    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
        if message.is_some() && self.progress.keeping() == Keeping::Number {
            return self.inner.note();
        }
        let (Some(bytes), Some(place)) = (message, self.progress.take_position()) else {
            return self.inner.save(message);
        };
        self.buffer.clear();
        self.buffer.extend_from_slice(bytes);
        self.buffer.extend_from_slice(&place.to_le_bytes());
        self.buffer.push(PLACE);
        self.inner.save(Some(&self.buffer))
    }

    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
        let number = self.inner.load(from, message)?;
        if number.is_some() && place(message).is_some() {
            message.truncate(message.len() - PLACE_BYTES);
        }
        Ok(number)
    }

    fn reset(&mut self, utc: i64) -> io::Result<()> {
        self.inner.reset(utc)?;
        self.expected = self.inner.next_target();
        self.progress.set_began(self.inner.began());
        Ok(())
    }

    fn began(&self) -> Option<i64> {
        self.inner.began()
    }

    fn set_arrived(&mut self, number: u64) -> io::Result<()> {
        self.inner.set_arrived(number)
    }

    fn arrived(&self) -> Option<u64> {
        self.inner.arrived()
    }

    fn sync(&mut self) -> io::Result<u64> {
        self.carry_on()?;
        self.inner.sync()
    }

    fn stored(&mut self) -> io::Result<u64> {
        self.inner.stored()
    }

    fn wait(&mut self) -> io::Result<()> {
        self.carry_on()?;
        self.inner.wait()
    }

    fn on_stored(&mut self, wake: Wake) {
        self.inner.on_stored(wake);
    }
}

#[cfg(test)]
mod tests {
    use trunkline_fix::MemoryStore;

    use super::*;

    #[test]
    fn the_number_is_kept_as_far_as_the_router_has_what_came_before() {
        let progress = Arc::new(Progress::default());
        let mut store = SessionStore::new(Box::new(MemoryStore::default()), 1, progress.clone());
        store.set_next_target(2).expect("memory");
        let (second, third) = (progress.begin(2), progress.begin(3));
        store.set_next_target(4).expect("memory");
        store.set_next_target(5).expect("memory");
        assert_eq!((store.next_target(), store.inner.next_target()), (5, 2));
        progress.end(second);
        store.sync().expect("memory");
        assert_eq!(store.inner.next_target(), 3);
        progress.end(third);
        store.sync().expect("memory");
        assert_eq!(store.inner.next_target(), 5);
    }

    /// Notes which expected numbers need not be on the disk at once.
    #[derive(Default)]
    struct Noting {
        kept: MemoryStore,
        noted: Arc<std::sync::Mutex<Vec<u64>>>,
    }

    impl Store for Noting {
        fn next_sender(&self) -> u64 {
            self.kept.next_sender()
        }

        fn next_target(&self) -> u64 {
            self.kept.next_target()
        }

        fn set_next_target(&mut self, number: u64) -> io::Result<()> {
            self.kept.set_next_target(number)
        }

        fn note_next_target(&mut self, number: u64) -> io::Result<()> {
            self.noted.lock().expect("no panic before").push(number);
            self.kept.set_next_target(number)
        }

        fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
            self.kept.save(message)
        }

        fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
            self.kept.load(from, message)
        }

        fn reset(&mut self, utc: i64) -> io::Result<()> {
            self.kept.reset(utc)
        }

        fn began(&self) -> Option<i64> {
            self.kept.began()
        }
    }

    #[test]
    fn a_number_waits_for_the_disk_where_the_router_stores_what_came() {
        let (progress, inner) = (Arc::new(Progress::default()), Noting::default());
        let noted = inner.noted.clone();
        let mut store = SessionStore::new(Box::new(inner), 1, progress.clone());
        // Message 1 is published direct, 2 and 4 are stored, 3 and 5 are published.
        store.set_next_target(2).expect("memory");
        let second = progress.begin(2);
        store.set_next_target(3).expect("memory");
        store.set_next_target(4).expect("memory");
        progress.end(second);
        store.sync().expect("memory");
        let fourth = progress.begin(4);
        progress.end(fourth);
        store.set_next_target(5).expect("memory");
        store.set_next_target(6).expect("memory");
        assert_eq!(*noted.lock().expect("no panic before"), [2, 6]);
    }

    #[test]
    fn what_is_on_its_way_while_numbers_begin_again_does_not_hold_up_the_new_ones() {
        let progress = Arc::new(Progress::default());
        let mut store = SessionStore::new(Box::new(MemoryStore::at(1, 7)), 1, progress.clone());
        let old = progress.begin(7);
        store.set_next_target(8).expect("memory");
        store.reset(77).expect("memory");
        store.set_next_target(2).expect("memory");
        assert_eq!((store.next_target(), store.inner.next_target()), (2, 2));
        progress.begin(2);
        progress.end(old);
        store.set_next_target(3).expect("memory");
        assert_eq!(store.inner.next_target(), 2);
    }

    #[test]
    fn a_message_is_kept_with_its_place_and_loaded_without() {
        let progress = Arc::new(Progress::default());
        let mut store = SessionStore::new(Box::new(MemoryStore::default()), 1, progress.clone());
        progress.set_position(Some(0x0102_0304));
        store.save(Some(b"8=FIX.4.4\x01")).expect("memory");
        store.save(Some(b"8=FIX.4.2\x01")).expect("memory");
        let mut message = Vec::new();
        assert_eq!(store.load(1, &mut message).expect("memory"), Some(1));
        assert_eq!(message, b"8=FIX.4.4\x01");
        assert_eq!(store.load(2, &mut message).expect("memory"), Some(2));
        assert_eq!(message, b"8=FIX.4.2\x01");
        let mut from = |number| places(&mut *store.inner, number).expect("memory");
        assert_eq!((from(1), from(2)), (BTreeSet::from([0x0102_0304]), BTreeSet::new()));
    }
}
