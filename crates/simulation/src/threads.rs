//! A router with several threads: its event loop and its I/O loops take turns here in one thread, as the seed says, so
//! that each sees as much of what the others have put into the rings as the seed lets it.
//!
//! Clients are the real client library. They check that one order of a topic holds for all of them, that the messages
//! of a publisher come in its order, that leaps are explained, and that SUBSCRIBED and PONG are what they promise.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use trunkline_client::{Conversation, Event, Options, Subscribe, Topic};
use trunkline_random::Random;
use trunkline_reactor::Address;
use trunkline_server::event_loop::{ProtocolListener, wanted_listeners};
use trunkline_server::platform::Platform as _;
use trunkline_server::threads::{CarriedListener, CarriedStream, IoLoop, Threads};
use trunkline_server::{Engine, EventLoop, Protocol};

use crate::kernel::{Kernel, LinkId};
use crate::link::{End, LinkOptions};
use crate::simulated::{SharedKernel, Simulated, SimulatedPoller};

const TOPICS: [&str; 3] = ["a/x", "a/y", "b/z"];

/// What was published to each topic, as the subscribers have seen it: publisher and number by sequence.
type Histories = BTreeMap<String, BTreeMap<u64, (u64, u64)>>;

/// What a client knows of a topic of one of its subscriptions.
#[derive(Debug, Default)]
struct Seen {
    last: u64,
    /// Lost since.
    lost: u64,
    /// Messages of the topic that had been sent when the subscription was confirmed.
    sent_before: u64,
}

struct Client {
    name: u64,
    link: LinkId,
    conversation: Conversation,
    is_welcome: bool,
    topics: Vec<Topic>,
    /// Patterns, whether they conflate, and whether they are confirmed.
    subscriptions: BTreeMap<u32, (&'static str, bool, bool)>,
    seen: BTreeMap<(u32, String), Seen>,
    /// By subscription and publisher, the last number.
    last_of: BTreeMap<(u32, u64), u64>,
    /// Messages published, and handled as a PONG says.
    published: u64,
    is_stalled: bool,
}

struct World {
    event_loop: EventLoop<Threads<Simulated>>,
    io_loops: Vec<IoLoop<SimulatedPoller>>,
    kernel: SharedKernel,
    address: Address,
    random: Random,
    clients: Vec<Client>,
    names: u64,
    /// Messages sent to each topic.
    sent: BTreeMap<String, u64>,
    histories: Histories,
    delivered: u64,
    lost: u64,
    carried: u64,
}

impl World {
    fn new(seed: u64, threads: usize) -> Self {
        let mut config = crate::open_config();
        config.client.queue_messages = 200;
        let kernel = Rc::new(RefCell::new(Kernel::new()));
        let mut platform = Threads::new(Simulated(Rc::clone(&kernel)), || ());
        let io_loops = (1..threads)
            .map(|thread| {
                let poller = SimulatedPoller { kernel: Rc::clone(&kernel), thread };
                platform.add_thread(poller, || ())
            })
            .collect();
        let native = wanted_listeners(&config).into_iter();
        let listeners =
            native.filter(|it| it.1 == Protocol::Native).map(|(configured, protocol)| {
                let socket: CarriedListener<_> =
                    platform.bind(&configured, protocol).expect("free");
                ProtocolListener { socket, protocol, configured }
            });
        let listeners: Vec<_> = listeners.collect();
        let event_loop = EventLoop::new(Engine::new(&config), platform, listeners);
        Self {
            event_loop: event_loop.expect("it listens"),
            io_loops,
            kernel,
            address: config.listen.native[0].clone(),
            random: Random::stream(seed, 0x7468_7265),
            clients: Vec::new(),
            names: 0,
            sent: BTreeMap::new(),
            histories: BTreeMap::new(),
            delivered: 0,
            lost: 0,
            carried: 0,
        }
    }

    fn connect(&mut self) {
        let capacity = (1 << self.random.between(5, 15), 1 << self.random.between(5, 15));
        let options = LinkOptions::draw(&mut self.random, capacity);
        let peer = "simulated".to_owned();
        let link = self.kernel.borrow_mut().connect(&self.address, peer, options);
        // Without credit little is to be under way.
        let credit = self.random.once_in(2);
        let mut conversation =
            Conversation::new(&Options { credit, times: credit, ..Options::named("client") });
        let topics = TOPICS.map(|name| conversation.topic(name).expect("a topic"));
        self.names += 1;
        self.clients.push(Client {
            name: self.names,
            link: link.expect("it listens"),
            conversation,
            is_welcome: false,
            topics: topics.into(),
            subscriptions: BTreeMap::new(),
            seen: BTreeMap::new(),
            last_of: BTreeMap::new(),
            published: 0,
            is_stalled: false,
        });
    }

    /// Somebody's turn.
    fn step(&mut self) {
        self.kernel.borrow_mut().now += self.random.below(20_000);
        let others = self.io_loops.len() + self.clients.len();
        match self.random.index(1 + others) {
            0 => self.event_loop.turn().expect("it goes on"),
            turn if turn <= self.io_loops.len() => {
                assert!(self.io_loops[turn - 1].turn().expect("it goes on"));
            }
            turn => {
                let at = turn - 1 - self.io_loops.len();
                self.act(at);
            }
        }
        self.kernel.borrow_mut().check().unwrap_or_else(|seen| panic!("{seen:?}"));
    }

    /// A client does something.
    fn act(&mut self, at: usize) {
        match self.random.below(100) {
            0 if self.clients.len() > 2 => return self.leave(at),
            1 if self.clients.len() < 9 => self.connect(),
            2..6 => self.clients[at].is_stalled ^= true,
            6..14 => self.subscribe(at),
            14..50 => self.publish(at),
            50..55 if self.clients[at].is_welcome => {
                let client = &mut self.clients[at];
                client.conversation.ping(client.published);
            }
            _ => {}
        }
        let most = 1 + self.random.part(4_000);
        if !self.clients[at].is_stalled {
            self.receive(at, most);
        }
        self.send(at);
    }

    fn leave(&mut self, at: usize) {
        let client = self.clients.swap_remove(at);
        let end = self.random.pick(&[End::Closed, End::Broken]);
        let mut kernel = self.kernel.borrow_mut();
        let link = kernel.links.get_mut(&client.link).expect("the router has it");
        link.leave(end);
        link.pending.writable |= link.is_full;
    }

    fn subscribe(&mut self, at: usize) {
        let client = &mut self.clients[at];
        if !client.is_welcome || client.subscriptions.len() >= 3 {
            return;
        }
        let pattern = self.random.pick(&[">", "a/*", "b/z"]);
        let conflates = self.random.once_in(3);
        let how = if conflates { Subscribe::newest() } else { Subscribe::every() };
        let subscription = client.conversation.subscribe(pattern, &how).expect("a pattern");
        client.subscriptions.insert(subscription.number(), (pattern, conflates, false));
    }

    fn publish(&mut self, at: usize) {
        let client = &mut self.clients[at];
        // What is not sent yet would be counted as sent.
        if !client.is_welcome || client.conversation.output().len() > 20_000 {
            return;
        }
        for _ in 0..=self.random.below(20) {
            let topic = self.random.index(TOPICS.len());
            client.published += 1;
            let mut payload = client.name.to_le_bytes().to_vec();
            payload.extend(client.published.to_le_bytes());
            let longer = self.random.once_in(10);
            payload.resize(16 + self.random.part(if longer { 9_000 } else { 200 }), 7);
            let sent = client.conversation.publish(client.topics[topic], 0, &payload);
            sent.expect("it is taken");
            *self.sent.entry(TOPICS[topic].to_owned()).or_default() += 1;
        }
    }

    /// Sends what there is room for.
    fn send(&mut self, at: usize) -> usize {
        let client = &mut self.clients[at];
        let mut kernel = self.kernel.borrow_mut();
        let Some(link) = kernel.links.get_mut(&client.link) else { return 0 };
        let sent = link.client_writes(client.conversation.output());
        client.conversation.sent(sent);
        sent
    }

    /// Reads at most so many bytes, and checks what they say.
    fn receive(&mut self, at: usize, most: usize) -> usize {
        let client = &mut self.clients[at];
        let mut bytes = Vec::new();
        if let Some(link) = self.kernel.borrow_mut().links.get_mut(&client.link) {
            link.client_reads(most, &mut bytes);
        }
        let Client { conversation, seen, last_of, subscriptions, .. } = client;
        conversation.received(&bytes);
        while let Some(event) = conversation.next_event().expect("it is understood") {
            match event {
                Event::Welcome(_) => client.is_welcome = true,
                Event::Subscribed(number) => {
                    let it = subscriptions.get_mut(&number.number()).expect("it was asked for");
                    it.2 = true;
                    for topic in TOPICS {
                        let sent_before = self.sent.get(topic).copied().unwrap_or(0);
                        let fresh = Seen { sent_before, ..Seen::default() };
                        seen.insert((number.number(), topic.to_owned()), fresh);
                    }
                }
                Event::Message(it) => {
                    let number = it.subscription.number();
                    let word = |at: usize| {
                        u64::from_le_bytes(it.payload[at..at + 8].try_into().expect("8 bytes"))
                    };
                    let message = (word(0), word(8));
                    let history = self.histories.entry(it.topic.to_owned()).or_default();
                    let known = *history.entry(it.sequence).or_insert(message);
                    assert_eq!(known, message, "{} {}: another order", it.topic, it.sequence);
                    let replaced = it.conflation.map_or(0, |it| it.replaced);
                    let at = seen.get_mut(&(number, it.topic.to_owned())).expect("confirmed");
                    at.check(it.sequence, replaced, it.topic);
                    (at.last, at.lost) = (it.sequence, 0);
                    if !subscriptions[&number].1 {
                        let last = last_of.entry((number, message.0)).or_default();
                        assert!(message.1 > *last, "{} after {last} of {}", message.1, message.0);
                        *last = message.1;
                    }
                    self.delivered += 1;
                }
                Event::Gap(it) => {
                    let number = it.subscription.number();
                    let at = seen.get_mut(&(number, it.topic.to_owned())).expect("confirmed");
                    at.lost += it.count;
                    self.lost += it.count;
                }
                Event::Pong(published) => {
                    // All that was published before the ping has been handled.
                    let view = self.event_loop.engine().router().view();
                    let handled: u64 = view.topics(0..usize::MAX).map(|it| it.published).sum();
                    assert!(handled >= published, "{handled} are handled, not {published}");
                }
                other => panic!("{other:?}"),
            }
        }
        if client.conversation.unreported() > 0 {
            client.conversation.report_taken(1_000);
        }
        bytes.len()
    }

    /// Turns until nothing happens any more, and everybody has read everything.
    fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..100_000 {
            self.kernel.borrow_mut().has_moved = false;
            self.kernel.borrow_mut().now += 1_000_000;
            self.event_loop.turn().expect("it goes on");
            for it in &mut self.io_loops {
                assert!(it.turn().expect("it goes on"));
            }
            let mut moved = 0;
            for at in 0..self.clients.len() {
                moved += self.receive(at, usize::MAX) + self.send(at);
            }
            let works = self.io_loops.iter().any(IoLoop::has_work);
            let is_quiet = moved == 0 && !works && !self.kernel.borrow().has_moved;
            quiet = if is_quiet { quiet + 1 } else { 0 };
            if quiet == 4 {
                return self.check_settled();
            }
        }
        panic!("it does not come to rest");
    }

    fn check_settled(&mut self) {
        let view = self.event_loop.engine().router().view();
        let totals = view.totals();
        assert!(totals.ledger.is_balanced() && totals.ledger.queued == 0, "{totals:?}");
        let topics: BTreeMap<&str, u64> =
            view.topics(0..usize::MAX).map(|it| (it.name, it.published)).collect();
        for client in &self.clients {
            assert!(client.is_welcome && client.conversation.output().is_empty());
            for ((number, topic), seen) in &client.seen {
                let pattern = client.subscriptions[number].0;
                if pattern == ">" || pattern == "a/*" && topic.starts_with('a') || pattern == topic
                {
                    let count = topics.get(&**topic).copied().unwrap_or(0);
                    seen.check_all(count, topic);
                }
            }
            assert!(client.subscriptions.values().all(|it| it.2), "all are confirmed");
        }
        let streams = self.event_loop.streams();
        self.carried +=
            streams.filter(|(_, stream)| matches!(stream, CarriedStream::There(_))).count() as u64;
        assert_eq!(self.event_loop.streams().count(), self.clients.len(), "who left is gone");
    }
}

impl Seen {
    /// Of so many messages of the topic all are explained, or were published before.
    fn check_all(&self, count: u64, topic: &str) {
        let is_all = self.last + self.lost == count;
        let nothing_came = self.last == 0 && count <= self.sent_before + self.lost;
        assert!(is_all || nothing_came, "{topic} has {count}: {self:?}");
    }

    /// Everything between is explained, and the first is one that could be the first.
    fn check(&self, sequence: u64, replaced: u64, topic: &str) {
        let explained = self.last + self.lost + replaced;
        if self.last == 0 {
            let first = sequence - self.lost - replaced;
            let most = self.sent_before + 1;
            assert!(first <= most, "{topic} begins with {first}, and not by {most}");
        } else {
            assert_eq!(sequence, explained + 1, "{topic} after {self:?}, {replaced} replaced");
        }
    }
}

fn run(seed: u64, threads: usize, steps: u32) -> World {
    let mut world = World::new(seed, threads);
    (0..5).for_each(|_| world.connect());
    for _ in 0..steps {
        world.step();
    }
    world.settle();
    world
}

#[test]
fn several_threads_keep_every_promise() {
    let (mut delivered, mut lost, mut carried) = (0, 0, 0);
    for seed in 0..60 {
        let world = run(seed, 2 + seed as usize % 3, 3_000);
        delivered += world.delivered;
        lost += world.lost;
        carried += world.carried;
    }
    println!("{delivered} delivered, {lost} lost, {carried} connections carried by others");
    assert!(delivered > 10_000 && lost > 1_000 && carried > 60, "{delivered}, {lost}, {carried}");
}
