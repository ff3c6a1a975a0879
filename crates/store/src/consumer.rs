//! Consumers: who takes messages of durable subscriptions, and acknowledges them.

use trunkline_journal::{Address, Lookup};
use trunkline_router::check_pattern;

use crate::body::kind;
use crate::conflation::Conflated;
use crate::durable::{Backwards, Durable, Entry, Flight, Search};
use crate::outlet::{Consuming, Denied, Moment, Outlet};
use crate::state::{Known, acknowledged};
use crate::store::{Answer, Store};

/// Where a subscription begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// With what comes.
    #[default]
    New,
    /// With the first message that is kept.
    All,
    /// With the first at this position or behind it.
    Position(u64),
    /// With the first that was stored then, in nanoseconds since 1970, or later.
    Time(u64),
    /// With the last so many.
    Last(u64),
}

/// What a consumer asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Consume<'a> {
    /// The client's number for it.
    pub subscription: u32,
    /// Of the durable subscription; empty for a replay.
    pub name: &'a str,
    /// Which topics.
    pub pattern: &'a str,
    /// Unacknowledged messages that it may have; 0 leaves it to the store.
    pub window: u32,
    /// Where it begins, if it is made by this.
    pub start: Start,
    /// Whether a newer message of a topic takes the place of one that waits, and how many nanoseconds there
    /// are between two of a topic; 0 for as often as the consumer takes them.
    pub conflation: Option<u64>,
    /// For a replay: thousandths of the original pace, or 0 for as fast as possible.
    pub pace: u32,
    /// Whether it is told when what it got is as durable as asked.
    pub wants_confirmed: bool,
    /// Whether it is told when its acknowledgements are kept.
    pub wants_acknowledged: bool,
}

/// A consumer.
#[derive(Debug)]
pub(crate) struct Consumer {
    pub(crate) client: u64,
    pub(crate) subscription: u32,
    pub(crate) durable: u32,
    pub(crate) window: u32,
    pub(crate) in_flight: u32,
    pub(crate) wants_confirmed: bool,
    pub(crate) wants_acknowledged: bool,
    /// How many times it has acknowledged something, and how many of these were told to be kept, or
    /// will be.
    pub(crate) acknowledgements: u64,
    pub(crate) answered: u64,
    /// Position of the last message that it got before it was on disk.
    pub(crate) unconfirmed: u64,
    /// Whether it is among those to be told.
    pub(crate) is_unconfirmed: bool,
}

/// Positions in a record of acknowledgements, at most.
const POSITIONS: usize = 4_096;

/// Consumers of a durable subscription, at most: each that leaves looks through all of them.
const CONSUMERS: usize = 1_024;

impl Store {
    /// A client wants messages.
    ///
    /// # Errors
    ///
    /// They are not to be had so; nothing has changed.
    pub fn consume(
        &mut self,
        at: Moment,
        client: u64,
        asked: &Consume<'_>,
        outlet: &mut impl Outlet,
    ) -> Result<(), Denied> {
        if check_pattern(asked.pattern).is_err() {
            return Err(Denied::Pattern);
        }
        if self.consumer_of.contains_key(&(client, asked.subscription)) {
            return Err(Denied::Exists(format!(
                "there is a subscription {} already",
                asked.subscription
            )));
        }
        let known = self.names.get(asked.name).copied().filter(|_| !asked.name.is_empty());
        let (number, is_new) = match known {
            Some(number) => (self.check_known(number, asked)?, false),
            None => (self.new_durable(at, asked)?, true),
        };
        let (usual, most) = self.settings.window;
        let consumer = self.next_consumer;
        self.next_consumer += 1;
        let consuming = Consumer {
            client,
            subscription: asked.subscription,
            durable: number,
            window: if asked.window == 0 { usual } else { asked.window.min(most) },
            in_flight: 0,
            wants_confirmed: asked.wants_confirmed,
            wants_acknowledged: asked.wants_acknowledged,
            acknowledgements: 0,
            answered: 0,
            unconfirmed: 0,
            is_unconfirmed: false,
        };
        self.consumers.insert(consumer, consuming);
        self.consumer_of.insert((client, asked.subscription), consumer);
        if let Some(durable) = self.durables.get_mut(&number) {
            durable.consumers.push(consumer);
        }
        match self.durables.get(&number) {
            Some(durable) if durable.stands => self.tell_consuming(consumer, is_new, outlet),
            // Who comes second waits for the same.
            Some(durable) if durable.is_logged => {
                self.answers.push_back((self.journal.last(), Answer::Consuming(consumer)));
                self.is_urgent = true;
            }
            _ => {}
        }
        self.pump(number, at, outlet);
        Ok(())
    }

    fn check_known(&self, number: u32, asked: &Consume<'_>) -> Result<u32, Denied> {
        match self.durables.get(&number) {
            Some(durable) if durable.interval() != asked.conflation => {
                Err(Denied::Different(format!(
                    "the durable subscription {:?} is there with other updates a second",
                    asked.name
                )))
            }
            Some(durable) if *durable.pattern != *asked.pattern => Err(Denied::Different(format!(
                "the durable subscription {:?} has the pattern {:?}",
                asked.name, durable.pattern
            ))),
            Some(durable) if durable.consumers.len() >= CONSUMERS => Err(Denied::Limit(format!(
                "the durable subscription {:?} has its limit of {CONSUMERS} consumers",
                asked.name
            ))),
            Some(_) => Ok(number),
            None => Err(Denied::Unknown),
        }
    }

    fn new_durable(&mut self, at: Moment, asked: &Consume<'_>) -> Result<u32, Denied> {
        let limit = self.settings.durables;
        if self.durables.len() >= limit {
            let text =
                format!("the router has its limit of {limit} durable subscriptions and replays");
            return Err(Denied::Limit(text));
        }
        let is_replay = asked.name.is_empty();
        let mut durable = Durable {
            name: asked.name.into(),
            pattern: asked.pattern.into(),
            pace: if is_replay { asked.pace } else { 0 },
            conflated: asked.conflation.map(|interval| Box::new(Conflated::new(interval))),
            stands: is_replay || !self.journal.is_on_disk(),
            ..Durable::default()
        };
        let number = self.next_durable;
        if !is_replay {
            let room = Known::of(&durable, 0).body(number).len();
            self.make_room(at, room)?;
        }
        self.begin(&mut durable, asked.start);
        durable.kept = self.journal.last();
        self.next_durable += 1;
        if !is_replay {
            self.names.insert(asked.name.into(), number);
            // Where the last so many begin is not known yet.
            durable.is_logged = durable.backwards.is_none();
            if durable.is_logged {
                self.log_subscription(at, number, &durable);
            }
        }
        self.directory.insert(asked.pattern, number);
        self.durables.insert(number, durable);
        Ok(number)
    }

    fn log_subscription(&mut self, at: Moment, number: u32, durable: &Durable) {
        let body = Known::of(durable, self.journal.last() + 1).body(number);
        self.journal.append(at.time, kind::SUBSCRIPTION, &[&body]);
    }

    /// Makes a subscription stand that begins with the last so many, once it is known where that is.
    fn log_late(&mut self, at: Moment, number: u32) {
        let Some(durable) = self.durables.get(&number) else { return };
        let is_known = durable.backwards.is_none()
            && (durable.search.is_none_or(|it| it.skip == 0) || !durable.ready.is_empty());
        if durable.is_replay() || durable.is_logged || !is_known {
            return;
        }
        let room = Known::of(durable, 0).body(number).len();
        if self.make_room(at, room).is_err() {
            return;
        }
        let Some(mut durable) = self.durables.remove(&number) else { return };
        durable.is_logged = true;
        self.log_subscription(at, number, &durable);
        let position = self.journal.last();
        let waiting = durable.consumers.iter().map(|it| (position, Answer::Consuming(*it)));
        self.answers.extend(waiting);
        self.is_urgent = true;
        self.durables.insert(number, durable);
    }

    /// A subscription is on disk.
    pub(crate) fn stand(&mut self, consumer: u32, at: Moment, outlet: &mut impl Outlet) {
        let Some(number) = self.consumers.get(&consumer).map(|it| it.durable) else { return };
        if let Some(durable) = self.durables.get_mut(&number) {
            durable.stands = true;
        }
        self.tell_consuming(consumer, true, outlet);
        self.pump(number, at, outlet);
    }

    /// Lets a subscription begin somewhere.
    fn begin(&self, durable: &mut Durable, start: Start) {
        let from = |at: Address, position: u64, from_time: u64| Search {
            at,
            position: position.max(self.journal.first()).min(self.journal.last() + 1),
            from_position: position,
            from_time,
            skip: 0,
        };
        match start {
            Start::New => {}
            Start::All => durable.search = Some(from(self.journal.find(0), 0, 0)),
            Start::Position(position) => {
                // There is no such position if the journal was another one then.
                let position = position.min(self.journal.last() + 1);
                durable.search = Some(from(self.journal.find(position), position, 0));
            }
            Start::Time(time) => {
                durable.from_time = time;
                durable.search = Some(from(self.journal.find_time(time), 0, time));
            }
            Start::Last(wanted) => {
                let end = self.journal.end();
                durable.search = Some(from(end, self.journal.first(), 0));
                let piece = Backwards { from: end, to: end, at: end, count: 0, wanted };
                durable.backwards = Some(piece);
            }
        }
    }

    pub(crate) fn tell_consuming(&mut self, consumer: u32, is_new: bool, outlet: &mut impl Outlet) {
        let Some(it) = self.consumers.get(&consumer) else { return };
        let end = self.journal.last() + 1;
        let durable = self.durables.get(&it.durable);
        let (waiting, next) =
            durable.map_or((0, end), |durable| (durable.account().waiting, durable.horizon(end)));
        let Consumer { client, subscription, window, .. } = *it;
        outlet.consuming(client, &Consuming { subscription, window, waiting, next, is_new });
    }

    /// Looks for more messages that match.
    pub(crate) fn search(&mut self, at: Moment, number: u32) {
        self.search_some(number, at.now);
        self.log_late(at, number);
    }

    fn search_some(&mut self, number: u32, now: u64) {
        let mut budget = super::pump::SEARCHED;
        while budget > 0 {
            let Some(durable) = self.durables.get_mut(&number) else { return };
            if durable.backwards.is_some() {
                budget -= 1;
                if !self.search_backwards(number) {
                    return;
                }
                continue;
            }
            let Some(search) = durable.search else { return };
            if durable.ready.len() >= super::pump::READY {
                return;
            }
            budget -= 1;
            match self.journal.at(search.at) {
                Lookup::Record { at, next, record } => {
                    let message = crate::body::StoredMessage::read(record.body)
                        .filter(|_| record.kind == kind::MESSAGE);
                    let moved = Search { at: next, position: record.position + 1, ..search };
                    let mut search = moved;
                    if let Some(message) = message {
                        let route = self.directory.route(message.topic);
                        if route.durables.binary_search(&number).is_ok()
                            && record.position >= search.from_position
                            && record.time >= search.from_time
                        {
                            let wants_disk = route.policy.waits_for_disk();
                            let (position, deliveries, topic) = (record.position, 0, 0);
                            let entry = Entry { position, at, deliveries, wants_disk, topic };
                            if search.skip > 0 {
                                search.skip -= 1;
                            } else {
                                let durable_to = self.journal.durable();
                                durable.found(entry, message.topic, durable_to, now);
                            }
                        }
                    }
                    durable.search = Some(search);
                }
                Lookup::Elsewhere { bytes } => {
                    durable.is_reading = true;
                    self.reading.push(number);
                    self.journal.fetch(search.at, bytes);
                    return;
                }
                Lookup::Damaged { next } => durable.pass(search, next),
                Lookup::Gone { next } => {
                    let position = self.journal.first();
                    durable.search = Some(Search { at: next, position, ..search });
                }
                Lookup::End => {
                    durable.search = None;
                    durable.forget_done();
                    return;
                }
            }
        }
        self.work.push_back(number);
    }

    /// Goes on with looking for the beginning of the last so many messages; false if it has to wait.
    fn search_backwards(&mut self, number: u32) -> bool {
        let Some(durable) = self.durables.get_mut(&number) else { return false };
        let (Some(mut piece), Some(search)) = (durable.backwards, durable.search) else {
            return false;
        };
        if piece.at >= piece.to {
            let earlier = self.journal.back(piece.from);
            if piece.count >= piece.wanted || earlier.is_none() {
                let skip = piece.count.saturating_sub(piece.wanted);
                durable.search = Some(Search { at: piece.from, skip, ..search });
                durable.backwards = None;
                return true;
            }
            let from = earlier.unwrap_or(piece.from);
            let wanted = piece.wanted - piece.count;
            durable.backwards =
                Some(Backwards { from, to: piece.from, at: from, count: 0, wanted });
            return true;
        }
        match self.journal.at(piece.at) {
            Lookup::Record { next, record, .. } => {
                let message = crate::body::StoredMessage::read(record.body)
                    .filter(|_| record.kind == kind::MESSAGE);
                let matches = message.is_some_and(|it| {
                    self.directory.route(it.topic).durables.binary_search(&number).is_ok()
                });
                piece.count += u64::from(matches);
                piece.at = next;
            }
            Lookup::Elsewhere { bytes } => {
                durable.is_reading = true;
                self.reading.push(number);
                self.journal.fetch(piece.at, bytes);
                return false;
            }
            Lookup::Damaged { next } | Lookup::Gone { next } => piece.at = next,
            Lookup::End => piece.at = piece.to,
        }
        durable.backwards = Some(piece);
        true
    }

    /// A consumer has done with a message, or with all up to it.
    ///
    /// # Errors
    ///
    /// [`Denied::Unknown`]: the client has no such subscription.
    pub fn acknowledge(
        &mut self,
        at: Moment,
        client: u64,
        subscription: u32,
        (position, is_cumulative): (u64, bool),
        outlet: &mut impl Outlet,
    ) -> Result<(), Denied> {
        let id = *self.consumer_of.get(&(client, subscription)).ok_or(Denied::Unknown)?;
        let consumer = self.consumers.get_mut(&id).ok_or(Denied::Unknown)?;
        let number = consumer.durable;
        let durable = self.durables.get_mut(&number).ok_or(Denied::Unknown)?;
        consumer.acknowledgements += 1;
        let before = durable.unlogged.len();
        if is_cumulative {
            let of_it = durable.in_flight.range(..=position).filter(|(_, it)| it.consumer == id);
            let done: Vec<u64> = of_it.map(|(position, _)| *position).collect();
            for position in done {
                durable.land(position);
                consumer.in_flight -= 1;
            }
        } else if durable.in_flight.get(&position).is_some_and(|it| it.consumer == id) {
            durable.land(position);
            consumer.in_flight -= 1;
        } else if durable.again.remove(&position).is_some()
            || durable.held.remove(&position).is_some()
        {
            // It was delivered over an earlier connection.
            durable.unlogged.push(position);
        }
        let count = (durable.unlogged.len() - before) as u64;
        durable.account.acknowledged += count;
        self.counts.acknowledged += count;
        if !self.journal.is_on_disk() {
            durable.unlogged.clear();
            if consumer.wants_acknowledged {
                let (kept, last) = (consumer.acknowledgements, self.journal.last());
                outlet.acknowledged(client, subscription, self.durability(false), kept, last);
            }
            self.pump(number, at, outlet);
            return Ok(());
        }
        if consumer.wants_acknowledged {
            self.is_urgent = true;
        }
        if count > 0 || consumer.wants_acknowledged {
            if !self.unlogged.contains(&number) {
                self.unlogged.push(number);
            }
            self.be_lazy(at.now);
            self.pump(number, at, outlet);
        }
        Ok(())
    }

    /// Puts what was acknowledged into the journal. What finds no room is tried again with the next commit.
    pub(crate) fn log_acknowledgements(&mut self, at: Moment) {
        let mut unlogged = std::mem::take(&mut self.unlogged);
        unlogged.retain(|number| !self.log_acknowledgements_of(at, *number));
        self.unlogged.append(&mut unlogged);
    }

    /// Those of one subscription; whether all of them are in the journal.
    fn log_acknowledgements_of(&mut self, at: Moment, number: u32) -> bool {
        // A position takes ten bytes at most.
        let most = POSITIONS.min((self.journal.record_bytes() - 8) / 10);
        while let Some(durable) = self.durables.get_mut(&number).filter(|it| !it.is_replay()) {
            let count = durable.unlogged.len().min(most);
            let body = acknowledged(number, &mut durable.unlogged[..count]);
            if self.make_room(at, body.len()).is_err() {
                return false;
            }
            let appended = self.journal.append(at.time, kind::ACKNOWLEDGED, &[&body]);
            let Some(durable) = self.durables.get_mut(&number) else { return true };
            durable.unlogged.drain(..count);
            if durable.unlogged.is_empty() {
                self.promise_acknowledged(number, appended.position);
                return true;
            }
        }
        true
    }

    /// Consumers who want to know are told when the journal has come to a position.
    fn promise_acknowledged(&mut self, number: u32, position: u64) {
        let Some(durable) = self.durables.get(&number) else { return };
        for id in &durable.consumers {
            if let Some(consumer) = self.consumers.get_mut(id)
                && consumer.wants_acknowledged
                && consumer.answered < consumer.acknowledgements
            {
                consumer.answered = consumer.acknowledgements;
                let answer = Answer::Acknowledged(*id, consumer.acknowledgements);
                self.answers.push_back((position, answer));
            }
        }
    }

    /// A consumer gives a message back, to be delivered again after some nanoseconds.
    ///
    /// # Errors
    ///
    /// [`Denied::Unknown`]: the client has no such subscription.
    pub fn release(
        &mut self,
        at: Moment,
        client: u64,
        subscription: u32,
        (position, delay): (u64, u64),
        outlet: &mut impl Outlet,
    ) -> Result<(), Denied> {
        let id = *self.consumer_of.get(&(client, subscription)).ok_or(Denied::Unknown)?;
        let consumer = self.consumers.get_mut(&id).ok_or(Denied::Unknown)?;
        let number = consumer.durable;
        let durable = self.durables.get_mut(&number).ok_or(Denied::Unknown)?;
        let is_its = durable.in_flight.get(&position).is_some_and(|it| it.consumer == id);
        if let Some(flight) = durable.in_flight.remove(&position).filter(|_| is_its) {
            consumer.in_flight -= 1;
            let due = at.now.saturating_add(delay);
            durable.give_back(&flight, at.now, (delay > 0).then_some(due));
            if delay > 0 {
                self.alarms.insert((due, number));
            }
            self.pump(number, at, outlet);
        }
        Ok(())
    }

    /// A consumer leaves: what it has not acknowledged is for others, or for later.
    ///
    /// # Errors
    ///
    /// [`Denied::Unknown`]: the client has no such subscription.
    pub fn detach(
        &mut self,
        at: Moment,
        client: u64,
        subscription: u32,
        outlet: &mut impl Outlet,
    ) -> Result<(), Denied> {
        let id = self.consumer_of.remove(&(client, subscription)).ok_or(Denied::Unknown)?;
        let consumer = self.consumers.remove(&id).ok_or(Denied::Unknown)?;
        let number = consumer.durable;
        let Some(durable) = self.durables.get_mut(&number) else { return Ok(()) };
        durable.consumers.retain(|it| *it != id);
        if durable.is_replay() {
            self.directory.remove(&durable.pattern, number);
            self.durables.remove(&number);
            return Ok(());
        }
        let mut of_it: Vec<Flight> = Vec::new();
        durable.in_flight.retain(|_, flight| {
            let is_its = flight.consumer == id;
            if is_its {
                of_it.push(*flight);
            }
            !is_its
        });
        of_it.iter().for_each(|flight| durable.give_back(flight, at.now, None));
        self.pump(number, at, outlet);
        Ok(())
    }

    /// A client is gone.
    pub fn disconnect(&mut self, at: Moment, client: u64, outlet: &mut impl Outlet) {
        let of_it = self.consumer_of.range((client, 0)..=(client, u32::MAX));
        let of_it: Vec<u32> = of_it.map(|((_, subscription), _)| *subscription).collect();
        for subscription in of_it {
            // It is there.
            let _ = self.detach(at, client, subscription, outlet);
        }
    }

    /// Ends a durable subscription for all.
    ///
    /// # Errors
    ///
    /// There is none of this name, or the journal takes nothing.
    pub fn delete(
        &mut self,
        at: Moment,
        name: &str,
        outlet: &mut impl Outlet,
    ) -> Result<(), Denied> {
        let number = *self.names.get(name).ok_or(Denied::Unknown)?;
        self.make_room(at, 4)?;
        self.journal.append(at.time, kind::DELETED, &[&number.to_le_bytes()]);
        self.is_urgent = true;
        self.names.remove(name);
        let Some(durable) = self.durables.remove(&number) else { return Ok(()) };
        self.directory.remove(&durable.pattern, number);
        for id in durable.consumers {
            if let Some(consumer) = self.consumers.remove(&id) {
                self.consumer_of.remove(&(consumer.client, consumer.subscription));
                outlet.ended(consumer.client, consumer.subscription);
            }
        }
        Ok(())
    }

    /// A client can take messages again.
    pub fn client_has_room(&mut self, at: Moment, client: u64, outlet: &mut impl Outlet) {
        let of_it = self.consumer_of.range((client, 0)..=(client, u32::MAX));
        let consumers: Vec<u32> = of_it.map(|(_, consumer)| *consumer).collect();
        for consumer in consumers {
            if let Some(number) = self.consumers.get(&consumer).map(|it| it.durable) {
                self.pump(number, at, outlet);
            }
        }
    }

    /// Whether a client has such a subscription.
    pub fn has_consumer(&self, client: u64, subscription: u32) -> bool {
        self.consumer_of.contains_key(&(client, subscription))
    }
}

impl Durable {
    /// The search goes on behind bytes that cannot be read.
    fn pass(&mut self, search: Search, next: Address) {
        // How many messages there were, and of which topics, is not known.
        self.lose(crate::durable::LossReason::Damaged, search.position, search.position, 0);
        self.search = Some(Search { at: next, ..search });
    }

    /// Nanoseconds between two messages of a topic, if it is conflated.
    pub(crate) fn interval(&self) -> Option<u64> {
        self.conflated.as_ref().map(|it| it.interval)
    }

    /// A message in flight is done.
    fn land(&mut self, position: u64) {
        let Some(flight) = self.in_flight.remove(&position) else { return };
        self.unlogged.push(position);
        if let Some(conflated) = &mut self.conflated {
            conflated.done(&flight.entry);
        }
    }

    /// A message was found in the journal.
    fn found(&mut self, entry: Entry, topic: &str, durable: u64, now: u64) {
        let is_done = self.done.contains(&entry.position);
        match &mut self.conflated {
            None if is_done => {}
            None => self.ready.push_back(entry),
            Some(it) if is_done => self.account.elided += it.supersede(topic, entry.position),
            Some(it) => self.account.elided += it.push(topic, entry, (0, durable), now),
        }
    }

    /// A message was just stored. `writing` is the last position that is being written, `durable` the
    /// last that is on disk.
    #[inline]
    pub(crate) fn push(&mut self, entry: Entry, topic: &str, written: (u64, u64), now: u64) {
        if self.search.is_some() {
            return;
        }
        if let Some(conflated) = &mut self.conflated {
            self.account.elided += conflated.push(topic, entry, written, now);
            return;
        }
        if self.ready.len() >= super::pump::READY {
            let (at, position) = (entry.at, entry.position);
            let search = Search { at, position, from_position: 0, from_time: 0, skip: 0 };
            self.search = Some(search);
            return;
        }
        self.ready.push_back(entry);
    }
}
