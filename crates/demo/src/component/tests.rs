//! Programs on a middleware in memory, which loses, changes and exchanges messages when it is told to.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;

use super::task::Range;
use super::task::{Content, FeedbackOf, Flooding, Orders, ReceivedKind};
use super::*;
use trunkline_bench::histogram::Times;
use trunkline_bench_bus::bus::BusOptions;

/// What happens to the messages of a topic.
#[derive(Clone, Copy, PartialEq)]
enum Mischief {
    None,
    /// Every tenth is lost.
    Lose,
    /// Every tenth changes places with the next.
    Exchange,
    /// Every tenth has another body.
    Change,
    /// Every tenth comes twice.
    Repeat,
}

type Mailbox = Arc<Mutex<(Vec<usize>, VecDeque<(usize, Vec<u8>)>)>>;

/// A middleware of this process.
#[derive(Clone)]
struct Memory {
    mischief: Mischief,
    clients: Arc<Mutex<Vec<Mailbox>>>,
}

struct MemoryBus {
    memory: Memory,
    mailbox: Mailbox,
    published: u64,
    guaranteed: u64,
    acknowledged: u64,
}

impl Memory {
    fn new(mischief: Mischief) -> Self {
        Self { mischief, clients: Arc::default() }
    }

    /// A program with one connection.
    fn component(&self) -> Component<'_> {
        let mut component = Component::new(self);
        let market = source::market(&source::ticks(&[]).expect("generated"));
        let topics = Topics {
            content: Content::Prices,
            streams: 1,
            parts: 1,
            market,
            ticks: Vec::new(),
            others: vec!["orders".into(), "feedback".into()],
        };
        component.connect(&Connection::to("here", topics, "test")).expect("memory");
        component
    }
}

impl Connect for Memory {
    fn connect(&self, _: &str, _: &[String], _: &BusOptions) -> io::Result<Box<dyn Bus>> {
        let mailbox = Mailbox::default();
        self.clients.lock().expect("alive").push(Arc::clone(&mailbox));
        let (published, guaranteed, acknowledged) = (0, 0, 0);
        Ok(Box::new(MemoryBus {
            memory: self.clone(),
            mailbox,
            published,
            guaranteed,
            acknowledged,
        }))
    }
}

impl Bus for MemoryBus {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.published += 1;
        let is_tenth = self.published.is_multiple_of(10);
        let mischief = if is_tenth { self.memory.mischief } else { Mischief::None };
        let mut payload = payload.to_vec();
        if mischief == Mischief::Change {
            payload[40] ^= 1;
        }
        for client in self.memory.clients.lock().expect("alive").iter() {
            let (topics, queue) = &mut *client.lock().expect("alive");
            if !topics.contains(&topic) || mischief == Mischief::Lose {
                continue;
            }
            let at = if mischief == Mischief::Exchange {
                queue.len().saturating_sub(1)
            } else {
                queue.len()
            };
            queue.insert(at, (topic, payload.clone()));
            if mischief == Mischief::Repeat {
                queue.push_back((topic, payload.clone()));
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        self.mailbox.lock().expect("alive").0.extend(topics);
        Ok(())
    }

    fn poll(&mut self, _: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let all = std::mem::take(&mut self.mailbox.lock().expect("alive").1);
        all.iter().for_each(|(topic, payload)| sink(*topic, payload));
        // What a look brings is at most half of what is missing.
        self.acknowledged += (self.guaranteed - self.acknowledged).div_ceil(2);
        Ok(all.len())
    }

    fn publish_guaranteed(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.guaranteed += 1;
        self.publish(topic, payload)
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    fn subscribe_guaranteed(&mut self, _: &str, topics: &[usize]) -> io::Result<()> {
        self.subscribe(topics)
    }
}

fn publishing(messages: u64) -> Publishing {
    Publishing { run: 7, rate: 200_000.0, messages, bytes: 128, end: vec![0] }
}

fn receiving(kind: ReceivedKind, topics: Range) -> Receiving {
    Receiving {
        run: 7,
        kind,
        topics,
        milliseconds: 20_000,
        silence: None,
        spins: false,
        skip: 0,
        orders: None,
        feedback: None,
        guaranteed: false,
        pace: None,
        file: None,
    }
}

/// A program that has subscribed to these topics.
fn subscriber(memory: &Memory, first: usize, count: usize) -> Component<'_> {
    let mut component = memory.component();
    component.perform(&Task::Subscribe(Range { first, count })).expect("memory");
    component
}

fn received(memory: &Memory, messages: u64) -> task::Received {
    let mut receiver = subscriber(memory, 0, 1);
    let mut publisher = memory.component();
    let task = Task::Publish(publishing(messages));
    let sent = publisher.perform(&task).expect("memory").published.expect("an answer");
    assert_eq!(sent.messages, messages);
    let task = Task::Receive(receiving(ReceivedKind::Rates, Range { first: 0, count: 1 }));
    receiver.perform(&task).expect("memory").received.expect("an answer")
}

#[test]
fn all_that_is_published_at_a_rate_is_received_and_timed() {
    let found = received(&Memory::new(Mischief::None), 1_000);
    assert!(found.is_whole);
    assert_eq!((found.messages, found.missing, found.disordered, found.damaged), (1_000, 0, 0, 0));
    assert_eq!(Times::decoded(&found.latencies).expect("times").count(), 1_000);
}

#[test]
fn what_a_middleware_does_to_messages_is_noticed() {
    let lost = received(&Memory::new(Mischief::Lose), 995);
    assert_eq!((lost.messages, lost.missing, lost.disordered), (896, 99, 0));
    let exchanged = received(&Memory::new(Mischief::Exchange), 995);
    assert_eq!((exchanged.disordered, exchanged.missing), (99, 99));
    let changed = received(&Memory::new(Mischief::Change), 995);
    assert_eq!((changed.messages, changed.damaged), (896, 99));
    let damage = changed.damage.expect("what was wrong");
    assert!(damage.contains("body") && damage.contains("topic 0"), "{damage}");
}

#[test]
fn every_fifth_rate_becomes_an_order() {
    let memory = Memory::new(Mischief::None);
    let mut algo = subscriber(&memory, 0, 1);
    let mut gateway = subscriber(&memory, 1, 1);
    memory.component().perform(&Task::Publish(publishing(503))).expect("memory");
    let orders = Some(Orders { topic: 1, every: 5, guaranteed: false, skip: 0 });
    let rates = receiving(ReceivedKind::Rates, Range { first: 0, count: 1 });
    let task = Task::Receive(Receiving { orders, ..rates });
    let rates = algo.perform(&task).expect("memory").received.expect("an answer");
    assert_eq!((rates.messages, rates.orders), (503, 100));
    let task = Task::Receive(receiving(ReceivedKind::Orders, Range { first: 1, count: 1 }));
    let orders = gateway.perform(&task).expect("memory").received.expect("an answer");
    assert_eq!((orders.messages, orders.missing, orders.is_whole), (100, 0, true));
}

/// What came of a flood of guaranteed messages.
fn poured(mischief: Mischief) -> (task::Published, task::Received) {
    let memory = Memory::new(mischief);
    let mut receiver = memory.component();
    let topics = Range { first: 0, count: 1 };
    let task = Task::SubscribeGuaranteed { name: "flood".into(), topics };
    receiver.perform(&task).expect("memory");
    let task = Task::Flood(Flooding {
        run: 7,
        milliseconds: 20_000,
        most: Some(1_024),
        bytes: 128,
        window: 256,
        feedback: Range { first: 0, count: 0 },
        guaranteed: true,
        end: vec![0],
    });
    let sent = memory.component().perform(&task).expect("memory").published.expect("an answer");
    let rates = receiving(ReceivedKind::Rates, topics);
    let task = Task::Receive(Receiving { guaranteed: true, ..rates });
    (sent, receiver.perform(&task).expect("memory").received.expect("an answer"))
}

#[test]
fn guaranteed_messages_are_acknowledged_and_those_that_came_are_known() {
    let (sent, came) = poured(Mischief::None);
    let acknowledged = sent.acknowledged.expect("all of them");
    // The end is one of them, and not timed.
    assert_eq!((sent.messages, acknowledged.messages), (1_024, 1_025));
    assert_eq!(Times::decoded(&acknowledged.times).expect("times").count(), 1_024);
    assert!(acknowledged.last >= sent.began);
    assert_eq!((came.messages, came.unbroken, came.duplicates), (1_024, 1_024, 0));
    let (_, lost) = poured(Mischief::Lose);
    assert_eq!((lost.unbroken, lost.missing), (9, 102));
    let (_, repeated) = poured(Mischief::Repeat);
    assert_eq!((repeated.messages, repeated.unbroken), (1_024, 1_024));
    assert_eq!((repeated.duplicates, repeated.disordered), (102, 0));
}

#[test]
fn guaranteed_orders_are_timed_until_they_are_acknowledged() {
    let memory = Memory::new(Mischief::None);
    let mut algo = subscriber(&memory, 0, 1);
    memory.component().perform(&Task::Publish(publishing(503))).expect("memory");
    let orders = Some(Orders { topic: 1, every: 5, guaranteed: true, skip: 10 });
    let rates = receiving(ReceivedKind::Rates, Range { first: 0, count: 1 });
    let task = Task::Receive(Receiving { orders, ..rates });
    let rates = algo.perform(&task).expect("memory").received.expect("an answer");
    let acknowledged = rates.acknowledged.expect("all of them");
    assert_eq!((rates.orders, acknowledged.messages), (100, 101));
    assert_eq!(Times::decoded(&acknowledged.times).expect("times").count(), 90);
}

#[test]
fn a_flood_keeps_to_its_window() {
    let memory = Memory::new(Mischief::None);
    let window = 512;
    let most = thread::scope(|scope| {
        let reader = memory.clone();
        let receiver = scope.spawn(move || {
            let mut component = subscriber(&reader, 0, 1);
            let feedback = Some(FeedbackOf { topic: 2, every: 64 });
            let rates = receiving(ReceivedKind::Rates, Range { first: 0, count: 1 });
            let task = Task::Receive(Receiving { feedback, ..rates });
            component.perform(&task).expect("memory").received.expect("an answer")
        });
        // The subscriber subscribes before the first message.
        while !memory
            .clients
            .lock()
            .expect("alive")
            .iter()
            .any(|it| !it.lock().expect("alive").0.is_empty())
        {
            thread::yield_now();
        }
        let mut publisher = subscriber(&memory, 2, 1);
        let task = Task::Flood(Flooding {
            run: 7,
            milliseconds: 20_000,
            most: Some(5_000),
            bytes: 128,
            window,
            feedback: Range { first: 2, count: 1 },
            guaranteed: false,
            end: vec![0],
        });
        let sent = publisher.perform(&task).expect("memory").published.expect("an answer");
        let found = receiver.join().expect("no panic");
        assert_eq!((found.messages, found.missing, found.is_whole), (sent.messages, 0, true));
        sent.messages
    });
    assert!(most >= 5_000, "{most}: the feedback opened the window again and again");
}

#[test]
fn a_task_that_is_none_is_an_error_and_not_the_end() {
    let memory = Memory::new(Mischief::None);
    let mut component = memory.component();
    let wrong = component.answer("{\"do\":\"dance\"}").expect_err("no task");
    assert!(wrong.to_string().contains("dance"), "{wrong}");
    assert_eq!(component.answer("{\"do\":\"probe\",\"topics\":[3]}").expect("a task"), "{}");
}
