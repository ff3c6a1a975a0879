//! Guaranteed deliveries that wait for whoever reads payloads: those of consumers that want messages in another format, some
//! of their fields, or those alone that pass a filter.
//!
//! ```text
//!   store: delivered ---> [a line for each consumer] -------------------------------+-> output
//!                               | the message, once for all lines       front: made |
//!                               v                                                   |
//!        filter: decide ---> passes: render ---> made, or why not ------------------+
//!                  |                                                                |
//!                  +--- does not pass ----------------------------------------------+-> store: filtered
//! ```
//!
//! To the store such a message is in flight from the moment on in which it enters a line, and delivered when it leaves it, unless
//! the store says then that it is done. What is in lines is bounded for each client, whose consumers share that, so that a
//! consumer waits for its own messages alone; where these are so large that there is room for a few, its consumers have turns.
//! Everything else that the store tells of the subscription keeps its place behind
//! them. A message is made once for each form, and read once for all filters that wait; some of what was made last is
//! kept for consumers that come to the same message later.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use trunkline_native::format;
use trunkline_router::{ClientId, FilterId, RenditionFormat};
use trunkline_session::router::selection_of;
use trunkline_store::{Delivery, Durability, Loss, Sending};
use trunkline_transcode::{Filter, Selection};

use super::prepared::{Given, Prepared, Preparing};
use crate::formats::ConversionOrder;

/// Deliveries of a client that wait in lines, and their bytes: beyond that the store keeps them. Each line has an equal part,
/// and room for one message as long as there are fewer bytes in all of them.
const MOST: usize = 64;
const MOST_BYTES: usize = 256 << 10;

/// What a consumer wants of messages.
#[derive(Clone, Debug)]
pub(super) struct Want {
    /// The number of the format, if not as they are.
    pub(super) to: Option<u16>,
    pub(super) fields: Option<Arc<Selection>>,
    pub(super) filter: Option<Arc<Filter>>,
    /// The numbers of the selection and of the filter, which are others' when it has ended.
    pub(super) rendition: Option<RenditionFormat>,
    pub(super) filter_id: Option<FilterId>,
}

/// A consumer that wants messages in some way.
#[derive(Debug)]
struct Line {
    /// What messages become for it, if they are not to stay as they are, and which pass, as [`Preparing`] numbers both.
    form: Option<u64>,
    filter: Option<u64>,
    /// The numbers to give back.
    selection: Option<u16>,
    filter_id: Option<FilterId>,
    items: VecDeque<Item>,
    /// Those of them that are deliveries, and their bytes.
    deliveries: usize,
    bytes: usize,
    /// It is among those that have turns.
    has_turn: bool,
}

impl Line {
    /// What is to be told behind the last delivery, from the end on.
    fn behind_deliveries(&mut self) -> impl Iterator<Item = &mut Item> {
        self.items.iter_mut().rev().take_while(|it| !matches!(it, Item::Delivery(_)))
    }
}

/// What a client has in its lines.
#[derive(Debug, Default)]
struct Share {
    lines: usize,
    deliveries: usize,
    bytes: usize,
    /// Its consumers that found no room, since others of it had that, in turn; and the one whose turn it is.
    turns: VecDeque<u32>,
    turn: Option<u32>,
}

impl Share {
    /// Whether there is room for another one in any of its lines.
    fn has_room(&self, is_tight: bool) -> bool {
        self.deliveries == 0 || self.bytes < MOST_BYTES && !is_tight
    }
}

/// Something for a consumer, in its turn.
#[derive(Debug)]
pub(super) enum Item {
    Delivery(Deferred),
    Lost(Loss),
    Confirmed(Durability, u64),
}

/// A delivery without its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    position: u64,
    time: u64,
    deliveries: u32,
    is_repeated: bool,
    is_unconfirmed: bool,
    is_kept: bool,
    expires: u64,
    conflation: Option<(u64, u64)>,
    /// When it came.
    since: u64,
    /// Bytes that it counts for.
    bytes: usize,
}

impl Deferred {
    fn new(it: &Delivery<'_>, since: u64) -> Self {
        let Delivery { position, time, deliveries, is_repeated, is_unconfirmed, is_kept, .. } = *it;
        let (expires, conflation, bytes) = (it.expires, it.conflation, it.payload.len());
        Self {
            position,
            time,
            deliveries,
            is_repeated,
            is_unconfirmed,
            is_kept,
            expires,
            conflation,
            since,
            bytes,
        }
    }

    /// Its position, and when it expires.
    pub(super) fn of_store(&self) -> (u64, u64) {
        (self.position, self.expires)
    }

    /// It goes as the store says.
    pub(super) fn sent_as(self, sending: Sending) -> Self {
        Self { is_repeated: self.is_repeated || sending == Sending::Behind, ..self }
    }

    /// The delivery of a payload, now.
    pub(super) fn of<'a>(
        &self,
        now: u64,
        subscription: u32,
        topic: &'a str,
        (format, payload): (u16, &'a [u8]),
    ) -> Delivery<'a> {
        Delivery {
            subscription,
            position: self.position,
            time: self.time,
            deliveries: self.deliveries,
            is_repeated: self.is_repeated,
            is_unconfirmed: self.is_unconfirmed,
            is_kept: self.is_kept,
            expires: self.expires,
            // Its age is that at which it is sent.
            conflation: self
                .conflation
                .map(|(replaced, age)| (replaced, age + now.saturating_sub(self.since))),
            format,
            topic,
            payload,
        }
    }
}

/// What is to be done with the first of a line.
#[derive(Debug)]
pub(super) enum First {
    /// Nothing yet.
    Wait,
    /// It can go to the client.
    Send(Item),
    /// So can the message, in this format.
    Made(Deferred, Arc<str>, u16, Arc<[u8]>),
    /// The reason why there is none can.
    Unrendered(Deferred, Arc<str>, Arc<str>),
    /// The store is to be told that it did not pass.
    Filtered(u64),
}

/// All that waits, and for what.
#[derive(Debug, Default)]
pub(super) struct DeferredDeliveries {
    lines: BTreeMap<(u64, u32), Line>,
    /// Of each client that has lines: what it has in them.
    clients: HashMap<u64, Share>,
    preparing: Preparing,
    /// Lines of which the first may go on.
    due: BTreeSet<(u64, u32)>,
    /// Clients with consumers that have turns, and with room for one.
    freed: BTreeSet<u64>,
    /// The numbers of selections and filters of consumers that have ended.
    ended: Vec<(ClientId, Option<u16>, Option<FilterId>)>,
    /// Deliveries in all lines.
    deliveries: usize,
    /// Memory is short: there is one message of a client at a time in its lines.
    is_tight: bool,
}

impl DeferredDeliveries {
    /// A consumer wants messages in some way.
    pub(super) fn begin(&mut self, client: u64, subscription: u32, want: Want) {
        let Want { to, fields, filter, rendition, filter_id } = want;
        let is_form = to.is_some() || fields.is_some();
        let form = is_form.then(|| self.preparing.form(to, fields));
        let filter = filter.map(|it| self.preparing.filter(it));
        let (selection, items) = (rendition.and_then(selection_of), VecDeque::new());
        let (deliveries, bytes, has_turn) = (0, 0, false);
        let line = Line { form, filter, selection, filter_id, items, deliveries, bytes, has_turn };
        let before = self.lines.insert((client, subscription), line);
        debug_assert!(before.is_none(), "two consumers have the number {subscription}");
        self.clients.entry(client).or_default().lines += 1;
    }

    /// A consumer is none any more: what waits for it goes.
    pub(super) fn end(&mut self, client: u64, subscription: u32) {
        let number = (client, subscription);
        let Some(line) = self.lines.remove(&number) else { return };
        self.due.remove(&number);
        for item in &line.items {
            if let Item::Delivery(it) = item {
                self.preparing.leave(number, it.position, (line.form, line.filter));
                self.count_out(client, it.bytes);
            }
        }
        if let Some(share) = self.clients.get_mut(&client) {
            if line.has_turn {
                share.turns.retain(|it| *it != subscription);
            }
            share.lines -= 1;
            if share.lines == 0 {
                self.clients.remove(&client);
                self.freed.remove(&client);
            }
        }
        self.preparing.end(line.form, line.filter);
        self.preparing.drop_stale_orders(self.deliveries);
        if line.selection.is_some() || line.filter_id.is_some() {
            self.ended.push((ClientId::from_u64(client), line.selection, line.filter_id));
        }
    }

    /// A delivery of a client is in no line any more: others of it may have the room.
    fn count_out(&mut self, client: u64, bytes: usize) {
        self.deliveries -= 1;
        let Some(share) = self.clients.get_mut(&client) else { return };
        share.deliveries -= 1;
        share.bytes -= bytes;
        if !share.turns.is_empty() && share.has_room(self.is_tight) {
            self.freed.insert(client);
        }
    }

    /// A client is gone.
    pub(super) fn end_all(&mut self, client: u64) {
        // No consumer of it has a turn any more, and none has to be looked for among the others.
        self.clients.get_mut(&client).into_iter().for_each(|it| it.turns.clear());
        while let Some((number, _)) = self.lines.range((client, 0)..=(client, u32::MAX)).next() {
            self.end(client, number.1);
        }
    }

    /// The numbers that one has had which has ended.
    pub(super) fn next_ended(&mut self) -> Option<(ClientId, Option<u16>, Option<FilterId>)> {
        self.ended.pop()
    }

    /// Whether a consumer may have more in its line, if it has one. Where others of its client have the room, it has a turn
    /// ([`Self::next_turn`]).
    #[inline]
    pub(super) fn has_room(&mut self, client: u64, subscription: u32) -> bool {
        self.lines.is_empty() || self.has_room_in_line(client, subscription)
    }

    fn has_room_in_line(&mut self, client: u64, subscription: u32) -> bool {
        let Some(line) = self.lines.get_mut(&(client, subscription)) else { return true };
        let Some(share) = self.clients.get_mut(&client) else { return true };
        let is_below =
            line.deliveries < MOST / share.lines && line.bytes < MOST_BYTES / share.lines;
        if line.deliveries > 0 && !is_below {
            // It is asked again when one of them has gone.
            return false;
        }
        let is_its_turn = share.turn.map_or(share.turns.is_empty(), |it| it == subscription);
        if is_its_turn && share.has_room(self.is_tight) {
            return true;
        }
        if !std::mem::replace(&mut line.has_turn, true) {
            share.turns.push_back(subscription);
        }
        false
    }

    /// The consumer of a client whose turn it is, until this is asked again: there is room for it, since others have used less.
    pub(super) fn next_turn(&mut self, client: u64, has_room_in_output: bool) -> Option<u32> {
        let share = self.clients.get_mut(&client)?;
        share.turn = None;
        if !has_room_in_output || !share.has_room(self.is_tight) {
            return None;
        }
        share.turn = share.turns.pop_front();
        let line = share.turn.and_then(|it| self.lines.get_mut(&(client, it)));
        line.into_iter().for_each(|it| it.has_turn = false);
        share.turn
    }

    /// Clients with consumers that have turns, and with room for one.
    pub(super) fn take_freed(&mut self) -> BTreeSet<u64> {
        std::mem::take(&mut self.freed)
    }

    /// Takes a delivery in, if its consumer wants messages in some way.
    #[inline]
    pub(super) fn take(&mut self, now: u64, client: u64, delivery: &Delivery<'_>) -> bool {
        !self.lines.is_empty() && self.take_into_line(now, client, delivery)
    }

    fn take_into_line(&mut self, now: u64, client: u64, delivery: &Delivery<'_>) -> bool {
        let number = (client, delivery.subscription);
        let Some(line) = self.lines.get_mut(&number) else { return false };
        self.preparing.want(number, delivery, (line.form, line.filter));
        let deferred = Deferred::new(delivery, now);
        line.items.push_back(Item::Delivery(deferred));
        line.deliveries += 1;
        line.bytes += deferred.bytes;
        self.deliveries += 1;
        if let Some(share) = self.clients.get_mut(&client) {
            share.deliveries += 1;
            share.bytes += deferred.bytes;
        }
        self.look_at(number);
        true
    }

    /// A delivery is not for its consumer any more.
    pub(super) fn withdraw(&mut self, client: u64, subscription: u32, position: u64) {
        let number = (client, subscription);
        let Some(line) = self.lines.get_mut(&number) else { return };
        let is_it = |item: &Item| matches!(item, Item::Delivery(it) if it.position == position);
        let place = line.items.iter().position(is_it);
        if let Some(Item::Delivery(it)) = place.and_then(|at| line.items.remove(at)) {
            line.deliveries -= 1;
            line.bytes -= it.bytes;
            self.preparing.leave(number, position, (line.form, line.filter));
            self.count_out(client, it.bytes);
            self.preparing.drop_stale_orders(self.deliveries);
            self.look_at(number);
        }
    }

    /// Takes a loss in, if something waits before it.
    pub(super) fn take_loss(&mut self, client: u64, subscription: u32, loss: &Loss) -> bool {
        let line = self.lines.get_mut(&(client, subscription));
        let Some(line) = line.filter(|it| !it.items.is_empty()) else { return false };
        // Of those behind the same delivery there is one for each reason.
        let known = line.behind_deliveries().find_map(|it| match it {
            Item::Lost(it) if it.reason == loss.reason => Some(it),
            _ => None,
        });
        match known {
            Some(it) => it.join(loss),
            None => line.items.push_back(Item::Lost(*loss)),
        }
        true
    }

    /// Takes in how durable everything is that was delivered up to a position, if something waits before it.
    pub(super) fn take_confirmed(
        &mut self,
        (client, subscription): (u64, u32),
        it: Durability,
        position: u64,
    ) -> bool {
        let line = self.lines.get_mut(&(client, subscription));
        let Some(line) = line.filter(|it| !it.items.is_empty()) else { return false };
        let confirmed = Item::Confirmed(it, position);
        // It says what an earlier one behind the same delivery says.
        let known = line.behind_deliveries().find(|it| matches!(it, Item::Confirmed(..)));
        match known {
            Some(it) => *it = confirmed,
            None => line.items.push_back(confirmed),
        }
        true
    }

    /// A line is due if its first can go on.
    fn look_at(&mut self, number: (u64, u32)) {
        let Some(line) = self.lines.get(&number) else { return };
        if !matches!(self.first_of(line), None | Some(First::Wait)) {
            self.due.insert(number);
        }
    }

    fn first_of(&self, line: &Line) -> Option<First> {
        let it = match line.items.front()? {
            Item::Lost(loss) => return Some(First::Send(Item::Lost(*loss))),
            Item::Confirmed(it, position) => {
                return Some(First::Send(Item::Confirmed(*it, *position)));
            }
            Item::Delivery(it) => *it,
        };
        Some(match self.preparing.state((line.form, line.filter), it.position) {
            Prepared::No => First::Wait,
            Prepared::Filtered => First::Filtered(it.position),
            Prepared::Made(topic, format, payload) => First::Made(it, topic, format, payload),
            Prepared::Failed(topic, reason) => First::Unrendered(it, topic, reason),
        })
    }

    /// The subscription of a client behind one, if there is any that wants messages in some way.
    pub(super) fn line_from(&self, client: u64, behind: Option<u32>) -> Option<u32> {
        let from = behind.map_or(Bound::Included((client, 0)), |it| Bound::Excluded((client, it)));
        let mut all = self.lines.range((from, Bound::Included((client, u32::MAX))));
        all.next().map(|(number, _)| number.1)
    }

    /// What is to be done with the first in a line.
    pub(super) fn first(&self, client: u64, subscription: u32) -> First {
        let line = self.lines.get(&(client, subscription));
        line.and_then(|line| self.first_of(line)).unwrap_or(First::Wait)
    }

    /// That was done. `is_made` if it has got a message that was made for it.
    pub(super) fn pop(&mut self, client: u64, subscription: u32, is_made: bool) {
        let Some(line) = self.lines.get_mut(&(client, subscription)) else { return };
        if let Some(Item::Delivery(it)) = line.items.pop_front() {
            if is_made {
                self.preparing.count_use(line.form, it.position);
            }
            line.deliveries -= 1;
            line.bytes -= it.bytes;
            self.preparing.leave((client, subscription), it.position, (line.form, line.filter));
            self.count_out(client, it.bytes);
        }
    }

    /// The first of a line is not to go yet, for a reason that no order ends.
    pub(super) fn look_later(&mut self, client: u64, subscription: u32) {
        self.due.insert((client, subscription));
    }

    /// The lines of which the first may go on: the clients, and their numbers of the subscriptions.
    pub(super) fn take_due(&mut self) -> BTreeSet<(u64, u32)> {
        std::mem::take(&mut self.due)
    }

    /// Whether there are any, or consumers whose turn it is.
    pub(super) fn has_due(&self) -> bool {
        !self.due.is_empty() || !self.freed.is_empty()
    }

    /// What is to be given next to whoever reads payloads.
    pub(super) fn next_order(&mut self) -> Option<ConversionOrder> {
        self.preparing.next_order()
    }

    /// What came of an order, which is `most` bytes long at most. Those who wait for it are due.
    pub(super) fn given(&mut self, id: u32, given: Given<'_>, most: usize) -> usize {
        let (bytes, position, waiters) = self.preparing.given(id, given, most);
        for number in waiters {
            let Some(line) = self.lines.get(&number) else { continue };
            // One that passes is made then, also behind others that wait.
            self.preparing.ask(number, position, (line.form, line.filter));
            self.look_at(number);
        }
        bytes
    }

    /// What was made and decided so far is not what would be now: what waits has it done again.
    pub(super) fn begin_anew(&mut self) {
        self.preparing.forget_answers();
        for (number, line) in &self.lines {
            for item in &line.items {
                if let Item::Delivery(it) = item {
                    self.preparing.ask(*number, it.position, (line.form, line.filter));
                }
            }
        }
    }

    /// Memory is short for all, or these lines with what was made for them have more than so many bytes: they get shorter. Those who
    /// wait for room are not looked through at each message then, but when half of the bytes are free again.
    pub(super) fn give_way(&mut self, is_short: bool, most: usize) {
        let most = if self.is_tight { most / 2 } else { most };
        self.set_tight(is_short || self.bytes() > most);
    }

    /// Memory is short, or is not any more: what is kept for others who may come goes first.
    pub(super) fn set_tight(&mut self, is_tight: bool) {
        let was_tight = std::mem::replace(&mut self.is_tight, is_tight);
        if is_tight {
            self.preparing.forget_idle();
        } else if was_tight {
            let with_turns = self.clients.iter().filter(|(_, it)| !it.turns.is_empty());
            self.freed.extend(with_turns.map(|(client, _)| *client));
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.preparing.bytes() + self.deliveries * size_of::<Item>()
    }

    /// What was made by format, or as published, and what was decided.
    pub(super) fn preparing(&self) -> &Preparing {
        &self.preparing
    }
}

/// The format of a text that says why there is no message.
pub(super) const REASON: u16 = format::TEXT;

#[cfg(test)]
mod tests;
