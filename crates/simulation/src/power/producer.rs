//! A producer, as the protocol's description has it: it numbers its messages and sends again what was not
//! acknowledged.

use std::collections::VecDeque;

use trunkline_native::{self as native, RouterFrame, code, kind};

use super::PowerCounts;
use super::machine::Machine;
use super::model::{Model, payload};
use crate::kernel::LinkId;

use crate::report::{Checked, ensure, violation};
use trunkline_random::Random;

/// Topics, by their aliases.
pub(crate) const TOPICS: [&str; 4] = ["orders/1", "cut/1", "orders/2", "cut/2"];

/// A message that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Unacknowledged {
    sequence: u64,
    number: u64,
    alias: u32,
}

pub(crate) struct Producer {
    number: u64,
    random: Random,
    connection: Option<LinkId>,
    input: Vec<u8>,
    /// What PRODUCING said, once it has.
    window: Option<u64>,
    unacknowledged: VecDeque<Unacknowledged>,
    sequence: u64,
    acknowledged: u64,
    next_number: u64,
    /// When it sends again what was rejected.
    again_at: Option<u64>,
    connects_at: u64,
}

impl Producer {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self {
            number,
            random: Random::stream(seed, 100 + number),
            connection: None,
            input: Vec::new(),
            window: None,
            unacknowledged: VecDeque::new(),
            sequence: 0,
            acknowledged: 0,
            next_number: 1,
            again_at: None,
            connects_at: 0,
        }
    }

    /// Whether everything it sent is acknowledged.
    pub(crate) fn is_quiet(&self) -> bool {
        self.unacknowledged.is_empty() && self.window.is_some()
    }

    pub(crate) fn describe(&self) -> String {
        let (first, count) = (self.unacknowledged.front(), self.unacknowledged.len());
        format!("producer {} waits for {count} from {first:?}", self.number)
    }

    /// The connection is lost.
    pub(crate) fn disconnected(&mut self, machine: &mut Machine) {
        if let Some(id) = self.connection.take() {
            machine.disconnect(id);
        }
        self.input.clear();
        (self.window, self.again_at) = (None, None);
        self.connects_at = machine.now + self.random.between(1_000, 3_000_000);
    }

    pub(crate) fn step(
        &mut self,
        machine: &mut Machine,
        model: &mut Model,
        counts: &mut PowerCounts,
        is_busy: bool,
    ) -> Checked {
        let Some(id) = self.connection else {
            if machine.now >= self.connects_at {
                self.connect(machine, counts);
            }
            return Ok(());
        };
        machine.receive(id, &mut self.input);
        self.read(machine, model, counts)?;
        if self.connection.is_none() {
            return Ok(());
        }
        if !machine.is_open(id) || is_busy && self.random.once_in(1_500) {
            self.die(machine, counts);
            return Ok(());
        }
        if self.again_at.is_some_and(|at| machine.now >= at) {
            self.again_at = None;
            self.send_again(machine, counts);
        }
        if is_busy && self.again_at.is_none() {
            self.publish(machine, model);
        }
        Ok(())
    }

    /// It loses its connection, or is killed and remembers nothing.
    fn die(&mut self, machine: &mut Machine, counts: &mut PowerCounts) {
        counts.deaths += 1;
        self.disconnected(machine);
        if self.random.once_in(3) {
            self.unacknowledged.clear();
        }
    }

    fn connect(&mut self, machine: &mut Machine, counts: &mut PowerCounts) {
        self.connection = machine.connect(counts);
        let Some(id) = self.connection else { return };
        let mut out = Vec::new();
        native::encode_hello(
            &mut out,
            &native::Hello { version: native::VERSION, ..Default::default() },
        );
        for (alias, topic) in TOPICS.iter().enumerate() {
            native::encode_topic(&mut out, alias as u32, topic);
        }
        native::encode_producer(&mut out, &format!("producer-{}", self.number));
        machine.send(id, &out);
    }

    fn read(
        &mut self,
        machine: &mut Machine,
        model: &mut Model,
        counts: &mut PowerCounts,
    ) -> Checked {
        let input = std::mem::take(&mut self.input);
        let mut used = 0;
        while let Ok(Some((frame, length))) = native::decode_router(&input[used..], 1 << 20) {
            used += length;
            self.take(&frame, machine, model, counts)?;
        }
        self.input = input[used..].to_vec();
        Ok(())
    }

    fn take(
        &mut self,
        frame: &RouterFrame<'_>,
        machine: &mut Machine,
        model: &mut Model,
        counts: &mut PowerCounts,
    ) -> Checked {
        match frame {
            RouterFrame::Producing(it) => self.begin(it, machine, counts)?,
            RouterFrame::Stored(it) => {
                ensure(it.durability.disk == 1, "acknowledged", || format!("{it:?} on no disk"))?;
                self.acknowledge(it.sequence, machine, model, counts)?;
            }
            RouterFrame::Rejected(it) if it.of == kind::STORE => {
                counts.rejected += 1;
                let pause = self.random.between(10_000, 20_000_000);
                self.again_at.get_or_insert(machine.now + pause);
                let is_known = matches!(it.code, code::OUT_OF_SEQUENCE | code::NOT_DURABLE);
                ensure(is_known, "settling", || format!("{it:?}"))?;
            }
            RouterFrame::Rejected(it) if it.code == code::NOT_DURABLE => {
                counts.rejected += 1;
                self.disconnected(machine);
            }
            RouterFrame::Rejected(it) => return violation("settling", format!("{it:?}")),
            RouterFrame::Ping(token) => {
                let mut out = Vec::new();
                native::encode_pong(&mut out, *token);
                if let Some(id) = self.connection {
                    machine.send(id, &out);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(
        &mut self,
        it: &native::Producing,
        machine: &mut Machine,
        counts: &mut PowerCounts,
    ) -> Checked {
        self.window = Some(it.window.into());
        ensure(it.last >= self.acknowledged, "acknowledged", || {
            format!("producer {} was told {}, and now {}", self.number, self.acknowledged, it.last)
        })?;
        if self.unacknowledged.is_empty() {
            self.sequence = it.last;
            self.acknowledged = it.last;
        }
        self.send_again(machine, counts);
        Ok(())
    }

    fn acknowledge(
        &mut self,
        sequence: u64,
        machine: &Machine,
        model: &mut Model,
        counts: &mut PowerCounts,
    ) -> Checked {
        self.acknowledged = self.acknowledged.max(sequence);
        while let Some(first) = self.unacknowledged.front()
            && first.sequence <= sequence
        {
            let id = (self.number, first.number);
            ensure(machine.is_synced(id), "commit order", || {
                format!("{id:?} is said to be stored, and is not on disk")
            })?;
            model.stored(id.0, id.1);
            counts.stored += 1;
            self.unacknowledged.pop_front();
        }
        Ok(())
    }

    fn send_again(&mut self, machine: &mut Machine, counts: &mut PowerCounts) {
        let mut out = Vec::new();
        for it in &self.unacknowledged {
            store(&mut out, self.number, it, true);
            counts.sent_again += 1;
        }
        if let Some(id) = self.connection {
            machine.send(id, &out);
        }
    }

    fn publish(&mut self, machine: &mut Machine, model: &mut Model) {
        let (Some(id), Some(window)) = (self.connection, self.window) else { return };
        let mut out = Vec::new();
        for _ in 0..self.random.part(6) {
            if self.unacknowledged.len() as u64 >= window {
                break;
            }
            let alias = self.random.below(TOPICS.len() as u64) as u32;
            self.sequence += 1;
            let it = Unacknowledged { sequence: self.sequence, number: self.next_number, alias };
            self.next_number += 1;
            model.sent(self.number, it.number, TOPICS[alias as usize]);
            store(&mut out, self.number, &it, false);
            self.unacknowledged.push_back(it);
        }
        machine.send(id, &out);
    }
}

fn store(out: &mut Vec<u8>, producer: u64, it: &Unacknowledged, is_repeated: bool) {
    let payload = payload(producer, it.number);
    native::encode_store(
        out,
        &native::Store {
            alias: it.alias,
            time_to_live_ms: 0,
            sequence: it.sequence,
            is_repeated,
            format: 0,
            payload: &payload,
        },
    );
}
