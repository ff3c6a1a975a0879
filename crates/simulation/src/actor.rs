//! A client: the real client library over a simulated stream, and what it chooses to do.

mod act;

use trunkline_client::{Conversation, Event, RequestId, Subscription, Topic};

use super::host::{Arrival, Host, LinkId};
use super::link::End;
use super::model::Caps;
use super::report::{Checked, ensure, violation};
use super::scenario::Plan;
use super::seen::{self, Observation};
use crate::link::LinkOptions;
use trunkline_random::Random;

/// What part of a run it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Everything happens.
    Running,
    /// Nobody begins anything any more; everybody reads what is there.
    Settling,
}

/// Whether a client is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionState {
    Disconnected { until: u64 },
    Connected { link: LinkId },
}

/// A client of the simulation.
pub(crate) struct Actor {
    pub(crate) plan: Plan,
    index: usize,
    random: Random,
    grain: u64,
    state: ConnectionState,
    pub(crate) next_step: u64,
    stalled_until: u64,
    conversation: Conversation,
    is_welcome: bool,
    /// Bytes that came over this connection.
    received: u64,
    /// Bytes of the frame that has been sent in part.
    frame_left: usize,
    topics: Vec<(Topic, String)>,
    requested: Option<[Topic; 2]>,
    subscriptions: Vec<Subscription>,
    /// Subscriptions asked for and not answered.
    subscribing: u64,
    requests: Vec<u64>,
    to_answer: Vec<(RequestId, Vec<u8>)>,
    /// It has topics or subscriptions to tell of again.
    has_sent: bool,
    /// Rises with everything that it publishes.
    number: u32,
    /// What it saw, and when.
    pub(crate) observations: Vec<Observation>,
}

impl Actor {
    pub(crate) fn new(index: usize, seed: u64, grain: u64, plan: Plan) -> Self {
        let conversation = Conversation::new(&plan.options);
        let mut random = Random::stream(seed, 1 + index as u64);
        let until = grain * random.below(20);
        Self {
            plan,
            index,
            random,
            grain,
            state: ConnectionState::Disconnected { until },
            next_step: until,
            stalled_until: 0,
            conversation,
            is_welcome: false,
            received: 0,
            frame_left: 0,
            topics: Vec::new(),
            requested: None,
            subscriptions: Vec::new(),
            subscribing: 0,
            requests: Vec::new(),
            to_answer: Vec::new(),
            has_sent: false,
            number: 0,
            observations: Vec::new(),
        }
    }

    /// Whether it waits for answers.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.state, ConnectionState::Connected { .. }) && !self.requests.is_empty()
    }

    /// Does what it does now, and decides when it does something again.
    pub(crate) fn step(&mut self, now: u64, phase: Phase, host: &mut Host) -> Checked {
        let pause = match phase {
            Phase::Running => self.grain * self.random.between(1, self.plan.pause),
            Phase::Settling => self.grain.max(5_000_000),
        };
        self.next_step = now + pause;
        match self.state {
            ConnectionState::Disconnected { until } => {
                if phase == Phase::Running && now >= until {
                    self.connect(host);
                }
                Ok(())
            }
            ConnectionState::Connected { link } => {
                self.read(now, link, phase, host)?;
                self.act(now, link, phase, host)
            }
        }
    }

    fn connect(&mut self, host: &mut Host) {
        let options = &self.plan.options;
        let arrival = Arrival {
            actor: self.index,
            link_options: LinkOptions::draw(&mut self.random, self.plan.capacity),
            caps: Caps {
                messages_per_second: options.messages_per_second.into(),
                bytes_per_second: options.bytes_per_second,
            },
        };
        let Some(link) = host.connect(arrival) else { return };
        self.state = ConnectionState::Connected { link };
        if self.has_sent && self.random.once_in(2) {
            self.conversation.restart();
            host.counts.restarts += 1;
        } else {
            self.conversation = Conversation::new(options);
            self.topics.clear();
            self.requested = None;
        }
        self.subscriptions.clear();
        self.requests.clear();
        self.to_answer.clear();
        (self.is_welcome, self.received, self.frame_left) = (false, 0, 0);
        self.subscribing = 0;
    }

    /// Reads as much as it likes to, and holds what the client library makes of it against what the
    /// router wrote.
    fn read(&mut self, now: u64, link: LinkId, phase: Phase, host: &mut Host) -> Checked {
        let most = match phase {
            _ if self.plan.hurries => usize::MAX,
            Phase::Running if now < self.stalled_until => 0,
            Phase::Running if self.plan.is_slow => self.random.below(200) as usize,
            _ => usize::MAX,
        };
        let mut bytes = Vec::new();
        host.receive(link, most, &mut bytes);
        let Some(at) = host.connections.get_mut(&link) else {
            return violation("simulation", format!("stream {link} is not there"));
        };
        let mut rest = &*bytes;
        while !rest.is_empty() {
            let length = 1 + self.random.part(rest.len() - 1);
            self.conversation.received(&rest[..length]);
            self.received += length as u64;
            rest = &rest[length..];
            loop {
                let event = match self.conversation.next_event() {
                    Ok(Some(event)) => event,
                    Ok(None) => break,
                    Err(error) => return violation("client library", error.to_string()),
                };
                let seen = seen::of_event(&event);
                let expected = at.expected.pop_front().filter(|it| it.end <= self.received);
                ensure(expected.is_some_and(|it| it.seen == seen), "client library", || {
                    format!("stream {link}: {event:?} is not what the router wrote")
                })?;
                at.seen_messages += u64::from(matches!(event, Event::Message(_)));
                let text = host.trace.is_wanted().then(|| format!("{event:?}"));
                self.observations.push(Observation { time: now, seen, text });
                let known = (&mut self.is_welcome, &mut self.subscriptions, &mut self.requests);
                note(&event, known, self.plan.answers.then_some(&mut self.to_answer))?;
                if seen::answers_subscribe(&event) {
                    // Those of an earlier connection are answered too, and were not counted.
                    self.subscribing = self.subscribing.saturating_sub(1);
                }
            }
            let missed = at.expected.front().is_some_and(|it| it.end <= self.received);
            ensure(!missed, "client library", || format!("stream {link}: an event is missing"))?;
        }
        Ok(())
    }

    /// It is not connected any more.
    fn leave(&mut self, now: u64, link: LinkId, end: End, host: &mut Host) {
        host.leave(link, end);
        let until = now + self.grain * self.random.between(1, 60);
        self.state = ConnectionState::Disconnected { until };
    }
}

/// Learns what an event says.
fn note(
    event: &Event<'_>,
    known: (&mut bool, &mut Vec<Subscription>, &mut Vec<u64>),
    to_answer: Option<&mut Vec<(RequestId, Vec<u8>)>>,
) -> Checked {
    let (is_welcome, subscriptions, requests) = known;
    let mut answered = |correlation: u64| {
        let place = requests.iter().position(|it| *it == correlation);
        ensure(place.is_some(), "requests", || format!("a second answer to {correlation}"))?;
        place.map(|place| requests.swap_remove(place));
        Ok(())
    };
    match event {
        Event::Welcome(_) => *is_welcome = true,
        Event::Subscribed(subscription) => subscriptions.push(*subscription),
        Event::Reply(reply) => answered(reply.correlation)?,
        Event::Rejected(it) if it.of == trunkline_native::kind::REQUEST => answered(it.id)?,
        Event::Message(message) => {
            if let (Some(to_answer), Some(request)) = (to_answer, message.request) {
                to_answer.push((request, message.payload.to_vec()));
            }
        }
        _ => {}
    }
    Ok(())
}
