//! The store: keeps guaranteed messages until all durable subscriptions have them.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use smallvec::SmallVec;
use trunkline_journal::{Address, Commit, Done, Journal, Rejection, Room, Task};

use crate::administration::Change;
use crate::body::{StoredMessage, Writer, kind};
use crate::checkpoint::Checkpoint;
use crate::consumer::Consumer;
use crate::directory::Directory;
use crate::durable::{Account, Durable, Entry};
use crate::event_sink::{ClockReading, Durability, EventSink, Rejected, Stored};
use crate::producer::{Producer, ProducerId, Producers, Unacknowledged};
use crate::settings::{DeliveryPolicy, Level, Settings};

/// A message from a producer.
#[derive(Clone, Copy, Debug)]
pub struct NewMessage<'a> {
    /// Its sequence: one more than the previous one.
    pub sequence: u64,
    /// Time to live in nanoseconds; 0 is for ever.
    pub time_to_live: u64,
    /// Whether it may have been sent before.
    pub is_repeated: bool,
    /// The format of the payload.
    pub format: u16,
    /// A topic that [`trunkline_router::check_topic`] accepts.
    pub topic: &'a str,
    /// The message itself.
    pub payload: &'a [u8],
}

/// The answer to a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producing {
    /// Its number from now on.
    pub producer: ProducerId,
    /// The most messages in flight.
    pub window: u32,
    /// The most bytes in flight.
    pub window_bytes: u64,
    /// The last stored sequence.
    pub last: u64,
}

/// Counters since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Stored messages.
    pub stored: u64,
    /// Resent messages, which were not stored again.
    pub repeated: u64,
    /// Messages that were rejected.
    pub rejected: u64,
    /// Acknowledgements of consumers.
    pub acknowledged: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Commits that were written.
    pub commits: u64,
}

/// A read-only view of a durable subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurableView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its pattern.
    pub pattern: &'a str,
    /// Connected consumers.
    pub consumers: usize,
    /// The first position that is not done.
    pub floor: u64,
    /// Stored ranges of done messages; a conflated one has one for each message that is not done.
    pub ranges: u64,
    /// Whether there were too many ranges, so that nothing is delivered until a consumer attaches.
    pub has_stopped: bool,
    /// Whether an administrator paused it: it delivers nothing.
    pub is_paused: bool,
    /// What becomes of messages that are not acknowledged.
    pub policy: &'a DeliveryPolicy,
    /// What became of its messages.
    pub account: Account,
}

/// What to report when the journal has reached a position.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Acknowledgements of a consumer are durable: which consumer, and how many.
    Acknowledged(u32, u64),
    /// A durable subscription is active.
    Active(u32),
}

/// Producers, durable subscriptions and consumers over a journal.
///
/// It does nothing by itself: the caller reports events and the time, performs its disk work
/// ([`Self::next_commit`], [`Self::next_task`]), and gets its reports through an [`EventSink`].
pub struct Store {
    pub(crate) journal: Journal,
    pub(crate) settings: Settings,
    pub(crate) producers: Producers,
    pub(crate) durables: BTreeMap<u32, Durable>,
    pub(crate) names: HashMap<Box<str>, u32>,
    pub(crate) next_durable: u32,
    pub(crate) consumers: BTreeMap<u32, Consumer>,
    pub(crate) next_consumer: u32,
    /// By client and its number of the subscription.
    pub(crate) consumer_of: BTreeMap<(u64, u32), u32>,
    pub(crate) directory: Directory,
    /// The client of each connected producer.
    pub(crate) producer_client: HashMap<u32, u64>,
    /// Producers with a pending acknowledgement.
    due: Vec<u32>,
    /// Producers with messages that have to be on disk first.
    awaiting: Vec<u32>,
    /// Messages for direct subscribers that have to be on disk first.
    pub(crate) later: VecDeque<(u64, Address)>,
    /// Durable subscriptions with acknowledgements that are not in the journal.
    pub(crate) unlogged: VecDeque<u32>,
    pub(crate) answers: VecDeque<(u64, Answer)>,
    /// Durable subscriptions to be written to the journal when there is room, and changes, likewise.
    pub(crate) late: Vec<u32>,
    pub(crate) changes: VecDeque<Change>,
    /// Durable subscriptions with deliveries that are to be counted in the journal.
    pub(crate) uncounted: VecDeque<u32>,
    /// Messages to be stored as dead letters: of which durable subscription, and their positions.
    pub(crate) exhausted: VecDeque<(u32, u64)>,
    /// When they are looked at.
    pub(crate) exhausted_at: u64,
    /// The journal had no room for them, and so many bytes. Producers wait until it has, and until what it takes for them beyond its
    /// limit is free again, since what they store would take it.
    pub(crate) lacks_room_for_letters: Option<u64>,
    /// The most bytes of a dead letter, unless its message has more.
    pub(crate) message_bytes: usize,
    /// Consumers to be told when their messages are durable.
    pub(crate) unconfirmed: Vec<u32>,
    /// Durable subscriptions with more to do than fitted a turn.
    pub(crate) work: VecDeque<u32>,
    /// Those whose next message has to be on disk first.
    pub(crate) waiting: Vec<u32>,
    /// Those that wait for bytes to be read.
    pub(crate) reading: Vec<u32>,
    /// When some have to be checked.
    pub(crate) alarms: BTreeSet<(u64, u32)>,
    /// Whether somebody waits for the disk.
    pub(crate) is_urgent: bool,
    /// The deadline of writes that nobody waits for.
    pub(crate) lazy_at: Option<u64>,
    pub(crate) retain_at: u64,
    /// The durable subscription whose quota is checked first.
    pub(crate) quota_from: u32,
    /// The checkpoint with more pieces to come.
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Whether records wait for it to be complete.
    pub(crate) is_checkpoint_awaited: bool,
    /// What was stored and acknowledged at the last rotation, and the segment that was complete then.
    pub(crate) rotated: Option<(u64, u32)>,
    has_reported_failure: bool,
    /// From now on everything appended is written at once.
    is_closing: bool,
    pub(crate) counts: Counts,
}

/// The time between two searches for segments that nobody needs; nanoseconds.
const RETAIN: u64 = 1_000_000_000;

impl Store {
    /// A store over a journal with this recovered state.
    pub(crate) fn with(journal: Journal, settings: Settings) -> Self {
        Self {
            directory: Directory::new(&settings.rules, settings.policy),
            journal,
            settings,
            producers: Producers::default(),
            durables: BTreeMap::new(),
            names: HashMap::new(),
            next_durable: 0,
            consumers: BTreeMap::new(),
            next_consumer: 1,
            consumer_of: BTreeMap::new(),
            producer_client: HashMap::new(),
            due: Vec::new(),
            awaiting: Vec::new(),
            later: VecDeque::new(),
            unlogged: VecDeque::new(),
            answers: VecDeque::new(),
            late: Vec::new(),
            changes: VecDeque::new(),
            uncounted: VecDeque::new(),
            exhausted: VecDeque::new(),
            exhausted_at: 0,
            lacks_room_for_letters: None,
            message_bytes: 1 << 20,
            unconfirmed: Vec::new(),
            work: VecDeque::new(),
            waiting: Vec::new(),
            reading: Vec::new(),
            alarms: BTreeSet::new(),
            is_urgent: false,
            lazy_at: None,
            retain_at: 0,
            quota_from: 0,
            checkpoint: None,
            is_checkpoint_awaited: false,
            rotated: None,
            has_reported_failure: false,
            is_closing: false,
            counts: Counts::default(),
        }
    }

    /// A store in memory, lost with the process.
    pub fn in_memory(settings: Settings) -> Self {
        Self::with(Journal::in_memory(settings.journal.clone()), settings)
    }

    /// Applies other settings, except those of the journal's files. Earlier promises hold.
    pub fn reconfigure(&mut self, settings: Settings) {
        self.directory.set_rules(&settings.rules, settings.policy);
        let segment_bytes = self.settings.journal.segment_bytes;
        self.settings = settings;
        self.settings.journal.segment_bytes = segment_bytes;
        self.journal.set_options(self.settings.journal.clone());
        self.set_policies();
    }

    /// Dead letters have no more bytes than this, if their messages have not.
    pub fn limit_messages(&mut self, bytes: usize) {
        self.message_bytes = bytes;
    }

    /// The durability of messages in the journal, or on its disk.
    pub(crate) fn durability(&self, is_on_disk: bool) -> Durability {
        Durability { memory: 1, disk: u16::from(is_on_disk && self.journal.is_on_disk()) }
    }

    /// A client publishes under this name from now on; an earlier client of the name stores nothing more.
    ///
    /// # Errors
    ///
    /// [`Rejected::Limit`], or the journal does not accept it.
    pub fn produce(
        &mut self,
        at: ClockReading,
        client: u64,
        name: &str,
    ) -> Result<Producing, Rejected> {
        let number = match self.producers.number(name) {
            Some(number) => number,
            None => self.new_producer(at, name)?,
        };
        let Some(producer) = self.producers.get_mut(number) else { return Err(Rejected::Unknown) };
        // The earlier owner loses the name; otherwise its messages would have to be waited for, for ever.
        if producer.claimant.replace(client) != Some(client) {
            producer.session = producer.session.wrapping_add(1);
            producer.is_connected = false;
            self.producer_client.remove(&number);
        }
        let settled = self.is_settled(number);
        self.producers.look_if_idle(number);
        settled?;
        let Some(producer) = self.producers.get_mut(number) else { return Err(Rejected::Unknown) };
        producer.is_connected = true;
        producer.used = producer.used.max(at.time);
        let producing = Producing {
            producer: ProducerId { number, session: producer.session },
            window: self.settings.producer_window,
            window_bytes: self.settings.producer_bytes,
            last: producer.last,
        };
        self.producer_client.insert(number, client);
        self.producers.look_if_idle(number);
        Ok(producing)
    }

    /// A producer that may have forgotten what it sent continues behind what is durable.
    fn is_settled(&mut self, number: u32) -> Result<(), Rejected> {
        let durable = self.journal.durable();
        let Some(producer) = self.producers.get_mut(number) else { return Ok(()) };
        producer.settle(durable);
        if producer.unacknowledged.is_empty() {
            return Ok(());
        }
        self.is_urgent = true;
        match self.journal.failure() {
            None => Err(Rejected::Busy),
            Some(why) => Err(Rejected::failed(why)),
        }
    }

    /// The last stored sequence of a producer, 0 if it has none; `None` if it is unknown.
    pub fn last_of_producer(&self, name: &str) -> Option<u64> {
        self.producers.get(self.producers.number(name)?).map(|it| it.last)
    }

    fn new_producer(&mut self, at: ClockReading, name: &str) -> Result<u32, Rejected> {
        let before = at.time.saturating_sub(self.settings.producer_keep);
        let limit = self.settings.producers;
        if self.producers.len() >= limit && !self.producers.forget_one(before) {
            return Err(Rejected::Limit(format!(
                "the router has its limit of {limit} producers (journal.producers)"
            )));
        }
        let mut body = Writer::default();
        body.u32(self.producers.fresh()).text(name);
        self.make_room(at, body.0.len())?;
        let number = self.producers.fresh();
        self.producers.insert(number, Producer::new(name));
        self.journal.append(at.time, kind::PRODUCER, &[&body.0]);
        Ok(number)
    }

    /// A producer's connection has ended.
    pub fn leave(&mut self, producer: ProducerId) {
        if let Some(at) = self.producers.of(producer) {
            (at.is_connected, at.claimant) = (false, None);
            self.producer_client.remove(&producer.number);
            self.producers.look_if_idle(producer.number);
        }
    }

    /// Makes room for a record, if necessary in a new segment behind a piece of the checkpoint.
    pub(crate) fn make_room(&mut self, at: ClockReading, bytes: usize) -> Result<(), Rejected> {
        if self.waits_for_checkpoint() {
            return Err(Rejected::Busy);
        }
        // In memory there is room as soon as something is removed.
        if !self.journal.is_on_disk()
            && matches!(self.journal.make_room(bytes), Err(Rejection::Full(_)))
        {
            self.retain(at);
        }
        if self.journal.make_room(bytes)? == Room::NewSegment {
            self.begin_segment(at)?;
            // That piece may leave too little room.
            if self.journal.make_room(bytes)? == Room::NewSegment {
                return Err(Rejected::TooLong(bytes, self.journal.first_bytes()));
            }
        }
        Ok(())
    }

    /// Stores a message of a producer.
    ///
    /// # Errors
    ///
    /// The message is not stored; [`Rejected::Busy`]: retry later.
    pub fn store(
        &mut self,
        at: ClockReading,
        producer: ProducerId,
        message: &NewMessage<'_>,
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        let result = self.try_store(at, producer, message, sink);
        self.counts.rejected += u64::from(!matches!(result, Ok(()) | Err(Rejected::Busy)));
        result
    }

    fn try_store(
        &mut self,
        at: ClockReading,
        id: ProducerId,
        message: &NewMessage<'_>,
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        if !self.is_next(id, message.sequence)? {
            self.tell_later(id.number);
            return Ok(());
        }
        let policy = self.directory.route(message.topic).policy;
        if policy.level == Level::Disk && !self.journal.is_on_disk() {
            let text = "the topic asks for a disk, and the router has no journal on one (journal.directory)";
            return Err(Rejected::NotDurable(text.into()));
        }
        if self.lacks_room_for_letters.is_some() {
            let text = "the journal is full: dead letters wait for room, and hold what is older";
            return Err(Rejected::NotDurable(text.into()));
        }
        let stored = StoredMessage {
            producer: id.number,
            sequence: message.sequence,
            expires: match message.time_to_live {
                0 => 0,
                live => at.time.saturating_add(live),
            },
            is_repeated: message.is_repeated,
            format: message.format,
            topic: message.topic,
            payload: message.payload,
        };
        self.make_room(at, stored.size())?;
        let parts = [&stored.head()[..], message.topic.as_bytes(), message.payload];
        let appended = self.journal.append(at.time, kind::MESSAGE, &parts);
        self.counts.stored += 1;
        let wants_disk = policy.level == Level::Disk;
        if let Some(producer) = self.producers.get_mut(id.number) {
            (producer.last, producer.position) = (message.sequence, appended.position);
            producer.used = at.time;
            let (sequence, position) = (message.sequence, appended.position);
            producer.unacknowledged.push_back(Unacknowledged { sequence, position, wants_disk });
        }
        if wants_disk {
            self.is_urgent = true;
            self.await_disk(id.number);
        } else {
            self.be_lazy(at.now);
            self.tell_later(id.number);
        }
        let waits = policy.waits_for_disk();
        let entry = Entry::new(appended.position, appended.at, waits);
        if waits {
            self.later.push_back((appended.position, appended.at));
        } else {
            sink.publish(message.topic, message.format, message.payload);
        }
        let durables = self.fan_out(message.topic, entry, at.now);
        if !waits {
            // Delivery may write the state of all of them, which must include this message.
            for number in durables {
                self.pump(number, at, sink);
            }
        }
        Ok(())
    }

    /// Whether a sequence is the next of a producer, and not one that is stored already.
    fn is_next(&mut self, id: ProducerId, sequence: u64) -> Result<bool, Rejected> {
        let producer = self.producers.of(id).ok_or(Rejected::TakenOver)?;
        if sequence > producer.last + 1 {
            return Err(Rejected::OutOfSequence(producer.last + 1));
        }
        let is_next = sequence == producer.last + 1;
        if !is_next {
            if let Some(why) = self.journal.failure()
                && sequence > producer.acknowledged.0
            {
                return Err(Rejected::failed(why));
            }
            self.counts.repeated += 1;
        }
        Ok(is_next)
    }

    /// Passes a newly appended message to the matching durable subscriptions, and returns these.
    pub(crate) fn fan_out(&mut self, topic: &str, entry: Entry, now: u64) -> SmallVec<[u32; 4]> {
        let durables = self.directory.route(topic).durables.clone();
        let written = (self.journal.writing(), self.journal.durable());
        for number in &durables {
            let Some(durable) = self.durables.get_mut(number) else { continue };
            durable.push(entry, topic, written, now);
            if entry.wants_disk && !std::mem::replace(&mut durable.waits_for_disk, true) {
                self.waiting.push(*number);
            }
        }
        durables
    }

    fn await_disk(&mut self, number: u32) {
        if let Some(producer) = self.producers.get_mut(number)
            && !std::mem::replace(&mut producer.is_awaiting, true)
        {
            self.awaiting.push(number);
        }
    }

    fn tell_later(&mut self, number: u32) {
        if let Some(producer) = self.producers.get_mut(number)
            && !producer.is_due
        {
            producer.is_due = true;
            self.due.push(number);
        }
    }

    /// Schedules a write that nobody waits for.
    pub(crate) fn be_lazy(&mut self, now: u64) {
        if !self.journal.is_on_disk() {
            return;
        }
        let at = now.saturating_add(self.settings.lazy);
        self.lazy_at.get_or_insert(at);
    }

    /// Sends acknowledgements to producers: one for several messages.
    pub fn settle(&mut self, sink: &mut impl EventSink) {
        let durable = self.journal.durable();
        for number in std::mem::take(&mut self.due) {
            let client = self.producer_client.get(&number).copied();
            let Some(producer) = self.producers.get_mut(number) else { continue };
            producer.is_due = false;
            producer.settle(durable);
            let (sequence, position) = producer.acknowledged;
            if client.is_none() {
                self.producers.look_if_idle(number);
            }
            if let Some(client) = client.filter(|_| sequence > 0) {
                let durability = self.durability(position <= durable);
                sink.stored(client, &Stored { durability, sequence, position });
            }
        }
    }

    /// Whether the journal can accept records to write now.
    fn can_commit(&self) -> bool {
        self.journal.is_on_disk() && !self.journal.is_writing() && self.journal.failure().is_none()
    }

    /// Whether there is something to write now.
    pub fn wants_commit(&self, at: ClockReading) -> bool {
        let is_due = self.lazy_at.is_some_and(|due| at.now >= due);
        (self.is_urgent || self.is_closing || is_due) && self.can_commit()
    }

    /// The next records to write, if there are any to write now.
    pub fn next_commit(&mut self, at: ClockReading) -> Option<Commit> {
        if !self.wants_commit(at) {
            return None;
        }
        let goes_on = self.go_on_with_checkpoint(at);
        let is_more = self.log_acknowledgements(at) | self.log_deliveries(at);
        let commit = self.journal.next_commit();
        (self.is_urgent, self.lazy_at) = (is_more, None);
        // A checkpoint piece without room becomes the beginning of the next segment.
        let is_left = !self.unlogged.is_empty() || !self.uncounted.is_empty();
        if is_left || goes_on && self.checkpoint.is_some() {
            self.be_lazy(at.now);
        }
        commit
    }

    /// The result of a commit.
    pub fn committed(
        &mut self,
        at: ClockReading,
        result: Result<(), String>,
        sink: &mut impl EventSink,
    ) {
        self.journal.committed(at.now, result);
        self.counts.commits += 1;
        // Records that were appended in the meantime.
        if self.journal.pending() > 0 {
            self.is_urgent = true;
        }
        if self.journal.failure().is_some() {
            self.tell_failure(sink);
        }
        let durable = self.journal.durable();
        for number in std::mem::take(&mut self.awaiting) {
            let Some(producer) = self.producers.get_mut(number) else { continue };
            let is_new = producer.settle(durable);
            producer.is_awaiting = !producer.unacknowledged.is_empty();
            if producer.is_awaiting {
                self.awaiting.push(number);
            }
            if is_new {
                self.tell_later(number);
            }
        }
        self.settle(sink);
        self.publish_later(durable, sink);
        self.answer(at, durable, sink);
        self.confirm(durable, sink);
        self.pump_waiting(at, sink);
        self.log_what_is_left(at);
        if self.checkpoint.is_some() {
            self.be_lazy(at.now);
        }
        self.journal.forget();
    }

    /// Writes to the journal what had no room before.
    fn log_what_is_left(&mut self, at: ClockReading) {
        for number in std::mem::take(&mut self.late) {
            self.log_late(at, number);
        }
        self.log_changes(at);
        self.exhausted_at = self.exhausted_at.min(at.now);
    }

    /// Tells the waiting clients that the journal has failed.
    fn tell_failure(&mut self, sink: &mut impl EventSink) {
        if std::mem::replace(&mut self.has_reported_failure, true) {
            return;
        }
        let rejected = Rejected::failed(self.journal.failure().unwrap_or_default());
        for number in &self.awaiting {
            let client = self.producer_client.get(number).copied();
            if let (Some(client), Some(producer)) = (client, self.producers.get_mut(*number))
                && let Some(first) = producer.unacknowledged.front()
            {
                sink.failed(client, first.sequence, &rejected);
            }
        }
        for (_, answer) in std::mem::take(&mut self.answers) {
            if let Answer::Active(number) = answer {
                self.fall(number, &rejected, sink);
            }
        }
    }

    /// Delivers what is on disk now to direct subscribers.
    fn publish_later(&mut self, durable: u64, sink: &mut impl EventSink) {
        while let Some((position, at)) = self.later.front().copied()
            && position <= durable
        {
            self.later.pop_front();
            // It was in memory a moment ago.
            if let trunkline_journal::Lookup::Record { record, .. } = self.journal.at(at)
                && let Some(message) = StoredMessage::of(&record)
            {
                sink.publish(message.topic, message.format, message.payload);
            }
        }
    }

    fn answer(&mut self, at: ClockReading, durable: u64, sink: &mut impl EventSink) {
        while let Some((position, _)) = self.answers.front()
            && *position <= durable
        {
            let Some((position, answer)) = self.answers.pop_front() else { return };
            let durability = self.durability(true);
            match answer {
                Answer::Acknowledged(consumer, count) => {
                    if let Some(it) = self.consumers.get(&consumer) {
                        sink.acknowledged(it.client, it.subscription, durability, count, position);
                    }
                }
                Answer::Active(number) => self.stand(number, at, sink),
            }
        }
    }

    /// The next background task: one read and one other are under way at most.
    pub fn next_task(&mut self, at: ClockReading) -> Option<Task> {
        if self.journal.wants_room(at.now) {
            self.retain(at);
        }
        self.journal.next_task(at.now)
    }

    /// The result of a background task.
    pub fn task_done(&mut self, at: ClockReading, done: Done, sink: &mut impl EventSink) {
        self.journal.task_done(at.now, done);
        for number in std::mem::take(&mut self.reading) {
            if let Some(durable) = self.durables.get_mut(&number) {
                durable.is_reading = false;
            }
            self.go_on(number, at, sink);
        }
        self.log_what_is_left(at);
    }

    /// Continues the work of a subscription.
    fn go_on(&mut self, number: u32, at: ClockReading, sink: &mut impl EventSink) {
        self.take_back_overdue(number, at.now, sink);
        self.look_for_some(number, at, sink);
        match self.durables.get(&number) {
            Some(durable) if durable.consumers.is_empty() => self.drop_expired(number, at),
            _ => self.pump(number, at, sink),
        }
    }

    /// When [`Self::advance`] has something to do.
    pub fn next_deadline(&self) -> Option<u64> {
        if !self.work.is_empty() || self.is_checkpoint_awaited {
            return Some(0);
        }
        let alarm = self.alarms.first().map(|(due, _)| *due);
        let journal = self.journal.next_deadline();
        let has_old = self.journal.has_old() || !self.durables.is_empty();
        let retain = has_old.then_some(self.retain_at);
        let lazy = self.lazy_at.filter(|_| self.can_commit());
        let exhausted = Some(self.exhausted_at).filter(|_| !self.exhausted.is_empty());
        [lazy, journal, alarm, retain, exhausted].into_iter().flatten().min()
    }

    /// Does what is due.
    pub fn advance(&mut self, at: ClockReading, sink: &mut impl EventSink) {
        self.journal.advance(at.now);
        self.hurry_with_checkpoint(at);
        if self.journal.pending() > 0 {
            self.be_lazy(at.now);
        }
        while let Some((due, number)) = self.alarms.first().copied()
            && due <= at.now
        {
            self.alarms.pop_first();
            if let Some(durable) = self.durables.get_mut(&number) {
                durable.alarm = None;
                self.end_delays(number, at.now);
                self.take_back_overdue(number, at.now, sink);
                self.pump(number, at, sink);
            }
        }
        for _ in 0..self.work.len() {
            let Some(number) = self.work.pop_front() else { break };
            if let Some(durable) = self.durables.get_mut(&number) {
                durable.is_in_work = false;
            }
            self.go_on(number, at, sink);
        }
        self.store_dead_letters(at, sink);
        if at.now >= self.retain_at {
            self.retain_at = at.now.saturating_add(RETAIN);
            self.forget_idle(at);
            self.retain(at);
        }
    }

    /// Drops expired messages of subscriptions without consumers, and idle topics.
    fn forget_idle(&mut self, at: ClockReading) {
        let away = self.durables.iter().filter(|(_, it)| it.consumers.is_empty());
        let away: Vec<u32> = away.map(|(number, _)| *number).collect();
        away.into_iter().for_each(|number| self.drop_expired(number, at));
        for conflated in self.durables.values_mut().filter_map(|it| it.conflated.as_mut()) {
            conflated.forget_idle(at.now);
        }
    }

    /// Removes segments that nobody needs.
    pub(crate) fn retain(&mut self, at: ClockReading) {
        self.keep_quotas(at);
        let end = self.journal.last() + 1;
        let durables = self.durables.values().filter(|it| !it.is_replay());
        let needed = durables.map(|it| it.floor(end)).min().unwrap_or(end);
        let later = self.later.front().map_or(needed, |(position, _)| *position);
        self.journal.retain(at.time, needed.min(later));
    }

    /// Closes in order: everything stored is written, and then nothing more is stored.
    pub fn close(&mut self, at: ClockReading) {
        // An incomplete checkpoint adds no knowledge, and its pieces would follow the closing record.
        self.checkpoint = None;
        while self.log_acknowledgements(at) {}
        while self.log_deliveries(at) {}
        self.checkpoint = None;
        self.journal.close();
        self.is_closing = true;
    }

    /// The journal, read-only.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The accounts of a durable subscription.
    pub fn account(&self, name: &str) -> Option<Account> {
        self.durables.get(self.names.get(name)?).map(Durable::account)
    }

    /// Counters since the store was opened.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
