//! A consumer: it takes messages, acknowledges them sooner or later, gives some back, and dies now and then.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use trunkline_native::{self as native, RouterFrame, Updates};

use super::PowerCounts;
use super::machine::{DEAD_LETTERS, Machine};
use super::model::{Model, SeenDelivery};
use crate::kernel::LinkId;

use crate::report::{Checked, ensure};
use trunkline_random::Random;

const SUBSCRIPTION: u32 = 1;

/// A message that it has and has not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Held {
    position: u64,
    id: (u64, u64),
}

pub(crate) struct Consumer {
    number: u64,
    durable: usize,
    /// If it is conflated.
    updates: Option<Updates>,
    random: Random,
    connection: Option<LinkId>,
    input: Vec<u8>,
    names: Vec<(u32, String)>,
    is_active: bool,
    held: Vec<Held>,
    /// Of each ACKNOWLEDGE of this connection that was not answered: when it was sent, and what it was about.
    acknowledged: VecDeque<(u64, Vec<(u64, u64)>)>,
    answered: u64,
    /// What comes was not delivered before: when its connection began, or when it sent what was answered last.
    since: u64,
    /// Position of the last message that did not say that it comes again.
    last: u64,
    /// The highest number of each producer among such.
    newest: BTreeMap<u64, u64>,
    /// Positions that it had when its connection was lost.
    had: Vec<u64>,
    /// Those of them that it has given back since: what comes of these may be another's by then.
    unsure: BTreeSet<u64>,
    connects_at: u64,
}

impl Consumer {
    pub(crate) fn new(seed: u64, number: u64, durable: u64, updates: Option<Updates>) -> Self {
        let mut random = Random::stream(seed, 200 + number);
        Self {
            number,
            durable: durable as usize,
            updates,
            // Some subscriptions are made when much has happened already.
            connects_at: if random.once_in(3) { random.between(0, 40_000_000) } else { 0 },
            random,
            connection: None,
            input: Vec::new(),
            names: Vec::new(),
            is_active: false,
            held: Vec::new(),
            acknowledged: VecDeque::new(),
            answered: 0,
            since: 0,
            last: 0,
            newest: BTreeMap::new(),
            had: Vec::new(),
            unsure: BTreeSet::new(),
        }
    }

    fn takes_orders_only(&self) -> bool {
        self.durable == 1 || self.updates.is_some()
    }

    /// Whether it has nothing left to acknowledge.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_active && self.held.is_empty() && self.acknowledged.is_empty()
    }

    pub(crate) fn describe(&self) -> String {
        let (held, answers) = (self.held.len(), self.acknowledged.len());
        format!(
            "consumer {} (stands: {}) has {held} and waits for {answers}",
            self.number, self.is_active
        )
    }

    /// The connection is lost.
    pub(crate) fn disconnected(&mut self, machine: &mut Machine) {
        if let Some(id) = self.connection.take() {
            machine.disconnect(id);
        }
        self.input.clear();
        self.names.clear();
        self.newest.clear();
        self.unsure.clear();
        self.had = self.held.drain(..).map(|it| it.position).collect();
        self.acknowledged.clear();
        (self.is_active, self.answered, self.last) = (false, 0, 0);
        self.connects_at =
            self.connects_at.max(machine.now + self.random.between(1_000, 5_000_000));
    }

    pub(crate) fn step(
        &mut self,
        machine: &mut Machine,
        model: &mut Model,
        counts: &mut PowerCounts,
        is_busy: bool,
    ) -> Checked {
        let Some(id) = self.connection else {
            if machine.now >= self.connects_at || !is_busy {
                self.connect(machine, counts);
            }
            return Ok(());
        };
        machine.receive(id, &mut self.input);
        let input = std::mem::take(&mut self.input);
        let mut used = 0;
        while let Ok(Some((frame, length))) = native::decode_router(&input[used..], 1 << 20) {
            used += length;
            self.take(&frame, machine, model, counts)?;
            // It was rejected, and reads no more.
            if self.connection.is_none() {
                return Ok(());
            }
        }
        self.input = input[used..].to_vec();
        if !machine.is_open(id) || is_busy && self.random.once_in(700) {
            counts.deaths += 1;
            self.disconnected(machine);
            return Ok(());
        }
        self.answer(machine, is_busy);
        Ok(())
    }

    fn connect(&mut self, machine: &mut Machine, counts: &mut PowerCounts) {
        self.connection = machine.connect(counts);
        let Some(id) = self.connection else { return };
        self.since = machine.now;
        let mut out = Vec::new();
        native::encode_hello(
            &mut out,
            &native::Hello { version: native::VERSION, ..Default::default() },
        );
        let name = format!("durable-{}", self.durable);
        let consume = native::Consume {
            subscription: SUBSCRIPTION,
            window: self.random.between(1, 60) as u32,
            updates: self.updates.unwrap_or(Updates::All),
            start: native::Start::New,
            pace: 0,
            wants_confirmed: self.random.once_in(2),
            wants_acknowledged: true,
            policy: self.policy(),
            format: None,
            filter: "",
            fields: "",
            name: &name,
            pattern: if self.takes_orders_only() { "orders/*" } else { ">" },
        };
        native::encode_consume(&mut out, &consume);
        machine.send(id, &out);
    }

    /// What it asks for messages that it does not acknowledge: less than the router's configuration grants, or nothing.
    fn policy(&mut self) -> native::DeliveryPolicy {
        let is_limited = self.durable == 0 && self.updates.is_none();
        native::DeliveryPolicy {
            acknowledge_within_ms: self.random.pick(&[0, 0, 12]) as u32,
            deliveries: if is_limited { self.random.pick(&[0, 0, 2]) as u16 } else { 0 },
        }
    }

    fn take(
        &mut self,
        frame: &RouterFrame<'_>,
        machine: &mut Machine,
        model: &mut Model,
        counts: &mut PowerCounts,
    ) -> Checked {
        match frame {
            // The first is the answer to what was asked; others say that it is paused, or no more.
            RouterFrame::Consuming(_) if self.is_active => {}
            RouterFrame::Consuming(_) => {
                self.is_active = true;
                // One that does not match everything is not held against what it does not match.
                let is_whole = !self.takes_orders_only();
                model.subscribed(self.durable, is_whole, self.updates.is_some());
            }
            RouterFrame::Topic(topic) => {
                self.names.retain(|(number, _)| *number != topic.alias);
                self.names.push((topic.alias, topic.name.to_owned()));
            }
            RouterFrame::Delivery(it) => self.delivered(it, machine, model, counts)?,
            RouterFrame::Acknowledged(it) => {
                ensure(it.durability.disk == 1, "done", || format!("{it:?} on no disk"))?;
                while self.answered < it.acknowledgements {
                    self.answered += 1;
                    let (sent, done) = self.acknowledged.pop_front().unwrap_or_default();
                    self.since = self.since.max(sent);
                    for id in done {
                        let told = (self.number, machine.now);
                        counts.done += u64::from(model.done(self.durable, id, told));
                    }
                }
            }
            RouterFrame::Rejected(it) => {
                let why = it.text.to_owned();
                machine.note(|| format!("consumer rejected: {why}"));
                counts.rejected += 1;
                self.connects_at = machine.now + 5_000_000;
                self.disconnected(machine);
            }
            _ => {}
        }
        Ok(())
    }

    fn delivered(
        &mut self,
        it: &native::Delivery<'_>,
        machine: &mut Machine,
        model: &mut Model,
        counts: &mut PowerCounts,
    ) -> Checked {
        let named = self.names.iter().find(|(number, _)| *number == it.topic);
        let topic = named.map_or("", |(_, name)| name);
        if topic == DEAD_LETTERS {
            let id = model.dead_letter(it.position, it.payload)?;
            // Its acknowledgement is not that of the message.
            self.unsure.insert(it.position);
            self.held.push(Held { position: it.position, id });
            return Ok(());
        }
        let seen = SeenDelivery {
            durable: self.durable,
            consumer: self.number,
            since: self.since,
            position: it.position,
            is_repeated: it.is_repeated,
            is_unconfirmed: it.is_unconfirmed,
            topic,
            payload: it.payload,
        };
        let id = model.delivered(&seen)?;
        ensure(it.conflation.is_some() == self.updates.is_some(), "conflation", || {
            format!("{:?} of {}", it.conflation, self.durable)
        })?;
        if let Some(conflation) = it.conflation {
            counts.replaced += conflation.replaced;
            model.updated(&seen)?;
        }
        let (number, durable) = (self.number, self.durable);
        machine.note(|| {
            let (position, repeated) = (seen.position, seen.is_repeated);
            format!(
                "consumer {number} of {durable} gets {id:?} at {position}, repeated: {repeated}"
            )
        });
        ensure(!it.is_unconfirmed || topic.starts_with("cut"), "flags", || {
            format!("{id:?} on {topic} is delivered and not on disk")
        })?;
        ensure(it.is_unconfirmed || machine.is_synced(id), "commit order", || {
            format!("{id:?} is said to be on disk, and is not")
        })?;
        counts.delivered += 1;
        counts.repeated += u64::from(it.is_repeated);
        counts.unconfirmed += u64::from(it.is_unconfirmed);
        if !it.is_repeated && self.updates.is_none() {
            ensure(it.position > self.last, "order", || {
                format!("{id:?} at {} comes after {}", it.position, self.last)
            })?;
            self.last = it.position;
            let newest = self.newest.entry(id.0).or_default();
            ensure(*newest < id.1, "order", || format!("{id:?} comes after number {newest}"))?;
            *newest = id.1;
        }
        self.held.push(Held { position: it.position, id });
        Ok(())
    }

    /// Acknowledges some of what it has, or gives it back.
    fn answer(&mut self, machine: &mut Machine, is_busy: bool) {
        let Some(id) = self.connection else { return };
        if self.held.is_empty() || is_busy && !self.random.once_in(3) {
            return;
        }
        let mut out = Vec::new();
        // It forgets that the message may be another's by now.
        if is_busy && let Some(position) = self.had.pop() {
            self.held.retain(|it| it.position != position);
            self.unsure.insert(position);
            let release = native::Release { subscription: SUBSCRIPTION, delay_ms: 0, position };
            native::encode_release(&mut out, &release);
            return machine.send(id, &out);
        }
        let at = self.random.below(self.held.len() as u64) as usize;
        let position = self.held[at].position;
        match self.random.below(10) {
            0 if is_busy => {
                // It may have come more than once.
                self.held.retain(|it| it.position != position);
                let delay_ms = self.random.below(3) as u32;
                let release = native::Release { subscription: SUBSCRIPTION, delay_ms, position };
                native::encode_release(&mut out, &release);
            }
            // What was not acknowledged in time is not covered by a cumulative acknowledgement.
            digit if digit <= 4 || self.durable == 0 => {
                let it = self.held.swap_remove(at);
                // Of one that another has by now a delivery may be on its way.
                let is_sure = !self.unsure.contains(&position);
                let done = is_sure.then_some(it.id).into_iter().collect();
                self.acknowledged.push_back((machine.now, done));
                acknowledge(&mut out, position, false);
            }
            _ => {
                let is_done =
                    |it: &&Held| it.position <= position && !self.unsure.contains(&it.position);
                let done = self.held.iter().filter(is_done);
                self.acknowledged.push_back((machine.now, done.map(|it| it.id).collect()));
                self.held.retain(|it| it.position > position);
                acknowledge(&mut out, position, true);
            }
        }
        machine.send(id, &out);
    }
}

fn acknowledge(out: &mut Vec<u8>, position: u64, is_cumulative: bool) {
    let it = native::Acknowledge { subscription: SUBSCRIPTION, position, is_cumulative };
    native::encode_acknowledge(out, &it);
}
