//! Guaranteed messages with what is made of them for consumers: each once for each form, which is a format or some fields or
//! both, and looked at once for all filters that wait for it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use trunkline_router::{FilterCounts, RenditionCounts};
use trunkline_session::router::{conversion_into, selection_into};
use trunkline_store::Delivery;
use trunkline_transcode::{Filter, Selection};

use crate::formats::{Asker, ConversionOrder, PublishedMessage};

/// Bytes that are kept of messages for which nobody waits, with what was made of them: a consumer may come to them later.
const IDLE_BYTES: usize = 1 << 20;

/// Orders that nobody waits for any more are looked for when there are so many more than four for each delivery that waits, which
/// has one at most, or when the messages that they alone are for have so many bytes: then most of them are such.
pub(super) const STALE_ORDERS: usize = 1_024;
const STALE_BYTES: usize = 1 << 20;

/// Bytes at most of a reason.
const LONGEST_REASON: usize = 1024;

/// Why a message is not held against a filter of which an answer says nothing.
const UNSAID: &str = "whether it passes its filter was not said";

/// What a message takes besides its bytes and those of what was made of it, about; and each of these.
const MESSAGE: usize = 256;
const PART: usize = 96;

/// A consumer: the client, and its number of the subscription.
type Number = (u64, u32);

/// Whether something is known of a message for a consumer.
#[derive(Debug)]
pub(super) enum Prepared {
    /// Not yet.
    No,
    /// It does not pass.
    Filtered,
    /// Its topic, its format, and its bytes as they are wanted.
    Made(Arc<str>, u16, Arc<[u8]>),
    /// Its topic, and why it is not to be had so.
    Failed(Arc<str>, Arc<str>),
}

/// What came of an order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<'a> {
    /// The message as it was wanted.
    Message(Result<&'a [u8], &'a str>),
    /// Whether it passes each filter.
    Passes(Result<&'a [bool], &'a str>),
}

/// An answer, or who waits for it.
#[derive(Debug)]
enum Answer<T> {
    Awaited(BTreeSet<Number>),
    Given(Result<T, Arc<str>>),
}

impl<T> Answer<T> {
    fn give(&mut self, it: Result<T, Arc<str>>) -> BTreeSet<Number> {
        match std::mem::replace(self, Self::Given(it)) {
            Self::Awaited(waiters) => waiters,
            Self::Given(_) => BTreeSet::new(),
        }
    }

    /// Whether somebody waits for it.
    fn has_waiters(&self) -> bool {
        matches!(self, Self::Awaited(waiters) if !waiters.is_empty())
    }

    fn forget_waiter(&mut self, number: Number) {
        if let Self::Awaited(waiters) = self {
            waiters.remove(&number);
        }
    }

    /// The bytes of what it says, or of the reason why there is none.
    fn bytes(&self, of: impl FnOnce(&T) -> usize) -> usize {
        match self {
            Self::Awaited(_) => 0,
            Self::Given(Ok(it)) => of(it),
            Self::Given(Err(why)) => why.len(),
        }
    }

    fn forget_waiters(&mut self) {
        if let Self::Awaited(waiters) = self {
            waiters.clear();
        }
    }
}

/// A message that deliveries wait with, or have waited.
#[derive(Debug)]
struct Message {
    topic: Arc<str>,
    format: u16,
    payload: Arc<[u8]>,
    /// Deliveries that wait with it, and orders for it.
    deliveries: usize,
    orders: usize,
    /// By the number of the form.
    made: HashMap<u64, Answer<Arc<[u8]>>>,
    /// By the number of the filter, and those that nobody was asked about.
    passes: HashMap<u64, Answer<bool>>,
    undecided: Vec<u64>,
    /// Bytes of all that.
    bytes: usize,
    /// Since when nobody waits for it, by a count; 0 if somebody does.
    idle_since: u64,
}

/// Things by numbers of their own, which never mean another thing later.
#[derive(Debug)]
struct Numbered<K, V> {
    numbers: HashMap<K, u64>,
    all: HashMap<u64, (K, V, usize)>,
    last: u64,
}

impl<K, V> Default for Numbered<K, V> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), all: HashMap::new(), last: 0 }
    }
}

impl<K: Hash + Eq + Clone, V> Numbered<K, V> {
    /// The number of a thing, with a user more.
    fn begin(&mut self, key: K, value: V) -> u64 {
        if let Some(number) = self.numbers.get(&key) {
            if let Some(it) = self.all.get_mut(number) {
                it.2 += 1;
            }
            return *number;
        }
        self.last += 1;
        self.numbers.insert(key.clone(), self.last);
        self.all.insert(self.last, (key, value, 1));
        self.last
    }

    fn end(&mut self, number: u64) {
        let Some(it) = self.all.get_mut(&number) else { return };
        it.2 -= 1;
        if it.2 == 0
            && let Some((key, ..)) = self.all.remove(&number)
        {
            self.numbers.remove(&key);
        }
    }

    fn get(&self, number: u64) -> Option<&V> {
        self.all.get(&number).map(|it| &it.1)
    }

    fn len(&self) -> usize {
        self.all.len()
    }
}

/// What messages become: in another format, and which fields.
type Form = (Option<u16>, Option<Arc<Selection>>);

/// Something to be done.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// The undecided filters of the message at a position.
    Decide(u64),
    /// The message at a position in a form, which counts as a format or as published.
    Make(u64, u64, Option<u16>),
}

/// What somebody was asked.
#[derive(Debug)]
enum Asked {
    Decide(u64, Vec<u64>),
    Make(u64, u64, Option<u16>),
}

/// The messages, by their positions.
#[derive(Debug, Default)]
pub(super) struct Preparing {
    messages: HashMap<u64, Message>,
    forms: Numbered<(Option<u16>, String), Form>,
    filters: Numbered<String, Arc<Filter>>,
    jobs: VecDeque<Job>,
    /// With the generation in which it was asked.
    asked: HashMap<u32, (Asked, u64)>,
    next: u32,
    /// How often what is known of messages has changed: an answer to a question of before is none.
    generation: u64,
    /// Messages for which nobody waits, by the time since when, and their bytes.
    idle: BTreeSet<(u64, u64)>,
    idle_bytes: usize,
    /// Bytes of messages, as they were stored, for which nobody waits, and for which there are orders still; and how many were left
    /// when these orders were looked for.
    stale_bytes: usize,
    stale_bytes_left: usize,
    clock: u64,
    bytes: usize,
    /// By format, or as published.
    counts: BTreeMap<Option<u16>, [u64; 4]>,
    decided: u64,
    undecidable: u64,
    /// Messages that are still to be decided, also those that somebody was asked about.
    deciding: usize,
}

/// Places in the counts of a format.
const MADE: usize = 0;
const USED: usize = 1;
const FAILED: usize = 2;
const WANTED: usize = 3;

impl Preparing {
    /// The number of a form, with a user more.
    pub(super) fn form(&mut self, to: Option<u16>, fields: Option<Arc<Selection>>) -> u64 {
        let text = fields.as_ref().map_or(String::new(), |it| it.to_string());
        self.forms.begin((to, text), (to, fields))
    }

    /// The number of a filter, with a user more.
    pub(super) fn filter(&mut self, filter: Arc<Filter>) -> u64 {
        self.filters.begin(filter.to_string(), filter)
    }

    /// A consumer with these has ended.
    pub(super) fn end(&mut self, form: Option<u64>, filter: Option<u64>) {
        form.iter().for_each(|it| self.forms.end(*it));
        filter.iter().for_each(|it| self.filters.end(*it));
        self.forget_down_to(self.most_idle());
    }

    /// Bytes that are kept for consumers who may come: none where nobody wants messages in any way.
    fn most_idle(&self) -> usize {
        if self.forms.len() + self.filters.len() > 0 { IDLE_BYTES } else { 0 }
    }

    /// A delivery waits for a message, and for what its consumer wants of it.
    pub(super) fn want(
        &mut self,
        number: Number,
        delivery: &Delivery<'_>,
        wanted: (Option<u64>, Option<u64>),
    ) {
        let message = self.messages.entry(delivery.position).or_insert_with(|| {
            let bytes = MESSAGE + delivery.topic.len() + delivery.payload.len();
            self.bytes += bytes;
            Message {
                topic: delivery.topic.into(),
                format: delivery.format,
                payload: delivery.payload.into(),
                deliveries: 0,
                orders: 0,
                made: HashMap::new(),
                passes: HashMap::new(),
                undecided: Vec::new(),
                bytes,
                idle_since: 0,
            }
        });
        let since = std::mem::take(&mut message.idle_since);
        if since > 0 && self.idle.remove(&(since, delivery.position)) {
            self.idle_bytes -= message.bytes;
        }
        if message.is_stale() {
            self.stale_bytes -= message.payload.len();
        }
        message.deliveries += 1;
        self.ask(number, delivery.position, wanted);
    }

    /// Has that done which a consumer needs next of a message: the answer of its filter, then its form.
    pub(super) fn ask(
        &mut self,
        number: Number,
        position: u64,
        (form, filter): (Option<u64>, Option<u64>),
    ) {
        let Some(message) = self.messages.get_mut(&position) else { return };
        if message.deliveries == 0 {
            return;
        }
        if let Some(filter) = filter {
            let is_new = !message.passes.contains_key(&filter);
            if is_new && message.passes.len() >= self.filters.len() {
                // Some of them have ended.
                self.bytes -= message.keep_passes(|it, _| self.filters.get(it).is_some());
            }
            let answer = message.passes.entry(filter).or_insert(Answer::Awaited(BTreeSet::new()));
            if let Answer::Awaited(waiters) = answer {
                waiters.insert(number);
                if is_new {
                    message.bytes += PART;
                    self.bytes += PART;
                    message.undecided.push(filter);
                    if message.undecided.len() == 1 {
                        message.orders += 1;
                        self.deciding += 1;
                        self.jobs.push_back(Job::Decide(position));
                    }
                }
                return;
            }
            if !matches!(answer, Answer::Given(Ok(true))) {
                return;
            }
        }
        let Some((form, (to, _))) = form.and_then(|it| Some((it, self.forms.get(it)?))) else {
            return;
        };
        if is_as_wanted(message.format, self.forms.get(form)) {
            return;
        }
        let is_new = !message.made.contains_key(&form);
        if is_new && message.made.len() >= self.forms.len() {
            // Some of them have ended.
            self.bytes -= message.keep_made(|it, _| self.forms.get(it).is_some());
        }
        let answer = message.made.entry(form).or_insert(Answer::Awaited(BTreeSet::new()));
        if let Answer::Awaited(waiters) = answer {
            waiters.insert(number);
            if is_new {
                message.bytes += PART;
                self.bytes += PART;
                message.orders += 1;
                self.counts.entry(*to).or_default()[WANTED] += 1;
                self.jobs.push_back(Job::Make(position, form, *to));
            }
        }
    }

    /// What is to be given next to whoever reads payloads. What nobody waits for any more is not done.
    pub(super) fn next_order(&mut self) -> Option<ConversionOrder> {
        while let Some(job) = self.jobs.pop_front() {
            let order = self.order(job);
            if order.is_some() {
                return order;
            }
        }
        None
    }

    fn order(&mut self, job: Job) -> Option<ConversionOrder> {
        let (position, order) = match job {
            Job::Decide(position) => {
                let decision = self.decision(position);
                self.deciding -= usize::from(decision.is_none());
                (position, decision)
            }
            Job::Make(position, form, to) => (position, self.conversion(position, form, to)),
        };
        if order.is_none() {
            self.end_order(position);
        }
        order
    }

    /// Orders that are still to be given.
    pub(super) fn orders(&self) -> usize {
        self.jobs.len()
    }

    /// Forgets those that nobody waits for any more, if there may be many: so many deliveries wait, each for one at most. All are
    /// looked through then, in proportion to what has become stale since the last time.
    pub(super) fn drop_stale_orders(&mut self, deliveries: usize) {
        let list = self.orders() * size_of::<Job>();
        let most_bytes = STALE_BYTES.max(list).max(2 * self.stale_bytes_left);
        if self.orders() <= 4 * deliveries + STALE_ORDERS && self.stale_bytes <= most_bytes {
            return;
        }
        for job in std::mem::take(&mut self.jobs) {
            if self.is_awaited(job) {
                self.jobs.push_back(job);
            } else {
                // It is none.
                let _ = self.order(job);
            }
        }
        // What somebody has been asked for already stays until the answer comes.
        self.stale_bytes_left = self.stale_bytes;
    }

    fn is_awaited(&self, job: Job) -> bool {
        let (Job::Decide(position) | Job::Make(position, ..)) = job;
        self.messages.get(&position).is_some_and(|message| match job {
            Job::Decide(_) => message.undecided.iter().any(|it| message.is_asked_for(*it)),
            Job::Make(_, form, _) => message.made.get(&form).is_some_and(Answer::has_waiters),
        })
    }

    fn decision(&mut self, position: u64) -> Option<ConversionOrder> {
        let message = self.messages.get_mut(&position)?;
        let undecided = std::mem::take(&mut message.undecided);
        let is_stale = |it: &u64| !message.is_asked_for(*it);
        let stale: HashSet<u64> = undecided.iter().copied().filter(is_stale).collect();
        if !stale.is_empty() {
            // Who wants one of these again has it asked for again.
            self.bytes -= message.keep_passes(|it, _| !stale.contains(&it));
        }
        let known = |it: u64| self.filters.get(it).map(|filter| (it, Arc::clone(filter)));
        let awaited = undecided.into_iter().filter(|it| !stale.contains(it));
        let (numbers, filters): (Vec<u64>, Vec<_>) = awaited.filter_map(known).unzip();
        if filters.is_empty() {
            return None;
        }
        let published = message.published();
        let id = self.take_id(Asked::Decide(position, numbers));
        Some(ConversionOrder::Decide(Asker::Store(id), filters, published))
    }

    fn conversion(
        &mut self,
        position: u64,
        number: u64,
        counted: Option<u16>,
    ) -> Option<ConversionOrder> {
        let message = self.messages.get_mut(&position)?;
        let is_awaited = message.made.get(&number).is_some_and(Answer::has_waiters);
        let form = self.forms.get(number).filter(|_| is_awaited);
        let Some((to, fields)) = form.cloned() else {
            // Who wants it again has it asked for again.
            self.bytes -= message.keep_made(|it, _| it != number);
            self.counts.entry(counted).or_default()[WANTED] -= 1;
            return None;
        };
        let published = message.published();
        let id = Asker::Store(self.take_id(Asked::Make(position, number, counted)));
        Some(match fields {
            Some(fields) => ConversionOrder::Select(id, to, fields, published),
            None => ConversionOrder::Convert(id, to.unwrap_or(published.format), published),
        })
    }

    fn take_id(&mut self, asked: Asked) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.asked.insert(self.next, (asked, self.generation));
        self.next
    }

    /// What came of an order, where a message may have so many bytes. Returns the bytes of the message that it was about, its
    /// position, and who waited for it.
    pub(super) fn given(
        &mut self,
        id: u32,
        given: Given<'_>,
        most: usize,
    ) -> (usize, u64, BTreeSet<Number>) {
        let Some((asked, generation)) = self.asked.remove(&id) else {
            return (0, 0, BTreeSet::new());
        };
        let (Asked::Decide(position, _) | Asked::Make(position, ..)) = asked;
        let bytes = self.messages.get(&position).map_or(0, |it| it.payload.len());
        if generation != self.generation {
            self.ask_anew(asked);
            return (bytes, position, BTreeSet::new());
        }
        self.deciding -= usize::from(matches!(asked, Asked::Decide(..)));
        let waiters = match (asked, given) {
            (Asked::Decide(_, filters), Given::Passes(passes)) => {
                self.decided(position, &filters, passes)
            }
            (Asked::Make(_, form, to), Given::Message(made)) => {
                self.made((position, form, to), made, most)
            }
            _ => BTreeSet::new(),
        };
        self.end_order(position);
        (bytes, position, waiters)
    }

    /// What was asked is not what came of it: it is asked again.
    fn ask_anew(&mut self, asked: Asked) {
        match asked {
            Asked::Make(position, form, to) => self.jobs.push_back(Job::Make(position, form, to)),
            Asked::Decide(position, filters) => {
                let Some(message) = self.messages.get_mut(&position) else { return };
                let has_order = !message.undecided.is_empty();
                message.undecided.extend(filters);
                if has_order {
                    self.deciding -= 1;
                    self.end_order(position);
                } else {
                    self.jobs.push_back(Job::Decide(position));
                }
            }
        }
    }

    /// What is known of messages now is something else than what was made and decided by it so far, and than what will come of
    /// what was asked. Whoever waits for an answer has to ask again ([`Self::ask`]).
    pub(super) fn forget_answers(&mut self) {
        self.generation += 1;
        self.forget_idle();
        for message in self.messages.values_mut() {
            self.bytes -= message.keep_made(|_, it| matches!(it, Answer::Awaited(_)))
                + message.keep_passes(|_, it| matches!(it, Answer::Awaited(_)));
            message.made.values_mut().for_each(Answer::forget_waiters);
            message.passes.values_mut().for_each(Answer::forget_waiters);
        }
    }

    fn decided(
        &mut self,
        position: u64,
        filters: &[u64],
        passes: Result<&[bool], &str>,
    ) -> BTreeSet<Number> {
        self.decided += 1;
        self.undecidable += u64::from(passes.is_err());
        let Some(message) = self.messages.get_mut(&position) else { return BTreeSet::new() };
        let why = passes.err().map(shortened);
        let mut waiters = BTreeSet::new();
        for (at, filter) in filters.iter().enumerate() {
            let answer = match (&why, passes) {
                // What is said to pass no filter is done for good: that has to be said.
                (None, Ok(passes)) => passes.get(at).copied().ok_or_else(|| Arc::from(UNSAID)),
                (why, _) => Err(why.clone().unwrap_or_default()),
            };
            if let Some(it) = message.passes.get_mut(filter) {
                waiters.extend(it.give(answer));
                let bytes = it.bytes(|_| 0);
                message.bytes += bytes;
                self.bytes += bytes;
            }
        }
        waiters
    }

    fn made(
        &mut self,
        (position, form, to): (u64, u64, Option<u16>),
        made: Result<&[u8], &str>,
        most: usize,
    ) -> BTreeSet<Number> {
        let answer: Result<Arc<[u8]>, Arc<str>> = match made {
            Ok(bytes) if bytes.len() > most => Err(Arc::from(format!(
                "it would have {} bytes, and {most} are the most (limits.frame_bytes)",
                bytes.len()
            ))),
            Ok(bytes) => Ok(Arc::from(bytes)),
            Err(why) => Err(shortened(why)),
        };
        let place = if answer.is_ok() { MADE } else { FAILED };
        self.counts.entry(to).or_default()[place] += 1;
        let Some(message) = self.messages.get_mut(&position) else { return BTreeSet::new() };
        // Nobody has wanted it for long.
        let Some(it) = message.made.get_mut(&form) else { return BTreeSet::new() };
        let waiters = it.give(answer);
        let bytes = it.bytes(|it| it.len());
        message.bytes += bytes;
        self.bytes += bytes;
        waiters
    }

    /// One order fewer for a message.
    fn end_order(&mut self, position: u64) {
        if let Some(message) = self.messages.get_mut(&position) {
            let was_stale = message.is_stale();
            message.orders -= 1;
            if was_stale && !message.is_stale() {
                self.stale_bytes -= message.payload.len();
                self.stale_bytes_left = self.stale_bytes_left.min(self.stale_bytes);
            }
            self.settle(position);
        }
    }

    /// A delivery of a consumer waits no more, whether there is what it waits for or not.
    pub(super) fn leave(
        &mut self,
        number: Number,
        position: u64,
        (form, filter): (Option<u64>, Option<u64>),
    ) {
        if let Some(message) = self.messages.get_mut(&position) {
            if let Some(it) = filter.and_then(|it| message.passes.get_mut(&it)) {
                it.forget_waiter(number);
            }
            if let Some(it) = form.and_then(|it| message.made.get_mut(&it)) {
                it.forget_waiter(number);
            }
        }
        self.release(position);
    }

    /// A delivery waits no more.
    pub(super) fn release(&mut self, position: u64) {
        if let Some(message) = self.messages.get_mut(&position) {
            message.deliveries -= 1;
            if message.is_stale() {
                self.stale_bytes += message.payload.len();
            }
            self.settle(position);
        }
    }

    /// A message for which nobody waits is kept for a while.
    fn settle(&mut self, position: u64) {
        let Some(message) = self.messages.get_mut(&position) else { return };
        if message.deliveries + message.orders > 0 {
            return;
        }
        self.clock += 1;
        message.idle_since = self.clock;
        self.idle.insert((self.clock, position));
        self.idle_bytes += message.bytes;
        self.forget_down_to(self.most_idle());
    }

    /// Forgets messages for which nobody waits.
    pub(super) fn forget_idle(&mut self) {
        self.forget_down_to(0);
    }

    fn forget_down_to(&mut self, most: usize) {
        while self.idle_bytes > most
            && let Some((_, position)) = self.idle.pop_first()
        {
            if let Some(message) = self.messages.remove(&position) {
                self.idle_bytes -= message.bytes;
                self.bytes -= message.bytes;
            }
        }
    }

    /// What was made for a form has gone to a consumer.
    pub(super) fn count_use(&mut self, form: Option<u64>, position: u64) {
        let Some((form, (to, _))) = form.and_then(|it| Some((it, self.forms.get(it)?))) else {
            return;
        };
        if self.messages.get(&position).is_some_and(|it| it.made.contains_key(&form)) {
            self.counts.entry(*to).or_default()[USED] += 1;
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.jobs.capacity() * size_of::<Job>()
    }

    /// What was made, by format.
    pub(super) fn conversions(&self) -> impl Iterator<Item = RenditionCounts> {
        self.counts.iter().filter_map(|(to, counts)| {
            let format = match to {
                Some(to) => conversion_into(*to)?,
                None => selection_into(0, None)?,
            };
            let [made, used, failed, wanted] = *counts;
            let shared = used.saturating_sub(made);
            let pending = wanted.saturating_sub(made + failed);
            Some(RenditionCounts { format, made, shared, failed, pending })
        })
    }

    /// What was decided.
    pub(super) fn filters(&self) -> FilterCounts {
        FilterCounts { decided: self.decided, failed: self.undecidable, pending: self.deciding }
    }

    /// What is known of a message for a consumer with this form and filter.
    pub(super) fn state(&self, (form, filter): (Option<u64>, Option<u64>), at: u64) -> Prepared {
        let Some(it) = self.messages.get(&at) else { return Prepared::No };
        let topic = || Arc::clone(&it.topic);
        match filter.map(|filter| it.passes.get(&filter)) {
            None | Some(Some(Answer::Given(Ok(true)))) => {}
            Some(Some(Answer::Given(Ok(false)))) => return Prepared::Filtered,
            Some(Some(Answer::Given(Err(why)))) => {
                return Prepared::Failed(topic(), Arc::clone(why));
            }
            Some(_) => return Prepared::No,
        }
        let form = form.filter(|form| !is_as_wanted(it.format, self.forms.get(*form)));
        let Some(form) = form else {
            return Prepared::Made(topic(), it.format, Arc::clone(&it.payload));
        };
        match it.made.get(&form) {
            Some(Answer::Given(Ok(made))) => {
                let to = self.forms.get(form).and_then(|it| it.0).unwrap_or(it.format);
                Prepared::Made(topic(), to, Arc::clone(made))
            }
            Some(Answer::Given(Err(why))) => Prepared::Failed(topic(), Arc::clone(why)),
            Some(Answer::Awaited(_)) | None => Prepared::No,
        }
    }
}

/// Whether a message of this format is as a form wants it: passed on untouched.
fn is_as_wanted(format: u16, form: Option<&Form>) -> bool {
    form.is_none_or(|(to, fields)| fields.is_none() && to.is_none_or(|to| to == format))
}

/// A reason, no longer than is told.
fn shortened(reason: &str) -> Arc<str> {
    reason[..reason.floor_char_boundary(LONGEST_REASON)].into()
}

impl Message {
    /// Whether somebody waits for what a filter says of it.
    fn is_asked_for(&self, filter: u64) -> bool {
        self.passes.get(&filter).is_some_and(Answer::has_waiters)
    }

    /// Nobody waits for it, and there are orders for it still.
    fn is_stale(&self) -> bool {
        self.deliveries == 0 && self.orders > 0
    }

    /// Keeps some of what was made of it. Returns how many bytes are free then.
    fn keep_made(&mut self, is_kept: impl Fn(u64, &Answer<Arc<[u8]>>) -> bool) -> usize {
        let mut bytes = 0;
        self.made.retain(|form, it| {
            let is_kept = is_kept(*form, it);
            if !is_kept {
                bytes += PART + it.bytes(|made| made.len());
            }
            is_kept
        });
        self.bytes -= bytes;
        bytes
    }

    /// Keeps some of what was decided of it. Returns how many bytes are free then.
    fn keep_passes(&mut self, is_kept: impl Fn(u64, &Answer<bool>) -> bool) -> usize {
        let mut bytes = 0;
        self.passes.retain(|filter, it| {
            let is_kept = is_kept(*filter, it);
            if !is_kept {
                bytes += PART + it.bytes(|_| 0);
            }
            is_kept
        });
        self.bytes -= bytes;
        bytes
    }

    /// It, for whoever reads payloads.
    fn published(&self) -> PublishedMessage {
        let (topic, payload) = (self.topic.to_string(), self.payload.to_vec());
        PublishedMessage { topic, format: self.format, payload }
    }
}

#[cfg(test)]
mod tests;
